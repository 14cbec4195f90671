/*
 * logical_rows.c - from rows to what a picture in logical time draws.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/row_names.h"
#include "views/logical/logical.h"

static bool
has_values(const PhTable *cells, uint32_t i, const char *name)
{
	return ph_table_text(cells, i, name) != NULL;
}

/* Of cells that are one event each. */
static void
read_details(PhArena *arena, const PhTable *cells, uint32_t i, PhLogicalLane *lane)
{
	lane->enter = ph_table_number_column(arena, cells, i, "enter", lane->n);
	lane->leave = ph_table_number_column(arena, cells, i, "leave", lane->n);
	lane->peers = ph_table_number_column(arena, cells, i, "peers", lane->n);
	lane->messages = ph_table_number_column(arena, cells, i, "n_messages", lane->n);
	lane->earliest = ph_table_number_column(arena, cells, i, "earliest", lane->n);
	lane->aggregate = ph_table_number_column(arena, cells, i, "aggregate", lane->n);
	lane->region = ph_table_text_column(arena, cells, i, "region", lane->n);
	lane->kind = ph_table_text_column(arena, cells, i, "kind", lane->n);
}

static void
read_lane(PhArena *arena, const PhTable *cells, uint32_t i, PhLogicalLane *lane)
{
	double row = *ph_table_number_column(arena, cells, i, "row", 1);

	*lane = (PhLogicalLane){.row = row >= 0 && row < UINT32_MAX ? (uint32_t) row : UINT32_MAX};
	lane->column = ph_table_numbers(arena, cells, i, "column", &lane->n);
	lane->count = ph_table_number_column(arena, cells, i, "n", lane->n);
	lane->value = ph_table_number_column(arena, cells, i, "value", lane->n);
	lane->rank = ph_table_number_column(arena, cells, i, "rank", lane->n);
	lane->step = ph_table_number_column(arena, cells, i, "step", lane->n);
	lane->phase = ph_table_number_column(arena, cells, i, "phase", lane->n);
	if (has_values(cells, i, "idle"))
		lane->idle = ph_table_number_column(arena, cells, i, "idle", lane->n);
	if (has_values(cells, i, "enter"))
		read_details(arena, cells, i, lane);
}

/* Cells outside of the picture are dropped. */
static void
read_lanes(PhArena *arena, const PhTable *cells, PhLogicalPlot *plot)
{
	uint32_t n_cells =
		(plot->axis.columns + plot->axis.columns_a_cell - 1) / plot->axis.columns_a_cell;

	plot->lanes = ph_need(arena, ph_rows_count(cells) + 1, sizeof(*plot->lanes));
	for (uint32_t i = 0; i < ph_rows_count(cells); i++)
	{
		PhLogicalLane *lane = &plot->lanes[plot->n_lanes];
		bool inside = true;

		read_lane(arena, cells, i, lane);
		for (uint32_t k = 0; k < lane->n; k++)
			inside = inside && lane->column[k] >= 0 && lane->column[k] < n_cells;
		if (inside && lane->row < plot->n_rows)
			plot->n_lanes++;
	}
}

static void
read_lines(PhArena *arena, const PhViewRows *rows, PhLogicalLines *lines)
{
	const PhTable *table = ph_rows_table(rows, "messages");

	lines->from_row = ph_table_numbers(arena, table, 0, "from_row", &lines->n);
	lines->to_row = ph_table_number_column(arena, table, 0, "to_row", lines->n);
	lines->send_step = ph_table_number_column(arena, table, 0, "send_step", lines->n);
	lines->receive_step = ph_table_number_column(arena, table, 0, "receive_step", lines->n);
	lines->bytes = ph_table_number_column(arena, table, 0, "bytes", lines->n);
}

/* All values and their columns in a row, for the range of colours. */
static void
find_colors(PhArena *arena, const PhOptions *options, const PhViewRows *rows, PhLogicalPlot *plot)
{
	uint32_t n = 0;
	double *values;
	uint32_t *columns;

	for (uint32_t l = 0; l < plot->n_lanes; l++)
		n += plot->lanes[l].n;
	values = ph_need(arena, n + 1, sizeof(*values));
	columns = ph_need(arena, n + 1, sizeof(*columns));
	n = 0;
	for (uint32_t l = 0; l < plot->n_lanes; l++)
		for (uint32_t i = 0; i < plot->lanes[l].n; i++)
		{
			values[n] = plot->lanes[l].value[i];
			columns[n++] = (uint32_t) plot->lanes[l].column[i];
		}
	plot->colors =
		ph_step_colors(arena, options, rows, values, columns, n, plot->axis.columns, false);
}

/* "5 …" of rows of several locations that are no range of ranks. */
static const char *
row_name(PhArena *arena, const PhLogicalPlot *plot, const PhTable *table, uint32_t row)
{
	if (plot->labels != NULL && ph_table_number(table, row, "n_locations") > 1)
		return ph_need_format(arena, "%.0f \xe2\x80\xa6", ph_table_number(table, row, "rank"));
	return ph_location_name(arena, table, row);
}

