/*
 * reorder.c - receives in order of their causes within each phase, then steps.
 *
 * Every event gets a weight: a receive one more than its senders, a send or collective one more
 * than all before it on its timeline. Sorting a phase's interval of a timeline by weight lets
 * receives move before later sends; sends keep their order, and what was received before a send
 * stays before it. Method: docs/design/logical-time.md 1.8 after SC15 3.2.1.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "logical/phases.h"

typedef struct Reorder
{
	PhStepping *stepping;
	PhArena arena;
	int32_t *weight; /* by event */
	int32_t *most;	 /* by event: the greatest weight up to it, on its timeline in its phase */
	int32_t *floor;	 /* by event: that of the last collective up to it; receives stay after it */
	uint32_t *order; /* position -> event */
	uint32_t *position;
} Reorder;

static int32_t
most_before(const Reorder *reorder, const int32_t *values, uint32_t e)
{
	return ph_phase_came_before(reorder->stepping, e) ? values[e - 1] : -1;
}

/* Without a known cause, a receive stays after all that came before it. */
static int32_t
weight_of_receive(const Reorder *reorder, const bool *cut, uint32_t e)
{
	const PhLogicalModel *model = reorder->stepping->model;
	int32_t weight = most_before(reorder, reorder->floor, e);
	bool caused = false;
	for (uint32_t i = model->first_end[e]; i < model->first_end[e + 1]; i++)
	{
		uint32_t m = model->message_of_end[i], from = model->send_event[m];
		if (from == PH_NONE || (cut != NULL && cut[m]))
			continue;
		caused = true;
		if (reorder->weight[from] > weight)
			weight = reorder->weight[from];
	}
	return (caused ? weight : most_before(reorder, reorder->most, e)) + 1;
}

static void
set_weight(Reorder *reorder, uint32_t e, int32_t weight)
{
	int32_t most = most_before(reorder, reorder->most, e);
	int32_t floor = most_before(reorder, reorder->floor, e);
	reorder->weight[e] = weight;
	reorder->most[e] = PH_MAX(weight, most);
	reorder->floor[e] = reorder->stepping->model->kind[e] == PH_COMM_COLLECTIVE ? weight : floor;
}

/* Members of a collective: one more than everything before any of them. */
static void
weigh_collective(Reorder *reorder, uint32_t collective)
{
	const PhLogicalModel *model = reorder->stepping->model;
	int32_t most = -1;
	uint32_t first = model->first_member[collective], next = model->first_member[collective + 1];
	for (uint32_t i = first; i < next; i++)
	{
		int32_t before = most_before(reorder, reorder->most, model->member_event[i]);
		most = PH_MAX(before, most);
	}
	for (uint32_t i = first; i < next; i++)
		set_weight(reorder, model->member_event[i], most + 1);
}

/* In topological order of the plain graph, so that all causes are weighed before. */
static PhStatus
weigh(Reorder *reorder)
{
	PhStepping plain = *reorder->stepping;
	PhWays ways = {.stepping = &plain, .arena = &reorder->arena};
	const PhLogicalModel *model = plain.model;
	plain.align_sends = false;
	plain.contract = true;
	PH_TRY(ph_ways_find(&ways));
	for (uint32_t i = 0; i < ways.n_queue; i++)
	{
		uint32_t node = ways.queue[i];
		PH_TRY(ph_env_poll(plain.env));
		if (node >= model->n_events)
			weigh_collective(reorder, node - model->n_events);
		else if (model->kind[node] == PH_COMM_RECEIVE)
			set_weight(reorder, node, weight_of_receive(reorder, ways.cut, node));
		else
			set_weight(reorder, node, most_before(reorder, reorder->most, node) + 1);
	}
	return PH_OK;
}

/* The timeline whose event caused a receive, the first of several. */
static uint32_t
sender_of(const PhLogicalModel *model, uint32_t e)
{
	for (uint32_t i = model->first_end[e]; i < model->first_end[e + 1]; i++)
	{
		uint32_t from = model->send_event[model->message_of_end[i]];
		if (from != PH_NONE)
			return model->timeline[from];
	}
	return PH_NONE;
}

/* Timelines and phases stay where they are; ids break ties, so the order is stable. */
static int
compare_events(const void *context, uint32_t x, uint32_t y)
{
	const Reorder *reorder = context;
	const PhStepping *stepping = reorder->stepping;
	const PhLogicalModel *model = stepping->model;
	bool x_receives = model->kind[x] == PH_COMM_RECEIVE;
	bool y_receives = model->kind[y] == PH_COMM_RECEIVE;
	if (reorder->weight[x] != reorder->weight[y])
		return ph_compare_int64(reorder->weight[x], reorder->weight[y]);
	if (x_receives != y_receives)
		return x_receives ? -1 : 1;
	int by_sender = x_receives ? ph_compare_int64(sender_of(model, x), sender_of(model, y)) : 0;
	return by_sender != 0 ? by_sender : ph_compare_int64(x, y);
}

