/*
 * compute.h - logical structure of a stored trace, computed anew from its events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_COMPUTE_H
#define PH_LOGICAL_COMPUTE_H

#include "logical/options.h"
#include "logical/reader.h"
#include "logical/store/store.h"
#include "logical/timelines.h"
#include "tasks/store.h"
#include "trace/reader.h"

/* Definitions that it needs of a trace (PhTraceParts). */
#define PH_LOGICAL_PARTS (PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS | PH_TRACE_METRICS)

/* Lives in the trace's scratch memory. */
typedef struct PhLogicalRun
{
	PhTraceRun *trace;
	PhLogicalRequest request;
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
	PhLogicalCounters counters;

	/* of a run of tasks; NULL: of processes */
	PhTaskRun *tasks;
	PhTaskMetrics *task_metrics;
	PhTimelines *timelines;
} PhLogicalRun;

/*
 * Stream the run's chunks through the core; trace was begun with PH_LOGICAL_PARTS, and request is
 * of tasks when the run is. Memory grows with the communication events. PH002 for a counter that
 * the trace does not have.
 */
PhLogicalRun *ph_logical_compute(PhTraceRun *trace, const PhLogicalRequest *request);

/* The next chunk of a timeline from event `first` on, as ph_logical_extract. */
void ph_logical_run_extract(const PhLogicalRun *run, PhLogicalCodec *codec, uint32 first,
							PhLogicalEvents *out);

#endif
