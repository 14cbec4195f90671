/*
 * query_panels.c - see query_panels.h.
 *
 * A parameter becomes a variable of the dashboard, which Grafana puts into the SQL as a quoted
 * text: ${run:sqlstring}, of which the type is said, because profile('7') would be a profile's
 * text. Queries that call a parameter alike share its variable.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/query_panels.h"

#include <string.h>

#include "base/sql_variables.h"
#include "base/str.h"
#include "cli/json_out.h"
#include "queries.h"
#include "system/log.h"

#define HEIGHT 10 /* of a panel, in Grafana's units, of which a row has 24 */

enum
{
	NAME,
	TITLE,
	ABOUT,
	SQL,
	VIEW,
	PARAMETER,
	FALLBACK,
	TYPE
};

typedef struct Panels
{
	const PhResult *rows;
	size_t n;
	PhArena arena;
	PhJsonOut json;
	int64_t id, y;
} Panels;

static const char *
text_of(const Panels *panels, size_t row, size_t field)
{
	return ph_result_text(panels->rows, row, field);
}

/* Is the row the first of its query, or of its parameter's name? */
static bool
is_first(const Panels *panels, size_t row, size_t field)
{
	for (size_t i = 0; i < row; i++)
	{
		const char *before = text_of(panels, i, field);

		if (before != NULL && strcmp(before, text_of(panels, row, field)) == 0)
			return false;
	}
	return true;
}

/* ---- variables ------------------------------------------------------------------------------- */

static void
put_variable(Panels *panels, size_t row)
{
	PhJsonOut *json = &panels->json;
	const char *fallback = text_of(panels, row, FALLBACK);

	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "name", text_of(panels, row, PARAMETER));
	ph_json_put_text(json, "label", text_of(panels, row, PARAMETER));
	ph_json_put_text(json, "type", "textbox");
	ph_json_put_text(json, "query", fallback != NULL ? fallback : "");
	ph_json_open_object(json, "current");
	ph_json_put_text(json, "text", fallback != NULL ? fallback : "");
	ph_json_put_text(json, "value", fallback != NULL ? fallback : "");
	ph_json_close(json);
	ph_json_close(json);
}

static void
put_source(PhJsonOut *json)
{
	ph_json_open_object(json, "datasource");
	ph_json_put_text(json, "type", "grafana-postgresql-datasource");
	ph_json_put_text(json, "uid", "perfhouse");
	ph_json_close(json);
}

/* Where perfhouse serve is, as the other dashboards have it. */
static void
put_pages(PhJsonOut *json)
{
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "name", "pages");
	ph_json_put_text(json, "type", "query");
	put_source(json);
	ph_json_put_text(json, "query",
					 "SELECT s.pages AS __text, s.pages AS __value FROM (SELECT "
					 "rtrim(current_setting('perfhouse.pages', true), '/')) s (pages) WHERE "
					 "s.pages <> ''");
	ph_json_put_integer(json, "refresh", 1);
	ph_json_put_integer(json, "hide", 2);
	ph_json_close(json);
}

static void
put_variables(Panels *panels)
{
	PhJsonOut *json = &panels->json;

	ph_json_open_object(json, "templating");
	ph_json_open_array(json, "list");
	for (size_t row = 0; row < panels->n; row++)
		if (text_of(panels, row, PARAMETER) != NULL && is_first(panels, row, PARAMETER))
			put_variable(panels, row);
	put_pages(json);
	ph_json_close(json);
	ph_json_close(json);
}

/* ---- panels ---------------------------------------------------------------------------------- */

/* The type of the parameter that a part of a query's SQL names. */
static const char *
type_of(const Panels *panels, size_t row, const PhSqlPart *part)
{
	const char *name = text_of(panels, row, NAME);

	for (size_t i = row; i < panels->n && strcmp(text_of(panels, i, NAME), name) == 0; i++)
	{
		const char *parameter = text_of(panels, i, PARAMETER);

		if (parameter != NULL && strlen(parameter) == part->length &&
			memcmp(parameter, part->text, part->length) == 0)
			return text_of(panels, i, TYPE);
	}
	return "text";
}

/* The query with Grafana's variables. */
static PhStatus
sql_of(Panels *panels, size_t row, char **out)
{
	PhSqlParts parts;
	PhStr sql;

	ph_str_init(&sql, &panels->arena);
	PH_TRY(ph_sql_parts(&panels->arena, text_of(panels, row, SQL), &parts));
	for (uint32_t i = 0; i < parts.count; i++)
	{
		const PhSqlPart *part = &parts.items[i];

		PH_TRY(ph_str_printf(&sql, part->is_variable ? "${%.*s:sqlstring}::%s" : "%.*s",
							 (int) part->length, part->text,
							 part->is_variable ? type_of(panels, row, part) : ""));
	}
	return ph_str_take(&sql, out);
}

