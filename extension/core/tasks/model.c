/*
 * model.c - events of finished parts as a logical model, in logical order.
 *
 * Events are put into order of (part, order within it), then dealt out to their entities: parts of
 * one entity are of different leaps, and numbered by them. Method: docs/design/logical-time.md 2.7.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/model.h"

#include <string.h>

#include "base/hash.h"

/* -------------------------------------------------------------------------------------- effects
 */

static void
count_effect(PhTaskEffects *effects, uint32_t *next, uint32_t from, uint32_t to)
{
	if (effects->event == NULL)
		next[from + 1]++;
	else
		effects->event[next[from]++] = to;
}

static PhStatus
tell_effects(const PhTaskParts *parts, PhTaskEffects *effects, uint32_t *next)
{
	const uint32_t *from = parts->edge_from.items;
	const uint32_t *to = parts->edge_to.items;
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		PH_TRY(ph_env_poll(parts->env));
		if (parts->partner[e] != PH_NONE)
			count_effect(effects, next, parts->partner[e], e);
	}
	for (uint32_t d = 0; d < parts->n_given_edges; d++)
		if (parts->part[from[d]] == parts->part[to[d]])
			count_effect(effects, next, from[d], to[d]);
	return PH_OK;
}

static PhStatus
find_effects(PhArena *arena, const PhTaskParts *parts, PhTaskEffects *out)
{
	PhTaskEffects effects = {NULL, NULL};
	PH_TRY(PH_NEW(arena, (size_t) parts->n_events + 2, &effects.first));
	uint32_t *next = effects.first + 1;
	PH_TRY(tell_effects(parts, &effects, next));
	for (uint32_t e = 0; e < parts->n_events; e++)
		next[e + 1] += next[e];
	PH_TRY(PH_NEW(arena, next[parts->n_events], &effects.event));
	PH_TRY(tell_effects(parts, &effects, next));
	*out = effects;
	return PH_OK;
}

/* ---------------------------------------------------------------------------------------- order
 */

/* Events in the order in which each part has them on each entity. */
static PhStatus
order_within(PhArena *temporary, const PhTaskParts *parts, uint32_t *order)
{
	PhTaskEffects effects;
	if (!parts->options->reorder)
	{
		for (uint32_t e = 0; e < parts->n_events; e++)
			order[e] = e;
		return PH_OK;
	}
	PH_TRY(find_effects(temporary, parts, &effects));
	return ph_task_replay(parts, &effects, order);
}

/*
 * Numbers events in logical order: sorted by part, which puts leaps one after the other, and within
 * a part in the given order; then each gets the next free place of its entity.
 */
static PhStatus
deal_out(PhArena *temporary, const PhTaskParts *parts, const uint32_t *order, uint32_t *place)
{
	uint32_t *next, *sorted, *free_place;
	PH_TRY(PH_NEW(temporary, (size_t) parts->n_parts + 1, &next));
	PH_TRY(PH_NEW(temporary, parts->n_events, &sorted));
	PH_TRY(PH_NEW(temporary, parts->n_entities, &free_place));
	for (uint32_t e = 0; e < parts->n_events; e++)
		next[parts->part[e] + 1]++;
	for (uint32_t p = 0; p < parts->n_parts; p++)
		next[p + 1] += next[p];
	for (uint32_t i = 0; i < parts->n_events; i++)
		sorted[next[parts->part[order[i]]]++] = order[i];
	memcpy(free_place, parts->entity_first, parts->n_entities * sizeof(*free_place));
	for (uint32_t i = 0; i < parts->n_events; i++)
		place[sorted[i]] = free_place[parts->entity[sorted[i]]]++;
	return PH_OK;
}

static PhStatus
find_places(const PhTaskParts *parts, uint32_t *place)
{
	PhArena temporary;
	uint32_t *order;
	ph_arena_init(&temporary, parts->env);
	PhStatus status = PH_NEW(&temporary, parts->n_events, &order);
	if (status == PH_OK)
		status = order_within(&temporary, parts, order);
	if (status == PH_OK)
		status = deal_out(&temporary, parts, order, place);
	ph_arena_drop(&temporary);
	return status;
}

/* ---------------------------------------------------------------------------------------- model
 */

#define NEW_COLUMN(model, n, field)                                                                \
	ph_env_alloc((model)->env, (n), sizeof(*(model)->field), (void **) &(model)->field)

static PhStatus
make_timelines(const PhTaskParts *parts, PhLogicalModel *model)
{
	uint32_t n = 0;
	for (uint32_t entity = 0; entity < parts->n_entities; entity++)
		n += parts->entity_first[entity + 1] > parts->entity_first[entity];
	model->n_timelines = n;
	PH_TRY(NEW_COLUMN(model, n, timeline_location));
	PH_TRY(NEW_COLUMN(model, n, timeline_rank));
	PH_TRY(NEW_COLUMN(model, (size_t) n + 1, timeline_first));
	n = 0;
	for (uint32_t entity = 0; entity < parts->n_entities; entity++)
	{
		if (parts->entity_first[entity + 1] == parts->entity_first[entity])
			continue;
		model->timeline_location[n] = entity;
		model->timeline_rank[n] = PH_NO_NUMBER;
		model->timeline_first[n++] = parts->entity_first[entity];
	}
	model->timeline_first[n] = parts->n_events;
	return PH_OK;
}

