/*
 * export_otf2_records.c - see export_otf2_records.h: the reverse of readers/otf2/records.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_otf2_records.h"

#include <stdlib.h>
#include <string.h>

#include "system/memory.h"

#define VALUES_MAX 4 /* of a record that is no metric */

/* A record of these operands: v are its values, 0 where an event lacks some. */
#define RECORD(name, Record, ...)                                                                  \
	static OTF2_ErrorCode name(OTF2_EvtWriter *out, const PhOtf2OutEvent *e, const uint64_t *v)    \
	{                                                                                              \
		(void) v;                                                                                  \
		return OTF2_EvtWriter_##Record(out, NULL, __VA_ARGS__);                                    \
	}

/* ---- messages and collectives ---- */

RECORD(write_mpi_send, MpiSend, e->time, e->peer, e->comm, e->tag, e->bytes)
RECORD(write_mpi_recv, MpiRecv, e->time, e->peer, e->comm, e->tag, e->bytes)
RECORD(write_mpi_isend, MpiIsend, e->time, e->peer, e->comm, e->tag, e->bytes, e->request)
RECORD(write_mpi_irecv, MpiIrecv, e->time, e->peer, e->comm, e->tag, e->bytes, e->request)
RECORD(write_mpi_isend_complete, MpiIsendComplete, e->time, e->request)
RECORD(write_mpi_irecv_request, MpiIrecvRequest, e->time, e->request)
RECORD(write_mpi_request_test, MpiRequestTest, e->time, e->request)
RECORD(write_mpi_request_cancelled, MpiRequestCancelled, e->time, e->request)
RECORD(write_non_blocking_collective_request, NonBlockingCollectiveRequest, e->time, e->request)
RECORD(write_mpi_collective_begin, MpiCollectiveBegin, e->time)
RECORD(write_mpi_collective_end, MpiCollectiveEnd, e->time, (OTF2_CollectiveOp) e->operation,
	   e->comm, e->root, e->bytes, e->received)
RECORD(write_non_blocking_collective_complete, NonBlockingCollectiveComplete, e->time,
	   (OTF2_CollectiveOp) e->operation, e->comm, e->root, e->bytes, e->received, e->request)
RECORD(write_measurement_on_off, MeasurementOnOff, e->time, (OTF2_MeasurementMode) e->operation)

/* ---- remote memory access ---- */

RECORD(write_rma_win_create, RmaWinCreate, e->time, e->comm)
RECORD(write_rma_win_destroy, RmaWinDestroy, e->time, e->comm)
RECORD(write_rma_wait_change, RmaWaitChange, e->time, e->comm)
RECORD(write_rma_collective_begin, RmaCollectiveBegin, e->time)
RECORD(write_rma_collective_end, RmaCollectiveEnd, e->time, (OTF2_CollectiveOp) v[0],
	   (OTF2_RmaSyncLevel) v[1], e->comm, (uint32_t) v[2], e->bytes, v[3])
RECORD(write_rma_group_sync, RmaGroupSync, e->time, (OTF2_RmaSyncLevel) v[0], e->comm,
	   (OTF2_GroupRef) v[1])
RECORD(write_rma_request_lock, RmaRequestLock, e->time, e->comm, e->peer, v[0],
	   (OTF2_LockType) v[1])
RECORD(write_rma_acquire_lock, RmaAcquireLock, e->time, e->comm, e->peer, v[0],
	   (OTF2_LockType) v[1])
RECORD(write_rma_try_lock, RmaTryLock, e->time, e->comm, e->peer, v[0], (OTF2_LockType) v[1])
RECORD(write_rma_release_lock, RmaReleaseLock, e->time, e->comm, e->peer, v[0])
RECORD(write_rma_sync, RmaSync, e->time, e->comm, e->peer, (OTF2_RmaSyncType) v[0])
RECORD(write_rma_put, RmaPut, e->time, e->comm, e->peer, e->bytes, e->request)
RECORD(write_rma_get, RmaGet, e->time, e->comm, e->peer, e->bytes, e->request)
RECORD(write_rma_atomic, RmaAtomic, e->time, e->comm, e->peer, (OTF2_RmaAtomicType) v[0], e->bytes,
	   v[1], e->request)
