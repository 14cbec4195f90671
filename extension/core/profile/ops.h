/*
 * ops.h - operations from profiles to profiles: reduce and combine.
 *
 * All are pure: inputs are not changed, results are in normal form, deterministic and independent
 * of the inputs' history. Each appends a note to the result's provenance.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_OPS_H
#define PH_PROFILE_OPS_H

#include "profile/profile.h"

/* ---- reduce ---- */

typedef enum PhStat
{
	PH_STAT_MEAN = 0,
	PH_STAT_MAX = 1
} PhStat;

/*
 * Keep the functions whose recursion-safe total reaches share of the whole; splice the rest:
 * children go to the nearest kept ancestor, exclusive cost into its `absorbed`. Roots stay. The
 * result keeps the unfiltered profile. docs/design/supergraph.md 1. metric: index; of a ratio the
 * time in it decides, else what it is divided by. cost: PH_COST_INCLUSIVE or _EXCLUSIVE.
 */
PhStatus ph_profile_filter(PhEnv *env, const PhProfile *profile, double share, PhStat stat,
						   uint32_t metric, PhCost cost, PhProfile **out) PH_MUST_CHECK;

/*
 * The same by the inclusive mean, of a profile that is given away: it goes with the result, which
 * else keeps a copy, and is freed on failure.
 */
PhStatus ph_profile_filter_given(PhEnv *env, PhProfile *profile, double share, uint32_t metric,
								 PhProfile **out) PH_MUST_CHECK;

/*
 * Leaves out the trees whose roots' mean inclusive costs are under a share of the whole, and what
 * they cost, unless that is most of the whole: beside many small roots a picture would show little
 * else. Errors as filter.
 */
PhStatus ph_profile_drop_roots(PhEnv *env, const PhProfile *profile, double share, uint32_t metric,
							   PhProfile **out) PH_MUST_CHECK;

/*
 * As filter, of functions that only pass cost on: what all instances of a function keep of their
 * inclusive costs, beside what goes to the heaviest callee of each, is under a share of the whole.
 * Long chains of wrappers become short; what branches off, or is spent, stays where it is. Roots
 * stay. docs/design/supergraph.md 1. Errors as filter.
 */
PhStatus ph_profile_drop_passages(PhEnv *env, const PhProfile *profile, double share,
								  uint32_t metric, PhProfile **out) PH_MUST_CHECK;

/* The same of a profile that is given away, as ph_profile_filter_given takes it. */
PhStatus ph_profile_drop_passages_given(PhEnv *env, PhProfile *profile, double share,
										uint32_t metric, PhProfile **out) PH_MUST_CHECK;

/*
 * Which nodes stay by inclusive means when small roots are dropped and the rest is filtered, both
 * with one share: keep[node] of all nodes. O(cells). Errors as filter.
 */
PhStatus ph_profile_filter_marks(PhArena *arena, const PhProfile *profile, double share,
								 uint32_t metric, bool *keep) PH_MUST_CHECK;

/* Splice every node whose keep[node] is false (roots always stay), as filter does. */
PhStatus ph_profile_splice(PhEnv *env, const PhProfile *profile, const bool *keep, const char *note,
						   PhProfile **out) PH_MUST_CHECK;

/*
 * Keep the nodes with keep[node]; a kept node hangs below its nearest kept ancestor, else becomes a
 * root. Costs of dropped nodes are lost (that is what squash means); equal siblings are merged.
 */
PhStatus ph_profile_squash(PhEnv *env, const PhProfile *profile, const bool *keep, const char *note,
						   PhProfile **out) PH_MUST_CHECK;

/* Keep the columns with keep[column]; nodes absent from all of them stay, marked absent. */
PhStatus ph_profile_subset(PhEnv *env, const PhProfile *profile, const bool *keep,
						   PhProfile **out) PH_MUST_CHECK;

/* Keep some metrics, in the given order; ratios bring what they are made of, at the end. */
PhStatus ph_profile_select_metrics(PhEnv *env, const PhProfile *profile, uint32_t n,
								   const uint32_t *metrics, PhProfile **out) PH_MUST_CHECK;

/*
 * The subtree below node. reroot: node becomes a root of its own (so that subtrees of one run can
 * be compared); else its ancestors stay, with no cost of their own.
 */
PhStatus ph_profile_subtree(PhEnv *env, const PhProfile *profile, uint32_t node, bool reroot,
							PhProfile **out) PH_MUST_CHECK;

/*
 * Bottom-up view: roots are functions whose inclusive is the functions' exclusive cost, children
 * their callers. PH_ERR_LIMIT when the paths are too long in sum (2^25 steps).
 */
PhStatus ph_profile_invert(PhEnv *env, const PhProfile *profile, PhProfile **out) PH_MUST_CHECK;

/*
 * Merge columns that have the same group number (0..n_groups-1); a column with group PH_NONE is
 * dropped. Flow metrics add up. columns[group] describes the new columns; its strings are
 * `profile`'s.
 */
PhStatus ph_profile_roll_up(PhEnv *env, const PhProfile *profile, const uint32_t *group,
							uint32_t n_groups, const PhColumn *columns,
							PhProfile **out) PH_MUST_CHECK;

/*
 * Roll up by a level of the columns: "rank" or "process" (adds up threads and iterations), "thread"
 * (iterations), "host", "iteration" (ranks), "run", "all"; always within a run, but for "all".
 */
PhStatus ph_profile_roll_up_by(PhEnv *env, const PhProfile *profile, const char *level,
							   PhProfile **out) PH_MUST_CHECK;

