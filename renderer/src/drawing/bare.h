/*
 * bare.h - shapes without anything else: outlines in few bytes, merged where they look the same.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_BARE_H
#define PH_DRAWING_BARE_H

#include "drawing/scene.h"

typedef struct PhBare
{
	PhStyle style;
	bool is_crisp; /* a rectangle of plain colour: it stands on whole units */
	PhPathStep *steps;
	uint32_t n_steps;
	double x, y, width, height; /* its box */
	double area;
	size_t bytes;
	uint32_t place; /* in the order of drawing */
} PhBare;

/* Is it a shape that is seen? */
bool ph_bare_is_shape(const PhItem *item);

/* Is it a rectangle of plain colour, which stands on whole units? */
bool ph_bare_is_cell(const PhItem *item);

/* What a shape covers; 0 for everything else. */
double ph_bare_area(const PhItem *item);

/* The shape of an item: coordinates become whole or half units. */
void ph_bare_make(PhArena *arena, const PhItem *item, PhBare *out);

/* Curves become lines. */
void ph_bare_straighten(PhBare *shapes, uint32_t n);

/* Of those that have one colour (of 4096, with a grid), begin in one cell of a grid and are as
 * large in cells the largest stays; grid 0: of equal ones one. Returns how many are left, in the
 * order of their styles. */
uint32_t ph_bare_merge(PhArena *arena, PhBare *shapes, uint32_t n, double grid);

/* Leaves so many that they take at most so many bytes: rare colours and large shapes first. */
uint32_t ph_bare_cut(PhArena *arena, PhBare *shapes, uint32_t n, size_t bytes);

/* About how many bytes they take as SVG. */
size_t ph_bare_bytes(const PhBare *shapes, uint32_t n);

/* Draws those from `from` on that have one style as one path; returns the first of another. */
uint32_t ph_bare_draw(PhScene *scene, const PhBare *shapes, uint32_t from, uint32_t n);

#endif
