/*
 * test_tiles.c - cells of random traces against a slow dense reference, at every level, of whole
 * locations and of windows; cells as tiles and back; damaged tiles; what regions are for.
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

#include "support/rounds.h"
#include "support/slow_calls.h"
#include "tiles/bins.h"
#include "tiles/tile.h"

#define N_TRACES rounds(250)
#define N_REGIONS 14
#define MOST_CELLS 64

static RandomNumbers numbers;
static uint8_t activities[N_REGIONS];

typedef struct Case
{
	PhEnv env;
	RandomStream stream;
	StoredChunks stored;
	uint32_t n_calls;
	SlowCall *calls;
	PhChunkReader *reader;
	PhBins *bins;
} Case;

static void
make_case(Case *test)
{
	RandomStreamShape shape = {.max_events = 150, .n_regions = N_REGIONS};
	shape.calls_only = numbers_below(&numbers, 2) == 0;
	shape.is_huge = numbers_below(&numbers, 3) == 0;
	shape.is_closed = numbers_below(&numbers, 2) == 0;
	memset(test, 0, sizeof(*test));
	ph_env_init_malloc(&test->env);
	random_stream(&numbers, shape, &test->stream);
	assert_int_equal(stored_chunks_write(&test->env, &test->stream, 3,
										 1 + numbers_below(&numbers, 40), &test->stored),
					 PH_OK);
	test->calls = slow_calls(&test->stream, &test->n_calls);
	assert_int_equal(ph_chunk_reader_new(&test->env, &test->reader), PH_OK);
	for (uint32_t i = 0; i < N_REGIONS; i++)
		activities[i] = (uint8_t) numbers_below(&numbers, PH_ACTIVITIES);
	assert_int_equal(ph_bins_new(&test->env, activities, N_REGIONS, &test->bins), PH_OK);
}

static void
free_case(Case *test)
{
	ph_bins_free(test->bins);
	ph_chunk_reader_free(test->reader);
	free(test->calls);
	stored_chunks_free(&test->stored);
	random_stream_free(&test->stream);
	assert_int_equal(test->env.bytes, 0);
}

static void
add_chunk(Case *test, uint32_t i)
{
	const PhChunk *chunk = &test->stored.chunks[i];
	assert_int_equal(ph_chunk_reader_open(test->reader, chunk, PH_WANT_CALLS), PH_OK);
	assert_int_equal(ph_bins_add_chunk(test->bins, chunk, test->reader), PH_OK);
}

/* ---- the reference ---- */

static uint32_t
slow_share(int64_t ns, uint32_t level)
{
	long double share = (long double) ns * 4096 / (long double) (UINT64_C(1) << level);
	return (uint32_t) (share + 0.5L);
}

static SlowWindow
bin_window(uint32_t level, int64_t bin)
{
	uint64_t end = ((uint64_t) bin + 1) << level;
	return (SlowWindow){bin << level, end > INT64_MAX ? INT64_MAX : (int64_t) end};
}

static bool
is_in(int64_t time, SlowWindow window)
{
	return time >= window.from && time < window.to;
}

/* Calls that are open when the bin begins, at most, and messages. */
static void
slow_counts(const Case *test, SlowWindow window, PhBinCell *cell)
{
	uint32_t depth = 0;
	for (uint32_t i = 0; i < test->stream.n_events; i++)
	{
		const PhEvent *event = &test->stream.events[i];
		if (event->time >= window.to)
			break;
		if (event->time >= window.from)
			cell->depth = cell->depth < depth ? depth : cell->depth;
		depth += event->kind == PH_EVENT_ENTER;
		depth -= event->kind == PH_EVENT_LEAVE;
		if (event->time < window.from)
			continue;
		cell->depth = cell->depth < depth ? depth : cell->depth;
		cell->n_messages += event->kind == PH_EVENT_SEND || event->kind == PH_EVENT_RECV ||
							event->kind == PH_EVENT_ISEND || event->kind == PH_EVENT_IRECV;
	}
	/* without events in it, the bin is within a stay */
	if (test->stream.events[test->stream.n_events - 1].time >= window.to)
		cell->depth = cell->depth < depth ? depth : cell->depth;
}

