/*
 * lines.c - lines of the neutral format, one after the other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/tasks/lines.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "readers/completeness.h"

#define VERSION 1
#define MOST_PROCESSORS (1 << 20)
#define MOST_TIME (INT64_MAX / 4)
#define MOST_ITEMS (UINT32_MAX / 4)
#define NO_ITEM PH_ITEM_CONTINUES /* the value makes no item: its kind does not matter */

/* The members of a line, whatever its type. */
typedef struct TaskLine
{
	PhTaskFile *file;
	PhJsonScan json;
	size_t start;
	uint64_t number; /* counts lines from 1 */
	PhArena arena;	 /* of the line's texts */
	char *type, *id, *class_name, *name, *host, *node, *entity, *entry;
	char *model, *unit, *title, *application, *started_at;
	int64_t version;
	int64_t processor;	/* -1: not given */
	int64_t begin, end; /* PH_NO_TIME: not given */
	bool is_runtime, ends;
	int64_t n_lines; /* -1: not given */
	uint32_t n_index;
	int32_t index[PH_CHARE_DIMENSIONS];
	uint32_t first_item;
} TaskLine;

static PhStatus
bad(const TaskLine *line, const char *what)
{
	return ph_input_fail(line->file->env, line->file->input, PH_ERR_FORMAT, line->start, "%s",
						 what);
}

/* ---- items of a block ---- */

static PhStatus
add_item(TaskLine *line, PhTaskItemKind kind, PhStrings *names, const char *name, PhTaskItem **out)
{
	PhTaskFile *file = line->file;
	uint32_t index;

	if (name == NULL || name[0] == '\0')
		return bad(line, "a message or block has no id");
	if (file->n_items == MOST_ITEMS)
		return bad(line, "there are too many messages and dependencies");
	PH_TRY(ph_strings_intern(names, name, &index));
	PH_TRY(PH_GROW(file->arena, &file->items, file->n_items, &file->item_room));
	*out = &file->items[file->n_items++];
	**out = (PhTaskItem){.kind = kind, .ref = index - 1, .time = PH_NO_TIME};
	return PH_OK;
}

/* ---- values: each reads one into its field, or makes items of it ---- */

typedef PhStatus (*ReadValue)(TaskLine *line, void *field, PhTaskItemKind kind);

static PhStatus
read_text(TaskLine *line, void *field, PhTaskItemKind kind)
{
	bool is_number;

	(void) kind;
	return ph_json_scalar(&line->json, &line->arena, field, &is_number);
}

static PhStatus
read_number(TaskLine *line, void *field, PhTaskItemKind kind)
{
	(void) kind;
	return ph_json_int(&line->json, field);
}

static PhStatus
read_time(TaskLine *line, void *field, PhTaskItemKind kind)
{
	int64_t *time = field;

	(void) kind;
	PH_TRY(ph_json_int(&line->json, time));
	if (__builtin_mul_overflow(*time, line->file->unit, time) || *time > MOST_TIME ||
		*time < -MOST_TIME)
		return bad(line, "a time is too large");
	return PH_OK;
}

static PhStatus
read_flag(TaskLine *line, void *field, PhTaskItemKind kind)
{
	char literal;

	(void) kind;
	PH_TRY(ph_json_literal(&line->json, &literal));
	*(bool *) field = literal == 't';
	return PH_OK;
}

static PhStatus
read_list(TaskLine *line, ReadValue read, PhTaskItemKind kind)
{
	bool first = true;
	bool more;

	PH_TRY(ph_json_expect(&line->json, '['));
	for (;;)
	{
		PH_TRY(ph_json_next_item(&line->json, &first, &more));
		if (!more)
			return PH_OK;
		PH_TRY(read(line, NULL, kind));
	}
}

