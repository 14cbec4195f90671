/*
 * thread_program.c - see thread_program.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/thread_program.h"

#include <string.h>

#define MOST_THREADS 4
#define WORLD 0 /* communicator; then two kinds of teams, and one in others, of each rank */

typedef struct Program
{
	CommTrace *trace;
	Random random;
	bool is_steady;
	const SlowThread *slow;
	uint32_t n_ranks, n_threads;
	int64_t clock[COMM_LOCATIONS];
	uint32_t n_taken[COMM_LOCATIONS][2]; /* by rank and lock: how often it was */
} Program;

static const struct
{
	const char *name, *paradigm, *role;
} regions[THREAD_REGIONS] = {
	{"main", "user", "function"},
	{"serial", "user", "function"},
	{"!$omp parallel", "openmp", "parallel"},
	{"work", "user", "function"},
	{"!$omp task", "openmp", "task"},
	{"!$omp barrier", "openmp", "barrier"},
	{"!$omp implicit barrier", "openmp", "implicit barrier"},
	{"!$omp critical", "openmp", "critical"},
	{"!$omp critical sblock", "openmp", "critical sblock"},
	{"MPI_Allreduce", "mpi", "coll all2all"},
};

/* What takes little time in a steady program takes 1 ns. */
static uint32_t
draw(Program *program, uint32_t below)
{
	return program->is_steady ? 1 : random_below(&program->random, below);
}

static bool
rarely(Program *program, uint32_t one_in)
{
	return !program->is_steady && random_below(&program->random, one_in) == 0;
}

/* ---- events ---- */

static PhEvent *
add_event(Program *program, uint32_t at, PhEventKind kind)
{
	CommTrace *trace = program->trace;
	uint32_t seq = trace->n_events[at]++;
	PhEvent *event = &trace->events[at][seq];
	*event = (PhEvent){.time = program->clock[at],
					   .kind = kind,
					   .region = PH_NONE,
					   .peer = PH_NONE,
					   .comm = PH_NONE,
					   .root = PH_NONE};
	trace->truth[at][seq] = (PhLink){PH_NONE, 0, 0};
	trace->instance[at][seq] = PH_NONE;
	return event;
}

static void
enter(Program *program, uint32_t at, ThreadRegion region)
{
	add_event(program, at, PH_EVENT_ENTER)->region = region;
}

static void
leave(Program *program, uint32_t at, ThreadRegion region)
{
	add_event(program, at, PH_EVENT_LEAVE)->region = region;
}

static void
add_record(Program *program, uint32_t at, PhOtherRecord record, uint32_t team)
{
	PhEvent *event = add_event(program, at, PH_EVENT_THREAD);
	event->operation = record;
	event->n_values = record == PH_RECORD_THREAD_FORK ? 2 : 1;
	event->values = &program->trace->values[team];
}

static void
work(Program *program, uint32_t at, ThreadRegion region, uint32_t most)
{
	const SlowThread *slow = program->slow;
	enter(program, at, region);
	program->clock[at] += program->is_steady ? (int64_t) most : 1 + draw(program, most);
	if (slow != NULL && at == slow->rank * program->n_threads + slow->thread &&
		region == slow->region)
		program->clock[at] += slow->extra;
	leave(program, at, region);
}

/* ---- locks ---- */

/* Paradigm, lock and order, for the records to point to; those without a paradigm begin behind it.
 */
static uint64_t *
lock_operands(uint32_t lock, uint32_t order)
{
	static uint64_t operands[2 * COMM_EVENTS][3];
	static uint32_t next;
	uint64_t *values = operands[next++ % (2 * COMM_EVENTS)];
	values[0] = 4;
	values[1] = lock;
	values[2] = order;
	return values;
}

static void
add_lock_record(Program *program, uint32_t at, bool acquires, bool is_old, uint64_t *values)
{
	PhEvent *event = add_event(program, at, PH_EVENT_THREAD);
	event->operation = acquires
						   ? (is_old ? PH_RECORD_OMP_ACQUIRE_LOCK : PH_RECORD_THREAD_ACQUIRE_LOCK)
						   : (is_old ? PH_RECORD_OMP_RELEASE_LOCK : PH_RECORD_THREAD_RELEASE_LOCK);
	event->values = is_old ? values + 1 : values;
	event->n_values = is_old ? 2 : 3;
}

/* Threads come, and take one of two locks (one of each paradigm) in the order in which they came.
 */
