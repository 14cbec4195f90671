/*
 * logical.h - logical time of a trace that was just loaded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_LOGICAL_H
#define PH_PIPELINE_LOGICAL_H

#include "pipeline/internal.h"
#include "pipeline/trace/read.h"

/* Phases and logical steps of a trace that was read, on their way. */
typedef struct PhLogicalSearch PhLogicalSearch;

/*
 * Begin to find them, once the messages are matched: in a thread beside the caller's, which must
 * not change the matcher meanwhile, or (is_beside false) when ph_load_logical wants them. What is
 * found does not depend on that. NULL in *out: none were collected. To be freed before read.
 */
PhStatus ph_logical_search_begin(PhWorker *worker, PhTraceRead *read, bool is_beside,
								 PhLogicalSearch **out) PH_MUST_CHECK;
void ph_logical_search_free(PhLogicalSearch *search);

/*
 * Store what was found within the transaction of worker->db that stores the run; nothing to do
 * where none were collected. When they could not be found, that is a warning of input, with the
 * statement that does it later. Not PH_OK when the database refused, for an interrupt, or when
 * there is no memory for the warning.
 */
PhStatus ph_load_logical(PhWorker *worker, PhLoadJob *job, int64_t run_id, PhRunInput *input,
						 PhTraceRead *read, PhLogicalSearch *search) PH_MUST_CHECK;

/*
 * Let the server assign the logical steps of the job's run, in a transaction of its own: the run is
 * loaded, whatever comes of this. What goes wrong becomes a warning of input, with the statement
 * that does it later. Not PH_OK only when there is no memory for that.
 */
PhStatus ph_load_logical_later(PhWorker *worker, PhLoadJob *job, PhRunInput *input) PH_MUST_CHECK;

#endif
