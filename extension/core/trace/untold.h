/*
 * untold.h - calls that send or receive in a trace whose source records no messages of them.
 *
 * One call without a record is nothing odd: MPI_PROC_NULL has none. But a function that no call of
 * any rank has a record of is one that the source does not record. What MPI_Irecv receives is
 * recorded where it completes, so its calls are told as long as the trace has receives at all.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_UNTOLD_H
#define PH_TRACE_UNTOLD_H

#include "trace/chunk/chunk.h"
#include "trace/mpi_calls.h"

/* Calls of such functions; those that do both count as both. epochs: of windows, without a record
 * of one-sided communication. */
typedef struct PhUntoldCalls
{
	uint64_t sends, receives, epochs;
} PhUntoldCalls;

typedef struct PhUntold PhUntold;

/* In arena. model: locations and names of regions are used; must outlive it. */
PhStatus ph_untold_new(PhArena *arena, const PhTraceModel *model, PhUntold **out) PH_MUST_CHECK;

/*
 * Add all of a location's chunks in order, locations in any order; reader was opened with
 * PH_WANT_CALLS, its cursor does not move.
 */
PhStatus ph_untold_add_chunk(PhUntold *untold, const PhChunk *chunk,
							 const PhChunkReader *reader) PH_MUST_CHECK;

PhUntoldCalls ph_untold_count(const PhUntold *untold);

#endif
