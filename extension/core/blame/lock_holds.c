/*
 * lock_holds.c - see lock_holds.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/lock_holds.h"

#include "base/table.h"

/* Numbers of what is met: (rank, paradigm), of those the locks, of those the holds. */
typedef struct Locks
{
	const PhSkeleton *skeleton;
	PhMap owners, locks, holds;
	PhLockHold *items;
} Locks;

static PhStatus
lock_of(Locks *locks, uint32_t at, const PhThreadMark *mark, uint32_t *out)
{
	uint32_t rank = (uint32_t) locks->skeleton->model->locations[at].rank, *owner, *lock;
	PH_TRY(ph_map_enter(&locks->owners, ph_map_key(rank, mark->paradigm), locks->owners.count,
						&owner));
	PH_TRY(ph_map_enter(&locks->locks, ph_map_key(*owner, mark->id), locks->locks.count, &lock));
	*out = *lock;
	return PH_OK;
}

/* The hold that has this order; PH_NONE: nobody does. Of several the first is it. */
static PhStatus
hold_of(Locks *locks, uint32_t lock, uint32_t order, uint32_t otherwise, uint32_t *out)
{
	uint32_t *hold;
	PH_TRY(ph_map_enter(&locks->holds, ph_map_key(lock, order), otherwise, &hold));
	if (*hold == PH_NONE)
		*hold = otherwise;
	*out = *hold;
	return PH_OK;
}

static PhStatus
add_hold(Locks *locks, uint32_t at, const PhThreadMark *mark, uint32_t index)
{
	uint32_t lock, found;
	PH_TRY(lock_of(locks, at, mark, &lock));
	PH_TRY(hold_of(locks, lock, mark->order, index, &found));
	locks->items[index] = (PhLockHold){.acquired = mark->time,
									   .released = PH_NO_TIME,
									   .location = at,
									   .region = mark->region,
									   .previous = PH_NONE};
	return PH_OK;
}

static PhStatus
end_hold(Locks *locks, uint32_t at, const PhThreadMark *mark)
{
	uint32_t lock, found;
	PH_TRY(lock_of(locks, at, mark, &lock));
	PH_TRY(hold_of(locks, lock, mark->order, PH_NONE, &found));
	if (found != PH_NONE && locks->items[found].location == at &&
		locks->items[found].released == PH_NO_TIME)
		locks->items[found].released = mark->time;
	return PH_OK;
}

static PhStatus
count_holds(const PhSkeleton *skeleton, PhArena *arena, PhLockHold **out)
{
	size_t n = 0;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		for (uint32_t i = 0; i < skeleton->locations[at].threads.marks.count; i++)
			n += skeleton->locations[at].threads.marks.items[i].kind == PH_MARK_ACQUIRE;
	if (n >= PH_NONE)
		return ph_fail(arena->env, PH_ERR_LIMIT, "too many records of locks");
	return PH_NEW(arena, n, out);
}

/* Holds of all locations must be known before it is asked which was before which. */
static PhStatus
walk_marks(Locks *locks, bool is_asked)
{
	uint32_t next = 0, lock;
	for (uint32_t at = 0; at < locks->skeleton->n_locations; at++)
	{
		const PhThreadMarkList *marks = &locks->skeleton->locations[at].threads.marks;
		for (uint32_t i = 0; i < marks->count; i++)
		{
			const PhThreadMark *mark = &marks->items[i];
			PH_TRY(ph_env_poll(locks->skeleton->env));
			if (mark->kind == PH_MARK_ACQUIRE && !is_asked)
				PH_TRY(add_hold(locks, at, mark, next++));
			else if (mark->kind == PH_MARK_RELEASE && !is_asked)
				PH_TRY(end_hold(locks, at, mark));
			else if (mark->kind == PH_MARK_ACQUIRE)
			{
				PH_TRY(lock_of(locks, at, mark, &lock));
				PH_TRY(
					hold_of(locks, lock, mark->order - 1, PH_NONE, &locks->items[next++].previous));
			}
		}
	}
	return PH_OK;
}

PhStatus
ph_lock_holds_find(PhArena *arena, const PhSkeleton *skeleton, const PhLockHold **out)
{
	Locks locks = {.skeleton = skeleton};
	PhArena scratch;
	PH_TRY(count_holds(skeleton, arena, &locks.items));
	ph_arena_init(&scratch, arena->env);
	ph_map_init(&locks.owners, &scratch);
	ph_map_init(&locks.locks, &scratch);
	ph_map_init(&locks.holds, &scratch);
	PhStatus status = walk_marks(&locks, false);
	if (status == PH_OK)
		status = walk_marks(&locks, true);
	ph_arena_drop(&scratch);
	*out = locks.items;
	return status;
}
