/*
 * messages.c - rows from receives and their links; sends are looked up by their ordinals.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/messages.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "trace/internal.h"
#include "trace/skeleton.h"

typedef struct Send
{
	int64_t time;
	uint64_t seq, bytes;
	uint32_t location, peer, comm;
	int32_t tag;
	uint32_t region;
	bool received;
} Send;

struct PhMessages
{
	PhEnv *env;
	const PhTraceModel *model;
	uint32_t n_sends, send_room;
	Send *sends;
	uint32_t n_rows, row_room;
	PhMessage *rows; /* of receives; after joining of the other sends, too */
	bool joined;
	PhArena result;
};

PhTraceWindow
ph_window_all(void)
{
	return (PhTraceWindow){INT64_MIN, INT64_MAX, 0, NULL};
}

bool
ph_window_has_location(const PhTraceWindow *window, uint32_t location)
{
	return window->locations == NULL ||
		   (location < window->n_locations && window->locations[location]);
}

bool
ph_window_overlaps(const PhTraceWindow *window, int64_t first, int64_t last)
{
	return first < window->to && last >= window->from;
}

static bool
is_in_window(const PhMessage *message, const PhTraceWindow *window)
{
	int64_t sent = message->send_time, received = message->receive_time;
	int64_t first =
		received == PH_NO_TIME || (sent != PH_NO_TIME && sent < received) ? sent : received;
	int64_t last = PH_MAX(sent, received); /* no time is the least */
	return ph_window_overlaps(window, first, last) &&
		   (ph_window_has_location(window, message->sender_location) ||
			ph_window_has_location(window, message->receiver_location));
}

PhStatus
ph_messages_new(PhEnv *env, const PhTraceModel *model, PhMessages **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhMessages), &memory));
	PhMessages *messages = memory;
	messages->env = env;
	messages->model = model;
	ph_arena_init(&messages->result, env);
	*out = messages;
	return PH_OK;
}

static void
free_sends(PhMessages *messages)
{
	ph_env_free(messages->env, messages->sends, messages->send_room, sizeof(Send));
	messages->sends = NULL;
	messages->n_sends = messages->send_room = 0;
}

void
ph_messages_free(PhMessages *messages)
{
	if (messages == NULL)
		return;
	PhEnv *env = messages->env;
	free_sends(messages);
	ph_env_free(env, messages->rows, messages->row_room, sizeof(PhMessage));
	ph_arena_drop(&messages->result);
	ph_env_free(env, messages, 1, sizeof(PhMessages));
}

/* ---- adding ---- */

static PhStatus
add_send(PhMessages *messages, uint32_t location, uint64_t seq, const PhEvent *event)
{
	PH_TRY(PH_GROW(messages->env, &messages->sends, messages->n_sends, &messages->send_room));
	messages->sends[messages->n_sends++] = (Send){.time = event->time,
												  .seq = seq,
												  .bytes = event->bytes,
												  .location = location,
												  .peer = event->peer,
												  .comm = event->comm,
												  .tag = event->tag,
												  .region = event->region};
	return PH_OK;
}

/* The row of a receive; link NULL: its sender is not known beyond its rank. */
static PhMessage
received_message(uint32_t receiver, uint32_t location, uint64_t seq, const PhEvent *event,
				 const PhLink *link)
{
	PhMessage message = {.send_time = PH_NO_TIME,
						 .receive_time = event->time,
						 .send_seq = PH_NO_SEQ,
						 .receive_seq = seq,
						 .bytes = event->bytes,
						 .sender = event->peer,
						 .receiver = receiver,
						 .sender_location = PH_NONE,
						 .receiver_location = location,
						 .comm = event->comm,
						 .tag = event->tag,
						 .send_region = PH_NONE,
						 .receive_region = event->region};
	if (link == NULL || link->location == PH_NONE)
		return message;
	message.send_time = link->time;
	message.send_seq = link->seq;
	message.sender_location = link->location;
	return message;
}

static PhMessage
lost_message(const PhTraceModel *model, const Send *send)
{
	return (PhMessage){.send_time = send->time,
					   .receive_time = PH_NO_TIME,
					   .send_seq = send->seq,
					   .receive_seq = PH_NO_SEQ,
					   .bytes = send->bytes,
					   .sender = ph_trace_rank(model, send->location),
					   .receiver = send->peer,
					   .sender_location = send->location,
					   .receiver_location = PH_NONE,
					   .comm = send->comm,
					   .tag = send->tag,
					   .send_region = send->region,
					   .receive_region = PH_NONE};
}