static PhStatus
allocate_events(PhLogicalModel *model, uint32_t n)
{
	model->n_events = n;
	PH_TRY(NEW_COLUMN(model, n, timeline));
	PH_TRY(NEW_COLUMN(model, n, enter));
	PH_TRY(NEW_COLUMN(model, n, exit));
	PH_TRY(NEW_COLUMN(model, n, region));
	PH_TRY(NEW_COLUMN(model, n, caller));
	PH_TRY(NEW_COLUMN(model, n, collective));
	PH_TRY(NEW_COLUMN(model, n, kind));
	PH_TRY(NEW_COLUMN(model, n, flags));
	PH_TRY(NEW_COLUMN(model, (size_t) n + 1, first_end));
	return NEW_COLUMN(model, 1, first_member);
}

static void
place_event(const PhTaskParts *parts, PhLogicalModel *model, uint32_t e, uint32_t at)
{
	const PhTaskTrace *trace = parts->trace;
	uint32_t event = parts->event[e];
	bool receives = (parts->flags[e] & PH_TE_RECEIVE) != 0;
	int64_t length = parts->options->compat ? trace->tick : trace->event_length[event];
	model->enter[at] = trace->event_time[event];
	model->exit[at] = trace->event_time[event] + length;
	model->region[at] = trace->block_entry[trace->event_block[event]];
	model->caller[at] = model->collective[at] = PH_NONE;
	model->kind[at] = receives ? PH_COMM_RECEIVE : PH_COMM_SEND;
}

static PhStatus
make_events(const PhTaskParts *parts, const uint32_t *place, PhLogicalModel *model,
			uint32_t *trace_event)
{
	PH_TRY(allocate_events(model, parts->n_events));
	for (uint32_t t = 0; t < model->n_timelines; t++)
		for (uint32_t e = model->timeline_first[t]; e < model->timeline_first[t + 1]; e++)
			model->timeline[e] = t;
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		PH_TRY(ph_env_poll(parts->env));
		place_event(parts, model, e, place[e]);
		trace_event[place[e]] = parts->event[e];
	}
	return PH_OK;
}

/* Names of entry methods with their chares, as they are the same in all runs. */
static PhStatus
make_regions(const PhTaskTrace *trace, PhLogicalModel *model)
{
	model->n_regions = trace->count[PH_TASK_ENTRIES];
	PH_TRY(NEW_COLUMN(model, model->n_regions, region_key));
	for (uint32_t r = 0; r < model->n_regions; r++)
	{
		const char *name = trace->entry_name[r], *type = trace->type_name[trace->entry_type[r]];
		model->region_key[r] =
			ph_hash_mix(ph_hash_bytes(type, strlen(type))) ^ ph_hash_bytes(name, strlen(name));
	}
	return PH_OK;
}

/* ------------------------------------------------------------------------------------- messages
 */

static void
free_messages(PhLogicalModel *model)
{
	PhEnv *env = model->env;
	ph_env_free(env, model->message_of_end, model->n_ends, sizeof(*model->message_of_end));
	ph_env_free(env, model->send_event, model->n_messages, sizeof(*model->send_event));
	ph_env_free(env, model->receive_event, model->n_messages, sizeof(*model->receive_event));
	ph_env_free(env, model->tag, model->n_messages, sizeof(*model->tag));
	ph_env_free(env, model->bytes, model->n_messages, sizeof(*model->bytes));
	model->message_of_end = model->send_event = model->receive_event = NULL;
	model->tag = NULL;
	model->bytes = NULL;
	model->n_ends = model->n_messages = 0;
}

/* Numbers of messages by event; an event without any gets one that has no other end. */
static PhStatus
count_ends(PhLogicalModel *model, const PhTaskLinks *links, uint8_t *lone)
{
	uint32_t n = model->n_events, *count = model->first_end;
	memset(count, 0, ((size_t) n + 1) * sizeof(*count));
	model->n_messages = links->n;
	for (uint32_t i = 0; i < links->n; i++)
	{
		count[links->from[i] + 1]++;
		count[links->to[i] + 1]++;
	}
	for (uint32_t e = 0; e < n; e++)
	{
		PH_TRY(ph_env_poll(model->env));
		lone[e] = count[e + 1] == 0;
		count[e + 1] += lone[e];
		model->n_messages += lone[e];
	}
	for (uint32_t e = 0; e < n; e++)
		count[e + 1] += count[e];
	model->n_ends = count[n];
	return PH_OK;
}

