/*
 * tables.h - the definitions of a stored trace into the core's model.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TABLES_H
#define PH_TRACE_TABLES_H

#include "trace/reader.h"

/*
 * Under SPI_connect: the trace's row and locations, and what parts name, of a run that is ready or
 * in any state. PH002, PH001.
 */
void ph_trace_tables_read(PhTraceRun *trace, uint32 parts, bool in_any_state);

#endif
