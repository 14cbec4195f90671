/*
 * trace.c - tables of a trace of tasks: columns that grow together, names, what names tell.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/trace_internal.h"

#include <string.h>

#define PH_COLUMN(table, field, spare)                                                             \
	{                                                                                              \
		(table), offsetof(PhTaskTrace, field), sizeof(*((PhTaskTrace *) NULL)->field), (spare)     \
	}

const PhTaskColumn ph_task_columns[PH_TASK_COLUMNS] = {
	PH_COLUMN(PH_TASK_TYPES, type_name, 0),
	PH_COLUMN(PH_TASK_TYPES, type_dimensions, 0),
	PH_COLUMN(PH_TASK_ENTRIES, entry_name, 0),
	PH_COLUMN(PH_TASK_ENTRIES, entry_type, 0),
	PH_COLUMN(PH_TASK_ENTRIES, entry_serial, 0),
	PH_COLUMN(PH_TASK_ENTRIES, entry_flags, 0),
	PH_COLUMN(PH_TASK_PROCESSORS, processor_number, 0),
	PH_COLUMN(PH_TASK_PROCESSORS, processor_name, 0),
	PH_COLUMN(PH_TASK_ENTITIES, entity_name, 0),
	PH_COLUMN(PH_TASK_ENTITIES, entity_type, 0),
	PH_COLUMN(PH_TASK_ENTITIES, entity_collection, 0),
	PH_COLUMN(PH_TASK_ENTITIES, entity_dimensions, 0),
	PH_COLUMN(PH_TASK_ENTITIES, entity_index, 0),
	PH_COLUMN(PH_TASK_ENTITIES, entity_is_runtime, 0),
	PH_COLUMN(PH_TASK_ENTITIES, entity_processor, 0),
	PH_COLUMN(PH_TASK_BLOCKS, block_entity, 0),
	PH_COLUMN(PH_TASK_BLOCKS, block_processor, 0),
	PH_COLUMN(PH_TASK_BLOCKS, block_entry, 0),
	PH_COLUMN(PH_TASK_BLOCKS, block_begin, 0),
	PH_COLUMN(PH_TASK_BLOCKS, block_end, 0),
	PH_COLUMN(PH_TASK_BLOCKS, block_continues, 0),
	PH_COLUMN(PH_TASK_BLOCKS, block_reduction, 0),
	PH_COLUMN(PH_TASK_BLOCKS, block_first_event, 1),
	PH_COLUMN(PH_TASK_EVENTS, event_block, 0),
	PH_COLUMN(PH_TASK_EVENTS, event_kind, 0),
	PH_COLUMN(PH_TASK_EVENTS, event_time, 0),
	PH_COLUMN(PH_TASK_EVENTS, event_length, 0),
	PH_COLUMN(PH_TASK_EVENTS, event_partner, 0),
	PH_COLUMN(PH_TASK_EVENTS, event_bytes, 0),
	PH_COLUMN(PH_TASK_IDLES, idle_processor, 0),
	PH_COLUMN(PH_TASK_IDLES, idle_begin, 0),
	PH_COLUMN(PH_TASK_IDLES, idle_end, 0),
	PH_COLUMN(PH_TASK_EDGES, edge_from, 0),
	PH_COLUMN(PH_TASK_EDGES, edge_to, 0),
	PH_COLUMN(PH_TASK_EDGES, edge_kind, 0),
};

void **
ph_task_column(PhTaskTrace *trace, const PhTaskColumn *column)
{
	return (void **) (void *) ((char *) trace + column->offset);
}

/* Room for n rows in every column of a table; new ones are zero. */
static PhStatus
resize(PhTaskTrace *trace, PhTaskTable table, uint32_t n)
{
	for (int c = 0; c < PH_TASK_COLUMNS; c++)
	{
		const PhTaskColumn *column = &ph_task_columns[c];
		void **at = ph_task_column(trace, column);
		size_t old = trace->room[c], room = (size_t) n + column->spare;
		if (column->table != table || old == room)
			continue;
		PH_TRY(ph_env_resize(trace->env, at, old, room, column->width));
		trace->room[c] = room;
		if (room > old)
			memset((char *) *at + old * column->width, 0, (room - old) * column->width);
	}
	trace->capacity[table] = n;
	return PH_OK;
}

