/*
 * join.c - the columns of all locations in order of timelines, as one model.
 *
 * Where locations came in that order, columns become the model's as they are. Else they are put in
 * order one by one, the old one freed; so memory peaks at the model and one column.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/sort.h"
#include "logical/identity.h"
#include "logical/internal.h"

typedef struct Joiner
{
	PhEnv *env;
	PhArena *temporary;
	PhLogicalColumns *columns;
	const PhLogicalPart *parts;
	uint32_t n_parts;
	const uint32_t *order;			/* of the parts that have events */
	uint32_t n;						/* of them */
	uint32_t *start[PH_ROWS_KINDS]; /* n + 1: where their rows start in order */
} Joiner;

/* ----------------------------------------------------------------------------------------- order
 */

/* The rows of a part, as they came; total: of all parts. */
static uint32_t
rows_of(const Joiner *joiner, uint32_t part, PhPartRows rows, uint32_t total)
{
	uint32_t end = part + 1 < joiner->n_parts ? joiner->parts[part + 1].first[rows] : total;
	return end - joiner->parts[part].first[rows];
}

static PhStatus
find_starts(Joiner *joiner)
{
	for (uint32_t rows = 0; rows < PH_ROWS_KINDS; rows++)
	{
		uint32_t at = 0, total = joiner->columns->n[rows];
		PH_TRY(PH_NEW(joiner->temporary, (size_t) joiner->n + 1, &joiner->start[rows]));
		for (uint32_t p = 0; p < joiner->n; p++)
		{
			joiner->start[rows][p] = at;
			at += rows_of(joiner, joiner->order[p], (PhPartRows) rows, total);
		}
		joiner->start[rows][joiner->n] = at;
	}
	return PH_OK;
}

/* Are all rows where they belong? */
static bool
is_in_order(const Joiner *joiner)
{
	for (uint32_t rows = 0; rows < PH_ROWS_KINDS; rows++)
	{
		if (joiner->start[rows][joiner->n] != joiner->columns->n[rows])
			return false;
		for (uint32_t p = 0; p < joiner->n; p++)
			if (joiner->start[rows][p] != joiner->parts[joiner->order[p]].first[rows])
				return false;
	}
	return true;
}

static PhStatus
reorder_column(const Joiner *joiner, PhPartColumn which)
{
	PhLogicalColumns *columns = joiner->columns;
	PhPartRows rows = ph_column_rows(which);
	const uint32_t *start = joiner->start[rows];
	size_t width = ph_column_width(which);
	void *memory = NULL;
	PH_TRY(ph_env_resize(joiner->env, &memory, 0, start[joiner->n], width));
	for (uint32_t p = 0; p < joiner->n; p++)
	{
		size_t from = joiner->parts[joiner->order[p]].first[rows], n = start[p + 1] - start[p];
		if (n > 0)
			memcpy((char *) memory + start[p] * width,
				   (char *) columns->column[which] + from * width, n * width);
	}
	ph_columns_drop(columns, which);
	columns->column[which] = memory;
	columns->allocated[which] = start[joiner->n];
	return PH_OK;
}

/* Ids in a column, of rows of another kind, follow those rows to their new places. */
static PhStatus
follow(const Joiner *joiner, PhPartColumn which, PhPartRows target)
{
	const uint32_t *start = joiner->start[ph_column_rows(which)];
	uint32_t *ids = PH_COLUMN(uint32_t, *joiner->columns, which);
	for (uint32_t p = 0; p < joiner->n; p++)
	{
		uint32_t old = joiner->parts[joiner->order[p]].first[target];
		for (uint32_t i = start[p]; i < start[p + 1]; i++)
		{
			PH_TRY(ph_env_poll_at(joiner->env, i));
			ids[i] = ids[i] == PH_NONE ? PH_NONE : ids[i] - old + joiner->start[target][p];
		}
	}
	return PH_OK;
}

