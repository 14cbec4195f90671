/*
 * cct.h - a call tree as boxes whose width, height and colour are numbers (a polymetric view).
 *
 * A box is as wide as the greatest and as high as the least self cost of its node over the columns,
 * on one scale: a square is balanced, a flat one is not. Rows come in pre-order; reading, placing
 * and painting are apart, so that places can be tested.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_CALLS_CCT_H
#define PH_VIEWS_CALLS_CCT_H

#include "drawing/page.h"
#include "request/rows.h"

#define PH_CCT_NO_PARENT UINT32_MAX

typedef struct PhCctNode
{
	const char *node, *name, *module, *worst;
	uint32_t parent; /* index, smaller than the node's own; PH_CCT_NO_PARENT: root */
	uint32_t depth;
	bool is_leaf, matches;
	double min, max, mean, inclusive; /* self cost over columns; inclusive: mean */
	double color;					  /* number that the colour shows; NaN: none */
	double x, y, width, height;		  /* box: upper left corner inside the drawing */
	uint32_t n_others;	/* call paths left out right below it; of others, those it stands for */
	double others_cost; /* their inclusive cost */
	bool is_others;		/* stands for call paths that are left out: side = their cost */
	double angle;		/* of its middle, radial layout */
	double band_y, band_height; /* of its subtree, tree layout */
} PhCctNode;

typedef struct PhCct
{
	uint32_t n, n_levels, n_matches;
	uint32_t n_pruned; /* call paths left out */
	PhCctNode *nodes;  /* pre-order */
	double most;	   /* greatest max */
	double width, height;
	double scale;			   /* picture units per unit of the metric */
	double *column_x;		   /* tree layout: left side of every level */
	double ring;			   /* radial layout: distance of levels */
	double center_x, center_y; /* of the rings */
	bool has_highlights;	   /* a query said which nodes match */
	bool is_one_column;		   /* ratios over ranks can only be the file's own */
} PhCct;

/* What colours show. */
typedef enum PhCctColor
{
	PH_CCT_MAX,
	PH_CCT_MIN,
	PH_CCT_MEAN,
	PH_CCT_IMBALANCE, /* max / mean */
	PH_CCT_INCLUSIVE,
	PH_CCT_MODULE
} PhCctColor;

/* "max", "min", "mean", "exclusive" (mean), "imbalance", "inclusive", "module". */
bool ph_cct_color_parse(const char *name, PhCctColor *out);

/* Sections "tree" and "highlight". other_metric: colours come from the columns color_*. */
void ph_cct_read(PhArena *arena, const PhViewRows *rows, PhCctColor color, bool other_metric,
				 PhCct *out);

/* Leaves out subtrees under this share of the whole, but nothing that a query matches nor what is
 * above that; a node counts what was left out below it. */
void ph_cct_prune(PhArena *arena, PhCct *cct, double share);

/* Adds a child to each node below which so much of the whole was left out: "41 others", a square
 * with their cost on either side, but no larger than a quarter of the largest box. */
void ph_cct_add_others(PhArena *arena, PhCct *cct, double share);

/* From left to right: a column for every level, a band for every subtree, children from top to
 * bottom in their order. wanted_width: to be filled, grows when names need more. fixed: it must
 * not grow for names. */
void ph_cct_place_tree(PhArena *arena, PhCct *cct, double wanted_width, bool fixed);

/* Roots in the middle, a ring for every level, not wider across than most (else
 * everything shrinks); what is empty around is cut off, but names have room. */
void ph_cct_place_radial(PhArena *arena, PhCct *cct, double most);

typedef struct PhCctPaint
{
	PhPalette palette;
	PhCctColor color;
	bool radial;
	double low, high;		/* ends of the colours; low = high: nothing to tell apart */
	uint32_t beyond;		/* nodes above high, where that was found */
	const char *unit_name;	/* of the boxes */
	const char *color_unit; /* of the colours */
	const char *run;
	const char *of; /* "rank", "thread" or "column": what columns are */
	PhCategories categories;
} PhCctPaint;

/* Ends of the colours, those of most nodes, from the data where they are NaN. */
void ph_cct_paint(PhArena *arena, const PhCct *cct, PhCctPaint *paint);

/* Returns how many names had no room. */
uint32_t ph_cct_draw(PhScene *scene, const PhCct *cct, const PhCctPaint *paint, PhBody where);

#endif
