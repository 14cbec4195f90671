/*
 * from_profiles.c - see from_profiles.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/from_profiles.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/min_max.h"
#include "base/select.h"
#include "base/unit.h"
#include "explain/kinds.h"
#include "profile/cells.h"
#include "profile/gathered.h"
#include "profile/ops.h"

typedef struct Source
{
	PhArena *arena;
	uint32_t n;
	const PhProfile *const *profiles;
	const bool *is_after;
	PhProfile *whole;	/* the union of the trees; a column a run */
	uint32_t *kept;		/* by node of the union: node of the cube, PH_NONE: in the one above */
	uint32_t *node_of;	/* [run][node of the union] */
	uint32_t **unit_of; /* by run and column: unit */
	uint32_t **step_of; /* by run and column: iteration, PH_NONE: none */
	PhExplainCube cube;
} Source;

/* ---- call paths ---- */

/* The least share of the whole that call paths must have so that no more than `most` have it. */
static PhStatus
find_least_share(const Source *source, double *shares, uint32_t most, double *out)
{
	const PhProfile *whole = source->whole;
	double *copy, total = 0;

	PH_TRY(PH_NEW(source->arena, whole->n_nodes, &copy));
	for (uint32_t run = 0; run < source->n; run++)
		for (uint32_t root = 0; root < whole->n_nodes; root = whole->subtree_end[root])
			total = fmax(total, ph_profile_cell(whole, 0, root, run, PH_COST_INCLUSIVE));
	for (uint32_t node = 0; node < whole->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(source->arena->env));
		for (uint32_t run = 0; run < source->n; run++)
			shares[node] =
				fmax(shares[node], ph_profile_cell(whole, 0, node, run, PH_COST_INCLUSIVE));
		shares[node] = total > 0 ? shares[node] / total : 0;
		copy[node] = shares[node];
	}
	*out = PH_EXPLAIN_LEAST_PATH;
	if (whole->n_nodes > most)
		*out = fmax(*out, ph_select(copy, whole->n_nodes, whole->n_nodes - most));
	return PH_OK;
}

/* Nodes with a share, and those above them, in pre-order. */
static PhStatus
choose_nodes(Source *source)
{
	const PhProfile *whole = source->whole;
	uint32_t most = (uint32_t) PH_MIN(PH_EXPLAIN_MOST_CELLS / source->n / source->cube.n_units,
									  PH_EXPLAIN_MOST_PATHS);
	double *shares, least;
	uint32_t n = 0;

	PH_TRY(PH_NEW(source->arena, whole->n_nodes, &shares));
	PH_TRY(PH_NEW(source->arena, whole->n_nodes, &source->kept));
	PH_TRY(find_least_share(source, shares, PH_MAX(most, 8), &least));
	for (uint32_t node = whole->n_nodes; node-- > 0;)
	{
		bool keep = source->kept[node] != 0 || shares[node] >= least;

		source->kept[node] = keep;
		if (keep && whole->parent[node] != PH_NONE)
			source->kept[whole->parent[node]] = 1;
	}
	for (uint32_t node = 0; node < whole->n_nodes; node++)
		source->kept[node] = source->kept[node] ? n++ : PH_NONE;
	source->cube.n_nodes = n;
	return PH_OK;
}

static PhStatus
make_nodes(Source *source)
{
	const PhProfile *whole = source->whole;
	PhExplainNode *nodes;

	PH_TRY(PH_NEW(source->arena, source->cube.n_nodes, &nodes));
	for (uint32_t node = whole->n_nodes; node-- > 0;)
	{
		const char *name = ph_profile_node_name(whole, node);
		uint32_t at = source->kept[node], parent = whole->parent[node];
		char *copy;

		if (at == PH_NONE)
			continue;
		PH_TRY(ph_arena_strndup(source->arena, name, strlen(name), &copy));
		nodes[at].name = copy;
		nodes[at].parent = parent == PH_NONE ? PH_NONE : source->kept[parent];
		nodes[at].subtree_end = PH_MAX(nodes[at].subtree_end, at + 1);
		if (parent != PH_NONE)
			nodes[nodes[at].parent].subtree_end =
				PH_MAX(nodes[nodes[at].parent].subtree_end, nodes[at].subtree_end);
		ph_explain_classify(&nodes[at],
							ph_profile_string(whole, ph_profile_region(whole, node)->paradigm));
	}
	source->cube.nodes = nodes;
	return PH_OK;
}