/* The ends of sends are sends, those of receives are slots. */
static PhStatus
follow_ends(const Joiner *joiner)
{
	const PhLogicalColumns *columns = joiner->columns;
	const uint8_t *kind = PH_COLUMN(uint8_t, *columns, PH_PART_KIND);
	const uint32_t *ends = PH_COLUMN(uint32_t, *columns, PH_PART_ENDS);
	uint32_t *end = PH_COLUMN(uint32_t, *columns, PH_PART_END);
	for (uint32_t p = 0, e = 0; p < joiner->n; p++)
		for (; e < joiner->start[PH_ROWS_EVENT][p + 1]; e++)
		{
			PhPartRows target = kind[e] == PH_COMM_SEND ? PH_ROWS_SEND : PH_ROWS_SLOT;
			uint32_t old = joiner->parts[joiner->order[p]].first[target];
			PH_TRY(ph_env_poll_at(joiner->env, e));
			for (uint32_t i = 0; i < ends[e]; i++, end++)
				*end = *end - old + joiner->start[target][p];
		}
	return PH_OK;
}

static PhStatus
reorder(const Joiner *joiner)
{
	PhLogicalColumns *columns = joiner->columns;
	for (uint32_t c = 0; c < PH_PART_COLUMNS; c++)
		if (columns->wanted[c])
			PH_TRY(reorder_column(joiner, (PhPartColumn) c));
	for (uint32_t rows = 0; rows < PH_ROWS_KINDS; rows++)
		columns->n[rows] = columns->room[rows] = joiner->start[rows][joiner->n];
	PH_TRY(follow(joiner, PH_PART_CALLER, PH_ROWS_CALL));
	PH_TRY(follow(joiner, PH_PART_CALL_PARENT, PH_ROWS_CALL));
	PH_TRY(follow(joiner, PH_PART_SEND_EVENT, PH_ROWS_EVENT));
	PH_TRY(follow(joiner, PH_PART_COLL_EVENT, PH_ROWS_EVENT));
	PH_TRY(follow(joiner, PH_PART_EPOCH_EVENT, PH_ROWS_EVENT));
	return follow_ends(joiner);
}

/* ----------------------------------------------------------------------------------------- model
 */

/* A column becomes the model's. */
static void
keep(const Joiner *joiner, PhPartColumn which, void *out)
{
	memcpy(out, &joiner->columns->column[which], sizeof(void *));
	joiner->columns->column[which] = NULL;
	joiner->columns->allocated[which] = 0;
}

static PhStatus
join_timelines(const Joiner *joiner, const PhTraceModel *trace, PhLogicalModel *model)
{
	void *memory;
	model->n_timelines = joiner->n;
	PH_TRY(ph_env_alloc(joiner->env, joiner->n, sizeof(uint32_t), &memory));
	model->timeline_location = memory;
	PH_TRY(ph_env_alloc(joiner->env, joiner->n, sizeof(int32_t), &memory));
	model->timeline_rank = memory;
	PH_TRY(ph_env_alloc(joiner->env, (size_t) joiner->n + 1, sizeof(uint32_t), &memory));
	model->timeline_first = memory;
	for (uint32_t p = 0; p < joiner->n; p++)
	{
		uint32_t location = joiner->parts[joiner->order[p]].location;
		model->timeline_location[p] = location;
		model->timeline_rank[p] = trace->locations[location].rank;
	}
	memcpy(model->timeline_first, joiner->start[PH_ROWS_EVENT],
		   ((size_t) joiner->n + 1) * sizeof(uint32_t));
	model->n_events = model->timeline_first[joiner->n];
	PH_TRY(ph_env_alloc(joiner->env, model->n_events, sizeof(uint32_t), &memory));
	model->timeline = memory;
	for (uint32_t t = 0; t < joiner->n; t++)
		for (uint32_t e = model->timeline_first[t]; e < model->timeline_first[t + 1]; e++)
			model->timeline[e] = t;
	return PH_OK;
}

/* Comms of a call are those below it. */
static void
join_calls(const Joiner *joiner, PhLogicalModel *model)
{
	model->n_calls = joiner->columns->n[PH_ROWS_CALL];
	keep(joiner, PH_PART_CALL_REGION, &model->call_region);
	keep(joiner, PH_PART_CALL_PARENT, &model->call_parent);
	keep(joiner, PH_PART_CALL_COMMS, &model->call_comms);
	keep(joiner, PH_PART_CALL_IS_EVENT, &model->call_is_event);
	for (uint32_t c = model->n_calls; c-- > 0;)
		if (model->call_parent[c] != PH_NONE)
			model->call_comms[model->call_parent[c]] += model->call_comms[c];
}

