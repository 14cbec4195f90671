/*
 * clusters_layout.c - clusters of a phase: processes around the latest one on top, the dendrogram
 * at the left, a row per cluster as high as it has members.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "views/logical/clusters.h"

#define TREE 96.0	 /* width of the dendrogram */
#define LABELS 108.0 /* width of the names of rows */
#define FOOT 38.0
#define FOCUS_ROW 20.0
#define LEAST_ROW 24.0
#define GAP 22.0

/* ---- places ---- */

/* Rows get what is left above the least height in proportion to members. */
static void
place_clusters(PhClusterPlot *plot, double top, double height)
{
	double least = fmin(LEAST_ROW, height / plot->n_shown);
	double rest = height - least * plot->n_shown;
	double members = 0;

	for (uint32_t i = 0; i < plot->n_shown; i++)
		members += plot->clusters[plot->shown[i]].n_members;
	for (uint32_t i = 0; i < plot->n_shown; i++)
	{
		PhCluster *cluster = &plot->clusters[plot->shown[i]];

		cluster->top = top;
		cluster->height = least + rest * cluster->n_members / members;
		cluster->y = top + cluster->height / 2;
		top += cluster->height;
		if (cluster->row != UINT32_MAX)
		{
			double box = fmin(cluster->height, 30);

			plot->rows.top[cluster->row] = cluster->y - box / 2;
			plot->rows.height[cluster->row] = box;
		}
	}
}

static void
place_focus(PhClusterPlot *plot, double top)
{
	for (uint32_t row = 0; row < plot->n_focus; row++)
	{
		plot->rows.top[row] = top + row * FOCUS_ROW;
		plot->rows.height[row] = FOCUS_ROW;
	}
}

/* ---- the dendrogram ---- */

/*
 * Places the knots of the tree of clusters: vertically between their two children, horizontally by
 * the square root of the distance at which these were joined, the greatest at the left. Joins come
 * after what they join, so children have their places already.
 */
static void
place_knots(PhClusterPlot *plot, double left, double right)
{
	double most = 0;
	double least = INFINITY;

	for (uint32_t i = 0; i < plot->n; i++)
		if (plot->clusters[i].child[0] < i && plot->clusters[i].child[1] < i)
		{
			most = fmax(most, sqrt(plot->clusters[i].distance));
			least = fmin(least, sqrt(plot->clusters[i].distance));
		}
	for (uint32_t i = 0; i < plot->n; i++)
	{
		PhCluster *cluster = &plot->clusters[i];
		const uint32_t *child = cluster->child;

		cluster->x = right;
		if (child[0] >= i || child[1] >= i)
			continue;
		cluster->x = left;
		if (most > least)
			cluster->x += (most - sqrt(cluster->distance)) / (most - least) * (right - left) * 0.7;
		cluster->y = (plot->clusters[child[0]].y + plot->clusters[child[1]].y) / 2;
	}
}

static void
draw_knot(PhScene *scene, const PhClusterPlot *plot, uint32_t i, PhStyle style)
{
	const PhCluster *cluster = &plot->clusters[i];
	const PhCluster *upper = &plot->clusters[cluster->child[0]];
	const PhCluster *lower = &plot->clusters[cluster->child[1]];
	PhPath path = ph_path(scene);

	ph_scene_open(scene, "join",
				  ph_need_format(scene->arena, "cluster %.0f: %s\n%s apart (root mean square)",
								 cluster->id, ph_cluster_count(scene->arena, plot, cluster),
								 ph_value(scene->arena, "ns", sqrt(cluster->distance))));
	ph_scene_data(scene, "run", plot->rows.run);
	ph_scene_data_number(scene, "cluster", cluster->id);
	ph_scene_data_number(scene, "parent", cluster->parent_id);
	ph_path_move(&path, upper->x, upper->y);
	ph_path_line(&path, cluster->x, upper->y);
	ph_path_line(&path, cluster->x, lower->y);
	ph_path_line(&path, lower->x, lower->y);
	ph_scene_path(scene, &path, style);
	ph_scene_close(scene);
}

static void
draw_dendrogram(PhScene *scene, const PhClusterPlot *plot)
{
	PhStyle style = ph_stroke(ph_color_hex(0x5b6675), 1.2);

	ph_scene_open(scene, "dendrogram", NULL);
	for (uint32_t i = 0; i < plot->n; i++)
		if (plot->clusters[i].child[0] < i && plot->clusters[i].child[1] < i)
			draw_knot(scene, plot, i, style);
	ph_scene_close(scene);
}

/* ---- rows ---- */

