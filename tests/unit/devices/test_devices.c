/*
 * test_devices.c - random activities of streams: how busy devices were, gaps and queues against
 * looking at every nanosecond; devices and streams of a model; kinds; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/min_max.h"
#include "devices/launch_totals.h"
#include "devices/over_time.h"
#include "devices/sequences.h"
#include "devices/stream_waits.h"
#include "devices/usage.h"
#include "support/fault_env.h"
#include "support/random_trace.h"
#include "support/rounds.h"
#include "trace/chunk/device_records.h"

#define N_PROGRAMS rounds(3000)
#define N_LOCATIONS 5
#define MOST_ACTIVITIES 40
#define LATEST 100

static RandomNumbers numbers;

/* Two lanes of a stream, another stream of its device, another device; a thread. */
static PhTraceLocation locations[N_LOCATIONS] = {
	{.rank = 0, .kind = PH_COLUMN_UNIT, .name = "", .host = ""},
	{.rank = 0, .kind = PH_COLUMN_STREAM, .name = "", .host = "", .stream = {1, 1, 7, 0}},
	{.rank = 0, .kind = PH_COLUMN_STREAM, .name = "", .host = "", .stream = {0, 1, 7, 0}},
	{.rank = 0, .kind = PH_COLUMN_STREAM, .name = "", .host = "", .stream = {0, 1, 9, 0}},
	{.rank = 0, .kind = PH_COLUMN_STREAM, .name = "", .host = "", .stream = {0, 1, 7, 1}},
};
static PhTraceRegion regions[] = {{.name = "gemm", .role = PH_ROLE_KERNEL},
								  {.name = "ncclKernel_AllReduce", .role = PH_ROLE_KERNEL},
								  {.name = "memcpy HtoD", .role = PH_ROLE_COPY},
								  {.name = "memset", .role = PH_ROLE_SET}};
static const PhTraceModel model = {
	.n_locations = N_LOCATIONS, .locations = locations, .n_regions = 4, .regions = regions};

/* ---- what a model has ---- */

static void
test_places(void **state)
{
	(void) state;
	PhEnv env;
	PhArena arena;
	PhDevices devices;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_devices_find(&arena, &model, &devices), PH_OK);
	assert_int_equal(devices.n_devices, 2);
	assert_int_equal(devices.n_streams, 3);
	const uint32_t device_of[] = {PH_NONE, 1, 0, 0, 0}, stream_of[] = {PH_NONE, 2, 0, 1, 0};
	assert_memory_equal(devices.device_of, device_of, sizeof(device_of));
	assert_memory_equal(devices.stream_of, stream_of, sizeof(stream_of));
	assert_int_equal(devices.device_location[1], 1);
	assert_int_equal(devices.stream_location[1], 3);
	ph_arena_drop(&arena);
	for (int kind = 0; kind < PH_ACTIVITY_KINDS; kind++)
		assert_int_equal(ph_activity_kind(&regions[kind]), kind);
	assert_int_equal(
		ph_activity_kind(&(PhTraceRegion){.name = "hipLaunch", .role = PH_ROLE_KERNEL}),
		PH_ACTIVITY_COMPUTE);
}

/* ---- usage ---- */

static PhStatus
make_activities(PhEnv *env, PhActivities *out)
{
	uint32_t n = numbers_below(&numbers, MOST_ACTIVITIES);
	*out = (PhActivities){.location = PH_NONE};
	for (uint32_t i = 0; i < n; i++)
	{
		int64_t start = numbers_below(&numbers, LATEST);
		PH_TRY(PH_ROOM(env, &out->list));
		out->list.items[out->list.count++] =
			(PhDeviceActivity){.location = 1 + numbers_below(&numbers, N_LOCATIONS - 1),
							   .region = numbers_below(&numbers, 4),
							   .launch = PH_NONE,
							   .start = start,
							   .end = start + numbers_below(&numbers, 9),
							   .call = numbers_below(&numbers, 5) == 0
										   ? PH_NO_TIME
										   : start - (int64_t) numbers_below(&numbers, 20)};
		if (numbers_below(&numbers, 3) > 0)
			continue;
		PH_TRY(PH_ROOM(env, &out->awaited));
		out->awaited.items[out->awaited.count++] =
			(PhAwaitedActivity){i, 1 + numbers_below(&numbers, N_LOCATIONS - 1),
								start + 1 - (int64_t) numbers_below(&numbers, 15)};
	}
	return PH_OK;
}

