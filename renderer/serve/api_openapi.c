/*
 * api_openapi.c - /api/openapi.json: the addresses that are answered, as OpenAPI 3.1 describes
 * them.
 *
 * Made of the tables that requests are read by: queries, views and the declarations of their
 * parameters, so that it cannot say anything else than the server does.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/json_out.h"
#include "request/view.h"
#include "serve/api.h"
#include "serve/picture.h"

#define RANK "[0-9]{1,8}(-[0-9]{1,8})?"
#define BOUND "[-+]?[0-9]{1,9}(\\.[0-9]{1,9})?"
#define MOST_REPEATED 16

/* What texts of a type look like, with so many digits that all of them are values; NULL: anything.
 */
static const char *
pattern_of(PhParameterType type)
{
	switch (type)
	{
		case PH_PARAMETER_INTEGERS:
			return "^" RANK "(," RANK "){0,99}$";
		case PH_PARAMETER_DURATION:
			return "^([0-9]{1,18}(ns)?|[0-9]{1,15}(\\.[0-9]{1,9})?us|[0-9]{1,12}(\\.[0-9]{1,9})?ms|"
				   "[0-9]{1,9}(\\.[0-9]{1,9})?s|[0-9]{1,7}(\\.[0-9]{1,9})?min|"
				   "[0-9]{1,6}(\\.[0-9]{1,9})?h)$";
		case PH_PARAMETER_WINDOW:
			return "^([0-9]{1,9}(-[0-9]{0,9})?|-[0-9]{1,9})$";
		case PH_PARAMETER_BOUNDS:
			return "^(" BOUND ":(" BOUND ")?|:" BOUND ")$";
		case PH_PARAMETER_DRILL:
			return "^[^=\\\\]+=[a-z]+$";
		default:
			return NULL;
	}
}

static const char *
type_of(const PhParameter *parameter)
{
	switch (parameter->type)
	{
		case PH_PARAMETER_FLAG:
			return "boolean";
		case PH_PARAMETER_RUN:
		case PH_PARAMETER_INTEGER:
			return "integer";
		case PH_PARAMETER_NUMBER:
			return "number";
		default:
			return "string";
	}
}

static void
put_range(PhJsonOut *json, const PhParameter *parameter)
{
	bool is_number =
		parameter->type == PH_PARAMETER_INTEGER || parameter->type == PH_PARAMETER_NUMBER;

	if (parameter->type == PH_PARAMETER_RUN)
	{
		ph_json_put_text(json, "format", "int64");
		ph_json_put_integer(json, "minimum", 1);
		ph_json_put_integer(json, "maximum", INT64_MAX);
	}
	if (parameter->type == PH_PARAMETER_TEXT && (parameter->least > 0 || parameter->required))
		ph_json_put_number(json, "minLength", fmax(parameter->least, 1));
	if (!is_number || (parameter->least == 0 && parameter->most == 0))
		return;
	ph_json_put_number(json, "minimum", parameter->least);
	ph_json_put_number(json, "maximum", parameter->most);
}

static void
put_words(PhJsonOut *json, const PhParameter *parameter)
{
	ph_json_put_text(json, "type", "string");
	ph_json_open_array(json, "enum");
	for (const char *const *choice = parameter->choices; *choice != NULL; choice++)
		ph_json_put_text(json, NULL, *choice);
	ph_json_close(json);
}

static void
put_type(PhJsonOut *json, const PhParameter *parameter)
{
	const char *pattern = pattern_of(parameter->type);

	ph_json_put_text(json, "type", type_of(parameter));
	put_range(json, parameter);
	if (pattern != NULL)
		ph_json_put_text(json, "pattern", pattern);
}

/* What the type allows, or one of some words, or, of texts with words, these alone. */
static void
put_value(PhJsonOut *json, const PhParameter *parameter)
{
	if (parameter->choices == NULL || parameter->type == PH_PARAMETER_DRILL)
		put_type(json, parameter);
	else if (parameter->type == PH_PARAMETER_TEXT)
		put_words(json, parameter);
	else
	{
		ph_json_open_array(json, "anyOf");
		ph_json_open_object(json, NULL);
		put_type(json, parameter);
		ph_json_close(json);
		ph_json_open_object(json, NULL);
		put_words(json, parameter);
		ph_json_close(json);
		ph_json_close(json);
	}
}