static PhStatus
pair_nodes(Source *source)
{
	uint32_t n_nodes = source->whole->n_nodes;

	PH_TRY(PH_NEW(source->arena, (size_t) source->n * n_nodes, &source->node_of));
	for (uint32_t run = 0; run < source->n; run++)
		PH_TRY(ph_profile_pair_nodes(source->arena->env, source->whole, source->profiles[run],
									 source->node_of + (size_t) run * n_nodes));
	return PH_OK;
}

/* ---- units and iterations ---- */

/* Columns come by rank, thread and iteration: a new unit begins where rank or thread change. */
static PhStatus
number_units(Source *source, uint32_t run, uint32_t *n)
{
	const PhProfile *profile = source->profiles[run];

	PH_TRY(PH_NEW(source->arena, profile->n_columns, &source->unit_of[run]));
	*n = 0;
	for (uint32_t c = 0; c < profile->n_columns; c++)
	{
		const PhColumn *column = &profile->columns[c];

		*n += c == 0 || column->rank != column[-1].rank || column->thread != column[-1].thread ||
			  column->iteration == column[-1].iteration;
		source->unit_of[run][c] = *n - 1;
	}
	return PH_OK;
}

static bool
has_same_units(const Source *source, uint32_t run)
{
	const PhProfile *first = source->profiles[0], *other = source->profiles[run];

	for (uint32_t a = 0, b = 0; a < first->n_columns && b < other->n_columns;)
	{
		uint32_t unit = source->unit_of[0][a];

		if (first->columns[a].rank != other->columns[b].rank ||
			first->columns[a].thread != other->columns[b].thread)
			return false;
		while (a < first->n_columns && source->unit_of[0][a] == unit)
			a++;
		while (b < other->n_columns && source->unit_of[run][b] == unit)
			b++;
	}
	return true;
}

static PhStatus
make_units(Source *source)
{
	uint32_t n, least = 0;
	PhExplainUnit *units;
	bool is_same = true;

	for (uint32_t run = 0; run < source->n; run++)
	{
		PH_TRY(number_units(source, run, &n));
		is_same = is_same && (run == 0 || (n == least && has_same_units(source, run)));
		least = n;
	}
	source->cube.n_units = is_same ? least : 1;
	PH_TRY(PH_NEW(source->arena, source->cube.n_units, &units));
	for (uint32_t c = source->profiles[0]->n_columns; is_same && c-- > 0;)
		units[source->unit_of[0][c]] = (PhExplainUnit){source->profiles[0]->columns[c].rank,
													   source->profiles[0]->columns[c].thread, ""};
	if (!is_same)
		units[0] = (PhExplainUnit){-1, -1, ""};
	source->cube.units = units;
	return PH_OK;
}

/* Hosts of the runs after, where they agree. */
static PhStatus
name_hosts(Source *source)
{
	PhExplainUnit *units = (PhExplainUnit *) source->cube.units;
	bool *is_known;

	PH_TRY(PH_NEW(source->arena, source->cube.n_units, &is_known));
	for (uint32_t run = 0; source->cube.n_units > 1 && run < source->n; run++)
		for (uint32_t c = 0; source->is_after[run] && c < source->profiles[run]->n_columns; c++)
		{
			const char *host =
				ph_profile_string(source->profiles[run], source->profiles[run]->columns[c].host);
			PhExplainUnit *unit = &units[source->unit_of[run][c]];
			char *copy;

			if (is_known[unit - units] && strcmp(unit->host, host) != 0)
				host = "";
			if (is_known[unit - units] && strcmp(unit->host, host) == 0)
				continue;
			PH_TRY(ph_arena_strndup(source->arena, host, strlen(host), &copy));
			unit->host = copy;
			is_known[unit - units] = true;
		}
	return PH_OK;
}

/* The iterations of the first unit of the first run that has some, ascending; all must have them.
 */
