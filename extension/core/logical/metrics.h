/*
 * metrics.h - lateness and its relatives, from minima by (phase, step) and by step.
 *
 * Peers of an event are the events with its phase and step; of the whole trace, those with its
 * step. Values per event are computed from the minima in O(1) (differential ones in its number of
 * messages), so nothing is stored by event. An aggregate is the time before an event. Times in ns.
 * Method: docs/design/logical-time.md 3.1.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_METRICS_H
#define PH_LOGICAL_METRICS_H

#include "logical/logical.h"

/* Peers are buckets: phase p at its k-th step is bucket first_bucket[p] + k. */
typedef struct PhLogicalMetrics
{
	PhArena arena;
	const PhLogical *logical;
	uint32_t n_buckets, n_steps;
	uint32_t *first_bucket; /* n_phases + 1 */

	/* by bucket; PH_NONE where it has no events */
	uint32_t *n_peers;
	uint32_t
		*first_out; /* the peer that leaves first, lowest event on ties: what others are late to */
	uint32_t *first_in;			 /* the peer that enters first */
	int64_t *out_time, *in_time; /* when these two do so */
	int64_t *least_duration, *least_gap;

	/* by global step / 2; where no two phases share a step, these are the arrays by bucket */
	bool steps_are_buckets;
	uint32_t *step_events, *step_first_out, *step_first_in;
	int64_t *step_out_time, *step_in_time;
} PhLogicalMetrics;

PhStatus ph_logical_metrics_build(PhEnv *env, const PhLogical *logical,
								  PhLogicalMetrics *out) PH_MUST_CHECK;
void ph_logical_metrics_free(PhLogicalMetrics *metrics);

/* Which value; the aggregate's belongs to the time before the event. */
typedef enum PhLogicalMetric
{
	PH_LATENESS,		/* how much later than the first peer it leaves */
	PH_GLOBAL_LATENESS, /* the same among all events of its step */
	PH_DIFFERENTIAL,	/* what of the lateness did not come from before */
	PH_GLOBAL_DIFFERENTIAL,
	PH_DURATION, /* how much longer than the shortest peer */
	PH_LOGICAL_METRICS
} PhLogicalMetric;

/* "lateness", "global_lateness", "differential_lateness", … or NULL. */
const char *ph_logical_metric_name(uint32_t metric);

uint32_t ph_logical_bucket(const PhLogicalMetrics *metrics, uint32_t event);
int64_t ph_logical_value(const PhLogicalMetrics *metrics, PhLogicalMetric metric, uint32_t event);
int64_t ph_logical_aggregate(const PhLogicalMetrics *metrics, PhLogicalMetric metric,
							 uint32_t event);

/* Differential lateness of a receive, whose messages' senders are known; and among all phases. */
void ph_logical_late_receive(const PhLogicalMetrics *metrics, uint32_t event,
							 const uint32_t *senders, int64_t *own, int64_t *global);

/*
 * All metrics of an event at once, to value[metric][at] and aggregate[metric][at]; returns its
 * bucket. peers: the events at the other ends of its messages, PH_NONE: unmatched.
 */
uint32_t ph_logical_values(const PhLogicalMetrics *metrics, uint32_t event, const uint32_t *peers,
						   int64_t *const value[PH_LOGICAL_METRICS],
						   int64_t *const aggregate[PH_LOGICAL_METRICS], uint32_t at);

/* By event: values less the least among peers (the step-relative form of a counter). */
PhStatus ph_logical_relative(PhEnv *env, const PhLogicalMetrics *metrics, const double *values,
							 double *out) PH_MUST_CHECK;

/* When a phase was, and how late its latest event was. */
typedef struct PhPhaseSpan
{
	int64_t first_enter, last_exit, max_lateness; /* ns */
} PhPhaseSpan;

/* out: one by phase. O(events). */
PhStatus ph_logical_phase_spans(PhEnv *env, const PhLogicalMetrics *metrics,
								PhPhaseSpan *out) PH_MUST_CHECK;

#endif
