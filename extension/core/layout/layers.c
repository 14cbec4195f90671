/*
 * layers.c - a directed graph as a layering: cycles, layers, columns, and boxes of given sizes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "layout/layers.h"

#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "layout/layering.h"

#define PH_NOWHERE UINT32_MAX /* layer of a node that is not reached yet */

/* The graph and what is found out about it, step by step. */
typedef struct Graph
{
	const PhLayersNode *nodes;
	uint32_t n_nodes;
	const PhLayoutEdge *edges;
	uint32_t n_edges;
	const PhLayersOptions *options;
	uint32_t *by_rank; /* nodes, heaviest first */
	uint32_t *rank;	   /* per node: its place in by_rank */
	uint32_t *order;   /* edges by the ranks of their ends, heaviest first */
	PhLists out;	   /* edges by source; items are places in order */
	bool *is_back;	   /* per edge */
	uint32_t *layer;   /* per node */
	uint32_t n_layers;
	bool by_distance;
	PhLayersColumn *columns; /* per layer */
	double width;
	PhLayering layering;
} Graph;

PhLayersOptions
ph_layers_defaults(void)
{
	PhLayersOptions options = {.gap = 5,
							   .column_gap = 26,
							   .bend_height = 3,
							   .bend_gap = 1,
							   .least_pull = 0.02,
							   .most_layers = 24,
							   .most_bends = 4096,
							   .sweeps = 24};
	return options;
}

/* ---- input ---- */

static bool
is_size(double value)
{
	return value >= 0 && !isinf(value);
}

static PhStatus
check_options(PhEnv *env, const PhLayersOptions *options)
{
	const double sizes[] = {options->width,		 options->height,	   options->gap,
							options->column_gap, options->bend_height, options->bend_gap,
							options->least_pull, options->thickness};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!is_size(sizes[i]))
			return ph_fail(env, PH_ERR_VALUE, "a size of %g pixels is impossible", sizes[i]);
	return PH_OK;
}

static PhStatus
check_graph(const Graph *graph)
{
	PhEnv *env = graph->layering.arena->env;
	for (uint32_t i = 0; i < graph->n_nodes; i++)
	{
		const PhLayersNode *node = &graph->nodes[i];
		PH_TRY(ph_env_poll(env));
		if (!is_size(node->width) || !is_size(node->height) || !is_size(node->weight))
			return ph_fail(env, PH_ERR_VALUE, "node %u is %g x %g and weighs %g", i, node->width,
						   node->height, node->weight);
		if (graph->options->layers_are_given && node->layer >= graph->n_nodes)
			return ph_fail(env, PH_ERR_VALUE, "node %u is in layer %u of %u", i, node->layer,
						   graph->n_nodes);
	}
	for (uint32_t i = 0; i < graph->n_edges; i++)
	{
		const PhLayoutEdge *edge = &graph->edges[i];
		PH_TRY(ph_env_poll(env));
		if (edge->source >= graph->n_nodes || edge->target >= graph->n_nodes)
			return ph_fail(env, PH_ERR_VALUE, "edge %u joins nodes that do not exist", i);
		if (!is_size(edge->weight))
			return ph_fail(env, PH_ERR_VALUE, "edge %u weighs %g", i, edge->weight);
	}
	return PH_OK;
}

