/*
 * args.h - arguments that functions on logical time share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_ARGS_H
#define PH_LOGICAL_ARGS_H

#include "fmgr.h"

#include "utils/jsonb.h"

#include "logical/reader.h"

typedef enum PhMeasureColumn
{
	PH_MEASURE_METRIC, /* one of PhLogicalMetric */
	PH_MEASURE_IDLE,   /* of tasks: idle experienced */
	PH_MEASURE_IMBALANCE
} PhMeasureColumn;

/* A metric of events or of the aggregates before them. */
typedef struct PhLogicalMeasure
{
	PhMeasureColumn column;
	PhLogicalMetric metric;
	bool is_aggregate;
} PhLogicalMeasure;

/* [step_from, step_to) of the arguments first and first + 1; null: open. 22023 when it ends before
 * it begins. */
PhStepWindow ph_arg_steps(FunctionCallInfo fcinfo, int first);

/* Besides, the locations of argument first + 2. PH002 for one that does not exist. */
PhStepWindow ph_arg_step_window(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace);

/*
 * Of processes "lateness", "aggregate_lateness", "global_lateness", …, null: lateness; of tasks
 * "differential_duration", "idle_experienced", "imbalance", null: the first. 22023 otherwise.
 */
PhLogicalMeasure ph_arg_measure(FunctionCallInfo fcinfo, int argument, bool of_tasks);

/* The same, but 22023 for the time before events, too. */
PhLogicalMeasure ph_arg_event_measure(FunctionCallInfo fcinfo, int argument, bool of_tasks);

/* A jsonb argument that the function may have; NULL: it is null. */
Jsonb *ph_arg_logical_options(FunctionCallInfo fcinfo, int argument);

/* Its values by event, decoded with PH_LOGICAL_WANT_METRICS and PH_LOGICAL_WANT_TASKS. */
const int64 *ph_measure_values(const PhLogicalMeasure *measure, const PhLogicalEvents *events);

#endif
