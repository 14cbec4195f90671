/*
 * join.c - between the passes: chares of all logs get their numbers, messages their ends.
 *
 * A message is known by its sender's processor, its number there, and the entry method it calls; a
 * receipt that no creation has, or that one clock puts before it, has no sender.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/tasks/source.h"

#include <string.h>

#include "base/sort.h"

typedef struct Join
{
	PhEnv *env;
	PhTaskSource *tasks;
	PhArena scratch;
} Join;

/* ---- chares ---- */

static int
compare_keys(const PhChareKey *a, const PhChareKey *b)
{
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->collection != b->collection)
		return a->collection < b->collection ? -1 : 1;
	for (uint32_t i = 0; i < PH_CHARE_DIMENSIONS; i++)
	{
		if (a->index[i] != b->index[i])
			return a->index[i] < b->index[i] ? -1 : 1;
	}
	if (a->n_index != b->n_index)
		return a->n_index < b->n_index ? -1 : 1;
	return a->processor < b->processor ? -1 : a->processor > b->processor;
}

static int
compare_chares(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskChare *chares = context;

	return compare_keys(&chares[x].key, &chares[y].key);
}

/*
 * Where a source does not tell arrays: a type some of whose indices are not 0 is one, of as many
 * dimensions as that takes. The others' chares are told by their processors.
 */
static void
find_dimensions(PhTaskSource *tasks)
{
	for (uint32_t i = 0; i < tasks->n_types; i++)
	{
		if (tasks->types[i].has_no_dimensions)
			tasks->types[i].dimensions = -1;
	}
	for (uint32_t location = 0; location < tasks->source.model.n_locations; location++)
	{
		const PhRecords *chares = &tasks->parts[location].chares;

		for (uint32_t i = 0; i < chares->count; i++)
		{
			const PhChareKey *key = (const PhChareKey *) (const void *) chares->bytes + i;
			PhTaskType *type = &tasks->types[key->type];

			for (int32_t d = 0; type->has_no_dimensions && d < PH_CHARE_DIMENSIONS; d++)
			{
				if (key->index[d] != 0 && d >= type->dimensions)
					type->dimensions = d + 1;
			}
		}
	}
}

static PhChareKey
normal_key(const PhTaskSource *tasks, const PhTaskPart *part, uint32_t chare)
{
	PhChareKey key = ((const PhChareKey *) (const void *) part->chares.bytes)[chare];
	const PhTaskType *type = &tasks->types[key.type];

	if (!type->has_no_dimensions)
		return key;
	key.n_index = type->dimensions > 0 ? (uint32_t) type->dimensions : 0;
	if (key.n_index > 0)
		key.processor = -1;
	return key;
}

/* Every key once, in order of meeting; parts' chare_id are those numbers for now. */
static PhStatus
collect_chares(Join *join, PhRecords *keys, uint32_t **first_seen)
{
	PhTaskSource *tasks = join->tasks;
	uint32_t room = 0;

	*first_seen = NULL;
	find_dimensions(tasks);
	ph_records_init(keys, &join->scratch, sizeof(PhChareKey));
	for (uint32_t location = 0; location < tasks->source.model.n_locations; location++)
	{
		PhTaskPart *part = &tasks->parts[location];

		PH_TRY(PH_NEW(&part->arena, part->chares.count, &part->chare_id));
		for (uint32_t i = 0; i < part->chares.count; i++)
		{
			uint32_t before = keys->count;
			PhChareKey key = normal_key(tasks, part, i);

			PH_TRY(ph_env_poll(join->env));
			PH_TRY(ph_records_intern(keys, &key, &part->chare_id[i]));
			if (keys->count == before)
				continue;
			PH_TRY(PH_GROW(&join->scratch, first_seen, before, &room));
			(*first_seen)[before] = location;
		}
	}
	return PH_OK;
}

static PhTaskChare
make_chare(const PhTaskSource *tasks, const PhChareKey *key, uint32_t location)
{
	PhTaskChare chare = {.key = *key, .location = location};

	chare.is_runtime = tasks->types[key->type].is_runtime;
	if (tasks->entity_names != NULL && key->processor >= 0)
	{
		chare.name = tasks->entity_names[key->processor];
		chare.is_runtime = tasks->entity_is_runtime[key->processor];
	}
	return chare;
}

static PhStatus
number_chares(Join *join)
{
	PhTaskSource *tasks = join->tasks;
	PhRecords keys;
	PhTaskChare *chares;
	uint32_t *first_seen;
	uint32_t *order;
	uint32_t *number;

	PH_TRY(collect_chares(join, &keys, &first_seen));
	PH_TRY(PH_NEW(&join->scratch, keys.count, &chares));
	PH_TRY(PH_NEW(&join->scratch, keys.count, &number));
	PH_TRY(PH_NEW(&tasks->arena, keys.count, &tasks->chares));
	for (uint32_t i = 0; i < keys.count; i++)
	{
		PhChareKey key;

		memcpy(&key, keys.bytes + (size_t) i * sizeof(key), sizeof(key));
		chares[i] = make_chare(tasks, &key, first_seen[i]);
	}
	PH_TRY(ph_sort_indices(&join->scratch, keys.count, compare_chares, chares, &order));
	for (uint32_t i = 0; i < keys.count; i++)
	{
		tasks->chares[i] = chares[order[i]];
		number[order[i]] = i;
	}
	tasks->n_chares = keys.count;
	for (uint32_t location = 0; location < tasks->source.model.n_locations; location++)
	{
		PhTaskPart *part = &tasks->parts[location];

		for (uint32_t i = 0; i < part->chares.count; i++)
			part->chare_id[i] = number[part->chare_id[i]];
	}
	return PH_OK;
}

