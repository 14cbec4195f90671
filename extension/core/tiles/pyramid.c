/*
 * pyramid.c - see pyramid.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tiles/pyramid.h"

#include <string.h>

#include "base/min_max.h"
#include "base/vector.h"
#include "tiles/merge.h"

/* Levels of a block above its one bin, for blocks that end before others: others need no more. */
#define SPARE_LEVELS 2
#define BINS_TOGETHER 8 /* are merged; it divides the bins of a tile */
#define N_WIDENED ((size_t) PH_TILE_ROWS * PH_TILE_BINS)

struct PhPyramidRow
{
	uint32_t row;	   /* of its tier */
	uint32_t location; /* its first with calls */
	uint32_t n_locations;
	uint32_t first_level, n_levels;
	int64_t first_bin;						/* of windows; of others 0 */
	uint32_t first[PH_TILE_MOST_LEVEL + 2]; /* cell of each level, and the end */
	size_t n_cells;
	PhBinCell *cells; /* of groups; of a location own and counters */
	PhOwnCell *own;
	PhCounter *counters;
	size_t most_counters;
};

/* Up to 64 rows of a tier. */
typedef struct Block
{
	uint32_t tier, block;
	uint32_t n_missing;
	PhPyramidRow *rows[PH_TILE_ROWS]; /* NULL: no calls, or not there yet */
} Block;

struct PhPyramid
{
	PhEnv *env;
	PhPyramidOptions options;
	uint32_t last_tier;
	uint32_t first_level;
	PH_VECTOR(Block) blocks; /* that are open */
	PhMerger *merger;
	PhTileWriter *writer;
	PhBinCell *widened; /* PH_TILE_ROWS times PH_TILE_BINS: cells of locations at hand */
};

uint32_t
ph_pyramid_bins(uint64_t events_per_location)
{
	uint64_t most = events_per_location == 0 ? PH_PYRAMID_BINS
											 : events_per_location / PH_PYRAMID_EVENTS_PER_BIN;
	uint32_t bins = 16;
	while (bins < PH_PYRAMID_BINS && (uint64_t) bins * 2 <= most)
		bins *= 2;
	return bins;
}

uint32_t
ph_pyramid_last_tier(uint32_t n_locations)
{
	uint32_t tier = 1;
	while (ph_tier_locations(tier) < n_locations)
		tier++;
	return tier;
}

uint32_t
ph_pyramid_rows(uint32_t n_locations, uint32_t tier)
{
	uint64_t each = ph_tier_locations(tier);
	return (uint32_t) ((n_locations + each - 1) / each);
}

uint32_t
ph_pyramid_last_level(int64_t duration)
{
	uint32_t level = 0;
	while (duration >> level > 0)
		level++;
	return level;
}

PhStatus
ph_pyramid_new(PhEnv *env, const PhPyramidOptions *options, PhPyramid **out)
{
	PhPyramid *pyramid;
	if (options->n_locations >= PH_TILE_MOST_LOCATIONS)
		return ph_fail(env, PH_ERR_LIMIT, "a trace of %u locations has no tiles",
					   options->n_locations);
	PH_TRY(ph_env_alloc(env, 1, sizeof(*pyramid), (void **) &pyramid));
	pyramid->env = env;
	pyramid->options = *options;
	pyramid->last_tier = ph_pyramid_last_tier(options->n_locations);
	PhStatus status = ph_merger_new(env, options->n_regions, &pyramid->merger);
	if (status == PH_OK)
		status = ph_tile_writer_new(env, options->n_regions, &pyramid->writer);
	if (status == PH_OK)
		status =
			ph_env_alloc(env, N_WIDENED, sizeof(*pyramid->widened), (void **) &pyramid->widened);
	if (status != PH_OK)
		ph_pyramid_free(pyramid);
	else
		*out = pyramid;
	return status;
}

static void
free_rows(PhPyramid *pyramid, Block *block)
{
	for (uint32_t i = 0; i < PH_TILE_ROWS; i++)
		ph_pyramid_row_free(pyramid, block->rows[i]);
}

void
ph_pyramid_free(PhPyramid *pyramid)
{
	if (pyramid == NULL)
		return;
	for (uint32_t i = 0; i < pyramid->blocks.count; i++)
		free_rows(pyramid, &pyramid->blocks.items[i]);
	PH_VECTOR_FREE(pyramid->env, &pyramid->blocks);
	ph_merger_free(pyramid->merger);
	ph_tile_writer_free(pyramid->writer);
	ph_env_free(pyramid->env, pyramid->widened, N_WIDENED, sizeof(*pyramid->widened));
	ph_env_free(pyramid->env, pyramid, 1, sizeof(*pyramid));
}

/* ---- rows ---- */

