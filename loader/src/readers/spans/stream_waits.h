/*
 * stream_waits.h - which activity had to wait for which one of another stream, by events.
 *
 * An event is recorded on a stream by a call, and another stream waits for it from a call on: the
 * first activity that is launched on that stream behind the second call cannot begin before the
 * last one that was launched on the first stream ahead of the first call is over. Profilers say
 * which calls these were and on which streams; what was launched when is told by the begins of the
 * launching calls. Activities that nobody launched were launched before all others.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_STREAM_WAITS_H
#define PH_READERS_SPANS_STREAM_WAITS_H

#include "readers/spans/launches.h"

/* The end of an activity that others waited for, once its stream is placed. */
typedef struct PhSpanAwaited
{
	int64_t end;
	uint32_t track; /* with its lane; PH_NONE: not known */
} PhSpanAwaited;

/* The pairs, in memory of the arena; all zeros: none. */
typedef struct PhSpanStreamWaits
{
	bool are_resolved;
	uint32_t n;
	const PhSpanWait *waits; /* by their waiting activity */
	PhMap first_of;			 /* of an activity, in waits */
	PhMap awaited_of;		 /* by activity: in awaited */
	PhSpanAwaited *awaited;
	uint32_t *of_wait; /* by wait: in awaited */
} PhSpanStreamWaits;

/*
 * Find the pairs. Calls of threads are placed, streams are not yet; activities are marked with
 * what they are of (PhSpanActivity.scope).
 */
PhStatus ph_stream_waits_resolve(PhSpanStreamWaits *waits, PhArena *arena, PhSpanLaunches *launches,
								 const PhSpanRuns *runs) PH_MUST_CHECK;

/* An activity that is placed. */
void ph_stream_waits_place(PhSpanStreamWaits *waits, const PhSpanLaunches *launches,
						   const PhSpanRow *activity);

/* What the activity waited for: of several the one that ended last, if that was before it began.
 * NULL: nothing. */
const PhSpanAwaited *ph_stream_waits_find(const PhSpanStreamWaits *waits,
										  const PhSpanRow *activity);

#endif
