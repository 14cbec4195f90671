/*
 * gross.c - how much changed, whatever its sign.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "profile/cells.h"
#include "profile/ops.h"
#include "profile/unify.h"

static void
drop_signs(const PhProfile *profile, double *values)
{
	size_t cells = values == NULL ? 0 : ph_profile_cells(profile);
	for (size_t i = 0; i < cells; i++)
		values[i] = fabs(values[i]);
}

/* inclusive = exclusive + absorbed + residual + the children's, from the last node to the first:
 * a node has had all of its children's when it comes. */
static PhStatus
sum_up(PhEnv *env, PhProfile *profile, const PhMetric *metric)
{
	double *inclusive = metric->inclusive;
	for (size_t i = 0; i < ph_profile_cells(profile); i++)
		inclusive[i] = metric->exclusive[i] + (metric->absorbed ? metric->absorbed[i] : 0) +
					   (metric->residual ? metric->residual[i] : 0);
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PH_TRY(ph_env_poll(env));
		uint32_t parent = profile->parent[node];
		if (parent != PH_NONE && ph_profile_row(profile, node).n > 0)
			inclusive[ph_profile_row(profile, parent).cell] +=
				inclusive[ph_profile_row(profile, node).cell];
	}
	return PH_OK;
}

static PhStatus
make_gross(PhEnv *env, PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		if (metric->kind != PH_METRIC_FLOW || !metric->is_signed)
			continue;
		drop_signs(profile, metric->exclusive);
		drop_signs(profile, metric->absorbed);
		drop_signs(profile, metric->residual);
		PH_TRY(sum_up(env, profile, metric));
		metric->is_signed = 0;
	}
	return ph_profile_add_note(env, profile, "gross: own costs without their sign");
}

PhStatus
ph_profile_gross(PhEnv *env, const PhProfile *profile, PhProfile **out)
{
	const char **labels;
	PhArena scratch;
	PhProfile *result = NULL;
	ph_arena_init(&scratch, env);
	PhStatus status = PH_NEW(&scratch, profile->n_columns, &labels);
	for (uint32_t i = 0; status == PH_OK && i < profile->n_columns; i++)
		labels[i] = "mean";
	if (status == PH_OK)
		status = ph_profile_roll_up_labels(env, profile, labels, true, &result);
	ph_arena_drop(&scratch);
	PH_TRY(status);
	status = make_gross(env, result);
	if (status == PH_OK)
	{
		*out = result;
		return PH_OK;
	}
	ph_profile_free(env, result);
	return status;
}
