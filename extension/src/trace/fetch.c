/*
 * fetch.c - one chunk at a time through a prepared query.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/memutils.h"

#include "server/query_rows.h"
#include "trace/fetch.h"
#include "trace/sql.h"

static const char count_sql[] = "SELECT location_id, count(*)::int4 FROM perfhouse.trace_chunk"
								" WHERE run_id = $1 GROUP BY location_id";

static const char fetch_sql[] = "SELECT " PH_SUMMED_CHUNK_COLUMNS " FROM perfhouse.trace_chunk c"
								" WHERE c.run_id = $1 AND c.location_id = $2 AND c.chunk_no = $3";

static void
receive_count(void *user, TupleTableSlot *slot)
{
	PhChunkFetch *fetch = user;
	uint32 location = (uint32) ph_slot_int(slot, 0, 0);
	if (location >= fetch->trace->model.n_locations)
		ph_trace_refuse(fetch->trace, "a chunk belongs to a location that does not exist");
	fetch->n_chunks[location] = (uint32) ph_slot_int(slot, 1, 0);
}

static void
find_chunk(const PhChunkFetch *fetch, uint32 chunk_no)
{
	Datum values[] = {Int64GetDatum(fetch->trace->run_id), Int32GetDatum((int32) fetch->location),
					  Int32GetDatum((int32) chunk_no)};
	int result = SPI_execute_plan(fetch->plan, values, NULL, true, 1);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "reading a chunk failed: %s", SPI_result_code_string(result));
	if (SPI_processed != 1)
		ph_trace_refuse(fetch->trace, "chunks are not numbered from 0 without gaps");
}

/* PhChunkSource.fetch; errors of the server are raised as such. Short columns are read where they
 * are, so a row stays until the next one is fetched. */
static PhStatus
fetch_chunk(void *user, uint32_t chunk_no, uint32_t want, PhChunk *out)
{
	PhChunkFetch *fetch = user;
	SPI_freetuptable(fetch->table);
	find_chunk(fetch, chunk_no);
	fetch->table = SPI_tuptable;
	TupleTableSlot *slot = MakeSingleTupleTableSlot(fetch->table->tupdesc, &TTSOpsHeapTuple);
	ExecStoreHeapTuple(fetch->table->vals[0], slot, false);
	slot_getallattrs(slot);
	MemoryContextReset(fetch->fetched);
	MemoryContext old = MemoryContextSwitchTo(fetch->fetched);
	ph_trace_sound_chunk(fetch->trace, slot, want, out);
	out->stack = ph_trace_slot_stack(slot);
	MemoryContextSwitchTo(old);
	ExecDropSingleTupleTableSlot(slot);
	return PH_OK;
}

void
ph_chunk_fetch_begin(PhChunkFetch *fetch, PhTraceRun *trace)
{
	Oid types[] = {INT8OID, INT4OID, INT4OID};
	MemoryContext context = trace->scratch->context;
	*fetch = (PhChunkFetch){.trace = trace};
	fetch->n_chunks =
		MemoryContextAllocZero(context, sizeof(uint32) * Max(trace->model.n_locations, 1));
	fetch->fetched = AllocSetContextCreate(context, "perfhouse chunk", ALLOCSET_DEFAULT_SIZES);
	ph_query_rows(count_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_count, fetch);
	fetch->plan = SPI_prepare(fetch_sql, 3, types);
	if (fetch->plan == NULL)
		elog(ERROR, "preparing a query failed: %s", SPI_result_code_string(SPI_result));
}

void
ph_chunk_fetch_location(PhChunkFetch *fetch, uint32 location)
{
	fetch->location = location;
	fetch->source =
		(PhChunkSource){.n_chunks = fetch->n_chunks[location], .fetch = fetch_chunk, .user = fetch};
}
