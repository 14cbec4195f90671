/*
 * records.c - libotf2's callbacks for all other records: RMA, threads, I/O, program, unknown.
 *
 * Each is kept with its number (PhOtherRecord) and its operands as values, in the order in which
 * OTF2 defines them; communicators and windows are positions in the model, ranks are world ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/events.h"

#include <string.h>

#include "readers/otf2/words.h"

/* A record without operands of its own beside values. */
static OTF2_CallbackCode
write_record(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
			 const OTF2_AttributeList *attributes, PhEventKind kind, PhOtherRecord record,
			 const uint64_t *values, uint32_t n)
{
	PhEvent event = {.kind = kind,
					 .region = PH_NONE,
					 .peer = PH_NONE,
					 .comm = PH_NONE,
					 .root = PH_NONE,
					 .operation = record,
					 .values = values,
					 .n_values = n};

	return ph_otf2_write(cursor, time, position, attributes, &event);
}

/* The last statement of a callback: its record with these values. */
#define WRITE(kind, record, ...)                                                                   \
	do                                                                                             \
	{                                                                                              \
		const uint64_t values[] = {__VA_ARGS__};                                                   \
		(void) location;                                                                           \
		return write_record(user, time, position, attributes, kind, record, values,                \
							sizeof(values) / sizeof(values[0]));                                   \
	} while (0)

#define WRITE_EMPTY(kind, record)                                                                  \
	do                                                                                             \
	{                                                                                              \
		(void) location;                                                                           \
		return write_record(user, time, position, attributes, kind, record, NULL, 0);              \
	} while (0)

/* ---- remote memory access ---- */

typedef struct Rma
{
	PhOtherRecord record;
	OTF2_RmaWinRef window;
	uint32_t remote; /* rank in the window's communicator, or NOBODY */
	uint64_t bytes, request;
	uint64_t values[6];
	uint32_t n_values;
} Rma;

static OTF2_CallbackCode
write_rma(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
		  const OTF2_AttributeList *attributes, const Rma *rma)
{
	const PhOtf2Archive *archive = cursor->archive;
	uint32_t window = ph_otf2_find(&archive->window_ids, rma->window);
	PhEvent event = {.kind = PH_EVENT_RMA,
					 .region = PH_NONE,
					 .peer = PH_NONE,
					 .root = PH_NONE,
					 .operation = rma->record,
					 .bytes = rma->bytes,
					 .request = rma->request,
					 .values = rma->values,
					 .n_values = rma->n_values};

	if (window == PH_NONE)
		return ph_otf2_undefined(cursor, position, "window", rma->window);
	event.comm = archive->first_window + window;
	if (rma->remote != OTF2_UNDEFINED_UINT32)
		event.peer = ph_otf2_world_rank(cursor, event.comm, rma->remote);
	return ph_otf2_write(cursor, time, position, attributes, &event);
}

#define NOBODY OTF2_UNDEFINED_UINT32

/* The last statement of a callback: a Rma with this record, rank and further members. */
#define WRITE_RMA(number, rank, ...)                                                               \
	do                                                                                             \
	{                                                                                              \
		const Rma rma = {.record = number, .remote = rank, __VA_ARGS__};                           \
		(void) location;                                                                           \
		return write_rma(user, time, position, attributes, &rma);                                  \
	} while (0)

/* A window and nothing else. */
#define ON_RMA_WINDOW(name, record)                                                                \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_RmaWinRef window)                           \
	{                                                                                              \
		WRITE_RMA(record, NOBODY, .window = window);                                               \
	}

ON_RMA_WINDOW(on_rma_win_create, PH_RECORD_RMA_WIN_CREATE)
ON_RMA_WINDOW(on_rma_win_destroy, PH_RECORD_RMA_WIN_DESTROY)
ON_RMA_WINDOW(on_rma_wait_change, PH_RECORD_RMA_WAIT_CHANGE)

static OTF2_CallbackCode
on_rma_collective_begin(PH_OTF2_RECORD)
{
	WRITE_EMPTY(PH_EVENT_RMA, PH_RECORD_RMA_COLLECTIVE_BEGIN);
}

