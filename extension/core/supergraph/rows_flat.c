/*
 * rows_flat.c - the flat profile: costs summed over all nodes of a group.
 *
 * Inclusive costs are summed over the outermost nodes of a group only, so that recursion does not
 * count twice. In pre-order a node lies within the last outermost node of its group exactly when
 * it comes before the end of that one's subtree: O(nodes * columns) in all.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "supergraph/internal.h"

/* Costs of one group so far, of one metric that stores values. */
typedef struct Cost
{
	double inclusive, exclusive, absorbed, residual;
	uint32_t n_inclusive, n_exclusive;
} Cost;

typedef struct Group
{
	uint32_t open_until; /* end of the subtree of its last outermost node */
	uint32_t first_node;
	uint32_t n_nodes;
	Cost cost;
	Cost divisor; /* ratios: the denominator's */
} Group;

typedef struct Flat
{
	PhArena *scratch;
	const PhProfile *profile;
	uint32_t metric;  /* what is summed: the metric, or the numerator of a ratio */
	uint32_t divisor; /* denominator of a ratio, or PH_NONE */
	uint32_t n_groups;
	const char **names; /* NULL: every node its own group */
	uint32_t *of_node;
	Group *groups;
} Flat;

/* Values that are not additive are combined as their metric says. */
static void
add_value(const PhMetric *metric, double value, double *to, uint32_t *count)
{
	bool first = (*count)++ == 0;
	bool sums = metric->kind == PH_METRIC_FLOW || metric->combine == PH_COMBINE_SUM ||
				metric->combine == PH_COMBINE_MEAN;
	if (sums)
		*to += value;
	else if (first || (metric->combine == PH_COMBINE_MIN ? value < *to : value > *to))
		*to = value;
}

static void
add_cost(const Flat *flat, uint32_t metric, uint32_t node, bool outermost, Cost *cost)
{
	const PhProfile *profile = flat->profile;
	const PhMetric *kind = &profile->metrics[metric];
	if (outermost)
		add_value(kind, ph_profile_mean(profile, metric, node, PH_COST_INCLUSIVE), &cost->inclusive,
				  &cost->n_inclusive);
	add_value(kind, ph_profile_mean(profile, metric, node, PH_COST_EXCLUSIVE), &cost->exclusive,
			  &cost->n_exclusive);
	if (kind->absorbed != NULL)
		cost->absorbed += ph_profile_mean(profile, metric, node, PH_COST_ABSORBED);
	if (kind->residual != NULL)
		cost->residual += ph_profile_mean(profile, metric, node, PH_COST_RESIDUAL);
}

static void
finish_cost(const PhMetric *metric, Cost *cost)
{
	if (metric->kind != PH_METRIC_VALUE || metric->combine != PH_COMBINE_MEAN)
		return;
	cost->inclusive /= cost->n_inclusive;
	cost->exclusive /= cost->n_exclusive;
}

static PhStatus
sum_groups(Flat *flat)
{
	const PhProfile *profile = flat->profile;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(flat->scratch->env));
		Group *group = &flat->groups[flat->of_node == NULL ? node : flat->of_node[node]];
		bool outermost = node >= group->open_until;
		if (outermost)
			group->open_until = profile->subtree_end[node];
		if (group->n_nodes++ == 0)
			group->first_node = node;
		add_cost(flat, flat->metric, node, outermost, &group->cost);
		if (flat->divisor != PH_NONE)
			add_cost(flat, flat->divisor, node, outermost, &group->divisor);
	}
	return PH_OK;
}

static const char *
group_name(const Flat *flat, uint32_t group)
{
	return flat->names != NULL
			   ? flat->names[group]
			   : ph_profile_node_name(flat->profile, flat->groups[group].first_node);
}

