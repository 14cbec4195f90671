/*
 * blame.h - who waited in a trace and who caused it, when the trace is loaded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_BLAME_H
#define PH_PIPELINE_BLAME_H

#include "pipeline/internal.h"
#include "pipeline/trace/read.h"

/*
 * It was found while the trace was read, and is stored with the run's other metrics: note it, in
 * the transaction of worker->db that has stored the run. What went wrong is a warning of input,
 * with the statement that finds it later. Not PH_OK when the database is gone, or when there is no
 * memory for the warning.
 */
PhStatus ph_load_blame(PhWorker *worker, int64_t run_id, const PhTraceRead *read,
					   PhRunInput *input) PH_MUST_CHECK;

#endif
