/*
 * waiting.c - what units that are slower than others cost the run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/waiting.h"

#include <math.h>

#include "explain/axis.h"

/* By unit what it waits and communicates, and whether it is one that others wait for. */
typedef struct Waits
{
	const PhExplainCube *cube;
	const bool *is_after;
	double *before, *after; /* NaN: it does not */
	double least;			/* before, of all units */
} Waits;

static bool
is_in_main_part(const PhExplainNode *node)
{
	return node->part == PH_EXPLAIN_MAIN_PART && ph_explain_may_wait(node->kind);
}

static double
waiting_of(const PhExplainCube *cube, uint32_t run, uint32_t unit)
{
	double sum = 0;

	for (uint32_t node = 0; node < cube->n_nodes; node++)
		if (is_in_main_part(&cube->nodes[node]))
			sum += cube->time[ph_explain_cell(cube, run, node, unit)];
	return sum;
}

/* Units with time in calls of a kind of the main part, in any run. */
static uint32_t
find_callers(const PhExplainCube *cube, PhExplainKind kind, bool *is_caller)
{
	uint32_t n = 0;

	for (uint32_t unit = 0; unit < cube->n_units; unit++)
	{
		is_caller[unit] = false;
		for (uint32_t node = 0; node < cube->n_nodes; node++)
			for (uint32_t run = 0; cube->nodes[node].kind == kind &&
								   is_in_main_part(&cube->nodes[node]) && run < cube->n_runs;
				 run++)
				is_caller[unit] =
					is_caller[unit] || cube->time[ph_explain_cell(cube, run, node, unit)] > 0;
		n += is_caller[unit];
	}
	return n;
}

static void
measure_unit(const Waits *waits, uint32_t unit, double *room[2])
{
	uint32_t n[2] = {0, 0};

	for (uint32_t run = 0; run < waits->cube->n_runs; run++)
	{
		int side = waits->is_after[run];

		room[side][n[side]++] = waiting_of(waits->cube, run, unit);
	}
	waits->before[unit] = ph_explain_median(room[0], n[0]);
	waits->after[unit] = ph_explain_median(room[1], n[1]);
}

/* Of threads those that communicate, where any do: the others of a slow team are as slow. */
static PhStatus
measure_waits(PhArena *arena, Waits *waits)
{
	const PhExplainCube *cube = waits->cube;
	double *room[2];
	bool *is_caller;

	PH_TRY(PH_NEW(arena, cube->n_runs, &room[0]));
	PH_TRY(PH_NEW(arena, cube->n_runs, &room[1]));
	PH_TRY(PH_NEW(arena, cube->n_units, &is_caller));
	PH_TRY(PH_NEW(arena, cube->n_units, &waits->before));
	PH_TRY(PH_NEW(arena, cube->n_units, &waits->after));
	if (find_callers(cube, PH_EXPLAIN_COMMUNICATION, is_caller) == 0)
		(void) find_callers(cube, PH_EXPLAIN_WAITING, is_caller);
	waits->least = INFINITY;
	for (uint32_t unit = 0; unit < cube->n_units; unit++)
	{
		PH_TRY(ph_env_poll(arena->env));
		waits->before[unit] = waits->after[unit] = NAN;
		if (is_caller[unit])
			measure_unit(waits, unit, room);
		waits->least = fmin(waits->least, waits->before[unit]);
	}
	return PH_OK;
}

/* What a unit that is not slow waits and communicates longer, in the middle; NaN: none does. */
static PhStatus
others_wait_longer(PhArena *arena, const Waits *waits, const bool *is_slow, double *out)
{
	double *changes;
	uint32_t n = 0;

	PH_TRY(PH_NEW(arena, waits->cube->n_units, &changes));
	for (uint32_t unit = 0; unit < waits->cube->n_units; unit++)
		if (!is_slow[unit] && !isnan(waits->before[unit]))
			changes[n++] = waits->after[unit] - waits->before[unit];
	*out = n > 0 ? ph_explain_median(changes, n) : NAN;
	return PH_OK;
}

/* How much later all of the finding's units could have been before without delaying anybody. */
static double
spare_time(const Waits *waits, const PhFinding *finding)
{
	double spare = INFINITY;

	for (uint32_t i = 0; i < finding->n_places; i++)
		spare = fmin(spare, waits->before[finding->places[i]] - waits->least);
	return isinf(spare) ? 0 : spare;
}

static void
limit_finding(const Waits *waits, double most, double before, PhFinding *finding)
{
	double effect = fabs(finding->effect);
	double least = effect * finding->n_places / waits->cube->n_units;
	double limited = fmin(effect - spare_time(waits, finding), most);

	finding->effect = copysign(fmax(limited, least), finding->effect);
	finding->share = finding->effect / before;
}

PhStatus
ph_explain_limit_units(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
					   const bool *is_slow, double before, PhFinding *findings, uint32_t n_findings)
{
	Waits waits = {.cube = cube, .is_after = is_after};
	double most;

	PH_TRY(measure_waits(arena, &waits));
	PH_TRY(others_wait_longer(arena, &waits, is_slow, &most));
	if (isnan(most))
		return PH_OK;
	for (uint32_t i = 0; i < n_findings; i++)
		if (findings[i].shape == PH_SHAPE_UNIFORM &&
			ph_explain_may_wait(cube->nodes[findings[i].node].kind))
			most -= fabs(findings[i].effect);
	for (uint32_t i = 0; i < n_findings; i++)
		if (findings[i].shape == PH_SHAPE_SOME_UNITS)
			limit_finding(&waits, most, before, &findings[i]);
	return PH_OK;
}
