/*
 * waits.c - see waits.h: two passes over the chunks, one for the communication, one for call paths.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "blame/device_waits.h"
#include "blame/node_keys.h"
#include "blame/waits.h"
#include "miscadmin.h"
#include "profile/node_path.h"
#include "trace/launches.h"

static void
add_activities(PhBlamedRun *run, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhArena arena;
	ph_arena_init(&arena, &trace->scratch->env);
	const uint32 *launched = ph_trace_launched(trace, &arena, &run->work->stored.launches, chunk);
	PH_CHECK(&trace->scratch->env,
			 ph_trace_tree_add_activities(run->tree, &chunk->chunk, trace->reader, launched,
										  INT64_MIN, INT64_MAX));
	ph_arena_drop(&arena);
}

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhBlamedRun *run = user;
	if (ph_location_is_stream(&trace->model.locations[chunk->chunk.location]))
		add_activities(run, trace, chunk);
	else
		PH_CHECK(
			&trace->scratch->env,
			ph_trace_tree_add_chunk(run->tree, &chunk->chunk, trace->reader, INT64_MIN, INT64_MAX));
}

/* Who wants to know what call paths took. */
typedef struct Watchers
{
	PhPathTimes *times;
	PhOnPath *on_path; /* NULL: not wanted */
} Watchers;

static PhStatus
tell_watchers(void *user, uint32 location, const PhStretch *stretches, uint32 n)
{
	const Watchers *watchers = user;
	if (watchers->on_path != NULL)
		PH_TRY(ph_on_path_stretches(watchers->on_path, location, stretches, n));
	return ph_path_times_stretches(watchers->times, location, stretches, n);
}

/* What devices took of call paths, which are known when all calls were met. */
static void
watch_devices(PhBlamedRun *run, Watchers *watchers)
{
	PhArena *arena = &run->trace->scratch->arena;
	PH_CHECK(arena->env, PH_NEW(arena, 1, &run->places));
	PH_CHECK(arena->env,
			 ph_device_places_find(arena, &run->work->stored.activities, &run->trace->model,
								   run->tree, tell_watchers, watchers, run->places));
}

/* What each call path took between the waits. */
static PhPathTimes *
find_times(PhBlamedRun *run, const PhWaitInterval *intervals)
{
	PhTraceRun *trace = run->trace;
	PhEnv *env = &trace->scratch->env;
	Watchers watchers = {.on_path = run->on_path};
	PH_CHECK(env, ph_path_times_new(env, &run->waits, intervals, &watchers.times));
	/* counters belong to no wait: they were not read */
	PhTraceModel model = trace->model;
	model.n_metrics = 0;
	PH_CHECK(env, ph_trace_tree_new(env, &model, &run->tree));
	if (run->work != NULL)
		PH_CHECK(env, ph_trace_tree_launches(run->tree, &run->work->stored.launches));
	ph_trace_tree_watch(run->tree, tell_watchers, &watchers);
	PhChunkQuery query = {.window = ph_window_all(),
						  .want = ph_trace_tree_wants(run->tree),
						  .with_launches = run->work != NULL};
	ph_trace_chunks(trace, &query, add_chunk, run);
	PH_CHECK(env, ph_trace_tree_settle(run->tree));
	ph_trace_tree_watch(run->tree, NULL, NULL);
	if (run->work != NULL)
		watch_devices(run, &watchers);
	PH_CHECK(env, ph_path_times_finish(watchers.times, ph_trace_tree_n_nodes(run->tree)));
	run->wait_nodes = ph_path_times_wait_nodes(watchers.times);
	return watchers.times;
}

static void
add_device_waits(PhBlamedRun *run)
{
	PhArena *arena = &run->trace->scratch->arena;
	PhWaitStates waits = run->waits;
	run->path_waits = ph_stored_dependences(run->work, &waits);
	PH_CHECK(arena->env, ph_device_waits_find(arena, &run->work->work, run->skeleton, &waits,
											  &run->path_waits, &run->waits));
}

