/*
 * builder_cells.c - values as they come, kept exactly, so that their order does not matter.
 *
 * Per column and slot there is a list of nodes and values, which becomes an array over raw nodes
 * once it has a third of them. Memory follows the values that come: nodes that only one rank has
 * cost nothing in the columns of the others.
 *
 * A cell holds the sum of its addends as a double; what each addition lost to rounding goes to a
 * side list, so that value + list is the exact sum. Integers and single values, the usual case,
 * need no list. A long list is compacted: the entries of a cell become the few parts of their exact
 * sum.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "base/text.h"
#include "profile/builder_internal.h"
#include "profile/exact_sum.h"

#define PH_LARGEST_FLOW 1e250				/* sums of 2^32 such values are still finite */
#define PH_COMPACT_FIRST ((size_t) 1 << 20) /* extras; fewer are not worth an early merge */
#define PH_ARRAY_SHARE 3					/* one value in so many nodes is enough for an array */
#define PH_LIST_FIRST 16					/* entries of the shortest list */

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
					   "the sum of a cell of metric \"%.*s\" is too large",
					   ph_text_fit(builder->strings.text[metric->name], 100),
					   builder->strings.text[metric->name]);
	where.weight = is_mean;
	if (is_mean || where.value != 0)
		PH_TRY(add_extra(builder, where));
	*cell = sum;
	return PH_OK;
}

/* ---- lists and arrays of values ---- */

/* Where a value goes that comes for a node with one already; list and array alike. */
typedef struct Place
{
	PhProfileBuilder *builder;
	PhCells *cells;
	const PhMetric *metric;
	uint32_t slot, column;
} Place;

static Place
place_of(PhProfileBuilder *builder, uint32_t slot, uint32_t column)
{
	return (Place){builder, &builder->cells[(size_t) column * builder->n_slots + slot],
				   &builder->draft.metrics[slot / 2], slot, column};
}

static PhStatus
combine_at(const Place *place, uint32_t node, double *cell, double value)
{
	PhExtra where = {.slot = place->slot, .column = place->column, .node = node};
	return combine(place->builder, place->metric, where, cell, value);
}

static void
free_cells(PhEnv *env, PhCells *cells)
{
	ph_env_free(env, cells->values, cells->capacity, sizeof(double));
	if (cells->nodes != NULL)
		ph_env_free(env, cells->nodes, cells->capacity, sizeof(uint32_t));
	memset(cells, 0, sizeof(*cells));
}

static PhStatus
resize_list(PhEnv *env, PhCells *cells, uint32_t capacity)
{
	void *values = NULL, *nodes = NULL;
	PH_TRY(ph_env_resize(env, &values, 0, capacity, sizeof(double)));
	PhStatus status = ph_env_resize(env, &nodes, 0, capacity, sizeof(uint32_t));
	if (status != PH_OK)
	{
		ph_env_free(env, values, capacity, sizeof(double));
		return status;
	}
	PhCells longer = {values, nodes, cells->n, capacity, cells->is_unsorted};
	if (cells->n > 0)
	{
		memcpy(longer.values, cells->values, cells->n * sizeof(double));
		memcpy(longer.nodes, cells->nodes, cells->n * sizeof(uint32_t));
	}
	free_cells(env, cells);
	*cells = longer;
	return PH_OK;
}

static PhStatus
resize_array(PhEnv *env, PhCells *cells, uint32_t capacity)
{
	void *values = cells->values;
	PH_TRY(ph_env_resize(env, &values, cells->capacity, capacity, sizeof(double)));
	cells->values = values;
	for (uint32_t i = cells->capacity; i < capacity; i++)
		cells->values[i] = NAN;
	cells->capacity = capacity;
	return PH_OK;
}

static PhStatus
put_in_array(const Place *place, PhCells *array, uint32_t node, double value)
{
	if (!isnan(array->values[node]))
		return combine_at(place, node, &array->values[node], value);
	array->values[node] = value;
	array->n++;
	return PH_OK;
}

/* An array of n_nodes elements in the place of what there is, with nodes called by other numbers
 * (NULL: by their own). */
