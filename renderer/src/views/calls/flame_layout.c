/*
 * flame_layout.c - flame graphs: a call tree as stacked boxes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/calls/flame.h"

#define LABEL_SIZE 11.0
#define MAX_LEVEL 1000000

static double
or_zero(double value)
{
	return isnan(value) || value < 0 ? 0 : value;
}

/* ---- rows to boxes ------------------------------------------------------------------------- */

static void
read_box(PhArena *arena, PhFlame *flame, const PhTable *table, uint32_t row)
{
	PhFlameBox *box = &flame->boxes[row];

	box->label = ph_table_text(table, row, "label");
	box->module = ph_table_text(table, row, "module");
	box->node = ph_table_text(table, row, "node");
	box->level = (uint32_t) fmin(or_zero(ph_table_number(table, row, "level")), MAX_LEVEL);
	box->value = or_zero(ph_table_number(table, row, "value"));
	box->self = or_zero(ph_table_number(table, row, "self"));
	box->value_before = box->self_before = NAN;
	if (flame->differential)
	{
		box->value_before = box->value;
		box->self_before = box->self;
		box->value = or_zero(ph_table_number(table, row, "value_right"));
		box->self = or_zero(ph_table_number(table, row, "self_right"));
	}
	box->more = ph_table_number(table, row, "more");
	box->less = ph_table_number(table, row, "less");
	box->n_others = (uint32_t) or_zero(ph_table_number(table, row, "others"));
	flame->n_paths += box->n_others > 0 ? box->n_others : 1;
	if (box->n_others > 0)
		box->label =
			ph_need_format(arena, "%u other%s", box->n_others, box->n_others == 1 ? "" : "s");
	if (box->label == NULL)
		box->label = "";
	flame->has_modules = flame->has_modules || box->module != NULL;
	if (box->level >= flame->n_levels)
		flame->n_levels = box->level + 1;
}

/* Depth-first order: a box starts where its earlier siblings end, the first where its parent does.
 */
static void
place(PhArena *arena, PhFlame *flame)
{
	double *next = ph_need(arena, (size_t) flame->n_levels + 2, sizeof(double));

	flame->total = flame->n > 0 ? flame->boxes[0].value : 0;
	for (uint32_t i = 0; i < flame->n; i++)
	{
		PhFlameBox *box = &flame->boxes[i];

		box->x = next[box->level];
		box->width = flame->total > 0 ? box->value / flame->total : 0;
		next[box->level] += box->width;
		next[box->level + 1] = box->x;
	}
}

void
ph_flame_read(PhArena *arena, const PhViewRows *rows, PhFlame *out)
{
	const PhTable *table = ph_rows_table(rows, "flame");

	memset(out, 0, sizeof(*out));
	out->n = ph_rows_count(table);
	out->boxes = ph_need(arena, out->n, sizeof(PhFlameBox));
	out->differential = ph_table_text(table, 0, "value_right") != NULL;
	for (uint32_t row = 0; row < out->n; row++)
		read_box(arena, out, table, row);
	place(arena, out);
}

/* ---- colours ------------------------------------------------------------------------------- */

static double
change(const PhFlameBox *box, bool inclusive)
{
	return inclusive ? box->value - box->value_before : box->self - box->self_before;
}

static const char *
category(const PhFlame *flame, const PhFlameBox *box)
{
	if (flame->has_modules)
		return box->module ? box->module : "<unknown>";
	return box->label;
}

static void
find_noise(PhFlame *flame, const PhFlamePaint *paint)
{
	for (uint32_t i = 0; i < flame->n; i++)
	{
		PhFlameBox *box = &flame->boxes[i];

		box->is_noise = paint->by_inclusive
							? ph_noise_explains(&paint->noise, box->label, box->value_before,
												box->value, flame->total)
							: ph_noise_explains(&paint->noise, box->label, box->self_before,
												box->self, flame->total);
	}
}

/* The largest change, of those that are more than noise where there are any; or self cost. */
static double
end_of_scale(const PhFlame *flame, const PhFlamePaint *paint)
{
	double high = 0, noise = 0;

	for (uint32_t i = 0; i < flame->n; i++)
	{
		const PhFlameBox *box = &flame->boxes[i];
		double value = flame->differential ? fabs(change(box, paint->by_inclusive)) : box->self;

		if (box->n_others > 0)
			continue;
		if (box->is_noise)
			noise = fmax(noise, value);
		else
			high = fmax(high, value);
	}
	return high > 0 ? high : noise;
}

