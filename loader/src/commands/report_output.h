/*
 * report_output.h - where reports of several formats go: --format and --output (shared_options.h).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_REPORT_OUTPUT_H
#define PH_COMMANDS_REPORT_OUTPUT_H

#include <stdio.h>

#include "cli/cli.h"
#include "system/exit_codes.h"

/* Prints a report as one of the command's formats. */
typedef void (*PhPrintReport)(FILE *out, const void *report, const char *format);

/*
 * To standard output; or into the file that --output names, and as text to standard output. The
 * format is --format's, else html for a file whose name ends with .html, else text. Logs its
 * errors.
 */
PhExit ph_report_output(const PhArguments *arguments, PhPrintReport print, const void *report);

#endif
