/*
 * raster.c - see raster.h.
 *
 * Cells of one raster row are of one tile, since their number divides that of a tile's rows: so
 * tiles may come in any order, and nothing but the result is kept.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tiles/raster.h"

#include <stdlib.h>

#include "base/min_max.h"
#include "base/vector.h"

/* Regions of the cells that are merged into one. */
#define MOST_TALLIES (PH_TILE_ROWS * PH_CELL_SHOWN)
#define MOST_LISTED UINT16_MAX
/* version, rows, bins, number of regions */
#define HEAD_BYTES (2 + 2 + 2 + 2)
#define N_PLANES 17
/* Shares are sent in 16 steps: more cannot be seen, and cost twice the bytes. */
#define STEP 17

struct PhRaster
{
	PhEnv *env;
	PhRasterShape shape;
	uint32_t n_rows;
	PhRasterCell *cells; /* n_rows times PH_TILE_BINS */
};

/* Sums over the locations of a merged cell. */
typedef struct Sums
{
	uint64_t weight; /* locations with calls */
	uint64_t communication, waiting, device, outside;
	uint32_t n_tallies;
	uint32_t region[MOST_TALLIES];
	uint64_t share[MOST_TALLIES];
} Sums;

static uint32_t
rows_of(const PhRasterShape *shape)
{
	uint64_t first = (uint64_t) shape->block * PH_RASTER_ROWS;
	uint64_t all = ((uint64_t) shape->n_rows + shape->each - 1) / shape->each;
	return first >= all ? 0 : (uint32_t) PH_MIN(all - first, (uint64_t) PH_RASTER_ROWS);
}

PhStatus
ph_raster_new(PhEnv *env, const PhRasterShape *shape, PhRaster **out)
{
	PhRaster *raster;
	if (shape->each == 0 || shape->each >= PH_TILE_ROWS || (shape->each & (shape->each - 1)) != 0)
		return ph_fail(env, PH_ERR_VALUE, "a row cannot stand for %u rows of a tier", shape->each);
	if (rows_of(shape) == 0)
		return ph_fail(env, PH_ERR_VALUE, "there is no block %u of %u rows by %u", shape->block,
					   shape->n_rows, shape->each);
	PH_TRY(ph_env_alloc(env, 1, sizeof(*raster), (void **) &raster));
	raster->env = env;
	raster->shape = *shape;
	raster->n_rows = rows_of(shape);
	PhStatus status = ph_env_alloc(env, (size_t) raster->n_rows * PH_TILE_BINS,
								   sizeof(*raster->cells), (void **) &raster->cells);
	if (status != PH_OK)
	{
		ph_raster_free(raster);
		return status;
	}
	for (size_t i = 0; i < (size_t) raster->n_rows * PH_TILE_BINS; i++)
		raster->cells[i] =
			(PhRasterCell){.region = PH_NONE, .is_empty = true, .deviant = {.region = PH_NONE}};
	*out = raster;
	return PH_OK;
}

void
ph_raster_free(PhRaster *raster)
{
	if (raster == NULL)
		return;
	ph_env_free(raster->env, raster->cells, (size_t) raster->n_rows * PH_TILE_BINS,
				sizeof(*raster->cells));
	ph_env_free(raster->env, raster, 1, sizeof(*raster));
}

void
ph_raster_blocks(const PhRasterShape *shape, uint32_t *first, uint32_t *n)
{
	uint64_t from = (uint64_t) shape->block * PH_RASTER_ROWS * shape->each;
	uint64_t to = from + (uint64_t) rows_of(shape) * shape->each;
	*first = (uint32_t) (from / PH_TILE_ROWS);
	*n = (uint32_t) ((to + PH_TILE_ROWS - 1) / PH_TILE_ROWS) - *first;
}

uint32_t
ph_raster_rows(const PhRaster *raster)
{
	return raster->n_rows;
}

const PhRasterCell *
ph_raster_cell(const PhRaster *raster, uint32_t row, uint32_t bin)
{
	return &raster->cells[(size_t) row * PH_TILE_BINS + bin];
}

/* ---- merging ---- */

/* Not the lists, which are as long as they are said to be. */
static void
clear(Sums *sums)
{
	sums->weight = sums->communication = sums->waiting = sums->device = sums->outside = 0;
	sums->n_tallies = 0;
}

static void
tally(Sums *sums, uint32_t region, uint64_t share)
{
	uint32_t i = 0;
	while (i < sums->n_tallies && sums->region[i] != region)
		i++;
	if (i == sums->n_tallies)
	{
		sums->region[i] = region;
		sums->share[i] = 0;
		sums->n_tallies++;
	}
	sums->share[i] += share;
}

