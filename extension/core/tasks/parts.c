/*
 * parts.c - events of tasks entity by entity, linked within serial blocks, in initial parts.
 *
 * Blocks are counted into their entities (sorted by time where an entity has moved between
 * processors), their events are numbered behind one another. A receive whose block is directly
 * followed by a serial of the same chare is that serial's `when` and part of its block. Method:
 * docs/design/logical-time.md 2.3, 2.4; SC'15 2.1, 3.1.1.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/parts.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"

void
ph_task_options_default(PhTaskOptions *options)
{
	memset(options, 0, sizeof(*options));
	options->by_coordinates = true;
	options->absorb_when = true;
	options->order_serials = true;
	options->repair_blocks = true;
	options->merge_serials = true;
	options->infer_dependencies = true;
	options->leap_merge = true;
	options->use_edges = true;
}

/* What is known by block while events are numbered. */
typedef struct Blocks
{
	PhTaskParts *parts;
	PhArena arena;
	uint32_t *first, *order; /* blocks by entity: order[first[entity]..first[entity + 1]) */
	uint32_t *root;			 /* by block: the first one of its serial block */
	uint32_t *run;			 /* by block: the first of those that one message set off */
	int32_t *serial;		 /* by block */
	uint32_t *last;			 /* by root: the last event so far */
	uint32_t *place;		 /* by event of the trace: its number here */
} Blocks;

/* ------------------------------------------------------------------------------ order of blocks
 */

