/*
 * test_trace_infer.c - collectives without records: names of functions, programs that lose records,
 * the rules one by one in a slow form, faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"
#include "trace/collectives.h"
#include "trace/infer.h"

#define MOST_RANKS 6
#define MOST_CALLS 400
#define MOST_COMMS 5
#define N_PROGRAMS rounds(4000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---- names ---- */

static PhMpiCall
call_of(const char *name)
{
	PhTraceRegion region = {.name = name};
	return ph_mpi_call(&region);
}

static void
test_names(void **state)
{
	static const char *const allreduce[] = {
		"MPI_Allreduce",  "MPI_ALLREDUCE",	 "mpi_allreduce_",	"mpi_allreduce__",
		"PMPI_Allreduce", "MPI_Allreduce()", "MPI_Allreduce_c", "MPI_Allreduce (MPI)"};
	static const char *const others[] = {"MPI_Initialized",
										 "MPI_Comm_split",
										 "Allreduce",
										 "MPI_Barriers",
										 "xMPI_Barrier",
										 "MPI_Barrier2",
										 "MPI_",
										 "",
										 "MPI Collective Sync",
										 "MPI_A_very_long_name_that_is_no_function_of_MPI_at_all"};
	(void) state;
	for (size_t i = 0; i < sizeof(allreduce) / sizeof(*allreduce); i++)
	{
		PhMpiCall call = call_of(allreduce[i]);
		assert_int_equal(call.does, PH_MPI_COLLECTIVE);
		assert_int_equal(call.operation, PH_COLLECTIVE_ALLREDUCE);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(call_of(others[i]).does, 0);
	assert_int_equal(call_of(NULL).does, 0);
	assert_int_equal(call_of("MPI_Ibcast").does, PH_MPI_COLLECTIVE | PH_MPI_LATER);
	assert_int_equal(call_of("MPI_Ibcast").operation, PH_COLLECTIVE_BCAST);
	assert_int_equal(call_of("MPI_Reduce_scatter_block").operation,
					 PH_COLLECTIVE_REDUCE_SCATTER_BLOCK);
	assert_int_equal(call_of("MPI_Init").does, PH_MPI_STARTS);
	assert_int_equal(call_of("mpi_init_thread_").does, PH_MPI_STARTS);
	assert_int_equal(call_of("MPI_Isend").does, PH_MPI_SENDS | PH_MPI_LATER);
	assert_int_equal(call_of("MPI_Irecv").does, PH_MPI_RECEIVES | PH_MPI_LATER);
	assert_int_equal(call_of("MPI_Sendrecv").does, PH_MPI_SENDS | PH_MPI_RECEIVES);
}

/* ---- programs ---- */

/* A program of collectives, each rank's in its order, and the truth about each call. */
typedef struct Program
{
	PhTraceModel model;
	PhTraceLocation locations[MOST_RANKS];
	PhTraceCommunicator comms[MOST_COMMS];
	uint32_t members[MOST_COMMS][MOST_RANKS];
	uint32_t n_ranks, n;
	PhShownCollective calls[MOST_CALLS];
	uint32_t comm[MOST_CALLS]; /* in truth */
} Program;

static void
add_comm(Program *program, uint32_t set)
{
	uint32_t c = program->model.n_communicators++;
	PhTraceCommunicator *comm = &program->comms[c];
	*comm = (PhTraceCommunicator){.name = "", .is_mpi = true, .members = program->members[c]};
	for (uint32_t rank = 0; rank < program->n_ranks; rank++)
		if ((set >> rank & 1u) != 0)
			program->members[c][comm->n_members++] = rank;
}

static void
start_program(Program *program, uint32_t n_ranks)
{
	memset(program, 0, sizeof(*program));
	program->n_ranks = n_ranks;
	for (uint32_t rank = 0; rank < n_ranks; rank++)
		program->locations[rank].rank = (int32_t) rank;
	program->model.n_locations = program->model.n_ranks = n_ranks;
	program->model.locations = program->locations;
	program->model.communicators = program->comms;
	add_comm(program, (1u << n_ranks) - 1);
}

/* All members come at some time and leave when all have. */
static void
add_collective(Program *program, RandomNumbers *numbers, uint32_t comm, uint32_t operation,
			   int64_t *clock)
{
	int64_t last = 0;
	uint32_t first = program->n;
	for (uint32_t i = 0; i < program->comms[comm].n_members; i++)
	{
		uint32_t rank = program->members[comm][i];
		PhShownCollective *call = &program->calls[program->n];
		clock[rank] += 1 + numbers_below(numbers, 20);
		*call = (PhShownCollective){.enter = clock[rank], .rank = rank, .operation = operation};
		call->comm = comm;
		program->comm[program->n++] = comm;
		last = clock[rank] > last ? clock[rank] : last;
	}
	for (uint32_t i = first; i < program->n; i++)
		program->calls[i].leave = clock[program->calls[i].rank] =
			last + 1 + numbers_below(numbers, 5);
}

static uint32_t
some_operation(RandomNumbers *numbers)
{
	static const uint32_t operations[] = {PH_COLLECTIVE_BARRIER, PH_COLLECTIVE_ALLREDUCE,
										  PH_COLLECTIVE_BCAST, PH_COLLECTIVE_REDUCE};
	return operations[numbers_below(numbers, 4)];
}

static void
lose(Program *program, uint32_t call)
{
	program->calls[call].evidence = PH_UNKNOWN;
	program->calls[call].comm = PH_NONE;
}

static void
random_collectives(Program *program, RandomNumbers *numbers, uint32_t most_comms)
{
	int64_t clock[MOST_RANKS] = {0};
	uint32_t n_steps = 1 + numbers_below(numbers, 20);
	start_program(program, 1 + numbers_below(numbers, MOST_RANKS));
	for (uint32_t c = 1; c < most_comms; c++)
		add_comm(program, 1 + numbers_below(numbers, (1u << program->n_ranks) - 1));
	for (uint32_t k = 0; k < n_steps; k++)
		add_collective(program, numbers, numbers_below(numbers, program->model.n_communicators),
					   some_operation(numbers), clock);
}

/* A program on the world of which no record is left: all is found, and nothing else. */
static void
test_no_records(void **state)
{
	static Program program;
	RandomNumbers numbers = {7};
	(void) state;
	for (uint32_t k = 0; k < N_PROGRAMS; k++)
	{
		random_collectives(&program, &numbers, 1);
		for (uint32_t i = 0; i < program.n; i++)
			lose(&program, i);
		must(ph_infer_collectives(&env, &program.model, program.calls, program.n));
		for (uint32_t i = 0; i < program.n; i++)
		{
			assert_int_equal(program.calls[i].evidence, PH_INFERRED);
			assert_int_equal(program.calls[i].comm, 0);
		}
	}
	assert_int_equal(env.bytes, 0);
}

/* One rank's records of one communicator are lost: they are found, or it is said that they are not.
 */
static void
test_lost_rank(void **state)
{
	static Program program;
	RandomNumbers numbers = {8};
	uint32_t n_found = 0, n_lost = 0;
	(void) state;
	for (uint32_t k = 0; k < N_PROGRAMS; k++)
	{
		random_collectives(&program, &numbers, MOST_COMMS);
		uint32_t rank = numbers_below(&numbers, program.n_ranks);
		uint32_t comm = numbers_below(&numbers, program.model.n_communicators);
		if (program.comms[comm].n_members < 2)
			continue;
		for (uint32_t i = 0; i < program.n; i++)
			if (program.calls[i].rank == rank && program.comm[i] == comm)
				lose(&program, i);
		must(ph_infer_collectives(&env, &program.model, program.calls, program.n));
		for (uint32_t i = 0; i < program.n; i++)
		{
			if (program.calls[i].rank != rank || program.comm[i] != comm)
			{
				assert_int_equal(program.calls[i].evidence, PH_RECORDED);
				continue;
			}
			n_lost++;
			n_found += program.calls[i].evidence == PH_INFERRED;
			assert_int_equal(program.calls[i].evidence, PH_INFERRED);
			assert_int_equal(program.calls[i].comm, comm);
		}
	}
	assert_int_equal(n_found, n_lost);
	assert_true(n_lost > N_PROGRAMS / 2);
	assert_int_equal(env.bytes, 0);
}

/* ---- the rules, slowly ---- */

static uint32_t
count(const Program *program, uint32_t rank, uint32_t operation, PhEvidence evidence, uint32_t comm)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < program->n; i++)
	{
		const PhShownCollective *call = &program->calls[i];
		n += call->rank == rank && call->operation == operation && call->evidence == evidence &&
			 call->comm == comm;
	}
	return n;
}