void
ph_flame_paint(PhArena *arena, PhFlame *flame, PhFlamePaint *paint)
{
	const char **names = ph_need(arena, flame->n, sizeof(char *));
	double *weights = ph_need(arena, flame->n, sizeof(double));

	uint32_t n = 0;

	if (flame->differential)
		find_noise(flame, paint);
	paint->high = end_of_scale(flame, paint);
	for (uint32_t i = 0; i < flame->n; i++)
	{
		const PhFlameBox *box = &flame->boxes[i];

		if (box->n_others > 0)
			continue;
		names[n] = category(flame, box);
		weights[n++] = box->self;
	}
	ph_categories_build(arena, paint->palette, names, weights, n, &paint->categories);
}

static PhColor
box_color(const PhFlame *flame, const PhFlamePaint *paint, const PhFlameBox *box)
{
	if (box->n_others > 0) /* of a difference, too: a sum of both signs has no colour */
		return ph_color_hex(0xe3e6ea);
	if (flame->differential)
		return ph_color_diverging(
			paint->palette,
			paint->high > 0 && !box->is_noise ? change(box, paint->by_inclusive) / paint->high : 0);
	if (paint->by_exclusive)
		return ph_color_sequential(paint->palette, paint->high > 0 ? box->self / paint->high : 0);
	return ph_color_mix(ph_categories_color(&paint->categories, category(flame, box)),
						ph_color_hex(0xffffff), 0.45);
}

/* ---- boxes to scene ------------------------------------------------------------------------ */

/* What the width had no room for, added up: where they are called from is the box under it. */
static const char *
tooltip_of_others(PhArena *arena, const PhFlame *flame, const PhFlamePaint *paint,
				  const PhFlameBox *box)
{
	const char *text = ph_need_format(
		arena, "%s: call paths that are too narrow to be drawn\ninclusive %s  %s", box->label,
		ph_value(arena, paint->unit_name, box->value), ph_percent(arena, box->value, flame->total));

	if (!flame->differential)
		return text;
	return ph_need_format(arena,
						  "%s\nin A: inclusive %s\nself, B \xe2\x88\x92 A: +%s in those that are "
						  "slower, \xe2\x88\x92%s in those that are faster",
						  text, ph_value(arena, paint->unit_name, box->value_before),
						  ph_value(arena, paint->unit_name, or_zero(box->more)),
						  ph_value(arena, paint->unit_name, or_zero(box->less)));
}

static const char *
tooltip(PhScene *scene, const PhFlame *flame, const PhFlamePaint *paint, const PhFlameBox *box)
{
	PhArena *arena = scene->arena;
	const char *text;

	if (box->n_others > 0)
		return tooltip_of_others(arena, flame, paint, box);
	text = ph_need_format(
		arena, "%s%s%s%s\ninclusive %s  %s\nself %s  %s", box->label, box->module ? " [" : "",
		box->module ? box->module : "", box->module ? "]" : "",
		ph_value(arena, paint->unit_name, box->value), ph_percent(arena, box->value, flame->total),
		ph_value(arena, paint->unit_name, box->self), ph_percent(arena, box->self, flame->total));

	if (!flame->differential)
		return text;
	return ph_need_format(
		arena, "%s\nin A: inclusive %s, self %s\nchange: inclusive %s, self %s%s%s", text,
		ph_value(arena, paint->unit_name, box->value_before),
		ph_value(arena, paint->unit_name, box->self_before),
		ph_signed_value(arena, paint->unit_name, change(box, true)),
		ph_signed_value(arena, paint->unit_name, change(box, false)),
		box->value_before > 0 ? "" : "\nonly in B", box->is_noise ? "\nno more than noise" : "");
}