static int
compare_blocks(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskTrace *trace = context;
	if (trace->block_begin[x] != trace->block_begin[y])
		return trace->block_begin[x] < trace->block_begin[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static PhStatus
sort_by_time(Blocks *blocks, uint32_t entity)
{
	const PhTaskTrace *trace = blocks->parts->trace;
	uint32_t first = blocks->first[entity], n = blocks->first[entity + 1] - first, *buffer;
	uint32_t *items = blocks->order + first;
	bool sorted = true;
	for (uint32_t i = 1; i < n; i++)
		sorted = sorted && compare_blocks(trace, items[i - 1], items[i]) < 0;
	if (sorted)
		return PH_OK;
	PH_TRY(PH_NEW(&blocks->arena, n, &buffer));
	return ph_sort(blocks->parts->env, items, n, buffer, compare_blocks, trace);
}

/*
 * Blocks by entity, by counting; those of an entity that was on several processors are then sorted
 * by time.
 */
static PhStatus
order_blocks(Blocks *blocks)
{
	const PhTaskTrace *trace = blocks->parts->trace;
	uint32_t n = trace->count[PH_TASK_BLOCKS], n_entities = trace->count[PH_TASK_ENTITIES];
	PH_TRY(PH_NEW(&blocks->arena, (size_t) n_entities + 2, &blocks->first));
	PH_TRY(PH_NEW(&blocks->arena, n, &blocks->order));
	uint32_t *next = blocks->first + 1;
	for (uint32_t b = 0; b < n; b++)
		next[trace->block_entity[b] + 1]++;
	for (uint32_t e = 0; e < n_entities; e++)
		next[e + 1] += next[e];
	for (uint32_t b = 0; b < n; b++)
		blocks->order[next[trace->block_entity[b]]++] = b;
	for (uint32_t e = 0; e < n_entities; e++)
		PH_TRY(sort_by_time(blocks, e));
	return PH_OK;
}

/* ------------------------------------------------------------------------------- serial blocks
 */

static int32_t
serial_of(const PhTaskTrace *trace, uint32_t block)
{
	uint32_t entry = trace->block_entry[block];
	return entry == PH_NONE ? PH_NO_SERIAL : trace->entry_serial[entry];
}

/*
 * Is the block right before this one on the processor one of the same entity? If this one is a
 * serial, that block received what set it off.
 */
static bool
follows_own_block(const PhTaskTrace *trace, uint32_t block)
{
	return block > 0 && trace->block_processor[block - 1] == trace->block_processor[block] &&
		   trace->block_entity[block - 1] == trace->block_entity[block];
}

/*
 * By block: its serial number, the first block of its serial block (root), and of the run of blocks
 * that one message set off (run). A block goes on with the one that it continues. A receive's block
 * right before a serial of the same entity is that serial's `when`: it takes the serial's number
 * and is one block with it (docs/design/logical-time.md 2.3).
 */
static PhStatus
find_serial_blocks(Blocks *blocks)
{
	const PhTaskTrace *trace = blocks->parts->trace;
	const PhTaskOptions *options = blocks->parts->options;
	uint32_t n = trace->count[PH_TASK_BLOCKS];
	PH_TRY(PH_NEW(&blocks->arena, n, &blocks->root));
	PH_TRY(PH_NEW(&blocks->arena, n, &blocks->run));
	PH_TRY(PH_NEW(&blocks->arena, n, &blocks->serial));
	PH_TRY(PH_NEW(&blocks->arena, n, &blocks->last));
	for (uint32_t b = 0; b < n; b++)
	{
		uint32_t before = trace->block_continues[b];
		PH_TRY(ph_env_poll(blocks->parts->env));
		blocks->last[b] = PH_NONE;
		blocks->serial[b] = serial_of(trace, b);
		blocks->root[b] = before == PH_NONE || options->compat ? b : blocks->root[before];
		blocks->run[b] = b;
		if (blocks->serial[b] == PH_NO_SERIAL || !follows_own_block(trace, b))
			continue;
		blocks->run[b] = blocks->run[b - 1];
		if (!options->absorb_when || serial_of(trace, b - 1) != PH_NO_SERIAL)
			continue;
		blocks->serial[b - 1] = blocks->serial[b];
		if (!options->compat && blocks->root[b] == b)
			blocks->root[b] = blocks->root[b - 1];
	}
	return PH_OK;
}

/*
 * Are both blocks entry methods of one reduction, by the number that a patched Charm++ records?
 * Stock logs have none.
 */
static bool
in_one_reduction(const PhTaskTrace *trace, uint32_t a, uint32_t b)
{
	uint32_t x = trace->block_entry[a], y = trace->block_entry[b];
	return x != PH_NONE && y != PH_NONE && trace->block_reduction[a] != PH_NONE &&
		   trace->block_reduction[a] == trace->block_reduction[b] &&
		   (trace->entry_flags[x] & trace->entry_flags[y] & PH_ENTRY_REDUCTION) != 0 &&
		   trace->entry_type[x] == trace->entry_type[y];
}

/*
 * May e be linked to e - 1 because both are of one reduction? Ravel numbers a send by the message
 * that it creates, which is of another reduction or of none.
 */
static bool
continues_reduction(const PhTaskParts *parts, uint32_t e)
{
	if (e == parts->entity_first[parts->entity[e]] ||
		(parts->options->compat && parts->trace->event_kind[parts->event[e - 1]] == PH_TASK_SEND))
		return false;
	return in_one_reduction(parts->trace, ph_task_block(parts, e - 1), ph_task_block(parts, e));
}

/* The event before e in its serial block, or in its reduction. */
static uint32_t
find_link(const Blocks *blocks, uint32_t e)
{
	const PhTaskParts *parts = blocks->parts;
	uint32_t before = blocks->last[blocks->root[ph_task_block(parts, e)]];
	return before == PH_NONE && continues_reduction(parts, e) ? e - 1 : before;
}

static PhStatus
link_events(Blocks *blocks)
{
	PhTaskParts *parts = blocks->parts;
	for (uint32_t e = 0; e < parts->n_events; e++)
		parts->link_next[e] = PH_NONE;
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		uint32_t block = ph_task_block(parts, e), before = find_link(blocks, e);
		PH_TRY(ph_env_poll(parts->env));
		if (before != PH_NONE && parts->link_next[before] != PH_NONE)
			before = PH_NONE;
		parts->link_prev[e] = before;
		if (before != PH_NONE)
			parts->link_next[before] = e;
		blocks->last[blocks->root[block]] = e;
		parts->serial[e] = blocks->serial[block];
	}
	return PH_OK;
}

/* -------------------------------------------------------------------------------------- events
 */

/*
 * Numbers events entity by entity in the order of their blocks, so that e - 1 is the event before e
 * on its entity; place has the number by event of the trace.
 */
static PhStatus
number_events(Blocks *blocks)
{
	PhTaskParts *parts = blocks->parts;
	const PhTaskTrace *trace = parts->trace;
	uint32_t n = 0;
	for (uint32_t entity = 0; entity < parts->n_entities; entity++)
	{
		parts->entity_first[entity] = n;
		for (uint32_t i = blocks->first[entity]; i < blocks->first[entity + 1]; i++)
		{
			uint32_t b = blocks->order[i];
			PH_TRY(ph_env_poll(parts->env));
			for (uint32_t e = trace->block_first_event[b]; e < trace->block_first_event[b + 1]; e++)
			{
				parts->event[n] = e;
				parts->entity[n] = entity;
				blocks->place[e] = n++;
			}
		}
	}
	parts->entity_first[parts->n_entities] = n;
	return PH_OK;
}

/*
 * Notes at both ends of a message whether the other end is on the side of the run time; a send with
 * several receives goes by the first.
 */
static void
meet_partner(PhTaskParts *parts, uint32_t receive, uint32_t send)
{
	if ((parts->flags[send] & PH_TE_SIDE_KNOWN) == 0)
		parts->flags[send] |= (parts->flags[receive] & PH_TE_RUNTIME) != 0
								  ? PH_TE_SIDE_KNOWN | PH_TE_RUNTIME_PARTNER
								  : PH_TE_SIDE_KNOWN;
	parts->flags[receive] |= (parts->flags[send] & PH_TE_RUNTIME) != 0
								 ? PH_TE_SIDE_KNOWN | PH_TE_RUNTIME_PARTNER
								 : PH_TE_SIDE_KNOWN;
}

/*
 * Is a receive without a known send one of an entry method that only the run time calls
 * (reductions)? Then its partner's side is known all the same.
 */
static bool
comes_from_runtime(const PhTaskParts *parts, uint32_t e)
{
	uint32_t entry = parts->trace->block_entry[ph_task_block(parts, e)];
	return !parts->options->compat && (parts->flags[e] & PH_TE_RECEIVE) != 0 && entry != PH_NONE &&
		   (parts->trace->entry_flags[entry] & PH_ENTRY_OF_RUNTIME) != 0;
}

static PhStatus
find_partners(Blocks *blocks)
{
	PhTaskParts *parts = blocks->parts;
	const PhTaskTrace *trace = parts->trace;
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		parts->flags[e] = trace->event_kind[parts->event[e]] == PH_TASK_RECEIVE ? PH_TE_RECEIVE : 0;
		if (trace->entity_is_runtime[parts->entity[e]])
			parts->flags[e] |= PH_TE_RUNTIME;
	}
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		uint32_t partner = trace->event_partner[parts->event[e]];
		PH_TRY(ph_env_poll(parts->env));
		parts->partner[e] = partner == PH_NONE ? PH_NONE : blocks->place[partner];
		if (partner != PH_NONE)
			meet_partner(parts, e, parts->partner[e]);
		else if (comes_from_runtime(parts, e))
			parts->flags[e] |= PH_TE_SIDE_KNOWN | PH_TE_RUNTIME_PARTNER;
	}
	return PH_OK;
}

