/*
 * change_point_noise.c - the noise of a series, undisturbed by steps and outliers.
 *
 * A step is one large difference of neighbours among many, so the noise is estimated from
 * differences, leaving out the largest ones. For AR(1) noise the differences at lag 1 have the
 * variance 2 s^2 (1 - r), those at lag 2 have 2 s^2 (1 - r^2): their ratio is 1 + r.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/min_max.h"
#include "base/select.h"
#include "statistics/change_point_internal.h"
#include "statistics/student_t.h"

/*
 * so many neighbours that a run of outliers, PH_CHANGE_MIN_SEGMENT - 1 at most, is a minority among
 * them
 */
#define NEIGHBOURS (2 * (PH_CHANGE_MIN_SEGMENT - 1) - 1)
#define PI 3.14159265358979323846
/* a value farther than so many deviations from the medians on both sides is an outlier */
#define CLIP 3.0
/* share of the largest differences that are taken for steps, not noise */
#define LEFT_OUT 0.05
/*
 * degrees of freedom of the noise that each value contributes: differences overlap and are cut off
 */
#define DEGREES 0.5
#define HIGHEST_AUTOCORRELATION 0.95
/* Outliers that are more than LEFT_OUT, of every tenth iteration for instance, are in the noise
 * until most are gone: where it falls to this share, those that were below its limit are looked for
 * again */
#define MANY_OUTLIERS 0.5

/*
 * How many of the largest differences do not count: a share, but in short series as many as two
 * steps make, up to a quarter.
 */
static uint32_t
left_out(uint32_t count, uint32_t lag)
{
	uint32_t share = (uint32_t) (LEFT_OUT * count), steps = 2 * lag, quarter = count / 4;
	uint32_t least = PH_MIN(steps, quarter);
	return PH_MAX(share, least);
}

/*
 * The variance of a standard normal deviate of which only this share, the smallest by size, is
 * kept: what a variance of kept differences is divided by.
 */
static double
kept_variance(double share)
{
	if (share >= 1)
		return 1;
	double z = ph_student_two_sided_quantile(1 - share, (double) INFINITY);
	return 1 - 2 * z * exp(-z * z / 2) / sqrt(2 * PI) / share;
}

/* The variance of differences at this lag, from the smaller ones; room for n values. */
static double
difference_variance(const double *values, uint32_t n, uint32_t lag, double *room)
{
	uint32_t count = n > lag ? n - lag : 0;
	double sum = 0;
	if (count == 0)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		room[i] = fabs(values[i + lag] - values[i]);
	uint32_t kept = count - left_out(count, lag);
	double limit = ph_select(room, count, kept - 1);
	for (uint32_t i = 0; i < count; i++)
	{
		double size = fabs(values[i + lag] - values[i]);
		if (size <= limit)
			sum += size * size;
	}
	return sum / kept / kept_variance((double) kept / count);
}

/*
 * The median of the nearest neighbours on one side (step 1: after i, -1: before); at an end the
 * others are taken from the other side, so that a run of outliers is the minority there too.
 */
static double
neighbours_median(const double *values, uint32_t n, uint32_t i, int step)
{
	double room[NEIGHBOURS];
	uint32_t beyond = step > 0 ? n - 1 - i : i, count = 0;
	for (uint32_t d = 1; d <= beyond && count < NEIGHBOURS; d++)
		room[count++] = step > 0 ? values[i + d] : values[i - d];
	for (uint32_t d = 1; d <= n - 1 - beyond && count < NEIGHBOURS; d++)
		room[count++] = step > 0 ? values[i - d] : values[i + d];
	return ph_quantile(room, count, 0.5);
}

/*
 * Is the median of the NEIGHBOURS before i surely within limit of its value? It is when most of
 * them are not above and most are not below: nearly always, and found without putting them in
 * order.
 */
static inline bool
is_near_most(const double *values, uint32_t i, double limit)
{
	uint32_t not_above = 0, not_below = 0;
	if (i < NEIGHBOURS)
		return false;
	for (uint32_t d = 1; d <= NEIGHBOURS; d++)
	{
		not_above += values[i - d] - limit <= values[i];
		not_below += values[i - d] + limit >= values[i];
	}
	return not_above > NEIGHBOURS / 2 && not_below > NEIGHBOURS / 2;
}

/* An outlier becomes the nearer of the medians on both sides. */
static double
clip_value(const double *values, uint32_t n, uint32_t i, double limit)
{
	if (is_near_most(values, i, limit))
		return values[i];
	double left = neighbours_median(values, n, i, -1);
	if (values[i] >= left - limit && values[i] <= left + limit)
		return values[i]; /* near the median of one side is enough: values right before or after a
							 step are no outliers */
	double right = neighbours_median(values, n, i, 1);
	double high = fmax(left, right), low = fmin(left, right);
	return values[i] > high + limit ? high : values[i] < low - limit ? low : values[i];
}

