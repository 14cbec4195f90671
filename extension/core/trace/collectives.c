/*
 * collectives.c - members get their place when they begin and their communicator at the end.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/collectives.h"

#include <string.h>

#include "base/sort.h"
#include "base/table.h"
#include "trace/internal.h"
#include "trace/windows.h"

/* The outermost open call of a collective function on a location. */
typedef struct ShownCall
{
	int64_t enter;
	uint64_t seq;
	uint32_t depth; /* calls open in it, itself counted; 0: there is none */
	uint32_t region;
	bool is_told; /* there is a record in it */
} ShownCall;

struct PhCollectives
{
	PhEnv *env;
	const PhTraceModel *model;
	PhMpiCall *mpi;		/* by region */
	bool has_functions; /* some region is a collective function */
	ShownCall *shown;	/* by location */
	uint32_t n_members, member_room;
	PhCollectiveMember *members; /* of each location in order of begins, calls alone of leaving */
	uint32_t *open;				 /* by location: the blocking one that has begun, + 1; 0: none */
	PhRequests requests;
	bool grouped;
	PhArena arena; /* of the result */
};

static PhStatus
allocate_places(PhCollectives *collectives)
{
	void *memory;
	uint32_t does, n = collectives->model->n_locations;
	PH_TRY(ph_env_alloc(collectives->env, n, sizeof(uint32_t), &memory));
	collectives->open = memory;
	PH_TRY(ph_env_alloc(collectives->env, n, sizeof(ShownCall), &memory));
	collectives->shown = memory;
	PH_TRY(ph_mpi_calls(collectives->env, collectives->model, &collectives->mpi, &does));
	collectives->has_functions = (does & PH_MPI_COLLECTIVE) != 0;
	return PH_OK;
}

PhStatus
ph_collectives_new(PhEnv *env, const PhTraceModel *model, PhCollectives **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhCollectives), &memory));
	PhCollectives *collectives = memory;
	collectives->env = env;
	collectives->model = model;
	ph_requests_init(&collectives->requests, env);
	ph_arena_init(&collectives->arena, env);
	PhStatus status = allocate_places(collectives);
	if (status != PH_OK)
		ph_collectives_free(collectives);
	else
		*out = collectives;
	return status;
}

static void
free_members(PhCollectives *collectives)
{
	ph_env_free(collectives->env, collectives->members, collectives->member_room,
				sizeof(PhCollectiveMember));
	collectives->members = NULL;
	collectives->n_members = collectives->member_room = 0;
	ph_requests_free(&collectives->requests);
}

void
ph_collectives_free(PhCollectives *collectives)
{
	if (collectives == NULL)
		return;
	PhEnv *env = collectives->env;
	free_members(collectives);
	ph_env_free(env, collectives->open, collectives->model->n_locations, sizeof(uint32_t));
	ph_env_free(env, collectives->shown, collectives->model->n_locations, sizeof(ShownCall));
	ph_env_free(env, collectives->mpi, collectives->model->n_regions, sizeof(PhMpiCall));
	ph_arena_drop(&collectives->arena);
	ph_env_free(env, collectives, 1, sizeof(PhCollectives));
}

/* ---- adding ---- */

static PhStatus
begin_member(PhCollectives *collectives, uint32_t location, uint64_t seq, const PhEvent *event,
			 uint32_t *index)
{
	PH_TRY(PH_GROW(collectives->env, &collectives->members, collectives->n_members,
				   &collectives->member_room));
	*index = collectives->n_members++;
	PhCollectiveMember *member = &collectives->members[*index];
	memset(member, 0, sizeof(*member));
	member->enter = event->time;
	member->leave = PH_NO_TIME;
	member->begin_seq = seq;
	member->location = location;
	member->rank = ph_trace_rank(collectives->model, location);
	member->region = member->instance = member->call = PH_NONE;
	member->is_blocking =
		event->kind == PH_EVENT_COLLECTIVE_BEGIN || event->kind == PH_EVENT_COLLECTIVE_END;
	return PH_OK;
}

void
ph_collectives_tell_call(PhCollectives *collectives, uint32_t member, uint32_t call)
{
	collectives->members[member].call = call;
}

/*
 * Completes the member that this end belongs to: the open blocking one, or the one that its request
 * began. Without a recorded begin, one that begins where it ends is made.
 */
