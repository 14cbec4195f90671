/*
 * print_rows.c - rows of a query as a table for people or as JSON lines.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/print_rows.h"

#include <stdio.h>
#include <string.h>

#include "cli/text_table.h"

static bool
is_count(const char *field)
{
	return strcmp(field, "id") == 0 || strncmp(field, "n_", 2) == 0;
}

void
ph_print_rows(const PhResult *rows, const char *const *fields, size_t n_fields, bool json)
{
	PhTextTable *table = ph_table_new();

	for (size_t i = 0; i < n_fields; i++)
		ph_table_column(table, fields[i], is_count(fields[i]) ? PH_ALIGN_RIGHT : PH_ALIGN_LEFT, 0);
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		if (json)
			puts(ph_result_text(rows, row, ph_result_field(rows, "json")));
		for (size_t i = 0; i < n_fields; i++)
			ph_table_cell(table, ph_result_text(rows, row, ph_result_field(rows, fields[i])));
	}
	if (!json)
		ph_table_print(table, stdout, 0);
	ph_table_free(table);
}
