/*
 * file.c - the neutral format of task-based traces as a source of tasks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/tasks/lines.h"

#include <string.h>

#include "base/name_set.h"
#include "base/sort.h"

/* A processor's spans as records. */
typedef struct TaskFileLog
{
	PhTaskLog log;
	const PhTaskFile *file;
	uint32_t at, end; /* among the processor's spans */
	uint32_t step;	  /* of the span: 0 its begin, then its items, then its end */
	uint32_t receive, send;
} TaskFileLog;

/* ---- the model ---- */

static int
compare_processors(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskProcessor *processors = context;

	return processors[x].id < processors[y].id ? -1 : processors[x].id > processors[y].id;
}

static PhStatus
add_locations(PhTaskFile *file, uint32_t *place)
{
	PhTraceModel *model = &file->tasks.source.model;
	uint32_t n = file->n_processors;
	uint32_t *order;

	model->n_locations = model->n_ranks = n;
	PH_TRY(PH_NEW(file->arena, n, &model->locations));
	PH_TRY(PH_NEW(file->arena, n, &model->rank_location));
	PH_TRY(PH_NEW(file->arena, n, &file->tasks.node));
	PH_TRY(ph_sort_indices(file->arena, n, compare_processors, file->processors, &order));
	for (uint32_t i = 0; i < n; i++)
	{
		const PhTaskProcessor *from = &file->processors[order[i]];
		const char *name = from->name;

		if (name == NULL)
			PH_TRY(ph_arena_printf(file->arena, &name, "processor %lld", (long long) from->id));
		model->locations[i] = (PhTraceLocation){.source_id = (uint64_t) from->id,
												.rank = (int32_t) i,
												.thread = 0,
												.kind = PH_COLUMN_PE,
												.name = name,
												.host = from->host == NULL ? "" : from->host};
		model->rank_location[i] = i;
		file->tasks.node[i] = from->node == 0 ? i : n + from->node;
		place[order[i]] = i;
	}
	return PH_OK;
}

static PhTraceRegion
new_region(const PhTaskFile *file, const char *name, const char *library, const char *role)
{
	return (PhTraceRegion){.kind = PH_KIND_FUNCTION,
						   .name = name,
						   .file = "",
						   .library = library,
						   .line = PH_NO_NUMBER,
						   .paradigm = file->tasks.model,
						   .role = role};
}

static PhStatus
add_regions(PhTaskFile *file)
{
	PhTaskSource *tasks = &file->tasks;
	PhTraceModel *model = &tasks->source.model;

	model->n_regions = tasks->n_entries + 1;
	if (model->n_regions > PH_CHUNK_MAX_REGION)
		return ph_fail(file->env, PH_ERR_LIMIT, "%s: more than %d entry methods", file->path,
					   PH_CHUNK_MAX_REGION);
	PH_TRY(PH_NEW(file->arena, model->n_regions, &model->regions));
	for (uint32_t i = 0; i < tasks->n_entries; i++)
	{
		const PhTaskType *type = &tasks->types[tasks->entries[i].type];

		model->regions[i] = new_region(file, file->entries.text[i + 1], type->name,
									   type->is_runtime ? "runtime" : "task");
	}
	model->regions[tasks->n_entries] = new_region(file, "Idle", tasks->model, "idle");
	return PH_OK;
}

static PhStatus
add_entities(PhTaskFile *file)
{
	uint32_t n = file->entity_ids.count - 1;

	PH_TRY(PH_NEW(file->arena, n, &file->tasks.entity_names));
	PH_TRY(PH_NEW(file->arena, n, &file->tasks.entity_is_runtime));
	for (uint32_t i = 0; i < n; i++)
	{
		const PhTaskEntity *entity = &file->entities[i];

		file->tasks.entity_names[i] = entity->name;
		file->tasks.entity_is_runtime[i] = entity->is_runtime;
		if (entity->name == NULL && entity->n_index == 0)
			file->tasks.entity_names[i] = file->entity_ids.text[i + 1];
	}
	return PH_OK;
}

/* ---- order ---- */

static PhStatus
bad_span(const PhTaskFile *file, const PhFileSpan *span, const char *what)
{
	return ph_input_fail(file->env, file->input, PH_ERR_VALUE, span->offset, "%s", what);
}

/* Spans by processor, as they stand in the file: that is in order of time. */
static PhStatus
order_spans(PhTaskFile *file, const uint32_t *place)
{
	uint32_t n = file->n_processors;
	uint32_t *next;

	PH_TRY(PH_NEW(file->arena, (size_t) n + 1, &file->first_span));
	PH_TRY(PH_NEW(file->arena, (size_t) n + 1, &next));
	PH_TRY(PH_NEW(file->arena, file->n_spans, &file->order));
	for (uint32_t i = 0; i < file->n_spans; i++)
	{
		file->spans[i].processor = place[file->spans[i].processor];
		file->first_span[file->spans[i].processor + 1]++;
	}
	for (uint32_t i = 0; i < n; i++)
		file->first_span[i + 1] += file->first_span[i];
	memcpy(next, file->first_span, ((size_t) n + 1) * sizeof(*next));
	for (uint32_t i = 0; i < file->n_spans; i++)
		file->order[next[file->spans[i].processor]++] = i;
	return PH_OK;
}

