/*
 * fuzz_trace_comm.c - any events of a few locations through every analysis of communication, and
 * any bytes as links and as a tally: no crash, and what must hold for whatever was recorded.
 *
 * Input: ranks of the locations, a number of events with their operands a byte each, then bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "blame/critical_path.h"
#include "blame/origins.h"
#include "blame/wait_rows.h"
#include "trace/clock.h"
#include "trace/comm.h"
#include "trace/messages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N_LOCATIONS 4
#define N_NODES 4
#define MOST_EVENTS 400
#define MOST_DEPTH 20

typedef struct Story
{
	PhTraceModel model;
	PhTraceLocation locations[N_LOCATIONS];
	PhTraceCommunicator communicators[4];
	bool is_one_sided;
	uint32_t n[N_LOCATIONS];
	PhEvent events[N_LOCATIONS][MOST_EVENTS];
	uint64_t values[N_LOCATIONS][MOST_EVENTS][3]; /* of records of windows */
	PhOpenCall calls[N_LOCATIONS][MOST_EVENTS];	  /* of each event; seq UINT64_MAX: none */
	PhOpenCall stack[N_LOCATIONS][MOST_DEPTH];
	uint32_t depth[N_LOCATIONS];
	int64_t clock[N_LOCATIONS];
} Story;

static void
must(bool condition)
{
	if (!condition)
		abort();
}

static void
add_event(Story *story, uint32_t at, PhEvent event)
{
	uint32_t seq = story->n[at];
	uint32_t *depth = &story->depth[at];
	if ((event.kind == PH_EVENT_LEAVE && *depth == 0) ||
		(event.kind == PH_EVENT_ENTER && *depth == MOST_DEPTH))
		return;
	if (event.kind == PH_EVENT_ENTER)
		story->stack[at][(*depth)++] = (PhOpenCall){event.region, event.time, seq, 0};
	story->calls[at][seq].seq = UINT64_MAX;
	if (*depth > 0)
		story->calls[at][seq] = story->stack[at][*depth - 1];
	event.region = *depth > 0 ? story->stack[at][*depth - 1].region : PH_NONE;
	if (event.kind == PH_EVENT_LEAVE)
		(*depth)--;
	story->events[at][story->n[at]++] = event;
}

static PhEvent
take_event(PhByteReader *reader, PhEventKind kind, int64_t time)
{
	PhEvent event = {.time = time, .kind = kind, .peer = PH_NONE, .comm = PH_NONE, .root = PH_NONE};
	uint32_t has = ph_event_operands(kind);
	if ((has & PH_OPERAND_REGION) != 0)
		event.region = (uint32_t) ph_get(reader, 1);
	if ((has & PH_OPERAND_PEER) != 0)
		event.peer = (uint32_t) ph_get(reader, 1) % 6;
	if ((has & (PH_OPERAND_COMM | PH_OPERAND_TAG)) != 0)
		event.comm = (uint32_t) ph_get(reader, 1) % 3;
	if ((has & PH_OPERAND_REQUEST) != 0)
		event.request = ph_get(reader, 1) % 4;
	if ((has & PH_OPERAND_OPERATION) != 0)
	{
		event.operation = (uint32_t) ph_get(reader, 1) % 32;
		event.root = (uint32_t) ph_get(reader, 1) % 6;
	}
	return event;
}

/* A record of a window. */
static PhEvent
take_record(PhByteReader *reader, uint64_t values[3], int64_t time)
{
	uint32_t n_records = PH_RECORD_RMA_OP_COMPLETE_REMOTE + 1 - PH_RECORD_RMA_WIN_CREATE;
	PhEvent event = {.time = time, .kind = PH_EVENT_RMA, .root = PH_NONE, .values = values};
	event.operation = PH_RECORD_RMA_WIN_CREATE + (uint32_t) ph_get(reader, 1) % n_records;
	event.peer = (uint32_t) ph_get(reader, 1) % 5;
	event.comm = (uint32_t) ph_get(reader, 1) % 5;
	event.n_values = (uint32_t) ph_get(reader, 1) % 4;
	for (uint32_t i = 0; i < event.n_values; i++)
		values[i] = ph_get(reader, 1) % 5;
	return event;
}