/* When what an activity waited for ended; PH_NO_TIME: it did not wait. */
static int64_t
awaited_end(const PhActivities *activities, uint32_t at)
{
	for (uint32_t i = 0; i < activities->awaited.count; i++)
		if (activities->awaited.items[i].activity == at)
			return activities->awaited.items[i].end;
	return PH_NO_TIME;
}

/* Is the device, or the stream, in an activity of these kinds (bits) in the ns from t on? */
static bool
is_busy(const PhActivities *activities, const uint32_t *group_of, uint32_t group, uint32_t kinds,
		int64_t t)
{
	for (uint32_t i = 0; i < activities->list.count; i++)
	{
		const PhDeviceActivity *activity = &activities->list.items[i];
		if (group_of[activity->location] == group && (kinds >> activity->region & 1) != 0 &&
			activity->start <= t && t < activity->end)
			return true;
	}
	return false;
}

/* Those of a device or a stream, in the order of the list, which is any. */
static PhStatus
make_spans(PhEnv *env, const PhActivities *activities, const uint32_t *group_of, uint32_t group,
		   const PhActivityKind *kinds, PhDeviceSpans *out)
{
	*out = (PhDeviceSpans){.location = PH_NONE};
	for (uint32_t i = 0; i < activities->list.count; i++)
	{
		const PhDeviceActivity *activity = &activities->list.items[i];
		if (group_of[activity->location] != group)
			continue;
		PH_TRY(PH_ROOM(env, &out->list));
		out->list.items[out->list.count++] =
			(PhDeviceSpan){activity->start, activity->end,
						   kinds != NULL ? (int64_t) kinds[activity->region] : activity->call};
		int64_t awaited = awaited_end(activities, i);
		if (kinds != NULL || awaited == PH_NO_TIME)
			continue;
		PH_TRY(PH_ROOM(env, &out->waits));
		out->waits.items[out->waits.count++] = (PhDeviceSpanLaunch){activity->call, awaited};
		out->list.items[out->list.count - 1].mark = PH_NO_TIME + (int64_t) out->waits.count;
	}
	return PH_OK;
}

static void
check_usage(PhEnv *env, const PhActivities *activities, const PhDevices *devices,
			const uint32_t *order, uint32_t n, uint32_t device)
{
	static const PhActivityKind kinds[] = {PH_ACTIVITY_COMPUTE, PH_ACTIVITY_COMMUNICATION,
										   PH_ACTIVITY_COPY, PH_ACTIVITY_SET};
	PhDeviceUsage usage, slow = {0};
	PhDeviceSpans spans;
	PhArena arena;
	int64_t first = INT64_MAX, last = INT64_MIN;
	ph_arena_init(&arena, env);
	assert_int_equal(make_spans(env, activities, devices->device_of, device, kinds, &spans), PH_OK);
	assert_int_equal(ph_device_usage(&arena, &spans, &usage), PH_OK);
	ph_device_spans_free(env, &spans);
	ph_arena_drop(&arena);
	for (uint32_t i = 0; i < n; i++)
	{
		first = PH_MIN(first, activities->list.items[order[i]].start);
		last = PH_MAX(last, activities->list.items[order[i]].end);
	}
	slow.wall = n == 0 ? 0 : last - first;
	for (int64_t t = 0; t < 2 * LATEST; t++)
	{
		bool computes = is_busy(activities, devices->device_of, device, 1, t);
		bool communicates = is_busy(activities, devices->device_of, device, 2, t);
		slow.busy += is_busy(activities, devices->device_of, device, 15, t);
		slow.copies += is_busy(activities, devices->device_of, device, 12, t);
		slow.compute += computes;
		slow.communication += communicates;
		slow.overlap += computes && communicates;
	}
	assert_memory_equal(&usage, &slow, sizeof(usage));
}

