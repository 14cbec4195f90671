/*
 * bar_view.c - `bar`: rows of a query as bars.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "texts.h"
#include "views/plain/plain.h"

/* What bars stand on: a place of x, shared by the series. */
typedef struct Places
{
	double width; /* of one bar */
	uint32_t n_series;
} Places;

static void
draw_bar(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame, const Places *places,
		 PhColor color, uint32_t row)
{
	PhScene *scene = drawing->scene;
	double part = plain->series.title ? plain->series.numbers[row] : 0;
	double x = ph_axis_at(&frame->x.numbers, plain->x.numbers[row]) +
			   (part - places->n_series / 2.0) * places->width;
	double zero = ph_axis_at(&frame->y.numbers, 0);
	double top = ph_axis_at(&frame->y.numbers, plain->y.numbers[row]);

	ph_scene_open(scene, "bar", ph_plain_tooltip(scene->arena, plain, row));
	ph_scene_data_number(scene, "value", plain->y.numbers[row]);
	/* never thinner than a pixel, so that one high bar among thousands is seen */
	ph_scene_rect(scene, x, fmin(top, zero), fmax(places->width, 1), fmax(fabs(zero - top), 0.5),
				  ph_fill(color));
	ph_scene_close(scene);
}

static void
draw_bar_view(PhDrawing *drawing)
{
	PhCategories categories;
	PhPlain plain;
	PhFrame frame;
	Places places;
	double distance;
	double room;
	double low;
	double high;

	if (!ph_plain_read(drawing, &plain))
		return;
	ph_plain_words(drawing, &plain, plain.y.title);
	ph_plain_range(plain.y.numbers, plain.n, &low, &high);
	ph_plain_colors(drawing, &plain, &categories);
	distance = ph_plain_distance(drawing->arena, &plain.x, plain.n);
	ph_frame_draw(drawing, &plain, fmin(low, 0), fmax(high, 0) * 1.02, distance, &frame);
	places.n_series = plain.series.title ? plain.series.n_places : 1;
	room = (frame.x.numbers.to - frame.x.numbers.from) /
		   (frame.x.numbers.high - frame.x.numbers.low) * distance;
	places.width = fmin(room * 0.8, 60) / places.n_series;
	for (uint32_t i = 0; i < plain.n; i++)
		if (!isnan(plain.x.numbers[i]) && !isnan(plain.y.numbers[i]))
			draw_bar(drawing, &plain, &frame, &places,
					 ph_plain_color(drawing, &plain, &categories, i), i);
}

static const PhGivenColumn rows_of_bars[] = {
	{.name = "x", .kind = PH_GIVEN_PLACE},
	{.name = "y", .kind = PH_GIVEN_NUMBER},
	{.name = "series", .kind = PH_GIVEN_TEXT, .optional = true},
	{0}};

const PhView ph_view_bar = {.name = "bar",
							.summary = "rows of a query as bars, side by side by series",
							.details = ph_help_render_bar,
							.options = "",
							.given = rows_of_bars,
							.width = 900,
							.height = 560,
							.draw = draw_bar_view};
