/*
 * critical_path.c - backward replay: the legs of the critical path.
 *
 * The path's time never grows and each end is looked at once, so the replay is linear and ends,
 * even where clocks are wrong and messages arrive before they are sent.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/critical_path.h"

#include "base/min_max.h"
#include "trace/internal.h"
#include "trace/path_internal.h"
#include "trace/waits.h"

const char *
ph_path_kind_name(PhPathKind kind)
{
	static const char *const names[PH_PATH_KIND_COUNT] = {"compute", "message", "collective",
														  "wait"};
	return kind < PH_PATH_KIND_COUNT ? names[kind] : "unknown";
}

typedef struct Replay
{
	PhCriticalPath *path;
	const PhSkeleton *skeleton;
	const uint32_t *causes; /* by member of a collective */
	uint32_t *n_left;		/* by location: ends that were not looked at yet */
	uint32_t at;			/* where the path is, */
	int64_t time;			/* and when */
	bool every_message;
} Replay;

/* A way to another location. */
typedef struct Jump
{
	uint32_t to;
	int64_t time, wait;
	bool is_inferred;
} Jump;

static const PhCommEnd *
partner_of(const PhSkeleton *skeleton, const PhCommEnd *end)
{
	return &skeleton->locations[end->partner_location].ends[end->partner];
}

/*
 * Looks at all receives of the call that the location's last end left over belongs to, and takes
 * them off. The last of their sends is a reason to go to its location when it was sent after the
 * call had been entered (or always, with every_message): the call waited for it.
 */
static bool
look_at_receives(Replay *replay, Jump *jump)
{
	const PhCommLocation *location = &replay->skeleton->locations[replay->at];
	uint32_t *left = &replay->n_left[replay->at];
	const PhCommEnd *last = &location->ends[*left - 1], *latest = NULL;
	for (; *left > 0 && location->ends[*left - 1].call == last->call; (*left)--)
	{
		const PhCommEnd *end = &location->ends[*left - 1];
		if (last->call == PH_NONE && end != last)
			break;
		if (!ph_is_receive(end->kind) || end->partner == PH_NONE)
			continue;
		if (latest == NULL ||
			partner_of(replay->skeleton, end)->time >= partner_of(replay->skeleton, latest)->time)
			latest = end;
	}
	if (latest == NULL)
		return false;
	const PhCommEnd *send = partner_of(replay->skeleton, latest);
	int64_t enter = latest->time, leave = enter;
	if (last->call != PH_NONE)
	{
		enter = location->calls[last->call].enter;
		leave = location->calls[last->call].leave;
	}
	if (send->time <= enter && !replay->every_message)
		return false;
	int64_t until = PH_MIN(send->time, leave);
	jump->to = latest->partner_location;
	jump->time = PH_MIN(until, replay->time);
	jump->wait = until > enter ? until - enter : 0;
	jump->is_inferred = false;
	if (replay->n_left[jump->to] > latest->partner)
		replay->n_left[jump->to] = latest->partner;
	return true;
}

/* Did the collective that ends here wait for another member? */
static bool
look_at_collective(Replay *replay, const PhCommEnd *end, Jump *jump)
{
	uint32_t cause = replay->causes[end->partner];
	if (cause == PH_NONE)
		return false;
	const PhCollectiveMember *last = &replay->skeleton->collectives.members[cause];
	int64_t enter = ph_collective_entered(replay->skeleton, replay->at, end);
	if (last->enter <= enter)
		return false;
	jump->to = last->location;
	jump->time = PH_MIN(last->enter, end->time);
	jump->wait = jump->time > enter ? jump->time - enter : 0;
	jump->is_inferred = last->evidence == PH_INFERRED ||
						replay->skeleton->collectives.members[end->partner].evidence == PH_INFERRED;
	return true;
}

/* Back along the location to a call that waited; *found false: there is none. */
static PhStatus
find_jump(Replay *replay, Jump *jump, bool *found)
{
	const PhCommLocation *location = &replay->skeleton->locations[replay->at];
	uint32_t *left = &replay->n_left[replay->at];
	*found = false;
	while (*left > 0 && !*found)
	{
		const PhCommEnd *end = &location->ends[*left - 1];
		PH_TRY(ph_env_poll(replay->path->env));
		if (end->time <= replay->time && ph_is_receive(end->kind))
		{
			*found = look_at_receives(replay, jump);
			continue;
		}
		(*left)--;
		if (end->time <= replay->time && !ph_is_send(end->kind))
			*found = look_at_collective(replay, end, jump);
	}
	return PH_OK;
}