/* {"message": id, "time": t, "bytes": n} */
static PhStatus
read_end(TaskLine *line, void *field, PhTaskItemKind kind)
{
	PhJsonScan *json = &line->json;
	PhTaskItem *item;
	char *message = NULL;
	int64_t time = PH_NO_TIME;
	int64_t bytes = 0;
	bool first = true;
	bool more;

	(void) field;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;

		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			break;
		if (ph_json_is(&key, "message"))
			PH_TRY(read_text(line, &message, NO_ITEM));
		else if (ph_json_is(&key, "time"))
			PH_TRY(read_time(line, &time, NO_ITEM));
		else if (ph_json_is(&key, "bytes"))
			PH_TRY(ph_json_int(json, &bytes));
		else
			PH_TRY(ph_json_skip(json));
	}
	if (bytes < 0)
		return bad(line, "a message has less than 0 bytes");
	PH_TRY(add_item(line, kind, &line->file->message_ids, message, &item));
	item->time = time;
	item->bytes = (uint64_t) bytes;
	return PH_OK;
}

static PhStatus
read_ends(TaskLine *line, void *field, PhTaskItemKind kind)
{
	(void) field;
	return read_list(line, read_end, kind);
}

static PhStatus
read_reference(TaskLine *line, void *field, PhTaskItemKind kind)
{
	PhTaskItem *item;
	char *name;

	(void) field;
	PH_TRY(read_text(line, &name, NO_ITEM));
	return add_item(line, kind, &line->file->block_ids, name, &item);
}

static PhStatus
read_references(TaskLine *line, void *field, PhTaskItemKind kind)
{
	(void) field;
	return read_list(line, read_reference, kind);
}

static PhStatus
read_coordinate(TaskLine *line, void *field, PhTaskItemKind kind)
{
	int64_t number;

	(void) field;
	PH_TRY(read_number(line, &number, kind));
	if (line->n_index == PH_CHARE_DIMENSIONS || number < INT32_MIN || number > INT32_MAX)
		return bad(line, "an index has up to 6 numbers of 32 bits");
	line->index[line->n_index++] = (int32_t) number;
	return PH_OK;
}

static PhStatus
read_index(TaskLine *line, void *field, PhTaskItemKind kind)
{
	(void) field;
	return read_list(line, read_coordinate, kind);
}

/* ---- members ---- */

#define FIELD(name) offsetof(TaskLine, name)
#define NO_FIELD 0 /* the reader of the value knows where it goes */

static const struct
{
	const char *key;
	ReadValue read;
	size_t field;
	PhTaskItemKind kind;
} members[] = {
	{"type", read_text, FIELD(type), NO_ITEM},
	{"id", read_text, FIELD(id), NO_ITEM},
	{"class", read_text, FIELD(class_name), NO_ITEM},
	{"name", read_text, FIELD(name), NO_ITEM},
	{"host", read_text, FIELD(host), NO_ITEM},
	{"node", read_text, FIELD(node), NO_ITEM},
	{"entity", read_text, FIELD(entity), NO_ITEM},
	{"entry", read_text, FIELD(entry), NO_ITEM},
	{"model", read_text, FIELD(model), NO_ITEM},
	{"time_unit", read_text, FIELD(unit), NO_ITEM},
	{"title", read_text, FIELD(title), NO_ITEM},
	{"application", read_text, FIELD(application), NO_ITEM},
	{"started_at", read_text, FIELD(started_at), NO_ITEM},
	{"version", read_number, FIELD(version), NO_ITEM},
	{"processor", read_number, FIELD(processor), NO_ITEM},
	{"begin", read_time, FIELD(begin), NO_ITEM},
	{"end", read_time, FIELD(end), NO_ITEM},
	{"runtime", read_flag, FIELD(is_runtime), NO_ITEM},
	{"end_record", read_flag, FIELD(ends), NO_ITEM},
	{"lines", read_number, FIELD(n_lines), NO_ITEM},
	{"index", read_index, NO_FIELD, NO_ITEM},
	{"receives", read_ends, NO_FIELD, PH_ITEM_RECEIVE},
	{"sends", read_ends, NO_FIELD, PH_ITEM_SEND},
	{"after", read_references, NO_FIELD, PH_ITEM_AFTER},
	{"continues", read_reference, NO_FIELD, PH_ITEM_CONTINUES},
};