/* Each ns of a gap before an activity by what the stream waited for. */
static void
add_slow_gap(const PhActivities *activities, uint32_t at, int64_t free_at, int64_t threshold,
			 PhStreamIdle *slow)
{
	const PhDeviceActivity *activity = &activities->list.items[at];
	int64_t awaited = awaited_end(activities, at);
	bool held = awaited > free_at && awaited <= activity->start &&
				(activity->call == PH_NO_TIME || awaited > activity->call);
	int64_t rest = activity->start - (held ? awaited : free_at);
	slow->n_gaps++;
	for (int64_t t = free_at; t < activity->start; t++)
	{
		bool is_late = activity->call != PH_NO_TIME && activity->call > (held ? t : free_at);
		if (held && t >= awaited)
			is_late = false;
		*(is_late				? &slow->host_wait
		  : held && t < awaited ? &slow->stream_wait
		  : rest < threshold	? &slow->launch_gap
								: &slow->other) += 1;
	}
}

/* What begins first behind a gap says why it is there. */
static void
check_idle(PhEnv *env, const PhActivities *activities, const PhDevices *devices,
		   const uint32_t *order, uint32_t n, uint32_t stream)
{
	int64_t threshold = numbers_below(&numbers, 10), gap = 0, free_at = 0;
	PhStreamIdle idle, slow = {0};
	PhDeviceSpans spans;
	PhArena arena;
	bool begun = false;
	ph_arena_init(&arena, env);
	assert_int_equal(make_spans(env, activities, devices->stream_of, stream, NULL, &spans), PH_OK);
	assert_int_equal(ph_stream_idle(&arena, &spans, threshold, &idle), PH_OK);
	ph_device_spans_free(env, &spans);
	ph_arena_drop(&arena);
	for (int64_t t = 0; t < 2 * LATEST; t++)
	{
		for (uint32_t i = 0; i < n; i++)
		{
			const PhDeviceActivity *activity = &activities->list.items[order[i]];
			if (activity->start != t)
				continue;
			if (begun && gap > 0)
				add_slow_gap(activities, order[i], free_at, threshold, &slow);
			begun = true;
			gap = 0;
			free_at = PH_MAX(free_at, t);
		}
		if (is_busy(activities, devices->stream_of, stream, 15, t))
		{
			slow.busy++;
			free_at = t + 1;
		}
		else
			gap++;
	}
	assert_int_equal(idle.busy, slow.busy);
	assert_int_equal(idle.n_gaps, slow.n_gaps);
	assert_int_equal(idle.host_wait, slow.host_wait);
	assert_int_equal(idle.stream_wait, slow.stream_wait);
	assert_int_equal(idle.launch_gap, slow.launch_gap);
	assert_int_equal(idle.other, slow.other);
}

static void
check_queue(PhArena *arena, const PhActivities *activities, const uint32_t *order, uint32_t n)
{
	uint32_t *queue;
	assert_int_equal(ph_stream_queue(arena, activities, order, n, &queue), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		int64_t call = activities->list.items[order[i]].call;
		int64_t expected = 0;
		for (uint32_t j = 0; j < n && call != PH_NO_TIME; j++)
		{
			const PhDeviceActivity *other = &activities->list.items[order[j]];
			expected += other->call != PH_NO_TIME && other->call <= call;
			expected -= other->call != PH_NO_TIME && other->start < call;
		}
		assert_int_equal(queue[i], PH_MAX(expected, 0));
	}
}

/* ---- over time, a nanosecond at a time ---- */

static PhTimeBins
draw_bins(void)
{
	int64_t from = numbers_below(&numbers, LATEST);
	return (PhTimeBins){from, from + 1 + numbers_below(&numbers, LATEST),
						1 + numbers_below(&numbers, 7)};
}

