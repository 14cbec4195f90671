/*
 * device_records.h - the record by which activities of devices keep what they have beside a time.
 *
 * An activity (kernel, copy, memset) is a call of a location of kind PH_COLUMN_STREAM. What else is
 * known of it follows its ENTER at once, as a PH_EVENT_OTHER of this operation, so that it costs
 * nothing where nothing is known and is decoded by those only who want PH_WANT_EXTRA. Numbers are
 * stored: never renumber.
 *
 * A wait of a stream for another one (an event that is recorded on one and waited for on the other)
 * stands at the first activity behind it: the last activity in front of the event, told by where
 * and when it ended. Of several the one that ended last.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_DEVICE_RECORDS_H
#define PH_TRACE_CHUNK_DEVICE_RECORDS_H

#include "trace/chunk/model.h"

/* Its values are by PhActivityValue; later ones that are 0 may be left out. */
#define PH_RECORD_ACTIVITY 1100

typedef enum PhActivityValue
{
	PH_ACTIVITY_BYTES,			/* copied or set */
	PH_ACTIVITY_CONFIGURATION,	/* 1 + index of the model's configuration; 0: none */
	PH_ACTIVITY_COMMUNICATOR,	/* 1 + index of the model's communicator, of collectives; 0: none */
	PH_ACTIVITY_AWAITED,		/* 1 + the stream's location that it had to wait for; 0: none */
	PH_ACTIVITY_AWAITED_BEFORE, /* ns before the ENTER at which the awaited activity was over */
	PH_ACTIVITY_OPERATION,		/* PhDeviceOperation of a collective, as the source says it */
	PH_ACTIVITY_VALUES
} PhActivityValue;

/* How many of the values are to be stored: the later ones are 0. */
static inline uint32_t
ph_activity_n_values(const uint64_t values[PH_ACTIVITY_VALUES])
{
	uint32_t n = PH_ACTIVITY_VALUES;

	while (n > 0 && values[n - 1] == 0)
		n--;
	return n;
}

/* Where and when an activity ended that another one had to wait for. */
typedef struct PhAwaited
{
	uint32_t location;
	int64_t end;
} PhAwaited;

/* What the n values of the record of an activity that began at start say of it; false: nothing. */
static inline bool
ph_activity_awaited(const uint64_t *values, uint32_t n, int64_t start, PhAwaited *out)
{
	uint64_t before = n > PH_ACTIVITY_AWAITED_BEFORE ? values[PH_ACTIVITY_AWAITED_BEFORE] : 0;

	if (n <= PH_ACTIVITY_AWAITED || values[PH_ACTIVITY_AWAITED] == 0)
		return false;
	*out = (PhAwaited){
		.location = (uint32_t) values[PH_ACTIVITY_AWAITED] - 1,
		.end = (int64_t) ((uint64_t) start - before),
	};
	return true;
}

/* Roles of the regions of activities (PhTraceRegion.role). */
#define PH_ROLE_KERNEL "kernel"
#define PH_ROLE_COLLECTIVE "collective kernel" /* of which the source says an operation */
#define PH_ROLE_COPY "memcpy"
#define PH_ROLE_SET "memset"

#endif
