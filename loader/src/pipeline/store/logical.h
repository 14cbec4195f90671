/*
 * logical.h - logical time that was computed while a trace was loaded, into its tables.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_LOGICAL_H
#define PH_PIPELINE_STORE_LOGICAL_H

#include "database/pq.h"
#include "logical/metrics.h"

/*
 * COPY phases and steps of a run that has none, within db's transaction: the very rows that
 * assign_logical_steps stores with its default options. trace: of it the regions.
 */
PhStatus ph_store_logical(PhEnv *env, PhConnection *db, int64_t run_id, const PhTraceModel *trace,
						  const PhLogicalMetrics *metrics) PH_MUST_CHECK;

#endif
