/*
 * gpu_activity_view.c - `gpu-activity`: what devices did, or why they were idle: each of them, and
 * all over time.
 *
 * Where many devices share a column, the one that is least like those of its number has a mark
 * above it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "queries.h"
#include "request/view.h"
#include "texts.h"
#include "views/traces/trace_page.h"

#define LEFT 66.0
#define AXIS 40.0
#define BETWEEN 14.0
#define MARKS 12.0
#define LEAST_APART 0.1 /* of the time a device does something else, for its mark */
#define MOST_NAMES 6	/* beside marks */

typedef struct Use
{
	const char *column, *text;
	uint32_t color;
} Use;

/* From the bottom of a column. */
static const Use uses[] = {
	{"compute", "computing", 0x2f6db3},
	{"overlap", "computing and communicating", 0x6a51a3},
	{"exposed", "communicating alone", 0xe08214},
	{"copies", "copying", 0x35978f},
	{"launch_gap", "idle: between queued activities", 0xbfc6cf},
	{"other", "idle: other", 0x8b929c},
	{"host_wait", "idle: for the host", 0xc0392b},
};
#define N_USES (sizeof(uses) / sizeof(uses[0]))

static double
sum_of(const PhTable *table, uint32_t row)
{
	double sum = 0;

	for (size_t use = 0; use < N_USES; use++)
		sum += ph_table_number(table, row, uses[use].column);
	return sum;
}

/* Columns of one row of them. */
typedef struct Columns
{
	const PhTable *table;
	const char *run;
	PhAxis heights;
	bool is_time; /* of bins, else of devices */
} Columns;

static const char *
column_name(PhArena *arena, const Columns *columns, uint32_t row)
{
	const PhTable *table = columns->table;
	double n = ph_table_number(table, row, "n");

	if (columns->is_time)
		return ph_need_format(arena, "%s to %s",
							  ph_value(arena, "ns", ph_table_number(table, row, "bin_start")),
							  ph_value(arena, "ns", ph_table_number(table, row, "bin_end")));
	if (n > 1)
		return ph_need_format(arena, "mean of %.0f devices from %s on", n,
							  ph_table_text(table, row, "device"));
	return ph_need_format(arena, "device %s", ph_table_text(table, row, "device"));
}

static void
draw_column(PhScene *scene, const Columns *columns, uint32_t row, double left, double right)
{
	const PhTable *table = columns->table;
	double scale = columns->is_time ? ph_table_number(table, row, "bin_end") -
										  ph_table_number(table, row, "bin_start")
									: 1;
	double below = 0, sum = sum_of(table, row);
	double gap = right - left > 4 ? 1 : 0;

	for (size_t use = 0; use < N_USES; use++)
	{
		double value = ph_table_number(table, row, uses[use].column);
		double low = ph_axis_at(&columns->heights, below / scale);
		double high = ph_axis_at(&columns->heights, (below + value) / scale);

		if (!(value > 0))
			continue;
		ph_scene_open(scene, "cell",
					  ph_need_format(scene->arena, "%s\n%s\n%s, %s of it", uses[use].text,
									 column_name(scene->arena, columns, row),
									 ph_value(scene->arena, "ns", value),
									 ph_percent(scene->arena, value / sum, 1)));
		ph_scene_data(scene, "run", columns->run);
		ph_scene_data(scene, "node", uses[use].text);
		ph_scene_data_number(scene, "value", value);
		ph_scene_rect(scene, left, high, fmax(right - left - gap, 0.5), low - high,
					  ph_fill(ph_color_hex(uses[use].color)));
		ph_scene_close(scene);
		below += value;
	}
}

/* ---- devices ---- */

/* Of the time, what the device of a column that is least like its peers does otherwise. */
static double
share_apart(const PhTable *apart, uint32_t row)
{
	return ph_table_number(apart, row, "distance") / fmax(sum_of(apart, row), 1);
}

/* NAME: with the device's name, on the side that has room. */
static void
draw_mark(PhScene *scene, const Columns *columns, const PhTable *apart, uint32_t row, double unit,
		  double top, bool has_name)
{
	const char *device = ph_table_text(apart, row, "device");
	double x = LEFT + PH_MARGIN + ph_table_number(apart, row, "group") * unit;
	PhTextStyle style = ph_text_style(9.5, ph_ink());

	ph_scene_open(scene, "outlier",
				  ph_need_format(scene->arena, "device %s: something else in %s of the time",
								 device, ph_percent(scene->arena, share_apart(apart, row), 1)));
	ph_scene_data(scene, "run", columns->run);
	ph_scene_data(scene, "node", device);
	ph_scene_rect(scene, x, top - MARKS, fmax(unit, 2), MARKS - 4, ph_fill(ph_color_hex(0xc0392b)));
	style.anchor = x > scene->width / 2 ? PH_END : PH_START;
	if (has_name)
		ph_scene_text(scene, x > scene->width / 2 ? x - 4 : x + fmax(unit, 2) + 4, top - 4, device,
					  style);
	ph_scene_close(scene);
}

/* Names stand beside marks that are few. */
static void
draw_marks(PhScene *scene, const Columns *columns, const PhTable *apart, double unit, double top)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < ph_rows_count(apart); row++)
		n += share_apart(apart, row) >= LEAST_APART;
	for (uint32_t row = 0; row < ph_rows_count(apart); row++)
		if (share_apart(apart, row) >= LEAST_APART)
			draw_mark(scene, columns, apart, row, unit, top, n <= MOST_NAMES);
}

