/*
 * history_draw.c - panels of series along a history, or along iterations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "drawing/arena_must.h"
#include "drawing/small_multiples.h"
#include "views/history/history.h"

#define MARKS 16.0 /* above its plot: what changed */
#define BELOW 12.0
#define HASH_SIZE 9.0
#define MARK_SIZE 9.5
#define RUN_COLOR 0x31688e
#define RANKS_COLOR 0xc9dcec   /* from the least to the greatest rank */
#define SIDE_COLOR 0xc2873b	   /* of commits that are not on the main line, in cells */
#define NEITHER_COLOR 0x6b7280 /* neither better nor worse */
#define MOST_POINTS 6000	   /* that carry data and tooltips */
#define CELL 2.0			   /* side of what stands for all points in it where there are more */

/* One panel on the paper. */
typedef struct Plot
{
	const PhHistory *history;
	const PhHistoryPanel *panel;
	PhPalette palette;
	double left, right, top, bottom; /* of the plot itself */
	double step;					 /* between slots */
	PhAxis y;
	bool crowded; /* runs are not drawn one by one */
} Plot;

/* Of a time, or the number of an iteration. */
static double
time_x(const Plot *plot, double time)
{
	const PhHistory *history = plot->history;
	double span = history->time_to - history->time_from;

	return span > 0 ? plot->left + (0.02 + 0.96 * (time - history->time_from) / span) *
									   (plot->right - plot->left)
					: (plot->left + plot->right) / 2;
}

static double
place_x(const Plot *plot, uint32_t i)
{
	const PhHistoryPlace *place = &plot->panel->condition->places[i];

	if (plot->history->axis != PH_HISTORY_COMMITS)
		return time_x(plot, place->time);
	return plot->left + (place->slot + 0.5 + place->offset * 0.6) * plot->step;
}

/* Between the last place of the old level and the first of the new one. */
static double
boundary_x(const Plot *plot, uint32_t index)
{
	return (place_x(plot, index - 1) + place_x(plot, index)) / 2;
}

static PhColor
change_color(const Plot *plot, const PhHistoryChange *change)
{
	bool worse = plot->history->better == 1 ? change->relative < 0 : change->relative > 0;

	if (isnan(change->relative) || plot->history->better == 0)
		return ph_color_hex(NEITHER_COLOR);
	return ph_color_diverging(plot->palette, worse ? 0.9 : -0.9);
}

/* ---- what a panel consists of -------------------------------------------------------------- */

static const char *
level_tooltip(PhArena *arena, const Plot *plot, const PhHistoryLevel *level)
{
	const char *unit_name = plot->history->unit_name;
	const char *text =
		ph_need_format(arena, "mean %s of %u %s", ph_value(arena, unit_name, level->mean), level->n,
					   plot->history->axis == PH_HISTORY_ITERATIONS ? "iterations" : "runs");

	if (isnan(level->low))
		return text;
	return ph_need_format(
		arena, "%s\n95 %% range %s to %s%s", text, ph_value(arena, unit_name, level->low),
		ph_value(arena, unit_name, level->high), level->by_commit ? ", of the commits' means" : "");
}

static void
level_ends(const Plot *plot, const PhHistoryLevel *level, double *from, double *to)
{
	*from = level->from > 0 ? boundary_x(plot, level->from) + 1 : plot->left;
	*to = level->to < plot->panel->condition->n ? boundary_x(plot, level->to) - 1 : plot->right;
	*to = fmax(*to, *from + 0.5);
}

/* What the ranks reach at each pixel across: its right edge, from the least to the greatest. */
typedef struct RankSpan
{
	double x, top, bottom;
} RankSpan;

static uint32_t
find_spans(const Plot *plot, RankSpan *out)
{
	const PhHistoryPanel *panel = plot->panel;
	uint32_t n = 0;

	for (uint32_t i = 0; i < panel->condition->n; i++)
	{
		double x = place_x(plot, i);
		double top = ph_axis_at(&plot->y, panel->greatest[i]);
		double bottom = ph_axis_at(&plot->y, panel->least[i]);

		if (isnan(top) || isnan(bottom))
			continue;
		if (n > 0 && floor(out[n - 1].x) == floor(x))
			out[n - 1] = (RankSpan){out[n - 1].x, fmin(out[n - 1].top, top),
									fmax(out[n - 1].bottom, bottom)};
		else
			out[n++] = (RankSpan){x, top, bottom};
	}
	return n;
}

