/*
 * thread_waits.c - see thread_waits.h: teams are numbered, then followed on each thread, then
 * asked.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/thread_waits.h"

#include "base/min_max.h"
#include "base/table.h"
#include "base/vector.h"
#include "blame/lock_holds.h"

/* The last one of several threads; of equals the first location. */
typedef struct LastThread
{
	int64_t time; /* PH_NO_TIME: there is none */
	uint32_t location, region;
} LastThread;

/* One fork. */
typedef struct Team
{
	uint32_t master; /* location; PH_NONE: nobody forked it */
	uint32_t forking_region;
	int64_t forked, joined; /* joined: PH_NO_TIME: that was not recorded */
	LastThread ended;		/* of the others */
	uint32_t first_barrier, n_barriers;
} Team;

/* What a mark belongs to. */
typedef struct MarkPlace
{
	uint32_t team; /* PH_NONE: none; while teams are numbered, their kind */
	uint32_t n;	   /* barriers: which of the team's; while they are numbered, which of their kind */
} MarkPlace;

/* A team that a thread is in. */
typedef struct OpenTeam
{
	uint32_t team, kind, n_barriers;
	bool is_master;
} OpenTeam;

typedef struct Finder
{
	PhEnv *env;
	const PhSkeleton *skeleton;
	PhArena *scratch;
	uint32_t *first_mark; /* by location; n_locations + 1 */
	MarkPlace *places;	  /* by mark */
	uint32_t n_kinds;	  /* teams that fork after each other: a communicator of a rank */
	uint32_t *first_team; /* by kind; n_kinds + 1 */
	Team *teams;
	LastThread *barriers; /* those of a team follow each other */
	const PhLockHold *holds;
	uint32_t next_hold;
	PH_VECTOR(OpenTeam) open;
	PH_VECTOR(PhWait) waits;
	PH_VECTOR(PhWaitInterval) intervals;
} Finder;

static const PhThreadMarkList *
marks_of(const Finder *finder, uint32_t at)
{
	return &finder->skeleton->locations[at].threads.marks;
}

static MarkPlace *
places_of(const Finder *finder, uint32_t at)
{
	return finder->places + finder->first_mark[at];
}

static void
note_last(LastThread *last, int64_t time, uint32_t location, uint32_t region)
{
	if (last->time == PH_NO_TIME || last->time < time)
		*last = (LastThread){time, location, region};
}

/* ---- numbering ---- */

static PhStatus
count_marks(Finder *finder)
{
	uint32_t n = finder->skeleton->n_locations, sum = 0;
	PH_TRY(PH_NEW(finder->scratch, (size_t) n + 1, &finder->first_mark));
	for (uint32_t at = 0; at < n; at++)
	{
		finder->first_mark[at] = sum;
		if (__builtin_add_overflow(sum, marks_of(finder, at)->count, &sum))
			return ph_fail(finder->env, PH_ERR_LIMIT, "too many records of threads");
	}
	finder->first_mark[n] = sum;
	return PH_NEW(finder->scratch, sum, &finder->places);
}

/* The kind of each team that is begun, and which one of its kind it is on its thread. */
static PhStatus
number_begins(Finder *finder, PhMap *kinds, PhMap *counts)
{
	for (uint32_t at = 0; at < finder->skeleton->n_locations; at++)
	{
		const PhThreadMarkList *marks = marks_of(finder, at);
		uint32_t rank = (uint32_t) finder->skeleton->model->locations[at].rank;
		for (uint32_t i = 0; i < marks->count; i++)
		{
			uint32_t *kind, *count;
			if (marks->items[i].kind != PH_MARK_TEAM_BEGIN)
				continue;
			PH_TRY(ph_env_poll(finder->env));
			PH_TRY(ph_map_enter(kinds, ph_map_key(rank, marks->items[i].id), kinds->count, &kind));
			uint32_t found = *kind;
			PH_TRY(ph_map_enter(counts, ph_map_key(at, found), 0, &count));
			places_of(finder, at)[i] = (MarkPlace){found, (*count)++};
		}
	}
	return PH_OK;
}

