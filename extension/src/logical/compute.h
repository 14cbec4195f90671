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

/* What assign_logical_steps is asked for: the options of a run of its kind, in scratch memory. */
void ph_logical_request_of(PhTraceRun *trace, Jsonb *options, PhLogicalRequest *out);

/*
 * As ph_logical_begin, but computed with these options instead of what is stored; NULL: what is
 * stored.
 */
PhLogicalStored ph_logical_begin_with(int64 run_id, uint32 parts, Jsonb *options);

/* Under SPI_connect: the options with which the stored structure was found; strings in context. */
void ph_logical_options_of(int64 run_id, MemoryContext context, PhLogicalRequest *out);

/*
 * The structure that is stored of a run, computed again with its options: the same events, phases
 * and steps; events of tasks last as long as their shares of serial blocks. Begins the trace; end
 * it with ph_trace_end. PH002 as ph_logical_begin; PH003 when another version's method assigned it.
 */
PhLogicalRun *ph_logical_again(int64 run_id);

#endif
