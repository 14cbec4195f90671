/*
 * test_match_candidates.c - edit distances and scores against slow references, renamings that were
 * planted in large trees are found, order and limits, faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/match_candidates.h"
#include "history/name_likeness.h"
#include "history/region_alias.h"
#include "profile/builder.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)
#define CLOSE 1e-12

/* ---- names ---- */

static void
names_lose_their_decoration(void **state)
{
	(void) state;
	const char *const cases[][2] = {
		{"main", "main"},
		{"Calc_Force_", "calc_force"},
		{"_ZN5boost6detail7executeEv", "boost::detail::execute"},
		{"_Z4halov", "halo"},
		{"_ZNK3Foo3barILi3EEEvT_", "foo::bar"},
		{"void ns::f<std::vector<int> >(double, int*)", "voidns::f"},
		{"operator()", "operator()"},
		{"<unknown file>", "<unknownfile>"},
		{"__mod_MOD_solve", "mod_mod_solve"},
		{"___", "_"},
		{"", ""},
		{"_Z", "z"},
		{"_Z9ab", "ab"},
		{"f(((", "f"},
		{"f)>x", "f)>x"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhCoreName core;
		char text[PH_CORE_NAME_MAX + 1] = "";
		ph_core_name(cases[i][0], &core);
		memcpy(text, core.text, core.length);
		assert_string_equal(text, cases[i][1]);
	}
}

static uint32_t
slow_distance(const char *a, uint32_t n, const char *b, uint32_t m)
{
	uint32_t cost[PH_CORE_NAME_MAX + 1][PH_CORE_NAME_MAX + 1];
	for (uint32_t i = 0; i <= n; i++)
		for (uint32_t j = 0; j <= m; j++)
		{
			if (i == 0 || j == 0)
			{
				cost[i][j] = i + j;
				continue;
			}
			uint32_t best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
			best = cost[i - 1][j] + 1 < best ? cost[i - 1][j] + 1 : best;
			cost[i][j] = cost[i][j - 1] + 1 < best ? cost[i][j - 1] + 1 : best;
		}
	return cost[n][m];
}

static void
random_core(Random *random, PhCoreName *core)
{
	memset(core, 0, sizeof(*core));
	core->length = random_below(random, PH_CORE_NAME_MAX + 1);
	uint32_t letters = 1 + random_below(random, 250);
	for (uint32_t i = 0; i < core->length; i++)
		core->text[i] = (char) (1 + random_below(random, letters));
}

static void
distances_match_the_reference(void **state)
{
	(void) state;
	Random random = {4711};
	for (uint32_t i = 0; i < 3 * N_INPUTS; i++)
	{
		PhCoreName a, b;
		random_core(&random, &a);
		random_core(&random, &b);
		if (i % 2 == 0)
		{
			b = a;
			for (uint32_t k = 0; b.length > 0 && k < 4; k++)
				b.text[random_below(&random, b.length)] = 'x';
		}
		uint32_t distance = ph_name_distance(&a, &b);
		assert_int_equal(distance, slow_distance(a.text, a.length, b.text, b.length));
		assert_int_equal(distance, ph_name_distance(&b, &a));
	}
}

/* ---- scores ---- */

static double
slow_path(const char *a, const char *b)
{
	const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
	if (*a == '\0' || *b == '\0')
		return NAN;
	return strcmp(a, b) == 0 ? 1 : (strcmp(x ? x + 1 : a, y ? y + 1 : b) == 0 ? 0.7 : 0);
}

static double
slow_place(const PhProfile *a, uint32_t x, const PhProfile *b, uint32_t y)
{
	const PhRegion *r = ph_profile_region(a, x), *s = ph_profile_region(b, y);
	double sum = 0, n = 0, library = slow_path(a->strings[r->library], b->strings[s->library]);
	double file = slow_path(a->strings[r->file], b->strings[s->file]);
	sum += isnan(library) ? 0 : library;
	n += isnan(library) ? 0 : 1;
	sum += isnan(file) ? 0 : file;
	n += isnan(file) ? 0 : 1;
	if (file > 0 && r->line >= 0 && s->line >= 0)
	{
		double apart = abs(r->line - s->line) / 100.0;
		sum += apart > 1 ? 0 : 1 - apart;
		n++;
	}
	return n > 0 ? sum / n : NAN;
}

static bool
is_callee(const PhProfile *profile, uint32_t node, uint32_t of, const char *name, uint8_t kind)
{
	return profile->parent[node] == of && strcmp(ph_profile_node_name(profile, node), name) == 0 &&
		   ph_profile_region(profile, node)->kind == kind;
}

static uint32_t
count_callees(const PhProfile *profile, uint32_t of, const char *name, uint8_t kind)
{
	uint32_t n = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		n += name == NULL ? profile->parent[node] == of : is_callee(profile, node, of, name, kind);
	return n;
}

/* Names in common, as often as both have them, over all. */
static double
slow_callees(const PhProfile *a, uint32_t x, const PhProfile *b, uint32_t y)
{
	double common = 0, all = count_callees(a, x, NULL, 0) + count_callees(b, y, NULL, 0);
	for (uint32_t node = 0; node < a->n_nodes; node++)
	{
		const char *name = ph_profile_node_name(a, node);
		uint8_t kind = ph_profile_region(a, node)->kind;
		uint32_t mine = count_callees(a, x, name, kind), theirs = count_callees(b, y, name, kind);
		if (is_callee(a, node, x, name, kind))
			common += fmin(mine, theirs) / mine;
	}
	return all > 0 ? common / (all - common) : NAN;
}

/* Score of the callers among the rows of the result; those that were kept but not asked for: -1. */
static double
slow_parent(const PhProfile *a, uint32_t x, const PhProfile *b, uint32_t y, const PhCandidate *rows,
			uint32_t n)
{
	uint32_t p = a->parent[x], q = b->parent[y];
	if (p == PH_NONE || q == PH_NONE)
		return p == q;
	if (same_path(b, a, p) != PH_NONE)
		return same_path(b, a, p) == q;
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].node == p && rows[i].candidate == q)
			return rows[i].score;
	return 0;
}

