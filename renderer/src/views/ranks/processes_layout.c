/*
 * processes_layout.c - processes as a grid of boxes: width greatest, height least, colour mean.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/ranks/columns.h"
#include "views/ranks/processes.h"

#define MOST_SIDE 84.0
#define LABEL_SIZE 9.5
#define LEAST_BOX 1.0
#define LEAST_CONTRAST 0.1 /* means that differ by less look about alike */
#define FRAMED 10.0		   /* side from which cells have an outline */

/* ---- rows ---------------------------------------------------------------------------------- */

/* Means that are about alike have about the middle colour, not that of the most. */
static void
find_colors(PhProcesses *p)
{
	double least = LEAST_CONTRAST * p->colors.high;

	p->low_mean = p->colors.low;
	p->high_mean = p->colors.high;
	if (p->high_mean - p->low_mean < least)
	{
		p->low_mean = (p->colors.low + p->colors.high - least) / 2;
		p->high_mean = p->low_mean + least;
	}
}

static void
find_ends(PhArena *arena, PhProcesses *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		p->greatest_max = fmax(p->greatest_max, p->max[i]);
	p->widths = ph_range_robust(arena, p->max, p->n);
	p->heights = ph_range_robust(arena, p->min, p->n);
	p->colors = ph_range_robust(arena, p->mean, p->n);
	find_colors(p);
}

void
ph_processes_read(PhArena *arena, const PhViewRows *rows, PhProcesses *out)
{
	const PhTable *grid = ph_rows_table(rows, "grid");
	const PhTable *cells = ph_rows_table(rows, "cells");
	const char *order = ph_table_text(grid, 0, "order");

	memset(out, 0, sizeof(*out));
	out->max = ph_table_numbers(arena, cells, 0, "max", &out->n);
	out->n_processes = ph_table_number(grid, 0, "n");
	out->per = fmax(ph_table_number(cells, 0, "per"), 1);
	out->by_rank = out->n_processes > 0 && ph_table_number(grid, 0, "ranks") == out->n_processes;
	out->threaded = ph_table_number(grid, 0, "threads") > 0;
	out->by_host = order != NULL && strcmp(order, "rank") != 0;
	out->by_iteration = order != NULL && strcmp(order, "iteration") == 0;
	out->order = order;
	out->count = ph_column_numbers(arena, cells, "n", out->n, NAN);
	out->min = ph_column_numbers(arena, cells, "min", out->n, NAN);
	out->mean = ph_column_numbers(arena, cells, "mean", out->n, NAN);
	out->present = ph_column_numbers(arena, cells, "present", out->n, NAN);
	out->rank = ph_column_numbers(arena, cells, "rank", out->n, NAN);
	out->first = ph_column_texts(arena, cells, "first", out->n);
	out->last = ph_column_texts(arena, cells, "last", out->n);
	out->worst = ph_column_texts(arena, cells, "worst", out->n);
	out->worst_node = ph_column_texts(arena, cells, "worst_node", out->n);
	out->host = ph_column_texts(arena, cells, "host", out->n);
	find_ends(arena, out);
}

const char *
ph_processes_noun(const PhProcesses *processes, bool one)
{
	if (processes->by_iteration)
		return one ? "iteration" : "iterations";
	if (processes->by_rank)
		return one ? "rank" : "ranks";
	if (processes->threaded)
		return one ? "thread" : "threads";
	return one ? "column" : "columns";
}

const char *
ph_processes_cell(PhArena *arena, const PhProcesses *processes, uint32_t cell)
{
	const char *first = processes->first[cell] ? processes->first[cell] : "";
	const char *last = processes->last[cell] ? processes->last[cell] : "";

	if (strcmp(first, last) == 0)
		return first;
	return ph_need_format(arena, "%s to %s", first, last);
}

/* ---- grid ---------------------------------------------------------------------------------- */

static double
down_of(uint32_t n, double across)
{
	return ceil(n / across);
}

