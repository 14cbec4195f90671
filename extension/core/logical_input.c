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

/* One element of a column; a macro because columns have their own types. */
#define AT(type, input, which, row) (PH_COLUMN(type, (input)->columns, which)[row])

static uint32_t
n_events(const PhLogicalInput *input)
{
	return input->columns.n[PH_ROWS_EVENT];
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
		uint32_t row;
		PH_TRY(ph_columns_add(&input->columns, PH_ROWS_CALL, &row));
		AT(uint32_t, input, PH_PART_CALL_REGION, row) = frame->region;
		AT(uint32_t, input, PH_PART_CALL_PARENT, row) = call;
		AT(uint32_t, input, PH_PART_CALL_COMMS, row) = 0;
		AT(uint8_t, input, PH_PART_CALL_IS_EVENT, row) = 0;
		call = frame->call = row;
	}
	*out = call;
	return PH_OK;
}

/* --------------------------------------------------------------------------------------- requests
 */

static void
note_completion(PhLogicalInput *input, uint32_t event, int64_t time)
{
	int64_t *complete = &PH_ITEMS(int64_t, input->complete)[event - input->first_event];
	if (*complete < time)
		*complete = time;
}

/* The event of a send's request is known or its completion; with both, it is done. */
static void
know_send(PhLogicalInput *input, uint64_t number, uint32_t event, int64_t complete)
{
	PhInputRequest *request = ph_input_requests_find(&input->requests, number);
	if (request == NULL)
		return;
	if (event != PH_NONE)
		request->event = event;
	if (complete != PH_NO_TIME)
		request->complete = complete;
	if (request->event == PH_NONE || request->complete == PH_NO_TIME)
		return;
	note_completion(input, request->event, request->complete);
	ph_input_requests_remove(&input->requests, request);
}

static void
complete_send(PhLogicalInput *input, uint64_t request)
{
	know_send(input, request, PH_NONE, input->time);
	if (input->frames.count > 0)
		frame_at(input, input->frames.count - 1)->completes = true;
}

/* ----------------------------------------------------------------------------------------- events
 */

static PhStatus
add_event(PhLogicalInput *input, PhCommKind kind, const PhInputFrame *frame, uint32_t depth,
		  unsigned flags)
{
	uint32_t caller, row;
	void *complete;
	input->in_run = false;
	PH_TRY(call_of(input, depth, &caller));
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_EVENT, &row));
	AT(int64_t, input, PH_PART_ENTER, row) = frame->enter;
	AT(int64_t, input, PH_PART_EXIT, row) = input->time;
	AT(uint32_t, input, PH_PART_REGION, row) = frame->region;
	AT(uint32_t, input, PH_PART_CALLER, row) = caller;
	AT(uint8_t, input, PH_PART_KIND, row) = (uint8_t) kind;
	AT(uint8_t, input, PH_PART_FLAGS, row) = (uint8_t) flags;
	AT(uint32_t, input, PH_PART_ENDS, row) = 0;
	PH_TRY(ph_vector_add(input->env, &input->complete, &complete));
	*(int64_t *) complete = PH_NO_TIME;
	if (input->options.phase_function != NULL)
		AT(uint32_t, input, PH_PART_FUNCTION, row) = input->n_function;
	if (input->options.counter == PH_NONE)
		return PH_OK;
	AT(double, input, PH_PART_INSIDE, row) = input->counter - frame->counter;
	AT(double, input, PH_PART_BEFORE, row) = frame->counter - input->counter_at_exit;
	input->counter_at_exit = input->counter;
	return PH_OK;
}

static void
count_comms(PhLogicalInput *input, uint32_t caller, uint32_t comms)
{
	if (caller != PH_NONE)
		AT(uint32_t, input, PH_PART_CALL_COMMS, caller) += comms;
}

