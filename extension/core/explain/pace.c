/*
 * pace.c - how fast a run's machine was: what all of its work has in common.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/select.h"
#include "explain/axis.h"

/* Fewer call paths do not tell what is common from what is theirs. */
#define LEAST_PATHS 5

/* Call paths below this share of the run's time do not count: they are mostly noise. */
#define LEAST_SHARE 0.005

typedef struct Pace
{
	const PhExplainCube *cube;
	const bool *is_after;
	const double *delayed; /* by node: what the runs after have for another reason */
	double *units;		   /* room for a number a unit */
	double *runs;		   /* and for one a run */
	double *paths;		   /* [run][path], logarithms of the time of one instruction or call */
	uint32_t n_paths;
} Pace;

/* Units that are slow for reasons of their own, half of all at most, do not count, nor do those
 * that never enter the call path. */
static double
usual_unit(const Pace *pace, const double *values, uint32_t run, uint32_t node)
{
	const double *from = values + ph_explain_cell(pace->cube, run, node, 0);
	uint32_t n = 0;

	for (uint32_t unit = 0; unit < pace->cube->n_units; unit++)
		if (from[unit] > 0)
			pace->units[n++] = from[unit];
	return n == 0 ? 0 : ph_quantile(pace->units, n, 0.25);
}

/* What says how much was done: instructions, else calls. NULL: nothing does. */
static const double *
work_done(const PhExplainCube *cube)
{
	const double *instructions = cube->work[PH_WORK_INSTRUCTIONS];

	return instructions != NULL ? instructions : cube->work[PH_WORK_VISITS];
}

static double
mean_time(const PhExplainCube *cube)
{
	size_t cells = (size_t) cube->n_runs * cube->n_nodes * cube->n_units;
	double sum = 0;

	for (size_t i = 0; i < cells; i++)
		sum += cube->time[i];
	return sum / cube->n_runs / cube->n_units;
}

/* The logarithms of one call path over all runs, less their median in side A; false: it does not
 * work in every run, or costs little. */
static bool
take_path(Pace *pace, uint32_t node, double least)
{
	const PhExplainCube *cube = pace->cube;
	const double *work = work_done(cube);
	double *logs = pace->paths + (size_t) pace->n_paths * cube->n_runs;
	double middle;
	uint32_t n = 0;

	for (uint32_t run = 0; run < cube->n_runs; run++)
	{
		double time = usual_unit(pace, cube->time, run, node) -
					  (pace->is_after[run] ? pace->delayed[node] : 0);
		double done = work == NULL ? 1 : usual_unit(pace, work, run, node);

		if (time < least)
			return false;
		logs[run] = log(done > 0 ? time / done : time);
		if (!pace->is_after[run])
			pace->runs[n++] = logs[run];
	}
	middle = ph_explain_median(pace->runs, n);
	for (uint32_t run = 0; run < cube->n_runs; run++)
		logs[run] -= middle;
	return true;
}

PhStatus
ph_explain_pace(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
				const double *delayed, double **out)
{
	Pace pace = {.cube = cube, .is_after = is_after, .delayed = delayed};
	double least = LEAST_SHARE * mean_time(cube), *factors, *over_paths;

	PH_TRY(PH_NEW(arena, cube->n_runs, &factors));
	PH_TRY(PH_NEW(arena, cube->n_nodes, &over_paths));
	PH_TRY(PH_NEW(arena, cube->n_units, &pace.units));
	PH_TRY(PH_NEW(arena, cube->n_runs, &pace.runs));
	PH_TRY(PH_NEW(arena, (size_t) cube->n_nodes * cube->n_runs, &pace.paths));
	for (uint32_t node = 0; node < cube->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(arena->env));
		if (cube->nodes[node].kind == PH_EXPLAIN_WORK)
			pace.n_paths += take_path(&pace, node, least);
	}
	for (uint32_t run = 0; run < cube->n_runs; run++)
	{
		for (uint32_t path = 0; path < pace.n_paths; path++)
			over_paths[path] = pace.paths[(size_t) path * cube->n_runs + run];
		factors[run] =
			pace.n_paths < LEAST_PATHS ? 1 : exp(ph_explain_median(over_paths, pace.n_paths));
	}
	*out = factors;
	return PH_OK;
}