static double
slow_score(const PhProfile *a, uint32_t x, const PhProfile *b, uint32_t y, const PhCandidate *rows,
		   uint32_t n)
{
	PhCoreName core_a, core_b;
	const char *name_a = ph_profile_node_name(a, x), *name_b = ph_profile_node_name(b, y);
	ph_core_name(name_a, &core_a);
	ph_core_name(name_b, &core_b);
	double longer = fmax(core_a.length, core_b.length);
	double apart = slow_distance(core_a.text, core_a.length, core_b.text, core_b.length);
	double total_a = ph_profile_total(a, 0), total_b = ph_profile_total(b, 0);
	double share_a = ph_profile_mean(a, 0, x, PH_COST_INCLUSIVE) / total_a;
	double share_b = ph_profile_mean(b, 0, y, PH_COST_INCLUSIVE) / total_b;
	double cost =
		total_a == 0 || total_b == 0 ? NAN : fmin(share_a, share_b) / fmax(share_a, share_b);
	double evidence[] = {strcmp(name_a, name_b) == 0 ? 1 : fmin(0.98, 1 - apart / longer),
						 slow_parent(a, x, b, y, rows, n), slow_callees(a, x, b, y), cost,
						 slow_place(a, x, b, y)};
	double weights[] = {4, 2, 1.5, 1.5, 1}, sum = 0, all = 0;
	for (int i = 0; i < 5; i++)
		if (!isnan(evidence[i]))
		{
			sum += weights[i] * evidence[i];
			all += weights[i];
		}
	return sum / all;
}

/* Every node's best PH_MATCH_KEPT, by brute force; the rows so far serve the callers. */
static uint32_t
slow_candidates(const PhProfile *a, uint32_t x, const PhProfile *b, PhCandidate *rows, uint32_t n)
{
	double scores[MIXED_MOST_NODES];
	bool taken[MIXED_MOST_NODES] = {false};
	uint32_t first = n;
	for (uint32_t y = 0; y < b->n_nodes; y++)
	{
		bool fits = same_path(a, b, y) == PH_NONE &&
					ph_profile_region(a, x)->kind == ph_profile_region(b, y)->kind;
		scores[y] = fits ? slow_score(a, x, b, y, rows, first) : -1;
	}
	for (int k = 0; k < PH_MATCH_KEPT; k++)
	{
		uint32_t best = PH_NONE;
		for (uint32_t y = 0; y < b->n_nodes; y++)
			if (!taken[y] && scores[y] >= 0 &&
				(best == PH_NONE || scores[y] > scores[best] + CLOSE))
				best = y;
		if (best == PH_NONE)
			return n;
		taken[best] = true;
		rows[n++] = (PhCandidate){.node = x, .candidate = best, .score = scores[best]};
	}
	return n;
}

