/*
 * match.c - matching: ends of messages in two flat arrays, queues by key as their order.
 *
 * A receive gets its place when it is posted, and its key when it completes. Each array holds a
 * location's ends in their order, so a queue needs sorting only when locations of one rank share
 * it; otherwise receives are gone through as they are, each taking the next send of its key.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "trace/internal.h"
#include "trace/link.h"
#include "trace/match_keys.h"

typedef struct MatchEnd
{
	int64_t time; /* of the send's record; of posting the receive */
	union
	{
		uint64_t seq;	  /* of the send */
		int64_t received; /* when the receive completed */
	};
	uint32_t location;
	uint32_t ordinal; /* among its location's sends, or the receives it completed; PH_NONE: open */
} MatchEnd;

typedef struct EndList
{
	uint32_t n, room, key_room; /* of keys there may be more room, never less */
	MatchEnd *ends;
	uint32_t *keys; /* PH_NONE: matches nothing */
} EndList;

struct PhMatcher
{
	PhEnv *env;
	const PhTraceModel *model;
	EndList sends, receives;
	double share;					/* what there is, of what there will be; 0: not known */
	uint32_t *n_sent, *n_completed; /* sends, receives, by location */
	bool *seen;						/* by location: it has given events */
	MatchKeys keys;
	PhRequests posted, sending; /* indices of receives and sends */
	PhLink *links;
	uint32_t *send_ordinals; /* by link: of the send on its location; PH_NONE: no partner */
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
		matcher->n_sent = memory;
		status = ph_env_alloc(env, model->n_locations, sizeof(uint32_t), &memory);
	}
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
	ph_env_free(env, list->keys, list->key_room, sizeof(uint32_t));
	*list = (EndList){0};
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
	ph_env_free(env, matcher->n_sent, n, sizeof(uint32_t));
	ph_env_free(env, matcher->n_completed, n, sizeof(uint32_t));
	ph_env_free(env, matcher->seen, n, sizeof(bool));
	ph_env_free(env, matcher->links, matcher->n_links, sizeof(PhLink));
	ph_env_free(env, matcher->send_ordinals, matcher->n_links, sizeof(uint32_t));
	ph_env_free(env, matcher->first_link, n, sizeof(uint64_t));
	ph_env_free(env, matcher, 1, sizeof(PhMatcher));
}

/* ---- room ---- */

#define LEAST_ENDS 16
#define SPARE 1.05 /* more room than is expected: what nobody touches costs nothing */
#define LEAP 64	   /* a wrong hint makes lists at most so many times as long */

void
ph_matcher_progress(PhMatcher *matcher, double share)
{
	matcher->share = share;
}

static PhStatus
resize_ends(PhMatcher *matcher, EndList *list, uint32_t room)
{
	PH_TRY(
		ph_env_resize(matcher->env, (void **) &list->keys, list->key_room, room, sizeof(uint32_t)));
	list->key_room = room;
	PH_TRY(ph_env_resize(matcher->env, (void **) &list->ends, list->room, room, sizeof(MatchEnd)));
	list->room = room;
	return PH_OK;
}

/* Room for n more ends. */
static PhStatus
reserve_ends(PhMatcher *matcher, EndList *list, uint32_t n)
{
	uint64_t room = (uint64_t) list->n + n;
	if (room >= PH_NONE)
		return ph_fail(matcher->env, PH_ERR_LIMIT, "more than %u ends of messages", PH_NONE - 1);
	return room <= list->room ? PH_OK : resize_ends(matcher, list, (uint32_t) room);
}

/* Room for one more end, and for as many as are expected. */
static PhStatus
grow_ends(PhMatcher *matcher, EndList *list)
{
	double n = list->n, whole = n + n / 2 + LEAST_ENDS;
	if (matcher->share > 0)
		whole = PH_MAX(whole, PH_MIN(SPARE * n / matcher->share, LEAP * n));
	whole = PH_MIN(whole, PH_NONE - 1);
	return reserve_ends(matcher, list, PH_MAX((uint32_t) whole - list->n, 1));
}

/* ---- adding ---- */

