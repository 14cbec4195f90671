/*
 * test_trace_tree.c - call trees of random traces against all calls one by one: any order of
 * chunks, several trees together, windows, counters, the profile; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/slow_calls.h"
#include "trace/tree/tree.h"

#define N_TRACES rounds(2000)
#define FEW_EVENTS 100
#define MANY_EVENTS 3000 /* more call paths than a tree first has room for */
#define N_REGIONS 4
#define MOST_LOCATIONS 3
#define N_METRICS 5
#define N_CLASSES 3

static RandomNumbers numbers;

/* Class 0: two counters; class 1: a gauge and the first counter again; class 2: another unit. */
static PhTraceMetric metrics[N_METRICS] = {
	{0, 0, "instructions", "#", PH_TRACE_UINT64, true, 1},
	{0, 1, "temperature drift", "K", PH_TRACE_INT64, true, 0.5},
	{1, 0, "memory", "bytes", PH_TRACE_UINT64, false, 1},
	{1, 1, "instructions", "#", PH_TRACE_UINT64, true, 1},
	{2, 0, "instructions", "k", PH_TRACE_UINT64, true, 1},
};
static const PhTraceModel model = {.n_metrics = N_METRICS, .metrics = metrics};

typedef struct Case
{
	PhEnv env;
	uint32_t n_locations;
	RandomStream streams[MOST_LOCATIONS];
	StoredChunks stored[MOST_LOCATIONS];
	uint32_t n_calls[MOST_LOCATIONS];
	SlowCall *calls[MOST_LOCATIONS];
	SlowWindow window;
} Case;

static void
make_case(Case *test, uint32_t max_events)
{
	memset(test, 0, sizeof(*test));
	ph_env_init_malloc(&test->env);
	test->n_locations = 1 + numbers_below(&numbers, MOST_LOCATIONS);
	for (uint32_t i = 0; i < test->n_locations; i++)
	{
		RandomStreamShape shape = {.max_events = max_events, .n_regions = N_REGIONS};
		shape.is_huge = numbers_below(&numbers, 4) == 0;
		shape.is_closed = numbers_below(&numbers, 2) == 0;
		random_stream(&numbers, shape, &test->streams[i]);
		for (uint32_t j = 0; j < test->streams[i].n_events; j++)
			if (test->streams[i].events[j].kind == PH_EVENT_METRIC)
				test->streams[i].events[j].operation = numbers_below(&numbers, N_CLASSES + 1);
		assert_int_equal(stored_chunks_write(&test->env, &test->streams[i], i,
											 1 + numbers_below(&numbers, 40), &test->stored[i]),
						 PH_OK);
		test->calls[i] = slow_calls(&test->streams[i], &test->n_calls[i]);
	}
	test->window = random_window(&numbers, &test->streams[0]);
}

static void
free_case(Case *test)
{
	for (uint32_t i = 0; i < test->n_locations; i++)
	{
		free(test->calls[i]);
		stored_chunks_free(&test->stored[i]);
		random_stream_free(&test->streams[i]);
	}
	assert_int_equal(test->env.bytes, 0);
}

/* ---- the reference ---- */

static uint32_t
find_node(const PhTraceTree *tree, const SlowCall *calls, uint32_t call)
{
	uint32_t parent = calls[call].parent, node = 0;
	parent = parent == PH_NONE ? PH_NONE : find_node(tree, calls, parent);
	while (node < ph_trace_tree_n_nodes(tree) &&
		   (ph_trace_tree_parent(tree, node) != parent ||
			ph_trace_tree_region(tree, node) != calls[call].region))
		node++;
	assert_true(node < ph_trace_tree_n_nodes(tree));
	return node;
}

static void
add_expected(const Case *test, const PhTraceTree *tree, uint32_t location, PhTreeCell *cells)
{
	const SlowCall *calls = test->calls[location];
	for (uint32_t i = 0; i < test->n_calls[location]; i++)
	{
		if (!slow_is_in(&calls[i], test->window))
			continue;
		PhTreeCell *cell = &cells[find_node(tree, calls, i)];
		cell->visits++;
		cell->exclusive += slow_exclusive(calls, test->n_calls[location], i, test->window);
	}
}