static int
compare_nodes(const void *context, uint32_t x, uint32_t y)
{
	const PhLayersNode *nodes = context;
	if (nodes[x].weight != nodes[y].weight)
		return nodes[x].weight > nodes[y].weight ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Edges of a node are walked heaviest first. */
static int
compare_edges(const void *context, uint32_t x, uint32_t y)
{
	const Graph *graph = context;
	const PhLayoutEdge *a = &graph->edges[x];
	const PhLayoutEdge *b = &graph->edges[y];
	if (a->source != b->source)
		return graph->rank[a->source] < graph->rank[b->source] ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->target != b->target)
		return graph->rank[a->target] < graph->rank[b->target] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static PhStatus
canonize(Graph *graph)
{
	PhArena *arena = graph->layering.arena;
	uint32_t *key;
	PH_TRY(ph_sort_indices(arena, graph->n_nodes, compare_nodes, graph->nodes, &graph->by_rank));
	PH_TRY(PH_NEW(arena, graph->n_nodes, &graph->rank));
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		graph->rank[graph->by_rank[i]] = i;
	PH_TRY(ph_sort_indices(arena, graph->n_edges, compare_edges, graph, &graph->order));
	PH_TRY(PH_NEW(arena, graph->n_edges, &key));
	for (uint32_t i = 0; i < graph->n_edges; i++)
		key[i] = graph->edges[graph->order[i]].source;
	PH_TRY(ph_lists_make(arena, graph->n_nodes, graph->n_edges, key, &graph->out));
	PH_TRY(PH_NEW(arena, graph->n_edges, &graph->is_back));
	return PH_NEW(arena, graph->n_nodes, &graph->layer);
}

/* ---- cycles ---- */

typedef enum State
{
	STATE_UNSEEN,
	STATE_ON_PATH,
	STATE_DONE
} State;

typedef struct Walk
{
	Graph *graph;
	uint8_t *state; /* per node */
	uint32_t *next; /* per node: place in graph->out.items of the edge to follow */
	uint32_t *path;
} Walk;

/* Depth first; an edge to a node on the path closes a cycle and is turned around. */
static PhStatus
walk_from(Walk *walk, uint32_t start)
{
	Graph *graph = walk->graph;
	uint32_t depth = 0;
	walk->path[depth++] = start;
	walk->state[start] = STATE_ON_PATH;
	while (depth > 0)
	{
		uint32_t node = walk->path[depth - 1];
		PH_TRY(ph_env_poll(graph->layering.arena->env));
		if (walk->next[node] == graph->out.start[node + 1])
		{
			walk->state[node] = STATE_DONE;
			depth--;
			continue;
		}
		uint32_t edge = graph->order[graph->out.items[walk->next[node]++]];
		uint32_t target = graph->edges[edge].target;
		graph->is_back[edge] = walk->state[target] == STATE_ON_PATH;
		if (walk->state[target] == STATE_UNSEEN)
		{
			walk->state[target] = STATE_ON_PATH;
			walk->path[depth++] = target;
		}
	}
	return PH_OK;
}

/* Walks start at the nodes that nothing leads to, then at those left over: the heaviest first. */
static PhStatus
break_cycles(Graph *graph)
{
	PhArena *arena = graph->layering.arena;
	Walk walk = {.graph = graph};
	bool *is_target;
	PH_TRY(PH_NEW(arena, graph->n_nodes, &walk.state));
	PH_TRY(PH_NEW(arena, graph->n_nodes, &walk.next));
	PH_TRY(PH_NEW(arena, graph->n_nodes, &walk.path));
	PH_TRY(PH_NEW(arena, graph->n_nodes, &is_target));
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		walk.next[i] = graph->out.start[i];
	for (uint32_t i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].source != graph->edges[i].target)
			is_target[graph->edges[i].target] = true;
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (!is_target[graph->by_rank[i]])
			PH_TRY(walk_from(&walk, graph->by_rank[i]));
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (walk.state[graph->by_rank[i]] == STATE_UNSEEN)
			PH_TRY(walk_from(&walk, graph->by_rank[i]));
	return PH_OK;
}

/* ---- layers ---- */

static void
count_layers(Graph *graph)
{
	graph->n_layers = 0;
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (graph->layer[i] >= graph->n_layers)
			graph->n_layers = graph->layer[i] + 1;
}

