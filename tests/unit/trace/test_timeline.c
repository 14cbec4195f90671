/*
 * test_timeline.c - spans and bundles of a window: against a nanosecond-by-nanosecond reference.
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
#include "trace/deviants.h"
#include "trace/timeline.h"

#define N_TRACES rounds(2000)
#define END 160 /* ns that a trace may last */
#define MOST_DEPTH 5
#define REGIONS 4
#define MOST_EVENTS 120
#define MOST_CHUNKS 120
#define LOCATIONS 3

static uint64_t state;

static uint32_t
below(uint32_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) ((state >> 33) % limit);
}

/* What a location did: the region that is open at each depth in each nanosecond, PH_NONE: none. */
typedef struct Truth
{
	uint32_t open[END + 1][MOST_DEPTH];
	uint32_t begins[END + 1][MOST_DEPTH][REGIONS]; /* calls entered in this nanosecond */
} Truth;

typedef struct Store
{
	PhEnv *env;
	PhChunk chunks[MOST_CHUNKS];
	uint8_t *bytes[MOST_CHUNKS];
	uint32_t n;
} Store;

static PhBytes
keep(uint8_t **at, PhBytes bytes)
{
	PhBytes kept = {*at, bytes.size};

	if (bytes.size > 0)
		memcpy(*at, bytes.data, bytes.size);
	*at += bytes.size;
	return kept;
}

static PhStatus
emit(void *user, const PhChunk *chunk)
{
	Store *store = user;
	PhChunk *copy = &store->chunks[store->n];
	uint8_t *at = malloc(chunk->stack.size + chunk->dt.size + chunk->kind.size +
						 chunk->region.size + chunk->msg.size + chunk->extra.size + 1);

	assert_true(store->n < MOST_CHUNKS);
	store->bytes[store->n++] = at;
	*copy = *chunk;
	copy->stack = keep(&at, chunk->stack);
	copy->dt = keep(&at, chunk->dt);
	copy->kind = keep(&at, chunk->kind);
	copy->region = keep(&at, chunk->region);
	copy->msg = keep(&at, chunk->msg);
	copy->extra = keep(&at, chunk->extra);
	return PH_OK;
}

static void
store_drop(Store *store)
{
	for (uint32_t i = 0; i < store->n; i++)
		free(store->bytes[i]);
	store->n = 0;
}

static void
fill(Truth *truth, int64_t from, int64_t to, const uint32_t *stack, uint32_t depth)
{
	for (int64_t t = from; t < to; t++)
		for (uint32_t d = 0; d < depth; d++)
			truth->open[t][d] = stack[d];
}

/* A random walk of calls, as chunks and as truth. */
static void
random_location(PhEnv *env, Store *store, Truth *truth, uint32_t location)
{
	PhChunkWriter *writer;
	uint32_t stack[MOST_DEPTH], depth = 0;
	int64_t time = below(20);

	memset(truth, 0, sizeof(*truth));
	memset(truth->open, 0xff, sizeof(truth->open));
	assert_int_equal(ph_chunk_writer_new(env, location, 1 + below(9), emit, store, &writer), PH_OK);
	for (uint32_t i = below(MOST_EVENTS); i > 0; i--)
	{
		int64_t next = time + (below(3) == 0 ? below(14) : below(2));

		if (next >= END)
			break;
		fill(truth, time, next, stack, depth);
		time = next;
		if (depth > 0 && (depth == MOST_DEPTH || below(2)))
		{
			assert_int_equal(ph_chunk_writer_leave(writer, time, PH_NONE), PH_OK);
			depth--;
			continue;
		}
		stack[depth] = below(REGIONS);
		truth->begins[time][depth][stack[depth]]++;
		assert_int_equal(ph_chunk_writer_enter(writer, time, stack[depth]), PH_OK);
		depth++;
	}
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
}

static bool
in_window(const PhChunk *chunk, const PhTimelineWindow *window)
{
	return chunk->t_last >= window->from && chunk->t_prev < window->to;
}

