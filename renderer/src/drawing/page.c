/*
 * page.c - what every picture has around its body: title, run identity, legend, trust caption.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/page.h"

#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"

#define TITLE_SIZE 18.0
#define IDENTITY_SIZE 11.5
#define CAPTION_SIZE 10.0
#define CAPTION_LINE 14.0
#define CAPTION_LINES 2 /* reserved */
#define LEGEND_TOP 70.0 /* top of the legend strip */
#define HEAD 112.0		/* everything above the body */
#define FOOT (12.0 + CAPTION_LINES * CAPTION_LINE + 14.0)
#define LEGEND_SIZE 10.5
#define SWATCH 11.0

PhColor
ph_ink(void)
{
	return ph_color_hex(0x1c2430);
}

PhColor
ph_faint(void)
{
	return ph_color_hex(0x5b6675);
}

PhColor
ph_rule(void)
{
	return ph_color_hex(0xc9ced6);
}

PhBody
ph_page_body(double width, double height)
{
	return (PhBody){PH_MARGIN, HEAD, fmax(width - 2 * PH_MARGIN, 50),
					fmax(height - HEAD - FOOT, 50)};
}

void
ph_page_note(PhArena *arena, PhPage *page, const char *note)
{
	page->notes =
		ph_need_room(arena, page->notes, page->n_notes, &page->note_capacity, sizeof(char *));
	page->notes[page->n_notes++] = note;
}

static void
draw_caption(PhScene *scene, const PhPage *page, double body_bottom)
{
	const char *text = page->caption ? page->caption : "";
	double y = body_bottom + 12 + CAPTION_LINE;
	uint32_t n_lines;
	const char **lines;

	for (uint32_t i = 0; i < page->n_notes; i++)
		text =
			ph_need_format(scene->arena, "%s%s%s", text, *text ? " \xc2\xb7 " : "", page->notes[i]);
	lines = ph_fonts_wrap(scene->fonts, scene->arena, ph_text_clean(scene->arena, text),
						  CAPTION_SIZE, scene->width - 2 * PH_MARGIN, &n_lines);
	ph_scene_open(scene, "caption", NULL);
	ph_scene_line(scene, PH_MARGIN, body_bottom + 12, scene->width - PH_MARGIN, body_bottom + 12,
				  ph_stroke(ph_color_hex(0xe3e6ea), 1));
	for (uint32_t i = 0; i < n_lines; i++)
		ph_scene_text(scene, PH_MARGIN, y + i * CAPTION_LINE, lines[i],
					  ph_text_style(CAPTION_SIZE, ph_faint()));
	ph_scene_close(scene);
	scene->height = body_bottom + FOOT;
	if (n_lines > CAPTION_LINES)
		scene->height += (n_lines - CAPTION_LINES) * CAPTION_LINE;
}

void
ph_page_draw(PhScene *scene, const PhPage *page, double body_bottom)
{
	double room = scene->width - 2 * PH_MARGIN;
	PhTextStyle title = ph_text_style(TITLE_SIZE, ph_ink());

	title.weight = PH_BOLD;
	ph_scene_open(scene, "title", NULL);
	ph_scene_text_fit(scene, PH_MARGIN, 38, room, page->title, title);
	ph_scene_text_fit(scene, PH_MARGIN, 57, room, page->identity ? page->identity : "",
					  ph_text_style(IDENTITY_SIZE, ph_faint()));
	ph_scene_close(scene);
	draw_caption(scene, page, body_bottom);
	scene->description =
		ph_text_clean(scene->arena, ph_need_format(scene->arena, "%s: %s", page->title,
												   page->identity ? page->identity : ""));
}

void
ph_page_empty(PhScene *scene, PhBody body, const char *message)
{
	PhTextStyle style = ph_text_style(14, ph_faint());

	style.anchor = PH_MIDDLE;
	ph_scene_open(scene, "empty", NULL);
	ph_scene_rect(scene, body.x, body.y, body.width, body.height,
				  (PhStyle){.stroke = ph_rule(), .stroke_width = 1, .dash = 4});
	ph_scene_text_fit(scene, body.x + body.width / 2, body.y + body.height / 2, body.width - 20,
					  message, style);
	ph_scene_close(scene);
}

static PhTextStyle
legend_style(void)
{
	return ph_text_style(LEGEND_SIZE, ph_ink());
}

/* Draws text at x and returns where it ends. */
static double
put_text(PhScene *scene, double x, double y, const char *text, PhTextStyle style)
{
	ph_scene_text(scene, x, y, text, style);
	return x + ph_fonts_width(scene->fonts, ph_text_clean(scene->arena, text), style.size,
							  style.weight);
}

static double
legend_title(PhScene *scene, double x, const char *title)
{
	PhTextStyle style = ph_text_style(LEGEND_SIZE, ph_faint());

	return put_text(scene, x, LEGEND_TOP + 10, title, style) + 10;
}

PhBody
ph_legend_place(double x)
{
	return (PhBody){x, LEGEND_TOP + 1, SWATCH, SWATCH};
}

