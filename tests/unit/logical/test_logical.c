/*
 * test_logical.c - logical structure of random programs against a slow, literal implementation.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include <cmocka.h>

#include "support/fault_env.h"
#include "support/logical.h"
#include "support/rounds.h"

#define MAX_EVENTS 400
#define ROUNDS rounds(2000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---------------------------------------------------------------------------- slow reference */

typedef struct Reference
{
	const PhLogicalModel *model;
	const PhLogicalOptions *options;
	uint32_t n;
	uint32_t phase[MAX_EVENTS];
	int32_t stride[MAX_EVENTS], step[MAX_EVENTS];
	bool reach[MAX_EVENTS][MAX_EVENTS];
	bool circular;
} Reference;

static void
rename_set(Reference *reference, uint32_t from, uint32_t to)
{
	for (uint32_t e = 0; e < reference->n; e++)
		if (reference->phase[e] == from)
			reference->phase[e] = to;
}

static void
join(Reference *reference, uint32_t a, uint32_t b)
{
	rename_set(reference, reference->phase[a], reference->phase[b]);
}

static bool
is_below(const PhLogicalModel *model, uint32_t event, uint32_t call)
{
	for (uint32_t c = model->caller[event]; c != PH_NONE; c = model->call_parent[c])
		if (c == call)
			return true;
	return false;
}

/* More than one communication below some call of the region. */
static bool
is_heavy(const PhLogicalModel *model, uint32_t region)
{
	for (uint32_t c = 0; c < model->n_calls; c++)
	{
		uint32_t sum = 0;
		for (uint32_t e = 0; e < model->n_events; e++)
		{
			if (!is_below(model, e, c))
				continue;
			bool sends = model->kind[e] == PH_COMM_SEND;
			sum += model->kind[e] == PH_COMM_COLLECTIVE ? 2 : 1;
			if (sends && (model->flags[e] & PH_COMM_COALESCED) != 0)
				sum += model->first_end[e + 1] - model->first_end[e] - 1;
		}
		if (model->call_region[c] == region && !model->call_is_event[c] && sum > 1)
			return true;
	}
	return false;
}

static uint32_t
group_of(const PhLogicalModel *model, const bool *heavy, uint32_t event)
{
	for (uint32_t c = model->caller[event]; c != PH_NONE; c = model->call_parent[c])
		if (heavy[model->call_region[c]])
			return c;
	return PH_NONE;
}

static bool
holds_timeline_of(const PhLogicalModel *model, uint32_t event, uint32_t call)
{
	for (uint32_t e = 0; e < model->n_events; e++)
		if (model->timeline[e] == model->timeline[event] && !is_below(model, e, call))
			return false;
	return true;
}

/* Is the event in one call's run with the one before it? */
static bool
is_called_with(const Reference *reference, const bool *heavy, uint32_t event)
{
	const PhLogicalModel *model = reference->model;
	uint32_t group = group_of(model, heavy, event);
	if (!reference->options->call_tree_merge || group == PH_NONE ||
		group != group_of(model, heavy, event - 1))
		return false;
	return (model->kind[event] != PH_COMM_COLLECTIVE &&
			model->kind[event - 1] != PH_COMM_COLLECTIVE) ||
		   !holds_timeline_of(model, event, group);
}

static void
join_runs(Reference *reference)
{
	const PhLogicalModel *model = reference->model;
	bool heavy[TEST_REGIONS] = {false};
	for (uint32_t r = 0; r < TEST_REGIONS; r++)
		heavy[r] = is_heavy(model, r);
	for (uint32_t e = 1; e < reference->n; e++)
		if (model->timeline[e] == model->timeline[e - 1] &&
			((model->flags[e] & (PH_COMM_WAITED | PH_COMM_SAME_CALL)) != 0 ||
			 is_called_with(reference, heavy, e)))
			join(reference, e - 1, e);
}

