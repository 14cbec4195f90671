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

#define PH_POLLED_CELLS ((size_t) 131072) /* copied or looked through between two polls; 0.1 ms */
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

/* In place of it: there is to be no profile. */
void ph_maker_drop(PhMaker *maker);

/* Copies of parts of other profiles; strings are taken over into the maker's table. */
PhStatus ph_maker_column(PhMaker *maker, PhColumn *to, const PhProfile *from,
						 const PhColumn *column) PH_MUST_CHECK;
PhStatus ph_maker_columns(PhMaker *maker, const PhProfile *from) PH_MUST_CHECK;
/* Names, units and kinds of all metrics, without values. */
PhStatus ph_maker_metrics(PhMaker *maker, const PhProfile *from) PH_MUST_CHECK;
/* Cells and marks of a difference, for a profile of the same shape; before there are values. */
PhStatus ph_maker_marks(PhMaker *maker, const PhProfile *from) PH_MUST_CHECK;
/* Sources, notes (and one more note unless NULL) and counters. */
PhStatus ph_maker_provenance(PhMaker *maker, const PhProfile *from, const char *note) PH_MUST_CHECK;

/* Give a flow or value metric zeroed exclusive and inclusive arrays; the cells must be known. */
PhStatus ph_metric_make_room(PhProfile *profile, PhMetric *metric) PH_MUST_CHECK;

/* Elements of a metric's arrays. */
static inline size_t
ph_profile_cells(const PhProfile *profile)
{
	if (profile->first_cell == NULL)
		return (size_t) profile->n_nodes * profile->n_columns;
	return profile->first_cell[profile->n_nodes];
}

/* Forget absorbed and residual arrays without a value. */
void ph_profile_tidy(PhProfile *profile);

/* inclusive = exclusive + absorbed + residual + children, bottom-up. */
PhStatus ph_metric_derive_inclusive(PhEnv *env, PhProfile *profile, PhMetric *metric) PH_MUST_CHECK;

/* A copy with everything but nested profiles; NULL note: no further note. */
PhStatus ph_profile_copy(PhEnv *env, const PhProfile *profile, PhProfile **out) PH_MUST_CHECK;

/* Share of the primary metric's total that is absorbed. */
double ph_profile_share_absorbed(const PhProfile *profile);

struct PhRow;

/* The mean over columns of what a node has of a cost, but PH_COST_OWN; row: the node's. */
double ph_metric_mean(const PhProfile *profile, const PhMetric *metric, const struct PhRow *row,
					  uint32_t node, PhCost cost);

static inline void
ph_row_add(double *restrict to, const double *restrict from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] += from[i];
}

#endif
