/*
 * logical_join.c - the parts of all locations behind one another, as one model.
 *
 * Column by column: the whole array is made, filled from the parts, whose own column is then freed;
 * so memory peaks at the model and one column. Local ids become global by adding where the part
 * starts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "hash.h"
#include "logical_internal.h"
#include "sort.h"

typedef struct Joiner
{
	PhEnv *env;
	PhArena *temporary;
	PhLogicalPart *parts;
	const uint32_t *order; /* of the parts that have events */
	uint32_t n;
} Joiner;

static PhVector *
vector_at(const Joiner *joiner, uint32_t place, PhPartColumn which)
{
	return &joiner->parts[joiner->order[place]].column[which];
}

/* Where each part's elements of a column start; n + 1 numbers. */
static PhStatus
starts_of(const Joiner *joiner, PhPartColumn which, uint32_t *starts)
{
	uint64_t total = 0;
	for (uint32_t p = 0; p < joiner->n; p++)
	{
		starts[p] = (uint32_t) total;
		total += vector_at(joiner, p, which)->count;
		if (total >= (uint64_t) 1 << 30)
			return ph_fail_hint(joiner->env, PH_ERR_LIMIT,
								"Split the trace by time, or leave out locations.",
								"more than %u events in one logical structure", 1u << 30);
	}
	starts[joiner->n] = (uint32_t) total;
	return PH_OK;
}

/* Copy a column of all parts to memory of the right size and free it. */
static PhStatus
drain(const Joiner *joiner, PhPartColumn which, void *memory)
{
	char *at = memory;
	for (uint32_t p = 0; p < joiner->n; p++)
	{
		PhVector *vector = vector_at(joiner, p, which);
		size_t bytes = (size_t) vector->count * vector->width;
		PH_TRY(ph_env_poll(joiner->env));
		if (bytes > 0)
			memcpy(at, vector->items, bytes);
		at += bytes;
		ph_vector_free(joiner->env, vector);
	}
	return PH_OK;
}

/* A column as an array of the model's. */
static PhStatus
keep(const Joiner *joiner, PhPartColumn which, size_t count, size_t width, void *out)
{
	void *memory;
	PH_TRY(ph_env_alloc(joiner->env, count, width, &memory));
	memcpy(out, &memory, sizeof(memory));
	return drain(joiner, which, memory);
}

/* A column for the time of joining. */
static PhStatus
borrow(const Joiner *joiner, PhPartColumn which, size_t count, size_t width, void *out)
{
	void *memory;
	PH_TRY(ph_arena_alloc(joiner->temporary, count, width, &memory));
	memcpy(out, &memory, sizeof(memory));
	return drain(joiner, which, memory);
}

/* ids within [starts[p], starts[p + 1]) are local to part p: add offset[p]. */
static PhStatus
shift(const Joiner *joiner, uint32_t *ids, const uint32_t *starts, const uint32_t *offset)
{
	for (uint32_t p = 0; p < joiner->n; p++)
		for (uint32_t i = starts[p]; i < starts[p + 1]; i++)
		{
			PH_TRY(ph_env_poll(joiner->env));
			ids[i] = ids[i] == PH_NONE ? PH_NONE : ids[i] + offset[p];
		}
	return PH_OK;
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
	PH_TRY(starts_of(joiner, PH_PART_ENTER, model->timeline_first));
	model->n_events = model->timeline_first[joiner->n];
	PH_TRY(ph_env_alloc(joiner->env, model->n_events, sizeof(uint32_t), &memory));
	model->timeline = memory;
	for (uint32_t t = 0; t < joiner->n; t++)
		for (uint32_t e = model->timeline_first[t]; e < model->timeline_first[t + 1]; e++)
			model->timeline[e] = t;
	return PH_OK;
}

