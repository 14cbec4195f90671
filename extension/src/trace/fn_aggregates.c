/*
 * fn_aggregates.c - aggregates over the columns of chunks: messages by a key, calls by
 * region.
 *
 * States are byte strings, so that they travel between workers and nodes as they are. Chunks may
 * come in any order and in any number of parts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/column_args.h"
#include "trace/comm.h"
#include "trace/region_profile.h"

/* Transition functions change their state in place and trust it: only aggregates may call them. */
static void
require_aggregate(FunctionCallInfo fcinfo)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("function is part of an aggregate and not callable alone")));
}

/* ---- messages by a key ---- */

#define ARG_TALLIED 1 /* the chunk's columns; then rank, key, t_from, t_to, bins */

static PhCommKey
arg_key(FunctionCallInfo fcinfo, int argument)
{
	static const struct
	{
		const char *word;
		PhCommKey key;
	} words[] = {{"pair", PH_COMM_PAIR},
				 {"size", PH_COMM_SIZE},
				 {"time", PH_COMM_TIME},
				 {"process", PH_COMM_PROCESS}};
	const char *word = ph_arg_text_or(fcinfo, argument, "pair");
	for (int i = 0; i < (int) lengthof(words); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].key;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("messages cannot be tallied by \"%s\"", word),
					errhint("Use pair, size, time or process.")));
}

static PhCommTally
arg_tally(FunctionCallInfo fcinfo, int first)
{
	int32 bins = PG_ARGISNULL(first + 4) ? 1 : PG_GETARG_INT32(first + 4);
	PhCommTally tally = {.key = arg_key(fcinfo, first + 1),
						 .rank = PG_ARGISNULL(first) ? PH_NONE : (uint32) PG_GETARG_INT32(first),
						 .bins = {.from = ph_arg_bigint_or(fcinfo, first + 2, PG_INT64_MIN),
								  .to = ph_arg_bigint_or(fcinfo, first + 3, PG_INT64_MAX),
								  .n = (uint32) bins}};
	if (bins < 1 || bins > PH_MOST_BINS || tally.bins.from >= tally.bins.to)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the window is empty or has not 1 to %d bins", PH_MOST_BINS)));
	return tally;
}

