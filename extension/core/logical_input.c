/*
 * logical_input.c - one location's records to its events: calls, what they communicate, callers.
 *
 * A stack of open calls; records of communication wait with the innermost one until it is left, for
 * events are in order of leaving. Receives take their place (slot) in the order in which they were
 * posted, by request.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical_input_internal.h"

/* ----------------------------------------------------------------------------------- small things
 */

static PhInputFrame *
frame_at(PhLogicalInput *input, uint32_t depth)
{
	return &PH_ITEMS(PhInputFrame, input->frames)[depth];
}

static PhVector *
column(PhLogicalInput *input, PhPartColumn which)
{
	return &input->part->column[which];
}

static PhStatus
put(PhLogicalInput *input, PhPartColumn which, uint32_t value)
{
	return ph_push_u32(input->env, column(input, which), value);
}

static PhStatus
put_64(PhLogicalInput *input, PhPartColumn which, uint64_t value)
{
	return ph_push_64(input->env, column(input, which), value);
}

static PhStatus
put_double(PhLogicalInput *input, PhPartColumn which, double value)
{
	void *at;
	PH_TRY(ph_vector_add(input->env, column(input, which), &at));
	memcpy(at, &value, sizeof(value));
	return PH_OK;
}

static uint32_t
n_events(PhLogicalInput *input)
{
	return column(input, PH_PART_ENTER)->count;
}

static bool
region_has(const PhLogicalInput *input, uint32_t region, PhRegionFlag flag)
{
	return region < input->trace->n_regions && (input->region_flags[region] & flag) != 0;
}

/* The call of the innermost `depth` frames, made with those around it where they are new. */
static PhStatus
call_of(PhLogicalInput *input, uint32_t depth, uint32_t *out)
{
	uint32_t known = depth;
	while (known > 0 && frame_at(input, known - 1)->call == PH_NONE)
		known--;
	uint32_t call = known == 0 ? PH_NONE : frame_at(input, known - 1)->call;
	for (; known < depth; known++)
	{
		PhInputFrame *frame = frame_at(input, known);
		frame->call = column(input, PH_PART_CALL_REGION)->count;
		PH_TRY(put(input, PH_PART_CALL_REGION, frame->region));
		PH_TRY(put(input, PH_PART_CALL_PARENT, call));
		PH_TRY(put(input, PH_PART_CALL_COMMS, 0));
		PH_TRY(ph_push_u8(input->env, column(input, PH_PART_CALL_IS_EVENT), 0));
		call = frame->call;
	}
	*out = call;
	return PH_OK;
}

/* --------------------------------------------------------------------------------------- requests
 */

/* The request by its number; one that was never made is new, without event and slot. */
static PhStatus
find_request(PhLogicalInput *input, uint64_t request, PhInputRequest **out)
{
	uint32_t index = input->requests.count;
	uint32_t *where;
	PH_TRY(ph_map_enter(&input->request_of, request, index, &where));
	if (*where == index)
	{
		void *at;
		PH_TRY(ph_vector_add(input->env, &input->requests, &at));
		*(PhInputRequest *) at = (PhInputRequest){PH_NONE, PH_NONE, PH_NO_TIME};
	}
	*out = &PH_ITEMS(PhInputRequest, input->requests)[*where];
	return PH_OK;
}

/* A request that is made now, be its number new or used before. */
static PhStatus
enter_request(PhLogicalInput *input, uint64_t number, uint32_t slot, uint32_t *out)
{
	PhInputRequest *request;
	PH_TRY(find_request(input, number, &request));
	*request = (PhInputRequest){PH_NONE, slot, PH_NO_TIME};
	*out = (uint32_t) (request - PH_ITEMS(PhInputRequest, input->requests));
	return PH_OK;
}

static void
note_completion(PhLogicalInput *input, uint32_t event, int64_t time)
{
	int64_t *complete = &PH_ITEMS(int64_t, input->complete)[event];
	if (*complete < time)
		*complete = time;
}

static PhStatus
complete_send(PhLogicalInput *input, const PhEvent *event)
{
	PhInputRequest *request;
	PH_TRY(find_request(input, event->request, &request));
	request->complete = event->time;
	if (request->event != PH_NONE)
		note_completion(input, request->event, event->time);
	if (input->frames.count > 0)
		frame_at(input, input->frames.count - 1)->completes = true;
	return PH_OK;
}

