/*
 * gradient.h - the runs of an ensemble inside a bar of its super graph.
 *
 * A bar's height stands for the range from the least (top) to the greatest (bottom) value of the
 * runs that have the supernode; the colour says how many runs there are where, on one scale for all
 * bars (docs/design/supergraph.md 5).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_SUPERGRAPH_GRADIENT_H
#define PH_VIEWS_SUPERGRAPH_GRADIENT_H

#include "drawing/page.h"

/* A bin with runs in it. */
typedef struct PhGuide
{
	double begin, end; /* shares of the bar's height, from the top */
	double count, value;
	const char *mark;  /* "min", "max", "only" or NULL */
	const char **runs; /* their names */
	uint32_t n_runs;
} PhGuide;

typedef struct PhGradient
{
	PhGuide *guides; /* by bin */
	uint32_t n_guides;
	size_t capacity;
	double most;				/* runs in the fullest bin */
	double n_present, mean, sd; /* runs that have the supernode; over all runs; over those */
	double target;				/* share of the height, from the top; NaN: no target run */
	double target_value, target_z, target_rank;
} PhGradient;

/* Runs at a share of the height: linear between the middles of bins of equal width. */
double ph_gradient_at(const PhGradient *gradient, double share);

/* most: runs at the end of the colour scale. */
void ph_gradient_draw(PhScene *scene, const PhGradient *gradient, PhPalette palette, double most,
					  PhBody at);

/* Lines for a bar's tooltip, each beginning with a newline. */
const char *ph_gradient_tooltip(PhArena *arena, const PhGradient *gradient, const char *unit_name);

#endif
