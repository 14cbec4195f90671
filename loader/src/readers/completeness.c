/*
 * completeness.c - see completeness.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/completeness.h"

#include <stdarg.h>
#include <stdio.h>

#include "readers/input.h"

PhStatus
ph_run_missing(PhEnv *env, PhRunInput *run, const char *format, ...)
{
	char text[PH_ERROR_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return ph_run_append(env, &run->missing, &run->n_missing, text);
}

PhStatus
ph_run_failed(PhEnv *env, const PhRunInput *run, PhStatus status)
{
	char message[PH_ERROR_MAX];

	if ((status != PH_ERR_FORMAT && status != PH_ERR_VALUE) || run->n_missing == 0)
		return status;
	snprintf(message, sizeof(message), "%s", env->error.message);
	return ph_fail(env, status, "incomplete: %s; %s", run->missing[0], message);
}

PhCompleteness
ph_run_completeness(const PhReader *reader, const PhRunInput *run)
{
	if (run->n_missing > 0)
		return PH_COMPLETENESS_INCOMPLETE;
	return reader->proof != NULL || run->is_proven ? PH_COMPLETENESS_COMPLETE
												   : PH_COMPLETENESS_UNKNOWN;
}

const char *
ph_completeness_name(PhCompleteness completeness)
{
	static const char *const names[] = {"unknown", "complete", "incomplete"};

	return names[completeness];
}