static bool
is_member(const Program *program, uint32_t comm, uint32_t rank)
{
	for (uint32_t i = 0; i < program->comms[comm].n_members; i++)
		if (program->members[comm][i] == rank)
			return true;
	return false;
}

/* How many collectives of the function the rank lacks on the communicator. */
static uint32_t
lacking(const Program *program, uint32_t rank, uint32_t operation, uint32_t comm)
{
	uint32_t most = 0;
	if (program->comms[comm].n_members < 2 || !is_member(program, comm, rank))
		return 0;
	for (uint32_t other = 0; other < program->n_ranks; other++)
	{
		uint32_t n = count(program, other, operation, PH_RECORDED, comm);
		most = n > most ? n : most;
	}
	return most - count(program, rank, operation, PH_RECORDED, comm);
}

/* The communicator that alone lacks as many as the rank has calls; PH_NONE. n: that lack some. */
static uint32_t
only_gap(const Program *program, uint32_t rank, uint32_t operation, uint32_t *n)
{
	uint32_t found = PH_NONE, calls = count(program, rank, operation, PH_UNKNOWN, PH_NONE);
	*n = 0;
	for (uint32_t c = 0; c < program->model.n_communicators; c++)
	{
		uint32_t lacks = lacking(program, rank, operation, c);
		*n += lacks > 0;
		if (lacks > 0)
			found = lacks == calls ? c : PH_NONE;
	}
	return *n == 1 ? found : PH_NONE;
}

