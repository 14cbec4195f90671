/*
 * column_args.h - a chunk whose columns are arguments of a function or aggregate.
 *
 * From the argument `first` on, in this order: location_id, chunk_no, format, n_events, n_enter,
 * n_message, first_seq, t_prev, t_first, t_last, stack, dt, kind, region, msg, extra. Columns that
 * are not wanted are not even detoasted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_COLUMN_ARGS_H
#define PH_TRACE_COLUMN_ARGS_H

#include "postgres.h"

#include "fmgr.h"

#include "server/pgenv.h"
#include "trace/chunk/chunk.h"

#define PH_CHUNK_ARGUMENTS 16

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
