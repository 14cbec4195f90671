/*
 * diff_internal.h - shared by the files that compare two traces.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_COMPARE_DIFF_INTERNAL_H
#define PH_LOGICAL_COMPARE_DIFF_INTERNAL_H

#include "logical/clusters/shape.h"
#include "logical/compare/align.h"
#include "logical/compare/diff.h"

/* One of the two traces. */
typedef struct PhDiffSide
{
	PhEnv *env;
	const PhLogicalMetrics *metrics;
	const PhLogical *logical;
	const PhLogicalModel *model;
	uint64_t *event_key;  /* what is called from where */
	uint64_t *caller_key; /* from where */
	uint64_t *phase_key[PH_ALIGN_KEYS];
	uint64_t *identity;	   /* by phase: logical/identity.h */
	PhPhaseShape *shape;   /* by phase */
	uint32_t *first_event; /* by bucket + 1: events[first..next first), in order of timelines */
	uint32_t *events;
} PhDiffSide;

typedef struct PhDiffer
{
	PhEnv *env;
	PhArena arena;
	PhDiffSide side[2];
	bool by_shape;		/* the runs are of different kinds */
	uint32_t *place[2]; /* by timeline, of the phase pair at hand: equal for what is aligned, else
						 * PH_NONE */
	uint32_t *event_at; /* by place: PH_NONE but for a moment */
	uint64_t *message_key[2]; /* of a step's messages */
	uint32_t *order[2], *buffer;
	PhDiffRow *rows;
	uint32_t n_rows;
} PhDiffer;

/* Keys and shapes of a side's phases; same_ranks: timelines can be told apart by number. */
PhStatus ph_diff_know_phases(PhArena *arena, PhDiffSide *side, bool same_ranks,
							 bool by_shape) PH_MUST_CHECK;

/* partner: by phase of a, PH_NONE: none. */
PhStatus ph_diff_align_phases(PhDiffer *differ, uint32_t *partner) PH_MUST_CHECK;

/* What makes two aligned phases one. */
PhPhaseAlignment ph_diff_alignment_of(const PhDiffer *differ, uint32_t phase_a, uint32_t phase_b);

/* The row of a step of an aligned pair of phases; i and j count from the phases' first steps. */
PhStatus ph_diff_add_row(PhDiffer *differ, const PhDiffPhase *pair, uint32_t i,
						 uint32_t j) PH_MUST_CHECK;

#endif
