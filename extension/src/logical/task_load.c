/*
 * task_load.c - rows of a task-based run into the core's definitions; chunks into its collector.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "base/warehouse_columns.h"
#include "logical/task_load.h"
#include "server/query_rows.h"

static const char is_one_sql[] = "SELECT FROM perfhouse.task_trace WHERE run_id = $1";

static const char sizes_sql[] =
	"SELECT t.model, t.tick, coalesce((SELECT max(type_id) + 1 FROM perfhouse.task_type y"
	" WHERE y.run_id = $1), 0), coalesce((SELECT max(local_id) + 1 FROM"
	" perfhouse.task_entry e WHERE e.run_id = $1), 0), t.n_chares"
	" FROM perfhouse.task_trace t WHERE t.run_id = $1";

static const char types_sql[] =
	"SELECT " PH_SELECT(task_type, "") " FROM perfhouse.task_type WHERE run_id = $1";

static const char entries_sql[] =
	"SELECT " PH_SELECT(task_entry, "") " FROM perfhouse.task_entry WHERE run_id = $1";

static const char chares_sql[] =
	"SELECT " PH_SELECT(chare, "") " FROM perfhouse.chare WHERE run_id = $1";

typedef struct Loading
{
	PhTaskCollector *collector;
	const bool *locations;
} Loading;

#define ROOM(run, count, pointer)                                                                  \
	PH_CHECK(&(run)->trace->scratch->env,                                                          \
			 PH_NEW(&(run)->trace->scratch->arena, (size_t) (count), pointer))

static void
receive_nothing(void *user, TupleTableSlot *slot)
{
}

bool
ph_task_run_is_one(int64 run_id)
{
	ParamListInfo parameters = ph_query_parameters(run_id, InvalidOid, (Datum) 0);
	return ph_query_rows(is_one_sql, parameters, receive_nothing, NULL) > 0;
}

/* ---- definitions ---- */

static void
receive_sizes(void *user, TupleTableSlot *slot)
{
	PhTaskRun *run = user;
	PhTaskDefinitions *definitions = &run->definitions;
	definitions->model = ph_slot_text(slot, 0, run->trace->scratch->context);
	definitions->tick = (uint32) Max(ph_slot_int(slot, 1, 1), 1);
	definitions->n_types = (uint32) Max(ph_slot_int(slot, 2, 0), 0);
	definitions->n_entries = (uint32) Max(ph_slot_int(slot, 3, 0), 0);
	definitions->n_chares = (uint32) Max(ph_slot_int(slot, 4, 0), 0);
}

static void
make_room(PhTaskRun *run)
{
	PhTaskDefinitions *definitions = &run->definitions;
	ROOM(run, definitions->n_types, &definitions->type_name);
	ROOM(run, definitions->n_types, &definitions->type_dimensions);
	ROOM(run, definitions->n_entries, &definitions->entry_name);
	ROOM(run, definitions->n_entries, &definitions->entry_type);
	ROOM(run, definitions->n_chares, &definitions->chare_name);
	ROOM(run, definitions->n_chares, &definitions->chare_type);
	ROOM(run, definitions->n_chares, &definitions->chare_collection);
	ROOM(run, definitions->n_chares, &definitions->chare_dimensions);
	ROOM(run, definitions->n_chares, &definitions->chare_index);
	ROOM(run, definitions->n_chares, &definitions->chare_is_runtime);
	ROOM(run, definitions->n_chares, &definitions->chare_location);
	for (uint32 i = 0; i < definitions->n_types; i++)
		definitions->type_name[i] = "";
	for (uint32 i = 0; i < definitions->n_chares; i++)
		definitions->chare_type[i] = PH_NONE;
}

