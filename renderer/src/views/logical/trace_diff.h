/*
 * trace_diff.h - two traces aligned by logical structure: what changed at every step.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_LOGICAL_TRACE_DIFF_H
#define PH_VIEWS_LOGICAL_TRACE_DIFF_H

#include "request/rows.h"
#include "views/logical/logical.h"

typedef struct PhDiffBars
{
	uint32_t n;
	const double *column, *step_a, *step_b, *phase_a, *phase_b, *only_a, *only_b;
	const double *lateness, *duration, *messages, *rank;
	const char **region;
} PhDiffBars;

/* Changes of a row of ranks or chares. */
typedef struct PhDiffLane
{
	uint32_t row, n;
	const double *column, *count, *value, *rank, *step_a, *step_b;
	const char **name; /* of chares; NULL: ranks */
} PhDiffLane;

typedef struct PhTraceDiffPlot
{
	const char *run_a, *run_b;
	PhPalette palette;
	bool tasks;		 /* on either side: no lateness, durations of shares of blocks */
	PhStepAxis axis; /* columns, not steps */
	PhPhases phases;
	PhDiffBars bars;
	uint32_t n_rows; /* 0: ranks cannot be compared one by one */
	const char **row_names;
	uint32_t n_lanes;
	PhDiffLane *lanes;
	uint32_t beyond; /* cells with greater changes than the range of colours has */
	double most;	 /* change, either way, of lateness; with tasks of duration */
} PhTraceDiffPlot;

bool ph_trace_diff_read(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
						PhTraceDiffPlot *out);
/* Height that suits the contents. */
double ph_trace_diff_height(const PhTraceDiffPlot *plot, double most);
void ph_trace_diff_draw(PhScene *scene, PhTraceDiffPlot *plot, PhBody body);

#endif
