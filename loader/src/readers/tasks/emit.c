/*
 * emit.c - the second pass: a processor's log as events, with what the first pass found out.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "readers/tasks/source.h"

#include "tasks/trace.h"

#define MOST_OPEN 256 /* calls that are open at once: block within block, brackets */

/* A call that is open in the chunks. */
typedef struct OpenCall
{
	bool is_bracket;
	bool is_block;
	int64_t end; /* of a bracket */
} OpenCall;

/* The block that hands a broadcast on to elements of its processor. */
typedef struct Broadcast
{
	bool is_on;
	bool was_left; /* its block has ended */
	uint32_t block;
} Broadcast;

typedef struct TaskCursor
{
	PhTraceCursor cursor;
	PhEnv *env;
	PhArena arena; /* of one location */

	/* of the location that is read */
	const PhTaskSource *tasks;
	PhTaskPart *part;
	PhChunkWriter *writer;
	PhTraceCounts *counts;
	PhRecords chares; /* as the first pass met them */
	uint64_t seq;
	int64_t last;
	uint32_t n_begins, n_ends, n_blocks;
	uint32_t creation, receipt, bracket, pause, resume; /* the next of each */
	uint32_t depth;
	OpenCall open[MOST_OPEN];
	Broadcast broadcast;
	PhFindings findings;
} TaskCursor;

/* ---- events ---- */

static void
counted(TaskCursor *cursor, PhEventKind kind, int64_t time)
{
	cursor->counts->events[kind]++;
	cursor->seq++;
	cursor->last = time;
	if (time > cursor->counts->last_time)
		cursor->counts->last_time = time;
}

static PhStatus
enter(TaskCursor *cursor, int64_t time, uint32_t region)
{
	PH_TRY(ph_chunk_writer_enter(cursor->writer, time, region));
	counted(cursor, PH_EVENT_ENTER, time);
	return PH_OK;
}

static PhStatus
leave(TaskCursor *cursor, int64_t time)
{
	PH_TRY(ph_chunk_writer_leave(cursor->writer, time, PH_NONE));
	counted(cursor, PH_EVENT_LEAVE, time);
	return PH_OK;
}

static PhStatus
put(TaskCursor *cursor, const PhEvent *event)
{
	PH_TRY(ph_chunk_writer_event(cursor->writer, event));
	counted(cursor, event->kind, event->time);
	return PH_OK;
}

static PhEvent
new_event(PhEventKind kind, int64_t time)
{
	return (PhEvent){.kind = kind,
					 .time = time,
					 .region = PH_NONE,
					 .peer = PH_NONE,
					 .comm = PH_NONE,
					 .root = PH_NONE};
}

static PhStatus
put_record(TaskCursor *cursor, int64_t time, uint32_t operation, const uint64_t *values, uint32_t n)
{
	PhEvent event = new_event(PH_EVENT_OTHER, time);

	event.operation = operation;
	event.values = values;
	event.n_values = n;
	return put(cursor, &event);
}

/* ---- calls that are open ---- */

static PhStatus
open_call(TaskCursor *cursor, OpenCall call, int64_t time, uint32_t region)
{
	if (cursor->depth == MOST_OPEN)
		return ph_fail(cursor->env, PH_ERR_LIMIT, "%s: more than %d calls are open at once",
					   cursor->tasks->source.model.locations[0].name, MOST_OPEN);
	cursor->open[cursor->depth++] = call;
	return enter(cursor, time, region);
}

static PhStatus
close_call(TaskCursor *cursor, int64_t time)
{
	cursor->depth--;
	return leave(cursor, PH_MAX(time, cursor->last));
}

static bool
bracket_is_open(const TaskCursor *cursor)
{
	return cursor->depth > 0 && cursor->open[cursor->depth - 1].is_bracket;
}

/* Brackets that begin or end up to here. */
static PhStatus
pass_brackets(TaskCursor *cursor, int64_t time, bool with_begins)
{
	const PhTaskPart *part = cursor->part;
	int64_t origin = cursor->tasks->origin;

	for (;;)
	{
		const PhTaskBracket *next =
			cursor->bracket < part->n_brackets ? &part->brackets[cursor->bracket] : NULL;
		bool begins = next != NULL && (next->begin - origin < time ||
									   (with_begins && next->begin - origin == time));
		bool is_open = bracket_is_open(cursor);
		int64_t end = is_open ? cursor->open[cursor->depth - 1].end : 0;

		if (is_open && end <= time && (!begins || end <= next->begin - origin))
			PH_TRY(close_call(cursor, end));
		else if (begins && cursor->depth < MOST_OPEN / 2)
		{
			int64_t begin = next->begin - origin;

			PH_TRY(open_call(cursor, (OpenCall){.is_bracket = true, .end = next->end - origin},
							 PH_MAX(begin, cursor->last), next->region));
			cursor->bracket++;
		}
		else if (begins)
			cursor->bracket++;
		else
			return PH_OK;
	}
}