static PhStatus
make_array(const Place *place, uint32_t n_nodes, const uint32_t *node_of)
{
	PhEnv *env = place->builder->env;
	PhCells array = {0}, *old = place->cells;
	PhStatus status = resize_array(env, &array, n_nodes);
	for (uint32_t i = 0; status == PH_OK && i < ph_cells_end(old); i++)
	{
		uint32_t node;
		double value;
		if (ph_cells_entry(old, i, &node, &value))
			status = put_in_array(place, &array, node_of == NULL ? node : node_of[node], value);
	}
	free_cells(env, status == PH_OK ? old : &array);
	if (status == PH_OK)
		*old = array;
	return status;
}

/* A list in the place of an array that lacks most nodes. */
static PhStatus
make_list(const Place *place)
{
	PhCells list = {0}, *old = place->cells;
	uint32_t wanted = 2 * old->n;
	PH_TRY(resize_list(place->builder->env, &list, PH_MAX(wanted, PH_LIST_FIRST)));
	for (uint32_t i = 0; i < old->capacity; i++)
	{
		if (isnan(old->values[i]))
			continue;
		list.nodes[list.n] = i;
		list.values[list.n++] = old->values[i];
	}
	free_cells(place->builder->env, old);
	*old = list;
	return PH_OK;
}

static int
compare_entries(const void *context, uint32_t x, uint32_t y)
{
	const PhCells *cells = context;
	return (cells->nodes[x] > cells->nodes[y]) - (cells->nodes[x] < cells->nodes[y]);
}

/* Puts a list's entries into the given order and combines those of one node. */
static PhStatus
merge_entries(const Place *place, PhArena *scratch, const uint32_t *order)
{
	PhCells *cells = place->cells;
	uint32_t n = cells->n, *nodes;
	double *values;
	PH_TRY(PH_NEW(scratch, n, &nodes));
	PH_TRY(PH_NEW(scratch, n, &values));
	memcpy(nodes, cells->nodes, n * sizeof(*nodes));
	memcpy(values, cells->values, n * sizeof(*values));
	cells->n = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t node = nodes[order[i]], last = cells->n - 1;
		if (cells->n > 0 && cells->nodes[last] == node)
		{
			PH_TRY(combine_at(place, node, &cells->values[last], values[order[i]]));
			continue;
		}
		cells->nodes[cells->n] = node;
		cells->values[cells->n++] = values[order[i]];
	}
	cells->is_unsorted = false;
	return PH_OK;
}

static PhStatus
sort_list(const Place *place)
{
	PhArena scratch;
	uint32_t *order;
	if (!place->cells->is_unsorted)
		return PH_OK;
	ph_arena_init(&scratch, place->builder->env);
	PhStatus status =
		ph_sort_indices(&scratch, place->cells->n, compare_entries, place->cells, &order);
	if (status == PH_OK)
		status = merge_entries(place, &scratch, order);
	ph_arena_drop(&scratch);
	return status;
}

/* Whether an array up to a node is no larger than a list of n values. */
static bool
suits_array(uint32_t n, uint32_t n_nodes)
{
	return n_nodes <= PH_LIST_FIRST || n >= n_nodes / PH_ARRAY_SHARE;
}

/* Room for one more entry, or an array, which has some. */
static PhStatus
grow_list(const Place *place)
{
	PhCells *cells = place->cells;
	uint32_t n_nodes = place->builder->n_nodes;
	if (suits_array(cells->n, n_nodes))
		return make_array(place, n_nodes, NULL);
	PH_TRY(sort_list(place));
	if (cells->capacity > 0 && cells->n <= cells->capacity / 2)
		return PH_OK;
	uint32_t more = cells->capacity * 2;
	return resize_list(place->builder->env, cells, PH_MAX(more, PH_LIST_FIRST));
}

/* Room for a node beyond the array, or a list, when it leaves too many out. */
static PhStatus
grow_array(const Place *place, uint32_t node)
{
	uint32_t capacity = place->cells->capacity, wanted = capacity + capacity / 2;
	if (!suits_array(place->cells->n, node))
		return make_list(place);
	return resize_array(place->builder->env, place->cells, PH_MAX(wanted, node + 1));
}

static bool
is_list(const PhCells *cells)
{
	return cells->nodes != NULL || cells->capacity == 0;
}

