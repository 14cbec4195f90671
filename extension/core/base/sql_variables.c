/*
 * sql_variables.c - see sql_variables.h.
 *
 * One pass with PostgreSQL's rules for where quotes and comments end; what is not ended goes on to
 * the end of the text, where the server says so.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/sql_variables.h"

#include <string.h>

#include "base/letters.h"
#include "base/str.h"

typedef struct Reader
{
	PhArena *arena;
	const char *text;
	size_t at, end;
	size_t plain; /* where the part of plain text began */
	PhSqlParts *parts;
} Reader;

/* Of names beyond their first byte, and of bytes above ASCII. */
static bool
goes_on(char c)
{
	return ph_is_letter(c) || ph_is_digit(c) || (c & 0x80) != 0;
}

static char
look(const Reader *reader, size_t ahead)
{
	return reader->at + ahead < reader->end ? reader->text[reader->at + ahead] : '\0';
}

static bool
is_behind_name(const Reader *reader)
{
	char before = reader->at > 0 ? reader->text[reader->at - 1] : ' ';

	return goes_on(before) || before == '$';
}

/* ---- what variables are not in --------------------------------------------------------------- */

/* Does E'...' begin here, in which backslashes mean something? */
static bool
has_escapes(const Reader *reader)
{
	size_t at = reader->at;

	return at > 0 && ph_lower(reader->text[at - 1]) == 'e' &&
		   (at < 2 || (!goes_on(reader->text[at - 2]) && reader->text[at - 2] != '$'));
}

/* At a quote: behind the one that ends it. A doubled one does not. */
static void
skip_quoted(Reader *reader)
{
	char quote = reader->text[reader->at];
	bool escapes = quote == '\'' && has_escapes(reader);

	do
	{
		for (reader->at++; reader->at < reader->end && look(reader, 0) != quote; reader->at++)
			if (escapes && look(reader, 0) == '\\')
				reader->at++;
		reader->at++;
	} while (look(reader, 0) == quote);
	if (reader->at > reader->end)
		reader->at = reader->end;
}

static void
skip_line(Reader *reader)
{
	while (reader->at < reader->end && look(reader, 0) != '\n')
		reader->at++;
}

/* Comments contain comments. */
static void
skip_comment(Reader *reader)
{
	size_t depth = 0;

	do
	{
		bool opens = look(reader, 0) == '/' && look(reader, 1) == '*';
		bool closes = look(reader, 0) == '*' && look(reader, 1) == '/';

		depth = opens ? depth + 1 : closes ? depth - 1 : depth;
		reader->at += opens || closes ? 2 : 1;
	} while (depth > 0 && reader->at < reader->end);
	if (reader->at > reader->end)
		reader->at = reader->end;
}

