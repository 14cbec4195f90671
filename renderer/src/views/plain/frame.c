/*
 * frame.c - axes, colours and words around plain rows.
 *
 * Text has a place each, in the order in which the query gave it; times have ticks at round ones.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "drawing/arena_must.h"
#include "request/identity.h"
#include "views/plain/plain.h"

#define TICK_SIZE 10.0
#define TITLE_SIZE 11.0
#define LEFT 64.0
#define BOTTOM 38.0
#define SLANTED 70.0 /* more below, for names that have no room side by side */
#define MOST_LABEL 180.0

bool
ph_plain_range(const double *values, uint32_t n, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(values[i]))
		{
			*low = fmin(*low, values[i]);
			*high = fmax(*high, values[i]);
		}
	if (*low <= *high)
		return true;
	*low = 0;
	*high = 1;
	return false;
}

static int
compare_numbers(const void *a, const void *b)
{
	const double *left = a;
	const double *right = b;

	return (*left > *right) - (*left < *right);
}

double
ph_plain_distance(PhArena *arena, const PhPlainColumn *column, uint32_t n)
{
	double *sorted = ph_need(arena, n, sizeof(double));
	double least = INFINITY;
	uint32_t m = 0;

	if (column->texts != NULL)
		return 1;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(column->numbers[i]))
			sorted[m++] = column->numbers[i];
	qsort(sorted, m, sizeof(double), compare_numbers);
	for (uint32_t i = 1; i < m; i++)
		if (sorted[i] > sorted[i - 1])
			least = fmin(least, sorted[i] - sorted[i - 1]);
	return isfinite(least) ? least : 1;
}

static double
widest(PhScene *scene, const PhPlainColumn *column)
{
	double most = 0;

	for (uint32_t i = 0; i < column->n_places; i++)
		most =
			fmax(most, ph_fonts_width(scene->fonts, ph_text_clean(scene->arena, column->places[i]),
									  TICK_SIZE, PH_REGULAR));
	return fmin(most, MOST_LABEL);
}

static PhAxis
axis_of(PhArena *arena, const PhPlainColumn *column, double low, double high, double from,
		double to)
{
	if (column->texts != NULL)
		return (PhAxis){
			.low = -0.5, .high = column->n_places - 0.5, .from = from, .to = to, .unit = {1, ""}};
	return ph_axis(arena, column->unit, low, high, from, to, 10);
}

/* ---- ticks of text ------------------------------------------------------------------------- */

/* Every so many-th name has room. */
static uint32_t
stride_of(const PhAxis *axis, double least)
{
	double place = fabs(axis->to - axis->from) / fmax(axis->high - axis->low, 1);

	return place >= least ? 1 : (uint32_t) ceil(least / place);
}

static void
draw_names_left(PhScene *scene, const PhFrame *frame)
{
	const PhPlainAxis *axis = &frame->y;
	uint32_t stride = stride_of(&axis->numbers, TICK_SIZE + 2);
	PhTextStyle style = ph_text_style(TICK_SIZE, ph_faint());

	style.anchor = PH_END;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t i = 0; i < axis->column->n_places; i += stride)
		ph_scene_text_fit(scene, frame->left - 6, ph_axis_at(&axis->numbers, i) + 3.5, axis->room,
						  axis->column->places[i], style);
	ph_scene_line(scene, frame->left, frame->top, frame->left, frame->bottom,
				  ph_stroke(ph_rule(), 1));
	ph_scene_close(scene);
}

static void
draw_names_bottom(PhScene *scene, const PhFrame *frame)
{
	const PhPlainAxis *axis = &frame->x;
	double most = widest(scene, axis->column) + 8;
	bool is_vertical = stride_of(&axis->numbers, most) > 1;
	uint32_t stride = stride_of(&axis->numbers, is_vertical ? TICK_SIZE + 3 : most);
	PhTextStyle style = ph_text_style(TICK_SIZE, ph_faint());

	style.anchor = is_vertical ? PH_END : PH_MIDDLE;
	style.vertical = is_vertical;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t i = 0; i < axis->column->n_places; i += stride)
	{
		double x = ph_axis_at(&axis->numbers, i);
		const char *name = ph_fonts_fit(scene->fonts, scene->arena,
										ph_text_clean(scene->arena, axis->column->places[i]),
										TICK_SIZE, PH_REGULAR, is_vertical ? SLANTED : most);

		if (name != NULL)
			ph_scene_text(scene, is_vertical ? x + 3.5 : x, frame->bottom + (is_vertical ? 6 : 15),
						  name, style);
	}
	ph_scene_line(scene, frame->left, frame->bottom, frame->right, frame->bottom,
				  ph_stroke(ph_rule(), 1));
	style = ph_text_style(TITLE_SIZE, ph_ink());
	style.anchor = PH_MIDDLE;
	ph_scene_text_fit(scene, (frame->left + frame->right) / 2,
					  frame->bottom + 30 + (is_vertical ? SLANTED - 12 : 0),
					  frame->right - frame->left, axis->column->title, style);
	ph_scene_close(scene);
}

/* ---- ticks of times ------------------------------------------------------------------------ */

/* The least round step of which no more than ten fit. */
static double
time_step(double span)
{
	static const double steps[] = {1,	   5,	   15,		60,		 300,	   900,		3600,
								   10800,  21600,  43200,	86400,	 172800,   604800,	1209600,
								   2592e3, 7776e3, 15552e3, 31536e3, 157680e3, 315360e3};
	size_t i = 0;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) && span / steps[i] > 10)
		i++;
	return steps[i];
}

