/*
 * clara.c - partitioning around medoids, on samples when there are many (PAM and CLARA).
 *
 * BUILD chooses medoids one by one by gain; SWAP exchanges the best pair of medoid and other while
 * that helps. Ties go as in Muster, whose clusters Ravel shows: the last of equal gains, the first
 * of equal exchanges. Source: Kaufman and Rousseeuw 1990, chapters 2 and 3. Outliers are taken out
 * before samples are drawn: outliers.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <float.h>
#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "logical/clusters/series.h"

/* Size and number of samples as Kaufman and Rousseeuw have them: docs/design/logical-time.md 4.3 */
#define PH_SAMPLE (40 + 2 * PH_CLUSTER_LEAVES)
#define PH_SAMPLES 5
#define OUTLIER_LEAVES (PH_CLUSTER_LEAVES / 2) /* at most */
/* The least gain of an exchange, in mean distances: less may be rounding, and would go round. */
#define PH_SWAP_EPSILON 1e-15

/* PAM over n <= PH_SAMPLE objects, whose distances are known. */
typedef struct Pam
{
	uint32_t n, k;
	double *distance; /* n * n */
	uint32_t medoid[PH_CLUSTER_LEAVES];
	uint32_t nearest[PH_SAMPLE], second[PH_SAMPLE]; /* by object: which medoids */
} Pam;

static double
between(const Pam *pam, uint32_t a, uint32_t b)
{
	return pam->distance[(size_t) a * pam->n + b];
}

static bool
is_medoid(const Pam *pam, uint32_t object)
{
	for (uint32_t m = 0; m < pam->k; m++)
		if (pam->medoid[m] == object)
			return true;
	return false;
}

/* A medoid belongs to itself whatever else is as near. */
static void
assign_objects(Pam *pam)
{
	for (uint32_t i = 0; i < pam->n; i++)
	{
		double first = DBL_MAX, second = DBL_MAX;
		for (uint32_t m = 0; m < pam->k; m++)
		{
			double distance = between(pam, pam->medoid[m], i);
			if (distance < first || pam->medoid[m] == i)
			{
				second = first;
				pam->second[i] = pam->nearest[i];
				first = distance;
				pam->nearest[i] = m;
			}
			else if (distance < second)
			{
				second = distance;
				pam->second[i] = m;
			}
		}
	}
}

/* The object with the least total distance to all others, the lowest of equals. */
static uint32_t
first_medoid(const Pam *pam)
{
	double least = DBL_MAX;
	uint32_t best = 0;
	for (uint32_t i = 0; i < pam->n; i++)
	{
		double total = 0;
		for (uint32_t j = 0; j < pam->n; j++)
			total += between(pam, i, j);
		if (total < least)
		{
			least = total;
			best = i;
		}
	}
	return best;
}

static double
gain_of(const Pam *pam, uint32_t object)
{
	double gain = 0;
	for (uint32_t j = 0; j < pam->n; j++)
	{
		double nearer = between(pam, j, pam->medoid[pam->nearest[j]]) - between(pam, object, j);
		gain += PH_MAX(nearer, 0);
	}
	return gain;
}

/*
 * PAM's BUILD: after the first medoid, always the object by which the total distance falls most,
 * the last of equals, as Muster has it.
 */
static void
build_medoids(Pam *pam, uint32_t k)
{
	pam->medoid[0] = first_medoid(pam);
	pam->k = 1;
	assign_objects(pam);
	while (pam->k < k)
	{
		uint32_t best = 0;
		double most = 0;
		for (uint32_t i = 0; i < pam->n; i++)
		{
			if (is_medoid(pam, i))
				continue;
			double gain = gain_of(pam, i);
			if (gain < most)
				continue;
			most = gain;
			best = i;
		}
		pam->medoid[pam->k++] = best;
		assign_objects(pam);
	}
}

/* What exchanging a medoid for an object adds to the total distance. */
static double
cost_of(const Pam *pam, uint32_t medoid, uint32_t object)
{
	double total = 0;
	for (uint32_t j = 0; j < pam->n; j++)
	{
		double to_new = between(pam, object, j);
		double to_nearest = between(pam, pam->medoid[pam->nearest[j]], j);
		if (between(pam, pam->medoid[medoid], j) == to_nearest)
		{
			double to_second = pam->k > 1 ? between(pam, pam->medoid[pam->second[j]], j) : DBL_MAX;
			total += PH_MIN(to_second, to_new) - to_nearest;
		}
		else if (to_new < to_nearest)
			total += to_new - to_nearest;
	}
	return total;
}

/* Make the best exchange; false when none is better than nothing. */
static bool
swap_best(Pam *pam, double tolerance)
{
	double least = DBL_MAX;
	uint32_t medoid = 0, object = 0;
	for (uint32_t m = 0; m < pam->k; m++)
		for (uint32_t i = 0; i < pam->n; i++)
		{
			double cost = is_medoid(pam, i) ? DBL_MAX : cost_of(pam, m, i);
			if (cost >= least)
				continue;
			least = cost;
			medoid = m;
			object = i;
		}
	if (least >= -tolerance)
		return false;
	pam->medoid[medoid] = object;
	assign_objects(pam);
	return true;
}

static void
sort_medoids(Pam *pam)
{
	for (uint32_t m = 1; m < pam->k; m++)
	{
		uint32_t object = pam->medoid[m], i = m;
		for (; i > 0 && pam->medoid[i - 1] > object; i--)
			pam->medoid[i] = pam->medoid[i - 1];
		pam->medoid[i] = object;
	}
	assign_objects(pam);
}

