/*
 * text_table.h - aligned tables for terminals; widths count characters of UTF-8 as terminals show
 * them.
 *
 * Control characters in cells are shown as spaces, so data cannot steer the terminal. Running out
 * of memory ends the program with PH_EXIT_MEMORY.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_TEXT_TABLE_H
#define PH_CLI_TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

typedef enum PhAlign
{
	PH_ALIGN_LEFT,
	PH_ALIGN_RIGHT
} PhAlign;

typedef struct PhTextTable PhTextTable;

PhTextTable *ph_table_new(void);
void ph_table_free(PhTextTable *table);

/* All columns before the first cell. max_width 0: as wide as it gets; else cut with an ellipsis. */
void ph_table_column(PhTextTable *table, const char *title, PhAlign align, size_t max_width);

/* Cells fill rows from left to right. NULL shows as an empty cell. */
void ph_table_cell(PhTextTable *table, const char *text);
void ph_table_cellf(PhTextTable *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Header, rule, rows; two spaces between columns, no blanks at line ends. indent: spaces before. */
void ph_table_print(const PhTextTable *table, FILE *stream, size_t indent);

/* Columns that a terminal needs for text; bytes that are not UTF-8 count one each. */
size_t ph_text_width(const char *text);

#endif