double
ph_legend_swatch(PhScene *scene, double x, PhColor fill, bool hatched, const char *text)
{
	double y = LEGEND_TOP + 1;

	ph_scene_rect(scene, x, y, SWATCH, SWATCH, ph_fill(fill));
	if (hatched)
		ph_scene_hatch(scene, x, y, SWATCH, SWATCH, ph_color_hex(0xffffff));
	return put_text(scene, x + SWATCH + 5, y + 9, text, legend_style()) + 14;
}

/* More nobody tells apart, and pictures as wide as everything takes have room for hundreds. */
#define MOST_SWATCHES 40

double
ph_legend_categories(PhScene *scene, double x, double x_end, const char *title,
					 const PhCategories *categories)
{
	const double more_width = 70;
	const PhCategory *entries = ph_categories_heaviest(scene->arena, categories);

	ph_scene_open(scene, "legend", NULL);
	x = legend_title(scene, x, title);
	for (uint32_t i = 0; i < categories->n; i++)
	{
		const char *name = ph_fonts_fit_name(scene->fonts, scene->arena,
											 ph_text_clean(scene->arena, entries[i].name),
											 LEGEND_SIZE, PH_REGULAR, 160);
		double width;

		if (name == NULL)
			name = "";
		width = SWATCH + 19 + ph_fonts_width(scene->fonts, name, LEGEND_SIZE, PH_REGULAR);
		if (i >= MOST_SWATCHES || x + width > x_end - (i + 1 < categories->n ? more_width : 0))
		{
			x = put_text(scene, x, LEGEND_TOP + 10,
						 ph_need_format(scene->arena, "+ %u more", categories->n - i),
						 ph_text_style(LEGEND_SIZE, ph_faint()));
			break;
		}
		x = ph_legend_swatch(scene, x, entries[i].color, false, name);
	}
	ph_scene_close(scene);
	return x;
}

void
ph_ramp_differs(PhArena *arena, PhRamp *ramp, const char *most)
{
	ramp->map = ph_color_diverging;
	ramp->t_low = -1;
	ramp->low = most != NULL ? ph_need_format(arena, "\xe2\x88\x92%s faster", most) : "faster";
	ramp->middle = most != NULL ? "0" : "no difference";
	ramp->high = most != NULL ? ph_need_format(arena, "slower +%s", most) : "slower";
}

double
ph_legend_ramp(PhScene *scene, double x, const PhRamp *ramp)
{
	const uint32_t steps = 60;
	const double step = ramp->t_low < 0 ? 4 : 3;
	double width = steps * step;
	PhTextStyle style = ph_text_style(LEGEND_SIZE - 0.5, ph_ink());

	ph_scene_open(scene, "legend", NULL);
	x = round(legend_title(scene, x, ramp->title));
	for (uint32_t i = 0; i < steps; i++)
		ph_scene_rect(
			scene, x + i * step, LEGEND_TOP + 1, step, SWATCH,
			ph_fill(ramp->map(ramp->palette, ramp->t_low + (1 - ramp->t_low) * i / (steps - 1.0))));
	ph_scene_rect(scene, x, LEGEND_TOP + 1, width, SWATCH, ph_stroke(ph_rule(), 0.5));
	ph_scene_text(scene, x, LEGEND_TOP + 24, ramp->low, style);
	style.anchor = PH_MIDDLE;
	ph_scene_text(scene, x + width / 2, LEGEND_TOP + 24, ramp->middle, style);
	style.anchor = PH_END;
	ph_scene_text(scene, x + width, LEGEND_TOP + 24, ramp->high, style);
	ph_scene_close(scene);
	return x + width + 24;
}

/* The largest round value (1, 2 or 5 times a power of ten) not higher than limit. */
static double
round_below(double limit)
{
	double power = pow(10, floor(log10(limit)));

	if (limit >= 5 * power)
		return 5 * power;
	return limit >= 2 * power ? 2 * power : power;
}

double
ph_legend_scale(PhScene *scene, double x_end, double scale, const char *unit_name)
{
	const double limit = 30;
	PhUnit unit;
	double value;
	double height;
	double top = LEGEND_TOP + 1;
	double width;
	const char *text;

	if (!(scale > 0) || !isfinite(scale))
		return x_end;
	unit = ph_unit_choose(scene->arena, unit_name, limit / scale);
	value = round_below(limit / scale * unit.factor);
	height = value / unit.factor * scale;
	text = ph_need_format(scene->arena, "%s %s", ph_number(scene->arena, value), unit.suffix);
	width = ph_fonts_width(scene->fonts, text, LEGEND_SIZE, PH_REGULAR);
	ph_scene_open(scene, "scale", "scale of all heights");
	ph_scene_rect(scene, x_end - width - 12, top, 5, height, ph_fill(ph_color_hex(0x8a94a3)));
	ph_scene_text(scene, x_end - width, top + height / 2 + 4, text, legend_style());
	ph_scene_close(scene);
	return x_end - width - 30;
}