static PhStatus
join_calls(const Joiner *joiner, PhLogicalModel *model)
{
	uint32_t *starts;
	PH_TRY(PH_NEW(joiner->temporary, (size_t) joiner->n + 1, &starts));
	PH_TRY(starts_of(joiner, PH_PART_CALL_REGION, starts));
	uint32_t n = model->n_calls = starts[joiner->n];
	PH_TRY(keep(joiner, PH_PART_CALL_REGION, n, 4, &model->call_region));
	PH_TRY(keep(joiner, PH_PART_CALL_PARENT, n, 4, &model->call_parent));
	PH_TRY(keep(joiner, PH_PART_CALL_COMMS, n, 4, &model->call_comms));
	PH_TRY(keep(joiner, PH_PART_CALL_IS_EVENT, n, 1, &model->call_is_event));
	PH_TRY(shift(joiner, model->call_parent, starts, starts));
	PH_TRY(shift(joiner, model->caller, model->timeline_first, starts));
	for (uint32_t c = n; c-- > 0;)
		if (model->call_parent[c] != PH_NONE)
			model->call_comms[model->call_parent[c]] += model->call_comms[c];
	return PH_OK;
}

/* Numbers of messages by event to where they start. */
static PhStatus
join_ends(const Joiner *joiner, PhLogicalModel *model, PhLogicalJoin *join)
{
	uint32_t *starts;
	uint32_t n = model->n_events;
	void *memory;
	PH_TRY(PH_NEW(joiner->temporary, (size_t) joiner->n + 1, &starts));
	PH_TRY(starts_of(joiner, PH_PART_END, starts));
	model->n_ends = starts[joiner->n];
	PH_TRY(ph_env_alloc(joiner->env, (size_t) n + 1, sizeof(uint32_t), &memory));
	model->first_end = memory;
	PH_TRY(drain(joiner, PH_PART_ENDS, model->first_end + 1));
	for (uint32_t e = 0; e < n; e++)
		model->first_end[e + 1] += model->first_end[e];
	PH_TRY(keep(joiner, PH_PART_END, model->n_ends, 4, &model->message_of_end));
	for (uint32_t t = 0; t < joiner->n; t++)
		for (uint32_t e = model->timeline_first[t]; e < model->timeline_first[t + 1]; e++)
		{
			bool sends = model->kind[e] == PH_COMM_SEND;
			uint32_t offset = sends ? join->first_send[t] : join->first_slot[t];
			PH_TRY(ph_env_poll(joiner->env));
			for (uint32_t i = model->first_end[e]; i < model->first_end[e + 1]; i++)
				model->message_of_end[i] += offset;
		}
	return PH_OK;
}

static PhStatus
join_events(const Joiner *joiner, const PhLogicalOptions *options, PhLogicalModel *model)
{
	uint32_t n = model->n_events;
	PH_TRY(keep(joiner, PH_PART_ENTER, n, 8, &model->enter));
	PH_TRY(keep(joiner, PH_PART_EXIT, n, 8, &model->exit));
	PH_TRY(keep(joiner, PH_PART_REGION, n, 4, &model->region));
	PH_TRY(keep(joiner, PH_PART_CALLER, n, 4, &model->caller));
	PH_TRY(keep(joiner, PH_PART_KIND, n, 1, &model->kind));
	PH_TRY(keep(joiner, PH_PART_FLAGS, n, 1, &model->flags));
	if (options->phase_function != NULL)
		PH_TRY(keep(joiner, PH_PART_FUNCTION, n, 4, &model->function_count));
	if (options->counter != PH_NONE)
	{
		PH_TRY(keep(joiner, PH_PART_INSIDE, n, 8, &model->counter_inside));
		PH_TRY(keep(joiner, PH_PART_BEFORE, n, 8, &model->counter_before));
	}
	return PH_OK;
}

static PhStatus
new_starts(const Joiner *joiner, PhPartColumn which, uint32_t **starts, uint32_t *total)
{
	PH_TRY(PH_NEW(joiner->temporary, (size_t) joiner->n + 1, starts));
	PH_TRY(starts_of(joiner, which, *starts));
	*total = (*starts)[joiner->n];
	return PH_OK;
}

/* Times of messages are recorded on all locations or on none. */
static bool
has_times(const Joiner *joiner, PhPartColumn which)
{
	for (uint32_t p = 0; p < joiner->n; p++)
		if (vector_at(joiner, p, which)->count > 0)
			return true;
	return false;
}