static void
join_communication(Reference *reference)
{
	const PhLogicalModel *model = reference->model;
	for (uint32_t m = 0; m < model->n_messages; m++)
		if (model->send_event[m] != PH_NONE && model->receive_event[m] != PH_NONE)
			join(reference, model->send_event[m], model->receive_event[m]);
	for (uint32_t a = 0; a < reference->n; a++)
		for (uint32_t b = 0; b < reference->n; b++)
			if (model->collective[a] != PH_NONE && model->collective[a] == model->collective[b])
				join(reference, a, b);
}

/* Phases that reach each other become one. */
static void
join_cycles(Reference *reference)
{
	const PhLogicalModel *model = reference->model;
	uint32_t n = reference->n;
	memset(reference->reach, 0, sizeof(reference->reach));
	for (uint32_t e = 1; e < n; e++)
		if (model->timeline[e] == model->timeline[e - 1])
			reference->reach[reference->phase[e - 1]][reference->phase[e]] = true;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; reference->reach[i][k] && j < n; j++)
				reference->reach[i][j] = reference->reach[i][j] || reference->reach[k][j];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			if (i != j && reference->reach[i][j] && reference->reach[j][i])
				rename_set(reference, i, j);
}

static bool
same_phase(const Reference *reference, uint32_t a, uint32_t b)
{
	return reference->model->timeline[a] == reference->model->timeline[b] &&
		   reference->phase[a] == reference->phase[b];
}

/* ---- chains of small phases ---- */

static bool
has_member(const Reference *reference, uint32_t phase, uint32_t timeline)
{
	for (uint32_t e = 0; e < reference->n; e++)
		if (reference->phase[e] == phase && reference->model->timeline[e] == timeline)
			return true;
	return false;
}

static bool
has_all_members_of(const Reference *reference, uint32_t phase, uint32_t of)
{
	for (uint32_t t = 0; t < reference->model->n_timelines; t++)
		if (has_member(reference, of, t) && !has_member(reference, phase, t))
			return false;
	return true;
}

/* Messages between some, not all, and nobody receives right after he sent. */
static bool
hands_on(const Reference *reference, uint32_t phase)
{
	const PhLogicalModel *model = reference->model;
	uint32_t n_members = 0;
	for (uint32_t t = 0; t < model->n_timelines; t++)
		n_members += has_member(reference, phase, t);
	for (uint32_t e = 0; e < reference->n; e++)
		if (reference->phase[e] == phase &&
			(model->kind[e] == PH_COMM_COLLECTIVE ||
			 (e > 0 && same_phase(reference, e, e - 1) && model->kind[e] == PH_COMM_RECEIVE &&
			  model->kind[e - 1] == PH_COMM_SEND)))
			return false;
	return n_members > 1 && n_members < model->n_timelines;
}

static bool
are_alike(const PhLogicalModel *model, uint32_t a, uint32_t b)
{
	uint32_t x = model->caller[a], y = model->caller[b];
	if (model->kind[a] != model->kind[b] ||
		(model->kind[a] != PH_COMM_RECEIVE && model->region[a] != model->region[b]))
		return false;
	for (; x != PH_NONE && y != PH_NONE; x = model->call_parent[x], y = model->call_parent[y])
		if (model->call_region[x] != model->call_region[y])
			return false;
	return x == y;
}

/* Is there an event like each of a phase in the other? */
static bool
does_what(const Reference *reference, uint32_t phase, uint32_t other)
{
	for (uint32_t a = 0; a < reference->n; a++)
	{
		bool found = reference->phase[a] != phase;
		for (uint32_t b = 0; b < reference->n; b++)
			found = found || (reference->phase[b] == other && are_alike(reference->model, a, b));
		if (!found)
			return false;
	}
	return true;
}

