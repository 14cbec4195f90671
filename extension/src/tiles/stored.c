/*
 * stored.c - see stored.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "base/warehouse_columns.h"
#include "server/query_rows.h"
#include "tiles/pyramid.h"
#include "tiles/stored.h"

/* The first tile of a block is there when the block is. */
static const char place_sql[] = "SELECT " PH_SELECT(
	trace_tile,
	"t.") " FROM perfhouse.trace_tile t"
		  " JOIN perfhouse.derived d USING (run_id) WHERE t.run_id = $1 AND d.kind = 'pyramid'"
		  " AND d.version = $7 AND t.tier = $2 AND t.level = $3 AND t.block = $4"
		  " AND (t.x = 0 OR (t.x >= $5 AND t.x < $6)) ORDER BY t.x";

static const char level_sql[] =
	"SELECT min(t.level)::int4 FROM perfhouse.trace_tile t JOIN perfhouse.derived d USING (run_id)"
	" WHERE t.run_id = $1 AND t.tier = 0 AND d.kind = 'pyramid' AND d.version = $2";

static const char all_sql[] = "SELECT " PH_SELECT(
	trace_tile, "") " FROM perfhouse.trace_tile WHERE run_id = $1 ORDER BY tier, level, block, x";

/* Tiles that nobody reads are left over. */
static const char noted_sql[] =
	"SELECT CASE WHEN t.has_tiles AND d.run_id IS NULL"
	" THEN 'there are tiles, but no row in perfhouse.derived'"
	" WHEN NOT t.has_tiles AND d.version > 0 AND r.n_events > 0 THEN 'there are no tiles' END"
	" FROM (SELECT EXISTS (SELECT FROM perfhouse.trace_tile WHERE run_id = $1) AS has_tiles) t"
	" LEFT JOIN perfhouse.derived d ON d.run_id = $1 AND d.kind = 'pyramid'"
	" LEFT JOIN perfhouse.trace r ON r.run_id = $1";

static const char exists_sql[] =
	"(SELECT FROM perfhouse.trace_tile WHERE run_id = $1 LIMIT 1)"
	" UNION ALL SELECT FROM perfhouse.derived WHERE run_id = $1 AND kind = 'pyramid'";

static void
tile_of(const TupleTableSlot *slot, bool with_bytes, PhTile *tile)
{
	*tile = (PhTile){.tier = (uint32) ph_slot_smallint(slot, PH_SLOT(trace_tile, tier), 0),
					 .level = (uint32) ph_slot_smallint(slot, PH_SLOT(trace_tile, level), 0),
					 .block = (uint32) ph_slot_int(slot, PH_SLOT(trace_tile, block), 0),
					 .x = (uint64) ph_slot_int(slot, PH_SLOT(trace_tile, x), 0),
					 .bytes = ph_slot_bytes(slot, PH_SLOT(trace_tile, bytes), with_bytes)};
}

static bool
has_its_sum(const TupleTableSlot *slot, const PhTile *tile)
{
	return ph_slot_bigint(slot, PH_SLOT(trace_tile, crc), -1) == ph_tile_crc(tile);
}

/* ---- reading ---- */

typedef struct Reading
{
	int64 run_id;
	const PhTilePlace *place;
	PhTileFunction function;
	void *user;
} Reading;

static void
receive_tile(void *user, TupleTableSlot *slot)
{
	Reading *reading = user;
	PhTile tile;
	bool is_wanted = ph_slot_int(slot, PH_SLOT(trace_tile, x), 0) >= reading->place->first_x;
	if (!is_wanted)
		return;
	tile_of(slot, true, &tile);
	if (!has_its_sum(slot, &tile))
		ereport(ERROR,
				(errcode(PH_ERRCODE_BAD_PROFILE),
				 errmsg("a tile of run " INT64_FORMAT " is damaged", reading->run_id),
				 errhint("SELECT perfhouse.store_tiles(" INT64_FORMAT ") makes its tiles anew.",
						 reading->run_id)));
	reading->function(reading->user, &tile);
}

