/*
 * comparison.c - what one page says about two sets of runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "base/text.h"
#include "base/unit.h"
#include "profile/ops.h"
#include "reports/run_report.h"

static PhStatus check_metrics(PhEnv *env, const PhProfile *first, PhProfile *const *profiles,
							  uint32_t n);
static PhStatus take_totals(PhArena *arena, const PhProfile *first, PhProfile *const *profiles,
							uint32_t n, double **out);
static PhStatus make_difference(PhArena *arena, PhProfile *const *a, uint32_t n_a,
								PhProfile *const *b, uint32_t n_b, PhProfile **out);
static PhStatus fill(PhArena *arena, PhComparison *out);
static const char *verdict_of(const PhProfile *profile, PhVerdict verdict);

PhStatus
ph_compare(PhArena *arena, PhProfile *const *a, uint32_t n_a, PhProfile *const *b, uint32_t n_b,
		   const PhRepeatRule *rule, PhComparison *out)
{
	PhComparison result = {0};
	PhProfile *difference;
	PhStatus status;

	PH_TRY(check_metrics(arena->env, a[0], a, n_a));
	PH_TRY(check_metrics(arena->env, a[0], b, n_b));
	PH_TRY(take_totals(arena, a[0], a, n_a, &result.totals_a));
	PH_TRY(take_totals(arena, a[0], b, n_b, &result.totals_b));
	ph_repeat_test_by(result.totals_a, n_a, result.totals_b, n_b, rule, &result.test);
	result.metric = ph_profile_string(a[0], a[0]->metrics[0].name);
	result.unit = ph_profile_string(a[0], a[0]->metrics[0].unit);
	result.adds_up = a[0]->metrics[0].kind == PH_METRIC_FLOW;
	result.verdict = verdict_of(a[0], result.test.verdict);
	PH_TRY(make_difference(arena, a, n_a, b, n_b, &difference));
	result.difference = difference;
	status = fill(arena, &result);
	if (status == PH_OK)
		*out = result;
	else
		ph_profile_free(arena->env, difference);
	return status;
}

void
ph_comparison_free(PhEnv *env, PhComparison *comparison)
{
	ph_profile_free(env, (PhProfile *) comparison->difference);
	comparison->difference = NULL;
}

static const char *
unit_of(const PhProfile *profile)
{
	return ph_profile_string(profile, profile->metrics[0].unit);
}

static int64_t
run_of(const PhProfile *profile)
{
	return profile->provenance.n_sources > 0 ? profile->provenance.sources[0].run_id : 0;
}

/*
 * More time is slower, and so is more of a cost in an unknown unit. Of other amounts, and of ratios
 * such as instructions per cycle, more can be better.
 */
static const char *
verdict_of(const PhProfile *profile, PhVerdict verdict)
{
	PhUnitMeaning meaning;
	bool is_known = ph_unit_meaning(unit_of(profile), &meaning);
	bool is_cost = profile->metrics[0].kind == PH_METRIC_FLOW &&
				   (!is_known || strcmp(meaning.dimension, "time") == 0);

	if (is_cost || verdict == PH_VERDICT_UNKNOWN || verdict == PH_VERDICT_SAME)
		return ph_verdict_name(verdict);
	return verdict == PH_VERDICT_SLOWER ? "higher" : "lower";
}

/* One name, two units that cannot be converted. */
static PhStatus
refuse_units(PhEnv *env, const char *name, const PhProfile *a, const PhProfile *b)
{
	PhUnitMeaning meaning;
	bool known_a = ph_unit_meaning(unit_of(a), &meaning);
	bool known_b = ph_unit_meaning(unit_of(b), &meaning);

	if (known_a && known_b)
		return ph_fail_hint(env, PH_ERR_CONFLICT,
							"Compare another metric with --metric; perfhouse show RUN lists them.",
							"metric \"%.*s\" is in \"%s\" in run %" PRId64
							" and in \"%s\" in run %" PRId64 ", which is another dimension",
							ph_text_fit(name, 100), name, unit_of(a), run_of(a), unit_of(b),
							run_of(b));
	return ph_fail_hint(env, PH_ERR_CONFLICT,
						"SQL can name the unit that its numbers have: SELECT * FROM nodes_diff("
						"diff(with_unit(profile(A, 'M'), 'M', 's'), with_unit(profile(B, 'M'), "
						"'M', 's'))).",
						"metric \"%.*s\" is in \"%s\" in run %" PRId64 " and in \"%s\" in run "
						"%" PRId64 ", and not both are known units",
						ph_text_fit(name, 100), name, unit_of(a), run_of(a), unit_of(b), run_of(b));
}

static PhStatus
check_metrics(PhEnv *env, const PhProfile *first, PhProfile *const *profiles, uint32_t n)
{
	const char *wanted = ph_profile_string(first, first->metrics[0].name);
	double factor;

	for (uint32_t i = 0; i < n; i++)
	{
		const char *name = ph_profile_string(profiles[i], profiles[i]->metrics[0].name);

		if (strcmp(wanted, name) != 0)
			return ph_fail_hint(env, PH_ERR_CONFLICT, "Name a metric that all of them have.",
								"the runs have different metrics: %s (%s) and %s (%s)", wanted,
								unit_of(first), name, unit_of(profiles[i]));
		if (!ph_unit_factor(unit_of(profiles[i]), unit_of(first), &factor))
			return refuse_units(env, name, first, profiles[i]);
	}
	return PH_OK;
}

