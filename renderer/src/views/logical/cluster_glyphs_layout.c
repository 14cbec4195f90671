/*
 * cluster_glyphs_layout.c - what a cluster did at a step: sends above, receives below, and the
 * processes without an event as a gap between them; the time before, in the column to the left.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "views/logical/clusters.h"

#define LEAST_GROUP 2.5

typedef struct Glyph
{
	double x, width;
	double top, bottom; /* of the glyph */
	double high, low;	/* where the lines of messages end */
} Glyph;

const char *
ph_cluster_count(PhArena *arena, const PhClusterPlot *plot, const PhCluster *cluster)
{
	const char *one = plot->rows.tasks ? "chare" : "process";
	const char *many = plot->rows.tasks ? "chares" : "processes";

	return ph_need_format(arena, "%.0f %s", cluster->n_members,
						  cluster->n_members == 1 ? one : many);
}

static double
cell_processes(const PhClusterPlot *plot, const PhClusterSeries *series)
{
	return series->n_processes * plot->rows.axis.columns_a_cell;
}

/* Part of the glyph's height that this kind of events takes. */
static double
share(const PhClusterPlot *plot, const PhClusterSeries *series, uint32_t i, int part)
{
	double all = cell_processes(plot, series);
	double active = 0;

	for (int p = 0; p < PH_PARTS; p++)
		active += series->count[p][i];
	if (plot->no_inactive || active > all)
		all = active;
	return all > 0 ? series->count[part][i] / all : 0;
}

static double
gap_of(double width)
{
	return width > 6 ? fmin(width * 0.1, 3) : 0;
}

double
ph_cluster_room_above(double height)
{
	return fmin(height * 0.16, 7);
}

double
ph_cluster_room_below(const PhClusterPlot *plot, double height)
{
	return plot->exchange == PH_EXCHANGE_WAITALL ? fmin(height * 0.4, 16)
												 : ph_cluster_room_above(height);
}

static Glyph
glyph_at(const PhClusterPlot *plot, double column, double top, double height)
{
	double width = ph_step_axis_cell_width(&plot->rows.axis);

	return (Glyph){.x = ph_step_axis_cell(&plot->rows.axis, column) + gap_of(width),
				   .width = width - 2 * gap_of(width),
				   .top = top + ph_cluster_room_above(height),
				   .bottom = top + height - ph_cluster_room_below(plot, height),
				   .high = top + 1,
				   .low = top + height - 1};
}

static PhStyle
part_style(const PhClusterPlot *plot, double column, double value, bool bordered)
{
	PhStyle style = ph_fill(ph_step_color(&plot->rows.colors, (uint32_t) fmax(column, 0), value));

	if (bordered)
	{
		style.stroke = ph_color_mix(style.fill, ph_color_hex(0), 0.4);
		style.stroke_width = 0.6;
	}
	return style;
}

/* Sends from the top, collectives below them, receives from the bottom. */
static void
draw_parts(PhScene *scene, const PhClusterPlot *plot, const PhClusterSeries *series, uint32_t i,
		   const Glyph *glyph, const double *const *values, double column)
{
	double height = glyph->bottom - glyph->top;
	double y = glyph->top;

	for (int part = 0; part < PH_PARTS; part++)
	{
		double size = share(plot, series, i, part) * height;

		if (!(size > 0))
			continue;
		if (part == PH_PART_RECEIVE)
			y = glyph->bottom - size;
		ph_scene_rect(scene, glyph->x, y, glyph->width, size,
					  part_style(plot, column, values[part][i], glyph->width > 5 && size > 2));
		y += size;
	}
}

/* Lines as thick as the share of processes that send, up from the top, or receive, from below. */
static void
draw_line_marks(PhScene *scene, const PhClusterPlot *plot, const PhClusterSeries *series,
				uint32_t i, const Glyph *glyph)
{
	double sends = share(plot, series, i, PH_PART_SEND);
	double receives = share(plot, series, i, PH_PART_RECEIVE);
	double middle = glyph->x + glyph->width / 2;
	double reach = glyph->width / 2 + gap_of(glyph->width + 2);
	PhColor ink = ph_color_hex(0x10151c);

	if (glyph->width < LEAST_GROUP)
		return;
	if (sends > 0)
		ph_scene_line(scene, middle, glyph->top, middle + reach, glyph->high,
					  ph_stroke(ink, 0.6 + 2.6 * sends));
	if (receives > 0 && plot->exchange != PH_EXCHANGE_WAITALL)
		ph_scene_line(scene, middle - reach, glyph->low, middle, glyph->bottom,
					  ph_stroke(ink, 0.6 + 2.6 * receives));
}