static void
receive_type(void *user, TupleTableSlot *slot)
{
	PhTaskRun *run = user;
	PhTaskDefinitions *definitions = &run->definitions;
	uint32 type = ph_trace_slot_index(run->trace, slot, PH_SLOT(task_type, type_id),
									  definitions->n_types, "it has too many chare types");
	definitions->type_name[type] =
		ph_slot_text(slot, PH_SLOT(task_type, name), run->trace->scratch->context);
	definitions->type_dimensions[type] = ph_slot_int(slot, PH_SLOT(task_type, dimensions), -1);
}

static uint32
type_of(const PhTaskRun *run, const TupleTableSlot *slot, int attribute)
{
	return ph_trace_slot_index(run->trace, slot, attribute, run->definitions.n_types,
							   "a chare type does not exist");
}

static void
receive_entry(void *user, TupleTableSlot *slot)
{
	PhTaskRun *run = user;
	PhTaskDefinitions *definitions = &run->definitions;
	uint32 entry = ph_trace_slot_index(run->trace, slot, PH_SLOT(task_entry, local_id),
									   definitions->n_entries, "it has too many entry methods");
	definitions->entry_type[entry] = type_of(run, slot, PH_SLOT(task_entry, type_id));
	definitions->entry_name[entry] =
		ph_slot_text(slot, PH_SLOT(task_entry, name), run->trace->scratch->context);
}

static uint8
read_index(const PhTaskRun *run, const TupleTableSlot *slot, int attribute, int32 *index)
{
	if (ph_slot_is_null(slot, attribute))
		return 0;
	ArrayType *array = DatumGetArrayTypeP(slot->tts_values[attribute]);
	int n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_ELEMTYPE(array) != INT4OID || n > PH_TASK_DIMENSIONS || array_contains_nulls(array))
		ph_trace_refuse(run->trace, "the index of a chare is not a list of up to 6 numbers");
	memcpy(index, ARR_DATA_PTR(array), sizeof(int32) * (size_t) n);
	return (uint8) n;
}

/* "Jacobi[1,2]", "CkLocMgr@3" */
static char *
make_name(const PhTaskRun *run, uint32 chare, int32 processor)
{
	const PhTaskDefinitions *definitions = &run->definitions;
	StringInfoData name;
	MemoryContext old = MemoryContextSwitchTo(run->trace->scratch->context);
	initStringInfo(&name);
	appendStringInfoString(&name, definitions->type_name[definitions->chare_type[chare]]);
	if (definitions->chare_collection[chare] != PH_NONE)
		appendStringInfo(&name, "#%u", definitions->chare_collection[chare]);
	for (uint32 i = 0; i < definitions->chare_dimensions[chare]; i++)
		appendStringInfo(&name, "%c%d", i == 0 ? '[' : ',', definitions->chare_index[chare][i]);
	if (definitions->chare_dimensions[chare] > 0)
		appendStringInfoChar(&name, ']');
	else if (processor >= 0)
		appendStringInfo(&name, "@%d", processor);
	MemoryContextSwitchTo(old);
	return name.data;
}

static void
receive_chare(void *user, TupleTableSlot *slot)
{
	PhTaskRun *run = user;
	PhTaskDefinitions *definitions = &run->definitions;
	uint32 chare = ph_trace_slot_index(run->trace, slot, PH_SLOT(chare, chare_id),
									   definitions->n_chares, "it has too many chares");
	definitions->chare_type[chare] = type_of(run, slot, PH_SLOT(chare, type_id));
	definitions->chare_collection[chare] =
		ph_slot_is_null(slot, PH_SLOT(chare, collection))
			? PH_NONE
			: (uint32) ph_slot_int(slot, PH_SLOT(chare, collection), 0);
	definitions->chare_dimensions[chare] =
		read_index(run, slot, PH_SLOT(chare, index), definitions->chare_index[chare]);
	definitions->chare_is_runtime[chare] =
		DatumGetBool(slot->tts_values[PH_SLOT(chare, is_runtime)]);
	definitions->chare_location[chare] =
		(uint32) ph_slot_int(slot, PH_SLOT(chare, first_location), 0);
	if (definitions->chare_location[chare] >= run->trace->model.n_locations)
		ph_trace_refuse(run->trace, "a chare was first seen on a location that does not exist");
	definitions->chare_name[chare] =
		ph_slot_text(slot, PH_SLOT(chare, name), run->trace->scratch->context);
	if (definitions->chare_name[chare] == NULL)
		definitions->chare_name[chare] =
			make_name(run, chare, ph_slot_int(slot, PH_SLOT(chare, processor), -1));
}