static void
assert_cells(const Case *test, PhTraceTree *tree)
{
	const PhTreeCell *cells;
	size_t n, next = 0;
	assert_int_equal(ph_trace_tree_cells(tree, &cells, &n), PH_OK);
	for (uint32_t location = 0; location < test->n_locations; location++)
	{
		bool has_calls = false;
		uint32_t n_nodes = ph_trace_tree_n_nodes(tree);
		PhTreeCell *expected = calloc(n_nodes + 1, sizeof(PhTreeCell));
		add_expected(test, tree, location, expected);
		for (uint32_t node = 0; node < n_nodes; node++)
		{
			if (expected[node].visits == 0)
				continue;
			has_calls = true;
			assert_true(next < n);
			assert_int_equal(cells[next].location, location);
			assert_int_equal(cells[next].node, node);
			assert_int_equal(cells[next].visits, expected[node].visits);
			assert_int_equal(cells[next].exclusive, expected[node].exclusive);
			next++;
		}
		assert_true(ph_trace_tree_has_calls(tree, location) == has_calls);
		free(expected);
	}
	assert_int_equal(next, n);
}

/* ---- trees ---- */

static void
add_chunk(Case *test, PhTraceTree *tree, PhChunkReader *reader, const PhChunk *chunk)
{
	assert_int_equal(ph_chunk_reader_open(reader, chunk, ph_trace_tree_wants(tree)), PH_OK);
	assert_int_equal(
		ph_trace_tree_add_chunk(tree, chunk, reader, test->window.from, test->window.to), PH_OK);
}

static void
check_any_order(Case *test)
{
	PhTraceTree *trees[2];
	PhChunkReader *reader;
	assert_int_equal(ph_chunk_reader_new(&test->env, &reader), PH_OK);
	for (int i = 0; i < 2; i++)
		assert_int_equal(ph_trace_tree_new(&test->env, NULL, &trees[i]), PH_OK);
	assert_int_equal(ph_trace_tree_wants(trees[0]), PH_WANT_CALLS);
	for (uint32_t location = 0; location < test->n_locations; location++)
	{
		uint32_t n = test->stored[location].n_chunks, first = numbers_below(&numbers, n);
		for (uint32_t i = 0; i < n; i++)
			add_chunk(test, trees[numbers_below(&numbers, 2)], reader,
					  &test->stored[location].chunks[(first + i) % n]);
	}
	assert_int_equal(ph_trace_tree_merge(trees[0], trees[1]), PH_OK);
	assert_cells(test, trees[0]);
	for (int i = 0; i < 2; i++)
		ph_trace_tree_free(trees[i]);
	ph_chunk_reader_free(reader);
}

/* ---- counters ---- */

/* What a metric grew by within calls of a region; metric: "instructions" 0, drift 1. */
static double
slow_growth(const Case *test, uint32_t location, uint32_t region, uint32_t metric)
{
	double total = 0;
	uint64_t values[N_METRICS];
	bool is_known[N_METRICS] = {false};
	const RandomStream *stream = &test->streams[location];
	for (uint32_t i = 0; i < stream->n_events; i++)
	{
		const PhEvent *event = &stream->events[i];
		for (uint32_t m = 0; event->kind == PH_EVENT_METRIC && m < N_METRICS; m++)
		{
			if (metrics[m].metric_class != event->operation || metrics[m].member >= event->n_values)
				continue;
			uint64_t value = event->values[metrics[m].member];
			bool is_it = metric == 0 ? m == 0 || m == 3 : m == 1;
			bool grew = m == 1 ? (int64_t) value > (int64_t) values[m] : value > values[m];
			if (is_known[m] && is_it && grew && event->region == region &&
				event->time >= test->window.from && event->time < test->window.to)
				total += (double) (value - values[m]) * metrics[m].scale;
			values[m] = value;
			is_known[m] = true;
		}
	}
	return total;
}

static PhStatus
make_builder(PhEnv *env, uint32_t *regions, uint32_t *columns, PhProfileBuilder **out)
{
	PH_TRY(ph_builder_new(env, out));
	for (uint32_t i = 0; i < N_REGIONS; i++)
	{
		char name[] = {(char) ('a' + i), '\0'};
		PhRegionSpec spec = {.name = name, .line = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_region(*out, &spec, &regions[i]));
	}
	for (uint32_t i = 0; i < MOST_LOCATIONS; i++)
	{
		PhColumnSpec spec = {
			.iteration = PH_NO_ITERATION, .rank = (int32_t) i, .thread = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_column(*out, &spec, &columns[i]));
	}
	return PH_OK;
}

