/*
 * test_logical_diff.c - alignment against plain dynamic programming; traces with known changes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "logical/clusters/shape.h"
#include "logical/compare/align.h"
#include "logical/compare/diff.h"
#include "support/fault_env.h"
#include "support/logical.h"

#define MAX_LENGTH 40

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* -------------------------------------------------------------------------------- alignment */

static uint32_t
longest_common(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m)
{
	uint32_t best[MAX_LENGTH + 1][MAX_LENGTH + 1];
	memset(best, 0, sizeof(best));
	for (uint32_t i = 1; i <= n; i++)
		for (uint32_t j = 1; j <= m; j++)
		{
			uint32_t skip = best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
			uint32_t take = best[i - 1][j - 1] + 1;
			best[i][j] = a[i - 1] == b[j - 1] && take > skip ? take : skip;
		}
	return best[n][m];
}

static void
fill(RandomNumbers *numbers, uint64_t *keys, uint32_t *n, uint32_t letters)
{
	*n = numbers_below(numbers, MAX_LENGTH);
	for (uint32_t i = 0; i < *n; i++)
		keys[i] = numbers_below(numbers, letters);
}

/* Other keys are all different, so only the common subsequence can be paired. */
static void
frame_is_longest_common_subsequence(void **state)
{
	uint64_t a[MAX_LENGTH], b[MAX_LENGTH], other_a[MAX_LENGTH], other_b[MAX_LENGTH];
	uint32_t partner[MAX_LENGTH];
	(void) state;
	for (uint32_t i = 0; i < MAX_LENGTH; i++)
	{
		other_a[i] = 1000 + i;
		other_b[i] = 2000 + i;
	}
	for (uint64_t seed = 1; seed <= 4000; seed++)
	{
		RandomNumbers numbers = {seed * 2654435761};
		PhSequence x = {0, {a, other_a, other_a, other_a, other_a}};
		PhSequence y = {0, {b, other_b, other_b, other_b, other_b}};
		uint32_t letters = 2 + numbers_below(&numbers, 12), n_pairs = 0, last = 0;
		fill(&numbers, a, &x.n, letters);
		fill(&numbers, b, &y.n, letters);
		must(ph_align(&env, &x, &y, 0, partner));
		bool ascends = true;
		for (uint32_t i = 0; i < x.n; i++)
		{
			if (partner[i] == PH_NONE)
				continue;
			assert_int_equal(a[i], b[partner[i]]);
			ascends = ascends && (n_pairs == 0 || partner[i] > last);
			last = partner[i];
			n_pairs++;
		}
		/* equal things that changed places are paired in the gaps, beyond the subsequence */
		uint32_t longest = longest_common(a, x.n, b, y.n);
		if (n_pairs < longest || (ascends && n_pairs != longest))
			fail_msg("seed %llu: %u pairs, longest %u", (unsigned long long) seed, n_pairs,
					 longest);
	}
	assert_int_equal(env.bytes, 0);
}

/* Thousands of differences: the frame is given up, keys in order decide. */
static void
very_different_sequences_are_paired_by_key(void **state)
{
	enum
	{
		N = 5000
	};
	static uint64_t a[N], b[N];
	static uint32_t partner[N];
	(void) state;
	for (uint32_t i = 0; i < N; i++)
	{
		a[i] = i;
		b[i] = N - 1 - i;
	}
	PhSequence x = {N, {a, a, a, a, a}}, y = {N, {b, b, b, b, b}};
	must(ph_align(&env, &x, &y, 0, partner));
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(partner[i], N - 1 - i);
}

static void
neighbours_that_changed_places_meet(void **state)
{
	const uint64_t a[] = {1, 2, 3, 4, 5}, b[] = {1, 3, 2, 4, 5};
	PhSequence x = {5, {a, a, a, a, a}}, y = {5, {b, b, b, b, b}};
	uint32_t partner[5];
	(void) state;
	must(ph_align(&env, &x, &y, 2, partner));
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(a[i], b[partner[i]]);
}