/* Serials that ran one right after the other were set off by one message: they were in this order.
 */
static void
mark_runs(Blocks *blocks)
{
	PhTaskParts *parts = blocks->parts;
	if (parts->options->compat || !parts->options->order_serials)
		return;
	for (uint32_t e = 0; e < parts->n_events; e++)
		if (ph_task_has_next(parts, e) &&
			blocks->run[ph_task_block(parts, e)] == blocks->run[ph_task_block(parts, e + 1)])
			parts->flags[e] |= PH_TE_NEXT;
}

static PhStatus
take_edges(Blocks *blocks)
{
	PhTaskParts *parts = blocks->parts;
	const PhTaskTrace *trace = parts->trace;
	uint32_t n = parts->options->use_edges ? trace->count[PH_TASK_EDGES] : 0;
	for (uint32_t d = 0; d < n; d++)
	{
		PH_TRY(ph_indices_add(parts->env, &parts->edge_from, blocks->place[trace->edge_from[d]]));
		PH_TRY(ph_indices_add(parts->env, &parts->edge_to, blocks->place[trace->edge_to[d]]));
	}
	parts->n_given_edges = n;
	return PH_OK;
}

/* -------------------------------------------------------------------------------- initial parts
 */

static bool
starts_with_one_of(const char *name, const char *starts)
{
	while (starts != NULL && *starts != '\0')
	{
		size_t length = strcspn(starts, ",");
		if (length > 0 && strncmp(name, starts, length) == 0)
			return true;
		starts += length + (starts[length] == ',' ? 1 : 0);
	}
	return false;
}

