/*
 * history_rows.c - series along a history, from rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/history/history.h"

/* The slot of a run, PH_NO_SLOT: its condition is not drawn. */
#define PH_NO_SLOT UINT32_MAX

static uint32_t
slot_of(const PhTable *runs, uint32_t row)
{
	double slot = ph_table_number(runs, row, "slot");

	return slot >= 0 && slot < ph_rows_count(runs) ? (uint32_t) slot : PH_NO_SLOT;
}

/* Each slot says what the first of its runs says. */
static void
read_slots(PhArena *arena, const PhTable *runs, PhHistory *out)
{
	uint32_t n = ph_rows_count(runs);

	out->slots = ph_need(arena, n, sizeof(PhHistorySlot));
	out->axis = PH_HISTORY_TIMES;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t slot = slot_of(runs, i);

		if (slot == PH_NO_SLOT)
			continue;
		out->slots[slot] = (PhHistorySlot){.commit = ph_table_text(runs, i, "commit_id"),
										   .subject = ph_table_text(runs, i, "subject"),
										   .author = ph_table_text(runs, i, "author"),
										   .committed_at = ph_table_text(runs, i, "committed_at"),
										   .main_line = ph_table_true(runs, i, "on_main_line"),
										   .known = ph_table_text(runs, i, "position") != NULL};
		if (slot >= out->n_slots)
			out->n_slots = slot + 1;
		if (out->slots[slot].commit != NULL)
			out->axis = PH_HISTORY_COMMITS;
	}
}

static const char *
counted(PhArena *arena, const char *text, double n, const char *one, const char *many)
{
	if (isnan(n))
		return text;
	return ph_need_format(arena, "%s%s%.0f %s", text, *text ? ", " : "", n, n == 1 ? one : many);
}

/* One key of an experiment as people say it: "8 ranks", "on oak", "problem small"; "" for a thread.
 */
static const char *
key_text(PhArena *arena, const char *key, int length)
{
	static const char *const counts[][3] = {{"ranks ", "rank", "ranks"},
											{"threads ", "thread", "threads"},
											{"nodes ", "node", "nodes"}};

	if (strncmp(key, "threads 1", 9) == 0 && length == 9)
		return "";
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		int skip = (int) strlen(counts[i][0]);

		if (length > skip && strncmp(key, counts[i][0], (size_t) skip) == 0)
			return ph_need_format(arena, "%.*s %s", length - skip, key + skip,
								  length == skip + 1 && key[skip] == '1' ? counts[i][1]
																		 : counts[i][2]);
	}
	if (length > 8 && strncmp(key, "cluster ", 8) == 0)
		return ph_need_format(arena, "on %.*s", length - 8, key + 8);
	return ph_need_format(arena, "%.*s", length, key);
}

/* What the runs of a series have in common; a part that is not "key value" is as it was sent. */
static const char *
experiment_text(PhArena *arena, const char *experiment)
{
	const char *text = "";

	for (const char *at = experiment; *at != '\0';)
	{
		const char *end = strstr(at, ", ");
		int length = end ? (int) (end - at) : (int) strlen(at);
		const char *key = key_text(arena, at, length);
		bool is_place = strncmp(key, "on ", 3) == 0;

		if (*key)
			text = ph_need_format(arena, "%s%s%s", text, *text ? is_place ? " " : ", " : "", key);
		at += length + (end ? 2 : 0);
	}
	return *text ? text : "any";
}

static const char *
condition_text(PhArena *arena, const PhTable *table, uint32_t row)
{
	const char *experiment = ph_table_text(table, row, "experiment");
	double threads = ph_table_number(table, row, "n_threads");
	const char *cluster = ph_table_text(table, row, "cluster");
	const char *text;

	if (experiment)
		return experiment_text(arena, experiment);
	text = counted(arena, "", ph_table_number(table, row, "n_ranks"), "rank", "ranks");
	if (threads > 1)
		text = counted(arena, text, threads, "thread", "threads");
	if (cluster)
		text = ph_need_format(arena, "%s%son %s", text, *text ? " " : "", cluster);
	return *text ? text : "any";
}

