/*
 * window_program.c - see window_program.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/window_program.h"

#include <string.h>

#define N_GROUPS 10
#define MOST_VALUES 30000

/* What starting and completing wait for the post. */
typedef enum Library
{
	STARTING_WAITS,
	COMPLETING_WAITS,
	NOBODY_WAITS
} Library;

typedef struct Program
{
	CommTrace *trace;
	Random random;
	bool is_steady;
	const SlowWindow *slow;
	uint32_t n_ranks;
	int64_t clock[COMM_LOCATIONS];
	uint32_t n_values;
} Program;

static const char *const names[WINDOW_REGIONS] = {
	"main",			 "work",		 "held",		   "MPI_Win_create", "MPI_Win_free",
	"MPI_Win_fence", "MPI_Win_post", "MPI_Win_start",  "MPI_Put",		 "MPI_Win_complete",
	"MPI_Win_wait",	 "MPI_Win_lock", "MPI_Win_unlock", "MPI_Allreduce"};

static uint64_t values[MOST_VALUES];

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
enter(Program *program, uint32_t at, WindowRegion region)
{
	program->clock[at] += draw(program, 3);
	add_event(program, at, PH_EVENT_ENTER)->region = region;
}

static void
leave(Program *program, uint32_t at, WindowRegion region)
{
	program->clock[at] += draw(program, 3);
	add_event(program, at, PH_EVENT_LEAVE)->region = region;
}

static PhEvent *
add_record(Program *program, uint32_t at, PhOtherRecord record, uint32_t window, uint64_t first,
		   uint64_t second, uint64_t third)
{
	PhEvent *event = add_event(program, at, PH_EVENT_RMA);
	uint64_t *operands = &values[program->n_values];
	program->n_values = (program->n_values + 3) % (MOST_VALUES - 3);
	operands[0] = first;
	operands[1] = second;
	operands[2] = third;
	event->operation = record;
	event->comm = window;
	event->values = operands;
	event->n_values = 3;
	return event;
}

static void
work(Program *program, uint32_t at, WindowRegion region, uint32_t most)
{
	const SlowWindow *slow = program->slow;
	enter(program, at, region);
	program->clock[at] += program->is_steady ? (int64_t) most : 1 + draw(program, most);
	if (slow != NULL && at == slow->rank && region == slow->region)
		program->clock[at] += slow->extra;
	leave(program, at, region);
}

static void
put(Program *program, uint32_t at, uint32_t window, uint32_t target)
{
	enter(program, at, WINDOW_PUT);
	PhEvent *event = add_record(program, at, PH_RECORD_RMA_PUT, window, 0, 0, 0);
	event->peer = target;
	event->bytes = 64;
	event->n_values = 0;
	leave(program, at, WINDOW_PUT);
}

/* ---- collectives ---- */

static const PhTraceCommunicator *
members_of(const Program *program, uint32_t comm)
{
	return &program->trace->communicators[comm];
}

static int64_t
latest(const Program *program, uint32_t comm)
{
	int64_t time = INT64_MIN;
	for (uint32_t i = 0; i < members_of(program, comm)->n_members; i++)
	{
		int64_t clock = program->clock[members_of(program, comm)->members[i]];
		time = clock > time ? clock : time;
	}
	return time;
}

static void
wait_until(Program *program, uint32_t at, int64_t time)
{
	if (program->clock[at] < time)
		program->clock[at] = time;
}

/* Of a window, or of processes (WINDOW_COLLECTIVE). */
static void
meet(Program *program, uint32_t comm, WindowRegion region)
{
	const PhTraceCommunicator *members = members_of(program, comm);
	bool is_of_window = region != WINDOW_COLLECTIVE;
	for (uint32_t i = 0; i < members->n_members; i++)
	{
		uint32_t at = members->members[i];
		enter(program, at, region);
		if (is_of_window)
			add_record(program, at, PH_RECORD_RMA_COLLECTIVE_BEGIN, PH_NONE, 0, 0, 0);
		else
			add_event(program, at, PH_EVENT_COLLECTIVE_BEGIN);
	}
	int64_t last = latest(program, comm);
	for (uint32_t i = 0; i < members->n_members; i++)
	{
		uint32_t at = members->members[i];
		wait_until(program, at, last);
		program->clock[at] += draw(program, 3);
		if (is_of_window)
			(void) add_record(program, at, PH_RECORD_RMA_COLLECTIVE_END, comm,
							  region == WINDOW_FENCE ? PH_COLLECTIVE_BARRIER
													 : PH_COLLECTIVE_CREATE_HANDLE,
							  1, PH_NONE);
		else
		{
			PhEvent *end = add_event(program, at, PH_EVENT_COLLECTIVE_END);
			end->operation = PH_COLLECTIVE_ALLREDUCE;
			end->comm = comm;
		}
		leave(program, at, region);
	}
}

