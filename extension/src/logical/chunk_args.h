/*
 * chunk_args.h - a chunk of logical time whose columns are the first arguments of a
 * function.
 *
 * In this order: location_id, chunk_no, format, n_events, n_ends, first_seq, step_first, step_last,
 * t_first, t_last, places, metrics, causes, ends, last_location. A chunk outside of the window is
 * not even detoasted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CHUNK_ARGS_H
#define PH_LOGICAL_CHUNK_ARGS_H

#define PH_LOGICAL_ARGUMENTS 15

/* As release 0.1.0 had them: without the last two. */
#define PH_LOGICAL_ARGUMENTS_0_1_0 13

#endif
