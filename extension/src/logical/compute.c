/*
 * compute.c - a trace's chunks, one by one, into the core's logical structure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "logical/compute.h"
#include "logical/input.h"
#include "server/query_rows.h"

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

/*
 * Values of a counter by event, inside it and in the aggregate before it: the growth itself, and
 * the growth less the least of the events at the same step of the phase (the peers), as for
 * durations.
 */
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

static void
compute_processes(PhLogicalRun *run)
{
	PhTraceRun *trace = run->trace;
	PhEnv *env = &trace->scratch->env;
	PhLogicalRequest *request = &run->request;
	InputStream stream = {.env = env, .location = PH_NONE};
	PhChunkQuery query = {.window = {.from = PG_INT64_MIN, .to = PG_INT64_MAX}};
	if (request->counter != NULL)
		request->options.counter = find_counter(trace, request->counter);
	PH_CHECK(env, ph_logical_input_new(env, &trace->model, &request->options, &stream.input));
	query.want = ph_logical_input_wants(stream.input);
	ph_query_rows(messages_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_messages, &stream);
	ph_trace_chunks(trace, &query, add_chunk, &stream);
	PH_CHECK(env, ph_logical_input_finish(stream.input, &run->model));
	ph_logical_input_free(stream.input);
	PH_CHECK(env, ph_logical_build(env, &run->model, &request->options, &run->logical));
	PH_CHECK(env, ph_logical_metrics_build(env, &run->logical, &run->metrics));
	relate_counters(run);
}

/* ---- tasks ---- */

/* Blocks are told by their ordinals, as serial_blocks has them. */
static void
number_blocks(const PhTaskOrigin *origin, PhLogicalEvents *events)
{
	for (uint32 i = 0; i < events->n_events; i++)
		events->block[i] = origin->block_ordinal[events->block[i]];
}

void
ph_logical_run_extract(const PhLogicalRun *run, PhLogicalCodec *codec, uint32 first,
					   PhLogicalEvents *out)
{
	PhEnv *env = &run->trace->scratch->env;
	if (run->task_metrics == NULL)
	{
		PH_CHECK(env, ph_logical_extract(codec, &run->metrics, &run->counters, first, out));
		return;
	}
	PH_CHECK(env, ph_task_extract(codec, run->task_metrics, first, out));
	number_blocks(&run->tasks->origin, out);
}

/* Both hold pointers to the core's result, which stays where it is. */
static void
compute_tasks(PhLogicalRun *run)
{
	PhScratch *scratch = run->trace->scratch;
	PhTaskStructure *structure = MemoryContextAllocZero(scratch->context, sizeof(PhTaskStructure));
	run->task_metrics = MemoryContextAllocZero(scratch->context, sizeof(PhTaskMetrics));
	run->tasks = ph_task_run_of(run->trace);
	ph_task_run_collect(run->tasks, NULL);
	PH_CHECK(&scratch->env, ph_task_structure_build(&scratch->env, &run->tasks->tasks,
													&run->request.tasks, structure));
	PH_CHECK(&scratch->env, ph_task_metrics_build(&scratch->env, structure, run->task_metrics));
	run->model = structure->model;
	run->logical = structure->logical;
	run->logical.model = &run->model;
	PH_CHECK(&scratch->env, ph_logical_metrics_build(&scratch->env, &run->logical, &run->metrics));
	run->timelines = ph_timelines_of_tasks(run->tasks);
}

PhLogicalRun *
ph_logical_compute(PhTraceRun *trace, const PhLogicalRequest *request)
{
	PhLogicalRun *run = MemoryContextAllocZero(trace->scratch->context, sizeof(PhLogicalRun));
	run->trace = trace;
	run->request = *request;
	if (request->of_tasks)
		compute_tasks(run);
	else
		compute_processes(run);
	return run;
}
