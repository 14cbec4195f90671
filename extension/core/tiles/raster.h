/*
 * raster.h - cells of tiles merged to the rows of a screen: what a viewer is sent.
 *
 * A raster has up to 128 rows of 256 bins; a row stands for 1, 2, 4, ... rows of one tier, so that
 * a screen has as many rows as it has room for. A merged cell keeps the most common value (the
 * region with the largest share, and the mean shares of what time is spent on) and the most deviant
 * one: of the locations that its cells single out, the one whose shares are farthest from the
 * means. Layout of its bytes: docs/design/format-2-traces.md 4.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_RASTER_H
#define PH_TILES_RASTER_H

#include "tiles/tile.h"

#define PH_RASTER_ROWS 128
#define PH_RASTER_VERSION 1
/* Distances below do not single a location out: shares are rounded, and noise is no outlier. */
#define PH_RASTER_LEAST_DISTANCE 16

typedef struct PhRasterShape
{
	uint32_t tier;
	uint32_t each;	 /* rows of the tier a row: a power of two, below PH_TILE_ROWS */
	uint32_t block;	 /* rows from block * 128 on */
	uint32_t n_rows; /* of the tier */
} PhRasterShape;

/* What one location has in place of the others. */
typedef struct PhRasterDeviant
{
	uint8_t distance;  /* of 255; 0: nobody is singled out, and what follows is 0 */
	uint32_t location; /* less the first of the row */
	uint32_t region;   /* PH_NONE: none */
	PhShownShares shares;
} PhRasterDeviant;

typedef struct PhRasterCell
{
	uint32_t region; /* PH_NONE: none */
	uint8_t share;	 /* of 255 */
	bool is_empty;
	PhShownShares shares;
	PhRasterDeviant deviant;
} PhRasterCell;

typedef struct PhRaster PhRaster;

/* PH_ERR_VALUE: the shape is none. It is of env. */
PhStatus ph_raster_new(PhEnv *env, const PhRasterShape *shape, PhRaster **out) PH_MUST_CHECK;
void ph_raster_free(PhRaster *raster);

/* The first block of tiles of the tier that it needs, and how many of them there are. */
void ph_raster_blocks(const PhRasterShape *shape, uint32_t *first, uint32_t *n);

/* A tile of one of those blocks; each of them once at most. What is not added is empty. */
PhStatus ph_raster_add(PhRaster *raster, const PhTile *tile, const PhTileView *view) PH_MUST_CHECK;

/* row below ph_raster_rows(); bin below PH_TILE_BINS. */
uint32_t ph_raster_rows(const PhRaster *raster);
const PhRasterCell *ph_raster_cell(const PhRaster *raster, uint32_t row, uint32_t bin);

/* Its bytes, in arena. Cells with regions that the list of the raster has no room for have none. */
PhStatus ph_raster_encode(const PhRaster *raster, PhArena *arena, PhBytes *out) PH_MUST_CHECK;

#endif