/* ---------------------------------------------------------------------------------- programs */

/* Everything from one trace to its metrics. */
typedef struct Analysis
{
	TestTrace trace;
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
} Analysis;

static PhStatus
analyse(PhEnv *where, Analysis *analysis)
{
	PhLogicalOptions options;
	ph_logical_options_default(&options);
	PH_TRY(make_model(where, &analysis->trace, &options, NULL, &analysis->model));
	PH_TRY(ph_logical_build(where, &analysis->model, &options, &analysis->logical));
	return ph_logical_metrics_build(where, &analysis->logical, &analysis->metrics);
}

static void
drop(Analysis *analysis)
{
	ph_logical_metrics_free(&analysis->metrics);
	ph_logical_free(&analysis->logical);
	ph_logical_model_free(&analysis->model);
	test_trace_free(&analysis->trace);
}

/* Iterations of work and a shift around the ring, each of its own size. */
typedef struct Ring
{
	uint32_t n_ranks, n_iterations;
	uint32_t late_rank, late_iteration; /* PH_NONE: none */
	int64_t delay;
	uint32_t skipped;	  /* an iteration that is not there, PH_NONE: none */
	uint32_t silent_rank; /* sends nothing in the last iteration, nor does the next receive */
} Ring;

static void
call(TestTrace *trace, uint32_t rank, uint32_t region, int64_t enter, int64_t leave)
{
	add_event(trace, rank, PH_EVENT_ENTER, enter)->region = region;
	add_event(trace, rank, PH_EVENT_LEAVE, leave)->region = region;
}

static void
message_call(TestTrace *trace, uint32_t rank, uint32_t peer, bool sends, int64_t enter,
			 int64_t leave)
{
	uint32_t region = sends ? TEST_SEND : TEST_RECV;
	add_event(trace, rank, PH_EVENT_ENTER, enter)->region = region;
	PhEvent *event = add_event(trace, rank, sends ? PH_EVENT_SEND : PH_EVENT_RECV, leave);
	event->peer = peer;
	event->comm = 0;
	event->bytes = 8;
	add_event(trace, rank, PH_EVENT_LEAVE, leave)->region = region;
}

static void
run_iteration(const Ring *ring, TestTrace *trace, int64_t *time, uint32_t iteration)
{
	int64_t sent[16];
	uint32_t n = ring->n_ranks;
	bool last = iteration + 1 == ring->n_iterations;
	for (uint32_t r = 0; r < n; r++)
	{
		int64_t work = 100 + (r * 7 + iteration * 13) % 20;
		if (r == ring->late_rank && iteration == ring->late_iteration)
			work += ring->delay;
		call(trace, r, TEST_WORK, time[r], time[r] + work);
		time[r] += work;
		add_event(trace, r, PH_EVENT_ENTER, time[r])->region = TEST_EXCHANGE;
		sent[r] = time[r] + 10;
		if (!(last && r == ring->silent_rank))
			message_call(trace, r, (r + 1) % n, true, time[r], time[r] + 10);
		time[r] += 10;
	}
	for (uint32_t r = 0; r < n; r++)
	{
		uint32_t from = (r + n - 1) % n;
		int64_t ready = sent[from] + 5 > time[r] + 10 ? sent[from] + 5 : time[r] + 10;
		if (!(last && from == ring->silent_rank))
			message_call(trace, r, from, false, time[r], ready);
		time[r] = ready;
		add_event(trace, r, PH_EVENT_LEAVE, time[r])->region = TEST_EXCHANGE;
	}
}

static void
run_ring(const Ring *ring, Analysis *out)
{
	int64_t time[16] = {0};
	empty_trace(ring->n_ranks, &out->trace);
	for (uint32_t i = 0; i < ring->n_iterations; i++)
		if (i != ring->skipped)
			run_iteration(ring, &out->trace, time, i);
	must(analyse(&env, out));
}

static const Ring plain_ring = {6, 10, PH_NONE, PH_NONE, 0, PH_NONE, PH_NONE};