/* Days, minutes or seconds: what differs from tick to tick. */
static const char *
time_text(PhArena *arena, double at, double step)
{
	time_t seconds = (time_t) at;
	struct tm parts;
	char text[40] = "";

	if (gmtime_r(&seconds, &parts) == NULL)
		return "";
	if (step >= 86400)
		strftime(text, sizeof(text), "%Y-%m-%d", &parts);
	else if (step >= 60)
		strftime(text, sizeof(text), "%m-%d %H:%M", &parts);
	else
		strftime(text, sizeof(text), "%H:%M:%S", &parts);
	return ph_need_copy(arena, text);
}

static void
draw_times(PhScene *scene, const PhFrame *frame)
{
	const PhAxis *axis = &frame->x.numbers;
	double step = time_step(axis->high - axis->low);
	PhTextStyle style = ph_text_style(TICK_SIZE, ph_faint());

	style.anchor = PH_MIDDLE;
	ph_scene_open(scene, "axis", NULL);
	for (double at = ceil(axis->low / step) * step; at <= axis->high; at += step)
	{
		double x = ph_axis_at(axis, at);

		ph_scene_line(scene, x, frame->top, x, frame->bottom, ph_stroke(ph_color_hex(0xe9ecf0), 1));
		ph_scene_text(scene, x, frame->bottom + 15, time_text(scene->arena, at, step), style);
	}
	ph_scene_line(scene, frame->left, frame->bottom, frame->right, frame->bottom,
				  ph_stroke(ph_rule(), 1));
	style = ph_text_style(TITLE_SIZE, ph_ink());
	style.anchor = PH_MIDDLE;
	ph_scene_text_fit(scene, (frame->left + frame->right) / 2, frame->bottom + 30,
					  frame->right - frame->left,
					  ph_need_format(scene->arena, "%s (UTC)", frame->x.column->title), style);
	ph_scene_close(scene);
}

/* ---- the frame ----------------------------------------------------------------------------- */

static void
draw_left(PhScene *scene, const PhFrame *frame)
{
	const PhPlainColumn *column = frame->y.column;

	if (column->texts != NULL)
		draw_names_left(scene, frame);
	else
		ph_axis_draw_left(scene, &frame->y.numbers, frame->left, frame->right,
						  ph_axis_title(scene->arena, &frame->y.numbers, column->title));
}

static void
draw_bottom(PhScene *scene, const PhFrame *frame)
{
	const PhPlainColumn *column = frame->x.column;

	if (column->texts != NULL)
		draw_names_bottom(scene, frame);
	else if (column->is_time)
		draw_times(scene, frame);
	else
		ph_axis_draw_bottom(scene, &frame->x.numbers, frame->bottom, frame->top,
							ph_axis_title(scene->arena, &frame->x.numbers, column->title));
}

void
ph_frame_draw(PhDrawing *drawing, const PhPlain *plain, double y_low, double y_high, double x_room,
			  PhFrame *frame)
{
	PhScene *scene = drawing->scene;
	PhBody body = drawing->body;
	double low;
	double high;

	*frame = (PhFrame){.top = body.y + 8, .right = body.x + body.width - 10};
	frame->x.column = &plain->x;
	frame->y.column = &plain->y;
	/* the whole margin, as names of one letter have no room in their own width */
	frame->y.room = plain->y.texts ? fmax(widest(scene, &plain->y), LEFT - 8) : LEFT;
	frame->left = body.x + frame->y.room + 8;
	ph_plain_range(plain->x.numbers, plain->n, &low, &high);
	frame->x.numbers = axis_of(scene->arena, &plain->x, low - x_room / 2, high + x_room / 2,
							   frame->left, frame->right);
	frame->bottom = body.y + body.height - BOTTOM;
	if (plain->x.texts != NULL && stride_of(&frame->x.numbers, widest(scene, &plain->x) + 8) > 1)
		frame->bottom -= SLANTED - 12;
	/* names read downwards, numbers grow upwards */
	frame->y.numbers =
		axis_of(scene->arena, &plain->y, y_low, y_high, plain->y.texts ? frame->top : frame->bottom,
				plain->y.texts ? frame->bottom : frame->top);
	draw_left(scene, frame);
	draw_bottom(scene, frame);
}

/* ---- colours and words --------------------------------------------------------------------- */

void
ph_plain_colors(PhDrawing *drawing, const PhPlain *plain, PhCategories *out)
{
	*out = (PhCategories){0};
	if (plain->series.title == NULL)
		return;
	ph_categories_build(drawing->arena, ph_option_palette(drawing->options), plain->series.places,
						NULL, plain->series.n_places, out);
	ph_legend_categories(drawing->scene, PH_MARGIN, drawing->scene->width - PH_MARGIN,
						 plain->series.title, out);
}

PhColor
ph_plain_color(const PhDrawing *drawing, const PhPlain *plain, const PhCategories *categories,
			   uint32_t row)
{
	if (plain->series.title == NULL)
		return ph_color_cycle(ph_option_palette(drawing->options), 0);
	return ph_categories_color(categories, plain->series.texts[row]);
}

/* Rows with a null, a NaN or an infinity, which have no place in the picture. */
static uint32_t
count_placeless(const PhPlain *plain)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plain->n; i++)
		n += isnan(plain->x.numbers[i]) || isnan(plain->y.numbers[i]) ||
			 (plain->value.title != NULL && isnan(plain->value.numbers[i]));
	return n;
}

void
ph_plain_words(PhDrawing *drawing, const PhPlain *plain, const char *what)
{
	PhArena *arena = drawing->arena;
	uint32_t n_placeless = count_placeless(plain);

	drawing->page.title = ph_need_format(arena, "%s by %s", what, plain->x.title);
	drawing->page.identity = ph_query_shown(drawing->rows);
	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena, "%u row%s of a query", plain->n, plain->n == 1 ? "" : "s"));
	if (n_placeless > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "without a finite number, not drawn: %u", n_placeless));
}
