/*
 * axis.c - a linear axis with round ticks and units.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/axis.h"

#include <math.h>

#include "drawing/arena_must.h"
#include "drawing/page.h"

#define TICK_SIZE 10.0
#define TITLE_SIZE 11.0

PhAxis
ph_axis(PhArena *arena, const char *unit_name, double low, double high, double from, double to,
		uint32_t max)
{
	PhAxis axis = {low, high, from, to, {1, ""}, {0, 0, 0, 0}};

	if (!(high > low))
	{
		double margin = low != 0 ? fabs(low) * 0.5 : 0.5;

		axis.low = low - margin;
		axis.high = low + margin;
	}
	axis.unit = ph_unit_choose(arena, unit_name, fmax(fabs(axis.low), fabs(axis.high)));
	axis.ticks = ph_axis_ticks(axis.low * axis.unit.factor, axis.high * axis.unit.factor, max);
	return axis;
}

double
ph_axis_at(const PhAxis *axis, double value)
{
	return axis->from + (value - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

static double
tick_place(const PhAxis *axis, uint32_t i)
{
	return ph_axis_at(axis, ph_tick_at(&axis->ticks, i) / axis->unit.factor);
}

void
ph_axis_draw_bottom(PhScene *scene, const PhAxis *axis, double y, double top, const char *title)
{
	PhTextStyle style = ph_text_style(TICK_SIZE, ph_faint());
	double last_end = -INFINITY;

	style.anchor = PH_MIDDLE;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t i = 0; i < axis->ticks.n; i++)
	{
		double x = tick_place(axis, i);
		const char *text = ph_tick_text(scene->arena, &axis->ticks, i);
		double half = ph_fonts_width(scene->fonts, text, TICK_SIZE, PH_REGULAR) / 2;

		if (top < y)
			ph_scene_line(scene, x, top, x, y, ph_stroke(ph_color_hex(0xe9ecf0), 1));
		ph_scene_line(scene, x, y, x, y + 4, ph_stroke(ph_rule(), 1));
		if (x - half < last_end + 4)
			continue;
		ph_scene_text(scene, x, y + 15, text, style);
		last_end = x + half;
	}
	ph_scene_line(scene, axis->from, y, axis->to, y, ph_stroke(ph_rule(), 1));
	style.size = TITLE_SIZE;
	style.color = ph_ink();
	ph_scene_text_fit(scene, (axis->from + axis->to) / 2, y + 30, axis->to - axis->from, title,
					  style);
	ph_scene_close(scene);
}

void
ph_axis_draw_left(PhScene *scene, const PhAxis *axis, double x, double right, const char *title)
{
	PhTextStyle style = ph_text_style(TICK_SIZE, ph_faint());
	const char *fitted;
	double last_y = INFINITY;

	style.anchor = PH_END;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t i = 0; i < axis->ticks.n; i++)
	{
		double y = tick_place(axis, i);

		ph_scene_line(scene, x, y, right, y, ph_stroke(ph_color_hex(0xe9ecf0), 1));
		if (fabs(last_y - y) < TICK_SIZE + 2)
			continue;
		ph_scene_text(scene, x - 6, y + 3.5, ph_tick_text(scene->arena, &axis->ticks, i), style);
		last_y = y;
	}
	ph_scene_line(scene, x, axis->from, x, axis->to, ph_stroke(ph_rule(), 1));
	style = ph_text_style(TITLE_SIZE, ph_ink());
	style.anchor = PH_MIDDLE;
	style.vertical = true;
	fitted = ph_fonts_fit(scene->fonts, scene->arena, title, TITLE_SIZE, PH_REGULAR,
						  fabs(axis->from - axis->to));
	ph_scene_text(scene, x - 50, (axis->from + axis->to) / 2, fitted ? fitted : "", style);
	ph_scene_close(scene);
}

const char *
ph_axis_title(PhArena *arena, const PhAxis *axis, const char *what)
{
	if (axis->unit.suffix[0] == '\0')
		return what;
	return ph_need_format(arena, "%s [%s]", what, axis->unit.suffix);
}
