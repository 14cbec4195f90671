/*
 * stability.c - see stability.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/stability.h"

#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"

#define FARTHEST 16 /* places that a message moves at most, so that crowds cost linear time */

int64_t
ph_stability_within(const PhLogical *logical)
{
	const PhLogicalModel *model = logical->model;
	int64_t time = 0, n = 0;
	for (uint32_t t = 0; t < model->n_timelines; t++)
	{
		uint32_t first = model->timeline_first[t], end = model->timeline_first[t + 1];
		time += PH_MAX(model->exit[end - 1] - model->exit[first], (int64_t) 0);
		n += end - first - 1;
	}
	return n == 0 ? 1 : PH_MAX(time / n / 10, (int64_t) 1);
}

int64_t
ph_stability_noise(uint64_t seed, uint64_t place, int64_t within)
{
	uint64_t number = ph_hash_mix(ph_hash_add(seed, place));
	return (int64_t) (number % (2 * (uint64_t) within + 1)) - within;
}

/* ---- messages in another order ---- */

typedef struct Shaker
{
	const PhLogical *logical;
	const PhLogicalModel *model;
	int64_t within;
	uint64_t seed;
	uint32_t *message_of_end, *receive_event; /* as they are after it */
	uint32_t *order;						  /* messages of a run of receives */
	int64_t *arrival;						  /* by message */
	uint32_t n_moved;
} Shaker;

/* Might another message have come here? */
static bool
is_open(const PhLogicalModel *model, uint32_t e)
{
	if (model->kind[e] != PH_COMM_RECEIVE || model->first_end[e + 1] - model->first_end[e] != 1 ||
		(model->flags[e] & PH_COMM_SAME_CALL) != 0)
		return false;
	return model->send_event[model->message_of_end[model->first_end[e]]] != PH_NONE;
}

static bool
are_exchangeable(const PhLogicalModel *model, uint32_t e, uint32_t f)
{
	return model->timeline[e] == model->timeline[f] && model->caller[e] == model->caller[f] &&
		   model->region[e] == model->region[f] && is_open(model, f);
}

static uint32_t
sender_of(const PhLogicalModel *model, uint32_t message)
{
	return model->timeline[model->send_event[message]];
}

/* Insertion, each message a few places at most; those of one sender stay in order. */
static void
order_by_arrival(Shaker *shaker, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		uint32_t message = shaker->order[i], at = i;
		while (at > 0 && i - at < FARTHEST &&
			   shaker->arrival[shaker->order[at - 1]] > shaker->arrival[message] &&
			   sender_of(shaker->model, shaker->order[at - 1]) != sender_of(shaker->model, message))
		{
			shaker->order[at] = shaker->order[at - 1];
			at--;
		}
		shaker->order[at] = message;
	}
}

/* Is every message of the new order sent before the receive that has it then is left? */
static bool
is_causal(const Shaker *shaker, uint32_t first, uint32_t n)
{
	const PhLogicalModel *model = shaker->model;
	for (uint32_t i = 0; i < n; i++)
		if (model->enter[model->send_event[shaker->order[i]]] >= model->exit[first + i])
			return false;
	return true;
}

static void
shake_run(Shaker *shaker, uint32_t first, uint32_t n)
{
	const PhLogicalModel *model = shaker->model;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t message = model->message_of_end[model->first_end[first + i]];
		shaker->order[i] = message;
		shaker->arrival[message] =
			model->exit[first + i] + ph_stability_noise(shaker->seed, message, shaker->within);
	}
	order_by_arrival(shaker, n);
	if (!is_causal(shaker, first, n))
		return;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t end = model->first_end[first + i];
		shaker->n_moved += shaker->order[i] != model->message_of_end[end];
		shaker->message_of_end[end] = shaker->order[i];
		shaker->receive_event[shaker->order[i]] = first + i;
	}
}

static PhStatus
shake(PhArena *arena, Shaker *shaker)
{
	const PhLogicalModel *model = shaker->model;
	PH_TRY(PH_NEW(arena, model->n_ends, &shaker->message_of_end));
	PH_TRY(PH_NEW(arena, model->n_messages, &shaker->receive_event));
	PH_TRY(PH_NEW(arena, model->n_events, &shaker->order));
	PH_TRY(PH_NEW(arena, model->n_messages, &shaker->arrival));
	if (model->n_ends > 0)
		memcpy(shaker->message_of_end, model->message_of_end, model->n_ends * sizeof(uint32_t));
	if (model->n_messages > 0)
		memcpy(shaker->receive_event, model->receive_event, model->n_messages * sizeof(uint32_t));
	for (uint32_t e = 0, next; e < model->n_events; e = next)
	{
		next = e + 1;
		PH_TRY(ph_env_poll(arena->env));
		if (!is_open(model, e))
			continue;
		while (next < model->n_events && are_exchangeable(model, e, next))
			next++;
		if (next - e > 1)
			shake_run(shaker, e, next - e);
	}
	return PH_OK;
}

/* ---- what stays ---- */

