/*
 * test_trace_teams.c - call trees of random programs that fork threads: workers' calls hang below
 * the fork of their team's master, whatever the order of locations, trees and windows; faults.
 *
 * The reference knows each call's path because it makes the program run: a thread that forks hands
 * its own path to its workers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/slow_calls.h"
#include "trace/tree/internal.h"

#define N_PROGRAMS rounds(3000)
#define N_REGIONS 4
#define MOST_THREADS 6
#define MOST_TEAMS 5
#define MOST_EVENTS 4000
#define MOST_PATHS 4000
#define MOST_DEPTH 60
#define N_TREES 3
#define NOBODY_FORKS 100 /* a communicator of which no master is known */

static RandomNumbers numbers;

typedef struct Team
{
	uint32_t master, n_workers, workers[MOST_THREADS];
} Team;

typedef struct Thread
{
	RandomStream stream;
	int64_t time;
	bool is_busy;
	uint32_t depth, paths[MOST_DEPTH]; /* of its open calls */
	uint32_t hung_depth, hung_below;   /* PH_NONE: it is no worker */
	uint32_t n_calls;
	uint32_t *path_of; /* by call in order of entering */
	StoredChunks stored;
} Thread;

typedef struct Program
{
	PhEnv env;
	uint32_t n_threads, n_teams, budget;
	bool may_have_orphans, has_orphans; /* teams that nobody forked */
	Team teams[MOST_TEAMS];
	Thread threads[MOST_THREADS]; /* masters come before their workers */
	uint32_t n_paths;
	struct
	{
		uint32_t parent, region;
	} paths[MOST_PATHS];
	SlowWindow window;
	PhTraceLocation locations[MOST_THREADS];
	PhTraceModel model;
} Program;

/* ---- programs ---- */

static uint32_t
path_below(Program *program, uint32_t parent, uint32_t region)
{
	uint32_t i = 0;
	while (i < program->n_paths &&
		   (program->paths[i].parent != parent || program->paths[i].region != region))
		i++;
	assert_true(i < MOST_PATHS);
	program->paths[i].parent = parent;
	program->paths[i].region = region;
	program->n_paths += i == program->n_paths;
	return i;
}

static void
add_event(Program *program, Thread *thread, PhEventKind kind, uint32_t operation, uint64_t value)
{
	RandomStream *stream = &thread->stream;
	assert_true(stream->n_events < MOST_EVENTS);
	PhEvent *event = &stream->events[stream->n_events++];
	thread->time += numbers_below(&numbers, 3) == 0 ? 0 : numbers_below(&numbers, 100);
	*event = (PhEvent){.time = thread->time,
					   .kind = kind,
					   .region = kind == PH_EVENT_ENTER ? operation : PH_NONE,
					   .peer = PH_NONE,
					   .comm = PH_NONE,
					   .root = PH_NONE,
					   .operation = kind == PH_EVENT_ENTER ? 0 : operation,
					   .values = stream->values + stream->n_values};
	if (kind == PH_EVENT_LEAVE)
		event->region = program->paths[thread->paths[thread->depth]].region;
	if (kind != PH_EVENT_THREAD || operation == PH_RECORD_THREAD_JOIN)
		return;
	event->n_values = 1;
	stream->values[stream->n_values++] = value;
}

static void
enter(Program *program, Thread *thread)
{
	uint32_t region = numbers_below(&numbers, N_REGIONS);
	uint32_t parent = thread->depth == 0 ? PH_NONE : thread->paths[thread->depth - 1];
	if (thread->hung_depth == thread->depth)
		parent = thread->hung_below;
	uint32_t path = path_below(program, parent, region);
	add_event(program, thread, PH_EVENT_ENTER, region, 0);
	thread->paths[thread->depth++] = path;
	thread->path_of[thread->n_calls++] = path;
}

static void
leave(Program *program, Thread *thread)
{
	thread->depth--;
	add_event(program, thread, PH_EVENT_LEAVE, PH_NONE, 0);
}

static void run_block(Program *program, uint32_t number, uint32_t nesting);

