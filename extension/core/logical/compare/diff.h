/*
 * diff.h - two traces compared by logical structure: phases, then steps, then processes.
 *
 * Phases are aligned as sequences, never by time: by their classes, then by the call paths of their
 * events; what is left between those that were aligned, by shape in the same order; steps within
 * aligned phases by what is called where; processes by rank when both traces have as many, else by
 * position when the phases have, else by role: what they call in which order with how many
 * messages. Where none does the same in both, only totals of steps are compared. A run of tasks and
 * one of processes have no names in common: phases are aligned by shape (logical/clusters/shape.h),
 * steps by who sends or receives, ranks with chares by position in exchanges of as many, else not.
 * Of two traces of one program that differ in time only, every difference of time is at the step
 * where it arose or later.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_COMPARE_DIFF_H
#define PH_LOGICAL_COMPARE_DIFF_H

#include "logical/metrics.h"

typedef enum PhTraceDiffStatus
{
	PH_IN_BOTH,
	PH_ONLY_IN_A,
	PH_ONLY_IN_B
} PhTraceDiffStatus;

/* "both", "only a", "only b" */
const char *ph_trace_diff_status_name(uint32_t status);

typedef enum PhRankAlignment
{
	PH_RANKS_NONE, /* they cannot be aligned, or there is nothing to align with */
	PH_RANKS_BY_RANK,
	PH_RANKS_BY_POSITION, /* the i-th of one phase is the i-th of the other */
	PH_RANKS_BY_ROLE	  /* the i-th that does the same in both; others are not aligned */
} PhRankAlignment;

typedef enum PhPhaseAlignment
{
	PH_PHASES_NONE,
	PH_PHASES_BY_CLASS,	  /* the same in both: logical/identity.h */
	PH_PHASES_BY_CALLS,	  /* mostly the same events, in another order or by other roles */
	PH_PHASES_BY_CALLERS, /* other calls from the same functions */
	PH_PHASES_BY_SHAPE	  /* in the same place, as like as shapes are */
} PhPhaseAlignment;

/* "none", "class", "calls", "callers", "shape" */
const char *ph_phase_alignment_name(uint32_t alignment);

/* "none", "rank", "position", "role" */
const char *ph_rank_alignment_name(uint32_t alignment);

typedef struct PhDiffPhase
{
	uint32_t phase_a, phase_b; /* PH_NONE: only in the other */
	uint8_t status;			   /* PhTraceDiffStatus */
	uint8_t ranks;			   /* PhRankAlignment */
	uint8_t aligned_by;		   /* PhPhaseAlignment */
	uint64_t class_a, class_b; /* logical/identity.h; 0: only in the other */
	uint32_t first_row, n_rows;
} PhDiffPhase;

/*
 * One step of an aligned pair, or a step that only one side has. Deltas are b - a; of the aligned
 * events' values the one that changed most, 0 when nothing is aligned. Without aligned processes
 * they are differences of the steps' greatest values.
 */
typedef struct PhDiffRow
{
	uint32_t phase_a, phase_b; /* PH_NONE: none */
	int32_t step_a, step_b;	   /* -1: none */
	uint8_t status;			   /* PhTraceDiffStatus */
	uint32_t events_a, events_b, events_aligned;
	uint32_t messages_a, messages_b; /* sent at the step */
	uint32_t messages_only_a,
		messages_only_b; /* between aligned processes, by sender and receiver */
	uint64_t bytes_a, bytes_b;
	int64_t delta_lateness, delta_aggregate_lateness;
	int64_t delta_differential; /* of events and aggregates: where a change of lateness arose */
	int64_t delta_duration;		/* of the events' times within their calls */
	uint32_t event_a, event_b;	/* of the greatest change of lateness or aggregate lateness */
} PhDiffRow;

typedef struct PhTraceDiff
{
	PhArena arena;
	uint32_t n_phases, n_rows;
	PhDiffPhase *phases; /* in order of a, what is only in b before what follows it */
	PhDiffRow *rows;	 /* by phase, in the same order of steps */
} PhTraceDiff;

/* Whether one is a run of tasks and the other of processes. */
bool ph_trace_kinds_differ(const PhLogicalMetrics *a, const PhLogicalMetrics *b);

PhStatus ph_trace_diff(PhEnv *env, const PhLogicalMetrics *a, const PhLogicalMetrics *b,
					   PhTraceDiff *out) PH_MUST_CHECK;
void ph_trace_diff_free(PhTraceDiff *diff);

#endif
