/*
 * trace_match.c - matching: ends of messages in two flat arrays, queues by key threaded through
 * them.
 *
 * A receive gets its place when it is posted, and its key when it completes. Each array holds a
 * location's ends in their order, so a queue needs sorting only when locations of one rank share
 * it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "trace_internal.h"
#include "trace_link.h"
#include "trace_match_keys.h"

typedef struct MatchEnd
{
	int64_t time; /* of the send's record; of posting the receive */
	union
	{
		uint64_t seq;	  /* of the send */
		int64_t received; /* when the receive completed */
	};
	uint32_t key; /* PH_NONE: matches nothing */
	uint32_t location;
	uint32_t next;	  /* in its queue */
	uint32_t ordinal; /* of a receive among those that its location completed; PH_NONE: open */
} MatchEnd;

typedef struct EndList
{
	uint32_t n, room;
	MatchEnd *ends;
} EndList;

typedef struct Queue
{
	uint32_t first, last;
	bool unsorted;
} Queue;

struct PhMatcher
{
	PhEnv *env;
	const PhTraceModel *model;
	EndList sends, receives;
	uint32_t *n_completed; /* receives, by location */
	bool *seen;			   /* by location: it has given events */
	MatchKeys keys;
	PhRequests posted, sending; /* indices of receives and sends */
	PhLink *links;
	uint64_t n_links;
	uint64_t *first_link; /* n_locations; NULL before matching */
};

PhStatus
ph_matcher_new(PhEnv *env, const PhTraceModel *model, PhMatcher **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhMatcher), &memory));
	PhMatcher *matcher = memory;
	matcher->env = env;
	matcher->model = model;
	ph_match_keys_init(&matcher->keys, env);
	ph_requests_init(&matcher->posted, env);
	ph_requests_init(&matcher->sending, env);
	PhStatus status = ph_env_alloc(env, model->n_locations, sizeof(uint32_t), &memory);
	if (status == PH_OK)
	{
		matcher->n_completed = memory;
		status = ph_env_alloc(env, model->n_locations, sizeof(bool), &memory);
	}
	if (status != PH_OK)
	{
		ph_matcher_free(matcher);
		return status;
	}
	matcher->seen = memory;
	*out = matcher;
	return PH_OK;
}

static void
free_list(PhEnv *env, EndList *list)
{
	ph_env_free(env, list->ends, list->room, sizeof(MatchEnd));
	*list = (EndList){0, 0, NULL};
}

/* Free what only matching needs. */
static void
free_ends(PhMatcher *matcher)
{
	free_list(matcher->env, &matcher->sends);
	free_list(matcher->env, &matcher->receives);
	ph_requests_free(&matcher->posted);
	ph_requests_free(&matcher->sending);
	ph_match_keys_free(&matcher->keys);
}

void
ph_matcher_free(PhMatcher *matcher)
{
	if (matcher == NULL)
		return;
	PhEnv *env = matcher->env;
	uint32_t n = matcher->model->n_locations;
	free_ends(matcher);
	ph_env_free(env, matcher->n_completed, n, sizeof(uint32_t));
	ph_env_free(env, matcher->seen, n, sizeof(bool));
	ph_env_free(env, matcher->links, matcher->n_links, sizeof(PhLink));
	ph_env_free(env, matcher->first_link, n, sizeof(uint64_t));
	ph_env_free(env, matcher, 1, sizeof(PhMatcher));
}

/* ---- adding ---- */

static PhStatus
add_end(PhMatcher *matcher, EndList *list, uint32_t location, int64_t time, uint32_t *index)
{
	if (list->n == list->room)
		PH_TRY(PH_GROW(matcher->env, &list->ends, list->n, &list->room));
	list->ends[list->n] = (MatchEnd){
		.time = time, .key = PH_NONE, .location = location, .next = PH_NONE, .ordinal = PH_NONE};
	*index = list->n++;
	return PH_OK;
}

static PhStatus
find_key(PhMatcher *matcher, uint32_t sender, uint32_t receiver, const PhEvent *event,
		 uint32_t *key)
{
	MatchKey record = {sender, receiver, event->comm, event->tag};
	*key = PH_NONE;
	if (sender == PH_NONE || receiver == PH_NONE)
		return PH_OK;
	return ph_match_keys_find(&matcher->keys, &record, key);
}

