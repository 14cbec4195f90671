/*
 * row_json.h - rows as the body of an answer: {"section":[row,...],...}, a row a line.
 *
 * Queries of /api and of views answer alike: a section's name and a row of it as JSON, which the
 * database makes of the row's columns, their names and types. Rows of the section that is open are
 * written as they come. Several processes of the database may make the sections of an answer, and
 * their rows come mixed: those of other sections are kept, and follow at the end.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVE_ROW_JSON_H
#define PH_SERVE_ROW_JSON_H

#include "cli/json_out.h"
#include "system/text_stream.h"

#define PH_ROW_SECTION_SIZE 64

/* Rows that wait for the end. It stays where it is: its stream writes into it. */
typedef struct PhRowSection
{
	struct PhRowSection *next;
	char name[PH_ROW_SECTION_SIZE];
	PhTextStream stream;
	PhJsonOut json;
} PhRowSection;

typedef struct PhRowJson
{
	PhTextStream stream;
	PhJsonOut json;
	char section[PH_ROW_SECTION_SIZE]; /* that is open; "": none */
	PhRowSection *others;			   /* in the order of their first rows */
	bool has_failed;				   /* out of memory */
} PhRowJson;

/* False: out of memory; there is nothing to close then. */
bool ph_row_json_begin(PhRowJson *rows);

/* Opens it: rows of it follow, or none. It stays open when it is open already. */
void ph_row_json_section(PhRowJson *rows, const char *section);

/* The first row opens its section where none is open. */
void ph_row_json_add(PhRowJson *rows, const char *section, const char *row);

size_t ph_row_json_bytes(const PhRowJson *rows);

/* No more rows; the stream can be taken. To be called once, whatever failed: false, then. */
bool ph_row_json_end(PhRowJson *rows);

#endif