/* ---- epochs ---- */

static void
add_epoch(Program *program, uint32_t at, uint32_t window, uint32_t group)
{
	if (!rarely(program, 40))
		add_record(program, at, PH_RECORD_RMA_GROUP_SYNC, window, 1, 7, group)->n_values =
			rarely(program, 40) ? 2 : 3;
}

/* Those of a group post; when each did. */
static void
post_all(Program *program, uint32_t window, uint32_t group, uint32_t origins, int64_t *posted)
{
	for (uint32_t i = 0; i < members_of(program, group)->n_members; i++)
	{
		uint32_t at = members_of(program, group)->members[i];
		enter(program, at, WINDOW_POST);
		posted[at] = program->clock[at];
		add_epoch(program, at, window, origins);
		leave(program, at, WINDOW_POST);
	}
}

static int64_t
last_of(const Program *program, uint32_t group, const int64_t *times)
{
	int64_t last = INT64_MIN;
	for (uint32_t i = 0; i < members_of(program, group)->n_members; i++)
	{
		int64_t time = times[members_of(program, group)->members[i]];
		last = time > last ? time : last;
	}
	return last;
}

/* A rank starts, accesses all of a group, and completes; returns when it entered that. */
static int64_t
access_all(Program *program, uint32_t at, uint32_t window, uint32_t targets, int64_t posted,
		   Library library)
{
	enter(program, at, WINDOW_START);
	if (library == STARTING_WAITS)
		wait_until(program, at, posted);
	add_epoch(program, at, window, targets);
	leave(program, at, WINDOW_START);
	for (uint32_t i = 0; i < members_of(program, targets)->n_members; i++)
		put(program, at, window, members_of(program, targets)->members[i]);
	if (rarely(program, 3))
		work(program, at, WINDOW_WORK, 30);
	enter(program, at, WINDOW_COMPLETE);
	int64_t entered = program->clock[at];
	if (library == COMPLETING_WAITS)
		wait_until(program, at, posted);
	add_epoch(program, at, window, targets);
	leave(program, at, WINDOW_COMPLETE);
	return entered;
}

static void
wait_for_all(Program *program, uint32_t at, uint32_t window, uint32_t origins, int64_t completed)
{
	enter(program, at, WINDOW_WAIT);
	wait_until(program, at, completed);
	add_epoch(program, at, window, origins);
	leave(program, at, WINDOW_WAIT);
}

/* One group lets another one access its memory. */
static void
run_epoch(Program *program, uint32_t window, uint32_t origins, uint32_t targets)
{
	int64_t posted[COMM_LOCATIONS], completed[COMM_LOCATIONS];
	Library library = (Library) draw(program, 3);
	post_all(program, window, targets, origins, posted);
	for (uint32_t i = 0; i < members_of(program, origins)->n_members; i++)
	{
		uint32_t at = members_of(program, origins)->members[i];
		completed[at] =
			access_all(program, at, window, targets, last_of(program, targets, posted), library);
	}
	for (uint32_t i = 0; i < members_of(program, targets)->n_members; i++)
		wait_for_all(program, members_of(program, targets)->members[i], window, origins,
					 last_of(program, origins, completed));
}

/* ---- locks ---- */

static void
hold_lock(Program *program, uint32_t at, uint32_t target, bool is_shared, int64_t freed)
{
	enter(program, at, WINDOW_LOCK);
	if (rarely(program, 3))
		add_record(program, at, PH_RECORD_RMA_REQUEST_LOCK, WINDOW_FIRST, 0, is_shared, 0)->peer =
			target;
	if (!rarely(program, 8)) /* else it is taken when it is used */
		wait_until(program, at, freed);
	add_record(program, at, PH_RECORD_RMA_ACQUIRE_LOCK, WINDOW_FIRST, 0, is_shared, 0)->peer =
		target;
	leave(program, at, WINDOW_LOCK);
	put(program, at, WINDOW_FIRST, target);
	work(program, at, WINDOW_HELD, 20);
	enter(program, at, WINDOW_UNLOCK);
	if (!rarely(program, 30))
	{
		PhEvent *back = add_record(program, at, PH_RECORD_RMA_RELEASE_LOCK, WINDOW_FIRST, 0, 0, 0);
		back->peer = target;
		back->n_values = 1;
	}
	leave(program, at, WINDOW_UNLOCK);
}

