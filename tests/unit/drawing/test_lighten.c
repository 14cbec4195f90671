/*
 * test_lighten.c - pictures of any number of marks stay below 1 MB, and show what differs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drawing/draw.h"
#include "drawing/lighten.h"
#include "support/scene.h"

#define FEW_BYTES ((size_t) 200000) /* so that few marks are too many */

typedef enum Shape
{
	CELL,
	CIRCLE,
	BAND,
	LINE,
	TEXT,
	N_SHAPES
} Shape;

static uint32_t state;

static double
drawn(double most)
{
	state = state * 1664525u + 1013904223u;
	return (double) (state >> 8) / 16777216.0 * most;
}

static void
draw_shape(PhScene *scene, Shape shape, double x, double y, double size, PhColor color)
{
	PhPath path = ph_path(scene);

	switch (shape)
	{
		case CELL:
			ph_scene_rect(scene, x, y, size, size, ph_fill(color));
			return;
		case CIRCLE:
			ph_scene_circle(scene, x, y, size / 2, ph_fill(color));
			return;
		case BAND:
			ph_path_move(&path, x, y);
			ph_path_curve(&path, x + 10, y, x + 20, y + 5, x + 40, y + 5);
			ph_path_line(&path, x + 40, y + 5 + size);
			ph_path_curve(&path, x + 20, y + size + 5, x + 10, y + size, x, y + size);
			ph_path_close(&path);
			ph_scene_path(scene, &path, ph_fill(color));
			return;
		case LINE:
			ph_scene_line(scene, x, y, x + 30, y + size, ph_stroke(color, 1));
			return;
		default:
			ph_scene_text(scene, x, y, "a name", ph_text_style(9, color));
	}
}

static PhColor
color_of(uint32_t i, uint32_t n_colors)
{
	uint32_t k = i % n_colors;

	return (PhColor){(uint8_t) (k * 7), (uint8_t) (k / 36 * 11), (uint8_t) (64 + k % 5), 255,
					 false};
}

/* n marks with tooltips, or without groups around them, in so many colours. */
static void
draw_marks(PhScene *scene, Shape shape, uint32_t n, bool grouped, uint32_t n_colors)
{
	ph_scene_open(scene, "marks", NULL);
	for (uint32_t i = 0; i < n; i++)
	{
		if (grouped)
			ph_scene_open(scene, "mark",
						  "a mark\nwith a tooltip of several lines\nthat takes room");
		draw_shape(scene, shape, drawn(1150), drawn(600), 1 + drawn(4), color_of(i, n_colors));
		if (grouped)
			ph_scene_close(scene);
	}
	ph_scene_close(scene);
}

static char *
svg_of(const PhScene *scene, size_t *size)
{
	PhPicture picture;

	assert_true(ph_draw_svg(scene, &picture));
	*size = picture.size;
	return (char *) picture.bytes;
}

static void
test_small_scenes_stay(void **unused)
{
	Studio studio;
	PhScene scene;
	PhLightened done;
	uint32_t before;

	(void) unused;
	studio_open(&studio);
	ph_scene_init(&scene, &studio.arena, studio.fonts, 1200, 700);
	draw_marks(&scene, CELL, 500, true, 5);
	before = scene.n_items;
	done = ph_scene_lighten(&scene, PH_BEARABLE_BYTES);
	assert_int_equal(done.plain + done.merged + done.left_out, 0);
	assert_int_equal(scene.n_items, before);
	studio_close(&studio);
}

/* Every shape, many colours and few, with groups and without. */
static void
test_size_is_bounded(void **unused)
{
	static const uint32_t colors[] = {1, 12, 1200};

	(void) unused;
	for (Shape shape = CELL; shape < N_SHAPES; shape++)
		for (size_t k = 0; k < 3; k++)
			for (int grouped = 0; grouped < 2; grouped++)
			{
				Studio studio;
				PhScene scene;
				size_t size;

				state = (uint32_t) (shape * 10 + k);
				studio_open(&studio);
				ph_scene_init(&scene, &studio.arena, studio.fonts, 1200, 700);
				draw_marks(&scene, shape, 6000, grouped, colors[k]);
				ph_scene_text(&scene, 5, 690, "the caption", ph_text_style(9, ph_color_hex(0)));
				(void) ph_scene_lighten(&scene, FEW_BYTES);
				{
					char *svg = svg_of(&scene, &size);

					assert_true(size <= FEW_BYTES);
					assert_non_null(strstr(svg, "the caption"));
					free(svg);
				}
				studio_close(&studio);
			}
}