PhProcessGrid
ph_process_grid_fit(uint32_t n, double width, double height, double most)
{
	PhProcessGrid grid = {1, 1, fmin(fmin(width, height), most)};
	double across;

	if (n == 0)
		return grid;
	/* the fewest across whose squares, as wide as they can be, are low enough; with one fewer the
	 * height decides */
	across = fmax(floor(sqrt(n * width / height)), 1);
	while (across > 1 && width / (across - 1) * down_of(n, across - 1) <= height)
		across--;
	while (across < n && width / across * down_of(n, across) > height)
		across++;
	grid.side = fmin(width / across, height / down_of(n, across));
	if (across > 1)
		grid.side = fmax(grid.side, height / down_of(n, across - 1));
	grid.side = fmin(grid.side, most);
	grid.across = (uint32_t) fmin(fmax(floor(width / grid.side * (1 + 1e-12)), 1), n);
	grid.down = (uint32_t) down_of(n, grid.across);
	return grid;
}

/* ---- boxes --------------------------------------------------------------------------------- */

static const char *
tooltip(PhArena *arena, const PhProcesses *p, const PhProcessesPaint *paint, uint32_t i)
{
	const char *text = ph_processes_cell(arena, p, i);

	if (p->count[i] > 1)
		text =
			ph_need_format(arena, "%s (%.0f %s)", text, p->count[i], ph_processes_noun(p, false));
	if (p->host[i])
		text = ph_need_format(arena, "%s on %s", text, p->host[i]);
	if (isnan(p->min[i]))
		return ph_need_format(arena, "%s\nnothing spent", text);
	text = ph_need_format(arena, "%s\ngreatest %s", text,
						  ph_value(arena, paint->unit_name, p->max[i]));
	if (p->worst_node[i])
		text = ph_need_format(arena, "%s in %s%s%s", text, p->worst_node[i],
							  p->count[i] > 1 && p->worst[i] ? ", " : "",
							  p->count[i] > 1 && p->worst[i] ? p->worst[i] : "");
	return ph_need_format(arena, "%s\nleast %s\nmean %s", text,
						  ph_value(arena, paint->unit_name, p->min[i]),
						  ph_value(arena, paint->unit_name, p->mean[i]));
}

static double
share_of(double value, double of)
{
	return of > 0 && value > 0 ? fmin(value / of, 1) : 0;
}

static bool
is_beyond(const PhRange *range, double value)
{
	return (range->above > 0 && value > range->high) || (range->below > 0 && value < range->low);
}

/* Boxes cannot grow beyond their cells: without a colour the greatest of all looks like others. */
static bool
process_is_beyond(const PhProcesses *p, uint32_t cell)
{
	return is_beyond(&p->colors, p->mean[cell]) ||
		   (p->widths.above > 0 && p->max[cell] > p->widths.high);
}

static PhColor
box_color(const PhProcesses *p, const PhProcessesPaint *paint, uint32_t cell)
{
	double range = p->high_mean - p->low_mean;

	if (process_is_beyond(p, cell))
		return ph_color_beyond(paint->palette);
	return ph_color_sequential(paint->palette,
							   range > 0 ? (p->mean[cell] - p->low_mean) / range : 0.5);
}

static void
draw_cell(PhScene *scene, const PhProcesses *p, const PhProcessesPaint *paint, uint32_t i,
		  PhBody cell)
{
	double air = fmin(round(cell.width * 0.12), 4);
	double room = cell.width - air;
	PhColor fill = box_color(p, paint, i);

	ph_scene_open(scene, "process", tooltip(scene->arena, p, paint, i));
	ph_scene_data(scene, "run", paint->run);
	ph_scene_data_number(scene, "rank", p->rank[i]);
	ph_scene_data(scene, "node", p->worst_node[i]);
	ph_scene_data_number(scene, "processes", p->count[i]);
	ph_scene_data_number(scene, "value", p->max[i]);
	ph_scene_data_number(scene, "min", p->min[i]);
	ph_scene_data_number(scene, "mean", p->mean[i]);
	if (cell.width >= FRAMED)
		ph_scene_rect(scene, cell.x + floor(air / 2), cell.y + floor(air / 2), room, room,
					  ph_stroke(ph_color_hex(0xe3e6ea), 0.6));
	if (!isnan(p->min[i]))
		ph_scene_rect(scene, cell.x + floor(air / 2), cell.y + floor(air / 2),
					  fmax(room * share_of(p->max[i], p->widths.high), LEAST_BOX),
					  fmax(room * share_of(p->min[i], p->heights.high), LEAST_BOX), ph_fill(fill));
	ph_scene_close(scene);
}

