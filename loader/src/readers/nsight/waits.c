/*
 * waits.c - streams of an Nsight Systems export that waited for events of other streams.
 *
 * A wait names its event, and the event's number is used again: it is the last that was recorded
 * before the call that waits. Correlations of a process count up with its calls, so they tell.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/sort.h"
#include "readers/nsight/nsight.h"

#define STREAM_WAITS_FOR_EVENT 2

enum
{
	DEVICE,
	CONTEXT,
	STREAM,
	CORRELATION,
	GLOBAL_PID,
	EVENT,
	TYPE /* of waits */
};
static const char *const columns[] = {"deviceId",  "contextId", "streamId", "correlationId",
									  "globalPid", "eventId",	"syncType"};

/* An event that was recorded on a stream, or waited for. */
typedef struct Event
{
	uint32_t pid, event;
	int64_t context;
	uint64_t correlation;
	uint32_t track;
} Event;

typedef PH_VECTOR(Event) Events;

typedef struct Waits
{
	PhNsight *nsight;
	Events recorded, waited;
} Waits;

static PhStatus
add_event(Waits *waits, PhSqliteRows *rows, Events *to)
{
	int64_t global = ph_sqlite_int(rows, GLOBAL_PID);
	PhDeviceStream stream = {.device = (int32_t) ph_sqlite_int(rows, DEVICE),
							 .context = ph_sqlite_int(rows, CONTEXT),
							 .stream = ph_sqlite_int(rows, STREAM)};
	Event event = {.pid = ph_nsight_pid(global),
				   .event = (uint32_t) ph_sqlite_int(rows, EVENT),
				   .context = stream.context,
				   .correlation = (uint64_t) ph_sqlite_int(rows, CORRELATION)};

	if (event.correlation == 0)
		return PH_OK;
	PH_TRY(ph_nsight_stream(waits->nsight, global, stream, &event.track));
	PH_TRY(PH_ROOM(&waits->nsight->arena, to));
	to->items[to->count++] = event;
	return PH_OK;
}

static PhStatus
read_record(void *user, PhSqliteRows *rows)
{
	Waits *waits = user;

	return add_event(waits, rows, &waits->recorded);
}

static PhStatus
read_wait(void *user, PhSqliteRows *rows)
{
	Waits *waits = user;

	if (ph_sqlite_int(rows, TYPE) != STREAM_WAITS_FOR_EVENT)
		return PH_OK;
	return add_event(waits, rows, &waits->waited);
}

static int
compare_events(const Event *a, const Event *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static int
compare_numbers(const void *context, uint32_t x, uint32_t y)
{
	const Event *events = context;

	return compare_events(&events[x], &events[y]);
}

/* The last record of the event before the wait; NULL: there is none. */
static const Event *
find_record(const Events *recorded, const uint32_t *order, const Event *wait)
{
	uint32_t low = 0;
	uint32_t high = recorded->count;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (compare_events(&recorded->items[order[middle]], wait) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	const Event *found = low == 0 ? NULL : &recorded->items[order[low - 1]];

	return found != NULL && found->pid == wait->pid && found->context == wait->context &&
				   found->event == wait->event
			   ? found
			   : NULL;
}

PhStatus
ph_nsight_read_waits(PhNsight *nsight)
{
	Waits waits = {.nsight = nsight};
	uint32_t *order;

	PH_TRY(ph_sqlite_each(nsight->db, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns, TYPE, NULL,
						  read_record, &waits));
	if (waits.recorded.count == 0)
		return PH_OK;
	PH_TRY(ph_sqlite_each(nsight->db, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns, TYPE + 1,
						  NULL, read_wait, &waits));
	PH_TRY(ph_sort_indices(&nsight->arena, waits.recorded.count, compare_numbers,
						   waits.recorded.items, &order));
	for (uint32_t i = 0; i < waits.waited.count; i++)
	{
		const Event *wait = &waits.waited.items[i];
		const Event *record = find_record(&waits.recorded, order, wait);

		if (record != NULL)
			PH_TRY(ph_span_trace_wait(nsight->trace, &(PhTraceWait){.wait = wait->correlation,
																	.record = record->correlation,
																	.waiting = wait->track,
																	.awaited = record->track}));
	}
	return PH_OK;
}
