/*
 * fn_tasks.c - chares, processors and serial blocks of a task-based run as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "logical/task_load.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"

/* What a chare or a processor did. */
typedef struct Work
{
	int64 n_blocks, busy, idle;
	int64 n_sent, n_received;
	int64 first, last; /* of its blocks; PH_NO_TIME: none */
	uint32 n_others;   /* processors of a chare, chares of a processor */
	uint32 last_seen;  /* + 1, to count those */
} Work;

static Work *
new_work(const PhTaskRun *run, uint32 n)
{
	Work *work = MemoryContextAllocHuge(run->trace->scratch->context, sizeof(Work) * Max(n, 1));
	for (uint32 i = 0; i < n; i++)
		work[i] = (Work){.first = PH_NO_TIME, .last = PH_NO_TIME};
	return work;
}

static void
add_block(Work *work, const PhTaskTrace *tasks, uint32 block)
{
	work->n_blocks++;
	work->busy += tasks->block_end[block] - tasks->block_begin[block];
	if (work->first == PH_NO_TIME || tasks->block_begin[block] < work->first)
		work->first = tasks->block_begin[block];
	work->last = Max(work->last, tasks->block_end[block]);
}

static void
add_event(Work *work, const PhTaskTrace *tasks, uint32 event)
{
	work->n_sent += tasks->event_kind[event] == PH_TASK_SEND;
	work->n_received += tasks->event_kind[event] == PH_TASK_RECEIVE;
}

/* Events that stand for dependencies are no messages. */
static void
add_events(const PhTaskRun *run, uint32 block, Work *work)
{
	const PhTaskTrace *tasks = &run->tasks;
	for (uint32 e = tasks->block_first_event[block]; e < tasks->block_first_event[block + 1]; e++)
		if (run->origin.event_seq[e] != PH_TASK_NO_SEQ)
			add_event(work, tasks, e);
}

static void
put_work(PhRows *rows, const Work *work)
{
	ph_rows_bigint(rows, "n_blocks", work->n_blocks);
	ph_rows_bigint(rows, "messages_sent", work->n_sent);
	ph_rows_bigint(rows, "messages_received", work->n_received);
	ph_rows_bigint(rows, "busy", work->busy);
	ph_rows_bigint_unless(rows, "first_time", work->first, PH_NO_TIME);
	ph_rows_bigint_unless(rows, "last_time", work->last, PH_NO_TIME);
}

/* ---- chares ---- */

/* Blocks come processor by processor: a chare's processors are counted where they change. */
static Work *
work_of_chares(const PhTaskRun *run)
{
	const PhTaskTrace *tasks = &run->tasks;
	Work *work = new_work(run, run->definitions.n_chares);
	for (uint32 b = 0; b < tasks->count[PH_TASK_BLOCKS]; b++)
	{
		uint32 chare = run->origin.block_chare[b];
		if (chare == PH_NONE)
			continue;
		add_block(&work[chare], tasks, b);
		add_events(run, b, &work[chare]);
		work[chare].n_others += work[chare].last_seen != tasks->block_processor[b] + 1;
		work[chare].last_seen = tasks->block_processor[b] + 1;
	}
	return work;
}

PH_FUNCTION(ph_chares)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTaskRun *run = ph_task_run_begin(PG_GETARG_INT64(0));
	const PhTaskDefinitions *definitions = &run->definitions;
	Datum *names = ph_task_chare_texts(run);
	ph_task_run_collect(run, NULL);
	Work *work = work_of_chares(run);
	for (uint32 i = 0; i < definitions->n_chares; i++)
	{
		ph_rows_int(&rows, "chare", (int32) i);
		ph_rows_datum(&rows, "name", names[i]);
		ph_rows_text(&rows, "type", definitions->type_name[definitions->chare_type[i]]);
		ph_rows_index(&rows, "collection", definitions->chare_collection[i]);
		if (definitions->chare_dimensions[i] == 0)
			ph_rows_null(&rows, "index");
		else
			ph_rows_ints(&rows, "index", definitions->chare_index[i],
						 definitions->chare_dimensions[i]);
		ph_rows_bool(&rows, "is_runtime", definitions->chare_is_runtime[i] != 0);
		ph_rows_int(&rows, "first_location", (int32) definitions->chare_location[i]);
		ph_rows_int(&rows, "n_locations", (int32) work[i].n_others);
		put_work(&rows, &work[i]);
		ph_rows_put(&rows);
	}
	ph_task_run_end(run);
	return (Datum) 0;
}

/* ---- processors ---- */