static void
draw_name(PhScene *scene, const PhClusterPlot *plot, const PhCluster *cluster)
{
	double x = plot->rows.axis.x - 8;
	PhTextStyle style = ph_text_style(10, ph_ink());
	PhTextStyle faint = ph_text_style(8.5, ph_faint());

	style.anchor = faint.anchor = PH_END;
	if (cluster->height < 12)
		return;
	if (cluster->n_members == 1)
	{
		ph_scene_text_fit(scene, x, cluster->y + 3.5, LABELS - 12, cluster->centroid, style);
		return;
	}
	ph_scene_text_fit(scene, x, cluster->y - (cluster->height < 24 ? -3.5 : 1), LABELS - 12,
					  ph_cluster_count(scene->arena, plot, cluster), style);
	if (cluster->height >= 24)
		ph_scene_text_fit(scene, x, cluster->y + 10, LABELS - 12, cluster->members, faint);
}

static void
draw_backgrounds(PhScene *scene, const PhClusterPlot *plot, double left, double right)
{
	for (uint32_t i = 0; i < plot->n_shown; i++)
	{
		const PhCluster *cluster = &plot->clusters[plot->shown[i]];

		ph_scene_open(scene, "cluster",
					  ph_need_format(scene->arena,
									 "cluster %.0f: %s\ngreatest %s: %s (%s)\nin its middle: %s%s",
									 cluster->id, ph_cluster_count(scene->arena, plot, cluster),
									 plot->rows.colors.metric->title,
									 ph_step_value(scene->arena, &plot->rows.colors, cluster->most),
									 cluster->latest, cluster->centroid,
									 cluster->folded ? "\nfolded: has parts" : ""));
		ph_scene_data(scene, "run", plot->rows.run);
		ph_scene_data(scene, "phase", plot->phase);
		ph_scene_data_number(scene, "cluster", cluster->id);
		ph_scene_data(scene, "members", cluster->members);
		ph_scene_data_number(scene, "parent", cluster->parent_id);
		ph_scene_data(scene, "folded", cluster->folded ? "true" : "false");
		ph_scene_data_number(scene, "value", cluster->most);
		ph_scene_rect(scene, left, cluster->top, right - left, cluster->height,
					  ph_fill(ph_color_hex(i % 2 ? 0xe6eaf0 : 0xf4f6f9)));
		draw_name(scene, plot, cluster);
		ph_scene_close(scene);
	}
}

static const PhClusterSeries *
series_of(const PhClusterPlot *plot, uint32_t cluster, bool first_sends)
{
	for (uint32_t s = 0; s < plot->n_series; s++)
		if (plot->series[s].cluster == cluster && plot->series[s].first_sends == first_sends)
			return &plot->series[s];
	return NULL;
}

static void
draw_glyphs(PhScene *scene, const PhClusterPlot *plot)
{
	ph_scene_open(scene, "glyphs", NULL);
	for (uint32_t i = 0; i < plot->n_shown; i++)
	{
		uint32_t c = plot->shown[i];
		const PhClusterSeries *senders = series_of(plot, c, true);
		const PhClusterSeries *receivers = series_of(plot, c, false);

		if (plot->clusters[c].row != UINT32_MAX)
			continue;
		if (plot->exchange == PH_EXCHANGE_PAIRS && (senders != NULL || receivers != NULL))
			ph_cluster_pair_draw(scene, plot, senders, receivers);
		else if (senders != NULL)
			ph_cluster_series_draw(scene, plot, senders);
	}
	ph_scene_close(scene);
}

/* ---- messages ---- */

/* Where a message touches a cluster: its only process, or the edge of its glyphs. */
static double
link_end(const PhClusterPlot *plot, const PhCluster *cluster, bool send)
{
	if (cluster->row != UINT32_MAX)
		return cluster->y;
	return send ? cluster->top + ph_cluster_room_above(cluster->height)
				: cluster->top + cluster->height - ph_cluster_room_below(plot, cluster->height);
}

static void
draw_links(PhScene *scene, const PhClusterPlot *plot)
{
	PhStyle style = ph_stroke(ph_color_alpha(ph_color_hex(0x10151c), 0.7), 0.8);

	ph_scene_open(scene, "messages", NULL);
	for (uint32_t i = 0; i < plot->n_links; i++)
	{
		uint32_t from = ph_cluster_find(plot, plot->link_from[i]);
		uint32_t to = ph_cluster_find(plot, plot->link_to[i]);

		if (from == UINT32_MAX || to == UINT32_MAX || isnan(plot->link_send[i]) ||
			isnan(plot->link_receive[i]))
			continue;
		ph_scene_line(scene, ph_step_axis_at(&plot->rows.axis, plot->link_send[i]),
					  link_end(plot, &plot->clusters[from], true),
					  ph_step_axis_at(&plot->rows.axis, plot->link_receive[i]),
					  link_end(plot, &plot->clusters[to], false), style);
	}
	ph_scene_close(scene);
}