static OTF2_CallbackCode
on_rma_collective_end(PH_OTF2_RECORD, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
					  OTF2_RmaWinRef window, uint32_t root, uint64_t sent, uint64_t received)
{
	WRITE_RMA(PH_RECORD_RMA_COLLECTIVE_END, NOBODY, .window = window, .bytes = sent,
			  .values = {operation, level, root, received}, .n_values = 4);
}

static OTF2_CallbackCode
on_rma_group_sync(PH_OTF2_RECORD, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
				  OTF2_GroupRef group)
{
	const PhOtf2Cursor *cursor = user;
	uint32_t at = ph_otf2_find(&cursor->archive->group_ids, group);
	uint32_t members = at == PH_NONE ? PH_NONE : cursor->archive->group_comms[at];

	WRITE_RMA(PH_RECORD_RMA_GROUP_SYNC, NOBODY, .window = window, .values = {level, group, members},
			  .n_values = members == PH_NONE ? 2 : 3);
}

/* A lock of a rank and its type. */
#define ON_RMA_LOCK(name, record)                                                                  \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote,          \
								  uint64_t lock, OTF2_LockType type)                               \
	{                                                                                              \
		WRITE_RMA(record, remote, .window = window, .values = {lock, type}, .n_values = 2);        \
	}

ON_RMA_LOCK(on_rma_request_lock, PH_RECORD_RMA_REQUEST_LOCK)
ON_RMA_LOCK(on_rma_acquire_lock, PH_RECORD_RMA_ACQUIRE_LOCK)
ON_RMA_LOCK(on_rma_try_lock, PH_RECORD_RMA_TRY_LOCK)

static OTF2_CallbackCode
on_rma_release_lock(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock)
{
	WRITE_RMA(PH_RECORD_RMA_RELEASE_LOCK, remote, .window = window, .values = {lock},
			  .n_values = 1);
}

static OTF2_CallbackCode
on_rma_sync(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaSyncType type)
{
	WRITE_RMA(PH_RECORD_RMA_SYNC, remote, .window = window, .values = {type}, .n_values = 1);
}

/* Bytes to or from a rank. */
#define ON_RMA_TRANSFER(name, record)                                                              \
	OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, \
						   uint64_t matching)                                                      \
	{                                                                                              \
		WRITE_RMA(record, remote, .window = window, .bytes = bytes, .request = matching);          \
	}

ON_RMA_TRANSFER(ph_otf2_on_rma_put, PH_RECORD_RMA_PUT)
ON_RMA_TRANSFER(ph_otf2_on_rma_get, PH_RECORD_RMA_GET)

static OTF2_CallbackCode
on_rma_atomic(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type,
			  uint64_t sent, uint64_t received, uint64_t matching)
{
	WRITE_RMA(PH_RECORD_RMA_ATOMIC, remote, .window = window, .bytes = sent, .request = matching,
			  .values = {type, received}, .n_values = 2);
}

/* What became of the operation with this number. */
#define ON_RMA_COMPLETION(name, record)                                                            \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint64_t matching)        \
	{                                                                                              \
		WRITE_RMA(record, NOBODY, .window = window, .request = matching);                          \
	}

ON_RMA_COMPLETION(on_rma_op_complete_non_blocking, PH_RECORD_RMA_OP_COMPLETE_NON_BLOCKING)
ON_RMA_COMPLETION(on_rma_op_test, PH_RECORD_RMA_OP_TEST)
ON_RMA_COMPLETION(on_rma_op_complete_remote, PH_RECORD_RMA_OP_COMPLETE_REMOTE)

OTF2_CallbackCode
ph_otf2_on_rma_complete(PH_OTF2_RECORD, OTF2_RmaWinRef window, uint64_t matching)
{
	WRITE_RMA(PH_RECORD_RMA_OP_COMPLETE_BLOCKING, NOBODY, .window = window, .request = matching);
}

/* ---- threads ---- */

static OTF2_CallbackCode
on_omp_fork(PH_OTF2_RECORD, uint32_t n_threads)
{
	WRITE(PH_EVENT_THREAD, PH_RECORD_OMP_FORK, n_threads);
}

static OTF2_CallbackCode
on_omp_join(PH_OTF2_RECORD)
{
	WRITE_EMPTY(PH_EVENT_THREAD, PH_RECORD_OMP_JOIN);
}

