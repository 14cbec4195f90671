/*
 * color.h - colours and colour maps: sequential, diverging and categorical.
 *
 * Maps are perceptually uniform (lightness changes monotonically, tested) and safe for colour-blind
 * readers, except the red/green diverging map, which has to be asked for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_COLOR_H
#define PH_DRAWING_COLOR_H

#include "base/arena.h"

typedef struct PhColor
{
	uint8_t r, g, b, a; /* a = 0: paint nothing */
	bool is_final;		/* chosen for a dark ground: dark.h leaves it as it is */
} PhColor;

typedef enum PhPalette
{
	PH_PALETTE_DEFAULT,		 /* viridis; red slower, blue faster */
	PH_PALETTE_COLOUR_BLIND, /* cividis; red slower, blue faster */
	PH_PALETTE_RED_GREEN,	 /* viridis; red slower, green faster */
	PH_PALETTE_DARK = 4		 /* beside one of them, as a bit: for a dark ground */
} PhPalette;

#define PH_NO_COLOR ((PhColor){0, 0, 0, 0, false})

/* 0xrrggbb, opaque. */
PhColor ph_color_hex(uint32_t rgb);
PhColor ph_color_alpha(PhColor color, double alpha);
/* a at t = 0, b at t = 1. */
PhColor ph_color_mix(PhColor a, PhColor b, double t);
/* CIE L*, 0 black .. 100 white. */
double ph_color_lightness(PhColor color);
/* Black or white, whichever is easier to read on background. */
PhColor ph_color_on(PhColor background);

/* "default", "colour-blind" or "red-green". */
bool ph_palette_parse(const char *name, PhPalette *out);

/* t in 0 (near the ground) .. 1 (far from it); clamped. NaN gives a grey near the ground. */
PhColor ph_color_sequential(PhPalette palette, double t);
/* What is far beyond the others: in no sequential map. */
PhColor ph_color_beyond(PhPalette palette);
/* White (0) to red, or blue in the colour-blind palette (1): how many. Clamped. */
PhColor ph_color_crowd(PhPalette palette, double t);
/* t in -1 (better) .. 0 (near the ground) .. 1 (worse); clamped. NaN gives a grey near the ground.
 */
PhColor ph_color_diverging(PhPalette palette, double t);

/* Colours by number: neighbours and the next few are easy to tell apart. */
PhColor ph_color_cycle(PhPalette palette, uint32_t i);

/*
 * The place-th colour of a family of functions ("point-to-point", "collective", "wait", "mpi",
 * "io", "device", "compute"; others: modules and files), which have hues of their own. After the
 * last hue of a family come lighter and darker ones.
 */
PhColor ph_color_of_family(PhPalette palette, const char *family, uint32_t place);

/*
 * Colours by name: a name has the same colour in every picture unless two names of one picture
 * want the same one; then the later in byte order takes the next free. Names in angle brackets
 * (<unknown>, <root>) are grey.
 */
typedef struct PhCategory
{
	const char *name;
	PhColor color;
	double weight; /* sum over the names given; legends list the heaviest first */
} PhCategory;

typedef struct PhCategories
{
	uint32_t n;
	PhCategory *entries; /* by name, distinct */
} PhCategories;

/* weights may be NULL. */
void ph_categories_build(PhArena *arena, PhPalette palette, const char *const *names,
						 const double *weights, uint32_t n, PhCategories *out);
/* The entries by weight descending, then name. */
PhCategory *ph_categories_heaviest(PhArena *arena, const PhCategories *categories);
PhColor ph_categories_color(const PhCategories *categories, const char *name);

#endif
