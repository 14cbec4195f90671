/*
 * unit_costs.c - see unit_costs.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/unit_costs.h"

#include "base/min_max.h"
#include "base/table.h"
#include "blame/device_places.h"

/* A part of less than a LEAST_PART-th is not told apart (docs/design/blame.md 5). */
#define LEAST_PART 1000

static const char *const names[PH_UNIT_COST_KINDS] = {[PH_COST_OF_WAITS] = "wait",
													  [PH_COST_CAUSED] = "wait caused",
													  [PH_COST_ON_PATH] = "on critical path"};

/* Costs by (node, location), one item each. */
typedef struct Costs
{
	PhArena *arena;
	PhMap places;
	uint32_t n, capacity;
	PhTreeCost *items;
	/* by node: where it was added to last, in whatever location */
	uint32_t n_last, last_room;
	uint32_t *last;
} Costs;

static void
start_costs(PhArena *arena, Costs *costs)
{
	*costs = (Costs){.arena = arena};
	ph_map_init(&costs->places, arena);
}

static PhStatus
find_item(Costs *costs, uint32_t node, uint32_t location, uint32_t *out)
{
	uint32_t *place;
	PH_TRY(ph_map_enter(&costs->places, ph_map_key(location, node), costs->n, &place));
	if (*place == costs->n)
	{
		PH_TRY(PH_GROW(costs->arena, &costs->items, costs->n, &costs->capacity));
		costs->items[costs->n++] = (PhTreeCost){.node = node, .location = location};
	}
	*out = *place;
	return PH_OK;
}

/* Nothing is no cost: a delay may be so short that its parts are rounded to 0. */
static PhStatus
add_cost(Costs *costs, uint32_t node, uint32_t location, int64_t ns)
{
	if (ns == 0)
		return PH_OK;
	while (costs->n_last <= node)
	{
		PH_TRY(PH_GROW(costs->arena, &costs->last, costs->n_last, &costs->last_room));
		costs->last[costs->n_last++] = 0;
	}
	uint32_t *last = &costs->last[node];
	if (*last >= costs->n || costs->items[*last].node != node ||
		costs->items[*last].location != location)
		PH_TRY(find_item(costs, node, location, last));
	costs->items[*last].ns += ns;
	return PH_OK;
}

/* ---- the critical path ---- */

struct PhOnPath
{
	PhEnv *env;
	PhPathLeg *legs;  /* by location, then time */
	uint32_t *first;  /* by location; n_locations + 1 */
	uint32_t *cursor; /* by location: the first leg that does not end before its next stretch */
	Costs costs;
	Costs parts[PH_RUN_PARTS]; /* nothing in that of the main one */
	const PhSkeleton *skeleton;
};

/* Legs come by time, so that those of a location do as well. */
static PhStatus
sort_legs(PhOnPath *on_path, const PhPathLeg *legs, uint32_t n, uint32_t n_locations)
{
	uint32_t *first = on_path->first;
	for (uint32_t i = 0; i < n; i++)
		first[legs[i].location + 1]++;
	for (uint32_t i = 0; i < n_locations; i++)
	{
		first[i + 1] += first[i];
		on_path->cursor[i] = first[i];
	}
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(on_path->env));
		on_path->legs[on_path->cursor[legs[i].location]++] = legs[i];
	}
	for (uint32_t i = 0; i < n_locations; i++)
		on_path->cursor[i] = first[i];
	return PH_OK;
}

PhStatus
ph_on_path_new(PhArena *arena, const PhCriticalPath *path, const PhSkeleton *skeleton,
			   PhOnPath **out)
{
	PhOnPath *on_path;
	PhPathLeg *legs;
	uint32_t n, n_locations = skeleton->n_locations;
	PH_TRY(ph_critical_path_legs(path, arena, &legs, &n));
	PH_TRY(PH_NEW(arena, 1, &on_path));
	on_path->env = arena->env;
	on_path->skeleton = skeleton;
	start_costs(arena, &on_path->costs);
	for (int part = 0; part < PH_RUN_PARTS; part++)
		start_costs(arena, &on_path->parts[part]);
	PH_TRY(PH_NEW_UNSET(arena, n, &on_path->legs));
	PH_TRY(PH_NEW(arena, (size_t) n_locations + 1, &on_path->first));
	PH_TRY(PH_NEW(arena, n_locations, &on_path->cursor));
	PH_TRY(sort_legs(on_path, legs, n, n_locations));
	*out = on_path;
	return PH_OK;
}

