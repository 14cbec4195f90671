/*
 * candidates.c - see candidates.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/candidates.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"

#define MOST_POSTED 4
#define MOST_CANDIDATES                                                                            \
	(PH_MOST_BALANCED + PH_MOST_SLOW_RANKS + MOST_POSTED + 3 * PH_MOST_ORDERED + 1)

typedef struct Finder
{
	PhArena *scratch;
	const PhReplayProgram *program;
	const PhTraceModel *model;
	const PhPathTime *times;
	size_t n_times;
	PhReplayCandidate *found;
	uint32_t n_found;
} Finder;

static void
add_candidate(Finder *finder, PhChangeKind kind, uint32_t region)
{
	finder->found[finder->n_found++] =
		(PhReplayCandidate){{.kind = kind, .target = PH_NONE}, .region = region};
}

static bool
is_mpi(const Finder *finder, uint32_t region)
{
	return finder->program->skeleton->mpi[region].does != 0 ||
		   strcmp(finder->model->regions[region].paradigm, "mpi") == 0 ||
		   strncmp(finder->model->regions[region].name, "MPI_", 4) == 0;
}

/* ---- the largest of many ---- */

typedef struct Ranked
{
	const int64_t *values;
	const PhTraceRegion *regions; /* NULL: items are no regions */
} Ranked;

/* Largest first; equal ones by name, so that their numbers do not matter, then by number. */
static int
compare_ranked(const void *context, uint32_t x, uint32_t y)
{
	const Ranked *ranked = context;
	if (ranked->values[x] != ranked->values[y])
		return ranked->values[x] > ranked->values[y] ? -1 : 1;
	int order =
		ranked->regions == NULL ? 0 : strcmp(ranked->regions[x].name, ranked->regions[y].name);
	return order != 0 ? order : x < y ? -1 : x > y;
}

/* The items with the largest values above 0: at most `most`. */
static PhStatus
find_largest(Finder *finder, const int64_t *values, uint32_t n, bool are_regions, uint32_t most,
			 uint32_t **items, uint32_t *n_items)
{
	Ranked ranked = {values, are_regions ? finder->model->regions : NULL};
	PH_TRY(ph_sort_indices(finder->scratch, n, compare_ranked, &ranked, items));
	*n_items = 0;
	while (*n_items < PH_MIN(n, most) && values[(*items)[*n_items]] > 0)
		(*n_items)++;
	return PH_OK;
}

/* ---- imbalance ---- */

static uint32_t
rank_of(const Finder *finder, uint32_t location)
{
	int32_t rank = finder->model->locations[location].rank;
	return rank >= 0 && (uint32_t) rank < finder->model->n_ranks ? (uint32_t) rank : PH_NONE;
}