static void
check_use_over_time(PhArena *arena, const PhActivities *activities, const PhDevices *devices,
					const uint32_t *order, uint32_t n, uint32_t device)
{
	static const PhActivityKind kinds[] = {PH_ACTIVITY_COMPUTE, PH_ACTIVITY_COMMUNICATION,
										   PH_ACTIVITY_COPY, PH_ACTIVITY_SET};
	PhTimeBins bins = draw_bins();
	int64_t threshold = numbers_below(&numbers, 10), last_busy = INT64_MIN;
	PhUseCell *cells, *slow;
	assert_int_equal(PH_NEW(arena, bins.n, &cells), PH_OK);
	assert_int_equal(PH_NEW(arena, bins.n, &slow), PH_OK);
	ph_device_use_over_time(activities, kinds, order, n, threshold, &bins, cells);
	for (int64_t t = 0; t < 2 * LATEST; t++)
	{
		uint32_t bin = ph_bin_of(&bins, t);
		bool computes = is_busy(activities, devices->device_of, device, 1, t);
		bool communicates = is_busy(activities, devices->device_of, device, 2, t);
		bool copies = is_busy(activities, devices->device_of, device, 12, t);
		PhDeviceUse use = computes && communicates ? PH_USE_OVERLAP
						  : computes			   ? PH_USE_COMPUTE
						  : communicates		   ? PH_USE_EXPOSED
												   : PH_USE_COPIES;
		const PhDeviceActivity *next = NULL;
		for (uint32_t i = n; i-- > 0;)
			if (activities->list.items[order[i]].start > t)
				next = &activities->list.items[order[i]];
		for (uint32_t i = 0; i < n; i++)
			if (activities->list.items[order[i]].start <= t)
				last_busy = PH_MAX(last_busy, PH_MIN(t, activities->list.items[order[i]].end));
		if (!computes && !communicates && !copies)
		{
			if (next == NULL || last_busy == INT64_MIN)
				continue;
			if (next->call != PH_NO_TIME && next->call > last_busy)
				use = PH_USE_HOST_WAIT;
			else
				use = next->start - last_busy < threshold ? PH_USE_LAUNCH_GAP : PH_USE_OTHER;
		}
		if (bin != PH_NONE)
			slow[bin].ns[use]++;
	}
	assert_memory_equal(cells, slow, bins.n * sizeof(*cells));
}

static void
check_queue_over_time(PhArena *arena, const PhActivities *activities, const uint32_t *order,
					  uint32_t n)
{
	PhTimeBins bins = draw_bins();
	PhQueueCell *cells, *slow;
	assert_int_equal(PH_NEW(arena, bins.n, &cells), PH_OK);
	assert_int_equal(PH_NEW(arena, bins.n, &slow), PH_OK);
	assert_int_equal(ph_stream_queue_over_time(arena, activities, order, n, 3, &bins, cells),
					 PH_OK);
	for (int64_t t = bins.from; t < bins.to; t++)
	{
		PhQueueCell *cell = &slow[ph_bin_of(&bins, t)];
		uint32_t length = 0;
		for (uint32_t i = 0; i < n; i++)
		{
			const PhDeviceActivity *activity = &activities->list.items[order[i]];
			length += activity->call != PH_NO_TIME && activity->call <= t && t < activity->start;
		}
		cell->waiting += length;
		cell->longest = PH_MAX(cell->longest, length);
		cell->empty += length == 0;
		cell->full += length >= 3;
	}
	assert_memory_equal(cells, slow, bins.n * sizeof(*cells));
}

/* ---- sums by rank and called function ---- */

static PhLaunchTotal
sum_plainly(const PhActivities *activities, const uint32_t *order, uint32_t n,
			const uint32_t *queue, const PhLaunchingCall *calls, int32_t rank, uint32_t region)
{
	PhLaunchTotal sum = {.rank = rank, .region = region, .max_delay = INT64_MIN};
	for (uint32_t i = 0; i < n; i++)
	{
		const PhDeviceActivity *one = &activities->list.items[order[i]];
		if (one->launch == PH_NONE || calls[one->launch].region != region ||
			model.locations[one->location].rank != rank)
			continue;
		int64_t takes = calls[one->launch].leave - calls[one->launch].enter;
		sum.n++;
		sum.n_short += one->end - one->start < takes;
		sum.n_long_calls += takes > 4;
		sum.n_delayed += one->start - one->call > 6;
		sum.calls += takes;
		sum.durations += one->end - one->start;
		sum.delays += one->start - one->call;
		sum.max_delay = PH_MAX(sum.max_delay, one->start - one->call);
		sum.max_queue = PH_MAX(sum.max_queue, queue[i]);
	}
	return sum;
}

#define CALLED_REGIONS 3

