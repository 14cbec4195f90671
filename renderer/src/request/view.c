/*
 * view.c - the views of `perfhouse render`.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/view.h"

#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/dark.h"
#include "drawing/lighten.h"
#include "request/identity.h"

/* In the order of help and of the web pages' tabs. */
const PhView *const ph_views[] = {&ph_view_sankey,
								  &ph_view_sankey_diff,
								  &ph_view_sankey_compare,
								  &ph_view_flame_diff,
								  &ph_view_trace_diff,
								  &ph_view_flame,
								  &ph_view_cct,
								  &ph_view_function_graph,
								  &ph_view_function_neighbourhood,
								  &ph_view_function_arcs,
								  &ph_view_processes,
								  &ph_view_metric,
								  &ph_view_histogram,
								  &ph_view_scatter,
								  &ph_view_box,
								  &ph_view_grid,
								  &ph_view_iterations,
								  &ph_view_timeline,
								  &ph_view_comm_matrix,
								  &ph_view_message_sizes,
								  &ph_view_time_profile,
								  &ph_view_window_graph,
								  &ph_view_gpu_activity,
								  &ph_view_kernels,
								  &ph_view_blame,
								  &ph_view_logical,
								  &ph_view_step_overview,
								  &ph_view_logical_clusters,
								  &ph_view_history,
								  &ph_view_scaling,
								  &ph_view_sankey_ensemble,
								  &ph_view_line,
								  &ph_view_bar,
								  &ph_view_heatmap,
								  NULL};

const PhView *
ph_view_find(const char *name)
{
	for (const PhView *const *view = ph_views; *view; view++)
		if (strcmp((*view)->name, name) == 0)
			return *view;
	return NULL;
}

static double
view_width(const PhView *view, const PhOptions *options)
{
	return ph_option_given(options, "width") ? ph_option_number(options, "width") : view->width;
}

static double
view_height(const PhView *view, const PhOptions *options)
{
	return ph_option_given(options, "height") ? ph_option_number(options, "height") : view->height;
}

PhBody
ph_view_body(const PhView *view, const PhOptions *options)
{
	return ph_page_body(view_width(view, options), view_height(view, options));
}

/* Runs that cannot be compared are drawn as they were asked for, but the picture says so first. */
static void
note_differences(PhDrawing *drawing)
{
	const char *differences =
		ph_table_text(ph_rows_table(drawing->rows, "experiment"), 0, "differences");

	if (differences)
		ph_page_note(
			drawing->arena, &drawing->page,
			ph_need_format(drawing->arena, "runs of different experiments: %s", differences));
}

/* Captions of profiles say it themselves; pictures of traces have none of these. */
static void
note_incomplete(PhArena *arena, PhPage *page, const PhViewRows *rows)
{
	static const char *const sections[] = {"run", "run_b"};

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
	{
		const PhTable *run = ph_rows_table(rows, sections[i]);
		const char *completeness = ph_table_text(run, 0, "completeness");

		if (completeness == NULL || strcmp(completeness, "incomplete") != 0 ||
			(page->caption != NULL && strstr(page->caption, "incomplete input") != NULL))
			continue;
		ph_page_note(arena, page, "incomplete input");
		return;
	}
}

/* What nobody asked to leave out could not be read: the picture says that there is more. */
static void
note_filter(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const char *caption = drawing->page.caption;
	const PhTable *table = ph_rows_table(drawing->rows, "caption");
	double levels = ph_table_number(table, 0, "levels");
	bool is_chosen = caption != NULL && ph_table_true(table, 0, "filter_chosen");
	bool is_short = caption != NULL && levels > 0 && strstr(caption, " keep under ") != NULL;

	if (is_chosen && is_short)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena,
									"filter chosen to leave 60 supernodes or fewer in %.0f levels "
									"(filter: 0 shows all)",
									levels));
	else if (is_short)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(arena, "left out to have %.0f levels (levels: 0 shows all)", levels));
	else if (is_chosen && strstr(caption, " filter ") != NULL &&
			 strstr(caption, " filter 0.1 %") == NULL)
		ph_page_note(arena, &drawing->page,
					 "filter chosen to leave 60 supernodes or fewer (filter: 0 shows all)");
}

/* A query says itself what it leaves out, which views that have a filter do for runs. */
static void
note_whole(PhDrawing *drawing)
{
	const char *caption = drawing->page.caption;
	bool has_filter = ph_option_taken(drawing->options, "filter") &&
					  !ph_option_is(drawing->options, "filter", "0");

	if (has_filter && caption != NULL && ph_query_shown(drawing->rows) != NULL &&
		strstr(caption, " filter ") == NULL)
		ph_page_note(drawing->arena, &drawing->page,
					 "nothing left out: legible() in the query drops what is too small");
}

static const char *
counted(PhArena *arena, const char *before, uint32_t n, const char *what)
{
	if (n == 0)
		return before;
	if (*before)
		return ph_need_format(arena, "%s, %u more %s", before, n, what);
	return ph_need_format(arena, "%u other%s %s", n, n == 1 ? "" : "s", what);
}

/* Browsers can bear it, and the caption says how. */
static void
lighten(PhDrawing *drawing)
{
	PhLightened done = ph_scene_lighten(drawing->scene, PH_BEARABLE_BYTES);
	const char *before = drawing->too_small ? drawing->too_small : "";
	const char *note = before;

	note = counted(drawing->arena, note, done.plain, "drawn plainly");
	note = counted(drawing->arena, note, done.merged, "merged with equals beside them");
	note = counted(drawing->arena, note, done.left_out, "left out");
	if (note != before)
		drawing->too_small = ph_need_format(drawing->arena, "%s (everything: all)", note);
}

void
ph_view_draw(const PhView *view, const PhOptions *options, const PhViewRows *rows, PhFonts *fonts,
			 PhArena *arena, PhFormat format, PhScene *scene)
{
	const char *title = ph_option_text(options, "title");
	PhDrawing drawing = {.arena = arena, .options = options, .rows = rows, .scene = scene};

	ph_scene_init(scene, arena, fonts, view_width(view, options), view_height(view, options));
	drawing.body = ph_view_body(view, options);
	if (view->reduction != NULL)
		drawing.page.identity = ph_run_identity(arena, rows, "run", view->reduction);
	drawing.page.caption = ph_caption_text(rows, "caption");
	note_differences(&drawing);
	note_incomplete(arena, &drawing.page, rows);
	note_filter(&drawing);
	note_whole(&drawing);
	view->draw(&drawing);
	if (ph_option_is(options, "theme", "dark"))
		ph_scene_darken(scene);
	if (format == PH_FORMAT_SVG && !ph_option_flag(options, "everything"))
		lighten(&drawing);
	if (drawing.too_small)
		ph_page_note(arena, &drawing.page, drawing.too_small);
	if (title)
		drawing.page.title = title;
	ph_page_draw(scene, &drawing.page, drawing.body.y + drawing.body.height);
	if (ph_option_is(options, "theme", "dark"))
		ph_scene_darken(scene);
}