/* ----------------------------------------------------------------------------------------- events
 */

static PhStatus
add_event(PhLogicalInput *input, PhCommKind kind, const PhInputFrame *frame, uint32_t depth,
		  unsigned flags)
{
	uint32_t caller;
	input->in_run = false;
	PH_TRY(call_of(input, depth, &caller));
	PH_TRY(put_64(input, PH_PART_ENTER, (uint64_t) frame->enter));
	PH_TRY(put_64(input, PH_PART_EXIT, (uint64_t) input->time));
	PH_TRY(put(input, PH_PART_REGION, frame->region));
	PH_TRY(put(input, PH_PART_CALLER, caller));
	PH_TRY(ph_push_u8(input->env, column(input, PH_PART_KIND), (uint8_t) kind));
	PH_TRY(ph_push_u8(input->env, column(input, PH_PART_FLAGS), (uint8_t) flags));
	PH_TRY(put(input, PH_PART_ENDS, 0));
	PH_TRY(ph_push_64(input->env, &input->complete, (uint64_t) PH_NO_TIME));
	if (input->options.phase_function != NULL)
		PH_TRY(put(input, PH_PART_FUNCTION, input->n_function));
	if (input->options.counter != PH_NONE)
	{
		PH_TRY(put_double(input, PH_PART_INSIDE, input->counter - frame->counter));
		PH_TRY(put_double(input, PH_PART_BEFORE, frame->counter - input->counter_at_exit));
		input->counter_at_exit = input->counter;
	}
	return PH_OK;
}

static void
count_comms(PhLogicalInput *input, uint32_t caller, uint32_t comms)
{
	if (caller != PH_NONE)
		PH_ITEMS(uint32_t, *column(input, PH_PART_CALL_COMMS))[caller] += comms;
}

/* Give the pending records of one kind to the last event. */
static PhStatus
attach(PhLogicalInput *input, PhCommKind kind, uint32_t first)
{
	uint32_t event = n_events(input) - 1;
	for (uint32_t p = first; p < input->pending.count; p++)
	{
		PhInputPending pending = PH_ITEMS(PhInputPending, input->pending)[p];
		if (pending.kind != (uint32_t) kind)
			continue;
		if (kind == PH_COMM_SEND)
			PH_ITEMS(uint32_t, *column(input, PH_PART_SEND_EVENT))[pending.index] = event;
		PH_TRY(put(input, PH_PART_END, pending.index));
		PH_ITEMS(uint32_t, *column(input, PH_PART_ENDS))[event]++;
		if (pending.request == PH_NONE)
			continue;
		PhInputRequest *request = &PH_ITEMS(PhInputRequest, input->requests)[pending.request];
		request->event = event;
		if (request->complete != PH_NO_TIME)
			note_completion(input, event, request->complete);
	}
	return PH_OK;
}

/* A call made of non-blocking sends may join the run that the last event is. */
static PhStatus
add_send(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth, bool is_isend)
{
	uint32_t caller = PH_NONE;
	unsigned flags = is_isend ? PH_COMM_NONBLOCKING : 0;
	bool coalesce = is_isend && input->options.coalesce_isends;
	PH_TRY(call_of(input, depth, &caller));
	count_comms(input, caller, 1);
	if (!(coalesce && input->in_run))
		PH_TRY(add_event(input, PH_COMM_SEND, frame, depth,
						 flags | (coalesce ? PH_COMM_COALESCED : 0)));
	else
	{
		uint32_t event = n_events(input) - 1;
		PH_ITEMS(int64_t, *column(input, PH_PART_EXIT))[event] = input->time;
		if (input->options.counter != PH_NONE)
			PH_ITEMS(double, *column(input, PH_PART_INSIDE))
		[event] += input->counter - input->counter_at_exit;
		input->counter_at_exit = input->counter;
	}
	input->in_run = coalesce;
	return attach(input, PH_COMM_SEND, frame->first_pending);
}

