/*
 * ensemble_rows.c - the runs of an ensemble, and where they are in the bars of its super graph.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/supergraph/ensemble.h"

/* ---- names of runs ------------------------------------------------------------------------- */

/* The i-th way to name the run in a row; NULL when it has no such name. */
static const char *
candidate(PhArena *arena, const PhTable *runs, uint32_t row, int way)
{
	const char *commit = ph_table_text(runs, row, "commit_id");
	double ranks = ph_table_number(runs, row, "n_ranks");

	if (way == 0)
		return ranks > 0 ? ph_need_format(arena, "%.0f ranks", ranks) : NULL;
	if (way == 1)
		return commit ? ph_need_format(arena, "%.7s", commit) : NULL;
	return ph_need_format(arena, "run %s", ph_table_text(runs, row, "run_id"));
}

/* Do all runs have a name of this kind, and no two the same? */
static bool
tells_apart(PhArena *arena, const PhTable *runs, PhRunNames *names, int way)
{
	for (uint32_t row = 0; row < names->n; row++)
	{
		names->names[row] = candidate(arena, runs, row, way);
		if (names->names[row] == NULL)
			return false;
		for (uint32_t k = 0; k < row; k++)
			if (strcmp(names->names[k], names->names[row]) == 0)
				return false;
	}
	return true;
}

PhRunNames
ph_run_names(PhArena *arena, const PhViewRows *rows)
{
	const PhTable *runs = ph_rows_table(rows, "runs");
	PhRunNames names = {.n = ph_rows_count(runs)};

	names.ids = ph_need(arena, names.n, sizeof(char *));
	names.names = ph_need(arena, names.n, sizeof(char *));
	for (uint32_t row = 0; row < names.n; row++)
	{
		names.ids[row] = ph_table_text(runs, row, "run_id");
		if (names.ids[row] == NULL)
			names.ids[row] = "";
	}
	for (int way = 0; way < 3; way++)
		if (tells_apart(arena, runs, &names, way))
			break;
	return names;
}

const char *
ph_run_names_find(const PhRunNames *names, const char *id)
{
	for (uint32_t i = 0; id && i < names->n; i++)
		if (strcmp(names->ids[i], id) == 0)
			return names->names[i];
	return id ? id : "";
}

/* ---- gradients ----------------------------------------------------------------------------- */

static PhGradient *
gradient_of(PhArena *arena, PhSankey *graph, const char *node)
{
	PhSankeyBar *bar = node ? ph_sankey_find(graph, node) : NULL;
	PhGradient *gradient;

	if (bar == NULL || bar->n_others > 0)
		return NULL;
	if (bar->gradient)
		return (PhGradient *) bar->gradient;
	gradient = ph_need(arena, 1, sizeof(*gradient));
	gradient->sd = gradient->target = gradient->target_value = NAN;
	gradient->target_z = gradient->target_rank = NAN;
	gradient->mean = bar->value;
	bar->gradient = gradient;
	return gradient;
}

static double
number_or(double value, double otherwise)
{
	return isnan(value) ? otherwise : value;
}

static void
add_guide(PhArena *arena, PhGradient *gradient, const PhTable *table, uint32_t row,
		  const PhRunNames *names)
{
	PhGuide guide = {
		.begin = fmin(fmax(number_or(ph_table_number(table, row, "begin_share"), 0), 0), 1),
		.end = fmin(fmax(number_or(ph_table_number(table, row, "end_share"), 1), 0), 1),
		.count = fmax(number_or(ph_table_number(table, row, "count"), 0), 0),
		.value = ph_table_number(table, row, "value"),
		.mark = ph_table_text(table, row, "mark")};

	if (!(guide.end > guide.begin))
		return;
	guide.runs = ph_table_texts(arena, table, row, "runs", &guide.n_runs);
	for (uint32_t i = 0; i < guide.n_runs; i++)
		guide.runs[i] = ph_run_names_find(names, guide.runs[i]);
	gradient->guides = ph_need_room(arena, gradient->guides, gradient->n_guides,
									&gradient->capacity, sizeof(PhGuide));
	gradient->guides[gradient->n_guides++] = guide;
	gradient->most = fmax(gradient->most, guide.count);
}

/* The middle of the target's bin; bins are as high as the guides'. */
static void
read_target(PhGradient *gradient, const PhTable *table, uint32_t row)
{
	double bin = ph_table_number(table, row, "bin");

	gradient->target_value = ph_table_number(table, row, "value");
	gradient->target_z = ph_table_number(table, row, "z");
	gradient->target_rank = ph_table_number(table, row, "rank");
	if (gradient->n_guides > 0 && !isnan(bin))
		gradient->target =
			fmin(fmax((bin + 0.5) * (gradient->guides[0].end - gradient->guides[0].begin), 0), 1);
}

void
ph_ensemble_read(PhArena *arena, const PhViewRows *rows, const PhRunNames *names, PhSankey *graph)
{
	const PhTable *guides = ph_rows_table(rows, "guides");
	const PhTable *spread = ph_rows_table(rows, "spread");
	const PhTable *target = ph_rows_table(rows, "target");

	for (uint32_t i = 0; i < graph->n_bars; i++)
		gradient_of(arena, graph, graph->bars[i].node);
	for (uint32_t row = 0; row < ph_rows_count(guides); row++)
	{
		PhGradient *gradient = gradient_of(arena, graph, ph_table_text(guides, row, "node"));

		if (gradient)
			add_guide(arena, gradient, guides, row, names);
	}
	for (uint32_t row = 0; row < ph_rows_count(spread); row++)
	{
		PhGradient *gradient = gradient_of(arena, graph, ph_table_text(spread, row, "node"));

		if (gradient == NULL)
			continue;
		gradient->n_present = number_or(ph_table_number(spread, row, "n_present"), 0);
		gradient->sd = ph_table_number(spread, row, "sd");
	}
	for (uint32_t row = 0; row < ph_rows_count(target); row++)
	{
		PhGradient *gradient = gradient_of(arena, graph, ph_table_text(target, row, "node"));

		if (gradient)
			read_target(gradient, target, row);
	}
}
