/*
 * trace.h - one experiment with an event trace into the warehouse.
 *
 * A small trace is stored in one transaction. A large one goes through several connections: its row
 * is committed first, in state 'loading', which nobody sees, and made ready by the transaction that
 * stores what is left when all events are there. Whoever loads holds the row meanwhile, so that
 * others who want the same content wait. What a killed loader leaves is removed by the next load of
 * the content, or by doctor. A run that is replaced must stay as it is until then: it is replaced
 * in one transaction, however large.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_TRACE_H
#define PH_PIPELINE_TRACE_H

#include "pipeline/internal.h"
#include "pipeline/trace/read.h"

/*
 * Read the trace of input, make its profile, and store both (dry run: do not). job gets outcome and
 * counts. On failure worker->env.error; *error is set when the database refused.
 */
PhStatus ph_load_trace(PhWorker *worker, PhLoadJob *job, PhRunInput *input,
					   const PhRunRecord *record, const PhPqError **error) PH_MUST_CHECK;

#endif
