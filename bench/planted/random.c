/*
 * random.c - numbers from a seed, and disturbances that last for some runs.
 *
 * SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): equal everywhere, and a stream can begin anywhere.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "random.h"

#include <math.h>

#define CORRELATION 0.5

static uint64_t
random_next(Random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

Random
random_of(uint64_t seed, uint64_t stream)
{
	Random random = {seed};

	random.state = random_next(&random) ^ (stream * 0xd1342543de82ef95U);
	random.state = random_next(&random);
	return random;
}

double
random_uniform(Random *random)
{
	return (double) (random_next(random) >> 11) * 0x1p-53;
}

double
random_between(Random *random, double least, double most)
{
	return least + (most - least) * random_uniform(random);
}

uint32_t
random_below(Random *random, uint32_t n)
{
	return (uint32_t) (random_uniform(random) * n);
}

bool
random_chance(Random *random, double probability)
{
	return random_uniform(random) < probability;
}

double
random_normal(Random *random)
{
	double radius = sqrt(-2 * log(1 - random_uniform(random)));

	return radius * cos(2 * M_PI * random_uniform(random));
}

double
random_heavy(Random *random)
{
	double normal = random_normal(random), squares = 0;

	for (int i = 0; i < 5; i++)
	{
		double other = random_normal(random);
		squares += other * other;
	}
	return normal / sqrt(squares / 5) * sqrt(3.0 / 5);
}

void
random_series(Random *random, uint32_t n, double *out)
{
	double value = random_heavy(random);

	for (uint32_t i = 0; i < n; i++)
	{
		out[i] = value;
		value = CORRELATION * value + sqrt(1 - CORRELATION * CORRELATION) * random_heavy(random);
	}
}
