/*
 * match.c - which receive completes which send: queues by key, one receiving rank at a
 * time.
 *
 * Key: sender, communicator and tag (compat: without the communicator), and bytes when asked for.
 * The k-th send of a key meets its k-th receive. Sends are brought to their receivers by a counting
 * sort, so that only one rank's keys are in memory at once. O(messages).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/internal.h"

typedef struct MatchKey
{
	uint64_t bytes; /* 0 unless sizes must agree */
	uint32_t sender, comm, tag;
} MatchKey;

/* Sends of one key to one rank that no receive has taken, as places in the rank's list of sends. */
typedef struct Queue
{
	MatchKey key;
	uint32_t first, last; /* PH_NONE: empty */
	uint32_t slot;		  /* its own */
} Queue;

typedef struct Matcher
{
	PhEnv *env;
	PhLogicalJoin *join;
	PhArena *temporary;
	uint32_t n_ranks;
	uint32_t *first_to; /* n_ranks + 1: sends to a rank are sends[first..next first) */
	uint32_t *sends;	/* in order of time by sender */
	/* of the rank at hand */
	const uint32_t *sends_here;
	uint32_t *next; /* by place: the next of its queue, PH_NONE: it is the last */
	PH_VECTOR(Queue) queues;
	uint32_t *slots; /* by hash: 1 + queue, 0: none; a power of two, or none */
	uint32_t n_slots;
} Matcher;

static MatchKey
key_of(const Matcher *matcher, uint32_t sender, uint32_t comm, uint32_t tag, uint64_t bytes)
{
	const PhLogicalOptions *options = matcher->join->options;
	MatchKey key = {options->match_sizes ? bytes : 0, sender, options->compat ? 0 : comm, tag};
	return key;
}

/* Number of ranks that timelines or messages name. */
static uint32_t
count_ranks(const PhLogicalJoin *join)
{
	uint32_t n = join->trace->n_ranks;
	for (uint32_t t = 0; t < join->model->n_timelines; t++)
		if (join->model->timeline_rank[t] >= 0 && (uint32_t) join->model->timeline_rank[t] >= n)
			n = (uint32_t) join->model->timeline_rank[t] + 1;
	return n;
}

static bool
has_shared_ranks(const PhLogicalModel *model)
{
	for (uint32_t t = 0; t < model->n_timelines; t++)
		if (ph_logical_rank_end(model, t) > t + 1)
			return true;
	return false;
}

/* Items of the timelines of each rank that has several are brought into order of time. */
static PhStatus
sort_shared_ranks(PhEnv *env, const PhLogicalModel *model, const uint32_t *starts, uint32_t *ids,
				  const int64_t *times)
{
	for (uint32_t t = 0; t < model->n_timelines;)
	{
		uint32_t end = ph_logical_rank_end(model, t);
		if (end > t + 1)
			PH_TRY(ph_logical_by_time(env, ids + starts[t], starts[end] - starts[t], times));
		t = end;
	}
	return PH_OK;
}

/* All ids in order of time within ranks; NULL where they are in order as they stand. */
static PhStatus
order_of(Matcher *matcher, uint32_t n, const uint32_t *starts, const int64_t *times, uint32_t **out)
{
	*out = NULL;
	if (!has_shared_ranks(matcher->join->model))
		return PH_OK;
	PH_TRY(PH_NEW(matcher->temporary, n, out));
	for (uint32_t i = 0; i < n; i++)
		(*out)[i] = i;
	return sort_shared_ranks(matcher->env, matcher->join->model, starts, *out, times);
}

/* Sends by receiving rank; those to nowhere are left out. */
static PhStatus
sort_sends(Matcher *matcher)
{
	PhLogicalJoin *join = matcher->join;
	uint32_t *order;
	uint32_t n = join->n_sends;
	PH_TRY(order_of(matcher, n, join->first_send, join->send_time, &order));
	PH_TRY(PH_NEW(matcher->temporary, (size_t) matcher->n_ranks + 2, &matcher->first_to));
	PH_TRY(PH_NEW(matcher->temporary, n, &matcher->sends));
	uint32_t *next = matcher->first_to + 1;
	for (uint32_t s = 0; s < n; s++)
		if (join->send_peer[s] < matcher->n_ranks)
			next[join->send_peer[s] + 1]++;
	for (uint32_t r = 0; r < matcher->n_ranks; r++)
		next[r + 1] += next[r];
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t send = order == NULL ? i : order[i];
		uint32_t peer = join->send_peer[send];
		PH_TRY(ph_env_poll(matcher->env));
		if (peer < matcher->n_ranks)
			matcher->sends[next[peer]++] = send;
	}
	return PH_OK;
}

/* ------------------------------------------------------------------------------------------ queues
 */

static uint32_t
first_slot_of(const Matcher *matcher, const MatchKey *key)
{
	uint64_t hash = ((uint64_t) key->sender << 32 | key->tag) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 29 ^ key->comm ^ key->bytes) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t) (hash >> 32) & (matcher->n_slots - 1);
}

/* The key's slot, or the empty one where it belongs. */
static uint32_t
find_slot(const Matcher *matcher, const MatchKey *key)
{
	const Queue *queues = matcher->queues.items;
	uint32_t at = first_slot_of(matcher, key);
	for (; matcher->slots[at] != 0; at = (at + 1) & (matcher->n_slots - 1))
	{
		const MatchKey *other = &queues[matcher->slots[at] - 1].key;
		if (other->sender == key->sender && other->tag == key->tag && other->comm == key->comm &&
			other->bytes == key->bytes)
			break;
	}
	return at;
}

