/*
 * test_logical_cluster.c - clusters against plain definitions; patterns and focus of known phases.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "logical/clusters/cluster.h"
#include "logical/clusters/focus.h"
#include "logical/pattern.h"
#include "support/clusters.h"
#include "support/fault_env.h"
#include "support/logical.h"

#define MAX_STEPS 2048
#define MAX_MEMBERS 16

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

typedef struct Analysis
{
	TestTrace trace;
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
} Analysis;

static PhStatus
analyse(PhEnv *where, const PhLogicalOptions *options, Analysis *analysis)
{
	PH_TRY(make_model(where, &analysis->trace, options, NULL, &analysis->model));
	PH_TRY(ph_logical_build(where, &analysis->model, options, &analysis->logical));
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

/* ------------------------------------------------------------------------------ slow clusters */

/* Every step from 1 before the phase's first to its last, as the definition says it. */
typedef struct Dense
{
	bool active[MAX_STEPS], begun[MAX_STEPS];
	double value[MAX_STEPS];
} Dense;

static void
make_dense(const Analysis *analysis, uint32_t phase, uint32_t member, PhLogicalMetric metric,
		   Dense *out)
{
	const PhLogical *logical = &analysis->logical;
	uint32_t i = logical->first_member[phase] + member;
	int32_t base = logical->first_step[phase] - 1;
	memset(out, 0, sizeof(*out));
	for (uint32_t e = logical->member_first[i]; e <= logical->member_last[i]; e++)
	{
		int32_t at = logical->step[e] - base;
		assert_true(at < MAX_STEPS);
		out->active[at] = out->active[at - 1] = true;
		out->value[at] = (double) ph_logical_value(&analysis->metrics, metric, e);
		out->value[at - 1] = (double) ph_logical_aggregate(&analysis->metrics, metric, e);
	}
	for (int32_t s = 1; s < MAX_STEPS; s++)
		if (!out->active[s])
			out->value[s] = out->value[s - 1];
	out->begun[0] = out->active[0];
	for (int32_t s = 1; s < MAX_STEPS; s++)
		out->begun[s] = out->begun[s - 1] || out->active[s];
}

static double
slow_distance(const Dense *a, const Dense *b)
{
	double sum = 0, n = 0;
	for (int s = 0; s < MAX_STEPS; s++)
		if ((a->active[s] || b->active[s]) && a->begun[s] && b->begun[s])
		{
			sum += (a->value[s] - b->value[s]) * (a->value[s] - b->value[s]);
			n++;
		}
	return n > 0 ? sum / n : 0;
}

/* Heights of single linkage: again and again the two nearest clusters are joined. */
static void
slow_heights(uint32_t n, double distance[MAX_MEMBERS][MAX_MEMBERS], double *heights)
{
	uint32_t cluster[MAX_MEMBERS];
	for (uint32_t i = 0; i < n; i++)
		cluster[i] = i;
	for (uint32_t join = 0; join + 1 < n; join++)
	{
		uint32_t a = 0, b = 0;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				if (cluster[i] != cluster[j] && (a == b || distance[i][j] < distance[a][b]))
				{
					a = i;
					b = j;
				}
		heights[join] = distance[a][b];
		uint32_t old = cluster[b];
		for (uint32_t i = 0; i < n; i++)
			if (cluster[i] == old)
				cluster[i] = cluster[a];
	}
}

static void
check_tree(const PhClusters *clusters)
{
	uint32_t nodes[2 * MAX_MEMBERS], depths[2 * MAX_MEMBERS];
	bool members[MAX_MEMBERS];
	assert_int_equal(clusters->n_nodes, 2 * clusters->n_leaves - 1);
	assert_int_equal(clusters->size[clusters->n_nodes - 1], clusters->n_members);
	clusters_preorder(clusters, nodes, depths);
	assert_int_equal(nodes[0], clusters->n_nodes - 1);
	for (uint32_t node = 0; node < clusters->n_nodes; node++)
	{
		uint32_t n = 0;
		must(ph_clusters_members(&env, clusters, node, members));
		for (uint32_t m = 0; m < clusters->n_members; m++)
			n += members[m];
		assert_int_equal(n, clusters->size[node]);
		assert_true(members[clusters->latest[node]]);
		if (node < clusters->n_leaves)
			continue;
		assert_true(clusters->max[clusters->child[0][node]] <=
					clusters->max[clusters->child[1][node]]);
		assert_true(clusters->max[clusters->child[1][node]] == clusters->max[node]);
	}
}

