/*
 * offsets.c - times corrected by clock offsets; whether they make it better, tried on the messages.
 *
 * One pass over all records of messages, whose times are taken as recorded and as corrected; both
 * are matched, and what is received before it was sent is counted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/events.h"
#include "system/memory.h"
#include "trace/link.h"

uint64_t
ph_otf2_corrected(const PhClockOffsetList *offsets, uint64_t time)
{
	uint32_t i = 0;
	const PhClockOffset *from;
	double slope;

	if (offsets->n < 2)
		return time;
	while (i + 2 < offsets->n && time > offsets->items[i + 1].time)
		i++;
	from = &offsets->items[i];
	slope = (double) (from[1].offset - from->offset) / (double) (from[1].time - from->time);
	return time +
		   (uint64_t) (from->offset + (int64_t) (slope * (double) (int64_t) (time - from->time)));
}

typedef struct Trial
{
	PhOtf2Cursor *cursor;
	PhMatcher *recorded;
	PhMatcher *corrected;
	const PhClockOffsetList *offsets; /* of the location */
	PhTicks ticks;					  /* for corrected times */
	uint64_t seq;
} Trial;

/* Matchers want the events of a location in order; a time that is impossible fails later. */
static OTF2_CallbackCode
add(Trial *trial, OTF2_TimeStamp time, uint64_t position, PhEvent *event)
{
	PhOtf2Cursor *cursor = trial->cursor;
	PhStatus status;

	event->region = event->root = PH_NONE;
	event->time = ph_ticks_ns(&cursor->ticks, time);
	status = ph_matcher_add_event(trial->recorded, cursor->location, trial->seq, event);
	event->time = ph_ticks_ns(&trial->ticks, ph_otf2_corrected(trial->offsets, time));
	if (status == PH_OK)
		status = ph_matcher_add_event(trial->corrected, cursor->location, trial->seq, event);
	trial->seq++;
	return status == PH_OK ? OTF2_CALLBACK_SUCCESS : ph_otf2_stop(cursor, position, status);
}

static OTF2_CallbackCode
add_message(Trial *trial, OTF2_TimeStamp time, uint64_t position, PhEvent *event, uint32_t peer,
			OTF2_CommRef communicator)
{
	event->comm = ph_otf2_find(&trial->cursor->archive->comm_ids, communicator);
	if (event->comm == PH_NONE)
		return ph_otf2_undefined(trial->cursor, position, "communicator", communicator);
	event->peer = ph_otf2_world_rank(trial->cursor, event->comm, peer);
	return add(trial, time, position, event);
}

#define ON_MESSAGE(name, event_kind)                                                               \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, uint32_t peer, OTF2_CommRef communicator,        \
								  uint32_t tag, uint64_t bytes)                                    \
	{                                                                                              \
		PhEvent event = {.kind = event_kind, .tag = (int32_t) tag, .bytes = bytes};                \
		(void) location;                                                                           \
		(void) attributes;                                                                         \
		return add_message(user, time, position, &event, peer, communicator);                      \
	}

#define ON_REQUESTED_MESSAGE(name, event_kind)                                                     \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, uint32_t peer, OTF2_CommRef communicator,        \
								  uint32_t tag, uint64_t bytes, uint64_t request)                  \
	{                                                                                              \
		PhEvent event = {                                                                          \
			.kind = event_kind, .tag = (int32_t) tag, .bytes = bytes, .request = request};         \
		(void) location;                                                                           \
		(void) attributes;                                                                         \
		return add_message(user, time, position, &event, peer, communicator);                      \
	}

#define ON_REQUEST(name, event_kind)                                                               \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, uint64_t request)                                \
	{                                                                                              \
		PhEvent event = {                                                                          \
			.kind = event_kind, .peer = PH_NONE, .comm = PH_NONE, .request = request};             \
		(void) location;                                                                           \
		(void) attributes;                                                                         \
		return add(user, time, position, &event);                                                  \
	}

ON_MESSAGE(on_send, PH_EVENT_SEND)
ON_MESSAGE(on_recv, PH_EVENT_RECV)
ON_REQUESTED_MESSAGE(on_isend, PH_EVENT_ISEND)
ON_REQUESTED_MESSAGE(on_irecv, PH_EVENT_IRECV)
ON_REQUEST(on_irecv_request, PH_EVENT_IRECV_REQUEST)
ON_REQUEST(on_request_cancelled, PH_EVENT_REQUEST_CANCELLED)

static void
set_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_request_cancelled);
}

static PhStatus
read_all(Trial *trial, const PhOtf2Archive *archive, const PhClockOffsetList *offsets,
		 const OTF2_EvtReaderCallbacks *callbacks)
{
	for (uint32_t i = 0; i < archive->source.model.n_locations; i++)
	{
		PhOtf2Pass pass = {.callbacks = callbacks, .user = trial};

		PH_TRY(ph_env_poll(archive->env));
		ph_otf2_cursor_begin(trial->cursor, i, NULL);
		trial->ticks = trial->cursor->ticks;
		trial->offsets = &offsets[i];
		trial->seq = 0;
		PH_TRY(ph_otf2_cursor_pass(trial->cursor, i, &pass));
	}
	return PH_OK;
}

static PhStatus
judge(Trial *trial, const PhOtf2Archive *archive, const PhClockOffsetList *offsets,
	  OTF2_EvtReaderCallbacks *callbacks, bool *worse)
{
	PhMatchCounts recorded;
	PhMatchCounts corrected;

	if (callbacks == NULL)
		return ph_fail_memory(archive->env, "OTF2");
	set_callbacks(callbacks);
	PH_TRY(ph_otf2_cursor_open(archive->env, archive, &trial->cursor));
	PH_TRY(ph_matcher_new(archive->env, &archive->source.model, &trial->recorded));
	PH_TRY(ph_matcher_new(archive->env, &archive->source.model, &trial->corrected));
	PH_TRY(read_all(trial, archive, offsets, callbacks));
	PH_TRY(ph_matcher_match(trial->recorded, &recorded));
	PH_TRY(ph_matcher_match(trial->corrected, &corrected));
	*worse = corrected.reversed > recorded.reversed;
	return PH_OK;
}

PhStatus
ph_otf2_try_offsets(const PhOtf2Archive *archive, const PhClockOffsetList *offsets, bool *worse)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	Trial trial = {0};
	PhStatus status = judge(&trial, archive, offsets, callbacks, worse);

	ph_matcher_free(trial.corrected);
	ph_matcher_free(trial.recorded);
	ph_otf2_cursor_close(trial.cursor);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	return status;
}
