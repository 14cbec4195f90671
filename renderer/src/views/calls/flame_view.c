/*
 * flame_view.c - `flame` and `flame-diff`: call trees as stacked boxes.
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
#include "views/calls/flame.h"

#define ROW_HEIGHT 18.0
#define MAX_ROWS 1500

static bool
check_diff(const PhOptions *options, const char **message, const char **hint)
{
	if (ph_option_text(options, "vs") == NULL && ph_option_text(options, "rows") == NULL)
	{
		*message = "two runs are needed to compare";
		*hint = "Give --run A and --vs B.";
		return false;
	}
	return true;
}

/* What neither boxes nor sums of them show. */
static const char *
gaps(PhArena *arena, const PhFlame *flame, const PhFlameHidden *hidden)
{
	if (!(hidden->cost > 0))
		return "";
	return ph_need_format(arena, ", gaps: %s", ph_percent(arena, hidden->cost, flame->total));
}

static void
note_hidden(PhDrawing *drawing, const PhFlame *flame, const PhFlamePaint *paint,
			const PhFlameHidden *hidden)
{
	PhArena *arena = drawing->arena;

	if (hidden->summed + hidden->narrow > 0)
		drawing->too_small = ph_need_format(
			arena, "%u of %u call paths too narrow%s%s", hidden->summed + hidden->narrow,
			flame->n_paths, hidden->summed > 0 ? ", grey: sums" : "", gaps(arena, flame, hidden));
	if (hidden->deep > 0)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(arena, "%u boxes below level %d not drawn", hidden->deep, MAX_ROWS));
	if (hidden->gone > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u call paths only in A, not drawn (self cost %s)",
									hidden->gone,
									ph_value(arena, paint->unit_name, hidden->gone_cost)));
}

static double
row_height(const PhOptions *options, PhBody body, uint32_t n_levels)
{
	if (ph_option_given(options, "height"))
		return fmin(fmax(body.height / n_levels, 4), 24);
	return ROW_HEIGHT;
}

static void
draw_flame_view(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const PhOptions *options = drawing->options;
	PhFlamePaint paint = {.palette = ph_option_palette(options),
						  .root_on_top = ph_option_flag(options, "icicle"),
						  .unit_name = ph_metric_unit(drawing->rows, 0),
						  .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id"),
						  .noise = ph_noise_read(drawing->rows)};
	PhFlameHidden hidden = {0};
	PhFlame flame;
	uint32_t n_levels;
	double height;

	paint.by_exclusive = ph_option_is(options, "color", "exclusive");
	paint.by_inclusive = ph_option_is(options, "cost", "inclusive");
	ph_flame_read(arena, drawing->rows, &flame);
	drawing->page.title = flame.differential					? "Differential flame graph"
						  : ph_option_flag(options, "inverted") ? "Flame graph, bottom-up"
																: "Flame graph";
	if (!(flame.total > 0))
	{
		drawing->body.height = fmin(drawing->body.height, 200);
		ph_page_empty(drawing->scene, drawing->body,
					  "no cost to draw: the metric is zero everywhere");
		return;
	}
	n_levels = ph_flame_visible_levels(&flame, drawing->body.width);
	n_levels = n_levels < MAX_ROWS ? n_levels : MAX_ROWS;
	height = row_height(options, drawing->body, n_levels);
	drawing->body.height = n_levels * height;
	ph_flame_paint(arena, &flame, &paint);
	ph_known_colors_apply(arena, drawing->rows, paint.palette, &paint.categories);
	ph_flame_draw(drawing->scene, &flame, &paint, drawing->body, height, n_levels, &hidden);
	ph_flame_legend(drawing->scene, &flame, &paint);
	note_hidden(drawing, &flame, &paint, &hidden);
	ph_noise_note(arena, &drawing->page, &paint.noise);
}

static void
draw_diff(PhDrawing *drawing)
{
	drawing->page.identity = ph_compared_identity(drawing->arena, drawing->rows);
	draw_flame_view(drawing);
	drawing->page.caption = ph_need_format(
		drawing->arena, "A: %s \xc2\xb7 B: %s \xc2\xb7 width = B, dashed = only in B",
		ph_caption_text(drawing->rows, "caption"), ph_caption_text(drawing->rows, "caption_b"));
}

const PhView ph_view_flame = {.name = "flame",
							  .summary = "flame graph of a run: call paths as stacked boxes",
							  .details = ph_help_render_flame,
							  .place = "run",
							  .label = "flame graph",
							  .options = "run! metric ranks filter color:flames inverted icicle",
							  .query = &ph_query_render_flame,
							  .given = ph_given_profile,
							  .reduction = "mean over columns",
							  .width = 1200,
							  .height = 400,
							  .draw = draw_flame_view};

static const PhGivenColumn two_profiles[] = {
	{.name = "a", .kind = PH_GIVEN_PROFILE}, {.name = "b", .kind = PH_GIVEN_PROFILE}, {0}};

const PhView ph_view_flame_diff = {
	.name = "flame-diff",
	.summary = "differential flame graph: width of B, colour of the change from A",
	.details = ph_help_render_flame_diff,
	.place = "compare",
	.label = "flame graph",
	.options = "run! vs! metric ranks filter cost=exclusive icicle aliases",
	.query = &ph_query_render_flame_diff,
	.given = two_profiles,
	.reduction = "mean over columns",
	.width = 1200,
	.height = 400,
	.check = check_diff,
	.draw = draw_diff};
