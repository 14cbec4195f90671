/*
 * identity.c - what pictures call the runs and metrics that they show.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/identity.h"

#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/number.h"

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

const char *
ph_query_shown(const PhViewRows *rows)
{
	return ph_table_text(ph_rows_table(rows, "query"), 0, "text");
}

const char *
ph_rank_word(const PhViewRows *rows, const char *section)
{
	const char *format = ph_table_text(ph_rows_table(rows, section), 0, "format");
	bool tasks = format && (strcmp(format, "projections") == 0 || strcmp(format, "tasks") == 0);

	return tasks ? "processor" : "rank";
}

static const char *
count_text(PhArena *arena, double n, const char *one, const char *many)
{
	if (!(n > 0))
		return NULL;
	return ph_need_format(arena, "%.0f %s", n, n == 1 ? one : many);
}

const char *
ph_column_word(const PhViewRows *rows, const char *section)
{
	const PhTable *run = ph_rows_table(rows, section);
	const char *word = ph_rank_word(rows, section);
	double ranks = ph_table_number(run, 0, "n_ranks");
	double units = ph_table_number(run, 0, "n_units");

	if (!(ranks > 0) || ph_table_number(run, 0, "n_columns") > units)
		return "column";
	return units > ranks && strcmp(word, "rank") == 0 ? "thread" : word;
}

const char *
ph_reduction_text(PhArena *arena, const PhViewRows *rows, const char *section,
				  const char *reduction)
{
	static const char column[] = "column";
	const char *found = strstr(reduction, column);

	if (found == NULL)
		return reduction;
	return ph_need_format(arena, "%.*s%s%s", (int) (found - reduction), reduction,
						  ph_column_word(rows, section), found + strlen(column));
}

const char *
ph_run_identity(PhArena *arena, const PhViewRows *rows, const char *section, const char *reduction)
{
	const PhTable *run = ph_rows_table(rows, section);
	const char *title = ph_table_text(run, 0, "title");
	const char *commit = ph_table_text(run, 0, "commit_id");
	const char *started = ph_table_text(run, 0, "started_at");
	const char *query = ph_query_shown(rows);
	const char *line = query ? query : ph_run_name(arena, rows, section);
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
					  ph_need_format(arena, "%s, %s", ph_metric_name(arena, rows, 0),
									 ph_reduction_text(arena, rows, section, reduction)));
	return line;
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
	const char *line;

	if (ph_query_shown(rows))
		return ph_run_identity(arena, rows, "run", "mean over columns");
	line = ph_need_format(arena, "A: %s \xc2\xb7 B: %s", side_name(arena, rows, "run"),
						  side_name(arena, rows, "run_b"));
	if (ph_metric_name(arena, rows, 0))
		line = append(arena, line,
					  ph_need_format(arena, "%s, %s", ph_metric_name(arena, rows, 0),
									 ph_reduction_text(arena, rows, "run", "mean over columns")));
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