static PhStatus
read_member(TaskLine *line, const PhJsonText *key)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
	{
		if (ph_json_is(key, members[i].key))
			return members[i].read(line, (char *) line + members[i].field, members[i].kind);
	}
	return ph_json_skip(&line->json);
}

/* ---- the first line ---- */

static PhStatus
read_unit(TaskLine *line)
{
	static const struct
	{
		const char *name;
		int64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		if (line->unit != NULL && strcmp(line->unit, units[i].name) == 0)
		{
			line->file->unit = units[i].ns;
			return PH_OK;
		}
	}
	return bad(line, "time_unit is not ns, us, ms or s");
}

static PhStatus
keep_meta(TaskLine *line, const char *key, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return PH_OK;
	return ph_meta_set(line->file->env, &line->file->run->meta, key, value, false);
}

static PhStatus
keep_name(TaskLine *line, const char *text, const char **out)
{
	char *copy;

	*out = NULL;
	if (text == NULL || text[0] == '\0')
		return PH_OK;
	PH_TRY(ph_arena_strndup(line->file->arena, text, strlen(text), &copy));
	*out = copy;
	return PH_OK;
}

static PhStatus
take_header(TaskLine *line)
{
	PhTaskFile *file = line->file;

	if (file->has_header)
		return bad(line, "there is a second line of type tasks");
	if (line->version != VERSION)
	{
		(void) ph_input_fail(file->env, file->input, PH_ERR_UNSUPPORTED, line->start,
							 "version %" PRId64 " of the format, but %d is known", line->version,
							 VERSION);
		return PH_ERR_UNSUPPORTED;
	}
	file->has_header = true;
	file->ends = line->ends;
	PH_TRY(read_unit(line));
	file->tasks.tick = (uint32_t) file->unit;
	PH_TRY(keep_name(line, line->model, &file->tasks.model));
	if (file->tasks.model == NULL)
		file->tasks.model = "tasks";
	PH_TRY(keep_meta(line, "application", line->application));
	PH_TRY(keep_meta(line, "started_at", line->started_at));
	if (line->title != NULL && line->title[0] != '\0' && file->run->title == NULL)
		return ph_run_strdup(file->env, line->title, &file->run->title);
	return PH_OK;
}

/* ---- definitions ---- */

static PhStatus
take_processor(TaskLine *line)
{
	PhTaskFile *file = line->file;
	PhTaskProcessor processor = {0};
	uint32_t *known;

	if (line->id == NULL || !ph_parse_int64(line->id, strlen(line->id), &processor.id) ||
		processor.id < 0)
		return bad(line, "a processor's id is a whole number, 0 or more");
	if (file->n_processors == MOST_PROCESSORS)
		return bad(line, "there are too many processors");
	PH_TRY(ph_map_enter(&file->processor_of, (uint64_t) processor.id, file->n_processors, &known));
	if (*known != file->n_processors)
		return bad(line, "a processor of this id was there before");
	PH_TRY(keep_name(line, line->name, &processor.name));
	PH_TRY(keep_name(line, line->host, &processor.host));
	PH_TRY(ph_strings_intern(&file->nodes, line->node, &processor.node));
	PH_TRY(PH_GROW(file->arena, &file->processors, file->n_processors, &file->processor_room));
	file->processors[file->n_processors++] = processor;
	return PH_OK;
}

