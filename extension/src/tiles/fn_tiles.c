/*
 * fn_tiles.c - tiles of a run, stored or made from its chunks, and their cells as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "tiles/maker.h"
#include "tiles/raster.h"
#include "tiles/stored.h"
#include "trace/args.h"

#define MOST_BINS (1 << 16) /* of a call */
#define BINS_AT_ONCE 2048	/* that are made at once; 64 rows of them take 20 MB */
#define MOST_RASTERS 8		/* of a call: as many bins as are made at once */

typedef enum TileSource
{
	SOURCE_ANY,
	SOURCE_STORED,
	SOURCE_CHUNKS
} TileSource;

/* What is asked for. */
typedef struct TileQuery
{
	PhTraceRun *trace;
	PhTileMaker *maker; /* NULL: not needed yet */
	PhTraceWindow window;
	TileSource source;
	uint32 tier, level;
	int64 first_bin, end_bin;
	PhRows *rows;
	void (*put)(struct TileQuery *query, const PhTile *tile, bool is_stored);
	bool is_stored; /* what is being given */
	Datum *names;	/* by region */
} TileQuery;

/* ---- arguments ---- */

static TileSource
arg_source(FunctionCallInfo fcinfo, int argument)
{
	const char *source = ph_arg_text_or(fcinfo, argument, "any");
	if (strcmp(source, "any") == 0)
		return SOURCE_ANY;
	if (strcmp(source, "stored") == 0)
		return SOURCE_STORED;
	if (strcmp(source, "chunks") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no source \"%s\" of tiles", source),
						errhint("It is any, stored or chunks.")));
	return SOURCE_CHUNKS;
}

static uint32
arg_tier(FunctionCallInfo fcinfo, int argument, const PhTraceRun *trace)
{
	int32 last = (int32) ph_pyramid_last_tier(trace->model.n_locations);
	int32 tier = PG_ARGISNULL(argument) ? 0 : PG_GETARG_INT32(argument);
	if (tier < 0 || tier > last)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the tier must be 0 to %d, not %d", last, tier),
						errdetail("Run " INT64_FORMAT " has %u locations; a row of tier t stands "
								  "for 64^t of them.",
								  trace->run_id, trace->model.n_locations)));
	return (uint32) tier;
}

/*
 * The finest level with 2,048 bins or less over the window; up to four levels more where the
 * pyramid then has it, so that the picture of all of a large run needs no events.
 */
static uint32
usual_level(int64 run_id, int64 from, int64 last)
{
	uint32 level = 0;
	int stored = ph_stored_level(run_id);
	while ((last >> level) - (from >> level) >= PH_PYRAMID_BINS)
		level++;
	return stored > (int) level && stored <= (int) level + 4 ? (uint32) stored : level;
}

/* The level asked for; null: the usual one. */
static uint32
arg_level(FunctionCallInfo fcinfo, int argument, int64 run_id, int64 from, int64 last)
{
	if (PG_ARGISNULL(argument))
		return usual_level(run_id, from, last);
	int32 given = PG_GETARG_INT32(argument);
	if (given < 0 || given > PH_TILE_MOST_LEVEL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the level must be 0 to %d, not %d", PH_TILE_MOST_LEVEL, given),
						errhint("Bins of level k have 2^k ns.")));
	return (uint32) given;
}

/* run, level, t_from, t_to, locations, tier, source. */
static void
arg_query(FunctionCallInfo fcinfo, TileQuery *query)
{
	PhTraceRun *trace = query->trace;
	query->window = ph_arg_window(fcinfo, 2, trace);
	query->tier = arg_tier(fcinfo, 5, trace);
	query->source = arg_source(fcinfo, 6);
	int64 from = Max(query->window.from, 0);
	int64 last = Min(query->window.to == PG_INT64_MIN ? 0 : query->window.to - 1, trace->duration);
	query->level = arg_level(fcinfo, 1, trace->run_id, Min(from, trace->duration), Max(last, 0));
	query->first_bin = from >> query->level;
	query->end_bin = last < from ? query->first_bin : (last >> query->level) + 1;
	if (query->end_bin - query->first_bin > MOST_BINS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the window has " INT64_FORMAT " bins of level %u, more than %d",
							   query->end_bin - query->first_bin, query->level, MOST_BINS),
						errhint("Take a higher level, or a smaller window.")));
}

