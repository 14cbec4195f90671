/*
 * values.c - rows of values: room, presence, bottom-up sums, tidy ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "profile/internal.h"

PhStatus
ph_metric_make_room(PhProfile *profile, PhMetric *metric)
{
	size_t cells = ph_profile_cells(profile);
	PH_TRY(PH_NEW(&profile->arena, cells, &metric->exclusive));
	return PH_NEW(&profile->arena, cells, &metric->inclusive);
}

PhStatus
ph_presence_new(PhProfile *profile)
{
	size_t cells = ph_profile_cells(profile);
	return PH_NEW(&profile->arena, cells / 8 + (cells % 8 != 0), &profile->present);
}

void
ph_presence_close(PhProfile *profile)
{
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		uint32_t parent = profile->parent[node];
		if (parent == PH_NONE)
			continue;
		for (uint32_t column = 0; column < profile->n_columns; column++)
			if (ph_profile_is_present(profile, node, column))
				ph_presence_set(profile, parent, column);
	}
}

static bool
all_present(const uint8_t *present, size_t cells)
{
	for (size_t i = 0; i < cells / 8; i++)
		if (present[i] != 0xff)
			return false;
	uint8_t rest = (uint8_t) ((1u << (cells % 8)) - 1);
	return rest == 0 || (present[cells / 8] & rest) == rest;
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
	if (profile->present != NULL && all_present(profile->present, cells))
		profile->present = NULL;
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
	uint32_t width = profile->n_columns;
	memset(metric->inclusive, 0, ph_profile_cells(profile) * sizeof(double));
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PH_TRY(ph_env_poll(env));
		size_t row = (size_t) node * width;
		double *inclusive = metric->inclusive + row;
		ph_row_add(inclusive, metric->exclusive + row, width);
		if (metric->absorbed != NULL)
			ph_row_add(inclusive, metric->absorbed + row, width);
		if (metric->residual != NULL)
			ph_row_add(inclusive, metric->residual + row, width);
		uint32_t parent = profile->parent[node];
		if (parent != PH_NONE)
			ph_row_add(metric->inclusive + (size_t) parent * width, inclusive, width);
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
