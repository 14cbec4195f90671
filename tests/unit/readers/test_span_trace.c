/*
 * test_span_trace.c - random programs of threads and devices as spans: lanes, events, launches and
 * the call tree with its device metrics, against lists that are searched; faults.
 *
 * Every span has a region of its own, so that an event or a node says which span it is of.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/min_max.h"
#include "pipeline/trace/launches.h"
#include "readers/spans/lanes.h"
#include "readers/spans/trace.h"
#include "support/fault_env.h"
#include "support/random_trace.h"
#include "support/rounds.h"
#include "trace/chunk/device_records.h"

#define N_PROGRAMS rounds(1500)
#define MOST_SPANS 60
#define N_PROCESSES 2
#define N_THREADS 2
#define N_STREAMS 3
#define MOST_WAITS 6
#define LATEST 60
#define EPOCH 1000000

typedef struct Known
{
	PhTraceSpan span;
	uint32_t process, thread;
	bool is_activity, is_kernel;
	uint32_t launch;  /* span; PH_NONE */
	uint32_t awaited; /* span that it had to wait for; PH_NONE */
} Known;

/* A wait of a stream for another one of its process. */
typedef struct KnownWait
{
	uint32_t process;
	PhTraceWait wait;
} KnownWait;

typedef struct Program
{
	PhEnv env;
	uint32_t n;
	Known spans[MOST_SPANS];
	uint32_t n_waits;
	KnownWait waits[MOST_WAITS];
	int64_t first, from, to;
	uint64_t stream_waits; /* that were written */
	PhTraceSource *source;
	PhSpanCounts counts;
	uint32_t n_locations;
	StoredChunks stored[MOST_SPANS + N_PROCESSES * (N_THREADS + N_STREAMS)];
} Program;

static RandomNumbers numbers;

/* ---- what is handed over ---- */

static PhStatus
add_span(PhSpanTrace *trace, const uint32_t *processes, Known *known, uint32_t i)
{
	uint32_t process = processes[known->process], number = numbers_below(&numbers, 4);
	known->thread = number % N_THREADS;
	char name[16];
	PhTraceRegion region = {.name = name, .line = PH_NO_NUMBER, .role = "function"};
	PhLaunchConfiguration configuration = {.grid = {number, 1, 1}, .block = {32, 1, 1}};
	snprintf(name, sizeof(name), "%u", i);
	if (known->is_activity)
		region.role = known->is_kernel ? PH_ROLE_KERNEL : PH_ROLE_COPY;
	if (known->is_activity)
		PH_TRY(ph_span_trace_stream(trace, process,
									(PhDeviceStream){.device = number > 0, .stream = number % 3},
									NULL, &known->span.track));
	else
		PH_TRY(ph_span_trace_thread(trace, process, known->thread, NULL, &known->span.track));
	if (known->is_kernel)
		PH_TRY(ph_span_trace_configuration(trace, &configuration, &known->span.configuration));
	known->span.configuration += known->is_kernel;
	PH_TRY(ph_span_trace_region(trace, &region, &known->span.region));
	return ph_span_trace_add(trace, &known->span);
}

static PhStatus
add_wait(PhSpanTrace *trace, const uint32_t *processes, KnownWait *known)
{
	uint32_t number = numbers_below(&numbers, 4);
	PhDeviceStream waiting = {.device = number > 0, .stream = number % 3};
	PhDeviceStream awaited;
	number = numbers_below(&numbers, 4);
	awaited = (PhDeviceStream){.device = number > 0, .stream = number % 3};
	PH_TRY(ph_span_trace_stream(trace, processes[known->process], waiting, NULL,
								&known->wait.waiting));
	PH_TRY(ph_span_trace_stream(trace, processes[known->process], awaited, NULL,
								&known->wait.awaited));
	return ph_span_trace_wait(trace, &known->wait);
}

static void
make_waits(Program *program)
{
	program->n_waits = numbers_below(&numbers, MOST_WAITS + 1);
	for (uint32_t i = 0; i < program->n_waits; i++)
		program->waits[i] = (KnownWait){.process = numbers_below(&numbers, N_PROCESSES),
										.wait = {.wait = 1 + numbers_below(&numbers, 8),
												 .record = 1 + numbers_below(&numbers, 8)}};
}