/* ---- tiles of a block ---- */

static void
give_stored(void *user, const PhTile *tile)
{
	TileQuery *query = user;
	query->put(query, tile, true);
}

static PhStatus
give_made(void *user, const PhTile *tile)
{
	TileQuery *query = user;
	query->put(query, tile, false);
	return PH_OK;
}

static void
make_bins(TileQuery *query, int64 bin, uint32 n_bins, uint32 first, uint32 n)
{
	PhTileRequest request = {.level = query->level,
							 .first_bin = bin,
							 .n_bins = n_bins,
							 .tier = query->tier,
							 .first_location = first,
							 .n_locations = n,
							 .emit = give_made,
							 .user = query};
	if (query->maker == NULL)
		query->maker = ph_tile_maker(query->trace);
	ph_tiles_make(query->maker, &request);
}

/*
 * Of whole blocks: locations from first up to end. All blocks in one go, so that their chunks are
 * asked for once, but where bins need several: tiles come by block.
 */
static void
make_tiles(TileQuery *query, uint64 first, uint64 end)
{
	int64 first_bin = query->first_bin / PH_TILE_BINS * PH_TILE_BINS;
	int64 end_bin = (query->end_bin + PH_TILE_BINS - 1) / PH_TILE_BINS * PH_TILE_BINS;
	bool is_one = end_bin - first_bin <= BINS_AT_ONCE;
	uint64 each = is_one ? end - first : ph_tier_locations(query->tier) * PH_TILE_ROWS;
	if (query->source == SOURCE_STORED)
		return;
	for (; first < end; first += each)
		for (int64 bin = first_bin; bin < end_bin; bin += BINS_AT_ONCE)
			make_bins(query, bin, (uint32) Min(end_bin - bin, BINS_AT_ONCE), (uint32) first,
					  (uint32) Min(each, end - first));
}

/* False: they are to be made. */
static bool
give_stored_block(TileQuery *query, uint32 block)
{
	PhTilePlace place = {.tier = query->tier,
						 .level = query->level,
						 .block = block,
						 .first_x = query->first_bin / PH_TILE_BINS,
						 .end_x = (query->end_bin + PH_TILE_BINS - 1) / PH_TILE_BINS};
	return query->source != SOURCE_CHUNKS &&
		   ph_stored_tiles(query->trace->run_id, &place, give_stored, query);
}

static bool
has_location(const TileQuery *query, uint32 first, uint32 n)
{
	bool has = query->window.locations == NULL;
	for (uint32 i = first; i < first + n && !has; i++)
		has = query->window.locations[i];
	return has;
}

/*
 * Tiles of the blocks of some locations: n from the first on, both being those of whole blocks.
 * What is not stored is made as far as blocks follow one another.
 */
static void
give_blocks(TileQuery *query, uint64 first, uint64 n)
{
	uint64 each = ph_tier_locations(query->tier) * PH_TILE_ROWS;
	uint64 end = Min(first + n, query->trace->model.n_locations), missing = first;
	for (uint64 at = first; at < end; at += each)
	{
		uint64 next = Min(at + each, end);
		if (has_location(query, (uint32) at, (uint32) (next - at)) &&
			!give_stored_block(query, (uint32) (at / each)))
			continue;
		make_tiles(query, missing, at);
		missing = next;
	}
	make_tiles(query, missing, end);
}

static void
give_all(TileQuery *query)
{
	if (query->end_bin > query->first_bin)
		give_blocks(query, 0, query->trace->model.n_locations);
}

/* ---- trace_tiles ---- */

