/*
 * test_layout_layers.c - layouts of functions: layers, rings, neighbourhoods, clean pictures.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scene.h"
#include "views/calls/function_graph.h"

/* A random graph with cycles; boxes of random size. */
static void
random_graph(PhArena *arena, PhLayers *layers)
{
	layers->n = 1 + (uint32_t) rand() % 20;
	layers->n_edges = (uint32_t) rand() % (3 * layers->n);
	layers->boxes = ph_need(arena, layers->n, sizeof(PhLayerBox));
	layers->edges = ph_need(arena, layers->n_edges, sizeof(PhLayerEdge));
	for (uint32_t i = 0; i < layers->n; i++)
		layers->boxes[i] = (PhLayerBox){
			.width = 5 + rand() % 150, .height = 8 + rand() % 40, .weight = rand() % 100};
	for (uint32_t i = 0; i < layers->n_edges; i++)
		layers->edges[i] = (PhLayerEdge){.from = (uint32_t) rand() % layers->n,
										 .to = (uint32_t) rand() % layers->n,
										 .weight = rand() % 1000};
}

static void
check_layers(const PhLayers *layers, double gap)
{
	for (uint32_t i = 0; i < layers->n; i++)
	{
		const PhLayerBox *a = &layers->boxes[i];

		assert_true(a->x >= 0 && a->x + a->width <= layers->width + 1e-6);
		assert_true(a->y - a->height / 2 >= -1e-6);
		assert_true(a->y + a->height / 2 <= layers->height + 1e-6);
		for (uint32_t k = 0; k < i; k++)
		{
			const PhLayerBox *b = &layers->boxes[k];

			if (a->layer == b->layer)
				assert_true(fabs(a->y - b->y) >= (a->height + b->height) / 2 + gap - 1e-6);
			else if (a->layer < b->layer)
				assert_true(a->x + a->width < b->x);
			else
				assert_true(b->x + b->width < a->x);
		}
	}
	for (uint32_t i = 0; i < layers->n_edges; i++)
	{
		const PhLayerEdge *edge = &layers->edges[i];
		uint32_t from = layers->boxes[edge->from].layer;
		uint32_t to = layers->boxes[edge->to].layer;

		if (edge->is_back)
			continue;
		assert_true(to > from);
		assert_int_equal(edge->n_bends, 2 * (to - from - 1));
		for (uint32_t k = 0; k < edge->n_bends; k++)
			for (uint32_t v = 0; v < layers->n; v++)
			{
				const PhLayerBox *box = &layers->boxes[v];

				if (box->layer == from + 1 + k / 2)
					assert_true(fabs(edge->bends[2 * k + 1] - box->y) >= box->height / 2 - 1e-6);
			}
	}
}

static void
layers_do_not_overlap(void **state)
{
	(void) state;
	srand(21);
	for (int round = 0; round < 2000; round++)
	{
		PhEnv env;
		PhArena arena;
		PhLayers layers = {0};
		PhLayers again;

		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		random_graph(&arena, &layers);
		again = layers;
		again.boxes = ph_need(&arena, layers.n, sizeof(PhLayerBox));
		memcpy(again.boxes, layers.boxes, layers.n * sizeof(PhLayerBox));
		again.edges = ph_need(&arena, layers.n_edges, sizeof(PhLayerEdge));
		if (layers.n_edges > 0)
			memcpy(again.edges, layers.edges, layers.n_edges * sizeof(PhLayerEdge));
		ph_layers_place(&arena, &layers, 5, 900);
		check_layers(&layers, 5);
		ph_layers_place(&arena, &again, 5, 900);
		assert_memory_equal(layers.boxes, again.boxes, layers.n * sizeof(PhLayerBox));
		ph_arena_drop(&arena);
	}
}

