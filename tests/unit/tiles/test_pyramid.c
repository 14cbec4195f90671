/*
 * test_pyramid.c - merged cells against exact sums, and their deviants against a slow search; tiles
 * in any order of locations, and of windows; one slow rank of 4,500 in every merged cell; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_env.h"
#include "support/random_trace.h"
#include "tiles/merge.h"
#include "tiles/pyramid.h"

static RandomNumbers numbers;

/* ---- merging ---- */

#define N_REGIONS 60
#define N_PARTS 64

typedef struct MergeCase
{
	uint32_t n;
	PhBinCell cells[N_PARTS];
	PhMergePart parts[N_PARTS];
	double exact[N_REGIONS]; /* what the parts' regions took, also what they have no counter for */
	double whole;			 /* of all regions */
} MergeCase;

/* A location with the exact sums of up to 20 regions, as ph_bins_cells would make of them. */
static void
make_location(MergeCase *test, uint32_t i)
{
	uint32_t n = 1 + numbers_below(&numbers, 20), rest = PH_CELL_WHOLE;
	uint32_t first = numbers_below(&numbers, 3) == 0 ? numbers_below(&numbers, 40) : 0;
	PhBinCell *cell = &test->cells[i];
	*cell = (PhBinCell){.n_present = 1, .depth = numbers_below(&numbers, 9)};
	uint32_t share = PH_CELL_WHOLE / (2 + numbers_below(&numbers, 12));
	for (uint32_t r = 0; r < n && share > 0 && rest >= share; r++)
	{
		if (r < PH_CELL_COUNTERS)
		{
			cell->region[r] = first + r;
			cell->share[r] = share;
		}
		else if (r == PH_CELL_COUNTERS)
			cell->ninth = share;
		cell->activity[(first + r) % PH_ACTIVITIES] += share;
		test->exact[first + r] += share;
		test->whole += share;
		rest -= share;
		share -= numbers_below(&numbers, 1 + share / 8);
	}
	if (numbers_below(&numbers, 2) == 0)
		cell->longest = (PhLongestCall){1 + numbers_below(&numbers, 99), first, i};
}

static void
make_merge(MergeCase *test)
{
	memset(test, 0, sizeof(*test));
	test->n = 1 + numbers_below(&numbers, N_PARTS);
	for (uint32_t i = 0; i < test->n; i++)
	{
		bool has = numbers_below(&numbers, 10) > 0;
		if (has)
			make_location(test, i);
		test->parts[i] = (PhMergePart){has ? &test->cells[i] : NULL, i, 1, false};
	}
}

static uint32_t
counter_of(const PhBinCell *cell, uint32_t region)
{
	for (uint32_t i = 0; i < PH_CELL_COUNTERS; i++)
		if (cell->share[i] > 0 && cell->region[i] == region)
			return cell->share[i];
	return 0;
}

/* Misra and Gries: never too much, too little by a ninth at most. */
static void
assert_counters(const MergeCase *test, const PhBinCell *merged)
{
	for (uint32_t r = 0; r < N_REGIONS; r++)
	{
		double counter = counter_of(merged, r);
		assert_true(counter <= test->exact[r]);
		assert_true(test->exact[r] - counter <= test->whole / 9);
	}
	for (uint32_t i = 1; i < PH_CELL_COUNTERS; i++)
		assert_true(merged->share[i] <= merged->share[i - 1]);
}

