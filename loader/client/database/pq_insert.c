/*
 * pq_insert.c - rows meant for a COPY, written by INSERT where PostgreSQL refuses COPY.
 *
 * It does so for tables with row-level security whose policies hold for the user. The bytes of COPY
 * BINARY are taken as they come and cut into rows; rows of about BATCH_BYTES are one array of the
 * table's row type, in binary, and one statement
 *
 *     INSERT INTO table (columns) SELECT r.column, ... FROM unnest($1::table[]) r
 *
 * so that values have the same bytes either way, arrays among them, and a batch is planned once. A
 * value of a composite type names the type of each of its columns: columns that the COPY does not
 * list are null in it and not inserted, so that they get their defaults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "database/pq_internal.h"
#include "queries.h"
#include "system/memory.h"

#define BATCH_BYTES ((size_t) 1024 * 1024)
#define COPY_HEADER 19 /* signature, flags, length of an extension: none is sent */
#define ARRAY_HEADER 20

typedef struct Bytes
{
	char *bytes;
	size_t used, capacity;
} Bytes;

typedef struct Column
{
	uint32_t type;
	int32_t field; /* of the rows that come; -1: none */
} Column;

struct PhPqInsert
{
	char *sql;
	uint32_t row_type;
	Column *columns;
	size_t n_columns;
	size_t n_fields;
	const char **fields; /* of the row at hand: where each begins, with its length */
	Bytes pending;		 /* a row that is not whole yet */
	Bytes batch;		 /* the array that is sent next */
	uint32_t n_in_batch;
	size_t header_left;
	int64_t n_rows;
};

static bool
append(PhConnection *connection, Bytes *to, const void *bytes, size_t size)
{
	if (to->capacity - to->used < size)
	{
		size_t capacity = to->capacity == 0 ? BATCH_BYTES : to->capacity;
		char *grown;

		if (size > INT32_MAX - to->used)
			return ph_pq_fail(connection, PH_EXIT_MEMORY, NULL,
							  "a row is too large to be inserted");
		while (capacity - to->used < size)
			capacity *= 2;
		grown = realloc(to->bytes, capacity);
		if (grown == NULL)
		{
			ph_pq_error_memory(&connection->error);
			return false;
		}
		to->bytes = grown;
		to->capacity = capacity;
	}
	memcpy(to->bytes + to->used, bytes, size);
	to->used += size;
	return true;
}

static bool
append32(PhConnection *connection, Bytes *to, uint32_t value)
{
	value = __builtin_bswap32(value);
	return append(connection, to, &value, sizeof(value));
}

static uint32_t
read32(const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return __builtin_bswap32(value);
}

static uint16_t
read16(const char *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return __builtin_bswap16(value);
}

/* ---- beginning ---- */

/* Whether COPY into tables of the warehouse is refused to this user; asked once a connection. */
static bool
ask_row_security(PhConnection *connection)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_load_row_security, NULL, 0);

	if (rows == NULL)
		return false;
	connection->row_security = ph_result_bool(rows, 0, 0) ? PH_PQ_POLICIES_HOLD : PH_PQ_NO_POLICY;
	ph_result_free(rows);
	return true;
}

/* "COPY table (columns) FROM STDIN (FORMAT binary)", as PH_COPY writes it. */
static void
split_statement(const char *sql, char **table, char **columns)
{
	const char *name = sql + strlen("COPY ");
	size_t length = strcspn(name, " ");
	const char *list = name + length + strlen(" (");

	*table = ph_strndup(name, length);
	*columns = ph_strndup(list, strcspn(list, ")"));
}

static bool
describe(PhConnection *connection, PhPqInsert *insert, const char *table, const char *columns)
{
	PhParam params[] = {ph_param_text(table), ph_param_text(columns)};
	PhResult *rows = ph_pq_query(connection, ph_sql_load_columns, params, 2);

	if (rows == NULL)
		return false;
	insert->n_columns = ph_result_count(rows);
	insert->columns = ph_must_alloc(insert->n_columns + 1, sizeof(*insert->columns));
	insert->fields = ph_must_alloc(insert->n_columns + 1, sizeof(*insert->fields));
	for (size_t i = 0; i < insert->n_columns; i++)
	{
		int32_t place = (int32_t) ph_result_int(rows, i, 1);

		insert->columns[i] = (Column){(uint32_t) ph_result_int(rows, i, 0), place - 1};
		insert->n_fields += place > 0;
		insert->row_type = (uint32_t) ph_result_int(rows, i, 2);
	}
	ph_result_free(rows);
	return true;
}

/* The list of columns again, each of the row r. */
static char *
statement(const char *table, const char *columns)
{
	size_t size = 2 * strlen(table) + 4 * strlen(columns) + 80;
	char *sql = ph_must_alloc(size, 1);
	char *at = sql;

	at += snprintf(sql, size, "INSERT INTO %s (%s) SELECT r.", table, columns);
	for (const char *from = columns; *from != '\0'; from++)
	{
		*at++ = *from;
		if (*from == ' ')
			at = stpcpy(at, "r.");
	}
	snprintf(at, size - (size_t) (at - sql), " FROM unnest($1::%s[]) r", table);
	return sql;
}

