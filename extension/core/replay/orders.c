/*
 * orders.c - see orders.h. Sends and receives with one message change places among neighbours: the
 * time between two calls stays where it was.
 *
 * A send and the receive after it are taken for the two halves of one exchange when they have the
 * same communicator and tag: in a grid without wrapping some ranks lack one half, and the
 * neighbours that are left belong to two exchanges.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/orders.h"

#include "base/min_max.h"
#include "base/sort.h"

typedef struct Reorder
{
	PhArena *arena;
	const PhReplayProgram *program;
	const PhChange *change;
	uint32_t at, rank;
	uint32_t *order; /* of the location at hand */
	uint64_t n_changed;
} Reorder;

/* The only end of the operation at a place; NULL: it has more, or none, or that is no message. */
static const PhCommEnd *
only_end(const Reorder *reorder, uint32_t place)
{
	const PhReplayOp *op = &reorder->program->locations[reorder->at].ops[reorder->order[place]];
	if (op[1].first_end != op->first_end + 1)
		return NULL;
	const PhCommEnd *end = &reorder->program->skeleton->locations[reorder->at].ends[op->first_end];
	return ph_is_of_epoch(end->kind) ? NULL : end;
}

static const PhCommEnvelope *
envelope_of(const Reorder *reorder, const PhCommEnd *end)
{
	return ph_comm_envelope(&reorder->program->skeleton->locations[reorder->at], end);
}

static uint32_t
distance_to(const Reorder *reorder, const PhCommEnd *end)
{
	uint32_t peer = envelope_of(reorder, end)->peer;
	return peer > reorder->rank ? peer - reorder->rank : reorder->rank - peer;
}

static bool
have_same_tag(const Reorder *reorder, const PhCommEnd *x, const PhCommEnd *y)
{
	const PhCommEnvelope *a = envelope_of(reorder, x), *b = envelope_of(reorder, y);
	return a->comm == b->comm && a->tag == b->tag;
}

/* ---- exchanges ---- */

/* Are the operations at a place and the next one the two halves of an exchange, to be swapped? */
static PhStatus
is_to_swap(Reorder *reorder, uint32_t place, bool *is)
{
	const PhCommEnd *first = only_end(reorder, place), *second = only_end(reorder, place + 1);
	bool is_send_first = reorder->change->kind == PH_CHANGE_RECEIVE_FIRST;
	*is = false;
	if (first == NULL || second == NULL || !have_same_tag(reorder, first, second))
		return PH_OK;
	if (!ph_is_send(is_send_first ? first->kind : second->kind) ||
		!ph_is_receive(is_send_first ? second->kind : first->kind))
		return PH_OK;
	uint32_t distance = PH_MIN(distance_to(reorder, first), distance_to(reorder, second));
	return ph_rank_is_one_of(reorder->arena->env, reorder->change->ranks, reorder->rank, distance,
							 is);
}

static PhStatus
swap_exchanges(Reorder *reorder, uint32_t from, uint32_t to)
{
	for (uint32_t place = from; place + 1 < to; place++)
	{
		bool is;
		PH_TRY(ph_env_poll(reorder->arena->env));
		PH_TRY(is_to_swap(reorder, place, &is));
		if (!is)
			continue;
		uint32_t first = reorder->order[place];
		reorder->order[place] = reorder->order[place + 1];
		reorder->order[place + 1] = first;
		reorder->n_changed++;
		place++;
	}
	return PH_OK;
}

/* ---- sends in a row ---- */

typedef struct SendOrder
{
	const Reorder *reorder;
	uint32_t from; /* the place of item 0 */
} SendOrder;

static int
compare_sends(const void *context, uint32_t x, uint32_t y)
{
	const SendOrder *order = context;
	const Reorder *reorder = order->reorder;
	const PhCommEnd *a = only_end(reorder, order->from + x),
					*b = only_end(reorder, order->from + y);
	uint32_t first = envelope_of(reorder, a)->peer, second = envelope_of(reorder, b)->peer;
	PhSendOrder by = reorder->change->sends;
	if (by == PH_SENDS_BY_DISTANCE || by == PH_SENDS_BY_DISTANCE_DOWN)
	{
		first = distance_to(reorder, a);
		second = distance_to(reorder, b);
	}
	if (first == second)
		return x < y ? -1 : x > y;
	bool is_up = by == PH_SENDS_BY_PARTNER || by == PH_SENDS_BY_DISTANCE;
	return (first < second) == is_up ? -1 : 1;
}

