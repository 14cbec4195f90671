/*
 * timeline_layout.c - a timeline: nested calls as bars, deeper ones lighter and lower; messages as
 * lines, in a second layer.
 *
 * Spans are aggregated before they come here; what lies below shines through a span that calls
 * cover only in part. Spans under a few units wide have no group of their own, so that pictures
 * stay small.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "drawing/dark.h"
#include "request/row_names.h"
#include "views/traces/timeline.h"

#define LEFT 20.0 /* beside the names of rows */
#define AXIS 40.0
#define LEAST_GROUP 2.5 /* width of a span that can be pointed at */
#define LABEL_SIZE 9.5
#define MOST_POINTABLE 4000 /* lines */
#define MOST_LAUNCHES 400
#define LONG_BURST 8 /* messages in bins next to each other that are no burst any more */

typedef struct Frame
{
	const PhTimelinePlot *plot;
	PhAxis times;
	double top, row_height;
	double unit;	/* width of a bin */
	double opacity; /* of lines */
	PhArena *arena;
} Frame;

typedef struct Box
{
	double x, y, width, height;
} Box;

/* Where a row's calls are: all of it, or the lower half for those of its deviant. */
static Box
row_box(const Frame *frame, const PhTimelineLane *lane)
{
	double gap = frame->row_height > 5 ? 1 : 0;
	double y = frame->top + lane->row * frame->row_height;
	double height = frame->row_height - gap;
	double half = fmax(floor(height / 2), 1);

	if (lane->rank == NULL)
		return (Box){0, y, 0, height};
	return (Box){0, y + height - half, 0, half};
}

/* Deeper bars are lower, around the middle of the row, as far as it is high enough. */
static Box
span_box(const Frame *frame, const PhTimelineLane *lane, uint32_t i)
{
	Box row = row_box(frame, lane);
	double step = fmin(2, row.height * 0.045);
	double inset = fmin(lane->depth * step, row.height * 0.3 * (1 - exp(-0.35 * lane->depth)));

	inset = floor(inset); /* parts of units would be one in some rows and none in others */
	return (Box){frame->times.from + lane->bin[i] * frame->unit, row.y + inset,
				 lane->n_bins[i] * frame->unit, fmax(row.height - 2 * inset, fmin(row.height, 1))};
}

static PhColor
span_color(const Frame *frame, const PhTimelineLane *lane, uint32_t i)
{
	bool is_grey = frame->plot->steps.n > 0 && strcasecmp(lane->region[i], "idle") != 0;
	PhColor color = is_grey ? ph_color_hex(0x8b929c)
							: ph_categories_color(&frame->plot->categories, lane->region[i]);
	PhColor paler = ph_color_recede(color, 1 - pow(0.88, lane->depth));
	double share = fmin(fmax(lane->share[i], 0), 1);

	return ph_color_alpha(paler, 0.1 + 0.9 * share);
}

/* "12.3 ms, of which 40.0 %": how long a span is, and how much of it its calls take. */
static const char *
duration_text(PhArena *arena, double duration, double bin, double share)
{
	const char *text = duration <= 1.5 * bin
						   ? ph_need_format(arena, "within %s", ph_value(arena, "ns", duration))
						   : ph_value(arena, "ns", duration);

	if (!(share < 0.995))
		return text;
	return ph_need_format(arena, "%s, of which %s", text, ph_percent(arena, share, 1));
}

/* "rank 3", "ranks 0-51 (52 of them)". */
static const char *
row_text(PhArena *arena, const PhTimelinePlot *plot, uint32_t row)
{
	if (plot->sizes[row] > 1)
		return ph_need_format(arena, "%ss %s (%.0f of them)", plot->unit_name, plot->row_names[row],
							  plot->sizes[row]);
	return ph_need_format(arena, "%s %s", plot->unit_name, plot->row_names[row]);
}

