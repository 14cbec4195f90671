/*
 * align.c - longest common subsequence with few differences, then pairing within the gaps.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/compare/align.h"

#include <string.h>

#include "base/table.h"
#include "profile/profile.h"

/* Time and memory grow with its square; beyond it sequences have too little in common to align. */
#define PH_MOST_EDITS 1000

typedef struct Aligner
{
	PhEnv *env;
	PhArena *arena;
	const PhSequence *a, *b;
	uint32_t *partner;	 /* by a's elements */
	uint32_t *partner_b; /* by b's */
} Aligner;

static void
pair(Aligner *aligner, uint32_t i, uint32_t j)
{
	aligner->partner[i] = j;
	aligner->partner_b[j] = i;
}

/* ----------------------------------------------------------------- longest common subsequence */

/* The part that is not common at both ends: a[a0..a1) and b[b0..b1). */
typedef struct Stretch
{
	uint32_t a0, a1, b0, b1;
} Stretch;

static bool
is_equal(const Aligner *aligner, uint32_t i, uint32_t j)
{
	return aligner->a->key[0][i] == aligner->b->key[0][j];
}

/* Pair what is equal at both ends. */
static PhStatus
trim(Aligner *aligner, Stretch *stretch)
{
	while (stretch->a0 < stretch->a1 && stretch->b0 < stretch->b1 &&
		   is_equal(aligner, stretch->a0, stretch->b0))
	{
		PH_TRY(ph_env_poll(aligner->env));
		pair(aligner, stretch->a0++, stretch->b0++);
	}
	while (stretch->a0 < stretch->a1 && stretch->b0 < stretch->b1 &&
		   is_equal(aligner, stretch->a1 - 1, stretch->b1 - 1))
	{
		PH_TRY(ph_env_poll(aligner->env));
		pair(aligner, --stretch->a1, --stretch->b1);
	}
	return PH_OK;
}

/*
 * Myers' greedy walk: furthest[d][k + d] is how far into a a path of d edits gets on diagonal k.
 * One row of d + d + 1 numbers an edit count, kept to walk back.
 */
typedef struct Walk
{
	Stretch stretch;
	int32_t *row[PH_MOST_EDITS + 1];
	int32_t edits; /* of the whole, -1: too many */
} Walk;

static int32_t
start_of(const Walk *walk, int32_t d, int32_t k)
{
	if (d == 0)
		return 0;
	const int32_t *before = walk->row[d - 1] + (d - 1);
	bool down = k == -d || (k != d && before[k - 1] < before[k + 1]);
	return down ? before[k + 1] : before[k - 1] + 1;
}

static int32_t
slide(const Aligner *aligner, const Stretch *s, int32_t x, int32_t k)
{
	int32_t n = (int32_t) (s->a1 - s->a0), m = (int32_t) (s->b1 - s->b0);
	while (x < n && x - k < m &&
		   is_equal(aligner, s->a0 + (uint32_t) x, s->b0 + (uint32_t) (x - k)))
		x++;
	return x;
}

/* Paths that leave the stretch are kept at its border, where they slide no further. */
static PhStatus
search(Aligner *aligner, Walk *walk)
{
	const Stretch *s = &walk->stretch;
	int32_t n = (int32_t) (s->a1 - s->a0), m = (int32_t) (s->b1 - s->b0);
	walk->edits = -1;
	for (int32_t d = 0; d <= PH_MOST_EDITS; d++)
	{
		PH_TRY(PH_NEW(aligner->arena, (size_t) (2 * d + 1), &walk->row[d]));
		int32_t *row = walk->row[d] + d;
		for (int32_t k = -d; k <= d; k += 2)
		{
			int32_t x = start_of(walk, d, k);
			PH_TRY(ph_env_poll(aligner->env));
			row[k] = x <= n && x - k <= m && x - k >= 0 ? slide(aligner, s, x, k) : x;
			if (row[k] == n && row[k] - k == m)
			{
				walk->edits = d;
				return PH_OK;
			}
		}
	}
	return PH_OK;
}

/* From the end back to the start, pairing what the walk slid over. */
static void
walk_back(Aligner *aligner, const Walk *walk)
{
	const Stretch *s = &walk->stretch;
	int32_t x = (int32_t) (s->a1 - s->a0), k = x - (int32_t) (s->b1 - s->b0);
	for (int32_t d = walk->edits; d >= 0; d--)
	{
		int32_t start = start_of(walk, d, k);
		for (; x > start; x--)
			pair(aligner, s->a0 + (uint32_t) (x - 1), s->b0 + (uint32_t) (x - 1 - k));
		if (d == 0)
			break;
		const int32_t *before = walk->row[d - 1] + (d - 1);
		bool down = k == -d || (k != d && before[k - 1] < before[k + 1]);
		k += down ? 1 : -1;
		x = before[k];
	}
}

