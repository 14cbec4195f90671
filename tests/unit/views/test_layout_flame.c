/*
 * test_layout_flame.c - flame graphs: boxes inside their parents, nothing lost unsaid.
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
#include "views/calls/flame.h"

/* Depth-first rows of a random tree of at most most nodes, with an explicit stack. */
static uint32_t
random_tree(Studio *studio, uint32_t most, bool differential)
{
	double rest[64] = {1000};
	double rest_b[64] = {1100};
	uint32_t level = 0;
	uint32_t n = 0;

	studio_row(studio, "run", "{\"run_id\":3,\"application\":\"random\"}");
	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	while (n < most)
	{
		double value = n == 0 ? 1000 : rest[level - 1] * (rand() % 1000) / 1500.0;
		double value_b = n == 0 ? 1100 : rest_b[level - 1] * (rand() % 1000) / 1500.0;

		if (differential)
			studio_row(studio, "flame",
					   "{\"level\":%u,\"label\":\"f%d\",\"value\":%.12g,\"self\":%.12g,"
					   "\"value_right\":%.12g,\"self_right\":%.12g,\"node\":%u}",
					   level, rand() % 50, value, value / 3, value_b, value_b / 3, n);
		else
			studio_row(studio, "flame",
					   "{\"level\":%u,\"label\":\"function_%d\",\"value\":%.12g,\"self\":%.12g,"
					   "\"node\":%u,\"module\":\"lib%d\"}",
					   level, rand() % 50, value, value / 3, n, rand() % 7);
		if (level > 0)
		{
			rest[level - 1] -= value;
			rest_b[level - 1] -= value_b;
		}
		rest[level] = value;
		rest_b[level] = value_b;
		n++;
		if (rand() % 3 && level < 60)
			level++;
		else
			level = 1 + (uint32_t) rand() % (level + 1);
		if (level == 0)
			level = 1;
		if (level > 60)
			level = 60;
	}
	return n;
}

static void
boxes_lie_within_their_parents(void **state)
{
	(void) state;
	srand(5);
	for (int round = 0; round < 200; round++)
	{
		Studio studio;
		PhFlame flame;
		double ends[80];
		double starts[80];

		studio_open(&studio);
		random_tree(&studio, 1 + (uint32_t) rand() % 300, round % 2);
		ph_flame_read(&studio.arena, &studio.rows, &flame);
		for (uint32_t i = 0; i < flame.n; i++)
		{
			const PhFlameBox *box = &flame.boxes[i];

			starts[box->level] = box->x;
			ends[box->level] = box->x + box->width;
			assert_true(box->x >= 0 && box->x + box->width <= 1 + 1e-9);
			if (box->level > 0)
			{
				assert_true(box->x >= starts[box->level - 1] - 1e-9);
				assert_true(ends[box->level] <= ends[box->level - 1] + 1e-9);
			}
			assert_true(fabs(box->width * flame.total - box->value) < 1e-6);
		}
		studio_close(&studio);
	}
}

static void
pictures_are_clean(void **state)
{
	static const char *const options[] = {"", "--icicle", "--color exclusive", "--height 500"};

	(void) state;
	srand(6);
	for (int round = 0; round < 24; round++)
	{
		bool differential = round % 2;
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		random_tree(&studio, 1 + (uint32_t) rand() % 400, differential);
		studio_draw(&studio, differential ? "flame-diff" : "flame",
					differential ? (round % 4 == 1 ? "--cost inclusive" : "--icicle")
								 : options[round / 2 % 4],
					&scene);
		scene_check(&scene);
		assert_true(scene_count(&scene, "frame") > 0);
		studio_close(&studio);
	}
}