/* Give the pending records of one kind to the last event. */
static PhStatus
attach(PhLogicalInput *input, PhCommKind kind, uint32_t first)
{
	uint32_t event = n_events(input) - 1, row;
	for (uint32_t p = first; p < input->pending.count; p++)
	{
		const PhInputPending *pending = &PH_ITEMS(PhInputPending, input->pending)[p];
		if (pending->kind != (uint32_t) kind)
			continue;
		PH_TRY(ph_columns_add(&input->columns, PH_ROWS_END, &row));
		AT(uint32_t, input, PH_PART_END, row) = pending->index;
		AT(uint32_t, input, PH_PART_ENDS, event)++;
		if (kind == PH_COMM_SEND)
			AT(uint32_t, input, PH_PART_SEND_EVENT, pending->index) = event;
		if (pending->is_nonblocking)
			know_send(input, pending->request, event, PH_NO_TIME);
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
		AT(int64_t, input, PH_PART_EXIT, event) = input->time;
		if (input->options.counter != PH_NONE)
			AT(double, input, PH_PART_INSIDE, event) += input->counter - input->counter_at_exit;
		input->counter_at_exit = input->counter;
	}
	input->in_run = coalesce;
	return attach(input, PH_COMM_SEND, frame->first_pending);
}

static PhStatus
add_receive(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth)
{
	PH_TRY(add_event(input, PH_COMM_RECEIVE, frame, depth, 0));
	count_comms(input, AT(uint32_t, input, PH_PART_CALLER, n_events(input) - 1), 1);
	return attach(input, PH_COMM_RECEIVE, frame->first_pending);
}

static PhStatus
add_collective(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth, uint32_t record)
{
	PH_TRY(add_event(input, PH_COMM_COLLECTIVE, frame, depth, 0));
	uint32_t event = n_events(input) - 1;
	count_comms(input, AT(uint32_t, input, PH_PART_CALLER, event), 2);
	AT(uint32_t, input, PH_PART_COLL_EVENT, record) = event;
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
		if (pending->kind == PH_COMM_SEND && !pending->is_nonblocking)
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
	*(PhWaitMark *) at =
		(PhWaitMark){n_events(input) - input->first_event, is_waitall, frame->enter, input->time};
	return PH_OK;
}

PhStatus
ph_logical_leave_call(PhLogicalInput *input)
{
	if (input->frames.count == 0)
		return PH_OK;
	PhInputFrame frame = *frame_at(input, --input->frames.count);
	unsigned kinds = 0;
	if (input->pending.count > frame.first_pending)
		PH_TRY(add_events(input, &frame, input->frames.count, &kinds));
	if (kinds != 1u << PH_COMM_SEND && !region_has(input, frame.region, PH_REGION_ISEND))
		input->in_run = false;
	if (kinds != 0 && frame.call != PH_NONE)
		AT(uint8_t, input, PH_PART_CALL_IS_EVENT, frame.call) = 1;
	return mark_wait(input, &frame, kinds);
}

static PhStatus
enter_call(PhLogicalInput *input, uint32_t region)
{
	void *at;
	if (region >= input->trace->n_regions)
		return ph_fail(input->env, PH_ERR_FORMAT, "region %u, but the trace has %u", region,
					   input->trace->n_regions);
	if (region_has(input, region, PH_REGION_FUNCTION))
		input->n_function++;
	PH_TRY(ph_vector_add(input->env, &input->frames, &at));
	*(PhInputFrame *) at =
		(PhInputFrame){region, PH_NONE, input->pending.count, false, input->time, input->counter};
	return PH_OK;
}

/* -------------------------------------------------------------------------------- communication */

/* A record waits with its call; without an MPI call around it, it is an event of its own. */
static PhStatus
pend(PhLogicalInput *input, PhInputPending record)
{
	void *at;
	uint32_t depth = input->frames.count;
	uint32_t first = input->pending.count;
	PH_TRY(ph_vector_add(input->env, &input->pending, &at));
	*(PhInputPending *) at = record;
	if (depth > 0 && region_has(input, frame_at(input, depth - 1)->region, PH_REGION_MPI))
		return PH_OK;
	unsigned kinds;
	uint32_t region = depth == 0 ? PH_NONE : frame_at(input, depth - 1)->region;
	PhInputFrame moment = {region, PH_NONE, first, false, input->time, input->counter};
	input->no_call++;
	PH_TRY(add_events(input, &moment, depth, &kinds));
	AT(uint8_t, input, PH_PART_FLAGS, n_events(input) - 1) |= PH_COMM_NO_CALL;
	return PH_OK;
}

