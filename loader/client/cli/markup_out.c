/*
 * markup_out.c - data as text of XML, HTML and Markdown: what it holds is never markup.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/markup_out.h"

#include <stdbool.h>
#include <string.h>

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

void
ph_markdown_put_text(FILE *out, const char *text)
{
	while (text != NULL && *text != '\0')
	{
		const char *start = text;
		uint32_t character = ph_utf8_next(&text);

		if (character == PH_BAD_CHARACTER)
			fputs(REPLACEMENT, out);
		else if (character < ' ')
			fputc(' ', out);
		else if (character < 0x80 && strchr("\\`*_{}[]<>()#+!|~&@:", (int) character) != NULL)
			fprintf(out, "&#%u;", character); /* no backslash: it does not hold within code */
		else
			fwrite(start, 1, (size_t) (text - start), out);
	}
}
