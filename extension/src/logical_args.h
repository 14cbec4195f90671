/*
 * logical_args.h - arguments that functions on logical time share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_ARGS_H
#define PH_LOGICAL_ARGS_H

#include "fmgr.h"

#include "logical_reader.h"

/* A metric of events or of the aggregates before them. */
typedef struct PhLogicalMeasure
{
	PhLogicalMetric metric;
	bool is_aggregate;
} PhLogicalMeasure;

/* [step_from, step_to) of the arguments first and first + 1; null: open. 22023 when it ends before
 * it begins. */
PhStepWindow ph_arg_steps(FunctionCallInfo fcinfo, int first);

/* Besides, the locations of argument first + 2. PH002 for one that does not exist. */
PhStepWindow ph_arg_step_window(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace);

/* "lateness", "aggregate_lateness", "global_lateness", …; null: lateness. 22023 otherwise. */
PhLogicalMeasure ph_arg_measure(FunctionCallInfo fcinfo, int argument);

#endif