/* Numbers of messages by event to where they start. */
static PhStatus
join_ends(const Joiner *joiner, PhLogicalModel *model)
{
	const uint32_t *ends = PH_COLUMN(uint32_t, *joiner->columns, PH_PART_ENDS);
	void *memory;
	PH_TRY(ph_env_alloc(joiner->env, (size_t) model->n_events + 1, sizeof(uint32_t), &memory));
	model->first_end = memory;
	for (uint32_t e = 0; e < model->n_events; e++)
		model->first_end[e + 1] = model->first_end[e] + ends[e];
	ph_columns_drop(joiner->columns, PH_PART_ENDS);
	model->n_ends = joiner->columns->n[PH_ROWS_END];
	keep(joiner, PH_PART_END, &model->message_of_end);
	return PH_OK;
}

static void
join_events(const Joiner *joiner, PhLogicalModel *model)
{
	keep(joiner, PH_PART_ENTER, &model->enter);
	keep(joiner, PH_PART_EXIT, &model->exit);
	keep(joiner, PH_PART_REGION, &model->region);
	keep(joiner, PH_PART_CALLER, &model->caller);
	keep(joiner, PH_PART_KIND, &model->kind);
	keep(joiner, PH_PART_FLAGS, &model->flags);
	keep(joiner, PH_PART_FUNCTION, &model->function_count);
	keep(joiner, PH_PART_INSIDE, &model->counter_inside);
	keep(joiner, PH_PART_BEFORE, &model->counter_before);
}

/* What the model keeps of sends is its own; messages without a send are appended later. */
static void
join_sends(const Joiner *joiner, PhLogicalModel *model, PhLogicalJoin *join)
{
	PhLogicalColumns *columns = joiner->columns;
	join->first_send = joiner->start[PH_ROWS_SEND];
	model->n_messages = join->n_sends = columns->n[PH_ROWS_SEND];
	join->send_peer = PH_COLUMN(uint32_t, *columns, PH_PART_SEND_PEER);
	join->send_comm = PH_COLUMN(uint32_t, *columns, PH_PART_SEND_COMM);
	join->send_time = PH_COLUMN(int64_t, *columns, PH_PART_SEND_TIME);
	keep(joiner, PH_PART_SEND_EVENT, &model->send_event);
	keep(joiner, PH_PART_SEND_BYTES, &model->bytes);
	keep(joiner, PH_PART_SEND_TAG, &model->tag);
}

static void
join_slots(const Joiner *joiner, PhLogicalJoin *join)
{
	PhLogicalColumns *columns = joiner->columns;
	join->first_slot = joiner->start[PH_ROWS_SLOT];
	join->n_slots = columns->n[PH_ROWS_SLOT];
	join->slot_bytes = PH_COLUMN(uint64_t, *columns, PH_PART_SLOT_BYTES);
	join->slot_peer = PH_COLUMN(uint32_t, *columns, PH_PART_SLOT_PEER);
	join->slot_comm = PH_COLUMN(uint32_t, *columns, PH_PART_SLOT_COMM);
	join->slot_tag = PH_COLUMN(uint32_t, *columns, PH_PART_SLOT_TAG);
	join->slot_time = PH_COLUMN(int64_t, *columns, PH_PART_SLOT_TIME);
	join->slot_message = join->slot_peer;
}

static void
join_collectives(const Joiner *joiner, PhLogicalJoin *join)
{
	PhLogicalColumns *columns = joiner->columns;
	join->first_coll = joiner->start[PH_ROWS_COLL];
	join->n_colls = columns->n[PH_ROWS_COLL];
	join->coll_event = PH_COLUMN(uint32_t, *columns, PH_PART_COLL_EVENT);
	join->coll_operation = PH_COLUMN(uint32_t, *columns, PH_PART_COLL_OPERATION);
	join->coll_comm = PH_COLUMN(uint32_t, *columns, PH_PART_COLL_COMM);
	join->coll_root = PH_COLUMN(uint32_t, *columns, PH_PART_COLL_ROOT);
}

static void
join_epochs(const Joiner *joiner, PhLogicalJoin *join)
{
	PhLogicalColumns *columns = joiner->columns;
	join->n_epochs = columns->n[PH_ROWS_EPOCH];
	join->epoch_event = PH_COLUMN(uint32_t, *columns, PH_PART_EPOCH_EVENT);
	join->epoch_pair = PH_COLUMN(uint32_t, *columns, PH_PART_EPOCH_PAIR);
}