static void
put_tile(TileQuery *query, const PhTile *tile, bool is_stored)
{
	PhRows *rows = query->rows;
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	bytea *bytes = palloc(VARHDRSZ + tile->bytes.size);
	SET_VARSIZE(bytes, VARHDRSZ + tile->bytes.size);
	memcpy(VARDATA(bytes), tile->bytes.data, tile->bytes.size);
	MemoryContextSwitchTo(old);
	ph_rows_int(rows, "tier", (int32) tile->tier);
	ph_rows_int(rows, "level", (int32) tile->level);
	ph_rows_int(rows, "block", (int32) tile->block);
	ph_rows_bigint(rows, "x", (int64) tile->x);
	ph_rows_datum(rows, "bytes", PointerGetDatum(bytes));
	ph_rows_bool(rows, "is_stored", is_stored);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_tiles)
{
	PhRows rows;
	TileQuery query = {.rows = &rows, .put = put_tile};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	query.trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	arg_query(fcinfo, &query);
	give_all(&query);
	ph_trace_end(query.trace);
	return (Datum) 0;
}

/* ---- what is in tiles ---- */

/* Regions and rows of the tile exist in the run. */
static bool
is_of_run(const PhTraceRun *trace, const PhTile *tile, const PhTileView *view)
{
	uint64 end = (uint64) tile->block * PH_TILE_ROWS + view->n_rows;
	return end <= ph_pyramid_rows(trace->model.n_locations, tile->tier) &&
		   (view->n_regions == 0 || view->regions[view->n_regions - 1] < trace->model.n_regions);
}

/* Decode a tile in memory of its own. */
static void
with_view(const PhTraceRun *trace, const PhTile *tile,
		  void (*use)(void *user, const PhTile *tile, const PhTileView *view), void *user)
{
	PhArena arena;
	PhTileView view;
	ph_arena_init(&arena, &trace->scratch->env);
	PH_CHECK(arena.env, ph_tile_decode(&arena, tile->tier, tile->bytes, &view));
	if (!is_of_run(trace, tile, &view))
		ph_trace_refuse(trace, "a tile is of another run");
	use(user, tile, &view);
	ph_arena_drop(&arena);
}

/* ---- trace_raster ---- */

/* Rasters on their way: of the same rows, each of the bins behind the one before. */
typedef struct RasterQuery
{
	TileQuery tiles; /* first, so that what tiles are put into is known */
	PhArena *arena;	 /* the trace's */
	uint32 n;
	PhRaster *rasters[MOST_RASTERS];
} RasterQuery;

static void
add_view(void *user, const PhTile *tile, const PhTileView *view)
{
	RasterQuery *query = user;
	int64 i = (int64) tile->x - query->tiles.first_bin / PH_TILE_BINS;
	if (i >= 0 && i < query->n)
		PH_CHECK(query->arena->env, ph_raster_add(query->rasters[i], tile, view));
}

static void
put_into_raster(TileQuery *query, const PhTile *tile, bool is_stored)
{
	with_view(query->trace, tile, add_view, query);
}