/* Runs of one slot in a row are spread around its middle. */
static void
spread_places(PhHistoryCondition *condition)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i <= condition->n; i++)
	{
		if (i < condition->n && condition->places[i].slot == condition->places[first].slot)
			continue;
		for (uint32_t k = first; k < i; k++)
		{
			condition->places[k].first = first;
			condition->places[k].count = i - first;
			condition->places[k].offset = (k - first + 0.5) / (i - first) - 0.5;
		}
		first = i;
	}
}

/* The runs of a condition, which begin in this row; they are neighbours. The row after the last. */
static uint32_t
read_places(PhArena *arena, const PhTable *runs, uint32_t row, PhHistoryCondition *condition)
{
	uint32_t end = row;

	while (end < ph_rows_count(runs) && ph_table_number(runs, end, "series") == condition->series)
		end++;
	condition->places = ph_need(arena, end - row, sizeof(PhHistoryPlace));
	for (uint32_t i = row; i < end; i++)
	{
		uint32_t slot = slot_of(runs, i);

		if (slot != PH_NO_SLOT)
			condition->places[condition->n++] =
				(PhHistoryPlace){.run = ph_table_text(runs, i, "run_id"),
								 .slot = slot,
								 .time = ph_table_number(runs, i, "seconds")};
	}
	spread_places(condition);
	return end;
}

static void
read_conditions(PhArena *arena, const PhTable *runs, PhHistory *out)
{
	uint32_t n = ph_rows_count(runs);
	uint32_t end = 0;

	out->conditions = ph_need(arena, n, sizeof(PhHistoryCondition));
	for (uint32_t row = 0; row<n; row = end> row ? end : row + 1)
	{
		PhHistoryCondition *condition = &out->conditions[out->n_conditions];

		*condition = (PhHistoryCondition){.series = ph_table_number(runs, row, "series"),
										  .text = condition_text(arena, runs, row)};
		end = read_places(arena, runs, row, condition);
		if (condition->n > 0)
			out->n_conditions++;
		else
			out->n_hidden++;
	}
}

/* The iterations of a run are one condition, each a slot of its own. */
static void
read_iterations(PhArena *arena, const PhTable *table, PhHistory *out)
{
	uint32_t n;
	const double *numbers = ph_table_numbers(arena, table, 0, "iterations", &n);
	PhHistoryCondition *condition = ph_need(arena, 1, sizeof(PhHistoryCondition));

	*condition = (PhHistoryCondition){
		.series = 1, .text = "", .n = n, .places = ph_need(arena, n, sizeof(PhHistoryPlace))};
	for (uint32_t i = 0; i < n; i++)
		condition->places[i] =
			(PhHistoryPlace){.slot = i, .time = numbers[i], .first = i, .count = 1};
	out->axis = PH_HISTORY_ITERATIONS;
	out->n_slots = n;
	out->slots = ph_need(arena, n, sizeof(PhHistorySlot));
	out->conditions = condition;
	out->n_conditions = 1;
}

static void
find_times(PhHistory *out)
{
	out->time_from = INFINITY;
	out->time_to = -INFINITY;
	for (uint32_t i = 0; i < out->n_conditions; i++)
		for (uint32_t k = 0; k < out->conditions[i].n; k++)
		{
			out->time_from = fmin(out->time_from, out->conditions[i].places[k].time);
			out->time_to = fmax(out->time_to, out->conditions[i].places[k].time);
		}
}

/* The costs of the ranks behind the means, where one call path is drawn. */
static void
read_ranks(PhArena *arena, const PhTable *table, uint32_t row, PhHistoryPanel *panel)
{
	uint32_t n = panel->condition->n;
	const double *greatest = ph_table_number_column(arena, table, row, "greatest", n);

	if (n == 0 || isnan(greatest[0]))
		return;
	panel->greatest = greatest;
	panel->least = ph_table_number_column(arena, table, row, "least", n);
	panel->worst = ph_table_number_column(arena, table, row, "worst", n);
}

