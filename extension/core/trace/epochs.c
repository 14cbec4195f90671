/*
 * epochs.c - see epochs.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/epochs.h"

#include "base/sort.h"

typedef struct Joining
{
	PhEnv *env;
	PhEpochEnd *ends;
	uint32_t n;
	uint32_t *order;
} Joining;

/* Whose epoch it is: the origin accesses the memory of the target. */
static uint32_t
origin_of(const PhEpochEnd *end)
{
	return end->role == PH_ROLE_POST || end->role == PH_ROLE_WAIT ? end->peer : end->rank;
}

static uint32_t
target_of(const PhEpochEnd *end)
{
	return end->role == PH_ROLE_POST || end->role == PH_ROLE_WAIT ? end->rank : end->peer;
}

static int
compare_pairs(const PhEpochEnd *a, const PhEpochEnd *b)
{
	uint32_t origin = origin_of(a), other_origin = origin_of(b);
	uint32_t target = target_of(a), other_target = target_of(b);
	if (a->window != b->window)
		return a->window < b->window ? -1 : 1;
	if (origin != other_origin)
		return origin < other_origin ? -1 : 1;
	return target < other_target ? -1 : target > other_target;
}

/* By pair and role, then in time. */
static int
compare_ends(const void *context, uint32_t x, uint32_t y)
{
	const PhEpochEnd *a = (const PhEpochEnd *) context + x, *b = (const PhEpochEnd *) context + y;
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
static PhEpochEnd *
end_of_role(const Joining *joining, const uint32_t *first, uint32_t role, uint32_t k)
{
	return k < first[role + 1] - first[role] ? &joining->ends[joining->order[first[role] + k]]
											 : NULL;
}

/* Partners, if the one that goes on lasted until the signal; false: they are not. */
static bool
join(const Joining *joining, PhEpochEnd *signal, PhEpochEnd *signalled)
{
	if (signal == NULL || signalled == NULL || signalled->left < signal->enter)
		return false;
	signal->partner = (uint32_t) (signalled - joining->ends);
	signalled->partner = (uint32_t) (signal - joining->ends);
	return true;
}

static void
set_lonely(PhEpochEnd *end)
{
	if (end != NULL)
		end->is_lonely = true;
}

/*
 * The k-th epoch of a pair. Nobody ends an exposure before the others have completed; what looks so
 * is of two epochs, because records of one are missing.
 */
static void
join_epoch(const Joining *joining, const uint32_t *first, uint32_t k)
{
	PhEpochEnd *ends[PH_EPOCH_ROLES];
	for (uint32_t role = 0; role < PH_EPOCH_ROLES; role++)
		ends[role] = end_of_role(joining, first, role, k);
	PhEpochEnd *post = ends[PH_ROLE_POST], *start = ends[PH_ROLE_START];
	if (!join(joining, post, start))
		(void) join(joining, post, ends[PH_ROLE_COMPLETE_AWAITS]);
	if (post == NULL)
		set_lonely(start);
	if (start == NULL)
		set_lonely(post);
	if (!join(joining, ends[PH_ROLE_COMPLETE], ends[PH_ROLE_WAIT]))
	{
		set_lonely(ends[PH_ROLE_COMPLETE]);
		set_lonely(ends[PH_ROLE_WAIT]);
	}
}

/* Ends from the one at `from` in order on, of one pair; returns where the next one begins. */
static uint32_t
join_pair(const Joining *joining, uint32_t from)
{
	const PhEpochEnd *pair = &joining->ends[joining->order[from]];
	uint32_t first[PH_EPOCH_ROLES + 1], at = from, most = 0;
	for (uint32_t role = 0; role < PH_EPOCH_ROLES; role++)
	{
		first[role] = at;
		while (at < joining->n && joining->ends[joining->order[at]].role == role &&
			   compare_pairs(&joining->ends[joining->order[at]], pair) == 0)
			at++;
		most = at - first[role] > most ? at - first[role] : most;
	}
	first[PH_EPOCH_ROLES] = at;
	for (uint32_t k = 0; k < most; k++)
		join_epoch(joining, first, k);
	return at;
}

PhStatus
ph_epochs_join(PhEnv *env, PhEpochEnd *ends, uint32_t n)
{
	Joining joining = {.env = env, .ends = ends, .n = n};
	PhArena arena;
	ph_arena_init(&arena, env);
	PhStatus status = ph_sort_indices(&arena, n, compare_ends, ends, &joining.order);
	for (uint32_t i = 0; i < n; i++)
	{
		ends[i].partner = PH_NONE;
		ends[i].is_lonely = false;
	}
	for (uint32_t at = 0; at < n && status == PH_OK;)
	{
		at = join_pair(&joining, at);
		status = ph_env_poll(env);
	}
	ph_arena_drop(&arena);
	return status;
}
