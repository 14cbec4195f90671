/*
 * profile_efficiency.h - efficiencies of a run of which there is no trace, from its profile.
 *
 * Without times there is no telling apart what dependencies cost and what the network does. Elapsed
 * is the longest rank's time in all its call paths.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_PROFILE_EFFICIENCY_H
#define PH_REPLAY_PROFILE_EFFICIENCY_H

#include "profile/profile.h"

typedef struct PhProfileEfficiency
{
	uint32_t n_ranks;
	double useful;										   /* mean a rank, in the metric's unit */
	double elapsed;										   /* of the longest rank */
	double parallel, load_balance, communication, threads; /* NaN: nothing was useful; threads:
															  there are none */
} PhProfileEfficiency;

/*
 * metric: a time that adds up. Columns with one rank and thread are one (iterations add up); those
 * without a rank are left out. Per rank the first thread stands for what is outside of MPI, as in
 * efficiency.h; of the other threads everything but MPI and barriers is useful. O(cells).
 */
PhStatus ph_profile_efficiency(PhArena *scratch, const PhProfile *profile, uint32_t metric,
							   PhProfileEfficiency *out) PH_MUST_CHECK;

#endif