/* In the unit that the first profile has them in. */
static PhStatus
take_totals(PhArena *arena, const PhProfile *first, PhProfile *const *profiles, uint32_t n,
			double **out)
{
	double factor;

	PH_TRY(PH_NEW(arena, n, out));
	for (uint32_t i = 0; i < n; i++)
	{
		(*out)[i] = ph_profile_total(profiles[i], 0);
		if (ph_unit_factor(unit_of(profiles[i]), unit_of(first), &factor))
			(*out)[i] *= factor;
	}
	return PH_OK;
}

/* The runs of one side as an ensemble: the mean over its columns is the mean over runs. */
static PhStatus
make_side(PhArena *arena, PhProfile *const *profiles, uint32_t n, PhProfile **out)
{
	const char **labels;

	PH_TRY(PH_NEW(arena, n, &labels));
	for (uint32_t i = 0; i < n; i++)
		labels[i] = "";
	return ph_profile_ensemble(arena->env, n, (const PhProfile *const *) profiles, labels, out);
}

static PhStatus
make_difference(PhArena *arena, PhProfile *const *a, uint32_t n_a, PhProfile *const *b,
				uint32_t n_b, PhProfile **out)
{
	PhProfile *before = NULL;
	PhProfile *after = NULL;
	PhStatus status = make_side(arena, a, n_a, &before);

	if (status == PH_OK)
		status = make_side(arena, b, n_b, &after);
	if (status == PH_OK)
		status = ph_profile_diff(arena->env, before, after, out);
	ph_profile_free(arena->env, before);
	ph_profile_free(arena->env, after);
	return status;
}

/* Share of the outermost MPI nodes in the total; NaN when there are none, and of ratios. */
static double
mpi_share(const PhProfile *profile)
{
	double total = ph_profile_total(profile, 0);
	bool adds_up = profile->metrics[0].kind == PH_METRIC_FLOW;
	double mpi = 0;
	uint32_t end = 0;
	bool has_mpi = false;

	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		if (node < end || !ph_is_mpi(profile, node))
			continue;
		end = profile->subtree_end[node];
		has_mpi = true;
		mpi += ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE);
	}
	return has_mpi && adds_up && total > 0 ? mpi / total : NAN;
}

static int
compare_changes(const void *x, const void *y)
{
	const PhFunctionChange *a = x;
	const PhFunctionChange *b = y;
	double change_a = fabs(a->after - a->before);
	double change_b = fabs(b->after - b->before);

	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

typedef struct NodeCost
{
	const char *name;
	double before, after;
} NodeCost;

static int
compare_names(const void *x, const void *y)
{
	return strcmp(((const NodeCost *) x)->name, ((const NodeCost *) y)->name);
}

/* Own costs by function name, the largest changes first. The operands share the diff's tree. */
static PhStatus
rank_functions(PhArena *arena, PhComparison *out)
{
	const PhProfile *difference = out->difference;
	NodeCost *costs;
	PhFunctionChange *changes;
	uint32_t n = 0;

	PH_TRY(PH_NEW(arena, difference->n_nodes, &costs));
	PH_TRY(PH_NEW(arena, difference->n_nodes, &changes));
	for (uint32_t node = 0; node < difference->n_nodes; node++)
		costs[node] = (NodeCost){ph_profile_node_name(difference, node),
								 ph_profile_mean(difference->before, 0, node, PH_COST_OWN),
								 ph_profile_mean(difference->after, 0, node, PH_COST_OWN)};
	qsort(costs, difference->n_nodes, sizeof(*costs), compare_names);
	for (uint32_t i = 0; i < difference->n_nodes; i++)
	{
		if (i == 0 || strcmp(costs[i].name, costs[i - 1].name) != 0)
			changes[n++] = (PhFunctionChange){.name = costs[i].name};
		changes[n - 1].before += costs[i].before;
		changes[n - 1].after += costs[i].after;
	}
	qsort(changes, n, sizeof(*changes), compare_changes);
	out->n_functions = PH_MIN(n, PH_COMPARE_ROWS);
	memcpy(out->functions, changes, out->n_functions * sizeof(*changes));
	return PH_OK;
}

static PhStatus
fill(PhArena *arena, PhComparison *out)
{
	const PhProfile *difference = out->difference;

	for (uint32_t node = 0; node < difference->n_nodes; node++)
	{
		out->n_only_before += difference->diff_status[node] == PH_DIFF_ONLY_BEFORE;
		out->n_only_after += difference->diff_status[node] == PH_DIFF_ONLY_AFTER;
	}
	out->mpi_before = out->mpi_after = NAN;
	if (!out->adds_up)
		return PH_OK;
	out->mpi_before = mpi_share(difference->before);
	out->mpi_after = mpi_share(difference->after);
	return rank_functions(arena, out);
}