static PhStatus
end_member(PhCollectives *collectives, uint32_t location, uint64_t seq, const PhEvent *event,
		   uint32_t *index)
{
	if (event->kind == PH_EVENT_COLLECTIVE_END)
	{
		*index = collectives->open[location] - 1;
		collectives->open[location] = 0;
	}
	else
		*index = ph_requests_take(&collectives->requests, location, event->request);
	if (*index == PH_NONE)
		PH_TRY(begin_member(collectives, location, seq, event, index));
	PhCollectiveMember *member = &collectives->members[*index];
	member->leave = event->time;
	member->seq = seq;
	member->bytes_sent = event->bytes;
	member->bytes_received = event->bytes_received;
	member->region = event->region;
	member->operation = event->operation;
	member->comm = event->comm;
	member->root = event->root;
	return PH_OK;
}

static bool
is_function(const PhCollectives *collectives, uint32_t region)
{
	return region < collectives->model->n_regions &&
		   (collectives->mpi[region].does & PH_MPI_COLLECTIVE) != 0;
}

static void
enter_call(PhCollectives *collectives, uint32_t location, uint64_t seq, const PhEvent *event)
{
	ShownCall *shown = &collectives->shown[location];
	if (shown->depth > 0)
		shown->depth++;
	else if (is_function(collectives, event->region))
		*shown = (ShownCall){event->time, seq, 1, event->region, false};
}

/* A call of a collective function that ends without a record in it shows a member. */
static PhStatus
leave_call(PhCollectives *collectives, uint32_t location, uint64_t seq, const PhEvent *event,
		   uint32_t *index)
{
	ShownCall *shown = &collectives->shown[location];
	PhEvent begin = {.time = shown->enter, .kind = PH_EVENT_COLLECTIVE_BEGIN};
	if (shown->depth == 0 || --shown->depth > 0 || shown->is_told)
		return PH_OK;
	PH_TRY(begin_member(collectives, location, shown->seq, &begin, index));
	PhCollectiveMember *member = &collectives->members[*index];
	member->leave = event->time;
	member->seq = seq;
	member->region = shown->region;
	member->operation = collectives->mpi[shown->region].operation;
	member->comm = member->root = PH_NONE;
	member->evidence = PH_UNKNOWN;
	member->is_blocking = (collectives->mpi[shown->region].does & PH_MPI_LATER) == 0;
	return PH_OK;
}

/* Collectives of windows have records of their own. */
static const PhEvent *
as_collective(const PhCollectives *collectives, const PhEvent *event, PhEvent *of_window)
{
	PhMpiCall call = {0, 0};
	if (event->kind != PH_EVENT_RMA)
		return event;
	if (event->region < collectives->model->n_regions)
		call = collectives->mpi[event->region];
	return ph_window_collective(collectives->model, call, event, of_window) ? of_window : event;
}

PhStatus
ph_collectives_take(PhCollectives *collectives, uint32_t location, uint64_t seq,
					const PhEvent *record, uint32_t *member)
{
	uint32_t begun;
	PhEvent of_window;
	const PhEvent *event = as_collective(collectives, record, &of_window);
	if (collectives->grouped)
		return ph_fail(collectives->env, PH_ERR_VALUE, "events are added after grouping");
	PH_TRY(ph_trace_check_location(collectives->env, collectives->model, location));
	*member = PH_NONE;
	if (ph_is_collective_record(event->kind))
		collectives->shown[location].is_told = true;
	switch (event->kind)
	{
		case PH_EVENT_ENTER:
			enter_call(collectives, location, seq, event);
			return PH_OK;
		case PH_EVENT_LEAVE:
			return leave_call(collectives, location, seq, event, member);
		case PH_EVENT_COLLECTIVE_BEGIN:
			PH_TRY(begin_member(collectives, location, seq, event, &begun));
			collectives->open[location] = begun + 1;
			return PH_OK;
		case PH_EVENT_NB_COLLECTIVE_REQUEST:
			PH_TRY(begin_member(collectives, location, seq, event, &begun));
			return ph_requests_post(&collectives->requests, location, event->request, begun);
		case PH_EVENT_COLLECTIVE_END:
		case PH_EVENT_NB_COLLECTIVE_COMPLETE:
			return end_member(collectives, location, seq, event, member);
		default:
			return PH_OK;
	}
}

bool
ph_collectives_in_call(const PhCollectives *collectives, uint32_t location)
{
	return collectives->shown[location].depth > 0;
}

