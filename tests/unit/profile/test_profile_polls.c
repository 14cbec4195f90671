/*
 * test_profile_polls.c - whatever takes a profile asks often enough whether it should stop.
 *
 * A cancelled query ends when the callback is asked; so each operation must ask at least once for
 * so many nodes, whatever it does with them, and must stop when it is told to.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "history/match_candidates.h"
#include "metrics/derived_metric.h"
#include "profile/flat.h"
#include "profile/ops.h"
#include "profile/rows/rows.h"
#include "stored/summaries.h"
#include "supergraph/supergraph.h"
#include "support/fault_env.h"
#include "support/forest.h"

#define N_NODES (10 * PH_POLL_EVERY)
#define N_COLUMNS 2
#define LEAST_ASKED (N_NODES / PH_POLL_EVERY / 2)
#define COPIES 1 /* arrays as they are: asked for every megabyte */

/* What the operations work on, in memory of its own. */
typedef struct Inputs
{
	PhEnv env;
	PhProfile *a, *b; /* b: other modules, so that few of its nodes are a's */
	PhSupergraph *graph;
	uint8_t *flat, *room;
	size_t flat_size;
	bool *every_second; /* node */
} Inputs;

static void
must(PhStatus status)
{
	assert_int_equal(status, PH_OK);
}

static int
make_inputs(void **state)
{
	static Inputs in;
	BigForest shape = {N_NODES, 5, 40, N_COLUMNS, N_NODES}, other = {N_NODES, 3, 40, N_COLUMNS, 9};
	PhProfile *copy;
	ph_env_init_malloc(&in.env);
	must(forest_big(&in.env, &shape, &in.a));
	must(forest_big(&in.env, &shape, &copy));
	must(forest_big(&in.env, &other, &in.b));
	must(ph_supergraph_build(&in.env, copy, PH_GROUP_MODULE, NULL, &in.graph));
	must(ph_profile_flat_size(&in.env, in.a, &in.flat_size));
	in.flat = malloc(in.flat_size);
	in.room = malloc(in.flat_size);
	must(ph_profile_flatten(&in.env, in.a, in.flat));
	in.every_second = calloc(in.a->n_nodes, sizeof(*in.every_second));
	for (uint32_t node = 0; node < in.a->n_nodes; node += 2)
		in.every_second[node] = true;
	*state = &in;
	return 0;
}

static int
drop_inputs(void **state)
{
	Inputs *in = *state;
	ph_profile_free(&in->env, in->a);
	ph_profile_free(&in->env, in->b);
	ph_supergraph_free(&in->env, in->graph);
	free(in->flat);
	free(in->room);
	free(in->every_second);
	return 0;
}

/* ---- the operations ---- */

#define MAKES_PROFILE(name, call)                                                                  \
	static PhStatus name(PhEnv *env, void *user)                                                   \
	{                                                                                              \
		const Inputs *in = user;                                                                   \
		PhProfile *out;                                                                            \
		PH_TRY(call);                                                                              \
		ph_profile_free(env, out);                                                                 \
		return PH_OK;                                                                              \
	}
#define MAKES_GRAPH(name, call)                                                                    \
	static PhStatus name(PhEnv *env, void *user)                                                   \
	{                                                                                              \
		const Inputs *in = user;                                                                   \
		PhSupergraph *out;                                                                         \
		PH_TRY(call);                                                                              \
		ph_supergraph_free(env, out);                                                              \
		return PH_OK;                                                                              \
	}
#define MAKES_ROWS(name, declare, call)                                                            \
	static PhStatus name(PhEnv *env, void *user)                                                   \
	{                                                                                              \
		const Inputs *in = user;                                                                   \
		PhArena arena;                                                                             \
		declare;                                                                                   \
		ph_arena_init(&arena, env);                                                                \
		PhStatus status = call;                                                                    \
		ph_arena_drop(&arena);                                                                     \
		return status;                                                                             \
	}

