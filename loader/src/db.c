/*
 * db.c - one loader connection: queries, COPY and what the server said when it refused.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "db.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PREPARED 32
#define MOST_PARAMS 32

struct PhDb
{
	PGconn *connection;
	PGcancel *cancel;
	const char *prepared[MOST_PREPARED]; /* texts by address: they are constants */
	int n_prepared;
	PhDbError error;
};

static void
copy_text(char *out, size_t size, const char *text, size_t length)
{
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
		length--;
	snprintf(out, size, "%.*s", (int) length, text);
	for (char *at = out; *at != '\0'; at++)
		*at = *at == '\n' ? ' ' : *at;
}

/* The server's words, or libpq's when there are none. */
static void
note_error(PhDb *db, const PGresult *result)
{
	const char *state = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *message =
		result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	const char *hint = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);

	if (message == NULL)
		message = PQerrorMessage(db->connection);
	snprintf(db->error.sqlstate, sizeof(db->error.sqlstate), "%s", state == NULL ? "" : state);
	copy_text(db->error.message, sizeof(db->error.message), message, strlen(message));
	copy_text(db->error.hint, sizeof(db->error.hint), hint == NULL ? "" : hint,
			  hint == NULL ? 0 : strlen(hint));
	db->error.connection_lost = PQstatus(db->connection) != CONNECTION_OK;
}

static bool
accept(PhDb *db, PGresult *result, ExecStatusType wanted)
{
	ExecStatusType status = PQresultStatus(result);

	if (status == wanted || (wanted == PGRES_TUPLES_OK && status == PGRES_COMMAND_OK))
		return true;
	note_error(db, result);
	return false;
}

PhDb *
ph_db_open(const char *conninfo, PhDbError *error)
{
	PhDb *db = calloc(1, sizeof(*db));

	*error = (PhDbError){.message = "out of memory"};
	if (db == NULL)
		return NULL;
	db->connection = PQconnectdb(conninfo);
	if (PQstatus(db->connection) != CONNECTION_OK)
	{
		note_error(db, NULL);
		*error = db->error;
		ph_db_close(db);
		return NULL;
	}
	db->cancel = PQgetCancel(db->connection);
	PQsetClientEncoding(db->connection, "UTF8");
	if (!ph_db_run(db, "SET search_path = pg_catalog; SET client_min_messages = warning; "
					   "SET DateStyle = ISO; SET TimeZone = 'UTC'; SET extra_float_digits = 1"))
	{
		*error = db->error;
		ph_db_close(db);
		return NULL;
	}
	return db;
}

void
ph_db_close(PhDb *db)
{
	if (db == NULL)
		return;
	if (db->cancel != NULL)
		PQfreeCancel(db->cancel);
	PQfinish(db->connection);
	free(db);
}

bool
ph_db_run(PhDb *db, const char *sql)
{
	PGresult *result = PQexec(db->connection, sql);
	bool ok = accept(db, result, PGRES_TUPLES_OK);

	PQclear(result);
	return ok;
}

static int
find_prepared(const PhDb *db, const char *sql)
{
	for (int i = 0; i < db->n_prepared; i++)
	{
		if (db->prepared[i] == sql)
			return i;
	}
	return -1;
}

/* The statement's number; -1: could not be prepared. */
static int
prepare(PhDb *db, const char *sql)
{
	int which = find_prepared(db, sql);
	char name[16];
	PGresult *result;
	bool ok;

	if (which >= 0)
		return which;
	which = db->n_prepared < MOST_PREPARED ? db->n_prepared : MOST_PREPARED - 1;
	snprintf(name, sizeof(name), "ph_%d", which);
	if (which < db->n_prepared)
	{
		db->n_prepared--;
		if (!ph_db_run(db, "DEALLOCATE ph_31"))
			return -1;
	}
	result = PQprepare(db->connection, name, sql, 0, NULL);
	ok = accept(db, result, PGRES_COMMAND_OK);
	PQclear(result);
	if (!ok)
		return -1;
	db->prepared[db->n_prepared++] = sql;
	return which;
}

static bool
query(PhDb *db, const char *sql, int n_params, const char *const *params, int format, PhRows *rows)
{
	char name[16];
	PGresult *result;
	int which = -1;

	rows->result = NULL;
	if (n_params > 0 && (which = prepare(db, sql)) < 0)
		return false;
	snprintf(name, sizeof(name), "ph_%d", which);
	if (which >= 0)
		result = PQexecPrepared(db->connection, name, n_params, params, NULL, NULL, format);
	else
		result = PQexecParams(db->connection, sql, 0, NULL, NULL, NULL, NULL, format);
	if (!accept(db, result, PGRES_TUPLES_OK))
	{
		PQclear(result);
		return false;
	}
	rows->result = result;
	return true;
}

bool
ph_db_query(PhDb *db, const char *sql, int n_params, const char *const *params, PhRows *rows)
{
	return query(db, sql, n_params, params, 0, rows);
}

bool
ph_db_query_binary(PhDb *db, const char *sql, int n_params, const char *const *params, PhRows *rows)
{
	return query(db, sql, n_params, params, 1, rows);
}

int
ph_rows_count(const PhRows *rows)
{
	return rows->result == NULL ? 0 : PQntuples(rows->result);
}

const char *
ph_rows_get(const PhRows *rows, int row, int column)
{
	return PQgetisnull(rows->result, row, column) ? NULL : PQgetvalue(rows->result, row, column);
}

size_t
ph_rows_size(const PhRows *rows, int row, int column)
{
	return (size_t) PQgetlength(rows->result, row, column);
}

int64_t
ph_rows_int(const PhRows *rows, int row, int column)
{
	const char *text = ph_rows_get(rows, row, column);

	return text == NULL ? 0 : strtoll(text, NULL, 10);
}

void
ph_rows_free(PhRows *rows)
{
	PQclear(rows->result);
	rows->result = NULL;
}

bool
ph_db_copy(PhDb *db, const char *sql)
{
	PGresult *result = PQexec(db->connection, sql);
	bool ok = accept(db, result, PGRES_COPY_IN);

	PQclear(result);
	return ok;
}

bool
ph_db_copy_put(void *db, const char *bytes, size_t size)
{
	PhDb *self = db;

	while (size > 0)
	{
		size_t part = size < (1 << 30) ? size : (1 << 30);

		if (PQputCopyData(self->connection, bytes, (int) part) != 1)
		{
			note_error(self, NULL);
			return false;
		}
		bytes += part;
		size -= part;
	}
	return true;
}

bool
ph_db_copy_end(PhDb *db, bool ok)
{
	PGresult *result;
	bool accepted = true;

	if (PQputCopyEnd(db->connection, ok ? NULL : "the loader gave up") != 1)
	{
		note_error(db, NULL);
		return false;
	}
	while ((result = PQgetResult(db->connection)) != NULL)
	{
		accepted = accepted && accept(db, result, PGRES_COMMAND_OK);
		PQclear(result);
	}
	return accepted && ok;
}

void
ph_db_rollback(PhDb *db)
{
	PhDbError first = db->error;

	if (PQstatus(db->connection) == CONNECTION_OK &&
		PQtransactionStatus(db->connection) != PQTRANS_IDLE)
		ph_db_run(db, "ROLLBACK");
	first.connection_lost = PQstatus(db->connection) != CONNECTION_OK;
	db->error = first;
}

const PhDbError *
ph_db_error(const PhDb *db)
{
	return &db->error;
}

void
ph_db_cancel(PhDb *db)
{
	char error[256];

	if (db->cancel != NULL)
		PQcancel(db->cancel, error, sizeof(error));
}
