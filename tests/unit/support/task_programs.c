/*
 * task_programs.c - runs of random programs of tasks.
 *
 * Processors take turns; each takes a message that is for one of its chares, or starts on its own,
 * and its block sends to random chares. Serials follow their when directly, now and then.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/tasks.h"

#define MAX_CHARES 16
#define MAX_PROCESSORS 8
#define MAX_BLOCKS 128
#define MAX_EVENTS 512
#define SPONTANEOUS UINT32_MAX
#define N_SERIALS 3
#define RESULT 5 /* an entry method that the run time calls */

#define must(expression) assert_int_equal((expression), PH_OK)

typedef struct Block
{
	uint32_t chare, processor, entry, continues, first_event, n_events;
	int64_t begin, end;
} Block;

typedef struct Event
{
	PhTaskKind kind;
	uint32_t partner; /* of a receive */
	int64_t time;
} Event;

/* Chares from n_chares on are the runtime's, one by processor. */
typedef struct Program
{
	RandomNumbers numbers;
	TaskShape shape;
	uint32_t n_chares, n_processors, n_blocks, n_events;
	uint32_t home[MAX_CHARES];
	int64_t clock[MAX_PROCESSORS];
	Block block[MAX_BLOCKS];
	Event event[MAX_EVENTS];
	uint32_t pending_send[MAX_EVENTS], pending_chare[MAX_EVENTS], n_pending;
} Program;

static uint32_t
below(Program *program, uint32_t limit)
{
	return numbers_below(&program->numbers, limit);
}

static bool
one_in(Program *program, uint32_t n)
{
	return below(program, n) == 0;
}

static uint32_t
processor_of(const Program *program, uint32_t chare)
{
	return chare >= program->n_chares ? chare - program->n_chares : program->home[chare];
}

static uint32_t
add_event(Program *program, PhTaskKind kind, uint32_t partner, int64_t time)
{
	uint32_t event = program->n_events++;
	program->event[event] = (Event){kind, partner, time};
	program->block[program->n_blocks - 1].n_events++;
	return event;
}

static void
send_to(Program *program, uint32_t event, uint32_t chare)
{
	program->pending_send[program->n_pending] = event;
	program->pending_chare[program->n_pending++] = chare;
}

/* A send to one chare, or to several. */
static void
send_something(Program *program, int64_t time)
{
	uint32_t event = add_event(program, PH_TASK_SEND, PH_NONE, time);
	uint32_t n = one_in(program, 6) ? 3 : 1;
	if (program->shape.loses && one_in(program, 8))
		return;
	for (uint32_t i = 0; i < n && program->n_pending < MAX_EVENTS; i++)
		send_to(program, event, below(program, program->n_chares + program->n_processors));
}

static Block *
open_block(Program *program, uint32_t chare, uint32_t processor, uint32_t entry)
{
	Block *block = &program->block[program->n_blocks++];
	program->clock[processor] += below(program, 40);
	*block = (Block){.chare = chare,
					 .processor = processor,
					 .entry = entry,
					 .continues = PH_NONE,
					 .first_event = program->n_events,
					 .begin = program->clock[processor]};
	return block;
}

static void
fill_block(Program *program, Block *block, uint32_t max_sends)
{
	int64_t time = block->begin;
	for (uint32_t i = below(program, max_sends + 1); i > 0; i--)
	{
		time += below(program, 30);
		send_something(program, time);
	}
	block->end = time + below(program, 20);
	program->clock[block->processor] = block->end;
}

static bool
is_full(const Program *program)
{
	return program->n_blocks + 4 > program->shape.max_blocks || program->n_events + 20 > MAX_EVENTS;
}

/* Serials right after their when, by one message. */
static void
run_serials(Program *program, uint32_t chare, uint32_t processor)
{
	uint32_t serial = below(program, N_SERIALS);
	for (uint32_t n = 1 + below(program, 2); n > 0 && serial < N_SERIALS; n--, serial++)
		fill_block(program, open_block(program, chare, processor, 2 + serial), 2);
}