RECORD(write_rma_op_complete_blocking, RmaOpCompleteBlocking, e->time, e->comm, e->request)
RECORD(write_rma_op_complete_non_blocking, RmaOpCompleteNonBlocking, e->time, e->comm, e->request)
RECORD(write_rma_op_test, RmaOpTest, e->time, e->comm, e->request)
RECORD(write_rma_op_complete_remote, RmaOpCompleteRemote, e->time, e->comm, e->request)
/* ---- OpenMP: OTF2 deprecates these, but has archives with them ---- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
RECORD(write_omp_fork, OmpFork, e->time, (uint32_t) v[0])
RECORD(write_omp_join, OmpJoin, e->time)
RECORD(write_omp_acquire_lock, OmpAcquireLock, e->time, (uint32_t) v[0], (uint32_t) v[1])
RECORD(write_omp_release_lock, OmpReleaseLock, e->time, (uint32_t) v[0], (uint32_t) v[1])
RECORD(write_omp_task_create, OmpTaskCreate, e->time, v[0])
RECORD(write_omp_task_switch, OmpTaskSwitch, e->time, v[0])
RECORD(write_omp_task_complete, OmpTaskComplete, e->time, v[0])
#pragma GCC diagnostic pop

/* ---- threads ---- */

RECORD(write_thread_fork, ThreadFork, e->time, (OTF2_Paradigm) v[0], (uint32_t) v[1])
RECORD(write_thread_join, ThreadJoin, e->time, (OTF2_Paradigm) v[0])
RECORD(write_thread_acquire_lock, ThreadAcquireLock, e->time, (OTF2_Paradigm) v[0], (uint32_t) v[1],
	   (uint32_t) v[2])
RECORD(write_thread_release_lock, ThreadReleaseLock, e->time, (OTF2_Paradigm) v[0], (uint32_t) v[1],
	   (uint32_t) v[2])
RECORD(write_thread_team_begin, ThreadTeamBegin, e->time, (uint32_t) v[0])
RECORD(write_thread_team_end, ThreadTeamEnd, e->time, (uint32_t) v[0])
RECORD(write_thread_task_create, ThreadTaskCreate, e->time, (uint32_t) v[0], (uint32_t) v[1],
	   (uint32_t) v[2])
RECORD(write_thread_task_switch, ThreadTaskSwitch, e->time, (uint32_t) v[0], (uint32_t) v[1],
	   (uint32_t) v[2])
RECORD(write_thread_task_complete, ThreadTaskComplete, e->time, (uint32_t) v[0], (uint32_t) v[1],
	   (uint32_t) v[2])
RECORD(write_thread_create, ThreadCreate, e->time, (uint32_t) v[0], v[1])
RECORD(write_thread_begin, ThreadBegin, e->time, (uint32_t) v[0], v[1])
RECORD(write_thread_wait, ThreadWait, e->time, (uint32_t) v[0], v[1])
RECORD(write_thread_end, ThreadEnd, e->time, (uint32_t) v[0], v[1])

/* ---- I/O ---- */

RECORD(write_io_create_handle, IoCreateHandle, e->time, (uint32_t) v[0], (OTF2_IoAccessMode) v[1],
	   (OTF2_IoCreationFlag) v[2], (OTF2_IoStatusFlag) v[3])
RECORD(write_io_destroy_handle, IoDestroyHandle, e->time, (uint32_t) v[0])
RECORD(write_io_duplicate_handle, IoDuplicateHandle, e->time, (uint32_t) v[0], (uint32_t) v[1],
	   (OTF2_IoStatusFlag) v[2])
RECORD(write_io_seek, IoSeek, e->time, (uint32_t) v[0], (int64_t) v[1], (OTF2_IoSeekOption) v[2],
	   v[3])
