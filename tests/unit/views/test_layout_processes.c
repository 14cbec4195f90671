/*
 * test_layout_processes.c - grids of processes, one node over processes, gradients of ensembles.
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
#include "views/ranks/processes.h"
#include "views/supergraph/ensemble.h"

/* The side of the largest squares, tried one number across after the other. */
static double
plain_side(uint32_t n, double width, double height, double most)
{
	double best = 0;

	for (uint32_t across = 1; across <= n; across++)
	{
		uint32_t down = (n + across - 1) / across;

		best = fmax(best, fmin(width / across, height / down));
	}
	return fmin(best, most);
}

static void
grids_have_the_largest_squares(void **state)
{
	(void) state;
	srand(20260505);
	for (int round = 0; round < 3000; round++)
	{
		uint32_t n = 1 + (uint32_t) rand() % (round % 10 ? 300 : 12000);
		double width = 100 + rand() % 2000;
		double height = 60 + rand() % 1500;
		double most = round % 2 ? 84 : 1e9;
		PhProcessGrid grid = ph_process_grid_fit(n, width, height, most);

		assert_true((double) grid.across * grid.down >= n);
		assert_true((double) grid.across * (grid.down - 1) < n);
		assert_true(grid.across * grid.side <= width * (1 + 1e-9));
		assert_true(grid.down * grid.side <= height * (1 + 1e-9));
		if (fabs(grid.side - plain_side(n, width, height, most)) > 1e-9 * grid.side)
			fail_msg("%u in %g x %g: side %g, not %g", n, width, height, grid.side,
					 plain_side(n, width, height, most));
	}
}

/* Appends ",value" to an array of texts of numbers. */
static const char *
append(Studio *studio, const char *list, const char *format, double value)
{
	const char *item = isnan(value) ? "null" : ph_need_format(&studio->arena, "%.9g", value);

	if (strcmp(format, "s") == 0)
		item = ph_need_format(&studio->arena, "\"rank %.0f\"", value);
	return ph_need_format(&studio->arena, "%s%s%s", list, *list ? "," : "", item);
}

/* Random cells of per processes each. */
static void
random_cells(Studio *studio, uint32_t n, uint32_t per, const char *order)
{
	const char *count = "", *max = "", *min = "", *mean = "", *rank = "", *name = "", *present = "";

	for (uint32_t i = 0; i < n; i++)
	{
		double high = rand() % 1000 / 10.0;
		bool idle = rand() % 20 == 0;

		count = append(studio, count, "", per);
		present = append(studio, present, "", idle ? 0 : per);
		max = append(studio, max, "", idle ? 0 : high);
		min = append(studio, min, "", idle ? NAN : high / 3);
		mean = append(studio, mean, "", idle ? 0 : high / 2);
		rank = append(studio, rank, "", i * per);
		name = append(studio, name, "s", i * per);
	}
	studio_row(studio, "run", "{\"run_id\":3,\"application\":\"random\"}");
	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(studio, "node",
			   "{\"node\":4,\"name\":\"f\",\"path\":\"main/f\",\"cost\":\"exclusive\"}");
	studio_row(studio, "grid",
			   "{\"n\":%u,\"ranks\":%u,\"threads\":0,\"order\":\"%s\",\"idle\":1,\"present\":%u,"
			   "\"mean\":20,\"median\":19}",
			   n * per, n * per, order, n * per);
	studio_row(studio, "cells",
			   "{\"per\":%u,\"n\":[%s],\"max\":[%s],\"min\":[%s],\"mean\":[%s],\"rank\":[%s],"
			   "\"first\":[%s],\"last\":[%s],\"worst\":[%s],\"host\":[],\"present\":[%s]}",
			   per, count, max, min, mean, rank, name, name, name, present);
}

static void
every_cell_is_drawn(void **state)
{
	(void) state;
	srand(20260506);
	for (int round = 0; round < 60; round++)
	{
		uint32_t n = 1 + (uint32_t) rand() % 200;
		uint32_t per = round % 2 ? 1 : 17;
		Studio studio;
		PhScene scene;

		for (int view = 0; view < 2; view++)
		{
			studio_open(&studio);
			random_cells(&studio, n, per, round % 3 ? "rank" : "host");
			studio_draw(&studio, view ? "metric" : "processes", "--width 800", &scene);
			scene_check(&scene);
			if (scene_count(&scene, "empty") == 0)
			{
				assert_int_equal(scene_count(&scene, "process"), n);
				assert_int_equal(scene_says(&scene, "neighbouring ranks"), per > 1);
			}
			studio_close(&studio);
		}
	}
}

/* Means that are about alike are drawn in the middle of the colours, others in all of them. */
static void
alike_means_have_middle_colours(void **state)
{
	static const char *const means[] = {"[5,5.01,4.99,5]", "[1,5,4,9]"};
	static const double ends[][2] = {{4.75, 5.25}, {1, 9}};

	(void) state;
	for (int i = 0; i < 2; i++)
	{
		Studio studio;
		PhProcesses processes;

		studio_open(&studio);
		studio_row(&studio, "grid", "{\"n\":4,\"ranks\":4,\"threads\":0,\"order\":\"rank\"}");
		studio_row(&studio, "cells",
				   "{\"per\":1,\"n\":[1,1,1,1],\"max\":[9,9,9,9],\"min\":[1,1,1,1],\"mean\":%s}",
				   means[i]);
		ph_processes_read(&studio.arena, &studio.rows, &processes);
		assert_true(fabs(processes.low_mean - ends[i][0]) < 0.01);
		assert_true(fabs(processes.high_mean - ends[i][1]) < 0.01);
		studio_close(&studio);
	}
}

