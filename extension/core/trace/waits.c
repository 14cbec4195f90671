/*
 * waits.c - late senders, late receivers, waits in collectives.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/waits.h"

#include <string.h>

#include "base/min_max.h"
#include "trace/internal.h"

/* Rows found, in scratch memory that grows; sorted into the caller's arena at the end. */
typedef struct WaitRows
{
	PhEnv *env;
	const PhSkeleton *skeleton;
	uint32_t n, room;
	size_t size, wait_at; /* of a row; of its wait within */
	char *rows;
} WaitRows;

static PhStatus
add_row(WaitRows *rows, const void *row)
{
	if (rows->n == rows->room)
		PH_TRY(ph_grow_in_env(rows->env, (void **) &rows->rows, rows->n, &rows->room, rows->size));
	memcpy(rows->rows + rows->n++ * rows->size, row, rows->size);
	return PH_OK;
}

/* Longest waits first. */
static PhStatus
order_rows(PhArena *scratch, const WaitRows *rows, PhCompareFunction compare, uint32_t **order)
{
	PhKeyed *keyed;
	PH_TRY(PH_NEW(scratch, rows->n, &keyed));
	for (uint32_t i = 0; i < rows->n; i++)
	{
		int64_t wait;
		memcpy(&wait, rows->rows + i * rows->size + rows->wait_at, sizeof(wait));
		keyed[i] = (PhKeyed){~(uint64_t) wait, i};
	}
	return ph_trace_order_keys(scratch, keyed, rows->n, compare, rows->rows, order);
}

/* The rows in order, in arena; the scratch memory is given back in any case. */
static PhStatus
finish_rows(PhArena *arena, WaitRows *rows, PhStatus status, PhCompareFunction compare,
			const void **out, uint32_t *n)
{
	PhArena scratch;
	uint32_t *order = NULL;
	void *sorted = NULL;
	ph_arena_init(&scratch, arena->env);
	if (status == PH_OK)
		status = order_rows(&scratch, rows, compare, &order);
	if (status == PH_OK)
		status = ph_arena_alloc(arena, rows->n, rows->size, &sorted);
	for (uint32_t i = 0; i < rows->n && status == PH_OK; i++)
		memcpy((char *) sorted + i * rows->size, rows->rows + order[i] * rows->size, rows->size);
	ph_arena_drop(&scratch);
	ph_env_free(arena->env, rows->rows, rows->room, rows->size);
	*out = sorted;
	*n = rows->n;
	return status;
}

#define COMPARE(x, y)                                                                              \
	if ((x) != (y))                                                                                \
	return (x) < (y) ? -1 : 1

/* ---- late senders ---- */

static int
compare_late_senders(const void *context, uint32_t x, uint32_t y)
{
	const PhLateSender *a = (const PhLateSender *) context + x;
	const PhLateSender *b = (const PhLateSender *) context + y;
	COMPARE(a->receiver_location, b->receiver_location);
	COMPARE(a->receive_seq, b->receive_seq);
	return 0;
}

/* By call: what its receives waited for. */
typedef struct CallWait
{
	uint32_t latest; /* receive whose send was the last; the first of equals; + 1, 0: none */
	uint32_t n_messages, n_late;
	int64_t sent; /* when the latest was */
} CallWait;

static const PhCommEnd *
partner_of(const PhSkeleton *skeleton, const PhCommEnd *end)
{
	return &skeleton->locations[end->partner_location].ends[end->partner];
}

/*
 * For each call of a location: how many messages it received, how many of them were sent after it
 * was entered, and which was sent last.
 */
static PhStatus
collect_receives(const PhSkeleton *skeleton, const PhCommLocation *location, CallWait *waits)
{
	const int64_t *send_time = location->send_times;
	for (uint32_t i = 0; i < location->n_ends; i++)
	{
		const PhCommEnd *end = &location->ends[i];
		PH_TRY(ph_env_poll(skeleton->env));
		if (!ph_is_receive(end->kind))
			continue;
		int64_t sent = *send_time++;
		if (end->call == PH_NONE || end->partner == PH_NONE)
			continue;
		CallWait *wait = &waits[end->call];
		wait->n_messages++;
		wait->n_late += sent > location->calls[end->call].enter;
		if (wait->latest == 0 || sent > wait->sent)
		{
			wait->latest = i + 1;
			wait->sent = sent;
		}
	}
	return PH_OK;
}

