/*
 * usage.c - see usage.h.
 *
 * A union of intervals that come by start: each adds what of it lies behind the end reached so far.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/usage.h"

#include "base/min_max.h"
#include "base/sort.h"

typedef struct Covered
{
	int64_t reach, length;
} Covered;

static inline void
cover(Covered *covered, const PhDeviceSpan *span)
{
	int64_t from = PH_MAX(covered->reach, span->start);
	covered->length += PH_MAX(span->end - from, 0);
	covered->reach = PH_MAX(covered->reach, span->end);
}

PhStatus
ph_device_usage(PhArena *arena, const PhDeviceSpans *spans, PhDeviceUsage *out)
{
	Covered all = {INT64_MIN, 0}, kernels = all, copies = all;
	Covered by_kind[PH_ACTIVITY_KINDS] = {all, all, all, all};
	PhDeviceSpanOrder order;
	const PhDeviceSpan *batch;
	uint32_t n;
	int64_t first = INT64_MAX;
	PH_TRY(ph_device_span_order_begin(arena, spans, &order));
	while ((batch = ph_device_span_order_next(&order, &n)) != NULL)
	{
		first = PH_MIN(first, batch->start);
		for (uint32_t i = 0; i < n; i++)
		{
			PhActivityKind kind = (PhActivityKind) batch[i].mark;
			cover(&all, &batch[i]);
			cover(ph_activity_kind_is_kernel(kind) ? &kernels : &copies, &batch[i]);
			cover(&by_kind[kind], &batch[i]);
		}
	}
	int64_t compute = by_kind[PH_ACTIVITY_COMPUTE].length;
	int64_t communication = by_kind[PH_ACTIVITY_COMMUNICATION].length;
	*out = (PhDeviceUsage){.wall = spans->list.count == 0 ? 0 : all.reach - first,
						   .busy = all.length,
						   .compute = compute,
						   .communication = communication,
						   .copies = copies.length,
						   .overlap = compute + communication - kernels.length};
	return PH_OK;
}

/* A stream was free, and the next span had not begun. */
static void
add_gap(PhStreamIdle *idle, const PhDeviceSpans *spans, int64_t free_at, const PhDeviceSpan *span,
		int64_t threshold)
{
	PhDeviceSpanLaunch launch = ph_device_span_launch(spans, span);
	int64_t launched = launch.call == PH_NO_TIME ? free_at : PH_MAX(launch.call, free_at);
	int64_t gap = span->start - free_at;
	idle->n_gaps++;
	if (launch.awaited != PH_NO_TIME && launch.awaited > launched && launch.awaited <= span->start)
	{
		idle->host_wait += launched - free_at;
		idle->stream_wait += launch.awaited - launched;
		gap = span->start - launch.awaited;
		*(gap < threshold ? &idle->launch_gap : &idle->other) += gap;
	}
	else
		*(launched > free_at ? &idle->host_wait
		  : gap < threshold	 ? &idle->launch_gap
							 : &idle->other) += gap;
}

PhStatus
ph_stream_idle(PhArena *arena, const PhDeviceSpans *spans, int64_t threshold, PhStreamIdle *out)
{
	PhStreamIdle idle = {0};
	Covered all = {INT64_MIN, 0};
	PhDeviceSpanOrder order;
	const PhDeviceSpan *batch;
	uint32_t n;
	PH_TRY(ph_device_span_order_begin(arena, spans, &order));
	while ((batch = ph_device_span_order_next(&order, &n)) != NULL)
		for (uint32_t i = 0; i < n; i++)
		{
			if (batch[i].start > all.reach && all.reach != INT64_MIN)
				add_gap(&idle, spans, all.reach, &batch[i], threshold);
			cover(&all, &batch[i]);
		}
	idle.busy = all.length;
	*out = idle;
	return PH_OK;
}

/* ---- queues ---- */

typedef struct Launched
{
	const PhDeviceActivity *list;
	const uint32_t *order;
} Launched;

static int
compare_calls(const void *context, uint32_t x, uint32_t y)
{
	const Launched *launched = context;
	int64_t a = launched->list[launched->order[x]].call,
			b = launched->list[launched->order[y]].call;
	return a < b ? -1 : a > b;
}

/* Of one call all were launched at once: they see each other. */
static uint32_t
end_of_call(const Launched *launched, const uint32_t *sorted, uint32_t n, uint32_t at)
{
	uint32_t end = at + 1;
	while (end < n && compare_calls(launched, sorted[at], sorted[end]) == 0)
		end++;
	return end;
}

PhStatus
ph_stream_queue(PhArena *arena, const PhActivities *activities, const uint32_t *order, uint32_t n,
				uint32_t **out)
{
	Launched launched = {activities->list.items, order};
	uint32_t *sorted, *queue;
	uint32_t first = 0, n_begun = 0, next = 0;
	PH_TRY(PH_NEW(arena, n, &queue));
	PH_TRY(ph_sort_indices(arena, n, compare_calls, &launched, &sorted));
	while (first < n && launched.list[order[sorted[first]]].call == PH_NO_TIME)
		first++;
	for (uint32_t at = first; at < n;)
	{
		uint32_t end = end_of_call(&launched, sorted, n, at);
		int64_t call = launched.list[order[sorted[at]]].call;
		for (; next < n && launched.list[order[next]].start < call; next++)
			n_begun += launched.list[order[next]].call != PH_NO_TIME;
		for (; at < end; at++)
			queue[sorted[at]] = end - first > n_begun ? end - first - n_begun : 0;
	}
	*out = queue;
	return PH_OK;
}