/* Longest paths: a node is placed when all edges to it have been seen (Kahn), each edge once. */
static PhStatus
assign_longest_paths(Graph *graph)
{
	PhArena *arena = graph->layering.arena;
	uint32_t *missing; /* per node: edges to it that have not been seen */
	uint32_t *queue;
	uint32_t n = 0;
	PH_TRY(PH_NEW(arena, graph->n_nodes, &missing));
	PH_TRY(PH_NEW(arena, graph->n_nodes, &queue));
	for (uint32_t i = 0; i < graph->n_edges; i++)
		missing[graph->edges[i].target] += graph->is_back[i] ? 0 : 1;
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (missing[i] == 0)
			queue[n++] = i;
	for (uint32_t at = 0; at < n; at++)
	{
		uint32_t source = queue[at];
		PH_TRY(ph_env_poll(arena->env));
		for (uint32_t i = graph->out.start[source]; i < graph->out.start[source + 1]; i++)
		{
			uint32_t edge = graph->order[graph->out.items[i]];
			uint32_t target = graph->edges[edge].target;
			if (graph->is_back[edge])
				continue;
			if (graph->layer[target] <= graph->layer[source])
				graph->layer[target] = graph->layer[source] + 1;
			if (--missing[target] == 0)
				queue[n++] = target;
		}
	}
	count_layers(graph);
	return PH_OK;
}

/*
 * Dense cycles have very long paths. Then layers are the fewest edges from the first layer, that of
 * the longest paths; no edge spans more than one layer, and those that do not go right are back
 * edges.
 */
static PhStatus
assign_distances(Graph *graph)
{
	PhArena *arena = graph->layering.arena;
	uint32_t *queue;
	uint32_t n = 0;
	PH_TRY(PH_NEW(arena, graph->n_nodes, &queue));
	for (uint32_t i = 0; i < graph->n_nodes; i++)
	{
		if (graph->layer[i] == 0)
			queue[n++] = i;
		else
			graph->layer[i] = PH_NOWHERE;
	}
	for (uint32_t at = 0; at < n; at++)
	{
		uint32_t source = queue[at];
		PH_TRY(ph_env_poll(arena->env));
		for (uint32_t i = graph->out.start[source]; i < graph->out.start[source + 1]; i++)
		{
			uint32_t target = graph->edges[graph->order[graph->out.items[i]]].target;
			if (graph->layer[target] != PH_NOWHERE)
				continue;
			graph->layer[target] = graph->layer[source] + 1;
			queue[n++] = target;
		}
	}
	graph->by_distance = true;
	count_layers(graph);
	return PH_OK;
}

static void
mark_back_edges(Graph *graph)
{
	for (uint32_t i = 0; i < graph->n_edges; i++)
		graph->is_back[i] =
			graph->layer[graph->edges[i].target] <= graph->layer[graph->edges[i].source];
}

static PhStatus
assign_layers(Graph *graph)
{
	if (graph->options->layers_are_given)
	{
		for (uint32_t i = 0; i < graph->n_nodes; i++)
			graph->layer[i] = graph->nodes[i].layer;
		count_layers(graph);
	}
	else
	{
		PH_TRY(break_cycles(graph));
		PH_TRY(assign_longest_paths(graph));
		if (graph->n_layers > graph->options->most_layers)
			PH_TRY(assign_distances(graph));
	}
	mark_back_edges(graph);
	return PH_OK;
}

/* ---- the layering ---- */

/* Every edge pulls a little, and the more the more it weighs; without any weight all pull alike. */
static PhStatus
weigh_edges(Graph *graph, double **out)
{
	double most = 0;
	double *weight;
	PH_TRY(PH_NEW(graph->layering.arena, graph->n_edges, &weight));
	for (uint32_t i = 0; i < graph->n_edges; i++)
		most = PH_MAX(graph->edges[i].weight, most);
	for (uint32_t i = 0; i < graph->n_edges; i++)
		weight[i] = graph->edges[i].weight + graph->options->least_pull * (most > 0 ? most : 1);
	*out = weight;
	return PH_OK;
}