static PhStatus
make_steps(Source *source)
{
	const PhProfile *first = source->profiles[0];
	int64_t *steps;
	uint32_t n = 0;

	PH_TRY(PH_NEW(source->arena, first->n_columns, &steps));
	for (uint32_t c = 0; c < first->n_columns && source->unit_of[0][c] == 0; c++)
		if (first->columns[c].iteration != PH_NO_ITERATION)
			steps[n++] = first->columns[c].iteration;
	source->cube.n_steps = n <= PH_EXPLAIN_MOST_STEPS ? n : 0;
	source->cube.steps = steps;
	for (uint32_t run = 0; run < source->n; run++)
	{
		const PhProfile *profile = source->profiles[run];

		PH_TRY(PH_NEW(source->arena, profile->n_columns, &source->step_of[run]));
		for (uint32_t c = 0; c < profile->n_columns; c++)
		{
			uint32_t step = 0;

			while (step < source->cube.n_steps && steps[step] != profile->columns[c].iteration)
				step++;
			source->step_of[run][c] = step < source->cube.n_steps ? step : PH_NONE;
		}
	}
	return PH_OK;
}

/* ---- numbers ---- */

/* How the numbers of one run's columns are added to places. */
typedef struct Fill
{
	const Source *source;
	double *values; /* [run][node][place] */
	uint32_t n_places;
	bool by_step;
} Fill;

static double *
place_of(const Fill *fill, uint32_t run, uint32_t column, double *row)
{
	const Source *source = fill->source;
	uint32_t place = fill->by_step				 ? source->step_of[run][column]
					 : source->cube.n_units == 1 ? 0
												 : source->unit_of[run][column];

	return place == PH_NONE ? NULL : &row[place];
}

/* Inclusive costs of a kept node, and less of the kept node above it. */
static void
add_node(const Fill *fill, uint32_t run, uint32_t metric, uint32_t node, uint32_t own,
		 double factor)
{
	const PhProfile *profile = fill->source->profiles[run];
	size_t row = (size_t) run * fill->source->cube.n_nodes;
	uint32_t at = fill->source->kept[node], above = fill->source->cube.nodes[at].parent;
	PhRowWalk walk = ph_row_walk(profile, own);

	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t i = 0; i < span.n; i++)
		{
			double value = profile->metrics[metric].inclusive[span.cell + i] * factor;
			double *to =
				place_of(fill, run, span.first + i, fill->values + (row + at) * fill->n_places);

			if (to == NULL)
				continue;
			*to += value;
			if (above != PH_NONE)
				*place_of(fill, run, span.first + i,
						  fill->values + (row + above) * fill->n_places) -= value;
		}
}

/* What is left of differences by rounding is nothing. */
static void
clear_rounding(const Fill *fill, size_t cells)
{
	for (size_t i = 0; i < cells; i++)
		fill->values[i] = fmax(fill->values[i], 0);
}

/* What a run's values are multiplied by: to the first run's unit, and to a mean over units. */
static double
factor_of(const Source *source, const uint32_t *metrics, uint32_t run, bool is_mean)
{
	const PhProfile *profile = source->profiles[run], *first = source->profiles[0];
	uint32_t n_columns = profile->n_columns;
	double factor;

	if (!ph_unit_factor(ph_profile_string(profile, profile->metrics[metrics[run]].unit),
						ph_profile_string(first, first->metrics[metrics[0]].unit), &factor))
		factor = 1;
	return is_mean && n_columns > 0 ? factor / (source->unit_of[run][n_columns - 1] + 1) : factor;
}

/* One metric of all runs: metrics[run] is its index in that profile. */
static PhStatus
fill_values(const Source *source, const uint32_t *metrics, bool by_step, const double **out)
{
	uint32_t n_places = by_step ? source->cube.n_steps : source->cube.n_units;
	size_t cells = (size_t) source->n * source->cube.n_nodes * n_places;
	Fill fill = {source, NULL, n_places, by_step};

	PH_TRY(PH_NEW(source->arena, cells, &fill.values));
	for (uint32_t run = 0; run < source->n; run++)
	{
		double factor = factor_of(source, metrics, run, by_step || source->cube.n_units == 1);

		for (uint32_t node = 0; node < source->whole->n_nodes; node++)
		{
			uint32_t own = source->node_of[(size_t) run * source->whole->n_nodes + node];

			PH_TRY(ph_env_poll(source->arena->env));
			if (source->kept[node] != PH_NONE && own != PH_NONE)
				add_node(&fill, run, metrics[run], node, own, factor);
		}
	}
	clear_rounding(&fill, cells);
	*out = fill.values;
	return PH_OK;
}

