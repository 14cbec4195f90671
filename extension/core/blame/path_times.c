/*
 * path_times.c - see path_times.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/path_times.h"

#include <string.h>

#include "base/fetch.h"
#include "base/min_max.h"
#include "base/vector.h"
#include "trace/internal.h"

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
	int64_t *marks;	 /* ascending, all different */
	uint32_t *ended; /* by mark: the first wait that has not ended */
	/*
	 * levels[0]: by mark, from it to the next one; those of what is before the first mark are
	 * left out. levels[k]: of 64 lists of levels[k - 1]
	 */
	PathLists levels[MOST_LEVELS];
	uint32_t
		next_wait; /* of the location's: the first that is not wholly before the last stretch */
	int64_t quiet_until; /* no mark and no wait begins before, from the last stretch on */
} MarkedLocation;

/* The times at which the intervals of a wait end and begin; the first two at the victim. */
typedef enum MarkKind
{
	MARK_FROM,
	MARK_VICTIM_FROM,
	MARK_AWAITED_FROM,
	MARK_RELEASE,
	MARK_KINDS
} MarkKind;

struct PhPathTimes
{
	PhEnv *env;
	const PhWaitStates *waits;
	const PhWaitInterval *intervals;
	PhArena arena;
	MarkedLocation *locations;
	uint32_t *wait_nodes; /* by wait */
	uint32_t *places;	  /* by wait and MarkKind: which mark of its location that is */
	PhIndices last_entry; /* by node: where it was added last, in whatever location */
};

/* ---- marks ---- */

/* All marks with where they came from (wait * MARK_KINDS + kind), by location, then time. */
typedef struct Marking
{
	PhPathTimes *times;
	PhKeyed *marks, *buffer;
	uint32_t *end; /* by location; the next one's begin there */
} Marking;

static uint32_t
marked_location(const PhWait *wait, MarkKind kind)
{
	return kind <= MARK_VICTIM_FROM ? wait->victim : wait->awaited;
}

static int64_t
marked_time(const PhPathTimes *times, uint32_t index, MarkKind kind)
{
	const PhWait *wait = &times->waits->waits[index];
	const PhWaitInterval *interval = &times->intervals[index];
	const int64_t marked[MARK_KINDS] = {wait->from, interval->victim_from, interval->awaited_from,
										wait->release};
	return marked[kind];
}

/* Then end[] has where each location's begin: collecting moves it to their ends. */
static PhStatus
count_marks(Marking *marking)
{
	const PhWaitStates *waits = marking->times->waits;
	uint32_t sum = 0;
	for (uint32_t i = 0; i < waits->n; i++)
	{
		marking->end[waits->waits[i].victim] += MARK_AWAITED_FROM;
		marking->end[waits->waits[i].awaited] += MARK_KINDS - MARK_AWAITED_FROM;
	}
	for (uint32_t at = 0; at < waits->n_locations; at++)
	{
		uint32_t n = marking->end[at];
		marking->end[at] = sum;
		sum += n;
	}
	return PH_OK;
}

static PhStatus
collect_marks(Marking *marking)
{
	const PhWaitStates *waits = marking->times->waits;
	for (uint32_t i = 0; i < waits->n; i++)
	{
		PH_TRY(ph_env_poll_at(marking->times->env, i));
		for (MarkKind kind = 0; kind < MARK_KINDS; kind++)
			marking->marks[marking->end[marked_location(&waits->waits[i], kind)]++] =
				(PhKeyed){ph_time_key(marked_time(marking->times, i, kind)), i * MARK_KINDS + kind};
	}
	return PH_OK;
}

/* By mark: how many of the location's waits have ended. They come by time. */
static PhStatus
count_ended(PhPathTimes *times, uint32_t at)
{
	MarkedLocation *location = &times->locations[at];
	uint32_t next = times->waits->first[at];
	PH_TRY(PH_NEW_UNSET(&times->arena, location->n_marks, &location->ended));
	for (uint32_t i = 0; i < location->n_marks; i++)
	{
		while (next < times->waits->first[at + 1] &&
			   times->waits->waits[next].to <= location->marks[i])
			next++;
		location->ended[i] = next;
	}
	return PH_OK;
}

