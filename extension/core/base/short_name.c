/*
 * short_name.c - see short_name.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/short_name.h"

#include <stdbool.h>
#include <string.h>

#include "base/letters.h"

static bool
ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* Whether what stands before a parenthesis can be a function's name. */
static bool
is_callable(const char *text, size_t length)
{
	char last = length > 0 ? text[length - 1] : ' ';

	if (ends_with(text, length, "operator"))
		return false;
	return ph_is_letter(last) || ph_is_digit(last) || last == '>' || last == '}' ||
		   ends_with(text, length, "operator()");
}

/* Bytes from an opening parenthesis up to its partner, with both; 0: it has none. */
static size_t
group_length(const char *text, size_t length)
{
	size_t depth = 0;

	for (size_t i = 0; i < length; i++)
	{
		depth += text[i] == '(';
		depth -= text[i] == ')';
		if (depth == 0)
			return i + 1;
	}
	return 0;
}

/* Bytes of the qualifier that may stand behind a parameter list. */
static size_t
qualifier_length(const char *text, size_t length)
{
	static const char qualifier[] = " const";
	size_t n = strlen(qualifier);

	if (length < n || memcmp(text, qualifier, n) != 0)
		return 0;
	return length > n && ph_is_letter(text[n]) ? 0 : n;
}

size_t
ph_without_parameters(const char *text, size_t length, char *out)
{
	bool is_directive = false, is_paired = true;
	size_t n = 0;

	for (size_t at = 0; at < length;)
	{
		bool may_be = text[at] == '(' && is_paired && !is_directive && is_callable(out, n) &&
					  at + 1 < length && !ph_is_digit(text[at + 1]);
		size_t list = may_be ? group_length(text + at, length - at) : 0;

		/* one without a partner ends the search: every name costs one look at each byte */
		is_paired = is_paired && (!may_be || list > 0);
		is_directive = (is_directive || text[at] == '!') && text[at] != '/';
		if (list > 0)
			at += list + qualifier_length(text + at + list, length - at - list);
		else
			out[n++] = text[at++];
	}
	return n;
}

static bool
begins_with(const char *text, size_t length, const char *begin)
{
	size_t n = strlen(begin);

	return length >= n && memcmp(text, begin, n) == 0;
}

/* Bytes of "name::" in small letters; 0: none is here. */
static size_t
namespace_length(const char *text, size_t length)
{
	static const char anonymous[] = "(anonymous namespace)::";
	size_t n = 0;

	if (begins_with(text, length, anonymous))
		return sizeof(anonymous) - 1;
	while (n < length && ((text[n] >= 'a' && text[n] <= 'z') || text[n] == '_' ||
						  (n > 0 && ph_is_digit(text[n]))))
		n++;
	return n > 0 && begins_with(text + n, length - n, "::") && length > n + 2 ? n + 2 : 0;
}

/* Whether a name goes on behind this byte. */
static bool
is_inside(char byte)
{
	return ph_is_letter(byte) || ph_is_digit(byte) || byte == ':';
}

size_t
ph_without_namespaces(const char *name, size_t length, char *out)
{
	static const char result[] = "void ";
	size_t at = begins_with(name, length, result) ? sizeof(result) - 1 : 0, n = 0;

	while (at < length)
	{
		bool may_begin = n == 0 || !is_inside(out[n - 1]);
		size_t skipped = may_begin ? namespace_length(name + at, length - at) : 0;

		if (skipped == 0)
			out[n++] = name[at++];
		at += skipped;
	}
	return n;
}
