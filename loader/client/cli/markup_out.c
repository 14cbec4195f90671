/*
 * markup_out.c - data as text of XML, HTML and Markdown: what it holds is never markup.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/markup_out.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "system/utf8_text.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* The character as XML and HTML write it; NULL: as it is. */
static const char *
entity_of(uint32_t character)
{
	switch (character)
	{
		case '<':
			return "&lt;";
		case '>':
			return "&gt;";
		case '&':
			return "&amp;";
		case '"':
			return "&quot;";
		case '\'':
			return "&#39;";
		default:
			return NULL;
	}
}

/* May XML hold it? */
static bool
is_xml(uint32_t character)
{
	return character != PH_BAD_CHARACTER && character != 0xfffe && character != 0xffff &&
		   (character >= ' ' || character == '\t' || character == '\n' || character == '\r');
}

void
ph_markup_put_text(FILE *out, const char *text)
{
	while (text != NULL && *text != '\0')
	{
		const char *start = text;
		uint32_t character = ph_utf8_next(&text);
		const char *entity = entity_of(character);

		if (entity != NULL)
			fputs(entity, out);
		else if (is_xml(character))
			fwrite(start, 1, (size_t) (text - start), out);
		else
			fputs(REPLACEMENT, out);
	}
}

/* ---- Markdown ---- */

/* A place in a text of which one character decides whether it is markup. */
typedef struct Place
{
	const char *at;
	char before;	 /* of underscores: before all of them; ' ': the text begins here */
	bool begins;	 /* nothing but blanks is before it */
	bool has_digits; /* nothing but digits is before it, and some */
} Place;

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_blank_or_end(char c)
{
	return (unsigned char) c <= ' ';
}

/* An underscore between letters or digits, as in MPI_Send or a__b, is no emphasis. */
static bool
is_emphasis(const Place *place)
{
	const char *end = place->at + strspn(place->at, "_");

	return !is_alnum(*end) || !is_alnum(place->before);
}

/* "www." makes a link, as "://" does. */
static bool
ends_www(const Place *place, const char *text)
{
	return place->at - text >= 3 && strncasecmp(place->at - 3, "www", 3) == 0;
}

/* Would Markdown, or what links references afterwards, take the character for more than itself? */
static bool
is_markup(const Place *place, const char *text)
{
	char next = place->at[1];

	switch (*place->at)
	{
		case '`':
		case '*':
		case '[':
		case ']':
		case '<':
		case '|':
		case '~':
		case '$': /* a formula, of "!$omp parallel ... !$omp end" */
			return true;
		case '\\':
			return !is_alnum(next) && next != ' ';
		case '_':
			return is_emphasis(place);
		case '&':
			return is_alnum(next) || next == '#';
		case ':':
			return next == '/' && place->at[2] == '/';
		case '{':
			return next == '+' || next == '-'; /* a change within a line, at GitLab */
		case '@':
			return !is_blank_or_end(next);
		case '!':
			return is_digit(next);
		case '#':
			return place->begins || is_digit(next);
		case '>':
			return place->begins;
		case '+':
		case '-':
		case '=':
			return place->begins && !is_alnum(next) && next != '.';
		case ')':
			return place->has_digits && is_blank_or_end(next);
		case '.':
			return ends_www(place, text) || (place->has_digits && is_blank_or_end(next));
		default:
			return false;
	}
}

/*
 * As an entity, since a backslash does not hold within code. Mentions of people and numbers of
 * issues are looked for in what entities became, so that a space without width has to part them.
 */
static void
put_escaped(FILE *out, char c, char next)
{
	if (c == '<')
		fputs("&lt;", out);
	else if (c == '&')
		fputs("&amp;", out);
	else if (c == '@' || c == '!' || (c == '#' && is_digit(next)))
		fprintf(out, "%c&#8203;", c);
	else
		fprintf(out, "&#%d;", c);
}

void
ph_markdown_put_text(FILE *out, const char *text)
{
	Place place = {NULL, ' ', true, false};
	const char *first = text;

	while (text != NULL && *text != '\0')
	{
		uint32_t character;

		place.at = text;
		character = ph_utf8_next(&text);
		if (character == PH_BAD_CHARACTER)
			fputs(REPLACEMENT, out);
		else if (character <= ' ')
		{
			if (!place.begins) /* many of them would begin code */
				fputc(' ', out);
		}
		else if (character < 0x80 && is_markup(&place, first))
			put_escaped(out, *place.at, place.at[1]);
		else
			fwrite(place.at, 1, (size_t) (text - place.at), out);
		place.has_digits = (place.begins || place.has_digits) && is_digit(*place.at);
		place.begins = place.begins && character <= ' ';
		if (character >= 0x80)
			place.before = '\x7f'; /* any that is no letter of ASCII */
		else if (character != '_')
			place.before = *place.at;
	}
}
