/*
 * flat_object.c - JSON objects of plain values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/flat_object.h"

#include <string.h>

static const char *
skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Behind the quote that ends the text; NULL: it has an escape or a control character, or no end. */
static const char *
skip_text(const char *at)
{
	while (*at != '"')
	{
		if (*at == '\\' || (unsigned char) *at < 0x20)
			return NULL;
		at++;
	}
	return at + 1;
}

static const char *
skip_digits(const char *at)
{
	if (!is_digit(*at))
		return NULL;
	while (is_digit(*at))
		at++;
	return at;
}

/* NULL: it is no number as JSON has them. */
static const char *
skip_number(const char *at)
{
	at += *at == '-';
	if (*at == '0' && is_digit(at[1]))
		return NULL;
	at = skip_digits(at);
	if (at != NULL && *at == '.')
		at = skip_digits(at + 1);
	if (at != NULL && (*at == 'e' || *at == 'E'))
	{
		at++;
		at = skip_digits(at + (*at == '-' || *at == '+'));
	}
	return at;
}

static const char *
skip_word(const char *at, const char *word)
{
	size_t length = strlen(word);

	return strncmp(at, word, length) == 0 ? at + length : NULL;
}

/* Behind the value; NULL: it is none of the plain ones. */
static const char *
read_value(const char *at, PhFlatPair *pair)
{
	const char *end;

	pair->value = *at == 'n' ? NULL : at;
	switch (*at)
	{
		case '"':
			pair->value = at + 1;
			end = skip_text(at + 1);
			pair->length = end != NULL ? (size_t) (end - at) - 2 : 0;
			return end;
		case 'n':
			pair->length = 0;
			return skip_word(at, "null");
		case 't':
			end = skip_word(at, "true");
			break;
		case 'f':
			end = skip_word(at, "false");
			break;
		default:
			end = skip_number(at);
	}
	pair->length = end != NULL ? (size_t) (end - at) : 0;
	return end;
}

/* Behind the pair; NULL: it is none. */
static const char *
read_pair(const char *at, PhFlatPair *pair)
{
	const char *end;

	if (*at != '"')
		return NULL;
	pair->key = at + 1;
	end = skip_text(at + 1);
	if (end == NULL)
		return NULL;
	pair->key_length = (size_t) (end - at) - 2;
	at = skip_space(end);
	if (*at != ':')
		return NULL;
	at = read_value(skip_space(at + 1), pair);
	return at != NULL ? skip_space(at) : NULL;
}

bool
ph_flat_object(const char *json, PhFlatPair *out, size_t most, size_t *n)
{
	const char *at = skip_space(json);

	*n = 0;
	if (*at != '{')
		return false;
	do
	{
		at = *n < most ? read_pair(skip_space(at + 1), &out[*n]) : NULL;
		if (at == NULL)
			return false;
		++*n;
	} while (*at == ',');
	return *at == '}' && *skip_space(at + 1) == '\0';
}
