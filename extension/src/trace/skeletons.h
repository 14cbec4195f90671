/*
 * skeletons.h - the communication of a stored trace as the core's skeleton.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_SKELETONS_H
#define PH_TRACE_SKELETONS_H

#include "trace/reader.h"
#include "trace/skeleton.h"

/*
 * All chunks, linked and finished; keep: PhSkeletonKeep, as bits. The trace was begun with
 * communicators; it owns the skeleton.
 */
PhSkeleton *ph_trace_skeleton(PhTraceRun *trace, uint32 keep);

#endif