static const char *
place_text(PhArena *arena, const PhTimelinePlot *plot, const PhTimelineLane *lane, uint32_t i)
{
	const char *row = row_text(arena, plot, lane->row);

	if (lane->rank == NULL)
		return row;
	return ph_need_format(arena, "%s %.0f, the least like %s: something else in %s of the time",
						  plot->unit_name, lane->rank[i], row,
						  ph_percent(arena, lane->distance[i], 1));
}

static const char *
span_tooltip(PhArena *arena, const Frame *frame, const PhTimelineLane *lane, uint32_t i)
{
	const PhTimelinePlot *plot = frame->plot;
	double length = (plot->to - plot->from) / plot->n_bins;
	double from = plot->from + lane->bin[i] * length;
	double duration = lane->n_bins[i] * length;

	return ph_need_format(arena, "%s\n%s, depth %u\n%s\n%s to %s\n%.0f %s", lane->region[i],
						  place_text(arena, plot, lane, i), lane->depth,
						  duration_text(arena, duration, length, lane->share[i]),
						  ph_moment(arena, from, length), ph_moment(arena, from + duration, length),
						  lane->calls[i], lane->calls[i] == 1 ? "call" : "calls");
}

/*
 * The end of the part of [bin, end) that no span of the deeper lane covers, beginning at bin: where
 * the label of a call may stand. Binary search for the first deeper span that ends after bin.
 * deeper NULL: nothing covers it.
 */
static double
free_until(const PhTimelineLane *deeper, double bin, double end)
{
	uint32_t low = 0;
	uint32_t high = deeper != NULL ? deeper->n : 0;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (deeper->bin[middle] + deeper->n_bins[middle] > bin)
			high = middle;
		else
			low = middle + 1;
	}
	if (deeper == NULL || low == deeper->n)
		return end;
	return fmax(bin, fmin(end, deeper->bin[low]));
}

/* The span's name at its left end, as far as the calls from it, drawn over it, leave room. */
static void
draw_label(PhScene *scene, const Frame *frame, const PhTimelineLane *lane,
		   const PhTimelineLane *deeper, uint32_t i, Box box)
{
	PhTextStyle style = ph_text_style(LABEL_SIZE, ph_color_on(span_color(frame, lane, i)));
	double end = free_until(deeper, lane->bin[i], lane->bin[i] + lane->n_bins[i]);
	double width = (end - lane->bin[i]) * frame->unit;

	if (box.height >= LABEL_SIZE + 1 && width >= 24)
		ph_scene_name_fit(scene, box.x + 3, box.y + box.height / 2 + 3.4, width - 5,
						  lane->region[i], style);
}

static void
draw_span(PhScene *scene, const Frame *frame, const PhTimelineLane *lane,
		  const PhTimelineLane *deeper, uint32_t i)
{
	Box box = span_box(frame, lane, i);
	PhStyle style = ph_fill(span_color(frame, lane, i));
	bool pointable = box.width >= LEAST_GROUP;

	if (box.width > 5 && frame->row_height > 7)
		style.stroke = ph_color_mix(style.fill, ph_color_hex(0), 0.25), style.stroke_width = 0.4;
	if (pointable)
	{
		ph_scene_open(scene, lane->rank ? "deviant" : "call",
					  span_tooltip(scene->arena, frame, lane, i));
		ph_scene_data(scene, "run", frame->plot->run);
		ph_scene_data(scene, "node", lane->region[i]);
		if (lane->rank != NULL)
			ph_scene_data_number(scene, "rank", lane->rank[i]);
		else
			ph_scene_data(scene, "rank", frame->plot->row_names[lane->row]);
		ph_scene_data_number(scene, "value", lane->calls[i]);
	}
	ph_scene_rect(scene, box.x, box.y, fmax(box.width, 0.3), box.height, style);
	if (pointable)
	{
		draw_label(scene, frame, lane, deeper, i, box);
		ph_scene_close(scene);
	}
}

