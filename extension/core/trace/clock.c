/*
 * clock.c - replay in the order of dependences; jumps where an event comes before its cause.
 *
 * A location runs until it has to wait for a send or for members of a collective; what it waits for
 * sets it going again. Without circles the result does not depend on who runs first.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/clock.h"

#include "trace/clock_internal.h"
#include "trace/internal.h"

#define PH_CLOCK_MOST_LATENCY INT64_C(1000000000)
#define PH_CLOCK_MOST_TIME (INT64_C(1) << 61) /* ns; differences of two such times still fit */

/* Jumps of a location, in a list of all. */
typedef struct ClockTrack
{
	uint32_t n, room;
	PhClockJump *jumps;
} ClockTrack;

struct PhClock
{
	PhEnv *env;
	uint32_t n_locations;
	uint32_t drift;
	ClockTrack *tracks;
	uint32_t *followed; /* by location: whose jumps it has */
	PhClockCounts counts;
};

/* How far the replay has come on a location. */
typedef struct ClockPlace
{
	uint32_t next_end;
	uint32_t next_begin, last_begin; /* into Replay.begins */
	bool waits;
	uint32_t before, after; /* in the ring of those that are not finished */
} ClockPlace;

typedef struct Replay
{
	PhClock *clock;
	const PhSkeleton *skeleton;
	PhClockOptions options;
	ClockPlace *places;
	int64_t **sent;	  /* by location and end: when a send took place */
	uint32_t *begins; /* members by location, in order of their begins */
	ClockCollectives collectives;
	uint32_t *ready, n_ready; /* locations that may run */
	uint32_t ring;			  /* one of those that are not finished; PH_NONE */
} Replay;

PhClockOptions
ph_clock_defaults(void)
{
	return (PhClockOptions){.latency = 0, .drift = 100, .collectives = true};
}

/* ---- corrected times ---- */

static int64_t
shifted(const PhClockJump *jump, uint32_t drift, int64_t time)
{
	int64_t shrunk = drift == 0 ? 0 : (time - jump->time) / drift;
	return jump->shift > shrunk ? time + jump->shift - shrunk : time;
}

PhClockCursor
ph_clock_cursor(const PhClock *clock, uint32_t location)
{
	uint32_t followed = clock->followed[location];
	const ClockTrack *track = &clock->tracks[followed];
	return (PhClockCursor){track->jumps, track->n, 0, clock->drift, followed != location};
}

static bool
has_jumped(const PhClockCursor *cursor, const PhClockJump *jump, uint64_t seq, int64_t time)
{
	return cursor->by_time ? jump->time <= time : jump->seq <= seq;
}

int64_t
ph_clock_time(PhClockCursor *cursor, uint64_t seq, int64_t time)
{
	while (cursor->at < cursor->n && has_jumped(cursor, &cursor->jumps[cursor->at], seq, time))
		cursor->at++;
	return cursor->at == 0 ? time : shifted(&cursor->jumps[cursor->at - 1], cursor->drift, time);
}

const PhClockJump *
ph_clock_jumps(const PhClock *clock, uint32_t location, uint32_t *n)
{
	*n = clock->tracks[location].n;
	return clock->tracks[location].jumps;
}

const PhClockCounts *
ph_clock_counts(const PhClock *clock)
{
	return &clock->counts;
}

/*
 * The corrected time of an event of a location: shifted by the location's last jump, less what the
 * clock has drifted back since.
 */
static int64_t
current_time(const Replay *replay, uint32_t at, int64_t time)
{
	const ClockTrack *track = &replay->clock->tracks[at];
	return track->n == 0 ? time : shifted(&track->jumps[track->n - 1], replay->options.drift, time);
}

/* Moves an end that would take place before `earliest` to that time, by a jump of its location. */
static PhStatus
place_event(Replay *replay, uint32_t at, const PhCommEnd *end, int64_t earliest)
{
	PhClock *clock = replay->clock;
	ClockTrack *track = &clock->tracks[at];
	if (current_time(replay, at, end->time) >= earliest)
		return PH_OK;
	PH_TRY(PH_GROW(clock->env, &track->jumps, track->n, &track->room));
	int64_t shift = earliest - end->time;
	track->jumps[track->n++] = (PhClockJump){end->seq, end->time, shift};
	clock->counts.jumps++;
	if (shift > clock->counts.worst_shift)
		clock->counts.worst_shift = shift;
	return PH_OK;
}