static PhStatus
sort_row(Reorder *reorder, uint32_t from, uint32_t to)
{
	SendOrder by = {reorder, from};
	PhArena scratch;
	uint32_t *sorted;
	ph_arena_init(&scratch, reorder->arena->env);
	PhStatus status = ph_sort_indices(&scratch, to - from, compare_sends, &by, &sorted);
	for (uint32_t i = 0; i < to - from && status == PH_OK; i++)
	{
		reorder->n_changed += sorted[i] != i;
		sorted[i] = reorder->order[from + sorted[i]];
	}
	for (uint32_t i = 0; i < to - from && status == PH_OK; i++)
		reorder->order[from + i] = sorted[i];
	ph_arena_drop(&scratch);
	return status;
}

static bool
is_send_at(const Reorder *reorder, uint32_t place)
{
	const PhCommEnd *end = only_end(reorder, place);
	return end != NULL && ph_is_send(end->kind);
}

static PhStatus
sort_sends(Reorder *reorder, uint32_t from, uint32_t to)
{
	bool is;
	PH_TRY(ph_rank_is_one_of(reorder->arena->env, reorder->change->ranks, reorder->rank, 1, &is));
	while (from < to && is)
	{
		uint32_t next = from;
		PH_TRY(ph_env_poll(reorder->arena->env));
		while (next < to && is_send_at(reorder, next))
			next++;
		if (next - from > 1)
			PH_TRY(sort_row(reorder, from, next));
		from = PH_MAX(next, from + 1);
	}
	return PH_OK;
}

/* ---- a location ---- */

/* When the operation that was recorded in a place was entered. */
static int64_t
entered_at(const Reorder *reorder, uint32_t place)
{
	const PhReplayProgram *program = reorder->program;
	return ph_replay_entered(program, reorder->at, &program->locations[reorder->at].ops[place]);
}

static PhStatus
reorder_location(Reorder *reorder, PhCallSpans list)
{
	const PhReplayLocation *location = &reorder->program->locations[reorder->at];
	uint32_t place = 0;
	for (uint32_t i = 0; i < list.n; i++)
	{
		PH_TRY(ph_env_poll(reorder->arena->env));
		while (place < location->n_ops && entered_at(reorder, place) < list.spans[i].from)
			place++;
		uint32_t from = place;
		while (place < location->n_ops && entered_at(reorder, place) < list.spans[i].to)
			place++;
		if (reorder->change->kind == PH_CHANGE_SORT_SENDS)
			PH_TRY(sort_sends(reorder, from, place));
		else
			PH_TRY(swap_exchanges(reorder, from, place));
	}
	return PH_OK;
}

/* The order of a location, as recorded unless another change was there before. */
static PhStatus
take_order(Reorder *reorder, PhReplayPlan *plan)
{
	uint32_t n = reorder->program->locations[reorder->at].n_ops;
	reorder->order = plan->order[reorder->at];
	if (reorder->order != NULL)
		return PH_OK;
	PH_TRY(PH_NEW(reorder->arena, n, &reorder->order));
	for (uint32_t i = 0; i < n; i++)
		reorder->order[i] = i;
	plan->order[reorder->at] = reorder->order;
	return PH_OK;
}

PhStatus
ph_plan_order(PhArena *arena, const PhReplayProgram *program, const PhSpans *spans,
			  const PhChange *change, PhReplayPlan *plan, uint64_t *n_changed)
{
	Reorder reorder = {.arena = arena, .program = program, .change = change};
	const PhTraceModel *model = program->skeleton->model;
	if (plan->order == NULL)
		PH_TRY(PH_NEW(arena, model->n_locations, &plan->order));
	for (uint32_t at = 0; at < model->n_locations; at++)
	{
		PhCallSpans list = ph_spans_of(spans, change->target, at);
		if (list.n == 0 || model->locations[at].rank < 0)
			continue;
		reorder.at = at;
		reorder.rank = (uint32_t) model->locations[at].rank;
		PH_TRY(take_order(&reorder, plan));
		PH_TRY(reorder_location(&reorder, list));
	}
	*n_changed = reorder.n_changed;
	return PH_OK;
}