RECORD(write_io_change_status_flags, IoChangeStatusFlags, e->time, (uint32_t) v[0],
	   (OTF2_IoStatusFlag) v[1])
RECORD(write_io_delete_file, IoDeleteFile, e->time, (OTF2_IoParadigmRef) v[0], (uint32_t) v[1])
RECORD(write_io_operation_begin, IoOperationBegin, e->time, (uint32_t) v[0],
	   (OTF2_IoOperationMode) v[1], (OTF2_IoOperationFlag) v[2], e->bytes, e->request)
RECORD(write_io_operation_test, IoOperationTest, e->time, (uint32_t) v[0], e->request)
RECORD(write_io_operation_issued, IoOperationIssued, e->time, (uint32_t) v[0], e->request)
RECORD(write_io_operation_cancelled, IoOperationCancelled, e->time, (uint32_t) v[0], e->request)
RECORD(write_io_operation_complete, IoOperationComplete, e->time, (uint32_t) v[0], e->bytes,
	   e->request)
RECORD(write_io_acquire_lock, IoAcquireLock, e->time, (uint32_t) v[0], (OTF2_LockType) v[1])
RECORD(write_io_release_lock, IoReleaseLock, e->time, (uint32_t) v[0], (OTF2_LockType) v[1])
RECORD(write_io_try_lock, IoTryLock, e->time, (uint32_t) v[0], (OTF2_LockType) v[1])

/* ---- the rest ---- */

RECORD(write_buffer_flush, BufferFlush, e->time, e->time + v[0])
RECORD(write_program_end, ProgramEnd, e->time, (int64_t) v[0])
RECORD(write_comm_create, CommCreate, e->time, (uint32_t) v[0])
RECORD(write_comm_destroy, CommDestroy, e->time, (uint32_t) v[0])
RECORD(write_calling_context_enter, CallingContextEnter, e->time, (uint32_t) v[0], (uint32_t) v[1])
RECORD(write_calling_context_leave, CallingContextLeave, e->time, (uint32_t) v[0])
RECORD(write_calling_context_sample, CallingContextSample, e->time, (uint32_t) v[0],
	   (uint32_t) v[1], (uint32_t) v[2])

/* Arguments that are not kept, as 0.1.0 did, are string 0. */
static OTF2_ErrorCode
write_program_begin(OTF2_EvtWriter *out, const PhOtf2OutEvent *e, const uint64_t *v)
{
	uint32_t n = v[1] <= UINT16_MAX ? (uint32_t) v[1] : UINT16_MAX;
	OTF2_StringRef *arguments = ph_must_alloc((size_t) n + 1, sizeof(*arguments));
	OTF2_ErrorCode code;

	for (uint32_t i = 0; i < n && i + 2 < e->n_values; i++)
		arguments[i] = (OTF2_StringRef) e->values[i + 2];
	code = OTF2_EvtWriter_ProgramBegin(out, NULL, e->time, (OTF2_StringRef) v[0], n, arguments);
	free(arguments);
	return code;
}

static OTF2_ErrorCode
write_metric(OTF2_EvtWriter *out, const PhOtf2OutEvent *e, const uint64_t *v)
{
	OTF2_MetricValue values[UINT8_MAX];
	uint8_t n = e->n_values < UINT8_MAX ? (uint8_t) e->n_values : UINT8_MAX;

	(void) v;
	for (uint32_t i = 0; i < n; i++)
		values[i].unsigned_int = e->values[i];
	return OTF2_EvtWriter_Metric(out, NULL, e->time, e->operation, n, e->types, values);
}

static OTF2_ErrorCode
write_parameter(OTF2_EvtWriter *out, const PhOtf2OutEvent *e, const uint64_t *v)
{
	switch (e->types[0])
	{
		case OTF2_TYPE_STRING:
			return OTF2_EvtWriter_ParameterString(out, NULL, e->time, e->operation,
												  (OTF2_StringRef) v[0]);
		case OTF2_TYPE_INT64:
			return OTF2_EvtWriter_ParameterInt(out, NULL, e->time, e->operation, (int64_t) v[0]);
		default:
			return OTF2_EvtWriter_ParameterUnsignedInt(out, NULL, e->time, e->operation, v[0]);
	}
}

