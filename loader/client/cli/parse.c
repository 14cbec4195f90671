/*
 * parse.c - options and arguments of one subcommand.
 *
 * Values are checked while parsing, so getters cannot fail.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "system/duration.h"
#include "system/log.h"
#include "system/memory.h"

struct PhArguments
{
	const PhProgram *program;
	const PhCommand *command;
	PhValues values;
	const char **positional;
	size_t n_positional;
	const char **rest; /* after "--" */
	size_t n_rest;
	const char **lists; /* see gather_lists() */
	bool ended;			/* "--" was met */
	PhProblem *problem; /* filled in by what fails */
};

static void
append(const char ***list, size_t *n, const char *value)
{
	*list = ph_must_resize(*list, *n + 1, sizeof(char *));
	(*list)[(*n)++] = value;
}

/* Room for what argc words and the environment may give. */
static PhArguments *
arguments_new(const PhProgram *program, const PhCommand *command, int argc, PhProblem *problem)
{
	PhArguments *arguments = ph_must_alloc(1, sizeof(PhArguments));
	PhValues *values = &arguments->values;
	size_t n = 2 * (size_t) argc;

	arguments->program = program;
	arguments->command = command;
	arguments->problem = problem;
	values->n_tables = ph_cli_option_tables(command, values->tables);
	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *option = values->tables[t]; option->name != NULL; option++)
			n++;
	values->given = ph_must_alloc(n, sizeof(PhGivenText));
	arguments->lists = ph_must_alloc(n + 1, sizeof(char *));
	return arguments;
}

void
ph_cli_free(PhArguments *arguments)
{
	if (arguments == NULL)
		return;
	free(arguments->values.given);
	free(arguments->lists);
	free(arguments->positional);
	free(arguments->rest);
	free(arguments);
}

PhExit
ph_cli_usage_error(const PhArguments *arguments, const char *format, ...)
{
	va_list list;
	char message[512];

	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	ph_log_error("%s", message);
	ph_log_hint("\"%s %s --help\" shows the usage.", arguments->program->name,
				arguments->command->name);
	return PH_EXIT_USAGE;
}

/* ---- options ------------------------------------------------------------------------------- */

static const PhParameter *
find_letter(const PhValues *values, char letter)
{
	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *option = values->tables[t]; option->name != NULL; option++)
			if (option->letter == letter)
				return option;
	return NULL;
}

static const char *
nearest_option(const PhValues *values, const char *word, size_t length)
{
	const char *names[128];
	char name[64];
	size_t n = 0;

	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *p = values->tables[t]; p->name != NULL && n < 128; p++)
			names[n++] = p->name;
	snprintf(name, sizeof(name), "%.*s", (int) length, word);
	return ph_nearest_word(name, names, n);
}

/* text: the word; name: of an option that there might be, NULL: the word is none. */
static bool
refuse_word(const PhArguments *arguments, const char *text, const char *name, size_t length)
{
	const char *nearest = name != NULL ? nearest_option(&arguments->values, name, length) : NULL;
	char hint[160];

	if (nearest != NULL && strncmp(nearest, name, length) != 0)
		snprintf(hint, sizeof(hint), "Did you mean \"--%s\"?", nearest);
	else
		snprintf(hint, sizeof(hint), "\"%s %s --help\" lists the options.",
				 arguments->program->name, arguments->command->name);
	return ph_problem_set(arguments->problem, NULL, hint, "unknown option or argument \"%.200s\"",
						  text);
}

static bool
store(PhArguments *arguments, const PhParameter *option, const char *origin, const char *text)
{
	if (text != NULL && !ph_parameter_check(option, origin, text, arguments->problem))
		return false;
	ph_values_add(&arguments->values, option, text);
	return true;
}

/* The option's value: what is glued to it, else the next word. */
static bool
take(PhArguments *arguments, const PhParameter *option, const char *glued, int *at, int argc,
	 char **argv)
{
	char origin[80];

	if (option->type == PH_PARAMETER_FLAG)
		return store(arguments, option, NULL, NULL);
	snprintf(origin, sizeof(origin), "option --%s", option->name);
	if (glued == NULL && *at + 1 >= argc)
	{
		char hint[160];

		snprintf(hint, sizeof(hint), "Give it as --%s %s.", option->name, option->value);
		return ph_problem_set(arguments->problem, option->name, hint, "%s needs a value", origin);
	}
	return store(arguments, option, origin, glued != NULL ? glued : argv[++*at]);
}

