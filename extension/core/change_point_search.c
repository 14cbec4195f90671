/*
 * change_point_search.c - seeded binary segmentation with greedy acceptance.
 *
 * Intervals of lengths n, n / sqrt 2, n / 2, ... cover the series, each layer overlapping by half.
 * In each interval the split with the largest score is a candidate: the difference of the two means
 * over its standard deviation under AR(1) noise, where a side that varies more than the noise of
 * the whole series counts with its own variance. Candidates are accepted in order of their scores;
 * an accepted point rules out all candidates from intervals around it. What is accepted before a
 * score is reached depends on higher scores only: a milder limit adds points and never takes any
 * away.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "change_point_internal.h"
#include "sort.h"

#define LAYER_RATIO 1.4142135623730951
#define PRIOR_DEGREES 8.0	 /* weight of the series' noise beside a side's own variance */
#define LEAST_NOISE 1e-7	 /* of the spread: what rounding of sums of squares leaves */
#define LEAST_ROUNDING 1e-15 /* of the values */
#define RATE_FACTOR 0.15	 /* see ph_change_rate */

typedef struct Candidate
{
	uint32_t start, end; /* the interval */
	uint32_t index;
	double score; /* signed */
	double magnitude;
} Candidate;

typedef struct Search
{
	uint32_t n;
	const double *values; /* without origin */
	double origin;		  /* what was taken off the values */
	double *sums;		  /* sums[i] of the innovations 0 .. i - 1: value - r * value before */
	double *squares;	  /* of their squares */
	double r;
	double variance; /* of the innovations */
	double *means;	 /* sums of the values themselves */
	const uint32_t *groups;
	Candidate *candidates;
	uint32_t n_candidates;
	uint32_t *accepted; /* Fenwick tree over places */
} Search;

/* ---- the model of the noise ---- */

static void
fill_sums(Search *search, double *values)
{
	double last = 0;
	for (uint32_t i = 0; i < search->n; i++)
	{
		double value = values[i] - search->origin;
		double innovation = value - search->r * last;
		values[i] = last = value;
		search->sums[i + 1] = search->sums[i] + innovation;
		search->squares[i + 1] = search->squares[i] + innovation * innovation;
		search->means[i + 1] = search->means[i] + value;
	}
}

/* What rounding makes of no noise at all. */
static double
least_variance(const double *values, uint32_t n, double origin)
{
	double largest = 0, spread = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		largest = fmax(largest, fabs(values[i]));
		spread = fmax(spread, fabs(values[i] - origin));
	}
	double least = fmax(spread * LEAST_NOISE, largest * LEAST_ROUNDING);
	return fmax(least * least, 1e-300);
}

static PhStatus
prepare(PhArena *arena, Search *search, double *values, const PhNoise *noise)
{
	size_t n = (size_t) search->n + 1;
	double r = noise->autocorrelation;
	PH_TRY(PH_NEW(arena, n, &search->sums));
	PH_TRY(PH_NEW(arena, n, &search->squares));
	PH_TRY(PH_NEW(arena, n, &search->means));
	PH_TRY(PH_NEW(arena, n, &search->accepted));
	search->origin = values[search->n / 2];
	search->r = r;
	search->variance = fmax(noise->sd * noise->sd * (1 - r * r),
							least_variance(values, search->n, search->origin));
	fill_sums(search, values);
	search->values = values;
	return PH_OK;
}

/* ---- the best split of one interval ---- */

/* Of m innovations with these sums, around their own mean; never below that of the series. */
static inline double
side_variance(const Search *search, double sum, double squares, double m)
{
	double own = m > 0 ? squares - sum * sum / m : 0;
	double pooled = (PRIOR_DEGREES * search->variance + own) / (PRIOR_DEGREES + fmax(m - 1, 0));
	return pooled > search->variance ? pooled : search->variance;
}

/*
 * Generalised least squares for the levels on both sides. The innovations are independent; the
 * first of the interval, scaled, tells of its own level alone, the one at the split of both.
 * Returns the score squared and the difference of the levels.
 */
