/*
 * sqlite.h - tables of an SQLite file, read where the file's bytes are: nothing is ever written.
 *
 * The library works on the mapped bytes, so that no journal is looked for or made, and the file may
 * be anywhere. Schemas differ by version of what wrote them: tables and columns that a file does
 * not have read as empty and as null. Only plain tables are read: views, virtual tables and what
 * they would run are not. A damaged file may show rows again and again, so there are never more
 * than the file has bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SQLITE_H
#define PH_READERS_SQLITE_H

#include "readers/input.h"

/* True when the bytes begin as those of an SQLite file. */
bool ph_is_sqlite(const uint8_t *head, size_t size);

typedef struct PhSqlite PhSqlite;

/*
 * The input must stay until it is closed. PH_ERR_FORMAT: it is no database, or it has not as many
 * pages as it says.
 */
PhStatus ph_sqlite_open(PhEnv *env, const PhInput *input, PhSqlite **out) PH_MUST_CHECK;
void ph_sqlite_close(PhSqlite *db);

bool ph_sqlite_has_table(const PhSqlite *db, const char *table);

/* Rows of a table, in the order of the file; columns: their names, n of them. */
typedef struct PhSqliteRows
{
	PhSqlite *db;
	const char *table;
	void *statement; /* NULL: there are none */
	const char *const *columns;
	uint32_t n_columns;
	uint64_t row; /* from 1 */
	bool has_columns[24];
} PhSqliteRows;

PhStatus ph_sqlite_rows(PhSqlite *db, const char *table, const char *const *columns, uint32_t n,
						PhSqliteRows *out) PH_MUST_CHECK;

/* *more false: there was none left. PH_ERR_FORMAT names table and row. */
PhStatus ph_sqlite_next(PhSqliteRows *rows, bool *more) PH_MUST_CHECK;

/* To be called whether all were read or not. */
void ph_sqlite_end(PhSqliteRows *rows);

/* Of the row: is the column there and not null; its number (0: none); its text as valid UTF-8
 * without NUL (NULL: none), until the next row. */
bool ph_sqlite_has(const PhSqliteRows *rows, uint32_t column);
int64_t ph_sqlite_int(const PhSqliteRows *rows, uint32_t column);
PhStatus ph_sqlite_text(PhSqliteRows *rows, PhArena *arena, uint32_t column,
						const char **out) PH_MUST_CHECK;

/* "PATH: TABLE, row 7: ..." */
PhStatus ph_sqlite_fail(const PhSqliteRows *rows, const char *format, ...) PH_PRINTF(2, 3);

#endif
