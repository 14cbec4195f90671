/*
 * metric.c - the metrics of logical time and their colours.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/range.h"
#include "views/logical/logical.h"

#define PALEST 0.07 /* so that the least values stand out from the paper */

static const PhStepMetric metrics[] = {
	{"lateness", "lateness", "lateness within phases",
	 "lateness: how much later a call was left than the earliest call of its phase and step",
	 PH_METRIC_TIME_SPAN},
	{"global_lateness", "global_lateness", "global lateness",
	 "global lateness: how much later a call was left than the earliest call of its step in any "
	 "phase",
	 PH_METRIC_TIME_SPAN},
	{"differential", "differential_lateness", "differential lateness within phases",
	 "differential lateness: what of its lateness within its phase and step a call did not begin "
	 "with or receive",
	 PH_METRIC_TIME_SPAN},
	{"global_differential", "global_differential_lateness", "differential global lateness",
	 "differential global lateness: what of its lateness within its step a call did not begin "
	 "with or receive",
	 PH_METRIC_TIME_SPAN},
	{"duration", "duration", "longer than the shortest of the step",
	 "duration: how much longer a call took than the shortest call of its phase and step",
	 PH_METRIC_TIME_SPAN},
	{"idle_experienced", "idle_experienced", "idle experienced",
	 "idle experienced: how long the processor had nothing to do before what an event waited for "
	 "came",
	 PH_METRIC_TIME_SPAN},
	{"imbalance", "imbalance", "imbalance of processors within phases",
	 "imbalance: load of an event's processor in its phase less the least load of all processors",
	 PH_METRIC_TIME_SPAN},
	{"differential_duration", "duration", "differential duration",
	 "differential duration: how much longer an event's part of its serial block took than the "
	 "shortest of its phase and step",
	 PH_METRIC_TIME_SPAN},
	{"deviation", "deviation", "later than by the ideal schedule",
	 "deviation: how much later a call was left than in the ideal schedule of its phase, in which "
	 "all begin at once and all that is alike takes as long as the shortest",
	 PH_METRIC_TIME_SPAN},
	{"phase", "phase", "phase", "colours tell phases apart", PH_METRIC_PHASE},
	{"enter", "enter", "time of enter", "time since the first event at which a call was entered",
	 PH_METRIC_TIME_POINT},
	{"leave", "leave", "time of leave", "time since the first event at which a call was left",
	 PH_METRIC_TIME_POINT},
	{"counter", "counter", "counter", "growth of the counter during a call", PH_METRIC_COUNTER},
	{"step_counter", "step_counter", "counter above the step's least",
	 "growth of the counter during a call less the least of its phase and step", PH_METRIC_COUNTER},
	{NULL, NULL, NULL, NULL, PH_METRIC_TIME_SPAN}};

static const PhStepMetric *
find(const char *name)
{
	for (const PhStepMetric *metric = metrics; metric->name; metric++)
		if (strcmp(metric->name, name) == 0 || strcmp(metric->column, name) == 0)
			return metric;
	return NULL;
}

const PhStepMetric *
ph_step_metric(const PhOptions *options)
{
	const char *name =
		ph_option_text(options, ph_option_given(options, "color") ? "color" : "metric");
	const PhStepMetric *metric = name ? find(name) : &metrics[0];

	return metric ? metric : &metrics[0];
}

const PhStepMetric *
ph_step_metric_of_rows(const PhOptions *options, const PhViewRows *rows)
{
	const PhStepMetric *asked = ph_step_metric(options);
	const PhTable *axis = ph_rows_table(rows, "axis");
	const char *column = ph_table_text(axis, 0, "metric");

	if (column == NULL || !ph_table_true(axis, 0, "tasks") || strcmp(column, asked->column) == 0)
		return asked;
	return find(column) != NULL ? find(column) : asked;
}

/* ---- ranges ---- */

static bool
by_step(const PhOptions *options)
{
	return ph_option_is(options, "range", "step");
}

static double *
column_ranges(PhArena *arena, const double *values, const uint32_t *columns, uint32_t n,
			  uint32_t n_columns)
{
	double *high = ph_need(arena, n_columns + 1, sizeof(*high));

	for (uint32_t i = 0; i < n; i++)
		if (columns[i] < n_columns)
			high[columns[i]] = fmax(high[columns[i]], values[i]);
	return high;
}

