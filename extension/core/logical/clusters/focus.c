/*
 * focus.c - the processes around one: whom it exchanges messages with in a phase.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/clusters/focus.h"

#include "base/min_max.h"
#include "base/table.h"

typedef struct Focus
{
	PhEnv *env;
	PhArena arena;
	const PhLogicalMetrics *metrics;
	const PhLogical *logical;
	const PhLogicalModel *model;
	uint32_t phase, first, n; /* members [first, first + n) */
	uint32_t *member_of;	  /* by timeline: 1 + member within the phase, 0: none */
	uint32_t *distance;		  /* by member: hops from the centre, PH_NONE: not reached */
	uint32_t *queue;
	uint32_t n_queue;
} Focus;

static PhStatus
find_members(Focus *focus)
{
	const PhLogical *logical = focus->logical;
	focus->first = logical->first_member[focus->phase];
	focus->n = logical->first_member[focus->phase + 1] - focus->first;
	PH_TRY(PH_NEW(&focus->arena, focus->model->n_timelines, &focus->member_of));
	PH_TRY(PH_NEW(&focus->arena, focus->n, &focus->distance));
	PH_TRY(PH_NEW(&focus->arena, focus->n, &focus->queue));
	for (uint32_t i = 0; i < focus->n; i++)
	{
		focus->member_of[focus->model->timeline[logical->member_first[focus->first + i]]] = i + 1;
		focus->distance[i] = PH_NONE;
	}
	return PH_OK;
}

/* The member with the greatest value, the first on ties. */
static uint32_t
find_centre(const Focus *focus, PhLogicalMetric metric)
{
	const PhLogical *logical = focus->logical;
	uint32_t centre = 0;
	int64_t most = INT64_MIN;
	for (uint32_t i = 0; i < focus->n; i++)
	{
		uint32_t last = logical->member_last[focus->first + i];
		for (uint32_t e = logical->member_first[focus->first + i]; e <= last; e++)
		{
			int64_t value = ph_logical_value(focus->metrics, metric, e);
			if (value > most)
			{
				most = value;
				centre = i;
			}
		}
	}
	return centre;
}

static void
reach(Focus *focus, uint32_t event, uint32_t distance)
{
	if (event == PH_NONE)
		return;
	uint32_t member = focus->member_of[focus->model->timeline[event]];
	if (member == 0 || focus->distance[member - 1] != PH_NONE)
		return;
	focus->distance[member - 1] = distance;
	focus->queue[focus->n_queue++] = member - 1;
}

/* Hops from the centre over messages of the phase, breadth first. */
static PhStatus
spread(Focus *focus, uint32_t centre)
{
	const PhLogical *logical = focus->logical;
	const PhLogicalModel *model = focus->model;
	reach(focus, logical->member_first[focus->first + centre], 0);
	for (uint32_t q = 0; q < focus->n_queue; q++)
	{
		uint32_t member = focus->queue[q];
		uint32_t from = logical->member_first[focus->first + member];
		uint32_t to = logical->member_last[focus->first + member];
		for (uint32_t i = model->first_end[from]; i < model->first_end[to + 1]; i++)
		{
			uint32_t m = model->message_of_end[i];
			PH_TRY(ph_env_poll(focus->env));
			reach(focus, model->send_event[m], focus->distance[member] + 1);
			reach(focus, model->receive_event[m], focus->distance[member] + 1);
		}
	}
	return PH_OK;
}

static PhStatus
start(Focus *focus, PhLogicalMetric metric, uint32_t centre)
{
	PH_TRY(find_members(focus));
	if (centre != PH_NONE && centre >= focus->n)
		return ph_fail(focus->env, PH_ERR_VALUE, "member %u, but phase %u has %u", centre,
					   focus->phase, focus->n);
	return spread(focus, centre == PH_NONE ? find_centre(focus, metric) : centre);
}

static PhStatus
check_phase(PhEnv *env, const PhLogical *logical, uint32_t phase)
{
	if (phase < logical->n_phases)
		return PH_OK;
	return ph_fail(env, PH_ERR_NOT_FOUND, "there is no phase %u: the last is %d", phase,
				   (int) logical->n_phases - 1);
}

