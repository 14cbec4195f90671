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
#include <string.h>

#include "base/for_processor.h"
#include "base/sort.h"
#include "statistics/change_point_internal.h"

#define N_LANES 4 /* numbers that are computed together */
#define N_TOGETHER                                                                                 \
	8 /* splits that are looked at together: asking the lanes costs more than two of them */
#define LAYER_RATIO 1.4142135623730951
#define PRIOR_DEGREES 8.0	 /* weight of the series' noise beside a side's own variance */
#define LEAST_NOISE 1e-7	 /* of the spread: what rounding of sums of squares leaves */
#define LEAST_ROUNDING 1e-15 /* of the values */
#define RATE_FACTOR 0.15	 /* see ph_change_rate */
#define LEAST_Z 2.0			 /* lower ones are no rare events */
/*
 * A split is passed over when its bound is below this part of what it must exceed. Bounds and
 * scores are computed in different ways and may differ by rounding, which is far below 1e-6; so no
 * split that would win is passed over.
 */
#define BOUNDING (1 - 1e-6)
/*
 * Bounds are only used for variances between this and 1 / this. They are products of a few squares
 * of values, which then neither overflow nor vanish.
 */
#define LEAST_BOUNDED 1e-100
/*
 * Fixed-point steps of least_square. Each divides the error by about z^2, 13 at the default limit;
 * what is left only makes the search look at a few more splits.
 */
#define LEAST_STEPS 5
#define FIRST_CANDIDATES 64

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
	double *mixed;		  /* sums[i] - r * sums[i + 1], and N_TOGETHER more */
	double r;
	double variance; /* of the innovations */
	double least;	 /* squares of scores up to this are too small for max_p */
	double bounding; /* BOUNDING, by which squares are multiplied before bounds are compared with
						them; 0: bounds are not used */
	const uint32_t *groups;
	Candidate *candidates;
	uint32_t n_candidates, candidate_room;
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
		search->mixed[i] = search->sums[i] - search->r * search->sums[i + 1];
	}
}

/*
 * The least variance that is told from rounding: a series without any noise would otherwise give
 * every step an infinite score. values are without their origin.
 */
static double
least_variance(const double *values, uint32_t n, double origin)
{
	double largest = 0, spread = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		double size = fabs(values[i]), far = fabs(values[i] - origin);
		largest = size > largest ? size : largest;
		spread = far > spread ? far : spread;
	}
	double least = fmax(spread * LEAST_NOISE, largest * LEAST_ROUNDING);
	return fmax(least * least, 1e-300);
}

/*
 * The inverse of ph_change_rate, from below: the square of a score whose rate is just above max_p,
 * so that splits up to it need not be looked at. The rate f z exp(-z^2/2) = max_p is solved by the
 * fixed point z = sqrt(2 ln(f z / max_p)); it starts at the least z and its steps grow towards the
 * solution without passing it, so stopping early is safe. Then Wallace's formula is turned around.
 */
static double
least_square(double max_p, double degrees)
{
	double z = max_p < 1 ? LEAST_Z : 0;
	for (int i = 0; i < LEAST_STEPS && z > 0; i++)
		z = fmax(z, sqrt(2 * fmax(log(RATE_FACTOR * z / max_p), 0)));
	z *= BOUNDING * (8 * degrees + 3) / (8 * degrees + 1);
	return degrees * expm1(z * z / degrees);
}

static PhStatus
prepare(PhArena *arena, Search *search, double *values, const PhNoise *noise, double max_p)
{
	size_t n = (size_t) search->n + 1;
	double r = noise->autocorrelation;
	PH_TRY(PH_NEW(arena, n, &search->sums));
	PH_TRY(PH_NEW(arena, n, &search->squares));
	PH_TRY(PH_NEW(arena, n + N_TOGETHER, &search->mixed));
	PH_TRY(PH_NEW(arena, n, &search->accepted));
	search->origin = values[search->n / 2];
	search->r = r;
	search->variance = fmax(noise->sd * noise->sd * (1 - r * r),
							least_variance(values, search->n, search->origin));
	if (search->variance >= LEAST_BOUNDED && search->variance <= 1 / LEAST_BOUNDED)
	{
		search->bounding = BOUNDING;
		search->least = least_square(max_p, noise->degrees);
	}
	fill_sums(search, values);
	search->values = values;
	return PH_OK;
}

/* ---- the best split of one interval ---- */

/*
 * Generalised least squares for the levels on both sides: a (2 x 2) times the levels is b. The
 * innovations are independent; the first of the interval, scaled, tells of its own level alone, the
 * one at the split of both. The score is the difference of the levels over its deviation.
 */
