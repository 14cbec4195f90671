/*
 * launches.h - which call launched which activity of a device, and what is known of activities.
 *
 * A launch is an equal correlation of a call and an activity within a scope (a process, or a file);
 * of several calls with one correlation the outermost launched (a driver's call lies within the run
 * time's). One call may launch many activities. What calls and activities have beside their times
 * is kept here, found by PhSpanRow.detail: 24 bytes each, and the correlations of the file that is
 * being read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_LAUNCHES_H
#define PH_READERS_SPANS_LAUNCHES_H

#include "readers/spans/correlations.h"
#include "readers/spans/runs.h"
#include "trace/chunk/device_operations.h"
#include "trace/link.h"

/* Calls of one correlation: the outermost of them. */
typedef struct PhSpanLaunch
{
	uint64_t seq; /* of its ENTER, in its location */
	int64_t begin;
	uint32_t track; /* with its lane; PH_NONE: not known yet */
	uint32_t extra; /* 1 + what it says of its activity; 0: nothing */
} PhSpanLaunch;

/* What some sources say of the call instead of the activity; zeros: nothing. */
typedef struct PhSpanExtra
{
	uint64_t bytes;
	uint32_t configuration; /* 1 + number; 0: not known */
	uint16_t communicator;	/* of a collective: 1 + number; 0: not known */
	uint8_t operation;		/* of a collective: PhDeviceOperation */
} PhSpanExtra;

#define PH_MOST_SPAN_BYTES ((UINT64_C(1) << 48) - 1) /* 281 TB in a copy */
#define PH_MOST_SPAN_COMMUNICATORS UINT16_MAX
#define PH_MOST_SPAN_CONFIGURATIONS ((1 << 26) - 1) /* later ones are not known */

typedef struct PhSpanActivity
{
	uint64_t launch; /* 1 + number of the call; 0: it was not recorded. First the correlation */
	uint64_t bytes : 48, communicator : 16;
	uint32_t configuration : 26, operation : 6; /* 1 + number, 0: not known; PhDeviceOperation */
	uint32_t scope; /* until it is matched; then PH_SPAN_WAITS, PH_SPAN_AWAITED */
} PhSpanActivity;

#define PH_SPAN_WAITS 1	  /* for another stream */
#define PH_SPAN_AWAITED 2 /* by another stream */

/*
 * A stream that waits from a call on for what another one was given before another call recorded an
 * event there (stream_waits.h).
 */
typedef struct PhSpanWait
{
	uint64_t wait, record;	   /* correlations of the calls; when matched, 1 + their numbers or 0 */
	uint32_t waiting, awaited; /* tracks; in pairs, 1 + numbers of activities */
	uint32_t scope;
} PhSpanWait;

typedef struct PhSpanLaunches
{
	PhEnv *env;
	PH_VECTOR(PhSpanLaunch) calls;
	PH_VECTOR(PhSpanExtra) extras;
	PH_VECTOR(PhSpanActivity) activities;
	PH_VECTOR(PhSpanWait) waits;
	PhArena open; /* what is not matched yet, by scope from first_scope on */
	PH_VECTOR(PhCorrelations) call_of;
	uint32_t first_scope, n_matched, n_matched_waits;
	PhLaunchCounts counts;
} PhSpanLaunches;

void ph_span_launches_init(PhSpanLaunches *launches, PhEnv *env);
void ph_span_launches_free(PhSpanLaunches *launches);

/*
 * Take a call that may launch; *detail: for its span. correlation 0: it launches nothing. Scopes
 * are numbered as they appear: not below those that were there at the last match.
 */
PhStatus ph_span_launches_call(PhSpanLaunches *launches, uint32_t scope, uint64_t correlation,
							   const PhSpanExtra *extra, uint32_t *detail) PH_MUST_CHECK;

/* Take an activity, launched by the call of the correlation; 0: by none that is known. */
PhStatus ph_span_launches_activity(PhSpanLaunches *launches, uint32_t scope, uint64_t correlation,
								   const PhSpanExtra *known, uint32_t *detail) PH_MUST_CHECK;

/* Take a wait of a stream for another one. */
PhStatus ph_span_launches_wait(PhSpanLaunches *launches, const PhSpanWait *wait) PH_MUST_CHECK;

/* All of the scopes so far were taken: their activities find their calls. */
PhStatus ph_span_launches_match(PhSpanLaunches *launches) PH_MUST_CHECK;

/* A call with a detail, and the number of its ENTER in its location. Before the activities. */
void ph_span_launches_place(PhSpanLaunches *launches, const PhSpanRow *call, uint64_t seq);

/* What is known of an activity; its call is counted where it began later. */
const PhSpanActivity *ph_span_launches_check(PhSpanLaunches *launches, const PhSpanRow *activity);

/* NULL: its call was not recorded. */
static inline const PhSpanLaunch *
ph_span_launched_by(const PhSpanLaunches *launches, const PhSpanRow *activity)
{
	uint64_t launch = launches->activities.items[activity->detail - 1].launch;

	return launch == 0 ? NULL : &launches->calls.items[launch - 1];
}

#endif
