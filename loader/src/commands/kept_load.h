/*
 * kept_load.h - what load --spool puts aside: the words of the load, with those of its files that
 * wait.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_KEPT_LOAD_H
#define PH_COMMANDS_KEPT_LOAD_H

#include "cli/cli.h"
#include "pipeline/load.h"
#include "system/exit_codes.h"

/* May what this load, which ended with code, did not store be stored another time? */
bool ph_kept_load_is_due(const PhLoad *load, PhExit code);

/*
 * Into the folder that --spool names: the options, the metadata that were set, and copies of what
 * PATHs name, without those of which nothing waits. Logs its own errors.
 */
PhExit ph_kept_load_put(const PhArguments *arguments, const PhLoad *load, const PhMeta *set);

#endif
