/*
 * perf.h - the lines of perf script's text.
 *
 * A sample is a line that says who was sampled, when and by which event, then a line a frame of its
 * stack, innermost first, then an empty line; without stacks the only frame ends the first line:
 *
 *     lulesh 4711/4712 [003]  3555.772687:    2004008 cpu-clock:
 *             55d0 Domain::x+0x10 (/home/me/lulesh)
 *             12aa main+0x2f (inlined)
 *
 * What perf script -F leaves out is missing: the process, the processor, the time with the period.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_PERF_PERF_H
#define PH_READERS_PERF_PERF_H

#include <stdint.h>

#include "readers/slice.h"

typedef struct PhPerfSample
{
	PhSlice comm; /* the thread's name */
	int64_t pid;  /* -1: not told */
	int64_t tid;
	bool has_time;
	PhSlice event; /* "cycles:u" */
	bool has_period;
	double period; /* of the event that the sample stands for */
	PhSlice rest;  /* behind the event: the only frame, what a tracepoint says, or nothing */
} PhPerfSample;

typedef struct PhPerfFrame
{
	PhSlice name;	 /* without the offset; never empty */
	PhSlice library; /* base name of the mapping; empty: unknown, or as the caller's */
	bool is_inlined; /* into the frame on the next line */
} PhPerfFrame;

/* False for a line that is none. */
bool ph_perf_sample(PhSlice line, PhPerfSample *out);
bool ph_perf_frame(PhSlice line, PhPerfFrame *out);

#endif
