/*
 * cells.h - which cells a profile has, and where their values are.
 *
 * The columns in which a node is present are runs of neighbours. The values of a run lie side by
 * side, so whoever reads or writes a node's values goes from span to span, and pays for the cells
 * that exist:
 *
 *     PhRowWalk walk = ph_row_walk(profile, node);
 *     for (PhRowSpan span; ph_row_next(&walk, &span);)
 *         use(span.first, metric->inclusive + span.cell, span.n);
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_CELLS_H
#define PH_PROFILE_CELLS_H

#include "base/vector.h"
#include "profile/profile.h"

/* Columns [first, first + n), in which a node is present; values[cell] is that of the first. */
typedef struct PhRowSpan
{
	uint32_t first, n;
	size_t cell;
} PhRowSpan;

/* A way through the spans of one node, in ascending order of columns; no two of them touch. */
typedef struct PhRowWalk
{
	const PhProfile *profile;
	uint32_t node, next;
} PhRowWalk;

static inline PhRowWalk
ph_row_walk(const PhProfile *profile, uint32_t node)
{
	return (PhRowWalk){profile, node, 0};
}

static inline bool
ph_row_next(PhRowWalk *walk, PhRowSpan *span)
{
	const PhProfile *profile = walk->profile;
	uint32_t first = walk->next, end = profile->n_columns;
	while (first < end && !ph_profile_is_present(profile, walk->node, first))
		first++;
	if (first >= end)
		return false;
	for (walk->next = first + 1; profile->present != NULL && walk->next < end; walk->next++)
		if (!ph_profile_is_present(profile, walk->node, walk->next))
			break;
	if (profile->present == NULL)
		walk->next = end;
	*span = (PhRowSpan){first, walk->next - first, (size_t) walk->node * end + first};
	return true;
}

/*
 * For whoever makes a profile: the columns in which its nodes are present, in any order and with
 * repeats. What a node has its ancestors have too, whether or not that is said.
 */
typedef struct PhPresentRun
{
	uint32_t node, first, n;
} PhPresentRun;

typedef struct PhPresence
{
	PhArena *arena;
	PH_VECTOR(PhPresentRun) runs;
} PhPresence;

static inline void
ph_presence_init(PhPresence *presence, PhArena *arena)
{
	*presence = (PhPresence){.arena = arena};
}

/* The node is present in columns [first, first + n). */
PhStatus ph_presence_add(PhPresence *presence, uint32_t node, uint32_t first,
						 uint32_t n) PH_MUST_CHECK;

#endif
