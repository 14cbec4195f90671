/*
 * test_layout_sankey.c - super graphs as pictures: invariants on random graphs laid out by the
 * core.
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

#include "layout/sankey_layout.h"
#include "support/scene.h"
#include "views/supergraph/sankey.h"

#define MOST 240

typedef struct Graph
{
	uint32_t n, n_edges;
	PhLayoutNode nodes[MOST];
	PhLayoutEdge edges[MOST * 3];
	double own[MOST];
} Graph;

static double
unit(void)
{
	return rand() / (double) RAND_MAX;
}

/* Every bar but the first gets its cost from one or two earlier layers; what is left is its own. */
static void
random_graph(Studio *studio, uint32_t n, uint32_t n_levels, Graph *out)
{
	double left[MOST];

	memset(out, 0, sizeof(*out));
	out->n = n;
	n_levels = n_levels < n ? n_levels : n;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t level = i == 0 ? 0 : 1 + (i - 1) * (n_levels - 1) / n;
		double value = i == 0 ? 1000 : 0;

		for (int k = 0; k < 2 && i > 0; k++)
		{
			uint32_t source = (uint32_t) rand() % i;
			double weight = left[source] * unit() * 0.5;

			if (out->nodes[source].level >= level ||
				(k == 1 && out->edges[out->n_edges - 1].source == source && value > 0))
				continue;
			left[source] -= weight;
			value += weight;
			out->edges[out->n_edges++] = (PhLayoutEdge){source, i, weight};
		}
		left[i] = value;
		out->nodes[i] = (PhLayoutNode){
			ph_need_format(&studio->arena, i % 5 ? "lib%u.so" : "lib_with_a_long_name_%u.so.1.2.3",
						   i),
			level, value, NAN};
	}
	memcpy(out->own, left, sizeof(left));
}

static void
bar_rows(Studio *studio, const Graph *graph, const PhLayout *layout)
{
	for (uint32_t i = 0; i < layout->n_boxes; i++)
	{
		const PhLayoutBox *box = &layout->boxes[i];

		if (box->dummy)
			studio_row(
				studio, "layout",
				"{\"element\":\"dummy\",\"x\":%.9g,\"y\":%.9g,\"width\":%.9g,\"height\":%.9g}",
				box->x, box->y, box->width, box->height);
		else
		{
			studio_row(studio, "layout",
					   "{\"element\":\"bar\",\"node\":\"%s\",\"label\":\"lib%u\",\"level\":%u,"
					   "\"x\":%.9g,\"y\":%.9g,\"width\":%.9g,\"height\":%.9g,\"value\":%.17g,"
					   "\"own\":%.17g,\"absorbed\":%.17g}",
					   graph->nodes[i].name, i % 13, box->level, box->x, box->y, box->width,
					   box->height, box->value, graph->own[i], graph->own[i] * unit());
			studio_row(
				studio, "supernodes",
				"{\"node\":\"%s\",\"source\":%.17g,\"exclusive\":%.17g,\"imbalance_ratio\":1.5,"
				"\"n_members\":3,\"n_entries\":1}",
				graph->nodes[i].name, i == 0 ? 1000.0 : 0.0, graph->own[i] / 2);
			studio_row(studio, "histograms", "{\"node\":\"%s\",\"counts\":[1,0,%u,3]}",
					   graph->nodes[i].name, i % 4);
		}
	}
}

static void
band_rows(Studio *studio, const Graph *graph, const PhLayout *layout)
{
	for (uint32_t i = 0; i < layout->n_bands; i++)
	{
		const PhLayoutBand *band = &layout->bands[i];
		const char *quote = band->edge == PH_LAYOUT_SHARED ? "" : "\"";
		const char *source = band->edge == PH_LAYOUT_SHARED
								 ? "null"
								 : graph->nodes[graph->edges[band->edge].source].name;

		studio_row(studio, "layout",
				   "{\"element\":\"band\",\"node\":%s%s%s,\"target\":\"%s\",\"x\":%.9g,"
				   "\"y\":%.9g,\"x1\":%.9g,\"y1\":%.9g,\"thickness\":%.9g,\"value\":%.17g}",
				   quote, source, quote, graph->nodes[band->bar].name, band->x0, band->y0, band->x1,
				   band->y1, band->thickness, band->thickness / layout->scale);
	}
}