static void
check_phase(const Analysis *analysis, uint32_t phase, PhLogicalMetric metric)
{
	static Dense dense[MAX_MEMBERS];
	static double distance[MAX_MEMBERS][MAX_MEMBERS];
	double heights[MAX_MEMBERS];
	PhClusterOptions options = {.metric = metric};
	PhClusters clusters;
	must(ph_logical_cluster(&env, &analysis->metrics, phase, &options, &clusters));
	uint32_t n = clusters.n_members;
	for (uint32_t m = 0; m < n; m++)
		make_dense(analysis, phase, m, metric, &dense[m]);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			distance[a][b] = slow_distance(&dense[a], &dense[b]);
	slow_heights(n, distance, heights);
	assert_int_equal(clusters.n_leaves, n);
	for (uint32_t join = 0; join + 1 < n; join++)
		assert_true(fabs(heights[join] - clusters.distance[n + join]) <= 1e-9 * heights[join]);
	check_tree(&clusters);
	ph_clusters_free(&clusters);
}

static void
trees_equal_slow_single_linkage(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 700; seed++)
	{
		RandomNumbers numbers = {seed * 7919};
		ProgramShape shape = {.max_ranks = 7, .max_actions = 60};
		PhLogicalOptions options;
		Analysis analysis;
		ph_logical_options_default(&options);
		options.reorder_receives = seed % 5 == 0;
		random_program(&numbers, shape, &analysis.trace);
		must(analyse(&env, &options, &analysis));
		for (uint32_t p = 0; p < analysis.logical.n_phases; p++)
			check_phase(&analysis, p, (PhLogicalMetric) (seed % PH_LOGICAL_METRICS));
		drop(&analysis);
	}
	assert_int_equal(env.bytes, 0);
}

/* ---------------------------------------------------------------------------- many processes */

static void
fill_ranks(TestTrace *trace, uint32_t n, uint32_t kinds)
{
	for (uint32_t r = 0; r < n; r++)
		for (int64_t i = 0; i < 10; i++)
		{
			int64_t start =
				i * 10000 + (int64_t) (r % kinds) * 100 + (r * 31 + (uint32_t) i * 17) % 5;
			add_event(trace, r, PH_EVENT_ENTER, start)->region = TEST_ALLREDUCE;
			add_event(trace, r, PH_EVENT_COLLECTIVE_BEGIN, start);
			PhEvent *end = add_event(trace, r, PH_EVENT_COLLECTIVE_END, start + 50);
			end->comm = 0;
			end->operation = PH_COLLECTIVE_ALLREDUCE;
			add_event(trace, r, PH_EVENT_LEAVE, start + 50)->region = TEST_ALLREDUCE;
		}
}

/* Processes of a few kinds, by how late they are: one collective after the other. */
static void
many_ranks(uint32_t n, uint32_t kinds, Analysis *out)
{
	PhLogicalOptions options;
	empty_trace(n, &out->trace);
	fill_ranks(&out->trace, n, kinds);
	ph_logical_options_default(&options);
	options.global_merge = true;
	must(analyse(&env, &options, out));
}

/* Leaves of many processes keep kinds apart, whatever the seed; the same seed, the same tree. */
static void
many_processes_are_sampled(void **state)
{
	(void) state;
	for (uint32_t n = 21; n < 600; n += 193)
	{
		Analysis analysis;
		many_ranks(n, 4, &analysis);
		for (uint64_t seed = 0; seed < 4; seed++)
		{
			PhClusterOptions options = {.metric = PH_LATENESS, .seed = seed};
			PhClusters one, two;
			uint32_t kind[PH_CLUSTER_LEAVES];
			must(ph_logical_cluster(&env, &analysis.metrics, 0, &options, &one));
			must(ph_logical_cluster(&env, &analysis.metrics, 0, &options, &two));
			assert_int_equal(one.n_members, n);
			assert_int_equal(one.n_leaves, PH_CLUSTER_LEAVES);
			assert_memory_equal(one.leaf_of, two.leaf_of, n * sizeof(uint32_t));
			assert_memory_equal(one.distance, two.distance, one.n_nodes * sizeof(double));
			memset(kind, 0xff, sizeof(kind));
			for (uint32_t m = 0; m < n; m++)
			{
				uint32_t *expected = &kind[one.leaf_of[m]];
				if (*expected == PH_NONE)
					*expected = m % 4;
				assert_int_equal(*expected, m % 4);
			}
			ph_clusters_free(&one);
			ph_clusters_free(&two);
		}
		drop(&analysis);
	}
	assert_int_equal(env.bytes, 0);
}