static bool
is_zero(const PhDiffRow *row)
{
	return row->status == PH_IN_BOTH && row->delta_lateness == 0 &&
		   row->delta_aggregate_lateness == 0 && row->delta_differential == 0 &&
		   row->delta_duration == 0 && row->messages_only_a == 0 && row->messages_only_b == 0 &&
		   row->events_a == row->events_b && row->events_aligned == row->events_a &&
		   row->bytes_a == row->bytes_b;
}

static void
difference_of_a_trace_and_itself_is_zero(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 1000; seed++)
	{
		RandomNumbers numbers = {seed * 7919};
		ProgramShape shape = {.max_ranks = 7, .max_actions = 120};
		Analysis one;
		PhTraceDiff diff;
		uint32_t n_events = 0;
		shape.loses_events = seed % 3 == 0;
		random_program(&numbers, shape, &one.trace);
		must(analyse(&env, &one));
		must(ph_trace_diff(&env, &one.metrics, &one.metrics, &diff));
		assert_int_equal(diff.n_phases, one.logical.n_phases);
		for (uint32_t p = 0; p < diff.n_phases; p++)
		{
			assert_int_equal(diff.phases[p].phase_a, p);
			assert_int_equal(diff.phases[p].phase_b, p);
			assert_int_equal(diff.phases[p].ranks, PH_RANKS_BY_RANK);
		}
		for (uint32_t i = 0; i < diff.n_rows; i++)
		{
			assert_true(is_zero(&diff.rows[i]));
			assert_int_equal(diff.rows[i].step_a, diff.rows[i].step_b);
			n_events += diff.rows[i].events_a;
		}
		assert_int_equal(n_events, one.model.n_events);
		ph_trace_diff_free(&diff);
		drop(&one);
	}
	assert_int_equal(env.bytes, 0);
}

/* For every place of a delay: zero before it, and found where it was put. */
static void
delay_is_found_where_it_was_injected(void **state)
{
	Analysis before;
	(void) state;
	run_ring(&plain_ring, &before);
	assert_int_equal(before.logical.n_phases, 10);
	for (uint32_t place = 0; place < 60; place++)
	{
		Ring late = plain_ring;
		Analysis after;
		PhTraceDiff diff;
		late.late_rank = place % 6;
		late.late_iteration = place / 6;
		late.delay = 1000;
		run_ring(&late, &after);
		must(ph_trace_diff(&env, &before.metrics, &after.metrics, &diff));
		uint32_t first = 0;
		while (is_zero(&diff.rows[first]))
			first++;
		const PhDiffRow *row = &diff.rows[first];
		assert_int_equal(row->phase_a, late.late_iteration);
		assert_int_equal(row->step_a, before.logical.first_step[late.late_iteration]);
		assert_int_equal(before.model.timeline[row->event_a], late.late_rank);
		assert_int_equal(after.model.timeline[row->event_b], late.late_rank);
		assert_true(row->delta_aggregate_lateness > 900);
		assert_true(row->delta_differential > 900);
		ph_trace_diff_free(&diff);
		drop(&after);
	}
	drop(&before);
	assert_int_equal(env.bytes, 0);
}

static uint32_t
count_status(const PhTraceDiff *diff, uint32_t status)
{
	uint32_t n = 0;
	for (uint32_t p = 0; p < diff->n_phases; p++)
		n += diff->phases[p].status == status;
	return n;
}

static void
iteration_in_only_one_is_told(void **state)
{
	Ring shorter = plain_ring;
	Analysis all, fewer;
	PhTraceDiff diff;
	(void) state;
	shorter.skipped = 4;
	run_ring(&plain_ring, &all);
	run_ring(&shorter, &fewer);
	must(ph_trace_diff(&env, &all.metrics, &fewer.metrics, &diff));
	assert_int_equal(count_status(&diff, PH_ONLY_IN_A), 1);
	assert_int_equal(count_status(&diff, PH_IN_BOTH), 9);
	ph_trace_diff_free(&diff);
	must(ph_trace_diff(&env, &fewer.metrics, &all.metrics, &diff));
	assert_int_equal(count_status(&diff, PH_ONLY_IN_B), 1);
	ph_trace_diff_free(&diff);
	drop(&all);
	drop(&fewer);
}

