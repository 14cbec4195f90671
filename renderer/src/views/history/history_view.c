/*
 * history_view.c - `history`: costs of call paths along the commits of an application.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/small_multiples.h"
#include "queries.h"
#include "request/identity.h"
#include "request/view.h"
#include "texts.h"
#include "views/history/history.h"

#define OPTIONS "application run path by metric filter:runs cost top mode"

static void
check_total(const PhOptions *options, const char **message, const char **hint)
{
	if (!ph_option_is(options, "by", "total") ||
		(!ph_option_is(options, "cost", "exclusive") && !ph_option_given(options, "path")))
		return;
	*message = "the whole program has one history, of its inclusive cost";
	*hint = "Leave out --path and --cost, or use --by path.";
}

static bool
check(const PhOptions *options, const char **message, const char **hint)
{
	if (ph_option_text(options, "rows"))
		return true;
	if (ph_option_text(options, "application") == NULL)
	{
		*message = "no application to draw the history of";
		*hint =
			"Use --application NAME, or --run RUN for the iterations of one; \"perfhouse runs\" "
			"lists both.";
	}
	else
		check_total(options, message, hint);
	return *message == NULL;
}

/* Of one run, or of a query. */
static bool
check_run(const PhOptions *options, const char **message, const char **hint)
{
	if (ph_option_given(options, "application") || ph_option_condition(options) != NULL)
	{
		*message = "a run and runs to choose from are given";
		*hint = "Use --run for the iterations of one run, or --application and --filter for many.";
	}
	else
		check_total(options, message, hint);
	return *message == NULL;
}

/* "application lulesh · 24 runs of 8 commits · 8 ranks · time, inclusive, mean over ranks". */
static const char *
identity(PhDrawing *drawing, const PhHistory *history)
{
	PhArena *arena = drawing->arena;
	const PhTable *choice = ph_rows_table(drawing->rows, "choice");
	const char *cost = ph_table_text(choice, 0, "cost");
	const char *metric = ph_metric_name(arena, drawing->rows, 0);
	const char *filter = ph_table_text(choice, 0, "filter");
	const char *text;
	uint32_t commits = 0;

	if (history->axis == PH_HISTORY_ITERATIONS)
		return ph_need_format(arena, "%s, %s \xc2\xb7 %u iteration%s", drawing->page.identity,
							  cost ? cost : "inclusive", history->n_slots,
							  history->n_slots == 1 ? "" : "s");
	for (uint32_t i = 0; i < history->n_slots; i++)
		commits += history->slots[i].commit != NULL;
	text = ph_need_format(arena, "application %s \xc2\xb7 %.0f runs",
						  ph_table_text(choice, 0, "application"),
						  ph_table_number(choice, 0, "n_runs"));
	if (commits > 0)
		text = ph_need_format(arena, "%s of %u commit%s", text, commits, commits == 1 ? "" : "s");
	if (history->n_conditions == 1)
		text = ph_need_format(arena, "%s \xc2\xb7 %s", text, history->conditions[0].text);
	if (filter)
		text = ph_need_format(arena, "%s \xc2\xb7 %s", text, filter);
	return ph_need_format(arena, "%s \xc2\xb7 %s, %s, mean over ranks", text, metric ? metric : "",
						  cost ? cost : "inclusive");
}

/* Runs of commits that nobody has read, or of none. */
static uint32_t
count_unknown(const PhHistory *history)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < history->n_conditions; i++)
		for (uint32_t k = 0; k < history->conditions[i].n; k++)
			n += !history->slots[history->conditions[i].places[k].slot].known;
	return n;
}

static void
note_order(PhDrawing *drawing, const PhHistory *history, bool crowded)
{
	PhArena *arena = drawing->arena;
	uint32_t unknown = count_unknown(history);
	bool side = false;

	if (history->axis == PH_HISTORY_ITERATIONS)
	{
		if (crowded)
			ph_page_note(arena, &drawing->page,
						 "iterations too many to draw each: the darker, the more in one place");
		return;
	}
	for (uint32_t i = 0; i < history->n_slots; i++)
		side = side || (history->slots[i].known && !history->slots[i].main_line);
	if (history->axis == PH_HISTORY_TIMES)
		ph_page_note(arena, &drawing->page, "runs without commits, by time");
	else if (unknown > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena,
									"%u runs of commits that are not read, last and by time: "
									"perfhouse commits REPOSITORY reads them",
									unknown));
	if (crowded)
		ph_page_note(arena, &drawing->page,
					 "runs too many to draw each: the darker, the more in one place");
	if (side)
		ph_page_note(arena, &drawing->page,
					 crowded ? "brown: only commits that are not on the main line"
							 : "hollow: commits that are not on the main line");
}

