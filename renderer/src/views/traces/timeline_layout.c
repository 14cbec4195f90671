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
#include <strings.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "request/row_names.h"
#include "views/traces/timeline.h"

#define LEFT 56.0
#define AXIS 40.0
#define LEAST_GROUP 2.5 /* width of a span that can be pointed at */
#define LABEL_SIZE 9.5
#define MOST_POINTABLE 4000 /* lines */
#define MOST_JOINED 20		/* bins that lines may stand for */

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

/* Deeper bars are lower, around the middle of the row, as far as it is high enough. */
static Box
span_box(const Frame *frame, const PhTimelineLane *lane, uint32_t i)
{
	double gap = frame->row_height > 5 ? 1 : 0;
	double height = frame->row_height - gap;
	double step = fmin(2, height * 0.045);
	double inset = fmin(lane->depth * step, height * 0.3 * (1 - exp(-0.35 * lane->depth)));

	return (Box){frame->times.from + lane->bin[i] * frame->unit,
				 frame->top + lane->row * frame->row_height + gap / 2 + inset,
				 lane->n_bins[i] * frame->unit, fmax(height - 2 * inset, fmin(height, 1))};
}

static PhColor
span_color(const Frame *frame, const PhTimelineLane *lane, uint32_t i)
{
	bool is_grey = frame->plot->steps.n > 0 && strcasecmp(lane->region[i], "idle") != 0;
	PhColor color = is_grey ? ph_color_hex(0x8b929c)
							: ph_categories_color(&frame->plot->categories, lane->region[i]);
	PhColor lighter = ph_color_mix(color, ph_color_hex(0xffffff), 1 - pow(0.88, lane->depth));
	double share = fmin(fmax(lane->share[i], 0), 1);

	return ph_color_alpha(lighter, 0.1 + 0.9 * share);
}

