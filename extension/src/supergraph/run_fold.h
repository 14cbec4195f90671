/*
 * run_fold.h - supernodes measured in the columns of a stored run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPERGRAPH_RUN_FOLD_H
#define PH_SUPERGRAPH_RUN_FOLD_H

#include "profile/run_reader.h"

/*
 * ph_supergraph_fold of the run's profile, in a child of the current context. Values are read row
 * by row and make no profile, unless the run has iterations, units of its source or derived
 * metrics.
 */
PhValue *ph_run_fold(const PhRunRequest *request, const PhSupergraph *graph);

#endif