MAKES_PROFILE(unflatten, ph_profile_unflatten(env, in->flat, in->flat_size, &out))
MAKES_PROFILE(skeleton, ph_profile_skeleton(env, in->a, &out))
MAKES_PROFILE(filter,
			  ph_profile_filter(env, in->a, 0.001, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &out))
MAKES_PROFILE(filter_max,
			  ph_profile_filter(env, in->a, 0.001, PH_STAT_MAX, 0, PH_COST_EXCLUSIVE, &out))
MAKES_PROFILE(drop_roots, ph_profile_drop_roots(env, in->a, 0.001, 0, &out))
MAKES_PROFILE(splice, ph_profile_splice(env, in->a, in->every_second, "", &out))
MAKES_PROFILE(squash, ph_profile_squash(env, in->a, in->every_second, "", &out))
MAKES_PROFILE(subset, ph_profile_subset(env, in->a, (const bool[]){true, false}, &out))
MAKES_PROFILE(subtree, ph_profile_subtree(env, in->a, 0, true, &out))
MAKES_PROFILE(invert, ph_profile_invert(env, in->a, &out))
MAKES_PROFILE(roll_up, ph_profile_roll_up_by(env, in->a, "all", &out))
MAKES_PROFILE(select_metrics, ph_profile_select_metrics(env, in->a, 1, (const uint32_t[]){0}, &out))
MAKES_PROFILE(add, ph_profile_arithmetic(env, in->a, in->b, PH_ADD, &out))
MAKES_PROFILE(divide, ph_profile_arithmetic(env, in->a, in->a, PH_DIVIDE, &out))
MAKES_PROFILE(scale, ph_profile_scale(env, in->a, 3, &out))
MAKES_PROFILE(derive, ph_profile_derive(env, in->a, "double", "2 * time", NULL, &out))
MAKES_PROFILE(difference, ph_profile_diff(env, in->a, in->b, &out))
MAKES_PROFILE(intersect, ph_profile_intersect(env, in->a, in->a, &out))
MAKES_PROFILE(intersect_columns, ph_profile_intersect_columns(env, in->a, &out))
MAKES_PROFILE(ensemble,
			  ph_profile_ensemble(env, 2, (const PhProfile *const[]){in->a, in->b}, NULL, &out))
MAKES_PROFILE(sum, ph_profile_sum(env, 2, (const PhProfile *const[]){in->a, in->b}, false, &out))
MAKES_GRAPH(copy, ph_supergraph_copy(env, in->graph, &out))
MAKES_GRAPH(drill_down, ph_supergraph_drill_down(env, in->graph, 0, PH_GROUP_FUNCTION, &out))
MAKES_GRAPH(repopulate, ph_supergraph_repopulate(env, in->graph, PH_NONE, 0, &out))
MAKES_GRAPH(restrict_columns,
			ph_supergraph_restrict(env, in->graph, (const bool[]){true, false}, &out))
MAKES_ROWS(means, PhSupergraphMeans out, ph_supergraph_means(&arena, in->graph, 0, &out))
MAKES_ROWS(flame, PhFlameRow *rows; uint32_t n;
		   uint64_t n_clamped, ph_rows_flame(&arena, in->a, 0, &rows, &n, &n_clamped))
MAKES_ROWS(flame_diff, PhFlameRow *rows;
		   uint32_t n, ph_rows_flame_diff(&arena, in->a, in->b, NULL, &rows, &n))
MAKES_ROWS(tree_text, char *text, ph_rows_tree_text(&arena, in->a, 0, 20, 0, &text))
MAKES_ROWS(match, PhCandidate *rows; uint32_t n; uint32_t only_a; PhMatchOptions options = {0};
		   options.most = 3,
		   ph_match_candidates(&arena, in->a, in->b, &options, &rows, &n, &only_a))