/* At a $: behind $tag$...$tag$, or one byte on. */
static void
skip_dollars(Reader *reader)
{
	const char *begin = reader->text + reader->at;
	size_t n = 1;

	while (goes_on(look(reader, n)) && !(n == 1 && ph_is_digit(look(reader, 1))))
		n++;
	if (look(reader, n) != '$' || is_behind_name(reader))
	{
		reader->at++;
		return;
	}
	n++;
	for (reader->at += n; reader->at + n <= reader->end; reader->at++)
		if (memcmp(reader->text + reader->at, begin, n) == 0)
		{
			reader->at += n;
			return;
		}
	reader->at = reader->end;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static PhStatus
add(Reader *reader, size_t from, size_t to, bool is_variable)
{
	if (to == from)
		return PH_OK;
	PH_TRY(PH_ROOM(reader->arena, reader->parts));
	reader->parts->items[reader->parts->count++] = (PhSqlPart){
		.text = reader->text + from, .length = (uint32_t) (to - from), .is_variable = is_variable};
	return PH_OK;
}

/* How long the name is that begins so far ahead; 0: none does. */
static size_t
name_length(const Reader *reader, size_t ahead)
{
	size_t n = 0;

	if (!ph_is_letter(look(reader, ahead)))
		return 0;
	while (ph_is_letter(look(reader, ahead + n)) || ph_is_digit(look(reader, ahead + n)))
		n++;
	return n;
}

/* a[1:n], where psql would look for n as well, and leave it when there is none. */
static bool
is_slice(const Reader *reader)
{
	char before = reader->at > 0 ? reader->text[reader->at - 1] : ' ';

	return goes_on(before) || before == ']' || before == ')';
}

/* At a colon: a variable, or text as any other. */
static PhStatus
read_colon(Reader *reader)
{
	char quote = look(reader, 1);
	bool is_quoted = quote == '\'' || quote == '"';
	size_t begin = is_quoted ? 2 : 1;
	size_t n = name_length(reader, begin);

	if (quote == ':' || quote == '=')
	{
		reader->at += 2; /* a cast, or an assignment */
		return PH_OK;
	}
	if (n == 0 || is_slice(reader) || (is_quoted && look(reader, begin + n) != quote))
	{
		reader->at++;
		return PH_OK;
	}
	if (quote == '"')
		return ph_fail_hint(reader->arena->env, PH_ERR_VALUE,
							"Write the name itself: values of variables never become names.",
							"the variable :\"%.*s\" stands for a name", (int) n,
							reader->text + reader->at + 2);
	PH_TRY(add(reader, reader->plain, reader->at, false));
	PH_TRY(add(reader, reader->at + begin, reader->at + begin + n, true));
	reader->at += begin + n + (is_quoted ? 1 : 0);
	reader->plain = reader->at;
	return PH_OK;
}

static PhStatus
read_next(Reader *reader)
{
	char c = look(reader, 0);

	if (c == ':')
		return read_colon(reader);
	if (c == '$' && ph_is_digit(look(reader, 1)) && !is_behind_name(reader))
		return ph_fail_hint(reader->arena->env, PH_ERR_VALUE, "Name it, such as :run.",
							"it has a parameter ($%c) that nothing is given for", look(reader, 1));
	if (c == '\'' || c == '"')
		skip_quoted(reader);
	else if (c == '-' && look(reader, 1) == '-')
		skip_line(reader);
	else if (c == '/' && look(reader, 1) == '*')
		skip_comment(reader);
	else if (c == '$')
		skip_dollars(reader);
	else
		reader->at++;
	return PH_OK;
}

PhStatus
ph_sql_parts(PhArena *arena, const char *text, PhSqlParts *out)
{
	size_t end = strlen(text);
	Reader reader = {.arena = arena, .text = text, .parts = out};

	*out = (PhSqlParts){0};
	if (end > PH_SQL_MOST_BYTES)
		return ph_fail(arena->env, PH_ERR_LIMIT, "the query is longer than %zu kB",
					   PH_SQL_MOST_BYTES >> 10);
	while (end > 0 && (text[end - 1] == ';' || ph_is_space(text[end - 1])))
		end--;
	reader.end = end;
	while (reader.at < reader.end)
		PH_TRY(read_next(&reader));
	return add(&reader, reader.plain, reader.end, false);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The number of a variable, counted from 1. */
static PhStatus
number_of(PhArena *arena, const PhSqlPart *part, PhSqlNumbered *out, uint32_t *number)
{
	for (uint32_t i = 0; i < out->n; i++)
		if (strlen(out->names[i]) == part->length &&
			memcmp(out->names[i], part->text, part->length) == 0)
		{
			*number = i + 1;
			return PH_OK;
		}
	if (out->n == PH_SQL_MOST_VARIABLES)
		return ph_fail(arena->env, PH_ERR_LIMIT, "the query has more than %d variables",
					   PH_SQL_MOST_VARIABLES);
	PH_TRY(ph_arena_strndup(arena, part->text, part->length, &out->names[out->n]));
	*number = ++out->n;
	return PH_OK;
}

PhStatus
ph_sql_number(PhArena *arena, const char *text, PhSqlNumbered *out)
{
	PhSqlParts parts;
	PhStr sql;

	*out = (PhSqlNumbered){0};
	ph_str_init(&sql, arena);
	PH_TRY(ph_sql_parts(arena, text, &parts));
	for (uint32_t i = 0; i < parts.count; i++)
	{
		const PhSqlPart *part = &parts.items[i];
		uint32_t number = 0;

		if (!part->is_variable)
		{
			PH_TRY(ph_str_append_n(&sql, part->text, part->length));
			continue;
		}
		PH_TRY(number_of(arena, part, out, &number));
		/* a name may stand beside what would go on with the number */
		PH_TRY(ph_str_printf(&sql, "$%u", number));
		if (i + 1 < parts.count && goes_on(parts.items[i + 1].text[0]))
			PH_TRY(ph_str_append(&sql, " "));
	}
	return ph_str_take(&sql, &out->sql);
}
