/*
 * asked_query.c - see asked_query.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "database/asked_query.h"

#include <stdlib.h>
#include <string.h>

#include "queries.h"
#include "system/text_stream.h"

#define NAMES_SIZE 400
#define UNDEFINED_FUNCTION "42883"

static PhParam
restrict_param(void *user, const char *name)
{
	const PhParam *params = user;

	return params[strcmp(name, "timeout") == 0];
}

bool
ph_asked_restrict(PhConnection *connection, const char *program, int timeout_ms)
{
	PhParam given[] = {ph_param_text(program), ph_param_int(timeout_ms)};
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_pq_bind(ph_query_query_restrict.names, restrict_param, given, params);

	return ph_pq_execute(connection, ph_query_query_restrict.sql, params, n);
}

/* ---- variables ------------------------------------------------------------------------------- */

bool
ph_asked_add(PhArena *arena, PhAskedQuery *asked, const char *text)
{
	const char *equals = strchr(text, '=');
	char *name;

	if (equals == NULL || equals == text ||
		ph_arena_strndup(arena, text, (size_t) (equals - text), &name) != PH_OK)
		return false;
	asked->names[asked->n] = name;
	asked->values[asked->n++] = equals + 1;
	return true;
}

static bool
fail_text(PhConnection *connection, const PhError *error)
{
	if (error->status == PH_ERR_MEMORY)
	{
		ph_pq_error_memory(&connection->error);
		return false;
	}
	return ph_pq_fail(connection, PH_EXIT_USAGE, error->hint, "%s", error->message);
}

/* "The query has: a, b." */
static void
list_names(const PhSqlNumbered *numbered, char out[NAMES_SIZE])
{
	size_t used = (size_t) snprintf(out, NAMES_SIZE, "%s",
									numbered->n == 0 ? "The query has no variables, such as :run"
													 : "The query has: ");

	for (uint32_t i = 0; i < numbered->n && used < NAMES_SIZE; i++)
		used += (size_t) snprintf(out + used, NAMES_SIZE - used, "%s%s", i > 0 ? ", " : "",
								  numbered->names[i]);
	if (used < NAMES_SIZE)
		snprintf(out + used, NAMES_SIZE - used, ".");
}

/* With the state that PostgreSQL has for it. */
static bool
fail_unknown(PhConnection *connection, const char *names, const char *name)
{
	ph_pq_fail(connection, PH_EXIT_USAGE, names, "the query has no variable %.60s", name);
	snprintf(connection->error.sqlstate, sizeof(connection->error.sqlstate), "%s",
			 PH_UNKNOWN_VARIABLE);
	return false;
}

static bool
has_variable(const PhSqlNumbered *numbered, const char *name)
{
	for (uint32_t i = 0; i < numbered->n; i++)
		if (strcmp(numbered->names[i], name) == 0)
			return true;
	return false;
}

/* Of several values the last counts; false: there is none. */
static bool
find_value(const PhAskedQuery *asked, const char *name, PhParam *out)
{
	for (size_t i = asked->n; i > 0; i--)
		if (strcmp(asked->names[i - 1], name) == 0)
		{
			const char *value = asked->values[i - 1];

			*out = value != NULL ? ph_param_text(value) : ph_param_null();
			return true;
		}
	return false;
}

#define BIGINT 20 /* as pg_type has it */

static bool
is_bigint(const PhAskedQuery *asked, const char *name)
{
	for (size_t i = 0; i < asked->n_bigints; i++)
		if (strcmp(asked->bigints[i], name) == 0)
			return true;
	return false;
}

bool
ph_asked_bind(PhConnection *connection, PhArena *arena, const PhAskedQuery *asked,
			  PhBoundQuery *out)
{
	PhSqlNumbered numbered;
	char names[NAMES_SIZE];

	if (ph_sql_number(arena, asked->text, &numbered) != PH_OK)
		return fail_text(connection, &arena->env->error);
	list_names(&numbered, names);
	for (size_t i = 0; i < asked->n; i++)
		if (!has_variable(&numbered, asked->names[i]))
			return fail_unknown(connection, names, asked->names[i]);
	*out = (PhBoundQuery){.sql = numbered.sql, .n = (int) numbered.n};
	for (uint32_t i = 0; i < numbered.n; i++)
	{
		if (!find_value(asked, numbered.names[i], &out->params[i]))
			return ph_pq_fail(connection, PH_EXIT_USAGE, names, "the variable %.60s has no value",
							  numbered.names[i]);
		if (is_bigint(asked, numbered.names[i]))
			out->params[i].type = BIGINT;
	}
	return true;
}

bool
ph_asked_begin(PhConnection *connection, const PhAskedQuery *asked)
{
	static const char own[] = "BEGIN READ ONLY; SET LOCAL search_path = perfhouse, public";
	static const char of_others[] = "BEGIN READ ONLY; SET LOCAL search_path = perfhouse, public; "
									"DO $$ BEGIN PERFORM perfhouse_internal.keep_role(); END $$";

	return ph_pq_script(connection, asked->is_of_others ? of_others : own);
}