/* Windows of both communicators; functions that begin and end epochs of them. */
static void
define_windows(Story *story)
{
	static PhTraceRegion regions[] = {{.name = "MPI_Win_post"},		{.name = "MPI_Win_start"},
									  {.name = "MPI_Win_complete"}, {.name = "MPI_Win_wait"},
									  {.name = "MPI_Win_fence"},	{.name = "MPI_Win_lock"},
									  {.name = "MPI_Win_unlock"},	{.name = "MPI_Win_free"}};
	story->model.n_communicators = 4;
	story->model.regions = regions;
	story->model.n_regions = sizeof(regions) / sizeof(*regions);
	for (uint32_t i = 0; i < 2; i++)
	{
		story->communicators[i].is_mpi = true;
		story->communicators[i].parent = PH_NONE;
		story->communicators[2 + i] = story->communicators[i];
		story->communicators[2 + i].is_mpi = false;
		story->communicators[2 + i].parent = i;
	}
}

static void
read_story(PhByteReader *reader, Story *story)
{
	static const uint32_t members[] = {0, 1, 2, 3, 2, 0, 9};
	memset(story, 0, sizeof(*story));
	story->model.n_locations = N_LOCATIONS;
	story->model.locations = story->locations;
	story->model.n_communicators = 2;
	story->model.communicators = story->communicators;
	story->communicators[0] = (PhTraceCommunicator){.n_members = 4, .members = members};
	story->communicators[1] = (PhTraceCommunicator){.n_members = 3, .members = members + 4};
	for (uint32_t at = 0; at < N_LOCATIONS; at++)
	{
		uint64_t rank = ph_get(reader, 1);
		story->locations[at].rank = (int32_t) (rank % 6) - 1;
		story->is_one_sided |= rank >= 200;
	}
	if (story->is_one_sided)
		define_windows(story);
	uint32_t n = (uint32_t) ph_get(reader, 2) % MOST_EVENTS;
	for (uint32_t i = 0; i < n && !reader->bad; i++)
	{
		uint32_t what = (uint32_t) ph_get(reader, 1);
		uint32_t at = what / 16 % N_LOCATIONS;
		story->clock[at] += (int64_t) ph_get(reader, 1) % 8;
		PhEventKind kind = (PhEventKind) (what % PH_EVENT_METRIC);
		bool is_record = story->is_one_sided && kind > PH_EVENT_IRECV;
		add_event(story, at,
				  is_record ? take_record(reader, story->values[at][story->n[at]], story->clock[at])
							: take_event(reader, kind, story->clock[at]));
	}
}

/* ---- analyses ---- */

static const PhOpenCall *
call_of(const Story *story, uint32_t at, uint32_t i)
{
	return story->calls[at][i].seq == UINT64_MAX ? NULL : &story->calls[at][i];
}

static void
feed(PhEnv *env, const Story *story, PhMatcher *matcher, PhSkeleton *skeleton)
{
	for (uint32_t at = 0; at < N_LOCATIONS; at++)
		for (uint32_t i = 0; i < story->n[at]; i++)
		{
			const PhEvent *event = &story->events[at][i];
			must(ph_matcher_add_event(matcher, at, i, event) == PH_OK);
			must(ph_skeleton_add_event(skeleton, at, i, event, call_of(story, at, i), NULL) ==
				 PH_OK);
		}
	PhMatchCounts counts;
	must(ph_matcher_match(matcher, &counts) == PH_OK);
	for (uint32_t at = 0; at < N_LOCATIONS; at++)
	{
		uint64_t n;
		const PhLink *links = ph_matcher_links(matcher, at, &n);
		must(ph_skeleton_link(skeleton, at, links, n) == PH_OK);
	}
	must(ph_skeleton_finish(skeleton) == PH_OK);
	must(memcmp(&counts, &skeleton->counts, sizeof(counts)) == 0);
	must(env->error.status == PH_OK);
}

static void
try_messages(PhEnv *env, const Story *story, const PhMatcher *matcher, const PhSkeleton *skeleton)
{
	PhMessages *messages;
	PhTraceWindow window = ph_window_all();
	const PhMessage *rows;
	uint32_t n;
	must(ph_messages_new(env, &story->model, &messages) == PH_OK);
	for (uint32_t at = 0; at < N_LOCATIONS; at++)
	{
		uint64_t n_links;
		const PhLink *links = ph_matcher_links(matcher, at, &n_links);
		for (uint32_t i = 0; i < story->n[at]; i++)
		{
			const PhEvent *event = &story->events[at][i];
			const PhLink *link = ph_is_receive(event->kind) ? links++ : NULL;
			must(ph_messages_add_event(messages, at, i, event, link) == PH_OK);
		}
	}
	must(ph_messages_rows(messages, &window, &rows, &n) == PH_OK);
	must(n == skeleton->counts.messages + skeleton->counts.unmatched_sends +
				  skeleton->counts.unmatched_receives);
	ph_messages_free(messages);
}

