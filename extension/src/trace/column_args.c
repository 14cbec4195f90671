/*
 * column_args.c - chunk columns of arguments to a chunk, with a reader kept between calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "server/compat.h"
#include "trace/column_args.h"

typedef enum ChunkArgument
{
	ARG_LOCATION,
	ARG_CHUNK_NO,
	ARG_FORMAT,
	ARG_EVENTS,
	ARG_ENTER,
	ARG_MESSAGE,
	ARG_FIRST_SEQ,
	ARG_T_PREV,
	ARG_T_FIRST,
	ARG_T_LAST,
	ARG_STACK,
	ARG_DT,
	ARG_KIND,
	ARG_REGION,
	ARG_MSG,
	ARG_EXTRA
} ChunkArgument;

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
	return !has_null(fcinfo, first) && PG_GETARG_INT64(first + ARG_T_FIRST) <= until &&
		   PG_GETARG_INT64(first + ARG_T_LAST) >= from;
}

bool
ph_chunk_arg_reaches(FunctionCallInfo fcinfo, int first, int64 from, int64 to)
{
	return !has_null(fcinfo, first) && PG_GETARG_INT64(first + ARG_T_PREV) < to &&
		   PG_GETARG_INT64(first + ARG_T_LAST) >= from;
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
	*chunk =
		(PhChunk){.location = (uint32) PG_GETARG_INT32(first + ARG_LOCATION),
				  .chunk_no = (uint32) PG_GETARG_INT32(first + ARG_CHUNK_NO),
				  .format = PG_GETARG_INT16(first + ARG_FORMAT),
				  .n_events = (uint32) PG_GETARG_INT32(first + ARG_EVENTS),
				  .n_enter = (uint32) PG_GETARG_INT32(first + ARG_ENTER),
				  .n_message = (uint32) PG_GETARG_INT32(first + ARG_MESSAGE),
				  .first_seq = (uint64) PG_GETARG_INT64(first + ARG_FIRST_SEQ),
				  .t_prev = PG_GETARG_INT64(first + ARG_T_PREV),
				  .t_first = PG_GETARG_INT64(first + ARG_T_FIRST),
				  .t_last = PG_GETARG_INT64(first + ARG_T_LAST),
				  .stack = arg_bytes(fcinfo, first + ARG_STACK, calls),
				  .dt = arg_bytes(fcinfo, first + ARG_DT, calls || (want & PH_WANT_TIMES) != 0),
				  .kind = arg_bytes(fcinfo, first + ARG_KIND, true),
				  .region = arg_bytes(fcinfo, first + ARG_REGION, calls),
				  .msg = arg_bytes(fcinfo, first + ARG_MSG, (want & PH_WANT_MESSAGES) != 0),
				  .extra = arg_bytes(fcinfo, first + ARG_EXTRA, (want & PH_WANT_EXTRA) != 0)};
	PH_CHECK(&kept->env, ph_chunk_reader_open(kept->reader, chunk, want));
	return kept->reader;
}
