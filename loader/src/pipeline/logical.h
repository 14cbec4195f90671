/*
 * logical.h - logical time of a trace that was just loaded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_LOGICAL_H
#define PH_PIPELINE_LOGICAL_H

#include "pipeline/internal.h"
#include "pipeline/trace_read.h"

/*
 * Find and store phases and logical steps of a trace that was read, within the transaction of
 * worker->db that stores its run; nothing to do where none were collected. When they cannot be
 * found, that is a warning of input, with the statement that does it later. Not PH_OK when the
 * database refused, for an interrupt, or when there is no memory for the warning.
 */
PhStatus ph_load_logical(PhWorker *worker, PhLoadJob *job, int64_t run_id, PhRunInput *input,
						 PhTraceRead *read) PH_MUST_CHECK;

/*
 * Let the server assign the logical steps of the job's run, in a transaction of its own: the run is
 * loaded, whatever comes of this. What goes wrong becomes a warning of input, with the statement
 * that does it later. Not PH_OK only when there is no memory for that.
 */
PhStatus ph_load_logical_later(PhWorker *worker, PhLoadJob *job, PhRunInput *input) PH_MUST_CHECK;

#endif
