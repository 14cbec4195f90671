/*
 * explain.c - see explain.h: searches iterations, units and whole runs, in this order.
 *
 * What is found is taken out of the numbers before the next search. Iterations come first, since a
 * bad one is a slower run, too; units next, since the others wait for slow ones, and that waiting
 * is no cause: afterwards communication is judged by what the unit has that waits least.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/explain.h"

#include <math.h>
#include <string.h>

#include "base/select.h"
#include "base/sort.h"
#include "base/vector.h"
#include "explain/axis.h"
#include "explain/cause.h"
#include "explain/joining.h"
#include "explain/parting.h"
#include "explain/search.h"
#include "explain/waiting.h"

/* Scores from which on a change is a finding: measured with bench/causes on pairs without a change,
 * noise with long tails that depends on the run before included. */
#define LEAST_SCORE 5.0
#define LEAST_PACE_SCORE 12.0
#define SURE_SCORE 8.0
#define SURE_RUNS 3

/* An effect must be as large as this share of the noise of a whole run, of five runs a side. */
#define LEAST_OF_NOISE 1.0
#define USUAL_RUNS 0.4 /* 1 / 5 + 1 / 5 */

/* Of the units by their time in a call that communicates: those that hardly wait. Arbitrary. */
#define TRANSFER_QUANTILE 0.0

#define MOST_FINDINGS 8
#define LEAST_STEPS 4 /* fewer iterations cannot stand out among others */

typedef struct Explaining
{
	PhArena *arena;
	const PhExplainCube *cube;
	const bool *is_after; /* by run, so that "after" is the slower side */
	bool is_faster;		  /* sides were swapped for that */
	double before;		  /* time of a run */
	double change;		  /* of that, from side A to side B */
	double least;		  /* effect of a finding */
	double *pace;		  /* by run */
	bool *is_there;		  /* [node][unit]: entered it in some run, as not all threads call MPI */
	bool *is_slow;		  /* by unit: others wait for it */
	uint32_t n_slow;
	PhHosts hosts;
	double
		*explained;	 /* by node: own time of the whole run that iterations explain, and what ... */
	double *delayed; /* ... of it was no work: of what is counted nothing belongs to it */
	PH_VECTOR(PhFinding) findings;
} Explaining;

/* Call paths that are searched together. */
typedef struct Class
{
	PhExplainKind kind;
	PhExplainPeriod part;
} Class;
/* A slow processor slows down what it computes. */
static double
pace_of(const Explaining *explaining, uint32_t run, uint32_t node)
{
	return explaining->cube->nodes[node].kind == PH_EXPLAIN_WORK ? explaining->pace[run] : 1;
}

static bool
is_of_class(const PhExplainNode *node, const Class *class)
{
	return node->kind == class->kind && node->part == class->part;
}

static bool
has_class(const PhExplainCube *cube, const Class *class)
{
	for (uint32_t node = 0; node < cube->n_nodes; node++)
		if (is_of_class(&cube->nodes[node], class))
			return true;
	return false;
}

/* ---- the whole ---- */

static double
unit_time(const PhExplainCube *cube, uint32_t run, uint32_t unit)
{
	double sum = 0;

	for (uint32_t node = 0; node < cube->n_nodes; node++)
		sum += cube->time[ph_explain_cell(cube, run, node, unit)];
	return sum;
}

/* Means over units, as everything else in the warehouse judges runs by. */
static void
measure_means(const PhExplainCube *cube, double *totals)
{
	for (uint32_t run = 0; run < cube->n_runs; run++)
	{
		double sum = 0;

		for (uint32_t unit = 0; unit < cube->n_units; unit++)
			sum += unit_time(cube, run, unit);
		totals[run] = sum / cube->n_units;
	}
}

/* How long runs took: of each rank the longest thread, for threads that are idle record nothing. */
static void
measure_runs(const PhExplainCube *cube, double *totals)
{
	for (uint32_t run = 0; run < cube->n_runs; run++)
	{
		double sum = 0, longest = 0;
		uint32_t n_ranks = 0;

		for (uint32_t unit = 0; unit < cube->n_units; unit++)
		{
			bool is_last = unit + 1 == cube->n_units || cube->units[unit].rank < 0 ||
						   cube->units[unit + 1].rank != cube->units[unit].rank;

			longest = fmax(longest, unit_time(cube, run, unit));
			sum += is_last ? longest : 0;
			longest = is_last ? 0 : longest;
			n_ranks += is_last;
		}
		totals[run] = sum / n_ranks;
	}
}

