/*
 * row_json.c - rows as the body of an answer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/row_json.h"

#include <stdlib.h>
#include <string.h>

bool
ph_row_json_begin(PhRowJson *rows)
{
	*rows = (PhRowJson){.others = NULL};
	if (!ph_text_stream_open(&rows->stream))
		return false;
	ph_json_begin(&rows->json, rows->stream.file);
	rows->json.hides_markup = true;
	ph_json_open_object(&rows->json, NULL);
	return true;
}

static void
close_array(PhJsonOut *json)
{
	ph_json_new_line(json);
	ph_json_close(json);
}

void
ph_row_json_section(PhRowJson *rows, const char *section)
{
	if (strcmp(rows->section, section) == 0)
		return;
	if (rows->section[0] != '\0')
		close_array(&rows->json);
	snprintf(rows->section, sizeof(rows->section), "%s", section);
	ph_json_open_array(&rows->json, section);
}

/* ---- rows that wait ------------------------------------------------------------------------- */

/* At the end of the list; NULL: out of memory. */
static PhRowSection *
begin_other(PhRowSection **end, const char *section)
{
	PhRowSection *other = calloc(1, sizeof(*other));

	if (other == NULL || !ph_text_stream_open(&other->stream))
	{
		free(other);
		return NULL;
	}
	snprintf(other->name, sizeof(other->name), "%s", section);
	ph_json_begin(&other->json, other->stream.file);
	other->json.hides_markup = true;
	ph_json_open_array(&other->json, NULL);
	*end = other;
	return other;
}

static PhRowSection *
other_section(PhRowJson *rows, const char *section)
{
	PhRowSection **at = &rows->others;

	while (*at != NULL && strcmp((*at)->name, section) != 0)
		at = &(*at)->next;
	return *at != NULL ? *at : begin_other(at, section);
}

/* Writes it behind the others, and frees it. */
static void
append_other(PhRowJson *rows, PhRowSection *other)
{
	char *text;

	close_array(&other->json);
	text = ph_text_stream_take(&other->stream, NULL);
	if (text != NULL && !rows->has_failed)
		ph_json_put_raw(&rows->json, other->name, text);
	else
		rows->has_failed = true;
	free(text);
	free(other);
}

/* --------------------------------------------------------------------------------------------- */

void
ph_row_json_add(PhRowJson *rows, const char *section, const char *row)
{
	PhJsonOut *json = &rows->json;

	if (rows->section[0] == '\0')
		ph_row_json_section(rows, section);
	if (strcmp(rows->section, section) != 0)
	{
		PhRowSection *other = other_section(rows, section);

		rows->has_failed = rows->has_failed || other == NULL;
		if (other == NULL)
			return;
		json = &other->json;
	}
	ph_json_new_line(json);
	ph_json_put_raw(json, NULL, row);
}

static size_t
bytes_of(const PhTextStream *stream)
{
	long at = ftell(stream->file);

	return at > 0 ? (size_t) at : 0;
}

size_t
ph_row_json_bytes(const PhRowJson *rows)
{
	size_t bytes = bytes_of(&rows->stream);

	for (const PhRowSection *other = rows->others; other != NULL; other = other->next)
		bytes += bytes_of(&other->stream);
	return bytes;
}

bool
ph_row_json_end(PhRowJson *rows)
{
	if (rows->section[0] != '\0')
		close_array(&rows->json);
	while (rows->others != NULL)
	{
		PhRowSection *other = rows->others;

		rows->others = other->next;
		append_other(rows, other);
	}
	ph_json_close(&rows->json);
	return ph_json_done_line(&rows->json) && !rows->has_failed;
}