/* A band behind the means, such that one slow rank of many is seen. */
static void
draw_ranks(PhScene *scene, const Plot *plot)
{
	PhPath path = ph_path(scene);
	RankSpan *spans;
	uint32_t n;

	if (plot->panel->greatest == NULL)
		return;
	spans = ph_need(scene->arena, (size_t) plot->panel->condition->n + 1, sizeof(RankSpan));
	n = find_spans(plot, spans);
	if (n == 0)
		return;
	if (n == 1) /* as wide as a point */
	{
		spans[n++] = spans[0];
		spans[0].x -= 2;
		spans[1].x += 2;
	}
	ph_path_move(&path, spans[0].x, spans[0].top);
	for (uint32_t i = 1; i < n; i++)
		ph_path_line(&path, spans[i].x, spans[i].top);
	for (uint32_t i = n; i-- > 0;)
		ph_path_line(&path, spans[i].x, spans[i].bottom);
	ph_path_close(&path);
	ph_scene_open(scene, "ranks", NULL);
	ph_scene_path(scene, &path, ph_fill(ph_color_hex(RANKS_COLOR)));
	ph_scene_close(scene);
}

/* The ranges lie below the points. */
static void
draw_ranges(PhScene *scene, const Plot *plot)
{
	for (uint32_t i = 0; i < plot->panel->n_levels; i++)
	{
		const PhHistoryLevel *level = &plot->panel->levels[i];
		double high = ph_axis_at(&plot->y, fmin(level->high, plot->y.high));
		double low = ph_axis_at(&plot->y, fmax(level->low, plot->y.low));
		double from;
		double to;

		if (isnan(level->low))
			continue;
		level_ends(plot, level, &from, &to);
		ph_scene_rect(scene, from, high, to - from, low - high, ph_fill(ph_color_hex(0xd3e0ee)));
	}
}

static void
draw_levels(PhScene *scene, const Plot *plot)
{
	for (uint32_t i = 0; i < plot->panel->n_levels; i++)
	{
		const PhHistoryLevel *level = &plot->panel->levels[i];
		double y = ph_axis_at(&plot->y, level->mean);
		double from;
		double to;

		if (isnan(level->mean))
			continue;
		level_ends(plot, level, &from, &to);
		ph_scene_open(scene, "level", level_tooltip(scene->arena, plot, level));
		ph_scene_data_number(scene, "mean", level->mean);
		ph_scene_data_number(scene, "low", level->low);
		ph_scene_data_number(scene, "high", level->high);
		ph_scene_line(scene, from, y, to, y, ph_stroke(ph_color_hex(0x14273b), 1.6));
		ph_scene_close(scene);
	}
}

static const char *
iteration_tooltip(PhArena *arena, const Plot *plot, uint32_t i)
{
	const PhHistoryPanel *panel = plot->panel;
	const char *unit = plot->history->unit_name;
	const char *text = ph_need_format(arena, "iteration %.0f: %s", panel->condition->places[i].time,
									  ph_value(arena, unit, panel->values[i]));

	if (panel->greatest == NULL)
		return text;
	text = ph_need_format(arena, "%s\n%s to %s", text, ph_value(arena, unit, panel->least[i]),
						  ph_value(arena, unit, panel->greatest[i]));
	return isnan(panel->worst[i]) ? text
								  : ph_need_format(arena, "%s on rank %.0f", text, panel->worst[i]);
}

static const char *
point_tooltip(PhArena *arena, const Plot *plot, uint32_t i)
{
	const PhHistoryPlace *place = &plot->panel->condition->places[i];
	const PhHistorySlot *slot = &plot->history->slots[place->slot];
	const char *text =
		ph_need_format(arena, "run %s: %s", place->run ? place->run : "?",
					   ph_value(arena, plot->history->unit_name, plot->panel->values[i]));

	if (slot->commit)
		text = ph_need_format(arena, "%s\ncommit %.10s%s", text, slot->commit,
							  slot->known && !slot->main_line ? ", not on the main line" : "");
	return slot->subject ? ph_need_format(arena, "%s\n%s", text, slot->subject) : text;
}