static PhStatus
make_profile(PhEnv *env, PhTraceTree *tree, PhProfile **out)
{
	uint32_t regions[N_REGIONS], columns[MOST_LOCATIONS];
	PhProfileBuilder *builder = NULL;
	PhTreePlaces places = {N_REGIONS, regions, MOST_LOCATIONS, columns, 0, NULL};
	PhStatus status = make_builder(env, regions, columns, &builder);
	if (status == PH_OK)
		status = ph_trace_tree_to_builder(tree, &places, builder);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}

/* Sum of a metric over nodes of a region, in the column of a location. */
static double
sum_of(const PhProfile *profile, const char *metric, uint32_t region, uint32_t location)
{
	double total = 0;
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		for (uint32_t node = 0; node < profile->n_nodes; node++)
		{
			const PhRegion *its = &profile->regions[profile->region[node]];
			if (strcmp(profile->strings[profile->metrics[m].name], metric) == 0 &&
				profile->strings[its->name][0] == (char) ('a' + region))
				for (uint32_t c = 0; c < profile->n_columns; c++)
					if (profile->columns[c].rank == (int32_t) location)
						total += ph_profile_cell(profile, m, node, c, PH_COST_EXCLUSIVE);
		}
	return total;
}

static void
assert_close(double got, double expected)
{
	double difference = got > expected ? got - expected : expected - got;
	if (difference > 1e-9 * (expected > 1 ? expected : 1))
		fail_msg("%.17g instead of %.17g", got, expected);
}

static void
assert_profile(const Case *test, const PhProfile *profile)
{
	for (uint32_t location = 0; location < test->n_locations; location++)
		for (uint32_t region = 0; region < N_REGIONS; region++)
		{
			double visits = 0, seconds = 0;
			uint32_t n = test->n_calls[location];
			const SlowCall *calls = test->calls[location];
			for (uint32_t i = 0; i < n; i++)
				if (calls[i].region == region)
				{
					visits += slow_is_in(&calls[i], test->window);
					seconds += (double) slow_exclusive(calls, n, i, test->window) / 1e9;
				}
			assert_close(sum_of(profile, "visits", region, location), visits);
			assert_close(sum_of(profile, "time", region, location), seconds);
			assert_close(sum_of(profile, "instructions", region, location),
						 slow_growth(test, location, region, 0));
			assert_close(sum_of(profile, "temperature drift", region, location),
						 slow_growth(test, location, region, 1));
		}
}

/* One tree a location, as threads have them, in order. */
static void
check_profile(Case *test)
{
	PhTraceTree *tree, *one;
	PhChunkReader *reader;
	PhProfile *profile;
	assert_int_equal(ph_chunk_reader_new(&test->env, &reader), PH_OK);
	assert_int_equal(ph_trace_tree_new(&test->env, &model, &tree), PH_OK);
	assert_int_equal(ph_trace_tree_wants(tree), PH_WANT_CALLS | PH_WANT_EXTRA);
	for (uint32_t location = 0; location < test->n_locations; location++)
	{
		assert_int_equal(ph_trace_tree_new(&test->env, &model, &one), PH_OK);
		for (uint32_t i = 0; i < test->stored[location].n_chunks; i++)
			add_chunk(test, one, reader, &test->stored[location].chunks[i]);
		assert_int_equal(ph_trace_tree_merge(tree, one), PH_OK);
		ph_trace_tree_free(one);
	}
	PhStatus status = make_profile(&test->env, tree, &profile);
	if (status == PH_OK)
	{
		assert_profile(test, profile);
		ph_profile_free(&test->env, profile);
	}
	else /* nothing was called in the window */
		for (uint32_t location = 0; location < test->n_locations; location++)
			assert_false(ph_trace_tree_has_calls(tree, location));
	ph_trace_tree_free(tree);
	ph_chunk_reader_free(reader);
}

static void
test_random_traces(void **state)
{
	(void) state;
	numbers.state = 9;
	for (uint32_t i = 0; i < N_TRACES; i++)
	{
		Case test;
		make_case(&test, i % 100 == 0 ? MANY_EVENTS : FEW_EVENTS);
		check_any_order(&test);
		check_profile(&test);
		free_case(&test);
	}
}

/* ---- what cannot be ---- */

