/*
 * spans.c - `timeline` of a query: rows as bars from one place to another, in lanes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "views/plain/spans.h"

#define HIGHEST_LANE 26.0
#define AROUND 70.0 /* above and below the lanes */

const PhGivenColumn ph_rows_of_spans[] = {
	{.name = "lane", .kind = PH_GIVEN_PLACE},
	{.name = "from", .kind = PH_GIVEN_PLACE},
	{.name = "to", .kind = PH_GIVEN_PLACE},
	{.name = "series", .kind = PH_GIVEN_TEXT, .optional = true},
	{.name = "label", .kind = PH_GIVEN_TEXT, .optional = true},
	{0}};

/* Begins and ends of all rows as one column, for the axis that has room for both. */
static PhPlain
both_ends(PhArena *arena, const PhPlain *plain)
{
	PhPlain out = *plain;

	out.n = 2 * plain->n;
	out.x.numbers = ph_need(arena, out.n, sizeof(double));
	for (uint32_t i = 0; i < plain->n; i++)
	{
		out.x.numbers[i] = plain->x.numbers[i];
		out.x.numbers[plain->n + i] = plain->value.numbers[i];
	}
	return out;
}

static void
draw_span(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame, double height,
		  PhColor color, uint32_t row)
{
	PhScene *scene = drawing->scene;
	double from = ph_axis_at(&frame->x.numbers, plain->x.numbers[row]);
	double to = ph_axis_at(&frame->x.numbers, plain->value.numbers[row]);
	double middle = ph_axis_at(&frame->y.numbers, plain->y.numbers[row]);

	ph_scene_open(scene, "span", ph_plain_tooltip(scene->arena, plain, row));
	ph_scene_data_number(scene, "from", plain->x.numbers[row]);
	ph_scene_data_number(scene, "to", plain->value.numbers[row]);
	/* never thinner than a pixel, so that a short one is seen */
	ph_scene_rect(scene, fmin(from, to), middle - height / 2, fmax(fabs(to - from), 1), height,
				  ph_fill(color));
	ph_scene_close(scene);
}

void
ph_spans_draw(PhDrawing *drawing)
{
	PhCategories categories;
	PhPlain plain;
	PhPlain ends;
	PhFrame frame;
	double lane;
	double lanes;
	double low;
	double high;

	if (!ph_plain_read(drawing, &plain))
		return;
	ph_plain_words(drawing, &plain, plain.y.title);
	ph_plain_colors(drawing, &plain, &categories);
	lane = ph_plain_distance(drawing->arena, &plain.y, plain.n);
	ph_plain_range(plain.y.numbers, plain.n, &low, &high);
	lanes = plain.y.texts != NULL ? plain.y.n_places : (high - low) / lane + 1;
	if (!ph_option_given(drawing->options, "height"))
		drawing->body.height = fmin(drawing->body.height, AROUND + lanes * HIGHEST_LANE);
	ends = both_ends(drawing->arena, &plain);
	ph_frame_draw(drawing, &ends, low - lane / 2, high + lane / 2, 0, &frame);
	lane = fabs(ph_axis_at(&frame.y.numbers, lane) - ph_axis_at(&frame.y.numbers, 0));
	for (uint32_t i = 0; i < plain.n; i++)
		if (!isnan(plain.x.numbers[i]) && !isnan(plain.value.numbers[i]) &&
			!isnan(plain.y.numbers[i]))
			draw_span(drawing, &plain, &frame, fmax(lane * 0.84, 1),
					  ph_plain_color(drawing, &plain, &categories, i), i);
}