static void
run_block(Program *program, uint32_t chare, uint32_t send)
{
	uint32_t processor = processor_of(program, chare);
	bool is_runtime = chare >= program->n_chares;
	if (send != SPONTANEOUS && program->clock[processor] <= program->event[send].time &&
		!program->shape.confused)
		program->clock[processor] = program->event[send].time + 1 + below(program, 20);
	uint32_t number = program->n_blocks;
	uint32_t entry = is_runtime ? 1 : one_in(program, 6) ? RESULT : 0;
	Block *block = open_block(program, chare, processor, entry);
	if (send != SPONTANEOUS)
		add_event(program, PH_TASK_RECEIVE,
				  program->shape.loses && one_in(program, 8) ? PH_NONE : send, block->begin);
	fill_block(program, block, 3);
	if (!is_runtime && program->shape.serials && one_in(program, 2))
		run_serials(program, chare, processor);
	else if (one_in(program, 5))
	{
		Block *again = open_block(program, chare, processor, block->entry);
		again->continues = number;
		fill_block(program, again, 2);
	}
}

static void
run_program(Program *program)
{
	while (!is_full(program))
	{
		if (program->n_pending == 0 || one_in(program, 6))
			run_block(program, below(program, program->n_chares), SPONTANEOUS);
		else
		{
			uint32_t i = below(program, program->n_pending);
			uint32_t send = program->pending_send[i], chare = program->pending_chare[i];
			program->n_pending--;
			program->pending_send[i] = program->pending_send[program->n_pending];
			program->pending_chare[i] = program->pending_chare[program->n_pending];
			run_block(program, chare, send);
		}
		if (program->shape.migrates && one_in(program, 10))
			program->home[below(program, program->n_chares)] =
				below(program, program->n_processors);
	}
}

/* ----------------------------------------------------------------------------------------- rows
 */

static uint32_t
add_row(PhTaskTrace *trace, PhTaskTable table)
{
	uint32_t row;
	must(ph_task_add(trace, table, &row));
	return row;
}

static void
add_entries(PhTaskTrace *trace)
{
	static const char *const names[] = {"receive(int i)", "RecvMsg(CkReductionMsg* m)",
										"App_serial_0",	  "App_serial_1",
										"App_label",	  "redn_wrapper_result(CkReductionMsg* m)"};
	for (uint32_t t = 0; t < 2; t++)
	{
		uint32_t row = add_row(trace, PH_TASK_TYPES);
		trace->type_name[row] = t == 0 ? "App" : "CkReductionMgr";
		trace->type_dimensions[row] = t == 0 ? 2 : -1;
	}
	for (uint32_t i = 0; i < 6; i++)
	{
		uint32_t row = add_row(trace, PH_TASK_ENTRIES);
		trace->entry_name[row] = names[i];
		trace->entry_type[row] = i == 1 ? 1 : 0;
		trace->entry_flags[row] =
			(uint8_t) ph_task_entry_flags(names[i], &trace->entry_serial[row]);
		if (i == 4)
			trace->entry_flags[row] |= PH_ENTRY_SERIAL;
	}
}

/* 0..n-1, or a permutation of them. */
static void
permute(RandomNumbers *numbers, bool shuffle, uint32_t n, uint32_t *order)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; shuffle && i > 1; i--)
	{
		uint32_t j = numbers_below(numbers, i), swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
}

static void
add_processors(PhTaskTrace *trace, const Program *program, const uint32_t *order, uint32_t *number)
{
	for (uint32_t i = 0; i < program->n_processors; i++)
	{
		uint32_t row = add_row(trace, PH_TASK_PROCESSORS);
		number[order[i]] = row;
		trace->processor_number[row] = (int32_t) order[i];
	}
}

static void
add_chares(PhTaskTrace *trace, const Program *program, const uint32_t *order,
		   const uint32_t *processor, uint32_t *number)
{
	for (uint32_t i = 0; i < program->n_chares + program->n_processors; i++)
	{
		uint32_t chare = order[i], row = add_row(trace, PH_TASK_ENTITIES);
		bool is_runtime = chare >= program->n_chares;
		number[chare] = row;
		trace->entity_type[row] = is_runtime ? PH_NONE : 0;
		trace->entity_collection[row] = is_runtime ? PH_NONE : 0;
		trace->entity_dimensions[row] = is_runtime ? 0 : 2;
		trace->entity_index[row][0] = (int32_t) (chare % 4);
		trace->entity_index[row][1] = (int32_t) (chare / 4);
		trace->entity_is_runtime[row] = is_runtime;
		trace->entity_processor[row] = processor[is_runtime ? chare - program->n_chares : 0];
	}
}

