/*
 * logical.h - logical structure of a trace: phases, their graph, and the step of every event.
 *
 * A phase is a set of events that belong together: both ends of every message, all members of every
 * collective. It is one interval of every timeline that it touches; the phase graph is acyclic.
 * Phases are numbered by (first step, smallest timeline, first event there). Steps are even
 * numbers, events of a later phase have greater ones; step - 1 hosts the aggregate event, the time
 * between an event and the one before it. Method: docs/design/logical-time.md 1.5-1.11.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_LOGICAL_H
#define PH_LOGICAL_LOGICAL_H

#include "logical/model.h"

#define PH_STEP_STRIDE 2 /* of processes: odd steps are the aggregates'; tasks have none */

/* Why events are in one phase: the last kind of merge that joined any of its parts. */
typedef enum PhMergeReason
{
	PH_MERGE_NONE,		   /* a lone event, or one run of sends */
	PH_MERGE_SERIAL_BLOCK, /* tasks: what nothing can interrupt */
	PH_MERGE_WAIT_GROUP,
	PH_MERGE_CALL,
	PH_MERGE_FUNCTION,
	PH_MERGE_MESSAGE,
	PH_MERGE_COLLECTIVE,
	PH_MERGE_CYCLE,
	PH_MERGE_SPLIT_BLOCK, /* tasks: blocks that were split at the runtime */
	PH_MERGE_SERIALS,	  /* tasks: serials that follow those of one phase */
	PH_MERGE_INFERRED,	  /* tasks: what inferred dependencies bring into a circle */
	PH_MERGE_LEAP,
	PH_MERGE_GLOBAL,
	PH_MERGE_CHAIN, /* small parts of one kind, each after the other */
	PH_MERGE_REASONS
} PhMergeReason;

/* "none", "wait group", "call", "function", "message", … */
const char *ph_merge_reason_name(uint32_t reason);

typedef struct PhLogical
{
	PhArena arena;
	const PhLogicalModel *model;
	uint32_t n_phases, n_members, n_edges;
	int32_t stride;	   /* between neighbours' steps: PH_STEP_STRIDE, for tasks 1 */
	int32_t last_step; /* of all; -1 without events */
	uint32_t
		split_collectives; /* whose members could not share a step: they depend on each other */
	uint32_t cut_messages; /* that no order of events can respect: ignored for steps */

	/* by event */
	uint32_t *phase;
	int32_t *step;
	uint32_t *binding; /* the event that this one's step was computed from, PH_NONE: none */

	/* by phase */
	int32_t *first_step, *last_step_of;
	uint32_t *leap;	   /* longest way from a source of the phase graph */
	uint8_t *reason;   /* PhMergeReason */
	uint16_t *reasons; /* 1 << (reason - 1) of all merges within, but PH_MERGE_NONE */
	uint32_t *n_events_of;
	uint32_t *first_member; /* n_phases + 1: members[first..next first), by timeline */
	uint32_t *member_first, *member_last; /* by member: its events on one timeline */
	uint32_t *first_edge; /* n_phases + 1: phases that follow it directly, ascending */
	uint32_t *edge_target;
} PhLogical;

/* model must outlive the result. */
PhStatus ph_logical_build(PhEnv *env, const PhLogicalModel *model, const PhLogicalOptions *options,
						  PhLogical *out) PH_MUST_CHECK;
void ph_logical_free(PhLogical *logical);

#endif
