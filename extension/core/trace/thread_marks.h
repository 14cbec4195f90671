/*
 * thread_marks.h - where the threads of a process meet: forks, joins, teams, their barriers, locks.
 *
 * Of a location's events, in order, those at which threads may have waited for each other, with
 * since when the thread had nothing else to do. That is when it was left alone last: when it
 * entered the call, ended one within it (a barrier in which tasks run begins to wait after them),
 * or had its mark before.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_THREAD_MARKS_H
#define PH_TRACE_THREAD_MARKS_H

#include "base/vector.h"
#include "trace/chunk/chunk.h"

typedef enum PhThreadMarkKind
{
	PH_MARK_FORK,
	PH_MARK_JOIN,
	PH_MARK_TEAM_BEGIN, /* since: outside of all calls; time: within one */
	PH_MARK_TEAM_END,
	PH_MARK_BARRIER, /* at its LEAVE */
	PH_MARK_ACQUIRE, /* since: within a call for a lock; time: within another one */
	PH_MARK_RELEASE
} PhThreadMarkKind;

typedef struct PhThreadMark
{
	int64_t since, time; /* since <= time */
	uint64_t seq;		 /* of the ENTER of the innermost call; in none: of the event */
	uint32_t region;	 /* of that call; PH_NONE */
	uint32_t id;		 /* TEAM_BEGIN, TEAM_END: the communicator; ACQUIRE, RELEASE: the lock */
	uint32_t order;		 /* of ACQUIRE and its RELEASE: which time the lock was taken */
	uint32_t paradigm;	 /* of a lock: each counts its own */
	PhThreadMarkKind kind;
} PhThreadMark;

typedef PH_VECTOR(PhThreadMark) PhThreadMarkList;

typedef struct PhThreadMarks
{
	PhThreadMarkList marks; /* in event order */
	int64_t last_time;		/* internal: of the last LEAVE or mark; PH_NO_TIME */
} PhThreadMarks;

/* What calls of a region are to threads, as bits. */
typedef enum PhThreadRegion
{
	PH_REGION_TEAM_BARRIER = 1,
	PH_REGION_LOCK = 2 /* it does nothing but take a lock, until it has it */
} PhThreadRegion;

/* By region of a model, in memory of env: model->n_regions elements, which the caller frees. */
PhStatus ph_thread_regions(PhEnv *env, const PhTraceModel *model, uint8_t **out) PH_MUST_CHECK;

/*
 * Add an event: a LEAVE, or a record of threads; others are none of its business. call: the
 * innermost open one, for LEAVE the one that was left; NULL: none.
 */
PhStatus ph_thread_marks_add(PhEnv *env, PhThreadMarks *marks, const uint8_t *regions,
							 uint32_t n_regions, uint64_t seq, const PhEvent *event,
							 const PhOpenCall *call) PH_MUST_CHECK;

#endif
