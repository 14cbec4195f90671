/*
 * setup.c - draws applications, ranks, hosts and what is planted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "setup.h"

#include <math.h>
#include <string.h>

#define SECOND_PLANTS (1.0 / 3)
#define OPPOSITE_SECONDS 0.2
#define REVERSED 0.2
#define LEAST_REGION 4.0 /* percent of the run that a slow region takes before */
#define MOST_REGION 35.0

const char *const plant_names[PLANT_KINDS] = {
	"slow host",	"slow rank", "slow region", "more work on some ranks",
	"bigger input", "lock",		 "network",		"bad iteration",
	"slow GPU",		"start-up",	 "slow files"};

/* ---- the tree ---- */

uint32_t
node_parent(const Program *program, uint32_t node)
{
	for (uint32_t i = node; i-- > 0;)
		if (program->nodes[i].depth < program->nodes[node].depth)
			return i;
	return PH_NONE;
}

uint32_t
subtree_end(const Program *program, uint32_t node)
{
	uint32_t end = node + 1;

	while (end < program->n_nodes && program->nodes[end].depth > program->nodes[node].depth)
		end++;
	return end;
}

uint32_t
host_of_rank(const Setup *setup, uint32_t rank)
{
	return setup->is_cyclic ? rank % setup->n_hosts : rank / (setup->n_ranks / setup->n_hosts);
}

static bool
is_work(const ProgramNode *node)
{
	return node->role == WORK || node->role == FRAME;
}

static bool
is_network(const ProgramNode *node)
{
	return node->paradigm != NULL && strcmp(node->paradigm, "mpi") == 0 &&
		   (node->role == POST || node->role == NEIGHBOURS || node->role == ALL);
}

bool
plant_is_on(const Setup *setup, const Plant *plant, uint32_t node)
{
	const ProgramNode *what = &setup->program->nodes[node];

	if (node < plant->first_node || node >= plant->end_node)
		return false;
	switch (plant->kind)
	{
		case LOCK_CONTENTION:
			return what->role == LOCK;
		case SLOW_NETWORK:
			return is_network(what);
		case THROTTLED_GPU:
			return what->role == DEVICE;
		case SLOW_START_UP:
			return what->role == START;
		case SLOW_FILES:
			return what->role == FILES;
		case BIGGER_INPUT:
			return is_work(what) || is_network(what) || what->role == DEVICE;
		default:
			return is_work(what);
	}
}

/* ---- what is planted ---- */

/* The share of the run, in percent, that plant is about. */
static double
planted_weight(const Setup *setup, const Plant *plant)
{
	double sum = 0;

	for (uint32_t node = plant->first_node; node < plant->end_node; node++)
		sum += plant_is_on(setup, plant, node) ? setup->weight[node] : 0;
	return sum;
}

/* A subtree of the iterations that is neither small nor most of them. */
static void
draw_region(const Setup *setup, Random *random, Plant *plant)
{
	double weight;

	do
	{
		plant->first_node =
			setup->loop + 1 + random_below(random, setup->loop_end - setup->loop - 1);
		plant->end_node = subtree_end(setup->program, plant->first_node);
		weight = planted_weight(setup, plant);
	} while (weight < LEAST_REGION || weight > MOST_REGION);
}

static void
draw_node_of_role(const Setup *setup, Random *random, Role role, Plant *plant)
{
	uint32_t node;

	do
		node = setup->loop + random_below(random, setup->loop_end - setup->loop);
	while (setup->program->nodes[node].role != role);
	plant->first_node = node;
	plant->end_node = node + 1;
}

static void
plant_on_rank(const Setup *setup, uint32_t rank, double strength, Plant *plant)
{
	for (uint32_t thread = 0; thread < setup->n_threads; thread++)
		plant->by_unit[rank * setup->n_threads + thread] = strength;
}