static PhStatus
add_receive(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth)
{
	PH_TRY(add_event(input, PH_COMM_RECEIVE, frame, depth, 0));
	uint32_t caller = PH_ITEMS(uint32_t, *column(input, PH_PART_CALLER))[n_events(input) - 1];
	count_comms(input, caller, 1);
	return attach(input, PH_COMM_RECEIVE, frame->first_pending);
}

static PhStatus
add_collective(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth, uint32_t record)
{
	PH_TRY(add_event(input, PH_COMM_COLLECTIVE, frame, depth, 0));
	uint32_t event = n_events(input) - 1;
	count_comms(input, PH_ITEMS(uint32_t, *column(input, PH_PART_CALLER))[event], 2);
	PH_ITEMS(uint32_t, *column(input, PH_PART_COLL_EVENT))[record] = event;
	return PH_OK;
}

/* What a call did, as a set of 1 << PhCommKind; all_isends: its sends are non-blocking. */
static unsigned
kinds_of(const PhLogicalInput *input, uint32_t first, bool *all_isends)
{
	unsigned kinds = 0;
	*all_isends = true;
	for (uint32_t p = first; p < input->pending.count; p++)
	{
		const PhInputPending *pending = &PH_ITEMS(PhInputPending, input->pending)[p];
		kinds |= 1u << pending->kind;
		if (pending->kind == PH_COMM_SEND && pending->request == PH_NONE)
			*all_isends = false;
	}
	return kinds;
}

/* The events of a call that is left; depth: number of calls around it. */
static PhStatus
add_events(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth, unsigned *kinds)
{
	bool all_isends;
	*kinds = kinds_of(input, frame->first_pending, &all_isends);
	if (input->options.compat)
		all_isends = region_has(input, frame->region, PH_REGION_ISEND);
	if ((*kinds & 1u << PH_COMM_SEND) != 0)
		PH_TRY(add_send(input, frame, depth, all_isends && *kinds == 1u << PH_COMM_SEND));
	if ((*kinds & 1u << PH_COMM_RECEIVE) != 0)
		PH_TRY(add_receive(input, frame, depth));
	for (uint32_t p = frame->first_pending; p < input->pending.count; p++)
	{
		PhInputPending pending = PH_ITEMS(PhInputPending, input->pending)[p];
		if (pending.kind == PH_COMM_COLLECTIVE)
			PH_TRY(add_collective(input, frame, depth, pending.index));
	}
	input->pending.count = frame->first_pending;
	return PH_OK;
}

/* A completion inside a send or a collective counts for the call around it. */
static PhStatus
mark_wait(PhLogicalInput *input, const PhInputFrame *frame, unsigned kinds)
{
	bool is_waitall =
		input->options.waitall_groups && region_has(input, frame->region, PH_REGION_WAITALL);
	if ((kinds & 1u << PH_COMM_RECEIVE) != 0)
		return PH_OK;
	if (kinds != 0)
	{
		if (frame->completes && input->frames.count > 0)
			frame_at(input, input->frames.count - 1)->completes = true;
		return PH_OK;
	}
	if (!frame->completes && !is_waitall)
		return PH_OK;
	void *at;
	PH_TRY(ph_vector_add(input->env, &input->marks, &at));
	*(PhWaitMark *) at = (PhWaitMark){n_events(input), is_waitall, frame->enter, input->time};
	return PH_OK;
}

PhStatus
ph_logical_leave_call(PhLogicalInput *input)
{
	if (input->frames.count == 0)
		return PH_OK;
	PhInputFrame frame = *frame_at(input, --input->frames.count);
	unsigned kinds;
	PH_TRY(add_events(input, &frame, input->frames.count, &kinds));
	if (kinds != 1u << PH_COMM_SEND && !region_has(input, frame.region, PH_REGION_ISEND))
		input->in_run = false;
	if (kinds != 0 && frame.call != PH_NONE)
		PH_ITEMS(uint8_t, *column(input, PH_PART_CALL_IS_EVENT))[frame.call] = 1;
	return mark_wait(input, &frame, kinds);
}

static PhStatus
enter_call(PhLogicalInput *input, const PhEvent *event)
{
	void *at;
	if (event->region >= input->trace->n_regions)
		return ph_fail(input->env, PH_ERR_FORMAT, "region %u, but the trace has %u", event->region,
					   input->trace->n_regions);
	if (region_has(input, event->region, PH_REGION_FUNCTION))
		input->n_function++;
	PH_TRY(ph_vector_add(input->env, &input->frames, &at));
	*(PhInputFrame *) at = (PhInputFrame){event->region, PH_NONE,	  input->pending.count,
										  false,		 event->time, input->counter};
	return PH_OK;
}

