/*
 * options.c - the options that a command takes, its own and those of all; the nearest of some
 * names.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "cli/internal.h"

#define MAX_WORD 64

const PhParameter ph_cli_common_options[] = {
	{.name = "quiet", .letter = 'q', .help = "only warnings and errors"},
	{.name = "verbose", .letter = 'v', .help = "also what is done in detail"},
	{.name = "help", .letter = 'h', .help = "this text"},
	{.name = "version", .help = "version of the program"},
	{0},
};

const PhParameter ph_cli_database_options[] = {
	{.name = "db",
	 .letter = 'd',
	 .type = PH_PARAMETER_TEXT,
	 .value = "CONNINFO",
	 .environment = "PERFHOUSE_DB",
	 .help = "database (conninfo or URI); default: PG* variables, else the embedded server"},
	{0},
};

size_t
ph_cli_option_tables(const PhCommand *command, const PhParameter *tables[PH_MOST_TABLES])
{
	size_t n = 0;

	if (command->options != NULL)
		tables[n++] = command->options;
	if (command->uses_database)
		tables[n++] = ph_cli_database_options;
	tables[n++] = ph_cli_common_options;
	return n;
}

static size_t
smallest_of(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Edit distance (insert, delete, replace); words longer than MAX_WORD are far from everything. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[MAX_WORD + 1];
	size_t length_a = strlen(a);
	size_t length_b = strlen(b);

	if (length_a > MAX_WORD || length_b > MAX_WORD)
		return MAX_WORD;
	for (size_t j = 0; j <= length_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= length_a; i++)
	{
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length_b; j++)
		{
			size_t above = row[j];

			row[j] = smallest_of(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[length_b];
}

const char *
ph_cli_nearest(const char *word, const char *const *names, size_t n)
{
	size_t nearest = strlen(word) / 3 + 2; /* farther is no typing error */
	const char *found = NULL;

	for (size_t i = 0; i < n; i++)
	{
		size_t far = distance(word, names[i]);

		if (far < nearest)
		{
			nearest = far;
			found = names[i];
		}
	}
	return found;
}