static void
join_chains(Reference *reference)
{
	bool joins[MAX_EVENTS] = {false};
	if (!reference->options->super_phases)
		return;
	for (uint32_t e = 1; e < reference->n; e++)
	{
		uint32_t p = reference->phase[e - 1], q = reference->phase[e];
		joins[e] = reference->model->timeline[e] == reference->model->timeline[e - 1] && p != q &&
				   hands_on(reference, p) && hands_on(reference, q) && does_what(reference, p, q) &&
				   does_what(reference, q, p) && !has_all_members_of(reference, p, q) &&
				   !has_all_members_of(reference, q, p);
	}
	for (uint32_t e = 1; e < reference->n; e++)
		if (joins[e])
			join(reference, e - 1, e);
	join_cycles(reference);
}

/* The next event after e on its timeline in its phase, no receive when sends are aligned. */
static uint32_t
next_of(const Reference *reference, uint32_t e)
{
	for (uint32_t i = e + 1; i < reference->n && same_phase(reference, e, i); i++)
		if (!reference->options->align_sends || reference->model->kind[i] != PH_COMM_RECEIVE)
			return i;
	return PH_NONE;
}

/* to is after from, and so are all members of its collective. */
static bool
lift(Reference *reference, uint32_t from, uint32_t to)
{
	const PhLogicalModel *model = reference->model;
	bool changed = false;
	if (to == PH_NONE)
		return false;
	for (uint32_t e = 0; e < reference->n; e++)
	{
		bool moves = e == to || (model->collective[e] != PH_NONE &&
								 model->collective[e] == model->collective[to]);
		if (moves && reference->stride[e] <= reference->stride[from])
		{
			reference->stride[e] = reference->stride[from] + 1;
			changed = true;
		}
	}
	return changed;
}

static bool
lift_all(Reference *reference)
{
	const PhLogicalModel *model = reference->model;
	bool aligned = reference->options->align_sends, changed = false;
	for (uint32_t e = 0; e < reference->n; e++)
		if (!aligned || model->kind[e] != PH_COMM_RECEIVE)
			changed = lift(reference, e, next_of(reference, e)) || changed;
	for (uint32_t m = 0; m < model->n_messages; m++)
	{
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		if (from != PH_NONE && to != PH_NONE)
			changed = lift(reference, from, aligned ? next_of(reference, to) : to) || changed;
	}
	return changed;
}

static int32_t
step_after_causes(const Reference *reference, uint32_t e)
{
	const PhLogicalModel *model = reference->model;
	int32_t latest = e > 0 && same_phase(reference, e, e - 1) ? reference->step[e - 1] : -1;
	for (uint32_t m = 0; m < model->n_messages; m++)
		if (model->receive_event[m] == e && model->send_event[m] != PH_NONE &&
			reference->step[model->send_event[m]] > latest)
			latest = reference->step[model->send_event[m]];
	return latest + 1;
}

/* One phase, stride by stride as the design writes it. */
static void
place_phase(Reference *reference, uint32_t phase)
{
	const PhLogicalModel *model = reference->model;
	int32_t latest = -1;
	for (int32_t s = 0; s <= (int32_t) reference->n; s++)
	{
		bool any = false;
		for (uint32_t e = 0; e < reference->n; e++)
		{
			if (reference->phase[e] != phase || model->kind[e] != PH_COMM_RECEIVE)
				continue;
			uint32_t next = next_of(reference, e);
			if (next == PH_NONE || reference->stride[next] != s)
				continue;
			reference->step[e] = step_after_causes(reference, e);
			latest = reference->step[e] > latest ? reference->step[e] : latest;
		}
		for (uint32_t e = 0; e < reference->n; e++)
			if (reference->phase[e] == phase && model->kind[e] != PH_COMM_RECEIVE &&
				reference->stride[e] == s)
			{
				reference->step[e] = latest + 1;
				any = true;
			}
		latest += any;
	}
	for (uint32_t e = 0; e < reference->n; e++)
		if (reference->phase[e] == phase && model->kind[e] == PH_COMM_RECEIVE &&
			next_of(reference, e) == PH_NONE)
			reference->step[e] = step_after_causes(reference, e);
}