/* Makes whole numbers bigint; false: there is none. */
static bool
type_numbers(PhBoundQuery *bound)
{
	bool any = false;

	for (int i = 0; i < bound->n; i++)
	{
		const char *text = bound->params[i].bytes;
		const char *digits = text != NULL && *text == '-' ? text + 1 : text;

		if (text == NULL || *digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
			continue;
		bound->params[i].type = BIGINT;
		any = true;
	}
	return any;
}

/* The name of the function that the error says is not there; false: it is about an operator. */
static bool
name_of_function(const PhPqError *error, char *out, size_t size)
{
	static const char before[] = "function ";
	const char *name = error->message + sizeof(before) - 1;
	const char *schema;
	size_t length;

	if (strcmp(error->sqlstate, UNDEFINED_FUNCTION) != 0 ||
		strncmp(error->message, before, sizeof(before) - 1) != 0)
		return false;
	length = strcspn(name, "(");
	schema = memchr(name, '.', length);
	if (schema != NULL)
		length -= (size_t) (schema + 1 - name);
	snprintf(out, size, "%.*s", (int) length, schema != NULL ? schema + 1 : name);
	return true;
}

/* Puts the nearest name into the error's hint, where the server only says that there is none. */
static void
hint_function(PhConnection *connection)
{
	PhPqError error = connection->error;
	char name[128];
	PhResult *found;
	PhParam param;

	if (!name_of_function(&error, name, sizeof(name)))
		return;
	ph_pq_rollback(connection);
	param = ph_param_text(name);
	found = ph_pq_query(connection, ph_sql_query_function, &param, 1);
	if (found != NULL && ph_result_count(found) == 1)
	{
		const char *nearest = ph_result_text(found, 0, 0);

		if (ph_result_bool(found, 0, 1))
			snprintf(error.hint, sizeof(error.hint),
					 "It takes other arguments: SELECT * FROM help('%.64s') tells them.", nearest);
		else
			snprintf(error.hint, sizeof(error.hint),
					 "Did you mean \"%.64s\"? SELECT * FROM help('word') finds functions.",
					 nearest);
	}
	ph_result_free(found);
	connection->error = error;
}

PhResult *
ph_asked_columns(PhConnection *connection, const PhAskedQuery *asked, PhBoundQuery *bound)
{
	PhResult *columns = ph_pq_columns(connection, bound->sql, bound->params, bound->n);
	PhPqError error = connection->error;

	/* ambiguous function, undefined function or operator, or type that cannot be told */
	if (columns != NULL ||
		(strcmp(error.sqlstate, "42725") != 0 && strcmp(error.sqlstate, UNDEFINED_FUNCTION) != 0 &&
		 strcmp(error.sqlstate, "42P18") != 0))
		return columns;
	ph_asked_end(connection, asked);
	if (ph_asked_begin(connection, asked) && type_numbers(bound))
		columns = ph_pq_columns(connection, bound->sql, bound->params, bound->n);
	else if (connection->error.code == PH_EXIT_OK)
		connection->error = error;
	if (columns == NULL)
		hint_function(connection);
	return columns;
}

void
ph_asked_end(PhConnection *connection, const PhAskedQuery *asked)
{
	PhPqError kept = connection->error;

	ph_pq_rollback(connection);
	if (asked->is_of_others && ph_pq_is_open(connection))
		(void) ph_pq_execute(connection, "SELECT pg_catalog.pg_advisory_unlock_all()", NULL, 0);
	connection->error = kept;
}

/* ---- queries as people type them ------------------------------------------------------------- */

/* Numbers and truth values need no quotes. */
static bool
is_plain(const char *text)
{
	return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ||
		   (*text != '\0' && text[strspn(text, "0123456789.")] == '\0');
}

/* Numbers of our own, with as many digits as they need. */
static void
put_plain(FILE *out, const char *text)
{
	double value = strtod(text, NULL);
	char shorter[32];

	snprintf(shorter, sizeof(shorter), "%.15g", value);
	fputs(strchr(text, '.') != NULL && strtod(shorter, NULL) == value ? shorter : text, out);
}

static void
put_literal(FILE *out, const PhParam *param)
{
	const char *text = param->bytes != NULL ? param->bytes : param->own;

	if (*text == '\0' && param->bytes == NULL)
		fputs("NULL", out);
	else if (param->bytes == NULL && is_plain(text))
		put_plain(out, text);
	else
	{
		fputs(strchr(text, '\\') != NULL ? "E'" : "'", out);
		for (; *text != '\0'; text++)
		{
			if (*text == '\'' || *text == '\\')
				fputc(*text, out);
			fputc(*text, out);
		}
		fputc('\'', out);
	}
}

/* A text in quotes, as it is; behind it. */
static const char *
put_quoted(FILE *out, const char *sql)
{
	size_t length = 1 + strcspn(sql + 1, "'");

	length += sql[length] == '\'' ? 1 : 0;
	fwrite(sql, 1, length, out);
	return sql + length;
}

/* The number behind a $, and what is behind it; 0: there is none. */
static long
parameter_at(const char *sql, int n_params, char **end)
{
	long number = *sql == '$' ? strtol(sql + 1, end, 10) : 0;

	return number > 0 && number <= n_params ? number : 0;
}

char *
ph_asked_shown(const char *sql, const PhParam *params, int n_params)
{
	const char *behind = sql + strlen(sql);
	PhTextStream stream;

	if (!ph_text_stream_open(&stream))
		return NULL;
	while (behind > sql && strchr("; \t\n", behind[-1]) != NULL)
		behind--;
	while (sql < behind)
	{
		char *end;
		long number = parameter_at(sql, n_params, &end);

		if (number > 0)
		{
			put_literal(stream.file, &params[number - 1]);
			sql = end;
		}
		else if (*sql == '\'')
			sql = put_quoted(stream.file, sql);
		else if (sql[0] == '-' && sql[1] == '-')
			sql += strcspn(sql, "\n");
		else
		{
			bool is_blank = strchr(" \t\n", *sql) != NULL;

			if (!is_blank || (strchr(" \t\n", sql[1]) == NULL && ftell(stream.file) > 0))
				fputc(is_blank ? ' ' : *sql, stream.file);
			sql++;
		}
	}
	return ph_text_stream_take(&stream, NULL);
}
