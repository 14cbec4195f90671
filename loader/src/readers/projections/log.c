/*
 * log.c - a processor's log, text or binary, as records of tasks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/projections/projections.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAGIC "PROJECTIONS-RECORD"
/* Microseconds that fit as nanoseconds, with room for differences. */
#define MOST_MICROSECONDS (INT64_MAX / 4000)

#define REDUCTION_MESSAGE 65535 /* an unsigned -1: no message started the block */

/* ---- opening ---- */

static PhStatus
find_kind(PhProjectionsLog *log)
{
	static const uint8_t types[] = {1, 2, 6, 11, 12, 14, 16, 18, 20, 21, 13, 26, 27, 98};
	bool has;

	PH_TRY(ph_log_want(&log->stream, sizeof(TEXT_MAGIC) - 1, &has));
	log->is_text = has && memcmp(log->stream.at, TEXT_MAGIC, sizeof(TEXT_MAGIC) - 1) == 0;
	if (log->is_text)
		return PH_OK;
	log->log.place = "record";
	PH_TRY(ph_log_want(&log->stream, 5, &has));
	if (!has && log->stream.is_cut)
		return PH_OK;
	if (has && log->stream.at[3] < 0x80 && memchr(types, log->stream.at[4], sizeof(types)) != NULL)
		return PH_OK;
	return ph_fail_hint(log->log.env, PH_ERR_FORMAT, "A text log begins with \"" TEXT_MAGIC "\".",
						"%s: is neither a text nor a binary log of Projections", log->log.path);
}

PhStatus
ph_projections_open_log(PhEnv *env, const PhTaskSource *tasks, uint32_t location, PhTaskLog **out)
{
	const PhProjections *projections = (const PhProjections *) tasks;
	PhProjectionsLog *log;
	void *memory;
	PhStatus status;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*log), &memory));
	log = memory;
	log->projections = projections;
	log->location = location;
	log->log = (PhTaskLog){
		.env = env, .tasks = tasks, .path = projections->log_paths[location], .place = "line"};
	env->error = (PhError){0};
	status =
		ph_log_open(env, log->log.path,
					projections->lent == NULL ? NULL : &projections->lent[location], &log->stream);
	if (status == PH_OK)
	{
		status = find_kind(log);
		if (status != PH_OK)
			ph_log_close(&log->stream);
	}
	if (status != PH_OK)
	{
		ph_env_free(env, log, 1, sizeof(*log));
		return status;
	}
	*out = &log->log;
	return PH_OK;
}

void
ph_projections_close_log(PhTaskLog *base)
{
	PhProjectionsLog *log = (PhProjectionsLog *) base;

	ph_log_close(&log->stream);
	ph_env_free(base->env, log, 1, sizeof(*log));
}

/* ---- records ---- */

static uint32_t
call_region(const PhProjections *projections, uint32_t call)
{
	return projections->tasks.n_entries + call;
}

static PhStatus
check_entry(PhProjectionsLog *log, const PhProjectionsFields *fields)
{
	if (ph_projections_has_entry(log->projections, fields->entry))
		return PH_OK;
	return ph_projections_fail(log, fields->type, "entry method %lld is not defined",
							   (long long) fields->entry);
}

/* Negative numbers name no message, whichever they are: −1 today, others in older dialects. */
static int64_t
message_number(const PhProjectionsFields *fields)
{
	return fields->event < 0 ? -1 : fields->event;
}

static PhStatus
check_event(PhProjectionsLog *log, const PhProjectionsFields *fields)
{
	if (fields->event <= PH_MESSAGE_MAX_EVENT)
		return PH_OK;
	return ph_projections_fail(log, fields->type, "event number %lld is impossible",
							   (long long) fields->event);
}