static PhBlamedRun *
begin_run(PhTraceRun *trace)
{
	PhArena *arena = &trace->scratch->arena;
	PhBlamedRun *run;
	PH_CHECK(arena->env, PH_NEW(arena, 1, &run));
	run->trace = trace;
	run->skeleton = ph_trace_skeleton(trace, PH_KEEP_CAME | PH_KEEP_HOLDS);
	PH_CHECK(arena->env, ph_wait_states_find(arena, run->skeleton, &run->waits));
	run->path_waits = run->waits;
	run->work = ph_stored_work(trace);
	if (run->work != NULL)
		add_device_waits(run);
	return run;
}

static void
find_blame(PhBlamedRun *run, const PhTraceWindow *window)
{
	PhArena *arena = &run->trace->scratch->arena;
	const PhWaitInterval *intervals;
	PH_CHECK(arena->env, ph_wait_intervals(arena, run->skeleton, &run->waits, &intervals));
	run->input = (PhBlameInput){.waits = &run->waits,
								.intervals = intervals,
								.times = find_times(run, intervals),
								.from = window->from,
								.to = window->to};
	run->input.n_nodes = ph_trace_tree_n_nodes(run->tree);
	PH_CHECK(arena->env, ph_node_keys(arena, run->tree, (const uint64_t *) run->trace->region_ids,
									  &run->input.node_keys));
	PH_CHECK(arena->env, PH_NEW(arena, run->input.n_nodes, &run->paths));
	PH_CHECK(arena->env, ph_blame_find(arena, &run->input, &run->blame));
}

PhBlamedRun *
ph_blamed_run(PhTraceRun *trace, const PhTraceWindow *window)
{
	PhBlamedRun *run = begin_run(trace);
	find_blame(run, window);
	return run;
}

PhBlamedRun *
ph_blamed_run_on_path(PhTraceRun *trace)
{
	PhArena *arena = &trace->scratch->arena;
	const PhPathOptions options = {.is_merged = false};
	PhTraceWindow window = ph_window_all();
	PhBlamedRun *run = begin_run(trace);
	PhCriticalPath *path;
	PH_CHECK(arena->env,
			 ph_critical_path_new(arena->env, run->skeleton, &run->path_waits, &options, &path));
	PH_CHECK(arena->env, ph_on_path_new(arena, path, run->skeleton, &run->on_path));
	ph_critical_path_free(path);
	find_blame(run, &window);
	return run;
}

PhUnitCostInput
ph_blamed_cost_input(const PhBlamedRun *run)
{
	return (PhUnitCostInput){.waits = &run->waits,
							 .wait_nodes = run->wait_nodes,
							 .blame = &run->blame,
							 .on_path = run->on_path,
							 .tree = run->tree,
							 .places = run->places};
}

bool
ph_blamed_communicates(const PhBlamedRun *run)
{
	return ph_skeleton_communicates(run->skeleton) ||
		   (run->work != NULL && run->work->stored.activities.list.count > 0);
}

const char *
ph_blamed_region(const PhBlamedRun *run, uint32 node)
{
	return node == PH_NONE
			   ? NULL
			   : ph_trace_region_name(run->trace, ph_trace_tree_region(run->tree, node));
}

const char *
ph_blamed_path(PhBlamedRun *run, uint32 node)
{
	StringInfoData buffer;
	PhPathText path;
	if (node == PH_NONE || run->paths[node] != NULL)
		return node == PH_NONE ? NULL : run->paths[node];
	CHECK_FOR_INTERRUPTS();
	ph_path_begin(&path);
	for (uint32 at = node; at != PH_NONE && !path.is_cut; at = ph_trace_tree_parent(run->tree, at))
		ph_path_prepend(&path, ph_blamed_region(run, at),
						ph_trace_tree_parent(run->tree, at) == PH_NONE);
	initStringInfo(&buffer);
	run->paths[node] = pstrdup(ph_path_text(&path, &buffer));
	pfree(buffer.data);
	return run->paths[node];
}
