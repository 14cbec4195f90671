/*
 * blame.h - who waited in a trace and who caused it, when the trace is loaded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_BLAME_H
#define PH_PIPELINE_BLAME_H

#include "pipeline/internal.h"

/*
 * Let the server find it, within the transaction of worker->db that has stored the run, and store
 * it as metrics of the run. When that fails it is a warning of input, with the statement that does
 * it later. Not PH_OK when the database is gone, for an interrupt, or when there is no memory for
 * the warning.
 */
PhStatus ph_load_blame(PhWorker *worker, int64_t run_id, PhRunInput *input) PH_MUST_CHECK;

#endif