/* Launches are drawn here; some calls were not met. */
static void
check_launch_totals(PhArena *arena, const PhActivities *activities, const uint32_t *order,
					uint32_t n)
{
	PhLaunchingCall calls[4];
	PhLaunchTotals totals;
	uint32_t *queue;
	uint64_t n_counted = 0, n_expected = 0;
	for (uint32_t i = 0; i < 4; i++)
		calls[i] =
			(PhLaunchingCall){i == 0 ? PH_NONE : (uint32_t) numbers_below(&numbers, CALLED_REGIONS),
							  10, 10 + numbers_below(&numbers, 9)};
	for (uint32_t i = 0; i < n; i++)
	{
		PhDeviceActivity *one = &activities->list.items[order[i]];
		one->launch = one->call == PH_NO_TIME ? PH_NONE : (uint32_t) numbers_below(&numbers, 4);
		n_expected += one->launch != PH_NONE && one->launch != 0;
	}
	assert_int_equal(ph_stream_queue(arena, activities, order, n, &queue), PH_OK);
	ph_launch_totals_begin(arena, &model, 4, 6, &totals);
	assert_int_equal(ph_launch_totals_add(&totals, activities->list.items, order, n, queue, calls),
					 PH_OK);
	for (uint32_t i = 0; i < totals.list.count; i++)
	{
		PhLaunchTotal *found = &totals.list.items[i];
		PhLaunchTotal slow =
			sum_plainly(activities, order, n, queue, calls, found->rank, found->region);
		assert_memory_equal(&found->n, &slow.n,
							offsetof(PhLaunchTotal, max_queue) - offsetof(PhLaunchTotal, n));
		assert_int_equal(found->max_queue, slow.max_queue);
		n_counted += found->n;
	}
	assert_int_equal(n_counted, n_expected);
}

static void
check_copies(PhArena *arena, const PhActivities *activities)
{
	PhTimeBins bins = {0, 2 * LATEST, 1 + numbers_below(&numbers, 9)};
	for (uint32_t i = 0; i < activities->list.count; i++)
	{
		PhDeviceActivity copy = activities->list.items[i];
		PhCopyCell *cells;
		double bytes = 0;
		int64_t ns = 0;
		assert_int_equal(PH_NEW(arena, bins.n, &cells), PH_OK);
		copy.bytes = 1000;
		ph_copy_over_time(&copy, &bins, cells);
		for (uint32_t b = 0; b < bins.n; b++)
		{
			bytes += cells[b].bytes;
			ns += cells[b].ns;
		}
		assert_true(bytes > 999.99 && bytes < 1000.01);
		assert_int_equal(ns, copy.end - copy.start);
	}
}

/* ---- sequences ---- */

/* Do `length` kernels that compute, of one group, follow each other from here on as from there? */
static bool
is_sequence(const PhActivities *activities, const uint32_t *order, const uint32_t *group,
			uint32_t length, uint32_t end, uint32_t from, uint32_t as)
{
	if (from + length > end)
		return false;
	for (uint32_t i = 0; i < length; i++)
	{
		uint32_t activity = order[from + i];
		uint32_t region = activities->list.items[activity].region;
		if (region > 1 || group[activity] == PH_NONE || group[activity] != group[order[from]] ||
			region != activities->list.items[order[as + i]].region)
			return false;
	}
	return true;
}

