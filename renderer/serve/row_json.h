/*
 * row_json.h - rows as the body of an answer: {"section":[row,...],...}, a row a line.
 *
 * Queries of /api and of views answer alike: a section's name and a row of it as JSON, which the
 * database makes of the row's columns, their names and types. Rows are written as they come.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVE_ROW_JSON_H
#define PH_SERVE_ROW_JSON_H

#include "cli/json_out.h"
#include "system/text_stream.h"

typedef struct PhRowJson
{
	PhTextStream stream;
	PhJsonOut json;
	char section[64]; /* that is open; "": none */
	size_t n_rows;	  /* of it */
} PhRowJson;

/* False: out of memory; there is nothing to close then. */
bool ph_row_json_begin(PhRowJson *rows);

/* Rows of it follow, or none. It stays open when it is open already. */
void ph_row_json_section(PhRowJson *rows, const char *section);

void ph_row_json_add(PhRowJson *rows, const char *section, const char *row);

size_t ph_row_json_bytes(const PhRowJson *rows);

/* No more rows; the stream can be taken. */
bool ph_row_json_end(PhRowJson *rows);

#endif
