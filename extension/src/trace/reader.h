/*
 * reader.h - the trace of a stored run: begin and end it, and its chunks as a stream.
 *
 * Chunks are read through SPI as a query runs, one at a time, so memory does not grow with the
 * trace; only columns that are wanted are detoasted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_READER_H
#define PH_TRACE_READER_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "trace/messages.h"
#include "trace/tables.h"

/* Connect to SPI and read the definitions. PH002 when no ready run has this id or it has no trace;
 * PH003 when its events were dropped, unless they are not needed. */
PhTraceRun *ph_trace_begin(int64 run_id, uint32 parts);

/* The same for a run that need not be ready, for checks. */
PhTraceRun *ph_trace_begin_in_any_state(int64 run_id, uint32 parts);

/* Disconnect and free everything. */
void ph_trace_end(PhTraceRun *trace);

/* A chunk of the stream: the reader is opened on it; links: as stored, size 0: it has none. */
typedef struct PhTraceChunk
{
	PhChunk chunk;
	uint32 rank; /* of its location; PH_NONE */
	PhBytes links;
	uint32 n_links;
} PhTraceChunk;

typedef void (*PhChunkFunction)(void *user, PhTraceRun *trace, const PhTraceChunk *chunk);

/*
 * Every chunk with events in the window, by location, then in order. from_before: also those whose
 * first event is after the window but whose time since the event before is not, so that the calls
 * that are open throughout the window are met. with_links: its receives' links, too; with_launches:
 * those of its ENTERs, from_before or not.
 */
typedef struct PhChunkQuery
{
	PhTraceWindow window;
	uint32 want; /* PhChunkWant; 0: no bytes, and the reader stays closed */
	bool from_before;
	bool with_links;
	bool with_launches; /* from_before, and links are those of its ENTERs */
	bool leave_closed;	/* the function opens the reader itself */
} PhChunkQuery;

void ph_trace_chunks(PhTraceRun *trace, const PhChunkQuery *query, PhChunkFunction function,
					 void *user);

/*
 * The chunks from which messages that are under way in the window are known with both ends: of all
 * locations, with links, opened with PH_WANT_CALLS | PH_WANT_MESSAGES.
 */
void ph_trace_message_chunks(PhTraceRun *trace, const PhTraceWindow *window,
							 PhChunkFunction function, void *user);

/* Open trace->reader on a chunk. */
void ph_trace_open(PhTraceRun *trace, const PhTraceChunk *chunk, uint32 want);

/* The links of a chunk's receives, in arena; the chunk was asked for with_links. */
const PhLink *ph_trace_links(PhTraceRun *trace, PhArena *arena, const PhTraceChunk *chunk,
							 uint32 *n_links);

/*
 * A row of PH_CHUNK_COLUMNS as a chunk, and its stack; only columns that are wanted are detoasted,
 * into the current memory.
 */
void ph_trace_slot_chunk(const TupleTableSlot *slot, uint32 want, PhChunk *chunk);
PhBytes ph_trace_slot_stack(const TupleTableSlot *slot);

/* A row of the columns of message_chunk. */
void ph_trace_slot_links(const TupleTableSlot *slot, PhLinkChunk *chunk);

/*
 * A row of PH_SUMMED_CHUNK_COLUMNS that somebody is about to decode: PH001 unless its checksum is
 * of it, for which all its columns are read.
 */
void ph_trace_sound_chunk(PhTraceRun *trace, const TupleTableSlot *slot, uint32 want,
						  PhChunk *chunk);

#endif