/* From the middle of a box to its corner: right for a send, and towards the process that is not
 * drawn. */
static void
draw_stubs(PhScene *scene, const PhClusterPlot *plot)
{
	double reach = plot->rows.axis.column_width * 0.42;

	ph_scene_open(scene, "stubs", NULL);
	for (uint32_t i = 0; i < plot->n_stubs; i++)
	{
		double x, y;

		if (!(plot->stub_row[i] >= 0 && plot->stub_row[i] < plot->n_focus) ||
			isnan(plot->stub_step[i]))
			continue;
		x = ph_step_axis_at(&plot->rows.axis, plot->stub_step[i]);
		y = ph_logical_middle(&plot->rows, plot->stub_row[i]);
		ph_scene_line(scene, x, y, x + (plot->stub_sent[i] > 0 ? reach : -reach),
					  y + (plot->stub_up[i] > 0 ? -0.42 : 0.42) * FOCUS_ROW,
					  ph_stroke(ph_color_hex(0x10151c), 0.8));
	}
	ph_scene_close(scene);
}

/* ---- the frame ---- */

/* Which process is in focus, by what, and whom else there would be. */
static void
draw_focus_title(PhScene *scene, const PhClusterPlot *plot, double left, double top)
{
	PhArena *arena = scene->arena;
	PhTextStyle title = ph_text_style(11, ph_ink());
	PhTextStyle style = ph_text_style(9, ph_faint());
	uint32_t of = ph_cluster_find(plot, plot->centre_cluster);
	bool all = of == UINT32_MAX || plot->clusters[of].parent == UINT32_MAX;
	const char *centre = plot->centre ? plot->centre : "";
	const char *focus = plot->rows.tasks ? centre : ph_need_format(arena, "Focus: %s", centre);
	const char *whose = all ? "all" : ph_need_format(arena, "cluster %.0f", plot->centre_cluster);
	double room = TREE + LABELS - (plot->rows.tasks ? 104 : 56);

	ph_scene_text_fit(scene, left, top + 13, room, focus, title);
	ph_scene_text_fit(
		scene, left, top + 26, room,
		ph_need_format(arena, "%s of %s", plot->by_centroid ? "centre" : "greatest", whose), style);
	if (plot->n_focus > 1)
		ph_scene_text_fit(scene, left, top + 38, room,
						  plot->radius > 1
							  ? ph_need_format(arena, "and up to %.0f messages away", plot->radius)
							  : "and whom it talks to",
						  style);
}

static void
draw_focus_names(PhScene *scene, const PhClusterPlot *plot, double left, double right)
{
	PhTextStyle style = ph_text_style(10, ph_faint());
	double top = plot->rows.top[0];

	style.anchor = PH_END;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t row = 0; row < plot->n_focus; row++)
	{
		double y = ph_logical_middle(&plot->rows, row);

		ph_scene_line(scene, plot->rows.axis.x, y, right, y, ph_stroke(ph_color_hex(0xe9ecf0), 1));
		ph_scene_text_fit(scene, plot->rows.axis.x - 8, y + 3.5, plot->rows.tasks ? 84 : 40,
						  plot->rows.row_names[row], style);
	}
	draw_focus_title(scene, plot, left, top);
	ph_scene_close(scene);
}

void
ph_clusters_draw(PhScene *scene, PhClusterPlot *plot, PhBody body)
{
	PhStepAxis *axis = &plot->rows.axis;
	double top = body.y + 4;
	double focus = plot->n_focus > 0 ? plot->n_focus * FOCUS_ROW + GAP : 0;
	double right;

	ph_step_axis_place(axis, body.x + TREE + LABELS, body.width - TREE - LABELS);
	plot->rows.row_height = FOCUS_ROW;
	right = axis->x + axis->columns * axis->column_width;
	place_focus(plot, top);
	place_clusters(plot, top + focus, body.height - FOOT - 4 - focus);
	place_knots(plot, body.x + 4, body.x + TREE);
	ph_step_legend(scene, &plot->rows.colors);
	draw_backgrounds(scene, plot, body.x + TREE, right);
	draw_dendrogram(scene, plot);
	if (plot->n_focus > 0)
		draw_focus_names(scene, plot, body.x, right);
	draw_glyphs(scene, plot);
	ph_logical_draw_cells(scene, &plot->rows);
	ph_logical_draw_lines(scene, &plot->rows);
	draw_stubs(scene, plot);
	draw_links(scene, plot);
	ph_step_axis_draw(scene, axis, body.y + body.height - FOOT + 2);
}
