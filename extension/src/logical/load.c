/*
 * load.c - chunks of logical time into arrays of events, phases and members.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "logical/again.h"
#include "logical/load.h"
#include "logical/phase.h"
#include "server/query_rows.h"

static const char sizes_sql[] =
	"SELECT coalesce(sum(last - location_id + 1), 0)::int4, coalesce(sum(n_events), 0)::int8,"
	" coalesce(sum(n_ends), 0)::int8 FROM (SELECT location_id,"
	" max(coalesce(last_location, location_id)) AS last, sum(n_events) AS n_events,"
	" sum(n_ends) AS n_ends FROM perfhouse.logical_chunk"
	" WHERE run_id = $1 AND step_last >= $2 AND step_first < $3 GROUP BY location_id) c";

typedef struct Loading
{
	PhLogicalRun *run;
	PhArena *arena;
	PhStepWindow window;
	const PhLogicalMeasure *measure;
	bool of_tasks;
	int64 n_timelines, n_events, n_ends; /* that there will be */
	uint32 *timeline_of;				 /* by location; PH_NONE: not loaded */
	uint32 *first_seq;					 /* by timeline */
	uint32 *peer_location, *peer_seq;	 /* by end */
} Loading;

/* ---- memory ---- */

static void
receive_sizes(void *user, TupleTableSlot *slot)
{
	Loading *loading = user;
	loading->n_timelines = ph_slot_int(slot, 0, 0);
	loading->n_events = ph_slot_bigint(slot, 1, 0);
	loading->n_ends = ph_slot_bigint(slot, 2, 0);
}

static void
read_sizes(Loading *loading)
{
	ParamListInfo parameters = makeParamList(3);
	const int64 numbers[] = {loading->run->trace->run_id, loading->window.from, loading->window.to};
	for (int i = 0; i < 3; i++)
		parameters->params[i] = (ParamExternData){
			.value = Int64GetDatum(numbers[i]), .pflags = PARAM_FLAG_CONST, .ptype = INT8OID};
	ph_query_rows(sizes_sql, parameters, receive_sizes, loading);
	if (loading->n_events >= PH_NONE || loading->n_ends >= PH_NONE)
		ph_trace_refuse(loading->run->trace, "its logical steps count too many events");
}

#define ROOM(loading, count, pointer)                                                              \
	PH_CHECK((loading)->arena->env, PH_NEW((loading)->arena, (size_t) (count), pointer))

static void
make_room(Loading *loading)
{
	PhLogicalModel *model = &loading->run->model;
	PhLogical *logical = &loading->run->logical;
	uint32 n_locations = loading->run->trace->model.n_locations;
	ROOM(loading, loading->n_timelines, &model->timeline_location);
	ROOM(loading, loading->n_timelines, &model->timeline_rank);
	ROOM(loading, loading->n_timelines + 1, &model->timeline_first);
	ROOM(loading, loading->n_events, &model->timeline);
	ROOM(loading, loading->n_events, &model->enter);
	ROOM(loading, loading->n_events, &model->exit);
	ROOM(loading, loading->n_events + 1, &model->first_end);
	ROOM(loading, loading->n_events, &model->kind);
	ROOM(loading, loading->n_ends, &model->message_of_end);
	ROOM(loading, loading->n_ends, &model->send_event);
	ROOM(loading, loading->n_ends, &model->receive_event);
	ROOM(loading, loading->n_events, &logical->phase);
	ROOM(loading, loading->n_events, &logical->step);
	ROOM(loading, loading->n_timelines, &loading->first_seq);
	ROOM(loading, loading->n_ends, &loading->peer_location);
	ROOM(loading, loading->n_ends, &loading->peer_seq);
	ROOM(loading, n_locations, &loading->timeline_of);
	memset(loading->timeline_of, 0xff, sizeof(uint32) * n_locations);
}

/* ---- events ---- */

