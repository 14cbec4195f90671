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
has_null(FunctionCallInfo fcinfo)
{
	for (int i = 0; i < PH_LOGICAL_ARGUMENTS; i++)
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
		.chunk_no = (uint32) PG_GETARG_INT32(1),
		.format = PG_GETARG_INT32(2),
		.n_events = (uint32) PG_GETARG_INT32(3),
		.n_ends = (uint32) PG_GETARG_INT32(4),
		.first_seq = (uint32) PG_GETARG_INT32(5),
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

PH_FUNCTION(ph_chunk_logical_events)
{
	PhRows rows;
	PhLogicalChunk chunk;
	PhLogicalEvents events;
	ph_rows_begin(&rows, fcinfo);
	int64 from =
		PG_ARGISNULL(PH_LOGICAL_ARGUMENTS) ? PG_INT64_MIN : PG_GETARG_INT64(PH_LOGICAL_ARGUMENTS);
	int64 until = PG_ARGISNULL(PH_LOGICAL_ARGUMENTS + 1)
					  ? PG_INT64_MAX
					  : PG_GETARG_INT64(PH_LOGICAL_ARGUMENTS + 1);
	if (has_null(fcinfo) || PG_GETARG_INT32(6) > until || PG_GETARG_INT32(7) < from)
		return (Datum) 0;
	KeptCodec *kept = kept_codec(fcinfo->flinfo);
	arg_chunk(fcinfo, &chunk);
	PH_CHECK(&kept->env,
			 ph_logical_decode(kept->codec, &chunk,
							   PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_CAUSES, &events));
	for (uint32 i = 0; i < events.n_events; i++)
		if (events.step[i] >= from && events.step[i] <= until)
			put_event(&rows, &events, i);
	return (Datum) 0;
}

/* ---- planner support ---- */

PH_FUNCTION(ph_chunk_logical_support)
{
	static const PhWindowColumns windows = {PH_LOGICAL_ARGUMENTS, INT4OID, 1, {6}};
	PG_RETURN_DATUM(ph_window_support((Node *) PG_GETARG_POINTER(0), &windows, 1024));
}