static PhStatus
find_breaks(PhArena *arena, const PhTaskParts *parts, bool **out)
{
	const PhTaskTrace *trace = parts->trace;
	PH_TRY(PH_NEW(arena, trace->count[PH_TASK_ENTRIES], out));
	for (uint32_t i = 0; i < trace->count[PH_TASK_ENTRIES]; i++)
		(*out)[i] = starts_with_one_of(trace->entry_name[i], parts->options->break_functions);
	return PH_OK;
}

/*
 * Are e - 1 and e, neighbours on an entity, of one serial block? In compat also when they are of
 * serials of one number.
 */
static bool
is_one_block(const PhTaskParts *parts, uint32_t e)
{
	return parts->link_prev[e] == e - 1 ||
		   (parts->options->compat && parts->serial[e - 1] != PH_NO_SERIAL &&
			parts->serial[e - 1] == parts->serial[e]);
}

/* On chares of the application, partners change from its side to the runtime's or back. */
static bool
changes_side(uint8_t before, uint8_t flags)
{
	return (flags & PH_TE_RUNTIME) == 0 && (before & flags & PH_TE_SIDE_KNOWN) != 0 &&
		   ((before ^ flags) & PH_TE_RUNTIME_PARTNER) != 0;
}

static bool
begins_block(const PhTaskParts *parts, uint32_t e)
{
	return ph_task_block(parts, e - 1) != ph_task_block(parts, e);
}

/*
 * Cuts each entity's events into initial parts: where the serial block changes, where an entry
 * method begins that breaks parts, and where partners change sides (docs/design/logical-time.md
 * 2.4).
 */
static PhStatus
start_parts(PhTaskParts *parts, const bool *breaks)
{
	uint32_t n = 0;
	uint8_t side = 0;
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		uint32_t entry = parts->trace->block_entry[ph_task_block(parts, e)];
		bool starts = e == parts->entity_first[parts->entity[e]] || !is_one_block(parts, e) ||
					  (entry != PH_NONE && breaks[entry] && begins_block(parts, e));
		PH_TRY(ph_env_poll(parts->env));
		starts = starts || changes_side(side, parts->flags[e]);
		/* an event whose partner's side is not known does not change the side */
		side = starts || (parts->flags[e] & PH_TE_SIDE_KNOWN) != 0 ? parts->flags[e] : side;
		n += starts ? 1 : 0;
		parts->part[e] = n - 1;
	}
	parts->n_initial_parts = parts->n_parts = n;
	return PH_OK;
}

static PhStatus
describe_parts(PhTaskParts *parts)
{
	PhArena *arena = &parts->arena;
	size_t n = 2 * (size_t) parts->n_parts; /* room to merge in */
	PH_TRY(PH_NEW(arena, n, &parts->runtime));
	PH_TRY(PH_NEW(arena, n, &parts->least_serial));
	PH_TRY(PH_NEW(arena, n, &parts->most_serial));
	PH_TRY(PH_NEW(arena, parts->n_parts, &parts->reasons));
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		uint32_t p = parts->part[e];
		bool is_first = e == 0 || parts->part[e - 1] != p;
		if (is_first || parts->serial[e] < parts->least_serial[p])
			parts->least_serial[p] = parts->serial[e];
		if (is_first || parts->serial[e] > parts->most_serial[p])
			parts->most_serial[p] = parts->serial[e];
		if ((parts->flags[e] & PH_TE_RUNTIME) != 0 ||
			(!parts->options->compat && (parts->flags[e] & PH_TE_RUNTIME_PARTNER) != 0))
			parts->runtime[p] = 1;
		if (!is_first)
			parts->reasons[p] = PH_REASON_BIT(PH_MERGE_SERIAL_BLOCK);
	}
	return PH_OK;
}

