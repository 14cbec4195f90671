/*
 * host_calls.h - calls of the host's threads in a stored trace, by the name of their function.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_HOST_CALLS_H
#define PH_DEVICES_HOST_CALLS_H

#include "postgres.h"

#include "devices/calls.h"
#include "trace/tables.h"

/* All calls of functions whose names are wanted, by location and end; free with
 * ph_host_calls_free. The trace was begun with regions. */
void ph_stored_host_calls(PhTraceRun *trace, bool (*is_wanted)(const char *name), PhHostCalls *out);

/* The same of one function. */
void ph_stored_calls_of(PhTraceRun *trace, const char *function, PhHostCalls *out);

#endif