static PhStatus
clip_outliers(PhArena *arena, double *values, uint32_t n, double limit)
{
	double *clipped;
	PH_TRY(PH_NEW(arena, n, &clipped));
	for (uint32_t i = 0; i < n && n > 1; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		clipped[i] = clip_value(values, n, i, limit);
	}
	for (uint32_t i = 0; i < n && n > 1; i++)
		values[i] = clipped[i];
	return PH_OK;
}

static double
autocorrelation_of(double variance_1, double variance_2)
{
	double estimate = variance_1 > 0 ? variance_2 / variance_1 - 1 : 0;
	return fmin(fmax(estimate, 0), HIGHEST_AUTOCORRELATION);
}

/*
 * The deviation, from the variances of differences at lags 1 and 2, which are 2 s^2 (1 - r) and 2
 * s^2 (1 - r^2). Where r was clamped they disagree: the greater one counts.
 */
static double
noise_sd(double variance_1, double variance_2, double r)
{
	return sqrt(fmax(variance_1 / (2 * (1 - r)), variance_2 / (2 * (1 - r * r))));
}

static void
estimate(const double *values, uint32_t n, double *room, PhNoise *out)
{
	double variance_1 = difference_variance(values, n, 1, room);
	double variance_2 = difference_variance(values, n, 2, room);
	out->autocorrelation = autocorrelation_of(variance_1, variance_2);
	out->sd = noise_sd(variance_1, variance_2, out->autocorrelation);
	out->degrees = fmax(DEGREES * n, 1);
}

PhStatus
ph_change_noise(PhArena *arena, double *values, uint32_t n, PhNoise *out)
{
	double *room, before;
	PH_TRY(PH_NEW(arena, n, &room));
	estimate(values, n, room, out);
	do
	{
		before = out->sd;
		PH_TRY(clip_outliers(arena, values, n, CLIP * before));
		estimate(values, n, room, out);
	} while (out->sd > 0 && out->sd < before * MANY_OUTLIERS);
	return PH_OK;
}

/* Sums over one segment's residuals. */
typedef struct ResidualSums
{
	double squares;
	double products; /* of neighbours */
	double used;	 /* degrees of freedom that the estimated means of the segments take */
} ResidualSums;

static void
add_segment(ResidualSums *sums, const double *values, uint32_t start, uint32_t end)
{
	double mean = 0, last = 0;
	for (uint32_t i = start; i < end; i++)
		mean += values[i] / (end - start);
	for (uint32_t i = start; i < end; i++)
	{
		double residual = values[i] - mean;
		sums->squares += residual * residual;
		sums->products += residual * last;
		last = residual;
	}
}

/*
 * The lag-1 autocorrelation of the residuals. Each segment's estimated mean makes it too small by
 * (1 + 3 r) / n (Kendall 1954); that is added.
 */
static double
residual_autocorrelation(const ResidualSums *sums, uint32_t n, uint32_t n_segments)
{
	double raw = sums->products / sums->squares;
	double estimate = raw + n_segments * (1 + 3 * fmax(raw, 0)) / n;
	return fmin(fmax(estimate, 0), HIGHEST_AUTOCORRELATION);
}

/*
 * m times the variance of the mean of m values of unit variance with autocorrelation r: 1 for r =
 * 0, and what of the sum of squares the mean takes away.
 */
static double
mean_takes(double r, uint32_t m)
{
	double reach = (1 - pow(r, m)) / (1 - r);
	return 1 + 2 * r * (1 - reach / m) / (1 - r);
}

void
ph_change_residual_noise(const double *values, uint32_t n, const PhChangePoint *points,
						 uint32_t n_points, PhNoise *noise)
{
	ResidualSums sums = {0};
	for (uint32_t i = 0; i <= n_points; i++)
		add_segment(&sums, values, i == 0 ? 0 : points[i - 1].index,
					i == n_points ? n : points[i].index);
	if (!(sums.squares > 0))
		return;
	double r = residual_autocorrelation(&sums, n, n_points + 1);
	for (uint32_t i = 0; i <= n_points; i++)
		sums.used += mean_takes(r, (i == n_points ? n : points[i].index) -
									   (i == 0 ? 0 : points[i - 1].index));
	noise->autocorrelation = r;
	noise->sd = sqrt(sums.squares / fmax(n - sums.used, n / 2.0));
	noise->degrees = fmax(DEGREES * n * (1 - r * r), 1);
}
