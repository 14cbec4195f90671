/*
 * manual.c - man pages, from the declarations and the texts of docs/help.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/help_text.h"
#include "cli/internal.h"
#include "system/memory.h"

#define MOST_OPTIONS 256

/* ---- troff --------------------------------------------------------------------------------- */

/* Text for troff: backslashes, hyphens, quotes and leading dots are its commands. */
static void
put(FILE *out, const char *text, size_t length)
{
	bool line_start = true;

	for (size_t i = 0; i < length; i++)
	{
		char c = text[i];

		if (line_start && (c == '.' || c == '\''))
			fputs("\\&", out);
		if (c == '\\')
			fputs("\\e", out);
		else if (c == '-')
			fputs("\\-", out);
		else if (c == '\'')
			fputs("\\(aq", out);
		else if (c == '~')
			fputs("\\(ti", out);
		else if (c == '^')
			fputs("\\(ha", out);
		else
			fputc(c, out);
		line_start = c == '\n';
	}
}

static void
put_text(FILE *out, const char *text)
{
	put(out, text, strlen(text));
}

static void
put_upper(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		fputc(toupper((unsigned char) text[i]), out);
}

/* The bytes of a word that name an option: "--vs" of "(--vs)" starts at *start. */
static size_t
option_in(const char *word, size_t length, size_t *start)
{
	size_t n = 2;

	*start = 0;
	while (*start < length && !isalnum((unsigned char) word[*start]) && word[*start] != '-')
		(*start)++;
	if (*start + 2 >= length || strncmp(word + *start, "--", 2) != 0 ||
		!islower((unsigned char) word[*start + 2]))
		return 0;
	while (*start + n < length &&
		   (islower((unsigned char) word[*start + n]) || word[*start + n] == '-'))
		n++;
	return n;
}

/* Words of running text, a sentence a line, names of options bold. */
static void
put_words(FILE *out, const char *text, size_t length)
{
	const char *separator = "";
	const char *word;
	size_t n;

	while (ph_help_word(&text, &length, &word, &n))
	{
		size_t start;
		size_t bold = option_in(word, n, &start);
		bool is_end = n > 1 && strchr(".?!", word[n - 1]) != NULL;

		fputs(separator, out);
		if (*separator != ' ' && (word[0] == '.' || word[0] == '\''))
			fputs("\\&", out);
		put(out, word, bold > 0 ? start : n);
		if (bold > 0)
		{
			fputs("\\fB", out);
			put(out, word + start, bold);
			fputs("\\fR", out);
			put(out, word + start + bold, n - start - bold);
		}
		separator = is_end ? "\n" : " ";
	}
	fputc('\n', out);
}

static void
put_verbatim(FILE *out, const char *text, size_t length, bool is_first)
{
	fputs(is_first ? ".nf\n.RS 4\n" : ".PP\n.nf\n.RS 4\n", out);
	while (length > 0)
	{
		const char *end = memchr(text, '\n', length);
		size_t n = end != NULL ? (size_t) (end - text) : length;
		size_t blanks = n >= 2 ? 2 : n;

		put(out, text + blanks, n - blanks);
		fputc('\n', out);
		n += end != NULL;
		text += n;
		length -= n;
	}
	fputs(".RE\n.fi\n", out);
}

static void
put_term(FILE *out, const PhHelpBlock *block)
{
	fputs(".TP\n.B ", out);
	put(out, block->term, block->term_length);
	fputc('\n', out);
	put_words(out, block->text, block->length);
}

static void
put_section(FILE *out, const PhHelpBlock *block)
{
	fputs(".SH ", out);
	put_upper(out, block->text, block->length);
	fputc('\n', out);
}

/* A text of docs/help; its headings are the page's when is_page. A page's text begins below a
 * heading, where no break of paragraphs belongs. */
static void
put_details(FILE *out, const char *text, bool is_page)
{
	bool is_first = is_page;
	PhHelpBlock block;

	while (ph_help_next(&text, &block))
	{
		bool is_section = is_page && block.kind == PH_HELP_HEADING;

		if (is_section)
			put_section(out, &block);
		else if (block.kind == PH_HELP_TERM)
			put_term(out, &block);
		else if (block.kind == PH_HELP_VERBATIM)
			put_verbatim(out, block.text, block.length, is_first);
		else
		{
			fputs(is_first ? "" : ".PP\n", out);
			put_words(out, block.text, block.length);
		}
		is_first = is_section;
	}
}

