/*
 * sankey_layout.c - bars and bands of a super graph as a scene.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/supergraph/sankey.h"

#define NAME_SIZE 11.0
#define VALUE_SIZE 9.5
#define HISTOGRAM_HEIGHT 16.0
#define LEAST_COUNT 2.0 /* one rank of 16,384 is seen */
#define FULL_STRIP 32.0 /* name, then histogram with the value beside it */
#define NAME_STRIP 13.5 /* name only */
#define OWN_EDGE 4.0	/* darker right edge of the part that no band leaves */

bool
ph_sankey_color_parse(const char *name, PhSankeyColor *out)
{
	static const char *const names[] = {"module", "inclusive", "exclusive", "imbalance",
										"difference"};

	for (int i = 0; i < 5; i++)
		if (strcmp(name, names[i]) == 0)
		{
			*out = (PhSankeyColor) i;
			return true;
		}
	return false;
}

/* ---- colours ------------------------------------------------------------------------------- */

/* The number that a bar's colour shows; NaN: none. */
static double
colored_value(const PhSankeyBar *bar, PhSankeyColor color)
{
	switch (color)
	{
		case PH_BY_INCLUSIVE:
			return bar->value;
		case PH_BY_EXCLUSIVE:
			return bar->exclusive;
		case PH_BY_IMBALANCE:
			return bar->imbalance;
		case PH_BY_DIFFERENCE:
			return fabs(bar->difference);
		case PH_BY_CROWD:
			return bar->gradient ? bar->gradient->most : NAN;
		case PH_BY_MODULE:
			break;
	}
	return NAN;
}

/* The largest value; of differences, of those that are more than noise where there are any. */
static double
end_of_scale(const PhSankey *const *graphs, uint32_t n, PhSankeyColor color)
{
	double high = color == PH_BY_IMBALANCE ? 1 : 0, noise = 0;

	for (uint32_t g = 0; g < n; g++)
		for (uint32_t i = 0; i < graphs[g]->n_bars; i++)
		{
			const PhSankeyBar *bar = &graphs[g]->bars[i];

			if (bar->n_others > 0)
				continue;
			if (color == PH_BY_DIFFERENCE && bar->is_noise)
				noise = fmax(noise, colored_value(bar, color));
			else
				high = fmax(high, colored_value(bar, color));
		}
	return high > 0 ? high : noise;
}

void
ph_sankey_paint(PhArena *arena, const PhSankey *const *graphs, uint32_t n, PhSankeyPaint *paint)
{
	const char **labels;
	double *weights;
	uint32_t n_labels = 0;

	for (uint32_t g = 0; g < n; g++)
		n_labels += graphs[g]->n_bars;
	labels = ph_need(arena, n_labels, sizeof(char *));
	weights = ph_need(arena, n_labels, sizeof(double));
	n_labels = 0;
	paint->high = end_of_scale(graphs, n, paint->color);
	for (uint32_t g = 0; g < n; g++)
		for (uint32_t i = 0; i < graphs[g]->n_bars; i++)
		{
			const PhSankeyBar *bar = &graphs[g]->bars[i];

			if (bar->n_others > 0)
				continue;
			weights[n_labels] = bar->value;
			labels[n_labels++] = bar->label;
		}
	ph_categories_build(arena, paint->palette, labels, weights, n_labels, &paint->categories);
}

static PhColor
bar_color(const PhSankeyPaint *paint, const PhSankeyBar *bar)
{
	double value = colored_value(bar, paint->color);

	if (bar->n_others > 0)
		return ph_color_hex(0xc9ced6);
	switch (paint->color)
	{
		case PH_BY_MODULE:
			return ph_categories_color(&paint->categories, bar->label);
		case PH_BY_DIFFERENCE:
			return ph_color_diverging(paint->palette, paint->high > 0 && !bar->is_noise
														  ? bar->difference / paint->high
														  : 0);
		case PH_BY_IMBALANCE:
			return ph_color_sequential(paint->palette,
									   paint->high > 1 ? (value - 1) / (paint->high - 1) : 0);
		case PH_BY_CROWD:
			return ph_color_hex(0xffffff);
		case PH_BY_INCLUSIVE:
		case PH_BY_EXCLUSIVE:
			break;
	}
	return ph_color_sequential(paint->palette, paint->high > 0 ? value / paint->high : 0);
}

