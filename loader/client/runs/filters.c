/*
 * filters.c - see filters.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "runs/filters.h"

#include <stdlib.h>
#include <string.h>

#include "history/run_filter.h"
#include "system/log.h"
#include "system/memory.h"

bool
ph_is_run_number(const char *word)
{
	return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

static bool
is_word(const char *filter)
{
	return filter[strcspn(filter, "=<>!~()'\" \t\n")] == '\0';
}

/* Is this a filter? The server says the same, but not which argument is wrong. */
static PhExit
check_filter(const char *filter)
{
	PhEnv env;
	PhArena arena;
	PhRunFilter translated;
	PhStatus status;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	status = ph_run_filter(&arena, filter, strlen(filter), &translated);
	ph_arena_drop(&arena);
	if (status == PH_OK)
		return PH_EXIT_OK;
	ph_log_error("\"%s\": %s", filter, env.error.message);
	if (env.error.hint[0] != '\0')
		ph_log_hint("%s", env.error.hint);
	return PH_EXIT_USAGE;
}

PhExit
ph_filter_of_word(const char *word, char **out)
{
	*out = ph_format(is_word(word) ? "'%s'" : "%s", word);
	return check_filter(*out);
}

PhExit
ph_join_filters(const PhArguments *arguments, bool (*skip)(const char *word), char **out)
{
	PhExit code = PH_EXIT_OK;

	*out = NULL;
	for (size_t i = 0; i < ph_cli_n_arguments(arguments) && code == PH_EXIT_OK; i++)
	{
		const char *given = ph_cli_argument(arguments, i);
		char *filter, *before = *out;

		if (skip != NULL && skip(given))
			continue;
		code = ph_filter_of_word(given, &filter);
		*out = ph_format("%s%s(%s)", before != NULL ? before : "", before != NULL ? " AND " : "",
						 filter);
		free(before);
		free(filter);
	}
	return code;
}
