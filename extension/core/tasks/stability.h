/*
 * stability.h - how much of the structure of a trace of tasks stays when times are a little
 * different.
 *
 * Each message comes up to so much earlier or later than the block that it starts began. Two
 * neighbouring blocks of a chare that run the same entry method exchange what they received where
 * the order of arrivals changes, unless the later message had not been sent yet. Times as such
 * matter only where a chare migrates: structure is found by what happened in which order on each
 * chare. What is compared, and how: logical/stability.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_STABILITY_H
#define PH_TASKS_STABILITY_H

#include "logical/stability.h"
#include "tasks/structure.h"

/* One trial. Equal seeds give equal answers; costs what finding the structure does. */
PhStatus ph_task_stability(PhEnv *env, const PhTaskStructure *structure,
						   const PhTaskOptions *options, int64_t within, uint64_t seed,
						   PhStability *out) PH_MUST_CHECK;

#endif
