/*
 * device_spans.h - when the activities of one device or one stream were, in memory that is used
 * again for the next one.
 *
 * For questions that need times and one thing more of every activity: what is kept is half as long
 * as a PhDeviceActivity, nothing is sorted, and of all devices no more than are met at once.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_DEVICE_SPANS_H
#define PH_DEVICES_DEVICE_SPANS_H

#include "devices/activities.h"

typedef struct PhDeviceSpan
{
	int64_t start, end;
	int64_t mark; /* the kind (PhActivityKind), or its launch: ph_device_span_launch */
} PhDeviceSpan;

/* Of an activity that had to wait for another stream. */
typedef struct PhDeviceSpanLaunch
{
	int64_t call;	 /* when it was launched; PH_NO_TIME: not known */
	int64_t awaited; /* when what it waited for ended; PH_NO_TIME: it did not wait */
} PhDeviceSpanLaunch;

/* Zeroed: none, but for the location, which is PH_NONE. In memory of env; ph_device_spans_free. */
typedef struct PhDeviceSpans
{
	PH_VECTOR(PhDeviceSpan) list;
	PH_VECTOR(PhDeviceSpanLaunch) waits; /* of few activities, so that marks are small */
	PhIndices open;						 /* of the location at hand, innermost last */
	uint32_t location;
} PhDeviceSpans;

/* Marks from here on are times; those below are PH_NO_TIME and 1 + numbers of waits above it. */
#define PH_FIRST_MARKED_TIME (PH_NO_TIME + 1 + (INT64_C(1) << 32))

/* Of spans that are marked with launches. */
static inline PhDeviceSpanLaunch
ph_device_span_launch(const PhDeviceSpans *spans, const PhDeviceSpan *span)
{
	if (span->mark == PH_NO_TIME || span->mark >= PH_FIRST_MARKED_TIME)
		return (PhDeviceSpanLaunch){span->mark, PH_NO_TIME};
	return spans->waits.items[span->mark - PH_NO_TIME - 1];
}

/* What spans are marked with: kinds by region, or launches, by ph_launch_delays of the chunk. */
typedef struct PhDeviceSpanMarks
{
	const PhActivityKind *kinds; /* NULL: launches are wanted */
	uint32_t n_regions;
	const int64_t *delays;
} PhDeviceSpanMarks;

/* As ph_activities_add_chunk, but launches need no more than LENGTHS; waits are kept of chunks that
 * were opened with EXTRA, beside launches. PH_ERR_FORMAT: a region that does not exist. */
PhStatus ph_device_spans_add_chunk(PhEnv *env, PhDeviceSpans *spans, const PhChunk *chunk,
								   const PhChunkReader *reader,
								   const PhDeviceSpanMarks *marks) PH_MUST_CHECK;

/* Leave out what does not overlap [from, to). */
void ph_device_spans_window(PhDeviceSpans *spans, int64_t from, int64_t to);

/* None again; the memory is kept. */
void ph_device_spans_clear(PhDeviceSpans *spans);
void ph_device_spans_free(PhEnv *env, PhDeviceSpans *spans);

/*
 * All spans by start, end and place in the list, as batches that lie in it one behind the other.
 * O(n log m) of m stretches of the list that are in order already, as those of a location are.
 */
typedef struct PhSpanStretch
{
	const PhDeviceSpan *next, *end;
} PhSpanStretch;

typedef struct PhDeviceSpanOrder
{
	PhSpanStretch *heap; /* the one with the first span on top */
	uint32_t n;
} PhDeviceSpanOrder;

PhStatus ph_device_span_order_begin(PhArena *arena, const PhDeviceSpans *spans,
									PhDeviceSpanOrder *out) PH_MUST_CHECK;

/* The next batch of n > 0 spans; NULL: that was all. */
const PhDeviceSpan *ph_device_span_order_next(PhDeviceSpanOrder *order, uint32_t *n);

#endif
