/*
 * api.c - checks the parameters of a named query, runs it, and writes its rows as JSON while they
 * come.
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

#include "request/bind.h"
#include "serve/json_text.h"
#include "system/memory.h"

#define MOST_BYTES ((long) 64 << 20)
#define TOTAL "_total"

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
	char *list = ph_strdup("Queries: events, parameters");

	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
	{
		char *longer = ph_format("%s, %s", list, query->name);

		free(list);
		list = longer;
	}
	return list;
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
								  problem);
}

/* ---- rows ---------------------------------------------------------------------------------- */

typedef struct Writer
{
	FILE *file;
	size_t n_rows;
	char total[24]; /* "": unknown */
	bool is_full;
} Writer;

static void
write_row(Writer *writer, const PhResult *row)
{
	const char *separator = "";

	fputs(writer->n_rows++ > 0 ? ",\n{" : "\n{", writer->file);
	for (size_t field = 0; field < ph_result_n_fields(row); field++)
	{
		const char *name = ph_result_field_name(row, field);
		const char *text = ph_result_text(row, 0, field);

		if (strcmp(name, TOTAL) == 0)
		{
			snprintf(writer->total, sizeof(writer->total), "%s", text ? text : "");
			continue;
		}
		fputs(separator, writer->file);
		ph_json_write_text(writer->file, name);
		fputc(':', writer->file);
		ph_json_write_value(writer->file, ph_result_field_type(row, field), text);
		separator = ",";
	}
	fputc('}', writer->file);
}

static bool
add_row(void *user, const PhResult *row)
{
	Writer *writer = user;

	write_row(writer, row);
	writer->is_full = ftell(writer->file) > MOST_BYTES;
	return !writer->is_full;
}

static bool
run_query(PhSession *session, const PhApiValues *values, Writer *writer)
{
	const PhQuery *query = values->query->query;
	PhParam params[PH_PQ_MAX_PARAMS];
	PhOptions options = {.values = values->values};
	int n = ph_bind(query, NULL, &options, params);

	fputs("{\"rows\":[", writer->file);
	if (!ph_pq_stream(session->connection, query->sql, params, n, add_row, writer))
		return false;
	fputs("\n]", writer->file);
	if (writer->total[0] != '\0')
		fprintf(writer->file, ",\"total\":%s", writer->total);
	fputs("}\n", writer->file);
	return true;
}

void
ph_api_run(PhSession *session, const PhApiValues *values, PhAnswer *answer)
{
	char *bytes = NULL;
	size_t size = 0;
	Writer writer = {.file = open_memstream(&bytes, &size)};
	bool ok = writer.file != NULL && run_query(session, values, &writer);

	if (writer.file == NULL || fclose(writer.file) != 0)
		ph_answer_error(answer, 500, "out of memory", NULL, NULL);
	else if (writer.is_full)
		ph_answer_error(answer, 413, "the answer is too large",
						"Ask for fewer rows, with limit where there is one.", NULL);
	else if (!ok)
		ph_api_error(&session->connection->error, answer);
	else if (writer.n_rows == 0 && values->query->missing != NULL)
		ph_answer_error(answer, 404, values->query->missing,
						"The start page, /api/runs and perfhouse runs list what there is.", NULL);
	else
	{
		ph_answer_take(answer, 200, "application/json", bytes, size);
		return;
	}
	free(bytes);
}

/* ---- errors -------------------------------------------------------------------------------- */

static int
status_of(PhExit code, const char *sqlstate)
{
	if (strcmp(sqlstate, "57014") == 0)
		return code == PH_EXIT_INTERRUPTED ? 503 : 504;
	switch (code)
	{
		case PH_EXIT_NOT_FOUND:
			return 404;
		case PH_EXIT_USAGE:
		case PH_EXIT_UNSUPPORTED:
		case PH_EXIT_INPUT:
			return 400;
		case PH_EXIT_MEMORY:
			return 413;
		case PH_EXIT_UNREACHABLE:
		case PH_EXIT_AUTH:
		case PH_EXIT_INTERRUPTED:
			return 503;
		default:
			return strncmp(sqlstate, "22", 2) == 0 ? 400 : 500;
	}
}

void
ph_api_fail(PhAnswer *answer, PhExit code, const char *sqlstate, const char *message,
			const char *hint)
{
	int status = status_of(code, sqlstate);

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
