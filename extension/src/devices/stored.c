/*
 * stored.c - see stored.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "miscadmin.h"

#include "devices/stored.h"
#include "server/args.h"
#include "trace/args.h"
#include "trace/launches.h"

/* What a chunk goes to. */
typedef struct Reading
{
	PhStoredActivities *stored;
	uint32 wants;
} Reading;

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	const Reading *reading = user;
	PhStoredActivities *stored = reading->stored;
	const PhLaunches *launches = stored->launches.calls.count > 0 ? &stored->launches : NULL;
	PhArena arena;
	const PhLink *links = NULL;
	uint32_t n;
	ph_arena_init(&arena, stored->env);
	if ((reading->wants & PH_ACTIVITY_WANT_CALLS) != 0)
		PH_CHECK(stored->env, ph_launches_of_chunk(&arena, &chunk->chunk, trace->reader,
												   chunk->links, &links, &n));
	PH_CHECK(stored->env, ph_activities_add_chunk(stored->env, &stored->activities, &chunk->chunk,
												  trace->reader, links, launches));
	ph_arena_drop(&arena);
}

static bool
is_one_of(const int32 *ranks, int n, int32 rank)
{
	for (int i = 0; i < n; i++)
		if (ranks[i] == rank)
			return true;
	return false;
}

bool *
ph_stream_locations(const PhTraceRun *trace)
{
	const PhTraceModel *model = &trace->model;
	bool *streams = MemoryContextAllocZero(trace->scratch->context, Max(model->n_locations, 1));
	for (uint32 i = 0; i < model->n_locations; i++)
		streams[i] = ph_location_is_stream(&model->locations[i]);
	return streams;
}

PhTraceWindow
ph_arg_streams(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace)
{
	int n = 0;
	int32 *ranks = PG_ARGISNULL(first + 2) ? NULL : ph_arg_ints(fcinfo, first + 2, &n);
	PhTraceWindow window = ph_arg_times(fcinfo, first);
	bool *wanted = ph_stream_locations(trace);
	for (uint32 i = 0; i < trace->model.n_locations && ranks != NULL; i++)
	{
		CHECK_FOR_INTERRUPTS();
		wanted[i] &= is_one_of(ranks, n, trace->model.locations[i].rank);
	}
	window.locations = wanted;
	window.n_locations = trace->model.n_locations;
	return window;
}

PhActivityKind *
ph_activity_kinds(const PhTraceRun *trace)
{
	uint32 n = trace->model.n_regions;
	PhActivityKind *kinds = MemoryContextAlloc(trace->scratch->context, Max(n, 1) * sizeof(*kinds));
	for (uint32 i = 0; i < n; i++)
		kinds[i] = ph_activity_kind(&trace->model.regions[i]);
	return kinds;
}

/* Regions of calls are numbers that the trace may not have. */
static void
check_regions(const PhStoredActivities *stored)
{
	for (uint32 i = 0; i < stored->activities.list.count; i++)
		if (stored->activities.list.items[i].region >= stored->trace->model.n_regions)
			ph_trace_refuse(stored->trace, "a call is of a region that does not exist");
}

void
ph_stored_activities_read(PhTraceRun *trace, const PhTraceWindow *window, uint32 wants,
						  PhStoredActivities *out)
{
	Reading reading = {out,
					   wants | (wants & PH_ACTIVITY_WANT_LAUNCHES ? PH_ACTIVITY_WANT_CALLS : 0)};
	*out = (PhStoredActivities){
		.trace = trace, .env = &trace->scratch->env, .arena = &trace->scratch->arena};
	out->activities.location = PH_NONE;
	PhChunkQuery query = {.window = *window,
						  .want = PH_WANT_CALLS,
						  .from_before = true,
						  .with_launches = (reading.wants & PH_ACTIVITY_WANT_CALLS) != 0};
	if ((wants & PH_ACTIVITY_WANT_BYTES) != 0)
		query.want |= PH_WANT_EXTRA;
	PH_CHECK(out->env, ph_devices_find(out->arena, &trace->model, &out->devices));
	out->kinds = ph_activity_kinds(trace);
	if ((wants & PH_ACTIVITY_WANT_LAUNCHES) != 0)
		ph_trace_launches(trace, out->env, &out->launches);
	if (trace->n_streams > 0)
		ph_trace_chunks(trace, &query, add_chunk, &reading);
	ph_activities_window(&out->activities, query.window.from, query.window.to);
	check_regions(out);
}

void
ph_stored_activities_begin(FunctionCallInfo fcinfo, uint32 wants, PhStoredActivities *out)
{
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhTraceWindow window = ph_arg_streams(fcinfo, 1, trace);
	ph_stored_activities_read(trace, &window, wants, out);
}

void
ph_stored_activities_end(PhStoredActivities *stored)
{
	ph_activities_free(stored->env, &stored->activities);
	ph_launches_free(stored->env, &stored->launches);
	ph_trace_end(stored->trace);
}

/* ---- spans ---- */

typedef struct Grouping
{
	PhTraceRun *trace;
	PhTraceWindow window;
	const uint32_t *group_of;
	uint32_t *last_location; /* by group, of those that are wanted */
	uint32_t location;		 /* of the chunk before; PH_NONE */
	PhDeviceSpans *spans;	 /* by group; memory of those that are done goes to the next */
	PhDeviceSpans spare;
	PhDeviceSpanMarks marks;
	PhDeviceSpansFunction function;
	void *user;
} Grouping;