static PhColor
band_color(const PhSankeyPaint *paint, const PhSankeyBand *band)
{
	if (paint->color == PH_BY_MODULE && band->bar != NULL)
		return ph_color_alpha(
			ph_color_mix(bar_color(paint, band->bar), ph_color_hex(0xffffff), 0.35), 0.45);
	return ph_color_alpha(ph_color_hex(0x9aa5b5), 0.42);
}

/* ---- bands --------------------------------------------------------------------------------- */

/* One side of the band, left to right or back. */
static void
trace_side(PhPath *path, const PhSankeyBand *band, double dx, double dy, bool back)
{
	for (uint32_t k = 0; k < band->n_pieces; k++)
	{
		const PhSankeyPiece *piece = &band->pieces[back ? band->n_pieces - 1 - k : k];
		double x0 = dx + (back ? piece->x1 : piece->x0);
		double y0 = dy + (back ? piece->y1 : piece->y0);
		double x1 = dx + (back ? piece->x0 : piece->x1);
		double y1 = dy + (back ? piece->y0 : piece->y1);
		double middle = (x0 + x1) / 2;

		if (k == 0 && !back)
			ph_path_move(path, x0, y0);
		else
			ph_path_line(path, x0, y0);
		ph_path_curve(path, middle, y0, middle, y1, x1, y1);
	}
}

/* What stands beside the bar. */
static const char *
name_of(const PhSankeyBar *bar)
{
	return bar->n_others > 0 ? bar->label : bar->node;
}

static void
draw_band(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint,
		  const PhSankeyBand *band, PhBody where)
{
	PhPath path = ph_path(scene);
	const char *tooltip = ph_need_format(scene->arena, "%s \xe2\x86\x92 %s\n%s  %s of all",
										 band->source ? band->source : "several",
										 band->bar != NULL ? name_of(band->bar) : band->target,
										 ph_value(scene->arena, paint->unit_name, band->value),
										 ph_percent(scene->arena, band->value, graph->total));

	ph_scene_open(scene, "band", tooltip);
	ph_scene_data(scene, "source", band->source);
	ph_scene_data(scene, "target", band->target);
	ph_scene_data_number(scene, "value", band->value);
	trace_side(&path, band, where.x, where.y, false);
	trace_side(&path, band, where.x, where.y + fmax(band->thickness, 0.5), true);
	ph_path_close(&path);
	ph_scene_path(scene, &path, ph_fill(band_color(paint, band)));
	ph_scene_close(scene);
}

/* ---- bars ---------------------------------------------------------------------------------- */

static bool
same_layer(double x, double width, double other_x, double other_width)
{
	return x < other_x + other_width && other_x < x + width;
}

/* Free height above a bar in its layer. */
static double
strip_above(const PhSankey *graph, const PhSankeyBar *bar)
{
	double bottom = -6; /* the body has a little air above */

	for (uint32_t i = 0; i < graph->n_bars; i++)
	{
		const PhSankeyBar *other = &graph->bars[i];

		if (other != bar && same_layer(bar->x, bar->width, other->x, other->width) &&
			other->y <= bar->y)
			bottom = fmax(bottom, other->y + fmax(other->height, 1));
	}
	for (uint32_t i = 0; i < graph->n_blocked; i++)
	{
		const PhBody *other = &graph->blocked[i];

		if (same_layer(bar->x, bar->width, other->x, other->width) && other->y <= bar->y)
			bottom = fmax(bottom, other->y + other->height);
	}
	return bar->y - bottom;
}

double
ph_sankey_room_right(const PhSankey *graph, const PhSankeyBar *bar, double end)
{
	for (uint32_t i = 0; i < graph->n_bars; i++)
		if (graph->bars[i].x > bar->x + bar->width / 2)
			end = fmin(end, graph->bars[i].x);
	return end - bar->x;
}

double
ph_sankey_room_left(const PhSankey *graph, const PhSankeyBar *bar, double begin)
{
	for (uint32_t i = 0; i < graph->n_bars; i++)
		if (graph->bars[i].x < bar->x - bar->width / 2)
			begin = fmax(begin, graph->bars[i].x + graph->bars[i].width);
	return bar->x - begin;
}

