/*
 * test_noise.c - which changes are more than known noise, and that pictures colour these alone.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "request/noise.h"
#include "support/scene.h"

/* The whole varies by 2 %, wait by 10 %, and twice is certain. */
static void
add_noise(Studio *studio)
{
	studio_row(studio, "noise",
			   "{\"name\":null,\"relative\":0.02,\"factor\":2,\"least_share\":0.001}");
	studio_row(studio, "noise",
			   "{\"name\":\"wait\",\"relative\":0.1,\"factor\":2,\"least_share\":0.001}");
	studio_row(studio, "noise",
			   "{\"name\":\"quiet\",\"relative\":0.001,\"factor\":2,\"least_share\":0.001}");
	studio_row(studio, "noise",
			   "{\"name\":\"wild\",\"relative\":3,\"factor\":2,\"least_share\":0.001}");
}

static void
test_explains(void **state)
{
	static const struct
	{
		const char *name;
		double before, after;
		bool is_noise;
	} cases[] = {{"solve", 100, 104, true},	 {"solve", 100, 105, false},
				 {"solve", 105, 100, false}, {"wait", 100, 120, true},
				 {"wait", 100, 130, false},	 {"quiet", 100, 103, true}, /* as the whole varies */
				 {"quiet", 100, 105, false}, {NULL, 100, 104, true},
				 {"solve", 0, 0.9, true}, /* 0.09 % of the whole: nobody knows */
				 {"solve", 0, 2, false},	 {"wild", 10, 100, true},
				 {"wild", 0, 100, false}};
	Studio studio;
	PhNoiseRows noise;

	(void) state;
	studio_open(&studio);
	noise = ph_noise_read(&studio.rows);
	assert_false(ph_noise_explains(&noise, "solve", 100, 100.0001, 1000));
	add_noise(&studio);
	noise = ph_noise_read(&studio.rows);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			ph_noise_explains(&noise, cases[i].name, cases[i].before, cases[i].after, 1000),
			cases[i].is_noise);
	studio_close(&studio);
}

/* Without the whole's noise nothing is known. */
static void
test_incomplete(void **state)
{
	Studio studio;
	PhNoiseRows noise;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "noise",
			   "{\"name\":\"wait\",\"relative\":0.1,\"factor\":2,\"least_share\":0.001}");
	noise = ph_noise_read(&studio.rows);
	assert_false(ph_noise_explains(&noise, "wait", 100, 101, 1000));
	studio_close(&studio);
}

static void
add_boxes(Studio *studio)
{
	studio_row(studio, "run", "{\"run_id\":3,\"application\":\"planted\"}");
	studio_row(studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
	studio_row(studio, "flame",
			   "{\"level\":0,\"label\":\"main\",\"value\":1000,\"self\":100,\"value_right\":1050,"
			   "\"self_right\":100,\"node\":0}");
	studio_row(studio, "flame",
			   "{\"level\":1,\"label\":\"solve\",\"value\":500,\"self\":500,\"value_right\":530,"
			   "\"self_right\":530,\"node\":1}");
	studio_row(studio, "flame",
			   "{\"level\":1,\"label\":\"wait\",\"value\":400,\"self\":400,\"value_right\":440,"
			   "\"self_right\":440,\"node\":2}");
}

/* The group of a function. */
static uint32_t
find_frame(const PhScene *scene, const char *name)
{
	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		const PhItem *item = &scene->items[i];
		const char *label = item->kind == PH_ITEM_OPEN ? item_data(item, "label") : NULL;

		if (label != NULL && strcmp(label, name) == 0)
			return i;
	}
	fail();
	return 0;
}

/* Has the box of a function another colour than the neutral one? */
static bool
is_colored(const PhScene *scene, const char *name)
{
	PhColor neutral = ph_color_diverging(PH_PALETTE_DEFAULT, 0);
	PhColor fill = scene->items[find_frame(scene, name) + 1].style.fill;

	return fill.r != neutral.r || fill.g != neutral.g || fill.b != neutral.b;
}

static void
test_colors(void **state)
{
	(void) state;
	for (int is_known = 0; is_known < 2; is_known++)
	{
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		add_boxes(&studio);
		if (is_known)
			add_noise(&studio);
		studio_draw(&studio, "flame-diff", "", &scene);
		scene_check(&scene);
		assert_true(is_colored(&scene, "solve"));
		assert_int_equal(is_colored(&scene, "wait"), !is_known);
		assert_int_equal(item_data(&scene.items[find_frame(&scene, "wait")], "noise") != NULL,
						 is_known);
		assert_int_equal(scene_says(&scene, "no more than noise (single runs vary by 2"), is_known);
		assert_true(scene_says(&scene, is_known ? "slower +30" : "slower +40"));
		studio_close(&studio);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_explains),
									   cmocka_unit_test(test_incomplete),
									   cmocka_unit_test(test_colors)};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