static PhHistoryChange *
change_at(PhArena *arena, PhHistoryPanel *panel, size_t *capacity, uint32_t index)
{
	uint32_t at = 0;

	while (at < panel->n_changes && panel->changes[at].index < index)
		at++;
	if (at < panel->n_changes && panel->changes[at].index == index)
		return &panel->changes[at];
	panel->changes =
		ph_need_room(arena, panel->changes, panel->n_changes, capacity, sizeof(PhHistoryChange));
	memmove(&panel->changes[at + 1], &panel->changes[at],
			(panel->n_changes - at) * sizeof(PhHistoryChange));
	panel->n_changes++;
	panel->changes[at] =
		(PhHistoryChange){.index = index, .relative = NAN, .p_value = NAN, .q_value = NAN};
	return &panel->changes[at];
}

/* Rows of a section that are of this panel: change points and kept regressions. */
static void
read_changes(PhArena *arena, const PhTable *table, const char *panel_no, PhHistoryPanel *panel,
			 size_t *capacity)
{
	for (uint32_t i = 0; i < ph_rows_count(table); i++)
	{
		double index = ph_table_number(table, i, "index");
		const char *regression = ph_table_text(table, i, "regression");
		const char *number = ph_table_text(table, i, "panel");
		PhHistoryChange *change;

		if (number == NULL || strcmp(number, panel_no) != 0 ||
			ph_table_number(table, i, "series") != panel->condition->series || !(index >= 1) ||
			index >= panel->condition->n)
			continue;
		change = change_at(arena, panel, capacity, (uint32_t) index);
		if (regression == NULL)
		{
			change->is_level = true;
			change->p_value = ph_table_number(table, i, "p_value");
			change->q_value = ph_table_number(table, i, "q_value");
			continue;
		}
		if (change->regression != NULL)
			continue; /* the first one that was kept */
		change->regression = regression;
		change->state = ph_table_text(table, i, "state");
		change->reason = ph_table_text(table, i, "reason");
	}
}

static const PhHistoryCondition *
find_condition(const PhHistory *history, double series)
{
	for (uint32_t i = 0; i < history->n_conditions; i++)
		if (history->conditions[i].series == series)
			return &history->conditions[i];
	return NULL;
}

void
ph_history_read(PhArena *arena, const PhViewRows *rows, PhHistory *out)
{
	const PhTable *table = ph_rows_table(rows, "panels");
	const PhTable *runs = ph_rows_table(rows, "runs");
	const PhTable *iterations = ph_rows_table(rows, "iterations");
	uint32_t n = ph_rows_count(table);

	memset(out, 0, sizeof(*out));
	if (iterations != NULL)
		read_iterations(arena, iterations, out);
	else
	{
		read_slots(arena, runs, out);
		read_conditions(arena, runs, out);
	}
	find_times(out);
	out->unit_name = ph_table_text(ph_rows_table(rows, "metric"), 0, "unit");
	out->better = ph_table_number(ph_rows_table(rows, "metric"), 0, "better");
	out->panels = ph_need(arena, n, sizeof(PhHistoryPanel));
	for (uint32_t i = 0; i < n; i++)
	{
		PhHistoryPanel *panel = &out->panels[out->n_panels];
		const char *number = ph_table_text(table, i, "panel");
		const char *level = ph_table_text(table, i, "level");
		const char *label = ph_table_text(table, i, "label");
		size_t capacity = 0;
		uint32_t n_values;

		*panel = (PhHistoryPanel){.label = label ? label : "",
								  .is_path = level && strcmp(level, "path") == 0,
								  .leaf = ph_table_text(table, i, "leaf")};
		panel->condition = find_condition(out, ph_table_number(table, i, "series"));
		panel->values = ph_table_numbers(arena, table, i, "values", &n_values);
		if (panel->condition == NULL || n_values != panel->condition->n || number == NULL)
			continue;
		read_changes(arena, ph_rows_table(rows, "changes"), number, panel, &capacity);
		read_changes(arena, ph_rows_table(rows, "regressions"), number, panel, &capacity);
		if (iterations != NULL)
			read_ranks(arena, table, i, panel);
		ph_history_levels(arena, panel, iterations == NULL);
		out->n_panels++;
	}
}