static void
draw_histogram(PhScene *scene, const PhSankeyBar *bar, double x, double y)
{
	PhPath path = ph_path(scene);
	double step = bar->width / bar->n_counts;
	double fullest = 0;

	for (uint32_t i = 0; i < bar->n_counts; i++)
		fullest = fmax(fullest, bar->counts[i]);
	ph_scene_open(scene, "ranks", NULL);
	ph_path_move(&path, x, y);
	for (uint32_t i = 0; i < bar->n_counts; i++)
	{
		double height = HISTOGRAM_HEIGHT * bar->counts[i] / fullest;
		double top = y - (bar->counts[i] > 0 ? fmax(height, LEAST_COUNT) : 0);

		ph_path_line(&path, x + i * step, top);
		ph_path_line(&path, x + (i + 1) * step, top);
	}
	ph_path_line(&path, x + bar->width, y);
	ph_path_close(&path);
	ph_scene_path(scene, &path, ph_fill(ph_color_hex(0x57616f)));
	ph_scene_line(scene, x, y, x + bar->width, y, ph_stroke(ph_color_hex(0x57616f), 0.6));
	ph_scene_close(scene);
}

/* A histogram of one column says nothing. */
static bool
has_histogram(const PhSankeyBar *bar)
{
	double n = 0;

	for (uint32_t i = 0; i < bar->n_counts; i++)
		n += bar->counts[i];
	return n >= 2;
}

/* What stands beside the histogram; shorter: only the value. */
static const char *
value_text(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint,
		   const PhSankeyBar *bar, bool shorter)
{
	PhArena *arena = scene->arena;
	const char *value = ph_value(arena, paint->unit_name, bar->value);

	if (shorter)
		return value;
	if (paint->united && !isnan(bar->more))
		return ph_need_format(arena, "%s \xc2\xb7 \xce\x94 +%s \xe2\x88\x92%s", value,
							  ph_value(arena, paint->unit_name, bar->more),
							  ph_value(arena, paint->unit_name, bar->less));
	if (bar->gradient)
		return ph_need_format(arena, "%s \xc2\xb7 %.0f of %u runs", value, bar->gradient->n_present,
							  paint->n_runs);
	if (bar->status && strcmp(bar->status, "both") != 0)
		return ph_need_format(arena, "%s, %s", value, bar->status);
	if (paint->color == PH_BY_DIFFERENCE && fabs(bar->difference) > paint->high / 1000)
		return ph_need_format(arena, "%s \xc2\xb7 \xce\x94 %s", value,
							  ph_signed_value(arena, paint->unit_name, bar->difference));
	if (paint->color == PH_BY_IMBALANCE && !isnan(bar->imbalance))
		return ph_need_format(arena, "%s \xc2\xb7 \xc3\x97 %.2f", value, bar->imbalance);
	return ph_need_format(arena, "%s \xc2\xb7 %s", value,
						  ph_percent(arena, bar->value, graph->total));
}

/* A number is never shortened: the long text, the short one, or none. */
static void
draw_value(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint,
		   const PhSankeyBar *bar, double x, double y, double room)
{
	PhTextStyle style = ph_text_style(VALUE_SIZE, ph_faint());

	style.halo = ph_color_alpha(ph_color_hex(0xffffff), 0.85);
	for (int shorter = 0; shorter < 2; shorter++)
	{
		const char *text = value_text(scene, graph, paint, bar, shorter);

		if (ph_fonts_width(scene->fonts, text, VALUE_SIZE, PH_REGULAR) > room)
			continue;
		ph_scene_text(scene, x, y, text, style);
		return;
	}
}

/* Free width for what stands above a bar: to the next bar or name at that height. */
static double
label_room(const PhSankey *graph, const PhSankeyBar *bar, double end)
{
	for (uint32_t i = 0; i < graph->n_bars; i++)
	{
		const PhSankeyBar *other = &graph->bars[i];

		if (other->x > bar->x + bar->width / 2 && other->y - FULL_STRIP < bar->y &&
			other->y + fmax(other->height, 1) > bar->y - FULL_STRIP)
			end = fmin(end, other->x);
	}
	return end - bar->x;
}