static void
nothing_to_draw_is_said(void **state)
{
	static const char *const views[] = {"processes", "metric", "cct", "sankey-ensemble",
										"sankey-diff"};

	(void) state;
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
	{
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		studio_draw(&studio, views[i], "", &scene);
		scene_check(&scene);
		assert_int_equal(scene_count(&scene, "empty"), 1);
		studio_close(&studio);
	}
}

/* Between 0 and the fullest bin; a bin's count at its middle; flat beyond the outer middles. */
static void
gradients_go_through_the_counts(void **state)
{
	(void) state;
	srand(20260507);
	for (int round = 0; round < 2000; round++)
	{
		uint32_t bins = 1 + (uint32_t) rand() % 30;
		PhGuide guides[30];
		PhGradient gradient = {.guides = guides};
		double counts[30] = {0};

		for (uint32_t b = 0; b < bins; b++)
		{
			counts[b] = rand() % 3 ? 0 : 1 + rand() % 9;
			gradient.most = fmax(gradient.most, counts[b]);
			if (counts[b] > 0)
				guides[gradient.n_guides++] = (PhGuide){
					.begin = (double) b / bins, .end = (b + 1.0) / bins, .count = counts[b]};
		}
		for (uint32_t b = 0; b < bins; b++)
			assert_true(fabs(ph_gradient_at(&gradient, (b + 0.5) / bins) - counts[b]) < 1e-6);
		assert_true(fabs(ph_gradient_at(&gradient, 0) - counts[0]) < 1e-6);
		assert_true(fabs(ph_gradient_at(&gradient, 1) - counts[bins - 1]) < 1e-6);
		for (double share = 0; share <= 1; share += 0.013)
		{
			double at = ph_gradient_at(&gradient, share);

			assert_true(at >= -1e-9 && at <= gradient.most + 1e-9);
		}
	}
}

static void
runs_are_told_apart(void **state)
{
	Studio studio;
	PhRunNames names;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "runs", "{\"run_id\":7,\"n_ranks\":8,\"commit_id\":\"aaaaaaaabb\"}");
	studio_row(&studio, "runs", "{\"run_id\":9,\"n_ranks\":64,\"commit_id\":\"aaaaaaaacc\"}");
	names = ph_run_names(&studio.arena, &studio.rows);
	assert_string_equal(ph_run_names_find(&names, "9"), "64 ranks");
	studio_row(&studio, "runs", "{\"run_id\":11,\"n_ranks\":8,\"commit_id\":null}");
	names = ph_run_names(&studio.arena, &studio.rows);
	assert_string_equal(ph_run_names_find(&names, "9"), "run 9");
	assert_string_equal(ph_run_names_find(&names, "12"), "12");
	studio_close(&studio);
}

/* The target's line lies in the middle of its bin. */
static void
the_target_has_a_line(void **state)
{
	Studio studio;
	PhScene scene;
	uint32_t i = 0;
	double top = NAN;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "run", "{\"run_id\":7}");
	studio_row(&studio, "runs", "{\"run_id\":7,\"n_ranks\":8}");
	studio_row(&studio, "runs", "{\"run_id\":9,\"n_ranks\":64}");
	studio_row(&studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(&studio, "layout",
			   "{\"element\":\"canvas\",\"node\":null,\"target\":null,\"label\":null,\"level\":0,"
			   "\"x\":0,\"y\":0,\"width\":900,\"height\":594,\"x1\":0,\"y1\":0,\"thickness\":0,"
			   "\"value\":50,\"own\":0,\"absorbed\":0}");
	studio_row(&studio, "layout",
			   "{\"element\":\"bar\",\"node\":\"main\",\"label\":\"main\",\"level\":0,\"x\":0,"
			   "\"y\":36,\"width\":24,\"height\":500,\"value\":10,\"own\":4,\"absorbed\":0}");
	studio_row(&studio, "supernodes", "{\"node\":\"main\",\"source\":10,\"exclusive\":4}");
	studio_row(&studio, "guides",
			   "{\"node\":\"main\",\"bin\":0,\"count\":1,\"value\":8,\"mark\":\"min\","
			   "\"runs\":[\"9\"],\"begin_share\":0,\"end_share\":0.25}");
	studio_row(&studio, "guides",
			   "{\"node\":\"main\",\"bin\":3,\"count\":1,\"value\":12,\"mark\":\"max\","
			   "\"runs\":[\"7\"],\"begin_share\":0.75,\"end_share\":1}");
	studio_row(&studio, "target", "{\"node\":\"main\",\"bin\":3,\"value\":12,\"z\":null}");
	studio_draw(&studio, "sankey-ensemble", "--guides detailed", &scene);
	scene_check(&scene);
	for (; i < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "bar") == 0)
			top = scene.items[i + 1].y;
	assert_int_equal(scene_count(&scene, "target"), 1);
	for (i = 0;
		 !(scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "target") == 0);)
		i++;
	assert_true(fabs(scene.items[i + 1].steps[0].x[1] - (top + 500 * 3.5 / 4)) < 1e-6);
	assert_true(scene_says(&scene, "Min. = 8 s") && scene_says(&scene, "64 ranks"));
	studio_close(&studio);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grids_have_the_largest_squares),
		cmocka_unit_test(every_cell_is_drawn),
		cmocka_unit_test(alike_means_have_middle_colours),
		cmocka_unit_test(nothing_to_draw_is_said),
		cmocka_unit_test(gradients_go_through_the_counts),
		cmocka_unit_test(runs_are_told_apart),
		cmocka_unit_test(the_target_has_a_line),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
