/*
 * path_times.c - see path_times.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/path_times.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "base/vector.h"

#define FAN 64
#define MOST_LEVELS 6 /* 64^6 is more than there are marks */

typedef struct PathEntry
{
	int64_t time;
	uint32_t node;
} __attribute__((packed, aligned(4))) PathEntry;

/* Lists of entries: those of list i are entries[first[i]..first[i + 1]). */
typedef struct PathLists
{
	uint32_t n;
	PH_VECTOR(uint32_t) first;
	PH_VECTOR(PathEntry) entries;
} PathLists;

typedef struct MarkedLocation
{
	uint32_t n_marks;
	int64_t *marks; /* ascending, all different */
	/*
	 * levels[0]: by mark, from it to the next one; those of what is before the first mark are
	 * left out. levels[k]: of 64 lists of levels[k - 1]
	 */
	PathLists levels[MOST_LEVELS];
	uint32_t
		next_wait; /* of the location's: the first that is not wholly before the last stretch */
	uint32_t list_begin; /* entries of the list that is open, from here on */
} MarkedLocation;

struct PhPathTimes
{
	PhEnv *env;
	const PhWaitStates *waits;
	const PhWaitInterval *intervals;
	PhArena arena;
	MarkedLocation *locations;
	uint32_t *wait_nodes; /* by wait */
	PhIndices last_entry; /* by node: where it was added last, in whatever location */
};

/* ---- marks ---- */

static int
compare_times(const void *context, uint32_t x, uint32_t y)
{
	const int64_t *times = context;
	return times[x] < times[y] ? -1 : times[x] > times[y];
}

/* Sorts the times and leaves each once. Calls that do not overlap give them in order. */
static PhStatus
order_marks(PhEnv *env, int64_t *times, uint32_t *n)
{
	PhArena scratch;
	uint32_t *order, kept = 0;
	int64_t *sorted;
	bool in_order = true;
	for (uint32_t i = 1; i < *n && in_order; i++)
		in_order = times[i - 1] <= times[i];
	ph_arena_init(&scratch, env);
	PhStatus status = PH_OK;
	if (!in_order &&
		(status = ph_sort_indices(&scratch, *n, compare_times, times, &order)) == PH_OK &&
		(status = PH_NEW(&scratch, *n, &sorted)) == PH_OK)
	{
		for (uint32_t i = 0; i < *n; i++)
			sorted[i] = times[order[i]];
		memcpy(times, sorted, *n * sizeof(*times));
	}
	ph_arena_drop(&scratch);
	for (uint32_t i = 0; i < *n; i++)
		if (kept == 0 || times[kept - 1] != times[i])
			times[kept++] = times[i];
	*n = kept;
	return status;
}

/*
 * The times that a wait and its interval have at two locations; two of each. Those of the wait
 * itself come first.
 */
static void
times_of_wait(const PhPathTimes *times, uint32_t index, int64_t *victim, int64_t *awaited)
{
	const PhWait *wait = &times->waits->waits[index];
	victim[0] = wait->from;
	victim[1] = wait->to;
	victim[2] = times->intervals[index].victim_from;
	awaited[0] = times->intervals[index].awaited_from;
	awaited[1] = wait->release;
}

#define VICTIM_MARKS 3
#define AWAITED_MARKS 2

static PhStatus
make_marks(PhPathTimes *times)
{
	const PhWaitStates *waits = times->waits;
	for (uint32_t i = 0; i < waits->n; i++)
	{
		times->locations[waits->waits[i].victim].n_marks += VICTIM_MARKS;
		times->locations[waits->waits[i].awaited].n_marks += AWAITED_MARKS;
	}
	for (uint32_t at = 0; at < waits->n_locations; at++)
	{
		PH_TRY(PH_NEW(&times->arena, times->locations[at].n_marks, &times->locations[at].marks));
		times->locations[at].n_marks = 0;
	}
	for (uint32_t i = 0; i < waits->n; i++)
	{
		MarkedLocation *victim = &times->locations[waits->waits[i].victim];
		MarkedLocation *awaited = &times->locations[waits->waits[i].awaited];
		int64_t there[AWAITED_MARKS];
		PH_TRY(ph_env_poll(times->env));
		times_of_wait(times, i, victim->marks + victim->n_marks, there);
		victim->n_marks += VICTIM_MARKS;
		memcpy(awaited->marks + awaited->n_marks, there, sizeof(there));
		awaited->n_marks += AWAITED_MARKS;
	}
	PH_TRY(PH_NEW(&times->arena, waits->n, &times->wait_nodes));
	memset(times->wait_nodes, 0xff, waits->n * sizeof(*times->wait_nodes));
	for (uint32_t at = 0; at < waits->n_locations; at++)
		PH_TRY(order_marks(times->env, times->locations[at].marks, &times->locations[at].n_marks));
	return PH_OK;
}

