/*
 * setup.h - what a pair of sides is drawn from: an application, its ranks and hosts, what is
 * planted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PLANTED_SETUP_H
#define PLANTED_SETUP_H

#include "base/arena.h"
#include "programs.h"
#include "random.h"

#define RUNS_A_SIDE 5
#define MOST_NODES 64
#define MOST_PLANTS 2

typedef enum PlantKind
{
	SLOW_HOST,
	SLOW_RANK,
	SLOW_REGION,
	HEAVY_RANKS,
	BIGGER_INPUT,
	LOCK_CONTENTION,
	SLOW_NETWORK,
	BAD_ITERATION,
	THROTTLED_GPU,
	SLOW_START_UP,
	SLOW_FILES,
	PLANT_KINDS
} PlantKind;

extern const char *const plant_names[PLANT_KINDS];

typedef struct Plant
{
	PlantKind kind;
	uint32_t first_node, end_node; /* the subtree that it is in */
	double *by_unit;			   /* how strong it is there: 0 or about 1; NULL: everywhere */
	uint32_t first_iteration, n_iterations; /* 0: all */
	double strength;						/* own times grow by this share, and of ... */
	bool is_work;							/* ... what is done, too */
	bool in_before;							/* of the side before: what became better */
	double effect;							/* of it alone, as a share of the run */
} Plant;

typedef struct Setup
{
	uint64_t seed;
	const Program *program;
	uint32_t n_ranks, n_threads, n_units, n_hosts;
	bool is_cyclic;			 /* rank r is on host r modulo n_hosts, else in blocks */
	bool moves;				 /* the runs before were on other hosts */
	bool is_sampled;		 /* nothing is recorded but times */
	uint32_t n_iterations;	 /* recorded ones; 0: none */
	double variation;		 /* standard deviation of an unchanged run's time, as a share */
	double amplitude;		 /* of the disturbances, so that it is */
	uint32_t loop, loop_end; /* subtree of the iterations */
	double weight[MOST_NODES];
	double *imbalance; /* [node][rank]: how much of the work each rank has, mean 1 */
	uint32_t n_plants; /* the first is the largest */
	Plant plants[MOST_PLANTS];
	bool is_reversed; /* the sides are exchanged: what was bad was mended */
} Setup;

/*
 * The pair of sides with this number of a seed: kind, variation and everything else follow from it.
 * Unchanged pairs are drawn from the same applications; only nothing is planted. amplitude and the
 * strengths are 1 and have to be fitted (fit_setup).
 */
PhStatus draw_setup(PhArena *arena, uint64_t seed, uint32_t number, bool is_unchanged,
					Setup *out) PH_MUST_CHECK;

uint32_t node_parent(const Program *program, uint32_t node);
uint32_t subtree_end(const Program *program, uint32_t node);
uint32_t host_of_rank(const Setup *setup, uint32_t rank);

/* Whether a plant is about what a function does. */
bool plant_is_on(const Setup *setup, const Plant *plant, uint32_t node);

#endif
