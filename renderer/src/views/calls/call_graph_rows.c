/*
 * call_graph_rows.c - functions and who calls whom, from rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/calls/call_graph.h"

/* Functions by name, for finding them. */
typedef struct Named
{
	const char *name;
	uint32_t function;
} Named;

static int
compare_named(const void *a, const void *b)
{
	const Named *left = a;
	const Named *right = b;
	int order = strcmp(left->name, right->name);

	return order != 0 ? order
					  : (left->function > right->function) - (left->function < right->function);
}

static uint32_t
find(const Named *named, uint32_t n, const char *name)
{
	uint32_t low = 0;

	if (name == NULL)
		return UINT32_MAX;
	for (uint32_t high = n; low < high;)
	{
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(named[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && strcmp(named[low].name, name) == 0 ? named[low].function : UINT32_MAX;
}

static uint32_t
count_of(const PhTable *table, uint32_t row, const char *column)
{
	double value = ph_table_number(table, row, column);

	return value >= 0 && value < UINT32_MAX ? (uint32_t) value : 0;
}

static double
cost_of(const PhTable *table, uint32_t row, const char *column)
{
	double value = ph_table_number(table, row, column);

	return isnan(value) ? 0 : value;
}

static Named *
read_functions(PhArena *arena, const PhTable *table, PhCallGraph *out)
{
	Named *named;

	out->functions = ph_need(arena, ph_rows_count(table), sizeof(PhFunction));
	named = ph_need(arena, ph_rows_count(table), sizeof(Named));
	for (uint32_t i = 0; i < ph_rows_count(table); i++)
	{
		PhFunction *function = &out->functions[out->n];

		function->name = ph_table_text(table, i, "name");
		if (function->name == NULL)
			continue;
		function->module = ph_table_text(table, i, "module");
		function->n_nodes = count_of(table, i, "nodes");
		function->inclusive = cost_of(table, i, "inclusive");
		function->exclusive = cost_of(table, i, "exclusive");
		function->calls = ph_table_number(table, i, "calls");
		out->counted = out->counted || function->calls > 0;
		named[out->n] = (Named){function->name, out->n};
		out->total = fmax(out->total, function->inclusive);
		out->n++;
	}
	qsort(named, out->n, sizeof(Named), compare_named);
	return named;
}

static void
read_calls(PhArena *arena, const PhTable *table, const Named *named, PhCallGraph *out)
{
	out->calls = ph_need(arena, ph_rows_count(table), sizeof(PhCall));
	for (uint32_t i = 0; i < ph_rows_count(table); i++)
	{
		PhCall *call = &out->calls[out->n_calls];

		call->caller = find(named, out->n, ph_table_text(table, i, "caller"));
		call->callee = find(named, out->n, ph_table_text(table, i, "callee"));
		if (call->caller == UINT32_MAX || call->callee == UINT32_MAX)
			continue;
		call->inclusive = cost_of(table, i, "inclusive");
		call->calls = ph_table_number(table, i, "calls");
		call->values = ph_table_numbers(arena, table, i, "values", &call->n_nodes);
		out->n_calls++;
	}
}

static void
read_contexts(PhArena *arena, const PhTable *table, const Named *named, PhCallGraph *out)
{
	out->contexts = ph_need(arena, ph_rows_count(table), sizeof(PhContext));
	for (uint32_t i = 0; i < ph_rows_count(table); i++)
	{
		PhContext *context = &out->contexts[out->n_contexts];

		context->function = find(named, out->n, ph_table_text(table, i, "function"));
		if (context->function == UINT32_MAX)
			continue;
		context->node = ph_table_text(table, i, "node");
		context->caller = ph_table_text(table, i, "caller");
		context->inclusive = cost_of(table, i, "inclusive");
		context->exclusive = cost_of(table, i, "exclusive");
		context->calls = ph_table_number(table, i, "calls");
		out->n_contexts++;
	}
}

static void
mark_related(PhCallGraph *graph)
{
	if (graph->selected == UINT32_MAX)
		return;
	graph->functions[graph->selected].selected = true;
	for (uint32_t i = 0; i < graph->n_calls; i++)
	{
		const PhCall *call = &graph->calls[i];

		if (call->callee == graph->selected)
			graph->functions[call->caller].is_caller = true;
		if (call->caller == graph->selected)
			graph->functions[call->callee].is_callee = true;
	}
}

void
ph_call_graph_read(PhArena *arena, const PhViewRows *rows, PhCallGraph *out)
{
	const PhTable *others = ph_rows_table(rows, "others");
	const PhTable *selected = ph_rows_table(rows, "selected");
	const Named *named;

	memset(out, 0, sizeof(*out));
	named = read_functions(arena, ph_rows_table(rows, "functions"), out);
	read_calls(arena, ph_rows_table(rows, "calls"), named, out);
	read_contexts(arena, ph_rows_table(rows, "contexts"), named, out);
	out->selected = find(named, out->n, ph_table_text(selected, 0, "name"));
	out->given = ph_table_true(selected, 0, "given");
	out->unit_name = ph_table_text(ph_rows_table(rows, "metric"), 0, "unit");
	out->run = ph_table_text(ph_rows_table(rows, "run"), 0, "run_id");
	out->n_others = cost_of(others, 0, "functions");
	out->others_nodes = cost_of(others, 0, "nodes");
	out->others_exclusive = cost_of(others, 0, "exclusive");
	mark_related(out);
}

const char *
ph_function_label(const PhFunction *function)
{
	static const char unknown[] = "<unknown procedure> ";
	size_t length = sizeof(unknown) - 1;

	if (strncmp(function->name, unknown, length) == 0 && function->name[length] != '\0')
		return function->name + length;
	return function->name;
}

const char *
ph_function_tooltip(PhArena *arena, const PhCallGraph *graph, uint32_t function)
{
	const PhFunction *f = &graph->functions[function];
	const char *text =
		ph_need_format(arena, "%s%s%s\n%u call tree node%s\ninclusive %s (%s)\nexclusive %s",
					   f->name, f->module ? "\n" : "", f->module ? f->module : "", f->n_nodes,
					   f->n_nodes == 1 ? "" : "s", ph_value(arena, graph->unit_name, f->inclusive),
					   ph_percent(arena, f->inclusive, graph->total),
					   ph_value(arena, graph->unit_name, f->exclusive));

	return isnan(f->calls)
			   ? text
			   : ph_need_format(arena, "%s\n%s calls", text, ph_number(arena, f->calls));
}

void
ph_function_data(PhScene *scene, const PhCallGraph *graph, uint32_t function)
{
	const PhFunction *f = &graph->functions[function];

	ph_scene_data(scene, "node", f->name);
	ph_scene_data(scene, "module", f->module);
	ph_scene_data(scene, "run", graph->run);
	ph_scene_data_number(scene, "nodes", f->n_nodes);
	ph_scene_data_number(scene, "inclusive", f->inclusive);
	ph_scene_data_number(scene, "exclusive", f->exclusive);
	ph_scene_data_number(scene, "calls", f->calls);
}

const char *
ph_others_text(PhArena *arena, const PhCallGraph *graph)
{
	if (!(graph->n_others > 0))
		return NULL;
	return ph_need_format(arena,
						  "%.0f more function%s with %.0f call tree nodes and %s of their own not "
						  "drawn; --top draws more",
						  graph->n_others, graph->n_others == 1 ? "" : "s", graph->others_nodes,
						  ph_value(arena, graph->unit_name, graph->others_exclusive));
}