/* A row without its cells; of a location: head has most_counters. */
static PhStatus
new_row(PhPyramid *pyramid, const PhPyramidRow *head, bool is_group, PhPyramidRow **out)
{
	PhEnv *env = pyramid->env;
	PhPyramidRow *row;
	PH_TRY(ph_env_alloc(env, 1, sizeof(*row), (void **) &row));
	*row = *head;
	row->n_cells = head->first[head->n_levels];
	PhStatus status = PH_OK;
	if (is_group)
		status = ph_env_alloc(env, row->n_cells + 1, sizeof(*row->cells), (void **) &row->cells);
	else
	{
		status = ph_env_alloc(env, row->n_cells + 1, sizeof(*row->own), (void **) &row->own);
		if (status == PH_OK)
			status = ph_env_alloc(env, row->most_counters + 1, sizeof(*row->counters),
								  (void **) &row->counters);
	}
	if (status != PH_OK)
		ph_pyramid_row_free(pyramid, row);
	else
		*out = row;
	return status;
}

void
ph_pyramid_row_free(PhPyramid *pyramid, PhPyramidRow *row)
{
	if (row == NULL)
		return;
	ph_env_free(pyramid->env, row->cells, row->n_cells + 1, sizeof(*row->cells));
	ph_env_free(pyramid->env, row->own, row->n_cells + 1, sizeof(*row->own));
	ph_env_free(pyramid->env, row->counters, row->most_counters + 1, sizeof(*row->counters));
	ph_env_free(pyramid->env, row, 1, sizeof(*row));
}

/* All levels, whichever its block will have: those of one bin cost nothing. */
static void
lay_out_levels(PhPyramidRow *row, uint32_t n_bins)
{
	while (row->first_level + row->n_levels <= PH_TILE_MOST_LEVEL)
	{
		row->first[row->n_levels + 1] = row->first[row->n_levels] + n_bins;
		row->n_levels++;
		n_bins = (n_bins + 1) / 2;
	}
}

PhStatus
ph_pyramid_row_new(PhPyramid *pyramid, const PhBins *bins, uint32_t location, PhPyramidRow **out)
{
	PhPyramidRow head = {.row = location,
						 .location = location,
						 .n_locations = 1,
						 .first_level = ph_bins_level(bins),
						 .first_bin = ph_bins_first(bins)};
	if (ph_bins_is_window(bins))
	{
		head.n_levels = 1;
		head.first[1] = ph_bins_count(bins);
	}
	else
		lay_out_levels(&head, ph_bins_count(bins));
	for (uint32_t i = 0; i < head.n_levels; i++)
	{
		size_t n_bins = head.first[i + 1] - head.first[i];
		head.most_counters +=
			PH_MIN((size_t) ph_bins_most_counters(bins), n_bins * PH_CELL_COUNTERS);
	}
	return new_row(pyramid, &head, false, out);
}

PhStatus
ph_pyramid_row_fill(PhPyramidRow *row, PhBins *bins)
{
	uint32_t n_counters = 0;
	for (uint32_t i = 0; i < row->n_levels; i++)
	{
		if (i > 0)
			PH_TRY(ph_bins_join(bins));
		PH_TRY(ph_bins_cells(bins, row->own + row->first[i], row->counters, &n_counters));
	}
	return PH_OK;
}

static uint32_t
n_bins_of(const PhPyramidRow *row, uint32_t level)
{
	uint32_t i = level - row->first_level;
	return row->first[i + 1] - row->first[i];
}

/* Where its cells of a level begin. */
static uint32_t
first_cell(const PhPyramidRow *row, uint32_t level)
{
	return row->first[level - row->first_level];
}

/* ---- a block ---- */

/* Levels that all rows of a block have, and the bins of the longest row. */
static void
lay_out_block(const Block *block, PhPyramidRow *head)
{
	uint32_t end = PH_TILE_MOST_LEVEL + 1;
	for (uint32_t r = 0; r < PH_TILE_ROWS; r++)
	{
		const PhPyramidRow *row = block->rows[r];
		if (row == NULL)
			continue;
		if (head->n_locations == 0)
			head->location = row->location;
		head->n_locations += row->n_locations;
		head->first_bin = row->first_bin;
		head->first_level = PH_MAX(head->first_level, row->first_level);
		end = PH_MIN(end, row->first_level + row->n_levels);
	}
	uint32_t spare = 0;
	for (uint32_t level = head->first_level; level < end && spare <= SPARE_LEVELS; level++)
	{
		uint32_t n_bins = 0;
		for (uint32_t r = 0; r < PH_TILE_ROWS; r++)
			if (block->rows[r] != NULL)
				n_bins = PH_MAX(n_bins, n_bins_of(block->rows[r], level));
		head->first[head->n_levels + 1] = head->first[head->n_levels] + n_bins;
		head->n_levels++;
		spare += n_bins <= 1;
	}
}