static void
feed(PhTimeline *timeline, PhChunkReader *reader, const Store *store,
	 const PhTimelineWindow *window)
{
	for (uint32_t i = 0; i < store->n; i++)
	{
		if (!in_window(&store->chunks[i], window))
			continue;
		assert_int_equal(ph_chunk_reader_open(reader, &store->chunks[i], PH_WANT_CALLS), PH_OK);
		assert_int_equal(ph_timeline_add_chunk(timeline, reader), PH_OK);
	}
	assert_int_equal(ph_timeline_end_location(timeline), PH_OK);
}

static int64_t
edge(const PhTimelineWindow *window, uint32_t bin)
{
	return window->from + (window->to - window->from) * bin / window->n_bins;
}

/* ns of a region at a depth in bins [bin, end), over the locations. */
static int64_t
true_time(const Truth *truths, const PhTimelineWindow *window, uint32_t depth, uint32_t region,
		  uint32_t bin, uint32_t end)
{
	int64_t sum = 0;

	for (int64_t t = edge(window, bin); t < edge(window, end); t++)
		for (uint32_t l = 0; l < LOCATIONS; l++)
			sum += truths[l].open[t][depth] == region;
	return sum;
}

/* Calls of a region that begin in a bin, over the locations. */
static uint32_t
true_begins(const Truth *truths, const PhTimelineWindow *window, const PhTimelineSpan *span,
			uint32_t bin)
{
	uint32_t n = 0;

	for (int64_t t = edge(window, bin); t < edge(window, bin + 1); t++)
		for (uint32_t l = 0; l < LOCATIONS; l++)
			n += truths[l].begins[t][span->depth][span->region];
	return n;
}

/* A call that begins after more than three bins of its region makes a span of its own. */
static void
check_cuts(const PhTimelineSpan *spans, uint32_t i, const Truth *truths,
		   const PhTimelineWindow *window)
{
	const PhTimelineSpan *span = &spans[i], *last = i > 0 ? &spans[i - 1] : NULL;

	for (uint32_t bin = span->bin + 4; bin < span->bin + span->n_bins; bin++)
		assert_int_equal(true_begins(truths, window, span, bin), 0);
	if (last != NULL && last->depth == span->depth && last->region == span->region &&
		last->bin + last->n_bins == span->bin)
		assert_true(last->n_bins > 3 && true_begins(truths, window, span, span->bin) > 0);
}

static void
check_spans(const PhTimeline *timeline, const Truth *truths, const PhTimelineWindow *window)
{
	int64_t covered[MOST_DEPTH][END] = {{0}};
	uint32_t n;
	const PhTimelineSpan *spans = ph_timeline_result(timeline, &n);

	for (uint32_t i = 0; i < n; i++)
	{
		const PhTimelineSpan *span = &spans[i];
		int64_t time = true_time(truths, window, span->depth, span->region, span->bin,
								 span->bin + span->n_bins);
		double area =
			(double) (edge(window, span->bin + span->n_bins) - edge(window, span->bin)) * LOCATIONS;

		assert_int_equal(span->row, 7);
		assert_true(span->depth < window->max_depth && span->n_bins > 0 && span->n_calls > 0);
		assert_true(span->bin + span->n_bins <= window->n_bins);
		check_cuts(spans, i, truths, window);
		assert_true(area == 0 || (float) ((double) time / area) == span->share);
		for (uint32_t bin = span->bin; bin < span->bin + span->n_bins; bin++)
		{
			assert_int_equal(covered[span->depth][bin], 0);
			covered[span->depth][bin] = 1;
			for (uint32_t other = 0; other < REGIONS; other++)
				assert_true(true_time(truths, window, span->depth, other, bin, bin + 1) <=
							true_time(truths, window, span->depth, span->region, bin, bin + 1));
		}
	}
	for (uint32_t depth = 0; depth < window->max_depth; depth++)
		for (uint32_t bin = 0; bin < window->n_bins; bin++)
			for (uint32_t region = 0; region < REGIONS; region++)
				assert_true(covered[depth][bin] ||
							true_time(truths, window, depth, region, bin, bin + 1) == 0);
}