static bool
parse_long(PhArguments *arguments, int *at, int argc, char **argv)
{
	const char *word = argv[*at] + 2;
	const char *equals = strchr(word, '=');
	size_t length = equals != NULL ? (size_t) (equals - word) : strlen(word);
	const PhParameter *option = ph_values_declared(&arguments->values, word, length);

	if (option == NULL || (equals != NULL && option->type == PH_PARAMETER_FLAG))
		return refuse_word(arguments, argv[*at], word, length);
	return take(arguments, option, equals != NULL ? equals + 1 : NULL, at, argc, argv);
}

static bool
parse_letters(PhArguments *arguments, int *at, int argc, char **argv)
{
	const char *word = argv[*at];

	for (const char *letter = word + 1; *letter != '\0'; letter++)
	{
		const PhParameter *option = find_letter(&arguments->values, *letter);

		if (option == NULL)
			return refuse_word(arguments, word, NULL, 0);
		if (!take(arguments, option, letter[1] != '\0' ? letter + 1 : NULL, at, argc, argv))
			return false;
		if (option->type != PH_PARAMETER_FLAG)
			break;
	}
	return true;
}

/* Are all letters of this word the command's, "-nj3"? */
static bool
has_own_letters(const PhArguments *arguments, const char *word)
{
	const PhParameter *option = NULL;

	for (const char *letter = word + 1; *letter != '\0'; letter++)
	{
		option = find_letter(&arguments->values, *letter);
		if (option == NULL || option->type != PH_PARAMETER_FLAG)
			break;
	}
	return option != NULL;
}

/*
 * Do the words from this one on belong to the program that the command hands over to? Only letters
 * begin them: unknown long options are refused, with what was perhaps meant.
 */
static bool
begins_rest(const PhArguments *arguments, const char *word)
{
	return arguments->command->passes_rest && word[0] == '-' && word[1] != '\0' && word[1] != '-' &&
		   !has_own_letters(arguments, word);
}

static bool
parse_word(PhArguments *arguments, int *at, int argc, char **argv)
{
	const char *word = argv[*at];

	arguments->ended = arguments->ended || begins_rest(arguments, word);
	if (arguments->ended && arguments->command->passes_rest)
		append(&arguments->rest, &arguments->n_rest, word);
	else if (arguments->ended)
		append(&arguments->positional, &arguments->n_positional, word);
	else if (strcmp(word, "--") == 0)
		arguments->ended = true;
	else if (strncmp(word, "--", 2) == 0)
		return parse_long(arguments, at, argc, argv);
	else if (word[0] == '-' && word[1] != '\0' && !ph_text_is_number(word))
		return parse_letters(arguments, at, argc, argv);
	else
		append(&arguments->positional, &arguments->n_positional, word);
	return true;
}

static bool
read_environment(PhArguments *arguments)
{
	PhValues *values = &arguments->values;

	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *option = values->tables[t]; option->name != NULL; option++)
		{
			const char *name = option->environment;
			const char *text = name != NULL ? getenv(name) : NULL;
			bool is_flag = option->type == PH_PARAMETER_FLAG;

			if (text == NULL || *text == '\0' || ph_values_given(values, option->name))
				continue;
			if (is_flag && strcmp(text, "0") == 0)
				continue;
			if (!store(arguments, option, name, is_flag ? NULL : text))
				return false;
		}
	return true;
}

static size_t
count_given(const PhValues *values, const char *name)
{
	size_t at = 0;
	size_t n = 0;

	while (ph_values_next(values, name, &at) != NULL)
		n++;
	return n;
}

/* The values of every option that repeats, one after the other. */
static void
gather_lists(PhArguments *arguments)
{
	const PhValues *values = &arguments->values;
	const char **to = arguments->lists;

	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *p = values->tables[t]; p->name != NULL; p++)
			for (size_t at = 0; p->repeats && (*to = ph_values_next(values, p->name, &at)) != NULL;)
				to++;
}

static bool
asks_for_text(const PhArguments *arguments)
{
	return ph_cli_flag(arguments, "help") || ph_cli_flag(arguments, "version");
}

static bool
check_count(const PhArguments *arguments)
{
	const PhCommand *command = arguments->command;
	int n = (int) arguments->n_positional;
	char hint[160];

	snprintf(hint, sizeof(hint), "\"%s %s --help\" shows the usage.", arguments->program->name,
			 command->name);
	if (n < command->min_arguments)
		return ph_problem_set(arguments->problem, NULL, hint, "%s needs more arguments: %s %s",
							  command->name, command->name, command->usage);
	if (command->max_arguments >= 0 && n > command->max_arguments)
		return refuse_word(arguments, arguments->positional[command->max_arguments], NULL, 0);
	return true;
}