static void
plant_on_host(const Setup *setup, Random *random, Plant *plant)
{
	uint32_t host = random_below(random, setup->n_hosts);

	for (uint32_t rank = 0; rank < setup->n_ranks; rank++)
		if (host_of_rank(setup, rank) == host)
			plant_on_rank(setup, rank, 1, plant);
}

/* Up to a quarter of the ranks, neighbours or anywhere; none has exactly as much as another. */
static void
plant_on_some(const Setup *setup, Random *random, Plant *plant)
{
	uint32_t n = 1 + random_below(random, setup->n_ranks / 4);
	uint32_t first = random_below(random, setup->n_ranks);
	bool anywhere = random_chance(random, 0.5);

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t rank =
			anywhere ? random_below(random, setup->n_ranks) : (first + i) % setup->n_ranks;
		plant_on_rank(setup, rank, random_between(random, 0.85, 1.15), plant);
	}
}

static void
draw_units(const Setup *setup, Random *random, Plant *plant)
{
	if (plant->kind == HEAVY_RANKS)
		plant_on_some(setup, random, plant);
	else if (plant->kind == SLOW_HOST ||
			 (plant->kind == THROTTLED_GPU && random_chance(random, 0.5)))
		plant_on_host(setup, random, plant);
	else
		plant_on_rank(setup, random_below(random, setup->n_ranks), 1, plant);
}

static bool
is_on_some_units(PlantKind kind)
{
	return kind == SLOW_HOST || kind == SLOW_RANK || kind == HEAVY_RANKS || kind == THROTTLED_GPU;
}

static PhStatus
draw_plant(PhArena *arena, const Setup *setup, Random *random, PlantKind kind, Plant *plant)
{
	*plant = (Plant){.kind = kind, .end_node = setup->program->n_nodes, .strength = 1};
	plant->is_work =
		kind == HEAVY_RANKS || kind == BIGGER_INPUT ||
		(kind == BAD_ITERATION && setup->program->has_instructions && random_chance(random, 0.3));
	if (kind == SLOW_REGION || kind == HEAVY_RANKS)
		draw_region(setup, random, plant);
	else if (kind == LOCK_CONTENTION)
		draw_node_of_role(setup, random, LOCK, plant);
	else if (kind == THROTTLED_GPU)
		draw_node_of_role(setup, random, DEVICE, plant);
	else if (kind == SLOW_FILES)
		draw_node_of_role(setup, random, FILES, plant);
	else if (kind == BAD_ITERATION)
	{
		plant->first_node = setup->loop;
		plant->end_node = setup->loop_end;
		if (random_chance(random, 0.5))
			draw_region(setup, random, plant);
		plant->n_iterations = 1 + random_below(random, setup->n_iterations / 6);
		plant->first_iteration =
			random_below(random, setup->n_iterations - plant->n_iterations + 1);
	}
	if (is_on_some_units(kind))
	{
		PH_TRY(PH_NEW(arena, setup->n_units, &plant->by_unit));
		draw_units(setup, random, plant);
	}
	return PH_OK;
}

/* Whether what kind is about can happen in the application, and be seen in what is recorded. */
static bool
can_be_planted(const Setup *setup, PlantKind kind)
{
	const Program *program = setup->program;

	switch (kind)
	{
		case LOCK_CONTENTION:
			return program->has_threads;
		case THROTTLED_GPU:
			return strcmp(program->name, "accelerated") == 0;
		case BAD_ITERATION:
			return setup->n_iterations > 0;
		case HEAVY_RANKS:
			return program->has_instructions;
		case BIGGER_INPUT:
			return program->has_instructions || setup->n_iterations == 0;
		default:
			return true;
	}
}

/* ---- the application ---- */

