/*
 * again.c - logical structure computed instead of read: with other options, or as it is stored.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "logical/again.h"
#include "server/query_rows.h"

static const char options_sql[] = "SELECT options FROM perfhouse.logical WHERE run_id = $1";

void
ph_logical_request_of(PhTraceRun *trace, Jsonb *options, PhLogicalRequest *out)
{
	MemoryContext old = MemoryContextSwitchTo(trace->scratch->context);
	ph_logical_request_read(options, ph_task_run_is_one(trace->run_id), out);
	MemoryContextSwitchTo(old);
}

static PhLogicalStored
stored_of(PhLogicalRun *run)
{
	PhTraceRun *trace = run->trace;
	PhLogicalStored stored = {.trace = trace,
							  .version = PH_LOGICAL_VERSION,
							  .n_events = run->model.n_events,
							  .n_phases = (int32) run->logical.n_phases,
							  .last_step = run->logical.last_step,
							  .stride = (uint32) run->logical.stride,
							  .timelines = run->timelines,
							  .computed = run};
	if (run->timelines != NULL)
		ph_timelines_install(run->timelines, trace);
	return stored;
}

PhLogicalStored
ph_logical_begin_with(int64 run_id, uint32 parts, Jsonb *options)
{
	PhLogicalRequest request;
	if (options == NULL)
		return ph_logical_begin(run_id, parts);
	PhTraceRun *trace = ph_trace_begin(run_id, PH_LOGICAL_PARTS);
	ph_logical_request_of(trace, options, &request);
	return stored_of(ph_logical_compute(trace, &request));
}

typedef struct StoredOptions
{
	PhLogicalRequest request;
	bool of_tasks;
	MemoryContext context;
} StoredOptions;

static void
receive_options(void *user, TupleTableSlot *slot)
{
	StoredOptions *stored = user;
	MemoryContext old = MemoryContextSwitchTo(stored->context);
	ph_logical_request_read(DatumGetJsonbP(slot->tts_values[0]), stored->of_tasks,
							&stored->request);
	MemoryContextSwitchTo(old);
}

void
ph_logical_options_of(int64 run_id, MemoryContext context, PhLogicalRequest *out)
{
	StoredOptions options = {.context = context, .of_tasks = ph_task_run_is_one(run_id)};
	ph_query_rows(options_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0), receive_options,
				  &options);
	*out = options.request;
}

/* An event of tasks takes as long as its share of its serial block. */
static void
time_by_share(PhLogicalRun *run)
{
	PhEnv *env = &run->trace->scratch->env;
	for (uint32 e = 0; e < run->model.n_events; e++)
	{
		run->model.enter[e] = run->task_metrics->sub_begin[e];
		run->model.exit[e] = run->task_metrics->sub_end[e];
	}
	ph_logical_metrics_free(&run->metrics);
	PH_CHECK(env, ph_logical_metrics_build(env, &run->logical, &run->metrics));
}

PhLogicalRun *
ph_logical_again(int64 run_id)
{
	PhLogicalStored stored = ph_logical_begin_as_traced(run_id, PH_LOGICAL_PARTS);
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
	PhLogicalRun *run = ph_logical_compute(stored.trace, &request);
	if (run->task_metrics != NULL)
		time_by_share(run);
	return run;
}

PhLogicalStored
ph_logical_begin_again(int64 run_id)
{
	return stored_of(ph_logical_again(run_id));
}
