/*
 * trace.h - a trace out of spans: calls of threads and activities of devices, each with its
 * begin and its end, in any order.
 *
 * For formats that record a call as one row (Nsight Systems, rocpd). A reader
 *   1. names tracks: the threads of processes, and the streams of their devices;
 *   2. hands over spans: calls of threads, activities (kernels, copies, memsets) of streams, each
 *      with the region that it is of and the number by which its source correlates them;
 *   3. finishes: spans become locations with nested calls, launches are matched, and the trace is
 *      ready for PhRunInput.trace.
 *
 * A launch is an equal correlation within a process; of several calls with one correlation the
 * outermost launched (a driver's call within the runtime's). One call may launch many activities.
 * Synchronisation records and annotations of streams are no activities: do not hand them over.
 *
 * Nothing is cut: calls of a thread that cross each other's ends, and activities of a stream that
 * overlap, are in lanes of their own: locations named "NAME (2)", of the same rank. Threads come
 * first, by rank and number, then streams by rank, device, context, stream and lane.
 *
 * Memory: source.h. Time: O(n log n), O(n) for what is in order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_TRACE_H
#define PH_READERS_SPANS_TRACE_H

#include "readers/spans/source.h"

typedef struct PhSpanTrace PhSpanTrace;

PhStatus ph_span_trace_new(PhEnv *env, PhSpanTrace **out) PH_MUST_CHECK;

/* Before it is finished; afterwards the source is freed by its own function. NULL is fine. */
void ph_span_trace_free(PhSpanTrace *trace);

/*
 * A process; correlations are of it. rank: from 0, each process another (PH_ERR_VALUE); host: NULL,
 * it is not known. Strings are copied.
 */
PhStatus ph_span_trace_process(PhSpanTrace *trace, int32_t rank, const char *host,
							   uint32_t *out) PH_MUST_CHECK;

/*
 * A thread of a process, made when new: number tells it from others and gives their order; name
 * counts when it is new, NULL: "thread NUMBER".
 */
PhStatus ph_span_trace_thread(PhSpanTrace *trace, uint32_t process, uint64_t number,
							  const char *name, uint32_t *out) PH_MUST_CHECK;

/*
 * A stream of a device of a process, made when new. name: NULL: "GPU 0 stream 7". lane is the
 * trace's own.
 */
PhStatus ph_span_trace_stream(PhSpanTrace *trace, uint32_t process, PhDeviceStream stream,
							  const char *name, uint32_t *out) PH_MUST_CHECK;

/*
 * A region, made when new; fields that are NULL are "". Activities have the role PH_ROLE_KERNEL,
 * PH_ROLE_COPY ("memcpy HtoD", …) or PH_ROLE_SET and the paradigm of their API ("cuda", "hip", …).
 */
PhStatus ph_span_trace_region(PhSpanTrace *trace, const PhTraceRegion *region,
							  uint32_t *out) PH_MUST_CHECK;

/* How a kernel was launched, made when new: for PhTraceSpan.configuration. */
PhStatus ph_span_trace_configuration(PhSpanTrace *trace, const PhLaunchConfiguration *configuration,
									 uint32_t *out) PH_MUST_CHECK;

/* A communicator of collectives of devices, made when new. Its members are the ranks whose calls
 * name it. */
PhStatus ph_span_trace_communicator(PhSpanTrace *trace, const char *name,
									uint32_t *out) PH_MUST_CHECK;

typedef struct PhTraceSpan
{
	int64_t start, end; /* ns of any clock that all tracks share; start <= end, PH_SPAN_OPEN */
	uint32_t track;		/* a thread or a stream */
	uint32_t region;
	uint64_t correlation;	/* of the process; 0: none */
	uint64_t bytes;			/* of copies and memsets */
	uint32_t configuration; /* 1 + that of a kernel; 0: not known */
} PhTraceSpan;

/* From a call on a stream waits for what another one was given before another call. */
typedef struct PhTraceWait
{
	uint64_t wait, record;	   /* correlations of these calls */
	uint32_t waiting, awaited; /* streams of one process */
} PhTraceWait;

/*
 * A call or annotation of collectives on a thread, by its name: what it tells of kernels that are
 * launched within it. Others are passed over. range: its operation follows from the name.
 */
PhStatus ph_span_trace_collective(PhSpanTrace *trace, const char *name,
								  const PhCollectiveRange *range) PH_MUST_CHECK;

PhStatus ph_span_trace_wait(PhSpanTrace *trace, const PhTraceWait *wait) PH_MUST_CHECK;

/* The spans of the processes so far are complete: no later ones were launched by their calls. */
PhStatus ph_span_trace_end_file(PhSpanTrace *trace) PH_MUST_CHECK;

/* PH_ERR_VALUE, without a place, when it ends before it begins or beyond 73 years from time 0. */
PhStatus ph_span_trace_add(PhSpanTrace *trace, const PhTraceSpan *span) PH_MUST_CHECK;

typedef struct PhSpanCounts
{
	uint64_t calls;		/* of threads */
	uint64_t crossing;	/* of them in lanes of their own */
	uint64_t overlaps;	/* activities in lanes of their own */
	uint64_t cut;		/* that found no lane */
	int64_t first_time; /* of the source's clock: where the trace's time 0 is */
} PhSpanCounts;

/*
 * The trace's source, whose memory trace is from here on; on failure trace is still to be freed.
 * epoch_ns: of the source's time 0, since 1970; PH_NO_TIME: unknown. PH_ERR_VALUE: no spans.
 */
PhStatus ph_span_trace_finish(PhSpanTrace *trace, int64_t epoch_ns, PhSpanCounts *counts,
							  PhTraceSource **out) PH_MUST_CHECK;

#endif