static void
step_within(Reference *reference)
{
	memset(reference->stride, 0, sizeof(reference->stride));
	uint32_t rounds = 0;
	while (lift_all(reference) && rounds <= 2 * reference->n)
		rounds++;
	reference->circular = rounds > 2 * reference->n;
	for (uint32_t p = 0; p < reference->n && !reference->circular; p++)
		if (reference->options->align_sends)
			place_phase(reference, p);
		else
			for (uint32_t e = 0; e < reference->n; e++)
				reference->step[e] = reference->stride[e];
}

/* Phases start after all before them. */
static void
step_globally(Reference *reference)
{
	const PhLogicalModel *model = reference->model;
	int32_t first[MAX_EVENTS] = {0}, last[MAX_EVENTS] = {0};
	bool changed = true;
	for (uint32_t e = 0; e < reference->n; e++)
		if (2 * reference->step[e] > last[reference->phase[e]])
			last[reference->phase[e]] = 2 * reference->step[e];
	while (changed)
	{
		changed = false;
		for (uint32_t e = 1; e < reference->n; e++)
		{
			uint32_t p = reference->phase[e - 1], q = reference->phase[e];
			if (model->timeline[e] != model->timeline[e - 1] || p == q ||
				first[q] >= first[p] + last[p] + 2)
				continue;
			first[q] = first[p] + last[p] + 2;
			changed = true;
		}
	}
	for (uint32_t e = 0; e < reference->n; e++)
		reference->step[e] = first[reference->phase[e]] + 2 * reference->step[e];
}

static void
refer(Reference *reference, const PhLogicalModel *model, const PhLogicalOptions *options)
{
	reference->model = model;
	reference->options = options;
	reference->n = model->n_events;
	for (uint32_t e = 0; e < reference->n; e++)
		reference->phase[e] = e;
	join_runs(reference);
	join_communication(reference);
	join_cycles(reference);
	join_chains(reference);
	step_within(reference);
	if (!reference->circular)
		step_globally(reference);
}

/* ------------------------------------------------------------------------------------ metrics */

static int64_t
slow_lateness(const PhLogical *logical, uint32_t event, bool global, bool aggregate)
{
	const PhLogicalModel *model = logical->model;
	const int64_t *times = aggregate ? model->enter : model->exit;
	int64_t least = times[event];
	for (uint32_t e = 0; e < model->n_events; e++)
		if (logical->step[e] == logical->step[event] &&
			(global || logical->phase[e] == logical->phase[event]) && times[e] < least)
			least = times[e];
	return times[event] - least;
}

static int64_t
slow_differential(const PhLogical *logical, uint32_t event, bool global)
{
	const PhLogicalModel *model = logical->model;
	int64_t before = slow_lateness(logical, event, global, true);
	for (uint32_t m = 0; m < model->n_messages; m++)
		if (model->receive_event[m] == event && model->send_event[m] != PH_NONE)
		{
			int64_t theirs = slow_lateness(logical, model->send_event[m], global, false);
			before = theirs > before ? theirs : before;
		}
	int64_t own = slow_lateness(logical, event, global, false);
	return own > before ? own - before : 0;
}

static int64_t
slow_duration(const PhLogical *logical, uint32_t event)
{
	const PhLogicalModel *model = logical->model;
	int64_t least = INT64_MAX;
	for (uint32_t e = 0; e < model->n_events; e++)
		if (logical->step[e] == logical->step[event] &&
			logical->phase[e] == logical->phase[event] && model->exit[e] - model->enter[e] < least)
			least = model->exit[e] - model->enter[e];
	return model->exit[event] - model->enter[event] - least;
}

