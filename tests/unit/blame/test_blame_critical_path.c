/*
 * test_blame_critical_path.c - the path tiles the run and is the one that a plain replay finds.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "blame/critical_path.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/skeleton.h"

#define N_TRACES rounds(4000)
#define MOST_SEGMENTS 4000

static PhEnv env;
static CommTrace trace;
static PhPathSegment expected[MOST_SEGMENTS];
static uint32_t n_expected;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---- a slow reference ---- */

/* A stay on a location, found from its end. */
typedef struct PlainLeg
{
	uint32_t at, peer;
	int64_t from, to, wait;
} PlainLeg;

static PhWait waits[COMM_LOCATIONS * COMM_EVENTS]; /* of all calls */
static uint32_t n_waits, n_by_receiver;

static void
find_waits(void)
{
	bool classes[65];
	rendezvous_classes(&trace, classes);
	n_waits = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t call = 0; call < trace.n_events[at]; call++)
			if (trace.events[at][call].kind == PH_EVENT_ENTER)
			{
				PhWait wait = plain_wait(&trace, classes, at, call);
				if (wait.to <= wait.from)
					continue;
				waits[n_waits++] = wait;
			}
}

/* Where the path came from: the last wait before that was over, of those it did not come by. */
static bool
find_origin(PlainLeg *leg)
{
	PhWait *last = NULL;
	for (uint32_t i = 0; i < n_waits; i++)
		if (waits[i].victim == leg->at && waits[i].from < waits[i].to && waits[i].to <= leg->to &&
			(last == NULL || waits[i].call > last->call))
			last = &waits[i];
	if (last == NULL)
		return false;
	leg->from = last->to;
	leg->wait = last->to - last->from;
	leg->peer = last->awaited;
	n_by_receiver += last->kind == PH_WAIT_LATE_RECEIVER;
	/* what is behind the path by its place among the calls is not looked at again */
	for (uint32_t i = 0; i < n_waits; i++)
		if (waits[i].victim == leg->at && waits[i].call >= last->call)
			waits[i].to = waits[i].from;
	return true;
}

/* Region and kind of the innermost call after all events up to a time. */
static uint32_t
region_at(uint32_t at, int64_t time, PhPathKind *kind)
{
	uint32_t stack[64], depth = 0;
	*kind = PH_PATH_COMPUTE;
	for (uint32_t i = 0; i < trace.n_events[at] && trace.events[at][i].time <= time; i++)
	{
		if (trace.events[at][i].kind == PH_EVENT_ENTER)
			stack[depth++] = i;
		else if (trace.events[at][i].kind == PH_EVENT_LEAVE)
			depth--;
	}
	if (depth == 0)
		return PH_NONE;
	uint32_t call = stack[depth - 1];
	bool messages = false, lost = false, collectives = false;
	for (uint32_t i = call; i < trace.n_events[at]; i++)
	{
		if (enclosing_call(&trace, at, i) != call)
			continue;
		bool receives = ph_is_receive(trace.events[at][i].kind);
		messages = messages || (trace.events[at][i].kind != PH_EVENT_IRECV &&
								request_partner(&trace, at, i) != PH_NONE);
		lost = lost || (receives && trace.truth[at][i].location == PH_NONE);
		messages = messages || ph_is_send(trace.events[at][i].kind) ||
				   (receives && trace.truth[at][i].location != PH_NONE);
		collectives = collectives || trace.instance[at][i] != PH_NONE;
	}
	*kind = collectives ? PH_PATH_COLLECTIVE
			: messages	? PH_PATH_MESSAGE
			: lost		? PH_PATH_WAIT
						: PH_PATH_COMPUTE;
	return trace.events[at][call].region;
}

/* The segments of a leg, latest first. */
static void
divide_leg(const PlainLeg *leg)
{
	int64_t to = leg->to;
	uint32_t first = n_expected;
	while (to > leg->from)
	{
		PhPathSegment segment = {.from = leg->from, .to = to, .location = leg->at};
		segment.peer = PH_NONE;
		for (uint32_t i = 0; i < trace.n_events[leg->at]; i++)
		{
			int64_t time = trace.events[leg->at][i].time;
			segment.from = time < to && time > segment.from ? time : segment.from;
		}
		segment.region = region_at(leg->at, segment.from, &segment.kind);
		to = segment.from;
		PhPathSegment *last = &expected[n_expected - (n_expected > 0)];
		if (n_expected > first && last->region == segment.region && last->kind == segment.kind)
			last->from = segment.from;
		else
			expected[n_expected++] = segment;
	}
	if (n_expected == first)
		return;
	expected[n_expected - 1].peer = leg->peer;
	expected[n_expected - 1].wait = leg->wait;
}