static void
put_schema(PhJsonOut *json, const PhParameter *parameter)
{
	ph_json_open_object(json, "schema");
	if (parameter->repeats)
	{
		ph_json_put_text(json, "type", "array");
		ph_json_put_integer(json, "maxItems", MOST_REPEATED);
		ph_json_open_object(json, "items");
	}
	put_value(json, parameter);
	if (parameter->fallback != NULL && strcmp(type_of(parameter), "string") == 0)
		ph_json_put_text(json, "default", parameter->fallback);
	else if (parameter->fallback != NULL && parameter->type != PH_PARAMETER_FLAG)
		ph_json_put_raw(json, "default", parameter->fallback);
	if (parameter->repeats)
		ph_json_close(json);
	ph_json_close(json);
}

static void
put_parameters_of(PhJsonOut *json, const char *words)
{
	PhParameterSet set;

	ph_parameters_choose(words, &set);
	for (const PhParameter *parameter = set.items; parameter->name != NULL; parameter++)
	{
		if (parameter->is_local)
			continue;
		ph_json_new_line(json);
		ph_json_open_object(json, NULL);
		ph_api_put_name(json, parameter->name);
		ph_json_put_text(json, "in", "query");
		ph_json_put_text(json, "description", parameter->help);
		ph_json_put_bool(json, parameter->required ? "required" : "allowEmptyValue", true);
		put_schema(json, parameter);
		ph_json_close(json);
	}
}

/* ---- answers ------------------------------------------------------------------------------- */

static void
put_content(PhJsonOut *json, const char *type)
{
	ph_json_open_object(json, type);
	if (strcmp(type, "application/json") == 0)
	{
		ph_json_open_object(json, "schema");
		ph_json_put_text(json, "type", "object");
		ph_json_close(json);
	}
	ph_json_close(json);
}

/* Errors have the form of what was asked for (docs/SERVE.md, Errors), or are JSON. */
static const char *
error_of(const char *type)
{
	if (strncmp(type, "image/svg+xml", strlen("image/svg+xml")) == 0)
		return "#/components/responses/error_picture";
	if (strncmp(type, "image/", 6) == 0 || strcmp(type, "application/pdf") == 0)
		return "#/components/responses/error_text";
	return "#/components/responses/error";
}

/* 200 with one of some types, and errors. */
static void
put_responses(PhJsonOut *json, const char *words, const char *const *types, size_t n)
{
	ph_json_open_object(json, "responses");
	ph_json_open_object(json, "200");
	ph_json_put_text(json, "description", words);
	ph_json_open_object(json, "content");
	for (size_t i = 0; i < n; i++)
		put_content(json, types[i]);
	ph_json_close(json);
	ph_json_close(json);
	ph_json_open_object(json, "default");
	ph_json_put_text(json, "$ref", error_of(types[0]));
	ph_json_close(json);
	ph_json_close(json);
}

static void
put_path(PhJsonOut *json, const char *path, const char *id, const char *summary)
{
	ph_json_new_line(json);
	ph_json_open_object(json, path);
	ph_json_open_object(json, "get");
	ph_json_put_text(json, "operationId", id);
	ph_json_put_text(json, "summary", summary);
}

static void
put_queries(PhJsonOut *json)
{
	char path[128];
	char summary[128];

	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
	{
		const char *types[] = {ph_api_type(query)};
		bool is_json = strcmp(types[0], "application/json") == 0;

		snprintf(path, sizeof(path), "/api/%s", query->name);
		snprintf(summary, sizeof(summary), "the named query %s", query->name);
		put_path(json, path, query->name, summary);
		ph_json_open_array(json, "parameters");
		put_parameters_of(json, query->parameters);
		ph_json_close(json);
		put_responses(json, is_json ? "rows by section, each an array of objects" : "bytes", types,
					  1);
		ph_json_close(json);
		ph_json_close(json);
	}
}

/* ---- saved queries ------------------------------------------------------------------------- */

enum
{
	NAME = 0,
	TITLE = 1,
	VIEW = 4,
	PARAMETER = 5,
	FALLBACK = 6,
	TYPE = 7
};