static void
begin_timeline(Loading *loading, const PhLogicalEvents *events)
{
	PhLogicalModel *model = &loading->run->model;
	if ((int64) model->n_timelines == loading->n_timelines)
		ph_trace_refuse(loading->run->trace, "chunks of its logical steps end before they begin");
	uint32 timeline = model->n_timelines++;
	loading->timeline_of[events->location] = timeline;
	loading->first_seq[timeline] = events->first_seq;
	model->timeline_location[timeline] = events->location;
	model->timeline_rank[timeline] = loading->run->trace->model.locations[events->location].rank;
	model->timeline_first[timeline] = model->n_events;
}

static void
add_events(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	Loading *loading = user;
	PhLogicalModel *model = &loading->run->model;
	uint32 first = model->n_events, end = model->n_ends;
	const int64 *values = loading->of_tasks ? ph_measure_values(loading->measure, events) : NULL;
	if ((int64) first + events->n_events > loading->n_events ||
		(int64) end + events->n_ends > loading->n_ends)
		ph_trace_refuse(trace, "its logical steps changed while they were read");
	if (loading->timeline_of[events->location] == PH_NONE)
		begin_timeline(loading, events);
	for (uint32 i = 0; i < events->n_events; i++)
	{
		model->timeline[first + i] = model->n_timelines - 1;
		model->enter[first + i] = values != NULL ? 0 : events->enter[i];
		model->exit[first + i] = values != NULL ? values[i] : events->leave[i];
		model->kind[first + i] = (uint8) events->kind[i];
		model->first_end[first + i] = end;
		end += events->ends_of[i];
		loading->run->logical.phase[first + i] = events->phase[i];
		loading->run->logical.step[first + i] = (int32) events->step[i];
	}
	memcpy(loading->peer_location + model->n_ends, events->peer_location,
		   sizeof(uint32) * events->n_ends);
	memcpy(loading->peer_seq + model->n_ends, events->peer_seq, sizeof(uint32) * events->n_ends);
	model->n_events += events->n_events;
	model->n_ends = end;
}

/* The event at the other end of a message; PH_NONE: not recorded or not loaded. */
static uint32
find_peer(const Loading *loading, uint32 end)
{
	const PhLogicalModel *model = &loading->run->model;
	uint32 location = loading->peer_location[end];
	uint32 timeline = location == PH_NONE ? PH_NONE : loading->timeline_of[location];
	if (timeline == PH_NONE || loading->peer_seq[end] < loading->first_seq[timeline])
		return PH_NONE;
	uint32 n = model->timeline_first[timeline + 1] - model->timeline_first[timeline];
	uint32 place = loading->peer_seq[end] - loading->first_seq[timeline];
	return place < n ? model->timeline_first[timeline] + place : PH_NONE;
}

static void
join_messages(Loading *loading)
{
	PhLogicalModel *model = &loading->run->model;
	model->n_messages = model->n_ends;
	for (uint32 e = 0; e < model->n_events; e++)
		for (uint32 end = model->first_end[e]; end < model->first_end[e + 1]; end++)
		{
			bool is_send = model->kind[e] == PH_COMM_SEND;
			uint32 peer = find_peer(loading, end);
			model->message_of_end[end] = end;
			model->send_event[end] = is_send ? e : peer;
			model->receive_event[end] = is_send ? peer : e;
		}
}

/* ---- phases ---- */

static void
span_phases(Loading *loading, uint32 n)
{
	PhLogical *logical = &loading->run->logical;
	ROOM(loading, n, &logical->first_step);
	ROOM(loading, n, &logical->last_step_of);
	ROOM(loading, n, &logical->n_events_of);
	for (uint32 e = 0; e < loading->run->model.n_events; e++)
	{
		uint32 p = logical->phase[e];
		int32 step = logical->step[e];
		bool is_first = logical->n_events_of[p]++ == 0;
		logical->first_step[p] = is_first ? step : Min(logical->first_step[p], step);
		logical->last_step_of[p] = is_first ? step : Max(logical->last_step_of[p], step);
	}
}

