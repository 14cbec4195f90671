/*
 * maker.h - tiles from the chunks of a stored trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_MAKER_H
#define PH_TILES_MAKER_H

#include "postgres.h"

#include "tiles/pyramid.h"
#include "trace/reader.h"

typedef struct PhTileMaker PhTileMaker;

/* Of a trace that was begun with PH_TRACE_REGIONS and stays; in its scratch memory. */
PhTileMaker *ph_tile_maker(PhTraceRun *trace);

/* What to make: bins of one level, or all levels. */
typedef struct PhTileRequest
{
	uint32 level;
	int64 first_bin; /* a multiple of PH_TILE_BINS */
	uint32 n_bins;	 /* 0: all levels, the finest having most_bins */
	uint32 most_bins;
	uint32 tier;						/* or PH_ALL_TIERS */
	uint32 first_location, n_locations; /* whole blocks of the tier */
	PhTileEmit emit;
	void *user;
} PhTileRequest;

/* Reads the chunks that the request needs, once. */
void ph_tiles_make(PhTileMaker *maker, const PhTileRequest *request);

#endif
