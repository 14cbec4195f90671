/*
 * ensemble_layout.c - guides beside the bars of an ensemble: values and runs of their bins.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/supergraph/ensemble.h"

#define LEAST_BAR 14.0 /* bars lower than this have no guides */
#define GUIDE_SIZE 9.0
#define GUIDE_LINE 9.5 /* height of a line of text */
#define TICK 4.0
#define LEFT_OF_BAR 9.0 /* the arrow of a target run is between */
#define NAMED_RUNS 3

/* Texts that are already there; new ones must not touch them. */
typedef struct Taken
{
	PhBody *boxes;
	uint32_t n;
	size_t capacity;
} Taken;

static PhBody
text_box(PhScene *scene, double x, double y, const char *text, double size, PhWeight weight,
		 PhAnchor anchor)
{
	double width = ph_fonts_width(scene->fonts, text, size, weight);
	double left = anchor == PH_START ? x : anchor == PH_END ? x - width : x - width / 2;

	return (PhBody){left, y - size, width, size * 1.3};
}

static void
take(PhScene *scene, Taken *taken, PhBody box)
{
	taken->boxes =
		ph_need_room(scene->arena, taken->boxes, taken->n, &taken->capacity, sizeof(PhBody));
	taken->boxes[taken->n++] = box;
}

static bool
is_free(const Taken *taken, PhBody box)
{
	for (uint32_t i = 0; i < taken->n; i++)
	{
		const PhBody *other = &taken->boxes[i];

		if (box.x < other->x + other->width + 2 && other->x < box.x + box.width + 2 &&
			box.y < other->y + other->height && other->y < box.y + box.height)
			return false;
	}
	return true;
}

static void
take_all(PhScene *scene, Taken *taken)
{
	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		const PhItem *item = &scene->items[i];

		if (item->kind == PH_ITEM_TEXT)
			take(scene, taken,
				 text_box(scene, item->x, item->y, item->text, item->text_style.size,
						  item->text_style.weight, item->text_style.anchor));
	}
}

/* The first of the texts that fits and touches nothing; false when none does. */
static bool
put_first(PhScene *scene, Taken *taken, double x, double y, double room, PhAnchor anchor,
		  const char *const *texts, uint32_t n)
{
	PhTextStyle style = ph_text_style(GUIDE_SIZE, ph_ink());

	style.anchor = anchor;
	style.halo = ph_color_alpha(ph_color_hex(0xffffff), 0.85);
	for (uint32_t i = 0; i < n; i++)
	{
		PhBody box = text_box(scene, x, y, texts[i], GUIDE_SIZE, PH_REGULAR, anchor);

		if (box.width > room || !is_free(taken, box))
			continue;
		ph_scene_text(scene, x, y, texts[i], style);
		take(scene, taken, box);
		return true;
	}
	return false;
}

static const char *
count_text(PhArena *arena, const PhGuide *guide)
{
	return ph_need_format(arena, "%.0f %s", guide->count, guide->count == 1 ? "run" : "runs");
}

/* "27 ranks, 64 ranks, 125 ranks +2 runs". */
static const char *
names_text(PhArena *arena, const PhGuide *guide)
{
	const char *text = "";

	for (uint32_t i = 0; i < guide->n_runs && i < NAMED_RUNS; i++)
		text = ph_need_format(arena, "%s%s%s", text, i ? ", " : "", guide->runs[i]);
	if (guide->n_runs > NAMED_RUNS)
		text = ph_need_format(arena, "%s +%u %s", text, guide->n_runs - NAMED_RUNS,
							  guide->n_runs == NAMED_RUNS + 1 ? "run" : "runs");
	return text;
}

static const char *
mark_text(const PhGuide *guide)
{
	if (guide->mark == NULL)
		return "";
	if (strcmp(guide->mark, "min") == 0)
		return "Min. = ";
	return strcmp(guide->mark, "max") == 0 ? "Max. = " : "All = ";
}

/* A guide with its bar; places are those of the picture. */
typedef struct Mark
{
	const PhSankeyBar *bar;
	const PhGuide *guide;
	double x, y, width; /* middle of the bin */
	double left, right; /* room beside the bar */
} Mark;

/* Ends of the range first, then full bins, then from the left and the top. */
static int
by_weight(const void *a, const void *b)
{
	const Mark *left = a;
	const Mark *right = b;
	bool left_ends = left->guide->mark != NULL;
	bool right_ends = right->guide->mark != NULL;

	if (left_ends != right_ends)
		return left_ends ? -1 : 1;
	if (left->guide->count != right->guide->count)
		return left->guide->count > right->guide->count ? -1 : 1;
	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	return (left->y > right->y) - (left->y < right->y);
}

