/*
 * flame.c - flame graph: every node as a box above its parent, as wide as its inclusive cost.
 *
 * Nodes are in pre-order already, which is the depth-first order of the rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/min_max.h"
#include "base/text.h"
#include "profile/internal.h"
#include "profile/rows/internal.h"

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
			"metric \"%.*s\" does not add up over a call tree, so it has no "
			"flame graph",
			ph_text_fit(name, 100), name);
	if (which->is_signed || profile->diff_status != NULL)
		return ph_fail_hint(env, PH_ERR_VALUE,
							"Use flame_diff(before, after) on the two profiles instead.",
							"metric \"%.*s\" is a difference and may be negative, so it has no "
							"flame graph",
							ph_text_fit(name, 100), name);
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

/* Rows of the boxes that are large enough, in place; what is not is added up by its parent's level.
 */
typedef struct Fold
{
	double threshold;
	PhFlameRow *out;
	uint32_t n_out;
	uint32_t n_open;	/* levels of the box that was added last, and of those under it */
	PhFlameRow *others; /* by level of their parent; n_others 0: none so far */
} Fold;

/* Ends the boxes of this level and above: what they have of others comes behind their children. */
static void
close_levels(Fold *fold, uint32_t level)
{
	while (fold->n_open > level)
	{
		PhFlameRow *others = &fold->others[--fold->n_open];
		if (others->n_others > 0)
			fold->out[fold->n_out++] = *others;
		*others = (PhFlameRow){0};
	}
}

static void
count_other(PhFlameRow *others, const PhFlameRow *row)
{
	double change = row->self - row->self_before;
	others->n_others++;
	others->more += PH_MAX(change, 0);
	others->less += PH_MAX(-change, 0);
}

static void
fold_row(Fold *fold, const PhFlameRow *row)
{
	bool is_gone = row->value == 0 && row->value_before > 0;
	if (row->level > fold->n_open) /* above one that is among the others */
	{
		count_other(&fold->others[fold->n_open - 1], row);
		return;
	}
	close_levels(fold, row->level);
	if (row->level == 0 || row->value >= fold->threshold || is_gone)
	{
		fold->out[fold->n_out++] = *row;
		fold->n_open = row->level + 1;
		return;
	}
	PhFlameRow *others = &fold->others[row->level - 1];
	others->node = PH_NONE;
	others->level = row->level;
	others->value += row->value;
	others->self += row->value;
	others->value_before += row->value_before;
	others->self_before += row->value_before;
	count_other(others, row);
}

static uint32_t
count_levels(const PhFlameRow *rows, uint32_t n_rows)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_rows; i++)
		n = PH_MAX(n, rows[i].level + 1);
	return n;
}

PhStatus
ph_flame_fold(PhArena *arena, double least, PhFlameRow **rows, uint32_t *n_rows)
{
	uint32_t n = *n_rows, n_levels = count_levels(*rows, n);
	Fold fold = {.threshold = n > 0 ? least * (*rows)[0].value : 0};
	/* others of a box come behind it or one that is not added, so each has a row of its own */
	PH_TRY(PH_NEW(arena, n, &fold.out));
	PH_TRY(PH_NEW(arena, n_levels, &fold.others));
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		fold_row(&fold, &(*rows)[i]);
	}
	close_levels(&fold, 0);
	*rows = fold.out;
	*n_rows = fold.n_out;
	return PH_OK;
}

PhStatus
ph_rows_flame_boxes(PhArena *arena, const PhProfile *profile, uint32_t metric, double least,
					PhFlameRow **rows, uint32_t *n_rows)
{
	uint64_t n_clamped = 0;
	PH_TRY(ph_rows_flame(arena, profile, metric, rows, n_rows, &n_clamped));
	return ph_flame_fold(arena, least, rows, n_rows);
}