static PhStatus
add_send(PhMatcher *matcher, uint32_t location, uint64_t seq, const PhEvent *event)
{
	uint32_t index;
	PH_TRY(add_end(matcher, &matcher->sends, location, event->time, &index));
	MatchEnd *end = &matcher->sends.ends[index];
	end->seq = seq;
	if (event->kind == PH_EVENT_ISEND)
		PH_TRY(ph_requests_post(&matcher->sending, location, event->request, index));
	return find_key(matcher, ph_trace_rank(matcher->model, location), event->peer, event,
					&end->key);
}

static PhStatus
post_receive(PhMatcher *matcher, uint32_t location, const PhEvent *event)
{
	uint32_t index;
	PH_TRY(add_end(matcher, &matcher->receives, location, event->time, &index));
	return ph_requests_post(&matcher->posted, location, event->request, index);
}

/* One whose posting was not recorded is posted where it completes. */
static PhStatus
complete_receive(PhMatcher *matcher, uint32_t location, const PhEvent *event)
{
	uint32_t index = PH_NONE;
	uint32_t *n_completed = &matcher->n_completed[location];
	if (*n_completed == PH_NONE)
		return ph_fail(matcher->env, PH_ERR_LIMIT, "location %u received more than %u messages",
					   location, *n_completed);
	if (event->kind == PH_EVENT_IRECV)
		index = ph_requests_take(&matcher->posted, location, event->request);
	if (index == PH_NONE)
		PH_TRY(add_end(matcher, &matcher->receives, location, event->time, &index));
	MatchEnd *end = &matcher->receives.ends[index];
	end->received = event->time;
	end->ordinal = (*n_completed)++;
	return find_key(matcher, event->peer, ph_trace_rank(matcher->model, location), event,
					&end->key);
}

/* The request is a receive's or a send's; a send that was called off has no receive. */
static void
cancel_request(PhMatcher *matcher, uint32_t location, uint64_t request)
{
	if (ph_requests_take(&matcher->posted, location, request) != PH_NONE)
		return;
	uint32_t send = ph_requests_take(&matcher->sending, location, request);
	if (send != PH_NONE)
		matcher->sends.ends[send].key = PH_NONE;
}

static PhStatus
add_event(PhMatcher *matcher, uint32_t location, uint64_t seq, const PhEvent *event)
{
	switch (event->kind)
	{
		case PH_EVENT_SEND:
		case PH_EVENT_ISEND:
			return add_send(matcher, location, seq, event);
		case PH_EVENT_IRECV_REQUEST:
			return post_receive(matcher, location, event);
		case PH_EVENT_RECV:
		case PH_EVENT_IRECV:
			return complete_receive(matcher, location, event);
		case PH_EVENT_ISEND_COMPLETE:
			ph_requests_take(&matcher->sending, location, event->request);
			return PH_OK;
		case PH_EVENT_REQUEST_CANCELLED:
			cancel_request(matcher, location, event->request);
			return PH_OK;
		default:
			return PH_OK;
	}
}

static PhStatus
check_adding(PhMatcher *matcher, uint32_t location)
{
	if (matcher->first_link != NULL)
		return ph_fail(matcher->env, PH_ERR_VALUE, "events are added after matching");
	PH_TRY(ph_trace_check_location(matcher->env, matcher->model, location));
	matcher->seen[location] = true;
	return PH_OK;
}

PhStatus
ph_matcher_add_event(PhMatcher *matcher, uint32_t location, uint64_t seq, const PhEvent *event)
{
	PH_TRY(check_adding(matcher, location));
	return add_event(matcher, location, seq, event);
}

PhStatus
ph_matcher_add_chunk(PhMatcher *matcher, const PhChunk *chunk, PhChunkReader *reader)
{
	PhMessageCursor cursor = ph_message_cursor(reader);
	PhEvent event = {.time = PH_NO_TIME};
	uint32_t index = 0;
	PH_TRY(check_adding(matcher, chunk->location));
	while (ph_message_next(&cursor, &event, &index))
	{
		PH_TRY(ph_env_poll(matcher->env));
		PH_TRY(add_event(matcher, chunk->location, chunk->first_seq + index, &event));
	}
	return PH_OK;
}

/* ---- merging ---- */

