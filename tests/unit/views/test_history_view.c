/*
 * test_history_view.c - histories: levels and their ranges, common scales, labels, clean pictures.
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

#include "drawing/small_multiples.h"
#include "support/scene.h"
#include "views/history/history.h"

/* Rows of n_commits commits with repeats each, and panels with random values and changes. */
static void
random_history(Studio *studio, uint32_t n_commits, uint32_t repeats, uint32_t n_panels, bool known)
{
	uint32_t n = n_commits * repeats;

	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"s\",\"better\":-1}");
	for (uint32_t i = 0; i < n; i++)
		studio_row(
			studio, "runs",
			known ? "{\"series\":1,\"n_ranks\":8,\"n_threads\":1,\"cluster\":null,\"run_id\":%u,"
					"\"slot\":%u,\"seconds\":%u,\"position\":%u,\"commit_id\":\"%07x%033d\","
					"\"subject\":\"Change %u\",\"on_main_line\":true}"
				  : "{\"series\":1,\"n_ranks\":8,\"n_threads\":1,\"cluster\":null,\"run_id\":%u,"
					"\"slot\":%u,\"seconds\":%u,\"position\":null,\"commit_id\":null,\"n\":%u,"
					"\"x\":%u,\"y\":%u,\"z\":%u}",
			i + 1, i / repeats, 1767225600 + i * 86400, i / repeats,
			0x3e01c40u + i / repeats * 7919, 0, i / repeats);
	for (uint32_t p = 1; p <= n_panels; p++)
	{
		double level = (1 + rand() % 1000) * pow(10, rand() % 6 - 4);
		uint32_t change = n > 8 ? 1 + (uint32_t) rand() % (n - 1) : 0;
		char *values = ph_need_format(&studio->arena, "[");

		for (uint32_t i = 0; i < n; i++)
			values = ph_need_format(&studio->arena, "%s%s%.9g", values, i ? "," : "",
									level * (1 + 0.1 * (rand() % 1000) / 1000) *
										(change && i >= change ? 1.4 : 1));
		studio_row(studio, "panels",
				   "{\"panel\":%u,\"series\":1,\"level\":\"path\",\"label\":\"main/solve_it_all/"
				   "a_function_with_a_rather_long_name_%d\",\"values\":%s]}",
				   p, rand() % 50, values);
		if (change)
			studio_row(studio, "changes",
					   "{\"panel\":%u,\"series\":1,\"index\":%u,\"p_value\":1e-6,\"q_value\":0.01}",
					   p, change);
		if (change && p % 3 == 0)
			studio_row(studio, "regressions",
					   "{\"panel\":%u,\"series\":1,\"index\":%u,\"regression\":%u,\"state\":"
					   "\"active\",\"reason\":null}",
					   p, change, p);
	}
}

static void
pictures_are_clean(void **state)
{
	(void) state;
	srand(3);
	for (int round = 0; round < 40; round++)
	{
		uint32_t n_panels = 1 + (uint32_t) rand() % 20;
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		random_history(&studio, 1 + (uint32_t) rand() % 90, 1 + (uint32_t) rand() % 4, n_panels,
					   round % 4 != 3);
		studio_draw(&studio, "history", round % 2 ? "" : "--width 700", &scene);
		scene_check(&scene);
		assert_int_equal(scene_count(&scene, "panel"), n_panels);
		studio_close(&studio);
	}
}

/* Iterations 5, 6, ... of a run; every second panel is of several call paths: nothing of its ranks.
 */
