/*
 * test_scene.c - display list, colours, numbers, text fitting and saved rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drawing/number.h"
#include "support/scene.h"

static void
maps_change_lightness_one_way(void **state)
{
	(void) state;
	for (int palette = 0; palette < 2; palette++)
	{
		double sequential = 101;
		double better = 0;

		for (int i = 0; i <= 200; i++)
		{
			double lightness = ph_color_lightness(ph_color_sequential(palette, i / 200.0));

			assert_true(lightness < sequential + 0.6);
			sequential = lightness;
		}
		for (int i = 0; i <= 100; i++)
		{
			double left = ph_color_lightness(ph_color_diverging(palette, -1 + i / 100.0));
			double right = ph_color_lightness(ph_color_diverging(palette, 1 - i / 100.0));

			assert_true(left > better - 0.6);
			better = left;
			/* both sides are as light as each other, so neither looks stronger */
			assert_true(fabs(left - right) < 12);
		}
		assert_true(ph_color_lightness(ph_color_diverging(palette, 0)) > 95);
	}
}

static void
slower_is_red_and_faster_is_not(void **state)
{
	PhColor slower = ph_color_diverging(PH_PALETTE_DEFAULT, 1);
	PhColor faster = ph_color_diverging(PH_PALETTE_DEFAULT, -1);
	PhColor blind = ph_color_diverging(PH_PALETTE_COLOUR_BLIND, -1);
	PhColor green = ph_color_diverging(PH_PALETTE_RED_GREEN, -1);

	(void) state;
	assert_true(slower.r > slower.g && slower.r > slower.b);
	assert_true(faster.b > faster.r && faster.b > faster.g);
	assert_true(green.g > green.r && green.g > green.b);
	assert_true(blind.b > blind.r && blind.b > blind.g);
	assert_true(ph_color_diverging(PH_PALETTE_DEFAULT, NAN).r == 0xdd);
	assert_true(ph_color_sequential(PH_PALETTE_DEFAULT, 7).r ==
				ph_color_sequential(PH_PALETTE_DEFAULT, 1).r);
}

static bool
same_color(PhColor a, PhColor b)
{
	return a.r == b.r && a.g == b.g && a.b == b.b;
}