/* The distance of a part's shares from the mean, region by region. */
static double
slow_distance(const MergeCase *test, const PhBinCell *merged, uint32_t part)
{
	static const PhBinCell none;
	const PhBinCell *cell = test->parts[part].cell == NULL ? &none : test->parts[part].cell;
	double distance = 0;
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
	{
		double difference = cell->activity[i] - (double) merged->activity[i] / test->n;
		distance += difference < 0 ? -difference : difference;
	}
	for (uint32_t r = 0; r < N_REGIONS; r++)
	{
		double mean = 0, own = 0;
		for (uint32_t i = 0; i < test->n; i++)
		{
			const PhBinCell *other = test->parts[i].cell;
			uint32_t counter = other == NULL ? 0 : counter_of(other, r);
			mean += other != NULL && counter > other->ninth ? counter - other->ninth : 0;
		}
		for (uint32_t i = 0; i < PH_CELL_SHOWN; i++)
			own += cell->share[i] > 0 && cell->region[i] == r ? cell->share[i] : 0;
		mean /= test->n;
		distance += own < mean ? mean - own : own - mean;
	}
	return distance;
}

static void
assert_deviant(const MergeCase *test, const PhBinCell *merged)
{
	double most = 0;
	for (uint32_t i = 0; i < test->n; i++)
	{
		double distance = slow_distance(test, merged, i);
		most = distance > most ? distance : most;
	}
	uint32_t deviant = merged->deviant.location;
	assert_true(deviant < test->n);
	assert_true(slow_distance(test, merged, deviant) > most - 1e-6);
	if (test->parts[deviant].cell != NULL)
		assert_memory_equal(&merged->deviant.longest, &test->cells[deviant].longest,
							sizeof(PhLongestCall));
}

static void
assert_rest(const MergeCase *test, const PhBinCell *merged)
{
	PhBinCell slow = {0};
	for (uint32_t i = 0; i < test->n; i++)
	{
		const PhBinCell *cell = test->parts[i].cell;
		if (cell == NULL)
			continue;
		for (uint32_t a = 0; a < PH_ACTIVITIES; a++)
			slow.activity[a] += cell->activity[a];
		slow.n_present++;
		slow.depth = cell->depth > slow.depth ? cell->depth : slow.depth;
		if (cell->longest.ns > slow.longest.ns)
			slow.longest = cell->longest;
	}
	assert_memory_equal(merged->activity, slow.activity, sizeof(slow.activity));
	assert_memory_equal(&merged->longest, &slow.longest, sizeof(slow.longest));
	assert_int_equal(merged->n_present, slow.n_present);
	assert_int_equal(merged->depth, slow.depth);
}

static void
test_merge(void **state)
{
	(void) state;
	static MergeCase test;
	PhEnv env;
	PhMerger *merger;
	PhBinCell merged;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_merger_new(&env, N_REGIONS, &merger), PH_OK);
	for (uint32_t i = 0; i < 400; i++)
	{
		make_merge(&test);
		ph_merge_cells(merger, test.parts, test.n, &merged);
		assert_counters(&test, &merged);
		assert_deviant(&test, &merged);
		assert_rest(&test, &merged);
	}
	ph_merger_free(merger);
	assert_int_equal(env.bytes, 0);
}

/* Groups of groups: the bound holds for the sum of all. */
static void
test_merge_twice(void **state)
{
	(void) state;
	static MergeCase test[20];
	PhEnv env;
	PhMerger *merger;
	PhBinCell groups[20], merged;
	PhMergePart parts[20];
	static MergeCase all;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_merger_new(&env, N_REGIONS, &merger), PH_OK);
	for (uint32_t round = 0; round < 20; round++)
	{
		memset(&all, 0, sizeof(all));
		for (uint32_t i = 0; i < 20; i++)
		{
			make_merge(&test[i]);
			ph_merge_cells(merger, test[i].parts, test[i].n, &groups[i]);
			parts[i] = (PhMergePart){&groups[i], i * N_PARTS, test[i].n, true};
			for (uint32_t r = 0; r < N_REGIONS; r++)
				all.exact[r] += test[i].exact[r];
			all.whole += test[i].whole;
		}
		ph_merge_cells(merger, parts, 20, &merged);
		assert_counters(&all, &merged);
	}
	ph_merger_free(merger);
	assert_int_equal(env.bytes, 0);
}

/* ---- pyramids ---- */

#define MOST_LOCATIONS 200

typedef struct StoredTile
{
	PhTile tile;
	uint8_t *bytes;
} StoredTile;

