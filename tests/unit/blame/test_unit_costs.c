/*
 * test_unit_costs.c - metrics of waits, causes and the critical path of random programs against
 * plain sums over all waits, delays, and stretches times legs; what is folded; the same found while
 * a trace is read, by several threads; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "blame/cost_finder.h"
#include "blame/node_keys.h"
#include "blame/path_summary.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/skeleton.h"

#define N_TRACES rounds(200)
#define MOST_NODES 4000
#define MOST_STRETCHES (COMM_LOCATIONS * COMM_EVENTS)

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

typedef struct Stretch
{
	uint32_t location, node;
	int64_t from, to;
} Stretch;

typedef struct Case
{
	PhSkeleton *skeleton;
	PhArena arena;
	PhWaitStates waits;
	PhPathTimes *times;
	PhTraceTree *tree;
	PhCriticalPath *path;
	PhOnPath *on_path;
	PhPathLeg *legs;
	uint32_t n_legs, n_stretches;
	PhBlame blame;
	const uint64_t *keys;
	PhTreeCosts costs[PH_UNIT_COST_KINDS];
	const PhPathShare *shares;
	uint32_t n_shares;
	Stretch stretches[MOST_STRETCHES];
} Case;

static const char *const names[PH_UNIT_COST_KINDS] = {"wait", "wait caused", "on critical path"};

static PhEnv env;
static CommTrace trace;
static Case test;
static int64_t plain[PH_UNIT_COST_KINDS][MOST_NODES][COMM_LOCATIONS];

static PhStatus
take_stretches(void *user, uint32_t location, const PhStretch *stretches, uint32_t n)
{
	(void) user;
	for (uint32_t i = 0; i < n; i++)
		test.stretches[test.n_stretches++] =
			(Stretch){location, stretches[i].node, stretches[i].from, stretches[i].to};
	PH_TRY(ph_on_path_stretches(test.on_path, location, stretches, n));
	return ph_path_times_stretches(test.times, location, stretches, n);
}

static PhStatus
feed_tree(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	return ph_trace_tree_add_chunk(user, chunk, reader, INT64_MIN, INT64_MAX);
}

static PhStatus
find_path(PhEnv *with)
{
	const PhPathOptions options = {.is_merged = false};
	PH_TRY(ph_critical_path_new(with, test.skeleton, &test.waits, &options, &test.path));
	PH_TRY(ph_critical_path_legs(test.path, &test.arena, &test.legs, &test.n_legs));
	return ph_on_path_new(&test.arena, test.path, test.skeleton, &test.on_path);
}

static PhStatus
find_times(PhEnv *with, uint64_t seed, const PhWaitInterval *intervals)
{
	uint32_t order[COMM_LOCATIONS];
	PH_TRY(ph_path_times_new(with, &test.waits, intervals, &test.times));
	PH_TRY(ph_trace_tree_new(with, NULL, &test.tree));
	ph_trace_tree_watch(test.tree, take_stretches, NULL);
	comm_shuffle(&trace, seed, order);
	for (uint32_t i = 0; i < trace.model.n_locations; i++)
		PH_TRY(comm_visit_chunks(with, &trace, order[i], 1 + (uint32_t) seed % 70, feed_tree,
								 test.tree));
	return ph_path_times_finish(test.times, ph_trace_tree_n_nodes(test.tree));
}

static const uint64_t *
region_ids(void)
{
	static uint64_t ids[COMM_REGIONS];
	for (uint32_t i = 0; i < COMM_REGIONS; i++)
		ids[i] = ph_hash_bytes(trace.model.regions[i].name, strlen(trace.model.regions[i].name));
	return ids;
}

static PhStatus
find_costs(const PhWaitInterval *intervals)
{
	uint32_t n_nodes = ph_trace_tree_n_nodes(test.tree);
	PH_TRY(ph_node_keys(&test.arena, test.tree, region_ids(), &test.keys));
	PhBlameInput input = {.waits = &test.waits,
						  .intervals = intervals,
						  .times = test.times,
						  .n_nodes = n_nodes,
						  .node_keys = test.keys,
						  .from = INT64_MIN,
						  .to = INT64_MAX};
	PH_TRY(ph_blame_find(&test.arena, &input, &test.blame));
	PhUnitCostInput wanted = {&test.waits, ph_path_times_wait_nodes(test.times),
							  &test.blame, test.on_path,
							  test.tree,   NULL};
	PH_TRY(ph_path_summary_find(&test.arena, &wanted, test.skeleton, &test.shares, &test.n_shares));
	return ph_unit_costs_find(&test.arena, &wanted, test.costs);
}

/* The main part of each location: between thirds of its events. */
static void
choose_main_parts(uint64_t seed)
{
	for (uint32_t at = 0; at < test.skeleton->n_locations; at++)
	{
		PhCommLocation *location = &test.skeleton->locations[at];
		int64_t third = (location->last_time - location->first_time) / 3;
		location->main_from = location->first_time + third * (int64_t) ((seed + at) % 4) / 4;
		location->main_to = location->last_time - third * (int64_t) ((seed * 7 + at) % 4) / 4;
	}
}