static void
try_waits(PhEnv *env, const PhSkeleton *skeleton)
{
	PhArena arena;
	const PhLateSender *senders;
	const PhLateReceiver *receivers;
	const PhCollectiveWait *collectives;
	PhWaitStates waits;
	uint32_t n;
	ph_arena_init(&arena, env);
	must(ph_wait_states_find(&arena, skeleton, &waits) == PH_OK);
	must(ph_late_senders(&arena, skeleton, &waits, &senders, &n) == PH_OK);
	for (uint32_t i = 0; i < n; i++)
		must(senders[i].wait > 0 && senders[i].n_late > 0);
	must(ph_late_receivers(&arena, skeleton, &waits, &receivers, &n) == PH_OK);
	for (uint32_t i = 0; i < n; i++)
		must(receivers[i].wait > 0);
	must(ph_collective_waits(&arena, skeleton, &waits, &collectives, &n) == PH_OK);
	for (uint32_t i = 0; i < n; i++)
		must(collectives[i].wait > 0 && collectives[i].cause != collectives[i].member);
	ph_arena_drop(&arena);
}

/* Every stretch between two events goes to one of a few call paths. */
static void
add_stretches(const Story *story, PhPathTimes *times)
{
	for (uint32_t at = 0; at < N_LOCATIONS; at++)
		for (uint32_t i = 1; i < story->n[at]; i++)
		{
			const PhEvent *before = &story->events[at][i - 1];
			PhStretch stretch = {before->time, before[1].time, before->kind % N_NODES};
			if (stretch.from < stretch.to)
				must(ph_path_times_stretches(times, at, &stretch, 1) == PH_OK);
		}
}

/* Without the origins of single waits, which most callers do not ask for. */
static void
must_have_same_sums(PhArena *arena, PhBlameInput input, const PhBlame *blame)
{
	PhBlame sums;
	input.sums_only = true;
	must(ph_blame_find(arena, &input, &sums) == PH_OK);
	must(sums.waited == blame->waited && sums.unexplained == blame->unexplained &&
		 sums.outside == blame->outside && sums.own == blame->own &&
		 sums.n_delays == blame->n_delays);
	for (uint32_t i = 0; i < sums.n_delays; i++)
		must(sums.delays[i].short_term == blame->delays[i].short_term &&
			 sums.delays[i].long_term == blame->delays[i].long_term);
}

static void
try_blame(PhEnv *env, const Story *story, const PhSkeleton *skeleton)
{
	static const uint64_t keys[N_NODES] = {3, 1, 2, 0};
	PhArena arena;
	PhWaitStates waits;
	const PhWaitInterval *intervals;
	PhPathTimes *times;
	PhBlame blame;
	int64_t sum = 0;
	ph_arena_init(&arena, env);
	must(ph_wait_states_find(&arena, skeleton, &waits) == PH_OK);
	must(ph_wait_intervals(&arena, skeleton, &waits, &intervals) == PH_OK);
	must(ph_path_times_new(env, &waits, intervals, &times) == PH_OK);
	add_stretches(story, times);
	must(ph_path_times_finish(times, N_NODES) == PH_OK);
	PhBlameInput input = {.waits = &waits,
						  .intervals = intervals,
						  .times = times,
						  .n_nodes = N_NODES,
						  .node_keys = keys,
						  .from = INT64_MIN,
						  .to = INT64_MAX};
	must(ph_blame_find(&arena, &input, &blame) == PH_OK);
	for (uint32_t i = 0; i < blame.n_delays; i++)
		sum += blame.delays[i].short_term + blame.delays[i].long_term;
	must(sum + blame.unexplained + blame.outside == blame.waited);
	must_have_same_sums(&arena, input, &blame);
	ph_path_times_free(times);
	ph_arena_drop(&arena);
}

