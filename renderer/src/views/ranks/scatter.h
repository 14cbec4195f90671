/*
 * scatter.h - two costs over columns as points, with the best fit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_RANKS_SCATTER_H
#define PH_VIEWS_RANKS_SCATTER_H

#include "statistics/distribution.h"
#include "views/ranks/columns.h"

typedef struct PhScatterPlot
{
	const PhColumns *columns;
	const double *x, *y;
	const char *what_x, *what_y; /* axis titles without unit */
	const char *unit_x, *unit_y;
	const char *run;
	PhFit fit;
	PhPalette palette;
	uint32_t n_outliers; /* set by drawing */
} PhScatterPlot;

/* Returns how many points were drawn: those that share half a unit of place are one. */
uint32_t ph_scatter_draw(PhScene *scene, PhScatterPlot *plot, PhBody where);

#endif