static PhStatus
find_all(PhEnv *with, uint64_t seed, bool has_parts)
{
	const PhWaitInterval *intervals;
	test = (Case){0};
	ph_arena_init(&test.arena, with);
	PH_TRY(skeleton_of(with, &trace, seed, &test.skeleton));
	if (has_parts)
		choose_main_parts(seed);
	PH_TRY(ph_wait_states_find(&test.arena, test.skeleton, &test.waits));
	PH_TRY(ph_wait_intervals(&test.arena, test.skeleton, &test.waits, &intervals));
	PH_TRY(find_path(with));
	PH_TRY(find_times(with, seed, intervals));
	return find_costs(intervals);
}

static void
free_all(void)
{
	ph_critical_path_free(test.path);
	ph_path_times_free(test.times);
	ph_trace_tree_free(test.tree);
	ph_skeleton_free(test.skeleton);
	ph_arena_drop(&test.arena);
}

/* ---- plain sums ---- */

static int64_t
overlap(const Stretch *stretch, const PhPathLeg *leg)
{
	int64_t from = stretch->from > leg->from ? stretch->from : leg->from;
	int64_t to = stretch->to < leg->to ? stretch->to : leg->to;
	return stretch->location == leg->location && from < to ? to - from : 0;
}

static void
sum_plainly(void)
{
	const uint32_t *nodes = ph_path_times_wait_nodes(test.times);
	memset(plain, 0, sizeof(plain));
	for (uint32_t i = 0; i < test.waits.n; i++)
		if (nodes[i] != PH_NONE)
			plain[PH_COST_OF_WAITS][nodes[i]][test.waits.waits[i].victim] +=
				test.waits.waits[i].to - test.waits.waits[i].from;
	for (uint32_t i = 0; i < test.blame.n_delays; i++)
	{
		const PhDelay *delay = &test.blame.delays[i];
		plain[PH_COST_CAUSED][delay->node][delay->location] += delay->short_term + delay->long_term;
	}
	for (uint32_t i = 0; i < test.n_stretches; i++)
		for (uint32_t leg = 0; leg < test.n_legs; leg++)
			plain[PH_COST_ON_PATH][test.stretches[i].node][test.stretches[i].location] +=
				overlap(&test.stretches[i], &test.legs[leg]);
}

static uint32_t
root_of(uint32_t node)
{
	while (ph_trace_tree_parent(test.tree, node) != PH_NONE)
		node = ph_trace_tree_parent(test.tree, node);
	return node;
}

/* Sums of all, and of a node. */
static int64_t
sum_of(int64_t costs[MOST_NODES][COMM_LOCATIONS], uint32_t first, uint32_t n)
{
	int64_t sum = 0;
	for (uint32_t node = first; node < first + n; node++)
		for (uint32_t at = 0; at < COMM_LOCATIONS; at++)
			sum += costs[node][at];
	return sum;
}

/* What is small goes to its root; roots are met before what they hold. */
static uint32_t
fold_plainly(int64_t costs[MOST_NODES][COMM_LOCATIONS], uint32_t n_nodes)
{
	static int64_t folded[MOST_NODES][COMM_LOCATIONS];
	int64_t total = sum_of(costs, 0, n_nodes);
	uint32_t n_folded = 0;
	memset(folded, 0, sizeof(folded));
	for (uint32_t node = 0; node < n_nodes; node++)
	{
		bool is_small = sum_of(costs, node, 1) < total / 1000;
		n_folded += is_small && sum_of(costs, node, 1) > 0 && root_of(node) != node;
		for (uint32_t at = 0; at < COMM_LOCATIONS; at++)
			folded[is_small ? root_of(node) : node][at] += costs[node][at];
	}
	memcpy(costs, folded, sizeof(folded));
	return n_folded;
}

