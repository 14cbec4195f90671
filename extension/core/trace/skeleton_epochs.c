/*
 * skeleton_epochs.c - epochs of windows as edges between pairs of processes; see
 * skeleton_internal.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/epochs.h"
#include "trace/internal.h"
#include "trace/skeleton_internal.h"

static PhEpochRole
role_of(const PhCommEnd *end)
{
	PhEpochRole roles[2];
	uint32_t n = ph_epoch_roles((PhEpochCall) end->size, roles);
	return n == 2 && end->kind == PH_COMM_SIGNAL ? roles[1] : roles[0];
}

static PhEpochEnd
describe(const PhSkeleton *skeleton, uint32_t at, uint32_t index)
{
	const PhCommLocation *location = &skeleton->locations[at];
	const PhCommEnd *end = &location->ends[index];
	const PhCommEnvelope *envelope = ph_comm_envelope(location, end);
	uint32_t call;
	PhEpochEnd described = {.window = envelope->comm,
							.rank = ph_trace_rank(skeleton->model, at),
							.peer = envelope->peer,
							.role = role_of(end),
							.location = at,
							.index = index,
							.time = end->time};
	described.enter = ph_end_entered(location, end, &call);
	described.left = end->call == PH_NONE ? end->time : location->calls[end->call].leave;
	return described;
}

/* Counts the ends of epochs or, when there is room for them, lists them. */
static PhStatus
list_ends(const PhSkeleton *skeleton, PhEpochEnd *ends, uint32_t *n)
{
	*n = 0;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		for (uint32_t i = 0; i < skeleton->locations[at].n_ends; i++)
		{
			PH_TRY(ph_env_poll(skeleton->env));
			if (!ph_is_of_epoch(skeleton->locations[at].ends[i].kind))
				continue;
			if (ends != NULL)
				ends[*n] = describe(skeleton, at, i);
			if (++*n == PH_NONE)
				return ph_fail(skeleton->env, PH_ERR_LIMIT, "too many epochs of windows");
		}
	return PH_OK;
}

static PhStatus
join_all(PhSkeleton *skeleton, PhArena *arena)
{
	PhEpochEnd *ends;
	uint32_t n;
	PH_TRY(list_ends(skeleton, NULL, &n));
	PH_TRY(PH_NEW(arena, n, &ends));
	PH_TRY(list_ends(skeleton, ends, &n));
	PH_TRY(ph_epochs_join(skeleton->env, ends, n));
	for (uint32_t i = 0; i < n; i++)
	{
		const PhEpochEnd *end = &ends[i];
		skeleton->windows.lonely += end->is_lonely;
		if (end->partner != PH_NONE && ph_epoch_signals(end->role))
			ph_skeleton_join_ends(skeleton, end->location, end->index, ends[end->partner].location,
								  ends[end->partner].index);
	}
	return PH_OK;
}

PhStatus
ph_skeleton_join_epochs(PhSkeleton *skeleton)
{
	PhArena arena;
	ph_arena_init(&arena, skeleton->env);
	PhStatus status = join_all(skeleton, &arena);
	ph_arena_drop(&arena);
	return status;
}
