/*
 * timeline.h - calls and messages of a window in physical time, a row per location or group of
 * them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TIMELINE_H
#define PH_TIMELINE_H

#include "page.h"

/* Spans of one row and depth: bins [bin[i], bin[i] + n_bins[i]) in ascending order. */
typedef struct PhTimelineLane
{
	uint32_t row, depth;
	uint32_t n;
	const double *bin, *n_bins, *share, *calls;
	const char **region;
} PhTimelineLane;

typedef struct PhTimelineLines
{
	uint32_t n;
	const double *from_row, *to_row, *send, *receive, *messages, *bytes;
} PhTimelineLines;

typedef struct PhTimelinePlot
{
	const char *run;
	double from, to; /* ns */
	uint32_t n_bins;
	uint32_t n_rows;
	const char **row_names;
	uint32_t n_lanes;
	const PhTimelineLane *lanes; /* by depth, then row */
	PhTimelineLines lines;
	PhCategories categories; /* regions */
} PhTimelinePlot;

/* Sections "window", "rows", "regions", "spans", "messages". False: nothing to draw. */
bool ph_timeline_read(PhArena *arena, const PhRows *rows, PhPalette palette, PhTimelinePlot *out);

void ph_timeline_draw(PhScene *scene, const PhTimelinePlot *plot, PhBody body);

#endif