/* Moves a rank's calls later. */
static void
delay(TestTrace *trace, uint32_t rank, int64_t by)
{
	for (uint32_t i = 0; i < trace->n_events[rank]; i++)
		trace->events[rank][i].time += by;
}

/* The leaf of one process of thousands that is late is its own, whatever the seed. */
static void
outliers_have_leaves(void **state)
{
	const uint32_t n = 1500, slow = 37, slower = 1201;
	(void) state;
	PhLogicalOptions options;
	Analysis analysis;
	empty_trace(n, &analysis.trace);
	fill_ranks(&analysis.trace, n, 1);
	delay(&analysis.trace, slow, 300);
	delay(&analysis.trace, slower, 900);
	ph_logical_options_default(&options);
	options.global_merge = true;
	must(analyse(&env, &options, &analysis));
	for (uint64_t seed = 0; seed < 4; seed++)
	{
		PhClusterOptions cluster = {.metric = PH_LATENESS, .seed = seed};
		PhClusters clusters;
		must(ph_logical_cluster(&env, &analysis.metrics, 0, &cluster, &clusters));
		assert_int_equal(clusters.size[clusters.leaf_of[slow]], 1);
		assert_int_equal(clusters.size[clusters.leaf_of[slower]], 1);
		assert_int_equal(clusters.n_leaves, PH_CLUSTER_LEAVES);
		/* the last joins are theirs: they are the first that a picture shows */
		uint32_t root = clusters.n_nodes - 1;
		assert_int_equal(clusters.child[1][root], clusters.leaf_of[slower]);
		assert_int_equal(clusters.child[1][clusters.child[0][root]], clusters.leaf_of[slow]);
		ph_clusters_free(&clusters);
	}
	drop(&analysis);
	assert_int_equal(env.bytes, 0);
}

static void
centroid_is_nearest_to_the_mean(void **state)
{
	PhClusterOptions options = {.metric = PH_LATENESS};
	PhClusters clusters;
	Analysis analysis;
	uint32_t centroid;
	(void) state;
	many_ranks(9, 3, &analysis);
	must(ph_logical_cluster(&env, &analysis.metrics, 0, &options, &clusters));
	/* of processes that are 0, 100 and 200 late the middle ones are nearest to the mean */
	must(ph_clusters_centroid(&env, &analysis.metrics, &options, &clusters, clusters.n_nodes - 1,
							  &centroid));
	assert_int_equal(centroid % 3, 1);
	assert_int_equal(ph_clusters_centroid(&env, &analysis.metrics, &options, &clusters,
										  clusters.n_nodes, &centroid),
					 PH_ERR_NOT_FOUND);
	ph_clusters_free(&clusters);
	assert_int_equal(ph_logical_cluster(&env, &analysis.metrics, 99, &options, &clusters),
					 PH_ERR_NOT_FOUND);
	drop(&analysis);
}

/* ----------------------------------------------------------------------------------- patterns */

typedef enum Style
{
	STYLE_SRSR,
	STYLE_SSRR,
	STYLE_SSWA,
	STYLE_ONE_WAY,
	STYLE_COLLECTIVE
} Style;

static void
communicate(TestTrace *trace, uint32_t rank, uint32_t peer, PhEventKind kind, int64_t *time)
{
	uint32_t region = kind == PH_EVENT_SEND	   ? TEST_SEND
					  : kind == PH_EVENT_RECV  ? TEST_RECV
					  : kind == PH_EVENT_ISEND ? TEST_ISEND
											   : TEST_WAITALL;
	if (kind != PH_EVENT_IRECV)
		add_event(trace, rank, PH_EVENT_ENTER, *time)->region = region;
	PhEvent *event = add_event(trace, rank, kind, *time + 1);
	event->peer = peer;
	event->comm = 0;
	if (kind != PH_EVENT_IRECV)
		add_event(trace, rank, PH_EVENT_LEAVE, *time + 2)->region = region;
	*time += 5;
}

