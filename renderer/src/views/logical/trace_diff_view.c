/*
 * trace_diff_view.c - `trace-diff`: two traces aligned by logical structure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/view.h"
#include "texts.h"
#include "views/logical/logical.h"
#include "views/logical/trace_diff.h"

static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	double scale = fmax(ph_option_number(options, "scale"), 1);

	*width = floor(fmin((body.width - 64) * scale, 16000));
	*height = floor(fmin(fmax((body.height - 400) * scale, 100), 8000));
}

static bool
check(const PhOptions *options, const char **message, const char **hint)
{
	if (ph_option_text(options, "vs") != NULL || ph_option_text(options, "rows") != NULL)
		return true;
	*message = "two runs are needed";
	*hint = "Use --run A --vs B.";
	return false;
}

/* Which rank became later or earlier most: among thousands a cell is a line of one pixel. */
static void
note_greatest(PhDrawing *drawing, const PhTraceDiffPlot *plot)
{
	const PhDiffBars *bars = &plot->bars;
	uint32_t most = 0;

	for (uint32_t i = 1; i < bars->n; i++)
		if (fabs(bars->lateness[i]) > fabs(bars->lateness[most]))
			most = i;
	if (plot->tasks || bars->n == 0 || isnan(bars->rank[most]) || !(fabs(bars->lateness[most]) > 0))
		return;
	ph_page_note(drawing->arena, &drawing->page,
				 ph_need_format(
					 drawing->arena, "greatest change of lateness: %s on rank %.0f%s",
					 ph_signed_value(drawing->arena, "ns", bars->lateness[most]), bars->rank[most],
					 isnan(bars->step_a[most])
						 ? ""
						 : ph_need_format(drawing->arena, " at step %.0f", bars->step_a[most])));
}

static void
note_alignment(PhDrawing *drawing, const PhTraceDiffPlot *plot)
{
	PhArena *arena = drawing->arena;
	PhPage *page = &drawing->page;
	const PhTable *counts = ph_rows_table(drawing->rows, "counts");
	const char *alignment = ph_table_text(counts, 0, "alignment");

	ph_page_note(arena, page,
				 plot->tasks ? "duration: an event's share of its serial block, or of its call; "
							   "bars: the event that changed most"
							 : "lateness: how much later a call was left than the earliest call "
							   "of its phase and step; bars: the event that changed most");
	ph_page_note(
		arena, page,
		ph_need_format(arena,
					   "%.0f steps in both, %.0f with a change of %s; %.0f only in "
					   "A, %.0f only in B",
					   ph_table_number(counts, 0, "both"), ph_table_number(counts, 0, "changed"),
					   plot->tasks ? "duration" : "lateness", ph_table_number(counts, 0, "only_a"),
					   ph_table_number(counts, 0, "only_b")));
	note_greatest(drawing, plot);
	if (alignment != NULL && strcmp(alignment, "position") == 0)
		ph_page_note(arena, page, "processes are compared by their position in the phase");
	if (alignment != NULL && strcmp(alignment, "role") == 0)
		ph_page_note(arena, page, "processes are compared by what they call, in which order");
	if (alignment != NULL && strcmp(alignment, "none") == 0)
		ph_page_note(arena, page,
					 "processes cannot be aligned: changes are those of the greatest values");
	ph_logical_note_inferred(arena, drawing->rows, "logical", " in A", page);
	ph_logical_note_inferred(arena, drawing->rows, "logical_b", " in B", page);
	if (plot->beyond > 0)
		ph_page_note(arena, page,
					 ph_need_format(arena, "%u of the changes are beyond the range of colours",
									plot->beyond));
	if (plot->axis.columns_a_cell > 1)
		ph_page_note(arena, page,
					 ph_need_format(arena, "a column shows the greatest change of %u steps",
									plot->axis.columns_a_cell));
}

static void
draw_trace_diff_view(PhDrawing *drawing)
{
	PhTraceDiffPlot plot;

	drawing->page.title = "Two traces aligned: change from A to B";
	drawing->page.identity = ph_compared_identity(drawing->arena, drawing->rows);
	if (!ph_trace_diff_read(drawing->arena, drawing->options, drawing->rows, &plot))
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no communication in these traces");
		return;
	}
	if (!ph_option_given(drawing->options, "height"))
		drawing->body.height = ph_trace_diff_height(&plot, drawing->body.height);
	ph_trace_diff_draw(drawing->scene, &plot, drawing->body);
	note_alignment(drawing, &plot);
}

const PhView ph_view_trace_diff = {.name = "trace-diff",
								   .summary =
									   "two traces aligned by logical structure, step by step",
								   .details = ph_help_render_trace_diff,
								   .place = "compare",
								   .label = "traces, step by step",
								   .options = "run! vs!",
								   .query = &ph_query_render_trace_diff,
								   .reduction = "",
								   .width = 1400,
								   .height = 900,
								   .layout_size = layout_size,
								   .check = check,
								   .draw = draw_trace_diff_view};
