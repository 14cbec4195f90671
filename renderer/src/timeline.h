/*
 * timeline.h - calls and messages of a window in physical time, a row per location or group of
 * them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TIMELINE_H
#define PH_TIMELINE_H

#include "axis.h"
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
	double bin_width; /* ns within which they were joined */
} PhTimelineLines;

/* A metric over time, a value per bin: below the calls. */
typedef struct PhTimelineStrip
{
	const char *metric, *unit;
	bool accumulated; /* growth per bin */
	uint32_t n;		  /* 0: no strip */
	const double *start, *end, *mean, *min, *max;
} PhTimelineStrip;

#define PH_STRIP 90.0 /* height of a strip */

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
	PhTimelineStrip strip;
	PhCategories categories; /* regions */
} PhTimelinePlot;

/* Sections "window", "rows", "regions", "spans", "messages", "strip". False: nothing to draw. */
bool ph_timeline_read(PhArena *arena, const PhRows *rows, PhPalette palette, PhTimelinePlot *out);

/* Are messages drawn? Not when so many were joined that lines would tell little. */
bool ph_timeline_draws_lines(const PhTimelinePlot *plot);

/* Draws a strip over the times of axis, from top, PH_STRIP high. */
void ph_timeline_strip_draw(PhScene *scene, const PhTimelineStrip *strip, const char *run,
							const PhAxis *times, double top);

void ph_timeline_draw(PhScene *scene, const PhTimelinePlot *plot, PhBody body);

#endif