/* The picture's address, with variables for its parameters, as an element of a page. */
static PhStatus
image_of(Panels *panels, size_t row, char **out)
{
	const char *name = text_of(panels, row, NAME);
	const char *mark = "?";
	PhStr html;

	ph_str_init(&html, &panels->arena);
	PH_TRY(ph_str_printf(&html, "<img src=\"$pages/q/%s.svg", name));
	for (size_t i = row; i < panels->n && strcmp(text_of(panels, i, NAME), name) == 0; i++)
		if (text_of(panels, i, PARAMETER) != NULL)
		{
			const char *parameter = text_of(panels, i, PARAMETER);

			PH_TRY(ph_str_printf(&html, "%s%s=${%s:percentencode}", mark, parameter, parameter));
			mark = "&amp;";
		}
	PH_TRY(ph_str_append(&html, "\" alt=\"no picture, is perfhouse.pages set?\" "
								"style=\"max-width:100%;max-height:100%\">"));
	return ph_str_take(&html, out);
}

static void
begin_panel(Panels *panels, size_t row, const char *type, int64_t x, int64_t width)
{
	PhJsonOut *json = &panels->json;

	ph_json_new_line(json);
	ph_json_open_object(json, NULL);
	ph_json_put_integer(json, "id", ++panels->id);
	ph_json_put_text(json, "type", type);
	ph_json_put_text(json, "title", text_of(panels, row, TITLE));
	ph_json_put_text(json, "description", text_of(panels, row, ABOUT));
	ph_json_open_object(json, "gridPos");
	ph_json_put_integer(json, "x", x);
	ph_json_put_integer(json, "y", panels->y);
	ph_json_put_integer(json, "w", width);
	ph_json_put_integer(json, "h", HEIGHT);
	ph_json_close(json);
}

static void
put_table(Panels *panels, size_t row, const char *sql, int64_t width)
{
	PhJsonOut *json = &panels->json;

	begin_panel(panels, row, "table", 0, width);
	put_source(json);
	ph_json_open_object(json, "options"); /* Grafana's types ask for it */
	ph_json_close(json);
	ph_json_open_array(json, "targets");
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "refId", "A");
	put_source(json);
	ph_json_put_text(json, "format", "table");
	ph_json_put_bool(json, "rawQuery", true);
	ph_json_put_text(json, "editorMode", "code");
	ph_json_put_text(json, "rawSql", sql);
	ph_json_close(json);
	ph_json_close(json);
	ph_json_close(json);
}

static void
put_picture(Panels *panels, size_t row, const char *html)
{
	PhJsonOut *json = &panels->json;

	begin_panel(panels, row, "text", 12, 12);
	ph_json_open_object(json, "options");
	ph_json_put_text(json, "mode", "html");
	ph_json_put_text(json, "content", html);
	ph_json_close(json);
	ph_json_close(json);
}

static PhStatus
put_panels_of(Panels *panels, size_t row)
{
	bool has_picture = text_of(panels, row, VIEW) != NULL;
	char *sql, *html;

	PH_TRY(sql_of(panels, row, &sql));
	PH_TRY(image_of(panels, row, &html));
	put_table(panels, row, sql, has_picture ? 12 : 24);
	if (has_picture)
		put_picture(panels, row, html);
	panels->y += HEIGHT;
	return PH_OK;
}

static PhStatus
put_dashboard(Panels *panels)
{
	PhJsonOut *json = &panels->json;

	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "uid", "perfhouse-queries");
	ph_json_put_text(json, "title", "perfhouse / Queries");
	ph_json_put_text(json, "description", "Saved queries (perfhouse query).");
	ph_json_open_array(json, "tags");
	ph_json_put_text(json, NULL, "perfhouse");
	ph_json_close(json);
	ph_json_put_integer(json, "schemaVersion", 42);
	ph_json_open_object(json, "annotations");
	ph_json_open_array(json, "list");
	ph_json_close(json);
	ph_json_close(json);
	put_variables(panels);
	ph_json_open_array(json, "panels");
	for (size_t row = 0; row < panels->n; row++)
		if (is_first(panels, row, NAME))
			PH_TRY(put_panels_of(panels, row));
	ph_json_close(json);
	ph_json_close(json);
	return PH_OK;
}

PhExit
ph_query_panels(PhConnection *connection, FILE *out)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_query_panels, NULL, 0);
	Panels panels = {.rows = rows};
	PhStatus status;
	PhEnv env;

	if (rows == NULL)
		return ph_pq_log_error(connection, "query");
	panels.n = ph_result_count(rows);
	ph_env_init_malloc(&env);
	ph_arena_init(&panels.arena, &env);
	ph_json_begin(&panels.json, out);
	status = put_dashboard(&panels);
	if (status != PH_OK)
		ph_log_core_error("query", &env.error);
	else if (!ph_json_done_line(&panels.json))
		status = PH_ERR_UNREADABLE;
	ph_arena_drop(&panels.arena);
	ph_result_free(rows);
	return status == PH_OK ? PH_EXIT_OK : ph_exit_from_status(status);
}