static int64_t
slow_longest(const Case *test, SlowWindow window)
{
	int64_t longest = 0;
	for (uint32_t i = 0; i < test->n_calls; i++)
	{
		const SlowCall *call = &test->calls[i];
		int64_t own =
			slow_exclusive(test->calls, test->n_calls, i, (SlowWindow){INT64_MIN, INT64_MAX});
		if (!call->is_open && is_in(call->end, window) && own > longest)
			longest = own;
	}
	return longest;
}

/* Was there a call of the region that ended in the bin and took so long? */
static bool
slow_has_call(const Case *test, SlowWindow window, uint32_t region, int64_t ns)
{
	for (uint32_t i = 0; i < test->n_calls; i++)
		if (test->calls[i].region == region && is_in(test->calls[i].end, window) &&
			slow_exclusive(test->calls, test->n_calls, i, (SlowWindow){INT64_MIN, INT64_MAX}) == ns)
			return true;
	return false;
}

static void
slow_sums(const Case *test, SlowWindow window, int64_t *sums)
{
	memset(sums, 0, N_REGIONS * sizeof(*sums));
	for (uint32_t i = 0; i < test->n_calls; i++)
		sums[test->calls[i].region] += slow_exclusive(test->calls, test->n_calls, i, window);
}

/* The n-th largest sum; ties by number. */
static uint32_t
slow_nth(const int64_t *sums, uint32_t n)
{
	for (uint32_t i = 0; i < N_REGIONS; i++)
	{
		uint32_t before = 0;
		for (uint32_t j = 0; j < N_REGIONS; j++)
			before += sums[j] > sums[i] || (sums[j] == sums[i] && j < i);
		if (before == n)
			return i;
	}
	return PH_NONE;
}

static void
assert_cell(const Case *test, const PhBinCell *cell, uint32_t level, int64_t bin)
{
	SlowWindow window = bin_window(level, bin);
	int64_t sums[N_REGIONS], by_activity[PH_ACTIVITIES] = {0};
	PhBinCell slow = {.depth = 0};
	bool is_present = false;
	slow_sums(test, window, sums);
	for (uint32_t i = 0; i < N_REGIONS; i++)
	{
		by_activity[activities[i]] += sums[i];
		is_present = is_present || sums[i] > 0;
	}
	for (uint32_t i = 0; i <= PH_CELL_COUNTERS; i++)
	{
		uint32_t region = slow_nth(sums, i), share = slow_share(sums[region], level);
		assert_int_equal(i < PH_CELL_COUNTERS ? cell->share[i] : cell->ninth, share);
		if (share > 0 && i < PH_CELL_COUNTERS)
			assert_int_equal(cell->region[i], region);
	}
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		assert_int_equal(cell->activity[i], slow_share(by_activity[i], level));
	assert_int_equal(cell->n_present, is_present);
	slow_counts(test, window, &slow);
	assert_int_equal(cell->n_messages, slow.n_messages);
	assert_int_equal(cell->depth, slow.depth);
	assert_int_equal(cell->longest.ns, slow_longest(test, window));
	if (cell->longest.ns > 0)
		assert_true(slow_has_call(test, window, cell->longest.region, cell->longest.ns));
}

/* ---- cells ---- */

/* The bins as whole cells of location 7; counters as many as there may be, none of them twice. */
static void
take_cells(const PhBins *bins, PhBinCell *cells)
{
	uint32_t n = ph_bins_count(bins), n_counters = 3,
			 most = n_counters + ph_bins_most_counters(bins);
	PhOwnCell *own = calloc((size_t) n + 1, sizeof(*own));
	PhCounter *counters = calloc((size_t) most + 1, sizeof(*counters));
	assert_int_equal(ph_bins_cells(bins, own, counters, &n_counters), PH_OK);
	assert_true(n_counters <= most);
	for (uint32_t i = 0; i < n; i++)
	{
		assert_int_equal(own[i].first + own[i].n, i + 1 < n ? own[i + 1].first : n_counters);
		cells[i].deviant = (PhBinDeviant){0};
		ph_cell_widen(&own[i], counters, 7, &cells[i]);
	}
	free(counters);
	free(own);
}

static int64_t
last_time(const Case *test)
{
	return test->stream.events[test->stream.n_events - 1].time;
}

