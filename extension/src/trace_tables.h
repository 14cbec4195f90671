/*
 * trace_tables.h - the definitions of a stored trace into the core's model.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TABLES_H
#define PH_TRACE_TABLES_H

#include "trace_reader.h"

/* Under SPI_connect: the trace's row and locations, and what parts name. PH002, PH001. */
void ph_trace_tables_read(PhTraceRun *trace, uint32 parts);

#endif
