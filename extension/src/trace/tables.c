/*
 * tables.c - rows about a trace: what it is, locations, regions, communicators, metrics.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "base/warehouse_columns.h"
#include "server/query_rows.h"
#include "trace/tables.h"

/* Each table is asked for the run by its number: a distributed planner goes to the run's node, and
 * follows no column. */
static const char trace_sql[] =
	"SELECT t.run_id, t.n_locations, t.n_events, t.duration, t.epoch_ns, m.regions,"
	" m.communicators, m.metrics, t.events_dropped_at IS NOT NULL, t.n_stream_waits"
	" FROM perfhouse.run r LEFT JOIN perfhouse.trace t ON t.run_id = r.run_id AND t.run_id = $1,"
	" LATERAL (SELECT (SELECT max(local_id) FROM perfhouse.trace_region g"
	" WHERE g.run_id = $1) AS regions, (SELECT max(local_id)"
	" FROM perfhouse.trace_communicator g WHERE g.run_id = $1) AS communicators,"
	" (SELECT count(*)::int4 FROM perfhouse.trace_metric g WHERE g.run_id = $1) AS metrics) m"
	" WHERE r.run_id = $1 AND (r.state = 'ready' OR $2)";

static const char locations_sql[] =
	"SELECT " PH_SELECT(location, "") " FROM perfhouse.location WHERE run_id = $1";

static const char streams_sql[] =
	"SELECT " PH_SELECT(trace_stream, "") " FROM perfhouse.trace_stream WHERE run_id = $1";

static const char regions_sql[] =
	"SELECT " PH_SELECT(trace_region, "") " FROM perfhouse.trace_region WHERE run_id = $1";

static const char communicators_sql[] =
	"SELECT " PH_SELECT(trace_communicator, "") " FROM perfhouse.trace_communicator"
												" WHERE run_id = $1";

static const char metrics_sql[] =
	"SELECT " PH_SELECT(trace_metric, "") " FROM perfhouse.trace_metric WHERE run_id = $1"
										  " ORDER BY metric_class, member";

typedef struct Definitions
{
	PhTraceRun *trace;
	bool found; /* the run */
	bool has_trace;
	bool is_dropped; /* its events */
	uint32 n_read;	 /* metrics */
} Definitions;

void
ph_trace_refuse(const PhTraceRun *trace, const char *what)
{
	ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
					errmsg("trace of run " INT64_FORMAT ": %s", trace->run_id, what),
					errhint("Load the run again with --if-exists replace.")));
}

uint32
ph_trace_slot_index(const PhTraceRun *trace, const TupleTableSlot *slot, int attribute,
					uint32 count, const char *what)
{
	int32 index = ph_slot_int(slot, attribute, -1);
	if (index < 0 || (uint32) index >= count)
		ph_trace_refuse(trace, what);
	return (uint32) index;
}

static const char *
slot_name(const Definitions *definitions, const TupleTableSlot *slot, int attribute)
{
	const char *name = ph_slot_text(slot, attribute, definitions->trace->scratch->context);
	return name != NULL ? name : "";
}

/* One more than a highest number that may be null; a negative one is refused. */
static uint32
slot_count(const Definitions *definitions, const TupleTableSlot *slot, int attribute)
{
	int32 highest = ph_slot_int(slot, attribute, -1);
	if (highest < -1 || highest == PG_INT32_MAX)
		ph_trace_refuse(definitions->trace, "a definition has an impossible number");
	return (uint32) (highest + 1);
}

