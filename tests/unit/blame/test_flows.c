/*
 * test_flows.c - who made whom wait in groups and blocks of ranks, against plain loops over random
 * edges; one slow rank of many; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "blame/chiefs.h"
#include "blame/flows.h"
#include "support/fault_env.h"
#include "support/forest.h"

#define N_CASES 100
#define MOST_EDGES 200
#define MOST_LOCATIONS 60
#define N_NODES 9

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static PhBlameEdge edges[MOST_EDGES];
static uint32_t groups[N_NODES];
static int32_t ranks[MOST_LOCATIONS];
static PhFlowInput input = {.edges = edges, .groups = groups, .ranks = ranks};

static void
make_case(uint64_t seed)
{
	Random random = {seed * 77 + 1};
	input.n_edges = random_below(&random, MOST_EDGES);
	input.n_locations = 1 + random_below(&random, MOST_LOCATIONS - 1);
	input.most_blocks = 1 + random_below(&random, 12);
	for (uint32_t i = 0; i < N_NODES; i++)
		groups[i] = random_below(&random, 4);
	for (uint32_t i = 0; i < input.n_locations; i++) /* two threads a rank, or none known */
		ranks[i] = random_below(&random, 20) == 0 ? PH_NO_NUMBER : (int32_t) (i / (1 + seed % 2));
	for (uint32_t i = 0; i < input.n_edges; i++)
	{
		int64_t ns = 1 + random_below(&random, random_below(&random, 9) == 0 ? 100000 : 50);
		edges[i] = (PhBlameEdge){.origin_node = random_below(&random, N_NODES),
								 .origin = random_below(&random, input.n_locations),
								 .victim_node = random_below(&random, N_NODES),
								 .victim = random_below(&random, input.n_locations),
								 .n_waits = 1 + random_below(&random, 3),
								 .ns = ns,
								 .inferred = random_below(&random, 2) * ns};
		if (random_below(&random, 6) == 0)
			edges[i].origin = edges[i].origin_node = PH_NONE;
		if (random_below(&random, 9) == 0)
			edges[i].victim_node = PH_NONE;
		if (random_below(&random, 7) == 0)
		{
			edges[i].is_own = true;
			edges[i].origin = edges[i].victim;
			edges[i].origin_node = edges[i].victim_node;
		}
	}
}

/* ---- plainly ---- */

static bool stands_out[2][MOST_LOCATIONS]; /* by side and rank */
static uint32_t n_out[2];

static double
sum_of(int32_t rank, bool is_origin)
{
	double sum = 0;
	for (uint32_t i = 0; i < input.n_edges; i++)
	{
		uint32_t location = is_origin ? edges[i].origin : edges[i].victim;
		if (location != PH_NONE && ranks[location] == rank && !(is_origin && edges[i].is_own))
			sum += (double) edges[i].ns;
	}
	return sum;
}

/* As test_chiefs.c has found right. */
static void
note_chiefs(bool is_origin)
{
	double sums[MOST_LOCATIONS];
	bool is_out[MOST_LOCATIONS], is_there[MOST_LOCATIONS] = {false};
	uint32_t n = 0;
	PhArena arena;
	for (uint32_t i = 0; i < input.n_locations; i++)
		if (ranks[i] >= 0)
			is_there[ranks[i]] = true;
	for (int32_t rank = 0; rank < MOST_LOCATIONS; rank++)
		if (is_there[rank])
			sums[n++] = sum_of(rank, is_origin);
	ph_arena_init(&arena, &env);
	must(ph_chiefs(&arena, n, sums, is_out, &n_out[is_origin]));
	ph_arena_drop(&arena);
	for (int32_t rank = MOST_LOCATIONS; rank-- > 0;)
		stands_out[is_origin][rank] = is_there[rank] && is_out[--n];
}

static uint32_t
ranks_a_block(void)
{
	uint32_t n = 1;
	for (uint32_t i = 0; i < input.n_locations; i++)
		if (ranks[i] >= (int32_t) n)
			n = (uint32_t) ranks[i] + 1;
	return n / input.most_blocks + (n % input.most_blocks != 0);
}

static bool
share_block(uint32_t a, uint32_t b, bool is_origin)
{
	if (a == PH_NONE || b == PH_NONE || ranks[a] < 0 || ranks[b] < 0)
		return (a == PH_NONE) == (b == PH_NONE) && (a == PH_NONE || ranks[a] == ranks[b]);
	if (ranks[a] == ranks[b])
		return true;
	if (stands_out[is_origin][ranks[a]] || stands_out[is_origin][ranks[b]])
		return stands_out[is_origin][ranks[a]] && stands_out[is_origin][ranks[b]] &&
			   n_out[is_origin] > 8;
	return (uint32_t) ranks[a] / ranks_a_block() == (uint32_t) ranks[b] / ranks_a_block();
}

static uint32_t
group_of(uint32_t node)
{
	return node == PH_NONE ? PH_NONE : groups[node];
}

static bool
share_flow(const PhBlameEdge *a, const PhBlameEdge *b)
{
	return group_of(a->origin_node) == group_of(b->origin_node) &&
		   group_of(a->victim_node) == group_of(b->victim_node) && a->is_own == b->is_own &&
		   (a->is_own || share_block(a->origin, b->origin, true)) &&
		   share_block(a->victim, b->victim, false);
}