static PhStatus
align_frame(Aligner *aligner)
{
	Walk *walk;
	PH_TRY(PH_NEW(aligner->arena, 1, &walk));
	walk->stretch = (Stretch){0, aligner->a->n, 0, aligner->b->n};
	PH_TRY(trim(aligner, &walk->stretch));
	if (walk->stretch.a0 == walk->stretch.a1 || walk->stretch.b0 == walk->stretch.b1)
		return PH_OK;
	PH_TRY(search(aligner, walk));
	if (walk->edits >= 0)
		walk_back(aligner, walk);
	return PH_OK;
}

/* ------------------------------------------------------------------------------------------- gaps
 */

/*
 * Pair what has no partner in a stretch: the first of a key in a with the first in b, if that is at
 * most window from where the pairs before make one expect it.
 */
static PhStatus
pair_by_key(Aligner *aligner, const Stretch *s, uint32_t which, uint32_t window)
{
	PhArena arena;
	PhMap first; /* key -> 1 + first element of b that waits, 0: none */
	uint32_t *next, *slot = NULL;
	PhStatus status = PH_OK;
	ph_arena_init(&arena, aligner->env);
	ph_map_init(&first, &arena);
	status = PH_NEW(&arena, (size_t) (s->b1 - s->b0) + 1, &next);
	for (uint32_t j = s->b1; status == PH_OK && j-- > s->b0;)
	{
		if (aligner->partner_b[j] != PH_NONE)
			continue;
		status = ph_map_enter(&first, aligner->b->key[which][j], 0, &slot);
		if (status != PH_OK)
			break;
		next[j - s->b0] = *slot;
		*slot = j + 1;
		status = ph_env_poll(aligner->env);
	}
	uint32_t expected = s->b0;
	for (uint32_t i = s->a0; status == PH_OK && i < s->a1; i++, expected++)
	{
		status = ph_env_poll(aligner->env);
		if (aligner->partner[i] != PH_NONE)
		{
			expected = aligner->partner[i];
			continue;
		}
		if (status == PH_OK)
			status = ph_map_enter(&first, aligner->a->key[which][i], 0, &slot);
		if (status != PH_OK)
			break;
		while (*slot != 0 && *slot - 1 + (uint64_t) window < expected)
			*slot = next[*slot - 1 - s->b0];
		if (*slot == 0 || *slot - 1 > expected + (uint64_t) window)
			continue;
		uint32_t j = *slot - 1;
		*slot = next[j - s->b0];
		pair(aligner, i, j);
	}
	ph_arena_drop(&arena);
	return status;
}

/* Stretches between neighbouring pairs of the frame, where something is left on both sides. */
static PhStatus
align_gaps(Aligner *aligner)
{
	uint32_t n = aligner->a->n, m = aligner->b->n, *frame;
	Stretch s = {0, 0, 0, 0};
	PH_TRY(PH_NEW(aligner->arena, (size_t) n + 1, &frame));
	memcpy(frame, aligner->partner, n * sizeof(uint32_t));
	for (uint32_t i = 0; i <= n; i++)
	{
		if (i < n && frame[i] == PH_NONE)
			continue;
		s.a1 = i;
		s.b1 = i < n ? frame[i] : m;
		for (uint32_t k = 0; k < PH_ALIGN_KEYS && s.a0 < s.a1 && s.b0 < s.b1; k++)
			PH_TRY(pair_by_key(aligner, &s, k, UINT32_MAX));
		s.a0 = s.a1 + 1;
		s.b0 = s.b1 + 1;
	}
	return PH_OK;
}

static PhStatus
align(Aligner *aligner, uint32_t window)
{
	PH_TRY(PH_NEW(aligner->arena, aligner->b->n, &aligner->partner_b));
	for (uint32_t i = 0; i < aligner->a->n; i++)
		aligner->partner[i] = PH_NONE;
	for (uint32_t j = 0; j < aligner->b->n; j++)
		aligner->partner_b[j] = PH_NONE;
	PH_TRY(align_frame(aligner));
	PH_TRY(align_gaps(aligner));
	Stretch all = {0, aligner->a->n, 0, aligner->b->n};
	for (uint32_t k = 0; k < 2 && window > 0; k++)
		PH_TRY(pair_by_key(aligner, &all, k, window));
	return PH_OK;
}

PhStatus
ph_align(PhEnv *env, const PhSequence *a, const PhSequence *b, uint32_t window, uint32_t *partner)
{
	PhArena arena;
	Aligner aligner = {.env = env, .arena = &arena, .a = a, .b = b, .partner = partner};
	ph_arena_init(&arena, env);
	PhStatus status = align(&aligner, window);
	ph_arena_drop(&arena);
	return status;
}