static void
receive_trace(void *user, TupleTableSlot *slot)
{
	Definitions *definitions = user;
	PhTraceRun *trace = definitions->trace;
	PhTraceModel *model = &trace->model;
	definitions->found = true;
	if (ph_slot_is_null(slot, 0))
		return;
	definitions->has_trace = true;
	model->n_locations = slot_count(definitions, slot, 1) - 1;
	trace->n_events = ph_slot_bigint(slot, 2, 0);
	trace->duration = ph_slot_bigint(slot, 3, 0);
	model->epoch_ns = ph_slot_bigint(slot, 4, PH_NO_TIME);
	model->n_regions = slot_count(definitions, slot, 5);
	model->n_communicators = slot_count(definitions, slot, 6);
	model->n_metrics = (uint32) ph_slot_int(slot, 7, 0);
	definitions->is_dropped = DatumGetBool(slot->tts_values[8]);
	trace->n_stream_waits = ph_slot_bigint(slot, 9, 0);
}

static void
receive_location(void *user, TupleTableSlot *slot)
{
	Definitions *definitions = user;
	PhTraceModel *model = &definitions->trace->model;
	uint32 index = ph_trace_slot_index(definitions->trace, slot, PH_SLOT(location, location_id),
									   model->n_locations, "it has too many locations");
	PhTraceLocation *location = &model->locations[index];
	definitions->trace->n_columns = Max(definitions->trace->n_columns, index + 1);
	location->kind = (PhColumnKind) ph_slot_smallint(slot, PH_SLOT(location, kind), PH_COLUMN_UNIT);
	location->rank = ph_slot_int(slot, PH_SLOT(location, rank), PH_NO_NUMBER);
	location->thread = ph_slot_int(slot, PH_SLOT(location, thread), PH_NO_NUMBER);
	location->host = slot_name(definitions, slot, PH_SLOT(location, host));
	location->name = slot_name(definitions, slot, PH_SLOT(location, name));
}

static void
receive_stream(void *user, TupleTableSlot *slot)
{
	Definitions *definitions = user;
	PhTraceModel *model = &definitions->trace->model;
	uint32 index = ph_trace_slot_index(definitions->trace, slot, PH_SLOT(trace_stream, location_id),
									   model->n_locations, "it has too many streams");
	model->locations[index] = (PhTraceLocation){
		.source_id = index,
		.kind = PH_COLUMN_STREAM,
		.rank = ph_slot_int(slot, PH_SLOT(trace_stream, rank), PH_NO_NUMBER),
		.thread = PH_NO_NUMBER,
		.host = slot_name(definitions, slot, PH_SLOT(trace_stream, host)),
		.name = slot_name(definitions, slot, PH_SLOT(trace_stream, name)),
		.stream = {.device = ph_slot_int(slot, PH_SLOT(trace_stream, device), 0),
				   .context = ph_slot_bigint(slot, PH_SLOT(trace_stream, context), 0),
				   .stream = ph_slot_bigint(slot, PH_SLOT(trace_stream, stream), 0),
				   .lane = ph_slot_int(slot, PH_SLOT(trace_stream, lane), 0)}};
	definitions->trace->n_streams++;
}

static void
receive_region(void *user, TupleTableSlot *slot)
{
	Definitions *definitions = user;
	PhTraceModel *model = &definitions->trace->model;
	uint32 index = ph_trace_slot_index(definitions->trace, slot, PH_SLOT(trace_region, local_id),
									   model->n_regions, "it has too many regions");
	PhTraceRegion *region = &model->regions[index];
	definitions->trace->region_ids[index] =
		ph_slot_bigint(slot, PH_SLOT(trace_region, region_id), 0);
	region->name = slot_name(definitions, slot, PH_SLOT(trace_region, name));
	region->paradigm = slot_name(definitions, slot, PH_SLOT(trace_region, paradigm));
	region->role = slot_name(definitions, slot, PH_SLOT(trace_region, role));
}

