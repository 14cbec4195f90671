/*
 * scatter_layout.c - two costs over columns as points, with the best fit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "drawing/range.h"
#include "views/ranks/scatter.h"

#define LEFT 64.0
#define BOTTOM 38.0
#define TOP 8.0
#define RIGHT 10.0
#define GROUPED 4000 /* up to so many points carry data and tooltips */
#define NAMED 24	 /* outliers with their names */

static void
range(const double *values, uint32_t n, double *low, double *high)
{
	double margin;

	*low = INFINITY;
	*high = -INFINITY;
	for (uint32_t i = 0; i < n; i++)
	{
		*low = fmin(*low, values[i]);
		*high = fmax(*high, values[i]);
	}
	margin = (*high - *low) * 0.04;
	/* no axis below 0 for costs that are not */
	*low = *low >= 0 && *low - margin < 0 ? 0 : *low - margin;
	*high += margin;
}

typedef struct Point
{
	double x, y;
	uint32_t column;
} Point;

static int
compare_points(const void *a, const void *b)
{
	const Point *left = a;
	const Point *right = b;

	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	if (left->y != right->y)
		return left->y < right->y ? -1 : 1;
	return left->column < right->column ? -1 : left->column > right->column;
}

/* Points on a grid of half units, each place once. */
static Point *
place_points(PhScene *scene, const PhScatterPlot *plot, const PhAxis *x, const PhAxis *y,
			 uint32_t *n)
{
	uint32_t total = plot->columns->n;
	Point *points = ph_need(scene->arena, total, sizeof(Point));

	for (uint32_t i = 0; i < total; i++)
		points[i] = (Point){round(ph_axis_at(x, plot->x[i]) * 2) / 2,
							round(ph_axis_at(y, plot->y[i]) * 2) / 2, i};
	qsort(points, total, sizeof(Point), compare_points);
	*n = 0;
	for (uint32_t i = 0; i < total; i++)
		if (*n == 0 || points[*n - 1].x != points[i].x || points[*n - 1].y != points[i].y)
			points[(*n)++] = points[i];
	return points;
}

static void
draw_point(PhScene *scene, const PhScatterPlot *plot, const Point *point, const char *class,
		   PhStyle style)
{
	PhArena *arena = scene->arena;
	uint32_t i = point->column;

	ph_scene_open(scene, class,
				  ph_need_format(arena, "%s%s%s\n%s %s\n%s %s",
								 ph_column_text(arena, plot->columns, i),
								 plot->columns->host[i] ? " on " : "",
								 plot->columns->host[i] ? plot->columns->host[i] : "", plot->what_x,
								 ph_value(arena, plot->unit_x, plot->x[i]), plot->what_y,
								 ph_value(arena, plot->unit_y, plot->y[i])));
	ph_scene_data(scene, "node", plot->columns->node);
	ph_scene_data(scene, "run", plot->run);
	ph_scene_data_number(scene, "rank", plot->columns->rank[i]);
	ph_scene_data_number(scene, "x", plot->x[i]);
	ph_scene_data_number(scene, "y", plot->y[i]);
	ph_scene_circle(scene, point->x, point->y, 3.5, style);
	ph_scene_close(scene);
}

/* The fit line, clipped to the plot. */
static void
draw_fit(PhScene *scene, const PhScatterPlot *plot, const PhAxis *x, const PhAxis *y)
{
	const PhFit *fit = &plot->fit;
	double ends[2] = {x->low, x->high};

	if (isnan(fit->slope))
		return;
	if (fit->slope != 0)
	{
		double at_low = (y->low - fit->intercept) / fit->slope;
		double at_high = (y->high - fit->intercept) / fit->slope;

		ends[0] = fmax(ends[0], fmin(at_low, at_high));
		ends[1] = fmin(ends[1], fmax(at_low, at_high));
	}
	ph_scene_open(scene, "fit",
				  ph_need_format(scene->arena,
								 "slope %.6g\nintercept %.6g\nr %.6f\nr squared %.6f\nn %u",
								 fit->slope, fit->intercept, fit->r, fit->r_squared, fit->n));
	ph_scene_data_number(scene, "slope", fit->slope);
	ph_scene_data_number(scene, "intercept", fit->intercept);
	ph_scene_data_number(scene, "r", fit->r);
	ph_scene_data_number(scene, "n", fit->n);
	ph_scene_line(scene, ph_axis_at(x, ends[0]),
				  ph_axis_at(y, fit->intercept + fit->slope * ends[0]), ph_axis_at(x, ends[1]),
				  ph_axis_at(y, fit->intercept + fit->slope * ends[1]),
				  ph_stroke(ph_color_hex(0xc2410c), 1.8));
	ph_scene_close(scene);
}