static void
make_spans(Program *program)
{
	program->n = 1 + numbers_below(&numbers, MOST_SPANS);
	program->first = INT64_MAX;
	for (uint32_t i = 0; i < program->n; i++)
	{
		int64_t start = numbers_below(&numbers, LATEST);
		Known *known = &program->spans[i];
		known->process = numbers_below(&numbers, N_PROCESSES);
		known->is_activity = numbers_below(&numbers, 2) == 0;
		known->is_kernel = known->is_activity && numbers_below(&numbers, 2) == 0;
		known->span = (PhTraceSpan){.start = start,
									.end = start + numbers_below(&numbers, 12),
									.correlation = numbers_below(&numbers, 8)};
		if (known->is_activity && !known->is_kernel)
			known->span.bytes = numbers_below(&numbers, 1000);
		program->first = PH_MIN(program->first, start);
	}
}

/* *out: NULL on failure. */
static PhStatus
make_source(PhEnv *env, Program *program, PhTraceSource **out)
{
	uint32_t processes[N_PROCESSES];
	PhSpanTrace *trace = NULL;
	PhStatus status = ph_span_trace_new(env, &trace);
	*out = NULL;
	for (uint32_t i = 0; i < N_PROCESSES && status == PH_OK; i++)
		status = ph_span_trace_process(trace, (int32_t) i, "node", &processes[i]);
	for (uint32_t i = 0; i < program->n && status == PH_OK; i++)
		status = add_span(trace, processes, &program->spans[i], i);
	for (uint32_t i = 0; i < program->n_waits && status == PH_OK; i++)
		status = add_wait(trace, processes, &program->waits[i]);
	if (status == PH_OK)
		status = ph_span_trace_finish(trace, EPOCH, &program->counts, out);
	if (status != PH_OK)
		ph_span_trace_free(trace);
	return status;
}

/* ---- what follows, found by looking at all spans ---- */

/* Of two calls of one correlation the outer one launched; of two threads that of the first. */
static bool
is_outer(const Known *a, const Known *b)
{
	if (a->span.start != b->span.start)
		return a->span.start < b->span.start;
	return a->thread != b->thread ? a->thread < b->thread : a->span.end > b->span.end;
}

static void
find_launches(Program *program)
{
	for (uint32_t i = 0; i < program->n; i++)
	{
		Known *known = &program->spans[i];
		known->launch = PH_NONE;
		for (uint32_t j = 0; j < program->n; j++)
		{
			const Known *call = &program->spans[j];
			const Known *best = known->launch == PH_NONE ? NULL : &program->spans[known->launch];
			if (call->is_activity || call->process != known->process ||
				call->span.correlation != known->span.correlation || call->span.correlation == 0 ||
				!known->is_activity)
				continue;
			if (best == NULL || is_outer(call, best))
				known->launch = j;
		}
	}
}

/* The begin of the outermost call of a correlation; false: there is none. */
static bool
find_call(const Program *program, uint32_t process, uint64_t correlation, int64_t *out)
{
	const Known *best = NULL;
	for (uint32_t i = 0; i < program->n; i++)
	{
		const Known *call = &program->spans[i];
		if (!call->is_activity && call->process == process &&
			call->span.correlation == correlation && (best == NULL || is_outer(call, best)))
			best = call;
	}
	*out = best == NULL ? 0 : best->span.start;
	return best != NULL;
}

static int64_t
launched_at(const Program *program, const Known *known)
{
	return known->launch == PH_NONE ? INT64_MIN : program->spans[known->launch].span.start;
}

/* Does a stream get x before y? */
static bool
is_enqueued_before(const Program *program, uint32_t x, uint32_t y)
{
	const Known *a = &program->spans[x], *b = &program->spans[y];
	if (launched_at(program, a) != launched_at(program, b))
		return launched_at(program, a) < launched_at(program, b);
	return a->span.end != b->span.end ? a->span.end < b->span.end : x < y;
}