static void
replay_plainly(void)
{
	int64_t first = INT64_MAX;
	PlainLeg leg = {0, PH_NONE, 0, INT64_MIN, 0};
	n_expected = 0;
	find_waits();
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		uint32_t n = trace.n_events[at];
		first = trace.events[at][0].time < first ? trace.events[at][0].time : first;
		if (trace.events[at][n - 1].time > leg.to)
		{
			leg.at = at;
			leg.to = trace.events[at][n - 1].time;
		}
	}
	for (;;)
	{
		bool found = find_origin(&leg);
		leg.from = found && leg.from > first ? leg.from : first;
		if (!found)
			leg.peer = PH_NONE, leg.wait = 0;
		divide_leg(&leg);
		if (!found)
			break;
		leg = (PlainLeg){leg.peer, PH_NONE, 0, leg.from, 0};
	}
	for (uint32_t i = 0; i < n_expected / 2; i++)
	{
		PhPathSegment swap = expected[i];
		expected[i] = expected[n_expected - 1 - i];
		expected[n_expected - 1 - i] = swap;
	}
}

/* ---- tests ---- */

static PhStatus
new_path(PhEnv *in, const PhSkeleton *skeleton, bool is_merged, PhCriticalPath **out)
{
	PhPathOptions options = {is_merged};
	PhArena arena;
	PhWaitStates found;
	ph_arena_init(&arena, in);
	PhStatus status = ph_wait_states_find(&arena, skeleton, &found);
	if (status == PH_OK)
		status = ph_critical_path_new(in, skeleton, &found, &options, out);
	ph_arena_drop(&arena);
	return status;
}

static PhStatus
visit_event(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
			const PhOpenCall *call)
{
	(void) seq;
	return ph_critical_path_add_event(user, location, event, call);
}

typedef struct Chunked
{
	PhCriticalPath *path;
	uint32_t n_chunks, n_wanted;
} Chunked;

static PhStatus
visit_chunk(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	Chunked *chunked = user;
	chunked->n_chunks++;
	if (!ph_critical_path_wants(chunked->path, chunk))
		return PH_OK;
	chunked->n_wanted++;
	return ph_critical_path_add_chunk(chunked->path, chunk, reader);
}

static PhStatus
divide(PhEnv *in, uint64_t seed, Chunked *chunked)
{
	if (seed % 2 == 0)
		return comm_visit_all(&trace, seed, visit_event, chunked->path);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		PH_TRY(comm_visit_chunks(in, &trace, at, 1 + (uint32_t) seed % 70, visit_chunk, chunked));
	return PH_OK;
}

static void
compare_segments(uint64_t seed, const PhPathSegment *segments, uint32_t n)
{
	for (uint32_t i = 0; i < n && i < n_expected; i++)
		if (memcmp(&segments[i], &expected[i], sizeof(segments[i])) != 0)
			fail_msg("seed %llu: segment %u", (unsigned long long) seed, i);
	if (n != n_expected)
		fail_msg("seed %llu: %u segments, not %u", (unsigned long long) seed, n, n_expected);
}

/* Without gaps or overlaps from the first event to the last. */
static void
check_tiling(const PhPathSegment *segments, uint32_t n)
{
	int64_t first = INT64_MAX, last = INT64_MIN, total = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		int64_t end = trace.events[at][trace.n_events[at] - 1].time;
		first = trace.events[at][0].time < first ? trace.events[at][0].time : first;
		last = end > last ? end : last;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		assert_int_equal(segments[i].from, i == 0 ? first : segments[i - 1].to);
		assert_true(segments[i].from < segments[i].to);
		total += segments[i].to - segments[i].from;
	}
	assert_int_equal(total, last - first);
}

/* ---- stays ---- */

