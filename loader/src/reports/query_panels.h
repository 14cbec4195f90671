/*
 * query_panels.h - saved queries as a dashboard of Grafana.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_QUERY_PANELS_H
#define PH_REPORTS_QUERY_PANELS_H

#include <stdio.h>

#include "database/pq.h"

/* Writes it as JSON: a variable for each name of a parameter, a table for each query, and its
 * picture beside it where it has a view. Errors are logged. */
PhExit ph_query_panels(PhConnection *connection, FILE *out);

#endif