static PhStatus
check_order(PhTaskFile *file)
{
	for (uint32_t p = 0; p < file->n_processors; p++)
	{
		const PhFileSpan *before = NULL;
		uint32_t ordinal = 0;

		for (uint32_t i = file->first_span[p]; i < file->first_span[p + 1]; i++)
		{
			PhFileSpan *span = &file->spans[file->order[i]];

			PH_TRY(ph_env_poll(file->env));
			if (before != NULL && span->begin < before->end)
				return bad_span(file, span,
								"begins before the end of what its processor did before");
			if (!span->is_idle)
				span->ordinal = ordinal++;
			before = span;
		}
	}
	return PH_OK;
}

/* Blocks that are referred to exist; senders are known by their places. */
static PhStatus
resolve(PhTaskFile *file, const uint32_t *place)
{
	for (uint32_t i = 0; i < file->n_spans; i++)
	{
		const PhFileSpan *span = &file->spans[i];

		for (uint32_t k = 0; k < span->n_items; k++)
		{
			PhTaskItem *item = &file->items[span->first_item + k];

			if (item->kind > PH_ITEM_AFTER)
				continue;
			if (item->ref >= file->block_room || file->block_of[item->ref] == PH_NONE)
				return bad_span(file, span, "refers to a block that does not exist");
			item->ref = file->block_of[item->ref];
			if (item->ref == i)
				return bad_span(file, span, "refers to itself");
		}
	}
	for (uint32_t i = 0; i + 1 < file->message_ids.count && i < file->message_room; i++)
	{
		if (file->sender[i] != PH_NONE)
			file->sender[i] = place[file->sender[i]];
	}
	return PH_OK;
}

/* ---- records ---- */

static PhStatus
open_log(PhEnv *env, const PhTaskSource *tasks, uint32_t location, PhTaskLog **out)
{
	const PhTaskFile *file = (const PhTaskFile *) tasks;
	TaskFileLog *log;
	void *memory;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*log), &memory));
	log = memory;
	log->log = (PhTaskLog){.env = env, .tasks = tasks, .path = file->path, .place = "line"};
	log->file = file;
	log->at = file->first_span[location];
	log->end = file->first_span[location + 1];
	*out = &log->log;
	return PH_OK;
}

static void
close_log(PhTaskLog *log)
{
	ph_env_free(log->env, log, 1, sizeof(TaskFileLog));
}

static void
begin_span(TaskFileLog *log, const PhFileSpan *span, PhLogRecord *out)
{
	const PhTaskEntity *entity;

	out->time = span->begin;
	if (span->is_idle)
	{
		out->kind = PH_LOG_CALL_BEGIN;
		out->region = log->file->tasks.n_entries;
		return;
	}
	entity = &log->file->entities[span->entity];
	out->kind = PH_LOG_BEGIN;
	out->region = span->region;
	out->is_runtime = span->is_runtime;
	out->chare = (PhChareKey){.type = entity->type,
							  .collection = -1,
							  .processor = (int32_t) span->entity,
							  .n_index = entity->n_index};
	memcpy(out->chare.index, entity->index, sizeof(out->chare.index));
	log->receive = log->send = 0;
}

static void
end_span(TaskFileLog *log, const PhFileSpan *span, PhLogRecord *out)
{
	out->time = span->end;
	out->kind = span->is_idle ? PH_LOG_CALL_END : PH_LOG_END;
	out->region = span->is_idle ? log->file->tasks.n_entries : span->region;
	log->step = 0;
	log->at++;
}

/* The next item of a kind in the span, from the one at *at on; NULL: there is none. */
static const PhTaskItem *
find_item(const TaskFileLog *log, const PhFileSpan *span, PhTaskItemKind kind, uint32_t *at)
{
	for (; *at < span->n_items; (*at)++)
	{
		const PhTaskItem *item = &log->file->items[span->first_item + *at];

		if (item->kind == kind)
			return item;
	}
	return NULL;
}

static void
refer(const TaskFileLog *log, const PhFileSpan *span, const PhTaskItem *item, PhLogRecord *out)
{
	const PhFileSpan *block = &log->file->spans[item->ref];

	out->kind = item->kind == PH_ITEM_AFTER ? PH_LOG_AFTER : PH_LOG_CONTINUES;
	out->time = span->begin;
	out->location = block->processor;
	out->block = block->ordinal;
}

/* Messages in order of time, a receive before a send of the same time; false: there is none left.
 */
