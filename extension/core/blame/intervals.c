/*
 * intervals.c - one pass over the ends of each victim, which remembers whom it met last and where.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/intervals.h"

#include "base/min_max.h"
#include "base/vector.h"

/* The time of a call; of an end outside of all calls its own. */
typedef struct Stay
{
	int64_t entered, left;
} Stay;

/* A synchronisation of the victim. */
typedef struct Meeting
{
	Stay stay;		   /* in the victim's call */
	int64_t parted;	   /* messages: when the first of both left its call */
	uint32_t call;	   /* the victim's; PH_NONE: outside of all */
	uint32_t instance; /* collectives */
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
	const uint32_t *member_calls;
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

/* Were both there at one time? Who sends to somebody who comes later does not meet him. */
static bool
overlap(Stay x, Stay y)
{
	return x.entered <= y.left && y.entered <= x.left;
}

/* ---- remembering ---- */

static PhStatus
meet(Sweep *sweep, Meetings *meetings, Meeting meeting)
{
	PH_TRY(PH_ROOM(sweep->skeleton->env, &sweep->all));
	meeting.previous = meetings_of(sweep, meetings)->last;
	meetings->last = sweep->all.count;
	sweep->all.items[sweep->all.count++] = meeting;
	return PH_OK;
}

static PhStatus
meet_partner(Sweep *sweep, const PhCommEnd *end)
{
	const PhCommLocation *here = &sweep->skeleton->locations[sweep->at];
	const PhCommLocation *there = &sweep->skeleton->locations[end->partner_location];
	const PhCommEnd *partner = &there->ends[end->partner];
	Stay stay = stay_in(here, end->call, end->time);
	Stay partner_stay = stay_in(there, partner->call, partner->time);
	if (!overlap(stay, partner_stay))
		return PH_OK;
	Meeting meeting = {.stay = stay,
					   .parted = PH_MIN(stay.left, partner_stay.left),
					   .call = end->call,
					   .instance = PH_NONE};
	return meet(sweep, &sweep->partners[end->partner_location], meeting);
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
meet_members(Sweep *sweep, const PhCommEnd *end)
{
	const PhCollectiveRows *rows = &sweep->skeleton->collectives;
	const PhCollectiveMember *member = &rows->members[end->partner];
	if (member->instance == PH_NONE)
		return PH_OK;
	uint32_t comm = rows->instances[member->instance].comm;
	if (comm >= sweep->skeleton->model->n_communicators)
		return PH_OK;
	Meeting meeting = {.call = end->call, .instance = member->instance};
	meeting.stay = stay_in(&sweep->skeleton->locations[sweep->at], end->call, end->time);
	PH_TRY(meet(sweep, &sweep->communicators[comm], meeting));
	bring_forward(sweep, comm);
	return PH_OK;
}

/* ---- asking ---- */

/* Was the location in the collective, and when? Members are by rank, location. */
static bool
find_member(const Sweep *sweep, uint32_t instance, uint32_t location, Stay *stay)
{
	const PhCollectiveRows *rows = &sweep->skeleton->collectives;
	const PhCollectiveInstance *found = &rows->instances[instance];
	const uint32_t *order = rows->order + found->first_member;
	uint32_t rank = (uint32_t) sweep->skeleton->model->locations[location].rank;
	uint32_t low = 0, high = found->n_present;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const PhCollectiveMember *member = &rows->members[order[middle]];
		if (member->rank < rank || (member->rank == rank && member->location < location))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == found->n_present || rows->members[order[low]].location != location)
		return false;
	*stay = stay_in(&sweep->skeleton->locations[location], sweep->member_calls[order[low]],
					rows->members[order[low]].leave);
	return true;
}

/* Did the awaited location meet the victim in this collective? Then it is known when they parted.
 */
static bool
met_in_collective(const Sweep *sweep, Meeting *meeting, uint32_t awaited)
{
	Stay stay;
	if (!find_member(sweep, meeting->instance, awaited, &stay))
		return false;
	meeting->parted = PH_MIN(meeting->stay.left, stay.left);
	return overlap(meeting->stay, stay);
}

/* The last meeting before the wait began, and before what ended it; PH_NONE: there is none. */
static uint32_t
find_meeting(const Sweep *sweep, const Meetings *meetings, const PhWait *wait)
{
	uint32_t at = meetings->victim == sweep->at + 1 ? meetings->last : PH_NONE;
	for (uint32_t i = 0; i < MOST_UNDER_WAY && at != PH_NONE; i++)
	{
		Meeting *meeting = &sweep->all.items[at];
		bool counts = meeting->call != wait->call && meeting->stay.left <= wait->from;
		if (counts && meeting->instance != PH_NONE)
			counts = met_in_collective(sweep, meeting, wait->awaited);
		if (counts && meeting->parted <= wait->release)
			return at;
		at = meeting->previous;
	}
	return PH_NONE;
}

static uint32_t
later(uint32_t x, uint32_t y)
{
	return x == PH_NONE || (y != PH_NONE && y > x) ? y : x;
}

/*
 * The last collective of both in any communicator. They are looked at from the one in which the
 * victim met last on, until none that follows can have a later one.
 */
static uint32_t
find_collective(const Sweep *sweep, const PhWait *wait)
{
	uint32_t found = PH_NONE;
	for (uint32_t comm = sweep->newest; comm != PH_NONE; comm = sweep->communicators[comm].next)
	{
		if (later(found, sweep->communicators[comm].last) == found)
			break;
		found = later(found, find_meeting(sweep, &sweep->communicators[comm], wait));
	}
	return found;
}

static uint32_t
find_last(const Sweep *sweep, const PhWait *wait)
{
	if (wait->instance == PH_NONE)
		return later(find_meeting(sweep, &sweep->partners[wait->awaited], wait),
					 find_collective(sweep, wait));
	uint32_t comm = sweep->skeleton->collectives.instances[wait->instance].comm;
	if (comm >= sweep->skeleton->model->n_communicators)
		return PH_NONE;
	return find_meeting(sweep, &sweep->communicators[comm], wait);
}

static void
set_interval(Sweep *sweep, uint32_t index)
{
	const PhWait *wait = &sweep->waits->waits[index];
	if (ph_wait_has_interval(wait))
	{
		sweep->intervals[index] = sweep->waits->intervals[wait->end];
		return;
	}
	uint32_t last = find_last(sweep, wait);
	PhWaitInterval interval = {sweep->skeleton->locations[wait->victim].main_from,
							   sweep->skeleton->locations[wait->awaited].main_from};
	if (last != PH_NONE)
		interval.victim_from = interval.awaited_from = sweep->all.items[last].parted;
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
		PH_TRY(ph_env_poll(sweep->skeleton->env));
		while (wait < last && sweep->waits->waits[wait].seq < end->seq)
			set_interval(sweep, wait++);
		if (!ph_is_send(end->kind) && !ph_is_receive(end->kind))
			PH_TRY(meet_members(sweep, end));
		else if (end->partner != PH_NONE)
			PH_TRY(meet_partner(sweep, end));
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
	PH_TRY(PH_NEW(arena, waits->n, &sweep.intervals));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = ph_member_calls(&scratch, skeleton, &sweep.member_calls);
	if (status == PH_OK)
		status = PH_NEW(&scratch, skeleton->n_locations, &sweep.partners);
	if (status == PH_OK)
		status = PH_NEW(&scratch, skeleton->model->n_communicators, &sweep.communicators);
	for (; sweep.at < skeleton->n_locations && status == PH_OK; sweep.at++)
		status = sweep_location(&sweep);
	ph_arena_drop(&scratch);
	PH_VECTOR_FREE(arena->env, &sweep.all);
	*out = sweep.intervals;
	return status;
}
