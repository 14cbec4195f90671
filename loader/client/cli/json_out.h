/*
 * json_out.h - small helpers over json-c for what the programs print.
 *
 * Members keep the order in which they were added. Setters take over nothing: strings are copied.
 * Running out of memory ends the program with PH_EXIT_MEMORY.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_JSON_OUT_H
#define PH_CLI_JSON_OUT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json_object PhJson;

PhJson *ph_json_object(void);
PhJson *ph_json_array(void);
void ph_json_free(PhJson *json);

/* text NULL is null. Bytes that are not UTF-8 become U+FFFD. */
void ph_json_set_text(PhJson *object, const char *key, const char *text);
void ph_json_set_integer(PhJson *object, const char *key, int64_t value);
void ph_json_set_bool(PhJson *object, const char *key, bool value);
/* NaN and infinities become null; shortest digits that read back as the same number. */
void ph_json_set_number(PhJson *object, const char *key, double value);
void ph_json_set_null(PhJson *object, const char *key);
/* Takes over the value. */
void ph_json_set(PhJson *object, const char *key, PhJson *value);
/* Parses JSON text (from the database); text that does not parse is set as a string. */
void ph_json_set_raw(PhJson *object, const char *key, const char *json_text);

void ph_json_add(PhJson *array, PhJson *value); /* takes over */
void ph_json_add_text(PhJson *array, const char *text);

/* One line, no spaces, with a newline; frees the value. */
void ph_json_print_line(FILE *stream, PhJson *json);

#endif