static void
check_spans(const PhLogicalMetrics *metrics)
{
	const PhLogical *logical = metrics->logical;
	static PhPhaseSpan spans[MAX_EVENTS];
	must(ph_logical_phase_spans(&env, metrics, spans));
	for (uint32_t p = 0; p < logical->n_phases; p++)
	{
		PhPhaseSpan slow = {INT64_MAX, INT64_MIN, 0};
		for (uint32_t e = 0; e < logical->model->n_events; e++)
		{
			int64_t late = ph_logical_value(metrics, PH_LATENESS, e);
			if (logical->phase[e] != p)
				continue;
			slow.first_enter = PH_MIN(logical->model->enter[e], slow.first_enter);
			slow.last_exit = PH_MAX(logical->model->exit[e], slow.last_exit);
			slow.max_lateness = PH_MAX(late, slow.max_lateness);
		}
		assert_memory_equal(&spans[p], &slow, sizeof(slow));
	}
}

/* A counter's step-relative form of durations is the metric duration. */
static void
check_relative(const PhLogicalMetrics *metrics)
{
	static double values[MAX_EVENTS], relative[MAX_EVENTS];
	const PhLogicalModel *model = metrics->logical->model;
	for (uint32_t e = 0; e < model->n_events; e++)
		values[e] = (double) (model->exit[e] - model->enter[e]);
	must(ph_logical_relative(&env, metrics, values, relative));
	for (uint32_t e = 0; e < model->n_events; e++)
		assert_true(relative[e] == (double) ph_logical_value(metrics, PH_DURATION, e));
}

static void
check_metrics(const PhLogical *logical)
{
	PhLogicalMetrics metrics;
	must(ph_logical_metrics_build(&env, logical, &metrics));
	for (uint32_t e = 0; e < logical->model->n_events; e++)
	{
		uint32_t first = metrics.first_out[ph_logical_bucket(&metrics, e)];
		assert_int_equal(ph_logical_value(&metrics, PH_LATENESS, first), 0);
		for (int global = 0; global < 2; global++)
		{
			assert_int_equal(
				ph_logical_value(&metrics, global ? PH_GLOBAL_LATENESS : PH_LATENESS, e),
				slow_lateness(logical, e, global, false));
			assert_int_equal(
				ph_logical_aggregate(&metrics, global ? PH_GLOBAL_LATENESS : PH_LATENESS, e),
				slow_lateness(logical, e, global, true));
			assert_int_equal(
				ph_logical_value(&metrics, global ? PH_GLOBAL_DIFFERENTIAL : PH_DIFFERENTIAL, e),
				slow_differential(logical, e, global));
		}
		assert_int_equal(ph_logical_value(&metrics, PH_DURATION, e), slow_duration(logical, e));
	}
	check_spans(&metrics);
	check_relative(&metrics);
	ph_logical_metrics_free(&metrics);
}

/* ------------------------------------------------------------------------------------- checks */

static void
compare(const Reference *reference, const PhLogical *logical, uint32_t seed)
{
	uint32_t number[MAX_EVENTS];
	memset(number, 0xff, sizeof(number));
	for (uint32_t e = 0; e < reference->n; e++)
	{
		uint32_t *expected = &number[reference->phase[e]];
		if (*expected == PH_NONE)
			*expected = logical->phase[e];
		if (*expected != logical->phase[e])
			fail_msg("seed %u: event %u is in phase %u, not %u", seed, e, logical->phase[e],
					 *expected);
		if (reference->step[e] != logical->step[e])
			fail_msg("seed %u: event %u is at step %d, not %d", seed, e, logical->step[e],
					 reference->step[e]);
	}
	for (uint32_t p = 0, q; p < reference->n; p++)
		for (q = 0; q < p; q++)
			if (number[p] != PH_NONE && number[p] == number[q])
				fail_msg("seed %u: phase %u is several", seed, number[p]);
}

