/*
 * test_raster.c - merged rows of random tiles against a slow reference; their bytes; one slow rank
 * of 16,384 in rasters of every size; shapes and tiles that are none; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_env.h"
#include "support/random_trace.h"
#include "tiles/merge.h"
#include "tiles/raster.h"
#include "tiles/tile_planes.h"

static RandomNumbers numbers;

/* ---- random tiles ---- */

#define N_REGIONS 9
#define MOST_BINS 40

typedef struct RandomTile
{
	PhTile tile;
	PhTileView view;
	uint32_t regions[N_REGIONS];
	uint8_t planes[PH_TILE_PLANES][PH_TILE_ROWS * MOST_BINS];
} RandomTile;

/* Shares that are at most 255 together, one after the other. */
static void
random_shares(RandomTile *tile, uint32_t plane, uint32_t n, size_t at)
{
	uint32_t rest = 255;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t share = numbers_below(&numbers, 4) == 0 ? 0 : numbers_below(&numbers, rest + 1);
		tile->planes[plane + i][at] = (uint8_t) share;
		rest -= share;
	}
}

static void
random_cell(RandomTile *tile, size_t at)
{
	for (uint32_t i = 0; i < PH_CELL_SHOWN; i++)
		tile->planes[PH_PLANE_REGION + i][at] = (uint8_t) numbers_below(&numbers, N_REGIONS + 1);
	random_shares(tile, PH_PLANE_SHARE, PH_CELL_SHOWN, at);
	random_shares(tile, PH_PLANE_SHARES, 4, at);
	random_shares(tile, PH_PLANE_DEVIANT_SHARES, 4, at);
	tile->planes[PH_PLANE_DEPTH][at] = (uint8_t) numbers_below(&numbers, 3);
	tile->planes[PH_PLANE_DEVIANT][at] = (uint8_t) numbers_below(&numbers, 64);
	tile->planes[PH_PLANE_DEVIANT_REGION][at] = (uint8_t) numbers_below(&numbers, N_REGIONS + 1);
	tile->planes[PH_PLANE_DEVIANT_SHARE][at] = (uint8_t) numbers_below(&numbers, 256);
	if (tile->planes[PH_PLANE_DEPTH][at] == 0 && numbers_below(&numbers, 2) == 0)
	{
		for (uint32_t plane = 0; plane < PH_TILE_PLANES; plane++)
			tile->planes[plane][at] = 0;
		tile->planes[PH_PLANE_SHARES + 3][at] = 255;
	}
}

static void
random_tile(RandomTile *tile, uint32_t tier, uint32_t block, uint32_t n_rows)
{
	memset(tile, 0, sizeof(*tile));
	tile->tile = (PhTile){.tier = tier, .block = block};
	tile->view = (PhTileView){.tier = tier,
							  .n_rows = n_rows,
							  .n_bins = 1 + numbers_below(&numbers, MOST_BINS),
							  .n_regions = N_REGIONS,
							  .regions = tile->regions};
	for (uint32_t i = 0; i < N_REGIONS; i++)
		tile->regions[i] = 7 * i + block % 7;
	for (uint32_t row = 0; row < n_rows; row++)
		tile->view.n_locations[row] =
			tier == 0 ? numbers_below(&numbers, 5) > 0 : numbers_below(&numbers, 65);
	for (size_t at = 0; at < (size_t) n_rows * tile->view.n_bins; at++)
		random_cell(tile, at);
	for (uint32_t plane = 0; plane < PH_TILE_PLANES; plane++)
		tile->view.planes[plane] = tile->planes[plane];
}

/* ---- the reference ---- */

#define REGION_NUMBERS 64

typedef struct SlowMean
{
	double weight, region[REGION_NUMBERS], activity[5];
	bool is_empty;
} SlowMean;

static void
slow_activities(PhShownShares shares, double out[5])
{
	double of[] = {shares.communication, shares.waiting, shares.device, shares.outside, 255};
	memcpy(out, of, sizeof(of));
	for (int i = 0; i < 4; i++)
		out[4] -= of[i];
}

