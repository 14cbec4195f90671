/*
 * dark.c - see dark.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/dark.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GROUND 0x1a1a1a
#define MOST_GREY 32	 /* difference of channels, up to which a colour is a grey */
#define LEAST_TINT 82	 /* CIE L*: what is lighter is a tint of the paper */
#define TINT 0.18		 /* of a colour in a tint of the dark ground */
#define LEAST_SURFACE 45 /* CIE L* of colours that stand out from the ground as surfaces, */
#define LEAST_LETTERS 64 /* and as letters and lines */
#define MOST_DOT 5		 /* radius */

/* Greys by their lightness on paper: from ink to the paper, with those that pages have. */
static const struct
{
	double lightness;
	uint32_t dark;
} greys[] = {{0, 0xf3f5f9},	 {14, 0xe6eaf0}, {43, 0x9aa6b5}, {60, 0x808b99}, {76, 0x5a616b},
			 {88, 0x3d4248}, {94, 0x2d3136}, {98, 0x222426}, {100, GROUND}};

static PhColor
finally(PhColor color, uint8_t alpha)
{
	color.a = alpha;
	color.is_final = true;
	return color;
}

PhColor
ph_dark_ground(void)
{
	return finally(ph_color_hex(GROUND), 255);
}

PhColor
ph_color_recede(PhColor color, double t)
{
	return ph_color_mix(color, color.is_final ? ph_dark_ground() : ph_color_hex(0xffffff), t);
}

static bool
is_grey(PhColor color)
{
	int least = color.r < color.g ? color.r : color.g;
	int most = color.r > color.g ? color.r : color.g;

	least = color.b < least ? color.b : least;
	most = color.b > most ? color.b : most;
	return most - least <= MOST_GREY;
}

static PhColor
dark_grey(double lightness)
{
	size_t at = 1;

	while (at < COUNT(greys) - 1 && lightness > greys[at].lightness)
		at++;
	return ph_color_mix(ph_color_hex(greys[at - 1].dark), ph_color_hex(greys[at].dark),
						fmin(1, (lightness - greys[at - 1].lightness) /
									(greys[at].lightness - greys[at - 1].lightness)));
}

/* The same hue, at least so light. */
static PhColor
lifted(PhColor color, double least)
{
	PhColor white = ph_color_hex(0xffffff);
	double t = 0;

	while (t < 1 && ph_color_lightness(ph_color_mix(color, white, t)) < least)
		t += 0.02;
	return ph_color_mix(color, white, fmin(t, 1));
}

static PhColor
on_dark(PhColor color, double least)
{
	double lightness = ph_color_lightness(color);

	if (color.is_final || color.a == 0)
		return color;
	if (is_grey(color))
		return finally(dark_grey(lightness), color.a);
	if (lightness > LEAST_TINT && least < LEAST_LETTERS)
		return finally(ph_color_mix(ph_color_hex(GROUND), color, TINT), color.a);
	return finally(lifted(color, least), color.a);
}

PhColor
ph_dark_surface(PhColor color)
{
	return on_dark(color, LEAST_SURFACE);
}

PhColor
ph_dark_ink(PhColor color)
{
	return on_dark(color, LEAST_LETTERS);
}

/* A dot is as thin as a line. */
static PhColor
dark_fill(const PhItem *item)
{
	bool is_dot = item->kind == PH_ITEM_CIRCLE && item->width <= MOST_DOT;

	return is_dot ? ph_dark_ink(item->style.fill) : ph_dark_surface(item->style.fill);
}

void
ph_scene_darken(PhScene *scene)
{
	scene->is_dark = true;
	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		PhItem *item = &scene->items[i];

		item->style.fill = dark_fill(item);
		item->style.stroke = ph_dark_ink(item->style.stroke);
		item->text_style.color = ph_dark_ink(item->text_style.color);
		item->text_style.halo = ph_dark_surface(item->text_style.halo);
	}
}
