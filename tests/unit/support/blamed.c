/*
 * blamed.c - see blamed.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/blamed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static PhStatus
take_stretches(void *user, uint32_t location, const PhStretch *stretches, uint32_t n)
{
	Blamed *blamed = user;
	for (uint32_t i = 0; i < n; i++)
		blamed->stretches[blamed->n_stretches++] =
			(BlamedStretch){location, stretches[i].node, stretches[i].from, stretches[i].to};
	return ph_path_times_stretches(blamed->times, location, stretches, n);
}

static PhStatus
feed_tree(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	return ph_trace_tree_add_chunk(user, chunk, reader, INT64_MIN, INT64_MAX);
}

static PhStatus
find_times(Blamed *blamed, PhEnv *with, uint64_t seed)
{
	uint32_t order[COMM_LOCATIONS];
	PH_TRY(ph_path_times_new(with, &blamed->waits, blamed->intervals, &blamed->times));
	PH_TRY(ph_trace_tree_new(
		with, ph_trace_has_threads(&blamed->trace->model) ? &blamed->trace->model : NULL,
		&blamed->tree));
	ph_trace_tree_watch(blamed->tree, take_stretches, blamed);
	comm_shuffle(blamed->trace, seed, order);
	for (uint32_t i = 0; i < blamed->trace->model.n_locations; i++)
		PH_TRY(comm_visit_chunks(with, blamed->trace, order[i], 1 + (uint32_t) seed % 70, feed_tree,
								 blamed->tree));
	PH_TRY(ph_trace_tree_settle(blamed->tree));
	return ph_path_times_finish(blamed->times, ph_trace_tree_n_nodes(blamed->tree));
}

static PhStatus
find_blame(Blamed *blamed)
{
	uint32_t n_nodes = ph_trace_tree_n_nodes(blamed->tree);
	PH_TRY(PH_NEW(&blamed->arena, n_nodes, &blamed->node_keys));
	for (uint32_t i = 0; i < n_nodes; i++)
	{
		uint32_t parent = ph_trace_tree_parent(blamed->tree, i);
		uint64_t above = parent == PH_NONE ? 0 : blamed->node_keys[parent];
		blamed->node_keys[i] =
			(above + ph_trace_tree_region(blamed->tree, i) + 1) * 0x9e3779b97f4a7c15u;
	}
	PhBlameInput input = {.waits = &blamed->waits,
						  .intervals = blamed->intervals,
						  .times = blamed->times,
						  .n_nodes = n_nodes,
						  .node_keys = blamed->node_keys,
						  .from = INT64_MIN,
						  .to = INT64_MAX};
	PH_TRY(ph_blame_find(&blamed->arena, &input, &blamed->blame));
	return ph_blame_edges(&blamed->arena, &input, &blamed->blame,
						  ph_path_times_wait_nodes(blamed->times), &blamed->edges,
						  &blamed->n_edges);
}

PhStatus
blamed_find(Blamed *blamed, PhEnv *with, const CommTrace *trace, uint64_t seed)
{
	blamed->trace = trace;
	blamed->n_stretches = 0;
	blamed->times = NULL;
	blamed->tree = NULL;
	blamed->skeleton = NULL;
	ph_arena_init(&blamed->arena, with);
	PH_TRY(skeleton_of(with, blamed->trace, seed, &blamed->skeleton));
	PH_TRY(ph_wait_states_find(&blamed->arena, blamed->skeleton, &blamed->waits));
	PH_TRY(ph_wait_intervals(&blamed->arena, blamed->skeleton, &blamed->waits, &blamed->intervals));
	PH_TRY(find_times(blamed, with, seed));
	return find_blame(blamed);
}

void
blamed_free(Blamed *blamed)
{
	ph_path_times_free(blamed->times);
	ph_trace_tree_free(blamed->tree);
	ph_skeleton_free(blamed->skeleton);
	ph_arena_drop(&blamed->arena);
}

/* ---- checking ---- */

