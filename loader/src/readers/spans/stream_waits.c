/*
 * stream_waits.c - see stream_waits.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/stream_waits.h"

#include "base/sort.h"

/* An activity of a stream, in the order in which the stream got them. */
typedef struct Enqueued
{
	int64_t call, end; /* begin of the launching call; INT64_MIN: unknown */
	uint32_t activity; /* 1 + its number */
} Enqueued;

typedef PH_VECTOR(Enqueued) Queue;

static int
compare_enqueued(const void *context, uint32_t x, uint32_t y)
{
	const Enqueued *a = &((const Enqueued *) context)[x];
	const Enqueued *b = &((const Enqueued *) context)[y];

	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (a->activity > b->activity) - (a->activity < b->activity);
}

static PhStatus
list_track(PhArena *scratch, const PhSpanLaunches *launches, const PhSpanRuns *runs, uint32_t track,
		   Queue *out)
{
	PhSpanMerge merge;
	const PhSpanRow *row;
	PhStatus status = PH_OK;

	PH_TRY(ph_span_merge_begin(&merge, scratch->env, runs, track));
	while (status == PH_OK && (row = ph_span_merge_next(&merge)) != NULL)
	{
		const PhSpanLaunch *call = ph_span_launched_by(launches, row);

		status = PH_ROOM(scratch, out);
		if (status == PH_OK)
			out->items[out->count++] =
				(Enqueued){call == NULL ? INT64_MIN : call->begin, row->end, row->detail};
	}
	ph_span_merge_end(&merge);
	return status;
}

static PhStatus
read_queue(PhArena *scratch, const PhSpanLaunches *launches, const PhSpanRuns *runs, uint32_t track,
		   Queue *out)
{
	Queue listed = {0};
	uint32_t *order;

	*out = (Queue){0};
	PH_TRY(list_track(scratch, launches, runs, track, &listed));
	PH_TRY(ph_sort_indices(scratch, listed.count, compare_enqueued, listed.items, &order));
	PH_TRY(PH_NEW(scratch, listed.count, &out->items));
	out->count = listed.count;
	for (uint32_t i = 0; i < listed.count; i++)
		out->items[i] = listed.items[order[i]];
	return PH_OK;
}

