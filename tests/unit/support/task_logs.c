/*
 * task_logs.c - Projections logs as Ravel reads them, for comparison with its answers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "support/tasks.h"

#define MAX_LINE 4096
#define MAX_NAMES 1024
#define MAX_TOKENS 64

#define must(expression) assert_int_equal((expression), PH_OK)

/* A message's key and its send, or a receive that waits for one. */
typedef struct Message
{
	int64_t processor, event, entry;
	uint32_t task_event;
	bool is_done;
} Message;

/* A reduction as Ravel knows it: by its message's number, whatever processor that is of. */
typedef struct Reduction
{
	int64_t array, event;
	uint32_t number;
} Reduction;

typedef struct Logs
{
	PhTaskTrace *trace;
	double version;
	int n_processors;
	int n_dimensions[MAX_NAMES]; /* by chare */
	bool is_main[MAX_NAMES];
	uint32_t entity_of_main;
	uint32_t *runtime; /* by processor */
	Message *sends, *waiting;
	uint32_t n_sends, n_waiting, room_sends, room_waiting;
	Reduction *reductions;
	uint32_t n_reductions, room_reductions, next_reduction;
	uint32_t open; /* block, PH_NONE: none */
} Logs;

static void *
grow(void *items, uint32_t n, uint32_t *room, size_t size)
{
	if (n < *room)
		return items;
	*room = 2 * *room + 64;
	items = realloc(items, *room * size);
	assert_non_null(items);
	return items;
}

static int
split(char *line, char **tokens)
{
	char *rest = NULL;
	int n = 0;
	for (char *at = strtok_r(line, " \r\n", &rest); at != NULL && n < MAX_TOKENS;
		 at = strtok_r(NULL, " \r\n", &rest))
		tokens[n++] = at;
	return n;
}

/* ------------------------------------------------------------------------------------------ sts
 */

static uint32_t
add_row(PhTaskTrace *trace, PhTaskTable table)
{
	uint32_t row;
	must(ph_task_add(trace, table, &row));
	return row;
}

/* The name between quotes, or without them up to the last `trailing` words. */
static const char *
read_name(Logs *logs, char *text, int trailing, char **rest)
{
	char *end;
	const char *name;
	text[strcspn(text, "\r\n")] = '\0';
	if (*text == '"')
		end = strchr(++text, '"');
	else
	{
		end = text + strlen(text);
		for (int i = 0; i < trailing; i++)
			while (end > text && *--end != ' ')
				continue;
		if (trailing == 0)
			end = text + strlen(text);
	}
	must(ph_task_name(logs->trace, text, (size_t) (end - text), &name));
	*rest = *end == '\0' ? end : end + 1;
	return name;
}

static void
read_chare(Logs *logs, char *text)
{
	PhTaskTrace *trace = logs->trace;
	char *rest;
	uint32_t id = (uint32_t) strtoul(text, &rest, 10), row;
	assert_true(id < MAX_NAMES);
	row = add_row(trace, PH_TASK_TYPES);
	assert_int_equal(row, id);
	trace->type_name[row] = read_name(logs, rest + 1, 0, &rest);
	logs->n_dimensions[id] = (int) strtol(rest, NULL, 10);
	trace->type_dimensions[row] = logs->n_dimensions[id];
	logs->is_main[id] =
		strcmp(trace->type_name[row], "main") == 0 || strcmp(trace->type_name[row], "Main") == 0;
}

static void
read_entry(Logs *logs, char *text)
{
	PhTaskTrace *trace = logs->trace;
	char *rest;
	uint32_t id = (uint32_t) strtoul(text, &rest, 10), row = add_row(trace, PH_TASK_ENTRIES);
	assert_int_equal(row, id);
	trace->entry_name[row] = read_name(logs, rest + 1, 2, &rest);
	trace->entry_type[row] = (uint32_t) strtoul(rest, NULL, 10);
	trace->entry_flags[row] =
		(uint8_t) ph_task_entry_flags(trace->entry_name[row], &trace->entry_serial[row]);
}