static PhStatus
add_leg(PhCriticalPath *path, PathLeg leg)
{
	PH_TRY(PH_GROW(path->env, &path->legs, path->n_legs, &path->leg_room));
	path->legs[path->n_legs++] = leg;
	return PH_OK;
}

/* The path starts at the run's last event and is followed back to the time of its first. */
static PhStatus
follow(Replay *replay, int64_t first)
{
	Jump jump = {0, 0, 0, false};
	bool found = true;
	while (found)
	{
		PH_TRY(find_jump(replay, &jump, &found));
		PathLeg leg = {first, replay->time, 0, replay->at, PH_NONE, false};
		if (found)
		{
			leg.from = PH_MAX(jump.time, first);
			leg.peer = jump.to;
			leg.wait = jump.wait;
			leg.is_inferred = jump.is_inferred;
		}
		PH_TRY(add_leg(replay->path, leg));
		replay->at = found ? jump.to : replay->at;
		replay->time = leg.from;
	}
	for (uint32_t i = 0, n = replay->path->n_legs; i < n / 2; i++)
	{
		PathLeg swap = replay->path->legs[i];
		replay->path->legs[i] = replay->path->legs[n - 1 - i];
		replay->path->legs[n - 1 - i] = swap;
	}
	return PH_OK;
}

/*
 * Starts the backward replay at the location with the last event of the run, the first of equals.
 */
static PhStatus
replay_in(PhCriticalPath *path, const PhPathOptions *options, PhArena *arena)
{
	const PhSkeleton *skeleton = path->skeleton;
	Replay replay = {.path = path, .skeleton = skeleton, .at = PH_NONE};
	int64_t first = INT64_MAX;
	uint32_t *causes;
	replay.every_message = options->every_message;
	PH_TRY(ph_collective_causes(arena, skeleton, &causes));
	replay.causes = causes;
	PH_TRY(PH_NEW(arena, skeleton->n_locations, &replay.n_left));
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
	{
		const PhCommLocation *location = &skeleton->locations[i];
		replay.n_left[i] = location->n_ends;
		if (location->first_time == PH_NO_TIME)
			continue;
		first = PH_MIN(location->first_time, first);
		if (replay.at == PH_NONE || location->last_time > replay.time)
		{
			replay.at = i;
			replay.time = location->last_time;
		}
	}
	return replay.at == PH_NONE ? PH_OK : follow(&replay, first);
}

/* Lists of legs by location. */
static PhStatus
list_legs(PhCriticalPath *path, PhArena *scratch)
{
	uint32_t *items, *keys, n_locations = path->skeleton->n_locations;
	PH_TRY(PH_NEW(scratch, path->n_legs, &items));
	PH_TRY(PH_NEW(scratch, path->n_legs, &keys));
	PH_TRY(PH_NEW(&path->arena, (size_t) n_locations + 1, &path->first_leg));
	PH_TRY(PH_NEW(&path->arena, path->n_legs, &path->by_location));
	for (uint32_t i = 0; i < path->n_legs; i++)
	{
		items[i] = i;
		keys[i] = path->legs[i].location;
	}
	return ph_trace_bucket(path->env, items, path->n_legs, keys, n_locations, path->first_leg,
						   path->by_location);
}

PhStatus
ph_critical_path_new(PhEnv *env, const PhSkeleton *skeleton, const PhPathOptions *options,
					 PhCriticalPath **out)
{
	void *memory;
	PhArena scratch;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhCriticalPath), &memory));
	PhCriticalPath *path = memory;
	path->env = env;
	path->skeleton = skeleton;
	path->walk.location = PH_NONE;
	ph_arena_init(&path->arena, env);
	ph_arena_init(&scratch, env);
	PhStatus status = replay_in(path, options, &scratch);
	if (status == PH_OK)
		status = list_legs(path, &scratch);
	ph_arena_drop(&scratch);
	if (status != PH_OK)
		ph_critical_path_free(path);
	else
		*out = path;
	return status;
}

void
ph_critical_path_free(PhCriticalPath *path)
{
	if (path == NULL)
		return;
	PhEnv *env = path->env;
	ph_arena_drop(&path->arena);
	ph_env_free(env, path->legs, path->leg_room, sizeof(PathLeg));
	ph_env_free(env, path->walk.frames, path->walk.frame_room, sizeof(PathFrame));
	ph_env_free(env, path->pieces, path->piece_room, sizeof(PathPiece));
	ph_env_free(env, path->segments, path->segment_room, sizeof(PhPathSegment));
	ph_env_free(env, path, 1, sizeof(PhCriticalPath));
}
