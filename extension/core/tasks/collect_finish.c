/*
 * collect_finish.c - what was collected, into the tables of a trace of tasks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/collect_internal.h"

#include <string.h>

typedef struct Filling
{
	PhTaskCollector *collector;
	const PhTaskDefinitions *definitions;
	PhTaskTrace *out;
	PhTaskOrigin *origin; /* in order of adding until the end */
	PhArena scratch;
	PhArena *arena;
	uint32_t *entity_of_chare;
	uint32_t first_runtime; /* entity of processor 0's run time */
} Filling;

/* ---- definitions ---- */

static PhStatus
copy_name(PhTaskTrace *out, const char *text, const char **name)
{
	*name = NULL;
	return text == NULL ? PH_OK : ph_task_name(out, text, strlen(text), name);
}

static PhStatus
add_types(Filling *filling)
{
	const PhTaskDefinitions *from = filling->definitions;
	PhTaskTrace *out = filling->out;
	bool is_charm = from->model != NULL && strcmp(from->model, "charm++") == 0;
	uint32_t row;

	for (uint32_t i = 0; i < from->n_types; i++)
	{
		PH_TRY(ph_task_add(out, PH_TASK_TYPES, &row));
		PH_TRY(copy_name(out, from->type_name[i], &out->type_name[row]));
		out->type_dimensions[row] = from->type_dimensions[i];
	}
	for (uint32_t i = 0; i < from->n_entries; i++)
	{
		const char *name = from->entry_name[i] == NULL ? "" : from->entry_name[i];

		PH_TRY(ph_task_add(out, PH_TASK_ENTRIES, &row));
		PH_TRY(copy_name(out, name, &out->entry_name[row]));
		out->entry_type[row] = from->entry_name[i] == NULL ? 0 : from->entry_type[i];
		out->entry_flags[row] = (uint8_t) ph_task_entry_flags(name, &out->entry_serial[row]);
		if (is_charm && *name != '\0' &&
			ph_task_is_labelled_serial(out->type_name[out->entry_type[row]], name))
			out->entry_flags[row] |= PH_ENTRY_SERIAL;
	}
	return PH_OK;
}

static PhStatus
add_processors(Filling *filling)
{
	const PhTraceModel *model = filling->collector->model;
	PhTaskTrace *out = filling->out;
	uint32_t row;

	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		const PhTraceLocation *location = &model->locations[i];

		PH_TRY(ph_task_add(out, PH_TASK_PROCESSORS, &row));
		out->processor_number[row] = location->rank >= 0 ? location->rank : (int32_t) i;
		PH_TRY(copy_name(out, location->host[0] != '\0' ? location->host : NULL,
						 &out->processor_name[row]));
	}
	return PH_OK;
}

static PhStatus
add_chare(Filling *filling, uint32_t chare)
{
	const PhTaskDefinitions *from = filling->definitions;
	PhTaskTrace *out = filling->out;
	uint32_t row;

	PH_TRY(ph_task_add(out, PH_TASK_ENTITIES, &row));
	PH_TRY(copy_name(out, from->chare_name[chare], &out->entity_name[row]));
	out->entity_type[row] = from->chare_type[chare];
	out->entity_collection[row] = from->chare_collection[chare];
	out->entity_dimensions[row] = from->chare_dimensions[chare];
	memcpy(out->entity_index[row], from->chare_index[chare], sizeof(out->entity_index[row]));
	out->entity_processor[row] = from->chare_location[chare];
	filling->entity_of_chare[chare] = row;
	return PH_OK;
}

static PhStatus
add_runtime(Filling *filling, uint32_t processor)
{
	PhTaskTrace *out = filling->out;
	uint32_t row;

	PH_TRY(ph_task_add(out, PH_TASK_ENTITIES, &row));
	out->entity_name[row] = NULL;
	out->entity_type[row] = out->entity_collection[row] = PH_NONE;
	out->entity_is_runtime[row] = 1;
	out->entity_processor[row] = processor;
	if (processor == 0)
		filling->first_runtime = row;
	return PH_OK;
}

