/*
 * fn_store_tiles.c - the pyramid of a stored trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"

#include "base/vector.h"
#include "base/warehouse_columns.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/row_batch.h"
#include "tiles/maker.h"
#include "tiles/stored.h"

static const char lock_sql[] =
	"SELECT FROM perfhouse.run WHERE run_id = $1 AND state = 'ready' FOR NO KEY UPDATE";

static const char *const delete_sql[] = {
	"DELETE FROM perfhouse.trace_tile WHERE run_id = $1",
	"DELETE FROM perfhouse.derived WHERE run_id = $1 AND kind = 'pyramid'",
};

static const char note_sql[] = "INSERT INTO perfhouse.derived (run_id, kind, version)"
							   " SELECT $1, 'pyramid', perfhouse_internal.pyramid_version()";

static const char tile_sql[] = "INSERT INTO perfhouse.trace_tile (run_id, " PH_SELECT(
	trace_tile, "") ") SELECT $1, n.* FROM unnest($2, $3, $4, $5, $6, $7) n";

static const Oid tile_types[] = {INT4OID, INT4OID, INT4OID, INT4OID, BYTEAOID, INT8OID};

/* Tiles wait until all chunks are read: no statement writes while another one reads. */
typedef struct TileList
{
	PhArena *arena;
	uint32 n, capacity;
	PhTile *tiles;
	uint32 first_level, last_level;
} TileList;

static PhStatus
keep_tile(void *user, const PhTile *tile)
{
	TileList *list = user;
	PhTile kept = *tile;
	uint8 *bytes;
	if (tile->level < list->first_level || tile->level > list->last_level)
		return PH_OK;
	PH_TRY(PH_GROW(list->arena, &list->tiles, list->n, &list->capacity));
	PH_TRY(PH_NEW(list->arena, tile->bytes.size, &bytes));
	memcpy(bytes, tile->bytes.data, tile->bytes.size);
	kept.bytes.data = bytes;
	list->tiles[list->n++] = kept;
	return PH_OK;
}

static void
write_tiles(int64 run_id, const TileList *list)
{
	PhRowBatch batch;
	ph_batch_begin(&batch, run_id, tile_sql, lengthof(tile_types), tile_types);
	for (uint32 i = 0; i < list->n; i++)
	{
		const PhTile *tile = &list->tiles[i];
		ph_batch_int(&batch, PH_SLOT(trace_tile, tier), (int32) tile->tier);
		ph_batch_int(&batch, PH_SLOT(trace_tile, level), (int32) tile->level);
		ph_batch_int(&batch, PH_SLOT(trace_tile, block), (int32) tile->block);
		ph_batch_int(&batch, PH_SLOT(trace_tile, x), (int32) tile->x);
		ph_batch_bytes(&batch, PH_SLOT(trace_tile, bytes), tile->bytes);
		ph_batch_bigint(&batch, PH_SLOT(trace_tile, crc), ph_tile_crc(tile));
		ph_batch_put(&batch);
	}
	ph_batch_end(&batch);
}

/* The levels that a load of the trace stores. */
static void
make_all(PhTraceRun *trace, TileList *list)
{
	uint32 n = trace->model.n_locations;
	PhTileRequest request = {.most_bins = ph_pyramid_bins((uint64) trace->n_events / Max(n, 1)),
							 .tier = PH_ALL_TIERS,
							 .n_locations = n,
							 .emit = keep_tile,
							 .user = list};
	list->last_level = ph_pyramid_last_level(trace->duration);
	while (trace->duration >> list->first_level >= request.most_bins)
		list->first_level++;
	if (n > 0)
		ph_tiles_make(ph_tile_maker(trace), &request);
}

PH_FUNCTION(ph_store_tiles)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	int64 run_id = PG_GETARG_INT64(0);
	PhTraceRun *trace = ph_trace_begin(run_id, PH_TRACE_REGIONS);
	TileList list = {.arena = &trace->scratch->arena};
	if (ph_execute_with_run(lock_sql, run_id) == 0)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("there is no run " INT64_FORMAT, run_id)));
	make_all(trace, &list);
	for (int i = 0; i < (int) lengthof(delete_sql); i++)
		ph_execute_with_run(delete_sql[i], run_id);
	write_tiles(run_id, &list);
	ph_execute_with_run(note_sql, run_id);
	int64 n = list.n;
	ph_trace_end(trace);
	PG_RETURN_INT64(n);
}

PH_FUNCTION(ph_pyramid_version)
{
	PG_RETURN_INT32(PH_PYRAMID_VERSION);
}
