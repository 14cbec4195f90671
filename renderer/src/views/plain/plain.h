/*
 * plain.h - pictures of plain rows: the columns that a query gave, and the frame of axes that they
 * are drawn in.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_PLAIN_PLAIN_H
#define PH_VIEWS_PLAIN_PLAIN_H

#include "drawing/axis.h"
#include "request/view.h"

typedef struct PhPlainColumn
{
	const char
		*title; /* as the query calls it, without "[unit]"; NULL: the query has no such column */
	const char *unit; /* of its name's end; NULL: none */
	bool is_time;	  /* seconds since 1970 */
	/* Of numbers and times: the value, NaN for null. Of text: its place among the different ones.
	 */
	double *numbers;
	const char **texts; /* of text, by row; NULL: numbers */
	uint32_t n_places;
	const char **places; /* of text: the different ones, in the order in which they came */
} PhPlainColumn;

typedef struct PhPlain
{
	uint32_t n;
	PhPlainColumn x, y, series, value, label; /* those that the view has */
} PhPlain;

/* False: there is nothing to draw, which the picture says. */
bool ph_plain_read(PhDrawing *drawing, PhPlain *out);

/* ---- axes ---------------------------------------------------------------------------------- */

typedef struct PhPlainAxis
{
	const PhPlainColumn *column;
	PhAxis numbers; /* of text: places, from -0.5 on */
	double room;	/* that labels may take across: of the axis on the left */
} PhPlainAxis;

typedef struct PhFrame
{
	double left, right, top, bottom;
	PhPlainAxis x, y;
} PhFrame;

/* Least and greatest number; false: there is none. */
bool ph_plain_range(const double *values, uint32_t n, double *low, double *high);

/* Least distance of two different numbers of a column, which marks with a width are as wide as; of
 * text 1, and of one number, too. */
double ph_plain_distance(PhArena *arena, const PhPlainColumn *column, uint32_t n);

/* Chooses the axes and draws them. y_low, y_high: of a y that is not text; x_room: what a mark
 * takes of an x that is not text. */
void ph_frame_draw(PhDrawing *drawing, const PhPlain *plain, double y_low, double y_high,
				   double x_room, PhFrame *frame);

/* Colours of series, and their legend; of rows without series one colour and none. */
void ph_plain_colors(PhDrawing *drawing, const PhPlain *plain, PhCategories *out);
PhColor ph_plain_color(const PhDrawing *drawing, const PhPlain *plain,
					   const PhCategories *categories, uint32_t row);

/* "y by x" and a sentence of how many rows there are. */
void ph_plain_words(PhDrawing *drawing, const PhPlain *plain, const char *what);

/* The cells of x, y and value with their legend, in a frame (heatmap_view.c). */
void ph_heatmap_cells(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame);

/* The same with the frame and its axes. */
void ph_heatmap_draw(PhDrawing *drawing, const PhPlain *plain, PhFrame *frame);

/* The tooltip of a row: a line a column. */
const char *ph_plain_tooltip(PhArena *arena, const PhPlain *plain, uint32_t row);

#endif
