/*
 * input.c - one location's records to its events: calls, what they communicate, callers.
 *
 * A stack of open calls; records of communication wait with the innermost one until it is left, for
 * events are in order of leaving. Receives take their place (slot) in the order in which they were
 * posted, by request.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/input_internal.h"
#include "trace/mpi_calls.h"

/* The call of the innermost `depth` frames, made with those around it where they are new. */
PhStatus
ph_input_call_of(PhLogicalInput *input, uint32_t depth, uint32_t *out)
{
	uint32_t known = depth;
	while (known > 0 && ph_input_frame_at(input, known - 1)->call == PH_NONE)
		known--;
	uint32_t call = known == 0 ? PH_NONE : ph_input_frame_at(input, known - 1)->call;
	for (; known < depth; known++)
	{
		PhInputFrame *frame = ph_input_frame_at(input, known);
		uint32_t row;
		PH_TRY(ph_columns_add(&input->columns, PH_ROWS_CALL, &row));
		PH_AT(uint32_t, input, PH_PART_CALL_REGION, row) = frame->region;
		PH_AT(uint32_t, input, PH_PART_CALL_PARENT, row) = call;
		PH_AT(uint32_t, input, PH_PART_CALL_COMMS, row) = 0;
		PH_AT(uint8_t, input, PH_PART_CALL_IS_EVENT, row) = 0;
		call = frame->call = row;
	}
	*out = call;
	return PH_OK;
}

/* --------------------------------------------------------------------------------------- requests
 */

/* Most traces have no requests: completions are kept as far as there are any. */
static PhStatus
note_completion(PhLogicalInput *input, uint32_t event, int64_t time)
{
	uint32_t at = event - input->first_event;
	while (input->complete.count <= at)
	{
		PH_TRY(PH_ROOM(input->env, &input->complete));
		input->complete.items[input->complete.count++] = PH_NO_TIME;
	}
	int64_t *complete = &input->complete.items[at];
	if (*complete < time)
		*complete = time;
	return PH_OK;
}

/*
 * A non-blocking send's event and its completion become known in either order (event PH_NONE or
 * complete PH_NO_TIME: not this one). With both, the completion is noted with the event and the
 * request is forgotten.
 */
PhStatus
ph_input_know_send(PhLogicalInput *input, uint64_t number, uint32_t event, int64_t complete)
{
	PhInputRequest *request = ph_input_requests_find(&input->requests, number);
	if (request == NULL)
		return PH_OK;
	if (event != PH_NONE)
		request->event = event;
	if (complete != PH_NO_TIME)
		request->complete = complete;
	if (request->event == PH_NONE || request->complete == PH_NO_TIME)
		return PH_OK;
	PH_TRY(note_completion(input, request->event, request->complete));
	ph_input_requests_remove(&input->requests, request);
	return PH_OK;
}

/* ----------------------------------------------------------------------------------------- events
 */

static PhStatus
add_event(PhLogicalInput *input, PhCommKind kind, const PhInputFrame *frame, uint32_t depth,
		  unsigned flags)
{
	uint32_t caller, row;
	input->in_run = false;
	PH_TRY(ph_input_call_of(input, depth, &caller));
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_EVENT, &row));
	PH_AT(int64_t, input, PH_PART_ENTER, row) = frame->enter;
	PH_AT(int64_t, input, PH_PART_EXIT, row) = input->time;
	PH_AT(uint32_t, input, PH_PART_REGION, row) = frame->region;
	PH_AT(uint32_t, input, PH_PART_CALLER, row) = caller;
	PH_AT(uint8_t, input, PH_PART_KIND, row) = (uint8_t) kind;
	PH_AT(uint8_t, input, PH_PART_FLAGS, row) = (uint8_t) flags;
	PH_AT(uint32_t, input, PH_PART_ENDS, row) = 0;
	if (input->options.phase_function != NULL)
		PH_AT(uint32_t, input, PH_PART_FUNCTION, row) = input->n_function;
	if (input->options.counter == PH_NONE)
		return PH_OK;
	PH_AT(double, input, PH_PART_INSIDE, row) = input->counter - frame->counter;
	PH_AT(double, input, PH_PART_BEFORE, row) = frame->counter - input->counter_at_exit;
	input->counter_at_exit = input->counter;
	return PH_OK;
}

void
ph_input_count_comms(PhLogicalInput *input, uint32_t caller, uint32_t comms)
{
	if (caller != PH_NONE)
		PH_AT(uint32_t, input, PH_PART_CALL_COMMS, caller) += comms;
}

