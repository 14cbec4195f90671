/*
 * request.c - the target of a request: path and parameters, decoded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/request.h"

#include <stdlib.h>
#include <string.h>

#include "system/utf8_text.h"

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char) (c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes in place. False: a broken percent code, or NUL. */
static bool
decode(char *text, bool plus_is_space)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++)
	{
		char c = *from;

		if (c == '%')
		{
			int high = hex_digit(from[1]);
			int low = high < 0 ? -1 : hex_digit(from[2]);

			if (low < 0 || high * 16 + low == 0)
				return false;
			c = (char) (high * 16 + low);
			from += 2;
		}
		else if (c == '+' && plus_is_space)
			c = ' ';
		*to++ = c;
	}
	*to = '\0';
	return true;
}

static bool
is_utf8(const char *text)
{
	while (*text != '\0')
		if (ph_utf8_next(&text) == PH_BAD_CHARACTER)
			return false;
	return true;
}

static bool
is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char) *text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

static PhTargetStatus
malformed(const char **why, const char *reason)
{
	*why = reason;
	return PH_TARGET_MALFORMED;
}

/* "name=value&name=value", cut in place. */
static PhTargetStatus
parse_query(char *query, PhTarget *out, const char **why)
{
	while (query != NULL && *query != '\0')
	{
		PhTargetParameter *parameter = &out->parameters[out->n_parameters];
		char *next = strchr(query, '&');
		char *value;

		if (next != NULL)
			*next++ = '\0';
		value = strchr(query, '=');
		if (value != NULL)
			*value++ = '\0';
		if (*query != '\0' && out->n_parameters == PH_TARGET_MOST_PARAMETERS)
			return malformed(why, "too many parameters");
		if (!decode(query, true) || (value != NULL && !decode(value, true)))
			return malformed(why, "a parameter has a broken percent code");
		if (!is_utf8(query) || (value != NULL && !is_utf8(value)))
			return malformed(why, "a parameter is not valid UTF-8");
		if (*query != '\0')
		{
			*parameter = (PhTargetParameter){query, value != NULL ? value : ""};
			out->n_parameters++;
		}
		query = next;
	}
	return PH_TARGET_OK;
}

PhTargetStatus
ph_target_parse(const char *text, PhTarget *out, const char **why)
{
	char *query;

	*out = (PhTarget){.path = "/"};
	if (strnlen(text, PH_TARGET_MOST_BYTES + 1) > PH_TARGET_MOST_BYTES)
	{
		*why = "the address is too long";
		return PH_TARGET_TOO_LONG;
	}
	if (text[0] != '/')
		return malformed(why, "the address does not begin with /");
	out->text = strdup(text);
	if (out->text == NULL)
	{
		*why = "out of memory";
		return PH_TARGET_NO_MEMORY;
	}
	query = strchr(out->text, '?');
	if (query != NULL)
		*query++ = '\0';
	if (!decode(out->text, false) || !is_utf8(out->text) || !is_plain(out->text))
		return malformed(why, "the path has a broken percent code, or is not valid UTF-8");
	out->path = out->text;
	return parse_query(query, out, why);
}

void
ph_target_free(PhTarget *target)
{
	free(target->text);
	*target = (PhTarget){.path = "/"};
}

const char *
ph_target_value(const PhTarget *target, const char *name)
{
	for (size_t i = 0; i < target->n_parameters; i++)
		if (strcmp(target->parameters[i].name, name) == 0)
			return target->parameters[i].value;
	return NULL;
}

/* Is this piece of a query, up to '&' or the end, the parameter? Its name may be encoded. */
static bool
names_parameter(const char *piece, size_t length, const char *name)
{
	char copy[64];
	size_t end = strcspn(piece, "=&");

	end = end < length ? end : length;
	if (end >= sizeof(copy)) /* thrice as long as any name that is asked for here */
		return false;
	memcpy(copy, piece, end);
	copy[end] = '\0';
	return decode(copy, true) && strcmp(copy, name) == 0;
}

char *
ph_target_without(const char *text, const char *name)
{
	char *out = calloc(strlen(text) + 1, 1);
	size_t length = strcspn(text, "?");
	char separator = '?';

	if (out == NULL)
		return NULL;
	memcpy(out, text, length);
	for (const char *piece = text + length; *piece != '\0';)
	{
		size_t size = strcspn(++piece, "&");

		if (size > 0 && !names_parameter(piece, size, name))
		{
			out[length++] = separator;
			memcpy(out + length, piece, size);
			length += size;
			separator = '&';
		}
		piece += size;
	}
	return out;
}
