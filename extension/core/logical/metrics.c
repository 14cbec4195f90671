/*
 * metrics.c - minima by (phase, step) and by step, and the metrics that follow from them.
 *
 * Phases at their steps are dense buckets, at most one per event and two; one pass over the events
 * finds who of each bucket leaves and enters first. Method: docs/design/logical-time.md 3.1.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/metrics.h"

#include <string.h>

#include "base/min_max.h"

const char *
ph_logical_metric_name(uint32_t metric)
{
	static const char *const names[] = {"lateness", "global_lateness", "differential_lateness",
										"global_differential_lateness", "duration"};
	return metric < PH_LOGICAL_METRICS ? names[metric] : NULL;
}

/* Steps to strides, which are of PH_STEP_STRIDE steps or of one: no division by a variable. */
static inline uint32_t
strides(const PhLogical *logical, int32_t steps)
{
	return (uint32_t) (logical->stride == PH_STEP_STRIDE ? steps / PH_STEP_STRIDE
														 : steps / logical->stride);
}

static inline uint32_t
bucket_of(const PhLogicalMetrics *metrics, uint32_t event)
{
	const PhLogical *logical = metrics->logical;
	if (metrics->steps_are_buckets)
		return strides(logical, logical->step[event]);
	uint32_t phase = logical->phase[event];
	int32_t within = logical->step[event] - logical->first_step[phase];
	return metrics->first_bucket[phase] + strides(logical, within);
}

uint32_t
ph_logical_bucket(const PhLogicalMetrics *metrics, uint32_t event)
{
	return bucket_of(metrics, event);
}

static inline uint32_t
global_step(const PhLogical *logical, uint32_t event)
{
	return strides(logical, logical->step[event]);
}

static int64_t
duration(const PhLogicalModel *model, uint32_t event)
{
	return model->exit[event] - model->enter[event];
}

static bool
has_previous(const PhLogicalModel *model, uint32_t event)
{
	return event > model->timeline_first[model->timeline[event]];
}

/* The time between an event and the one before it; nested calls overlap, which is no gap. */
static int64_t
gap(const PhLogicalModel *model, uint32_t event)
{
	if (!has_previous(model, event))
		return 0;
	int64_t between = model->enter[event] - model->exit[event - 1];
	return PH_MAX(between, 0);
}

/* ------------------------------------------------------------------------------------------ minima
 */

static PhStatus
allocate_steps(PhLogicalMetrics *metrics)
{
	PhArena *arena = &metrics->arena;
	uint32_t n = metrics->n_steps;
	PH_TRY(PH_NEW(arena, n, &metrics->step_events));
	PH_TRY(PH_NEW(arena, n, &metrics->step_first_out));
	PH_TRY(PH_NEW(arena, n, &metrics->step_first_in));
	PH_TRY(PH_NEW(arena, n, &metrics->step_out_time));
	return PH_NEW(arena, n, &metrics->step_in_time);
}

/*
 * Is bucket k exactly step k? So it is when no two phases share a step. Then peers of the phase are
 * the peers of the step, and the arrays by step need not be made.
 */
static bool
are_steps_buckets(const PhLogicalMetrics *metrics)
{
	const PhLogical *logical = metrics->logical;
	for (uint32_t p = 0; p < logical->n_phases; p++)
		if (strides(logical, logical->first_step[p]) != metrics->first_bucket[p])
			return false;
	return metrics->n_buckets == metrics->n_steps;
}