static void
check_block(const PhRankBlock *block, uint32_t location, bool is_origin)
{
	PhRankBlock plain = {PH_NO_NUMBER, PH_NO_NUMBER, 0};
	for (uint32_t i = 0; i < input.n_locations; i++)
	{
		if (!share_block(location, i, is_origin))
			continue;
		bool is_new = true;
		for (uint32_t j = 0; j < i; j++)
			is_new &= ranks[i] < 0 || ranks[j] != ranks[i];
		plain.n += is_new;
		plain.first = plain.first < 0 || ranks[i] < plain.first ? ranks[i] : plain.first;
		plain.last = ranks[i] > plain.last ? ranks[i] : plain.last;
	}
	assert_int_equal(block->first, plain.first);
	assert_int_equal(block->last, plain.last);
	assert_int_equal(block->n, plain.n);
}

/* The flow of an edge, among those found: by its block, which holds the edge's rank. */
static bool
is_flow_of(const PhBlameFlows *flows, const PhBlameFlow *flow, const PhBlameFlow *plain,
		   const PhBlameEdge *edge)
{
	if (flow->ns != plain->ns || flow->inferred != plain->inferred ||
		flow->n_waits != plain->n_waits || flow->origin_group != group_of(edge->origin_node) ||
		flow->victim_group != group_of(edge->victim_node) ||
		(flow->origin_block == PH_NONE) != (edge->origin == PH_NONE))
		return false;
	if (edge->is_own !=
		(flow->origin_block != PH_NONE && flows->origin_blocks[flow->origin_block].n == 0))
		return false;
	const PhRankBlock *victim = &flows->victim_blocks[flow->victim_block];
	return victim->first <= ranks[edge->victim] && ranks[edge->victim] <= victim->last;
}

static uint32_t
check_flows(const PhBlameFlows *flows)
{
	uint32_t n = 0, n_alone = 0;
	for (uint32_t i = 0; i < input.n_edges; i++)
	{
		PhBlameFlow plain = {.ns = 0};
		bool is_first = true, found = false;
		for (uint32_t j = 0; j < input.n_edges; j++)
			if (share_flow(&edges[i], &edges[j]))
			{
				is_first &= j >= i;
				plain.ns += edges[j].ns;
				plain.inferred += edges[j].inferred;
				plain.n_waits += edges[j].n_waits;
			}
		if (!is_first)
			continue;
		n++;
		for (uint32_t j = 0; j < flows->n && !found; j++)
		{
			found = is_flow_of(flows, &flows->flows[j], &plain, &edges[i]);
			if (found && edges[i].origin != PH_NONE && !edges[i].is_own)
				n_alone += ranks[edges[i].origin] >= 0 && stands_out[true][ranks[edges[i].origin]];
		}
		assert_true(found);
	}
	assert_int_equal(flows->n, n);
	return n_alone;
}

static void
test_random_edges(void **state)
{
	(void) state;
	uint32_t n_alone = 0;
	for (uint64_t seed = 1; seed <= N_CASES; seed++)
	{
		PhBlameFlows flows;
		PhArena arena;
		make_case(seed);
		note_chiefs(true);
		note_chiefs(false);
		ph_arena_init(&arena, &env);
		must(ph_blame_flows(&arena, &input, &flows));
		n_alone += check_flows(&flows);
		for (uint32_t i = 0; i < input.n_edges; i++)
			for (uint32_t j = 0; j < flows.n; j++)
			{
				const PhRankBlock *block = &flows.victim_blocks[flows.flows[j].victim_block];
				if (ranks[edges[i].victim] >= 0 && n_out[false] <= 8 &&
					stands_out[false][ranks[edges[i].victim]] &&
					block->first == ranks[edges[i].victim])
					check_block(block, edges[i].victim, false);
			}
		ph_arena_drop(&arena);
	}
	assert_true(n_alone > N_CASES / 2);
}

/* Of 16,384 ranks one is slow: it has a block, the others share eight. */
static void
test_slow_rank(void **state)
{
	(void) state;
	static int32_t many[16384];
	PhBlameEdge two[] = {
		{.origin_node = 0, .origin = 7777, .victim_node = 1, .victim = 5, .ns = 97},
		{.origin_node = 0, .origin = 7000, .victim_node = 1, .victim = 6, .ns = 1}};
	PhFlowInput its = {2, two, groups, 16384, many, 8};
	PhBlameFlows flows;
	PhArena arena;
	for (int32_t i = 0; i < 16384; i++)
		many[i] = i;
	ph_arena_init(&arena, &env);
	must(ph_blame_flows(&arena, &its, &flows));
	assert_int_equal(flows.n, 2);
	const PhRankBlock *slow = &flows.origin_blocks[flows.flows[0].origin_block];
	assert_true(slow->first == 7777 && slow->last == 7777 && slow->n == 1);
	const PhRankBlock *rest = &flows.origin_blocks[flows.flows[1].origin_block];
	assert_true(rest->first == 7000 || (rest->first == 6144 && rest->n == 2047));
	ph_arena_drop(&arena);
}

static PhStatus
flows_in(PhEnv *with, void *user)
{
	PhBlameFlows flows;
	PhArena arena;
	ph_arena_init(&arena, with);
	PhStatus status = ph_blame_flows(&arena, user, &flows);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	static PhBlameEdge many[20000]; /* not every edge polls */
	make_case(4);
	PhFlowInput large = input;
	for (uint32_t i = 0; i < 20000; i++)
		many[i] = edges[i % input.n_edges];
	large.edges = many;
	large.n_edges = 20000;
	assert_string_equal(fault_env_try_allocations(flows_in, &input, 100), "");
	assert_string_equal(fault_env_try_interrupts(flows_in, &large, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_edges),
		cmocka_unit_test(test_slow_rank),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
