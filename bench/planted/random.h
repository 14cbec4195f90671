/*
 * random.h - numbers from a seed, and disturbances that last for some runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PLANTED_RANDOM_H
#define PLANTED_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Random
{
	uint64_t state;
} Random;

/* Another stream for each pair of numbers. */
Random random_of(uint64_t seed, uint64_t stream);

/* Evenly in [0, 1). */
double random_uniform(Random *random);

double random_between(Random *random, double least, double most);

/* Evenly in 0 … n - 1. */
uint32_t random_below(Random *random, uint32_t n);

bool random_chance(Random *random, double probability);

/* Normal, mean 0, standard deviation 1. */
double random_normal(Random *random);

/* Student's t with five degrees of freedom, scaled to a standard deviation of 1: heavy tails. */
double random_heavy(Random *random);

/* n numbers of standard deviation 1 with heavy tails, neighbours correlated by 0.5 (AR(1)). */
void random_series(Random *random, uint32_t n, double *out);

#endif