/* Teams of a kind are as many as the thread has that began most of them. */
static PhStatus
number_teams(Finder *finder)
{
	PhMap kinds, counts;
	uint32_t sum = 0;
	ph_map_init(&kinds, finder->scratch);
	ph_map_init(&counts, finder->scratch);
	PH_TRY(number_begins(finder, &kinds, &counts));
	finder->n_kinds = kinds.count;
	PH_TRY(PH_NEW(finder->scratch, (size_t) kinds.count + 1, &finder->first_team));
	for (uint32_t i = 0; i < counts.count; i++)
	{
		uint32_t *most = &finder->first_team[(uint32_t) counts.keys[i]];
		*most = PH_MAX(*most, counts.values[i]);
	}
	for (uint32_t i = 0; i <= kinds.count; i++)
	{
		uint32_t n = finder->first_team[i];
		finder->first_team[i] = sum;
		sum += n;
	}
	PH_TRY(PH_NEW(finder->scratch, sum, &finder->teams));
	for (uint32_t i = 0; i < sum; i++)
		finder->teams[i] = (Team){.master = PH_NONE,
								  .forking_region = PH_NONE,
								  .forked = PH_NO_TIME,
								  .joined = PH_NO_TIME,
								  .ended.time = PH_NO_TIME};
	return PH_OK;
}

/* ---- following ---- */

/* Of several threads that say that they forked a team the first location did. */
static PhStatus
begin_team(Finder *finder, uint32_t at, const PhThreadMark *mark, const PhThreadMark *fork,
		   MarkPlace *place)
{
	OpenTeam open = {.team = finder->first_team[place->team] + place->n, .kind = mark->id};
	Team *team = &finder->teams[open.team];
	place->team = open.team;
	if (fork != NULL && team->master == PH_NONE)
	{
		team->master = at;
		team->forked = fork->time;
		team->forking_region = fork->region;
	}
	open.is_master = fork != NULL && team->master == at;
	PH_TRY(PH_ROOM(finder->env, &finder->open));
	finder->open.items[finder->open.count++] = open;
	return PH_OK;
}

/* Ends the innermost team of that kind and those in it; PH_NONE: it was not begun. */
static uint32_t
end_team(Finder *finder, uint32_t at, const PhThreadMark *mark, uint32_t *mastered)
{
	uint32_t n = finder->open.count;
	while (n > 0 && finder->open.items[n - 1].kind != mark->id)
		n--;
	if (n == 0)
		return PH_NONE;
	const OpenTeam *open = &finder->open.items[n - 1];
	finder->open.count = n - 1;
	if (open->is_master)
		*mastered = open->team;
	else
		note_last(&finder->teams[open->team].ended, mark->time, at, PH_NONE);
	return open->team;
}

static MarkPlace
reach_barrier(Finder *finder)
{
	if (finder->open.count == 0)
		return (MarkPlace){PH_NONE, 0};
	OpenTeam *open = &finder->open.items[finder->open.count - 1];
	Team *team = &finder->teams[open->team];
	MarkPlace place = {open->team, open->n_barriers++};
	team->n_barriers = PH_MAX(team->n_barriers, open->n_barriers);
	return place;
}

static PhStatus
follow_thread(Finder *finder, uint32_t at)
{
	const PhThreadMarkList *marks = marks_of(finder, at);
	const PhThreadMark *fork = NULL;
	uint32_t mastered = PH_NONE; /* the team that was forked here and ended last */
	finder->open.count = 0;
	for (uint32_t i = 0; i < marks->count; i++)
	{
		const PhThreadMark *mark = &marks->items[i];
		MarkPlace *place = &places_of(finder, at)[i];
		PH_TRY(ph_env_poll(finder->env));
		if (mark->kind == PH_MARK_TEAM_BEGIN)
			PH_TRY(begin_team(finder, at, mark, fork, place));
		else if (mark->kind == PH_MARK_TEAM_END)
			place->team = end_team(finder, at, mark, &mastered);
		else if (mark->kind == PH_MARK_BARRIER)
			*place = reach_barrier(finder);
		else
			place->team = mark->kind == PH_MARK_JOIN ? mastered : PH_NONE;
		if (mark->kind == PH_MARK_JOIN && mastered != PH_NONE)
		{
			finder->teams[mastered].joined = mark->time;
			mastered = PH_NONE;
		}
		fork = mark->kind == PH_MARK_FORK ? mark : NULL;
	}
	return PH_OK;
}

/* ---- who was last ---- */

