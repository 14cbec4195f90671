/*
 * test_summary_block.c - summaries of random nodes come back bit by bit; damaged bytes are refused.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "stored/numbers.h"
#include "stored/summary_block.h"

static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Decimals, real numbers, and now and then what is none. */
static double
draw(uint64_t *state)
{
	uint64_t kind = next(state) % 40;
	double x = (double) (next(state) >> 11) / 9007199254740992.0;
	if (kind == 0)
		return NAN;
	if (kind == 1)
		return -0.0;
	return kind < 20 ? round(x * 1e6) / 1e6 : x * 1e9;
}

static PhMoments
draw_moments(uint64_t *state)
{
	return (PhMoments){.sum = draw(state),
					   .sumsq = draw(state),
					   .min = draw(state),
					   .max = draw(state),
					   .argmin = (int32_t) (next(state) % 5000),
					   .argmax = next(state) % 50 == 0 ? INT32_MAX : 3};
}

/* absent, same: of 100 nodes. */
static void
draw_nodes(uint64_t *state, uint32_t n, uint32_t absent, uint32_t same, PhNodeSummary *out)
{
	memset(out, 0, sizeof(*out) * n);
	for (uint32_t i = 0; i < n; i++)
	{
		if (next(state) % 100 < absent)
			continue;
		out[i].n = (uint32_t) (next(state) % 3 == 0 ? next(state) % INT32_MAX + 1 : 1024);
		out[i].inclusive = draw_moments(state);
		out[i].exclusive = next(state) % 100 < same ? out[i].inclusive : draw_moments(state);
	}
}

static bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static void
assert_same_moments(const PhMoments *a, const PhMoments *b)
{
	assert_true(same_bits(a->sum, b->sum));
	assert_true(same_bits(a->sumsq, b->sumsq));
	assert_true(same_bits(a->min, b->min));
	assert_true(same_bits(a->max, b->max));
	assert_int_equal(a->argmin, b->argmin);
	assert_int_equal(a->argmax, b->argmax);
}

static void
check_block(PhEnv *env, const PhNodeSummary *nodes, uint32_t n)
{
	static uint8_t bytes[PH_SUMMARY_BLOCK_BOUND];
	PhNodeSummary back[PH_BLOCK_NODES];
	uint32_t n_back, n_present = 0;
	PhSummarySums sums = n % 2 == 0 ? PH_SUMS_EXACT : PH_SUMS_ROUNDED;
	size_t size = ph_summary_pack(nodes, n, sums, bytes);
	for (uint32_t i = 0; i < n; i++)
		n_present += nodes[i].n > 0;
	assert_int_equal(size == 0, n_present == 0);
	if (size == 0)
		return;
	assert_true(size <= sizeof(bytes));
	assert_int_equal(ph_summary_unpack(env, (PhBytes){bytes, size}, PH_SUMMARY_ALL, back, &n_back),
					 PH_OK);
	assert_int_equal(n_back, n);
	assert_int_equal(ph_summary_kind_of_sums((PhBytes){bytes, size}), sums);
	for (uint32_t i = 0; i < n; i++)
	{
		assert_int_equal(back[i].n, nodes[i].n);
		if (nodes[i].n == 0)
			continue;
		assert_same_moments(&back[i].inclusive, &nodes[i].inclusive);
		assert_same_moments(&back[i].exclusive, &nodes[i].exclusive);
	}
	assert_int_equal(ph_summary_unpack(env, (PhBytes){bytes, size}, PH_SUMMARY_SUMS, back, &n_back),
					 PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		assert_int_equal(back[i].n, nodes[i].n);
		if (nodes[i].n > 0)
			assert_true(same_bits(back[i].inclusive.sum, nodes[i].inclusive.sum) &&
						same_bits(back[i].exclusive.sum, nodes[i].exclusive.sum));
	}
}

static void
test_random_blocks(void **unused)
{
	static PhNodeSummary nodes[PH_BLOCK_NODES];
	uint64_t state = 7;
	PhEnv env;
	(void) unused;
	ph_env_init_malloc(&env);
	for (uint32_t round = 0; round < 100; round++)
	{
		uint32_t n = round < 3 ? 1 : round < 6 ? PH_BLOCK_NODES : 1 + next(&state) % PH_BLOCK_NODES;
		draw_nodes(&state, n, round % 4 * 33, round % 3 * 50, nodes);
		check_block(&env, nodes, n);
	}
	assert_int_equal(env.bytes, 0);
}

/* One unit, printed decimals: what a small run of one rank has. */
static void
test_sizes(void **unused)
{
	static PhNodeSummary nodes[60];
	static uint8_t bytes[PH_SUMMARY_BLOCK_BOUND];
	uint64_t state = 3;
	(void) unused;
	for (uint32_t i = 0; i < 60; i++)
	{
		double x = round((double) (next(&state) % 1000000)) / 1e6;
		nodes[i] = (PhNodeSummary){.n = 1, .inclusive = {x, x * x, x, x, 0, 0}};
		nodes[i].exclusive = nodes[i].inclusive;
	}
	assert_in_range(ph_summary_pack(nodes, 60, PH_SUMS_EXACT, bytes), 1, 60 * (3 * 3 + 8) + 80);
	memset(nodes, 0, sizeof(nodes));
	assert_int_equal(ph_summary_pack(nodes, 60, PH_SUMS_EXACT, bytes), 0);
}

