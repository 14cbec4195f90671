/*
 * flows.c - see flows.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/flows.h"

#include "base/min_max.h"
#include "base/table.h"
#include "blame/chiefs.h"

/* So many ranks that stand out have a block each, more of them one together. */
#define MOST_ALONE 8

typedef enum BlockKind
{
	BLOCK_OF_NEIGHBOURS,
	BLOCK_OF_ONE,
	BLOCK_OF_CHIEFS,
	BLOCK_WITHOUT_RANK
} BlockKind;

/* The origins, or the victims. */
typedef struct Side
{
	PhArena *scratch;
	const PhFlowInput *input;
	uint32_t width; /* ranks a block */
	PhMap places;	/* rank to a place in sums */
	double *sums;	/* by place */
	bool *is_chief; /* by place */
	uint32_t n_chiefs;
	uint32_t *block; /* by location */
	PH_VECTOR(PhRankBlock) blocks;
} Side;

static uint32_t
location_at(const PhBlameEdge *edge, bool is_origin)
{
	return is_origin ? edge->origin : edge->victim;
}

static uint32_t
block_width(const PhFlowInput *input)
{
	int32_t last = 0;
	for (uint32_t i = 0; i < input->n_locations; i++)
		last = PH_MAX(last, input->ranks[i]);
	return ((uint32_t) last + input->most_blocks) / input->most_blocks;
}

static PhStatus
find_place(Side *side, int32_t rank, uint32_t *out)
{
	uint32_t *place;
	PH_TRY(ph_map_enter(&side->places, (uint32_t) rank, side->places.count, &place));
	*out = *place;
	return PH_OK;
}

/* What each rank caused, or waited, those that did not included. */
static PhStatus
sum_ranks(Side *side, bool is_origin)
{
	const PhFlowInput *input = side->input;
	uint32_t place;
	PH_TRY(PH_NEW(side->scratch, input->n_locations, &side->sums));
	PH_TRY(PH_NEW(side->scratch, input->n_locations, &side->is_chief));
	for (uint32_t i = 0; i < input->n_locations; i++)
		if (input->ranks[i] >= 0)
			PH_TRY(find_place(side, input->ranks[i], &place));
	for (uint32_t i = 0; i < input->n_edges; i++)
	{
		uint32_t location = location_at(&input->edges[i], is_origin);
		PH_TRY(ph_env_poll(side->scratch->env));
		if (location == PH_NONE || input->ranks[location] < 0 ||
			(is_origin && input->edges[i].is_own))
			continue;
		PH_TRY(find_place(side, input->ranks[location], &place));
		side->sums[place] += (double) input->edges[i].ns;
	}
	return ph_chiefs(side->scratch, side->places.count, side->sums, side->is_chief,
					 &side->n_chiefs);
}

static PhStatus
block_key(Side *side, int32_t rank, uint64_t *out)
{
	uint32_t place = PH_NONE;
	if (rank < 0)
	{
		*out = ph_map_key(BLOCK_WITHOUT_RANK, 0);
		return PH_OK;
	}
	PH_TRY(find_place(side, rank, &place));
	if (!side->is_chief[place])
		*out = ph_map_key(BLOCK_OF_NEIGHBOURS, (uint32_t) rank / side->width);
	else
		*out = side->n_chiefs <= MOST_ALONE ? ph_map_key(BLOCK_OF_ONE, (uint32_t) rank)
											: ph_map_key(BLOCK_OF_CHIEFS, 0);
	return PH_OK;
}

/* Adds a location's rank, which several locations may have, to its block. */
static void
widen_block(PhRankBlock *block, int32_t rank, bool is_new)
{
	block->n += is_new;
	if (rank < 0)
		return;
	block->first = block->first < 0 ? rank : PH_MIN(block->first, rank);
	block->last = PH_MAX(block->last, rank);
}

static PhStatus
find_blocks(Side *side, PhArena *arena)
{
	const PhFlowInput *input = side->input;
	PhMap blocks, seen;
	ph_map_init(&blocks, side->scratch);
	ph_map_init(&seen, side->scratch);
	PH_TRY(PH_NEW(side->scratch, input->n_locations, &side->block));
	for (uint32_t i = 0; i < input->n_locations; i++)
	{
		uint64_t key = 0;
		uint32_t *block, *first, n_seen = seen.count;
		PH_TRY(block_key(side, input->ranks[i], &key));
		PH_TRY(ph_map_enter(&blocks, key, side->blocks.count, &block));
		if (*block == side->blocks.count)
		{
			PH_TRY(PH_ROOM(arena, &side->blocks));
			side->blocks.items[side->blocks.count++] =
				(PhRankBlock){.first = PH_NO_NUMBER, .last = PH_NO_NUMBER};
		}
		/* without ranks every location counts */
		PH_TRY(ph_map_enter(
			&seen, input->ranks[i] < 0 ? ph_map_key(1, i) : (uint32_t) input->ranks[i], 0, &first));
		widen_block(&side->blocks.items[*block], input->ranks[i], seen.count > n_seen);
		side->block[i] = *block;
	}
	return PH_OK;
}