static PhStatus
add_entities(Filling *filling)
{
	const PhTaskDefinitions *from = filling->definitions;

	PH_TRY(PH_NEW(filling->arena, from->n_chares, &filling->entity_of_chare));
	for (uint32_t i = 0; i < from->n_chares; i++)
	{
		filling->entity_of_chare[i] = PH_NONE;
		if (!from->chare_is_runtime[i])
			PH_TRY(add_chare(filling, i));
	}
	for (uint32_t i = 0; i < filling->collector->model->n_locations; i++)
		PH_TRY(add_runtime(filling, i));
	return PH_OK;
}

/* ---- dependencies ---- */

/* The piece of a location's block; PH_NONE: there is none. */
static uint32_t
find_block(const PhTaskCollector *collector, uint32_t location, uint32_t block)
{
	const PhTaskSpan *span = &collector->spans[location];

	return block < span->n_blocks ? collector->blocks[span->first_block + block] : PH_NONE;
}

static uint32_t
entity_of(const Filling *filling, const PhTaskPiece *piece)
{
	uint32_t entity = piece->chare == PH_NONE ? PH_NONE : filling->entity_of_chare[piece->chare];

	return piece->is_runtime || entity == PH_NONE ? filling->first_runtime + piece->processor
												  : entity;
}

/* A block that goes on elsewhere, or as another entity, depends on the piece before. */
static void
settle_dependency(const Filling *filling, PhTaskDependency *dependency)
{
	PhTaskCollector *collector = filling->collector;
	uint32_t before = find_block(collector, dependency->location, dependency->block);
	PhTaskPiece *piece = &collector->pieces[dependency->piece];

	dependency->block = before == dependency->piece ? PH_NONE : before;
	if (dependency->block == PH_NONE)
		return;
	if (dependency->continues && before < dependency->piece && piece->continues == PH_NONE &&
		collector->pieces[before].processor == piece->processor &&
		entity_of(filling, &collector->pieces[before]) == entity_of(filling, piece))
	{
		piece->continues = before;
		dependency->block = PH_NONE;
		return;
	}
	if (collector->pieces[before].n_events == 0)
		collector->pieces[before].has_tail = true;
	if (piece->n_events == 0)
		piece->has_head = true;
}

/* ---- messages ---- */

/* The send that a receive is of; PH_NONE: it is not there. */
static uint32_t
task_find_send(const PhTaskCollector *collector, const PhTaskEvent *receive)
{
	const PhTaskSpan *span;
	uint32_t low;
	uint32_t high;

	if (receive->peer >= collector->model->n_locations)
		return PH_NONE;
	span = &collector->spans[receive->peer];
	low = span->first_event;
	high = span->first_event + span->n_events;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (collector->events[middle].seq <= receive->peer_seq)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == span->first_event)
		return PH_NONE;
	low--;
	return collector->events[low].kind == PH_TASK_SEND &&
				   receive->peer_seq - collector->events[low].seq < collector->events[low].n_records
			   ? low
			   : PH_NONE;
}

static PhStatus
add_event(Filling *filling, uint32_t block, const PhTaskEvent *event, uint32_t *row)
{
	PhTaskTrace *out = filling->out;

	PH_TRY(ph_task_add(out, PH_TASK_EVENTS, row));
	out->event_block[*row] = block;
	out->event_kind[*row] = event->kind;
	out->event_time[*row] = event->time;
	out->event_bytes[*row] = event->bytes;
	out->event_partner[*row] = PH_NONE;
	filling->origin->event_seq[*row] = event->seq;
	filling->origin->event_location[*row] = out->block_processor[block];
	return PH_OK;
}

/* ---- blocks ---- */