/* Sorts the marks of a location, of which several may be one. */
static PhStatus
order_marks(Marking *marking, uint32_t at)
{
	PhPathTimes *times = marking->times;
	MarkedLocation *location = &times->locations[at];
	uint32_t begin = at == 0 ? 0 : marking->end[at - 1], n = marking->end[at] - begin;
	PhKeyed *marks = marking->marks + begin;
	PH_TRY(ph_trace_sort_keys(times->env, marks, n, marking->buffer));
	for (uint32_t i = 0; i < n; i++)
		location->n_marks += i == 0 || marks[i].key != marks[i - 1].key;
	PH_TRY(PH_NEW_UNSET(&times->arena, location->n_marks, &location->marks));
	for (uint32_t i = 0, place = 0; i < n; i++)
	{
		place += i > 0 && marks[i].key != marks[i - 1].key;
		location->marks[place] = ph_time_of_key(marks[i].key);
		times->places[marks[i].item] = place;
	}
	return count_ended(times, at);
}

static PhStatus
mark_all(Marking *marking, PhArena *scratch)
{
	const PhWaitStates *waits = marking->times->waits;
	uint32_t most = 0;
	PH_TRY(PH_NEW(scratch, waits->n_locations, &marking->end));
	PH_TRY(PH_NEW_UNSET(scratch, (size_t) waits->n * MARK_KINDS, &marking->marks));
	PH_TRY(count_marks(marking));
	PH_TRY(collect_marks(marking));
	for (uint32_t at = 0; at < waits->n_locations; at++)
		most = PH_MAX(most, marking->end[at] - (at == 0 ? 0 : marking->end[at - 1]));
	PH_TRY(PH_NEW_UNSET(scratch, most, &marking->buffer));
	for (uint32_t at = 0; at < waits->n_locations; at++)
		PH_TRY(order_marks(marking, at));
	return PH_OK;
}

