/*
 * csv.c - the tables of the oracles.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/csv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

char *
read_text(const char *path, size_t *size)
{
	gzFile file = gzopen(path, "rb");
	size_t length = 0, room = 1 << 16;
	int got = 1;
	if (file == NULL)
		return NULL;
	char *text = malloc(room + 1);
	while (got > 0)
	{
		if (room - length < 1 << 15)
			text = realloc(text, (room *= 2) + 1);
		got = gzread(file, text + length, 1 << 15);
		length += got > 0 ? (size_t) got : 0;
	}
	text[length] = '\0';
	gzclose(file);
	if (size != NULL)
		*size = length;
	return text;
}

/* Cut one cell off *at in place; *last tells that the row ends after it. */
static char *
take_cell(char **at, bool *last)
{
	char *in = *at;
	char *out = in;
	char *cell = in;
	bool quoted = *in == '"';
	in += quoted;
	for (; *in != '\0'; in++)
	{
		if (quoted && in[0] == '"' && in[1] != '"')
			quoted = false;
		else if (!quoted && (*in == ',' || *in == '\n'))
			break;
		else if (*in != '\r')
		{
			in += quoted && in[0] == '"';
			*out++ = *in;
		}
	}
	*last = *in != ',';
	*at = *in != '\0' ? in + 1 : in;
	*out = '\0';
	return cell;
}

Csv
csv_read(const char *path)
{
	Csv csv = {.text = read_text(path, NULL)};
	if (csv.text == NULL)
		return csv;
	size_t n = 0;
	size_t capacity = 0;
	size_t n_rows = 0;
	for (char *at = csv.text; *at != '\0';)
	{
		bool last;
		if (n == capacity)
			csv.cells = realloc(csv.cells, (capacity = capacity * 2 + 64) * sizeof(char *));
		csv.cells[n++] = take_cell(&at, &last);
		n_rows += last;
		if (n_rows == 1 && last)
			csv.n_columns = n;
	}
	csv.n_rows = n_rows - 1;
	return csv;
}

void
csv_free(Csv *csv)
{
	free(csv->cells);
	free(csv->text);
}

size_t
csv_column(const Csv *csv, const char *name)
{
	for (size_t i = 0; i < csv->n_columns; i++)
		if (strcmp(csv->cells[i], name) == 0)
			return i;
	return SIZE_MAX;
}

const char *
csv_cell(const Csv *csv, size_t row, size_t column)
{
	return csv->cells[(row + 1) * csv->n_columns + column];
}

char *
path_text(const PhProfile *profile, uint32_t node)
{
	char *text = NULL;
	for (uint32_t at = node; at != PH_NONE; at = profile->parent[at])
	{
		char *longer;
		const char *name = ph_profile_node_name(profile, at);
		if (asprintf(&longer, "\"%s\"%s%s", name, text != NULL ? ", " : "",
					 text != NULL ? text : "") < 0)
			abort();
		free(text);
		text = longer;
	}
	char *whole;
	if (asprintf(&whole, "[%s]", text) < 0)
		abort();
	free(text);
	return whole;
}

char *
path_without_lines(const char *path)
{
	char *copy = strdup(path);
	char *out = copy;
	for (const char *in = path; *in != '\0';)
	{
		*out++ = *in++;
		if (in[-1] != '"')
			continue;
		const char *digits = in;
		while (isdigit((unsigned char) *digits))
			digits++;
		if (digits > in && *digits == ':')
			in = digits + 1;
	}
	*out = '\0';
	return copy;
}

PhStatus
read_path(PhEnv *env, const char *path, PhRunInput *run)
{
	PhExperiment *list;
	size_t n;
	PhUnreadList unread;
	PhReadOptions options = {0};
	PhArena arena;
	ph_arena_init(&arena, env);
	PhStatus status = ph_source_expand(&arena, path, NULL, &list, &n, &unread);
	if (status == PH_OK)
		status = ph_experiment_read(env, &list[0], &options, run);
	ph_arena_drop(&arena);
	return status;
}
