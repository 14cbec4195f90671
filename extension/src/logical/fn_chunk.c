/*
 * fn_chunk.c - events of one chunk of logical time, for views.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "logical/chunk_args.h"
#include "logical/store/store.h"
#include "server/compat.h"
#include "server/pgenv.h"
#include "server/rowio.h"
#include "trace/window_support.h"

typedef struct KeptCodec
{
	PhEnv env;
	PhLogicalCodec *codec;
} KeptCodec;

/* Of the function's call site, used again by its next call. */
static KeptCodec *
kept_codec(FmgrInfo *flinfo)
{
	KeptCodec *kept = flinfo->fn_extra;
	if (kept != NULL)
		return kept;
	MemoryContext context =
		AllocSetContextCreate(flinfo->fn_mcxt, "perfhouse logical", ALLOCSET_DEFAULT_SIZES);
	kept = MemoryContextAllocZero(context, sizeof(KeptCodec));
	ph_pgenv_init(&kept->env, context);
	PH_CHECK(&kept->env, ph_logical_codec_new(&kept->env, &kept->codec));
	flinfo->fn_extra = kept;
	return kept;
}

static bool
has_null(FunctionCallInfo fcinfo, int n)
{
	for (int i = 0; i < n; i++)
		if (PG_ARGISNULL(i))
			return true;
	return false;
}