static PhStatus
add_send_record(PhLogicalInput *input, const PhEvent *event, bool is_nonblocking)
{
	uint32_t row;
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_SEND, &row));
	AT(uint32_t, input, PH_PART_SEND_EVENT, row) = PH_NONE;
	AT(uint64_t, input, PH_PART_SEND_BYTES, row) = event->bytes;
	AT(uint32_t, input, PH_PART_SEND_PEER, row) = event->peer;
	AT(uint32_t, input, PH_PART_SEND_COMM, row) = event->comm;
	AT(int32_t, input, PH_PART_SEND_TAG, row) = event->tag;
	if (input->needs_times)
		AT(int64_t, input, PH_PART_SEND_TIME, row) = input->time;
	if (is_nonblocking)
		PH_TRY(ph_input_requests_enter(&input->requests, event->request, PH_NONE));
	return pend(input, (PhInputPending){PH_COMM_SEND, row, is_nonblocking, event->request});
}

static PhStatus
add_slot(PhLogicalInput *input, uint32_t *row)
{
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_SLOT, row));
	AT(uint32_t, input, PH_PART_SLOT_PEER, *row) = PH_NONE;
	AT(uint64_t, input, PH_PART_SLOT_BYTES, *row) = 0;
	AT(uint32_t, input, PH_PART_SLOT_COMM, *row) = PH_NONE;
	AT(uint32_t, input, PH_PART_SLOT_TAG, *row) = 0;
	if (input->needs_times)
		AT(int64_t, input, PH_PART_SLOT_TIME, *row) = input->time;
	return PH_OK;
}

/* The slot of a receive that completes: where it was posted, or here. */
static PhStatus
take_slot(PhLogicalInput *input, const PhEvent *event, bool is_nonblocking, uint32_t *out)
{
	PhInputRequest *request = NULL;
	if (is_nonblocking && !input->options.compat)
		request = ph_input_requests_find(&input->requests, event->request);
	if (request == NULL || request->slot == PH_NONE)
		return add_slot(input, out);
	*out = request->slot;
	ph_input_requests_remove(&input->requests, request);
	return PH_OK;
}

static PhStatus
add_receive_record(PhLogicalInput *input, const PhEvent *event, bool is_nonblocking)
{
	uint32_t slot;
	PH_TRY(take_slot(input, event, is_nonblocking, &slot));
	AT(uint64_t, input, PH_PART_SLOT_BYTES, slot) = event->bytes;
	AT(uint32_t, input, PH_PART_SLOT_PEER, slot) = event->peer;
	AT(uint32_t, input, PH_PART_SLOT_COMM, slot) = event->comm;
	AT(uint32_t, input, PH_PART_SLOT_TAG, slot) = (uint32_t) event->tag;
	return pend(input, (PhInputPending){PH_COMM_RECEIVE, slot, false, 0});
}

static PhStatus
post_receive(PhLogicalInput *input, uint64_t request)
{
	uint32_t slot;
	if (input->options.compat)
		return PH_OK;
	PH_TRY(add_slot(input, &slot));
	return ph_input_requests_enter(&input->requests, request, slot);
}

static PhStatus
begin_collective(PhLogicalInput *input)
{
	uint32_t row;
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_COLL, &row));
	input->unpaired += input->open_coll != PH_NONE;
	input->open_coll = row;
	AT(uint32_t, input, PH_PART_COLL_EVENT, row) = PH_NONE;
	AT(uint32_t, input, PH_PART_COLL_OPERATION, row) = PH_NONE;
	AT(uint32_t, input, PH_PART_COLL_COMM, row) = PH_NONE;
	AT(uint32_t, input, PH_PART_COLL_ROOT, row) = PH_NONE;
	return pend(input, (PhInputPending){PH_COMM_COLLECTIVE, row, false, 0});
}

