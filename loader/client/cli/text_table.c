/*
 * text_table.c - aligned tables for terminals.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/text_table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "system/memory.h"
#include "system/utf8_text.h"

typedef struct Column
{
	char *title;
	PhAlign align;
	size_t max_width;
} Column;

struct PhTextTable
{
	Column *columns;
	size_t n_columns;
	char **cells; /* row by row */
	size_t n_cells;
	size_t capacity;
};

PhTextTable *
ph_table_new(void)
{
	return ph_must_alloc(1, sizeof(PhTextTable));
}

void
ph_table_free(PhTextTable *table)
{
	if (table == NULL)
		return;
	for (size_t i = 0; i < table->n_columns; i++)
		free(table->columns[i].title);
	for (size_t i = 0; i < table->n_cells; i++)
		free(table->cells[i]);
	free(table->columns);
	free(table->cells);
	free(table);
}

void
ph_table_column(PhTextTable *table, const char *title, PhAlign align, size_t max_width)
{
	table->columns = ph_must_resize(table->columns, table->n_columns + 1, sizeof(Column));
	table->columns[table->n_columns++] = (Column){ph_text_line(title), align, max_width};
}

/* Shorten to width columns; the last of them is an ellipsis. */
static void
cut(char *text, size_t width)
{
	const char *at = text;
	size_t used = 0;

	while (*at != '\0')
	{
		const char *next = at;
		size_t more = ph_utf8_width(ph_utf8_next(&next));

		if (used + more > width - 1)
			break;
		used += more;
		at = next;
	}
	/* what is cut off is at least as long as the ellipsis, or is replaced by dots that fit */
	if (strlen(at) >= 3)
		memcpy(text + (at - text), "…", sizeof("…"));
	else
		memcpy(text + (at - text), ".", 2);
}

void
ph_table_cell(PhTextTable *table, const char *text)
{
	size_t max_width = table->columns[table->n_cells % table->n_columns].max_width;
	char *copy = ph_text_line(text);

	if (max_width > 0 && ph_text_width(copy) > max_width)
		cut(copy, max_width);
	if (table->n_cells == table->capacity)
	{
		table->capacity = table->capacity > 0 ? 2 * table->capacity : 64;
		table->cells = ph_must_resize(table->cells, table->capacity, sizeof(char *));
	}
	table->cells[table->n_cells++] = copy;
}

void
ph_table_cellf(PhTextTable *table, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = ph_format_list(format, arguments);
	va_end(arguments);
	ph_table_cell(table, text);
	free(text);
}

static size_t
table_n_rows(const PhTextTable *table)
{
	return table->n_columns == 0 ? 0 : table->n_cells / table->n_columns;
}

static size_t
column_width(const PhTextTable *table, size_t column)
{
	size_t width = ph_text_width(table->columns[column].title);

	for (size_t i = column; i < table->n_cells; i += table->n_columns)
		if (ph_text_width(table->cells[i]) > width)
			width = ph_text_width(table->cells[i]);
	return width;
}

static void
print_blanks(FILE *stream, size_t n)
{
	fprintf(stream, "%*s", (int) n, "");
}

static void
print_cell(FILE *stream, const char *text, PhAlign align, size_t width, bool is_last)
{
	size_t blanks = width - ph_text_width(text);

	if (align == PH_ALIGN_RIGHT)
		print_blanks(stream, blanks);
	fputs(text, stream);
	if (align == PH_ALIGN_LEFT && !is_last)
		print_blanks(stream, blanks);
	fputs(is_last ? "\n" : "  ", stream);
}

static void
print_rule(FILE *stream, size_t width, bool is_last)
{
	for (size_t i = 0; i < width; i++)
		fputc('-', stream);
	fputs(is_last ? "\n" : "  ", stream);
}

void
ph_table_print(const PhTextTable *table, FILE *stream, size_t indent)
{
	size_t n = table->n_columns;
	size_t *widths = ph_must_alloc(n, sizeof(size_t));

	for (size_t c = 0; c < n; c++)
		widths[c] = column_width(table, c);
	print_blanks(stream, indent);
	for (size_t c = 0; c < n; c++)
		print_cell(stream, table->columns[c].title, table->columns[c].align, widths[c], c + 1 == n);
	print_blanks(stream, indent);
	for (size_t c = 0; c < n; c++)
		print_rule(stream, widths[c], c + 1 == n);
	for (size_t i = 0; i < n * table_n_rows(table); i++)
	{
		if (i % n == 0)
			print_blanks(stream, indent);
		print_cell(stream, table->cells[i], table->columns[i % n].align, widths[i % n],
				   i % n + 1 == n);
	}
	free(widths);
}

size_t
ph_text_width(const char *text)
{
	size_t width = 0;

	while (*text != '\0')
		width += ph_utf8_width(ph_utf8_next(&text));
	return width;
}
