/*
 * lex.c - the words of a call-path query: names, numbers, "texts", /expressions/, symbols.
 *
 * A "/" begins a regular expression; there is no division. In a text
 * \" \\ \n \t have their usual meaning, other backslashes stay, so that it may be an expression.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "query/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "base/min_max.h"

static char
peek(const PhQueryReader *reader, size_t ahead)
{
	size_t at = reader->position + ahead;
	return at < reader->length ? reader->text[at] : '\0';
}

static PhStatus
lex_error(const PhQueryReader *reader, const char *what)
{
	return ph_fail_hint(reader->arena->env, PH_ERR_VALUE,
						"See \"call-path queries\" in the SQL reference for the grammar.",
						"call-path query: %s at position %zu", what, reader->token.position + 1);
}

static void
lex_word(PhQueryReader *reader)
{
	size_t begin = reader->position;
	while (ph_is_letter(peek(reader, 0)) || ph_is_digit(peek(reader, 0)))
		reader->position++;
	reader->token.kind = PH_TOKEN_WORD;
	reader->token.text = reader->text + begin;
	reader->token.length = reader->position - begin;
}

/* Length of the number at the reader: digits, fraction, exponent. */
static size_t
number_length(const PhQueryReader *reader)
{
	size_t n = peek(reader, 0) == '-' ? 1 : 0;
	while (ph_is_digit(peek(reader, n)))
		n++;
	if (peek(reader, n) == '.' && ph_is_digit(peek(reader, n + 1)))
		for (n++; ph_is_digit(peek(reader, n));)
			n++;
	if (peek(reader, n) == 'e' || peek(reader, n) == 'E')
	{
		size_t digits = n + (peek(reader, n + 1) == '-' || peek(reader, n + 1) == '+' ? 2 : 1);
		if (ph_is_digit(peek(reader, digits)))
			for (n = digits; ph_is_digit(peek(reader, n));)
				n++;
	}
	return n;
}

static PhStatus
lex_number(PhQueryReader *reader)
{
	char digits[64];
	size_t length = number_length(reader);
	if (length >= sizeof(digits))
		return lex_error(reader, "a number with too many digits");
	memcpy(digits, reader->text + reader->position, length);
	digits[length] = '\0';
	reader->token.number = strtod(digits, NULL);
	if (!isfinite(reader->token.number))
		return lex_error(reader, "a number that is too large");
	reader->position += length;
	reader->token.kind = PH_TOKEN_NUMBER;
	return PH_OK;
}

/* What a backslash and c stand for; '\0': nothing special, the backslash stays. */
static char
unescape(char c, char quote)
{
	if (c == 'n')
		return '\n';
	if (c == 't')
		return '\t';
	return c == quote || c == '\\' ? c : '\0';
}

static PhStatus
lex_string(PhQueryReader *reader)
{
	char quote = peek(reader, 0);
	char *text;
	PH_TRY(PH_NEW(reader->arena, reader->length - reader->position + 1, &text));
	size_t length = 0;
	for (reader->position++; reader->position < reader->length; reader->position++)
	{
		char c = peek(reader, 0);
		if (c == quote)
			break;
		char meaning = c == '\\' ? unescape(peek(reader, 1), quote) : '\0';
		if (meaning != '\0')
			reader->position++;
		text[length++] = meaning != '\0' ? meaning : c;
	}
	if (reader->position == reader->length)
		return lex_error(reader, "a text without its closing quote");
	reader->position++;
	reader->token.kind = PH_TOKEN_STRING;
	reader->token.text = text;
	reader->token.length = length;
	return PH_OK;
}

/* \/ inside stands for /; everything else is left to the regular expression. */
static PhStatus
lex_regex(PhQueryReader *reader)
{
	char *text;
	PH_TRY(PH_NEW(reader->arena, reader->length - reader->position + 1, &text));
	size_t length = 0;
	for (reader->position++; reader->position < reader->length; reader->position++)
	{
		char c = peek(reader, 0);
		if (c == '/')
			break;
		if (c == '\\' && reader->position + 1 < reader->length)
		{
			reader->position++;
			if (peek(reader, 0) != '/')
				text[length++] = c;
			c = peek(reader, 0);
		}
		text[length++] = c;
	}
	if (reader->position == reader->length)
		return lex_error(reader, "a regular expression without its closing \"/\"");
	reader->position++;
	reader->token.ignore_case = peek(reader, 0) == 'i';
	if (reader->token.ignore_case)
		reader->position++;
	reader->token.kind = PH_TOKEN_REGEX;
	reader->token.text = text;
	reader->token.length = length;
	return PH_OK;
}

