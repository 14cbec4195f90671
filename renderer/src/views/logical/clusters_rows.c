/*
 * clusters_rows.c - from rows to what a picture of clusters draws.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/logical/clusters.h"
#include "views/ranks/columns.h"

#define MOST_MEMBERS 4000 /* bytes of their names */

uint32_t
ph_cluster_find(const PhClusterPlot *plot, double id)
{
	for (uint32_t i = 0; i < plot->n; i++)
		if (plot->clusters[i].id == id)
			return i;
	return UINT32_MAX;
}

/* "rank 3", or a chare's name. */
static const char *
process_text(PhArena *arena, const PhTable *table, uint32_t row, const char *rank, const char *name)
{
	const char *text = ph_table_text(table, row, name);

	return text != NULL ? text
						: ph_need_format(arena, "rank %.0f", ph_table_number(table, row, rank));
}

static const char *
members_text(PhArena *arena, const PhTable *table, uint32_t row)
{
	uint32_t n;
	const char **names = ph_table_texts(arena, table, row, "names", &n);
	const char *text = "";
	const double *ranks;

	if (n == 0)
	{
		ranks = ph_table_numbers(arena, table, row, "ranks", &n);
		return ph_ranges_text(arena, ranks, n, MOST_MEMBERS);
	}
	for (uint32_t i = 0; i < n && strlen(text) < MOST_MEMBERS; i++)
		text = ph_need_format(arena, "%s%s%s", text, i > 0 ? ", " : "", names[i] ? names[i] : "");
	return text;
}

static void
read_clusters(PhArena *arena, const PhViewRows *rows, PhClusterPlot *plot)
{
	const PhTable *table = ph_rows_table(rows, "clusters");

	plot->n = ph_rows_count(table);
	plot->clusters = ph_need(arena, plot->n + 1, sizeof(*plot->clusters));
	for (uint32_t i = 0; i < plot->n; i++)
	{
		PhCluster *cluster = &plot->clusters[i];

		cluster->id = ph_table_number(table, i, "cluster");
		cluster->parent_id = ph_table_number(table, i, "parent");
		cluster->child_id[0] = ph_table_number(table, i, "child_right");
		cluster->child_id[1] = ph_table_number(table, i, "child_left");
		cluster->distance = ph_table_number(table, i, "distance");
		cluster->n_members = fmax(ph_table_number(table, i, "n_members"), 1);
		cluster->most = ph_table_number(table, i, "max_metric");
		cluster->latest = process_text(arena, table, i, "latest_rank", "latest_name");
		cluster->centroid = process_text(arena, table, i, "centroid_rank", "centroid_name");
		cluster->members = members_text(arena, table, i);
		cluster->folded =
			ph_table_true(table, i, "can_unfold") && !ph_table_true(table, i, "is_open");
		cluster->row = UINT32_MAX;
	}
	for (uint32_t i = 0; i < plot->n; i++)
	{
		plot->clusters[i].parent = ph_cluster_find(plot, plot->clusters[i].parent_id);
		for (int c = 0; c < 2; c++)
			plot->clusters[i].child[c] = ph_cluster_find(plot, plot->clusters[i].child_id[c]);
	}
}

/* The shown clusters from the root down, the child with the greater value first. */
static void
order_clusters(PhArena *arena, PhClusterPlot *plot)
{
	uint32_t *stack = ph_need(arena, 2 * (size_t) plot->n + 2, sizeof(*stack));
	bool *seen = ph_need(arena, plot->n + 1, sizeof(*seen));
	uint32_t n = 0;

	plot->shown = ph_need(arena, plot->n + 1, sizeof(*plot->shown));
	for (uint32_t i = plot->n; i-- > 0;)
		if (plot->clusters[i].parent == UINT32_MAX)
			stack[n++] = i;
	while (n > 0)
	{
		uint32_t i = stack[--n];
		const PhCluster *cluster = &plot->clusters[i];
		bool leaf = true;

		if (seen[i])
			continue;
		seen[i] = true;
		for (int c = 1; c >= 0; c--)
			if (cluster->child[c] != UINT32_MAX && !seen[cluster->child[c]])
			{
				stack[n++] = cluster->child[c];
				leaf = false;
			}
		if (leaf)
			plot->shown[plot->n_shown++] = i;
	}
}

