/*
 * builder_cells.c - values as they come, kept exactly, so that their order does not matter.
 *
 * Per column and slot there is an array over raw nodes, grown to the highest node met. A cell holds
 * the sum of its addends as a double; what each addition lost to rounding goes to a side list, so
 * that value + list is the exact sum. Integers and single values, the usual case, need no list. A
 * long list is compacted: the entries of a cell become the few parts of their exact sum.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "profile/builder_internal.h"

#define PH_LARGEST_FLOW 1e250				/* sums of 2^32 such values are still finite */
#define PH_COMPACT_FIRST ((size_t) 1 << 20) /* extras; fewer are not worth an early merge */

/* A longer array, zeroed at the end. */
static PhStatus
grow_zeroed(PhEnv *env, void **array, size_t old, size_t new, size_t size)
{
	if (new <= old)
		return PH_OK;
	PH_TRY(ph_env_resize(env, array, old, new, size));
	memset((char *) *array + old * size, 0, (new - old) * size);
	return PH_OK;
}

/* Room for all columns so far; the first value also fixes the number of slots. */
static PhStatus
grow_columns(PhProfileBuilder *builder)
{
	uint32_t slots = 2 * builder->draft.n_metrics, old = builder->cells_capacity;
	uint32_t new = old + old / 2;
	if (new < builder->columns.count)
		new = builder->columns.count;
	void *cells = builder->cells, *marks = builder->marks;
	PH_TRY(grow_zeroed(builder->env, &marks, builder->marks_capacity, new, sizeof(PhMarks)));
	builder->marks = marks;
	builder->marks_capacity = PH_MAX(new, builder->marks_capacity);
	PH_TRY(grow_zeroed(builder->env, &cells, (size_t) old * slots, (size_t) new *slots,
					   sizeof(PhCells)));
	builder->cells = cells;
	builder->n_slots = slots;
	builder->cells_capacity = new;
	return PH_OK;
}

static PhStatus
grow_cells(PhProfileBuilder *builder, PhCells *cells, uint32_t node)
{
	uint32_t old = cells->capacity, new = old + old / 2;
	if (new < 16)
		new = 16;
	if (new <= node)
		new = node + 1;
	if (old == 0 && new < builder->n_nodes)
		new = builder->n_nodes; /* the usual case: the tree was known before the values */
	void *values = cells->values;
	PH_TRY(ph_env_resize(builder->env, &values, old, new, sizeof(double)));
	cells->values = values;
	cells->capacity = new;
	for (uint32_t i = old; i < new; i++)
		cells->values[i] = NAN;
	return PH_OK;
}