static void
name_columns(PhScene *scene, const PhTable *groups, double unit, double baseline)
{
	PhTextStyle style = ph_text_style(9.5, ph_faint());
	uint32_t every = (uint32_t) fmax(ceil(46 / unit), 1);

	style.anchor = PH_MIDDLE;
	for (uint32_t row = 0; row < groups->n_rows; row += every)
		if (groups->n_rows == 1 || row + every / 2 < groups->n_rows)
			ph_scene_text(scene, LEFT + PH_MARGIN + (row + 0.5) * unit, baseline + 13,
						  ph_table_text(groups, row, "device"), style);
}

static void
draw_devices(PhDrawing *drawing, const PhTable *groups, PhBody body)
{
	PhScene *scene = drawing->scene;
	const PhTable *apart = ph_rows_table(drawing->rows, "apart");
	Columns columns = {.table = groups,
					   .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};
	double most = 0, baseline = body.y + body.height - 20;
	double unit = fmin((body.width - LEFT) / groups->n_rows, 90);

	for (uint32_t row = 0; row < groups->n_rows; row++)
		most = fmax(most, sum_of(groups, row));
	columns.heights = ph_axis(scene->arena, "ns", 0, most, baseline, body.y + MARKS, 5);
	ph_axis_draw_left(scene, &columns.heights, body.x + LEFT, body.x + body.width,
					  ph_axis_title(scene->arena, &columns.heights, "each device"));
	for (uint32_t row = 0; row < groups->n_rows; row++)
		draw_column(scene, &columns, row, body.x + LEFT + row * unit,
					body.x + LEFT + (row + 1) * unit);
	draw_marks(scene, &columns, apart, unit, body.y + MARKS);
	name_columns(scene, groups, unit, baseline);
}

/* ---- over time ---- */

static void
draw_over_time(PhDrawing *drawing, const PhTable *bins, PhBody body)
{
	PhScene *scene = drawing->scene;
	Columns columns = {.table = bins,
					   .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id"),
					   .is_time = true};
	double from, to, baseline = body.y + body.height - AXIS;
	double n_devices = ph_table_number(bins, 0, "n");

	ph_trace_window(drawing->rows, &from, &to);
	PhAxis times = ph_axis(scene->arena, "ns", from, to, body.x + LEFT, body.x + body.width, 10);
	columns.heights = ph_axis(scene->arena, NULL, 0, n_devices, baseline, body.y,
							  n_devices < 5 ? (uint32_t) n_devices + 1 : 5);
	ph_axis_draw_left(scene, &columns.heights, times.from, times.to,
					  ph_axis_title(scene->arena, &columns.heights, "devices, on average"));
	for (uint32_t row = 0; row < bins->n_rows; row++)
		draw_column(scene, &columns, row,
					ph_axis_at(&times, ph_table_number(bins, row, "bin_start")),
					ph_axis_at(&times, ph_table_number(bins, row, "bin_end")));
	ph_axis_draw_bottom(scene, &times, baseline, baseline,
						ph_axis_title(scene->arena, &times, "time since the first event"));
}

/* What remains of ranks' clocks being apart: columns of different ranks share an axis. */
static void
note_clocks(PhDrawing *drawing)
{
	const PhTable *clocks = ph_rows_table(drawing->rows, "clocks");
	double early;

	if (ph_rows_count(clocks) == 0)
		return;
	early = ph_table_number(clocks, 0, "early");
	ph_page_note(drawing->arena, &drawing->page,
				 ph_need_format(drawing->arena,
								"ends of collectives differ by %s between the clocks of %.0f ranks",
								ph_value(drawing->arena, "ns", ph_table_number(clocks, 0, "error")),
								ph_table_number(clocks, 0, "n")));
	if (early > 0)
		ph_page_note(
			drawing->arena, &drawing->page,
			ph_need_format(drawing->arena,
						   "%.0f end on a rank before they begin on others: clocks are wrong",
						   early));
}

static void
draw_gpu_activity_view(PhDrawing *drawing)
{
	const PhTable *groups = ph_rows_table(drawing->rows, "groups");
	const PhTable *bins = ph_rows_table(drawing->rows, "bins");
	PhBody body = drawing->body, half = body;
	double x = PH_MARGIN;

	drawing->page.title = "Activity of devices";
	if (ph_rows_count(groups) == 0 || ph_rows_count(bins) == 0)
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no activities of devices in this window");
		return;
	}
	for (size_t use = 0; use < N_USES; use++)
		x = ph_legend_swatch(drawing->scene, x, ph_color_hex(uses[use].color), false,
							 uses[use].text);
	half.height = floor((body.height - BETWEEN) / 2);
	draw_devices(drawing, groups, half);
	half.y += half.height + BETWEEN;
	draw_over_time(drawing, bins, half);
	ph_page_note(drawing->arena, &drawing->page,
				 "idle: between a device's first and last activity, by what came next on it");
	if (ph_rows_count(ph_rows_table(drawing->rows, "apart")) > 0)
		ph_page_note(
			drawing->arena, &drawing->page,
			"columns are means of the devices of a rank or of neighbours; a red mark above: one of "
			"them does something else than those of its number on other ranks, for a tenth of the "
			"time or more");
	note_clocks(drawing);
	ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_gpu_activity = {
	.name = "gpu-activity",
	.summary = "what devices did or why they were idle, each and over time",
	.details = ph_help_render_gpu_activity,
	.place = "trace-gpu",
	.label = "devices",
	.options = "run! bins from to ranks",
	.query = &ph_query_render_gpu_activity,
	.reduction = "sums over devices",
	.width = 1100,
	.height = 620,
	.draw = draw_gpu_activity_view};
