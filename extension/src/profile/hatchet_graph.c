/*
 * hatchet_graph.c - form A of Hatchet's literal: nodes by number and a table of values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "profile/hatchet.h"

/* A node of the document: its number there and its number in the builder. */
typedef struct GraphNode
{
	int32 id;
	uint32 node;
	JsonbContainer *children; /* NULL: none */
	bool has_parent;
} GraphNode;

typedef struct Graph
{
	PhHatchetLiteral *literal;
	uint32 count, capacity;
	GraphNode *nodes; /* by id, once all are read */
} Graph;

static int
compare_ids(const void *a, const void *b)
{
	const GraphNode *x = a;
	const GraphNode *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static GraphNode *
find_graph_node(Graph *graph, int32 id, const char *where)
{
	GraphNode key = {.id = id};
	GraphNode *found = graph->count == 0 ? NULL
										 : bsearch(&key, graph->nodes, graph->count,
												   sizeof(GraphNode), compare_ids);
	if (found == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("Hatchet literal: %s names node %d, which is not in the graph",
							   where, id)));
	return found;
}

static void
add_graph_node(Graph *graph, int32 id, const JsonbValue *value)
{
	JsonbContainer *object = ph_literal_container(value, false);
	if (object == NULL)
		ph_literal_refuse(graph->literal->n_nodes, "it is not an object");
	JsonbContainer *data = ph_literal_container(ph_literal_member(object, "data"), false);
	if (graph->count == graph->capacity)
	{
		graph->capacity = graph->capacity == 0 ? 256 : graph->capacity * 2;
		graph->nodes = graph->nodes == NULL
						   ? palloc(sizeof(GraphNode) * graph->capacity)
						   : repalloc_huge(graph->nodes, sizeof(GraphNode) * graph->capacity);
	}
	graph->nodes[graph->count++] =
		(GraphNode){.id = id,
					.node = ph_literal_node(graph->literal, data, PH_NONE),
					.children = ph_literal_container(ph_literal_member(object, "children"), true)};
}

static void
read_component(Graph *graph, JsonbContainer *component)
{
	JsonbIterator *iterator = JsonbIteratorInit(component);
	JsonbIteratorToken token;
	JsonbValue item;
	int32 id = 0;
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			id = pg_strtoint32(pnstrdup(item.val.string.val, item.val.string.len));
		else if (token == WJB_VALUE)
			add_graph_node(graph, id, &item);
	}
}

/* Walk an array, giving each element to a function. */
typedef void (*ElementFunction)(Graph *graph, const JsonbValue *element, void *user);

static void
for_each_element(Graph *graph, JsonbContainer *array, ElementFunction function, void *user)
{
	JsonbIterator *iterator = JsonbIteratorInit(array);
	JsonbIteratorToken token;
	JsonbValue item;
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_ELEM)
			function(graph, &item, user);
	}
}

static void
component_element(Graph *graph, const JsonbValue *element, void *user)
{
	JsonbContainer *component = ph_literal_container(element, false);
	if (component == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("Hatchet literal: \"graph\" must be an array of objects")));
	read_component(graph, component);
}

static void
child_element(Graph *graph, const JsonbValue *element, void *user)
{
	GraphNode *parent = user;
	bool failed = element->type != jbvNumeric;
	int32 id = failed ? 0 : numeric_int4_opt_error(element->val.numeric, &failed);
	if (failed)
		ph_literal_refuse(parent->node, "a child is not a node's number");
	GraphNode *child = find_graph_node(graph, id, "a list of children");
	if (child->has_parent)
		ereport(ERROR, (errcode(PH_ERRCODE_UNSUPPORTED),
						errmsg("Hatchet literal: node %d has two parents", id),
						errhint("Only trees are supported; write the node once per parent.")));
	child->has_parent = true;
	PH_CHECK(graph->literal->env,
			 ph_builder_set_parent(graph->literal->builder, child->node, parent->node));
}

static void
link_children(Graph *graph)
{
	for (uint32 i = 0; i < graph->count; i++)
		if (graph->nodes[i].children != NULL)
			for_each_element(graph, graph->nodes[i].children, child_element, &graph->nodes[i]);
}

static void
sort_nodes(Graph *graph)
{
	if (graph->count > 1)
		qsort(graph->nodes, graph->count, sizeof(GraphNode), compare_ids);
	for (uint32 i = 1; i < graph->count; i++)
		if (graph->nodes[i].id == graph->nodes[i - 1].id)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("Hatchet literal: node %d is in the graph twice", graph->nodes[i].id)));
}

/* Names of a list of metrics, and whether they are inclusive. */
typedef struct MetricList
{
	JsonbContainer *row;
	uint32 node;
	int32 rank, thread;
	bool inclusive;
} MetricList;

static void
metric_element(Graph *graph, const JsonbValue *element, void *user)
{
	const MetricList *list = user;
	if (element->type != jbvString)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("Hatchet literal: a metric's name is not a string")));
	char *name = pnstrdup(element->val.string.val, element->val.string.len);
	const JsonbValue *value = ph_literal_member(list->row, name);
	if (value != NULL)
		ph_literal_value(graph->literal, list->node, name, list->inclusive, list->rank,
						 list->thread, ph_literal_number(value, list->node, name));
}

static void
row_element(Graph *graph, const JsonbValue *element, void *user)
{
	JsonbContainer *root = user;
	JsonbContainer *row = ph_literal_container(element, false);
	if (row == NULL || ph_literal_member(row, "node") == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("Hatchet literal: a row of \"dataframe\" has no node")));
	MetricList list = {.row = row,
					   .rank = ph_literal_int(row, "rank", PH_NO_NUMBER),
					   .thread = ph_literal_int(row, "thread", PH_NO_NUMBER)};
	list.node = find_graph_node(graph, ph_literal_int(row, "node", -1), "\"dataframe\"")->node;
	JsonbContainer *exclusive =
		ph_literal_container(ph_literal_member(root, "exclusive_metrics"), true);
	JsonbContainer *inclusive =
		ph_literal_container(ph_literal_member(root, "inclusive_metrics"), true);
	if (exclusive != NULL)
		for_each_element(graph, exclusive, metric_element, &list);
	list.inclusive = true;
	if (inclusive != NULL)
		for_each_element(graph, inclusive, metric_element, &list);
}

void
ph_literal_graph(PhHatchetLiteral *literal, JsonbContainer *root)
{
	Graph graph = {.literal = literal};
	JsonbContainer *components = ph_literal_container(ph_literal_member(root, "graph"), true);
	JsonbContainer *rows = ph_literal_container(ph_literal_member(root, "dataframe"), true);
	if (components == NULL || rows == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("Hatchet literal: \"graph\" and \"dataframe\" must be arrays")));
	for_each_element(&graph, components, component_element, NULL);
	sort_nodes(&graph);
	link_children(&graph);
	for_each_element(&graph, rows, row_element, root);
}