/* Lanes one level deeper, by row; NULL where a row has none. */
static const PhTimelineLane **
lanes_of_depth(PhArena *arena, const PhTimelinePlot *plot, const PhTimelineLane *lanes, uint32_t n,
			   uint32_t depth)
{
	const PhTimelineLane **found = ph_need(arena, plot->n_rows, sizeof(*found));

	for (uint32_t i = 0; i < n; i++)
		if (lanes[i].depth == depth && lanes[i].row < plot->n_rows)
			found[lanes[i].row] = &lanes[i];
	return found;
}

static void
draw_lanes(PhScene *scene, const Frame *frame, const PhTimelineLane *lanes, uint32_t n)
{
	const PhTimelinePlot *plot = frame->plot;
	const PhTimelineLane **deeper = NULL;
	uint32_t depth = UINT32_MAX;

	for (uint32_t l = 0; l < n; l++)
	{
		const PhTimelineLane *lane = &lanes[l];

		if (lane->row >= plot->n_rows)
			continue;
		if (lane->depth != depth)
		{
			depth = lane->depth;
			deeper = lanes_of_depth(scene->arena, plot, lanes, n, depth + 1);
		}
		for (uint32_t i = 0; i < lane->n; i++)
			draw_span(scene, frame, lane, deeper[lane->row], i);
	}
}

/* Paper under what a row's deviant did: what most others did must not shine through. */
static void
clear_deviants(PhScene *scene, const Frame *frame)
{
	const PhTimelinePlot *plot = frame->plot;

	for (uint32_t l = 0; l < plot->n_deviants; l++)
	{
		const PhTimelineLane *lane = &plot->deviants[l];
		Box row = row_box(frame, lane);
		double done = -1;

		for (uint32_t i = 0; i < lane->n && lane->row < plot->n_rows; i++)
		{
			if (lane->first_bin[i] <= done)
				continue;
			done = lane->last_bin[i];
			ph_scene_rect(scene, frame->times.from + lane->first_bin[i] * frame->unit, row.y,
						  (done + 1 - lane->first_bin[i]) * frame->unit, row.height,
						  ph_fill(ph_color_hex(0xffffff)));
		}
	}
}

static void
draw_calls(PhScene *scene, const Frame *frame)
{
	const PhTimelinePlot *plot = frame->plot;

	ph_scene_open(scene, "calls", NULL);
	draw_lanes(scene, frame, plot->lanes, plot->n_lanes);
	ph_scene_close(scene);
	if (plot->n_deviants == 0)
		return;
	ph_scene_open(scene, "deviants", NULL);
	clear_deviants(scene, frame);
	draw_lanes(scene, frame, plot->deviants, plot->n_deviants);
	ph_scene_close(scene);
}

/* ---- messages ---- */

static double
row_middle(const Frame *frame, double row)
{
	return frame->top + (row + 0.5) * frame->row_height;
}

/* How opaque lines are: paler where many share the picture's width. */
static double
line_opacity(const Frame *frame)
{
	const PhTimelineLines *lines = &frame->plot->lines;
	uint32_t n = frame->plot->n_bins;
	bool *used = ph_need(frame->arena, n, sizeof(*used));
	double width = (frame->plot->to - frame->plot->from) / n;
	uint32_t n_used = 0;

	for (uint32_t i = 0; i < lines->n; i++)
	{
		uint32_t bin =
			(uint32_t) fmin(fmax((lines->send[i] - frame->plot->from) / width, 0), n - 1);

		n_used += !used[bin];
		used[bin] = true;
	}
	return n_used == 0 ? 1 : fmin(0.75, fmax(0.03, 1.1 * n_used * frame->unit / lines->n));
}

