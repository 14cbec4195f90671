/*
 * axis.h - a linear axis with round ticks and units.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_AXIS_H
#define PH_DRAWING_AXIS_H

#include "drawing/number.h"
#include "drawing/scene.h"

typedef struct PhAxis
{
	double low, high; /* values at the ends */
	double from, to;  /* their places */
	PhUnit unit;
	PhAxisTicks ticks; /* in shown units */
} PhAxis;

/* from low to high, widened when they are equal; at most max ticks. */
PhAxis ph_axis(PhArena *arena, const char *unit_name, double low, double high, double from,
			   double to, uint32_t max);

/* Place of a value. */
double ph_axis_at(const PhAxis *axis, double value);

/* Below the plot at y; grid lines go up to top (pass y for none). Takes 34 units below y. */
void ph_axis_draw_bottom(PhScene *scene, const PhAxis *axis, double y, double top,
						 const char *title);
/* Left of the plot at x; grid lines go to right. Takes 60 units left of x. */
void ph_axis_draw_left(PhScene *scene, const PhAxis *axis, double x, double right,
					   const char *title);

/* "inclusive CPUTIME [s]". */
const char *ph_axis_title(PhArena *arena, const PhAxis *axis, const char *what);

#endif
