/*
 * given_query.c - see given_query.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/given_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/log.h"
#include "system/paths.h"

static PhExit
read_text(const PhArguments *arguments, PhArena *arena, PhAskedQuery *out)
{
	const char *file = ph_cli_text(arguments, "query-file", NULL);
	PhStatus status;
	char *text, *copy;

	out->text = ph_cli_text(arguments, "query", NULL);
	if (out->text != NULL || file == NULL)
		return PH_EXIT_OK;
	text = ph_path_read_text(file);
	if (text == NULL)
	{
		ph_log_error("%s: %s", file, strerror(errno));
		return ph_exit_from_errno(errno);
	}
	status = ph_arena_strndup(arena, text, strlen(text), &copy);
	free(text);
	if (status != PH_OK)
		return ph_exit_from_status(status);
	out->text = copy;
	return PH_EXIT_OK;
}

PhExit
ph_given_query(const PhArguments *arguments, PhArena *arena, PhAskedQuery *out)
{
	const PhValues *values = ph_cli_values(arguments);
	const char *given;
	size_t at = 0;

	*out = (PhAskedQuery){0};
	if (PH_NEW(arena, values->n_given + 1, &out->names) != PH_OK ||
		PH_NEW(arena, values->n_given + 1, &out->values) != PH_OK)
		return PH_EXIT_MEMORY;
	while ((given = ph_values_next(values, "variable", &at)) != NULL)
		if (!ph_asked_add(arena, out, given))
		{
			ph_log_error("\"%s\" is no value of a variable", given);
			ph_log_hint("Give name=value, such as --variable run=7.");
			return PH_EXIT_USAGE;
		}
	return read_text(arguments, arena, out);
}
