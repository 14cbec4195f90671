/*
 * pq_query.c - parameters, queries, results.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database/pq.h"
#include "database/pq_internal.h"
#include "system/memory.h"
#include "system/utf8_text.h"

#define BYTEA_OID 17

struct PhResult
{
	PGresult *result;
};

PhParam
ph_param_text(const char *text)
{
	return (PhParam){.bytes = text, .length = text != NULL ? (int) strlen(text) : 0};
}

PhParam
ph_param_int(int64_t value)
{
	PhParam param = {0};

	param.length = snprintf(param.own, sizeof(param.own), "%lld", (long long) value);
	return param;
}

PhParam
ph_param_float(double value)
{
	PhParam param = {0};

	param.length = snprintf(param.own, sizeof(param.own), "%.17g", value);
	return param;
}

PhParam
ph_param_bool(bool value)
{
	PhParam param = {.length = 1};

	param.own[0] = value ? 't' : 'f';
	return param;
}

PhParam
ph_param_null(void)
{
	return (PhParam){0};
}

int
ph_pq_bind(const char *const *names, PhParam (*value)(void *user, const char *name), void *user,
		   PhParam params[PH_PQ_MAX_PARAMS])
{
	int n = 0;

	for (; names[n] != NULL; n++)
	{
		if (n == PH_PQ_MAX_PARAMS)
			abort();
		params[n] = value(user, names[n]);
	}
	return n;
}

/* Behind what it wrote. */
static char *
put_element(char *out, const char *text)
{
	if (text == NULL)
		return stpcpy(out, "NULL");
	*out++ = '"';
	for (; *text != '\0'; text++)
	{
		if (*text == '"' || *text == '\\')
			*out++ = '\\';
		*out++ = *text;
	}
	*out++ = '"';
	return out;
}

char *
ph_array_text(const char *const *elements, size_t n)
{
	size_t size = 3;
	char *text;
	char *out;

	for (size_t i = 0; i < n; i++)
		size += elements[i] != NULL ? 2 * strlen(elements[i]) + 3 : sizeof("NULL");
	out = text = ph_must_alloc(size, 1);
	*out++ = '{';
	for (size_t i = 0; i < n; i++)
	{
		if (i > 0)
			*out++ = ',';
		out = put_element(out, elements[i]);
	}
	*out = '}';
	return text;
}

char *
ph_array_int(const int64_t *elements, size_t n)
{
	char *text = ph_must_alloc(22 * n + 3, 1);
	char *out = text;

	*out++ = '{';
	for (size_t i = 0; i < n; i++)
		out += snprintf(out, 22, i > 0 ? ",%lld" : "%lld", (long long) elements[i]);
	*out = '}';
	return text;
}

/* Names of files may be any bytes, the warehouse holds UTF-8: a repaired copy, or NULL when the
 * text is fine, as those of requests are: it is only programs that run one command that may end
 * here for want of memory. */
static char *
repaired(const PhParam *param)
{
	if (param->bytes == NULL || param->binary)
		return NULL;
	for (const char *at = param->bytes; *at != '\0';)
		if (ph_utf8_next(&at) == PH_BAD_CHARACTER)
			return ph_text_valid(param->bytes);
	return NULL;
}

/* Parameters as libpq wants them. */
typedef struct Given
{
	const char *values[PH_PQ_MAX_PARAMS];
	char *copies[PH_PQ_MAX_PARAMS];
	int lengths[PH_PQ_MAX_PARAMS];
	int formats[PH_PQ_MAX_PARAMS];
	Oid types[PH_PQ_MAX_PARAMS];
	int n;
} Given;

static bool
give(PhConnection *connection, const PhParam *params, int n_params, Given *out)
{
	*out = (Given){.n = n_params};
	ph_pq_clear_error(connection);
	connection->is_cancelled = false;
	if (n_params > PH_PQ_MAX_PARAMS)
		return ph_pq_fail(connection, PH_EXIT_INTERNAL, NULL, "too many parameters: %d", n_params);
	for (int i = 0; i < n_params; i++)
	{
		const PhParam *param = &params[i];

		out->copies[i] = repaired(param);
		out->values[i] = out->copies[i] != NULL	 ? out->copies[i]
						 : param->bytes != NULL	 ? param->bytes
						 : param->own[0] != '\0' ? param->own
												 : NULL;
		out->lengths[i] = param->length;
		out->formats[i] = param->binary ? 1 : 0;
		out->types[i] = param->type;
	}
	return true;
}

