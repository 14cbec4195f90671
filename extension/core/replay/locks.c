/*
 * locks.c - see locks.h: the records of locks, and who must have given one back.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/locks.h"

#include "blame/window_holds.h"

PhStatus
ph_replay_list_locks(PhArena *arena, PhReplayProgram *program)
{
	const PhSkeleton *skeleton = program->skeleton;
	uint64_t n = skeleton->collectives.n_members;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		n += skeleton->locations[at].locks.count;
	if (n >= PH_NONE)
		return ph_fail(arena->env, PH_ERR_LIMIT, "too many collectives and locks of windows");
	n -= skeleton->collectives.n_members;
	PH_TRY(PH_NEW(arena, n + 1, &program->locks));
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
	{
		const PhWindowLocks *locks = &skeleton->locations[at].locks;
		program->locations[at].first_lock = program->n_locks;
		for (uint32_t i = 0; i < locks->count; i++)
			program->locks[program->n_locks++] =
				(PhReplayLock){.record = &locks->items[i], .location = at, .op = PH_NONE};
	}
	return PH_OK;
}

typedef struct Needing
{
	PhReplayProgram *program;
	PhWindowHolds holds;
	uint32_t *first_held; /* by hold: the place in holds.order where what it needs begins */
	uint32_t *held_to;	  /* and ends */
	uint32_t *hold_of;	  /* by lock that is got: its hold */
} Needing;

static uint32_t
lock_of(const PhReplayProgram *program, uint32_t location, const PhWindowLock *record)
{
	const PhReplayLocation *at = &program->locations[location];
	return at->first_lock +
		   (uint32_t) (record - program->skeleton->locations[location].locks.items);
}

/* The places of those that each hold needs, by lock and time. */
static void
find_ranges(Needing *needing)
{
	uint32_t last_alone = PH_NONE, first = 0;
	for (uint32_t place = 0; place < needing->holds.n; place++)
	{
		uint32_t index = needing->holds.order[place];
		const PhWindowHold *hold = &needing->holds.holds[index];
		if (ph_window_hold_is_first(&needing->holds, place))
		{
			first = place;
			last_alone = PH_NONE;
		}
		needing->hold_of[lock_of(needing->program, hold->location, hold->got)] = index;
		if (ph_window_hold_blocker(&needing->holds, hold) != NULL)
		{
			needing->first_held[index] = last_alone == PH_NONE ? first : last_alone;
			needing->held_to[index] = hold->got->is_exclusive ? place : last_alone + 1;
		}
		if (hold->got->is_exclusive)
			last_alone = place;
	}
}

/* Adds what a lock needs or, without room for it, counts it. */
static void
add_needs(const Needing *needing, uint32_t index, uint32_t *n)
{
	const PhReplayProgram *program = needing->program;
	const PhReplayLock *lock = &program->locks[index];
	if (!lock->record->is_acquired || lock->op == PH_NONE)
		return;
	uint32_t hold = needing->hold_of[index];
	for (uint32_t place = needing->first_held[hold]; place < needing->held_to[hold]; place++)
	{
		const PhWindowHold *other = &needing->holds.holds[needing->holds.order[place]];
		if (other->location == lock->location || other->back == NULL)
			continue;
		uint32_t back = lock_of(program, other->location, other->back);
		if (program->locks[back].op == PH_NONE)
			continue;
		if (program->lock_needs != NULL)
			program->lock_needs[*n].lock = back;
		++*n;
	}
}

static PhStatus
list_needs(Needing *needing, PhEnv *env, uint32_t *n)
{
	PhReplayProgram *program = needing->program;
	*n = 0;
	for (uint32_t i = 0; i < program->n_locks; i++)
	{
		PH_TRY(ph_env_poll(env));
		program->locks[i].first_need = *n;
		add_needs(needing, i, n);
	}
	program->locks[program->n_locks].first_need = *n;
	return PH_OK;
}

PhStatus
ph_replay_find_lock_needs(PhArena *arena, PhArena *scratch, PhReplayProgram *program)
{
	Needing needing = {.program = program};
	uint32_t n;
	if (program->n_locks == 0)
		return PH_OK;
	PH_TRY(ph_window_holds_find(scratch, program->skeleton, &needing.holds));
	PH_TRY(PH_NEW(scratch, needing.holds.n, &needing.first_held));
	PH_TRY(PH_NEW(scratch, needing.holds.n, &needing.held_to));
	PH_TRY(PH_NEW(scratch, program->n_locks, &needing.hold_of));
	find_ranges(&needing);
	PH_TRY(list_needs(&needing, scratch->env, &n));
	PH_TRY(PH_NEW(arena, (size_t) n + 1, &program->lock_needs));
	return list_needs(&needing, scratch->env, &n);
}

void
ph_replay_forget_lock_needs(PhReplayProgram *program)
{
	for (uint32_t i = 0; i <= program->n_locks; i++)
		program->locks[i].first_need = 0;
}