/* ---- replay ---- */

/* Set a location going that waits for this very end. */
static void
wake(Replay *replay, uint32_t at, uint32_t end)
{
	ClockPlace *place = &replay->places[at];
	if (!place->waits || place->next_end != end)
		return;
	place->waits = false;
	replay->ready[replay->n_ready++] = at;
}

static void
run_send(Replay *replay, uint32_t at, uint32_t index)
{
	const PhCommEnd *end = &replay->skeleton->locations[at].ends[index];
	replay->sent[at][index] = current_time(replay, at, end->time);
	if (end->partner != PH_NONE)
		wake(replay, end->partner_location, end->partner);
}

/* *waits: the send has not taken place yet. */
static PhStatus
run_receive(Replay *replay, uint32_t at, const PhCommEnd *end, bool *waits)
{
	if (end->partner == PH_NONE)
		return PH_OK;
	uint32_t from = end->partner_location;
	*waits = replay->sent[from][end->partner] == PH_NO_TIME;
	if (*waits)
		return PH_OK;
	return place_event(replay, at, end, replay->sent[from][end->partner] + replay->options.latency);
}

static PhStatus
run_collective(Replay *replay, uint32_t at, const PhCommEnd *end, bool *waits)
{
	int64_t after;
	const PhCollectiveMember *member = &replay->collectives.rows->members[end->partner];
	if (!replay->options.collectives || member->instance == PH_NONE ||
		ph_collective_is_of_window(member->operation))
		return PH_OK;
	*waits = !ph_clock_may_end(&replay->collectives, end->partner, &after);
	if (*waits || after == PH_NO_TIME)
		return PH_OK;
	return place_event(replay, at, end, after + replay->options.latency);
}

/* Whoever waits for an end that the begin makes possible goes on. */
static PhStatus
run_begin(Replay *replay, uint32_t at, uint32_t member)
{
	const PhCollectiveMember *members = replay->collectives.rows->members;
	uint32_t first, end;
	ph_clock_begin(&replay->collectives, member, current_time(replay, at, members[member].enter),
				   &first, &end);
	for (uint32_t i = first; i < end; i++)
	{
		uint32_t other = replay->collectives.sequence[i], location = members[other].location;
		const PhCommLocation *where = &replay->skeleton->locations[location];
		const ClockPlace *place = &replay->places[location];
		PH_TRY(ph_env_poll(replay->clock->env));
		if (place->waits && !ph_is_receive(where->ends[place->next_end].kind) &&
			where->ends[place->next_end].partner == other)
			wake(replay, location, place->next_end);
	}
	return PH_OK;
}

static PhStatus
run_end(Replay *replay, uint32_t at, uint32_t index, bool *waits)
{
	const PhCommEnd *end = &replay->skeleton->locations[at].ends[index];
	*waits = false;
	if (ph_is_of_epoch(end->kind))
		return PH_OK;
	if (ph_is_receive(end->kind))
		return run_receive(replay, at, end, waits);
	if (!ph_is_send(end->kind))
		return run_collective(replay, at, end, waits);
	run_send(replay, at, index);
	return PH_OK;
}

static void
leave_ring(Replay *replay, uint32_t at)
{
	ClockPlace *place = &replay->places[at];
	replay->places[place->before].after = place->after;
	replay->places[place->after].before = place->before;
	if (replay->ring == at)
		replay->ring = place->after == at ? PH_NONE : place->after;
}

/* Ends and begins of a location in their order, until one has to wait. */
static PhStatus
run_location(Replay *replay, uint32_t at)
{
	const PhCommLocation *location = &replay->skeleton->locations[at];
	const PhCollectiveMember *members = replay->collectives.rows->members;
	ClockPlace *place = &replay->places[at];
	while (place->next_end < location->n_ends || place->next_begin < place->last_begin)
	{
		uint64_t begin = UINT64_MAX;
		PH_TRY(ph_env_poll(replay->clock->env));
		if (place->next_begin < place->last_begin)
			begin = members[replay->begins[place->next_begin]].begin_seq;
		if (place->next_end == location->n_ends || begin < location->ends[place->next_end].seq)
		{
			PH_TRY(run_begin(replay, at, replay->begins[place->next_begin++]));
			continue;
		}
		PH_TRY(run_end(replay, at, place->next_end, &place->waits));
		if (place->waits)
			return PH_OK;
		place->next_end++;
	}
	leave_ring(replay, at);
	return PH_OK;
}

