/*
 * verbs.h - commands whose first argument says what to do, such as `perfhouse alias remove 3`.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_VERBS_H
#define PH_COMMANDS_VERBS_H

#include <stddef.h>

#include "cli/cli.h"
#include "database/pq.h"

typedef struct PhVerb
{
	const char *name;
	size_t least, most; /* arguments after it */
	const char *takes;	/* "one name", for who gave others */
	PhExit (*run)(PhConnection *connection, const PhArguments *arguments);
} PhVerb;

/*
 * Open the warehouse and do what the first argument names, or the first verb when there is none.
 * Another word, or other arguments than it takes, are a usage error that lists what there is.
 */
PhExit ph_run_verb(PhArguments *arguments, const PhVerb *verbs, size_t n);

/* An option's text as a parameter of a query; null when it was not given. */
PhParam ph_option_param(const PhArguments *arguments, const char *option);

#endif
