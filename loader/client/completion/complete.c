/*
 * complete.c - what could stand in place of a command line's last word.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "completion/complete.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/internal.h"
#include "completion/offers.h"
#include "system/memory.h"

/* What the words before the last one mean. */
typedef struct Line
{
	const PhProgram *program;
	const PhCommand *command; /* NULL: none yet */
	bool unknown_command;
	const PhParameter *awaits; /* the option whose value the last word is; NULL: none */
	bool ended;				   /* "--" was met */
	const char *first;		   /* argument of the command; NULL: none yet */
	size_t n_arguments;
	const char *db;
	const char *const *words;
	size_t n_words; /* before the last one */
	const char *last;
} Line;

/* ---- printing ------------------------------------------------------------------------------ */

static bool
has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char) *text < ' ' || *text == 0x7f)
			return true;
	return false;
}

/* A word that continues the last one, and what it is. before: what stands before it in the word. */
static void
offer(const Line *line, int n_before, const char *before, const char *word, const char *about)
{
	size_t before_length = (size_t) n_before;

	if (strncmp(line->last + before_length, word, strlen(line->last + before_length)) != 0 ||
		has_control(word) || *word == '\0')
		return;
	printf("%.*s%s\t", n_before, before, word);
	for (; about != NULL && *about != '\0'; about++)
		putchar((unsigned char) *about < ' ' || *about == 0x7f ? ' ' : *about);
	putchar('\n');
}

/* ---- values -------------------------------------------------------------------------------- */

typedef struct Prefix
{
	const Line *line;
	int length;
} Prefix;

static void
take(void *user, const char *value, const char *about)
{
	const Prefix *prefix = user;

	if (value != NULL)
		offer(prefix->line, prefix->length, prefix->line->last, value, about);
}

/* Values of a parameter; the first bytes of the last word are not part of the value. */
static void
offer_values(const Line *line, const PhParameter *parameter, size_t before)
{
	Prefix prefix = {line, (int) before};

	if (parameter->type == PH_PARAMETER_INTEGERS || parameter->type == PH_PARAMETER_RUN)
	{
		const char *comma = strrchr(line->last + before, ',');

		if (comma != NULL)
			prefix.length = (int) (comma + 1 - line->last);
	}
	if (parameter->type != PH_PARAMETER_DRILL)
		for (const char *const *choice = parameter->choices; choice && *choice; choice++)
			offer(line, prefix.length, line->last, *choice, "");
	if (parameter->offer == PH_OFFER_FILES || parameter->type == PH_PARAMETER_FILE)
		puts("\tfiles");
	else if (parameter->offer == PH_OFFER_FOLDERS)
		puts("\tfolders");
	else
	{
		fflush(stdout); /* what the watchdog leaves */
		ph_offers_from_warehouse(parameter->offer, line->db, line->last + prefix.length, take,
								 &prefix);
	}
}

/* ---- options ------------------------------------------------------------------------------- */

static size_t
tables_of(const Line *line, const PhParameter *tables[PH_MOST_TABLES])
{
	if (line->command != NULL)
		return ph_cli_option_tables(line->command, tables);
	tables[0] = ph_cli_database_options;
	tables[1] = ph_cli_common_options;
	return 2;
}

static const PhParameter *
find_option(const Line *line, const char *name, size_t length, char letter)
{
	const PhParameter *tables[PH_MOST_TABLES];
	size_t n = tables_of(line, tables);

	for (size_t t = 0; t < n; t++)
		for (const PhParameter *p = tables[t]; p->name != NULL; p++)
			if (letter != 0 ? p->letter == letter
							: strlen(p->name) == length && strncmp(p->name, name, length) == 0)
				return p;
	return NULL;
}

/* Was it given, and may not be again? */
static bool
is_used(const Line *line, const PhParameter *option)
{
	size_t length = strlen(option->name);

	for (size_t i = 0; i < line->n_words && !option->repeats; i++)
	{
		const char *word = line->words[i];

		if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, option->name, length) == 0 &&
			(word[2 + length] == '\0' || word[2 + length] == '='))
			return true;
	}
	return false;
}

static void
offer_options(const Line *line)
{
	const PhParameter *tables[PH_MOST_TABLES];
	size_t n = tables_of(line, tables);
	char word[80];

	for (size_t t = 0; t < n; t++)
		for (const PhParameter *p = tables[t]; p->name != NULL; p++)
		{
			snprintf(word, sizeof(word), "--%s", p->name);
			if (!is_used(line, p))
				offer(line, 0, "", word, p->help);
		}
}

