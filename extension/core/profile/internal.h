/*
 * internal.h - what the files that make profiles share: parts of a profile, rows of values.
 *
 * A profile is made in a fixed order, which numbers its strings: tree and regions (tree.h),
 * columns, metrics, sources, notes. PhMaker holds the profile under construction with its string
 * table and the memory that dies with the work.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_INTERNAL_H
#define PH_PROFILE_INTERNAL_H

#include "base/sort.h"
#include "base/table.h"
#include "profile/profile.h"

#define PH_ROUNDING 1e-9 /* relative difference that printing and adding numbers explain */

typedef struct PhMaker
{
	PhEnv *env;
	PhArena scratch;
	PhStrings strings; /* in the profile's arena */
	PhProfile *profile;
} PhMaker;

/* Start an empty profile. Whatever happens next, end with ph_maker_end. */
PhStatus ph_maker_begin(PhMaker *maker, PhEnv *env) PH_MUST_CHECK;

/*
 * Drop the scratch memory; status PH_OK: hand the profile over, else free it. Returns status, or
 * PH_ERR_VALUE when a flow metric is not finite. A value metric's cell that is not becomes NaN.
 */
PhStatus ph_maker_end(PhMaker *maker, PhStatus status, PhProfile **out) PH_MUST_CHECK;

/* Copies of parts of other profiles; strings are taken over into the maker's table. */
PhStatus ph_maker_column(PhMaker *maker, PhColumn *to, const PhProfile *from,
						 const PhColumn *column) PH_MUST_CHECK;
PhStatus ph_maker_columns(PhMaker *maker, const PhProfile *from) PH_MUST_CHECK;
/* Names, units and kinds of all metrics, without values. */
PhStatus ph_maker_metrics(PhMaker *maker, const PhProfile *from) PH_MUST_CHECK;
/* Presence and marks of a difference, for a profile of the same shape. */
PhStatus ph_maker_marks(PhMaker *maker, const PhProfile *from) PH_MUST_CHECK;
/* Sources, notes (and one more note unless NULL) and counters. */
PhStatus ph_maker_provenance(PhMaker *maker, const PhProfile *from, const char *note) PH_MUST_CHECK;

/* Give a flow or value metric zeroed exclusive and inclusive arrays. */
PhStatus ph_metric_make_room(PhProfile *profile, PhMetric *metric) PH_MUST_CHECK;

/* Sum of a row in a fixed order: four running sums, so that one addition does not wait for another.
 */
static inline double
ph_row_sum(const double *values, uint32_t n)
{
	double sums[4] = {0, 0, 0, 0};
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (uint32_t k = 0; k < 4; k++)
			sums[k] += values[i + k];
	for (; i < n; i++)
		sums[i % 4] += values[i];
	return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static inline size_t
ph_profile_cells(const PhProfile *profile)
{
	return (size_t) profile->n_nodes * profile->n_columns;
}

/* A presence bitmap with nothing present. */
PhStatus ph_presence_new(PhProfile *profile) PH_MUST_CHECK;

static inline void
ph_presence_set(PhProfile *profile, uint32_t node, uint32_t column)
{
	size_t bit = (size_t) node * profile->n_columns + column;
	profile->present[bit >> 3] |= (uint8_t) (1u << (bit & 7));
}

/* A node present in a column makes its ancestors present there. */
void ph_presence_close(PhProfile *profile);

/* Forget the bitmap when all is present, and absorbed and residual arrays without a value. */
void ph_profile_tidy(PhProfile *profile);

/* inclusive = exclusive + absorbed + residual + children, bottom-up. */
PhStatus ph_metric_derive_inclusive(PhEnv *env, PhProfile *profile, PhMetric *metric) PH_MUST_CHECK;

/* A copy with everything but nested profiles; NULL note: no further note. */
PhStatus ph_profile_copy(PhEnv *env, const PhProfile *profile, PhProfile **out) PH_MUST_CHECK;

/* Share of the primary metric's total that is absorbed. */
double ph_profile_share_absorbed(const PhProfile *profile);

static inline void
ph_row_add(double *restrict to, const double *restrict from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] += from[i];
}

#endif
