/*
 * processes.h - processes as a grid of boxes, and one node of the call tree over all processes.
 *
 * The rows come from the server already joined where several processes share a cell or a place
 * across, so that a picture of 300,000 processes is not larger than one of some thousands.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_RANKS_PROCESSES_H
#define PH_VIEWS_RANKS_PROCESSES_H

#include "drawing/page.h"
#include "drawing/range.h"
#include "request/rows.h"

/* Cells in order; of several processes the least min, the greatest max, the mean of means. */
typedef struct PhProcesses
{
	uint32_t n; /* cells */
	double n_processes;
	double per;									/* processes a cell; the last one may have fewer */
	double *count, *min, *max, *mean, *present; /* min NaN: nothing spent */
	double *rank; /* of the first process, or its iteration; NaN: none */
	const char **first, **last, **worst, **worst_node, **host;
	double greatest_max;
	PhRange widths, heights, colors; /* of max, min and mean, without what is far from the others */
	double low_mean, high_mean;		 /* where colours begin and end */
	bool by_rank, threaded, by_host; /* by_host: or by another group, which has the hosts' place */
	bool by_iteration;				 /* a place is an iteration of all processes */
	const char *order;				 /* what they are ordered by */
} PhProcesses;

/* Sections "grid" and "cells". */
void ph_processes_read(PhArena *arena, const PhViewRows *rows, PhProcesses *out);

/* "ranks", "threads", "iterations" or "columns"; one: "rank" ... */
const char *ph_processes_noun(const PhProcesses *processes, bool one);
/* "rank 3" or "rank 16 to rank 31". */
const char *ph_processes_cell(PhArena *arena, const PhProcesses *processes, uint32_t cell);
/* Room that the labels of the lines need at the left. */
#define PH_PROCESSES_LEFT 64.0

/* Lines of equally large square cells, from the upper left corner; each cell has one box. */
typedef struct PhProcessGrid
{
	uint32_t across, down;
	double side;
} PhProcessGrid;

/* The largest squares of which n fit into width x height, at most most high. */
PhProcessGrid ph_process_grid_fit(uint32_t n, double width, double height, double most);

typedef struct PhProcessesPaint
{
	PhPalette palette;
	const char *unit_name;
	const char *run;
	const char *metric;
} PhProcessesPaint;

/* Boxes whose greatest or mean is far beyond those of the others: they have a colour of their own.
 */
uint32_t ph_processes_beyond(const PhProcesses *processes);

/* Draws the grid of boxes; returns the height taken. */
double ph_processes_draw(PhScene *scene, const PhProcesses *processes,
						 const PhProcessesPaint *paint, PhBody where);
void ph_processes_legend(PhScene *scene, const PhProcesses *processes,
						 const PhProcessesPaint *paint);

/* One node over all processes: a bar per process, or the range of those that share a place. */
typedef struct PhMetricPlot
{
	const PhProcesses *processes;
	PhPalette palette;
	const char *unit_name, *run, *node, *what; /* what: title of the vertical axis */
	double mean;
} PhMetricPlot;

void ph_metric_draw(PhScene *scene, const PhMetricPlot *plot, PhBody where);

#endif
