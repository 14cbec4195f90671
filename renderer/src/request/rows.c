/*
 * rows.c - the rows a picture is made from: named tables of text cells.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/rows.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/flat_object.h"

#define MAX_COLUMNS 64

/* JSON that is read while the arena grows. */
static void
release_json(void *json)
{
	json_object_put(json);
}

void
ph_rows_init(PhViewRows *rows, PhArena *arena)
{
	memset(rows, 0, sizeof(*rows));
	rows->arena = arena;
}

static PhTable *
find_table(const PhViewRows *rows, const char *name)
{
	for (uint32_t i = 0; i < rows->n_tables; i++)
		if (strcmp(rows->tables[i].name, name) == 0)
			return &rows->tables[i];
	return NULL;
}

static PhTable *
new_table(PhViewRows *rows, const char *name, json_object *object)
{
	PhTable *table;

	rows->tables =
		ph_need_room(rows->arena, rows->tables, rows->n_tables, &rows->capacity, sizeof(PhTable));
	table = &rows->tables[rows->n_tables++];
	memset(table, 0, sizeof(*table));
	table->name = ph_need_copy(rows->arena, name);
	table->columns = ph_need(rows->arena, MAX_COLUMNS, sizeof(char *));
	json_object_object_foreach(object, key, value)
	{
		(void) value;
		if (table->n_columns < MAX_COLUMNS)
			table->columns[table->n_columns++] = ph_need_copy(rows->arena, key);
	}
	return table;
}

/* The cells of a new row. */
static const char **
make_cells(PhViewRows *rows, PhTable *table)
{
	/* room is counted in rows; a row is n_columns pointers */
	table->cells = ph_need_room(rows->arena, table->cells, table->n_rows, &table->cell_capacity,
								sizeof(char *) * (table->n_columns ? table->n_columns : 1));
	return table->cells + (size_t) table->n_rows++ * table->n_columns;
}

static void
add_row(PhViewRows *rows, PhTable *table, json_object *object)
{
	const char **cells = make_cells(rows, table);

	for (uint32_t i = 0; i < table->n_columns; i++)
	{
		json_object *value = NULL;

		cells[i] = NULL;
		if (json_object_object_get_ex(object, table->columns[i], &value) && value != NULL)
		{
			const char *text = json_object_get_string(value);

			ph_need_memory(text != NULL);
			cells[i] = ph_need_copy(rows->arena, text);
		}
	}
}

static bool
is_key(const PhFlatPair *pair, const char *column)
{
	return strncmp(column, pair->key, pair->key_length) == 0 && column[pair->key_length] == '\0';
}

/* Rows of a section have their columns in one order, nearly always. */
static const PhFlatPair *
find_pair(const PhFlatPair *pairs, size_t n, size_t guess, const char *column)
{
	if (guess < n && is_key(&pairs[guess], column))
		return &pairs[guess];
	for (size_t i = n; i-- > 0;) /* of equal keys the last counts */
		if (is_key(&pairs[i], column))
			return &pairs[i];
	return NULL;
}

static void
add_pairs(PhViewRows *rows, PhTable *table, const PhFlatPair *pairs, size_t n)
{
	const char **cells = make_cells(rows, table);

	for (uint32_t i = 0; i < table->n_columns; i++)
	{
		const PhFlatPair *pair = find_pair(pairs, n, i, table->columns[i]);
		char *copy = NULL;

		if (pair != NULL && pair->value != NULL)
			ph_need_ok(rows->arena,
					   ph_arena_strndup(rows->arena, pair->value, pair->length, &copy));
		cells[i] = copy;
	}
}

/* Before the row is added. */
static void
keep_object(PhViewRows *rows, PhTable *table, const char *json)
{
	table->objects = ph_need_room(rows->arena, table->objects, table->n_rows,
								  &table->object_capacity, sizeof(char *));
	table->objects[table->n_rows] = ph_need_copy(rows->arena, json);
}

/* A row of plain values, of a section that has some. False: it is not such a one. */
static bool
add_plain(PhViewRows *rows, PhTable *table, const char *json)
{
	PhFlatPair pairs[MAX_COLUMNS];
	size_t n;

	if (table == NULL || !ph_flat_object(json, pairs, MAX_COLUMNS, &n))
		return false;
	if (rows->keep_objects)
		keep_object(rows, table, json);
	add_pairs(rows, table, pairs, n);
	return true;
}

bool
ph_rows_add(PhViewRows *rows, const char *section, const char *json)
{
	PhTable *table = find_table(rows, section);
	json_object *object;

	if (add_plain(rows, table, json))
		return true;
	object = json_tokener_parse(json);
	if (object == NULL || !json_object_is_type(object, json_type_object))
	{
		json_object_put(object);
		return false;
	}
	ph_need_hold(object, release_json);
	if (table == NULL)
		table = new_table(rows, section, object);
	if (rows->keep_objects)
		keep_object(rows, table, json);
	add_row(rows, table, object);
	ph_need_let_go();
	return true;
}

