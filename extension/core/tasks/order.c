/*
 * order.c - a trace of tasks in normal order, whatever order its rows were added in.
 *
 * Entities and processors are sorted by what they are; blocks are counted into their processors,
 * events into their blocks, both stable. Columns are moved one at a time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/sort.h"
#include "tasks/trace_internal.h"

/* New numbers by old ones, of the tables that are renumbered. */
typedef struct Orderer
{
	PhTaskTrace *trace;
	PhArena arena;
	uint32_t *number[PH_TASK_TABLES]; /* by table: new number by old, NULL: as it is */
} Orderer;

/* -------------------------------------------------------------------------------- what to sort by
 */

static int
compare_processors(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskTrace *trace = context;
	return ph_compare_int64(trace->processor_number[x], trace->processor_number[y]);
}

static int
compare_names(const char *x, const char *y)
{
	return strcmp(x == NULL ? "" : x, y == NULL ? "" : y);
}

/* Applications' entities before runtimes'; the first index runs fastest. */
static int
compare_entities(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskTrace *trace = context;
	int order = ph_compare_int64(trace->entity_is_runtime[x], trace->entity_is_runtime[y]);
	if (order == 0 && trace->entity_is_runtime[x])
		order = compare_processors(trace, trace->entity_processor[x], trace->entity_processor[y]);
	if (order == 0)
		order = ph_compare_int64(trace->entity_type[x], trace->entity_type[y]);
	if (order == 0)
		order = ph_compare_int64(trace->entity_collection[x], trace->entity_collection[y]);
	if (order == 0)
		order = ph_compare_int64(trace->entity_dimensions[x], trace->entity_dimensions[y]);
	for (int d = trace->entity_dimensions[x] - 1; order == 0 && d >= 0; d--)
		order = ph_compare_int64(trace->entity_index[x][d], trace->entity_index[y][d]);
	return order != 0 ? order : compare_names(trace->entity_name[x], trace->entity_name[y]);
}

/* Idle intervals: processors have their new numbers by then. */
static int
compare_idles(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskTrace *trace = context;
	int order = ph_compare_int64(trace->idle_processor[x], trace->idle_processor[y]);
	if (order == 0)
		order = ph_compare_int64(trace->idle_begin[x], trace->idle_begin[y]);
	return order != 0 ? order : ph_compare_int64(trace->idle_end[x], trace->idle_end[y]);
}

static int
compare_edges(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskTrace *trace = context;
	int order = ph_compare_int64(trace->edge_to[x], trace->edge_to[y]);
	if (order == 0)
		order = ph_compare_int64(trace->edge_from[x], trace->edge_from[y]);
	return order != 0 ? order : ph_compare_int64(trace->edge_kind[x], trace->edge_kind[y]);
}

/* ---------------------------------------------------------------------------------- moving rows
 */

static PhStatus
find_order(Orderer *orderer, PhTaskTable table, PhCompareFunction compare)
{
	uint32_t n = orderer->trace->count[table], *order, *number;
	PH_TRY(ph_sort_indices(&orderer->arena, n, compare, orderer->trace, &order));
	PH_TRY(PH_NEW(&orderer->arena, n, &number));
	for (uint32_t i = 0; i < n; i++)
		number[order[i]] = i;
	orderer->number[table] = number;
	return PH_OK;
}

/* Rows in order of group, stable; groups are numbers below n_groups. */
static PhStatus
find_order_by_group(Orderer *orderer, PhTaskTable table, const uint32_t *group, uint32_t n_groups)
{
	uint32_t n = orderer->trace->count[table], *number, *next;
	PhArena temporary;
	PH_TRY(PH_NEW(&orderer->arena, n, &number));
	ph_arena_init(&temporary, orderer->trace->env);
	PhStatus status = PH_NEW(&temporary, (size_t) n_groups + 1, &next);
	if (status == PH_OK)
	{
		for (uint32_t i = 0; i < n; i++)
			next[group[i] + 1]++;
		for (uint32_t g = 0; g < n_groups; g++)
			next[g + 1] += next[g];
		for (uint32_t i = 0; i < n; i++)
			number[i] = next[group[i]]++;
		orderer->number[table] = number;
	}
	ph_arena_drop(&temporary);
	return status;
}

