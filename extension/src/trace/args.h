/*
 * args.h - arguments that functions on traces share: windows of time and locations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_ARGS_H
#define PH_TRACE_ARGS_H

#include "fmgr.h"

#include "trace/comm.h"
#include "trace/reader.h"

/*
 * [t_from, t_to) of the arguments first and first + 1; null: open. 22023 when it ends before it
 * begins.
 */
PhTraceWindow ph_arg_times(FunctionCallInfo fcinfo, int first);

/* Marks for the locations of an int4[] argument, by location; NULL when it is null: all. PH002 for
 * one that does not exist. */
bool *ph_arg_locations(FunctionCallInfo fcinfo, int argument, const PhTraceRun *trace);

/* Besides, the locations of argument first + 2; null: all. PH002 for one that does not exist. */
PhTraceWindow ph_arg_window(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace);

/*
 * Bins over the window of arguments first and first + 1; open ends are the first event and one ns
 * after the last. 22023 unless there are 1 to PH_MOST_BINS and the window is not empty.
 */
PhTimeBins ph_arg_bins(FunctionCallInfo fcinfo, int bins, int first, const PhTraceRun *trace);

/* The number of bins of an argument, else the default. 22023 as above. */
uint32 ph_arg_bin_count(FunctionCallInfo fcinfo, int argument, int32 otherwise);

#endif
