/*
 * records.c - records of one location, one by one or by chunks, into a logical input.
 *
 * Chunks are walked through their columns; the commonest calls are taken as a whole.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "logical/input_internal.h"
#include "trace/windows.h"

/* -------------------------------------------------------------------------------- communication */

static PhStatus
add_send_row(PhLogicalInput *input, const PhEvent *event, uint32_t *row)
{
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_SEND, row));
	PH_AT(uint32_t, input, PH_PART_SEND_EVENT, *row) = PH_NONE;
	PH_AT(uint64_t, input, PH_PART_SEND_BYTES, *row) = event->bytes;
	PH_AT(int32_t, input, PH_PART_SEND_TAG, *row) = event->tag;
	if (input->is_linked)
		return PH_OK;
	PH_AT(uint32_t, input, PH_PART_SEND_PEER, *row) = event->peer;
	PH_AT(uint32_t, input, PH_PART_SEND_COMM, *row) = event->comm;
	if (input->needs_times)
		PH_AT(int64_t, input, PH_PART_SEND_TIME, *row) = input->time;
	return PH_OK;
}

static PhStatus
add_send_record(PhLogicalInput *input, const PhEvent *event, bool is_nonblocking)
{
	uint32_t row;
	PH_TRY(add_send_row(input, event, &row));
	if (is_nonblocking)
		PH_TRY(ph_input_requests_enter(&input->requests, event->request, false, row, PH_NONE));
	return ph_input_pend(
		input, (PhInputPending){PH_COMM_SEND, row, is_nonblocking, false, event->request});
}

static PhStatus
add_slot(PhLogicalInput *input, uint32_t *row)
{
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_SLOT, row));
	PH_AT(uint32_t, input, PH_PART_SLOT_PEER, *row) = PH_NONE;
	PH_AT(uint64_t, input, PH_PART_SLOT_BYTES, *row) = 0;
	PH_AT(uint32_t, input, PH_PART_SLOT_TAG, *row) = 0;
	if (!input->is_linked)
		PH_AT(uint32_t, input, PH_PART_SLOT_COMM, *row) = PH_NONE;
	if (input->needs_times)
		PH_AT(int64_t, input, PH_PART_SLOT_TIME, *row) = input->time;
	return PH_OK;
}

/* The slot of a receive that completes: where it was posted, or here (a matcher's links are in the
 * order of completion). */
static PhStatus
take_slot(PhLogicalInput *input, const PhEvent *event, bool is_nonblocking, uint32_t *out)
{
	PhInputRequest *request = NULL;
	if (is_nonblocking && !input->options.compat && !input->is_linked)
		request = ph_input_requests_find(&input->requests, event->request);
	if (request == NULL || !request->is_receive)
		return add_slot(input, out);
	*out = request->row;
	ph_input_requests_remove(&input->requests, request);
	return PH_OK;
}

static void
fill_slot(PhLogicalInput *input, const PhEvent *event, uint32_t slot)
{
	PH_AT(uint64_t, input, PH_PART_SLOT_BYTES, slot) = event->bytes;
	PH_AT(uint32_t, input, PH_PART_SLOT_TAG, slot) = (uint32_t) event->tag;
	PH_AT(uint32_t, input, PH_PART_SLOT_PEER, slot) = event->peer;
	if (!input->is_linked)
		PH_AT(uint32_t, input, PH_PART_SLOT_COMM, slot) = event->comm;
}

static PhStatus
add_receive_record(PhLogicalInput *input, const PhEvent *event, bool is_nonblocking)
{
	uint32_t slot;
	PH_TRY(take_slot(input, event, is_nonblocking, &slot));
	fill_slot(input, event, slot);
	return ph_input_pend(input, (PhInputPending){PH_COMM_RECEIVE, slot, false, false, 0});
}