static void
run_worker(Program *program, uint32_t number, uint64_t team, uint32_t below, uint32_t nesting)
{
	Thread *worker = &program->threads[number];
	uint32_t hung_depth = worker->hung_depth, hung_below = worker->hung_below;
	bool was_busy = worker->is_busy;
	add_event(program, worker, PH_EVENT_THREAD, PH_RECORD_THREAD_TEAM_BEGIN, team);
	worker->is_busy = true;
	if (team != NOBODY_FORKS)
	{
		worker->hung_depth = worker->depth;
		worker->hung_below = below;
	}
	run_block(program, number, nesting + 1);
	add_event(program, worker, PH_EVENT_THREAD, PH_RECORD_THREAD_TEAM_END, team);
	worker->hung_depth = hung_depth;
	worker->hung_below = hung_below;
	worker->is_busy = was_busy;
}

static void
run_team(Program *program, uint32_t number, uint32_t nesting)
{
	const Team *team = &program->teams[number];
	Thread *master = &program->threads[team->master];
	bool is_first = numbers_below(&numbers, 2) == 0;
	uint32_t below = master->depth == 0 ? PH_NONE : master->paths[master->depth - 1];
	if (master->depth == master->hung_depth)
		below = master->hung_below;
	for (uint32_t i = 0; i < team->n_workers; i++)
		if (program->threads[team->workers[i]].is_busy)
			return;
	add_event(program, master, PH_EVENT_THREAD, PH_RECORD_THREAD_FORK, team->n_workers + 1);
	if (is_first)
		add_event(program, master, PH_EVENT_THREAD, PH_RECORD_THREAD_TEAM_BEGIN, number);
	for (uint32_t i = 0; i < team->n_workers; i++)
	{
		Thread *worker = &program->threads[team->workers[i]];
		worker->time = worker->time > master->time ? worker->time : master->time;
		run_worker(program, team->workers[i], number, below, nesting);
	}
	/* which takes its time */
	master->time += is_first ? 0 : numbers_below(&numbers, 1000);
	if (!is_first)
		add_event(program, master, PH_EVENT_THREAD, PH_RECORD_THREAD_TEAM_BEGIN, number);
	run_block(program, team->master, nesting + 1);
	add_event(program, master, PH_EVENT_THREAD, PH_RECORD_THREAD_TEAM_END, number);
	add_event(program, master, PH_EVENT_THREAD, PH_RECORD_THREAD_JOIN, 0);
}

/* Calls, forks and other things; now and then calls are left open, as in a trace cut off. */
static void
run_block(Program *program, uint32_t number, uint32_t nesting)
{
	Thread *thread = &program->threads[number];
	uint32_t begin = thread->depth, n = numbers_below(&numbers, nesting == 0 ? 60 : 8);
	bool was_busy = thread->is_busy;
	thread->is_busy = true;
	for (uint32_t i = 0; i < n && program->budget > 0; i++)
	{
		uint32_t what = numbers_below(&numbers, 10);
		program->budget--;
		if (what < 4 && thread->depth < MOST_DEPTH / 2)
			enter(program, thread);
		else if (what < 8 && thread->depth > begin)
			leave(program, thread);
		else if (what == 8)
			add_event(program, thread, PH_EVENT_METRIC, 0, 0);
		else if (program->may_have_orphans && numbers_below(&numbers, 8) == 0 && nesting < 5)
		{
			program->has_orphans = true;
			run_worker(program, number, NOBODY_FORKS, 0, nesting);
		}
		else if (program->n_teams > 0 && nesting < 5)
		{
			uint32_t team = numbers_below(&numbers, program->n_teams);
			if (program->teams[team].master == number)
				run_team(program, team, nesting);
		}
	}
	while (thread->depth > begin && numbers_below(&numbers, 20) > 0)
		leave(program, thread);
	thread->is_busy = was_busy;
}

static void
make_teams(Program *program)
{
	program->n_teams = program->n_threads == 1 ? 0 : numbers_below(&numbers, MOST_TEAMS + 1);
	for (uint32_t i = 0; i < program->n_teams; i++)
	{
		Team *team = &program->teams[i];
		team->master = numbers_below(&numbers, program->n_threads - 1);
		for (uint32_t j = team->master + 1; j < program->n_threads; j++)
			if (numbers_below(&numbers, 2) == 0)
				team->workers[team->n_workers++] = j;
	}
}