/* ---- options ------------------------------------------------------------------------------- */

static void
put_heading(FILE *out, const PhParameter *option)
{
	fputs(".TP\n", out);
	if (option->letter != 0)
		fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
	fputs("\\fB\\-\\-", out);
	put_text(out, option->name);
	fputs("\\fR", out);
	if (option->value != NULL)
	{
		fputs(" \\fI", out);
		put_text(out, option->value);
		fputs("\\fR", out);
	}
	fputc('\n', out);
}

static void
put_description(FILE *out, const PhParameter *option)
{
	char *text = ph_cli_describe(option);

	put_words(out, text, strlen(text));
	free(text);
}

static void
put_options(FILE *out, const PhParameter *options)
{
	for (const PhParameter *option = options; option != NULL && option->name != NULL; option++)
	{
		put_heading(out, option);
		put_description(out, option);
	}
}

/* ---- options that commands share ----------------------------------------------------------- */

/* A way in which some commands take an option. */
typedef struct Use
{
	const PhParameter *option;
	char *text;
	char *commands; /* names, parted by commas */
} Use;

static void
note_use(Use *uses, size_t *n, const PhParameter *option, const char *command)
{
	char *text = ph_cli_describe(option);
	char *commands;
	size_t i = 0;

	while (i < *n &&
		   (strcmp(uses[i].option->name, option->name) != 0 || strcmp(uses[i].text, text) != 0))
		i++;
	if (i == *n && *n < MOST_OPTIONS)
		uses[(*n)++] = (Use){.option = option, .text = text};
	else
		free(text);
	if (i == *n)
		return;
	commands = uses[i].commands != NULL ? ph_format("%s, %s", uses[i].commands, command)
										: ph_format("%s", command);
	free(uses[i].commands);
	uses[i].commands = commands;
}

/* Is the option in the same way in all commands that take it? */
static bool
is_alone(const Use *uses, size_t n, size_t i)
{
	for (size_t j = 0; j < n; j++)
		if (j != i && strcmp(uses[i].option->name, uses[j].option->name) == 0)
			return false;
	return true;
}

static bool
was_put(const Use *uses, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(uses[i].option->name, uses[j].option->name) == 0)
			return true;
	return false;
}

/* All ways of the option that uses[i] names, each with the commands that take it so. */
static void
put_use(FILE *out, const Use *uses, size_t n, size_t i)
{
	const char *between = "";

	put_heading(out, uses[i].option);
	for (size_t j = i; j < n; j++)
	{
		if (strcmp(uses[i].option->name, uses[j].option->name) != 0)
			continue;
		fputs(between, out);
		if (!is_alone(uses, n, j))
		{
			fputs("In ", out);
			put_text(out, uses[j].commands);
			fputs(":\n", out);
		}
		put_words(out, uses[j].text, strlen(uses[j].text));
		between = ".br\n";
	}
}

static void
put_shared_options(FILE *out, const PhProgram *program)
{
	Use *uses = ph_must_alloc(MOST_OPTIONS, sizeof(Use));
	size_t n = 0;

	for (const PhCommand *const *command = program->commands; *command != NULL; command++)
		for (const PhParameter *option = (*command)->options; option->name != NULL; option++)
			note_use(uses, &n, option, (*command)->name);
	fputs(".SH OPTIONS\n", out);
	for (size_t i = 0; i < n; i++)
		if (!was_put(uses, i))
			put_use(out, uses, n, i);
	for (size_t i = 0; i < n; i++)
	{
		free(uses[i].text);
		free(uses[i].commands);
	}
	free(uses);
}

/* ---- sections ------------------------------------------------------------------------------ */

static void
put_title(FILE *out, const char *program, const char *command, const char *summary)
{
	char *name = command != NULL ? ph_format("%s-%s", program, command) : ph_format("%s", program);

	for (char *blank = strchr(name, ' '); blank != NULL; blank = strchr(blank, ' '))
		*blank = '-';
	fputs(".\\\" Generated by make docs from the declarations and docs/help; do not edit.\n"
		  ".\\\" SPDX-License-Identifier: PostgreSQL\n.TH ",
		  out);
	put_upper(out, name, strlen(name));
	fprintf(out, " 1 \"\" \"perfhouse %s\" \"perfhouse manual\"\n.SH NAME\n", PH_VERSION);
	put_text(out, name);
	fputs(" \\- ", out);
	put_text(out, summary);
	fputc('\n', out);
	free(name);
}