/* A quarter of a disc: all that one call received at most in the phase; filled: here, on average.
 */
static void
draw_quarter_pie(PhScene *scene, const PhClusterPlot *plot, double received, const Glyph *glyph)
{
	double radius = fmin(glyph->low - glyph->bottom - 1.5, glyph->width * 0.6);
	double x = glyph->x + 1;
	double y = glyph->bottom + 2;
	double part = plot->most_received > 0 ? fmin(received / plot->most_received, 1) : 0;
	const char *text = ph_number(scene->arena, round(received * 10) / 10);
	double width = ph_fonts_width(scene->fonts, text, 8.5, PH_REGULAR);
	const double quarter = acos(-1) / 2;

	if (radius < 3 || !(received > 0))
		return;
	for (int filled = 0; filled < 2; filled++)
	{
		PhPath path = ph_path(scene);
		double angle = filled ? part * quarter : quarter;
		double bend = 4.0 / 3 * tan(angle / 4) * radius;

		ph_path_move(&path, x, y);
		ph_path_line(&path, x + radius, y);
		ph_path_curve(&path, x + radius, y + bend, x + radius * cos(angle) + bend * sin(angle),
					  y + radius * sin(angle) - bend * cos(angle), x + radius * cos(angle),
					  y + radius * sin(angle));
		ph_path_close(&path);
		ph_scene_path(scene, &path,
					  filled ? ph_fill(ph_color_hex(0x10151c))
							 : (PhStyle){.fill = ph_color_hex(0xffffff),
										 .stroke = ph_color_hex(0x10151c),
										 .stroke_width = 0.7});
	}
	if (radius + 4 + width <= glyph->width)
		ph_scene_text(scene, x + radius + 3, y + 8, text, ph_text_style(8.5, ph_ink()));
}

static const char *
tooltip(PhArena *arena, const PhClusterPlot *plot, const PhClusterSeries *series, uint32_t i)
{
	static const char *const names[] = {"send", "take part in a collective", "receive"};
	const PhCluster *cluster = &plot->clusters[series->cluster];
	const char *text = ph_need_format(arena, "cluster %.0f of %s, step %.0f", cluster->id,
									  ph_cluster_count(arena, plot, cluster), series->step[i]);

	for (int part = 0; part < PH_PARTS; part++)
		if (series->count[part][i] > 0)
			text = ph_need_format(
				arena, "%s\n%.0f %s: %s on average, %s before it", text, series->count[part][i],
				names[part], ph_step_value(arena, &plot->rows.colors, series->value[part][i]),
				ph_step_value(arena, &plot->rows.colors, series->before[part][i]));
	if (series->received[i] > 1)
		text = ph_need_format(arena, "%s\n%s messages a call", text,
							  ph_number(arena, series->received[i]));
	return text;
}

static void
open_glyph(PhScene *scene, const PhClusterPlot *plot, const PhClusterSeries *series, uint32_t i)
{
	double sum = 0;
	double n = 0;

	for (int part = 0; part < PH_PARTS; part++)
		if (series->count[part][i] > 0)
		{
			sum += series->count[part][i] * series->value[part][i];
			n += series->count[part][i];
		}
	ph_scene_open(scene, "glyph", tooltip(scene->arena, plot, series, i));
	ph_scene_data(scene, "run", plot->rows.run);
	ph_scene_data(scene, "phase", plot->phase);
	ph_scene_data_number(scene, "cluster", plot->clusters[series->cluster].id);
	ph_scene_data_number(scene, "step", series->step[i]);
	ph_scene_data_number(scene, "value", n > 0 ? sum / n : NAN);
}

void
ph_cluster_series_draw(PhScene *scene, const PhClusterPlot *plot, const PhClusterSeries *series)
{
	const PhCluster *cluster = &plot->clusters[series->cluster];

	for (uint32_t i = 0; i < series->n; i++)
	{
		double column = series->column[i];
		Glyph glyph = glyph_at(plot, column, cluster->top, cluster->height);

		open_glyph(scene, plot, series, i);
		if (plot->rows.axis.between && column >= 1)
		{
			Glyph left = glyph_at(plot, column - 1, cluster->top, cluster->height);

			draw_parts(scene, plot, series, i, &left, series->before, column - 1);
		}
		draw_parts(scene, plot, series, i, &glyph, series->value, column);
		draw_line_marks(scene, plot, series, i, &glyph);
		if (plot->exchange == PH_EXCHANGE_WAITALL)
			draw_quarter_pie(scene, plot, series->received[i], &glyph);
		ph_scene_close(scene);
	}
}

