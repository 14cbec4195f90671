/*
 * ensemble.h - the runs of an ensemble inside the bars of its super graph.
 *
 * A bar's height stands for the range from the least (top) to the greatest (bottom) value of the
 * runs that have the supernode; the colour says how many runs there are where, on one scale for all
 * bars (docs/design/supergraph.md 5). Beside the bars, text guides give values and runs; a line
 * marks the bin of a target run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_SUPERGRAPH_ENSEMBLE_H
#define PH_VIEWS_SUPERGRAPH_ENSEMBLE_H

#include "views/supergraph/sankey.h"

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

/* Short names of runs that tell them apart: by ranks, title, commit or number. */
typedef struct PhRunNames
{
	uint32_t n;
	const char **ids, **names;
} PhRunNames;

/* Section "runs". */
PhRunNames ph_run_names(PhArena *arena, const PhRows *rows);
/* The name of the run with this id; the id itself when it is not among them. */
const char *ph_run_names_find(const PhRunNames *names, const char *id);

/* Gives every bar of the graph its gradient, from the sections "guides", "spread" and "target". */
void ph_ensemble_read(PhArena *arena, const PhRows *rows, const PhRunNames *names, PhSankey *graph);

/* Runs at a share of the height: linear between the middles of bins of equal width. */
double ph_gradient_at(const PhGradient *gradient, double share);

void ph_gradient_draw(PhScene *scene, const PhGradient *gradient, const PhSankeyPaint *paint,
					  PhBody at);

/* Lines for a bar's tooltip, each beginning with a newline. */
const char *ph_gradient_tooltip(PhArena *arena, const PhGradient *gradient, const char *unit_name);

typedef enum PhGuideTexts
{
	PH_GUIDES_NONE,
	PH_GUIDES_SUMMARY, /* values at the right, counts at the left */
	PH_GUIDES_DETAILED /* names of runs instead of counts */
} PhGuideTexts;

/* Room for guides left of the first layer. */
#define PH_GUIDES_LEFT 92.0

/* Paints the guides of all bars over the graph drawn at where; texts that would touch others are
 * left out. Returns how many. */
uint32_t ph_guides_draw(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint,
						PhBody where, PhGuideTexts texts);

#endif
