/*
 * derive.c - additivity: what the source gave becomes exclusive, inclusive and residual.
 *
 * docs/design/supergraph.md 0: inclusives are trusted. With s = the children's inclusives and
 * r = inclusive - s: the exclusive is the given one when it agrees with r, else r; a negative r
 * beyond rounding is residual and the exclusive 0. Cells that disagreed are counted.
 *
 * Nodes go from last to first. The children of a node are then complete, and the sums under way
 * belong to ancestors of the current node only, so one row a depth is enough.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/min_max.h"
#include "profile/builder_internal.h"
#include "profile/flat.h"

typedef struct Sums
{
	double *rows; /* [depth * n_columns + column]: inclusives of children of the node above */
	uint32_t width;
} Sums;

static PhStatus
new_sums(PhArena *arena, const PhProfile *profile, Sums *sums)
{
	uint32_t deepest = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (profile->depth[node] > deepest)
			deepest = profile->depth[node];
	size_t cells;
	sums->width = profile->n_columns;
	if (__builtin_mul_overflow((size_t) deepest + 2, sums->width, &cells))
		return ph_fail(arena->env, PH_ERR_LIMIT, "%u columns are too many", sums->width);
	return PH_NEW(arena, cells, &sums->rows);
}

static double *
sums_row(const Sums *sums, uint32_t depth)
{
	return sums->rows + (size_t) depth * sums->width;
}

static void
hand_up(const Sums *sums, uint32_t depth, uint32_t column, double inclusive)
{
	sums_row(sums, depth + 1)[column] = 0;
	sums_row(sums, depth)[column] += inclusive;
}

static double
largest(double a, double b, double c)
{
	/* not fmax: as a call it would cost more than all the rest of a stored run's cell */
	double x = fabs(a), y = fabs(b), z = fabs(c);
	double larger = PH_MAX(x, y);
	return PH_MAX(larger, z);
}

/* One cell of a flow metric; returns the residual and whether the source disagreed. */
static double
derive_cell(double *exclusive, double *inclusive, double children, bool is_signed, bool *disagrees)
{
	bool has_exclusive = !isnan(*exclusive);
	if (isnan(*inclusive))
	{
		*exclusive = has_exclusive ? *exclusive : 0;
		*inclusive = *exclusive + children;
		return 0;
	}
	double rest = *inclusive - children;
	if (has_exclusive &&
		fabs(*exclusive - rest) <= PH_ROUNDING * largest(*inclusive, children, *exclusive))
		return 0;
	*disagrees = has_exclusive;
	if (rest >= 0 || is_signed)
	{
		*exclusive = rest;
		return 0;
	}
	*exclusive = 0;
	if (-rest <= PH_ROUNDING * largest(*inclusive, children, 0))
		return 0;
	*disagrees = true;
	return rest;
}

static PhStatus
put_residual(PhProfile *profile, PhMetric *metric, size_t cell, double value)
{
	if (metric->residual == NULL)
		PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), &metric->residual));
	metric->residual[cell] = value;
	return PH_OK;
}

/*
 * Makes exclusive, inclusive and residual of a flow metric agree in every cell
 * (docs/design/supergraph.md 0). From the last node to the first: when a node comes, the inclusives
 * of all its children are in the sums of its depth + 1; then its own is added to those of its
 * depth.
 */
static PhStatus
derive_flow(PhEnv *env, PhProfile *profile, PhMetric *metric, const Sums *sums)
{
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PH_TRY(ph_env_poll(env));
		size_t cell = (size_t) node * profile->n_columns;
		const double *children = sums_row(sums, profile->depth[node] + 1);
		for (uint32_t column = 0; column < profile->n_columns; column++, cell++)
		{
			bool disagrees = false;
			double residual = derive_cell(&metric->exclusive[cell], &metric->inclusive[cell],
										  children[column], metric->is_signed, &disagrees);
			profile->provenance.residual_cells += disagrees;
			if (residual != 0)
				PH_TRY(put_residual(profile, metric, cell, residual));
			hand_up(sums, profile->depth[node], column, metric->inclusive[cell]);
		}
	}
	return PH_OK;
}

/* A value metric is kept as given; one of the two numbers stands for a missing other. */
static void
derive_values(const PhProfile *profile, PhMetric *metric)
{
	size_t cells = ph_profile_cells(profile);
	for (size_t i = 0; i < cells; i++)
	{
		double exclusive = metric->exclusive[i], inclusive = metric->inclusive[i];
		double either = isnan(inclusive) ? exclusive : inclusive;
		either = isnan(either) ? 0 : either;
		metric->exclusive[i] = isnan(exclusive) ? either : exclusive;
		metric->inclusive[i] = either;
	}
}

PhStatus
ph_metric_derive(PhEnv *env, PhProfile *profile, PhMetric *metric)
{
	PhArena scratch;
	Sums sums;
	if (metric->kind == PH_METRIC_VALUE)
	{
		derive_values(profile, metric);
		return PH_OK;
	}
	ph_arena_init(&scratch, env);
	PhStatus status = new_sums(&scratch, profile, &sums);
	if (status == PH_OK)
		status = derive_flow(env, profile, metric, &sums);
	ph_arena_drop(&scratch);
	return status;
}

/* residual = inclusive - exclusive - children where that is more than rounding. */
static PhStatus
find_residuals(PhEnv *env, PhProfile *profile, PhMetric *metric, const Sums *sums)
{
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PH_TRY(ph_env_poll(env));
		size_t cell = (size_t) node * profile->n_columns;
		const double *children = sums_row(sums, profile->depth[node] + 1);
		for (uint32_t column = 0; column < profile->n_columns; column++, cell++)
		{
			double inclusive = metric->inclusive[cell], exclusive = metric->exclusive[cell];
			double rest = inclusive - exclusive - children[column];
			if (fabs(rest) > PH_ROUNDING * largest(inclusive, exclusive, children[column]))
			{
				PH_TRY(put_residual(profile, metric, cell, rest));
				profile->provenance.residual_cells++;
			}
			hand_up(sums, profile->depth[node], column, inclusive);
		}
	}
	return PH_OK;
}

static PhStatus
complete_metrics(PhEnv *env, PhProfile *profile, const Sums *sums)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		if (metric->kind != PH_METRIC_FLOW)
			continue;
		PH_TRY(find_residuals(env, profile, metric, sums));
		for (uint32_t column = 0; column < sums->width; column++)
			sums_row(sums, 0)[column] = 0;
	}
	return PH_OK;
}

/* A node in a column makes its ancestors present; what is absent holds 0. */
static void
settle_presence(PhProfile *profile)
{
	if (profile->present == NULL)
		return;
	ph_presence_close(profile);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		for (uint32_t node = 0; metric->exclusive != NULL && node < profile->n_nodes; node++)
			for (uint32_t column = 0; column < profile->n_columns; column++)
			{
				size_t cell = (size_t) node * profile->n_columns + column;
				if (ph_profile_is_present(profile, node, column))
					continue;
				metric->exclusive[cell] = 0;
				metric->inclusive[cell] = 0;
			}
	}
}

PhStatus
ph_profile_complete(PhEnv *env, PhProfile *profile)
{
	PhArena scratch;
	Sums sums;
	settle_presence(profile);
	ph_arena_init(&scratch, env);
	PhStatus status = new_sums(&scratch, profile, &sums);
	if (status == PH_OK)
		status = complete_metrics(env, profile, &sums);
	ph_arena_drop(&scratch);
	if (status == PH_OK)
		ph_profile_tidy(profile);
	return status;
}