static PhStyle
line_style(const Frame *frame, const PhTimelineLines *lines, uint32_t i)
{
	if (lines == &frame->plot->launches)
		return ph_stroke(ph_color_alpha(ph_color_hex(0x3d5a80), 0.45), 0.7);
	bool reversed = lines->receive[i] < lines->send[i];
	PhColor color = reversed ? ph_color_hex(0xc2185b) : ph_color_hex(0x10151c);

	return ph_stroke(ph_color_alpha(color, reversed ? fmax(frame->opacity, 0.6) : frame->opacity),
					 fmin(3, 0.7 + 0.35 * log2(fmax(lines->messages[i], 1))));
}

static const char *
line_tooltip(PhArena *arena, const Frame *frame, const PhTimelineLines *lines, uint32_t i)
{
	double resolution = (frame->plot->to - frame->plot->from) / frame->plot->n_bins;
	const char *rows = ph_need_format(arena, "%s %s to %s", frame->plot->unit_name,
									  frame->plot->row_names[(uint32_t) lines->from_row[i]],
									  frame->plot->row_names[(uint32_t) lines->to_row[i]]);
	const char *times = ph_need_format(
		arena, "%s\n%s to %s", ph_signed_value(arena, "ns", lines->receive[i] - lines->send[i]),
		ph_moment(arena, lines->send[i], resolution),
		ph_moment(arena, lines->receive[i], resolution));
	if (lines == &frame->plot->launches)
		return ph_need_format(arena, "%.0f %s\n%s\nfrom call to start %s", lines->messages[i],
							  lines->messages[i] == 1 ? "launch" : "launches", rows, times);
	return ph_need_format(arena, "%.0f %s, %s\n%s\nunder way %s", lines->messages[i],
						  lines->messages[i] == 1 ? "message" : "messages",
						  ph_value(arena, "bytes", lines->bytes[i]), rows, times);
}

static void
draw_line(PhScene *scene, const Frame *frame, const PhTimelineLines *lines, uint32_t i)
{
	bool pointable = lines->n <= MOST_POINTABLE;

	if (pointable)
	{
		ph_scene_open(scene, lines == &frame->plot->launches ? "launch" : "message",
					  line_tooltip(scene->arena, frame, lines, i));
		ph_scene_data(scene, "run", frame->plot->run);
		ph_scene_data_number(scene, "value", lines->messages[i]);
	}
	ph_scene_line(scene, ph_axis_at(&frame->times, lines->send[i]),
				  row_middle(frame, lines->from_row[i]),
				  ph_axis_at(&frame->times, lines->receive[i]), row_middle(frame, lines->to_row[i]),
				  line_style(frame, lines, i));
	if (pointable)
		ph_scene_close(scene);
}

/* How many messages have left one row for another, each soon after the one before it. */
typedef struct Burst
{
	double last; /* when the last one left */
	uint32_t n;
} Burst;

/* Lines that go on for long without a gap between them, from one row to another. */
static uint32_t
count_crowded(PhArena *arena, const PhTimelinePlot *plot)
{
	const PhTimelineLines *lines = &plot->lines;
	Burst *bursts = ph_need(arena, plot->n_rows, sizeof(*bursts));
	double near = 2 * (plot->to - plot->from) / plot->n_bins;
	double from = -1;
	uint32_t n = 0;

	for (uint32_t i = 0; i < lines->n; i++)
	{
		Burst *burst = &bursts[(uint32_t) lines->to_row[i]];

		if (lines->from_row[i] != from)
			memset(bursts, 0, plot->n_rows * sizeof(*bursts));
		from = lines->from_row[i];
		burst->n = burst->n > 0 && lines->send[i] - burst->last < near ? burst->n + 1 : 1;
		burst->last = lines->send[i];
		n += burst->n == LONG_BURST ? LONG_BURST : burst->n > LONG_BURST;
	}
	return n;
}

bool
ph_timeline_draws_lines(PhArena *arena, const PhTimelinePlot *plot)
{
	double bin = (plot->to - plot->from) / plot->n_bins;

	return plot->lines.n > 0 && !(plot->lines.bin_width > 1.5 * bin) &&
		   count_crowded(arena, plot) < 0.5 * plot->lines.n;
}