static void
receive_communicator(void *user, TupleTableSlot *slot)
{
	Definitions *definitions = user;
	PhTraceRun *trace = definitions->trace;
	PhTraceModel *model = &trace->model;
	uint32 index =
		ph_trace_slot_index(definitions->trace, slot, PH_SLOT(trace_communicator, local_id),
							model->n_communicators, "it has too many communicators");
	PhTraceCommunicator *communicator = &model->communicators[index];
	ArrayType *members = DatumGetArrayTypeP(slot->tts_values[PH_SLOT(trace_communicator, members)]);
	communicator->name = slot_name(definitions, slot, PH_SLOT(trace_communicator, name));
	communicator->parent = (uint32) ph_slot_int(slot, PH_SLOT(trace_communicator, parent), -1);
	communicator->is_mpi = DatumGetBool(slot->tts_values[PH_SLOT(trace_communicator, is_mpi)]);
	if (ARR_ELEMTYPE(members) != INT4OID || ARR_NDIM(members) > 1 || array_contains_nulls(members))
		ph_trace_refuse(trace, "members of a communicator are not a list of ranks");
	communicator->n_members = (uint32) ArrayGetNItems(ARR_NDIM(members), ARR_DIMS(members));
	uint32 *ranks;
	PH_CHECK(&trace->scratch->env, PH_NEW(&trace->scratch->arena, communicator->n_members, &ranks));
	memcpy(ranks, ARR_DATA_PTR(members), sizeof(uint32) * communicator->n_members);
	communicator->members = ranks;
}

static void
receive_metric(void *user, TupleTableSlot *slot)
{
	Definitions *definitions = user;
	PhTraceModel *model = &definitions->trace->model;
	if (definitions->n_read >= model->n_metrics)
		ph_trace_refuse(definitions->trace, "it has too many metrics");
	PhTraceMetric *metric = &model->metrics[definitions->n_read++];
	metric->metric_class = (uint32) ph_slot_int(slot, PH_SLOT(trace_metric, metric_class), 0);
	metric->member = (uint32) ph_slot_int(slot, PH_SLOT(trace_metric, member), 0);
	metric->name = slot_name(definitions, slot, PH_SLOT(trace_metric, name));
	metric->unit = slot_name(definitions, slot, PH_SLOT(trace_metric, unit));
	metric->type =
		(PhTraceValueType) ph_slot_smallint(slot, PH_SLOT(trace_metric, type), PH_TRACE_UINT64);
	metric->is_accumulated = DatumGetBool(slot->tts_values[PH_SLOT(trace_metric, is_accumulated)]);
	metric->scale = DatumGetFloat8(slot->tts_values[PH_SLOT(trace_metric, scale)]);
}

static void
require_trace(const Definitions *definitions)
{
	int64 run_id = definitions->trace->run_id;
	if (!definitions->found)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("there is no run " INT64_FORMAT, run_id),
				 errhint("perfhouse runs lists them; in SQL run_overview.")));
	if (!definitions->has_trace)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("run " INT64_FORMAT " has no trace", run_id),
				 errhint("Runs with has_trace in perfhouse.run_overview have one.")));
}

static void
refuse_dropped(int64 run_id)
{
	ereport(ERROR,
			(errcode(PH_ERRCODE_UNSUPPORTED),
			 errmsg("the events of run " INT64_FORMAT "'s trace were dropped", run_id),
			 errhint("profile(" INT64_FORMAT ") and phases(" INT64_FORMAT ") still answer; loading"
					 " the run again with --if-exists replace brings the events back.",
					 run_id, run_id)));
}

/* The first location of every rank; ranks are as many as the highest says. */
static void
find_ranks(PhTraceRun *trace)
{
	PhTraceModel *model = &trace->model;
	int32 highest = -1;
	for (uint32 i = 0; i < model->n_locations; i++)
		highest = Max(highest, model->locations[i].rank);
	model->n_ranks = (uint32) highest + 1;
	PH_CHECK(&trace->scratch->env,
			 PH_NEW(&trace->scratch->arena, model->n_ranks, &model->rank_location));
	memset(model->rank_location, 0xff, sizeof(uint32) * model->n_ranks);
	for (uint32 i = model->n_locations; i-- > 0;)
		if (model->locations[i].rank >= 0)
			model->rank_location[model->locations[i].rank] = i;
}

