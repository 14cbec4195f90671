/*
 * parse.c - options and arguments of one subcommand.
 *
 * Every option of the command's tables has one slot; parsing fills slots, reading looks them up by
 * name. Values are checked while parsing, so getters cannot fail.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/internal.h"
#include "system/log.h"
#include "system/memory.h"

typedef struct Slot
{
	const PhOption *option;
	bool given;
	const char **values; /* FLAG: none; LIST: all; else the last */
	size_t n_values;
} Slot;

struct PhArguments
{
	const PhProgram *program;
	const PhCommand *command;
	Slot *slots;
	size_t n_slots;
	const char **positional;
	size_t n_positional;
	const char **rest; /* after "--" */
	size_t n_rest;
	bool ended; /* "--" was met */
};

static void
append(const char ***list, size_t *n, const char *value)
{
	*list = ph_must_resize(*list, *n + 1, sizeof(char *));
	(*list)[(*n)++] = value;
}

static PhArguments *
arguments_new(const PhProgram *program, const PhCommand *command)
{
	PhArguments *arguments = ph_must_alloc(1, sizeof(PhArguments));
	const PhOption *tables[PH_CLI_MAX_TABLES];
	size_t n_tables = ph_cli_option_tables(command, tables);

	arguments->program = program;
	arguments->command = command;
	for (size_t t = 0; t < n_tables; t++)
		for (const PhOption *option = tables[t]; option->name != NULL; option++)
		{
			arguments->slots =
				ph_must_resize(arguments->slots, arguments->n_slots + 1, sizeof(Slot));
			arguments->slots[arguments->n_slots++] = (Slot){.option = option};
		}
	return arguments;
}

