/*
 * vector_stats.c - statistics of one vector over columns, imbalance among them.
 *
 * Two passes for the deviation, so that it does not suffer from large means. Values that are not
 * a number (a ratio over 0) are left out.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/vector_stats.h"

#include <math.h>

#include "base/select.h"

static void
first_pass(const double *values, uint32_t n, PhVectorStats *stats)
{
	for (uint32_t i = 0; i < n; i++)
	{
		if (isnan(values[i]))
			continue;
		if (stats->n == 0 || values[i] < stats->min)
		{
			stats->min = values[i];
			stats->argmin = i;
		}
		if (stats->n == 0 || values[i] > stats->max)
		{
			stats->max = values[i];
			stats->argmax = i;
		}
		stats->sum += values[i];
		stats->n++;
	}
	stats->mean = stats->sum / stats->n;
}

static double
deviation(const double *values, uint32_t n, const PhVectorStats *stats)
{
	double squares = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			squares += (values[i] - stats->mean) * (values[i] - stats->mean);
	return stats->n > 1 ? sqrt(squares / (stats->n - 1)) : (double) NAN;
}

static double
median(const double *values, uint32_t n, double *room)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			room[kept++] = values[i];
	return kept > 0 ? ph_quantile(room, kept, 0.5) : (double) NAN;
}

void
ph_stats_imbalance(PhVectorStats *stats)
{
	bool defined = stats->mean != 0;
	stats->imbalance_ratio = defined ? stats->max / stats->mean : (double) NAN;
	stats->imbalance_excess = defined ? (stats->max - stats->mean) / stats->mean : (double) NAN;
	stats->imbalance_range = stats->max - stats->min;
	stats->lost = (stats->max - stats->mean) * stats->n;
}

void
ph_vector_moments(const double *values, uint32_t n, PhVectorStats *out)
{
	PhVectorStats stats = {.min = (double) NAN,
						   .max = (double) NAN,
						   .median = (double) NAN,
						   .argmin = PH_NONE,
						   .argmax = PH_NONE};
	first_pass(values, n, &stats);
	stats.sd = deviation(values, n, &stats);
	ph_stats_imbalance(&stats);
	*out = stats;
}

PhStatus
ph_vector_stats(PhArena *arena, const double *values, uint32_t n, PhVectorStats *out)
{
	PhVectorStats stats;
	void *room;
	PH_TRY(ph_env_alloc(arena->env, n, sizeof(double), &room));
	ph_vector_moments(values, n, &stats);
	stats.median = median(values, n, room);
	ph_env_free(arena->env, room, n, sizeof(double));
	*out = stats;
	return PH_OK;
}
