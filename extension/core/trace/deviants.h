/*
 * deviants.h - of the locations that share a row of a picture, those that are least like the rest.
 *
 * A row of many locations can show what most of them do; this finds whom it hides. The window is
 * cut into parts, and these are put together to segments. How far a location is from its row in a
 * segment: the share of the segment's time that its exclusive times by region (and outside of all
 * calls) would have to move to be the row's means, 0 to 1. The row's deviant is the location
 * farthest over the whole window; where another one is more than twice as far in a segment, that
 * one is the segment's. Segments of rows begin at different parts: borders below each other would
 * be seen as lines. Locations without calls in the window are no part of their row.
 * Cost: O(events + regions of locations and parts); memory: one row at a time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_DEVIANTS_H
#define PH_TRACE_DEVIANTS_H

#include "trace/comm.h"

/* Parts [part, part + n_parts) of a row, in which one location is the deviant. */
typedef struct PhDeviant
{
	uint32_t row;
	uint32_t part, n_parts;
	uint32_t location;
	float distance; /* mean over the parts */
} PhDeviant;

/* Nearer ones are like the rest. */
#define PH_LEAST_DEVIANCE 0.1

typedef struct PhDeviants PhDeviants;

#define PH_DEVIANT_SEGMENT 8 /* parts of a segment, but for the first and the last one */

/* PH_ERR_VALUE unless the parts are bins of a time profile (ph_time_profile_new). */
PhStatus ph_deviants_new(PhEnv *env, const PhTimeBins *parts, PhDeviants **out) PH_MUST_CHECK;
void ph_deviants_free(PhDeviants *deviants);

/*
 * Feed a row: for each of its locations its chunks of the window, opened with PH_WANT_CALLS, and an
 * end of location; then an end of row. Rows count from 0.
 */
PhStatus ph_deviants_add_chunk(PhDeviants *deviants, const PhChunk *chunk,
							   const PhChunkReader *reader) PH_MUST_CHECK;
PhStatus ph_deviants_end_location(PhDeviants *deviants, uint32_t location) PH_MUST_CHECK;
PhStatus ph_deviants_end_row(PhDeviants *deviants) PH_MUST_CHECK;

/* By row and part; of rows that are ended. */
const PhDeviant *ph_deviants_result(const PhDeviants *deviants, uint32_t *count);

#endif