static void
take_turns(Program *program, uint32_t rank, uint32_t first, uint32_t n)
{
	bool done[MOST_THREADS] = {false}, in_call[MOST_THREADS];
	uint32_t lock = draw(program, 2);
	int64_t freed = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		in_call[i] = !rarely(program, 9);
		program->clock[first + i] += draw(program, 5);
		if (in_call[i])
			enter(program, first + i, THREAD_CRITICAL);
	}
	for (uint32_t turn = 0; turn < n; turn++)
	{
		uint32_t next = PH_NONE;
		for (uint32_t i = 0; i < n; i++)
			if (!done[i] &&
				(next == PH_NONE || program->clock[first + i] < program->clock[first + next]))
				next = i;
		uint32_t at = first + next;
		uint64_t *values = lock_operands(5, ++program->n_taken[rank][lock]);
		done[next] = true;
		program->clock[at] =
			(program->clock[at] > freed ? program->clock[at] : freed) + draw(program, 3);
		add_lock_record(program, at, true, lock == 1, values);
		work(program, at, THREAD_CRITICAL_BLOCK, 20);
		if (!rarely(program, 9))
			add_lock_record(program, at, false, lock == 1, values);
		freed = program->clock[at];
		program->clock[at] += draw(program, 3);
		if (in_call[next])
			leave(program, at, THREAD_CRITICAL);
	}
}

/* ---- teams ---- */

static int64_t
latest(const Program *program, uint32_t first, uint32_t n)
{
	int64_t time = INT64_MIN;
	for (uint32_t i = first; i < first + n; i++)
		time = program->clock[i] > time ? program->clock[i] : time;
	return time;
}

/* Threads arrive, some run tasks there, and nobody leaves before the last one had nothing to do. */
static void
meet(Program *program, uint32_t first, uint32_t n, ThreadRegion region)
{
	for (uint32_t i = first; i < first + n; i++)
	{
		enter(program, i, region);
		if (rarely(program, 4))
			program->clock[i] += draw(program, 5);
		if (rarely(program, 4))
			work(program, i, THREAD_TASK, 30);
	}
	int64_t last = latest(program, first, n);
	for (uint32_t i = first; i < first + n; i++)
	{
		program->clock[i] = last + draw(program, 4);
		leave(program, i, region);
	}
}

/* A team of one thread in another one. */
static void
work_alone(Program *program, uint32_t at, uint32_t team)
{
	add_record(program, at, PH_RECORD_THREAD_FORK, team);
	add_record(program, at, PH_RECORD_THREAD_TEAM_BEGIN, team);
	work(program, at, THREAD_WORK, 20);
	meet(program, at, 1, THREAD_IMPLICIT_BARRIER);
	add_record(program, at, PH_RECORD_THREAD_TEAM_END, team);
	add_record(program, at, PH_RECORD_THREAD_JOIN, team);
}

static void
begin_team(Program *program, uint32_t first, uint32_t n, uint32_t team, bool is_recorded)
{
	if (is_recorded)
		add_record(program, first, PH_RECORD_THREAD_FORK, team);
	int64_t forked = program->clock[first];
	for (uint32_t i = first; i < first + n; i++)
	{
		if (program->clock[i] < forked)
			program->clock[i] = forked;
		program->clock[i] += draw(program, 10);
		add_record(program, i, PH_RECORD_THREAD_TEAM_BEGIN, team);
		enter(program, i, THREAD_PARALLEL);
	}
}

static void
end_team(Program *program, uint32_t first, uint32_t n, uint32_t team, bool is_recorded)
{
	for (uint32_t i = first; i < first + n; i++)
	{
		program->clock[i] += draw(program, 3);
		leave(program, i, THREAD_PARALLEL);
		add_record(program, i, PH_RECORD_THREAD_TEAM_END, team);
	}
	int64_t last = latest(program, first, n);
	program->clock[first] = last + draw(program, 3);
	if (is_recorded)
		add_record(program, first, PH_RECORD_THREAD_JOIN, team);
}

static void
run_team(Program *program, uint32_t rank)
{
	uint32_t first = rank * program->n_threads, n = program->n_threads, kind = 1 + 3 * rank;
	bool forks = !rarely(program, 9), joins = !rarely(program, 9);
	if (n > 2 && rarely(program, 3))
	{
		n--;
		kind++;
	}
	begin_team(program, first, n, kind, forks);
	for (uint32_t k = 1 + draw(program, 3); k > 0; k--)
	{
		for (uint32_t i = first; i < first + n; i++)
		{
			work(program, i, THREAD_WORK, 50);
			if (forks && rarely(program, 5))
				work_alone(program, i, 3 + 3 * rank);
		}
		if (program->is_steady || rarely(program, 3))
			take_turns(program, rank, first, n);
		if (!rarely(program, 5))
			meet(program, first, n, k > 1 ? THREAD_BARRIER : THREAD_IMPLICIT_BARRIER);
	}
	end_team(program, first, n, kind, joins);
}

