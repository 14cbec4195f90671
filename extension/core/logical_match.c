/*
 * logical_match.c - which receive completes which send: queues by key, one receiving rank at a
 * time.
 *
 * Key: sender, communicator and tag (compat: without the communicator), and bytes when asked for.
 * The k-th send of a key meets its k-th receive. Sends are brought to their receivers by a counting
 * sort, so that only one rank's keys are in memory at once. O(messages).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical_internal.h"

typedef struct MatchKey
{
	uint64_t bytes; /* 0 unless sizes must agree */
	uint32_t sender, comm, tag, zero;
} MatchKey;

typedef struct Matcher
{
	PhEnv *env;
	PhLogicalJoin *join;
	PhArena *temporary;
	uint32_t n_ranks;
	uint32_t *first_to;	 /* n_ranks + 1: sends to a rank are sends[first..next first) */
	uint32_t *sends;	 /* in order of time by sender */
	uint32_t *next_send; /* by send: the next of its key's queue */
	uint32_t unmatched;
} Matcher;

static MatchKey
key_of(const Matcher *matcher, uint32_t sender, uint32_t comm, uint32_t tag, uint64_t bytes)
{
	const PhLogicalOptions *options = matcher->join->options;
	MatchKey key = {options->match_sizes ? bytes : 0, sender, options->compat ? 0 : comm, tag, 0};
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

static PhStatus
new_identity(PhArena *arena, uint32_t n, uint32_t **out)
{
	PH_TRY(PH_NEW(arena, n, out));
	for (uint32_t i = 0; i < n; i++)
		(*out)[i] = i;
	return PH_OK;
}

/* Sends by receiving rank; those to nowhere are left out. */
static PhStatus
sort_sends(Matcher *matcher)
{
	PhLogicalJoin *join = matcher->join;
	uint32_t *order;
	uint32_t n = join->n_sends;
	PH_TRY(new_identity(matcher->temporary, n, &order));
	PH_TRY(sort_shared_ranks(matcher->env, join->model, join->first_send, order, join->send_time));
	PH_TRY(PH_NEW(matcher->temporary, (size_t) matcher->n_ranks + 2, &matcher->first_to));
	PH_TRY(PH_NEW(matcher->temporary, n, &matcher->sends));
	PH_TRY(PH_NEW(matcher->temporary, n, &matcher->next_send));
	uint32_t *next = matcher->first_to + 1;
	for (uint32_t s = 0; s < n; s++)
		if (join->send_peer[s] < matcher->n_ranks)
			next[join->send_peer[s] + 1]++;
	for (uint32_t r = 0; r < matcher->n_ranks; r++)
		next[r + 1] += next[r];
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t peer = join->send_peer[order[i]];
		PH_TRY(ph_env_poll(matcher->env));
		if (peer < matcher->n_ranks)
			matcher->sends[next[peer]++] = order[i];
	}
	return PH_OK;
}

/* The queues of one receiving rank. */
typedef struct Queues
{
	PhRecords keys;
	uint32_t *first, *last; /* by key: sends, PH_NONE: empty */
	uint32_t n;
} Queues;

static PhStatus
enqueue(Matcher *matcher, Queues *queues, uint32_t send)
{
	const PhLogicalJoin *join = matcher->join;
	const PhLogicalModel *model = join->model;
	uint32_t timeline = model->timeline[model->send_event[send]];
	MatchKey key = key_of(matcher, (uint32_t) model->timeline_rank[timeline], join->send_comm[send],
						  join->send_tag[send], model->bytes[send]);
	uint32_t index;
	PH_TRY(ph_records_intern(&queues->keys, &key, &index));
	matcher->next_send[send] = PH_NONE;
	if (index == queues->n)
	{
		queues->first[index] = send;
		queues->n++;
	}
	else
		matcher->next_send[queues->last[index]] = send;
	queues->last[index] = send;
	return PH_OK;
}

static PhStatus
dequeue(Matcher *matcher, Queues *queues, uint32_t slot)
{
	PhLogicalJoin *join = matcher->join;
	MatchKey key = key_of(matcher, join->slot_peer[slot], join->slot_comm[slot],
						  join->slot_tag[slot], join->slot_bytes[slot]);
	uint32_t index;
	join->slot_message[slot] = PH_NONE;
	if (join->slot_event[slot] == PH_NONE)
		return PH_OK;
	PH_TRY(ph_records_intern(&queues->keys, &key, &index));
	uint32_t send = index < queues->n ? queues->first[index] : PH_NONE;
	if (send == PH_NONE)
	{
		matcher->unmatched++;
		return PH_OK;
	}
	queues->first[index] = matcher->next_send[send];
	join->slot_message[slot] = send;
	return PH_OK;
}