static void
one_trace(PhEnv *env, PhChunkReader *reader, Truth *truths)
{
	Store stores[LOCATIONS] = {{.n = 0}};
	int64_t from = below(END - 1);
	PhTimelineWindow window = {from, from + 1 + below((uint32_t) (END - from)), 1, 1};
	PhTimeline *timeline;

	window.n_bins = 1 + below((uint32_t) (window.to - window.from));
	window.max_depth = 1 + below(MOST_DEPTH);
	assert_int_equal(ph_timeline_new(env, &window, &timeline), PH_OK);
	assert_int_equal(ph_timeline_begin_row(timeline, 7), PH_OK);
	for (uint32_t l = 0; l < LOCATIONS; l++)
	{
		random_location(env, &stores[l], &truths[l], l);
		feed(timeline, reader, &stores[l], &window);
		store_drop(&stores[l]);
	}
	assert_int_equal(ph_timeline_end_row(timeline), PH_OK);
	check_spans(timeline, truths, &window);
	ph_timeline_free(timeline);
}

static void
test_spans_equal_the_reference(void **unused)
{
	Truth *truths = malloc(LOCATIONS * sizeof(*truths));
	PhChunkReader *reader;
	PhEnv env;

	(void) unused;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	for (uint32_t seed = 0; seed < N_TRACES; seed++)
	{
		state = seed;
		one_trace(&env, reader, truths);
	}
	ph_chunk_reader_free(reader);
	free(truths);
	assert_int_equal(env.bytes, 0);
}

/* ---- deviants ---- */

#define PARTS 40

/* ns of a region (REGIONS: of none) innermost in parts [from, to). */
static double
innermost(const Truth *truth, const PhTimeBins *parts, uint32_t region, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (int64_t t = ph_bin_start(parts, from); t < ph_bin_start(parts, to); t++)
	{
		uint32_t found = REGIONS;

		for (uint32_t d = 0; d < MOST_DEPTH; d++)
			if (truth->open[t][d] != PH_NONE)
				found = truth->open[t][d];
		sum += found == region;
	}
	return sum;
}

/* Did the location do anything? */
static bool
is_member(const Truth *truth)
{
	for (int64_t t = 0; t < END; t++)
		if (truth->open[t][0] != PH_NONE)
			return true;
	return false;
}

/* How far a location is from the means of all in parts [from, to). */
static double
slow_distance(const Truth *truths, const PhTimeBins *parts, uint32_t member, uint32_t from,
			  uint32_t to)
{
	double length = (double) (ph_bin_start(parts, to) - ph_bin_start(parts, from)), moved = 0;
	uint32_t members = 0;

	for (uint32_t l = 0; l < LOCATIONS; l++)
		members += is_member(&truths[l]);
	if (members < 2 || !is_member(&truths[member]))
		return 0;
	for (uint32_t region = 0; region <= REGIONS; region++)
	{
		double mean = 0;

		for (uint32_t l = 0; l < LOCATIONS; l++)
			if (is_member(&truths[l]))
				mean += innermost(&truths[l], parts, region, from, to) / members;
		moved += fabs(innermost(&truths[member], parts, region, from, to) - mean);
	}
	return length > 0 ? moved / (2 * length) : 0;
}

/* Checks the deviant of parts [from, to) of a row: who is not much nearer than the farthest. */
static void
check_segment(const PhDeviant *found, uint32_t n, uint32_t row, const Truth *truths,
			  const PhTimeBins *parts, uint32_t from, uint32_t to)
{
	double most = 0, own = -1;

	for (uint32_t l = 0; l < LOCATIONS; l++)
		most = fmax(most, slow_distance(truths, parts, l, from, to));
	for (uint32_t i = 0; i < n; i++)
		if (found[i].row == row && found[i].part <= from && to <= found[i].part + found[i].n_parts)
			own = slow_distance(truths, parts, found[i].location, from, to);
	if (own < 0)
		assert_true(most < fmax(2 * PH_LEAST_DEVIANCE, PH_LEAST_DEVIANCE + 0.05) + 1e-9);
	else
	{
		assert_true(own >= PH_LEAST_DEVIANCE - 1e-9);
		assert_true(most <= fmax(2 * own, own + 0.05) + 1e-9);
	}
}