int
ph_extra_compare(const PhExtra *x, const PhExtra *y)
{
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int
compare_extras(const void *context, uint32_t x, uint32_t y)
{
	const PhProfileBuilder *builder = context;
	return ph_extra_compare(&builder->extras[x], &builder->extras[y]);
}

PhStatus
ph_builder_sort_extras(PhProfileBuilder *builder)
{
	PhArena scratch;
	uint32_t *order;
	PhExtra *copy;
	ph_arena_init(&scratch, builder->env);
	PhStatus status =
		ph_sort_indices(&scratch, (uint32_t) builder->n_extras, compare_extras, builder, &order);
	if (status == PH_OK)
		status = PH_NEW(&scratch, builder->n_extras, &copy);
	if (status == PH_OK && builder->n_extras > 0)
	{
		memcpy(copy, builder->extras, builder->n_extras * sizeof(*copy));
		for (size_t i = 0; i < builder->n_extras; i++)
			builder->extras[i] = copy[order[i]];
	}
	ph_arena_drop(&scratch);
	return status;
}

/* Replace the entries [start, end) of one cell by the parts of their sum, from *to on. */
static void
compact_cell(PhProfileBuilder *builder, uint32_t start, uint32_t end, uint32_t *to)
{
	PhExactSum sum;
	PhExtra entry = builder->extras[start];
	uint32_t weight = 0;
	ph_exact_reset(&sum);
	for (uint32_t i = start; i < end; i++)
	{
		weight += builder->extras[i].weight;
		ph_exact_add(&sum, builder->extras[i].value);
	}
	for (uint32_t part = 0; part < sum.n; part++)
	{
		if (sum.parts[part] == 0 && part + 1 < sum.n)
			continue;
		entry.value = sum.parts[part];
		entry.weight = part + 1 == sum.n ? weight : 0;
		builder->extras[(*to)++] = entry;
	}
}

static PhStatus
compact_extras(PhProfileBuilder *builder)
{
	uint32_t start = 0, to = 0;
	PH_TRY(ph_builder_sort_extras(builder));
	while (start < builder->n_extras)
	{
		uint32_t end = start + 1;
		while (end < builder->n_extras &&
			   ph_extra_compare(&builder->extras[start], &builder->extras[end]) == 0)
			end++;
		compact_cell(builder, start, end, &to);
		start = end;
	}
	builder->n_extras = to;
	builder->compact_at = 2 * to > PH_COMPACT_FIRST ? 2 * to : PH_COMPACT_FIRST;
	return PH_OK;
}

static PhStatus
add_extra(PhProfileBuilder *builder, PhExtra extra)
{
	if (builder->n_extras >= builder->compact_at && builder->n_extras >= PH_COMPACT_FIRST)
		PH_TRY(compact_extras(builder));
	if (builder->n_extras >= UINT32_MAX / 2)
		return ph_fail(builder->env, PH_ERR_LIMIT, "too many values for the same cells");
	PH_TRY(PH_GROW(builder->env, &builder->extras, builder->n_extras, &builder->extra_capacity));
	builder->extras[builder->n_extras++] = extra;
	return PH_OK;
}

static PhStatus
combine(PhProfileBuilder *builder, const PhMetric *metric, PhExtra where, double *cell,
		double value)
{
	bool is_value = metric->kind == PH_METRIC_VALUE;
	if (is_value && (metric->combine == PH_COMBINE_MIN || metric->combine == PH_COMBINE_MAX))
	{
		if (metric->combine == PH_COMBINE_MIN ? value < *cell : value > *cell)
			*cell = value;
		return PH_OK;
	}
	bool is_mean = is_value && metric->combine == PH_COMBINE_MEAN;
	double sum = ph_two_sum(*cell, value, &where.value);
	if (!isfinite(sum))
		return ph_fail(builder->env, PH_ERR_VALUE,
					   "the sum of a cell of metric \"%.100s\" is too large",
					   builder->strings.text[metric->name]);
	where.weight = is_mean;
	if (is_mean || where.value != 0)
		PH_TRY(add_extra(builder, where));
	*cell = sum;
	return PH_OK;
}

static PhStatus
check_value(PhProfileBuilder *builder, uint32_t metric, PhCost cost, double value)
{
	const PhMetric *m = &builder->draft.metrics[metric];
	const char *name = builder->strings.text[m->name];
	if (m->kind == PH_METRIC_RATIO)
		return ph_fail(builder->env, PH_ERR_VALUE, "metric \"%.100s\" is a ratio: it has no values",
					   name);
	if (cost != PH_COST_EXCLUSIVE && cost != PH_COST_INCLUSIVE)
		return ph_fail(builder->env, PH_ERR_VALUE, "only exclusive and inclusive values are given");
	if (m->kind == PH_METRIC_FLOW &&
		!((unsigned) builder->given[metric] &
		  (cost == PH_COST_EXCLUSIVE ? PH_GIVEN_EXCLUSIVE : PH_GIVEN_INCLUSIVE)))
		return ph_fail(builder->env, PH_ERR_VALUE,
					   "metric \"%.100s\" was declared without %s values", name,
					   cost == PH_COST_EXCLUSIVE ? "exclusive" : "inclusive");
	if (!isfinite(value))
		return ph_fail(builder->env, PH_ERR_VALUE, "a value of metric \"%.100s\" is %s", name,
					   isnan(value) ? "not a number" : "infinite");
	if (value < 0 && !m->is_signed)
		return ph_fail(builder->env, PH_ERR_VALUE, "a value of metric \"%.100s\" is negative: %g",
					   name, value);
	if (m->kind == PH_METRIC_FLOW && fabs(value) > PH_LARGEST_FLOW)
		return ph_fail(builder->env, PH_ERR_VALUE, "a value of metric \"%.100s\" is too large: %g",
					   name, value);
	return PH_OK;
}

static PhStatus
check_cell(PhProfileBuilder *builder, uint32_t node, uint32_t column)
{
	if (node >= builder->n_nodes)
		return ph_fail(builder->env, PH_ERR_VALUE, "node %u does not exist among %u nodes", node,
					   builder->n_nodes);
	if (column >= builder->columns.count)
		return ph_fail(builder->env, PH_ERR_VALUE, "column %u does not exist among %u", column,
					   builder->columns.count);
	if (column >= builder->cells_capacity)
		return grow_columns(builder);
	return PH_OK;
}

PhStatus
ph_builder_add_value(PhProfileBuilder *builder, uint32_t metric, uint32_t node, uint32_t column,
					 PhCost cost, double value)
{
	if (metric >= builder->draft.n_metrics)
		return ph_fail(builder->env, PH_ERR_VALUE, "metric %u does not exist among %u", metric,
					   builder->draft.n_metrics);
	PH_TRY(check_value(builder, metric, cost, value));
	PH_TRY(check_cell(builder, node, column));
	uint32_t slot = ph_builder_slot(metric, cost);
	PhCells *cells = &builder->cells[(size_t) column * builder->n_slots + slot];
	if (node >= cells->capacity)
		PH_TRY(grow_cells(builder, cells, node));
	double *cell = &cells->values[node];
	value += 0.0; /* -0 becomes 0 */
	if (isnan(*cell))
	{
		*cell = value;
		return PH_OK;
	}
	PhExtra where = {.slot = slot, .column = column, .node = node};
	return combine(builder, &builder->draft.metrics[metric], where, cell, value);
}

PhStatus
ph_builder_mark_present(PhProfileBuilder *builder, uint32_t node, uint32_t column)
{
	PH_TRY(check_cell(builder, node, column));
	PhMarks *marks = &builder->marks[column];
	if (node / 8 >= marks->n_bytes)
	{
		uint32_t wanted = builder->n_nodes / 8 + 16;
		void *bits = marks->bits;
		PH_TRY(ph_env_resize(builder->env, &bits, marks->n_bytes, wanted, 1));
		marks->bits = bits;
		memset(marks->bits + marks->n_bytes, 0, wanted - marks->n_bytes);
		marks->n_bytes = wanted;
	}
	marks->bits[node / 8] |= (uint8_t) (1u << (node % 8));
	return PH_OK;
}

bool
ph_builder_is_marked(const PhProfileBuilder *builder, uint32_t column, uint32_t node)
{
	if (column >= builder->marks_capacity)
		return false;
	const PhMarks *marks = &builder->marks[column];
	return node / 8 < marks->n_bytes && (marks->bits[node / 8] >> (node % 8) & 1) != 0;
}

void
ph_builder_free_slot(PhProfileBuilder *builder, uint32_t slot)
{
	for (uint32_t column = 0; column < builder->cells_capacity && builder->n_slots > 0; column++)
	{
		PhCells *cells = &builder->cells[(size_t) column * builder->n_slots + slot];
		ph_env_free(builder->env, cells->values, cells->capacity, sizeof(double));
		cells->values = NULL;
		cells->capacity = 0;
	}
}

void
ph_builder_free_cells(PhProfileBuilder *builder)
{
	PhEnv *env = builder->env;
	for (uint32_t slot = 0; slot < builder->n_slots; slot++)
		ph_builder_free_slot(builder, slot);
	for (uint32_t column = 0; column < builder->marks_capacity; column++)
		ph_env_free(env, builder->marks[column].bits, builder->marks[column].n_bytes, 1);
	ph_env_free(env, builder->cells, (size_t) builder->cells_capacity * builder->n_slots,
				sizeof(PhCells));
	ph_env_free(env, builder->marks, builder->marks_capacity, sizeof(PhMarks));
	ph_env_free(env, builder->extras, builder->extra_capacity, sizeof(PhExtra));
}