typedef struct StoredTiles
{
	uint32_t n, capacity;
	StoredTile *tiles;
	uint32_t room; /* tiles that are taken; 0: all */
} StoredTiles;

static PhStatus
keep_tile(void *user, const PhTile *tile)
{
	StoredTiles *out = user;
	if (out->room > 0 && out->n == out->room)
		return PH_ERR_LIMIT;
	if (out->n == out->capacity)
	{
		out->capacity = 2 * out->capacity + 16;
		out->tiles = realloc(out->tiles, out->capacity * sizeof(StoredTile));
	}
	StoredTile *kept = &out->tiles[out->n++];
	kept->tile = *tile;
	kept->bytes = malloc(tile->bytes.size);
	memcpy(kept->bytes, tile->bytes.data, tile->bytes.size);
	kept->tile.bytes.data = kept->bytes;
	return PH_OK;
}

static void
free_tiles(StoredTiles *tiles)
{
	for (uint32_t i = 0; i < tiles->n; i++)
		free(tiles->tiles[i].bytes);
	free(tiles->tiles);
	*tiles = (StoredTiles){.room = tiles->room};
}

static const PhTile *
find_tile(const StoredTiles *tiles, const PhTile *like)
{
	for (uint32_t i = 0; i < tiles->n; i++)
	{
		const PhTile *tile = &tiles->tiles[i].tile;
		if (tile->tier == like->tier && tile->level == like->level && tile->block == like->block &&
			tile->x == like->x)
			return tile;
	}
	return NULL;
}

static void
assert_same(const PhTile *tile, const PhTile *other)
{
	assert_non_null(other);
	assert_int_equal(tile->bytes.size, other->bytes.size);
	assert_memory_equal(tile->bytes.data, other->bytes.data, tile->bytes.size);
}

/* A trace: chunks by location; some locations have none. */
typedef struct Trace
{
	uint32_t n_locations, n_regions;
	StoredChunks *stored; /* by location */
	uint8_t *activities;
} Trace;

static void
make_trace(PhEnv *env, uint32_t n_locations, Trace *out)
{
	*out = (Trace){n_locations, 12, calloc(n_locations, sizeof(StoredChunks)), calloc(12, 1)};
	for (uint32_t i = 0; i < out->n_regions; i++)
		out->activities[i] = (uint8_t) (i % PH_ACTIVITIES);
	for (uint32_t i = 0; i < n_locations; i++)
	{
		RandomStreamShape shape = {.max_events = 60, .n_regions = 12};
		RandomStream stream;
		if (numbers_below(&numbers, 9) == 0)
			continue;
		random_stream(&numbers, shape, &stream);
		assert_int_equal(
			stored_chunks_write(env, &stream, i, 1 + numbers_below(&numbers, 40), &out->stored[i]),
			PH_OK);
		random_stream_free(&stream);
	}
}

static void
free_trace(Trace *trace)
{
	for (uint32_t i = 0; i < trace->n_locations; i++)
		stored_chunks_free(&trace->stored[i]);
	free(trace->stored);
	free(trace->activities);
}

/* What is to be made of a trace: all levels, or n_bins of one (most_bins 0). */
typedef struct Making
{
	const Trace *trace;
	uint32_t most_bins;
	uint32_t level, n_bins, tier;
	int64_t first_bin;
	const uint32_t *order; /* of locations; NULL: theirs */
	StoredTiles *tiles;
} Making;

static PhStatus
add_chunks(const Making *making, PhBins *bins, PhChunkReader *reader, const StoredChunks *stored)
{
	for (uint32_t i = 0; i < stored->n_chunks; i++)
	{
		const PhChunk *chunk = &stored->chunks[i];
		if (making->most_bins == 0 && (chunk->t_last >> making->level) < making->first_bin)
			continue;
		PH_TRY(ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS));
		PH_TRY(ph_bins_add_chunk(bins, chunk, reader));
	}
	return ph_bins_end(bins);
}