static void
message_in_only_one_is_told(void **state)
{
	Ring silent = plain_ring;
	Analysis all, fewer;
	PhTraceDiff diff;
	uint32_t n_only = 0, n_other = 0;
	(void) state;
	silent.silent_rank = 2;
	run_ring(&plain_ring, &all);
	run_ring(&silent, &fewer);
	must(ph_trace_diff(&env, &all.metrics, &fewer.metrics, &diff));
	for (uint32_t i = 0; i < diff.n_rows; i++)
	{
		n_only += diff.rows[i].messages_only_a;
		n_other += diff.rows[i].messages_only_b;
	}
	assert_int_equal(n_only, 1);
	assert_int_equal(n_other, 0);
	ph_trace_diff_free(&diff);
	drop(&all);
	drop(&fewer);
}

/* Another number of ranks: phases and steps still meet, and as many processes as do the same. */
static void
other_numbers_of_ranks(void **state)
{
	Ring larger = plain_ring;
	Analysis small, large;
	PhTraceDiff diff;
	(void) state;
	larger.n_ranks = 9;
	run_ring(&plain_ring, &small);
	run_ring(&larger, &large);
	must(ph_trace_diff(&env, &small.metrics, &large.metrics, &diff));
	assert_int_equal(count_status(&diff, PH_IN_BOTH), 10);
	for (uint32_t p = 0; p < diff.n_phases; p++)
	{
		assert_int_equal(diff.phases[p].ranks, PH_RANKS_BY_ROLE);
		assert_int_equal(diff.phases[p].aligned_by, PH_PHASES_BY_CLASS);
		assert_int_equal(diff.phases[p].class_a, diff.phases[p].class_b);
	}
	for (uint32_t i = 0; i < diff.n_rows; i++)
	{
		assert_int_equal(diff.rows[i].status, PH_IN_BOTH);
		assert_int_equal(diff.rows[i].events_aligned, 6);
	}
	ph_trace_diff_free(&diff);
	drop(&small);
	drop(&large);
}

/* One sends to all others, who receive, perhaps twice; which one sends is up to the caller. */
static void
run_star(uint32_t n, uint32_t sender, bool twice, Analysis *out)
{
	int64_t time = 10;
	empty_trace(n, &out->trace);
	for (uint32_t r = 0; r < n; r++)
		add_event(&out->trace, r, PH_EVENT_ENTER, 0)->region = TEST_EXCHANGE;
	for (uint32_t r = 0; r < n; r++)
	{
		if (r == sender)
			continue;
		message_call(&out->trace, sender, r, true, time, time + 5);
		message_call(&out->trace, r, sender, false, 100, 200);
		if (twice)
			message_call(&out->trace, r, sender, false, 300, 400);
		time += 10;
	}
	for (uint32_t r = 0; r < n; r++)
		add_event(&out->trace, r, PH_EVENT_LEAVE, 1000)->region = TEST_EXCHANGE;
	must(analyse(&env, out));
	assert_int_equal(out->logical.n_phases, 1);
}

/* Receivers meet receivers, wherever they are; where nobody does the same, nobody meets. */
static void
processes_meet_by_role(void **state)
{
	(void) state;
	for (int twice = 0; twice < 2; twice++)
	{
		Analysis a, b;
		PhTraceDiff diff;
		uint32_t n_aligned = 0;
		run_star(3, 0, false, &a);
		run_star(5, 4, twice == 1, &b);
		must(ph_trace_diff(&env, &a.metrics, &b.metrics, &diff));
		for (uint32_t i = 0; i < diff.n_rows; i++)
		{
			const PhDiffRow *row = &diff.rows[i];
			n_aligned += row->events_aligned;
			if (row->events_aligned > 0)
				assert_int_equal(a.model.kind[row->event_a], b.model.kind[row->event_b]);
		}
		assert_int_equal(diff.n_phases, 1);
		assert_int_equal(diff.phases[0].ranks, twice == 1 ? PH_RANKS_NONE : PH_RANKS_BY_ROLE);
		assert_true((n_aligned > 0) == (twice == 0));
		ph_trace_diff_free(&diff);
		drop(&a);
		drop(&b);
	}
}

