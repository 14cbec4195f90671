/*
 * fn_event_columns.c - the events of a chunk as columns: what data frames are made of.
 *
 * A row of events costs more to send than to decode. Columns are arrays of little-endian numbers as
 * they lie in memory, a row a chunk, which clients take as they are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/column_args.h"

typedef struct Columns
{
	PhByteWriter time, kind, region, peer, bytes;
} Columns;

/* The events of an open reader; n: as many as the chunk says that it has. */
static uint32
fill(PhChunkReader *reader, uint32 n, Columns *columns)
{
	PhEvent event;
	uint32 i = 0;
	for (; i < n && ph_chunk_next(reader, &event); i++)
	{
		uint16 operands = ph_event_operands(event.kind);
		ph_put(&columns->time, (uint64) event.time, 8);
		ph_put(&columns->kind, ph_event_code(event.kind, event.operation), 1);
		ph_put(&columns->region, event.region, 4);
		ph_put(&columns->peer, operands & PH_OPERAND_PEER ? event.peer : PH_NONE, 4);
		ph_put(&columns->bytes, operands & PH_OPERAND_BYTES ? event.bytes : UINT64_MAX, 8);
	}
	return i;
}

PH_FUNCTION(ph_trace_chunk_event_columns)
{
	PhRows rows;
	PhChunk chunk;
	ph_rows_begin(&rows, fcinfo);
	if (!ph_chunk_arg_overlaps(fcinfo, 0, PG_INT64_MIN, PG_INT64_MAX))
		return (Datum) 0;
	PhChunkReader *reader = ph_chunk_arg_open(fcinfo, 0, PH_WANT_ALL, &chunk);
	Columns columns;
	Size n = chunk.n_events;
	ph_rows_int(&rows, "n", (int32) n);
	columns.time = ph_rows_bytes(&rows, "time", n * 8);
	columns.kind = ph_rows_bytes(&rows, "kind", n);
	columns.region = ph_rows_bytes(&rows, "region", n * 4);
	columns.peer = ph_rows_bytes(&rows, "peer", n * 4);
	columns.bytes = ph_rows_bytes(&rows, "bytes", n * 8);
	if (fill(reader, chunk.n_events, &columns) != chunk.n_events)
		ereport(ERROR,
				(errcode(PH_ERRCODE_BAD_PROFILE), errmsg("a chunk has fewer events than it says")));
	ph_rows_put(&rows);
	return (Datum) 0;
}

PH_FUNCTION(ph_event_kinds)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	for (uint32 code = 0; code < PH_EVENT_CODES; code++)
	{
		const char *name = ph_event_code_name(code);
		if (name == NULL)
			continue;
		ph_rows_int(&rows, "code", (int32) code);
		ph_rows_text(&rows, "kind", name);
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}
