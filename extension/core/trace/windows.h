/*
 * windows.h - what records of one-sided communication say of who waits for whom.
 *
 * Fences, and the creation and end of a window, are collectives of its members. Between posting and
 * waiting a process lets some of them access its memory (an exposure epoch), who do so between
 * starting and completing (an access epoch): which of these calls a record is of is told by the
 * function that it is in, as all have the same record. Locks of windows are taken by one process at
 * a rank.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_WINDOWS_H
#define PH_TRACE_WINDOWS_H

#include "base/vector.h"
#include "trace/chunk/chunk.h"
#include "trace/mpi_calls.h"

/* A window of one-sided communication: it has the members of its parent. */
bool ph_trace_is_window(const PhTraceModel *model, uint32_t comm);
bool ph_trace_has_windows(const PhTraceModel *model);

/*
 * *record of a collective of a window as that of another collective, its operation by `call` (what
 * its function does), its root a world rank; false: it is none.
 */
bool ph_window_collective(const PhTraceModel *model, PhMpiCall call, const PhEvent *record,
						  PhEvent *out);

/* A lock of a window that was got or given back. */
typedef struct PhWindowLock
{
	int64_t since, time; /* since: the innermost call was entered */
	uint64_t seq;		 /* of its ENTER; in none: of the event */
	uint64_t id;
	uint32_t region; /* PH_NONE */
	uint32_t window, target;
	bool is_acquired, is_exclusive;
} PhWindowLock;

typedef PH_VECTOR(PhWindowLock) PhWindowLocks;

/* The record of a lock, in the innermost open call (NULL: none); false: it is none. */
bool ph_window_lock(const PhEvent *record, uint64_t seq, const PhOpenCall *call, PhWindowLock *out);

/* With whom an epoch is: members are world ranks. NULL: nothing tells. */
const PhTraceCommunicator *ph_window_group(const PhTraceModel *model, const PhEvent *record);

#endif