static void
structure_equals_slow_reference(void **state)
{
	static Reference reference;
	uint32_t n_circular = 0, n_events = 0, n_chains = 0;
	(void) state;
	for (uint32_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(7919)};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel model;
		PhLogical logical;
		random_program(&numbers, random_program_shape(&numbers), &trace);
		random_logical_options(&numbers, &options);
		must(make_model(&env, &trace, &options, NULL, &model));
		assert_true(model.n_events <= MAX_EVENTS);
		must(ph_logical_build(&env, &model, &options, &logical));
		const char *wrong = check_logical_invariants(&logical, &options);
		if (wrong[0] != '\0')
			fail_msg("seed %u: %s", seed, wrong);
		refer(&reference, &model, &options);
		if (reference.circular != (logical.split_collectives + logical.cut_messages > 0))
			fail_msg("seed %u: circular %d, split %u, cut %u", seed, reference.circular,
					 logical.split_collectives, logical.cut_messages);
		if (!reference.circular)
			compare(&reference, &logical, seed);
		n_circular += reference.circular;
		n_events += model.n_events;
		for (uint32_t p = 0; p < logical.n_phases; p++)
			n_chains += logical.reason[p] == PH_MERGE_CHAIN;
		if (seed % 4 == 0)
			check_metrics(&logical);
		ph_logical_free(&logical);
		ph_logical_model_free(&model);
		test_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_circular > 0 && n_circular < ROUNDS / 4 && n_events > ROUNDS * 10);
	assert_true(n_chains > met_in_rounds(20));
}

/* All options, also those without a reference: the invariants hold. */
static void
invariants_hold_with_all_options(void **state)
{
	(void) state;
	for (uint32_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(104729)};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel model;
		PhLogical logical;
		random_program(&numbers, random_program_shape(&numbers), &trace);
		random_logical_options(&numbers, &options);
		options.leap_merge = numbers_below(&numbers, 2) == 0;
		options.leap_skip = numbers_below(&numbers, 2) == 0;
		options.global_merge = numbers_below(&numbers, 3) == 0;
		options.reorder_receives = numbers_below(&numbers, 2) == 0;
		options.phase_function = numbers_below(&numbers, 4) == 0 ? "exch" : NULL;
		options.compat = numbers_below(&numbers, 4) == 0;
		must(make_model(&env, &trace, &options, NULL, &model));
		must(ph_logical_build(&env, &model, &options, &logical));
		const char *wrong = check_logical_invariants(&logical, &options);
		if (wrong[0] != '\0')
			fail_msg("seed %u: %s", seed, wrong);
		ph_logical_free(&logical);
		ph_logical_model_free(&model);
		test_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
}

/* Bytes tell which send a receive belongs to: asking for them must change nothing. */
static void
messages_are_matched_in_posting_order(void **state)
{
	(void) state;
	for (uint32_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(65537)};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel by_order, by_bytes;
		ProgramShape shape = random_program_shape(&numbers);
		shape.loses_events = false;
		random_program(&numbers, shape, &trace);
		ph_logical_options_default(&options);
		must(make_model(&env, &trace, &options, NULL, &by_order));
		options.match_sizes = true;
		must(make_model(&env, &trace, &options, NULL, &by_bytes));
		assert_int_equal(by_order.n_messages, by_bytes.n_messages);
		assert_int_equal(by_order.notes.unmatched_receives, 0);
		assert_memory_equal(by_order.receive_event, by_bytes.receive_event,
							by_order.n_messages * sizeof(uint32_t));
		ph_logical_model_free(&by_order);
		ph_logical_model_free(&by_bytes);
		test_trace_free(&trace);
	}
}

/* Records in any order, of nobody's program: messages that arrive before they are sent, requests
 * that never were, calls that are never left. */
