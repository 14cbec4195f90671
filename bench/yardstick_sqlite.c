/*
 * yardstick_sqlite.c - SQLite's library giving the rows of queries, and nothing else.
 *
 *   yardstick_sqlite FILE QUERY...
 *
 * Prints CPU seconds of all queries, every value taken as a number: of three rounds the fastest.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <sqlite3.h>

#include "reader_cost.h"

static void
run_query(sqlite3 *db, const char *query)
{
	sqlite3_stmt *statement;
	volatile sqlite3_int64 sum = 0;

	if (sqlite3_prepare_v2(db, query, -1, &statement, NULL) != SQLITE_OK)
	{
		fprintf(stderr, "yardstick_sqlite: %s\n", sqlite3_errmsg(db));
		exit(1);
	}
	while (sqlite3_step(statement) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(statement); i++)
			sum ^= sqlite3_column_int64(statement, i);
	sqlite3_finalize(statement);
}

int
main(int n, char **arguments)
{
	double best = 0;

	for (int round = 0; round < 3 && n > 2; round++)
	{
		double begin = cpu_seconds();
		double took;
		sqlite3 *db;

		if (sqlite3_open_v2(arguments[1], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
			return 1;
		for (int i = 2; i < n; i++)
			run_query(db, arguments[i]);
		sqlite3_close(db);
		took = cpu_seconds() - begin;
		best = round == 0 || took < best ? took : best;
	}
	printf("%.6f\n", best);
	return 0;
}