static SlowMean
slow_mean(const RandomTile *tile, uint32_t first, uint32_t n, uint32_t bin)
{
	SlowMean mean = {.is_empty = true};
	for (uint32_t row = first; row < first + n; row++)
	{
		PhShownCell cell;
		double activity[5], locations = tile->view.n_locations[row];
		ph_tile_cell(&tile->view, row, bin, &cell);
		slow_activities(cell.shares, activity);
		mean.weight += locations;
		for (int i = 0; i < 5; i++)
			mean.activity[i] += activity[i] * locations;
		for (int i = 0; i < PH_CELL_SHOWN; i++)
			if (cell.region[i] != PH_NONE)
				mean.region[cell.region[i]] += cell.share[i] * locations;
		if (locations > 0 && !cell.is_empty)
			mean.is_empty = false;
	}
	for (int i = 0; i < 5; i++)
		mean.activity[i] /= mean.weight;
	for (int i = 0; i < REGION_NUMBERS; i++)
		mean.region[i] /= mean.weight;
	return mean;
}

static double
slow_distance(const SlowMean *mean, const PhShownCell *cell)
{
	double activity[5], sum = 0, of_region = 0;
	slow_activities(cell->deviant_shares, activity);
	for (int i = 0; i < 5; i++)
		sum += fabs(activity[i] - mean->activity[i]) / 2;
	if (cell->deviant_region != PH_NONE)
		of_region = fabs(cell->deviant_share - mean->region[cell->deviant_region]);
	return fmin(fmax(sum, of_region), 255);
}

/* The farthest of the cells; rounding of means may prefer another that is as far but for 3. */
static void
check_deviant(const RandomTile *tile, uint32_t first, uint32_t n, uint32_t bin,
			  const SlowMean *mean, const PhRasterDeviant *deviant)
{
	double farthest = 0, given = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		PhShownCell cell;
		ph_tile_cell(&tile->view, first + i, bin, &cell);
		if (tile->view.n_locations[first + i] == 0)
			continue;
		double distance = slow_distance(mean, &cell);
		farthest = fmax(farthest, distance);
		if (deviant->location == ph_tier_locations(tile->view.tier) * i + cell.deviant &&
			deviant->region == cell.deviant_region &&
			memcmp(&deviant->shares, &cell.deviant_shares, sizeof(PhShownShares)) == 0)
			given = fmax(given, distance);
	}
	if (deviant->distance == 0)
		assert_true(farthest < PH_RASTER_LEAST_DISTANCE + 3);
	else
	{
		assert_true(fabs(given - deviant->distance) < 3);
		assert_true(farthest - given < 3);
	}
}

static void
check_row(const RandomTile *tile, uint32_t first, uint32_t n, const PhRaster *raster, uint32_t row)
{
	for (uint32_t bin = 0; bin < PH_TILE_BINS; bin++)
	{
		const PhRasterCell *cell = ph_raster_cell(raster, row, bin);
		SlowMean mean = {.is_empty = true};
		if (bin < tile->view.n_bins)
			mean = slow_mean(tile, first, n, bin);
		assert_int_equal(cell->is_empty, mean.is_empty);
		if (mean.is_empty)
		{
			assert_int_equal(cell->region, PH_NONE);
			assert_int_equal(cell->deviant.distance, 0);
			continue;
		}
		double most = 0;
		for (int i = 0; i < REGION_NUMBERS; i++)
			most = fmax(most, mean.region[i]);
		assert_true(fabs(cell->share - most) <= 0.5 + 1e-9);
		assert_true(most == 0 ? cell->region == PH_NONE
							  : fabs(mean.region[cell->region] - most) < 1e-9);
		assert_true(fabs(cell->shares.communication - mean.activity[0]) <= 0.5 + 1e-9);
		assert_true(fabs(cell->shares.waiting - mean.activity[1]) <= 0.5 + 1e-9);
		assert_true(fabs(cell->shares.device - mean.activity[2]) <= 0.5 + 1e-9);
		assert_true(fabs(cell->shares.outside - mean.activity[3]) <= 0.5 + 1e-9);
		check_deviant(tile, first, n, bin, &mean, &cell->deviant);
	}
}

