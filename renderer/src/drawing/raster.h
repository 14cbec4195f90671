/*
 * raster.h - cells without number as one image: what stands on whole units loses nothing by it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_RASTER_H
#define PH_DRAWING_RASTER_H

#include "drawing/bare.h"

/* Paints the crisp ones of these shapes, in the order given, a pixel a unit, and adds
 * them to the scene as an image of at most so many bytes of SVG. False: it would take more, even in
 * fewer colours; nothing is drawn. *bytes: what it takes. */
bool ph_raster_draw(PhScene *scene, const PhBare *shapes, uint32_t n, size_t most, size_t *bytes);

#endif