static PhStatus
put_location(const Making *making, PhPyramid *pyramid, PhBins *bins, PhChunkReader *reader,
			 uint32_t location)
{
	const StoredChunks *stored = &making->trace->stored[location];
	PhPyramidRow *row;
	if (stored->n_chunks == 0)
		return ph_pyramid_skip(pyramid, location);
	if (making->most_bins > 0)
		ph_bins_begin(bins, making->most_bins);
	else
		ph_bins_begin_window(bins, making->level, making->first_bin, making->n_bins);
	PH_TRY(add_chunks(making, bins, reader, stored));
	PH_TRY(ph_pyramid_row_new(pyramid, bins, location, &row));
	PhStatus status = ph_pyramid_row_fill(row, bins);
	if (status == PH_OK)
		return ph_pyramid_put(pyramid, row);
	ph_pyramid_row_free(pyramid, row);
	return status;
}

static PhStatus
put_locations(const Making *making, PhPyramid *pyramid, PhBins *bins, PhChunkReader *reader)
{
	for (uint32_t i = 0; i < making->trace->n_locations; i++)
		PH_TRY(put_location(making, pyramid, bins, reader,
							making->order == NULL ? i : making->order[i]));
	return ph_pyramid_finish(pyramid);
}

static PhStatus
make_pyramid(PhEnv *env, void *user)
{
	const Making *making = user;
	PhPyramidOptions options = {making->trace->n_locations, making->trace->n_regions, making->tier,
								keep_tile, making->tiles};
	PhPyramid *pyramid = NULL;
	PhBins *bins = NULL;
	PhChunkReader *reader = NULL;
	free_tiles(making->tiles);
	PhStatus status = ph_pyramid_new(env, &options, &pyramid);
	if (status == PH_OK)
		status = ph_bins_new(env, making->trace->activities, making->trace->n_regions, &bins);
	if (status == PH_OK)
		status = ph_chunk_reader_new(env, &reader);
	if (status == PH_OK)
		status = put_locations(making, pyramid, bins, reader);
	ph_chunk_reader_free(reader);
	ph_bins_free(bins);
	ph_pyramid_free(pyramid);
	return status;
}

