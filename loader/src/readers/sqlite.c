/*
 * sqlite.c - see sqlite.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/sqlite.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/table.h"
#include "system/memory.h"

#define HEADER_BYTES 100
#define POLL_STEPS 100000	  /* instructions of SQLite between two looks at interrupts */
#define MOST_VALUE (64 << 20) /* bytes of one value */
#define MOST_QUERY 2048

struct PhSqlite
{
	PhEnv *env;
	const PhInput *input;
	sqlite3 *handle;
	PhArena arena;
	PhStrings tables;
	uint64_t n_rows; /* given so far */
};

bool
ph_is_sqlite(const uint8_t *head, size_t size)
{
	return size >= HEADER_BYTES && memcmp(head, "SQLite format 3", 16) == 0;
}

/* ---- a database ---- */

/* The file has as many pages as its header says, unless the header does not know. */
static PhStatus
check_size(PhEnv *env, const PhInput *input)
{
	const uint8_t *head = input->data;

	if (!ph_is_sqlite(head, input->size))
		return ph_fail(env, PH_ERR_FORMAT, "%s: no SQLite database", input->path);
	uint64_t page = (uint64_t) head[16] << 8 | head[17];
	uint64_t pages = 0;

	page = page == 1 ? 65536 : page;
	for (int i = 28; i < 32; i++)
		pages = pages << 8 | head[i];
	if (page < 512 || (page & (page - 1)) != 0)
		return ph_fail(env, PH_ERR_FORMAT, "%s: byte 16: pages of %" PRIu64 " bytes", input->path,
					   page);
	if (memcmp(head + 24, head + 92, 4) == 0 && pages * page != input->size)
		return ph_fail(env, PH_ERR_FORMAT,
					   "%s: has %zu bytes, but says that it has %" PRIu64 " pages of %" PRIu64,
					   input->path, input->size, pages, page);
	return PH_OK;
}

static int
ask_to_stop(void *user)
{
	PhSqlite *db = user;

	return db->env->interrupt != NULL && db->env->interrupt(db->env->user);
}

static PhStatus
failed(const PhSqlite *db)
{
	int code = sqlite3_errcode(db->handle);

	if (code == SQLITE_NOMEM)
		return ph_fail_memory(db->env, "SQLite");
	if (code == SQLITE_INTERRUPT)
		return ph_fail(db->env, PH_ERR_INTERRUPTED, "interrupted");
	return ph_fail(db->env, PH_ERR_FORMAT, "%s: %s", db->input->path, sqlite3_errmsg(db->handle));
}

static PhStatus
attach_bytes(PhSqlite *db)
{
	const PhInput *input = db->input;
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;

	if (sqlite3_open_v2(":memory:", &db->handle, flags, NULL) != SQLITE_OK)
		return db->handle == NULL ? ph_fail_memory(db->env, "SQLite") : failed(db);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, MOST_VALUE);
	sqlite3_progress_handler(db->handle, POLL_STEPS, ask_to_stop, db);
	/* it is only read: the pointer's type does not say so */
	if (sqlite3_deserialize(db->handle, "main", (unsigned char *) (uintptr_t) input->data,
							(sqlite3_int64) input->size, (sqlite3_int64) input->size,
							SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
		return failed(db);
	return PH_OK;
}

/* Plain tables are those with pages of their own. */
static PhStatus
list_tables(PhSqlite *db)
{
	static const char sql[] =
		"SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0";
	sqlite3_stmt *statement;
	PhStatus status = PH_OK;
	int code;

	PH_TRY(ph_strings_init(&db->tables, &db->arena));
	if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK)
		return failed(db);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW && status == PH_OK)
	{
		const char *name = (const char *) sqlite3_column_text(statement, 0);
		uint32_t index;

		if (++db->n_rows > db->input->size)
			status = ph_fail(db->env, PH_ERR_FORMAT, "%s: its list of tables is damaged",
							 db->input->path);
		else if (name != NULL)
			status = ph_strings_intern(&db->tables, name, &index);
	}
	if (status == PH_OK && code != SQLITE_DONE)
		status = failed(db);
	sqlite3_finalize(statement);
	return status;
}

