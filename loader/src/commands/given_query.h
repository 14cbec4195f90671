/*
 * given_query.h - the query of --query or --query-file, and its variables.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_GIVEN_QUERY_H
#define PH_COMMANDS_GIVEN_QUERY_H

#include "cli/cli.h"
#include "database/asked_query.h"

#define PH_OPTIONS_QUERY(text)                                                                     \
	{.name = "query", .type = PH_PARAMETER_TEXT, .value = "SQL", .help = text},                    \
	{                                                                                              \
		.name = "query-file", .type = PH_PARAMETER_TEXT, .value = "FILE", .offer = PH_OFFER_FILES, \
		.help = "the same, the query from a file"                                                  \
	}

/* Reads them into the arena; out->text NULL: no query is given. Anything but PH_EXIT_OK: what is
 * wrong is logged. */
PhExit ph_given_query(const PhArguments *arguments, PhArena *arena, PhAskedQuery *out);

#endif