static Focus
new_focus(PhEnv *env, const PhLogicalMetrics *metrics, uint32_t phase)
{
	Focus focus = {.env = env,
				   .metrics = metrics,
				   .logical = metrics->logical,
				   .model = metrics->logical->model,
				   .phase = phase};
	ph_arena_init(&focus.arena, env);
	return focus;
}

PhStatus
ph_logical_focus(PhEnv *env, const PhLogicalMetrics *metrics, uint32_t phase,
				 PhLogicalMetric metric, uint32_t centre, uint32_t radius, bool *in_focus)
{
	PH_TRY(check_phase(env, metrics->logical, phase));
	Focus focus = new_focus(env, metrics, phase);
	PhStatus status = start(&focus, metric, centre);
	for (uint32_t i = 0; status == PH_OK && i < focus.n; i++)
		in_focus[i] = focus.distance[i] <= radius;
	ph_arena_drop(&focus.arena);
	return status;
}

/*
 * Each member's way of sending, which is the set of the phase's steps at which it sends, as a bit
 * set; equal sets get one number, in order of members.
 */
static PhStatus
number_ways(Focus *focus, uint32_t *way, uint32_t *n_ways)
{
	const PhLogical *logical = focus->logical;
	uint32_t span =
		(uint32_t) (logical->last_step_of[focus->phase] - logical->first_step[focus->phase]) /
			(uint32_t) logical->stride +
		1;
	uint8_t *bits;
	size_t size = span / 8 + 1;
	PhRecords ways;
	PH_TRY(ph_arena_alloc(&focus->arena, size, 1, (void **) &bits));
	ph_records_init(&ways, &focus->arena, size);
	for (uint32_t i = 0; i < focus->n; i++)
	{
		uint32_t from = logical->member_first[focus->first + i];
		uint32_t to = logical->member_last[focus->first + i];
		for (size_t b = 0; b < size; b++)
			bits[b] = 0;
		for (uint32_t e = from; e <= to; e++)
		{
			uint32_t k = (uint32_t) (logical->step[e] - logical->first_step[focus->phase]) /
						 (uint32_t) logical->stride;
			PH_TRY(ph_env_poll(focus->env));
			if (focus->model->kind[e] == PH_COMM_SEND)
				bits[k / 8] |= (uint8_t) (1u << k % 8);
		}
		PH_TRY(ph_records_intern(&ways, bits, &way[i]));
	}
	*n_ways = ways.count;
	return PH_OK;
}

/*
 * The least radius around the centre within which half of the different ways of sending occur, at
 * least 1. The queue of the breadth-first search has the members in order of distance.
 */
static PhStatus
find_radius(Focus *focus, uint32_t *out)
{
	uint32_t *way, n_ways, n_seen = 0, radius = 1;
	bool *seen;
	PH_TRY(PH_NEW(&focus->arena, focus->n, &way));
	PH_TRY(PH_NEW(&focus->arena, focus->n, &seen));
	PH_TRY(number_ways(focus, way, &n_ways));
	for (uint32_t q = 0; q < focus->n_queue && 2 * n_seen < n_ways; q++)
	{
		uint32_t member = focus->queue[q];
		n_seen += !seen[way[member]];
		seen[way[member]] = true;
		radius = PH_MAX(focus->distance[member], radius);
	}
	*out = radius;
	return PH_OK;
}

PhStatus
ph_logical_focus_radius(PhEnv *env, const PhLogicalMetrics *metrics, uint32_t phase,
						PhLogicalMetric metric, uint32_t centre, uint32_t *out)
{
	PH_TRY(check_phase(env, metrics->logical, phase));
	Focus focus = new_focus(env, metrics, phase);
	PhStatus status = start(&focus, metric, centre);
	if (status == PH_OK)
		status = find_radius(&focus, out);
	ph_arena_drop(&focus.arena);
	return status;
}