static void
add_block(PhTaskTrace *trace, const Program *program, uint32_t b, const uint32_t *processor,
		  const uint32_t *chare, uint32_t *block_row, uint32_t *event_row)
{
	const Block *block = &program->block[b];
	uint32_t row = block_row[b] = add_row(trace, PH_TASK_BLOCKS);
	trace->block_entity[row] = chare[block->chare];
	trace->block_processor[row] = processor[block->processor];
	trace->block_entry[row] = block->entry;
	trace->block_begin[row] = block->begin;
	trace->block_end[row] = block->end;
	trace->block_continues[row] =
		block->continues == PH_NONE ? PH_NONE : block_row[block->continues];
	trace->block_reduction[row] = PH_NONE;
	for (uint32_t i = 0; i < block->n_events; i++)
	{
		uint32_t e = block->first_event + i;
		event_row[e] = add_row(trace, PH_TASK_EVENTS);
		trace->event_block[event_row[e]] = row;
		trace->event_kind[event_row[e]] = (uint8_t) program->event[e].kind;
		trace->event_time[event_row[e]] = program->event[e].time;
		trace->event_bytes[event_row[e]] = 100 + e;
	}
}

static void
add_rest(PhTaskTrace *trace, Program *program, const uint32_t *processor, const uint32_t *event_row)
{
	for (uint32_t e = 0; e < program->n_events; e++)
	{
		uint32_t partner = program->event[e].partner;
		trace->event_partner[event_row[e]] = partner == PH_NONE ? PH_NONE : event_row[partner];
	}
	for (uint32_t i = 0; program->shape.edges && i < 4 && program->n_events > 1; i++)
	{
		uint32_t from = below(program, program->n_events - 1);
		uint32_t to = from + 1 + below(program, program->n_events - 1 - from);
		uint32_t row = add_row(trace, PH_TASK_EDGES);
		trace->edge_from[row] = event_row[from];
		trace->edge_to[row] = event_row[to];
		trace->edge_kind[row] = PH_EDGE_DECLARED;
	}
	for (uint32_t i = 0; i < 10; i++)
	{
		uint32_t row = add_row(trace, PH_TASK_IDLES);
		trace->idle_processor[row] = processor[below(program, program->n_processors)];
		trace->idle_begin[row] = 100 * i + below(program, 50);
		trace->idle_end[row] = trace->idle_begin[row] + below(program, 40);
	}
}

static void
put_program(PhEnv *env, Program *program, bool shuffle, PhTaskTrace *out)
{
	RandomNumbers numbers = {program->numbers.state ^ 12345};
	uint32_t order[MAX_CHARES + MAX_PROCESSORS], processor[MAX_PROCESSORS];
	uint32_t chare[MAX_CHARES + MAX_PROCESSORS], block_row[MAX_BLOCKS], event_row[MAX_EVENTS];
	ph_task_trace_init(out, env);
	out->tick = 1;
	add_entries(out);
	permute(&numbers, shuffle, program->n_processors, order);
	add_processors(out, program, order, processor);
	permute(&numbers, shuffle, program->n_chares + program->n_processors, order);
	add_chares(out, program, order, processor, chare);
	permute(&numbers, shuffle, program->n_processors, order);
	for (uint32_t i = 0; i < program->n_processors; i++)
		for (uint32_t b = 0; b < program->n_blocks; b++)
			if (program->block[b].processor == order[i])
				add_block(out, program, b, processor, chare, block_row, event_row);
	add_rest(out, program, processor, event_row);
	must(ph_task_trace_finish(out, NULL));
}

void
random_tasks(PhEnv *env, uint64_t seed, TaskShape shape, bool shuffle, PhTaskTrace *out)
{
	static Program program;
	memset(&program, 0, sizeof(program));
	program.numbers.state = seed;
	assert_true(shape.max_chares <= MAX_CHARES && shape.max_processors <= MAX_PROCESSORS &&
				shape.max_blocks <= MAX_BLOCKS);
	program.n_chares = 1 + below(&program, shape.max_chares);
	program.n_processors = 1 + below(&program, shape.max_processors);
	shape.max_blocks = 5 + below(&program, shape.max_blocks - 4);
	program.shape = shape;
	for (uint32_t c = 0; c < program.n_chares; c++)
		program.home[c] = below(&program, program.n_processors);
	run_program(&program);
	put_program(env, &program, shuffle, out);
}
