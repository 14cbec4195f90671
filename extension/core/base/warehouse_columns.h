/*
 * warehouse_columns.h - the columns of the tables by run, each spelled once.
 *
 * PH_COLUMNS_OF_table(F, X, a) is F(a, column, TYPE) for the first column after run_id, which every
 * table here begins with, and X(a, column, TYPE) for the others, in the order in which they are
 * sent. Made from it are the COPY statement (PH_COPY), the struct of a row with its encoder
 * (pipeline/store/copy_rows.h), and the list of a SELECT (PH_SELECT) with the place of each column
 * in its rows (PH_SLOT). A column that the server fills by itself is not here.
 * tests/tap/015_columns.pl compares names, types and nulls with the catalog of a new warehouse.
 *
 * Types: those of SQL; an S at the end is an array, _OR_NULL a column that may be null.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_WAREHOUSE_COLUMNS_H
#define PH_BASE_WAREHOUSE_COLUMNS_H

#include "base/warehouse_logical_columns.h"

/* ---- profiles ---- */

#define PH_COLUMNS_OF_location(F, X, a)                                                            \
	F(a, location_id, INT4)                                                                        \
	X(a, kind, INT2)                                                                               \
	X(a, rank, INT4_OR_NULL)                                                                       \
	X(a, thread, INT4_OR_NULL)                                                                     \
	X(a, host, TEXT_OR_NULL)                                                                       \
	X(a, name, TEXT_OR_NULL)                                                                       \
	X(a, iteration, INT8_OR_NULL)

#define PH_COLUMNS_OF_profile_values_1(F, X, a)                                                    \
	F(a, callpath_id, INT8)                                                                        \
	X(a, metric_id, INT4)                                                                          \
	X(a, block, INT4)                                                                              \
	X(a, inclusive, FLOAT8S)                                                                       \
	X(a, exclusive, FLOAT8S)

#define PH_COLUMNS_OF_value_block(F, X, a)                                                         \
	F(a, metric_id, INT4)                                                                          \
	X(a, stripe, INT4)                                                                             \
	X(a, block, INT4)                                                                              \
	X(a, bytes, BYTEA)

#define PH_COLUMNS_OF_summary_block(F, X, a)                                                       \
	F(a, metric_id, INT4)                                                                          \
	X(a, block, INT4)                                                                              \
	X(a, bytes, BYTEA)

#define PH_COLUMNS_OF_profile_summary_1(F, X, a)                                                   \
	F(a, callpath_id, INT8)                                                                        \
	X(a, metric_id, INT4)                                                                          \
	X(a, n, INT4)                                                                                  \
	X(a, inclusive_sum, FLOAT8)                                                                    \
	X(a, inclusive_sumsq, FLOAT8)                                                                  \
	X(a, inclusive_min, FLOAT8)                                                                    \
	X(a, inclusive_max, FLOAT8)                                                                    \
	X(a, inclusive_argmin, INT4)                                                                   \
	X(a, inclusive_argmax, INT4)                                                                   \
	X(a, exclusive_sum, FLOAT8)                                                                    \
	X(a, exclusive_sumsq, FLOAT8)                                                                  \
	X(a, exclusive_min, FLOAT8)                                                                    \
	X(a, exclusive_max, FLOAT8)                                                                    \
	X(a, exclusive_argmin, INT4)                                                                   \
	X(a, exclusive_argmax, INT4)

#define PH_COLUMNS_OF_region_summary(F, X, a)                                                      \
	F(a, region_id, INT8)                                                                          \
	X(a, metric_id, INT4)                                                                          \
	X(a, n_nodes, INT4)                                                                            \
	X(a, inclusive, FLOAT8)                                                                        \
	X(a, exclusive, FLOAT8)                                                                        \
	X(a, min, FLOAT8)                                                                              \
	X(a, max, FLOAT8)

#define PH_COLUMNS_OF_derived(F, X, a)                                                             \
	F(a, kind, TEXT)                                                                               \
	X(a, version, INT4)

#define PH_COLUMNS_OF_load_log(F, X, a)                                                            \
	F(a, source, TEXT)                                                                             \
	X(a, outcome, TEXT)                                                                            \
	X(a, bytes, INT8)                                                                              \
	X(a, seconds, FLOAT8)

/* ---- traces ---- */