static PhStatus
make_marks(PhPathTimes *times)
{
	uint32_t n = times->waits->n;
	Marking marking = {.times = times};
	PhArena scratch;
	if (n > UINT32_MAX / MARK_KINDS)
		return ph_fail(times->env, PH_ERR_LIMIT, "more than %u waits", UINT32_MAX / MARK_KINDS);
	PH_TRY(PH_NEW_UNSET(&times->arena, n, &times->wait_nodes));
	memset(times->wait_nodes, 0xff, n * sizeof(*times->wait_nodes));
	PH_TRY(PH_NEW_UNSET(&times->arena, (size_t) n * MARK_KINDS, &times->places));
	ph_arena_init(&scratch, times->env);
	PhStatus status = mark_all(&marking, &scratch);
	ph_arena_drop(&scratch);
	return status;
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
		{
			times->locations[i].next_wait = waits->first[i];
			times->locations[i].quiet_until = INT64_MIN;
		}
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
static inline PhStatus
add_entry(PhPathTimes *times, PathLists *lists, uint32_t node, int64_t time)
{
	while (__builtin_expect(times->last_entry.count <= node, 0))
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

/* Most stretches are wholly before that: they are looked for in no list. */
static void
note_quiet(const PhPathTimes *times, MarkedLocation *location, uint32_t end)
{
	uint32_t next = location->levels[0].n;
	location->quiet_until = next < location->n_marks ? location->marks[next] : INT64_MAX;
	if (location->next_wait < end)
		location->quiet_until =
			PH_MIN(location->quiet_until, times->waits->waits[location->next_wait].from);
}

/*
 * Of waits and marks that are met, those that end or are before it are passed. An idle thread is in
 * no call: its wait is told of the call path that it begins next.
 */
static PhStatus
add_stretch(PhPathTimes *times, uint32_t at, uint32_t node, int64_t from, int64_t to)
{
	MarkedLocation *location = &times->locations[at];
	const PhWait *waits = times->waits->waits;
	uint32_t end = times->waits->first[at + 1];
	while (from < to)
	{
		for (; location->next_wait < end && waits[location->next_wait].to <= from;
			 location->next_wait++)
			if (waits[location->next_wait].kind == PH_WAIT_IDLE_THREAD)
				times->wait_nodes[location->next_wait] = node;
		const PhWait *wait = location->next_wait < end ? &waits[location->next_wait] : NULL;
		int64_t until = wait == NULL ? to : PH_MIN(wait->from, to);
		if (wait != NULL && wait->from < to && times->wait_nodes[location->next_wait] == PH_NONE)
			times->wait_nodes[location->next_wait] = node;
		if (from < until)
			PH_TRY(add_piece(times, location, node, from, until));
		from = wait == NULL || wait->from >= to ? to : PH_MAX(from, wait->to);
	}
	note_quiet(times, location, end);
	return PH_OK;
}

PhStatus
ph_path_times_stretches(void *user, uint32_t at, const PhStretch *stretches, uint32_t n)
{
	PhPathTimes *times = user;
	MarkedLocation *location = &times->locations[at];
	for (const PhStretch *stretch = stretches; stretch < stretches + n; stretch++)
	{
		if (stretch->to > location->quiet_until)
			PH_TRY(add_stretch(times, at, stretch->node, stretch->from, stretch->to));
		else if (location->levels[0].n > 0)
			PH_TRY(
				add_entry(times, &location->levels[0], stretch->node, stretch->to - stretch->from));
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

/* Adds the lists of [low, high). */
static void
add_times(const MarkedLocation *location, uint32_t low, uint32_t high, PhPathSum *sum)
{
	for (uint32_t level = 0; low < high; level++)
	{
		const PathLists *lists = &location->levels[level];
		uint32_t middle = PH_MIN((low + FAN - 1) / FAN * FAN, high);
		uint32_t last = PH_MAX(high / FAN * FAN, middle);
		if (level + 1 == MOST_LEVELS || location->levels[level + 1].n == 0)
			middle = last = high;
		add_lists(lists, low, middle, sum);
		if (last < high)
			add_lists(lists, last, high, sum);
		if (middle >= last)
			return;
		low = middle / FAN;
		high = last / FAN;
	}
}

static const uint32_t *
places_of(const PhPathTimes *times, uint32_t wait)
{
	return &times->places[(size_t) wait * MARK_KINDS];
}

void
ph_path_times_of_victim(const PhPathTimes *times, uint32_t wait, PhPathSum *sum)
{
	const uint32_t *places = places_of(times, wait);
	const MarkedLocation *location = &times->locations[times->waits->waits[wait].victim];
	add_times(location, places[MARK_VICTIM_FROM], places[MARK_FROM], sum);
}

void
ph_path_times_of_awaited(const PhPathTimes *times, uint32_t wait, PhPathSum *sum)
{
	const uint32_t *places = places_of(times, wait);
	const MarkedLocation *location = &times->locations[times->waits->waits[wait].awaited];
	add_times(location, places[MARK_AWAITED_FROM], places[MARK_RELEASE], sum);
}

uint32_t
ph_path_times_waits_of_awaited(const PhPathTimes *times, uint32_t wait, uint32_t *first)
{
	const uint32_t *places = places_of(times, wait);
	const MarkedLocation *location = &times->locations[times->waits->waits[wait].awaited];
	*first = location->ended[places[MARK_AWAITED_FROM]];
	return location->ended[places[MARK_RELEASE]] - *first;
}

static void
fetch_lists(const MarkedLocation *location, uint32_t from, uint32_t to)
{
	ph_fetch(&location->levels[0].first.items[from]);
	ph_fetch(&location->levels[0].first.items[to]);
}

static void
fetch_entries(const MarkedLocation *location, uint32_t from, uint32_t to)
{
	const PathLists *lists = &location->levels[0];
	if (from < lists->n)
		ph_fetch(&lists->entries.items[lists->first.items[from]]);
	if (to < lists->n)
		ph_fetch(&lists->entries.items[lists->first.items[to]]);
}

void
ph_path_times_fetch(const PhPathTimes *times, uint32_t wait, PhPathFetch step)
{
	const uint32_t *places = places_of(times, wait);
	if (step == PH_FETCH_PLACES)
	{
		ph_fetch(places);
		return;
	}
	const PhWait *waits = times->waits->waits;
	const MarkedLocation *victim = &times->locations[waits[wait].victim];
	const MarkedLocation *awaited = &times->locations[waits[wait].awaited];
	if (step == PH_FETCH_LISTS)
	{
		fetch_lists(victim, places[MARK_VICTIM_FROM], places[MARK_FROM]);
		fetch_lists(awaited, places[MARK_AWAITED_FROM], places[MARK_RELEASE]);
		ph_fetch(&awaited->ended[places[MARK_AWAITED_FROM]]);
		ph_fetch(&awaited->ended[places[MARK_RELEASE]]);
		return;
	}
	fetch_entries(victim, places[MARK_VICTIM_FROM], places[MARK_FROM]);
	fetch_entries(awaited, places[MARK_AWAITED_FROM], places[MARK_RELEASE]);
	ph_fetch(&waits[awaited->ended[places[MARK_AWAITED_FROM]]]);
}