/* Old versions do not tell arrays from other chares: ph_task_join does, when all are known. */
static PhStatus
set_chare(PhProjectionsLog *log, const PhProjectionsFields *fields, PhChareKey *key)
{
	const PhTaskSource *tasks = &log->projections->tasks;
	uint32_t type = tasks->entries[fields->entry].type;
	const PhTaskType *chare = &tasks->types[type];
	bool is_array = chare->has_no_dimensions ? !chare->is_runtime : chare->dimensions >= 1;

	*key = (PhChareKey){.type = type, .collection = -1, .processor = -1};
	if (fields->array > INT32_MAX || fields->array < 0)
		return ph_projections_fail(log, fields->type, "array %lld is impossible",
								   (long long) fields->array);
	if (fields->array > 0 && !chare->is_runtime)
		key->collection = (int32_t) fields->array;
	if (!is_array || chare->has_no_dimensions)
		key->processor = (int32_t) log->location;
	if (!is_array)
		return PH_OK;
	key->n_index = fields->n_index;
	for (uint32_t i = 0; i < fields->n_index; i++)
	{
		if (fields->index[i] < INT32_MIN || fields->index[i] > INT32_MAX)
			return ph_projections_fail(log, fields->type, "index %lld is impossible",
									   (long long) fields->index[i]);
		key->index[i] = (int32_t) fields->index[i];
	}
	return PH_OK;
}

static void
add_counters(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	uint32_t n = log->projections->n_counters;

	for (uint32_t i = 0; i < n; i++)
		log->bits[i] = (uint64_t) fields->counters[i];
	*record = (PhLogRecord){.kind = PH_LOG_METRIC,
							.time = record->time,
							.n_values = n,
							.values = log->bits,
							.event = -1,
							.metric_class =
								ph_projections_metric_class(log->projections, fields->type, 0)};
}

/*
 * What a block cost lies between the counters' values at its ends: where there are counters, record
 * becomes that of their values, and the block's own waits.
 */
static void
read_counters(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	if (log->projections->n_counters == 0)
		return;
	log->pending = *record;
	log->is_pending = true;
	add_counters(log, fields, record);
}

static PhStatus
begin_block(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	PH_TRY(check_event(log, fields));
	record->kind = PH_LOG_BEGIN;
	record->region = record->entry = (uint32_t) fields->entry;
	record->event = fields->message_type == REDUCTION_MESSAGE ? -1 : message_number(fields);
	record->sender = fields->pe;
	record->bytes = fields->bytes > 0 ? (uint64_t) fields->bytes : 0;
	PH_TRY(set_chare(log, fields, &record->chare));
	record->is_runtime = false;
	read_counters(log, fields, record);
	return PH_OK;
}

static PhStatus
end_block(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	PH_TRY(check_entry(log, fields));
	record->kind = PH_LOG_END;
	record->region = (uint32_t) fields->entry;
	record->event = message_number(fields);
	read_counters(log, fields, record);
	return PH_OK;
}

static PhStatus
create(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	PH_TRY(check_entry(log, fields));
	PH_TRY(check_event(log, fields));
	record->kind = PH_LOG_CREATION;
	record->entry = (uint32_t) fields->entry;
	record->event = message_number(fields);
	record->bytes = fields->bytes > 0 ? (uint64_t) fields->bytes : 0;
	return PH_OK;
}

static uint32_t
user_region(const PhProjections *projections, int64_t id)
{
	uint32_t event = ph_projections_find(&projections->events, projections->event_order, id);

	return call_region(projections, event == PH_NONE ? PH_CALL_UNNAMED : PH_CALL_COUNT + event);
}

/* A pair is written as two records of type 100: the time it began, the time it ended. */
static void
user_event(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	record->region = user_region(log->projections, fields->id);
	record->is_unnamed = record->region == call_region(log->projections, PH_CALL_UNNAMED);
	record->id = fields->entry; /* the number of nesting */
	switch (fields->type)
	{
		case 13:
			record->kind = PH_LOG_POINT;
			return;
		case 98:
			record->kind = PH_LOG_BRACKET_BEGIN;
			return;
		case 99:
			record->kind = PH_LOG_BRACKET_END;
			return;
		default:
			record->id = -1 - fields->event;
			record->kind = log->has_second ? PH_LOG_BRACKET_END : PH_LOG_BRACKET_BEGIN;
			log->has_second = !log->has_second;
			return;
	}
}