/*
 * No location can go on: what they wait for goes in a circle (clocks or records contradict each
 * other). The location at the head of the ring passes its end without a cause, which is counted;
 * the ring moves on, so that the next circle is broken at another location.
 */
static void
break_circle(Replay *replay)
{
	uint32_t at = replay->ring;
	replay->clock->counts.unsolved++;
	replay->places[at].next_end++;
	replay->places[at].waits = false;
	replay->ring = replay->places[at].after;
	replay->ready[replay->n_ready++] = at;
}

static PhStatus
run_all(Replay *replay)
{
	while (replay->ring != PH_NONE)
	{
		if (replay->n_ready == 0)
			break_circle(replay);
		PH_TRY(run_location(replay, replay->ready[--replay->n_ready]));
	}
	return PH_OK;
}

/* ---- setting up ---- */

/* Members with a recorded begin, by location; of each location they are in that order already. */
static PhStatus
list_begins(Replay *replay, PhArena *arena)
{
	const PhCollectiveRows *rows = replay->collectives.rows;
	uint32_t *items, *keys, *starts, n = 0, n_locations = replay->skeleton->n_locations;
	PH_TRY(PH_NEW(arena, rows->n_members, &items));
	PH_TRY(PH_NEW(arena, rows->n_members, &keys));
	PH_TRY(PH_NEW(arena, rows->n_members, &replay->begins));
	PH_TRY(PH_NEW(arena, (size_t) n_locations + 1, &starts));
	for (uint32_t i = 0; i < rows->n_members && replay->options.collectives; i++)
	{
		const PhCollectiveMember *member = &rows->members[i];
		keys[i] = member->location;
		if (member->instance != PH_NONE && member->begin_seq != member->seq)
			items[n++] = i;
	}
	PH_TRY(
		ph_trace_bucket(replay->clock->env, items, n, keys, n_locations, starts, replay->begins));
	for (uint32_t i = 0; i < n_locations; i++)
	{
		replay->places[i].next_begin = starts[i];
		replay->places[i].last_begin = starts[i + 1];
	}
	return PH_OK;
}

static PhStatus
list_places(Replay *replay, PhArena *arena)
{
	uint32_t n = replay->skeleton->n_locations;
	PH_TRY(PH_NEW(arena, n, &replay->places));
	PH_TRY(PH_NEW(arena, n, &replay->ready));
	PH_TRY(PH_NEW(arena, n, &replay->sent));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t n_ends = replay->skeleton->locations[i].n_ends;
		replay->places[i].before = i == 0 ? n - 1 : i - 1;
		replay->places[i].after = i + 1 == n ? 0 : i + 1;
		replay->ready[n - 1 - i] = i;
		PH_TRY(PH_NEW(arena, n_ends, &replay->sent[i]));
		for (uint32_t end = 0; end < n_ends; end++)
			replay->sent[i][end] = PH_NO_TIME;
	}
	replay->n_ready = n;
	replay->ring = n == 0 ? PH_NONE : 0;
	return PH_OK;
}

/* Ends of collectives that come before what they depend on, in recorded times. */
static PhStatus
count_collectives(Replay *replay, PhArena *arena)
{
	const PhCollectiveRows *rows = replay->collectives.rows;
	uint32_t *causes;
	PH_TRY(ph_collective_causes(arena, replay->skeleton, &causes));
	for (uint32_t i = 0; i < rows->n_members; i++)
	{
		if (causes[i] == PH_NONE || ph_collective_is_of_window(rows->members[i].operation))
			continue;
		int64_t earliest = rows->members[causes[i]].enter + replay->options.latency;
		replay->clock->counts.violations += rows->members[i].leave < earliest;
	}
	return PH_OK;
}

/* Messages received before they were sent, in recorded times. */
static PhStatus
count_messages(Replay *replay)
{
	for (uint32_t at = 0; at < replay->skeleton->n_locations; at++)
	{
		const PhCommLocation *location = &replay->skeleton->locations[at];
		for (uint32_t i = 0; i < location->n_ends; i++)
		{
			const PhCommEnd *end = &location->ends[i];
			PH_TRY(ph_env_poll(replay->clock->env));
			if (!ph_is_receive(end->kind) || ph_is_of_epoch(end->kind) || end->partner == PH_NONE)
				continue;
			const PhCommEnd *send =
				&replay->skeleton->locations[end->partner_location].ends[end->partner];
			replay->clock->counts.violations += end->time < send->time + replay->options.latency;
		}
	}
	return PH_OK;
}