static void
draw_points(PhScene *scene, const Plot *plot)
{
	const PhHistoryCondition *condition = plot->panel->condition;
	bool is_iteration = plot->history->axis == PH_HISTORY_ITERATIONS;
	double radius = fmin(fmax(plot->step * 0.14, 1.5), 3.2);
	PhColor blue = ph_color_hex(RUN_COLOR);

	if (plot->history->axis != PH_HISTORY_COMMITS)
		radius = condition->n > 200 ? 1.7 : 2.8;
	for (uint32_t i = 0; i < condition->n; i++)
	{
		const PhHistorySlot *slot = &plot->history->slots[condition->places[i].slot];
		bool side = slot->known && !slot->main_line;

		if (isnan(plot->panel->values[i]))
			continue;
		PhStyle style = {.fill = side ? ph_color_hex(0xffffff)
									  : ph_color_alpha(blue, condition->n > 300 ? 0.45 : 0.75),
						 .stroke = blue,
						 .stroke_width = side ? 1.2 : 0};

		ph_scene_open(scene, "point",
					  is_iteration ? iteration_tooltip(scene->arena, plot, i)
								   : point_tooltip(scene->arena, plot, i));
		if (is_iteration)
			ph_scene_data_number(scene, "iteration", condition->places[i].time);
		ph_scene_data(scene, "run", condition->places[i].run);
		ph_scene_data(scene, "commit", slot->commit);
		ph_scene_data(scene, "subject", slot->subject);
		ph_scene_data_number(scene, "value", plot->panel->values[i]);
		ph_scene_circle(scene, place_x(plot, i), ph_axis_at(&plot->y, plot->panel->values[i]),
						radius, style);
		ph_scene_close(scene);
	}
}

typedef struct Crowd
{
	uint32_t n, n_side; /* runs; of them of commits that are not on the main line */
} Crowd;

/* The runs that have their point in each cell of the plot, row by row. */
static Crowd *
count_points(PhArena *arena, const Plot *plot, uint32_t n_columns, uint32_t n_rows)
{
	Crowd *cells = ph_need(arena, (size_t) n_columns * n_rows, sizeof(*cells));

	for (uint32_t i = 0; i < plot->panel->condition->n; i++)
	{
		const PhHistorySlot *slot = &plot->history->slots[plot->panel->condition->places[i].slot];
		Crowd *cell;
		double value = plot->panel->values[i];
		double column = floor((place_x(plot, i) - plot->left) / CELL);
		double row = floor((ph_axis_at(&plot->y, value) - plot->top) / CELL);

		if (isnan(value))
			continue;
		column = fmin(fmax(column, 0), n_columns - 1);
		row = fmin(fmax(row, 0), n_rows - 1);
		cell = &cells[(size_t) row * n_columns + (size_t) column];
		cell->n++;
		cell->n_side += slot->known && !slot->main_line;
	}
	return cells;
}

/* An outlier: no other cell beside it has runs. */
static bool
is_alone(const Crowd *cells, uint32_t n_columns, uint32_t n_rows, uint32_t column, uint32_t row)
{
	for (uint32_t y = row > 0 ? row - 1 : 0; y <= row + 1 && y < n_rows; y++)
		for (uint32_t x = column > 0 ? column - 1 : 0; x <= column + 1 && x < n_columns; x++)
			if ((x != column || y != row) && cells[(size_t) y * n_columns + x].n > 0)
				return false;
	return true;
}

