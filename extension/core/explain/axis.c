/*
 * axis.c - see axis.h.
 *
 * Medians over runs, because single runs stray far. Noise is the scatter of runs about the median
 * of their side, which a change between the sides does not touch. Of a whole run there are few
 * numbers a call path: its scatter is drawn towards what call paths scatter usually.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/axis.h"

#include <math.h>
#include <string.h>

#include "base/select.h"

/* Variance of a median of few values as a multiple of that of a mean (1.43 of five normal ones). */
#define MEDIAN_VARIANCE 1.43

/* A run's standard deviation where no side has two runs and nothing is known of others: arbitrary,
 * findings are of low confidence then. Single units are taken to scatter as much at least, for what
 * is known is known of means over units. */
#define ASSUMED_NOISE 0.05

/* How many runs the usual scatter of call paths counts for. */
#define USUAL_WEIGHT 4.0

double
ph_explain_median(double *values, uint32_t n)
{
	return n == 0 ? 0 : ph_quantile(values, n, 0.5);
}

/* Of each call path what is known of it, else of the whole. */
static PhStatus
note_known(PhArena *arena, const PhExplainCube *cube, uint32_t n_places, const double **out)
{
	double *known;

	if (!ph_explain_is_known(&cube->known))
		return PH_OK;
	PH_TRY(PH_NEW(arena, cube->n_nodes, &known));
	for (uint32_t node = 0; node < cube->n_nodes; node++)
	{
		bool has_own = cube->known_of != NULL && cube->known_of[node] > 0;

		known[node] = has_own ? cube->known_of[node] : cube->known.spread;
		if (n_places > 1)
			known[node] = fmax(known[node], ASSUMED_NOISE);
	}
	*out = known;
	return PH_OK;
}

PhStatus
ph_axis_new(PhArena *arena, const PhExplainCube *cube, const bool *is_after, uint32_t n_places,
			PhExplainAxis *out)
{
	PhExplainAxis axis = {.nodes = cube->nodes,
						  .is_after = is_after,
						  .n_runs = cube->n_runs,
						  .n_nodes = cube->n_nodes,
						  .n_places = n_places};
	size_t cells;

	for (uint32_t run = 0; run < cube->n_runs; run++)
		axis.n_after += is_after[run];
	axis.n_before = cube->n_runs - axis.n_after;
	if (__builtin_mul_overflow((size_t) cube->n_nodes, (size_t) n_places, &cells) ||
		__builtin_mul_overflow(cells, (size_t) cube->n_runs, &cells))
		return ph_fail(arena->env, PH_ERR_LIMIT, "too many numbers to explain");
	PH_TRY(PH_NEW(arena, cells, &axis.own));
	PH_TRY(PH_NEW(arena, cells, &axis.sum));
	cells /= cube->n_runs;
	PH_TRY(PH_NEW(arena, cells, &axis.before));
	PH_TRY(PH_NEW(arena, cells, &axis.change));
	PH_TRY(PH_NEW(arena, cells, &axis.own_before));
	PH_TRY(PH_NEW(arena, cells, &axis.own_change));
	PH_TRY(PH_NEW(arena, cube->n_nodes, &axis.noise));
	PH_TRY(PH_NEW(arena, cube->n_nodes, &axis.own_noise));
	PH_TRY(note_known(arena, cube, n_places, &axis.known));
	*out = axis;
	return PH_OK;
}

/* Children stand behind their parents, so the last nodes are added first. */
static void
add_up_subtrees(PhExplainAxis *axis)
{
	size_t run_cells = (size_t) axis->n_nodes * axis->n_places;

	memcpy(axis->sum, axis->own, axis->n_runs * run_cells * sizeof(*axis->sum));
	for (uint32_t run = 0; run < axis->n_runs; run++)
		for (uint32_t node = axis->n_nodes; node-- > 0;)
		{
			double *from = axis->sum + run * run_cells + (size_t) node * axis->n_places;
			double *to;

			if (axis->nodes[node].parent == PH_NONE)
				continue;
			to = axis->sum + run * run_cells + (size_t) axis->nodes[node].parent * axis->n_places;
			for (uint32_t place = 0; place < axis->n_places; place++)
				to[place] += from[place];
		}
}

