/*
 * metrics.c - counters of a trace: what they grew goes to call paths (tree.h).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/tree/internal.h"

#include <math.h>
#include <string.h>

#define MOST_CLASSES (1u << 20)

/* The metric of this name, made when new; PH_NONE when it has another unit or scale. */
static uint32_t
find_metric(PhTraceTree *tree, const PhTraceMetric *metric)
{
	for (uint32_t i = 0; i < tree->n_metrics; i++)
	{
		const PhTreeMetric *known = &tree->metrics[i];
		if (strcmp(known->name, metric->name) == 0)
			return strcmp(known->unit, metric->unit) == 0 && known->scale == metric->scale
					   ? i
					   : PH_NONE;
	}
	tree->metrics[tree->n_metrics] = (PhTreeMetric){
		.name = metric->name, .unit = metric->unit, .scale = metric->scale, .is_recorded = false};
	return tree->n_metrics++;
}

static PhStatus
keep_texts(PhTraceTree *tree)
{
	for (uint32_t i = 0; i < tree->n_metrics; i++)
	{
		char *name, *unit;
		PhTreeMetric *metric = &tree->metrics[i];
		PH_TRY(ph_arena_strndup(&tree->arena, metric->name, strlen(metric->name), &name));
		PH_TRY(ph_arena_strndup(&tree->arena, metric->unit, strlen(metric->unit), &unit));
		metric->name = name;
		metric->unit = unit;
	}
	return PH_OK;
}

static PhStatus
count_classes(PhTraceTree *tree, const PhTraceModel *model)
{
	for (uint32_t i = 0; i < model->n_metrics; i++)
	{
		uint32_t metric_class = model->metrics[i].metric_class;
		if (metric_class >= MOST_CLASSES)
			return ph_fail(tree->env, PH_ERR_LIMIT, "metric class %u is beyond the %u supported",
						   metric_class, MOST_CLASSES);
		if (metric_class >= tree->n_classes)
			tree->n_classes = metric_class + 1;
	}
	return PH_OK;
}

PhStatus
ph_tree_add_metrics(PhTraceTree *tree, const PhTraceModel *model)
{
	PH_TRY(count_classes(tree, model));
	PH_TRY(PH_NEW(&tree->arena, tree->n_classes, &tree->classes));
	PH_TRY(PH_NEW(&tree->arena, model->n_metrics, &tree->members));
	PH_TRY(PH_NEW(&tree->arena, (size_t) model->n_metrics + PH_DEVICE_METRICS, &tree->metrics));
	tree->n_members = model->n_metrics;
	for (uint32_t i = 0; i < model->n_metrics; i++)
	{
		const PhTraceMetric *metric = &model->metrics[i];
		PhTreeClass *its_class = &tree->classes[metric->metric_class];
		tree->members[i].type = metric->type;
		tree->members[i].metric = metric->is_accumulated ? find_metric(tree, metric) : PH_NONE;
		if (its_class->n++ == 0)
			its_class->first = i;
	}
	return keep_texts(tree);
}

PhStatus
ph_tree_find_counters(PhTraceTree *tree, uint32_t location, PhTreeCounters **out)
{
	uint32_t *index;
	PH_TRY(PH_GROW(&tree->arena, &tree->counters, tree->n_counters, &tree->counter_capacity));
	PH_TRY(ph_map_enter(&tree->counter_of, location, tree->n_counters, &index));
	PhTreeCounters *counters = &tree->counters[*index];
	if (*index == tree->n_counters)
	{
		PH_TRY(PH_NEW(&tree->arena, tree->n_members, &counters->values));
		PH_TRY(PH_NEW(&tree->arena, tree->n_members, &counters->is_known));
		tree->n_counters++;
	}
	*out = counters;
	return PH_OK;
}

PhStatus
ph_tree_move_counters(PhTraceTree *tree, PhTraceTree *other, uint32_t location)
{
	PhTreeCounters *to, *from;
	if (tree->n_metrics == 0)
		return PH_OK;
	PH_TRY(ph_tree_find_counters(tree, location, &to));
	PH_TRY(ph_tree_find_counters(other, location, &from));
	memcpy(to->values, from->values, tree->n_members * sizeof(*to->values));
	memcpy(to->is_known, from->is_known, tree->n_members * sizeof(*to->is_known));
	return PH_OK;
}

static double
as_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* By how much a counter grew; negative when it went backwards. */
static double
growth(PhTraceValueType type, uint64_t before, uint64_t now)
{
	if (type == PH_TRACE_DOUBLE)
		return as_double(now) - as_double(before);
	bool grew = type == PH_TRACE_INT64 ? (int64_t) now >= (int64_t) before : now >= before;
	return grew ? (double) (now - before) : -1;
}

static void
move_counter(PhTraceTree *tree, PhTreeCounters *counters, uint32_t member, uint64_t value,
			 uint32_t cell)
{
	uint32_t metric = tree->members[member].metric;
	uint64_t before = counters->values[member];
	bool is_known = counters->is_known[member];
	counters->values[member] = value;
	counters->is_known[member] = true;
	if (metric == PH_NONE || !is_known)
		return;
	tree->metrics[metric].is_recorded = true;
	double grew = growth(tree->members[member].type, before, value);
	if (!isfinite(grew) || grew < 0)
		tree->n_resets++;
	else if (cell != PH_NONE)
		tree->growth[(size_t) cell * tree->n_metrics + metric] += grew;
}

void
ph_tree_record(PhTraceTree *tree, PhTreeCounters *counters, uint32_t metric_class,
			   const uint64_t *values, uint32_t n_values, uint32_t cell)
{
	if (metric_class >= tree->n_classes)
		return;
	const PhTreeClass *its_class = &tree->classes[metric_class];
	for (uint32_t i = 0; i < n_values && i < its_class->n; i++)
		move_counter(tree, counters, its_class->first + i, values[i], cell);
}