static void
feed_deviants(PhDeviants *deviants, PhChunkReader *reader, const Store *store, uint32_t location)
{
	for (uint32_t i = 0; i < store->n; i++)
	{
		assert_int_equal(ph_chunk_reader_open(reader, &store->chunks[i], PH_WANT_CALLS), PH_OK);
		assert_int_equal(ph_deviants_add_chunk(deviants, &store->chunks[i], reader), PH_OK);
	}
	assert_int_equal(ph_deviants_end_location(deviants, location), PH_OK);
}

static void
test_deviants_are_farthest(void **unused)
{
	const PhTimeBins parts = {0, END, PARTS};
	Truth *truths = malloc(LOCATIONS * sizeof(*truths));
	const PhDeviant *found;
	PhDeviants *deviants;
	PhChunkReader *reader;
	uint32_t n;
	PhEnv env;

	(void) unused;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	assert_int_equal(ph_deviants_new(&env, &parts, &deviants), PH_OK);
	for (uint32_t row = 0; row < 300; row++)
	{
		uint32_t shift = row * 5 % PH_DEVIANT_SEGMENT;

		state = row;
		for (uint32_t l = 0; l < LOCATIONS; l++)
		{
			Store store = {.n = 0};

			random_location(&env, &store, &truths[l], l);
			feed_deviants(deviants, reader, &store, l);
			store_drop(&store);
		}
		assert_int_equal(ph_deviants_end_row(deviants), PH_OK);
		found = ph_deviants_result(deviants, &n);
		for (uint32_t from = 0, to; from < PARTS; from = to)
		{
			to = from == 0 ? PH_DEVIANT_SEGMENT - shift : from + PH_DEVIANT_SEGMENT;
			to = to < PARTS ? to : PARTS;
			check_segment(found, n, row, truths, &parts, from, to);
		}
	}
	assert_true(n > 0);
	ph_deviants_free(deviants);
	ph_chunk_reader_free(reader);
	free(truths);
	assert_int_equal(env.bytes, 0);
}

/* Of locations that do the same none deviates. */
static void
test_equal_locations_have_no_deviant(void **unused)
{
	const PhTimeBins parts = {0, END, PARTS};
	Truth *truth = malloc(sizeof(*truth));
	Store store = {.n = 0};
	PhDeviants *deviants;
	PhChunkReader *reader;
	uint32_t n;
	PhEnv env;

	(void) unused;
	ph_env_init_malloc(&env);
	state = 5;
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	assert_int_equal(ph_deviants_new(&env, &parts, &deviants), PH_OK);
	random_location(&env, &store, truth, 0);
	for (uint32_t l = 0; l < 9; l++)
		feed_deviants(deviants, reader, &store, l);
	assert_int_equal(ph_deviants_end_row(deviants), PH_OK);
	(void) ph_deviants_result(deviants, &n);
	assert_int_equal(n, 0);
	store_drop(&store);
	free(truth);
	ph_deviants_free(deviants);
	ph_chunk_reader_free(reader);
	assert_int_equal(env.bytes, 0);
}

static void
test_bad_windows_are_refused(void **unused)
{
	const PhTimelineWindow bad[] = {{5, 5, 10, 1},	  {6, 5, 10, 1}, {0, 5, 0, 1},
									{0, 5, 70000, 1}, {0, 5, 10, 0}, {0, 5, 10, 5000}};
	PhTimeline *timeline;
	PhEnv env;

	(void) unused;
	ph_env_init_malloc(&env);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ph_timeline_new(&env, &bad[i], &timeline), PH_ERR_VALUE);
}

/* ---- bundles ---- */

