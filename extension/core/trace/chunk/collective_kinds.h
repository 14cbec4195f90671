/*
 * collective_kinds.h - what collective operations are called.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_COLLECTIVE_KINDS_H
#define PH_TRACE_CHUNK_COLLECTIVE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* Collective operations, numbered as OTF2 does; CREATE/DESTROY_HANDLE are not application ones. */
typedef enum PhCollective
{
	PH_COLLECTIVE_BARRIER,
	PH_COLLECTIVE_BCAST,
	PH_COLLECTIVE_GATHER,
	PH_COLLECTIVE_GATHERV,
	PH_COLLECTIVE_SCATTER,
	PH_COLLECTIVE_SCATTERV,
	PH_COLLECTIVE_ALLGATHER,
	PH_COLLECTIVE_ALLGATHERV,
	PH_COLLECTIVE_ALLTOALL,
	PH_COLLECTIVE_ALLTOALLV,
	PH_COLLECTIVE_ALLTOALLW,
	PH_COLLECTIVE_ALLREDUCE,
	PH_COLLECTIVE_REDUCE,
	PH_COLLECTIVE_REDUCE_SCATTER,
	PH_COLLECTIVE_SCAN,
	PH_COLLECTIVE_EXSCAN,
	PH_COLLECTIVE_REDUCE_SCATTER_BLOCK,
	PH_COLLECTIVE_CREATE_HANDLE,
	PH_COLLECTIVE_DESTROY_HANDLE,
	PH_COLLECTIVE_ALLOCATE,
	PH_COLLECTIVE_DEALLOCATE,
	PH_COLLECTIVE_CREATE_HANDLE_AND_ALLOCATE,
	PH_COLLECTIVE_DESTROY_HANDLE_AND_DEALLOCATE,
	/* of one-sided communication, which OTF2 has no numbers for; never stored (trace/windows.h) */
	PH_COLLECTIVE_FENCE = 29,
	PH_COLLECTIVE_CREATE_WINDOW,
	PH_COLLECTIVE_FREE_WINDOW,
	PH_COLLECTIVE_COUNT
} PhCollective;

/* "barrier", "allreduce", …; "unknown". */
const char *ph_collective_name(uint32_t operation);

/* True for collectives of the application: not the creation and destruction of handles. */
bool ph_collective_is_application(uint32_t operation);

/* Fences, and creation and end of windows, in which all members wait for each other. */
static inline bool
ph_collective_is_of_window(uint32_t operation)
{
	return operation >= PH_COLLECTIVE_FENCE && operation < PH_COLLECTIVE_COUNT;
}

#endif
