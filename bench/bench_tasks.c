/*
 * bench_tasks.c - logical structure of a synthetic task-based program: CPU time and memory by size.
 *
 *   bench_tasks [quick]
 *
 * The program is a Jacobi iteration in Charm++'s manner: a square of chares on processors; in each
 * iteration main's broadcast starts every chare, chares exchange borders with their neighbours and
 * contribute to a reduction that runs up a tree of processors back to main. Times vary at random.
 * Prints one row a size: name, chares, iterations, events, phases, ns CPU an event (structure in
 * recorded order, reordered, metrics), peak bytes an event beyond the trace, bytes of the trace an
 * event, CPU s of the structure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tasks/metrics.h"

enum Entry
{
	MAIN_START,
	CHARE_START,
	CHARE_BORDER,
	CHARE_SERIAL,
	REDUCE,
	N_ENTRIES
};

typedef struct Program
{
	PhTaskTrace *trace;
	uint32_t side, n_processors, n_chares; /* entity 0 is main, then chares, then runtimes */
	int64_t *clock;						   /* by processor */
	uint64_t random;
} Program;

static size_t in_use, peak;

static void *
count_alloc(void *user, void *pointer, size_t old_size, size_t new_size)
{
	(void) user;
	in_use = in_use - old_size + new_size;
	peak = in_use > peak ? in_use : peak;
	if (new_size > 0)
		return realloc(pointer, new_size);
	free(pointer);
	return NULL;
}

static void
must(PhStatus status, const PhEnv *env)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "bench_tasks: %s\n", env->error.message);
	exit(1);
}

static uint32_t
random_below(Program *program, uint32_t limit)
{
	program->random = program->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t) (program->random >> 33) % limit;
}

static uint32_t
add(PhTaskTrace *trace, PhTaskTable table)
{
	uint32_t row;
	must(ph_task_add(trace, table, &row), trace->env);
	return row;
}

static uint32_t
processor_of(const Program *program, uint32_t entity)
{
	if (entity == 0)
		return 0;
	if (entity > program->n_chares)
		return entity - 1 - program->n_chares;
	return (uint32_t) ((uint64_t) (entity - 1) * program->n_processors / program->n_chares);
}

static uint32_t
begin_block(Program *program, uint32_t entity, enum Entry entry)
{
	PhTaskTrace *trace = program->trace;
	uint32_t row = add(trace, PH_TASK_BLOCKS), processor = processor_of(program, entity);
	program->clock[processor] += 100 + random_below(program, 200);
	trace->block_entity[row] = entity;
	trace->block_processor[row] = processor;
	trace->block_entry[row] = entry;
	trace->block_begin[row] = trace->block_end[row] = program->clock[processor];
	trace->block_continues[row] = trace->block_reduction[row] = PH_NONE;
	return row;
}

static uint32_t
add_event(Program *program, uint32_t block, PhTaskKind kind, uint32_t partner)
{
	PhTaskTrace *trace = program->trace;
	uint32_t row = add(trace, PH_TASK_EVENTS);
	int64_t *clock = &program->clock[trace->block_processor[block]];
	*clock += kind == PH_TASK_SEND ? 50 + random_below(program, 50) : 0;
	trace->event_block[row] = block;
	trace->event_kind[row] = (uint8_t) kind;
	trace->event_time[row] = trace->block_end[block] = *clock;
	trace->event_partner[row] = partner;
	trace->event_bytes[row] = 1024;
	return row;
}

/* A block that a message sets off, not before it was sent. */
static uint32_t
receive(Program *program, uint32_t entity, enum Entry entry, uint32_t send)
{
	int64_t *clock = &program->clock[processor_of(program, entity)];
	if (*clock < program->trace->event_time[send])
		*clock = program->trace->event_time[send] + random_below(program, 500);
	uint32_t block = begin_block(program, entity, entry);
	add_event(program, block, PH_TASK_RECEIVE, send);
	return block;
}

static uint32_t
neighbour(const Program *program, uint32_t chare, int direction)
{
	uint32_t side = program->side, x = chare % side, y = chare / side;
	x = direction == 0 ? (x + 1) % side : direction == 1 ? (x + side - 1) % side : x;
	y = direction == 2 ? (y + 1) % side : direction == 3 ? (y + side - 1) % side : y;
	return y * side + x;
}

