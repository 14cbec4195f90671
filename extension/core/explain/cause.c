/*
 * cause.c - see cause.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/cause.h"

#include <math.h>

#include "explain/axis.h"

/* Of the growth of time, in logarithms, work must explain this share. */
#define WORK_EXPLAINS 0.5

/* Counts of instructions differ by less without a cause. */
#define LEAST_MORE 1.01

typedef struct Sides
{
	double before, after; /* medians over runs */
} Sides;

typedef struct Where
{
	const PhExplainCube *cube;
	const bool *is_after;
	const PhGrowth *growth;
	uint32_t node;
	double *room[2];
} Where;

/* Of the call paths of the growth's kind, on units that are in, or on the others. */
static double
sum_of_run(const Where *where, const double *values, uint32_t run, bool others)
{
	const PhExplainCube *cube = where->cube;
	const bool *is_in = where->growth->is_in;
	double sum = 0;

	for (uint32_t node = where->node; node < cube->nodes[where->node].subtree_end; node++)
	{
		const double *from = values + ph_explain_cell(cube, run, node, 0);

		if (cube->nodes[node].kind != where->growth->kind)
			continue;
		for (uint32_t unit = 0; unit < cube->n_units; unit++)
			sum += (is_in == NULL || is_in[unit]) != others ? from[unit] : 0;
	}
	return sum;
}

static Sides
sides_of(const Where *where, const double *values, bool others)
{
	uint32_t n[2] = {0, 0};

	for (uint32_t run = 0; run < where->cube->n_runs; run++)
	{
		int side = where->is_after[run];

		where->room[side][n[side]++] = sum_of_run(where, values, run, others);
	}
	return (Sides){ph_explain_median(where->room[0], n[0]),
				   ph_explain_median(where->room[1], n[1])};
}

/* Calls of communication run instructions while they wait; bytes say nothing of what is computed.
 */
static bool
is_measure_of(PhExplainWork work, PhExplainKind kind)
{
	if (work == PH_WORK_INSTRUCTIONS)
		return kind == PH_EXPLAIN_WORK;
	return work != PH_WORK_BYTES || kind != PH_EXPLAIN_WORK;
}

/* The first count of what was done that these call paths have. */
static PhExplainWork
work_there(const Where *where)
{
	for (PhExplainWork work = 0; work < PH_WORK_COUNT; work++)
	{
		Sides done;

		if (where->cube->work[work] == NULL || !is_measure_of(work, where->growth->kind))
			continue;
		done = sides_of(where, where->cube->work[work], false);
		if (done.before > 0 || done.after > 0)
			return work;
	}
	return PH_WORK_COUNT;
}

/* After as a ratio to before, less what all others have more as well. */
static double
growth_of_work(const Where *where, PhExplainWork work)
{
	Sides done = sides_of(where, where->cube->work[work], false);
	Sides rest = {0, 0};

	if (where->growth->is_in != NULL)
		rest = sides_of(where, where->cube->work[work], true);
	if (where->growth->usual > 0)
		return done.after / done.before / fmax(where->growth->usual, 1);
	return done.after / done.before /
		   (rest.before > 0 && rest.after > 0 ? rest.after / rest.before : 1);
}

bool
ph_work_explains(double work, double before, double amount)
{
	if (isinf(work) || before <= 0)
		return true;
	return work >= LEAST_MORE && log(work) >= WORK_EXPLAINS * log((before + amount) / before);
}

static bool
is_more_work(const Where *where, double work)
{
	return ph_work_explains(work, sides_of(where, where->cube->time, false).before,
							where->growth->amount);
}

static PhStatus
make_where(PhArena *arena, const PhExplainCube *cube, const bool *is_after, const PhGrowth *growth,
		   uint32_t node, Where *out)
{
	*out = (Where){cube, is_after, growth, node, {NULL, NULL}};
	PH_TRY(PH_NEW(arena, cube->n_runs, &out->room[0]));
	return PH_NEW(arena, cube->n_runs, &out->room[1]);
}

PhStatus
ph_explain_cause(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
				 const PhGrowth *growth, PhFinding *finding)
{
	static const PhCause slower[] = {PH_CAUSE_SLOWER_WORK, PH_CAUSE_SLOWER_COMMUNICATION,
									 PH_CAUSE_MORE_WAITING, PH_CAUSE_SLOWER_IO,
									 PH_CAUSE_SLOWER_DEVICE};
	Where where;

	PH_TRY(make_where(arena, cube, is_after, growth, finding->node, &where));
	finding->cause = slower[growth->kind];
	finding->work_kind = work_there(&where);
	finding->work = NAN;
	if (finding->work_kind == PH_WORK_COUNT)
	{
		if (growth->kind == PH_EXPLAIN_WORK)
			finding->cause = PH_CAUSE_UNKNOWN;
		return PH_OK;
	}
	finding->work = growth_of_work(&where, finding->work_kind);
	if (is_more_work(&where, finding->work))
		finding->cause = PH_CAUSE_MORE_WORK;
	return PH_OK;
}

/* ---- units one by one ---- */

static Sides
sides_of_unit(const Where *where, const double *values, uint32_t unit)
{
	const PhExplainCube *cube = where->cube;
	uint32_t n[2] = {0, 0};

	for (uint32_t run = 0; run < cube->n_runs; run++)
	{
		int side = where->is_after[run];
		double sum = 0;

		for (uint32_t node = where->node; node < cube->nodes[where->node].subtree_end; node++)
			if (cube->nodes[node].kind == where->growth->kind)
				sum += values[ph_explain_cell(cube, run, node, unit)];
		where->room[side][n[side]++] = sum;
	}
	return (Sides){ph_explain_median(where->room[0], n[0]),
				   ph_explain_median(where->room[1], n[1])};
}

PhStatus
ph_explain_units_with_more(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
						   const PhGrowth *growth, uint32_t node, bool *has_more)
{
	uint32_t n_in = 0;
	double usual = 1;
	PhExplainWork work;
	Where where;
	Sides rest;

	PH_TRY(make_where(arena, cube, is_after, growth, node, &where));
	work = work_there(&where);
	for (uint32_t unit = 0; unit < cube->n_units; unit++)
		has_more[unit] = false;
	if (work == PH_WORK_COUNT)
		return PH_OK;
	rest = sides_of(&where, cube->work[work], true);
	if (rest.before > 0 && rest.after > 0)
		usual = rest.after / rest.before;
	for (uint32_t unit = 0; unit < cube->n_units; unit++)
		n_in += growth->is_in[unit];
	for (uint32_t unit = 0; unit < cube->n_units; unit++)
	{
		Sides done, took;

		PH_TRY(ph_env_poll(arena->env));
		if (!growth->is_in[unit])
			continue;
		done = sides_of_unit(&where, cube->work[work], unit);
		took = sides_of_unit(&where, cube->time, unit);
		has_more[unit] =
			(done.before > 0 || done.after > 0) &&
			ph_work_explains(done.after / done.before / usual, took.before, growth->amount / n_in);
	}
	return PH_OK;
}