static void
random_records(RandomNumbers *numbers, TestTrace *trace)
{
	uint32_t n = 1 + numbers_below(numbers, 6);
	empty_trace(n, trace);
	for (uint32_t l = 0; l < n; l++)
	{
		int64_t time = 0;
		trace->model.locations[l].rank = (int32_t) numbers_below(numbers, n + 1) - 1;
		for (uint32_t i = numbers_below(numbers, 80); i > 0; i--)
		{
			time += numbers_below(numbers, 3);
			PhEvent *event =
				add_event(trace, l, (PhEventKind) numbers_below(numbers, PH_EVENT_METRIC), time);
			event->region = numbers_below(numbers, TEST_REGIONS);
			event->peer = numbers_below(numbers, n + 2);
			event->comm = numbers_below(numbers, 5);
			event->tag = (int32_t) numbers_below(numbers, 2);
			event->request = numbers_below(numbers, 6);
			event->operation = numbers_below(numbers, 3);
			event->bytes = numbers_below(numbers, 2);
		}
	}
}

static void
any_records_give_a_sound_structure(void **state)
{
	uint32_t n_cut = 0, n_split = 0;
	(void) state;
	for (uint32_t seed = 1; seed <= 2 * ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(15485863)};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel model;
		PhLogical logical;
		random_records(&numbers, &trace);
		random_logical_options(&numbers, &options);
		options.leap_merge = numbers_below(&numbers, 3) == 0;
		options.reorder_receives = numbers_below(&numbers, 3) == 0;
		options.match_sizes = numbers_below(&numbers, 3) == 0;
		options.compat = numbers_below(&numbers, 3) == 0;
		must(make_model(&env, &trace, &options, NULL, &model));
		must(ph_logical_build(&env, &model, &options, &logical));
		const char *wrong = check_logical_invariants(&logical, &options);
		if (wrong[0] != '\0')
			fail_msg("seed %u: %s", seed, wrong);
		n_cut += logical.cut_messages > 0;
		n_split += logical.split_collectives > 0;
		ph_logical_free(&logical);
		ph_logical_model_free(&model);
		test_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_cut > met_in_rounds(100) && n_split > met_in_rounds(100));
}

/* ------------------------------------------------------------------------------------- faults */

static PhStatus
whole_work(PhEnv *faulty, void *user)
{
	PhLogicalOptions options;
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
	ph_logical_options_default(&options);
	options.leap_merge = true;
	options.call_tree_merge = false;
	options.reorder_receives = true;
	PH_TRY(make_model(faulty, user, &options, NULL, &model));
	PhStatus status = ph_logical_build(faulty, &model, &options, &logical);
	if (status == PH_OK)
	{
		status = ph_logical_metrics_build(faulty, &logical, &metrics);
		if (status == PH_OK)
			ph_logical_metrics_free(&metrics);
		ph_logical_free(&logical);
	}
	ph_logical_model_free(&model);
	return status;
}

static void
fails_cleanly(void **state)
{
	RandomNumbers numbers = {4711};
	ProgramShape shape = {.max_ranks = 5, .max_actions = 60, .loses_events = true};
	TestTrace trace;
	(void) state;
	do
		random_program(&numbers, shape, &trace);
	while (trace.n_events[0] < 40 && (test_trace_free(&trace), true));
	assert_string_equal(fault_env_try_allocations(whole_work, &trace, 0), "");
	test_trace_free(&trace);
}

static void
can_be_interrupted(void **state)
{
	RandomNumbers numbers = {4712};
	ProgramShape shape = {.max_ranks = 8, .max_actions = 4000};
	TestTrace trace;
	(void) state;
	random_program(&numbers, shape, &trace);
	assert_string_equal(fault_env_try_interrupts(whole_work, &trace, 0), "");
	test_trace_free(&trace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structure_equals_slow_reference),
		cmocka_unit_test(invariants_hold_with_all_options),
		cmocka_unit_test(messages_are_matched_in_posting_order),
		cmocka_unit_test(any_records_give_a_sound_structure),
		cmocka_unit_test(fails_cleanly),
		cmocka_unit_test(can_be_interrupted),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