/* A stay of these segments, which begin with one that came from elsewhere. */
static PhPathSegment
merge_plainly(const PhPathSegment *segments, uint32_t n)
{
	PhPathSegment stay = segments[0];
	int64_t most = 0;
	memset(stay.time, 0, sizeof(stay.time));
	stay.to = segments[n - 1].to;
	stay.region = PH_NONE;
	stay.n_merged = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		int64_t of_region = 0;
		for (uint32_t k = 0; k < n; k++)
			if (segments[k].region == segments[i].region)
				of_region += segments[k].to - segments[k].from;
		if (segments[i].region != PH_NONE &&
			(of_region > most || (of_region == most && segments[i].region < stay.region)))
		{
			most = of_region;
			stay.region = segments[i].region;
		}
		stay.time[segments[i].kind] += segments[i].to - segments[i].from;
		stay.is_inferred |= segments[i].is_inferred;
	}
	for (uint32_t kind = 0; kind < PH_PATH_KIND_COUNT; kind++)
		if (kind == 0 || stay.time[kind] > stay.time[stay.kind])
			stay.kind = (PhPathKind) kind;
	return stay;
}

/* Does a part of the location's begin with the segment? */
static bool
begins_part(const PhSkeleton *skeleton, const PhPathSegment *segment)
{
	const PhCommLocation *location = &skeleton->locations[segment->location];
	return (segment->from == location->main_from && location->main_from > location->first_time) ||
		   (segment->from == location->main_to && location->main_to < location->last_time);
}

/* A location's main part begins and ends with segments of the path. */
static void
draw_parts(PhSkeleton *skeleton, uint64_t seed, const PhPathSegment *segments, uint32_t n)
{
	const PhPathSegment *a = &segments[seed * 7 % n], *b = &segments[seed * 31 % n];
	PhCommLocation *location = &skeleton->locations[a->location];
	location->main_from = a->from;
	if (b->location == a->location && b->from > a->from)
		location->main_to = b->from;
}

static void
compare_stays(const PhSkeleton *skeleton, const PhPathSegment *stays, uint32_t n_stays,
			  const PhPathSegment *segments, uint32_t n)
{
	uint32_t stay = 0, merged = 0;
	for (uint32_t i = 0, end; i < n; i = end)
	{
		for (end = i + 1;
			 end < n && segments[end].peer == PH_NONE && !begins_part(skeleton, &segments[end]);)
			end++;
		assert_true(stay < n_stays);
		PhPathSegment expect = merge_plainly(segments + i, end - i);
		merged = stays[stay].n_merged;
		expect.n_merged = merged;
		assert_true(merged >= 1 && merged <= end - i);
		const PhPathSegment *got = &stays[stay++];
		assert_true(got->from == expect.from && got->to == expect.to && got->wait == expect.wait);
		assert_true(got->location == expect.location && got->peer == expect.peer);
		assert_true(got->region == expect.region && got->kind == expect.kind);
		assert_int_equal(got->is_inferred, expect.is_inferred);
		assert_memory_equal(got->time, expect.time, sizeof(expect.time));
	}
	assert_int_equal(stay, n_stays);
}

static void
test_stays(void **state)
{
	uint64_t n_shorter = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES / 2; seed++)
	{
		PhSkeleton *skeleton;
		const PhPathSegment *segments, *stays;
		uint32_t n, n_stays;
		Chunked whole = {NULL, 0, 0}, merged = {NULL, 0, 0};
		comm_random(seed, 20 + (uint32_t) seed % 130, &trace);
		must(skeleton_of(&env, &trace, seed, &skeleton));
		must(new_path(&env, skeleton, false, &whole.path));
		must(divide(&env, seed, &whole));
		must(ph_critical_path_segments(whole.path, &segments, &n));
		if (seed % 2 == 0)
			draw_parts(skeleton, seed, segments, n);
		must(new_path(&env, skeleton, true, &merged.path));
		must(divide(&env, seed, &merged));
		must(ph_critical_path_segments(merged.path, &stays, &n_stays));
		check_tiling(stays, n_stays);
		compare_stays(skeleton, stays, n_stays, segments, n);
		n_shorter += n_stays < n;
		ph_critical_path_free(merged.path);
		ph_critical_path_free(whole.path);
		ph_skeleton_free(skeleton);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_shorter > N_TRACES / 4);
}

