/*
 * view.c - the views of `perfhouse render` and what they share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/view.h"

#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"

const PhView *const ph_views[] = {&ph_view_sankey,
								  &ph_view_sankey_compare,
								  &ph_view_flame,
								  &ph_view_flame_diff,
								  &ph_view_histogram,
								  &ph_view_scatter,
								  &ph_view_box,
								  &ph_view_timeline,
								  &ph_view_comm_matrix,
								  &ph_view_message_sizes,
								  &ph_view_time_profile,
								  &ph_view_logical,
								  &ph_view_step_overview,
								  &ph_view_logical_clusters,
								  &ph_view_trace_diff,
								  &ph_view_sankey_ensemble,
								  &ph_view_sankey_diff,
								  &ph_view_history,
								  &ph_view_cct,
								  &ph_view_processes,
								  &ph_view_metric,
								  &ph_view_scaling,
								  &ph_view_function_graph,
								  &ph_view_function_neighbourhood,
								  &ph_view_function_arcs,
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

static const char *
append(PhArena *arena, const char *line, const char *part)
{
	if (part == NULL || *part == '\0')
		return line;
	return ph_need_format(arena, "%s%s%s", line, *line ? " \xc2\xb7 " : "", part);
}

const char *
ph_run_name(PhArena *arena, const PhViewRows *rows, const char *section)
{
	const PhTable *run = ph_rows_table(rows, section);
	const char *id = ph_table_text(run, 0, "run_id");
	const char *application = ph_table_text(run, 0, "application");

	if (id == NULL)
		return "";
	if (application == NULL)
		return ph_need_format(arena, "run %s", id);
	return ph_need_format(arena, "run %s (%s)", id, application);
}

static const char *
count_text(PhArena *arena, double n, const char *one, const char *many)
{
	if (!(n > 0))
		return NULL;
	return ph_need_format(arena, "%.0f %s", n, n == 1 ? one : many);
}

const char *
ph_rank_word(const PhViewRows *rows, const char *section)
{
	const char *format = ph_table_text(ph_rows_table(rows, section), 0, "format");
	bool tasks = format && (strcmp(format, "projections") == 0 || strcmp(format, "tasks") == 0);

	return tasks ? "processor" : "rank";
}

/* "run 3 (lulesh) · 8 ranks · time, mean over columns"; section: "run" or "run_b". */
static const char *
identity_of_run(PhArena *arena, const PhViewRows *rows, const char *section, const char *reduction)
{
	const PhTable *run = ph_rows_table(rows, section);
	const char *title = ph_table_text(run, 0, "title");
	const char *commit = ph_table_text(run, 0, "commit_id");
	const char *started = ph_table_text(run, 0, "started_at");
	const char *line = ph_run_name(arena, rows, section);
	const char *word = ph_rank_word(rows, section);

	line = append(arena, line, title);
	line = append(arena, line,
				  count_text(arena, ph_table_number(run, 0, "n_ranks"), word,
							 ph_need_format(arena, "%ss", word)));
	if (commit)
		line = append(arena, line, ph_need_format(arena, "commit %.10s", commit));
	if (started)
		line = append(arena, line, ph_need_format(arena, "%.10s", started));
	if (ph_metric_name(arena, rows, 0))
		line = append(arena, line,
					  ph_need_format(arena, "%s, %s", ph_metric_name(arena, rows, 0), reduction));
	return line;
}

void
ph_view_draw(const PhView *view, const PhOptions *options, const PhViewRows *rows, PhFonts *fonts,
			 PhArena *arena, PhScene *scene)
{
	const char *title = ph_option_text(options, "title");
	PhDrawing drawing = {.arena = arena, .options = options, .rows = rows, .scene = scene};

	ph_scene_init(scene, arena, fonts, view_width(view, options), view_height(view, options));
	drawing.body = ph_view_body(view, options);
	drawing.page.identity = identity_of_run(arena, rows, "run", view->reduction);
	drawing.page.caption = ph_caption_text(rows, "caption");
	view->draw(&drawing);
	if (title)
		drawing.page.title = title;
	ph_page_draw(scene, &drawing.page, drawing.body.y + drawing.body.height);
}

/* "run 3 (lulesh), after the change" */
static const char *
side_name(PhArena *arena, const PhViewRows *rows, const char *section)
{
	const char *title = ph_table_text(ph_rows_table(rows, section), 0, "title");
	const char *name = ph_run_name(arena, rows, section);

	return title != NULL && *title != '\0' ? ph_need_format(arena, "%s, %s", name, title) : name;
}

const char *
ph_compared_identity(PhArena *arena, const PhViewRows *rows)
{
	const char *line = ph_need_format(arena, "A: %s \xc2\xb7 B: %s", side_name(arena, rows, "run"),
									  side_name(arena, rows, "run_b"));

	if (ph_metric_name(arena, rows, 0))
		line =
			append(arena, line,
				   ph_need_format(arena, "%s, mean over columns", ph_metric_name(arena, rows, 0)));
	return line;
}

const char *
ph_metric_unit(const PhViewRows *rows, uint32_t i)
{
	return ph_table_text(ph_rows_table(rows, "metric"), i, "unit");
}

const char *
ph_metric_name(PhArena *arena, const PhViewRows *rows, uint32_t i)
{
	const char *name = ph_table_text(ph_rows_table(rows, "metric"), i, "metric");
	const char *unit = ph_metric_unit(rows, i);
	const char *bracket = name ? strrchr(name, '(') : NULL;
	size_t length = bracket ? strlen(bracket + 1) : 0;

	if (bracket == NULL || bracket == name || unit == NULL || length == 0 ||
		bracket[length] != ')' ||
		!ph_unit_same(ph_need_format(arena, "%.*s", (int) length - 1, bracket + 1), unit))
		return name;
	while (bracket > name && bracket[-1] == ' ')
		bracket--;
	return ph_need_format(arena, "%.*s", (int) (bracket - name), name);
}

const char *
ph_caption_text(const PhViewRows *rows, const char *section)
{
	return ph_table_text(ph_rows_table(rows, section), 0, "caption");
}