/* One exchange with both neighbours on a ring, on every rank. */
static void
exchange(TestTrace *trace, Style style, uint32_t rank, uint32_t n)
{
	uint32_t left = (rank + n - 1) % n, right = (rank + 1) % n;
	int64_t time = 10;
	PhEventKind send = style == STYLE_SSWA ? PH_EVENT_ISEND : PH_EVENT_SEND;
	add_event(trace, rank, PH_EVENT_ENTER, 0)->region = TEST_EXCHANGE;
	communicate(trace, rank, right, send, &time);
	if (style == STYLE_SRSR || style == STYLE_ONE_WAY)
		communicate(trace, rank, left, PH_EVENT_RECV, &time);
	if (style != STYLE_ONE_WAY)
		communicate(trace, rank, left, send, &time);
	if (style == STYLE_SRSR)
		communicate(trace, rank, right, PH_EVENT_RECV, &time);
	if (style == STYLE_SSRR)
	{
		communicate(trace, rank, left, PH_EVENT_RECV, &time);
		communicate(trace, rank, right, PH_EVENT_RECV, &time);
	}
	if (style == STYLE_SSWA)
	{
		add_event(trace, rank, PH_EVENT_ENTER, time)->region = TEST_WAITALL;
		communicate(trace, rank, left, PH_EVENT_IRECV, &time);
		communicate(trace, rank, right, PH_EVENT_IRECV, &time);
		add_event(trace, rank, PH_EVENT_LEAVE, time)->region = TEST_WAITALL;
	}
	add_event(trace, rank, PH_EVENT_LEAVE, time + 10)->region = TEST_EXCHANGE;
}

/* Receive from so many of these ranks in one call. */
static void
receive_at_once(TestTrace *trace, uint32_t rank, const uint32_t *from, uint32_t n, int64_t *time)
{
	add_event(trace, rank, PH_EVENT_ENTER, *time)->region = TEST_WAITALL;
	for (uint32_t i = 0; i < n; i++)
		communicate(trace, rank, from[i], PH_EVENT_IRECV, time);
	add_event(trace, rank, PH_EVENT_LEAVE, *time)->region = TEST_WAITALL;
	*time += 5;
}

static uint32_t
pattern_of_trace(Analysis *analysis, bool compat)
{
	PhLogicalOptions options;
	uint8_t patterns[64];
	ph_logical_options_default(&options);
	options.compat = compat;
	must(analyse(&env, &options, analysis));
	assert_int_equal(analysis->logical.n_phases, 1);
	must(ph_logical_patterns(&env, &analysis->logical, compat, patterns));
	drop(analysis);
	return patterns[0];
}

/* Swap the elements of a list about. */
static void
mix(RandomNumbers *numbers, uint32_t *list, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--)
	{
		uint32_t k = numbers_below(numbers, i), swap = list[k];
		list[k] = list[i - 1];
		list[i - 1] = swap;
	}
}

/*
 * A halo between random neighbours on a ring with chords: each rank sends to all in any order, then
 * receives in any order, at most so many at once; in between it may take some that came early.
 */
static void
random_halo(RandomNumbers *numbers, uint32_t n, uint32_t at_once, bool early, TestTrace *trace)
{
	bool near[12][12] = {{false}};
	for (uint32_t rank = 0; rank < n; rank++)
	{
		uint32_t chord = numbers_below(numbers, n);
		near[rank][(rank + 1) % n] = near[(rank + 1) % n][rank] = true;
		near[rank][chord] = near[chord][rank] = chord != rank;
	}
	for (uint32_t rank = 0; rank < n; rank++)
	{
		uint32_t to[12], from[12], n_near = 0, got = 0;
		int64_t time = 10;
		for (uint32_t peer = 0; peer < n; peer++)
			if (near[rank][peer] && peer != rank)
				to[n_near] = from[n_near] = peer, n_near++;
		mix(numbers, to, n_near);
		mix(numbers, from, n_near);
		add_event(trace, rank, PH_EVENT_ENTER, 0)->region = TEST_EXCHANGE;
		for (uint32_t i = 0; i < n_near; i++)
		{
			communicate(trace, rank, to[i], PH_EVENT_ISEND, &time);
			if (early && i + 1 < n_near && numbers_below(numbers, 3) == 0)
				receive_at_once(trace, rank, &from[got++], 1, &time);
		}
		while (got < n_near)
		{
			uint32_t take = at_once < n_near - got ? at_once : n_near - got;
			receive_at_once(trace, rank, from + got, take, &time);
			got += take;
		}
		add_event(trace, rank, PH_EVENT_LEAVE, time + 10)->region = TEST_EXCHANGE;
	}
}