static void
hand_over(Grouping *grouping, uint32 group)
{
	PhEnv *env = &grouping->trace->scratch->env;
	PhDeviceSpans *spans = &grouping->spans[group];
	PhArena arena;
	ph_device_spans_window(spans, grouping->window.from, grouping->window.to);
	ph_arena_init(&arena, env);
	if (spans->list.count > 0)
		grouping->function(grouping->user, &arena, group, spans);
	ph_arena_drop(&arena);
	ph_device_spans_clear(spans);
	ph_device_spans_free(env, &grouping->spare);
	grouping->spare = *spans;
	*spans = (PhDeviceSpans){.location = PH_NONE};
}

/* The chunks of a location are over. */
static void
end_location(Grouping *grouping)
{
	if (grouping->location == PH_NONE)
		return;
	uint32 group = grouping->group_of[grouping->location];
	if (grouping->last_location[group] == grouping->location)
		hand_over(grouping, group);
}

static PhDeviceSpans *
begin_location(Grouping *grouping, uint32 location)
{
	PhDeviceSpans *spans = &grouping->spans[grouping->group_of[location]];
	if (location != grouping->location)
		end_location(grouping);
	grouping->location = location;
	if (spans->list.items == NULL)
	{
		*spans = grouping->spare;
		grouping->spare = (PhDeviceSpans){.location = PH_NONE};
	}
	return spans;
}

static void
add_spans(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Grouping *grouping = user;
	PhEnv *env = &trace->scratch->env;
	PhDeviceSpans *spans = begin_location(grouping, chunk->chunk.location);
	PhArena arena;
	ph_arena_init(&arena, env);
	if (grouping->marks.kinds == NULL)
		PH_CHECK(env, ph_launch_delays(&arena, chunk->links, chunk->chunk.n_enter,
									   &grouping->marks.delays));
	PH_CHECK(env,
			 ph_device_spans_add_chunk(env, spans, &chunk->chunk, trace->reader, &grouping->marks));
	ph_arena_drop(&arena);
}

static void
begin_groups(Grouping *grouping, uint32 n_groups, bool by_kind)
{
	PhTraceRun *trace = grouping->trace;
	PhArena *arena = &trace->scratch->arena;
	const PhTraceModel *model = &trace->model;
	PH_CHECK(arena->env, PH_NEW(arena, n_groups, &grouping->last_location));
	PH_CHECK(arena->env, PH_NEW(arena, n_groups, &grouping->spans));
	for (uint32 i = 0; i < n_groups; i++)
		grouping->spans[i].location = PH_NONE;
	for (uint32 i = 0; i < model->n_locations; i++)
		if (grouping->window.locations[i])
			grouping->last_location[grouping->group_of[i]] = i;
	if (by_kind)
		grouping->marks =
			(PhDeviceSpanMarks){.kinds = ph_activity_kinds(trace), .n_regions = model->n_regions};
}

void
ph_stored_spans(FunctionCallInfo fcinfo, PhTraceRun *trace, const uint32_t *group_of,
				uint32 n_groups, bool by_kind, PhDeviceSpansFunction function, void *user)
{
	Grouping grouping = {.trace = trace,
						 .window = ph_arg_streams(fcinfo, 1, trace),
						 .group_of = group_of,
						 .location = PH_NONE,
						 .spare = {.location = PH_NONE},
						 .function = function,
						 .user = user};
	PhChunkQuery query = {.window = grouping.window,
						  .want = by_kind ? PH_WANT_CALLS : PH_WANT_LENGTHS,
						  .from_before = true,
						  .with_launches = !by_kind};
	if (!by_kind && trace->n_stream_waits > 0)
		query.want |= PH_WANT_EXTRA;
	begin_groups(&grouping, n_groups, by_kind);
	if (trace->n_streams > 0)
		ph_trace_chunks(trace, &query, add_spans, &grouping);
	for (uint32 i = 0; i < n_groups; i++)
		hand_over(&grouping, i);
	ph_device_spans_free(&trace->scratch->env, &grouping.spare);
}

/* ---- launching calls ---- */

typedef struct Launching
{
	PhStoredActivities *stored;
	PhLaunchingCall *calls;
} Launching;

static void
add_calls(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Launching *launching = user;
	ph_launching_calls_add_chunk(&launching->stored->launches, launching->calls, &chunk->chunk,
								 trace->reader);
}

PhLaunchingCall *
ph_stored_launching_calls(PhStoredActivities *stored)
{
	PhTraceRun *trace = stored->trace;
	Launching launching = {stored, NULL};
	uint32 n = stored->launches.calls.count;
	bool *wanted = MemoryContextAllocZero(trace->scratch->context, trace->model.n_locations + 1);
	PhChunkQuery query = {.window = ph_window_all(), .want = PH_WANT_CALLS};
	PH_CHECK(stored->env, PH_NEW(stored->arena, n, &launching.calls));
	for (uint32 i = 0; i < n; i++)
	{
		uint32 location = stored->launches.calls.items[i].location;
		launching.calls[i].region = PH_NONE;
		if (location >= trace->model.n_locations)
			ph_trace_refuse(trace, "a launch is of a location that does not exist");
		wanted[location] = true;
	}
	query.window.locations = wanted;
	query.window.n_locations = trace->model.n_locations;
	if (n > 0)
		ph_trace_chunks(trace, &query, add_calls, &launching);
	return launching.calls;
}

char *
ph_device_name(const PhTraceLocation *location)
{
	if (location->rank < 0)
		return psprintf("%d", location->stream.device);
	return psprintf("%d/%d", location->rank, location->stream.device);
}