/* Random records lost: what is inferred follows from the counts alone, as the rules say. */
static void
test_rules(void **state)
{
	static Program program, before;
	RandomNumbers numbers = {9};
	uint32_t n_filled = 0, n_of_all = 0, n_unknown = 0, n_right = 0;
	(void) state;
	for (uint32_t k = 0; k < N_PROGRAMS; k++)
	{
		random_collectives(&program, &numbers, 1 + numbers_below(&numbers, MOST_COMMS));
		uint32_t share = numbers_below(&numbers, 10);
		for (uint32_t i = 0; i < program.n; i++)
			if (numbers_below(&numbers, 10) < share)
				lose(&program, i);
		before = program;
		must(ph_infer_collectives(&env, &program.model, program.calls, program.n));
		for (uint32_t i = 0; i < program.n; i++)
		{
			const PhShownCollective *old = &before.calls[i], *call = &program.calls[i];
			uint32_t n_gaps;
			if (old->evidence == PH_RECORDED)
			{
				assert_memory_equal(call, old, sizeof(*old));
				continue;
			}
			uint32_t gap = only_gap(&before, old->rank, old->operation, &n_gaps);
			n_unknown += call->evidence == PH_UNKNOWN;
			if (call->evidence == PH_UNKNOWN)
				continue;
			n_right += call->comm == program.comm[i];
			if (n_gaps > 0)
			{
				assert_int_equal(call->comm, gap);
				n_filled++;
				continue;
			}
			n_of_all++;
			assert_int_equal(call->comm, 0);
			for (uint32_t rank = 0; rank < program.n_ranks; rank++)
			{
				assert_int_equal(count(&before, rank, old->operation, PH_UNKNOWN, PH_NONE),
								 count(&before, old->rank, old->operation, PH_UNKNOWN, PH_NONE));
				assert_int_equal(count(&program, rank, old->operation, PH_UNKNOWN, PH_NONE), 0);
			}
		}
	}
	assert_true(n_filled > met_in_rounds(500) && n_of_all > met_in_rounds(500) &&
				n_unknown > met_in_rounds(500));
	assert_true(n_right > (n_filled + n_of_all) / 2);
	assert_int_equal(env.bytes, 0);
}