static void
read_sts(Logs *logs, const char *folder, const char *name)
{
	char path[1024], line[MAX_LINE];
	snprintf(path, sizeof(path), "%s/%s.sts", folder, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "VERSION ", 8) == 0)
			logs->version = strtod(line + 8, NULL);
		else if (strncmp(line, "PROCESSORS ", 11) == 0)
			logs->n_processors = (int) strtol(line + 11, NULL, 10);
		else if (strncmp(line, "CHARE ", 6) == 0)
			read_chare(logs, line + 6);
		else if (strncmp(line, "ENTRY CHARE ", 12) == 0)
			read_entry(logs, line + 12);
	fclose(file);
}

/* -------------------------------------------------------------------------------------- entities
 */

static uint32_t
add_entity(Logs *logs, uint32_t type, int n_dimensions, const int32_t *index, int processor)
{
	PhTaskTrace *trace = logs->trace;
	uint32_t row = add_row(trace, PH_TASK_ENTITIES);
	trace->entity_type[row] = type;
	trace->entity_collection[row] = PH_NONE;
	trace->entity_dimensions[row] = (uint8_t) n_dimensions;
	memcpy(trace->entity_index[row], index, (size_t) n_dimensions * sizeof(*index));
	trace->entity_is_runtime[row] = type == PH_NONE;
	trace->entity_processor[row] = (uint32_t) processor;
	return row;
}

static uint32_t
find_element(Logs *logs, uint32_t type, int n_dimensions, const int32_t *index, int processor)
{
	const PhTaskTrace *trace = logs->trace;
	size_t size = (size_t) n_dimensions * sizeof(*index);
	for (uint32_t e = 0; e < trace->count[PH_TASK_ENTITIES]; e++)
		if (trace->entity_type[e] == type && memcmp(trace->entity_index[e], index, size) == 0)
			return e;
	return add_entity(logs, type, n_dimensions, index, processor);
}

/* -------------------------------------------------------------------------------------- messages
 */

static uint32_t
add_event(Logs *logs, PhTaskKind kind, int64_t time)
{
	PhTaskTrace *trace = logs->trace;
	uint32_t row = add_row(trace, PH_TASK_EVENTS);
	trace->event_block[row] = logs->open;
	trace->event_kind[row] = kind;
	trace->event_time[row] = time;
	trace->event_partner[row] = PH_NONE;
	if (trace->block_end[logs->open] < time)
		trace->block_end[logs->open] = time;
	return row;
}

static bool
is_same(const Message *a, const Message *b)
{
	return a->processor == b->processor && a->event == b->event && a->entry == b->entry;
}

/* Receives that were read before their send take it, and then it is forgotten, as in Ravel. */
static void
put_send(Logs *logs, Message send)
{
	bool taken = false;
	for (uint32_t i = 0; i < logs->n_waiting; i++)
	{
		Message *waiting = &logs->waiting[i];
		if (waiting->is_done || !is_same(waiting, &send))
			continue;
		logs->trace->event_partner[waiting->task_event] = send.task_event;
		waiting->is_done = taken = true;
	}
	if (taken)
		return;
	logs->sends = grow(logs->sends, logs->n_sends, &logs->room_sends, sizeof(Message));
	logs->sends[logs->n_sends++] = send;
}

static void
put_receive(Logs *logs, Message receive, int own_processor)
{
	for (uint32_t i = logs->n_sends; i-- > 0 && receive.processor <= own_processor;)
		if (is_same(&logs->sends[i], &receive))
		{
			logs->trace->event_partner[receive.task_event] = logs->sends[i].task_event;
			return;
		}
	logs->waiting = grow(logs->waiting, logs->n_waiting, &logs->room_waiting, sizeof(Message));
	logs->waiting[logs->n_waiting++] = receive;
}

/* -------------------------------------------------------------------------------------- reductions
 */

/*
 * The reduction that a message of the runtime's chares belongs to. Ravel numbers reductions from 0
 * as it meets them, takes a 0 that it finds for "not met", and numbers that one again: its first
 * message is in a reduction of its own.
 */
static uint32_t
find_reduction(Logs *logs, int64_t array, int64_t event)
{
	Reduction *found = NULL;
	for (uint32_t i = 0; i < logs->n_reductions; i++)
		if (logs->reductions[i].array == array && logs->reductions[i].event == event)
			found = &logs->reductions[i];
	if (found == NULL)
	{
		logs->reductions =
			grow(logs->reductions, logs->n_reductions, &logs->room_reductions, sizeof(Reduction));
		found = &logs->reductions[logs->n_reductions++];
		*found = (Reduction){.array = array, .event = event};
	}
	if (found->number == 0)
		found->number = logs->next_reduction++;
	return found->number;
}