static PhStatus
run_pam(PhEnv *env, Pam *pam, uint32_t k)
{
	double sum = 0;
	for (uint32_t i = 0; i < pam->n * pam->n; i++)
		sum += pam->distance[i];
	double tolerance = PH_SWAP_EPSILON * sum / ((double) pam->n * pam->n);
	build_medoids(pam, PH_MIN(k, pam->n));
	/* rounding may let exchanges go round: n * k of them are more than enough */
	for (uint32_t i = 0; i < pam->n * pam->k && swap_best(pam, tolerance); i++)
		PH_TRY(ph_env_poll(env));
	sort_medoids(pam);
	return PH_OK;
}

/* ---------------------------------------------------------------------------------------- samples
 */

/* Whom samples are drawn from, and the medoids that stand already. */
typedef struct Population
{
	uint32_t n;
	uint32_t *series; /* ascending */
	uint32_t n_fixed;
	uint32_t fixed[OUTLIER_LEAVES];
} Population;

static PhStatus
find_population(PhArena *arena, const PhSeriesSet *set, Population *out)
{
	bool *is_far;
	memset(out, 0, sizeof(*out));
	PH_TRY(PH_NEW(arena, set->n, &out->series));
	PH_TRY(PH_NEW(arena, set->n, &is_far));
	if (set->n > PH_SAMPLE && !set->compat)
		PH_TRY(ph_series_outliers(arena, set, OUTLIER_LEAVES, out->fixed, &out->n_fixed, is_far));
	for (uint32_t i = 0; i < set->n; i++)
		if (!is_far[i])
			out->series[out->n++] = i;
	return PH_OK;
}

/* Vitter's algorithm R, then in ascending order: the draws do not decide ties. */
static void
draw_sample(uint64_t *seed, const Population *population, uint32_t size, uint32_t *sample)
{
	for (uint32_t i = 0; i < size; i++)
		sample[i] = population->series[i];
	for (uint32_t i = size; i < population->n; i++)
	{
		*seed += UINT64_C(0x9e3779b97f4a7c15);
		uint64_t place = ph_hash_mix(*seed) % (i + 1);
		if (place < size)
			sample[place] = population->series[i];
	}
	for (uint32_t i = 1; i < size; i++)
	{
		uint32_t item = sample[i], j = i;
		for (; j > 0 && sample[j - 1] > item; j--)
			sample[j] = sample[j - 1];
		sample[j] = item;
	}
}

static PhStatus
measure(PhEnv *env, const PhSeriesSet *set, const uint32_t *sample, uint32_t n, double *distance)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++)
		{
			PH_TRY(ph_env_poll(env));
			double d = ph_series_distance(set, &set->series[sample[i]], &set->series[sample[j]]);
			distance[(size_t) i * n + j] = distance[(size_t) j * n + i] = d;
		}
	return PH_OK;
}

/* Put every series to its nearest medoid, itself when it is one; the total of the distances. */
static PhStatus
assign_all(PhEnv *env, const PhSeriesSet *set, const uint32_t *medoid, uint32_t k,
		   uint32_t *leaf_of, double *total)
{
	*total = 0;
	for (uint32_t i = 0; i < set->n; i++)
	{
		double least = DBL_MAX;
		for (uint32_t m = 0; m < k; m++)
		{
			PH_TRY(ph_env_poll(env));
			double d = medoid[m] == i
						   ? -1
						   : ph_series_distance(set, &set->series[i], &set->series[medoid[m]]);
			if (d >= least)
				continue;
			least = d;
			leaf_of[i] = m;
		}
		*total += PH_MAX(least, 0);
	}
	return PH_OK;
}

/* The medoids of one sample, then the fixed ones. */
static PhStatus
find_medoids(PhArena *arena, const PhSeriesSet *set, const Population *population, uint64_t *seed,
			 Pam *pam, uint32_t *medoids, uint32_t *n_medoids)
{
	uint32_t sample[PH_SAMPLE], n = PH_MIN(population->n, PH_SAMPLE);
	double *distance = pam->distance;
	draw_sample(seed, population, n, sample);
	PH_TRY(measure(arena->env, set, sample, n, distance));
	*pam = (Pam){.n = n, .distance = distance};
	PH_TRY(run_pam(arena->env, pam, PH_CLUSTER_LEAVES - population->n_fixed));
	for (uint32_t m = 0; m < pam->k; m++)
		medoids[m] = sample[pam->medoid[m]];
	for (uint32_t m = 0; m < population->n_fixed; m++)
		medoids[pam->k + m] = population->fixed[m];
	*n_medoids = pam->k + population->n_fixed;
	return PH_OK;
}

PhStatus
ph_clara(PhArena *arena, const PhSeriesSet *set, uint64_t seed, uint32_t *leaf_of, uint32_t *medoid,
		 uint32_t *n_leaves)
{
	double best = DBL_MAX, total;
	uint32_t *leaves, medoids[PH_CLUSTER_LEAVES], k;
	Population population;
	Pam *pam;
	PH_TRY(PH_NEW(arena, 1, &pam));
	PH_TRY(PH_NEW(arena, (size_t) PH_SAMPLE * PH_SAMPLE, &pam->distance));
	PH_TRY(PH_NEW(arena, set->n, &leaves));
	PH_TRY(find_population(arena, set, &population));
	for (int repeat = 0; repeat < (set->n <= PH_SAMPLE ? 1 : PH_SAMPLES); repeat++)
	{
		PH_TRY(find_medoids(arena, set, &population, &seed, pam, medoids, &k));
		PH_TRY(assign_all(arena->env, set, medoids, k, leaves, &total));
		if (total >= best)
			continue;
		best = total;
		*n_leaves = k;
		memcpy(leaf_of, leaves, set->n * sizeof(uint32_t));
		memcpy(medoid, medoids, k * sizeof(uint32_t));
	}
	return PH_OK;
}