/* The first rows are on top; each of the others is the only process of a cluster. */
static void
assign_rows(PhArena *arena, const PhViewRows *rows, PhClusterPlot *plot)
{
	const PhTable *table = ph_rows_table(rows, "rows");

	for (uint32_t row = 0; row < plot->rows.n_rows; row++)
	{
		uint32_t cluster = ph_cluster_find(plot, ph_table_number(table, row, "cluster"));

		if (cluster == UINT32_MAX)
		{
			if (ph_table_number(table, row, "hops") == 0)
				plot->centre = process_text(arena, table, row, "rank", "name");
			if (plot->n_focus == row)
				plot->n_focus++;
		}
		else
			plot->clusters[cluster].row = row;
	}
}

static void
read_focus(const PhViewRows *rows, PhClusterPlot *plot)
{
	const PhTable *table = ph_rows_table(rows, "focus");
	const char *by = ph_table_text(table, 0, "by");

	plot->centre_cluster = ph_table_number(table, 0, "cluster");
	plot->by_centroid = by != NULL && strcmp(by, "centroid") == 0;
	plot->focus_all = ph_table_number(table, 0, "all");
	plot->radius = ph_table_number(table, 0, "hops");
}

static bool
read_series(PhArena *arena, const PhTable *table, uint32_t i, const PhClusterPlot *plot,
			PhClusterSeries *out)
{
	static const char *const counts[] = {"sends", "collectives", "receives"};
	static const char *const values[] = {"send_value", "collective_value", "receive_value"};
	static const char *const waits[] = {"send_before", "collective_before", "receive_before"};
	double n_cells = ceil((double) plot->rows.axis.columns / plot->rows.axis.columns_a_cell);

	out->cluster = ph_cluster_find(plot, *ph_table_number_column(arena, table, i, "cluster", 1));
	out->first_sends = *ph_table_number_column(arena, table, i, "first_sends", 1) > 0;
	out->n_processes = fmax(*ph_table_number_column(arena, table, i, "n", 1), 1);
	out->column = ph_table_numbers(arena, table, i, "column", &out->n);
	out->step = ph_table_number_column(arena, table, i, "step", out->n);
	out->received = ph_table_number_column(arena, table, i, "received", out->n);
	for (int part = 0; part < PH_PARTS; part++)
	{
		out->count[part] = ph_table_number_column(arena, table, i, counts[part], out->n);
		out->value[part] = ph_table_number_column(arena, table, i, values[part], out->n);
		out->before[part] = ph_table_number_column(arena, table, i, waits[part], out->n);
	}
	for (uint32_t k = 0; k < out->n; k++)
		if (!(out->column[k] >= 0 && out->column[k] < n_cells))
			return false;
	return out->cluster != UINT32_MAX;
}

static void
read_all_series(PhArena *arena, const PhViewRows *rows, PhClusterPlot *plot)
{
	const PhTable *table = ph_rows_table(rows, "series");

	plot->series = ph_need(arena, ph_rows_count(table) + 1, sizeof(*plot->series));
	for (uint32_t i = 0; i < ph_rows_count(table); i++)
	{
		PhClusterSeries *series = &plot->series[plot->n_series];

		if (!read_series(arena, table, i, plot, series))
			continue;
		for (uint32_t k = 0; k < series->n; k++)
			plot->most_received = fmax(plot->most_received, series->received[k]);
		plot->n_series++;
	}
}