/* A dense cyclic graph of many functions stays narrow. */
static void
long_paths_are_folded(void **state)
{
	PhEnv env;
	PhArena arena;
	PhLayers layers = {.n = 80, .n_edges = 80 * 12};

	(void) state;
	srand(26);
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	layers.boxes = ph_need(&arena, layers.n, sizeof(PhLayerBox));
	layers.edges = ph_need(&arena, layers.n_edges, sizeof(PhLayerEdge));
	for (uint32_t i = 0; i < layers.n; i++)
		layers.boxes[i] = (PhLayerBox){.width = 50, .height = 12, .weight = 80 - i};
	for (uint32_t i = 0; i < layers.n_edges; i++)
		layers.edges[i] = (PhLayerEdge){
			.from = i / 12, .to = 1 + (uint32_t) rand() % (layers.n - 1), .weight = rand() % 100};
	ph_layers_place(&arena, &layers, 5, 900);
	assert_true(layers.by_distance && layers.n_layers < 8);
	check_layers(&layers, 5);
	ph_arena_drop(&arena);
}

/* Without back edges the graph has no cycle; a graph without a cycle has none. */
static void
only_cycles_are_broken(void **state)
{
	(void) state;
	srand(22);
	for (int round = 0; round < 500; round++)
	{
		PhEnv env;
		PhArena arena;
		PhLayers layers = {0};

		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		random_graph(&arena, &layers);
		for (uint32_t i = 0; i < layers.n_edges; i++)
			if (layers.edges[i].from >= layers.edges[i].to)
			{
				uint32_t from = layers.edges[i].to;

				layers.edges[i].to = layers.edges[i].from;
				layers.edges[i].from = from;
			}
		ph_layers_place(&arena, &layers, 5, 900);
		for (uint32_t i = 0; i < layers.n_edges; i++)
			assert_int_equal(layers.edges[i].is_back, layers.edges[i].from == layers.edges[i].to);
		ph_arena_drop(&arena);
	}
}

/* Rows of a random call graph. */
static void
random_calls(Studio *studio, uint32_t n, bool counted)
{
	studio_row(studio, "run", "{\"run_id\":3,\"application\":\"random\"}");
	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"s\"}");
	studio_row(studio, "selected", "{\"name\":\"function_%u\",\"given\":%s}", (uint32_t) rand() % n,
			   rand() % 2 ? "true" : "false");
	studio_row(studio, "others", "{\"functions\":7,\"nodes\":20,\"exclusive\":0.5}");
	for (uint32_t i = 0; i < n; i++)
		studio_row(studio, "functions",
				   "{\"name\":\"function_%u\",\"module\":null,\"nodes\":%d,\"inclusive\":%d,"
				   "\"exclusive\":%d,\"calls\":%s}",
				   i, 1 + rand() % (rand() % 5 ? 9 : 90), rand() % 1000, rand() % 100,
				   counted ? "12" : "null");
	for (uint32_t i = 0; i < 2 * n; i++)
	{
		uint32_t from = (uint32_t) rand() % n;
		char *values = ph_need_format(&studio->arena, "%d", 500 + rand() % 300);
		uint32_t n_values = 1 + (uint32_t) rand() % 12;

		for (uint32_t k = 1; k < n_values; k++)
			values = ph_need_format(&studio->arena, "%s,%u", values, 100 - k);
		studio_row(studio, "calls",
				   "{\"caller\":\"function_%u\",\"callee\":\"function_%u\",\"inclusive\":%d,"
				   "\"calls\":%s,\"values\":[%s]}",
				   from, (from + i) % n, 600 + rand() % 900, counted ? "99" : "null", values);
	}
	for (uint32_t i = 0; i < n; i++)
		for (int k = rand() % 60; k > 0; k--)
			studio_row(studio, "contexts",
					   "{\"node\":%d,\"function\":\"function_%u\",\"caller\":\"function_0\","
					   "\"inclusive\":%d,\"exclusive\":1,\"calls\":null}",
					   k, i, rand() % 100);
}

