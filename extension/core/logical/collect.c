/*
 * collect.c - which events are members of one collective.
 *
 * The k-th collective of a rank on a communicator is the k-th of every other member. Instances are
 * numbered by communicator and k without hashing: a communicator has as many as the busiest of its
 * ranks. compat: by (operation, communicator, root) instead, and each rank's events are given to
 * its instances in the order in which Ravel creates them: rank by rank.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/internal.h"

typedef struct Collector
{
	PhLogicalJoin *join;
	PhArena temporary;
	uint32_t *group;	/* by record: what its instances are counted by, PH_NONE: alone */
	uint32_t *place;	/* by record: the how manieth of its rank in the group */
	uint32_t *instance; /* by record */
	int64_t *times;		/* by record */
	uint32_t n_groups, n_instances;
	uint32_t *size;			/* by group: instances */
	uint32_t *first_record; /* by instance, of the records sorted */
	uint32_t *records;		/* by instance, then timeline */
} Collector;

/* A communicator that has one member is another one on every rank. */
static bool
is_alone(const PhTraceModel *trace, uint32_t comm)
{
	return comm >= trace->n_communicators || trace->communicators[comm].n_members <= 1;
}

/* Is it inferred to be of all ranks, although they have no communicator in the trace? */
static bool
is_of_all(const PhLogicalJoin *join, uint32_t record)
{
	uint32_t event = join->coll_event[record];
	return join->coll_comm[record] == PH_NONE && event != PH_NONE &&
		   (join->model->flags[event] & PH_COMM_INFERRED) != 0;
}

/*
 * Groups collective records by communicator (compat: and operation and root). Records on
 * communicators of one member are in no group, as each is an instance of its own.
 */
static PhStatus
find_groups(Collector *collector)
{
	const PhLogicalJoin *join = collector->join;
	PhRecords keys;
	ph_records_init(&keys, &collector->temporary, 3 * sizeof(uint32_t));
	PH_TRY(PH_NEW(&collector->temporary, join->n_colls, &collector->group));
	for (uint32_t c = 0; c < join->n_colls; c++)
	{
		uint32_t key[3] = {join->coll_comm[c], 0, 0};
		PH_TRY(ph_env_poll(join->model->env));
		collector->group[c] = PH_NONE;
		if (is_alone(join->trace, join->coll_comm[c]) && !is_of_all(join, c))
			continue;
		if (join->options->compat)
		{
			key[1] = join->coll_operation[c];
			key[2] = join->coll_root[c];
		}
		PH_TRY(ph_records_intern(&keys, key, &collector->group[c]));
	}
	collector->n_groups = keys.count;
	return PH_OK;
}

/* The records of one rank, in order of time. */
static PhStatus
rank_records(const Collector *collector, uint32_t first, uint32_t end, uint32_t *out, uint32_t *n)
{
	const PhLogicalJoin *join = collector->join;
	const PhLogicalModel *model = join->model;
	uint32_t start = join->first_coll[first], stop = join->first_coll[end];
	for (uint32_t c = start; c < stop; c++)
		out[c - start] = c;
	*n = stop - start;
	if (end == first + 1)
		return PH_OK;
	return ph_logical_by_time(model->env, out, *n, collector->times);
}

/* When each record's event was left, to order those of a rank's threads. */
static PhStatus
find_times(Collector *collector)
{
	const PhLogicalJoin *join = collector->join;
	PH_TRY(PH_NEW(&collector->temporary, join->n_colls, &collector->times));
	for (uint32_t c = 0; c < join->n_colls; c++)
		collector->times[c] =
			join->coll_event[c] == PH_NONE ? INT64_MAX : join->model->exit[join->coll_event[c]];
	return PH_OK;
}