/* Sort each phase's interval of each timeline. */
static PhStatus
sort_intervals(Reorder *reorder)
{
	const PhStepping *stepping = reorder->stepping;
	uint32_t n = stepping->model->n_events, *buffer;
	PH_TRY(PH_NEW(&reorder->arena, n, &reorder->order));
	PH_TRY(PH_NEW(&reorder->arena, n, &reorder->position));
	PH_TRY(PH_NEW(&reorder->arena, n, &buffer));
	for (uint32_t e = 0; e < n; e++)
		reorder->order[e] = e;
	for (uint32_t first = 0, e = 0; e < n; e++)
	{
		if (ph_phase_goes_on(stepping, e))
			continue;
		PH_TRY(ph_sort(stepping->env, reorder->order + first, e + 1 - first, buffer, compare_events,
					   reorder));
		first = e + 1;
	}
	for (uint32_t i = 0; i < n; i++)
		reorder->position[reorder->order[i]] = i;
	return PH_OK;
}

static PhStatus
move_events(Reorder *reorder, const uint32_t *events, uint32_t n, uint32_t **out)
{
	PH_TRY(PH_NEW(&reorder->arena, n, out));
	for (uint32_t i = 0; i < n; i++)
		(*out)[i] = events[i] == PH_NONE ? PH_NONE : reorder->position[events[i]];
	return PH_OK;
}

/* The model as if events had happened in the new order; what stepping does not use stays. */
static PhStatus
make_view(Reorder *reorder, PhLogicalModel *view)
{
	const PhLogicalModel *model = reorder->stepping->model;
	uint32_t n = model->n_events, n_ends = 0;
	*view = *model;
	PH_TRY(PH_NEW(&reorder->arena, n, &view->kind));
	PH_TRY(PH_NEW(&reorder->arena, n, &view->collective));
	PH_TRY(PH_NEW(&reorder->arena, (size_t) n + 1, &view->first_end));
	PH_TRY(PH_NEW(&reorder->arena, model->n_ends, &view->message_of_end));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t e = reorder->order[i];
		PH_TRY(ph_env_poll(reorder->stepping->env));
		view->kind[i] = model->kind[e];
		view->collective[i] = model->collective[e];
		for (uint32_t k = model->first_end[e]; k < model->first_end[e + 1]; k++)
			view->message_of_end[n_ends++] = model->message_of_end[k];
		view->first_end[i + 1] = n_ends;
	}
	PH_TRY(move_events(reorder, model->send_event, model->n_messages, &view->send_event));
	PH_TRY(move_events(reorder, model->receive_event, model->n_messages, &view->receive_event));
	return move_events(reorder, model->member_event, model->n_members, &view->member_event);
}

/* Steps of the view, brought back to the events. Phases are the same: events stay within theirs. */
static PhStatus
step_view(Reorder *reorder)
{
	PhStepping *stepping = reorder->stepping;
	uint32_t n = stepping->model->n_events;
	PhLogicalModel view;
	PhStepping moved = *stepping;
	PH_TRY(make_view(reorder, &view));
	moved.model = &view;
	PH_TRY(PH_NEW(&reorder->arena, n, &moved.step));
	PH_TRY(PH_NEW(&reorder->arena, n, &moved.binding));
	PH_TRY(ph_stepping_run(&moved));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t e = reorder->order[i];
		stepping->step[e] = moved.step[i];
		stepping->binding[e] =
			moved.binding[i] == PH_NONE ? PH_NONE : reorder->order[moved.binding[i]];
	}
	stepping->split_collectives = moved.split_collectives;
	stepping->cut_messages = moved.cut_messages;
	return PH_OK;
}

static PhStatus
step_reordered(Reorder *reorder)
{
	uint32_t n = reorder->stepping->model->n_events;
	PH_TRY(PH_NEW(&reorder->arena, n, &reorder->weight));
	PH_TRY(PH_NEW(&reorder->arena, n, &reorder->most));
	PH_TRY(PH_NEW(&reorder->arena, n, &reorder->floor));
	PH_TRY(weigh(reorder));
	PH_TRY(sort_intervals(reorder));
	return step_view(reorder);
}

PhStatus
ph_stepping_run_reordered(PhStepping *stepping)
{
	Reorder reorder;
	memset(&reorder, 0, sizeof(reorder));
	reorder.stepping = stepping;
	ph_arena_init(&reorder.arena, stepping->env);
	PhStatus status = step_reordered(&reorder);
	ph_arena_drop(&reorder.arena);
	return status;
}
