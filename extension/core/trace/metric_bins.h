/*
 * metric_bins.h - a metric of a trace over time: what it was, or by how much it grew, per
 * bin.
 *
 * Samples of an absolute metric hold until the next one of their location: a bin has their mean
 * over time. An accumulated metric grows evenly between two samples: a bin has its growth.
 * O(samples + locations x bins).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_METRIC_BINS_H
#define PH_TRACE_METRIC_BINS_H

#include "trace/chunk/chunk.h"

typedef struct PhMetricBin
{
	int64_t from, to;	   /* ns */
	uint32_t n_locations;  /* that have a value here */
	double mean, min, max; /* over them, in the metric's unit; NaN without any */
} PhMetricBin;

typedef struct PhMetricBins PhMetricBins;

/* Window [from, to) in n_bins (1 to 2^16) equal bins; PH_ERR_VALUE otherwise. metric is copied. */
PhStatus ph_metric_bins_new(PhEnv *env, const PhTraceMetric *metric, int64_t from, int64_t to,
							uint32_t n_bins, PhMetricBins **out) PH_MUST_CHECK;
void ph_metric_bins_free(PhMetricBins *bins);

/*
 * Chunks of one location in order, each opened with PH_WANT_TIMES | PH_WANT_EXTRA, from the one
 * with the last sample before the window on; then the end of the location.
 */
PhStatus ph_metric_bins_add_chunk(PhMetricBins *bins, PhChunkReader *reader) PH_MUST_CHECK;
PhStatus ph_metric_bins_end_location(PhMetricBins *bins) PH_MUST_CHECK;

/* n_bins elements, valid until the next call. */
const PhMetricBin *ph_metric_bins_result(PhMetricBins *bins);

#endif