/* Count each rank's records by group; a group has as many instances as the rank with most. */
static PhStatus
find_places(Collector *collector)
{
	const PhLogicalJoin *join = collector->join;
	const PhLogicalModel *model = join->model;
	uint32_t *records, *count, n;
	PH_TRY(PH_NEW(&collector->temporary, join->n_colls, &collector->place));
	PH_TRY(PH_NEW(&collector->temporary, join->n_colls, &records));
	PH_TRY(PH_NEW(&collector->temporary, collector->n_groups, &count));
	PH_TRY(PH_NEW(&collector->temporary, collector->n_groups, &collector->size));
	for (uint32_t t = 0; t < model->n_timelines;)
	{
		uint32_t end = ph_logical_rank_end(model, t);
		PH_TRY(ph_env_poll(model->env));
		PH_TRY(rank_records(collector, t, end, records, &n));
		for (uint32_t i = 0; i < n; i++)
			if (collector->group[records[i]] != PH_NONE)
				collector->place[records[i]] = count[collector->group[records[i]]]++;
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t group = collector->group[records[i]];
			if (group == PH_NONE)
				continue;
			if (count[group] > collector->size[group])
				collector->size[group] = count[group];
			count[group] = 0;
		}
		t = end;
	}
	return PH_OK;
}

/*
 * Numbers instances: those of a group follow each other, the k-th of each member being the same;
 * records in no group come behind all groups.
 */
static PhStatus
number_instances(Collector *collector)
{
	const PhLogicalJoin *join = collector->join;
	uint32_t *base;
	uint32_t n = 0;
	PH_TRY(PH_NEW(&collector->temporary, collector->n_groups, &base));
	PH_TRY(PH_NEW(&collector->temporary, join->n_colls, &collector->instance));
	for (uint32_t g = 0; g < collector->n_groups; g++)
	{
		base[g] = n;
		n += collector->size[g];
	}
	for (uint32_t c = 0; c < join->n_colls; c++)
	{
		uint32_t group = collector->group[c];
		collector->instance[c] = group == PH_NONE ? n++ : base[group] + collector->place[c];
	}
	collector->n_instances = n;
	return PH_OK;
}

/* Records by instance, by counting; in order of records within. */
static PhStatus
sort_records(Collector *collector)
{
	uint32_t n = collector->join->n_colls;
	PH_TRY(PH_NEW(&collector->temporary, (size_t) collector->n_instances + 2,
				  &collector->first_record));
	PH_TRY(PH_NEW(&collector->temporary, n, &collector->records));
	uint32_t *next = collector->first_record + 1;
	for (uint32_t c = 0; c < n; c++)
		next[collector->instance[c] + 1]++;
	for (uint32_t i = 0; i < collector->n_instances; i++)
		next[i + 1] += next[i];
	for (uint32_t c = 0; c < n; c++)
		collector->records[next[collector->instance[c]]++] = c;
	return PH_OK;
}

/*
 * Ravel creates instances rank by rank and then gives each rank's events, in order, to its
 * instances in order of creation; so an event may get another instance than its own.
 */
static PhStatus
reassign_by_creation(const Collector *collector, uint32_t *instance_of)
{
	const PhLogicalJoin *join = collector->join;
	const PhLogicalModel *model = join->model;
	uint32_t *taken, *timeline_of;
	bool *created;
	PhArena arena;
	ph_arena_init(&arena, model->env);
	PhStatus status = PH_NEW(&arena, model->n_timelines, &taken);
	if (status == PH_OK)
		status = PH_NEW(&arena, join->n_colls, &timeline_of);
	if (status == PH_OK)
		status = PH_NEW(&arena, collector->n_instances, &created);
	if (status == PH_OK)
	{
		for (uint32_t t = 0; t < model->n_timelines; t++)
			for (uint32_t c = join->first_coll[t]; c < join->first_coll[t + 1]; c++)
				timeline_of[c] = t;
		for (uint32_t c = 0; c < join->n_colls; c++)
		{
			uint32_t instance = collector->instance[c];
			if (created[instance])
				continue;
			created[instance] = true;
			for (uint32_t i = collector->first_record[instance];
				 i < collector->first_record[instance + 1]; i++)
			{
				uint32_t t = timeline_of[collector->records[i]];
				instance_of[join->first_coll[t] + taken[t]++] = instance;
			}
		}
	}
	ph_arena_drop(&arena);
	return status;
}

/* The first record of an instance that was not made of a call alone, else the first. */
static uint32_t
telling_record(const Collector *collector, uint32_t instance)
{
	const PhLogicalJoin *join = collector->join;
	uint32_t first = collector->first_record[instance];
	for (uint32_t i = first; i < collector->first_record[instance + 1]; i++)
	{
		uint32_t event = join->coll_event[collector->records[i]];
		if (event == PH_NONE || (join->model->flags[event] & PH_COMM_INFERRED) == 0)
			return collector->records[i];
	}
	return collector->records[first];
}

