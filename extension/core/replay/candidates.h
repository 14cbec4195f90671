/*
 * candidates.h - changes that might help a run: which functions, ranks and orders are worth a
 * replay.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_CANDIDATES_H
#define PH_REPLAY_CANDIDATES_H

#include "replay/changes.h"

#define PH_MOST_BALANCED 10
#define PH_MOST_ORDERED 5
#define PH_MOST_SLOW_RANKS 3

/* A change to try, and the function that it names; PH_NONE: none. */
typedef struct PhReplayCandidate
{
	PhChange change; /* its target is to be set: calls of the function */
	uint32_t region;
} PhReplayCandidate;

/* What one call path took of one location (PhTreeCell, without what its callees took). */
typedef struct PhPathTime
{
	uint32_t region, parent_region; /* PH_NONE: it has none */
	uint32_t location;
	int64_t exclusive;
} PhPathTime;

/*
 * In arena, by kind, then as they are likely to help:
 * - balance of the functions that are no MPI of which one rank takes longest beyond the mean;
 * - the ranks that compute longest beyond the mean;
 * - sends that do not wait, of each function with sends by rendezvous;
 * - orders of sends and receives in the functions that call most of the MPI that sends;
 * - an ideal network.
 * times: of every call path and location. O(their number + operations).
 */
PhStatus ph_replay_candidates(PhArena *arena, const PhReplayProgram *program,
							  const PhPathTime *times, size_t n_times,
							  const PhReplayCandidate **out, uint32_t *n) PH_MUST_CHECK;

#endif