/* Give the pending records of one kind to the last event. */
static PhStatus
attach(PhLogicalInput *input, PhCommKind kind, uint32_t first)
{
	uint32_t event = ph_input_n_events(input) - 1, row;
	for (uint32_t p = first; p < input->pending.count; p++)
	{
		const PhInputPending *pending = &input->pending.items[p];
		if (pending->kind != (uint32_t) kind)
			continue;
		if (pending->is_epoch)
		{
			PH_AT(uint32_t, input, PH_PART_EPOCH_EVENT, pending->index) = event;
			continue;
		}
		PH_TRY(ph_columns_add(&input->columns, PH_ROWS_END, &row));
		PH_AT(uint32_t, input, PH_PART_END, row) = pending->index;
		PH_AT(uint32_t, input, PH_PART_ENDS, event)++;
		if (kind == PH_COMM_SEND)
			PH_AT(uint32_t, input, PH_PART_SEND_EVENT, pending->index) = event;
		if (pending->is_nonblocking)
			PH_TRY(ph_input_know_send(input, pending->request, event, PH_NO_TIME));
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
	PH_TRY(ph_input_call_of(input, depth, &caller));
	ph_input_count_comms(input, caller, 1);
	if (!(coalesce && input->in_run))
		PH_TRY(add_event(input, PH_COMM_SEND, frame, depth,
						 flags | (coalesce ? PH_COMM_COALESCED : 0)));
	else
	{
		uint32_t event = ph_input_n_events(input) - 1;
		PH_AT(int64_t, input, PH_PART_EXIT, event) = input->time;
		if (input->options.counter != PH_NONE)
			PH_AT(double, input, PH_PART_INSIDE, event) += input->counter - input->counter_at_exit;
		input->counter_at_exit = input->counter;
	}
	input->in_run = coalesce;
	return attach(input, PH_COMM_SEND, frame->first_pending);
}

static PhStatus
add_receive(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth)
{
	PH_TRY(add_event(input, PH_COMM_RECEIVE, frame, depth, 0));
	ph_input_count_comms(input,
						 PH_AT(uint32_t, input, PH_PART_CALLER, ph_input_n_events(input) - 1), 1);
	return attach(input, PH_COMM_RECEIVE, frame->first_pending);
}

static PhStatus
add_collective(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth, uint32_t record)
{
	PH_TRY(add_event(input, PH_COMM_COLLECTIVE, frame, depth, 0));
	uint32_t event = ph_input_n_events(input) - 1;
	ph_input_count_comms(input, PH_AT(uint32_t, input, PH_PART_CALLER, event), 2);
	PH_AT(uint32_t, input, PH_PART_COLL_EVENT, record) = event;
	return PH_OK;
}

/*
 * The outermost call of a collective function that is left without a record in it: an event until
 * all locations are read, then it is known with whom it was, or it is none. One that another call
 * completes is only counted. depth: number of calls around it.
 */
static PhStatus
add_shown(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth, unsigned *kinds)
{
	uint32_t row;
	if (ph_input_region_has(input, frame->region, PH_REGION_LATER))
	{
		input->n_unknown++;
		return PH_OK;
	}
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_COLL, &row));
	PH_AT(uint32_t, input, PH_PART_COLL_OPERATION, row) =
		ph_mpi_call(&input->trace->regions[frame->region]).operation;
	PH_AT(uint32_t, input, PH_PART_COLL_COMM, row) = PH_NONE;
	PH_AT(uint32_t, input, PH_PART_COLL_ROOT, row) = PH_NONE;
	PH_TRY(add_collective(input, frame, depth, row));
	PH_AT(uint8_t, input, PH_PART_FLAGS, ph_input_n_events(input) - 1) |=
		PH_COMM_INFERRED | (*kinds != 0 ? PH_COMM_SAME_CALL : 0);
	*kinds |= 1u << PH_COMM_COLLECTIVE;
	input->n_shown++;
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
		const PhInputPending *pending = &input->pending.items[p];
		kinds |= 1u << pending->kind;
		if (pending->kind == PH_COMM_SEND && !pending->is_nonblocking)
			*all_isends = false;
	}
	return kinds;
}

/* The messages of a call: who completes an epoch first awaits that the other has posted. */
static PhStatus
add_messages(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth, unsigned kinds,
			 bool is_isend)
{
	bool receives = (kinds & 1u << PH_COMM_RECEIVE) != 0;
	bool awaits = receives && ph_input_region_has(input, frame->region, PH_REGION_EPOCH);
	if (awaits)
		PH_TRY(add_receive(input, frame, depth));
	if ((kinds & 1u << PH_COMM_SEND) != 0)
		PH_TRY(add_send(input, frame, depth, is_isend));
	return receives && !awaits ? add_receive(input, frame, depth) : PH_OK;
}

/* The events of a call that is left, or as good as; depth: number of calls around it. */
static PhStatus
add_events(PhLogicalInput *input, const PhInputFrame *frame, uint32_t depth, unsigned *kinds)
{
	bool all_isends;
	*kinds = kinds_of(input, frame->first_pending, &all_isends);
	if (input->options.compat)
		all_isends = ph_input_region_has(input, frame->region, PH_REGION_ISEND);
	uint32_t first = ph_input_n_events(input);
	PH_TRY(add_messages(input, frame, depth, *kinds, all_isends && *kinds == 1u << PH_COMM_SEND));
	for (uint32_t p = frame->first_pending; p < input->pending.count; p++)
	{
		PhInputPending pending = input->pending.items[p];
		if (pending.kind == PH_COMM_COLLECTIVE)
			PH_TRY(add_collective(input, frame, depth, pending.index));
	}
	for (uint32_t e = first + 1; e < ph_input_n_events(input); e++)
		PH_AT(uint8_t, input, PH_PART_FLAGS, e) |= PH_COMM_SAME_CALL;
	input->pending.count = frame->first_pending;
	return PH_OK;
}