PhStatus
ph_collectives_add_event(PhCollectives *collectives, uint32_t location, uint64_t seq,
						 const PhEvent *event)
{
	uint32_t member;
	return ph_collectives_take(collectives, location, seq, event, &member);
}

PhStatus
ph_collectives_merge(PhCollectives *collectives, PhCollectives *other, uint32_t *first)
{
	uint32_t n = other->n_members;
	void *members = collectives->members;
	*first = collectives->n_members;
	if (n == 0)
		return PH_OK;
	if (n >= PH_NONE - collectives->n_members)
		return ph_fail(collectives->env, PH_ERR_LIMIT, "more than %u members of collectives",
					   PH_NONE - 1);
	if (collectives->member_room - collectives->n_members < n)
	{
		PH_TRY(ph_env_resize(collectives->env, &members, collectives->member_room,
							 (size_t) collectives->n_members + n, sizeof(PhCollectiveMember)));
		collectives->members = members;
		collectives->member_room = collectives->n_members + n;
	}
	memcpy(collectives->members + *first, other->members, n * sizeof(*other->members));
	collectives->n_members += n;
	free_members(other);
	return PH_OK;
}

uint32_t
ph_collectives_wants(const PhCollectives *collectives)
{
	return PH_WANT_CALLS | PH_WANT_MESSAGES |
		   (ph_trace_has_windows(collectives->model) ? PH_WANT_EXTRA : 0);
}

/* Are calls of collective functions in the chunk, or open when it begins? */
static bool
shows_calls(const PhCollectives *collectives, const PhChunk *chunk, const PhChunkReader *reader)
{
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	bool any = chunk->location < collectives->model->n_locations &&
			   collectives->shown[chunk->location].depth > 0;
	for (uint32_t i = 0; i < chunk->n_enter && collectives->has_functions && !any; i++)
		any = is_function(collectives, regions[i]);
	return any;
}

PhStatus
ph_collectives_add_chunk(PhCollectives *collectives, const PhChunk *chunk, PhChunkReader *reader)
{
	uint64_t seq = chunk->first_seq;
	PhEvent event;
	uint32_t n = 0;
	for (uint32_t kind = PH_EVENT_COLLECTIVE_BEGIN; kind <= PH_EVENT_NB_COLLECTIVE_COMPLETE; kind++)
		n += ph_chunk_count(reader, kind);
	n += ph_chunk_count(reader, PH_EVENT_RMA);
	bool all = shows_calls(collectives, chunk, reader);
	for (; (n > 0 || all) && ph_chunk_next(reader, &event); seq++)
	{
		PH_TRY(ph_env_poll(collectives->env));
		bool is_record = ph_is_collective_record(event.kind) || event.kind == PH_EVENT_RMA;
		if (is_record || event.kind == PH_EVENT_ENTER || event.kind == PH_EVENT_LEAVE)
			PH_TRY(ph_collectives_add_event(collectives, chunk->location, seq, &event));
		n -= is_record;
	}
	return ph_env_poll(collectives->env);
}

/* ---- grouping ---- */

typedef struct InstanceKey
{
	uint32_t comm, ordinal;
	uint32_t rank; /* on MPI_COMM_SELF everybody is alone; PH_NONE: together */
} InstanceKey;

/* Scratch of one grouping. */
typedef struct Grouping
{
	PhCollectives *collectives;
	PhArena *arena;
	uint32_t n;			 /* members that count */
	uint32_t *items;	 /* their indices */
	uint32_t *keys;		 /* by member: key of (rank, communicator) */
	PhRecords key_table; /* of those keys */
	PhRecords instance_table;
	PhCollectiveInstance *instances;
} Grouping;

static bool
counts(const PhCollectiveMember *member)
{
	return member->leave != PH_NO_TIME && member->rank != PH_NONE &&
		   member->evidence != PH_UNKNOWN && ph_collective_is_application(member->operation);
}