static inline double
split_score(const Search *search, uint32_t start, uint32_t index, uint32_t end, double *difference)
{
	double r = search->r, s = 1 - r;
	double n_1 = index - start - 1, n_2 = end - index - 1;
	double sum_1 = search->sums[index] - search->sums[start + 1];
	double sum_2 = search->sums[end] - search->sums[index + 1];
	double v_1 =
		side_variance(search, sum_1, search->squares[index] - search->squares[start + 1], n_1);
	double v_2 =
		side_variance(search, sum_2, search->squares[end] - search->squares[index + 1], n_2);
	double at_split = search->values[index] - r * search->values[index - 1];
	double a_11 = 1 + n_1 * s * s, a_22 = 1 + n_2 * s * s, a_12 = -r;
	double b_1 = (1 - r * r) * search->values[start] + s * sum_1 - r * at_split;
	double b_2 = at_split + s * sum_2;
	double det = a_11 * a_22 - a_12 * a_12;
	*difference = (a_11 * b_2 - a_12 * b_1 - a_22 * b_1 + a_12 * b_2) / det;
	double variance = (v_1 * a_22 + v_2 * a_11 + 2 * search->variance * a_12) / det;
	return *difference * *difference / variance;
}

static bool
may_split(const Search *search, uint32_t index)
{
	return search->groups == NULL || search->groups[index] != search->groups[index - 1];
}

static double
relative_change(const Search *search, const Candidate *candidate)
{
	uint32_t at = candidate->index;
	double before = search->origin +
					(search->sums[at] - search->sums[candidate->start]) / (at - candidate->start);
	double after =
		search->origin + (search->sums[candidate->end] - search->sums[at]) / (candidate->end - at);
	return fmax(before == 0 ? 0 : fabs(after / before - 1),
				after == 0 ? 0 : fabs(before / after - 1));
}

static void
search_interval(Search *search, uint32_t start, uint32_t end, double max_p, double degrees)
{
	Candidate best = {.start = start, .end = end};
	double best_square = 0;
	for (uint32_t i = start + PH_CHANGE_MIN_SEGMENT; i + PH_CHANGE_MIN_SEGMENT <= end; i++)
	{
		double difference;
		if (!may_split(search, i))
			continue;
		double square = split_score(search, start, i, end, &difference);
		if (square > best_square)
		{
			best_square = square;
			best.index = i;
			best.score = difference;
		}
	}
	best.score = copysign(sqrt(best_square), best.score);
	if (best.index == 0 || ph_change_rate(best.score, degrees) > max_p)
		return;
	best.magnitude = relative_change(search, &best);
	search->candidates[search->n_candidates++] = best;
}

/* ---- all intervals ---- */

static uint32_t
layer_count(uint32_t layer)
{
	return layer == 0 ? 1 : 2 * (uint32_t) ceil(pow(LAYER_RATIO, layer)) - 1;
}

static double
layer_length(uint32_t n, uint32_t layer)
{
	return n / pow(LAYER_RATIO, layer);
}

static bool
has_layer(uint32_t n, uint32_t layer)
{
	return layer_length(n, layer) >= 2 * PH_CHANGE_MIN_SEGMENT;
}

static PhStatus
search_layer(PhEnv *env, Search *search, uint32_t layer, double max_p, double degrees)
{
	uint32_t count = layer_count(layer);
	double length = layer_length(search->n, layer);
	double shift = count > 1 ? (search->n - length) / (count - 1) : 0;
	for (uint32_t i = 0; i < count; i++)
	{
		PH_TRY(ph_env_poll(env));
		uint32_t start = (uint32_t) floor(i * shift);
		double end = ceil(i * shift + length);
		search_interval(search, start, end < search->n ? (uint32_t) end : search->n, max_p,
						degrees);
	}
	return PH_OK;
}

static PhStatus
search_intervals(PhArena *arena, Search *search, double max_p, double degrees)
{
	size_t count = 0;
	for (uint32_t layer = 0; has_layer(search->n, layer); layer++)
		count += layer_count(layer);
	PH_TRY(PH_NEW(arena, count, &search->candidates));
	for (uint32_t layer = 0; has_layer(search->n, layer); layer++)
		PH_TRY(search_layer(arena->env, search, layer, max_p, degrees));
	return PH_OK;
}

