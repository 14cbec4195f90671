/*
 * over_time.h - what devices did, how long queues were and what was copied, by bins of time.
 *
 * Cells are those of one device, stream or region, one a bin, and are added to. Times outside of
 * the bins do not count. Lists of indices as in usage.h. O(n + bins), the queue's O(n log n).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_OVER_TIME_H
#define PH_DEVICES_OVER_TIME_H

#include "devices/activities.h"
#include "trace/comm.h"

/*
 * What a device does: one thing at a time, so that these add up to its wall. Copies are those
 * beside which no kernel runs. Idle by what comes next, as in PhStreamIdle, of the whole device.
 */
typedef enum PhDeviceUse
{
	PH_USE_COMPUTE, /* without communication */
	PH_USE_OVERLAP, /* computation and communication */
	PH_USE_EXPOSED, /* communication alone */
	PH_USE_COPIES,
	PH_USE_HOST_WAIT,
	PH_USE_LAUNCH_GAP,
	PH_USE_OTHER,
	PH_DEVICE_USES
} PhDeviceUse;

typedef struct PhUseCell
{
	int64_t ns[PH_DEVICE_USES];
} PhUseCell;

/* kinds: by region. */
void ph_device_use_over_time(const PhActivities *activities, const PhActivityKind *kinds,
							 const uint32_t *order, uint32_t n, int64_t threshold,
							 const PhTimeBins *bins, PhUseCell *cells);

/* Activities that were launched and had not begun. */
typedef struct PhQueueCell
{
	double waiting; /* ns, summed over them: ÷ the bin's length, the mean length of the queue */
	uint32_t longest;
	int64_t empty, full; /* ns in which there were none; at least `full` */
} PhQueueCell;

/* Of a stream. Activities of which nobody is known to have launched them do not count. */
PhStatus ph_stream_queue_over_time(PhArena *arena, const PhActivities *activities,
								   const uint32_t *order, uint32_t n, uint32_t full,
								   const PhTimeBins *bins, PhQueueCell *cells) PH_MUST_CHECK;

/* Of a bin, over streams: mean lengths of their queues in it. */
typedef struct PhQueueSpread
{
	double sum, least, most;
} PhQueueSpread;

/* Another stream's cells; is_first: there were none before. */
void ph_queue_spread_add(PhQueueSpread *spread, const PhTimeBins *bins, const PhQueueCell *cells,
						 bool is_first);

typedef struct PhCopyCell
{
	double bytes; /* spread evenly over each activity */
	int64_t ns;	  /* in which these ran, summed over them */
} PhCopyCell;

/* One activity. */
void ph_copy_over_time(const PhDeviceActivity *copy, const PhTimeBins *bins, PhCopyCell *cells);

#endif
