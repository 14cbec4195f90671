/*
 * test_trace_profile.c - region profiles, marked time and time profiles of random chunks against
 * slow references, in any order of chunks and through bytes; damaged bytes; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
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
#include "trace/region_profile.h"
#include "trace/time_profile.h"

#define N_TRACES rounds(2500)
#define N_REGIONS 6

static RandomNumbers numbers;

/* A random stream, its chunks, its calls, and a window. */
typedef struct Case
{
	PhEnv env;
	RandomStream stream;
	StoredChunks stored;
	uint32_t n_calls;
	SlowCall *calls;
	SlowWindow window;
	PhChunkReader *reader;
} Case;

static void
make_case(Case *test)
{
	RandomStreamShape shape = {.max_events = 120, .n_regions = N_REGIONS};
	shape.calls_only = numbers_below(&numbers, 2) == 0;
	shape.is_huge = numbers_below(&numbers, 3) == 0;
	shape.is_closed = numbers_below(&numbers, 2) == 0;
	memset(test, 0, sizeof(*test));
	ph_env_init_malloc(&test->env);
	random_stream(&numbers, shape, &test->stream);
	assert_int_equal(stored_chunks_write(&test->env, &test->stream, 3,
										 1 + numbers_below(&numbers, 40), &test->stored),
					 PH_OK);
	test->calls = slow_calls(&test->stream, &test->n_calls);
	test->window = random_window(&numbers, &test->stream);
	assert_int_equal(ph_chunk_reader_new(&test->env, &test->reader), PH_OK);
}

static void
free_case(Case *test)
{
	ph_chunk_reader_free(test->reader);
	free(test->calls);
	stored_chunks_free(&test->stored);
	random_stream_free(&test->stream);
	assert_int_equal(test->env.bytes, 0);
}

static const PhChunk *
open_chunk(Case *test, uint32_t i)
{
	const PhChunk *chunk = &test->stored.chunks[i];
	assert_int_equal(ph_chunk_reader_open(test->reader, chunk, PH_WANT_CALLS), PH_OK);
	return chunk;
}

/* Is there a call around this one for which the question is answered with yes? */
static bool
is_within(const Case *test, uint32_t call, const bool *regions)
{
	for (uint32_t i = test->calls[call].parent; i != PH_NONE; i = test->calls[i].parent)
		if (regions[test->calls[i].region])
			return true;
	return false;
}

/* ns during which a call of these regions is open. */
static int64_t
slow_time_in(const Case *test, const bool *regions)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < test->n_calls; i++)
		if (regions[test->calls[i].region] && !is_within(test, i, regions))
			total += slow_overlap(&test->calls[i], test->window);
	return total;
}

static PhRegionTotals
slow_totals(const Case *test, uint32_t region)
{
	bool is_it[N_REGIONS] = {false};
	PhRegionTotals totals = {.region = region};
	is_it[region] = true;
	totals.inclusive = slow_time_in(test, is_it);
	for (uint32_t i = 0; i < test->n_calls; i++)
		if (test->calls[i].region == region)
		{
			totals.calls += slow_is_in(&test->calls[i], test->window);
			totals.exclusive += slow_exclusive(test->calls, test->n_calls, i, test->window);
		}
	return totals;
}

static void
assert_totals(const Case *test, PhRegionProfile *profile)
{
	const PhRegionTotals *rows;
	uint32_t n, next = 0;
	assert_int_equal(ph_region_profile_rows(profile, &rows, &n), PH_OK);
	for (uint32_t region = 0; region < N_REGIONS; region++)
	{
		PhRegionTotals totals = slow_totals(test, region);
		if (totals.calls == 0)
			continue;
		assert_true(next < n);
		assert_int_equal(rows[next].region, region);
		assert_int_equal(rows[next].calls, totals.calls);
		assert_int_equal(rows[next].inclusive, totals.inclusive);
		assert_int_equal(rows[next].exclusive, totals.exclusive);
		next++;
	}
	assert_int_equal(next, n);
}

