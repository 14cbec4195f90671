/*
 * test_dark.c - colours on a dark ground: they can be read, rise evenly, and functions keep theirs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drawing/dark.h"
#include "support/scene.h"

static double
channel(uint8_t value)
{
	double c = value / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
luminance(PhColor color)
{
	return 0.2126 * channel(color.r) + 0.7152 * channel(color.g) + 0.0722 * channel(color.b);
}

/* As WCAG has it: 1 to 21. */
static double
contrast(PhColor a, PhColor b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return x > y ? x / y : y / x;
}

static const PhPalette palettes[] = {PH_PALETTE_DEFAULT | PH_PALETTE_DARK,
									 PH_PALETTE_COLOUR_BLIND | PH_PALETTE_DARK,
									 PH_PALETTE_RED_GREEN | PH_PALETTE_DARK};

static void
test_maps(void **unused)
{
	PhColor ground = ph_dark_ground();

	(void) unused;
	for (int p = 0; p < 3; p++)
	{
		assert_true(contrast(ph_color_sequential(palettes[p], 0), ground) > 1.8);
		assert_true(contrast(ph_color_sequential(palettes[p], 1), ground) > 12);
		assert_true(contrast(ph_color_beyond(palettes[p]), ground) > 4.5);
		for (double t = 0; t < 1; t += 0.02)
		{
			assert_true(ph_color_lightness(ph_color_sequential(palettes[p], t + 0.02)) >
						ph_color_lightness(ph_color_sequential(palettes[p], t)));
			assert_true(ph_color_lightness(ph_color_crowd(palettes[p], t + 0.02)) >
						ph_color_lightness(ph_color_crowd(palettes[p], t)));
			/* away from the middle both sides stand out more, and alike */
			assert_true(ph_color_lightness(ph_color_diverging(palettes[p], t + 0.02)) >
						ph_color_lightness(ph_color_diverging(palettes[p], t)));
			assert_true(fabs(ph_color_lightness(ph_color_diverging(palettes[p], t)) -
							 ph_color_lightness(ph_color_diverging(palettes[p], -t))) < 9);
		}
		assert_true(ph_color_sequential(palettes[p], NAN).is_final);
	}
}

/* What is named for paper: letters, lines, paper itself, tints. */
static void
test_named(void **unused)
{
	static const uint32_t letters[] = {0x000000, 0x10151c, 0x1c2430, 0x5b6675,
									   0x14273b, 0x31688e, 0xc2410c, 0x3d5a80};
	static const uint32_t surfaces[] = {0xffffff, 0xf4f6f9, 0xe9ecf0, 0xf3e2c7, 0xd5d9f2};
	PhColor ground = ph_dark_ground();

	(void) unused;
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		assert_true(contrast(ph_dark_ink(ph_color_hex(letters[i])), ground) > 4.5);
	for (size_t i = 0; i < sizeof(surfaces) / sizeof(surfaces[0]); i++)
		assert_true(contrast(ph_dark_surface(ph_color_hex(surfaces[i])), ground) < 2.2);
	assert_int_equal(ph_dark_surface(ph_color_hex(0xffffff)).r, ground.r);
	assert_int_equal(ph_dark_ink(ph_color_alpha(ph_color_hex(0), 0.5)).a, 128);
	assert_int_equal(ph_dark_ink(PH_NO_COLOR).a, 0);
}

/* A function has one colour on any ground; letters on it are as they were chosen for it. */
static void
test_kept(void **unused)
{
	(void) unused;
	for (uint32_t i = 0; i < 30; i++)
	{
		PhColor light = ph_color_of_family(PH_PALETTE_DEFAULT, "collective", i);
		PhColor dark = ph_dark_surface(ph_color_of_family(palettes[0], "collective", i));
		PhColor letters = ph_dark_ink(ph_color_on(dark));

		assert_true(light.r == dark.r && light.g == dark.g && light.b == dark.b);
		assert_true(contrast(letters, dark) > 3.5);
		assert_true(ph_dark_surface(dark).r == dark.r); /* once */
	}
}

/* What steps back goes to its own ground. */
static void
test_recede(void **unused)
{
	PhColor light = ph_color_of_family(PH_PALETTE_DEFAULT, "compute", 0);
	PhColor dark = ph_color_of_family(palettes[0], "compute", 0);

	(void) unused;
	for (double t = 0; t < 0.95; t += 0.1)
	{
		assert_true(ph_color_lightness(ph_color_recede(light, t + 0.05)) >
					ph_color_lightness(ph_color_recede(light, t)));
		assert_true(ph_color_lightness(ph_color_recede(dark, t + 0.05)) <
					ph_color_lightness(ph_color_recede(dark, t)));
		assert_true(ph_color_recede(dark, t).is_final);
	}
	assert_true(ph_color_recede(dark, 1).r == ph_dark_ground().r);
}

/* Dots are as thin as lines; a disc is a surface. */
static void
test_dots(void **unused)
{
	Studio studio;
	PhScene scene;
	PhStyle blue = {.fill = ph_color_hex(0x31688e)};

	(void) unused;
	studio_open(&studio);
	ph_scene_init(&scene, &studio.arena, studio.fonts, 100, 100);
	ph_scene_circle(&scene, 20, 20, 3, blue);
	ph_scene_circle(&scene, 50, 50, 30, blue);
	ph_scene_darken(&scene);
	assert_true(contrast(scene.items[0].style.fill, ph_dark_ground()) > 4.5);
	assert_true(contrast(scene.items[1].style.fill, ph_dark_ground()) < 4.5);
	studio_close(&studio);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_maps), cmocka_unit_test(test_named),
									   cmocka_unit_test(test_dots), cmocka_unit_test(test_kept),
									   cmocka_unit_test(test_recede)};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