/* What JSON calls a type of SQL. */
static const char *
json_type(const char *type)
{
	static const char *const names[][2] = {{"bigint", "integer"},	{"integer", "integer"},
										   {"smallint", "integer"}, {"double precision", "number"},
										   {"numeric", "number"},	{"real", "number"},
										   {"boolean", "boolean"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(type, names[i][0]) == 0)
			return names[i][1];
	return "string";
}

static void
put_saved_parameter(PhJsonOut *json, const PhResult *rows, size_t row)
{
	bool is_required = ph_result_is_null(rows, row, FALLBACK);

	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "name", ph_result_text(rows, row, PARAMETER));
	ph_json_put_text(json, "in", "query");
	ph_json_put_bool(json, is_required ? "required" : "allowEmptyValue", true);
	ph_json_open_object(json, "schema");
	ph_json_put_text(json, "type", json_type(ph_result_text(rows, row, TYPE)));
	if (!is_required)
		ph_json_put_text(json, "description", ph_result_text(rows, row, FALLBACK));
	ph_json_close(json);
	ph_json_close(json);
}

/* One way to have a saved query: path and id made with its name. The rows from `row` on of the
 * same name are its parameters. */
static void
put_saved(PhJsonOut *json, const PhResult *rows, size_t row, const char *path, const char *id,
		  const char *type)
{
	const char *name = ph_result_text(rows, row, NAME);

	put_path(json, path, id, ph_result_text(rows, row, TITLE));
	ph_json_open_array(json, "parameters");
	for (size_t i = row; i < ph_result_count(rows); i++)
		if (strcmp(ph_result_text(rows, i, NAME), name) == 0 &&
			!ph_result_is_null(rows, i, PARAMETER))
			put_saved_parameter(json, rows, i);
	ph_json_close(json);
	put_responses(json, "what the saved query gives", &type, 1);
	ph_json_close(json);
	ph_json_close(json);
}

static void
put_saved_queries(PhJsonOut *json, const PhResult *rows)
{
	char path[128];
	char id[128];

	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		const char *name = ph_result_text(rows, row, NAME);

		if (row > 0 && strcmp(ph_result_text(rows, row - 1, NAME), name) == 0)
			continue;
		snprintf(path, sizeof(path), "/api/q/%s", name);
		snprintf(id, sizeof(id), "saved %s", name);
		put_saved(json, rows, row, path, id, "application/json");
		if (ph_result_is_null(rows, row, VIEW))
			continue;
		snprintf(path, sizeof(path), "/q/%s.svg", name);
		snprintf(id, sizeof(id), "saved %s.svg", name);
		put_saved(json, rows, row, path, id, ph_picture_type(PH_PICTURE_SVG));
	}
}

/* ---- views --------------------------------------------------------------------------------- */

static void
put_view(PhJsonOut *json, const PhView *view, PhPictureFormat format)
{
	static const char *const endings[] = {[PH_PICTURE_SVG] = "svg",
										  [PH_PICTURE_PNG] = "png",
										  [PH_PICTURE_PDF] = "pdf",
										  [PH_PICTURE_JSON] = "json"};
	const char *const types[] = {ph_picture_type(format)};
	char path[128];
	char id[128];

	snprintf(path, sizeof(path), "/view/%s.%s", view->name, endings[format]);
	snprintf(id, sizeof(id), "%s_%s", view->name, endings[format]);
	put_path(json, path, id, view->summary);
	ph_json_open_array(json, "parameters");
	put_parameters_of(json, view->options);
	put_parameters_of(json, ph_view_common);
	ph_json_close(json);
	put_responses(json, format == PH_PICTURE_JSON ? "the rows it is drawn from" : "the picture",
				  types, 1);
	ph_json_close(json);
	ph_json_close(json);
}

static void
put_views(PhJsonOut *json)
{
	static const PhPictureFormat formats[] = {PH_PICTURE_SVG, PH_PICTURE_PNG, PH_PICTURE_PDF,
											  PH_PICTURE_JSON};

	for (const PhView *const *view = ph_views; *view != NULL; view++)
		for (size_t i = 0; (*view)->query != NULL && i < sizeof(formats) / sizeof(formats[0]); i++)
			put_view(json, *view, formats[i]);
}

/* What no table has, as the server itself answers it. */
static void
put_own(PhJsonOut *json)
{
	static const struct
	{
		const char *name, *type, *summary;
	} own[] = {
		{"parameters", "application/json", "what every view and query can be told"},
		{"openapi.json", "application/json", "this description"},
		{"status", "application/json", "what the server does: workers, queues, its cache"},
		{"events", "text/event-stream", "loads and regressions as they happen; does not end"}};
	char path[64];

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
	{
		snprintf(path, sizeof(path), "/api/%s", own[i].name);
		put_path(json, path, own[i].name, own[i].summary);
		put_responses(json, own[i].summary, &own[i].type, 1);
		ph_json_close(json);
		ph_json_close(json);
	}
}