static void
test_random(void **state)
{
	(void) state;
	PhEnv env;
	RandomTile *tile = malloc(sizeof(*tile));
	ph_env_init_malloc(&env);
	for (int round = 0; round < 150; round++)
	{
		PhRaster *raster;
		uint32_t tier = numbers_below(&numbers, 3), each = 1u << numbers_below(&numbers, 6);
		uint32_t first, n, block = numbers_below(&numbers, 3);
		PhRasterShape shape = {tier, each, block,
							   (block * PH_RASTER_ROWS + 1) * each +
								   numbers_below(&numbers, PH_RASTER_ROWS * each)};
		assert_int_equal(ph_raster_new(&env, &shape, &raster), PH_OK);
		ph_raster_blocks(&shape, &first, &n);
		uint32_t of = first + numbers_below(&numbers, n);
		uint32_t n_rows = shape.n_rows - of * PH_TILE_ROWS;
		random_tile(tile, tier, of, n_rows < PH_TILE_ROWS ? n_rows : PH_TILE_ROWS);
		assert_int_equal(ph_raster_add(raster, &tile->tile, &tile->view), PH_OK);
		for (uint32_t row = 0; row < tile->view.n_rows; row += each)
			check_row(tile, row, each < tile->view.n_rows - row ? each : tile->view.n_rows - row,
					  raster, (of * PH_TILE_ROWS + row) / each - block * PH_RASTER_ROWS);
		ph_raster_free(raster);
	}
	free(tile);
	assert_int_equal(env.bytes, 0);
}

/* ---- bytes ---- */

static uint8_t
stepped(uint32_t share)
{
	return (uint8_t) (17 * ((share + 8) / 17));
}

static uint32_t
region_at(const uint8_t *regions, const uint8_t *planes, size_t plane, size_t n, size_t i)
{
	uint32_t place = planes[plane * n + i] | (uint32_t) planes[(plane + 1) * n + i] << 8;
	const uint8_t *at = regions + 4 * (size_t) (place - 1);
	return place == 0
			   ? PH_NONE
			   : at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
}

static PhStatus
encode_one(PhEnv *env, void *user)
{
	const RandomTile *tile = user;
	PhRasterShape shape = {tile->view.tier, 4, 0, 64};
	PhRaster *raster;
	PhArena arena;
	PhBytes bytes = {NULL, 0};
	ph_arena_init(&arena, env);
	PH_TRY(ph_raster_new(env, &shape, &raster));
	PhStatus status = ph_raster_add(raster, &tile->tile, &tile->view);
	if (status == PH_OK)
		status = ph_raster_encode(raster, &arena, &bytes);
	const uint8_t *head = bytes.data;
	size_t n = 16 * PH_TILE_BINS;
	for (size_t i = 0; i < n && status == PH_OK; i++)
	{
		const PhRasterCell *cell = ph_raster_cell(raster, i / PH_TILE_BINS, i % PH_TILE_BINS);
		const uint8_t *planes = head + 8 + 4 * (size_t) head[6];
		const PhRasterDeviant *deviant = &cell->deviant;
		assert_int_equal(bytes.size, 8 + 4 * (size_t) head[6] + 17 * n);
		assert_int_equal(region_at(head + 8, planes, 0, n, i), cell->region);
		assert_int_equal(planes[2 * n + i], stepped(cell->share));
		assert_int_equal(planes[3 * n + i], stepped(cell->shares.communication));
		assert_int_equal(planes[4 * n + i], stepped(cell->shares.waiting));
		assert_int_equal(planes[5 * n + i], stepped(cell->shares.device));
		assert_int_equal(planes[6 * n + i], stepped(cell->shares.outside));
		assert_int_equal(planes[7 * n + i], stepped(deviant->distance));
		assert_int_equal(region_at(head + 8, planes, 8, n, i), deviant->region);
		assert_int_equal(planes[10 * n + i] | planes[11 * n + i] << 8 | planes[12 * n + i] << 16,
						 deviant->location);
		assert_int_equal(planes[14 * n + i], stepped(deviant->shares.waiting));
		assert_int_equal(planes[16 * n + i], stepped(deviant->shares.outside));
	}
	ph_arena_drop(&arena);
	ph_raster_free(raster);
	return status;
}

