/*
 * test_metric_bins.c - a metric over time, against a nanosecond-by-nanosecond reference.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_env.h"
#include "support/rounds.h"
#include "trace/metric_bins.h"

#define N_SERIES rounds(3000)
#define END 300
#define MOST_SAMPLES 40
#define LOCATIONS 3

static uint64_t state;

static uint32_t
below(uint32_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) ((state >> 33) % limit);
}

typedef struct Series
{
	uint32_t n;
	int64_t time[MOST_SAMPLES];
	double value[MOST_SAMPLES]; /* in the unit */
} Series;

static const PhTraceMetric metric = {
	.metric_class = 4, .member = 1, .name = "m", .unit = "s", .type = PH_TRACE_INT64, .scale = 0.5};

typedef struct Feed
{
	PhMetricBins *bins;
	PhChunkReader *reader;
} Feed;

static PhStatus
feed_chunk(void *user, const PhChunk *chunk)
{
	Feed *feed = user;

	PH_TRY(ph_chunk_reader_open(feed->reader, chunk, PH_WANT_TIMES | PH_WANT_EXTRA));
	return ph_metric_bins_add_chunk(feed->bins, feed->reader);
}

static PhStatus
write_sample(PhChunkWriter *writer, int64_t time, int64_t raw)
{
	uint64_t values[2] = {77, (uint64_t) raw};
	PhEvent event = {
		.time = time, .kind = PH_EVENT_METRIC, .operation = 4, .n_values = 2, .values = values};
	PhEvent other = {
		.time = time, .kind = PH_EVENT_METRIC, .operation = 3, .n_values = 2, .values = values};

	PH_TRY(ph_chunk_writer_event(writer, &other)); /* another class: not ours */
	return ph_chunk_writer_event(writer, &event);
}

/* Random samples, written and fed. */
static PhStatus
feed_location(PhEnv *env, Feed *feed, bool grows, Series *series)
{
	PhChunkWriter *writer;
	int64_t time = 0, raw = -5;
	PhStatus status;

	PH_TRY(ph_chunk_writer_new(env, 0, 1 + below(7), feed_chunk, feed, &writer));
	series->n = below(MOST_SAMPLES);
	status = PH_OK;
	for (uint32_t i = 0; i < series->n && status == PH_OK; i++)
	{
		time += below(3) == 0 ? 0 : below(20);
		raw = grows ? raw + below(9) : (int64_t) below(30) - 15;
		series->time[i] = time;
		series->value[i] = 0.5 * (double) raw;
		status = write_sample(writer, time, raw);
	}
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	ph_chunk_writer_free(writer);
	return status == PH_OK ? ph_metric_bins_end_location(feed->bins) : status;
}

/* What the metric was, or how it grew, at a point in time; NaN: unknown. */
static double
truth(const Series *series, bool grows, double at)
{
	for (uint32_t i = series->n; i-- > 0;)
	{
		if ((double) series->time[i] > at)
			continue;
		if (!grows)
			return series->value[i];
		if (i + 1 == series->n)
			return NAN;
		return (series->value[i + 1] - series->value[i]) /
			   (double) (series->time[i + 1] - series->time[i]);
	}
	return NAN;
}

/* The exact integral and the part of [low, high) that has a value; samples are at whole ns. */
static void
integrate(const Series *series, bool grows, double low, double high, double *integral,
		  double *covered)
{
	*integral = *covered = 0;
	for (double t = floor(low); t < high; t++)
	{
		double value = truth(series, grows, t);
		double width = fmin(high, t + 1) - fmax(low, t);

		if (isnan(value) || width <= 0)
			continue;
		*integral += value * width;
		*covered += width;
	}
}

static void
check_bin(const PhMetricBin *bin, const Series *series, bool grows, double low, double high)
{
	double sum = 0, least = INFINITY, most = -INFINITY;
	uint32_t n = 0;

	for (uint32_t l = 0; l < LOCATIONS; l++)
	{
		double integral, covered, value;

		integrate(&series[l], grows, low, high, &integral, &covered);
		if (covered < 1e-9) /* rounding of edges */
			continue;
		value = grows ? integral : integral / covered;
		n++;
		sum += value;
		least = fmin(least, value);
		most = fmax(most, value);
	}
	assert_int_equal(n, bin->n_locations);
	assert_true(n > 0 || isnan(bin->mean));
	if (n == 0)
		return;
	assert_true(fabs(bin->mean - sum / n) < 1e-9);
	assert_true(fabs(bin->min - least) < 1e-9);
	assert_true(fabs(bin->max - most) < 1e-9);
}