static bool
contains(const char *name, const char *part)
{
	for (size_t length = strlen(part); strlen(name) >= length; name++)
		if (strncasecmp(name, part, length) == 0)
			return true;
	return false;
}

/* The metric that counts one kind of work, PH_NONE: the profile has none. */
static uint32_t
find_work(const PhProfile *profile, PhExplainWork work)
{
	static const char *const instructions[] = {"TOT_INS", "instructions", "INST_RETIRED"};

	if (work == PH_WORK_VISITS)
		return ph_profile_visits(profile);
	for (uint32_t metric = 1; metric < profile->n_metrics; metric++)
	{
		const char *name = ph_profile_string(profile, profile->metrics[metric].name);

		if (profile->metrics[metric].kind != PH_METRIC_FLOW)
			continue;
		if (work == PH_WORK_BYTES && contains(name, "bytes"))
			return metric;
		for (size_t i = 0; work == PH_WORK_INSTRUCTIONS && i < 3; i++)
			if (contains(name, instructions[i]))
				return metric;
	}
	return PH_NONE;
}

static PhStatus
fill_all(Source *source)
{
	uint32_t *metrics;

	PH_TRY(PH_NEW(source->arena, source->n, &metrics));
	PH_TRY(fill_values(source, metrics, false, &source->cube.time));
	if (source->cube.n_steps > 0)
		PH_TRY(fill_values(source, metrics, true, &source->cube.step_time));
	for (PhExplainWork work = 0; work < PH_WORK_COUNT; work++)
	{
		bool has_all = true;

		for (uint32_t run = 0; run < source->n; run++)
		{
			metrics[run] = find_work(source->profiles[run], work);
			has_all = has_all && metrics[run] != PH_NONE;
		}
		if (has_all)
			PH_TRY(fill_values(source, metrics, false, &source->cube.work[work]));
	}
	return PH_OK;
}

static PhStatus
check_profile(PhEnv *env, const PhProfile *profile)
{
	if (profile->n_metrics == 0 || profile->n_columns == 0)
		return ph_fail_hint(env, PH_ERR_VALUE, "Select a metric of time.",
							"a profile to explain has no metrics, or no columns");
	if (profile->metrics[0].kind == PH_METRIC_FLOW)
		return PH_OK;
	return ph_fail_hint(env, PH_ERR_VALUE, "Select a metric of time first.",
						"metric \"%s\" does not add up over call paths",
						ph_profile_string(profile, profile->metrics[0].name));
}

static PhStatus
join_trees(Source *source)
{
	const char **labels;

	for (uint32_t run = 0; run < source->n; run++)
		PH_TRY(check_profile(source->arena->env, source->profiles[run]));
	PH_TRY(PH_NEW(source->arena, source->n, &labels));
	for (uint32_t run = 0; run < source->n; run++)
		labels[run] = "";
	return ph_profile_ensemble(source->arena->env, source->n, source->profiles, labels,
							   &source->whole);
}

static PhStatus
make_cube(Source *source)
{
	PH_TRY(PH_NEW(source->arena, source->n, &source->unit_of));
	PH_TRY(PH_NEW(source->arena, source->n, &source->step_of));
	PH_TRY(make_units(source));
	PH_TRY(name_hosts(source));
	PH_TRY(make_steps(source));
	PH_TRY(choose_nodes(source));
	PH_TRY(make_nodes(source));
	PH_TRY(pair_nodes(source));
	return fill_all(source);
}

PhStatus
ph_explain_cube(PhArena *arena, uint32_t n, const PhProfile *const *profiles, const bool *is_after,
				PhExplainCube *out)
{
	Source source = {.arena = arena, .n = n, .profiles = profiles, .is_after = is_after};
	PhStatus status;

	source.cube.n_runs = n;
	source.cube.is_after = is_after;
	if (n == 0)
		return ph_fail(arena->env, PH_ERR_VALUE, "no runs to explain");
	PH_TRY(join_trees(&source));
	status = make_cube(&source);
	ph_profile_free(arena->env, source.whole);
	PH_TRY(status);
	*out = source.cube;
	return PH_OK;
}
