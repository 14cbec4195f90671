/*
 * line_view.c - `line`: rows as lines, and `scatter` of a query: rows as points.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "texts.h"
#include "views/plain/line.h"

#define POINTS 400 /* lines of up to so many rows have a point a row */

static double
x_of(const PhPlain *plain, const PhFrame *frame, uint32_t row)
{
	return ph_axis_at(&frame->x.numbers, plain->x.numbers[row]);
}

static double
y_of(const PhPlain *plain, const PhFrame *frame, uint32_t row)
{
	return ph_axis_at(&frame->y.numbers, plain->y.numbers[row]);
}

static bool
is_there(const PhPlain *plain, uint32_t row)
{
	return !isnan(plain->x.numbers[row]) && !isnan(plain->y.numbers[row]);
}

static void
draw_points(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame,
			const PhCategories *categories, double radius)
{
	PhScene *scene = drawing->scene;

	for (uint32_t i = 0; i < plain->n; i++)
	{
		PhColor color = ph_plain_color(drawing, plain, categories, i);

		if (!is_there(plain, i))
			continue;
		ph_scene_open(scene, "point", ph_plain_tooltip(scene->arena, plain, i));
		ph_scene_data_number(scene, "x", plain->x.numbers[i]);
		ph_scene_data_number(scene, "y", plain->y.numbers[i]);
		ph_scene_circle(scene, x_of(plain, frame, i), y_of(plain, frame, i), radius,
						(PhStyle){.fill = ph_color_alpha(color, 0.8),
								  .stroke = ph_color_hex(0xffffff),
								  .stroke_width = 0.5});
		ph_scene_close(scene);
	}
}

/* Where the rows end that follow rows[from] in its unit of width, none of them null. */
static uint32_t
end_of_unit(const PhPlain *plain, const PhFrame *frame, const uint32_t *rows, uint32_t n,
			uint32_t from)
{
	double unit = floor(x_of(plain, frame, rows[from]));
	uint32_t end = from + 1;

	while (end < n && is_there(plain, rows[end]) && floor(x_of(plain, frame, rows[end])) == unit)
		end++;
	return end;
}

/* Of the rows of one unit of width the first, the lowest, the highest and the last draw the line
 * that all of them would. */
static void
add_unit(PhPath *path, const PhPlain *plain, const PhFrame *frame, const uint32_t *rows, uint32_t n,
		 bool is_open)
{
	const double *y = plain->y.numbers;
	uint32_t low = 0;
	uint32_t high = 0;

	for (uint32_t i = 1; i < n; i++)
	{
		low = y[rows[i]] < y[rows[low]] ? i : low;
		high = y[rows[i]] > y[rows[high]] ? i : high;
	}
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 && !is_open)
			ph_path_move(path, x_of(plain, frame, rows[0]), y_of(plain, frame, rows[0]));
		else if (i == 0 || i == low || i == high || i + 1 == n)
			ph_path_line(path, x_of(plain, frame, rows[i]), y_of(plain, frame, rows[i]));
}

/* The rows of a series in the order of the query; a null interrupts the line. */
static void
draw_line(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame, const uint32_t *rows,
		  uint32_t n, PhColor color)
{
	PhScene *scene = drawing->scene;
	PhPath path = ph_path(scene);
	bool is_open = false;
	uint32_t end;

	for (uint32_t i = 0; i < n; i = end)
	{
		bool is_here = is_there(plain, rows[i]);

		end = is_here ? end_of_unit(plain, frame, rows, n, i) : i + 1;
		if (is_here)
			add_unit(&path, plain, frame, rows + i, end - i, is_open);
		is_open = is_here;
	}
	ph_scene_open(scene, "line", plain->series.title ? plain->series.texts[rows[0]] : NULL);
	if (path.n > 0)
		ph_scene_path(scene, &path, ph_stroke(color, 1.6));
	ph_scene_close(scene);
}

static void
draw_lines(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame,
		   const PhCategories *categories)
{
	uint32_t n_series = plain->series.title ? plain->series.n_places : 1;
	uint32_t *first = ph_need(drawing->arena, (size_t) n_series + 1, sizeof(uint32_t));
	uint32_t *next = ph_need(drawing->arena, n_series, sizeof(uint32_t));
	uint32_t *rows = ph_need(drawing->arena, plain->n, sizeof(uint32_t));

	for (uint32_t i = 0; i < plain->n; i++)
		first[1 + (plain->series.title ? (uint32_t) plain->series.numbers[i] : 0)]++;
	for (uint32_t s = 0; s < n_series; s++)
	{
		first[s + 1] += first[s];
		next[s] = first[s];
	}
	for (uint32_t i = 0; i < plain->n; i++)
		rows[next[plain->series.title ? (uint32_t) plain->series.numbers[i] : 0]++] = i;
	for (uint32_t s = 0; s < n_series; s++)
		draw_line(drawing, plain, frame, rows + first[s], first[s + 1] - first[s],
				  ph_plain_color(drawing, plain, categories, rows[first[s]]));
}

/* Air around the values, but no axis below 0 for what is not. */
static void
value_range(const PhPlain *plain, double *low, double *high)
{
	double margin;

	ph_plain_range(plain->y.numbers, plain->n, low, high);
	margin = (*high - *low) * 0.05;
	*low = *low >= 0 && *low - margin < 0 ? 0 : *low - margin;
	*high += margin;
}

/* Points at the ends are not to be cut by the frame. */
static double
x_air(const PhPlain *plain)
{
	double low;
	double high;

	ph_plain_range(plain->x.numbers, plain->n, &low, &high);
	return (high - low) * 0.03;
}

void
ph_plain_draw(PhDrawing *drawing, bool joined)
{
	PhCategories categories;
	PhPlain plain;
	PhFrame frame;
	double low;
	double high;

	if (!ph_plain_read(drawing, &plain))
		return;
	ph_plain_words(drawing, &plain, plain.y.title);
	value_range(&plain, &low, &high);
	ph_plain_colors(drawing, &plain, &categories);
	ph_frame_draw(drawing, &plain, low, high, x_air(&plain), &frame);
	if (joined)
		draw_lines(drawing, &plain, &frame, &categories);
	if (!joined || plain.n <= POINTS)
		draw_points(drawing, &plain, &frame, &categories, joined ? 2.5 : 3.5);
}

static void
draw_line_view(PhDrawing *drawing)
{
	ph_plain_draw(drawing, true);
}

static const PhGivenColumn rows_of_lines[] = {
	{.name = "x", .kind = PH_GIVEN_PLACE},
	{.name = "y", .kind = PH_GIVEN_NUMBER},
	{.name = "series", .kind = PH_GIVEN_TEXT, .optional = true},
	{0}};

const PhView ph_view_line = {.name = "line",
							 .summary = "rows of a query as lines: numbers over numbers or times",
							 .details = ph_help_render_line,
							 .options = "",
							 .given = rows_of_lines,
							 .width = 900,
							 .height = 560,
							 .draw = draw_line_view};
