/*
 * fetch.h - single chunks of a stored trace by their numbers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_FETCH_H
#define PH_TRACE_FETCH_H

#include "trace/calls.h"
#include "trace/reader.h"

/* The chunks of one location after the other, for ph_calls_list. */
typedef struct PhChunkFetch
{
	PhChunkSource source; /* of the location at hand */
	PhTraceRun *trace;
	uint32 location;
	uint32 *n_chunks; /* by location */
	struct _SPI_plan *plan;
	struct SPITupleTable *table; /* the last one; NULL: none yet */
	MemoryContext fetched;		 /* bytes of it that were not in its row */
} PhChunkFetch;

/* Under SPI_connect: fetch must stay where it is. */
void ph_chunk_fetch_begin(PhChunkFetch *fetch, PhTraceRun *trace);
void ph_chunk_fetch_location(PhChunkFetch *fetch, uint32 location);

#endif