/* -------------------------------------------------------------------------------- communication */

/* A record waits with its call; without an MPI call around it, it is an event of its own. */
static PhStatus
pend(PhLogicalInput *input, PhCommKind kind, uint32_t index, uint32_t request)
{
	void *at;
	uint32_t depth = input->frames.count;
	uint32_t first = input->pending.count;
	PH_TRY(ph_vector_add(input->env, &input->pending, &at));
	*(PhInputPending *) at = (PhInputPending){kind, index, request};
	if (depth > 0 && region_has(input, frame_at(input, depth - 1)->region, PH_REGION_MPI))
		return PH_OK;
	unsigned kinds;
	uint32_t region = depth == 0 ? PH_NONE : frame_at(input, depth - 1)->region;
	PhInputFrame moment = {region, PH_NONE, first, false, input->time, input->counter};
	input->no_call++;
	PH_TRY(add_events(input, &moment, depth, &kinds));
	PH_ITEMS(uint8_t, *column(input, PH_PART_FLAGS))[n_events(input) - 1] |= PH_COMM_NO_CALL;
	return PH_OK;
}

static PhStatus
add_send_record(PhLogicalInput *input, const PhEvent *event, bool has_request)
{
	uint32_t index = column(input, PH_PART_SEND_EVENT)->count;
	uint32_t request = PH_NONE;
	PH_TRY(put(input, PH_PART_SEND_EVENT, PH_NONE));
	PH_TRY(put_64(input, PH_PART_SEND_BYTES, event->bytes));
	PH_TRY(put(input, PH_PART_SEND_PEER, event->peer));
	PH_TRY(put(input, PH_PART_SEND_COMM, event->comm));
	PH_TRY(put(input, PH_PART_SEND_TAG, (uint32_t) event->tag));
	if (input->needs_times)
		PH_TRY(put_64(input, PH_PART_SEND_TIME, (uint64_t) event->time));
	if (has_request)
		PH_TRY(enter_request(input, event->request, PH_NONE, &request));
	return pend(input, PH_COMM_SEND, index, request);
}

static PhStatus
add_slot(PhLogicalInput *input, int64_t time, uint32_t *out)
{
	*out = column(input, PH_PART_SLOT_PEER)->count;
	PH_TRY(put(input, PH_PART_SLOT_PEER, PH_NONE));
	PH_TRY(put_64(input, PH_PART_SLOT_BYTES, 0));
	PH_TRY(put(input, PH_PART_SLOT_COMM, PH_NONE));
	PH_TRY(put(input, PH_PART_SLOT_TAG, 0));
	return input->needs_times ? put_64(input, PH_PART_SLOT_TIME, (uint64_t) time) : PH_OK;
}

/* The slot of a receive that completes: where it was posted, or here. */
static PhStatus
take_slot(PhLogicalInput *input, const PhEvent *event, bool has_request, uint32_t *out)
{
	if (has_request && !input->options.compat)
	{
		PhInputRequest *request;
		PH_TRY(find_request(input, event->request, &request));
		if (request->slot != PH_NONE)
		{
			*out = request->slot;
			request->slot = PH_NONE;
			return PH_OK;
		}
	}
	return add_slot(input, event->time, out);
}

static PhStatus
add_receive_record(PhLogicalInput *input, const PhEvent *event, bool has_request)
{
	uint32_t slot;
	PH_TRY(take_slot(input, event, has_request, &slot));
	PH_ITEMS(uint64_t, *column(input, PH_PART_SLOT_BYTES))[slot] = event->bytes;
	PH_ITEMS(uint32_t, *column(input, PH_PART_SLOT_PEER))[slot] = event->peer;
	PH_ITEMS(uint32_t, *column(input, PH_PART_SLOT_COMM))[slot] = event->comm;
	PH_ITEMS(uint32_t, *column(input, PH_PART_SLOT_TAG))[slot] = (uint32_t) event->tag;
	return pend(input, PH_COMM_RECEIVE, slot, PH_NONE);
}

