/*
 * arguments.c - what arguments of calls tell: streams that waited for events of others, and of
 * which communicator RCCL's calls are and how many bytes they move. Profilers record them when they
 * are asked to.
 *
 * A stream is told by its handle, which the calls that launch something have beside the stream on
 * which that ran. The number of an event is used again: a wait is for its last record. Handles of
 * communicators are a process's own: the k-th of each process belong together, as all make them in
 * one order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "readers/rocpd/rocpd.h"

static bool
begins_with(const char *name, const char *begin)
{
	return strncmp(name, begin, strlen(begin)) == 0;
}

/* ---- of events ---- */

enum
{
	EVENT,
	NAME,
	VALUE
};
static const char *const columns[] = {"event_id", "name", "value"};

static PhStatus
find_arguments(PhRocpd *rocpd, int64_t event, PhRocpdArguments **out)
{
	uint32_t *known;

	PH_TRY(PH_ROOM(rocpd->env, &rocpd->arguments));
	PH_TRY(ph_map_enter(&rocpd->arguments_of, (uint64_t) event, rocpd->arguments.count, &known));
	if (*known == rocpd->arguments.count)
		rocpd->arguments.items[rocpd->arguments.count++] = (PhRocpdArguments){0};
	*out = &rocpd->arguments.items[*known];
	return PH_OK;
}

/* What an argument is by its name. */
typedef enum Argument
{
	STREAM,
	EVENT_HANDLE,
	COMMUNICATOR,
	COMMUNICATOR_ID,
	ELEMENTS,
	TYPE,
	NONE
} Argument;

static Argument
kind_of(const char *name)
{
	static const struct
	{
		const char *name;
		Argument kind;
	} known[] = {{"stream", STREAM},		  {"event", EVENT_HANDLE}, {"comm", COMMUNICATOR},
				 {"commId", COMMUNICATOR_ID}, {"count", ELEMENTS},	   {"sendcount", ELEMENTS},
				 {"recvcount", ELEMENTS},	  {"datatype", TYPE}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].kind;
	return NONE;
}

/* Bytes of an element by the name or the number of its ncclDataType_t; of others 0. */
static uint64_t
size_of_type(const char *value)
{
	static const struct
	{
		const char *name;
		uint64_t size;
	} types[] = {{"Int8", 1},	 {"Uint8", 1},	  {"Int32", 4},		 {"Uint32", 4},
				 {"Int64", 8},	 {"Uint64", 8},	  {"Float16", 2},	 {"Float32", 4},
				 {"Float64", 8}, {"Bfloat16", 2}, {"Float8e4m3", 1}, {"Float8e5m2", 1}};
	size_t n = sizeof(types) / sizeof(types[0]);
	char *end;
	unsigned long number = strtoul(value, &end, 10);

	if (end != value && *end == '\0')
		return number < n ? types[number].size : 0;
	value += begins_with(value, "nccl") ? 4 : 0;
	for (size_t i = 0; i < n; i++)
		if (strcmp(value, types[i].name) == 0)
			return types[i].size;
	return 0;
}

static PhStatus
read_argument(void *user, PhSqliteRows *rows)
{
	PhRocpd *rocpd = user;
	const char *name;
	const char *value;
	PhRocpdArguments *arguments;
	Argument kind;

	PH_TRY(ph_sqlite_text(rows, &rocpd->row, NAME, &name));
	PH_TRY(ph_sqlite_text(rows, &rocpd->row, VALUE, &value));
	kind = name == NULL || value == NULL ? NONE : kind_of(name);
	if (kind == NONE)
		return PH_OK;
	PH_TRY(find_arguments(rocpd, ph_sqlite_int(rows, EVENT), &arguments));
	switch (kind)
	{
		case STREAM:
			return ph_strings_intern(&rocpd->handles, value, &arguments->stream);
		case EVENT_HANDLE:
			return ph_strings_intern(&rocpd->handles, value, &arguments->event);
		case COMMUNICATOR:
			return ph_strings_intern(&rocpd->handles, value, &arguments->communicator);
		case COMMUNICATOR_ID:
			return ph_strings_intern(&rocpd->handles, value, &arguments->id);
		case ELEMENTS:
			arguments->elements = strtoull(value, NULL, 10);
			return PH_OK;
		default:
			arguments->element_size = size_of_type(value);
			return PH_OK;
	}
}