static void
read_locations(Definitions *definitions, ParamListInfo run)
{
	PhTraceRun *trace = definitions->trace;
	PhTraceModel *model = &trace->model;
	PH_CHECK(&trace->scratch->env,
			 PH_NEW(&trace->scratch->arena, model->n_locations, &model->locations));
	for (uint32 i = 0; i < model->n_locations; i++)
		model->locations[i] = (PhTraceLocation){
			.source_id = i, .rank = PH_NO_NUMBER, .thread = PH_NO_NUMBER, .name = "", .host = ""};
	ph_query_rows(locations_sql, run, receive_location, definitions);
	if (trace->n_columns < model->n_locations)
		ph_query_rows(streams_sql, run, receive_stream, definitions);
	find_ranks(trace);
}

static void
read_regions(Definitions *definitions, ParamListInfo run)
{
	PhTraceRun *trace = definitions->trace;
	PhTraceModel *model = &trace->model;
	PhArena *arena = &trace->scratch->arena;
	PH_CHECK(arena->env, PH_NEW(arena, model->n_regions, &model->regions));
	PH_CHECK(arena->env, PH_NEW(arena, model->n_regions, &trace->region_ids));
	for (uint32 i = 0; i < model->n_regions; i++)
		model->regions[i] = (PhTraceRegion){
			.name = "<unknown>", .file = "", .line = PH_NO_NUMBER, .paradigm = "", .role = ""};
	ph_query_rows(regions_sql, run, receive_region, definitions);
}

void
ph_trace_tables_read(PhTraceRun *trace, uint32 parts, bool in_any_state)
{
	PhTraceModel *model = &trace->model;
	PhArena *arena = &trace->scratch->arena;
	Definitions definitions = {.trace = trace};
	ParamListInfo run = ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0);
	ph_query_rows(trace_sql,
				  ph_query_parameters(trace->run_id, BOOLOID, BoolGetDatum(in_any_state)),
				  receive_trace, &definitions);
	require_trace(&definitions);
	if (definitions.is_dropped && !in_any_state && (parts & PH_TRACE_WITHOUT_EVENTS) == 0)
		refuse_dropped(trace->run_id);
	read_locations(&definitions, run);
	if ((parts & PH_TRACE_REGIONS) != 0)
		read_regions(&definitions, run);
	if ((parts & PH_TRACE_COMMUNICATORS) != 0)
	{
		PH_CHECK(arena->env, PH_NEW(arena, model->n_communicators, &model->communicators));
		for (uint32 i = 0; i < model->n_communicators; i++)
			model->communicators[i] = (PhTraceCommunicator){.name = "", .parent = PH_NONE};
		ph_query_rows(communicators_sql, run, receive_communicator, &definitions);
	}
	if ((parts & PH_TRACE_METRICS) != 0)
	{
		PH_CHECK(arena->env, PH_NEW(arena, model->n_metrics, &model->metrics));
		ph_query_rows(metrics_sql, run, receive_metric, &definitions);
		model->n_metrics = definitions.n_read;
	}
}

/* ---- names ---- */

const char *
ph_trace_region_name(const PhTraceRun *trace, uint32 region)
{
	if (region == PH_NONE)
		return NULL;
	if (region >= trace->model.n_regions)
		ph_trace_refuse(trace, "a call is of a region that does not exist");
	return trace->model.regions[region].name;
}

Datum *
ph_trace_region_texts(const PhTraceRun *trace)
{
	MemoryContext old = MemoryContextSwitchTo(trace->scratch->context);
	Datum *texts = palloc_extended(sizeof(Datum) * Max(trace->model.n_regions, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < trace->model.n_regions; i++)
		texts[i] = CStringGetTextDatum(trace->model.regions[i].name);
	MemoryContextSwitchTo(old);
	return texts;
}
