/*
 * known_calls.h - a small trace of devices against its calls, written down by hand.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_KNOWN_CALLS_H
#define PH_SUPPORT_KNOWN_CALLS_H

#include "readers/trace_source.h"

typedef struct KnownCall
{
	const char *name;
	int64_t enter, leave; /* of the source's clock */
	uint64_t bytes, configuration;
} KnownCall;

typedef struct KnownLocation
{
	int32_t rank;
	const char *name;
	uint32_t n_calls;
	KnownCall calls[4];
} KnownLocation;

/* Who launched the calls of a stream: location and number among its calls; -1: nobody. */
typedef int KnownLaunches[3][2];

/* first: where the trace's time 0 is by the source's clock. */
void check_known_calls(PhEnv *env, PhTraceSource *source, const KnownLocation *expected,
					   const KnownLaunches *launches, uint32_t n, int64_t first);

#endif
