/*
 * internal.h - what the flame graphs share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_ROWS_INTERNAL_H
#define PH_PROFILE_ROWS_INTERNAL_H

#include "profile/rows/rows.h"

/* One series of a flame graph: what every node is worth. */
typedef struct PhFlameSeries
{
	double *value; /* in: inclusive cost; out: clamped to what the parent has left */
	double *self;  /* in: own cost; out: what the children leave where they were clamped */
	uint64_t n_clamped;
} PhFlameSeries;

/*
 * Make value[n] = self[n] + sum of value over the children of n hold without negative numbers, so
 * that the boxes of children fit above their parent. Rounding is not counted as clamping.
 */
PhStatus ph_flame_clamp(PhArena *scratch, const PhProfile *profile,
						PhFlameSeries *series) PH_MUST_CHECK;

/* Rows as ph_rows_flame_boxes has them, in place of all. */
PhStatus ph_flame_fold(PhArena *arena, double least, PhFlameRow **rows,
					   uint32_t *n_rows) PH_MUST_CHECK;

/* PH_ERR_VALUE unless the metric is flow, PH_ERR_VALUE with a hint when it is signed. */
PhStatus ph_flame_check(PhEnv *env, const PhProfile *profile, uint32_t metric) PH_MUST_CHECK;

#define PH_FLAME_ROOT "all" /* label of the synthetic root of a forest */

static inline bool
ph_profile_has_one_root(const PhProfile *profile)
{
	return profile->subtree_end[0] == profile->n_nodes;
}

#endif