static void
add_cell(Sums *sums, const PhShownCell *cell, uint32_t n_locations)
{
	sums->weight += n_locations;
	sums->communication += (uint64_t) cell->shares.communication * n_locations;
	sums->waiting += (uint64_t) cell->shares.waiting * n_locations;
	sums->device += (uint64_t) cell->shares.device * n_locations;
	sums->outside += (uint64_t) cell->shares.outside * n_locations;
	for (uint32_t i = 0; i < PH_CELL_SHOWN; i++)
		if (cell->region[i] != PH_NONE && cell->share[i] > 0 && n_locations > 0)
			tally(sums, cell->region[i], (uint64_t) cell->share[i] * n_locations);
}

static uint8_t
mean_of(uint64_t sum, uint64_t weight)
{
	return (uint8_t) ((sum + weight / 2) / weight);
}

/* The largest share, of equal ones the region of the lowest number. */
static void
take_most_common(const Sums *sums, PhRasterCell *out)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < sums->n_tallies; i++)
		if (sums->share[i] > most || (sums->share[i] == most && sums->region[i] < out->region))
		{
			most = sums->share[i];
			out->region = sums->region[i];
		}
	out->share = mean_of(most, sums->weight);
	out->shares = (PhShownShares){.communication = mean_of(sums->communication, sums->weight),
								  .waiting = mean_of(sums->waiting, sums->weight),
								  .device = mean_of(sums->device, sums->weight),
								  .outside = mean_of(sums->outside, sums->weight)};
}

static int
compute_of(PhShownShares shares)
{
	return UINT8_MAX - shares.communication - shares.waiting - shares.device - shares.outside;
}

/* Half the L1 distance of what time is spent on: 255 when all of it is spent on something else. */
static int
distance_of_shares(PhShownShares a, PhShownShares b)
{
	return (abs(a.communication - b.communication) + abs(a.waiting - b.waiting) +
			abs(a.device - b.device) + abs(a.outside - b.outside) +
			abs(compute_of(a) - compute_of(b))) /
		   2;
}

/* How much more or less of the bin the region has there than on average. */
static int
distance_of_region(const Sums *sums, uint32_t region, uint8_t share)
{
	uint64_t sum = 0;
	if (region == PH_NONE)
		return 0;
	for (uint32_t i = 0; i < sums->n_tallies; i++)
		if (sums->region[i] == region)
			sum = sums->share[i];
	return abs((int) share - (int) mean_of(sum, sums->weight));
}

/* The location that a cell singles out takes the place of another that is less far from the means.
 */
static void
consider(const Sums *sums, const PhShownCell *cell, uint32_t offset, PhRasterCell *out)
{
	int of_shares = distance_of_shares(cell->deviant_shares, out->shares);
	int of_region = distance_of_region(sums, cell->deviant_region, cell->deviant_share);
	int distance = PH_MIN(PH_MAX(of_shares, of_region), UINT8_MAX);
	if (distance < PH_RASTER_LEAST_DISTANCE || distance <= out->deviant.distance)
		return;
	out->deviant = (PhRasterDeviant){.distance = (uint8_t) distance,
									 .location = offset + cell->deviant,
									 .region = cell->deviant_region,
									 .shares = cell->deviant_shares};
}

/* Rows from `first` on, n of them; those without calls have no part in it. */
static void
merge_bin(const PhTileView *view, uint32_t first, uint32_t n, uint32_t bin, PhRasterCell *out)
{
	PhShownCell cells[PH_TILE_ROWS];
	Sums sums;
	bool is_empty = true;
	clear(&sums);
	for (uint32_t i = 0; i < n; i++)
	{
		ph_tile_cell(view, first + i, bin, &cells[i]);
		add_cell(&sums, &cells[i], view->n_locations[first + i]);
		is_empty = is_empty && (cells[i].is_empty || view->n_locations[first + i] == 0);
	}
	if (is_empty)
		return;
	out->is_empty = false;
	take_most_common(&sums, out);
	for (uint32_t i = 0; i < n; i++)
		if (view->n_locations[first + i] > 0)
			consider(&sums, &cells[i], (uint32_t) ph_tier_locations(view->tier) * i, out);
}

