/*
 * collectives.c - when members of collectives can go on in a replay.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/engine.h"

#include "trace/mpi_calls.h"

static PhCollectiveFlow
flow_of(const PhReplayEngine *engine, uint32_t instance)
{
	const PhCollectiveRows *rows = &engine->program->skeleton->collectives;
	return ph_collective_flow(rows->instances[instance].operation);
}

/* ---- before the replay ---- */

static void
note_member(PhReplayEngine *engine, uint32_t member)
{
	const PhCollectiveRows *rows = &engine->program->skeleton->collectives;
	const PhCollectiveMember *row = &rows->members[member];
	engine->member_times[member] = -1;
	if (row->instance == PH_NONE || engine->program->member_ops[member] == PH_NONE)
		return;
	PhReplayInstance *instance = &engine->instances[row->instance];
	instance->n_needed++;
	if (row->rank == rows->instances[row->instance].root)
		instance->root = member;
}

/* Members of a prefix collective that begin, in the order of ranks of its communicator. */
static PhStatus
order_prefix(PhReplayEngine *engine, const PhCollectiveInstance *row, uint32_t *by_rank,
			 uint32_t n_ranks)
{
	const PhSkeleton *skeleton = engine->program->skeleton;
	const PhTraceModel *model = skeleton->model;
	const uint32_t *order = skeleton->collectives.order + row->first_member;
	uint32_t *out = engine->prefix_order + row->first_member, n = 0, n_listed = 0;
	if (row->comm < model->n_communicators)
		n_listed = model->communicators[row->comm].n_members;
	for (uint32_t i = 0; i < row->n_present; i++)
		if (engine->program->member_ops[order[i]] != PH_NONE)
			by_rank[skeleton->collectives.members[order[i]].rank] = order[i];
	/* first the communicator's members, then those present that are none of them, by world rank */
	for (uint32_t i = 0; i < n_listed + row->n_present; i++)
	{
		uint32_t rank = i < n_listed ? model->communicators[row->comm].members[i]
									 : skeleton->collectives.members[order[i - n_listed]].rank;
		PH_TRY(ph_env_poll(engine->env));
		if (rank >= n_ranks || by_rank[rank] == PH_NONE)
			continue;
		engine->position[by_rank[rank]] = n;
		out[n++] = by_rank[rank];
		by_rank[rank] = PH_NONE;
	}
	return PH_OK;
}

static PhStatus
order_prefixes(PhArena *scratch, PhReplayEngine *engine)
{
	const PhSkeleton *skeleton = engine->program->skeleton;
	const PhCollectiveRows *rows = &skeleton->collectives;
	uint32_t *by_rank = NULL, n_ranks = 0;
	for (uint32_t i = 0; i < rows->n_members; i++)
		if (rows->members[i].rank != PH_NONE && rows->members[i].rank >= n_ranks)
			n_ranks = rows->members[i].rank + 1;
	for (uint32_t i = 0; i < rows->n_instances; i++)
	{
		if (flow_of(engine, i) != PH_FLOW_PREFIX)
			continue;
		if (by_rank == NULL)
		{
			PH_TRY(PH_NEW(scratch, n_ranks, &by_rank));
			for (uint32_t rank = 0; rank < n_ranks; rank++)
				by_rank[rank] = PH_NONE;
			PH_TRY(PH_NEW(scratch, rows->n_members, &engine->prefix_order));
			PH_TRY(PH_NEW(scratch, rows->n_members, &engine->position));
			PH_TRY(PH_NEW(scratch, rows->n_members, &engine->prefix_causes));
		}
		PH_TRY(order_prefix(engine, &rows->instances[i], by_rank, n_ranks));
	}
	return PH_OK;
}

PhStatus
ph_replay_collectives(PhArena *scratch, PhReplayEngine *engine)
{
	const PhCollectiveRows *rows = &engine->program->skeleton->collectives;
	PH_TRY(PH_NEW(scratch, rows->n_instances, &engine->instances));
	PH_TRY(PH_NEW(scratch, rows->n_members, &engine->member_times));
	for (uint32_t i = 0; i < rows->n_instances; i++)
	{
		PhReplayInstance *instance = &engine->instances[i];
		instance->root = instance->waiters = instance->last = instance->prefix_last = PH_NONE;
	}
	for (uint32_t i = 0; i < rows->n_members; i++)
	{
		PH_TRY(ph_env_poll(engine->env));
		note_member(engine, i);
	}
	return order_prefixes(scratch, engine);
}

