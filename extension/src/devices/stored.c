/*
 * stored.c - see stored.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/stored.h"
#include "server/args.h"
#include "trace/args.h"
#include "trace/launches.h"

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhStoredActivities *stored = user;
	const PhLaunches *launches = stored->launches.calls.count > 0 ? &stored->launches : NULL;
	PhArena arena;
	const PhLink *links;
	uint32_t n;
	ph_arena_init(&arena, stored->env);
	PH_CHECK(stored->env,
			 ph_launches_of_chunk(&arena, &chunk->chunk, trace->reader, chunk->links, &links, &n));
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

/* The streams that are wanted. */
static PhTraceWindow
streams_of(FunctionCallInfo fcinfo, const PhTraceRun *trace)
{
	const PhTraceModel *model = &trace->model;
	int n = 0;
	int32 *ranks = PG_ARGISNULL(3) ? NULL : ph_arg_ints(fcinfo, 3, &n);
	PhTraceWindow window = ph_arg_times(fcinfo, 1);
	bool *wanted = MemoryContextAllocZero(trace->scratch->context, Max(model->n_locations, 1));
	for (uint32 i = 0; i < model->n_locations; i++)
		wanted[i] = ph_location_is_stream(&model->locations[i]) &&
					(ranks == NULL || is_one_of(ranks, n, model->locations[i].rank));
	window.locations = wanted;
	window.n_locations = model->n_locations;
	return window;
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
ph_stored_activities_begin(FunctionCallInfo fcinfo, bool with_launches, PhStoredActivities *out)
{
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	const PhTraceModel *model = &trace->model;
	*out = (PhStoredActivities){
		.trace = trace, .env = &trace->scratch->env, .arena = &trace->scratch->arena};
	PhChunkQuery query = {.window = streams_of(fcinfo, trace),
						  .want = PH_WANT_CALLS | PH_WANT_EXTRA,
						  .with_launches = true};
	PH_CHECK(out->env, ph_devices_find(out->arena, model, &out->devices));
	PH_CHECK(out->env, PH_NEW(out->arena, model->n_regions, &out->kinds));
	for (uint32 i = 0; i < model->n_regions; i++)
		out->kinds[i] = ph_activity_kind(&model->regions[i]);
	if (with_launches)
		ph_trace_launches(trace, out->env, &out->launches);
	if (trace->n_streams > 0)
		ph_trace_chunks(trace, &query, add_chunk, out);
	ph_activities_window(&out->activities, query.window.from, query.window.to);
	check_regions(out);
}

void
ph_stored_activities_end(PhStoredActivities *stored)
{
	ph_activities_free(stored->env, &stored->activities);
	ph_launches_free(stored->env, &stored->launches);
	ph_trace_end(stored->trace);
}

char *
ph_device_name(const PhTraceLocation *location)
{
	if (location->rank < 0)
		return psprintf("%d", location->stream.device);
	return psprintf("%d/%d", location->rank, location->stream.device);
}