static PhBytes
arg_bytes(FunctionCallInfo fcinfo, int argument)
{
	bytea *value = PG_GETARG_BYTEA_PP(argument);
	return (PhBytes){(const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

static void
arg_chunk(FunctionCallInfo fcinfo, PhLogicalChunk *chunk)
{
	*chunk = (PhLogicalChunk){
		.location = (uint32) PG_GETARG_INT32(0),
		.n_members = 1,
		.chunk_no = (uint32) PG_GETARG_INT32(1),
		.format = PG_GETARG_INT32(2),
		.n_events = (uint32) PG_GETARG_INT32(3),
		.n_ends = (uint32) PG_GETARG_INT32(4),
		.first_seq = (uint32) PG_GETARG_INT32(5),
		.t_first = PG_GETARG_INT64(8),
		.places = arg_bytes(fcinfo, 10),
		.metrics = arg_bytes(fcinfo, 11),
		.causes = arg_bytes(fcinfo, 12),
	};
}

/* Beside the columns of ph_logical_metric_name. */
static const char *const aggregate_columns[PH_LOGICAL_METRICS] = {
	[PH_LATENESS] = "aggregate_lateness",
	[PH_GLOBAL_LATENESS] = "aggregate_global_lateness",
	[PH_DIFFERENTIAL] = "aggregate_differential_lateness",
	[PH_GLOBAL_DIFFERENTIAL] = "aggregate_global_differential_lateness",
	[PH_DURATION] = "aggregate_duration"};

static void
put_event(PhRows *rows, const PhLogicalEvents *events, uint32 i)
{
	ph_rows_bigint(rows, "seq", (int64) events->first_seq + i);
	ph_rows_index(rows, "region_id", events->region[i]);
	ph_rows_text(rows, "kind", ph_comm_kind_name(events->kind[i]));
	ph_rows_int(rows, "n_messages", (int32) events->ends_of[i]);
	ph_rows_int(rows, "phase", (int32) events->phase[i]);
	ph_rows_int(rows, "step", (int32) events->step[i]);
	ph_rows_bigint(rows, "enter", events->enter[i]);
	ph_rows_bigint(rows, "leave", events->leave[i]);
	ph_rows_int(rows, "peers", (int32) events->n_peers[i]);
	for (int m = 0; m < PH_LOGICAL_METRICS; m++)
	{
		ph_rows_bigint(rows, ph_logical_metric_name(m), events->value[m][i]);
		ph_rows_bigint(rows, aggregate_columns[m], events->aggregate[m][i]);
	}
	ph_rows_index(rows, "earliest_location", events->earliest_location[i]);
	ph_rows_index(rows, "binding_location", events->binding_location[i]);
	if (events->binding_location[i] == PH_NONE)
		ph_rows_null(rows, "binding_seq");
	else
		ph_rows_bigint(rows, "binding_seq", events->binding_seq[i]);
	ph_rows_new_bool(rows, "inferred", (events->flags[i] & PH_COMM_INFERRED) != 0);
	ph_rows_put(rows);
}

/* Steps or locations from..until, both inclusive; null arguments are no limit. */
typedef struct ChunkWindow
{
	int64 from, until;
} ChunkWindow;

static ChunkWindow
arg_window(FunctionCallInfo fcinfo, int first)
{
	return (ChunkWindow){PG_ARGISNULL(first) ? PG_INT64_MIN : PG_GETARG_INT64(first),
						 PG_ARGISNULL(first + 1) ? PG_INT64_MAX : PG_GETARG_INT64(first + 1)};
}

static bool
is_outside(FunctionCallInfo fcinfo, ChunkWindow window, int n_arguments)
{
	return has_null(fcinfo, n_arguments) || PG_GETARG_INT32(6) > window.until ||
		   PG_GETARG_INT32(7) < window.from;
}

static void
put_events(PhRows *rows, const PhLogicalEvents *events, ChunkWindow window, bool with_location)
{
	for (uint32 i = 0; i < events->n_events; i++)
	{
		if (events->step[i] < window.from || events->step[i] > window.until)
			continue;
		if (with_location)
			ph_rows_int(rows, "location", (int32) events->location);
		put_event(rows, events, i);
	}
}

PH_FUNCTION(ph_chunk_logical_rows)
{
	PhRows rows;
	PhLogicalChunk chunk;
	PhLogicalBlock block;
	ph_rows_begin(&rows, fcinfo);
	ChunkWindow window = arg_window(fcinfo, PH_LOGICAL_ARGUMENTS);
	ChunkWindow locations = arg_window(fcinfo, PH_LOGICAL_ARGUMENTS + 2);
	if (is_outside(fcinfo, window, PH_LOGICAL_ARGUMENTS) || PG_GETARG_INT32(0) > locations.until ||
		PG_GETARG_INT32(14) < locations.from)
		return (Datum) 0;
	KeptCodec *kept = kept_codec(fcinfo->flinfo);
	arg_chunk(fcinfo, &chunk);
	chunk.ends = arg_bytes(fcinfo, 13);
	chunk.n_members = (uint32) PG_GETARG_INT32(14) - chunk.location + 1;
	PH_CHECK(&kept->env,
			 ph_logical_decode_block(kept->codec, &chunk,
									 PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_CAUSES, &block));
	for (uint32 m = 0; m < block.n_members; m++)
	{
		PhLogicalEvents events;
		ph_logical_member(&block, m, &events);
		if ((int64) events.location >= locations.from && (int64) events.location <= locations.until)
			put_events(&rows, &events, window, true);
	}
	return (Datum) 0;
}

/* As release 0.1.0 had it: chunks are of one location. */
PH_FUNCTION(ph_chunk_logical_events)
{
	PhRows rows;
	PhLogicalChunk chunk;
	PhLogicalEvents events;
	ph_rows_begin(&rows, fcinfo);
	ChunkWindow window = arg_window(fcinfo, PH_LOGICAL_ARGUMENTS_0_1_0);
	if (is_outside(fcinfo, window, PH_LOGICAL_ARGUMENTS_0_1_0))
		return (Datum) 0;
	KeptCodec *kept = kept_codec(fcinfo->flinfo);
	arg_chunk(fcinfo, &chunk);
	if (chunk.format == PH_LOGICAL_BLOCK_FORMAT)
		ereport(ERROR, (errcode(PH_ERRCODE_UNSUPPORTED),
						errmsg("chunk %u of location %u has events of several locations",
							   chunk.chunk_no, chunk.location),
						errhint("Ask the view perfhouse.logical_event.")));
	PH_CHECK(&kept->env,
			 ph_logical_decode(kept->codec, &chunk,
							   PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_CAUSES, &events));
	put_events(&rows, &events, window, false);
	return (Datum) 0;
}

/* ---- planner support ---- */

PH_FUNCTION(ph_chunk_logical_support)
{
	static const PhWindowColumns windows = {PH_LOGICAL_ARGUMENTS, INT4OID, 2, {7, 1}};
	PG_RETURN_DATUM(
		ph_window_support((Node *) PG_GETARG_POINTER(0), &windows, PH_LOGICAL_BLOCK_EVENTS));
}
