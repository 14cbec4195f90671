/*
 * snap.c - rectangles of a scene on device pixels.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/snap.h"

#include <math.h>

static double
snap_size(double from, double size, double zoom)
{
	return fmax(round((from + size) * zoom) - round(from * zoom), 1);
}

bool
ph_snap(const PhItem *item, double zoom, PhSnapped *out)
{
	if (!(item->width > 0 && item->height > 0))
		return false;
	*out =
		(PhSnapped){round(item->x * zoom), round(item->y * zoom),
					snap_size(item->x, item->width, zoom), snap_size(item->y, item->height, zoom)};
	return true;
}