static int64_t
overlap(int64_t a, int64_t b, int64_t from, int64_t to)
{
	int64_t low = a > from ? a : from, high = b < to ? b : to;
	return high > low ? high - low : 0;
}

static void
plain_times(const Blamed *blamed, uint32_t at, int64_t from, int64_t to, int64_t *time)
{
	memset(time, 0, BLAMED_NODES * sizeof(*time));
	for (uint32_t i = 0; i < blamed->n_stretches; i++)
	{
		const BlamedStretch *stretch = &blamed->stretches[i];
		if (stretch->location != at)
			continue;
		int64_t low = stretch->from > from ? stretch->from : from;
		int64_t high = stretch->to < to ? stretch->to : to;
		time[stretch->node] += overlap(low, high, from, to);
		for (uint32_t w = blamed->waits.first[at]; w < blamed->waits.first[at + 1]; w++)
			time[stretch->node] -=
				overlap(low, high, blamed->waits.waits[w].from, blamed->waits.waits[w].to);
	}
}

/* Does a wait end later? Of one time passages end first, as they depend on each other. */
static bool
is_later(const PhWait *wait, const PhWait *other)
{
	if (wait->to != other->to)
		return wait->to > other->to;
	return ph_wait_tier(wait) > ph_wait_tier(other);
}

static double costs[COMM_LOCATIONS][BLAMED_NODES];

/* The call path that a location was in from this time on. */
static uint32_t
plain_node(const Blamed *blamed, uint32_t at, int64_t time)
{
	for (uint32_t i = 0; i < blamed->n_stretches; i++)
		if (blamed->stretches[i].location == at && blamed->stretches[i].from <= time &&
			time < blamed->stretches[i].to)
			return blamed->stretches[i].node;
	fail_msg("location %u is in no call at %lld", at, (long long) time);
	return PH_NONE;
}

/* Gives an amount to what caused a wait, or to the waits before it. */
static void
plain_blame(const Blamed *blamed, uint32_t index, double amount, double *passed,
			double *unexplained)
{
	static int64_t own[BLAMED_NODES], other[BLAMED_NODES];
	const PhWait *wait = &blamed->waits.waits[index], *waits = blamed->waits.waits;
	PhWaitInterval interval = blamed->intervals[index];
	uint32_t q = wait->awaited;
	double whole = 0, share;
	if (wait->kind == PH_WAIT_IO)
	{
		costs[q][plain_node(blamed, q, wait->from)] += amount;
		return;
	}
	plain_times(blamed, wait->victim, interval.victim_from, wait->from, own);
	plain_times(blamed, q, interval.awaited_from, wait->release, other);
	for (uint32_t i = 0; i < BLAMED_NODES; i++)
		whole += other[i] > own[i] ? (double) (other[i] - own[i]) : 0;
	for (uint32_t i = blamed->waits.first[q]; i < blamed->waits.first[q + 1]; i++)
		if (waits[i].to <= wait->release)
			whole += (double) overlap(waits[i].from, waits[i].to, interval.awaited_from, INT64_MAX);
	if (whole == 0)
		*unexplained += amount;
	for (uint32_t i = 0; i < BLAMED_NODES && whole > 0; i++)
		costs[q][i] += other[i] > own[i] ? amount * (double) (other[i] - own[i]) / whole : 0;
	for (uint32_t i = blamed->waits.first[q]; i < blamed->waits.first[q + 1] && whole > 0; i++)
	{
		if (waits[i].to > wait->release)
			continue;
		share = amount *
				(double) overlap(waits[i].from, waits[i].to, interval.awaited_from, INT64_MAX) /
				whole;
		*(is_later(wait, &waits[i]) ? &passed[i] : unexplained) += share;
	}
}

static const PhWait *sorted;