/* SQL of who asks; its variables stand beside the query under their own names. */
static void
put_sql(PhJsonOut *json)
{
	static const char *const type = "application/json";

	put_path(
		json, "/api/sql", "sql",
		"rows of a query of yours, of servers that were started with --allow-sql; 403 of others");
	ph_json_open_array(json, "parameters");
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "name", "query");
	ph_json_put_text(json, "in", "query");
	ph_json_put_bool(json, "required", true);
	ph_json_put_text(json, "description",
					 "one SELECT; what it calls :NAME is a parameter NAME of the request");
	ph_json_open_object(json, "schema");
	ph_json_put_text(json, "type", "string");
	ph_json_put_integer(json, "minLength", 1);
	ph_json_close(json);
	ph_json_close(json);
	ph_json_close(json);
	put_responses(json, "the rows", &type, 1);
	ph_json_close(json);
	ph_json_close(json);
}

/* type NULL: always JSON. */
static void
put_error(PhJsonOut *json, const char *name, const char *type)
{
	static const char *const members[] = {"message", "hint", "parameter"};

	ph_json_open_object(json, name);
	ph_json_put_text(json, "description", "what is wrong, and what would be right");
	ph_json_open_object(json, "content");
	if (type != NULL)
		put_content(json, type);
	ph_json_open_object(json, "application/json");
	ph_json_open_object(json, "schema");
	ph_json_put_text(json, "type", "object");
	ph_json_open_object(json, "properties");
	ph_json_open_object(json, "error");
	ph_json_put_text(json, "type", "object");
	ph_json_open_object(json, "properties");
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
	{
		ph_json_open_object(json, members[i]);
		ph_json_open_array(json, "type");
		ph_json_put_text(json, NULL, "string");
		ph_json_put_text(json, NULL, "null");
		ph_json_close(json);
		ph_json_close(json);
	}
	for (int i = 0; i < 7; i++) /* properties to error */
		ph_json_close(json);
}

static void
put_components(PhJsonOut *json)
{
	ph_json_open_object(json, "components");
	ph_json_open_object(json, "responses");
	put_error(json, "error", NULL);
	put_error(json, "error_picture", ph_picture_type(PH_PICTURE_SVG));
	put_error(json, "error_text", "text/plain");
	ph_json_close(json);
	ph_json_open_object(json, "securitySchemes");
	ph_json_open_object(json, "token");
	ph_json_put_text(json, "type", "http");
	ph_json_put_text(json, "scheme", "bearer");
	ph_json_put_text(json, "description", "of servers that were started with --token-file");
	ph_json_close(json);
	ph_json_close(json);
	ph_json_close(json);
}

/* Of all addresses: with the token, or without any where none is needed. */
static void
put_security(PhJsonOut *json, bool needs_token)
{
	ph_json_open_array(json, "security");
	ph_json_open_object(json, NULL);
	ph_json_open_array(json, "token");
	ph_json_close(json);
	ph_json_close(json);
	if (!needs_token)
	{
		ph_json_open_object(json, NULL);
		ph_json_close(json);
	}
	ph_json_close(json);
}

static void
put_all(PhJsonOut *json, const PhResult *saved, bool needs_token)
{
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "openapi", "3.1.0");
	ph_json_open_object(json, "info");
	ph_json_put_text(json, "title", "perfhouse serve");
	ph_json_put_text(json, "version", PH_VERSION);
	ph_json_put_text(json, "description",
					 "Data and pictures of a performance data warehouse; read-only, GET alone.");
	ph_json_close(json);
	put_security(json, needs_token);
	ph_json_open_object(json, "paths");
	put_own(json);
	put_sql(json);
	put_queries(json);
	put_views(json);
	put_saved_queries(json, saved);
	ph_json_close(json);
	put_components(json);
	ph_json_close(json);
}

void
ph_api_openapi(PhSession *session, bool needs_token, PhAnswer *answer)
{
	PhResult *saved = ph_pq_query(session->connection, ph_sql_query_panels, NULL, 0);
	PhTextStream stream;
	PhJsonOut json;

	if (saved == NULL)
	{
		ph_api_error(&session->connection->error, answer);
		return;
	}
	if (ph_text_stream_open(&stream))
	{
		ph_json_begin(&json, stream.file);
		put_all(&json, saved, needs_token);
		ph_answer_stream(answer, "application/json", &stream, ph_json_done_line(&json));
	}
	else
		ph_answer_memory(answer);
	ph_result_free(saved);
	if (answer->status == 200)
		ph_answer_tag(answer);
}