/* Find out of calls without a record what they were part of. */
static PhStatus
infer_members(Grouping *grouping)
{
	PhCollectives *collectives = grouping->collectives;
	PhShownCollective *shown;
	uint32_t n = collectives->n_members, n_calls = 0;
	for (uint32_t i = 0; i < n; i++)
		n_calls += collectives->members[i].evidence == PH_UNKNOWN;
	if (n_calls == 0)
		return PH_OK;
	PH_TRY(PH_NEW(grouping->arena, n, &shown));
	for (uint32_t i = 0; i < n; i++)
	{
		const PhCollectiveMember *member = &collectives->members[i];
		shown[i] = (PhShownCollective){member->enter,		member->leave, member->rank,
									   member->operation,	member->comm,  member->evidence,
									   !member->is_blocking};
		if (member->evidence == PH_RECORDED && !counts(member))
			shown[i].rank = PH_NONE;
	}
	PH_TRY(ph_infer_collectives(collectives->env, collectives->model, shown, n));
	for (uint32_t i = 0; i < n; i++)
	{
		collectives->members[i].evidence = shown[i].evidence;
		collectives->members[i].comm = shown[i].comm;
	}
	return PH_OK;
}

/* Choose the members that count and key them by rank and communicator. */
static PhStatus
key_members(Grouping *grouping, PhCollectiveRows *rows)
{
	PhCollectives *collectives = grouping->collectives;
	ph_records_init(&grouping->key_table, grouping->arena, sizeof(uint64_t));
	PH_TRY(PH_NEW(grouping->arena, collectives->n_members, &grouping->items));
	PH_TRY(PH_NEW(grouping->arena, collectives->n_members, &grouping->keys));
	for (uint32_t i = 0; i < collectives->n_members; i++)
	{
		const PhCollectiveMember *member = &collectives->members[i];
		uint64_t key = ph_map_key(member->rank, member->comm);
		PH_TRY(ph_env_poll(collectives->env));
		rows->n_unfinished += member->leave == PH_NO_TIME;
		rows->n_unknown += member->evidence == PH_UNKNOWN;
		if (!counts(member))
			continue;
		rows->n_inferred += member->evidence == PH_INFERRED;
		grouping->items[grouping->n++] = i;
		PH_TRY(ph_records_intern(&grouping->key_table, &key, &grouping->keys[i]));
	}
	return PH_OK;
}

/* MPI_COMM_SELF stands for a communicator of each rank, so it has no members to be told. */
static bool
is_self(const PhTraceModel *model, uint32_t comm)
{
	return comm < model->n_communicators && model->communicators[comm].n_members == 0 &&
		   (model->communicators[comm].is_mpi || ph_trace_is_window(model, comm));
}

static int
compare_begins(const void *context, uint32_t x, uint32_t y)
{
	const PhCollectiveMember *members = context, *a = &members[x], *b = &members[y];
	if (a->location == b->location)
		return a->begin_seq < b->begin_seq ? -1 : a->begin_seq > b->begin_seq;
	if (a->enter != b->enter)
		return a->enter < b->enter ? -1 : 1;
	return a->location < b->location ? -1 : 1;
}

/* Number one rank's members on one communicator; several threads take turns by time. */
static PhStatus
number_members(Grouping *grouping, uint32_t *items, uint32_t n, uint32_t *buffer)
{
	PhCollectives *collectives = grouping->collectives;
	PhCollectiveMember *members = collectives->members;
	bool sorted = true;
	for (uint32_t i = 1; i < n; i++)
		sorted = sorted && compare_begins(members, items[i - 1], items[i]) < 0;
	if (!sorted)
		PH_TRY(ph_sort(collectives->env, items, n, buffer, compare_begins, members));
	for (uint32_t i = 0; i < n; i++)
	{
		PhCollectiveMember *member = &members[items[i]];
		InstanceKey key = {member->comm, i, PH_NONE};
		if (is_self(collectives->model, member->comm))
			key.rank = member->rank;
		PH_TRY(ph_env_poll(collectives->env));
		PH_TRY(ph_records_intern(&grouping->instance_table, &key, &member->instance));
	}
	return PH_OK;
}

static PhStatus
find_instances(Grouping *grouping)
{
	uint32_t *starts, *sorted, *buffer, n_keys = grouping->key_table.count;
	ph_records_init(&grouping->instance_table, grouping->arena, sizeof(InstanceKey));
	PH_TRY(PH_NEW(grouping->arena, (size_t) n_keys + 1, &starts));
	PH_TRY(PH_NEW(grouping->arena, grouping->n, &sorted));
	PH_TRY(PH_NEW(grouping->arena, grouping->n, &buffer));
	PH_TRY(ph_trace_bucket(grouping->collectives->env, grouping->items, grouping->n, grouping->keys,
						   n_keys, starts, sorted));
	for (uint32_t key = 0; key < n_keys; key++)
		PH_TRY(
			number_members(grouping, sorted + starts[key], starts[key + 1] - starts[key], buffer));
	return PH_OK;
}

