/*
 * caller_graph.c - see caller_graph.h.
 *
 * A depth-first search numbers functions in the order in which they are left. An arc leads back to
 * a function that is still open, which is recursion, exactly where its caller is left first; all
 * other arcs together have no cycle, so each function may choose any of these for its parent.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/caller_graph.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"

enum
{
	TIME,
	CALLS,
	PRIMITIVE,
	TOTAL,
	N_METRICS
};

typedef struct Tree
{
	const PhCallerGraph *graph;
	PhArena arena; /* dropped at the end */
	PhEnv *env;
	PhProfileBuilder *builder;
	uint32_t metrics[N_METRICS], column;
	uint32_t *order; /* functions by their identity */
	uint32_t *rank;	 /* of a function in order */
	uint32_t *arcs;	 /* sorted by caller, then rank of the callee */
	uint32_t *first; /* per function, and one more: its arcs */
	uint32_t *left;	 /* functions in the order in which they were left */
	uint32_t n_left;
	uint32_t *position; /* of a function in left; PH_NONE: not met, OPEN: not left */
	uint32_t *main_arc; /* from its parent; PH_NONE: a root */
	uint32_t *nodes;
	PhCallCosts *rest; /* costs of a function without those of its other arcs */
} Tree;

#define OPEN (PH_NONE - 1)

/* ---- order ---- */

static int
compare_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

static int
compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

/* By identity; those of equal identity by what they cost. */
static int
compare_functions(const void *context, uint32_t x, uint32_t y)
{
	const PhCallFunction *a = (const PhCallFunction *) context + x;
	const PhCallFunction *b = (const PhCallFunction *) context + y;
	int order = compare_text(a->region.name, b->region.name);
	if (order == 0)
		order = compare_text(a->region.file, b->region.file);
	if (order == 0)
		order = compare_text(a->region.library, b->region.library);
	if (order == 0)
		order = compare_numbers(a->region.line, b->region.line);
	if (order == 0)
		order = compare_numbers(a->costs.total, b->costs.total);
	return order != 0 ? order : compare_numbers(a->costs.calls, b->costs.calls);
}

static int
compare_arcs(const void *context, uint32_t x, uint32_t y)
{
	const Tree *tree = context;
	const PhCallArc *a = &tree->graph->arcs.items[x], *b = &tree->graph->arcs.items[y];
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	uint32_t rank_a = tree->rank[a->callee], rank_b = tree->rank[b->callee];
	return (rank_a > rank_b) - (rank_a < rank_b);
}

static PhStatus
sort_graph(Tree *tree)
{
	uint32_t n = tree->graph->functions.count, n_arcs = tree->graph->arcs.count;
	PH_TRY(ph_sort_indices(&tree->arena, n, compare_functions, tree->graph->functions.items,
						   &tree->order));
	PH_TRY(PH_NEW(&tree->arena, n, &tree->rank));
	for (uint32_t i = 0; i < n; i++)
		tree->rank[tree->order[i]] = i;
	PH_TRY(ph_sort_indices(&tree->arena, n_arcs, compare_arcs, tree, &tree->arcs));
	PH_TRY(PH_NEW(&tree->arena, (size_t) n + 1, &tree->first));
	for (uint32_t i = 0; i < n_arcs; i++)
		tree->first[tree->graph->arcs.items[i].caller + 1]++;
	for (uint32_t i = 0; i < n; i++)
		tree->first[i + 1] += tree->first[i];
	return PH_OK;
}

/* ---- the search ---- */

typedef struct Search
{
	uint32_t *stack; /* open functions */
	uint32_t *next;	 /* per function: its next arc to look at */
} Search;

static PhStatus
search_from(Tree *tree, Search *search, uint32_t root)
{
	uint32_t depth = 0;
	if (tree->position[root] != PH_NONE)
		return PH_OK;
	search->stack[depth++] = root;
	tree->position[root] = OPEN;
	while (depth > 0)
	{
		uint32_t function = search->stack[depth - 1];
		PH_TRY(ph_env_poll(tree->env));
		if (search->next[function] == tree->first[function + 1])
		{
			tree->position[function] = tree->n_left;
			tree->left[tree->n_left++] = function;
			depth--;
			continue;
		}
		uint32_t arc = tree->arcs[search->next[function]++];
		uint32_t callee = tree->graph->arcs.items[arc].callee;
		if (tree->position[callee] != PH_NONE)
			continue;
		tree->position[callee] = OPEN;
		search->stack[depth++] = callee;
	}
	return PH_OK;
}