static void
bundle_randomly(PhEnv *env, uint32_t seed)
{
	PhTimelineWindow window = {100, 100 + 1 + below(1000), 1 + below(60), 1};
	uint32_t limit = 1 + below(40), n = below(200), counted = 0, count, n_bins;
	uint64_t bytes = 0, found = 0, found_bytes = 0;
	const PhTimelineBundle *bundles;
	PhBundler *bundler;

	(void) seed;
	assert_int_equal(ph_bundler_new(env, &window, limit, &bundler), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		int64_t send = below(1400), receive = send + below(300) - 20;
		int64_t low = send < receive ? send : receive, high = send < receive ? receive : send;

		if (high >= window.from && low < window.to)
		{
			counted++;
			bytes += i;
		}
		assert_int_equal(ph_bundler_add(bundler, below(3), below(3), send, receive, i), PH_OK);
	}
	assert_int_equal(ph_bundler_finish(bundler, &bundles, &count, &n_bins), PH_OK);
	assert_true(count <= limit || n_bins == 1);
	assert_true(n_bins >= 1 && n_bins <= window.n_bins);
	for (uint32_t i = 0; i < count; i++)
	{
		assert_true(bundles[i].from_bin < n_bins && bundles[i].to_bin < n_bins);
		assert_true(i == 0 || memcmp(&bundles[i - 1], &bundles[i], 4 * sizeof(uint32_t)) != 0);
		assert_true(bundles[i].send_time >= window.from && bundles[i].send_time < window.to);
		assert_true(bundles[i].receive_time >= window.from && bundles[i].receive_time < window.to);
		found += bundles[i].messages;
		found_bytes += bundles[i].bytes;
	}
	assert_int_equal(found, counted);
	assert_int_equal(found_bytes, bytes);
	ph_bundler_free(bundler);
}

static void
test_bundles_lose_no_message(void **unused)
{
	PhEnv env;

	(void) unused;
	ph_env_init_malloc(&env);
	for (uint32_t seed = 0; seed < N_TRACES; seed++)
	{
		state = seed;
		bundle_randomly(&env, seed);
	}
	assert_int_equal(env.bytes, 0);
}

static void
test_bundlers_have_limits(void **unused)
{
	const PhTimelineWindow window = {0, 1000, 100, 1}, empty = {10, 10, 100, 1};
	const uint32_t limits[] = {0, 10000001};
	PhBundler *bundler;
	PhEnv env;

	(void) unused;
	ph_env_init_malloc(&env);
	for (int i = 0; i < 2; i++)
		assert_int_equal(ph_bundler_new(&env, &window, limits[i], &bundler), PH_ERR_VALUE);
	assert_int_equal(ph_bundler_new(&env, &empty, 5, &bundler), PH_ERR_VALUE);
	assert_int_equal(ph_bundler_new(&env, &window, 10000000, &bundler), PH_OK);
	ph_bundler_free(bundler);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
bundle_some(PhEnv *env, void *user)
{
	PhTimelineWindow window = {0, 1000, 100, 1};
	const PhTimelineBundle *bundles;
	PhBundler *bundler;
	uint32_t count, n_bins;
	PhStatus status = ph_bundler_new(env, &window, 5, &bundler);

	(void) user;
	if (status != PH_OK)
		return status;
	for (uint32_t i = 0; i < 40 && status == PH_OK; i++)
		status = ph_bundler_add(bundler, i % 3, i % 2, i * 25, i * 25 + 9, 1);
	if (status == PH_OK)
		status = ph_bundler_finish(bundler, &bundles, &count, &n_bins);
	ph_bundler_free(bundler);
	return status;
}

static void
test_bundler_survives_failing_allocations(void **unused)
{
	(void) unused;
	assert_string_equal(fault_env_try_allocations(bundle_some, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans_equal_the_reference),
		cmocka_unit_test(test_deviants_are_farthest),
		cmocka_unit_test(test_equal_locations_have_no_deviant),
		cmocka_unit_test(test_bad_windows_are_refused),
		cmocka_unit_test(test_bundles_lose_no_message),
		cmocka_unit_test(test_bundlers_have_limits),
		cmocka_unit_test(test_bundler_survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