bool
ph_rows_read(PhViewRows *rows, FILE *file, uint32_t *line)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t length;
	bool ok = true;

	*line = 0;
	while (ok && (length = getline(&text, &size, file)) > 0)
	{
		char *tab = strchr(text, '\t');

		++*line;
		if (text[0] == '#' || text[0] == '\n')
			continue;
		if (tab != NULL)
			*tab = '\0';
		ok = tab != NULL && ph_rows_add(rows, text, tab + 1);
	}
	free(text);
	return ok && !ferror(file);
}

bool
ph_rows_write(const PhViewRows *rows, FILE *file)
{
	for (uint32_t t = 0; t < rows->n_tables; t++)
	{
		const PhTable *table = &rows->tables[t];

		for (uint32_t row = 0; row < table->n_rows; row++)
		{
			fprintf(file, "%s\t", table->name);
			for (const char *c = table->objects[row]; *c != '\0'; c++)
				putc(*c == '\n' ? ' ' : *c, file); /* JSON has newlines between values only */
			putc('\n', file);
		}
	}
	return !ferror(file);
}

const PhTable *
ph_rows_table(const PhViewRows *rows, const char *section)
{
	return find_table(rows, section);
}

uint32_t
ph_rows_count(const PhTable *table)
{
	return table ? table->n_rows : 0;
}

const char *
ph_table_text(const PhTable *table, uint32_t row, const char *column)
{
	if (table == NULL || row >= table->n_rows)
		return NULL;
	for (uint32_t i = 0; i < table->n_columns; i++)
		if (strcmp(table->columns[i], column) == 0)
			return table->cells[(size_t) row * table->n_columns + i];
	return NULL;
}

double
ph_table_number(const PhTable *table, uint32_t row, const char *column)
{
	const char *text = ph_table_text(table, row, column);
	char *end = NULL;
	double value;

	if (text == NULL)
		return NAN;
	value = strtod(text, &end);
	return end != text && *end == '\0' ? value : NAN;
}

bool
ph_table_true(const PhTable *table, uint32_t row, const char *column)
{
	const char *text = ph_table_text(table, row, column);

	return text != NULL && text[0] == 't';
}

/* The JSON array in a cell, held until it is let go of; a single value is an array of one. NULL
 * when there is none. */
static json_object *
cell_array(const PhTable *table, uint32_t row, const char *column, uint32_t *n)
{
	const char *text = ph_table_text(table, row, column);
	json_object *array = text ? json_tokener_parse(text) : NULL;

	if (array != NULL && !json_object_is_type(array, json_type_array))
	{
		json_object *one = array;

		array = json_object_new_array();
		json_object_array_add(array, one);
	}
	*n = 0;
	ph_need_hold(array, release_json);
	if (array == NULL)
		return NULL;
	*n = (uint32_t) json_object_array_length(array);
	return array;
}

double *
ph_table_numbers(PhArena *arena, const PhTable *table, uint32_t row, const char *column,
				 uint32_t *n)
{
	json_object *array = cell_array(table, row, column, n);
	double *values = ph_need(arena, *n, sizeof(double));

	for (uint32_t i = 0; i < *n; i++)
	{
		json_object *value = json_object_array_get_idx(array, i);

		values[i] = value ? json_object_get_double(value) : NAN;
	}
	ph_need_let_go();
	return values;
}

const char **
ph_table_texts(PhArena *arena, const PhTable *table, uint32_t row, const char *column, uint32_t *n)
{
	json_object *array = cell_array(table, row, column, n);
	const char **values = ph_need(arena, *n, sizeof(char *));

	for (uint32_t i = 0; i < *n; i++)
		values[i] =
			ph_need_copy(arena, json_object_get_string(json_object_array_get_idx(array, i)));
	ph_need_let_go();
	return values;
}

const double *
ph_table_number_column(PhArena *arena, const PhTable *table, uint32_t row, const char *column,
					   uint32_t n)
{
	uint32_t length = 0;
	const double *values = ph_table_numbers(arena, table, row, column, &length);
	double *all;

	if (length >= n && n > 0)
		return values;
	all = ph_need(arena, n > 0 ? n : 1, sizeof(*all));
	for (uint32_t i = 0; i < n; i++)
		all[i] = i < length ? values[i] : NAN;
	return all;
}

const char **
ph_table_text_column(PhArena *arena, const PhTable *table, uint32_t row, const char *column,
					 uint32_t n)
{
	uint32_t length = 0;
	const char **values = ph_table_texts(arena, table, row, column, &length);
	const char **all;

	if (length >= n && n > 0)
		return values;
	all = ph_need(arena, n > 0 ? n : 1, sizeof(*all));
	for (uint32_t i = 0; i < length && i < n; i++)
		all[i] = values[i];
	return all;
}