static void
note_choice(PhDrawing *drawing, const PhHistory *history)
{
	PhArena *arena = drawing->arena;
	double candidates = ph_table_number(ph_rows_table(drawing->rows, "choice"), 0, "candidates");
	const char *by = ph_option_text(drawing->options, "by");
	const char *what = by == NULL || strcmp(by, "path") == 0 ? "call paths"
					   : strcmp(by, "module") == 0			 ? "modules"
															 : "functions";
	uint32_t hidden = history->n_hidden;
	uint32_t shown = history->n_panels / (history->n_conditions ? history->n_conditions : 1);

	if (candidates > shown)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u of %.0f %s: those with %sthe highest own cost",
									shown, candidates, what,
									history->axis == PH_HISTORY_ITERATIONS
										? ""
										: "open regressions, then those with "));
	if (hidden > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena,
									"runs under %u other condition%s (ranks, threads, cluster) "
									"not drawn: one commit, or no room; choose with --filter",
									hidden, hidden == 1 ? "" : "s"));
}

static void
note_method(PhDrawing *drawing, double low, double high, uint32_t n_own, uint32_t n_panels)
{
	PhArena *arena = drawing->arena;
	const char *mode = ph_table_text(ph_rows_table(drawing->rows, "choice"), 0, "mode");

	if (n_panels > n_own && n_panels > 1)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(
				arena,
				"vertical axes reach from \xe2\x88\x92%.0f %% to +%.0f %% of the middle of their "
				"panel's values",
				-100 * low, 100 * high));
	if (n_own > 0 && n_panels > 1)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u panel%s with larger swings: axis of %s own", n_own,
									n_own == 1 ? "" : "s", n_own == 1 ? "its" : "their"));
	ph_page_note(arena, &drawing->page,
				 mode && strcmp(mode, "otava") == 0
					 ? "change points as Apache Otava finds them"
					 : "change points at a false discovery rate of 5 % over the series drawn");
}

static const char *
title(PhArena *arena, const PhHistory *history)
{
	const PhHistoryPanel *panel = &history->panels[0];
	bool is_run = history->axis == PH_HISTORY_ITERATIONS;

	if (history->n_panels != 1)
		return is_run ? "Performance along iterations" : "Performance history";
	return ph_need_format(arena, "%s %s", is_run ? "Iterations of" : "History of",
						  panel->is_path ? ph_path_name(panel->label, panel->leaf) : panel->label);
}

#define LEGEND_ROOM 18.0 /* above the body, for a second line; narrow pictures have a third */

static void
draw_history_view(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	PhHistory history;
	uint32_t n_own = 0;
	double low;
	double high;
	double legend;
	bool crowded;

	ph_history_read(arena, drawing->rows, &history);
	drawing->page.title = title(arena, &history);
	drawing->page.identity = identity(drawing, &history);
	if (history.n_panels == 0)
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no costs of these call paths in these runs");
		return;
	}
	if (!ph_option_given(drawing->options, "height"))
		drawing->body.height = ph_history_height(&history, drawing->body.width);
	ph_history_scales(arena, &history, &low, &high);
	crowded = ph_history_is_crowded(&history) && !ph_option_flag(drawing->options, "everything");
	legend = ph_history_legend(drawing->scene, &history, ph_option_palette(drawing->options));
	drawing->body.y += fmax(0, legend - LEGEND_ROOM);
	ph_history_draw(drawing->scene, &history, ph_option_palette(drawing->options), crowded,
					drawing->body);
	for (uint32_t i = 0; i < history.n_panels; i++)
		n_own += history.panels[i].own_scale;
	note_order(drawing, &history, crowded);
	note_choice(drawing, &history);
	note_method(drawing, low, high, n_own, history.n_panels);
}

/* Of a run instead of an application: its iterations. */
static const PhView of_run = {.name = "history",
							  .options = OPTIONS,
							  .query = &ph_query_render_iteration_history,
							  .given = ph_given_profile,
							  .by_iteration = true,
							  .reduction = "mean over processes",
							  .width = 1200,
							  .height = 560,
							  .check = check_run,
							  .draw = draw_history_view};

const PhView ph_view_history = {
	.name = "history",
	.summary =
		"costs of call paths along the commits of an application, or the iterations of a run, "
		"and where they changed",
	.details = ph_help_render_history,
	.place = "history",
	.label = "history",
	.options = OPTIONS,
	.query = &ph_query_render_history,
	.many_runs = true,
	.of_run = &of_run,
	.reduction = "mean over ranks",
	.width = 1200,
	.height = 560,
	.check = check,
	.draw = draw_history_view};
