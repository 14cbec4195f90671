/*
 * logical_layout.c - processes in logical time: a box per event, messages as lines, phases above.
 *
 * Boxes have gaps and borders while there is room, and touch when there is not. Cells too small to
 * point at are drawn as runs of one colour, so that pictures stay small.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/row_names.h"
#include "views/logical/logical.h"

#define LEFT 56.0
#define LEFT_CHARES 126.0 /* their names are longer than ranks */
#define LEFT_GROUPS 152.0 /* with brackets of planes, boundaries or hosts */
#define GROUP_GAP 8.0	  /* between application and run time */
#define FOOT 38.0
#define LEAST_GROUP 2.5	   /* size of a cell that can be pointed at */
#define LEAST_BORDER 6.0   /* size of a box with gaps and a border */
#define MOST_ROW 30.0	   /* height of a row */
#define LEAST_LINE_ROW 3.0 /* height of rows between which lines can be followed */
#define LEAST_LINE_COLUMN 1.5
#define SHADES 48 /* of runs */

double
ph_logical_middle(const PhLogicalPlot *plot, double row)
{
	return plot->top[(uint32_t) row] + plot->height[(uint32_t) row] / 2;
}

/* ---- boxes ---- */

static const char *
task_tooltip(PhArena *arena, const PhLogicalPlot *plot, const PhLogicalLane *lane, uint32_t i,
			 const char *place, const char *value)
{
	const char *idle =
		lane->idle != NULL && lane->idle[i] > 0
			? ph_need_format(arena, "\nafter %s idle", ph_value(arena, "ns", lane->idle[i]))
			: "";

	if (lane->kind == NULL || lane->kind[i] == NULL)
		return ph_need_format(arena, "%s: %.0f %s\nthe greatest: processor %.0f, %s\n%s%s",
							  plot->row_names[lane->row], lane->count[i],
							  lane->count[i] == 1 ? "event" : "events", lane->rank[i], place, value,
							  idle);
	return ph_need_format(arena, "%s (%s)\n%s on processor %.0f\n%s\n%s%s\nat %s",
						  lane->region[i] ? lane->region[i] : "an entry method", lane->kind[i],
						  plot->row_names[lane->row], lane->rank[i], place, value, idle,
						  ph_value(arena, "ns", lane->enter[i]));
}

static const char *
box_tooltip(PhArena *arena, const PhLogicalPlot *plot, const PhLogicalLane *lane, uint32_t i)
{
	const char *value = ph_need_format(arena, "%s: %s", plot->colors.metric->title,
									   ph_step_value(arena, &plot->colors, lane->value[i]));
	const char *place =
		ph_need_format(arena, "step %.0f, phase %.0f", lane->step[i], lane->phase[i]);

	if (plot->tasks)
		return task_tooltip(arena, plot, lane, i, place, value);
	if (lane->kind == NULL || lane->kind[i] == NULL)
		return ph_need_format(
			arena, "ranks %s: %.0f %s\nthe greatest: rank %.0f, %s\n%s", plot->row_names[lane->row],
			lane->count[i], lane->count[i] == 1 ? "event" : "events", lane->rank[i], place, value);
	if (lane->aggregate[i] > 0)
		return ph_need_format(arena, "before %s\nrank %s, %s\n%s\nuntil %s",
							  lane->region[i] ? lane->region[i] : "a call",
							  plot->row_names[lane->row], place, value,
							  ph_value(arena, "ns", lane->enter[i]));
	return ph_need_format(
		arena, "%s (%s%s)\nrank %s, %s\n%s%s\n%.0f %s of its step%s\n%s to %s",
		lane->region[i] ? lane->region[i] : "a call", lane->kind[i],
		lane->messages[i] > 1 ? ph_need_format(arena, ", %.0f messages", lane->messages[i]) : "",
		plot->row_names[lane->row], place, value, "", lane->peers[i],
		lane->peers[i] == 1 ? "event" : "events",
		lane->peers[i] > 1 && !isnan(lane->earliest[i])
			? ph_need_format(arena, ", rank %.0f was first", lane->earliest[i])
			: "",
		ph_value(arena, "ns", lane->enter[i]), ph_value(arena, "ns", lane->leave[i]));
}

/* What no record tells, only a call, is dashed where a border has room. */
static bool
is_inferred(const PhLogicalLane *lane, uint32_t i)
{
	return lane->kind != NULL && lane->kind[i] != NULL &&
		   strncmp(lane->kind[i], "inferred", strlen("inferred")) == 0;
}

