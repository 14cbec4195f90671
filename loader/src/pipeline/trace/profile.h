/*
 * profile.h - the profile that a trace yields: time and visits of its call tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_TRACE_PROFILE_H
#define PH_PIPELINE_TRACE_PROFILE_H

#include "pipeline/trace/read.h"
#include "pipeline/trace/regions.h"
#include "readers/source.h"

#define PH_BESIDE_PREFIX "cube " /* of metrics that were measured beside the trace */

/*
 * Make run->profile and run->raw_regions. Columns are the trace's locations in their order, up to
 * the last one with calls, so that a column's number is its location's. Notes say how far messages
 * and clocks can be trusted. region_ids: by region of the trace, the dictionary's id, 0: no call
 * uses it; of the caller's arena.
 */
PhStatus ph_trace_profile_make(const PhTraceRead *read, const PhTraceSource *source,
							   PhTraceRegions *regions, const PhReadOptions *options,
							   PhArena *arena, PhRunInput *run,
							   uint64_t **region_ids) PH_MUST_CHECK;

#endif