static int
compare_times(const void *context, uint32_t x, uint32_t y)
{
	const PhPathTime *a = (const PhPathTime *) context + x;
	const PhPathTime *b = (const PhPathTime *) context + y;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* By region: what the rank with most of it takes beyond the mean of all. */
static PhStatus
measure_regions(Finder *finder, int64_t *beyond)
{
	uint32_t *order, n_ranks = PH_MAX(finder->model->n_ranks, 1u);
	int64_t *by_rank;
	PH_TRY(ph_sort_indices(finder->scratch, (uint32_t) finder->n_times, compare_times,
						   finder->times, &order));
	PH_TRY(PH_NEW(finder->scratch, n_ranks, &by_rank));
	for (size_t i = 0; i < finder->n_times;)
	{
		uint32_t region = finder->times[order[i]].region;
		int64_t sum = 0, most = 0;
		size_t first = i;
		for (; i < finder->n_times && finder->times[order[i]].region == region; i++)
		{
			const PhPathTime *time = &finder->times[order[i]];
			uint32_t rank = rank_of(finder, time->location);
			PH_TRY(ph_env_poll(finder->scratch->env));
			if (rank == PH_NONE)
				continue;
			by_rank[rank] += time->exclusive;
			most = PH_MAX(most, by_rank[rank]);
			sum += time->exclusive;
		}
		beyond[region] = is_mpi(finder, region) ? 0 : most - sum / n_ranks;
		for (; first < i; first++)
			if (rank_of(finder, finder->times[order[first]].location) != PH_NONE)
				by_rank[rank_of(finder, finder->times[order[first]].location)] = 0;
	}
	return PH_OK;
}

static PhStatus
add_balances(Finder *finder)
{
	int64_t *beyond;
	uint32_t *largest, n;
	PH_TRY(PH_NEW(finder->scratch, finder->model->n_regions, &beyond));
	PH_TRY(measure_regions(finder, beyond));
	PH_TRY(find_largest(finder, beyond, finder->model->n_regions, true, PH_MOST_BALANCED, &largest,
						&n));
	for (uint32_t i = 0; i < n; i++)
		add_candidate(finder, PH_CHANGE_BALANCE, largest[i]);
	return PH_OK;
}

static PhStatus
add_slow_ranks(Finder *finder)
{
	int64_t *times, sum = 0;
	uint32_t *largest, n, n_ranks = finder->model->n_ranks;
	PH_TRY(PH_NEW(finder->scratch, n_ranks, &times));
	for (size_t i = 0; i < finder->n_times; i++)
	{
		uint32_t rank = rank_of(finder, finder->times[i].location);
		if (rank == PH_NONE || is_mpi(finder, finder->times[i].region))
			continue;
		times[rank] += finder->times[i].exclusive;
		sum += finder->times[i].exclusive;
	}
	for (uint32_t rank = 0; rank < n_ranks; rank++)
		times[rank] -= sum / n_ranks;
	PH_TRY(find_largest(finder, times, n_ranks, false, PH_MOST_SLOW_RANKS, &largest, &n));
	for (uint32_t i = 0; i < n; i++)
	{
		add_candidate(finder, PH_CHANGE_RANK_TO_MEAN, PH_NONE);
		finder->found[finder->n_found - 1].change.rank = largest[i];
	}
	return PH_OK;
}

/* ---- sends ---- */

/* By region: its sends by rendezvous. */
static PhStatus
count_rendezvous(Finder *finder, int64_t *counts)
{
	const PhSkeleton *skeleton = finder->program->skeleton;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		for (uint32_t i = 0; i < finder->program->locations[at].n_ops; i++)
		{
			const PhReplayOp *op = &finder->program->locations[at].ops[i];
			PH_TRY(ph_env_poll(finder->scratch->env));
			uint32_t region = ph_replay_region(finder->program, at, op);
			if (region == PH_NONE)
				continue;
			for (uint32_t end = op->first_end; end < op[1].first_end; end++)
				counts[region] += ph_replay_is_rendezvous(finder->program, at,
														  &skeleton->locations[at].ends[end]);
		}
	return PH_OK;
}

static PhStatus
add_posted(Finder *finder)
{
	int64_t *counts;
	uint32_t *largest, n;
	PH_TRY(PH_NEW(finder->scratch, finder->model->n_regions, &counts));
	PH_TRY(count_rendezvous(finder, counts));
	PH_TRY(find_largest(finder, counts, finder->model->n_regions, true, MOST_POSTED, &largest, &n));
	for (uint32_t i = 0; i < n; i++)
		add_candidate(finder, PH_CHANGE_POST, largest[i]);
	return PH_OK;
}

static PhStatus
add_orders(Finder *finder)
{
	const PhMpiCall *mpi = finder->program->skeleton->mpi;
	int64_t *times;
	uint32_t *largest, n;
	PH_TRY(PH_NEW(finder->scratch, finder->model->n_regions, &times));
	for (size_t i = 0; i < finder->n_times; i++)
	{
		const PhPathTime *time = &finder->times[i];
		if (time->parent_region != PH_NONE && (mpi[time->region].does & PH_MPI_SENDS) != 0)
			times[time->parent_region] += time->exclusive;
	}
	PH_TRY(
		find_largest(finder, times, finder->model->n_regions, true, PH_MOST_ORDERED, &largest, &n));
	for (uint32_t i = 0; i < n; i++)
	{
		add_candidate(finder, PH_CHANGE_RECEIVE_FIRST, largest[i]);
		finder->found[finder->n_found - 1].change.ranks = "odd";
		add_candidate(finder, PH_CHANGE_SORT_SENDS, largest[i]);
		finder->found[finder->n_found - 1].change.sends = PH_SENDS_BY_PARTNER_DOWN;
		add_candidate(finder, PH_CHANGE_SORT_SENDS, largest[i]);
		finder->found[finder->n_found - 1].change.sends = PH_SENDS_BY_DISTANCE_DOWN;
	}
	return PH_OK;
}

static PhStatus
find_candidates(Finder *finder)
{
	PH_TRY(add_balances(finder));
	PH_TRY(add_slow_ranks(finder));
	PH_TRY(add_posted(finder));
	PH_TRY(add_orders(finder));
	add_candidate(finder, PH_CHANGE_IDEAL_NETWORK, PH_NONE);
	return PH_OK;
}

PhStatus
ph_replay_candidates(PhArena *arena, const PhReplayProgram *program, const PhPathTime *times,
					 size_t n_times, const PhReplayCandidate **out, uint32_t *n)
{
	PhArena scratch;
	Finder finder = {.scratch = &scratch,
					 .program = program,
					 .model = program->skeleton->model,
					 .times = times,
					 .n_times = n_times};
	if (n_times > UINT32_MAX)
		return ph_fail(arena->env, PH_ERR_LIMIT, "too many call paths");
	PH_TRY(PH_NEW(arena, MOST_CANDIDATES, &finder.found));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find_candidates(&finder);
	ph_arena_drop(&scratch);
	*out = finder.found;
	*n = finder.n_found;
	return status;
}
