/*
 * region_profile.h - how often each region was called and what it took, straight from chunks.
 *
 * Chunks may come in any order, and what workers made of theirs adds up: all sums are of integers.
 * Inclusive time counts recursion once: the time during which at least one call of the region is
 * open. Time outside of all calls belongs to no region.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_REGION_PROFILE_H
#define PH_TRACE_REGION_PROFILE_H

#include "trace/chunk/chunk.h"

typedef struct PhRegionProfile PhRegionProfile;

PhStatus ph_region_profile_new(PhEnv *env, PhRegionProfile **out) PH_MUST_CHECK;
void ph_region_profile_free(PhRegionProfile *profile);

/* Empty it and keep its memory. */
void ph_region_profile_reset(PhRegionProfile *profile);

/*
 * Add a chunk's part of [from, to) (INT64_MIN, INT64_MAX: all); reader was opened on it with
 * PH_WANT_CALLS. Feed every chunk that has an event at or after from and t_prev < to. Calls that
 * overlap the window count: enter < to and leave >= from.
 */
PhStatus ph_region_profile_add_chunk(PhRegionProfile *profile, const PhChunk *chunk,
									 const PhChunkReader *reader, int64_t from,
									 int64_t to) PH_MUST_CHECK;

typedef struct PhRegionTotals
{
	uint32_t region;
	uint64_t calls;
	int64_t inclusive, exclusive; /* ns */
} PhRegionTotals;

/* Regions that occur, by region; valid until the profile changes. */
PhStatus ph_region_profile_rows(PhRegionProfile *profile, const PhRegionTotals **rows,
								uint32_t *n) PH_MUST_CHECK;

/*
 * As bytes and back, for the state of an aggregate: equal profiles have equal bytes. add_bytes adds
 * to what is there and trusts nothing: PH_ERR_FORMAT for what ph_region_profile_bytes does not
 * write. The bytes of several profiles one after the other are the bytes of their sum.
 */
PhStatus ph_region_profile_bytes(PhRegionProfile *profile, PhBytes *out) PH_MUST_CHECK;
PhStatus ph_region_profile_add_bytes(PhRegionProfile *profile, PhBytes bytes) PH_MUST_CHECK;

/*
 * ns in the chunk's part of [from, to) during which a call of a marked region is open, however they
 * nest; is_marked has n_regions elements, regions beyond are not marked. For waiting times: what
 * chunks give adds up.
 */
int64_t ph_chunk_time_in_regions(const PhChunk *chunk, const PhChunkReader *reader,
								 const bool *is_marked, uint32_t n_regions, int64_t from,
								 int64_t to);

#endif
