/*
 * fn_estimate.c - waits and their causes estimated from a profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "blame/estimate.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"

PH_FUNCTION(ph_estimated_blame)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 1, profile);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_estimate_waits(&out->env, profile, metric, &out->profile));
	PG_RETURN_PH_VALUE(out);
}