static inline PhStatus
add_end(PhMatcher *matcher, EndList *list, uint32_t location, int64_t time, uint32_t *index)
{
	if (__builtin_expect(list->n >= list->room, 0))
		PH_TRY(grow_ends(matcher, list));
	list->ends[list->n] = (MatchEnd){.time = time, .location = location, .ordinal = PH_NONE};
	list->keys[list->n] = PH_NONE;
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
	matcher->sends.ends[index].seq = seq;
	matcher->sends.ends[index].ordinal = matcher->n_sent[location]++;
	if (event->kind == PH_EVENT_ISEND)
		PH_TRY(ph_requests_post(&matcher->sending, location, event->request, index));
	return find_key(matcher, ph_trace_rank(matcher->model, location), event->peer, event,
					&matcher->sends.keys[index]);
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
					&matcher->receives.keys[index]);
}

/* The request is a receive's or a send's; a send that was called off has no receive. */
static void
cancel_request(PhMatcher *matcher, uint32_t location, uint64_t request)
{
	if (ph_requests_take(&matcher->posted, location, request) != PH_NONE)
		return;
	uint32_t send = ph_requests_take(&matcher->sending, location, request);
	if (send != PH_NONE)
		matcher->sends.keys[send] = PH_NONE;
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

/* Where the walk through a chunk's operands is; those that matching needs. */
typedef struct Operands
{
	const PhOperandArrays *from;
	uint32_t n_peers, n_comms, n_tags, n_requests;
} Operands;

static inline void
take_operands(Operands *operands, uint32_t has, PhEvent *event)
{
	if (has & PH_OPERAND_REQUEST)
		event->request = operands->from->request[operands->n_requests++];
	if (has & PH_OPERAND_COMM)
		event->comm = operands->from->comm[operands->n_comms++];
	if (!(has & PH_OPERAND_PEER))
		return;
	event->peer = operands->from->peer[operands->n_peers++];
	event->tag = operands->from->tag[operands->n_tags++];
}

PhStatus
ph_matcher_add_chunk(PhMatcher *matcher, const PhChunk *chunk, PhChunkReader *reader)
{
	PhEvent event = {.time = PH_NO_TIME};
	Operands operands = {.from = ph_chunk_messages(reader)};
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	uint32_t n = ph_chunk_n_events(reader);
	PH_TRY(check_adding(matcher, chunk->location));
	for (uint32_t at = ph_skip_calls(kinds, 0, n); at < n; at = ph_skip_calls(kinds, at + 1, n))
	{
		if (kinds[at] > PH_EVENT_NB_COLLECTIVE_COMPLETE)
			continue;
		PH_TRY(ph_env_poll(matcher->env));
		event.kind = kinds[at];
		event.time = times[at];
		take_operands(&operands, ph_event_operands(event.kind), &event);
		PH_TRY(add_event(matcher, chunk->location, chunk->first_seq + at, &event));
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
	if (from->n == 0)
		return PH_OK;
	PH_TRY(reserve_ends(matcher, to, from->n));
	memcpy(to->ends + to->n, from->ends, from->n * sizeof(MatchEnd));
	for (uint32_t i = 0; i < from->n; i++)
	{
		PH_TRY(ph_env_poll_at(matcher->env, i));
		to->keys[to->n + i] = from->keys[i] == PH_NONE ? PH_NONE : keys[from->keys[i]];
	}
	to->n += from->n;
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
		matcher->n_sent[i] = other->n_sent[i];
		matcher->n_completed[i] = other->n_completed[i];
		other->seen[i] = false;
		other->n_sent[i] = other->n_completed[i] = 0;
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

/* Ends by key, each key's in their order: those of key k are order[starts[k]..starts[k + 1]). */
typedef struct Queues
{
	uint32_t *starts, *order;
} Queues;

/* The order of two ends in their queue; of one location: the one that was added first. */
static int
compare_ends(const void *context, uint32_t x, uint32_t y)
{
	const EndList *list = context;
	const MatchEnd *a = &list->ends[x], *b = &list->ends[y];
	if (a->location == b->location)
		return x < y ? -1 : x > y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->location < b->location ? -1 : 1;
}

/* Do several locations share a rank, and so a queue? */
static bool
shares_ranks(const PhTraceModel *model)
{
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		uint32_t rank = ph_trace_rank(model, i);
		bool is_known = rank < model->n_ranks && model->rank_location != NULL;
		if (rank != PH_NONE && (!is_known || model->rank_location[rank] != i))
			return true;
	}
	return false;
}

static PhStatus
sort_queues(PhMatcher *matcher, PhArena *arena, const EndList *list, const Queues *queues)
{
	uint32_t *buffer;
	PH_TRY(PH_NEW(arena, list->n, &buffer));
	for (uint32_t key = 0; key < matcher->keys.n; key++)
	{
		uint32_t first = queues->starts[key], n = queues->starts[key + 1] - first;
		PH_TRY(ph_sort(matcher->env, queues->order + first, n, buffer, compare_ends, list));
	}
	return PH_OK;
}

/*
 * Sends or receives by key, by counting, which keeps the order of their locations; sorted by time
 * only when several locations of one rank share queues.
 */
static PhStatus
build_queues(PhMatcher *matcher, PhArena *arena, const EndList *list, Queues *queues)
{
	uint32_t n_keys = matcher->keys.n, *starts;
	PH_TRY(PH_NEW(arena, (size_t) n_keys + 2, &starts));
	PH_TRY(PH_NEW(arena, list->n, &queues->order));
	for (uint32_t i = 0; i < list->n; i++)
		if (list->keys[i] != PH_NONE)
			starts[list->keys[i] + 2]++;
	for (uint32_t key = 1; key <= n_keys; key++)
		starts[key + 1] += starts[key];
	for (uint32_t i = 0; i < list->n; i++)
	{
		PH_TRY(ph_env_poll_at(matcher->env, i));
		if (list->keys[i] != PH_NONE)
			queues->order[starts[list->keys[i] + 1]++] = i;
	}
	queues->starts = starts;
	return shares_ranks(matcher->model) ? sort_queues(matcher, arena, list, queues) : PH_OK;
}

static void
link_pair(PhMatcher *matcher, uint32_t send, uint32_t receive, PhMatchCounts *counts)
{
	const MatchEnd *sent = &matcher->sends.ends[send];
	const MatchEnd *received = &matcher->receives.ends[receive];
	uint64_t at = matcher->first_link[received->location] + received->ordinal;
	matcher->links[at] = (PhLink){sent->location, sent->seq, sent->time};
	matcher->send_ordinals[at] = sent->ordinal;
	counts->messages++;
	if (received->received >= sent->time)
		return;
	counts->reversed++;
	int64_t reversal = sent->time - received->received;
	counts->worst_reversal = PH_MAX(reversal, counts->worst_reversal);
}

/*
 * Receives in an order in which those of one key follow each other as they should; unless ranks are
 * shared, that in which they were posted.
 */
static PhStatus
order_receives(PhMatcher *matcher, PhArena *arena, const uint32_t **order, uint32_t *n)
{
	Queues receives;
	*order = NULL;
	*n = matcher->receives.n;
	if (!shares_ranks(matcher->model))
		return PH_OK;
	PH_TRY(build_queues(matcher, arena, &matcher->receives, &receives));
	*order = receives.order;
	*n = receives.starts[matcher->keys.n];
	return PH_OK;
}

/* Gives each receive, in posting order, the next send of its key. */
static PhStatus
match_queues(PhMatcher *matcher, PhArena *arena, PhMatchCounts *counts)
{
	Queues sends;
	uint32_t *next, n;
	const uint32_t *order;
	PH_TRY(build_queues(matcher, arena, &matcher->sends, &sends));
	PH_TRY(order_receives(matcher, arena, &order, &n));
	PH_TRY(PH_NEW(arena, matcher->keys.n, &next));
	if (matcher->keys.n > 0)
		memcpy(next, sends.starts, matcher->keys.n * sizeof(*next));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t receive = order == NULL ? i : order[i], key = matcher->receives.keys[receive];
		PH_TRY(ph_env_poll_at(matcher->env, i));
		if (key != PH_NONE && next[key] < sends.starts[key + 1])
			link_pair(matcher, sends.order[next[key]++], receive, counts);
	}
	return PH_OK;
}

/* Links of all receives, without partners yet. */
static PhStatus
new_links(PhMatcher *matcher)
{
	void *memory = NULL;
	uint64_t n = 0;
	for (uint32_t i = 0; i < matcher->model->n_locations; i++)
		n += matcher->n_completed[i];
	PH_TRY(ph_env_resize(matcher->env, &memory, 0, n, sizeof(PhLink)));
	matcher->links = memory;
	matcher->n_links = n;
	PH_TRY(ph_env_alloc(matcher->env, n, sizeof(uint32_t), &memory));
	matcher->send_ordinals = memory;
	for (uint64_t i = 0; i < n; i++)
	{
		matcher->links[i] = (PhLink){PH_NONE, 0, PH_NO_TIME};
		matcher->send_ordinals[i] = PH_NONE;
	}
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

const uint32_t *
ph_matcher_send_ordinals(const PhMatcher *matcher, uint32_t location)
{
	return matcher->send_ordinals + matcher->first_link[location];
}