PhStatus
ph_path_times_new(PhEnv *env, const PhWaitStates *waits, const PhWaitInterval *intervals,
				  PhPathTimes **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhPathTimes), &memory));
	PhPathTimes *times = memory;
	times->env = env;
	times->waits = waits;
	times->intervals = intervals;
	ph_arena_init(&times->arena, env);
	PhStatus status = PH_NEW(&times->arena, waits->n_locations, &times->locations);
	if (status == PH_OK)
		status = make_marks(times);
	if (status != PH_OK)
		ph_path_times_free(times);
	else
	{
		for (uint32_t i = 0; i < waits->n_locations; i++)
			times->locations[i].next_wait = waits->first[i];
		*out = times;
	}
	return status;
}

void
ph_path_times_free(PhPathTimes *times)
{
	if (times == NULL)
		return;
	for (uint32_t i = 0; times->locations != NULL && i < times->waits->n_locations; i++)
	{
		for (uint32_t level = 0; level < MOST_LEVELS; level++)
		{
			PH_VECTOR_FREE(times->env, &times->locations[i].levels[level].first);
			PH_VECTOR_FREE(times->env, &times->locations[i].levels[level].entries);
		}
	}
	PH_VECTOR_FREE(times->env, &times->last_entry);
	ph_arena_drop(&times->arena);
	ph_env_free(times->env, times, 1, sizeof(PhPathTimes));
}

/* ---- adding ---- */

/* The next list begins. */
static PhStatus
begin_list(PhEnv *env, PathLists *lists)
{
	PH_TRY(PH_ROOM(env, &lists->first));
	lists->first.items[lists->first.count++] = lists->entries.count;
	lists->n = lists->first.count;
	return PH_OK;
}

/*
 * Adds to the list that is open, mostly to the entry that the node has there. Where another
 * location came in between, it may get a second one.
 */
static PhStatus
add_entry(PhPathTimes *times, PathLists *lists, uint32_t node, int64_t time)
{
	for (; times->last_entry.count <= node;)
		PH_TRY(ph_indices_add(times->env, &times->last_entry, 0));
	uint32_t *last = &times->last_entry.items[node];
	PathEntry *entries = lists->entries.items;
	if (*last >= lists->first.items[lists->n - 1] && *last < lists->entries.count &&
		entries[*last].node == node)
	{
		entries[*last].time += time;
		return PH_OK;
	}
	PH_TRY(PH_ROOM(times->env, &lists->entries));
	*last = lists->entries.count++;
	lists->entries.items[*last] = (PathEntry){time, node};
	return PH_OK;
}

/* A piece of a stretch that is no wait. */
static PhStatus
add_piece(PhPathTimes *times, MarkedLocation *location, uint32_t node, int64_t from, int64_t to)
{
	PathLists *lists = &location->levels[0];
	while (from < to)
	{
		while (lists->n < location->n_marks && location->marks[lists->n] <= from)
			PH_TRY(begin_list(times->env, lists));
		int64_t end = lists->n < location->n_marks ? PH_MIN(location->marks[lists->n], to) : to;
		if (lists->n > 0)
			PH_TRY(add_entry(times, lists, node, end - from));
		from = end;
	}
	return PH_OK;
}

