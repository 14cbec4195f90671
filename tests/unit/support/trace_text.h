/*
 * trace_text.h - what a trace source reads of a location, as text: "10+solve 12-" is a call of
 * solve from 10 to 12.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_TRACE_TEXT_H
#define PH_SUPPORT_TRACE_TEXT_H

#include "readers/source.h"
#include "readers/trace_source.h"

/* Caller frees. Fails the test where the location cannot be read, or has not as many events as it
 * declares. */
char *events_of(PhEnv *env, const PhTraceSource *trace, uint32_t location);

/* "2/7@10 -": the first activity was launched by event 7 of location 2, at 10; the second by a call
 * that is not known. Caller frees. */
char *launches_of(PhEnv *env, const PhTraceSource *trace, uint32_t location);

/* Fails the test unless they are these. */
void check_events(PhEnv *env, const PhRunInput *run, uint32_t location, const char *expected);

#endif
