/*
 * change_args.h - changes of a replay from arguments of SQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_CHANGE_ARGS_H
#define PH_REPLAY_CHANGE_ARGS_H

#include "postgres.h"

#include "fmgr.h"

#include "replay/runs.h"

/*
 * The five text[] arguments from `first` on (perfhouse_internal.what_if_changes) as changes, in
 * scratch memory; what they need of the calls is asked of spans. 22023, PH002.
 */
PhChange *ph_arg_changes(FunctionCallInfo fcinfo, int first, PhTraceRun *trace, PhSpans *spans,
						 int *count);

#endif
