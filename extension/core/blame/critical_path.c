/*
 * critical_path.c - backward replay: the legs of the critical path.
 *
 * The path's time never grows and each wait is looked at once, so the replay is linear and ends,
 * even where clocks are wrong and messages arrive before they are sent.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/critical_path.h"

#include "base/min_max.h"
#include "blame/path_internal.h"
#include "trace/internal.h"

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
	const PhWaitStates *waits;
	uint32_t *n_left; /* by location: up to this one, waits were not looked at yet */
	uint32_t at;	  /* where the path is, */
	int64_t time;	  /* and when */
} Replay;

/* Back along the location to the last wait that was over; NULL: there is none. */
static PhStatus
find_wait(Replay *replay, const PhWait **out)
{
	uint32_t *left = &replay->n_left[replay->at];
	*out = NULL;
	while (*left > replay->waits->first[replay->at] && *out == NULL)
	{
		const PhWait *wait = &replay->waits->waits[--*left];
		PH_TRY(ph_env_poll(replay->path->env));
		*out = wait->to <= replay->time && wait->kind != PH_WAIT_IO ? wait : NULL;
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

/* The legs were found from the last to the first. */
static void
reverse_legs(PhCriticalPath *path)
{
	for (uint32_t i = 0, n = path->n_legs; i < n / 2; i++)
	{
		PathLeg swap = path->legs[i];
		path->legs[i] = path->legs[n - 1 - i];
		path->legs[n - 1 - i] = swap;
	}
}

/* The path starts at the run's last event and is followed back to the time of its first. */
static PhStatus
follow(Replay *replay, int64_t first)
{
	const PhWait *wait;
	do
	{
		PathLeg leg = {first, replay->time, 0, replay->at, PH_NONE, false};
		PH_TRY(find_wait(replay, &wait));
		if (wait != NULL)
		{
			leg.from = PH_MAX(wait->to, first);
			leg.peer = wait->awaited;
			leg.wait = wait->to - wait->from;
			leg.is_inferred = wait->is_inferred;
			replay->at = wait->awaited;
		}
		PH_TRY(add_leg(replay->path, leg));
		replay->time = leg.from;
	} while (wait != NULL);
	reverse_legs(replay->path);
	return PH_OK;
}

/* Who ends when a device does has waited for it, in whatever call: of equals the path is there. */
static bool
ends_later(const Replay *replay, uint32_t location)
{
	const PhSkeleton *skeleton = replay->skeleton;
	int64_t time = skeleton->locations[location].last_time;
	if (replay->at == PH_NONE || time != replay->time)
		return replay->at == PH_NONE || time > replay->time;
	return ph_location_is_stream(&skeleton->model->locations[location]) &&
		   !ph_location_is_stream(&skeleton->model->locations[replay->at]);
}

/*
 * Starts the backward replay at the location with the last event of the run; of equals at the first
 * stream of a device, else at the first.
 */
static PhStatus
replay_in(PhCriticalPath *path, const PhWaitStates *waits, PhArena *arena)
{
	const PhSkeleton *skeleton = path->skeleton;
	Replay replay = {.path = path, .skeleton = skeleton, .waits = waits, .at = PH_NONE};
	int64_t first = INT64_MAX;
	PH_TRY(PH_NEW(arena, skeleton->n_locations, &replay.n_left));
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
	{
		const PhCommLocation *location = &skeleton->locations[i];
		replay.n_left[i] = waits->first[i + 1];
		if (location->first_time == PH_NO_TIME)
			continue;
		first = PH_MIN(location->first_time, first);
		if (ends_later(&replay, i))
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
ph_critical_path_new(PhEnv *env, const PhSkeleton *skeleton, const PhWaitStates *waits,
					 const PhPathOptions *options, PhCriticalPath **out)
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
	PhStatus status = replay_in(path, waits, &scratch);
	if (status == PH_OK && options->is_merged)
		status = ph_path_divide_legs(path);
	if (status == PH_OK)
		status = list_legs(path, &scratch);
	if (status == PH_OK && options->is_merged)
		status = ph_path_merge(path);
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
	ph_env_free(env, path->tally.regions, path->tally.region_room, sizeof(uint32_t));
	ph_env_free(env, path->tally.time, path->tally.time_room, sizeof(int64_t));
	ph_env_free(env, path->pieces, path->piece_room, sizeof(PathPiece));
	ph_env_free(env, path->segments, path->segment_room, sizeof(PhPathSegment));
	ph_env_free(env, path, 1, sizeof(PhCriticalPath));
}

PhStatus
ph_critical_path_legs(const PhCriticalPath *path, PhArena *arena, PhPathLeg **out, uint32_t *n)
{
	PhPathLeg *legs;
	PH_TRY(PH_NEW_UNSET(arena, path->n_legs, &legs));
	for (uint32_t i = 0; i < path->n_legs; i++)
		legs[i] = (PhPathLeg){path->legs[i].from, path->legs[i].to, path->legs[i].location};
	*out = legs;
	*n = path->n_legs;
	return PH_OK;
}
