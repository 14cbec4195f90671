/*
 * test_layout_columns.c - histograms with shadow lines, scatter plots, box plots.
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
#include "views/ranks/columns.h"

static double
unit(void)
{
	return rand() / (double) RAND_MAX;
}

static const char *
number_list(Studio *studio, const double *values, uint32_t n)
{
	char *text = ph_need(&studio->arena, (size_t) n * 28 + 3, 1);
	size_t at = 0;

	text[at++] = '[';
	for (uint32_t i = 0; i < n; i++)
		at += (size_t) snprintf(text + at, 28, "%s%.12g", i ? "," : "", values[i]);
	text[at++] = ']';
	return text;
}

static const char *
host_list(Studio *studio, uint32_t n)
{
	char *text = ph_need(&studio->arena, (size_t) n * 28 + 3, 1);
	size_t at = 0;

	text[at++] = '[';
	for (uint32_t i = 0; i < n; i++)
		at += (size_t) snprintf(text + at, 28, "%s\"node%u\"", i ? "," : "", i / 8);
	text[at++] = ']';
	return text;
}

static void
column_rows(Studio *studio, const double *values, uint32_t n)
{
	double *ranks = ph_need(&studio->arena, n, sizeof(double));
	double *exclusive = ph_need(&studio->arena, n, sizeof(double));

	for (uint32_t i = 0; i < n; i++)
	{
		ranks[i] = i;
		exclusive[i] = values[i] * 0.5 + unit();
	}
	studio_row(studio, "run", "{\"run_id\":3,\"application\":\"random\"}");
	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(studio, "values",
			   "{\"node\":\"libmpi.so\",\"rank\":%s,\"thread\":[],\"host\":%s,\"name\":[],"
			   "\"inclusive\":%s,\"exclusive\":%s}",
			   number_list(studio, ranks, n), host_list(studio, n), number_list(studio, values, n),
			   number_list(studio, exclusive, n));
}

/* Lines of a bin start at its centre, reach the axis left to right, and stand for all its ranks. */
static void
check_lines(const PhScene *scene, uint32_t n)
{
	double total = 0;
	uint32_t lines = 0;

	for (uint32_t i = 0; i + 2 < scene->n_items; i++)
	{
		const PhItem *path = &scene->items[i + 1];
		const PhItem *bar = &scene->items[i + 2];
		double last = -1;

		if (scene->items[i].kind != PH_ITEM_OPEN || strcmp(scene->items[i].text, "bin") != 0)
			continue;
		total += atof(item_data(&scene->items[i], "value"));
		assert_int_equal(path->kind, PH_ITEM_PATH);
		for (uint32_t s = 0; s < path->n_steps; s += 2)
		{
			assert_true(fabs(path->steps[s].x[0] - (bar->x + bar->width / 2)) < 0.01);
			assert_true(path->steps[s].x[1] > bar->y + bar->height);
			assert_true(path->steps[s + 1].x[0] > last);
			last = path->steps[s + 1].x[0];
			lines++;
		}
	}
	assert_true(total == n);
	if (n <= 400)
		assert_int_equal(lines, n);
}

static void
histograms_keep_the_invariants(void **state)
{
	static const char *const options[] = {
		"",			 "--order host", "--cost exclusive", "--bins 7", "--width 500 --height 300",
		"--bins 200"};

	(void) state;
	srand(21);
	for (int round = 0; round < 60; round++)
	{
		uint32_t n = 1 + (uint32_t) rand() % (round % 6 == 5 ? 20000 : 300);
		double *values = malloc(n * sizeof(double));
		Studio studio;
		PhScene scene;

		for (uint32_t i = 0; i < n; i++)
			values[i] = round % 7 == 0 ? 3 : pow(10, round % 5 - 2) * (10 + unit());
		studio_open(&studio);
		column_rows(&studio, values, n);
		studio_draw(&studio, "histogram", options[round % 6], &scene);
		scene_check(&scene);
		check_lines(&scene, n);
		free(values);
		studio_close(&studio);
	}
}

/* The axis has the value of all in its middle: the strip of ranks is as wide as the axis. */
static void
equal_values_stand_at_their_value(void **state)
{
	static const double values[] = {3, 3, 3, 3};
	Studio studio;
	PhScene scene;
	const PhItem *bar = NULL, *cell = NULL;

	(void) state;
	studio_open(&studio);
	column_rows(&studio, values, 4);
	studio_draw(&studio, "histogram", "", &scene);
	for (uint32_t i = 0; i + 2 < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "bin") == 0)
			bar = &scene.items[i + 2];
		else if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "cells") == 0)
			for (cell = &scene.items[i + 1]; cell->kind != PH_ITEM_RECT; cell++)
				;
	assert_non_null(bar);
	assert_non_null(cell);
	assert_true(fabs(bar->x + bar->width / 2 - (cell->x + cell->width / 2)) < 0.01);
	studio_close(&studio);
}

static void
every_nth_slow_rank_is_noticed(void **state)
{
	(void) state;
	srand(4);
	for (uint32_t period = 2; period <= 16; period++)
		for (uint32_t first = 0; first < period; first++)
		{
			double values[128];
			PhSlowPattern pattern;

			for (uint32_t i = 0; i < 128; i++)
				values[i] = 10 + unit() + (i % period == first ? 8 : 0);
			assert_true(ph_slow_pattern(values, 128, &pattern));
			assert_int_equal(pattern.period, period);
			assert_int_equal(pattern.first, first);
			assert_true(pattern.slow_mean > 17 && pattern.other_mean < 12);
		}
}

