/*
 * device_spans.c - see device_spans.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/device_spans.h"

#include "trace/chunk/device_records.h"

/* ---- a chunk ---- */

/* Room for n more spans, and for all of them to be open, so that a chunk's events need not look. */
static PhStatus
make_room(PhEnv *env, PhDeviceSpans *spans, uint32_t n)
{
	uint64_t needed = (uint64_t) spans->list.count + n;
	while (spans->list.capacity < needed)
		PH_TRY(ph_grow_in_env(env, (void **) &spans->list.items, spans->list.capacity,
							  &spans->list.capacity, sizeof(*spans->list.items)));
	needed = (uint64_t) spans->open.count + n;
	while (spans->open.capacity < needed)
		PH_TRY(ph_grow_in_env(env, (void **) &spans->open.items, spans->open.capacity,
							  &spans->open.capacity, sizeof(*spans->open.items)));
	return PH_OK;
}

/* What is open at the chunk's start is known from the chunk before, if it was added. */
static PhStatus
resume(PhEnv *env, PhDeviceSpans *spans, const PhChunk *chunk, const PhChunkReader *reader,
	   const PhDeviceSpanMarks *marks)
{
	uint32_t depth;
	const PhOpenCall *stack = ph_chunk_stack(reader, &depth);
	bool follows = spans->location == chunk->location && spans->open.count == depth;
	spans->location = chunk->location;
	PH_TRY(make_room(env, spans, chunk->n_enter + (follows ? 0 : depth)));
	if (follows)
		return PH_OK;
	spans->open.count = 0;
	for (uint32_t i = 0; i < depth; i++)
	{
		int64_t mark = marks->kinds == NULL ? PH_NO_TIME : (int64_t) marks->kinds[stack[i].region];
		spans->open.items[i] = spans->list.count;
		spans->list.items[spans->list.count++] =
			(PhDeviceSpan){stack[i].enter, stack[i].enter, mark};
	}
	spans->open.count = depth;
	return PH_OK;
}

static inline int64_t
mark_of(const PhDeviceSpanMarks *marks, uint32_t entered, uint32_t region, int64_t start)
{
	if (marks->kinds != NULL)
		return (int64_t) marks->kinds[region];
	int64_t delay = marks->delays[entered];
	return delay == PH_NO_TIME ? PH_NO_TIME : (int64_t) ((uint64_t) start - (uint64_t) delay);
}

/* There is room; counts are kept in registers. Nearly all activities call nothing. */
static void
add_events(PhDeviceSpans *spans, const PhChunk *chunk, const PhChunkReader *reader,
		   const PhDeviceSpanMarks *marks)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	PhDeviceSpan *list = spans->list.items;
	uint32_t *open = spans->open.items;
	uint32_t n = spans->list.count, depth = spans->open.count, n_entered = 0;
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		if (kinds[i] == PH_EVENT_ENTER)
		{
			uint32_t end = ph_leaf_end(kinds, i, chunk->n_events);
			int64_t mark = mark_of(marks, n_entered, regions[n_entered], times[i]);
			list[n] = (PhDeviceSpan){times[i], times[i], mark};
			if (end == chunk->n_events)
				open[depth++] = n;
			else
				list[n].end = times[i = end];
			n++;
			n_entered++;
		}
		else if (kinds[i] == PH_EVENT_LEAVE)
			list[open[--depth]].end = times[i];
	}
	for (uint32_t i = 0; i < depth; i++)
		list[open[i]].end = chunk->t_last;
	spans->list.count = n;
	spans->open.count = depth;
}

static PhStatus
add_wait(PhEnv *env, PhDeviceSpans *spans, uint32_t at, int64_t awaited)
{
	PhDeviceSpan *span = &spans->list.items[at];
	PH_TRY(PH_ROOM(env, &spans->waits));
	spans->waits.items[spans->waits.count++] = (PhDeviceSpanLaunch){span->mark, awaited};
	span->mark = PH_NO_TIME + (int64_t) spans->waits.count;
	return PH_OK;
}

/* Records of the chunk's activities, the first of which is at `first` of the list; the record of
 * the one before it (PH_NONE: none) may be the chunk's first event. */
static PhStatus
add_waits(PhEnv *env, PhDeviceSpans *spans, uint32_t first, uint32_t before, const PhChunk *chunk,
		  const PhChunkReader *reader)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const PhOperandArrays *extras = ph_chunk_extras(reader);
	const uint32_t *n_values = extras != NULL ? extras->n_values : NULL;
	uint32_t n_entered = 0, extra = 0, value = 0;
	PhAwaited awaited;
	for (uint32_t i = 0; i < chunk->n_events && extras != NULL; i++)
	{
		n_entered += kinds[i] == PH_EVENT_ENTER;
		if (kinds[i] < PH_EVENT_METRIC)
			continue;
		uint32_t n = n_values[extra];
		uint32_t at = n_entered > 0 ? first + n_entered - 1 : before;
		if (n > PH_ACTIVITY_AWAITED && at != PH_NONE &&
			extras->operation[extra] == PH_RECORD_ACTIVITY &&
			ph_activity_awaited(extras->values + value, n, spans->list.items[at].start, &awaited))
			PH_TRY(add_wait(env, spans, at, awaited.end));
		value += n;
		extra++;
	}
	return PH_OK;
}