static void
take_back(Given *given)
{
	for (int i = 0; i < given->n; i++)
		free(given->copies[i]);
}

bool
ph_pq_send(PhConnection *connection, const char *sql, const PhParam *params, int n_params,
		   bool binary)
{
	Given given;
	bool sent;

	if (!give(connection, params, n_params, &given))
		return false;
	sent = PQsendQueryParams(connection->pq, sql, n_params, given.types, given.values,
							 given.lengths, given.formats, binary ? 1 : 0) != 0;
	take_back(&given);
	return sent || ph_pq_note(connection, NULL);
}

static bool
is_success(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_SINGLE_TUPLE;
}

/* The statement's result, or NULL with the error noted. */
static PGresult *
collect(PhConnection *connection)
{
	PGresult *result = ph_pq_next_result(connection);
	bool ok = result != NULL && is_success(result);

	if (!ok)
	{
		ph_pq_note(connection, result);
		PQclear(result);
	}
	ph_pq_drain(connection);
	return ok ? result : NULL;
}

/* Takes the result over, also when there is no memory for the handle. */
static PhResult *
result_new(PhConnection *connection, PGresult *result)
{
	PhResult *handle = calloc(1, sizeof(PhResult));

	if (handle != NULL)
		handle->result = result;
	else
	{
		PQclear(result);
		ph_pq_error_memory(&connection->error);
	}
	return handle;
}

static PhResult *
query(PhConnection *connection, const char *sql, const PhParam *params, int n_params, bool binary)
{
	PGresult *result;

	if (!ph_pq_send(connection, sql, params, n_params, binary))
		return NULL;
	result = collect(connection);
	return result != NULL ? result_new(connection, result) : NULL;
}

PhResult *
ph_pq_query(PhConnection *connection, const char *sql, const PhParam *params, int n_params)
{
	return query(connection, sql, params, n_params, false);
}

/* The statement's name; false: the server does not take it. */
static bool
prepare(PhConnection *connection, const char *sql, char *name, size_t size)
{
	int place = 0;
	PGresult *result;

	while (place < connection->n_prepared && connection->prepared[place] != sql)
		place++;
	snprintf(name, size, "perfhouse_%d", place);
	if (place < connection->n_prepared)
		return true;
	ph_pq_clear_error(connection);
	connection->is_cancelled = false;
	if (place == PH_PQ_MAX_PREPARED)
		return ph_pq_fail(connection, PH_EXIT_INTERNAL, NULL, "too many prepared statements");
	if (!PQsendPrepare(connection->pq, name, sql, 0, NULL))
		return ph_pq_note(connection, NULL);
	result = collect(connection);
	if (result == NULL)
		return false;
	PQclear(result);
	connection->prepared[connection->n_prepared++] = sql;
	return true;
}

PhResult *
ph_pq_query_prepared(PhConnection *connection, const char *sql, const PhParam *params, int n_params)
{
	Given given;
	PGresult *result;
	char name[32];
	bool sent;

	if (!prepare(connection, sql, name, sizeof(name)) ||
		!give(connection, params, n_params, &given))
		return NULL;
	sent = PQsendQueryPrepared(connection->pq, name, n_params, given.values, given.lengths,
							   given.formats, 0) != 0;
	take_back(&given);
	if (!sent)
	{
		ph_pq_note(connection, NULL);
		return NULL;
	}
	result = collect(connection);
	return result != NULL ? result_new(connection, result) : NULL;
}

PhResult *
ph_pq_query_binary(PhConnection *connection, const char *sql, const PhParam *params, int n_params)
{
	return query(connection, sql, params, n_params, true);
}

PhResult *
ph_pq_columns(PhConnection *connection, const char *sql, const PhParam *params, int n_params)
{
	Oid types[PH_PQ_MAX_PARAMS];
	PGresult *result;

	for (int i = 0; i < n_params; i++)
		types[i] = params[i].type;
	ph_pq_clear_error(connection);
	connection->is_cancelled = false;
	if (!PQsendPrepare(connection->pq, "", sql, n_params, types))
	{
		ph_pq_note(connection, NULL);
		return NULL;
	}
	result = collect(connection);
	if (result == NULL)
		return NULL;
	PQclear(result);
	if (!PQsendDescribePrepared(connection->pq, ""))
	{
		ph_pq_note(connection, NULL);
		return NULL;
	}
	result = collect(connection);
	if (result == NULL)
		return NULL;
	return result_new(connection, result);
}

