/*
 * skeletons.h - the communication of a stored trace as the core's skeleton.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_SKELETONS_H
#define PH_TRACE_SKELETONS_H

#include "trace/reader.h"
#include "trace/skeleton.h"

/* All chunks, linked and finished. The trace was begun with communicators; it owns the skeleton. */
PhSkeleton *ph_trace_skeleton(PhTraceRun *trace);

/* The same for who finds all waits: larger, but that takes half as long. */
PhSkeleton *ph_trace_wait_skeleton(PhTraceRun *trace);

#endif