static void
part_sides(const PhExplainCube *cube, const double *totals, double *sides[2], uint32_t n[2])
{
	n[0] = n[1] = 0;
	for (uint32_t run = 0; run < cube->n_runs; run++)
	{
		int side = cube->is_after[run];

		sides[side][n[side]++] = totals[run];
	}
}

/*
 * Scatter of runs about the median of their side as a share of it, with what is known of others of
 * their condition; NaN: single runs, and nothing known.
 */
static double
noise_of(const double *const sides[2], const uint32_t n[2], const double medians[2],
		 const PhKnownSpread *known)
{
	double degrees = known->degrees + n[0] + n[1] - 2.0;
	double squares = known->degrees * known->spread * known->spread;

	if (n[0] + n[1] < 3 && !ph_explain_is_known(known))
		return NAN;
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 0; i < n[side]; i++)
		{
			double off = sides[side][i] / medians[side] - 1;

			squares += off * off;
		}
	return sqrt(squares / degrees);
}

/* The verdict on the whole, by means over units. */
static void
judge_means(const PhExplainCube *cube, double *sides[2], const uint32_t n[2], double margin,
			PhRepeatTest *out)
{
	PhRepeatRule rule = {.margin = margin,
						 .pools = true,
						 .known_spread = cube->known.spread,
						 .known_degrees = cube->known.degrees};

	ph_repeat_test_by(sides[0], n[0], sides[1], n[1], &rule, out);
}

/* Both sides' totals: the verdict, the change, and how large an effect must be. */
static PhStatus
judge_whole(Explaining *explaining, double margin, PhExplained *out)
{
	const PhExplainCube *cube = explaining->cube;
	double *totals, *sides[2], medians[2];
	uint32_t n[2];

	PH_TRY(PH_NEW(explaining->arena, cube->n_runs, &totals));
	PH_TRY(PH_NEW(explaining->arena, cube->n_runs, &sides[0]));
	PH_TRY(PH_NEW(explaining->arena, cube->n_runs, &sides[1]));
	measure_means(cube, totals);
	part_sides(cube, totals, sides, n);
	judge_means(cube, sides, n, margin, &out->total);
	measure_runs(cube, totals);
	part_sides(cube, totals, sides, n);
	for (int side = 0; side < 2; side++)
		medians[side] = ph_explain_median(sides[side], n[side]);
	out->noise = noise_of((const double *const *) sides, n, medians, &cube->known);
	explaining->before = medians[0];
	explaining->least = PH_EXPLAIN_LEAST_SHARE * medians[0];
	if (!isnan(out->noise))
		explaining->least =
			fmax(explaining->least, LEAST_OF_NOISE * out->noise * medians[0] *
										sqrt((1.0 / n[0] + 1.0 / n[1]) / USUAL_RUNS));
	explaining->change = medians[1] - medians[0];
	return PH_OK;
}

/* ---- findings ---- */

/* What is known is known of whole runs: of single units and iterations these runs must tell it. */
static PhConfidence
confidence_of_few(const Explaining *explaining, bool is_whole)
{
	const PhExplainCube *cube = explaining->cube;
	bool is_told = is_whole || cube->n_runs >= PH_MIN_KNOWN_DEGREES + 2;

	return is_told && ph_explain_is_known(&cube->known) ? PH_CONFIDENCE_MEDIUM : PH_CONFIDENCE_LOW;
}

static PhConfidence
confidence_of(const Explaining *explaining, double score, bool is_whole)
{
	uint32_t n_after = 0;

	for (uint32_t run = 0; run < explaining->cube->n_runs; run++)
		n_after += explaining->is_after[run];
	if (n_after < SURE_RUNS || explaining->cube->n_runs - n_after < SURE_RUNS)
		return confidence_of_few(explaining, is_whole);
	return score >= SURE_SCORE ? PH_CONFIDENCE_HIGH : PH_CONFIDENCE_MEDIUM;
}

static PhStatus
list_places(Explaining *explaining, const PhExplainCandidate *candidate, uint32_t n_places,
			PhFinding *finding)
{
	PH_TRY(PH_NEW(explaining->arena, candidate->n_in, &finding->places));
	for (uint32_t place = 0; place < n_places; place++)
		if (candidate->is_in[place])
			finding->places[finding->n_places++] = place;
	return PH_OK;
}