static void
graph_rows(Studio *studio, const Graph *graph, uint32_t most_dummies)
{
	PhLayoutOptions options = ph_layout_defaults(1032, 594);
	PhLayout layout;

	options.most_dummies = most_dummies;
	if (ph_layout_sankey(&studio->arena, graph->nodes, graph->n, graph->edges, graph->n_edges,
						 &options, &layout) != PH_OK)
		fail_msg("%s", studio->env.error.message);
	studio_row(studio, "run", "{\"run_id\":1,\"application\":\"random\",\"n_ranks\":4}");
	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(studio, "caption", "{\"caption\":\"a random graph\"}");
	studio_row(
		studio, "layout",
		"{\"element\":\"canvas\",\"node\":null,\"target\":null,\"label\":null,\"level\":null,"
		"\"x\":null,\"y\":null,\"x1\":null,\"y1\":null,\"thickness\":null,\"own\":null,"
		"\"absorbed\":null,\"width\":%.9g,\"height\":%.9g,\"value\":%.17g}",
		layout.width, layout.height, layout.scale);
	bar_rows(studio, graph, &layout);
	band_rows(studio, graph, &layout);
}

/* Bars do not overlap, heights are proportional to the inclusive, and bands match in thickness. */
static void
check_bars(const PhScene *scene, double scale)
{
	Box *bars = malloc((scene->n_items + 1) * sizeof(Box));
	uint32_t n = 0;

	for (uint32_t i = 0; i + 1 < scene->n_items; i++)
	{
		const PhItem *group = &scene->items[i];
		const PhItem *box = &scene->items[i + 1];
		double value;

		if (group->kind != PH_ITEM_OPEN || strcmp(group->text, "bar") != 0)
			continue;
		assert_int_equal(box->kind, PH_ITEM_RECT);
		value = atof(item_data(group, "value"));
		assert_true(fabs(box->height - fmax(value * scale, 1)) < 1e-3 * (1 + box->height));
		bars[n] = (Box){box->x, box->y, box->x + box->width, box->y + box->height};
		for (uint32_t k = 0; k < n; k++)
			assert_false(
				bars[k].left < bars[n].right - 0.01 && bars[n].left < bars[k].right - 0.01 &&
				bars[k].top < bars[n].bottom - 1.01 && bars[n].top < bars[k].bottom - 1.01);
		n++;
	}
	free(bars);
}

static void
random_graphs_keep_the_invariants(void **state)
{
	static const char *const colors[] = {"--color module", "--color exclusive", "--color imbalance",
										 "--color inclusive"};

	(void) state;
	srand(11);
	for (uint32_t round = 0; round < 120; round++)
	{
		Studio studio;
		PhScene scene;
		Graph *graph = malloc(sizeof(Graph));
		const PhTable *layout;

		studio_open(&studio);
		random_graph(&studio, 1 + (uint32_t) rand() % (round % 10 == 0 ? 220 : 40),
					 2 + (uint32_t) rand() % 9, graph);
		graph_rows(&studio, graph, round % 2 ? 0 : 4096);
		studio_draw(&studio, "sankey", colors[round % 4], &scene);
		layout = ph_rows_table(&studio.rows, "layout");
		scene_check(&scene);
		assert_int_equal(scene_count(&scene, "bar"), graph->n);
		check_bars(&scene, ph_table_number(layout, 0, "value"));
		free(graph);
		studio_close(&studio);
	}
}

/* The part of the right side without bands is the own cost; hatching covers the absorbed part. */
static void
own_part_is_marked(void **state)
{
	Studio studio;
	PhScene scene;
	uint32_t i = 0;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "run", "{\"run_id\":7}");
	studio_row(&studio, "metric", "{\"metric\":\"time (sec)\",\"unit\":\"sec\"}");
	studio_row(&studio, "layout",
			   "{\"element\":\"canvas\",\"node\":null,\"target\":null,\"label\":null,\"level\":0,"
			   "\"x\":0,\"y\":0,\"width\":1032,\"height\":594,\"x1\":0,\"y1\":0,\"thickness\":0,"
			   "\"value\":50,\"own\":0,\"absorbed\":0}");
	studio_row(&studio, "layout",
			   "{\"element\":\"bar\",\"node\":\"main\",\"label\":\"main\",\"level\":0,\"x\":0,"
			   "\"y\":36,\"width\":24,\"height\":500,\"value\":10,\"own\":4,\"absorbed\":1}");
	studio_row(&studio, "supernodes", "{\"node\":\"main\",\"source\":10,\"exclusive\":3}");
	studio_draw(&studio, "sankey", "", &scene);
	scene_check(&scene);
	while (!(scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "bar") == 0))
		i++;
	assert_string_equal(item_data(&scene.items[i], "exclusive"), "3");
	assert_string_equal(item_data(&scene.items[i], "absorbed"), "1");
	assert_string_equal(item_data(&scene.items[i], "run"), "7");
	assert_int_equal(scene.items[i + 2].kind, PH_ITEM_PATH); /* hatching, then the edge */
	assert_true(fabs(scene.items[i + 3].height - 200) < 1e-6);
	assert_true(fabs(scene.items[i + 3].y + 200 - (scene.items[i + 1].y + 500)) < 1e-6);
	assert_true(scene_says(&scene, "absorbed by filter"));
	assert_true(scene_says(&scene, "time, mean over columns"));
	studio_close(&studio);
}

