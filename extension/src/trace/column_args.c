/*
 * column_args.c - chunk columns of arguments to a chunk, with a reader kept between calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "server/compat.h"
#include "trace/column_args.h"

typedef struct KeptReader
{
	PhEnv env;
	PhChunkReader *reader;
} KeptReader;

static bool
has_null(FunctionCallInfo fcinfo, int first)
{
	for (int i = 0; i < PH_CHUNK_ARGUMENTS; i++)
		if (PG_ARGISNULL(first + i))
			return true;
	return false;
}

bool
ph_chunk_arg_overlaps(FunctionCallInfo fcinfo, int first, int64 from, int64 until)
{
	return !has_null(fcinfo, first) &&
		   PG_GETARG_INT64(first + PH_SLOT(trace_chunk, t_first)) <= until &&
		   PG_GETARG_INT64(first + PH_SLOT(trace_chunk, t_last)) >= from;
}

bool
ph_chunk_arg_reaches(FunctionCallInfo fcinfo, int first, int64 from, int64 to)
{
	return !has_null(fcinfo, first) && PG_GETARG_INT64(first + PH_SLOT(trace_chunk, t_prev)) < to &&
		   PG_GETARG_INT64(first + PH_SLOT(trace_chunk, t_last)) >= from;
}

static PhBytes
arg_bytes(FunctionCallInfo fcinfo, int argument, bool wanted)
{
	if (!wanted)
		return (PhBytes){NULL, 0};
	bytea *value = PG_GETARG_BYTEA_PP(argument);
	return (PhBytes){(const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

static KeptReader *
kept_reader(FmgrInfo *flinfo)
{
	KeptReader *kept = flinfo->fn_extra;
	if (kept != NULL)
		return kept;
	MemoryContext context =
		AllocSetContextCreate(flinfo->fn_mcxt, "perfhouse chunk reader", ALLOCSET_DEFAULT_SIZES);
	kept = MemoryContextAllocZero(context, sizeof(KeptReader));
	ph_pgenv_init(&kept->env, context);
	PH_CHECK(&kept->env, ph_chunk_reader_new(&kept->env, &kept->reader));
	flinfo->fn_extra = kept;
	return kept;
}

PhChunkReader *
ph_chunk_arg_open(FunctionCallInfo fcinfo, int first, uint32 want, PhChunk *chunk)
{
	KeptReader *kept = kept_reader(fcinfo->flinfo);
	bool calls = (want & PH_WANT_CALLS) != 0;
	*chunk = (PhChunk){
		.location = (uint32) PG_GETARG_INT32(first + PH_SLOT(trace_chunk, location_id)),
		.chunk_no = (uint32) PG_GETARG_INT32(first + PH_SLOT(trace_chunk, chunk_no)),
		.format = PG_GETARG_INT16(first + PH_SLOT(trace_chunk, format)),
		.n_events = (uint32) PG_GETARG_INT32(first + PH_SLOT(trace_chunk, n_events)),
		.n_enter = (uint32) PG_GETARG_INT32(first + PH_SLOT(trace_chunk, n_enter)),
		.n_message = (uint32) PG_GETARG_INT32(first + PH_SLOT(trace_chunk, n_message)),
		.first_seq = (uint64) PG_GETARG_INT64(first + PH_SLOT(trace_chunk, first_seq)),
		.t_prev = PG_GETARG_INT64(first + PH_SLOT(trace_chunk, t_prev)),
		.t_first = PG_GETARG_INT64(first + PH_SLOT(trace_chunk, t_first)),
		.t_last = PG_GETARG_INT64(first + PH_SLOT(trace_chunk, t_last)),
		.stack = arg_bytes(fcinfo, first + PH_SLOT(trace_chunk, stack), calls),
		.dt = arg_bytes(fcinfo, first + PH_SLOT(trace_chunk, dt),
						calls || (want & PH_WANT_TIMES) != 0),
		.kind = arg_bytes(fcinfo, first + PH_SLOT(trace_chunk, kind), true),
		.region = arg_bytes(fcinfo, first + PH_SLOT(trace_chunk, region), calls),
		.msg = arg_bytes(fcinfo, first + PH_SLOT(trace_chunk, msg), (want & PH_WANT_MESSAGES) != 0),
		.extra =
			arg_bytes(fcinfo, first + PH_SLOT(trace_chunk, extra), (want & PH_WANT_EXTRA) != 0)};
	PH_CHECK(&kept->env, ph_chunk_reader_open(kept->reader, chunk, want));
	return kept->reader;
}