static PhShape
shape_of(PhExplainPeriod part, PhShape shape)
{
	switch (part)
	{
		case PH_EXPLAIN_START_UP:
			return PH_SHAPE_START_UP;
		case PH_EXPLAIN_SHUT_DOWN:
			return PH_SHAPE_SHUT_DOWN;
		default:
			return shape;
	}
}

/* By what factor the other iterations took longer in the call path, as all do of a bigger input. */
static PhStatus
growth_of_others(PhArena *arena, const PhExplainAxis *axis, const PhExplainCandidate *candidate,
				 double *out)
{
	size_t at = (size_t) candidate->node * axis->n_places;
	double *growths;
	uint32_t n = 0;

	PH_TRY(PH_NEW(arena, axis->n_places, &growths));
	for (uint32_t place = 0; place < axis->n_places; place++)
		if (!candidate->is_in[place] && axis->before[at + place] > 0)
			growths[n++] = 1 + axis->change[at + place] / axis->before[at + place];
	*out = ph_explain_median(growths, n);
	return PH_OK;
}

static PhStatus
add_finding(Explaining *explaining, PhShape shape, const PhExplainCandidate *candidate,
			const Class *class, const PhExplainAxis *axis)
{
	bool is_units = shape == PH_SHAPE_SOME_UNITS;
	uint32_t n_places = axis == NULL ? 1 : axis->n_places;
	PhGrowth growth = {class->kind, candidate->effect * explaining->cube->n_units, NULL, 0};
	PhFinding finding = {.shape = shape_of(class->part, shape),
						 .node = candidate->node,
						 .effect = candidate->effect,
						 .score = candidate->score,
						 .confidence = confidence_of(explaining, candidate->score, n_places == 1)};

	if (n_places > 1)
		PH_TRY(list_places(explaining, candidate, n_places, &finding));
	if (is_units)
	{
		PH_TRY(ph_units_shared(explaining->arena, &explaining->hosts, candidate->is_in,
							   &finding.shared));
		growth =
			(PhGrowth){class->kind, candidate->contrast * candidate->n_in, candidate->is_in, 0};
	}
	if (shape == PH_SHAPE_SOME_ITERATIONS)
		PH_TRY(growth_of_others(explaining->arena, axis, candidate, &growth.usual));
	PH_TRY(ph_explain_cause(explaining->arena, explaining->cube, explaining->is_after, &growth,
							&finding));
	if (explaining->is_faster)
	{
		finding.effect = -finding.effect;
		finding.work = 1 / finding.work;
	}
	finding.share = finding.effect / explaining->before;
	PH_TRY(PH_ROOM(explaining->arena, &explaining->findings));
	explaining->findings.items[explaining->findings.count++] = finding;
	return PH_OK;
}

/* ---- iterations and units ---- */

static void
note_slow_units(Explaining *explaining, const PhExplainCandidate *candidate)
{
	for (uint32_t unit = 0; unit < explaining->cube->n_units; unit++)
	{
		explaining->n_slow += candidate->is_in[unit] && !explaining->is_slow[unit];
		explaining->is_slow[unit] = explaining->is_slow[unit] || candidate->is_in[unit];
	}
}

static void
note_iterations(Explaining *explaining, const PhExplainCandidate *candidate, const double *parts)
{
	const PhFinding *finding = &explaining->findings.items[explaining->findings.count - 1];

	for (uint32_t node = 0; node < explaining->cube->n_nodes; node++)
	{
		explaining->explained[node] += parts[node] * candidate->n_in;
		if (finding->cause != PH_CAUSE_MORE_WORK)
			explaining->delayed[node] += parts[node] * candidate->n_in;
	}
}

static PhStatus
search_places(Explaining *explaining, PhExplainAxis *axis, PhShape shape, const Class *class)
{
	PhSearch search = {axis, shape == PH_SHAPE_SOME_ITERATIONS, explaining->least, LEAST_SCORE,
					   shape == PH_SHAPE_SOME_UNITS ? &explaining->hosts : NULL};

	for (uint32_t round = 0; round < MOST_FINDINGS; round++)
	{
		PhExplainCandidate found;
		double *parts;

		PH_TRY(ph_axis_measure(explaining->arena, axis));
		PH_TRY(ph_search_axis(explaining->arena, &search, &found));
		if (found.node == PH_NONE)
			return PH_OK;
		if (search.hosts != NULL)
			PH_TRY(ph_candidate_part(explaining->arena, &search, explaining->cube, class->kind,
									 &found));
		PH_TRY(ph_candidate_parts(explaining->arena, axis, &found, &parts));
		PH_TRY(add_finding(explaining, shape, &found, class, axis));
		ph_candidate_take_out(axis, &found, parts);
		if (search.hosts != NULL)
			note_slow_units(explaining, &found);
		if (search.adds_up)
			note_iterations(explaining, &found, parts);
	}
	return PH_OK;
}

