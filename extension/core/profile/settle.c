/*
 * settle.c - a profile that operations made, in the form in which a reader hands one to a load.
 *
 * What a filter absorbed becomes the own cost of the node that has it, and marks of a difference
 * go, as no table keeps them. Inclusives stay bit by bit; exclusives are what they leave
 * (docs/design/supergraph.md 0).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/text.h"
#include "profile/builder_internal.h"
#include "profile/ops.h"

static void
take_absorbed(const PhProfile *profile, PhMetric *metric)
{
	size_t cells = ph_profile_cells(profile);
	for (size_t i = 0; metric->absorbed != NULL && i < cells; i++)
		metric->exclusive[i] += metric->absorbed[i];
	metric->absorbed = metric->residual = NULL;
}

/* A quotient over nothing is no number, and a table has none to tell it by. */
static PhStatus
refuse_undefined(PhEnv *env, const PhProfile *profile, const PhMetric *metric)
{
	size_t cells = ph_profile_cells(profile);
	const char *name = ph_profile_string(profile, metric->name);
	for (size_t i = 0; i < cells; i++)
		if (isnan(metric->inclusive[i]) || isnan(metric->exclusive[i]))
			return ph_fail_hint(
				env, PH_ERR_VALUE,
				"Store what it is made of, and divide when you ask: derive(profile(run), ...).",
				"values of metric \"%.*s\" are undefined where something is divided by 0",
				ph_text_fit(name, 100), name);
	return PH_OK;
}

static PhStatus
settle_metric(PhEnv *env, PhProfile *profile, PhMetric *metric)
{
	if (metric->kind == PH_METRIC_RATIO)
		return PH_OK;
	PH_TRY(refuse_undefined(env, profile, metric));
	if (metric->kind == PH_METRIC_VALUE)
		return PH_OK;
	take_absorbed(profile, metric);
	return ph_metric_derive(env, profile, metric);
}

static PhStatus
settle_metrics(PhEnv *env, PhProfile *profile)
{
	profile->diff_status = NULL;
	profile->provenance.residual_cells = 0;
	profile->provenance.share_filtered = 0;
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		PH_TRY(settle_metric(env, profile, &profile->metrics[i]));
	ph_profile_tidy(profile);
	return PH_OK;
}

PhStatus
ph_profile_settle(PhEnv *env, const PhProfile *profile, PhProfile **out)
{
	PhProfile *copy;
	PH_TRY(ph_profile_copy(env, profile, &copy));
	PhStatus status = settle_metrics(env, copy);
	if (status == PH_OK)
		*out = copy;
	else
		ph_profile_free(env, copy);
	return status;
}
