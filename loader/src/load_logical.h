/*
 * load_logical.h - logical time of a trace that was just loaded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOAD_LOGICAL_H
#define PH_LOAD_LOGICAL_H

#include "load_internal.h"

/*
 * Let the server assign the logical steps of the job's run, in a transaction of its own: the run is
 * loaded, whatever comes of this. What goes wrong becomes a warning of input, with the statement
 * that does it later. Not PH_OK only when there is no memory for that.
 */
PhStatus ph_load_logical(PhWorker *worker, PhLoadJob *job, PhRunInput *input) PH_MUST_CHECK;

#endif
