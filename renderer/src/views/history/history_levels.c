/*
 * history_levels.c - levels of a series with their confidence ranges, and the scales of many.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/select.h"
#include "drawing/arena_must.h"
#include "statistics/student_t.h"
#include "views/history/history.h"

#define LEAST_SPAN 0.06 /* of an axis, relative: noise below it is not blown up */
#define FAR_SPAN 3.0	/* times the median span: an axis of its own */

/* Mean and squared deviations of values added one after the other. */
typedef struct Tally
{
	uint32_t n;
	double mean, squares;
} Tally;

static void
tally_add(Tally *tally, double value)
{
	double delta = value - tally->mean;

	tally->n++;
	tally->mean += delta / tally->n;
	tally->squares += delta * (value - tally->mean);
}

static double
half_range(const Tally *tally)
{
	if (tally->n < 2)
		return NAN;
	return ph_student_two_sided_quantile(0.05, tally->n - 1.0) *
		   sqrt(tally->squares / (tally->n - 1.0) / tally->n);
}

/*
 * Mean of a level and its 95 % confidence range by Student's distribution. Repeats of one commit
 * are not independent: they were measured together and share the conditions of that day. So with
 * three commits or more, of which some have repeats, the range comes from the commits' means; with
 * fewer it comes from single runs and is too narrow, which is why tooltips tell by_commit.
 */
static void
measure_level(const PhHistoryPanel *panel, PhHistoryLevel *level)
{
	Tally runs = {0};
	Tally commits = {0};
	Tally commit = {0};

	for (uint32_t i = level->from; i < level->to; i++)
	{
		if (!isnan(panel->values[i]))
		{
			tally_add(&runs, panel->values[i]);
			tally_add(&commit, panel->values[i]);
		}
		if (i + 1 == level->to ||
			panel->condition->places[i + 1].slot != panel->condition->places[i].slot)
		{
			if (commit.n > 0)
				tally_add(&commits, commit.mean);
			commit = (Tally){0};
		}
	}
	level->n = runs.n;
	level->by_commit = commits.n >= 3 && commits.n < runs.n;
	level->mean = runs.n > 0 ? runs.mean : NAN;
	level->low = level->mean - half_range(level->by_commit ? &commits : &runs);
	level->high = 2 * level->mean - level->low;
}

void
ph_history_levels(PhArena *arena, PhHistoryPanel *panel, bool is_independent)
{
	uint32_t from = 0;

	panel->levels = ph_need(arena, (size_t) panel->n_changes + 1, sizeof(PhHistoryLevel));
	panel->n_levels = 0;
	for (uint32_t i = 0; i <= panel->n_changes; i++)
	{
		bool last = i == panel->n_changes;
		PhHistoryLevel *level = &panel->levels[panel->n_levels];

		if (!last && !panel->changes[i].is_level)
			continue;
		*level = (PhHistoryLevel){.from = from,
								  .to = last ? panel->condition->n : panel->changes[i].index};
		measure_level(panel, level);
		if (!is_independent)
			level->low = level->high = NAN;
		from = level->to;
		panel->n_levels++;
	}
	for (uint32_t i = 0, level = 0; i < panel->n_changes; i++)
		if (panel->changes[i].is_level)
		{
			double before = panel->levels[level++].mean;

			panel->changes[i].relative = before != 0 ? panel->levels[level].mean / before - 1 : NAN;
		}
}

/* The ends of what a panel shows, and the middle that they are relative to. */
typedef struct Reach
{
	double middle, low, high; /* low and high relative to the middle */
} Reach;

static Reach
panel_reach(const PhHistoryPanel *panel)
{
	double low = INFINITY;
	double high = -INFINITY;
	double middle;

	for (uint32_t i = 0; i < panel->condition->n; i++)
	{
		low = fmin(low, panel->least ? panel->least[i] : panel->values[i]);
		high = fmax(high, panel->greatest ? panel->greatest[i] : panel->values[i]);
	}
	middle = (low + high) / 2;
	if (!(fabs(middle) > 0) || low < 0)
		return (Reach){middle, NAN, NAN};
	return (Reach){middle, low / middle - 1, high / middle - 1};
}

static void
set_range(PhHistoryPanel *panel, const Reach *reach, double low, double high)
{
	double margin = (high - low) * 0.08;

	panel->low = reach->middle * (1 + low - margin);
	panel->high = reach->middle * (1 + high + margin);
	if (panel->low < 0)
		panel->low = 0;
}

/* Nothing relative to say: zeros, or values of both signs. */
static void
set_plain_range(PhHistoryPanel *panel)
{
	double low = 0;
	double high = 0;

	for (uint32_t i = 0; i < panel->condition->n; i++)
	{
		low = fmin(low, panel->least ? panel->least[i] : panel->values[i]);
		high = fmax(high, panel->greatest ? panel->greatest[i] : panel->values[i]);
	}
	panel->low = low - (high - low) * 0.08;
	panel->high = high > low ? high + (high - low) * 0.08 : low + 1;
	panel->own_scale = true;
}

void
ph_history_scales(PhArena *arena, PhHistory *history, double *low, double *high)
{
	uint32_t n = history->n_panels;
	Reach *reaches = ph_need(arena, n, sizeof(Reach));
	double *spans = ph_need(arena, n, sizeof(double));
	uint32_t n_spans = 0;
	double most;

	for (uint32_t i = 0; i < n; i++)
	{
		reaches[i] = panel_reach(&history->panels[i]);
		if (!isnan(reaches[i].low))
			spans[n_spans++] = reaches[i].high - reaches[i].low;
	}
	most = fmax(n_spans > 0 ? FAR_SPAN * ph_quantile(spans, n_spans, 0.5) : 0, LEAST_SPAN);
	*low = -LEAST_SPAN / 2;
	*high = LEAST_SPAN / 2;
	for (uint32_t i = 0; i < n; i++)
	{
		PhHistoryPanel *panel = &history->panels[i];

		panel->own_scale = !(reaches[i].high - reaches[i].low <= most);
		if (panel->own_scale)
			continue;
		*low = fmin(*low, reaches[i].low);
		*high = fmax(*high, reaches[i].high);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		if (isnan(reaches[i].low))
			set_plain_range(&history->panels[i]);
		else if (history->panels[i].own_scale)
			set_range(&history->panels[i], &reaches[i], reaches[i].low, reaches[i].high);
		else
			set_range(&history->panels[i], &reaches[i], *low, *high);
	}
}