static void
read_order(PhArena *arena, const PhViewRows *rows, PhLogicalPlot *plot)
{
	const char *order = ph_table_text(ph_rows_table(rows, "axis"), 0, "order");

	if (order == NULL || strcmp(order, "rank") == 0)
		return;
	plot->order = order;
	plot->labels = ph_need(arena, plot->n_rows + 1, sizeof(*plot->labels));
	for (uint32_t row = 0; row < plot->n_rows; row++)
		plot->labels[row] = ph_table_text(ph_rows_table(rows, "rows"), row, "label");
}

bool
ph_logical_read_rows(PhArena *arena, const PhViewRows *rows, PhLogicalPlot *out)
{
	const PhTable *table = ph_rows_table(rows, "rows");

	*out = (PhLogicalPlot){.run = ph_table_text(ph_rows_table(rows, "run"), 0, "run_id"),
						   .n_rows = ph_rows_count(table)};
	if (!ph_step_axis_read(rows, &out->axis))
		return false;
	out->tasks = ph_table_true(ph_rows_table(rows, "axis"), 0, "tasks");
	out->reordered = ph_table_true(ph_rows_table(rows, "axis"), 0, "reordered");
	out->most_lines = ph_table_number(ph_rows_table(rows, "axis"), 0, "most_messages");
	read_order(arena, rows, out);
	out->row_names = ph_need(arena, out->n_rows + 1, sizeof(*out->row_names));
	out->top = ph_need(arena, out->n_rows + 1, sizeof(*out->top));
	out->height = ph_need(arena, out->n_rows + 1, sizeof(*out->height));
	for (uint32_t row = 0; row < out->n_rows; row++)
	{
		double n = ph_table_number(table, row, "n_locations");

		out->row_names[row] = row_name(arena, out, table, row);
		out->n_runtime += ph_table_true(table, row, "is_runtime");
		if (n > out->most_locations)
			out->most_locations = (uint32_t) n;
	}
	ph_phases_read(arena, rows, &out->phases);
	read_lanes(arena, ph_rows_table(rows, "cells"), out);
	read_lines(arena, rows, &out->lines);
	return true;
}

bool
ph_logical_read(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
				PhLogicalPlot *out)
{
	if (!ph_logical_read_rows(arena, rows, out))
		return false;
	find_colors(arena, options, rows, out);
	return out->n_lanes > 0;
}

/* ---- captions ---- */

static void
note_count(PhArena *arena, PhPage *page, const PhTable *notes, const char *column, const char *one,
		   const char *many)
{
	double n = ph_table_number(notes, 0, column);

	if (n > 0)
		ph_page_note(arena, page, ph_need_format(arena, "%.0f %s", n, n == 1 ? one : many));
}

/* What the row of perfhouse.logical in a section has as JSON; false: no such row. */
static bool
read_parts(PhArena *arena, const PhViewRows *rows, const char *section, PhViewRows *out)
{
	const PhTable *logical = ph_rows_table(rows, section);
	const char *options = ph_table_text(logical, 0, "options");
	const char *notes = ph_table_text(logical, 0, "notes");

	ph_rows_init(out, arena);
	return options != NULL && notes != NULL && ph_rows_add(out, "options", options) &&
		   ph_rows_add(out, "notes", notes);
}

void
ph_logical_note_inferred(PhArena *arena, const PhViewRows *rows, const char *section,
						 const char *where, PhPage *page)
{
	PhViewRows parts;
	const PhTable *notes;

	if (!read_parts(arena, rows, section, &parts))
		return;
	notes = ph_rows_table(&parts, "notes");
	note_count(arena, page, notes, "inferred_collectives",
			   ph_need_format(arena, "member of a collective%s inferred from its call", where),
			   ph_need_format(arena, "members of collectives%s inferred from their calls", where));
	note_count(arena, page, notes, "unknown_collectives",
			   ph_need_format(
				   arena, "call of a collective%s without a record, with whom is not known", where),
			   ph_need_format(
				   arena, "calls of collectives%s without records, with whom is not known", where));
}

void
ph_logical_notes(PhArena *arena, const PhViewRows *rows, PhPage *page)
{
	const PhTable *logical = ph_rows_table(rows, "logical");
	const PhTable *odd;
	const char *mode;
	PhViewRows parts;

	note_count(arena, page, logical, "n_events", "communication event", "communication events");
	note_count(arena, page, logical, "n_messages", "message", "messages");
	note_count(arena, page, logical, "n_phases", "phase", "phases");
	if (!read_parts(arena, rows, "logical", &parts))
		return;
	mode = ph_table_text(ph_rows_table(&parts, "options"), 0, "mode");
	if (mode != NULL && strcmp(mode, "compat") == 0)
		ph_page_note(arena, page, "phases and steps as Ravel finds them (mode compat)");
	odd = ph_rows_table(&parts, "notes");
	note_count(arena, page, odd, "unmatched_sends", "send without its receive",
			   "sends without their receives");
	note_count(arena, page, odd, "unmatched_receives", "receive without its send",
			   "receives without their sends");
	note_count(arena, page, odd, "cut_messages", "message that contradicts the order of events",
			   "messages that contradict the order of events");
	note_count(arena, page, odd, "split_collectives",
			   "collective whose members depend on each other",
			   "collectives whose members depend on each other");
	note_count(arena, page, odd, "unpaired_collectives", "collective without an end",
			   "collectives without an end");
	ph_logical_note_inferred(arena, rows, "logical", "", page);
}