static PhStatus
post_receive(PhLogicalInput *input, uint64_t request)
{
	uint32_t slot;
	if (input->options.compat || input->is_linked)
		return PH_OK;
	PH_TRY(add_slot(input, &slot));
	return ph_input_requests_enter(&input->requests, request, true, slot, PH_NONE);
}

/* A send that was called off meets no receive; Ravel does not know of it. */
static void
cancel_request(PhLogicalInput *input, uint64_t number)
{
	PhInputRequest *request = ph_input_requests_find(&input->requests, number);
	if (request == NULL || input->options.compat)
		return;
	if (!request->is_receive && !input->is_linked)
		PH_AT(uint32_t, input, PH_PART_SEND_PEER, request->row) = PH_NONE;
	ph_input_requests_remove(&input->requests, request);
}

static PhStatus
begin_collective(PhLogicalInput *input)
{
	uint32_t row;
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_COLL, &row));
	input->unpaired += input->open_coll != PH_NONE;
	input->open_coll = row;
	PH_AT(uint32_t, input, PH_PART_COLL_EVENT, row) = PH_NONE;
	PH_AT(uint32_t, input, PH_PART_COLL_OPERATION, row) = PH_NONE;
	PH_AT(uint32_t, input, PH_PART_COLL_COMM, row) = PH_NONE;
	PH_AT(uint32_t, input, PH_PART_COLL_ROOT, row) = PH_NONE;
	return ph_input_pend(input, (PhInputPending){PH_COMM_COLLECTIVE, row, false, false, 0});
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
	PH_AT(uint32_t, input, PH_PART_COLL_OPERATION, row) = event->operation;
	PH_AT(uint32_t, input, PH_PART_COLL_COMM, row) = event->comm;
	PH_AT(uint32_t, input, PH_PART_COLL_ROOT, row) = event->root;
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

static PhStatus
complete_send(PhLogicalInput *input, uint64_t request)
{
	PH_TRY(ph_input_know_send(input, request, PH_NONE, input->time));
	if (input->frames.count > 0)
		ph_input_frame_at(input, input->frames.count - 1)->completes = true;
	return PH_OK;
}

/* The level that a metric begins with is no growth. */
static void
begin_level(PhLogicalInput *input, double value)
{
	input->counter_at_exit = value;
	for (uint32_t depth = 0; depth < input->frames.count; depth++)
		ph_input_frame_at(input, depth)->counter = value;
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
	if (!isfinite(value))
		return;
	if (!metric->is_accumulated && !input->has_counter)
		begin_level(input, value * metric->scale);
	input->has_counter = true;
	input->counter = value * metric->scale;
}

static PhStatus add_record(PhLogicalInput *input, const PhEvent *event);

/* Fences, and creation and end of windows, are collectives, epochs of some members messages. */
static PhStatus
add_window_record(PhLogicalInput *input, const PhEvent *record)
{
	uint32_t depth = input->frames.count;
	uint32_t region = depth == 0 ? PH_NONE : ph_input_frame_at(input, depth - 1)->region;
	PhMpiCall call = {0, 0};
	PhEvent collective;
	if (region < input->trace->n_regions)
		call = ph_mpi_call(&input->trace->regions[region]);
	if (record->operation == PH_RECORD_RMA_GROUP_SYNC && (call.does & PH_MPI_WINDOW) != 0)
		return ph_logical_add_epoch(input, (PhEpochCall) call.operation, record);
	if (record->operation == PH_RECORD_RMA_GROUP_SYNC)
		input->no_call++;
	if (!ph_window_collective(input->trace, call, record, &collective))
		return PH_OK;
	return add_record(input, &collective);
}