/* Waits for files are nobody else's doing: they do not count with what ranks cause. */
static PhStatus
add_own_block(Side *side, PhArena *arena, uint32_t *out)
{
	*out = side->blocks.count;
	PH_TRY(PH_ROOM(arena, &side->blocks));
	side->blocks.items[side->blocks.count++] =
		(PhRankBlock){.first = PH_NO_NUMBER, .last = PH_NO_NUMBER};
	return PH_OK;
}

static PhStatus
divide_side(Side *side, PhArena *arena, const PhFlowInput *input, bool is_origin)
{
	side->input = input;
	side->width = block_width(input);
	ph_map_init(&side->places, side->scratch);
	PH_TRY(sum_ranks(side, is_origin));
	return find_blocks(side, arena);
}

/* ---- flows ---- */

typedef struct Flows
{
	PhMap origins, victims; /* (group, block) to a number */
	PhMap flows;			/* (origin, victim) to flow */
	PH_VECTOR(PhBlameFlow) all;
} Flows;

static PhStatus
number_of(PhMap *ends, uint32_t group, uint32_t block, uint32_t *out)
{
	uint32_t *number;
	PH_TRY(ph_map_enter(ends, ph_map_key(group, block), ends->count, &number));
	*out = *number;
	return PH_OK;
}

static PhStatus
add_edge(PhArena *arena, Flows *flows, const PhBlameEdge *edge, const PhBlameFlow *ends)
{
	uint32_t origin = 0, victim = 0, *found;
	PH_TRY(number_of(&flows->origins, ends->origin_group, ends->origin_block, &origin));
	PH_TRY(number_of(&flows->victims, ends->victim_group, ends->victim_block, &victim));
	PH_TRY(ph_map_enter(&flows->flows, ph_map_key(origin, victim), flows->all.count, &found));
	if (*found == flows->all.count)
	{
		PH_TRY(PH_ROOM(arena, &flows->all));
		flows->all.items[flows->all.count++] = *ends;
	}
	PhBlameFlow *flow = &flows->all.items[*found];
	flow->ns += edge->ns;
	flow->inferred += edge->inferred;
	flow->n_waits += edge->n_waits;
	return PH_OK;
}

static uint32_t
group_of(const PhFlowInput *input, uint32_t node)
{
	return node == PH_NONE ? PH_NONE : input->groups[node];
}

static PhStatus
find_flows(PhArena *arena, PhArena *scratch, const PhFlowInput *input, PhBlameFlows *out)
{
	Side origins = {.scratch = scratch}, victims = {.scratch = scratch};
	Flows flows = {0};
	uint32_t own;
	PH_TRY(divide_side(&origins, arena, input, true));
	PH_TRY(divide_side(&victims, arena, input, false));
	PH_TRY(add_own_block(&origins, arena, &own));
	ph_map_init(&flows.origins, scratch);
	ph_map_init(&flows.victims, scratch);
	ph_map_init(&flows.flows, scratch);
	for (uint32_t i = 0; i < input->n_edges; i++)
	{
		const PhBlameEdge *edge = &input->edges[i];
		PhBlameFlow ends = {.origin_group = group_of(input, edge->origin_node),
							.origin_block =
								edge->origin == PH_NONE ? PH_NONE : origins.block[edge->origin],
							.victim_group = group_of(input, edge->victim_node),
							.victim_block = victims.block[edge->victim]};
		if (edge->is_own)
			ends.origin_block = own;
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(add_edge(arena, &flows, edge, &ends));
	}
	*out = (PhBlameFlows){flows.all.count, flows.all.items, origins.blocks.items,
						  victims.blocks.items};
	return PH_OK;
}

PhStatus
ph_blame_flows(PhArena *arena, const PhFlowInput *input, PhBlameFlows *out)
{
	PhArena scratch;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find_flows(arena, &scratch, input, out);
	ph_arena_drop(&scratch);
	return status;
}
