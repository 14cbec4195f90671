/*
 * histogram.h - distribution over columns with shadow lines from the bins to the rank axis.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_RANKS_HISTOGRAM_H
#define PH_VIEWS_RANKS_HISTOGRAM_H

#include "statistics/distribution.h"
#include "views/ranks/columns.h"

typedef struct PhHistogramPlot
{
	const PhColumns *columns;
	const double *values; /* inclusive or exclusive */
	PhHistogram bins;
	uint32_t *order;  /* place on the axis -> column */
	const char *what; /* of the value axis, without unit */
	const char *unit_name;
	const char *run;
	bool by_host; /* or by another group of ranks, which has the hosts' place */
	const char *ordered_by;
	PhPalette palette;
} PhHistogramPlot;

void ph_histogram_draw(PhScene *scene, const PhHistogramPlot *plot, PhBody where);

#endif