static void
pictures_are_clean(void **state)
{
	static const char *const views[] = {"function-graph", "function-arcs",
										"function-neighbourhood"};

	(void) state;
	srand(23);
	for (int round = 0; round < 24; round++)
	{
		uint32_t n = 1 + (uint32_t) rand() % 50;
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		random_calls(&studio, n, round % 2);
		studio_draw(&studio, views[round % 3],
					round % 5 ? "" : "--palette colour-blind --width 700", &scene);
		scene_check(&scene);
		if (round % 3 < 2)
		{
			assert_int_equal(scene_count(&scene, "function"), n);
			assert_true(scene_says(&scene, "7 more functions"));
		}
		else
			assert_true(round % 2 || scene_says(&scene, "does not count calls"));
		studio_close(&studio);
	}
}

/* Slices of a ring add up to all that calls bring; outliers are the values above the fence. */
static void
arcs_are_shares(void **state)
{
	(void) state;
	srand(24);
	for (int round = 0; round < 50; round++)
	{
		Studio studio;
		PhScene scene;
		PhCallGraph graph;
		PhFunctionArcs arcs;

		studio_open(&studio);
		random_calls(&studio, 2 + (uint32_t) rand() % 20, false);
		ph_call_graph_read(&studio.arena, &studio.rows, &graph);
		ph_scene_init(&scene, &studio.arena, studio.fonts, 1200, 800);
		ph_function_arcs_place(&scene, &graph, PH_PALETTE_DEFAULT, 1100, &arcs);
		for (uint32_t f = 0; f < graph.n; f++)
		{
			double sum = 0;

			for (uint32_t i = 0; i < arcs.n_slices; i++)
				if (arcs.slices[i].function == f)
				{
					assert_float_equal(arcs.slices[i].from, sum, 1e-9);
					sum += arcs.slices[i].share;
				}
			assert_true(sum == 0 || fabs(sum - 1) < 1e-9);
		}
		for (uint32_t i = 0; i < graph.n_calls; i++)
		{
			const PhCall *call = &graph.calls[i];

			assert_int_equal(arcs.bundles[i].n_bundled + arcs.bundles[i].n_outliers, call->n_nodes);
			/* one value of 500 or more over some of about 90 */
			assert_int_equal(arcs.bundles[i].n_outliers, call->n_nodes >= 4);
		}
		studio_close(&studio);
	}
}

static bool
apart(const PhNeighbour *list, uint32_t n, double height)
{
	double bottom = 0;
	double port = -INFINITY;

	for (uint32_t i = 0; i < n; i++)
	{
		if (list[i].y < bottom - 1e-9 || list[i].thickness > list[i].height + 1e-9 ||
			list[i].port < port - 1e-9)
			return false;
		bottom = list[i].y + list[i].height;
		port = list[i].port + list[i].thickness;
	}
	return bottom <= height + 1e-9;
}

static void
neighbours_are_stacked(void **state)
{
	(void) state;
	srand(25);
	for (int round = 0; round < 100; round++)
	{
		Studio studio;
		PhCallGraph graph;
		PhNeighbourhood near;
		uint32_t most = 1 + (uint32_t) rand() % 9;
		double sum = 0;
		double drawn = 0;

		studio_open(&studio);
		random_calls(&studio, 1 + (uint32_t) rand() % 30, round % 2);
		ph_call_graph_read(&studio.arena, &studio.rows, &graph);
		ph_neighbourhood_place(&studio.arena, &graph, most, 1000, &near);
		assert_true(near.n_callers <= most + 1 && near.n_callees <= most + 1);
		assert_true(apart(near.callers, near.n_callers, near.height));
		assert_true(apart(near.callees, near.n_callees, near.height));
		for (uint32_t i = 0; i < graph.n_calls; i++)
			if (graph.calls[i].callee == graph.selected && graph.calls[i].caller != graph.selected)
				sum += graph.calls[i].inclusive;
		for (uint32_t i = 0; i < near.n_callers; i++)
			drawn += near.callers[i].inclusive;
		assert_float_equal(sum, drawn, 1e-6);
		studio_close(&studio);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_do_not_overlap),  cmocka_unit_test(long_paths_are_folded),
		cmocka_unit_test(only_cycles_are_broken), cmocka_unit_test(pictures_are_clean),
		cmocka_unit_test(arcs_are_shares),		  cmocka_unit_test(neighbours_are_stacked),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
