/*
 * named_runs.h - changes of runs that were named: of all of them, or of none.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_NAMED_RUNS_H
#define PH_COMMANDS_NAMED_RUNS_H

#include <stddef.h>

#include "cli/cli.h"

/* PH_EXIT_NOT_FOUND, told, where a statement has found fewer runs than were named: the caller takes
 * it back. */
PhExit ph_named_runs_found(size_t n_found, size_t n_named);

#endif
