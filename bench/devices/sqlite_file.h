/*
 * sqlite_file.h - writing an SQLite file row by row; any failure ends the program.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BENCH_DEVICES_SQLITE_FILE_H
#define PH_BENCH_DEVICES_SQLITE_FILE_H

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void
must(sqlite3 *db, int code)
{
	if (code == SQLITE_OK || code == SQLITE_DONE)
		return;
	fprintf(stderr, "gen_devices: %s\n", sqlite3_errmsg(db));
	exit(1);
}

static inline void
execute(sqlite3 *db, const char *sql)
{
	must(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

/* A new file, all in one transaction. */
static inline sqlite3 *
create_file(const char *path)
{
	sqlite3 *db;

	unlink(path);
	must(NULL, sqlite3_open(path, &db));
	execute(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
	return db;
}

static inline sqlite3_stmt *
prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;

	must(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
	return statement;
}

/* Insert n numbers. */
static inline void
insert(sqlite3 *db, sqlite3_stmt *statement, const int64_t *values, int n)
{
	for (int i = 0; i < n; i++)
		must(db, sqlite3_bind_int64(statement, i + 1, values[i]));
	must(db, sqlite3_step(statement));
	must(db, sqlite3_reset(statement));
}

#define INSERT(db, statement, ...)                                                                 \
	insert(db, statement, (const int64_t[]){__VA_ARGS__},                                          \
		   (int) (sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

static inline void
close_file(sqlite3 *db, sqlite3_stmt *const *statements, int n)
{
	for (int i = 0; i < n; i++)
		sqlite3_finalize(statements[i]);
	execute(db, "COMMIT");
	sqlite3_close(db);
}

#endif
