/*
 * json_text.c - values of a query's rows as JSON.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/json_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "system/utf8_text.h"

/* OIDs of the server's built-in types, which never change. */
enum
{
	OID_BOOL = 16,
	OID_INT8 = 20,
	OID_INT2 = 21,
	OID_INT4 = 23,
	OID_OID = 26,
	OID_JSON = 114,
	OID_FLOAT4 = 700,
	OID_FLOAT8 = 701,
	OID_BOOLS = 1000,
	OID_INT2S = 1005,
	OID_INT4S = 1007,
	OID_TEXTS = 1009,
	OID_INT8S = 1016,
	OID_FLOAT4S = 1021,
	OID_FLOAT8S = 1022,
	OID_TIMESTAMPTZ = 1184,
	OID_NUMERICS = 1231,
	OID_NUMERIC = 1700,
	OID_JSONB = 3802
};

static void
write_character(FILE *file, uint32_t character, const char *bytes, size_t n)
{
	if (character == PH_BAD_CHARACTER)
		fputs("\\ufffd", file);
	else if (character == '"' || character == '\\')
		fprintf(file, "\\%c", (int) character);
	else if (character == '\n')
		fputs("\\n", file);
	else if (character == '\t')
		fputs("\\t", file);
	else if (character < 0x20 || character == '<' || character == '>' || character == '&' ||
			 character == 0x7f || character == 0x2028 || character == 0x2029)
		fprintf(file, "\\u%04x", (unsigned) character);
	else
		fwrite(bytes, 1, n, file);
}

void
ph_json_write_text(FILE *file, const char *text)
{
	fputc('"', file);
	while (*text != '\0')
	{
		const char *start = text;
		uint32_t character = ph_utf8_next(&text);

		write_character(file, character, start, (size_t) (text - start));
	}
	fputc('"', file);
}

/* PostgreSQL's numbers are JSON's but for these. */
static void
write_number(FILE *file, const char *text)
{
	bool finite = strcmp(text, "NaN") != 0 && strstr(text, "Infinity") == NULL;

	fputs(finite ? text : "null", file);
}

/* "2026-01-02 03:04:05+00" as ISO 8601, which browsers read: "2026-01-02T03:04:05Z". */
static void
write_time(FILE *file, const char *text)
{
	size_t length = strlen(text);
	bool utc = length > 19 && text[10] == ' ' && strcmp(text + length - 3, "+00") == 0;

	if (utc)
		fprintf(file, "\"%.10sT%.*sZ\"", text, (int) (length - 14), text + 11);
	else
		ph_json_write_text(file, text);
}

static unsigned
element_type(unsigned type)
{
	switch (type)
	{
		case OID_BOOLS:
			return OID_BOOL;
		case OID_INT2S:
		case OID_INT4S:
		case OID_INT8S:
			return OID_INT8;
		case OID_FLOAT4S:
		case OID_FLOAT8S:
		case OID_NUMERICS:
			return OID_FLOAT8;
		default:
			return 0;
	}
}

/* One element at text, unquoted into out; returns what is behind it. */
static const char *
read_element(const char *text, char *out, bool *quoted)
{
	*quoted = *text == '"';
	if (*quoted)
		text++;
	for (; *text != '\0' && (*quoted ? *text != '"' : *text != ',' && *text != '}'); text++)
	{
		if (*text == '\\' && text[1] != '\0')
			text++;
		*out++ = *text;
	}
	*out = '\0';
	return *quoted && *text == '"' ? text + 1 : text;
}

/* "{1,2,NULL}" or "{\"a b\",c}"; other shapes go out as a string. */
static void
write_array(FILE *file, unsigned type, const char *text)
{
	char *element;
	bool quoted;
	const char *separator = "";

	if (text[0] != '{' || text[1] == '{')
	{
		ph_json_write_text(file, text);
		return;
	}
	element = malloc(strlen(text) + 1);
	if (element == NULL)
	{
		fputs("null", file);
		return;
	}
	fputc('[', file);
	for (text++; *text != '\0' && *text != '}'; text += *text == ',')
	{
		text = read_element(text, element, &quoted);
		fputs(separator, file);
		ph_json_write_value(file, type, !quoted && strcmp(element, "NULL") == 0 ? NULL : element);
		separator = ",";
	}
	fputc(']', file);
	free(element);
}

void
ph_json_write_value(FILE *file, unsigned type, const char *text)
{
	if (text == NULL)
	{
		fputs("null", file);
		return;
	}
	switch (type)
	{
		case OID_BOOL:
			fputs(text[0] == 't' ? "true" : "false", file);
			break;
		case OID_INT2:
		case OID_INT4:
		case OID_INT8:
		case OID_OID:
		case OID_FLOAT4:
		case OID_FLOAT8:
		case OID_NUMERIC:
			write_number(file, text);
			break;
		case OID_JSON:
		case OID_JSONB:
			fputs(text, file);
			break;
		case OID_TIMESTAMPTZ:
			write_time(file, text);
			break;
		case OID_TEXTS:
		case OID_BOOLS:
		case OID_INT2S:
		case OID_INT4S:
		case OID_INT8S:
		case OID_FLOAT4S:
		case OID_FLOAT8S:
		case OID_NUMERICS:
			write_array(file, element_type(type), text);
			break;
		default:
			ph_json_write_text(file, text);
	}
}