static PhStatus
grow_slots(Matcher *matcher)
{
	void *memory;
	Queue *queues = matcher->queues.items;
	uint32_t n = matcher->n_slots == 0 ? 64 : 2 * matcher->n_slots;
	PH_TRY(ph_env_alloc(matcher->env, n, sizeof(uint32_t), &memory));
	ph_env_free(matcher->env, matcher->slots, matcher->n_slots, sizeof(uint32_t));
	matcher->slots = memory;
	matcher->n_slots = n;
	for (uint32_t q = 0; q < matcher->queues.count; q++)
	{
		queues[q].slot = find_slot(matcher, &queues[q].key);
		matcher->slots[queues[q].slot] = q + 1;
	}
	return PH_OK;
}

/*
 * Appends a send to the queue of its key, which is made when it is the first. place: of the send
 * among those to the rank at hand.
 */
static PhStatus
enqueue(Matcher *matcher, uint32_t place)
{
	const PhLogicalJoin *join = matcher->join;
	const PhLogicalModel *model = join->model;
	uint32_t send = matcher->sends_here[place];
	uint32_t timeline = model->timeline[model->send_event[send]];
	MatchKey key = key_of(matcher, (uint32_t) model->timeline_rank[timeline], join->send_comm[send],
						  (uint32_t) model->tag[send], model->bytes[send]);
	if (matcher->queues.count >= matcher->n_slots / 2)
		PH_TRY(grow_slots(matcher));
	uint32_t at = find_slot(matcher, &key);
	matcher->next[place] = PH_NONE;
	if (matcher->slots[at] == 0)
	{
		void *queue;
		PH_TRY(PH_ROOM(matcher->env, &matcher->queues));
		queue = &matcher->queues.items[matcher->queues.count++];
		*(Queue *) queue = (Queue){key, place, place, at};
		matcher->slots[at] = matcher->queues.count;
		return PH_OK;
	}
	Queue *queue = &matcher->queues.items[matcher->slots[at] - 1];
	matcher->next[queue->last] = place;
	queue->last = place;
	return PH_OK;
}

/*
 * Gives a receive's slot the first send in the queue of its key, PH_NONE when none is left; a slot
 * whose receive never completed has no key and stays as it is.
 */
static void
dequeue(Matcher *matcher, uint32_t slot)
{
	PhLogicalJoin *join = matcher->join;
	MatchKey key = key_of(matcher, join->slot_peer[slot], join->slot_comm[slot],
						  join->slot_tag[slot], join->slot_bytes[slot]);
	if (join->slot_peer[slot] == PH_NONE)
		return;
	uint32_t at = matcher->n_slots == 0 ? 0 : find_slot(matcher, &key);
	uint32_t found = matcher->n_slots == 0 ? 0 : matcher->slots[at];
	join->slot_message[slot] = PH_NONE;
	if (found == 0)
		return;
	Queue *queue = &matcher->queues.items[found - 1];
	if (queue->first == PH_NONE)
		return;
	join->slot_message[slot] = matcher->sends_here[queue->first];
	queue->first = matcher->next[queue->first];
}

static void
forget_queues(Matcher *matcher)
{
	for (uint32_t q = 0; q < matcher->queues.count; q++)
		matcher->slots[matcher->queues.items[q].slot] = 0;
	matcher->queues.count = 0;
}

/* slots: NULL: first_slot and those behind it. */
static PhStatus
match_rank(Matcher *matcher, uint32_t rank, const uint32_t *slots, uint32_t first_slot,
		   uint32_t n_slots)
{
	uint32_t n_sends = 0;
	if (rank < matcher->n_ranks)
	{
		matcher->sends_here = matcher->sends + matcher->first_to[rank];
		n_sends = matcher->first_to[rank + 1] - matcher->first_to[rank];
	}
	for (uint32_t i = 0; i < n_sends; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		PH_TRY(enqueue(matcher, i));
	}
	for (uint32_t i = first_slot; i < first_slot + n_slots; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		dequeue(matcher, slots == NULL ? i : slots[i]);
	}
	forget_queues(matcher);
	return PH_OK;
}

/* Room for the places of the rank that is sent most to. */
static PhStatus
reserve_places(Matcher *matcher)
{
	uint32_t most = 0;
	for (uint32_t r = 0; r < matcher->n_ranks; r++)
		if (matcher->first_to[r + 1] - matcher->first_to[r] > most)
			most = matcher->first_to[r + 1] - matcher->first_to[r];
	return PH_NEW(matcher->temporary, most, &matcher->next);
}

static PhStatus
match_all(Matcher *matcher)
{
	const PhLogicalJoin *join = matcher->join;
	const PhLogicalModel *model = join->model;
	uint32_t *slots;
	PH_TRY(sort_sends(matcher));
	PH_TRY(order_of(matcher, join->n_slots, join->first_slot, join->slot_time, &slots));
	PH_TRY(reserve_places(matcher));
	for (uint32_t t = 0; t < model->n_timelines;)
	{
		uint32_t end = ph_logical_rank_end(model, t);
		PH_TRY(match_rank(matcher, (uint32_t) model->timeline_rank[t], slots, join->first_slot[t],
						  join->first_slot[end] - join->first_slot[t]));
		t = end;
	}
	return PH_OK;
}

PhStatus
ph_logical_match(PhLogicalJoin *join)
{
	PhArena temporary;
	ph_arena_init(&temporary, join->model->env);
	Matcher matcher = {.env = join->model->env, .join = join, .temporary = &temporary};
	matcher.n_ranks = count_ranks(join);
	PhStatus status = match_all(&matcher);
	ph_arena_drop(&temporary);
	PH_VECTOR_FREE(matcher.env, &matcher.queues);
	ph_env_free(matcher.env, matcher.slots, matcher.n_slots, sizeof(uint32_t));
	return status;
}