/* ---- what forbids it ---- */

/* A program of two ranks that call functions in these orders, a letter each, at these times. */
static void
two_ranks(Program *program, const char *first, const char *second)
{
	const char *orders[] = {first, second};
	start_program(program, 2);
	for (uint32_t rank = 0; rank < 2; rank++)
		for (int64_t k = 0; orders[rank][k] != '\0'; k++)
		{
			PhShownCollective *call = &program->calls[program->n++];
			*call = (PhShownCollective){.enter = 10 * k, .leave = 10 * k + 5, .rank = rank};
			call->operation = orders[rank][k] == 'b'   ? PH_COLLECTIVE_BARRIER
							  : orders[rank][k] == 'r' ? PH_COLLECTIVE_ALLREDUCE
													   : PH_COLLECTIVE_BCAST;
			call->evidence = PH_UNKNOWN;
			call->comm = PH_NONE;
		}
}

static void
expect(Program *program, const char *evidence)
{
	must(ph_infer_collectives(&env, &program->model, program->calls, program->n));
	for (uint32_t i = 0; i < program->n; i++)
		assert_int_equal(program->calls[i].evidence, evidence[i] == 'i' ? PH_INFERRED : PH_UNKNOWN);
	assert_int_equal(env.bytes, 0);
}

static void
test_forbidden(void **state)
{
	static Program program;
	(void) state;
	two_ranks(&program, "brc", "brc");
	expect(&program, "iiiiii");
	/* another number of calls: that function only */
	two_ranks(&program, "brb", "br");
	expect(&program, "uiuui");
	/* another order: those that are out of it */
	two_ranks(&program, "cbr", "crb");
	expect(&program, "iuuiuu");
	/* left before the other came */
	two_ranks(&program, "br", "br");
	program.calls[2].enter = 6;
	expect(&program, "uiui");
	/* a broadcast may be left early */
	two_ranks(&program, "c", "c");
	program.calls[1].enter = 6;
	expect(&program, "ii");
	/* one in ten may be a matter of clocks */
	two_ranks(&program, "bbbbbbbbbb", "bbbbbbbbbb");
	program.calls[12].enter = 26;
	expect(&program, "iiiiiiiiiiiiiiiiiiii");
	/* another call completes it */
	two_ranks(&program, "b", "b");
	program.calls[0].is_later = program.calls[1].is_later = true;
	expect(&program, "uu");
	/* nothing was recorded of a rank in between */
	two_ranks(&program, "b", "b");
	program.locations[1].rank = 2;
	program.calls[1].rank = 2;
	expect(&program, "uu");
	/* no communicator is defined: they are together all the same */
	two_ranks(&program, "b", "b");
	program.model.n_communicators = 0;
	expect(&program, "ii");
	assert_int_equal(program.calls[0].comm, PH_NONE);
}

static uint32_t
world_of(Program *program)
{
	program->calls[0].evidence = program->calls[1].evidence = PH_UNKNOWN;
	program->calls[0].comm = program->calls[1].comm = 99;
	must(ph_infer_collectives(&env, &program->model, program->calls, program->n));
	assert_int_equal(program->calls[0].evidence, PH_INFERRED);
	return program->calls[1].comm;
}

/* The world by its name where several communicators have all ranks. */
static void
test_world(void **state)
{
	static Program program;
	(void) state;
	two_ranks(&program, "b", "b");
	add_comm(&program, 3);
	assert_int_equal(world_of(&program), 0);
	program.comms[1].name = "MPI_COMM_WORLD";
	assert_int_equal(world_of(&program), 1);
	program.members[1][0] = 1;
	program.members[1][1] = 0;
	assert_int_equal(world_of(&program), 0);
	program.comms[0].is_mpi = false;
	assert_int_equal(world_of(&program), PH_NONE);
}