static PhStatus
build(Graph *graph)
{
	PhArena *arena = graph->layering.arena;
	double *value, *previous, *weight;
	uint32_t *order;
	PhLayeringInput input = {.n_nodes = graph->n_nodes,
							 .layer = graph->layer,
							 .by_rank = graph->by_rank,
							 .rank = graph->rank,
							 .n_edges = graph->n_edges,
							 .edges = graph->edges};
	PH_TRY(PH_NEW(arena, graph->n_nodes, &value));
	PH_TRY(PH_NEW(arena, graph->n_nodes, &previous));
	PH_TRY(PH_NEW(arena, graph->n_edges, &order));
	PH_TRY(weigh_edges(graph, &weight));
	for (uint32_t i = 0; i < graph->n_nodes; i++)
	{
		value[i] = graph->nodes[i].weight;
		previous[i] = graph->nodes[i].order;
	}
	for (uint32_t i = 0; i < graph->n_edges; i++)
		if (!graph->is_back[graph->order[i]])
			order[input.n_linked++] = graph->order[i];
	input.value = value;
	input.previous = previous;
	input.weight = weight;
	input.order = order;
	return ph_layering_build(&graph->layering, &input);
}

static void
set_heights(Graph *graph)
{
	PhLayering *layering = &graph->layering;
	for (uint32_t i = 0; i < layering->n_boxes; i++)
	{
		PhLayeringBox *box = &layering->boxes[i];
		double thickness = box->value * graph->options->thickness;
		box->height = !box->is_dummy							? graph->nodes[i].height
					  : thickness > graph->options->bend_height ? thickness
																: graph->options->bend_height;
	}
}

/* The height to settle in: what the fullest layer takes, or the one that is asked for. */
static double
find_height(const Graph *graph)
{
	const PhLayering *layering = &graph->layering;
	double height = graph->options->height;
	for (uint32_t layer = 0; layer < layering->n_layers; layer++)
	{
		double taken = 0;
		for (uint32_t at = layering->layers.start[layer]; at < layering->layers.start[layer + 1];
			 at++)
			taken += layering->boxes[layering->layers.items[at]].gap +
					 layering->boxes[layering->layers.items[at]].height;
		height = PH_MAX(taken, height);
	}
	return height;
}

/* Columns as wide as their widest node; what is left of the width goes between them. */
static PhStatus
place_columns(PhArena *arena, Graph *graph)
{
	double sum = 0;
	PH_TRY(PH_NEW(arena, graph->n_layers, &graph->columns));
	for (uint32_t i = 0; i < graph->n_nodes; i++)
	{
		PhLayersColumn *column = &graph->columns[graph->layer[i]];
		column->width = PH_MAX(graph->nodes[i].width, column->width);
	}
	for (uint32_t layer = 0; layer < graph->n_layers; layer++)
		sum += graph->columns[layer].width;
	double between =
		graph->n_layers > 1 ? (graph->options->width - sum) / (graph->n_layers - 1) : 0;
	between = PH_MAX(between, graph->options->column_gap);
	for (uint32_t layer = 0; layer < graph->n_layers; layer++)
	{
		graph->columns[layer].x = layer > 0 ? graph->width + between : 0;
		graph->width = graph->columns[layer].x + graph->columns[layer].width;
	}
	return PH_OK;
}

/* ---- result ---- */

/* The uppermost edge of a box: what is above it is not used. */
static double
find_top(const PhLayering *layering)
{
	double top = layering->n_boxes > 0 ? INFINITY : 0;
	for (uint32_t i = 0; i < layering->n_boxes; i++)
		top = PH_MIN(layering->boxes[i].y, top);
	return top;
}

static PhLayersLine
line_of(const PhLayering *layering, const PhLayeringLink *link, double top)
{
	return (PhLayersLine){link->target, layering->boxes[link->source].y - top + link->source_port,
						  layering->boxes[link->target].y - top + link->target_port};
}

