/*
 * json_out.c - a writer of JSON.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/utf8_text.h"

void
ph_json_begin(PhJsonOut *json, FILE *stream)
{
	*json = (PhJsonOut){.stream = stream};
}

/* ---- texts --------------------------------------------------------------------------------- */

static bool
is_markup(uint32_t character)
{
	return character == '<' || character == '>' || character == '&';
}

static void
write_character(FILE *stream, bool hides_markup, uint32_t character, const char *bytes, size_t n)
{
	static const char shorts[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
								  ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};

	if (character == PH_BAD_CHARACTER)
		fputs("\xef\xbf\xbd", stream);
	else if (character < sizeof(shorts) && shorts[character] != '\0')
		fprintf(stream, "\\%c", shorts[character]);
	else if (character < ' ' || character == 0x7f || (hides_markup && is_markup(character)))
		fprintf(stream, "\\u%04" PRIx32, character);
	else
		fwrite(bytes, 1, n, stream);
}

static void
write_text(const PhJsonOut *json, const char *text)
{
	FILE *stream = json->stream;

	putc('"', stream);
	while (*text != '\0')
	{
		const char *start = text;
		uint32_t character = ph_utf8_next(&text);

		write_character(stream, json->hides_markup, character, start, (size_t) (text - start));
	}
	putc('"', stream);
}

/* ---- places -------------------------------------------------------------------------------- */

/* Makes ready for a value: its comma and its key. False: none may stand here. */
static bool
make_place(PhJsonOut *json, const char *key)
{
	bool wants_key = json->depth > 0 && json->is_object[json->depth - 1];

	if (wants_key != (key != NULL) || (json->depth == 0 && json->is_begun))
		json->has_failed = true;
	if (json->has_failed)
		return false;
	if (json->is_begun)
		putc(',', json->stream);
	json->is_begun = true;
	if (json->wants_line)
		putc('\n', json->stream);
	json->wants_line = false;
	if (key != NULL)
	{
		write_text(json, key);
		putc(':', json->stream);
	}
	return true;
}

static void
open_level(PhJsonOut *json, const char *key, bool is_object)
{
	if (json->depth == PH_JSON_MOST_DEPTH)
		json->has_failed = true;
	if (!make_place(json, key))
		return;
	putc(is_object ? '{' : '[', json->stream);
	json->is_object[json->depth++] = is_object;
	json->is_begun = false;
}

void
ph_json_open_object(PhJsonOut *json, const char *key)
{
	open_level(json, key, true);
}

void
ph_json_open_array(PhJsonOut *json, const char *key)
{
	open_level(json, key, false);
}

void
ph_json_close(PhJsonOut *json)
{
	if (json->depth == 0)
		json->has_failed = true;
	if (json->has_failed)
		return;
	if (json->wants_line)
		putc('\n', json->stream);
	json->wants_line = false;
	json->depth--;
	putc(json->is_object[json->depth] ? '}' : ']', json->stream);
	json->is_begun = true;
}

void
ph_json_new_line(PhJsonOut *json)
{
	json->wants_line = true;
}

bool
ph_json_done(PhJsonOut *json)
{
	if (json->depth > 0 || !json->is_begun)
		json->has_failed = true;
	return !json->has_failed && !ferror(json->stream);
}

bool
ph_json_done_line(PhJsonOut *json)
{
	putc('\n', json->stream);
	return ph_json_done(json);
}

/* ---- values -------------------------------------------------------------------------------- */

void
ph_json_put_raw(PhJsonOut *json, const char *key, const char *text)
{
	if (!make_place(json, key))
		return;
	for (const char *c = text != NULL ? text : "null"; *c != '\0';)
	{
		size_t n = json->hides_markup ? strcspn(c, "<>&") : strlen(c);

		fwrite(c, 1, n, json->stream);
		c += n;
		if (*c != '\0') /* within a text: JSON has it nowhere else */
			fprintf(json->stream, "\\u%04x", (unsigned) *c++);
	}
}

void
ph_json_put_null(PhJsonOut *json, const char *key)
{
	ph_json_put_raw(json, key, NULL);
}

void
ph_json_put_text(PhJsonOut *json, const char *key, const char *text)
{
	if (text == NULL)
		ph_json_put_null(json, key);
	else if (make_place(json, key))
		write_text(json, text);
}

void
ph_json_put_integer(PhJsonOut *json, const char *key, int64_t value)
{
	if (make_place(json, key))
		fprintf(json->stream, "%" PRId64, value);
}

void
ph_json_put_bool(PhJsonOut *json, const char *key, bool value)
{
	ph_json_put_raw(json, key, value ? "true" : "false");
}

void
ph_json_put_number(PhJsonOut *json, const char *key, double value)
{
	char text[40];

	if (!isfinite(value))
	{
		ph_json_put_null(json, key);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) /* %g leaves out zeros at the end */
	{
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	ph_json_put_raw(json, key, text);
}
