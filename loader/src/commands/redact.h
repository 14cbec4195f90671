/*
 * redact.h - the options --redact and --salt: what is hidden of runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_REDACT_H
#define PH_COMMANDS_REDACT_H

#include "cli/cli.h"
#include "hiding/hiding.h"

/* What the command line says; without --redact nothing is hidden. To be freed, also on failure. */
PhExit ph_redact_parse(const PhArguments *arguments, PhHiding *out);
void ph_redact_free(PhHiding *hiding);

#endif