static bool
is_in_place(const uint32_t *number, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (number[i] != i)
			return false;
	return true;
}

static PhStatus
move_column(Orderer *orderer, const PhTaskColumn *column)
{
	uint32_t n = orderer->trace->count[column->table];
	const uint32_t *number = orderer->number[column->table];
	char *rows = *ph_task_column(orderer->trace, column), *moved;
	void *buffer;
	PH_TRY(ph_env_alloc(orderer->trace->env, n, column->width, &buffer));
	moved = buffer;
	for (uint32_t i = 0; i < n; i++)
		memcpy(moved + number[i] * column->width, rows + i * column->width, column->width);
	memcpy(rows, moved, n * column->width);
	ph_env_free(orderer->trace->env, buffer, n, column->width);
	return PH_OK;
}

static PhStatus
move_rows(Orderer *orderer, PhTaskTable table)
{
	if (is_in_place(orderer->number[table], orderer->trace->count[table]))
		return PH_OK;
	for (int c = 0; c < PH_TASK_COLUMNS; c++)
		if (ph_task_columns[c].table == table)
			PH_TRY(move_column(orderer, &ph_task_columns[c]));
	return PH_OK;
}

/* A column that refers to a table gets the new numbers. */
static PhStatus
refer(const Orderer *orderer, uint32_t *column, uint32_t n, PhTaskTable table)
{
	const uint32_t *number = orderer->number[table];
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(orderer->trace->env));
		if (column[i] != PH_NONE)
			column[i] = number[column[i]];
	}
	return PH_OK;
}

static PhStatus
order_processors(Orderer *orderer)
{
	PhTaskTrace *trace = orderer->trace;
	PH_TRY(find_order(orderer, PH_TASK_PROCESSORS, compare_processors));
	PH_TRY(move_rows(orderer, PH_TASK_PROCESSORS));
	PH_TRY(refer(orderer, trace->entity_processor, trace->count[PH_TASK_ENTITIES],
				 PH_TASK_PROCESSORS));
	PH_TRY(
		refer(orderer, trace->block_processor, trace->count[PH_TASK_BLOCKS], PH_TASK_PROCESSORS));
	return refer(orderer, trace->idle_processor, trace->count[PH_TASK_IDLES], PH_TASK_PROCESSORS);
}

static PhStatus
order_entities(Orderer *orderer)
{
	PhTaskTrace *trace = orderer->trace;
	PH_TRY(find_order(orderer, PH_TASK_ENTITIES, compare_entities));
	PH_TRY(move_rows(orderer, PH_TASK_ENTITIES));
	return refer(orderer, trace->block_entity, trace->count[PH_TASK_BLOCKS], PH_TASK_ENTITIES);
}

static PhStatus
order_blocks(Orderer *orderer)
{
	PhTaskTrace *trace = orderer->trace;
	PH_TRY(find_order_by_group(orderer, PH_TASK_BLOCKS, trace->block_processor,
							   trace->count[PH_TASK_PROCESSORS]));
	PH_TRY(move_rows(orderer, PH_TASK_BLOCKS));
	PH_TRY(refer(orderer, trace->block_continues, trace->count[PH_TASK_BLOCKS], PH_TASK_BLOCKS));
	return refer(orderer, trace->event_block, trace->count[PH_TASK_EVENTS], PH_TASK_BLOCKS);
}