/* Chunks in two heaps, in any order, then the heaps together through bytes. */
static void
check_region_profile(Case *test)
{
	PhRegionProfile *heaps[2];
	PhBytes bytes;
	uint32_t n = test->stored.n_chunks, first = numbers_below(&numbers, n);
	for (int i = 0; i < 2; i++)
		assert_int_equal(ph_region_profile_new(&test->env, &heaps[i]), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhChunk *chunk = open_chunk(test, (first + i) % n);
		assert_int_equal(ph_region_profile_add_chunk(heaps[numbers_below(&numbers, 2)], chunk,
													 test->reader, test->window.from,
													 test->window.to),
						 PH_OK);
	}
	assert_int_equal(ph_region_profile_bytes(heaps[0], &bytes), PH_OK);
	assert_int_equal(ph_region_profile_add_bytes(heaps[1], bytes), PH_OK);
	assert_totals(test, heaps[1]);
	ph_region_profile_reset(heaps[0]);
	assert_int_equal(ph_region_profile_bytes(heaps[1], &bytes), PH_OK);
	assert_int_equal(ph_region_profile_add_bytes(heaps[0], bytes), PH_OK);
	assert_totals(test, heaps[0]);
	for (int i = 0; i < 2; i++)
		ph_region_profile_free(heaps[i]);
}

static void
check_marked_time(Case *test)
{
	int64_t total = 0;
	bool marked[N_REGIONS];
	for (uint32_t i = 0; i < N_REGIONS; i++)
		marked[i] = numbers_below(&numbers, 3) == 0;
	for (uint32_t i = 0; i < test->stored.n_chunks; i++)
	{
		const PhChunk *chunk = open_chunk(test, i);
		total += ph_chunk_time_in_regions(chunk, test->reader, marked, N_REGIONS, test->window.from,
										  test->window.to);
	}
	assert_int_equal(total, slow_time_in(test, marked));
	/* regions beyond those that are named are not marked */
	marked[N_REGIONS - 1] = false;
	assert_int_equal(ph_chunk_time_in_regions(open_chunk(test, 0), test->reader, marked,
											  N_REGIONS - 1, INT64_MIN, INT64_MAX),
					 ph_chunk_time_in_regions(open_chunk(test, 0), test->reader, marked, N_REGIONS,
											  INT64_MIN, INT64_MAX));
}

static void
test_region_profiles(void **state)
{
	(void) state;
	numbers.state = 2;
	for (uint32_t i = 0; i < N_TRACES; i++)
	{
		Case test;
		make_case(&test);
		check_region_profile(&test);
		check_marked_time(&test);
		free_case(&test);
	}
}

/* ---- over time ---- */

static PhTimeBins
random_bins(const Case *test)
{
	int64_t last = test->stream.events[test->stream.n_events - 1].time;
	PhTimeBins bins = {test->window.from, test->window.to, 1 + numbers_below(&numbers, 12)};
	if (bins.from < 0 || bins.from > last)
		bins.from = 0;
	if (bins.to > last + 1)
		bins.to = last + 1;
	if (bins.to <= bins.from)
		bins.to = bins.from + 1;
	return bins;
}

static int64_t
slow_bin(const Case *test, const PhTimeBins *bins, uint32_t bin, uint32_t region)
{
	int64_t total = 0;
	SlowWindow window = {ph_bin_start(bins, bin), ph_bin_start(bins, bin + 1)};
	for (uint32_t i = 0; i < test->n_calls; i++)
		if (test->calls[i].region == region)
			total += slow_exclusive(test->calls, test->n_calls, i, window);
	return total;
}

static void
assert_bins(const Case *test, const PhTimeBins *bins, PhTimeProfile *profile)
{
	const PhTimeProfileRow *rows;
	size_t n, next = 0;
	assert_int_equal(ph_time_profile_rows(profile, &rows, &n), PH_OK);
	for (uint32_t bin = 0; bin < bins->n; bin++)
		for (uint32_t region = 0; region < N_REGIONS; region++)
		{
			int64_t expected = slow_bin(test, bins, bin, region);
			if (expected == 0)
				continue;
			assert_true(next < n);
			assert_int_equal(rows[next].bin, bin);
			assert_int_equal(rows[next].region, region);
			assert_int_equal(rows[next].exclusive, expected);
			next++;
		}
	assert_int_equal(next, n);
}

static void
check_time_profile(Case *test)
{
	PhTimeProfile *profile;
	PhTimeBins bins = random_bins(test);
	uint32_t n = test->stored.n_chunks, first = numbers_below(&numbers, n);
	assert_int_equal(ph_time_profile_new(&test->env, &bins, &profile), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhChunk *chunk = open_chunk(test, (first + i) % n);
		assert_int_equal(ph_time_profile_add_chunk(profile, chunk, test->reader), PH_OK);
	}
	assert_bins(test, &bins, profile);
	ph_time_profile_free(profile);
}

static void
test_time_profiles(void **state)
{
	(void) state;
	numbers.state = 3;
	for (uint32_t i = 0; i < N_TRACES; i++)
	{
		Case test;
		make_case(&test);
		check_time_profile(&test);
		free_case(&test);
	}
}

/* ---- bytes that are not what they should be ---- */

