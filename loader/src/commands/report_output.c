/*
 * report_output.c - see report_output.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/report_output.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "system/log.h"

static const char *
format_of(const PhArguments *arguments, const char *path)
{
	size_t length = path != NULL ? strlen(path) : 0;
	bool is_page = length > 5 && strcasecmp(path + length - 5, ".html") == 0;

	return ph_cli_text(arguments, "format", is_page ? "html" : "text");
}

PhExit
ph_report_output(const PhArguments *arguments, PhPrintReport print, const void *report)
{
	const char *path = ph_cli_text(arguments, "output", NULL);
	const char *format = format_of(arguments, path);
	FILE *file;
	bool is_written;

	if (path == NULL)
	{
		print(stdout, report, format);
		return PH_EXIT_OK;
	}
	file = fopen(path, "we");
	if (file != NULL)
		print(file, report, format);
	is_written = file != NULL && ferror(file) == 0;
	if (file == NULL || fclose(file) != 0 || !is_written)
	{
		ph_log_write_error(path, errno);
		return PH_EXIT_UNREADABLE;
	}
	print(stdout, report, "text");
	return PH_EXIT_OK;
}
