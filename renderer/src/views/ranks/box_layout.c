/*
 * box_layout.c - box plots of supernodes over columns, outliers labelled by rank.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "views/ranks/box.h"

#define NAMES 190.0
#define RIGHT 24.0
#define BOX 15.0 /* height of a box */
#define LABEL_SIZE 9.0

static void
read_row(PhArena *arena, const PhTable *table, uint32_t i, PhBoxRow *row)
{
	uint32_t n_ranks;

	row->node = ph_table_text(table, i, "node");
	row->label = ph_table_text(table, i, "label");
	row->n = ph_table_number(table, i, "n");
	row->min = ph_table_number(table, i, "min");
	row->lower_whisker = ph_table_number(table, i, "lower_whisker");
	row->lower_quartile = ph_table_number(table, i, "lower_quartile");
	row->median = ph_table_number(table, i, "median");
	row->upper_quartile = ph_table_number(table, i, "upper_quartile");
	row->upper_whisker = ph_table_number(table, i, "upper_whisker");
	row->max = ph_table_number(table, i, "max");
	row->mean = ph_table_number(table, i, "mean");
	row->outliers = ph_table_numbers(arena, table, i, "outliers", &row->n_outliers);
	row->outlier_ranks = ph_table_numbers(arena, table, i, "outlier_ranks", &n_ranks);
	if (n_ranks < row->n_outliers)
		row->n_outliers = n_ranks;
	if (row->node == NULL)
		row->node = "";
	if (row->label == NULL)
		row->label = row->node;
}

void
ph_boxplot_read(PhArena *arena, const PhViewRows *rows, PhPalette palette, PhBoxPlot *out)
{
	const PhTable *table = ph_rows_table(rows, "boxes");
	const char **labels = ph_need(arena, ph_rows_count(table), sizeof(char *));

	out->rows = ph_need(arena, ph_rows_count(table), sizeof(PhBoxRow));
	out->n = 0;
	for (uint32_t i = 0; i < ph_rows_count(table); i++)
	{
		read_row(arena, table, i, &out->rows[out->n]);
		if (!isfinite(out->rows[out->n].max) || !isfinite(out->rows[out->n].min))
			continue;
		labels[out->n] = out->rows[out->n].label;
		out->n++;
	}
	ph_categories_build(arena, palette, labels, NULL, out->n, &out->categories);
}

static const char *
tooltip(PhArena *arena, const PhBoxPlot *plot, const PhBoxRow *row)
{
	const char *unit = plot->unit_name;

	return ph_need_format(
		arena,
		"%s\nmin %s\nlower quartile %s\nmedian %s\nmean %s\nupper quartile %s\nmax %s\n%u outliers "
		"of %.0f",
		row->node, ph_value(arena, unit, row->min), ph_value(arena, unit, row->lower_quartile),
		ph_value(arena, unit, row->median), ph_value(arena, unit, row->mean),
		ph_value(arena, unit, row->upper_quartile), ph_value(arena, unit, row->max),
		row->n_outliers, row->n);
}

static void
draw_body(PhScene *scene, const PhBoxRow *row, const PhAxis *axis, double middle, PhColor color)
{
	double left = ph_axis_at(axis, row->lower_quartile);
	double right = ph_axis_at(axis, row->upper_quartile);
	double median = ph_axis_at(axis, row->median);
	double low = ph_axis_at(axis, row->lower_whisker);
	double high = ph_axis_at(axis, row->upper_whisker);
	PhStyle line = ph_stroke(ph_color_hex(0x3d4754), 1);

	ph_scene_line(scene, low, middle, left, middle, line);
	ph_scene_line(scene, right, middle, high, middle, line);
	ph_scene_line(scene, low, middle - BOX / 4, low, middle + BOX / 4, line);
	ph_scene_line(scene, high, middle - BOX / 4, high, middle + BOX / 4, line);
	ph_scene_rect(scene, left, middle - BOX / 2, fmax(right - left, 1), BOX,
				  (PhStyle){.fill = ph_color_mix(color, ph_color_hex(0xffffff), 0.35),
							.stroke = ph_color_mix(color, ph_color_hex(0), 0.4),
							.stroke_width = 1});
	ph_scene_line(scene, median, middle - BOX / 2, median, middle + BOX / 2,
				  ph_stroke(ph_color_hex(0x111827), 2));
	ph_scene_circle(scene, ph_axis_at(axis, row->mean), middle, 2,
					(PhStyle){.fill = ph_color_hex(0xffffff),
							  .stroke = ph_color_hex(0x111827),
							  .stroke_width = 0.8});
}

typedef struct Outlier
{
	double x, value, rank;
} Outlier;