static PhStatus
find_last_threads(Finder *finder)
{
	uint32_t n_teams = finder->first_team[finder->n_kinds], sum = 0;
	for (uint32_t i = 0; i < n_teams; i++)
	{
		finder->teams[i].first_barrier = sum;
		sum += finder->teams[i].n_barriers;
	}
	PH_TRY(PH_NEW(finder->scratch, sum, &finder->barriers));
	for (uint32_t i = 0; i < sum; i++)
		finder->barriers[i].time = PH_NO_TIME;
	for (uint32_t at = 0; at < finder->skeleton->n_locations; at++)
		for (uint32_t i = 0; i < marks_of(finder, at)->count; i++)
		{
			const PhThreadMark *mark = &marks_of(finder, at)->items[i];
			const MarkPlace *place = &places_of(finder, at)[i];
			PH_TRY(ph_env_poll(finder->env));
			if (mark->kind == PH_MARK_BARRIER && place->team != PH_NONE)
				note_last(&finder->barriers[finder->teams[place->team].first_barrier + place->n],
						  mark->since, at, mark->region);
		}
	return PH_OK;
}

/* ---- waits ---- */

/* What a mark waited for, and since when both threads are compared. */
typedef struct ThreadCause
{
	LastThread release;
	PhWaitKind kind;
	int64_t victim_from, awaited_from;
} ThreadCause;

static PhStatus
add_wait(Finder *finder, uint32_t at, const PhThreadMark *mark, const ThreadCause *cause)
{
	int64_t release = cause->release.time, to = PH_MIN(release, mark->time);
	if (to <= mark->since || cause->release.location == at)
		return PH_OK;
	PhWait wait = {.from = mark->since,
				   .to = to,
				   .release = release,
				   .victim = at,
				   .awaited = cause->release.location,
				   .call = PH_NONE,
				   .end = finder->intervals.count,
				   .region = mark->region,
				   .awaited_region = cause->release.region,
				   .seq = mark->seq,
				   .instance = PH_NONE,
				   .kind = (uint16_t) cause->kind};
	PH_TRY(PH_ROOM(finder->env, &finder->waits));
	PH_TRY(PH_ROOM(finder->env, &finder->intervals));
	finder->waits.items[finder->waits.count++] = wait;
	finder->intervals.items[finder->intervals.count++] = (PhWaitInterval){
		PH_MIN(cause->victim_from, mark->since), PH_MIN(cause->awaited_from, release)};
	return PH_OK;
}

/* When the threads of a team were let go before its n-th barrier; PH_NO_TIME: nobody knows. */
static int64_t
let_go(const Finder *finder, const Team *team, uint32_t n)
{
	return n == 0 ? team->forked : finder->barriers[team->first_barrier + n - 1].time;
}

static void
set_from(const Finder *finder, uint32_t at, int64_t parted, ThreadCause *cause)
{
	cause->victim_from = cause->awaited_from = parted;
	if (parted != PH_NO_TIME || cause->release.time == PH_NO_TIME)
		return;
	cause->victim_from = finder->skeleton->locations[at].main_from;
	cause->awaited_from = finder->skeleton->locations[cause->release.location].main_from;
}

static ThreadCause
cause_of_barrier(const Finder *finder, uint32_t at, const MarkPlace *place)
{
	const Team *team = &finder->teams[place->team];
	ThreadCause cause = {finder->barriers[team->first_barrier + place->n], PH_WAIT_TEAM_BARRIER, 0,
						 0};
	set_from(finder, at, let_go(finder, team, place->n), &cause);
	return cause;
}

static ThreadCause
cause_of_join(const Finder *finder, uint32_t at, const MarkPlace *place)
{
	const Team *team = &finder->teams[place->team];
	ThreadCause cause = {team->ended, PH_WAIT_THREAD_JOIN, 0, 0};
	set_from(finder, at, let_go(finder, team, team->n_barriers), &cause);
	return cause;
}

/* previous: the team that the thread ended when it began to idle; PH_NONE. */
static ThreadCause
cause_of_idling(const Finder *finder, uint32_t at, const PhThreadMark *mark, const MarkPlace *place,
				uint32_t previous)
{
	const Team *team = &finder->teams[place->team];
	ThreadCause cause = {
		{team->forked, team->master, team->forking_region}, PH_WAIT_IDLE_THREAD, 0, 0};
	int64_t parted = PH_NO_TIME;
	if (previous != PH_NONE && finder->teams[previous].master == team->master)
		parted = PH_MIN(mark->since, finder->teams[previous].joined);
	set_from(finder, at, parted, &cause);
	return cause;
}