PhStatus
ph_rocpd_read_arguments(PhRocpd *rocpd)
{
	const char *table;
	bool has_use = false;

	for (uint32_t i = 0; i < rocpd->texts.count && !has_use; i++)
		has_use = begins_with(rocpd->texts.items[i], "hipStreamWaitEvent") ||
				  begins_with(rocpd->texts.items[i], "nccl");
	if (!has_use)
		return PH_OK;
	PH_TRY(ph_rocpd_table(rocpd, "rocpd_arg", &table));
	return ph_sqlite_each(rocpd->db, table, columns, 3, &rocpd->row, read_argument, rocpd);
}

static const PhRocpdArguments *
arguments_of(const PhRocpd *rocpd, int64_t event)
{
	const uint32_t *known = ph_map_find(&rocpd->arguments_of, (uint64_t) event);

	return known == NULL ? NULL : &rocpd->arguments.items[*known];
}

/* ---- collectives ---- */

static uint64_t
message_of(const PhRocpdArguments *arguments)
{
	uint64_t bytes;

	return __builtin_mul_overflow(arguments->elements, arguments->element_size, &bytes) ? 0 : bytes;
}

PhStatus
ph_rocpd_note_collective(PhRocpd *rocpd, const PhRocpdCall *call)
{
	const PhRocpdArguments *arguments = arguments_of(rocpd, call->event);
	PhRocpdCollective collective = {.name = call->name,
									.process = call->process,
									.track = call->track,
									.start = call->start,
									.end = call->end};
	bool makes = begins_with(call->name, "ncclCommInitRank");

	if (!begins_with(call->name, "nccl") &&
		ph_device_operation_of_call(call->name, strlen(call->name)) == PH_DEVICE_UNTOLD)
		return PH_OK;
	if (makes && arguments != NULL)
		collective.id = arguments->id;
	if ((makes && collective.id == 0) || (!makes && begins_with(call->name, "ncclComm")))
		return PH_OK;
	if (!makes && arguments != NULL)
	{
		collective.handle = arguments->communicator;
		collective.bytes = message_of(arguments);
	}
	PH_TRY(PH_ROOM(&rocpd->arena, &rocpd->collective_calls));
	rocpd->collective_calls.items[rocpd->collective_calls.count++] = collective;
	return PH_OK;
}

static int
compare_starts(const void *context, uint32_t x, uint32_t y)
{
	const PhRocpdCollective *a = &((const PhRocpdCollective *) context)[x];
	const PhRocpdCollective *b = &((const PhRocpdCollective *) context)[y];

	return (a->start > b->start) - (a->start < b->start);
}

/* How many a process has made, in one of two counts; this one included. */
static PhStatus
count_one(PhMap *counts, uint32_t process, uint32_t *out)
{
	uint32_t *n;

	PH_TRY(ph_map_enter(counts, process, 0, &n));
	*out = ++*n;
	return PH_OK;
}

/* The unique number of the k-th communicator of a process, of which 64 bits are enough; else only
 * that it is the k-th. */
static PhStatus
name_communicator(PhRocpd *rocpd, uint32_t process, uint32_t k, uint32_t *out)
{
	const uint32_t *id = ph_map_find(&rocpd->ids_of_communicators, ph_map_key(process, k));
	const char *name;

	if (id == NULL)
		PH_TRY(ph_arena_printf(&rocpd->row, &name, "communicator %u", k));
	else
	{
		const char *text = rocpd->handles.text[*id];

		PH_TRY(ph_arena_printf(&rocpd->row, &name, "communicator 0x%016" PRIx64,
							   ph_hash_bytes(text, strlen(text))));
	}
	return ph_span_trace_communicator(rocpd->files->trace, name, out);
}

/* 1 + the communicator of a handle of a process. */
static PhStatus
find_communicator(PhRocpd *rocpd, uint32_t process, uint32_t handle, uint32_t *out)
{
	uint32_t *known, k;

	PH_TRY(ph_map_enter(&rocpd->communicators, ph_map_key(process, handle), PH_NONE, &known));
	if (*known == PH_NONE)
	{
		PH_TRY(count_one(&rocpd->n_communicators, process, &k));
		PH_TRY(name_communicator(rocpd, process, k, known));
	}
	*out = *known + 1;
	return PH_OK;
}

