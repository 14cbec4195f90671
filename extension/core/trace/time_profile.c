/*
 * time_profile.c - see time_profile.h.
 *
 * Time and bins go forward together, so that the cell of a region is nearly always the one it had
 * last; a table finds the others.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/time_profile.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"
#include "trace/chunk/codec.h"

#define FIRST_RECENT 256

/* Where a region's time went last. */
typedef struct Recent
{
	uint32_t bin; /* PH_NONE: nowhere yet */
	uint32_t cell;
} Recent;

struct PhTimeProfile
{
	PhEnv *env;
	PhTimeBins bins;
	PhArena arena;
	PhMap cells; /* (bin, region) to position in exclusive */
	uint32_t n_cells, cell_capacity;
	uint64_t *exclusive;
	uint32_t n_recent;
	Recent *recent; /* by region */
	PhIndices stack;
	PH_VECTOR(PhTimeProfileRow) rows;
};

PhStatus
ph_time_profile_new(PhEnv *env, const PhTimeBins *bins, PhTimeProfile **out)
{
	PhTimeProfile *profile;
	if (bins->from < 0 || bins->from >= bins->to || bins->n == 0 || bins->n > PH_MOST_BINS)
		return ph_fail(env, PH_ERR_VALUE, "%u time bins from %lld to %lld are not possible",
					   bins->n, (long long) bins->from, (long long) bins->to);
	PH_TRY(ph_env_alloc(env, 1, sizeof(*profile), (void **) &profile));
	profile->env = env;
	profile->bins = *bins;
	ph_arena_init(&profile->arena, env);
	ph_map_init(&profile->cells, &profile->arena);
	*out = profile;
	return PH_OK;
}

void
ph_time_profile_free(PhTimeProfile *profile)
{
	if (profile == NULL)
		return;
	PhEnv *env = profile->env;
	ph_arena_drop(&profile->arena);
	ph_env_free(env, profile->recent, profile->n_recent, sizeof(Recent));
	PH_VECTOR_FREE(env, &profile->stack);
	PH_VECTOR_FREE(env, &profile->rows);
	ph_env_free(env, profile, 1, sizeof(*profile));
}

static PhStatus
reserve_recent(PhTimeProfile *profile, uint32_t region)
{
	uint32_t n = profile->n_recent == 0 ? FIRST_RECENT : profile->n_recent;
	while (n <= region)
		n *= 2;
	if (n == profile->n_recent)
		return PH_OK;
	PH_TRY(ph_env_resize(profile->env, (void **) &profile->recent, profile->n_recent, n,
						 sizeof(Recent)));
	for (uint32_t i = profile->n_recent; i < n; i++)
		profile->recent[i].bin = PH_NONE;
	profile->n_recent = n;
	return PH_OK;
}

static PhStatus
find_cell(PhTimeProfile *profile, uint32_t bin, uint32_t region, uint32_t *out)
{
	uint32_t *cell;
	PH_TRY(
		PH_GROW(&profile->arena, &profile->exclusive, profile->n_cells, &profile->cell_capacity));
	PH_TRY(ph_map_enter(&profile->cells, ph_map_key(bin, region), profile->n_cells, &cell));
	if (*cell == profile->n_cells)
		profile->exclusive[profile->n_cells++] = 0;
	*out = *cell;
	return PH_OK;
}

/* ---- a chunk ---- */

typedef struct Walk
{
	PhTimeProfile *profile;
	uint32_t *stack; /* regions of the open calls */
	uint32_t depth;
	int64_t last;	 /* time that has been reached */
	uint32_t bin;	 /* it is in this bin */
	int64_t bin_end; /* of that bin */
} Walk;

static inline PhStatus
add(Walk *walk, uint32_t region, int64_t duration)
{
	PhTimeProfile *profile = walk->profile;
	Recent *recent = &profile->recent[region];
	if (duration == 0)
		return PH_OK;
	if (__builtin_expect(recent->bin != walk->bin, 0))
	{
		PH_TRY(find_cell(profile, walk->bin, region, &recent->cell));
		recent->bin = walk->bin;
	}
	profile->exclusive[recent->cell] += (uint64_t) duration;
	return PH_OK;
}

