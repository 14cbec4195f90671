/*
 * errors.c - what is wrong with a log, and where.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "readers/projections/projections.h"

PhStatus
ph_projections_fail(PhProjectionsLog *log, uint32_t type, const char *format, ...)
{
	char what[PH_ERROR_MAX];
	char record[32] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	if (type != 0)
		snprintf(record, sizeof(record), ": record %u", type);
	if (log->is_text)
		return ph_fail(log->log.env, PH_ERR_FORMAT, "%s:%" PRIu64 "%s: %s", log->log.path,
					   log->log.number, record, what);
	return ph_fail(log->log.env, PH_ERR_FORMAT, "%s: number %" PRIu64 "%s: %s", log->log.path,
				   log->log.number, record, what);
}
