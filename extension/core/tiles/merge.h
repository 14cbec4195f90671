/*
 * merge.h - cells of several locations, or of several groups of them, as one.
 *
 * Regions: counters are added, then the ninth is taken off all (Misra and Gries). Depth and longest
 * call: the largest. The deviant: of the locations, or of the deviants of the groups, the one with
 * the largest L1 distance of its shares from the mean of all; the lowest location of equals.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_MERGE_H
#define PH_TILES_MERGE_H

#include "tiles/cell.h"

typedef struct PhMerger PhMerger;

PhStatus ph_merger_new(PhEnv *env, uint32_t n_regions, PhMerger **out) PH_MUST_CHECK;
void ph_merger_free(PhMerger *merger);

/* What is merged: one location or a group. */
typedef struct PhMergePart
{
	const PhBinCell *cell; /* NULL: all its locations are outside of calls */
	uint32_t location;	   /* the first with calls */
	uint32_t n_locations;
	bool is_group;
} PhMergePart;

/* n parts, at least one, by location. Costs O(counters). */
void ph_merge_cells(PhMerger *merger, const PhMergePart *parts, uint32_t n, PhBinCell *out);

#endif
