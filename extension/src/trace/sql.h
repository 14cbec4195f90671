/*
 * sql.h - the columns of a chunk in queries and in the arguments of functions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_SQL_H
#define PH_TRACE_SQL_H

/* Of trace_chunk c, in the order of trace/column_args.h. */
#define PH_CHUNK_COLUMNS                                                                           \
	"c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message, c.first_seq,"        \
	" c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra"

#endif
