/*
 * fn_messages.c - messages as rows: of a run with both ends, and of one chunk for views.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/column_args.h"

/* sender to receive_seq, which both functions begin with. */
static void
put_message(PhRows *rows, const PhMessage *message)
{
	ph_rows_index(rows, "sender", message->sender);
	ph_rows_index(rows, "receiver", message->receiver);
	ph_rows_bigint_unless(rows, "send_time", message->send_time, PH_NO_TIME);
	ph_rows_bigint_unless(rows, "receive_time", message->receive_time, PH_NO_TIME);
	ph_rows_int(rows, "tag", message->tag);
	ph_rows_bigint(rows, "bytes", (int64) message->bytes);
	ph_rows_index(rows, "communicator", message->comm);
	ph_rows_index(rows, "sender_location", message->sender_location);
	ph_rows_index(rows, "receiver_location", message->receiver_location);
	ph_rows_bigint_unless(rows, "send_seq", (int64) message->send_seq, (int64) PH_NO_SEQ);
	ph_rows_bigint_unless(rows, "receive_seq", (int64) message->receive_seq, (int64) PH_NO_SEQ);
}

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhMessages *messages = user;
	PhArena arena;
	uint32 n_links;
	ph_arena_init(&arena, &trace->scratch->env);
	const PhLink *links = ph_trace_links(trace, &arena, chunk, &n_links);
	PH_CHECK(&trace->scratch->env,
			 ph_messages_add_chunk(messages, &chunk->chunk, trace->reader, links, n_links));
	ph_arena_drop(&arena);
}

PH_FUNCTION(ph_trace_messages)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhEnv *env = &trace->scratch->env;
	PhTraceWindow window = ph_arg_window(fcinfo, 1, trace);
	PhMessages *messages;
	const PhMessage *found = NULL;
	uint32 n = 0;
	PH_CHECK(env, ph_messages_new(env, &trace->model, &messages));
	if (window.from < window.to)
		ph_trace_message_chunks(trace, &window, add_chunk, messages);
	PH_CHECK(env, ph_messages_rows(messages, &window, &found, &n));
	for (uint32 i = 0; i < n; i++)
	{
		put_message(&rows, &found[i]);
		ph_rows_text(&rows, "send_region", ph_trace_region_name(trace, found[i].send_region));
		ph_rows_text(&rows, "receive_region", ph_trace_region_name(trace, found[i].receive_region));
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- the messages that one chunk received, its columns being arguments ---- */

#define ARG_RECEIVER PH_CHUNK_ARGUMENTS
#define ARG_LINKS (PH_CHUNK_ARGUMENTS + 1)
#define ARG_SEND_WINDOW (PH_CHUNK_ARGUMENTS + 4)
#define ARG_RECEIVE_WINDOW (PH_CHUNK_ARGUMENTS + 6)

/* Without a window of sending times every chunk is read, else those that may have such sends. */
static bool
chunk_is_wanted(FunctionCallInfo fcinfo)
{
	int64 from = ph_arg_bigint_or(fcinfo, ARG_RECEIVE_WINDOW, PG_INT64_MIN);
	int64 until = ph_arg_bigint_or(fcinfo, ARG_RECEIVE_WINDOW + 1, PG_INT64_MAX);
	if (!ph_chunk_arg_overlaps(fcinfo, 0, from, until))
		return false;
	if (PG_ARGISNULL(ARG_SEND_WINDOW) && PG_ARGISNULL(ARG_SEND_WINDOW + 1))
		return true;
	if (PG_ARGISNULL(ARG_LINKS))
		return false;
	return ph_arg_bigint_or(fcinfo, ARG_LINKS + 1, PG_INT64_MIN) <=
			   ph_arg_bigint_or(fcinfo, ARG_SEND_WINDOW + 1, PG_INT64_MAX) &&
		   ph_arg_bigint_or(fcinfo, ARG_LINKS + 2, PG_INT64_MAX) >=
			   ph_arg_bigint_or(fcinfo, ARG_SEND_WINDOW, PG_INT64_MIN);
}

PH_FUNCTION(ph_trace_chunk_messages)
{
	PhRows rows;
	PhChunk chunk;
	PhBytes links = {NULL, 0};
	const PhMessage *found = NULL;
	uint32 n = 0;
	PhTraceWindow window = ph_window_all();
	ph_rows_begin(&rows, fcinfo);
	if (!chunk_is_wanted(fcinfo))
		return (Datum) 0;
	PhScratch *scratch = ph_scratch_begin();
	PhChunkReader *reader = ph_chunk_arg_open(fcinfo, 0, PH_WANT_CALLS | PH_WANT_MESSAGES, &chunk);
	if (!PG_ARGISNULL(ARG_LINKS))
	{
		bytea *value = PG_GETARG_BYTEA_PP(ARG_LINKS);
		links = (PhBytes){(const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
	}
	uint32 receiver = PG_ARGISNULL(ARG_RECEIVER) ? PH_NONE : (uint32) PG_GETARG_INT32(ARG_RECEIVER);
	PH_CHECK(&scratch->env, ph_messages_of_chunk(&scratch->arena, receiver, &chunk, reader, links,
												 &window, &found, &n));
	for (uint32 i = 0; i < n; i++)
	{
		put_message(&rows, &found[i]);
		ph_rows_index(&rows, "receive_region_id", found[i].receive_region);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}
