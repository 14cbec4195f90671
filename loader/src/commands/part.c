/*
 * part.c - see part.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/part.h"

#include <stdlib.h>

PhParam
ph_option_time(const PhArguments *arguments, const char *option)
{
	int64_t ns;

	return ph_cli_duration(arguments, option, &ns) ? ph_param_int(ns) : ph_param_null();
}

void
ph_option_part(const PhArguments *arguments, PhChosenPart *out)
{
	out->ranks = ph_cli_integers(arguments, "ranks");
	out->part = (PhProfilePart){.metric = ph_cli_text(arguments, "metric", NULL),
								.ranks = out->ranks,
								.within = ph_cli_text(arguments, "within", NULL),
								.from = ph_option_time(arguments, "from"),
								.to = ph_option_time(arguments, "to")};
	out->is_whole = out->ranks == NULL && out->part.within == NULL &&
					!ph_cli_given(arguments, "from") && !ph_cli_given(arguments, "to");
}

void
ph_option_part_free(PhChosenPart *chosen)
{
	free(chosen->ranks);
	chosen->ranks = NULL;
}