/* More points than pixels can show: every cell that has some, the darker the more there are. */
static void
draw_crowd(PhScene *scene, const Plot *plot)
{
	uint32_t n_columns = (uint32_t) fmax(ceil((plot->right - plot->left) / CELL), 1);
	uint32_t n_rows = (uint32_t) fmax(ceil((plot->bottom - plot->top) / CELL), 1);
	const Crowd *cells = count_points(scene->arena, plot, n_columns, n_rows);
	double left = round(plot->left);
	double top = round(plot->top);

	ph_scene_open(scene, "crowd",
				  plot->history->axis == PH_HISTORY_ITERATIONS
					  ? "iterations: the darker, the more in one place"
					  : "runs: the darker, the more in one place");
	for (uint32_t row = 0; row < n_rows; row++)
		for (uint32_t column = 0; column < n_columns; column++)
		{
			const Crowd *cell = &cells[(size_t) row * n_columns + column];
			PhColor color = ph_color_hex(cell->n_side == cell->n ? SIDE_COLOR : RUN_COLOR);

			if (cell->n == 0)
				continue;
			if (!is_alone(cells, n_columns, n_rows, column, row))
				color = ph_color_alpha(color, fmin(0.4 + 0.15 * log2(cell->n), 1));
			ph_scene_rect(scene, left + column * CELL, top + row * CELL, CELL, CELL,
						  ph_fill(color));
		}
	ph_scene_close(scene);
}

/* Where a change is: "at 3e01c40", "at iteration 12"; NULL: not known. */
static const char *
change_place(PhArena *arena, const Plot *plot, const PhHistoryChange *change)
{
	const PhHistoryPlace *place = &plot->panel->condition->places[change->index];
	const char *commit = plot->history->slots[place->slot].commit;

	if (plot->history->axis == PH_HISTORY_ITERATIONS)
		return ph_need_format(arena, "at iteration %.0f", place->time);
	return commit != NULL ? ph_need_format(arena, "at %.7s", commit) : NULL;
}

static const char *
change_commit(const Plot *plot, const PhHistoryChange *change)
{
	return plot->history->slots[plot->panel->condition->places[change->index].slot].commit;
}

/* "+12.3 % at 3e01c40", shorter forms first when there is little room: n counts them down. */
static const char *
mark_text(PhArena *arena, const Plot *plot, const PhHistoryChange *change, int form)
{
	const char *place = change_place(arena, plot, change);
	const char *size = "";
	const char *state = "";

	if (change->is_level && !isnan(change->relative))
		size =
			ph_need_format(arena, "%s%.*f %%", change->relative < 0 ? "\xe2\x88\x92" : "+",
						   fabs(change->relative) < 0.0995 ? 1 : 0, 100 * fabs(change->relative));
	else if (change->is_level)
		size = "new";
	if (change->regression)
		state = ph_need_format(arena, "%sregression %s: %s", *size ? ", " : "", change->regression,
							   change->state ? change->state : "new");
	if (form == 0 && place)
		return ph_need_format(arena, "%s%s %s", size, state, place);
	return form <= 1 ? ph_need_format(arena, "%s%s", size, state) : size;
}

static const char *
change_tooltip(PhArena *arena, const Plot *plot, const PhHistoryChange *change)
{
	const char *commit = change_commit(plot, change);
	const char *text = mark_text(arena, plot, change, 1);

	if (commit)
		text = ph_need_format(arena, "%s\nfirst at commit %.10s", text, commit);
	else if (plot->history->axis == PH_HISTORY_ITERATIONS)
		text = ph_need_format(arena, "%s %s", text, change_place(arena, plot, change));
	if (!isnan(change->p_value))
		text = ph_need_format(arena, "%s\np = %.2g, false discovery rate %.2g", text,
							  change->p_value, change->q_value);
	return change->reason ? ph_need_format(arena, "%s\n%s", text, change->reason) : text;
}

/* A flag on the line of a kept regression: filled while it is open. */
static void
draw_flag(PhScene *scene, const char *state, double x, double y, PhColor color)
{
	bool open = state == NULL || strcmp(state, "new") == 0 || strcmp(state, "active") == 0;
	PhPath path = ph_path(scene);

	ph_path_move(&path, x, y);
	ph_path_line(&path, x + 9, y + 4);
	ph_path_line(&path, x, y + 8);
	ph_path_close(&path);
	ph_scene_path(scene, &path,
				  (PhStyle){.fill = open ? color : ph_color_hex(0xffffff),
							.stroke = color,
							.stroke_width = 1.2});
}