static Work *
work_of_processors(const PhTaskRun *run)
{
	const PhTaskTrace *tasks = &run->tasks;
	const PhTaskOrigin *origin = &run->origin;
	Work *work = new_work(run, run->trace->model.n_locations);
	uint32 *seen = MemoryContextAllocHuge(run->trace->scratch->context,
										  sizeof(uint32) * Max(run->definitions.n_chares, 1));
	memset(seen, 0xff, sizeof(uint32) * run->definitions.n_chares);
	for (uint32 b = 0; b < tasks->count[PH_TASK_BLOCKS]; b++)
	{
		uint32 processor = tasks->block_processor[b], chare = origin->block_chare[b];
		if (origin->block_ordinal[b] != PH_NONE)
			add_block(&work[processor], tasks, b);
		add_events(run, b, &work[processor]);
		if (chare == PH_NONE || seen[chare] == processor)
			continue;
		seen[chare] = processor;
		work[processor].n_others++;
	}
	for (uint32 i = 0; i < tasks->count[PH_TASK_IDLES]; i++)
		work[tasks->idle_processor[i]].idle += tasks->idle_end[i] - tasks->idle_begin[i];
	return work;
}

PH_FUNCTION(ph_processors)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTaskRun *run = ph_task_run_begin(PG_GETARG_INT64(0));
	ph_task_run_collect(run, NULL);
	Work *work = work_of_processors(run);
	for (uint32 i = 0; i < run->trace->model.n_locations; i++)
	{
		const PhTraceLocation *location = &run->trace->model.locations[i];
		ph_rows_int(&rows, "location", (int32) i);
		ph_rows_known(&rows, "processor", location->rank);
		ph_rows_name(&rows, "name", location->name);
		ph_rows_name(&rows, "host", location->host);
		ph_rows_int(&rows, "n_chares", (int32) work[i].n_others);
		put_work(&rows, &work[i]);
		ph_rows_bigint(&rows, "idle", work[i].idle);
		ph_rows_put(&rows);
	}
	ph_task_run_end(run);
	return (Datum) 0;
}

/* ---- serial blocks ---- */

typedef struct BlockRows
{
	PhRows rows;
	PhTaskRun *run;
	Datum *chares, *regions;
} BlockRows;

static void
put_block(BlockRows *out, uint32 b)
{
	PhRows *rows = &out->rows;
	const PhTaskTrace *tasks = &out->run->tasks;
	const PhTaskOrigin *origin = &out->run->origin;
	uint32 chare = origin->block_chare[b], entry = tasks->block_entry[b];
	uint32 before = tasks->block_continues[b];
	Work work = {0};
	add_events(out->run, b, &work);
	ph_rows_int(rows, "location", (int32) tasks->block_processor[b]);
	ph_rows_known(rows, "processor",
				  out->run->trace->model.locations[tasks->block_processor[b]].rank);
	ph_rows_int(rows, "block", (int32) origin->block_ordinal[b]);
	ph_rows_index(rows, "chare", chare);
	ph_rows_datum(rows, "chare_name", out->chares[chare]);
	if (entry == PH_NONE)
		ph_rows_null(rows, "entry");
	else
		ph_rows_datum(rows, "entry", out->regions[entry]);
	ph_rows_bigint(rows, "enter", tasks->block_begin[b]);
	ph_rows_bigint(rows, "leave", tasks->block_end[b]);
	ph_rows_bool(rows, "is_runtime", tasks->entity_is_runtime[tasks->block_entity[b]] != 0);
	ph_rows_index(rows, "continues", before == PH_NONE ? PH_NONE : origin->block_ordinal[before]);
	ph_rows_bigint(rows, "n_received", work.n_received);
	ph_rows_bigint(rows, "n_sent", work.n_sent);
	ph_rows_bigint(rows, "call", (int64) origin->block_seq[b]);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_serial_blocks)
{
	BlockRows out = {0};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	out.run = ph_task_run_begin(PG_GETARG_INT64(0));
	PhTraceWindow window = ph_arg_window(fcinfo, 1, out.run->trace);
	const PhTaskTrace *tasks = &out.run->tasks;
	out.chares = ph_task_chare_texts(out.run);
	out.regions = ph_trace_region_texts(out.run->trace);
	ph_task_run_collect(out.run, window.locations);
	for (uint32 b = 0; b < tasks->count[PH_TASK_BLOCKS]; b++)
		if (out.run->origin.block_ordinal[b] != PH_NONE && tasks->block_begin[b] < window.to &&
			tasks->block_end[b] >= window.from)
			put_block(&out, b);
	ph_task_run_end(out.run);
	return (Datum) 0;
}
