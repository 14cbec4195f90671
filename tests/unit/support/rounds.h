/*
 * rounds.h - how many random inputs a property test takes.
 *
 * make check has a part of each test's inputs, always the same first ones, so that it stays short;
 * PERFHOUSE_ROUNDS=all (make unit-long, make check-asan, make mutate) has all.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TEST_ROUNDS_H
#define PH_TEST_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_SHARE 8
#define ROUNDS_LEAST 100

static inline bool
takes_all_rounds(void)
{
	const char *wanted = getenv("PERFHOUSE_ROUNDS");
	return wanted != NULL && strcmp(wanted, "all") == 0;
}

/* Of so many inputs in all. */
static inline uint32_t
rounds(uint32_t all)
{
	uint32_t some = all / ROUNDS_SHARE > ROUNDS_LEAST ? all / ROUNDS_SHARE : ROUNDS_LEAST;
	return takes_all_rounds() || some > all ? all : some;
}

/* How often something must have been met at least, if it is so often in all inputs. */
static inline uint32_t
met_in_rounds(uint32_t in_all)
{
	return takes_all_rounds() ? in_all : in_all / (2 * ROUNDS_SHARE);
}

#endif
