/*
 * export_rows.h - rows of any query as CSV or Arrow, written as they come.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_ROWS_H
#define PH_REPORTS_EXPORT_ROWS_H

#include <stdio.h>

#include "database/pq.h"

/* False: the query failed (connection->error), or the stream does not take more (its ferror()). */
bool ph_export_rows_csv(FILE *out, PhConnection *connection, const char *sql, const PhParam *params,
						int n_params);

/* Numbers, booleans and times (us, UTC) as such, everything else as text; numeric as double. The
 * types of parameters are to be told by casts. */
bool ph_export_rows_arrow(FILE *out, PhConnection *connection, const char *sql,
						  const PhParam *params, int n_params);

#endif
