/*
 * graph.c - building, turning and condensing graphs in compressed rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/graph.h"

#include <string.h>

/* Drop repeated targets of each node, in place. */
static PhStatus
remove_repeats(PhArena *arena, PhGraph *graph)
{
	uint32_t *seen; /* 1 + the last node that has this target */
	uint32_t n = 0, start = 0;
	PH_TRY(PH_NEW(arena, graph->n_nodes, &seen));
	for (uint32_t v = 0; v < graph->n_nodes; v++)
	{
		uint32_t stop = graph->first[v + 1];
		for (uint32_t i = start; i < stop; i++)
		{
			uint32_t target = graph->target[i];
			if (seen[target] != v + 1)
				graph->target[n++] = target;
			seen[target] = v + 1;
		}
		start = stop;
		graph->first[v + 1] = n;
	}
	graph->n_edges = n;
	return PH_OK;
}

PhStatus
ph_graph_begin(PhArena *arena, uint32_t n_nodes, PhGraphBuilder *out)
{
	*out = (PhGraphBuilder){.arena = arena, .graph = {.n_nodes = n_nodes}};
	ph_arena_init(&out->temporary, arena->env);
	PH_TRY(PH_NEW(arena, (size_t) n_nodes + 2, &out->graph.first));
	out->next = out->graph.first + 1;
	return PH_OK;
}

PhStatus
ph_graph_fill(PhGraphBuilder *builder)
{
	uint32_t n = builder->graph.n_nodes;
	for (uint32_t v = 0; v < n; v++)
		builder->next[v + 1] += builder->next[v];
	builder->graph.n_edges = builder->next[n];
	builder->filling = true;
	return PH_NEW(builder->arena, builder->graph.n_edges, &builder->graph.target);
}

PhStatus
ph_graph_end(PhGraphBuilder *builder, bool ascending, PhGraph *out)
{
	PhGraph turned, sorted;
	PH_TRY(remove_repeats(&builder->temporary, &builder->graph));
	if (ascending)
	{
		PH_TRY(ph_graph_transpose(&builder->temporary, &builder->graph, &turned));
		PH_TRY(ph_graph_transpose(&builder->temporary, &turned, &sorted));
		memcpy(builder->graph.target, sorted.target, sorted.n_edges * sizeof(uint32_t));
	}
	*out = builder->graph;
	return PH_OK;
}

void
ph_graph_builder_free(PhGraphBuilder *builder)
{
	ph_arena_drop(&builder->temporary);
}

/* Edges where a timeline goes on in another part. */
static PhStatus
tell_crossings(PhGraphBuilder *builder, const PhLogicalModel *model, const uint32_t *part)
{
	for (uint32_t e = 1; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll_at(builder->arena->env, e));
		if (part[e - 1] != part[e] && model->timeline[e - 1] == model->timeline[e])
			ph_graph_edge(builder, part[e - 1], part[e]);
	}
	return PH_OK;
}

PhStatus
ph_graph_of_parts(PhArena *arena, const PhLogicalModel *model, const uint32_t *part,
				  uint32_t n_parts, bool ascending, PhGraph *out)
{
	PhGraphBuilder builder;
	PhStatus status = ph_graph_begin(arena, n_parts, &builder);
	if (status == PH_OK)
		status = tell_crossings(&builder, model, part);
	if (status == PH_OK)
		status = ph_graph_fill(&builder);
	if (status == PH_OK)
		status = tell_crossings(&builder, model, part);
	if (status == PH_OK)
		status = ph_graph_end(&builder, ascending, out);
	ph_graph_builder_free(&builder);
	return status;
}

PhStatus
ph_graph_transpose(PhArena *arena, const PhGraph *graph, PhGraph *out)
{
	PhGraph turned = {graph->n_nodes, graph->n_edges, NULL, NULL};
	PH_TRY(PH_NEW(arena, (size_t) graph->n_nodes + 2, &turned.first));
	PH_TRY(PH_NEW(arena, graph->n_edges, &turned.target));
	uint32_t *next = turned.first + 1;
	for (uint32_t i = 0; i < graph->n_edges; i++)
		next[graph->target[i] + 1]++;
	for (uint32_t v = 0; v < graph->n_nodes; v++)
		next[v + 1] += next[v];
	for (uint32_t v = 0; v < graph->n_nodes; v++)
		for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++)
			turned.target[next[graph->target[i]]++] = v;
	*out = turned;
	return PH_OK;
}

