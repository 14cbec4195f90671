/*
 * builder_finish.c - from raw nodes and cells to a profile in normal form.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "profile/builder_internal.h"
#include "profile/tree.h"

typedef struct Finish
{
	PhProfileBuilder *builder;
	PhMaker maker;
	uint32_t *node_of;		/* raw node -> node */
	uint32_t *member_start; /* node -> raw nodes */
	uint32_t *members;
	uint32_t *column_order; /* column -> raw column */
	uint32_t *column_of;	/* raw column -> column */
} Finish;

static PhStatus
build_tree(Finish *finish)
{
	PhProfileBuilder *builder = finish->builder;
	PhArena *scratch = &finish->maker.scratch;
	PhTreeInput input = {
		.n_nodes = builder->n_nodes,
		.parent = builder->parent,
		.region = builder->region,
		.n_regions = builder->regions.count,
		.regions = (const PhRegion *) (void *) builder->regions.bytes,
		.strings = builder->strings.text,
	};
	PH_TRY(PH_NEW(scratch, builder->n_nodes, &finish->node_of));
	PH_TRY(ph_tree_build(&finish->maker, &input, finish->node_of));
	return ph_tree_members(scratch, builder->n_nodes, finish->node_of,
						   finish->maker.profile->n_nodes, &finish->member_start, &finish->members);
}

static int
compare_columns(const void *context, uint32_t x, uint32_t y)
{
	const PhProfile *draft = context;
	return ph_column_compare(draft, &draft->columns[x], draft, &draft->columns[y]);
}

static PhStatus
build_columns(Finish *finish)
{
	PhProfileBuilder *builder = finish->builder;
	PhArena *scratch = &finish->maker.scratch;
	PhProfile *draft = &builder->draft;
	uint32_t n = builder->columns.count;
	PhColumn *raw = (PhColumn *) (void *) builder->columns.bytes, *sorted;
	draft->columns = raw;
	draft->n_columns = n;
	draft->strings = builder->strings.text;
	PH_TRY(ph_sort_indices(scratch, n, compare_columns, draft, &finish->column_order));
	PH_TRY(PH_NEW(scratch, n, &finish->column_of));
	PH_TRY(PH_NEW(scratch, n, &sorted));
	for (uint32_t i = 0; i < n; i++)
	{
		sorted[i] = raw[finish->column_order[i]];
		finish->column_of[finish->column_order[i]] = i;
	}
	draft->columns = sorted;
	PhStatus status = ph_maker_columns(&finish->maker, draft);
	draft->columns = NULL;
	return status;
}

/* Extras speak of the profile's nodes and columns from here on. */
static PhStatus
renumber_extras(Finish *finish)
{
	PhProfileBuilder *builder = finish->builder;
	for (size_t i = 0; i < builder->n_extras; i++)
	{
		PhExtra *extra = &builder->extras[i];
		extra->column = finish->column_of[extra->column];
		extra->node = finish->node_of[extra->node];
	}
	return ph_builder_sort_extras(builder);
}

static bool
is_order_free(const PhMetric *metric)
{
	return metric->kind == PH_METRIC_VALUE &&
		   (metric->combine == PH_COMBINE_MIN || metric->combine == PH_COMBINE_MAX);
}

/* The least or greatest of the members' values. */
static double
combine_extreme(const Finish *finish, uint32_t slot, uint32_t column, uint32_t node, bool least)
{
	double found = NAN;
	for (uint32_t i = finish->member_start[node]; i < finish->member_start[node + 1]; i++)
	{
		double value = ph_builder_cell(finish->builder, slot, finish->column_order[column],
									   finish->members[i]);
		if (isnan(found) || (least ? value < found : value > found))
			found = isnan(value) ? found : value;
	}
	return found;
}

/* Exact sum (or mean) of the members' values and the extras [start, end) of the cell. */
static double
combine_exactly(const Finish *finish, const PhMetric *metric, PhExtra where, size_t start,
				size_t end)
{
	PhExactSum sum;
	uint64_t weight = 0;
	ph_exact_reset(&sum);
	for (uint32_t i = finish->member_start[where.node]; i < finish->member_start[where.node + 1];
		 i++)
	{
		double value = ph_builder_cell(finish->builder, where.slot,
									   finish->column_order[where.column], finish->members[i]);
		if (isnan(value))
			continue;
		ph_exact_add(&sum, value);
		weight++;
	}
	for (size_t i = start; i < end; i++)
	{
		ph_exact_add(&sum, finish->builder->extras[i].value);
		weight += finish->builder->extras[i].weight;
	}
	if (weight == 0)
		return NAN;
	bool mean = metric->kind == PH_METRIC_VALUE && metric->combine == PH_COMBINE_MEAN;
	return ph_exact_value(&sum) / (mean ? (double) weight : 1.0);
}