static void
plain_halos_are_never_unknown(void **state)
{
	RandomNumbers numbers = {11};
	(void) state;
	for (uint32_t k = 0; k < 600; k++)
	{
		Analysis analysis;
		uint32_t n = 3 + numbers_below(&numbers, 10), at_once = 1 + k % 3;
		bool early = k % 2 == 0;
		empty_trace(n, &analysis.trace);
		random_halo(&numbers, n, at_once, early, &analysis.trace);
		uint32_t pattern = pattern_of_trace(&analysis, false);
		assert_true(pattern >= PH_PATTERN_SRSR);
		if (!early)
			assert_int_equal(pattern, at_once > 1 ? PH_PATTERN_SSWA : PH_PATTERN_SSRR);
	}
}

/* One rank gathers from all others and answers them: no exchange of neighbours. */
static void
trees_are_unknown(void **state)
{
	Analysis analysis;
	int64_t time = 10;
	(void) state;
	empty_trace(6, &analysis.trace);
	for (uint32_t r = 0; r < 6; r++)
		add_event(&analysis.trace, r, PH_EVENT_ENTER, 0)->region = TEST_EXCHANGE;
	for (uint32_t r = 1; r < 6; r++)
	{
		communicate(&analysis.trace, r, 0, PH_EVENT_SEND, &time);
		communicate(&analysis.trace, 0, r, PH_EVENT_RECV, &time);
	}
	for (uint32_t r = 1; r < 6; r++)
	{
		communicate(&analysis.trace, 0, r, PH_EVENT_SEND, &time);
		communicate(&analysis.trace, r, 0, PH_EVENT_RECV, &time);
	}
	for (uint32_t r = 0; r < 6; r++)
		add_event(&analysis.trace, r, PH_EVENT_LEAVE, time)->region = TEST_EXCHANGE;
	assert_int_equal(pattern_of_trace(&analysis, false), PH_PATTERN_UNKNOWN);
}

static uint32_t
pattern_of(Style style, bool coalesce, bool compat)
{
	PhLogicalOptions options;
	Analysis analysis;
	uint8_t patterns[64];
	if (style == STYLE_COLLECTIVE)
		many_ranks(6, 2, &analysis);
	else
	{
		ph_logical_options_default(&options);
		options.coalesce_isends = coalesce;
		options.compat = compat;
		empty_trace(6, &analysis.trace);
		for (uint32_t r = 0; r < 6; r++)
			exchange(&analysis.trace, style, r, 6);
		must(analyse(&env, &options, &analysis));
		assert_int_equal(analysis.logical.n_phases, 1);
	}
	must(ph_logical_patterns(&env, &analysis.logical, compat, patterns));
	drop(&analysis);
	return patterns[0];
}

static void
patterns_are_named(void **state)
{
	(void) state;
	assert_int_equal(pattern_of(STYLE_SRSR, true, false), PH_PATTERN_SRSR);
	assert_int_equal(pattern_of(STYLE_SSRR, true, false), PH_PATTERN_SSRR);
	assert_int_equal(pattern_of(STYLE_SSWA, true, false), PH_PATTERN_SSWA);
	assert_int_equal(pattern_of(STYLE_SSWA, false, false), PH_PATTERN_SSWA);
	assert_int_equal(pattern_of(STYLE_SSWA, false, true), PH_PATTERN_SSWA);
	/* Ravel does not know it once sends are coalesced */
	assert_int_equal(pattern_of(STYLE_SSWA, true, true), PH_PATTERN_UNKNOWN);
	assert_int_equal(pattern_of(STYLE_ONE_WAY, true, false), PH_PATTERN_NONE);
	assert_int_equal(pattern_of(STYLE_COLLECTIVE, true, false), PH_PATTERN_COLLECTIVE);
}

