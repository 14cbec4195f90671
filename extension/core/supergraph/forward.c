/*
 * forward.c - which label calls which: forward and back pairs (docs/design/supergraph.md 3.3 A, B).
 *
 * Only labels of one strongly connected set of the label graph can close a cycle, so all pairs
 * between two sets are forward. Within a set the pairs are taken heaviest first, and one that would
 * close a cycle is a back pair (a callback).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/sort.h"
#include "base/table.h"
#include "supergraph/internal.h"

/* The distinct pairs (label of the caller, label of the callee) of a forest. */
typedef struct LabelPairs
{
	uint32_t n;
	uint32_t *caller;
	uint32_t *callee;
	double *weight;
	uint32_t *of_segment; /* PH_NONE for roots */
	bool *back;
} LabelPairs;

/* Tarjan's search for strongly connected sets, with its stacks spelled out. */
typedef struct SetSearch
{
	uint32_t *first_pair; /* per label: where its pairs begin in by_caller; one more at the end */
	uint32_t *by_caller;  /* callees, grouped by caller */
	uint32_t *next_pair;  /* per label: the next pair to follow */
	uint32_t *found;	  /* per label: 1 + order of discovery, 0: not yet */
	uint32_t *lowest;	  /* per label: the earliest one of its set that it can get to */
	uint32_t *path;		  /* labels being searched */
	uint32_t *open;		  /* found labels without a set */
	uint32_t n_path, n_open, n_found;
} SetSearch;

/*
 * The distinct pairs (label of the caller, label of the callee), each with the sum W of the weights
 * of its segments, and the pair of every segment (docs/design/supergraph.md 3.3 A).
 */
static PhStatus
collect_pairs(PhArena *arena, const PhSegmentForest *forest, LabelPairs *pairs)
{
	PhMap map;
	ph_map_init(&map, arena);
	pairs->n = 0;
	PH_TRY(PH_NEW(arena, forest->n, &pairs->of_segment));
	PH_TRY(PH_NEW(arena, forest->n, &pairs->caller));
	PH_TRY(PH_NEW(arena, forest->n, &pairs->callee));
	PH_TRY(PH_NEW(arena, forest->n, &pairs->weight));
	PH_TRY(PH_NEW(arena, forest->n, &pairs->back));
	for (uint32_t segment = 0; segment < forest->n; segment++)
	{
		PH_TRY(ph_env_poll(arena->env));
		pairs->of_segment[segment] = PH_NONE;
		if (forest->parent[segment] == PH_NONE)
			continue;
		uint32_t caller = forest->label[forest->parent[segment]];
		uint32_t callee = forest->label[segment];
		uint32_t *pair;
		PH_TRY(ph_map_enter(&map, ph_map_key(caller, callee), pairs->n, &pair));
		if (*pair == pairs->n)
		{
			pairs->caller[pairs->n] = caller;
			pairs->callee[pairs->n++] = callee;
		}
		pairs->weight[*pair] += forest->weight[segment];
		pairs->of_segment[segment] = *pair;
	}
	return PH_OK;
}

static PhStatus
prepare_search(PhArena *arena, uint32_t n, const LabelPairs *pairs, SetSearch *search)
{
	memset(search, 0, sizeof(*search));
	PH_TRY(PH_NEW(arena, (size_t) n + 1, &search->first_pair));
	PH_TRY(PH_NEW(arena, pairs->n, &search->by_caller));
	PH_TRY(PH_NEW(arena, n, &search->next_pair));
	PH_TRY(PH_NEW(arena, n, &search->found));
	PH_TRY(PH_NEW(arena, n, &search->lowest));
	PH_TRY(PH_NEW(arena, n, &search->path));
	PH_TRY(PH_NEW(arena, n, &search->open));
	for (uint32_t pair = 0; pair < pairs->n; pair++)
		search->first_pair[pairs->caller[pair] + 1]++;
	for (uint32_t label = 0; label < n; label++)
		search->first_pair[label + 1] += search->first_pair[label];
	if (n > 0)
		memcpy(search->next_pair, search->first_pair, n * sizeof(uint32_t));
	for (uint32_t pair = 0; pair < pairs->n; pair++)
		search->by_caller[search->next_pair[pairs->caller[pair]]++] = pairs->callee[pair];
	if (n > 0)
		memcpy(search->next_pair, search->first_pair, n * sizeof(uint32_t));
	return PH_OK;
}

static void
discover(SetSearch *search, uint32_t label)
{
	search->found[label] = search->lowest[label] = ++search->n_found;
	search->path[search->n_path++] = label;
	search->open[search->n_open++] = label;
}

/* All labels above `label` on the open stack are one set with it. */
static void
close_set(SetSearch *search, uint32_t label, PhForward *out)
{
	uint32_t member;
	do
	{
		member = search->open[--search->n_open];
		out->cycle_of[member] = out->n_cycles;
	} while (member != label);
	out->n_cycles++;
}

static void
leave(SetSearch *search, uint32_t label, PhForward *out)
{
	search->n_path--;
	if (search->lowest[label] == search->found[label])
		close_set(search, label, out);
	if (search->n_path == 0)
		return;
	uint32_t above = search->path[search->n_path - 1];
	if (search->lowest[label] < search->lowest[above])
		search->lowest[above] = search->lowest[label];
}

/*
 * Strongly connected sets of the label graph (Tarjan 1972), without recursion: next_pair says where
 * each label on the path goes on.
 */