static void
test_undefined_places(void **state)
{
	(void) state;
	Case test;
	PhTraceTree *tree;
	PhChunkReader *reader;
	PhProfileBuilder *builder;
	uint32_t regions[N_REGIONS], columns[MOST_LOCATIONS];
	PhTreePlaces places[] = {{0, regions, MOST_LOCATIONS, columns, 0, NULL},
							 {N_REGIONS, regions, 0, columns, 0, NULL}};
	numbers.state = 11;
	make_case(&test, FEW_EVENTS);
	test.window = (SlowWindow){INT64_MIN, INT64_MAX};
	assert_int_equal(ph_chunk_reader_new(&test.env, &reader), PH_OK);
	assert_int_equal(ph_trace_tree_new(&test.env, NULL, &tree), PH_OK);
	add_chunk(&test, tree, reader, &test.stored[0].chunks[0]);
	assert_true(ph_trace_tree_has_calls(tree, 0));
	for (int i = 0; i < 2; i++)
	{
		assert_int_equal(make_builder(&test.env, regions, columns, &builder), PH_OK);
		assert_int_equal(ph_trace_tree_to_builder(tree, &places[i], builder), PH_ERR_VALUE);
		ph_builder_free(builder);
	}
	ph_trace_tree_free(tree);
	ph_chunk_reader_free(reader);
	free_case(&test);
}

/* A counter that starts again, and one without a call around it. */
static void
test_counter_resets(void **state)
{
	(void) state;
	PhEnv env;
	PhTraceTree *tree;
	PhChunkReader *reader;
	PhProfile *profile;
	StoredChunks stored;
	uint64_t values[] = {100, UINT64_MAX - 4, 150, 3, 40, 3, 45, 3};
	PhEvent events[] = {{.time = 0, .kind = PH_EVENT_METRIC, .n_values = 2, .values = values},
						{.time = 0, .kind = PH_EVENT_ENTER, .region = 0},
						{.time = 5, .kind = PH_EVENT_METRIC, .n_values = 2, .values = values + 2},
						{.time = 6, .kind = PH_EVENT_METRIC, .n_values = 2, .values = values + 4},
						{.time = 9, .kind = PH_EVENT_METRIC, .n_values = 2, .values = values + 6},
						{.time = 9, .kind = PH_EVENT_LEAVE, .region = 0}};
	RandomStream stream = {.n_events = 6, .events = events};
	ph_env_init_malloc(&env);
	assert_int_equal(stored_chunks_write(&env, &stream, 0, 2, &stored), PH_OK);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	assert_int_equal(ph_trace_tree_new(&env, &model, &tree), PH_OK);
	for (uint32_t i = 0; i < stored.n_chunks; i++)
	{
		assert_int_equal(ph_chunk_reader_open(reader, &stored.chunks[i], PH_WANT_ALL), PH_OK);
		assert_int_equal(
			ph_trace_tree_add_chunk(tree, &stored.chunks[i], reader, INT64_MIN, INT64_MAX), PH_OK);
	}
	assert_int_equal(ph_trace_tree_resets(tree), 1);
	assert_int_equal(make_profile(&env, tree, &profile), PH_OK);
	assert_int_equal(profile->n_metrics, 4);
	assert_close(sum_of(profile, "instructions", 0, 0), 55);
	assert_close(sum_of(profile, "temperature drift", 0, 0), 4); /* from -5 to 3, halved */
	assert_close(sum_of(profile, "time", 0, 0), 9e-9);
	ph_profile_free(&env, profile);
	ph_trace_tree_free(tree);
	ph_chunk_reader_free(reader);
	stored_chunks_free(&stored);
	assert_int_equal(env.bytes, 0);
}

static uint64_t
bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* 1.5 to 4, to what is no number, from there to 2, to 1, to 3: 2.5 and 2 are growth. */
static void
test_double_counters(void **state)
{
	(void) state;
	PhEnv env;
	PhTraceTree *tree;
	PhChunkReader *reader;
	PhProfile *profile;
	StoredChunks stored;
	PhTraceMetric joules = {0, 0, "time", "J", PH_TRACE_DOUBLE, true, 1};
	PhTraceModel energy = {.n_metrics = 1, .metrics = &joules};
	double numbers_now[] = {1.5, 4, NAN, 2, 1, 3};
	uint64_t values[6];
	PhEvent events[7] = {{.kind = PH_EVENT_ENTER}};
	RandomStream stream = {.n_events = 7, .events = events};
	for (int i = 0; i < 6; i++)
	{
		values[i] = bits_of(numbers_now[i]);
		events[i + 1] = (PhEvent){.kind = PH_EVENT_METRIC, .n_values = 1, .values = &values[i]};
	}
	ph_env_init_malloc(&env);
	assert_int_equal(stored_chunks_write(&env, &stream, 0, 3, &stored), PH_OK);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	assert_int_equal(ph_trace_tree_new(&env, &energy, &tree), PH_OK);
	for (uint32_t i = 0; i < stored.n_chunks; i++)
	{
		assert_int_equal(ph_chunk_reader_open(reader, &stored.chunks[i], PH_WANT_ALL), PH_OK);
		assert_int_equal(
			ph_trace_tree_add_chunk(tree, &stored.chunks[i], reader, INT64_MIN, INT64_MAX), PH_OK);
	}
	assert_int_equal(ph_trace_tree_resets(tree), 3);
	assert_int_equal(make_profile(&env, tree, &profile), PH_OK);
	assert_close(sum_of(profile, "time metric", 0, 0), 4.5);
	ph_profile_free(&env, profile);
	ph_trace_tree_free(tree);
	ph_chunk_reader_free(reader);
	stored_chunks_free(&stored);
}