PhStatus
ph_raster_add(PhRaster *raster, const PhTile *tile, const PhTileView *view)
{
	const PhRasterShape *shape = &raster->shape;
	uint32_t first_block, n_blocks;
	ph_raster_blocks(shape, &first_block, &n_blocks);
	if (tile->tier != shape->tier || tile->block < first_block ||
		tile->block - first_block >= n_blocks)
		return ph_fail(raster->env, PH_ERR_VALUE, "a tile is not of the raster");
	uint64_t first = (uint64_t) tile->block * PH_TILE_ROWS; /* of the tier */
	PH_TRY(ph_env_poll_now(raster->env));
	for (uint32_t row = 0; row < view->n_rows; row += shape->each)
	{
		uint64_t out = (first + row) / shape->each - (uint64_t) shape->block * PH_RASTER_ROWS;
		uint32_t n = PH_MIN(shape->each, view->n_rows - row);
		if (first + row < (uint64_t) shape->block * PH_RASTER_ROWS * shape->each ||
			out >= raster->n_rows)
			continue;
		for (uint32_t bin = 0; bin < view->n_bins; bin++)
			merge_bin(view, row, n, bin, &raster->cells[out * PH_TILE_BINS + bin]);
	}
	return PH_OK;
}

/* ---- bytes ---- */

/* Regions of a raster in the order in which they come, found again by a table. */
typedef struct Listing
{
	uint32_t *regions; /* n of them */
	uint32_t n;
	uint32_t *slots; /* place in the list, from 1; 0: free */
	uint32_t mask;
} Listing;

/* A place from 1; 0: none, or no room. */
static uint32_t
place_of(Listing *listing, uint32_t region)
{
	if (region == PH_NONE)
		return 0;
	uint32_t slot = (region * UINT32_C(2654435761)) & listing->mask;
	while (listing->slots[slot] != 0 && listing->regions[listing->slots[slot] - 1] != region)
		slot = (slot + 1) & listing->mask;
	if (listing->slots[slot] == 0 && listing->n < MOST_LISTED)
	{
		listing->regions[listing->n++] = region;
		listing->slots[slot] = listing->n;
	}
	return listing->slots[slot];
}

/* Room for two regions a cell: as many cells as there are, at most MOST_LISTED. */
static PhStatus
new_listing(PhArena *arena, size_t n_cells, Listing *out)
{
	size_t most = PH_MIN(2 * n_cells, (size_t) MOST_LISTED);
	uint32_t slots = 1;
	while (slots < 2 * most)
		slots *= 2;
	out->n = 0;
	out->mask = slots - 1;
	PH_TRY(PH_NEW(arena, most, &out->regions));
	return PH_NEW(arena, slots, &out->slots);
}

static uint8_t
stepped(uint8_t share)
{
	return (uint8_t) ((share + STEP / 2) / STEP * STEP);
}

static void
put_shares(uint8_t *plane, size_t n, PhShownShares shares)
{
	plane[0] = stepped(shares.communication);
	plane[n] = stepped(shares.waiting);
	plane[2 * n] = stepped(shares.device);
	plane[3 * n] = stepped(shares.outside);
}

/* at: of the first plane; n: cells, so that planes are n apart. */
static void
put_cell(uint8_t *at, size_t n, const PhRasterCell *cell, Listing *listing)
{
	uint32_t place = place_of(listing, cell->region);
	uint32_t other = place_of(listing, cell->deviant.region);
	if (cell->is_empty)
		return;
	at[0] = (uint8_t) place;
	at[n] = (uint8_t) (place >> 8);
	at[2 * n] = stepped(cell->share);
	put_shares(at + 3 * n, n, cell->shares);
	at[7 * n] = stepped(cell->deviant.distance);
	at[8 * n] = (uint8_t) other;
	at[9 * n] = (uint8_t) (other >> 8);
	for (uint32_t i = 0; i < 3; i++)
		at[(10 + i) * n] = (uint8_t) (cell->deviant.location >> 8 * i);
	put_shares(at + 13 * n, n, cell->deviant.shares);
}

PhStatus
ph_raster_encode(const PhRaster *raster, PhArena *arena, PhBytes *out)
{
	size_t n = (size_t) raster->n_rows * PH_TILE_BINS;
	uint8_t *planes, *bytes;
	Listing listing;
	PH_TRY(new_listing(arena, n, &listing));
	PH_TRY(PH_NEW(arena, n * N_PLANES, &planes));
	for (size_t i = 0; i < n; i++)
		put_cell(planes + i, n, &raster->cells[i], &listing);
	size_t size = HEAD_BYTES + 4 * (size_t) listing.n + n * N_PLANES;
	PH_TRY(PH_NEW(arena, size, &bytes));
	PhByteWriter writer = {bytes};
	ph_put(&writer, PH_RASTER_VERSION, 2);
	ph_put(&writer, raster->n_rows, 2);
	ph_put(&writer, PH_TILE_BINS, 2);
	ph_put(&writer, listing.n, 2);
	for (uint32_t i = 0; i < listing.n; i++)
		ph_put(&writer, listing.regions[i], 4);
	ph_put_bytes(&writer, planes, n * N_PLANES);
	*out = (PhBytes){bytes, size};
	return PH_OK;
}
