/*
 * flat.h - the stored form of a profile: versioned, little-endian, position-independent.
 *
 * ph_profile_unflatten trusts nothing: every count is checked against the bytes that are there
 * before anything is allocated, and the result passes ph_profile_check. The layout is described in
 * profile/flat.c; older versions stay readable.
 *
 * A skeleton is the same form without metrics: the tree as the warehouse stores it once per run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_FLAT_H
#define PH_PROFILE_FLAT_H

#include "profile/profile.h"

#define PH_PROFILE_FLAT_VERSION 3

/* Exact bytes ph_profile_flatten will write. */
PhStatus ph_profile_flat_size(PhEnv *env, const PhProfile *profile, size_t *out) PH_MUST_CHECK;

/* Write exactly that many bytes. The same profile always gives the same bytes. Fails only when it
 * is interrupted. */
PhStatus ph_profile_flatten(PhEnv *env, const PhProfile *profile, uint8_t *out) PH_MUST_CHECK;

PhStatus ph_profile_unflatten(PhEnv *env, const uint8_t *bytes, size_t size,
							  PhProfile **out) PH_MUST_CHECK;

/*
 * Of a stored tree only which node is below which: n_nodes, parent, subtree_end and depth, in
 * memory of the arena. Regions and strings are not looked at.
 */
PhStatus ph_profile_unflatten_shape(PhArena *arena, const uint8_t *bytes, size_t size,
									PhProfile *out) PH_MUST_CHECK;

/* The tree, regions and strings alone: no metrics, columns, marks or provenance. */
PhStatus ph_profile_skeleton(PhEnv *env, const PhProfile *profile, PhProfile **out) PH_MUST_CHECK;

/*
 * A profile with room for values: the tree of skeleton, the given columns and metrics, zeroed value
 * arrays (flow and value metrics) for the cells that presence names and those of their ancestors;
 * NULL: every node is in every column. Column specs' strings are copied; columns keep the given
 * order, which should be ph_column_compare's. The caller (profile(run) in the server) fills
 * exclusive and inclusive span by span (profile/cells.h), then calls ph_profile_complete.
 */
struct PhColumnSpec;
struct PhMetricSpec;
struct PhPresence;
PhStatus ph_profile_with_room(PhEnv *env, const PhProfile *skeleton, uint32_t n_columns,
							  const struct PhColumnSpec *columns, uint32_t n_metrics,
							  const struct PhMetricSpec *metrics, const struct PhPresence *presence,
							  PhProfile **out) PH_MUST_CHECK;

/*
 * The same without arrays. ph_profile_make_unset_room makes them later, and whoever calls it writes
 * every element; until then metrics may have means by node (PhMetric).
 */
PhStatus ph_profile_with_cells(PhEnv *env, const PhProfile *skeleton, uint32_t n_columns,
							   const struct PhColumnSpec *columns, uint32_t n_metrics,
							   const struct PhMetricSpec *metrics,
							   const struct PhPresence *presence, PhProfile **out) PH_MUST_CHECK;
PhStatus ph_profile_make_unset_room(PhProfile *profile) PH_MUST_CHECK;

/* Derive residual = inclusive - exclusive - sum of children (beyond rounding) where it is not 0. */
PhStatus ph_profile_complete(PhEnv *env, PhProfile *profile) PH_MUST_CHECK;

#endif
