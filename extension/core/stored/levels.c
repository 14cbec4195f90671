/*
 * levels.c - see levels.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/levels.h"

#include <string.h>

PhStatus
ph_levels_new(PhArena *arena, uint32_t n, uint32_t width, PhLevels *out)
{
	*out = (PhLevels){.arena = arena, .width = width, .n = n};
	PH_TRY(PH_NEW(arena, n, &out->rows));
	return PH_NEW(arena, n, &out->is_used);
}

void
ph_levels_clear(PhLevels *levels)
{
	memset(levels->is_used, 0, levels->n * sizeof(*levels->is_used));
}

const double *
ph_levels_children(const PhLevels *levels, uint32_t level, const PhStoredBlock *block,
				   const PhStoredRow *row, double *room)
{
	const double *below = levels->rows[level + 1];
	PhRunWalk walk = {0};
	uint32_t first, n;
	if (!levels->is_used[level + 1])
		return memset(room, 0, row->n_cells * sizeof(*room));
	if (row->is_whole)
		return below;
	for (double *to = room; ph_block_next_run(block, row, &walk, &first, &n); to += n)
		memcpy(to, below + first, n * sizeof(*to));
	return room;
}

static void
add(double *restrict to, const double *restrict from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] += from[i];
}

/* What adding to zeroes gives, for which there need be none. */
static void
set(double *restrict to, const double *restrict from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = 0.0 + from[i];
}

PhStatus
ph_levels_hand_up(PhLevels *levels, uint32_t level, const PhStoredBlock *block,
				  const PhStoredRow *row, const double *inclusive)
{
	PhRunWalk walk = {0};
	uint32_t first, n;
	levels->is_used[level + 1] = false;
	if (row->stored == PH_STORED_NOTHING)
		return PH_OK;
	if (levels->rows[level] == NULL)
		PH_TRY(PH_NEW(levels->arena, levels->width, &levels->rows[level]));
	if (!levels->is_used[level] && row->is_whole)
	{
		set(levels->rows[level], inclusive, block->n_columns);
		levels->is_used[level] = true;
		return PH_OK;
	}
	if (!levels->is_used[level])
		memset(levels->rows[level], 0, levels->width * sizeof(double));
	levels->is_used[level] = true;
	for (; ph_block_next_run(block, row, &walk, &first, &n); inclusive += n)
		add(levels->rows[level] + first, inclusive, n);
	return PH_OK;
}