/*
 * Ends all brackets that are innermost in the chunks, because the call around them ends or another
 * one begins: calls must nest, and brackets may cross blocks, so a bracket is cut at the first such
 * place.
 */
static PhStatus
cut_brackets(TaskCursor *cursor, int64_t time)
{
	while (bracket_is_open(cursor))
		PH_TRY(close_call(cursor, time));
	return PH_OK;
}

/* ---- blocks ---- */

static PhStatus
put_after(TaskCursor *cursor, int64_t time, uint32_t operation, uint64_t location, uint64_t block,
		  uint64_t kind)
{
	uint64_t values[3] = {location, block, kind};

	return put_record(cursor, time, operation, values, operation == PH_RECORD_TASK_AFTER ? 3 : 2);
}

/* The message that the next receipt of the log is of. */
static PhStatus
put_receipt(TaskCursor *cursor, const PhLogRecord *record, int64_t time, bool *is_matched)
{
	const PhTaskReceipt *receipt = &cursor->part->receipts[cursor->receipt++];
	PhEvent event = new_event(PH_EVENT_RECV, time);

	*is_matched = receipt->creation != PH_NONE;
	event.peer = *is_matched ? receipt->source : PH_NONE;
	event.tag = receipt->event;
	event.bytes = record->bytes;
	return put(cursor, &event);
}

static bool
takes_next(const uint32_t *list, uint32_t n, uint32_t *at, uint32_t ordinal)
{
	if (*at == n || list[*at] != ordinal)
		return false;
	(*at)++;
	return true;
}

/*
 * Charm++ delivers a broadcast to an array in two hops: a block of the run time on each processor
 * takes the message and calls the local elements one by one. An element's block names the original
 * message, or has stale numbers that match nothing. In the latter case its block is made to depend
 * on the delivering block that was last on this processor, marked as inferred.
 */
static PhStatus
note_broadcast(TaskCursor *cursor, const PhLogRecord *record, int64_t time, bool is_matched)
{
	const PhTaskSource *tasks = cursor->tasks;
	Broadcast *broadcast = &cursor->broadcast;
	bool is_element = record->chare.n_index > 0;

	if (tasks->is_broadcast != NULL && tasks->is_broadcast[record->region])
		*broadcast = (Broadcast){.is_on = true, .block = cursor->n_blocks};
	else if (broadcast->is_on && is_element && !is_matched && record->event >= 0)
		return put_after(cursor, time, PH_RECORD_TASK_AFTER,
						 (uint64_t) (cursor->part - tasks->parts), broadcast->block,
						 PH_EDGE_INFERRED);
	else if (is_matched)
		broadcast->is_on = false;
	return PH_OK;
}

static PhStatus
begin_block(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	const PhTaskPart *part = cursor->part;
	bool is_matched = false;
	uint32_t chare;
	uint64_t values[2] = {0, record->is_runtime ? PH_BLOCK_RUNTIME : 0};

	PH_TRY(ph_records_intern(&cursor->chares, &record->chare, &chare));
	if (chare >= part->chares.count)
		return ph_fail(cursor->env, PH_ERR_VALUE, "the log has changed while it was read");
	if (takes_next(part->resumes, part->n_resumes, &cursor->resume, cursor->n_begins++))
	{
		cursor->n_blocks++;
		return put_record(cursor, time, PH_RECORD_TASK_RESUME, NULL, 0);
	}
	PH_TRY(cut_brackets(cursor, time));
	PH_TRY(open_call(cursor, (OpenCall){.is_block = true}, time, record->region));
	values[0] = part->chare_id[chare];
	PH_TRY(put_record(cursor, time, PH_RECORD_TASK_BLOCK, values, record->is_runtime ? 2 : 1));
	if (record->event >= 0 && record->region != cursor->tasks->thread_entry &&
		cursor->receipt < part->n_receipts)
		PH_TRY(put_receipt(cursor, record, time, &is_matched));
	PH_TRY(note_broadcast(cursor, record, time, is_matched));
	cursor->n_blocks++;
	return PH_OK;
}