static PhStyle
dashed(PhStyle style)
{
	style.stroke = ph_ink();
	style.stroke_width = 1.1;
	style.dash = 2.5;
	return style;
}

static void
draw_box(PhScene *scene, const PhLogicalPlot *plot, const PhLogicalLane *lane, uint32_t i)
{
	double width = ph_step_axis_cell_width(&plot->axis);
	double height = plot->height[lane->row];
	double gap_x = width > LEAST_BORDER ? fmin(width * 0.1, 3) : 0;
	double gap_y = height > LEAST_BORDER ? fmin(height * 0.12, 3) : 0;
	bool between = lane->aggregate != NULL && lane->aggregate[i] > 0;
	PhStyle style =
		ph_fill(ph_step_color(&plot->colors, (uint32_t) lane->column[i], lane->value[i]));

	if (between)
		gap_y += (height - 2 * gap_y) * 0.2;
	if (width > LEAST_BORDER && height > LEAST_BORDER)
	{
		style.stroke = ph_color_mix(style.fill, ph_color_hex(0), between ? 0.2 : 0.45);
		style.stroke_width = 0.6;
		if (is_inferred(lane, i))
			style = dashed(style);
	}
	ph_scene_open(scene, between ? "aggregate" : "event", box_tooltip(scene->arena, plot, lane, i));
	ph_scene_data(scene, "run", plot->run);
	ph_scene_data_number(scene, "rank", lane->rank[i]);
	ph_scene_data_number(scene, "step", lane->step[i]);
	ph_scene_data_number(scene, "phase", lane->phase[i]);
	ph_scene_data_number(scene, "value", lane->value[i]);
	ph_scene_rect(scene, ph_step_axis_cell(&plot->axis, lane->column[i]) + gap_x,
				  plot->top[lane->row] + gap_y, width - 2 * gap_x, height - 2 * gap_y, style);
	ph_scene_close(scene);
}

/* Black bars where events waited for what came while their processor was idle. */
static void
draw_idle(PhScene *scene, const PhLogicalPlot *plot, const PhLogicalLane *lane)
{
	double width = ph_step_axis_cell_width(&plot->axis);
	double bar = fmin(fmax(width * 0.22, 1), 4);
	double gap = plot->height[lane->row] > LEAST_BORDER ? plot->height[lane->row] * 0.06 : 0;

	for (uint32_t i = 0; lane->idle != NULL && i < lane->n; i++)
		if (lane->idle[i] > 0)
			ph_scene_rect(scene, ph_step_axis_cell(&plot->axis, lane->column[i]),
						  plot->top[lane->row] + gap, bar, plot->height[lane->row] - 2 * gap,
						  ph_fill(ph_color_hex(0)));
}

/* ---- runs of small cells ---- */

