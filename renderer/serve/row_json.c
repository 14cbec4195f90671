/*
 * row_json.c - rows as the body of an answer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/row_json.h"

#include <string.h>

bool
ph_row_json_begin(PhRowJson *rows)
{
	*rows = (PhRowJson){.n_rows = 0};
	if (!ph_text_stream_open(&rows->stream))
		return false;
	ph_json_begin(&rows->json, rows->stream.file);
	rows->json.hides_markup = true;
	ph_json_open_object(&rows->json, NULL);
	return true;
}

static void
close_section(PhRowJson *rows)
{
	if (rows->section[0] == '\0')
		return;
	ph_json_new_line(&rows->json);
	ph_json_close(&rows->json);
}

void
ph_row_json_section(PhRowJson *rows, const char *section)
{
	if (strcmp(rows->section, section) == 0)
		return;
	close_section(rows);
	snprintf(rows->section, sizeof(rows->section), "%s", section);
	rows->n_rows = 0;
	ph_json_open_array(&rows->json, section);
}

void
ph_row_json_add(PhRowJson *rows, const char *section, const char *row)
{
	ph_row_json_section(rows, section);
	ph_json_new_line(&rows->json);
	ph_json_put_raw(&rows->json, NULL, row);
	rows->n_rows++;
}

size_t
ph_row_json_bytes(const PhRowJson *rows)
{
	long at = ftell(rows->stream.file);

	return at > 0 ? (size_t) at : 0;
}

bool
ph_row_json_end(PhRowJson *rows)
{
	close_section(rows);
	ph_json_close(&rows->json);
	return ph_json_done_line(&rows->json);
}