static void
shuffle(uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t j = numbers_below(&numbers, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
}

static void
test_orders(void **state)
{
	(void) state;
	for (uint32_t round = 0; round < 6; round++)
	{
		PhEnv env;
		Trace trace;
		StoredTiles tiles = {0}, others = {0};
		uint32_t order[MOST_LOCATIONS];
		ph_env_init_malloc(&env);
		make_trace(&env, 1 + numbers_below(&numbers, MOST_LOCATIONS), &trace);
		shuffle(order, trace.n_locations);
		Making making = {.trace = &trace, .most_bins = 1024, .tier = PH_ALL_TIERS, .tiles = &tiles};
		assert_int_equal(make_pyramid(&env, &making), PH_OK);
		making.order = order;
		making.tiles = &others;
		assert_int_equal(make_pyramid(&env, &making), PH_OK);
		assert_int_equal(tiles.n, others.n);
		for (uint32_t i = 0; i < tiles.n; i++)
			assert_same(&tiles.tiles[i].tile, find_tile(&others, &tiles.tiles[i].tile));
		free_tiles(&tiles);
		free_tiles(&others);
		free_trace(&trace);
		assert_int_equal(env.bytes, 0);
	}
}

/* A window of one level and tier has the very tiles that the pyramid has there. */
static void
test_windows(void **state)
{
	(void) state;
	uint32_t n_compared = 0;
	for (uint32_t round = 0; round < 6; round++)
	{
		PhEnv env;
		Trace trace;
		StoredTiles tiles = {0}, window = {0};
		ph_env_init_malloc(&env);
		make_trace(&env, 1 + numbers_below(&numbers, MOST_LOCATIONS), &trace);
		Making making = {.trace = &trace, .most_bins = 1024, .tier = PH_ALL_TIERS, .tiles = &tiles};
		assert_int_equal(make_pyramid(&env, &making), PH_OK);
		for (uint32_t i = 0; i < 6 && tiles.n > 0; i++)
		{
			const PhTile *some = &tiles.tiles[numbers_below(&numbers, tiles.n)].tile;
			Making part = {.trace = &trace,
						   .level = some->level,
						   .n_bins = PH_TILE_BINS * (1 + numbers_below(&numbers, 2)),
						   .tier = some->tier,
						   .first_bin = (int64_t) some->x * PH_TILE_BINS,
						   .tiles = &window};
			assert_int_equal(make_pyramid(&env, &part), PH_OK);
			assert_same(some, find_tile(&window, some));
			for (uint32_t w = 0; w < window.n; w++, n_compared++)
				if (find_tile(&tiles, &window.tiles[w].tile) != NULL)
					assert_same(&window.tiles[w].tile, find_tile(&tiles, &window.tiles[w].tile));
		}
		free_tiles(&tiles);
		free_tiles(&window);
		free_trace(&trace);
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_compared > 30);
}

static void
test_faults(void **state)
{
	(void) state;
	PhEnv env;
	Trace trace;
	StoredTiles tiles = {0};
	ph_env_init_malloc(&env);
	make_trace(&env, 70, &trace);
	Making making = {.trace = &trace, .most_bins = 16, .tier = PH_ALL_TIERS, .tiles = &tiles};
	assert_string_equal(fault_env_try_allocations(make_pyramid, &making, 120), "");
	free_tiles(&tiles);
	assert_int_equal(make_pyramid(&env, &making), PH_OK);
	uint32_t n = tiles.n;
	free_tiles(&tiles);
	for (uint32_t room = 1; room < n; room++) /* nothing comes after a tile that is not taken */
	{
		tiles.room = room;
		assert_int_equal(make_pyramid(&env, &making), PH_ERR_LIMIT);
		assert_int_equal(tiles.n, room);
		free_tiles(&tiles);
	}
	free_trace(&trace);
}

/* ---- outliers ---- */

#define N_WIDE 4500 /* three tiers above the locations' one */
#define SLOW 3777
#define N_STEPS 16
#define STEP 1000000

/* Every rank computes and then waits; the slow one computes all the time. */
static PhStatus
write_rank(PhEnv *env, uint32_t rank, StoredChunks *out)
{
	PhChunkWriter *writer;
	PH_TRY(ph_chunk_writer_new(env, rank, 0, stored_chunks_add, out, &writer));
	PhStatus status = ph_chunk_writer_enter(writer, 0, 0);
	for (uint32_t step = 0; step < N_STEPS && status == PH_OK; step++)
	{
		int64_t begin = (int64_t) step * STEP;
		int64_t noise = numbers_below(&numbers, STEP / 10);
		status = ph_chunk_writer_enter(writer,
									   begin + (rank == SLOW ? STEP - 2000 : STEP / 2 + noise), 1);
		if (status == PH_OK)
			status = ph_chunk_writer_leave(writer, begin + STEP - 1000, 1);
	}
	if (status == PH_OK)
		status = ph_chunk_writer_leave(writer, (int64_t) N_STEPS * STEP, 0);
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	ph_chunk_writer_free(writer);
	return status;
}

/* In every merged cell of a step or more whose group has it, the slow rank is the deviant. */
static uint32_t
look_for_slow(PhEnv *env, const PhTile *tile)
{
	PhArena arena;
	PhTileView view;
	PhShownCell cell;
	uint32_t n_found = 0, each = (uint32_t) ph_tier_locations(tile->tier);
	uint32_t row = SLOW / each - tile->block * PH_TILE_ROWS;
	ph_arena_init(&arena, env);
	assert_int_equal(ph_tile_decode(&arena, tile->tier, tile->bytes, &view), PH_OK);
	for (uint32_t bin = 0; bin < view.n_bins && row < view.n_rows; bin++)
	{
		int64_t from = (int64_t) (tile->x * PH_TILE_BINS + bin) << tile->level;
		if (from + (INT64_C(1) << tile->level) > (int64_t) N_STEPS * STEP && from > 0)
			continue;
		ph_tile_cell(&view, row, bin, &cell);
		assert_int_equal(cell.deviant, SLOW % each);
		assert_int_equal(cell.deviant_region, 0);
		assert_true(cell.deviant_share > cell.share[0] + 60 || from == 0);
		assert_int_equal(cell.n_present, view.n_locations[row]);
		n_found++;
	}
	ph_arena_drop(&arena);
	return n_found;
}

static void
test_slow_rank(void **state)
{
	(void) state;
	uint8_t activities[] = {PH_ACTIVITY_COMPUTE, PH_ACTIVITY_WAITING};
	PhEnv env;
	Trace trace = {N_WIDE, 2, calloc(N_WIDE, sizeof(StoredChunks)), calloc(2, 1)};
	StoredTiles tiles = {0};
	uint32_t n_found[4] = {0};
	ph_env_init_malloc(&env);
	memcpy(trace.activities, activities, sizeof(activities));
	for (uint32_t rank = 0; rank < N_WIDE; rank++)
		assert_int_equal(write_rank(&env, rank, &trace.stored[rank]), PH_OK);
	Making making = {.trace = &trace, .most_bins = 16, .tier = PH_ALL_TIERS, .tiles = &tiles};
	assert_int_equal(make_pyramid(&env, &making), PH_OK);
	for (uint32_t i = 0; i < tiles.n; i++)
	{
		const PhTile *tile = &tiles.tiles[i].tile;
		uint32_t rows = (uint32_t) ph_tier_locations(tile->tier) * PH_TILE_ROWS;
		if (tile->tier > 0 && tile->level >= 20 && tile->block == SLOW / rows)
			n_found[tile->tier] += look_for_slow(&env, tile);
	}
	assert_true(n_found[1] > 20);
	assert_true(n_found[2] > 20);
	assert_true(n_found[3] > 20);
	free_tiles(&tiles);
	free_trace(&trace);
	assert_int_equal(env.bytes, 0);
}

static void
test_sizes(void **state)
{
	(void) state;
	assert_int_equal(ph_pyramid_bins(0), 2048);
	assert_int_equal(ph_pyramid_bins(1), 16);
	assert_int_equal(ph_pyramid_bins(64 * 2048 - 1), 1024);
	assert_int_equal(ph_pyramid_bins(64 * 2048), 2048);
	assert_int_equal(ph_pyramid_bins(UINT64_MAX), 2048);
	assert_int_equal(ph_pyramid_last_tier(1), 1);
	assert_int_equal(ph_pyramid_last_tier(64), 1);
	assert_int_equal(ph_pyramid_last_tier(65), 2);
	assert_int_equal(ph_pyramid_last_tier(4097), 3);
	assert_int_equal(ph_pyramid_last_level(0), 0);
	assert_int_equal(ph_pyramid_last_level(1), 1);
	assert_int_equal(ph_pyramid_last_level(255), 8);
	assert_int_equal(ph_pyramid_last_level(256), 9);
	assert_int_equal(ph_pyramid_last_level(INT64_MAX), 63);
	assert_int_equal(ph_pyramid_rows(65, 1), 2);
	assert_int_equal(ph_pyramid_rows(65, 2), 1);
	PhEnv env;
	PhPyramid *pyramid;
	PhPyramidOptions options = {.n_locations = PH_TILE_MOST_LOCATIONS};
	ph_env_init_malloc(&env);
	assert_int_equal(ph_pyramid_new(&env, &options, &pyramid), PH_ERR_LIMIT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),	  cmocka_unit_test(test_merge_twice),
		cmocka_unit_test(test_orders),	  cmocka_unit_test(test_windows),
		cmocka_unit_test(test_slow_rank), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_faults)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
