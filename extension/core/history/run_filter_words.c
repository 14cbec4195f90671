/*
 * run_filter_words.c - the words of a run filter: names, "names", 'texts', numbers, symbols.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/letters.h"
#include "history/run_filter_internal.h"

static char
peek(const PhFilterReader *reader, size_t ahead)
{
	size_t at = reader->position + ahead;
	return at < reader->length ? reader->text[at] : '\0';
}

PhStatus
ph_filter_error(const PhFilterReader *reader, const char *what)
{
	return ph_fail_hint(reader->arena->env, PH_ERR_VALUE, PH_FILTER_HINT,
						"run filter: %s at position %zu", what, reader->word.position + 1);
}

/* Take n bytes as the current word. */
static PhStatus
take(PhFilterReader *reader, PhWordKind kind, size_t n)
{
	reader->word.kind = kind;
	PH_TRY(ph_arena_strndup(reader->arena, reader->text + reader->position, n, &reader->word.text));
	reader->position += n;
	return PH_OK;
}

static size_t
digits_from(const PhFilterReader *reader, size_t n)
{
	while (ph_is_digit(peek(reader, n)))
		n++;
	return n;
}

/* Length of a number at the reader, 0 for none: digits, fraction, exponent. */
static size_t
number_length(const PhFilterReader *reader)
{
	size_t begin = peek(reader, 0) == '-' || peek(reader, 0) == '+';
	size_t n = digits_from(reader, begin);
	if (n == begin)
		return 0;
	if (peek(reader, n) == '.' && ph_is_digit(peek(reader, n + 1)))
		n = digits_from(reader, n + 1);
	if (ph_lower(peek(reader, n)) == 'e')
	{
		size_t sign = peek(reader, n + 1) == '-' || peek(reader, n + 1) == '+';
		if (ph_is_digit(peek(reader, n + 1 + sign)))
			n = digits_from(reader, n + 1 + sign);
	}
	return n;
}

/* Between two quotes of a kind; a doubled one stands for itself. */
static PhStatus
take_quoted(PhFilterReader *reader, char quote, PhWordKind kind)
{
	char *text;
	size_t length = 0, at = reader->position + 1;
	PH_TRY(ph_arena_alloc(reader->arena, reader->length - at + 1, 1, (void **) &text));
	for (; at < reader->length; at++)
	{
		if (reader->text[at] == '\0')
			return ph_filter_error(reader, "a zero byte in the text");
		if (reader->text[at] == quote)
		{
			if (at + 1 >= reader->length || reader->text[at + 1] != quote)
			{
				reader->word.kind = kind;
				reader->word.text = text;
				reader->position = at + 1;
				return PH_OK;
			}
			at++;
		}
		text[length++] = reader->text[at];
	}
	return ph_filter_error(reader, "a text that does not end");
}

static PhStatus
take_symbol(PhFilterReader *reader)
{
	static const char *const symbols[] = {"!~*", "<>", "!=", "<=", ">=", "~*", "!~", "=",
										  "<",	 ">",  "~",	 "(",  ")",	 ",",  "."};
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
	{
		size_t n = strlen(symbols[i]);
		if (reader->length - reader->position >= n &&
			memcmp(reader->text + reader->position, symbols[i], n) == 0)
			return take(reader, PH_WORD_SYMBOL, n);
	}
	return ph_filter_error(reader, "a character that has no meaning");
}

PhStatus
ph_filter_next(PhFilterReader *reader)
{
	while (reader->position < reader->length && ph_is_space(peek(reader, 0)))
		reader->position++;
	reader->word = (PhWord){.position = reader->position, .text = NULL};
	if (reader->position >= reader->length)
		return take(reader, PH_WORD_END, 0);
	char c = peek(reader, 0);
	if (c == '\'' || c == '"')
		return take_quoted(reader, c, c == '"' ? PH_WORD_QUOTED : PH_WORD_TEXT);
	if (ph_is_letter(c))
	{
		size_t n = 1;
		while (ph_is_letter(peek(reader, n)) || ph_is_digit(peek(reader, n)))
			n++;
		return take(reader, PH_WORD_NAME, n);
	}
	size_t n = number_length(reader);
	return n > 0 ? take(reader, PH_WORD_NUMBER, n) : take_symbol(reader);
}

/* What ends a bare word, and what cannot begin one. */
static bool
ends_value(char c)
{
	return c == '\0' || ph_is_space(c) || strchr("(),'\"", c) != NULL;
}

static bool
is_reserved(const PhFilterReader *reader, size_t n)
{
	static const char *const words[] = {"and", "or",	  "not",  "null", "in",
										"is",  "between", "like", "ilike"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
	{
		size_t k = 0;
		while (k < n && ph_lower(peek(reader, k)) == words[i][k])
			k++;
		if (k == n && words[i][n] == '\0')
			return true;
	}
	return false;
}

PhStatus
ph_filter_next_value(PhFilterReader *reader)
{
	size_t n = 0;
	while (reader->position < reader->length && ph_is_space(peek(reader, 0)))
		reader->position++;
	while (!ends_value(peek(reader, n)))
		n++;
	if (n == 0 || strchr("=<>!~;", peek(reader, 0)) != NULL || is_reserved(reader, n))
		return ph_filter_next(reader);
	reader->word = (PhWord){.position = reader->position, .text = NULL};
	return take(reader, number_length(reader) == n ? PH_WORD_NUMBER : PH_WORD_TEXT, n);
}

bool
ph_filter_at(const PhFilterReader *reader, const char *word)
{
	const char *text = reader->word.text;
	if (reader->word.kind != PH_WORD_NAME && reader->word.kind != PH_WORD_SYMBOL)
		return false;
	for (; *text != '\0' && ph_lower(*text) == *word; text++, word++)
		continue;
	return *text == '\0' && *word == '\0';
}