static Mark *
collect(PhScene *scene, const PhSankey *graph, PhBody where, uint32_t *n)
{
	size_t capacity = 0;
	Mark *marks = NULL;

	*n = 0;
	for (uint32_t i = 0; i < graph->n_bars; i++)
	{
		const PhSankeyBar *bar = &graph->bars[i];
		double right = ph_sankey_room_right(graph, bar, where.width + 6) - bar->width;
		double left = ph_sankey_room_left(graph, bar, -PH_GUIDES_LEFT);
		double top = where.y + bar->y;

		for (uint32_t k = 0; bar->gradient && k < bar->gradient->n_guides; k++)
		{
			const PhGuide *guide = &bar->gradient->guides[k];
			double y = top + bar->height * (guide->begin + guide->end) / 2;

			if (bar->height < LEAST_BAR)
				continue;
			y = fmin(fmax(y, top + GUIDE_LINE / 2), top + bar->height - GUIDE_LINE / 2);
			marks = ph_need_room(scene->arena, marks, *n, &capacity, sizeof(Mark));
			marks[(*n)++] = (Mark){bar,
								   guide,
								   where.x + bar->x,
								   y,
								   bar->width,
								   left - LEFT_OF_BAR - 4,
								   right - TICK - 6};
		}
	}
	if (*n > 0)
		qsort(marks, *n, sizeof(Mark), by_weight);
	return marks;
}

/* Returns whether its value stands there. */
static bool
draw_guide(PhScene *scene, Taken *taken, const Mark *mark, const PhSankeyPaint *paint,
		   PhGuideTexts texts)
{
	PhArena *arena = scene->arena;
	const char *value = ph_value(arena, paint->unit_name, mark->guide->value);
	const char *rights[2] = {ph_need_format(arena, "%s%s", mark_text(mark->guide), value), value};
	const char *lefts[3] = {names_text(arena, mark->guide), count_text(arena, mark->guide),
							ph_need_format(arena, "%.0f", mark->guide->count)};
	uint32_t skip = texts == PH_GUIDES_DETAILED ? 0 : 1;
	double baseline = mark->y + GUIDE_SIZE * 0.35;
	double right = mark->x + mark->width;
	PhStyle line = ph_stroke(ph_color_alpha(ph_ink(), 0.55), 0.6);

	ph_scene_open(scene, "guide", NULL);
	ph_scene_data(scene, "node", mark->bar->node);
	ph_scene_data(scene, "run", names_text(arena, mark->guide));
	ph_scene_data_number(scene, "value", mark->guide->value);
	ph_scene_data_number(scene, "count", mark->guide->count);
	if (!put_first(scene, taken, right + TICK + 2, baseline, mark->right, PH_START, rights, 2))
	{
		ph_scene_close(scene);
		return false;
	}
	ph_scene_line(scene, right, mark->y, right + TICK, mark->y, line);
	if (put_first(scene, taken, mark->x - LEFT_OF_BAR, baseline, mark->left, PH_END, lefts + skip,
				  3 - skip))
		ph_scene_line(scene, mark->x - LEFT_OF_BAR + 2, mark->y, mark->x, mark->y, line);
	ph_scene_close(scene);
	return true;
}

/* The bin of the target run, as a line with a triangle at its left end. */
static void
draw_target(PhScene *scene, const PhSankeyBar *bar, PhBody where)
{
	double x = where.x + bar->x;
	double y = where.y + bar->y + bar->height * bar->gradient->target;
	PhPath path = ph_path(scene);

	ph_scene_open(scene, "target", NULL);
	ph_scene_data(scene, "node", bar->node);
	ph_scene_data_number(scene, "value", bar->gradient->target_value);
	if (bar->height > 6)
		ph_scene_line(scene, x - 2, y, x + bar->width + 2, y, ph_stroke(ph_color_hex(0xffffff), 4));
	ph_scene_line(scene, x - 2, y, x + bar->width + 2, y,
				  ph_stroke(ph_ink(), bar->height > 6 ? 2 : 1));
	if (bar->height > 6)
	{
		ph_path_move(&path, x, y);
		ph_path_line(&path, x - 6, y - 4);
		ph_path_line(&path, x - 6, y + 4);
		ph_path_close(&path);
		ph_scene_path(scene, &path, ph_fill(ph_ink()));
	}
	ph_scene_close(scene);
}

uint32_t
ph_guides_draw(PhScene *scene, const PhSankey *graph, const PhSankeyPaint *paint, PhBody where,
			   PhGuideTexts texts)
{
	Taken taken = {0};
	uint32_t left_out = 0;
	uint32_t n;
	Mark *marks = collect(scene, graph, where, &n);

	ph_scene_open(scene, "guides", NULL);
	take_all(scene, &taken);
	for (uint32_t i = 0; i < n && texts != PH_GUIDES_NONE; i++)
		left_out += !draw_guide(scene, &taken, &marks[i], paint, texts);
	for (uint32_t i = 0; i < graph->n_bars; i++)
		if (graph->bars[i].gradient && !isnan(graph->bars[i].gradient->target))
			draw_target(scene, &graph->bars[i], where);
	ph_scene_close(scene);
	return left_out;
}