static void
test_bytes(void **state)
{
	(void) state;
	PhEnv env;
	RandomTile *tile = malloc(sizeof(*tile));
	ph_env_init_malloc(&env);
	random_tile(tile, 2, 0, 64);
	assert_int_equal(encode_one(&env, tile), PH_OK);
	assert_int_equal(env.bytes, 0);
	assert_string_equal(fault_env_try_allocations(encode_one, tile, 0), "");
	assert_string_equal(fault_env_try_interrupts(encode_one, tile, 0), "");
	free(tile);
}

/* ---- outliers ---- */

#define N_RANKS 16384
#define SLOW 11777
#define N_BINS 8

/* Every rank computes and waits in turn, with noise; the slow one computes all the time. */
static void
make_rank(uint32_t rank, PhBinCell *cells)
{
	for (uint32_t bin = 0; bin < N_BINS; bin++)
	{
		uint32_t busy = rank == SLOW ? 4090 : 1900 + numbers_below(&numbers, 400);
		bool first = busy >= PH_CELL_WHOLE - busy;
		cells[bin] = (PhBinCell){
			.region = {first ? 0 : 1, first ? 1 : 0},
			.share = {first ? busy : PH_CELL_WHOLE - busy, first ? PH_CELL_WHOLE - busy : busy},
			.depth = 1,
			.n_present = 1};
		cells[bin].activity[PH_ACTIVITY_COMPUTE] = busy;
		cells[bin].activity[PH_ACTIVITY_WAITING] = PH_CELL_WHOLE - busy;
	}
}

/* Rows of a tier above: 64 of `below` each. */
static void
merge_tier(PhMerger *merger, const PhBinCell *below, uint32_t n_below, bool is_group,
		   PhBinCell *out)
{
	for (uint32_t row = 0; row < n_below / 64; row++)
		for (uint32_t bin = 0; bin < N_BINS; bin++)
		{
			PhMergePart parts[64];
			uint32_t each = is_group ? 64 : 1;
			for (uint32_t i = 0; i < 64; i++)
				parts[i] = (PhMergePart){below + (row * 64 + i) * N_BINS + bin,
										 (row * 64 + i) * each, each, is_group};
			ph_merge_cells(merger, parts, 64, &out[row * N_BINS + bin]);
		}
}

/* The tile of a block, added. */
static void
add_block(PhEnv *env, PhTileWriter *writer, PhRaster *raster, const PhTile *head,
		  const PhBinCell *cells, uint32_t n_rows)
{
	const PhBinCell *rows[64];
	uint32_t n_cells[64], n_locations[64], each = (uint32_t) ph_tier_locations(head->tier);
	uint32_t n = n_rows - head->block * 64 < 64 ? n_rows - head->block * 64 : 64;
	PhTile tile = *head;
	PhTileView view;
	PhArena arena;
	for (uint32_t i = 0; i < n; i++)
	{
		rows[i] = cells + (head->block * 64 + i) * N_BINS;
		n_cells[i] = N_BINS;
		n_locations[i] = each;
	}
	PhTileCells of = {head->tier, (uint64_t) head->block * 64 * each, n, N_BINS, rows, n_cells,
					  n_locations};
	ph_arena_init(&arena, env);
	assert_int_equal(ph_tile_encode(writer, &of, &tile.bytes), PH_OK);
	assert_int_equal(ph_tile_decode(&arena, tile.tier, tile.bytes, &view), PH_OK);
	assert_int_equal(ph_raster_add(raster, &tile, &view), PH_OK);
	ph_arena_drop(&arena);
}

