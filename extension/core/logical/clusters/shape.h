/*
 * shape.h - phases of runs whose functions have nothing in common, aligned by their shape.
 *
 * The shape of a phase: how many timelines take part, relative to the run's phase with the most
 * messages; how many messages and partners a timeline has; the most messages that one receives;
 * whether messages go both ways. Sizes are compared as they are and in parts of the run's greatest,
 * and the greater likeness counts: a stencil has more neighbours on average where more ranks have
 * some on all sides. Collectives and trees of messages (reductions, broadcasts) are one
 * kind of phase, exchanges the other; of two phases with collectives of which none is the same
 * operation nothing is alike. The alignment is monotone and has the greatest sum of
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

#define PH_SHAPE_SIZES 3

typedef struct PhPhaseShape
{
	uint8_t kind;					 /* PhShapeKind */
	double timelines;				 /* relative to the phase with the most messages, at most 1 */
	double messages;				 /* sent within the phase, by timeline */
	double partners;				 /* by timeline */
	double received;				 /* the most by one timeline */
	double both_ways;				 /* share of the pairs of timelines that send to each other */
	double relative[PH_SHAPE_SIZES]; /* messages, partners, received: in parts of the run's most */
	uint32_t operations; /* 1 << PhCollective of its collectives; 0: none, as tasks have them */
} PhPhaseShape;

/* out: one by phase. */
PhStatus ph_phase_shapes(PhEnv *env, const PhLogical *logical, PhPhaseShape *out) PH_MUST_CHECK;

/*
 * Phases of one class (logical/identity.h) get the mean of their shapes, of those that are of the
 * kind that most are: one that differs, because something came early, goes where the others go.
 */
PhStatus ph_shapes_of_classes(PhEnv *env, uint32_t n, const uint64_t *identities,
							  PhPhaseShape *shapes) PH_MUST_CHECK;

/* In thousandths; 0: less alike than PH_LEAST_SIMILARITY. */
#define PH_LEAST_SIMILARITY 500
uint32_t ph_shape_similarity(const PhPhaseShape *a, const PhPhaseShape *b);

/* partner[i]: the phase of b that a's i-th is aligned with, PH_NONE: none. */
PhStatus ph_align_shapes(PhEnv *env, const PhPhaseShape *a, uint32_t n, const PhPhaseShape *b,
						 uint32_t m, uint32_t *partner) PH_MUST_CHECK;

#endif
