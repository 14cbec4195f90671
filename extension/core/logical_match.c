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
	uint32_t *first_to; /* n_ranks + 1: sends to a rank are sends[first..next first) */
	uint32_t *sends;	/* in order of time by sender */
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

/* The queues of one receiving rank: of places in its list of sends. */
typedef struct Queues
{
	PhRecords keys;
	const uint32_t *sends;
	uint32_t *next;			/* by place: the next of its key's queue, PH_NONE: it is the last */
	uint32_t *first, *last; /* by key: places, PH_NONE: empty */
	uint32_t n;
} Queues;

static PhStatus
enqueue(Matcher *matcher, Queues *queues, uint32_t place)
{
	const PhLogicalJoin *join = matcher->join;
	const PhLogicalModel *model = join->model;
	uint32_t send = queues->sends[place];
	uint32_t timeline = model->timeline[model->send_event[send]];
	MatchKey key = key_of(matcher, (uint32_t) model->timeline_rank[timeline], join->send_comm[send],
						  (uint32_t) model->tag[send], model->bytes[send]);
	uint32_t index;
	PH_TRY(ph_records_intern(&queues->keys, &key, &index));
	queues->next[place] = PH_NONE;
	if (index == queues->n)
	{
		queues->first[index] = place;
		queues->n++;
	}
	else
		queues->next[queues->last[index]] = place;
	queues->last[index] = place;
	return PH_OK;
}

static PhStatus
dequeue(Matcher *matcher, Queues *queues, uint32_t slot)
{
	PhLogicalJoin *join = matcher->join;
	MatchKey key = key_of(matcher, join->slot_peer[slot], join->slot_comm[slot],
						  join->slot_tag[slot], join->slot_bytes[slot]);
	uint32_t index;
	if (join->slot_peer[slot] == PH_NONE)
		return PH_OK;
	PH_TRY(ph_records_intern(&queues->keys, &key, &index));
	uint32_t place = index < queues->n ? queues->first[index] : PH_NONE;
	join->slot_message[slot] = place == PH_NONE ? PH_NONE : queues->sends[place];
	if (place != PH_NONE)
		queues->first[index] = queues->next[place];
	return PH_OK;
}

/* slots: NULL: first_slot and those behind it. */
static PhStatus
match_rank(Matcher *matcher, PhArena *arena, uint32_t rank, const uint32_t *slots,
		   uint32_t first_slot, uint32_t n_slots)
{
	Queues queues;
	uint32_t n_sends = 0;
	memset(&queues, 0, sizeof(queues));
	if (rank < matcher->n_ranks)
	{
		queues.sends = matcher->sends + matcher->first_to[rank];
		n_sends = matcher->first_to[rank + 1] - matcher->first_to[rank];
	}
	ph_records_init(&queues.keys, arena, sizeof(MatchKey));
	PH_TRY(PH_NEW(arena, n_sends, &queues.next));
	PH_TRY(PH_NEW(arena, n_sends, &queues.first));
	PH_TRY(PH_NEW(arena, n_sends, &queues.last));
	for (uint32_t i = 0; i < n_sends; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		PH_TRY(enqueue(matcher, &queues, i));
	}
	for (uint32_t i = first_slot; i < first_slot + n_slots; i++)
	{
		PH_TRY(ph_env_poll(matcher->env));
		PH_TRY(dequeue(matcher, &queues, slots == NULL ? i : slots[i]));
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
	PH_TRY(order_of(matcher, join->n_slots, join->first_slot, join->slot_time, &slots));
	for (uint32_t t = 0; t < model->n_timelines;)
	{
		PhArena arena;
		uint32_t end = ph_logical_rank_end(model, t);
		ph_arena_init(&arena, matcher->env);
		PhStatus status =
			match_rank(matcher, &arena, (uint32_t) model->timeline_rank[t], slots,
					   join->first_slot[t], join->first_slot[end] - join->first_slot[t]);
		ph_arena_drop(&arena);
		PH_TRY(status);
		t = end;
	}
	return PH_OK;
}

/* Room for the messages of which only the receive is known: all arrays grow or none. */
static PhStatus
extend_messages(PhLogicalModel *model, uint32_t extra)
{
	struct
	{
		void *old, *longer;
		size_t size;
	} arrays[] = {{model->send_event, NULL, sizeof(uint32_t)},
				  {model->bytes, NULL, sizeof(uint64_t)},
				  {model->tag, NULL, sizeof(int32_t)}};
	size_t n = model->n_messages, wanted = n + extra;
	PhStatus status = PH_OK;
	if (extra == 0)
		return PH_OK;
	for (int a = 0; a < 3 && status == PH_OK; a++)
		status = ph_env_alloc(model->env, wanted, arrays[a].size, &arrays[a].longer);
	for (int a = 0; a < 3; a++)
	{
		if (status == PH_OK)
			memcpy(arrays[a].longer, arrays[a].old, n * arrays[a].size);
		ph_env_free(model->env, status == PH_OK ? arrays[a].old : arrays[a].longer,
					status == PH_OK ? n : wanted, arrays[a].size);
	}
	PH_TRY(status);
	model->send_event = arrays[0].longer;
	model->bytes = arrays[1].longer;
	model->tag = arrays[2].longer;
	model->n_messages = (uint32_t) wanted;
	return PH_OK;
}

static uint32_t
count_unmatched_receives(const PhLogicalJoin *join)
{
	const PhLogicalModel *model = join->model;
	uint32_t n = 0;
	for (uint32_t e = 0; e < model->n_events; e++)
		for (uint32_t i = model->first_end[e];
			 model->kind[e] == PH_COMM_RECEIVE && i < model->first_end[e + 1]; i++)
			n += join->slot_message[model->message_of_end[i]] == PH_NONE;
	return n;
}

/* The messages of one receive, from its slots' answers; next: the first that has no send. */
static void
write_receive(const PhLogicalJoin *join, uint32_t event, uint32_t *next)
{
	PhLogicalModel *model = join->model;
	for (uint32_t i = model->first_end[event]; i < model->first_end[event + 1]; i++)
	{
		uint32_t slot = model->message_of_end[i], message = join->slot_message[slot];
		if (message == PH_NONE)
		{
			message = (*next)++;
			model->send_event[message] = PH_NONE;
			model->tag[message] = (int32_t) join->slot_tag[slot];
			model->bytes[message] = join->slot_bytes[slot];
		}
		model->message_of_end[i] = message;
		model->receive_event[message] = event;
	}
}

static PhStatus
write_messages(PhLogicalJoin *join)
{
	PhLogicalModel *model = join->model;
	uint32_t next = model->n_messages;
	void *memory;
	PH_TRY(extend_messages(model, count_unmatched_receives(join)));
	PH_TRY(ph_env_alloc(model->env, model->n_messages, sizeof(uint32_t), &memory));
	model->receive_event = memory;
	for (uint32_t m = 0; m < model->n_messages; m++)
		model->receive_event[m] = PH_NONE;
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll(model->env));
		if (model->kind[e] == PH_COMM_RECEIVE)
			write_receive(join, e, &next);
	}
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
	ph_columns_drop(join->columns, PH_PART_SEND_PEER);
	ph_columns_drop(join->columns, PH_PART_SEND_COMM);
	ph_columns_drop(join->columns, PH_PART_SEND_TIME);
	PH_TRY(write_messages(join));
	for (uint32_t c = PH_PART_SLOT_BYTES; c <= PH_PART_SLOT_TIME; c++)
		ph_columns_drop(join->columns, (PhPartColumn) c);
	count_unmatched(join->model);
	return PH_OK;
}