/* Those that take longest first. */
static int
compare_totals(const void *context, uint32_t x, uint32_t y)
{
	const Tree *tree = context;
	const PhCallFunction *functions = tree->graph->functions.items;
	int order = compare_numbers(functions[y].costs.total, functions[x].costs.total);
	return order != 0 ? order : compare_numbers(tree->rank[x], tree->rank[y]);
}

/* From those that nobody else calls; then from what only recursion leads to. */
static PhStatus
search_all(Tree *tree)
{
	uint32_t n = tree->graph->functions.count;
	Search search;
	bool *is_called;
	uint32_t *by_total;
	PH_TRY(PH_NEW(&tree->arena, n, &search.stack));
	PH_TRY(PH_NEW(&tree->arena, n, &search.next));
	PH_TRY(PH_NEW(&tree->arena, n, &tree->left));
	PH_TRY(PH_NEW(&tree->arena, n, &tree->position));
	PH_TRY(PH_NEW(&tree->arena, n, &is_called));
	PH_TRY(ph_sort_indices(&tree->arena, n, compare_totals, tree, &by_total));
	for (uint32_t i = 0; i < n; i++)
	{
		tree->position[i] = PH_NONE;
		search.next[i] = tree->first[i];
	}
	for (uint32_t i = 0; i < tree->graph->arcs.count; i++)
	{
		const PhCallArc *arc = &tree->graph->arcs.items[i];
		is_called[arc->callee] |= arc->caller != arc->callee;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!is_called[tree->order[i]])
			PH_TRY(search_from(tree, &search, tree->order[i]));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(search_from(tree, &search, by_total[i]));
	return PH_OK;
}

/* ---- parents ---- */

/* Whether arc a makes the better parent. */
static bool
is_better(const Tree *tree, uint32_t a, uint32_t b)
{
	const PhCallArc *x = &tree->graph->arcs.items[a], *y = &tree->graph->arcs.items[b];
	int order = compare_numbers(x->costs.total, y->costs.total);
	if (order == 0)
		order = compare_numbers(x->costs.calls, y->costs.calls);
	return order != 0 ? order > 0 : tree->rank[x->caller] < tree->rank[y->caller];
}

static PhStatus
choose_parents(Tree *tree)
{
	uint32_t n = tree->graph->functions.count;
	PH_TRY(PH_NEW(&tree->arena, n, &tree->main_arc));
	for (uint32_t i = 0; i < n; i++)
		tree->main_arc[i] = PH_NONE;
	for (uint32_t i = 0; i < tree->graph->arcs.count; i++)
	{
		const PhCallArc *arc = &tree->graph->arcs.items[i];
		uint32_t *best = &tree->main_arc[arc->callee];
		if (tree->position[arc->caller] > tree->position[arc->callee] &&
			(*best == PH_NONE || is_better(tree, i, *best)))
			*best = i;
	}
	return PH_OK;
}

/* ---- nodes and values ---- */

static PhStatus
add_costs(Tree *tree, uint32_t node, const PhCallCosts *costs)
{
	const double values[N_METRICS] = {costs->self, costs->calls, costs->primitive, costs->total};
	for (size_t i = 0; i < N_METRICS; i++)
		if (tree->metrics[i] != PH_NONE)
			PH_TRY(ph_builder_add_value(tree->builder, tree->metrics[i], node, tree->column,
										PH_COST_EXCLUSIVE, values[i]));
	return PH_OK;
}

/* In the order opposite to that in which functions were left, parents come first. */
static PhStatus
add_nodes(Tree *tree)
{
	PH_TRY(PH_NEW(&tree->arena, tree->graph->functions.count, &tree->nodes));
	for (uint32_t i = tree->n_left; i-- > 0;)
	{
		uint32_t function = tree->left[i], arc = tree->main_arc[function], region;
		uint32_t parent =
			arc == PH_NONE ? PH_NONE : tree->nodes[tree->graph->arcs.items[arc].caller];
		PH_TRY(ph_env_poll(tree->env));
		PH_TRY(ph_builder_add_region(tree->builder, &tree->graph->functions.items[function].region,
									 &region));
		PH_TRY(ph_builder_add_node(tree->builder, parent, region, &tree->nodes[function]));
	}
	return PH_OK;
}

static void
take_away(double *rest, double part)
{
	*rest = PH_MAX(*rest - part, 0.0);
}

