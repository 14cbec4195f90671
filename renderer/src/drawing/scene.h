/*
 * scene.h - the display list between layouts and drawing: groups, rectangles, circles, paths, text.
 *
 * Layouts append items; draw_svg.c and draw_cairo.c paint them in order. Groups carry what a page
 * needs to link pictures: a role, data attributes and a tooltip. Texts given to the scene are
 * cleaned (valid UTF-8, no control characters) and copied into its arena. Pure: no output here.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_SCENE_H
#define PH_DRAWING_SCENE_H

#include "base/arena.h"
#include "drawing/color.h"
#include "drawing/fonts.h"

typedef struct PhStyle
{
	PhColor fill;
	PhColor stroke;
	double stroke_width;
	double dash; /* length of dashes and gaps; 0: solid */
} PhStyle;

typedef enum PhAnchor
{
	PH_START,
	PH_MIDDLE,
	PH_END
} PhAnchor;

typedef struct PhTextStyle
{
	double size;
	PhWeight weight;
	PhAnchor anchor;
	PhColor color;
	PhColor halo;  /* outline behind the letters, so that they stay readable on bands */
	bool vertical; /* rotated to read from bottom to top */
} PhTextStyle;

typedef enum PhItemKind
{
	PH_ITEM_OPEN, /* start of a group: role, tooltip, attributes */
	PH_ITEM_CLOSE,
	PH_ITEM_RECT,
	PH_ITEM_CIRCLE, /* centre x, y; radius = width */
	PH_ITEM_PATH,
	PH_ITEM_TEXT, /* baseline at x, y */
	PH_ITEM_IMAGE /* in SVG only; the text is a PNG in base64 */
} PhItemKind;

typedef struct PhAttribute
{
	const char *name; /* without "data-" */
	const char *value;
} PhAttribute;

typedef struct PhPathStep
{
	char op; /* M, L, C or Z */
	double x[6];
} PhPathStep;

typedef struct PhPath
{
	PhArena *arena;
	PhPathStep *steps;
	uint32_t n;
	size_t capacity;
} PhPath;

typedef struct PhItem
{
	PhItemKind kind;
	PhStyle style;
	double x, y, width, height;
	const char *text;	 /* text, or the role of a group */
	const char *tooltip; /* groups; lines separated by newlines */
	PhTextStyle text_style;
	PhAttribute *attributes; /* groups */
	uint32_t n_attributes;
	size_t attribute_capacity;
	PhPathStep *steps; /* paths */
	uint32_t n_steps;
	bool is_crisp; /* paths: of rectangles on whole units, not to be smoothed */
} PhItem;

typedef struct PhScene
{
	PhArena *arena;
	PhFonts *fonts;
	double width, height;
	bool is_dark;			 /* its ground: dark.h */
	const char *description; /* what the picture is, in one line */
	PhItem *items;
	uint32_t n_items;
	size_t capacity;
	uint32_t *open; /* stack of groups that are not closed yet */
	uint32_t n_open;
	size_t open_capacity;
} PhScene;

void ph_scene_init(PhScene *scene, PhArena *arena, PhFonts *fonts, double width, double height);

/* Groups nest; tooltip may be NULL. Attributes belong to the innermost open group. */
void ph_scene_open(PhScene *scene, const char *role, const char *tooltip);
void ph_scene_data(PhScene *scene, const char *name, const char *value);
void ph_scene_data_number(PhScene *scene, const char *name, double value);
void ph_scene_close(PhScene *scene);

void ph_scene_rect(PhScene *scene, double x, double y, double width, double height, PhStyle style);
void ph_scene_circle(PhScene *scene, double x, double y, double radius, PhStyle style);
void ph_scene_line(PhScene *scene, double x0, double y0, double x1, double y1, PhStyle style);
void ph_scene_text(PhScene *scene, double x, double y, const char *text, PhTextStyle style);
/* Text shortened to width; false, and nothing drawn, when there is no room for it. */
bool ph_scene_text_fit(PhScene *scene, double x, double y, double width, const char *text,
					   PhTextStyle style);
/* The same of a text with names of functions, which lose parameter lists, then namespaces first. */
bool ph_scene_name_fit(PhScene *scene, double x, double y, double width, const char *text,
					   PhTextStyle style);
/* Slanted lines that fill a rectangle. */
void ph_scene_hatch(PhScene *scene, double x, double y, double width, double height, PhColor color);

/* A pixel a unit; png: base64, not copied. */
void ph_scene_image(PhScene *scene, double x, double y, double width, double height,
					const char *png);

PhPath ph_path(PhScene *scene);
void ph_path_move(PhPath *path, double x, double y);
void ph_path_line(PhPath *path, double x, double y);
void ph_path_curve(PhPath *path, double x1, double y1, double x2, double y2, double x, double y);
void ph_path_close(PhPath *path);
/* Takes over the steps of path. */
void ph_scene_path(PhScene *scene, const PhPath *path, PhStyle style);

/* Short ways to write styles. */
PhStyle ph_fill(PhColor color);
PhStyle ph_stroke(PhColor color, double width);
PhTextStyle ph_text_style(double size, PhColor color);

#endif
