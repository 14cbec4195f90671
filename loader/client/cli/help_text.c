/*
 * help_text.c - long help texts: their blocks, and lines as wide as the terminal.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/help_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_WIDTH 40
#define USUAL_WIDTH 80
#define MOST_WIDTH 120 /* longer lines are hard to read */

/* ---- blocks -------------------------------------------------------------------------------- */

static const char *
end_of_line(const char *line)
{
	return line + strcspn(line, "\n");
}

static const char *
line_after(const char *line)
{
	const char *end = end_of_line(line);

	return *end == '\n' ? end + 1 : end;
}

static const char *
term_end(const char *line)
{
	const char *end = end_of_line(line);
	const char *colons = strstr(line, ":: ");

	return colons != NULL && colons < end ? colons : NULL;
}

static PhHelpKind
kind_of(const char *line)
{
	if (strncmp(line, "# ", 2) == 0)
		return PH_HELP_HEADING;
	if (strncmp(line, "  ", 2) == 0)
		return PH_HELP_VERBATIM;
	return term_end(line) != NULL ? PH_HELP_TERM : PH_HELP_PARAGRAPH;
}

/* Does the line go on with a block of that kind? */
static bool
continues(PhHelpKind kind, const char *line)
{
	if (*line == '\0' || *line == '\n' || kind == PH_HELP_HEADING)
		return false;
	if (kind == PH_HELP_TERM)
		return *line == ' ';
	return kind_of(line) == kind;
}

bool
ph_help_next(const char **at, PhHelpBlock *block)
{
	const char *line = *at + strspn(*at, "\n");
	const char *end;

	*block = (PhHelpBlock){.kind = kind_of(line), .apart = line > *at, .text = line};
	if (*line == '\0')
		return false;
	if (block->kind == PH_HELP_TERM)
	{
		block->term = line;
		block->text = term_end(line) + 3;
		block->term_length = (size_t) (block->text - 3 - line);
	}
	else if (block->kind == PH_HELP_HEADING)
		block->text = line + 2;
	do
	{
		end = end_of_line(line);
		line = line_after(line);
	} while (continues(block->kind, line));
	block->length = (size_t) (end - block->text);
	*at = line;
	return true;
}

/* ---- lines --------------------------------------------------------------------------------- */

bool
ph_help_word(const char **text, size_t *length, const char **word, size_t *word_length)
{
	while (*length > 0 && (**text == ' ' || **text == '\n'))
	{
		(*text)++;
		(*length)--;
	}
	*word = *text;
	for (*word_length = 0; *length > 0 && **text != ' ' && **text != '\n'; (*word_length)++)
	{
		(*text)++;
		(*length)--;
	}
	return *word_length > 0;
}

size_t
ph_help_columns(const char *text, size_t length)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++)
		n += ((unsigned char) text[i] & 0xc0) != 0x80;
	return n;
}

void
ph_help_wrap(FILE *stream, const char *text, size_t length, size_t indent, size_t width,
			 size_t *column)
{
	const char *word;
	size_t n;

	while (ph_help_word(&text, &length, &word, &n))
	{
		size_t columns = ph_help_columns(word, n);

		if (*column > indent && *column + 1 + columns >= width)
		{
			fputc('\n', stream);
			*column = 0;
		}
		if (*column < indent)
		{
			fprintf(stream, "%*s", (int) (indent - *column), "");
			*column = indent;
		}
		else if (*column > indent)
		{
			fputc(' ', stream);
			(*column)++;
		}
		fwrite(word, 1, n, stream);
		*column += columns;
	}
}

size_t
ph_help_width(FILE *stream)
{
	const char *given = getenv("COLUMNS");
	long width = given != NULL ? strtol(given, NULL, 10) : 0;
	struct winsize size;

	if (width <= 0 && isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width <= 0)
		width = USUAL_WIDTH;
	if (width < LEAST_WIDTH)
		return LEAST_WIDTH;
	return width > MOST_WIDTH ? MOST_WIDTH : (size_t) width;
}