/* Medians of both sides of values[run * stride], and the sum of squares about them. */
static double
measure_cell(const PhExplainAxis *axis, const double *values, size_t stride, double *sides[2],
			 double medians[2])
{
	uint32_t n[2] = {0, 0};
	double squares = 0;

	for (uint32_t run = 0; run < axis->n_runs; run++)
	{
		uint32_t side = axis->is_after[run];

		sides[side][n[side]++] = values[run * stride];
	}
	for (int side = 0; side < 2; side++)
	{
		medians[side] = ph_explain_median(sides[side], n[side]);
		for (uint32_t i = 0; i < n[side]; i++)
			squares += (sides[side][i] - medians[side]) * (sides[side][i] - medians[side]);
	}
	return squares;
}

/*
 * Variance of single runs at one place, of the squares and levels of a node's n_places cells. What
 * is known makes up for the degrees of freedom that few runs lack.
 */
static double
variance_of(const PhExplainAxis *axis, uint32_t node, const double *levels, double squares)
{
	double degrees = axis->n_runs - 2, lacking = PH_MIN_KNOWN_DEGREES - degrees, level = 0, usual;

	if (degrees > 0 && (axis->known == NULL || lacking <= 0))
		return squares / (axis->n_places * degrees);
	for (uint32_t place = 0; place < axis->n_places; place++)
		level += levels[place] / axis->n_places;
	usual = level * (axis->known != NULL ? axis->known[node] : ASSUMED_NOISE);
	return (squares / axis->n_places + lacking * usual * usual) / PH_MIN_KNOWN_DEGREES;
}

/* Standard error of a change at one place. */
static double
error_of(const PhExplainAxis *axis, uint32_t node, const double *levels, double squares)
{
	double counts = MEDIAN_VARIANCE * (1.0 / axis->n_before + 1.0 / axis->n_after);

	return sqrt(variance_of(axis, node, levels, squares) * counts);
}

/* What call paths scatter as a share of their level: the median over those with a level. */
static PhStatus
usual_share(PhArena *arena, const PhExplainAxis *axis, double *out)
{
	double *shares;
	uint32_t n = 0;

	PH_TRY(PH_NEW(arena, axis->n_nodes, &shares));
	for (uint32_t node = 0; node < axis->n_nodes; node++)
		if (axis->before[node] > 0)
			shares[n++] = axis->noise[node] / axis->before[node];
	*out = ph_explain_median(shares, n);
	return PH_OK;
}

/* Of one place: towards the usual share of each call path, which are taken to be independent. */
static PhStatus
draw_to_usual(PhArena *arena, PhExplainAxis *axis)
{
	double weight = (axis->n_runs - 2) / (axis->n_runs - 2 + USUAL_WEIGHT);
	double share;

	PH_TRY(usual_share(arena, axis, &share));
	for (uint32_t node = 0; node < axis->n_nodes; node++)
	{
		double squares = 0;

		for (uint32_t below = node; below < axis->nodes[node].subtree_end; below++)
			squares += share * share * axis->own_before[below] * axis->own_before[below];
		axis->noise[node] =
			sqrt(weight * axis->noise[node] * axis->noise[node] + (1 - weight) * squares);
	}
	return PH_OK;
}

/* All places of one node, of its own cost or of the subtree's: values[run * stride + place]. */
static PhStatus
measure_node(PhArena *arena, const PhExplainAxis *axis, uint32_t node, const double *values,
			 double *sides[2], double *before, double *change, double *noise)
{
	size_t stride = (size_t) axis->n_nodes * axis->n_places;
	double medians[2], squares = 0;

	for (uint32_t place = 0; place < axis->n_places; place++)
	{
		PH_TRY(ph_env_poll(arena->env));
		squares += measure_cell(axis, values + place, stride, sides, medians);
		before[place] = medians[0];
		change[place] = medians[1] - medians[0];
	}
	*noise = error_of(axis, node, before, squares);
	return PH_OK;
}

PhStatus
ph_axis_measure(PhArena *arena, PhExplainAxis *axis)
{
	double *sides[2];

	PH_TRY(PH_NEW(arena, axis->n_runs, &sides[0]));
	PH_TRY(PH_NEW(arena, axis->n_runs, &sides[1]));
	add_up_subtrees(axis);
	for (uint32_t node = 0; node < axis->n_nodes; node++)
	{
		size_t at = (size_t) node * axis->n_places;

		PH_TRY(measure_node(arena, axis, node, axis->own + at, sides, axis->own_before + at,
							axis->own_change + at, &axis->own_noise[node]));
		PH_TRY(measure_node(arena, axis, node, axis->sum + at, sides, axis->before + at,
							axis->change + at, &axis->noise[node]));
	}
	return axis->n_places == 1 && axis->n_runs > 2 ? draw_to_usual(arena, axis) : PH_OK;
}