/* Times of a bucket are written by its first event, who was first in it before that (fill). */
static PhStatus
allocate(PhLogicalMetrics *metrics)
{
	const PhLogical *logical = metrics->logical;
	PhArena *arena = &metrics->arena;
	PH_TRY(PH_NEW(arena, (size_t) logical->n_phases + 1, &metrics->first_bucket));
	for (uint32_t p = 0; p < logical->n_phases; p++)
	{
		int32_t span = logical->last_step_of[p] - logical->first_step[p];
		metrics->first_bucket[p + 1] =
			metrics->first_bucket[p] + (uint32_t) (span / logical->stride) + 1;
	}
	uint32_t n = metrics->n_buckets = metrics->first_bucket[logical->n_phases];
	metrics->n_steps = strides(logical, logical->last_step + logical->stride);
	PH_TRY(PH_NEW(arena, n, &metrics->n_peers));
	PH_TRY(PH_NEW_UNSET(arena, n, &metrics->first_out));
	PH_TRY(PH_NEW_UNSET(arena, n, &metrics->first_in));
	PH_TRY(PH_NEW_UNSET(arena, n, &metrics->out_time));
	PH_TRY(PH_NEW_UNSET(arena, n, &metrics->in_time));
	PH_TRY(PH_NEW_UNSET(arena, n, &metrics->least_duration));
	PH_TRY(PH_NEW_UNSET(arena, n, &metrics->least_gap));
	metrics->steps_are_buckets = are_steps_buckets(metrics);
	if (!metrics->steps_are_buckets)
		return allocate_steps(metrics);
	metrics->step_events = metrics->n_peers;
	metrics->step_first_out = metrics->first_out;
	metrics->step_first_in = metrics->first_in;
	metrics->step_out_time = metrics->out_time;
	metrics->step_in_time = metrics->in_time;
	return PH_OK;
}

/* The event of two with the lesser time, the lower on ties. */
static void
keep_first(uint32_t *first, int64_t *first_time, uint32_t event, int64_t time)
{
	if (*first != PH_NONE && time >= *first_time)
		return;
	*first = event;
	*first_time = time;
}

static void
keep_least(int64_t *least, int64_t value, bool is_first)
{
	if (is_first || value < *least)
		*least = value;
}

static void
add_event(PhLogicalMetrics *metrics, uint32_t event)
{
	const PhLogicalModel *model = metrics->logical->model;
	uint32_t b = bucket_of(metrics, event);
	int64_t exit = model->exit[event], enter = model->enter[event];
	bool is_first = metrics->n_peers[b]++ == 0;
	keep_first(&metrics->first_out[b], &metrics->out_time[b], event, exit);
	keep_first(&metrics->first_in[b], &metrics->in_time[b], event, enter);
	keep_least(&metrics->least_duration[b], duration(model, event), is_first);
	keep_least(&metrics->least_gap[b], gap(model, event), is_first);
	if (metrics->steps_are_buckets)
		return;
	uint32_t s = global_step(metrics->logical, event);
	metrics->step_events[s]++;
	keep_first(&metrics->step_first_out[s], &metrics->step_out_time[s], event, exit);
	keep_first(&metrics->step_first_in[s], &metrics->step_in_time[s], event, enter);
}

static PhStatus
fill(PhEnv *env, PhLogicalMetrics *metrics)
{
	PH_TRY(allocate(metrics));
	for (uint32_t b = 0; b < metrics->n_buckets; b++)
		metrics->first_out[b] = metrics->first_in[b] = PH_NONE;
	for (uint32_t s = 0; s < metrics->n_steps; s++)
		metrics->step_first_out[s] = metrics->step_first_in[s] = PH_NONE;
	for (uint32_t e = 0; e < metrics->logical->model->n_events; e++)
	{
		PH_TRY(ph_env_poll_at(env, e));
		add_event(metrics, e);
	}
	return PH_OK;
}

PhStatus
ph_logical_metrics_build(PhEnv *env, const PhLogical *logical, PhLogicalMetrics *out)
{
	PhLogicalMetrics metrics;
	memset(&metrics, 0, sizeof(metrics));
	metrics.logical = logical;
	ph_arena_init(&metrics.arena, env);
	PhStatus status = fill(env, &metrics);
	if (status == PH_OK)
		*out = metrics;
	else
		ph_arena_drop(&metrics.arena);
	return status;
}

void
ph_logical_metrics_free(PhLogicalMetrics *metrics)
{
	ph_arena_drop(&metrics->arena);
	memset(metrics, 0, sizeof(*metrics));
}

/* ------------------------------------------------------------------------------------------ values
 */

/* Lateness among peers of the phase, or of the whole step. */
static int64_t
lateness(const PhLogicalMetrics *metrics, bool global, uint32_t event)
{
	int64_t first = global ? metrics->step_out_time[global_step(metrics->logical, event)]
						   : metrics->out_time[bucket_of(metrics, event)];
	return metrics->logical->model->exit[event] - first;
}

static int64_t
aggregate_lateness(const PhLogicalMetrics *metrics, bool global, uint32_t event)
{
	int64_t first = global ? metrics->step_in_time[global_step(metrics->logical, event)]
						   : metrics->in_time[bucket_of(metrics, event)];
	return metrics->logical->model->enter[event] - first;
}