/* ---- the words before ---------------------------------------------------------------------- */

static void
note_value(Line *line, const PhParameter *option, const char *value)
{
	if (strcmp(option->name, "db") == 0)
		line->db = value;
}

static void
read_long(Line *line, const char *word)
{
	size_t length = strcspn(word, "=");
	const PhParameter *option = find_option(line, word, length, 0);

	if (option == NULL || option->type == PH_PARAMETER_FLAG)
		return;
	if (word[length] == '=')
		note_value(line, option, word + length + 1);
	else
		line->awaits = option;
}

static void
read_letters(Line *line, const char *letters)
{
	for (; *letters != '\0'; letters++)
	{
		const PhParameter *option = find_option(line, NULL, 0, *letters);

		if (option == NULL)
			return;
		if (option->type == PH_PARAMETER_FLAG)
			continue;
		if (letters[1] != '\0')
			note_value(line, option, letters + 1);
		else
			line->awaits = option;
		return;
	}
}

static void
read_command(Line *line, const char *word)
{
	line->command = ph_cli_find(line->program, word);
	line->unknown_command = line->command == NULL && strcmp(word, "help") != 0;
}

static void
read_word(Line *line, const char *word)
{
	if (line->awaits != NULL)
	{
		note_value(line, line->awaits, word);
		line->awaits = NULL;
	}
	else if (!line->ended && strcmp(word, "--") == 0)
		line->ended = true;
	else if (!line->ended && strncmp(word, "--", 2) == 0)
		read_long(line, word + 2);
	else if (!line->ended && word[0] == '-' && word[1] != '\0')
		read_letters(line, word + 1);
	else if (line->command == NULL)
		read_command(line, word);
	else if (line->n_arguments++ == 0)
		line->first = word;
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* The declaration of the argument that comes next; NULL: there is none. */
static const PhParameter *
next_argument(const Line *line)
{
	const PhParameter *found = NULL;
	size_t place = 0;

	for (const PhParameter *p = line->command->arguments; p != NULL && p->name != NULL; p++)
	{
		if (p->variant != NULL && (line->first == NULL || strcmp(p->variant, line->first) != 0))
			continue;
		if (place++ == line->n_arguments)
			return p;
		found = p->repeats ? p : NULL;
	}
	return place <= line->n_arguments ? found : NULL;
}

static void
offer_argument(const Line *line)
{
	const PhParameter *argument = next_argument(line);

	if (argument != NULL)
		offer_values(line, argument, 0);
}

static void
offer_commands(const Line *line)
{
	for (const PhCommand *const *command = line->program->commands; *command != NULL; command++)
		offer(line, 0, "", (*command)->name, (*command)->help);
}

static void
offer_last(const Line *line)
{
	const char *last = line->last;
	size_t length = strcspn(last, "=");

	if (line->awaits != NULL)
		offer_values(line, line->awaits, 0);
	else if (line->ended && line->command != NULL && line->command->passes_rest)
		puts("\tfiles");
	else if (!line->ended && strncmp(last, "--", 2) == 0 && last[length] == '=')
	{
		const PhParameter *option = find_option(line, last + 2, length - 2, 0);

		if (option != NULL)
			offer_values(line, option, length + 1);
	}
	else if (!line->ended && last[0] == '-')
		offer_options(line);
	else if (line->command == NULL)
		offer_commands(line);
	else
		offer_argument(line);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void
give_up(int signal_number)
{
	(void) signal_number;
	_exit(0);
}

/* A shell waits for the answer: what is not there by now, a server that is far or busy, is not
 * offered. What was found before has been printed. */
static void
start_watchdog(void)
{
	static const struct itimerval second = {.it_value = {.tv_sec = 1}};

	signal(SIGALRM, give_up);
	setitimer(ITIMER_REAL, &second, NULL);
}

void
ph_complete(const PhProgram *program, const char *const *words, size_t n)
{
	Line line = {.program = program,
				 .db = getenv("PERFHOUSE_DB"),
				 .words = words,
				 .n_words = n > 0 ? n - 1 : 0,
				 .last = n > 0 ? words[n - 1] : ""};

	start_watchdog();
	if (freopen("/dev/null", "w", stderr) == NULL)
		return;
	for (size_t i = 0; i < line.n_words; i++)
		read_word(&line, words[i]);
	if (!line.unknown_command)
		offer_last(&line);
	fflush(stdout);
}