static void
insert_free(PhPqInsert *insert)
{
	if (insert == NULL)
		return;
	free(insert->sql);
	free(insert->columns);
	free(insert->fields);
	free(insert->pending.bytes);
	free(insert->batch.bytes);
	free(insert);
}

static bool
begin(PhConnection *connection, const char *sql)
{
	PhPqInsert *insert = ph_must_alloc(1, sizeof(*insert));
	char *table;
	char *columns;
	bool ok;

	split_statement(sql, &table, &columns);
	insert->sql = statement(table, columns);
	ok = describe(connection, insert, table, columns);
	free(table);
	free(columns);
	if (!ok)
	{
		insert_free(insert);
		return false;
	}
	insert->header_left = COPY_HEADER;
	connection->insert = insert;
	connection->in_copy = true;
	return true;
}

bool
ph_pq_insert_begin(PhConnection *connection, const char *sql, bool *is_insert)
{
	*is_insert = false;
	if (strncmp(sql, "COPY perfhouse.", 15) != 0)
		return true;
	if (connection->row_security == PH_PQ_NOT_ASKED && !ask_row_security(connection))
		return false;
	*is_insert = connection->row_security == PH_PQ_POLICIES_HOLD;
	return !*is_insert || begin(connection, sql);
}

/* ---- rows ---- */

static bool
send_batch(PhConnection *connection)
{
	PhPqInsert *insert = connection->insert;
	PhParam param = {
		.bytes = insert->batch.bytes, .length = (int) insert->batch.used, .binary = true};
	uint32_t header[ARRAY_HEADER / 4] = {1, 0, insert->row_type, insert->n_in_batch, 1};

	if (insert->n_in_batch == 0)
		return true;
	for (size_t i = 0; i < ARRAY_HEADER / 4; i++)
		header[i] = __builtin_bswap32(header[i]);
	memcpy(insert->batch.bytes, header, ARRAY_HEADER);
	insert->n_rows += insert->n_in_batch;
	insert->n_in_batch = 0;
	insert->batch.used = 0;
	return ph_pq_execute(connection, insert->sql, &param, 1);
}

/* A row of the array: its size, how many columns, and of each the type and the field as it came. */
static bool
add_row(PhConnection *connection, PhPqInsert *insert)
{
	static const char room[ARRAY_HEADER];
	Bytes *batch = &insert->batch;
	size_t start;
	bool ok = batch->used > 0 || append(connection, batch, room, sizeof(room));

	start = batch->used;
	ok = ok && append32(connection, batch, 0) &&
		 append32(connection, batch, (uint32_t) insert->n_columns);
	for (size_t i = 0; i < insert->n_columns && ok; i++)
	{
		const Column *column = &insert->columns[i];
		const char *field = column->field < 0 ? NULL : insert->fields[column->field];
		int32_t size = field == NULL ? -1 : (int32_t) read32(field);

		ok = append32(connection, batch, column->type) &&
			 append32(connection, batch, (uint32_t) size) &&
			 (size <= 0 || append(connection, batch, field + 4, (size_t) size));
	}
	if (!ok)
		return false;
	uint32_t size = __builtin_bswap32((uint32_t) (batch->used - start - 4));
	memcpy(batch->bytes + start, &size, sizeof(size));
	insert->n_in_batch++;
	return batch->used < BATCH_BYTES || send_batch(connection);
}

/* Bytes of the row at the beginning; 0: it is not whole. Fills where its fields are. */
static size_t
find_fields(PhPqInsert *insert, const char *bytes, size_t size)
{
	size_t at = 2;

	if (size < 2 || read16(bytes) != insert->n_fields)
		return 0; /* that is the end, too, which is no row */
	for (size_t i = 0; i < insert->n_fields; i++)
	{
		int32_t length;

		if (size - at < 4)
			return 0;
		length = (int32_t) read32(bytes + at);
		insert->fields[i] = bytes + at;
		at += 4;
		if (length > 0 && size - at < (size_t) length)
			return 0;
		at += length > 0 ? (size_t) length : 0;
	}
	return at;
}

bool
ph_pq_insert_put(PhConnection *connection, const char *bytes, size_t size)
{
	PhPqInsert *insert = connection->insert;
	size_t skipped = size < insert->header_left ? size : insert->header_left;
	size_t done = 0;
	size_t row;

	insert->header_left -= skipped;
	if (!append(connection, &insert->pending, bytes + skipped, size - skipped))
		return false;
	while ((row = find_fields(insert, insert->pending.bytes + done, insert->pending.used - done)) >
		   0)
	{
		if (!add_row(connection, insert))
			return false;
		done += row;
	}
	insert->pending.used -= done;
	memmove(insert->pending.bytes, insert->pending.bytes + done, insert->pending.used);
	return true;
}

bool
ph_pq_insert_end(PhConnection *connection, const char *why, int64_t *n_rows)
{
	PhPqInsert *insert = connection->insert;
	bool ok = why == NULL && send_batch(connection);

	if (ok && n_rows != NULL)
		*n_rows = insert->n_rows;
	connection->insert = NULL;
	insert_free(insert);
	return ok;
}
