/*
 * flame.h - flame graphs: a call tree as stacked boxes, width = cost.
 *
 * Rows come depth-first from flame() or flame_diff(). Roots are at the bottom (flame) or on top
 * (icicle). Boxes under 0.3 picture units come added up, one "n others" for each box under them;
 * what is still narrower is left out and counted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_CALLS_FLAME_H
#define PH_VIEWS_CALLS_FLAME_H

#include "drawing/page.h"
#include "request/noise.h"
#include "request/rows.h"

#define PH_FLAME_MIN_WIDTH 0.3

typedef struct PhFlameBox
{
	const char *label, *module, *node;
	uint32_t level;
	uint32_t n_others;				  /* call paths that it is the sum of; 0: it is one */
	double value, self;				  /* of what is drawn: B in differences */
	double value_before, self_before; /* A; NaN when there is no other run */
	double more, less;				  /* of others of a difference: both signs of the self cost */
	double x, width;				  /* share of the whole, 0 .. 1 */
	bool is_noise;					  /* its change is no more than known noise */
} PhFlameBox;

typedef struct PhFlame
{
	uint32_t n;
	uint32_t n_paths; /* that the boxes stand for */
	PhFlameBox *boxes;
	uint32_t n_levels;
	double total;
	bool differential, has_modules;
} PhFlame;

/* Section "flame" with columns level, label, value, self, node, module, and value_right,
 * self_right of a difference, others where a row is a sum, and more and less of that. */
void ph_flame_read(PhArena *arena, const PhViewRows *rows, PhFlame *out);

typedef struct PhFlamePaint
{
	PhPalette palette;
	bool by_exclusive; /* colour by self cost instead of module (or name) */
	bool by_inclusive; /* differences: change of the inclusive instead of the self cost */
	bool root_on_top;
	const char *unit_name;
	const char *run;
	PhNoiseRows noise;
	double high; /* end of the colour scale */
	PhCategories categories;
} PhFlamePaint;

/* Completes colours and scale, and tells which changes are no more than noise. */
void ph_flame_paint(PhArena *arena, PhFlame *flame, PhFlamePaint *paint);

typedef struct PhFlameHidden
{
	uint32_t narrow;  /* call paths under the least width */
	uint32_t summed;  /* drawn as "n others" */
	double cost;	  /* inclusive of the topmost of the narrow ones */
	uint32_t deep;	  /* boxes below the deepest level drawn */
	uint32_t gone;	  /* boxes only A has: width 0 */
	double gone_cost; /* their self cost */
} PhFlameHidden;

/* Levels down to the deepest box that is drawn when the whole is this wide. */
uint32_t ph_flame_visible_levels(const PhFlame *flame, double width);

/* n_levels rows of row_height from the top of where. */
void ph_flame_draw(PhScene *scene, const PhFlame *flame, const PhFlamePaint *paint, PhBody where,
				   double row_height, uint32_t n_levels, PhFlameHidden *hidden);

void ph_flame_legend(PhScene *scene, const PhFlame *flame, const PhFlamePaint *paint);

#endif
