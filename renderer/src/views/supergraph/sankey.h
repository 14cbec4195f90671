/*
 * sankey.h - a super graph as bars and bands: rows of sankey_layout() to scene.
 *
 * The server gives the positions (docs/design/supergraph.md 9); here they are joined with the other
 * rows of the supernodes and painted: bar height = inclusive; the lower part of a bar's right side
 * that no band leaves = its own cost, hatched where a filter put it there; a histogram of the
 * columns above every bar; names and values in the gap above it, so that they can never overlap.
 * What a filter left out below the supernodes of a layer is a grey bar of the next one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_SUPERGRAPH_SANKEY_H
#define PH_VIEWS_SUPERGRAPH_SANKEY_H

#include "request/noise.h"
#include "request/rows.h"
#include "views/supergraph/gradient.h"

/* Room kept right of the last layer for its names. */
#define PH_SANKEY_RIGHT 120.0

typedef enum PhSankeyColor
{
	PH_BY_MODULE,
	PH_BY_INCLUSIVE,
	PH_BY_EXCLUSIVE,
	PH_BY_IMBALANCE,
	PH_BY_DIFFERENCE,
	PH_BY_CROWD /* how many runs of an ensemble are where in the bar */
} PhSankeyColor;

/* "module", "inclusive", "exclusive", "imbalance", "difference". */
bool ph_sankey_color_parse(const char *name, PhSankeyColor *out);

typedef struct PhSankeyBar
{
	const char *node;
	const char *label; /* group, decides the colour by module */
	uint32_t
		n_others; /* call paths that a filter left out, of which it is the sum; 0: a supernode */
	uint32_t level;
	double x, y, width, height;
	double value;	 /* inclusive */
	double own;		 /* exclusive + absorbed + residual */
	double absorbed; /* part of own that a filter put there */
	double exclusive, residual, imbalance;
	double members, entries;
	double *counts; /* of the histogram over columns */
	uint32_t n_counts;
	double difference;			/* against the other graph; NaN: none */
	bool is_noise;				/* the difference is no more than known noise */
	double more, less;			/* of others: both signs of theirs; NaN: none */
	const PhGradient *gradient; /* of an ensemble; NULL: none */
	const char *status;			/* "both", "only in A", ... ; NULL: not compared */
	const char *tooltip_tail;
} PhSankeyBar;

typedef struct PhSankeyPiece
{
	double x0, y0, x1, y1;
} PhSankeyPiece;

typedef struct PhSankeyBand
{
	const char *source; /* NULL: several share it */
	const char *target;
	const PhSankeyBar *bar; /* of the target; NULL: not drawn */
	double thickness, value;
	PhSankeyPiece *pieces; /* left to right */
	uint32_t n_pieces;
	size_t capacity;
} PhSankeyBand;

typedef struct PhSankey
{
	double width, height, scale; /* of the layout; scale in picture units per unit of the metric */
	double total;				 /* inclusive of all roots */
	uint32_t n_bars;
	PhSankeyBar *bars; /* by (level, from the top) */
	uint32_t n_bands;
	PhSankeyBand *bands; /* thickest first */
	PhBody *blocked;	 /* room that edges over several layers take */
	uint32_t n_blocked;
	uint32_t n_thin; /* pieces of bands that were left out, under this thickness */
	double thinnest;
} PhSankey;

/* Sections layout, supernodes, histograms, entries and callers, each with suffix ("" or "_b"). */
void ph_sankey_read(PhArena *arena, const PhViewRows *rows, const char *suffix,
					const char *unit_name, PhSankey *out);

/* NULL when there is no such bar. */
PhSankeyBar *ph_sankey_find(const PhSankey *graph, const char *node);

/* Sets difference and status of all bars of both: b - a of the exclusive or inclusive. */
void ph_sankey_compare(PhSankey *a, PhSankey *b, bool inclusive, const PhNoiseRows *noise);

typedef struct PhSankeyPaint
{
	PhSankeyColor color;
	PhPalette palette;
	bool inclusive;		/* differences are of the inclusive, not the exclusive */
	bool united;		/* one graph of A and B: values are the means of both */
	uint32_t n_runs;	/* of an ensemble */
	const char *versus; /* what a difference is between; NULL: "B - A" */
	const char *unit_name;
	const char *run; /* for data-run */
	double high;	 /* end of the colour scale: largest value, ratio or |difference| */
	PhCategories categories;
} PhSankeyPaint;

/* Free width from a bar's left side to the next layer, or back to the one before. */
double ph_sankey_room_right(const PhSankey *graph, const PhSankeyBar *bar, double end);
double ph_sankey_room_left(const PhSankey *graph, const PhSankeyBar *bar, double begin);

/* Completes colour scale and categories of paint from all graphs of the picture. */
void ph_sankey_paint(PhArena *arena, const PhSankey *const *graphs, uint32_t n,
					 PhSankeyPaint *paint);

/* What could not be shown; to be said in the caption. */
typedef struct PhSankeyHidden
{
	uint32_t labels;	 /* bars without a name */
	uint32_t histograms; /* bars without room for their histogram */
	uint32_t thin;		 /* bars under one picture unit, drawn with one */
	bool joined;		 /* bands of several edges are one */
	uint32_t n_others;	 /* call paths that the filter left out, drawn as sums of layers */
} PhSankeyHidden;

/* Paints the graph with its upper left corner at (where.x, where.y); where.width includes the room
 * for the last layer's names. */
void ph_sankey_draw(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint, PhBody where,
					PhSankeyHidden *hidden);

/* Adds what was left out to the caption. */
void ph_sankey_note_hidden(PhArena *arena, PhPage *page, const PhSankeyHidden *hidden);

/* Did a filter put cost into any bar? */
bool ph_sankey_has_absorbed(const PhSankey *graph);

/* The outline of a bar that only one side has: dashed of A, solid of B. */
void ph_sankey_mark_lonely(PhScene *scene, const char *status, PhBody at);

typedef struct PhSpan
{
	double from, to;
} PhSpan;

/* The legend strip: colours at the left, keys and scale of heights at the right. Returns what is
 * free between them. */
PhSpan ph_sankey_legend(PhScene *scene, const PhSankeyPaint *paint, double scale, bool absorbed);

#endif