/* The longest form of the mark that ends before the next one; returns where it ends. */
static double
draw_mark(PhScene *scene, const Plot *plot, const PhHistoryChange *change, double x, double from,
		  double to)
{
	PhTextStyle style =
		ph_text_style(MARK_SIZE, ph_color_mix(change_color(plot, change), ph_ink(), 0.35));

	style.weight = PH_BOLD;
	for (int form = 0; form < 3; form++)
	{
		const char *text = mark_text(scene->arena, plot, change, form);
		double width = ph_fonts_width(scene->fonts, text, MARK_SIZE, PH_BOLD);
		double start = fmax(fmin(x - width / 2, plot->right - width), from);

		if (*text == '\0' || start + width > to)
			continue;
		ph_scene_text(scene, start, plot->top - 5, text, style);
		return start + width + 6;
	}
	return from;
}

static void
draw_changes(PhScene *scene, const Plot *plot)
{
	const PhHistoryPanel *panel = plot->panel;
	double from = plot->left - 30;

	for (uint32_t i = 0; i < panel->n_changes; i++)
	{
		const PhHistoryChange *change = &panel->changes[i];
		double x = boundary_x(plot, change->index);
		double next = i + 1 < panel->n_changes
						  ? (x + boundary_x(plot, panel->changes[i + 1].index)) / 2
						  : plot->right;
		PhColor color = change_color(plot, change);

		ph_scene_open(scene, "change", change_tooltip(scene->arena, plot, change));
		ph_scene_data(scene, "commit", change_commit(plot, change));
		ph_scene_data(scene, "run", panel->condition->places[change->index].run);
		if (plot->history->axis == PH_HISTORY_ITERATIONS)
			ph_scene_data_number(scene, "iteration", panel->condition->places[change->index].time);
		ph_scene_data_number(scene, "change", change->relative);
		ph_scene_data_number(scene, "p", change->p_value);
		ph_scene_data(scene, "regression", change->regression);
		ph_scene_data(scene, "state", change->state);
		ph_scene_line(scene, x, plot->top, x, plot->bottom,
					  (PhStyle){.stroke = color, .stroke_width = 1.4, .dash = 4});
		if (change->regression)
			draw_flag(scene, change->state, x, plot->top, color);
		from = draw_mark(scene, plot, change, x, from, next);
		ph_scene_close(scene);
	}
}

/* ---- around it ----------------------------------------------------------------------------- */

static void
draw_frame(PhScene *scene, const Plot *plot)
{
	PhTextStyle style = ph_text_style(9.5, ph_faint());
	double last_y = INFINITY;

	style.anchor = PH_END;
	for (uint32_t i = 0; i < plot->y.ticks.n; i++)
	{
		double y = ph_axis_at(&plot->y, ph_tick_at(&plot->y.ticks, i) / plot->y.unit.factor);

		ph_scene_line(scene, plot->left, y, plot->right, y, ph_stroke(ph_color_hex(0xe9ecf0), 1));
		if (last_y - y < 13)
			continue;
		ph_scene_text_fit(scene, plot->left - 5, y + 3.3, PH_PANEL_LEFT - 8,
						  ph_need_format(scene->arena, "%s %s",
										 ph_tick_text(scene->arena, &plot->y.ticks, i),
										 plot->y.unit.suffix),
						  style);
		last_y = y;
	}
	ph_scene_line(scene, plot->left, plot->bottom, plot->right, plot->bottom,
				  ph_stroke(ph_rule(), 1));
}

/*
 * Slots (commits) that should have a label: those at which the level of any panel changes, in all
 * panels alike, so that the labels of panels below each other agree.
 */
static bool *
wanted_slots(PhScene *scene, const PhHistory *history)
{
	bool *wanted = ph_need(scene->arena, history->n_slots, sizeof(bool));

	for (uint32_t i = 0; i < history->n_panels; i++)
		for (uint32_t k = 0; k < history->panels[i].n_changes; k++)
			wanted[history->panels[i].condition->places[history->panels[i].changes[k].index].slot] =
				true;
	return wanted;
}