static PhStatus
open(PhEnv *env, const uint8_t *bytes, size_t size)
{
	PhNodeSummary back[PH_BLOCK_NODES];
	uint32_t n;
	uint8_t *copy = malloc(size > 0 ? size : 1); /* so that reading beyond is seen */
	assert_non_null(copy);
	memcpy(copy, bytes, size);
	PhStatus status = ph_summary_unpack(env, (PhBytes){copy, size}, PH_SUMMARY_ALL, back, &n);
	free(copy);
	return status;
}

static void
sign(uint8_t *bytes, size_t size)
{
	PhByteWriter writer = {bytes};
	ph_put(&writer, ph_crc32c(0, bytes + 4, size - 4), 4);
}

static void
test_damage(void **unused)
{
	static PhNodeSummary nodes[PH_BLOCK_NODES];
	static uint8_t bytes[PH_SUMMARY_BLOCK_BOUND + 1];
	uint64_t state = 11;
	PhEnv env;
	(void) unused;
	ph_env_init_malloc(&env);
	draw_nodes(&state, 37, 10, 50, nodes);
	size_t size = ph_summary_pack(nodes, 37, PH_SUMS_ROUNDED, bytes);
	for (size_t i = 0; i < size; i++)
	{
		bytes[i] ^= 0x10;
		assert_int_equal(open(&env, bytes, size), PH_ERR_FORMAT);
		bytes[i] ^= 0x10;
	}
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(open(&env, bytes, cut), PH_ERR_FORMAT);
	for (size_t cut = 8; cut < size; cut++) /* shorter, and its checksum right */
	{
		static uint8_t shorter[PH_SUMMARY_BLOCK_BOUND];
		memcpy(shorter, bytes, cut);
		sign(shorter, cut);
		assert_int_equal(open(&env, shorter, cut), PH_ERR_FORMAT);
	}
	bytes[size] = 0;
	sign(bytes, size + 1);
	assert_int_equal(open(&env, bytes, size + 1), PH_ERR_FORMAT);
	sign(bytes, size);
	assert_int_equal(open(&env, bytes, size), PH_OK);
}

/* Nothing behind a right checksum is trusted. */
static void
test_signed_damage(void **unused)
{
	static PhNodeSummary nodes[PH_BLOCK_NODES];
	static uint8_t bytes[PH_SUMMARY_BLOCK_BOUND], spoilt[PH_SUMMARY_BLOCK_BOUND];
	uint64_t state = 5;
	PhEnv env;
	(void) unused;
	ph_env_init_malloc(&env);
	draw_nodes(&state, 61, 10, 50, nodes);
	size_t size = ph_summary_pack(nodes, 61, PH_SUMS_EXACT, bytes);
	for (uint32_t round = 0; round < 4000; round++)
	{
		memcpy(spoilt, bytes, size);
		spoilt[4 + next(&state) % (round % 2 == 0 ? size - 4 : 40)] = (uint8_t) next(&state);
		sign(spoilt, size);
		PhStatus status = open(&env, spoilt, size);
		assert_true(status == PH_OK || status == PH_ERR_FORMAT);
	}
	static const struct
	{
		size_t at;
		uint8_t value;
	} headers[] = {{4, 0}, {4, 3}, {5, 1}, {6, 0}, {7, 1}, {7, 2}};
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
	{
		memcpy(spoilt, bytes, size);
		spoilt[headers[i].at] = headers[i].value;
		sign(spoilt, size);
		assert_int_equal(open(&env, spoilt, size), PH_ERR_FORMAT);
	}
}

/* One node, in `count` units, whose least and greatest value are of unit `where`. */
static PhStatus
open_one(PhEnv *env, double count, double where)
{
	uint8_t bytes[256];
	uint64_t scratch[1];
	const double fields[] = {3, 9, 3, 3, where, where};
	PhByteWriter writer = {bytes + 4};
	PhNumberForm form = {0};
	ph_put(&writer, 2, 1);
	ph_put(&writer, 0, 1);
	ph_put(&writer, 1, 2);
	writer.at = ph_numbers_pack(&count, 1, scratch, &form, writer.at);
	ph_put(&writer, 0, 1);
	for (uint32_t i = 0; i < 6; i++)
		writer.at = ph_numbers_pack(&fields[i], 1, scratch, &form, writer.at);
	sign(bytes, (size_t) (writer.at - bytes));
	return open(env, bytes, (size_t) (writer.at - bytes));
}

/* Numbers of units are whole and fit into int32. */
static void
test_whole_numbers(void **unused)
{
	static const double good[] = {0, 1, 7, INT32_MAX};
	static const double bad[] = {0.5, 1.5, INT32_MAX + 1.0, 1e300, INFINITY, NAN};
	PhEnv env;
	(void) unused;
	ph_env_init_malloc(&env);
	for (uint32_t i = 0; i < 4; i++)
	{
		assert_int_equal(open_one(&env, good[i], 5), good[i] > 0 ? PH_OK : PH_ERR_FORMAT);
		assert_int_equal(open_one(&env, 5, -good[i]), PH_OK);
	}
	for (uint32_t i = 0; i < 6; i++)
	{
		assert_int_equal(open_one(&env, bad[i], 5), PH_ERR_FORMAT);
		assert_int_equal(open_one(&env, -bad[i], 5), PH_ERR_FORMAT);
		assert_int_equal(open_one(&env, 5, bad[i]), PH_ERR_FORMAT);
	}
	assert_int_equal(open_one(&env, -1, 5), PH_ERR_FORMAT);
	assert_int_equal(open_one(&env, 5, INT32_MIN), PH_OK);
	assert_int_equal(open_one(&env, 5, INT32_MIN - 1.0), PH_ERR_FORMAT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_blocks), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_damage),		  cmocka_unit_test(test_signed_damage),
		cmocka_unit_test(test_whole_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
