/*
 * timeline_rows.c - from rows to what a timeline draws.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/identity.h"
#include "request/known_colors.h"
#include "request/row_names.h"
#include "request/view.h"
#include "views/traces/timeline.h"
#include "views/traces/trace_page.h"

static void
read_lane(PhArena *arena, const PhTable *spans, uint32_t i, PhTimelineLane *lane)
{
	lane->row = (uint32_t) *ph_table_number_column(arena, spans, i, "row", 1);
	lane->depth = (uint32_t) *ph_table_number_column(arena, spans, i, "depth", 1);
	lane->bin = ph_table_numbers(arena, spans, i, "bin", &lane->n);
	lane->n_bins = ph_table_number_column(arena, spans, i, "n_bins", lane->n);
	lane->share = ph_table_number_column(arena, spans, i, "share", lane->n);
	lane->calls = ph_table_number_column(arena, spans, i, "calls", lane->n);
	lane->region = ph_table_text_column(arena, spans, i, "region", lane->n);
}

static const PhTimelineLane *
read_lanes(PhArena *arena, const PhTable *spans, uint32_t *n)
{
	PhTimelineLane *lanes = ph_need(arena, ph_rows_count(spans) + 1, sizeof(*lanes));

	*n = ph_rows_count(spans);
	for (uint32_t i = 0; i < *n; i++)
		read_lane(arena, spans, i, &lanes[i]);
	return lanes;
}

static const PhTimelineLane *
read_deviants(PhArena *arena, const PhTable *spans, uint32_t *n)
{
	PhTimelineLane *lanes = ph_need(arena, ph_rows_count(spans) + 1, sizeof(*lanes));

	*n = ph_rows_count(spans);
	for (uint32_t i = 0; i < *n; i++)
	{
		read_lane(arena, spans, i, &lanes[i]);
		lanes[i].rank = ph_table_number_column(arena, spans, i, "rank", lanes[i].n);
		lanes[i].distance = ph_table_number_column(arena, spans, i, "distance", lanes[i].n);
		lanes[i].first_bin = ph_table_number_column(arena, spans, i, "first_bin", lanes[i].n);
		lanes[i].last_bin = ph_table_number_column(arena, spans, i, "last_bin", lanes[i].n);
	}
	return lanes;
}

static bool
are_rows(const double *values, uint32_t n, uint32_t n_rows)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(values[i] >= 0 && values[i] < n_rows))
			return false;
	return true;
}

static void
read_lines(PhArena *arena, const PhTable *messages, uint32_t n_rows, PhTimelineLines *lines)
{
	if (messages == NULL)
		return;
	lines->from_row = ph_table_numbers(arena, messages, 0, "from_row", &lines->n);
	lines->to_row = ph_table_number_column(arena, messages, 0, "to_row", lines->n);
	lines->send = ph_table_number_column(arena, messages, 0, "send", lines->n);
	lines->receive = ph_table_number_column(arena, messages, 0, "receive", lines->n);
	lines->messages = ph_table_number_column(arena, messages, 0, "messages", lines->n);
	lines->bytes = ph_table_number_column(arena, messages, 0, "bytes", lines->n);
	lines->bin_width = *ph_table_number_column(arena, messages, 0, "bin_width", 1);
	if (!are_rows(lines->from_row, lines->n, n_rows) || !are_rows(lines->to_row, lines->n, n_rows))
		lines->n = 0;
}

static void
read_launches(PhArena *arena, const PhTable *launches, uint32_t n_rows, PhTimelineLines *lines)
{
	if (launches == NULL)
		return;
	lines->from_row = ph_table_numbers(arena, launches, 0, "from_row", &lines->n);
	lines->to_row = ph_table_number_column(arena, launches, 0, "to_row", lines->n);
	lines->send = ph_table_number_column(arena, launches, 0, "t_call", lines->n);
	lines->receive = ph_table_number_column(arena, launches, 0, "t_start", lines->n);
	lines->messages = ph_table_number_column(arena, launches, 0, "launches", lines->n);
	if (!are_rows(lines->from_row, lines->n, n_rows) || !are_rows(lines->to_row, lines->n, n_rows))
		lines->n = 0;
}

static void
read_strip(PhArena *arena, const PhViewRows *rows, PhTimelineStrip *strip)
{
	const PhTable *metric = ph_rows_table(rows, "strip");
	const PhTable *bins = ph_rows_table(rows, "strip_bins");

	if (metric == NULL || bins == NULL)
		return;
	strip->metric = ph_table_text(metric, 0, "metric");
	strip->unit = ph_table_text(metric, 0, "unit");
	strip->accumulated = ph_table_true(metric, 0, "accumulated");
	strip->start = ph_table_numbers(arena, bins, 0, "start", &strip->n);
	strip->end = ph_table_number_column(arena, bins, 0, "end", strip->n);
	strip->mean = ph_table_number_column(arena, bins, 0, "mean", strip->n);
	strip->min = ph_table_number_column(arena, bins, 0, "min", strip->n);
	strip->max = ph_table_number_column(arena, bins, 0, "max", strip->n);
}

/* Waiting for work is black in every picture. */
static void
blacken_idle(PhCategories *categories)
{
	for (uint32_t i = 0; i < categories->n; i++)
		if (strcasecmp(categories->entries[i].name, "idle") == 0)
			categories->entries[i].color = ph_color_hex(0x111111);
}