/* ---- senders ---- */

static int
compare_creations(const void *context, uint32_t x, uint32_t y)
{
	const PhTaskCreation *a = (const PhTaskCreation *) context + x;
	const PhTaskCreation *b = (const PhTaskCreation *) context + y;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* Numbers count up in a log; one where they do not is sorted. */
static PhStatus
order_creations(Join *join, PhTaskPart *part)
{
	uint32_t i = 1;

	while (i < part->n_creations && compare_creations(part->creations, i - 1, i) <= 0)
		i++;
	if (i >= part->n_creations)
		return PH_OK;
	(void) join;
	return ph_sort_indices(&part->arena, part->n_creations, compare_creations, part->creations,
						   &part->by_event);
}

static inline uint32_t
creation_at(const PhTaskPart *part, uint32_t at)
{
	return part->by_event == NULL ? at : part->by_event[at];
}

/* The first creation of this number and entry method; PH_NONE: there is none. */
static uint32_t
find_creation(const PhTaskPart *part, int32_t event, uint32_t entry)
{
	PhTaskCreation wanted = {.event = event, .entry = entry};
	uint32_t low = 0;
	uint32_t high = part->n_creations;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		PhTaskCreation pair[2] = {part->creations[creation_at(part, middle)], wanted};

		if (compare_creations(pair, 0, 1) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == part->n_creations)
		return PH_NONE;
	low = creation_at(part, low);
	return part->creations[low].event == event && part->creations[low].entry == entry ? low
																					  : PH_NONE;
}

static uint32_t
node_of(const PhTaskSource *tasks, uint32_t location)
{
	return tasks->node == NULL ? location : tasks->node[location];
}

/* The creation that a receipt is of, or what is wrong. */
static PhTaskFinding
match_receipt(const PhTaskSource *tasks, uint32_t location, PhTaskReceipt *receipt)
{
	const PhTaskPart *source;
	uint32_t creation;

	if (receipt->source == PH_NONE)
		return PH_FOUND_FOREIGN;
	source = &tasks->parts[receipt->source];
	creation = find_creation(source, receipt->event, receipt->entry);
	if (creation == PH_NONE)
		return PH_FOUND_STALE;
	if (source->creations[creation].time > receipt->time &&
		node_of(tasks, receipt->source) == node_of(tasks, location))
		return PH_FOUND_EARLY;
	receipt->creation = creation;
	return PH_TASK_FINDINGS;
}

/*
 * A chare receives a message only once, so a second receipt of the same creation by the same chare
 * carries stale numbers: its link is removed and counted. seen has the pairs (creation, chare) of
 * the sender that were met, with PH_NONE as the value after the first.
 */
static PhStatus
drop_repeated(Join *join, PhMap *seen, uint32_t location, PhTaskReceipt *receipt)
{
	PhTaskPart *part = &join->tasks->parts[location];
	uint32_t *first;
	uint32_t chare;

	if (receipt->creation == PH_NONE || receipt->chare == PH_NONE)
		return PH_OK;
	chare = part->chare_id[receipt->chare];
	PH_TRY(ph_map_enter(seen, ph_map_key(receipt->creation, chare), location, &first));
	if (*first == PH_NONE)
	{
		ph_finding_add(&part->findings, PH_FOUND_REPEATED, location, 0);
		receipt->creation = PH_NONE;
	}
	*first = PH_NONE;
	return PH_OK;
}

/* Receipts of the messages of one sender that several receipts claim. */
static PhStatus
drop_repeats(Join *join)
{
	PhTaskSource *tasks = join->tasks;
	uint32_t n = tasks->source.model.n_locations;
	PhArena arena;
	PhMap *seen;
	PhStatus status = PH_OK;

	ph_arena_init(&arena, join->env);
	status = PH_NEW(&arena, n, &seen);
	for (uint32_t i = 0; status == PH_OK && i < n; i++)
		ph_map_init(&seen[i], &arena);
	for (uint32_t i = 0; status == PH_OK && i < n; i++)
	{
		PhTaskPart *part = &tasks->parts[i];

		for (uint32_t k = 0; status == PH_OK && k < part->n_receipts; k++)
		{
			PhTaskReceipt *receipt = &part->receipts[k];

			status = ph_env_poll(join->env);
			if (status == PH_OK && receipt->creation != PH_NONE &&
				tasks->parts[receipt->source].creations[receipt->creation].n_receivers > 1)
				status = drop_repeated(join, &seen[receipt->source], i, receipt);
		}
	}
	ph_arena_drop(&arena);
	return status;
}

static PhStatus
match_receipts(Join *join)
{
	PhTaskSource *tasks = join->tasks;

	for (uint32_t i = 0; i < tasks->source.model.n_locations; i++)
	{
		PhTaskPart *part = &tasks->parts[i];

		for (uint32_t k = 0; k < part->n_receipts; k++)
		{
			PhTaskReceipt *receipt = &part->receipts[k];
			PhTaskFinding finding;

			PH_TRY(ph_env_poll(join->env));
			finding = match_receipt(tasks, i, receipt);
			if (finding != PH_TASK_FINDINGS)
				ph_finding_add(&part->findings, finding, i, 0);
			else
				tasks->parts[receipt->source].creations[receipt->creation].n_receivers++;
		}
	}
	return drop_repeats(join);
}

/* ---- receivers ---- */

static void
count_receiver(PhTaskSource *tasks, uint32_t location, PhTaskReceipt *receipt)
{
	PhTaskPart *source;
	PhTaskCreation *creation;
	int64_t reversal;

	if (receipt->creation == PH_NONE)
	{
		tasks->source.matches.unmatched_receives++;
		return;
	}
	source = &tasks->parts[receipt->source];
	creation = &source->creations[receipt->creation];
	receipt->position = creation->n_receivers++;
	source->n_receivers++;
	tasks->source.matches.messages++;
	if (tasks->is_reduction != NULL && tasks->is_reduction[receipt->entry])
		ph_finding_add(&tasks->parts[location].findings, PH_FOUND_REDUCTION, location, 0);
	reversal = creation->time - receipt->time;
	if (reversal <= 0)
		return;
	tasks->source.matches.reversed++;
	if (reversal > tasks->source.matches.worst_reversal)
		tasks->source.matches.worst_reversal = reversal;
}

static PhStatus
lay_out_receivers(PhTaskSource *tasks)
{
	for (uint32_t i = 0; i < tasks->source.model.n_locations; i++)
	{
		PhTaskPart *part = &tasks->parts[i];
		uint32_t at = 0;

		PH_TRY(PH_NEW(&part->arena, part->n_receivers, &part->receivers));
		for (uint32_t k = 0; k < part->n_creations; k++)
		{
			part->creations[k].first_receiver = at;
			at += part->creations[k].n_receivers;
			tasks->source.matches.unmatched_sends += part->creations[k].n_receivers == 0;
		}
	}
	return PH_OK;
}

static PhStatus
list_receivers(Join *join)
{
	PhTaskSource *tasks = join->tasks;
	uint32_t n = tasks->source.model.n_locations;

	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t k = 0; k < tasks->parts[i].n_creations; k++)
			tasks->parts[i].creations[k].n_receivers = 0;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t k = 0; k < tasks->parts[i].n_receipts; k++)
			count_receiver(tasks, i, &tasks->parts[i].receipts[k]);
	}
	PH_TRY(lay_out_receivers(tasks));
	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t k = 0; k < tasks->parts[i].n_receipts; k++)
		{
			const PhTaskReceipt *receipt = &tasks->parts[i].receipts[k];
			PhTaskPart *source;

			if (receipt->creation == PH_NONE)
				continue;
			source = &tasks->parts[receipt->source];
			source->receivers[source->creations[receipt->creation].first_receiver +
							  receipt->position] = i;
		}
	}
	return ph_env_poll(join->env);
}