static uint32
arg_tiles(FunctionCallInfo fcinfo, int argument)
{
	int32 n = PG_GETARG_INT32(argument);
	if (n < 1 || n > MOST_RASTERS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of tiles must be 1 to %d, not %d", MOST_RASTERS, n)));
	return (uint32) n;
}

/* run, level, x, each, block. */
static PhRasterShape
arg_shape(FunctionCallInfo fcinfo, TileQuery *query, uint32 n_tiles)
{
	const PhTraceRun *trace = query->trace;
	int32 level = PG_GETARG_INT32(1), each = PG_GETARG_INT32(3), block = PG_GETARG_INT32(4);
	int64 x = PG_GETARG_INT64(2);
	if (each < 1 || (each & (each - 1)) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a row cannot stand for %d locations", each),
						errhint("It is 1, 2, 4, 8 or another power of two.")));
	if (level < 0 || level > PH_TILE_MOST_LEVEL || block < 0 || x < 0 ||
		x > (trace->duration >> level) / PH_TILE_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("run " INT64_FORMAT " has no tile " INT64_FORMAT " of level %d, block %d",
						trace->run_id, x, level, block),
				 errhint("Tiles have 256 bins of 2^level ns; they begin with the run.")));
	query->level = (uint32) level;
	query->first_bin = x * PH_TILE_BINS;
	query->end_bin = query->first_bin + n_tiles * (int64) PH_TILE_BINS;
	while (ph_tier_locations(query->tier + 1) <= (uint64) each &&
		   query->tier < ph_pyramid_last_tier(trace->model.n_locations))
		query->tier++;
	return (PhRasterShape){.tier = query->tier,
						   .each = (uint32) (each / (int64) ph_tier_locations(query->tier)),
						   .block = (uint32) block,
						   .n_rows = ph_pyramid_rows(trace->model.n_locations, query->tier)};
}

static void
fill_rasters(RasterQuery *query, const PhRasterShape *shape)
{
	uint32 first, n;
	uint64 each = ph_tier_locations(shape->tier) * PH_TILE_ROWS;
	ph_raster_blocks(shape, &first, &n);
	give_blocks(&query->tiles, first * each, n * each);
}

/* Their bytes, one after the other, in memory of the caller. */
static bytea *
encode_rasters(const RasterQuery *query, MemoryContext caller)
{
	PhBytes bytes[MOST_RASTERS];
	size_t size = 0;
	for (uint32 i = 0; i < query->n; i++)
	{
		PH_CHECK(query->arena->env, ph_raster_encode(query->rasters[i], query->arena, &bytes[i]));
		size += bytes[i].size;
	}
	bytea *result = MemoryContextAlloc(caller, VARHDRSZ + size);
	SET_VARSIZE(result, VARHDRSZ + size);
	char *at = VARDATA(result);
	for (uint32 i = 0; i < query->n; at += bytes[i++].size)
		memcpy(at, bytes[i].data, bytes[i].size);
	return result;
}

PH_FUNCTION(ph_trace_raster)
{
	RasterQuery query = {.tiles = {.put = put_into_raster, .source = SOURCE_ANY}};
	MemoryContext caller = CurrentMemoryContext;
	query.tiles.trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	query.arena = &query.tiles.trace->scratch->arena;
	query.n = arg_tiles(fcinfo, 5);
	PhRasterShape shape = arg_shape(fcinfo, &query.tiles, query.n);
	for (uint32 i = 0; i < query.n; i++)
		PH_CHECK(query.arena->env, ph_raster_new(query.arena->env, &shape, &query.rasters[i]));
	fill_rasters(&query, &shape);
	bytea *result = encode_rasters(&query, caller);
	for (uint32 i = 0; i < query.n; i++)
		ph_raster_free(query.rasters[i]);
	ph_trace_end(query.tiles.trace);
	PG_RETURN_BYTEA_P(result);
}

/* ---- trace_cells ---- */

static double
share_of(uint8 byte)
{
	return byte / 255.0;
}

static void
put_region(const TileQuery *query, const char *column, uint32 region)
{
	if (region == PH_NONE)
		ph_rows_null(query->rows, column);
	else
		ph_rows_datum(query->rows, column, query->names[region]);
}

static void
put_regions(const TileQuery *query, const PhShownCell *cell)
{
	const char *names[PH_CELL_SHOWN];
	double shares[PH_CELL_SHOWN];
	int n = 0;
	for (; n < PH_CELL_SHOWN && cell->region[n] != PH_NONE; n++)
	{
		names[n] = query->trace->model.regions[cell->region[n]].name;
		shares[n] = share_of(cell->share[n]);
	}
	ph_rows_texts(query->rows, "regions", names, n);
	ph_rows_numbers(query->rows, "shares", shares, n);
}

