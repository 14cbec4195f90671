/*
 * cell.h - what is known of a location, or of a group of them, in one bin of time.
 *
 * Shares are of 4096 and of one location: those of a group are sums over its locations, so that a
 * mean is share / 4096 / locations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_CELL_H
#define PH_TILES_CELL_H

#include "tiles/classes.h"

#define PH_CELL_COUNTERS 8 /* of Misra and Gries */
#define PH_CELL_SHOWN 3	   /* regions that are stored */
#define PH_CELL_WHOLE 4096 /* the share of all of a bin */

/* More locations would not fit into sums of shares. */
#define PH_TILE_MOST_LOCATIONS (1u << 20)
#define PH_TILE_MOST_LEVEL 62

#define PH_TILE_ROWS 64
#define PH_TILE_BINS 256

typedef struct PhLongestCall
{
	int64_t ns; /* exclusive; 0: none */
	uint32_t region;
	uint32_t location;
} PhLongestCall;

/* One location of a group, to be compared with the others. */
typedef struct PhBinDeviant
{
	uint32_t location;
	uint16_t activity[PH_ACTIVITIES];
	uint16_t share[PH_CELL_SHOWN]; /* 0: there is no such region */
	uint32_t region[PH_CELL_SHOWN];
	PhLongestCall longest;
} PhBinDeviant;

/* All zero: nothing. */
typedef struct PhBinCell
{
	uint32_t region[PH_CELL_COUNTERS]; /* by share, descending, then by number */
	uint32_t share[PH_CELL_COUNTERS];  /* 0: there is no such region */
	uint32_t ninth; /* the share of the ninth region; of groups 0, as it is taken off already */
	uint32_t activity[PH_ACTIVITIES];
	uint32_t depth;
	uint32_t n_messages;
	uint32_t n_present; /* locations that are in calls */
	PhLongestCall longest;
	PhBinDeviant deviant; /* of groups only */
} PhBinCell;

/* A region and its share of a bin of one location. */
typedef struct PhCounter
{
	uint32_t region;
	uint32_t share;
} PhCounter;

/*
 * The same of one location, as small as many of them must be: 64 rows of 1,024 whole cells are
 * larger than caches, and merging reads them by columns. Its counters are in a list of the row.
 */
typedef struct PhOwnCell
{
	uint32_t first; /* of its counters */
	uint32_t depth;
	uint32_t n_messages;
	uint32_t longest_region;
	int64_t longest; /* 0: none */
	uint16_t activity[PH_ACTIVITIES];
	uint16_t ninth;
	uint8_t n; /* of its counters */
	bool is_present;
} PhOwnCell;

/* All of a whole cell but the deviant, which locations have none of. */
void ph_cell_widen(const PhOwnCell *own, const PhCounter *counters, uint32_t location,
				   PhBinCell *out);

#endif