static PhStatus
match_rank(Matcher *matcher, PhArena *arena, uint32_t rank, const uint32_t *slots, uint32_t n_slots)
{
	Queues queues;
	const uint32_t *sends = NULL;
	uint32_t n_sends = 0;
	memset(&queues, 0, sizeof(queues));
	if (rank < matcher->n_ranks)
	{
		sends = matcher->sends + matcher->first_to[rank];
		n_sends = matcher->first_to[rank + 1] - matcher->first_to[rank];
	}
	ph_records_init(&queues.keys, arena, sizeof(MatchKey));
	PH_TRY(PH_NEW(arena, n_sends, &queues.first));
	PH_TRY(PH_NEW(arena, n_sends, &queues.last));
	for (uint32_t i = 0; i < n_sends; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		PH_TRY(enqueue(matcher, &queues, sends[i]));
	}
	for (uint32_t i = 0; i < n_slots; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		PH_TRY(dequeue(matcher, &queues, slots[i]));
	}
	return PH_OK;
}

static PhStatus
match_all(Matcher *matcher)
{
	const PhLogicalJoin *join = matcher->join;
	const PhLogicalModel *model = join->model;
	uint32_t *slots;
	PH_TRY(sort_sends(matcher));
	PH_TRY(new_identity(matcher->temporary, join->n_slots, &slots));
	PH_TRY(sort_shared_ranks(matcher->env, model, join->first_slot, slots, join->slot_time));
	for (uint32_t t = 0; t < model->n_timelines;)
	{
		PhArena arena;
		uint32_t end = ph_logical_rank_end(model, t);
		ph_arena_init(&arena, matcher->env);
		PhStatus status =
			match_rank(matcher, &arena, (uint32_t) model->timeline_rank[t],
					   slots + join->first_slot[t], join->first_slot[end] - join->first_slot[t]);
		ph_arena_drop(&arena);
		PH_TRY(status);
		t = end;
	}
	return PH_OK;
}

/* Room for the messages of which only the receive is known. */
static PhStatus
extend_messages(PhLogicalModel *model, uint32_t extra)
{
	size_t n = model->n_messages, wanted = n + extra;
	void *events, *bytes;
	if (extra == 0)
		return PH_OK;
	PH_TRY(ph_env_alloc(model->env, wanted, sizeof(uint32_t), &events));
	PhStatus status = ph_env_alloc(model->env, wanted, sizeof(uint64_t), &bytes);
	if (status != PH_OK)
	{
		ph_env_free(model->env, events, wanted, sizeof(uint32_t));
		return status;
	}
	memcpy(events, model->send_event, n * sizeof(uint32_t));
	memcpy(bytes, model->bytes, n * sizeof(uint64_t));
	ph_env_free(model->env, model->send_event, n, sizeof(uint32_t));
	ph_env_free(model->env, model->bytes, n, sizeof(uint64_t));
	model->send_event = events;
	model->bytes = bytes;
	model->n_messages = (uint32_t) wanted;
	return PH_OK;
}

/* Both ends of every message, and the messages of receives, from the slots' answers. */
static PhStatus
write_messages(PhLogicalJoin *join, uint32_t unmatched)
{
	PhLogicalModel *model = join->model;
	uint32_t message = model->n_messages;
	void *memory;
	PH_TRY(extend_messages(model, unmatched));
	PH_TRY(ph_env_alloc(model->env, model->n_messages, sizeof(int32_t), &memory));
	model->tag = memory;
	memcpy(model->tag, join->send_tag, message * sizeof(int32_t));
	PH_TRY(ph_env_alloc(model->env, model->n_messages, sizeof(uint32_t), &memory));
	model->receive_event = memory;
	for (uint32_t m = 0; m < model->n_messages; m++)
		model->receive_event[m] = PH_NONE;
	for (uint32_t s = 0; s < join->n_slots; s++)
	{
		if (join->slot_event[s] == PH_NONE)
			continue;
		if (join->slot_message[s] == PH_NONE)
		{
			join->slot_message[s] = message;
			model->send_event[message] = PH_NONE;
			model->tag[message] = (int32_t) join->slot_tag[s];
			model->bytes[message++] = join->slot_bytes[s];
		}
		model->receive_event[join->slot_message[s]] = join->slot_event[s];
	}
	for (uint32_t e = 0; e < model->n_events; e++)
		for (uint32_t i = model->first_end[e]; i < model->first_end[e + 1]; i++)
			if (model->kind[e] == PH_COMM_RECEIVE)
				model->message_of_end[i] = join->slot_message[model->message_of_end[i]];
	return PH_OK;
}

static void
count_unmatched(PhLogicalModel *model)
{
	for (uint32_t m = 0; m < model->n_messages; m++)
	{
		model->notes.unmatched_sends += model->receive_event[m] == PH_NONE;
		model->notes.unmatched_receives += model->send_event[m] == PH_NONE;
	}
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
	PH_TRY(status);
	PH_TRY(write_messages(join, matcher.unmatched));
	count_unmatched(join->model);
	return PH_OK;
}