static PhStatus
end_collective(PhLogicalInput *input, const PhEvent *event)
{
	if (input->open_coll == PH_NONE)
	{
		PH_TRY(begin_collective(input));
		input->unpaired += event->kind == PH_EVENT_COLLECTIVE_END;
	}
	uint32_t row = input->open_coll;
	AT(uint32_t, input, PH_PART_COLL_OPERATION, row) = event->operation;
	AT(uint32_t, input, PH_PART_COLL_COMM, row) = event->comm;
	AT(uint32_t, input, PH_PART_COLL_ROOT, row) = event->root;
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

/* A record of communication, its operands in event. */
static PhStatus
add_record(PhLogicalInput *input, const PhEvent *event)
{
	switch (event->kind)
	{
		case PH_EVENT_SEND:
		case PH_EVENT_ISEND:
			return add_send_record(input, event, event->kind == PH_EVENT_ISEND);
		case PH_EVENT_ISEND_COMPLETE:
			complete_send(input, event->request);
			return PH_OK;
		case PH_EVENT_IRECV_REQUEST:
			return post_receive(input, event->request);
		case PH_EVENT_RECV:
		case PH_EVENT_IRECV:
			return add_receive_record(input, event, event->kind == PH_EVENT_IRECV);
		case PH_EVENT_COLLECTIVE_BEGIN:
			return begin_collective(input);
		case PH_EVENT_COLLECTIVE_END:
			return end_collective(input, event);
		case PH_EVENT_NB_COLLECTIVE_COMPLETE:
			return complete_collective(input, event);
		default:
			return PH_OK;
	}
}

static PhStatus
check_open(const PhLogicalInput *input)
{
	if (input->part_is_open)
		return PH_OK;
	return ph_fail(input->env, PH_ERR_VALUE, "an event came before its location");
}

PhStatus
ph_logical_input_event(PhLogicalInput *input, const PhEvent *event)
{
	PH_TRY(ph_env_poll(input->env));
	PH_TRY(check_open(input));
	input->time = event->time;
	if (event->kind == PH_EVENT_ENTER)
		return enter_call(input, event->region);
	if (event->kind == PH_EVENT_LEAVE)
		return ph_logical_leave_call(input);
	if (event->kind == PH_EVENT_METRIC)
		read_counter(input, event);
	return add_record(input, event);
}

/* ---------------------------------------------------------------------------------------- chunks
 */

/* has: PhOperandBit bits of the kind, known when compiled where it matters. */
static inline void
take_operands(PhOperandArrays *at, uint32_t has, PhEvent *event)
{
	if ((has & PH_OPERAND_PEER) != 0)
		event->peer = *at->peer++;
	if ((has & PH_OPERAND_COMM) != 0)
		event->comm = *at->comm++;
	if ((has & PH_OPERAND_TAG) != 0)
		event->tag = *at->tag++;
	if ((has & PH_OPERAND_BYTES) != 0)
		event->bytes = *at->bytes++;
	if ((has & PH_OPERAND_REQUEST) != 0)
		event->request = *at->request++;
	if ((has & PH_OPERAND_OPERATION) == 0)
		return;
	event->operation = *at->operation++;
	event->root = *at->root++;
	at->bytes_received++;
}

/* All extra kinds have an operation and a number of values. */
static void
take_extra(PhLogicalInput *input, PhOperandArrays *at, PhEvent *event)
{
	event->operation = *at->operation++;
	event->n_values = *at->n_values++;
	event->values = at->values;
	at->values += event->n_values;
	if (event->kind == PH_EVENT_METRIC)
		read_counter(input, event);
}

PhStatus
ph_logical_input_chunk(PhLogicalInput *input, const PhChunkReader *reader)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const uint32_t *region = ph_chunk_enter_regions(reader);
	bool follows_counter = input->options.counter != PH_NONE;
	PhOperandArrays messages = *ph_chunk_messages(reader), extras = {0};
	PhEvent event = {.peer = PH_NONE, .comm = PH_NONE, .root = PH_NONE};
	uint32_t n = ph_chunk_n_events(reader);
	PH_TRY(check_open(input));
	if (follows_counter)
		extras = *ph_chunk_extras(reader);
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(input->env));
		input->time = times[i];
		if (kinds[i] == PH_EVENT_ENTER)
			PH_TRY(enter_call(input, *region++));
		else if (kinds[i] == PH_EVENT_LEAVE)
			PH_TRY(ph_logical_leave_call(input));
		else
		{
			event.kind = (PhEventKind) kinds[i];
			if (kinds[i] <= PH_EVENT_NB_COLLECTIVE_COMPLETE)
			{
				take_operands(&messages, ph_event_operands(kinds[i]), &event);
				PH_TRY(add_record(input, &event));
			}
			else if (follows_counter)
				take_extra(input, &extras, &event);
		}
	}
	return PH_OK;
}
