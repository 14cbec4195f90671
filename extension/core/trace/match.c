/*
 * match.c - matching: ends of messages in flat arrays, queues by key as their order.
 *
 * A receive gets its place when it is posted, and its key when it completes. An array holds a
 * location's ends in their order, so a queue needs sorting only when locations of one rank share
 * it; otherwise receives are gone through as they are, each taking the next send of its key.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "base/vector.h"
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
	PhEnv *env;					/* whose memory it is */
	uint32_t first;				/* number of its first end among those of all lists */
	uint32_t n, room, key_room; /* of keys there may be more room, never less */
	MatchEnd *ends;
	uint32_t *keys; /* PH_NONE: matches nothing */
} EndList;

/* Sends, or receives: the list that grows, then those of matchers that were merged into this one.
 */
typedef struct Ends
{
	EndList own;
	PH_VECTOR(EndList) taken;
} Ends;

struct PhMatcher
{
	PhEnv *env;
	const PhTraceModel *model;
	Ends sends, receives;
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
	matcher->sends.own.env = matcher->receives.own.env = env;
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
free_list(EndList *list)
{
	ph_env_free(list->env, list->ends, list->room, sizeof(MatchEnd));
	ph_env_free(list->env, list->keys, list->key_room, sizeof(uint32_t));
	*list = (EndList){.env = list->env};
}

static void
free_lists(PhEnv *env, Ends *ends)
{
	free_list(&ends->own);
	for (uint32_t i = 0; i < ends->taken.count; i++)
		free_list(&ends->taken.items[i]);
	PH_VECTOR_FREE(env, &ends->taken);
}

/* Free what only matching needs. */
static void
free_ends(PhMatcher *matcher)
{
	free_lists(matcher->env, &matcher->sends);
	free_lists(matcher->env, &matcher->receives);
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

static PhStatus
too_many_ends(PhMatcher *matcher)
{
	return ph_fail(matcher->env, PH_ERR_LIMIT, "more than %u ends of messages", PH_NONE - 1);
}

/* Room for one more end, and for as many as are expected. */
static PhStatus
grow_ends(PhMatcher *matcher, EndList *list)
{
	uint32_t n = list->n;
	double whole = 1.5 * n + LEAST_ENDS;
	if (n >= PH_NONE - 1)
		return too_many_ends(matcher);
	if (matcher->share > 0)
	{
		double expected = ph_expected_length(n, matcher->share);
		whole = PH_MAX(whole, expected);
	}
	return resize_ends(matcher, list, (uint32_t) PH_MIN(whole, PH_NONE - 1));
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
	PH_TRY(add_end(matcher, &matcher->sends.own, location, event->time, &index));
	matcher->sends.own.ends[index].seq = seq;
	matcher->sends.own.ends[index].ordinal = matcher->n_sent[location]++;
	if (event->kind == PH_EVENT_ISEND)
		PH_TRY(ph_requests_post(&matcher->sending, location, event->request, index));
	return find_key(matcher, ph_trace_rank(matcher->model, location), event->peer, event,
					&matcher->sends.own.keys[index]);
}

static PhStatus
post_receive(PhMatcher *matcher, uint32_t location, const PhEvent *event)
{
	uint32_t index;
	PH_TRY(add_end(matcher, &matcher->receives.own, location, event->time, &index));
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
		PH_TRY(add_end(matcher, &matcher->receives.own, location, event->time, &index));
	MatchEnd *end = &matcher->receives.own.ends[index];
	end->received = event->time;
	end->ordinal = (*n_completed)++;
	return find_key(matcher, event->peer, ph_trace_rank(matcher->model, location), event,
					&matcher->receives.own.keys[index]);
}

/* The request is a receive's or a send's; a send that was called off has no receive. */
static void
cancel_request(PhMatcher *matcher, uint32_t location, uint64_t request)
{
	if (ph_requests_take(&matcher->posted, location, request) != PH_NONE)
		return;
	uint32_t send = ph_requests_take(&matcher->sending, location, request);
	if (send != PH_NONE)
		matcher->sends.own.keys[send] = PH_NONE;
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

/* The ends of a list are this matcher's then, under its numbers of keys. */
static PhStatus
take_list(PhMatcher *matcher, Ends *to, EndList *from, const uint32_t *keys)
{
	void *at;
	PH_TRY(PH_ROOM(matcher->env, &to->taken));
	for (uint32_t i = 0; i < from->n; i++)
	{
		PH_TRY(ph_env_poll_at(matcher->env, i));
		if (from->keys[i] != PH_NONE)
			from->keys[i] = keys[from->keys[i]];
	}
	at = &to->taken.items[to->taken.count++];
	*(EndList *) at = *from;
	*from = (EndList){.env = from->env};
	return PH_OK;
}

static PhStatus
take_ends(PhMatcher *matcher, Ends *to, Ends *from, const uint32_t *keys)
{
	PH_TRY(take_list(matcher, to, &from->own, keys));
	for (uint32_t i = 0; i < from->taken.count; i++)
		PH_TRY(take_list(matcher, to, &from->taken.items[i], keys));
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
		status = take_ends(matcher, &matcher->sends, &other->sends, keys);
	if (status == PH_OK)
		status = take_ends(matcher, &matcher->receives, &other->receives, keys);
	ph_arena_drop(&arena);
	free_ends(other);
	return status;
}

/* ---- matching ---- */

/* All lists, of threads few: ends are numbered through all of them. */
typedef struct EndLists
{
	const EndList *lists;
	uint32_t n_lists, n;
} EndLists;

/* Ends by key, each key's in their order: those of key k are order[starts[k]..starts[k + 1]). */
typedef struct Queues
{
	uint32_t *starts, *order;
} Queues;

static PhStatus
number_ends(PhMatcher *matcher, PhArena *arena, const Ends *ends, EndLists *out)
{
	EndList *lists;
	uint64_t n = 0;
	*out = (EndLists){.n_lists = ends->taken.count + 1};
	PH_TRY(PH_NEW(arena, out->n_lists, &lists));
	for (uint32_t i = 0; i < out->n_lists; i++)
	{
		lists[i] = i == 0 ? ends->own : ends->taken.items[i - 1];
		lists[i].first = (uint32_t) n;
		n += lists[i].n;
		if (n >= PH_NONE)
			return too_many_ends(matcher);
	}
	out->lists = lists;
	out->n = (uint32_t) n;
	return PH_OK;
}

static inline const EndList *
list_of(const EndLists *all, uint32_t number)
{
	const EndList *list = all->lists;
	while (number - list->first >= list->n)
		list++;
	return list;
}

static inline const MatchEnd *
end_at(const EndLists *all, uint32_t number)
{
	const EndList *list = list_of(all, number);
	return &list->ends[number - list->first];
}

static inline uint32_t
key_at(const EndLists *all, uint32_t number)
{
	const EndList *list = list_of(all, number);
	return list->keys[number - list->first];
}

/* The order of two ends in their queue; of one location: the one that was added first. */
static int
compare_ends(const void *context, uint32_t x, uint32_t y)
{
	const EndLists *all = context;
	const MatchEnd *a = end_at(all, x), *b = end_at(all, y);
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
sort_queues(PhMatcher *matcher, PhArena *arena, const EndLists *all, const Queues *queues)
{
	uint32_t *buffer;
	PH_TRY(PH_NEW(arena, all->n, &buffer));
	for (uint32_t key = 0; key < matcher->keys.n; key++)
	{
		uint32_t first = queues->starts[key], n = queues->starts[key + 1] - first;
		PH_TRY(ph_sort(matcher->env, queues->order + first, n, buffer, compare_ends, all));
	}
	return PH_OK;
}

static void
count_by_key(const EndLists *all, uint32_t *counts)
{
	for (uint32_t l = 0; l < all->n_lists; l++)
		for (uint32_t i = 0; i < all->lists[l].n; i++)
			if (all->lists[l].keys[i] != PH_NONE)
				counts[all->lists[l].keys[i]]++;
}

/* next: by key, where its first end goes. */
static PhStatus
put_by_key(PhEnv *env, const EndLists *all, uint32_t *next, uint32_t *order)
{
	for (uint32_t l = 0; l < all->n_lists; l++)
		for (uint32_t i = 0; i < all->lists[l].n; i++)
		{
			PH_TRY(ph_env_poll_at(env, i));
			if (all->lists[l].keys[i] != PH_NONE)
				order[next[all->lists[l].keys[i]]++] = all->lists[l].first + i;
		}
	return PH_OK;
}

/*
 * Sends or receives by key, by counting, which keeps the order of their locations; sorted by time
 * only when several locations of one rank share queues.
 */
static PhStatus
build_queues(PhMatcher *matcher, PhArena *arena, const EndLists *all, Queues *queues)
{
	uint32_t n_keys = matcher->keys.n, *starts;
	PH_TRY(PH_NEW(arena, (size_t) n_keys + 2, &starts));
	PH_TRY(PH_NEW_UNSET(arena, all->n, &queues->order));
	count_by_key(all, starts + 2);
	for (uint32_t key = 1; key <= n_keys; key++)
		starts[key + 1] += starts[key];
	PH_TRY(put_by_key(matcher->env, all, starts + 1, queues->order));
	queues->starts = starts;
	return shares_ranks(matcher->model) ? sort_queues(matcher, arena, all, queues) : PH_OK;
}

static void
link_pair(PhMatcher *matcher, const MatchEnd *sent, const MatchEnd *received, PhMatchCounts *counts)
{
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
order_receives(PhMatcher *matcher, PhArena *arena, const EndLists *all, const uint32_t **order,
			   uint32_t *n)
{
	Queues receives;
	*order = NULL;
	*n = all->n;
	if (!shares_ranks(matcher->model))
		return PH_OK;
	PH_TRY(build_queues(matcher, arena, all, &receives));
	*order = receives.order;
	*n = receives.starts[matcher->keys.n];
	return PH_OK;
}

/* Gives each receive, in posting order, the next send of its key. */
static PhStatus
match_queues(PhMatcher *matcher, PhArena *arena, PhMatchCounts *counts)
{
	EndLists sends, receives;
	Queues queues;
	uint32_t *next, n;
	const uint32_t *order;
	PH_TRY(number_ends(matcher, arena, &matcher->sends, &sends));
	PH_TRY(number_ends(matcher, arena, &matcher->receives, &receives));
	PH_TRY(build_queues(matcher, arena, &sends, &queues));
	PH_TRY(order_receives(matcher, arena, &receives, &order, &n));
	PH_TRY(PH_NEW(arena, matcher->keys.n, &next));
	if (matcher->keys.n > 0)
		memcpy(next, queues.starts, matcher->keys.n * sizeof(*next));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t receive = order == NULL ? i : order[i], key = key_at(&receives, receive);
		PH_TRY(ph_env_poll_at(matcher->env, i));
		if (key != PH_NONE && next[key] < queues.starts[key + 1])
			link_pair(matcher, end_at(&sends, queues.order[next[key]++]),
					  end_at(&receives, receive), counts);
	}
	counts->unmatched_sends = sends.n - counts->messages;
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
