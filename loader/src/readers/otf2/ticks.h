/*
 * ticks.h - clock ticks to nanoseconds, exactly, in integers.
 *
 * ns = floor((ticks - offset) * 10^9 / resolution). Events come in order of time, so the second
 * they lie in is kept: within it, one multiplication by the reciprocal of the resolution does.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_OTF2_TICKS_H
#define PH_READERS_OTF2_TICKS_H

#include <stdbool.h>
#include <stdint.h>

/* A time beyond what 64 bits of ns can hold. */
#define PH_TICKS_OUT_OF_RANGE INT64_MIN

typedef struct PhTicks
{
	uint64_t offset;	 /* ticks at ns 0 */
	uint64_t resolution; /* ticks a second */
	uint64_t whole;		 /* 10^9 / resolution */
	uint64_t fraction;	 /* 10^9 % resolution */
	uint64_t reciprocal; /* 2^64 / resolution */
	uint64_t second;	 /* ticks where the current second begins */
	uint64_t span;		 /* ticks of it that the fast way serves; 0: none */
	int64_t second_ns;
} PhTicks;

/* False when the resolution is 0. */
bool ph_ticks_init(PhTicks *ticks, uint64_t offset, uint64_t resolution);

/* The general way, which also moves the current second. */
int64_t ph_ticks_convert(PhTicks *ticks, uint64_t time);

static inline int64_t
ph_ticks_ns(PhTicks *ticks, uint64_t time)
{
	__extension__ typedef unsigned __int128 Wide;
	uint64_t within = time - ticks->second;
	uint64_t product, quotient;

	if (within >= ticks->span)
		return ph_ticks_convert(ticks, time);
	product = within * ticks->fraction;
	quotient = (uint64_t) ((Wide) product * ticks->reciprocal >> 64); /* at most 1 too small */
	quotient += product - quotient * ticks->resolution >= ticks->resolution;
	return ticks->second_ns + (int64_t) (within * ticks->whole + quotient);
}

#endif
