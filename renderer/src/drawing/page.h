/*
 * page.h - what every picture has around its body: title, run identity, legend, trust caption.
 *
 * The furniture has a fixed height above the body, so that a body can be laid out (in the server)
 * before its contents are known. The caption is wrapped below the body; a third line and further
 * ones make the picture taller.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_PAGE_H
#define PH_DRAWING_PAGE_H

#include "drawing/number.h"
#include "drawing/scene.h"

#define PH_MARGIN 24.0

/* What a picture is drawn with; colours shared by all layouts. */
typedef struct PhTheme
{
	PhPalette palette;
} PhTheme;

typedef struct PhBody
{
	double x, y, width, height;
} PhBody;

typedef struct PhPage
{
	const char *title;
	const char *identity; /* which run, units, metric */
	const char *caption;  /* what the numbers rest on */
	const char **notes;	  /* further sentences for the caption */
	uint32_t n_notes;
	size_t note_capacity;
} PhPage;

/* Room for the body of a picture of width x height. */
PhBody ph_page_body(double width, double height);

/* Adds a sentence to the caption. */
void ph_page_note(PhArena *arena, PhPage *page, const char *note);

/* Draws title, identity and caption; makes the scene as high as body, caption and margins need. */
void ph_page_draw(PhScene *scene, const PhPage *page, double body_bottom);

/* Says in the middle of the body why there is nothing to see. */
void ph_page_empty(PhScene *scene, PhBody body, const char *message);

/* ---- legends: in the strip above the body; each returns the x where it ends ---- */

/* Squares with names; of 40 those that fit before x_end; others are counted ("+ 3 more"). */
double ph_legend_categories(PhScene *scene, double x, double x_end, const char *title,
							const PhCategories *categories);

typedef PhColor (*PhColorMap)(PhPalette palette, double t);

/* A colour ramp from low to high; low_text may mark the ends ("faster", "slower"). */
typedef struct PhRamp
{
	const char *title;
	PhColorMap map;
	PhPalette palette;
	double t_low; /* of the map: 0, or -1 for diverging maps */
	const char *low, *middle, *high;
} PhRamp;

/* Makes it a ramp of differences. most: the greatest in words, NULL: there is none. */
void ph_ramp_differs(PhArena *arena, PhRamp *ramp, const char *most);

double ph_legend_ramp(PhScene *scene, double x, const PhRamp *ramp);

/* A vertical bar of a round value that shows the scale of heights; right-aligned at x_end; returns
 * its left end. scale: units of the picture per unit of the metric. */
double ph_legend_scale(PhScene *scene, double x_end, double scale, const char *unit_name);

/* A square or hatched square with a word, for keys; returns the x after it. */
PhBody ph_legend_place(double x); /* of that square */
double ph_legend_swatch(PhScene *scene, double x, PhColor fill, bool hatched, const char *text);

/* Colours and sizes of text everywhere. */
PhColor ph_ink(void);	/* text */
PhColor ph_faint(void); /* secondary text */
PhColor ph_rule(void);	/* axes and grid */

#endif
