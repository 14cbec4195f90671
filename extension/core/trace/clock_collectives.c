/*
 * clock_collectives.c - which members of collectives have begun, and who may end then.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "trace/clock_internal.h"
#include "trace/internal.h"

static PhStatus
new_arrays(PhArena *arena, ClockCollectives *out)
{
	uint32_t n = out->rows->n_members;
	PH_TRY(PH_NEW(arena, out->rows->n_instances, &out->instances));
	PH_TRY(PH_NEW(arena, n, &out->sequence));
	PH_TRY(PH_NEW(arena, n, &out->place));
	PH_TRY(PH_NEW(arena, n, &out->begun));
	PH_TRY(PH_NEW(arena, n, &out->has_begun));
	PH_TRY(PH_NEW(arena, n, &out->earliest));
	for (uint32_t i = 0; i < n; i++)
		out->begun[i] = out->earliest[i] = PH_NO_TIME;
	return PH_OK;
}

/* An instance's members in the communicator's order; by_rank is PH_NONE everywhere. */
static void
order_by_communicator(const PhTraceModel *model, const PhCollectiveInstance *instance,
					  const PhCollectiveMember *members, uint32_t *sequence, uint32_t n_ranks,
					  uint32_t *by_rank)
{
	if (instance->comm >= model->n_communicators)
		return;
	const PhTraceCommunicator *comm = &model->communicators[instance->comm];
	uint32_t n = 0;
	for (uint32_t i = 0; i < instance->n_present; i++)
		by_rank[members[sequence[i]].rank] = sequence[i];
	for (uint32_t i = 0; i < comm->n_members && n < instance->n_present; i++)
	{
		uint32_t rank = comm->members[i];
		if (rank >= n_ranks || by_rank[rank] == PH_NONE)
			continue;
		sequence[n++] = by_rank[rank];
		by_rank[rank] = PH_NONE;
	}
	/*
	 * then those present that are no members of the communicator (bad definitions), by world rank
	 */
	for (uint32_t rank = 0; rank < n_ranks && n < instance->n_present; rank++)
		if (by_rank[rank] != PH_NONE)
		{
			sequence[n++] = by_rank[rank];
			by_rank[rank] = PH_NONE;
		}
}

static void
start_instance(ClockCollectives *out, uint32_t index)
{
	const PhCollectiveInstance *instance = &out->rows->instances[index];
	ClockInstance *state = &out->instances[index];
	state->root = state->last_member = PH_NONE;
	state->last = state->second = PH_NO_TIME;
	for (uint32_t i = 0; i < instance->n_present; i++)
	{
		uint32_t member = out->sequence[instance->first_member + i];
		out->place[member] = i;
		if (out->rows->members[member].rank == instance->root)
			state->root = member;
	}
	for (uint32_t i = 0; i < instance->n_present; i++)
	{
		uint32_t member = out->sequence[instance->first_member + i], first, end;
		const PhCollectiveMember *row = &out->rows->members[member];
		if (row->begin_seq == row->seq)
			ph_clock_begin(out, member, PH_NO_TIME, &first, &end);
	}
}

PhStatus
ph_clock_collectives_new(PhArena *arena, const PhSkeleton *skeleton, ClockCollectives *out)
{
	const PhTraceModel *model = skeleton->model;
	uint32_t *by_rank, n_ranks = ph_trace_count_ranks(model);
	*out = (ClockCollectives){.rows = &skeleton->collectives};
	PH_TRY(new_arrays(arena, out));
	PH_TRY(PH_NEW(arena, n_ranks, &by_rank));
	for (uint32_t i = 0; i < n_ranks; i++)
		by_rank[i] = PH_NONE;
	for (uint32_t i = 0; i < out->rows->n_instances; i++)
	{
		const PhCollectiveInstance *instance = &out->rows->instances[i];
		uint32_t *sequence = out->sequence + instance->first_member;
		PH_TRY(ph_env_poll(arena->env));
		memcpy(sequence, out->rows->order + instance->first_member,
			   instance->n_present * sizeof(*sequence));
		out->instances[i].flow = ph_collective_flow(instance->operation);
		if (out->instances[i].flow == PH_FLOW_PREFIX)
			order_by_communicator(model, instance, out->rows->members, sequence, n_ranks, by_rank);
		start_instance(out, i);
	}
	return PH_OK;
}

/*
 * For scans: extends the prefix of members, in the communicator's order, that have all begun. The
 * member behind the prefix gets to know when the last of those before it began: from then on it may
 * end.
 */
static void
extend_prefix(ClockCollectives *collectives, ClockInstance *state,
			  const PhCollectiveInstance *instance)
{
	const uint32_t *sequence = collectives->sequence + instance->first_member;
	while (state->n_prefix < instance->n_present)
	{
		uint32_t member = sequence[state->n_prefix];
		if (!collectives->has_begun[member])
			return;
		int64_t before = collectives->earliest[member], own = collectives->begun[member];
		if (++state->n_prefix < instance->n_present)
			collectives->earliest[sequence[state->n_prefix]] = PH_MAX(own, before);
	}
}

void
ph_clock_begin(ClockCollectives *collectives, uint32_t member, int64_t time, uint32_t *first,
			   uint32_t *end)
{
	uint32_t index = collectives->rows->members[member].instance;
	const PhCollectiveInstance *instance = &collectives->rows->instances[index];
	ClockInstance *state = &collectives->instances[index];
	uint32_t prefix = state->n_prefix;
	collectives->begun[member] = time;
	collectives->has_begun[member] = true;
	state->n_begun++;
	if (state->last_member == PH_NONE || time > state->last)
	{
		state->second = state->last;
		state->last = time;
		state->last_member = member;
	}
	else if (time > state->second)
		state->second = time;
	extend_prefix(collectives, state, instance);
	*first = instance->first_member;
	*end = *first + instance->n_present;
	if (state->flow == PH_FLOW_PREFIX)
	{
		*first = instance->first_member + prefix;
		*end = instance->first_member + state->n_prefix + 1;
		if (*end > instance->first_member + instance->n_present)
			*end = instance->first_member + instance->n_present;
	}
	else if (state->n_begun < instance->n_present &&
			 !(state->flow == PH_FLOW_FROM_ROOT && member == state->root))
		*end = *first;
}

bool
ph_clock_may_end(const ClockCollectives *collectives, uint32_t member, int64_t *after)
{
	uint32_t index = collectives->rows->members[member].instance;
	const PhCollectiveInstance *instance = &collectives->rows->instances[index];
	const ClockInstance *state = &collectives->instances[index];
	*after = PH_NO_TIME;
	switch (state->flow)
	{
		case PH_FLOW_TO_ROOT:
			if (member != state->root)
				return true;
			/* fall through */
		case PH_FLOW_ALL:
			*after = member == state->last_member ? state->second : state->last;
			return state->n_begun == instance->n_present;
		case PH_FLOW_FROM_ROOT:
			if (state->root == PH_NONE || member == state->root)
				return true;
			*after = collectives->begun[state->root];
			return collectives->has_begun[state->root];
		case PH_FLOW_PREFIX:
			*after = collectives->earliest[member];
			return collectives->place[member] <= state->n_prefix;
		case PH_FLOW_NONE:
			return true;
	}
	return true;
}
