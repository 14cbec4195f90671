/*
 * args.c - windows of steps and names of metrics from arguments.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "logical/args.h"
#include "server/args.h"
#include "trace/args.h"

#define AGGREGATE "aggregate_"

PhStepWindow
ph_arg_steps(FunctionCallInfo fcinfo, int first)
{
	PhStepWindow window = {.from = 0, .to = (int64) PG_INT32_MAX + 1};
	if (!PG_ARGISNULL(first))
		window.from = PG_GETARG_INT32(first);
	if (!PG_ARGISNULL(first + 1))
		window.to = PG_GETARG_INT32(first + 1);
	if (window.to < window.from)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the window ends at step " INT64_FORMAT
							   ", before it begins at step " INT64_FORMAT,
							   window.to, window.from),
						errhint("step_to is the first step that is not in the window.")));
	return window;
}

PhStepWindow
ph_arg_step_window(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace)
{
	PhStepWindow window = ph_arg_steps(fcinfo, first);
	window.locations = ph_arg_locations(fcinfo, first + 2, trace);
	return window;
}

static char *
metric_names(void)
{
	StringInfoData list;
	initStringInfo(&list);
	for (uint32 m = 0; m < PH_LOGICAL_METRICS; m++)
		appendStringInfo(&list, "%s\"%s\"", m > 0 ? ", " : "", ph_logical_metric_name(m));
	return list.data;
}

Jsonb *
ph_arg_logical_options(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : PG_GETARG_JSONB_P(argument);
}

static PhLogicalMeasure
task_measure(const char *name)
{
	if (strcmp(name, "differential_duration") == 0 || strcmp(name, "duration") == 0)
		return (PhLogicalMeasure){.column = PH_MEASURE_METRIC, .metric = PH_DURATION};
	if (strcmp(name, "idle_experienced") == 0)
		return (PhLogicalMeasure){.column = PH_MEASURE_IDLE};
	if (strcmp(name, "imbalance") == 0)
		return (PhLogicalMeasure){.column = PH_MEASURE_IMBALANCE};
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("logical time of tasks has no metric \"%s\"", name),
					errhint("Metrics are \"differential_duration\", \"idle_experienced\" and "
							"\"imbalance\".")));
}

const int64 *
ph_measure_values(const PhLogicalMeasure *measure, const PhLogicalEvents *events)
{
	if (measure->column == PH_MEASURE_IDLE)
		return events->idle;
	if (measure->column == PH_MEASURE_IMBALANCE)
		return events->imbalance;
	return measure->is_aggregate ? events->aggregate[measure->metric]
								 : events->value[measure->metric];
}

PhLogicalMeasure
ph_arg_measure(FunctionCallInfo fcinfo, int argument, bool of_tasks)
{
	if (of_tasks)
		return task_measure(ph_arg_text_or(fcinfo, argument, "differential_duration"));
	const char *name = ph_arg_text_or(fcinfo, argument, "lateness");
	bool is_aggregate = strncmp(name, AGGREGATE, strlen(AGGREGATE)) == 0;
	const char *base = is_aggregate ? name + strlen(AGGREGATE) : name;
	for (uint32 m = 0; m < PH_LOGICAL_METRICS; m++)
		if (strcmp(base, ph_logical_metric_name(m)) == 0)
			return (PhLogicalMeasure){.metric = (PhLogicalMetric) m, .is_aggregate = is_aggregate};
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("logical time has no metric \"%s\"", name),
			 errhint("Metrics are %s, and with \"aggregate_\" before them those of the time before "
					 "events.",
					 metric_names())));
}

PhLogicalMeasure
ph_arg_event_measure(FunctionCallInfo fcinfo, int argument, bool of_tasks)
{
	PhLogicalMeasure measure = ph_arg_measure(fcinfo, argument, of_tasks);
	if (measure.is_aggregate)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a metric of events is wanted, not of the time before them"),
						errhint("Both count: name the metric without \"aggregate_\".")));
	return measure;
}