static void
assert_window(Case *test, uint32_t level, int64_t first_bin, const PhBinCell *same, uint32_t n_same)
{
	PhBinCell cells[MOST_CELLS] = {0};
	uint32_t n = 1 + numbers_below(&numbers, 20);
	int64_t from = first_bin << level;
	ph_bins_begin_window(test->bins, level, first_bin, n);
	for (uint32_t i = 0; i < test->stored.n_chunks; i++)
		if (test->stored.chunks[i].t_last >= from)
			add_chunk(test, i);
	assert_int_equal(ph_bins_end(test->bins), PH_OK);
	uint32_t n_cells = ph_bins_count(test->bins);
	int64_t n_whole = (last_time(test) >> level) + 1 - first_bin;
	assert_int_equal(n_cells, n_whole < 0 ? 0 : n_whole < n ? n_whole : n);
	take_cells(test->bins, cells);
	for (uint32_t i = 0; i < n_cells; i++)
	{
		assert_cell(test, &cells[i], level, first_bin + i);
		if (i < n_same)
			assert_memory_equal(&cells[i], &same[i], sizeof(PhBinCell));
	}
}

static void
check_levels(Case *test)
{
	PhBinCell cells[MOST_CELLS] = {0};
	uint32_t most = 16u << numbers_below(&numbers, 3), n_levels = 1 + numbers_below(&numbers, 9);
	ph_bins_begin(test->bins, most);
	for (uint32_t i = 0; i < test->stored.n_chunks; i++)
		add_chunk(test, i);
	assert_int_equal(ph_bins_end(test->bins), PH_OK);
	assert_int_equal(ph_bins_has_calls(test->bins), test->n_calls > 0);
	uint32_t level = ph_bins_level(test->bins);
	assert_true(level == 0 || last_time(test) >> (level - 1) >= most);
	for (uint32_t i = 0; i < n_levels && level < PH_TILE_MOST_LEVEL; i++, level++)
	{
		if (i > 0)
			assert_int_equal(ph_bins_join(test->bins), PH_OK);
		uint32_t n = ph_bins_count(test->bins);
		assert_true(n <= most);
		assert_int_equal(n, (last_time(test) >> level) + 1);
		take_cells(test->bins, cells);
		for (uint32_t bin = 0; bin < n; bin++)
			assert_cell(test, &cells[bin], level, bin);
	}
	uint32_t n = ph_bins_count(test->bins), first = numbers_below(&numbers, n);
	level = ph_bins_level(test->bins);
	assert_window(test, level, first, cells + first, n - first);
}

static void
test_cells(void **state)
{
	(void) state;
	for (uint32_t i = 0; i < N_TRACES; i++)
	{
		Case test;
		make_case(&test);
		check_levels(&test);
		uint32_t level = numbers_below(&numbers, 45);
		int64_t n_bins = (last_time(&test) >> level) + 1;
		int64_t first = numbers_below(&numbers, UINT32_MAX) % (n_bins + 3);
		assert_window(&test, level, first, NULL, 0);
		free_case(&test);
	}
}

static void
test_unknown_region(void **state)
{
	(void) state;
	Case test;
	PhBins *bins;
	make_case(&test);
	assert_int_equal(ph_bins_new(&test.env, activities, 1, &bins), PH_OK);
	PhStatus status = PH_OK;
	ph_bins_begin(bins, 16);
	for (uint32_t i = 0; i < test.stored.n_chunks && status == PH_OK; i++)
	{
		const PhChunk *chunk = &test.stored.chunks[i];
		assert_int_equal(ph_chunk_reader_open(test.reader, chunk, PH_WANT_CALLS), PH_OK);
		status = ph_bins_add_chunk(bins, chunk, test.reader);
	}
	assert_int_equal(status, PH_ERR_FORMAT);
	ph_bins_free(bins);
	free_case(&test);
}

/* ---- tiles ---- */

#define MOST_ROWS 9
#define MOST_BINS 40

typedef struct TileCase
{
	PhBinCell cells[MOST_ROWS][MOST_BINS];
	const PhBinCell *rows[MOST_ROWS];
	uint32_t n_cells[MOST_ROWS], n_locations[MOST_ROWS];
	PhTileCells tile;
} TileCase;

static PhLongestCall
random_call(uint32_t location)
{
	PhLongestCall call = {0, 0, 0};
	if (numbers_below(&numbers, 3) > 0)
		call = (PhLongestCall){(int64_t) numbers_below(&numbers, UINT32_MAX)
								   << numbers_below(&numbers, 31),
							   numbers_below(&numbers, 700), location};
	return call;
}

