/*
 * shape.h - phases of runs whose functions have nothing in common, aligned by their shape.
 *
 * The shape of a phase: how many timelines take part, relative to the run's phase with the most
 * messages; how many messages and partners a timeline has; the most messages that one receives;
 * whether messages go both ways. Collectives and trees of messages (reductions, broadcasts) are one
 * kind of phase, exchanges the other. The alignment is monotone and has the greatest sum of
 * similarities; between equally good ones, the next pair is the nearest. O(phases of a times phases
 * of b); runs with more than 16 million such pairs are aligned part by part.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CLUSTERS_SHAPE_H
#define PH_LOGICAL_CLUSTERS_SHAPE_H

#include "logical/logical.h"

typedef enum PhShapeKind
{
	PH_SHAPE_LONE,		 /* nothing between timelines */
	PH_SHAPE_COLLECTIVE, /* collectives only, or messages along a tree */
	PH_SHAPE_EXCHANGE
} PhShapeKind;

typedef struct PhPhaseShape
{
	uint8_t kind;	  /* PhShapeKind */
	double timelines; /* relative to the phase with the most messages, at most 1 */
	double messages;  /* sent within the phase, by timeline */
	double partners;  /* by timeline */
	double received;  /* the most by one timeline */
	double both_ways; /* share of the pairs of timelines that send to each other */
} PhPhaseShape;

/* out: one by phase. */
PhStatus ph_phase_shapes(PhEnv *env, const PhLogical *logical, PhPhaseShape *out) PH_MUST_CHECK;

/* In thousandths; 0: less alike than PH_LEAST_SIMILARITY. */
#define PH_LEAST_SIMILARITY 500
uint32_t ph_shape_similarity(const PhPhaseShape *a, const PhPhaseShape *b);

/* partner[i]: the phase of b that a's i-th is aligned with, PH_NONE: none. */
PhStatus ph_align_shapes(PhEnv *env, const PhPhaseShape *a, uint32_t n, const PhPhaseShape *b,
						 uint32_t m, uint32_t *partner) PH_MUST_CHECK;

#endif
