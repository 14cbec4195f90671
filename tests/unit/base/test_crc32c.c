/*
 * test_crc32c.c - checksums: published answers, and both ways of computing them against bit by bit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"

typedef uint32_t (*Checksum)(uint32_t crc, const void *data, size_t size);

static const Checksum ways[] = {ph_crc32c, ph_crc32c_portable};

#define N_WAYS (sizeof(ways) / sizeof(*ways))
#define MOST 600

/* RFC 3720, B.4, and the check value of the catalogues. */
static void
published_answers(void **state)
{
	uint8_t zeros[32] = {0}, ones[32], up[32], down[32];
	(void) state;
	memset(ones, 0xff, sizeof(ones));
	for (int i = 0; i < 32; i++)
	{
		up[i] = (uint8_t) i;
		down[i] = (uint8_t) (31 - i);
	}
	for (size_t way = 0; way < N_WAYS; way++)
	{
		assert_int_equal(ways[way](0, "123456789", 9), 0xe3069283);
		assert_int_equal(ways[way](0, zeros, 32), 0x8a9136aa);
		assert_int_equal(ways[way](0, ones, 32), 0x62a8ab43);
		assert_int_equal(ways[way](0, up, 32), 0x46dd794e);
		assert_int_equal(ways[way](0, down, 32), 0x113fdb5c);
		assert_int_equal(ways[way](0, NULL, 0), 0);
	}
}

static uint32_t
bit_by_bit(uint32_t crc, const uint8_t *bytes, size_t size)
{
	crc = ~crc;
	for (size_t i = 0; i < size; i++)
	{
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

static void
fill(uint8_t *bytes, size_t size)
{
	uint32_t state = 12345;
	for (size_t i = 0; i < size; i++)
	{
		state = state * 1103515245 + 12345;
		bytes[i] = (uint8_t) (state >> 16);
	}
}

static void
all_sizes_and_places(void **state)
{
	uint8_t bytes[MOST + 8];
	(void) state;
	fill(bytes, sizeof(bytes));
	for (size_t way = 0; way < N_WAYS; way++)
		for (size_t start = 0; start < 8; start++)
			for (size_t size = 0; size <= MOST; size++)
				assert_int_equal(ways[way](7, bytes + start, size),
								 bit_by_bit(7, bytes + start, size));
}

static void
parts_in_sequence(void **state)
{
	uint8_t bytes[MOST];
	(void) state;
	fill(bytes, sizeof(bytes));
	for (size_t way = 0; way < N_WAYS; way++)
		for (size_t cut = 0; cut <= MOST; cut += 7)
			assert_int_equal(ways[way](ways[way](0, bytes, cut), bytes + cut, MOST - cut),
							 bit_by_bit(0, bytes, MOST));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_answers),
		cmocka_unit_test(all_sizes_and_places),
		cmocka_unit_test(parts_in_sequence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