static bool
same_color(PhColor a, PhColor b)
{
	return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

/* The colour of one of SHADES classes, so that neighbours of nearly one value are one run. */
static PhColor
class_color(const PhStepColors *colors, uint32_t column, double value)
{
	double high = colors->column_high ? colors->column_high[column] : colors->high;
	double size = (high - colors->low) / SHADES;

	if (colors->metric->kind != PH_METRIC_PHASE && size > 0)
		value = colors->low + round((value - colors->low) / size) * size;
	return ph_step_color(colors, column, value);
}

static void
draw_runs(PhScene *scene, const PhLogicalPlot *plot, const PhLogicalLane *lane)
{
	double y = plot->top[lane->row];
	double right;
	uint32_t end;

	for (uint32_t i = 0; i < lane->n; i = end)
	{
		PhColor color = class_color(&plot->colors, (uint32_t) lane->column[i], lane->value[i]);
		double left = round(ph_step_axis_cell(&plot->axis, lane->column[i]));

		end = i + 1;
		while (end < lane->n && lane->column[end] == lane->column[end - 1] + 1 &&
			   same_color(color, class_color(&plot->colors, (uint32_t) lane->column[end],
											 lane->value[end])))
			end++;
		right = round(ph_step_axis_cell(&plot->axis, lane->column[end - 1] + 1));
		ph_scene_rect(scene, left, y, fmax(right - left, 1), plot->height[lane->row],
					  ph_fill(color));
	}
}

void
ph_logical_draw_cells(PhScene *scene, const PhLogicalPlot *plot)
{
	double width = ph_step_axis_cell_width(&plot->axis);

	ph_scene_open(scene, "events", NULL);
	for (uint32_t l = 0; l < plot->n_lanes; l++)
	{
		const PhLogicalLane *lane = &plot->lanes[l];
		bool pointable = width >= LEAST_GROUP && plot->height[lane->row] >= LEAST_GROUP;

		if (!pointable)
			draw_runs(scene, plot, lane);
		for (uint32_t i = 0; pointable && i < lane->n; i++)
			draw_box(scene, plot, lane, i);
		draw_idle(scene, plot, lane);
	}
	ph_scene_close(scene);
}

/* ---- messages ---- */

static bool
lines_fit(const PhLogicalPlot *plot)
{
	return !(plot->lines.n > plot->most_lines) && plot->row_height >= LEAST_LINE_ROW &&
		   plot->axis.column_width >= LEAST_LINE_COLUMN;
}

static void
draw_line(PhScene *scene, const PhLogicalPlot *plot, uint32_t i, PhStyle style)
{
	const PhLogicalLines *lines = &plot->lines;
	const PhStepAxis *axis = &plot->axis;
	double x0 = ph_step_axis_at(axis, lines->send_step[i]);
	double x1 = ph_step_axis_at(axis, lines->receive_step[i]);
	double y0 = ph_logical_middle(plot, lines->from_row[i]);
	double y1 = ph_logical_middle(plot, lines->to_row[i]);
	double slope = (y1 - y0) / fmax(x1 - x0, 1e-9);
	double left = axis->x;
	double right = axis->x + axis->columns * axis->column_width;

	/* the part inside the window */
	if (x0 < left)
		y0 += (left - x0) * slope, x0 = left;
	if (x1 > right)
		y1 -= (x1 - right) * slope, x1 = right;
	ph_scene_open(scene, "message",
				  ph_need_format(scene->arena, "rank %s to rank %s, %s\nstep %.0f to %.0f",
								 plot->row_names[(uint32_t) lines->from_row[i]],
								 plot->row_names[(uint32_t) lines->to_row[i]],
								 ph_value(scene->arena, "bytes", lines->bytes[i]),
								 lines->send_step[i], lines->receive_step[i]));
	ph_scene_data(scene, "run", plot->run);
	ph_scene_data_number(scene, "step", lines->send_step[i]);
	ph_scene_line(scene, x0, y0, x1, y1, style);
	ph_scene_close(scene);
}

void
ph_logical_draw_lines(PhScene *scene, const PhLogicalPlot *plot)
{
	const PhLogicalLines *lines = &plot->lines;
	double crowd = lines->n / fmax(1, plot->axis.columns * plot->axis.column_width);
	PhStyle style =
		ph_stroke(ph_color_alpha(ph_color_hex(0x10151c), fmin(0.85, fmax(0.2, 0.9 - 0.7 * crowd))),
				  fmin(1.1, fmax(0.5, plot->row_height / 16)));

	if (lines->n == 0 || !lines_fit(plot))
		return;
	ph_scene_open(scene, "messages", NULL);
	for (uint32_t i = 0; i < lines->n; i++)
		if (lines->from_row[i] >= 0 && lines->from_row[i] < plot->n_rows && lines->to_row[i] >= 0 &&
			lines->to_row[i] < plot->n_rows && lines->receive_step[i] >= plot->axis.first &&
			lines->send_step[i] < plot->axis.end)
			draw_line(scene, plot, i, style);
	ph_scene_close(scene);
}

/* ---- the frame ---- */

static uint32_t
first_runtime(const PhLogicalPlot *plot)
{
	return plot->n_rows - plot->n_runtime;
}

static double
left_margin(const PhLogicalPlot *plot)
{
	if (plot->labels != NULL)
		return LEFT_GROUPS;
	return plot->tasks ? LEFT_CHARES : LEFT;
}

/* "rank"; of tasks "chare" beside the chares and "run time" beside its rows. */
static void
draw_title(PhScene *scene, const PhLogicalPlot *plot, const char *text, uint32_t first,
		   uint32_t end)
{
	PhTextStyle title = ph_text_style(11, ph_ink());
	double top, bottom;

	if (first == end)
		return;
	top = plot->top[first];
	bottom = plot->top[end - 1] + plot->height[end - 1];
	title.anchor = PH_MIDDLE;
	title.vertical = true;
	if (bottom - top > ph_fonts_width(scene->fonts, text, 11, PH_REGULAR))
		ph_scene_text(scene, plot->axis.x - left_margin(plot) + 12, (top + bottom) / 2, text,
					  title);
}

/* A row's name where it fits; NULL: not here. Chares and the run time's rows count by themselves.
 */
static const char *
name_of_row(PhArena *arena, const PhLogicalPlot *plot, const PhRowNames *names, uint32_t row)
{
	const char *name = plot->row_names[row];

	if (plot->tasks && row < first_runtime(plot))
		return fmod(row, names->every) == 0 && row + names->every <= first_runtime(plot) ? name
																						 : NULL;
	if (plot->tasks)
		return fmod(row - first_runtime(plot), names->every) == 0 ? name : NULL;
	return ph_row_name(arena, names, row);
}

static const char *
label_of(const PhLogicalPlot *plot, uint32_t row)
{
	return plot->labels[row] != NULL ? plot->labels[row] : "unknown host";
}

/* A bracket and a name beside the rows of each plane, boundary or host. */
static void
draw_groups(PhScene *scene, const PhLogicalPlot *plot)
{
	PhTextStyle style = ph_text_style(9.5, ph_faint());
	double x = plot->axis.x - LEFT;
	double free = -INFINITY; /* below the last name */

	style.anchor = PH_END;
	for (uint32_t row = 0, end = 0; plot->labels != NULL && row < plot->n_rows; row = end)
	{
		double middle;

		for (end = row + 1; end < plot->n_rows; end++)
			if (strcmp(label_of(plot, end), label_of(plot, row)) != 0)
				break;
		middle = (plot->top[row] + plot->top[end - 1] + plot->height[end - 1]) / 2;
		ph_scene_line(scene, x, plot->top[row] + 0.5, x,
					  plot->top[end - 1] + plot->height[end - 1] - 0.5, ph_stroke(ph_faint(), 1));
		if (middle - 6 < free)
			continue;
		ph_scene_text_fit(scene, x - 4, middle + 3.5, LEFT_GROUPS - LEFT - 6, label_of(plot, row),
						  style);
		free = middle + 6;
	}
}

static const char *
title_of_rows(PhArena *arena, const PhLogicalPlot *plot)
{
	if (plot->labels != NULL)
		return ph_need_format(arena, "ranks by %s", plot->order);
	return plot->tasks ? "chare" : "rank";
}

static double
name_room(const PhLogicalPlot *plot)
{
	if (plot->labels != NULL)
		return LEFT - 8;
	return plot->tasks ? LEFT_CHARES - 30 : LEFT - 20;
}

static void
draw_row_names(PhScene *scene, const PhLogicalPlot *plot)
{
	PhTextStyle style = ph_text_style(10, ph_faint());
	double left = plot->axis.x;
	double right = left + plot->axis.columns * plot->axis.column_width;
	PhRowNames names = ph_row_names(scene->arena, plot->row_names, plot->n_rows, plot->row_height);

	style.anchor = PH_END;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t row = 0; row < plot->n_rows; row++)
	{
		double y = ph_logical_middle(plot, row);
		const char *name = name_of_row(scene->arena, plot, &names, row);

		if (names.every == 1)
			ph_scene_line(scene, left, y, right, y, ph_stroke(ph_color_hex(0xe9ecf0), 1));
		if (name != NULL)
			ph_scene_text_fit(scene, left - 5, y + 3.5, name_room(plot), name, style);
	}
	draw_groups(scene, plot);
	draw_title(scene, plot, title_of_rows(scene->arena, plot), 0, first_runtime(plot));
	draw_title(scene, plot, "run time", first_runtime(plot), plot->n_rows);
	ph_scene_close(scene);
}