/* A record of communication, its operands in event. */
static PhStatus
add_record(PhLogicalInput *input, const PhEvent *event)
{
	if (event->kind >= PH_EVENT_COLLECTIVE_BEGIN && event->kind <= PH_EVENT_NB_COLLECTIVE_COMPLETE)
		input->shown_is_told = true;
	switch (event->kind)
	{
		case PH_EVENT_SEND:
		case PH_EVENT_ISEND:
			return add_send_record(input, event, event->kind == PH_EVENT_ISEND);
		case PH_EVENT_ISEND_COMPLETE:
			return complete_send(input, event->request);
		case PH_EVENT_IRECV_REQUEST:
			return post_receive(input, event->request);
		case PH_EVENT_REQUEST_CANCELLED:
			cancel_request(input, event->request);
			return PH_OK;
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
		return ph_input_enter_call(input, event->region);
	if (event->kind == PH_EVENT_LEAVE)
		return ph_logical_leave_call(input);
	if (event->kind == PH_EVENT_METRIC)
		read_counter(input, event);
	if (event->kind == PH_EVENT_RMA)
		return input->has_windows ? add_window_record(input, event) : PH_OK;
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
static PhStatus
take_extra(PhLogicalInput *input, PhOperandArrays *at, PhEvent *event)
{
	if ((ph_event_operands(event->kind) & PH_OPERAND_COMM) != 0)
		event->comm = *at->comm++;
	event->operation = *at->operation++;
	event->n_values = *at->n_values++;
	event->values = at->values;
	at->values += event->n_values;
	if (event->kind == PH_EVENT_METRIC)
		read_counter(input, event);
	return event->kind == PH_EVENT_RMA && input->has_windows ? add_window_record(input, event)
															 : PH_OK;
}

/* A chunk, and where the walk through it is. */
typedef struct ChunkWalk
{
	const uint8_t *kinds;
	const int64_t *times;
	const uint32_t *region;			  /* of the next ENTER */
	PhOperandArrays messages, extras; /* of the next records */
	uint32_t at, n;
} ChunkWalk;

/* A send in a call of its own goes on with the run that the last event is; its time is input's. */
static PhStatus
extend_run(PhLogicalInput *input, const PhEvent *send, int64_t exit)
{
	uint32_t caller, row, end, event = ph_input_n_events(input) - 1;
	PH_TRY(ph_input_call_of(input, input->frames.count, &caller));
	ph_input_count_comms(input, caller, 1);
	PH_TRY(add_send_row(input, send, &row));
	PH_TRY(ph_columns_add(&input->columns, PH_ROWS_END, &end));
	PH_AT(uint32_t, input, PH_PART_END, end) = row;
	PH_AT(uint32_t, input, PH_PART_SEND_EVENT, row) = event;
	PH_AT(uint32_t, input, PH_PART_ENDS, event)++;
	PH_AT(int64_t, input, PH_PART_EXIT, event) = exit;
	return ph_input_requests_enter(&input->requests, send->request, false, row, event);
}

/* A call that is one blocking send or receive; input's time is the record's. */
static PhStatus
take_message_call(PhLogicalInput *input, ChunkWalk *walk, PhEvent *event)
{
	PhInputFrame frame = {.region = *walk->region,
						  .call = PH_NONE,
						  .enter = walk->times[walk->at],
						  .counter = input->counter};
	bool sends = walk->kinds[walk->at + 1] == PH_EVENT_SEND;
	uint32_t index;
	if (sends)
	{
		take_operands(&walk->messages, ph_event_operands(PH_EVENT_SEND), event);
		PH_TRY(add_send_row(input, event, &index));
	}
	else
	{
		take_operands(&walk->messages, ph_event_operands(PH_EVENT_RECV), event);
		PH_TRY(add_slot(input, &index));
		fill_slot(input, event, index);
	}
	input->time = walk->times[walk->at + 2];
	return ph_input_add_message(input, sends ? PH_COMM_SEND : PH_COMM_RECEIVE, &frame,
								input->frames.count, index);
}

/*
 * The commonest calls as a whole, without a frame: those in which nothing happens, a receive is
 * posted, a run of sends goes on, or which are one blocking send or receive. Others are left to the
 * walk: then *done is false.
 */
static PhStatus
take_short_call(PhLogicalInput *input, ChunkWalk *walk, PhEvent *event, bool *done)
{
	const uint8_t *kinds = walk->kinds + walk->at;
	uint32_t left = walk->n - walk->at;
	unsigned special =
		PH_REGION_WAITALL | PH_REGION_FUNCTION | PH_REGION_ISEND | PH_REGION_COLLECTIVE;
	*done = false;
	if (input->options.compat || left < 3 || *walk->region >= input->trace->n_regions)
		return PH_OK;
	unsigned flags = input->region_flags[*walk->region];
	if ((flags & special) == 0 && kinds[1] == PH_EVENT_LEAVE)
		walk->at += 2;
	else if (kinds[2] != PH_EVENT_LEAVE)
		return PH_OK;
	else if ((flags & special) == 0 && kinds[1] == PH_EVENT_IRECV_REQUEST)
	{
		input->time = walk->times[walk->at + 1];
		PH_TRY(post_receive(input, *walk->messages.request++));
		walk->at += 3;
	}
	else if ((kinds[1] == PH_EVENT_SEND || kinds[1] == PH_EVENT_RECV) &&
			 (flags & (special | PH_REGION_MPI)) == PH_REGION_MPI &&
			 input->options.counter == PH_NONE)
	{
		input->time = walk->times[walk->at + 1];
		PH_TRY(take_message_call(input, walk, event));
		walk->at += 3;
	}
	else if (kinds[1] == PH_EVENT_ISEND && input->in_run && input->options.counter == PH_NONE &&
			 (flags & (PH_REGION_MPI | PH_REGION_FUNCTION | PH_REGION_COLLECTIVE)) == PH_REGION_MPI)
	{
		input->time = walk->times[walk->at + 1];
		take_operands(&walk->messages, ph_event_operands(PH_EVENT_ISEND), event);
		PH_TRY(extend_run(input, event, walk->times[walk->at + 2]));
		walk->at += 3;
		input->in_run = true;
		*done = true;
	}
	else
		return PH_OK;
	input->in_run = input->in_run && *done;
	input->time = walk->times[walk->at - 1];
	walk->region++;
	*done = true;
	return PH_OK;
}

static PhStatus
take_record(PhLogicalInput *input, ChunkWalk *walk, PhEvent *event)
{
	uint32_t at = walk->at++, kind = walk->kinds[at];
	input->time = walk->times[at];
	if (kind == PH_EVENT_ENTER)
		return ph_input_enter_call(input, *walk->region++);
	if (kind == PH_EVENT_LEAVE)
		return ph_logical_leave_call(input);
	event->kind = (PhEventKind) kind;
	if (kind <= PH_EVENT_NB_COLLECTIVE_COMPLETE)
	{
		take_operands(&walk->messages, ph_event_operands(kind), event);
		return add_record(input, event);
	}
	if (input->has_windows || input->options.counter != PH_NONE)
		return take_extra(input, &walk->extras, event);
	return PH_OK;
}

PhStatus
ph_logical_input_chunk(PhLogicalInput *input, const PhChunkReader *reader)
{
	PhEvent event = {.peer = PH_NONE, .comm = PH_NONE, .root = PH_NONE};
	ChunkWalk walk = {.kinds = ph_chunk_kinds(reader),
					  .times = ph_chunk_times(reader),
					  .region = ph_chunk_enter_regions(reader),
					  .messages = *ph_chunk_messages(reader),
					  .n = ph_chunk_n_events(reader)};
	PH_TRY(check_open(input));
	if (input->has_windows || input->options.counter != PH_NONE)
		walk.extras = *ph_chunk_extras(reader);
	while (walk.at < walk.n)
	{
		bool done = false;
		PH_TRY(ph_env_poll(input->env));
		if (walk.kinds[walk.at] == PH_EVENT_ENTER)
			PH_TRY(take_short_call(input, &walk, &event, &done));
		if (!done)
			PH_TRY(take_record(input, &walk, &event));
	}
	return PH_OK;
}
