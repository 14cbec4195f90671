/*
 * fn_summary.c - logical time in sums: by step, by member of a phase; steps to times.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "logical/args.h"
#include "logical/phase.h"
#include "server/compat.h"
#include "server/rowio.h"

/* ---- steps ---- */

typedef struct StepSum
{
	uint32 n_events;
	uint32 latest; /* location with the greatest value, the first on ties */
	int64 max;
	int64 first, last; /* enter and leave */
	double sum;
} StepSum;

typedef struct StepSums
{
	PhLogicalMeasure measure;
	PhStepWindow window;
	uint32 stride, before; /* strides before the window */
	StepSum *sums;		   /* by stride of the window */
	size_t n;
} StepSums;

static void
add_event(StepSum *sum, uint32 location, int64 enter, int64 leave, int64 value)
{
	if (sum->n_events == 0 || value > sum->max)
	{
		sum->max = value;
		sum->latest = location;
	}
	sum->first = sum->n_events == 0 ? enter : Min(sum->first, enter);
	sum->last = sum->n_events == 0 ? leave : Max(sum->last, leave);
	sum->sum += (double) value;
	sum->n_events++;
}

static void
add_steps(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	StepSums *out = user;
	const int64 *values = ph_measure_values(&out->measure, events);
	for (uint32 i = 0; i < events->n_events; i++)
		if (ph_step_is_in(&out->window, events->step[i]))
			add_event(&out->sums[events->step[i] / out->stride - out->before], events->location,
					  events->enter[i], events->leave[i], values[i]);
}

/* The sums of the steps of the window, which ends with the last step at the latest. */
static void
sum_steps(const PhLogicalStored *stored, StepSums *out)
{
	void *sums;
	out->stride = stored->stride;
	out->window.from = Max(out->window.from, 0);
	out->window.to = Min(out->window.to, (int64) stored->last_step + 1);
	if (out->window.to <= out->window.from)
		return;
	out->before = (uint32) ((out->window.from + out->stride - 1) / out->stride);
	out->n = (size_t) (out->window.to / out->stride) + 1 - out->before;
	PH_CHECK(&stored->trace->scratch->env,
			 ph_env_alloc(&stored->trace->scratch->env, out->n, sizeof(StepSum), &sums));
	out->sums = sums;
	ph_logical_chunks(stored, &out->window, PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_TASKS,
					  add_steps, out);
}

static int64
step_at(const StepSums *sums, size_t at)
{
	return ((int64) sums->before + (int64) at) * sums->stride;
}

static void
put_sum(PhRows *rows, int64 step, const StepSum *sum)
{
	ph_rows_int(rows, "step", (int32) step);
	ph_rows_int(rows, "n_events", (int32) sum->n_events);
	ph_rows_number(rows, "sum", sum->sum);
	ph_rows_bigint(rows, "max", sum->max);
	ph_rows_number(rows, "mean", sum->sum / sum->n_events);
	ph_rows_int(rows, "latest_location", (int32) sum->latest);
	ph_rows_bigint(rows, "t_first", sum->first);
	ph_rows_bigint(rows, "t_last", sum->last);
}

PH_FUNCTION(ph_step_summary)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	StepSums out = {.measure = ph_arg_measure(fcinfo, 1, stored.timelines != NULL),
					.window.to = PG_INT64_MAX};
	sum_steps(&stored, &out);
	for (size_t s = 0; s < out.n; s++)
		if (out.sums[s].n_events > 0)
		{
			put_sum(&rows, step_at(&out, s), &out.sums[s]);
			ph_rows_put(&rows);
		}
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

/* ---- bars ---- */

typedef enum Summary
{
	SUMMARY_SUM,
	SUMMARY_MAX,
	SUMMARY_MEAN
} Summary;

static Summary
arg_summary(FunctionCallInfo fcinfo, int argument)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(argument));
	if (strcmp(name, "sum") == 0)
		return SUMMARY_SUM;
	if (strcmp(name, "max") == 0)
		return SUMMARY_MAX;
	if (strcmp(name, "mean") == 0)
		return SUMMARY_MEAN;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("no summary is called \"%s\"", name),
			 errhint("Take sum, max or mean.")));
}

static double
summary_of(const StepSum *sum, Summary summary)
{
	if (summary == SUMMARY_MAX)
		return (double) sum->max;
	return summary == SUMMARY_SUM ? sum->sum : sum->sum / sum->n_events;
}

/* Of steps that share a bar the first with the greatest summary, and that with the greatest value.
 */
