/*
 * column_args.h - a chunk whose columns are arguments of a function or aggregate.
 *
 * From the argument `first` on, the columns of trace_chunk in the order of
 * base/warehouse_columns.h. Those that are not wanted are not even detoasted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_COLUMN_ARGS_H
#define PH_TRACE_COLUMN_ARGS_H

#include "postgres.h"

#include "fmgr.h"

#include "base/warehouse_columns.h"
#include "server/pgenv.h"
#include "trace/chunk/chunk.h"

#define PH_CHUNK_ARGUMENTS PH_N_COLUMNS(trace_chunk)

/* Has the chunk events in [from, until]? A chunk with a null among its columns has none. */
bool ph_chunk_arg_overlaps(FunctionCallInfo fcinfo, int first, int64 from, int64 until);

/* The same of the time from the event before it on, in [from, to). */
bool ph_chunk_arg_reaches(FunctionCallInfo fcinfo, int first, int64 from, int64 to);

/*
 * A reader opened on the chunk; *chunk points into the current memory. The reader belongs to the
 * function's call site and is used again by its next call.
 */
PhChunkReader *ph_chunk_arg_open(FunctionCallInfo fcinfo, int first, uint32 want, PhChunk *chunk);

#endif