static void
draw_label(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint,
		   const PhSankeyBar *bar, PhBody where, PhSankeyHidden *hidden)
{
	double strip = strip_above(graph, bar);
	double room = label_room(graph, bar, where.width + 6) - 6;
	double x = where.x + bar->x;
	double y = where.y + bar->y;
	bool full = strip >= FULL_STRIP;
	double beside = has_histogram(bar) ? bar->width + 4 : 0;
	PhTextStyle name = ph_text_style(NAME_SIZE, ph_ink());

	name.weight = PH_BOLD;
	name.halo = ph_color_alpha(ph_color_hex(0xffffff), 0.85);
	if (full && beside > 0)
		draw_histogram(scene, bar, x, y - 2);
	if (!full && beside > 0)
		hidden->histograms++;
	if (strip < NAME_STRIP ||
		!ph_scene_name_fit(scene, x, y - (full ? 22 : 3.5), room, name_of(bar), name))
	{
		hidden->labels++;
		return;
	}
	if (full)
		draw_value(scene, graph, paint, bar, x + beside, y - 5, room - beside);
}

static const char *
others_tooltip(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint,
			   const PhSankeyBar *bar)
{
	PhArena *arena = scene->arena;
	const char *text = ph_need_format(
		arena, "%s: call paths that the filter left out below this layer\n%sexclusive %s  %s",
		bar->label, paint->united ? "means of A and B\n" : "",
		ph_value(arena, paint->unit_name, bar->value), ph_percent(arena, bar->value, graph->total));

	if (!paint->united || isnan(bar->more))
		return text;
	return ph_need_format(arena,
						  "%s\nB \xe2\x88\x92 A: +%s in those that are slower, "
						  "\xe2\x88\x92%s in those that are faster",
						  text, ph_value(arena, paint->unit_name, bar->more),
						  ph_value(arena, paint->unit_name, bar->less));
}

static void
draw_others(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint,
			const PhSankeyBar *bar, PhBody where, PhSankeyHidden *hidden)
{
	ph_scene_open(scene, "others", others_tooltip(scene, graph, paint, bar));
	ph_scene_data(scene, "label", bar->label);
	ph_scene_data(scene, "run", paint->run);
	ph_scene_data_number(scene, "level", bar->level);
	ph_scene_data_number(scene, "value", bar->value);
	if (paint->united)
	{
		ph_scene_data_number(scene, "more", bar->more);
		ph_scene_data_number(scene, "less", bar->less);
	}
	ph_scene_rect(scene, where.x + bar->x, where.y + bar->y, bar->width, fmax(bar->height, 1),
				  ph_fill(bar_color(paint, bar)));
	draw_label(scene, graph, paint, bar, where, hidden);
	ph_scene_close(scene);
	hidden->n_others += bar->n_others;
}

static const char *
bar_tooltip(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint,
			const PhSankeyBar *bar)
{
	PhArena *arena = scene->arena;
	const char *text = ph_need_format(arena, "%s\n%sinclusive %s  %s\nexclusive %s  %s", bar->node,
									  paint->united ? "means of A and B\n" : "",
									  ph_value(arena, paint->unit_name, bar->value),
									  ph_percent(arena, bar->value, graph->total),
									  ph_value(arena, paint->unit_name, bar->exclusive),
									  ph_percent(arena, bar->exclusive, graph->total));

	if (bar->absorbed > 0)
		text = ph_need_format(arena, "%s\nabsorbed by the filter %s", text,
							  ph_value(arena, paint->unit_name, bar->absorbed));
	if (bar->residual != 0)
		text = ph_need_format(arena, "%s\nresidual %s", text,
							  ph_signed_value(arena, paint->unit_name, bar->residual));
	if (!isnan(bar->imbalance))
		text = ph_need_format(arena, "%s\nimbalance_ratio (max / mean) %.3f", text, bar->imbalance);
	if (!isnan(bar->difference))
		text = ph_need_format(arena, "%s\ndifference %s%s%s%s%s", text,
							  ph_signed_value(arena, paint->unit_name, bar->difference),
							  bar->status ? " (" : "", bar->status ? bar->status : "",
							  bar->status ? ")" : "", bar->is_noise ? ", no more than noise" : "");
	if (bar->gradient)
		text = ph_need_format(arena, "%s%s", text,
							  ph_gradient_tooltip(arena, bar->gradient, paint->unit_name));
	if (bar->members > 0)
		text = ph_need_format(arena, "%s\n%.0f call-tree nodes, %.0f entry functions", text,
							  bar->members, bar->entries);
	return ph_need_format(arena, "%s%s", text, bar->tooltip_tail ? bar->tooltip_tail : "");
}