static PhStatus
add_block(Filling *filling, uint32_t index)
{
	PhTaskCollector *collector = filling->collector;
	PhTaskTrace *out = filling->out;
	PhTaskPiece *piece = &collector->pieces[index];
	PhTaskEvent made = {.kind = PH_TASK_RECEIVE, .time = piece->begin, .seq = PH_TASK_NO_SEQ};
	uint32_t row;

	PH_TRY(ph_task_add(out, PH_TASK_BLOCKS, &row));
	out->block_entity[row] = entity_of(filling, piece);
	out->block_processor[row] = piece->processor;
	out->block_entry[row] = piece->entry;
	out->block_begin[row] = piece->begin;
	out->block_end[row] = piece->end;
	out->block_continues[row] = piece->continues;
	out->block_reduction[row] = PH_NONE;
	filling->origin->block_chare[row] = piece->chare;
	filling->origin->block_seq[row] = piece->seq;
	filling->origin->block_ordinal[row] = piece->ordinal;
	piece->head = piece->tail = PH_NONE;
	if (piece->has_head)
		PH_TRY(add_event(filling, row, &made, &piece->head));
	for (uint32_t i = 0; i < piece->n_events; i++)
	{
		PhTaskEvent *event = &collector->events[piece->first_event + i];

		PH_TRY(add_event(filling, row, event, &event->row));
		piece->head = piece->head == PH_NONE ? event->row : piece->head;
		piece->tail = event->row;
	}
	made.kind = PH_TASK_SEND;
	made.time = piece->end;
	if (piece->has_tail)
		PH_TRY(add_event(filling, row, &made, &piece->tail));
	return PH_OK;
}

static PhStatus
make_origin(Filling *filling, uint32_t n_blocks, uint32_t n_events)
{
	PhTaskOrigin *origin = filling->origin;

	PH_TRY(PH_NEW(filling->arena, n_blocks, &origin->block_chare));
	PH_TRY(PH_NEW(filling->arena, n_blocks, &origin->block_seq));
	PH_TRY(PH_NEW(filling->arena, n_blocks, &origin->block_ordinal));
	PH_TRY(PH_NEW(filling->arena, n_events, &origin->event_seq));
	return PH_NEW(filling->arena, n_events, &origin->event_location);
}

static PhStatus
add_blocks(Filling *filling)
{
	PhTaskCollector *collector = filling->collector;
	uint32_t n_events = collector->n_events;

	for (uint32_t i = 0; i < collector->n_pieces; i++)
		n_events += collector->pieces[i].has_head + collector->pieces[i].has_tail;
	PH_TRY(make_origin(filling, collector->n_pieces, n_events));
	PH_TRY(ph_task_reserve(filling->out, PH_TASK_BLOCKS, collector->n_pieces));
	PH_TRY(ph_task_reserve(filling->out, PH_TASK_EVENTS, n_events));
	for (uint32_t i = 0; i < collector->n_pieces; i++)
	{
		PH_TRY(ph_env_poll(collector->env));
		PH_TRY(add_block(filling, i));
	}
	for (uint32_t i = 0; i < collector->n_events; i++)
	{
		const PhTaskEvent *event = &collector->events[i];
		uint32_t send = PH_NONE;

		PH_TRY(ph_env_poll(collector->env));
		if (event->kind == PH_TASK_RECEIVE && event->peer != PH_NONE)
			send = task_find_send(collector, event);
		if (send != PH_NONE)
			filling->out->event_partner[event->row] = collector->events[send].row;
	}
	return PH_OK;
}

static PhStatus
add_idles(Filling *filling)
{
	const PhTaskCollector *collector = filling->collector;
	PhTaskTrace *out = filling->out;
	uint32_t row;

	for (uint32_t i = 0; i < collector->n_idles; i++)
	{
		PH_TRY(ph_task_add(out, PH_TASK_IDLES, &row));
		out->idle_processor[row] = collector->idles[i].processor;
		out->idle_begin[row] = collector->idles[i].begin;
		out->idle_end[row] = collector->idles[i].end;
	}
	return PH_OK;
}

