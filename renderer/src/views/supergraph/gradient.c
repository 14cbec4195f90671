/*
 * gradient.c - how many runs of an ensemble are where in a bar, as colours from top to bottom.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "views/supergraph/gradient.h"

#include <math.h>

#include "drawing/arena_must.h"

#define STRIP 1.5  /* least height of a strip of one colour */
#define STRIPS 120 /* at most, in one bar */

double
ph_gradient_at(const PhGradient *gradient, double share)
{
	double value = 0;

	/*
	 * linear interpolation between the middles of bins: a bin's count falls to 0 at the neighbours'
	 * middles, and the half bins at both ends have the count of theirs
	 */
	for (uint32_t i = 0; i < gradient->n_guides; i++)
	{
		const PhGuide *guide = &gradient->guides[i];
		double width = guide->end - guide->begin;
		double middle = (guide->begin + guide->end) / 2;
		double low = width / 2;
		double high = 1 - width / 2;
		double at = low < high ? fmin(fmax(share, low), high) : middle;
		double distance = fabs(at - middle) / width;

		if (distance < 1)
			value += guide->count * (1 - distance);
	}
	return value;
}

static bool
same_color(PhColor a, PhColor b)
{
	return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

/*
 * The bar from top to bottom in strips. A strip of another colour than the last one fills all of
 * the rest of the bar and is painted over by the next: strips that only touched would leave seams
 * of background between them when a viewer smooths edges.
 */
void
ph_gradient_draw(PhScene *scene, const PhGradient *gradient, PhPalette palette, double most,
				 PhBody at)
{
	uint32_t n = (uint32_t) fmin(fmax(at.height / STRIP, 1), STRIPS);
	PhColor last = PH_NO_COLOR;

	for (uint32_t i = 0; i < n; i++)
	{
		double runs = ph_gradient_at(gradient, (i + 0.5) / n);
		PhColor color = ph_color_crowd(palette, most > 0 ? runs / most : 0);
		double above = at.height * i / n;

		if (!same_color(color, last))
			ph_scene_rect(scene, at.x, at.y + above, at.width, at.height - above, ph_fill(color));
		last = color;
	}
}

const char *
ph_gradient_tooltip(PhArena *arena, const PhGradient *gradient, const char *unit_name)
{
	const char *text = ph_need_format(arena, "\n%.0f runs have it", gradient->n_present);

	if (!isnan(gradient->sd))
		text = ph_need_format(arena, "%s, standard deviation %s", text,
							  ph_value(arena, unit_name, gradient->sd));
	if (gradient->n_guides > 0)
		text = ph_need_format(
			arena, "%s\nleast %s, greatest %s", text,
			ph_value(arena, unit_name, gradient->guides[0].value),
			ph_value(arena, unit_name, gradient->guides[gradient->n_guides - 1].value));
	if (isnan(gradient->target_value))
		return text;
	text = ph_need_format(arena, "%s\ntarget run %s", text,
						  ph_value(arena, unit_name, gradient->target_value));
	if (!isnan(gradient->target_z))
		text = ph_need_format(arena, "%s, %+.1f standard deviations from the others", text,
							  gradient->target_z);
	return text;
}
