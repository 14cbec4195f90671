/*
 * named_runs.c - changes of runs that were named.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/named_runs.h"

#include "system/log.h"

PhExit
ph_named_runs_found(size_t n_found, size_t n_named)
{
	if (n_found >= n_named)
		return PH_EXIT_OK;
	if (n_named == 1)
		ph_log_error("there is no such run");
	else
		ph_log_error("of the %zu runs only %zu %s there; nothing was changed", n_named, n_found,
					 n_found == 1 ? "is" : "are");
	ph_log_hint("perfhouse runs lists them.");
	return PH_EXIT_NOT_FOUND;
}
