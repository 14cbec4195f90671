/*
 * verbs.c - see verbs.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/verbs.h"

#include <stdio.h>
#include <string.h>

#include "database/warehouse.h"

#define MOST_NAMES 200

/* "list, show or reset" */
static void
join_names(const PhVerb *verbs, size_t n, char text[MOST_NAMES])
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && length < MOST_NAMES; i++)
		length += (size_t) snprintf(text + length, MOST_NAMES - length, "%s%s",
									i == 0		? ""
									: i + 1 < n ? ", "
												: " or ",
									verbs[i].name);
}

/* NULL: a usage error, which is logged. */
static const PhVerb *
find_verb(PhArguments *arguments, const PhVerb *verbs, size_t n)
{
	size_t given = ph_cli_n_arguments(arguments), rest = given > 0 ? given - 1 : 0;
	const char *word = given > 0 ? ph_cli_argument(arguments, 0) : verbs[0].name;
	char names[MOST_NAMES];

	for (size_t i = 0; i < n; i++)
	{
		if (strcmp(word, verbs[i].name) != 0)
			continue;
		if (rest >= verbs[i].least && rest <= verbs[i].most)
			return &verbs[i];
		ph_cli_usage_error(arguments, "%s takes %s", word, verbs[i].takes);
		return NULL;
	}
	join_names(verbs, n, names);
	ph_cli_usage_error(arguments, "say %s, not \"%s\"", names, word);
	return NULL;
}

PhExit
ph_run_verb(PhArguments *arguments, const PhVerb *verbs, size_t n)
{
	PhConnection *connection;
	const PhVerb *verb = find_verb(arguments, verbs, n);
	PhExit code;

	if (verb == NULL)
		return PH_EXIT_USAGE;
	code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	code = verb->run(connection, arguments);
	ph_pq_close(connection);
	return code;
}

PhParam
ph_option_param(const PhArguments *arguments, const char *option)
{
	const char *text = ph_cli_text(arguments, option, NULL);

	return text != NULL ? ph_param_text(text) : ph_param_null();
}
