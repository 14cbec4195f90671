/*
 * api.c - checks the parameters of a named query, runs it, and writes its rows while they come.
 *
 * The answer is kept until the last row is there, so that an error has a status of its own; a limit
 * on its size bounds memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database/asked_query.h"
#include "drawing/arena_must.h"
#include "request/bind.h"
#include "serve/row_json.h"

#define MOST_BYTES ((size_t) 64 << 20)

const PhApiQuery *
ph_api_find(const char *name)
{
	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
		if (strcmp(query->name, name) == 0)
			return query;
	return NULL;
}

char *
ph_api_names(void)
{
	PhTextStream stream;

	if (!ph_text_stream_open(&stream))
		return NULL;
	fputs("Queries: events, openapi.json, parameters, q/NAME, sql", stream.file);
	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
		fprintf(stream.file, ", %s", query->name);
	return ph_text_stream_take(&stream, NULL);
}

bool
ph_api_values(const PhApiQuery *query, const PhTarget *target, PhApiValues *out, PhProblem *problem)
{
	const char *names[PH_TARGET_MOST_PARAMETERS];
	const char *texts[PH_TARGET_MOST_PARAMETERS];

	out->query = query;
	ph_parameters_choose(query->parameters, &out->parameters);
	out->values = (PhValues){.tables = {out->parameters.items}, .n_tables = 1, .given = out->given};
	for (size_t i = 0; i < target->n_parameters; i++)
	{
		names[i] = target->parameters[i].name;
		texts[i] = target->parameters[i].value;
	}
	return ph_values_read_request(&out->values, query->name, names, texts, target->n_parameters,
								  problem) &&
		   ph_values_demand(&out->values, problem);
}

void
ph_api_runs(const PhApiValues *values, char out[PH_RUNS_SIZE])
{
	const char *names = values->query->runs;
	char first[16];
	char second[16];
	int n = names != NULL ? sscanf(names, "%15s %15s", first, second) : 0;

	out[0] = '\0';
	if (n == 1)
		snprintf(out, PH_RUNS_SIZE, "{%.20s}", ph_values_text(&values->values, first));
	if (n == 2)
		snprintf(out, PH_RUNS_SIZE, "{%.20s,%.20s}", ph_values_text(&values->values, first),
				 ph_values_text(&values->values, second));
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The section that every query has, rows or none. */
#define MAIN "rows"

typedef struct Collector
{
	PhRowJson rows;
	bool is_empty; /* the main section */
	bool is_full;
} Collector;

static bool
add_row(void *user, const PhResult *row)
{
	Collector *collector = user;
	const char *section = ph_result_text(row, 0, 0);

	ph_row_json_add(&collector->rows, section, ph_result_text(row, 0, 1));
	collector->is_empty = collector->is_empty && strcmp(section, MAIN) != 0;
	collector->is_full = ph_row_json_bytes(&collector->rows) > MOST_BYTES;
	return !collector->is_full && !collector->rows.has_failed &&
		   !ferror(collector->rows.stream.file);
}

/* The parameters of a query, and where their texts are. */
typedef struct Bound
{
	const PhApiValues *values;
	PhEnv env;
	PhArena arena;
	PhParam params[PH_PQ_MAX_PARAMS];
	int n;
} Bound;

static void
bind(void *user)
{
	Bound *bound = user;
	PhOptions options = {.arena = &bound->arena, .values = bound->values->values};

	bound->n = ph_bind(bound->values->query->query, NULL, &options, bound->params);
}

/* False: no memory. Either way the arena is to be dropped. */
static bool
bind_values(const PhApiValues *values, Bound *out)
{
	char message[160];

	out->values = values;
	ph_env_init_malloc(&out->env);
	ph_arena_init(&out->arena, &out->env);
	return ph_need_guarded(bind, out, message, sizeof(message));
}

static bool
run_query(PhSession *session, const PhApiValues *values, Collector *collector)
{
	Bound bound;
	bool ok = bind_values(values, &bound);

	ph_row_json_section(&collector->rows, MAIN);
	if (ok)
		ok = ph_pq_stream(session->connection, values->query->query->sql, bound.params, bound.n,
						  add_row, collector);
	else
		ph_pq_error_memory(&session->connection->error);
	ph_arena_drop(&bound.arena);
	return ok;
}

void
ph_api_sql(const PhApiValues *values, PhAnswer *answer)
{
	Bound bound;
	char *text = NULL;
	char *line = NULL;

	if (bind_values(values, &bound))
		text = ph_asked_shown(values->query->query->sql, bound.params, bound.n);
	ph_arena_drop(&bound.arena);
	if (text == NULL || asprintf(&line, "%s;\n", text) < 0)
		ph_answer_memory(answer);
	else
		ph_answer_take(answer, 200, PH_SQL_TYPE, line, strlen(line));
	free(text);
}