/* Instances that have events, in order of their first; what they are is their first record's. */
static PhStatus
write_instances(Collector *collector, const uint32_t *instance_of)
{
	PhLogicalJoin *join = collector->join;
	PhLogicalModel *model = join->model;
	uint32_t *number;
	uint32_t n = 0;
	void *memory;
	PH_TRY(PH_NEW(&collector->temporary, collector->n_instances, &number));
	for (uint32_t c = 0; c < join->n_colls; c++)
		if (join->coll_event[c] != PH_NONE && number[instance_of[c]] == 0)
			number[instance_of[c]] = ++n;
	model->n_collectives = n;
	PH_TRY(ph_env_alloc(model->env, n, sizeof(uint32_t), &memory));
	model->operation = memory;
	PH_TRY(ph_env_alloc(model->env, n, sizeof(uint32_t), &memory));
	model->communicator = memory;
	PH_TRY(ph_env_alloc(model->env, n, sizeof(uint32_t), &memory));
	model->root = memory;
	for (uint32_t i = 0; i < collector->n_instances; i++)
	{
		if (number[i] == 0 || collector->first_record[i] == collector->first_record[i + 1])
			continue;
		uint32_t record = telling_record(collector, i);
		model->operation[number[i] - 1] = join->coll_operation[record];
		model->communicator[number[i] - 1] = join->coll_comm[record];
		model->root[number[i] - 1] = join->coll_root[record];
	}
	for (uint32_t c = 0; c < join->n_colls; c++)
		if (join->coll_event[c] != PH_NONE)
			model->collective[join->coll_event[c]] = number[instance_of[c]] - 1;
	return PH_OK;
}

static PhStatus
write_members(PhLogicalModel *model)
{
	void *memory;
	uint32_t n = 0;
	PH_TRY(ph_env_alloc(model->env, (size_t) model->n_collectives + 1, sizeof(uint32_t), &memory));
	uint32_t *first = model->first_member = memory;
	for (uint32_t e = 0; e < model->n_events; e++)
		if (model->collective[e] != PH_NONE)
		{
			first[model->collective[e] + 1]++;
			n++;
		}
	for (uint32_t c = 0; c < model->n_collectives; c++)
		first[c + 1] += first[c];
	model->n_members = n;
	PH_TRY(ph_env_alloc(model->env, n, sizeof(uint32_t), &memory));
	model->member_event = memory;
	/* from the back: first[c + 1] counts down to where c ends up starting */
	for (uint32_t e = model->n_events; e-- > 0;)
		if (model->collective[e] != PH_NONE)
			model->member_event[--first[model->collective[e] + 1]] = e;
	for (uint32_t c = 0; c < model->n_collectives; c++)
		first[c] = first[c + 1];
	first[model->n_collectives] = n;
	return PH_OK;
}

static PhStatus
forget_instances(PhLogicalModel *model)
{
	void *memory;
	PH_TRY(ph_env_alloc(model->env, model->n_events, sizeof(uint32_t), &memory));
	model->collective = memory;
	for (uint32_t e = 0; e < model->n_events; e++)
		model->collective[e] = PH_NONE;
	return PH_OK;
}

static PhStatus
collect(Collector *collector)
{
	const PhLogicalJoin *join = collector->join;
	uint32_t *instance_of;
	PH_TRY(forget_instances(join->model));
	PH_TRY(find_groups(collector));
	PH_TRY(find_times(collector));
	PH_TRY(find_places(collector));
	PH_TRY(number_instances(collector));
	PH_TRY(sort_records(collector));
	PH_TRY(PH_NEW(&collector->temporary, join->n_colls, &instance_of));
	if (join->options->compat)
		PH_TRY(reassign_by_creation(collector, instance_of));
	else
		for (uint32_t c = 0; c < join->n_colls; c++)
			instance_of[c] = collector->instance[c];
	PH_TRY(write_instances(collector, instance_of));
	return write_members(join->model);
}

PhStatus
ph_logical_collect(PhLogicalJoin *join)
{
	Collector collector;
	memset(&collector, 0, sizeof(collector));
	collector.join = join;
	ph_arena_init(&collector.temporary, join->model->env);
	PhStatus status = collect(&collector);
	ph_arena_drop(&collector.temporary);
	return status;
}
