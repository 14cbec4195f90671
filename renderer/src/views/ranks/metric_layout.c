/*
 * metric_layout.c - one node of the call tree over all processes, or along iterations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "views/ranks/processes.h"

#define LEFT 66.0
#define BOTTOM 40.0
#define TOP 8.0
#define TICK_SIZE 9.5
#define SEAM 0.4 /* narrow bars reach under their neighbours, so that no seams show */

typedef struct Frame
{
	double x, width, top, baseline, place; /* place: width of one cell */
	PhAxis values;
} Frame;

static Frame
make_frame(PhScene *scene, const PhMetricPlot *plot, PhBody where)
{
	const PhProcesses *p = plot->processes;
	double low = 0;
	Frame frame = {.x = where.x + LEFT,
				   .width = where.width - LEFT,
				   .top = where.y + TOP,
				   .baseline = where.y + where.height - BOTTOM};

	for (uint32_t i = 0; i < p->n; i++)
		low = fmin(low, p->min[i]);
	frame.place = frame.width / p->n;
	frame.values =
		ph_axis(scene->arena, plot->unit_name, low, p->greatest_max, frame.baseline, frame.top, 8);
	return frame;
}

static PhColor
bar_color(const PhMetricPlot *plot, double value)
{
	double high = plot->processes->greatest_max;

	return ph_color_sequential(plot->palette, high > 0 ? 0.15 + 0.85 * value / high : 0.5);
}

static const char *
tooltip(PhArena *arena, const PhMetricPlot *plot, uint32_t i)
{
	const PhProcesses *p = plot->processes;
	const char *text = ph_processes_cell(arena, p, i);

	if (p->host[i] && !p->by_iteration)
		text = ph_need_format(arena, "%s on %s", text, p->host[i]);
	if (!(p->present[i] > 0))
		return ph_need_format(arena, "%s\nwithout this call path", text);
	if (p->count[i] > 1)
		return ph_need_format(arena, "%s\ngreatest %s (%s)\nleast %s\nmean %s", text,
							  ph_value(arena, plot->unit_name, p->max[i]),
							  p->worst[i] ? p->worst[i] : "",
							  ph_value(arena, plot->unit_name, p->min[i]),
							  ph_value(arena, plot->unit_name, p->mean[i]));
	return ph_need_format(arena, "%s\n%s", text, ph_value(arena, plot->unit_name, p->max[i]));
}

/* Of the part from a bar to the greatest of its processes. */
static PhColor
reach_color(const PhMetricPlot *plot, uint32_t i)
{
	const PhProcesses *p = plot->processes;

	return p->widths.above > 0 && p->max[i] > p->widths.high ? ph_color_beyond(plot->palette)
															 : ph_color_hex(0xc3cad4);
}

/* A bar up to the mean; of several processes a darker part from the least, a light one to the
 * greatest. */
static void
draw_process(PhScene *scene, const PhMetricPlot *plot, const Frame *frame, uint32_t i)
{
	const PhProcesses *p = plot->processes;
	double air = frame->place >= 4 ? fmin(frame->place * 0.15, 6) : 0;
	double x = frame->x + i * frame->place + air / 2;
	double width = frame->place - air + (air > 0 ? 0 : SEAM);
	PhColor fill = bar_color(plot, p->mean[i]);
	double zero = ph_axis_at(&frame->values, 0);
	double mean = ph_axis_at(&frame->values, p->mean[i]);
	double top = ph_axis_at(&frame->values, p->max[i]);
	double bottom = ph_axis_at(&frame->values, isnan(p->min[i]) ? 0 : p->min[i]);

	ph_scene_open(scene, "process", tooltip(scene->arena, plot, i));
	ph_scene_data(scene, "run", plot->run);
	ph_scene_data(scene, "node", plot->node);
	ph_scene_data_number(scene, p->by_iteration ? "iteration" : "rank", p->rank[i]);
	ph_scene_data_number(scene, "processes", p->count[i]);
	ph_scene_data_number(scene, "value", p->max[i]);
	ph_scene_data_number(scene, "mean", p->mean[i]);
	if (p->count[i] > 1)
		ph_scene_rect(scene, x, top, width, bottom - top, ph_fill(reach_color(plot, i)));
	ph_scene_rect(scene, x, fmin(mean, zero), width, fmax(fabs(zero - mean), 0.5), ph_fill(fill));
	if (p->count[i] > 1 && bottom - mean >= 0.5)
		ph_scene_rect(scene, x, mean, width, bottom - mean,
					  ph_fill(ph_color_mix(fill, ph_color_hex(0), 0.3)));
	if (!(p->present[i] > 0))
		ph_scene_line(scene, x + width / 2, frame->baseline - 4, x + width / 2, frame->baseline,
					  ph_stroke(ph_color_hex(0xb04a3a), fmin(width, 1.5)));
	ph_scene_close(scene);
}

/* How many ranks, or iterations, a cell has. */
static double
numbers_in(const PhProcesses *p, uint32_t cell)
{
	return p->by_iteration ? p->per : p->count[cell];
}

