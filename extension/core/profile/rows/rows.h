/*
 * rows.h - tables computed from one profile: flame graph, hot path, tree text.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_ROWS_H
#define PH_PROFILE_ROWS_H

#include "profile/profile.h"

/*
 * Flame graph in depth-first order, one root (synthetic when the forest has several): level, label,
 * value = inclusive, self = exclusive + absorbed + residual. Children are clamped to their parent;
 * *n_clamped says how often, and where it was so, self is what the children leave. Labels point
 * into the profile. A metric that does not add up is PH_ERR_VALUE; a signed profile is PH_ERR_VALUE
 * with a hint to flame_diff.
 */
typedef struct PhFlameRow
{
	uint32_t node; /* PH_NONE: the synthetic root */
	uint32_t level;
	const char *label;
	double value;
	double self;
	double value_before; /* flame_diff: A's; value is B's */
	double self_before;
	uint32_t n_others; /* boxes: nodes that the row stands for; 0: its own only */
	double more, less; /* of others of a difference: what they have more and less than before */
} PhFlameRow;

PhStatus ph_rows_flame(PhArena *arena, const PhProfile *profile, uint32_t metric, PhFlameRow **rows,
					   uint32_t *n_rows, uint64_t *n_clamped) PH_MUST_CHECK;

/*
 * The same for a picture of so many pixels: what is under a share `least` of the whole is, with all
 * above it, one row for each parent, behind its other children, without node and label. Both kinds
 * of rows keep value = self + the values of the rows above it; rows are at most twice those that
 * are as large as that, and one.
 */
PhStatus ph_rows_flame_boxes(PhArena *arena, const PhProfile *profile, uint32_t metric,
							 double least, PhFlameRow **rows, uint32_t *n_rows) PH_MUST_CHECK;

/*
 * Differential flame graph of the union: width = B, both values of every node, clamped as above.
 * metric NULL: the primary one of a. Nodes are those of ph_profile_diff(a, b). Labels are copied.
 */
PhStatus ph_rows_flame_diff(PhArena *arena, const PhProfile *a, const PhProfile *b,
							const char *metric, PhFlameRow **rows, uint32_t *n_rows) PH_MUST_CHECK;

/*
 * The same for a picture, as ph_rows_flame_boxes: what B has under the share `least` of its whole
 * is added up, on both sides. Rises and falls of the self cost of all call paths in such a row are
 * summed apart, since their difference would hide what cancels out. What only A has keeps its rows.
 */
PhStatus ph_rows_flame_diff_boxes(PhArena *arena, const PhProfile *a, const PhProfile *b,
								  const char *metric, double least, PhFlameRow **rows,
								  uint32_t *n_rows) PH_MUST_CHECK;

/* docs/design/supergraph.md 7; a difference is followed by its amount, a cost of 0 is not hot.
 * Nodes from the start to the hot spot. start PH_NONE: the heaviest root. */
PhStatus ph_rows_hot_path(PhArena *arena, const PhProfile *profile, uint32_t metric, double share,
						  uint32_t start, uint32_t **nodes, uint32_t *n_nodes) PH_MUST_CHECK;

/*
 * Indented tree as text, one line a node (value, share, name, marks); limited depth and share. Deep
 * nodes are indented by their nearest 48 levels and a number, so that the text is linear in the
 * nodes.
 */
PhStatus ph_rows_tree_text(PhArena *arena, const PhProfile *profile, uint32_t metric,
						   uint32_t max_depth, double min_share, char **out) PH_MUST_CHECK;

#endif