static PhStatus
post_receive(PhLogicalInput *input, const PhEvent *event)
{
	uint32_t slot, request;
	if (input->options.compat)
		return PH_OK;
	PH_TRY(add_slot(input, event->time, &slot));
	return enter_request(input, event->request, slot, &request);
}

static PhStatus
begin_collective(PhLogicalInput *input)
{
	uint32_t record = column(input, PH_PART_COLL_EVENT)->count;
	input->unpaired += input->open_coll != PH_NONE;
	input->open_coll = record;
	PH_TRY(put(input, PH_PART_COLL_EVENT, PH_NONE));
	PH_TRY(put(input, PH_PART_COLL_OPERATION, PH_NONE));
	PH_TRY(put(input, PH_PART_COLL_COMM, PH_NONE));
	PH_TRY(put(input, PH_PART_COLL_ROOT, PH_NONE));
	return pend(input, PH_COMM_COLLECTIVE, record, PH_NONE);
}

static PhStatus
end_collective(PhLogicalInput *input, const PhEvent *event)
{
	if (input->open_coll == PH_NONE)
	{
		PH_TRY(begin_collective(input));
		input->unpaired += event->kind == PH_EVENT_COLLECTIVE_END;
	}
	uint32_t record = input->open_coll;
	PH_ITEMS(uint32_t, *column(input, PH_PART_COLL_OPERATION))[record] = event->operation;
	PH_ITEMS(uint32_t, *column(input, PH_PART_COLL_COMM))[record] = event->comm;
	PH_ITEMS(uint32_t, *column(input, PH_PART_COLL_ROOT))[record] = event->root;
	input->open_coll = PH_NONE;
	return PH_OK;
}

/* A non-blocking collective is an event where it completes; Ravel does not know them. */
static PhStatus
complete_collective(PhLogicalInput *input, const PhEvent *event)
{
	uint32_t open = input->open_coll;
	if (input->options.compat)
		return PH_OK;
	input->open_coll = PH_NONE;
	PH_TRY(end_collective(input, event));
	input->open_coll = open;
	return PH_OK;
}

static void
read_counter(PhLogicalInput *input, const PhEvent *event)
{
	if (input->options.counter == PH_NONE)
		return;
	const PhTraceMetric *metric = &input->trace->metrics[input->options.counter];
	if (event->operation != metric->metric_class || metric->member >= event->n_values)
		return;
	uint64_t raw = event->values[metric->member];
	double value = (double) raw;
	if (metric->type == PH_TRACE_INT64)
		value = (double) (int64_t) raw;
	else if (metric->type == PH_TRACE_DOUBLE)
		memcpy(&value, &raw, sizeof(value));
	input->counter =
		metric->is_accumulated ? value * metric->scale : input->counter + value * metric->scale;
}

PhStatus
ph_logical_input_event(PhLogicalInput *input, const PhEvent *event)
{
	PH_TRY(ph_env_poll(input->env));
	if (!input->part_is_open)
		return ph_fail(input->env, PH_ERR_VALUE, "an event came before its location");
	input->time = event->time;
	switch (event->kind)
	{
		case PH_EVENT_ENTER:
			return enter_call(input, event);
		case PH_EVENT_LEAVE:
			return ph_logical_leave_call(input);
		case PH_EVENT_SEND:
		case PH_EVENT_ISEND:
			return add_send_record(input, event, event->kind == PH_EVENT_ISEND);
		case PH_EVENT_ISEND_COMPLETE:
			return complete_send(input, event);
		case PH_EVENT_IRECV_REQUEST:
			return post_receive(input, event);
		case PH_EVENT_RECV:
		case PH_EVENT_IRECV:
			return add_receive_record(input, event, event->kind == PH_EVENT_IRECV);
		case PH_EVENT_COLLECTIVE_BEGIN:
			return begin_collective(input);
		case PH_EVENT_COLLECTIVE_END:
			return end_collective(input, event);
		case PH_EVENT_NB_COLLECTIVE_COMPLETE:
			return complete_collective(input, event);
		case PH_EVENT_METRIC:
			read_counter(input, event);
			return PH_OK;
		default:
			return PH_OK;
	}
}