static PhStatus
copy_boxes(PhArena *arena, const Graph *graph, double top, PhLayers *out)
{
	const PhLayering *layering = &graph->layering;
	out->n_boxes = layering->n_boxes;
	PH_TRY(PH_NEW(arena, layering->n_boxes, &out->boxes));
	for (uint32_t i = 0; i < layering->n_boxes; i++)
	{
		const PhLayeringBox *from = &layering->boxes[i];
		PhLayersBox *to = &out->boxes[i];
		to->is_bend = from->is_dummy;
		to->layer = from->layer;
		to->order = layering->position[i];
		to->x = graph->columns[from->layer].x;
		to->y = from->y - top;
		to->width = to->is_bend ? graph->columns[from->layer].width : graph->nodes[i].width;
		to->height = from->height;
		out->height = to->y + to->height > out->height ? to->y + to->height : out->height;
		if (to->is_bend) /* one link leaves it */
			to->line = line_of(layering,
							   &layering->links[layering->out.items[layering->out.start[i]]], top);
	}
	return PH_OK;
}

/* The first link of an edge starts at its source, also where dummies are shared. */
static PhStatus
copy_edges(PhArena *arena, const Graph *graph, double top, PhLayers *out)
{
	const PhLayering *layering = &graph->layering;
	PH_TRY(PH_NEW(arena, graph->n_edges, &out->edges));
	for (uint32_t i = 0; i < graph->n_edges; i++)
	{
		PhLayersEdge *edge = &out->edges[i];
		edge->is_back = graph->is_back[i];
		if (edge->is_back)
			continue;
		const PhLayeringLink *link =
			&layering->links[layering->bands.items[layering->bands.start[i]]];
		edge->line = line_of(layering, link, top);
		edge->thickness = link->weight * graph->options->thickness;
	}
	return PH_OK;
}

static PhStatus
copy_result(PhArena *arena, const Graph *graph, PhLayers *out)
{
	const PhLayering *layering = &graph->layering;
	PhLayers layers = {.width = graph->width,
					   .by_distance = graph->by_distance,
					   .n_layers = graph->n_layers,
					   .columns = graph->columns,
					   .crossings_first = layering->crossings_first,
					   .crossings = layering->crossings,
					   .n_sweeps = layering->n_sweeps};
	double top = find_top(layering);
	PH_TRY(PH_NEW(arena, (size_t) layering->n_sweeps + 1, &layers.objective));
	memcpy(layers.objective, layering->objective,
		   (layering->n_sweeps + 1) * sizeof(*layers.objective));
	PH_TRY(copy_boxes(arena, graph, top, &layers));
	PH_TRY(copy_edges(arena, graph, top, &layers));
	*out = layers;
	return PH_OK;
}

static PhStatus
lay_out(PhArena *arena, Graph *graph, PhLayers *out)
{
	PhLayering *layering = &graph->layering;
	PH_TRY(check_options(arena->env, graph->options));
	PH_TRY(check_graph(graph));
	PH_TRY(canonize(graph));
	PH_TRY(assign_layers(graph));
	PH_TRY(build(graph));
	PH_TRY(ph_layering_order(layering));
	PH_TRY(place_columns(arena, graph));
	set_heights(graph);
	PH_TRY(ph_layering_place_ports(layering, graph->options->thickness));
	PH_TRY(ph_layering_settle(layering, find_height(graph), true));
	return copy_result(arena, graph, out);
}

PhStatus
ph_layout_layers(PhArena *arena, const PhLayersNode *nodes, uint32_t n_nodes,
				 const PhLayoutEdge *edges, uint32_t n_edges, const PhLayersOptions *options,
				 PhLayers *out)
{
	PhArena scratch;
	Graph graph = {
		.nodes = nodes, .n_nodes = n_nodes, .edges = edges, .n_edges = n_edges, .options = options};
	ph_arena_init(&scratch, arena->env);
	graph.layering.arena = &scratch;
	graph.layering.rules = (PhLayeringRules){.gap = options->gap,
											 .dummy_gap = options->bend_gap,
											 .sweeps = options->sweeps,
											 .most_dummies = options->most_bends,
											 .counts_crossings = true,
											 .port_align = 0.5};
	PhStatus status = lay_out(arena, &graph, out);
	ph_arena_drop(&scratch);
	return status;
}
