/*
 * over_time.c - see over_time.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/over_time.h"

#include "base/min_max.h"
#include "base/sort.h"

/* A stretch of time as the parts of it that lie in one bin each: false when it is used up. */
static bool
next_part(const PhTimeBins *bins, int64_t *from, int64_t to, uint32_t *bin, int64_t *length)
{
	*from = PH_MAX(*from, bins->from);
	to = PH_MIN(to, bins->to);
	if (*from >= to)
		return false;
	*bin = ph_bin_of(bins, *from);
	int64_t end = PH_MIN(to, ph_bin_start(bins, *bin + 1));
	*length = end - *from;
	*from = end;
	return true;
}

/* ---- what a device does ---- */

typedef enum Family
{
	COMPUTES,
	COMMUNICATES,
	COPIES,
	FAMILIES
} Family;

typedef struct UseSweep
{
	const PhTimeBins *bins;
	PhUseCell *cells;
	int64_t reach[FAMILIES]; /* how far what has begun goes */
	int64_t at;
} UseSweep;

static void
add_use(UseSweep *sweep, PhDeviceUse use, int64_t from, int64_t to)
{
	uint32_t bin;
	int64_t length;
	while (next_part(sweep->bins, &from, to, &bin, &length))
		sweep->cells[bin].ns[use] += length;
}

static int64_t
reach_of_all(const UseSweep *sweep)
{
	return PH_MAX(PH_MAX(sweep->reach[COMPUTES], sweep->reach[COMMUNICATES]), sweep->reach[COPIES]);
}

/* The device is busy up to here: with what runs, stretch by stretch. */
static void
use_up_to(UseSweep *sweep, int64_t to)
{
	to = PH_MIN(to, reach_of_all(sweep));
	while (sweep->at < to)
	{
		bool computes = sweep->reach[COMPUTES] > sweep->at;
		bool communicates = sweep->reach[COMMUNICATES] > sweep->at;
		int64_t end = to;
		for (int family = 0; family < FAMILIES; family++)
			if (sweep->reach[family] > sweep->at)
				end = PH_MIN(end, sweep->reach[family]);
		PhDeviceUse use = computes && communicates ? PH_USE_OVERLAP
						  : computes			   ? PH_USE_COMPUTE
						  : communicates		   ? PH_USE_EXPOSED
												   : PH_USE_COPIES;
		add_use(sweep, use, sweep->at, end);
		sweep->at = end;
	}
}

static Family
family_of(PhActivityKind kind)
{
	if (kind == PH_ACTIVITY_COMPUTE)
		return COMPUTES;
	return kind == PH_ACTIVITY_COMMUNICATION ? COMMUNICATES : COPIES;
}

void
ph_device_use_over_time(const PhActivities *activities, const PhActivityKind *kinds,
						const uint32_t *order, uint32_t n, int64_t threshold,
						const PhTimeBins *bins, PhUseCell *cells)
{
	UseSweep sweep = {bins, cells, {INT64_MIN, INT64_MIN, INT64_MIN}, INT64_MIN};
	for (uint32_t i = 0; i < n; i++)
	{
		const PhDeviceActivity *activity = &activities->list.items[order[i]];
		int64_t *reach = &sweep.reach[family_of(kinds[activity->region])];
		use_up_to(&sweep, activity->start);
		if (i > 0 && sweep.at < activity->start)
		{
			bool is_late = activity->call != PH_NO_TIME && activity->call > sweep.at;
			bool is_short = activity->start - sweep.at < threshold;
			add_use(&sweep,
					is_late	   ? PH_USE_HOST_WAIT
					: is_short ? PH_USE_LAUNCH_GAP
							   : PH_USE_OTHER,
					sweep.at, activity->start);
		}
		sweep.at = PH_MAX(sweep.at, activity->start);
		*reach = PH_MAX(*reach, activity->end);
	}
	use_up_to(&sweep, INT64_MAX);
}

/* ---- queues ---- */

/* Calls, and the starts of what they launched, each in order of time. */
typedef struct Queue
{
	const PhTimeBins *bins;
	PhQueueCell *cells;
	uint32_t full, length;
} Queue;