/* ---- the program ---- */

static void
add_up(Program *program)
{
	int64_t last = INT64_MIN;
	for (uint32_t r = 0; r < program->n_ranks; r++)
	{
		int64_t clock = program->clock[r * program->n_threads];
		last = clock > last ? clock : last;
	}
	for (uint32_t r = 0; r < program->n_ranks; r++)
	{
		uint32_t at = r * program->n_threads;
		enter(program, at, THREAD_COLLECTIVE);
		add_event(program, at, PH_EVENT_COLLECTIVE_BEGIN);
		if (rarely(program, 8))
			run_team(program, r);
		program->clock[at] = last >= program->clock[at] ? last + 1 : program->clock[at];
		PhEvent *end = add_event(program, at, PH_EVENT_COLLECTIVE_END);
		end->operation = PH_COLLECTIVE_ALLREDUCE;
		end->comm = WORLD;
		leave(program, at, THREAD_COLLECTIVE);
	}
}

static void
define(Program *program)
{
	static PhTraceRegion defined[THREAD_REGIONS];
	CommTrace *trace = program->trace;
	PhTraceModel *model = &trace->model;
	memset(trace->n_events, 0, sizeof(trace->n_events));
	static uint32_t rank_location[COMM_LOCATIONS];
	for (uint32_t r = 0; r < program->n_ranks; r++)
		rank_location[r] = r * program->n_threads;
	for (uint32_t i = 0; i < THREAD_REGIONS; i++)
		defined[i] = (PhTraceRegion){.name = regions[i].name,
									 .file = "",
									 .library = "",
									 .paradigm = regions[i].paradigm,
									 .role = regions[i].role};
	*model = (PhTraceModel){.n_locations = program->n_ranks * program->n_threads,
							.n_regions = THREAD_REGIONS,
							.n_communicators = 1 + 3 * program->n_ranks,
							.n_ranks = program->n_ranks,
							.locations = trace->locations,
							.regions = defined,
							.communicators = trace->communicators,
							.rank_location = rank_location};
	for (uint32_t i = 0; i < model->n_locations; i++)
		trace->locations[i] = (PhTraceLocation){.rank = (int32_t) (i / program->n_threads),
												.thread = (int32_t) (i % program->n_threads),
												.name = "",
												.host = ""};
	for (uint32_t i = 0; i < model->n_communicators; i++)
	{
		trace->communicators[i] = (PhTraceCommunicator){
			.name = "", .parent = PH_NONE, .is_mpi = i == WORLD, .members = trace->members[i]};
		trace->values[i] = i;
	}
	trace->communicators[WORLD].n_members = program->n_ranks;
	for (uint32_t r = 0; r < program->n_ranks; r++)
		trace->members[WORLD][r] = r;
}

static void
run_program(Program *program, uint32_t n_steps)
{
	define(program);
	for (uint32_t i = 0; i < program->trace->model.n_locations; i++)
		program->clock[i] = draw(program, 20);
	for (uint32_t r = 0; r < program->n_ranks; r++)
		enter(program, r * program->n_threads, THREAD_MAIN);
	for (uint32_t i = 0; i < n_steps; i++)
	{
		for (uint32_t r = 0; r < program->n_ranks; r++)
		{
			work(program, r * program->n_threads, THREAD_SERIAL, 40);
			run_team(program, r);
		}
		if (program->is_steady || rarely(program, 2))
			add_up(program);
	}
	for (uint32_t r = 0; r < program->n_ranks; r++)
		leave(program, r * program->n_threads, THREAD_MAIN);
}

void
thread_random(uint64_t seed, CommTrace *out)
{
	Program program = {.trace = out, .random = {seed * 7919 + 1}};
	program.n_ranks = 1 + draw(&program, 3);
	program.n_threads = 2 + draw(&program, MOST_THREADS - 1);
	run_program(&program, 1 + draw(&program, 14));
	if (rarely(&program, 4))
	{
		uint32_t at = draw(&program, out->model.n_locations);
		out->n_events[at] = draw(&program, out->n_events[at] + 1);
	}
}

void
thread_steady(uint32_t n_ranks, uint32_t n_threads, uint32_t n_steps, const SlowThread *slow,
			  CommTrace *out)
{
	Program program = {
		.trace = out, .is_steady = true, .slow = slow, .n_ranks = n_ranks, .n_threads = n_threads};
	run_program(&program, n_steps);
}
