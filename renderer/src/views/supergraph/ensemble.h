/*
 * ensemble.h - the runs of an ensemble in its super graph: their names, and guides to its bars.
 *
 * Beside the bars with their gradients (gradient.h), text guides give values and runs; a line marks
 * the bin of a target run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_SUPERGRAPH_ENSEMBLE_H
#define PH_VIEWS_SUPERGRAPH_ENSEMBLE_H

#include "request/rows.h"
#include "views/supergraph/sankey.h"

/* Short names of runs that tell them apart: by ranks, title, commit or number. */
typedef struct PhRunNames
{
	uint32_t n;
	const char **ids, **names;
} PhRunNames;

/* Section "runs". */
PhRunNames ph_run_names(PhArena *arena, const PhViewRows *rows);
/* The name of the run with this id; the id itself when it is not among them. */
const char *ph_run_names_find(const PhRunNames *names, const char *id);

/* Gives every bar of the graph its gradient, from the sections "guides", "spread" and "target". */
void ph_ensemble_read(PhArena *arena, const PhViewRows *rows, const PhRunNames *names,
					  PhSankey *graph);

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