/* This matcher's number of each key of the other. */
static PhStatus
map_keys(PhMatcher *matcher, const PhMatcher *other, uint32_t *keys)
{
	for (uint32_t i = 0; i < other->keys.n; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		PH_TRY(ph_match_keys_find(&matcher->keys, &other->keys.keys[i], &keys[i]));
	}
	return PH_OK;
}

static PhStatus
append_ends(PhMatcher *matcher, EndList *to, const EndList *from, const uint32_t *keys)
{
	for (uint32_t i = 0; i < from->n; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		PH_TRY(PH_GROW(matcher->env, &to->ends, to->n, &to->room));
		MatchEnd *end = &to->ends[to->n++];
		*end = from->ends[i];
		end->next = PH_NONE;
		if (end->key != PH_NONE)
			end->key = keys[end->key];
	}
	return PH_OK;
}

static PhStatus
merge_locations(PhMatcher *matcher, PhMatcher *other)
{
	for (uint32_t i = 0; i < matcher->model->n_locations; i++)
	{
		if (!other->seen[i])
			continue;
		if (matcher->seen[i])
			return ph_fail(matcher->env, PH_ERR_VALUE, "location %u was added to two matchers", i);
		matcher->seen[i] = true;
		matcher->n_completed[i] = other->n_completed[i];
		other->seen[i] = false;
		other->n_completed[i] = 0;
	}
	return PH_OK;
}

PhStatus
ph_matcher_merge(PhMatcher *matcher, PhMatcher *other)
{
	PhArena arena;
	uint32_t *keys;
	if (matcher->first_link != NULL || other->first_link != NULL ||
		matcher->model->n_locations != other->model->n_locations)
		return ph_fail(matcher->env, PH_ERR_VALUE, "matchers are merged after matching");
	PH_TRY(merge_locations(matcher, other));
	ph_arena_init(&arena, matcher->env);
	PhStatus status = PH_NEW(&arena, other->keys.n, &keys);
	if (status == PH_OK)
		status = map_keys(matcher, other, keys);
	if (status == PH_OK)
		status = append_ends(matcher, &matcher->sends, &other->sends, keys);
	if (status == PH_OK)
		status = append_ends(matcher, &matcher->receives, &other->receives, keys);
	ph_arena_drop(&arena);
	free_ends(other);
	return status;
}

/* ---- matching ---- */

/* Is end x before end y in their queue? Of one location: the one that was added first. */
static bool
is_before(const EndList *list, uint32_t x, uint32_t y)
{
	const MatchEnd *a = &list->ends[x], *b = &list->ends[y];
	if (a->location == b->location)
		return x < y;
	if (a->time != b->time)
		return a->time < b->time;
	return a->location < b->location;
}

/* Take up to n ends from *rest, as a list of their own. */
static uint32_t
cut_run(const EndList *list, uint32_t *rest, uint64_t n)
{
	uint32_t first = *rest, last = PH_NONE;
	for (; n > 0 && *rest != PH_NONE; n--)
	{
		last = *rest;
		*rest = list->ends[last].next;
	}
	if (last != PH_NONE)
		list->ends[last].next = PH_NONE;
	return first;
}

/* Merge two sorted lists to behind *tail, which moves on. */
static PhStatus
merge_runs(PhEnv *env, const EndList *list, uint32_t x, uint32_t y, uint32_t **tail)
{
	while (x != PH_NONE || y != PH_NONE)
	{
		PH_TRY(ph_env_poll(env));
		bool take_x = y == PH_NONE || (x != PH_NONE && is_before(list, x, y));
		uint32_t taken = take_x ? x : y;
		*(take_x ? &x : &y) = list->ends[taken].next;
		**tail = taken;
		*tail = &list->ends[taken].next;
	}
	return PH_OK;
}

/* Merge sort of a linked list, runs doubling. */
static PhStatus
sort_queue(PhEnv *env, const EndList *list, Queue *queue)
{
	uint64_t n_runs = 2;
	for (uint64_t width = 1; n_runs > 1; width *= 2)
	{
		uint32_t rest = queue->first, *tail = &queue->first;
		n_runs = 0;
		while (rest != PH_NONE)
		{
			uint32_t x = cut_run(list, &rest, width);
			uint32_t y = cut_run(list, &rest, width);
			PH_TRY(merge_runs(env, list, x, y, &tail));
			n_runs++;
		}
		*tail = PH_NONE;
	}
	return PH_OK;
}

