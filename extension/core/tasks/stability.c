/*
 * stability.c - see stability.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/stability.h"

#include <string.h>

typedef struct Shaker
{
	const PhTaskTrace *trace;
	int64_t within;
	uint64_t seed;
	uint32_t *partner; /* by event, as it is afterwards */
	uint32_t *last;	   /* by entity: its latest block on the processor at hand; PH_NONE: none */
	int64_t *arrival;  /* by block: of the message that it has */
	uint32_t n_exchanged;
} Shaker;

/* The receive that starts a block; PH_NONE: none of which the sender is known. */
static uint32_t
start_of(const Shaker *shaker, uint32_t block)
{
	const PhTaskTrace *trace = shaker->trace;
	uint32_t first = trace->block_first_event[block];
	if (first == trace->block_first_event[block + 1] || trace->event_kind[first] != PH_TASK_RECEIVE)
		return PH_NONE;
	return shaker->partner[first] == PH_NONE ? PH_NONE : first;
}

/* Exchange what a block received with the one before it of its chare. */
static void
exchange(Shaker *shaker, uint32_t before, uint32_t block)
{
	const PhTaskTrace *trace = shaker->trace;
	uint32_t a = start_of(shaker, before), b = start_of(shaker, block);
	int64_t arrival = shaker->arrival[before];
	if (a == PH_NONE || b == PH_NONE || arrival <= shaker->arrival[block] ||
		trace->block_entry[before] != trace->block_entry[block] ||
		shaker->partner[a] == shaker->partner[b] ||
		trace->event_time[shaker->partner[b]] >= trace->block_begin[before])
		return;
	uint32_t send = shaker->partner[a];
	shaker->partner[a] = shaker->partner[b];
	shaker->partner[b] = send;
	shaker->arrival[before] = shaker->arrival[block];
	shaker->arrival[block] = arrival;
	shaker->n_exchanged++;
}

static PhStatus
shake(PhArena *arena, Shaker *shaker)
{
	const PhTaskTrace *trace = shaker->trace;
	uint32_t n_blocks = trace->count[PH_TASK_BLOCKS], n_events = trace->count[PH_TASK_EVENTS];
	PH_TRY(PH_NEW(arena, n_events, &shaker->partner));
	PH_TRY(PH_NEW(arena, n_blocks, &shaker->arrival));
	PH_TRY(PH_NEW(arena, trace->count[PH_TASK_ENTITIES], &shaker->last));
	memset(shaker->last, 0xff, trace->count[PH_TASK_ENTITIES] * sizeof(*shaker->last));
	if (n_events > 0)
		memcpy(shaker->partner, trace->event_partner, n_events * sizeof(*shaker->partner));
	for (uint32_t b = 0; b < n_blocks; b++)
	{
		uint32_t *last = &shaker->last[trace->block_entity[b]];
		PH_TRY(ph_env_poll(arena->env));
		shaker->arrival[b] =
			trace->block_begin[b] + ph_stability_noise(shaker->seed, b, shaker->within);
		if (*last != PH_NONE && trace->block_processor[*last] == trace->block_processor[b])
			exchange(shaker, *last, b);
		*last = b;
	}
	return PH_OK;
}

PhStatus
ph_task_stability(PhEnv *env, const PhTaskStructure *structure, const PhTaskOptions *options,
				  int64_t within, uint64_t seed, PhStability *out)
{
	PhArena arena;
	PhTaskTrace trace = *structure->trace; /* shares all but the partners */
	PhTaskStructure other;
	PhStability found = {.n_moved = 0};
	Shaker shaker = {.trace = structure->trace, .within = within, .seed = seed};
	ph_arena_init(&arena, env);
	PhStatus status = shake(&arena, &shaker);
	trace.event_partner = shaker.partner;
	if (status == PH_OK)
		status = ph_task_structure_build(env, &trace, options, &other);
	if (status == PH_OK)
	{
		found.n_moved = 2 * shaker.n_exchanged;
		status = ph_stability_compare(env, &structure->logical, structure->event, &other.logical,
									  other.event, &found);
		ph_task_structure_free(&other);
	}
	ph_arena_drop(&arena);
	if (status == PH_OK)
		*out = found;
	return status;
}