/* What a filter left out is grey, under its number of call paths, and no supernode. */
static void
others_are_drawn(void **state)
{
	Studio studio;
	PhScene scene;
	uint32_t seen = 0;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "run", "{\"run_id\":7}");
	studio_row(&studio, "metric", "{\"metric\":\"time (sec)\",\"unit\":\"sec\"}");
	studio_row(&studio, "layout",
			   "{\"element\":\"canvas\",\"node\":null,\"target\":null,\"label\":null,\"level\":0,"
			   "\"x\":0,\"y\":0,\"width\":1032,\"height\":594,\"x1\":0,\"y1\":0,\"thickness\":0,"
			   "\"value\":50,\"own\":0,\"absorbed\":0,\"others\":null}");
	studio_row(&studio, "layout",
			   "{\"element\":\"bar\",\"node\":\"main\",\"label\":\"main\",\"level\":0,\"x\":0,"
			   "\"y\":36,\"width\":24,\"height\":500,\"value\":10,\"own\":4,\"absorbed\":0}");
	studio_row(
		&studio, "layout",
		"{\"element\":\"bar\",\"node\":\"<others 1>\",\"label\":\"41 others\",\"level\":1,"
		"\"x\":500,\"y\":36,\"width\":24,\"height\":300,\"value\":6,\"own\":6,\"absorbed\":0,"
		"\"others\":41}");
	studio_row(
		&studio, "layout",
		"{\"element\":\"band\",\"node\":\"main\",\"target\":\"<others 1>\",\"x\":24,\"y\":36,"
		"\"x1\":500,\"y1\":36,\"thickness\":300,\"value\":6}");
	studio_row(&studio, "supernodes", "{\"node\":\"main\",\"source\":10,\"exclusive\":4}");
	studio_draw(&studio, "sankey", "", &scene);
	scene_check(&scene);
	assert_int_equal(scene_count(&scene, "bar"), 1);
	assert_int_equal(scene_count(&scene, "band"), 1);
	for (uint32_t i = 0; i + 1 < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "others") == 0)
		{
			seen++;
			assert_true(fabs(scene.items[i + 1].height - 300) < 1e-6);
		}
	assert_int_equal(seen, 1);
	assert_true(scene_says(&scene, "41 others"));
	assert_true(scene_says(&scene, "grey: 41 call paths that the filter left out"));
	studio_close(&studio);
}

static void
shared_rows(Studio *studio)
{
	studio_row(studio, "run", "{\"run_id\":7}");
	studio_row(studio, "metric", "{\"metric\":\"time (sec)\",\"unit\":\"sec\"}");
	studio_row(studio, "layout",
			   "{\"element\":\"canvas\",\"node\":null,\"target\":null,\"label\":null,\"level\":0,"
			   "\"x\":0,\"y\":0,\"width\":1032,\"height\":594,\"x1\":0,\"y1\":0,\"thickness\":0,"
			   "\"value\":10,\"own\":0,\"absorbed\":0}");
	studio_row(studio, "layout",
			   "{\"element\":\"bar\",\"node\":\"a\",\"label\":\"a\",\"level\":0,\"x\":0,"
			   "\"y\":36,\"width\":24,\"height\":100,\"value\":10,\"own\":4,\"absorbed\":0}");
	studio_row(studio, "supernodes", "{\"node\":\"a\",\"source\":10,\"exclusive\":3}");
	for (int i = 0; i < 2; i++)
		studio_row(studio, "layout",
				   "{\"element\":\"dummy\",\"target\":\"t\",\"x\":%d,\"y\":50,\"width\":24,"
				   "\"height\":60}",
				   100 + 100 * i);
	for (int i = 0; i < 2; i++)
		studio_row(studio, "layout",
				   "{\"element\":\"band\",\"node\":\"%s\",\"target\":\"t\",\"x\":24,\"y\":%d,"
				   "\"x1\":100,\"y1\":%d,\"thickness\":30,\"value\":3}",
				   i ? "b" : "a", 36 + 30 * i, 50 + 30 * i);
	for (int i = 0; i < 2; i++)
		studio_row(studio, "layout",
				   "{\"element\":\"band\",\"node\":null,\"target\":\"t\",\"x\":%d,\"y\":50,"
				   "\"x1\":%d,\"y1\":50,\"thickness\":60,\"value\":6}",
				   124 + 100 * i, 200 + 100 * i);
}