static void
random_iterations(Studio *studio, uint32_t n, uint32_t n_panels)
{
	PhArena *arena = &studio->arena;
	const char *numbers = "";

	for (uint32_t i = 0; i < n; i++)
		numbers = ph_need_format(arena, "%s%s%u", numbers, i ? ", " : "", 5 + i);
	studio_row(studio, "metric", "{\"metric\": \"time\", \"unit\": \"s\", \"better\": -1}");
	studio_row(studio, "iterations", "{\"iterations\": [%s]}", numbers);
	for (uint32_t p = 1; p <= n_panels; p++)
	{
		const char *values = "";
		const char *ranks = "";

		for (uint32_t i = 0; i < n; i++)
		{
			double mean = 1 + rand() % 100 / 50.0 + (i >= n / 2);

			values = ph_need_format(arena, "%s%s%g", values, i ? ", " : "", mean);
			ranks = ph_need_format(arena, "%s%s%d", ranks, i ? ", " : "", rand() % 16384);
		}
		studio_row(studio, "panels",
				   "{\"panel\": %u, \"series\": 1, \"level\": \"path\", \"label\": \"main/f%u\", "
				   "\"values\": [%s], \"least\": [%s], \"greatest\": [%s], \"worst\": [7]}",
				   p, p, values, p % 2 ? values : "null", p % 2 ? ranks : "null");
		if (n >= 8)
			studio_row(studio, "changes", "{\"panel\": %u, \"series\": 1, \"index\": %u}", p,
					   n / 2);
	}
}

static void
iterations_are_an_axis(void **state)
{
	(void) state;
	srand(5);
	for (int round = 0; round < 8; round++)
	{
		uint32_t n = round < 2 ? (uint32_t) round + 1 : 2 + (uint32_t) rand() % 300;
		uint32_t n_panels = round == 7 ? 24 : 1 + (uint32_t) rand() % 7;
		PhHistory history;
		Studio studio;
		PhScene scene;

		n = round == 7 ? 260 : n;
		studio_open(&studio);
		random_iterations(&studio, n, n_panels);
		studio_draw(&studio, "history", "--run 1", &scene);
		scene_check(&scene);
		assert_int_equal(scene_count(&scene, "panel"), n_panels);
		assert_int_equal(scene_count(&scene, "ranks"), (n_panels + 1) / 2);
		assert_int_equal(scene_count(&scene, "point"), round == 7 ? 0 : n * n_panels);
		assert_int_equal(scene_count(&scene, "change"), n >= 8 ? n_panels : 0);
		ph_history_read(&studio.arena, &studio.rows, &history);
		for (uint32_t p = 0; p < history.n_panels; p++)
		{
			const PhHistoryPanel *panel = &history.panels[p];

			assert_true((panel->greatest != NULL) == (p % 2 == 0));
			assert_true(isnan(panel->levels[0].low)); /* iterations depend on each other */
			assert_float_equal(panel->condition->places[n - 1].time, 4.0 + n, 0);
		}
		studio_close(&studio);
	}
}

/* Three commits of two runs, then two of the new level. */
static void
levels_have_means_and_ranges(void **state)
{
	static const double values[] = {10, 12, 11, 11, 12, 10, 20, 22, 24};
	Studio studio;
	PhHistory history;
	const PhHistoryPanel *panel;

	(void) state;
	studio_open(&studio);
	random_history(&studio, 5, 2, 1, true);
	ph_history_read(&studio.arena, &studio.rows, &history);
	assert_int_equal(history.n_panels, 1);
	memcpy(history.panels[0].values, values, sizeof(values));
	history.panels[0].values[9] = 26;
	history.panels[0].changes[0].index = 6;
	ph_history_levels(&studio.arena, &history.panels[0], true);
	panel = &history.panels[0];
	assert_int_equal(panel->n_levels, 2);
	assert_float_equal(panel->levels[0].mean, 11, 1e-12);
	assert_float_equal(panel->levels[1].mean, 23, 1e-12);
	assert_float_equal(panel->changes[0].relative, 23.0 / 11 - 1, 1e-12);
	/* commits' means are all 11: no spread between them */
	assert_true(panel->levels[0].by_commit);
	assert_float_equal(panel->levels[0].low, 11, 1e-9);
	/* two commits: the runs 20 22 24 26; t(3) = 3.18245, sd = 2.58199 */
	assert_false(panel->levels[1].by_commit);
	assert_float_equal(panel->levels[1].high - 23, 3.18245 * 2.58199 / 2, 1e-4);
	studio_close(&studio);
}

