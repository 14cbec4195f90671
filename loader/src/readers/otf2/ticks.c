/*
 * ticks.c - clock ticks to nanoseconds: the general way.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/ticks.h"

#define NS_PER_SECOND UINT64_C(1000000000)
/* fraction < resolution and fraction <= 10^9: within * fraction must fit 64 bits */
#define FAST_RESOLUTION_MAX (UINT64_MAX / NS_PER_SECOND)

bool
ph_ticks_init(PhTicks *ticks, uint64_t offset, uint64_t resolution)
{
	*ticks = (PhTicks){.offset = offset, .resolution = resolution};
	if (resolution == 0)
		return false;
	ticks->whole = NS_PER_SECOND / resolution;
	ticks->fraction = NS_PER_SECOND % resolution;
	ticks->reciprocal =
		resolution == 1 ? UINT64_MAX : (UINT64_MAX - resolution + 1) / resolution + 1;
	return true;
}

static void
move_second(PhTicks *ticks, uint64_t seconds)
{
	if (ticks->resolution > FAST_RESOLUTION_MAX)
		return;
	ticks->second = ticks->offset + seconds * ticks->resolution;
	ticks->second_ns = (int64_t) (seconds * NS_PER_SECOND);
	ticks->span = ticks->resolution;
	if (ticks->span > UINT64_MAX - ticks->second)
		ticks->span = UINT64_MAX - ticks->second;
}

int64_t
ph_ticks_convert(PhTicks *ticks, uint64_t time)
{
	__extension__ typedef unsigned __int128 Wide;
	bool before = time < ticks->offset;
	uint64_t distance = before ? ticks->offset - time : time - ticks->offset;
	uint64_t seconds = distance / ticks->resolution;
	uint64_t rest = distance % ticks->resolution;
	Wide product = (Wide) rest * NS_PER_SECOND;
	uint64_t ns;

	if (seconds >= (uint64_t) INT64_MAX / NS_PER_SECOND / 2)
		return PH_TICKS_OUT_OF_RANGE;
	ns = seconds * NS_PER_SECOND + (uint64_t) (product / ticks->resolution);
	if (before) /* floor: away from zero */
		return -(int64_t) ns - (product % ticks->resolution != 0);
	move_second(ticks, seconds);
	return (int64_t) ns;
}
