/*
 * test_layout_calls.c - layouts of functions: rings, neighbourhoods, clean pictures.
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
		cmocka_unit_test(pictures_are_clean),
		cmocka_unit_test(arcs_are_shares),
		cmocka_unit_test(neighbours_are_stacked),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