static const struct
{
	const char *kind;
	OTF2_ErrorCode (*write)(OTF2_EvtWriter *out, const PhOtf2OutEvent *e, const uint64_t *v);
} records[] = {
	{"MPI_SEND", write_mpi_send},
	{"MPI_RECV", write_mpi_recv},
	{"MPI_ISEND", write_mpi_isend},
	{"MPI_IRECV", write_mpi_irecv},
	{"MPI_ISEND_COMPLETE", write_mpi_isend_complete},
	{"MPI_IRECV_REQUEST", write_mpi_irecv_request},
	{"MPI_REQUEST_TEST", write_mpi_request_test},
	{"MPI_REQUEST_CANCELLED", write_mpi_request_cancelled},
	{"NON_BLOCKING_COLLECTIVE_REQUEST", write_non_blocking_collective_request},
	{"MPI_COLLECTIVE_BEGIN", write_mpi_collective_begin},
	{"MPI_COLLECTIVE_END", write_mpi_collective_end},
	{"NON_BLOCKING_COLLECTIVE_COMPLETE", write_non_blocking_collective_complete},
	{"MEASUREMENT_ON_OFF", write_measurement_on_off},
	{"RMA_WIN_CREATE", write_rma_win_create},
	{"RMA_WIN_DESTROY", write_rma_win_destroy},
	{"RMA_WAIT_CHANGE", write_rma_wait_change},
	{"RMA_COLLECTIVE_BEGIN", write_rma_collective_begin},
	{"RMA_COLLECTIVE_END", write_rma_collective_end},
	{"RMA_GROUP_SYNC", write_rma_group_sync},
	{"RMA_REQUEST_LOCK", write_rma_request_lock},
	{"RMA_ACQUIRE_LOCK", write_rma_acquire_lock},
	{"RMA_TRY_LOCK", write_rma_try_lock},
	{"RMA_RELEASE_LOCK", write_rma_release_lock},
	{"RMA_SYNC", write_rma_sync},
	{"RMA_PUT", write_rma_put},
	{"RMA_GET", write_rma_get},
	{"RMA_ATOMIC", write_rma_atomic},
	{"RMA_OP_COMPLETE_BLOCKING", write_rma_op_complete_blocking},
	{"RMA_OP_COMPLETE_NON_BLOCKING", write_rma_op_complete_non_blocking},
	{"RMA_OP_TEST", write_rma_op_test},
	{"RMA_OP_COMPLETE_REMOTE", write_rma_op_complete_remote},
	{"OMP_FORK", write_omp_fork},
	{"OMP_JOIN", write_omp_join},
	{"OMP_ACQUIRE_LOCK", write_omp_acquire_lock},
	{"OMP_RELEASE_LOCK", write_omp_release_lock},
	{"OMP_TASK_CREATE", write_omp_task_create},
	{"OMP_TASK_SWITCH", write_omp_task_switch},
	{"OMP_TASK_COMPLETE", write_omp_task_complete},
	{"THREAD_FORK", write_thread_fork},
	{"THREAD_JOIN", write_thread_join},
	{"THREAD_ACQUIRE_LOCK", write_thread_acquire_lock},
	{"THREAD_RELEASE_LOCK", write_thread_release_lock},
	{"THREAD_TEAM_BEGIN", write_thread_team_begin},
	{"THREAD_TEAM_END", write_thread_team_end},
	{"THREAD_TASK_CREATE", write_thread_task_create},
	{"THREAD_TASK_SWITCH", write_thread_task_switch},
	{"THREAD_TASK_COMPLETE", write_thread_task_complete},
	{"THREAD_CREATE", write_thread_create},
	{"THREAD_BEGIN", write_thread_begin},
	{"THREAD_WAIT", write_thread_wait},
	{"THREAD_END", write_thread_end},
	{"IO_CREATE_HANDLE", write_io_create_handle},
	{"IO_DESTROY_HANDLE", write_io_destroy_handle},
	{"IO_DUPLICATE_HANDLE", write_io_duplicate_handle},
	{"IO_SEEK", write_io_seek},
	{"IO_CHANGE_FLAGS", write_io_change_status_flags},
	{"IO_DELETE_FILE", write_io_delete_file},
	{"IO_OPERATION_BEGIN", write_io_operation_begin},
	{"IO_OPERATION_TEST", write_io_operation_test},
	{"IO_OPERATION_ISSUED", write_io_operation_issued},
	{"IO_OPERATION_CANCELLED", write_io_operation_cancelled},
	{"IO_OPERATION_COMPLETE", write_io_operation_complete},
	{"IO_ACQUIRE_LOCK", write_io_acquire_lock},
	{"IO_RELEASE_LOCK", write_io_release_lock},
	{"IO_TRY_LOCK", write_io_try_lock},
	{"BUFFER_FLUSH", write_buffer_flush},
	{"PROGRAM_END", write_program_end},
	{"COMM_CREATE", write_comm_create},
	{"COMM_DESTROY", write_comm_destroy},
	{"CALLING_CONTEXT_ENTER", write_calling_context_enter},
	{"CALLING_CONTEXT_LEAVE", write_calling_context_leave},
	{"CALLING_CONTEXT_SAMPLE", write_calling_context_sample},
	{"PROGRAM_BEGIN", write_program_begin},
	{"METRIC", write_metric},
	{"PARAMETER", write_parameter},
};

