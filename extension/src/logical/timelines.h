/*
 * timelines.h - the locations of logical time of a task-based run: chares, and one more a
 * processor for the chares of its run time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_TIMELINES_H
#define PH_LOGICAL_TIMELINES_H

#include "logical/task_load.h"

typedef struct PhTimelines
{
	uint32 n;
	const char **name;
	bool *is_runtime;
	uint32 *chare;			/* PH_NONE: the run time of a processor */
	uint32 *first_location; /* the processor where it was seen first */

	uint32 n_processors;
	const PhTraceLocation *processors; /* the locations of the trace */
} PhTimelines;

/* Under SPI_connect: those that were stored with the run's structure; NULL: it is of processes. */
PhTimelines *ph_timelines_read(PhTraceRun *trace);

/* Those of a run that was collected. */
PhTimelines *ph_timelines_of_tasks(const PhTaskRun *run);

/* A processor's number, as processors has it. */
static inline int32
ph_timelines_processor(const PhTimelines *timelines, uint32 processor)
{
	int32 rank = timelines->processors[processor].rank;
	return rank >= 0 ? rank : (int32) processor;
}

/* Insert the timelines of a run that has none stored. */
void ph_timelines_write(const PhTimelines *timelines, int64 run_id);

/* From here on the locations of the trace's model are the timelines. */
void ph_timelines_install(const PhTimelines *timelines, PhTraceRun *trace);

#endif