/* ---- faults ---- */

static PhStatus
fill(const Case *test, PhTraceTree *tree, PhTraceTree *other, PhChunkReader *reader)
{
	for (uint32_t location = 0; location < test->n_locations; location++)
		for (uint32_t i = 0; i < test->stored[location].n_chunks; i++)
		{
			const PhChunk *chunk = &test->stored[location].chunks[i];
			PH_TRY(ph_chunk_reader_open(reader, chunk, PH_WANT_ALL));
			PH_TRY(ph_trace_tree_add_chunk(location == 0 ? tree : other, chunk, reader, INT64_MIN,
										   INT64_MAX));
		}
	return ph_trace_tree_merge(tree, other);
}

static PhStatus
tree_work(PhEnv *env, void *user)
{
	PhChunkReader *reader = NULL;
	PhTraceTree *tree = NULL, *other = NULL;
	PhProfile *profile = NULL;
	const PhTreeCell *cells;
	size_t n;
	PhStatus status = ph_chunk_reader_new(env, &reader);
	if (status == PH_OK)
		status = ph_trace_tree_new(env, &model, &tree);
	if (status == PH_OK)
		status = ph_trace_tree_new(env, &model, &other);
	if (status == PH_OK)
		status = fill(user, tree, other, reader);
	if (status == PH_OK)
		status = ph_trace_tree_cells(tree, &cells, &n);
	if (status == PH_OK)
		status = make_profile(env, tree, &profile);
	if (status == PH_OK)
		ph_profile_free(env, profile);
	ph_trace_tree_free(tree);
	ph_trace_tree_free(other);
	ph_chunk_reader_free(reader);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	Case test;
	numbers.state = 10;
	do
	{
		make_case(&test, FEW_EVENTS);
		if (test.n_locations == MOST_LOCATIONS)
			break;
		free_case(&test);
	} while (true);
	assert_string_equal(fault_env_try_allocations(tree_work, &test, 0), "");
	free_case(&test);
}

static PhStatus
merge_work(PhEnv *env, void *user)
{
	PhChunkReader *reader = NULL;
	PhTraceTree *tree = NULL, *other = NULL;
	const PhChunk *chunk = user;
	PhStatus status = ph_chunk_reader_new(env, &reader);
	if (status == PH_OK)
		status = ph_trace_tree_new(env, NULL, &tree);
	if (status == PH_OK)
		status = ph_trace_tree_new(env, NULL, &other);
	if (status == PH_OK)
		status = ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS);
	if (status == PH_OK)
		status = ph_trace_tree_add_chunk(other, chunk, reader, INT64_MIN, INT64_MAX);
	if (status == PH_OK)
		status = ph_trace_tree_merge(tree, other);
	ph_trace_tree_free(tree);
	ph_trace_tree_free(other);
	ph_chunk_reader_free(reader);
	return status;
}

/* Ten thousand nodes. */
static void
test_interrupts(void **state)
{
	(void) state;
	PhEnv env;
	StoredChunks stored = {0};
	PhChunkWriter *writer;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_writer_new(&env, 0, 0, stored_chunks_add, &stored, &writer), PH_OK);
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(ph_chunk_writer_enter(writer, i, i), PH_OK);
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	assert_string_equal(fault_env_try_interrupts(merge_work, &stored.chunks[0], 0), "");
	stored_chunks_free(&stored);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_traces),  cmocka_unit_test(test_undefined_places),
		cmocka_unit_test(test_counter_resets), cmocka_unit_test(test_double_counters),
		cmocka_unit_test(test_faults),		   cmocka_unit_test(test_interrupts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
