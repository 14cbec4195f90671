/*
 * launches.h - the calls of a trace that launched activities of devices.
 *
 * Known before the calls themselves are met: a call tree, which then notes at which call path each
 * of them is, hangs the activities there, whatever thread reads what first.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TREE_LAUNCHES_H
#define PH_TRACE_TREE_LAUNCHES_H

#include "base/vector.h"

/* A call: its location, and the ordinal of its ENTER there. */
typedef struct PhLaunchCall
{
	uint32_t location;
	uint64_t seq;
} PhLaunchCall;

/* Zeroed: there are none. Memory is an environment's; free with ph_launches_free. */
typedef struct PhLaunches
{
	PH_VECTOR(PhLaunchCall) calls; /* by (location, seq), each once, after ph_launches_sort */
} PhLaunches;

PhStatus ph_launches_add(PhEnv *env, PhLaunches *launches, uint32_t location,
						 uint64_t seq) PH_MUST_CHECK;

/* Everything was added: from here on it may be asked, by any thread. O(n log n). */
PhStatus ph_launches_sort(PhEnv *env, PhLaunches *launches) PH_MUST_CHECK;

/* The first call at or after this one, n: there is none. O(log n). */
uint32_t ph_launches_from(const PhLaunches *launches, uint32_t location, uint64_t seq);

/* The number of a call, PH_NONE: it launched nothing. O(log n). */
uint32_t ph_launches_find(const PhLaunches *launches, uint32_t location, uint64_t seq);

void ph_launches_free(PhEnv *env, PhLaunches *launches);

#endif
