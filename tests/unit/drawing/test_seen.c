/*
 * test_seen.c - colours as people see them who see no red (protanopia) or no green (deuteranopia):
 * maps still rise, and what stands for different things is different.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drawing/color.h"

typedef struct Lab
{
	double l, a, b;
} Lab;

/* Machado, Oliveira and Fernandes (2009), severity 1, of linear channels. */
static const double eyes[3][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
									 {{0.367322, 0.860646, -0.227968},
									  {0.280085, 0.672501, 0.047413},
									  {-0.011820, 0.042940, 0.968881}},
									 {{0.152286, 1.052583, -0.204868},
									  {0.114503, 0.786281, 0.099216},
									  {-0.003882, -0.048116, 1.051998}}};

static double
linear(uint8_t value)
{
	double c = value / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
response(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static Lab
seen(PhColor color, int eye)
{
	const double given[3] = {linear(color.r), linear(color.g), linear(color.b)};
	double rgb[3];
	double x, y, z;

	for (int i = 0; i < 3; i++)
	{
		const double *row = eyes[eye][i];

		rgb[i] = fmin(fmax(row[0] * given[0] + row[1] * given[1] + row[2] * given[2], 0), 1);
	}
	x = response((0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047);
	y = response(0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2]);
	z = response((0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883);
	return (Lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/* How far apart two colours are to every eye: CIE's delta E of 1976. */
static double
apart(PhColor one, PhColor other)
{
	double least = 1e9;

	for (int eye = 0; eye < 3; eye++)
	{
		Lab p = seen(one, eye), q = seen(other, eye);

		least = fmin(least, sqrt(pow(p.l - q.l, 2) + pow(p.a - q.a, 2) + pow(p.b - q.b, 2)));
	}
	return least;
}

static const PhPalette palettes[] = {PH_PALETTE_DEFAULT, PH_PALETTE_COLOUR_BLIND,
									 PH_PALETTE_DEFAULT | PH_PALETTE_DARK,
									 PH_PALETTE_COLOUR_BLIND | PH_PALETTE_DARK};

/* Hues of the default set and of the colour-blind one; so many of them come first. */
static const struct
{
	const char *name;
	uint32_t n[2], n_first[2];
} families[] = {{"point-to-point", {6, 4}, {3, 2}},
				{"collective", {6, 4}, {3, 2}},
				{"wait", {4, 4}, {2, 2}},
				{"mpi", {5, 4}, {3, 2}},
				{"io", {4, 4}, {2, 2}},
				{"device", {4, 4}, {2, 2}},
				{"compute", {12, 8}, {6, 4}}};

#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

/* How far the i-th hue of a family is from the k-th of another at least: functions of an
 * application seldom have more than the first ones. */
static double
across(int set, size_t f, uint32_t i, size_t g, uint32_t k)
{
	if (i >= families[f].n_first[set] || k >= families[g].n_first[set])
		return 6;
	return i + k == 0 ? 10 : 8;
}

static void
test_families(void **unused)
{
	(void) unused;
	for (int set = 0; set < 2; set++)
		for (size_t f = 0; f < N_FAMILIES; f++)
			for (size_t g = 0; g < f; g++)
				for (uint32_t i = 0; i < families[f].n[set]; i++)
					for (uint32_t k = 0; k < families[g].n[set]; k++)
						assert_true(apart(ph_color_of_family(palettes[set], families[f].name, i),
										  ph_color_of_family(palettes[set], families[g].name, k)) >
									across(set, f, i, g, k));
}

/* Functions of one family, until its hues are used up and come again lighter and darker. */
static void
test_within_families(void **unused)
{
	(void) unused;
	for (int set = 0; set < 2; set++)
		for (size_t f = 0; f < N_FAMILIES; f++)
			for (uint32_t i = 0; i < families[f].n[set]; i++)
				for (uint32_t k = 0; k < i; k++)
					assert_true(apart(ph_color_of_family(palettes[set], families[f].name, i),
									  ph_color_of_family(palettes[set], families[f].name, k)) >
								(strcmp(families[f].name, "mpi") == 0 ? 7.5 : 9.9));
}

static void
test_cycle(void **unused)
{
	(void) unused;
	for (uint32_t i = 0; i < 10; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_true(apart(ph_color_cycle(PH_PALETTE_DEFAULT, i),
							  ph_color_cycle(PH_PALETTE_DEFAULT, k)) > 10);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_true(apart(ph_color_cycle(PH_PALETTE_COLOUR_BLIND, i),
							  ph_color_cycle(PH_PALETTE_COLOUR_BLIND, k)) > 16);
}

static void
test_maps(void **unused)
{
	(void) unused;
	for (int p = 0; p < 4; p++)
	{
		double up = (palettes[p] & PH_PALETTE_DARK) != 0 ? 1 : -1;

		for (int eye = 0; eye < 3; eye++)
			for (double t = 0; t < 0.99; t += 0.05)
			{
				assert_true(up * (seen(ph_color_sequential(palettes[p], t + 0.05), eye).l -
								  seen(ph_color_sequential(palettes[p], t), eye).l) >
							0);
				assert_true(up * (seen(ph_color_crowd(palettes[p], t + 0.05), eye).l -
								  seen(ph_color_crowd(palettes[p], t), eye).l) >
							0);
			}
		/* better is not worse, and what is beyond the range is none of it */
		for (double t = 0.2; t <= 1; t += 0.1)
			assert_true(apart(ph_color_diverging(palettes[p], t),
							  ph_color_diverging(palettes[p], -t)) > 12);
		for (double t = 0; t <= 1; t += 0.05)
			assert_true(apart(ph_color_beyond(palettes[p]), ph_color_sequential(palettes[p], t)) >
						12);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_families),
									   cmocka_unit_test(test_within_families),
									   cmocka_unit_test(test_cycle), cmocka_unit_test(test_maps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