static PhStatus
find_type(TaskLine *line, const char *name, bool is_runtime, uint32_t n_index, uint32_t *out)
{
	PhTaskFile *file = line->file;
	PhTaskType *type;

	PH_TRY(ph_strings_intern(&file->types, name, out));
	(*out)--;
	if (*out == file->tasks.n_types)
	{
		PH_TRY(PH_GROW(file->arena, &file->tasks.types, *out, &file->type_room));
		file->tasks.types[file->tasks.n_types++] = (PhTaskType){
			.name = file->types.text[*out + 1], .dimensions = -1, .is_runtime = is_runtime};
	}
	type = &file->tasks.types[*out];
	type->is_runtime = type->is_runtime && is_runtime;
	if (n_index > 0 && (int32_t) n_index > type->dimensions)
		type->dimensions = (int32_t) n_index;
	return PH_OK;
}

static PhStatus
take_entity(TaskLine *line)
{
	PhTaskFile *file = line->file;
	PhTaskEntity entity = {.n_index = line->n_index, .is_runtime = line->is_runtime};
	uint32_t before = file->entity_ids.count;
	uint32_t index;

	if (line->id == NULL || line->id[0] == '\0')
		return bad(line, "an entity has no id");
	if (line->class_name == NULL || line->class_name[0] == '\0')
		return bad(line, "an entity has no class");
	PH_TRY(ph_strings_intern(&file->entity_ids, line->id, &index));
	if (file->entity_ids.count == before)
		return bad(line, "an entity of this id was there before");
	PH_TRY(find_type(line, line->class_name, line->is_runtime, line->n_index, &entity.type));
	memcpy(entity.index, line->index, sizeof(entity.index));
	PH_TRY(keep_name(line, line->name, &entity.name));
	PH_TRY(PH_GROW(file->arena, &file->entities, index - 1, &file->entity_room));
	file->entities[index - 1] = entity;
	return PH_OK;
}

/* ---- blocks and idle time ---- */

static PhStatus
find_processor(TaskLine *line, uint32_t *out)
{
	PhTaskFile *file = line->file;
	uint32_t *known;

	if (line->processor < 0)
		return bad(line, "there is no processor");
	PH_TRY(ph_map_enter(&file->processor_of, (uint64_t) line->processor, PH_NONE, &known));
	*out = *known;
	return *out == PH_NONE ? bad(line, "the processor is not defined before") : PH_OK;
}

static PhStatus
check_times(const TaskLine *line)
{
	if (line->begin == PH_NO_TIME || line->end == PH_NO_TIME)
		return bad(line, "there is no begin or no end");
	return line->end < line->begin ? bad(line, "the end is before the begin") : PH_OK;
}

/* An entry method is known by its class and its name. */
static PhStatus
find_entry(TaskLine *line, const PhTaskEntity *entity, uint32_t *out)
{
	PhTaskFile *file = line->file;
	const char *type = file->tasks.types[entity->type].name;
	size_t length = strlen(type);
	size_t size = length + strlen(line->entry) + 3;
	char *name;

	PH_TRY(PH_NEW(&line->arena, size, &name));
	memcpy(name, type, length);
	memcpy(name + length, "::", 2);
	memcpy(name + length + 2, line->entry, size - length - 2);
	PH_TRY(ph_strings_intern(&file->entries, name, out));
	(*out)--;
	if (*out < file->tasks.n_entries)
		return PH_OK;
	PH_TRY(PH_GROW(file->arena, &file->tasks.entries, *out, &file->entry_room));
	file->tasks.entries[file->tasks.n_entries++] =
		(PhTaskEntry){.name = file->entries.text[*out + 1] + length + 2, .type = entity->type};
	return PH_OK;
}

/* Grow an array of numbers by name to n; what is new is PH_NONE. */
static PhStatus
grow_numbers(PhTaskFile *file, uint32_t **numbers, uint32_t *room, uint32_t n)
{
	while (*room < n)
	{
		uint32_t before = *room;

		PH_TRY(ph_grow_in_arena(file->arena, (void **) numbers, before, room, sizeof(uint32_t)));
		memset(*numbers + before, 0xff, (*room - before) * sizeof(uint32_t));
	}
	return PH_OK;
}