/* Locations without ends follow the first of their rank that has some. */
static PhStatus
find_followed(Replay *replay, PhArena *arena)
{
	const PhSkeleton *skeleton = replay->skeleton;
	uint32_t *first, n_ranks = ph_trace_count_ranks(skeleton->model);
	PH_TRY(PH_NEW(arena, n_ranks, &first));
	for (uint32_t rank = 0; rank < n_ranks; rank++)
		first[rank] = PH_NONE;
	for (uint32_t i = skeleton->n_locations; i-- > 0;)
	{
		uint32_t rank = ph_trace_rank(skeleton->model, i);
		if (rank != PH_NONE && skeleton->locations[i].n_ends > 0)
			first[rank] = i;
	}
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
	{
		uint32_t rank = ph_trace_rank(skeleton->model, i);
		bool follows =
			rank != PH_NONE && skeleton->locations[i].n_ends == 0 && first[rank] != PH_NONE;
		replay->clock->followed[i] = follows ? first[rank] : i;
	}
	return PH_OK;
}

static PhStatus
replay_in(Replay *replay, PhArena *arena)
{
	PH_TRY(find_followed(replay, arena));
	PH_TRY(list_places(replay, arena));
	PH_TRY(ph_clock_collectives_new(arena, replay->skeleton, &replay->collectives));
	PH_TRY(list_begins(replay, arena));
	PH_TRY(count_messages(replay));
	if (replay->options.collectives)
		PH_TRY(count_collectives(replay, arena));
	return run_all(replay);
}

static PhStatus
check_input(PhEnv *env, const PhSkeleton *skeleton, const PhClockOptions *options)
{
	if (options->latency < 0 || options->latency > PH_CLOCK_MOST_LATENCY || options->drift == 1)
		return ph_fail(env, PH_ERR_VALUE,
					   "a clock correction with a latency of %lld ns and a drift of 1 in %u",
					   (long long) options->latency, options->drift);
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
	{
		const PhCommLocation *location = &skeleton->locations[i];
		if (location->first_time != PH_NO_TIME && (location->first_time < -PH_CLOCK_MOST_TIME ||
												   location->last_time > PH_CLOCK_MOST_TIME))
			return ph_fail(env, PH_ERR_VALUE, "location %u has times beyond 2^61 ns", i);
	}
	return PH_OK;
}

PhStatus
ph_clock_new(PhEnv *env, const PhSkeleton *skeleton, const PhClockOptions *options, PhClock **out)
{
	void *memory;
	PhArena arena;
	PH_TRY(check_input(env, skeleton, options));
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhClock), &memory));
	PhClock *clock = memory;
	clock->env = env;
	clock->drift = options->drift;
	PhStatus status = ph_env_alloc(env, skeleton->n_locations, sizeof(ClockTrack), &memory);
	if (status == PH_OK)
	{
		clock->tracks = memory;
		clock->n_locations = skeleton->n_locations;
		status = ph_env_alloc(env, skeleton->n_locations, sizeof(uint32_t), &memory);
	}
	if (status == PH_OK)
		clock->followed = memory;
	Replay replay = {.clock = clock, .skeleton = skeleton, .options = *options};
	ph_arena_init(&arena, env);
	if (status == PH_OK)
		status = replay_in(&replay, &arena);
	ph_arena_drop(&arena);
	if (status != PH_OK)
		ph_clock_free(clock);
	else
		*out = clock;
	return status;
}

void
ph_clock_free(PhClock *clock)
{
	if (clock == NULL)
		return;
	PhEnv *env = clock->env;
	for (uint32_t i = 0; i < clock->n_locations; i++)
		ph_env_free(env, clock->tracks[i].jumps, clock->tracks[i].room, sizeof(PhClockJump));
	ph_env_free(env, clock->tracks, clock->n_locations, sizeof(ClockTrack));
	ph_env_free(env, clock->followed, clock->n_locations, sizeof(uint32_t));
	ph_env_free(env, clock, 1, sizeof(PhClock));
}
