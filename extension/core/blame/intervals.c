/*
 * intervals.c - one pass over the ends of each victim, which remembers whom it met last and where.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/intervals.h"

#include "base/fetch.h"
#include "base/min_max.h"
#include "base/vector.h"
#include "trace/waits.h"

/* The time of a call; of an end outside of all calls its own. */
typedef struct Stay
{
	int64_t entered, left;
} Stay;

/* A synchronisation of the victim: most are never asked for, so their times are not looked up. */
typedef struct Meeting
{
	uint32_t end;	   /* of the victim: a message, or a member of a collective */
	uint32_t previous; /* with the same partner, or in the same communicator; PH_NONE */
} Meeting;

/* With one partner, or in one communicator. */
typedef struct Meetings
{
	uint32_t victim; /* + 1, whose they are; others': there are none yet */
	uint32_t next;	 /* of communicators: that the victim met in before this one; PH_NONE */
	uint32_t last;	 /* into the sweep's; PH_NONE */
} Meetings;

/*
 * A message that is on its way, or a collective that is not completed, is no meeting yet: one
 * before it counts. So many are looked at.
 */
#define MOST_UNDER_WAY 64

typedef struct Sweep
{
	const PhSkeleton *skeleton;
	const PhWaitStates *waits;
	PhWaitInterval *intervals;
	uint32_t at;
	Meetings *partners;		 /* by location */
	Meetings *communicators; /* by communicator */
	uint32_t newest;		 /* communicator in which the victim met last; PH_NONE */
	PH_VECTOR(Meeting) all;	 /* of the victim */
} Sweep;

static Meetings *
meetings_of(const Sweep *sweep, Meetings *meetings)
{
	if (meetings->victim != sweep->at + 1)
		*meetings = (Meetings){sweep->at + 1, PH_NONE, PH_NONE};
	return meetings;
}

static Stay
stay_in(const PhCommLocation *location, uint32_t call, int64_t otherwise)
{
	if (call == PH_NONE)
		return (Stay){otherwise, otherwise};
	return (Stay){location->calls[call].enter, location->calls[call].leave};
}

static Stay
stay_of(const PhCommLocation *location, const PhCommEnd *end)
{
	return stay_in(location, end->call, end->time);
}

/* Were both there at one time? Who sends to somebody who comes later does not meet him. */
static bool
overlap(Stay x, Stay y)
{
	return x.entered <= y.left && y.entered <= x.left;
}

/* ---- remembering ---- */

/* When the victim waits next, somebody asks until when its call lasted. */
static PhStatus
meet(Sweep *sweep, Meetings *meetings, uint32_t end)
{
	const PhCommLocation *location = &sweep->skeleton->locations[sweep->at];
	if (location->ends[end].call != PH_NONE)
		ph_fetch(&location->calls[location->ends[end].call]);
	PH_TRY(PH_ROOM(sweep->skeleton->env, &sweep->all));
	uint32_t previous = meetings_of(sweep, meetings)->last;
	meetings->last = sweep->all.count;
	sweep->all.items[sweep->all.count++] = (Meeting){end, previous};
	return PH_OK;
}

/* The communicator becomes the newest one of the victim's. */
static void
bring_forward(Sweep *sweep, uint32_t comm)
{
	uint32_t *link = &sweep->newest;
	while (*link != PH_NONE && *link != comm)
		link = &sweep->communicators[*link].next;
	if (*link == comm)
		*link = sweep->communicators[comm].next;
	sweep->communicators[comm].next = sweep->newest;
	sweep->newest = comm;
}

static PhStatus
meet_members(Sweep *sweep, uint32_t end)
{
	const PhCollectiveRows *rows = &sweep->skeleton->collectives;
	const PhCollectiveMember *member =
		&rows->members[sweep->skeleton->locations[sweep->at].ends[end].partner];
	if (member->instance == PH_NONE)
		return PH_OK;
	uint32_t comm = rows->instances[member->instance].comm;
	if (comm >= sweep->skeleton->model->n_communicators)
		return PH_OK;
	PH_TRY(meet(sweep, &sweep->communicators[comm], end));
	bring_forward(sweep, comm);
	return PH_OK;
}