static PhStatus
order_events(Orderer *orderer)
{
	PhTaskTrace *trace = orderer->trace;
	uint32_t n = trace->count[PH_TASK_EVENTS], n_blocks = trace->count[PH_TASK_BLOCKS];
	PH_TRY(find_order_by_group(orderer, PH_TASK_EVENTS, trace->event_block, n_blocks));
	PH_TRY(move_rows(orderer, PH_TASK_EVENTS));
	PH_TRY(refer(orderer, trace->event_partner, n, PH_TASK_EVENTS));
	PH_TRY(refer(orderer, trace->edge_from, trace->count[PH_TASK_EDGES], PH_TASK_EVENTS));
	PH_TRY(refer(orderer, trace->edge_to, trace->count[PH_TASK_EDGES], PH_TASK_EVENTS));
	memset(trace->block_first_event, 0, ((size_t) n_blocks + 1) * sizeof(uint32_t));
	for (uint32_t e = 0; e < n; e++)
		trace->block_first_event[trace->event_block[e] + 1]++;
	for (uint32_t b = 0; b < n_blocks; b++)
		trace->block_first_event[b + 1] += trace->block_first_event[b];
	return PH_OK;
}

/* Labelled serials follow the serial of their type that was declared before them. */
static PhStatus
number_serials(Orderer *orderer)
{
	PhTaskTrace *trace = orderer->trace;
	int32_t *last;
	PH_TRY(PH_NEW(&orderer->arena, trace->count[PH_TASK_TYPES], &last));
	for (uint32_t t = 0; t < trace->count[PH_TASK_TYPES]; t++)
		last[t] = PH_NO_SERIAL;
	for (uint32_t e = 0; e < trace->count[PH_TASK_ENTRIES]; e++)
	{
		int32_t *before = &last[trace->entry_type[e]];
		if ((trace->entry_flags[e] & PH_ENTRY_SERIAL) == 0)
			continue;
		if (trace->entry_serial[e] == PH_NO_SERIAL && *before < INT32_MAX)
			trace->entry_serial[e] = *before + 1;
		*before = trace->entry_serial[e];
	}
	return PH_OK;
}

/* No two processors or entities may be alike: their order would depend on who came first. */
static PhStatus
check_unique(const PhTaskTrace *trace)
{
	for (uint32_t p = 1; p < trace->count[PH_TASK_PROCESSORS]; p++)
		if (compare_processors(trace, p - 1, p) == 0)
			return ph_fail(trace->env, PH_ERR_VALUE, "processor %d is there twice",
						   trace->processor_number[p]);
	for (uint32_t e = 1; e < trace->count[PH_TASK_ENTITIES]; e++)
		if (compare_entities(trace, e - 1, e) == 0)
			return ph_fail(trace->env, PH_ERR_VALUE,
						   "entity %u of the trace of tasks is like the one before", e);
	return PH_OK;
}

static PhStatus
order_all(Orderer *orderer)
{
	PH_TRY(ph_task_trim(orderer->trace));
	PH_TRY(number_serials(orderer));
	PH_TRY(order_processors(orderer));
	PH_TRY(order_entities(orderer));
	PH_TRY(check_unique(orderer->trace));
	PH_TRY(order_blocks(orderer));
	PH_TRY(order_events(orderer));
	PH_TRY(find_order(orderer, PH_TASK_IDLES, compare_idles));
	PH_TRY(move_rows(orderer, PH_TASK_IDLES));
	PH_TRY(find_order(orderer, PH_TASK_EDGES, compare_edges));
	return move_rows(orderer, PH_TASK_EDGES);
}

static void
tell(const Orderer *orderer, PhTaskTable table, uint32_t *out)
{
	if (out != NULL)
		memcpy(out, orderer->number[table], orderer->trace->count[table] * sizeof(*out));
}

PhStatus
ph_task_trace_finish(PhTaskTrace *trace, const PhTaskRenumbering *out)
{
	Orderer orderer;
	PH_TRY(ph_task_check(trace));
	memset(&orderer, 0, sizeof(orderer));
	orderer.trace = trace;
	ph_arena_init(&orderer.arena, trace->env);
	PhStatus status = order_all(&orderer);
	if (status == PH_OK && out != NULL)
	{
		tell(&orderer, PH_TASK_ENTITIES, out->new_entity);
		tell(&orderer, PH_TASK_BLOCKS, out->new_block);
		tell(&orderer, PH_TASK_EVENTS, out->new_event);
	}
	ph_arena_drop(&orderer.arena);
	trace->is_finished = status == PH_OK;
	return status;
}