static void
stay_in_queue(Queue *queue, int64_t from, int64_t to)
{
	uint32_t bin;
	int64_t part;
	while (next_part(queue->bins, &from, to, &bin, &part))
	{
		PhQueueCell *cell = &queue->cells[bin];
		cell->waiting += (double) part * queue->length;
		cell->longest = PH_MAX(cell->longest, queue->length);
		cell->empty += queue->length == 0 ? part : 0;
		cell->full += queue->length >= queue->full ? part : 0;
	}
}

static int
compare_numbers(const void *context, uint32_t x, uint32_t y)
{
	const int64_t *times = context;
	return times[x] < times[y] ? -1 : times[x] > times[y];
}

/* Times of calls and starts, of which the launched ones only; starts are in order. */
static PhStatus
list_times(PhArena *arena, const PhActivities *activities, const uint32_t *order, uint32_t n,
		   int64_t **calls, int64_t **starts, uint32_t *n_launched)
{
	PH_TRY(PH_NEW(arena, n, calls));
	PH_TRY(PH_NEW(arena, n, starts));
	*n_launched = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		const PhDeviceActivity *activity = &activities->list.items[order[i]];
		if (activity->call == PH_NO_TIME)
			continue;
		(*calls)[*n_launched] = activity->call;
		(*starts)[(*n_launched)++] = PH_MAX(activity->start, activity->call);
	}
	return PH_OK;
}

/* Of one instant, calls come first. */
PhStatus
ph_stream_queue_over_time(PhArena *arena, const PhActivities *activities, const uint32_t *order,
						  uint32_t n, uint32_t full, const PhTimeBins *bins, PhQueueCell *cells)
{
	Queue queue = {bins, cells, full, 0};
	int64_t *calls, *starts, at = bins->from;
	uint32_t *called, *begun, n_launched, next_call = 0, next_start = 0;
	PH_TRY(list_times(arena, activities, order, n, &calls, &starts, &n_launched));
	PH_TRY(ph_sort_indices(arena, n_launched, compare_numbers, calls, &called));
	PH_TRY(ph_sort_indices(arena, n_launched, compare_numbers, starts, &begun));
	while (next_start < n_launched)
	{
		bool is_call =
			next_call < n_launched && calls[called[next_call]] <= starts[begun[next_start]];
		int64_t time = is_call ? calls[called[next_call]] : starts[begun[next_start]];
		PH_TRY(ph_env_poll(arena->env));
		stay_in_queue(&queue, at, time);
		at = PH_MAX(at, time);
		queue.length += is_call ? 1 : UINT32_MAX;
		next_call += is_call;
		next_start += !is_call;
	}
	stay_in_queue(&queue, at, bins->to);
	return PH_OK;
}

void
ph_queue_spread_add(PhQueueSpread *spread, const PhTimeBins *bins, const PhQueueCell *cells,
					bool is_first)
{
	for (uint32_t bin = 0; bin < bins->n; bin++)
	{
		int64_t width = ph_bin_start(bins, bin + 1) - ph_bin_start(bins, bin);
		double mean = width > 0 ? cells[bin].waiting / (double) width : 0;
		spread[bin].sum += mean;
		spread[bin].least = is_first ? mean : PH_MIN(spread[bin].least, mean);
		spread[bin].most = is_first ? mean : PH_MAX(spread[bin].most, mean);
	}
}

/* ---- copies ---- */

void
ph_copy_over_time(const PhDeviceActivity *copy, const PhTimeBins *bins, PhCopyCell *cells)
{
	double took = (double) (copy->end - copy->start);
	int64_t from = copy->start, part;
	uint32_t bin;
	if (copy->start == copy->end && (bin = ph_bin_of(bins, copy->start)) != PH_NONE)
		cells[bin].bytes += (double) copy->bytes;
	while (next_part(bins, &from, copy->end, &bin, &part))
	{
		cells[bin].bytes += (double) copy->bytes * (double) part / took;
		cells[bin].ns += part;
	}
}
