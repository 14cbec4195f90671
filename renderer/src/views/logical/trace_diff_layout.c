/*
 * trace_diff_layout.c - two traces aligned by logical structure: the change of lateness of every
 * rank, below it the greatest changes as bars; steps that only one trace has are shaded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "request/row_names.h"
#include "views/logical/trace_diff.h"

#define LEFT 64.0
#define LEFT_CHARES 130.0 /* their names are longer than ranks */
#define FOOT 38.0
#define PANEL 110.0 /* height of a panel of bars */
#define GAP 16.0
#define MOST_ROW 20.0
#define LEAST_GROUP 2.5

static PhColor
only_color(bool in_a)
{
	return ph_color_hex(in_a ? 0xd5d9f2 : 0xf3e2c7);
}

static PhColor
change_color(const PhTraceDiffPlot *plot, double value)
{
	double t = plot->most > 0 ? fmin(fmax(value / plot->most, -1), 1) : 0;

	if (!(t < 0 || t > 0))
		return ph_color_hex(0xe4e7ec); /* an event, on white */
	/* square root: small changes stay visible beside one great one */
	return ph_color_diverging(plot->palette, t < 0 ? -sqrt(-t) : sqrt(t));
}

static const char *
side(PhArena *arena, const char *name, double phase, double step)
{
	if (isnan(step))
		return ph_need_format(arena, "not in %s", name);
	return isnan(phase) ? ph_need_format(arena, "%s: step %.0f", name, step)
						: ph_need_format(arena, "%s: phase %.0f, step %.0f", name, phase, step);
}

/* What is compared event by event. */
static const char *
measure(const PhTraceDiffPlot *plot)
{
	return plot->tasks ? "duration" : "lateness";
}

static double
left_margin(const PhTraceDiffPlot *plot)
{
	return plot->tasks && plot->n_rows > 0 ? LEFT_CHARES : LEFT;
}

/* ---- ranks ---- */

static void
draw_cell(PhScene *scene, const PhTraceDiffPlot *plot, const PhDiffLane *lane, uint32_t i,
		  double top, double height)
{
	PhArena *arena = scene->arena;
	double width = ph_step_axis_cell_width(&plot->axis);
	double gap = width > 6 && height > 6 ? 0.75 : 0;
	bool pointable = width >= LEAST_GROUP && height >= LEAST_GROUP;
	PhStyle style = ph_fill(change_color(plot, lane->value[i]));

	if (gap > 0)
	{
		style.stroke = ph_color_hex(0xb6bcc6);
		style.stroke_width = 0.5;
	}
	if (pointable)
	{
		ph_scene_open(scene, "event",
					  ph_need_format(arena, "%s\n%s\n%s\n%s %s",
									 lane->name ? lane->name[i]
												: ph_need_format(arena, "rank %.0f", lane->rank[i]),
									 side(arena, "A", NAN, lane->step_a[i]),
									 side(arena, "B", NAN, lane->step_b[i]), measure(plot),
									 ph_signed_value(arena, "ns", lane->value[i])));
		ph_scene_data(scene, "run", plot->run_b);
		ph_scene_data_number(scene, "rank", lane->rank[i]);
		ph_scene_data_number(scene, "step", lane->step_b[i]);
		ph_scene_data_number(scene, "value", lane->value[i]);
	}
	ph_scene_rect(scene, ph_step_axis_cell(&plot->axis, lane->column[i]) + gap,
				  top + lane->row * height + gap, width - 2 * gap, height - 2 * gap, style);
	if (pointable)
		ph_scene_close(scene);
}

static void
draw_ranks(PhScene *scene, const PhTraceDiffPlot *plot, double top, double height)
{
	PhTextStyle style = ph_text_style(10, ph_faint());
	PhTextStyle title = ph_text_style(11, ph_ink());
	PhRowNames names = ph_row_names(scene->arena, plot->row_names, plot->n_rows, height);

	style.anchor = PH_END;
	ph_scene_open(scene, "ranks", NULL);
	for (uint32_t row = 0; row < plot->n_rows; row++)
	{
		const char *name = ph_row_name(scene->arena, &names, row);

		if (name != NULL)
			ph_scene_text_fit(scene, plot->axis.x - 6, top + (row + 0.5) * height + 3.5,
							  left_margin(plot) - 24, name, style);
	}
	title.anchor = PH_MIDDLE;
	title.vertical = true;
	if (plot->n_rows * height > 26)
		ph_scene_text(scene, plot->axis.x - left_margin(plot) + 14, top + plot->n_rows * height / 2,
					  plot->tasks ? "chare" : "rank", title);
	for (uint32_t l = 0; l < plot->n_lanes; l++)
		for (uint32_t i = 0; i < plot->lanes[l].n; i++)
			draw_cell(scene, plot, &plot->lanes[l], i, top, height);
	ph_scene_close(scene);
}

