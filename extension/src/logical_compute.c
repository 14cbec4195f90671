/*
 * logical_compute.c - a trace's chunks, one by one, into the core's logical structure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "logical_compute.h"
#include "logical_input.h"
#include "query_rows.h"

static const char options_sql[] = "SELECT options FROM perfhouse.logical WHERE run_id = $1";

static const char messages_sql[] =
	"SELECT n_messages + unmatched_sends, n_messages + unmatched_receives FROM perfhouse.trace"
	" WHERE run_id = $1";

static uint32
find_counter(const PhTraceRun *trace, const char *name)
{
	for (uint32 i = 0; i < trace->model.n_metrics; i++)
		if (strcmp(trace->model.metrics[i].name, name) == 0)
			return i;
	ereport(ERROR,
			(errcode(PH_ERRCODE_NOT_FOUND),
			 errmsg("the trace of run " INT64_FORMAT " has no metric \"%s\"", trace->run_id, name),
			 errhint("perfhouse.trace_metric lists the metrics of traces.")));
}

typedef struct InputStream
{
	PhEnv *env;
	PhLogicalInput *input;
	uint32 location; /* whose chunks come now; PH_NONE: none yet */
} InputStream;

static void
receive_messages(void *user, TupleTableSlot *slot)
{
	InputStream *stream = user;
	PH_CHECK(stream->env,
			 ph_logical_input_expect(stream->input, (uint64) DatumGetInt64(slot->tts_values[0]),
									 (uint64) DatumGetInt64(slot->tts_values[1])));
}

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	InputStream *stream = user;
	PhEnv *env = &trace->scratch->env;
	if (stream->location != chunk->chunk.location)
		PH_CHECK(env, ph_logical_input_location(stream->input, chunk->chunk.location));
	stream->location = chunk->chunk.location;
	PH_CHECK(env, ph_logical_input_chunk(stream->input, trace->reader));
}

/* Growth of a counter and its growth less the peers' least, by event. */
static void
relate_counters(PhLogicalRun *run)
{
	PhEnv *env = &run->trace->scratch->env;
	const double *values[] = {run->model.counter_inside, run->model.counter_before};
	if (values[0] == NULL)
		return;
	for (int i = 0; i < 2; i++)
	{
		void *relative;
		PH_CHECK(env, ph_env_alloc(env, Max((size_t) run->model.n_events, 1), sizeof(double),
								   &relative));
		PH_CHECK(env, ph_logical_relative(env, &run->metrics, values[i], relative));
		run->counters.values[i] = values[i];
		run->counters.values[PH_COUNTER_INSIDE_RELATIVE + i] = relative;
	}
}

PhLogicalRun *
ph_logical_compute(PhTraceRun *trace, const PhLogicalRequest *request)
{
	PhEnv *env = &trace->scratch->env;
	PhLogicalRun *run = MemoryContextAllocZero(trace->scratch->context, sizeof(PhLogicalRun));
	InputStream stream = {.env = env, .location = PH_NONE};
	PhChunkQuery query = {.window = {.from = PG_INT64_MIN, .to = PG_INT64_MAX},
						  .want = PH_WANT_CALLS | PH_WANT_MESSAGES};
	run->trace = trace;
	run->request = *request;
	if (request->counter != NULL)
	{
		run->request.options.counter = find_counter(trace, request->counter);
		query.want |= PH_WANT_EXTRA;
	}
	PH_CHECK(env, ph_logical_input_new(env, &trace->model, &run->request.options, &stream.input));
	ph_query_rows(messages_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_messages, &stream);
	ph_trace_chunks(trace, &query, add_chunk, &stream);
	PH_CHECK(env, ph_logical_input_finish(stream.input, &run->model));
	ph_logical_input_free(stream.input);
	PH_CHECK(env, ph_logical_build(env, &run->model, &run->request.options, &run->logical));
	PH_CHECK(env, ph_logical_metrics_build(env, &run->logical, &run->metrics));
	relate_counters(run);
	return run;
}

typedef struct StoredOptions
{
	PhLogicalRequest request;
	MemoryContext context;
} StoredOptions;

static void
receive_options(void *user, TupleTableSlot *slot)
{
	StoredOptions *stored = user;
	MemoryContext old = MemoryContextSwitchTo(stored->context);
	ph_logical_request_read(DatumGetJsonbP(slot->tts_values[0]), &stored->request);
	MemoryContextSwitchTo(old);
}

void
ph_logical_options_of(int64 run_id, MemoryContext context, PhLogicalRequest *out)
{
	StoredOptions options = {.context = context};
	ph_query_rows(options_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0), receive_options,
				  &options);
	*out = options.request;
}

PhLogicalRun *
ph_logical_again(int64 run_id)
{
	PhLogicalStored stored = ph_logical_begin(run_id, PH_LOGICAL_PARTS);
	PhLogicalRequest request;
	if (stored.version != PH_LOGICAL_VERSION)
		ereport(
			ERROR,
			(errcode(PH_ERRCODE_UNSUPPORTED),
			 errmsg("the logical steps of run " INT64_FORMAT " were assigned by another version",
					run_id),
			 errhint("Assign them anew: SELECT perfhouse.assign_logical_steps(" INT64_FORMAT ").",
					 run_id)));
	ph_logical_options_of(run_id, stored.trace->scratch->context, &request);
	return ph_logical_compute(stored.trace, &request);
}
