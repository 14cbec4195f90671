/*
 * test_trace_untold.c - calls whose source records no messages: random streams in chunks of any
 * size against a reader that looks at every event alone, the rules one by one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/random_trace.h"
#include "support/rounds.h"
#include "trace/untold.h"

#define MOST_LOCATIONS 4
#define MOST_FUNCTIONS 10
#define N_PROGRAMS rounds(3000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static const char *const names[] = {"main",			 "MPI_Send",	 "MPI_Isend", "MPI_Recv",
									"MPI_Irecv",	 "MPI_Sendrecv", "solve",	  "MPI_Waitall",
									"MPI_Allreduce", "MPI_Win_start"};

/* Streams of a trace's locations; functions are some of the names, in some order. */
typedef struct Program
{
	PhTraceModel model;
	PhTraceRegion regions[MOST_FUNCTIONS];
	RandomStream streams[MOST_LOCATIONS];
	uint32_t n_locations, chunk_events;
} Program;

static void
random_program(RandomNumbers *numbers, Program *program)
{
	RandomStreamShape shape = {.max_events = 1 + numbers_below(numbers, 60)};
	memset(program, 0, sizeof(*program));
	program->n_locations = 1 + numbers_below(numbers, MOST_LOCATIONS);
	program->chunk_events = 1 + numbers_below(numbers, 20);
	shape.n_regions = 1 + numbers_below(numbers, MOST_FUNCTIONS);
	shape.calls_only = numbers_below(numbers, 4) == 0;
	program->model.n_locations = program->n_locations;
	program->model.n_regions = shape.n_regions;
	program->model.regions = program->regions;
	for (uint32_t i = 0; i < shape.n_regions; i++)
		program->regions[i].name = names[numbers_below(numbers, MOST_FUNCTIONS)];
	for (uint32_t i = 0; i < program->n_locations; i++)
		random_stream(numbers, shape, &program->streams[i]);
}

static void
free_program(Program *program)
{
	for (uint32_t i = 0; i < program->n_locations; i++)
		random_stream_free(&program->streams[i]);
}

static PhStatus
add_location(PhEnv *with, PhUntold *untold, const Program *program, uint32_t location)
{
	StoredChunks stored = {0};
	PhChunkReader *reader = NULL;
	PhStatus status = stored_chunks_write(with, &program->streams[location], location,
										  program->chunk_events, &stored);
	if (status == PH_OK)
		status = ph_chunk_reader_new(with, &reader);
	for (uint32_t i = 0; i < stored.n_chunks && status == PH_OK; i++)
	{
		status = ph_chunk_reader_open(reader, &stored.chunks[i], PH_WANT_CALLS);
		if (status == PH_OK)
			status = ph_untold_add_chunk(untold, &stored.chunks[i], reader);
	}
	ph_chunk_reader_free(reader);
	stored_chunks_free(&stored);
	return status;
}

/* Locations in descending order: their order does not matter. */
static PhStatus
count_in(PhEnv *with, const Program *program, PhUntoldCalls *out)
{
	PhArena arena;
	PhUntold *untold;
	ph_arena_init(&arena, with);
	PhStatus status = ph_untold_new(&arena, &program->model, &untold);
	for (uint32_t i = program->n_locations; i-- > 0 && status == PH_OK;)
		status = add_location(with, untold, program, i);
	if (status == PH_OK)
		*out = ph_untold_count(untold);
	ph_arena_drop(&arena);
	return status;
}

/* ---- the slow form ---- */

static unsigned
does_of(const Program *program, uint32_t region)
{
	return ph_mpi_call(&program->regions[region]).does;
}

/*
 * The call that event e of a stream is in, the outermost one that sends or receives: its ENTER,
 * PH_NONE: in none. An ENTER is in its own call.
 */