/* n cells of row r of a block, at most a tile's. */
static const PhBinCell *
cells_from(PhPyramid *pyramid, uint32_t r, const PhPyramidRow *row, uint32_t first, uint32_t n)
{
	PhBinCell *room = pyramid->widened + (size_t) r * PH_TILE_BINS;
	if (row->own == NULL)
		return row->cells + first;
	for (uint32_t i = 0; i < n; i++)
		ph_cell_widen(row->own + first + i, row->counters, row->location, room + i);
	return room;
}

/* The tile of bins from x * 256 of the row on. */
static PhStatus
emit_tile(PhPyramid *pyramid, const Block *block, uint32_t level, uint64_t first_x, uint32_t x)
{
	const PhBinCell *rows[PH_TILE_ROWS] = {NULL};
	uint32_t n_cells[PH_TILE_ROWS] = {0}, n_locations[PH_TILE_ROWS] = {0};
	uint32_t n_rows = ph_pyramid_rows(pyramid->options.n_locations, block->tier);
	PhTile tile = {block->tier, level, block->block, first_x + x, {NULL, 0}};
	PhTileCells cells = {
		.tier = block->tier,
		.first_location = ph_tier_locations(block->tier) * PH_TILE_ROWS * block->block,
		.n_rows = PH_MIN(n_rows - block->block * PH_TILE_ROWS, (uint32_t) PH_TILE_ROWS),
		.n_bins = PH_TILE_BINS,
		.rows = rows,
		.n_cells = n_cells,
		.n_locations = n_locations};
	for (uint32_t r = 0; r < cells.n_rows; r++)
	{
		const PhPyramidRow *row = block->rows[r];
		if (row == NULL)
			continue;
		uint32_t n = n_bins_of(row, level), skipped = PH_MIN(n, x * PH_TILE_BINS);
		n_cells[r] = PH_MIN(n - skipped, (uint32_t) PH_TILE_BINS);
		rows[r] = cells_from(pyramid, r, row, first_cell(row, level) + skipped, n_cells[r]);
		n_locations[r] = row->n_locations;
	}
	PH_TRY(ph_tile_encode(pyramid->writer, &cells, &tile.bytes));
	return pyramid->options.emit(pyramid->options.user, &tile);
}

static PhStatus
emit_tiles(PhPyramid *pyramid, const Block *block, const PhPyramidRow *head)
{
	uint64_t first_x = (uint64_t) head->first_bin / PH_TILE_BINS;
	if (pyramid->options.tier != PH_ALL_TIERS && pyramid->options.tier != block->tier)
		return PH_OK;
	for (uint32_t i = 0; i < head->n_levels; i++)
	{
		uint32_t n_bins = head->first[i + 1] - head->first[i];
		for (uint32_t x = 0; x * PH_TILE_BINS < n_bins; x++)
			PH_TRY(emit_tile(pyramid, block, head->first_level + i, first_x, x));
	}
	return PH_OK;
}

/* The cell of a bin of row r, made of a location's where it is one; NULL: the row ends before. */
static const PhBinCell *
cell_of(PhPyramid *pyramid, const PhPyramidRow *row, uint32_t level, uint32_t bin, uint32_t r)
{
	uint32_t cell = first_cell(row, level) + bin;
	PhBinCell *room = &pyramid->widened[(size_t) (bin % BINS_TOGETHER) * PH_TILE_ROWS + r];
	if (bin >= n_bins_of(row, level))
		return NULL;
	if (row->own == NULL)
		return row->cells + cell;
	ph_cell_widen(row->own + cell, row->counters, row->location, room);
	return room;
}

/*
 * Cells of the block's rows from a bin on, up to BINS_TOGETHER: a row after the other, since what
 * lies in 64 places comes slowly from memory.
 */
static void
merge_bins(PhPyramid *pyramid, const Block *block, uint32_t level, uint32_t first, uint32_t n_bins,
		   PhBinCell *out)
{
	PhMergePart parts[BINS_TOGETHER][PH_TILE_ROWS];
	uint32_t n = 0;
	for (uint32_t r = 0; r < PH_TILE_ROWS; r++)
	{
		const PhPyramidRow *row = block->rows[r];
		if (row == NULL)
			continue;
		for (uint32_t i = 0; i < n_bins; i++)
			parts[i][n] = (PhMergePart){.cell = cell_of(pyramid, row, level, first + i, r),
										.location = row->location,
										.n_locations = row->n_locations,
										.is_group = block->tier > 0};
		n++;
	}
	for (uint32_t i = 0; i < n_bins; i++)
		ph_merge_cells(pyramid->merger, parts[i], n, out + i);
}

