/*
 * rows.h - tables computed from one profile: flat profile, flame graph, hot path,
 * imbalance, tree text, statistics of a vector.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_ROWS_H
#define PH_PROFILE_ROWS_H

#include "profile/profile.h"

/* One line of a flat profile; sums are means over columns. Sorted by exclusive descending, then
 * name. */
typedef struct PhFlatRow
{
	const char *name;	 /* label as of ph_labels_make; by node: the region's name */
	uint32_t first_node; /* first member, for attributes */
	uint32_t n_nodes;	 /* members */
	double inclusive;	 /* recursion-safe: outermost instances only */
	double exclusive;
	double absorbed;
} PhFlatRow;

typedef enum PhGroupBy
{
	PH_GROUP_MODULE, /* module label, else library's base name */
	PH_GROUP_LIBRARY,
	PH_GROUP_FILE,
	PH_GROUP_FUNCTION, /* region name */
	PH_GROUP_KIND,
	PH_GROUP_NODE,	   /* every node its own group */
	PH_GROUP_PARADIGM, /* of the region, else derived from its name */
	PH_GROUP_COUNT	   /* stored in super graphs: never renumber */
} PhGroupBy;

/*
 * "paradigm", "module", "library", "file", "function"/"name", "kind", "node", coarse before fine;
 * PH_ERR_VALUE lists them otherwise.
 */
PhStatus ph_group_by_parse(PhEnv *env, const char *text, PhGroupBy *out) PH_MUST_CHECK;

/* A region's module label, else its library's base name; "" when it has neither. */
const char *ph_region_module(const PhProfile *profile, const PhRegion *region);

/*
 * The paradigm as measured, else what the name tells: "mpi", "openmp" or "user". Loops and
 * statements without one have "": they belong to the function around them.
 */
const char *ph_region_paradigm(const PhProfile *profile, const PhRegion *region);

/* "function", "region", "loop", "statement", "root". */
const char *ph_kind_name(uint8_t kind);

/*
 * Groups are the labels that super graphs use: a node without one belongs to its parent's, loops
 * and statements to the function around them. Ratios divide sums; other metrics that do not add up
 * are combined as they say. Names are copied into the arena. O(nodes * columns).
 */
PhStatus ph_rows_flat(PhArena *arena, const PhProfile *profile, uint32_t metric, PhGroupBy by,
					  PhFlatRow **rows, uint32_t *n_rows) PH_MUST_CHECK;

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
} PhFlameRow;

PhStatus ph_rows_flame(PhArena *arena, const PhProfile *profile, uint32_t metric, PhFlameRow **rows,
					   uint32_t *n_rows, uint64_t *n_clamped) PH_MUST_CHECK;

/*
 * Differential flame graph of the union: width = B, both values of every node, clamped as above.
 * metric NULL: the primary one of a. Nodes are those of ph_profile_diff(a, b). Labels are copied.
 */
PhStatus ph_rows_flame_diff(PhArena *arena, const PhProfile *a, const PhProfile *b,
							const char *metric, PhFlameRow **rows, uint32_t *n_rows) PH_MUST_CHECK;

/* docs/design/supergraph.md 7; a difference is followed by its amount, a cost of 0 is not hot.
 * Nodes from the start to the hot spot. start PH_NONE: the heaviest root. */
PhStatus ph_rows_hot_path(PhArena *arena, const PhProfile *profile, uint32_t metric, double share,
						  uint32_t start, uint32_t **nodes, uint32_t *n_nodes) PH_MUST_CHECK;

/* Statistics of one vector over columns (absent = 0); values that are not a number are left out. sd
 * is n-1; NaN where undefined. */
typedef struct PhVectorStats
{
	uint32_t n;
	double sum, mean, sd, min, max, median;
	uint32_t argmin, argmax;
	double imbalance_ratio;	 /* max / mean */
	double imbalance_excess; /* (max - mean) / mean */
	double imbalance_range;	 /* max - min */
	double lost;			 /* (max - mean) * n: unit-time lost to waiting for the slowest */
} PhVectorStats;

PhStatus ph_vector_stats(PhArena *arena, const double *values, uint32_t n,
						 PhVectorStats *out) PH_MUST_CHECK;

/* Indented tree as text, one line a node (value, share, name, marks); limited depth and share. */
PhStatus ph_rows_tree_text(PhArena *arena, const PhProfile *profile, uint32_t metric,
						   uint32_t max_depth, double min_share, char **out) PH_MUST_CHECK;

#endif
