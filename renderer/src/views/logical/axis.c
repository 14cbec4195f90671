/*
 * axis.c - logical time across a picture: columns of steps, and the strip of phases.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "views/logical/logical.h"

#define LABEL_SIZE 10.0
#define MOST_LANES 3
#define MOST_OF_ROOM 0.1 /* that one of few columns takes of a very wide picture */
#define LEAST_PHASE 3.0	 /* mean width at which phases can be told apart */

bool
ph_step_axis_read(const PhViewRows *rows, PhStepAxis *out)
{
	const PhTable *table = ph_rows_table(rows, "axis");
	double first = ph_table_number(table, 0, "first");
	double end = ph_table_number(table, 0, "end");
	double stride = ph_table_number(table, 0, "stride");
	double columns = ph_table_number(table, 0, "columns");
	double a_cell = ph_table_number(table, 0, "columns_a_cell");

	if (!(end > first) || !(columns >= 1) || !(stride >= 1) || columns > INT32_MAX ||
		fabs(first) > INT32_MAX || end > INT32_MAX)
		return false;
	*out = (PhStepAxis){.first = (int32_t) first,
						.end = (int32_t) end,
						.stride = (uint32_t) stride,
						.between = ph_table_true(table, 0, "between"),
						.columns = (uint32_t) columns,
						.columns_a_cell = a_cell >= 1 ? (uint32_t) a_cell : 1};
	return true;
}

void
ph_step_axis_place(PhStepAxis *axis, double x, double room)
{
	axis->x = x;
	axis->column_width =
		fmin(fmax(room, 1) / axis->columns, fmax(PH_MOST_COLUMN, room * MOST_OF_ROOM));
}

double
ph_step_axis_cell(const PhStepAxis *axis, double cell)
{
	return axis->x + cell * axis->columns_a_cell * axis->column_width;
}

double
ph_step_axis_cell_width(const PhStepAxis *axis)
{
	return axis->columns_a_cell * axis->column_width;
}

static double
column_of(const PhStepAxis *axis, double step)
{
	if (axis->between)
		return step - axis->first + 1;
	return floor((step - axis->first) / axis->stride);
}

double
ph_step_axis_at(const PhStepAxis *axis, double step)
{
	return axis->x + (column_of(axis, step) + 0.5) * axis->column_width;
}

static double
step_axis_left(const PhStepAxis *axis, double first)
{
	double column = column_of(axis, fmax(first, axis->first)) - (axis->between ? 1 : 0);

	return axis->x + fmax(column, 0) * axis->column_width;
}

/* Left and right end of steps first to last. */
static double
step_axis_right(const PhStepAxis *axis, double last)
{
	return axis->x +
		   fmin(column_of(axis, fmin(last, axis->end - 1)) + 1, axis->columns) * axis->column_width;
}

/* Steps between labels: round, a multiple of the stride, and wide enough. */
static uint32_t
label_distance(PhScene *scene, const PhStepAxis *axis)
{
	const char *longest = ph_need_format(scene->arena, "%d", axis->end);
	double room = ph_fonts_width(scene->fonts, longest, LABEL_SIZE, PH_REGULAR) + 12;
	double a_step = axis->column_width / (axis->between ? 1 : axis->stride);
	uint32_t every = axis->stride;

	while (every * a_step < room && every < UINT32_MAX / 10)
	{
		uint32_t digit = every;

		while (digit >= 10)
			digit /= 10;
		if (every * 2 * a_step >= room || digit != 2)
			every *= 2;
		else
			every = every / 2 * 5;
		if (every % axis->stride != 0)
			every *= axis->stride;
	}
	return every;
}

void
ph_step_axis_draw(PhScene *scene, const PhStepAxis *axis, double y)
{
	PhTextStyle style = ph_text_style(LABEL_SIZE, ph_faint());
	PhTextStyle title = ph_text_style(11, ph_ink());
	double width = axis->columns * axis->column_width;
	uint32_t every = label_distance(scene, axis);

	style.anchor = title.anchor = PH_MIDDLE;
	ph_scene_open(scene, "axis", NULL);
	ph_scene_line(scene, axis->x, y, axis->x + width, y, ph_stroke(ph_rule(), 1));
	for (int64_t step = (axis->first + (int64_t) every - 1) / every * every; step < axis->end;
		 step += every)
	{
		double x = ph_step_axis_at(axis, (double) step);

		ph_scene_line(scene, x, y, x, y + 4, ph_stroke(ph_rule(), 1));
		ph_scene_text(scene, x, y + 15, ph_need_format(scene->arena, "%lld", (long long) step),
					  style);
	}
	if (!ph_scene_text_fit(scene, axis->x + width / 2, y + 30, fmax(width, 80), "logical step",
						   title))
		ph_scene_text_fit(scene, axis->x + width / 2, y + 30, width, "step", title);
	ph_scene_close(scene);
}

