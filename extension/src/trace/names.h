/*
 * names.h - regions of a trace that people take for one because they have one name.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_NAMES_H
#define PH_TRACE_NAMES_H

#include "trace/reader.h"

/* By region: the first one of its name, which stands for all of them. */
const uint32 *ph_trace_regions_by_name(const PhTraceRun *trace);

#endif
