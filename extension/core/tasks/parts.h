/*
 * parts.h - stages between a trace of tasks and its phases, shared by their files.
 *
 * Here events are numbered entity by entity in physical order, so that the event before e on its
 * entity is e - 1; parts are sets of events that grow by merging and in the end are the phases.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_PARTS_H
#define PH_TASKS_PARTS_H

#include "logical/internal.h"
#include "logical/phases.h"
#include "tasks/structure.h"

typedef enum PhTaskEventFlag
{
	PH_TE_RECEIVE = 1,
	PH_TE_RUNTIME = 2,		   /* its entity is a runtime one */
	PH_TE_SIDE_KNOWN = 4,	   /* which side its partner is on */
	PH_TE_RUNTIME_PARTNER = 8, /* its (first) partner's entity is a runtime one */
	PH_TE_NEXT = 16			   /* its part is before that of the next event of its entity */
} PhTaskEventFlag;

typedef struct PhTaskParts
{
	PhEnv *env;
	PhArena arena;
	const PhTaskTrace *trace;
	const PhTaskOptions *options;
	uint32_t n_events, n_entities;

	uint32_t *entity_first; /* by entity, + 1 */

	/* by event */
	uint32_t *event; /* in the trace */
	uint32_t *entity;
	uint32_t *partner;				 /* of a receive: its send; else PH_NONE */
	uint32_t *link_next, *link_prev; /* neighbours in its serial block; PH_NONE: none */
	int32_t *serial;				 /* number of its serial, PH_NO_SERIAL: none */
	uint8_t *flags;					 /* PhTaskEventFlag bits */
	uint32_t *part;

	/* by part */
	uint32_t n_parts;
	uint8_t *runtime;
	int32_t *least_serial, *most_serial;
	uint16_t *reasons; /* 1 << (PhMergeReason - 1) */

	PhIndices edge_from, edge_to; /* events: dependencies beyond blocks and neighbours */
	uint32_t n_given_edges;		  /* the first ones, which the trace has; others are inferred */
	uint32_t n_initial_parts;
} PhTaskParts;

/* Events of a finished trace, serial blocks linked, initial parts
 * (docs/design/logical-time.md 2.3, 2.4). */
PhStatus ph_task_parts_init(PhTaskParts *parts) PH_MUST_CHECK;
void ph_task_parts_free(PhTaskParts *parts);

/* Merge to phases (docs/design/logical-time.md 2.5); parts are numbered so that all edges go to
 * greater numbers. */
PhStatus ph_task_parts_merge(PhTaskParts *parts) PH_MUST_CHECK;

/* Parts become map[part], with a reason where several become one. */
PhStatus ph_task_parts_regroup(PhTaskParts *parts, const uint32_t *map, uint32_t n_new,
							   PhMergeReason reason) PH_MUST_CHECK;

/* The graph of parts: blocks that go on, serials in turn, inferred and declared dependencies. */
PhStatus ph_task_parts_graph(PhTaskParts *parts, PhArena *arena, PhGraph *out) PH_MUST_CHECK;

/*
 * Where parts follow one part by a relation between neighbours, unite them, and so on for what
 * follows those. Repair: the halves of serial blocks that were split at the runtime. Serials: the
 * next serials of a part's greatest one.
 */
typedef enum PhTaskSweep
{
	PH_SWEEP_REPAIR,
	PH_SWEEP_SERIALS
} PhTaskSweep;

PhStatus ph_task_parts_sweep(PhTaskParts *parts, PhTaskSweep sweep) PH_MUST_CHECK;

/*
 * Make each leap free of shared entities by ordering parts (property 1), and each part followed on
 * all its entities (property 2). leap: by part, longest way in the resulting graph.
 */
PhStatus ph_task_parts_enforce(PhTaskParts *parts, PhArena *arena, PhGraph *graph,
							   uint32_t **leap) PH_MUST_CHECK;

/* Is e followed on its entity by another event? */
static inline bool
ph_task_has_next(const PhTaskParts *parts, uint32_t e)
{
	return e + 1 < parts->n_events && parts->entity[e] == parts->entity[e + 1];
}

/* Is e a serial's event, followed by one of the serial after it? */
static inline bool
ph_task_serial_goes_on(const PhTaskParts *parts, uint32_t e)
{
	return parts->options->order_serials && ph_task_has_next(parts, e) &&
		   parts->serial[e] + 1 == parts->serial[e + 1] &&
		   (parts->serial[e] >= 0 || parts->options->compat);
}

static inline uint32_t
ph_task_block(const PhTaskParts *parts, uint32_t e)
{
	return parts->trace->event_block[parts->event[e]];
}

static inline int64_t
ph_task_time(const PhTaskParts *parts, uint32_t e)
{
	return parts->trace->event_time[parts->event[e]];
}

/* Nothing in the trace caused it. */
static inline bool
ph_task_is_source(const PhTaskParts *parts, uint32_t e)
{
	if ((parts->flags[e] & PH_TE_RECEIVE) == 0)
		return true;
	return parts->partner[e] == PH_NONE && !parts->options->compat;
}

/* Does its part start with it in its block? */
static inline bool
ph_task_starts_part(const PhTaskParts *parts, uint32_t e)
{
	uint32_t before = parts->link_prev[e];
	return before == PH_NONE || parts->part[before] != parts->part[e];
}

#endif
