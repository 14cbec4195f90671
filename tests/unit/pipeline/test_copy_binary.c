/*
 * test_copy_binary.c - the COPY BINARY encoder: exact bytes, bounded buffer, refusals.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "pipeline/store/copy_binary.h"
#include "support/fault_env.h"

static FaultEnv fault;

/* Collects what was flushed; refuses from the n-th call on. */
typedef struct Sink
{
	char *bytes;
	size_t size;
	size_t largest; /* single flush */
	int calls;
	int refuse_at; /* 0: never */
} Sink;

static bool
take(void *user, const char *bytes, size_t size)
{
	Sink *sink = user;
	sink->calls++;
	if (sink->refuse_at != 0 && sink->calls >= sink->refuse_at)
		return false;
	sink->bytes = realloc(sink->bytes, sink->size + size + 1);
	memcpy(sink->bytes + sink->size, bytes, size);
	sink->size += size;
	sink->largest = size > sink->largest ? size : sink->largest;
	return true;
}

static uint32_t
read32(const char *at)
{
	const uint8_t *b = (const uint8_t *) at;
	return (uint32_t) b[0] << 24 | (uint32_t) b[1] << 16 | (uint32_t) b[2] << 8 | b[3];
}

static double
read_double(const char *at)
{
	uint64_t bits = (uint64_t) read32(at) << 32 | read32(at + 4);
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void
writes_exact_bytes(void **state)
{
	static const char expected[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
								   "\0\6"
								   "\0\0\0\2\377\376"
								   "\0\0\0\4\0\0\1\0"
								   "\0\0\0\10\200\0\0\0\0\0\0\1"
								   "\0\0\0\10\77\360\0\0\0\0\0\0"
								   "\0\0\0\2\303\251"
								   "\377\377\377\377"
								   "\377\377";
	Sink sink = {0};
	PhCopy copy;
	(void) state;
	ph_copy_init(&copy, &fault.env, take, &sink);
	ph_copy_row(&copy, 6);
	ph_copy_int2(&copy, -2);
	ph_copy_int4(&copy, 256);
	ph_copy_int8(&copy, INT64_MIN + 1);
	ph_copy_float8(&copy, 1.0);
	ph_copy_text(&copy, "\303\251");
	ph_copy_text(&copy, "");
	assert_true(ph_copy_finish(&copy));
	assert_int_equal(sink.size, sizeof(expected) - 1);
	assert_memory_equal(sink.bytes, expected, sink.size);
	free(sink.bytes);
}

static void
writes_arrays_with_nulls(void **state)
{
	const double values[5] = {1.5, 2.5, 3.5, 4.5, 5.5};
	const uint8_t present[2] = {0xd8, 0x02}; /* bits 3, 4, 6, 7, 9 */
	Sink sink = {0};
	PhCopy copy;
	const char *at;
	(void) state;
	ph_copy_init(&copy, &fault.env, take, &sink);
	ph_copy_row(&copy, 1);
	ph_copy_float8_array(&copy, values, 5, present, 5); /* bits 5..9: off on on off on */
	assert_true(ph_copy_finish(&copy));
	at = sink.bytes + 19 + 2;
	assert_int_equal(read32(at), 20 + 5 * 4 + 3 * 8);
	assert_int_equal(read32(at + 4), 1);
	assert_int_equal(read32(at + 8), 1); /* has nulls */
	assert_int_equal(read32(at + 12), 701);
	assert_int_equal(read32(at + 16), 5);
	assert_int_equal(read32(at + 20), 1);
	assert_int_equal(read32(at + 24), UINT32_MAX);
	assert_int_equal(read32(at + 28), 8);
	assert_true(read_double(at + 32) == 2.5);
	assert_true(read_double(at + 44) == 3.5);
	assert_int_equal(read32(at + 52), UINT32_MAX);
	assert_true(read_double(at + 60) == 5.5);
	free(sink.bytes);
}

static void
writes_arrays_without_nulls(void **state)
{
	static const uint8_t expected[] = {
		0, 0, 0, 36, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 1, /* int4[] */
		0, 0, 0, 4,	 0, 0, 0, 7, 0, 0, 0, 4, 0, 0, 1, 0,						  /* 7, 256 */
		0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 23						  /* an empty one */
	};
	const uint32_t values[] = {7, 256};
	Sink sink = {0};
	PhCopy copy;
	(void) state;
	ph_copy_init(&copy, &fault.env, take, &sink);
	ph_copy_whole_int4_array(&copy, values, 2);
	ph_copy_whole_int4_array(&copy, NULL, 0);
	assert_true(ph_copy_finish(&copy));
	assert_int_equal(sink.size, 19 + sizeof(expected) + 2);
	assert_memory_equal(sink.bytes + 19, expected, sizeof(expected));
	free(sink.bytes);
}

static void
stays_bounded(void **state)
{
	static double values[4096];
	Sink sink = {0};
	PhCopy copy;
	(void) state;
	ph_copy_init(&copy, &fault.env, take, &sink);
	for (int row = 0; row < 500; row++)
	{
		ph_copy_row(&copy, 2);
		ph_copy_int4(&copy, row);
		ph_copy_float8_array(&copy, values, 4096, NULL, 0);
		assert_true(copy.capacity <= 2 * PH_COPY_FLUSH_BYTES);
	}
	assert_true(ph_copy_finish(&copy));
	assert_true(sink.calls > 50);
	assert_int_equal(sink.size, 19 + 500 * (2 + 8 + 4 + 20 + 4096 * 12) + 2);
	free(sink.bytes);
}

static void
cuts_long_bytes_into_portions(void **state)
{
	size_t size = 3 * PH_COPY_FLUSH_BYTES + 17;
	uint8_t *bytes = malloc(size);
	Sink sink = {0};
	PhCopy copy;
	(void) state;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t) (i * 7);
	ph_copy_init(&copy, &fault.env, take, &sink);
	ph_copy_row(&copy, 1);
	ph_copy_bytea(&copy, bytes, size);
	assert_true(ph_copy_finish(&copy));
	assert_int_equal(read32(sink.bytes + 21), size);
	assert_memory_equal(sink.bytes + 25, bytes, size);
	assert_true(sink.largest <= 2 * PH_COPY_FLUSH_BYTES);
	free(bytes);
	free(sink.bytes);
}

static void
remembers_a_refusal(void **state)
{
	static double values[4096];
	Sink sink = {.refuse_at = 2};
	PhCopy copy;
	(void) state;
	ph_copy_init(&copy, &fault.env, take, &sink);
	for (int row = 0; row < 100; row++)
	{
		ph_copy_row(&copy, 1);
		ph_copy_float8_array(&copy, values, 4096, NULL, 0);
	}
	assert_true(copy.failed);
	assert_false(ph_copy_finish(&copy));
	assert_int_equal(sink.calls, 2);
	free(sink.bytes);
}

/* Nothing is sent of a row that there was no room for, and nothing is left behind. */
static void
gives_up_without_memory(void **state)
{
	Sink sink = {0};
	PhCopy copy;
	(void) state;
	fault.fail_at = fault.n_allocations + 1;
	ph_copy_init(&copy, &fault.env, take, &sink);
	fault.fail_at = 0;
	ph_copy_row(&copy, 1);
	ph_copy_int4(&copy, 1);
	assert_false(ph_copy_finish(&copy));
	assert_int_equal(copy.status, PH_ERR_MEMORY);
	assert_int_equal(sink.calls, 0);
	assert_int_equal(fault.n_blocks, 0);
}

static int
begin(void **state)
{
	(void) state;
	fault_env_init(&fault);
	return 0;
}

static int
end(void **state)
{
	size_t n_left = fault.n_blocks;
	(void) state;
	fault_env_drop(&fault);
	return n_left > 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_exact_bytes),	   cmocka_unit_test(writes_arrays_with_nulls),
		cmocka_unit_test(stays_bounded),		   cmocka_unit_test(cuts_long_bytes_into_portions),
		cmocka_unit_test(remembers_a_refusal),	   cmocka_unit_test(writes_arrays_without_nulls),
		cmocka_unit_test(gives_up_without_memory),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
