/*
 * part.h - which part of a run PH_OPTIONS_PART (shared_options.h) and --metric ask for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_PART_H
#define PH_COMMANDS_PART_H

#include "cli/cli.h"
#include "reports/profile_fetch.h"

typedef struct PhChosenPart
{
	PhProfilePart part; /* points to the arguments and to ranks */
	char *ranks;
	bool is_whole; /* all ranks, call paths and times; of whatever metric */
} PhChosenPart;

void ph_option_part(const PhArguments *arguments, PhChosenPart *out);
void ph_option_part_free(PhChosenPart *chosen);

/* An option of type DURATION in ns; null when it is not given. */
PhParam ph_option_time(const PhArguments *arguments, const char *option);

#endif
