/*
 * gate_chart.c - see gate_chart.h.
 *
 * What a chart tells by colour stands beside it as a word: sides are rows with names, and bars have
 * a side of the axis and a sign.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/gate_chart.h"

#include <math.h>

#include "base/min_max.h"
#include "cli/markup_out.h"
#include "reports/report_print.h"

#define WIDTH 720
#define LEFT 60	 /* names of sides, or half of the width of bars */
#define RIGHT 40 /* half of the number at the end of the axis */
#define ROW 30

/* ---- runs ---- */

typedef struct Axis
{
	double low, high;
} Axis;

static double
place(const Axis *axis, double value)
{
	return LEFT + (value - axis->low) / (axis->high - axis->low) * (WIDTH - LEFT - RIGHT);
}

/* All runs, and a little beside them; not from 0, which would hide what a few per cent are. */
static Axis
find_axis(const double *values, size_t n)
{
	Axis axis = {INFINITY, -INFINITY};
	double beside;

	for (size_t i = 0; i < n; i++)
	{
		axis.low = PH_MIN(axis.low, values[i]);
		axis.high = PH_MAX(axis.high, values[i]);
	}
	beside = axis.high > axis.low
				 ? PH_MAX(0.05 * (axis.high - axis.low), 1e-6 * fabs(axis.low)) /* steps add up */
				 : PH_MAX(fabs(axis.low), 1) / 20;
	axis.low -= beside;
	axis.high += beside;
	return axis;
}

/* The least of 1, 2, 5, 10, ... that leaves five numbers on the axis, or fewer. */
static double
tick_step(const Axis *axis)
{
	double least = (axis->high - axis->low) / 5;
	double power = pow(10, floor(log10(least)));

	return least <= power		? power
		   : least <= 2 * power ? 2 * power
		   : least <= 5 * power ? 5 * power
								: 10 * power;
}

static void
put_label(FILE *out, double x, double y, const char *anchor, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	ph_markup_put_text(out, text);
	fputs("</text>\n", out);
}

static void
put_side(FILE *out, const PhGateMetric *metric, const Axis *axis, char side, size_t first, size_t n)
{
	double y = side == 'a' ? ROW / 2.0 : ROW * 1.5;
	double mean = place(axis, side == 'a' ? metric->test.mean_a : metric->test.mean_b);

	put_label(out, 8, y + 4, "start", side == 'a' ? "A" : "B");
	for (size_t i = 0; i < n; i++)
	{
		double value = metric->totals[first + i];

		fprintf(out,
				"<circle class=\"of-%c\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\" "
				"fill-opacity=\"0.7\"><title>%s</title></circle>\n",
				side, place(axis, value), y, ph_show_value(value, metric->unit));
	}
	fprintf(out, "<line class=\"mean-%c\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
			side, mean, mean, y - 11, y + 11);
}

void
ph_gate_chart_runs(FILE *out, const PhGateMetric *metric, size_t n_a, size_t n_b)
{
	Axis axis = find_axis(metric->totals, n_a + n_b);
	double bottom = 2 * ROW + 4;
	double step;

	fprintf(out,
			"<figure><svg class=\"chart\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
			"%d\" aria-label=\"",
			WIDTH, 2 * ROW + 24, WIDTH, 2 * ROW + 24);
	ph_markup_put_text(out, metric->name);
	fprintf(out, " of %zu and %zu runs: %s and %s in the mean\">\n", n_a, n_b,
			ph_show_value(metric->test.mean_a, metric->unit),
			ph_show_value(metric->test.mean_b, metric->unit));
	put_side(out, metric, &axis, 'a', 0, n_a);
	put_side(out, metric, &axis, 'b', n_a, n_b);
	fprintf(out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT,
			WIDTH - RIGHT, bottom, bottom);
	step = tick_step(&axis);
	for (double tick = ceil(axis.low / step); tick * step <= axis.high; tick++)
		put_label(out, place(&axis, tick * step), bottom + 15, "middle",
				  ph_show_value(tick * step, metric->unit));
	fputs("</svg><figcaption>A dot a run, a line the mean of a side</figcaption></figure>\n", out);
}

/* ---- functions ---- */

#define BAR_ROW 22
#define MIDDLE 200 /* of the bars; names follow right of them */
#define HALF 120   /* of the largest bar */

static void
put_bar(FILE *out, const PhGateRegion *region, double largest, uint32_t row)
{
	double length = HALF * fabs(region->of_total) / largest;
	bool is_more = region->of_total > 0;
	double y = row * BAR_ROW;

	fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
			is_more ? "more" : "less", is_more ? MIDDLE : MIDDLE - length, y + 4,
			PH_MAX(length, 0.5), BAR_ROW - 8);
	put_label(out, is_more ? MIDDLE + length + 5 : MIDDLE - length - 5, y + 15,
			  is_more ? "start" : "end",
			  fabs(region->of_total) < 0.01 ? ph_show_small_change(region->of_total)
											: ph_show_change(region->of_total));
	put_label(out, MIDDLE + HALF + 75, y + 15, "start", region->name);
}

void
ph_gate_chart_regions(FILE *out, const PhGateMetric *metric, uint32_t n)
{
	uint32_t height = n * BAR_ROW;
	double largest = 0;

	for (uint32_t i = 0; i < n; i++)
		largest = PH_MAX(largest, fabs(metric->regions[i].of_total));
	if (largest == 0)
		return;
	fprintf(out,
			"<figure><svg class=\"chart\" role=\"img\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d "
			"%u\" aria-label=\"changes of functions as shares of the whole, as in the table "
			"below\">\n",
			WIDTH, height, WIDTH, height);
	for (uint32_t i = 0; i < n; i++)
		put_bar(out, &metric->regions[i], largest, i);
	fprintf(out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"0\" y2=\"%u\"/>\n", MIDDLE, MIDDLE,
			height);
	fputs("</svg><figcaption>Change of functions as a share of the whole: less to the left, more "
		  "to the right</figcaption></figure>\n",
		  out);
}