static void
draw_commits(PhScene *scene, const Plot *plot)
{
	const PhHistory *history = plot->history;
	bool *labelled = ph_history_labelled(scene->arena, history->n_slots, plot->step, HASH_SIZE + 3,
										 wanted_slots(scene, history));
	PhTextStyle style = ph_text_style(HASH_SIZE, ph_faint());

	style.vertical = true;
	style.anchor = PH_END;
	for (uint32_t i = 0; i < history->n_slots; i++)
	{
		const PhHistorySlot *slot = &history->slots[i];
		double x = plot->left + (i + 0.5) * plot->step;
		const char *text = slot->commit ? ph_need_format(scene->arena, "%.7s", slot->commit) : "";

		if (!labelled[i] || *text == '\0')
			continue;
		ph_scene_open(scene, "commit",
					  ph_need_format(scene->arena, "%s\n%s\n%s", slot->commit,
									 slot->subject ? slot->subject : "not read from a repository",
									 slot->author ? slot->author : ""));
		ph_scene_data(scene, "commit", slot->commit);
		ph_scene_data(scene, "subject", slot->subject);
		ph_scene_data(scene, "date", slot->committed_at);
		ph_scene_line(scene, x, plot->bottom, x, plot->bottom + 3, ph_stroke(ph_rule(), 1));
		ph_scene_text(scene, x + HASH_SIZE * 0.35, plot->bottom + 5, text, style);
		ph_scene_close(scene);
	}
}

/* Both ends of the time axis, in UTC. */
static void
draw_times(PhScene *scene, const Plot *plot)
{
	const PhHistory *history = plot->history;
	bool days = history->time_to - history->time_from > 3 * 86400.0;
	PhTextStyle style = ph_text_style(HASH_SIZE + 0.5, ph_faint());

	for (int end = 0; end < 2; end++)
	{
		time_t time = (time_t) (end ? history->time_to : history->time_from);
		struct tm parts;
		char text[32] = "";

		if (gmtime_r(&time, &parts) != NULL)
			strftime(text, sizeof(text), days ? "%Y-%m-%d" : "%Y-%m-%d %H:%M", &parts);
		style.anchor = end ? PH_END : PH_START;
		ph_scene_text(scene, end ? plot->right : plot->left, plot->bottom + 13, text, style);
	}
}

static void
draw_iterations(PhScene *scene, const Plot *plot)
{
	const PhHistory *history = plot->history;
	PhAxisTicks ticks = ph_axis_ticks(history->time_from, history->time_to, 8);
	PhTextStyle style = ph_text_style(HASH_SIZE + 0.5, ph_faint());

	style.anchor = PH_MIDDLE;
	for (uint32_t i = 0; i < ticks.n; i++)
	{
		double number = ph_tick_at(&ticks, i);
		double x = time_x(plot, number);

		if (number != floor(number))
			continue;
		ph_scene_line(scene, x, plot->bottom, x, plot->bottom + 3, ph_stroke(ph_rule(), 1));
		ph_scene_text(scene, x, plot->bottom + 13, ph_tick_text(scene->arena, &ticks, i), style);
	}
	ph_scene_text(scene, (plot->left + plot->right) / 2, plot->bottom + 27, "iteration", style);
}

static void
draw_across(PhScene *scene, const Plot *plot)
{
	if (plot->history->axis == PH_HISTORY_ITERATIONS)
		draw_iterations(scene, plot);
	else if (plot->history->axis == PH_HISTORY_TIMES)
		draw_times(scene, plot);
	else
		draw_commits(scene, plot);
}

static void
draw_panel(PhScene *scene, Plot *plot, PhBody cell, bool lowest)
{
	const PhHistoryPanel *panel = plot->panel;

	plot->left = cell.x + PH_PANEL_LEFT;
	plot->right = cell.x + cell.width - PH_PANEL_RIGHT;
	plot->top = cell.y + PH_PANEL_TITLE + MARKS;
	plot->bottom = cell.y + cell.height - BELOW;
	plot->step = (plot->right - plot->left) / plot->history->n_slots;
	plot->y = ph_axis(scene->arena, plot->history->unit_name, panel->low, panel->high, plot->bottom,
					  plot->top, (uint32_t) fmax((plot->bottom - plot->top) / 22, 3));
	ph_scene_open(scene, "panel", NULL);
	ph_scene_data(scene, "node", panel->label);
	ph_scene_data(scene, "condition", panel->condition->text);
	ph_panel_title(scene, cell, panel->label,
				   panel->is_path ? ph_path_name(panel->label, panel->leaf) : panel->label,
				   plot->history->n_conditions > 1 ? panel->condition->text : "");
	draw_frame(scene, plot);
	draw_ranks(scene, plot);
	draw_ranges(scene, plot);
	if (plot->crowded)
		draw_crowd(scene, plot);
	else
		draw_points(scene, plot);
	draw_levels(scene, plot);
	draw_changes(scene, plot);
	if (lowest)
		draw_across(scene, plot);
	ph_scene_close(scene);
}