static PhStatus
merge_rows(PhPyramid *pyramid, const Block *block, PhPyramidRow *row)
{
	for (uint32_t i = 0; i < row->n_levels; i++)
	{
		uint32_t n_bins = row->first[i + 1] - row->first[i];
		for (uint32_t bin = 0; bin < n_bins; bin += BINS_TOGETHER)
		{
			PH_TRY(ph_env_poll(pyramid->env));
			merge_bins(pyramid, block, row->first_level + i, bin,
					   PH_MIN(n_bins - bin, (uint32_t) BINS_TOGETHER),
					   row->cells + row->first[i] + bin);
		}
	}
	return PH_OK;
}

/* Tiles of a block, and the row of the next tier that it makes; NULL: nothing is above. */
static PhStatus
finish_block(PhPyramid *pyramid, const Block *block, PhPyramidRow **above)
{
	PhPyramidRow head = {.row = block->block};
	*above = NULL;
	lay_out_block(block, &head);
	if (head.n_locations == 0)
		return PH_OK;
	PH_TRY(emit_tiles(pyramid, block, &head));
	if (block->tier >= PH_MIN(pyramid->last_tier, pyramid->options.tier))
		return PH_OK;
	PH_TRY(new_row(pyramid, &head, true, above));
	PhStatus status = merge_rows(pyramid, block, *above);
	if (status != PH_OK)
	{
		ph_pyramid_row_free(pyramid, *above);
		*above = NULL;
	}
	return status;
}

/* ---- all blocks ---- */

static PhStatus
find_block(PhPyramid *pyramid, uint32_t tier, uint32_t number, uint32_t *out)
{
	uint32_t i = 0, n_rows = ph_pyramid_rows(pyramid->options.n_locations, tier);
	while (i < pyramid->blocks.count &&
		   (pyramid->blocks.items[i].tier != tier || pyramid->blocks.items[i].block != number))
		i++;
	*out = i;
	if (i < pyramid->blocks.count)
		return PH_OK;
	PH_TRY(PH_ROOM(pyramid->env, &pyramid->blocks));
	pyramid->blocks.items[pyramid->blocks.count++] =
		(Block){.tier = tier,
				.block = number,
				.n_missing = PH_MIN(n_rows - number * PH_TILE_ROWS, (uint32_t) PH_TILE_ROWS)};
	return PH_OK;
}

static Block
take_block(PhPyramid *pyramid, uint32_t i)
{
	Block block = pyramid->blocks.items[i];
	pyramid->blocks.items[i] = pyramid->blocks.items[--pyramid->blocks.count];
	return block;
}

/* Row `number` of a tier, NULL: nothing; and what it completes, tier by tier. */
static PhStatus
put_row(PhPyramid *pyramid, uint32_t tier, uint32_t number, PhPyramidRow *row)
{
	for (;; tier++)
	{
		uint32_t i;
		PhStatus status = find_block(pyramid, tier, number / PH_TILE_ROWS, &i);
		if (status != PH_OK)
		{
			ph_pyramid_row_free(pyramid, row);
			return status;
		}
		Block *open = &pyramid->blocks.items[i];
		open->rows[number % PH_TILE_ROWS] = row;
		if (--open->n_missing > 0)
			return PH_OK;
		Block block = take_block(pyramid, i);
		status = finish_block(pyramid, &block, &row);
		free_rows(pyramid, &block);
		if (status != PH_OK || tier >= PH_MIN(pyramid->last_tier, pyramid->options.tier))
			return status;
		number = block.block;
	}
}

PhStatus
ph_pyramid_put(PhPyramid *pyramid, PhPyramidRow *row)
{
	pyramid->first_level = PH_MAX(pyramid->first_level, row->first_level);
	return put_row(pyramid, 0, row->location, row);
}

PhStatus
ph_pyramid_skip(PhPyramid *pyramid, uint32_t location)
{
	return put_row(pyramid, 0, location, NULL);
}

/* The lowest tier first: what is missing there comes never. */
static uint32_t
lowest_block(const PhPyramid *pyramid)
{
	uint32_t lowest = 0;
	for (uint32_t i = 1; i < pyramid->blocks.count; i++)
		if (pyramid->blocks.items[i].tier < pyramid->blocks.items[lowest].tier)
			lowest = i;
	return lowest;
}

PhStatus
ph_pyramid_finish(PhPyramid *pyramid)
{
	uint32_t highest = PH_MIN(pyramid->last_tier, pyramid->options.tier);
	while (pyramid->blocks.count > 0)
	{
		PhPyramidRow *above;
		Block block = take_block(pyramid, lowest_block(pyramid));
		PhStatus status = finish_block(pyramid, &block, &above);
		free_rows(pyramid, &block);
		if (status == PH_OK && block.tier < highest)
			status = put_row(pyramid, block.tier + 1, block.block, above);
		PH_TRY(status);
	}
	return PH_OK;
}

uint32_t
ph_pyramid_first_level(const PhPyramid *pyramid)
{
	return pyramid->first_level;
}
