/*
 * stability.h - how much of a logical structure stays when times are a little different.
 *
 * A structure rests on the order in which things happened, and some of that is chance: which of two
 * messages came first, or which of two processors' clocks is ahead. Times are changed at random
 * within a limit, the structure is found again with the same options, and phases and steps are
 * compared by their members. Of processes each message comes up to so much earlier or later:
 * receives next to each other on a timeline, below one call, exchange their messages where the
 * order of arrivals changes (messages of one sender keep theirs, none comes before it is sent).
 * Method: docs/design/logical-time.md 4.8; of tasks tasks/stability.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_STABILITY_H
#define PH_LOGICAL_STABILITY_H

#include "logical/logical.h"

typedef struct PhStability
{
	uint32_t n_moved; /* messages that another receive has; processors with another clock */
	uint32_t n_phases, n_phases_kept; /* kept: a phase has the same events */
	uint32_t n_steps, n_steps_kept;	  /* kept: a step of a phase has the same events */
} PhStability;

/* A tenth of the mean time from an event of a timeline to the next: a little. At least 1 ns. */
int64_t ph_stability_within(const PhLogical *logical);

/* A number from -within to within that depends on seed and place only. */
int64_t ph_stability_noise(uint64_t seed, uint64_t place, int64_t within);

/*
 * One trial of a structure of processes, found with these options. Equal seeds give equal answers.
 * Costs what finding the structure does, without reading.
 */
PhStatus ph_logical_stability(PhEnv *env, const PhLogical *logical, const PhLogicalOptions *options,
							  int64_t within, uint64_t seed, PhStability *out) PH_MUST_CHECK;

/*
 * The counts of out but n_moved. Events of the two structures are the same where their numbers in
 * id_a and id_b are (NULL: their own numbers).
 */
PhStatus ph_stability_compare(PhEnv *env, const PhLogical *a, const uint32_t *id_a,
							  const PhLogical *b, const uint32_t *id_b,
							  PhStability *out) PH_MUST_CHECK;

#endif