/* The row that has it singles the slow rank out in every bin, and no other row anybody so far. */
static void
look_for_slow(const PhRaster *raster, uint32_t tier, uint32_t each, uint32_t block)
{
	uint32_t stands_for = each * (uint32_t) ph_tier_locations(tier);
	uint32_t row = SLOW / stands_for - block * PH_RASTER_ROWS;
	for (uint32_t r = 0; r < ph_raster_rows(raster); r++)
		for (uint32_t bin = 0; bin < N_BINS; bin++)
		{
			const PhRasterCell *cell = ph_raster_cell(raster, r, bin);
			if (r != row)
				assert_true(cell->deviant.distance < 40);
			else if (stands_for == 1)
				assert_true(cell->region == 0 && cell->share > 250);
			else
			{
				/* of two, both are as far from their mean */
				assert_true(stands_for == 2 || cell->deviant.location == SLOW % stands_for);
				assert_true(stands_for == 2 || cell->deviant.region == 0);
				assert_true(cell->deviant.distance > 55);
			}
		}
}

static void
test_slow_rank(void **state)
{
	(void) state;
	PhEnv env;
	PhMerger *merger;
	PhTileWriter *writer;
	PhBinCell *tiers[3];
	ph_env_init_malloc(&env);
	assert_int_equal(ph_merger_new(&env, 2, &merger), PH_OK);
	assert_int_equal(ph_tile_writer_new(&env, 2, &writer), PH_OK);
	for (uint32_t tier = 0; tier < 3; tier++)
		tiers[tier] = calloc((N_RANKS >> 6 * tier) * N_BINS, sizeof(PhBinCell));
	for (uint32_t rank = 0; rank < N_RANKS; rank++)
		make_rank(rank, tiers[0] + rank * N_BINS);
	merge_tier(merger, tiers[0], N_RANKS, false, tiers[1]);
	merge_tier(merger, tiers[1], N_RANKS / 64, true, tiers[2]);
	for (uint32_t tier = 0; tier < 3; tier++)
		for (uint32_t each = 1; each <= 32; each *= 2)
		{
			uint32_t n_rows = N_RANKS >> 6 * tier, first, n;
			uint32_t block = SLOW / (uint32_t) ph_tier_locations(tier) / each / PH_RASTER_ROWS;
			PhRasterShape shape = {tier, each, block, n_rows};
			PhRaster *raster;
			if (each > n_rows)
				continue;
			assert_int_equal(ph_raster_new(&env, &shape, &raster), PH_OK);
			ph_raster_blocks(&shape, &first, &n);
			for (uint32_t i = 0; i < n; i++)
			{
				PhTile head = {.tier = tier, .block = first + i};
				add_block(&env, writer, raster, &head, tiers[tier], n_rows);
			}
			look_for_slow(raster, tier, each, block);
			ph_raster_free(raster);
		}
	for (uint32_t tier = 0; tier < 3; tier++)
		free(tiers[tier]);
	ph_tile_writer_free(writer);
	ph_merger_free(merger);
	assert_int_equal(env.bytes, 0);
}

static void
test_shapes(void **state)
{
	(void) state;
	PhEnv env;
	PhRaster *raster;
	uint32_t bad[] = {0, 3, 64, 128};
	ph_env_init_malloc(&env);
	for (int i = 0; i < 4; i++)
	{
		PhRasterShape shape = {0, bad[i], 0, 1000};
		assert_int_equal(ph_raster_new(&env, &shape, &raster), PH_ERR_VALUE);
	}
	PhRasterShape behind = {0, 2, 4, 1024}, last = {0, 2, 3, 1024};
	assert_int_equal(ph_raster_new(&env, &behind, &raster), PH_ERR_VALUE);
	assert_int_equal(ph_raster_new(&env, &last, &raster), PH_OK);
	assert_int_equal(ph_raster_rows(raster), 128);
	RandomTile *tile = malloc(sizeof(*tile));
	random_tile(tile, 0, 11, 64);
	assert_int_equal(ph_raster_add(raster, &tile->tile, &tile->view), PH_ERR_VALUE);
	random_tile(tile, 1, 12, 64);
	assert_int_equal(ph_raster_add(raster, &tile->tile, &tile->view), PH_ERR_VALUE);
	free(tile);
	ph_raster_free(raster);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_bytes),
									   cmocka_unit_test(test_slow_rank),
									   cmocka_unit_test(test_shapes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