static void
put_synopsis(FILE *out, const char *program, const char *command, const char *usage)
{
	fprintf(out, ".SH SYNOPSIS\n.B %s%s%s\n", program, command != NULL ? " " : "",
			command != NULL ? command : "");
	put_text(out, usage);
	fputs("\n", out);
}

static void
put_command(FILE *out, const PhProgram *program, const PhCommand *command)
{
	fputs(program->shares_options ? ".SS " : ".SS \"", out);
	put_text(out, command->name);
	if (!program->shares_options && *command->usage != '\0')
	{
		fputc(' ', out);
		put_text(out, command->usage);
	}
	fputs(program->shares_options ? "\n" : "\"\n", out);
	put_words(out, command->help, strlen(command->help));
	if (!program->shares_options)
		put_options(out, command->options);
	if (command->details != NULL)
		put_details(out, command->details, false);
}

static void
put_exit_codes(FILE *out)
{
	fputs(".SH EXIT STATUS\n", out);
	for (int code = 0; code <= PH_EXIT_INTERRUPTED; code++)
	{
		const char *meaning = ph_exit_meaning((PhExit) code);

		if (strcmp(meaning, "unknown") == 0)
			continue;
		fprintf(out, ".TP\n.B %d\n", code);
		put_text(out, meaning);
		fputc('\n', out);
	}
}

static void
put_see_also(FILE *out, const char *self)
{
	static const char *const pages[] = {"perfhouse", "perfhouse-render", "perfhouse-serve"};
	const char *separator = "";

	fputs(".SH SEE ALSO\n", out);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
	{
		if (strcmp(pages[i], self) == 0)
			continue;
		fprintf(out, "%s.BR ", separator);
		put_text(out, pages[i]);
		fputs(" (1)", out);
		separator = ",\n";
	}
	fputc('\n', out);
}

static void
put_end(FILE *out, const char *self)
{
	put_exit_codes(out);
	put_see_also(out, self);
}

void
ph_cli_print_command_manual(FILE *stream, const PhProgram *program, const PhCommand *command)
{
	char *name = ph_format("%s-%s", program->name, command->name);
	const char *details = command->details != NULL ? command->details : "";
	const char *heading = strstr(details, "\n# ");
	char *description = heading != NULL ? ph_format("%.*s", (int) (heading + 1 - details), details)
										: ph_format("%s", details);

	put_title(stream, program->name, command->name, command->help);
	put_synopsis(stream, program->name, command->name, command->usage);
	fputs(".SH DESCRIPTION\n", stream);
	put_details(stream, description, true);
	fputs(".SH OPTIONS\n", stream);
	put_options(stream, command->options);
	if (command->uses_database)
		put_options(stream, ph_cli_database_options);
	put_options(stream, ph_cli_common_options);
	if (heading != NULL)
		put_details(stream, heading + 1, true);
	put_end(stream, name);
	free(description);
	free(name);
}

void
ph_cli_print_program_manual(FILE *stream, const PhProgram *program)
{
	char *self = ph_format("%s", program->name);

	for (char *blank = strchr(self, ' '); blank != NULL; blank = strchr(blank, ' '))
		*blank = '-';
	put_title(stream, program->name, NULL, program->summary);
	put_synopsis(stream, program->name, NULL, program->usage);
	fputs(".SH DESCRIPTION\n", stream);
	if (program->footer != NULL)
		put_details(stream, program->footer, true);
	fputs(".SH ", stream);
	put_upper(stream, program->noun, strlen(program->noun));
	fputs("S\n", stream);
	for (const PhCommand *const *command = program->commands; *command != NULL; command++)
		put_command(stream, program, *command);
	if (program->shares_options)
		put_shared_options(stream, program);
	fputs(".SH COMMON OPTIONS\n", stream);
	put_options(stream, ph_cli_database_options);
	put_options(stream, ph_cli_common_options);
	put_end(stream, self);
	free(self);
}
