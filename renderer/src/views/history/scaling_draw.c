/*
 * scaling_draw.c - panels of costs against a number of the runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/small_multiples.h"
#include "views/history/scaling.h"

#define PANEL_HEIGHT 226.0
#define BELOW 40.0 /* ticks and title of the common axis */
#define WORDS 44.0 /* above a plot: the model in words */
#define GAP 10.0   /* below a plot */
#define STEPS 60   /* of a curve */
#define TEXT_SIZE 9.5
#define MOST_TICKS 7

typedef struct Plot
{
	const PhScaling *scaling;
	const PhScalingPanel *panel;
	double left, right, top, bottom;
	double low, high; /* of the horizontal axis */
} Plot;

static PhColor
measured_color(void)
{
	return ph_color_hex(0x31688e);
}

static PhColor
model_color(void)
{
	return ph_color_hex(0x14273b);
}

static PhColor
ideal_color(void)
{
	return ph_color_hex(0xc2410c);
}

static double
at_x(const Plot *plot, double parameter)
{
	return plot->left + (log(parameter) - log(plot->low)) / (log(plot->high) - log(plot->low)) *
							(plot->right - plot->left);
}

static double
at_y(const Plot *plot, double value)
{
	const PhScalingPanel *panel = plot->panel;

	return plot->bottom - (log(value) - log(panel->low)) / (log(panel->high) - log(panel->low)) *
							  (plot->bottom - plot->top);
}

/* ---- curves -------------------------------------------------------------------------------- */

static double
model_value(const Plot *plot, double parameter)
{
	return ph_scaling_model_at(&plot->panel->model, parameter);
}

static double
ideal_value(const Plot *plot, double parameter)
{
	return ph_scaling_ideal_at(plot->scaling, plot->panel, parameter);
}

/* The parts of a curve that are inside the plot. */
static void
draw_curve(PhScene *scene, const Plot *plot, double (*value)(const Plot *, double), PhStyle style)
{
	PhPath path = ph_path(scene);
	double from = log(plot->scaling->numbers[0]);
	double to = log(plot->scaling->numbers[plot->scaling->n_numbers - 1]);
	bool inside = false;

	for (int i = 0; i <= STEPS; i++)
	{
		double parameter = exp(from + (to - from) * i / STEPS);
		double y = value(plot, parameter);
		bool now = y >= plot->panel->low && y <= plot->panel->high;

		if (now && inside)
			ph_path_line(&path, at_x(plot, parameter), at_y(plot, y));
		else if (now)
			ph_path_move(&path, at_x(plot, parameter), at_y(plot, y));
		inside = now;
	}
	if (path.n > 1)
		ph_scene_path(scene, &path, style);
}

static void
draw_ideal(PhScene *scene, const Plot *plot)
{
	if (!plot->scaling->judged || !(plot->panel->base_value > 0))
		return;
	ph_scene_open(scene, "ideal",
				  plot->scaling->weak ? "ideal weak scaling: the cost stays"
									  : "ideal strong scaling: the cost falls as the number grows");
	draw_curve(scene, plot, ideal_value,
			   (PhStyle){.stroke = ideal_color(), .stroke_width = 1.2, .dash = 5});
	ph_scene_close(scene);
}

static void
draw_model(PhScene *scene, const Plot *plot)
{
	const PhScalingModel *model = &plot->panel->model;

	if (plot->scaling->n_numbers < PH_SCALING_MIN_POINTS || isnan(model->constant) ||
		plot->panel->model_text == NULL)
		return;
	ph_scene_open(scene, "model",
				  ph_need_format(scene->arena, "%s\nR\xc2\xb2 %.4f\nSMAPE %.3g %%%s%s%s%s",
								 plot->panel->model_text, model->r_squared, model->smape,
								 plot->panel->caution ? "\n" : "",
								 plot->panel->caution ? plot->panel->caution : "",
								 plot->panel->alternatives ? "\nas good: " : "",
								 plot->panel->alternatives ? plot->panel->alternatives : ""));
	ph_scene_data(scene, "model", plot->panel->model_text);
	ph_scene_data_number(scene, "r-squared", model->r_squared);
	ph_scene_data_number(scene, "smape", model->smape);
	ph_scene_data_number(scene, "growth", model->growth);
	draw_curve(scene, plot, model_value, ph_stroke(model_color(), 1.6));
	ph_scene_close(scene);
}

