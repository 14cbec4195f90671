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
mark_of(const PhDeviceSpanMarks *marks, bool by_kind, uint32_t entered, const uint32_t *regions,
		int64_t start)
{
	if (by_kind)
		return (int64_t) marks->kinds[regions[entered]];
	int64_t delay = marks->delays[entered];
	return delay == PH_NO_TIME ? PH_NO_TIME : (int64_t) ((uint64_t) start - (uint64_t) delay);
}

/* Which records are of which activities of a chunk, where each has one between its ENTER and its
 * LEAVE: those in front are of the call that was open before, the others one after the other. */
typedef struct Records
{
	bool are_regular;
	uint32_t n_before, n;
} Records;

/*
 * In a chunk whose ended activities are three events each: there is nothing between them, and the
 * one that its end cut off (cut; PH_NONE: none) is the last and has one record at most.
 */
static Records
find_records(const PhChunk *chunk, const uint8_t *kinds, uint32_t cut)
{
	uint32_t first = 0, last = chunk->n_events;
	Records records = {.are_regular = chunk->n_message == 0 && chunk->n_enter > 0};
	if (!records.are_regular)
		return records;
	while (kinds[first] != PH_EVENT_ENTER)
		records.n_before += kinds[first++] != PH_EVENT_LEAVE;
	while (kinds[last - 1] != PH_EVENT_ENTER)
		last--;
	uint32_t n_behind = cut == PH_NONE ? 1 : chunk->n_events - last;
	records.n = records.n_before + chunk->n_enter - 1 + n_behind;
	records.are_regular = last - 1 - first == 3 * (chunk->n_enter - 1) && n_behind < 2 &&
						  (cut == PH_NONE ? last + 2 == chunk->n_events : cut == last - 1);
	return records;
}

/* There is room; counts are kept in registers. Nearly all activities call nothing. by_kind is a
 * constant of each call, so that nothing is asked in the loop. */
static inline Records
add_events(PhDeviceSpans *spans, const PhChunk *chunk, const PhChunkReader *reader,
		   const PhDeviceSpanMarks *marks, bool by_kind)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	PhDeviceSpan *list = spans->list.items;
	uint32_t *open = spans->open.items;
	uint32_t n = spans->list.count, depth = spans->open.count, n_entered = 0;
	uint32_t odd = 0, cut = PH_NONE;
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		if (kinds[i] == PH_EVENT_ENTER)
		{
			uint32_t end = ph_leaf_end(kinds, i, chunk->n_events);
			int64_t mark = mark_of(marks, by_kind, n_entered, regions, times[i]);
			list[n] = (PhDeviceSpan){times[i], times[i], mark};
			if (end == chunk->n_events)
			{
				open[depth++] = n;
				odd |= cut != PH_NONE;
				cut = i;
			}
			else
			{
				odd |= (end - i) ^ 2;
				list[n].end = times[i = end];
			}
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
	return odd == 0 ? find_records(chunk, kinds, cut) : (Records){0};
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

/* A record of the activity at `at` of the list; PH_NONE: of none. */
static PhStatus
take_record(PhEnv *env, PhDeviceSpans *spans, uint32_t at, const PhOperandArrays *extras,
			uint32_t extra, const uint64_t *values)
{
	PhAwaited awaited;
	if (at == PH_NONE || extras->operation[extra] != PH_RECORD_ACTIVITY ||
		!ph_activity_awaited(values, extras->n_values[extra], spans->list.items[at].start,
							 &awaited))
		return PH_OK;
	return add_wait(env, spans, at, awaited.end);
}

static PhStatus
take_regular(PhEnv *env, PhDeviceSpans *spans, uint32_t first, uint32_t before,
			 const Records *records, const PhOperandArrays *extras)
{
	const uint64_t *values = extras->values;
	for (uint32_t extra = 0; extra < records->n; values += extras->n_values[extra++])
	{
		if (extras->n_values[extra] <= PH_ACTIVITY_AWAITED)
			continue;
		uint32_t at = extra < records->n_before ? before : first + extra - records->n_before;
		PH_TRY(take_record(env, spans, at, extras, extra, values));
	}
	return PH_OK;
}

/* The same of any chunk. before: the call that is open at its start; PH_NONE. */
static PhStatus
take_records(PhEnv *env, PhDeviceSpans *spans, uint32_t first, uint32_t before,
			 const PhChunk *chunk, const PhChunkReader *reader)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const PhOperandArrays *extras = ph_chunk_extras(reader);
	uint32_t n_entered = 0, extra = 0;
	const uint64_t *values = extras->values;
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		n_entered += kinds[i] == PH_EVENT_ENTER;
		if (kinds[i] < PH_EVENT_METRIC)
			continue;
		PH_TRY(take_record(env, spans, n_entered > 0 ? first + n_entered - 1 : before, extras,
						   extra, values));
		values += extras->n_values[extra++];
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
	if (marks->kinds != NULL)
	{
		(void) add_events(spans, chunk, reader, marks, true);
		return PH_OK;
	}
	Records records = add_events(spans, chunk, reader, marks, false);
	const PhOperandArrays *extras = ph_chunk_extras(reader);
	if (extras == NULL)
		return PH_OK;
	return records.are_regular ? take_regular(env, spans, first, before, &records, extras)
							   : take_records(env, spans, first, before, chunk, reader);
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