PhArguments *
ph_cli_read(const PhProgram *program, const PhCommand *command, int argc, char **argv,
			PhProblem *problem)
{
	PhArguments *arguments = arguments_new(program, command, argc, problem);
	bool ok = true;

	for (int at = 0; at < argc && ok; at++)
		ok = parse_word(arguments, &at, argc, argv);
	if (ok && !asks_for_text(arguments))
		ok = read_environment(arguments) && check_count(arguments);
	arguments->problem = NULL;
	if (ok)
	{
		gather_lists(arguments);
		return arguments;
	}
	ph_cli_free(arguments);
	return NULL;
}

PhExit
ph_cli_parse(const PhProgram *program, const PhCommand *command, int argc, char **argv,
			 PhArguments **out)
{
	PhProblem problem;

	*out = ph_cli_read(program, command, argc, argv, &problem);
	if (*out != NULL)
		return PH_EXIT_OK;
	ph_log_error("%s", problem.message);
	if (problem.hint[0] != '\0')
		ph_log_hint("%s", problem.hint);
	else
		ph_log_hint("\"%s %s --help\" shows the usage.", program->name, command->name);
	return PH_EXIT_USAGE;
}

/* ---- what was parsed ----------------------------------------------------------------------- */

const PhCommand *
ph_cli_command(const PhArguments *arguments)
{
	return arguments->command;
}

const PhValues *
ph_cli_values(const PhArguments *arguments)
{
	return &arguments->values;
}

bool
ph_cli_flag(const PhArguments *arguments, const char *name)
{
	return ph_values_flag(&arguments->values, name);
}

bool
ph_cli_given(const PhArguments *arguments, const char *name)
{
	return ph_values_given(&arguments->values, name);
}

const char *
ph_cli_text(const PhArguments *arguments, const char *name, const char *fallback)
{
	const char *text = ph_values_text(&arguments->values, name);

	return text != NULL ? text : fallback;
}

double
ph_cli_number(const PhArguments *arguments, const char *name, double fallback)
{
	const char *text = ph_cli_text(arguments, name, NULL);

	return text != NULL ? strtod(text, NULL) : fallback;
}

int64_t
ph_cli_integer(const PhArguments *arguments, const char *name, int64_t fallback)
{
	const char *text = ph_cli_text(arguments, name, NULL);

	return text != NULL ? strtoll(text, NULL, 10) : fallback;
}

char *
ph_cli_integers(const PhArguments *arguments, const char *name)
{
	const char *text = ph_cli_text(arguments, name, NULL);
	size_t size = text != NULL ? ph_integers_format(text, NULL, 0) + 1 : 0;
	char *out = text != NULL ? ph_must_alloc(size, 1) : NULL;

	if (text != NULL)
		ph_integers_format(text, out, size);
	return out;
}

bool
ph_cli_duration(const PhArguments *arguments, const char *name, int64_t *ns)
{
	const char *text = ph_cli_text(arguments, name, NULL);

	return text != NULL && ph_duration_parse(text, ns);
}

size_t
ph_cli_list(const PhArguments *arguments, const char *name, const char *const **values)
{
	const char **list = arguments->lists;
	size_t n = 0;

	for (size_t t = 0; t < arguments->values.n_tables; t++)
		for (const PhParameter *p = arguments->values.tables[t]; p->name != NULL; p++)
		{
			if (!p->repeats)
				continue;
			n = count_given(&arguments->values, p->name);
			if (strcmp(p->name, name) == 0)
			{
				*values = list;
				return n;
			}
			list += n;
		}
	abort();
}

size_t
ph_cli_n_arguments(const PhArguments *arguments)
{
	return arguments->n_positional;
}

const char *
ph_cli_argument(const PhArguments *arguments, size_t index)
{
	return index < arguments->n_positional ? arguments->positional[index] : NULL;
}

size_t
ph_cli_n_rest(const PhArguments *arguments)
{
	return arguments->n_rest;
}

const char *
ph_cli_rest(const PhArguments *arguments, size_t index)
{
	return index < arguments->n_rest ? arguments->rest[index] : NULL;
}

const char *
ph_cli_db(const PhArguments *arguments)
{
	return ph_cli_text(arguments, "db", NULL);
}

bool
ph_cli_parse_run(const char *text, int64_t *out)
{
	static const PhParameter run = {.name = "run", .type = PH_PARAMETER_RUN};

	if (!ph_parameter_accepts(&run, text) || strtoll(text, NULL, 10) <= 0)
	{
		ph_log_error("\"%s\" is not a run id", text);
		ph_log_hint("\"perfhouse runs\" lists the runs with their ids.");
		return false;
	}
	*out = strtoll(text, NULL, 10);
	return true;
}
