/*
 * reader.c - chunks of logical structure, read and checked one by one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "logical/compute.h"
#include "logical/reader.h"
#include "server/compat.h"
#include "server/query_rows.h"

static const char logical_sql[] =
	"SELECT version, n_events, n_phases, last_step FROM perfhouse.logical WHERE run_id = $1";

static const char chunks_sql[] =
	"SELECT " PH_LOGICAL_COLUMNS
	" FROM perfhouse.logical_chunk WHERE run_id = $1 AND step_last >= $2 AND step_first < $3"
	" AND ($4::int4[] IS NULL OR location_id = ANY ($4::int4[])) ORDER BY location_id, chunk_no";

static void
receive_logical(void *user, TupleTableSlot *slot)
{
	PhLogicalStored *stored = user;
	stored->version = ph_slot_int(slot, 0, 0);
	stored->n_events = ph_slot_bigint(slot, 1, 0);
	stored->n_phases = ph_slot_int(slot, 2, 0);
	stored->last_step = ph_slot_int(slot, 3, -1);
}

PhLogicalStored
ph_logical_begin_as_traced(int64 run_id, uint32 parts)
{
	PhLogicalStored stored = {.trace = ph_trace_begin(run_id, parts)};
	ParamListInfo parameters = ph_query_parameters(run_id, InvalidOid, (Datum) 0);
	if (ph_query_rows(logical_sql, parameters, receive_logical, &stored) == 0)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND),
				 errmsg("run " INT64_FORMAT " has no logical steps", run_id),
				 errhint("Assign them: SELECT perfhouse.assign_logical_steps(" INT64_FORMAT ").",
						 run_id)));
	stored.timelines = ph_timelines_read(stored.trace);
	stored.stride = stored.timelines != NULL ? 1 : PH_STEP_STRIDE;
	return stored;
}

PhLogicalStored
ph_logical_begin(int64 run_id, uint32 parts)
{
	PhLogicalStored stored = ph_logical_begin_as_traced(run_id, parts);
	if (stored.timelines != NULL)
		ph_timelines_install(stored.timelines, stored.trace);
	return stored;
}

typedef struct LogicalStream
{
	const PhLogicalStored *stored;
	PhLogicalCodec *codec;
	uint32 want;
	PhLogicalFunction function;
	void *user;
} LogicalStream;

void
ph_logical_slot_chunk(const TupleTableSlot *slot, uint32 want, PhLogicalChunk *chunk)
{
	chunk->location = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, location_id), 0);
	chunk->chunk_no = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, chunk_no), 0);
	chunk->format = ph_slot_int(slot, PH_SLOT(logical_chunk, format), 0);
	chunk->n_events = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, n_events), 0);
	chunk->n_ends = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, n_ends), 0);
	chunk->first_seq = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, first_seq), 0);
	chunk->step_first = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, step_first), 0);
	chunk->step_last = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, step_last), 0);
	chunk->t_first = ph_slot_bigint(slot, PH_SLOT(logical_chunk, t_first), 0);
	chunk->t_last = ph_slot_bigint(slot, PH_SLOT(logical_chunk, t_last), 0);
	chunk->places = ph_slot_bytes(slot, PH_SLOT(logical_chunk, places), true);
	chunk->metrics =
		ph_slot_bytes(slot, PH_SLOT(logical_chunk, metrics), (want & PH_LOGICAL_WANT_METRICS) != 0);
	chunk->causes =
		ph_slot_bytes(slot, PH_SLOT(logical_chunk, causes), (want & PH_LOGICAL_WANT_CAUSES) != 0);
	chunk->ends =
		ph_slot_bytes(slot, PH_SLOT(logical_chunk, ends), (want & PH_LOGICAL_WANT_ENDS) != 0);
	chunk->counters = ph_slot_bytes(slot, PH_SLOT(logical_chunk, counters),
									(want & PH_LOGICAL_WANT_COUNTERS) != 0);
	chunk->tasks = ph_slot_bytes(slot, PH_LOGICAL_TASKS, (want & PH_LOGICAL_WANT_TASKS) != 0);
}

static bool
location_exists(const PhTraceRun *trace, uint32 location)
{
	return location == PH_NONE || location < trace->model.n_locations;
}

/* Numbers that the core's decoder leaves to us. */
static void
check_events(const PhLogicalStored *stored, const PhLogicalEvents *events)
{
	PhTraceRun *trace = stored->trace;
	bool is_sound = events->location < trace->model.n_locations;
	for (uint32 i = 0; i < events->n_events && is_sound; i++)
		is_sound = events->phase[i] < (uint32) stored->n_phases &&
				   (int64) events->step[i] <= stored->last_step;
	for (uint32 i = 0; i < events->n_events && is_sound && events->earliest_location != NULL; i++)
		is_sound = location_exists(trace, events->earliest_location[i]) &&
				   location_exists(trace, events->binding_location[i]);
	for (uint32 e = 0; e < events->n_ends && is_sound && events->peer_location != NULL; e++)
		is_sound = location_exists(trace, events->peer_location[e]);
	for (uint32 i = 0; i < events->n_events && is_sound && events->processor != NULL; i++)
		is_sound =
			stored->timelines != NULL && events->processor[i] < stored->timelines->n_processors;
	if (!is_sound)
		ereport(
			ERROR,
			(errcode(PH_ERRCODE_BAD_PROFILE),
			 errmsg("logical steps of run " INT64_FORMAT
					": there is no such location, phase or step",
					trace->run_id),
			 errhint("Assign them anew: SELECT perfhouse.assign_logical_steps(" INT64_FORMAT ").",
					 trace->run_id)));
}

