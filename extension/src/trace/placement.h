/*
 * placement.h - which locations a timeline shows, and in which rows.
 *
 * Locations come by number, and as many as rows allow share one. Threads and streams of devices,
 * whose numbers are behind those of all threads, do not; a row of streams is shown below the last
 * row that has a thread of the rank of its first stream.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_PLACEMENT_H
#define PH_TRACE_PLACEMENT_H

#include "postgres.h"

#include "trace/tables.h"

typedef struct PhTimelineRows
{
	uint32 n_shown;
	uint32 *shown;	  /* location ids, ascending */
	uint32 *place_of; /* position in shown, by location; PH_NONE: not shown */
	uint32 n_rows;
	uint32 *first;	/* by row in order of locations: its first place; n_rows + 1 */
	uint32 *number; /* by row in order of locations: the row as shown */
	uint32 *order;	/* by row as shown: the row in order of locations */
	bool is_shared; /* some row has more than one location */
} PhTimelineRows;

/* wanted: by location; NULL: all. max_rows: at least 1. In the trace's memory. */
PhTimelineRows ph_place_locations(PhTraceRun *trace, const bool *wanted, uint32 max_rows);

/* The row of a place, in order of locations. */
uint32 ph_row_of_place(const PhTimelineRows *placement, uint32 place);

#endif