static const char *
line_label(PhArena *arena, const PhProcesses *p, uint32_t cell)
{
	if (p->by_host && p->host[cell])
		return p->host[cell];
	if (p->by_rank && !isnan(p->rank[cell]))
		return ph_need_format(arena, "%.0f", p->rank[cell]);
	return p->first[cell];
}

/* The first process of a line, where lines are far enough apart. */
static void
label_lines(PhScene *scene, const PhProcesses *p, const PhProcessGrid *grid, PhBody where)
{
	PhTextStyle style = ph_text_style(LABEL_SIZE, ph_faint());
	double last = -INFINITY;

	style.anchor = PH_END;
	ph_scene_open(scene, "axis", NULL);
	ph_scene_text(scene, where.x - 6, where.y - 7,
				  p->by_host ? ph_need_format(scene->arena, "from %s", p->order)
							 : ph_need_format(scene->arena, "from %s", ph_processes_noun(p, true)),
				  style);
	for (uint32_t line = 0; line < grid->down; line++)
	{
		uint32_t cell = line * grid->across;
		double y = where.y + line * grid->side + fmin(grid->side, 12) / 2 + LABEL_SIZE * 0.35;
		const char *text = line_label(scene->arena, p, cell);

		if (text == NULL || y < last + LABEL_SIZE + 3)
			continue;
		if (ph_scene_text_fit(scene, where.x - 6, y, PH_PROCESSES_LEFT - 8, text, style))
			last = y;
	}
	ph_scene_close(scene);
}

double
ph_processes_draw(PhScene *scene, const PhProcesses *p, const PhProcessesPaint *paint, PhBody where)
{
	PhProcessGrid grid;

	where.x += PH_PROCESSES_LEFT;
	where.width -= PH_PROCESSES_LEFT;
	grid = ph_process_grid_fit(p->n, where.width, where.height, MOST_SIDE);
	if (grid.side >= 2)
		grid.side =
			floor(grid.side); /* whole units: parts would make some gaps wider than others */
	ph_scene_open(scene, "processes", NULL);
	ph_scene_data(scene, "run", paint->run);
	for (uint32_t i = 0; i < p->n; i++)
		draw_cell(scene, p, paint, i,
				  (PhBody){where.x + i % grid.across * grid.side,
						   where.y + i / grid.across * grid.side, grid.side, grid.side});
	label_lines(scene, p, &grid, where);
	ph_scene_close(scene);
	return grid.down * grid.side;
}

uint32_t
ph_processes_beyond(const PhProcesses *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n; i++)
		n += process_is_beyond(p, i);
	return n;
}

/* "12 ms", or "12 ms or more" where greater ones have the same size. */
static const char *
end_text(PhArena *arena, const PhProcessesPaint *paint, double value, uint32_t beyond)
{
	const char *text = ph_value(arena, paint->unit_name, value);

	return beyond > 0 ? ph_need_format(arena, "%s or more", text) : text;
}

void
ph_processes_legend(PhScene *scene, const PhProcesses *p, const PhProcessesPaint *paint)
{
	PhArena *arena = scene->arena;
	PhRamp ramp = {.palette = paint->palette,
				   .map = ph_color_sequential,
				   .title = ph_need_format(arena, "mean self %s", paint->metric),
				   .low = ph_value(arena, paint->unit_name, p->low_mean),
				   .high = ph_value(arena, paint->unit_name, p->high_mean)};
	uint32_t beyond = ph_processes_beyond(p);
	double x = ph_legend_ramp(scene, PH_MARGIN, &ramp);
	const char *text = ph_need_format(arena, "full width: greatest %s%s, full height: least %s%s",
									  end_text(arena, paint, p->widths.high, p->widths.above),
									  ph_range_beyond(arena, p->widths.above),
									  end_text(arena, paint, p->heights.high, p->heights.above),
									  ph_range_beyond(arena, p->heights.above));

	if (beyond > 0)
		x = ph_legend_swatch(scene, x, ph_color_beyond(paint->palette), false,
							 ph_need_format(arena, "%u beyond", beyond));
	if (x + 40 + ph_fonts_width(scene->fonts, text, 10.5, PH_REGULAR) > scene->width - PH_MARGIN)
		return;
	ph_scene_open(scene, "key", NULL);
	ph_legend_swatch(scene, x, ph_color_hex(0x9aa5b5), false, text);
	ph_scene_close(scene);
}