static void
check_sequences(PhArena *arena, const PhActivities *activities, const uint32_t *order,
				const uint32_t *first)
{
	/* two kernels that compute, and copies */
	static const PhActivityKind kinds[] = {PH_ACTIVITY_COMPUTE, PH_ACTIVITY_COMPUTE,
										   PH_ACTIVITY_COPY, PH_ACTIVITY_SET};
	uint32_t n, length = 2 + numbers_below(&numbers, 3), *group, n_starts = 0, n_counted = 0;
	PhKernelSequence *found;
	assert_int_equal(PH_NEW(arena, activities->list.count, &group), PH_OK);
	for (uint32_t i = 0; i < activities->list.count; i++)
		group[i] = numbers_below(&numbers, 8) == 0 ? PH_NONE : numbers_below(&numbers, 8) == 0;
	assert_int_equal(
		ph_kernel_sequences(arena, activities, kinds, order, first, 3, group, length, &found, &n),
		PH_OK);
	for (uint32_t f = 0; f < n; f++)
	{
		uint64_t count = 0;
		for (uint32_t s = 0; s < 3; s++)
			for (uint32_t at = first[s]; at < first[s + 1];)
			{
				bool is_one =
					is_sequence(activities, order, group, length, first[s + 1], at, found[f].first);
				count += is_one;
				at += is_one ? length : 1;
			}
		assert_int_equal(found[f].count, count);
		assert_true(f == 0 ||
					found[f - 1].busy + found[f - 1].gaps >= found[f].busy + found[f].gaps);
	}
	for (uint32_t s = 0; s < 3; s++)
		for (uint32_t at = first[s]; at < first[s + 1]; at++)
		{
			n_starts += is_sequence(activities, order, group, length, first[s + 1], at, at);
			for (uint32_t f = 0; f < n; f++)
				n_counted +=
					is_sequence(activities, order, group, length, first[s + 1], at, found[f].first);
		}
	assert_int_equal(n_counted, n_starts);
}

/* ---- waits for other streams ---- */

/* What was awaited is in the list if an activity ended there and then; how long it held up is told
 * by the ends of the stream's activities before, and the launch. */
static void
check_stream_waits(PhArena *arena, const PhActivities *activities, const PhDevices *devices)
{
	PhStreamWait *waits;
	uint32_t n;
	assert_int_equal(ph_stream_waits(arena, activities, devices, &waits, &n), PH_OK);
	assert_int_equal(n, activities->awaited.count);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhAwaitedActivity *awaited = &activities->awaited.items[i];
		const PhDeviceActivity *activity = &activities->list.items[awaited->activity];
		bool is_there = false;
		int64_t waited = 0;
		for (uint32_t k = 0; k < activities->list.count; k++)
			is_there |= activities->list.items[k].location == awaited->location &&
						activities->list.items[k].end == awaited->end;
		assert_int_equal(waits[i].awaited != PH_NONE, is_there && awaited->end <= activity->start);
		if (waits[i].awaited != PH_NONE)
			assert_int_equal(activities->list.items[waits[i].awaited].end, awaited->end);
		int64_t since = activity->call;
		for (uint32_t k = 0; k < activities->list.count; k++)
		{
			const PhDeviceActivity *other = &activities->list.items[k];
			if (devices->stream_of[other->location] == devices->stream_of[activity->location] &&
				other->start < activity->start)
				since = PH_MAX(since, other->end);
		}
		if (since != INT64_MIN)
			waited = PH_MAX(PH_MIN(awaited->end, activity->start) - since, 0);
		assert_int_equal(waits[i].waited, waited);
	}
}

static void
test_random_activities(void **state)
{
	(void) state;
	numbers.state = 5;
	for (uint32_t p = 0; p < N_PROGRAMS; p++)
	{
		PhEnv env;
		PhArena arena;
		PhDevices devices;
		PhActivities activities;
		uint32_t *order, *first;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		assert_int_equal(make_activities(&env, &activities), PH_OK);
		assert_int_equal(ph_devices_find(&arena, &model, &devices), PH_OK);
		assert_int_equal(
			ph_activities_order(&arena, &activities, devices.device_of, 2, &order, &first), PH_OK);
		for (uint32_t d = 0; d < 2; d++)
		{
			check_usage(&env, &activities, &devices, order + first[d], first[d + 1] - first[d], d);
			check_use_over_time(&arena, &activities, &devices, order + first[d],
								first[d + 1] - first[d], d);
		}
		assert_int_equal(
			ph_activities_order(&arena, &activities, devices.stream_of, 3, &order, &first), PH_OK);
		for (uint32_t s = 0; s < 3; s++)
		{
			check_idle(&env, &activities, &devices, order + first[s], first[s + 1] - first[s], s);
			check_queue(&arena, &activities, order + first[s], first[s + 1] - first[s]);
			check_queue_over_time(&arena, &activities, order + first[s], first[s + 1] - first[s]);
			check_launch_totals(&arena, &activities, order + first[s], first[s + 1] - first[s]);
		}
		check_copies(&arena, &activities);
		check_stream_waits(&arena, &activities, &devices);
		check_sequences(&arena, &activities, order, first);
		ph_activities_free(&env, &activities);
		ph_arena_drop(&arena);
	}
}

