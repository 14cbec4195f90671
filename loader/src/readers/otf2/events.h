/*
 * events.h - what the callbacks of events and of other records share: time, counts, failures.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_OTF2_EVENTS_H
#define PH_READERS_OTF2_EVENTS_H

#include "readers/otf2/archive.h"

/* What every callback gets from libotf2. */
#define PH_OTF2_RECORD                                                                             \
	OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,                 \
		OTF2_AttributeList *attributes

/* The callback failed: remember where. */
OTF2_CallbackCode ph_otf2_stop(PhOtf2Cursor *cursor, uint64_t position, PhStatus status);

/* A time that cannot be: before the last event's, or too far away. Sets it right if it may be. */
bool ph_otf2_odd_time(PhOtf2Cursor *cursor, int64_t *time);

/* ns since the run's first event, once an event; false: the cursor's error says why not. */
static inline bool
ph_otf2_time(PhOtf2Cursor *cursor, OTF2_TimeStamp ticks, int64_t *out)
{
	int64_t time = ph_ticks_ns(&cursor->ticks, ticks);

	if (__builtin_expect(time < cursor->last, 0) && !ph_otf2_odd_time(cursor, &time))
		return false;
	cursor->last = time;
	time -= cursor->origin;
	if (__builtin_expect(cursor->has_logical, 0))
		time = cursor->last_time = ph_clock_time(&cursor->logical, cursor->seq++, time);
	*out = time;
	return true;
}

static inline void
ph_otf2_count(PhOtf2Cursor *cursor, PhEventKind kind, const OTF2_AttributeList *attributes)
{
	cursor->counts.events[kind]++;
	if (cursor->has_attributes && OTF2_AttributeList_GetNumberOfElements(attributes) > 0)
		cursor->counts.with_attributes++;
}

/* The event with its time; the value of a callback. */
static inline OTF2_CallbackCode
ph_otf2_write(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
			  const OTF2_AttributeList *attributes, PhEvent *event)
{
	PhStatus status;

	ph_otf2_count(cursor, event->kind, attributes);
	if (!ph_otf2_time(cursor, time, &event->time))
		return ph_otf2_stop(cursor, position, cursor->env->error.status);
	status = ph_chunk_writer_event(cursor->writer, event);
	return status == PH_OK ? OTF2_CALLBACK_SUCCESS : ph_otf2_stop(cursor, position, status);
}

/* Transfers and their ends as they are: what a stream does not take for a copy. */
OTF2_CallbackCode ph_otf2_on_rma_put(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote,
									 uint64_t bytes, uint64_t matching);
OTF2_CallbackCode ph_otf2_on_rma_get(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote,
									 uint64_t bytes, uint64_t matching);
OTF2_CallbackCode ph_otf2_on_rma_complete(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint64_t matching);

/* ---- activities of streams: readers/otf2/launches.c ---- */

/* By ENTER of a stream, in order. */
typedef struct PhOtf2Links
{
	PhArena *arena;
	PH_VECTOR(PhLink) list;
	PhLaunchCounts counts;
	uint32_t location;	 /* the last one that launched, PH_NONE: none yet; */
	PhClockCursor clock; /* its times, */
	uint64_t seq;		 /* from here on */
} PhOtf2Links;

/* An activity begins: who launched it, what else its attributes say. */
PhStatus ph_otf2_add_launch(PhOtf2Cursor *cursor, const OTF2_AttributeList *attributes,
							int64_t time) PH_MUST_CHECK;
PhStatus ph_otf2_write_activity(PhOtf2Cursor *cursor, const OTF2_AttributeList *attributes,
								int64_t time) PH_MUST_CHECK;

/* A reference that the definitions do not have. */
OTF2_CallbackCode ph_otf2_undefined(PhOtf2Cursor *cursor, uint64_t position, const char *what,
									uint32_t id);

#endif