bool
ph_pq_execute(PhConnection *connection, const char *sql, const PhParam *params, int n_params)
{
	PhResult *result = query(connection, sql, params, n_params, false);

	ph_result_free(result);
	return result != NULL;
}

bool
ph_pq_script(PhConnection *connection, const char *sql)
{
	PGresult *result;
	bool ok = true;

	ph_pq_clear_error(connection);
	connection->is_cancelled = false;
	if (!PQsendQuery(connection->pq, sql))
		return ph_pq_note(connection, NULL);
	while ((result = ph_pq_next_result(connection)) != NULL)
	{
		if (ok && !is_success(result) && PQresultStatus(result) != PGRES_EMPTY_QUERY)
			ok = ph_pq_note(connection, result);
		PQclear(result);
	}
	return ok;
}

/* Hands rows on until each() has had enough; then cancels the rest. */
static bool
hand_on(PhConnection *connection, bool (*each)(void *user, const PhResult *row), void *user)
{
	PGresult *result;
	bool ok = true;
	bool wanted = true;

	while ((result = ph_pq_next_result(connection)) != NULL)
	{
		PhResult row = {result};

		if (wanted && !is_success(result))
			ok = ph_pq_note(connection, result);
		else if (wanted && PQntuples(result) > 0 && !each(user, &row))
		{
			PGcancel *handle = PQgetCancel(connection->pq);
			char message[256];

			wanted = false;
			PQcancel(handle, message, sizeof(message));
			PQfreeCancel(handle);
		}
		PQclear(result);
	}
	return ok && connection->error.code == PH_EXIT_OK;
}

bool
ph_pq_stream(PhConnection *connection, const char *sql, const PhParam *params, int n_params,
			 bool (*each)(void *user, const PhResult *row), void *user)
{
	if (!ph_pq_send(connection, sql, params, n_params, false))
		return false;
	PQsetSingleRowMode(connection->pq);
	return hand_on(connection, each, user);
}

bool
ph_pq_stream_binary(PhConnection *connection, const char *sql, const PhParam *params, int n_params,
					bool (*each)(void *user, const PhResult *row), void *user)
{
	if (!ph_pq_send(connection, sql, params, n_params, true))
		return false;
	PQsetSingleRowMode(connection->pq);
	return hand_on(connection, each, user);
}

size_t
ph_result_count(const PhResult *rows)
{
	return (size_t) PQntuples(rows->result);
}

size_t
ph_result_n_fields(const PhResult *rows)
{
	return (size_t) PQnfields(rows->result);
}

const char *
ph_result_field_name(const PhResult *rows, size_t field)
{
	return PQfname(rows->result, (int) field);
}

Oid
ph_result_param_type(const PhResult *rows, size_t parameter)
{
	return PQparamtype(rows->result, (int) parameter);
}

Oid
ph_result_type(const PhResult *rows, size_t field)
{
	return PQftype(rows->result, (int) field);
}

size_t
ph_result_field(const PhResult *rows, const char *name)
{
	for (int i = 0; i < PQnfields(rows->result); i++)
		if (strcmp(PQfname(rows->result, i), name) == 0)
			return (size_t) i;
	abort();
}

bool
ph_result_is_null(const PhResult *rows, size_t row, size_t field)
{
	return PQgetisnull(rows->result, (int) row, (int) field) == 1;
}

const char *
ph_result_text(const PhResult *rows, size_t row, size_t field)
{
	return ph_result_is_null(rows, row, field) ? NULL
											   : PQgetvalue(rows->result, (int) row, (int) field);
}

int64_t
ph_result_int(const PhResult *rows, size_t row, size_t field)
{
	const char *text = ph_result_text(rows, row, field);

	return text != NULL ? strtoll(text, NULL, 10) : 0;
}

bool
ph_result_bool(const PhResult *rows, size_t row, size_t field)
{
	const char *text = ph_result_text(rows, row, field);

	return text != NULL && text[0] == 't';
}

const char *
ph_result_bytes(const PhResult *rows, size_t row, size_t field, size_t *size)
{
	*size = (size_t) PQgetlength(rows->result, (int) row, (int) field);
	return ph_result_text(rows, row, field);
}

void
ph_result_free(PhResult *rows)
{
	if (rows == NULL)
		return;
	PQclear(rows->result);
	free(rows);
}