/* A lock and how often it was taken before. */
#define ON_OMP_LOCK(name, record)                                                                  \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, uint32_t lock, uint32_t order)                   \
	{                                                                                              \
		WRITE(PH_EVENT_THREAD, record, lock, order);                                               \
	}

ON_OMP_LOCK(on_omp_acquire_lock, PH_RECORD_OMP_ACQUIRE_LOCK)
ON_OMP_LOCK(on_omp_release_lock, PH_RECORD_OMP_RELEASE_LOCK)

/* A task. */
#define ON_OMP_TASK(name, record)                                                                  \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, uint64_t task)                                   \
	{                                                                                              \
		WRITE(PH_EVENT_THREAD, record, task);                                                      \
	}

ON_OMP_TASK(on_omp_task_create, PH_RECORD_OMP_TASK_CREATE)
ON_OMP_TASK(on_omp_task_switch, PH_RECORD_OMP_TASK_SWITCH)
ON_OMP_TASK(on_omp_task_complete, PH_RECORD_OMP_TASK_COMPLETE)

static OTF2_CallbackCode
on_thread_fork(PH_OTF2_RECORD, OTF2_Paradigm model, uint32_t n_threads)
{
	WRITE(PH_EVENT_THREAD, PH_RECORD_THREAD_FORK, model, n_threads);
}

static OTF2_CallbackCode
on_thread_join(PH_OTF2_RECORD, OTF2_Paradigm model)
{
	WRITE(PH_EVENT_THREAD, PH_RECORD_THREAD_JOIN, model);
}

/* The same of any threading model. */
#define ON_THREAD_LOCK(name, record)                                                               \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_Paradigm model, uint32_t lock,              \
								  uint32_t order)                                                  \
	{                                                                                              \
		WRITE(PH_EVENT_THREAD, record, model, lock, order);                                        \
	}

ON_THREAD_LOCK(on_thread_acquire_lock, PH_RECORD_THREAD_ACQUIRE_LOCK)
ON_THREAD_LOCK(on_thread_release_lock, PH_RECORD_THREAD_RELEASE_LOCK)

/* Records of a thread team or contingent: its position, then up to two numbers. */
static OTF2_CallbackCode
write_team(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
		   const OTF2_AttributeList *attributes, PhOtherRecord record, OTF2_CommRef team,
		   const uint64_t *numbers, uint32_t n)
{
	uint64_t values[3] = {ph_otf2_find(&cursor->archive->comm_ids, team)};

	if (values[0] == PH_NONE)
		return ph_otf2_undefined(cursor, position, "thread team", team);
	for (uint32_t i = 0; i < n; i++)
		values[i + 1] = numbers[i];
	return write_record(cursor, time, position, attributes, PH_EVENT_THREAD, record, values, n + 1);
}

#define ON_TEAM(name, record)                                                                      \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_CommRef team)                               \
	{                                                                                              \
		(void) location;                                                                           \
		return write_team(user, time, position, attributes, record, team, NULL, 0);                \
	}

#define ON_TEAM_TASK(name, record)                                                                 \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_CommRef team, uint32_t creator,             \
								  uint32_t generation)                                             \
	{                                                                                              \
		const uint64_t numbers[] = {creator, generation};                                          \
		(void) location;                                                                           \
		return write_team(user, time, position, attributes, record, team, numbers, 2);             \
	}

#define ON_CONTINGENT(name, record)                                                                \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_CommRef team, uint64_t sequence)            \
	{                                                                                              \
		(void) location;                                                                           \
		return write_team(user, time, position, attributes, record, team, &sequence, 1);           \
	}

ON_TEAM(on_thread_team_begin, PH_RECORD_THREAD_TEAM_BEGIN)
ON_TEAM(on_thread_team_end, PH_RECORD_THREAD_TEAM_END)
ON_TEAM_TASK(on_thread_task_create, PH_RECORD_THREAD_TASK_CREATE)
ON_TEAM_TASK(on_thread_task_switch, PH_RECORD_THREAD_TASK_SWITCH)
ON_TEAM_TASK(on_thread_task_complete, PH_RECORD_THREAD_TASK_COMPLETE)
ON_CONTINGENT(on_thread_create, PH_RECORD_THREAD_CREATE)
ON_CONTINGENT(on_thread_begin, PH_RECORD_THREAD_BEGIN)
ON_CONTINGENT(on_thread_wait, PH_RECORD_THREAD_WAIT)
ON_CONTINGENT(on_thread_end, PH_RECORD_THREAD_END)

