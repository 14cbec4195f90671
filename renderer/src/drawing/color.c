/*
 * color.c - colours and colour maps.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/color.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Evenly spaced samples, light to dark; the light end is paler than in the originals. */
static const uint32_t viridis[] = {0xf5f0b5, 0xc3df6b, 0x74cc5c, 0x35b779, 0x1f9e89,
								   0x26828e, 0x31688e, 0x3e4989, 0x482878, 0x440154};
static const uint32_t cividis[] = {0xf7ecb0, 0xe1cc6a, 0xc3b369, 0xa59c74, 0x8a8678,
								   0x707173, 0x575d6d, 0x3b496c, 0x123570, 0x00224e};
/* White to saturated, for counts. */
static const uint32_t reds[] = {0xffffff, 0xfee5d9, 0xfcbba1, 0xfc9272,
								0xfb6a4a, 0xde2d26, 0xa50f15};
static const uint32_t blues[] = {0xffffff, 0xdeebf7, 0xc6dbef, 0x9ecae1,
								 0x6baed6, 0x3182bd, 0x08519c};
/* Better to worse, near white in the middle. */
static const uint32_t green_red[] = {0x14652f, 0x3a9550, 0x7fc08a, 0xc4e3c4, 0xf7f7f5,
									 0xf7cdb9, 0xe8917a, 0xcc4c48, 0x9a1528};
static const uint32_t blue_red[] = {0x1c508f, 0x3f83bc, 0x84b5d8, 0xc8dfee, 0xf7f7f5,
									0xf9d2bd, 0xea9a7e, 0xcb5349, 0x96162a};
/* The same for dark grounds: what is most is lightest, what is least near the ground and still
 * seen. */
static const uint32_t dark_viridis[] = {0x51417d, 0x4c5596, 0x426c9f, 0x37839f, 0x2f9b99,
										0x41b589, 0x70cb71, 0xa8dc5d, 0xdbe96b, 0xfdf6b0};
static const uint32_t dark_cividis[] = {0x39507b, 0x525e7a, 0x686d7c, 0x7d7b7c, 0x948c7a,
										0xaa9e73, 0xc2b16a, 0xdac65f, 0xf2dc5c, 0xfdf0a5};
static const uint32_t dark_reds[] = {0x222222, 0x4a2620, 0x7d3023, 0xb3402d,
									 0xdf6247, 0xf79a77, 0xffd9c2};
static const uint32_t dark_blues[] = {0x222222, 0x20344c, 0x25507a, 0x3172aa,
									  0x579ad0, 0x93c4ec, 0xd8ecfb};
static const uint32_t dark_green_red[] = {0xa6e6b5, 0x66c47f, 0x3f9357, 0x325a3f, 0x3a3c3d,
										  0x6f4037, 0xb5553f, 0xea8064, 0xffbea8};
static const uint32_t dark_blue_red[] = {0xa6d4f7, 0x64abdf, 0x3d7fb5, 0x34536f, 0x3a3c3f,
										 0x6f4037, 0xb5553f, 0xea8064, 0xffbea8};
/* Paul Tol's "muted" set, made for colour-blind readers; second set: Okabe and Ito. */
static const uint32_t muted[] = {0x4477aa, 0xcc6677, 0xddcc77, 0x117733, 0x88ccee,
								 0x882255, 0x44aa99, 0x999933, 0xaa4499, 0x332288};
static const uint32_t okabe[] = {0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442,
								 0x0072b2, 0xd55e00, 0xcc79a7, 0x505050};

PhColor
ph_color_hex(uint32_t rgb)
{
	return (PhColor){(uint8_t) (rgb >> 16), (uint8_t) (rgb >> 8 & 0xff), (uint8_t) (rgb & 0xff),
					 255, false};
}

PhColor
ph_color_alpha(PhColor color, double alpha)
{
	color.a = (uint8_t) lround(fmin(fmax(alpha, 0), 1) * 255);
	return color;
}

static uint8_t
mix_channel(uint8_t a, uint8_t b, double t)
{
	return (uint8_t) lround(a + ((double) b - a) * t);
}

PhColor
ph_color_mix(PhColor a, PhColor b, double t)
{
	return (PhColor){mix_channel(a.r, b.r, t), mix_channel(a.g, b.g, t), mix_channel(a.b, b.b, t),
					 mix_channel(a.a, b.a, t), a.is_final || b.is_final};
}

