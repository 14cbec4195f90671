/*
 * cct_view.c - `cct`: the call tree, every node a box of its least and greatest self cost.
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
#include "views/calls/cct.h"

#define LARGEST_RADIAL 2000.0
#define KEY 190.0

/* What the columns are: "8 ranks", "4 threads of 2 ranks", "20 columns" where nothing is known. */
static const char *
columns_text(PhArena *arena, const PhTable *columns, const char **one)
{
	double n = ph_table_number(columns, 0, "n");
	double ranks = ph_table_number(columns, 0, "ranks");
	bool by_rank = ranks == n && n > 0;
	bool by_thread = ranks > 0 && ph_table_number(columns, 0, "threads") > 0;

	*one = by_rank ? "rank" : by_thread ? "thread" : "column";
	if (by_rank)
		return ph_need_format(arena, "%.0f %s", n, n == 1 ? "rank" : "ranks");
	if (by_thread)
		return ph_need_format(arena, "%.0f threads of %.0f ranks", n, ranks);
	return ph_need_format(arena, "%.0f %s", isnan(n) ? 0 : n, n == 1 ? "column" : "columns");
}

static const char *
color_title(PhDrawing *drawing, const PhCctPaint *paint)
{
	static const char *const shown[] = {"greatest self",  "least self",
										"mean self",	  "imbalance_ratio (max / mean) of self",
										"mean inclusive", "module"};
	const char *metric = ph_metric_name(drawing->arena, drawing->rows,
										ph_option_given(drawing->options, "color-metric"));

	return ph_need_format(drawing->arena, "%s %s", shown[paint->color], metric ? metric : "cost");
}

static const char *
end_text(PhArena *arena, const PhCctPaint *paint, double value)
{
	if (paint->color == PH_CCT_IMBALANCE)
		return ph_need_format(arena, "%.2f", value);
	return ph_value(arena, paint->color_unit, value);
}

/* Colours at the left, the scale of boxes at the right, what a square means between. */
static void
draw_legend(PhDrawing *drawing, const PhCct *cct, const PhCctPaint *paint)
{
	PhScene *scene = drawing->scene;
	double end = ph_legend_scale(scene, scene->width - PH_MARGIN, cct->scale, paint->unit_name);
	PhRamp ramp = {.palette = paint->palette,
				   .map = ph_color_sequential,
				   .title = color_title(drawing, paint),
				   .low = end_text(drawing->arena, paint, paint->low),
				   .high = end_text(drawing->arena, paint, paint->high)};
	double x;

	if (paint->color == PH_CCT_MODULE)
	{
		ph_legend_categories(scene, PH_MARGIN, end, "module", &paint->categories);
		return;
	}
	x = ph_legend_ramp(scene, PH_MARGIN, &ramp);
	if (paint->beyond > 0)
		x = ph_legend_swatch(scene, x, ph_color_beyond(paint->palette), false,
							 ph_need_format(drawing->arena, "%u beyond", paint->beyond));
	if (x + KEY <= end)
	{
		ph_scene_open(scene, "key", NULL);
		ph_legend_swatch(scene, x, ph_color_hex(0x9aa5b5), false, "square: balanced");
		ph_scene_close(scene);
	}
}

static bool
any_color(const PhCct *cct)
{
	for (uint32_t i = 0; i < cct->n; i++)
		if (!isnan(cct->nodes[i].color))
			return true;
	return false;
}

static void
add_notes(PhDrawing *drawing, const PhCct *cct, const PhCctPaint *paint, uint32_t left_out)
{
	PhArena *arena = drawing->arena;
	const char *query = ph_table_text(ph_rows_table(drawing->rows, "highlight"), 0, "query");

	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena,
								"a box is as wide as the greatest and as high as the least self "
								"cost over all %ss (absent counts 0), at least 3 px",
								paint->of));
	if (query)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(arena, "%u of %u nodes match %s", cct->n_matches, cct->n, query));
	if (paint->beyond > 0 && paint->color != PH_CCT_MODULE)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u node%s beyond the range of colours", paint->beyond,
									paint->beyond == 1 ? " is" : "s are"));
	if (paint->color == PH_CCT_IMBALANCE && cct->is_one_column)
		ph_page_note(arena, &drawing->page,
					 any_color(cct)
						 ? "one column for all ranks: colours are of the file's own maxima "
						   "and averages over them; grey: it has none"
						 : "grey: one column, of which no imbalance is known");
	if (cct->n_pruned > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u call paths left out by the filter, grey: sums",
									cct->n_pruned));
	if (left_out > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u names without room left out", left_out));
}

