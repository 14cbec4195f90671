/*
 * collect.h - from a stored trace's event chunks to a trace of tasks.
 *
 * Chunks are fed location by location, each location's in order; locations in ascending order. A
 * call that TASK_BLOCK follows is a serial block, in as many pieces as it is paused. Chares of the
 * run time become one entity a processor. Sends of one tag and time, side by side, are one event of
 * as many receivers. What lies outside of any block gets a block of no length, of the processor's
 * run time. A dependency between blocks becomes one between the last event of the one and the first
 * of the other; a block that has none gets one: a send at its end, a receive at its begin.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_COLLECT_H
#define PH_TASKS_COLLECT_H

#include "tasks/trace.h"
#include "trace/link.h"

/* Definitions of a task-based run beside PhTraceModel, as they are stored. */
typedef struct PhTaskDefinitions
{
	const char *model; /* "charm++", … */
	uint32_t tick;	   /* ns */
	uint32_t n_types, n_entries, n_chares;
	const char **type_name;
	int32_t *type_dimensions; /* < 1: not an array */
	const char **entry_name;  /* by region; NULL: the region is no entry method */
	uint32_t *entry_type;
	const char **chare_name; /* NULL: told by type and index */
	uint32_t *chare_type;
	uint32_t *chare_collection; /* PH_NONE: unknown */
	uint8_t *chare_dimensions;
	int32_t (*chare_index)[PH_TASK_DIMENSIONS];
	uint8_t *chare_is_runtime;
	uint32_t *chare_location; /* where it was seen first */
	uint32_t idle_region;	  /* PH_NONE: there is none */
} PhTaskDefinitions;

/* Where rows of the trace come from; by the numbers that its tables have after the finish. */
typedef struct PhTaskOrigin
{
	uint32_t n_chares;
	uint32_t *entity_of_chare;
	uint32_t *block_chare;	  /* PH_NONE: none is known */
	uint64_t *block_seq;	  /* of its ENTER within its location; that of its event outside */
	uint32_t *block_ordinal;  /* within its location, as TASK_AFTER counts; PH_NONE: outside */
	uint64_t *event_seq;	  /* within its location; PH_TASK_NO_SEQ: it stands for a dependency */
	uint32_t *event_location; /* = processor's place in the model */
} PhTaskOrigin;

#define PH_TASK_NO_SEQ UINT64_MAX

typedef struct PhTaskCollector PhTaskCollector;

/* model and definitions must outlive the collector; the trace that comes out copies names. */
PhStatus ph_task_collector_new(PhEnv *env, const PhTraceModel *model,
							   const PhTaskDefinitions *definitions,
							   PhTaskCollector **out) PH_MUST_CHECK;
void ph_task_collector_free(PhTaskCollector *collector);

/*
 * Next chunk: reader was opened on it with PH_WANT_ALL; its cursor is used up. links: of the
 * chunk's receives, n of them.
 */
PhStatus ph_task_collector_add(PhTaskCollector *collector, const PhChunk *chunk,
							   PhChunkReader *reader, const PhLink *links,
							   uint32_t n_links) PH_MUST_CHECK;

/*
 * The trace in normal order, finished; where its rows come from, in arena. PH_ERR_FORMAT when
 * records contradict each other.
 */
PhStatus ph_task_collector_finish(PhTaskCollector *collector, PhArena *arena, PhTaskTrace *out,
								  PhTaskOrigin *origin) PH_MUST_CHECK;

#endif
