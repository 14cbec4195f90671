/*
 * change_point.c - change points: arguments, missing values; false discovery rates.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/change_point.h"

#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "statistics/change_point_internal.h"

#define PILOT_P 0.001

static PhStatus
check_options(PhEnv *env, const PhChangeOptions *options)
{
	if (!isnan(options->max_p) && !(options->max_p > 0 && options->max_p <= 1))
		return ph_fail(env, PH_ERR_VALUE, "max_p_value must be above 0 and at most 1, not %g",
					   options->max_p);
	if (!(options->min_magnitude >= 0) || isinf(options->min_magnitude))
		return ph_fail(env, PH_ERR_VALUE, "min_magnitude must be 0 or more, not %g",
					   options->min_magnitude);
	if (options->window != 0 && (options->window < 2 || options->window > PH_CHANGE_WINDOW_MAX))
		return ph_fail(env, PH_ERR_VALUE, "the window must have 2 to %d values, not %u",
					   PH_CHANGE_WINDOW_MAX, options->window);
	return PH_OK;
}

static PhStatus
check_values(PhEnv *env, const double *series, uint32_t n, uint32_t *n_known)
{
	uint32_t known = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		if (isinf(series[i]))
			return ph_fail(env, PH_ERR_VALUE, "value %u of the series is infinite", i);
		known += isnan(series[i]) ? 0 : 1;
	}
	*n_known = known;
	return PH_OK;
}

/* A missing value is taken to be the one before; at the start, the first known one. */
static void
fill_missing(const double *series, uint32_t n, double *filled)
{
	double last = (double) NAN;
	for (uint32_t i = 0; i < n; i++)
		filled[i] = last = isnan(series[i]) ? last : series[i];
	for (uint32_t i = n; i-- > 0;)
		filled[i] = last = isnan(filled[i]) ? last : filled[i];
}

static PhStatus
search_otava(PhArena *arena, const double *series, uint32_t n, const PhChangeOptions *options,
			 PhChangePoints *out)
{
	double *filled;
	PH_TRY(PH_NEW(arena, n, &filled));
	fill_missing(series, n, filled);
	return ph_change_otava(arena, filled, n,
						   options->window == 0 ? PH_CHANGE_OTAVA_WINDOW : options->window,
						   isnan(options->max_p) ? PH_CHANGE_OTAVA_MAX_P : options->max_p,
						   options->min_magnitude, &out->points, &out->n);
}

/* The known values, their groups and where they were. */
typedef struct Known
{
	double *values;
	double *clipped; /* without outliers, from zero */
	uint32_t *groups;
	uint32_t *places;
	uint32_t n;
} Known;

static PhStatus
keep_known(PhArena *arena, const double *series, uint32_t n, const uint32_t *groups, Known *known)
{
	uint32_t kept = 0;
	PH_TRY(PH_NEW(arena, known->n, &known->values));
	PH_TRY(PH_NEW(arena, known->n, &known->clipped));
	PH_TRY(PH_NEW(arena, known->n, &known->groups));
	PH_TRY(PH_NEW(arena, known->n, &known->places));
	for (uint32_t i = 0; i < n; i++)
	{
		if (isnan(series[i]))
			continue;
		known->values[kept] = known->clipped[kept] = series[i];
		known->groups[kept] = groups == NULL ? i : groups[i];
		known->places[kept++] = i;
	}
	return PH_OK;
}

/* A search with a fixed limit shows the large steps; what is left around them is the noise. */
static PhStatus
refine_noise(PhArena *arena, const Known *known, bool has_groups, PhNoise *noise)
{
	double *values;
	PhChangePoint *points;
	uint32_t n_points;
	PH_TRY(PH_NEW(arena, known->n, &values));
	memcpy(values, known->clipped, known->n * sizeof(*values));
	PH_TRY(ph_change_search(arena, values, has_groups ? known->groups : NULL, known->n, noise,
							PILOT_P, 0, &points, &n_points));
	ph_change_residual_noise(known->clipped, known->n, points, n_points, noise);
	return PH_OK;
}

/*
 * The share of values that were outliers and are made up of their neighbours now. They scatter less
 * and say nothing that the neighbours do not say.
 */
static double
share_made_up(const Known *known)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < known->n; i++)
		n += known->clipped[i] < known->values[i] || known->clipped[i] > known->values[i];
	return known->n > 0 ? (double) n / known->n : 0;
}

static PhStatus
search_default(PhArena *arena, const double *series, uint32_t n, const PhChangeOptions *options,
			   uint32_t n_known, PhChangePoints *out)
{
	Known known = {.n = n_known};
	PhNoise noise;
	double max_p = isnan(options->max_p) ? PH_CHANGE_MAX_P : options->max_p;
	PH_TRY(keep_known(arena, series, n, options->groups, &known));
	PH_TRY(ph_change_noise(arena, known.clipped, known.n, &noise));
	PH_TRY(refine_noise(arena, &known, options->groups != NULL, &noise));
	out->noise_sd = noise.sd;
	out->autocorrelation = noise.autocorrelation;
	noise.sd /= fmax(1 - share_made_up(&known), 0.5);
	PH_TRY(ph_change_search(arena, known.clipped, options->groups == NULL ? NULL : known.groups,
							known.n, &noise, max_p, options->min_magnitude, &out->points, &out->n));
	ph_change_describe(known.values, known.n, out->points, out->n);
	for (uint32_t i = 0; i < out->n; i++)
		out->points[i].index = known.places[out->points[i].index];
	return PH_OK;
}

PhStatus
ph_change_points(PhArena *arena, const double *series, uint32_t n, const PhChangeOptions *options,
				 PhChangePoints *out)
{
	PhChangePoints found = {.noise_sd = (double) NAN, .autocorrelation = (double) NAN};
	uint32_t n_known = 0;
	PH_TRY(check_options(arena->env, options));
	PH_TRY(check_values(arena->env, series, n, &n_known));
	if (n_known > 0 && options->mode == PH_CHANGE_OTAVA)
		PH_TRY(search_otava(arena, series, n, options, &found));
	else if (n_known > 0)
		PH_TRY(search_default(arena, series, n, options, n_known, &found));
	*out = found;
	return PH_OK;
}

double
ph_change_series_p(double p, uint32_t n)
{
	return -expm1(-p * n);
}

static int
compare_p(const void *context, uint32_t x, uint32_t y)
{
	const double *p = context;
	return (p[x] > p[y]) - (p[x] < p[y]);
}

PhStatus
ph_false_discovery_rates(PhArena *arena, const double *p, uint32_t n, uint32_t n_tests, double *q)
{
	uint32_t *order;
	double least = 1;
	PH_TRY(ph_sort_indices(arena, n, compare_p, p, &order));
	for (uint32_t rank = n; rank > 0; rank--)
	{
		double rate = p[order[rank - 1]] * n_tests / rank;
		least = PH_MIN(rate, least);
		q[order[rank - 1]] = least;
	}
	return PH_OK;
}