/* ------------------------------------------------------------------------------------- faults */

typedef struct Both
{
	Analysis a, b;
} Both;

/* ------------------------------------------------------------------------ runs of different kinds
 */

/* The greatest sum of similarities of any monotone alignment, by plain dynamic programming. */
static uint32_t
greatest_sum(const PhPhaseShape *a, uint32_t n, const PhPhaseShape *b, uint32_t m)
{
	uint32_t best[MAX_LENGTH + 1][MAX_LENGTH + 1];
	memset(best, 0, sizeof(best));
	for (uint32_t i = 1; i <= n; i++)
		for (uint32_t j = 1; j <= m; j++)
		{
			uint32_t skip = best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
			uint32_t take = best[i - 1][j - 1] + ph_shape_similarity(&a[i - 1], &b[j - 1]);
			best[i][j] = take > skip ? take : skip;
		}
	return best[n][m];
}

static uint32_t
fill_shapes(RandomNumbers *numbers, PhPhaseShape *out)
{
	uint32_t n = numbers_below(numbers, MAX_LENGTH);
	for (uint32_t i = 0; i < n; i++)
		out[i] = (PhPhaseShape){.kind = (uint8_t) numbers_below(numbers, 3),
								.timelines = (1 + numbers_below(numbers, 4)) / 4.0,
								.messages = 1 + numbers_below(numbers, 6),
								.partners = 1 + numbers_below(numbers, 4),
								.received = 1 + numbers_below(numbers, 6),
								.both_ways = numbers_below(numbers, 3) / 2.0,
								.relative = {(1 + numbers_below(numbers, 4)) / 4.0,
											 (1 + numbers_below(numbers, 4)) / 4.0, 1},
								.operations = numbers_below(numbers, 4)};
	return n;
}

static void
shapes_are_aligned_as_well_as_can_be(void **state)
{
	PhPhaseShape a[MAX_LENGTH], b[MAX_LENGTH];
	uint32_t partner[MAX_LENGTH];
	(void) state;
	for (uint64_t seed = 1; seed <= 3000; seed++)
	{
		RandomNumbers numbers = {seed * 2654435761};
		uint32_t n = fill_shapes(&numbers, a), m = fill_shapes(&numbers, b), sum = 0, next = 0;
		must(ph_align_shapes(&env, a, n, b, m, partner));
		for (uint32_t i = 0; i < n; i++)
		{
			if (partner[i] == PH_NONE)
				continue;
			uint32_t alike = ph_shape_similarity(&a[i], &b[partner[i]]);
			assert_true(partner[i] >= next && partner[i] < m && alike >= PH_LEAST_SIMILARITY);
			assert_int_equal(alike, ph_shape_similarity(&b[partner[i]], &a[i]));
			next = partner[i] + 1;
			sum += alike;
		}
		assert_int_equal(sum, greatest_sum(a, n, b, m));
	}
	assert_int_equal(env.bytes, 0);
}

/* Of tasks, steps have no aggregates between them. */
static void
make_tasks(Analysis *analysis)
{
	PhLogical *logical = &analysis->logical;
	logical->stride = 1;
	for (uint32_t p = 0; p < logical->n_phases; p++)
	{
		logical->first_step[p] /= PH_STEP_STRIDE;
		logical->last_step_of[p] /= PH_STEP_STRIDE;
	}
	for (uint32_t e = 0; e < analysis->model.n_events; e++)
		logical->step[e] /= PH_STEP_STRIDE;
	for (uint32_t r = 0; r < analysis->model.n_regions; r++)
		analysis->model.region_key[r] = ~analysis->model.region_key[r];
	ph_logical_metrics_free(&analysis->metrics);
	must(ph_logical_metrics_build(&env, logical, &analysis->metrics));
}

