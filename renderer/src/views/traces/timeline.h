/*
 * timeline.h - calls and messages of a window in physical time, a row per location or group of
 * them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_TRACES_TIMELINE_H
#define PH_VIEWS_TRACES_TIMELINE_H

#include "drawing/axis.h"
#include "request/rows.h"
#include "views/logical/logical.h"

/* Spans of one row and depth: bins [bin[i], bin[i] + n_bins[i]) in ascending order. */
typedef struct PhTimelineLane
{
	uint32_t row, depth;
	uint32_t n;
	const double *bin, *n_bins, *share, *calls;
	const char **region;
	/* of deviants only, else NULL: whose calls they are, how far it is from its row, in which bins
	 */
	const double *rank, *distance, *first_bin, *last_bin;
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

/* Communication calls, coloured by a metric of logical time. */
typedef struct PhTimelineSteps
{
	uint32_t n; /* 0: calls have colours of their own */
	const double *row, *bin, *n_bins, *value, *rank, *step, *phase;
	PhStepColors colors;
} PhTimelineSteps;

#define PH_STRIP 90.0 /* height of a strip */

typedef struct PhTimelinePlot
{
	const char *run;
	double from, to; /* ns */
	uint32_t n_bins;
	uint32_t n_rows;
	const char **row_names;
	double name_width;	   /* room for them */
	const double *sizes;   /* locations of each row */
	double most_locations; /* in a row */
	const char *unit_name; /* of what has a row: "rank" */
	uint32_t n_lanes;
	const PhTimelineLane *lanes; /* by depth, then row */
	uint32_t n_deviants;
	const PhTimelineLane *deviants; /* of the location of each row that is least like the rest */
	PhTimelineLines lines, launches;
	PhTimelineStrip strip;
	PhTimelineSteps steps;
	PhCategories categories; /* regions */
} PhTimelinePlot;

/* Sections "window", "rows", "regions", "spans", "deviants", "messages", "launches", "strip",
 * "strip_bins".
 * False: nothing to draw. */
bool ph_timeline_read(PhArena *arena, const PhViewRows *rows, PhPalette palette,
					  PhTimelinePlot *out);

/* Section "steps", after ph_timeline_read. */
void ph_timeline_steps_read(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
							PhTimelinePlot *plot);
/* Where calls of a plot are, for ph_timeline_steps_draw. */
typedef struct PhTimelinePlace
{
	double left, unit; /* x of bin 0, width of a bin */
	double top, row_height;
} PhTimelinePlace;
void ph_timeline_steps_draw(PhScene *scene, const PhTimelinePlot *plot, PhTimelinePlace place);

/* Are messages drawn? Not when bins stand for more than one after another: where the lines of a
 * regular exchange are no longer apart, what they show is how its period beats with the bins. */
bool ph_timeline_draws_lines(PhArena *arena, const PhTimelinePlot *plot);

/* Are launches drawn? Where there are few, and one pixel row is not several streams. */
bool ph_timeline_draws_launches(const PhTimelinePlot *plot);

/* Draws a strip over the times of axis, from top, PH_STRIP high. */
void ph_timeline_strip_draw(PhScene *scene, const PhTimelineStrip *strip, const char *run,
							const PhAxis *times, double top);

void ph_timeline_draw(PhScene *scene, const PhTimelinePlot *plot, PhBody body);

#endif
