/*
 * simulate.h - runs of a setup: what each function took on each unit, who waited, what was done.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PLANTED_SIMULATE_H
#define PLANTED_SIMULATE_H

#include "setup.h"

/* A recorded run. Cells are [slot][node][unit]; slot 0 is outside of iterations, or all of it. */
typedef struct Run
{
	uint32_t n_slots;
	double *time; /* exclusive, seconds; 0: the unit was not there */
	double *instructions, *visits, *bytes;
	double elapsed;
} Run;

static inline size_t
run_cell(const Setup *setup, uint32_t slot, uint32_t node, uint32_t unit)
{
	return ((size_t) slot * setup->program->n_nodes + node) * setup->n_units + unit;
}

/* Disturbances so strong that unchanged runs vary as they should; plants so strong as their effect.
 */
PhStatus fit_setup(PhArena *arena, Setup *setup) PH_MUST_CHECK;

/* All 2 * RUNS_A_SIDE runs, those before first, in the order in which they ran. */
PhStatus simulate_runs(PhArena *arena, const Setup *setup, Run **out) PH_MUST_CHECK;

/*
 * Where a plant's own time is, without disturbances and without those who wait for it: the deepest
 * function that has 90 % of it.
 */
PhStatus planted_path(PhArena *arena, const Setup *setup, const Plant *plant,
					  uint32_t *out) PH_MUST_CHECK;

#endif
