/*
 * help_text.h - long help texts: how docs/help writes them, and lines as wide as the terminal.
 *
 * Blocks, parted by blank lines or by the beginning of the next:
 *
 *     paragraph, filled to the width it is printed in
 *     TERM:: what it means, in lines that go on
 *         when they begin with a blank
 *       a line as it stands begins with two blanks (examples)
 *     # Heading
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_HELP_TEXT_H
#define PH_CLI_HELP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum PhHelpKind
{
	PH_HELP_PARAGRAPH,
	PH_HELP_TERM,
	PH_HELP_VERBATIM,
	PH_HELP_HEADING
} PhHelpKind;

/* Points into the text. */
typedef struct PhHelpBlock
{
	PhHelpKind kind;
	bool apart;		  /* a blank line stands before it */
	const char *term; /* of a term */
	size_t term_length;
	const char *text; /* may span lines */
	size_t length;
} PhHelpBlock;

/* The next block at *at, which moves behind it; false at the end. */
bool ph_help_next(const char **at, PhHelpBlock *block);

/* The next word of a text of that length, which shrinks; false: none left. */
bool ph_help_word(const char **text, size_t *length, const char **word, size_t *word_length);

/* Columns of a text of that many bytes. */
size_t ph_help_columns(const char *text, size_t length);

/* Prints words with one blank between them, in lines that end before `width`. *column: where the
 * line stands, 0 at its beginning; lines begin after `indent` blanks. */
void ph_help_wrap(FILE *stream, const char *text, size_t length, size_t indent, size_t width,
				  size_t *column);

/* How wide lines are: COLUMNS, else the terminal, else 80; from 40 to 120. */
size_t ph_help_width(FILE *stream);

#endif
