/*
 * forest.h - seeded random forests of calls, as raw nodes and as profiles.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_FOREST_H
#define SUPPORT_FOREST_H

#include "profile/profile.h"

#define FOREST_COLUMNS 3
#define FOREST_MOST_NODES 160

typedef struct Random
{
	uint64_t state;
} Random;

uint32_t random_below(Random *random, uint32_t limit);
double random_unit(Random *random); /* [0, 1) */

typedef struct RawNode
{
	uint32_t parent; /* PH_NONE: root; else an earlier node */
	uint32_t label;	 /* library L<label>; PH_NONE: no library */
	uint32_t function;
	double exclusive[FOREST_COLUMNS];
} RawNode;

typedef struct Forest
{
	uint32_t n;
	RawNode nodes[FOREST_MOST_NODES];
} Forest;

/* A forest of 2 to 120 nodes; labels, depth, number of roots and gaps depend on the seed. */
void forest_random(uint64_t seed, Forest *out);

/* The profile; shuffle NULL: nodes in order, else in an order drawn from it. */
PhStatus forest_profile(PhEnv *env, const Forest *forest, Random *shuffle, PhProfile **out);

/* A forest of any size, for measuring: n nodes in modules and functions, with columns. */
typedef struct BigForest
{
	uint32_t n_nodes, n_modules, n_functions, n_columns;
	uint32_t chain; /* depth of the last part: a parent is among that many nodes before */
} BigForest;

PhStatus forest_big(PhEnv *env, const BigForest *shape, PhProfile **out);

#endif