static PhStatus
add_row(PhMessages *messages, const PhMessage *row)
{
	PH_TRY(PH_GROW(messages->env, &messages->rows, messages->n_rows, &messages->row_room));
	messages->rows[messages->n_rows++] = *row;
	return PH_OK;
}

static PhStatus
add_event(PhMessages *messages, uint32_t location, uint64_t seq, const PhEvent *event,
		  const PhLink *link)
{
	if (ph_is_send(event->kind))
		return add_send(messages, location, seq, event);
	if (!ph_is_receive(event->kind))
		return PH_OK;
	uint32_t receiver = ph_trace_rank(messages->model, location);
	PhMessage row = received_message(receiver, location, seq, event, link);
	return add_row(messages, &row);
}

static PhStatus
check_adding(PhMessages *messages, uint32_t location)
{
	if (messages->joined)
		return ph_fail(messages->env, PH_ERR_VALUE, "messages are added after rows were asked for");
	return ph_trace_check_location(messages->env, messages->model, location);
}

PhStatus
ph_messages_add_event(PhMessages *messages, uint32_t location, uint64_t seq, const PhEvent *event,
					  const PhLink *link)
{
	PH_TRY(check_adding(messages, location));
	return add_event(messages, location, seq, event, link);
}

PhStatus
ph_messages_add_chunk(PhMessages *messages, const PhChunk *chunk, PhChunkReader *reader,
					  const PhLink *links, uint32_t n_links)
{
	uint64_t seq = chunk->first_seq;
	uint32_t next = 0;
	PhEvent event;
	PH_TRY(check_adding(messages, chunk->location));
	for (; ph_chunk_next(reader, &event); seq++)
	{
		const PhLink *link = NULL;
		PH_TRY(ph_env_poll(messages->env));
		if (links != NULL && ph_is_receive(event.kind))
		{
			if (next == n_links)
				return ph_trace_bad_links(messages->env, chunk, n_links);
			link = &links[next++];
		}
		PH_TRY(add_event(messages, chunk->location, seq, &event, link));
	}
	if (links != NULL && next != n_links)
		return ph_trace_bad_links(messages->env, chunk, n_links);
	return PH_OK;
}

/* ---- joining ---- */

