/*
 * row_names.h - names beside rows of processes, of which there may be more than there is room for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_ROW_NAMES_H
#define PH_REQUEST_ROW_NAMES_H

#include "request/rows.h"

/* Name of a row of perfhouse.timeline_rows: "3", "3.1" (a thread), "3: GPU 0 stream 7" (a stream of
 * a device), "0-99" or what it is called. */
const char *ph_location_name(PhArena *arena, const PhTable *rows, uint32_t row);

/* Does the row show one stream of a device? */
bool ph_is_stream_row(const PhTable *rows, uint32_t row);

/* The rows that get a name: one rank in so many, a round number. Where rows are ranks with their
 * threads or streams, ranks come first, and others where they leave room. */
typedef struct PhRowNames
{
	const char *const *names;
	uint32_t ranks_a_row; /* at most */
	double every;
	const bool *shown; /* by row; NULL: those of ranks that every says */
} PhRowNames;

/* For rows of this height, with room for a line of text to each name. */
PhRowNames ph_row_names(PhArena *arena, const char *const *names, uint32_t n, double height);

/* What is written beside the row; NULL: nothing. Rows of several ranks are called by a round one
 * among them. */
const char *ph_row_name(PhArena *arena, const PhRowNames *names, uint32_t row);

#endif