/* Rings of n ranks and as many chares, one iteration less: names differ, the exchanges meet. */
static void
processes_and_tasks_meet_by_shape(void **state)
{
	Ring shorter = plain_ring;
	Analysis ranks, chares;
	PhTraceDiff diff;
	(void) state;
	shorter.skipped = 9;
	run_ring(&plain_ring, &ranks);
	run_ring(&shorter, &chares);
	make_tasks(&chares);
	assert_true(ph_trace_kinds_differ(&ranks.metrics, &chares.metrics));
	must(ph_trace_diff(&env, &ranks.metrics, &chares.metrics, &diff));
	assert_int_equal(count_status(&diff, PH_IN_BOTH), 9);
	assert_int_equal(count_status(&diff, PH_ONLY_IN_A), 1);
	for (uint32_t p = 0; p < 9; p++)
	{
		assert_int_equal(diff.phases[p].phase_b, p);
		assert_int_equal(diff.phases[p].ranks, PH_RANKS_BY_POSITION);
	}
	for (uint32_t i = 0; i < diff.phases[9].first_row; i++)
		assert_int_equal(diff.rows[i].events_aligned, 6);
	ph_trace_diff_free(&diff);
	drop(&ranks);
	drop(&chares);
	assert_int_equal(env.bytes, 0);
}

/* Other numbers of ranks and chares: phases and steps are compared, without locations. */
static void
ranks_that_are_no_chares_are_told(void **state)
{
	Ring larger = plain_ring;
	Analysis ranks, chares;
	PhTraceDiff diff;
	(void) state;
	larger.n_ranks = 9;
	run_ring(&plain_ring, &ranks);
	run_ring(&larger, &chares);
	make_tasks(&chares);
	must(ph_trace_diff(&env, &ranks.metrics, &chares.metrics, &diff));
	assert_int_equal(count_status(&diff, PH_IN_BOTH), 10);
	for (uint32_t i = 0; i < diff.n_rows; i++)
	{
		assert_int_equal(diff.rows[i].events_aligned, 0);
		assert_int_equal(diff.rows[i].event_a, PH_NONE);
	}
	assert_int_equal(diff.phases[0].ranks, PH_RANKS_NONE);
	ph_trace_diff_free(&diff);
	drop(&ranks);
	drop(&chares);
}

/* Another tool, or another program of the same structure: no name is the same. */
static void
other_names_meet_by_shape(void **state)
{
	Ring shorter = plain_ring;
	Analysis one, other;
	PhTraceDiff diff;
	(void) state;
	shorter.n_iterations = 7;
	run_ring(&plain_ring, &one);
	run_ring(&shorter, &other);
	for (uint32_t r = 0; r < other.model.n_regions; r++)
		other.model.region_key[r] = ~other.model.region_key[r];
	must(ph_trace_diff(&env, &one.metrics, &other.metrics, &diff));
	assert_int_equal(count_status(&diff, PH_IN_BOTH), 7);
	assert_int_equal(count_status(&diff, PH_ONLY_IN_A), 3);
	for (uint32_t p = 0; p < diff.n_phases; p++)
		if (diff.phases[p].status == PH_IN_BOTH)
		{
			assert_int_equal(diff.phases[p].aligned_by, PH_PHASES_BY_SHAPE);
			assert_int_equal(diff.phases[p].phase_a, diff.phases[p].phase_b);
			assert_true(diff.rows[diff.phases[p].first_row].events_aligned > 0);
		}
	ph_trace_diff_free(&diff);
	drop(&one);
	drop(&other);
	assert_int_equal(env.bytes, 0);
}

