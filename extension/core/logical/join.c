/*
 * join.c - the columns of all locations in order of timelines, as one model.
 *
 * Where locations came in that order, columns become the model's as they are. Else they are put in
 * order (gather.c).
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
	PhGathering gathering; /* of the parts that have events */
	const uint32_t *order;
	uint32_t n;
	uint32_t *const *start;
} Joiner;

/* ----------------------------------------------------------------------------------------- order
 */

/* Parts with events, in order of timelines. */
static PhStatus
order_parts(Joiner *joiner, const PhTraceModel *trace)
{
	PhGathering *gathering = &joiner->gathering;
	uint32_t *order, n = 0;
	PH_TRY(
		ph_logical_order_parts(joiner->temporary, trace, joiner->parts, joiner->n_parts, &order));
	for (uint32_t p = 0; p < joiner->n_parts; p++)
	{
		const PhLogicalPart *part = &joiner->parts[order[p]];
		if (part->end[PH_ROWS_EVENT] > part->first[PH_ROWS_EVENT])
			order[n++] = order[p];
	}
	*gathering =
		(PhGathering){.columns = joiner->columns, .parts = joiner->parts, .order = order, .n = n};
	PH_TRY(ph_gathering_find_starts(gathering, joiner->temporary));
	joiner->order = order;
	joiner->n = n;
	joiner->start = gathering->start;
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

/* -------------------------------------------------------------------------------------- timelines
 */

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
	return times[x] != times[y] ? ph_compare_int64(times[x], times[y]) : ph_compare_int64(x, y);
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
	if (is_in_order(&joiner))
		PH_TRY(ph_columns_trim(columns));
	else
		PH_TRY(ph_gathering_run(&joiner.gathering));
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