static void
test_damaged_bytes(void **state)
{
	(void) state;
	numbers.state = 4;
	for (uint32_t i = 0; i < 300; i++)
	{
		Case test;
		PhRegionProfile *regions;
		PhBytes bytes;
		make_case(&test);
		assert_int_equal(ph_region_profile_new(&test.env, &regions), PH_OK);
		const PhChunk *chunk = open_chunk(&test, 0);
		assert_int_equal(
			ph_region_profile_add_chunk(regions, chunk, test.reader, INT64_MIN, INT64_MAX), PH_OK);
		assert_int_equal(ph_region_profile_bytes(regions, &bytes), PH_OK);
		uint8_t *copy = malloc(bytes.size);
		memcpy(copy, bytes.data, bytes.size);
		copy[numbers_below(&numbers, (uint32_t) bytes.size)] ^=
			(uint8_t) (1u << numbers_below(&numbers, 8));
		PhBytes damaged = {copy, numbers_below(&numbers, (uint32_t) bytes.size + 1)};
		PhStatus status = ph_region_profile_add_bytes(regions, damaged);
		assert_true(status == PH_OK || status == PH_ERR_FORMAT || status == PH_ERR_CONFLICT);
		if (damaged.size < bytes.size)
			assert_true(status != PH_OK);
		free(copy);
		ph_region_profile_free(regions);
		free_case(&test);
	}
}

/* Rows in another order, or twice, are not what was written. */
static void
test_rows_out_of_order(void **state)
{
	(void) state;
	PhEnv env;
	PhRegionProfile *regions;
	uint8_t two[5 + 2 * 28] = {1, 2};
	ph_env_init_malloc(&env);
	assert_int_equal(ph_region_profile_new(&env, &regions), PH_OK);
	for (uint8_t second = 0; second < 3; second++)
	{
		two[5] = 1;
		two[5 + 28] = second;
		PhStatus expected = second > 1 ? PH_OK : PH_ERR_FORMAT;
		assert_int_equal(ph_region_profile_add_bytes(regions, (PhBytes){two, sizeof(two)}),
						 expected);
	}
	ph_region_profile_free(regions);
}

static void
test_impossible_bins(void **state)
{
	(void) state;
	PhEnv env;
	PhTimeProfile *profile;
	const PhTimeBins wrong[] = {{5, 5, 1}, {6, 5, 1}, {-1, 5, 1}, {0, 5, 0}, {0, 5, 1000001}};
	ph_env_init_malloc(&env);
	for (int i = 0; i < 5; i++)
		assert_int_equal(ph_time_profile_new(&env, &wrong[i], &profile), PH_ERR_VALUE);
}

/* ---- faults ---- */

static PhStatus
work_with(PhEnv *env, const StoredChunks *stored, PhChunkReader *reader, PhRegionProfile *regions,
		  PhTimeProfile *bins)
{
	PhBytes bytes;
	const PhTimeProfileRow *rows;
	size_t n;
	(void) env;
	for (uint32_t i = 0; i < stored->n_chunks; i++)
	{
		const PhChunk *chunk = &stored->chunks[i];
		PH_TRY(ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS));
		PH_TRY(ph_region_profile_add_chunk(regions, chunk, reader, INT64_MIN, INT64_MAX));
		PH_TRY(ph_time_profile_add_chunk(bins, chunk, reader));
	}
	PH_TRY(ph_region_profile_bytes(regions, &bytes));
	PH_TRY(ph_region_profile_add_bytes(regions, bytes));
	return ph_time_profile_rows(bins, &rows, &n);
}

static PhStatus
profile_work(PhEnv *env, void *user)
{
	PhChunkReader *reader = NULL;
	PhRegionProfile *regions = NULL;
	PhTimeProfile *bins = NULL;
	PhTimeBins window = {0, 1000000, 50};
	PhStatus status = ph_chunk_reader_new(env, &reader);
	if (status == PH_OK)
		status = ph_region_profile_new(env, &regions);
	if (status == PH_OK)
		status = ph_time_profile_new(env, &window, &bins);
	if (status == PH_OK)
		status = work_with(env, user, reader, regions, bins);
	ph_chunk_reader_free(reader);
	ph_region_profile_free(regions);
	ph_time_profile_free(bins);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	Case test;
	numbers.state = 5;
	make_case(&test);
	assert_string_equal(fault_env_try_allocations(profile_work, &test.stored, 0), "");
	free_case(&test);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_region_profiles), cmocka_unit_test(test_time_profiles),
		cmocka_unit_test(test_damaged_bytes),	cmocka_unit_test(test_rows_out_of_order),
		cmocka_unit_test(test_impossible_bins), cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