/* ---- chunks ---- */

/* A stream whose i-th activity is a call of i % 4 from 10 i to 10 i + 6, with i bytes; each fifth
 * one waited for location 3 until i ns before. */
static PhStatus
write_stream(PhEnv *env, uint32_t chunk_events, StoredChunks *out)
{
	PhChunkWriter *writer;
	PhStatus status;
	PH_TRY(ph_chunk_writer_new(env, 1, chunk_events, stored_chunks_add, out, &writer));
	status = PH_OK;
	for (uint64_t i = 0; i < 20 && status == PH_OK; i++)
	{
		const uint64_t values[PH_ACTIVITY_VALUES] = {i, 0, 0, 4, i};
		PhEvent record = {.time = (int64_t) (10 * i),
						  .kind = PH_EVENT_OTHER,
						  .operation = PH_RECORD_ACTIVITY,
						  .n_values = i % 5 == 0 ? PH_ACTIVITY_VALUES : 1,
						  .values = values};
		status = ph_chunk_writer_enter(writer, record.time, (uint32_t) i % 4);
		if (status == PH_OK)
			status = ph_chunk_writer_event(writer, &record);
		if (status == PH_OK)
			status = ph_chunk_writer_leave(writer, record.time + 6, PH_NONE);
	}
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	ph_chunk_writer_free(writer);
	return status;
}

typedef struct Chunks
{
	StoredChunks stored;
	PhActivities activities;
	PhDeviceSpans kinds, launches; /* by mark */
} Chunks;

static const PhActivityKind kinds_of_four[] = {PH_ACTIVITY_COMPUTE, PH_ACTIVITY_COMMUNICATION,
											   PH_ACTIVITY_COPY, PH_ACTIVITY_SET};

static void
free_chunks(PhEnv *env, Chunks *chunks)
{
	ph_activities_free(env, &chunks->activities);
	ph_device_spans_free(env, &chunks->kinds);
	ph_device_spans_free(env, &chunks->launches);
}

static PhStatus
add_spans(PhEnv *env, Chunks *chunks, const PhChunk *chunk, const PhChunkReader *reader,
		  const PhLink *links)
{
	PhDeviceSpanMarks by_kind = {.kinds = kinds_of_four, .n_regions = 4};
	int64_t delays[20];
	PhDeviceSpanMarks by_launch = {.delays = delays};
	for (uint32_t i = 0, event = 0; event < chunk->n_events; event++)
		if (ph_chunk_kinds(reader)[event] == PH_EVENT_ENTER)
		{
			delays[i] = links[i].location == PH_NONE
							? PH_NO_TIME
							: ph_chunk_times(reader)[event] - links[i].time;
			i++;
		}
	PH_TRY(ph_device_spans_add_chunk(env, &chunks->kinds, chunk, reader, &by_kind));
	return ph_device_spans_add_chunk(env, &chunks->launches, chunk, reader, &by_launch);
}

/* The i-th was launched by the (i % 3)-th call, at i, of location 0; the calls are at 100, 200, …
 */
static PhStatus
read_stream(PhEnv *env, void *user)
{
	Chunks *chunks = user;
	PhLaunches launches = {0};
	PhLink links[20];
	PhChunkReader *reader = NULL;
	uint32_t at = 0;
	PhStatus status = PH_OK;
	chunks->activities = (PhActivities){.location = PH_NONE};
	chunks->kinds = chunks->launches = (PhDeviceSpans){.location = PH_NONE};
	for (uint32_t i = 0; i < 20; i++)
		links[i] = (PhLink){i == 4 ? PH_NONE : 0, 100 + 100 * (i % 3), i};
	for (uint32_t i = 0; i < 3 && status == PH_OK; i++)
		status = ph_launches_add(env, &launches, 0, 100 + 100 * i);
	if (status == PH_OK)
		status = ph_launches_sort(env, &launches);
	if (status == PH_OK)
		status = ph_chunk_reader_new(env, &reader);
	for (uint32_t c = 0; c < chunks->stored.n_chunks && status == PH_OK; c++)
	{
		const PhChunk *chunk = &chunks->stored.chunks[c];
		status = ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS | PH_WANT_EXTRA);
		if (status == PH_OK)
			status = ph_activities_add_chunk(env, &chunks->activities, chunk, reader, links + at,
											 &launches);
		if (status == PH_OK)
			status = add_spans(env, chunks, chunk, reader, links + at);
		at += chunk->n_enter;
	}
	ph_chunk_reader_free(reader);
	ph_launches_free(env, &launches);
	if (status != PH_OK)
		free_chunks(env, chunks);
	return status;
}