/* ---- the whole ---- */

static void
add_findings(PhFindings *sum, const PhFindings *part)
{
	for (int i = 0; i < PH_TASK_FINDINGS; i++)
	{
		if (sum->n[i] == 0)
		{
			sum->location[i] = part->location[i];
			sum->number[i] = part->number[i];
		}
		sum->n[i] += part->n[i];
	}
	if (part->worst_backwards > sum->worst_backwards)
		sum->worst_backwards = part->worst_backwards;
}

static void
settle(PhTaskSource *tasks)
{
	PhTraceModel *model = &tasks->source.model;

	tasks->origin = PH_NO_TIME;
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		const PhTaskPart *part = &tasks->parts[i];

		add_findings(&tasks->findings, &part->findings);
		model->locations[i].n_events = part->n_records;
		if (part->first_time != PH_NO_TIME &&
			(tasks->origin == PH_NO_TIME || part->first_time < tasks->origin))
			tasks->origin = part->first_time;
	}
	if (tasks->origin == PH_NO_TIME)
		tasks->origin = 0;
}

PhStatus
ph_task_join(PhEnv *env, PhTaskSource *tasks)
{
	Join join = {.env = env, .tasks = tasks};
	PhStatus status = PH_OK;

	ph_arena_init(&join.scratch, env);
	for (uint32_t i = 0; i < tasks->source.model.n_locations && status == PH_OK; i++)
		status = order_creations(&join, &tasks->parts[i]);
	if (status == PH_OK)
		status = number_chares(&join);
	if (status == PH_OK)
		status = match_receipts(&join);
	if (status == PH_OK)
		status = list_receivers(&join);
	if (status == PH_OK)
		settle(tasks);
	ph_arena_drop(&join.scratch);
	return status;
}
