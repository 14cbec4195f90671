/*
 * reader.h - the stored logical structure of a run as a stream of chunks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_READER_H
#define PH_LOGICAL_READER_H

#include "executor/tuptable.h"

#include "base/warehouse_columns.h"
#include "logical/store/store.h"
#include "logical/timelines.h"
#include "trace/reader.h"

/* Columns of perfhouse.logical_chunk, as ph_logical_slot_chunk wants them. */
#define PH_LOGICAL_COLUMNS PH_SELECT(logical_chunk, "") ", tasks"
#define PH_LOGICAL_TASKS PH_N_COLUMNS(logical_chunk)

typedef struct PhLogicalStored
{
	PhTraceRun *trace;
	int32 version;
	int64 n_events;
	int32 n_phases, last_step;
	uint32 stride;				   /* of steps: PH_STEP_STRIDE, of tasks 1 */
	PhTimelines *timelines;		   /* of a run of tasks: its locations; else NULL */
	struct PhLogicalRun *computed; /* NULL: chunks are read from the warehouse */
} PhLogicalStored;

/* Steps [from, to) of locations; NULL: all. */
typedef struct PhStepWindow
{
	int64 from, to;
	const bool *locations;
} PhStepWindow;

/*
 * Begin the run's trace with these parts and read what is stored of its structure. Locations of the
 * model are those of logical time: of tasks, chares. PH002 when there
 * is no such run, or it has no trace or no steps. End it with ph_trace_end.
 */
PhLogicalStored ph_logical_begin(int64 run_id, uint32 parts);

/* The same, but of tasks the locations stay those of the trace: processors. */
PhLogicalStored ph_logical_begin_as_traced(int64 run_id, uint32 parts);

typedef void (*PhLogicalFunction)(void *user, PhTraceRun *trace, const PhLogicalEvents *events);

/*
 * Every chunk with steps in the window, by location, then in order, with the groups that are wanted
 * (PhLogicalWant). Its locations and regions exist; its steps and phases do.
 */
void ph_logical_chunks(const PhLogicalStored *stored, const PhStepWindow *window, uint32 want,
					   PhLogicalFunction function, void *user);

/* A row of these columns; groups that are wanted are detoasted into the row's memory. */
void ph_logical_slot_chunk(const TupleTableSlot *slot, uint32 want, PhLogicalChunk *chunk);

static inline bool
ph_step_is_in(const PhStepWindow *window, uint32 step)
{
	return step >= window->from && step < window->to;
}

#endif
