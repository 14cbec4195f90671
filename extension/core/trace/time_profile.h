/*
 * time_profile.h - what regions took over time: exclusive ns by region and time bin.
 *
 * Every stretch of time is cut exactly at the bins' borders, so that a region's bins add up to its
 * exclusive time in the window. Chunks may come in any order, and parts add up.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TIME_PROFILE_H
#define PH_TRACE_TIME_PROFILE_H

#include "trace/comm.h"

typedef struct PhTimeProfile PhTimeProfile;

/* PH_ERR_VALUE unless 0 <= from < to and 1 <= n <= PH_MOST_BINS. */
PhStatus ph_time_profile_new(PhEnv *env, const PhTimeBins *bins, PhTimeProfile **out) PH_MUST_CHECK;
void ph_time_profile_free(PhTimeProfile *profile);

/* Add a chunk's part of the window; reader was opened on it with PH_WANT_CALLS. */
PhStatus ph_time_profile_add_chunk(PhTimeProfile *profile, const PhChunk *chunk,
								   const PhChunkReader *reader) PH_MUST_CHECK;

typedef struct PhTimeProfileRow
{
	uint32_t bin, region;
	int64_t exclusive; /* ns, not 0 */
} PhTimeProfileRow;

/* Cells that are not 0, by (bin, region); valid until the profile changes. */
PhStatus ph_time_profile_rows(PhTimeProfile *profile, const PhTimeProfileRow **rows,
							  size_t *n) PH_MUST_CHECK;

#endif