/* Time of a node in all locations, without waits. */
static int64_t
time_without_waits(uint32_t node)
{
	const uint32_t *nodes = ph_path_times_wait_nodes(test.times);
	int64_t sum = 0;
	for (uint32_t i = 0; i < test.n_stretches; i++)
		if (test.stretches[i].node == node)
			sum += test.stretches[i].to - test.stretches[i].from;
	for (uint32_t i = 0; i < test.waits.n; i++)
		if (nodes[i] == node)
			sum -= test.waits.waits[i].to - test.waits.waits[i].from;
	return sum;
}

static int64_t
long_term_of(uint32_t node, uint32_t location)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < test.blame.n_delays; i++)
		if (test.blame.delays[i].node == node && test.blame.delays[i].location == location)
			sum += test.blame.delays[i].long_term;
	return sum;
}

/* Time of a node on the path at a location that lies before its main part, or after it. */
static int64_t
time_apart(const PhPathShare *share, PhRunPart part)
{
	const PhCommLocation *location = &test.skeleton->locations[share->location];
	int64_t sum = 0;
	for (uint32_t i = 0; i < test.n_stretches; i++)
	{
		Stretch stretch = test.stretches[i];
		if (part == PH_PART_START_UP && stretch.to > location->main_from)
			stretch.to = location->main_from;
		if (part == PH_PART_SHUT_DOWN && stretch.from < location->main_to)
			stretch.from = location->main_to;
		for (uint32_t leg = 0; leg < test.n_legs; leg++)
			if (stretch.node == share->node && stretch.location == share->location)
				sum += overlap(&stretch, &test.legs[leg]);
	}
	return sum;
}

/* Shares of the path are plain sums; what is beyond the mean of a call path is its imbalance. */
static int64_t
check_summary(void)
{
	static int64_t imbalance[MOST_NODES];
	int64_t all = 0;
	memset(imbalance, 0, sizeof(imbalance));
	sum_plainly();
	for (uint32_t i = 0; i < test.n_shares; i++)
	{
		const PhPathShare *share = &test.shares[i];
		assert_int_equal(share->ns, plain[PH_COST_ON_PATH][share->node][share->location]);
		assert_int_equal(share->start_up, time_apart(share, PH_PART_START_UP));
		assert_int_equal(share->shut_down, time_apart(share, PH_PART_SHUT_DOWN));
		assert_int_equal(share->blame, long_term_of(share->node, share->location));
		assert_true(share->imbalance >= 0 && share->imbalance <= share->ns);
		imbalance[share->node] += share->imbalance;
	}
	for (uint32_t node = 0; node < ph_trace_tree_n_nodes(test.tree); node++)
	{
		int64_t on_path = sum_of(plain[PH_COST_ON_PATH], node, 1);
		int64_t mean = time_without_waits(node) / (int64_t) trace.model.n_locations;
		assert_int_equal(imbalance[node], on_path > mean ? on_path - mean : 0);
		all += imbalance[node];
	}
	return all;
}

/* Returns how many call paths were folded. */
static uint32_t
check_costs(uint64_t seed)
{
	uint32_t n_nodes = ph_trace_tree_n_nodes(test.tree), n_folded = 0;
	sum_plainly();
	for (uint32_t kind = 0; kind < PH_UNIT_COST_KINDS; kind++)
	{
		n_folded += fold_plainly(plain[kind], n_nodes);
		for (uint32_t i = 0; i < test.costs[kind].n; i++)
		{
			const PhTreeCost *cost = &test.costs[kind].items[i];
			if (cost->ns <= 0 || plain[kind][cost->node][cost->location] != cost->ns)
				fail_msg("seed %llu: kind %u of node %u: %lld", (unsigned long long) seed, kind,
						 cost->node, (long long) cost->ns);
			plain[kind][cost->node][cost->location] = 0;
		}
		assert_true(sum_of(plain[kind], 0, n_nodes) == 0);
		assert_string_equal(test.costs[kind].name, names[kind]);
	}
	return n_folded;
}

/* ---- while a trace is read ---- */

#define N_THREADS 3

/* Each thread reads some of the locations. */
typedef struct Reading
{
	PhArena arena;
	PhCostFinder *finders[N_THREADS];
	PhTraceTree *tree; /* of all */
	uint32_t thread;
	PhTreeCosts costs[PH_UNIT_COST_KINDS];
	uint32_t n_costs;
} Reading;

static PhStatus
read_chunk(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	Reading *reading = user;
	PhCostFinder *finder = reading->finders[reading->thread];
	PH_TRY(ph_cost_finder_add_chunk(finder, chunk, reader));
	return ph_cost_finder_feeds(finder)
			   ? PH_OK
			   : ph_trace_tree_add_chunk(reading->tree, chunk, reader, INT64_MIN, INT64_MAX);
}