static void
read_messages(PhArena *arena, const PhViewRows *rows, PhClusterPlot *plot)
{
	const PhTable *stubs = ph_rows_table(rows, "stubs");
	const PhTable *links = ph_rows_table(rows, "links");

	plot->stub_row = ph_table_numbers(arena, stubs, 0, "row", &plot->n_stubs);
	plot->stub_step = ph_table_number_column(arena, stubs, 0, "step", plot->n_stubs);
	plot->stub_sent = ph_table_number_column(arena, stubs, 0, "sent", plot->n_stubs);
	plot->stub_up = ph_table_number_column(arena, stubs, 0, "up", plot->n_stubs);
	plot->link_from = ph_table_numbers(arena, links, 0, "from_cluster", &plot->n_links);
	plot->link_to = ph_table_number_column(arena, links, 0, "to_cluster", plot->n_links);
	plot->link_send = ph_table_number_column(arena, links, 0, "send_step", plot->n_links);
	plot->link_receive = ph_table_number_column(arena, links, 0, "receive_step", plot->n_links);
}

/* One range of colours for the values of single events and the means of clusters. */
static void
find_colors(PhArena *arena, const PhOptions *options, const PhViewRows *rows, PhClusterPlot *plot)
{
	size_t n = 0;
	double *values;
	uint32_t *columns;

	for (uint32_t l = 0; l < plot->rows.n_lanes; l++)
		n += plot->rows.lanes[l].n;
	for (uint32_t s = 0; s < plot->n_series; s++)
		n += (size_t) 2 * PH_PARTS * plot->series[s].n;
	values = ph_need(arena, n + 1, sizeof(*values));
	columns = ph_need(arena, n + 1, sizeof(*columns));
	n = 0;
	for (uint32_t l = 0; l < plot->rows.n_lanes; l++)
		for (uint32_t i = 0; i < plot->rows.lanes[l].n; i++)
		{
			values[n] = plot->rows.lanes[l].value[i];
			columns[n++] = (uint32_t) plot->rows.lanes[l].column[i];
		}
	for (uint32_t s = 0; s < plot->n_series; s++)
		for (uint32_t i = 0; i < 2 * PH_PARTS * plot->series[s].n; i++)
		{
			uint32_t k = i / (2 * PH_PARTS);
			int part = i % PH_PARTS;
			bool before = i / PH_PARTS % 2;

			values[n] = before ? plot->series[s].before[part][k] : plot->series[s].value[part][k];
			columns[n++] = (uint32_t) plot->series[s].column[k] -
						   (before && plot->rows.axis.between && plot->series[s].column[k] >= 1);
		}
	plot->rows.colors = ph_step_colors(arena, options, rows, values, columns, (uint32_t) n,
									   plot->rows.axis.columns, true);
}

bool
ph_clusters_read(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
				 PhClusterPlot *out)
{
	const PhTable *phase = ph_rows_table(rows, "phase");
	const char *pattern = ph_table_text(phase, 0, "pattern");

	*out = (PhClusterPlot){.no_inactive = ph_option_flag(options, "no-inactive"),
						   .phase = ph_table_text(phase, 0, "phase")};
	if (!ph_logical_read_rows(arena, rows, &out->rows))
		return false;
	if (pattern != NULL && strcmp(pattern, "SRSR") == 0)
		out->exchange = PH_EXCHANGE_PAIRS;
	if (pattern != NULL && strcmp(pattern, "SSWA") == 0)
		out->exchange = PH_EXCHANGE_WAITALL;
	read_clusters(arena, rows, out);
	order_clusters(arena, out);
	assign_rows(arena, rows, out);
	read_focus(rows, out);
	read_all_series(arena, rows, out);
	if (ph_option_flag(options, "no-messages"))
		out->rows.lines.n = 0;
	else
		read_messages(arena, rows, out);
	find_colors(arena, options, rows, out);
	return out->n_shown > 0 && out->n_series > 0;
}