static PhStatus
end_block(TaskCursor *cursor, int64_t time)
{
	const PhTaskPart *part = cursor->part;

	if (takes_next(part->pauses, part->n_pauses, &cursor->pause, cursor->n_ends++))
	{
		PH_TRY(cut_brackets(cursor, time));
		return put_record(cursor, time, PH_RECORD_TASK_PAUSE, NULL, 0);
	}
	PH_TRY(cut_brackets(cursor, time));
	return close_call(cursor, time);
}

/* As many sends as there are receivers; one when there is none. */
static PhStatus
put_creation(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	PhTaskPart *part = cursor->part;
	PhTaskCreation *creation;
	PhEvent event = new_event(PH_EVENT_SEND, time);

	if (cursor->creation >= part->n_creations)
		return ph_fail(cursor->env, PH_ERR_VALUE, "the log has changed while it was read");
	creation = &part->creations[cursor->creation++];
	creation->seq = cursor->seq;
	event.tag = creation->event;
	event.bytes = record->bytes;
	if (creation->n_receivers == 0)
		return put(cursor, &event);
	for (uint32_t i = 0; i < creation->n_receivers; i++)
	{
		PH_TRY(ph_env_poll(cursor->env));
		event.peer = part->receivers[creation->first_receiver + i];
		PH_TRY(put(cursor, &event));
	}
	return PH_OK;
}

/* ---- what is neither block nor message ---- */

static PhStatus
put_metric(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	PhEvent event = new_event(PH_EVENT_METRIC, time);

	event.operation = record->metric_class;
	event.values = record->values;
	event.n_values = record->n_values;
	return put(cursor, &event);
}

static PhStatus
put_measurement(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	PhEvent event = new_event(PH_EVENT_MEASUREMENT, time);

	event.operation = (uint32_t) record->id;
	return put(cursor, &event);
}

static PhStatus
put_program(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	return put_record(cursor, time,
					  record->id == 1 ? PH_RECORD_PROGRAM_BEGIN : PH_RECORD_PROGRAM_END, NULL, 0);
}

static PhStatus
put_phase(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	uint64_t value = (uint64_t) record->id;

	return put_record(cursor, time, PH_RECORD_TASK_PHASE, &value, 1);
}

static PhStatus
begin_call(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	if (record->region == cursor->tasks->n_entries) /* idle */
	{
		PH_TRY(cut_brackets(cursor, time));
		cursor->broadcast.is_on = false;
	}
	return open_call(cursor, (OpenCall){0}, time, record->region);
}

static PhStatus
end_call(TaskCursor *cursor, int64_t time)
{
	PH_TRY(cut_brackets(cursor, time));
	return close_call(cursor, time);
}

static PhStatus
put_point(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	PH_TRY(enter(cursor, time, record->region));
	return leave(cursor, time);
}

static PhStatus
put_unknown(TaskCursor *cursor, int64_t time)
{
	cursor->counts->unknown_records++;
	return put_record(cursor, time, PH_RECORD_UNKNOWN, NULL, 0);
}

static PhStatus
take(TaskCursor *cursor, const PhLogRecord *record, int64_t time)
{
	bool is_matched;

	switch (record->kind)
	{
		case PH_LOG_BEGIN:
			return begin_block(cursor, record, time);
		case PH_LOG_END:
			return end_block(cursor, time);
		case PH_LOG_CREATION:
			return put_creation(cursor, record, time);
		case PH_LOG_RECEIPT:
			return put_receipt(cursor, record, time, &is_matched);
		case PH_LOG_CALL_BEGIN:
			return begin_call(cursor, record, time);
		case PH_LOG_CALL_END:
			return end_call(cursor, time);
		case PH_LOG_POINT:
			return put_point(cursor, record, time);
		case PH_LOG_METRIC:
			return put_metric(cursor, record, time);
		case PH_LOG_MEASUREMENT:
			return put_measurement(cursor, record, time);
		case PH_LOG_PROGRAM:
			return put_program(cursor, record, time);
		case PH_LOG_PHASE:
			return put_phase(cursor, record, time);
		case PH_LOG_AFTER:
			return put_after(cursor, time, PH_RECORD_TASK_AFTER, record->location, record->block,
							 PH_EDGE_DECLARED);
		case PH_LOG_CONTINUES:
			return put_after(cursor, time, PH_RECORD_TASK_CONTINUES, record->location,
							 record->block, 0);
		case PH_LOG_UNKNOWN:
			return put_unknown(cursor, time);
		default:
			return PH_OK;
	}
}

