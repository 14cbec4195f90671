/*
 * metrics.h - idle experienced, differential duration and imbalance of a trace of tasks.
 *
 * A serial block's time is shared out among its events: each has the time since the event before
 * it in the block, what is left at the end goes to the receive that started the block, else to its
 * last event; such a share is a sub-block. Peers of an event are the events with its phase and
 * step. Times in ns, never negative. Method: docs/design/logical-time.md 3.2-3.4; SC'15 4.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_METRICS_H
#define PH_TASKS_METRICS_H

#include "tasks/structure.h"

typedef struct PhTaskMetrics
{
	PhArena arena;
	const PhTaskStructure *structure;

	/* by event of the model */
	int64_t *sub_begin, *sub_end; /* its sub-block */
	int64_t *differential;		  /* how much longer that is than its shortest peer's */
	int64_t *idle;				  /* the idle time before it that it was waiting in; 0: none */
	int64_t *imbalance;			  /* load of its processor in its phase, less the least load */
	uint32_t *n_peers;			  /* with itself */
	uint32_t *shortest;			  /* of its peers, lowest event on ties */

	/* by block of the trace */
	int64_t *block_idle;		 /* the most of its events */
	int64_t *block_differential; /* the sum of its events' */
	int64_t *block_imbalance;	 /* the most of its events' */

	/* by phase */
	int64_t *phase_imbalance; /* greatest less least load of all processors; 0 where without events
							   */
	int64_t *phase_idle, *phase_differential; /* the most of its events */
	uint32_t *most_loaded, *least_loaded;	  /* processors, lowest on ties */
	uint32_t *first_load;					  /* n_phases + 1: rows of loads */
	/* by load: processors with events of the phase, ascending */
	uint32_t *load_processor;
	int64_t *load;
} PhTaskMetrics;

/* structure must outlive the result. */
PhStatus ph_task_metrics_build(PhEnv *env, const PhTaskStructure *structure,
							   PhTaskMetrics *out) PH_MUST_CHECK;
void ph_task_metrics_free(PhTaskMetrics *metrics);

/* An event's processor. */
static inline uint32_t
ph_task_processor(const PhTaskStructure *structure, uint32_t event)
{
	const PhTaskTrace *trace = structure->trace;
	return trace->block_processor[trace->event_block[structure->event[event]]];
}

#endif