/* Shares of a whole, descending. */
static void
random_shares(uint32_t whole, uint32_t n, uint32_t *shares)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t most = i > 0 && shares[i - 1] < whole ? shares[i - 1] : whole;
		shares[i] = most == 0 ? 0 : numbers_below(&numbers, most + 1);
		whole -= shares[i];
	}
}

static PhBinCell
random_cell(uint32_t tier, uint32_t n_locations, uint32_t first)
{
	PhBinCell cell = {.depth = numbers_below(&numbers, 300)};
	uint32_t shares[PH_CELL_SHOWN], activity[PH_ACTIVITIES];
	if (numbers_below(&numbers, 4) == 0)
		return (PhBinCell){0};
	cell.n_messages = numbers_below(&numbers, UINT32_MAX) >> numbers_below(&numbers, 32);
	cell.n_present = 1 + numbers_below(&numbers, n_locations);
	random_shares(PH_CELL_WHOLE * n_locations, PH_CELL_COUNTERS, cell.share);
	random_shares(PH_CELL_WHOLE * n_locations, PH_ACTIVITIES, cell.activity);
	for (uint32_t i = 0; i < PH_CELL_COUNTERS; i++)
		cell.region[i] = cell.share[i] == 0 ? 0 : 110 * i + numbers_below(&numbers, 110);
	cell.longest = random_call(first + numbers_below(&numbers, n_locations));
	if (tier == 0)
		return cell;
	cell.deviant.location = first + numbers_below(&numbers, n_locations);
	cell.deviant.longest = random_call(cell.deviant.location);
	random_shares(PH_CELL_WHOLE, PH_CELL_SHOWN, shares);
	random_shares(PH_CELL_WHOLE, PH_ACTIVITIES, activity);
	for (uint32_t i = 0; i < PH_CELL_SHOWN; i++)
		cell.deviant.share[i] = (uint16_t) shares[i];
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		cell.deviant.activity[i] = (uint16_t) activity[i];
	cell.deviant.region[0] = numbers_below(&numbers, 900);
	return cell;
}

static void
make_tile(TileCase *test)
{
	uint32_t tier = numbers_below(&numbers, 3), each = 1u << 6 * tier;
	memset(test, 0, sizeof(*test));
	test->tile = (PhTileCells){.tier = tier,
							   .first_location = (uint64_t) each * 64 * numbers_below(&numbers, 3),
							   .n_rows = 1 + numbers_below(&numbers, MOST_ROWS),
							   .n_bins = 256,
							   .rows = test->rows,
							   .n_cells = test->n_cells,
							   .n_locations = test->n_locations};
	for (uint32_t row = 0; row < test->tile.n_rows; row++)
	{
		uint32_t first = (uint32_t) test->tile.first_location + row * each;
		test->rows[row] = test->cells[row];
		test->n_locations[row] = 1 + numbers_below(&numbers, each);
		test->n_cells[row] = numbers_below(&numbers, MOST_BINS + 1);
		for (uint32_t bin = 0; bin < test->n_cells[row]; bin++)
			test->cells[row][bin] = random_cell(tier, test->n_locations[row], first);
	}
}

static uint8_t
slow_byte(uint32_t share, uint32_t n_locations)
{
	return (uint8_t) ((double) share * 255 / (4096.0 * n_locations) + 0.5);
}

static void
assert_close(uint64_t shown, uint64_t exact, uint64_t bits)
{
	assert_true(shown <= exact);
	assert_true(exact - shown <= exact >> (bits - 1));
	assert_true(exact >> bits > 0 || shown == exact);
}

static void
assert_call(PhShownCall shown, PhLongestCall exact)
{
	assert_close(shown.ns, (uint64_t) exact.ns, 9);
	assert_int_equal(shown.region, exact.ns == 0 ? PH_NONE : exact.region);
}

static void
assert_near(int shown, int exact)
{
	assert_in_range(shown - exact + 4, 0, 8); /* rounding of five shares */
}

static void
assert_shares(PhShownShares shown, const uint32_t *activity, uint32_t n_locations)
{
	uint32_t inside = activity[0] + activity[1] + activity[2] + activity[3];
	assert_near(shown.communication, slow_byte(activity[PH_ACTIVITY_COMMUNICATION], n_locations));
	assert_near(shown.waiting, slow_byte(activity[PH_ACTIVITY_WAITING], n_locations));
	assert_near(shown.device, slow_byte(activity[PH_ACTIVITY_DEVICE], n_locations));
	assert_near(shown.outside, slow_byte(PH_CELL_WHOLE * n_locations - inside, n_locations));
	assert_true(shown.communication + shown.waiting + shown.device + shown.outside <= 255);
}