static uint32_t
call_around(const Program *program, const RandomStream *stream, uint32_t e)
{
	for (uint32_t enter = 0; enter <= e; enter++)
	{
		int depth = 0;
		if (stream->events[enter].kind != PH_EVENT_ENTER ||
			(does_of(program, stream->events[enter].region) &
			 (PH_MPI_SENDS | PH_MPI_RECEIVES | PH_MPI_WINDOW)) == 0)
			continue;
		for (uint32_t i = enter; i <= e && (i == enter || depth > 0); i++)
			depth += stream->events[i].kind == PH_EVENT_ENTER	? 1
					 : stream->events[i].kind == PH_EVENT_LEAVE ? -1
																: 0;
		if (depth > 0)
			return enter;
	}
	return PH_NONE;
}

static bool
tells(unsigned does, uint32_t kind)
{
	if ((does & PH_MPI_WINDOW) != 0)
		return kind == PH_EVENT_RMA;
	return kind == PH_EVENT_SEND || kind == PH_EVENT_ISEND || kind == PH_EVENT_RECV ||
		   kind == PH_EVENT_IRECV || kind == PH_EVENT_IRECV_REQUEST;
}

static void
count_slowly_in(const Program *program, const RandomStream *stream, uint64_t *calls, bool *told)
{
	for (uint32_t e = 0; e < stream->n_events; e++)
	{
		uint32_t around = call_around(program, stream, e);
		if (around == e)
			calls[stream->events[e].region]++;
		if (around != PH_NONE &&
			tells(does_of(program, stream->events[around].region), stream->events[e].kind))
			told[stream->events[around].region] = true;
	}
}

static PhUntoldCalls
count_slowly(const Program *program)
{
	uint64_t calls[MOST_FUNCTIONS] = {0};
	bool told[MOST_FUNCTIONS] = {false}, has_receives = false;
	PhUntoldCalls count = {0, 0, 0};
	for (uint32_t i = 0; i < program->n_locations; i++)
	{
		const RandomStream *stream = &program->streams[i];
		count_slowly_in(program, stream, calls, told);
		for (uint32_t e = 0; e < stream->n_events; e++)
			has_receives |=
				stream->events[e].kind == PH_EVENT_RECV || stream->events[e].kind == PH_EVENT_IRECV;
	}
	for (uint32_t f = 0; f < program->model.n_regions; f++)
	{
		unsigned does = does_of(program, f);
		if (!told[f] && (does & PH_MPI_SENDS) != 0)
			count.sends += calls[f];
		if (!told[f] && (does & PH_MPI_RECEIVES) != 0 &&
			!((does & PH_MPI_LATER) != 0 && has_receives))
			count.receives += calls[f];
		if (!told[f] && (does & PH_MPI_WINDOW) != 0)
			count.epochs += calls[f];
	}
	return count;
}

static void
test_random_programs(void **state)
{
	uint32_t n_sends = 0, n_receives = 0, n_none = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_PROGRAMS; seed++)
	{
		RandomNumbers numbers = {seed};
		Program program;
		PhUntoldCalls calls;
		random_program(&numbers, &program);
		must(count_in(&env, &program, &calls));
		PhUntoldCalls expected = count_slowly(&program);
		assert_int_equal(calls.epochs, expected.epochs);
		if (calls.sends != expected.sends || calls.receives != expected.receives)
			fail_msg("program %lu: %lu sends and %lu receives, not %lu and %lu",
					 (unsigned long) seed, (unsigned long) calls.sends,
					 (unsigned long) calls.receives, (unsigned long) expected.sends,
					 (unsigned long) expected.receives);
		n_sends += calls.sends > 0;
		n_receives += calls.receives > 0;
		n_none += calls.sends == 0 && calls.receives == 0;
		free_program(&program);
	}
	assert_in_range(n_sends, N_PROGRAMS / 10, N_PROGRAMS);
	assert_in_range(n_receives, N_PROGRAMS / 10, N_PROGRAMS);
	assert_in_range(n_none, N_PROGRAMS / 10, N_PROGRAMS);
	assert_int_equal(env.bytes, 0);
}

/* ---- the rules ---- */