static void
measure_member(PhCollectiveInstance *instance, const PhCollectiveMember *member)
{
	bool first = instance->n_present++ == 0;
	if (first || member->enter < instance->first_enter)
		instance->first_enter = member->enter;
	if (first || member->enter > instance->last_enter)
		instance->last_enter = member->enter;
	if (first || member->leave < instance->first_leave)
		instance->first_leave = member->leave;
	if (first || member->leave > instance->last_leave)
		instance->last_leave = member->leave;
	instance->n_inferred += member->evidence == PH_INFERRED;
	instance->bytes_sent += member->bytes_sent;
	instance->bytes_received += member->bytes_received;
}

static PhStatus
measure_instances(Grouping *grouping)
{
	const PhTraceModel *model = grouping->collectives->model;
	const InstanceKey *keys = (const InstanceKey *) (const void *) grouping->instance_table.bytes;
	PH_TRY(PH_NEW(grouping->arena, grouping->instance_table.count, &grouping->instances));
	for (uint32_t i = 0; i < grouping->instance_table.count; i++)
	{
		PhCollectiveInstance *instance = &grouping->instances[i];
		instance->comm = keys[i].comm;
		instance->ordinal = keys[i].ordinal;
		if (instance->comm < model->n_communicators)
			instance->n_members = model->communicators[instance->comm].n_members;
		else if (instance->comm == PH_NONE) /* inferred, of all ranks */
			instance->n_members = ph_trace_count_ranks(model);
		if (keys[i].rank != PH_NONE)
			instance->n_members = 1;
	}
	for (uint32_t i = 0; i < grouping->n; i++)
	{
		const PhCollectiveMember *member = &grouping->collectives->members[grouping->items[i]];
		PH_TRY(ph_env_poll(grouping->collectives->env));
		measure_member(&grouping->instances[member->instance], member);
	}
	return PH_OK;
}

static int
compare_instances(const void *context, uint32_t x, uint32_t y)
{
	const Grouping *grouping = context;
	const InstanceKey *keys = (const InstanceKey *) (const void *) grouping->instance_table.bytes;
	int64_t first_x = grouping->instances[x].first_enter;
	int64_t first_y = grouping->instances[y].first_enter;
	if (first_x != first_y)
		return first_x < first_y ? -1 : 1;
	if (keys[x].comm != keys[y].comm)
		return keys[x].comm < keys[y].comm ? -1 : 1;
	if (keys[x].ordinal != keys[y].ordinal)
		return keys[x].ordinal < keys[y].ordinal ? -1 : 1;
	return keys[x].rank < keys[y].rank ? -1 : keys[x].rank > keys[y].rank;
}

/* Put the instances into their order and renumber the members' references. */
static PhStatus
order_instances(Grouping *grouping, PhCollectiveInstance **out)
{
	uint32_t *order, *place, n = grouping->instance_table.count;
	PhCollectiveInstance *sorted;
	PH_TRY(ph_sort_indices(grouping->arena, n, compare_instances, grouping, &order));
	PH_TRY(PH_NEW(grouping->arena, n, &place));
	PH_TRY(PH_NEW(&grouping->collectives->arena, n, &sorted));
	for (uint32_t i = 0; i < n; i++)
	{
		place[order[i]] = i;
		sorted[i] = grouping->instances[order[i]];
	}
	for (uint32_t i = 0; i < grouping->n; i++)
	{
		PhCollectiveMember *member = &grouping->collectives->members[grouping->items[i]];
		member->instance = place[member->instance];
	}
	*out = sorted;
	return PH_OK;
}