static void
draw_points(PhScene *scene, const Plot *plot)
{
	const PhScaling *scaling = plot->scaling;

	for (uint32_t i = 0; i < plot->panel->n; i++)
	{
		const PhScalingPoint *point = &plot->panel->points[i];

		if (!(point->value > 0))
			continue;
		ph_scene_open(
			scene, "point",
			ph_need_format(
				scene->arena, "%.9g %s: %s\nspeed-up %s\nefficiency %s", point->parameter,
				scaling->parameter, ph_value(scene->arena, scaling->unit_name, point->value),
				isnan(point->speedup) ? "unknown" : ph_number(scene->arena, point->speedup),
				isnan(point->efficiency) ? "unknown"
										 : ph_percent(scene->arena, point->efficiency, 1)));
		ph_scene_data_number(scene, "parameter", point->parameter);
		ph_scene_data_number(scene, "value", point->value);
		ph_scene_data_number(scene, "speedup", point->speedup);
		ph_scene_data_number(scene, "efficiency", point->efficiency);
		ph_scene_circle(scene, at_x(plot, point->parameter), at_y(plot, point->value), 3.2,
						ph_fill(ph_color_alpha(measured_color(), 0.8)));
		ph_scene_close(scene);
	}
}

/* ---- axes and words ------------------------------------------------------------------------ */

static void
draw_vertical(PhScene *scene, const Plot *plot)
{
	PhTextStyle style = ph_text_style(TEXT_SIZE, ph_faint());
	double ticks[MOST_TICKS];
	double last = INFINITY;
	uint32_t n = ph_log_ticks(plot->panel->low, plot->panel->high, ticks, MOST_TICKS);

	style.anchor = PH_END;
	for (uint32_t i = 0; i < n; i++)
	{
		double y = at_y(plot, ticks[i]);

		ph_scene_line(scene, plot->left, y, plot->right, y, ph_stroke(ph_color_hex(0xe9ecf0), 1));
		if (last - y < TEXT_SIZE + 2)
			continue;
		last = y;
		ph_scene_text_fit(scene, plot->left - 5, y + 3.3, PH_PANEL_LEFT - 8,
						  ph_value(scene->arena, plot->scaling->unit_name, ticks[i]), style);
	}
	ph_scene_line(scene, plot->left, plot->bottom, plot->right, plot->bottom,
				  ph_stroke(ph_rule(), 1));
}

/* The measured numbers, where they do not meet; words only for the lowest panels. */
static void
draw_horizontal(PhScene *scene, const Plot *plot, bool lowest)
{
	const PhScaling *scaling = plot->scaling;
	PhTextStyle style = ph_text_style(TEXT_SIZE, ph_faint());
	double end = -INFINITY;

	style.anchor = PH_MIDDLE;
	for (uint32_t i = 0; i < scaling->n_numbers; i++)
	{
		double x = at_x(plot, scaling->numbers[i]);
		const char *text = ph_need_format(scene->arena, "%.9g", scaling->numbers[i]);
		double half = ph_fonts_width(scene->fonts, text, TEXT_SIZE, PH_REGULAR) / 2;

		ph_scene_line(scene, x, plot->bottom, x, plot->bottom + 3, ph_stroke(ph_rule(), 1));
		if (!lowest || x - half < end + 5 || x + half > plot->right + PH_PANEL_RIGHT ||
			x - half < plot->left - 20)
			continue;
		ph_scene_text(scene, x, plot->bottom + 14, text, style);
		end = x + half;
	}
	style.color = ph_ink();
	if (lowest)
		ph_scene_text_fit(scene, (plot->left + plot->right) / 2, plot->bottom + 29,
						  plot->right - plot->left, scaling->parameter, style);
}

/* The mean efficiency at the largest number that the panel has. */
static const char *
efficiency_text(PhScene *scene, const PhScaling *scaling, const PhScalingPanel *panel)
{
	double largest = 0;
	double efficiency = 0;
	double speedup = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < panel->n; i++)
		largest = fmax(largest, panel->points[i].parameter);
	for (uint32_t i = 0; i < panel->n; i++)
	{
		const PhScalingPoint *point = &panel->points[i];

		if (point->parameter != largest || isnan(point->efficiency))
			continue;
		efficiency += point->efficiency;
		speedup += point->speedup;
		n++;
	}
	if (n == 0 || largest == panel->base)
		return "";
	return ph_need_format(scene->arena, "efficiency %s, speed-up %s from %.9g to %.9g %s",
						  ph_percent(scene->arena, efficiency / n, 1),
						  ph_number(scene->arena, speedup / n), panel->base, largest,
						  scaling->parameter);
}

/* "R² 0.86 · SMAPE 0.7 % · ×1.4 over the range", with what to be careful about in front. */
static const char *
quality_text(PhArena *arena, const Plot *plot)
{
	const PhScalingModel *model = &plot->panel->model;
	const char *caution = plot->panel->caution;
	const char *text;

	if (plot->scaling->n_numbers < PH_SCALING_MIN_POINTS || isnan(model->smape))
		return "";
	text = ph_need_format(arena, "SMAPE %s %%", ph_number(arena, model->smape));
	if (model->coefficient != 0)
		text = ph_need_format(arena, "R\xc2\xb2 %.2f \xc2\xb7 %s", model->r_squared, text);
	if (model->coefficient != 0 && model->growth > 0)
		text = ph_need_format(arena, "%s \xc2\xb7 \xc3\x97%s over the range", text,
							  ph_number(arena, model->growth));
	return caution ? ph_need_format(arena, "%s \xc2\xb7 %s", caution, text) : text;
}