/* Means of the phases of the kind that most of a class are, by looking at all of them each time. */
static void
classes_have_the_mean_of_their_shapes(void **state)
{
	PhPhaseShape shapes[MAX_LENGTH], means[MAX_LENGTH];
	uint64_t class[MAX_LENGTH];
	(void) state;
	for (uint64_t seed = 1; seed <= 500; seed++)
	{
		RandomNumbers numbers = {seed * 2654435761};
		uint32_t n = fill_shapes(&numbers, shapes);
		for (uint32_t i = 0; i < n; i++)
			class[i] = 1 + numbers_below(&numbers, 5);
		memcpy(means, shapes, sizeof(shapes));
		must(ph_shapes_of_classes(&env, n, class, means));
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t n_of[3] = {0, 0, 0}, kind;
			double sum = 0, relative = 0;
			for (uint32_t j = 0; j < n; j++)
				n_of[shapes[j].kind] += class[j] == class[i];
			kind = n_of[1] > n_of[0] ? 1 : 0;
			kind = n_of[2] > n_of[kind] ? 2 : kind;
			for (uint32_t j = 0; j < n; j++)
				if (class[j] == class[i] && shapes[j].kind == kind)
				{
					sum += shapes[j].messages / n_of[kind];
					relative += shapes[j].relative[1] / n_of[kind];
				}
			assert_int_equal(means[i].kind, kind);
			assert_true(means[i].messages > sum - 1e-9 && means[i].messages < sum + 1e-9);
			assert_true(means[i].relative[1] > relative - 1e-9 &&
						means[i].relative[1] < relative + 1e-9);
		}
	}
	assert_int_equal(env.bytes, 0);
}

static PhStatus
diff_work(PhEnv *faulty, void *user)
{
	const Both *both = user;
	PhTraceDiff diff;
	PH_TRY(ph_trace_diff(faulty, &both->a.metrics, &both->b.metrics, &diff));
	ph_trace_diff_free(&diff);
	return PH_OK;
}

static void
fails_cleanly(void **state)
{
	Ring other = plain_ring;
	Both both;
	(void) state;
	other.skipped = 3;
	run_ring(&plain_ring, &both.a);
	run_ring(&other, &both.b);
	assert_string_equal(fault_env_try_allocations(diff_work, &both, 0), "");
	make_tasks(&both.b);
	assert_string_equal(fault_env_try_allocations(diff_work, &both, 0), "");
	drop(&both.a);
	drop(&both.b);
}

static void
can_be_interrupted(void **state)
{
	Ring one = plain_ring, other;
	Both both;
	(void) state;
	one.n_iterations = 300;
	other = one;
	other.skipped = 3;
	run_ring(&one, &both.a);
	run_ring(&other, &both.b);
	assert_string_equal(fault_env_try_interrupts(diff_work, &both, 0), "");
	make_tasks(&both.b);
	assert_string_equal(fault_env_try_interrupts(diff_work, &both, 0), "");
	drop(&both.a);
	drop(&both.b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_is_longest_common_subsequence),
		cmocka_unit_test(very_different_sequences_are_paired_by_key),
		cmocka_unit_test(neighbours_that_changed_places_meet),
		cmocka_unit_test(difference_of_a_trace_and_itself_is_zero),
		cmocka_unit_test(delay_is_found_where_it_was_injected),
		cmocka_unit_test(iteration_in_only_one_is_told),
		cmocka_unit_test(message_in_only_one_is_told),
		cmocka_unit_test(other_numbers_of_ranks),
		cmocka_unit_test(processes_meet_by_role),
		cmocka_unit_test(shapes_are_aligned_as_well_as_can_be),
		cmocka_unit_test(processes_and_tasks_meet_by_shape),
		cmocka_unit_test(ranks_that_are_no_chares_are_told),
		cmocka_unit_test(other_names_meet_by_shape),
		cmocka_unit_test(classes_have_the_mean_of_their_shapes),
		cmocka_unit_test(fails_cleanly),
		cmocka_unit_test(can_be_interrupted),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