/* Go to a time in the window, giving what passes to the innermost call. */
static inline PhStatus
give_time(Walk *walk, int64_t time)
{
	const PhTimeBins *bins = &walk->profile->bins;
	uint32_t region = walk->depth > 0 ? walk->stack[walk->depth - 1] : PH_NONE;
	while (time > walk->bin_end)
	{
		if (region != PH_NONE)
			PH_TRY(add(walk, region, walk->bin_end - walk->last));
		walk->last = walk->bin_end;
		walk->bin_end = ph_bin_start(bins, ++walk->bin + 1);
	}
	if (region != PH_NONE)
		PH_TRY(add(walk, region, time - walk->last));
	walk->last = time;
	return PH_OK;
}

static int64_t
clip(const PhTimeBins *bins, int64_t time)
{
	return time < bins->from ? bins->from : time > bins->to ? bins->to : time;
}

static PhStatus
walk_events(Walk *walk, const PhChunk *chunk, const PhChunkReader *reader)
{
	const PhTimeBins *bins = &walk->profile->bins;
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	for (uint32_t i = 0; i < chunk->n_events && times[i] < bins->to; i++)
	{
		if (kinds[i] > PH_EVENT_LEAVE)
			continue;
		PH_TRY(give_time(walk, clip(bins, times[i])));
		if (kinds[i] == PH_EVENT_ENTER)
			walk->stack[walk->depth++] = *regions++;
		else
			walk->depth--;
	}
	return give_time(walk, clip(bins, chunk->t_last));
}

static PhStatus
start_walk(Walk *walk, const PhChunk *chunk, const PhChunkReader *reader)
{
	PhTimeProfile *profile = walk->profile;
	const PhOpenCall *stack = ph_chunk_stack(reader, &walk->depth);
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	uint32_t highest = 0;
	size_t most = (size_t) walk->depth + chunk->n_enter + 1;
	PH_TRY(PH_RESERVE(profile->env, &profile->stack, most));
	walk->stack = profile->stack.items;
	for (uint32_t i = 0; i < walk->depth; i++)
	{
		walk->stack[i] = stack[i].region;
		highest = PH_MAX(stack[i].region, highest);
	}
	for (uint32_t i = 0; i < chunk->n_enter; i++)
		highest = PH_MAX(regions[i], highest);
	walk->last = clip(&profile->bins, chunk->t_prev);
	walk->bin = ph_bin_of(&profile->bins, walk->last);
	walk->bin_end = ph_bin_start(&profile->bins, walk->bin + 1);
	return reserve_recent(profile, highest);
}

PhStatus
ph_time_profile_add_chunk(PhTimeProfile *profile, const PhChunk *chunk, const PhChunkReader *reader)
{
	Walk walk = {.profile = profile};
	if (chunk->t_prev >= profile->bins.to || chunk->t_last <= profile->bins.from)
		return PH_OK;
	PH_TRY(start_walk(&walk, chunk, reader));
	return walk_events(&walk, chunk, reader);
}

/* ---- rows ---- */

static int
compare_cells(const void *context, uint32_t x, uint32_t y)
{
	const uint64_t *keys = context;
	return keys[x] < keys[y] ? -1 : keys[x] > keys[y];
}

PhStatus
ph_time_profile_rows(PhTimeProfile *profile, const PhTimeProfileRow **rows, size_t *n)
{
	PhArena scratch;
	uint32_t *order;
	ph_arena_init(&scratch, profile->env);
	PhStatus status =
		ph_sort_indices(&scratch, profile->n_cells, compare_cells, profile->cells.keys, &order);
	if (status == PH_OK)
		status = PH_RESERVE(profile->env, &profile->rows, ((size_t) profile->n_cells + 1));
	PhTimeProfileRow *out = profile->rows.items;
	*n = 0;
	for (uint32_t i = 0; status == PH_OK && i < profile->n_cells; i++)
	{
		uint64_t key = profile->cells.keys[order[i]];
		uint64_t exclusive = profile->exclusive[profile->cells.values[order[i]]];
		if (exclusive != 0)
			out[(*n)++] =
				(PhTimeProfileRow){(uint32_t) (key >> 32), (uint32_t) key, (int64_t) exclusive};
	}
	ph_arena_drop(&scratch);
	*rows = out;
	return status;
}
