/*
 * messages.c - messages of a logical model, once it is known which send each receive meets.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/internal.h"

/* ----------------------------------------------------------------------------------------- links
 */

/* By location: its timeline, PH_NONE: none. */
static PhStatus
find_timelines(PhArena *arena, const PhLogicalJoin *join, uint32_t **out)
{
	uint32_t n = join->trace->n_locations;
	PH_TRY(PH_NEW(arena, n, out));
	for (uint32_t l = 0; l < n; l++)
		(*out)[l] = PH_NONE;
	for (uint32_t t = 0; t < join->model->n_timelines; t++)
		(*out)[join->model->timeline_location[t]] = t;
	return PH_OK;
}

static PhStatus
take_links_of(const PhLogicalJoin *join, const PhMatcher *matcher, const uint32_t *timeline_of,
			  uint32_t timeline)
{
	uint64_t n;
	uint32_t location = join->model->timeline_location[timeline];
	uint32_t first = join->first_slot[timeline];
	const PhLink *links = ph_matcher_links(matcher, location, &n);
	const uint32_t *ordinals = ph_matcher_send_ordinals(matcher, location);
	if (n != join->first_slot[timeline + 1] - first)
		return ph_fail(join->model->env, PH_ERR_VALUE,
					   "location %u has %u receives, but %llu links", location,
					   join->first_slot[timeline + 1] - first, (unsigned long long) n);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t from = links[i].location == PH_NONE ? PH_NONE : timeline_of[links[i].location];
		PH_TRY(ph_env_poll_at(join->model->env, i));
		join->slot_message[first + i] =
			from == PH_NONE ? PH_NONE : join->first_send[from] + ordinals[i];
	}
	return PH_OK;
}

PhStatus
ph_logical_take_links(PhLogicalJoin *join, const PhMatcher *matcher)
{
	PhArena arena;
	uint32_t *timeline_of = NULL;
	ph_arena_init(&arena, join->model->env);
	PhStatus status = find_timelines(&arena, join, &timeline_of);
	for (uint32_t t = 0; t < join->model->n_timelines && status == PH_OK; t++)
		status = take_links_of(join, matcher, timeline_of, t);
	ph_arena_drop(&arena);
	return status;
}

/* ---------------------------------------------------------------------------------------- messages
 */

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
fill_messages(PhLogicalJoin *join)
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
		PH_TRY(ph_env_poll_at(model->env, e));
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
ph_logical_write_messages(PhLogicalJoin *join)
{
	ph_columns_drop(join->columns, PH_PART_SEND_PEER);
	ph_columns_drop(join->columns, PH_PART_SEND_COMM);
	ph_columns_drop(join->columns, PH_PART_SEND_TIME);
	PH_TRY(fill_messages(join));
	for (uint32_t c = PH_PART_SLOT_BYTES; c <= PH_PART_SLOT_TIME; c++)
		ph_columns_drop(join->columns, (PhPartColumn) c);
	count_unmatched(join->model);
	return PH_OK;
}
