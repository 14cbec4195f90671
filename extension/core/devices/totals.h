/*
 * totals.h - what the activities of each region took: sums, spread, distribution, by rank.
 *
 * One pass over the chunks of streams, each location's in order; nothing is kept by activity.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_TOTALS_H
#define PH_DEVICES_TOTALS_H

#include "base/table.h"
#include "trace/chunk/chunk.h"

/* Durations are counted in sixteenths of powers of two, so that quantiles are right to 5 %. */
#define PH_DURATION_CLASSES 1024

typedef struct PhActivityTotal
{
	uint64_t n, bytes;
	int64_t total, min, max;
	double sum, squares;		/* of differences from the first duration */
	int64_t shift;				/* that one */
	uint32_t *classes;			/* by class of duration; NULL: none yet */
	int64_t before_location;	/* internal: total, when the location at hand began */
	uint32_t n_ranks;			/* after ph_totals_finish */
	int64_t rank_min, rank_max; /* of the ranks that took least and most */
} PhActivityTotal;

typedef struct PhOpenActivity
{
	uint32_t region;
	int64_t start;
	uint64_t bytes;
} PhOpenActivity;

typedef struct PhActivityTotals
{
	PhArena *arena;
	const PhTraceModel *model;
	int64_t from, to; /* activities that overlap it count, whole */
	PhActivityTotal *by_region;
	PhMap cells; /* (region, rank) */
	PH_VECTOR(int64_t) of_cell;
	PH_VECTOR(PhOpenActivity) open;
	uint32_t location;
	int64_t last; /* time of its last event */
} PhActivityTotals;

PhStatus ph_totals_begin(PhArena *arena, const PhTraceModel *model, int64_t from, int64_t to,
						 PhActivityTotals *out) PH_MUST_CHECK;

/* reader: opened with CALLS, and EXTRA if bytes are wanted. PH_ERR_FORMAT: a region that the model
 * does not have. */
PhStatus ph_totals_add_chunk(PhActivityTotals *totals, const PhChunk *chunk,
							 const PhChunkReader *reader) PH_MUST_CHECK;

/* Everything was added. */
PhStatus ph_totals_finish(PhActivityTotals *totals) PH_MUST_CHECK;

/* The duration that a share of the activities (0 to 1) is not longer than; n > 0. */
double ph_total_quantile(const PhActivityTotal *total, double share);

/* Of the sample; NaN: there is one only. */
double ph_total_deviation(const PhActivityTotal *total);

#endif