/* ---- pairs ---- */

typedef struct Half
{
	double top, height;
	const PhClusterSeries *series; /* NULL: no such processes in the cluster */
	bool *sends, *receives;		   /* by column: what is drawn there */
} Half;

static Half
half_of(PhArena *arena, const PhClusterPlot *plot, const PhClusterSeries *series, double top,
		double height)
{
	uint32_t columns = plot->rows.axis.columns + 1;

	return (Half){.top = top,
				  .height = height,
				  .series = series,
				  .sends = ph_need(arena, columns, sizeof(bool)),
				  .receives = ph_need(arena, columns, sizeof(bool))};
}

static void
draw_half(PhScene *scene, const PhClusterPlot *plot, Half *half)
{
	const PhClusterSeries *series = half->series;

	for (uint32_t i = 0; series != NULL && i < series->n; i++)
	{
		uint32_t column = (uint32_t) series->column[i];
		Glyph glyph = glyph_at(plot, column, half->top, half->height);
		bool send = series->count[PH_PART_SEND][i] >= series->count[PH_PART_RECEIVE][i];
		int part = send ? PH_PART_SEND : PH_PART_RECEIVE;

		half->sends[column] = send;
		half->receives[column] = !send;
		open_glyph(scene, plot, series, i);
		if (plot->rows.axis.between && column >= 1)
		{
			Glyph left = glyph_at(plot, column - 1, half->top, half->height);
			double inset = (left.bottom - left.top) * 0.2;

			ph_scene_rect(scene, left.x, left.top + inset, left.width,
						  left.bottom - left.top - 2 * inset,
						  part_style(plot, column - 1, series->before[part][i], left.width > 5));
		}
		ph_scene_rect(scene, glyph.x, glyph.top, glyph.width, glyph.bottom - glyph.top,
					  part_style(plot, column, series->value[part][i], glyph.width > 5));
		ph_scene_close(scene);
	}
}

static void
draw_absent(PhScene *scene, const PhClusterPlot *plot, const Half *half, uint32_t column)
{
	Glyph glyph = glyph_at(plot, column, half->top, half->height);

	ph_scene_open(scene, "absent", "partners of these processes, in other clusters");
	ph_scene_rect(scene, glyph.x, glyph.top, glyph.width, glyph.bottom - glyph.top,
				  (PhStyle){.stroke = ph_color_hex(0x8a94a3), .stroke_width = 0.8, .dash = 2.5});
	ph_scene_close(scene);
}

/*
 * Messages between the two halves of a cluster's row, from a step of `from` to the next one of
 * `to`. A line needs a glyph at both ends: where a half has no event at that step, an empty box is
 * drawn, which stands for the event that its processes did not have.
 */
static void
draw_exchange(PhScene *scene, const PhClusterPlot *plot, Half *from, Half *to)
{
	const PhStepAxis *axis = &plot->rows.axis;
	uint32_t distance = axis->between ? axis->stride : 1;
	double half_cell = ph_step_axis_cell_width(axis) / 2;

	for (uint32_t c = 0; c + distance < axis->columns; c++)
	{
		if (!from->sends[c] && !to->receives[c + distance])
			continue;
		if (!to->receives[c + distance] && !to->sends[c + distance])
		{
			to->receives[c + distance] = true;
			draw_absent(scene, plot, to, c + distance);
		}
		if (!from->sends[c] && !from->receives[c])
		{
			from->sends[c] = true;
			draw_absent(scene, plot, from, c);
		}
		if (from->sends[c] && to->receives[c + distance])
			ph_scene_line(scene, ph_step_axis_cell(axis, c) + half_cell,
						  from->top + from->height / 2,
						  ph_step_axis_cell(axis, c + distance) + half_cell,
						  to->top + to->height / 2, ph_stroke(ph_color_hex(0x10151c), 0.9));
	}
}

void
ph_cluster_pair_draw(PhScene *scene, const PhClusterPlot *plot, const PhClusterSeries *senders,
					 const PhClusterSeries *receivers)
{
	const PhCluster *cluster =
		&plot->clusters[senders != NULL ? senders->cluster : receivers->cluster];
	double height = cluster->height / 2;
	Half upper = half_of(scene->arena, plot, senders, cluster->top, height);
	Half lower = half_of(scene->arena, plot, receivers, cluster->top + height, height);

	draw_half(scene, plot, &upper);
	draw_half(scene, plot, &lower);
	draw_exchange(scene, plot, &upper, &lower);
	draw_exchange(scene, plot, &lower, &upper);
}