#define PH_COLUMNS_OF_trace(F, X, a)                                                               \
	F(a, n_locations, INT4)                                                                        \
	X(a, n_events, INT8)                                                                           \
	X(a, duration, INT8)                                                                           \
	X(a, epoch_ns, INT8_OR_NULL)                                                                   \
	X(a, n_messages, INT8)                                                                         \
	X(a, unmatched_sends, INT8)                                                                    \
	X(a, unmatched_receives, INT8)                                                                 \
	X(a, reversed_messages, INT8)                                                                  \
	X(a, worst_reversal, INT8)                                                                     \
	X(a, n_collectives, INT8)                                                                      \
	X(a, open_calls, INT8)                                                                         \
	X(a, unknown_records, INT8)                                                                    \
	X(a, clock, TEXT)                                                                              \
	X(a, n_stream_waits, INT8)

#define PH_COLUMNS_OF_trace_region(F, X, a)                                                        \
	F(a, local_id, INT4)                                                                           \
	X(a, region_id, INT8)                                                                          \
	X(a, name, TEXT)                                                                               \
	X(a, paradigm, TEXT)                                                                           \
	X(a, role, TEXT)

#define PH_COLUMNS_OF_trace_communicator(F, X, a)                                                  \
	F(a, local_id, INT4)                                                                           \
	X(a, name, TEXT)                                                                               \
	X(a, parent, INT4_OR_NULL)                                                                     \
	X(a, is_mpi, BOOL)                                                                             \
	X(a, members, INT4S)

#define PH_COLUMNS_OF_trace_metric(F, X, a)                                                        \
	F(a, metric_class, INT4)                                                                       \
	X(a, member, INT4)                                                                             \
	X(a, name, TEXT)                                                                               \
	X(a, unit, TEXT)                                                                               \
	X(a, type, INT2)                                                                               \
	X(a, is_accumulated, BOOL)                                                                     \
	X(a, scale, FLOAT8)

#define PH_COLUMNS_OF_trace_text(F, X, a)                                                          \
	F(a, number, INT8)                                                                             \
	X(a, text, TEXT)

/* Also the first arguments of the functions on chunks, in this order (trace/column_args.h). */
#define PH_COLUMNS_OF_trace_chunk(F, X, a)                                                         \
	F(a, location_id, INT4)                                                                        \
	X(a, chunk_no, INT4)                                                                           \
	X(a, format, INT2)                                                                             \
	X(a, n_events, INT4)                                                                           \
	X(a, n_enter, INT4)                                                                            \
	X(a, n_message, INT4)                                                                          \
	X(a, first_seq, INT8)                                                                          \
	X(a, t_prev, INT8)                                                                             \
	X(a, t_first, INT8)                                                                            \
	X(a, t_last, INT8)                                                                             \
	X(a, stack, BYTEA)                                                                             \
	X(a, dt, BYTEA)                                                                                \
	X(a, kind, BYTEA)                                                                              \
	X(a, region, BYTEA)                                                                            \
	X(a, msg, BYTEA)                                                                               \
	X(a, extra, BYTEA)

#define PH_COLUMNS_OF_message_chunk(F, X, a)                                                       \
	F(a, location_id, INT4)                                                                        \
	X(a, chunk_no, INT4)                                                                           \
	X(a, n_links, INT4)                                                                            \
	X(a, t_send_min, INT8)                                                                         \
	X(a, t_send_max, INT8)                                                                         \
	X(a, links, BYTEA)

/* Locations that are streams of devices; they are no execution units of the profile. */
#define PH_COLUMNS_OF_trace_stream(F, X, a)                                                        \
	F(a, location_id, INT4)                                                                        \
	X(a, rank, INT4_OR_NULL)                                                                       \
	X(a, host, TEXT_OR_NULL)                                                                       \
	X(a, name, TEXT)                                                                               \
	X(a, device, INT4)                                                                             \
	X(a, context, INT8)                                                                            \
	X(a, stream, INT8)                                                                             \
	X(a, lane, INT4)

#define PH_COLUMNS_OF_launch_configuration(F, X, a)                                                \
	F(a, local_id, INT4)                                                                           \
	X(a, grid, INT4S)                                                                              \
	X(a, block, INT4S)                                                                             \
	X(a, registers, INT4)                                                                          \
	X(a, static_memory, INT8)                                                                      \
	X(a, dynamic_memory, INT8)

/* As message_chunk, of ENTERs of streams and the calls that launched them. */
#define PH_COLUMNS_OF_launch_chunk(F, X, a)                                                        \
	F(a, location_id, INT4)                                                                        \
	X(a, chunk_no, INT4)                                                                           \
	X(a, n_links, INT4)                                                                            \
	X(a, t_call_min, INT8)                                                                         \
	X(a, t_call_max, INT8)                                                                         \
	X(a, links, BYTEA)                                                                             \
	X(a, crc, INT8)