static void
focus_is_a_neighbourhood(void **state)
{
	PhLogicalOptions options;
	Analysis analysis;
	bool in_focus[8];
	uint32_t radius;
	(void) state;
	ph_logical_options_default(&options);
	empty_trace(8, &analysis.trace);
	for (uint32_t r = 0; r < 8; r++)
		exchange(&analysis.trace, STYLE_SRSR, r, 8);
	must(analyse(&env, &options, &analysis));
	for (uint32_t distance = 0; distance < 5; distance++)
	{
		must(ph_logical_focus(&env, &analysis.metrics, 0, PH_LATENESS, 3, distance, in_focus));
		for (uint32_t r = 0; r < 8; r++)
		{
			uint32_t hops = r < 3 ? 3 - r : r - 3;
			assert_int_equal(in_focus[r], (hops < 8 - hops ? hops : 8 - hops) <= distance);
		}
	}
	must(ph_logical_focus_radius(&env, &analysis.metrics, 0, PH_LATENESS, PH_NONE, &radius));
	assert_int_equal(radius, 1);
	assert_int_equal(ph_logical_focus(&env, &analysis.metrics, 0, PH_LATENESS, 8, 1, in_focus),
					 PH_ERR_VALUE);
	assert_int_equal(ph_logical_focus(&env, &analysis.metrics, 1, PH_LATENESS, 0, 1, in_focus),
					 PH_ERR_NOT_FOUND);
	drop(&analysis);
	assert_int_equal(env.bytes, 0);
}

/* The member of a phase on an event's timeline. */
static uint32_t
member_with(const PhLogical *logical, uint32_t phase, uint32_t event)
{
	const PhLogicalModel *model = logical->model;
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
		if (model->timeline[logical->member_first[i]] == model->timeline[event])
			return i - logical->first_member[phase];
	fail_msg("no member");
	return 0;
}

/* Hops from a member over the phase's messages, again and again until nothing changes. */
static void
slow_hops(const PhLogical *logical, uint32_t phase, uint32_t centre, uint32_t *hops)
{
	const PhLogicalModel *model = logical->model;
	bool changed = true;
	memset(hops, 0xff, MAX_MEMBERS * sizeof(*hops));
	hops[centre] = 0;
	while (changed)
	{
		changed = false;
		for (uint32_t m = 0; m < model->n_messages; m++)
		{
			uint32_t from = model->send_event[m], to = model->receive_event[m];
			if (from == PH_NONE || to == PH_NONE || logical->phase[from] != phase)
				continue;
			uint32_t *a = &hops[member_with(logical, phase, from)];
			uint32_t *b = &hops[member_with(logical, phase, to)];
			uint32_t *near = *a < *b ? a : b, *far = *a < *b ? b : a;
			if (*near == PH_NONE || *far <= *near + 1)
				continue;
			*far = *near + 1;
			changed = true;
		}
	}
}

/* Do two members send at the same steps? */
static bool
same_way(const PhLogical *logical, uint32_t phase, uint32_t x, uint32_t y)
{
	uint32_t a = logical->first_member[phase] + x, b = logical->first_member[phase] + y;
	const uint32_t one[] = {a, b}, other[] = {b, a};
	for (int side = 0; side < 2; side++)
		for (uint32_t e = logical->member_first[one[side]]; e <= logical->member_last[one[side]];
			 e++)
		{
			bool found = logical->model->kind[e] != PH_COMM_SEND;
			for (uint32_t f = logical->member_first[other[side]];
				 f <= logical->member_last[other[side]]; f++)
				found = found || (logical->model->kind[f] == PH_COMM_SEND &&
								  logical->step[f] == logical->step[e]);
			if (!found)
				return false;
		}
	return true;
}

/* Ways of the members within some hops. */
static uint32_t
count_ways(const PhLogical *logical, uint32_t phase, const uint32_t *hops, uint32_t radius)
{
	uint32_t n_ways = 0, n = logical->first_member[phase + 1] - logical->first_member[phase];
	for (uint32_t i = 0; i < n; i++)
	{
		bool is_new = hops[i] <= radius;
		for (uint32_t k = 0; k < i && is_new; k++)
			is_new = hops[k] > radius || !same_way(logical, phase, i, k);
		n_ways += is_new;
	}
	return n_ways;
}

