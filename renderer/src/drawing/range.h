/*
 * range.h - the range of values that colours are given to, so that one value far from the others
 * does not take all colours but the last from them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_RANGE_H
#define PH_DRAWING_RANGE_H

#include "base/arena.h"

typedef struct PhRange
{
	double low, high;	   /* least and greatest value within; both 0 when there are none */
	uint32_t below, above; /* values beyond, which have the colours of the ends */
} PhRange;

/*
 * All values, or of 8 and more those that are not far out: within three times the distance of the
 * quartiles beyond these (Tukey 1977), or among the middle 96 %. An end is left as it is where
 * nothing beyond is more than half of the remaining range away, or nothing would remain. Values
 * that are no numbers do not count.
 */
PhRange ph_range_robust(PhArena *arena, const double *values, uint32_t n);

/* " (3 beyond)", or "". */
const char *ph_range_beyond(PhArena *arena, uint32_t n);

#endif
