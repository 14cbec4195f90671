/*
 * synthetic_cct.c - see synthetic_cct.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "synthetic_cct.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define WINDOW 60
#define DEEPEST 40
#define CLIMB_TO 30
#define FUNCTIONS 12

static double
next_unit(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double) (*state >> 33) / 2147483648.0;
}

static uint32_t
next_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t) (next_unit(state) * limit);
}

static uint64_t
seeded(uint64_t seed)
{
	uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	next_unit(&state);
	return state;
}

static void *
allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);
	if (memory == NULL)
	{
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return memory;
}

static uint32_t
choose_parent(const SyntheticCct *cct, const uint32_t *depth, uint32_t node, uint64_t *state)
{
	uint32_t window = node < WINDOW ? node : WINDOW;
	uint32_t parent = node - window + next_below(state, window);
	if (depth[parent] < DEEPEST)
		return parent;
	uint32_t wanted = next_below(state, CLIMB_TO);
	while (depth[parent] > wanted)
		parent = cct->parent[parent];
	return parent;
}

/* A function that no sibling has: siblings are among the last few hundred nodes, linked by next. */
static uint32_t
choose_function(const SyntheticCct *cct, const uint32_t *first, const uint32_t *next, uint32_t node,
				uint32_t wanted)
{
	uint32_t function = wanted;
	bool taken = true;
	while (taken)
	{
		taken = false;
		for (uint32_t other = first[cct->parent[node]]; other != UINT32_MAX; other = next[other])
			taken = taken ||
					(cct->module[other] == cct->module[node] && cct->function[other] == function);
		function += taken;
	}
	return function;
}

static void
grow_tree(SyntheticCct *cct, uint64_t seed, uint32_t *first_child)
{
	uint64_t state = seeded(seed);
	uint32_t *depth = allocate(cct->n_nodes, sizeof(*depth));
	uint32_t *next = allocate(cct->n_nodes, sizeof(*next));
	cct->parent[0] = UINT32_MAX;
	first_child[0] = UINT32_MAX;
	for (uint32_t node = 1; node < cct->n_nodes; node++)
	{
		uint32_t parent = choose_parent(cct, depth, node, &state);
		first_child[node] = UINT32_MAX;
		cct->parent[node] = parent;
		depth[node] = depth[parent] + 1;
		cct->module[node] =
			next_unit(&state) < 0.7 ? cct->module[parent] : next_below(&state, SYNTHETIC_MODULES);
		cct->function[node] =
			choose_function(cct, first_child, next, node, next_below(&state, FUNCTIONS));
		next[node] = first_child[parent];
		first_child[parent] = node;
	}
	free(depth);
	free(next);
}

static void
set_costs(SyntheticCct *cct, uint64_t seed, uint32_t variant, const uint32_t *first_child)
{
	uint64_t base = seeded(seed + 17), change = seeded(seed * 7919 + variant);
	for (uint32_t node = 0; node < cct->n_nodes; node++)
	{
		double unit = next_unit(&base);
		cct->cost[node] = 1e-4 + unit * unit * unit;
		if (variant == 0)
			continue;
		cct->cost[node] *= 0.8 + 0.4 * next_unit(&change);
		if (first_child[node] == UINT32_MAX && next_unit(&change) < 0.05)
			cct->renamed[node] = variant;
	}
	uint64_t ranks = seeded(seed + 99 + variant);
	for (uint32_t rank = 0; rank < cct->n_ranks; rank++)
		cct->rank_factor[rank] = 0.9 + 0.2 * next_unit(&ranks);
}

SyntheticCct *
synthetic_cct_new(uint32_t n_nodes, uint32_t n_ranks, uint64_t seed, uint32_t variant)
{
	SyntheticCct *cct = allocate(1, sizeof(*cct));
	uint32_t *first_child = allocate(n_nodes, sizeof(*first_child));
	cct->n_nodes = n_nodes;
	cct->n_ranks = n_ranks;
	cct->parent = allocate(n_nodes, sizeof(*cct->parent));
	cct->module = allocate(n_nodes, sizeof(*cct->module));
	cct->function = allocate(n_nodes, sizeof(*cct->function));
	cct->renamed = allocate(n_nodes, sizeof(*cct->renamed));
	cct->cost = allocate(n_nodes, sizeof(*cct->cost));
	cct->rank_factor = allocate(n_ranks, sizeof(*cct->rank_factor));
	grow_tree(cct, seed, first_child);
	set_costs(cct, seed, variant, first_child);
	free(first_child);
	return cct;
}

void
synthetic_cct_free(SyntheticCct *cct)
{
	free(cct->parent);
	free(cct->module);
	free(cct->function);
	free(cct->renamed);
	free(cct->cost);
	free(cct->rank_factor);
	free(cct);
}

void
synthetic_cct_name(const SyntheticCct *cct, uint32_t node, char *out, uint32_t size)
{
	if (node == 0)
		snprintf(out, size, "mod00::main");
	else if (cct->renamed[node] != 0)
		snprintf(out, size, "mod%02u::fn%03u_v%u", cct->module[node], cct->function[node],
				 cct->renamed[node]);
	else
		snprintf(out, size, "mod%02u::fn%03u", cct->module[node], cct->function[node]);
}

double
synthetic_cct_exclusive(const SyntheticCct *cct, uint32_t node, uint32_t rank)
{
	return cct->cost[node] * cct->rank_factor[(rank + node) % cct->n_ranks];
}

void
synthetic_cct_inclusive(const SyntheticCct *cct, uint32_t rank, double *out)
{
	for (uint32_t node = 0; node < cct->n_nodes; node++)
		out[node] = synthetic_cct_exclusive(cct, node, rank);
	for (uint32_t node = cct->n_nodes; node-- > 1;)
		out[cct->parent[node]] += out[node];
}