/* Ranks want the lock of one of them, and get it in the order in which they came. */
static void
take_turns(Program *program)
{
	uint32_t target = program->is_steady ? 0 : draw(program, program->n_ranks);
	bool done[COMM_LOCATIONS] = {false};
	int64_t freed = INT64_MIN, freed_alone = INT64_MIN;
	for (uint32_t turn = 0; turn < program->n_ranks; turn++)
	{
		uint32_t next = PH_NONE;
		for (uint32_t at = 0; at < program->n_ranks; at++)
			if (!done[at] && (next == PH_NONE || program->clock[at] < program->clock[next]))
				next = at;
		done[next] = true;
		bool is_shared = rarely(program, 3);
		if (rarely(program, 4))
			continue;
		hold_lock(program, next, target, is_shared, is_shared ? freed_alone : freed);
		if (program->clock[next] > freed)
			freed = program->clock[next];
		if (!is_shared && program->clock[next] > freed_alone)
			freed_alone = program->clock[next];
	}
}

/* ---- programs ---- */

static void
define_communicator(Program *program, uint32_t comm, uint32_t parent, bool is_mpi)
{
	program->trace->communicators[comm] = (PhTraceCommunicator){
		.name = "", .parent = parent, .is_mpi = is_mpi, .members = program->trace->members[comm]};
}

static void
add_member(Program *program, uint32_t comm, uint32_t rank)
{
	PhTraceCommunicator *to = &program->trace->communicators[comm];
	program->trace->members[comm][to->n_members++] = rank;
}

static void
define_communicators(Program *program)
{
	define_communicator(program, WINDOW_WORLD, PH_NONE, true);
	define_communicator(program, WINDOW_SOME, WINDOW_WORLD, true);
	define_communicator(program, WINDOW_FIRST, WINDOW_WORLD, false);
	define_communicator(program, WINDOW_SECOND, WINDOW_SOME, false);
	for (uint32_t i = 0; i < N_GROUPS; i++)
		define_communicator(program, WINDOW_GROUPS + i, PH_NONE, true);
	for (uint32_t rank = 0; rank < program->n_ranks; rank++)
	{
		add_member(program, WINDOW_WORLD, rank);
		add_member(program, WINDOW_FIRST, rank);
		if (rank % 2 == 0 && !program->is_steady)
		{
			add_member(program, WINDOW_SOME, rank);
			add_member(program, WINDOW_SECOND, rank);
		}
	}
}

static void
define(Program *program)
{
	static PhTraceRegion defined[WINDOW_REGIONS];
	static uint32_t rank_location[COMM_LOCATIONS];
	CommTrace *trace = program->trace;
	memset(trace->n_events, 0, sizeof(trace->n_events));
	for (uint32_t i = 0; i < WINDOW_REGIONS; i++)
		defined[i] = (PhTraceRegion){.name = names[i],
									 .file = "",
									 .library = "",
									 .paradigm = i <= WINDOW_HELD ? "user" : "mpi",
									 .role = "function"};
	trace->model = (PhTraceModel){.n_locations = program->n_ranks,
								  .n_regions = WINDOW_REGIONS,
								  .n_communicators = WINDOW_GROUPS + N_GROUPS,
								  .n_ranks = program->n_ranks,
								  .locations = trace->locations,
								  .regions = defined,
								  .communicators = trace->communicators,
								  .rank_location = rank_location};
	for (uint32_t i = 0; i < program->n_ranks; i++)
	{
		rank_location[i] = i;
		trace->locations[i] = (PhTraceLocation){.rank = (int32_t) i, .name = "", .host = ""};
	}
	define_communicators(program);
}

/* Groups in pairs: who accesses, and whose memory; some ranks are in both. */
static void
draw_groups(Program *program)
{
	for (uint32_t i = 0; i < N_GROUPS; i++)
	{
		for (uint32_t rank = 0; rank < program->n_ranks; rank++)
			if (random_below(&program->random, 2) == 0)
				add_member(program, WINDOW_GROUPS + i, rank);
		if (program->trace->communicators[WINDOW_GROUPS + i].n_members == 0)
			add_member(program, WINDOW_GROUPS + i,
					   random_below(&program->random, program->n_ranks));
	}
}