/* Boxes of others have their amount in their names: their size ends at the largest box's. */
static void
name_others(PhArena *arena, PhCct *cct, const char *unit_name)
{
	for (uint32_t i = 0; i < cct->n; i++)
	{
		PhCctNode *node = &cct->nodes[i];

		if (node->is_others)
			node->name = ph_need_format(arena, "%s \xc2\xb7 %s", node->name,
										ph_value(arena, unit_name, node->inclusive));
	}
}

static void
place(PhDrawing *drawing, PhCct *cct, bool radial)
{
	const PhOptions *options = drawing->options;
	PhBody *body = &drawing->body;

	if (radial)
	{
		double most = LARGEST_RADIAL;

		if (ph_option_given(options, "width"))
			most = body->width;
		if (ph_option_given(options, "height"))
			most = fmin(most, body->height);
		ph_cct_place_radial(drawing->arena, cct, most);
	}
	else
		ph_cct_place_tree(drawing->arena, cct, body->width, ph_option_given(options, "width"));
	body->width = fmax(body->width, cct->width);
	body->height = cct->height;
	drawing->scene->width = body->width + 2 * PH_MARGIN;
}

/* What call paths without cost are left out by; a query says itself what, by its last filter. */
static double
share_left_out(const PhDrawing *drawing)
{
	double filtered = ph_table_number(ph_rows_table(drawing->rows, "columns"), 0, "filtered");

	if (!ph_query_shown(drawing->rows))
		return ph_option_share(drawing->options);
	return filtered > 0 ? filtered : 0;
}

static void
draw_cct_view(PhDrawing *drawing)
{
	const PhOptions *options = drawing->options;
	const char *columns;
	PhCctPaint paint = {.palette = ph_option_palette(options),
						.radial = ph_option_is(options, "layout", "radial"),
						.unit_name = ph_metric_unit(drawing->rows, 0),
						.color_unit =
							ph_metric_unit(drawing->rows, ph_option_given(options, "color-metric")),
						.run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};
	double share = share_left_out(drawing);
	PhCct cct;

	ph_option_bounds(options, &paint.low, &paint.high);
	if (ph_option_given(options, "color"))
		ph_cct_color_parse(ph_option_text(options, "color"), &paint.color);
	columns = columns_text(drawing->arena, ph_rows_table(drawing->rows, "columns"), &paint.of);
	ph_cct_read(drawing->arena, drawing->rows, paint.color,
				ph_option_given(options, "color-metric"), &cct);
	drawing->page.title = ph_need_format(drawing->arena, "Call tree: self cost over %s", columns);
	if (cct.n == 0 || !(cct.most > 0))
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body,
					  "no cost to draw: the metric is zero everywhere");
		return;
	}
	ph_cct_prune(drawing->arena, &cct, share);
	ph_cct_add_others(drawing->arena, &cct, share);
	name_others(drawing->arena, &cct, paint.unit_name);
	place(drawing, &cct, paint.radial);
	ph_cct_paint(drawing->arena, &cct, &paint);
	ph_known_colors_apply(drawing->arena, drawing->rows, paint.palette, &paint.categories);
	{
		PhBody where = drawing->body;

		where.x += (where.width - cct.width) / 2;
		add_notes(drawing, &cct, &paint, ph_cct_draw(drawing->scene, &cct, &paint, where));
	}
	draw_legend(drawing, &cct, &paint);
}

const PhView ph_view_cct = {
	.name = "cct",
	.needs_ranks = true,
	.summary = "call tree of boxes: width and colour the greatest, height the least self cost",
	.details = ph_help_render_cct,
	.place = "run",
	.label = "call tree",
	.options =
		"run! metric ranks filter=0.005 color:tree color-metric color-range highlight layout",
	.query = &ph_query_render_cct,
	.given = ph_given_profile,
	.reduction = "self cost over columns",
	.width = 1200,
	.height = 400,
	.draw = draw_cct_view};
