/*
 * epochs.c - epochs of windows as edges between pairs of processes; see skeleton_internal.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/sort.h"
#include "trace/internal.h"
#include "trace/skeleton_internal.h"

/* What an end is to its pair of processes. */
typedef enum EpochRole
{
	ROLE_POST,
	ROLE_START,
	ROLE_COMPLETE_AWAITS, /* the post */
	ROLE_COMPLETE,
	ROLE_WAIT,
	EPOCH_ROLES
} EpochRole;

/* An end, and whose epoch it is of: origin accesses the memory of target. */
typedef struct EpochEnd
{
	uint32_t location, index;
	uint32_t window, origin, target;
	EpochRole role;
	int64_t time;
} EpochEnd;

typedef struct Joining
{
	PhSkeleton *skeleton;
	PhArena *arena;
	uint32_t n;
	EpochEnd *ends;
	uint32_t *order;
} Joining;

static EpochEnd
describe(const PhSkeleton *skeleton, uint32_t at, uint32_t index)
{
	const PhCommEnd *end = &skeleton->locations[at].ends[index];
	uint32_t rank = ph_trace_rank(skeleton->model, at);
	bool is_exposure = end->tag == PH_EPOCH_POST || end->tag == PH_EPOCH_WAIT;
	EpochEnd described = {.location = at,
						  .index = index,
						  .window = end->comm,
						  .origin = is_exposure ? end->peer : rank,
						  .target = is_exposure ? rank : end->peer,
						  .time = end->time};
	if (end->tag == PH_EPOCH_START)
		described.role = ROLE_START;
	else if (end->tag == PH_EPOCH_COMPLETE)
		described.role = end->kind == PH_COMM_SIGNAL ? ROLE_COMPLETE : ROLE_COMPLETE_AWAITS;
	else
		described.role = end->tag == PH_EPOCH_POST ? ROLE_POST : ROLE_WAIT;
	return described;
}

/* Counts the ends of epochs or, when there is room for them, lists them. */
static PhStatus
list_ends(Joining *joining)
{
	const PhSkeleton *skeleton = joining->skeleton;
	joining->n = 0;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		for (uint32_t i = 0; i < skeleton->locations[at].n_ends; i++)
		{
			PH_TRY(ph_env_poll(skeleton->env));
			if (!ph_is_of_epoch(skeleton->locations[at].ends[i].kind))
				continue;
			if (joining->ends != NULL)
				joining->ends[joining->n] = describe(skeleton, at, i);
			if (++joining->n == PH_NONE)
				return ph_fail(skeleton->env, PH_ERR_LIMIT, "too many epochs of windows");
		}
	return PH_OK;
}

static int
compare_pairs(const EpochEnd *a, const EpochEnd *b)
{
	if (a->window != b->window)
		return a->window < b->window ? -1 : 1;
	if (a->origin != b->origin)
		return a->origin < b->origin ? -1 : 1;
	return a->target < b->target ? -1 : a->target > b->target;
}

/* By pair and role, then in time. */
static int
compare_ends(const void *context, uint32_t x, uint32_t y)
{
	const EpochEnd *a = (const EpochEnd *) context + x, *b = (const EpochEnd *) context + y;
	int by_pair = compare_pairs(a, b);
	if (by_pair != 0)
		return by_pair;
	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	if (a->location == b->location)
		return a->index < b->index ? -1 : a->index > b->index;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->location < b->location ? -1 : 1;
}

/* The k-th end of a role of a pair; NULL: there are not so many. */
static const EpochEnd *
end_of_role(const Joining *joining, const uint32_t *first, EpochRole role, uint32_t k)
{
	return k < first[role + 1] - first[role] ? &joining->ends[joining->order[first[role] + k]]
											 : NULL;
}

static void
join(PhSkeleton *skeleton, const EpochEnd *signal, const EpochEnd *signalled)
{
	ph_skeleton_join_ends(skeleton, signal->location, signal->index, signalled->location,
						  signalled->index);
}

/* Did an end's call last until another's was entered? */
static bool
lasted_until(const PhSkeleton *skeleton, const EpochEnd *end, const EpochEnd *other)
{
	const PhCommLocation *here = &skeleton->locations[end->location];
	const PhCommLocation *there = &skeleton->locations[other->location];
	uint32_t call = here->ends[end->index].call, other_call;
	int64_t left = call == PH_NONE ? end->time : here->calls[call].leave;
	return left >= ph_end_entered(there, &there->ends[other->index], &other_call);
}

/*
 * The k-th epoch of a pair. Nobody ends an exposure before the others have completed; what looks so
 * is of two epochs, because records of one are missing.
 */
static void
join_epoch(const Joining *joining, const uint32_t *first, uint32_t k)
{
	PhSkeleton *skeleton = joining->skeleton;
	const EpochEnd *ends[EPOCH_ROLES];
	for (uint32_t role = 0; role < EPOCH_ROLES; role++)
		ends[role] = end_of_role(joining, first, (EpochRole) role, k);
	const EpochEnd *post = ends[ROLE_POST], *start = ends[ROLE_START];
	const EpochEnd *awaits = ends[ROLE_COMPLETE_AWAITS];
	if (post != NULL && start != NULL && lasted_until(skeleton, start, post))
		join(skeleton, post, start);
	else if (post != NULL && awaits != NULL && lasted_until(skeleton, awaits, post))
		join(skeleton, post, awaits);
	const EpochEnd *complete = ends[ROLE_COMPLETE], *wait = ends[ROLE_WAIT];
	bool is_pair = complete != NULL && wait != NULL && lasted_until(skeleton, wait, complete);
	if (is_pair)
		join(skeleton, complete, wait);
	skeleton->windows.lonely += (post == NULL) != (start == NULL);
	if (!is_pair)
		skeleton->windows.lonely += (uint64_t) (complete != NULL) + (wait != NULL);
}

/* Ends from the one at `from` in order on, of one pair; returns where the next one begins. */
static uint32_t
join_pair(const Joining *joining, uint32_t from)
{
	const EpochEnd *pair = &joining->ends[joining->order[from]];
	uint32_t first[EPOCH_ROLES + 1], at = from, most = 0;
	for (uint32_t role = 0; role < EPOCH_ROLES; role++)
	{
		first[role] = at;
		while (at < joining->n && joining->ends[joining->order[at]].role == role &&
			   compare_pairs(&joining->ends[joining->order[at]], pair) == 0)
			at++;
		most = at - first[role] > most ? at - first[role] : most;
	}
	first[EPOCH_ROLES] = at;
	for (uint32_t k = 0; k < most; k++)
		join_epoch(joining, first, k);
	return at;
}

static PhStatus
join_all(Joining *joining)
{
	PH_TRY(list_ends(joining));
	PH_TRY(PH_NEW(joining->arena, joining->n, &joining->ends));
	PH_TRY(list_ends(joining));
	PH_TRY(
		ph_sort_indices(joining->arena, joining->n, compare_ends, joining->ends, &joining->order));
	for (uint32_t at = 0; at < joining->n;)
	{
		PH_TRY(ph_env_poll(joining->skeleton->env));
		at = join_pair(joining, at);
	}
	return PH_OK;
}

PhStatus
ph_skeleton_join_epochs(PhSkeleton *skeleton)
{
	PhArena arena;
	Joining joining = {.skeleton = skeleton, .arena = &arena};
	ph_arena_init(&arena, skeleton->env);
	PhStatus status = join_all(&joining);
	ph_arena_drop(&arena);
	return status;
}