static void
run_step(Program *program)
{
	uint32_t what = draw(program, 12), pair = WINDOW_GROUPS + 2 * draw(program, N_GROUPS / 2);
	if (what < 3)
		meet(program, WINDOW_FIRST, WINDOW_FENCE);
	else if (what == 3)
		meet(program, WINDOW_SECOND, rarely(program, 3) ? WINDOW_CREATE : WINDOW_FENCE);
	else if (what < 8)
		run_epoch(program, rarely(program, 4) ? WINDOW_SECOND : WINDOW_FIRST, pair, pair + 1);
	else if (what < 11)
		take_turns(program);
	else
		meet(program, WINDOW_WORLD, WINDOW_COLLECTIVE);
}

void
window_random(uint64_t seed, CommTrace *out)
{
	Program program = {.trace = out, .random = {seed * 2 + 1}};
	program.n_ranks = 2 + random_below(&program.random, 5);
	define(&program);
	draw_groups(&program);
	for (uint32_t at = 0; at < program.n_ranks; at++)
		enter(&program, at, WINDOW_MAIN);
	meet(&program, WINDOW_FIRST, WINDOW_CREATE);
	for (uint32_t n = 5 + random_below(&program.random, 20); n > 0; n--)
	{
		for (uint32_t at = 0; at < program.n_ranks; at++)
			if (!rarely(&program, 3))
				work(&program, at, WINDOW_WORK, 60);
		run_step(&program);
	}
	if (!rarely(&program, 5))
		meet(&program, WINDOW_FIRST, WINDOW_FREE);
	for (uint32_t at = 0; at < program.n_ranks; at++)
		leave(&program, at, WINDOW_MAIN);
}

/* Each rank with the one before it and the one behind it. */
static void
exchange(Program *program)
{
	int64_t posted[COMM_LOCATIONS], completed[COMM_LOCATIONS], last[COMM_LOCATIONS];
	for (uint32_t at = 0; at < program->n_ranks; at++)
		post_all(program, WINDOW_FIRST, WINDOW_GROUPS + program->n_ranks + at, WINDOW_GROUPS + at,
				 posted);
	for (uint32_t at = 0; at < program->n_ranks; at++)
		last[at] = last_of(program, WINDOW_GROUPS + at, posted);
	for (uint32_t at = 0; at < program->n_ranks; at++)
		completed[at] =
			access_all(program, at, WINDOW_FIRST, WINDOW_GROUPS + at, last[at], STARTING_WAITS);
	for (uint32_t at = 0; at < program->n_ranks; at++)
		wait_for_all(program, at, WINDOW_FIRST, WINDOW_GROUPS + at,
					 last_of(program, WINDOW_GROUPS + at, completed));
}

/* Of rank r group r has its neighbours, group n + r itself. */
static void
define_neighbours(Program *program)
{
	for (uint32_t rank = 0; rank < program->n_ranks; rank++)
	{
		if (rank > 0)
			add_member(program, WINDOW_GROUPS + rank, rank - 1);
		if (rank + 1 < program->n_ranks)
			add_member(program, WINDOW_GROUPS + rank, rank + 1);
		add_member(program, WINDOW_GROUPS + program->n_ranks + rank, rank);
	}
}

void
window_steady(WindowPattern pattern, uint32_t n_ranks, uint32_t n_steps, const SlowWindow *slow,
			  CommTrace *out)
{
	Program program = {.trace = out, .is_steady = true, .slow = slow, .n_ranks = n_ranks};
	define(&program);
	define_neighbours(&program);
	for (uint32_t at = 0; at < n_ranks; at++)
		enter(&program, at, WINDOW_MAIN);
	for (uint32_t n = 0; n < n_steps; n++)
	{
		for (uint32_t at = 0; at < n_ranks; at++)
			work(&program, at, WINDOW_WORK, 1000);
		if (pattern == WINDOW_FENCES)
			meet(&program, WINDOW_FIRST, WINDOW_FENCE);
		else if (pattern == WINDOW_EPOCHS)
			exchange(&program);
		else
			take_turns(&program);
	}
	for (uint32_t at = 0; at < n_ranks; at++)
		leave(&program, at, WINDOW_MAIN);
}