/* ---- I/O ---- */

static OTF2_CallbackCode
on_io_create_handle(PH_OTF2_RECORD, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
					OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status)
{
	WRITE(PH_EVENT_IO, PH_RECORD_IO_CREATE_HANDLE, handle, mode, creation, status);
}

static OTF2_CallbackCode
on_io_destroy_handle(PH_OTF2_RECORD, OTF2_IoHandleRef handle)
{
	WRITE(PH_EVENT_IO, PH_RECORD_IO_DESTROY_HANDLE, handle);
}

static OTF2_CallbackCode
on_io_duplicate_handle(PH_OTF2_RECORD, OTF2_IoHandleRef old, OTF2_IoHandleRef new,
					   OTF2_IoStatusFlag status)
{
	WRITE(PH_EVENT_IO, PH_RECORD_IO_DUPLICATE_HANDLE, old, new, status);
}

static OTF2_CallbackCode
on_io_seek(PH_OTF2_RECORD, OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence,
		   uint64_t result)
{
	WRITE(PH_EVENT_IO, PH_RECORD_IO_SEEK, handle, (uint64_t) offset, whence, result);
}

static OTF2_CallbackCode
on_io_change_flags(PH_OTF2_RECORD, OTF2_IoHandleRef handle, OTF2_IoStatusFlag status)
{
	WRITE(PH_EVENT_IO, PH_RECORD_IO_CHANGE_FLAGS, handle, status);
}

static OTF2_CallbackCode
on_io_delete_file(PH_OTF2_RECORD, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file)
{
	WRITE(PH_EVENT_IO, PH_RECORD_IO_DELETE_FILE, paradigm, file);
}

/* Operations have bytes and a number that joins begin and end, as messages do. */
static OTF2_CallbackCode
write_io(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
		 const OTF2_AttributeList *attributes, PhOtherRecord record, uint64_t bytes,
		 uint64_t matching, const uint64_t *values, uint32_t n)
{
	PhEvent event = {.kind = PH_EVENT_IO,
					 .region = PH_NONE,
					 .peer = PH_NONE,
					 .comm = PH_NONE,
					 .root = PH_NONE,
					 .operation = record,
					 .bytes = bytes,
					 .request = matching,
					 .values = values,
					 .n_values = n};

	return ph_otf2_write(cursor, time, position, attributes, &event);
}

static OTF2_CallbackCode
on_io_operation_begin(PH_OTF2_RECORD, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
					  OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t matching)
{
	const uint64_t values[] = {handle, mode, flags};

	(void) location;
	return write_io(user, time, position, attributes, PH_RECORD_IO_OPERATION_BEGIN, bytes, matching,
					values, 3);
}

static OTF2_CallbackCode
on_io_operation_complete(PH_OTF2_RECORD, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t matching)
{
	const uint64_t value = handle;

	(void) location;
	return write_io(user, time, position, attributes, PH_RECORD_IO_OPERATION_COMPLETE, bytes,
					matching, &value, 1);
}

#define ON_IO_OPERATION(name, record)                                                              \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_IoHandleRef handle, uint64_t matching)      \
	{                                                                                              \
		const uint64_t value = handle;                                                             \
		(void) location;                                                                           \
		return write_io(user, time, position, attributes, record, 0, matching, &value, 1);         \
	}

ON_IO_OPERATION(on_io_operation_test, PH_RECORD_IO_OPERATION_TEST)
ON_IO_OPERATION(on_io_operation_issued, PH_RECORD_IO_OPERATION_ISSUED)
ON_IO_OPERATION(on_io_operation_cancelled, PH_RECORD_IO_OPERATION_CANCELLED)

/* A lock on a file. */
#define ON_IO_LOCK(name, record)                                                                   \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, OTF2_IoHandleRef handle, OTF2_LockType type)     \
	{                                                                                              \
		WRITE(PH_EVENT_IO, record, handle, type);                                                  \
	}