/* A state that has room for n_keys more, with what the old one (NULL: none) holds. */
static bytea *
tally_with_room(PhEnv *env, bytea *old, uint64 n_keys)
{
	uint64 count = old != NULL ? ph_tally_count(VARDATA(old)) : 0;
	if (old != NULL && ph_tally_has_room(VARDATA(old), n_keys))
		return old;
	size_t size = ph_tally_size(2 * (count + n_keys));
	if (size == 0)
		size = ph_tally_size(count + n_keys);
	if (size == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are too many different keys"), errhint("Take a shorter window.")));
	bytea *state = palloc_extended(VARHDRSZ + size, MCXT_ALLOC_HUGE);
	SET_VARSIZE(state, VARHDRSZ + size);
	ph_tally_init(VARDATA(state), size);
	if (old != NULL)
		PH_CHECK(env, ph_tally_merge(env, VARDATA(state), VARDATA(old)));
	return state;
}

static bytea *
tally_plus(PhEnv *env, bytea *state, const void *tally)
{
	bytea *sum = tally_with_room(env, state, ph_tally_count(tally));
	PH_CHECK(env, ph_tally_merge(env, VARDATA(sum), tally));
	return sum;
}

static void
check_tally(PhEnv *env, const bytea *tally)
{
	PH_CHECK(env, ph_tally_check(env, VARDATA_ANY(tally), VARSIZE_ANY_EXHDR(tally)));
}

/* The state as an aggregate of anybody's own may begin with any bytes; NULL: none yet. */
static bytea *
arg_state(PhEnv *env, FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		return NULL;
	bytea *state = PG_GETARG_BYTEA_P(0);
	check_tally(env, state);
	return state;
}

PH_FUNCTION(ph_comm_tally_add)
{
	require_aggregate(fcinfo);
	PhCommTally what = arg_tally(fcinfo, ARG_TALLIED + PH_CHUNK_ARGUMENTS);
	PhScratch *scratch = ph_scratch_begin();
	bytea *state = arg_state(&scratch->env, fcinfo);
	PhChunk chunk;
	void *tally = NULL;
	if (ph_chunk_arg_overlaps(fcinfo, ARG_TALLIED, what.bins.from, what.bins.to))
	{
		PhChunkReader *reader =
			ph_chunk_arg_open(fcinfo, ARG_TALLIED, PH_WANT_CALLS | PH_WANT_MESSAGES, &chunk);
		PH_CHECK(&scratch->env,
				 ph_comm_tally_chunk(&scratch->arena, &what, &chunk, reader, &tally));
		state = tally_plus(&scratch->env, state, tally);
	}
	else if (state == NULL)
		state = tally_with_room(&scratch->env, NULL, 1);
	ph_scratch_end(scratch);
	PG_RETURN_BYTEA_P(state);
}

PH_FUNCTION(ph_comm_tally_combine)
{
	require_aggregate(fcinfo);
	PhScratch *scratch = ph_scratch_begin();
	bytea *state = arg_state(&scratch->env, fcinfo);
	if (!PG_ARGISNULL(1))
	{
		bytea *other = PG_GETARG_BYTEA_PP(1);
		check_tally(&scratch->env, other);
		state = tally_plus(&scratch->env, state, VARDATA_ANY(other));
	}
	ph_scratch_end(scratch);
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(state);
}

PH_FUNCTION(ph_comm_tally_rows)
{
	PhRows rows;
	const PhTallyRow *tallied = NULL;
	uint32 n = 0;
	ph_rows_begin(&rows, fcinfo);
	bytea *tally = PG_GETARG_BYTEA_PP(0);
	PhScratch *scratch = ph_scratch_begin();
	check_tally(&scratch->env, tally);
	PH_CHECK(&scratch->env, ph_tally_rows(&scratch->arena, VARDATA_ANY(tally), &tallied, &n));
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_bigint(&rows, "key", (int64) tallied[i].key);
		ph_rows_int(&rows, "first", (int32) (tallied[i].key >> 32));
		ph_rows_int(&rows, "second", (int32) tallied[i].key);
		ph_rows_bigint(&rows, "messages", (int64) tallied[i].messages);
		ph_rows_bigint(&rows, "bytes", (int64) tallied[i].bytes);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

/* ---- calls by region ---- */

#define ARG_PROFILED 1 /* the chunk's columns; then t_from, t_to */

static bytea *
bytea_of(PhBytes bytes)
{
	bytea *result = palloc_extended(VARHDRSZ + bytes.size, MCXT_ALLOC_HUGE);
	SET_VARSIZE(result, VARHDRSZ + bytes.size);
	memcpy(VARDATA(result), bytes.data, bytes.size);
	return result;
}

static void
add_state(const PhEnv *env, PhRegionProfile *profile, FunctionCallInfo fcinfo, int argument)
{
	if (PG_ARGISNULL(argument))
		return;
	bytea *state = PG_GETARG_BYTEA_PP(argument);
	PhBytes bytes = {(const uint8_t *) VARDATA_ANY(state), VARSIZE_ANY_EXHDR(state)};
	PH_CHECK(env, ph_region_profile_add_bytes(profile, bytes));
}

static Datum
state_of(PhScratch *scratch, PhRegionProfile *profile)
{
	PhBytes bytes;
	PH_CHECK(&scratch->env, ph_region_profile_bytes(profile, &bytes));
	bytea *state = bytea_of(bytes);
	ph_scratch_end(scratch);
	PG_RETURN_BYTEA_P(state);
}

PH_FUNCTION(ph_region_profile_add)
{
	require_aggregate(fcinfo);
	int64 from = ph_arg_bigint_or(fcinfo, ARG_PROFILED + PH_CHUNK_ARGUMENTS, PG_INT64_MIN);
	int64 to = ph_arg_bigint_or(fcinfo, ARG_PROFILED + PH_CHUNK_ARGUMENTS + 1, PG_INT64_MAX);
	PhRegionProfile *profile;
	PhScratch *scratch = ph_scratch_begin();
	PhChunk chunk;
	PH_CHECK(&scratch->env, ph_region_profile_new(&scratch->env, &profile));
	add_state(&scratch->env, profile, fcinfo, 0);
	if (ph_chunk_arg_reaches(fcinfo, ARG_PROFILED, from, to))
	{
		PhChunkReader *reader = ph_chunk_arg_open(fcinfo, ARG_PROFILED, PH_WANT_CALLS, &chunk);
		PH_CHECK(&scratch->env, ph_region_profile_add_chunk(profile, &chunk, reader, from, to));
	}
	return state_of(scratch, profile);
}

PH_FUNCTION(ph_region_profile_combine)
{
	require_aggregate(fcinfo);
	PhRegionProfile *profile;
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_region_profile_new(&scratch->env, &profile));
	add_state(&scratch->env, profile, fcinfo, 0);
	add_state(&scratch->env, profile, fcinfo, 1);
	return state_of(scratch, profile);
}

PH_FUNCTION(ph_region_profile_rows_of)
{
	PhRows rows;
	const PhRegionTotals *totals = NULL;
	uint32 n = 0;
	PhRegionProfile *profile;
	ph_rows_begin(&rows, fcinfo);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_region_profile_new(&scratch->env, &profile));
	add_state(&scratch->env, profile, fcinfo, 0);
	PH_CHECK(&scratch->env, ph_region_profile_rows(profile, &totals, &n));
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_index(&rows, "region_id", totals[i].region);
		ph_rows_bigint(&rows, "calls", (int64) totals[i].calls);
		ph_rows_bigint(&rows, "inclusive", totals[i].inclusive);
		ph_rows_bigint(&rows, "exclusive", totals[i].exclusive);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}
