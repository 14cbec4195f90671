/*
 * causes.c - which member of a collective each other member depends on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/internal.h"
#include "trace/waits.h"

/* One instance at a time. */
typedef struct Causes
{
	const PhSkeleton *skeleton;
	const PhCollectiveInstance *instance;
	const uint32_t *order; /* the instance's members, by rank */
	uint32_t *causes;
	uint32_t n_ranks;
	uint32_t *by_rank; /* member of a rank; PH_NONE everywhere between instances */
} Causes;

static const PhCollectiveMember *
member_at(const Causes *causes, uint32_t member)
{
	return &causes->skeleton->collectives.members[member];
}

/* Only whose begin was recorded can be a cause. */
static bool
has_begin(const Causes *causes, uint32_t member)
{
	return member_at(causes, member)->begin_seq != member_at(causes, member)->seq;
}

/* The later one; the first of equals; PH_NONE is never later. */
static uint32_t
later(const Causes *causes, uint32_t first, uint32_t second)
{
	if (second != PH_NONE && !has_begin(causes, second))
		return first;
	if (first == PH_NONE || second == PH_NONE)
		return first == PH_NONE ? second : first;
	return member_at(causes, second)->enter > member_at(causes, first)->enter ? second : first;
}

/*
 * Of all members with a begin the one that entered last, and the one that did so before it. Whoever
 * depends on all others waits for `last`, and `last` itself for `second`.
 */
static void
find_last_two(const Causes *causes, uint32_t *last, uint32_t *second)
{
	*last = *second = PH_NONE;
	for (uint32_t i = 0; i < causes->instance->n_present; i++)
	{
		uint32_t member = causes->order[i];
		if (later(causes, *last, member) == member)
		{
			*second = *last;
			*last = member;
		}
		else
			*second = later(causes, *second, member);
	}
}

static bool
is_root(const Causes *causes, uint32_t member)
{
	return member_at(causes, member)->rank == causes->instance->root;
}

/*
 * Causes in collectives with a root: from_root, all others wait for the root, if its begin is
 * known; else the root waits for the last of the others and nobody else waits.
 */
static void
cause_by_root(Causes *causes, bool from_root)
{
	uint32_t last, second, root = PH_NONE;
	find_last_two(causes, &last, &second);
	for (uint32_t i = 0; i < causes->instance->n_present; i++)
		if (is_root(causes, causes->order[i]))
			root = causes->order[i];
	bool is_cause = from_root && root != PH_NONE && has_begin(causes, root);
	for (uint32_t i = 0; i < causes->instance->n_present; i++)
	{
		uint32_t member = causes->order[i];
		if (is_cause && member != root)
			causes->causes[member] = root;
		if (!from_root && member == root)
			causes->causes[member] = member == last ? second : last;
	}
}

static void
cause_by_all(Causes *causes)
{
	uint32_t last, second;
	find_last_two(causes, &last, &second);
	for (uint32_t i = 0; i < causes->instance->n_present; i++)
	{
		uint32_t member = causes->order[i];
		causes->causes[member] = member == last ? second : last;
	}
}

static void
cause_of_next(Causes *causes, uint32_t member, uint32_t *last)
{
	causes->causes[member] = *last;
	*last = later(causes, *last, member);
}

/*
 * Each member waits for the last of those before it. They are passed in the order of their ranks in
 * the communicator, or of world ranks when its members are not known.
 */
static void
cause_by_prefix(Causes *causes)
{
	const PhTraceModel *model = causes->skeleton->model;
	uint32_t last = PH_NONE, n_present = causes->instance->n_present;
	if (causes->instance->comm >= model->n_communicators)
	{
		for (uint32_t i = 0; i < n_present; i++)
			cause_of_next(causes, causes->order[i], &last);
		return;
	}
	const PhTraceCommunicator *comm = &model->communicators[causes->instance->comm];
	for (uint32_t i = 0; i < n_present; i++)
		causes->by_rank[member_at(causes, causes->order[i])->rank] = causes->order[i];
	for (uint32_t i = 0; i < comm->n_members + n_present; i++)
	{
		/*
		 * first the communicator's members; then those present that are none of them (bad
		 * definitions), by world rank
		 */
		uint32_t rank = i < comm->n_members
							? comm->members[i]
							: member_at(causes, causes->order[i - comm->n_members])->rank;
		if (rank >= causes->n_ranks || causes->by_rank[rank] == PH_NONE)
			continue;
		cause_of_next(causes, causes->by_rank[rank], &last);
		causes->by_rank[rank] = PH_NONE;
	}
}

static void
cause_instance(Causes *causes)
{
	switch (ph_collective_flow(causes->instance->operation))
	{
		case PH_FLOW_ALL:
			cause_by_all(causes);
			break;
		case PH_FLOW_FROM_ROOT:
			cause_by_root(causes, true);
			break;
		case PH_FLOW_TO_ROOT:
			cause_by_root(causes, false);
			break;
		case PH_FLOW_PREFIX:
			cause_by_prefix(causes);
			break;
		case PH_FLOW_NONE:
			break;
	}
}

PhStatus
ph_collective_causes(PhArena *arena, const PhSkeleton *skeleton, uint32_t **out)
{
	const PhCollectiveRows *rows = &skeleton->collectives;
	Causes causes = {.skeleton = skeleton, .n_ranks = ph_trace_count_ranks(skeleton->model)};
	PhArena scratch;
	PhStatus status;
	PH_TRY(PH_NEW(arena, rows->n_members, &causes.causes));
	for (uint32_t i = 0; i < rows->n_members; i++)
		causes.causes[i] = PH_NONE;
	ph_arena_init(&scratch, arena->env);
	status = PH_NEW(&scratch, causes.n_ranks, &causes.by_rank);
	for (uint32_t i = 0; i < causes.n_ranks && status == PH_OK; i++)
		causes.by_rank[i] = PH_NONE;
	for (uint32_t i = 0; i < rows->n_instances && status == PH_OK; i++)
	{
		causes.instance = &rows->instances[i];
		causes.order = rows->order + causes.instance->first_member;
		cause_instance(&causes);
		status = ph_env_poll(arena->env);
	}
	ph_arena_drop(&scratch);
	*out = causes.causes;
	return status;
}