static void
names_keep_their_colours(void **state)
{
	static const char *const some[] = {"libmpi.so", "libc.so", "main", "libc.so"};
	static const char *const fewer[] = {"libmpi.so"};
	const char *many[60];
	PhCategories a;
	PhCategories b;
	Studio studio;

	(void) state;
	studio_open(&studio);
	ph_categories_build(&studio.arena, PH_PALETTE_DEFAULT, some, NULL, 4, &a);
	assert_int_equal(a.n, 3);
	ph_categories_build(&studio.arena, PH_PALETTE_DEFAULT, fewer, NULL, 1, &b);
	assert_true(
		same_color(ph_categories_color(&a, "libmpi.so"), ph_categories_color(&b, "libmpi.so")));
	for (int i = 0; i < 60; i++)
		many[i] = ph_need_format(&studio.arena, "module %d", i);
	ph_categories_build(&studio.arena, PH_PALETTE_DEFAULT, many, NULL, 60, &a);
	for (uint32_t i = 0; i < a.n; i++)
		for (uint32_t k = 0; k < i && a.n <= 10; k++)
			assert_false(same_color(a.entries[i].color, a.entries[k].color));
	/* the first ten names of a picture never share a colour */
	ph_categories_build(&studio.arena, PH_PALETTE_DEFAULT, many, NULL, 10, &a);
	for (uint32_t i = 0; i < a.n; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_false(same_color(a.entries[i].color, a.entries[k].color));
	studio_close(&studio);
}

static void
numbers_read_well(void **state)
{
	Studio studio;
	PhArena *arena = &studio.arena;
	PhAxisTicks ticks;

	(void) state;
	studio_open(&studio);
	assert_string_equal(ph_value(arena, "usec", 1307029.1), "1.31 s");
	assert_string_equal(ph_value(arena, "usec", 889.3), "889 \xc2\xb5s");
	assert_string_equal(ph_value(arena, "sec", 0.0425), "42.5 ms");
	assert_string_equal(ph_value(arena, "sec", 0), "0 s");
	assert_string_equal(ph_value(arena, "s", 123456), "34.3 h");
	assert_string_equal(ph_value(arena, "", 1500000), "1500 k");
	assert_string_equal(ph_value(arena, "bytes", 15000000), "15 MB");
	assert_string_equal(ph_signed_value(arena, "s", -2), "\xe2\x88\x92"
														 "2 s");
	assert_string_equal(ph_signed_value(arena, "s", 2), "+2 s");
	assert_string_equal(ph_percent(arena, 1, 3), "33.3 %");
	assert_string_equal(ph_percent(arena, 1, 1e9), "< 0.1 %");
	assert_string_equal(ph_percent(arena, 1, 0), "");
	assert_string_equal(ph_number(arena, NAN), "\xe2\x80\x93");
	ticks = ph_axis_ticks(-0.3, 10.2, 6);
	assert_int_equal(ticks.n, 3);
	assert_string_equal(ph_tick_text(arena, &ticks, 1), "5");
	ticks = ph_axis_ticks(0.001, 0.0042, 8);
	assert_true(ticks.n >= 3 && ticks.n <= 8);
	assert_string_equal(ph_tick_text(arena, &ticks, 0), "0.0010");
	assert_int_equal(ph_axis_ticks(3, 3, 8).n, 1);
	studio_close(&studio);
}

/* Ticks are inside the range, few enough, and round, for any range. */
static void
ticks_of_random_ranges(void **state)
{
	(void) state;
	srand(7);
	for (int i = 0; i < 5000; i++)
	{
		double low = (rand() / (double) RAND_MAX - 0.5) * pow(10, rand() % 12 - 6);
		double high = low + rand() / (double) RAND_MAX * pow(10, rand() % 12 - 6) + 1e-9;
		uint32_t max = 2 + (uint32_t) rand() % 20;
		PhAxisTicks ticks = ph_axis_ticks(low, high, max);
		double slack = (high - low) * 1e-6;

		assert_true(ticks.n <= max);
		if (ticks.n > 0 && ticks.step > 0)
		{
			assert_true(ph_tick_at(&ticks, 0) >= low - slack);
			assert_true(ph_tick_at(&ticks, ticks.n - 1) <= high + slack);
		}
	}
}

static void
texts_are_shortened_to_fit(void **state)
{
	static const char *const texts[] = {
		"std::vector<double, std::allocator<double>>::push_back(double const&)",
		"\xe9\x95\xb7\xe3\x81\x84\xe5\x90\x8d\xe5\x89\x8d\xe3\x81\xae\xe9\x96\xa2\xe6\x95\xb0",
		"\xd9\x85\xd8\xb1\xd8\xad\xd8\xa8\xd8\xa7 \xd8\xa8\xd9\x83\xd9\x85",
		"WWWWWWWWWWWWWWWWWWWWWW", "iiiiiiiiiiiiiiiiiiii"};
	Studio studio;

	(void) state;
	studio_open(&studio);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (double width = 0; width < 500; width += 3.7)
		{
			const char *fitted =
				ph_fonts_fit(studio.fonts, &studio.arena, texts[i], 11, PH_BOLD, width);

			if (fitted != NULL)
				assert_true(ph_fonts_width(studio.fonts, fitted, 11, PH_BOLD) <= width);
			else
				assert_true(width < 80);
		}
	studio_close(&studio);
}

static void
names_are_said_as_in_cpp(void **state)
{
	Studio studio;
	const char *wide = "_GLOBAL__sub_I__Z14CalcElemVolumePKdS0_S0_";
	const char *narrow = "void LagrangeNodal(Domain&, std::vector<double>&)";

	(void) state;
	studio_open(&studio);
	assert_string_equal(ph_fonts_fit_name(studio.fonts, &studio.arena, wide, 11, PH_REGULAR, 1000),
						"initialising CalcElemVolume");
	assert_string_equal(
		ph_fonts_fit_name(studio.fonts, &studio.arena, narrow, 11, PH_REGULAR, 1000), narrow);
	assert_string_equal(ph_fonts_fit_name(studio.fonts, &studio.arena, narrow, 11, PH_REGULAR, 110),
						"LagrangeNodal");
	studio_close(&studio);
}

static void
captions_are_wrapped(void **state)
{
	Studio studio;
	uint32_t n = 0;
	const char **lines;

	(void) state;
	studio_open(&studio);
	lines = ph_fonts_wrap(studio.fonts, &studio.arena,
						  "one two three four five six seven eight nine ten", 10, 100, &n);
	assert_true(n > 1);
	for (uint32_t i = 0; i < n; i++)
		assert_true(ph_fonts_width(studio.fonts, lines[i], 10, PH_REGULAR) <= 100);
	assert_string_equal(lines[0], "one two three four");
	ph_fonts_wrap(studio.fonts, &studio.arena, "", 10, 100, &n);
	assert_int_equal(n, 0);
	studio_close(&studio);
}

static void
bad_bytes_are_replaced(void **state)
{
	Studio studio;

	(void) state;
	studio_open(&studio);
	assert_string_equal(ph_text_clean(&studio.arena, "a\xff"
													 "b\n\x01"
													 "c\x7f"),
						"a\xef\xbf\xbd"
						"b  c ");
	assert_string_equal(ph_text_clean_lines(&studio.arena, "a\nb\tc"), "a\nb c");
	studio_close(&studio);
}

/* Hatching stays inside its rectangle whatever the rectangle. */
static void
hatching_stays_inside(void **state)
{
	(void) state;
	srand(3);
	for (int i = 0; i < 500; i++)
	{
		double box[4] = {rand() % 1000 / 7.0, rand() % 1000 / 7.0, rand() % 300 / 7.0,
						 rand() % 300 / 7.0};
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		ph_scene_init(&scene, &studio.arena, studio.fonts, 1000, 1000);
		ph_scene_hatch(&scene, box[0], box[1], box[2], box[3], ph_color_hex(0));
		for (uint32_t k = 0; k < scene.n_items; k++)
			for (uint32_t s = 0; s < scene.items[k].n_steps; s++)
			{
				const double *at = scene.items[k].steps[s].x;

				assert_true(at[0] >= box[0] - 1e-6 && at[0] <= box[0] + box[2] + 1e-6);
				assert_true(at[1] >= box[1] - 1e-6 && at[1] <= box[1] + box[3] + 1e-6);
			}
		studio_close(&studio);
	}
}

static void
rows_survive_a_file(void **state)
{
	static const char text[] =
		"# a comment\n"
		"run\t{\"run_id\":3,\"application\":\"12\",\"title\":\"a\\tb\"}\n"
		"values\t{\"rank\":[0,1,null],\"host\":[\"x\",null,\"y\"],\"ok\":true}\n";
	FILE *file = fmemopen((void *) text, strlen(text), "r");
	char *saved = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&saved, &size);
	Studio studio;
	uint32_t n;
	uint32_t line;
	double *ranks;
	const char **hosts;

	(void) state;
	studio_open(&studio);
	studio.rows.keep_objects = true;
	assert_true(ph_rows_read(&studio.rows, file, &line));
	assert_string_equal(ph_table_text(ph_rows_table(&studio.rows, "run"), 0, "title"), "a\tb");
	assert_true(ph_table_number(ph_rows_table(&studio.rows, "run"), 0, "run_id") == 3);
	assert_true(isnan(ph_table_number(ph_rows_table(&studio.rows, "run"), 0, "missing")));
	ranks = ph_table_numbers(&studio.arena, ph_rows_table(&studio.rows, "values"), 0, "rank", &n);
	assert_int_equal(n, 3);
	assert_true(ranks[1] == 1 && isnan(ranks[2]));
	hosts = ph_table_texts(&studio.arena, ph_rows_table(&studio.rows, "values"), 0, "host", &n);
	assert_true(hosts[1] == NULL && strcmp(hosts[2], "y") == 0);
	assert_true(ph_table_true(ph_rows_table(&studio.rows, "values"), 0, "ok"));
	assert_true(ph_rows_write(&studio.rows, out));
	fclose(out);
	fclose(file);
	assert_non_null(strstr(saved, "values\t{\"rank\":[0,1,null],"));
	free(saved);
	studio_close(&studio);
}

static void
bad_rows_are_refused(void **state)
{
	static const char *const bad[] = {"run {\"a\":1}\n", "run\t[1]\n", "run\t{\"a\":\n",
									  "run\tx\n"};

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		FILE *file = fmemopen((void *) bad[i], strlen(bad[i]), "r");
		Studio studio;
		uint32_t line = 0;

		studio_open(&studio);
		assert_false(ph_rows_read(&studio.rows, file, &line));
		assert_int_equal(line, 1);
		fclose(file);
		studio_close(&studio);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_change_lightness_one_way),
		cmocka_unit_test(slower_is_red_and_faster_is_not),
		cmocka_unit_test(names_keep_their_colours),
		cmocka_unit_test(numbers_read_well),
		cmocka_unit_test(ticks_of_random_ranges),
		cmocka_unit_test(texts_are_shortened_to_fit),
		cmocka_unit_test(names_are_said_as_in_cpp),
		cmocka_unit_test(captions_are_wrapped),
		cmocka_unit_test(bad_bytes_are_replaced),
		cmocka_unit_test(hatching_stays_inside),
		cmocka_unit_test(rows_survive_a_file),
		cmocka_unit_test(bad_rows_are_refused),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