static void
candidates_match_the_reference(void **state)
{
	(void) state;
	static PhCandidate slow[MIXED_MOST_NODES * PH_MATCH_KEPT];
	uint32_t n_rows = 0;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhArena arena;
		PhProfile *a = case_mixed(seed, false), *b = case_mixed(seed + 17, false);
		PhCandidate *rows;
		PhMatchOptions options = {.most = PH_MATCH_KEPT};
		uint32_t n, only_a, n_slow = 0, n_only = 0;
		ph_arena_init(&arena, &case_env);
		assert_int_equal(ph_match_candidates(&arena, a, b, &options, &rows, &n, &only_a), PH_OK);
		for (uint32_t x = 0; x < a->n_nodes; x++)
			if (same_path(b, a, x) == PH_NONE)
			{
				n_slow = slow_candidates(a, x, b, slow, n_slow);
				n_only++;
			}
		assert_int_equal(only_a, n_only);
		assert_int_equal(n, n_slow);
		for (uint32_t i = 0; i < n; i++)
		{
			assert_int_equal(rows[i].node, slow[i].node);
			assert_true(agree(rows[i].score, slow[i].score, 1e-9));
			assert_int_equal(rows[i].rank,
							 i > 0 && rows[i].node == rows[i - 1].node ? rows[i - 1].rank + 1 : 1);
		}
		n_rows += n;
		ph_arena_drop(&arena);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
	assert_true(n_rows > 10 * N_INPUTS);
}

/* ---- large trees ---- */

#define BIG_NODES 6000
#define BIG_FUNCTIONS 900
#define RENAMED_EVERY                                                                              \
	29 /* of the functions, one in so many has a new name in the second version                    \
		*/

static const char *
function_name(uint32_t function, bool newer, char *out, size_t size)
{
	static const char *const verbs[] = {"Calc", "apply", "Update", "exchange", "reduce", "init"};
	static const char *const nouns[] = {"Force", "Halo",	 "Energy", "Boundary", "Matrix",
										"Flux",	 "Gradient", "Lists",  "Pressure"};
	bool is_new = newer && function % RENAMED_EVERY == 0;
	snprintf(out, size, "%s%s%s_%u", verbs[function % 6], nouns[function / 6 % 9],
			 is_new ? "ForElems" : "", function);
	return out;
}

static PhStatus
fill_version(PhProfileBuilder *builder, Random *random, bool newer)
{
	static uint32_t region[BIG_FUNCTIONS], node[BIG_NODES];
	const PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	const PhColumnSpec rank = {PH_COLUMN_UNIT, 1, PH_NO_ITERATION, 0, PH_NO_NUMBER, NULL, NULL};
	uint32_t metric, column;
	char name[128];
	PH_TRY(ph_builder_add_metric(builder, &time, &metric));
	PH_TRY(ph_builder_add_column(builder, &rank, &column));
	for (uint32_t i = 0; i < BIG_FUNCTIONS; i++)
	{
		PhRegionSpec spec = {PH_KIND_FUNCTION,
							 function_name(i, newer, name, sizeof(name)),
							 NULL,
							 NULL,
							 NULL,
							 PH_NO_NUMBER,
							 NULL};
		PH_TRY(ph_builder_add_region(builder, &spec, &region[i]));
	}
	for (uint32_t i = 0; i < BIG_NODES; i++)
	{
		uint32_t parent = i == 0 ? PH_NONE : node[random_below(random, i < 60 ? i : 40 + i / 8)];
		uint32_t function = random_below(random, BIG_FUNCTIONS);
		double cost = 1 + random_below(random, 1000);
		PH_TRY(ph_builder_add_node(builder, parent, region[function], &node[i]));
		cost *= newer ? 0.98 + 0.04 * random_unit(&(Random){i}) : 1;
		PH_TRY(ph_builder_add_value(builder, metric, node[i], column, PH_COST_EXCLUSIVE, cost));
	}
	return PH_OK;
}

/* Two versions of one code: the same calls, some functions under new names. */
static PhProfile *
version(PhEnv *env, uint64_t seed, bool newer)
{
	Random random = {seed};
	PhProfileBuilder *builder = NULL;
	PhProfile *out = NULL;
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(fill_version(builder, &random, newer), PH_OK);
	assert_int_equal(ph_builder_finish(builder, &out), PH_OK);
	ph_builder_free(builder);
	return out;
}

/* Whether two names are the old and the new one, or one that both versions have. */
static bool
is_right(const char *old, const char *newer)
{
	char name[128];
	uint32_t function = (uint32_t) strtoul(strrchr(old, '_') + 1, NULL, 10);
	return strcmp(function_name(function, true, name, sizeof(name)), newer) == 0;
}

