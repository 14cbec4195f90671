/*
 * values.c - rows of values: room, bottom-up sums, tidy ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "profile/cells.h"
#include "profile/internal.h"

PhStatus
ph_metric_make_room(PhProfile *profile, PhMetric *metric)
{
	size_t cells = ph_profile_cells(profile);
	PH_TRY(PH_NEW(&profile->arena, cells, &metric->exclusive));
	return PH_NEW(&profile->arena, cells, &metric->inclusive);
}

static double *
unless_zero(double *values, size_t cells)
{
	if (values == NULL)
		return NULL;
	for (size_t i = 0; i < cells; i++)
		if (values[i] != 0)
			return values;
	return NULL;
}

void
ph_profile_tidy(PhProfile *profile)
{
	size_t cells = ph_profile_cells(profile);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		metric->absorbed = unless_zero(metric->absorbed, cells);
		metric->residual = unless_zero(metric->residual, cells);
	}
}

PhStatus
ph_metric_derive_inclusive(PhEnv *env, PhProfile *profile, PhMetric *metric)
{
	memset(metric->inclusive, 0, ph_profile_cells(profile) * sizeof(double));
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PH_TRY(ph_env_poll(env));
		PhRow row = ph_profile_row(profile, node);
		double *inclusive = metric->inclusive + row.cell;
		ph_row_add(inclusive, metric->exclusive + row.cell, row.n);
		if (metric->absorbed != NULL)
			ph_row_add(inclusive, metric->absorbed + row.cell, row.n);
		if (metric->residual != NULL)
			ph_row_add(inclusive, metric->residual + row.cell, row.n);
		uint32_t parent = profile->parent[node];
		if (parent == PH_NONE)
			continue;
		PhRow above = ph_profile_row(profile, parent);
		ph_row_add_cells(&above, metric->inclusive, &row, metric->inclusive);
	}
	return PH_OK;
}

double
ph_profile_share_absorbed(const PhProfile *profile)
{
	if (profile->n_metrics == 0 || profile->metrics[0].absorbed == NULL)
		return 0;
	double total = 0, absorbed = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node = profile->subtree_end[node])
		total += ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		absorbed += ph_profile_mean(profile, 0, node, PH_COST_ABSORBED);
	double share = total == 0 ? 0 : absorbed / total;
	return share < 0 ? 0 : share > 1 ? 1 : share;
}