static bool
next_message(TaskFileLog *log, const PhFileSpan *span, PhLogRecord *out)
{
	const PhTaskItem *receive = find_item(log, span, PH_ITEM_RECEIVE, &log->receive);
	const PhTaskItem *send = find_item(log, span, PH_ITEM_SEND, &log->send);
	const PhTaskItem *item =
		receive != NULL && (send == NULL || receive->time <= send->time) ? receive : send;

	if (item == NULL)
		return false;
	out->kind = item == receive ? PH_LOG_RECEIPT : PH_LOG_CREATION;
	out->time = item->time;
	out->event = item->ref;
	out->bytes = item->bytes;
	out->sender = -1;
	if (log->file->sender[item->ref] != PH_NONE)
		out->sender = log->file->sender[item->ref];
	(*(item == receive ? &log->receive : &log->send))++;
	return true;
}

/* Steps of a span: its begin; what it refers to, an item a step; its messages; its end. */
static PhStatus
next_record(PhTaskLog *base, PhLogRecord *out, bool *more)
{
	TaskFileLog *log = (TaskFileLog *) base;
	const PhFileSpan *span;

	*out = (PhLogRecord){.kind = PH_LOG_SKIP, .event = -1};
	*more = log->at < log->end;
	if (!*more)
		return PH_OK;
	span = &log->file->spans[log->file->order[log->at]];
	base->number = span->line;
	if (log->step == 0)
	{
		begin_span(log, span, out);
		log->step = 1;
		return PH_OK;
	}
	while (log->step <= span->n_items)
	{
		const PhTaskItem *item = &log->file->items[span->first_item + log->step++ - 1];

		if (item->kind > PH_ITEM_AFTER)
			continue;
		refer(log, span, item, out);
		return PH_OK;
	}
	if (!next_message(log, span, out))
		end_span(log, span, out);
	return PH_OK;
}

/* ---- the source ---- */

static void
free_file(PhEnv *env, PhTaskSource *tasks)
{
	ph_env_free(env, tasks, 1, sizeof(PhTaskFile));
}

static PhStatus
init_file(PhTaskFile *file)
{
	PhStrings *const all[] = {&file->types,		&file->entries,		&file->entity_ids,
							  &file->block_ids, &file->message_ids, &file->nodes};

	file->arena = &file->tasks.arena;
	file->tasks.open_log = open_log;
	file->tasks.next = next_record;
	file->tasks.close_log = close_log;
	file->unit = 1;
	ph_map_init(&file->processor_of, file->arena);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		PH_TRY(ph_strings_init(all[i], file->arena));
	return PH_OK;
}

static PhStatus
read_all(PhTaskFile *file, const PhReadOptions *options)
{
	uint32_t *place;

	PH_TRY(init_file(file));
	PH_TRY(ph_task_lines_read(file));
	if (file->n_processors == 0)
		return ph_input_fail(file->env, file->input, PH_ERR_VALUE, file->input->size,
							 "there is no processor");
	PH_TRY(PH_NEW(file->arena, file->n_processors, &place));
	PH_TRY(add_locations(file, place));
	PH_TRY(add_regions(file));
	PH_TRY(add_entities(file));
	PH_TRY(order_spans(file, place));
	PH_TRY(check_order(file));
	PH_TRY(resolve(file, place));
	file->run->n_ranks = (int32_t) file->n_processors;
	file->run->n_threads = 1;
	PH_TRY(ph_task_scan(file->env, &file->tasks, options->n_threads));
	PH_TRY(ph_task_join(file->env, &file->tasks));
	return ph_task_report(file->env, &file->tasks, "tasks", file->run);
}

PhStatus
ph_read_task_lines(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	void *memory;
	PhTaskFile *file;
	PhStatus status;

	*out = ph_run_input_new();
	PH_TRY(ph_env_alloc(env, 1, sizeof(*file), &memory));
	file = memory;
	ph_task_source_init(&file->tasks, env);
	file->tasks.free_format = free_file;
	file->env = env;
	file->run = out;
	file->input = input;
	file->path = input->path;
	out->trace = &file->tasks.source;
	status = read_all(file, options);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	else
		file->input = NULL;
	return status;
}

/* ---- the reader ---- */

/* By what the first line must be. */
static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	static const char type[] = "\"type\"";
	const uint8_t *at;
	const uint8_t *end = memchr(head, '\n', size);

	(void) path;
	size = end != NULL ? (size_t) (end - head) : size;
	if (size == 0 || head[0] != '{')
		return false;
	at = memmem(head, size, type, sizeof(type) - 1);
	if (at == NULL)
		return false;
	for (at += sizeof(type) - 1; at < head + size && (*at == ' ' || *at == ':'); at++)
		;
	return (size_t) (head + size - at) >= 7 && memcmp(at, "\"tasks\"", 7) == 0;
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	PhInput input;
	PhStatus status;

	PH_TRY(ph_input_open(env, experiment->files[0], &input));
	status = ph_read_task_lines(env, &input, options, out);
	ph_input_close(&input);
	return status;
}

const PhReader ph_reader_tasks = {
	.name = "tasks",
	.description = "Traces of task-based programs as JSON lines: see docs/TASK-FORMAT.md",
	.mark = "the first line is JSON of the type \"tasks\"",
	.detect_file = detect_file,
	.read = read_experiment,
};
