/*
 * reader.h - the trace of a stored run: its definitions, and its chunks as a stream.
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

#include "server/pgenv.h"
#include "trace/chunk/chunk.h"
#include "trace/messages.h"

/* Which definitions are wanted besides the locations. */
typedef enum PhTraceParts
{
	PH_TRACE_LOCATIONS = 0,
	PH_TRACE_REGIONS = 1,
	PH_TRACE_COMMUNICATORS = 2,
	PH_TRACE_METRICS = 4,
	PH_TRACE_ALL = 7,
	PH_TRACE_WITHOUT_EVENTS = 8 /* its events may have been dropped */
} PhTraceParts;

typedef struct PhTraceRun
{
	PhScratch *scratch; /* of everything here */
	int64 run_id;
	int64 n_events;
	int64 duration;
	uint32 n_columns; /* of the run's profile: the first locations */
	PhTraceModel model;
	int64 *region_ids; /* in the dictionary, by region */
	PhChunkReader *reader;
} PhTraceRun;

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
 * that are open throughout the window are met. with_links: its receives' links, too.
 */
typedef struct PhChunkQuery
{
	PhTraceWindow window;
	uint32 want; /* PhChunkWant; 0: no bytes, and the reader stays closed */
	bool from_before;
	bool with_links;
	bool leave_closed; /* the function opens the reader itself */
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

/* A region's name as in the trace; NULL for PH_NONE. PH001 for a number that it does not have. */
const char *ph_trace_region_name(const PhTraceRun *trace, uint32 region);

/* Names of all regions as texts, so that a row costs no copy. */
Datum *ph_trace_region_texts(const PhTraceRun *trace);

/* Raise PH001 for what the run stores about its trace; says which run and what to do. */
void ph_trace_refuse(const PhTraceRun *trace, const char *what) pg_attribute_noreturn();

#endif