PhStatus
ph_input_pend(PhLogicalInput *input, PhInputPending record)
{
	void *at;
	uint32_t depth = input->frames.count;
	uint32_t first = input->pending.count;
	PH_TRY(PH_ROOM(input->env, &input->pending));
	at = &input->pending.items[input->pending.count++];
	*(PhInputPending *) at = record;
	if (depth > 0 &&
		ph_input_region_has(input, ph_input_frame_at(input, depth - 1)->region, PH_REGION_MPI))
		return PH_OK;
	unsigned kinds;
	uint32_t region = depth == 0 ? PH_NONE : ph_input_frame_at(input, depth - 1)->region;
	PhInputFrame moment = {region, PH_NONE, first, false, input->time, input->counter};
	input->no_call++;
	PH_TRY(add_events(input, &moment, depth, &kinds));
	PH_AT(uint8_t, input, PH_PART_FLAGS, ph_input_n_events(input) - 1) |= PH_COMM_NO_CALL;
	return PH_OK;
}

PhStatus
ph_input_add_message(PhLogicalInput *input, PhCommKind kind, const PhInputFrame *frame,
					 uint32_t depth, uint32_t index)
{
	uint32_t row;
	PH_TRY(add_event(input, kind, frame, depth, 0));
	uint32_t event = ph_input_n_events(input) - 1;
	ph_input_count_comms(input, PH_AT(uint32_t, input, PH_PART_CALLER, event), 1);
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_END, &row));
	PH_AT(uint32_t, input, PH_PART_END, row) = index;
	PH_AT(uint32_t, input, PH_PART_ENDS, event) = 1;
	if (kind == PH_COMM_SEND)
		PH_AT(uint32_t, input, PH_PART_SEND_EVENT, index) = event;
	return PH_OK;
}

/*
 * Marks where a call completed non-blocking sends, for wait groups. Only calls that are no events
 * get a mark of their own; a send or collective in which sends completed hands that on to the call
 * around it, and a receive is an event that wait groups look at anyway.
 */
static PhStatus
mark_wait(PhLogicalInput *input, const PhInputFrame *frame, unsigned kinds)
{
	bool is_waitall = input->options.waitall_groups &&
					  ph_input_region_has(input, frame->region, PH_REGION_WAITALL);
	if ((kinds & 1u << PH_COMM_RECEIVE) != 0)
		return PH_OK;
	if (kinds != 0)
	{
		if (frame->completes && input->frames.count > 0)
			ph_input_frame_at(input, input->frames.count - 1)->completes = true;
		return PH_OK;
	}
	if (!frame->completes && !is_waitall)
		return PH_OK;
	void *at;
	PH_TRY(PH_ROOM(input->env, &input->marks));
	at = &input->marks.items[input->marks.count++];
	*(PhWaitMark *) at = (PhWaitMark){ph_input_n_events(input) - input->first_event, is_waitall,
									  frame->enter, input->time};
	return PH_OK;
}

PhStatus
ph_logical_leave_call(PhLogicalInput *input)
{
	if (input->frames.count == 0)
		return PH_OK;
	PhInputFrame frame = *ph_input_frame_at(input, --input->frames.count);
	unsigned kinds = 0;
	if (input->pending.count > frame.first_pending)
		PH_TRY(add_events(input, &frame, input->frames.count, &kinds));
	if (input->shown_depth == input->frames.count + 1)
	{
		input->shown_depth = 0;
		if (!input->shown_is_told)
			PH_TRY(add_shown(input, &frame, input->frames.count, &kinds));
	}
	if (kinds != 1u << PH_COMM_SEND && !ph_input_region_has(input, frame.region, PH_REGION_ISEND))
		input->in_run = false;
	if (kinds != 0 && frame.call != PH_NONE)
		PH_AT(uint8_t, input, PH_PART_CALL_IS_EVENT, frame.call) = 1;
	return mark_wait(input, &frame, kinds);
}

PhStatus
ph_input_enter_call(PhLogicalInput *input, uint32_t region)
{
	void *at;
	if (region >= input->trace->n_regions)
		return ph_fail(input->env, PH_ERR_FORMAT, "region %u, but the trace has %u", region,
					   input->trace->n_regions);
	if (ph_input_region_has(input, region, PH_REGION_FUNCTION))
		input->n_function++;
	PH_TRY(PH_ROOM(input->env, &input->frames));
	at = &input->frames.items[input->frames.count++];
	*(PhInputFrame *) at =
		(PhInputFrame){region, PH_NONE, input->pending.count, false, input->time, input->counter};
	if (input->shown_depth == 0 && !input->options.compat &&
		ph_input_region_has(input, region, PH_REGION_COLLECTIVE))
	{
		input->shown_depth = input->frames.count;
		input->shown_is_told = false;
	}
	return PH_OK;
}