static PhStatus
allocate_messages(PhLogicalModel *model)
{
	PH_TRY(NEW_COLUMN(model, model->n_ends, message_of_end));
	PH_TRY(NEW_COLUMN(model, model->n_messages, send_event));
	PH_TRY(NEW_COLUMN(model, model->n_messages, receive_event));
	PH_TRY(NEW_COLUMN(model, model->n_messages, tag));
	return NEW_COLUMN(model, model->n_messages, bytes);
}

static void
put_message(PhLogicalModel *model, uint32_t m, uint32_t from, uint32_t to, uint32_t *next)
{
	model->send_event[m] = from;
	model->receive_event[m] = to;
	if (from != PH_NONE)
		model->message_of_end[next[from]++] = m;
	if (to != PH_NONE)
		model->message_of_end[next[to]++] = m;
}

static PhStatus
fill_messages(PhLogicalModel *model, const PhTaskLinks *links, const uint8_t *lone, uint32_t *next)
{
	uint32_t m = 0, i = 0;
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll(model->env));
		for (; i < links->n && links->from[i] == e; i++)
			put_message(model, m++, e, links->to[i], next);
		if (lone[e] && model->kind[e] == PH_COMM_SEND)
			put_message(model, m++, e, PH_NONE, next);
	}
	for (uint32_t e = 0; e < model->n_events; e++)
		if (lone[e] && model->kind[e] == PH_COMM_RECEIVE)
			put_message(model, m++, PH_NONE, e, next);
	return PH_OK;
}

static PhStatus
make_messages(PhArena *temporary, PhLogicalModel *model, const PhTaskLinks *links)
{
	uint32_t *next, n = model->n_events;
	uint8_t *lone;
	PH_TRY(PH_NEW(temporary, n, &next));
	PH_TRY(PH_NEW(temporary, n, &lone));
	free_messages(model);
	PH_TRY(count_ends(model, links, lone));
	PH_TRY(allocate_messages(model));
	memcpy(next, model->first_end, n * sizeof(*next));
	return fill_messages(model, links, lone, next);
}

/* Pairs that depend on each other, by (from, to): messages, and dependencies within parts. */
static PhStatus
find_links(PhArena *temporary, const PhTaskParts *parts, const uint32_t *place, bool with_edges,
		   PhTaskLinks *out)
{
	const uint32_t *from = parts->edge_from.items;
	const uint32_t *to = parts->edge_to.items;
	uint32_t n_edges = with_edges ? parts->n_given_edges : 0, *next, *source;
	PH_TRY(PH_NEW(temporary, (size_t) parts->n_events + 1, &next));
	PH_TRY(PH_NEW(temporary, parts->n_events, &source));
	/* by place of what depends: the place of its send */
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		source[place[e]] = parts->partner[e] == PH_NONE ? PH_NONE : place[parts->partner[e]];
		if (parts->partner[e] != PH_NONE)
			next[place[parts->partner[e]] + 1]++;
	}
	for (uint32_t d = 0; d < n_edges; d++)
		if (parts->part[from[d]] == parts->part[to[d]])
			next[place[from[d]] + 1]++;
	for (uint32_t e = 0; e < parts->n_events; e++)
		next[e + 1] += next[e];
	out->n = next[parts->n_events];
	PH_TRY(PH_NEW(temporary, out->n, &out->from));
	PH_TRY(PH_NEW(temporary, out->n, &out->to));
	for (uint32_t at = 0; at < parts->n_events; at++)
		if (source[at] != PH_NONE)
		{
			out->from[next[source[at]]] = source[at];
			out->to[next[source[at]]++] = at;
		}
	for (uint32_t d = 0; d < n_edges; d++)
		if (parts->part[from[d]] == parts->part[to[d]])
		{
			out->from[next[place[from[d]]]] = place[from[d]];
			out->to[next[place[from[d]]]++] = place[to[d]];
		}
	return PH_OK;
}

PhStatus
ph_task_link_model(const PhTaskParts *parts, const uint32_t *place, bool with_edges,
				   PhLogicalModel *model)
{
	PhArena temporary;
	PhTaskLinks links;
	ph_arena_init(&temporary, parts->env);
	PhStatus status = find_links(&temporary, parts, place, with_edges, &links);
	if (status == PH_OK)
		status = make_messages(&temporary, model, &links);
	ph_arena_drop(&temporary);
	return status;
}

PhStatus
ph_task_count_bytes(const PhTaskTrace *trace, const uint32_t *event, PhLogicalModel *model)
{
	for (uint32_t m = 0; m < model->n_messages; m++)
	{
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		uint64_t received = to == PH_NONE ? 0 : trace->event_bytes[event[to]];
		PH_TRY(ph_env_poll(model->env));
		model->bytes[m] =
			received != 0 || from == PH_NONE ? received : trace->event_bytes[event[from]];
	}
	return PH_OK;
}

PhStatus
ph_task_model_build(const PhTaskParts *parts, uint32_t *place, uint32_t *event,
					PhLogicalModel *model)
{
	model->env = parts->env;
	PH_TRY(find_places(parts, place));
	PH_TRY(make_timelines(parts, model));
	PH_TRY(make_events(parts, place, model, event));
	return make_regions(parts->trace, model);
}