/* How many were launched before a time (is_up_to: or at it). */
static uint32_t
launched_before(const Queue *queue, int64_t time, bool is_up_to)
{
	uint32_t low = 0;
	uint32_t high = queue->count;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		int64_t call = queue->items[middle].call;

		if (call < time || (is_up_to && call == time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- from calls to activities ---- */

/* A side of the waits: the stream on which the events were recorded, or which waits for them. */
typedef struct Side
{
	PhArena *scratch;
	const PhSpanLaunches *launches;
	const PhSpanRuns *runs;
	PhSpanWait *waits;
	bool is_waiting;
} Side;

static uint32_t *
track_of(const Side *side, uint32_t wait)
{
	return side->is_waiting ? &side->waits[wait].waiting : &side->waits[wait].awaited;
}

static int
compare_sides(const void *context, uint32_t x, uint32_t y)
{
	const Side *side = context;
	uint32_t a = *track_of(side, x), b = *track_of(side, y);

	return (a > b) - (a < b);
}

/* The track becomes 1 + the number of an activity; 0: there is none. */
static void
find_activity(const Side *side, const Queue *queue, uint32_t wait)
{
	uint64_t number = side->is_waiting ? side->waits[wait].wait : side->waits[wait].record;
	uint32_t at;

	*track_of(side, wait) = 0;
	if (number == 0 || side->launches->calls.items[number - 1].track == PH_NONE)
		return;
	at = launched_before(queue, side->launches->calls.items[number - 1].begin, side->is_waiting);
	if (!side->is_waiting && at > 0)
		*track_of(side, wait) = queue->items[at - 1].activity;
	else if (side->is_waiting && at < queue->count)
		*track_of(side, wait) = queue->items[at].activity;
}

static PhStatus
resolve_side(Side *side, uint32_t n)
{
	Queue queue = {0};
	uint32_t *order;
	uint32_t before = PH_NONE;

	PH_TRY(ph_sort_indices(side->scratch, n, compare_sides, side, &order));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t track = *track_of(side, order[i]);

		PH_TRY(ph_env_poll(side->scratch->env));
		if (track != before)
			PH_TRY(read_queue(side->scratch, side->launches, side->runs, track, &queue));
		before = track;
		find_activity(side, &queue, order[i]);
	}
	return PH_OK;
}

static int
compare_waits(const void *context, uint32_t x, uint32_t y)
{
	const PhSpanWait *a = &((const PhSpanWait *) context)[x];
	const PhSpanWait *b = &((const PhSpanWait *) context)[y];

	if (a->waiting != b->waiting)
		return a->waiting < b->waiting ? -1 : 1;
	return (a->awaited > b->awaited) - (a->awaited < b->awaited);
}

/* What both sides of are known, by the waiting activity. */
static PhStatus
keep_pairs(PhSpanStreamWaits *waits, PhArena *arena, PhArena *scratch,
		   const PhSpanLaunches *launches)
{
	const PhSpanWait *all = launches->waits.items;
	uint32_t *order;
	PhSpanWait *kept;

	PH_TRY(ph_sort_indices(scratch, launches->waits.count, compare_waits, all, &order));
	PH_TRY(PH_NEW(arena, launches->waits.count, &kept));
	for (uint32_t i = 0; i < launches->waits.count; i++)
		if (all[order[i]].waiting != 0 && all[order[i]].awaited != 0 &&
			all[order[i]].waiting != all[order[i]].awaited)
			kept[waits->n++] = all[order[i]];
	waits->waits = kept;
	return PH_OK;
}

static PhStatus
mark_activities(PhSpanStreamWaits *waits, PhArena *arena, PhSpanLaunches *launches)
{
	uint32_t n_awaited = 0;
	uint32_t *known;

	PH_TRY(PH_NEW(arena, waits->n, &waits->awaited));
	PH_TRY(PH_NEW(arena, waits->n, &waits->of_wait));
	for (uint32_t i = 0; i < waits->n; i++)
	{
		const PhSpanWait *wait = &waits->waits[i];

		PH_TRY(ph_map_enter(&waits->first_of, wait->waiting, i, &known));
		PH_TRY(ph_map_enter(&waits->awaited_of, wait->awaited, n_awaited, &known));
		waits->of_wait[i] = *known;
		n_awaited += *known == n_awaited;
		launches->activities.items[wait->waiting - 1].scope |= PH_SPAN_WAITS;
		launches->activities.items[wait->awaited - 1].scope |= PH_SPAN_AWAITED;
	}
	for (uint32_t i = 0; i < n_awaited; i++)
		waits->awaited[i].track = PH_NONE;
	return PH_OK;
}

PhStatus
ph_stream_waits_resolve(PhSpanStreamWaits *waits, PhArena *arena, PhSpanLaunches *launches,
						const PhSpanRuns *runs)
{
	PhArena scratch;
	Side side = {
		.scratch = &scratch, .launches = launches, .runs = runs, .waits = launches->waits.items};
	PhStatus status = PH_OK;

	if (waits->are_resolved)
		return PH_OK;
	waits->are_resolved = true;
	ph_map_init(&waits->first_of, arena);
	ph_map_init(&waits->awaited_of, arena);
	ph_arena_init(&scratch, arena->env);
	for (int i = 0; i < 2 && status == PH_OK; i++)
	{
		side.is_waiting = i == 1;
		status = resolve_side(&side, launches->waits.count);
	}
	if (status == PH_OK)
		status = keep_pairs(waits, arena, &scratch, launches);
	if (status == PH_OK)
		status = mark_activities(waits, arena, launches);
	ph_arena_drop(&scratch);
	return status;
}

/* ---- when streams are placed ---- */

void
ph_stream_waits_place(PhSpanStreamWaits *waits, const PhSpanLaunches *launches,
					  const PhSpanRow *activity)
{
	const uint32_t *known;

	if ((launches->activities.items[activity->detail - 1].scope & PH_SPAN_AWAITED) == 0)
		return;
	known = ph_map_find(&waits->awaited_of, activity->detail);
	if (known != NULL)
		waits->awaited[*known] = (PhSpanAwaited){activity->end, activity->track};
}

const PhSpanAwaited *
ph_stream_waits_find(const PhSpanStreamWaits *waits, const PhSpanRow *activity)
{
	const uint32_t *first = ph_map_find(&waits->first_of, activity->detail);
	const PhSpanAwaited *latest = NULL;

	if (first == NULL)
		return NULL;
	for (uint32_t i = *first; i < waits->n && waits->waits[i].waiting == activity->detail; i++)
	{
		const PhSpanAwaited *awaited = &waits->awaited[waits->of_wait[i]];

		if (awaited->track != PH_NONE && awaited->end <= activity->begin &&
			(latest == NULL || awaited->end > latest->end))
			latest = awaited;
	}
	return latest;
}
