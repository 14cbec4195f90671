/*
 * streams.c - libotf2's callbacks for streams of accelerators, where they differ from threads'.
 *
 * Kernels are calls. A copy is a put or get of the stream with a completion of the same number, as
 * Score-P records it: it becomes a call of "memcpy HtoD", "memcpy DtoH" or "memcpy DtoD" with its
 * bytes. Regions of the measurement's own that say that a stream is idle are no activities.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/events.h"

#include <string.h>

#include "trace/chunk/device_records.h"

/* An activity begins: who launched it is wanted in a pass of its own. */
static OTF2_CallbackCode
enter(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
	  const OTF2_AttributeList *attributes, PhEvent *event)
{
	OTF2_CallbackCode code = ph_otf2_write(cursor, time, position, attributes, event);
	PhStatus status = PH_OK;

	if (code != OTF2_CALLBACK_SUCCESS)
		return code;
	if (cursor->links != NULL)
		status = ph_otf2_add_launch(cursor, attributes, event->time);
	if (status == PH_OK)
		status = ph_otf2_write_activity(cursor, attributes, event->time);
	return status == PH_OK ? OTF2_CALLBACK_SUCCESS : ph_otf2_stop(cursor, position, status);
}

/* ---- kernels ---- */

static OTF2_CallbackCode
write_call(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
		   const OTF2_AttributeList *attributes, PhEventKind kind, OTF2_RegionRef region)
{
	PhEvent event = {.kind = kind, .peer = PH_NONE, .comm = PH_NONE, .root = PH_NONE};
	const PhTraceRegion *what;

	event.region = ph_otf2_find(&cursor->archive->region_ids, region);
	if (event.region == PH_NONE)
		return ph_otf2_undefined(cursor, position, "region", region);
	what = &cursor->archive->source.model.regions[event.region];
	if (strcmp(what->role, "artificial") == 0)
		return OTF2_CALLBACK_SUCCESS;
	if (kind == PH_EVENT_LEAVE)
		return ph_otf2_write(cursor, time, position, attributes, &event);
	return enter(cursor, time, position, attributes, &event);
}

static OTF2_CallbackCode
on_enter(PH_OTF2_RECORD, OTF2_RegionRef region)
{
	(void) location;
	return write_call(user, time, position, attributes, PH_EVENT_ENTER, region);
}

static OTF2_CallbackCode
on_leave(PH_OTF2_RECORD, OTF2_RegionRef region)
{
	(void) location;
	return write_call(user, time, position, attributes, PH_EVENT_LEAVE, region);
}

/* ---- copies ---- */

/* The window's communicator tells where the other end is; without, it is the host. */
static bool
is_on_device(const PhOtf2Cursor *cursor, OTF2_RmaWinRef window, uint32_t remote)
{
	const PhOtf2Archive *archive = cursor->archive;
	uint32_t position = ph_otf2_find(&archive->window_ids, window);
	const PhOtf2Comm *comm;

	if (position == PH_NONE)
		return false;
	comm = &archive->comms[archive->comm_ids.n + position];
	return comm->on_device != NULL && remote < comm->n_members && comm->on_device[remote];
}

static OTF2_CallbackCode
begin_copy(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
		   const OTF2_AttributeList *attributes, PhOtf2Copy copy, uint64_t bytes)
{
	PhEvent copied = {.kind = PH_EVENT_ENTER,
					  .region = cursor->archive->copy_regions[copy],
					  .peer = PH_NONE,
					  .comm = PH_NONE,
					  .root = PH_NONE};
	PhEvent record = {.kind = PH_EVENT_OTHER,
					  .region = PH_NONE,
					  .peer = PH_NONE,
					  .comm = PH_NONE,
					  .root = PH_NONE,
					  .operation = PH_RECORD_ACTIVITY,
					  .n_values = 1,
					  .values = &bytes};
	OTF2_CallbackCode code = enter(cursor, time, position, attributes, &copied);

	cursor->copy_region = copied.region;
	if (code != OTF2_CALLBACK_SUCCESS || bytes == 0)
		return code;
	return ph_otf2_write(cursor, time, position, attributes, &record);
}

/* Transfers that begin while another one is going on stay what they are. */
static bool
takes_copy(PhOtf2Cursor *cursor, uint64_t matching)
{
	if (cursor->is_copying || cursor->archive->copy_regions[PH_OTF2_FROM_HOST] == PH_NONE)
		return false;
	cursor->is_copying = true;
	cursor->copy = matching;
	return true;
}

static OTF2_CallbackCode
on_put(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t matching)
{
	PhOtf2Cursor *cursor = user;

	if (!takes_copy(cursor, matching))
		return ph_otf2_on_rma_put(location, time, position, user, attributes, window, remote, bytes,
								  matching);
	return begin_copy(cursor, time, position, attributes,
					  is_on_device(cursor, window, remote) ? PH_OTF2_ON_DEVICES : PH_OTF2_TO_HOST,
					  bytes);
}

static OTF2_CallbackCode
on_get(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t matching)
{
	PhOtf2Cursor *cursor = user;

	if (!takes_copy(cursor, matching))
		return ph_otf2_on_rma_get(location, time, position, user, attributes, window, remote, bytes,
								  matching);
	return begin_copy(cursor, time, position, attributes,
					  is_on_device(cursor, window, remote) ? PH_OTF2_ON_DEVICES : PH_OTF2_FROM_HOST,
					  bytes);
}

static OTF2_CallbackCode
on_complete(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint64_t matching)
{
	PhOtf2Cursor *cursor = user;
	PhEvent event = {.kind = PH_EVENT_LEAVE,
					 .region = cursor->copy_region,
					 .peer = PH_NONE,
					 .comm = PH_NONE,
					 .root = PH_NONE};

	if (!cursor->is_copying || cursor->copy != matching)
		return ph_otf2_on_rma_complete(location, time, position, user, attributes, window,
									   matching);
	cursor->is_copying = false;
	return ph_otf2_write(cursor, time, position, attributes, &event);
}

#define SET(record, function) OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, function)

void
ph_otf2_set_stream_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
	SET(Enter, on_enter);
	SET(Leave, on_leave);
	SET(RmaPut, on_put);
	SET(RmaGet, on_get);
	SET(RmaOpCompleteBlocking, on_complete);
}
