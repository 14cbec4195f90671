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
#include <string.h>

#include "base/min_max.h"
#include "profile/builder_internal.h"
#include "profile/cells.h"
#include "profile/flat.h"

/*
 * Inclusives of the children of a node, by the node's cells: one row a depth, as long as the
 * longest row of that depth. Together they are no longer than the columns by the deepest node, nor
 * than all cells.
 */
typedef struct Sums
{
	double *values;
	size_t *first; /* per depth of the parent: where its row starts */
} Sums;

static PhStatus
new_sums(PhArena *arena, const PhProfile *profile, Sums *sums)
{
	uint32_t deepest = 0, *widest;
	size_t n = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		deepest = PH_MAX(profile->depth[node], deepest);
	PH_TRY(PH_NEW(arena, (size_t) deepest + 1, &widest));
	PH_TRY(PH_NEW(arena, (size_t) deepest + 1, &sums->first));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t width = ph_profile_n_present(profile, node);
		widest[profile->depth[node]] = PH_MAX(width, widest[profile->depth[node]]);
	}
	for (size_t depth = 0; depth <= deepest; depth++)
	{
		sums->first[depth] = n;
		n += widest[depth];
	}
	return PH_NEW(arena, n, &sums->values);
}

/* What the children of a node cost; all of them must have been handed up. */
static double *
children_of(const Sums *sums, const PhProfile *profile, uint32_t node)
{
	return sums->values + sums->first[profile->depth[node]];
}

/* Adds a node's inclusives to its parent's row, and clears its own for the next of its depth. */
static void
hand_up(const Sums *sums, const PhProfile *profile, uint32_t node, const double *inclusive)
{
	uint32_t parent = profile->parent[node];
	PhRow row = ph_profile_row(profile, node);
	memset(children_of(sums, profile, node), 0, row.n * sizeof(double));
	if (parent == PH_NONE)
		return;
	PhRow above = ph_profile_row(profile, parent);
	above.cell = sums->first[profile->depth[parent]];
	ph_row_add_cells(&above, sums->values, &row, inclusive);
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
 * of all its children are in its sums; then its own is added to those of its parent.
 */
static PhStatus
derive_flow(PhEnv *env, PhProfile *profile, PhMetric *metric, const Sums *sums)
{
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PH_TRY(ph_env_poll(env));
		PhRow row = ph_profile_row(profile, node);
		const double *children = children_of(sums, profile, node);
		for (uint32_t i = 0; i < row.n; i++)
		{
			bool disagrees = false;
			size_t cell = row.cell + i;
			double residual = derive_cell(&metric->exclusive[cell], &metric->inclusive[cell],
										  children[i], metric->is_signed, &disagrees);
			profile->provenance.residual_cells += disagrees;
			if (residual != 0)
				PH_TRY(put_residual(profile, metric, cell, residual));
		}
		hand_up(sums, profile, node, metric->inclusive);
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
		PhRow row = ph_profile_row(profile, node);
		const double *children = children_of(sums, profile, node);
		for (uint32_t i = 0; i < row.n; i++)
		{
			size_t cell = row.cell + i;
			double inclusive = metric->inclusive[cell], exclusive = metric->exclusive[cell];
			double rest = inclusive - exclusive - children[i];
			if (fabs(rest) > PH_ROUNDING * largest(inclusive, exclusive, children[i]))
			{
				PH_TRY(put_residual(profile, metric, cell, rest));
				profile->provenance.residual_cells++;
			}
		}
		hand_up(sums, profile, node, metric->inclusive);
	}
	return PH_OK;
}

static PhStatus
complete_metrics(PhEnv *env, PhProfile *profile, const Sums *sums)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		if (profile->metrics[i].kind == PH_METRIC_FLOW)
			PH_TRY(find_residuals(env, profile, &profile->metrics[i], sums));
	return PH_OK;
}

PhStatus
ph_profile_complete(PhEnv *env, PhProfile *profile)
{
	PhArena scratch;
	Sums sums;
	ph_arena_init(&scratch, env);
	PhStatus status = new_sums(&scratch, profile, &sums);
	if (status == PH_OK)
		status = complete_metrics(env, profile, &sums);
	ph_arena_drop(&scratch);
	if (status == PH_OK)
		ph_profile_tidy(profile);
	return status;
}
