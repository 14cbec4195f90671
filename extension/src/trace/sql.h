/*
 * sql.h - the columns of a chunk in queries and in the arguments of functions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_SQL_H
#define PH_TRACE_SQL_H

#include "base/warehouse_columns.h"

/* Of trace_chunk c. */
#define PH_CHUNK_COLUMNS PH_SELECT(trace_chunk, "c.")

#endif
