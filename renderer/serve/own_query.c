/*
 * own_query.c - see own_query.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/own_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/user_query.h"
#include "serve/api.h"
#include "serve/row_json.h"

#define MOST_BYTES ((size_t) 64 << 20) /* of an answer, and of the memory that it takes */
#define MOST_ROW_BYTES 1000000
#define MOST_COLUMNS 200

bool
ph_own_is_option(const char *name)
{
	static const char *const names[] = {"palette",	  "theme", "title",	  "width", "height",
										"everything", "scale", "version", "limit"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* ---- the query ------------------------------------------------------------------------------- */

static void
add_value(PhAskedQuery *asked, const char *name, const char *value)
{
	asked->names[asked->n] = name;
	asked->values[asked->n++] = value;
}

/* What a form was not filled in with is absent. */
static void
add_given(PhAskedQuery *asked, const PhTarget *target)
{
	for (size_t i = 0; i < target->n_parameters; i++)
	{
		const PhTargetParameter *parameter = &target->parameters[i];

		if (!ph_own_is_option(parameter->name) && strcmp(parameter->name, "query") != 0 &&
			*parameter->value != '\0')
			add_value(asked, parameter->name, parameter->value);
	}
}

static PhParam
name_param(void *user, const char *name)
{
	(void) name;
	return ph_param_text(user);
}

/* Rows of query_find.sql; NULL: the answer is an error. */
static PhResult *
find_saved(PhSession *session, const char *name, PhAnswer *answer)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_pq_bind(ph_query_query_find.names, name_param, (void *) name, params);
	PhResult *rows = ph_pq_query(session->connection, ph_query_query_find.sql, params, n);

	if (rows == NULL)
		ph_api_error(&session->connection->error, answer);
	else if (ph_result_count(rows) == 0)
	{
		ph_answer_error(answer, 404, "there is no such saved query",
						"The page /q, /api/saved and perfhouse query list what there is.", NULL);
		ph_result_free(rows);
		rows = NULL;
	}
	return rows;
}

/* The text and, of parameters that nothing is given for, the defaults. */
static void
take_saved(PhArena *arena, const PhResult *rows, PhAskedQuery *asked, const char **view)
{
	size_t n_given = asked->n;

	asked->text = ph_need_copy(arena, ph_result_text(rows, 0, 0));
	if (!ph_result_is_null(rows, 0, 1))
		*view = ph_need_copy(arena, ph_result_text(rows, 0, 1));
	for (size_t i = 0; i < ph_result_count(rows) && i < PH_SQL_MOST_VARIABLES; i++)
	{
		const char *name = ph_result_text(rows, i, 3);
		const char *type = ph_result_text(rows, i, 4);
		const char *fallback = ph_result_text(rows, i, 5);
		bool is_given = false;

		if (type != NULL && strcmp(type, "bigint") == 0)
			asked->bigints[asked->n_bigints++] = ph_need_copy(arena, name);

		for (size_t k = 0; name != NULL && k < n_given; k++)
			is_given |= strcmp(asked->names[k], name) == 0;
		if (fallback != NULL && !is_given)
			add_value(asked, ph_need_copy(arena, name), ph_need_copy(arena, fallback));
	}
}

bool
ph_own_find(PhSession *session, PhArena *arena, const PhOwnQuery *own, const PhTarget *target,
			PhAskedQuery *asked, const char **view, PhAnswer *answer)
{
	size_t room = target->n_parameters + PH_SQL_MOST_VARIABLES;
	PhResult *rows;

	*view = NULL;
	*asked = (PhAskedQuery){.text = ph_target_value(target, "query"),
							.names = ph_need(arena, room, sizeof(char *)),
							.values = ph_need(arena, room, sizeof(char *)),
							.is_of_others = true,
							.most_rows = own->most_rows};
	add_given(asked, target);
	if (own->name[0] == '\0')
	{
		if (asked->text == NULL || *asked->text == '\0')
			ph_answer_error(answer, 400, "parameter query is missing", "Give one SELECT.", "query");
		else if (asked->text[strspn(asked->text, "; \t\r\n")] == '\0')
			ph_answer_error(answer, 422, "the query is empty", "Give one SELECT.", "query");
		return answer->status == 0;
	}
	rows = find_saved(session, own->name, answer);
	if (rows == NULL)
		return false;
	ph_need_hold(rows, (void (*)(void *)) ph_result_free);
	take_saved(arena, rows, asked, view);
	ph_need_let_go();
	return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct Asking
{
	PhSession *session;
	const PhOwnQuery *own;
	const PhTarget *target;
	PhAnswer *answer;
	PhEnv env;
	PhArena arena;
	PhAskedQuery asked;
	PhBoundQuery bound;
	size_t n_columns;
	const char *names[MOST_COLUMNS];  /* no two alike */
	const char *quoted[MOST_COLUMNS]; /* as SQL has them */
	const char *kinds[MOST_COLUMNS], *types[MOST_COLUMNS];
	PhRowJson rows;
	size_t n_rows;
	bool has_more, is_full;
} Asking;

static bool
refuse(Asking *asking, int status, const char *message, const char *hint)
{
	ph_answer_error(asking->answer, status, message, hint, NULL);
	return false;
}

/* What the server does not let a query do is a mistake of the query. */
static bool
fail(Asking *asking)
{
	ph_api_error(&asking->session->connection->error, asking->answer);
	if (asking->answer->status == 500)
		asking->answer->status = 422;
	return false;
}

/* At most that many rows, as the request wants fewer perhaps. */
static bool
read_limit(Asking *asking)
{
	const char *given = ph_target_value(asking->target, "limit");
	char *end = NULL;
	unsigned long limit = given != NULL && *given != '\0' ? strtoul(given, &end, 10) : 0;

	if (end == NULL)
		return true;
	if (*end != '\0' || limit < 1 || *given == '-')
		return refuse(asking, 400, "parameter limit must be a number of rows", NULL);
	if (limit < asking->asked.most_rows)
		asking->asked.most_rows = limit;
	return true;
}

/* A name that stands twice becomes "name (2)" the second time. */
static const char *
unlike(Asking *asking, size_t at, const char *name)
{
	const char *free_name = ph_need_copy(&asking->arena, name);
	size_t number = 1;

	for (size_t i = 0; i < at; i++)
		if (strcmp(asking->names[i], free_name) == 0)
		{
			free_name = ph_need_format(&asking->arena, "%s (%zu)", name, ++number);
			i = (size_t) -1;
		}
	return free_name;
}

static const char *
quoted(Asking *asking, const char *name)
{
	char *out = ph_need(&asking->arena, 2 * strlen(name) + 3, 1);
	char *to = out;

	*to++ = '"';
	for (; *name != '\0'; name++)
	{
		if (*name == '"')
			*to++ = '"';
		*to++ = *name;
	}
	*to++ = '"';
	*to = '\0';
	return out;
}

static bool
read_types(Asking *asking, const PhResult *columns)
{
	PhResult *types = ph_query_types(asking->session->connection, &asking->arena, columns);

	if (types == NULL)
		return fail(asking);
	for (size_t i = 0; i < asking->n_columns; i++)
	{
		asking->names[i] = unlike(asking, i, ph_result_field_name(columns, i));
		asking->quoted[i] = quoted(asking, asking->names[i]);
		asking->kinds[i] = ph_need_copy(&asking->arena, ph_result_text(types, i, 0));
		asking->types[i] = ph_need_copy(&asking->arena, ph_result_text(types, i, 1));
	}
	ph_result_free(types);
	return true;
}

static bool
describe(Asking *asking)
{
	PhResult *columns =
		ph_asked_columns(asking->session->connection, &asking->asked, &asking->bound);
	bool ok;

	if (columns == NULL)
		return fail(asking);
	asking->n_columns = ph_result_n_fields(columns);
	if (asking->n_columns == 0 || asking->n_columns > MOST_COLUMNS)
	{
		ph_result_free(columns);
		return refuse(asking, 422,
					  asking->n_columns == 0 ? "the query gives no rows"
											 : "the query has too many columns",
					  "Give one SELECT of 200 columns at most.");
	}
	ph_need_hold(columns, (void (*)(void *)) ph_result_free);
	ok = read_types(asking, columns);
	ph_need_let_go();
	return ok;
}

/* Values of the extension's types are told by what they rest on: their text says nothing. */
static const char *
shown_column(Asking *asking, size_t i)
{
	bool is_value =
		strcmp(asking->kinds[i], "profile") == 0 || strcmp(asking->kinds[i], "supergraph") == 0;

	return ph_need_format(&asking->arena, is_value ? "perfhouse.caption(c%zu)" : "c%zu", i + 1);
}

/* The query as rows (section, JSON object), one more than wanted: that tells whether there are
 * more. A row is cut off, and refused then, before it is sent. */
static const char *
row_query(Asking *asking)
{
	PhArena *arena = &asking->arena;
	const char *names = "";
	const char *columns = "";

	for (size_t i = 0; i < asking->n_columns; i++)
	{
		const char *comma = i > 0 ? ", " : "";

		names = ph_need_format(arena, "%s%sc%zu", names, comma, i + 1);
		columns = ph_need_format(arena, "%s%s%s AS %s", columns, comma, shown_column(asking, i),
								 asking->quoted[i]);
	}
	return ph_need_format(
		arena,
		"WITH asked (%s) AS (\n%s\n) SELECT 'rows', left(row_to_json(r)::text, %d) FROM "
		"(SELECT %s FROM asked LIMIT %zu) r",
		names, asking->bound.sql, MOST_ROW_BYTES + 1, columns, asking->asked.most_rows + 1);
}

static bool
add_row(void *user, const PhResult *row)
{
	Asking *asking = user;
	const char *object = ph_result_text(row, 0, 1);

	asking->has_more = asking->n_rows == asking->asked.most_rows;
	if (asking->has_more)
		return true;
	asking->is_full = strlen(object) >= MOST_ROW_BYTES;
	if (asking->is_full)
		return false;
	ph_row_json_add(&asking->rows, ph_result_text(row, 0, 0), object);
	asking->n_rows++;
	asking->is_full = ph_row_json_bytes(&asking->rows) > MOST_BYTES;
	return !asking->is_full && !ferror(asking->rows.stream.file);
}

static void
put_columns(Asking *asking)
{
	PhJsonOut *json = &asking->rows.json;

	ph_row_json_section(&asking->rows, "columns");
	for (size_t i = 0; i < asking->n_columns; i++)
	{
		ph_json_new_line(json);
		ph_json_open_object(json, NULL);
		ph_json_put_text(json, "name", asking->names[i]);
		ph_json_put_text(json, "type", asking->types[i]);
		ph_json_close(json);
	}
	ph_row_json_section(&asking->rows, "rows");
}

static void
stream_rows(Asking *asking)
{
	const char *sql = row_query(asking);
	bool asked, ok;

	ph_need_memory(ph_row_json_begin(&asking->rows));
	put_columns(asking);
	asked = ph_pq_stream(asking->session->connection, sql, asking->bound.params, asking->bound.n,
						 add_row, asking);
	if (asking->has_more)
		ph_row_json_add(&asking->rows, "more", "{\"more\": true}");
	ok = ph_row_json_end(&asking->rows);
	if (asking->is_full)
		refuse(asking, 413, "the answer is too large", "Ask for fewer or shorter rows.");
	else if (ok && !asked)
		fail(asking);
	else
		ph_answer_stream(asking->answer, "application/json", &asking->rows.stream, ok);
	ph_text_stream_drop(&asking->rows.stream);
}

static void
ask(void *user)
{
	Asking *asking = user;
	PhConnection *connection = asking->session->connection;
	const char *view;

	if (!ph_own_find(asking->session, &asking->arena, asking->own, asking->target, &asking->asked,
					 &view, asking->answer) ||
		!read_limit(asking))
		return;
	if (!ph_asked_bind(connection, &asking->arena, &asking->asked, &asking->bound) ||
		!ph_asked_begin(connection, &asking->asked))
		fail(asking);
	else if (describe(asking))
		stream_rows(asking);
	ph_asked_end(connection, &asking->asked);
}

void
ph_own_rows(PhSession *session, const PhOwnQuery *own, const PhTarget *target, PhAnswer *answer)
{
	Asking *asking = calloc(1, sizeof(*asking));
	char message[160];

	if (asking == NULL)
	{
		ph_answer_memory(answer);
		return;
	}
	asking->session = session;
	asking->own = own;
	asking->target = target;
	asking->answer = answer;
	ph_env_init_malloc(&asking->env);
	asking->env.byte_limit = MOST_BYTES;
	ph_arena_init(&asking->arena, &asking->env);
	if (!ph_need_guarded(ask, asking, message, sizeof(message)))
	{
		ph_answer_memory(answer);
		ph_session_close(session); /* perhaps in the middle of a query */
	}
	ph_arena_drop(&asking->arena);
	free(asking);
}