static void
receive_chunk(void *user, TupleTableSlot *slot)
{
	LogicalStream *stream = user;
	PhTraceRun *trace = stream->stored->trace;
	PhLogicalChunk chunk;
	PhLogicalEvents events;
	ph_logical_slot_chunk(slot, stream->want, &chunk);
	PH_CHECK(&trace->scratch->env, ph_logical_decode(stream->codec, &chunk, stream->want, &events));
	check_events(stream->stored, &events);
	stream->function(stream->user, trace, &events);
}

static Datum
location_array(const PhTraceRun *trace, const bool *locations)
{
	Datum *ids = palloc(sizeof(Datum) * Max(trace->model.n_locations, 1));
	int n = 0;
	for (uint32 i = 0; i < trace->model.n_locations; i++)
		if (locations[i])
			ids[n++] = Int32GetDatum((int32) i);
	return PointerGetDatum(construct_array(ids, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

static void
stream_computed(const PhLogicalStored *stored, const PhStepWindow *window,
				PhLogicalFunction function, void *user)
{
	const PhLogicalRun *run = stored->computed;
	PhLogicalCodec *codec;
	PhLogicalEvents events;
	PH_CHECK(&run->trace->scratch->env, ph_logical_codec_new(&run->trace->scratch->env, &codec));
	for (uint32 first = 0; first < run->model.n_events; first += events.n_events)
	{
		CHECK_FOR_INTERRUPTS();
		ph_logical_run_extract(run, codec, first, &events);
		if (window->locations == NULL || window->locations[events.location])
			function(user, stored->trace, &events);
	}
	ph_logical_codec_free(codec);
}

void
ph_logical_chunks(const PhLogicalStored *stored, const PhStepWindow *window, uint32 want,
				  PhLogicalFunction function, void *user)
{
	if (stored->computed != NULL)
	{
		stream_computed(stored, window, function, user);
		return;
	}
	PhEnv *env = &stored->trace->scratch->env;
	LogicalStream stream = {.stored = stored, .want = want, .function = function, .user = user};
	ParamListInfo parameters = makeParamList(4);
	const int64 numbers[] = {stored->trace->run_id, window->from, window->to};
	for (int i = 0; i < 3; i++)
		parameters->params[i] = (ParamExternData){
			.value = Int64GetDatum(numbers[i]), .pflags = PARAM_FLAG_CONST, .ptype = INT8OID};
	parameters->params[3] = (ParamExternData){
		.isnull = window->locations == NULL, .pflags = PARAM_FLAG_CONST, .ptype = INT4ARRAYOID};
	if (window->locations != NULL)
		parameters->params[3].value = location_array(stored->trace, window->locations);
	PH_CHECK(env, ph_logical_codec_new(env, &stream.codec));
	ph_query_rows(chunks_sql, parameters, receive_chunk, &stream);
	ph_logical_codec_free(stream.codec);
}