/*
 * Merge columns that have the same label (one per column; NULL: the column is dropped), in the
 * order of first columns. Flow metrics add up, or become means over the group's columns (absent =
 * 0); others combine in their own way.
 */
PhStatus ph_profile_roll_up_labels(PhEnv *env, const PhProfile *profile, const char *const *labels,
								   bool means, PhProfile **out) PH_MUST_CHECK;

/*
 * The profile as a reader would hand it to a load: nothing is absorbed, nothing is marked, nested
 * profiles are gone, and exclusives are what inclusives leave, residuals where they cannot be.
 * PH_ERR_VALUE when a cell has no number.
 */
PhStatus ph_profile_settle(PhEnv *env, const PhProfile *profile, PhProfile **out) PH_MUST_CHECK;

typedef struct PhCodeNames
{
	const char *name, *library, *file;
} PhCodeNames;

typedef struct PhUnitNames
{
	const char *host, *name;
} PhUnitNames;

/*
 * The same costs under other names, one of each region and column of the profile (columns: NULL
 * where there are none, as of a tree alone). Regions that get the same name become one; siblings
 * and columns are sorted by their new names; nested profiles are gone.
 */
PhStatus ph_profile_rename(PhEnv *env, const PhProfile *profile, const PhCodeNames *regions,
						   const PhUnitNames *columns, PhProfile **out) PH_MUST_CHECK;

/* ---- combine ---- */

typedef enum PhArithmetic
{
	PH_SUBTRACT,
	PH_ADD,
	PH_MULTIPLY,
	PH_DIVIDE
} PhArithmetic;

/*
 * a op b on the union of the trees, matched by path of identities (callpath_id), metric by name,
 * column by coordinates when both have the same ones, else on means over columns (one column).
 * null + x = x for add; for subtract an absent operand counts 0 and the node is marked (in a - b, a
 * is what comes after). Multiply and divide give PH_METRIC_VALUE metrics (not flow): absent where
 * an operand is absent, NaN (undefined) over 0. Metrics that only one operand has are left out;
 * none in common is PH_ERR_NOT_FOUND, another unit under one name PH_ERR_CONFLICT.
 */
PhStatus ph_profile_arithmetic(PhEnv *env, const PhProfile *a, const PhProfile *b, PhArithmetic op,
							   PhProfile **out) PH_MUST_CHECK;

/* a op scalar: multiply and divide keep flow. */
PhStatus ph_profile_scale(PhEnv *env, const PhProfile *profile, double factor,
						  PhProfile **out) PH_MUST_CHECK;

/*
 * How much changed: one column of means over columns, in which the own costs of signed flow metrics
 * have no sign and inclusives are their sums. So no change hides in another of the other sign, and
 * callers have at least what their callees have. Other metrics stay.
 */
PhStatus ph_profile_gross(PhEnv *env, const PhProfile *profile, PhProfile **out) PH_MUST_CHECK;

/*
 * The metric in another unit: values are converted within a dimension, and keep their numbers where
 * the unit was not known. PH_ERR_CONFLICT for a unit of another dimension.
 */
#define PH_UNIT_MAX 64 /* bytes */
PhStatus ph_profile_with_unit(PhEnv *env, const PhProfile *profile, uint32_t metric,
							  const char *unit, PhProfile **out) PH_MUST_CHECK;

/*
 * diff(a, b) = b - a on means over all columns of each (different rank counts are fine), with
 * diff_status marks and the unified operands kept in before/after. diff(a, a) = 0 everywhere.
 */
PhStatus ph_profile_diff(PhEnv *env, const PhProfile *a, const PhProfile *b,
						 PhProfile **out) PH_MUST_CHECK;

/*
 * a on the nodes that b has too, matched by path of identities (present in any column). What a's
 * other nodes cost is absorbed by the nearest node that stays, so its inclusives do not change;
 * roots that b lacks go with all below. Nothing in common is PH_ERR_NOT_FOUND.
 */
PhStatus ph_profile_intersect(PhEnv *env, const PhProfile *a, const PhProfile *b,
							  PhProfile **out) PH_MUST_CHECK;

/* The same with the nodes that are present in every column: of all runs of an ensemble. */
PhStatus ph_profile_intersect_columns(PhEnv *env, const PhProfile *profile,
									  PhProfile **out) PH_MUST_CHECK;

/*
 * Nodes by path of identities: node_of[node of a] = the same node of b, or PH_NONE. O(nodes).
 */
PhStatus ph_profile_pair_nodes(PhEnv *env, const PhProfile *a, const PhProfile *b,
							   uint32_t *node_of) PH_MUST_CHECK;

/*
 * Columns by coordinates, as in arithmetic: (*out)[i] is the column of b for a's column i; *out is
 * NULL when the two do not have the same ones.
 */
PhStatus ph_profile_pair_columns(PhArena *arena, const PhProfile *a, const PhProfile *b,
								 uint32_t **out) PH_MUST_CHECK;

/*
 * Union of n profiles by path of identities. Column k of the result = profile k reduced to its mean
 * over columns (absent = 0); present where profile k has the node. labels[k] names the column.
 */
PhStatus ph_profile_ensemble(PhEnv *env, uint32_t n, const PhProfile *const *profiles,
							 const char *const *labels, PhProfile **out) PH_MUST_CHECK;

/* Sum or mean of n profiles with the columns of arithmetic(); order does not change the bytes. */
PhStatus ph_profile_sum(PhEnv *env, uint32_t n, const PhProfile *const *profiles, bool mean,
						PhProfile **out) PH_MUST_CHECK;

#endif