static void
read_regions(PhArena *arena, const PhViewRows *rows, PhPalette palette, PhCategories *out)
{
	const PhTable *regions = ph_rows_table(rows, "regions");
	uint32_t n = ph_rows_count(regions);
	const char **names = ph_need(arena, n + 1, sizeof(*names));
	double *weights = ph_need(arena, n + 1, sizeof(*weights));

	for (uint32_t i = 0; i < n; i++)
	{
		names[i] = ph_table_text(regions, i, "region");
		weights[i] = ph_table_number(regions, i, "exclusive");
	}
	ph_categories_build(arena, palette, names, weights, n, out);
	ph_known_colors_apply(arena, rows, palette, out);
	blacken_idle(out);
}

/* How many locations share each row. */
static const double *
read_sizes(PhArena *arena, const PhTable *rows, PhTimelinePlot *plot)
{
	double *sizes = ph_need(arena, plot->n_rows, sizeof(*sizes));

	plot->most_locations = 1;
	for (uint32_t row = 0; row < plot->n_rows; row++)
	{
		sizes[row] = fmax(ph_table_number(rows, row, "n_locations"), 1);
		plot->most_locations = fmax(plot->most_locations, sizes[row]);
	}
	return sizes;
}

/* Streams of devices have names, ranks and threads have numbers. */
static double
width_of_names(const PhTable *table, uint32_t n_rows)
{
	for (uint32_t row = 0; row < n_rows; row++)
		if (ph_is_stream_row(table, row))
			return 130;
	return 36;
}

bool
ph_timeline_read(PhArena *arena, const PhViewRows *rows, PhPalette palette, PhTimelinePlot *out)
{
	const PhTable *table = ph_rows_table(rows, "rows");
	double bins = ph_table_number(ph_rows_table(rows, "window"), 0, "bins");

	out->run = ph_table_text(ph_rows_table(rows, "run"), 0, "run_id");
	out->n_rows = ph_rows_count(table);
	out->unit_name = ph_rank_word(rows, "run");
	out->n_bins = bins >= 1 ? (uint32_t) bins : 0;
	if (!ph_trace_window(rows, &out->from, &out->to) || out->n_rows == 0 || out->n_bins == 0)
		return false;
	out->row_names = ph_need(arena, out->n_rows, sizeof(*out->row_names));
	out->sizes = read_sizes(arena, table, out);
	for (uint32_t row = 0; row < out->n_rows; row++)
		out->row_names[row] = ph_location_name(arena, table, row);
	out->name_width = width_of_names(table, out->n_rows);
	out->lanes = read_lanes(arena, ph_rows_table(rows, "spans"), &out->n_lanes);
	out->deviants = read_deviants(arena, ph_rows_table(rows, "deviants"), &out->n_deviants);
	read_lines(arena, ph_rows_table(rows, "messages"), out->n_rows, &out->lines);
	read_launches(arena, ph_rows_table(rows, "launches"), out->n_rows, &out->launches);
	read_strip(arena, rows, &out->strip);
	read_regions(arena, rows, palette, &out->categories);
	return out->n_lanes > 0;
}