/* Chares start and send their borders; sends by chare and direction. */
static void
send_borders(Program *program, uint32_t broadcast, uint32_t *sends)
{
	for (uint32_t c = 0; c < program->n_chares; c++)
	{
		uint32_t block = receive(program, 1 + c, CHARE_START, broadcast);
		for (int d = 0; d < 4; d++)
			sends[4 * c + d] = add_event(program, block, PH_TASK_SEND, PH_NONE);
	}
}

/* Borders come in any order; the last one sets off the serial that contributes. */
static void
receive_borders(Program *program, const uint32_t *sends, uint32_t *contributions)
{
	for (uint32_t c = 0; c < program->n_chares; c++)
	{
		uint32_t first = random_below(program, 4);
		for (uint32_t i = 0; i < 4; i++)
		{
			uint32_t d = (first + i) % 4;
			receive(program, 1 + c, CHARE_BORDER,
					sends[4 * neighbour(program, c, (int) (d ^ 1)) + d]);
		}
		uint32_t block = begin_block(program, 1 + c, CHARE_SERIAL);
		contributions[c] = add_event(program, block, PH_TASK_SEND, PH_NONE);
	}
}

/* Contributions to the processors, then up the tree; the send to main. */
static uint32_t
reduce(Program *program, const uint32_t *contributions, uint32_t *up)
{
	uint32_t chare = program->n_chares;
	for (uint32_t p = program->n_processors; p-- > 0;)
	{
		uint32_t runtime = 1 + program->n_chares + p, block = PH_NONE;
		for (; chare > 0 && processor_of(program, chare) == p; chare--)
			block = receive(program, runtime, REDUCE, contributions[chare - 1]);
		for (uint32_t child = 2 * p + 1; child <= 2 * p + 2 && child < program->n_processors;
			 child++)
			block = receive(program, runtime, REDUCE, up[child]);
		if (block == PH_NONE)
			block = begin_block(program, runtime, REDUCE);
		up[p] = add_event(program, block, PH_TASK_SEND, PH_NONE);
	}
	return up[0];
}

static void
add_definitions(Program *program)
{
	static const char *const names[] = {"report()", "start()", "border(int d)", "Jacobi_serial_0",
										"RecvMsg(CkReductionMsg* m)"};
	static const char *const types[] = {"Main", "Jacobi", "CkReductionMgr"};
	PhTaskTrace *trace = program->trace;
	for (uint32_t t = 0; t < 3; t++)
	{
		uint32_t row = add(trace, PH_TASK_TYPES);
		trace->type_name[row] = types[t];
	}
	for (uint32_t e = 0; e < N_ENTRIES; e++)
	{
		uint32_t row = add(trace, PH_TASK_ENTRIES);
		trace->entry_name[row] = names[e];
		trace->entry_type[row] = e == MAIN_START ? 0 : e == REDUCE ? 2 : 1;
		trace->entry_flags[row] =
			(uint8_t) ph_task_entry_flags(names[e], &trace->entry_serial[row]);
	}
	for (uint32_t p = 0; p < program->n_processors; p++)
	{
		uint32_t row = add(trace, PH_TASK_PROCESSORS);
		trace->processor_number[row] = (int32_t) p;
	}
}

static void
add_entities(Program *program)
{
	PhTaskTrace *trace = program->trace;
	for (uint32_t i = 0; i < 1 + program->n_chares + program->n_processors; i++)
	{
		uint32_t row = add(trace, PH_TASK_ENTITIES);
		bool is_chare = i > 0 && i <= program->n_chares;
		trace->entity_type[row] = i == 0 ? 0 : is_chare ? 1 : PH_NONE;
		trace->entity_collection[row] = PH_NONE;
		trace->entity_dimensions[row] = is_chare ? 2 : 0;
		trace->entity_index[row][0] = is_chare ? (int32_t) ((i - 1) % program->side) : 0;
		trace->entity_index[row][1] = is_chare ? (int32_t) ((i - 1) / program->side) : 0;
		trace->entity_is_runtime[row] = i > program->n_chares;
		trace->entity_processor[row] = processor_of(program, i);
	}
}