static PhStatus
lex_symbol(PhQueryReader *reader)
{
	static const char *const symbols[] = {
		"->", "=~", "!~", "!=", "<>", "<=", ">=", "==", "=", "<", ">",
		".",  "*",	"+",  "{",	"}",  "[",	"]",  "(",	")", ","};
	const char *rest = reader->text + reader->position;
	size_t left = reader->length - reader->position;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
	{
		size_t length = strlen(symbols[i]);
		if (length > left || memcmp(rest, symbols[i], length) != 0)
			continue;
		memcpy(reader->token.symbol, symbols[i], length + 1);
		reader->token.kind = PH_TOKEN_SYMBOL;
		reader->position += length;
		return PH_OK;
	}
	return lex_error(reader, "a character that means nothing here");
}

PhStatus
ph_query_next(PhQueryReader *reader)
{
	PH_TRY(ph_env_poll(reader->arena->env));
	while (reader->position < reader->length && ph_is_space(peek(reader, 0)))
		reader->position++;
	memset(&reader->token, 0, sizeof(reader->token));
	reader->token.position = reader->position;
	char c = peek(reader, 0);
	if (reader->position == reader->length)
	{
		reader->token.kind = PH_TOKEN_END;
		return PH_OK;
	}
	if (ph_is_letter(c))
	{
		lex_word(reader);
		return PH_OK;
	}
	if (ph_is_digit(c) || (c == '-' && ph_is_digit(peek(reader, 1))))
		return lex_number(reader);
	if (c == '"' || c == '\'')
		return lex_string(reader);
	if (c == '/')
		return lex_regex(reader);
	return lex_symbol(reader);
}

bool
ph_query_is(const PhQueryReader *reader, const char *what)
{
	const PhToken *token = &reader->token;
	if (token->kind == PH_TOKEN_SYMBOL)
		return strcmp(token->symbol, what) == 0;
	if (token->kind != PH_TOKEN_WORD || strlen(what) != token->length)
		return false;
	for (size_t i = 0; i < token->length; i++)
		if (ph_lower(token->text[i]) != what[i])
			return false;
	return true;
}

PhStatus
ph_query_take(PhQueryReader *reader, const char *what, bool *taken)
{
	bool there = ph_query_is(reader, what);
	if (there)
		PH_TRY(ph_query_next(reader));
	*taken = there;
	return PH_OK;
}

PhStatus
ph_query_expected(const PhQueryReader *reader, const char *expected)
{
	size_t length = reader->position - reader->token.position;
	const char *hint = "See \"call-path queries\" in the SQL reference for the grammar.";
	if (reader->token.kind == PH_TOKEN_END)
		return ph_fail_hint(reader->arena->env, PH_ERR_VALUE, hint,
							"call-path query: expected %s at the end", expected);
	return ph_fail_hint(reader->arena->env, PH_ERR_VALUE, hint,
						"call-path query: expected %s at position %zu, found \"%.*s\"", expected,
						reader->token.position + 1, (int) PH_MIN(length, 60),
						reader->text + reader->token.position);
}

PhStatus
ph_query_expect(PhQueryReader *reader, const char *what)
{
	char quoted[32] = "\"";
	bool taken;
	PH_TRY(ph_query_take(reader, what, &taken));
	if (taken)
		return PH_OK;
	size_t length = strlen(what);
	memcpy(quoted + 1, what, length);
	quoted[length + 1] = '"';
	quoted[length + 2] = '\0';
	return ph_query_expected(reader, quoted);
}

PhStatus
ph_query_enter(PhQueryReader *reader)
{
	if (++reader->nesting > PH_QUERY_MAX_NESTING)
		return ph_fail(reader->arena->env, PH_ERR_LIMIT,
					   "call-path query has more than %d brackets within each other",
					   PH_QUERY_MAX_NESTING);
	return PH_OK;
}
