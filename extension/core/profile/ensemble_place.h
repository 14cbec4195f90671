/*
 * ensemble_place.h - where one run stands within an ensemble (docs/design/supergraph.md 5).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_ENSEMBLE_PLACE_H
#define PH_PROFILE_ENSEMBLE_PLACE_H

#include "base/arena.h"

typedef struct PhEnsemblePlace
{
	double value;	   /* the run's; NaN: it has none */
	double mean;	   /* of the other runs, absent = 0; NaN without others */
	double sd;		   /* of the other runs, n - 1; NaN with fewer than two */
	double difference; /* value (absent = 0) - mean */
	double z;		   /* difference / sd; NaN when sd is 0 */
	uint32_t n;		   /* runs that have a value */
	uint32_t rank;	   /* 1 + runs with a smaller value; 0: the run has none */
	uint32_t bin;	   /* of n_bins over [min, max] of the runs that have one; UINT32_MAX: none */
} PhEnsemblePlace;

/*
 * The place of values[run] among values[0..n). present[i]: the run has the node; where it has not,
 * it counts 0 in means and is left out of rank and bins. Values that are not a number (a ratio over
 * 0) are left out everywhere.
 */
PhStatus ph_ensemble_place(PhArena *arena, const double *values, const bool *present, uint32_t n,
						   uint32_t run, uint32_t n_bins, PhEnsemblePlace *out) PH_MUST_CHECK;

#endif
