/*
 * export_rows.c - rows of any query as CSV or Arrow, written as they come.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_rows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arrow/arrow.h"
#include "system/memory.h"

/* ---- CSV ---- */

/* A field as RFC 4180 wants it. */
static void
put_field(FILE *out, const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL)
	{
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++)
	{
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static bool
put_csv_row(void *user, const PhResult *row)
{
	FILE *out = user;
	size_t n = ph_result_n_fields(row);

	for (size_t i = 0; i < n; i++)
	{
		if (!ph_result_is_null(row, 0, i))
			put_field(out, ph_result_text(row, 0, i));
		fputc(i + 1 < n ? ',' : '\n', out);
	}
	return !ferror(out);
}

bool
ph_export_rows_csv(FILE *out, PhConnection *connection, const char *sql, const PhParam *params,
				   int n_params)
{
	PhResult *columns = ph_pq_columns(connection, sql, params, n_params);
	size_t n;

	if (columns == NULL)
		return false;
	n = ph_result_n_fields(columns);
	for (size_t i = 0; i < n; i++)
	{
		put_field(out, ph_result_field_name(columns, i));
		fputc(i + 1 < n ? ',' : '\n', out);
	}
	ph_result_free(columns);
	return ph_pq_stream(connection, sql, params, n_params, put_csv_row, out);
}

/* ---- Arrow ---- */

#define BATCH_ROWS 65536
#define BATCH_TEXT ((size_t) 1 << 26) /* bytes of one column */

/* Types by their numbers in pg_type.dat, which never change. */
enum
{
	OID_BOOL = 16,
	OID_INT8 = 20,
	OID_INT2 = 21,
	OID_INT4 = 23,
	OID_OID = 26,
	OID_FLOAT4 = 700,
	OID_FLOAT8 = 701,
	OID_TIMESTAMP = 1114,
	OID_TIMESTAMPTZ = 1184,
	OID_NUMERIC = 1700
};

/* A column of the batch under construction. */
typedef struct Column
{
	uint8_t *bools;
	int32_t *ints;
	int64_t *bigints; /* and times */
	double *numbers;
	uint8_t *is_absent;
	uint32_t *ends;
	char *text;
	size_t capacity; /* of text */
	bool has_absent;
} Column;

typedef struct ArrowRows
{
	FILE *out;
	PhArrowWriter writer;
	PhArrowColumn *columns;
	Column *values;
	size_t n_columns;
	uint32_t n; /* rows of the batch */
} ArrowRows;

static PhArrowType
type_of(Oid type)
{
	switch (type)
	{
		case OID_BOOL:
			return PH_ARROW_BOOL;
		case OID_INT2:
		case OID_INT4:
			return PH_ARROW_INT32;
		case OID_INT8:
		case OID_OID:
			return PH_ARROW_INT64;
		case OID_FLOAT4:
		case OID_FLOAT8:
		case OID_NUMERIC:
			return PH_ARROW_DOUBLE;
		case OID_TIMESTAMP:
		case OID_TIMESTAMPTZ:
			return PH_ARROW_TIME;
		default:
			return PH_ARROW_TEXT;
	}
}

static void
make_column(Column *column, PhArrowType type)
{
	column->is_absent = ph_must_alloc(BATCH_ROWS, 1);
	if (type == PH_ARROW_BOOL)
		column->bools = ph_must_alloc(BATCH_ROWS, 1);
	else if (type == PH_ARROW_INT32)
		column->ints = ph_must_alloc(BATCH_ROWS, sizeof(int32_t));
	else if (type == PH_ARROW_INT64 || type == PH_ARROW_TIME)
		column->bigints = ph_must_alloc(BATCH_ROWS, sizeof(int64_t));
	else if (type == PH_ARROW_DOUBLE)
		column->numbers = ph_must_alloc(BATCH_ROWS, sizeof(double));
	else
	{
		column->ends = ph_must_alloc(BATCH_ROWS + 1, sizeof(uint32_t));
		column->ends[0] = 0;
	}
}

static void
free_column(Column *column)
{
	free(column->bools);
	free(column->ints);
	free(column->bigints);
	free(column->numbers);
	free(column->is_absent);
	free(column->ends);
	free(column->text);
}

/* "2024-05-01 10:00:00.25+00", as every connection gets times; false: infinity, or before Christ.
 */
static bool
parse_time(const char *text, int64_t *us)
{
	struct tm parts = {0};
	const char *rest = strptime(text, "%Y-%m-%d %H:%M:%S", &parts);
	int64_t fraction = 0;

	if (rest == NULL || strstr(rest, "BC") != NULL)
		return false;
	if (*rest == '.')
	{
		int64_t unit = 100000;

		for (rest++; *rest >= '0' && *rest <= '9'; rest++, unit /= 10)
			fraction += (*rest - '0') * unit;
	}
	*us = (int64_t) timegm(&parts) * 1000000 + fraction;
	return true;
}

static void
put_text(Column *column, uint32_t row, const char *text)
{
	size_t size = strlen(text);
	size_t used = column->ends[row];

	if (used + size > column->capacity)
	{
		size_t capacity = 2 * (used + size) + 4096;
		char *larger = ph_must_alloc(capacity, 1);

		if (used > 0)
			memcpy(larger, column->text, used);
		free(column->text);
		column->text = larger;
		column->capacity = capacity;
	}
	memcpy(column->text + used, text, size);
	column->ends[row + 1] = (uint32_t) (used + size);
}

static void
put_value(Column *column, PhArrowType type, uint32_t row, const char *text)
{
	bool absent = text == NULL;

	if (column->ends != NULL)
		put_text(column, row, absent ? "" : text);
	else if (type == PH_ARROW_BOOL)
		column->bools[row] = !absent && *text == 't';
	else if (type == PH_ARROW_INT32)
		column->ints[row] = absent ? 0 : (int32_t) strtol(text, NULL, 10);
	else if (type == PH_ARROW_INT64)
		column->bigints[row] = absent ? 0 : (int64_t) strtoll(text, NULL, 10);
	else if (type == PH_ARROW_DOUBLE)
		column->numbers[row] = absent ? 0 : strtod(text, NULL);
	else
	{
		column->bigints[row] = 0;
		absent = absent || !parse_time(text, &column->bigints[row]);
	}
	column->is_absent[row] = absent;
	column->has_absent = column->has_absent || absent;
}

static void
flush(ArrowRows *rows)
{
	PhArrowValues *values = ph_must_alloc(rows->n_columns + 1, sizeof(*values));

	for (size_t i = 0; i < rows->n_columns; i++)
	{
		Column *column = &rows->values[i];

		values[i] = (PhArrowValues){.values = column->ends		? (const void *) column->text
											  : column->bools	? (const void *) column->bools
											  : column->ints	? (const void *) column->ints
											  : column->bigints ? (const void *) column->bigints
																: (const void *) column->numbers,
									.ends = column->ends,
									.is_absent = column->has_absent ? column->is_absent : NULL};
		column->has_absent = false;
	}
	ph_arrow_put(&rows->writer, values, rows->n);
	free(values);
	rows->n = 0;
}

static bool
put_arrow_row(void *user, const PhResult *row)
{
	ArrowRows *rows = user;
	bool is_full = rows->n + 1 == BATCH_ROWS;

	for (size_t i = 0; i < rows->n_columns; i++)
	{
		Column *column = &rows->values[i];

		put_value(column, rows->columns[i].type, rows->n, ph_result_text(row, 0, i));
		is_full = is_full || (column->ends != NULL && column->ends[rows->n + 1] > BATCH_TEXT);
	}
	rows->n++;
	if (is_full)
		flush(rows);
	return !ferror(rows->out);
}

static bool
write_arrow(ArrowRows *rows, PhConnection *connection, const char *sql, const PhParam *params,
			int n_params)
{
	bool ok;

	ph_arrow_begin(&rows->writer, rows->out, rows->columns, rows->n_columns);
	ok = ph_pq_stream(connection, sql, params, n_params, put_arrow_row, rows);
	if (rows->n > 0)
		flush(rows);
	ph_arrow_end(&rows->writer);
	return ok;
}

bool
ph_export_rows_arrow(FILE *out, PhConnection *connection, const char *sql, const PhParam *params,
					 int n_params)
{
	PhResult *described = ph_pq_columns(connection, sql, params, n_params);
	ArrowRows rows = {.out = out};
	bool ok;

	if (described == NULL)
		return false;
	rows.n_columns = ph_result_n_fields(described);
	rows.columns = ph_must_alloc(rows.n_columns + 1, sizeof(*rows.columns));
	rows.values = ph_must_alloc(rows.n_columns + 1, sizeof(*rows.values));
	for (size_t i = 0; i < rows.n_columns; i++)
	{
		rows.columns[i] = (PhArrowColumn){.name = ph_result_field_name(described, i),
										  .type = type_of(ph_result_type(described, i))};
		rows.values[i] = (Column){0};
		make_column(&rows.values[i], rows.columns[i].type);
	}
	ok = write_arrow(&rows, connection, sql, params, n_params);
	for (size_t i = 0; i < rows.n_columns; i++)
		free_column(&rows.values[i]);
	free(rows.values);
	free(rows.columns);
	ph_result_free(described);
	return ok;
}