static PhStatus
add_edges(Filling *filling)
{
	const PhTaskCollector *collector = filling->collector;
	PhTaskTrace *out = filling->out;
	uint32_t row;

	for (uint32_t i = 0; i < collector->n_dependencies; i++)
	{
		const PhTaskDependency *dependency = &collector->dependencies[i];
		uint32_t from;
		uint32_t to;

		if (dependency->block == PH_NONE)
			continue;
		from = collector->pieces[dependency->block].tail;
		to = collector->pieces[dependency->piece].head;
		if (from == to)
			continue;
		PH_TRY(ph_task_add(out, PH_TASK_EDGES, &row));
		out->edge_from[row] = from;
		out->edge_to[row] = to;
		out->edge_kind[row] = dependency->kind;
	}
	return PH_OK;
}

/* ---- the end ---- */

/* Items of one size to where their rows went. */
static PhStatus
permute(PhArena *arena, void **items, size_t size, uint32_t n, const uint32_t *places)
{
	char *out;

	PH_TRY(ph_arena_alloc(arena, n, size, (void **) &out));
	for (uint32_t i = 0; i < n; i++)
		memcpy(out + (size_t) places[i] * size, (const char *) *items + (size_t) i * size, size);
	*items = out;
	return PH_OK;
}

static PhStatus
finish_trace(Filling *filling)
{
	PhTaskTrace *out = filling->out;
	PhTaskOrigin *origin = filling->origin;
	PhTaskRenumbering numbers;
	uint32_t n_blocks = out->count[PH_TASK_BLOCKS];
	uint32_t n_events = out->count[PH_TASK_EVENTS];

	PH_TRY(PH_NEW(&filling->scratch, out->count[PH_TASK_ENTITIES], &numbers.new_entity));
	PH_TRY(PH_NEW(&filling->scratch, n_blocks, &numbers.new_block));
	PH_TRY(PH_NEW(&filling->scratch, n_events, &numbers.new_event));
	PH_TRY(ph_task_trace_finish(out, &numbers));
	PH_TRY(permute(filling->arena, (void **) &origin->block_chare, 4, n_blocks, numbers.new_block));
	PH_TRY(permute(filling->arena, (void **) &origin->block_seq, 8, n_blocks, numbers.new_block));
	PH_TRY(
		permute(filling->arena, (void **) &origin->block_ordinal, 4, n_blocks, numbers.new_block));
	PH_TRY(permute(filling->arena, (void **) &origin->event_seq, 8, n_events, numbers.new_event));
	PH_TRY(
		permute(filling->arena, (void **) &origin->event_location, 4, n_events, numbers.new_event));
	for (uint32_t i = 0; i < filling->definitions->n_chares; i++)
	{
		if (filling->entity_of_chare[i] != PH_NONE)
			filling->entity_of_chare[i] = numbers.new_entity[filling->entity_of_chare[i]];
	}
	origin->n_chares = filling->definitions->n_chares;
	origin->entity_of_chare = filling->entity_of_chare;
	return PH_OK;
}

static PhStatus
fill(Filling *filling)
{
	PhTaskCollector *collector = filling->collector;

	filling->out->tick = filling->definitions->tick;
	PH_TRY(add_types(filling));
	PH_TRY(add_processors(filling));
	PH_TRY(add_entities(filling));
	for (uint32_t i = 0; i < collector->n_dependencies; i++)
		settle_dependency(filling, &collector->dependencies[i]);
	PH_TRY(add_blocks(filling));
	PH_TRY(add_idles(filling));
	PH_TRY(add_edges(filling));
	return finish_trace(filling);
}

PhStatus
ph_task_collector_finish(PhTaskCollector *collector, PhArena *arena, PhTaskTrace *out,
						 PhTaskOrigin *origin)
{
	Filling filling = {.collector = collector,
					   .definitions = collector->definitions,
					   .out = out,
					   .origin = origin,
					   .arena = arena};
	PhStatus status;

	ph_task_collector_end(collector);
	ph_arena_init(&filling.scratch, collector->env);
	ph_task_trace_init(out, collector->env);
	status = fill(&filling);
	ph_arena_drop(&filling.scratch);
	if (status != PH_OK)
		ph_task_trace_free(out);
	return status;
}