/* ---- in traces ---- */

static PhTraceRegion regions[] = {{.name = "main"},
								  {.name = "MPI_Allreduce()"},
								  {.name = "MPI_Iallreduce"},
								  {.name = "MPI Collective Sync"}};

static void
feed(PhCollectives *collectives, uint32_t location, uint64_t *seq, PhEventKind kind,
	 uint32_t region, int64_t time)
{
	PhEvent event = {.time = time, .kind = kind, .region = region, .comm = 0, .root = PH_NONE};
	event.operation = PH_COLLECTIVE_ALLREDUCE;
	must(ph_collectives_add_event(collectives, location, (*seq)++, &event));
}

/* Calls with and without records, nested ones, ones that are never left. */
static void
test_calls(void **state)
{
	static Program program;
	PhCollectives *collectives;
	PhCollectiveRows rows;
	(void) state;
	start_program(&program, 2);
	program.model.regions = regions;
	program.model.n_regions = 4;
	must(ph_collectives_new(&env, &program.model, &collectives));
	for (uint32_t at = 0; at < 2; at++)
	{
		uint64_t seq = 0;
		int64_t late = at;
		feed(collectives, at, &seq, PH_EVENT_ENTER, 0, 0);
		feed(collectives, at, &seq, PH_EVENT_ENTER, 1,
			 10 + late); /* a call alone, with one in it */
		feed(collectives, at, &seq, PH_EVENT_ENTER, 3, 12);
		feed(collectives, at, &seq, PH_EVENT_LEAVE, 3, 13);
		feed(collectives, at, &seq, PH_EVENT_LEAVE, 1, 20);
		feed(collectives, at, &seq, PH_EVENT_ENTER, 1, 30); /* a recorded one */
		feed(collectives, at, &seq, PH_EVENT_COLLECTIVE_BEGIN, 1, 31);
		feed(collectives, at, &seq, PH_EVENT_COLLECTIVE_END, 1, 38);
		feed(collectives, at, &seq, PH_EVENT_LEAVE, 1, 40);
		feed(collectives, at, &seq, PH_EVENT_ENTER, 2, 50); /* one that is completed later */
		feed(collectives, at, &seq, PH_EVENT_LEAVE, 2, 51);
		feed(collectives, at, &seq, PH_EVENT_ENTER, 1, 60); /* one that is not left */
	}
	must(ph_collectives_group(collectives, &rows));
	assert_int_equal(rows.n_instances, 2);
	assert_int_equal(rows.n_inferred, 2);
	assert_int_equal(rows.n_unknown, 2);
	assert_int_equal(rows.n_unfinished, 0);
	assert_int_equal(rows.n_missing, 0);
	assert_int_equal(rows.instances[0].n_inferred, 2);
	assert_int_equal(rows.instances[0].n_members, 2);
	assert_int_equal(rows.instances[0].first_enter, 10);
	assert_int_equal(rows.instances[0].last_enter, 11);
	assert_int_equal(rows.instances[0].first_leave, 20);
	assert_int_equal(rows.instances[0].ordinal, 0);
	assert_int_equal(rows.instances[1].n_inferred, 0);
	assert_int_equal(rows.instances[1].first_enter, 31);
	ph_collectives_free(collectives);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
infer_in(PhEnv *in, void *user)
{
	static Program copy;
	copy = *(const Program *) user;
	copy.model.locations = copy.locations;
	copy.model.communicators = copy.comms;
	return ph_infer_collectives(in, &copy.model, copy.calls, copy.n);
}

static void
test_faults(void **state)
{
	static Program program;
	RandomNumbers numbers = {10};
	(void) state;
	random_collectives(&program, &numbers, MOST_COMMS);
	for (uint32_t i = 0; i < program.n; i += 2)
		lose(&program, i);
	assert_string_equal(fault_env_try_allocations(infer_in, &program, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_no_records),
		cmocka_unit_test(test_lost_rank), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_forbidden), cmocka_unit_test(test_world),
		cmocka_unit_test(test_calls),	  cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