static void
planted_renamings_are_found(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 3; seed++)
	{
		PhArena arena;
		PhProfile *a = version(&case_env, seed, false), *b = version(&case_env, seed, true);
		PhCandidate *rows;
		PhMatchOptions options = {.min_score = 0.5, .most = 1};
		uint32_t n, only_a, n_right = 0;
		ph_arena_init(&arena, &case_env);
		assert_int_equal(ph_match_candidates(&arena, a, b, &options, &rows, &n, &only_a), PH_OK);
		for (uint32_t i = 0; i < n; i++)
			n_right += is_right(ph_profile_node_name(a, rows[i].node),
								ph_profile_node_name(b, rows[i].candidate))
						   ? 1
						   : 0;
		assert_true((uint64_t) only_a * only_a > PH_MATCH_ALL_PAIRS);
		assert_true(n_right >= 0.98 * only_a);
		ph_arena_drop(&arena);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
}

#define N_CALLEES 400
#define KEPT_LETTERS 12
#define NEW_LETTERS 4

/* The stem of a function, the same in both versions, behind or before letters of the version's. */
static void
half_renamed(uint32_t function, uint64_t version, bool stem_first, char *out)
{
	Random stem = {function + 1}, rest = {(version << 32) + function};
	for (uint32_t i = 0; i < KEPT_LETTERS + NEW_LETTERS; i++)
	{
		bool is_stem = stem_first ? i < KEPT_LETTERS : i >= NEW_LETTERS;
		out[i] = (char) ('a' + random_below(is_stem ? &stem : &rest, 26));
	}
	out[KEPT_LETTERS + NEW_LETTERS] = '\0';
}

/* One caller of many functions whose costs tell nothing. */
static PhStatus
fill_half_renamed(PhProfileBuilder *builder, uint64_t version, bool stem_first)
{
	const PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	const PhColumnSpec rank = {PH_COLUMN_UNIT, 1, PH_NO_ITERATION, 0, PH_NO_NUMBER, NULL, NULL};
	uint32_t metric, column, region, root = PH_NONE, node;
	Random random = {version};
	char name[KEPT_LETTERS + NEW_LETTERS + 1] = "main";
	PH_TRY(ph_builder_add_metric(builder, &time, &metric));
	PH_TRY(ph_builder_add_column(builder, &rank, &column));
	for (uint32_t i = 0; i <= N_CALLEES; i++)
	{
		if (i > 0)
			half_renamed(i, version, stem_first, name);
		PhRegionSpec spec = {.kind = PH_KIND_FUNCTION, .name = name, .line = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_region(builder, &spec, &region));
		PH_TRY(ph_builder_add_node(builder, root, region, &node));
		root = i == 0 ? node : root;
		PH_TRY(ph_builder_add_value(builder, metric, node, column, PH_COST_EXCLUSIVE,
									1 + random_below(&random, 1000)));
	}
	return PH_OK;
}

static PhProfile *
half_renamed_profile(uint64_t version, bool stem_first)
{
	PhProfileBuilder *builder = NULL;
	PhProfile *out = NULL;
	assert_int_equal(ph_builder_new(&case_env, &builder), PH_OK);
	assert_int_equal(fill_half_renamed(builder, version, stem_first), PH_OK);
	assert_int_equal(ph_builder_finish(builder, &out), PH_OK);
	ph_builder_free(builder);
	return out;
}

