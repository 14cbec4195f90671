/*
 * box.h - box plots of supernodes over columns, outliers labelled by rank.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_RANKS_BOX_H
#define PH_VIEWS_RANKS_BOX_H

#include "drawing/page.h"
#include "request/rows.h"

#define PH_BOXPLOT_ROW 34.0
/* Room for the axis below the rows. */
#define PH_BOXPLOT_AXIS 40.0

typedef struct PhBoxRow
{
	const char *node, *label;
	double n, min, lower_whisker, lower_quartile, median, upper_quartile, upper_whisker, max, mean;
	double *outliers, *outlier_ranks; /* rank NaN: none */
	uint32_t n_outliers;
} PhBoxRow;

typedef struct PhBoxPlot
{
	PhBoxRow *rows;
	uint32_t n;
	const char *what, *unit_name, *run;
	PhCategories categories;
} PhBoxPlot;

/* Section "boxes". */
void ph_boxplot_read(PhArena *arena, const PhViewRows *rows, PhPalette palette, PhBoxPlot *out);

/* Rows of PH_BOXPLOT_ROW, then the axis. Returns how many outliers have no label. */
uint32_t ph_boxplot_draw(PhScene *scene, const PhBoxPlot *plot, PhBody where);

#endif
