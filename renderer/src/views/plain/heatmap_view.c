/*
 * heatmap_view.c - `heatmap`: rows of a query as coloured cells.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/range.h"
#include "texts.h"
#include "views/plain/plain.h"

typedef struct Colors
{
	PhPalette palette;
	PhRange range;
	double most; /* greatest magnitude; of values of both signs */
	bool is_signed;
} Colors;

static PhColor
cell_color(const Colors *colors, double value)
{
	double span = colors->range.high - colors->range.low;

	if (colors->is_signed)
		return ph_color_diverging(colors->palette, colors->most > 0 ? value / colors->most : 0);
	if (colors->range.above > 0 && value > colors->range.high)
		return ph_color_beyond(colors->palette);
	return ph_color_sequential(colors->palette,
							   span > 0 ? (value - colors->range.low) / span : 0.5);
}

static Colors
choose_colors(PhDrawing *drawing, const PhPlainColumn *value, uint32_t n)
{
	Colors colors = {.palette = ph_option_palette(drawing->options),
					 .range = ph_range_robust(drawing->arena, value->numbers, n)};
	double low;
	double high;

	ph_plain_range(value->numbers, n, &low, &high);
	colors.is_signed = low < 0 && high > 0;
	colors.most = fmax(fabs(colors.range.low), fabs(colors.range.high));
	return colors;
}

/* Ends that three digits do not tell apart have more of them. */
static void
name_ends(PhArena *arena, const char *name, double low, double high, PhRamp *ramp)
{
	PhUnit unit = ph_unit_choose(arena, name, fmax(fabs(low), fabs(high)));
	double apart = (high - low) * unit.factor;
	int decimals = apart > 0 ? (int) fmin(ceil(-log10(apart)) + 1, 12) : 0;

	ramp->low = ph_value(arena, name, low);
	ramp->high = ph_value(arena, name, high);
	if (strcmp(ramp->low, ramp->high) != 0 || decimals <= 0)
		return;
	ramp->low = ph_need_format(arena, "%.*f %s", decimals, low * unit.factor, unit.suffix);
	ramp->high = ph_need_format(arena, "%.*f %s", decimals, high * unit.factor, unit.suffix);
}

/* "3 beyond", of a single one what it is and its value. */
static const char *
name_beyond(PhArena *arena, const PhPlain *plain, const Colors *colors)
{
	const PhPlainColumn *value = &plain->value;

	for (uint32_t i = 0; colors->range.above == 1 && plain->label.texts != NULL && i < plain->n;
		 i++)
		if (value->numbers[i] > colors->range.high && plain->label.texts[i] != NULL)
			return ph_need_format(arena, "1 beyond: %s %s, %s", plain->label.title,
								  plain->label.texts[i],
								  ph_value(arena, value->unit, value->numbers[i]));
	return ph_need_format(arena, "%u beyond", colors->range.above);
}

static void
draw_legend(PhDrawing *drawing, const PhPlain *plain, const Colors *colors)
{
	PhArena *arena = drawing->arena;
	PhRamp ramp = {.title = plain->value.title,
				   .map = colors->is_signed ? ph_color_diverging : ph_color_sequential,
				   .palette = colors->palette,
				   .t_low = colors->is_signed ? -1 : 0,
				   .middle = ""};
	double x;

	name_ends(arena, plain->value.unit, colors->is_signed ? -colors->most : colors->range.low,
			  colors->is_signed ? colors->most : colors->range.high, &ramp);
	x = ph_legend_ramp(drawing->scene, PH_MARGIN, &ramp);
	if (!colors->is_signed && colors->range.above > 0)
		ph_legend_swatch(drawing->scene, x, ph_color_beyond(colors->palette), false,
						 name_beyond(arena, plain, colors));
}

/* By value, so that where cells share a place the greatest is seen. */
static int
compare_cells(const void *a, const void *b)
{
	const double *left = *(const double *const *) a;
	const double *right = *(const double *const *) b;

	return *left != *right ? (*left > *right) - (*left < *right) : (left > right) - (left < right);
}

static void
draw_cells(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame, const Colors *colors,
		   double across, double down)
{
	PhScene *scene = drawing->scene;
	const double **order = ph_need(scene->arena, plain->n, sizeof(double *));
	double width = fabs(ph_axis_at(&frame->x.numbers, across) - ph_axis_at(&frame->x.numbers, 0));
	double height = fabs(ph_axis_at(&frame->y.numbers, down) - ph_axis_at(&frame->y.numbers, 0));
	uint32_t n = 0;

	for (uint32_t i = 0; i < plain->n; i++)
		if (!isnan(plain->x.numbers[i]) && !isnan(plain->y.numbers[i]) &&
			!isnan(plain->value.numbers[i]))
			order[n++] = &plain->value.numbers[i];
	qsort(order, n, sizeof(double *), compare_cells);
	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t i = (uint32_t) (order[k] - plain->value.numbers);

		ph_scene_open(scene, "cell", ph_plain_tooltip(scene->arena, plain, i));
		ph_scene_data_number(scene, "value", plain->value.numbers[i]);
		ph_scene_rect(scene, ph_axis_at(&frame->x.numbers, plain->x.numbers[i]) - width / 2,
					  ph_axis_at(&frame->y.numbers, plain->y.numbers[i]) - height / 2,
					  fmax(width, 1), fmax(height, 1),
					  ph_fill(cell_color(colors, plain->value.numbers[i])));
		ph_scene_close(scene);
	}
}

void
ph_heatmap_cells(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame)
{
	Colors colors = choose_colors(drawing, &plain->value, plain->n);

	draw_legend(drawing, plain, &colors);
	draw_cells(drawing, plain, frame, &colors,
			   ph_plain_distance(drawing->arena, &plain->x, plain->n),
			   ph_plain_distance(drawing->arena, &plain->y, plain->n));
}

void
ph_heatmap_draw(PhDrawing *drawing, const PhPlain *plain, PhFrame *frame)
{
	double across = ph_plain_distance(drawing->arena, &plain->x, plain->n);
	double down = ph_plain_distance(drawing->arena, &plain->y, plain->n);
	double low;
	double high;

	ph_plain_range(plain->y.numbers, plain->n, &low, &high);
	ph_frame_draw(drawing, plain, low - down / 2, high + down / 2, across, frame);
	ph_heatmap_cells(drawing, plain, frame);
}

static void
draw_heatmap_view(PhDrawing *drawing)
{
	PhPlain plain;
	PhFrame frame;

	if (!ph_plain_read(drawing, &plain))
		return;
	ph_plain_words(drawing, &plain,
				   ph_need_format(drawing->arena, "%s of %s", plain.value.title, plain.y.title));
	ph_heatmap_draw(drawing, &plain, &frame);
}

static const PhGivenColumn rows_of_cells[] = {{.name = "x", .kind = PH_GIVEN_PLACE},
											  {.name = "y", .kind = PH_GIVEN_PLACE},
											  {.name = "value", .kind = PH_GIVEN_NUMBER},
											  {0}};

const PhView ph_view_heatmap = {.name = "heatmap",
								.summary = "rows of a query as coloured cells of a matrix",
								.details = ph_help_render_heatmap,
								.options = "",
								.given = rows_of_cells,
								.width = 900,
								.height = 640,
								.draw = draw_heatmap_view};