bool
ph_stored_tiles(int64 run_id, const PhTilePlace *place, PhTileFunction function, void *user)
{
	Reading reading = {run_id, place, function, user};
	const int64 numbers[] = {run_id,		 place->tier,  place->level,	  place->block,
							 place->first_x, place->end_x, PH_PYRAMID_VERSION};
	ParamListInfo parameters = makeParamList(lengthof(numbers));
	for (int i = 0; i < (int) lengthof(numbers); i++)
		parameters->params[i] = (ParamExternData){
			.value = Int64GetDatum(numbers[i]), .pflags = PARAM_FLAG_CONST, .ptype = INT8OID};
	return ph_query_rows(place_sql, parameters, receive_tile, &reading) > 0;
}

static void
receive_level(void *user, TupleTableSlot *slot)
{
	*(int *) user = ph_slot_int(slot, 0, -1);
}

int
ph_stored_level(int64 run_id)
{
	int level = -1;
	ph_query_rows(level_sql,
				  ph_query_parameters(run_id, INT4OID, Int32GetDatum(PH_PYRAMID_VERSION)),
				  receive_level, &level);
	return level;
}

/* ---- checking ---- */

typedef struct Checking
{
	MemoryContext context;
	PhTraceRun *trace;
	char *finding; /* the first */
} Checking;

static void
receive_finding(void *user, TupleTableSlot *slot)
{
	Checking *checking = user;
	if (checking->finding == NULL)
		checking->finding = ph_slot_text(slot, 0, checking->context);
}

static bool
is_in_place(const PhTraceRun *trace, const PhTile *tile, const PhTileView *view)
{
	uint32 n = trace->model.n_locations;
	if (tile->tier > ph_pyramid_last_tier(n) || tile->level > PH_TILE_MOST_LEVEL)
		return false;
	uint64 first = (uint64) tile->block * PH_TILE_ROWS, rows = ph_pyramid_rows(n, tile->tier);
	return first < rows && view->n_rows == Min(rows - first, PH_TILE_ROWS) &&
		   (view->n_regions == 0 || view->regions[view->n_regions - 1] < trace->model.n_regions);
}

static const char *
what_is_wrong(Checking *checking, TupleTableSlot *slot, const PhTile *tile)
{
	PhTileView view;
	PhArena arena;
	const char *wrong = NULL;
	if (!has_its_sum(slot, tile))
		return "the checksum is of another row";
	ph_arena_init(&arena, &checking->trace->scratch->env);
	if (ph_tile_decode(&arena, tile->tier, tile->bytes, &view) != PH_OK)
		wrong = "its bytes are no tile";
	else if (!is_in_place(checking->trace, tile, &view))
		wrong = "it does not belong there";
	ph_arena_drop(&arena);
	return wrong;
}

static void
check_tile(void *user, TupleTableSlot *slot)
{
	Checking *checking = user;
	PhTile tile;
	if (checking->finding != NULL)
		return;
	tile_of(slot, true, &tile);
	const char *wrong = what_is_wrong(checking, slot, &tile);
	if (wrong == NULL)
		return;
	MemoryContext old = MemoryContextSwitchTo(checking->context);
	checking->finding = psprintf("tile %u of tier %u, level %u, block %u: %s", (uint32) tile.x,
								 tile.tier, tile.level, tile.block, wrong);
	MemoryContextSwitchTo(old);
}

char *
ph_check_tiles(PhTraceRun *trace)
{
	Checking checking = {.context = CurrentMemoryContext, .trace = trace};
	ParamListInfo run = ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0);
	ph_query_rows(noted_sql, run, receive_finding, &checking);
	ph_query_rows(all_sql, run, check_tile, &checking);
	return checking.finding;
}

static void
receive_nothing(void *user, TupleTableSlot *slot)
{
}

bool
ph_run_has_tiles(int64 run_id)
{
	return ph_query_rows(exists_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0),
						 receive_nothing, NULL) > 0;
}