/* ------------------------------------------------------------------------------------- components
 */

typedef struct Tarjan
{
	const PhGraph *graph;
	uint32_t *index;	 /* 1 + order of discovery, 0: not yet */
	uint32_t *low;		 /* least index known to be reachable; PH_NONE once in a component */
	uint32_t *next_edge; /* where to go on */
	uint32_t *path;		 /* nodes being explored */
	uint32_t *open;		 /* discovered, in no component yet */
	uint32_t n_path, n_open, n_index;
	uint32_t *component;
	uint32_t n_components;
} Tarjan;

static void
discover(Tarjan *tarjan, uint32_t v)
{
	tarjan->index[v] = tarjan->low[v] = ++tarjan->n_index;
	tarjan->next_edge[v] = tarjan->graph->first[v];
	tarjan->path[tarjan->n_path++] = v;
	tarjan->open[tarjan->n_open++] = v;
}

static void
lower(Tarjan *tarjan, uint32_t v, uint32_t value)
{
	if (value < tarjan->low[v])
		tarjan->low[v] = value;
}

/* All of v's edges are done: close its component when it is the root, and tell who led here. */
static void
retreat(Tarjan *tarjan, uint32_t v)
{
	uint32_t low = tarjan->low[v], member;
	tarjan->n_path--;
	if (low == tarjan->index[v])
	{
		do
		{
			member = tarjan->open[--tarjan->n_open];
			tarjan->component[member] = tarjan->n_components;
			tarjan->low[member] = PH_NONE;
		} while (member != v);
		tarjan->n_components++;
	}
	else if (tarjan->n_path > 0)
		lower(tarjan, tarjan->path[tarjan->n_path - 1], low);
}

/*
 * Tarjan's search from one node, without recursion: next_edge says where each node on the path goes
 * on.
 */
static PhStatus
explore(PhEnv *env, Tarjan *tarjan, uint32_t from)
{
	const PhGraph *graph = tarjan->graph;
	discover(tarjan, from);
	while (tarjan->n_path > 0)
	{
		uint32_t v = tarjan->path[tarjan->n_path - 1];
		PH_TRY(ph_env_poll(env));
		if (tarjan->next_edge[v] == graph->first[v + 1])
		{
			retreat(tarjan, v);
			continue;
		}
		uint32_t target = graph->target[tarjan->next_edge[v]++];
		if (tarjan->index[target] == 0)
			discover(tarjan, target);
		else if (tarjan->low[target] != PH_NONE)
			lower(tarjan, v, tarjan->index[target]);
	}
	return PH_OK;
}

static PhStatus
find_components(PhArena *arena, Tarjan *tarjan)
{
	uint32_t n = tarjan->graph->n_nodes;
	PH_TRY(PH_NEW(arena, n, &tarjan->index));
	PH_TRY(PH_NEW(arena, n, &tarjan->low));
	PH_TRY(PH_NEW(arena, n, &tarjan->next_edge));
	PH_TRY(PH_NEW(arena, n, &tarjan->path));
	PH_TRY(PH_NEW(arena, n, &tarjan->open));
	for (uint32_t v = 0; v < n; v++)
		if (tarjan->index[v] == 0)
			PH_TRY(explore(arena->env, tarjan, v));
	/* Tarjan closes components last first */
	for (uint32_t v = 0; v < n; v++)
		tarjan->component[v] = tarjan->n_components - 1 - tarjan->component[v];
	return PH_OK;
}

PhStatus
ph_graph_components(PhEnv *env, const PhGraph *graph, uint32_t *component, uint32_t *n_components)
{
	PhArena arena;
	Tarjan tarjan = {.graph = graph, .component = component};
	ph_arena_init(&arena, env);
	PhStatus status = find_components(&arena, &tarjan);
	ph_arena_drop(&arena);
	*n_components = tarjan.n_components;
	return status;
}

void
ph_graph_leaps(const PhGraph *graph, uint32_t *leap)
{
	for (uint32_t v = 0; v < graph->n_nodes; v++)
		leap[v] = 0;
	for (uint32_t v = 0; v < graph->n_nodes; v++)
		for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++)
			if (leap[graph->target[i]] <= leap[v])
				leap[graph->target[i]] = leap[v] + 1;
}
