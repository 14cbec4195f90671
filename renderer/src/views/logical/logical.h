/*
 * logical.h - communication events in logical time: columns of steps, rows of processes,
 * colours of a metric.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_LOGICAL_LOGICAL_H
#define PH_VIEWS_LOGICAL_LOGICAL_H

#include "drawing/page.h"
#include "request/options.h"
#include "request/rows.h"

/* ---- metrics ---- */

typedef enum PhStepMetricKind
{
	PH_METRIC_TIME_SPAN,  /* ns from 0 */
	PH_METRIC_TIME_POINT, /* ns since the first event */
	PH_METRIC_PHASE,	  /* a number that only tells apart */
	PH_METRIC_COUNTER	  /* in a unit of its own, of either sign */
} PhStepMetricKind;

typedef struct PhStepMetric
{
	const char *name;	/* as --color takes it */
	const char *column; /* as the server calls it */
	const char *title;	/* "lateness within phases" */
	const char *meaning;
	PhStepMetricKind kind;
} PhStepMetric;

/* The one of --color or, when that is not given, of --metric; lateness by default. */
const PhStepMetric *ph_step_metric(const PhOptions *options);
/* The one that the rows have, which for tasks may be another: they have no lateness. */
const PhStepMetric *ph_step_metric_of_rows(const PhOptions *options, const PhViewRows *rows);

/* Values to colours. */
typedef struct PhStepColors
{
	const PhStepMetric *metric;
	PhPalette palette;
	const char *unit;
	double low, high;
	const double *column_high; /* by column: ranges of their own; NULL: one range */
	bool found;				   /* any value at all */
	uint32_t beyond;		   /* values above high */
	double most;			   /* the greatest of them */
	bool mark_beyond;		   /* they have a colour of their own: high was not asked for */
} PhStepColors;

/* Finds the range from --range and the values, of most of them at first unless single ones count
 * (clusters are few); columns may be NULL when n_columns is 0. */
PhStepColors ph_step_colors(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
							const double *values, const uint32_t *columns, uint32_t n,
							uint32_t n_columns, bool single_count);
PhColor ph_step_color(const PhStepColors *colors, uint32_t column, double value);
/* "1.2 ms", "phase 3". */
const char *ph_step_value(PhArena *arena, const PhStepColors *colors, double value);
/* The colour of phases: neighbours differ. */
PhColor ph_phase_color(PhPalette palette, uint32_t phase);
/* Returns the x where it ends. */
double ph_step_legend(PhScene *scene, const PhStepColors *colors);
/* Says in the caption what the colours mean. */
void ph_step_note(PhArena *arena, PhPage *page, const PhStepColors *colors);

/* ---- columns ---- */

typedef struct PhStepAxis
{
	int32_t first, end; /* steps [first, end) */
	uint32_t stride;	/* of steps with events */
	bool between;		/* the time before events has columns, too */
	uint32_t columns;
	uint32_t columns_a_cell;
	double x, column_width; /* set by the layout */
} PhStepAxis;

/* Section "axis". False: it is missing or empty. */
bool ph_step_axis_read(const PhViewRows *rows, PhStepAxis *out);
#define PH_MOST_COLUMN 160.0 /* width of a column */
/* Gives the columns their width, so that they fill the room to the right of x. */
void ph_step_axis_place(PhStepAxis *axis, double x, double room);
/* Left end and width of a cell, which is a column or several. */
double ph_step_axis_cell(const PhStepAxis *axis, double cell);
double ph_step_axis_cell_width(const PhStepAxis *axis);
/* Middle of the column of a step. */
double ph_step_axis_at(const PhStepAxis *axis, double step);
/* Numbers of steps below y; takes 34 units. */
void ph_step_axis_draw(PhScene *scene, const PhStepAxis *axis, double y);

/* ---- phases ---- */

typedef struct PhPhases
{
	uint32_t n;
	const double *phase, *first_step, *last_step, *n_events;
	const double *inferred; /* 1: dependencies that nothing recorded made it */
	const char **regions, **pattern;
	uint32_t *lane; /* of the strip: phases at the same time are below each other */
	uint32_t n_lanes;
} PhPhases;

#define PH_PHASE_LANE 15.0 /* height of a lane of the strip */

void ph_phases_read(PhArena *arena, const PhViewRows *rows, PhPhases *out);
/* Height of the strip; 0: it would be too high or too fine to read. */
double ph_phases_height(const PhPhases *phases, const PhStepAxis *axis);
void ph_phases_draw(PhScene *scene, const PhPhases *phases, const PhStepAxis *axis, double y,
					PhPalette palette, const char *run);

/* ---- rows and cells ---- */

/* Events of a row, by column; NaN where a value is not known. Kind, region and what follows them
 * are NULL when cells are several events. */
typedef struct PhLogicalLane
{
	uint32_t row, n;
	const double *column, *count, *value, *rank, *step, *phase;
	const char **kind, **region;
	const double *enter, *leave, *peers, *messages, *earliest, *aggregate;
	const double *idle; /* ns experienced; NULL: none in this row */
} PhLogicalLane;

typedef struct PhLogicalLines
{
	uint32_t n;
	const double *from_row, *to_row, *send_step, *receive_step, *bytes;
} PhLogicalLines;

typedef struct PhLogicalPlot
{
	const char *run;
	PhStepAxis axis;
	PhPhases phases;
	bool tasks;		/* rows are chares, steps those of tasks */
	bool reordered; /* events within phases are in order of causes */
	uint32_t n_rows;
	uint32_t n_runtime; /* of them: the last ones, of the run time */
	const char **row_names;
	const char **labels;	 /* what rows are ordered by: planes, boundaries, hosts; NULL: ranks */
	const char *order;		 /* what labels are */
	uint32_t most_locations; /* in a row */
	double row_height;		 /* on average; set by the layout */
	uint32_t n_lanes;
	PhLogicalLane *lanes;
	PhLogicalLines lines;
	double most_lines; /* more messages are not drawn; NaN: any number is */
	PhStepColors colors;
	double *top, *height; /* of rows; set by the layout */
} PhLogicalPlot;

/* Sections "axis", "rows", "phases", "cells", "messages". False: nothing to draw. */
bool ph_logical_read(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
					 PhLogicalPlot *out);
/* The same without a range of colours; rows and cells may be missing. */
bool ph_logical_read_rows(PhArena *arena, const PhViewRows *rows, PhLogicalPlot *out);
/* Why message lines are not drawn; NULL: they are, or there are none. */
const char *ph_logical_lines_problem(const PhLogicalPlot *plot);
/* Boxes of all rows, and the lines between them; the layout has set axis, top and height. */
void ph_logical_draw_cells(PhScene *scene, const PhLogicalPlot *plot);
void ph_logical_draw_lines(PhScene *scene, const PhLogicalPlot *plot);
double ph_logical_middle(const PhLogicalPlot *plot, double row);
/* Height that suits the rows. */
double ph_logical_height(const PhLogicalPlot *plot, double most);
void ph_logical_draw(PhScene *scene, PhLogicalPlot *plot, PhBody body);

/* What was odd in the trace's logical structure, and its mode, from the section "logical". */
void ph_logical_notes(PhArena *arena, const PhViewRows *rows, PhPage *page);
/*
 * How much of it rests on collectives that were inferred, or could not be, from the row of
 * perfhouse.logical in a section; where: " in A", or "" for the only trace.
 */
void ph_logical_note_inferred(PhArena *arena, const PhViewRows *rows, const char *section,
							  const char *where, PhPage *page);

#endif