#define PH_COLUMNS_OF_trace_tile(F, X, a)                                                          \
	F(a, tier, INT2)                                                                               \
	X(a, level, INT2)                                                                              \
	X(a, block, INT4)                                                                              \
	X(a, x, INT4)                                                                                  \
	X(a, bytes, BYTEA)                                                                             \
	X(a, crc, INT8)

/* ---- tasks ---- */

#define PH_COLUMNS_OF_task_trace(F, X, a)                                                          \
	F(a, model, TEXT)                                                                              \
	X(a, tick, INT4)                                                                               \
	X(a, n_chares, INT4)                                                                           \
	X(a, n_blocks, INT8)

#define PH_COLUMNS_OF_task_type(F, X, a)                                                           \
	F(a, type_id, INT4)                                                                            \
	X(a, name, TEXT)                                                                               \
	X(a, dimensions, INT4_OR_NULL)                                                                 \
	X(a, is_runtime, BOOL)

#define PH_COLUMNS_OF_task_entry(F, X, a)                                                          \
	F(a, local_id, INT4)                                                                           \
	X(a, type_id, INT4)                                                                            \
	X(a, name, TEXT)

#define PH_COLUMNS_OF_chare(F, X, a)                                                               \
	F(a, chare_id, INT4)                                                                           \
	X(a, type_id, INT4)                                                                            \
	X(a, collection, INT4_OR_NULL)                                                                 \
	X(a, index, INT4S_OR_NULL)                                                                     \
	X(a, processor, INT4_OR_NULL)                                                                  \
	X(a, name, TEXT_OR_NULL)                                                                       \
	X(a, is_runtime, BOOL)                                                                         \
	X(a, first_location, INT4)

/* ---- what follows ---- */

#define PH_FIRST_NAME(alias, column, type) alias #column
#define PH_NEXT_NAME(alias, column, type) ", " alias #column

/* "rank, thread, …", each behind the alias: "" or, say, "c.". */
#define PH_SELECT(table, alias) PH_COLUMNS_OF_##table(PH_FIRST_NAME, PH_NEXT_NAME, alias)

#define PH_COPY(table)                                                                             \
	"COPY perfhouse." #table " (run_id, " PH_SELECT(table, "") ") FROM STDIN (FORMAT binary)"

/* The same with a checksum behind, which functions on rows of the table do not take. */
#define PH_COPY_SUMMED(table)                                                                      \
	"COPY perfhouse." #table " (run_id, " PH_SELECT(table, "") ", crc) FROM STDIN (FORMAT binary)"

#define PH_PLACE(table, column, type) PH_SLOT_##table##_##column,

/* Place of a column in rows of PH_SELECT(table, …), from 0; PH_N_COLUMNS(table): of what follows.
 */
#define PH_SLOT(table, column) PH_SLOT_##table##_##column
#define PH_N_COLUMNS(table) PH_N_COLUMNS_##table

#define PH_PLACES_OF(table)                                                                        \
	enum                                                                                           \
	{                                                                                              \
		PH_COLUMNS_OF_##table(PH_PLACE, PH_PLACE, table) PH_N_COLUMNS_##table                      \
	}

PH_PLACES_OF(location);
PH_PLACES_OF(profile_values_1);
PH_PLACES_OF(value_block);
PH_PLACES_OF(summary_block);
PH_PLACES_OF(profile_summary_1);
PH_PLACES_OF(region_summary);
PH_PLACES_OF(derived);
PH_PLACES_OF(load_log);
PH_PLACES_OF(trace);
PH_PLACES_OF(trace_region);
PH_PLACES_OF(trace_communicator);
PH_PLACES_OF(trace_metric);
PH_PLACES_OF(trace_text);
PH_PLACES_OF(trace_chunk);
PH_PLACES_OF(message_chunk);
PH_PLACES_OF(trace_stream);
PH_PLACES_OF(launch_configuration);
PH_PLACES_OF(launch_chunk);
PH_PLACES_OF(trace_tile);
PH_PLACES_OF(task_trace);
PH_PLACES_OF(task_type);
PH_PLACES_OF(task_entry);
PH_PLACES_OF(chare);
PH_PLACES_OF(phase_block);
PH_PLACES_OF(phase_chunk);
PH_PLACES_OF(logical_chunk);
PH_PLACES_OF(logical_timeline);

#endif
