/*
 * export_events.h - a trace's events as Arrow, chunk by chunk as columns.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_EVENTS_H
#define PH_REPORTS_EXPORT_EVENTS_H

#include "reports/export_trace.h"

/* location, rank, time (ns), kind, region, peer and bytes; a batch a chunk. Failures are logged. */
PhExit ph_export_events_arrow(FILE *out, PhConnection *connection, const PhTraceExport *what);

#endif