/* What the model keeps of sends is its own; messages without a send are appended later. */
static PhStatus
join_sends(const Joiner *joiner, PhLogicalModel *model, PhLogicalJoin *join)
{
	PH_TRY(new_starts(joiner, PH_PART_SEND_EVENT, &join->first_send, &join->n_sends));
	uint32_t n = join->n_sends;
	PH_TRY(borrow(joiner, PH_PART_SEND_PEER, n, 4, &join->send_peer));
	PH_TRY(borrow(joiner, PH_PART_SEND_COMM, n, 4, &join->send_comm));
	PH_TRY(borrow(joiner, PH_PART_SEND_TIME, has_times(joiner, PH_PART_SEND_TIME) ? n : 0, 8,
				  &join->send_time));
	model->n_messages = n;
	PH_TRY(keep(joiner, PH_PART_SEND_EVENT, n, 4, &model->send_event));
	PH_TRY(keep(joiner, PH_PART_SEND_BYTES, n, 8, &model->bytes));
	PH_TRY(keep(joiner, PH_PART_SEND_TAG, n, 4, &model->tag));
	return shift(joiner, model->send_event, join->first_send, model->timeline_first);
}

static PhStatus
join_slots(const Joiner *joiner, PhLogicalJoin *join)
{
	PH_TRY(new_starts(joiner, PH_PART_SLOT_PEER, &join->first_slot, &join->n_slots));
	uint32_t n = join->n_slots;
	PH_TRY(borrow(joiner, PH_PART_SLOT_BYTES, n, 8, &join->slot_bytes));
	PH_TRY(borrow(joiner, PH_PART_SLOT_PEER, n, 4, &join->slot_peer));
	PH_TRY(borrow(joiner, PH_PART_SLOT_COMM, n, 4, &join->slot_comm));
	PH_TRY(borrow(joiner, PH_PART_SLOT_TAG, n, 4, &join->slot_tag));
	join->slot_message = join->slot_peer;
	return borrow(joiner, PH_PART_SLOT_TIME, has_times(joiner, PH_PART_SLOT_TIME) ? n : 0, 8,
				  &join->slot_time);
}

static PhStatus
join_collectives(const Joiner *joiner, const PhLogicalModel *model, PhLogicalJoin *join)
{
	PH_TRY(new_starts(joiner, PH_PART_COLL_EVENT, &join->first_coll, &join->n_colls));
	uint32_t n = join->n_colls;
	PH_TRY(borrow(joiner, PH_PART_COLL_EVENT, n, 4, &join->coll_event));
	PH_TRY(borrow(joiner, PH_PART_COLL_OPERATION, n, 4, &join->coll_operation));
	PH_TRY(borrow(joiner, PH_PART_COLL_COMM, n, 4, &join->coll_comm));
	PH_TRY(borrow(joiner, PH_PART_COLL_ROOT, n, 4, &join->coll_root));
	return shift(joiner, join->coll_event, join->first_coll, model->timeline_first);
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
order_parts(PhArena *temporary, const PhTraceModel *trace, const PhLogicalPart *parts, uint32_t n,
			uint32_t **order, uint32_t *n_order)
{
	PartOrder context = {parts, trace};
	PH_TRY(ph_sort_indices(temporary, n, compare_parts, &context, order));
	*n_order = 0;
	for (uint32_t p = 0; p < n; p++)
		if (parts[(*order)[p]].column[PH_PART_ENTER].count > 0)
			(*order)[(*n_order)++] = (*order)[p];
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
		model->region_key[r] =
			ph_hash_bytes(trace->regions[r].name, strlen(trace->regions[r].name));
	return PH_OK;
}

PhStatus
ph_logical_join(PhArena *temporary, const PhTraceModel *trace, const PhLogicalOptions *options,
				PhLogicalPart *parts, uint32_t n_parts, PhLogicalModel *model, PhLogicalJoin *out)
{
	uint32_t *order, n;
	PH_TRY(order_parts(temporary, trace, parts, n_parts, &order, &n));
	Joiner joiner = {model->env, temporary, parts, order, n};
	memset(out, 0, sizeof(*out));
	out->model = model;
	out->trace = trace;
	out->options = options;
	PH_TRY(join_regions(model->env, trace, model));
	PH_TRY(join_timelines(&joiner, trace, model));
	PH_TRY(join_events(&joiner, options, model));
	PH_TRY(join_calls(&joiner, model));
	PH_TRY(join_sends(&joiner, model, out));
	PH_TRY(join_slots(&joiner, out));
	PH_TRY(join_ends(&joiner, model, out));
	return join_collectives(&joiner, model, out);
}