static void
noise_is_no_pattern(void **state)
{
	uint32_t found = 0;

	(void) state;
	srand(8);
	for (int round = 0; round < 500; round++)
	{
		double values[64];
		PhSlowPattern pattern;

		for (int i = 0; i < 64; i++)
			values[i] = unit();
		found += ph_slow_pattern(values, 64, &pattern);
		for (int i = 0; i < 64; i++)
			values[i] = i < 16 ? 2 : 1; /* a block is no period */
		assert_false(ph_slow_pattern(values, 64, &pattern));
	}
	assert_int_equal(found, 0);
}

static void
slow_ranks_are_named_in_the_picture(void **state)
{
	double values[64];
	Studio studio;
	PhScene scene;

	(void) state;
	for (int i = 0; i < 64; i++)
		values[i] = i % 4 == 1 ? 14 : 10;
	studio_open(&studio);
	column_rows(&studio, values, 64);
	studio_draw(&studio, "histogram", "", &scene);
	scene_check(&scene);
	assert_true(scene_says(&scene, "Every 4th rank is slow (1, 5, 9"));
	assert_true(scene_says(&scene, "imbalance_ratio (max / mean) 1.273"));
	studio_close(&studio);
}

static void
rank_lists_are_ranges(void **state)
{
	static const double ranks[] = {9, 1, 0, 2, 5, 8};
	Studio studio;

	(void) state;
	studio_open(&studio);
	assert_string_equal(ph_ranges_text(&studio.arena, ranks, 6, 100), "0-2, 5, 8-9");
	assert_string_equal(ph_ranges_text(&studio.arena, ranks, 6, 2), "0-2, \xe2\x80\xa6");
	assert_string_equal(ph_ranges_text(&studio.arena, ranks, 0, 2), "");
	studio_close(&studio);
}

static void
scatter_says_the_fit(void **state)
{
	double values[50];
	Studio studio;
	PhScene scene;
	bool found = false;

	(void) state;
	srand(1);
	for (int i = 0; i < 50; i++)
		values[i] = 5 + i * 0.1;
	studio_open(&studio);
	column_rows(&studio, values, 50);
	studio_draw(&studio, "scatter", "", &scene);
	scene_check(&scene);
	assert_true(scene_says(&scene, "n = 50"));
	assert_true(scene_says(&scene, "r\xc2\xb2 ="));
	assert_int_equal(scene_count(&scene, "point"), 50);
	for (uint32_t i = 0; i < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "fit") == 0)
		{
			found = true;
			assert_true(fabs(atof(item_data(&scene.items[i], "slope")) - 0.5) < 0.15);
			assert_string_equal(item_data(&scene.items[i], "n"), "50");
		}
	assert_true(found);
	studio_close(&studio);
}

static void
scatter_of_constants_has_no_line(void **state)
{
	double values[5] = {3, 3, 3, 3, 3};
	Studio studio;
	PhScene scene;

	(void) state;
	studio_open(&studio);
	column_rows(&studio, values, 5);
	studio_draw(&studio, "scatter", "", &scene);
	scene_check(&scene);
	assert_true(scene_says(&scene, "no best fit"));
	assert_int_equal(scene_count(&scene, "fit"), 0);
	studio_close(&studio);
}

/* Points that would hide each other are drawn once and counted. */
static void
many_points_stay_small(void **state)
{
	const uint32_t n = 30000;
	double *values = malloc(n * sizeof(double));
	Studio studio;
	PhScene scene;

	(void) state;
	for (uint32_t i = 0; i < n; i++)
		values[i] = i < 3000 ? 1 : 2 + unit();
	studio_open(&studio);
	column_rows(&studio, values, n);
	studio_draw(&studio, "scatter", "", &scene);
	scene_check(&scene);
	assert_true(scene.n_items < n);
	assert_true(scene_says(&scene, "points in the same place"));
	free(values);
	studio_close(&studio);
}

static void
boxes_name_their_outliers(void **state)
{
	Studio studio;
	PhScene scene;

	(void) state;
	srand(2);
	studio_open(&studio);
	studio_row(&studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(&studio, "supernodes", "{\"n\":90}");
	for (int i = 0; i < 40; i++)
		studio_row(
			&studio, "boxes",
			"{\"node\":\"lib%d%s\",\"label\":\"lib\",\"n\":64,\"min\":%d,\"lower_whisker\":%d,"
			"\"lower_quartile\":%d,\"median\":%d,\"upper_quartile\":%d,\"upper_whisker\":%d,"
			"\"max\":%d,\"mean\":%d.5,\"outliers\":[%d,%d,%d],\"outlier_ranks\":[17,3,null]}",
			i, i % 3 ? "" : "_with_a_rather_long_name_that_needs_an_ellipsis.so", i, i + 1, i + 2,
			i + 3, i + 4, i + 5, i + 60, i + 3, i + 30, i + 60, i + 59);
	studio_row(&studio, "boxes", "{\"node\":\"broken\",\"min\":null,\"max\":null}");
	studio_draw(&studio, "box", "", &scene);
	scene_check(&scene);
	assert_int_equal(scene_count(&scene, "box"), 40);
	assert_int_equal(scene_count(&scene, "outlier"), 120);
	assert_true(scene_says(&scene, "17"));
	assert_true(scene_says(&scene, "40 of 90 supernodes"));
	studio_close(&studio);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histograms_keep_the_invariants),
		cmocka_unit_test(equal_values_stand_at_their_value),
		cmocka_unit_test(every_nth_slow_rank_is_noticed),
		cmocka_unit_test(noise_is_no_pattern),
		cmocka_unit_test(slow_ranks_are_named_in_the_picture),
		cmocka_unit_test(rank_lists_are_ranges),
		cmocka_unit_test(scatter_says_the_fit),
		cmocka_unit_test(scatter_of_constants_has_no_line),
		cmocka_unit_test(many_points_stay_small),
		cmocka_unit_test(boxes_name_their_outliers),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