static double
linear_channel(uint8_t value)
{
	double c = value / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double
ph_color_lightness(PhColor color)
{
	double y = 0.2126 * linear_channel(color.r) + 0.7152 * linear_channel(color.g) +
			   0.0722 * linear_channel(color.b);

	return y <= 216.0 / 24389.0 ? y * 24389.0 / 27.0 : 116 * cbrt(y) - 16;
}

PhColor
ph_color_on(PhColor background)
{
	PhColor letters =
		ph_color_lightness(background) > 55 ? ph_color_hex(0x111111) : ph_color_hex(0xffffff);

	letters.is_final = background.is_final;
	return letters;
}

static bool
is_dark(PhPalette palette)
{
	return (palette & PH_PALETTE_DARK) != 0;
}

static PhPalette
without_theme(PhPalette palette)
{
	return palette & ~PH_PALETTE_DARK;
}

static bool
is_colour_blind(PhPalette palette)
{
	return without_theme(palette) == PH_PALETTE_COLOUR_BLIND;
}

/* A colour of a palette, whatever is told of the ground. */
static PhColor
of_palette(PhPalette palette, uint32_t rgb)
{
	PhColor color = ph_color_hex(rgb);

	color.is_final = is_dark(palette);
	return color;
}

bool
ph_palette_parse(const char *name, PhPalette *out)
{
	if (strcmp(name, "default") == 0)
		*out = PH_PALETTE_DEFAULT;
	else if (strcmp(name, "colour-blind") == 0)
		*out = PH_PALETTE_COLOUR_BLIND;
	else if (strcmp(name, "red-green") == 0)
		*out = PH_PALETTE_RED_GREEN;
	else
		return false;
	return true;
}

/* t in 0..1 over evenly spaced stops. */
static PhColor
along(PhPalette palette, const uint32_t *stops, size_t n, double t)
{
	double position = fmin(fmax(t, 0), 1) * (double) (n - 1);
	size_t left = (size_t) position;

	if (left >= n - 1)
		return of_palette(palette, stops[n - 1]);
	return ph_color_mix(of_palette(palette, stops[left]), of_palette(palette, stops[left + 1]),
						position - (double) left);
}

static PhColor
of_nothing(PhPalette palette)
{
	return of_palette(palette, is_dark(palette) ? 0x4a4d52 : 0xdddddd);
}

PhColor
ph_color_sequential(PhPalette palette, double t)
{
	if (isnan(t))
		return of_nothing(palette);
	if (is_colour_blind(palette))
		return along(palette, is_dark(palette) ? dark_cividis : cividis, COUNT(cividis), t);
	return along(palette, is_dark(palette) ? dark_viridis : viridis, COUNT(viridis), t);
}

PhColor
ph_color_beyond(PhPalette palette)
{
	if (is_dark(palette))
		return of_palette(palette, 0xdc5cff);
	return of_palette(palette, is_colour_blind(palette) ? 0xd55e00 : 0xd4104a);
}

PhColor
ph_color_crowd(PhPalette palette, double t)
{
	if (is_colour_blind(palette))
		return along(palette, is_dark(palette) ? dark_blues : blues, COUNT(blues), t);
	return along(palette, is_dark(palette) ? dark_reds : reds, COUNT(reds), t);
}

PhColor
ph_color_diverging(PhPalette palette, double t)
{
	if (isnan(t))
		return of_nothing(palette);
	if (without_theme(palette) == PH_PALETTE_RED_GREEN)
		return along(palette, is_dark(palette) ? dark_green_red : green_red, COUNT(green_red),
					 (t + 1) / 2);
	return along(palette, is_dark(palette) ? dark_blue_red : blue_red, COUNT(blue_red),
				 (t + 1) / 2);
}

/* FNV-1a: only spreads names over the palette, nothing is stored. */
static uint32_t
name_hash(const char *name)
{
	uint32_t hash = 2166136261u;

	for (const unsigned char *p = (const unsigned char *) name; *p; p++)
		hash = (hash ^ *p) * 16777619u;
	return hash ^ hash >> 15;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const PhCategory *) a)->name, ((const PhCategory *) b)->name);
}

static uint32_t
distinct(PhCategory *entries, uint32_t n)
{
	uint32_t kept = 0;

	qsort(entries, n, sizeof(*entries), by_name);
	for (uint32_t i = 0; i < n; i++)
		if (kept == 0 || strcmp(entries[kept - 1].name, entries[i].name) != 0)
			entries[kept++] = entries[i];
		else
			entries[kept - 1].weight += entries[i].weight;
	return kept;
}

/*
 * The colour of a palette for its use-th repetition: as it is first, then lighter and darker in
 * turn, so that names that share a colour of the palette can be told apart.
 */
static PhColor
shade(PhColor color, uint32_t use)
{
	if (use == 0)
		return color;
	return ph_color_mix(color, use % 2 ? ph_color_hex(0xffffff) : ph_color_hex(0x000000),
						0.45 - 0.3 / (use + 1));
}

PhColor
ph_color_cycle(PhPalette palette, uint32_t i)
{
	const uint32_t *colors = is_colour_blind(palette) ? okabe : muted;
	uint32_t n = is_colour_blind(palette) ? COUNT(okabe) : COUNT(muted);

	return shade(of_palette(palette, colors[i % n]), i / n % 3);
}

/* Hues of a family, in both sets; 0 ends them. They are unlike each other, and those of other
 * families, for people who see no red or no green, too: the first ones most (test_seen.c). */
