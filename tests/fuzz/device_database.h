/*
 * device_database.h - readers of device profiles that are SQLite databases. Input that begins with
 * "=" is a list of tables: a database of its own would rarely survive a change.
 *
 * "=TABLE", then its columns, begins a table, and every other line is a row of it. Tabs part them.
 * A value is a number where it looks like one, bytes behind a backslash, NULL where it is empty.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_DEVICE_DATABASE_H
#define PH_FUZZ_DEVICE_DATABASE_H

#include <sqlite3.h>
#include <string.h>

#include "span_trace.h"

typedef struct Cells
{
	const char *at, *end; /* of the line; at is NULL behind the last one */
} Cells;

typedef struct Tables
{
	sqlite3 *db;
	sqlite3_stmt *insert; /* into the table of the last "=" line; NULL: it could not be made */
	int n_columns;
} Tables;

static inline const char *
next_cell(Cells *cells, int *size)
{
	const char *cell = cells->at;
	const char *tab = memchr(cell, '\t', (size_t) (cells->end - cell));

	*size = (int) ((tab != NULL ? tab : cells->end) - cell);
	cells->at = tab != NULL ? tab + 1 : NULL;
	return cell;
}

static inline void
begin_table(Tables *tables, Cells cells)
{
	sqlite3_str *create = sqlite3_str_new(tables->db);
	sqlite3_str *insert = sqlite3_str_new(tables->db);
	int size;
	const char *name = next_cell(&cells, &size);
	char *sql;

	sqlite3_str_appendf(create, "CREATE TABLE \"%.*w\"", size, name);
	sqlite3_str_appendf(insert, "INSERT INTO \"%.*w\" VALUES ", size, name);
	for (tables->n_columns = 0; cells.at != NULL; tables->n_columns++)
	{
		name = next_cell(&cells, &size);
		sqlite3_str_appendf(create, "%c\"%.*w\"", tables->n_columns == 0 ? '(' : ',', size, name);
		sqlite3_str_appendf(insert, "%c?", tables->n_columns == 0 ? '(' : ',');
	}
	sqlite3_str_appendall(create, ")");
	sqlite3_str_appendall(insert, ")");
	sqlite3_finalize(tables->insert);
	tables->insert = NULL;
	(void) sqlite3_exec(tables->db, sql = sqlite3_str_finish(create), NULL, NULL, NULL);
	sqlite3_free(sql);
	(void) sqlite3_prepare_v2(tables->db, sql = sqlite3_str_finish(insert), -1, &tables->insert,
							  NULL);
	sqlite3_free(sql);
}

static inline void
bind_cell(sqlite3_stmt *insert, int column, const char *cell, int size)
{
	int64_t number;

	if (size == 0)
		(void) sqlite3_bind_null(insert, column);
	else if (cell[0] == '\\')
		(void) sqlite3_bind_blob(insert, column, cell + 1, size - 1, SQLITE_STATIC);
	else if (ph_parse_int64(cell, (size_t) size, &number))
		(void) sqlite3_bind_int64(insert, column, number);
	else
		(void) sqlite3_bind_text(insert, column, cell, size, SQLITE_STATIC);
}

static inline void
add_row(const Tables *tables, Cells cells)
{
	if (tables->insert == NULL)
		return;
	for (int i = 1; i <= tables->n_columns; i++)
	{
		int size = 0;
		const char *cell = cells.at != NULL ? next_cell(&cells, &size) : NULL;

		bind_cell(tables->insert, i, cell, size);
	}
	(void) sqlite3_step(tables->insert);
	(void) sqlite3_reset(tables->insert);
}

/* The database of a list of tables, of sqlite3_malloc; NULL where none could be made. */
static inline unsigned char *
make_database(const char *text, size_t length, sqlite3_int64 *size)
{
	Tables tables = {0};
	const char *end = text + length;
	unsigned char *bytes;

	if (sqlite3_open(":memory:", &tables.db) != SQLITE_OK ||
		sqlite3_exec(tables.db, "PRAGMA page_size = 512; BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		abort();
	for (const char *line = text; line != NULL && line < end;)
	{
		const char *newline = memchr(line, '\n', (size_t) (end - line));
		bool is_table = line[0] == '=';
		Cells cells = {line + is_table, newline != NULL ? newline : end};

		if (is_table)
			begin_table(&tables, cells);
		else
			add_row(&tables, cells);
		line = newline != NULL ? newline + 1 : NULL;
	}
	sqlite3_finalize(tables.insert);
	(void) sqlite3_exec(tables.db, "COMMIT", NULL, NULL, NULL);
	bytes = sqlite3_serialize(tables.db, "main", size, 0);
	sqlite3_close(tables.db);
	return bytes;
}

static inline int
fuzz_device_database(const PhReader *reader, const uint8_t *data, size_t size)
{
	sqlite3_int64 made;
	unsigned char *bytes;

	if (size == 0 || data[0] != '=')
	{
		read_device_profile(reader, data, size);
		return 0;
	}
	bytes = make_database((const char *) data, size, &made);
	if (bytes != NULL)
		read_device_profile(reader, bytes, (size_t) made);
	sqlite3_free(bytes);
	return 0;
}

#endif