static PhColor
ground_color(void)
{
	return ph_color_hex(0xd9dce1);
}

/* The run time's rows are on grey. */
static void
draw_ground(PhScene *scene, const PhLogicalPlot *plot)
{
	uint32_t first = first_runtime(plot);

	if (plot->n_runtime == 0)
		return;
	ph_scene_rect(
		scene, plot->axis.x, plot->top[first] - 2, plot->axis.columns * plot->axis.column_width,
		plot->top[plot->n_rows - 1] + plot->height[plot->n_rows - 1] - plot->top[first] + 4,
		ph_fill(ground_color()));
}

static double
height_of_rows(const PhLogicalPlot *plot, double room)
{
	return fmin(room / plot->n_rows, MOST_ROW);
}

double
ph_logical_height(const PhLogicalPlot *plot, double most)
{
	return fmin(most, fmax(90, plot->n_rows * MOST_ROW * 0.8 + FOOT + 4) +
						  (plot->phases.n_lanes <= 3 ? plot->phases.n_lanes * PH_PHASE_LANE : 0));
}

const char *
ph_logical_lines_problem(const PhLogicalPlot *plot)
{
	if (plot->lines.n == 0)
		return NULL;
	if (plot->lines.n > plot->most_lines)
		return "too many messages to draw: choose --steps or --ranks";
	return plot->axis.column_width < LEAST_LINE_COLUMN ? "messages are not drawn: choose --steps"
													   : NULL;
}

