/*
 * json_out.h - a writer of JSON: all that the programs print, send or store as JSON goes through
 * it.
 *
 * Values are written as they are given, nothing is kept of them, and nothing is allocated. The
 * writer places commas and closing brackets and quotes texts. What would be no JSON makes it fail
 * for good: nesting deeper than PH_JSON_MOST_DEPTH, a member without a key, a key outside an
 * object, a second value at the top, more or less closed than was opened. ph_json_done() tells,
 * and whether the stream took everything.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_JSON_OUT_H
#define PH_CLI_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PH_JSON_MOST_DEPTH 16

typedef struct PhJsonOut
{
	FILE *stream;
	size_t depth;						/* of objects and arrays that are open */
	bool is_object[PH_JSON_MOST_DEPTH]; /* each of them */
	bool is_begun;						/* the innermost, or the top, has a value already */
	bool wants_line;					/* before what comes next */
	bool hides_markup;					/* <, > and & are escaped, so that it is safe within HTML */
	bool has_failed;
} PhJsonOut;

void ph_json_begin(PhJsonOut *json, FILE *stream);

/* Everywhere below, key is the member's name in an object, NULL in an array and at the top. */
void ph_json_open_object(PhJsonOut *json, const char *key);
void ph_json_open_array(PhJsonOut *json, const char *key);
void ph_json_close(PhJsonOut *json); /* the innermost */

/* Text NULL is null. Bytes that are not UTF-8 become U+FFFD. */
void ph_json_put_text(PhJsonOut *json, const char *key, const char *text);
void ph_json_put_integer(PhJsonOut *json, const char *key, int64_t value);
void ph_json_put_bool(PhJsonOut *json, const char *key, bool value);
/* NaN and infinities become null; the fewest digits that read back as the same number. */
void ph_json_put_number(PhJsonOut *json, const char *key, double value);
void ph_json_put_null(PhJsonOut *json, const char *key);
/* JSON as the database wrote it; NULL is null. */
void ph_json_put_raw(PhJsonOut *json, const char *key, const char *text);

/* What comes next begins a line: in long arrays, for readers of lines. */
void ph_json_new_line(PhJsonOut *json);

/* Is everything closed, and was it written? The second adds a newline. */
bool ph_json_done(PhJsonOut *json);
bool ph_json_done_line(PhJsonOut *json);

#endif