void
ph_sankey_mark_lonely(PhScene *scene, const char *status, PhBody at)
{
	bool before = strcmp(status, "only in A") == 0;

	ph_scene_rect(scene, at.x - 1.5, at.y - 1.5, at.width + 3, at.height + 3,
				  (PhStyle){.stroke = ph_ink(), .stroke_width = 1.6, .dash = before ? 3 : 0});
}

/* It stands out from the ground, whatever the fill does. */
static PhColor
outline_of(const PhSankeyPaint *paint, PhColor fill)
{
	bool is_dark = (paint->palette & PH_PALETTE_DARK) != 0;

	return ph_color_mix(fill, ph_color_hex(is_dark ? 0xffffff : 0x000000), 0.4);
}

static void
draw_box(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint, const PhSankeyBar *bar,
		 PhBody where)
{
	PhColor fill = bar_color(paint, bar);
	double x = where.x + bar->x;
	double y = where.y + bar->y;
	double height = fmax(bar->height, 1);
	double own = fmin(bar->own * graph->scale, height);
	double absorbed = fmin(bar->absorbed * graph->scale, own);
	PhColor dark = ph_color_mix(fill, ph_color_hex(0x000000), 0.4);

	ph_scene_rect(scene, x, y, bar->width, height, ph_fill(fill));
	if (bar->gradient)
		ph_gradient_draw(scene, bar->gradient, paint->palette, paint->high,
						 (PhBody){x, y, bar->width, height});
	if (absorbed >= 1)
		ph_scene_hatch(scene, x, y + height - absorbed, bar->width - OWN_EDGE, absorbed,
					   ph_color_alpha(ph_color_on(fill), 0.55));
	if (own >= 0.3)
		ph_scene_rect(scene, x + bar->width - OWN_EDGE, y + height - own, OWN_EDGE, own,
					  ph_fill(dark));
	if (height >= 3)
		ph_scene_rect(scene, x, y, bar->width, height, ph_stroke(outline_of(paint, fill), 0.6));
	if (paint->united && bar->status && strcmp(bar->status, "both") != 0)
		ph_sankey_mark_lonely(scene, bar->status, (PhBody){x, y, bar->width, height});
}

static void
draw_bar(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint, const PhSankeyBar *bar,
		 PhBody where, PhSankeyHidden *hidden)
{
	ph_scene_open(scene, "bar", bar_tooltip(scene, graph, paint, bar));
	ph_scene_data(scene, "node", bar->node);
	ph_scene_data(scene, "label", bar->label);
	ph_scene_data(scene, "run", paint->run);
	ph_scene_data(scene, "status", bar->status);
	ph_scene_data_number(scene, "level", bar->level);
	ph_scene_data_number(scene, "value", bar->value);
	ph_scene_data_number(scene, "exclusive", bar->exclusive);
	ph_scene_data_number(scene, "absorbed", bar->absorbed);
	ph_scene_data_number(scene, "imbalance-ratio", bar->imbalance);
	ph_scene_data_number(scene, "difference", bar->difference);
	ph_scene_data(scene, "noise", bar->is_noise ? "true" : NULL);
	if (bar->gradient)
	{
		ph_scene_data_number(scene, "runs", bar->gradient->n_present);
		ph_scene_data_number(scene, "target", bar->gradient->target_value);
	}
	draw_box(scene, graph, paint, bar, where);
	draw_label(scene, graph, paint, bar, where, hidden);
	ph_scene_close(scene);
	if (bar->height < 1)
		hidden->thin++;
}

void
ph_sankey_draw(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint, PhBody where,
			   PhSankeyHidden *hidden)
{
	ph_scene_open(scene, "sankey", NULL);
	ph_scene_data(scene, "run", paint->run);
	for (uint32_t i = 0; i < graph->n_bands; i++)
	{
		draw_band(scene, graph, paint, &graph->bands[i], where);
		hidden->joined |= graph->bands[i].source == NULL;
	}
	for (uint32_t i = 0; i < graph->n_bars; i++)
		if (graph->bars[i].n_others > 0)
			draw_others(scene, graph, paint, &graph->bars[i], where, hidden);
		else
			draw_bar(scene, graph, paint, &graph->bars[i], where, hidden);
	ph_scene_close(scene);
}

