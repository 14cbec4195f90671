/*
 * series.c - see series.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

PhEnv series_env;
PhArena series_arena;

int
series_set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&series_env);
	ph_arena_init(&series_arena, &series_env);
	return 0;
}

int
series_tear_down(void **state)
{
	(void) state;
	ph_arena_drop(&series_arena);
	assert_int_equal(series_env.bytes, 0);
	return 0;
}

PhChangePoints
find_points(const double *series, uint32_t n, PhChangeOptions options)
{
	PhChangePoints points;
	if (ph_change_points(&series_arena, series, n, &options, &points) != PH_OK)
		fail_msg("%s", series_env.error.message);
	return points;
}

/* splitmix64: error rates need better numbers than a linear congruence */
double
random_uniform(void)
{
	static uint64_t state = 77;
	uint64_t z = state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return ((double) ((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

double
random_normal(void)
{
	return sqrt(-2 * log(random_uniform())) * cos(2 * M_PI * random_uniform());
}

void
assert_ratio(double value, double expected, double tolerance)
{
	if (!(fabs(value / expected - 1) <= tolerance))
		fail_msg("%.17g, expected %.17g", value, expected);
}