/* Events as text: "S" enters MPI_Send, "I" MPI_Irecv, "X" MPI_Sendrecv, "." leaves, "s" a record of
 * a send, "r" of a receive; "W" enters MPI_Win_start, "w" a record of one-sided communication. */
static PhUntoldCalls
count_of(const char *first, const char *second)
{
	static const char letters[] = "SIXW";
	static PhEvent events[2][40];
	const char *texts[2] = {first, second};
	Program program = {.n_locations = 2, .chunk_events = 3};
	PhUntoldCalls calls;
	program.model = (PhTraceModel){.n_locations = 2, .n_regions = 4, .regions = program.regions};
	program.regions[3].name = "MPI_Win_start";
	program.regions[0].name = "MPI_Send";
	program.regions[1].name = "MPI_Irecv";
	program.regions[2].name = "MPI_Sendrecv";
	for (int i = 0; i < 2; i++)
	{
		program.streams[i] = (RandomStream){.events = events[i]};
		for (const char *at = texts[i]; *at != '\0'; at++)
		{
			const char *letter = strchr(letters, *at);
			uint32_t n = program.streams[i].n_events++;
			events[i][n] = (PhEvent){.time = n, .region = PH_NONE};
			if (letter != NULL)
				events[i][n].region = (uint32_t) (letter - letters);
			events[i][n].kind = letter != NULL ? PH_EVENT_ENTER
								: *at == '.'   ? PH_EVENT_LEAVE
								: *at == 's'   ? PH_EVENT_SEND
								: *at == 'w'   ? PH_EVENT_RMA
											   : PH_EVENT_RECV;
		}
	}
	must(count_in(&env, &program, &calls));
	return calls;
}

static void
assert_untold(const char *first, const char *second, uint64_t sends, uint64_t receives)
{
	PhUntoldCalls calls = count_of(first, second);
	assert_int_equal(calls.sends, sends);
	assert_int_equal(calls.receives, receives);
}

static void
test_rules(void **state)
{
	(void) state;
	assert_untold("S.S.", "S.", 3, 0);	/* no record at all */
	assert_untold("S.Ss.", "S.", 0, 0); /* some call has one: the others went to nobody */
	assert_untold("S.sS.", "S.", 3, 0); /* a record outside calls tells of none */
	assert_untold("I.I.", "I.", 0, 3);
	assert_untold("I.I.r", "I.", 0, 0); /* completed elsewhere */
	assert_untold("X.", "X.", 2, 2);	/* both */
	assert_untold("Xr.", "X.", 0, 0);
	assert_untold("SX..", "S.", 2, 0); /* a wrapper's inner call is the wrapper's */
	assert_untold("SXs..", "S.", 0, 0);
	assert_untold("S", "Ss", 0, 0); /* cut off */
	assert_untold("S", "S", 2, 0);
	assert_untold("", "", 0, 0);
	assert_int_equal(count_of("W.W.", "Ws.").epochs, 3);
	assert_int_equal(count_of("W.Ww.", "W.").epochs, 0);
	assert_untold("Sw.S.", "", 2, 0); /* tells of windows alone */
}

/* A model of a format that names no functions knows of no calls. */
static void
test_no_functions(void **state)
{
	Program program = {.n_locations = 1, .chunk_events = 4};
	RandomNumbers numbers = {7};
	PhUntoldCalls calls;
	(void) state;
	random_stream(&numbers, (RandomStreamShape){.max_events = 30, .n_regions = 3},
				  &program.streams[0]);
	program.model = (PhTraceModel){.n_locations = 1, .n_regions = 3};
	must(count_in(&env, &program, &calls));
	assert_int_equal(calls.sends + calls.receives, 0);
	free_program(&program);
}

/* ---- faults ---- */

static void
test_unknown_location(void **state)
{
	RandomNumbers numbers = {3};
	Program program;
	PhUntoldCalls calls;
	(void) state;
	random_program(&numbers, &program);
	program.model.n_locations--;
	assert_int_not_equal(count_in(&env, &program, &calls), PH_OK);
	free_program(&program);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_no_functions),
		cmocka_unit_test(test_unknown_location),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
