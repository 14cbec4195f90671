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

/* ---- mangled names ---- */

static bool
is_of_name(char byte)
{
	return ph_is_letter(byte) || ph_is_digit(byte) || byte == '.' || byte == '$';
}

static size_t
append(char *out, size_t n, const char *text, size_t length)
{
	memcpy(out + n, text, length);
	return n + length;
}

/* One identifier behind its length; 0: there is none, else the bytes that it takes. */
static size_t
identifier_length(const char *text, size_t length, size_t *digits)
{
	size_t n = 0, wanted = 0;

	for (; n < length && ph_is_digit(text[n]) && wanted <= length; n++)
		wanted = wanted * 10 + (size_t) (text[n] - '0');
	*digits = n;
	return wanted > 0 && wanted <= length - n ? n + wanted : 0;
}

/* A name that begins with _Z; 0: it is none that is known. */
static size_t
demangle(const char *name, size_t length, char *out)
{
	static const char anonymous[] = "_GLOBAL__N_", said[] = "(anonymous namespace)";
	bool is_nested = length > 2 && name[2] == 'N';
	size_t at = 2, n = 0, digits, taken;

	while (at < length && strchr("NKVL", name[at]) != NULL)
		at++;
	while ((taken = identifier_length(name + at, length - at, &digits)) > 0)
	{
		const char *part = name + at + digits;

		n = n > 0 ? append(out, n, "::", 2) : n;
		n = begins_with(part, taken - digits, anonymous) ? append(out, n, said, sizeof(said) - 1)
														 : append(out, n, part, taken - digits);
		at += taken;
		if (!is_nested)
			break;
	}
	return n;
}

/* A word as people say it; 0: as it is. */
static size_t
say_word(const char *word, size_t length, char *out)
{
	static const char global[] = "_GLOBAL__sub_I_", initialising[] = "initialising ";
	size_t skipped = sizeof(global) - 1, n = sizeof(initialising) - 1, said = 0;

	if (!begins_with(word, length, global))
		return begins_with(word, length, "_Z") ? demangle(word, length, out) : 0;
	if (length == skipped)
		return 0;
	append(out, 0, initialising, n);
	if (begins_with(word + skipped, length - skipped, "_Z"))
		said = demangle(word + skipped, length - skipped, out + n);
	return said > 0 ? n + said : append(out, n, word + skipped, length - skipped);
}

size_t
ph_demangled(const char *text, size_t length, char *out)
{
	size_t n = 0;

	for (size_t at = 0, end; at < length; at = end)
	{
		size_t said = 0;

		for (end = at; end < length && is_of_name(text[end]); end++)
			;
		if (end > at)
			said = say_word(text + at, end - at, out + n);
		end += end == at;
		n = said > 0 ? n + said : append(out, n, text + at, end - at);
	}
	return n;
}
