/*
 * chiefs.c - see chiefs.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/chiefs.h"

#include "base/sort.h"

#define ROUNDING 1e-9 /* of two divisions that are as good the one with fewer */

static int
compare_amounts(const void *context, uint32_t x, uint32_t y)
{
	const double *amounts = context;
	if (amounts[x] != amounts[y])
		return amounts[x] > amounts[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/* How many of the largest, in this order, are farthest from the others; n: all are alike. */
static uint32_t
best_division(uint32_t n, const double *amounts, const uint32_t *order, double all, double *out)
{
	double sum = 0, most = 0;
	uint32_t best = n;
	for (uint32_t k = 1; k < n; k++)
	{
		sum += amounts[order[k - 1]];
		double apart = sum / k - (all - sum) / (n - k);
		double separation = (double) k * (n - k) * apart * apart;
		if (amounts[order[k - 1]] == amounts[order[k]] || separation <= most * (1 + ROUNDING))
			continue;
		most = separation;
		best = k;
		*out = sum;
	}
	return best;
}

/* The fewest, in this order, that have half of all and half as much again as is fair; n: none. */
static uint32_t
fewest_with_half(uint32_t n, const double *amounts, const uint32_t *order, double all)
{
	double sum = 0;
	for (uint32_t k = 1; 2 * (uint64_t) k <= n; k++)
	{
		sum += amounts[order[k - 1]];
		if (amounts[order[k - 1]] > amounts[order[k]] && 2 * sum >= all && sum * n >= 1.5 * k * all)
			return k;
	}
	return n;
}

/* Whether the k with most, who have so much of all, are few and have far more than the others. */
static bool
stand_out(uint32_t n, uint32_t k, double amount, double all)
{
	double own = amount / k, others = (all - amount) / (n - k);
	return 2 * (uint64_t) k <= n &&
		   ((2 * amount >= all && own >= 2 * others) || (5 * amount >= all && own >= 3 * others));
}

PhStatus
ph_chiefs(PhArena *arena, uint32_t n, const double *amounts, bool *is_chief, uint32_t *n_chiefs)
{
	uint32_t *order;
	double all = 0, amount = 0;
	*n_chiefs = 0;
	PH_TRY(ph_sort_indices(arena, n, compare_amounts, amounts, &order));
	for (uint32_t i = 0; i < n; i++)
	{
		is_chief[i] = false;
		all += amounts[order[i]];
	}
	uint32_t k = best_division(n, amounts, order, all, &amount);
	if (k >= n || !stand_out(n, k, amount, all))
		k = fewest_with_half(n, amounts, order, all);
	if (k >= n)
		return PH_OK;
	for (uint32_t i = 0; i < k; i++)
		is_chief[order[i]] = true;
	*n_chiefs = k;
	return PH_OK;
}