static PhStatus
link_location(PhCostFinder *finder, uint32_t at)
{
	static PhLink links[COMM_EVENTS];
	uint64_t n = 0;
	for (uint32_t i = 0; i < trace.n_events[at]; i++)
		if (ph_is_receive(trace.events[at][i].kind))
			links[n++] = trace.truth[at][i];
	return ph_cost_finder_link(finder, at, links, n);
}

static PhStatus
read_all(PhEnv *with, uint64_t seed, Reading *reading)
{
	uint32_t order[COMM_LOCATIONS];
	PH_TRY(ph_trace_tree_new(with, NULL, &reading->tree));
	for (uint32_t i = 0; i < N_THREADS; i++)
		PH_TRY(ph_cost_finder_new(with, &trace.model, ph_trace_tree_wants(reading->tree),
								  &reading->finders[i]));
	comm_shuffle(&trace, seed + 1, order);
	for (uint32_t i = 0; i < trace.model.n_locations; i++)
	{
		reading->thread = (uint32_t) ((seed >> 3) + i) % N_THREADS;
		PH_TRY(comm_visit_chunks(with, &trace, order[i], 1 + (uint32_t) seed % 40, read_chunk,
								 reading));
	}
	for (uint32_t i = 1; i < N_THREADS; i++)
		PH_TRY(ph_cost_finder_merge(reading->finders[0], reading->finders[i]));
	PH_TRY(ph_cost_finder_collect(reading->finders[0]));
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		PH_TRY(link_location(reading->finders[0], at));
	return ph_cost_finder_find(reading->finders[0], reading->tree, region_ids(), &reading->arena,
							   reading->costs, &reading->n_costs);
}

static PhStatus
read_in(PhEnv *with, uint64_t seed, Reading *reading)
{
	*reading = (Reading){0};
	ph_arena_init(&reading->arena, with);
	return read_all(with, seed, reading);
}

static void
free_reading(Reading *reading)
{
	for (uint32_t i = 0; i < N_THREADS; i++)
		ph_cost_finder_free(reading->finders[i]);
	ph_trace_tree_free(reading->tree);
	ph_arena_drop(&reading->arena);
}

static bool
communicates(void)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		if (test.skeleton->locations[at].n_ends > 0)
			return true;
	return false;
}

static int64_t
cost_of(const PhTreeCosts *costs, const uint64_t *keys, uint64_t key, uint32_t location)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < costs->n; i++)
		if (keys[costs->items[i].node] == key && costs->items[i].location == location)
			sum += costs->items[i].ns;
	return sum;
}

/* What was found while reading is what was found of the whole trace, by call paths. */
static void
check_reading(uint64_t seed)
{
	Reading reading;
	const uint64_t *keys;
	must(read_in(&env, seed, &reading));
	must(ph_node_keys(&reading.arena, reading.tree, region_ids(), &keys));
	assert_int_equal(reading.n_costs, communicates() ? PH_UNIT_COST_KINDS : 0);
	for (uint32_t kind = 0; kind < reading.n_costs; kind++)
	{
		const PhTreeCosts *expected = &test.costs[kind], *found = &reading.costs[kind];
		assert_string_equal(found->name, expected->name);
		assert_int_equal(found->n, expected->n);
		for (uint32_t i = 0; i < expected->n; i++)
		{
			const PhTreeCost *cost = &expected->items[i];
			assert_int_equal(cost_of(found, keys, test.keys[cost->node], cost->location),
							 cost_of(expected, test.keys, test.keys[cost->node], cost->location));
		}
	}
	free_reading(&reading);
}

/* ---- tests ---- */

/* Each function has a name of its own: call paths have an order. */
static void
name_regions(void)
{
	static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h",
										  "i", "j", "k", "l", "m", "n", "o", "p"};
	static PhTraceRegion regions[COMM_REGIONS];
	assert_true(COMM_REGIONS <= sizeof(letters) / sizeof(letters[0]));
	for (uint32_t i = 0; i < COMM_REGIONS; i++)
		regions[i].name = letters[i];
	trace.model.regions = regions;
	trace.model.n_regions = COMM_REGIONS;
}

