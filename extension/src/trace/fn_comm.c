/*
 * fn_comm.c - who communicates with whom, how much, when and in which sizes.
 *
 * The messages are tallied by the aggregate comm_tally, in parallel where the server does so.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/sql.h"

static const char tally_sql[] =
	"SELECT perfhouse_internal.comm_tally(" PH_CHUNK_COLUMNS ", l.rank, $2, $3, $4, $5)"
	" FROM perfhouse.trace_chunk c LEFT JOIN perfhouse.location l USING (run_id, location_id)"
	" WHERE c.run_id = $1 AND c.n_message > 0 AND c.t_last >= $3 AND c.t_first < $4"
	" AND ($6::int4[] IS NULL OR c.location_id = ANY ($6::int4[]))";

typedef struct Tallied
{
	PhTraceRun *trace;
	const void *tally; /* NULL: no messages */
} Tallied;

static void
receive_tally(void *user, TupleTableSlot *slot)
{
	Tallied *out = user;
	if (ph_slot_is_null(slot, 0))
		return;
	bytea *value = PG_DETOAST_DATUM_PACKED(slot->tts_values[0]);
	void *copy = MemoryContextAllocHuge(out->trace->scratch->context, VARSIZE_ANY_EXHDR(value));
	memcpy(copy, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	out->tally = copy;
}

/* Of these locations (an int4[]; NULL: all). NULL: no messages. */
static const void *
tally_messages_of(PhTraceRun *trace, const char *key, const PhTimeBins *bins,
				  const NullableDatum *locations)
{
	Tallied out = {.trace = trace};
	ParamListInfo parameters = makeParamList(6);
	parameters->params[0] =
		(ParamExternData){Int64GetDatum(trace->run_id), false, PARAM_FLAG_CONST, INT8OID};
	parameters->params[1] =
		(ParamExternData){CStringGetTextDatum(key), false, PARAM_FLAG_CONST, TEXTOID};
	parameters->params[2] =
		(ParamExternData){Int64GetDatum(bins->from), false, PARAM_FLAG_CONST, INT8OID};
	parameters->params[3] =
		(ParamExternData){Int64GetDatum(bins->to), false, PARAM_FLAG_CONST, INT8OID};
	parameters->params[4] =
		(ParamExternData){Int32GetDatum((int32) bins->n), false, PARAM_FLAG_CONST, INT4OID};
	parameters->params[5] =
		(ParamExternData){.isnull = true, .pflags = PARAM_FLAG_CONST, .ptype = INT4ARRAYOID};
	if (locations != NULL && !locations->isnull)
		parameters->params[5] =
			(ParamExternData){locations->value, false, PARAM_FLAG_CONST, INT4ARRAYOID};
	ph_query_rows(tally_sql, parameters, receive_tally, &out);
	return out.tally;
}

static const void *
tally_messages(PhTraceRun *trace, const char *key, const PhTimeBins *bins)
{
	return tally_messages_of(trace, key, bins, NULL);
}

PH_FUNCTION(ph_trace_comm_matrix)
{
	PhRows rows;
	const PhCommPair *pairs = NULL;
	uint32 n = 0;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhTraceWindow window = ph_arg_times(fcinfo, 1);
	PhTimeBins bins = {window.from, window.to, 1};
	const void *tally = bins.from < bins.to ? tally_messages(trace, "pair", &bins) : NULL;
	if (tally != NULL)
		PH_CHECK(&trace->scratch->env, ph_comm_matrix(&trace->scratch->arena, tally, &pairs, &n));
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_index(&rows, "sender", pairs[i].sender);
		ph_rows_index(&rows, "receiver", pairs[i].receiver);
		ph_rows_bigint(&rows, "messages", (int64) pairs[i].messages);
		ph_rows_bigint(&rows, "bytes", (int64) pairs[i].bytes);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}

static void
find_sizes(PhTraceRun *trace, const void *tally, uint32 n_bins, const PhSizeBin **sizes, uint32 *n)
{
	PhEnv *env = &trace->scratch->env;
	PhArena *arena = &trace->scratch->arena;
	bool wide = false;
	PH_CHECK(env, ph_comm_sizes_are_wide(arena, tally, &wide));
	if (wide)
		PH_CHECK(env, ph_comm_size_classes(arena, tally, n_bins, sizes, n));
	else
		PH_CHECK(env, ph_comm_histogram(arena, tally, n_bins, sizes, n));
}

PH_FUNCTION(ph_trace_message_histogram)
{
	PhRows rows;
	const PhSizeBin *sizes = NULL;
	uint32 n = 0;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	uint32 n_bins = ph_arg_bin_count(fcinfo, 1, 20);
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhTraceWindow window = ph_arg_window(fcinfo, 2, trace);
	PhTimeBins bins = {window.from, window.to, 1};
	const void *tally =
		bins.from < bins.to ? tally_messages_of(trace, "size", &bins, &fcinfo->args[4]) : NULL;
	if (tally != NULL)
		find_sizes(trace, tally, n_bins, &sizes, &n);
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_int(&rows, "bin", (int32) i);
		ph_rows_bigint(&rows, "low", (int64) sizes[i].low);
		ph_rows_bigint(&rows, "high", (int64) Min(sizes[i].high, (uint64) PG_INT64_MAX));
		ph_rows_bigint(&rows, "messages", (int64) sizes[i].messages);
		ph_rows_bigint(&rows, "bytes", (int64) sizes[i].bytes);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}

/* What ph_comm_over_time makes of a tally without messages. */
static const void *
empty_tally(PhArena *arena)
{
	void *tally = NULL;
	PH_CHECK(arena->env, ph_tally_grow(arena, &tally, 1));
	return tally;
}

PH_FUNCTION(ph_trace_comm_over_time)
{
	PhRows rows;
	const PhTimeBin *times = NULL;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhArena *arena = &trace->scratch->arena;
	PhTimeBins bins = ph_arg_bins(fcinfo, 1, 2, trace);
	const void *tally = tally_messages(trace, "time", &bins);
	PH_CHECK(arena->env,
			 ph_comm_over_time(arena, tally != NULL ? tally : empty_tally(arena), &bins, &times));
	for (uint32 i = 0; i < bins.n; i++)
	{
		ph_rows_int(&rows, "bin", (int32) i);
		ph_rows_bigint(&rows, "bin_start", times[i].start);
		ph_rows_bigint(&rows, "bin_end", times[i].end);
		ph_rows_bigint(&rows, "messages", (int64) times[i].messages);
		ph_rows_bigint(&rows, "bytes", (int64) times[i].bytes);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}

PH_FUNCTION(ph_trace_comm_by_process)
{
	PhRows rows;
	const PhProcessComm *ranks = NULL;
	uint32 n = 0;
	PhTimeBins all = ph_bins_all();
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	const void *tally = tally_messages(trace, "process", &all);
	if (tally != NULL)
		PH_CHECK(&trace->scratch->env,
				 ph_comm_by_process(&trace->scratch->arena, tally, &ranks, &n));
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_index(&rows, "rank", ranks[i].rank);
		ph_rows_bigint(&rows, "messages_sent", (int64) ranks[i].messages_sent);
		ph_rows_bigint(&rows, "messages_received", (int64) ranks[i].messages_received);
		ph_rows_bigint(&rows, "bytes_sent", (int64) ranks[i].bytes_sent);
		ph_rows_bigint(&rows, "bytes_received", (int64) ranks[i].bytes_received);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}