static void
run_program(PhEnv *env, uint32_t side, uint32_t n_processors, uint32_t iterations, PhTaskTrace *out)
{
	Program program = {
		.trace = out, .side = side, .n_processors = n_processors, .n_chares = side * side};
	program.random = 1;
	program.clock = calloc(n_processors, sizeof(int64_t));
	uint32_t *sends = calloc((size_t) 4 * program.n_chares, sizeof(uint32_t));
	uint32_t *contributions = calloc(program.n_chares, sizeof(uint32_t));
	uint32_t *up = calloc(n_processors, sizeof(uint32_t));
	ph_task_trace_init(out, env);
	out->tick = 1000;
	add_definitions(&program);
	add_entities(&program);
	uint32_t block = begin_block(&program, 0, MAIN_START);
	for (uint32_t i = 0; i < iterations; i++)
	{
		uint32_t broadcast = add_event(&program, block, PH_TASK_SEND, PH_NONE);
		send_borders(&program, broadcast, sends);
		receive_borders(&program, sends, contributions);
		block = receive(&program, 0, MAIN_START, reduce(&program, contributions, up));
	}
	must(ph_task_trace_finish(out, NULL), env);
	free(program.clock);
	free(sends);
	free(contributions);
	free(up);
}

static double
cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

/* The best of some repetitions, as the core may be shared. */
static double
measure(PhEnv *env, const PhTaskTrace *trace, bool reorder, int repetitions, uint32_t *phases,
		double *metrics_seconds, size_t *bytes)
{
	double best = 1e9;
	PhTaskOptions options;
	ph_task_options_default(&options);
	options.reorder = reorder;
	*metrics_seconds = 1e9;
	for (int i = 0; i < repetitions; i++)
	{
		PhTaskStructure structure;
		PhTaskMetrics metrics;
		size_t before = peak = in_use;
		double start = cpu_seconds();
		must(ph_task_structure_build(env, trace, &options, &structure), env);
		double middle = cpu_seconds();
		must(ph_task_metrics_build(env, &structure, &metrics), env);
		double end = cpu_seconds();
		*bytes = peak - before;
		*phases = structure.logical.n_phases;
		best = middle - start < best ? middle - start : best;
		*metrics_seconds = end - middle < *metrics_seconds ? end - middle : *metrics_seconds;
		ph_task_metrics_free(&metrics);
		ph_task_structure_free(&structure);
	}
	return best;
}

static void
bench(const char *name, uint32_t side, uint32_t n_processors, uint32_t iterations)
{
	PhEnv env;
	PhTaskTrace trace;
	uint32_t phases;
	double metrics, ignored;
	size_t bytes, bytes_reordered;
	ph_env_init_malloc(&env);
	env.alloc = count_alloc;
	run_program(&env, side, n_processors, iterations, &trace);
	uint32_t n = trace.count[PH_TASK_EVENTS];
	int repetitions = n < 100000 ? 10 : n < 2000000 ? 3 : 1;
	double recorded = measure(&env, &trace, false, repetitions, &phases, &metrics, &bytes);
	double reordered =
		measure(&env, &trace, true, repetitions, &phases, &ignored, &bytes_reordered);
	printf("%s\t%u\t%u\t%u\t%u\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.4f\n", name, side * side,
		   iterations, n, phases, recorded / n * 1e9, reordered / n * 1e9, metrics / n * 1e9,
		   (double) (bytes_reordered > bytes ? bytes_reordered : bytes) / n,
		   (double) ph_task_trace_bytes(&trace) / n, recorded);
	fflush(stdout);
	ph_task_trace_free(&trace);
}

int
main(int argc, char **argv)
{
	bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
	printf("program\tchares\titerations\tevents\tphases\tns structure\tns reordered\tns metrics\t"
		   "bytes\tbytes of trace\tCPU s\n");
	bench("as LULESH 64 chares, 8 PEs", 8, 8, 24);
	bench("64 chares x 100", 8, 8, 100);
	bench("64 chares x 1000", 8, 8, 1000);
	bench("1024 chares x 10", 32, 16, 10);
	bench("1024 chares x 100", 32, 16, 100);
	bench("16384 chares x 6", 128, 64, 6);
	if (quick)
		return 0;
	bench("64 chares x 14000", 8, 8, 14000);
	bench("1024 chares x 900", 32, 16, 900);
	bench("16384 chares x 56", 128, 64, 56);
	return 0;
}