static void
draw_points(PhScene *scene, const PhScatterPlot *plot, const Point *points, uint32_t n)
{
	PhStyle style = {.fill = ph_color_alpha(ph_color_hex(0x31688e), 0.6),
					 .stroke = ph_color_hex(0x1d4562),
					 .stroke_width = 0.5};

	if (n <= GROUPED)
	{
		for (uint32_t i = 0; i < n; i++)
			draw_point(scene, plot, &points[i], "point", style);
		return;
	}
	style.stroke_width = 0;
	ph_scene_open(scene, "points", NULL);
	for (uint32_t i = 0; i < n; i++)
		ph_scene_circle(scene, points[i].x, points[i].y, 1.2, style);
	ph_scene_close(scene);
}

/* ---- outliers ---- */

typedef struct Outliers
{
	PhRange x, y, residual;
	const double *residuals; /* by column; NULL without a fit */
} Outliers;

static bool
is_beyond(const PhRange *range, double value)
{
	return (range->above > 0 && value > range->high) || (range->below > 0 && value < range->low);
}

static bool
is_outlier(const PhScatterPlot *plot, const Outliers *outliers, uint32_t column)
{
	return is_beyond(&outliers->x, plot->x[column]) || is_beyond(&outliers->y, plot->y[column]) ||
		   (outliers->residuals != NULL &&
			is_beyond(&outliers->residual, outliers->residuals[column]));
}

/* Far from the others along an axis, or from the line that fits them. */
static Outliers
find_outliers(PhArena *arena, const PhScatterPlot *plot)
{
	uint32_t n = plot->columns->n;
	Outliers found = {.x = ph_range_robust(arena, plot->x, n),
					  .y = ph_range_robust(arena, plot->y, n)};
	double *residuals;

	if (!(plot->fit.r_squared < 1 - 1e-9)) /* of a line, what is left is rounding */
		return found;
	residuals = ph_need(arena, n, sizeof(*residuals));
	for (uint32_t i = 0; i < n; i++)
		residuals[i] = plot->y[i] - plot->fit.intercept - plot->fit.slope * plot->x[i];
	found.residual = ph_range_robust(arena, residuals, n);
	found.residuals = residuals;
	return found;
}

static void
name_point(PhScene *scene, const PhScatterPlot *plot, const Point *point)
{
	PhTextStyle style = ph_text_style(9.5, ph_color_hex(0x8a3015));
	const char *text = ph_column_text(scene->arena, plot->columns, point->column);
	double width = ph_fonts_width(scene->fonts, text, style.size, PH_REGULAR);
	bool left = point->x + 7 + width > scene->width - PH_MARGIN;

	style.anchor = left ? PH_END : PH_START;
	style.halo = ph_color_alpha(ph_color_hex(0xffffff), 0.9);
	ph_scene_text(scene, point->x + (left ? -7 : 7), point->y + 3.5, text, style);
}

/* Over the others, in a colour of their own and large enough to be seen among 16,384. */
static void
draw_outliers(PhScene *scene, PhScatterPlot *plot, const Point *points, uint32_t n)
{
	Outliers outliers = find_outliers(scene->arena, plot);
	PhStyle style = {.fill = ph_color_beyond(plot->palette),
					 .stroke = ph_color_hex(0xffffff),
					 .stroke_width = 0.7};
	double last_y = -INFINITY;
	uint32_t named = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		if (!is_outlier(plot, &outliers, points[i].column))
			continue;
		plot->n_outliers++;
		draw_point(scene, plot, &points[i], "outlier", style);
		if (named == NAMED || fabs(points[i].y - last_y) < 12)
			continue;
		name_point(scene, plot, &points[i]);
		last_y = points[i].y;
		named++;
	}
}

uint32_t
ph_scatter_draw(PhScene *scene, PhScatterPlot *plot, PhBody where)
{
	double bottom = where.y + where.height - BOTTOM;
	double right = where.x + where.width - RIGHT;
	double low;
	double high;
	PhAxis x;
	PhAxis y;
	Point *points;
	uint32_t n;

	range(plot->x, plot->columns->n, &low, &high);
	x = ph_axis(scene->arena, plot->unit_x, low, high, where.x + LEFT, right, 10);
	range(plot->y, plot->columns->n, &low, &high);
	y = ph_axis(scene->arena, plot->unit_y, low, high, bottom, where.y + TOP, 8);
	points = place_points(scene, plot, &x, &y, &n);
	ph_scene_open(scene, "scatter", NULL);
	ph_axis_draw_bottom(scene, &x, bottom, where.y + TOP,
						ph_axis_title(scene->arena, &x, plot->what_x));
	ph_axis_draw_left(scene, &y, where.x + LEFT, right,
					  ph_axis_title(scene->arena, &y, plot->what_y));
	draw_fit(scene, plot, &x, &y);
	draw_points(scene, plot, points, n);
	draw_outliers(scene, plot, points, n);
	ph_scene_close(scene);
	return n;
}