/* Of a track the last that was launched before a time, or the first behind it; PH_NONE. */
static uint32_t
find_on_track(const Program *program, uint32_t track, int64_t time, bool is_behind)
{
	uint32_t best = PH_NONE;
	for (uint32_t i = 0; i < program->n; i++)
	{
		const Known *known = &program->spans[i];
		int64_t launched = launched_at(program, known);
		if (!known->is_activity || known->span.track != track ||
			(is_behind ? launched <= time : launched >= time))
			continue;
		if (best == PH_NONE || (is_behind ? is_enqueued_before(program, i, best)
										  : is_enqueued_before(program, best, i)))
			best = i;
	}
	return best;
}

static void
find_waits(Program *program)
{
	for (uint32_t i = 0; i < program->n; i++)
		program->spans[i].awaited = PH_NONE;
	for (uint32_t i = 0; i < program->n_waits; i++)
	{
		const KnownWait *wait = &program->waits[i];
		int64_t waits, records;
		if (!find_call(program, wait->process, wait->wait.wait, &waits) ||
			!find_call(program, wait->process, wait->wait.record, &records))
			continue;
		uint32_t waiter = find_on_track(program, wait->wait.waiting, waits, true);
		uint32_t awaited = find_on_track(program, wait->wait.awaited, records, false);
		if (waiter == PH_NONE || awaited == PH_NONE || waiter == awaited)
			continue;
		Known *known = &program->spans[waiter];
		int64_t end = program->spans[awaited].span.end;
		if (end > known->span.start)
			continue;
		if (known->awaited == PH_NONE || end > program->spans[known->awaited].span.end ||
			(end == program->spans[known->awaited].span.end && awaited < known->awaited))
			known->awaited = awaited;
	}
}

static void
check_counts(const Program *program)
{
	PhLaunchCounts counts = {0};
	uint64_t n_calls = 0;
	for (uint32_t i = 0; i < program->n; i++)
	{
		const Known *known = &program->spans[i];
		n_calls += !known->is_activity;
		counts.activities += known->is_activity;
		counts.unmatched += known->is_activity && known->launch == PH_NONE;
		counts.reversed += known->launch != PH_NONE &&
						   known->span.start < program->spans[known->launch].span.start;
	}
	uint64_t n_waits = 0;
	for (uint32_t i = 0; i < program->n; i++)
		n_waits += program->spans[i].awaited != PH_NONE;
	assert_int_equal(program->stream_waits, n_waits);
	assert_int_equal(program->counts.calls, n_calls);
	assert_int_equal(program->counts.first_time, program->first);
	assert_int_equal(program->source->launched.activities, counts.activities);
	assert_int_equal(program->source->launched.unmatched, counts.unmatched);
	assert_int_equal(program->source->launched.reversed, counts.reversed);
	assert_int_equal(program->source->model.epoch_ns, EPOCH + program->first);
}

/* ---- events ---- */

static uint32_t
span_of(const Program *program, uint32_t region)
{
	return (uint32_t) strtoul(program->source->model.regions[region].name, NULL, 10);
}

static void
store_locations(Program *program)
{
	PhTraceCursor *cursor;
	PhTraceCounts counts = {0};
	PhTraceSource *source = program->source;
	program->n_locations = source->model.n_locations;
	assert_int_equal(source->open(&program->env, source, &cursor), PH_OK);
	for (uint32_t i = 0; i < program->n_locations; i++)
	{
		PhChunkWriter *writer;
		program->stored[i] = (StoredChunks){0};
		assert_int_equal(ph_chunk_writer_new(&program->env, i, 1 + numbers_below(&numbers, 20),
											 stored_chunks_add, &program->stored[i], &writer),
						 PH_OK);
		assert_int_equal(source->read_location(cursor, i, writer, &counts), PH_OK);
		assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
		assert_int_equal(ph_chunk_writer_open_calls(writer), 0);
		assert_int_equal(ph_chunk_writer_events(writer), source->model.locations[i].n_events);
		ph_chunk_writer_free(writer);
	}
	source->close(cursor);
	program->stream_waits = counts.stream_waits;
}

