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
	const PhRendezvous *rendezvous;
	uint32_t *n_left; /* by location: ends that were not looked at yet */
	uint32_t at;	  /* where the path is, */
	int64_t time;	  /* and when */
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

/* What the messages of one call waited for. */
typedef struct CallEnds
{
	const PhCommEnd *latest; /* receive whose send was the last; NULL: none */
	const PhCommEnd *send;	 /* that waited longest for its receiver; NULL: none did */
	int64_t receiver_came;	 /* which ended that */
	const PhCommEnd *last;	 /* end of the call that is left over */
} CallEnds;

static void
look_at_end(const Replay *replay, const PhCommEnd *end, CallEnds *ends)
{
	const PhSkeleton *skeleton = replay->skeleton;
	const PhCommCall *receiving;
	if (ph_is_receive(end->kind) && end->partner != PH_NONE)
	{
		if (ends->latest == NULL ||
			partner_of(skeleton, end)->time >= partner_of(skeleton, ends->latest)->time)
			ends->latest = end;
	}
	else if (ph_is_send(end->kind) &&
			 ph_rendezvous_waited(replay->rendezvous, replay->at, end, &receiving) &&
			 receiving->enter <= replay->time &&
			 (ends->send == NULL || receiving->enter >= ends->receiver_came))
	{
		ends->send = end;
		ends->receiver_came = receiving->enter;
	}
}

/* Takes the ends of messages off that the location's last end left over shares its call with. */
static CallEnds
take_call(Replay *replay)
{
	const PhCommLocation *location = &replay->skeleton->locations[replay->at];
	uint32_t *left = &replay->n_left[replay->at];
	CallEnds ends = {.last = &location->ends[*left - 1]};
	for (; *left > 0 && location->ends[*left - 1].call == ends.last->call; (*left)--)
	{
		const PhCommEnd *end = &location->ends[*left - 1];
		if (ends.last->call == PH_NONE && end != ends.last)
			break;
		look_at_end(replay, end, &ends);
	}
	return ends;
}

static void
jump_to_partner(Replay *replay, const PhCommEnd *end, int64_t time, int64_t wait, Jump *jump)
{
	*jump = (Jump){.to = end->partner_location, .time = PH_MIN(time, replay->time), .wait = wait};
	if (replay->n_left[jump->to] > end->partner)
		replay->n_left[jump->to] = end->partner;
}

/*
 * Did the call wait for the sender of the last message that it received, which was sent after it
 * had been entered (or always, with every_message), or a send of it for a receiver who came later
 * than that?
 */
static bool
look_at_messages(Replay *replay, Jump *jump)
{
	const PhCommLocation *location = &replay->skeleton->locations[replay->at];
	CallEnds ends = take_call(replay);
	const PhCommEnd *latest = ends.latest;
	int64_t enter = ends.last->time, leave = enter, sent = INT64_MIN;
	if (ends.last->call != PH_NONE)
	{
		enter = location->calls[ends.last->call].enter;
		leave = location->calls[ends.last->call].leave;
	}
	if (latest != NULL)
		sent = partner_of(replay->skeleton, latest)->time;
	if (ends.send != NULL && ends.receiver_came > sent && !replay->every_message)
	{
		jump_to_partner(replay, ends.send, ends.receiver_came, ends.receiver_came - enter, jump);
		return true;
	}
	if (latest == NULL || (sent <= enter && !replay->every_message))
		return false;
	int64_t until = PH_MIN(sent, leave);
	jump_to_partner(replay, latest, until, until > enter ? until - enter : 0, jump);
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
		bool is_message = ph_is_receive(end->kind) || ph_is_send(end->kind);
		if (end->time <= replay->time && is_message)
		{
			*found = look_at_messages(replay, jump);
			continue;
		}
		(*left)--;
		if (end->time <= replay->time)
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
	PH_TRY(ph_rendezvous_find(arena, skeleton, &replay.rendezvous));
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
	PH_TRY(PH_NEW(arena, path->n_legs, &legs));
	for (uint32_t i = 0; i < path->n_legs; i++)
		legs[i] = (PhPathLeg){path->legs[i].from, path->legs[i].to, path->legs[i].location};
	*out = legs;
	*n = path->n_legs;
	return PH_OK;
}