static void
draw_box(PhScene *scene, const PhFlame *flame, const PhFlamePaint *paint, const PhFlameBox *box,
		 PhBody at)
{
	PhColor fill = box_color(flame, paint, box);
	double gap = at.width >= 4 ? 1 : 0; /* a whole unit: parts would come and go */
	bool added = flame->differential && !(box->value_before > 0);

	ph_scene_open(scene, box->n_others > 0 ? "others" : "frame", tooltip(scene, flame, paint, box));
	ph_scene_data(scene, "node", box->node);
	ph_scene_data(scene, "label", box->label);
	ph_scene_data(scene, "run", paint->run);
	ph_scene_data_number(scene, "value", box->value);
	ph_scene_data_number(scene, "self", box->self);
	if (flame->differential && box->n_others == 0)
	{
		ph_scene_data_number(scene, "change", change(box, paint->by_inclusive));
		ph_scene_data(scene, "noise", box->is_noise ? "true" : NULL);
	}
	ph_scene_data_number(scene, "more", box->more);
	ph_scene_data_number(scene, "less", box->less);
	ph_scene_rect(scene, at.x, at.y, at.width - gap, at.height - 1, ph_fill(fill));
	if (flame->differential && at.width > 3)
		ph_scene_rect(scene, at.x + 0.25, at.y + 0.25, at.width - gap - 0.5, at.height - 1.5,
					  ph_stroke(ph_color_hex(0xb9bfc8), 0.5));
	if (added && at.width > 3)
		ph_scene_rect(scene, at.x + 0.5, at.y + 0.5, at.width - gap - 1, at.height - 2,
					  (PhStyle){.stroke = ph_ink(), .stroke_width = 1, .dash = 3});
	if (at.height >= LABEL_SIZE + 2)
		ph_scene_name_fit(scene, at.x + 3, at.y + at.height / 2 + LABEL_SIZE * 0.3, at.width - 6,
						  box->label, ph_text_style(LABEL_SIZE, ph_color_on(fill)));
	ph_scene_close(scene);
}

/* Counts a box that is not drawn; the cost only when its parent is drawn. */
static void
count_hidden(const PhFlameBox *box, double parent_width, double width, PhFlameHidden *hidden)
{
	if (box->value == 0 && box->value_before > 0)
	{
		hidden->gone++;
		hidden->gone_cost += box->self_before;
	}
	else if (width < PH_FLAME_MIN_WIDTH)
	{
		hidden->narrow += box->n_others > 0 ? box->n_others : 1;
		if (parent_width >= PH_FLAME_MIN_WIDTH)
			hidden->cost += box->value;
	}
	else
		hidden->deep++;
}

uint32_t
ph_flame_visible_levels(const PhFlame *flame, double width)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < flame->n; i++)
		if (flame->boxes[i].width * width >= PH_FLAME_MIN_WIDTH && flame->boxes[i].level >= n)
			n = flame->boxes[i].level + 1;
	return n;
}

void
ph_flame_draw(PhScene *scene, const PhFlame *flame, const PhFlamePaint *paint, PhBody where,
			  double row_height, uint32_t n_levels, PhFlameHidden *hidden)
{
	/* width of the last box of each level: the parent of the next one below it */
	double *widths = ph_need(scene->arena, (size_t) flame->n_levels + 1, sizeof(double));

	ph_scene_open(scene, "flame", NULL);
	for (uint32_t i = 0; i < flame->n; i++)
	{
		const PhFlameBox *box = &flame->boxes[i];
		uint32_t row = paint->root_on_top ? box->level : n_levels - 1 - box->level;
		double width = box->width * where.width;

		if (width >= PH_FLAME_MIN_WIDTH && box->level < n_levels)
		{
			hidden->summed += box->n_others;
			draw_box(scene, flame, paint, box,
					 (PhBody){where.x + box->x * where.width, where.y + row * row_height, width,
							  row_height});
		}
		else
			count_hidden(box, box->level ? widths[box->level - 1] : where.width, width, hidden);
		widths[box->level] = width;
	}
	ph_scene_close(scene);
}

void
ph_flame_legend(PhScene *scene, const PhFlame *flame, const PhFlamePaint *paint)
{
	PhArena *arena = scene->arena;
	const char *high = ph_value(arena, paint->unit_name, paint->high);
	PhRamp ramp = {.palette = paint->palette,
				   .map = ph_color_sequential,
				   .title = "self cost",
				   .low = "0",
				   .high = high};

	if (flame->differential)
	{
		ramp.title = paint->by_inclusive ? "change of inclusive, B \xe2\x88\x92 A"
										 : "change of self cost, B \xe2\x88\x92 A";
		ph_ramp_differs(arena, &ramp, paint->high > 0 ? high : NULL);
	}
	else if (!paint->by_exclusive)
	{
		if (flame->has_modules)
			ph_legend_categories(scene, PH_MARGIN, scene->width - PH_MARGIN, "module",
								 &paint->categories);
		return;
	}
	ph_legend_ramp(scene, PH_MARGIN, &ramp);
}