static PhStatus
add_to_cells(const Place *place, uint32_t node, double value)
{
	PhCells *cells = place->cells;
	if (!is_list(cells) && node >= cells->capacity)
		PH_TRY(grow_array(place, node));
	if (is_list(cells) && cells->n > 0 && cells->nodes[cells->n - 1] == node)
		return combine_at(place, node, &cells->values[cells->n - 1], value);
	if (is_list(cells) && cells->n == cells->capacity)
		PH_TRY(grow_list(place));
	if (!is_list(cells))
		return put_in_array(place, cells, node, value);
	cells->is_unsorted |= cells->n > 0 && cells->nodes[cells->n - 1] > node;
	cells->nodes[cells->n] = node;
	cells->values[cells->n++] = value;
	return PH_OK;
}

/* ---- acceptance ---- */

static PhStatus
check_value(PhProfileBuilder *builder, uint32_t metric, PhCost cost, double value)
{
	const PhMetric *m = &builder->draft.metrics[metric];
	const char *name = builder->strings.text[m->name];
	if (m->kind == PH_METRIC_RATIO)
		return ph_fail(builder->env, PH_ERR_VALUE, "metric \"%.*s\" is a ratio: it has no values",
					   ph_text_fit(name, 100), name);
	if (cost != PH_COST_EXCLUSIVE && cost != PH_COST_INCLUSIVE)
		return ph_fail(builder->env, PH_ERR_VALUE, "only exclusive and inclusive values are given");
	if (m->kind == PH_METRIC_FLOW &&
		!((unsigned) builder->given[metric] &
		  (cost == PH_COST_EXCLUSIVE ? PH_GIVEN_EXCLUSIVE : PH_GIVEN_INCLUSIVE)))
		return ph_fail(builder->env, PH_ERR_VALUE, "metric \"%.*s\" was declared without %s values",
					   ph_text_fit(name, 100), name,
					   cost == PH_COST_EXCLUSIVE ? "exclusive" : "inclusive");
	if (!isfinite(value))
		return ph_fail(builder->env, PH_ERR_VALUE, "a value of metric \"%.*s\" is %s",
					   ph_text_fit(name, 100), name, isnan(value) ? "not a number" : "infinite");
	if (value < 0 && !m->is_signed)
		return ph_fail(builder->env, PH_ERR_VALUE, "a value of metric \"%.*s\" is negative: %g",
					   ph_text_fit(name, 100), name, value);
	if (m->kind == PH_METRIC_FLOW && fabs(value) > PH_LARGEST_FLOW)
		return ph_fail(builder->env, PH_ERR_VALUE, "a value of metric \"%.*s\" is too large: %g",
					   ph_text_fit(name, 100), name, value);
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
	value += 0.0; /* -0 becomes 0 */
	if (cells->nodes == NULL && node < cells->capacity && isnan(cells->values[node]))
	{
		cells->values[node] = value; /* the usual case needs nothing else */
		cells->n++;
		return PH_OK;
	}
	if (cells->nodes != NULL && cells->n > 0 && cells->n < cells->capacity &&
		cells->nodes[cells->n - 1] < node)
	{
		cells->nodes[cells->n] = node; /* so is this one, of nodes in their order */
		cells->values[cells->n++] = value;
		return PH_OK;
	}
	Place place = place_of(builder, slot, column);
	return add_to_cells(&place, node, value);
}

PhStatus
ph_builder_expect_values(PhProfileBuilder *builder, uint32_t metric, uint32_t column, PhCost cost,
						 uint32_t n)
{
	if (metric >= builder->draft.n_metrics || builder->n_nodes == 0)
		return ph_fail(builder->env, PH_ERR_VALUE, "values of metric %u among %u and of %u nodes",
					   metric, builder->draft.n_metrics, builder->n_nodes);
	PH_TRY(check_cell(builder, 0, column));
	Place place = place_of(builder, ph_builder_slot(metric, cost), column);
	if (n == 0 || place.cells->capacity > 0)
		return PH_OK;
	return suits_array(n, builder->n_nodes) ? make_array(&place, builder->n_nodes, NULL)
											: resize_list(builder->env, place.cells, n);
}

static int
compare_marks(const void *context, uint32_t x, uint32_t y)
{
	const PhMarks *marks = context;
	return (marks->runs[x].first > marks->runs[y].first) -
		   (marks->runs[x].first < marks->runs[y].first);
}