PhStatus
ph_sqlite_open(PhEnv *env, const PhInput *input, PhSqlite **out)
{
	PhSqlite *db;

	PH_TRY(check_size(env, input));
	PH_TRY(ph_env_alloc(env, 1, sizeof(*db), (void **) &db));
	*db = (PhSqlite){.env = env, .input = input};
	ph_arena_init(&db->arena, env);
	PhStatus status = attach_bytes(db);

	if (status == PH_OK)
		status = list_tables(db);
	if (status == PH_OK)
		*out = db;
	else
		ph_sqlite_close(db);
	return status;
}

void
ph_sqlite_close(PhSqlite *db)
{
	if (db == NULL)
		return;
	PhEnv *env = db->env;

	sqlite3_close_v2(db->handle);
	ph_arena_drop(&db->arena);
	ph_env_free(env, db, 1, sizeof(*db));
}

static bool
has_table(const PhSqlite *db, const char *table)
{
	for (uint32_t i = 1; i < db->tables.count; i++)
		if (sqlite3_stricmp(db->tables.text[i], table) == 0)
			return true;
	return false;
}

const char *
ph_sqlite_next_table(const PhSqlite *db, const char *begin, uint32_t *next)
{
	for (uint32_t i = *next + 1; i < db->tables.count; i++)
		if (sqlite3_strnicmp(db->tables.text[i], begin, (int) strlen(begin)) == 0)
		{
			*next = i;
			return db->tables.text[i];
		}
	return NULL;
}

bool
ph_sqlite_path_has(const char *path, const char *begin)
{
	PhEnv env;
	PhInput input;
	PhSqlite *db;
	uint32_t next = 0;
	bool found = false;

	ph_env_init_malloc(&env);
	if (ph_input_open(&env, path, &input) != PH_OK)
		return false;
	if (ph_sqlite_open(&env, &input, &db) == PH_OK)
	{
		found = ph_sqlite_next_table(db, begin, &next) != NULL;
		ph_sqlite_close(db);
	}
	ph_input_close(&input);
	return found;
}

/* ---- rows ---- */

static PhStatus
find_columns(PhSqliteRows *rows)
{
	PhSqlite *db = rows->db;

	for (uint32_t i = 0; i < rows->n_columns; i++)
	{
		int code = sqlite3_table_column_metadata(db->handle, "main", rows->table, rows->columns[i],
												 NULL, NULL, NULL, NULL, NULL);

		if (code == SQLITE_NOMEM)
			return ph_fail_memory(db->env, "SQLite");
		rows->has_columns[i] = code == SQLITE_OK;
	}
	return PH_OK;
}

/* Names are the program's own. */
static void
write_query(const PhSqliteRows *rows, char query[MOST_QUERY])
{
	size_t at = (size_t) snprintf(query, MOST_QUERY, "SELECT ");

	for (uint32_t i = 0; i < rows->n_columns && at < MOST_QUERY; i++)
		at += (size_t) snprintf(query + at, MOST_QUERY - at,
								rows->has_columns[i] ? "%s\"%s\"" : "%sNULL", i == 0 ? "" : ", ",
								rows->columns[i]);
	if (at < MOST_QUERY)
		snprintf(query + at, MOST_QUERY - at, " FROM \"%s\"", rows->table);
}