/* Groups of a structure's events: phases, or steps of phases. */
typedef struct Groups
{
	uint32_t n;
	uint32_t *group; /* by id of an event */
	uint32_t *size;	 /* by group */
} Groups;

static PhStatus
group_by_phase(PhArena *arena, const PhLogical *logical, const uint32_t *id, Groups *out)
{
	PH_TRY(PH_NEW(arena, logical->model->n_events, &out->group));
	PH_TRY(PH_NEW(arena, logical->n_phases, &out->size));
	out->n = logical->n_phases;
	for (uint32_t e = 0; e < logical->model->n_events; e++)
	{
		out->group[id == NULL ? e : id[e]] = logical->phase[e];
		out->size[logical->phase[e]]++;
	}
	return ph_env_poll(arena->env);
}

/* Steps without events are groups of size 0. */
static PhStatus
group_by_step(PhArena *arena, const PhLogical *logical, const uint32_t *id, Groups *out)
{
	uint32_t *first;
	out->n = 0;
	PH_TRY(PH_NEW(arena, (size_t) logical->n_phases + 1, &first));
	for (uint32_t p = 0; p < logical->n_phases; p++)
	{
		first[p] = out->n;
		out->n +=
			(uint32_t) ((logical->last_step_of[p] - logical->first_step[p]) / logical->stride) + 1;
	}
	PH_TRY(PH_NEW(arena, logical->model->n_events, &out->group));
	PH_TRY(PH_NEW(arena, out->n, &out->size));
	for (uint32_t e = 0; e < logical->model->n_events; e++)
	{
		uint32_t p = logical->phase[e];
		uint32_t group =
			first[p] + (uint32_t) ((logical->step[e] - logical->first_step[p]) / logical->stride);
		out->group[id == NULL ? e : id[e]] = group;
		out->size[group]++;
	}
	return ph_env_poll(arena->env);
}

/* How many groups of a have all the events of one group of b, and no others; n: how many of any. */
static PhStatus
count_kept(PhArena *arena, const Groups *a, const Groups *b, uint32_t n_events, uint32_t *n,
		   uint32_t *n_kept)
{
	uint32_t *met; /* by group of a: the group of b of its events + 1; PH_NONE: several */
	*n = *n_kept = 0;
	PH_TRY(PH_NEW(arena, a->n, &met));
	for (uint32_t i = 0; i < n_events; i++)
	{
		uint32_t *of = &met[a->group[i]], other = b->group[i] + 1;
		*of = *of == 0 || *of == other ? other : PH_NONE;
	}
	for (uint32_t g = 0; g < a->n; g++)
	{
		*n += a->size[g] > 0;
		*n_kept += a->size[g] > 0 && met[g] != PH_NONE && b->size[met[g] - 1] == a->size[g];
	}
	return ph_env_poll(arena->env);
}

static PhStatus
compare(PhArena *arena, const PhLogical *a, const uint32_t *id_a, const PhLogical *b,
		const uint32_t *id_b, PhStability *out)
{
	uint32_t n_events = a->model->n_events;
	Groups x, y;
	PH_TRY(group_by_phase(arena, a, id_a, &x));
	PH_TRY(group_by_phase(arena, b, id_b, &y));
	PH_TRY(count_kept(arena, &x, &y, n_events, &out->n_phases, &out->n_phases_kept));
	PH_TRY(group_by_step(arena, a, id_a, &x));
	PH_TRY(group_by_step(arena, b, id_b, &y));
	return count_kept(arena, &x, &y, n_events, &out->n_steps, &out->n_steps_kept);
}

PhStatus
ph_stability_compare(PhEnv *env, const PhLogical *a, const uint32_t *id_a, const PhLogical *b,
					 const uint32_t *id_b, PhStability *out)
{
	PhArena arena;
	PhStability found = *out;
	ph_arena_init(&arena, env);
	PhStatus status = compare(&arena, a, id_a, b, id_b, &found);
	ph_arena_drop(&arena);
	if (status == PH_OK)
		*out = found;
	return status;
}

PhStatus
ph_logical_stability(PhEnv *env, const PhLogical *logical, const PhLogicalOptions *options,
					 int64_t within, uint64_t seed, PhStability *out)
{
	PhArena arena;
	PhLogical other;
	PhLogicalModel model = *logical->model; /* shares all but what is shaken */
	PhStability found = {.n_moved = 0};
	Shaker shaker = {.logical = logical, .model = logical->model, .within = within, .seed = seed};
	ph_arena_init(&arena, env);
	PhStatus status = shake(&arena, &shaker);
	model.message_of_end = shaker.message_of_end;
	model.receive_event = shaker.receive_event;
	if (status == PH_OK)
		status = ph_logical_build(env, &model, options, &other);
	if (status == PH_OK)
	{
		found.n_moved = shaker.n_moved;
		status = ph_stability_compare(env, logical, NULL, &other, NULL, &found);
		ph_logical_free(&other);
	}
	ph_arena_drop(&arena);
	if (status == PH_OK)
		*out = found;
	return status;
}