/* ---- a location ---- */

static bool
is_kept(const PhLogRecord *record)
{
	return record->kind != PH_LOG_SKIP && record->kind != PH_LOG_BRACKET_BEGIN &&
		   record->kind != PH_LOG_BRACKET_END;
}

/*
 * True when brackets (user events with a length) that begin at the record's time are written before
 * it: the begin of a call comes first, so that the bracket is within it; its end comes after, so
 * that the bracket does not begin outside.
 */
static bool
brackets_come_first(const PhLogRecord *record)
{
	return record->kind != PH_LOG_BEGIN && record->kind != PH_LOG_CALL_BEGIN;
}

static PhStatus
read_log(TaskCursor *cursor, PhTaskLog *log, uint32_t location)
{
	PhTaskWalk walk;
	PhLogRecord record;
	bool more;

	ph_task_walk_begin(&walk, log, location, &cursor->findings);
	for (;;)
	{
		PH_TRY(ph_task_walk_next(&walk, &record, &more));
		if (!more)
			break;
		if (!is_kept(&record))
			continue;
		if (cursor->part->n_brackets > 0)
			PH_TRY(pass_brackets(cursor, record.time - cursor->tasks->origin,
								 brackets_come_first(&record)));
		PH_TRY(take(cursor, &record, record.time - cursor->tasks->origin));
	}
	PH_TRY(pass_brackets(cursor, INT64_MAX, false));
	return PH_OK;
}

PhStatus
ph_task_read_location(PhTraceCursor *base, uint32_t location, PhChunkWriter *writer,
					  PhTraceCounts *counts)
{
	TaskCursor *cursor = (TaskCursor *) base;
	PhEnv *env = cursor->env;
	const PhTaskSource *tasks = ph_task_source(base->source);
	PhTaskLog *log;
	PhStatus status;

	*cursor = (TaskCursor){.cursor = *base,
						   .env = env,
						   .tasks = tasks,
						   .part = &tasks->parts[location],
						   .writer = writer,
						   .counts = counts};
	ph_arena_init(&cursor->arena, env);
	ph_records_init(&cursor->chares, &cursor->arena, sizeof(PhChareKey));
	status = tasks->open_log(env, tasks, location, &log);
	if (status == PH_OK)
	{
		status = read_log(cursor, log, location);
		tasks->close_log(log);
	}
	ph_arena_drop(&cursor->arena);
	return status;
}

PhStatus
ph_task_cursor_open(PhEnv *env, const PhTraceSource *source, PhTraceCursor **out)
{
	void *memory;
	TaskCursor *cursor;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*cursor), &memory));
	cursor = memory;
	cursor->cursor.source = source;
	cursor->env = env;
	*out = &cursor->cursor;
	return PH_OK;
}

void
ph_task_cursor_close(PhTraceCursor *base)
{
	TaskCursor *cursor = (TaskCursor *) base;

	if (cursor != NULL)
		ph_env_free(cursor->env, cursor, 1, sizeof(*cursor));
}

/* ---- messages ---- */

PhStatus
ph_task_links(const PhTraceSource *source, PhArena *arena, uint32_t location, const PhLink **links,
			  uint64_t *n)
{
	const PhTaskSource *tasks = ph_task_source(source);
	const PhTaskPart *part = &tasks->parts[location];
	PhLink *out;

	PH_TRY(PH_NEW(arena, part->n_receipts, &out));
	for (uint32_t i = 0; i < part->n_receipts; i++)
	{
		const PhTaskReceipt *receipt = &part->receipts[i];
		const PhTaskCreation *creation;

		out[i] = (PhLink){PH_NONE, 0, PH_NO_TIME};
		if (receipt->creation == PH_NONE)
			continue;
		creation = &tasks->parts[receipt->source].creations[receipt->creation];
		out[i] = (PhLink){receipt->source, creation->seq + receipt->position,
						  creation->time - tasks->origin};
	}
	*links = out;
	*n = part->n_receipts;
	return PH_OK;
}
