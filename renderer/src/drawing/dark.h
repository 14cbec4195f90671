/*
 * dark.h - pictures on a dark ground, by colours that were chosen for it.
 *
 * Colours of palettes come from color.c, which has maps of their own for dark grounds
 * (PH_PALETTE_DARK) and leaves those of functions as they are: a function has one colour
 * everywhere. What layouts name themselves (ink, lines, paper, tints) is named for white paper;
 * here it becomes what does the same on a dark ground. Each colour is changed once: what is_final
 * says stays.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_DARK_H
#define PH_DRAWING_DARK_H

#include "drawing/scene.h"

/* The ground itself, as pages have it. */
PhColor ph_dark_ground(void);

/* Steps back by t of the way to the ground that it was chosen for: white, or the dark one. */
PhColor ph_color_recede(PhColor color, double t);

/* What a colour named for white paper becomes: as a surface, and as letters or lines, which must be
 * read. */
PhColor ph_dark_surface(PhColor color);
PhColor ph_dark_ink(PhColor color);

/* Every item of the scene, and its ground. May be called again, when there are more items. */
void ph_scene_darken(PhScene *scene);

#endif