PhStatus
ph_device_spans_add_chunk(PhEnv *env, PhDeviceSpans *spans, const PhChunk *chunk,
						  const PhChunkReader *reader, const PhDeviceSpanMarks *marks)
{
	PH_TRY(ph_env_poll(env));
	if (marks->kinds != NULL)
		PH_TRY(ph_chunk_check_regions(env, chunk, reader, marks->n_regions));
	PH_TRY(resume(env, spans, chunk, reader, marks));
	uint32_t first = spans->list.count, depth = spans->open.count;
	uint32_t before = depth > 0 ? spans->open.items[depth - 1] : PH_NONE;
	add_events(spans, chunk, reader, marks);
	return marks->kinds == NULL ? add_waits(env, spans, first, before, chunk, reader) : PH_OK;
}

void
ph_device_spans_window(PhDeviceSpans *spans, int64_t from, int64_t to)
{
	uint32_t n = 0;
	if (from == INT64_MIN && to == INT64_MAX)
		return;
	for (uint32_t i = 0; i < spans->list.count; i++)
		if (spans->list.items[i].start < to && spans->list.items[i].end >= from)
			spans->list.items[n++] = spans->list.items[i];
	spans->list.count = n;
}

void
ph_device_spans_clear(PhDeviceSpans *spans)
{
	spans->list.count = 0;
	spans->waits.count = 0;
	spans->open.count = 0;
	spans->location = PH_NONE;
}

void
ph_device_spans_free(PhEnv *env, PhDeviceSpans *spans)
{
	PH_VECTOR_FREE(env, &spans->list);
	PH_VECTOR_FREE(env, &spans->waits);
	PH_VECTOR_FREE(env, &spans->open);
}

/* ---- in order ---- */

/* Of stretches that begin alike the one that lies before the other in the list comes first. */
static inline bool
is_before(const PhDeviceSpan *a, const PhDeviceSpan *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	return a->end != b->end ? a->end < b->end : a < b;
}

static const PhDeviceSpan *
end_of_stretch(const PhDeviceSpan *at, const PhDeviceSpan *end)
{
	while (at + 1 < end && is_before(at, at + 1))
		at++;
	return at + 1 < end ? at + 1 : end;
}

static void
sink(PhDeviceSpanOrder *order, uint32_t at)
{
	PhSpanStretch stretch = order->heap[at];
	for (uint32_t child = 2 * at + 1; child < order->n; child = 2 * at + 1)
	{
		if (child + 1 < order->n && is_before(order->heap[child + 1].next, order->heap[child].next))
			child++;
		if (is_before(stretch.next, order->heap[child].next))
			break;
		order->heap[at] = order->heap[child];
		at = child;
	}
	order->heap[at] = stretch;
}

PhStatus
ph_device_span_order_begin(PhArena *arena, const PhDeviceSpans *spans, PhDeviceSpanOrder *out)
{
	const PhDeviceSpan *end = spans->list.items + spans->list.count;
	PH_VECTOR(PhSpanStretch) stretches = {0};
	for (const PhDeviceSpan *at = spans->list.items; at < end;)
	{
		PH_TRY(PH_ROOM(arena, &stretches));
		stretches.items[stretches.count] = (PhSpanStretch){at, end_of_stretch(at, end)};
		at = stretches.items[stretches.count++].end;
	}
	*out = (PhDeviceSpanOrder){stretches.items, stretches.count};
	for (uint32_t i = out->n / 2; i-- > 0;)
		sink(out, i);
	return ph_env_poll(arena->env);
}

/* From the first stretch whatever comes before all others, which is before its children begin. */
const PhDeviceSpan *
ph_device_span_order_next(PhDeviceSpanOrder *order, uint32_t *n)
{
	if (order->n == 0)
		return NULL;
	PhSpanStretch *top = &order->heap[0];
	const PhDeviceSpan *first = top->next, *end = top->end, *at = first + 1;
	const PhDeviceSpan *limit = order->n > 1 ? order->heap[1].next : NULL;
	if (order->n > 2 && is_before(order->heap[2].next, limit))
		limit = order->heap[2].next;
	while (at < end && (limit == NULL || is_before(at, limit)))
		at++;
	*n = (uint32_t) (at - first);
	top->next = at;
	if (at == end)
		*top = order->heap[--order->n];
	if (order->n > 1)
		sink(order, 0);
	return first;
}
