/*
 * known.h - what is known of how call paths scatter from run to run, given to the numbers to
 * explain.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_KNOWN_H
#define PH_EXPLAIN_KNOWN_H

#include "explain/explain.h"

/* A call path as names joined by "/"; "": the whole. */
typedef struct PhKnownPath
{
	const char *path;
	PhKnownSpread scatters;
} PhKnownPath;

/*
 * Sets known and known_of of a cube. Call paths that it does not have are passed over; of those of
 * one name the last counts. What is known with fewer degrees than PH_MIN_KNOWN_DEGREES is left out.
 * PH_ERR_VALUE for spreads and degrees that are no numbers of 0 or more. O((paths + nodes) × log
 * paths × length).
 */
PhStatus ph_explain_know(PhArena *arena, uint32_t n, const PhKnownPath *paths,
						 PhExplainCube *cube) PH_MUST_CHECK;

#endif
