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
	PhPhaseShape *shape;   /* by phase, instead of the others, of runs of different kinds */
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

/* The row of a step of an aligned pair of phases; i and j count from the phases' first steps. */
PhStatus ph_diff_add_row(PhDiffer *differ, const PhDiffPhase *pair, uint32_t i,
						 uint32_t j) PH_MUST_CHECK;

#endif