/* Whatever slows down the whole run is in all iterations, which are compared with each other. */
static PhStatus
search_iterations(Explaining *explaining, const Class *class)
{
	const PhExplainCube *cube = explaining->cube;
	PhExplainAxis axis;

	if (cube->n_steps < LEAST_STEPS || cube->step_time == NULL)
		return PH_OK;
	PH_TRY(ph_axis_new(explaining->arena, cube, explaining->is_after, cube->n_steps, &axis));
	for (uint32_t run = 0; run < cube->n_runs; run++)
		for (uint32_t node = 0; node < cube->n_nodes; node++)
		{
			double *own = ph_axis_own(&axis, run, node);
			const double *from =
				cube->step_time + ((size_t) run * cube->n_nodes + node) * cube->n_steps;

			for (uint32_t step = 0; is_of_class(&cube->nodes[node], class) && step < cube->n_steps;
				 step++)
				own[step] = from[step];
		}
	return search_places(explaining, &axis, PH_SHAPE_SOME_ITERATIONS, class);
}

/* Waits are left out: they are where the others are. */
static PhStatus
search_units(Explaining *explaining, const Class *class)
{
	const PhExplainCube *cube = explaining->cube;
	PhExplainAxis axis;

	if (cube->n_units < 2 || ph_explain_may_wait(class->kind))
		return PH_OK;
	PH_TRY(ph_axis_new(explaining->arena, cube, explaining->is_after, cube->n_units, &axis));
	for (uint32_t run = 0; run < cube->n_runs; run++)
		for (uint32_t node = 0; node < cube->n_nodes; node++)
		{
			double *own = ph_axis_own(&axis, run, node);
			const double *from = cube->time + ph_explain_cell(cube, run, node, 0);

			for (uint32_t unit = 0; is_of_class(&cube->nodes[node], class) && unit < cube->n_units;
				 unit++)
				own[unit] = from[unit] / pace_of(explaining, run, node);
		}
	return search_places(explaining, &axis, PH_SHAPE_SOME_UNITS, class);
}

/* ---- the whole run ---- */

static PhStatus
find_units_there(Explaining *explaining)
{
	const PhExplainCube *cube = explaining->cube;
	size_t cells = (size_t) cube->n_nodes * cube->n_units;

	PH_TRY(PH_NEW(explaining->arena, cells, &explaining->is_there));
	for (uint32_t run = 0; run < cube->n_runs; run++)
		for (size_t i = 0; i < cells; i++)
			explaining->is_there[i] = explaining->is_there[i] || cube->time[run * cells + i] != 0;
	return PH_OK;
}

/*
 * Work of units that are not slow for reasons of their own; waits of those nobody waits for. What
 * the unit has that is the shortest in a call that communicates, whoever that is in this run, is
 * transfer rather than waiting: who is slow now may have waited before.
 */
static double
middle_unit(const Explaining *explaining, uint32_t run, uint32_t node, double *room)
{
	const PhExplainCube *cube = explaining->cube;
	const double *from = cube->time + ph_explain_cell(cube, run, node, 0);
	PhExplainKind kind = cube->nodes[node].kind;
	const bool *is_there = explaining->is_there + (size_t) node * cube->n_units;
	bool all = kind == PH_EXPLAIN_COMMUNICATION;
	bool wanted = explaining->n_slow > 0 && ph_explain_may_wait(kind);
	uint32_t n = 0;

	for (uint32_t unit = 0; unit < cube->n_units; unit++)
		if (is_there[unit] && (all || explaining->is_slow[unit] == wanted))
			room[n++] = from[unit];
	if (n == 0)
		return 0;
	return ph_quantile(room, n, kind == PH_EXPLAIN_COMMUNICATION ? TRANSFER_QUANTILE : 0.5);
}