/* A leaf for every arc that is not to a child. */
static PhStatus
add_leaves(Tree *tree)
{
	for (uint32_t i = 0; i < tree->graph->arcs.count; i++)
	{
		const PhCallArc *arc = &tree->graph->arcs.items[i];
		PhCallCosts *rest = &tree->rest[arc->callee];
		uint32_t region, node;
		if (tree->main_arc[arc->callee] == i)
			continue;
		PH_TRY(ph_env_poll(tree->env));
		PH_TRY(ph_builder_add_region(tree->builder,
									 &tree->graph->functions.items[arc->callee].region, &region));
		PH_TRY(ph_builder_child(tree->builder, tree->nodes[arc->caller], region, &node));
		PH_TRY(add_costs(tree, node, &arc->costs));
		take_away(&rest->self, arc->costs.self);
		take_away(&rest->calls, arc->costs.calls);
		take_away(&rest->primitive, arc->costs.primitive);
	}
	return PH_OK;
}

static PhStatus
add_values(Tree *tree)
{
	uint32_t n = tree->graph->functions.count;
	PH_TRY(PH_NEW(&tree->arena, n, &tree->rest));
	for (uint32_t i = 0; i < n; i++)
		tree->rest[i] = tree->graph->functions.items[i].costs;
	PH_TRY(add_leaves(tree));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(add_costs(tree, tree->nodes[i], &tree->rest[i]));
	return PH_OK;
}

static bool
is_counted(const PhCallerGraph *graph, size_t metric)
{
	if (metric == PRIMITIVE && graph->lacks_primitive)
		return false;
	return !graph->lacks_calls || (metric != CALLS && metric != PRIMITIVE);
}

static PhStatus
add_metrics(Tree *tree, const char *unit)
{
	const PhMetricSpec specs[N_METRICS] = {
		{.name = "time", .unit = unit, .given = PH_GIVEN_EXCLUSIVE},
		{.name = "calls", .unit = "count", .given = PH_GIVEN_EXCLUSIVE},
		{.name = "primitive calls", .unit = "count", .given = PH_GIVEN_EXCLUSIVE},
		{.name = "time (inclusive)",
		 .unit = unit,
		 .kind = PH_METRIC_VALUE,
		 .combine = PH_COMBINE_SUM,
		 .given = PH_GIVEN_EXCLUSIVE},
	};
	PhColumnSpec column = {.kind = PH_COLUMN_UNIT,
						   .iteration = PH_NO_ITERATION,
						   .rank = PH_NO_NUMBER,
						   .thread = PH_NO_NUMBER};
	for (size_t i = 0; i < N_METRICS; i++)
	{
		tree->metrics[i] = PH_NONE;
		if (is_counted(tree->graph, i))
			PH_TRY(ph_builder_add_metric(tree->builder, &specs[i], &tree->metrics[i]));
	}
	return ph_builder_add_column(tree->builder, &column, &tree->column);
}

static PhStatus
build(Tree *tree, const char *unit)
{
	PH_TRY(add_metrics(tree, unit));
	PH_TRY(sort_graph(tree));
	PH_TRY(search_all(tree));
	PH_TRY(choose_parents(tree));
	PH_TRY(add_nodes(tree));
	return add_values(tree);
}

PhStatus
ph_caller_graph_build(PhCallerGraph *graph, PhProfileBuilder *builder, const char *unit)
{
	Tree tree = {.graph = graph, .env = graph->arena->env, .builder = builder};
	ph_arena_init(&tree.arena, tree.env);
	PhStatus status = build(&tree, unit);
	ph_arena_drop(&tree.arena);
	return status;
}

/* ---- files ---- */

PhStatus
ph_caller_graph_normalise(PhCallerGraph *graph, const PhReadOptions *options, PhSourcePaths *paths)
{
	uint32_t n = graph->functions.count, *files;
	PH_TRY(ph_paths_init(paths, graph->arena, options != NULL ? options->source_root : NULL));
	PH_TRY(PH_NEW(graph->arena, n, &files));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(ph_paths_add(paths, graph->functions.items[i].region.file, &files[i]));
	PH_TRY(ph_paths_finish(paths));
	for (uint32_t i = 0; i < n; i++)
	{
		PhRegionSpec *region = &graph->functions.items[i].region;
		region->file = paths->normal[files[i]];
		if (options != NULL && options->module_map != NULL)
			region->module = ph_module_map_apply(options->module_map, region->name, region->file,
												 region->library);
	}
	return PH_OK;
}