/* ---- phases ---- */

/*
 * Greedy colouring of intervals: phases come in order of their first steps, and each takes the
 * first lane whose last phase has ended, which needs no more lanes than phases overlap anywhere.
 * Beyond MOST_LANES all share the last one.
 */
static void
assign_lanes(PhArena *arena, PhPhases *phases)
{
	double ends[MOST_LANES + 1] = {0};

	phases->lane = ph_need(arena, phases->n + 1, sizeof(*phases->lane));
	phases->n_lanes = 0;
	for (uint32_t i = 0; i < phases->n; i++)
	{
		uint32_t lane = 0;

		while (lane < phases->n_lanes && lane < MOST_LANES && ends[lane] > phases->first_step[i])
			lane++;
		phases->lane[i] = lane;
		ends[lane] = phases->last_step[i] + 1;
		if (lane >= phases->n_lanes)
			phases->n_lanes = lane + 1;
	}
}

void
ph_phases_read(PhArena *arena, const PhViewRows *rows, PhPhases *out)
{
	const PhTable *table = ph_rows_table(rows, "phases");

	*out = (PhPhases){0};
	out->phase = ph_table_numbers(arena, table, 0, "phase", &out->n);
	out->first_step = ph_table_number_column(arena, table, 0, "first_step", out->n);
	out->last_step = ph_table_number_column(arena, table, 0, "last_step", out->n);
	out->n_events = ph_table_number_column(arena, table, 0, "n_events", out->n);
	out->inferred = ph_table_number_column(arena, table, 0, "inferred", out->n);
	out->regions = ph_table_text_column(arena, table, 0, "regions", out->n);
	out->pattern = ph_table_text_column(arena, table, 0, "pattern", out->n);
	assign_lanes(arena, out);
}

double
ph_phases_height(const PhPhases *phases, const PhStepAxis *axis)
{
	double width = axis->columns * axis->column_width;

	if (phases->n == 0 || phases->n_lanes > MOST_LANES || width / phases->n < LEAST_PHASE)
		return 0;
	return phases->n_lanes * PH_PHASE_LANE + 5;
}

void
ph_phases_draw(PhScene *scene, const PhPhases *phases, const PhStepAxis *axis, double y,
			   PhPalette palette, const char *run)
{
	PhArena *arena = scene->arena;

	ph_scene_open(scene, "phases", NULL);
	for (uint32_t i = 0; i < phases->n; i++)
	{
		double left = step_axis_left(axis, phases->first_step[i]);
		double right = step_axis_right(axis, phases->last_step[i]);
		double top = y + phases->lane[i] * PH_PHASE_LANE;
		PhColor color = ph_phase_color(palette, (uint32_t) fmax(phases->phase[i], 0));
		PhTextStyle style = ph_text_style(9.5, ph_color_on(color));
		double gap = right - left > 4 ? 0.75 : 0;
		PhStyle fill = ph_fill(color);
		const char *number = ph_need_format(arena, "%.0f", phases->phase[i]);

		style.anchor = PH_MIDDLE;
		ph_scene_open(scene, "phase",
					  ph_need_format(arena, "phase %s\nsteps %.0f to %.0f\n%.0f events%s%s\n%s",
									 number, phases->first_step[i], phases->last_step[i],
									 phases->n_events[i], phases->pattern[i] ? ", " : "",
									 phases->pattern[i] ? phases->pattern[i] : "",
									 phases->regions[i] ? phases->regions[i] : ""));
		ph_scene_data(scene, "run", run);
		ph_scene_data(scene, "phase", number);
		if (phases->inferred[i] > 0)
		{
			fill.stroke = ph_ink();
			fill.stroke_width = 1.1;
			fill.dash = 2.5;
		}
		ph_scene_rect(scene, left + gap, top, fmax(right - left - 2 * gap, 0.2), PH_PHASE_LANE - 2,
					  fill);
		if (ph_fonts_width(scene->fonts, number, 9.5, PH_REGULAR) <= right - left - 4)
			ph_scene_text(scene, (left + right) / 2, top + 10, number, style);
		ph_scene_close(scene);
	}
	ph_scene_close(scene);
}
