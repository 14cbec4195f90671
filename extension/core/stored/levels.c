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
	for (uint32_t i = 0; i < levels->n; i++)
		if (levels->is_used[i])
			memset(levels->rows[i], 0, levels->width * sizeof(double));
	memset(levels->is_used, 0, levels->n * sizeof(*levels->is_used));
}

void
ph_levels_children(const PhLevels *levels, uint32_t level, const PhStoredBlock *block,
				   const PhStoredRow *row, double *out)
{
	const double *below = levels->rows[level + 1];
	PhRunWalk walk = {0};
	uint32_t first, n;
	if (!levels->is_used[level + 1])
	{
		memset(out, 0, row->n_cells * sizeof(*out));
		return;
	}
	for (; ph_block_next_run(block, row, &walk, &first, &n); out += n)
		memcpy(out, below + first, n * sizeof(*out));
}

static void
add(double *restrict to, const double *restrict from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] += from[i];
}

PhStatus
ph_levels_hand_up(PhLevels *levels, uint32_t level, const PhStoredBlock *block,
				  const PhStoredRow *row, const double *inclusive)
{
	PhRunWalk walk = {0};
	uint32_t first, n;
	if (levels->is_used[level + 1])
		memset(levels->rows[level + 1], 0, levels->width * sizeof(double));
	levels->is_used[level + 1] = false;
	if (row->stored == PH_STORED_NOTHING)
		return PH_OK;
	if (levels->rows[level] == NULL)
		PH_TRY(PH_NEW(levels->arena, levels->width, &levels->rows[level]));
	levels->is_used[level] = true;
	for (; ph_block_next_run(block, row, &walk, &first, &n); inclusive += n)
		add(levels->rows[level] + first, inclusive, n);
	return PH_OK;
}
