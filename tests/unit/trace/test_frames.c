/*
 * test_frames.c - frames of bits there and back, their sizes, and damaged ones.
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

#include "support/random_profile.h"
#include "support/rounds.h"
#include "trace/chunk/codec.h"
#include "trace/chunk/frames.h"

#define MOST 1000
#define ROUNDS rounds(3000)

static RandomNumbers numbers;

static uint64_t
random_64(void)
{
	uint64_t high = numbers_below(&numbers, UINT32_MAX);
	return high << 32 | numbers_below(&numbers, UINT32_MAX);
}

/* Around a base, of any width, with outliers. */
static size_t
random_numbers(uint64_t *values)
{
	size_t n = numbers_below(&numbers, MOST + 1);
	uint32_t width = numbers_below(&numbers, 65);
	uint32_t outliers = numbers_below(&numbers, 3) == 0 ? 10 : 0;
	uint64_t base = numbers_below(&numbers, 2) == 0 ? 0 : random_64();
	for (size_t i = 0; i < n; i++)
	{
		uint64_t number = width == 0 ? 0 : random_64() >> (64 - width);
		if (outliers > 0 && numbers_below(&numbers, outliers) == 0)
			number = random_64() >> numbers_below(&numbers, 64);
		values[i] = base + number;
	}
	return n;
}

static void
there_and_back(void **state)
{
	static uint64_t values[MOST], got[MOST];
	uint8_t *bytes = malloc(ph_frames_bound(MOST));
	(void) state;
	numbers.state = 3;
	for (uint32_t round = 0; round < ROUNDS; round++)
	{
		size_t n = random_numbers(values);
		uint8_t *end = ph_frames_encode(values, n, bytes);
		assert_true((size_t) (end - bytes) <= ph_frames_bound(n));
		uint8_t *copy = calloc((size_t) (end - bytes) + PH_SVB_SLACK, 1);
		memcpy(copy, bytes, (size_t) (end - bytes));
		const uint8_t *stop = copy + (end - bytes);
		assert_ptr_equal(ph_frames_decode(copy, stop, n, got), stop);
		assert_memory_equal(got, values, n * sizeof(*got));
		if (end > bytes)
			assert_null(ph_frames_decode(copy, stop - 1, n, got));
		free(copy);
	}
	free(bytes);
}

/* Times of 11 bits, one in a hundred of 30: little more than 11 bits each. */
static void
outliers_cost_little(void **state)
{
	static uint64_t values[128 * 10];
	uint8_t bytes[128 * 10 * 9 + 400];
	(void) state;
	numbers.state = 5;
	for (size_t i = 0; i < 1280; i++)
		values[i] = 5000 + numbers_below(&numbers, 2048) + (i % 100 == 7 ? 1 << 30 : 0);
	assert_true(ph_frames_encode(values, 1280, bytes) - bytes < 1280 * 12 / 8);
	for (size_t i = 0; i < 1280; i++)
		values[i] = 77;
	assert_true(ph_frames_encode(values, 1280, bytes) - bytes <= 10 * 4);
}

static void
damaged(void **state)
{
	static uint64_t values[MOST];
	uint8_t *bytes = calloc(ph_frames_bound(MOST) + PH_SVB_SLACK, 1);
	uint32_t n_refused = 0;
	(void) state;
	numbers.state = 9;
	for (uint32_t round = 0; round < ROUNDS; round++)
	{
		size_t n = random_numbers(values);
		size_t size = (size_t) (ph_frames_encode(values, n, bytes) - bytes);
		uint8_t *copy = calloc(size + PH_SVB_SLACK, 1);
		memcpy(copy, bytes, size);
		for (int i = 0; i < 3 && size > 0; i++)
			copy[numbers_below(&numbers, (uint32_t) size)] ^= (uint8_t) (1 << i);
		const uint8_t *stop = ph_frames_decode(copy, copy + size, n, values);
		n_refused += stop == NULL;
		assert_true(stop == NULL || (stop >= copy && stop <= copy + size));
		free(copy);
	}
	assert_true(n_refused > met_in_rounds(20));
	free(bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(outliers_cost_little),
		cmocka_unit_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
