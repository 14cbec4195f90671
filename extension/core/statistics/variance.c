/*
 * variance.c - one-way analysis of variance, and the group that differs most.
 *
 * Squares are taken of distances from the mean of all, so that large means lose no digits.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/variance.h"

#include <math.h>

#include "base/min_max.h"
#include "statistics/student_t.h"

typedef struct Groups
{
	double *sum; /* of distances from the mean of all */
	uint32_t *n;
	double mean, squares; /* of all elements */
} Groups;

static bool
counts(const double *values, const uint32_t *groups, uint32_t i)
{
	return groups[i] != PH_NONE && !isnan(values[i]);
}

static PhStatus
add_up(PhArena *arena, const double *values, const uint32_t *groups, uint32_t n, uint32_t n_groups,
	   Groups *sums, PhVarianceShare *out)
{
	PH_TRY(PH_NEW(arena, n_groups, &sums->sum));
	PH_TRY(PH_NEW(arena, n_groups, &sums->n));
	for (uint32_t i = 0; i < n; i++)
		if (counts(values, groups, i))
		{
			sums->mean += values[i];
			out->n++;
		}
	sums->mean /= PH_MAX(out->n, 1);
	for (uint32_t i = 0; i < n; i++)
		if (counts(values, groups, i))
		{
			double distance = values[i] - sums->mean;
			sums->squares += distance * distance;
			sums->sum[groups[i]] += distance;
			sums->n[groups[i]]++;
		}
	return PH_OK;
}

/* A group and the others: both are a sum's distance from the mean of all. */
static void
find_extreme(const Groups *sums, uint32_t n_groups, PhVarianceShare *out)
{
	double most = -1;
	for (uint32_t g = 0; g < n_groups; g++)
	{
		double in = sums->n[g], others = out->n - in;
		if (in == 0 || others == 0)
			continue;
		double between = sums->sum[g] * sums->sum[g] * (1 / in + 1 / others);
		if (between <= most)
			continue;
		most = between;
		out->extreme = g;
		out->n_in = sums->n[g];
		out->mean_in = sums->mean + sums->sum[g] / in;
		out->mean_out = sums->mean - sums->sum[g] / others;
	}
	out->extreme_share = fmin(most / sums->squares, 1);
}

/* P(F >= f) with a and b degrees. */
static double
fisher_tail(double f, double a, double b)
{
	return isinf(f) ? 0 : ph_incomplete_beta(b / (b + a * f), b / 2, a / 2);
}

PhStatus
ph_variance_explain(PhArena *arena, const double *values, const uint32_t *groups, uint32_t n,
					uint32_t n_groups, PhVarianceShare *out)
{
	Groups sums = {0};
	PhVarianceShare found = {.share = NAN,
							 .adjusted = NAN,
							 .p_value = NAN,
							 .extreme = PH_NONE,
							 .extreme_share = NAN,
							 .mean_in = NAN,
							 .mean_out = NAN};
	double between = 0;
	PH_TRY(add_up(arena, values, groups, n, n_groups, &sums, &found));
	for (uint32_t g = 0; g < n_groups; g++)
		if (sums.n[g] > 0)
		{
			between += sums.sum[g] * sums.sum[g] / sums.n[g];
			found.n_groups++;
		}
	if (found.n_groups >= 2 && found.n > found.n_groups && sums.squares > 0)
	{
		double a = found.n_groups - 1, b = (double) found.n - found.n_groups;
		double within = fmax(sums.squares - between, 0);
		found.share = fmin(between / sums.squares, 1);
		found.adjusted = fmax(0, 1 - (1 - found.share) * (found.n - 1) / b);
		found.p_value = fisher_tail(within > 0 ? between / a / (within / b) : INFINITY, a, b);
		find_extreme(&sums, n_groups, &found);
	}
	*out = found;
	return PH_OK;
}