/* ---- acceptance ---- */

/* Highest score first; the shorter interval knows the place better. */
static int
compare_candidates(const void *context, uint32_t x, uint32_t y)
{
	const Candidate *a = (const Candidate *) context + x;
	const Candidate *b = (const Candidate *) context + y;
	if (fabs(a->score) != fabs(b->score))
		return fabs(a->score) > fabs(b->score) ? -1 : 1;
	if (a->end - a->start != b->end - b->start)
		return a->end - a->start < b->end - b->start ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static void
accept(Search *search, uint32_t index)
{
	for (uint32_t at = index; at <= search->n; at += at & (~at + 1))
		search->accepted[at]++;
}

/* Accepted points at places 1 to index. */
static uint32_t
accepted_up_to(const Search *search, uint32_t index)
{
	uint32_t count = 0;
	for (uint32_t at = index; at > 0; at &= at - 1)
		count += search->accepted[at];
	return count;
}

/* Does an accepted point part the interval? */
static bool
is_parted(const Search *search, const Candidate *candidate)
{
	return accepted_up_to(search, candidate->end - 1) > accepted_up_to(search, candidate->start);
}

static int
compare_places(const void *context, uint32_t x, uint32_t y)
{
	const PhChangePoint *points = context;
	return (points[x].index > points[y].index) - (points[x].index < points[y].index);
}

static PhStatus
sort_points(PhArena *arena, PhChangePoint *points, uint32_t n, PhChangePoint **out)
{
	uint32_t *order;
	PH_TRY(ph_sort_indices(arena, n, compare_places, points, &order));
	PH_TRY(PH_NEW(arena, n, out));
	for (uint32_t i = 0; i < n; i++)
		(*out)[i] = points[order[i]];
	return PH_OK;
}

static PhStatus
accept_candidates(PhArena *arena, Search *search, double min_magnitude, double degrees,
				  PhChangePoint **points, uint32_t *n_points)
{
	uint32_t *order, n = 0;
	PhChangePoint *found;
	PH_TRY(ph_sort_indices(arena, search->n_candidates, compare_candidates, search->candidates,
						   &order));
	PH_TRY(PH_NEW(arena, search->n_candidates, &found));
	for (uint32_t i = 0; i < search->n_candidates; i++)
	{
		const Candidate *candidate = &search->candidates[order[i]];
		PH_TRY(ph_env_poll(arena->env));
		if (is_parted(search, candidate))
			continue;
		accept(search, candidate->index);
		if (candidate->magnitude >= min_magnitude)
			found[n++] = (PhChangePoint){.index = candidate->index,
										 .score = candidate->score,
										 .p = ph_change_rate(candidate->score, degrees)};
	}
	PH_TRY(sort_points(arena, found, n, points));
	*n_points = n;
	return PH_OK;
}

PhStatus
ph_change_search(PhArena *arena, double *values, const uint32_t *groups, uint32_t n,
				 const PhNoise *noise, double max_p, double min_magnitude, PhChangePoint **points,
				 uint32_t *n_points)
{
	Search search = {.n = n, .groups = groups};
	PH_TRY(prepare(arena, &search, values, noise));
	PH_TRY(search_intervals(arena, &search, max_p, noise->degrees));
	return accept_candidates(arena, &search, min_magnitude, noise->degrees, points, n_points);
}

/*
 * A Student's t of this many degrees as a normal deviate (Wallace 1959), then the rate of such
 * scores in change-free noise. The form is that of the largest of many CUSUM statistics
 * (Siegmund 1985); the factor was fitted to simulations (bench/bench_change_points.c).
 */
double
ph_change_rate(double score, double degrees)
{
	double z =
		(8 * degrees + 1) / (8 * degrees + 3) * sqrt(degrees * log1p(score * score / degrees));
	double rate = RATE_FACTOR * z * exp(-z * z / 2);
	return z < 2 || rate > 1 ? 1 : rate;
}
