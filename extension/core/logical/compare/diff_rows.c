/*
 * diff_rows.c - what changed at an aligned step: times by process, messages by pair.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/sort.h"
#include "logical/compare/diff_internal.h"

/* A step of one side: its events, none where the step is only in the other. */
typedef struct Step
{
	const PhDiffSide *side;
	const uint32_t *events;
	uint32_t n;
} Step;

static Step
step_of(const PhDiffer *differ, int s, uint32_t phase, uint32_t place)
{
	const PhDiffSide *side = &differ->side[s];
	if (place == PH_NONE)
		return (Step){side, NULL, 0};
	uint32_t bucket = side->metrics->first_bucket[phase] + place;
	uint32_t first = side->first_event[bucket];
	return (Step){side, side->events + first, side->first_event[bucket + 1] - first};
}

static void
count_messages(const Step *step, uint32_t *messages, uint64_t *bytes)
{
	const PhLogicalModel *model = step->side->model;
	for (uint32_t i = 0; i < step->n; i++)
	{
		uint32_t e = step->events[i];
		if (model->kind[e] != PH_COMM_SEND)
			continue;
		*messages += model->first_end[e + 1] - model->first_end[e];
		for (uint32_t k = model->first_end[e]; k < model->first_end[e + 1]; k++)
			*bytes += model->bytes[model->message_of_end[k]];
	}
}

/* ------------------------------------------------------------------------------------------ times
 */

static uint64_t
size_of(int64_t x)
{
	return x < 0 ? 0 - (uint64_t) x : (uint64_t) x;
}

/* Keep the delta that is greater in size, the first of equals; true when it is the new one. */
static bool
keep_greater(int64_t *delta, int64_t candidate)
{
	if (size_of(candidate) <= size_of(*delta))
		return false;
	*delta = candidate;
	return true;
}

static int64_t
change(const Step *a, const Step *b, PhLogicalMetric metric, bool aggregate, uint32_t x, uint32_t y)
{
	if (aggregate)
		return ph_logical_aggregate(b->side->metrics, metric, y) -
			   ph_logical_aggregate(a->side->metrics, metric, x);
	return ph_logical_value(b->side->metrics, metric, y) -
		   ph_logical_value(a->side->metrics, metric, x);
}

static int64_t
duration(const Step *step, uint32_t event)
{
	return step->side->model->exit[event] - step->side->model->enter[event];
}

/* Two aligned events. */
static void
add_pair(PhDiffRow *row, const Step *a, const Step *b, uint32_t x, uint32_t y)
{
	int64_t lateness = change(a, b, PH_LATENESS, false, x, y);
	int64_t aggregate = change(a, b, PH_LATENESS, true, x, y);
	uint64_t greatest = size_of(row->delta_lateness);
	if (size_of(row->delta_aggregate_lateness) > greatest)
		greatest = size_of(row->delta_aggregate_lateness);
	if (row->events_aligned++ == 0 || size_of(lateness) > greatest || size_of(aggregate) > greatest)
	{
		row->event_a = x;
		row->event_b = y;
	}
	keep_greater(&row->delta_lateness, lateness);
	keep_greater(&row->delta_aggregate_lateness, aggregate);
	keep_greater(&row->delta_differential, change(a, b, PH_DIFFERENTIAL, false, x, y));
	keep_greater(&row->delta_differential, change(a, b, PH_DIFFERENTIAL, true, x, y));
	keep_greater(&row->delta_duration, duration(b, y) - duration(a, x));
}

/*
 * Pairs the events of aligned processes at a step. event_at is filled with b's events by place,
 * asked for a's, and emptied again.
 */
static void
compare_aligned(PhDiffer *differ, const Step *a, const Step *b, PhDiffRow *row)
{
	for (uint32_t j = 0; j < b->n; j++)
	{
		uint32_t place = differ->place[1][b->side->model->timeline[b->events[j]]];
		if (place != PH_NONE)
			differ->event_at[place] = b->events[j];
	}
	for (uint32_t i = 0; i < a->n; i++)
	{
		uint32_t place = differ->place[0][a->side->model->timeline[a->events[i]]];
		if (place != PH_NONE && differ->event_at[place] != PH_NONE)
			add_pair(row, a, b, a->events[i], differ->event_at[place]);
	}
	for (uint32_t j = 0; j < b->n; j++)
	{
		uint32_t place = differ->place[1][b->side->model->timeline[b->events[j]]];
		if (place != PH_NONE)
			differ->event_at[place] = PH_NONE;
	}
}

typedef struct Greatest
{
	int64_t lateness, aggregate, differential, duration;
} Greatest;

static void
raise(int64_t *greatest, int64_t value)
{
	*greatest = value > *greatest ? value : *greatest;
}

