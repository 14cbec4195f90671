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

/* The next table from *next (first 0) on whose name begins so; NULL: there is none. */
const char *ph_sqlite_next_table(const PhSqlite *db, const char *begin, uint32_t *next);

/* Is the file a database that has a table whose name begins so? For detection. */
bool ph_sqlite_path_has(const char *path, const char *begin);

/* The row of a table that is being read; columns: their names, n of them. */
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

/* Call read on each row, in the order of the file; the arena (NULL: none) is emptied after each.
 * PH_ERR_FORMAT names table and row. */
typedef PhStatus (*PhSqliteRead)(void *user, PhSqliteRows *rows);
PhStatus ph_sqlite_each(PhSqlite *db, const char *table, const char *const *columns, uint32_t n,
						PhArena *row, PhSqliteRead read, void *user) PH_MUST_CHECK;

/* Of the row: is the column there and not null; its number (0: none); its text as valid UTF-8
 * without NUL (NULL: none), until the next row. */
bool ph_sqlite_has(const PhSqliteRows *rows, uint32_t column);
int64_t ph_sqlite_int(const PhSqliteRows *rows, uint32_t column);
PhStatus ph_sqlite_text(PhSqliteRows *rows, PhArena *arena, uint32_t column,
						const char **out) PH_MUST_CHECK;

/* Its bytes until the next row; size 0: there are none. */
const uint8_t *ph_sqlite_bytes(const PhSqliteRows *rows, uint32_t column, size_t *size);

/* "PATH: TABLE, row 7: ..." */
PhStatus ph_sqlite_fail(const PhSqliteRows *rows, const char *format, ...) PH_PRINTF(2, 3);

#endif
