/*
 * trace_diff_rows.c - from rows to the picture of two aligned traces.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "drawing/range.h"
#include "request/row_names.h"
#include "views/logical/trace_diff.h"

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
	PhDiffBars *bars = &plot->bars;
	const PhTable *table = ph_rows_table(rows, "bars");

	bars->column = ph_table_numbers(arena, table, 0, "column", &bars->n);
	bars->step_a = ph_table_number_column(arena, table, 0, "step_a", bars->n);
	bars->step_b = ph_table_number_column(arena, table, 0, "step_b", bars->n);
	bars->phase_a = ph_table_number_column(arena, table, 0, "phase_a", bars->n);
	bars->phase_b = ph_table_number_column(arena, table, 0, "phase_b", bars->n);
	bars->only_a = ph_table_number_column(arena, table, 0, "only_a", bars->n);
	bars->only_b = ph_table_number_column(arena, table, 0, "only_b", bars->n);
	bars->lateness = ph_table_number_column(arena, table, 0, "lateness", bars->n);
	bars->duration = ph_table_number_column(arena, table, 0, "duration", bars->n);
	bars->messages = ph_table_number_column(arena, table, 0, "messages", bars->n);
	bars->rank = ph_table_number_column(arena, table, 0, "rank", bars->n);
	bars->region = ph_table_text_column(arena, table, 0, "region", bars->n);
	if (!columns_inside(&plot->axis, bars->column, bars->n))
		bars->n = 0;
	for (uint32_t i = 0; i < bars->n; i++)
		plot->most = fmax(plot->most, fabs(plot->tasks ? bars->duration[i] : bars->lateness[i]));
}

static void
read_lane(PhArena *arena, const PhTable *cells, uint32_t i, PhDiffLane *lane)
{
	double row = *ph_table_number_column(arena, cells, i, "row", 1);

	*lane = (PhDiffLane){.row = row >= 0 && row < UINT32_MAX ? (uint32_t) row : UINT32_MAX};
	lane->column = ph_table_numbers(arena, cells, i, "column", &lane->n);
	lane->count = ph_table_number_column(arena, cells, i, "n", lane->n);
	lane->value = ph_table_number_column(arena, cells, i, "value", lane->n);
	lane->rank = ph_table_number_column(arena, cells, i, "rank", lane->n);
	lane->step_a = ph_table_number_column(arena, cells, i, "step_a", lane->n);
	lane->step_b = ph_table_number_column(arena, cells, i, "step_b", lane->n);
	if (ph_table_text(cells, i, "name") != NULL)
		lane->name = ph_table_text_column(arena, cells, i, "name", lane->n);
}

/* The range of colours is that of most cells; without cells it is that of the bars. */
static void
find_range(PhArena *arena, PhTraceDiffPlot *plot)
{
	uint32_t n = 0;
	double *sizes;
	PhRange range;

	for (uint32_t l = 0; l < plot->n_lanes; l++)
		n += plot->lanes[l].n;
	sizes = ph_need(arena, (size_t) n + 1, sizeof(*sizes));
	n = 0;
	for (uint32_t l = 0; l < plot->n_lanes; l++)
		for (uint32_t k = 0; k < plot->lanes[l].n; k++)
			sizes[n++] = fabs(plot->lanes[l].value[k]);
	range = ph_range_robust(arena, sizes, n);
	plot->most = range.high;
	plot->beyond = range.above;
}

/* Cells outside of the picture are dropped. */
static void
read_lanes(PhArena *arena, const PhViewRows *rows, PhTraceDiffPlot *plot)
{
	const PhTable *cells = ph_rows_table(rows, "cells");

	plot->lanes = ph_need(arena, ph_rows_count(cells) + 1, sizeof(*plot->lanes));
	for (uint32_t i = 0; i < ph_rows_count(cells); i++)
	{
		PhDiffLane *lane = &plot->lanes[plot->n_lanes];

		read_lane(arena, cells, i, lane);
		if (lane->row >= plot->n_rows || !columns_inside(&plot->axis, lane->column, lane->n))
			continue;
		plot->n_lanes++;
	}
	if (plot->n_lanes > 0)
		find_range(arena, plot);
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