ON_IO_LOCK(on_io_acquire_lock, PH_RECORD_IO_ACQUIRE_LOCK)
ON_IO_LOCK(on_io_release_lock, PH_RECORD_IO_RELEASE_LOCK)
ON_IO_LOCK(on_io_try_lock, PH_RECORD_IO_TRY_LOCK)

/* ---- the rest ---- */

/* The values is how long the flush took, in ns. */
static OTF2_CallbackCode
on_buffer_flush(PH_OTF2_RECORD, OTF2_TimeStamp stop)
{
	PhOtf2Cursor *cursor = user;
	PhTicks ticks = cursor->ticks;
	int64_t begin = ph_ticks_convert(&ticks, time);
	int64_t end = ph_ticks_convert(&ticks, stop);

	WRITE(PH_EVENT_OTHER, PH_RECORD_BUFFER_FLUSH, end > begin ? (uint64_t) (end - begin) : 0);
}

/* The values are the name, the number of arguments, the arguments: numbers of texts. */
static OTF2_CallbackCode
on_program_begin(PH_OTF2_RECORD, OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments)
{
	PhOtf2Cursor *cursor = user;
	uint64_t values[PH_OTF2_MOST_VALUES] = {name, n};
	uint32_t n_kept = n < PH_OTF2_MOST_VALUES - 2 ? n : PH_OTF2_MOST_VALUES - 2;

	(void) location;
	ph_otf2_use_string(cursor, name);
	for (uint32_t i = 0; i < n_kept; i++)
	{
		values[2 + i] = arguments[i];
		ph_otf2_use_string(cursor, arguments[i]);
	}
	return write_record(cursor, time, position, attributes, PH_EVENT_OTHER, PH_RECORD_PROGRAM_BEGIN,
						values, 2 + n_kept);
}

static OTF2_CallbackCode
on_program_end(PH_OTF2_RECORD, int64_t status)
{
	WRITE(PH_EVENT_OTHER, PH_RECORD_PROGRAM_END, (uint64_t) status);
}

static OTF2_CallbackCode
on_comm_create(PH_OTF2_RECORD, OTF2_CommRef communicator)
{
	PhOtf2Cursor *cursor = user;

	WRITE(PH_EVENT_OTHER, PH_RECORD_COMM_CREATE,
		  ph_otf2_find(&cursor->archive->comm_ids, communicator));
}

static OTF2_CallbackCode
on_comm_destroy(PH_OTF2_RECORD, OTF2_CommRef communicator)
{
	PhOtf2Cursor *cursor = user;

	WRITE(PH_EVENT_OTHER, PH_RECORD_COMM_DESTROY,
		  ph_otf2_find(&cursor->archive->comm_ids, communicator));
}

/* The innermost region of a calling context. */
static uint64_t
context_region(const PhOtf2Cursor *cursor, OTF2_CallingContextRef context)
{
	uint32_t position = ph_otf2_find(&cursor->archive->context_ids, context);

	return position == PH_NONE ? PH_NONE : cursor->archive->context_regions[position];
}

static OTF2_CallbackCode
on_context_enter(PH_OTF2_RECORD, OTF2_CallingContextRef context, uint32_t distance)
{
	WRITE(PH_EVENT_OTHER, PH_RECORD_CALLING_CONTEXT_ENTER, context_region(user, context), distance);
}

static OTF2_CallbackCode
on_context_leave(PH_OTF2_RECORD, OTF2_CallingContextRef context)
{
	WRITE(PH_EVENT_OTHER, PH_RECORD_CALLING_CONTEXT_LEAVE, context_region(user, context));
}

static OTF2_CallbackCode
on_context_sample(PH_OTF2_RECORD, OTF2_CallingContextRef context, uint32_t distance,
				  OTF2_InterruptGeneratorRef generator)
{
	WRITE(PH_EVENT_OTHER, PH_RECORD_CALLING_CONTEXT_SAMPLE, context_region(user, context), distance,
		  generator);
}

static OTF2_CallbackCode
on_unknown(PH_OTF2_RECORD)
{
	PhOtf2Cursor *cursor = user;

	cursor->counts.unknown_records++;
	WRITE_EMPTY(PH_EVENT_OTHER, PH_RECORD_UNKNOWN);
}