static void
test_while_reading(void **state)
{
	(void) state;
	uint32_t n_quiet = 0, n_waits = 0, n_alone = 0;
	for (uint64_t seed = 1; seed <= N_TRACES; seed++)
	{
		comm_random(seed, 10 + (uint32_t) seed * 7 % 1100, &trace);
		name_regions();
		if (seed % 5 == 0)
			spoil_clocks(&trace, seed, 40);
		if (seed % 7 == 0) /* nobody else was recorded */
		{
			trace.model.n_locations = 1;
			for (uint32_t i = 0; i < trace.n_events[0]; i++)
				trace.truth[0][i].location = PH_NONE;
		}
		must(find_all(&env, seed, false));
		n_waits += test.waits.n > 0;
		n_alone += trace.model.n_locations == 1 && communicates();
		n_quiet += trace.model.n_locations > 1 && test.waits.n == 0 && communicates();
		check_reading(seed);
		free_all();
	}
	assert_true(n_waits > N_TRACES / 2 && n_quiet > 0 && n_alone > 0);
}

static void
test_random_programs(void **state)
{
	(void) state;
	uint32_t n_folded = 0, n_imbalance = 0;
	uint32_t n[PH_UNIT_COST_KINDS] = {0};
	for (uint64_t seed = 1; seed <= N_TRACES; seed++)
	{
		comm_random(seed, 100 + (uint32_t) seed % 1100, &trace);
		name_regions();
		if (seed % 5 == 0)
			spoil_clocks(&trace, seed, 40);
		must(find_all(&env, seed, true));
		assert_true(ph_trace_tree_n_nodes(test.tree) < MOST_NODES);
		n_imbalance += check_summary() > 0;
		n_folded += check_costs(seed);
		for (uint32_t kind = 0; kind < PH_UNIT_COST_KINDS; kind++)
			n[kind] += test.costs[kind].n;
		free_all();
	}
	assert_true(n[PH_COST_OF_WAITS] > N_TRACES && n[PH_COST_CAUSED] > N_TRACES);
	assert_true(n[PH_COST_ON_PATH] > N_TRACES && n_folded > 0 && n_imbalance > N_TRACES / 2);
}

/* What a skeleton keeps when calls and ends are given back is what on_path asks it for. */
static void
test_times_are_kept(void **state)
{
	(void) state;
	comm_random(3, 500, &trace);
	name_regions();
	must(skeleton_of(&env, &trace, 3, &test.skeleton));
	PhCommLocation before = test.skeleton->locations[0];
	size_t bytes = env.bytes;
	assert_true(before.n_ends > 0);
	ph_skeleton_keep_times(test.skeleton);
	const PhCommLocation *after = &test.skeleton->locations[0];
	assert_true(env.bytes + before.n_ends * sizeof(PhCommEnd) <= bytes);
	assert_true(after->ends == NULL && after->n_ends == 0 && after->n_calls == 0);
	assert_true(after->main_from == before.main_from && after->main_to == before.main_to);
	assert_true(after->first_time == before.first_time && after->last_time == before.last_time);
	ph_skeleton_free(test.skeleton);
	test.skeleton = NULL;
	assert_int_equal(env.bytes, 0);
}

/* The critical path is somewhere at any time: its metric is as long as the run, less idle gaps. */
static void
test_path_is_all(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 20; seed++)
	{
		int64_t sum = 0, legs = 0;
		comm_random(seed, 500, &trace);
		name_regions();
		must(find_all(&env, seed, true));
		for (uint32_t i = 0; i < test.costs[PH_COST_ON_PATH].n; i++)
			sum += test.costs[PH_COST_ON_PATH].items[i].ns;
		for (uint32_t i = 0; i < test.n_legs; i++)
		{
			assert_true(i == 0 || test.legs[i].from == test.legs[i - 1].to);
			legs += test.legs[i].to - test.legs[i].from;
		}
		assert_true(sum <= legs && sum > legs / 2);
		free_all();
	}
}

static PhStatus
costs_in(PhEnv *with, void *user)
{
	PhStatus status = find_all(with, *(uint64_t *) user, true);
	free_all();
	return status;
}

static PhStatus
reading_in(PhEnv *with, void *user)
{
	Reading reading;
	PhStatus status = read_in(with, *(uint64_t *) user, &reading);
	free_reading(&reading);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	uint64_t seed = 2;
	comm_random(3, 600, &trace);
	name_regions();
	assert_string_equal(fault_env_try_allocations(reading_in, &seed, 250), "");
	assert_string_equal(fault_env_try_interrupts(reading_in, &seed, 0), "");
	assert_string_equal(fault_env_try_allocations(costs_in, &seed, 150), "");
	assert_string_equal(fault_env_try_interrupts(costs_in, &seed, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs), cmocka_unit_test(test_path_is_all),
		cmocka_unit_test(test_times_are_kept),	cmocka_unit_test(test_while_reading),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
