/*
 * align.h - alignment of two sequences of things that have keys, most exact key first.
 *
 * Longest common subsequence of the first keys (Myers 1986) gives the frame. Between its pairs,
 * what is left is paired by equal key in order, first key before second, so that neighbours which
 * only changed places meet again. Sequences that differ in more than a thousand places are paired
 * by keys alone. Never more than linear memory and O(n) times the number of differences.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_COMPARE_ALIGN_H
#define PH_LOGICAL_COMPARE_ALIGN_H

#include "base/arena.h"

#define PH_ALIGN_KEYS 5

/* key[k][i]: equal keys of a lower k mean more; key[0] must be finer than key[1], and so on. */
typedef struct PhSequence
{
	uint32_t n;
	const uint64_t *key[PH_ALIGN_KEYS];
} PhSequence;

/*
 * partner[i]: the element of b that a's i-th is aligned with, PH_NONE: none. window: how far an
 * element with equal key 0 or 1 may have moved past others, 0: not at all.
 */
PhStatus ph_align(PhEnv *env, const PhSequence *a, const PhSequence *b, uint32_t window,
				  uint32_t *partner) PH_MUST_CHECK;

#endif