/* Over all panels: steps that only one run has. */
static void
draw_shades(PhScene *scene, const PhTraceDiffPlot *plot, double top, double bottom)
{
	const PhDiffBars *bars = &plot->bars;

	ph_scene_open(scene, "shades", NULL);
	for (uint32_t i = 0; i < bars->n; i++)
	{
		bool in_a = bars->only_a[i] >= bars->only_b[i];

		if (!(bars->only_a[i] > 0 || bars->only_b[i] > 0))
			continue;
		ph_scene_open(scene, in_a ? "only-a" : "only-b",
					  ph_need_format(scene->arena, "%s\n%s",
									 side(scene->arena, "A", bars->phase_a[i], bars->step_a[i]),
									 side(scene->arena, "B", bars->phase_b[i], bars->step_b[i])));
		ph_scene_data(scene, "run", in_a ? plot->run_a : plot->run_b);
		ph_scene_data_number(scene, "step", in_a ? bars->step_a[i] : bars->step_b[i]);
		ph_scene_rect(scene, ph_step_axis_cell(&plot->axis, bars->column[i]), top,
					  ph_step_axis_cell_width(&plot->axis), bottom - top,
					  ph_fill(only_color(in_a)));
		ph_scene_close(scene);
	}
	ph_scene_close(scene);
}

/* ---- bars ---- */

typedef struct Panel
{
	const char *title, *unit;
	const double *values;
	double top;
} Panel;

static const char *
bar_tooltip(PhArena *arena, const PhTraceDiffPlot *plot, const Panel *panel, uint32_t i)
{
	const PhDiffBars *bars = &plot->bars;

	return ph_need_format(
		arena, "%s %s%s%s\n%s\n%s%s", panel->title,
		ph_signed_value(arena, panel->unit, panel->values[i]), bars->region[i] ? " in " : "",
		bars->region[i] ? bars->region[i] : "", side(arena, "A", bars->phase_a[i], bars->step_a[i]),
		side(arena, "B", bars->phase_b[i], bars->step_b[i]),
		isnan(bars->rank[i]) ? "" : ph_need_format(arena, "\nmost: rank %.0f", bars->rank[i]));
}

/* More time is worse, more messages are just more. */
static PhColor
bar_color(const PhTraceDiffPlot *plot, const Panel *panel, double value)
{
	if (panel->unit == NULL)
		return ph_color_hex(0x5f7390);
	return ph_color_diverging(plot->palette, value > 0 ? 0.8 : -0.8);
}

/* A line at 0 where bars would be. */
static void
draw_unchanged(PhScene *scene, const PhTraceDiffPlot *plot, const Panel *panel)
{
	double width = plot->axis.columns * plot->axis.column_width;
	double y = panel->top + PANEL / 2;
	PhTextStyle style = ph_text_style(11, ph_faint());

	ph_scene_line(scene, plot->axis.x, y, plot->axis.x + width, y, ph_stroke(ph_rule(), 1));
	style.anchor = PH_MIDDLE;
	ph_scene_text_fit(scene, plot->axis.x + width / 2, y - 6, fmax(width, 200),
					  ph_need_format(scene->arena, "no change of %s", panel->title), style);
}

static void
draw_panel(PhScene *scene, const PhTraceDiffPlot *plot, const Panel *panel)
{
	const PhDiffBars *bars = &plot->bars;
	double width = ph_step_axis_cell_width(&plot->axis);
	double gap = width > 5 ? fmin(width * 0.12, 3) : 0;
	double right = plot->axis.x + plot->axis.columns * plot->axis.column_width;
	double low = 0;
	double high = 0;
	PhAxis axis;

	for (uint32_t i = 0; i < bars->n; i++)
	{
		low = fmin(low, panel->values[i]);
		high = fmax(high, panel->values[i]);
	}
	if (!(low < 0 || high > 0))
	{
		draw_unchanged(scene, plot, panel);
		return;
	}
	axis = ph_axis(scene->arena, panel->unit, low * 1.04, high * 1.04, panel->top + PANEL,
				   panel->top, 6);
	ph_axis_draw_left(scene, &axis, plot->axis.x, right,
					  ph_axis_title(scene->arena, &axis, panel->title));
	ph_scene_line(scene, plot->axis.x, ph_axis_at(&axis, 0), right, ph_axis_at(&axis, 0),
				  ph_stroke(ph_rule(), 1));
	for (uint32_t i = 0; i < bars->n; i++)
	{
		double zero = ph_axis_at(&axis, 0);
		double y = ph_axis_at(&axis, panel->values[i]);

		if (!(fabs(panel->values[i]) > 0))
			continue;
		ph_scene_open(scene, "change", bar_tooltip(scene->arena, plot, panel, i));
		ph_scene_data(scene, "run", plot->run_b);
		ph_scene_data_number(scene, "step", bars->step_b[i]);
		ph_scene_data_number(scene, "rank", bars->rank[i]);
		ph_scene_data_number(scene, "value", panel->values[i]);
		ph_scene_rect(scene, ph_step_axis_cell(&plot->axis, bars->column[i]) + gap, fmin(y, zero),
					  width - 2 * gap, fabs(y - zero),
					  ph_fill(bar_color(plot, panel, panel->values[i])));
		ph_scene_close(scene);
	}
}

