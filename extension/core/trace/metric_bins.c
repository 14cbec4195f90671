/*
 * metric_bins.c - a metric of a trace over time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/metric_bins.h"

#include <math.h>
#include <string.h>

#define MAX_BINS 65536

/* Of the location that is being fed. */
typedef struct Cell
{
	double integral; /* growth; or value x ns */
	double covered;	 /* ns between samples */
} Cell;

struct PhMetricBins
{
	PhEnv *env;
	PhTraceMetric metric;
	int64_t from, to;
	uint32_t n_bins;
	PhMetricBin *bins; /* min, max over the locations so far; mean: their sum */
	Cell *cells;
	bool has_last;
	int64_t last_time;
	double last_value;
	PhMetricBin *result;
};

static PhStatus
allocate(PhMetricBins *bins)
{
	uint32_t n = bins->n_bins;

	PH_TRY(ph_env_alloc(bins->env, n, sizeof(*bins->bins), (void **) &bins->bins));
	PH_TRY(ph_env_alloc(bins->env, n, sizeof(*bins->cells), (void **) &bins->cells));
	return ph_env_alloc(bins->env, n, sizeof(*bins->result), (void **) &bins->result);
}

PhStatus
ph_metric_bins_new(PhEnv *env, const PhTraceMetric *metric, int64_t from, int64_t to,
				   uint32_t n_bins, PhMetricBins **out)
{
	PhMetricBins *bins;
	PhStatus status;

	if (to <= from)
		return ph_fail(env, PH_ERR_VALUE, "the end of a window must be after its start");
	if (n_bins < 1 || n_bins > MAX_BINS)
		return ph_fail(env, PH_ERR_VALUE, "bins must be 1 to %d, not %u", MAX_BINS, n_bins);
	PH_TRY(ph_env_alloc(env, 1, sizeof(*bins), (void **) &bins));
	bins->env = env;
	bins->metric = *metric;
	bins->from = from;
	bins->to = to;
	bins->n_bins = n_bins;
	status = allocate(bins);
	if (status != PH_OK)
	{
		ph_metric_bins_free(bins);
		return status;
	}
	*out = bins;
	return PH_OK;
}

void
ph_metric_bins_free(PhMetricBins *bins)
{
	if (bins == NULL)
		return;
	ph_env_free(bins->env, bins->bins, bins->n_bins, sizeof(*bins->bins));
	ph_env_free(bins->env, bins->cells, bins->n_bins, sizeof(*bins->cells));
	ph_env_free(bins->env, bins->result, bins->n_bins, sizeof(*bins->result));
	ph_env_free(bins->env, bins, 1, sizeof(*bins));
}

static double
bin_edge(const PhMetricBins *bins, uint32_t bin)
{
	return (double) bins->from +
		   (double) (bins->to - bins->from) * (double) bin / (double) bins->n_bins;
}

static uint32_t
bin_of(const PhMetricBins *bins, double time)
{
	double share = (time - (double) bins->from) / (double) (bins->to - bins->from);
	double bin = floor(share * bins->n_bins);

	return bin < 0 ? 0 : bin >= bins->n_bins ? bins->n_bins - 1 : (uint32_t) bin;
}

/* Spread amount evenly over [from, to) of the time; only what is in the window counts. */
static PhStatus
spread(PhMetricBins *bins, double from, double to, double amount)
{
	double low = fmax(from, (double) bins->from), high = fmin(to, (double) bins->to);

	if (!(high > low))
		return PH_OK;
	for (uint32_t bin = bin_of(bins, low); bin < bins->n_bins; bin++)
	{
		double start = fmax(low, bin_edge(bins, bin)), end = fmin(high, bin_edge(bins, bin + 1));

		PH_TRY(ph_env_poll(bins->env));
		if (start >= high)
			break;
		if (end <= start)
			continue;
		bins->cells[bin].integral += amount * ((end - start) / (to - from));
		bins->cells[bin].covered += end - start;
	}
	return PH_OK;
}

static double
value_of(const PhTraceMetric *metric, uint64_t bits)
{
	double number;

	if (metric->type == PH_TRACE_UINT64)
		return (double) bits * metric->scale;
	if (metric->type == PH_TRACE_INT64)
		return (double) (int64_t) bits * metric->scale;
	memcpy(&number, &bits, sizeof(number));
	return number * metric->scale;
}

/* What held, or grew, from the last sample to now. */
static PhStatus
pass_time(PhMetricBins *bins, int64_t now, double value)
{
	double from = (double) bins->last_time, to = (double) now;

	if (!bins->has_last || now <= bins->last_time)
		return PH_OK;
	return spread(bins, from, to,
				  bins->metric.is_accumulated ? value - bins->last_value
											  : bins->last_value * (to - from));
}

PhStatus
ph_metric_bins_add_chunk(PhMetricBins *bins, PhChunkReader *reader)
{
	PhEvent event;

	while (ph_chunk_next(reader, &event))
	{
		double value;

		PH_TRY(ph_env_poll(bins->env));
		if (event.kind != PH_EVENT_METRIC || event.operation != bins->metric.metric_class ||
			bins->metric.member >= event.n_values)
			continue;
		value = value_of(&bins->metric, event.values[bins->metric.member]);
		if (!isfinite(value))
			continue;
		PH_TRY(pass_time(bins, event.time, value));
		bins->has_last = true;
		bins->last_time = event.time;
		bins->last_value = value;
	}
	return PH_OK;
}

static void
take_cell(PhMetricBin *bin, double value)
{
	bin->min = bin->n_locations == 0 ? value : fmin(bin->min, value);
	bin->max = bin->n_locations == 0 ? value : fmax(bin->max, value);
	bin->mean += value;
	bin->n_locations++;
}

PhStatus
ph_metric_bins_end_location(PhMetricBins *bins)
{
	/* The last sample of an absolute metric holds to the end of the window. */
	if (!bins->metric.is_accumulated && bins->has_last && bins->last_time < bins->to)
		PH_TRY(pass_time(bins, bins->to, bins->last_value));
	for (uint32_t i = 0; i < bins->n_bins; i++)
	{
		Cell *cell = &bins->cells[i];

		if (cell->covered > 0)
			take_cell(&bins->bins[i], bins->metric.is_accumulated ? cell->integral
																  : cell->integral / cell->covered);
		*cell = (Cell){0, 0};
	}
	bins->has_last = false;
	return PH_OK;
}

const PhMetricBin *
ph_metric_bins_result(PhMetricBins *bins)
{
	for (uint32_t i = 0; i < bins->n_bins; i++)
	{
		PhMetricBin *out = &bins->result[i];

		*out = bins->bins[i];
		out->from = (int64_t) floor(bin_edge(bins, i));
		out->to = (int64_t) floor(bin_edge(bins, i + 1));
		if (out->n_locations == 0)
			out->mean = out->min = out->max = NAN;
		else
			out->mean /= out->n_locations;
	}
	return bins->result;
}
