/*
 * variance.h - how much of the variance of a vector a grouping of its elements explains.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_VARIANCE_H
#define PH_STATISTICS_VARIANCE_H

#include "base/arena.h"

typedef struct PhVarianceShare
{
	uint32_t n, n_groups; /* elements that are numbers and have a group; groups that have some */
	double share;		  /* sum of squares between groups / all, 0 to 1; NaN: nothing varies */
	double adjusted;  /* the same less what so many groups explain by chance (epsilon squared) */
	double p_value;	  /* of Fisher's F: chance that groups at random explain as much */
	uint32_t extreme; /* the group that alone, against all others, explains most */
	double extreme_share;	  /* what it explains so, of all */
	double mean_in, mean_out; /* of that group and of all others */
	uint32_t n_in;
} PhVarianceShare;

/*
 * One-way analysis of variance. groups[i] < n_groups, or PH_NONE: the element is left out, as is
 * NaN. Two groups with elements at least, and one element more than groups: else shares are NaN.
 * O(n + n_groups).
 */
PhStatus ph_variance_explain(PhArena *arena, const double *values, const uint32_t *groups,
							 uint32_t n, uint32_t n_groups, PhVarianceShare *out) PH_MUST_CHECK;

#endif