/*
 * How much lateness an event had to begin with: that of the aggregate before it, or for a receive
 * that of its latest sender, if that is more.
 */
static int64_t
inherited(const PhLogicalMetrics *metrics, bool global, uint32_t event, int64_t aggregate)
{
	const PhLogicalModel *model = metrics->logical->model;
	int64_t most = aggregate;
	if (model->kind[event] != PH_COMM_RECEIVE)
		return most;
	for (uint32_t i = model->first_end[event]; i < model->first_end[event + 1]; i++)
	{
		uint32_t from = model->send_event[model->message_of_end[i]];
		int64_t theirs = from == PH_NONE ? 0 : lateness(metrics, global, from);
		most = PH_MAX(theirs, most);
	}
	return most;
}

static int64_t
differential(const PhLogicalMetrics *metrics, bool global, uint32_t event)
{
	int64_t own = lateness(metrics, global, event);
	int64_t most = inherited(metrics, global, event, aggregate_lateness(metrics, global, event));
	return own > most ? own - most : 0;
}

/*
 * How much of an aggregate's lateness arose in it: less the lateness of the event before it on the
 * timeline, never negative.
 */
static int64_t
aggregate_rest(const PhLogicalMetrics *metrics, bool global, uint32_t event, int64_t own)
{
	int64_t before =
		has_previous(metrics->logical->model, event) ? lateness(metrics, global, event - 1) : 0;
	return own > before ? own - before : 0;
}

static int64_t
aggregate_differential(const PhLogicalMetrics *metrics, bool global, uint32_t event)
{
	return aggregate_rest(metrics, global, event, aggregate_lateness(metrics, global, event));
}

int64_t
ph_logical_value(const PhLogicalMetrics *metrics, PhLogicalMetric metric, uint32_t event)
{
	switch (metric)
	{
		case PH_LATENESS:
		case PH_GLOBAL_LATENESS:
			return lateness(metrics, metric == PH_GLOBAL_LATENESS, event);
		case PH_DIFFERENTIAL:
		case PH_GLOBAL_DIFFERENTIAL:
			return differential(metrics, metric == PH_GLOBAL_DIFFERENTIAL, event);
		case PH_DURATION:
			return duration(metrics->logical->model, event) -
				   metrics->least_duration[ph_logical_bucket(metrics, event)];
		default:
			return 0;
	}
}

int64_t
ph_logical_aggregate(const PhLogicalMetrics *metrics, PhLogicalMetric metric, uint32_t event)
{
	switch (metric)
	{
		case PH_LATENESS:
		case PH_GLOBAL_LATENESS:
			return aggregate_lateness(metrics, metric == PH_GLOBAL_LATENESS, event);
		case PH_DIFFERENTIAL:
		case PH_GLOBAL_DIFFERENTIAL:
			return aggregate_differential(metrics, metric == PH_GLOBAL_DIFFERENTIAL, event);
		case PH_DURATION:
			return gap(metrics->logical->model, event) -
				   metrics->least_gap[ph_logical_bucket(metrics, event)];
		default:
			return 0;
	}
}

/* The greatest lateness among a receive's senders, in its phases and in all; at least 0. */
static void
late_senders(const PhLogicalMetrics *metrics, uint32_t event, const uint32_t *senders,
			 int64_t most[2])
{
	const PhLogical *logical = metrics->logical;
	const PhLogicalModel *model = logical->model;
	if (model->kind[event] != PH_COMM_RECEIVE)
		return;
	uint32_t n = model->first_end[event + 1] - model->first_end[event];
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t from = senders[i];
		if (from == PH_NONE)
			continue;
		int64_t exit = model->exit[from];
		uint32_t step = global_step(logical, from);
		uint32_t bucket = metrics->steps_are_buckets ? step : bucket_of(metrics, from);
		int64_t local = exit - metrics->out_time[bucket];
		int64_t global = exit - metrics->step_out_time[step];
		most[0] = PH_MAX(local, most[0]);
		most[1] = PH_MAX(global, most[1]);
	}
}