/* ---- bytes --------------------------------------------------------------------------------- */

#define BYTES_TYPE "application/octet-stream"

const char *
ph_api_type(const PhApiQuery *query)
{
	return query->is_bytes ? BYTES_TYPE : "application/json";
}

/* A malloc'ed copy of the one value; NULL: no memory. */
static void *
copy_value(const PhResult *result, size_t *size)
{
	const char *bytes = ph_result_bytes(result, 0, 0, size);
	void *copy = malloc(*size + 1);

	if (copy != NULL && *size > 0)
		memcpy(copy, bytes, *size);
	return copy;
}

PhResult *
ph_api_ask(PhSession *session, const PhApiValues *values)
{
	Bound bound;
	PhResult *result = NULL;

	if (bind_values(values, &bound))
		result = ph_pq_query_binary(session->connection, values->query->query->sql, bound.params,
									bound.n);
	else
		ph_pq_error_memory(&session->connection->error);
	ph_arena_drop(&bound.arena);
	return result;
}

static void
send_bytes(PhSession *session, const PhApiValues *values, PhAnswer *answer)
{
	PhResult *result = ph_api_ask(session, values);
	size_t size = 0;

	if (result == NULL)
	{
		ph_api_error(&session->connection->error, answer);
		return;
	}
	if (ph_result_count(result) == 0)
		ph_answer_error(answer, 404, values->query->missing, NULL, NULL);
	else
	{
		void *copy = copy_value(result, &size);

		if (copy == NULL)
			ph_answer_memory(answer);
		else
			ph_answer_take(answer, 200, BYTES_TYPE, copy, size);
	}
	ph_result_free(result);
}

/* ---- what is asked for --------------------------------------------------------------------- */

void
ph_api_run(PhSession *session, const PhApiValues *values, PhAnswer *answer)
{
	Collector collector = {.is_empty = true};
	bool asked;
	bool ok;

	if (values->query->is_bytes)
	{
		send_bytes(session, values, answer);
		return;
	}
	if (!ph_row_json_begin(&collector.rows))
	{
		ph_answer_memory(answer);
		return;
	}
	asked = run_query(session, values, &collector);
	ok = ph_row_json_end(&collector.rows);
	if (collector.is_full)
		ph_answer_error(answer, 413, "the answer is too large",
						"Ask for fewer rows, with limit where there is one.", NULL);
	else if (ok && !asked)
		ph_api_error(&session->connection->error, answer);
	else if (ok && collector.is_empty && values->query->missing != NULL)
		ph_answer_error(answer, 404, values->query->missing,
						"The start page, /api/runs and perfhouse runs list what there is.", NULL);
	else
		ph_answer_stream(answer, "application/json", &collector.rows.stream, ok);
	ph_text_stream_drop(&collector.rows.stream);
}

/* ---- errors -------------------------------------------------------------------------------- */

/* What has the form that it must have is no bad request (400): it cannot be meant so (422). */
static int
status_of(PhExit code, const char *sqlstate)
{
	if (strcmp(sqlstate, "57014") == 0)
		return code == PH_EXIT_INTERRUPTED ? 503 : 504;
	if (strcmp(sqlstate, PH_UNKNOWN_VARIABLE) == 0)
		return 400;
	switch (code)
	{
		case PH_EXIT_NOT_FOUND:
			return 404;
		case PH_EXIT_USAGE:
		case PH_EXIT_UNSUPPORTED:
		case PH_EXIT_INPUT:
			return 422;
		case PH_EXIT_MEMORY:
			return 413;
		case PH_EXIT_UNREACHABLE:
		case PH_EXIT_AUTH:
		case PH_EXIT_INTERRUPTED:
			return 503;
		default:
			return strncmp(sqlstate, "22", 2) == 0 ? 422 : 500;
	}
}

void
ph_api_fail(PhAnswer *answer, PhExit code, const char *sqlstate, const char *message,
			const char *hint)
{
	int status = status_of(code, sqlstate);

	if (strcmp(sqlstate, PH_PQ_OUT_OF_MEMORY) == 0)
	{
		ph_answer_memory(answer);
		return;
	}
	if (status == 504)
		ph_answer_error(answer, status, "the query took longer than the server allows",
						"Filter more, or start perfhouse serve with a longer --timeout.", NULL);
	else if (status == 503)
		ph_answer_error(answer, status, "the warehouse cannot be reached",
						"Try again in a few seconds; perfhouse status says whether it runs.", NULL);
	else
		ph_answer_error(answer, status, message, hint, NULL);
	answer->retry_after = status == 503 ? 5 : 0;
}

void
ph_api_error(const PhPqError *error, PhAnswer *answer)
{
	ph_api_fail(answer, error->code, error->sqlstate, error->message, error->hint);
}
