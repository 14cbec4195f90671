/*
 * db.h - one loader connection: queries, COPY and what the server said when it refused.
 *
 * Nothing here logs. A call that fails returns false and leaves the reason in ph_db_error until the
 * next call. Values travel as text; NULL is null.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DB_H
#define PH_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PhDb PhDb;

typedef struct PhDbError
{
	char sqlstate[6]; /* "" when the server was not there to say */
	char message[512];
	char hint[512];
	bool connection_lost;
} PhDbError;

typedef struct PhRows
{
	void *result;
} PhRows;

/*
 * A new connection, set up for loading: fixed search_path, encoding and formats. NULL: error says
 * why.
 */
PhDb *ph_db_open(const char *conninfo, PhDbError *error);
void ph_db_close(PhDb *db);

/* Statements without parameters and results, several separated by semicolons. */
bool ph_db_run(PhDb *db, const char *sql);

/* One statement; its plan is kept for the next time when it has parameters. */
bool ph_db_query(PhDb *db, const char *sql, int n_params, const char *const *params, PhRows *rows);

/* The same, the result's single value as bytes (its type's binary form). */
bool ph_db_query_binary(PhDb *db, const char *sql, int n_params, const char *const *params,
						PhRows *rows);

int ph_rows_count(const PhRows *rows);
const char *ph_rows_get(const PhRows *rows, int row, int column);
size_t ph_rows_size(const PhRows *rows, int row, int column);
int64_t ph_rows_int(const PhRows *rows, int row, int column); /* null: 0 */
void ph_rows_free(PhRows *rows);

/* COPY ... FROM STDIN; ph_db_copy_put is a PhCopyFlush. ok false: tell the server to give up. */
bool ph_db_copy(PhDb *db, const char *sql);
bool ph_db_copy_put(void *db, const char *bytes, size_t size);
bool ph_db_copy_end(PhDb *db, bool ok);

/* End a transaction that failed; keeps the error. */
void ph_db_rollback(PhDb *db);

const PhDbError *ph_db_error(const PhDb *db);

/* Ask the server to stop what this connection is doing; from any thread. */
void ph_db_cancel(PhDb *db);

#endif
