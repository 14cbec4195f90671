/*
 * warehouse_logical_columns.h - the columns of the tables of logical time, as warehouse_columns.h
 * has those of the others; it includes this.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_WAREHOUSE_LOGICAL_COLUMNS_H
#define PH_BASE_WAREHOUSE_LOGICAL_COLUMNS_H

/* Of processes. */
#define PH_COLUMNS_OF_phase_block(F, X, a)                                                         \
	F(a, first_phase, INT4)                                                                        \
	X(a, n_phases, INT4)                                                                           \
	X(a, packed, BYTEA)                                                                            \
	X(a, crc, INT8)

/* Of tasks, which have more columns; the server alone writes them. */
#define PH_COLUMNS_OF_phase_chunk(F, X, a)                                                         \
	F(a, first_phase, INT4)                                                                        \
	X(a, first_step, INT4S)                                                                        \
	X(a, last_step, INT4S)                                                                         \
	X(a, n_events, INT4S)                                                                          \
	X(a, n_locations, INT4S)                                                                       \
	X(a, leap, INT4S)                                                                              \
	X(a, max_lateness, INT8S)                                                                      \
	X(a, t_first, INT8S)                                                                           \
	X(a, t_last, INT8S)                                                                            \
	X(a, pattern, TEXTS)                                                                           \
	X(a, merge_reason, TEXTS)                                                                      \
	X(a, merge_reasons, TEXTS)                                                                     \
	X(a, regions, TEXTS)                                                                           \
	X(a, followed_by, TEXTS)

/* Of processes; tasks have a column more, which the server alone writes. */
#define PH_COLUMNS_OF_logical_chunk(F, X, a)                                                       \
	F(a, location_id, INT4)                                                                        \
	X(a, chunk_no, INT4)                                                                           \
	X(a, format, INT4)                                                                             \
	X(a, n_events, INT4)                                                                           \
	X(a, n_ends, INT4)                                                                             \
	X(a, first_seq, INT4)                                                                          \
	X(a, step_first, INT4)                                                                         \
	X(a, step_last, INT4)                                                                          \
	X(a, t_first, INT8)                                                                            \
	X(a, t_last, INT8)                                                                             \
	X(a, places, BYTEA)                                                                            \
	X(a, metrics, BYTEA)                                                                           \
	X(a, causes, BYTEA)                                                                            \
	X(a, ends, BYTEA)                                                                              \
	X(a, counters, BYTEA)                                                                          \
	X(a, last_location, INT4_OR_NULL)                                                              \
	X(a, crc, INT8_OR_NULL)

#define PH_COLUMNS_OF_logical_timeline(F, X, a)                                                    \
	F(a, location_id, INT4)                                                                        \
	X(a, name, TEXT)                                                                               \
	X(a, is_runtime, BOOL)                                                                         \
	X(a, chare_id, INT4_OR_NULL)                                                                   \
	X(a, first_location, INT4)

#endif