/* ---- all of them ---- */

#define SET(record, function) OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, function)

static void
set_rma(OTF2_EvtReaderCallbacks *callbacks)
{
	SET(RmaWinCreate, on_rma_win_create);
	SET(RmaWinDestroy, on_rma_win_destroy);
	SET(RmaCollectiveBegin, on_rma_collective_begin);
	SET(RmaCollectiveEnd, on_rma_collective_end);
	SET(RmaGroupSync, on_rma_group_sync);
	SET(RmaRequestLock, on_rma_request_lock);
	SET(RmaAcquireLock, on_rma_acquire_lock);
	SET(RmaTryLock, on_rma_try_lock);
	SET(RmaReleaseLock, on_rma_release_lock);
	SET(RmaSync, on_rma_sync);
	SET(RmaWaitChange, on_rma_wait_change);
	SET(RmaPut, ph_otf2_on_rma_put);
	SET(RmaGet, ph_otf2_on_rma_get);
	SET(RmaAtomic, on_rma_atomic);
	SET(RmaOpCompleteBlocking, ph_otf2_on_rma_complete);
	SET(RmaOpCompleteNonBlocking, on_rma_op_complete_non_blocking);
	SET(RmaOpTest, on_rma_op_test);
	SET(RmaOpCompleteRemote, on_rma_op_complete_remote);
}

static void
set_threads(OTF2_EvtReaderCallbacks *callbacks)
{
	SET(OmpFork, on_omp_fork);
	SET(OmpJoin, on_omp_join);
	SET(OmpAcquireLock, on_omp_acquire_lock);
	SET(OmpReleaseLock, on_omp_release_lock);
	SET(OmpTaskCreate, on_omp_task_create);
	SET(OmpTaskSwitch, on_omp_task_switch);
	SET(OmpTaskComplete, on_omp_task_complete);
	SET(ThreadFork, on_thread_fork);
	SET(ThreadJoin, on_thread_join);
	SET(ThreadAcquireLock, on_thread_acquire_lock);
	SET(ThreadReleaseLock, on_thread_release_lock);
	SET(ThreadTeamBegin, on_thread_team_begin);
	SET(ThreadTeamEnd, on_thread_team_end);
	SET(ThreadTaskCreate, on_thread_task_create);
	SET(ThreadTaskSwitch, on_thread_task_switch);
	SET(ThreadTaskComplete, on_thread_task_complete);
	SET(ThreadCreate, on_thread_create);
	SET(ThreadBegin, on_thread_begin);
	SET(ThreadWait, on_thread_wait);
	SET(ThreadEnd, on_thread_end);
}

static void
set_io(OTF2_EvtReaderCallbacks *callbacks)
{
	SET(IoCreateHandle, on_io_create_handle);
	SET(IoDestroyHandle, on_io_destroy_handle);
	SET(IoDuplicateHandle, on_io_duplicate_handle);
	SET(IoSeek, on_io_seek);
	SET(IoChangeStatusFlags, on_io_change_flags);
	SET(IoDeleteFile, on_io_delete_file);
	SET(IoOperationBegin, on_io_operation_begin);
	SET(IoOperationTest, on_io_operation_test);
	SET(IoOperationIssued, on_io_operation_issued);
	SET(IoOperationComplete, on_io_operation_complete);
	SET(IoOperationCancelled, on_io_operation_cancelled);
	SET(IoAcquireLock, on_io_acquire_lock);
	SET(IoReleaseLock, on_io_release_lock);
	SET(IoTryLock, on_io_try_lock);
}

void
ph_otf2_set_record_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
	set_rma(callbacks);
	set_threads(callbacks);
	set_io(callbacks);
	SET(BufferFlush, on_buffer_flush);
	SET(ProgramBegin, on_program_begin);
	SET(ProgramEnd, on_program_end);
	SET(CommCreate, on_comm_create);
	SET(CommDestroy, on_comm_destroy);
	SET(CallingContextEnter, on_context_enter);
	SET(CallingContextLeave, on_context_leave);
	SET(CallingContextSample, on_context_sample);
	SET(Unknown, on_unknown);
}