typedef struct Seen
{
	uint64_t awaited, before; /* as its record says; 0: nothing */
	uint32_t n_entered, n_left;
	uint32_t location;
	uint64_t seq;
} Seen;

static void
check_event(const Program *program, uint32_t location, uint64_t seq, const PhEvent *event,
			Seen *seen)
{
	const Known *known = &program->spans[span_of(program, event->region)];
	Seen *its = &seen[span_of(program, event->region)];
	const PhTraceLocation *where = &program->source->model.locations[location];
	int64_t time = event->time + program->first;
	assert_int_equal(known->is_activity, ph_location_is_stream(where));
	assert_int_equal(known->process, where->rank);
	if (event->kind == PH_EVENT_ENTER)
	{
		assert_int_equal(time, known->span.start);
		its->n_entered++;
		its->location = location;
		its->seq = seq;
	}
	else if (event->kind == PH_EVENT_LEAVE)
	{
		assert_int_equal(time, known->span.end);
		its->n_left++;
	}
	else
	{
		assert_int_equal(event->operation, PH_RECORD_ACTIVITY);
		assert_int_equal(time, known->span.start);
		assert_int_equal(event->values[PH_ACTIVITY_BYTES], known->span.bytes);
		its->awaited =
			event->n_values <= PH_ACTIVITY_AWAITED ? 0 : event->values[PH_ACTIVITY_AWAITED];
		its->before = event->n_values <= PH_ACTIVITY_AWAITED_BEFORE
						  ? 0
						  : event->values[PH_ACTIVITY_AWAITED_BEFORE];
		if (event->n_values > PH_ACTIVITY_CONFIGURATION)
			assert_int_equal(event->values[PH_ACTIVITY_CONFIGURATION], known->span.configuration);
		else
			assert_int_equal(known->span.configuration, 0);
	}
}

/* Every span is there once, in a location of its track; streams have one activity at a time. */
static void
check_events(Program *program, Seen *seen)
{
	PhChunkReader *reader;
	memset(seen, 0, sizeof(*seen) * program->n);
	assert_int_equal(ph_chunk_reader_new(&program->env, &reader), PH_OK);
	for (uint32_t i = 0; i < program->n_locations; i++)
	{
		uint64_t seq = 0;
		for (uint32_t c = 0; c < program->stored[i].n_chunks; c++)
		{
			PhEvent event;
			assert_int_equal(
				ph_chunk_reader_open(reader, &program->stored[i].chunks[c], PH_WANT_ALL), PH_OK);
			while (ph_chunk_next(reader, &event))
			{
				uint32_t depth;
				ph_chunk_open_calls(reader, &depth);
				if (ph_location_is_stream(&program->source->model.locations[i]))
					assert_true(depth <= 1);
				check_event(program, i, seq++, &event, seen);
			}
		}
	}
	ph_chunk_reader_free(reader);
	for (uint32_t i = 0; i < program->n; i++)
		assert_true(seen[i].n_entered == 1 && seen[i].n_left == 1);
}

/* What an activity waited for is told by where and when it ended. */
static void
check_waits(const Program *program, const Seen *seen)
{
	for (uint32_t i = 0; i < program->n; i++)
	{
		const Known *known = &program->spans[i];
		if (known->awaited == PH_NONE)
		{
			assert_int_equal(seen[i].awaited, 0);
			continue;
		}
		const Known *awaited = &program->spans[known->awaited];
		assert_int_equal(seen[i].before, known->span.start - awaited->span.end);
		assert_int_equal(seen[i].awaited, seen[known->awaited].location + 1);
	}
}