static PhStatus
take_collective(PhRocpd *rocpd, const PhRocpdCollective *call)
{
	PhCollectiveRange range = {
		.start = call->start, .end = call->end, .track = call->track, .bytes = call->bytes};
	uint32_t k;
	uint32_t *known;

	if (call->id != 0)
	{
		PH_TRY(count_one(&rocpd->n_ids, call->process, &k));
		return ph_map_enter(&rocpd->ids_of_communicators, ph_map_key(call->process, k), call->id,
							&known);
	}
	if (call->handle != 0)
	{
		PH_TRY(find_communicator(rocpd, call->process, call->handle, &k));
		range.communicator = k & PH_MOST_SPAN_COMMUNICATORS;
		range.kind = PH_RANGE_TOLD;
	}
	return ph_rank_files_collective(rocpd->files, call->name, &range);
}

PhStatus
ph_rocpd_add_collectives(PhRocpd *rocpd)
{
	const PhRocpdCollective *calls = rocpd->collective_calls.items;
	uint32_t n = rocpd->collective_calls.count;
	uint32_t *order;

	PH_TRY(ph_sort_indices(&rocpd->arena, n, compare_starts, calls, &order));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(take_collective(rocpd, &calls[order[i]]));
	return PH_OK;
}

/* ---- events ---- */

/* Stacks are numbered within a process. */
static uint64_t
stack_key(uint32_t process, int64_t stack)
{
	return (uint64_t) stack ^ (uint64_t) process << 48;
}

PhStatus
ph_rocpd_note_call(PhRocpd *rocpd, const PhRocpdCall *call)
{
	const PhRocpdArguments *arguments = arguments_of(rocpd, call->event);
	bool waits = begins_with(call->name, "hipStreamWaitEvent");
	uint32_t *known;

	if (arguments == NULL || arguments->stream == 0 || call->stack == 0)
		return PH_OK;
	PH_TRY(ph_map_enter(&rocpd->stream_of_stack, stack_key(call->process, call->stack),
						arguments->stream, &known));
	if (arguments->event == 0 || (!waits && !begins_with(call->name, "hipEventRecord")))
		return PH_OK;
	PH_TRY(PH_ROOM(&rocpd->arena, &rocpd->stream_events));
	rocpd->stream_events.items[rocpd->stream_events.count++] =
		(PhRocpdStreamEvent){.process = call->process,
							 .event = arguments->event,
							 .stream = arguments->stream,
							 .waits = waits,
							 .start = call->start,
							 .stack = (uint64_t) call->stack};
	return PH_OK;
}

PhStatus
ph_rocpd_note_stream(PhRocpd *rocpd, uint32_t process, uint64_t stack, uint32_t track)
{
	const uint32_t *stream =
		ph_map_find(&rocpd->stream_of_stack, stack_key(process, (int64_t) stack));
	uint32_t *known;

	if (stream == NULL)
		return PH_OK;
	return ph_map_enter(&rocpd->track_of_stream, ph_map_key(process, *stream), track, &known);
}

/* By process and event, then time: a wait comes behind the record that it is for. */
static int
compare_events(const void *context, uint32_t x, uint32_t y)
{
	const PhRocpdStreamEvent *a = &((const PhRocpdStreamEvent *) context)[x];
	const PhRocpdStreamEvent *b = &((const PhRocpdStreamEvent *) context)[y];

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (int) a->waits - (int) b->waits;
}

static PhStatus
add_wait(PhRocpd *rocpd, const PhRocpdStreamEvent *record, const PhRocpdStreamEvent *wait)
{
	const uint32_t *awaited =
		ph_map_find(&rocpd->track_of_stream, ph_map_key(record->process, record->stream));
	const uint32_t *waiting =
		ph_map_find(&rocpd->track_of_stream, ph_map_key(wait->process, wait->stream));

	if (awaited == NULL || waiting == NULL)
		return PH_OK;
	return ph_span_trace_wait(rocpd->files->trace, &(PhTraceWait){.wait = wait->stack,
																  .record = record->stack,
																  .waiting = *waiting,
																  .awaited = *awaited});
}

PhStatus
ph_rocpd_add_waits(PhRocpd *rocpd)
{
	const PhRocpdStreamEvent *events = rocpd->stream_events.items;
	const PhRocpdStreamEvent *record = NULL;
	uint32_t *order;

	PH_TRY(
		ph_sort_indices(&rocpd->arena, rocpd->stream_events.count, compare_events, events, &order));
	for (uint32_t i = 0; i < rocpd->stream_events.count; i++)
	{
		const PhRocpdStreamEvent *event = &events[order[i]];

		if (!event->waits)
			record = event;
		else if (record != NULL && record->process == event->process &&
				 record->event == event->event)
			PH_TRY(add_wait(rocpd, record, event));
	}
	return PH_OK;
}