static int
compare_sends(const void *context, uint32_t x, uint32_t y)
{
	const Send *sends = context, *a = &sends[x], *b = &sends[y];
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Sends by (location, seq); chunks mostly come in that order already. */
static PhStatus
order_sends(PhArena *arena, const PhMessages *messages, uint32_t **order)
{
	uint32_t *sends, n = messages->n_sends;
	bool sorted = true;
	PH_TRY(PH_NEW(arena, n, &sends));
	for (uint32_t i = 0; i < n; i++)
	{
		sends[i] = i;
		sorted = sorted && (i == 0 || compare_sends(messages->sends, i - 1, i) < 0);
	}
	*order = sends;
	return sorted ? PH_OK : ph_sort_indices(arena, n, compare_sends, messages->sends, order);
}

/* Where each location's sends begin in the order. */
static PhStatus
find_starts(PhArena *arena, const PhMessages *messages, uint32_t **out)
{
	uint32_t *starts, n = messages->model->n_locations;
	PH_TRY(PH_NEW(arena, (size_t) n + 1, &starts));
	for (uint32_t i = 0; i < messages->n_sends; i++)
		starts[messages->sends[i].location + 1]++;
	for (uint32_t i = 0; i < n; i++)
		starts[i + 1] += starts[i];
	*out = starts;
	return PH_OK;
}

/* The send with this ordinal of this location, NULL when it was not added. */
static Send *
find_send(const PhMessages *messages, const uint32_t *order, const uint32_t *starts,
		  uint32_t location, uint64_t seq)
{
	if (location >= messages->model->n_locations)
		return NULL;
	uint32_t low = starts[location], end = starts[location + 1], high = end;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (messages->sends[order[middle]].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	Send *send = low == end ? NULL : &messages->sends[order[low]];
	return send != NULL && send->seq == seq ? send : NULL;
}

/*
 * Gives the receives' rows the regions of their sends, and adds a row for each send that nobody
 * received.
 */
static PhStatus
join_sends(PhMessages *messages, PhArena *arena)
{
	uint32_t *order, *starts;
	PH_TRY(order_sends(arena, messages, &order));
	PH_TRY(find_starts(arena, messages, &starts));
	for (uint32_t i = 0; i < messages->n_rows; i++)
	{
		PhMessage *row = &messages->rows[i];
		PH_TRY(ph_env_poll(messages->env));
		if (row->sender_location == PH_NONE)
			continue;
		Send *send = find_send(messages, order, starts, row->sender_location, row->send_seq);
		if (send == NULL)
			continue;
		send->received = true;
		row->send_region = send->region;
	}
	for (uint32_t i = 0; i < messages->n_sends; i++)
	{
		PhMessage lost = lost_message(messages->model, &messages->sends[i]);
		PH_TRY(ph_env_poll(messages->env));
		if (!messages->sends[i].received)
			PH_TRY(add_row(messages, &lost));
	}
	return PH_OK;
}

/* ---- rows ---- */

#define COMPARE(x, y)                                                                              \
	if ((x) != (y))                                                                                \
	return (x) < (y) ? -1 : 1

/* Unknown times as unsigned numbers come last: no time is the least, so shift the order by one. */
static uint64_t
time_key(int64_t time)
{
	return ((uint64_t) time ^ (uint64_t) 1 << 63) - 1;
}

static int
compare_rows(const void *context, uint32_t x, uint32_t y)
{
	const PhMessage *rows = context, *a = &rows[x], *b = &rows[y];
	COMPARE(time_key(a->send_time), time_key(b->send_time));
	COMPARE(time_key(a->receive_time), time_key(b->receive_time));
	COMPARE(a->sender, b->sender);
	COMPARE(a->receiver, b->receiver);
	COMPARE(a->sender_location, b->sender_location);
	COMPARE(a->receiver_location, b->receiver_location);
	COMPARE(a->send_seq, b->send_seq);
	COMPARE(a->receive_seq, b->receive_seq);
	return 0;
}

static PhStatus
select_rows(PhMessages *messages, const PhTraceWindow *window, PhKeyed *chosen, uint32_t *n)
{
	*n = 0;
	for (uint32_t i = 0; i < messages->n_rows; i++)
	{
		const PhMessage *row = &messages->rows[i];
		PH_TRY(ph_env_poll(messages->env));
		if (is_in_window(row, window))
			chosen[(*n)++] = (PhKeyed){time_key(row->send_time), i};
	}
	return PH_OK;
}

/* By the time of sending first, which mostly decides. */
static PhStatus
sorted_rows(PhMessages *messages, PhArena *scratch, const PhTraceWindow *window,
			const PhMessage **rows, uint32_t *n)
{
	PhKeyed *chosen;
	uint32_t *order;
	PhMessage *sorted;
	PH_TRY(PH_NEW(scratch, messages->n_rows, &chosen));
	PH_TRY(select_rows(messages, window, chosen, n));
	PH_TRY(ph_trace_order_keys(scratch, chosen, *n, compare_rows, messages->rows, &order));
	PH_TRY(PH_NEW(&messages->result, *n, &sorted));
	for (uint32_t i = 0; i < *n; i++)
		sorted[i] = messages->rows[order[i]];
	*rows = sorted;
	return PH_OK;
}

PhStatus
ph_messages_rows(PhMessages *messages, const PhTraceWindow *window, const PhMessage **rows,
				 uint32_t *n)
{
	PhArena scratch;
	PhStatus status = PH_OK;
	ph_arena_drop(&messages->result);
	ph_arena_init(&scratch, messages->env);
	if (!messages->joined)
	{
		status = join_sends(messages, &scratch);
		ph_arena_drop(&scratch);
		free_sends(messages);
		messages->joined = true;
	}
	if (status == PH_OK)
		status = sorted_rows(messages, &scratch, window, rows, n);
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_messages_of_chunk(PhArena *arena, uint32_t receiver, const PhChunk *chunk, PhChunkReader *reader,
					 PhBytes bytes, const PhTraceWindow *window, const PhMessage **rows,
					 uint32_t *n)
{
	const PhLink *links;
	PhMessage *messages;
	uint32_t n_links, count = 0;
	uint64_t seq = chunk->first_seq;
	PhEvent event;
	PH_TRY(ph_links_of_chunk(arena, chunk, reader, bytes, &links, &n_links));
	PH_TRY(PH_NEW(arena, n_links, &messages));
	for (; ph_chunk_next(reader, &event); seq++)
	{
		PH_TRY(ph_env_poll(arena->env));
		if (!ph_is_receive(event.kind))
			continue;
		messages[count] = received_message(receiver, chunk->location, seq, &event, links++);
		count += is_in_window(&messages[count], window);
	}
	*rows = messages;
	*n = count;
	return PH_OK;
}