/* The text as far as it fits into the room: at least to where its last part begins. */
static const char *
shorter(PhScene *scene, const char *text, const char *last_part, double room)
{
	const char *part = strstr(text, last_part);

	if (part == NULL || ph_fonts_width(scene->fonts, text, TEXT_SIZE, PH_REGULAR) <= room)
		return text;
	return ph_need_format(scene->arena, "%.*s", (int) (part - text), text);
}

static void
draw_words(PhScene *scene, const Plot *plot, double y)
{
	PhTextStyle faint = ph_text_style(TEXT_SIZE, ph_faint());
	double x = plot->left - PH_PANEL_LEFT + 12;
	double room = plot->right - x;

	ph_scene_text_fit(scene, x, y + 9, room,
					  ph_scaling_words(scene->arena, plot->scaling, plot->panel),
					  ph_text_style(TEXT_SIZE + 0.5, model_color()));
	ph_scene_text_fit(scene, x, y + 21.5, room,
					  shorter(scene, quality_text(scene->arena, plot), " over the range", room),
					  faint);
	ph_scene_text_fit(
		scene, x, y + 34, room,
		shorter(scene, efficiency_text(scene, plot->scaling, plot->panel), " from ", room), faint);
}

static void
draw_panel(PhScene *scene, Plot *plot, PhBody cell, bool lowest)
{
	const PhScaling *scaling = plot->scaling;
	double first = scaling->numbers[0];
	double last = scaling->numbers[scaling->n_numbers - 1];
	double margin = pow(fmax(last / first, 1.5), 0.06);

	plot->left = cell.x + PH_PANEL_LEFT;
	plot->right = cell.x + cell.width - PH_PANEL_RIGHT;
	plot->top = cell.y + PH_PANEL_TITLE + WORDS;
	plot->bottom = cell.y + cell.height - GAP;
	plot->low = first / margin;
	plot->high = last * margin;
	ph_scene_open(scene, "panel", NULL);
	ph_scene_data(scene, "node", plot->panel->path);
	ph_panel_title(scene, cell, plot->panel->path,
				   ph_path_name(plot->panel->path, plot->panel->leaf), "");
	draw_words(scene, plot, cell.y + PH_PANEL_TITLE);
	draw_vertical(scene, plot);
	draw_horizontal(scene, plot, lowest);
	if (!plot->panel->nothing)
	{
		draw_ideal(scene, plot);
		draw_model(scene, plot);
		draw_points(scene, plot);
	}
	ph_scene_close(scene);
}

double
ph_scaling_height(const PhScaling *scaling, double width)
{
	return ph_grid_height(scaling->n, width, PANEL_HEIGHT, BELOW);
}

void
ph_scaling_draw(PhScene *scene, const PhScaling *scaling, PhBody where)
{
	PhGrid grid = ph_grid(scaling->n, where.width, where.height, BELOW);
	Plot plot = {.scaling = scaling};

	ph_scene_open(scene, "scaling", NULL);
	for (uint32_t i = 0; i < scaling->n; i++)
	{
		plot.panel = &scaling->panels[i];
		draw_panel(scene, &plot, ph_grid_cell(&grid, i, where), i + grid.columns >= scaling->n);
	}
	ph_scene_close(scene);
}

void
ph_scaling_legend(PhScene *scene, const PhScaling *scaling)
{
	PhKey key = ph_key();
	double x;

	ph_scene_open(scene, "legend", NULL);
	x = ph_key_word(scene, &key, "a run");
	ph_scene_circle(scene, x + 8, key.y, 3.2, ph_fill(measured_color()));
	if (scaling->n_numbers >= PH_SCALING_MIN_POINTS)
	{
		x = ph_key_word(scene, &key, "model");
		ph_scene_line(scene, x, key.y, x + 16, key.y, ph_stroke(model_color(), 1.6));
	}
	if (!scaling->judged)
	{
		ph_scene_close(scene);
		return;
	}
	x = ph_key_word(scene, &key,
					scaling->weak ? "ideal weak scaling: the cost stays"
								  : "ideal strong scaling: half the cost for twice the number");
	ph_scene_line(scene, x, key.y, x + 16, key.y,
				  (PhStyle){.stroke = ideal_color(), .stroke_width = 1.2, .dash = 5});
	ph_scene_close(scene);
}