bool
ph_history_is_crowded(const PhHistory *history)
{
	uint32_t n_points = 0;

	for (uint32_t i = 0; i < history->n_panels; i++)
		n_points += history->panels[i].condition->n;
	return n_points > MOST_POINTS;
}

void
ph_history_draw(PhScene *scene, PhHistory *history, PhPalette palette, bool crowded, PhBody where)
{
	PhGrid grid = ph_grid(history->n_panels, where.width, where.height, PH_HISTORY_BELOW);
	Plot plot = {.history = history, .palette = palette, .crowded = crowded};

	ph_scene_open(scene, "history", NULL);
	for (uint32_t i = 0; i < history->n_panels; i++)
	{
		plot.panel = &history->panels[i];
		draw_panel(scene, &plot, ph_grid_cell(&grid, i, where),
				   i + grid.columns >= history->n_panels);
	}
	ph_scene_close(scene);
}

static void
legend_change(PhScene *scene, PhKey *legend, PhColor color, const char *word)
{
	double x = ph_key_word(scene, legend, word) + 8;

	ph_scene_line(scene, x, legend->y - 8, x, legend->y + 8,
				  (PhStyle){.stroke = color, .stroke_width = 1.4, .dash = 4});
}

static void
legend_points(PhScene *scene, PhKey *legend, const char *word)
{
	double x = ph_key_word(scene, legend, word);

	ph_scene_circle(scene, x + 8, legend->y, 3.2, ph_fill(ph_color_hex(RUN_COLOR)));
	x = ph_key_word(scene, legend, "mean of a level");
	ph_scene_line(scene, x, legend->y, x + 16, legend->y, ph_stroke(ph_color_hex(0x14273b), 1.6));
}

static void
legend_iterations(PhScene *scene, PhKey *legend)
{
	double x;

	legend_points(scene, legend, "an iteration, mean over ranks");
	x = ph_key_word(scene, legend, "from the least to the greatest rank");
	ph_scene_rect(scene, x, legend->y - 5, 16, 10, ph_fill(ph_color_hex(RANKS_COLOR)));
}

static void
legend_runs(PhScene *scene, PhKey *legend)
{
	double x;

	legend_points(scene, legend, "a run");
	x = ph_key_word(scene, legend, "its 95 % confidence range");
	ph_scene_rect(scene, x, legend->y - 5, 16, 10, ph_fill(ph_color_hex(0xd3e0ee)));
}

double
ph_history_legend(PhScene *scene, const PhHistory *history, PhPalette palette)
{
	PhKey legend = ph_key();
	PhColor worse = ph_color_diverging(palette, 0.9);
	bool changes = false;
	bool regressions = false;
	double x;

	for (uint32_t i = 0; i < history->n_panels; i++)
		for (uint32_t k = 0; k < history->panels[i].n_changes; k++)
		{
			changes = changes || history->panels[i].changes[k].is_level;
			regressions = regressions || history->panels[i].changes[k].regression;
		}
	ph_scene_open(scene, "legend", NULL);
	if (history->axis == PH_HISTORY_ITERATIONS)
		legend_iterations(scene, &legend);
	else
		legend_runs(scene, &legend);
	if (changes && history->better == 0)
		legend_change(scene, &legend, ph_color_hex(NEITHER_COLOR), "change");
	else if (changes)
	{
		legend_change(scene, &legend, worse, "change for the worse");
		legend_change(scene, &legend, ph_color_diverging(palette, -0.9), "for the better");
	}
	if (regressions)
	{
		x = ph_key_word(scene, &legend, "regression, open");
		draw_flag(scene, "new", x + 4, legend.y - 4, worse);
		x = ph_key_word(scene, &legend, "ignored or fixed");
		draw_flag(scene, "fixed", x + 4, legend.y - 4, worse);
	}
	ph_scene_close(scene);
	return legend.y - ph_key().y;
}