/* ---- what a record refers to ---- */

static int
compare_texts(const void *x, const void *y)
{
	const PhOtf2Text *a = x;
	const PhOtf2Text *b = y;

	return (a->number > b->number) - (a->number < b->number);
}

const PhOtf2Text *
ph_otf2_find_text(const PhOtf2References *references, uint32_t number)
{
	PhOtf2Text key = {.number = number};

	if (references->n_texts == 0)
		return NULL;
	return bsearch(&key, references->texts, references->n_texts, sizeof(key), compare_texts);
}

static void
need_string(PhOtf2References *references, uint32_t string)
{
	size_t n = references->n_strings;

	if (ph_otf2_find_text(references, string) != NULL)
		return;
	for (size_t i = 0; i < n; i++)
	{
		if (references->strings[i] == string)
			return;
	}
	references->strings = ph_must_resize(references->strings, n + 1, sizeof(string));
	references->strings[references->n_strings++] = string;
}

/* One more than a number, when that is greater than n. */
static void
reach(uint32_t *n, uint64_t number)
{
	if (number < UINT32_MAX - 1 && number >= *n)
		*n = (uint32_t) number + 1;
}

static void
note_references(PhOtf2References *references, const PhOtf2OutEvent *event, const uint64_t *v)
{
	const char *kind = event->kind;

	if (strcmp(kind, "PARAMETER") == 0)
	{
		reach(&references->n_parameters, event->operation);
		if (event->types[0] == OTF2_TYPE_STRING)
			need_string(references, (uint32_t) v[0]);
	}
	else if (strncmp(kind, "CALLING_CONTEXT_", 16) == 0)
		reach(&references->n_contexts, v[0]);
	else if (strcmp(kind, "PROGRAM_BEGIN") == 0)
	{
		for (uint32_t i = 0; i < event->n_values; i++)
		{
			if (i != 1)
				need_string(references, (uint32_t) event->values[i]);
		}
	}
}

bool
ph_otf2_export_record(OTF2_EvtWriter *out, const PhOtf2OutEvent *event,
					  PhOtf2References *references, OTF2_ErrorCode *code)
{
	uint64_t v[VALUES_MAX] = {0};

	for (uint32_t i = 0; i < event->n_values && i < VALUES_MAX; i++)
		v[i] = event->values[i];
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
	{
		if (strcmp(records[i].kind, event->kind) != 0)
			continue;
		note_references(references, event, v);
		*code = records[i].write(out, event, v);
		return true;
	}
	return false;
}
