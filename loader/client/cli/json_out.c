/*
 * json_out.c - small helpers over json-c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/exit_codes.h"
#include "system/memory.h"
#include "system/utf8_text.h"

static PhJson *
checked(PhJson *json)
{
	if (json == NULL)
	{
		fputs("perfhouse: error: out of memory\n", stderr);
		exit(PH_EXIT_MEMORY);
	}
	return json;
}

static PhJson *
new_text(const char *text)
{
	char *valid;
	PhJson *json;

	if (text == NULL)
		return NULL;
	valid = ph_text_valid(text);
	json = checked(json_object_new_string(valid));
	free(valid);
	return json;
}

PhJson *
ph_json_object(void)
{
	return checked(json_object_new_object());
}

PhJson *
ph_json_array(void)
{
	return checked(json_object_new_array());
}

void
ph_json_free(PhJson *json)
{
	json_object_put(json);
}

void
ph_json_set(PhJson *object, const char *key, PhJson *value)
{
	if (json_object_object_add(object, key, value) != 0)
		checked(NULL);
}

void
ph_json_set_text(PhJson *object, const char *key, const char *text)
{
	ph_json_set(object, key, new_text(text));
}

void
ph_json_set_integer(PhJson *object, const char *key, int64_t value)
{
	ph_json_set(object, key, checked(json_object_new_int64(value)));
}

void
ph_json_set_bool(PhJson *object, const char *key, bool value)
{
	ph_json_set(object, key, checked(json_object_new_boolean(value)));
}

/* Fewest digits that read back as value. */
static void
shortest(double value, char *out, size_t size)
{
	for (int digits = 1; digits <= 17; digits++)
	{
		snprintf(out, size, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			return;
	}
}

void
ph_json_set_number(PhJson *object, const char *key, double value)
{
	char text[40];

	if (!isfinite(value))
	{
		ph_json_set_null(object, key);
		return;
	}
	shortest(value, text, sizeof(text));
	ph_json_set(object, key, checked(json_object_new_double_s(value, text)));
}

void
ph_json_set_null(PhJson *object, const char *key)
{
	ph_json_set(object, key, NULL);
}

void
ph_json_set_raw(PhJson *object, const char *key, const char *json_text)
{
	enum json_tokener_error error = json_tokener_success;
	PhJson *value = json_text == NULL ? NULL : json_tokener_parse_verbose(json_text, &error);

	ph_json_set(object, key, error == json_tokener_success ? value : new_text(json_text));
}

void
ph_json_add(PhJson *array, PhJson *value)
{
	if (json_object_array_add(array, value) != 0)
		checked(NULL);
}

void
ph_json_add_text(PhJson *array, const char *text)
{
	ph_json_add(array, new_text(text));
}

static void
print(FILE *stream, PhJson *json, int flags)
{
	fputs(json_object_to_json_string_ext(json, flags | JSON_C_TO_STRING_NOSLASHESCAPE), stream);
	fputc('\n', stream);
	json_object_put(json);
}

void
ph_json_print_line(FILE *stream, PhJson *json)
{
	print(stream, json, JSON_C_TO_STRING_PLAIN);
}