static void
try_path(PhEnv *env, const Story *story, const PhSkeleton *skeleton, bool is_merged)
{
	PhCriticalPath *path;
	PhPathOptions options = {is_merged};
	const PhPathSegment *segments;
	PhWaitStates waits;
	PhArena arena;
	uint32_t n;
	ph_arena_init(&arena, env);
	must(ph_wait_states_find(&arena, skeleton, &waits) == PH_OK);
	must(ph_critical_path_new(env, skeleton, &waits, &options, &path) == PH_OK);
	ph_arena_drop(&arena);
	for (uint32_t at = 0; at < N_LOCATIONS; at++)
		for (uint32_t i = 0; i < story->n[at]; i++)
			must(ph_critical_path_add_event(path, at, &story->events[at][i],
											call_of(story, at, i)) == PH_OK);
	must(ph_critical_path_segments(path, &segments, &n) == PH_OK);
	for (uint32_t i = 0; i < n; i++)
		must(segments[i].from < segments[i].to &&
			 (i == 0 || segments[i].from == segments[i - 1].to));
	ph_critical_path_free(path);
}

static void
try_clock(PhEnv *env, const Story *story, const PhSkeleton *skeleton)
{
	PhClock *clock;
	PhClockOptions options = ph_clock_defaults();
	options.latency = 2;
	must(ph_clock_new(env, skeleton, &options, &clock) == PH_OK);
	const PhClockCounts *counts = ph_clock_counts(clock);
	must(counts->violations > 0 || counts->jumps == 0);
	for (uint32_t at = 0; at < N_LOCATIONS; at++)
	{
		PhClockCursor cursor = ph_clock_cursor(clock, at);
		int64_t before = INT64_MIN;
		for (uint32_t i = 0; i < story->n[at]; i++)
		{
			int64_t time = ph_clock_time(&cursor, i, story->events[at][i].time);
			must(time >= story->events[at][i].time && time >= before);
			before = time;
		}
	}
	ph_clock_free(clock);
}

/* ---- stored bytes ---- */

static void
try_links(PhEnv *env, PhByteReader *reader)
{
	static const int64_t times[64];
	PhArena arena;
	const PhLink *links, *again;
	uint32_t n = (uint32_t) ph_get(reader, 1) % 64;
	PhBytes bytes = {reader->at, ph_left(reader)}, packed;
	ph_arena_init(&arena, env);
	if (ph_links_decode(&arena, bytes, times, n, &links) == PH_OK)
	{
		must(ph_links_encode(&arena, links, times, n, &packed) == PH_OK);
		must(ph_links_decode(&arena, packed, times, n, &again) == PH_OK);
		for (uint32_t i = 0; i < n; i++)
			must(links[i].location == again[i].location && links[i].seq == again[i].seq &&
				 links[i].time == again[i].time);
	}
	ph_arena_drop(&arena);
}

static void
try_tally(PhEnv *env, const PhByteReader *reader)
{
	PhArena arena;
	const PhTallyRow *rows;
	uint32_t n;
	size_t size = ph_tally_size(4), given = ph_left(reader);
	char *bytes = malloc(size);
	ph_tally_init(bytes, size);
	if (given > 0)
		memcpy(bytes + size % 16, reader->at, given < size - size % 16 ? given : size - size % 16);
	ph_arena_init(&arena, env);
	if (ph_tally_check(env, bytes, size) == PH_OK)
	{
		ph_tally_add(bytes, 77, 1, 1);
		must(ph_tally_rows(&arena, bytes, &rows, &n) == PH_OK);
		for (uint32_t i = 1; i < n; i++)
			must(rows[i - 1].key <= rows[i].key);
	}
	ph_arena_drop(&arena);
	free(bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static Story story;
	PhEnv env;
	PhMatcher *matcher;
	PhSkeleton *skeleton;
	PhByteReader reader = {data, data, data + size, false};
	ph_env_init_malloc(&env);
	read_story(&reader, &story);
	must(ph_matcher_new(&env, &story.model, &matcher) == PH_OK);
	must(ph_skeleton_new(&env, &story.model, &skeleton) == PH_OK);
	ph_skeleton_keep(skeleton, PH_KEEP_ENVELOPES | PH_KEEP_HOLDS);
	feed(&env, &story, matcher, skeleton);
	try_messages(&env, &story, matcher, skeleton);
	try_waits(&env, skeleton);
	try_blame(&env, &story, skeleton);
	try_path(&env, &story, skeleton, size % 2 == 0);
	try_clock(&env, &story, skeleton);
	ph_skeleton_free(skeleton);
	ph_matcher_free(matcher);
	try_links(&env, &reader);
	try_tally(&env, &reader);
	must(env.bytes == 0);
	return 0;
}