void
ph_cli_free(PhArguments *arguments)
{
	if (arguments == NULL)
		return;
	for (size_t i = 0; i < arguments->n_slots; i++)
		free(arguments->slots[i].values);
	free(arguments->slots);
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

static Slot *
find_long(const PhArguments *arguments, const char *name, size_t length)
{
	for (size_t i = 0; i < arguments->n_slots; i++)
	{
		const char *candidate = arguments->slots[i].option->name;

		if (strlen(candidate) == length && strncmp(candidate, name, length) == 0)
			return &arguments->slots[i];
	}
	return NULL;
}

static Slot *
find_letter(const PhArguments *arguments, char letter)
{
	for (size_t i = 0; i < arguments->n_slots; i++)
		if (arguments->slots[i].option->letter == letter)
			return &arguments->slots[i];
	return NULL;
}

static PhExit
unknown_option(const PhArguments *arguments, const char *word, size_t length)
{
	const char **names = ph_must_alloc(arguments->n_slots, sizeof(char *));
	char *name = ph_format("%.*s", (int) length, word);
	const char *nearest;

	for (size_t i = 0; i < arguments->n_slots; i++)
		names[i] = arguments->slots[i].option->name;
	nearest = ph_cli_nearest(name, names, arguments->n_slots);
	ph_log_error("%s has no option \"--%s\"", arguments->command->name, name);
	if (nearest != NULL)
		ph_log_hint("Did you mean \"--%s\"?", nearest);
	else
		ph_log_hint("\"%s %s --help\" lists the options.", arguments->program->name,
					arguments->command->name);
	free(name);
	free(names);
	return PH_EXIT_USAGE;
}

static bool
is_choice(const PhOption *option, const char *value)
{
	for (const char *const *choice = option->choices; *choice != NULL; choice++)
		if (strcmp(*choice, value) == 0)
			return true;
	return false;
}

static char *
join_choices(const PhOption *option)
{
	char *joined = ph_strdup("");

	for (const char *const *choice = option->choices; *choice != NULL; choice++)
	{
		char *longer = ph_format("%s%s%s", joined, *joined != '\0' ? ", " : "", *choice);

		free(joined);
		joined = longer;
	}
	return joined;
}

static bool
is_number(const char *text)
{
	char *end;

	errno = 0;
	return *text != '\0' && isfinite(strtod(text, &end)) && errno == 0 && *end == '\0';
}

static bool
is_integer(const char *text)
{
	char *end;

	if (*text == '\0' || strspn(text, "+-0123456789") != strlen(text))
		return false;
	errno = 0;
	(void) strtoll(text, &end, 10);
	return errno == 0 && *end == '\0';
}

/* origin: "--name" or the environment variable, for the message. */
static PhExit
check_value(const PhArguments *arguments, const PhOption *option, const char *origin,
			const char *value)
{
	if (option->choices != NULL && !is_choice(option, value))
	{
		char *choices = join_choices(option);
		PhExit code =
			ph_cli_usage_error(arguments, "%s: \"%s\" is none of %s", origin, value, choices);

		free(choices);
		return code;
	}
	if (option->kind == PH_OPTION_NUMBER && !is_number(value))
		return ph_cli_usage_error(arguments, "%s: \"%s\" is not a number", origin, value);
	if (option->kind == PH_OPTION_INTEGER && !is_integer(value))
		return ph_cli_usage_error(arguments, "%s: \"%s\" is not an integer", origin, value);
	return PH_EXIT_OK;
}

static PhExit
store(const PhArguments *arguments, Slot *slot, const char *origin, const char *value)
{
	PhExit code = PH_EXIT_OK;

	slot->given = true;
	if (slot->option->kind == PH_OPTION_FLAG)
		return PH_EXIT_OK;
	code = check_value(arguments, slot->option, origin, value);
	if (slot->option->kind != PH_OPTION_LIST)
		slot->n_values = 0;
	append(&slot->values, &slot->n_values, value);
	return code;
}

/* The option's value: what is glued to it, else the next word. */
static PhExit
take(PhArguments *arguments, Slot *slot, const char *origin, const char *glued, int *at, int argc,
	 char **argv)
{
	if (slot->option->kind == PH_OPTION_FLAG)
		return store(arguments, slot, origin, NULL);
	if (glued == NULL && *at + 1 >= argc)
		return ph_cli_usage_error(arguments, "%s needs a value (%s)", origin, slot->option->value);
	return store(arguments, slot, origin, glued != NULL ? glued : argv[++*at]);
}

static PhExit
parse_long(PhArguments *arguments, int *at, int argc, char **argv)
{
	const char *word = argv[*at] + 2;
	const char *equals = strchr(word, '=');
	size_t length = equals != NULL ? (size_t) (equals - word) : strlen(word);
	Slot *slot = find_long(arguments, word, length);
	char origin[80];

	if (slot == NULL)
		return unknown_option(arguments, word, length);
	snprintf(origin, sizeof(origin), "--%s", slot->option->name);
	if (equals != NULL && slot->option->kind == PH_OPTION_FLAG)
		return ph_cli_usage_error(arguments, "%s takes no value", origin);
	return take(arguments, slot, origin, equals != NULL ? equals + 1 : NULL, at, argc, argv);
}

static PhExit
parse_letters(PhArguments *arguments, int *at, int argc, char **argv)
{
	const char *letters = argv[*at] + 1;

	for (; *letters != '\0'; letters++)
	{
		Slot *slot = find_letter(arguments, *letters);
		char origin[3] = {'-', *letters, '\0'};
		const char *glued = letters[1] != '\0' ? letters + 1 : NULL;
		PhExit code;

		if (slot == NULL)
			return ph_cli_usage_error(arguments, "%s has no option \"%s\"",
									  arguments->command->name, origin);
		code = take(arguments, slot, origin, glued, at, argc, argv);
		if (code != PH_EXIT_OK || slot->option->kind != PH_OPTION_FLAG)
			return code;
	}
	return PH_EXIT_OK;
}

static PhExit
parse_word(PhArguments *arguments, int *at, int argc, char **argv)
{
	const char *word = argv[*at];

	if (arguments->ended && arguments->command->passes_rest)
		append(&arguments->rest, &arguments->n_rest, word);
	else if (arguments->ended)
		append(&arguments->positional, &arguments->n_positional, word);
	else if (strcmp(word, "--") == 0)
		arguments->ended = true;
	else if (strncmp(word, "--", 2) == 0)
		return parse_long(arguments, at, argc, argv);
	else if (word[0] == '-' && word[1] != '\0' && !is_number(word))
		return parse_letters(arguments, at, argc, argv);
	else
		append(&arguments->positional, &arguments->n_positional, word);
	return PH_EXIT_OK;
}

static PhExit
read_environment(PhArguments *arguments)
{
	for (size_t i = 0; i < arguments->n_slots; i++)
	{
		Slot *slot = &arguments->slots[i];
		const char *name = slot->option->environment;
		const char *value = name != NULL ? getenv(name) : NULL;
		PhExit code = PH_EXIT_OK;

		if (slot->given || value == NULL || *value == '\0')
			continue;
		if (slot->option->kind == PH_OPTION_FLAG && strcmp(value, "0") == 0)
			continue;
		code = store(arguments, slot, name, value);
		if (code != PH_EXIT_OK)
			return code;
	}
	return PH_EXIT_OK;
}

static bool
asks_for_text(const PhArguments *arguments)
{
	return ph_cli_flag(arguments, "help") || ph_cli_flag(arguments, "version");
}

static PhExit
check_count(const PhArguments *arguments)
{
	const PhCommand *command = arguments->command;
	int n = (int) arguments->n_positional;

	if (n < command->min_arguments)
		return ph_cli_usage_error(arguments, "%s needs more arguments: %s %s", command->name,
								  command->name, command->usage);
	if (command->max_arguments >= 0 && n > command->max_arguments)
		return ph_cli_usage_error(arguments, "%s: superfluous argument \"%s\"", command->name,
								  arguments->positional[command->max_arguments]);
	return PH_EXIT_OK;
}

PhExit
ph_cli_parse(const PhProgram *program, const PhCommand *command, int argc, char **argv,
			 PhArguments **out)
{
	PhArguments *arguments = arguments_new(program, command);
	PhExit code = PH_EXIT_OK;

	for (int at = 0; at < argc && code == PH_EXIT_OK; at++)
		code = parse_word(arguments, &at, argc, argv);
	if (code == PH_EXIT_OK && !asks_for_text(arguments))
	{
		code = read_environment(arguments);
		if (code == PH_EXIT_OK)
			code = check_count(arguments);
	}
	if (code == PH_EXIT_OK)
		*out = arguments;
	else
		ph_cli_free(arguments);
	return code;
}

const PhCommand *
ph_cli_command(const PhArguments *arguments)
{
	return arguments->command;
}

const PhProgram *
ph_cli_program(const PhArguments *arguments)
{
	return arguments->program;
}

static const Slot *
slot_of(const PhArguments *arguments, const char *name)
{
	const Slot *slot = find_long(arguments, name, strlen(name));

	if (slot == NULL)
		abort();
	return slot;
}

bool
ph_cli_flag(const PhArguments *arguments, const char *name)
{
	return slot_of(arguments, name)->given;
}

bool
ph_cli_given(const PhArguments *arguments, const char *name)
{
	return slot_of(arguments, name)->given;
}

const char *
ph_cli_text(const PhArguments *arguments, const char *name, const char *fallback)
{
	const Slot *slot = slot_of(arguments, name);

	return slot->n_values > 0 ? slot->values[slot->n_values - 1] : fallback;
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

size_t
ph_cli_list(const PhArguments *arguments, const char *name, const char *const **values)
{
	const Slot *slot = slot_of(arguments, name);

	*values = slot->values;
	return slot->n_values;
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
	if (!is_integer(text) || strtoll(text, NULL, 10) <= 0)
	{
		ph_log_error("\"%s\" is not a run id", text);
		ph_log_hint("\"perfhouse runs\" lists the runs with their ids.");
		return false;
	}
	*out = strtoll(text, NULL, 10);
	return true;
}