static PhFlatRow
make_row(const Flat *flat, uint32_t index)
{
	Group *group = &flat->groups[index];
	PhFlatRow row = {group_name(flat, index), group->first_node, group->n_nodes, 0, 0, 0, 0};
	finish_cost(&flat->profile->metrics[flat->metric], &group->cost);
	row.inclusive = group->cost.inclusive;
	row.exclusive = group->cost.exclusive;
	row.absorbed = group->cost.absorbed;
	row.residual = group->cost.residual;
	if (flat->divisor == PH_NONE)
		return row;
	finish_cost(&flat->profile->metrics[flat->divisor], &group->divisor);
	double nan = (double) NAN;
	const Cost *by = &group->divisor;
	row.inclusive = by->inclusive != 0 ? row.inclusive / by->inclusive : nan;
	row.exclusive = by->exclusive != 0 ? row.exclusive / by->exclusive : nan;
	row.absorbed = by->absorbed != 0 ? row.absorbed / by->absorbed : nan;
	row.residual = by->residual != 0 ? row.residual / by->residual : nan;
	return row;
}

/* Exclusive descending (not-a-number last), then name, then first node. */
static int
compare_rows(const void *context, uint32_t x, uint32_t y)
{
	const PhFlatRow *a = (const PhFlatRow *) context + x, *b = (const PhFlatRow *) context + y;
	if (isnan(a->exclusive) != isnan(b->exclusive))
		return isnan(a->exclusive) ? 1 : -1;
	if (a->exclusive != b->exclusive && !isnan(a->exclusive))
		return a->exclusive > b->exclusive ? -1 : 1;
	int names = strcmp(a->name, b->name);
	if (names != 0)
		return names;
	return a->first_node < b->first_node ? -1 : a->first_node > b->first_node;
}

static PhStatus
copy_name(PhArena *arena, const char **name)
{
	char *copy;
	PH_TRY(ph_arena_strndup(arena, *name, strlen(*name), &copy));
	*name = copy;
	return PH_OK;
}

static PhStatus
make_rows(PhArena *arena, Flat *flat, PhFlatRow **rows, uint32_t *n_rows)
{
	PhFlatRow *unsorted, *sorted;
	uint32_t *order, count = 0;
	PH_TRY(PH_NEW(flat->scratch, flat->n_groups, &unsorted));
	PH_TRY(PH_NEW(arena, flat->n_groups, &sorted));
	for (uint32_t group = 0; group < flat->n_groups; group++)
		if (flat->groups[group].n_nodes > 0)
			unsorted[count++] = make_row(flat, group);
	PH_TRY(ph_sort_indices(flat->scratch, count, compare_rows, unsorted, &order));
	for (uint32_t i = 0; i < count; i++)
	{
		sorted[i] = unsorted[order[i]];
		PH_TRY(copy_name(arena, &sorted[i].name));
	}
	*rows = sorted;
	*n_rows = count;
	return PH_OK;
}

static PhStatus
make_groups(Flat *flat, PhGroupBy by)
{
	flat->n_groups = flat->profile->n_nodes;
	if (by != PH_GROUP_NODE)
	{
		PhLabels labels;
		PH_TRY(ph_labels_make(flat->scratch, flat->profile, by, NULL, &labels));
		flat->n_groups = labels.n_labels;
		flat->names = labels.names;
		flat->of_node = labels.of_node;
	}
	return PH_NEW(flat->scratch, flat->n_groups, &flat->groups);
}

static PhStatus
make_flat(PhArena *arena, Flat *flat, PhGroupBy by, PhFlatRow **rows, uint32_t *n_rows)
{
	const PhMetric *metric = &flat->profile->metrics[flat->metric];
	if (metric->kind == PH_METRIC_RATIO)
	{
		flat->divisor = metric->denominator;
		flat->metric = metric->numerator;
	}
	PH_TRY(make_groups(flat, by));
	PH_TRY(sum_groups(flat));
	return make_rows(arena, flat, rows, n_rows);
}

PhStatus
ph_rows_flat(PhArena *arena, const PhProfile *profile, uint32_t metric, PhGroupBy by,
			 PhFlatRow **rows, uint32_t *n_rows)
{
	PhArena scratch;
	ph_arena_init(&scratch, arena->env);
	Flat flat = {.scratch = &scratch, .profile = profile, .metric = metric, .divisor = PH_NONE};
	PhStatus status = make_flat(arena, &flat, by, rows, n_rows);
	ph_arena_drop(&scratch);
	return status;
}