/* All of it is blamed on what the holder did with the lock. */
static ThreadCause
cause_of_lock(const Finder *finder, const PhThreadMark *mark, const PhLockHold *hold)
{
	ThreadCause cause = {.release.time = PH_NO_TIME, .kind = PH_WAIT_LOCK};
	if (hold->previous == PH_NONE)
		return cause;
	const PhLockHold *before = &finder->holds[hold->previous];
	cause.release = (LastThread){before->released, before->location, before->region};
	cause.victim_from = mark->since;
	cause.awaited_from = before->acquired;
	return cause;
}

/* previous: the team that the thread ended last; PH_NONE. */
static ThreadCause
cause_of(Finder *finder, uint32_t at, const PhThreadMark *mark, const MarkPlace *place,
		 uint32_t previous)
{
	if (mark->kind == PH_MARK_ACQUIRE)
		return cause_of_lock(finder, mark, &finder->holds[finder->next_hold++]);
	if (place->team != PH_NONE && mark->kind == PH_MARK_BARRIER)
		return cause_of_barrier(finder, at, place);
	if (place->team != PH_NONE && mark->kind == PH_MARK_JOIN)
		return cause_of_join(finder, at, place);
	if (place->team != PH_NONE && mark->kind == PH_MARK_TEAM_BEGIN)
		return cause_of_idling(finder, at, mark, place, previous);
	return (ThreadCause){.release.time = PH_NO_TIME};
}

static PhStatus
find_at_thread(Finder *finder, uint32_t at)
{
	const PhThreadMarkList *marks = marks_of(finder, at);
	uint32_t previous = PH_NONE;
	for (uint32_t i = 0; i < marks->count; i++)
	{
		const PhThreadMark *mark = &marks->items[i];
		const MarkPlace *place = &places_of(finder, at)[i];
		ThreadCause cause = cause_of(finder, at, mark, place, previous);
		PH_TRY(ph_env_poll(finder->env));
		if (place->team != PH_NONE && mark->kind == PH_MARK_TEAM_END)
			previous = place->team;
		if (cause.release.time != PH_NO_TIME)
			PH_TRY(add_wait(finder, at, mark, &cause));
	}
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
find_all(Finder *finder, PhArena *arena, uint32_t *first)
{
	uint32_t n = finder->skeleton->n_locations;
	PH_TRY(count_marks(finder));
	PH_TRY(number_teams(finder));
	for (uint32_t at = 0; at < n; at++)
		PH_TRY(follow_thread(finder, at));
	PH_TRY(find_last_threads(finder));
	PH_TRY(ph_lock_holds_find(finder->scratch, finder->skeleton, &finder->holds));
	for (uint32_t at = 0; at < n; at++)
	{
		first[at] = finder->waits.count;
		PH_TRY(find_at_thread(finder, at));
	}
	first[n] = finder->waits.count;
	return ph_env_poll(arena->env);
}

static PhStatus
copy_waits(const Finder *finder, PhArena *arena, const uint32_t *first, PhThreadWaits *out)
{
	uint32_t n = finder->waits.count;
	PhWait *waits;
	PhWaitInterval *intervals;
	PH_TRY(PH_NEW(arena, n, &waits));
	PH_TRY(PH_NEW(arena, n, &intervals));
	for (uint32_t i = 0; i < n; i++)
	{
		waits[i] = finder->waits.items[i];
		intervals[i] = finder->intervals.items[i];
	}
	*out = (PhThreadWaits){n, waits, intervals, first};
	return PH_OK;
}

PhStatus
ph_thread_waits_find(PhArena *arena, const PhSkeleton *skeleton, PhThreadWaits *out)
{
	PhArena scratch;
	Finder finder = {.env = arena->env, .skeleton = skeleton, .scratch = &scratch};
	uint32_t *first;
	PH_TRY(PH_NEW(arena, (size_t) skeleton->n_locations + 1, &first));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find_all(&finder, arena, first);
	if (status == PH_OK)
		status = copy_waits(&finder, arena, first, out);
	PH_VECTOR_FREE(arena->env, &finder.open);
	PH_VECTOR_FREE(arena->env, &finder.waits);
	PH_VECTOR_FREE(arena->env, &finder.intervals);
	ph_arena_drop(&scratch);
	return status;
}