/* Every value is inside its axis; panels share the relative range unless they swing much more. */
static void
scales_hold_every_value(void **state)
{
	(void) state;
	srand(8);
	for (int round = 0; round < 500; round++)
	{
		Studio studio;
		PhHistory history;
		double low;
		double high;
		uint32_t n_own = 0;

		studio_open(&studio);
		random_history(&studio, 1 + (uint32_t) rand() % 12, 1 + (uint32_t) rand() % 3,
					   1 + (uint32_t) rand() % 9, true);
		ph_history_read(&studio.arena, &studio.rows, &history);
		if (round % 5 == 0)
			for (uint32_t i = 0; i < history.panels[0].condition->n; i++)
				history.panels[0].values[i] = i % 2 ? 0 : 50;
		if (round % 7 == 0)
			memset(history.panels[0].values, 0,
				   history.panels[0].condition->n * sizeof(*history.panels[0].values));
		ph_history_scales(&studio.arena, &history, &low, &high);
		for (uint32_t i = 0; i < history.n_panels; i++)
		{
			const PhHistoryPanel *panel = &history.panels[i];

			assert_true(panel->high > panel->low);
			n_own += panel->own_scale;
			for (uint32_t k = 0; k < panel->condition->n; k++)
				assert_true(panel->values[k] >= panel->low && panel->values[k] <= panel->high);
		}
		assert_true(n_own < history.n_panels || history.n_panels <= 1 || round % 35 == 0);
		studio_close(&studio);
	}
}

static void
labels_keep_their_distance(void **state)
{
	(void) state;
	srand(4);
	for (int round = 0; round < 2000; round++)
	{
		uint32_t n = 1 + (uint32_t) rand() % 200;
		double step = 0.5 + rand() % 30;
		uint32_t apart = (uint32_t) ceil(12 / step);
		bool wanted[200] = {false};
		bool *labelled;
		Studio studio;
		uint32_t last = 0;
		bool any = false;

		ph_env_init_malloc(&studio.env);
		ph_arena_init(&studio.arena, &studio.env);
		for (int k = 0; k < 3; k++)
			wanted[(uint32_t) rand() % n] = true;
		labelled = ph_history_labelled(&studio.arena, n, step, 12, wanted);
		for (uint32_t i = 0; i < n; i++)
		{
			if (!labelled[i])
				continue;
			assert_true(!any || i - last >= apart);
			assert_true(!any || i - last < 2 * apart);
			last = i;
			any = true;
		}
		assert_true(any);
		for (uint32_t i = 0; i < n; i++)
			if (wanted[i] && !labelled[i])
			{
				bool near = false;

				for (uint32_t k = 0; k < i; k++)
					near = near || (wanted[k] && labelled[k] && i - k < apart);
				assert_true(near);
			}
		ph_arena_drop(&studio.arena);
	}
}

static void
panels_fill_the_grid(void **state)
{
	(void) state;
	for (uint32_t n = 1; n <= 64; n++)
		for (double width = 300; width < 2500; width += 170)
		{
			PhGrid grid = ph_grid(n, width, 600, 34);

			assert_true(grid.columns * grid.rows >= n && grid.columns * (grid.rows - 1) < n);
			assert_true(grid.width * grid.columns <= width + 1e-9);
			assert_true(grid.height * grid.rows <= 600);
		}
}

