/*
 * sankey_compare_view.c - `sankey-compare`: two super graphs on one scale of height and colour.
 *
 * Two runs stand side by side; some ranks of a run (A) stand above the others (B). Heights are
 * means per column of each, so that three ranks against five hundred can be compared.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/known_colors.h"
#include "request/view.h"
#include "texts.h"
#include "views/supergraph/sankey.h"

#define HEADING 22.0 /* height of the line above each graph */
#define BETWEEN 28.0

/* The bodies of the two graphs, with their headings. */
static void
divide(PhBody body, bool beside, PhBody *a, PhBody *b)
{
	*a = *b = body;
	if (beside)
	{
		a->width = b->width = (body.width - BETWEEN) / 2;
		b->x += a->width + BETWEEN;
		return;
	}
	a->height = b->height = (body.height - BETWEEN) / 2;
	b->y += a->height + BETWEEN;
}

static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	PhBody a;
	PhBody b;

	divide(body, ph_option_text(options, "vs") != NULL, &a, &b);
	*width = a.width - PH_SANKEY_RIGHT;
	*height = a.height - HEADING;
}

static bool
check(const PhOptions *options, const char **message, const char **hint)
{
	if (ph_option_text(options, "vs") == NULL && ph_option_text(options, "ranks") == NULL &&
		ph_option_text(options, "rows") == NULL)
	{
		*message = "nothing to compare with";
		*hint = "Give a second run with --vs, or --ranks to compare them with the other ranks.";
		return false;
	}
	return true;
}

/* Graphs may have needed more room than asked for. */
static void
make_room(PhDrawing *drawing, bool beside, const PhSankey *a, const PhSankey *b)
{
	double width = fmax(a->width, b->width) + PH_SANKEY_RIGHT;
	double height = fmax(a->height, b->height) + HEADING;

	drawing->body.width = fmax(drawing->body.width, beside ? 2 * width + BETWEEN : width);
	drawing->body.height = fmax(drawing->body.height, beside ? height : 2 * height + BETWEEN);
	drawing->scene->width = drawing->body.width + 2 * PH_MARGIN;
}

static void
draw_side(PhDrawing *drawing, const PhSankey *graph, PhSankeyPaint *paint, PhBody where,
		  const char *heading, PhSankeyHidden *hidden)
{
	PhTextStyle style = ph_text_style(12.5, ph_ink());

	style.weight = PH_BOLD;
	ph_scene_text_fit(drawing->scene, where.x, where.y + 9, where.width, heading, style);
	where.y += HEADING;
	where.height -= HEADING;
	if (graph->n_bars == 0 || !(graph->total > 0))
		ph_page_empty(drawing->scene, where, "no cost to draw");
	else
		ph_sankey_draw(drawing->scene, graph, paint, where, hidden);
}

static const char *
heading(PhDrawing *drawing, const char *letter, const char *section, const PhSankey *graph,
		const char *ranks)
{
	const char *name = ph_run_name(drawing->arena, drawing->rows, section);

	if (*name == '\0')
		name = ph_run_name(drawing->arena, drawing->rows, "run");
	return ph_need_format(drawing->arena, "%s: %s%s \xc2\xb7 %s per %s", letter, name, ranks,
						  ph_value(drawing->arena, ph_metric_unit(drawing->rows, 0), graph->total),
						  ph_column_word(drawing->rows, "run"));
}

static void
draw_both(PhDrawing *drawing, const PhSankey *a, const PhSankey *b, PhSankeyPaint *paint,
		  bool beside)
{
	PhSankeyHidden hidden = {0};
	PhBody left;
	PhBody right;

	make_room(drawing, beside, a, b);
	divide(drawing->body, beside, &left, &right);
	paint->run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id");
	draw_side(drawing, a, paint, left,
			  heading(drawing, "A", "run", a, beside ? "" : ", chosen ranks"), &hidden);
	if (ph_rows_table(drawing->rows, "run_b"))
		paint->run = ph_table_text(ph_rows_table(drawing->rows, "run_b"), 0, "run_id");
	draw_side(drawing, b, paint, right,
			  heading(drawing, "B", "run_b", b, beside ? "" : ", other ranks"), &hidden);
	ph_sankey_legend(drawing->scene, paint, fmin(a->scale, b->scale),
					 ph_sankey_has_absorbed(a) || ph_sankey_has_absorbed(b));
	ph_sankey_note_hidden(drawing->arena, &drawing->page, &hidden);
}

static void
draw_sankey_compare_view(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const PhOptions *options = drawing->options;
	bool beside = ph_rows_table(drawing->rows, "run_b") != NULL;
	PhSankeyPaint paint = {.palette = ph_option_palette(options),
						   .color = PH_BY_DIFFERENCE,
						   .unit_name = ph_metric_unit(drawing->rows, 0)};
	PhNoiseRows noise = ph_noise_read(drawing->rows);
	const PhSankey *graphs[2];
	PhSankey a;
	PhSankey b;

	ph_sankey_read(arena, drawing->rows, "", paint.unit_name, &a);
	ph_sankey_read(arena, drawing->rows, "_b", paint.unit_name, &b);
	graphs[0] = &a;
	graphs[1] = &b;
	paint.inclusive = ph_option_is(options, "cost", "inclusive");
	ph_sankey_compare(&a, &b, paint.inclusive, &noise);
	if (ph_option_given(options, "color"))
		ph_sankey_color_parse(ph_option_text(options, "color"), &paint.color);
	drawing->page.title = beside ? "Two runs as super graphs" : "Ranks against the others";
	drawing->page.identity =
		beside ? ph_compared_identity(arena, drawing->rows) : drawing->page.identity;
	ph_sankey_paint(arena, graphs, 2, &paint);
	ph_known_colors_apply(drawing->arena, drawing->rows, paint.palette, &paint.categories);
	draw_both(drawing, &a, &b, &paint, beside);
	if (paint.color == PH_BY_DIFFERENCE)
		ph_noise_note(arena, &drawing->page, &noise);
	drawing->page.caption =
		ph_need_format(arena, "A: %s \xc2\xb7 B: %s", ph_caption_text(drawing->rows, "caption"),
					   ph_caption_text(drawing->rows, "caption_b"));
}

const PhView ph_view_sankey_compare = {
	.name = "sankey-compare",
	.summary = "two super graphs on one scale: two runs, or some ranks against the others",
	.details = ph_help_render_sankey_compare,
	.place = "compare",
	.label = "side by side",
	.options =
		"run! vs metric ranks filter:graph levels group-by module-map split-entry split-caller "
		"drill color:two "
		"cost=exclusive bins",
	.query = &ph_query_render_sankey_compare,
	.reduction = "mean over columns",
	.width = 1600,
	.height = 900,
	.layout_size = layout_size,
	.has_levels = true,
	.check = check,
	.draw = draw_sankey_compare_view};