/* A link of an activity leads to the ENTER of the call that launched it. */
static void
check_links(Program *program, const Seen *seen)
{
	for (uint32_t i = 0; i < program->n; i++)
	{
		const Known *known = &program->spans[i];
		uint32_t n_before = 0;
		PhArena arena;
		const PhLink *links;
		uint64_t n;
		if (!known->is_activity)
			continue;
		for (uint32_t j = 0; j < program->n; j++)
			n_before += seen[j].location == seen[i].location && seen[j].seq < seen[i].seq;
		ph_arena_init(&arena, &program->env);
		assert_int_equal(
			program->source->launches(program->source, &arena, seen[i].location, &links, &n),
			PH_OK);
		assert_true(n_before < n);
		if (known->launch == PH_NONE)
			assert_int_equal(links[n_before].location, PH_NONE);
		else
		{
			assert_int_equal(links[n_before].location, seen[known->launch].location);
			assert_int_equal(links[n_before].seq, seen[known->launch].seq);
			assert_int_equal(links[n_before].time,
							 program->spans[known->launch].span.start - program->first);
		}
		ph_arena_drop(&arena);
	}
}

/* ---- the call tree ---- */

static PhStatus
add_stored_chunk(PhTraceTree *tree, Program *program, const PhLaunches *launches,
				 const PhChunk *chunk, PhChunkReader *reader, const PhLink *links, uint32_t *at)
{
	uint32_t launched[64] = {0};
	PH_TRY(ph_chunk_reader_open(reader, chunk, ph_trace_tree_wants(tree)));
	if (!ph_location_is_stream(&program->source->model.locations[chunk->location]))
		return ph_trace_tree_add_chunk(tree, chunk, reader, program->from, program->to);
	for (uint32_t i = 0; i < chunk->n_enter; i++)
	{
		const PhLink *link = &links[(*at)++];
		launched[i] = link->location == PH_NONE
						  ? PH_NONE
						  : ph_launches_find(launches, link->location, link->seq);
	}
	return ph_trace_tree_add_activities(tree, chunk, reader, launched, program->from, program->to);
}

static PhStatus
add_location(PhTraceTree *tree, Program *program, const PhLaunches *launches, uint32_t location,
			 PhChunkReader *reader, PhArena *arena)
{
	const PhLink *links;
	uint64_t n;
	uint32_t at = 0;
	PH_TRY(program->source->launches(program->source, arena, location, &links, &n));
	for (uint32_t c = 0; c < program->stored[location].n_chunks; c++)
		PH_TRY(add_stored_chunk(tree, program, launches, &program->stored[location].chunks[c],
								reader, links, &at));
	return PH_OK;
}

/* Two trees share the locations, in a random order. */
static PhStatus
add_locations(PhTraceTree *const trees[2], Program *program, const PhLaunches *launches, PhEnv *env)
{
	PhArena arena;
	PhChunkReader *reader = NULL;
	uint32_t turn = numbers_below(&numbers, 1000);
	PhStatus status = ph_chunk_reader_new(env, &reader);
	ph_arena_init(&arena, env);
	for (uint32_t i = 0; i < program->n_locations && status == PH_OK; i++)
	{
		uint32_t location = (turn % 2 == 0 ? i : program->n_locations - 1 - i);
		status = add_location(trees[(turn >> (1 + i % 8)) % 2], program, launches, location, reader,
							  &arena);
	}
	ph_arena_drop(&arena);
	ph_chunk_reader_free(reader);
	return status;
}

static PhStatus
make_tree(PhEnv *env, Program *program, PhLaunches *launches, PhTraceTree *trees[2])
{
	PH_TRY(ph_trace_launches(env, program->source, launches));
	for (int i = 0; i < 2; i++)
	{
		PH_TRY(ph_trace_tree_new(env, &program->source->model, &trees[i]));
		PH_TRY(ph_trace_tree_launches(trees[i], launches));
	}
	PH_TRY(add_locations(trees, program, launches, env));
	PH_TRY(ph_trace_tree_merge(trees[0], trees[1]));
	return ph_trace_tree_settle(trees[0]);
}