/* How much of a stretch was on the path. The cursor is where it may begin to be. */
static int64_t
ns_on_path(const PhOnPath *on_path, uint32_t location, int64_t from, int64_t to)
{
	uint32_t end = on_path->first[location + 1];
	int64_t ns = 0;
	for (uint32_t i = on_path->cursor[location]; i < end && on_path->legs[i].from < to; i++)
		ns += PH_MAX(PH_MIN(on_path->legs[i].to, to) - PH_MAX(on_path->legs[i].from, from),
					 (int64_t) 0);
	return ns;
}

/* What of a stretch lies before MPI_Init was left, and after MPI_Finalize was entered. */
static PhStatus
add_parts(PhOnPath *on_path, uint32_t location, uint32_t node, int64_t from, int64_t to)
{
	const PhCommLocation *place = &on_path->skeleton->locations[location];
	if (from < place->main_from)
		PH_TRY(add_cost(&on_path->parts[PH_PART_START_UP], node, location,
						ns_on_path(on_path, location, from, PH_MIN(to, place->main_from))));
	if (to <= place->main_to)
		return PH_OK;
	return add_cost(&on_path->parts[PH_PART_SHUT_DOWN], node, location,
					ns_on_path(on_path, location, PH_MAX(from, place->main_to), to));
}

static PhStatus
add_stretch(PhOnPath *on_path, uint32_t location, const PhStretch *stretch)
{
	int64_t ns = ns_on_path(on_path, location, stretch->from, stretch->to);
	if (ns == 0)
		return PH_OK;
	PH_TRY(add_cost(&on_path->costs, stretch->node, location, ns));
	return add_parts(on_path, location, stretch->node, stretch->from, stretch->to);
}

/* Most stretches are off the path: they end before its next leg there begins. */
PhStatus
ph_on_path_stretches(void *user, uint32_t location, const PhStretch *stretches, uint32_t n)
{
	PhOnPath *on_path = user;
	const PhPathLeg *legs = on_path->legs;
	uint32_t *cursor = &on_path->cursor[location], end = on_path->first[location + 1];
	for (uint32_t i = 0; i < n && *cursor < end; i++)
	{
		if (stretches[i].to <= legs[*cursor].from)
			continue;
		while (*cursor < end && legs[*cursor].to <= stretches[i].from)
			++*cursor;
		PH_TRY(add_stretch(on_path, location, &stretches[i]));
	}
	return PH_OK;
}

const PhTreeCost *
ph_on_path_part(const PhOnPath *on_path, PhRunPart part, uint32_t *n)
{
	*n = on_path->parts[part].n;
	return on_path->parts[part].items;
}

PhStatus
ph_on_path_whole(PhArena *arena, PhTraceTree *tree, uint32_t location, PhOnPath **out)
{
	const PhTreeCell *cells;
	size_t n;
	PhOnPath *on_path;
	PH_TRY(ph_trace_tree_cells(tree, &cells, &n));
	PH_TRY(PH_NEW(arena, 1, &on_path));
	on_path->env = arena->env;
	start_costs(arena, &on_path->costs);
	for (size_t i = 0; i < n; i++)
		if (cells[i].location == location)
			PH_TRY(add_cost(&on_path->costs, cells[i].node, location, cells[i].exclusive));
	*out = on_path;
	return PH_OK;
}

const PhTreeCost *
ph_on_path_costs(const PhOnPath *on_path, uint32_t *n)
{
	*n = on_path->costs.n;
	return on_path->costs.items;
}

/* ---- folding ---- */

typedef struct Folding
{
	uint32_t n_nodes;
	const uint32_t *roots; /* by node */
	int64_t *sums;		   /* by node */
	PhDevicePlaces *places;
} Folding;

