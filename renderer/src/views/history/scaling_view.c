/*
 * scaling_view.c - `scaling`: costs of call paths against the number of ranks, with models.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/view.h"
#include "texts.h"
#include "views/history/scaling.h"

static bool
check(const PhOptions *options, const char **message, const char **hint)
{
	if (ph_option_text(options, "application") || ph_option_text(options, "rows"))
		return true;
	*message = "no application to draw the scaling of";
	*hint = "Use --application NAME; \"perfhouse runs\" lists them.";
	return false;
}

static const char *
identity(PhDrawing *drawing, const PhScaling *scaling)
{
	PhArena *arena = drawing->arena;
	const PhTable *runs = ph_rows_table(drawing->rows, "runs");
	const char *cost = ph_table_text(ph_rows_table(drawing->rows, "choice"), 0, "cost");
	const char *filter = ph_table_text(runs, 0, "filter");
	const char *metric = ph_metric_name(arena, drawing->rows, 0);
	const char *text = ph_need_format(
		arena, "application %s \xc2\xb7 %.0f runs, %.9g to %.9g %s",
		ph_table_text(runs, 0, "application"), ph_table_number(runs, 0, "n"),
		scaling->n_numbers ? scaling->numbers[0] : 0,
		scaling->n_numbers ? scaling->numbers[scaling->n_numbers - 1] : 0, scaling->parameter);

	if (filter)
		text = ph_need_format(arena, "%s \xc2\xb7 %s", text, filter);
	return ph_need_format(arena, "%s \xc2\xb7 %s, %s, mean over ranks", text, metric ? metric : "",
						  cost ? cost : "inclusive");
}

/* Strong or weak, and why; where nobody knows, that there is no efficiency. */
static void
add_kind(PhDrawing *drawing, const PhScaling *scaling)
{
	PhArena *arena = drawing->arena;
	const PhTable *choice = ph_rows_table(drawing->rows, "choice");
	const char *reason = ph_table_text(choice, 0, "reason");
	const char *told = ph_table_text(choice, 0, "told");

	if (reason == NULL)
		return;
	if (!scaling->judged)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena,
									"strong or weak scaling is not known, so no efficiency: %s",
									reason));
	else if (told == NULL)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "drawn as %s scaling because --scaling says so; %s",
									scaling->weak ? "weak" : "strong", reason));
	else if ((strcmp(told, "weak") == 0) != scaling->weak)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(arena, "drawn as %s scaling because --scaling says so, but it is %s: %s",
						   scaling->weak ? "weak" : "strong", told, reason));
	else
		ph_page_note(arena, &drawing->page, ph_need_format(arena, "%s scaling: %s", told, reason));
}

static void
add_notes(PhDrawing *drawing, const PhScaling *scaling, uint32_t n_own)
{
	PhArena *arena = drawing->arena;
	const PhTable *runs = ph_rows_table(drawing->rows, "runs");
	double candidates = ph_table_number(ph_rows_table(drawing->rows, "choice"), 0, "candidates");
	double commits = ph_table_number(runs, 0, "commits");
	double without = ph_table_number(runs, 0, "without");

	add_kind(drawing, scaling);
	ph_page_note(arena, &drawing->page, ph_need_format(arena, "p: %s", scaling->parameter));
	if (scaling->n > 1 && scaling->n > n_own)
		ph_page_note(arena, &drawing->page,
					 n_own > 0 ? ph_need_format(arena,
												"vertical axes span as many decades, except in %u "
												"panel%s: equal slopes are equal growth",
												n_own, n_own == 1 ? "" : "s")
							   : "all vertical axes span as many decades: equal slopes are equal "
								 "growth");
	if (candidates > scaling->n)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u of %.0f call paths, those with the highest own cost",
									scaling->n, candidates));
	if (commits > 1)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "runs of %.0f commits: --filter chooses", commits));
	if (without > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%.0f run%s without the number left out", without,
									without == 1 ? "" : "s"));
}

static void
draw_scaling_view(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	PhScaling scaling;
	uint32_t n_own;

	ph_scaling_read(arena, drawing->rows, &scaling);
	drawing->page.title = ph_need_format(arena, "Scaling with %s", scaling.parameter);
	drawing->page.identity = identity(drawing, &scaling);
	if (scaling.n == 0 || scaling.n_numbers == 0)
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no costs of these call paths in these runs");
		return;
	}
	if (!ph_option_given(drawing->options, "height"))
		drawing->body.height = ph_scaling_height(&scaling, drawing->body.width);
	n_own = ph_scaling_scales(arena, &scaling);
	ph_scaling_draw(drawing->scene, &scaling, drawing->body);
	ph_scaling_legend(drawing->scene, &scaling);
	add_notes(drawing, &scaling, n_own);
}

const PhView ph_view_scaling = {
	.name = "scaling",
	.summary = "costs of call paths against the number of ranks, with models",
	.details = ph_help_render_scaling,
	.place = "history",
	.label = "scaling",
	.options = "application! path filter:runs metric cost top parameter scaling",
	.query = &ph_query_render_scaling,
	.many_runs = true,
	.reduction = "mean over ranks",
	.width = 1200,
	.height = 560,
	.check = check,
	.draw = draw_scaling_view};