static bool
is_of_runtime(const Logs *logs, uint32_t entry)
{
	return strncmp(logs->trace->type_name[logs->trace->entry_type[entry]], "Ck", 2) == 0;
}

/* Version 7 writes the number of the array behind everything else; newer logs have none. */
static int64_t
array_of(const Logs *logs, int n_tokens, char **tokens, int place)
{
	return logs->version < 9 && n_tokens > place ? strtoll(tokens[place], NULL, 10) : 0;
}

/* ------------------------------------------------------------------------------------------ logs
 */

static void
close_block(Logs *logs, int64_t time)
{
	if (logs->open != PH_NONE && logs->trace->block_end[logs->open] < time)
		logs->trace->block_end[logs->open] = time;
	logs->open = PH_NONE;
}

/* Version 7 writes an array's number behind everything else, 0 for none. */
static bool
is_element(const Logs *logs, uint32_t chare, int n_tokens, char **tokens)
{
	if (logs->version >= 9)
		return logs->n_dimensions[chare] >= 1;
	return n_tokens > 13 && strcmp(tokens[13], "0") != 0 &&
		   strncmp(logs->trace->type_name[chare], "Ck", 2) != 0;
}

static uint32_t
find_entity(Logs *logs, uint32_t entry, int n_tokens, char **tokens, int processor)
{
	uint32_t chare = logs->trace->entry_type[entry];
	int32_t index[PH_TASK_DIMENSIONS] = {0};
	int n = logs->version >= 9 ? logs->n_dimensions[chare] : 4;
	if (logs->is_main[chare] && processor == 0)
		return logs->entity_of_main;
	if (!is_element(logs, chare, n_tokens, tokens))
		return logs->runtime[processor];
	for (int d = 0; d < n; d++)
		index[d] = (int32_t) strtol(tokens[8 + d], NULL, 10);
	return find_element(logs, chare, n, index, processor);
}

static void
begin_block(Logs *logs, int n_tokens, char **tokens, int processor)
{
	PhTaskTrace *trace = logs->trace;
	uint32_t entry = (uint32_t) strtoul(tokens[2], NULL, 10), block;
	int64_t time = strtoll(tokens[3], NULL, 10);
	close_block(logs, time);
	uint32_t entity = find_entity(logs, entry, n_tokens, tokens, processor);
	block = add_row(trace, PH_TASK_BLOCKS);
	trace->block_entity[block] = entity;
	trace->block_processor[block] = (uint32_t) processor;
	trace->block_entry[block] = entry;
	trace->block_begin[block] = trace->block_end[block] = time;
	trace->block_continues[block] = trace->block_reduction[block] = PH_NONE;
	if (is_of_runtime(logs, entry))
		trace->block_reduction[block] = find_reduction(logs, array_of(logs, n_tokens, tokens, 13),
													   strtoll(tokens[4], NULL, 10));
	logs->open = block;
	Message receive = {strtoll(tokens[5], NULL, 10), strtoll(tokens[4], NULL, 10), entry, 0, false};
	if (receive.event < 0)
		return;
	receive.task_event = add_event(logs, PH_TASK_RECEIVE, time);
	put_receive(logs, receive, processor);
}

static void
create_message(Logs *logs, int n_tokens, char **tokens, int processor)
{
	Message send = {processor, strtoll(tokens[4], NULL, 10), strtoll(tokens[2], NULL, 10), 0,
					false};
	if (logs->open == PH_NONE)
		return;
	if (is_of_runtime(logs, (uint32_t) send.entry))
		find_reduction(logs, array_of(logs, n_tokens, tokens, 8), send.event);
	send.task_event = add_event(logs, PH_TASK_SEND, strtoll(tokens[3], NULL, 10));
	put_send(logs, send);
}

static void
add_idle(Logs *logs, int64_t begin, int64_t end, int processor)
{
	uint32_t row = add_row(logs->trace, PH_TASK_IDLES);
	logs->trace->idle_processor[row] = (uint32_t) processor;
	logs->trace->idle_begin[row] = begin;
	logs->trace->idle_end[row] = end;
}