/*
 * Adds a row if the call waited: from its enter to the last of its sends, or to its own end if that
 * is earlier.
 */
static PhStatus
add_late_sender(WaitRows *rows, uint32_t at, const PhCommCall *call, const CallWait *wait)
{
	const PhSkeleton *skeleton = rows->skeleton;
	int64_t until = PH_MIN(wait->sent, call->leave);
	if (until <= call->enter)
		return PH_OK;
	const PhCommEnd *receive = &skeleton->locations[at].ends[wait->latest - 1];
	const PhCommEnd *send = partner_of(skeleton, receive);
	PhLateSender row = {.receive_enter = call->enter,
						.receive_leave = call->leave,
						.send_time = send->time,
						.receive_time = receive->time,
						.wait = until - call->enter,
						.bytes = receive->bytes,
						.send_seq = send->seq,
						.receive_seq = receive->seq,
						.sender = receive->peer,
						.receiver = ph_trace_rank(skeleton->model, at),
						.sender_location = receive->partner_location,
						.receiver_location = at,
						.receive_region = call->region,
						.comm = receive->comm,
						.tag = receive->tag,
						.n_messages = wait->n_messages,
						.n_late = wait->n_late};
	return add_row(rows, &row);
}

static PhStatus
find_late_senders(WaitRows *rows, uint32_t at)
{
	const PhCommLocation *location = &rows->skeleton->locations[at];
	PhArena scratch;
	CallWait *waits;
	ph_arena_init(&scratch, rows->env);
	PhStatus status = PH_NEW(&scratch, location->n_calls, &waits);
	if (status == PH_OK)
		status = collect_receives(rows->skeleton, location, waits);
	for (uint32_t i = 0; i < location->n_calls && status == PH_OK; i++)
	{
		status = ph_env_poll(rows->env);
		if (status == PH_OK && waits[i].latest != 0)
			status = add_late_sender(rows, at, &location->calls[i], &waits[i]);
	}
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_late_senders(PhArena *arena, const PhSkeleton *skeleton, const PhLateSender **out, uint32_t *n)
{
	WaitRows rows = {.env = arena->env, .skeleton = skeleton, .size = sizeof(PhLateSender)};
	rows.wait_at = offsetof(PhLateSender, wait);
	PhStatus status = PH_OK;
	for (uint32_t at = 0; at < skeleton->n_locations && status == PH_OK; at++)
		status = find_late_senders(&rows, at);
	return finish_rows(arena, &rows, status, compare_late_senders, (const void **) out, n);
}

/* ---- late receivers ---- */

static int
compare_late_receivers(const void *context, uint32_t x, uint32_t y)
{
	const PhLateReceiver *a = (const PhLateReceiver *) context + x;
	const PhLateReceiver *b = (const PhLateReceiver *) context + y;
	COMPARE(a->sender_location, b->sender_location);
	COMPARE(a->send_seq, b->send_seq);
	return 0;
}

struct PhRendezvous
{
	const PhSkeleton *skeleton;
	uint64_t n_late[65], n_lasted[65]; /* by size class: late receivers; those waited for */
};

static unsigned
size_class(uint64_t bytes)
{
	unsigned class = 0;
	for (; bytes > 0; bytes >>= 1)
		class ++;
	return class;
}

/*
 * The blocking receiving call of a blocking send; NULL: one of them does not block, or nobody
 * knows. A receive that a waiting call completes was posted before by another one.
 */
static const PhCommCall *
blocking_receive(const PhRendezvous *rendezvous, const PhCommEnd *send)
{
	const PhSkeleton *skeleton = rendezvous->skeleton;
	if (send->kind != PH_EVENT_SEND || send->partner == PH_NONE || send->call == PH_NONE)
		return NULL;
	const PhCommEnd *receive = partner_of(skeleton, send);
	if (receive->kind != PH_EVENT_RECV || receive->call == PH_NONE)
		return NULL;
	const PhCommCall *receiving = &skeleton->locations[send->partner_location].calls[receive->call];
	if (receiving->region < skeleton->model->n_regions &&
		(skeleton->mpi[receiving->region].does & PH_MPI_COMPLETES) != 0)
		return NULL;
	return receiving;
}

/* The same if it was entered after the send's. */
static const PhCommCall *
late_receive(const PhRendezvous *rendezvous, uint32_t at, const PhCommEnd *send)
{
	const PhCommCall *receiving = blocking_receive(rendezvous, send);
	if (receiving == NULL)
		return NULL;
	const PhCommCall *sending = &rendezvous->skeleton->locations[at].calls[send->call];
	return receiving->enter > sending->enter ? receiving : NULL;
}

static bool
lasted(const PhRendezvous *rendezvous, uint32_t at, const PhCommEnd *send,
	   const PhCommCall *receiving)
{
	return receiving->enter < rendezvous->skeleton->locations[at].calls[send->call].leave;
}

static PhStatus
count_late_receives(PhRendezvous *rendezvous)
{
	for (uint32_t at = 0; at < rendezvous->skeleton->n_locations; at++)
	{
		const PhCommLocation *location = &rendezvous->skeleton->locations[at];
		for (uint32_t i = 0; i < location->n_ends; i++)
		{
			const PhCommEnd *send = &location->ends[i];
			const PhCommCall *receiving = late_receive(rendezvous, at, send);
			PH_TRY(ph_env_poll(rendezvous->skeleton->env));
			if (receiving == NULL)
				continue;
			rendezvous->n_late[size_class(send->bytes)]++;
			rendezvous->n_lasted[size_class(send->bytes)] +=
				lasted(rendezvous, at, send, receiving);
		}
	}
	return PH_OK;
}

PhStatus
ph_rendezvous_find(PhArena *arena, const PhSkeleton *skeleton, const PhRendezvous **out)
{
	PhRendezvous *rendezvous;
	PH_TRY(PH_NEW(arena, 1, &rendezvous));
	rendezvous->skeleton = skeleton;
	*out = rendezvous;
	return count_late_receives(rendezvous);
}

static bool
is_rendezvous_class(const PhRendezvous *rendezvous, unsigned class)
{
	return rendezvous->n_lasted[class] * 10 >= rendezvous->n_late[class] * 9;
}

bool
ph_rendezvous_waited(const PhRendezvous *rendezvous, uint32_t at, const PhCommEnd *send,
					 const PhCommCall **call)
{
	*call = late_receive(rendezvous, at, send);
	if (*call == NULL || !lasted(rendezvous, at, send, *call))
		return false;
	return is_rendezvous_class(rendezvous, size_class(send->bytes));
}

bool
ph_rendezvous_needs_receiver(const PhRendezvous *rendezvous, uint32_t at, const PhCommEnd *send)
{
	unsigned class = size_class(send->bytes);
	const PhCommCall *late = late_receive(rendezvous, at, send);
	if (blocking_receive(rendezvous, send) == NULL || rendezvous->n_late[class] == 0)
		return false;
	if (late != NULL && !lasted(rendezvous, at, send, late))
		return false;
	return is_rendezvous_class(rendezvous, class);
}

/* Adds a row if a send waited for its receiver. */
static PhStatus
add_late_receiver(WaitRows *rows, const PhRendezvous *rendezvous, uint32_t at,
				  const PhCommEnd *send)
{
	const PhSkeleton *skeleton = rows->skeleton;
	const PhCommCall *receiving;
	if (!ph_rendezvous_waited(rendezvous, at, send, &receiving))
		return PH_OK;
	const PhCommCall *sending = &skeleton->locations[at].calls[send->call];
	PhLateReceiver row = {.send_enter = sending->enter,
						  .send_leave = sending->leave,
						  .receive_enter = receiving->enter,
						  .wait = receiving->enter - sending->enter,
						  .bytes = send->bytes,
						  .send_seq = send->seq,
						  .receive_seq = partner_of(skeleton, send)->seq,
						  .sender = ph_trace_rank(skeleton->model, at),
						  .receiver = send->peer,
						  .sender_location = at,
						  .receiver_location = send->partner_location,
						  .send_region = sending->region,
						  .comm = send->comm,
						  .tag = send->tag};
	return add_row(rows, &row);
}

PhStatus
ph_late_receivers(PhArena *arena, const PhSkeleton *skeleton, const PhLateReceiver **out,
				  uint32_t *n)
{
	WaitRows rows = {.env = arena->env, .skeleton = skeleton, .size = sizeof(PhLateReceiver)};
	const PhRendezvous *rendezvous;
	PhArena scratch;
	rows.wait_at = offsetof(PhLateReceiver, wait);
	ph_arena_init(&scratch, arena->env);
	PhStatus status = ph_rendezvous_find(&scratch, skeleton, &rendezvous);
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
	{
		const PhCommLocation *location = &skeleton->locations[at];
		for (uint32_t i = 0; i < location->n_ends && status == PH_OK; i++)
		{
			status = ph_env_poll(arena->env);
			if (status == PH_OK)
				status = add_late_receiver(&rows, rendezvous, at, &location->ends[i]);
		}
	}
	ph_arena_drop(&scratch);
	return finish_rows(arena, &rows, status, compare_late_receivers, (const void **) out, n);
}

/* ---- collectives ---- */

static int
compare_collective_waits(const void *context, uint32_t x, uint32_t y)
{
	const PhCollectiveWait *a = (const PhCollectiveWait *) context + x;
	const PhCollectiveWait *b = (const PhCollectiveWait *) context + y;
	COMPARE(a->instance, b->instance);
	COMPARE(a->location, b->location);
	return 0;
}

int64_t
ph_collective_entered(const PhSkeleton *skeleton, uint32_t at, const PhCommEnd *end)
{
	const PhCollectiveMember *member = &skeleton->collectives.members[end->partner];
	if (member->is_blocking || end->call == PH_NONE)
		return member->enter;
	return skeleton->locations[at].calls[end->call].enter;
}

static PhStatus
add_collective_wait(WaitRows *rows, uint32_t at, const PhCommEnd *end, const uint32_t *causes)
{
	const PhSkeleton *skeleton = rows->skeleton;
	if (end->kind != PH_EVENT_COLLECTIVE_END && end->kind != PH_EVENT_NB_COLLECTIVE_COMPLETE)
		return PH_OK;
	uint32_t cause = causes[end->partner];
	if (cause == PH_NONE)
		return PH_OK;
	int64_t enter = ph_collective_entered(skeleton, at, end);
	int64_t until = skeleton->collectives.members[cause].enter;
	until = PH_MIN(until, end->time);
	PhCollectiveWait row = {.enter = enter, .wait = until - enter, .location = at};
	row.instance = skeleton->collectives.members[end->partner].instance;
	row.member = end->partner;
	row.cause = cause;
	return row.wait > 0 ? add_row(rows, &row) : PH_OK;
}

PhStatus
ph_collective_waits(PhArena *arena, const PhSkeleton *skeleton, const PhCollectiveWait **out,
					uint32_t *n)
{
	WaitRows rows = {.env = arena->env, .skeleton = skeleton, .size = sizeof(PhCollectiveWait)};
	rows.wait_at = offsetof(PhCollectiveWait, wait);
	PhArena scratch;
	uint32_t *causes;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = ph_collective_causes(&scratch, skeleton, &causes);
	for (uint32_t at = 0; at < skeleton->n_locations && status == PH_OK; at++)
	{
		const PhCommLocation *location = &skeleton->locations[at];
		for (uint32_t i = 0; i < location->n_ends && status == PH_OK; i++)
		{
			status = ph_env_poll(arena->env);
			if (status == PH_OK)
				status = add_collective_wait(&rows, at, &location->ends[i], causes);
		}
	}
	ph_arena_drop(&scratch);
	return finish_rows(arena, &rows, status, compare_collective_waits, (const void **) out, n);
}