static void
what_happened_is_said(void **state)
{
	Studio studio;
	PhScene scene;

	(void) state;
	srand(5);
	studio_open(&studio);
	random_history(&studio, 20, 2, 3, true);
	studio_row(&studio, "choice",
			   "{\"application\":\"random\",\"n_runs\":40,\"candidates\":57,\"cost\":\"inclusive\","
			   "\"mode\":\"default\"}");
	studio_row(&studio, "runs",
			   "{\"series\":2,\"n_ranks\":27,\"n_threads\":1,\"cluster\":null,\"slot\":null}");
	studio_draw(&studio, "history", "", &scene);
	scene_check(&scene);
	assert_true(scene_says(&scene, "3 of 57 call paths"));
	assert_true(scene_says(&scene, "1 other condition"));
	assert_true(scene_says(&scene, "20 commits"));
	assert_int_equal(scene_count(&scene, "change"), 3);
	studio_close(&studio);
}

#define MANY 2500 /* runs, in three panels */

/* One run takes twice the time of all others. */
static void
many_runs(Studio *studio)
{
	char *values = ph_need(&studio->arena, MANY, 16);

	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"s\",\"better\":-1}");
	for (uint32_t i = 0; i < MANY; i++)
		studio_row(studio, "runs",
				   "{\"series\":1,\"n_ranks\":8,\"run_id\":%u,\"slot\":%u,\"seconds\":%u,"
				   "\"position\":%u,\"commit_id\":\"%040x\",\"on_main_line\":%s}",
				   i + 1, i, 1767225600 + i, i, i, i % 9 == 4 ? "false" : "true");
	for (uint32_t p = 1; p <= 3; p++)
	{
		size_t n = 0;

		for (uint32_t i = 0; i < MANY; i++)
			n += (size_t) snprintf(values + n, 16, "%s%.4f", i ? "," : "[",
								   i == 1234 ? 2.0 : 1 + (rand() % 1000) / 10000.0);
		studio_row(
			studio, "panels",
			"{\"panel\":%u,\"series\":1,\"level\":\"path\",\"label\":\"main/f%u\",\"values\":%s]}",
			p, p, values);
	}
}

/* Of marks higher than any other by this much, and where the highest is. */
static uint32_t
count_far_cells(const PhScene *scene, double least_gap)
{
	uint32_t n = 0;
	bool inside = false;
	double rows[2] = {INFINITY, INFINITY}; /* highest, second */
	PhColor color = {0};				   /* of the highest: in full, as it stands alone */

	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		const PhItem *item = &scene->items[i];

		if (item->kind == PH_ITEM_OPEN && strcmp(item->text, "crowd") == 0)
		{
			inside = true;
			rows[0] = rows[1] = INFINITY;
		}
		else if (item->kind == PH_ITEM_CLOSE && inside)
		{
			n += rows[1] - rows[0] >= least_gap && color.a == 255;
			inside = false;
		}
		else if (inside && item->y < rows[0])
		{
			rows[1] = rows[0];
			rows[0] = item->y;
			color = item->style.fill;
		}
		else if (inside)
			rows[1] = fmin(rows[1], item->y);
	}
	return n;
}

static void
many_runs_are_cells(void **state)
{
	Studio studio;
	PhScene scene;

	(void) state;
	srand(6);
	studio_open(&studio);
	many_runs(&studio);
	studio_draw(&studio, "history", "--width 700 --everything", &scene);
	assert_int_equal(scene_count(&scene, "point"), 3 * MANY);
	assert_int_equal(scene_count(&scene, "crowd"), 0);
	studio_draw(&studio, "history", "--width 700", &scene);
	assert_int_equal(scene_count(&scene, "point"), 0);
	assert_int_equal(scene_count(&scene, "crowd"), 3);
	assert_int_equal(count_far_cells(&scene, 20), 3);
	assert_true(scene_says(&scene, "the darker, the more in one place"));
	assert_true(scene_says(&scene, "brown: only commits"));
	studio_close(&studio);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures_are_clean),			cmocka_unit_test(iterations_are_an_axis),
		cmocka_unit_test(levels_have_means_and_ranges), cmocka_unit_test(scales_hold_every_value),
		cmocka_unit_test(labels_keep_their_distance),	cmocka_unit_test(panels_fill_the_grid),
		cmocka_unit_test(what_happened_is_said),		cmocka_unit_test(many_runs_are_cells),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