static PhStatus
search_whole(Explaining *explaining, const Class *class)
{
	const PhExplainCube *cube = explaining->cube;
	PhExplainAxis axis;
	double *room;

	PH_TRY(PH_NEW(explaining->arena, cube->n_units, &room));
	PH_TRY(ph_axis_new(explaining->arena, cube, explaining->is_after, 1, &axis));
	for (uint32_t run = 0; run < cube->n_runs; run++)
		for (uint32_t node = 0; node < cube->n_nodes; node++)
		{
			double *own = ph_axis_own(&axis, run, node);

			PH_TRY(ph_env_poll(explaining->arena->env));
			if (!is_of_class(&cube->nodes[node], class))
				continue;
			own[0] = middle_unit(explaining, run, node, room);
			own[0] -= axis.is_after[run] ? explaining->explained[node] : 0;
			own[0] /= pace_of(explaining, run, node);
		}
	return search_places(explaining, &axis, PH_SHAPE_UNIFORM, class);
}

/* ---- the machine ---- */

/* The smallest subtree with nearly all of the work, which is where a slower machine is felt. */
static uint32_t
find_work(const PhExplainCube *cube, const double *work)
{
	uint32_t node = 0;

	for (uint32_t root = 0; root < cube->n_nodes; root = cube->nodes[root].subtree_end)
		if (work[root] > work[node])
			node = root;
	for (uint32_t child = node + 1; child < cube->nodes[node].subtree_end;)
	{
		if (work[child] >= 0.9 * work[node])
		{
			node = child;
			child = node + 1;
		}
		else
			child = cube->nodes[child].subtree_end;
	}
	return node;
}

/* Time of work in a run of side A, by subtree. */
static PhStatus
measure_work(const Explaining *explaining, double **out)
{
	const PhExplainCube *cube = explaining->cube;
	uint32_t n_before = 0;
	double *work;

	PH_TRY(PH_NEW(explaining->arena, cube->n_nodes, &work));
	for (uint32_t run = 0; run < cube->n_runs; run++)
		n_before += !explaining->is_after[run];
	for (uint32_t node = cube->n_nodes; node-- > 0;)
	{
		for (uint32_t run = 0; cube->nodes[node].kind == PH_EXPLAIN_WORK && run < cube->n_runs;
			 run++)
			for (uint32_t unit = 0; !explaining->is_after[run] && unit < cube->n_units; unit++)
				work[node] += cube->time[ph_explain_cell(cube, run, node, unit)] / n_before;
		if (cube->nodes[node].parent != PH_NONE)
			work[cube->nodes[node].parent] += work[node];
	}
	for (uint32_t node = 0; node < cube->n_nodes; node++)
		work[node] /= cube->n_units;
	*out = work;
	return PH_OK;
}

/* Median change of the logarithm of the pace over its standard error. */
static PhStatus
score_pace(Explaining *explaining, double *change, double *score)
{
	PhExplainCube one = *explaining->cube;
	PhExplainNode node = {"", PH_NONE, 1, PH_EXPLAIN_WORK, PH_EXPLAIN_MAIN_PART};
	PhExplainAxis axis;

	one.n_nodes = 1;
	one.nodes = &node;
	one.known = (PhKnownSpread){0, 0}; /* of times, not of logarithms of paces */
	PH_TRY(ph_axis_new(explaining->arena, &one, explaining->is_after, 1, &axis));
	for (uint32_t run = 0; run < one.n_runs; run++)
		axis.own[run] = log(explaining->pace[run]);
	PH_TRY(ph_axis_measure(explaining->arena, &axis));
	*change = axis.change[0];
	*score = axis.noise[0] > 0 ? axis.change[0] / axis.noise[0] : 0;
	return PH_OK;
}

/* All of the work takes longer by one factor. */
static PhStatus
judge_pace(Explaining *explaining)
{
	const Class work_class = {PH_EXPLAIN_WORK, PH_EXPLAIN_MAIN_PART};
	PhExplainCandidate all = {.n_in = 1};
	double *work, change, score;

	PH_TRY(score_pace(explaining, &change, &score));
	PH_TRY(measure_work(explaining, &work));
	all.node = find_work(explaining->cube, work);
	all.effect = all.contrast = work[all.node] * (exp(change) - 1);
	all.score = score;
	if (score < LEAST_PACE_SCORE || all.effect < explaining->least)
		return PH_OK;
	return add_finding(explaining, PH_SHAPE_UNIFORM, &all, &work_class, NULL);
}

/* ---- all of it ---- */

static int
compare_findings(const void *context, uint32_t x, uint32_t y)
{
	const PhFinding *findings = context;
	double a = fabs(findings[x].effect), b = fabs(findings[y].effect);

	if (a != b)
		return a > b ? -1 : 1;
	return (x > y) - (x < y);
}