static void
write_chunks(Program *program, const uint32_t *location_of)
{
	for (uint32_t i = 0; i < program->n_threads; i++)
	{
		program->locations[i] = (PhTraceLocation){.rank = 0, .thread = (int32_t) i};
		assert_int_equal(stored_chunks_write(&program->env, &program->threads[i].stream,
											 location_of[i], 1 + numbers_below(&numbers, 30),
											 &program->threads[i].stored),
						 PH_OK);
	}
	program->model =
		(PhTraceModel){.n_locations = program->n_threads, .locations = program->locations};
}

static void
shuffle(uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t j = numbers_below(&numbers, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
}

static Program *
make_program(uint32_t *location_of)
{
	Program *program = calloc(1, sizeof(*program));
	ph_env_init_malloc(&program->env);
	program->n_threads = 2 + numbers_below(&numbers, MOST_THREADS - 1);
	program->budget = 300;
	program->may_have_orphans = numbers_below(&numbers, 2) == 0;
	for (uint32_t i = 0; i < program->n_threads; i++)
	{
		Thread *thread = &program->threads[i];
		thread->stream.events = calloc(MOST_EVENTS, sizeof(PhEvent));
		thread->stream.values = calloc(MOST_EVENTS, sizeof(uint64_t));
		thread->path_of = calloc(MOST_EVENTS, sizeof(uint32_t));
		thread->hung_depth = thread->hung_below = PH_NONE;
	}
	make_teams(program);
	for (uint32_t i = 0; i < 3 || program->threads[0].stream.n_events == 0; i++)
	{
		uint32_t number = i == 0 ? 0 : numbers_below(&numbers, program->n_threads);
		program->budget += 10;
		run_block(program, number, 0);
	}
	program->window = random_window(&numbers, &program->threads[0].stream);
	shuffle(location_of, program->n_threads);
	write_chunks(program, location_of);
	return program;
}

static void
free_program(Program *program)
{
	for (uint32_t i = 0; i < program->n_threads; i++)
	{
		stored_chunks_free(&program->threads[i].stored);
		random_stream_free(&program->threads[i].stream);
		free(program->threads[i].path_of);
	}
	assert_int_equal(program->env.bytes, 0);
	free(program);
}

/* ---- trees ---- */

static PhStatus
add_thread(PhTraceTree *tree, const Program *program, uint32_t number, PhChunkReader *reader)
{
	const StoredChunks *stored = &program->threads[number].stored;
	int64_t from = program->window.from, to = program->window.to;
	ph_trace_tree_feed(tree, &from, &to);
	for (uint32_t i = 0; i < stored->n_chunks; i++)
	{
		const PhChunk *chunk = &stored->chunks[i];
		if (chunk->t_last < from || chunk->t_prev >= to)
			continue;
		PH_TRY(ph_chunk_reader_open(reader, chunk, ph_trace_tree_wants(tree)));
		PH_TRY(
			ph_trace_tree_add_chunk(tree, chunk, reader, program->window.from, program->window.to));
	}
	return PH_OK;
}

static uint32_t
find_path(const Program *program, const PhTraceTree *tree, uint32_t node)
{
	uint32_t nodes[2 * MOST_DEPTH * MOST_THREADS], depth = 0, path = PH_NONE;
	for (; node != PH_NONE; node = ph_trace_tree_parent(tree, node))
		nodes[depth++] = node;
	while (depth-- > 0)
	{
		uint32_t i = 0, region = ph_trace_tree_region(tree, nodes[depth]);
		while (i < program->n_paths &&
			   (program->paths[i].parent != path || program->paths[i].region != region))
			i++;
		assert_true(i < program->n_paths);
		path = i;
	}
	return path;
}

static void
check_thread(const Program *program, uint32_t number, uint32_t location, const PhTraceTree *tree,
			 const PhTreeCell *cells, size_t n_cells)
{
	uint32_t n;
	const Thread *thread = &program->threads[number];
	SlowCall *calls = slow_calls(&thread->stream, &n);
	PhTreeCell *expected = calloc(program->n_paths + 1, sizeof(PhTreeCell));
	assert_int_equal(n, thread->n_calls);
	for (uint32_t i = 0; i < n; i++)
	{
		PhTreeCell *cell = &expected[thread->path_of[i]];
		if (!slow_is_in(&calls[i], program->window))
			continue;
		cell->visits++;
		cell->exclusive += slow_exclusive(calls, n, i, program->window);
	}
	for (size_t i = 0; i < n_cells; i++)
		if (cells[i].location == location)
		{
			PhTreeCell *cell = &expected[find_path(program, tree, cells[i].node)];
			assert_true(cells[i].visits > 0);
			assert_int_equal(cells[i].visits, cell->visits);
			assert_int_equal(cells[i].exclusive, cell->exclusive);
			cell->visits = 0;
		}
	for (uint32_t i = 0; i < program->n_paths; i++)
		assert_int_equal(expected[i].visits, 0);
	free(expected);
	free(calls);
}

/* Nodes are there for their cells, or for those below. */
static void
check_nodes(const PhTraceTree *tree, const PhTreeCell *cells, size_t n_cells)
{
	uint32_t n = ph_trace_tree_n_nodes(tree);
	bool *is_needed = calloc((size_t) n + 1, sizeof(bool));
	for (size_t i = 0; i < n_cells; i++)
		is_needed[cells[i].node] = true;
	for (uint32_t node = n; node-- > 0;)
	{
		uint32_t parent = ph_trace_tree_parent(tree, node);
		assert_true(is_needed[node]);
		assert_true(parent == PH_NONE || parent < node);
		if (parent != PH_NONE)
			is_needed[parent] = true;
	}
	free(is_needed);
}

static void
check_tree(const Program *program, const uint32_t *location_of, PhTraceTree *tree)
{
	const PhTreeCell *cells;
	size_t n;
	assert_int_equal(ph_trace_tree_settle(tree), PH_OK);
	assert_int_equal(tree->teams.n_waiting, 0);
	assert_int_equal(ph_trace_tree_cells(tree, &cells, &n), PH_OK);
	check_nodes(tree, cells, n);
	for (uint32_t i = 0; i < program->n_threads; i++)
		check_thread(program, i, location_of[i], tree, cells, n);
}

static void
check_any_order(Program *program, const uint32_t *location_of, uint32_t n_trees)
{
	uint32_t order[MOST_THREADS];
	PhTraceTree *trees[N_TREES];
	PhChunkReader *reader;
	assert_int_equal(ph_chunk_reader_new(&program->env, &reader), PH_OK);
	for (uint32_t i = 0; i < n_trees; i++)
		assert_int_equal(ph_trace_tree_new(&program->env, &program->model, &trees[i]), PH_OK);
	shuffle(order, program->n_threads);
	for (uint32_t i = 0; i < program->n_threads; i++)
		assert_int_equal(
			add_thread(trees[numbers_below(&numbers, n_trees)], program, order[i], reader), PH_OK);
	for (uint32_t i = n_trees; i-- > 1;)
		assert_int_equal(ph_trace_tree_merge(trees[i - 1], trees[i]), PH_OK);
	check_tree(program, location_of, trees[0]);
	for (uint32_t i = 0; i < n_trees; i++)
		ph_trace_tree_free(trees[i]);
	ph_chunk_reader_free(reader);
}

/* Masters first: nothing is kept but for forks that are nowhere. */
static void
check_masters_first(Program *program, const uint32_t *location_of)
{
	PhTraceTree *tree;
	PhChunkReader *reader;
	assert_int_equal(ph_chunk_reader_new(&program->env, &reader), PH_OK);
	assert_int_equal(ph_trace_tree_new(&program->env, &program->model, &tree), PH_OK);
	for (uint32_t i = 0; i < program->n_threads; i++)
		assert_int_equal(add_thread(tree, program, i, reader), PH_OK);
	assert_true(program->has_orphans || tree->teams.n_waiting == 0);
	check_tree(program, location_of, tree);
	ph_trace_tree_free(tree);
	ph_chunk_reader_free(reader);
}

static void
test_random_programs(void **state)
{
	(void) state;
	numbers.state = 21;
	for (uint32_t i = 0; i < N_PROGRAMS; i++)
	{
		uint32_t location_of[MOST_THREADS];
		Program *program = make_program(location_of);
		check_any_order(program, location_of, 1 + numbers_below(&numbers, N_TREES));
		program->window = (SlowWindow){INT64_MIN, INT64_MAX};
		check_any_order(program, location_of, 2);
		check_masters_first(program, location_of);
		free_program(program);
	}
}

/* ---- many forks ---- */

/* A master that forks a million times from two calls in turn; its worker keeps nothing. */
static void
test_memory_of_forks(void **state)
{
	(void) state;
	PhEnv env;
	PhTraceTree *tree;
	const uint32_t n = 1000000;
	PhTraceLocation locations[2] = {{.rank = 0, .thread = 0}, {.rank = 0, .thread = 1}};
	PhTraceModel model = {.n_locations = 2, .locations = locations};
	PhTeamThread *threads[2];
	ph_env_init_malloc(&env);
	assert_int_equal(ph_trace_tree_new(&env, &model, &tree), PH_OK);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(ph_teams_thread(tree, i, &threads[i]), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		assert_int_equal(ph_teams_path(tree, PH_FORK_ROOT, i % 2, &threads[0]->pending_fork),
						 PH_OK);
		assert_int_equal(ph_teams_begin(tree, threads[0], 7, 1), PH_OK);
		assert_int_equal(ph_teams_end(tree, threads[0], 7), PH_OK);
	}
	assert_true(env.bytes < 2 * n + 100000);
	for (uint32_t i = 0; i < n; i++)
	{
		assert_int_equal(ph_teams_begin(tree, threads[1], 7, 0), PH_OK);
		assert_int_equal(tree->teams.paths.region[threads[1]->open[0].fork], i % 2);
		assert_int_equal(ph_teams_end(tree, threads[1], 7), PH_OK);
	}
	assert_true(env.bytes < 2 * n + 100000);
	ph_trace_tree_free(tree);
	assert_int_equal(env.bytes, 0);
}

/* Two locations say that they are the master: whoever followed the second follows nobody. */
static void
test_two_masters(void **state)
{
	(void) state;
	PhEnv env;
	PhTraceTree *tree;
	PhTeamThread *threads[3];
	ph_env_init_malloc(&env);
	assert_int_equal(ph_trace_tree_new(&env, NULL, &tree), PH_OK);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(ph_teams_thread(tree, i, &threads[i]), PH_OK);
	for (uint32_t i = 0; i < 20; i++)
	{
		assert_int_equal(ph_teams_path(tree, PH_FORK_ROOT, 200 + i, &threads[2]->pending_fork),
						 PH_OK);
		assert_int_equal(ph_teams_begin(tree, threads[2], 7, 0), PH_OK);
		assert_int_equal(ph_teams_begin(tree, threads[1], 7, 0), PH_OK);
		assert_int_equal(tree->teams.paths.region[threads[1]->open[0].fork], 200 + i);
		assert_int_equal(ph_teams_end(tree, threads[1], 7), PH_OK);
	}
	for (uint32_t i = 0; i < 40; i++)
	{
		assert_int_equal(ph_teams_path(tree, PH_FORK_ROOT, 5, &threads[0]->pending_fork), PH_OK);
		assert_int_equal(ph_teams_begin(tree, threads[0], 7, 0), PH_OK);
	}
	assert_int_equal(ph_teams_begin(tree, threads[1], 7, 0), PH_OK);
	assert_int_equal(threads[1]->open[0].fork, PH_NONE);
	ph_trace_tree_free(tree);
	assert_int_equal(env.bytes, 0);
}

/* ---- faults ---- */

static PhStatus
add_all(PhTraceTree *trees[2], const Program *program, PhChunkReader *reader)
{
	for (uint32_t i = program->n_threads; i-- > 0;)
		PH_TRY(add_thread(trees[i % 2], program, i, reader));
	PH_TRY(ph_trace_tree_merge(trees[0], trees[1]));
	return ph_trace_tree_settle(trees[0]);
}

static PhStatus
tree_work(PhEnv *env, void *user)
{
	PhChunkReader *reader = NULL;
	PhTraceTree *trees[2] = {NULL, NULL};
	const Program *program = user;
	PhStatus status = ph_chunk_reader_new(env, &reader);
	for (int i = 0; i < 2 && status == PH_OK; i++)
		status = ph_trace_tree_new(env, &program->model, &trees[i]);
	if (status == PH_OK)
		status = add_all(trees, program, reader);
	ph_trace_tree_free(trees[0]);
	ph_trace_tree_free(trees[1]);
	ph_chunk_reader_free(reader);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	uint32_t location_of[MOST_THREADS];
	numbers.state = 22;
	for (int i = 0; i < 5; i++)
	{
		Program *program = make_program(location_of);
		program->window = (SlowWindow){INT64_MIN, INT64_MAX};
		assert_string_equal(fault_env_try_allocations(tree_work, program, 0), "");
		free_program(program);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_memory_of_forks),
		cmocka_unit_test(test_two_masters),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
