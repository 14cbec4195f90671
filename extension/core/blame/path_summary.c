/*
 * path_summary.c - see path_summary.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/path_summary.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"
#include "base/vector.h"
#include "blame/device_places.h"

typedef struct Summary
{
	PhArena *scratch;
	const PhUnitCostInput *input;
	PhMap places; /* (location, node) to share */
	PH_VECTOR(PhPathShare) shares;
	int64_t *taken;	  /* by node: of all locations, without waits */
	bool *of_lanes;	  /* by node: devices have it */
	int64_t *on_path; /* by node */
	int64_t *given;	  /* by node: of its imbalance, to locations before */
	int64_t *passed;  /* by node: time on the path of those */
} Summary;

static PhStatus
share_of(Summary *summary, uint32_t node, uint32_t location, PhPathShare **out)
{
	uint32_t *found;
	PH_TRY(
		ph_map_enter(&summary->places, ph_map_key(location, node), summary->shares.count, &found));
	if (*found == summary->shares.count)
	{
		PH_TRY(PH_ROOM(summary->scratch->env, &summary->shares));
		summary->shares.items[summary->shares.count++] =
			(PhPathShare){.node = node, .location = location};
	}
	*out = &summary->shares.items[*found];
	return PH_OK;
}

/* What each call path takes of all locations, waits left out. */
static PhStatus
add_up_time(Summary *summary)
{
	const PhUnitCostInput *input = summary->input;
	const PhTreeCell *cells;
	size_t n;
	PH_TRY(ph_trace_tree_cells(input->tree, &cells, &n));
	for (size_t i = 0; i < n; i++)
		summary->taken[cells[i].node] += cells[i].exclusive;
	for (uint32_t i = 0; input->places != NULL && i < input->places->n; i++)
	{
		summary->taken[input->places->taken[i].node] += input->places->taken[i].ns;
		summary->of_lanes[input->places->taken[i].node] = true;
	}
	for (uint32_t i = 0; i < input->waits->n; i++)
		if (input->wait_nodes[i] != PH_NONE)
			summary->taken[input->wait_nodes[i]] -=
				input->waits->waits[i].to - input->waits->waits[i].from;
	return PH_OK;
}

static PhStatus
collect_shares(Summary *summary)
{
	const PhBlame *blame = summary->input->blame;
	PhPathShare *share;
	uint32_t n;
	const PhTreeCost *costs = ph_on_path_costs(summary->input->on_path, &n);
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(share_of(summary, costs[i].node, costs[i].location, &share));
		share->ns += costs[i].ns;
		summary->on_path[costs[i].node] += costs[i].ns;
	}
	costs = ph_on_path_part(summary->input->on_path, PH_PART_START_UP, &n);
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(share_of(summary, costs[i].node, costs[i].location, &share));
		share->start_up += costs[i].ns;
	}
	costs = ph_on_path_part(summary->input->on_path, PH_PART_SHUT_DOWN, &n);
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(share_of(summary, costs[i].node, costs[i].location, &share));
		share->shut_down += costs[i].ns;
	}
	for (uint32_t i = 0; i < blame->n_delays; i++)
	{
		if (blame->delays[i].long_term == 0)
			continue;
		PH_TRY(share_of(summary, blame->delays[i].node, blame->delays[i].location, &share));
		share->blame += blame->delays[i].long_term;
	}
	return PH_OK;
}

static int
compare_shares(const void *context, uint32_t x, uint32_t y)
{
	const PhPathShare *a = (const PhPathShare *) context + x,
					  *b = (const PhPathShare *) context + y;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->location < b->location ? -1 : a->location > b->location;
}

/* Cut off running sums, rounded down, so that those of a node add up to its imbalance. */
static void
set_imbalance(Summary *summary, PhPathShare *share, uint32_t n_locations)
{
	uint32_t node = share->node;
	if (summary->of_lanes[node])
		n_locations = summary->input->places->n_lanes;
	int64_t imbalance = summary->on_path[node] - summary->taken[node] / n_locations;
	if (imbalance <= 0 || summary->on_path[node] == 0)
		return;
	summary->passed[node] += share->ns;
	int64_t sum_to =
		(int64_t) ((__int128) imbalance * summary->passed[node] / summary->on_path[node]);
	share->imbalance = sum_to - summary->given[node];
	summary->given[node] = sum_to;
}

static PhStatus
find_shares(Summary *summary, PhArena *arena, uint32_t n_locations, PhPathShare **out)
{
	uint32_t n_nodes = ph_trace_tree_n_nodes(summary->input->tree), *order;
	PhPathShare *shares;
	ph_map_init(&summary->places, summary->scratch);
	PH_TRY(PH_NEW(summary->scratch, n_nodes, &summary->taken));
	PH_TRY(PH_NEW(summary->scratch, n_nodes, &summary->of_lanes));
	PH_TRY(PH_NEW(summary->scratch, n_nodes, &summary->on_path));
	PH_TRY(PH_NEW(summary->scratch, n_nodes, &summary->given));
	PH_TRY(PH_NEW(summary->scratch, n_nodes, &summary->passed));
	PH_TRY(add_up_time(summary));
	PH_TRY(collect_shares(summary));
	PH_TRY(ph_sort_indices(summary->scratch, summary->shares.count, compare_shares,
						   summary->shares.items, &order));
	PH_TRY(PH_NEW(arena, summary->shares.count, &shares));
	for (uint32_t i = 0; i < summary->shares.count; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		shares[i] = summary->shares.items[order[i]];
		set_imbalance(summary, &shares[i], PH_MAX(n_locations, 1));
	}
	*out = shares;
	return PH_OK;
}

PhStatus
ph_path_summary_find(PhArena *arena, const PhUnitCostInput *input, const PhSkeleton *skeleton,
					 const PhPathShare **out, uint32_t *n)
{
	PhArena scratch;
	PhPathShare *shares = NULL;
	Summary summary = {.scratch = &scratch, .input = input};
	uint32_t n_locations = 0;
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
		n_locations += skeleton->locations[i].first_time != PH_NO_TIME;
	if (input->places != NULL)
		n_locations -= PH_MIN(input->places->n_lanes, n_locations);
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find_shares(&summary, arena, n_locations, &shares);
	*n = summary.shares.count;
	PH_VECTOR_FREE(arena->env, &summary.shares);
	ph_arena_drop(&scratch);
	*out = shares;
	return status;
}