static void
draw_lines(PhScene *scene, const Frame *frame)
{
	const PhTimelineLines *lines = &frame->plot->lines;

	if (!ph_timeline_draws_lines(frame->arena, frame->plot))
		return;
	ph_scene_open(scene, "messages", NULL);
	for (uint32_t i = 0; i < lines->n; i++)
		draw_line(scene, frame, lines, i);
	ph_scene_close(scene);
}

bool
ph_timeline_draws_launches(const PhTimelinePlot *plot)
{
	return plot->launches.n > 0 && plot->launches.n <= MOST_LAUNCHES && !(plot->most_locations > 1);
}

/* Thin and pale, below messages; those of calls before the window begin at its border. */
static void
draw_launches(PhScene *scene, const Frame *frame)
{
	const PhTimelineLines *launches = &frame->plot->launches;

	if (!ph_timeline_draws_launches(frame->plot))
		return;
	ph_scene_open(scene, "launches", NULL);
	for (uint32_t i = 0; i < launches->n; i++)
		draw_line(scene, frame, launches, i);
	ph_scene_close(scene);
}

/* ---- axes ---- */

static void
draw_row_names(PhScene *scene, const Frame *frame)
{
	PhTextStyle style = ph_text_style(10, ph_faint());
	PhTextStyle title = ph_text_style(11, ph_ink());
	const PhTimelinePlot *plot = frame->plot;
	PhRowNames names = ph_row_names(scene->arena, plot->row_names, plot->n_rows, frame->row_height);

	style.anchor = PH_END;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t row = 0; row < plot->n_rows; row++)
	{
		const char *name = ph_row_name(scene->arena, &names, row);

		if (name != NULL)
			ph_scene_text_fit(scene, frame->times.from - 5, row_middle(frame, row) + 3.5,
							  plot->name_width, name, style);
	}
	title.anchor = PH_MIDDLE;
	title.vertical = true;
	ph_scene_text(scene, frame->times.from - 10 - plot->name_width,
				  frame->top + plot->n_rows * frame->row_height / 2, plot->unit_name, title);
	ph_scene_close(scene);
}

void
ph_timeline_draw(PhScene *scene, const PhTimelinePlot *plot, PhBody body)
{
	Frame frame = {.plot = plot, .top = body.y + 4};
	double strip = plot->strip.n > 0 ? PH_STRIP : 0;
	double bottom;

	frame.times = ph_axis(scene->arena, "ns", plot->from, plot->to,
						  body.x + LEFT + plot->name_width, body.x + body.width, 12);
	frame.row_height = fmin((body.height - AXIS - 4 - strip) / plot->n_rows, 36);
	if (frame.row_height >= 2)
		frame.row_height = floor(frame.row_height); /* every row as many pixels as the others */
	frame.unit = (frame.times.to - frame.times.from) / plot->n_bins;
	bottom = frame.top + plot->n_rows * frame.row_height;
	frame.arena = scene->arena;
	frame.opacity = line_opacity(&frame);
	if (plot->steps.n > 0)
		ph_step_legend(scene, &plot->steps.colors);
	else
		ph_legend_categories(scene, PH_MARGIN, scene->width - PH_MARGIN, "calls of",
							 &plot->categories);
	draw_calls(scene, &frame);
	ph_timeline_steps_draw(
		scene, plot, (PhTimelinePlace){frame.times.from, frame.unit, frame.top, frame.row_height});
	draw_launches(scene, &frame);
	draw_lines(scene, &frame);
	draw_row_names(scene, &frame);
	if (strip > 0)
		ph_timeline_strip_draw(scene, &plot->strip, plot->run, &frame.times, bottom);
	bottom += strip;
	ph_axis_draw_bottom(scene, &frame.times, bottom, bottom,
						ph_axis_title(scene->arena, &frame.times, "time since the first event"));
}
