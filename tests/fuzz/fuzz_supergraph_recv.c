/*
 * fuzz_supergraph_recv.c - the stored form of a super graph from arbitrary bytes: an error, or a
 * sound graph that gives the same bytes again and bears every refinement and measure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/sankey_layout.h"
#include "profile/ops.h"
#include "supergraph/supergraph.h"

#include "flat_forms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must_give_the_same_bytes(PhEnv *env, const PhSupergraph *graph, const uint8_t *data, size_t size)
{
	if (may_have_bitmap(data, size))
		return;
	size_t written;
	if (ph_supergraph_flat_size(env, graph, &written) != PH_OK || written != size)
		abort();
	uint8_t *again = malloc(size);
	if (ph_supergraph_flatten(env, graph, again) != PH_OK || memcmp(again, data, size) != 0)
		abort();
	free(again);
}

/* Levels rise along edges and no segment's caller shares its supernode. */
static void
must_be_sound(const PhSupergraph *graph)
{
	for (uint32_t e = 0; e < graph->n_edges; e++)
		if (graph->supernodes[graph->edges[e].source].level >=
			graph->supernodes[graph->edges[e].target].level)
			abort();
	for (uint32_t s = 0; s < graph->n_segments; s++)
		if (graph->segments[s].parent != PH_NONE &&
			graph->segments[graph->segments[s].parent].supernode == graph->segments[s].supernode)
			abort();
}

static void
check_and_free(PhEnv *env, PhStatus status, PhSupergraph *graph)
{
	if (status == PH_ERR_INTERNAL)
		abort();
	if (status != PH_OK)
		return;
	must_be_sound(graph);
	ph_supergraph_free(env, graph);
}

static void
try_refinements(PhEnv *env, const PhSupergraph *graph)
{
	static const char *const functions[] = {"mpi-collective", "/^f/"};
	PhSupergraph *result = NULL;
	uint32_t node = graph->n_supernodes / 2;
	PhStatus status = ph_supergraph_split_entry(env, graph, node, 2, functions, &result);
	check_and_free(env, status, result);
	status = ph_supergraph_split_caller(env, graph, node, true, &result);
	check_and_free(env, status, result);
	status = ph_supergraph_split_callee(env, graph, node, &result);
	check_and_free(env, status, result);
	status = ph_supergraph_drill_down(env, graph, node, PH_GROUP_FILE, &result);
	check_and_free(env, status, result);
	status = ph_supergraph_repopulate(env, graph, node, 0.01, &result);
	check_and_free(env, status, result);
}

static void
lay_out(PhArena *arena, const PhSupergraph *graph, const PhSupergraphMeans *means)
{
	PhLayoutOptions options = ph_layout_defaults(800, 500);
	PhLayoutNode *nodes;
	PhLayoutEdge *edges;
	PhLayout layout;
	if (PH_NEW(arena, graph->n_supernodes, &nodes) != PH_OK ||
		PH_NEW(arena, graph->n_edges, &edges) != PH_OK)
		return;
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
		nodes[i] = (PhLayoutNode){graph->supernodes[i].name, graph->supernodes[i].level,
								  means->inclusive[i], NAN};
	for (uint32_t i = 0; i < graph->n_edges; i++)
		edges[i] = (PhLayoutEdge){graph->edges[i].source, graph->edges[i].target, means->weight[i]};
	if (ph_layout_sankey(arena, nodes, graph->n_supernodes, edges, graph->n_edges, &options,
						 &layout) == PH_OK &&
		layout.crossings > layout.crossings_first)
		abort();
}

static void
try_measures(PhEnv *env, const PhSupergraph *graph)
{
	PhArena arena;
	PhSupergraphMeans means;
	PhEntryRow *rows;
	uint32_t n;
	ph_arena_init(&arena, env);
	for (uint32_t metric = 0; metric < graph->profile->n_metrics && metric < 4; metric++)
	{
		if (ph_supergraph_means(&arena, graph, metric, &means) == PH_OK)
			lay_out(&arena, graph, &means);
		if (ph_supergraph_entries(&arena, graph, 0, metric, true, &rows, &n) == PH_OK && n == 0)
			abort();
	}
	ph_arena_drop(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhSupergraph *graph;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_supergraph_unflatten(&env, data, size, &graph) == PH_OK)
	{
		must_be_sound(graph);
		must_give_the_same_bytes(&env, graph, data, size);
		if (graph->n_supernodes > 0)
		{
			try_measures(&env, graph);
			try_refinements(&env, graph);
		}
		ph_supergraph_free(&env, graph);
	}
	if (env.bytes != 0)
		abort();
	return 0;
}