/* The least radius that shows half of the ways, else the most hops. */
static uint32_t
slow_radius(const PhLogical *logical, uint32_t phase, const uint32_t *hops)
{
	uint32_t n_ways = count_ways(logical, phase, hops, PH_NONE), most = 1;
	uint32_t n = logical->first_member[phase + 1] - logical->first_member[phase];
	for (uint32_t i = 0; i < n; i++)
		most = hops[i] != PH_NONE && hops[i] > most ? hops[i] : most;
	for (uint32_t radius = 1; radius < most; radius++)
		if (2 * count_ways(logical, phase, hops, radius) >= n_ways)
			return radius;
	return most;
}

static uint32_t
check_focus(const Analysis *analysis, uint32_t phase, uint32_t centre)
{
	uint32_t hops[MAX_MEMBERS], radius;
	const PhLogical *logical = &analysis->logical;
	uint32_t n = logical->first_member[phase + 1] - logical->first_member[phase];
	slow_hops(logical, phase, centre, hops);
	for (uint32_t within = 0; within < 4; within++)
	{
		bool in_focus[MAX_MEMBERS];
		must(ph_logical_focus(&env, &analysis->metrics, phase, PH_LATENESS, centre, within,
							  in_focus));
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(in_focus[i], hops[i] <= within);
	}
	must(ph_logical_focus_radius(&env, &analysis->metrics, phase, PH_LATENESS, centre, &radius));
	assert_int_equal(radius, slow_radius(logical, phase, hops));
	return radius;
}

static void
focus_follows_messages(void **state)
{
	uint32_t n_wide = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= 1500; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(7907)};
		ProgramShape shape = {.max_ranks = 8, .max_actions = 60, .loses_events = seed % 3 == 0};
		PhLogicalOptions options;
		Analysis analysis;
		random_program(&numbers, shape, &analysis.trace);
		ph_logical_options_default(&options);
		must(analyse(&env, &options, &analysis));
		for (uint32_t p = 0; p < analysis.logical.n_phases; p++)
			for (uint32_t i = analysis.logical.first_member[p];
				 i < analysis.logical.first_member[p + 1]; i++)
				n_wide += check_focus(&analysis, p, i - analysis.logical.first_member[p]) > 1;
		drop(&analysis);
	}
	assert_true(n_wide > 100);
	assert_int_equal(env.bytes, 0);
}

/* ------------------------------------------------------------------------------------- faults */

static PhStatus
cluster_work(PhEnv *faulty, void *user)
{
	const Analysis *analysis = user;
	PhClusterOptions options = {.metric = PH_LATENESS};
	PhClusters clusters;
	uint8_t patterns[256];
	bool in_focus[128];
	uint32_t radius;
	PH_TRY(ph_logical_patterns(faulty, &analysis->logical, false, patterns));
	PH_TRY(ph_logical_focus(faulty, &analysis->metrics, 0, PH_LATENESS, PH_NONE, 1, in_focus));
	PH_TRY(ph_logical_focus_radius(faulty, &analysis->metrics, 0, PH_LATENESS, PH_NONE, &radius));
	PH_TRY(ph_logical_cluster(faulty, &analysis->metrics, 0, &options, &clusters));
	PhStatus status = ph_clusters_centroid(faulty, &analysis->metrics, &options, &clusters,
										   clusters.n_nodes - 1, &radius);
	ph_clusters_free(&clusters);
	return status;
}

static void
fails_cleanly(void **state)
{
	Analysis analysis;
	(void) state;
	many_ranks(100, 5, &analysis);
	assert_string_equal(fault_env_try_allocations(cluster_work, &analysis, 0), "");
	assert_string_equal(fault_env_try_interrupts(cluster_work, &analysis, 0), "");
	drop(&analysis);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_equal_slow_single_linkage),
		cmocka_unit_test(many_processes_are_sampled),
		cmocka_unit_test(outliers_have_leaves),
		cmocka_unit_test(centroid_is_nearest_to_the_mean),
		cmocka_unit_test(patterns_are_named),
		cmocka_unit_test(plain_halos_are_never_unknown),
		cmocka_unit_test(trees_are_unknown),
		cmocka_unit_test(focus_is_a_neighbourhood),
		cmocka_unit_test(focus_follows_messages),
		cmocka_unit_test(fails_cleanly),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