static PhStatus
begin_rows(PhSqlite *db, const char *table, const char *const *columns, uint32_t n,
		   PhSqliteRows *out)
{
	char query[MOST_QUERY];

	*out = (PhSqliteRows){.db = db, .table = table, .columns = columns, .n_columns = n};
	if (n > sizeof(out->has_columns) / sizeof(out->has_columns[0]))
		return ph_fail(db->env, PH_ERR_INTERNAL, "too many columns of %s", table);
	if (!has_table(db, table))
		return PH_OK;
	PH_TRY(find_columns(out));
	write_query(out, query);
	if (sqlite3_prepare_v2(db->handle, query, -1, (sqlite3_stmt **) &out->statement, NULL) !=
		SQLITE_OK)
		return failed(db);
	return PH_OK;
}

/* *more false: there was none left. */
static PhStatus
next_row(PhSqliteRows *rows, bool *more)
{
	PhSqlite *db = rows->db;

	*more = false;
	if (rows->statement == NULL)
		return PH_OK;
	PH_TRY(ph_env_poll(db->env));
	int code = sqlite3_step(rows->statement);

	if (code == SQLITE_DONE)
		return PH_OK;
	rows->row++;
	if (code != SQLITE_ROW && sqlite3_errcode(db->handle) == SQLITE_CORRUPT)
		return ph_sqlite_fail(rows, "%s", sqlite3_errmsg(db->handle));
	if (code != SQLITE_ROW)
		return failed(db);
	if (++db->n_rows > db->input->size)
		return ph_sqlite_fail(rows, "more rows than the file has bytes");
	*more = true;
	return PH_OK;
}

static void
end_rows(PhSqliteRows *rows)
{
	sqlite3_finalize(rows->statement);
	rows->statement = NULL;
}

PhStatus
ph_sqlite_each(PhSqlite *db, const char *table, const char *const *columns, uint32_t n,
			   PhArena *row, PhSqliteRead read, void *user)
{
	PhSqliteRows rows;
	bool more = false;

	PH_TRY(begin_rows(db, table, columns, n, &rows));
	PhStatus status = next_row(&rows, &more);

	while (status == PH_OK && more)
	{
		status = read(user, &rows);
		if (row != NULL)
			ph_arena_drop(row);
		if (status == PH_OK)
			status = next_row(&rows, &more);
	}
	end_rows(&rows);
	return status;
}

bool
ph_sqlite_has(const PhSqliteRows *rows, uint32_t column)
{
	return sqlite3_column_type(rows->statement, (int) column) != SQLITE_NULL;
}

int64_t
ph_sqlite_int(const PhSqliteRows *rows, uint32_t column)
{
	return sqlite3_column_int64(rows->statement, (int) column);
}

PhStatus
ph_sqlite_text(PhSqliteRows *rows, PhArena *arena, uint32_t column, const char **out)
{
	const unsigned char *text = sqlite3_column_text(rows->statement, (int) column);
	size_t size = (size_t) sqlite3_column_bytes(rows->statement, (int) column);
	char *copy;

	*out = NULL;
	if (text == NULL)
		return sqlite3_errcode(rows->db->handle) == SQLITE_NOMEM
				   ? ph_fail_memory(rows->db->env, "SQLite")
				   : PH_OK;
	PH_TRY(ph_arena_strndup(arena, (const char *) text, size, &copy));
	bool is_text = ph_utf8_valid(copy, size);

	for (size_t i = 0; !is_text && i < size; i++)
		if ((unsigned char) copy[i] >= 0x80 || copy[i] == '\0')
			copy[i] = copy[i] == '\0' ? ';' : '?';
	*out = copy;
	return PH_OK;
}

const uint8_t *
ph_sqlite_bytes(const PhSqliteRows *rows, uint32_t column, size_t *size)
{
	const void *bytes = sqlite3_column_blob(rows->statement, (int) column);

	*size = bytes == NULL ? 0 : (size_t) sqlite3_column_bytes(rows->statement, (int) column);
	return bytes;
}

PhStatus
ph_sqlite_fail(const PhSqliteRows *rows, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return ph_fail(rows->db->env, PH_ERR_FORMAT, "%s: %s, row %" PRIu64 ": %s",
				   rows->db->input->path, rows->table, rows->row, text);
}
