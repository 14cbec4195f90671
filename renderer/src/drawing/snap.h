/*
 * snap.h - rectangles of a scene on device pixels.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_SNAP_H
#define PH_DRAWING_SNAP_H

#include "drawing/scene.h"

/* From where to where a rectangle of plain colour is painted: whole device pixels, at least one, so
 * that no neighbours blend and none is lost. zoom: pixels per unit. False: it has no size. */
typedef struct PhSnapped
{
	double x, y, width, height; /* in pixels */
} PhSnapped;
bool ph_snap(const PhItem *item, double zoom, PhSnapped *out);

#endif