static PhStatus
name_block(TaskLine *line, uint32_t span)
{
	PhTaskFile *file = line->file;
	uint32_t index;

	if (line->id == NULL || line->id[0] == '\0')
		return PH_OK;
	PH_TRY(ph_strings_intern(&file->block_ids, line->id, &index));
	PH_TRY(grow_numbers(file, &file->block_of, &file->block_room, file->block_ids.count));
	if (file->block_of[index - 1] != PH_NONE)
		return bad(line, "a block of this id was there before");
	file->block_of[index - 1] = span;
	return PH_OK;
}

/* Times of the block's messages: within it and in order; a send may be told once. */
static PhStatus
check_items(TaskLine *line, const PhFileSpan *span)
{
	PhTaskFile *file = line->file;
	int64_t last[] = {span->begin, span->begin};

	PH_TRY(grow_numbers(file, &file->sender, &file->message_room, file->message_ids.count));
	for (uint32_t i = 0; i < span->n_items; i++)
	{
		PhTaskItem *item = &file->items[span->first_item + i];
		bool is_send = item->kind == PH_ITEM_SEND;

		if (item->kind != PH_ITEM_RECEIVE && !is_send)
			continue;
		if (item->time == PH_NO_TIME)
			item->time = is_send ? span->end : span->begin;
		if (item->time < last[is_send] || item->time > span->end)
			return bad(line, "a message's time is outside of its block, or before the one before");
		last[is_send] = item->time;
		if (is_send && file->sender[item->ref] != PH_NONE)
			return bad(line, "a message is sent that was sent before");
		if (is_send)
			file->sender[item->ref] = span->processor;
	}
	return PH_OK;
}

static PhStatus
add_span(TaskLine *line, const PhFileSpan *span)
{
	PhTaskFile *file = line->file;

	PH_TRY(PH_GROW(file->arena, &file->spans, file->n_spans, &file->span_room));
	file->spans[file->n_spans++] = *span;
	return PH_OK;
}

static PhStatus
take_block(TaskLine *line)
{
	PhTaskFile *file = line->file;
	PhFileSpan span = {.begin = line->begin,
					   .end = line->end,
					   .first_item = line->first_item,
					   .n_items = file->n_items - line->first_item,
					   .is_runtime = line->is_runtime,
					   .offset = line->start,
					   .line = line->number};
	uint32_t before = file->entity_ids.count;
	uint32_t entity;

	PH_TRY(find_processor(line, &span.processor));
	PH_TRY(check_times(line));
	if (line->entity == NULL || line->entry == NULL || line->entry[0] == '\0')
		return bad(line, "a block has no entity or no entry");
	PH_TRY(ph_strings_intern(&file->entity_ids, line->entity, &entity));
	if (entity == 0 || file->entity_ids.count > before)
		return bad(line, "the entity is not defined before");
	span.entity = entity - 1;
	PH_TRY(find_entry(line, &file->entities[span.entity], &span.region));
	PH_TRY(name_block(line, file->n_spans));
	PH_TRY(check_items(line, &span));
	return add_span(line, &span);
}

static PhStatus
take_idle(TaskLine *line)
{
	PhFileSpan span = {.begin = line->begin,
					   .end = line->end,
					   .is_idle = true,
					   .offset = line->start,
					   .line = line->number};

	PH_TRY(find_processor(line, &span.processor));
	PH_TRY(check_times(line));
	return add_span(line, &span);
}

/* ---- the last line ---- */

static PhStatus
take_end(TaskLine *line)
{
	line->file->has_end = true;
	line->file->n_declared = line->n_lines;
	return PH_OK;
}