/* ------------------------------------------------------------------------------------------ order
 */

typedef struct PartOrder
{
	const PhLogicalPart *parts;
	const PhTraceModel *trace;
} PartOrder;

static int
compare_numbers(int64_t x, int64_t y)
{
	return x < y ? -1 : x > y;
}

static int
compare_parts(const void *context, uint32_t x, uint32_t y)
{
	const PartOrder *order = context;
	uint32_t left = order->parts[x].location, right = order->parts[y].location;
	const PhTraceLocation *a = &order->trace->locations[left];
	const PhTraceLocation *b = &order->trace->locations[right];
	int by_rank = compare_numbers(a->rank, b->rank);
	int by_thread = compare_numbers(a->thread, b->thread);
	return by_rank != 0 ? by_rank : by_thread != 0 ? by_thread : compare_numbers(left, right);
}

/* Parts with events, in order of timelines. */
static PhStatus
order_parts(Joiner *joiner, const PhTraceModel *trace)
{
	PartOrder context = {joiner->parts, trace};
	uint32_t *order, n_events = joiner->columns->n[PH_ROWS_EVENT];
	PH_TRY(ph_sort_indices(joiner->temporary, joiner->n_parts, compare_parts, &context, &order));
	for (uint32_t p = 0; p < joiner->n_parts; p++)
		if (rows_of(joiner, order[p], PH_ROWS_EVENT, n_events) > 0)
			order[joiner->n++] = order[p];
	joiner->order = order;
	return PH_OK;
}

uint32_t
ph_logical_rank_end(const PhLogicalModel *model, uint32_t first)
{
	uint32_t next = first + 1;
	while (next < model->n_timelines && model->timeline_rank[first] >= 0 &&
		   model->timeline_rank[next] == model->timeline_rank[first])
		next++;
	return next;
}

static int
compare_times(const void *context, uint32_t x, uint32_t y)
{
	const int64_t *times = context;
	return times[x] != times[y] ? compare_numbers(times[x], times[y]) : compare_numbers(x, y);
}

PhStatus
ph_logical_by_time(PhEnv *env, uint32_t *ids, uint32_t n, const int64_t *times)
{
	void *buffer;
	PH_TRY(ph_env_alloc(env, n, sizeof(uint32_t), &buffer));
	PhStatus status = ph_sort(env, ids, n, buffer, compare_times, times);
	ph_env_free(env, buffer, n, sizeof(uint32_t));
	return status;
}

static PhStatus
join_regions(PhEnv *env, const PhTraceModel *trace, PhLogicalModel *model)
{
	void *memory;
	model->n_regions = trace->n_regions;
	PH_TRY(ph_env_alloc(env, trace->n_regions, sizeof(uint64_t), &memory));
	model->region_key = memory;
	for (uint32_t r = 0; r < trace->n_regions; r++)
		model->region_key[r] = ph_logical_region_key(trace->regions[r].name);
	return PH_OK;
}

PhStatus
ph_logical_join(PhArena *temporary, const PhTraceModel *trace, const PhLogicalOptions *options,
				PhLogicalColumns *columns, const PhLogicalPart *parts, uint32_t n_parts,
				PhLogicalModel *model, PhLogicalJoin *out)
{
	Joiner joiner = {.env = model->env,
					 .temporary = temporary,
					 .columns = columns,
					 .parts = parts,
					 .n_parts = n_parts};
	*out = (PhLogicalJoin){.model = model, .trace = trace, .options = options, .columns = columns};
	PH_TRY(order_parts(&joiner, trace));
	PH_TRY(find_starts(&joiner));
	if (is_in_order(&joiner))
		PH_TRY(ph_columns_trim(columns));
	else
		PH_TRY(reorder(&joiner));
	PH_TRY(join_regions(model->env, trace, model));
	PH_TRY(join_timelines(&joiner, trace, model));
	PH_TRY(join_ends(&joiner, model));
	join_events(&joiner, model);
	join_calls(&joiner, model);
	join_sends(&joiner, model, out);
	join_slots(&joiner, out);
	join_collectives(&joiner, out);
	join_epochs(&joiner, out);
	return PH_OK;
}
