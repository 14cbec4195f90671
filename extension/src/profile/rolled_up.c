/*
 * rolled_up.c - what a run that is rolled up cannot answer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "profile/rolled_up.h"
#include "server/pgenv.h"

void
ph_require_units(const PhProfile *profile)
{
	if (!ph_profile_is_rolled_up(profile))
		return;
	long long run = profile->provenance.n_sources > 0 ? profile->provenance.sources[0].run_id : 0;
	ereport(ERROR,
			(errcode(PH_ERRCODE_UNSUPPORTED),
			 errmsg("values of single ranks were rolled up to their mean and distribution"),
			 errhint("run_distribution(%lld) and run_histogram(%lld, callpath_id) answer from the"
					 " stored distributions; profile_row has extremes, deviation and imbalance.",
					 run, run)));
}
