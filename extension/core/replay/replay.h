/*
 * replay.h - a recorded run as it would have gone with other times, another network or another
 * order of calls.
 *
 * Forward: every location goes on until it needs an operation of another one that was not entered
 * yet; when that is entered, it goes on from there. No clock orders this, so that the answer does
 * not depend on who goes first. Each operation and each need is looked at once: O(operations + ends
 * + collectives x members of prefix operations in another order). Locations that wait for each
 * other in a circle cannot happen as recorded, but may with another order of calls: a deadlock.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_REPLAY_H
#define PH_REPLAY_REPLAY_H

#include "blame/wait_states.h"
#include "replay/program.h"

/* What is different from the record; zeroed: nothing. */
typedef struct PhReplayPlan
{
	/* ns that are added to the time before each operation and after the last one: by location
	 * (NULL: all as recorded), then n_ops + 1 */
	int64_t **extra;
	/* by location (NULL: all as recorded; an element NULL: that location), then place: the
	 * operation that comes there, after the time that was before the one that was there */
	uint32_t **order;
	const bool *posted; /* by region: sends there do not wait for their receivers; NULL: none */
	bool is_ideal;		/* nothing takes any time but waiting and what is between operations */
} PhReplayPlan;

typedef enum PhReplayKind
{
	PH_REPLAY_COMPUTE,	  /* between operations */
	PH_REPLAY_MESSAGE,	  /* in an operation with messages, its waits not counted */
	PH_REPLAY_COLLECTIVE, /* in another one */
	PH_REPLAY_KINDS
} PhReplayKind;

typedef struct PhReplayResult
{
	uint32_t n_stuck;			   /* locations in a deadlock: nothing else is known then */
	int64_t duration;			   /* from the first location's begin to the last one's end */
	int64_t waits[PH_WAIT_KINDS];  /* wrong order is counted as late sender */
	int64_t path[PH_REPLAY_KINDS]; /* of the critical path: the time that it spends so */
	const int64_t *location_path;  /* by location: its part of the path; in arena */
} PhReplayResult;

/* "compute", "message", "collective". */
const char *ph_replay_kind_name(PhReplayKind kind);

PhStatus ph_replay_run(PhArena *arena, const PhReplayProgram *program, const PhReplayPlan *plan,
					   PhReplayResult *out) PH_MUST_CHECK;

#endif
