/*
 * regex_class.c - sets of characters in regular expressions: [...], \d and its kin, escapes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "base/regex_program.h"

#include <string.h>

#define LAST_CODE 0x2000FFu /* bytes outside valid characters come after all code points */

PhStatus
ph_regex_syntax_error(const PhRegexReader *reader, size_t position, const char *what)
{
	return ph_fail_hint(reader->arena->env, PH_ERR_VALUE,
						"Write a backslash before a special character that is meant as itself.",
						"bad regular expression: %s at position %zu of \"%.*s\"", what,
						position + 1, (int) PH_MIN(reader->length, 200), reader->pattern);
}

static PhStatus
add_range(PhArena *arena, PhRegexClass *set, uint32_t low, uint32_t high)
{
	for (uint32_t code = low; code <= high && code < 128; code++)
		ph_regex_set_bit(set->ascii, code);
	if (high < 128)
		return PH_OK;
	PH_TRY(PH_GROW(arena, &set->ranges, set->n_ranges, &set->capacity));
	set->ranges[set->n_ranges++] = (PhRegexRange){low < 128 ? 128 : low, high};
	return PH_OK;
}

/* The characters of a named set, as ranges; NULL when there is no such name. */
static const char *
named_ranges(const char *name, size_t length)
{
	static const struct
	{
		const char *name;
		const char *ranges;
	} table[] = {
		{"alpha", "AZaz"},	  {"digit", "09"},
		{"alnum", "09AZaz"},  {"upper", "AZ"},
		{"lower", "az"},	  {"space", "\t\r  "},
		{"blank", "\t\t  "},  {"punct", "!/:@[`{~"},
		{"xdigit", "09AFaf"}, {"cntrl", "\001\037\177\177"},
		{"print", " ~"},	  {"graph", "!~"},
		{"word", "09AZ__az"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
			return table[i].ranges;
	return NULL;
}

static PhStatus
add_named(PhArena *arena, PhRegexClass *set, const char *ranges)
{
	for (; ranges[0] != '\0'; ranges += 2)
		PH_TRY(add_range(arena, set, (unsigned char) ranges[0], (unsigned char) ranges[1]));
	return PH_OK;
}

/* Add every character that the ranges (ascending, ASCII) leave out. */
static PhStatus
add_all_but(PhArena *arena, PhRegexClass *set, const char *ranges)
{
	uint32_t low = 0;
	for (; ranges[0] != '\0'; ranges += 2)
	{
		if ((unsigned char) ranges[0] > low)
			PH_TRY(add_range(arena, set, low, (unsigned char) ranges[0] - 1u));
		low = (unsigned char) ranges[1] + 1u;
	}
	return add_range(arena, set, low, LAST_CODE);
}

PhStatus
ph_regex_class_shorthand(PhArena *arena, PhRegexClass *set, char letter, bool *known)
{
	const char *name = letter == 'd' || letter == 'D'	? "digit"
					   : letter == 'w' || letter == 'W' ? "word"
					   : letter == 's' || letter == 'S' ? "space"
														: NULL;
	*known = name != NULL;
	if (name == NULL)
		return PH_OK;
	const char *ranges = named_ranges(name, strlen(name));
	if (letter >= 'a')
		return add_named(arena, set, ranges);
	return add_all_but(arena, set, ranges);
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static PhStatus
parse_hex(PhRegexReader *reader, uint32_t *code)
{
	const char *digits = reader->pattern + reader->position;
	if (reader->length - reader->position < 2 || hex_digit(digits[0]) < 0 ||
		hex_digit(digits[1]) < 0)
		return ph_regex_syntax_error(reader, reader->position, "\\x needs two hexadecimal digits");
	*code = (uint32_t) (hex_digit(digits[0]) * 16 + hex_digit(digits[1]));
	reader->position += 2;
	return PH_OK;
}

PhStatus
ph_regex_parse_escape(PhRegexReader *reader, uint32_t *code)
{
	static const char letters[] = "ntrfv";
	static const char meanings[] = "\n\t\r\f\v";
	if (reader->position == reader->length)
		return ph_regex_syntax_error(reader, reader->position - 1, "a backslash without more");
	char c = reader->pattern[reader->position];
	const char *letter = c == '\0' ? NULL : strchr(letters, c);
	if (letter != NULL)
		*code = (unsigned char) meanings[letter - letters];
	else if (c >= '1' && c <= '9')
		return ph_fail_hint(reader->arena->env, PH_ERR_UNSUPPORTED,
							"Write the alternatives out instead.",
							"regular expressions have no back-references (\\%c)", c);
	else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '0')
	{
		if (c != 'x')
			return ph_regex_syntax_error(reader, reader->position - 1, "unknown escape");
		reader->position++;
		return parse_hex(reader, code);
	}
	else
	{
		*code = ph_regex_decode(reader->pattern, reader->length, &reader->position);
		return PH_OK;
	}
	reader->position++;
	return PH_OK;
}

/* [:name:] at the reader's position? Then add it and step over it. */
static PhStatus
parse_named(PhRegexReader *reader, PhRegexClass *set, bool *taken)
{
	const char *rest = reader->pattern + reader->position;
	size_t left = reader->length - reader->position;
	*taken = left >= 2 && rest[0] == '[' && rest[1] == ':';
	if (!*taken)
		return PH_OK;
	size_t end = 2;
	while (end < left && rest[end] >= 'a' && rest[end] <= 'z')
		end++;
	const char *ranges = named_ranges(rest + 2, end - 2);
	if (left - end < 2 || rest[end] != ':' || rest[end + 1] != ']' || ranges == NULL)
		return ph_regex_syntax_error(reader, reader->position, "unknown class of characters");
	reader->position += end + 2;
	return add_named(reader->arena, set, ranges);
}

/* One member: a character, or a shorthand such as \w (then *is_set). */
static PhStatus
parse_member(PhRegexReader *reader, PhRegexClass *set, uint32_t *code, bool *is_set)
{
	*is_set = false;
	if (reader->pattern[reader->position] != '\\')
	{
		*code = ph_regex_decode(reader->pattern, reader->length, &reader->position);
		return PH_OK;
	}
	reader->position++;
	if (reader->position < reader->length)
		PH_TRY(ph_regex_class_shorthand(reader->arena, set, reader->pattern[reader->position],
										is_set));
	if (!*is_set)
		return ph_regex_parse_escape(reader, code);
	reader->position++;
	return PH_OK;
}

static bool
range_follows(const PhRegexReader *reader)
{
	return reader->length - reader->position >= 2 && reader->pattern[reader->position] == '-' &&
		   reader->pattern[reader->position + 1] != ']';
}

static PhStatus
parse_range(PhRegexReader *reader, PhRegexClass *set)
{
	size_t begin = reader->position;
	uint32_t low, high;
	bool is_set;
	PH_TRY(parse_member(reader, set, &low, &is_set));
	if (is_set)
		return PH_OK;
	high = low;
	if (range_follows(reader))
	{
		reader->position++;
		PH_TRY(parse_member(reader, set, &high, &is_set));
		if (is_set || high < low)
			return ph_regex_syntax_error(reader, begin, "a range that ends before it begins");
	}
	return add_range(reader->arena, set, low, high);
}

PhStatus
ph_regex_parse_class(PhRegexReader *reader, PhRegexClass *out)
{
	size_t begin = reader->position - 1;
	memset(out, 0, sizeof(*out));
	if (reader->position < reader->length && reader->pattern[reader->position] == '^')
	{
		out->negated = true;
		reader->position++;
	}
	for (bool first = true;; first = false)
	{
		if (reader->position == reader->length)
			return ph_regex_syntax_error(reader, begin, "\"[\" without its \"]\"");
		if (reader->pattern[reader->position] == ']' && !first)
			break;
		bool taken;
		PH_TRY(parse_named(reader, out, &taken));
		if (!taken)
			PH_TRY(parse_range(reader, out));
	}
	reader->position++;
	return PH_OK;
}
