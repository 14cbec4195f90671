/*
 * reading.c - see reading.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/harness/reading.h"

#include <string.h>

const char *
ph_harness_known(const PhKnownKey *keys, const char *theirs)
{
	for (size_t i = 0; keys[i].theirs != NULL; i++)
		if (strcmp(keys[i].theirs, theirs) == 0)
			return keys[i].ours;
	return NULL;
}

PhStatus
ph_harness_text(PhHarnessReading *in, const PhJsonText *text, char **out)
{
	return ph_json_unescape(&in->json, in->records.arena, text, out);
}

PhStatus
ph_harness_scalar(PhHarnessReading *in, PhSlice *out)
{
	char next = ph_json_peek(&in->json);
	char *text;
	bool is_number;

	*out = (PhSlice){"", 0};
	if (next == '{' || next == '[')
		return ph_json_skip(&in->json);
	PH_TRY(ph_json_scalar(&in->json, in->records.arena, &text, &is_number));
	if (text != NULL)
		*out = (PhSlice){text, strlen(text)};
	return PH_OK;
}

/* ---- tables ---- */

/* Cuts the first field off; quotes around it are removed, two within stand for one. */
static PhStatus
take_quoted(PhHarnessTable *table, PhSlice *line, PhSlice *out, bool *is_broken)
{
	size_t n = 0;
	char *text;

	PH_TRY(ph_arena_strndup(table->arena, line->text, line->size, &text));
	*line = ph_slice_behind(*line, 1);
	while (line->size > 0 && (line->text[0] != '"' || (line->size > 1 && line->text[1] == '"')))
	{
		text[n++] = line->text[0];
		*line = ph_slice_behind(*line, line->text[0] == '"' ? 2 : 1);
	}
	*is_broken = line->size == 0 || (line->size > 1 && line->text[1] != table->separator);
	if (!*is_broken)
		*line = ph_slice_behind(*line, 1);
	text[n] = '\0';
	*out = (PhSlice){text, n};
	return PH_OK;
}

static PhStatus
take_field(PhHarnessTable *table, PhSlice *line, PhSlice *out, bool *is_broken)
{
	const char *end;
	size_t n;

	*is_broken = false;
	if (table->separator == ',' && ph_slice_begins(*line, "\""))
		return take_quoted(table, line, out, is_broken);
	end = line->size > 0 ? memchr(line->text, table->separator, line->size) : NULL;
	n = end != NULL ? (size_t) (end - line->text) : line->size;
	*out = ph_slice_trim(ph_slice_first(*line, n));
	*line = ph_slice_behind(*line, n);
	return PH_OK;
}

static PhStatus
fail(const PhHarnessTable *table, const PhInput *input, PhStatus status, const char *what,
	 uint32_t n)
{
	return ph_fail(table->arena->env, status, "%s:%llu: %s %u", input->path,
				   (unsigned long long) table->line, what, (unsigned) n);
}

static PhStatus
split(PhHarnessTable *table, const PhInput *input, PhSlice line, uint32_t *n)
{
	bool is_broken;

	for (*n = 0; *n < PH_HARNESS_COLUMNS;)
	{
		PH_TRY(take_field(table, &line, &table->fields[*n], &is_broken));
		if (is_broken)
			return fail(table, input, PH_ERR_FORMAT, "quotes do not end with field", *n + 1);
		++*n;
		if (line.size == 0)
			return PH_OK;
		line = ph_slice_behind(line, 1);
	}
	return fail(table, input, PH_ERR_LIMIT, "more columns than", PH_HARNESS_COLUMNS);
}

static PhStatus
take_columns(PhHarnessTable *table, uint32_t n)
{
	char *name;

	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_arena_strndup(table->arena, table->fields[i].text, table->fields[i].size, &name));
		table->columns[i] = name;
	}
	table->n_columns = n;
	return PH_OK;
}

/* A separator at the end of all lines but the first is none. */
static PhStatus
take_line(PhHarnessTable *table, const PhInput *input, uint32_t n, PhStatus (*take)(void *reader),
		  void *reader)
{
	if (n == table->n_columns || (n == table->n_columns + 1 && table->fields[n - 1].size == 0))
		return take(reader);
	if (!table->may_skip)
		return fail(table, input, PH_ERR_FORMAT, "not as many fields as the first line:", n);
	table->n_skipped++;
	return PH_OK;
}

PhStatus
ph_harness_lines(PhHarnessTable *table, PhInput *input, PhStatus (*take)(void *reader),
				 void *reader)
{
	const char *text = (const char *) input->data;
	size_t at = 0;
	uint32_t n;

	if (!ph_utf8_valid(text, input->size))
		return ph_fail(table->arena->env, PH_ERR_FORMAT, "%s: not text", input->path);
	while (at < input->size)
	{
		const char *end = memchr(text + at, '\n', input->size - at);
		size_t length = end != NULL ? (size_t) (end - text) - at : input->size - at;
		PhSlice line = ph_slice_trim((PhSlice){text + at, length});

		at += length + 1;
		table->line++;
		PH_TRY(ph_env_poll(table->arena->env));
		if (line.size == 0)
			continue;
		PH_TRY(split(table, input, line, &n));
		if (table->n_columns == 0)
			PH_TRY(take_columns(table, n));
		else
			PH_TRY(take_line(table, input, n, take, reader));
	}
	return PH_OK;
}

PhSlice
ph_harness_field(const PhHarnessTable *table, const char *column)
{
	for (uint32_t i = 0; i < table->n_columns; i++)
		if (strcmp(table->columns[i], column) == 0)
			return table->fields[i];
	return (PhSlice){"", 0};
}
