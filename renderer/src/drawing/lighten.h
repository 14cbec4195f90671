/*
 * lighten.h - pictures that browsers can bear: what a scene has too much of is drawn plainly.
 *
 * A scene whose SVG is larger than a number of bytes keeps its largest marks as they are, each role
 * of them its share. The others lose tooltips, data and texts: they are drawn as bare shapes, all
 * of one colour in one path, cells on whole units as an image. If these are still too many, curves
 * become lines, then shapes of one colour and size that begin in the same cell of a grid are drawn
 * once, the grid as fine as can be: what differs in place, colour or size is never merged, so
 * outliers stay. What even the coarsest grid has no room for is left out, frequent colours and
 * small shapes first.
 *
 * A mark is a group of a role that many groups have, or a shape or text among many directly in one
 * group; a path of many lines is as many marks. Axes, legends and titles are few and stay. Layouts
 * draw everything and need not care.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_LIGHTEN_H
#define PH_DRAWING_LIGHTEN_H

#include "drawing/scene.h"

#define PH_BEARABLE_BYTES ((size_t) 1000000)

/* What became of the marks that are not as they were drawn. */
typedef struct PhLightened
{
	uint32_t plain;	   /* drawn bare */
	uint32_t merged;   /* one with another of their colour */
	uint32_t left_out; /* not drawn, texts included */
} PhLightened;

PhLightened ph_scene_lighten(PhScene *scene, size_t most_bytes);

#endif