static PhStatus
find_roots(PhArena *scratch, const PhTraceTree *tree, uint32_t n_nodes, const uint32_t **out)
{
	uint32_t *roots;
	PH_TRY(PH_NEW(scratch, n_nodes, &roots));
	for (uint32_t i = 0; i < n_nodes; i++)
	{
		uint32_t parent = ph_trace_tree_parent(tree, i); /* comes before its children */
		roots[i] = parent == PH_NONE ? i : roots[parent];
	}
	*out = roots;
	return PH_OK;
}

/* What is less than a LEAST_PART-th goes to the roots. */
static PhStatus
fold_costs(PhArena *arena, const Folding *folding, const Costs *costs, PhTreeCosts *out)
{
	int64_t total = 0;
	Costs folded;
	start_costs(arena, &folded);
	for (uint32_t i = 0; i < folding->n_nodes; i++)
		folding->sums[i] = 0;
	for (uint32_t i = 0; i < costs->n; i++)
	{
		folding->sums[costs->items[i].node] += costs->items[i].ns;
		total += costs->items[i].ns;
	}
	for (uint32_t i = 0; i < costs->n; i++)
	{
		const PhTreeCost *cost = &costs->items[i];
		bool is_small = folding->sums[cost->node] < total / LEAST_PART;
		uint32_t home = cost->location;
		PH_TRY(ph_env_poll_at(arena->env, i));
		if (folding->places != NULL)
			PH_TRY(ph_device_place(folding->places, cost->location, cost->node, &home));
		PH_TRY(
			add_cost(&folded, is_small ? folding->roots[cost->node] : cost->node, home, cost->ns));
	}
	out->n = folded.n;
	out->items = folded.items;
	return PH_OK;
}

/* ---- all kinds ---- */

static PhStatus
add_waits(const PhUnitCostInput *input, Costs *costs)
{
	for (uint32_t i = 0; i < input->waits->n; i++)
	{
		const PhWait *wait = &input->waits->waits[i];
		PH_TRY(ph_env_poll_at(costs->arena->env, i));
		if (input->wait_nodes[i] != PH_NONE && wait->passage == PH_NO_PASSAGE)
			PH_TRY(add_cost(costs, input->wait_nodes[i], wait->victim, wait->to - wait->from));
	}
	return PH_OK;
}

static PhStatus
add_delays(const PhUnitCostInput *input, Costs *costs)
{
	for (uint32_t i = 0; i < input->blame->n_delays; i++)
	{
		const PhDelay *delay = &input->blame->delays[i];
		PH_TRY(ph_env_poll_at(costs->arena->env, i));
		PH_TRY(add_cost(costs, delay->node, delay->location, delay->short_term + delay->long_term));
	}
	return PH_OK;
}

static PhStatus
find_costs(PhArena *arena, PhArena *scratch, const PhUnitCostInput *input, PhTreeCosts *out)
{
	Folding folding = {.n_nodes = ph_trace_tree_n_nodes(input->tree), .places = input->places};
	Costs waits, caused;
	PH_TRY(find_roots(scratch, input->tree, folding.n_nodes, &folding.roots));
	PH_TRY(PH_NEW(scratch, folding.n_nodes, &folding.sums));
	start_costs(scratch, &waits);
	start_costs(scratch, &caused);
	PH_TRY(add_waits(input, &waits));
	PH_TRY(add_delays(input, &caused));
	PH_TRY(fold_costs(arena, &folding, &waits, &out[PH_COST_OF_WAITS]));
	PH_TRY(fold_costs(arena, &folding, &caused, &out[PH_COST_CAUSED]));
	return fold_costs(arena, &folding, &input->on_path->costs, &out[PH_COST_ON_PATH]);
}

PhStatus
ph_unit_costs_find(PhArena *arena, const PhUnitCostInput *input,
				   PhTreeCosts out[PH_UNIT_COST_KINDS])
{
	PhTreeCosts found[PH_UNIT_COST_KINDS];
	PhArena scratch;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find_costs(arena, &scratch, input, found);
	ph_arena_drop(&scratch);
	if (status != PH_OK)
		return status;
	for (uint32_t kind = 0; kind < PH_UNIT_COST_KINDS; kind++)
	{
		out[kind] = found[kind];
		out[kind].name = names[kind];
	}
	return PH_OK;
}