static void
one_metric(PhEnv *env, PhChunkReader *reader)
{
	Series series[LOCATIONS];
	PhTraceMetric wanted = metric;
	int64_t from = below(END), to = from + 1 + below(END);
	uint32_t n_bins = 1 + below(8);
	Feed feed = {NULL, reader};
	const PhMetricBin *result;

	wanted.is_accumulated = below(2);
	assert_int_equal(ph_metric_bins_new(env, &wanted, from, to, n_bins, &feed.bins), PH_OK);
	for (uint32_t l = 0; l < LOCATIONS; l++)
		assert_int_equal(feed_location(env, &feed, wanted.is_accumulated, &series[l]), PH_OK);
	result = ph_metric_bins_result(feed.bins);
	for (uint32_t b = 0; b < n_bins; b++)
	{
		double width = (double) (to - from) / n_bins;

		check_bin(&result[b], series, wanted.is_accumulated, (double) from + b * width,
				  (double) from + (b + 1) * width);
	}
	ph_metric_bins_free(feed.bins);
}

static void
test_bins_equal_the_reference(void **unused)
{
	PhChunkReader *reader;
	PhEnv env;

	(void) unused;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	for (uint32_t seed = 0; seed < N_SERIES; seed++)
	{
		state = seed;
		one_metric(&env, reader);
	}
	ph_chunk_reader_free(reader);
	assert_int_equal(env.bytes, 0);
}

/* Growth within a window that holds all samples adds up to last - first. */
static void
test_growth_adds_up(void **unused)
{
	PhChunkReader *reader;
	PhTraceMetric wanted = metric;
	PhEnv env;

	(void) unused;
	ph_env_init_malloc(&env);
	wanted.is_accumulated = true;
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	for (uint32_t seed = 0; seed < N_SERIES; seed++)
	{
		Feed feed = {NULL, reader};
		const PhMetricBin *result;
		Series series;
		double sum = 0, grown = 0;

		state = seed;
		assert_int_equal(ph_metric_bins_new(&env, &wanted, 0, 1000, 17, &feed.bins), PH_OK);
		assert_int_equal(feed_location(&env, &feed, true, &series), PH_OK);
		result = ph_metric_bins_result(feed.bins);
		for (uint32_t b = 0; b < 17; b++)
			sum += result[b].n_locations > 0 ? result[b].mean : 0;
		for (uint32_t i = 1; i < series.n; i++)
			grown +=
				series.time[i] > series.time[i - 1] ? series.value[i] - series.value[i - 1] : 0;
		assert_true(fabs(sum - grown) < 1e-9);
		ph_metric_bins_free(feed.bins);
	}
	ph_chunk_reader_free(reader);
}

static PhStatus
make_bins(PhEnv *env, void *user)
{
	PhMetricBins *bins;

	(void) user;
	PH_TRY(ph_metric_bins_new(env, &metric, 0, 10, 3, &bins));
	ph_metric_bins_free(bins);
	return PH_OK;
}

static void
test_bins_survive_failing_allocations(void **unused)
{
	(void) unused;
	assert_string_equal(fault_env_try_allocations(make_bins, NULL, 0), "");
}

/* Beside memory of others, so that giving back more than was taken shows. */
static void
test_bins_give_back_what_they_took(void **unused)
{
	PhEnv env;
	void *other;

	(void) unused;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_env_alloc(&env, 100, 100, &other), PH_OK);
	assert_int_equal(make_bins(&env, NULL), PH_OK);
	assert_int_equal(env.bytes, 100 * 100);
	ph_env_free(&env, other, 100, 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins_equal_the_reference),
		cmocka_unit_test(test_growth_adds_up),
		cmocka_unit_test(test_bins_survive_failing_allocations),
		cmocka_unit_test(test_bins_give_back_what_they_took),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