/* ---- entering ---- */

static void
wake_all(PhReplayEngine *engine, PhReplayInstance *instance)
{
	uint32_t location = instance->waiters;
	instance->waiters = PH_NONE;
	while (location != PH_NONE)
	{
		uint32_t next = engine->cursors[location].next_waiter;
		ph_replay_queue(engine, location);
		location = next;
	}
}

/* Those of the lowest ranks have all entered: who comes next knows what it waits for. */
static void
extend_prefix(PhReplayEngine *engine, uint32_t index, PhReplayInstance *instance)
{
	const PhCollectiveRows *rows = &engine->program->skeleton->collectives;
	const uint32_t *order = engine->prefix_order + rows->instances[index].first_member;
	while (instance->n_prefix < instance->n_needed)
	{
		uint32_t member = order[instance->n_prefix];
		uint32_t location = rows->members[member].location;
		engine->prefix_causes[member] = instance->prefix_last;
		if (engine->cursors[location].wait_instance == index)
		{
			engine->cursors[location].wait_instance = PH_NONE;
			ph_replay_queue(engine, location);
		}
		int64_t time = engine->member_times[member];
		if (time < 0)
			return;
		if (instance->prefix_last == PH_NONE || time > instance->prefix_latest)
		{
			instance->prefix_last = member;
			instance->prefix_latest = time;
		}
		instance->n_prefix++;
	}
}

void
ph_replay_enter_member(PhReplayEngine *engine, uint32_t member, int64_t time)
{
	uint32_t index = engine->program->skeleton->collectives.members[member].instance;
	if (index == PH_NONE)
		return;
	PhReplayInstance *instance = &engine->instances[index];
	PhCollectiveFlow flow = flow_of(engine, index);
	engine->member_times[member] = time;
	instance->n_entered++;
	if (instance->last == PH_NONE || time > instance->latest ||
		(time == instance->latest && member < instance->last))
	{
		instance->last = member;
		instance->latest = time;
	}
	if (flow == PH_FLOW_PREFIX)
		extend_prefix(engine, index, instance);
	else if (flow == PH_FLOW_FROM_ROOT ? member == instance->root
									   : instance->n_entered == instance->n_needed)
		wake_all(engine, instance);
}

/* ---- being released ---- */

static bool
prefix_released(PhReplayEngine *engine, uint32_t location, uint32_t member, uint32_t index,
				uint32_t *cause)
{
	if (engine->program->member_ops[member] == PH_NONE)
		return true;
	if (engine->instances[index].n_prefix < engine->position[member])
	{
		engine->cursors[location].wait_instance = index;
		return false;
	}
	*cause = engine->prefix_causes[member];
	return true;
}

static bool
wait_for_instance(PhReplayEngine *engine, uint32_t location, PhReplayInstance *instance)
{
	engine->cursors[location].next_waiter = instance->waiters;
	instance->waiters = location;
	return false;
}

bool
ph_replay_member_released(PhReplayEngine *engine, uint32_t location, uint32_t member,
						  uint32_t *cause, int64_t *release)
{
	uint32_t index = engine->program->skeleton->collectives.members[member].instance;
	*cause = PH_NONE;
	if (index == PH_NONE)
		return true;
	PhReplayInstance *instance = &engine->instances[index];
	PhCollectiveFlow flow = flow_of(engine, index);
	bool needs_all = flow == PH_FLOW_ALL || (flow == PH_FLOW_TO_ROOT && member == instance->root);
	bool needs_root = flow == PH_FLOW_FROM_ROOT && instance->root != PH_NONE;
	if (flow == PH_FLOW_PREFIX && !prefix_released(engine, location, member, index, cause))
		return false;
	if (needs_all && instance->n_entered < instance->n_needed)
		return wait_for_instance(engine, location, instance);
	if (needs_root && member != instance->root && engine->member_times[instance->root] < 0)
		return wait_for_instance(engine, location, instance);
	if (needs_all)
		*cause = instance->last;
	if (needs_root && member != instance->root)
		*cause = instance->root;
	if (*cause != PH_NONE)
		*release = engine->member_times[*cause];
	return true;
}