uint32_t
ph_logical_values(const PhLogicalMetrics *metrics, uint32_t event, const uint32_t *peers,
				  int64_t *const value[PH_LOGICAL_METRICS],
				  int64_t *const aggregate[PH_LOGICAL_METRICS], uint32_t at)
{
	static const PhLogicalMetric plain[2] = {PH_LATENESS, PH_GLOBAL_LATENESS};
	static const PhLogicalMetric rest[2] = {PH_DIFFERENTIAL, PH_GLOBAL_DIFFERENTIAL};
	const PhLogicalModel *model = metrics->logical->model;
	uint32_t bucket = bucket_of(metrics, event);
	uint32_t step = global_step(metrics->logical, event);
	int64_t exit = model->exit[event], enter = model->enter[event], most[2] = {0, 0};
	const int64_t late[2] = {exit - metrics->out_time[bucket], exit - metrics->step_out_time[step]};
	const int64_t before[2] = {enter - metrics->in_time[bucket],
							   enter - metrics->step_in_time[step]};
	late_senders(metrics, event, peers, most);
	for (int global = 0; global < 2; global++)
	{
		int64_t inherits = PH_MAX(most[global], before[global]);
		value[plain[global]][at] = late[global];
		aggregate[plain[global]][at] = before[global];
		value[rest[global]][at] = late[global] > inherits ? late[global] - inherits : 0;
		aggregate[rest[global]][at] = aggregate_rest(metrics, global, event, before[global]);
	}
	value[PH_DURATION][at] = exit - enter - metrics->least_duration[bucket];
	aggregate[PH_DURATION][at] = gap(model, event) - metrics->least_gap[bucket];
	return bucket;
}

void
ph_logical_late_receive(const PhLogicalMetrics *metrics, uint32_t event, const uint32_t *senders,
						int64_t *own, int64_t *global)
{
	const PhLogicalModel *model = metrics->logical->model;
	uint32_t bucket = bucket_of(metrics, event), step = global_step(metrics->logical, event);
	int64_t exit = model->exit[event], enter = model->enter[event], most[2] = {0, 0};
	late_senders(metrics, event, senders, most);
	int64_t inherits = PH_MAX(most[0], enter - metrics->in_time[bucket]);
	int64_t inherits_global = PH_MAX(most[1], enter - metrics->step_in_time[step]);
	int64_t late = exit - metrics->out_time[bucket], all = exit - metrics->step_out_time[step];
	*own = late > inherits ? late - inherits : 0;
	*global = all > inherits_global ? all - inherits_global : 0;
}

PhStatus
ph_logical_relative(PhEnv *env, const PhLogicalMetrics *metrics, const double *values, double *out)
{
	uint32_t n = metrics->logical->model->n_events;
	void *memory;
	PH_TRY(ph_env_alloc(env, metrics->n_buckets, sizeof(double), &memory));
	double *least = memory;
	PhStatus status = PH_OK;
	for (uint32_t b = 0; b < metrics->n_buckets; b++)
		least[b] = metrics->first_out[b] == PH_NONE ? 0 : values[metrics->first_out[b]];
	for (uint32_t e = 0; e < n && status == PH_OK; e++)
	{
		uint32_t b = ph_logical_bucket(metrics, e);
		least[b] = PH_MIN(values[e], least[b]);
		status = ph_env_poll(env);
	}
	for (uint32_t e = 0; e < n && status == PH_OK; e++)
		out[e] = values[e] - least[ph_logical_bucket(metrics, e)];
	ph_env_free(env, memory, metrics->n_buckets, sizeof(double));
	return status;
}

/* ------------------------------------------------------------------------------------------- spans
 */

/* In order of events, which are in order in memory, as those of a phase are not. */
PhStatus
ph_logical_phase_spans(PhEnv *env, const PhLogicalMetrics *metrics, PhPhaseSpan *out)
{
	const PhLogical *logical = metrics->logical;
	const PhLogicalModel *model = logical->model;
	for (uint32_t p = 0; p < logical->n_phases; p++)
		out[p] = (PhPhaseSpan){INT64_MAX, INT64_MIN, 0};
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PhPhaseSpan *span = &out[logical->phase[e]];
		int64_t late = lateness(metrics, false, e);
		PH_TRY(ph_env_poll_at(env, e));
		span->first_enter = PH_MIN(model->enter[e], span->first_enter);
		span->last_exit = PH_MAX(model->exit[e], span->last_exit);
		span->max_lateness = PH_MAX(late, span->max_lateness);
	}
	return PH_OK;
}