/* What the end record proves, or its absence. */
static PhStatus
check_end(PhTaskFile *file, uint64_t n_lines)
{
	if (file->ends && !file->has_end)
		return ph_run_missing(file->env, file->run,
							  "its first line announces an end record, but there is none");
	if (file->has_end && file->n_declared >= 0 && (uint64_t) file->n_declared > n_lines)
		return ph_run_missing(file->env, file->run, "it has %" PRIu64 " of its %" PRId64 " lines",
							  n_lines, file->n_declared);
	if (file->has_end && file->n_declared >= 0 && (uint64_t) file->n_declared < n_lines)
		return ph_input_fail(file->env, file->input, PH_ERR_VALUE, file->input->size,
							 "there are %" PRIu64 " lines, but the end record counts %" PRId64,
							 n_lines, file->n_declared);
	file->run->is_proven = file->has_end;
	return PH_OK;
}

/* ---- lines ---- */

static PhStatus
take_line(TaskLine *line)
{
	if (line->type == NULL)
		return bad(line, "there is no type");
	if (line->file->has_end)
		return bad(line, "a line follows that of type end");
	if (strcmp(line->type, "tasks") == 0)
		return take_header(line);
	if (!line->file->has_header)
		return bad(line, "the first line is not of type tasks");
	if (strcmp(line->type, "processor") == 0)
		return take_processor(line);
	if (strcmp(line->type, "entity") == 0)
		return take_entity(line);
	if (strcmp(line->type, "block") == 0)
		return take_block(line);
	if (strcmp(line->type, "idle") == 0)
		return take_idle(line);
	if (strcmp(line->type, "end") == 0)
		return take_end(line);
	return bad(line, "the type is not tasks, processor, entity, block, idle or end");
}

static PhStatus
read_line(TaskLine *line)
{
	bool first = true;
	bool more = true;

	PH_TRY(ph_json_expect(&line->json, '{'));
	while (more)
	{
		PhJsonText key;

		PH_TRY(ph_json_next_member(&line->json, &first, &more, &key));
		if (more)
			PH_TRY(read_member(line, &key));
	}
	return take_line(line);
}

/* A last line that ends within its object: the writer did not come to its end. */
static bool
is_cut(PhTaskFile *file, const PhJsonScan *json)
{
	const uint8_t *rest = file->input->data + json->at;
	size_t size = file->input->size - json->at;
	PhJsonScan again = *json;
	bool cut = memchr(rest, '\n', size) == NULL && ph_json_skip(&again) != PH_OK;

	file->env->error = (PhError){0};
	return cut;
}

static PhStatus
read_next(PhTaskFile *file, PhJsonScan *json, uint64_t number)
{
	TaskLine line = {.file = file,
					 .json = *json,
					 .start = json->at,
					 .number = number,
					 .processor = -1,
					 .begin = PH_NO_TIME,
					 .end = PH_NO_TIME,
					 .n_lines = -1,
					 .first_item = file->n_items};
	PhStatus status = ph_env_poll(file->env);

	ph_arena_init(&line.arena, file->env);
	if (status == PH_OK)
		status = read_line(&line);
	ph_arena_drop(&line.arena);
	json->at = line.json.at;
	return status;
}

/* All whole lines. */
static PhStatus
read_lines(PhTaskFile *file, PhJsonScan *json, uint64_t *n)
{
	while (ph_json_peek(json) != '\0')
	{
		if (is_cut(file, json))
		{
			json->at = file->input->size;
			return ph_run_missing(file->env, file->run, "it ends within line %" PRIu64, *n + 1);
		}
		PH_TRY(read_next(file, json, ++*n));
	}
	return PH_OK;
}

PhStatus
ph_task_lines_read(PhTaskFile *file)
{
	PhJsonScan json = {.env = file->env, .input = file->input};
	uint64_t n_lines = 0;

	PH_TRY(read_lines(file, &json, &n_lines));
	if (json.at < file->input->size)
		return ph_input_fail(file->env, file->input, PH_ERR_FORMAT, json.at,
							 "a NUL byte is no JSON");
	if (!file->has_header)
		return ph_input_fail(file->env, file->input, PH_ERR_FORMAT, 0,
							 "there is no line of type tasks");
	return check_end(file, n_lines);
}