/* Every box is drawn or counted. */
static void
what_is_left_out_is_counted(void **state)
{
	Studio studio;
	PhScene scene;
	PhFlame flame;
	PhFlamePaint paint = {.unit_name = "s"};
	PhFlameHidden hidden = {0};
	uint32_t n;

	(void) state;
	srand(9);
	studio_open(&studio);
	n = random_tree(&studio, 10000, true);
	ph_flame_read(&studio.arena, &studio.rows, &flame);
	ph_scene_init(&scene, &studio.arena, studio.fonts, 1200, 800);
	ph_flame_paint(&studio.arena, &flame, &paint);
	ph_flame_draw(&scene, &flame, &paint, (PhBody){0, 0, 1200, 800}, 18, 12, &hidden);
	assert_int_equal(n, scene_count(&scene, "frame") + hidden.narrow + hidden.deep + hidden.gone);
	assert_true(hidden.narrow > 0);
	studio_close(&studio);
}

/* What was added up is drawn grey, behind the others of its parent, and counted. */
static void
sums_of_others_are_drawn(void **state)
{
	Studio studio;
	PhScene scene;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(
		&studio, "flame",
		"{\"level\":0,\"label\":\"main\",\"value\":10,\"self\":1,\"node\":0,\"module\":\"a\","
		"\"others\":null}");
	studio_row(
		&studio, "flame",
		"{\"level\":1,\"label\":\"large\",\"value\":6,\"self\":6,\"node\":1,\"module\":\"a\"}");
	studio_row(&studio, "flame",
			   "{\"level\":1,\"label\":null,\"value\":3,\"self\":3,\"node\":null,\"others\":41}");
	studio_draw(&studio, "flame", "", &scene);
	scene_check(&scene);
	assert_int_equal(scene_count(&scene, "frame"), 2);
	assert_int_equal(scene_count(&scene, "others"), 1);
	assert_true(scene_says(&scene, "41 others"));
	assert_true(scene_says(&scene, "41 of 43 call paths too narrow, grey: sums"));
	assert_false(scene_says(&scene, "unknown"));
	studio_close(&studio);
}

/* Self costs grow: red; shrink: green; the boundary of the scale is symmetric. */
static void
change_decides_the_colour(void **state)
{
	Studio studio;
	PhScene scene;
	int seen = 0;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(&studio, "flame",
			   "{\"level\":0,\"label\":\"main\",\"value\":10,\"self\":0,\"value_right\":10,"
			   "\"self_right\":0,\"node\":0}");
	studio_row(&studio, "flame",
			   "{\"level\":1,\"label\":\"slow\",\"value\":4,\"self\":4,\"value_right\":6,"
			   "\"self_right\":6,\"node\":1}");
	studio_row(&studio, "flame",
			   "{\"level\":1,\"label\":\"fast\",\"value\":6,\"self\":6,\"value_right\":4,"
			   "\"self_right\":4,\"node\":2}");
	studio_row(&studio, "flame",
			   "{\"level\":2,\"label\":\"gone\",\"value\":1,\"self\":1,\"value_right\":0,"
			   "\"self_right\":0,\"node\":3}");
	studio_draw(&studio, "flame-diff", "", &scene);
	scene_check(&scene);
	for (uint32_t i = 0; i + 1 < scene.n_items; i++)
	{
		const PhItem *item = &scene.items[i];
		PhColor fill = scene.items[i + 1].style.fill;

		if (item->kind != PH_ITEM_OPEN || strcmp(item->text, "frame") != 0)
			continue;
		seen++;
		if (strcmp(item_data(item, "label"), "slow") == 0)
			assert_true(fill.r > fill.b + 60 && strcmp(item_data(item, "change"), "2") == 0);
		if (strcmp(item_data(item, "label"), "fast") == 0)
			assert_true(fill.b > fill.r + 60 && strcmp(item_data(item, "change"), "-2") == 0);
	}
	assert_int_equal(seen, 3);
	assert_true(scene_says(&scene, "1 call paths only in A"));
	studio_close(&studio);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_lie_within_their_parents),
		cmocka_unit_test(pictures_are_clean),
		cmocka_unit_test(what_is_left_out_is_counted),
		cmocka_unit_test(sums_of_others_are_drawn),
		cmocka_unit_test(change_decides_the_colour),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