/* ---- asking ---- */

/* Where a location is, or would be, among the members of a collective, which are by rank, location.
 */
static uint32_t
find_place(const PhCollectiveRows *rows, const PhCollectiveInstance *instance, uint32_t rank,
		   uint32_t location)
{
	const uint32_t *order = rows->order + instance->first_member;
	uint32_t low = 0, high = instance->n_present;
	if (rank < high && rows->members[order[rank]].location == location)
		return rank; /* all ranks are in it, as they mostly are */
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const PhCollectiveMember *member = &rows->members[order[middle]];
		if (member->rank < rank || (member->rank == rank && member->location < location))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Was the location in the collective, and when? */
static bool
find_member(const Sweep *sweep, uint32_t instance, uint32_t location, Stay *stay)
{
	const PhCollectiveRows *rows = &sweep->skeleton->collectives;
	const PhCollectiveInstance *found = &rows->instances[instance];
	uint32_t place = find_place(
		rows, found, (uint32_t) sweep->skeleton->model->locations[location].rank, location);
	if (place >= found->n_present)
		return false;
	const PhCollectiveMember *member = &rows->members[rows->order[found->first_member + place]];
	if (member->location != location)
		return false;
	*stay = stay_in(&sweep->skeleton->locations[location], member->call, member->leave);
	return true;
}

static bool
is_member(const PhCommEnd *end)
{
	return !ph_is_send(end->kind) && !ph_is_receive(end->kind);
}

/* When either had left the meeting, if the awaited location was in it; of messages it was. */
static bool
find_parting(const Sweep *sweep, uint32_t index, uint32_t awaited, int64_t *parted)
{
	const PhCommLocation *here = &sweep->skeleton->locations[sweep->at];
	const PhCommEnd *end = &here->ends[index];
	Stay other, stay = stay_of(here, end);
	if (!is_member(end))
	{
		*parted = ph_parted(sweep->skeleton, sweep->at, index);
		return true;
	}
	if (!find_member(sweep, sweep->skeleton->collectives.members[end->partner].instance, awaited,
					 &other))
		return false;
	*parted = PH_MIN(stay.left, other.left);
	return overlap(stay, other);
}

/* The last meeting before the wait began, and before what ended it; PH_NONE: there is none. */
static uint32_t
find_meeting(const Sweep *sweep, Meetings *meetings, const PhWait *wait, int64_t *parted)
{
	const PhCommLocation *here = &sweep->skeleton->locations[sweep->at];
	uint32_t at = meetings_of(sweep, meetings)->last;
	for (uint32_t i = 0; i < MOST_UNDER_WAY && at != PH_NONE; i++)
	{
		const Meeting *meeting = &sweep->all.items[at];
		const PhCommEnd *end = &here->ends[meeting->end];
		if (end->call != wait->call && stay_of(here, end).left <= wait->from &&
			find_parting(sweep, meeting->end, wait->awaited, parted) && *parted <= wait->release)
			return at;
		at = meeting->previous;
	}
	return PH_NONE;
}

/* A meeting that was found: the one met last counts. */
typedef struct Found
{
	uint32_t meeting; /* PH_NONE: none */
	int64_t parted;
} Found;

static bool
is_later(uint32_t x, uint32_t y)
{
	return x != PH_NONE && (y == PH_NONE || x > y);
}

static void
look_in(const Sweep *sweep, Meetings *meetings, const PhWait *wait, Found *found)
{
	int64_t parted = 0;
	uint32_t meeting = find_meeting(sweep, meetings, wait, &parted);
	if (is_later(meeting, found->meeting))
		*found = (Found){meeting, parted};
}

/*
 * A later one among the collectives of both in any communicator. They are looked at from the one in
 * which the victim met last on, until none that follows can have a later one.
 */
static void
look_in_communicators(const Sweep *sweep, const PhWait *wait, Found *found)
{
	for (uint32_t comm = sweep->newest; comm != PH_NONE; comm = sweep->communicators[comm].next)
	{
		if (!is_later(sweep->communicators[comm].last, found->meeting))
			break;
		look_in(sweep, &sweep->communicators[comm], wait, found);
	}
}

static Found
find_last(const Sweep *sweep, const PhWait *wait)
{
	Found found = {PH_NONE, 0};
	if (wait->instance == PH_NONE)
	{
		look_in(sweep, &sweep->partners[wait->awaited], wait, &found);
		look_in_communicators(sweep, wait, &found);
		return found;
	}
	uint32_t comm = sweep->skeleton->collectives.instances[wait->instance].comm;
	if (comm < sweep->skeleton->model->n_communicators)
		look_in(sweep, &sweep->communicators[comm], wait, &found);
	return found;
}

static void
set_interval(Sweep *sweep, uint32_t index)
{
	const PhWait *wait = &sweep->waits->waits[index];
	if (wait->kind == PH_WAIT_IO)
	{
		sweep->intervals[index] = (PhWaitInterval){wait->from, wait->from};
		return;
	}
	if (ph_wait_has_interval(wait))
	{
		sweep->intervals[index] = sweep->waits->intervals[wait->end];
		return;
	}
	Found last = find_last(sweep, wait);
	PhWaitInterval interval = {sweep->skeleton->locations[wait->victim].main_from,
							   sweep->skeleton->locations[wait->awaited].main_from};
	if (last.meeting != PH_NONE)
		interval.victim_from = interval.awaited_from = last.parted;
	interval.victim_from = PH_MIN(interval.victim_from, wait->from);
	interval.awaited_from = PH_MIN(interval.awaited_from, wait->release);
	sweep->intervals[index] = interval;
}

/* ---- a location ---- */

/*
 * A wait's interval is found before the ends after its call's ENTER are met: a call may have no end
 * of its own, but complete what others sent.
 */
static PhStatus
sweep_location(Sweep *sweep)
{
	const PhCommLocation *location = &sweep->skeleton->locations[sweep->at];
	uint32_t wait = sweep->waits->first[sweep->at], last = sweep->waits->first[sweep->at + 1];
	sweep->newest = PH_NONE;
	sweep->all.count = 0;
	for (uint32_t i = 0; i < location->n_ends; i++)
	{
		const PhCommEnd *end = &location->ends[i];
		PH_TRY(ph_env_poll_at(sweep->skeleton->env, i));
		while (wait < last && sweep->waits->waits[wait].seq < end->seq)
			set_interval(sweep, wait++);
		if (is_member(end))
			PH_TRY(meet_members(sweep, i));
		else if (end->met)
			PH_TRY(meet(sweep, &sweep->partners[end->partner_location], i));
	}
	while (wait < last)
		set_interval(sweep, wait++);
	return PH_OK;
}

PhStatus
ph_wait_intervals(PhArena *arena, const PhSkeleton *skeleton, const PhWaitStates *waits,
				  const PhWaitInterval **out)
{
	Sweep sweep = {.skeleton = skeleton, .waits = waits};
	PhArena scratch;
	PH_TRY(PH_NEW_UNSET(arena, waits->n, &sweep.intervals));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = PH_NEW(&scratch, skeleton->n_locations, &sweep.partners);
	if (status == PH_OK)
		status = PH_NEW(&scratch, skeleton->model->n_communicators, &sweep.communicators);
	for (; sweep.at < skeleton->n_locations && status == PH_OK; sweep.at++)
		status = sweep_location(&sweep);
	ph_arena_drop(&scratch);
	PH_VECTOR_FREE(arena->env, &sweep.all);
	*out = sweep.intervals;
	return status;
}
