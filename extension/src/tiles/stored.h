/*
 * stored.h - the tiles of pyramids, and whether they are sound.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_STORED_H
#define PH_TILES_STORED_H

#include "postgres.h"

#include "tiles/tile.h"
#include "trace/reader.h"

/* Of what makes tiles, as perfhouse.derived notes it: others are not read. */
#define PH_PYRAMID_VERSION 1

typedef void (*PhTileFunction)(void *user, const PhTile *tile);

/* A block of a tier at a level, and which of its tiles. */
typedef struct PhTilePlace
{
	uint32 tier, level, block;
	int64 first_x, end_x;
} PhTilePlace;

/*
 * Under SPI_connect: give the tiles of the place that are stored, by x; false: the run has no
 * pyramid, or not this block at this level. What is missing of a block that is there is empty.
 * PH001: a tile is damaged.
 */
bool ph_stored_tiles(int64 run_id, const PhTilePlace *place, PhTileFunction function, void *user);

/* Under SPI_connect: the finest level of a run's pyramid; -1: it has none. */
int ph_stored_level(int64 run_id);

/* Under SPI_connect: what is wrong with the tiles of a run, in the current context; NULL: nothing.
 */
char *ph_check_tiles(PhTraceRun *trace);

/* Under SPI_connect: does the run have tiles, or is noted to have some? */
bool ph_run_has_tiles(int64 run_id);

#endif