PhStepColors
ph_step_colors(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
			   const double *values, const uint32_t *columns, uint32_t n, uint32_t n_columns,
			   bool single_count)
{
	PhStepColors colors = {.metric = ph_step_metric_of_rows(options, rows),
						   .palette = ph_option_palette(options)};
	double least = INFINITY;
	double most = -INFINITY;
	double range;

	for (uint32_t i = 0; i < n; i++)
	{
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
	}
	colors.found = least <= most;
	colors.unit = colors.metric->kind == PH_METRIC_COUNTER
					  ? ph_table_text(ph_rows_table(rows, "counter"), 0, "unit")
					  : "ns";
	colors.low = colors.metric->kind == PH_METRIC_TIME_POINT ? least : fmin(least, 0);
	colors.high = most;
	if (!(colors.low <= colors.high))
		colors.low = colors.high = 0;
	if (ph_option_range(options, &range))
		colors.high = range;
	else if (!single_count && ph_option_is(options, "range", "most") &&
			 colors.metric->kind != PH_METRIC_TIME_POINT && colors.metric->kind != PH_METRIC_PHASE)
	{
		colors.high = fmax(ph_range_robust(arena, values, n).high, colors.low);
		colors.mark_beyond = true;
	}
	colors.most = most;
	for (uint32_t i = 0; i < n; i++)
		colors.beyond += values[i] > colors.high;
	if (by_step(options) && n_columns > 0 && colors.metric->kind != PH_METRIC_PHASE)
		colors.column_high = column_ranges(arena, values, columns, n, n_columns);
	return colors;
}

/* ---- colours ---- */

static PhColor
ramp_color(PhPalette palette, double t)
{
	return ph_color_sequential(palette, PALEST + (1 - PALEST) * t);
}

PhColor
ph_phase_color(PhPalette palette, uint32_t phase)
{
	/* light enough for black lines on it */
	return ph_color_mix(ph_color_cycle(palette, phase), ph_color_hex(0xffffff), 0.25);
}

PhColor
ph_step_color(const PhStepColors *colors, uint32_t column, double value)
{
	double high = colors->column_high ? colors->column_high[column] : colors->high;

	if (isnan(value))
		return ph_color_hex(0xdddddd);
	if (colors->metric->kind == PH_METRIC_PHASE)
		return ph_phase_color(colors->palette, (uint32_t) fmax(value, 0));
	if (!(high > colors->low))
		return ramp_color(colors->palette, 0);
	if (colors->mark_beyond && colors->column_high == NULL && value > high)
		return ph_color_beyond(colors->palette);
	return ramp_color(colors->palette,
					  fmin(fmax((value - colors->low) / (high - colors->low), 0), 1));
}

const char *
ph_step_value(PhArena *arena, const PhStepColors *colors, double value)
{
	if (isnan(value))
		return "no value";
	if (colors->metric->kind == PH_METRIC_PHASE)
		return ph_need_format(arena, "phase %.0f", value);
	return ph_value(arena, colors->unit, value);
}

double
ph_step_legend(PhScene *scene, const PhStepColors *colors)
{
	PhArena *arena = scene->arena;
	PhRamp ramp = {.title = colors->metric->title, .map = ramp_color, .palette = colors->palette};
	double x;

	if (colors->metric->kind == PH_METRIC_PHASE)
		return PH_MARGIN;
	if (!(colors->high > colors->low))
		return ph_legend_swatch(scene, PH_MARGIN, ramp_color(colors->palette, 0), false,
								ph_need_format(arena, "%s: %s everywhere", ramp.title,
											   ph_step_value(arena, colors, colors->high)));
	if (colors->column_high != NULL)
	{
		ramp.low = "0";
		ramp.middle = "";
		ramp.high = "most of its step";
	}
	else
	{
		ramp.low = ph_value(arena, colors->unit, colors->low);
		ramp.middle = colors->beyond > 0
						  ? ""
						  : ph_value(arena, colors->unit, (colors->low + colors->high) / 2);
		ramp.high = ph_need_format(arena, "%s%s", ph_value(arena, colors->unit, colors->high),
								   colors->beyond > 0 && !colors->mark_beyond ? " or more" : "");
	}
	x = ph_legend_ramp(scene, PH_MARGIN, &ramp);
	if (!colors->mark_beyond || colors->column_high != NULL || colors->beyond == 0)
		return x;
	return ph_legend_swatch(scene, x, ph_color_beyond(colors->palette), false,
							ph_need_format(arena, "%u beyond, up to %s", colors->beyond,
										   ph_value(arena, colors->unit, colors->most)));
}

void
ph_step_note(PhArena *arena, PhPage *page, const PhStepColors *colors)
{
	ph_page_note(arena, page, colors->metric->meaning);
	if (colors->metric->kind == PH_METRIC_COUNTER && !colors->found)
		ph_page_note(arena, page,
					 "no counter was followed: option counter of perfhouse.assign_logical_steps");
	if (colors->column_high != NULL)
		ph_page_note(arena, page, "every step has its own range of colours");
	else if (colors->beyond > 0)
		ph_page_note(arena, page,
					 ph_need_format(arena, "%u of the values are beyond the range of colours",
									colors->beyond));
}