static PhStatus
measure(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	const PhProjections *projections = log->projections;
	uint32_t stat = 0;

	if (fields->type == 32)
	{
		stat = ph_projections_find(&projections->stats, projections->stat_order, fields->id);
		if (stat == PH_NONE)
			return ph_projections_fail(log, 32, "statistic %lld is not defined",
									   (long long) fields->id);
		memcpy(&log->bits[0], &fields->value, sizeof(fields->value));
	}
	else
		log->bits[0] = (uint64_t) fields->id;
	record->kind = PH_LOG_METRIC;
	record->metric_class = ph_projections_metric_class(projections, fields->type, stat);
	record->n_values = 1;
	record->values = log->bits;
	return PH_OK;
}

static void
call(const PhProjectionsLog *log, PhProjectionsCall which, bool begins, PhLogRecord *record)
{
	record->kind = begins ? PH_LOG_CALL_BEGIN : PH_LOG_CALL_END;
	record->region = call_region(log->projections, which);
}

static void
mark(PhLogRecord *record, PhLogRecordKind kind, int64_t id)
{
	record->kind = kind;
	record->id = id;
}

static PhStatus
convert_other(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	switch (fields->type)
	{
		case 6:
		case 7:
			mark(record, PH_LOG_PROGRAM, fields->type == 6 ? 1 : 2);
			log->ended = fields->type == 7;
			return PH_OK;
		case 11:
		case 12:
			mark(record, PH_LOG_MEASUREMENT, fields->type == 11 ? 1 : 2);
			return PH_OK;
		case 13:
		case 98:
		case 99:
		case 100:
			user_event(log, fields, record);
			return PH_OK;
		case 14:
		case 15:
			call(log, PH_CALL_IDLE, fields->type == 14, record);
			return PH_OK;
		case 16:
		case 17:
			call(log, PH_CALL_PACK, fields->type == 16, record);
			return PH_OK;
		case 18:
		case 19:
			call(log, PH_CALL_UNPACK, fields->type == 18, record);
			return PH_OK;
		case 26:
		case 27:
		case 32:
			return measure(log, fields, record);
		case 30:
			mark(record, PH_LOG_PHASE, fields->id);
			return PH_OK;
		default:
			record->kind = PH_LOG_UNKNOWN;
			return PH_OK;
	}
}

static bool
has_own_time(const PhProjectionsFields *fields)
{
	switch (fields->type)
	{
		case 32: /* -1: the log gives none */
			return fields->time >= 0;
		case 26:
			return fields->time != INT64_MIN;
		case 1:
		case 2:
		case 3:
		case 6:
		case 7:
		case 11:
		case 12:
		case 13:
		case 14:
		case 15:
		case 16:
		case 17:
		case 18:
		case 19:
		case 20:
		case 21:
		case 27:
		case 30:
		case 98:
		case 99:
		case 100:
			return true;
		default:
			return false;
	}
}

static PhStatus
convert(PhProjectionsLog *log, const PhProjectionsFields *fields, PhLogRecord *record)
{
	record->event = -1;
	record->time = PH_NO_TIME;
	if (has_own_time(fields))
	{
		if (fields->time > MOST_MICROSECONDS || fields->time < -MOST_MICROSECONDS)
			return ph_projections_fail(log, fields->type, "time %lld is impossible",
									   (long long) fields->time);
		record->time = fields->time * 1000;
	}
	switch (fields->type)
	{
		case 1:
		case 20:
		case 21:
			return create(log, fields, record);
		case 2:
			return begin_block(log, fields, record);
		case 3:
			return end_block(log, fields, record);
		default:
			return convert_other(log, fields, record);
	}
}

PhStatus
ph_projections_next(PhTaskLog *base, PhLogRecord *record, bool *more)
{
	PhProjectionsLog *log = (PhProjectionsLog *) base;
	PhProjectionsFields fields;

	*more = true;
	if (log->is_pending)
	{
		*record = log->pending;
		log->is_pending = false;
		return PH_OK;
	}
	*record = (PhLogRecord){.kind = PH_LOG_SKIP};
	PH_TRY(log->is_text ? ph_projections_text_record(log, &fields, more)
						: ph_projections_binary_record(log, &fields, more));
	if (!*more)
	{
		base->is_cut = !log->ended || log->stream.is_cut;
		return PH_OK;
	}
	return fields.type == 0 ? PH_OK : convert(log, &fields, record);
}
