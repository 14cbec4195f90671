/*
 * json_text.h - values of a query's rows as JSON.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_JSON_TEXT_H
#define PH_JSON_TEXT_H

#include <stdio.h>

/* A quoted string; also safe inside <script>: <, >, & and the line separators of JavaScript are
 * escaped. Bytes that are not UTF-8 become U+FFFD. */
void ph_json_write_text(FILE *file, const char *text);

/* A value in PostgreSQL's text form, NULL: null. type: its OID. Numbers go out bare (NaN and
 * infinities as null), booleans as such, json as it is, one-dimensional arrays of these as arrays,
 * everything else as a string. */
void ph_json_write_value(FILE *file, unsigned type, const char *text);

#endif
