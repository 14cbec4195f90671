/*
 * tile.h - the stored form of cells: 64 rows of a tier, up to 256 bins of a level.
 *
 * Layout: docs/design/format-2-traces.md 4. A tile is a function of its cells.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_TILE_H
#define PH_TILES_TILE_H

#include "base/bytes.h"
#include "tiles/cell.h"

/* A row of perfhouse.trace_tile without its run. */
typedef struct PhTile
{
	uint32_t tier, level;
	uint32_t block; /* rows from block * 64 on; a row of tier t stands for 64^t locations */
	uint64_t x;		/* bins from x * 256 on */
	PhBytes bytes;
} PhTile;

/* The checksum of a tile's row, all of its columns but the run's number. */
uint32_t ph_tile_crc(const PhTile *tile);

/* How many locations a row of a tier stands for. */
static inline uint64_t
ph_tier_locations(uint32_t tier)
{
	return UINT64_C(1) << 6 * tier;
}

/* -------------------------------------------------------------------------------- writing */

typedef struct PhTileWriter PhTileWriter;

PhStatus ph_tile_writer_new(PhEnv *env, uint32_t n_regions, PhTileWriter **out) PH_MUST_CHECK;
void ph_tile_writer_free(PhTileWriter *writer);

/* What a tile is made of. */
typedef struct PhTileCells
{
	uint32_t tier;
	uint64_t first_location; /* of row 0 */
	uint32_t n_rows, n_bins;
	const PhBinCell *const *rows; /* n_cells[r] cells of row r; those behind are empty */
	const uint32_t *n_cells;
	const uint32_t *n_locations; /* by row: those with calls */
} PhTileCells;

/* The bytes are valid until the next call. */
PhStatus ph_tile_encode(PhTileWriter *writer, const PhTileCells *cells, PhBytes *out) PH_MUST_CHECK;

/* -------------------------------------------------------------------------------- reading */

/* A cell of a tile, as it is stored: shares are of 255, means over the row's locations. */
typedef struct PhShownShares
{
	uint8_t communication, waiting, device, outside; /* compute is the rest */
} PhShownShares;

typedef struct PhShownCall
{
	uint64_t ns; /* 0: none; cut to 9 significant bits */
	uint32_t region;
} PhShownCall;

typedef struct PhShownCell
{
	uint32_t region[PH_CELL_SHOWN]; /* PH_NONE: none */
	uint8_t share[PH_CELL_SHOWN];
	PhShownShares shares;
	PhShownCall longest;
	uint8_t depth;		 /* 255: or more */
	uint32_t n_messages; /* cut to 4 significant bits */
	bool is_empty;
	/* of groups; of single locations they are what the location itself has */
	uint32_t longest_location; /* offset from the row's first */
	uint32_t n_present;
	uint32_t deviant; /* offset from the row's first */
	PhShownShares deviant_shares;
	uint32_t deviant_region; /* PH_NONE: none */
	uint8_t deviant_share;
	PhShownCall deviant_longest;
} PhShownCell;

#define PH_TILE_PLANES 39

typedef struct PhTileView
{
	uint32_t tier, n_rows, n_bins, n_regions;
	uint32_t n_locations[PH_TILE_ROWS];	   /* with calls, by row */
	const uint32_t *regions;			   /* ascending */
	const uint8_t *planes[PH_TILE_PLANES]; /* NULL: 0 everywhere */
} PhTileView;

/*
 * Open a tile of a tier; the view is of arena. Whatever the bytes are, it is sound or
 * PH_ERR_FORMAT: rows, bins and places of regions are in range.
 */
PhStatus ph_tile_decode(PhArena *arena, uint32_t tier, PhBytes bytes,
						PhTileView *out) PH_MUST_CHECK;

/* row < n_rows; bin < n_bins. */
void ph_tile_cell(const PhTileView *view, uint32_t row, uint32_t bin, PhShownCell *out);

#endif