/* Is any box dashed? */
static bool
shows_inferred(const PhLogicalPlot *plot)
{
	if (ph_step_axis_cell_width(&plot->axis) <= LEAST_BORDER || plot->row_height <= LEAST_BORDER)
		return false;
	for (uint32_t l = 0; l < plot->n_lanes; l++)
		for (uint32_t i = 0; i < plot->lanes[l].n; i++)
			if (is_inferred(&plot->lanes[l], i))
				return true;
	return false;
}

static double
draw_inferred_legend(PhScene *scene, double x, const char *text)
{
	PhBody square = ph_legend_place(x);
	double end = ph_legend_swatch(scene, x, ph_color_hex(0xffffff), false, text);

	ph_scene_rect(scene, square.x, square.y, square.width, square.height,
				  dashed(ph_fill(ph_color_hex(0xffffff))));
	return end;
}

static bool
has_inferred_phases(const PhLogicalPlot *plot)
{
	for (uint32_t i = 0; i < plot->phases.n; i++)
		if (plot->phases.inferred[i] > 0)
			return true;
	return false;
}

static void
draw_legend(PhScene *scene, const PhLogicalPlot *plot)
{
	double x = ph_step_legend(scene, &plot->colors);
	bool idle = false;

	for (uint32_t l = 0; l < plot->n_lanes; l++)
		idle = idle || plot->lanes[l].idle != NULL;
	if (shows_inferred(plot))
		x = draw_inferred_legend(scene, x, "inferred from its call");
	if (has_inferred_phases(plot) && ph_phases_height(&plot->phases, &plot->axis) > 0)
		x = draw_inferred_legend(scene, x, "phase with inferred dependencies");
	if (idle)
		x = ph_legend_swatch(scene, x, ph_color_hex(0), false, "its processor was idle before");
	if (plot->n_runtime > 0)
		ph_legend_swatch(scene, x, ground_color(), false, "run time");
}

/* Rows without borders begin at whole pixels: what lies between two shines through neither. */
static void
place_rows(PhLogicalPlot *plot, double top, double height, double gap)
{
	bool whole = height >= 1 && height <= LEAST_BORDER;

	plot->row_height = height;
	for (uint32_t row = 0; row < plot->n_rows; row++)
	{
		double y = top + row * height + (row >= first_runtime(plot) ? gap : 0);

		plot->top[row] = whole ? round(y) : y;
		plot->height[row] = whole ? round(y + height) - round(y) : height;
	}
}

void
ph_logical_draw(PhScene *scene, PhLogicalPlot *plot, PhBody body)
{
	double left = left_margin(plot);
	double gap = plot->n_runtime > 0 ? GROUP_GAP : 0;
	double strip, height;

	ph_step_axis_place(&plot->axis, body.x + left, body.width - left);
	strip = ph_phases_height(&plot->phases, &plot->axis);
	height = height_of_rows(plot, body.height - FOOT - 4 - strip - gap);
	place_rows(plot, body.y + 4 + strip, height, gap);
	draw_legend(scene, plot);
	if (strip > 0)
		ph_phases_draw(scene, &plot->phases, &plot->axis, body.y + 2, plot->colors.palette,
					   plot->run);
	draw_ground(scene, plot);
	draw_row_names(scene, plot);
	ph_logical_draw_cells(scene, plot);
	ph_logical_draw_lines(scene, plot);
	ph_step_axis_draw(scene, &plot->axis, body.y + 6 + strip + gap + plot->n_rows * height);
}