static PhStatus
fill_builder(PhTraceTree *tree, const Program *program, PhProfileBuilder *builder)
{
	const PhTraceModel *model = &program->source->model;
	uint32_t regions[MOST_SPANS], columns[2 * MOST_SPANS];
	PhTreePlaces places = {.n_regions = model->n_regions,
						   .regions = regions,
						   .n_locations = model->n_locations,
						   .columns = columns};
	for (uint32_t i = 0; i < model->n_regions; i++)
	{
		PhRegionSpec spec = {.name = model->regions[i].name, .line = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_region(builder, &spec, &regions[i]));
	}
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		PhColumnSpec spec = {.kind = model->locations[i].kind,
							 .rank = (int32_t) i,
							 .thread = 0,
							 .iteration = PH_NO_ITERATION};
		PH_TRY(ph_builder_add_column(builder, &spec, &columns[i]));
	}
	return ph_trace_tree_to_builder(tree, &places, builder);
}

static PhStatus
make_profile(PhEnv *env, Program *program, PhProfile **out)
{
	PhLaunches launches = {0};
	PhTraceTree *trees[2] = {NULL, NULL};
	PhProfileBuilder *builder = NULL;
	PhStatus status = make_tree(env, program, &launches, trees);
	if (status == PH_OK)
		status = ph_builder_new(env, &builder);
	if (status == PH_OK)
		status = fill_builder(trees[0], program, builder);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	ph_trace_tree_free(trees[0]);
	ph_trace_tree_free(trees[1]);
	ph_launches_free(env, &launches);
	return status;
}

static uint32_t
metric_named(const PhProfile *profile, const char *name)
{
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		if (strcmp(ph_profile_string(profile, profile->metrics[m].name), name) == 0)
			return m;
	return PH_NONE;
}

static uint32_t
node_of(const PhProfile *profile, uint32_t span)
{
	char name[16];
	snprintf(name, sizeof(name), "%u", span);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (strcmp(ph_profile_node_name(profile, node), name) == 0)
			return node;
	return PH_NONE;
}

static double
value_of(const PhProfile *profile, const char *metric, uint32_t node, uint32_t column)
{
	uint32_t m = metric_named(profile, metric);
	return m == PH_NONE ? 0 : ph_profile_cell(profile, m, node, column, PH_COST_EXCLUSIVE);
}

/* Where what an activity took must be: the location of its launch, else the first of its rank. */
static uint32_t
home_of(const Program *program, const Known *known, const Seen *seen, uint32_t location)
{
	uint32_t first = program->source->model.rank_location[known->process];
	if (known->launch != PH_NONE)
		return seen[known->launch].location;
	return first == PH_NONE ? location : first;
}

static void
check_activity(const Program *program, const PhProfile *profile, const Seen *seen, uint32_t i)
{
	const Known *known = &program->spans[i];
	const Known *launch = known->launch == PH_NONE ? NULL : &program->spans[known->launch];
	int64_t start = known->span.start - program->first, end = known->span.end - program->first;
	int64_t ns = PH_MAX(PH_MIN(end, program->to) - PH_MAX(start, program->from), 0);
	bool begins = start >= program->from && start < program->to;
	bool counts = start < program->to && end >= program->from;
	bool is_below = launch != NULL && launch->span.start - program->first >= program->from &&
					launch->span.start - program->first < program->to;
	uint32_t node = node_of(profile, i), column = home_of(program, known, seen, seen[i].location);
	if (!counts && ns == 0)
	{
		assert_int_equal(node, PH_NONE);
		return;
	}
	assert_int_not_equal(node, PH_NONE);
	if (is_below)
		assert_int_equal(profile->parent[node], node_of(profile, known->launch));
	else
		assert_int_equal(profile->parent[node], PH_NONE);
	if (!begins) /* of an earlier one the launch may have been in a chunk before the window */
		return;
	assert_true(fabs(value_of(profile, "gpu time", node, column) - (double) ns * 1e-9) < 1e-15);
	assert_true(value_of(profile, "gpu kernels", node, column) == known->is_kernel);
	assert_true(value_of(profile, "gpu copy bytes", node, column) == (double) known->span.bytes);
	assert_true(value_of(profile, "time", node, column) == 0);
}

