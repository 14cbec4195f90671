/*
 * export_trace.h - a run's trace in formats that other tools read.
 *
 * Rows are written as they come from the server, so memory does not grow with the trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_TRACE_H
#define PH_REPORTS_EXPORT_TRACE_H

#include <stdio.h>

#include "database/pq.h"

/* Which events; from and to: ns as text, NULL: open. */
typedef struct PhTraceExport
{
	int64_t run_id;
	const char *from, *to;
} PhTraceExport;

/*
 * The Trace Event Format that Perfetto and Chrome's tracing page open: a process a rank, a thread a
 * location, calls as slices, matched messages as flows; times in us. Failures are logged.
 */
PhExit ph_export_chrome(FILE *out, PhConnection *connection, const PhTraceExport *what);

/* Events, calls or messages, a row each, as CSV or Arrow. Failures are logged. */
PhExit ph_export_trace_table(FILE *out, PhConnection *connection, const PhTraceExport *what,
							 const char *table, bool as_arrow);

/* Says that the run does not exist or has no trace. */
PhExit ph_export_no_trace(const PhTraceExport *what);

#endif
