/*
 * correlations.h - numbers of calls by their correlations, which profilers count up.
 *
 * Correlations that follow each other closely are places of an array: a hash table would wait for
 * memory with every call and every activity. The table has those that are far from the others; when
 * more than the array has came since it began, the array begins anew where they are now. The array
 * has eight places for each call at most and takes no more memory than the table would.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_CORRELATIONS_H
#define PH_READERS_SPANS_CORRELATIONS_H

#include "base/table.h"

typedef struct PhCorrelations
{
	PhEnv *env;
	PH_VECTOR(uint32_t) places; /* 1 + number of the call; 0: none */
	uint64_t first;				/* correlation of place 0 */
	uint32_t n_near;			/* calls that have a place */
	uint32_t n_passed;			/* that came meanwhile and have none */
	PhMap far;
	uint64_t least_far, most_far; /* correlations in the table are from here to there */
} PhCorrelations;

/* The table's memory is the arena's, the array's its environment's. */
void ph_correlations_init(PhCorrelations *correlations, PhArena *arena);
void ph_correlations_free(PhCorrelations *correlations);

/*
 * 1 + the number of the call that was entered first with this correlation; when none was, number is
 * its, and the answer. Number 0 enters nothing, and the answer is 0 then.
 */
PhStatus ph_correlations_enter(PhCorrelations *correlations, uint64_t correlation, uint32_t number,
							   uint32_t *out) PH_MUST_CHECK;

#endif
