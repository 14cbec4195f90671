/*
 * wait_rows.c - late senders, late receivers and waits in collectives as rows, the longest first.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/wait_rows.h"

#include "base/sort.h"
#include "trace/internal.h"
#include "trace/waits.h"

typedef struct Rows
{
	PhArena *arena;
	const PhSkeleton *skeleton;
	const PhWaitStates *waits;
	const uint32_t *order; /* waits that are rows */
	uint32_t n;
} Rows;

/* ---- which waits ---- */

typedef enum RowKind
{
	LATE_SENDERS,
	LATE_RECEIVERS,
	COLLECTIVES,
	OTHERS
} RowKind;

static RowKind
kind_of(const PhWait *wait)
{
	if (wait->instance != PH_NONE)
		return COLLECTIVES;
	if (wait->call == PH_NONE || wait->kind == PH_WAIT_LATE_POST ||
		wait->kind == PH_WAIT_LATE_COMPLETE)
		return OTHERS;
	return wait->kind == PH_WAIT_LATE_RECEIVER ? LATE_RECEIVERS : LATE_SENDERS;
}

/* The longest first, then by instance, location and time. */
static int
compare_waits(const void *context, uint32_t x, uint32_t y)
{
	const PhWait *a = (const PhWait *) context + x, *b = (const PhWait *) context + y;
	if (a->to - a->from != b->to - b->from)
		return a->to - a->from > b->to - b->from ? -1 : 1;
	if (a->instance != b->instance)
		return a->instance < b->instance ? -1 : 1;
	return x < y ? -1 : x > y;
}

static PhStatus
find_rows(Rows *rows, RowKind kind)
{
	uint32_t *order, *buffer;
	PH_TRY(PH_NEW(rows->arena, rows->waits->n, &order));
	PH_TRY(PH_NEW(rows->arena, rows->waits->n, &buffer));
	for (uint32_t i = 0; i < rows->waits->n; i++)
		if (kind_of(&rows->waits->waits[i]) == kind)
			order[rows->n++] = i;
	rows->order = order;
	return ph_sort(rows->arena->env, order, rows->n, buffer, compare_waits, rows->waits->waits);
}

/* ---- messages ---- */

static const PhCommEnd *
partner_of(const PhSkeleton *skeleton, const PhCommEnd *end)
{
	return &skeleton->locations[end->partner_location].ends[end->partner];
}

/* How many messages the call of a wait received, and how many of them were sent after its enter. */
static void
count_messages(const PhSkeleton *skeleton, const PhWait *wait, PhLateSender *row)
{
	const PhCommLocation *location = &skeleton->locations[wait->victim];
	uint32_t first = wait->end, call;
	while (first > 0 && location->ends[first - 1].call == wait->call)
		first--;
	for (uint32_t i = first; i < location->n_ends && location->ends[i].call == wait->call; i++)
	{
		const PhCommEnd *end = &location->ends[i];
		if (!ph_is_receive(end->kind) || end->partner == PH_NONE)
			continue;
		row->n_messages++;
		row->n_late += ph_end_entered(&skeleton->locations[end->partner_location],
									  partner_of(skeleton, end), &call) > wait->from;
	}
}

static PhLateSender
late_sender_of(const PhSkeleton *skeleton, const PhWait *wait)
{
	const PhCommLocation *location = &skeleton->locations[wait->victim];
	const PhCommCall *call = &location->calls[wait->call];
	const PhCommEnd *receive = &location->ends[wait->end];
	const PhCommEnd *send = partner_of(skeleton, receive);
	const PhCommEnvelope *envelope = ph_comm_envelope(location, receive);
	PhLateSender row = {.receive_enter = call->enter,
						.receive_leave = call->leave,
						.send_time = send->time,
						.receive_time = receive->time,
						.wait = wait->to - wait->from,
						.bytes = envelope->bytes,
						.send_seq = send->seq,
						.receive_seq = receive->seq,
						.sender = envelope->peer,
						.receiver = ph_trace_rank(skeleton->model, wait->victim),
						.sender_location = wait->awaited,
						.receiver_location = wait->victim,
						.receive_region = call->region,
						.comm = envelope->comm,
						.tag = envelope->tag};
	count_messages(skeleton, wait, &row);
	return row;
}

PhStatus
ph_late_senders(PhArena *arena, const PhSkeleton *skeleton, const PhWaitStates *waits,
				const PhLateSender **out, uint32_t *n)
{
	Rows rows = {.arena = arena, .skeleton = skeleton, .waits = waits};
	PhLateSender *items;
	PH_TRY(find_rows(&rows, LATE_SENDERS));
	PH_TRY(PH_NEW(arena, rows.n, &items));
	for (uint32_t i = 0; i < rows.n; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		items[i] = late_sender_of(skeleton, &waits->waits[rows.order[i]]);
	}
	*out = items;
	*n = rows.n;
	return PH_OK;
}

static PhLateReceiver
late_receiver_of(const PhSkeleton *skeleton, const PhWait *wait)
{
	const PhCommLocation *location = &skeleton->locations[wait->victim];
	const PhCommCall *call = &location->calls[wait->call];
	const PhCommEnd *send = &location->ends[wait->end];
	const PhCommEnvelope *envelope = ph_comm_envelope(location, send);
	return (PhLateReceiver){.send_enter = call->enter,
							.send_leave = call->leave,
							.receive_enter = wait->release,
							.wait = wait->to - wait->from,
							.bytes = envelope->bytes,
							.send_seq = send->seq,
							.receive_seq = partner_of(skeleton, send)->seq,
							.sender = ph_trace_rank(skeleton->model, wait->victim),
							.receiver = envelope->peer,
							.sender_location = wait->victim,
							.receiver_location = wait->awaited,
							.send_region = call->region,
							.comm = envelope->comm,
							.tag = envelope->tag};
}

PhStatus
ph_late_receivers(PhArena *arena, const PhSkeleton *skeleton, const PhWaitStates *waits,
				  const PhLateReceiver **out, uint32_t *n)
{
	Rows rows = {.arena = arena, .skeleton = skeleton, .waits = waits};
	PhLateReceiver *items;
	PH_TRY(find_rows(&rows, LATE_RECEIVERS));
	PH_TRY(PH_NEW(arena, rows.n, &items));
	for (uint32_t i = 0; i < rows.n; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		items[i] = late_receiver_of(skeleton, &waits->waits[rows.order[i]]);
	}
	*out = items;
	*n = rows.n;
	return PH_OK;
}

/* ---- collectives ---- */

PhStatus
ph_collective_waits(PhArena *arena, const PhSkeleton *skeleton, const PhWaitStates *waits,
					const PhCollectiveWait **out, uint32_t *n)
{
	Rows rows = {.arena = arena, .skeleton = skeleton, .waits = waits};
	PhCollectiveWait *items;
	uint32_t *causes;
	PH_TRY(find_rows(&rows, COLLECTIVES));
	PH_TRY(ph_collective_causes(arena, skeleton, &causes));
	PH_TRY(PH_NEW(arena, rows.n, &items));
	for (uint32_t i = 0; i < rows.n; i++)
	{
		const PhWait *wait = &waits->waits[rows.order[i]];
		uint32_t member = skeleton->locations[wait->victim].ends[wait->end].partner;
		PH_TRY(ph_env_poll(arena->env));
		items[i] = (PhCollectiveWait){.enter = wait->from,
									  .wait = wait->to - wait->from,
									  .instance = wait->instance,
									  .location = wait->victim,
									  .member = member,
									  .cause = causes[member]};
	}
	*out = items;
	*n = rows.n;
	return PH_OK;
}