static int
compare_waits(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *) x, b = *(const uint32_t *) y;
	if (is_later(&sorted[a], &sorted[b]) || is_later(&sorted[b], &sorted[a]))
		return is_later(&sorted[a], &sorted[b]) ? -1 : 1;
	return a < b ? 1 : -1;
}

static int64_t
own_cost(const PhWait *wait)
{
	return wait->passage != PH_NO_PASSAGE ? 0 : wait->to - wait->from;
}

/* Edges are the waits once more, from another side; whose cause they name has costs. */
static void
check_edges(const Blamed *blamed, int64_t waited)
{
	int64_t sum = 0, by_victim[COMM_LOCATIONS] = {0};
	for (uint32_t i = 0; i < blamed->n_edges; i++)
	{
		const PhBlameEdge *edge = &blamed->edges[i];
		bool has_cost = edge->origin == PH_NONE;
		assert_true(edge->ns > 0 && (i == 0 || edge->ns <= edge[-1].ns));
		for (uint32_t k = 0; k < blamed->blame.n_delays && !has_cost; k++)
			has_cost =
				blamed->blame.delays[k].location == edge->origin &&
				(blamed->blame.delays[k].node == edge->origin_node || edge->origin_node == PH_NONE);
		assert_true(has_cost);
		sum += edge->ns;
		by_victim[edge->victim] += edge->ns;
	}
	assert_int_equal(sum, waited);
	for (uint32_t i = 0; i < blamed->waits.n; i++)
		by_victim[blamed->waits.waits[i].victim] -= own_cost(&blamed->waits.waits[i]);
	for (uint32_t at = 0; at < COMM_LOCATIONS; at++)
		assert_int_equal(by_victim[at], 0);
}

void
blamed_check_costs(Blamed *blamed, uint64_t seed)
{
	static uint32_t order[BLAMED_STRETCHES];
	static double passed[BLAMED_STRETCHES];
	double unexplained = 0, tolerance = 2 + 3 * (double) blamed->waits.n;
	int64_t sum = blamed->blame.unexplained + blamed->blame.outside + blamed->blame.own;
	int64_t waited = 0, own = 0;
	memset(costs, 0, sizeof(costs));
	for (uint32_t i = 0; i < blamed->waits.n; i++)
	{
		order[i] = i;
		passed[i] = 0;
		waited += own_cost(&blamed->waits.waits[i]);
	}
	sorted = blamed->waits.waits;
	qsort(order, blamed->waits.n, sizeof(*order), compare_waits);
	for (uint32_t i = 0; i < blamed->waits.n; i++)
	{
		const PhWait *wait = &blamed->waits.waits[order[i]];
		bool is_own = wait->kind == PH_WAIT_IO;
		own += is_own ? own_cost(wait) : 0;
		plain_blame(blamed, order[i], (is_own ? 0 : (double) own_cost(wait)) + passed[order[i]],
					passed, &unexplained);
	}
	for (uint32_t i = 0; i < blamed->blame.n_delays; i++)
	{
		const PhDelay *delay = &blamed->blame.delays[i];
		double cost = (double) (delay->short_term + delay->long_term);
		double *expected = &costs[delay->location][delay->node];
		sum += delay->short_term + delay->long_term;
		if (cost < *expected - tolerance || cost > *expected + tolerance)
			fail_msg("seed %llu: delay %u costs %.1f, not %.1f", (unsigned long long) seed, i, cost,
					 *expected);
		*expected = 0;
	}
	for (uint32_t at = 0; at < COMM_LOCATIONS; at++)
		for (uint32_t i = 0; i < BLAMED_NODES; i++)
			assert_true(costs[at][i] <= tolerance);
	assert_true((double) blamed->blame.unexplained <= unexplained + tolerance);
	assert_true((double) blamed->blame.unexplained >= unexplained - tolerance);
	assert_int_equal(sum, waited);
	assert_int_equal(blamed->blame.waited, waited);
	assert_int_equal(blamed->blame.own, own);
	check_edges(blamed, waited);
}
