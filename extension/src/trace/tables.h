/*
 * tables.h - the definitions of a stored trace in the core's model.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TABLES_H
#define PH_TRACE_TABLES_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "server/pgenv.h"
#include "trace/chunk/chunk.h"

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
	uint32 n_columns;	  /* of the run's profile: the first locations */
	uint32 n_streams;	  /* of devices: locations behind them */
	int64 n_stream_waits; /* activities that had to wait for another stream, as events record */
	PhTraceModel model;
	int64 *region_ids; /* in the dictionary, by region */
	PhChunkReader *reader;
} PhTraceRun;

/*
 * Under SPI_connect: the trace's row and locations, and what parts name, of a run that is ready or
 * in any state. PH002, PH001.
 */
void ph_trace_tables_read(PhTraceRun *trace, uint32 parts, bool in_any_state);

/* A region's name as in the trace; NULL for PH_NONE. PH001 for a number that it does not have. */
const char *ph_trace_region_name(const PhTraceRun *trace, uint32 region);

/* Names of all regions as texts, so that a row costs no copy. */
Datum *ph_trace_region_texts(const PhTraceRun *trace);

/* Raise PH001 for what the run stores about its trace; says which run and what to do. */
_Noreturn void ph_trace_refuse(const PhTraceRun *trace, const char *what);

/* A number of the row that counts from 0 to below count; else the trace is refused: `what`. */
uint32 ph_trace_slot_index(const PhTraceRun *trace, const TupleTableSlot *slot, int attribute,
						   uint32 count, const char *what);

#endif
