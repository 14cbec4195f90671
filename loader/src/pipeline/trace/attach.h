/*
 * attach.h - a profile that was measured beside a trace, as further metrics of the
 * trace's own profile.
 *
 * Score-P writes both in one run. The tree stays the trace's: values of a call path go to the same
 * path of the trace. Where the trace does not know which call forked a thread, its calls are roots,
 * but not in a profile: there the longest end of the path counts that the trace has in that
 * location.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_TRACE_ATTACH_H
#define PH_PIPELINE_TRACE_ATTACH_H

#include "readers/source.h"

typedef struct PhAttachCounts
{
	uint32_t lost_columns; /* execution units that the trace does not have */
	uint64_t lost_cells;   /* values of call paths that it does not have */
} PhAttachCounts;

/*
 * A copy of profile, whose additive metrics are joined by those of beside under the name prefix +
 * theirs, before its last n_last. Notes of the profile are kept.
 */
PhStatus ph_trace_attach(PhEnv *env, const PhProfile *profile, const PhProfile *beside,
						 const char *prefix, uint32_t n_last, PhProfile **out,
						 PhAttachCounts *counts) PH_MUST_CHECK;

#endif