void
ph_task_trace_init(PhTaskTrace *trace, PhEnv *env)
{
	memset(trace, 0, sizeof(*trace));
	trace->env = env;
	trace->tick = 1;
	ph_arena_init(&trace->names, env);
}

void
ph_task_trace_free(PhTaskTrace *trace)
{
	if (trace->env == NULL)
		return;
	for (int c = 0; c < PH_TASK_COLUMNS; c++)
		ph_env_free(trace->env, *ph_task_column(trace, &ph_task_columns[c]), trace->room[c],
					ph_task_columns[c].width);
	ph_arena_drop(&trace->names);
	memset(trace, 0, sizeof(*trace));
}

PhStatus
ph_task_reserve(PhTaskTrace *trace, PhTaskTable table, uint32_t n)
{
	return n > trace->capacity[table] ? resize(trace, table, n) : PH_OK;
}

PhStatus
ph_task_trim(PhTaskTrace *trace)
{
	for (int t = 0; t < PH_TASK_TABLES; t++)
		PH_TRY(resize(trace, (PhTaskTable) t, trace->count[t]));
	return PH_OK;
}

PhStatus
ph_task_add(PhTaskTrace *trace, PhTaskTable table, uint32_t *out)
{
	uint32_t n = trace->count[table];
	if (n >= PH_TASK_MAX_ROWS)
		return ph_fail(trace->env, PH_ERR_LIMIT, "more than %u rows of a trace of tasks",
					   PH_TASK_MAX_ROWS);
	if (n == trace->capacity[table])
		PH_TRY(resize(trace, table, n < 16 ? 32 : n + n / 2));
	trace->count[table] = n + 1;
	*out = n;
	return PH_OK;
}

PhStatus
ph_task_name(PhTaskTrace *trace, const char *text, size_t length, const char **out)
{
	char *copy;
	PH_TRY(ph_arena_strndup(&trace->names, text, length, &copy));
	*out = copy;
	return PH_OK;
}

size_t
ph_task_trace_bytes(const PhTaskTrace *trace)
{
	size_t bytes = ph_arena_bytes(&trace->names);
	for (int c = 0; c < PH_TASK_COLUMNS; c++)
		bytes += trace->room[c] * ph_task_columns[c].width;
	return bytes;
}

/* ------------------------------------------------------------------------------ names of entries
 */

/* The number after a mark that ends the name, PH_NO_SERIAL: the mark is not there. */
static int32_t
number_after(const char *name, const char *mark)
{
	int32_t number = PH_NO_SERIAL;
	for (const char *at = strstr(name, mark); at != NULL; at = strstr(at + 1, mark))
	{
		const char *digits = at + strlen(mark), *end = digits;
		int64_t value = 0;
		for (; *end >= '0' && *end <= '9' && value <= INT32_MAX; end++)
			value = 10 * value + (*end - '0');
		if (end > digits && value <= INT32_MAX)
			number = (int32_t) value;
	}
	return number;
}

static bool
starts_with(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

uint32_t
ph_task_entry_flags(const char *name, int32_t *serial)
{
	uint32_t flags = 0;
	*serial = number_after(name, "_serial_");
	if (*serial == PH_NO_SERIAL)
		*serial = number_after(name, "_atomic_");
	if (*serial != PH_NO_SERIAL)
		flags |= PH_ENTRY_SERIAL;
	if (starts_with(name, "SDAG_RTS"))
		flags |= PH_ENTRY_SDAG;
	if (starts_with(name, "addContribution(CkReductionMsg") ||
		starts_with(name, "RecvMsg(CkReductionMsg"))
		flags |= PH_ENTRY_REDUCTION;
	if (strstr(name, "(CkReductionMsg") != NULL)
		flags |= PH_ENTRY_OF_RUNTIME;
	return flags;
}

bool
ph_task_is_labelled_serial(const char *type, const char *name)
{
	size_t length = strlen(type);
	return strncmp(name, type, length) == 0 && name[length] == '_' && strchr(name, '(') == NULL;
}