static bool
begins_member(const PhLogicalRun *run, uint32 e)
{
	return e == 0 || run->model.timeline[e] != run->model.timeline[e - 1] ||
		   run->logical.phase[e] != run->logical.phase[e - 1];
}

/*
 * Sets first_member, member_first and member_last: a member is a phase's run of events on one
 * timeline. Events are ordered by timeline and, on it, by phase, so a member begins where either
 * changes. First the members of each phase are counted and summed up to the phases' places, then
 * filled in; filling moves each phase's place to the next one's, which is why next is one element
 * ahead of first_member.
 */
static void
list_members(Loading *loading, uint32 n)
{
	PhLogicalRun *run = loading->run;
	PhLogical *logical = &run->logical;
	uint32 *next, member = 0;
	ROOM(loading, (size_t) n + 2, &logical->first_member);
	next = logical->first_member + 1;
	for (uint32 e = 0; e < run->model.n_events; e++)
		if (begins_member(run, e))
		{
			next[logical->phase[e] + 1]++;
			logical->n_members++;
		}
	for (uint32 p = 0; p < n; p++)
		next[p + 1] += next[p];
	ROOM(loading, logical->n_members, &logical->member_first);
	ROOM(loading, logical->n_members, &logical->member_last);
	for (uint32 e = 0; e < run->model.n_events; e++)
	{
		if (begins_member(run, e))
		{
			member = next[logical->phase[e]]++;
			logical->member_first[member] = e;
		}
		logical->member_last[member] = e;
	}
}

/* ---- the run ---- */

/*
 * True when values of the metric depend on the aggregate before an event, which may begin in a
 * chunk that the phase does not touch: then all chunks are read. Lateness needs only the phase's
 * own events.
 */
static bool
looks_back(PhLogicalMetric metric)
{
	return metric != PH_LATENESS && metric != PH_GLOBAL_LATENESS;
}

/*
 * Of tasks the analyses get stored values in place of durations. These are relative to their peers
 * already, or are not meant to be, so the least duration that would be subtracted becomes 0.
 */
static void
take_values_as_they_are(PhLogicalMetrics *metrics)
{
	memset(metrics->least_duration, 0, sizeof(int64) * metrics->n_buckets);
}

static uint32
wanted_groups(const Loading *loading)
{
	return loading->of_tasks
			   ? PH_LOGICAL_WANT_ENDS | PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_TASKS
			   : PH_LOGICAL_WANT_ENDS;
}

PhLogicalRun *
ph_logical_load(const PhLogicalStored *stored, int32 phase, const PhLogicalMeasure *measure)
{
	PhScratch *scratch = stored->trace->scratch;
	PhLogicalRun *run = MemoryContextAllocZero(scratch->context, sizeof(PhLogicalRun));
	Loading loading = {.run = run,
					   .arena = &scratch->arena,
					   .window = ph_phase_window(stored, phase),
					   .measure = measure,
					   .of_tasks = stored->timelines != NULL};
	run->trace = stored->trace;
	run->timelines = stored->timelines;
	ph_logical_options_of(run->trace->run_id, scratch->context, &run->request);
	if (!loading.of_tasks && looks_back(measure->metric))
		loading.window = (PhStepWindow){.to = (int64) PG_INT32_MAX + 1};
	read_sizes(&loading);
	make_room(&loading);
	ph_logical_chunks(stored, &loading.window, wanted_groups(&loading), add_events, &loading);
	run->model.timeline_first[run->model.n_timelines] = run->model.n_events;
	run->model.first_end[run->model.n_events] = run->model.n_ends;
	join_messages(&loading);
	run->logical.model = &run->model;
	run->logical.n_phases = (uint32) stored->n_phases;
	run->logical.last_step = stored->last_step;
	run->logical.stride = (int32) stored->stride;
	span_phases(&loading, run->logical.n_phases);
	list_members(&loading, run->logical.n_phases);
	PH_CHECK(&scratch->env, ph_logical_metrics_build(&scratch->env, &run->logical, &run->metrics));
	if (loading.of_tasks)
		take_values_as_they_are(&run->metrics);
	return run;
}
