/*
 * lines.h - the neutral format of task-based traces: JSON objects, a line each.
 *
 * docs/TASK-FORMAT.md says what they are. Everything is kept in memory: 56 bytes a block, 32 a
 * message's end or dependency, and the names of both.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_TASKS_LINES_H
#define PH_READERS_TASKS_LINES_H

#include "readers/json_scan.h"
#include "readers/tasks/source.h"

typedef enum PhTaskItemKind
{
	PH_ITEM_CONTINUES,
	PH_ITEM_AFTER,
	PH_ITEM_RECEIVE,
	PH_ITEM_SEND
} PhTaskItemKind;

/* What a block has: a message's end, or a block that it depends on. */
typedef struct PhTaskItem
{
	PhTaskItemKind kind;
	uint32_t ref; /* message or block, by name */
	int64_t time;
	uint64_t bytes;
} PhTaskItem;

/* A serial block, or idle time. */
typedef struct PhFileSpan
{
	int64_t begin, end;
	uint32_t processor, entity, region;
	uint32_t first_item, n_items;
	uint32_t ordinal; /* of blocks, within the processor */
	bool is_idle, is_runtime;
	uint64_t offset; /* of its line */
	uint64_t line;
} PhFileSpan;

typedef struct PhTaskEntity
{
	uint32_t type;
	uint32_t n_index;
	int32_t index[PH_CHARE_DIMENSIONS];
	const char *name;
	bool is_runtime;
} PhTaskEntity;

typedef struct PhTaskProcessor
{
	int64_t id;
	const char *name, *host;
	uint32_t node;
} PhTaskProcessor;

/* The file while it is read, and afterwards. */
typedef struct PhTaskFile
{
	PhTaskSource tasks;
	PhEnv *env;
	PhRunInput *run;
	PhInput *input;
	const char *path;
	PhArena *arena; /* of tasks */
	int64_t unit;	/* ns */
	bool has_header;
	bool ends;			/* the first line announces a last one of type end */
	bool has_end;		/* and there is one */
	int64_t n_declared; /* lines, by the last one; -1: it does not say */

	PhStrings types, entries, entity_ids, block_ids, message_ids, nodes; /* by name */
	uint32_t type_room, entry_room, entity_room;
	PhTaskEntity *entities; /* by name - 1 */
	uint32_t *block_of;		/* span by name - 1; PH_NONE: only referred to */
	uint32_t block_room;
	uint32_t *sender; /* processor by message - 1; PH_NONE: nobody sends it */
	uint32_t message_room;
	uint32_t n_processors, processor_room;
	PhTaskProcessor *processors;
	PhMap processor_of; /* by id */
	uint32_t n_spans, span_room;
	PhFileSpan *spans;
	uint32_t n_items, item_room;
	PhTaskItem *items;
	uint32_t *first_span, *order; /* spans by location, in order of time */
} PhTaskFile;

/* ---- readers/tasks/lines.c ---- */

/* Read all lines. */
PhStatus ph_task_lines_read(PhTaskFile *file) PH_MUST_CHECK;

/* ---- readers/tasks/file.c ---- */

/* Read a file's bytes; they are not needed afterwards. */
PhStatus ph_read_task_lines(PhEnv *env, PhInput *input, const PhReadOptions *options,
							PhRunInput *out) PH_MUST_CHECK;

#endif