typedef struct FamilyHues
{
	const char *family;
	uint32_t muted[13], okabe[13];
} FamilyHues;

static const FamilyHues family_hues[] = {
	{"point-to-point",
	 {0x4477aa, 0x332288, 0x6f9fd8, 0x1e78e1, 0x2da5ff, 0x96c3ff},
	 {0x0072b2, 0x56b4e9, 0x0096ff, 0xc3d2ff}},
	{"collective",
	 {0x882255, 0xaa4499, 0xb387b8, 0xf0c3d2, 0x785ab4, 0x9678d2},
	 {0xcc79a7, 0x8e4a78, 0xffc3e1, 0xd278d2}},
	{"wait", {0xcc6677, 0xe39a86, 0xffc3b4, 0xb43c2d}, {0xd55e00, 0xe89a5b, 0xf07887, 0xb45a5a}},
	{"mpi",
	 {0x857e94, 0x71667e, 0xb3b0cb, 0xb4a5b4, 0xd2c3e1},
	 {0x7d7d8c, 0x505050, 0x96a5c3, 0xc3b4c3}},
	{"io", {0xa0724d, 0xb8864b, 0xf0c396, 0x785a4b}, {0x7a5a34, 0xa88758, 0xffc396, 0xe1a587}},
	{"device", {0xee7733, 0xf2a35e, 0xffb41e, 0xffc35a}, {0xe69f00, 0xf1c65f, 0x964b0f, 0xff783c}},
	{"compute",
	 {0x117733, 0x44aa99, 0x89911f, 0xddcc77, 0x88ccee, 0x77a469, 0x2d8769, 0x697800, 0x78c396,
	  0x87b44b, 0x96c3b4, 0x87e1b4},
	 {0x009e73, 0xf0e442, 0x5fbfa0, 0xddc93c, 0x96962d, 0x69782d, 0x87e1b4, 0xd2d278}},
	{NULL, {0}, {0}}};

static const uint32_t *
hues_of(PhPalette palette, const char *family)
{
	for (const FamilyHues *hues = family_hues; hues->family != NULL; hues++)
		if (strcmp(hues->family, family) == 0)
			return is_colour_blind(palette) ? hues->okabe : hues->muted;
	return NULL;
}

PhColor
ph_color_of_family(PhPalette palette, const char *family, uint32_t place)
{
	const uint32_t *hues = hues_of(palette, family);
	uint32_t n = 0;

	if (hues == NULL)
		return ph_color_cycle(palette, place);
	while (hues[n] != 0)
		n++;
	return shade(of_palette(palette, hues[place % n]), place / n % 5);
}

void
ph_categories_build(PhArena *arena, PhPalette palette, const char *const *names,
					const double *weights, uint32_t n, PhCategories *out)
{
	const uint32_t *colors = is_colour_blind(palette) ? okabe : muted;
	uint32_t n_colors = is_colour_blind(palette) ? COUNT(okabe) : COUNT(muted);
	uint32_t used[16] = {0};
	uint32_t round = 0;

	out->entries = ph_need(arena, n, sizeof(PhCategory));
	for (uint32_t i = 0; i < n; i++)
		out->entries[i] = (PhCategory){names[i], PH_NO_COLOR, weights ? weights[i] : 0};
	out->n = distinct(out->entries, n);
	for (uint32_t i = 0, placed = 0; i < out->n; i++)
	{
		uint32_t slot = name_hash(out->entries[i].name) % n_colors;

		if (out->entries[i].name[0] == '<')
		{
			out->entries[i].color = of_palette(palette, is_dark(palette) ? 0x6d727a : 0xa9adb3);
			continue;
		}
		while (used[slot] > round)
			slot = (slot + 1) % n_colors;
		out->entries[i].color = shade(of_palette(palette, colors[slot]), used[slot]);
		used[slot]++;
		if (++placed % n_colors == 0)
			round++;
	}
}

static int
by_weight(const void *a, const void *b)
{
	double left = ((const PhCategory *) a)->weight;
	double right = ((const PhCategory *) b)->weight;

	if (left != right)
		return left > right ? -1 : 1;
	return by_name(a, b);
}

PhCategory *
ph_categories_heaviest(PhArena *arena, const PhCategories *categories)
{
	PhCategory *sorted = ph_need(arena, categories->n, sizeof(PhCategory));

	memcpy(sorted, categories->entries, categories->n * sizeof(PhCategory));
	qsort(sorted, categories->n, sizeof(PhCategory), by_weight);
	return sorted;
}

PhColor
ph_categories_color(const PhCategories *categories, const char *name)
{
	PhCategory key = {name, PH_NO_COLOR, 0};
	const PhCategory *found;

	if (name == NULL || categories->n == 0)
		return ph_color_hex(0xa9adb3);
	found = bsearch(&key, categories->entries, categories->n, sizeof(key), by_name);
	return found ? found->color : ph_color_hex(0xa9adb3);
}