/* Runs in ascending order, joined where they touch or overlap. */
static PhStatus
merge_marks(PhArena *scratch, PhMarks *marks)
{
	uint32_t *order, n = marks->n;
	PhNodeRun *copy;
	PH_TRY(ph_sort_indices(scratch, n, compare_marks, marks, &order));
	PH_TRY(PH_NEW(scratch, n, &copy));
	if (n > 0)
		memcpy(copy, marks->runs, n * sizeof(*copy));
	marks->n = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		PhNodeRun run = copy[order[i]], *last = marks->n > 0 ? &marks->runs[marks->n - 1] : NULL;
		uint32_t end = run.first + run.n;
		if (last == NULL || last->first + last->n < run.first)
			marks->runs[marks->n++] = run;
		else if (end > last->first + last->n)
			last->n = end - last->first;
	}
	return PH_OK;
}

/* Room for one more run. */
static PhStatus
grow_marks(PhEnv *env, PhMarks *marks)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = merge_marks(&scratch, marks);
	ph_arena_drop(&scratch);
	if (status != PH_OK || (marks->capacity > 0 && marks->n <= marks->capacity / 2))
		return status;
	uint32_t wanted = marks->capacity == 0 ? 4 : marks->capacity * 2;
	void *runs = marks->runs;
	PH_TRY(ph_env_resize(env, &runs, marks->capacity, wanted, sizeof(PhNodeRun)));
	marks->runs = runs;
	marks->capacity = wanted;
	return PH_OK;
}

PhStatus
ph_builder_mark_present(PhProfileBuilder *builder, uint32_t node, uint32_t column)
{
	PH_TRY(check_cell(builder, node, column));
	PhMarks *marks = &builder->marks[column];
	PhNodeRun *last = marks->n > 0 ? &marks->runs[marks->n - 1] : NULL;
	if (last != NULL && node >= last->first && node - last->first <= last->n)
	{
		last->n += node - last->first == last->n;
		return PH_OK;
	}
	if (marks->n == marks->capacity)
		PH_TRY(grow_marks(builder->env, marks));
	marks->runs[marks->n++] = (PhNodeRun){node, 1};
	return PH_OK;
}

/* ---- the end ---- */

/* Where there are as many nodes as before, entries of a list that has each once stay so. */
static PhStatus
renumber_cells(const Place *place, const uint32_t *node_of, uint32_t n_nodes, bool is_identity)
{
	PhCells *cells = place->cells;
	if (cells->n == 0 || (is_identity && !cells->is_unsorted))
		return PH_OK;
	if (!is_list(cells))
		return make_array(place, n_nodes, node_of);
	for (uint32_t i = 0; i < cells->n; i++)
		cells->nodes[i] = node_of[cells->nodes[i]];
	cells->is_unsorted = cells->is_unsorted || n_nodes < place->builder->n_nodes;
	return sort_list(place);
}

PhStatus
ph_builder_renumber(PhProfileBuilder *builder, const uint32_t *node_of, uint32_t n_nodes)
{
	bool is_identity = n_nodes == builder->n_nodes;
	for (uint32_t node = 0; is_identity && node < n_nodes; node++)
		is_identity = node_of[node] == node;
	for (uint32_t i = 0; i < builder->n_extras; i++)
		builder->extras[i].node = node_of[builder->extras[i].node];
	for (uint32_t column = 0; column < builder->cells_capacity; column++)
		for (uint32_t slot = 0; slot < builder->n_slots; slot++)
		{
			Place place = place_of(builder, slot, column);
			PH_TRY(ph_env_poll(builder->env));
			PH_TRY(renumber_cells(&place, node_of, n_nodes, is_identity));
		}
	return PH_OK;
}

void
ph_builder_free_slot(PhProfileBuilder *builder, uint32_t slot)
{
	for (uint32_t column = 0; column < builder->cells_capacity && builder->n_slots > 0; column++)
		free_cells(builder->env, &builder->cells[(size_t) column * builder->n_slots + slot]);
}

void
ph_builder_free_cells(PhProfileBuilder *builder)
{
	PhEnv *env = builder->env;
	for (uint32_t slot = 0; slot < builder->n_slots; slot++)
		ph_builder_free_slot(builder, slot);
	for (uint32_t column = 0; column < builder->marks_capacity; column++)
		ph_env_free(env, builder->marks[column].runs, builder->marks[column].capacity,
					sizeof(PhNodeRun));
	ph_env_free(env, builder->cells, (size_t) builder->cells_capacity * builder->n_slots,
				sizeof(PhCells));
	ph_env_free(env, builder->marks, builder->marks_capacity, sizeof(PhMarks));
	ph_env_free(env, builder->extras, builder->extra_capacity, sizeof(PhExtra));
}