static void
assert_shown(const TileCase *test, uint32_t row, const PhShownCell *shown, const PhBinCell *cell)
{
	uint32_t n = test->n_locations[row], n_shown = 0, activity[PH_ACTIVITIES];
	uint32_t first = (uint32_t) test->tile.first_location + row * (1u << 6 * test->tile.tier);
	for (; n_shown < PH_CELL_SHOWN && slow_byte(cell->share[n_shown], n) > 0; n_shown++)
	{
		assert_int_equal(shown->share[n_shown], slow_byte(cell->share[n_shown], n));
		assert_int_equal(shown->region[n_shown], cell->region[n_shown]);
	}
	if (n_shown < PH_CELL_SHOWN)
		assert_int_equal(shown->region[n_shown], PH_NONE);
	assert_shares(shown->shares, cell->activity, n);
	assert_call(shown->longest, cell->longest);
	assert_int_equal(shown->depth, cell->depth > 255 ? 255 : cell->depth);
	assert_close(shown->n_messages, cell->n_messages, 4);
	if (test->tile.tier == 0)
		return;
	if (cell->longest.ns > 0)
		assert_int_equal(shown->longest_location, cell->longest.location - first);
	assert_int_equal(shown->n_present, cell->n_present);
	assert_int_equal(shown->deviant, cell->deviant.location - first);
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		activity[i] = cell->deviant.activity[i];
	assert_shares(shown->deviant_shares, activity, 1);
	assert_int_equal(shown->deviant_share, slow_byte(cell->deviant.share[0], 1));
	assert_call(shown->deviant_longest, cell->deviant.longest);
	if (shown->deviant_share > 0)
		assert_int_equal(shown->deviant_region, cell->deviant.region[0]);
}

static bool
is_nothing(const PhBinCell *cell)
{
	static const PhBinCell none;
	return memcmp(cell, &none, sizeof(none)) == 0;
}

static void
assert_tile(PhEnv *env, const TileCase *test, PhBytes bytes)
{
	PhArena arena;
	PhTileView view;
	PhShownCell shown;
	ph_arena_init(&arena, env);
	assert_int_equal(ph_tile_decode(&arena, test->tile.tier, bytes, &view), PH_OK);
	assert_int_equal(view.n_rows, test->tile.n_rows);
	for (uint32_t row = 0; row < view.n_rows; row++)
	{
		assert_int_equal(view.n_locations[row], test->n_locations[row]);
		for (uint32_t bin = 0; bin < test->n_cells[row]; bin++)
		{
			const PhBinCell *cell = &test->cells[row][bin];
			if (bin >= view.n_bins)
			{
				assert_true(is_nothing(cell));
				continue;
			}
			ph_tile_cell(&view, row, bin, &shown);
			assert_int_equal(shown.is_empty, is_nothing(cell));
			if (!shown.is_empty)
				assert_shown(test, row, &shown, cell);
		}
	}
	ph_arena_drop(&arena);
}

/* Whatever the bytes are: an error, or cells that can be looked at. */
static void
look_at(PhEnv *env, uint32_t tier, PhBytes bytes)
{
	PhArena arena;
	PhTileView view;
	PhShownCell shown;
	ph_arena_init(&arena, env);
	PhStatus status = ph_tile_decode(&arena, tier, bytes, &view);
	assert_true(status == PH_OK || status == PH_ERR_FORMAT);
	for (uint32_t row = 0; status == PH_OK && row < view.n_rows; row++)
		for (uint32_t bin = 0; bin < view.n_bins; bin++)
			ph_tile_cell(&view, row, bin, &shown);
	ph_arena_drop(&arena);
}

static void
assert_refused(PhEnv *env, uint32_t tier, PhBytes bytes)
{
	PhArena arena;
	PhTileView view;
	ph_arena_init(&arena, env);
	assert_int_equal(ph_tile_decode(&arena, tier, bytes, &view), PH_ERR_FORMAT);
	ph_arena_drop(&arena);
}

