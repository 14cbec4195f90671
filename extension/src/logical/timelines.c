/*
 * timelines.c - the locations of logical time of a task-based run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "base/warehouse_columns.h"
#include "logical/timelines.h"
#include "server/query_rows.h"
#include "server/row_batch.h"

static const char count_sql[] = "SELECT count(*) FROM perfhouse.logical_timeline WHERE run_id = $1";

static const char timelines_sql[] =
	"SELECT " PH_SELECT(logical_timeline, "") " FROM perfhouse.logical_timeline"
											  " WHERE run_id = $1 ORDER BY location_id";

static const char insert_sql[] = "INSERT INTO perfhouse.logical_timeline (run_id, " PH_SELECT(
	logical_timeline,
	"") ")"
		" SELECT $1, n.location_id, n.name, n.is_runtime <> 0, nullif(n.chare_id, -1),"
		" n.first_location FROM unnest($2, $3, $4, $5, $6) AS n (" PH_SELECT(logical_timeline,
																			 "") ")";

static const Oid insert_types[PH_N_COLUMNS(logical_timeline)] = {INT4OID, TEXTOID, INT4OID, INT4OID,
																 INT4OID};

static PhTimelines *
new_timelines(const PhTraceRun *trace, uint32 n)
{
	PhScratch *scratch = trace->scratch;
	PhTimelines *timelines = MemoryContextAllocZero(scratch->context, sizeof(PhTimelines));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &timelines->name));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &timelines->is_runtime));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &timelines->chare));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &timelines->first_location));
	timelines->n_processors = trace->model.n_locations;
	timelines->processors = trace->model.locations;
	return timelines;
}

/* ---- from the warehouse ---- */

typedef struct Reading
{
	PhTraceRun *trace;
	PhTimelines *timelines;
	int64 expected;
} Reading;

static void
receive_count(void *user, TupleTableSlot *slot)
{
	Reading *reading = user;
	reading->expected = ph_slot_bigint(slot, 0, 0);
}

static void
receive_timeline(void *user, TupleTableSlot *slot)
{
	Reading *reading = user;
	PhTimelines *timelines = reading->timelines;
	uint32 i = timelines->n;
	if (i >= reading->expected ||
		ph_slot_int(slot, PH_SLOT(logical_timeline, location_id), -1) != (int32) i)
		ph_trace_refuse(reading->trace, "a location of its logical time is missing");
	timelines->name[i] =
		ph_slot_text(slot, PH_SLOT(logical_timeline, name), reading->trace->scratch->context);
	timelines->is_runtime[i] =
		DatumGetBool(slot->tts_values[PH_SLOT(logical_timeline, is_runtime)]);
	timelines->chare[i] = (uint32) ph_slot_int(slot, PH_SLOT(logical_timeline, chare_id), -1);
	timelines->first_location[i] =
		(uint32) ph_slot_int(slot, PH_SLOT(logical_timeline, first_location), 0);
	if (timelines->first_location[i] >= timelines->n_processors)
		ph_trace_refuse(reading->trace, "a chare was first seen on a location that does not exist");
	timelines->n++;
}

PhTimelines *
ph_timelines_read(PhTraceRun *trace)
{
	Reading reading = {.trace = trace};
	ParamListInfo parameters = ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0);
	ph_query_rows(count_sql, parameters, receive_count, &reading);
	if (reading.expected == 0)
		return NULL;
	if (reading.expected >= PG_INT32_MAX)
		ph_trace_refuse(trace, "its logical time has too many locations");
	reading.timelines = new_timelines(trace, (uint32) reading.expected);
	ph_query_rows(timelines_sql, parameters, receive_timeline, &reading);
	return reading.timelines;
}

/* ---- from the tasks ---- */

/* "runtime@3" */
static const char *
runtime_name(const PhTraceRun *trace, uint32 processor)
{
	int32 rank = trace->model.locations[processor].rank;
	MemoryContext old = MemoryContextSwitchTo(trace->scratch->context);
	const char *name = psprintf("runtime@%d", rank >= 0 ? rank : (int32) processor);
	MemoryContextSwitchTo(old);
	return name;
}

PhTimelines *
ph_timelines_of_tasks(const PhTaskRun *run)
{
	const PhTaskTrace *tasks = &run->tasks;
	PhTimelines *timelines = new_timelines(run->trace, tasks->count[PH_TASK_ENTITIES]);
	timelines->n = tasks->count[PH_TASK_ENTITIES];
	for (uint32 i = 0; i < timelines->n; i++)
	{
		timelines->is_runtime[i] = tasks->entity_is_runtime[i] != 0;
		timelines->chare[i] = PH_NONE;
		timelines->first_location[i] = tasks->entity_processor[i];
		timelines->name[i] =
			timelines->is_runtime[i] ? runtime_name(run->trace, timelines->first_location[i]) : "";
	}
	for (uint32 chare = 0; chare < run->definitions.n_chares; chare++)
	{
		uint32 entity = run->origin.entity_of_chare[chare];
		if (entity == PH_NONE)
			continue;
		timelines->chare[entity] = chare;
		timelines->name[entity] = run->definitions.chare_name[chare];
	}
	return timelines;
}

void
ph_timelines_write(const PhTimelines *timelines, int64 run_id)
{
	PhRowBatch batch;
	ph_batch_begin(&batch, run_id, insert_sql, lengthof(insert_types), insert_types);
	for (uint32 i = 0; i < timelines->n; i++)
	{
		ph_batch_int(&batch, PH_SLOT(logical_timeline, location_id), (int32) i);
		ph_batch_text(&batch, PH_SLOT(logical_timeline, name), timelines->name[i]);
		ph_batch_int(&batch, PH_SLOT(logical_timeline, is_runtime), timelines->is_runtime[i]);
		ph_batch_int(&batch, PH_SLOT(logical_timeline, chare_id),
					 timelines->chare[i] == PH_NONE ? -1 : (int32) timelines->chare[i]);
		ph_batch_int(&batch, PH_SLOT(logical_timeline, first_location),
					 (int32) timelines->first_location[i]);
		ph_batch_put(&batch);
	}
	ph_batch_end(&batch);
}

void
ph_timelines_install(const PhTimelines *timelines, PhTraceRun *trace)
{
	PhTraceLocation *locations;
	PH_CHECK(&trace->scratch->env, PH_NEW(&trace->scratch->arena, timelines->n, &locations));
	for (uint32 i = 0; i < timelines->n; i++)
		locations[i] = (PhTraceLocation){.rank = PH_NO_NUMBER,
										 .thread = PH_NO_NUMBER,
										 .kind = PH_COLUMN_UNIT,
										 .name = timelines->name[i],
										 .host = ""};
	trace->model.locations = locations;
	trace->model.n_locations = timelines->n;
}
