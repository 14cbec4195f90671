/*
 * windows.c - see windows.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/windows.h"

#define EXCLUSIVE 0 /* OTF2's numbers of types of locks */

bool
ph_trace_is_window(const PhTraceModel *model, uint32_t comm)
{
	if (comm >= model->n_communicators || model->communicators[comm].is_mpi)
		return false;
	uint32_t parent = model->communicators[comm].parent;
	return parent < model->n_communicators && model->communicators[parent].is_mpi;
}

bool
ph_trace_has_windows(const PhTraceModel *model)
{
	for (uint32_t i = 0; i < model->n_communicators; i++)
		if (ph_trace_is_window(model, i))
			return true;
	return false;
}

static uint64_t
value_at(const PhEvent *record, uint32_t index, uint64_t otherwise)
{
	return index < record->n_values ? record->values[index] : otherwise;
}

/* What else creates or ends something is a window's. */
static uint32_t
operation_of(PhMpiCall call, uint64_t recorded)
{
	if ((call.does & PH_MPI_COLLECTIVE) != 0 && ph_collective_is_of_window(call.operation))
		return call.operation;
	switch (recorded)
	{
		case PH_COLLECTIVE_CREATE_HANDLE:
		case PH_COLLECTIVE_ALLOCATE:
		case PH_COLLECTIVE_CREATE_HANDLE_AND_ALLOCATE:
			return PH_COLLECTIVE_CREATE_WINDOW;
		case PH_COLLECTIVE_DESTROY_HANDLE:
		case PH_COLLECTIVE_DEALLOCATE:
		case PH_COLLECTIVE_DESTROY_HANDLE_AND_DEALLOCATE:
			return PH_COLLECTIVE_FREE_WINDOW;
		default:
			return recorded < PH_COLLECTIVE_CREATE_HANDLE ? (uint32_t) recorded
														  : PH_COLLECTIVE_CREATE_HANDLE;
	}
}

/* The record has the root's rank in the window. */
static uint32_t
root_of(const PhTraceModel *model, const PhEvent *record)
{
	uint64_t root = value_at(record, 2, PH_NONE);
	if (record->comm >= model->n_communicators ||
		root >= model->communicators[record->comm].n_members)
		return PH_NONE;
	return model->communicators[record->comm].members[root];
}

bool
ph_window_collective(const PhTraceModel *model, PhMpiCall call, const PhEvent *record, PhEvent *out)
{
	bool begins = record->operation == PH_RECORD_RMA_COLLECTIVE_BEGIN;
	if (record->kind != PH_EVENT_RMA ||
		(!begins && record->operation != PH_RECORD_RMA_COLLECTIVE_END))
		return false;
	*out = *record;
	out->kind = begins ? PH_EVENT_COLLECTIVE_BEGIN : PH_EVENT_COLLECTIVE_END;
	if (begins)
		return true;
	out->operation = operation_of(call, value_at(record, 0, UINT64_MAX));
	out->root = root_of(model, record);
	out->bytes_received = value_at(record, 3, 0);
	return true;
}

bool
ph_window_lock(const PhEvent *record, uint64_t seq, const PhOpenCall *call, PhWindowLock *out)
{
	bool is_acquired = record->operation == PH_RECORD_RMA_ACQUIRE_LOCK;
	if (record->kind != PH_EVENT_RMA ||
		(!is_acquired && record->operation != PH_RECORD_RMA_RELEASE_LOCK))
		return false;
	*out = (PhWindowLock){.since = call == NULL ? record->time : call->enter,
						  .time = record->time,
						  .seq = call == NULL ? seq : call->seq,
						  .id = value_at(record, 0, 0),
						  .region = call == NULL ? PH_NONE : call->region,
						  .window = record->comm,
						  .target = record->peer,
						  .is_acquired = is_acquired,
						  .is_exclusive = value_at(record, 1, EXCLUSIVE) == EXCLUSIVE};
	return true;
}

const PhTraceCommunicator *
ph_window_group(const PhTraceModel *model, const PhEvent *record)
{
	uint64_t group = value_at(record, 2, UINT64_MAX);
	return group < model->n_communicators ? &model->communicators[group] : NULL;
}
