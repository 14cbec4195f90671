/*
 * rows_flame.c - flame graph: every node as a box above its parent, as wide as its inclusive cost.
 *
 * Nodes are in pre-order already, which is the depth-first order of the rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/min_max.h"
#include "profile/internal.h"
#include "profile/rows_internal.h"

PhStatus
ph_flame_check(PhEnv *env, const PhProfile *profile, uint32_t metric)
{
	const PhMetric *which = &profile->metrics[metric];
	const char *name = ph_profile_string(profile, which->name);
	if (which->kind != PH_METRIC_FLOW)
		return ph_fail_hint(
			env, PH_ERR_VALUE,
			"Choose a metric that adds up, such as time or a count; call trees (cct), "
			"histograms and box plots show ratios.",
			"metric \"%.100s\" does not add up over a call tree, so it has no "
			"flame graph",
			name);
	if (which->is_signed || profile->diff_status != NULL)
		return ph_fail_hint(env, PH_ERR_VALUE,
							"Use flame_diff(before, after) on the two profiles instead.",
							"metric \"%.100s\" is a difference and may be negative, so it has no "
							"flame graph",
							name);
	return PH_OK;
}

PhStatus
ph_flame_clamp(PhArena *scratch, const PhProfile *profile, PhFlameSeries *series)
{
	double *left;
	bool *touched;
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &left));
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &touched));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(scratch->env));
		uint32_t parent = profile->parent[node];
		double value = PH_MAX(series->value[node], 0);
		if (parent != PH_NONE)
		{
			double room = left[parent];
			bool over = value > room + PH_ROUNDING * fabs(series->value[parent]);
			series->n_clamped += over;
			touched[parent] |= over;
			touched[node] |= over;
			value = PH_MIN(room, value);
			left[parent] -= value;
		}
		series->value[node] = value;
		left[node] = value;
	}
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (touched[node] || series->self[node] > left[node] || series->self[node] < 0)
			series->self[node] = left[node];
	return PH_OK;
}

static PhStatus
read_series(PhArena *scratch, const PhProfile *profile, uint32_t metric, PhFlameSeries *series)
{
	series->n_clamped = 0;
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &series->value));
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &series->self));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(scratch->env));
		series->value[node] = ph_profile_mean(profile, metric, node, PH_COST_INCLUSIVE);
		series->self[node] = ph_profile_mean(profile, metric, node, PH_COST_OWN);
	}
	return ph_flame_clamp(scratch, profile, series);
}

/* Rows of all nodes, below a synthetic root when the forest has several trees. */
static PhStatus
make_rows(PhArena *arena, const PhProfile *profile, const PhFlameSeries *series, PhFlameRow **rows,
		  uint32_t *n_rows)
{
	uint32_t extra = ph_profile_has_one_root(profile) ? 0 : 1;
	PhFlameRow *made;
	PH_TRY(PH_NEW(arena, (size_t) profile->n_nodes + extra, &made));
	made[0] = (PhFlameRow){.node = PH_NONE, .label = PH_FLAME_ROOT};
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		made[node + extra] = (PhFlameRow){.node = node,
										  .level = profile->depth[node] + extra,
										  .label = ph_profile_node_name(profile, node),
										  .value = series->value[node],
										  .self = series->self[node]};
		if (extra == 1 && profile->parent[node] == PH_NONE)
			made[0].value += series->value[node];
	}
	*rows = made;
	*n_rows = profile->n_nodes + extra;
	return PH_OK;
}

PhStatus
ph_rows_flame(PhArena *arena, const PhProfile *profile, uint32_t metric, PhFlameRow **rows,
			  uint32_t *n_rows, uint64_t *n_clamped)
{
	PhArena scratch;
	PhFlameSeries series;
	PH_TRY(ph_flame_check(arena->env, profile, metric));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = read_series(&scratch, profile, metric, &series);
	if (status == PH_OK)
		status = make_rows(arena, profile, &series, rows, n_rows);
	if (status == PH_OK)
		*n_clamped = series.n_clamped;
	ph_arena_drop(&scratch);
	return status;
}
