/*
 * test_trace_codec.c - what chunks are made of: the decoders of numbers, and names of events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/random_profile.h"
#include "trace/chunk/chunk.h"
#include "trace/chunk/codec.h"

static RandomNumbers numbers;

static void
check_sums(const uint32_t *values, uint32_t n, const uint8_t *bytes, const uint8_t *end)
{
	uint64_t sum = (uint64_t) numbers_below(&numbers, UINT32_MAX) << 31, plain[40], fast[40];
	assert_ptr_equal(ph_svb_decode_sums_portable(bytes, end, n, sum, plain), end);
	assert_ptr_equal(ph_svb_decode_sums(bytes, end, n, sum, fast), end);
	for (uint32_t i = 0; i < n; i++)
	{
		sum += values[i];
		assert_true(plain[i] == sum);
		assert_true(fast[i] == sum);
	}
}

/* Coders with special instructions give what the plain ones give. */
static void
test_portable_coders(void **state)
{
	(void) state;
	numbers.state = 21;
	for (uint32_t i = 0; i < 3000; i++)
	{
		uint32_t n = numbers_below(&numbers, 40), values[40], plain[40], fast[40];
		uint64_t sums[40];
		uint8_t bytes[40 * 5 + 2 * PH_SVB_SLACK] = {0};
		for (uint32_t j = 0; j < n; j++)
			values[j] = numbers_below(&numbers, UINT32_MAX) >> 8 * numbers_below(&numbers, 4);
		uint8_t *end = ph_svb_encode(values, n, bytes);
		uint8_t same[40 * 5 + 2 * PH_SVB_SLACK];
		assert_int_equal(ph_svb_encode_portable(values, n, same) - same, end - bytes);
		assert_memory_equal(same, bytes, (size_t) (end - bytes));
		memset(end, 0, PH_SVB_SLACK);
		assert_ptr_equal(ph_svb_decode_portable(bytes, end, n, plain), end);
		assert_ptr_equal(ph_svb_decode(bytes, end, n, fast), end);
		assert_memory_equal(plain, values, n * sizeof(uint32_t));
		assert_memory_equal(fast, values, n * sizeof(uint32_t));
		check_sums(values, n, bytes, end);
		const uint8_t *less = bytes + numbers_below(&numbers, (uint32_t) (end - bytes) + 1);
		bool fits = ph_svb_decode_portable(bytes, less, n, plain) != NULL;
		assert_true(fits == (ph_svb_decode(bytes, less, n, fast) != NULL));
		assert_true(fits == (ph_svb_decode_sums(bytes, less, n, 0, sums) != NULL));
		assert_true(fits == (ph_svb_decode_sums_portable(bytes, less, n, 0, sums) != NULL));
		assert_true(fits == (less == end));
	}
}

static void
test_names(void **state)
{
	(void) state;
	assert_string_equal(ph_event_name(PH_EVENT_ISEND, 0), "MPI_ISEND");
	assert_string_equal(ph_event_name(PH_EVENT_RMA, PH_RECORD_RMA_PUT), "RMA_PUT");
	assert_string_equal(ph_event_name(PH_EVENT_OTHER, 2000), "UNKNOWN");
	assert_string_equal(ph_event_name(PH_EVENT_KIND_COUNT, PH_RECORD_COUNT), "UNKNOWN");
	assert_string_equal(ph_collective_name(PH_COLLECTIVE_ALLREDUCE), "allreduce");
	assert_string_equal(ph_collective_name(PH_COLLECTIVE_COUNT), "unknown");
	assert_true(ph_collective_is_application(PH_COLLECTIVE_REDUCE_SCATTER_BLOCK));
	assert_false(ph_collective_is_application(PH_COLLECTIVE_CREATE_HANDLE));
	assert_int_equal(ph_event_operands(PH_EVENT_KIND_COUNT), 0);
	for (uint32_t i = 0; i < PH_RECORD_COUNT; i++)
		assert_true(strlen(ph_event_name(PH_EVENT_OTHER, i)) > 4);
	for (uint32_t i = 0; i < PH_COLLECTIVE_COUNT; i++)
		assert_true(strlen(ph_collective_name(i)) > 3);
}

/* The code of an event has its name, and no name has two. */
static void
test_codes(void **state)
{
	(void) state;
	uint32_t n_names = 0;
	for (uint32_t kind = 0; kind <= PH_EVENT_KIND_COUNT; kind++)
		for (uint32_t operation = 0; operation < 2000; operation++)
			assert_string_equal(ph_event_code_name(ph_event_code(kind, operation)),
								ph_event_name(kind, operation));
	for (uint32_t code = 0; code < PH_EVENT_CODES; code++)
	{
		const char *name = ph_event_code_name(code);
		for (uint32_t other = 0; name != NULL && other < code; other++)
			assert_true(ph_event_code_name(other) == NULL ||
						strcmp(ph_event_code_name(other), name) != 0);
		n_names += name != NULL;
	}
	assert_true(n_names > PH_RECORD_COUNT);
	assert_null(ph_event_code_name(PH_EVENT_CODES));
	/* stored by clients: never given anew */
	assert_int_equal(ph_event_code(PH_EVENT_ENTER, 0), 0);
	assert_int_equal(ph_event_code(PH_EVENT_RMA, PH_RECORD_UNKNOWN), 32);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_portable_coders),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_codes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