/* Host time is what it is without devices: of each call, without what calls in it take. */
static void
check_host_time(const Program *program, const PhProfile *profile)
{
	uint32_t metric = metric_named(profile, "time");
	double sum = 0, expected = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t column = 0; column < profile->n_columns; column++)
			sum += ph_profile_cell(profile, metric, node, column, PH_COST_EXCLUSIVE);
	for (uint32_t i = 0; i < program->n_locations; i++)
	{
		bool is_busy[2 * LATEST] = {false};
		for (uint32_t s = 0; s < program->n; s++)
			for (int64_t t = program->spans[s].span.start; t < program->spans[s].span.end; t++)
				is_busy[t] |= !program->spans[s].is_activity &&
							  program->spans[s].launch == i; /* its location, for now */
		for (uint32_t t = 0; t < 2 * LATEST; t++)
			expected += is_busy[t] && (int64_t) t - program->first >= program->from &&
						(int64_t) t - program->first < program->to;
	}
	assert_true(fabs(sum - expected * 1e-9) < 1e-12);
}

static bool
has_spans(const Program *program)
{
	for (uint32_t i = 0; i < program->n; i++)
	{
		int64_t start = program->spans[i].span.start - program->first;
		int64_t end = program->spans[i].span.end - program->first;
		if (start < program->to && end >= program->from && program->from < program->to)
			return true;
	}
	return false;
}

static void
check_tree(Program *program, const Seen *seen)
{
	PhProfile *profile = NULL;
	bool is_whole = numbers_below(&numbers, 2) == 0;
	program->from = is_whole ? INT64_MIN : numbers_below(&numbers, LATEST);
	program->to = is_whole ? INT64_MAX : program->from + numbers_below(&numbers, LATEST);
	PhStatus status = make_profile(&program->env, program, &profile);
	if (status == PH_ERR_VALUE) /* a profile has nodes */
	{
		assert_false(has_spans(program));
		return;
	}
	assert_int_equal(status, PH_OK);
	for (uint32_t i = 0; i < program->n; i++)
		if (program->spans[i].is_activity)
			check_activity(program, profile, seen, i);
	for (uint32_t i = 0; i < program->n; i++)
		if (!program->spans[i].is_activity)
			program->spans[i].launch = seen[i].location;
	check_host_time(program, profile);
	ph_profile_free(&program->env, profile);
}

static void
free_program(Program *program)
{
	for (uint32_t i = 0; i < program->n_locations; i++)
		stored_chunks_free(&program->stored[i]);
	program->source->free(&program->env, program->source);
}

static void
test_random_programs(void **state)
{
	(void) state;
	numbers.state = 7;
	for (uint32_t p = 0; p < N_PROGRAMS; p++)
	{
		static Program program;
		Seen seen[MOST_SPANS];
		ph_env_init_malloc(&program.env);
		make_spans(&program);
		make_waits(&program);
		assert_int_equal(make_source(&program.env, &program, &program.source), PH_OK);
		find_launches(&program);
		find_waits(&program);
		store_locations(&program);
		check_counts(&program);
		check_events(&program, seen);
		check_waits(&program, seen);
		check_links(&program, seen);
		check_tree(&program, seen);
		free_program(&program);
	}
}

/* ---- faults ---- */

static PhStatus
source_work(PhEnv *env, void *user)
{
	PhTraceSource *source;
	PhStatus status;
	numbers.state = 11;
	status = make_source(env, user, &source);
	if (status == PH_OK)
		source->free(env, source);
	return status;
}

static PhStatus
tree_work(PhEnv *env, void *user)
{
	PhProfile *profile = NULL;
	numbers.state = 12;
	PhStatus status = make_profile(env, user, &profile);
	if (status == PH_OK)
		ph_profile_free(env, profile);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	static Program program;
	ph_env_init_malloc(&program.env);
	numbers.state = 3;
	do
		make_spans(&program);
	while (program.n < MOST_SPANS / 2);
	make_waits(&program);
	assert_string_equal(fault_env_try_allocations(source_work, &program, 0), "");
	numbers.state = 11;
	assert_int_equal(make_source(&program.env, &program, &program.source), PH_OK);
	store_locations(&program);
	program.from = INT64_MIN;
	program.to = INT64_MAX;
	assert_string_equal(fault_env_try_allocations(tree_work, &program, 0), "");
	free_program(&program);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