/* What a load stores beside values, or a server that makes it anew. */
static PhStatus
summarise(PhArena *arena, const PhProfile *profile)
{
	static uint8_t bytes[PH_SUMMARY_BLOCK_BOUND];
	PhUnits units;
	PhUnitVectors vectors;
	PhRegionSummary *regions;
	uint32_t n;
	size_t size;
	PH_TRY(ph_units_find(arena, profile, &units));
	PH_TRY(ph_unit_vectors_new(arena, &units, &vectors));
	for (uint32_t block = 0; block < ph_n_summary_blocks(profile); block++)
		PH_TRY(ph_summary_block_make(profile, &units, 0, block, &vectors, bytes, &size));
	return ph_region_summaries(arena, profile, &units, 0, &regions, &n);
}

MAKES_ROWS(summaries, , summarise(&arena, in->a))

static PhStatus
flatten(PhEnv *env, void *user)
{
	const Inputs *in = user;
	return ph_profile_flatten(env, in->a, in->room);
}

static const struct
{
	const char *name;
	FaultWork work;
	size_t least;
} operations[] = {
	{"flatten", flatten, COPIES},
	{"unflatten", unflatten, LEAST_ASKED},
	{"skeleton", skeleton, COPIES},
	{"filter", filter, LEAST_ASKED},
	{"filter by maximum", filter_max, LEAST_ASKED},
	{"drop_roots", drop_roots, COPIES},
	{"splice", splice, LEAST_ASKED},
	{"squash", squash, LEAST_ASKED},
	{"subset", subset, LEAST_ASKED},
	{"subtree", subtree, LEAST_ASKED},
	{"invert", invert, LEAST_ASKED},
	{"roll_up", roll_up, LEAST_ASKED},
	{"select_metrics", select_metrics, COPIES},
	{"add", add, LEAST_ASKED},
	{"divide", divide, LEAST_ASKED},
	{"scale", scale, LEAST_ASKED},
	{"derive", derive, LEAST_ASKED},
	{"diff", difference, LEAST_ASKED},
	{"intersect", intersect, LEAST_ASKED},
	{"intersect columns", intersect_columns, LEAST_ASKED},
	{"ensemble", ensemble, LEAST_ASKED},
	{"sum", sum, LEAST_ASKED},
	{"copy of a graph", copy, LEAST_ASKED},
	{"drill_down", drill_down, LEAST_ASKED},
	{"repopulate", repopulate, LEAST_ASKED},
	{"restrict", restrict_columns, LEAST_ASKED},
	{"means of a graph", means, LEAST_ASKED},
	{"flame", flame, LEAST_ASKED},
	{"flame_diff", flame_diff, LEAST_ASKED},
	{"tree_text", tree_text, LEAST_ASKED},
	{"match_candidates", match, LEAST_ASKED},
	{"summaries", summaries, 2 * LEAST_ASKED},
};

#define N_OPERATIONS (sizeof(operations) / sizeof(*operations))

static void
operations_ask_as_nodes_grow(void **state)
{
	size_t n_seldom = 0;
	for (size_t i = 0; i < N_OPERATIONS; i++)
	{
		FaultEnv fault;
		fault_env_init(&fault);
		if (operations[i].work(&fault.env, *state) != PH_OK)
			fail_msg("%s: %s", operations[i].name, fault.env.error.message);
		if (fault.n_interrupts < operations[i].least)
			print_error("%s of %u nodes asked %zu times\n", operations[i].name, N_NODES,
						fault.n_interrupts);
		n_seldom += fault.n_interrupts < operations[i].least;
		fault_env_drop(&fault);
	}
	assert_int_equal(n_seldom, 0);
}

static void
operations_stop(void **state)
{
	for (size_t i = 0; i < N_OPERATIONS; i++)
	{
		const char *wrong = fault_env_try_interrupts(operations[i].work, *state, 1);
		if (strcmp(wrong, "") != 0)
			fail_msg("%s: %s", operations[i].name, wrong);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_ask_as_nodes_grow),
		cmocka_unit_test(operations_stop),
	};
	return cmocka_run_group_tests(tests, make_inputs, drop_inputs);
}
