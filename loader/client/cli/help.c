/*
 * help.c - --help, from the declarations and the texts of docs/help.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/help_text.h"
#include "cli/internal.h"
#include "cli/text_table.h"
#include "system/memory.h"

#define OPTION_COLUMN 30
#define NARROW_COLUMN 10 /* where lines have less than twice as much */
#define MOST_BOUND 1e6	 /* what is larger is no limit that anybody meets */
#define MOST_TERM 24	 /* a longer term has a line of its own */

/* ---- one parameter ------------------------------------------------------------------------- */

static char *
option_heading(const PhParameter *option)
{
	char letter[6] = "    ";

	if (option->letter != 0)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	if (option->value == NULL)
		return ph_format("%s--%s", letter, option->name);
	return ph_format("%s--%s %s", letter, option->name, option->value);
}

static void
describe_range(FILE *out, const PhParameter *parameter)
{
	bool is_number =
		parameter->type == PH_PARAMETER_INTEGER || parameter->type == PH_PARAMETER_NUMBER;

	if (parameter->unit != NULL)
		fprintf(out, " (in %s)", parameter->unit);
	if (is_number && parameter->most > 0 && parameter->most <= MOST_BOUND)
		fprintf(out, "; %.15g to %.15g", parameter->least, parameter->most);
}

char *
ph_cli_describe(const PhParameter *parameter)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return ph_format("%s", parameter->help);
	fputs(parameter->help, out);
	describe_range(out, parameter);
	for (const char *const *choice = parameter->choices; choice && *choice; choice++)
		fprintf(out, "%s%s", choice == parameter->choices ? "; one of " : ", ", *choice);
	if (parameter->repeats)
		fputs("; may be repeated", out);
	if (parameter->fallback != NULL && *parameter->fallback != '\0')
		fprintf(out, "; default %s", parameter->fallback);
	if (parameter->environment != NULL)
		fprintf(out, " [$%s]", parameter->environment);
	fclose(out);
	return text;
}

/* A name and what it means beside it, from `column` on. */
static void
print_entry(FILE *stream, size_t indent, const char *name, size_t name_length, const char *text,
			size_t length, size_t column)
{
	size_t at = indent + ph_help_columns(name, name_length);

	fprintf(stream, "%*s%.*s", (int) indent, "", (int) name_length, name);
	if (at + 1 > column)
	{
		fputc('\n', stream);
		at = 0;
	}
	ph_help_wrap(stream, text, length, column, ph_help_width(stream), &at);
	fputc('\n', stream);
}

static void
print_option(FILE *stream, const PhParameter *option)
{
	bool is_narrow = ph_help_width(stream) < 2 * OPTION_COLUMN;
	char *heading = option_heading(option);
	char *text = ph_cli_describe(option);

	print_entry(stream, 2, heading, strlen(heading), text, strlen(text),
				is_narrow ? NARROW_COLUMN : OPTION_COLUMN);
	free(text);
	free(heading);
}

/* ---- texts --------------------------------------------------------------------------------- */

/* Where the meanings of the terms from here on begin. */
static size_t
term_column(const char *text)
{
	PhHelpBlock block;
	size_t widest = 0;

	while (ph_help_next(&text, &block) && block.kind == PH_HELP_TERM)
	{
		size_t columns = ph_help_columns(block.term, block.term_length);

		widest = columns > widest && columns <= MOST_TERM ? columns : widest;
	}
	return widest + 4;
}

static void
print_block(FILE *stream, const PhHelpBlock *block, size_t terms)
{
	size_t column = 0;

	switch (block->kind)
	{
		case PH_HELP_TERM:
			print_entry(stream, 2, block->term, block->term_length, block->text, block->length,
						terms);
			break;
		case PH_HELP_HEADING:
			fprintf(stream, "%.*s:\n", (int) block->length, block->text);
			break;
		case PH_HELP_VERBATIM:
			fprintf(stream, "%.*s\n", (int) block->length, block->text);
			break;
		case PH_HELP_PARAGRAPH:
			ph_help_wrap(stream, block->text, block->length, 0, ph_help_width(stream), &column);
			fputc('\n', stream);
	}
}

void
ph_cli_print_text(FILE *stream, const char *text)
{
	PhHelpKind last = PH_HELP_PARAGRAPH;
	const char *start = text;
	PhHelpBlock block;
	size_t terms = 0;

	for (const char *here = text; ph_help_next(&text, &block); here = text)
	{
		if (block.apart && here != start && last != PH_HELP_HEADING)
			fputc('\n', stream);
		if (block.kind == PH_HELP_TERM && (last != PH_HELP_TERM || block.apart))
			terms = term_column(here);
		print_block(stream, &block, terms);
		last = block.kind;
	}
}

/* ---- commands and programs ----------------------------------------------------------------- */

void
ph_cli_print_command_help(FILE *stream, const PhProgram *program, const PhCommand *command)
{
	const PhParameter *tables[PH_MOST_TABLES];
	size_t n_tables = ph_cli_option_tables(command, tables);
	size_t column = 0;
	char *title = ph_format("%s %s - %s", program->name, command->name, command->help);

	ph_help_wrap(stream, title, strlen(title), 0, ph_help_width(stream), &column);
	fprintf(stream, "\n\nUsage: %s %s %s\n\nOptions:\n", program->name, command->name,
			command->usage);
	for (size_t t = 0; t < n_tables; t++)
		for (const PhParameter *option = tables[t]; option->name != NULL; option++)
			print_option(stream, option);
	if (command->details != NULL)
	{
		fputc('\n', stream);
		ph_cli_print_text(stream, command->details);
	}
	free(title);
}

static size_t
command_column(const PhProgram *program)
{
	size_t widest = 0;

	for (const PhCommand *const *command = program->commands; *command != NULL; command++)
		if (ph_text_width((*command)->name) > widest)
			widest = ph_text_width((*command)->name);
	return widest + 4;
}

void
ph_cli_print_program_help(FILE *stream, const PhProgram *program)
{
	int placeholder = (int) strcspn(program->usage, " ");
	size_t column = command_column(program);

	fprintf(stream, "%s - %s\n\nUsage: %s %s\n\n%c%ss:\n", program->name, program->summary,
			program->name, program->usage, program->noun[0] - 'a' + 'A', program->noun + 1);
	for (const PhCommand *const *command = program->commands; *command != NULL; command++)
		print_entry(stream, 2, (*command)->name, strlen((*command)->name), (*command)->help,
					strlen((*command)->help), column);
	fprintf(stream, "\n\"%s %.*s --help\" explains a %s; --version prints the version.\n",
			program->name, placeholder, program->usage, program->noun);
	if (program->footer != NULL)
	{
		fputc('\n', stream);
		ph_cli_print_text(stream, program->footer);
	}
}
