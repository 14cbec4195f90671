/*
 * again.h - logical structure computed instead of read: with other options, or as it is stored.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_AGAIN_H
#define PH_LOGICAL_AGAIN_H

#include "logical/compute.h"

/* What assign_logical_steps is asked for: the options of a run of its kind, in scratch memory. */
void ph_logical_request_of(PhTraceRun *trace, Jsonb *options, PhLogicalRequest *out);

/*
 * As ph_logical_begin, but computed with these options instead of what is stored; NULL: what is
 * stored.
 */
PhLogicalStored ph_logical_begin_with(int64 run_id, uint32 parts, Jsonb *options);

/* Under SPI_connect: the options with which the stored structure was found; strings in context. */
void ph_logical_options_of(int64 run_id, MemoryContext context, PhLogicalRequest *out);

/*
 * The structure that is stored of a run, computed again with its options: the same events, phases
 * and steps; events of tasks last as long as their shares of serial blocks. Begins the trace; end
 * it with ph_trace_end. PH002 as ph_logical_begin; PH003 when another version's method assigned it.
 */
PhLogicalRun *ph_logical_again(int64 run_id);

/* The same as what ph_logical_begin_with begins. */
PhLogicalStored ph_logical_begin_again(int64 run_id);

#endif
