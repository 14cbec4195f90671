/*
 * fn_chunk_sums.c - checksums of stored chunks that have none: those of releases before 0.2.0.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "executor/spi.h"

#include "server/compat.h"
#include "server/pgenv.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "trace/reader.h"
#include "trace/sql.h"

static const char events_sql[] = "SELECT " PH_CHUNK_COLUMNS " FROM perfhouse.trace_chunk c"
								 " WHERE c.run_id = $1 AND c.crc IS NULL"
								 " ORDER BY c.location_id, c.chunk_no";

static const char links_sql[] =
	"SELECT " PH_SELECT(message_chunk, "c.") " FROM perfhouse.message_chunk c"
											 " WHERE c.run_id = $1 AND c.crc IS NULL"
											 " ORDER BY c.location_id, c.chunk_no";

static void
put_sum(PhRows *rows, uint32 location, uint32 chunk_no, uint32 crc)
{
	ph_rows_int(rows, "location_id", (int32) location);
	ph_rows_int(rows, "chunk_no", (int32) chunk_no);
	ph_rows_bigint(rows, "crc", crc);
	ph_rows_put(rows);
}

static void
receive_events(void *user, TupleTableSlot *slot)
{
	PhChunk chunk;
	ph_trace_slot_chunk(slot, PH_WANT_ALL, &chunk);
	put_sum(user, chunk.location, chunk.chunk_no, ph_chunk_crc(&chunk));
}

static void
receive_links(void *user, TupleTableSlot *slot)
{
	PhLinkChunk chunk;
	ph_trace_slot_links(slot, &chunk);
	put_sum(user, chunk.location, chunk.chunk_no, ph_link_chunk_crc(&chunk));
}

static Datum
put_sums(FunctionCallInfo fcinfo, const char *sql, PhRowFunction receive)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	ph_require_warehouse();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ph_query_rows(sql, ph_query_parameters(PG_GETARG_INT64(0), InvalidOid, (Datum) 0), receive,
				  &rows);
	SPI_finish();
	return (Datum) 0;
}

PH_FUNCTION(ph_event_sums)
{
	return put_sums(fcinfo, events_sql, receive_events);
}

PH_FUNCTION(ph_link_sums)
{
	return put_sums(fcinfo, links_sql, receive_links);
}