/* What several edges share is one band, from the left side of the dummy where the last joins. */
static void
shared_bands_begin_where_edges_join(void **state)
{
	Studio studio;
	PhScene scene;
	uint32_t shared = 0;
	double left = NAN;

	(void) state;
	studio_open(&studio);
	shared_rows(&studio);
	studio_draw(&studio, "sankey", "", &scene);
	scene_check(&scene);
	assert_int_equal(scene_count(&scene, "band"), 3);
	for (uint32_t i = 0; i + 1 < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "bar") == 0)
			left = scene.items[i + 1].x;
	for (uint32_t i = 0; i + 1 < scene.n_items; i++)
	{
		const PhItem *band = &scene.items[i];
		const PhItem *path = &scene.items[i + 1];
		bool is_band = band->kind == PH_ITEM_OPEN && strcmp(band->text, "band") == 0;

		if (!is_band || strcmp(item_data(band, "value"), "6") != 0)
			continue;
		shared++;
		assert_int_equal(path->kind, PH_ITEM_PATH);
		assert_true(fabs(path->steps[0].x[0] - (left + 100)) < 1e-6);
		assert_int_equal(path->n_steps, 13); /* three pieces there and back, closed */
	}
	assert_int_equal(shared, 1);
	assert_true(scene_says(&scene, "joined on their way"));
	studio_close(&studio);
}

static void
empty_graphs_say_so(void **state)
{
	static const char *const views[] = {"sankey",	 "sankey-compare", "flame", "flame-diff",
										"histogram", "scatter",		   "box"};

	(void) state;
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
	{
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		studio_draw(&studio, views[i], "", &scene);
		scene_check(&scene);
		assert_true(scene_count(&scene, "empty") >= 1);
		studio_close(&studio);
	}
}

static void
comparison_marks_what_only_one_has(void **state)
{
	Studio studio;
	PhScene scene;
	uint32_t only = 0;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(&studio, "run", "{\"run_id\":1}");
	studio_row(&studio, "run_b", "{\"run_id\":2}");
	for (int side = 0; side < 2; side++)
	{
		const char *layout = side ? "layout_b" : "layout";

		studio_row(
			&studio, layout,
			"{\"element\":\"canvas\",\"node\":null,\"target\":null,\"label\":null,\"level\":0,"
			"\"x\":0,\"y\":0,\"width\":600,\"height\":500,\"x1\":0,\"y1\":0,\"thickness\":0,"
			"\"value\":20,\"own\":0,\"absorbed\":0}");
		studio_row(&studio, layout,
				   "{\"element\":\"bar\",\"node\":\"main\",\"label\":\"main\",\"level\":0,\"x\":0,"
				   "\"y\":36,\"width\":24,\"height\":%d,\"value\":%d,\"own\":%d,\"absorbed\":0}",
				   side ? 240 : 200, side ? 12 : 10, side ? 7 : 5);
		studio_row(&studio, layout,
				   "{\"element\":\"bar\",\"node\":\"%s\",\"label\":\"x\",\"level\":1,\"x\":200,"
				   "\"y\":36,\"width\":24,\"height\":100,\"value\":5,\"own\":5,\"absorbed\":0}",
				   side ? "new" : "old");
		studio_row(&studio, side ? "supernodes_b" : "supernodes",
				   "{\"node\":\"main\",\"source\":%d,\"exclusive\":%d}", side ? 12 : 10,
				   side ? 7 : 5);
	}
	studio_draw(&studio, "sankey-compare", "", &scene);
	scene_check(&scene);
	for (uint32_t i = 0; i < scene.n_items; i++)
	{
		const PhItem *item = &scene.items[i];
		const char *status;

		if (item->kind != PH_ITEM_OPEN || strcmp(item->text, "bar") != 0)
			continue;
		status = item_data(item, "status");
		if (strcmp(item_data(item, "node"), "main") == 0)
			assert_string_equal(item_data(item, "difference"), "2");
		else
		{
			only++;
			assert_string_equal(item_data(item, "difference"),
								strcmp(status, "only in A") == 0 ? "-5" : "5");
		}
	}
	assert_int_equal(only, 2);
	studio_close(&studio);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_graphs_keep_the_invariants),
		cmocka_unit_test(own_part_is_marked),
		cmocka_unit_test(others_are_drawn),
		cmocka_unit_test(shared_bands_begin_where_edges_join),
		cmocka_unit_test(empty_graphs_say_so),
		cmocka_unit_test(comparison_marks_what_only_one_has),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