static const char *
span_tooltip(PhArena *arena, const Frame *frame, const PhTimelineLane *lane, uint32_t i)
{
	const PhTimelinePlot *plot = frame->plot;
	double length = (plot->to - plot->from) / plot->n_bins;

	return ph_need_format(
		arena, "%s\n%s %s, depth %u\n%s to %s\n%.0f %s", lane->region[i], plot->unit_name,
		plot->row_names[lane->row], lane->depth,
		ph_value(arena, "ns", plot->from + lane->bin[i] * length),
		ph_value(arena, "ns", plot->from + (lane->bin[i] + lane->n_bins[i]) * length),
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
		ph_scene_text_fit(scene, box.x + 3, box.y + box.height / 2 + 3.4, width - 5,
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
		ph_scene_open(scene, "call", span_tooltip(scene->arena, frame, lane, i));
		ph_scene_data(scene, "run", frame->plot->run);
		ph_scene_data(scene, "node", lane->region[i]);
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
lanes_of_depth(PhArena *arena, const PhTimelinePlot *plot, uint32_t depth)
{
	const PhTimelineLane **lanes = ph_need(arena, plot->n_rows, sizeof(*lanes));

	for (uint32_t i = 0; i < plot->n_lanes; i++)
		if (plot->lanes[i].depth == depth && plot->lanes[i].row < plot->n_rows)
			lanes[plot->lanes[i].row] = &plot->lanes[i];
	return lanes;
}

static void
draw_calls(PhScene *scene, const Frame *frame)
{
	const PhTimelinePlot *plot = frame->plot;
	const PhTimelineLane **deeper = NULL;
	uint32_t depth = UINT32_MAX;

	ph_scene_open(scene, "calls", NULL);
	for (uint32_t l = 0; l < plot->n_lanes; l++)
	{
		const PhTimelineLane *lane = &plot->lanes[l];

		if (lane->row >= plot->n_rows)
			continue;
		if (lane->depth != depth)
		{
			depth = lane->depth;
			deeper = lanes_of_depth(scene->arena, plot, depth + 1);
		}
		for (uint32_t i = 0; i < lane->n; i++)
			draw_span(scene, frame, lane, deeper[lane->row], i);
	}
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
line_style(const Frame *frame, uint32_t i)
{
	const PhTimelineLines *lines = &frame->plot->lines;
	bool reversed = lines->receive[i] < lines->send[i];
	PhColor color = reversed ? ph_color_hex(0xc2185b) : ph_color_hex(0x10151c);

	return ph_stroke(ph_color_alpha(color, reversed ? fmax(frame->opacity, 0.6) : frame->opacity),
					 fmin(3, 0.7 + 0.35 * log2(fmax(lines->messages[i], 1))));
}

static void
draw_line(PhScene *scene, const Frame *frame, uint32_t i)
{
	const PhTimelineLines *lines = &frame->plot->lines;
	PhArena *arena = scene->arena;
	bool pointable = lines->n <= MOST_POINTABLE;

	if (pointable)
	{
		ph_scene_open(
			scene, "message",
			ph_need_format(arena, "%.0f %s, %s\n%s %s to %s\n%s to %s", lines->messages[i],
						   lines->messages[i] == 1 ? "message" : "messages",
						   ph_value(arena, "bytes", lines->bytes[i]), frame->plot->unit_name,
						   frame->plot->row_names[(uint32_t) lines->from_row[i]],
						   frame->plot->row_names[(uint32_t) lines->to_row[i]],
						   ph_value(arena, "ns", lines->send[i]),
						   ph_value(arena, "ns", lines->receive[i])));
		ph_scene_data(scene, "run", frame->plot->run);
		ph_scene_data_number(scene, "value", lines->messages[i]);
	}
	ph_scene_line(scene, ph_axis_at(&frame->times, lines->send[i]),
				  row_middle(frame, lines->from_row[i]),
				  ph_axis_at(&frame->times, lines->receive[i]), row_middle(frame, lines->to_row[i]),
				  line_style(frame, i));
	if (pointable)
		ph_scene_close(scene);
}

bool
ph_timeline_draws_lines(const PhTimelinePlot *plot)
{
	return plot->lines.n > 0 &&
		   plot->lines.bin_width <= MOST_JOINED * (plot->to - plot->from) / plot->n_bins;
}

static void
draw_lines(PhScene *scene, const Frame *frame)
{
	const PhTimelineLines *lines = &frame->plot->lines;

	if (!ph_timeline_draws_lines(frame->plot))
		return;
	ph_scene_open(scene, "messages", NULL);
	for (uint32_t i = 0; i < lines->n; i++)
		if (lines->from_row[i] < frame->plot->n_rows && lines->to_row[i] < frame->plot->n_rows)
			draw_line(scene, frame, i);
	ph_scene_close(scene);
}

/* ---- axes ---- */

static void
draw_row_names(PhScene *scene, const Frame *frame)
{
	PhTextStyle style = ph_text_style(10, ph_faint());
	PhTextStyle title = ph_text_style(11, ph_ink());
	const PhTimelinePlot *plot = frame->plot;
	PhRowNames names = ph_row_names(plot->row_names, plot->n_rows, frame->row_height);

	style.anchor = PH_END;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t row = 0; row < plot->n_rows; row++)
	{
		const char *name = ph_row_name(scene->arena, &names, row);

		if (name != NULL)
			ph_scene_text_fit(scene, frame->times.from - 5, row_middle(frame, row) + 3.5, 36, name,
							  style);
	}
	title.anchor = PH_MIDDLE;
	title.vertical = true;
	ph_scene_text(scene, frame->times.from - 46, frame->top + plot->n_rows * frame->row_height / 2,
				  plot->unit_name, title);
	ph_scene_close(scene);
}

void
ph_timeline_draw(PhScene *scene, const PhTimelinePlot *plot, PhBody body)
{
	Frame frame = {.plot = plot, .top = body.y + 4};
	double strip = plot->strip.n > 0 ? PH_STRIP : 0;
	double bottom;

	frame.times =
		ph_axis(scene->arena, "ns", plot->from, plot->to, body.x + LEFT, body.x + body.width, 12);
	frame.row_height = fmin((body.height - AXIS - 4 - strip) / plot->n_rows, 36);
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
	draw_lines(scene, &frame);
	draw_row_names(scene, &frame);
	if (strip > 0)
		ph_timeline_strip_draw(scene, &plot->strip, plot->run, &frame.times, bottom);
	bottom += strip;
	ph_axis_draw_bottom(scene, &frame.times, bottom, bottom,
						ph_axis_title(scene->arena, &frame.times, "time since the first event"));
}