/* ---- legend -------------------------------------------------------------------------------- */

static double
draw_ramp(PhScene *scene, const PhSankeyPaint *paint)
{
	PhArena *arena = scene->arena;
	const char *high = ph_value(arena, paint->unit_name, paint->high);
	PhRamp ramp = {.palette = paint->palette,
				   .map = ph_color_sequential,
				   .low = "0",
				   .high = high,
				   .title = "inclusive"};

	if (paint->color == PH_BY_EXCLUSIVE)
		ramp.title = "exclusive";
	if (paint->color == PH_BY_CROWD)
	{
		ramp.title = "runs per bin";
		ramp.map = ph_color_crowd;
		ramp.high = ph_need_format(arena, "%.0f", paint->high);
	}
	if (paint->color == PH_BY_IMBALANCE)
	{
		ramp.title = "imbalance_ratio (max / mean)";
		ramp.low = "1";
		ramp.high = ph_need_format(arena, "%.2f", paint->high);
	}
	if (paint->color == PH_BY_DIFFERENCE)
	{
		ramp.title = ph_need_format(arena, "%s, %s", paint->inclusive ? "inclusive" : "exclusive",
									paint->versus ? paint->versus : "B \xe2\x88\x92 A");
		ph_ramp_differs(arena, &ramp, paint->high > 0 ? high : NULL);
	}
	return ph_legend_ramp(scene, PH_MARGIN, &ramp);
}

/* Keys, right-aligned before end; returns where they start. Left out when there is no room. */
static double
draw_keys(PhScene *scene, const PhSankeyPaint *paint, double end, bool absorbed)
{
	PhColor plain = ph_color_hex(0x9aa5b5);
	double start = end - (absorbed ? 340 : 206);
	double x;

	if (start < PH_MARGIN + 380)
		return end;
	plain.is_final =
		(paint->palette & PH_PALETTE_DARK) != 0; /* as bars' colours: edges stay dark */
	ph_scene_open(scene, "key", NULL);
	x = ph_legend_swatch(scene, start, ph_color_mix(plain, ph_color_hex(0), 0.4), false,
						 "dark right edge: exclusive");
	if (absorbed)
		ph_legend_swatch(scene, x, plain, true, "absorbed by filter");
	ph_scene_close(scene);
	return start - 16;
}

PhSpan
ph_sankey_legend(PhScene *scene, const PhSankeyPaint *paint, double scale, bool absorbed)
{
	PhSpan rest;

	rest.to = ph_legend_scale(scene, scene->width - PH_MARGIN, scale, paint->unit_name);
	rest.to = draw_keys(scene, paint, rest.to, absorbed);
	if (paint->color == PH_BY_MODULE)
		rest.from = ph_legend_categories(scene, PH_MARGIN, rest.to, "colour", &paint->categories);
	else
		rest.from = draw_ramp(scene, paint);
	return rest;
}

void
ph_sankey_note_hidden(PhArena *arena, PhPage *page, const PhSankeyHidden *hidden)
{
	if (hidden->labels > 0)
		ph_page_note(arena, page,
					 ph_need_format(arena, "%u name%s without room left out", hidden->labels,
									hidden->labels == 1 ? "" : "s"));
	if (hidden->histograms > 0)
		ph_page_note(arena, page,
					 ph_need_format(arena, "%u histogram%s without room left out",
									hidden->histograms, hidden->histograms == 1 ? "" : "s"));
	if (hidden->thin > 0)
		ph_page_note(arena, page,
					 ph_need_format(arena, "%u bar%s under 1 px drawn 1 px high", hidden->thin,
									hidden->thin == 1 ? "" : "s"));
	if (hidden->n_others > 0)
		ph_page_note(arena, page,
					 ph_need_format(arena, "grey: %u call paths that the filter left out",
									hidden->n_others));
	if (hidden->joined)
		ph_page_note(arena, page, "bands to the same bar joined on their way");
}

bool
ph_sankey_has_absorbed(const PhSankey *graph)
{
	for (uint32_t i = 0; i < graph->n_bars; i++)
		if (graph->bars[i].absorbed > 0)
			return true;
	return false;
}
