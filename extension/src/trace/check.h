/*
 * check.h - is the stored trace of a run sound?
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHECK_H
#define PH_TRACE_CHECK_H

#include "postgres.h"

/* What is wrong, NULL where nothing is. */
typedef struct PhTraceFindings
{
	bool is_dropped; /* its events: there is nothing else to check, nor about logical time */
	char *chunks;	 /* they do not follow each other, or are not what the trace's row counts */
	char *events;	 /* bytes that are no events, or events of what the trace does not have */
	char *links;	 /* links for other messages than there are, or than the trace's row counts */
} PhTraceFindings;

/* Under SPI_connect: has the run, in whatever state, a trace or anything of one? */
bool ph_run_has_trace(int64 run_id);

/* Under SPI_connect: decode every chunk, one at a time. Texts are in the current context. */
PhTraceFindings ph_check_trace(int64 run_id);

#endif
