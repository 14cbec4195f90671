/*
 * marked_time.c - how long a call of some regions is open in a chunk
 * (trace/region_profile.h).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "trace/region_profile.h"

/* Which open calls are marked: only how many, and how deep the first one is. */
typedef struct Marks
{
	const bool *is_marked;
	uint32_t n_regions;
	uint32_t depth;
	uint32_t outermost; /* depth of the outermost marked call, PH_NONE: none is open */
} Marks;

static void
enter(Marks *marks, uint32_t region)
{
	if (marks->outermost == PH_NONE && region < marks->n_regions && marks->is_marked[region])
		marks->outermost = marks->depth;
	marks->depth++;
}

static void
leave(Marks *marks)
{
	marks->depth--;
	if (marks->outermost == marks->depth)
		marks->outermost = PH_NONE;
}

/* Length of [last, time] within [from, to). */
static int64_t
overlap(int64_t last, int64_t time, int64_t from, int64_t to)
{
	int64_t begin = PH_MAX(last, from), end = PH_MIN(time, to);
	return end > begin ? end - begin : 0;
}

int64_t
ph_chunk_time_in_regions(const PhChunk *chunk, const PhChunkReader *reader, const bool *is_marked,
						 uint32_t n_regions, int64_t from, int64_t to)
{
	Marks marks = {is_marked, n_regions, 0, PH_NONE};
	uint32_t depth;
	const PhOpenCall *stack = ph_chunk_stack(reader, &depth);
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	int64_t total = 0, last = chunk->t_prev;
	for (uint32_t i = 0; i < depth; i++)
		enter(&marks, stack[i].region);
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		if (marks.outermost != PH_NONE)
			total += overlap(last, times[i], from, to);
		last = times[i];
		if (kinds[i] == PH_EVENT_ENTER)
			enter(&marks, *regions++);
		else if (kinds[i] == PH_EVENT_LEAVE)
			leave(&marks);
	}
	return total;
}