/* Each class for itself: a cause seldom slows down two of them by as much. */
static PhStatus
search_classes(Explaining *explaining, PhStatus (*search)(Explaining *, const Class *))
{
	for (Class class = {0, 0}; class.kind <= PH_EXPLAIN_DEVICE; class.kind++)
		for (class.part = 0; class.part <= PH_EXPLAIN_SHUT_DOWN; class.part++)
			if (has_class(explaining->cube, &class))
				PH_TRY(search(explaining, &class));
	return PH_OK;
}

/* What makes the runs of one side longer than those of the other. */
static PhStatus
search_direction(Explaining *explaining, bool is_faster)
{
	const PhExplainCube *cube = explaining->cube;
	bool *is_after;

	PH_TRY(PH_NEW(explaining->arena, cube->n_runs, &is_after));
	for (uint32_t run = 0; run < cube->n_runs; run++)
		is_after[run] = cube->is_after[run] != is_faster;
	explaining->is_faster = is_faster;
	explaining->is_after = is_after;
	PH_TRY(PH_NEW(explaining->arena, cube->n_nodes, &explaining->explained));
	PH_TRY(PH_NEW(explaining->arena, cube->n_units, &explaining->is_slow));
	PH_TRY(PH_NEW(explaining->arena, cube->n_nodes, &explaining->delayed));
	PH_TRY(find_units_there(explaining));
	PH_TRY(search_classes(explaining, search_iterations));
	PH_TRY(
		ph_explain_pace(explaining->arena, cube, is_after, explaining->delayed, &explaining->pace));
	PH_TRY(search_classes(explaining, search_units));
	PH_TRY(search_classes(explaining, search_whole));
	PH_TRY(judge_pace(explaining));
	PH_TRY(ph_findings_join(explaining->arena, cube, is_after, explaining->findings.items,
							&explaining->findings.count));
	return ph_explain_limit_units(explaining->arena, cube, is_after, explaining->is_slow,
								  explaining->before, explaining->findings.items,
								  explaining->findings.count);
}

static PhStatus
append_findings(Explaining *explaining, const Explaining *other)
{
	for (uint32_t i = 0; i < other->findings.count; i++)
	{
		PH_TRY(PH_ROOM(explaining->arena, &explaining->findings));
		explaining->findings.items[explaining->findings.count++] = other->findings.items[i];
	}
	return PH_OK;
}

/* A whole that hardly changed has no direction: what became slower and what faster cancel out. */
static PhStatus
search_all(Explaining *explaining)
{
	Explaining other = *explaining;
	bool is_faster = explaining->change < 0;

	PH_TRY(search_direction(explaining, is_faster));
	if (fabs(explaining->change) >= explaining->least)
		return PH_OK;
	PH_TRY(search_direction(&other, !is_faster));
	return append_findings(explaining, &other);
}

static PhStatus
hand_over(const Explaining *explaining, PhExplained *out)
{
	uint32_t n = explaining->findings.count, *order;

	PH_TRY(ph_sort_indices(explaining->arena, n, compare_findings, explaining->findings.items,
						   &order));
	PH_TRY(PH_NEW(explaining->arena, n, &out->findings));
	for (uint32_t i = 0; i < n; i++)
		out->findings[i] = explaining->findings.items[order[i]];
	out->n_findings = n;
	return PH_OK;
}

PhStatus
ph_explain(PhArena *arena, const PhExplainCube *cube, double margin, PhExplained *out)
{
	Explaining explaining = {.arena = arena, .cube = cube};
	PhExplained result = {0};
	uint32_t n_after = 0;

	for (uint32_t run = 0; run < cube->n_runs; run++)
		n_after += cube->is_after[run];
	if (n_after == 0 || n_after == cube->n_runs || cube->n_nodes == 0 || cube->n_units == 0)
		return ph_fail(arena->env, PH_ERR_VALUE, "one of the sides has no runs to explain");
	PH_TRY(judge_whole(&explaining, margin, &result));
	if (!(explaining.before > 0))
		return ph_fail(arena->env, PH_ERR_VALUE, "the runs have no time to explain");
	PH_TRY(ph_hosts_find(arena, cube->units, cube->n_units, &explaining.hosts));
	PH_TRY(search_all(&explaining));
	PH_TRY(hand_over(&explaining, &result));
	*out = result;
	return PH_OK;
}
