/*
 * pyramid.h - the tiles of all locations and levels, or of a window, block by block.
 *
 * Locations are put as they come, in any order; 64 of a tier that are there become tiles, and one
 * row of the next tier. Memory: rows of blocks that are not complete, 160 bytes a cell. A pyramid
 * is of one thread; several put theirs under a lock. What it emits depends on no order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_PYRAMID_H
#define PH_TILES_PYRAMID_H

#include "tiles/bins.h"
#include "tiles/tile.h"

/* Bins of the finest level over a run. */
#define PH_PYRAMID_BINS 2048
/*
 * Events of a location that its bins have on average, at least: decoding so few takes as long as a
 * cell's share of a tile, and fewer would make tiles as large as chunks (bench trace_loads).
 */
#define PH_PYRAMID_EVENTS_PER_BIN 64
/* Traces of fewer events are looked at without a pyramid. */
#define PH_PYRAMID_LEAST_EVENTS 20000000

/* The most bins of a level for locations with so many events on average (0: not known). */
uint32_t ph_pyramid_bins(uint64_t events_per_location);

/* The highest tier: its one row stands for all locations. */
uint32_t ph_pyramid_last_tier(uint32_t n_locations);

/* Rows of a tier. */
uint32_t ph_pyramid_rows(uint32_t n_locations, uint32_t tier);

/* The level at which a run with its last event at this time is one bin. */
uint32_t ph_pyramid_last_level(int64_t duration);

/* Gets every tile; its bytes are valid during the call only. */
typedef PhStatus (*PhTileEmit)(void *user, const PhTile *tile);

#define PH_ALL_TIERS UINT32_MAX

typedef struct PhPyramidOptions
{
	uint32_t n_locations, n_regions; /* of the run; PH_ERR_LIMIT: PH_TILE_MOST_LOCATIONS */
	uint32_t tier;					 /* the one to emit, or PH_ALL_TIERS */
	PhTileEmit emit;
	void *user;
} PhPyramidOptions;

typedef struct PhPyramid PhPyramid;

PhStatus ph_pyramid_new(PhEnv *env, const PhPyramidOptions *options, PhPyramid **out) PH_MUST_CHECK;
void ph_pyramid_free(PhPyramid *pyramid);

/* The cells of a location at one level after the other. */
typedef struct PhPyramidRow PhPyramidRow;

/*
 * A row for the location whose chunks bins has got (ph_bins_end), of all levels from its first on;
 * or of the level and window that bins has. It belongs to the pyramid when it is put; what is not
 * is to be freed.
 */
PhStatus ph_pyramid_row_new(PhPyramid *pyramid, const PhBins *bins, uint32_t location,
							PhPyramidRow **out) PH_MUST_CHECK;
void ph_pyramid_row_free(PhPyramid *pyramid, PhPyramidRow *row);

/* Fill it, which uses bins up; touches nothing of the pyramid. */
PhStatus ph_pyramid_row_fill(PhPyramidRow *row, PhBins *bins) PH_MUST_CHECK;

PhStatus ph_pyramid_put(PhPyramid *pyramid, PhPyramidRow *row) PH_MUST_CHECK;

/* The location has no calls: it has no part in any cell. */
PhStatus ph_pyramid_skip(PhPyramid *pyramid, uint32_t location) PH_MUST_CHECK;

/* Emit what is not complete. */
PhStatus ph_pyramid_finish(PhPyramid *pyramid) PH_MUST_CHECK;

/* The lowest level that all rows have which were put: tiles of lower ones are of some blocks only.
 */
uint32_t ph_pyramid_first_level(const PhPyramid *pyramid);

#endif