/* ---- the frame ---- */

/* Numbers of A's steps. */
static void
draw_step_numbers(PhScene *scene, const PhTraceDiffPlot *plot, double y)
{
	const PhDiffBars *bars = &plot->bars;
	PhTextStyle style = ph_text_style(10, ph_faint());
	PhTextStyle title = ph_text_style(11, ph_ink());
	double width = plot->axis.columns * plot->axis.column_width;
	double last_end = -INFINITY;

	style.anchor = title.anchor = PH_MIDDLE;
	ph_scene_open(scene, "axis", NULL);
	ph_scene_line(scene, plot->axis.x, y, plot->axis.x + width, y, ph_stroke(ph_rule(), 1));
	for (uint32_t i = 0; i < bars->n; i++)
	{
		double x = ph_step_axis_cell(&plot->axis, bars->column[i] + 0.5);
		const char *text = ph_need_format(scene->arena, "%.0f", bars->step_a[i]);
		double half = ph_fonts_width(scene->fonts, text, 10, PH_REGULAR) / 2;

		if (isnan(bars->step_a[i]) || x - half < last_end + 14)
			continue;
		ph_scene_line(scene, x, y, x, y + 4, ph_stroke(ph_rule(), 1));
		ph_scene_text(scene, x, y + 15, text, style);
		last_end = x + half;
	}
	ph_scene_text_fit(scene, plot->axis.x + width / 2, y + 30, fmax(width, 150),
					  "logical step of A", title);
	ph_scene_close(scene);
}

static void
draw_legend(PhScene *scene, const PhTraceDiffPlot *plot)
{
	PhArena *arena = scene->arena;
	const char *title = ph_need_format(arena, "change of %s", measure(plot));
	PhRamp ramp = {.title = title,
				   .map = ph_color_diverging,
				   .palette = plot->palette,
				   .t_low = -1,
				   .low = ph_signed_value(arena, "ns", -plot->most),
				   .middle = "0",
				   .high = ph_need_format(arena, "%s%s", ph_signed_value(arena, "ns", plot->most),
										  plot->beyond > 0 ? " or more" : "")};
	double x = PH_MARGIN;

	if (plot->n_rows > 0 && plot->most > 0)
		x = ph_legend_ramp(scene, x, &ramp);
	else if (plot->n_rows > 0)
		x = ph_legend_swatch(scene, x, change_color(plot, 0), false,
							 ph_need_format(arena, "no %s", title));
	x = ph_legend_swatch(scene, x, only_color(true), false, "only in A");
	ph_legend_swatch(scene, x, only_color(false), false, "only in B");
}

static bool
any(const double *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (fabs(values[i]) > 0)
			return true;
	return false;
}

static uint32_t
count_panels(const PhTraceDiffPlot *plot)
{
	return 2 + any(plot->bars.messages, plot->bars.n) - plot->tasks;
}

double
ph_trace_diff_height(const PhTraceDiffPlot *plot, double most)
{
	double least = FOOT + count_panels(plot) * (PANEL + GAP) + 20;

	return fmax(least + fmin(plot->n_rows, 40) * 4.0,
				fmin(most, least + plot->n_rows * MOST_ROW * 0.8));
}

void
ph_trace_diff_draw(PhScene *scene, PhTraceDiffPlot *plot, PhBody body)
{
	Panel all[] = {{"lateness", "ns", plot->bars.lateness, 0},
				   {"duration", "ns", plot->bars.duration, 0},
				   {"messages", NULL, plot->bars.messages, 0}};
	Panel *panels = all + plot->tasks; /* tasks have no lateness */
	uint32_t n_panels = count_panels(plot);
	double bottom = body.y + body.height - FOOT;
	double strip, top, height;

	ph_step_axis_place(&plot->axis, body.x + left_margin(plot), body.width - left_margin(plot));
	strip = ph_phases_height(&plot->phases, &plot->axis);
	top = body.y + 4 + strip;
	height = plot->n_rows > 0
				 ? fmin((bottom - top - n_panels * (PANEL + GAP)) / plot->n_rows, MOST_ROW)
				 : 0;
	draw_legend(scene, plot);
	if (strip > 0)
		ph_phases_draw(scene, &plot->phases, &plot->axis, body.y + 2, plot->palette, plot->run_a);
	draw_shades(scene, plot, top, bottom);
	if (height > 0)
		draw_ranks(scene, plot, top, height);
	for (uint32_t p = 0; p < n_panels; p++)
	{
		panels[p].top = bottom - (n_panels - p) * (PANEL + GAP) + GAP;
		draw_panel(scene, plot, &panels[p]);
	}
	draw_step_numbers(scene, plot, bottom + 2);
}