static void
find_idle(PhTaskRun *run)
{
	const PhTraceModel *model = &run->trace->model;
	run->definitions.idle_region = PH_NONE;
	for (uint32 i = 0; i < model->n_regions; i++)
		if (model->regions[i].role != NULL && strcmp(model->regions[i].role, "idle") == 0)
			run->definitions.idle_region = i;
}

PhTaskRun *
ph_task_run_of(PhTraceRun *trace)
{
	int64 run_id = trace->run_id;
	PhTaskRun *run = MemoryContextAllocZero(trace->scratch->context, sizeof(PhTaskRun));
	ParamListInfo parameters = ph_query_parameters(run_id, InvalidOid, (Datum) 0);
	run->trace = trace;
	if (ph_query_rows(sizes_sql, parameters, receive_sizes, run) == 0)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("run " INT64_FORMAT " is not of a task-based program", run_id),
						errhint("Its processes are in perfhouse.location.")));
	make_room(run);
	ph_query_rows(types_sql, parameters, receive_type, run);
	ph_query_rows(entries_sql, parameters, receive_entry, run);
	ph_query_rows(chares_sql, parameters, receive_chare, run);
	for (uint32 i = 0; i < run->definitions.n_chares; i++)
		if (run->definitions.chare_type[i] == PH_NONE)
			ph_trace_refuse(trace, "a chare is missing");
	find_idle(run);
	return run;
}

PhTaskRun *
ph_task_run_begin(int64 run_id)
{
	return ph_task_run_of(ph_trace_begin(run_id, PH_TRACE_REGIONS));
}

void
ph_task_run_end(PhTaskRun *run)
{
	ph_trace_end(run->trace);
}

/* ---- chunks ---- */

static void
collect_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Loading *loading = user;
	PhArena arena;
	uint32_t n_links = 0;
	if (loading->locations != NULL && !loading->locations[chunk->chunk.location])
		return;
	ph_arena_init(&arena, &trace->scratch->env);
	const PhLink *links = ph_trace_links(trace, &arena, chunk, &n_links);
	PH_CHECK(&trace->scratch->env, ph_task_collector_add(loading->collector, &chunk->chunk,
														 trace->reader, links, n_links));
	ph_arena_drop(&arena);
}

void
ph_task_run_collect(PhTaskRun *run, const bool *locations)
{
	PhTraceRun *trace = run->trace;
	Loading loading = {.locations = locations};
	PhChunkQuery query = {.window = ph_window_all(), .want = PH_WANT_ALL, .with_links = true};
	PH_CHECK(&trace->scratch->env, ph_task_collector_new(&trace->scratch->env, &trace->model,
														 &run->definitions, &loading.collector));
	ph_trace_chunks(trace, &query, collect_chunk, &loading);
	PH_CHECK(&trace->scratch->env,
			 ph_task_collector_finish(loading.collector, &trace->scratch->arena, &run->tasks,
									  &run->origin));
	ph_task_collector_free(loading.collector);
}

/* ---- names ---- */

Datum *
ph_task_chare_texts(const PhTaskRun *run)
{
	uint32 n = run->definitions.n_chares;
	MemoryContext old = MemoryContextSwitchTo(run->trace->scratch->context);
	Datum *texts = palloc_extended(sizeof(Datum) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
		texts[i] = CStringGetTextDatum(run->definitions.chare_name[i]);
	MemoryContextSwitchTo(old);
	return texts;
}