/* ----------------------------------------------------------------------------------------- all
 */

static PhStatus
allocate(PhTaskParts *parts)
{
	PhArena *arena = &parts->arena;
	uint32_t n = parts->n_events;
	PH_TRY(PH_NEW(arena, (size_t) parts->n_entities + 1, &parts->entity_first));
	PH_TRY(PH_NEW(arena, n, &parts->event));
	PH_TRY(PH_NEW(arena, n, &parts->entity));
	PH_TRY(PH_NEW(arena, n, &parts->partner));
	PH_TRY(PH_NEW(arena, n, &parts->link_next));
	PH_TRY(PH_NEW(arena, n, &parts->link_prev));
	PH_TRY(PH_NEW(arena, n, &parts->serial));
	PH_TRY(PH_NEW(arena, n, &parts->flags));
	return PH_NEW(arena, n, &parts->part);
}

static PhStatus
init(Blocks *blocks)
{
	PhTaskParts *parts = blocks->parts;
	bool *breaks;
	PH_TRY(allocate(parts));
	PH_TRY(PH_NEW(&blocks->arena, parts->n_events, &blocks->place));
	PH_TRY(order_blocks(blocks));
	PH_TRY(number_events(blocks));
	PH_TRY(find_serial_blocks(blocks));
	PH_TRY(link_events(blocks));
	PH_TRY(find_partners(blocks));
	mark_runs(blocks);
	PH_TRY(take_edges(blocks));
	PH_TRY(find_breaks(&blocks->arena, parts, &breaks));
	PH_TRY(start_parts(parts, breaks));
	return describe_parts(parts);
}

PhStatus
ph_task_parts_init(PhTaskParts *parts)
{
	Blocks blocks;
	memset(&blocks, 0, sizeof(blocks));
	blocks.parts = parts;
	ph_arena_init(&blocks.arena, parts->env);
	ph_arena_init(&parts->arena, parts->env);
	parts->n_events = parts->trace->count[PH_TASK_EVENTS];
	parts->n_entities = parts->trace->count[PH_TASK_ENTITIES];
	PhStatus status = init(&blocks);
	ph_arena_drop(&blocks.arena);
	return status;
}

void
ph_task_parts_free(PhTaskParts *parts)
{
	PH_VECTOR_FREE(parts->env, &parts->edge_from);
	PH_VECTOR_FREE(parts->env, &parts->edge_to);
	ph_arena_drop(&parts->arena);
}

/* ---- parts become fewer ---- */

static void
merge_attributes(PhTaskParts *parts, const uint32_t *map, uint32_t n_new)
{
	uint32_t n = 0;
	/*
	 * map may send a part to any new number, so new attributes are collected behind the old ones
	 * and copied down
	 */
	int32_t *least = parts->least_serial + parts->n_initial_parts;
	int32_t *most = parts->most_serial + parts->n_initial_parts;
	uint8_t *runtime = parts->runtime + parts->n_initial_parts;
	for (; n < n_new; n++)
	{
		least[n] = INT32_MAX;
		most[n] = INT32_MIN;
		runtime[n] = 0;
	}
	for (uint32_t p = 0; p < parts->n_parts; p++)
	{
		uint32_t q = map[p];
		least[q] = PH_MIN(parts->least_serial[p], least[q]);
		most[q] = PH_MAX(parts->most_serial[p], most[q]);
		runtime[q] |= parts->runtime[p];
	}
	memcpy(parts->least_serial, least, n_new * sizeof(*least));
	memcpy(parts->most_serial, most, n_new * sizeof(*most));
	memcpy(parts->runtime, runtime, n_new * sizeof(*runtime));
}

PhStatus
ph_task_parts_regroup(PhTaskParts *parts, const uint32_t *map, uint32_t n_new, PhMergeReason reason)
{
	PH_TRY(ph_merge_reasons(parts->env, parts->reasons, map, parts->n_parts, n_new, reason));
	merge_attributes(parts, map, n_new);
	for (uint32_t e = 0; e < parts->n_events; e++)
		parts->part[e] = map[parts->part[e]];
	parts->n_parts = n_new;
	return PH_OK;
}