static void
read_log(Logs *logs, const char *folder, const char *name, int processor)
{
	char path[1024], line[MAX_LINE], *tokens[MAX_TOKENS];
	int64_t idle = -1;
	snprintf(path, sizeof(path), "%s/%s.%d.log", folder, name, processor);
	gzFile file = gzopen(path, "r");
	if (file == NULL)
	{
		snprintf(path, sizeof(path), "%s/%s.%d.log.gz", folder, name, processor);
		file = gzopen(path, "r");
	}
	assert_non_null(file);
	logs->open = PH_NONE;
	while (gzgets(file, line, sizeof(line)) != NULL)
	{
		int n = split(line, tokens), type = n > 0 ? atoi(tokens[0]) : 0;
		if (type == 1)
			create_message(logs, n, tokens, processor);
		else if (type == 2)
			begin_block(logs, n, tokens, processor);
		else if (type == 3)
			close_block(logs, strtoll(tokens[3], NULL, 10));
		else if (type == 14)
			idle = strtoll(tokens[1], NULL, 10);
		else if (type == 15 && idle >= 0)
			add_idle(logs, idle, strtoll(tokens[1], NULL, 10), processor);
	}
	gzclose(file);
}

/* ---------------------------------------------------------------------------------------- result
 */

/* Only what has both ends stays. */
static void
drop_unmatched(Logs *logs)
{
	PhTaskTrace *trace = logs->trace;
	uint32_t n = trace->count[PH_TASK_EVENTS], kept = 0;
	uint32_t *number = calloc(n + 1, sizeof(*number));
	uint8_t *matched = calloc(n + 1, 1);
	for (uint32_t e = 0; e < n; e++)
		if (trace->event_partner[e] != PH_NONE)
			matched[e] = matched[trace->event_partner[e]] = 1;
	for (uint32_t e = 0; e < n; e++)
		if (matched[e])
			number[e] = kept++;
	for (uint32_t e = 0; e < n; e++)
	{
		uint32_t to = number[e], partner = trace->event_partner[e];
		if (!matched[e])
			continue;
		trace->event_block[to] = trace->event_block[e];
		trace->event_kind[to] = trace->event_kind[e];
		trace->event_time[to] = trace->event_time[e];
		trace->event_partner[to] = partner == PH_NONE ? PH_NONE : number[partner];
	}
	trace->count[PH_TASK_EVENTS] = kept;
	free(number);
	free(matched);
}

void
read_ravel_logs(PhEnv *env, const char *folder, const char *name, bool labels, PhTaskTrace *out)
{
	Logs logs;
	int32_t no_index[PH_TASK_DIMENSIONS] = {0};
	uint32_t main_type = 0;
	memset(&logs, 0, sizeof(logs));
	logs.trace = out;
	ph_task_trace_init(out, env);
	read_sts(&logs, folder, name);
	logs.runtime = calloc((size_t) logs.n_processors, sizeof(uint32_t));
	for (int p = 0; p < logs.n_processors; p++)
	{
		uint32_t row = add_row(out, PH_TASK_PROCESSORS);
		out->processor_number[row] = p;
	}
	for (uint32_t t = 0; t < out->count[PH_TASK_TYPES]; t++)
		main_type = logs.is_main[t] ? t : main_type;
	logs.entity_of_main = add_entity(&logs, main_type, 0, no_index, 0);
	for (int p = 0; p < logs.n_processors; p++)
		logs.runtime[p] = add_entity(&logs, PH_NONE, 0, no_index, p);
	for (int p = 0; p < logs.n_processors; p++)
		read_log(&logs, folder, name, p);
	drop_unmatched(&logs);
	for (uint32_t i = 0; labels && i < out->count[PH_TASK_ENTRIES]; i++)
		if (ph_task_is_labelled_serial(out->type_name[out->entry_type[i]], out->entry_name[i]))
			out->entry_flags[i] |= PH_ENTRY_SERIAL;
	must(ph_task_trace_finish(out, NULL));
	free(logs.runtime);
	free(logs.sends);
	free(logs.waiting);
	free(logs.reductions);
}