static PhStatus
draw_weights(PhArena *arena, Random *random, Setup *setup)
{
	const Program *program = setup->program;
	double sum = 0;

	for (uint32_t node = 0; node < program->n_nodes; node++)
	{
		setup->weight[node] = program->nodes[node].weight * exp(0.3 * random_normal(random));
		sum += setup->weight[node];
	}
	PH_TRY(PH_NEW(arena, (size_t) program->n_nodes * setup->n_ranks, &setup->imbalance));
	for (uint32_t rank = 0; rank < setup->n_ranks; rank++)
	{
		double size = exp(0.04 * random_normal(random));
		for (uint32_t node = 0; node < program->n_nodes; node++)
			setup->imbalance[node * setup->n_ranks + rank] =
				size * exp(0.02 * random_normal(random));
	}
	for (uint32_t node = 0; node < program->n_nodes; node++)
		setup->weight[node] *= 100 / sum;
	return PH_OK;
}

static void
draw_machine(Random *random, Setup *setup, bool with_iterations)
{
	uint32_t ranks_on_host = 2U << random_below(random, 4);

	setup->n_threads = setup->program->has_threads ? 2U << random_below(random, 3) : 1;
	setup->n_iterations = with_iterations ? 8 + random_below(random, 13) : 0;
	setup->n_ranks = 8U << random_below(random, with_iterations ? 2 : 6);
	while (setup->n_ranks * setup->n_threads > 256)
		setup->n_ranks /= 2;
	while (ranks_on_host * 4 > setup->n_ranks)
		ranks_on_host /= 2;
	setup->n_units = setup->n_ranks * setup->n_threads;
	setup->n_hosts = setup->n_ranks / ranks_on_host;
	setup->is_cyclic = random_chance(random, 0.3);
	setup->moves = random_chance(random, 0.5);
	setup->is_sampled = !setup->program->has_instructions && random_chance(random, 0.3);
}

static void
find_loop(Setup *setup)
{
	while (strcmp(setup->program->nodes[setup->loop].name, setup->program->loop) != 0)
		setup->loop++;
	setup->loop_end = subtree_end(setup->program, setup->loop);
}

static PhStatus
draw_plants(PhArena *arena, Random *random, PlantKind kind, Setup *setup)
{
	double least = fmax(0.05, 2.5 * setup->variation);
	PlantKind second;

	PH_TRY(draw_plant(arena, setup, random, kind, &setup->plants[0]));
	setup->plants[0].effect = least * random_between(random, 1, 1.6);
	setup->n_plants = 1;
	if (!random_chance(random, SECOND_PLANTS))
		return PH_OK;
	do
		second = random_below(random, PLANT_KINDS);
	while (second == kind || !can_be_planted(setup, second));
	PH_TRY(draw_plant(arena, setup, random, second, &setup->plants[1]));
	setup->plants[1].effect = setup->plants[0].effect * random_between(random, 0.4, 0.8);
	setup->plants[1].in_before = random_chance(random, OPPOSITE_SECONDS);
	setup->n_plants = 2;
	return PH_OK;
}

PhStatus
draw_setup(PhArena *arena, uint64_t seed, uint32_t number, bool is_unchanged, Setup *out)
{
	static const double variations[] = {0.02, 0.05, 0.10};
	PlantKind kind = number % PLANT_KINDS;
	Random random = random_of(seed, number * 2 + is_unchanged);
	Setup setup;

	do
	{
		setup = (Setup){.seed = seed + number * 2 + is_unchanged, .amplitude = 1};
		setup.variation = variations[number / PLANT_KINDS % 3];
		setup.program = &programs[random_below(&random, PROGRAM_COUNT)];
		draw_machine(&random, &setup, kind == BAD_ITERATION || random_chance(&random, 0.15));
	} while (!can_be_planted(&setup, kind));
	find_loop(&setup);
	PH_TRY(draw_weights(arena, &random, &setup));
	setup.is_reversed = random_chance(&random, REVERSED);
	if (!is_unchanged)
		PH_TRY(draw_plants(arena, &random, kind, &setup));
	*out = setup;
	return PH_OK;
}