static double
compute_of(PhShownShares shares)
{
	int rest = 255 - shares.communication - shares.waiting - shares.device - shares.outside;
	return share_of((uint8) Max(rest, 0));
}

static void
put_deviant(const TileQuery *query, const PhShownCell *cell, uint32 first)
{
	PhRows *rows = query->rows;
	ph_rows_int(rows, "deviant", (int32) (first + cell->deviant));
	ph_rows_number(rows, "deviant_compute", compute_of(cell->deviant_shares));
	ph_rows_number(rows, "deviant_communication", share_of(cell->deviant_shares.communication));
	ph_rows_number(rows, "deviant_waiting", share_of(cell->deviant_shares.waiting));
	ph_rows_number(rows, "deviant_device", share_of(cell->deviant_shares.device));
	put_region(query, "deviant_region", cell->deviant_region);
	ph_rows_number(rows, "deviant_share", share_of(cell->deviant_share));
	put_region(query, "deviant_longest_region", cell->deviant_longest.region);
	ph_rows_bigint_unless(rows, "deviant_longest", (int64) cell->deviant_longest.ns, 0);
}

static void
put_cell(const TileQuery *query, const PhShownCell *cell, uint32 first, uint32 n_locations,
		 int64 bin)
{
	PhRows *rows = query->rows;
	int64 start = bin << query->level;
	ph_rows_int(rows, "location", (int32) first);
	ph_rows_int(rows, "n_locations", (int32) n_locations);
	ph_rows_bigint(rows, "bin_start", start);
	ph_rows_bigint(rows, "bin_end", start + (INT64CONST(1) << query->level));
	put_regions(query, cell);
	ph_rows_number(rows, "compute", compute_of(cell->shares));
	ph_rows_number(rows, "communication", share_of(cell->shares.communication));
	ph_rows_number(rows, "waiting", share_of(cell->shares.waiting));
	ph_rows_number(rows, "device", share_of(cell->shares.device));
	put_region(query, "longest_region", cell->longest.region);
	ph_rows_bigint_unless(rows, "longest", (int64) cell->longest.ns, 0);
	ph_rows_index(rows, "longest_location",
				  cell->longest.ns == 0 ? PH_NONE : first + cell->longest_location);
	ph_rows_int(rows, "depth", cell->depth);
	ph_rows_bigint(rows, "messages", cell->n_messages);
	ph_rows_int(rows, "n_present", (int32) cell->n_present);
	put_deviant(query, cell, first);
	ph_rows_put(rows);
}

static void
put_row(const TileQuery *query, const PhTile *tile, const PhTileView *view, uint32 row)
{
	uint64 each = ph_tier_locations(tile->tier);
	uint64 first = each * (tile->block * (uint64) PH_TILE_ROWS + row);
	uint32 n = (uint32) Min(each, query->trace->model.n_locations - first);
	if (!has_location(query, (uint32) first, n))
		return;
	for (uint32 bin = 0; bin < view->n_bins; bin++)
	{
		PhShownCell cell;
		int64 number = (int64) tile->x * PH_TILE_BINS + bin;
		if (number < query->first_bin || number >= query->end_bin)
			continue;
		ph_tile_cell(view, row, bin, &cell);
		if (!cell.is_empty)
			put_cell(query, &cell, (uint32) first, view->n_locations[row], number);
	}
}

static void
put_rows(void *user, const PhTile *tile, const PhTileView *view)
{
	for (uint32_t row = 0; row < view->n_rows; row++)
		put_row(user, tile, view, row);
}

static void
put_cells(TileQuery *query, const PhTile *tile, bool is_stored)
{
	with_view(query->trace, tile, put_rows, query);
}

PH_FUNCTION(ph_trace_cells)
{
	PhRows rows;
	TileQuery query = {.rows = &rows, .put = put_cells};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	query.trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	arg_query(fcinfo, &query);
	query.names = ph_trace_region_texts(query.trace);
	give_all(&query);
	ph_trace_end(query.trace);
	return (Datum) 0;
}