static void
put_bar(PhRows *rows, const StepSums *sums, size_t bar, size_t width, Summary summary)
{
	size_t from = bar * width, to = Min(from + width, sums->n);
	const StepSum *most = NULL, *greatest = NULL;
	for (const StepSum *sum = &sums->sums[from]; sum < &sums->sums[to]; sum++)
	{
		if (sum->n_events == 0)
			continue;
		if (most == NULL || summary_of(sum, summary) > summary_of(most, summary))
			most = sum;
		if (greatest == NULL || sum->max > greatest->max)
			greatest = sum;
	}
	if (most == NULL)
		return;
	ph_rows_int(rows, "bar", (int32) bar);
	put_sum(rows, step_at(sums, (size_t) (most - sums->sums)), most);
	ph_rows_number(rows, "value", summary_of(most, summary));
	ph_rows_bigint(rows, "greatest", greatest->max);
	ph_rows_int(rows, "greatest_step", (int32) step_at(sums, (size_t) (greatest - sums->sums)));
	ph_rows_int(rows, "greatest_location", (int32) greatest->latest);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_step_bars)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	for (int argument = 0; argument < PG_NARGS(); argument++)
		if (PG_ARGISNULL(argument))
			return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	StepSums out = {.measure = ph_arg_measure(fcinfo, 1, stored.timelines != NULL),
					.window = ph_arg_steps(fcinfo, 2)};
	Summary summary = arg_summary(fcinfo, 5);
	size_t width = (size_t) Max(PG_GETARG_INT32(4), 1);
	sum_steps(&stored, &out);
	for (size_t bar = 0; bar * width < out.n; bar++)
		put_bar(&rows, &out, bar, width, summary);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

/* ---- times ---- */

typedef struct TimeSpan
{
	PhStepWindow window;
	int64 first, last;
	bool is_empty;
} TimeSpan;

static void
add_times(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	TimeSpan *out = user;
	for (uint32 i = 0; i < events->n_events; i++)
	{
		if (!ph_step_is_in(&out->window, events->step[i]))
			continue;
		out->first = Min(out->first, events->enter[i]);
		out->last = Max(out->last, events->leave[i]);
		out->is_empty = false;
	}
}

PH_FUNCTION(ph_step_time_span)
{
	PhRows rows;
	TimeSpan out = {.first = PG_INT64_MAX, .last = PG_INT64_MIN, .is_empty = true};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	out.window = ph_arg_steps(fcinfo, 1);
	ph_logical_chunks(&stored, &out.window, PH_LOGICAL_WANT_PLACES, add_times, &out);
	if (!out.is_empty)
	{
		ph_rows_bigint(&rows, "t_from", out.first);
		ph_rows_bigint(&rows, "t_to", out.last);
		ph_rows_put(&rows);
	}
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

/* ---- members of a phase ---- */

typedef struct Members
{
	PhRows rows;
	uint32 phase;
	uint32 location; /* of the member at hand; PH_NONE: none */
	uint32 first_seq, last_seq, n_events, first_step, last_step;
} Members;

static void
put_member(Members *out, const PhTraceRun *trace)
{
	if (out->location == PH_NONE)
		return;
	ph_rows_int(&out->rows, "location", (int32) out->location);
	ph_rows_known(&out->rows, "rank", trace->model.locations[out->location].rank);
	ph_rows_bigint(&out->rows, "first_event", out->first_seq);
	ph_rows_bigint(&out->rows, "last_event", out->last_seq);
	ph_rows_int(&out->rows, "n_events", (int32) out->n_events);
	ph_rows_int(&out->rows, "first_step", (int32) out->first_step);
	ph_rows_int(&out->rows, "last_step", (int32) out->last_step);
	ph_rows_put(&out->rows);
	out->location = PH_NONE;
}

static void
add_members(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	Members *out = user;
	if (out->location != events->location)
		put_member(out, trace);
	for (uint32 i = 0; i < events->n_events; i++)
	{
		uint32 step = events->step[i];
		if (events->phase[i] != out->phase)
			continue;
		if (out->location == PH_NONE)
		{
			out->location = events->location;
			out->first_seq = events->first_seq + i;
			out->first_step = out->last_step = step;
			out->n_events = 0;
		}
		out->last_seq = events->first_seq + i;
		out->first_step = Min(out->first_step, step);
		out->last_step = Max(out->last_step, step);
		out->n_events++;
	}
}

PH_FUNCTION(ph_phase_members)
{
	Members out = {.location = PH_NONE};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhStepWindow window = ph_phase_window(&stored, PG_GETARG_INT32(1));
	out.phase = (uint32) PG_GETARG_INT32(1);
	ph_logical_chunks(&stored, &window, PH_LOGICAL_WANT_PLACES, add_members, &out);
	put_member(&out, stored.trace);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}