/* Thread the ends into queues by key, each in its order. */
static PhStatus
build_queues(PhMatcher *matcher, const EndList *list, Queue *queues)
{
	for (uint32_t i = 0; i < matcher->keys.n; i++)
		queues[i] = (Queue){PH_NONE, PH_NONE, false};
	for (uint32_t i = 0; i < list->n; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		list->ends[i].next = PH_NONE;
		if (list->ends[i].key == PH_NONE)
			continue;
		Queue *queue = &queues[list->ends[i].key];
		if (queue->first == PH_NONE)
			queue->first = i;
		else
		{
			queue->unsorted = queue->unsorted || !is_before(list, queue->last, i);
			list->ends[queue->last].next = i;
		}
		queue->last = i;
	}
	for (uint32_t i = 0; i < matcher->keys.n; i++)
		if (queues[i].unsorted)
			PH_TRY(sort_queue(matcher->env, list, &queues[i]));
	return PH_OK;
}

static void
link_pair(PhMatcher *matcher, uint32_t send, uint32_t receive, PhMatchCounts *counts)
{
	const MatchEnd *sent = &matcher->sends.ends[send];
	const MatchEnd *received = &matcher->receives.ends[receive];
	uint64_t at = matcher->first_link[received->location] + received->ordinal;
	matcher->links[at] = (PhLink){sent->location, sent->seq, sent->time};
	counts->messages++;
	if (received->received >= sent->time)
		return;
	counts->reversed++;
	int64_t reversal = sent->time - received->received;
	counts->worst_reversal = reversal > counts->worst_reversal ? reversal : counts->worst_reversal;
}

static PhStatus
match_queues(PhMatcher *matcher, PhArena *arena, PhMatchCounts *counts)
{
	Queue *sends, *receives;
	PH_TRY(PH_NEW(arena, matcher->keys.n, &sends));
	PH_TRY(PH_NEW(arena, matcher->keys.n, &receives));
	PH_TRY(build_queues(matcher, &matcher->sends, sends));
	PH_TRY(build_queues(matcher, &matcher->receives, receives));
	for (uint32_t i = 0; i < matcher->keys.n; i++)
	{
		uint32_t send = sends[i].first, receive = receives[i].first;
		while (send != PH_NONE && receive != PH_NONE)
		{
			PH_TRY(ph_env_poll(matcher->env));
			link_pair(matcher, send, receive, counts);
			send = matcher->sends.ends[send].next;
			receive = matcher->receives.ends[receive].next;
		}
	}
	return PH_OK;
}

/* Links of all receives, without partners yet. */
static PhStatus
new_links(PhMatcher *matcher)
{
	void *memory;
	uint64_t n = 0;
	for (uint32_t i = 0; i < matcher->model->n_locations; i++)
		n += matcher->n_completed[i];
	PH_TRY(ph_env_alloc(matcher->env, n, sizeof(PhLink), &memory));
	matcher->links = memory;
	matcher->n_links = n;
	for (uint64_t i = 0; i < n; i++)
		matcher->links[i] = (PhLink){PH_NONE, 0, PH_NO_TIME};
	PH_TRY(ph_env_alloc(matcher->env, matcher->model->n_locations, sizeof(uint64_t), &memory));
	matcher->first_link = memory;
	n = 0;
	for (uint32_t i = 0; i < matcher->model->n_locations; i++)
	{
		matcher->first_link[i] = n;
		n += matcher->n_completed[i];
	}
	return PH_OK;
}

PhStatus
ph_matcher_match(PhMatcher *matcher, PhMatchCounts *out)
{
	PhArena arena;
	PhMatchCounts counts = {0};
	if (matcher->first_link != NULL)
		return ph_fail(matcher->env, PH_ERR_VALUE, "messages are matched twice");
	PH_TRY(new_links(matcher));
	ph_arena_init(&arena, matcher->env);
	PhStatus status = match_queues(matcher, &arena, &counts);
	ph_arena_drop(&arena);
	PH_TRY(status);
	counts.unmatched_sends = matcher->sends.n - counts.messages;
	counts.unmatched_receives = matcher->n_links - counts.messages;
	free_ends(matcher);
	*out = counts;
	return PH_OK;
}

const PhLink *
ph_matcher_links(const PhMatcher *matcher, uint32_t location, uint64_t *count)
{
	*count = matcher->n_completed[location];
	return matcher->links + matcher->first_link[location];
}