/* Nothing brings the two together but the order of names from either end. */
static void
half_renamed_functions_are_found(void **state)
{
	(void) state;
	for (int stem_first = 0; stem_first < 2; stem_first++)
	{
		PhArena arena;
		PhProfile *a = half_renamed_profile(1, stem_first),
				  *b = half_renamed_profile(2, stem_first);
		PhCandidate *rows;
		PhMatchOptions options = {.most = 1};
		uint32_t n, only_a, n_right = 0, from = stem_first ? 0 : NEW_LETTERS;
		ph_arena_init(&arena, &case_env);
		assert_int_equal(ph_match_candidates(&arena, a, b, &options, &rows, &n, &only_a), PH_OK);
		assert_int_equal(only_a, N_CALLEES);
		for (uint32_t i = 0; i < n; i++)
			n_right += memcmp(ph_profile_node_name(a, rows[i].node) + from,
							  ph_profile_node_name(b, rows[i].candidate) + from, KEPT_LETTERS) == 0;
		assert_int_equal(n_right, N_CALLEES);
		ph_arena_drop(&arena);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
}

/* Candidates as aliases: the two versions then have one tree. */
static void
candidates_become_aliases(void **state)
{
	(void) state;
	PhArena arena;
	PhProfile *a = version(&case_env, 9, false), *b = version(&case_env, 9, true), *renamed = NULL;
	PhCandidate *rows;
	PhAlias *rules;
	PhAliases *aliases;
	PhMatchOptions options = {.min_score = 0.7, .most = 1};
	uint32_t n, only_a, n_rules = 0, *node_of, n_apart = 0;
	ph_arena_init(&arena, &case_env);
	assert_int_equal(ph_match_candidates(&arena, a, b, &options, &rows, &n, &only_a), PH_OK);
	assert_int_equal(PH_NEW(&arena, n, &rules), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		const char *name = ph_profile_node_name(a, rows[i].node);
		const char *newer = ph_profile_node_name(b, rows[i].candidate);
		bool known = strcmp(name, newer) == 0 || !is_right(name, newer);
		for (uint32_t k = 0; k < n_rules && !known; k++)
			known = strcmp(rules[k].name, name) == 0;
		if (!known)
			rules[n_rules++] = (PhAlias){.name = name, .to_name = newer};
	}
	assert_int_equal(ph_aliases_new(&arena, n_rules, rules, &aliases), PH_OK);
	assert_int_equal(ph_profile_apply_aliases(&case_env, a, aliases, &renamed), PH_OK);
	assert_int_equal(PH_NEW(&arena, renamed->n_nodes, &node_of), PH_OK);
	assert_int_equal(ph_profile_pair_nodes(&case_env, renamed, b, node_of), PH_OK);
	for (uint32_t node = 0; node < renamed->n_nodes; node++)
		n_apart += node_of[node] == PH_NONE ? 1 : 0;
	assert_true(only_a > 200 && n_apart < only_a / 50);
	ph_profile_free(&case_env, renamed);
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
	ph_arena_drop(&arena);
}

static void
impossible_options_are_refused(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(3, true);
	const PhMatchOptions wrong[] = {{.min_score = -0.1, .most = 1},
									{.min_score = NAN, .most = 1},
									{.min_score = 1.1, .most = 1},
									{.most = 0},
									{.most = PH_MATCH_KEPT + 1}};
	PhArena arena;
	PhCandidate *rows;
	uint32_t n, only_a;
	ph_arena_init(&arena, &case_env);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(ph_match_candidates(&arena, a, a, &wrong[i], &rows, &n, &only_a),
						 PH_ERR_VALUE);
	PhMatchOptions good = {.most = 1};
	assert_int_equal(ph_match_candidates(&arena, a, a, &good, &rows, &n, &only_a), PH_OK);
	assert_int_equal(n + only_a, 0);
	ph_arena_drop(&arena);
	ph_profile_free(&case_env, a);
}

/* ---- faults ---- */

typedef struct Pair
{
	const PhProfile *a, *b;
} Pair;

static PhStatus
match_pair(PhEnv *fault, void *user)
{
	const Pair *pair = user;
	PhArena arena;
	PhCandidate *rows;
	PhMatchOptions options = {.most = 2};
	uint32_t n, only_a;
	ph_arena_init(&arena, fault);
	PhStatus status = ph_match_candidates(&arena, pair->a, pair->b, &options, &rows, &n, &only_a);
	ph_arena_drop(&arena);
	return status;
}

static void
matching_may_fail(void **state)
{
	(void) state;
	Pair small = {case_mixed(21, false), case_mixed(40, false)};
	Pair large = {version(&case_env, 4, false), version(&case_env, 4, true)};
	assert_string_equal(fault_env_try_allocations(match_pair, &small, 0), "");
	assert_string_equal(fault_env_try_allocations(match_pair, &large, 12), "");
	assert_string_equal(fault_env_try_interrupts(match_pair, &large, 6), "");
	ph_profile_free(&case_env, (PhProfile *) small.a);
	ph_profile_free(&case_env, (PhProfile *) small.b);
	ph_profile_free(&case_env, (PhProfile *) large.a);
	ph_profile_free(&case_env, (PhProfile *) large.b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_lose_their_decoration, case_begin, case_end),
		cmocka_unit_test_setup_teardown(distances_match_the_reference, case_begin, case_end),
		cmocka_unit_test_setup_teardown(candidates_match_the_reference, case_begin, case_end),
		cmocka_unit_test_setup_teardown(planted_renamings_are_found, case_begin, case_end),
		cmocka_unit_test_setup_teardown(half_renamed_functions_are_found, case_begin, case_end),
		cmocka_unit_test_setup_teardown(candidates_become_aliases, case_begin, case_end),
		cmocka_unit_test_setup_teardown(impossible_options_are_refused, case_begin, case_end),
		cmocka_unit_test_setup_teardown(matching_may_fail, case_begin, case_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
