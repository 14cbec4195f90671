/*
 * trace_diff_rows.c - from rows to the picture of two aligned traces.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "request/row_names.h"
#include "views/logical/trace_diff.h"

/* Columns of numbers of one row of a table; returns the length of the shortest. */
static uint32_t
read_columns(PhArena *arena, const PhTable *table, uint32_t row, const char *const *names,
			 const double **const *columns, size_t n_columns)
{
	uint32_t shortest = UINT32_MAX;

	for (size_t i = 0; i < n_columns; i++)
	{
		uint32_t n = 0;

		*columns[i] = ph_table_numbers(arena, table, row, names[i], &n);
		shortest = n < shortest ? n : shortest;
	}
	return shortest;
}

static bool
columns_inside(const PhStepAxis *axis, const double *column, uint32_t n)
{
	double n_cells = ceil((double) axis->columns / axis->columns_a_cell);

	for (uint32_t i = 0; i < n; i++)
		if (!(column[i] >= 0 && column[i] < n_cells))
			return false;
	return true;
}

static void
read_bars(PhArena *arena, const PhViewRows *rows, PhTraceDiffPlot *plot)
{
	static const char *const names[] = {"column",	"step_a",	"step_b", "phase_a",
										"phase_b",	"only_a",	"only_b", "lateness",
										"duration", "messages", "rank"};
	PhDiffBars *bars = &plot->bars;
	const double **const columns[] = {&bars->column,   &bars->step_a,	&bars->step_b,
									  &bars->phase_a,  &bars->phase_b,	&bars->only_a,
									  &bars->only_b,   &bars->lateness, &bars->duration,
									  &bars->messages, &bars->rank};
	const PhTable *table = ph_rows_table(rows, "bars");
	uint32_t n_regions = 0;

	bars->n = read_columns(arena, table, 0, names, columns, sizeof(names) / sizeof(names[0]));
	bars->region = ph_table_texts(arena, table, 0, "region", &n_regions);
	bars->n = n_regions < bars->n ? n_regions : bars->n;
	if (!columns_inside(&plot->axis, bars->column, bars->n))
		bars->n = 0;
	for (uint32_t i = 0; i < bars->n; i++)
		plot->most = fmax(plot->most, fabs(plot->tasks ? bars->duration[i] : bars->lateness[i]));
}

static void
read_lanes(PhArena *arena, const PhViewRows *rows, PhTraceDiffPlot *plot)
{
	static const char *const names[] = {"column", "n", "value", "rank", "step_a", "step_b"};
	const PhTable *table = ph_rows_table(rows, "cells");

	plot->lanes = ph_need(arena, ph_rows_count(table) + 1, sizeof(*plot->lanes));
	for (uint32_t i = 0; i < ph_rows_count(table); i++)
	{
		PhDiffLane *lane = &plot->lanes[plot->n_lanes];
		const double **const columns[] = {&lane->column, &lane->count,	&lane->value,
										  &lane->rank,	 &lane->step_a, &lane->step_b};
		double row = ph_table_number(table, i, "row");
		uint32_t n_names = 0;

		lane->n = read_columns(arena, table, i, names, columns, 6);
		if (!(row >= 0 && row < plot->n_rows) ||
			!columns_inside(&plot->axis, lane->column, lane->n))
			continue;
		lane->row = (uint32_t) row;
		lane->name = ph_table_texts(arena, table, i, "name", &n_names);
		if (n_names < lane->n)
			lane->name = NULL;
		for (uint32_t k = 0; k < lane->n; k++)
			plot->most = fmax(plot->most, fabs(lane->value[k]));
		plot->n_lanes++;
	}
}

bool
ph_trace_diff_read(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
				   PhTraceDiffPlot *out)
{
	const PhTable *table = ph_rows_table(rows, "rows");

	*out = (PhTraceDiffPlot){.run_a = ph_table_text(ph_rows_table(rows, "run"), 0, "run_id"),
							 .run_b = ph_table_text(ph_rows_table(rows, "run_b"), 0, "run_id"),
							 .palette = ph_option_palette(options),
							 .n_rows = ph_rows_count(table)};
	if (!ph_step_axis_read(rows, &out->axis))
		return false;
	out->tasks = ph_table_true(ph_rows_table(rows, "axis"), 0, "tasks");
	out->row_names = ph_need(arena, out->n_rows + 1, sizeof(*out->row_names));
	for (uint32_t row = 0; row < out->n_rows; row++)
		out->row_names[row] = ph_location_name(arena, table, row);
	ph_phases_read(arena, rows, &out->phases);
	read_bars(arena, rows, out);
	read_lanes(arena, rows, out);
	return out->bars.n > 0;
}