typedef struct Levels
{
	double n_1, n_2, sum_1, sum_2; /* innovations that tell of one level alone */
	double a_11, a_22, a_12, det;
	double numerator; /* of the difference, over det */
} Levels;

static inline Levels
solve_levels(const Search *search, uint32_t start, uint32_t index, uint32_t end)
{
	double r = search->r, s = 1 - r;
	Levels of = {.n_1 = index - start - 1,
				 .n_2 = end - index - 1,
				 .sum_1 = search->sums[index] - search->sums[start + 1],
				 .sum_2 = search->sums[end] - search->sums[index + 1],
				 .a_12 = -r};
	double at_split = search->values[index] - r * search->values[index - 1];
	double b_1 = (1 - r * r) * search->values[start] + s * of.sum_1 - r * at_split;
	double b_2 = at_split + s * of.sum_2;
	of.a_11 = 1 + of.n_1 * s * s;
	of.a_22 = 1 + of.n_2 * s * s;
	of.det = of.a_11 * of.a_22 - of.a_12 * of.a_12;
	of.numerator = of.a_11 * b_2 - of.a_12 * b_1 - of.a_22 * b_1 + of.a_12 * b_2;
	return of;
}

/* Numbers that the compiler computes in one instruction, or Lanes in two. */
typedef double Pair __attribute__((vector_size(16)));
typedef double Lanes __attribute__((vector_size(8 * N_LANES)));
typedef int64_t LaneMask __attribute__((vector_size(8 * N_LANES)));

/*
 * What is the same for all splits of an interval. Innovations are differences of their sums, so
 * that the numerator of solve_levels is total * (slope * (a_11 - r) - offset - mixed[index]), and
 * a_11 grows by step with every place.
 */
typedef struct Interval
{
	uint32_t start, end;
	double step;
	double total; /* a_11 + a_22 - 2 r */
	double slope, offset;
} Interval;

static Interval
interval_of(const Search *search, uint32_t start, uint32_t end)
{
	double r = search->r, s = 1 - r, step = s * s;
	double total = 2 + (end - start - 2.0) * step - 2 * r;
	double offset = (1 - r * r) * search->values[start] - s * search->sums[start + 1];
	return (Interval){.start = start,
					  .end = end,
					  .step = step,
					  .total = total,
					  .slope = (s * search->sums[end] + offset) / total,
					  .offset = offset};
}

/*
 * Are the squares of the scores of N_LANES splits from index on surely below `square`? No side
 * counts with less than the series' variance, so using that for both gives the least spread, and
 * with it the greatest score that a split can have. Both sides of the comparison are multiplied by
 * det^2 and divided by total, which saves the divisions: most splits end here.
 */
PH_INLINE void
find_below(const Search *search, const Interval *of, uint32_t index, double square, LaneMask *below)
{
	double r = search->r, before = index - of->start - 1.0;
	Lanes mixed, a_11 = 1 + (before + (Lanes){0, 1, 2, 3}) * of->step;
	memcpy(&mixed, search->mixed + index, sizeof(mixed));
	Lanes a_22 = of->total + 2 * r - a_11;
	Lanes difference = of->slope * (a_11 - r) - of->offset - mixed;
	*below =
		of->total * difference * difference < square * search->variance * (a_11 * a_22 - r * r);
}

/* The same of n splits, 1 or 2 times N_LANES. */
PH_INLINE bool
are_below(const Search *search, const Interval *of, uint32_t index, uint32_t n, double square)
{
	LaneMask all, second;
	find_below(search, of, index, square, &all);
	if (n > N_LANES)
	{
		find_below(search, of, index + N_LANES, square, &second);
		all &= second;
	}
	return (all[0] & all[1] & all[2] & all[3]) != 0;
}

/*
 * Of the left and the right side: the variance that it counts with: that of its m > 1 innovations
 * around their own mean, pooled with the series' as if that were known from PRIOR_DEGREES more, and
 * never below the series'.
 */
static inline Pair
side_variances(const Search *search, Pair sum, Pair squares, Pair m)
{
	Pair own = squares - sum * sum / m;
	Pair pooled = (PRIOR_DEGREES * search->variance + own) / (PRIOR_DEGREES + (m - 1));
	return (Pair){pooled[0] > search->variance ? pooled[0] : search->variance,
				  pooled[1] > search->variance ? pooled[1] : search->variance};
}