static double
combine_members(const Finish *finish, const PhMetric *metric, uint32_t slot, uint32_t column,
				uint32_t node)
{
	if (is_order_free(metric))
		return combine_extreme(finish, slot, column, node, metric->combine == PH_COMBINE_MIN);
	PhExtra where = {.slot = slot, .column = column, .node = node};
	return combine_exactly(finish, metric, where, 0, 0);
}

#define PH_BLOCK_NODES 256 /* rows of the result that stay in the cache over all columns */

static PhStatus
gather_block(Finish *finish, const PhMetric *metric, uint32_t slot, uint32_t first, double *to)
{
	PhProfile *profile = finish->maker.profile;
	uint32_t end =
		first + PH_BLOCK_NODES < profile->n_nodes ? first + PH_BLOCK_NODES : profile->n_nodes;
	for (uint32_t column = 0; column < profile->n_columns; column++)
	{
		uint32_t raw_column = finish->column_order[column];
		PH_TRY(ph_env_poll(finish->maker.env));
		for (uint32_t node = first; node < end; node++)
		{
			uint32_t at = finish->member_start[node];
			double value =
				finish->member_start[node + 1] == at + 1
					? ph_builder_cell(finish->builder, slot, raw_column, finish->members[at])
					: combine_members(finish, metric, slot, column, node);
			to[(size_t) node * profile->n_columns + column] = value;
			if (!isnan(value))
				ph_presence_set(profile, node, column);
		}
	}
	return PH_OK;
}

/* Cells with extras again, exactly; *next is the first extra that is not used yet. */
static void
apply_extras(Finish *finish, const PhMetric *metric, uint32_t slot, size_t *next, double *to)
{
	const PhProfileBuilder *builder = finish->builder;
	while (*next < builder->n_extras && builder->extras[*next].slot == slot)
	{
		PhExtra where = builder->extras[*next];
		size_t end = *next + 1;
		while (end < builder->n_extras && ph_extra_compare(&where, &builder->extras[end]) == 0)
			end++;
		to[(size_t) where.node * finish->maker.profile->n_columns + where.column] =
			combine_exactly(finish, metric, where, *next, end);
		*next = end;
	}
}

static PhStatus
gather_slot(Finish *finish, const PhMetric *metric, uint32_t slot, size_t *next, double *to)
{
	for (uint32_t node = 0; node < finish->maker.profile->n_nodes; node += PH_BLOCK_NODES)
		PH_TRY(gather_block(finish, metric, slot, node, to));
	apply_extras(finish, metric, slot, next, to);
	ph_builder_free_slot(finish->builder, slot);
	return PH_OK;
}

static PhStatus
gather_values(Finish *finish)
{
	PhProfile *profile = finish->maker.profile;
	size_t next = 0;
	PH_TRY(renumber_extras(finish));
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		if (metric->kind == PH_METRIC_RATIO)
			continue;
		PH_TRY(ph_metric_make_room(profile, metric));
		PH_TRY(gather_slot(finish, metric, ph_builder_slot(i, PH_COST_EXCLUSIVE), &next,
						   metric->exclusive));
		PH_TRY(gather_slot(finish, metric, ph_builder_slot(i, PH_COST_INCLUSIVE), &next,
						   metric->inclusive));
		PH_TRY(ph_metric_derive(finish->maker.env, profile, metric));
	}
	return PH_OK;
}

static void
gather_marks(Finish *finish)
{
	PhProfileBuilder *builder = finish->builder;
	PhProfile *profile = finish->maker.profile;
	for (uint32_t column = 0; column < builder->marks_capacity; column++)
	{
		if (builder->marks[column].bits == NULL)
			continue;
		for (uint32_t raw = 0; raw < builder->n_nodes; raw++)
			if (ph_builder_is_marked(builder, column, raw))
				ph_presence_set(profile, finish->node_of[raw], finish->column_of[column]);
	}
}

static PhStatus
finish_parts(Finish *finish)
{
	PhMaker *maker = &finish->maker;
	const PhProfile *draft = &finish->builder->draft;
	PH_TRY(build_tree(finish));
	PH_TRY(build_columns(finish));
	PH_TRY(ph_maker_metrics(maker, draft));
	PH_TRY(ph_maker_provenance(maker, draft, NULL));
	PH_TRY(ph_presence_new(maker->profile));
	PH_TRY(gather_values(finish));
	gather_marks(finish);
	ph_presence_close(maker->profile);
	return PH_OK;
}

PhStatus
ph_builder_finish(PhProfileBuilder *builder, PhProfile **out)
{
	Finish finish = {.builder = builder};
	builder->draft.strings = builder->strings.text;
	PhStatus status = ph_maker_begin(&finish.maker, builder->env);
	if (status == PH_OK)
		status = finish_parts(&finish);
	return ph_maker_end(&finish.maker, status, out);
}