static void
damage(PhEnv *env, uint32_t tier, PhBytes bytes)
{
	uint8_t *copy = malloc(bytes.size + 1);
	memcpy(copy, bytes.data, bytes.size);
	copy[bytes.size] = 0;
	assert_refused(env, tier, (PhBytes){copy, bytes.size + 1});
	assert_refused(env, tier, (PhBytes){copy, bytes.size - 1});
	for (uint32_t i = 0; i < 20; i++)
	{
		uint32_t at = numbers_below(&numbers, (uint32_t) bytes.size);
		uint8_t kept = copy[at];
		copy[at] = (uint8_t) numbers_below(&numbers, 256);
		look_at(env, tier, (PhBytes){copy, bytes.size});
		copy[at] = kept;
		look_at(env, tier, (PhBytes){copy, numbers_below(&numbers, (uint32_t) bytes.size)});
	}
	free(copy);
}

static void
test_tiles(void **state)
{
	(void) state;
	static TileCase test;
	PhEnv env;
	PhTileWriter *writer;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_tile_writer_new(&env, 1000, &writer), PH_OK);
	for (uint32_t i = 0; i < 300; i++)
	{
		PhBytes bytes;
		make_tile(&test);
		assert_int_equal(ph_tile_encode(writer, &test.tile, &bytes), PH_OK);
		assert_tile(&env, &test, bytes);
		damage(&env, test.tile.tier, bytes);
	}
	ph_tile_writer_free(writer);
	assert_int_equal(env.bytes, 0);
}

/* Every column of a row is under its sum. */
static void
test_sums(void **state)
{
	(void) state;
	const uint8_t bytes[] = {1, 2, 3}, others[] = {1, 2, 4};
	PhTile tile = {1, 20, 3, 4, {bytes, 3}}, other = tile;
	uint32_t crc = ph_tile_crc(&tile);
	other.tier++;
	assert_int_not_equal(ph_tile_crc(&other), crc);
	other = tile;
	other.level++;
	assert_int_not_equal(ph_tile_crc(&other), crc);
	other = tile;
	other.block++;
	assert_int_not_equal(ph_tile_crc(&other), crc);
	other = tile;
	other.x++;
	assert_int_not_equal(ph_tile_crc(&other), crc);
	other = tile;
	other.bytes.data = others;
	assert_int_not_equal(ph_tile_crc(&other), crc);
}

/* ---- what regions are for ---- */

static void
assert_activity(const char *name, const char *paradigm, const char *role, PhActivity activity)
{
	PhTraceRegion region = {
		.name = name, .file = "", .library = "", .paradigm = paradigm, .role = role};
	PhTraceModel model = {.n_regions = 1, .regions = &region};
	PhEnv env;
	PhArena arena;
	uint8_t *found;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_region_activities(&arena, &model, &found), PH_OK);
	assert_int_equal(found[0], activity);
	ph_arena_drop(&arena);
}

static void
test_activities(void **state)
{
	(void) state;
	assert_activity("MPI_Send", "mpi", "point2point", PH_ACTIVITY_COMMUNICATION);
	assert_activity("mpi_allreduce_", "", "", PH_ACTIVITY_COMMUNICATION);
	assert_activity("MPI_Comm_rank", "mpi", "function", PH_ACTIVITY_COMMUNICATION);
	assert_activity("shmem_put", "shmem", "rma", PH_ACTIVITY_COMMUNICATION);
	assert_activity("MPI_Waitall", "mpi", "point2point", PH_ACTIVITY_WAITING);
	assert_activity("MPI_Barrier", "", "", PH_ACTIVITY_WAITING);
	assert_activity("!$omp implicit barrier", "openmp", "implicit barrier", PH_ACTIVITY_WAITING);
	assert_activity("Idle", "Charm++", "idle", PH_ACTIVITY_WAITING);
	assert_activity("cudaMemcpy", "cuda", "wrapper", PH_ACTIVITY_DEVICE);
	assert_activity("hipLaunchKernel", "", "", PH_ACTIVITY_DEVICE);
	assert_activity("MPI_File_write", "mpi", "file io", PH_ACTIVITY_COMPUTE);
	assert_activity("solve", "user", "function", PH_ACTIVITY_COMPUTE);
	assert_activity("Barrier", "user", "function", PH_ACTIVITY_COMPUTE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cells),
									   cmocka_unit_test(test_unknown_region),
									   cmocka_unit_test(test_tiles), cmocka_unit_test(test_sums),
									   cmocka_unit_test(test_activities)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
