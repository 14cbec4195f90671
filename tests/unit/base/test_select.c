/*
 * test_select.c - quartiles found together are those found one by one and those of a sorted vector.
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

#include "base/select.h"

#define MOST 3000

static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;
	return (x > y) - (x < y);
}

/* Random, few distinct, ascending, descending, all equal, two halves that mislead pivots. */
static double
value_of(uint32_t kind, uint64_t *state, size_t i, size_t n)
{
	switch (kind)
	{
		case 0:
			return (double) (next(state) >> 11) - 1e15;
		case 1:
			return (double) (next(state) % 3);
		case 2:
			return (double) i;
		case 3:
			return -(double) i;
		case 4:
			return 2.5;
		default:
			return i % 2 == 0 ? (double) i : (double) (2 * n - i);
	}
}

static double
by_definition(const double *sorted, size_t n, double q)
{
	double place = q * (double) (n - 1);
	size_t below = (size_t) place;
	double fraction = place - (double) below;
	if (fraction == 0)
		return sorted[below];
	return sorted[below] + (sorted[below + 1] - sorted[below]) * fraction;
}

static void
quartiles_are_those_of_sorted_values(void **context)
{
	static double values[MOST], sorted[MOST], copy[MOST];
	uint64_t state = 3;
	(void) context;
	for (uint32_t round = 0; round < 4000; round++)
	{
		size_t n = 1 + next(&state) % (round % 4 == 0 ? MOST : 80);
		uint32_t kind = (uint32_t) (next(&state) % 6);
		double found[3];
		for (size_t i = 0; i < n; i++)
			values[i] = sorted[i] = value_of(kind, &state, i, n);
		qsort(sorted, n, sizeof(*sorted), compare);
		memcpy(copy, values, sizeof(copy));
		ph_quartiles(copy, n, found);
		for (uint32_t i = 0; i < 3; i++)
		{
			double q = 0.25 * (i + 1);
			assert_true(found[i] == by_definition(sorted, n, q));
			memcpy(copy, values, sizeof(copy));
			assert_true(found[i] == ph_quantile(copy, n, q));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quartiles_are_those_of_sorted_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