static PhStatus
read_and_free(PhEnv *env, void *user)
{
	PH_TRY(read_stream(env, user));
	free_chunks(env, user);
	return PH_OK;
}

/* A trace without the region of calls that a chunk has is damaged. */
static void
check_unknown_region(const StoredChunks *stored)
{
	PhEnv env;
	PhDeviceSpans spans = {.location = PH_NONE};
	PhDeviceSpanMarks marks = {.kinds = kinds_of_four, .n_regions = 3};
	PhChunkReader *reader;
	PhStatus status = PH_OK;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	for (uint32_t c = 0; c < stored->n_chunks && status == PH_OK; c++)
	{
		assert_int_equal(ph_chunk_reader_open(reader, &stored->chunks[c], PH_WANT_CALLS), PH_OK);
		status = ph_device_spans_add_chunk(&env, &spans, &stored->chunks[c], reader, &marks);
	}
	assert_int_equal(status, PH_ERR_FORMAT);
	ph_chunk_reader_free(reader);
	ph_device_spans_free(&env, &spans);
}

static void
test_chunks(void **state)
{
	(void) state;
	for (uint32_t size = 1; size < 9; size++)
	{
		PhEnv env;
		Chunks chunks = {0};
		ph_env_init_malloc(&env);
		assert_int_equal(write_stream(&env, size, &chunks.stored), PH_OK);
		assert_int_equal(read_stream(&env, &chunks), PH_OK);
		assert_int_equal(chunks.activities.list.count, 20);
		for (uint32_t i = 0; i < 20; i++)
		{
			const PhDeviceActivity *activity = &chunks.activities.list.items[i];
			assert_int_equal(activity->start, 10 * i);
			assert_int_equal(activity->end, 10 * i + 6);
			assert_int_equal(activity->bytes, i);
			assert_int_equal(activity->region, i % 4);
			assert_int_equal(activity->launch, i == 4 ? PH_NONE : i % 3);
			assert_int_equal(activity->call, i == 4 ? PH_NO_TIME : (int64_t) i);
			assert_int_equal(chunks.kinds.list.items[i].start, activity->start);
			assert_int_equal(chunks.kinds.list.items[i].end, activity->end);
			assert_int_equal(chunks.kinds.list.items[i].mark, i % 4);
			PhDeviceSpanLaunch launch =
				ph_device_span_launch(&chunks.launches, &chunks.launches.list.items[i]);
			assert_int_equal(launch.call, activity->call);
			assert_int_equal(launch.awaited, i % 5 == 0 ? 9 * (int64_t) i : PH_NO_TIME);
			assert_int_equal(awaited_end(&chunks.activities, i), launch.awaited);
		}
		assert_int_equal(chunks.activities.awaited.count, 4);
		assert_int_equal(chunks.activities.awaited.items[0].location, 3);
		assert_int_equal(chunks.kinds.list.count, 20);
		ph_device_spans_window(&chunks.kinds, 46, 60);
		assert_int_equal(chunks.kinds.list.count, 2);
		assert_int_equal(chunks.kinds.list.items[0].start, 40);
		check_unknown_region(&chunks.stored);
		ph_activities_window(&chunks.activities, 46, 60);
		assert_int_equal(chunks.activities.list.count, 2);
		assert_int_equal(chunks.activities.list.items[0].start, 40);
		assert_int_equal(chunks.activities.awaited.count, 1);
		assert_int_equal(chunks.activities.awaited.items[0].activity, 1);
		free_chunks(&env, &chunks);
		assert_string_equal(fault_env_try_allocations(read_and_free, &chunks, 0), "");
		stored_chunks_free(&chunks.stored);
		assert_int_equal(env.bytes, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_random_activities),
		cmocka_unit_test(test_chunks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