/* One mark of another colour among all, and one far from all, as small as the smallest. */
static void
test_outliers_stay(void **unused)
{
	(void) unused;
	for (Shape shape = CELL; shape <= LINE; shape++)
	{
		Studio studio;
		PhScene scene;
		PhColor red = ph_color_hex(0xfe0102);
		size_t size;
		char *svg;

		if (shape == CELL) /* an image; its pixels are looked at in the browser */
			continue;
		state = 99;
		studio_open(&studio);
		ph_scene_init(&scene, &studio.arena, studio.fonts, 1200, 700);
		draw_marks(&scene, shape, 8000, true, 3);
		scene.n_items--; /* into the same group */
		ph_scene_open(&scene, "mark", "the one of another colour");
		draw_shape(&scene, shape, 300, 300, 1, red);
		ph_scene_close(&scene);
		ph_scene_open(&scene, "mark", "the one that is elsewhere");
		draw_shape(&scene, shape, 1111, 680, 1, color_of(0, 3));
		ph_scene_close(&scene);
		ph_scene_open(&scene, "end", NULL);
		ph_scene_close(&scene);
		assert_true(ph_scene_lighten(&scene, FEW_BYTES).plain > 0);
		svg = svg_of(&scene, &size);
		assert_true(size <= FEW_BYTES);
		assert_non_null(strstr(svg, "fe0102"));
		assert_true(strstr(svg, "M1111") != NULL || strstr(svg, "M1110.5") != NULL ||
					strstr(svg, "cx=\"1111\"") != NULL);
		free(svg);
		studio_close(&studio);
	}
}

/* One path of more lines than fit, as links of trees are. */
static void
test_paths_are_divided(void **unused)
{
	Studio studio;
	PhScene scene;
	PhPath path;
	size_t size;
	char *svg;

	(void) unused;
	state = 7;
	studio_open(&studio);
	ph_scene_init(&scene, &studio.arena, studio.fonts, 1200, 700);
	path = ph_path(&scene);
	for (int i = 0; i < 20000; i++)
	{
		double x = drawn(1100), y = drawn(600);

		ph_path_move(&path, x, y);
		ph_path_curve(&path, x + 5, y, x, y + 5, x + 10, y + 5);
	}
	ph_path_move(&path, 3, 680);
	ph_path_line(&path, 1100, 690);
	ph_scene_path(&scene, &path, ph_stroke(ph_color_hex(0x123456), 1));
	assert_true(ph_scene_lighten(&scene, FEW_BYTES).plain > 0);
	svg = svg_of(&scene, &size);
	assert_true(size <= FEW_BYTES);
	assert_non_null(strstr(svg, "d=\"M3 680L1100 690\"")); /* the longest stays */
	free(svg);
	studio_close(&studio);
}

/* The same scene gives the same bytes. */
static void
test_same_bytes(void **unused)
{
	char *first = NULL;

	(void) unused;
	for (int round = 0; round < 2; round++)
	{
		Studio studio;
		PhScene scene;
		size_t size;
		char *svg;

		state = 5;
		studio_open(&studio);
		ph_scene_init(&scene, &studio.arena, studio.fonts, 1200, 700);
		draw_marks(&scene, CELL, 15000, true, 300);
		draw_marks(&scene, BAND, 10000, true, 300);
		(void) ph_scene_lighten(&scene, PH_BEARABLE_BYTES);
		svg = svg_of(&scene, &size);
		if (round == 0)
			first = svg;
		else
		{
			assert_string_equal(svg, first);
			assert_non_null(strstr(svg, "data:image/png;base64,iVBOR"));
			free(svg);
		}
		studio_close(&studio);
	}
	free(first);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_scenes_stay), cmocka_unit_test(test_size_is_bounded),
		cmocka_unit_test(test_outliers_stay), cmocka_unit_test(test_paths_are_divided),
		cmocka_unit_test(test_same_bytes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
