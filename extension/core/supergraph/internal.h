/*
 * internal.h - what the files of the super graph share: labels, placement, drafts.
 *
 * A draft is a partition under construction: segments, and supernodes in any order with names still
 * to be made unique. ph_draft_finish turns it into a PhSupergraph: drops empty supernodes, finds
 * levels, edges and counts, and sorts, so that equal partitions give equal bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPERGRAPH_INTERNAL_H
#define PH_SUPERGRAPH_INTERNAL_H

#include <math.h>

#include "base/reach.h"
#include "supergraph/supergraph.h"

/* A quotient; undefined (NaN) when the denominator is 0. */
static inline double
ph_ratio(double numerator, double denominator)
{
	return denominator == 0 ? NAN : numerator / denominator;
}

/* ---- filtered and unfiltered nodes (supergraph/image.c) ---- */

typedef struct PhImage
{
	uint32_t *node; /* per unfiltered node: itself, or its nearest kept ancestor, filtered */
	bool *kept;		/* per unfiltered node */
	uint32_t
		*origin; /* per filtered node: the first unfiltered one that it stands for, or PH_NONE */
} PhImage;

PhStatus ph_image_find(PhArena *arena, const PhProfile *whole, const PhProfile *filtered,
					   PhImage *out) PH_MUST_CHECK;

/* ---- labels (supergraph/label.c) ---- */

typedef struct PhLabels
{
	uint32_t n_labels;
	const char **names; /* as shown, unique; label numbers follow the byte order of the names */
	uint32_t *of_node;	/* label of every node; PH_NONE outside */
} PhLabels;

/*
 * The label of every node at one level (docs/design/supergraph.md 2). A null label is the nearest
 * ancestor's in the unfiltered tree: a loop belongs to its function also when a filter removed
 * that. inside NULL: all nodes; else only nodes with inside[node], which inherit from nodes inside
 * and removed ones.
 */
PhStatus ph_labels_make(PhArena *arena, const PhProfile *profile, PhGroupBy by, const bool *inside,
						PhLabels *out) PH_MUST_CHECK;

/* ---- placement (supergraph/forward.c, supergraph/place.c) ---- */

/* A forest of segments in pre-order: parent[s] < s or PH_NONE. */
typedef struct PhSegmentForest
{
	uint32_t n;
	uint32_t *parent;
	uint32_t *label;
	double *weight; /* mean inclusive of the entry */
	uint32_t n_labels;
} PhSegmentForest;

/* How the label pairs of a forest relate: docs/design/supergraph.md 3.3 A and B. */
typedef struct PhForward
{
	uint32_t *cycle_of; /* per label: its strongly connected set of labels */
	uint32_t n_cycles;
	uint32_t *n_back;	  /* per segment: back pairs on the way from the root */
	PhReachMethod method; /* what suits graphs over these labels */
} PhForward;

PhStatus ph_forward_labels(PhArena *arena, const PhSegmentForest *forest,
						   PhForward *out) PH_MUST_CHECK;

typedef struct PhPlacement
{
	uint32_t n_supernodes;
	uint32_t *of_segment; /* supernode of every segment */
	uint32_t *label;	  /* per supernode */
	uint32_t *duplicate;  /* per supernode: its index among those of its label */
} PhPlacement;

PhStatus ph_place_segments(PhArena *arena, const PhSegmentForest *forest,
						   PhPlacement *out) PH_MUST_CHECK;

/* The value by which nodes are weighed when the partition is made (mean over columns). */
double ph_supergraph_weight(const PhProfile *profile, uint32_t node);

/* ---- drafts (supergraph/draft.c) ---- */

typedef struct PhDraftSupernode
{
	const char *name;
	const char *label;
	uint32_t duplicate;
	bool ambiguous;
} PhDraftSupernode;

typedef struct PhDraft
{
	uint32_t n_segments;
	uint32_t *segment_of; /* node -> segment */
	PhSegment *segments;
	uint32_t n_supernodes;
	uint32_t capacity;
	PhDraftSupernode *supernodes;
	const char *group_by;
	uint32_t n_steps;
	const PhSupergraphStep *steps;
} PhDraft;

/* The partition of a graph as a draft, with the steps of the graph and, when given, one more. */
PhStatus ph_draft_from(PhArena *arena, const PhSupergraph *graph, const PhSupergraphStep *step,
					   PhDraft *out) PH_MUST_CHECK;

/* Segments of a forest whose nodes carry atom numbers: children with another atom are entries. */
PhStatus ph_draft_segments(PhArena *arena, const PhProfile *profile, const uint32_t *atom,
						   PhDraft *draft) PH_MUST_CHECK;

/* One more supernode; *out is its number. */
PhStatus ph_draft_add(PhArena *arena, PhDraft *draft, const PhDraftSupernode *supernode,
					  uint32_t *out) PH_MUST_CHECK;

/*
 * Make the graph; it takes over the profile on success. A partition with a cycle, or with a
 * supernode that calls itself, is PH_ERR_FORMAT (it can only come from damaged bytes).
 */
PhStatus ph_draft_finish(PhEnv *env, PhArena *scratch, const PhDraft *draft, PhProfile *profile,
						 PhSupergraph **out) PH_MUST_CHECK;

/* ---- refinements: the partition of graph after one more step ---- */

/* supergraph/split.c: the three splits; supergraph/drill.c: drill down. */
PhStatus ph_split_draft(PhArena *arena, const PhSupergraph *graph, uint32_t node,
						const PhSupergraphStep *step, PhDraft *out) PH_MUST_CHECK;
PhStatus ph_drill_draft(PhArena *arena, const PhSupergraph *graph, uint32_t node,
						const PhSupergraphStep *step, PhDraft *out) PH_MUST_CHECK;

/*
 * Do a recorded step again (supergraph/refine.c). *graph is replaced, its profile moves on. A step
 * whose supernode or functions are gone changes nothing.
 */
PhStatus ph_supergraph_replay(PhEnv *env, const PhSupergraphStep *step,
							  PhSupergraph **graph) PH_MUST_CHECK;

/* ---- functions by family (supergraph/mpi_names.c) ---- */

bool ph_is_mpi_collective(const char *function);
bool ph_is_mpi_point_to_point(const char *function);

/* ---- what a name tells of the programming model (supergraph/paradigm.c) ---- */

typedef enum PhNamedParadigm
{
	PH_NAMED_MPI,
	PH_NAMED_OPENMP,
	PH_NAMED_USER, /* any other name */
	PH_NAMED_COUNT
} PhNamedParadigm;

extern const char *const ph_named_paradigms[PH_NAMED_COUNT];

PhNamedParadigm ph_paradigm_by_name(const char *name);

#endif
