/*
 * window_support.h - planner support of functions that decode a chunk within a window.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_WINDOW_SUPPORT_H
#define PH_TRACE_WINDOW_SUPPORT_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/nodes.h"

#define PH_MOST_WINDOWS 2

/* Which result columns have windows; the arguments come in pairs behind those of the chunk. */
typedef struct PhWindowColumns
{
	int first_argument;
	Oid type; /* of the columns: int8 or int4 */
	int n;
	AttrNumber columns[PH_MOST_WINDOWS];
} PhWindowColumns;

/* Answers the planner's request for such a function; rows: that a whole chunk returns. */
Datum ph_window_support(Node *request, const PhWindowColumns *windows, double rows);

#endif