static int
compare_outliers(const void *a, const void *b)
{
	const Outlier *left = a;
	const Outlier *right = b;

	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static void
draw_outlier(PhScene *scene, const PhBoxPlot *plot, const Outlier *outlier, double middle)
{
	ph_scene_open(scene, "outlier",
				  ph_need_format(scene->arena, "rank %.0f\n%s", outlier->rank,
								 ph_value(scene->arena, plot->unit_name, outlier->value)));
	ph_scene_data_number(scene, "rank", outlier->rank);
	ph_scene_data_number(scene, "value", outlier->value);
	ph_scene_circle(scene, outlier->x, middle, 2.6,
					(PhStyle){.stroke = ph_color_hex(0x9a3412), .stroke_width = 1.2});
	ph_scene_close(scene);
}

/* Labels above the points, left to right, those that would overlap left out. */
static uint32_t
draw_outliers(PhScene *scene, const PhBoxPlot *plot, const PhBoxRow *row, const PhAxis *axis,
			  double middle)
{
	Outlier *sorted = ph_need(scene->arena, row->n_outliers, sizeof(Outlier));
	PhTextStyle style = ph_text_style(LABEL_SIZE, ph_color_hex(0x9a3412));
	double last_end = -INFINITY;
	double last_drawn = -INFINITY;
	uint32_t hidden = 0;

	style.anchor = PH_MIDDLE;
	for (uint32_t i = 0; i < row->n_outliers; i++)
		sorted[i] =
			(Outlier){ph_axis_at(axis, row->outliers[i]), row->outliers[i], row->outlier_ranks[i]};
	qsort(sorted, row->n_outliers, sizeof(Outlier), compare_outliers);
	for (uint32_t i = 0; i < row->n_outliers; i++)
	{
		const char *text = ph_need_format(scene->arena, "%.0f", sorted[i].rank);
		double half = ph_fonts_width(scene->fonts, text, LABEL_SIZE, PH_REGULAR) / 2;

		/* outliers in the same half unit look like one */
		if (sorted[i].x - last_drawn >= 0.5)
		{
			draw_outlier(scene, plot, &sorted[i], middle);
			last_drawn = sorted[i].x;
		}
		if (isnan(sorted[i].rank) || sorted[i].x - half < last_end + 3)
		{
			hidden++;
			continue;
		}
		ph_scene_text(scene, sorted[i].x, middle - BOX / 2 - 2, text, style);
		last_end = sorted[i].x + half;
	}
	return hidden;
}

static void
value_range(const PhBoxPlot *plot, double *low, double *high)
{
	*low = 0;
	*high = 0;
	for (uint32_t i = 0; i < plot->n; i++)
	{
		*low = fmin(*low, plot->rows[i].min);
		*high = fmax(*high, plot->rows[i].max);
	}
}

static uint32_t
draw_row(PhScene *scene, const PhBoxPlot *plot, const PhBoxRow *row, const PhAxis *axis,
		 PhBody where, double middle)
{
	PhTextStyle name = ph_text_style(11, ph_ink());
	uint32_t hidden;

	name.anchor = PH_END;
	ph_scene_open(scene, "box", tooltip(scene->arena, plot, row));
	ph_scene_data(scene, "node", row->node);
	ph_scene_data(scene, "run", plot->run);
	ph_scene_data_number(scene, "value", row->median);
	ph_scene_name_fit(scene, where.x + NAMES - 10, middle + 4, NAMES - 10, row->node, name);
	draw_body(scene, row, axis, middle, ph_categories_color(&plot->categories, row->label));
	hidden = draw_outliers(scene, plot, row, axis, middle);
	ph_scene_close(scene);
	return hidden;
}

uint32_t
ph_boxplot_draw(PhScene *scene, const PhBoxPlot *plot, PhBody where)
{
	double bottom = where.y + plot->n * PH_BOXPLOT_ROW;
	double low;
	double high;
	uint32_t hidden = 0;
	PhAxis axis;

	value_range(plot, &low, &high);
	axis = ph_axis(scene->arena, plot->unit_name, low, high, where.x + NAMES,
				   where.x + where.width - RIGHT, 10);
	ph_scene_open(scene, "boxes", NULL);
	ph_axis_draw_bottom(scene, &axis, bottom, where.y,
						ph_axis_title(scene->arena, &axis, plot->what));
	for (uint32_t i = 0; i < plot->n; i++)
		hidden += draw_row(scene, plot, &plot->rows[i], &axis, where,
						   where.y + (i + 0.5) * PH_BOXPLOT_ROW + 3);
	ph_scene_close(scene);
	return hidden;
}
