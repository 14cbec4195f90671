/*
 * clusters_view.c - `logical-clusters`: processes of a phase that behave alike.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/view.h"
#include "texts.h"
#include "views/logical/clusters.h"

/* Glyphs need some units each. */
static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	*width =
		floor(fmin((body.width - 200) * fmax(ph_option_number(options, "scale"), 1) / 1.5, 16000));
	*height = body.height;
}

static bool
check(const PhOptions *options, const char **message, const char **hint)
{
	if (ph_option_given(options, "phase") || ph_option_given(options, "rows"))
		return true;
	*message = "no phase to draw";
	*hint = "Use --phase N; view logical shows the numbers of phases.";
	return false;
}

static void
note_drawing(PhDrawing *drawing, const PhClusterPlot *plot)
{
	PhArena *arena = drawing->arena;
	PhPage *page = &drawing->page;

	ph_step_note(arena, page, &plot->rows.colors);
	ph_page_note(arena, page,
				 "rows of clusters: a least height, and more in proportion to their processes");
	if (plot->exchange == PH_EXCHANGE_PAIRS)
		ph_page_note(arena, page,
					 "sends and receives in turn: processes that send first above, their partners "
					 "below, dashed when they are in other clusters");
	else
		ph_page_note(arena, page,
					 plot->no_inactive
						 ? "sends above, receives below, as shares of the processes with an event"
						 : "sends above, receives below, without an event between; heights and "
						   "lines are shares of the cluster");
	if (plot->exchange == PH_EXCHANGE_WAITALL)
		ph_page_note(arena, page,
					 ph_need_format(arena, "quarter discs: messages received at once; full: %s",
									ph_number(arena, plot->most_received)));
	if (plot->focus_all > plot->n_focus)
		ph_page_note(arena, page,
					 ph_need_format(arena, "on top: %u of %.0f around %s", plot->n_focus,
									plot->focus_all, plot->centre ? plot->centre : "it"));
	if (plot->rows.axis.between)
		ph_page_note(arena, page, "left halves: the time before");
}

static void
draw_clusters_view(PhDrawing *drawing)
{
	const PhTable *phase = ph_rows_table(drawing->rows, "phase");
	const char *pattern = ph_table_text(phase, 0, "pattern");
	PhClusterPlot plot;

	if (pattern != NULL && strcmp(pattern, "unknown") == 0)
		pattern = NULL;
	drawing->page.title =
		ph_need_format(drawing->arena, "Clusters of phase %s: %s%s%s",
					   ph_table_text(phase, 0, "phase") ? ph_table_text(phase, 0, "phase") : "",
					   ph_step_metric_of_rows(drawing->options, drawing->rows)->title,
					   pattern ? ", exchange " : "", pattern ? pattern : "");
	if (!ph_clusters_read(drawing->arena, drawing->options, drawing->rows, &plot))
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no communication in this phase");
		return;
	}
	if (!ph_option_given(drawing->options, "height"))
		drawing->body.height =
			fmin(drawing->body.height, 110 + plot.n_focus * 20.0 + plot.n_shown * 110.0);
	ph_clusters_draw(drawing->scene, &plot, drawing->body);
	note_drawing(drawing, &plot);
	ph_logical_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_logical_clusters = {
	.name = "logical-clusters",
	.summary = "processes of a phase that behave alike, step by step",
	.details = ph_help_render_logical_clusters,
	.place = "trace",
	.label = "clusters",
	.options =
		"run! phase! color:spans range clusters unfold fold cluster focus radius no-aggregates "
		"no-inactive no-messages",
	.query = &ph_query_render_logical_clusters,
	.reduction = "",
	.width = 1400,
	.height = 900,
	.layout_size = layout_size,
	.check = check,
	.draw = draw_clusters_view};
