/*
 * flame_diff.c - differential flame graph: the union of two trees, as wide as the second, with
 * what every node was worth in the first.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/text.h"
#include "profile/ops.h"
#include "profile/rows/internal.h"

typedef struct Pair
{
	PhFlameSeries before, after;
} Pair;

static PhStatus
find_metric(PhEnv *env, const PhProfile *profile, const char *side, const char *metric,
			uint32_t *out)
{
	*out = metric == NULL ? 0 : ph_profile_find_metric(profile, metric);
	if (*out >= profile->n_metrics)
		return ph_fail_hint(
			env, PH_ERR_NOT_FOUND, "perfhouse.metrics(profile) lists the metrics of a profile.",
			"the %s profile has no metric \"%.*s\"", side,
			ph_text_fit(metric == NULL ? "" : metric, 100), metric == NULL ? "" : metric);
	return ph_flame_check(env, profile, *out);
}

/* One side of a diff: the union's tree, one column. */
static PhStatus
read_side(PhArena *scratch, const PhProfile *side, const char *metric, PhFlameSeries *series)
{
	uint32_t index = ph_profile_find_metric(side, metric);
	if (index == PH_NONE)
		return ph_fail(scratch->env, PH_ERR_INTERNAL, "metric \"%.*s\" is lost in the diff",
					   ph_text_fit(metric, 100), metric);
	series->n_clamped = 0;
	PH_TRY(PH_NEW(scratch, side->n_nodes, &series->value));
	PH_TRY(PH_NEW(scratch, side->n_nodes, &series->self));
	for (uint32_t node = 0; node < side->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(scratch->env));
		series->value[node] = ph_profile_mean(side, index, node, PH_COST_INCLUSIVE);
		series->self[node] = ph_profile_mean(side, index, node, PH_COST_OWN);
	}
	return ph_flame_clamp(scratch, side, series);
}

/* Labels outlive the diff: every region's name once. */
static PhStatus
copy_labels(PhArena *arena, PhArena *scratch, const PhProfile *profile, const char ***out)
{
	const char **labels;
	PH_TRY(PH_NEW(scratch, profile->n_regions, &labels));
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const char *name = ph_profile_string(profile, profile->regions[i].name);
		char *copy;
		PH_TRY(ph_arena_strndup(arena, name, strlen(name), &copy));
		labels[i] = copy;
	}
	*out = labels;
	return PH_OK;
}

static PhStatus
make_rows(PhArena *arena, PhArena *scratch, const PhProfile *tree, const Pair *pair,
		  PhFlameRow **rows, uint32_t *n_rows)
{
	uint32_t extra = ph_profile_has_one_root(tree) ? 0 : 1;
	const char **labels;
	PhFlameRow *made;
	PH_TRY(copy_labels(arena, scratch, tree, &labels));
	PH_TRY(PH_NEW(arena, (size_t) tree->n_nodes + extra, &made));
	made[0] = (PhFlameRow){.node = PH_NONE, .label = PH_FLAME_ROOT};
	for (uint32_t node = 0; node < tree->n_nodes; node++)
	{
		made[node + extra] = (PhFlameRow){.node = node,
										  .level = tree->depth[node] + extra,
										  .label = labels[tree->region[node]],
										  .value = pair->after.value[node],
										  .self = pair->after.self[node],
										  .value_before = pair->before.value[node],
										  .self_before = pair->before.self[node]};
		if (extra == 0 || tree->parent[node] != PH_NONE)
			continue;
		made[0].value += pair->after.value[node];
		made[0].value_before += pair->before.value[node];
	}
	*rows = made;
	*n_rows = tree->n_nodes + extra;
	return PH_OK;
}

static PhStatus
rows_of_diff(PhArena *arena, PhArena *scratch, const PhProfile *diff, const char *metric,
			 PhFlameRow **rows, uint32_t *n_rows)
{
	Pair pair;
	PH_TRY(read_side(scratch, diff->before, metric, &pair.before));
	PH_TRY(read_side(scratch, diff->after, metric, &pair.after));
	return make_rows(arena, scratch, diff->after, &pair, rows, n_rows);
}

PhStatus
ph_rows_flame_diff(PhArena *arena, const PhProfile *a, const PhProfile *b, const char *metric,
				   PhFlameRow **rows, uint32_t *n_rows)
{
	uint32_t in_a, in_b;
	PhProfile *diff;
	PhArena scratch;
	PH_TRY(find_metric(arena->env, a, "first", metric, &in_a));
	const char *name = ph_profile_string(a, a->metrics[in_a].name);
	PH_TRY(find_metric(arena->env, b, "second", name, &in_b));
	PH_TRY(ph_profile_diff(arena->env, a, b, &diff));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = rows_of_diff(arena, &scratch, diff, name, rows, n_rows);
	ph_arena_drop(&scratch);
	ph_profile_free(arena->env, diff);
	return status;
}

PhStatus
ph_rows_flame_diff_boxes(PhArena *arena, const PhProfile *a, const PhProfile *b, const char *metric,
						 double least, PhFlameRow **rows, uint32_t *n_rows)
{
	PH_TRY(ph_rows_flame_diff(arena, a, b, metric, rows, n_rows));
	return ph_flame_fold(arena, least, rows, n_rows);
}