/* The middle of the process with this rank, or iteration; cells are in order of ranks. */
static double
place_of_rank(const PhProcesses *p, const Frame *frame, double rank)
{
	uint32_t cell = 0;
	double inside;

	while (cell + 1 < p->n && p->rank[cell + 1] <= rank)
		cell++;
	inside = fmin((rank - p->rank[cell] + 0.5) / numbers_in(p, cell), 1);
	return frame->x + (cell + inside) * frame->place;
}

static void
draw_tick(PhScene *scene, const Frame *frame, double x, const char *text, double *last)
{
	PhTextStyle style = ph_text_style(TICK_SIZE, ph_faint());
	double half = ph_fonts_width(scene->fonts, text, TICK_SIZE, PH_REGULAR) / 2;

	style.anchor = PH_MIDDLE;
	if (x - half < *last + 10 || x + half > frame->x + frame->width + 20)
		return;
	ph_scene_line(scene, x, frame->baseline, x, frame->baseline + 4, ph_stroke(ph_rule(), 1));
	ph_scene_text(scene, x, frame->baseline + 15, text, style);
	*last = x + half;
}

static void
draw_rank_ticks(PhScene *scene, const PhMetricPlot *plot, const Frame *frame)
{
	const PhProcesses *p = plot->processes;
	double end = p->rank[p->n - 1] + numbers_in(p, p->n - 1) - 1;
	PhAxisTicks ticks = ph_axis_ticks(p->rank[0], fmax(end, p->rank[0] + 1), 27);
	double last = -INFINITY;

	for (uint32_t i = 0; i < ticks.n; i++)
	{
		double rank = ph_tick_at(&ticks, i);

		if (rank == floor(rank) && rank <= end)
			draw_tick(scene, frame, place_of_rank(p, frame, rank),
					  ph_need_format(scene->arena, "%.0f", rank), &last);
	}
}

/* The first column of a place, or each host's first. */
static void
draw_name_ticks(PhScene *scene, const PhMetricPlot *plot, const Frame *frame)
{
	const PhProcesses *p = plot->processes;
	double last = -INFINITY;

	for (uint32_t i = 0; i < p->n; i++)
	{
		const char *host = p->by_host ? p->host[i] : NULL;
		const char *text = host ? host : p->first[i];

		if (text != NULL && !(host && i > 0 && p->host[i - 1] && strcmp(host, p->host[i - 1]) == 0))
			draw_tick(scene, frame, frame->x + (i + 0.5) * frame->place, text, &last);
	}
}

static void
draw_places(PhScene *scene, const PhMetricPlot *plot, const Frame *frame)
{
	const PhProcesses *p = plot->processes;
	PhTextStyle title = ph_text_style(11, ph_ink());

	title.anchor = PH_MIDDLE;
	ph_scene_open(scene, "axis", NULL);
	if (p->by_iteration || (p->by_rank && !p->by_host))
		draw_rank_ticks(scene, plot, frame);
	else
		draw_name_ticks(scene, plot, frame);
	ph_scene_text(scene, frame->x + frame->width / 2, frame->baseline + 31,
				  p->by_host && !p->by_iteration
					  ? ph_need_format(scene->arena, "ranks by %s", p->order)
					  : ph_processes_noun(p, true),
				  title);
	ph_scene_close(scene);
}

static void
draw_mean(PhScene *scene, const PhMetricPlot *plot, const Frame *frame)
{
	double y = ph_axis_at(&frame->values, plot->mean);
	PhTextStyle style = ph_text_style(10, ph_ink());

	style.anchor = PH_END;
	style.halo = ph_color_alpha(ph_color_hex(0xffffff), 0.9);
	ph_scene_open(scene, "mean", NULL);
	ph_scene_data_number(scene, "value", plot->mean);
	ph_scene_line(scene, frame->x, y, frame->x + frame->width, y,
				  (PhStyle){.stroke = ph_ink(), .stroke_width = 1, .dash = 4});
	ph_scene_text(scene, frame->x + frame->width - 4, y - 4,
				  ph_need_format(scene->arena, "mean %s",
								 ph_value(scene->arena, plot->unit_name, plot->mean)),
				  style);
	ph_scene_close(scene);
}

void
ph_metric_draw(PhScene *scene, const PhMetricPlot *plot, PhBody where)
{
	Frame frame = make_frame(scene, plot, where);

	ph_scene_open(scene, "metric", NULL);
	ph_scene_data(scene, "node", plot->node);
	ph_scene_data(scene, "run", plot->run);
	ph_axis_draw_left(scene, &frame.values, frame.x, frame.x + frame.width,
					  ph_axis_title(scene->arena, &frame.values, plot->what));
	for (uint32_t i = 0; i < plot->processes->n; i++)
		draw_process(scene, plot, &frame, i);
	ph_scene_line(scene, frame.x, frame.baseline, frame.x + frame.width, frame.baseline,
				  ph_stroke(ph_rule(), 1));
	draw_places(scene, plot, &frame);
	draw_mean(scene, plot, &frame);
	ph_scene_close(scene);
}
