/*
 * regions.h - which regions of the dictionary a trace's are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_TRACE_REGIONS_H
#define PH_PIPELINE_TRACE_REGIONS_H

#include "hiding/hiding.h"
#include "readers/source.h"
#include "readers/source_paths.h"
#include "trace/chunk/model.h"

typedef struct PhTraceRegions
{
	PhSourcePaths paths;
	uint32_t *files; /* by region of the trace: index into paths */
	uint64_t *
		ids; /* by region of the trace: the dictionary's id, of what it is called and where it is */
} PhTraceRegions;

/* All regions', called or not: what their files share must not depend on which were called. In
 * arena. hiding: of paths in their files, NULL: they stay. */
PhStatus ph_trace_regions_identify(PhArena *arena, const PhTraceModel *model,
								   const PhReadOptions *options, const PhHiding *hiding,
								   PhTraceRegions *out) PH_MUST_CHECK;

/* What a region is, but for its module. */
PhRegionSpec ph_trace_region_spec(const PhTraceRegions *regions, const PhTraceModel *model,
								  uint32_t region);

#endif