static Greatest
greatest_of(const Step *step)
{
	const PhLogicalMetrics *metrics = step->side->metrics;
	Greatest greatest = {0, 0, 0, 0};
	for (uint32_t i = 0; i < step->n; i++)
	{
		uint32_t e = step->events[i];
		raise(&greatest.lateness, ph_logical_value(metrics, PH_LATENESS, e));
		raise(&greatest.aggregate, ph_logical_aggregate(metrics, PH_LATENESS, e));
		raise(&greatest.differential, ph_logical_value(metrics, PH_DIFFERENTIAL, e));
		raise(&greatest.differential, ph_logical_aggregate(metrics, PH_DIFFERENTIAL, e));
		raise(&greatest.duration, duration(step, e));
	}
	return greatest;
}

static void
compare_totals(const Step *a, const Step *b, PhDiffRow *row)
{
	Greatest before = greatest_of(a), after = greatest_of(b);
	row->delta_lateness = after.lateness - before.lateness;
	row->delta_aggregate_lateness = after.aggregate - before.aggregate;
	row->delta_differential = after.differential - before.differential;
	row->delta_duration = after.duration - before.duration;
}

/* --------------------------------------------------------------------------------------- messages
 */

static int
compare_keys(const void *context, uint32_t x, uint32_t y)
{
	const uint64_t *keys = context;
	return keys[x] < keys[y] ? -1 : keys[x] > keys[y];
}

/* Who sends to whom at a step, sorted; only between processes that are aligned. */
static PhStatus
list_messages(PhDiffer *differ, int s, const Step *step, uint32_t *n)
{
	const PhLogicalModel *model = step->side->model;
	*n = 0;
	for (uint32_t i = 0; i < step->n; i++)
	{
		uint32_t e = step->events[i];
		for (uint32_t k = model->first_end[e];
			 model->kind[e] == PH_COMM_SEND && k < model->first_end[e + 1]; k++)
		{
			uint32_t to = model->receive_event[model->message_of_end[k]];
			uint32_t sender = differ->place[s][model->timeline[e]];
			uint32_t receiver = to == PH_NONE ? PH_NONE : differ->place[s][model->timeline[to]];
			if (sender == PH_NONE || (to != PH_NONE && receiver == PH_NONE))
				continue;
			differ->order[s][*n] = *n;
			differ->message_key[s][(*n)++] = (uint64_t) sender << 32 | receiver;
		}
	}
	return ph_sort(differ->env, differ->order[s], *n, differ->buffer, compare_keys,
				   differ->message_key[s]);
}

static PhStatus
compare_messages(PhDiffer *differ, const Step *a, const Step *b, PhDiffRow *row)
{
	uint32_t n, m, both = 0;
	PH_TRY(list_messages(differ, 0, a, &n));
	PH_TRY(list_messages(differ, 1, b, &m));
	for (uint32_t i = 0, j = 0; i < n && j < m;)
	{
		uint64_t x = differ->message_key[0][differ->order[0][i]];
		uint64_t y = differ->message_key[1][differ->order[1][j]];
		both += x == y;
		i += x <= y;
		j += y <= x;
	}
	row->messages_only_a = n - both;
	row->messages_only_b = m - both;
	return PH_OK;
}

/* -------------------------------------------------------------------------------------------- rows
 */

static int32_t
step_number(const PhDiffSide *side, uint32_t phase, uint32_t place)
{
	if (place == PH_NONE)
		return -1;
	return side->logical->first_step[phase] + side->logical->stride * (int32_t) place;
}

PhStatus
ph_diff_add_row(PhDiffer *differ, const PhDiffPhase *pair, uint32_t i, uint32_t j)
{
	Step a = step_of(differ, 0, pair->phase_a, i), b = step_of(differ, 1, pair->phase_b, j);
	PH_TRY(ph_env_poll(differ->env));
	if (a.n == 0 && b.n == 0)
		return PH_OK;
	PhDiffRow row = {.phase_a = pair->phase_a,
					 .phase_b = pair->phase_b,
					 .step_a = step_number(a.side, pair->phase_a, i),
					 .step_b = step_number(b.side, pair->phase_b, j),
					 .status = j == PH_NONE	  ? PH_ONLY_IN_A
							   : i == PH_NONE ? PH_ONLY_IN_B
											  : PH_IN_BOTH,
					 .events_a = a.n,
					 .events_b = b.n,
					 .event_a = PH_NONE,
					 .event_b = PH_NONE};
	count_messages(&a, &row.messages_a, &row.bytes_a);
	count_messages(&b, &row.messages_b, &row.bytes_b);
	if (row.status != PH_IN_BOTH)
	{
		row.messages_only_a = row.messages_a;
		row.messages_only_b = row.messages_b;
	}
	else if (pair->ranks == PH_RANKS_NONE)
		compare_totals(&a, &b, &row);
	else
	{
		compare_aligned(differ, &a, &b, &row);
		PH_TRY(compare_messages(differ, &a, &b, &row));
	}
	differ->rows[differ->n_rows++] = row;
	return PH_OK;
}