static PhStatus
find_sets(PhArena *arena, uint32_t n, const LabelPairs *pairs, PhForward *out)
{
	SetSearch search;
	PH_TRY(prepare_search(arena, n, pairs, &search));
	PH_TRY(PH_NEW(arena, n, &out->cycle_of));
	memset(out->cycle_of, 0xff, n * sizeof(uint32_t)); /* PH_NONE: no set yet */
	for (uint32_t start = 0; start < n; start++)
	{
		if (search.found[start] == 0)
			discover(&search, start);
		while (search.n_path > 0)
		{
			uint32_t label = search.path[search.n_path - 1];
			PH_TRY(ph_env_poll(arena->env));
			if (search.next_pair[label] == search.first_pair[label + 1])
			{
				leave(&search, label, out);
				continue;
			}
			uint32_t callee = search.by_caller[search.next_pair[label]++];
			if (search.found[callee] == 0)
				discover(&search, callee);
			else if (out->cycle_of[callee] == PH_NONE &&
					 search.found[callee] < search.lowest[label])
				search.lowest[label] = search.found[callee];
		}
	}
	return PH_OK;
}

/* Heaviest first, then by the labels' names (their numbers follow the names). */
static int
compare_pairs(const void *context, uint32_t x, uint32_t y)
{
	const LabelPairs *pairs = context;
	if (pairs->weight[x] != pairs->weight[y])
		return pairs->weight[x] > pairs->weight[y] ? -1 : 1;
	if (pairs->caller[x] != pairs->caller[y])
		return pairs->caller[x] < pairs->caller[y] ? -1 : 1;
	return pairs->callee[x] < pairs->callee[y] ? -1 : pairs->callee[x] > pairs->callee[y];
}

/* The pairs within one set, and the labels that have such pairs. */
static PhStatus
collect_inner(PhArena *arena, uint32_t n_labels, const LabelPairs *pairs, PhForward *forward,
			  uint32_t *inner, uint32_t *n_inner)
{
	bool *is_inner;
	uint32_t n = 0;
	uint32_t n_inner_labels = 0;
	PH_TRY(PH_NEW(arena, n_labels, &is_inner));
	for (uint32_t pair = 0; pair < pairs->n; pair++)
	{
		if (forward->cycle_of[pairs->caller[pair]] != forward->cycle_of[pairs->callee[pair]])
			continue;
		inner[n++] = pair;
		is_inner[pairs->caller[pair]] = is_inner[pairs->callee[pair]] = true;
	}
	for (uint32_t label = 0; label < n_labels; label++)
		n_inner_labels += is_inner[label] ? 1 : 0;
	forward->method = ph_reach_choose(n_inner_labels, n);
	*n_inner = n;
	return PH_OK;
}

static int
compare_weights(const void *context, uint32_t x, uint32_t y)
{
	const double *weight = context;
	if (weight[x] != weight[y])
		return weight[x] > weight[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Labels by their heaviest segment: callers are heavier, so most pairs go up in this order. */
static PhStatus
number_labels(PhArena *arena, const PhSegmentForest *forest, uint32_t **number)
{
	double *heaviest;
	uint32_t *order;
	PH_TRY(PH_NEW(arena, forest->n_labels, &heaviest));
	PH_TRY(PH_NEW(arena, forest->n_labels, number));
	for (uint32_t segment = 0; segment < forest->n; segment++)
		if (heaviest[forest->label[segment]] < forest->weight[segment])
			heaviest[forest->label[segment]] = forest->weight[segment];
	PH_TRY(ph_sort_indices(arena, forest->n_labels, compare_weights, heaviest, &order));
	for (uint32_t i = 0; i < forest->n_labels; i++)
		(*number)[order[i]] = i;
	return PH_OK;
}

/*
 * Takes the pairs within strongly connected sets heaviest first; one that would close a cycle with
 * those taken is a back pair. All other pairs stay forward.
 */
static PhStatus
find_back_pairs(PhArena *arena, const PhSegmentForest *forest, LabelPairs *pairs,
				PhForward *forward)
{
	PhReach reach;
	uint32_t *inner, *buffer, *number;
	uint32_t n_inner;
	PH_TRY(PH_NEW(arena, pairs->n, &inner));
	PH_TRY(PH_NEW(arena, pairs->n, &buffer));
	PH_TRY(collect_inner(arena, forest->n_labels, pairs, forward, inner, &n_inner));
	if (n_inner == 0)
		return PH_OK;
	PH_TRY(ph_sort(arena->env, inner, n_inner, buffer, compare_pairs, pairs));
	PH_TRY(number_labels(arena, forest, &number));
	ph_reach_init(&reach, arena, forward->method);
	for (uint32_t label = 0; label < forest->n_labels; label++)
		PH_TRY(ph_reach_add_vertex(&reach));
	for (uint32_t i = 0; i < n_inner; i++)
	{
		bool added;
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(ph_reach_add_edge(&reach, number[pairs->caller[inner[i]]],
								 number[pairs->callee[inner[i]]], &added));
		pairs->back[inner[i]] = !added;
	}
	return PH_OK;
}

PhStatus
ph_forward_labels(PhArena *arena, const PhSegmentForest *forest, PhForward *out)
{
	LabelPairs pairs;
	PhForward forward;
	memset(&forward, 0, sizeof(forward));
	PH_TRY(collect_pairs(arena, forest, &pairs));
	PH_TRY(find_sets(arena, forest->n_labels, &pairs, &forward));
	PH_TRY(find_back_pairs(arena, forest, &pairs, &forward));
	PH_TRY(PH_NEW(arena, forest->n, &forward.n_back));
	for (uint32_t segment = 0; segment < forest->n; segment++)
	{
		uint32_t parent = forest->parent[segment];
		if (parent != PH_NONE)
			forward.n_back[segment] =
				forward.n_back[parent] + (pairs.back[pairs.of_segment[segment]] ? 1 : 0);
	}
	*out = forward;
	return PH_OK;
}