static void
test_paths(void **state)
{
	uint64_t n_jumps = 0, kinds[PH_PATH_KIND_COUNT] = {0};
	uint32_t n_spared = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhSkeleton *skeleton;
		const PhPathSegment *segments;
		uint32_t n;
		Chunked chunked = {NULL, 0, 0};
		comm_random(seed, 20 + (uint32_t) seed % 130, &trace);
		if (seed % 3 != 0)
			make_rendezvous(&trace);
		if (seed % 7 == 0)
			make_synchronous(&trace);
		must(skeleton_of(&env, &trace, seed, &skeleton));
		must(new_path(&env, skeleton, false, &chunked.path));
		must(ph_critical_path_segments(chunked.path, &segments, &n));
		check_tiling(segments, n);
		must(divide(&env, seed, &chunked));
		must(ph_critical_path_segments(chunked.path, &segments, &n));
		check_tiling(segments, n);
		replay_plainly();
		compare_segments(seed, segments, n);
		n_spared += chunked.n_chunks - chunked.n_wanted;
		for (uint32_t i = 0; i < n; i++)
		{
			n_jumps += segments[i].peer != PH_NONE;
			kinds[segments[i].kind]++;
		}
		ph_critical_path_free(chunked.path);
		ph_skeleton_free(skeleton);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_jumps > N_TRACES / 2 && n_spared > N_TRACES / 2);
	assert_true(n_by_receiver > met_in_rounds(20));
	for (uint32_t kind = 0; kind < PH_PATH_KIND_COUNT; kind++)
		assert_true(kinds[kind] > met_in_rounds(20));
}

/* Wrong clocks, receives before their sends, collectives in disorder: the path still tiles the run.
 */
static void
test_wrong_clocks(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhSkeleton *skeleton;
		const PhPathSegment *segments;
		uint32_t n;
		Chunked chunked = {NULL, 0, 0};
		comm_random(seed, 150, &trace);
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			for (uint32_t i = 0; i < trace.n_events[at]; i++)
				trace.events[at][i].time += (int64_t) ((at * 7919 + seed * 31) % 900);
		must(skeleton_of(&env, &trace, seed, &skeleton));
		must(new_path(&env, skeleton, false, &chunked.path));
		must(divide(&env, seed, &chunked));
		must(ph_critical_path_segments(chunked.path, &segments, &n));
		check_tiling(segments, n);
		ph_critical_path_free(chunked.path);
		ph_skeleton_free(skeleton);
	}
	assert_int_equal(env.bytes, 0);
}

static void
test_empty_run(void **state)
{
	PhSkeleton *skeleton;
	PhCriticalPath *path;
	const PhPathSegment *segments;
	uint32_t n;
	(void) state;
	comm_random(1, 1, &trace);
	must(ph_skeleton_new(&env, &trace.model, &skeleton));
	must(ph_skeleton_finish(skeleton));
	must(new_path(&env, skeleton, false, &path));
	must(ph_critical_path_segments(path, &segments, &n));
	assert_int_equal(n, 0);
	ph_critical_path_free(path);
	ph_skeleton_free(skeleton);
	assert_int_equal(env.bytes, 0);
	assert_string_equal(ph_path_kind_name(PH_PATH_WAIT), "wait");
	assert_string_equal(ph_path_kind_name(PH_PATH_KIND_COUNT), "unknown");
}

static PhStatus
path_in(PhEnv *in, void *user)
{
	PhSkeleton *skeleton = user;
	Chunked chunked = {NULL, 0, 0};
	const PhPathSegment *segments;
	uint32_t n;
	PH_TRY(new_path(in, skeleton, false, &chunked.path));
	PhStatus status = divide(in, 1 + 2 * 30, &chunked);
	if (status == PH_OK)
		status = ph_critical_path_segments(chunked.path, &segments, &n);
	ph_critical_path_free(chunked.path);
	return status;
}

static PhStatus
many_paths_in(PhEnv *in, void *user)
{
	for (uint32_t i = 0; i < 10; i++)
		PH_TRY(path_in(in, user));
	return PH_OK;
}

static void
test_faults(void **state)
{
	PhSkeleton *skeleton;
	(void) state;
	comm_random(3, 1200, &trace);
	must(skeleton_of(&env, &trace, 1, &skeleton));
	assert_string_equal(fault_env_try_allocations(path_in, skeleton, 0), "");
	assert_string_equal(fault_env_try_interrupts(many_paths_in, skeleton, 0), "");
	ph_skeleton_free(skeleton);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),		 cmocka_unit_test(test_stays),
		cmocka_unit_test(test_wrong_clocks), cmocka_unit_test(test_empty_run),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