PhStatus
ph_path_times_stretch(void *user, uint32_t at, uint32_t node, int64_t from, int64_t to)
{
	PhPathTimes *times = user;
	MarkedLocation *location = &times->locations[at];
	const PhWait *waits = times->waits->waits;
	uint32_t end = times->waits->first[at + 1];
	while (from < to)
	{
		while (location->next_wait < end && waits[location->next_wait].to <= from)
			location->next_wait++;
		const PhWait *wait = location->next_wait < end ? &waits[location->next_wait] : NULL;
		int64_t until = wait == NULL ? to : PH_MIN(wait->from, to);
		if (wait != NULL && wait->from < to && times->wait_nodes[location->next_wait] == PH_NONE)
			times->wait_nodes[location->next_wait] = node;
		if (from < until)
			PH_TRY(add_piece(times, location, node, from, until));
		from = wait == NULL || wait->from >= to ? to : PH_MAX(from, wait->to);
	}
	return PH_OK;
}

/* ---- sums of neighbours ---- */

PhStatus
ph_path_sum_new(PhArena *arena, uint32_t n_nodes, PhPathSum *out)
{
	out->n = 0;
	PH_TRY(PH_NEW(arena, n_nodes, &out->time));
	return PH_NEW(arena, n_nodes, &out->nodes);
}

void
ph_path_sum_clear(PhPathSum *sum)
{
	for (uint32_t i = 0; i < sum->n; i++)
		sum->time[sum->nodes[i]] = 0;
	sum->n = 0;
}

static void
add_lists(const PathLists *lists, uint32_t from, uint32_t to, PhPathSum *sum)
{
	uint32_t begin = from < lists->n ? lists->first.items[from] : lists->entries.count;
	uint32_t end = to < lists->n ? lists->first.items[to] : lists->entries.count;
	for (uint32_t i = begin; i < end; i++)
	{
		const PathEntry *entry = &lists->entries.items[i];
		if (sum->time[entry->node] == 0)
			sum->nodes[sum->n++] = entry->node;
		sum->time[entry->node] += entry->time;
	}
}

static PhStatus
make_level(PhEnv *env, const PathLists *below, PathLists *level, PhPathSum *sum)
{
	for (uint32_t i = 0; i < below->n; i += FAN)
	{
		PH_TRY(ph_env_poll(env));
		PH_TRY(begin_list(env, level));
		add_lists(below, i, PH_MIN(i + FAN, below->n), sum);
		for (uint32_t j = 0; j < sum->n; j++)
		{
			PH_TRY(PH_ROOM(env, &level->entries));
			level->entries.items[level->entries.count++] =
				(PathEntry){sum->time[sum->nodes[j]], sum->nodes[j]};
		}
		ph_path_sum_clear(sum);
	}
	return PH_OK;
}

PhStatus
ph_path_times_finish(PhPathTimes *times, uint32_t n_nodes)
{
	PhPathSum sum;
	PH_TRY(ph_path_sum_new(&times->arena, n_nodes, &sum));
	for (uint32_t at = 0; at < times->waits->n_locations; at++)
	{
		PathLists *levels = times->locations[at].levels;
		for (uint32_t i = 1; i < MOST_LEVELS && levels[i - 1].n > FAN; i++)
			PH_TRY(make_level(times->env, &levels[i - 1], &levels[i], &sum));
	}
	return PH_OK;
}

/* ---- asking ---- */

const uint32_t *
ph_path_times_wait_nodes(const PhPathTimes *times)
{
	return times->wait_nodes;
}

/* How many marks are at or before a time. */
static uint32_t
count_marks(const MarkedLocation *location, int64_t time)
{
	uint32_t low = 0, high = location->n_marks;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (location->marks[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
ph_path_times_add(const PhPathTimes *times, uint32_t at, int64_t from, int64_t to, PhPathSum *sum)
{
	const MarkedLocation *location = &times->locations[at];
	uint32_t low = count_marks(location, from), high = count_marks(location, to);
	low -= low > 0;
	high -= high > 0;
	for (uint32_t level = 0; low < high; level++)
	{
		const PathLists *lists = &location->levels[level];
		uint32_t middle = PH_MIN((low + FAN - 1) / FAN * FAN, high);
		uint32_t last = PH_MAX(high / FAN * FAN, middle);
		if (level + 1 == MOST_LEVELS || location->levels[level + 1].n == 0)
			middle = last = high;
		add_lists(lists, low, middle, sum);
		add_lists(lists, last, high, sum);
		if (middle >= last)
			return;
		low = middle / FAN;
		high = last / FAN;
	}
}