/* The score squared and the difference of the levels. */
static inline double
split_score(const Search *search, uint32_t start, uint32_t index, uint32_t end, const Levels *of,
			double *difference)
{
	const double *squares = search->squares;
	Pair v = side_variances(
		search, (Pair){of->sum_1, of->sum_2},
		(Pair){squares[index] - squares[start + 1], squares[end] - squares[index + 1]},
		(Pair){of->n_1, of->n_2});
	double spread = v[0] * of->a_22 + v[1] * of->a_11 + 2 * search->variance * of->a_12;
	Pair solved = (Pair){of->numerator, spread} / of->det;
	*difference = solved[0];
	return solved[0] * solved[0] / solved[1];
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

static PhStatus
add_candidate(PhArena *arena, Search *search, const Candidate *candidate)
{
	if (search->n_candidates == search->candidate_room)
	{
		Candidate *more;
		uint32_t room = 2 * search->candidate_room + FIRST_CANDIDATES;
		PH_TRY(PH_NEW(arena, room, &more));
		if (search->n_candidates > 0)
			memcpy(more, search->candidates, search->n_candidates * sizeof(*more));
		search->candidates = more;
		search->candidate_room = room;
	}
	search->candidates[search->n_candidates++] = *candidate;
	return PH_OK;
}

/* Makes the split at index the best one if its score is greater. */
static void
take_better(const Search *search, Candidate *best, uint32_t index, double *best_square)
{
	double difference;
	if (!may_split(search, index))
		return;
	Levels levels = solve_levels(search, best->start, index, best->end);
	double square = split_score(search, best->start, index, best->end, &levels, &difference);
	if (square > *best_square)
	{
		*best_square = square;
		best->index = index;
		best->score = difference;
	}
}

/*
 * The best split of an interval, if any reaches what matters; most fall short of it by are_below
 * and are not scored. Lanes behind the last split are of the series, or of the room behind it.
 */
PH_INLINE void
best_split_body(const Search *search, const Interval *interval, Candidate *best,
				double *best_square)
{
	uint32_t last = best->end - PH_CHANGE_MIN_SEGMENT, n = N_TOGETHER;
	double bound = search->least;
	for (uint32_t i = best->start + PH_CHANGE_MIN_SEGMENT; i <= last;)
	{
		if (are_below(search, interval, i, n, bound))
		{
			i += n;
			n = N_TOGETHER;
			continue;
		}
		if (n > N_LANES)
		{
			n = N_LANES; /* which half it was; where one splits well, its neighbours do */
			continue;
		}
		for (uint32_t end = i + N_LANES; i <= last && i < end; i++)
			take_better(search, best, i, best_square);
		bound = fmax(search->least, *best_square * search->bounding);
	}
}
PH_FOR_PROCESSOR(static, best_split, best_split_body,
				 (const Search *search, const Interval *interval, Candidate *best,
				  double *best_square),
				 (search, interval, best, best_square))

/*
 * Adds the best split of [start, end) as a candidate, if its rate is at most max_p. Both sides have
 * PH_CHANGE_MIN_SEGMENT values at least and groups are not parted.
 */
static PhStatus
search_interval(PhArena *arena, Search *search, uint32_t start, uint32_t end, double max_p,
				double degrees)
{
	Interval interval = interval_of(search, start, end);
	Candidate best = {.start = start, .end = end};
	double best_square = 0;
	best_split(search, &interval, &best, &best_square);
	best.score = copysign(sqrt(best_square), best.score);
	if (best.index == 0 || ph_change_rate(best.score, degrees) > max_p)
		return PH_OK;
	best.magnitude = relative_change(search, &best);
	return add_candidate(arena, search, &best);
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
search_layer(PhArena *arena, Search *search, uint32_t layer, double max_p, double degrees)
{
	uint32_t count = layer_count(layer);
	double length = layer_length(search->n, layer);
	double shift = count > 1 ? (search->n - length) / (count - 1) : 0;
	for (uint32_t i = 0; i < count; i++)
	{
		PH_TRY(length >= PH_POLL_EVERY ? ph_env_poll_now(arena->env) : ph_env_poll(arena->env));
		uint32_t start = (uint32_t) floor(i * shift);
		double end = ceil(i * shift + length);
		PH_TRY(search_interval(arena, search, start, end < search->n ? (uint32_t) end : search->n,
							   max_p, degrees));
	}
	return PH_OK;
}

static PhStatus
search_intervals(PhArena *arena, Search *search, double max_p, double degrees)
{
	for (uint32_t layer = 0; has_layer(search->n, layer); layer++)
		PH_TRY(search_layer(arena, search, layer, max_p, degrees));
	return PH_OK;
}

/* ---- acceptance ---- */

/*
 * Highest score first; of equal scores the shorter interval, whose split is disturbed by fewer
 * other steps, then the lower place.
 */
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

/*
 * Does an accepted point lie inside the candidate's interval? Then its levels were a mixture, and
 * the candidate is dropped.
 */
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
	PH_TRY(prepare(arena, &search, values, noise, max_p));
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
	return z < LEAST_Z || rate > 1 ? 1 : rate;
}
