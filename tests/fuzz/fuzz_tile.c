/*
 * fuzz_tile.c - a tile of a trace from arbitrary bytes: an error, or cells whose regions exist.
 *
 * Input: the tier, a byte; then the tile. What is not packed needs no compressor to be met: the
 * first byte of such tiles is 0.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "tiles/tile.h"
#include "trace/chunk/chunk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must_be_region(uint32_t region)
{
	if (region != PH_NONE && region >= PH_CHUNK_MAX_REGION)
		abort();
}

static void
must_be_sound(const PhTileView *view)
{
	PhShownCell cell;
	if (view->n_rows > PH_TILE_ROWS || view->n_bins > PH_TILE_BINS)
		abort();
	for (uint32_t row = 0; row < view->n_rows; row++)
		for (uint32_t bin = 0; bin < view->n_bins; bin++)
		{
			ph_tile_cell(view, row, bin, &cell);
			for (uint32_t i = 0; i < PH_CELL_SHOWN; i++)
				must_be_region(cell.region[i]);
			must_be_region(cell.longest.region);
			must_be_region(cell.deviant_region);
			must_be_region(cell.deviant_longest.region);
		}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhArena arena;
	PhTileView view;
	if (size == 0)
		return 0;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	ph_arena_init(&arena, &env);
	if (ph_tile_decode(&arena, data[0] % 4, (PhBytes){data + 1, size - 1}, &view) == PH_OK)
		must_be_sound(&view);
	ph_arena_drop(&arena);
	if (env.bytes != 0)
		abort();
	return 0;
}
