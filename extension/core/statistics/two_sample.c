/*
 * two_sample.c - Pearson's, Spearman's, Mann and Whitney's.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/two_sample.h"

#include <math.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "statistics/student_t.h"

#define MOST_EXACT 40

static int
compare_values(const void *context, uint32_t x, uint32_t y)
{
	const double *values = context;
	return (values[x] > values[y]) - (values[x] < values[y]);
}

/* Ranks from 1, the mean rank for ties; *ties gets the sum of t^3 - t over groups of t ties. */
static PhStatus
rank_values(PhArena *arena, const double *values, uint32_t n, double *ranks, double *ties)
{
	uint32_t *order;
	*ties = 0;
	PH_TRY(ph_sort_indices(arena, n, compare_values, values, &order));
	for (uint32_t i = 0; i < n;)
	{
		uint32_t end = i + 1;
		while (end < n && values[order[end]] == values[order[i]])
			end++;
		double t = end - i;
		for (uint32_t k = i; k < end; k++)
			ranks[order[k]] = (i + 1 + end) / 2.0;
		*ties += t * t * t - t;
		i = end;
	}
	return PH_OK;
}

static double
pearson_of(const double *x, const double *y, uint32_t n)
{
	double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		mean_x += x[i] / n;
		mean_y += y[i] / n;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		yy += (y[i] - mean_y) * (y[i] - mean_y);
		xy += (x[i] - mean_x) * (y[i] - mean_y);
	}
	if (n < 3 || !(xx > 0) || !(yy > 0))
		return (double) NAN;
	return fmax(-1, fmin(1, xy / sqrt(xx) / sqrt(yy)));
}

static double
correlation_p(double r, uint32_t n)
{
	return isnan(r) ? (double) NAN
					: ph_student_two_sided(r * sqrt((n - 2) / fmax(1 - r * r, 0)), n - 2);
}

PhStatus
ph_correlation(PhArena *arena, const double *x, const double *y, uint32_t n, PhCorrelation *out)
{
	PhCorrelation result = {0};
	double *a, *b, *ranks_a, *ranks_b, ties;
	PH_TRY(PH_NEW(arena, n, &a));
	PH_TRY(PH_NEW(arena, n, &b));
	PH_TRY(PH_NEW(arena, n, &ranks_a));
	PH_TRY(PH_NEW(arena, n, &ranks_b));
	for (uint32_t i = 0; i < n; i++)
		if (isfinite(x[i]) && isfinite(y[i]))
		{
			a[result.n] = x[i];
			b[result.n++] = y[i];
		}
	PH_TRY(rank_values(arena, a, result.n, ranks_a, &ties));
	PH_TRY(rank_values(arena, b, result.n, ranks_b, &ties));
	result.pearson = pearson_of(a, b, result.n);
	result.spearman = pearson_of(ranks_a, ranks_b, result.n);
	result.pearson_p = correlation_p(result.pearson, result.n);
	result.spearman_p = correlation_p(result.spearman, result.n);
	*out = result;
	return PH_OK;
}

/*
 * P(U <= u) without ties: the number of ways to choose n_a of the ranks with a small sum, counted
 * value by value.
 */
static PhStatus
exact_tail(PhArena *arena, uint32_t n_a, uint32_t n_b, double u, double *out)
{
	uint32_t most = n_a * n_b, width = most + 1;
	double *ways, below = 0, all = 0;
	PH_TRY(PH_NEW(arena, (size_t) (n_a + 1) * width, &ways));
	ways[0] = 1;
	/* after value k, ways[i * width + s]: i of the first k values are a's, s pairs have b below */
	for (uint32_t k = 1; k <= n_a + n_b; k++)
		for (uint32_t i = PH_MIN(k, n_a); i > 0; i--)
			for (uint32_t s = most + 1; s-- > k - i;)
				ways[i * width + s] += k - i <= n_b ? ways[(i - 1) * width + s - (k - i)] : 0;
	for (uint32_t s = 0; s <= most; s++)
	{
		all += ways[n_a * width + s];
		below += s <= u ? ways[n_a * width + s] : 0;
	}
	*out = below / all;
	return PH_OK;
}

static double
normal_p(const PhMannWhitney *test, double ties)
{
	double n_a = test->n_a, n_b = test->n_b, n = n_a + n_b;
	double variance = n_a * n_b / 12 * (n + 1 - ties / (n * (n - 1)));
	double distance = fmax(fabs(test->u - n_a * n_b / 2) - 0.5, 0);
	return variance > 0 ? ph_normal_two_sided(distance / sqrt(variance)) : 1;
}

static uint32_t
keep_numbers(const double *values, uint32_t n, double *kept)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			kept[count++] = values[i];
	return count;
}

static PhStatus
find_p(PhArena *arena, PhMannWhitney *test, double ties)
{
	double pairs = (double) test->n_a * test->n_b, tail;
	test->is_exact = ties == 0 && test->n_a + test->n_b <= MOST_EXACT;
	if (!test->is_exact)
	{
		test->p = normal_p(test, ties);
		return PH_OK;
	}
	PH_TRY(exact_tail(arena, test->n_a, test->n_b, fmin(test->u, pairs - test->u), &tail));
	test->p = fmin(2 * tail, 1);
	return PH_OK;
}

PhStatus
ph_mann_whitney(PhArena *arena, const double *a, uint32_t n_a, const double *b, uint32_t n_b,
				PhMannWhitney *out)
{
	PhMannWhitney test = {
		.u = (double) NAN, .p = (double) NAN, .share = (double) NAN, .effect = (double) NAN};
	double *all, *ranks, ties, sum = 0;
	PH_TRY(PH_NEW(arena, (size_t) n_a + n_b, &all));
	PH_TRY(PH_NEW(arena, (size_t) n_a + n_b, &ranks));
	test.n_a = keep_numbers(a, n_a, all);
	test.n_b = keep_numbers(b, n_b, all + test.n_a);
	if (test.n_a > 0 && test.n_b > 0)
	{
		PH_TRY(rank_values(arena, all, test.n_a + test.n_b, ranks, &ties));
		for (uint32_t i = 0; i < test.n_b; i++)
			sum += ranks[test.n_a + i];
		test.u = sum - (double) test.n_b * (test.n_b + 1) / 2;
		test.share = test.u / test.n_a / test.n_b;
		test.effect = 2 * test.share - 1;
		PH_TRY(find_p(arena, &test, ties));
	}
	*out = test;
	return PH_OK;
}