static int
compare_ranks(const void *context, uint32_t x, uint32_t y)
{
	const PhTraceLocation *locations = context;
	if (locations[x].rank != locations[y].rank)
		return locations[x].rank < locations[y].rank ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* By location, its place when sorted by rank. */
static PhStatus
place_locations(PhArena *arena, const PhTraceModel *model, uint32_t **out)
{
	uint32_t *order, *place;
	PH_TRY(ph_sort_indices(arena, model->n_locations, compare_ranks, model->locations, &order));
	PH_TRY(PH_NEW(arena, model->n_locations, &place));
	for (uint32_t i = 0; i < model->n_locations; i++)
		place[order[i]] = i;
	*out = place;
	return PH_OK;
}

/* Members by (instance, rank, location): two stable sorts by small keys. */
static PhStatus
order_members(Grouping *grouping, uint32_t n_instances, const uint32_t **order,
			  uint32_t **instance_starts)
{
	PhCollectives *collectives = grouping->collectives;
	uint32_t n_locations = collectives->model->n_locations;
	uint32_t *place, *by_rank, *by_instance, *starts;
	PH_TRY(place_locations(grouping->arena, collectives->model, &place));
	PH_TRY(PH_NEW(grouping->arena, (size_t) n_locations + 1, &starts));
	PH_TRY(PH_NEW(grouping->arena, grouping->n, &by_rank));
	PH_TRY(PH_NEW(&collectives->arena, grouping->n, &by_instance));
	PH_TRY(PH_NEW(grouping->arena, (size_t) n_instances + 1, instance_starts));
	for (uint32_t i = 0; i < grouping->n; i++)
		grouping->keys[grouping->items[i]] =
			place[collectives->members[grouping->items[i]].location];
	PH_TRY(ph_trace_bucket(collectives->env, grouping->items, grouping->n, grouping->keys,
						   n_locations, starts, by_rank));
	for (uint32_t i = 0; i < grouping->n; i++)
		grouping->keys[grouping->items[i]] = collectives->members[grouping->items[i]].instance;
	PH_TRY(ph_trace_bucket(collectives->env, by_rank, grouping->n, grouping->keys, n_instances,
						   *instance_starts, by_instance));
	*order = by_instance;
	return PH_OK;
}

/* What needs the members in order: operation, who came last, waiting. */
static void
finish_instance(PhCollectiveInstance *instance, const PhCollectiveMember *members,
				const uint32_t *order)
{
	const PhCollectiveMember *first = &members[order[0]];
	for (uint32_t i = 1; i < instance->n_present && first->evidence == PH_INFERRED; i++)
		if (members[order[i]].evidence == PH_RECORDED)
			first = &members[order[i]];
	instance->operation = first->operation;
	instance->root = first->root;
	instance->last_member = order[0];
	for (uint32_t i = 0; i < instance->n_present; i++)
	{
		const PhCollectiveMember *member = &members[order[i]];
		instance->wait += instance->last_enter - member->enter;
		instance->is_mixed = instance->is_mixed || member->operation != first->operation ||
							 (member->root != first->root && member->evidence == PH_RECORDED);
		if (member->enter > members[instance->last_member].enter)
			instance->last_member = order[i];
	}
}

/*
 * Joins members to instances by (communicator, ordinal), orders instances and members, and finds of
 * each what needs all members: operation, last to come, waits.
 */
static PhStatus
group(Grouping *grouping, PhCollectiveRows *out)
{
	PhCollectives *collectives = grouping->collectives;
	PhCollectiveInstance *instances;
	PhCollectiveRows rows = {0};
	uint32_t *starts;
	PH_TRY(infer_members(grouping));
	PH_TRY(key_members(grouping, &rows));
	PH_TRY(find_instances(grouping));
	PH_TRY(measure_instances(grouping));
	PH_TRY(order_instances(grouping, &instances));
	rows.n_instances = grouping->instance_table.count;
	PH_TRY(order_members(grouping, rows.n_instances, &rows.order, &starts));
	for (uint32_t i = 0; i < rows.n_instances; i++)
	{
		PhCollectiveInstance *instance = &instances[i];
		PH_TRY(ph_env_poll(collectives->env));
		instance->first_member = starts[i];
		finish_instance(instance, collectives->members, rows.order + starts[i]);
		if (instance->n_members > instance->n_present)
			rows.n_missing += instance->n_members - instance->n_present;
	}
	rows.instances = instances;
	rows.n_members = collectives->n_members;
	rows.members = collectives->members;
	*out = rows;
	return PH_OK;
}

PhStatus
ph_collectives_group(PhCollectives *collectives, PhCollectiveRows *out)
{
	PhArena arena;
	Grouping grouping = {.collectives = collectives, .arena = &arena};
	if (collectives->grouped)
		return ph_fail(collectives->env, PH_ERR_VALUE, "collectives are grouped twice");
	collectives->grouped = true;
	ph_arena_init(&arena, collectives->env);
	PhStatus status = group(&grouping, out);
	ph_arena_drop(&arena);
	return status;
}
