/*
 * rows.h - the rows a picture is made from: named tables of text cells.
 *
 * A view's query returns two columns: the name of a section and a row of it as a JSON object. The
 * same lines, "section<TAB>object", saved in a file draw the same picture without a database.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_ROWS_H
#define PH_REQUEST_ROWS_H

#include <stdio.h>

#include "base/arena.h"

typedef struct PhTable
{
	const char *name;
	uint32_t n_columns;
	const char **columns;
	uint32_t n_rows;
	const char **cells; /* n_rows x n_columns; NULL: null */
	size_t cell_capacity;
	const char **objects; /* the rows as they came, when they are kept */
	size_t object_capacity;
} PhTable;

typedef struct PhViewRows
{
	PhArena *arena;
	uint32_t n_tables;
	PhTable *tables;
	size_t capacity;
	bool keep_objects;
} PhViewRows;

void ph_rows_init(PhViewRows *rows, PhArena *arena);

/* Adds a row given as a JSON object; false when the text is no object. The first row of a section
 * sets its columns; later ones may have them in any order. */
bool ph_rows_add(PhViewRows *rows, const char *section, const char *json);

/* Reads or writes the lines of a rows file; only rows whose objects were kept can be written.
 * *line: the bad line, from 1. */
bool ph_rows_read(PhViewRows *rows, FILE *file, uint32_t *line);
bool ph_rows_write(const PhViewRows *rows, FILE *file);

/* NULL when no row of the section came. */
const PhTable *ph_rows_table(const PhViewRows *rows, const char *section);
/* Rows of a section, 0 when it is missing. */
uint32_t ph_rows_count(const PhTable *table);

/* NULL for null, a missing column or a NULL table. */
const char *ph_table_text(const PhTable *table, uint32_t row, const char *column);
/* NaN for null and what is no number. */
double ph_table_number(const PhTable *table, uint32_t row, const char *column);
bool ph_table_true(const PhTable *table, uint32_t row, const char *column);
/* A JSON array of numbers, or a number; nulls are NaN. */
double *ph_table_numbers(PhArena *arena, const PhTable *table, uint32_t row, const char *column,
						 uint32_t *n);
/* A JSON array of texts, or one; nulls are NULL. */
const char **ph_table_texts(PhArena *arena, const PhTable *table, uint32_t row, const char *column,
							uint32_t *n);

/* The first n values of such a column; NaN or NULL where it has fewer. */
const double *ph_table_number_column(PhArena *arena, const PhTable *table, uint32_t row,
									 const char *column, uint32_t n);
const char **ph_table_text_column(PhArena *arena, const PhTable *table, uint32_t row,
								  const char *column, uint32_t n);

#endif
