/*
 * test_query.c - call-path queries: random ones against a slow reference, examples, errors, faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "query/query.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_QUERIES rounds(4000)
#define MANY 1000000

/* ---- a random query, as text and as a tree that the reference walks ---- */

typedef enum Test
{
	NAME_MAIN,
	NAME_MPI,
	NAME_STARTS,
	LIBRARY_MPI,
	MODULE_EQUALS,
	FILE_NULL,
	KIND_LOOP,
	LINE_ABOVE_0,
	DEPTH_BELOW_2,
	INCLUSIVE_ABOVE,
	SHARE_ABOVE,
	VISITS_EXCLUSIVE,
	IS_LEAF,
	IS_ROOT,
	ANY_EXCLUSIVE,
	ALL_INCLUSIVE,
	ANY_RANK_1,
	N_TESTS
} Test;

static const char *const test_texts[N_TESTS] = {
	[NAME_MAIN] = "name = \"main\"",
	[NAME_MPI] = "name =~ /^mpi_/i",
	[NAME_STARTS] = "Name STARTS WITH 'so'",
	[LIBRARY_MPI] = "library CONTAINS \"libmpi\"",
	[MODULE_EQUALS] = "module == \"app\"",
	[FILE_NULL] = "file IS NULL",
	[KIND_LOOP] = "kind = \"loop\"",
	[LINE_ABOVE_0] = "line > 0",
	[DEPTH_BELOW_2] = "depth < 2",
	[INCLUSIVE_ABOVE] = "inclusive >= 50",
	[SHARE_ABOVE] = "share > 0.25",
	[VISITS_EXCLUSIVE] = "exclusive(\"visits\") > 1.5",
	[IS_LEAF] = "leaf",
	[IS_ROOT] = "ROOT",
	[ANY_EXCLUSIVE] = "any(exclusive > 60)",
	[ALL_INCLUSIVE] = "ALL(inclusive >= 10)",
	[ANY_RANK_1] = "any(rank = 1 AND host = \"node2\")",
};

typedef struct Condition
{
	Test first, second;
	int op; /* 0: first alone, 1 and, 2 or, 3 xor, 4 not first */
} Condition;

typedef struct Step
{
	uint32_t least, most;
	bool tested;
	Condition condition;
} Step;

typedef struct Pattern
{
	uint32_t n_steps;
	Step steps[4];
} Pattern;

typedef struct Query
{
	Pattern patterns[2];
	int op; /* as in Condition */
	char text[2048];
} Query;

static RandomNumbers numbers;

static void
append(Query *query, const char *text)
{
	size_t length = strlen(query->text);
	snprintf(query->text + length, sizeof(query->text) - length, "%s", text);
}

static void
random_condition(Query *query, Condition *condition)
{
	static const char *const words[] = {"", " and ", " OR ", " xor "};
	condition->first = numbers_below(&numbers, N_TESTS);
	condition->second = numbers_below(&numbers, N_TESTS);
	condition->op = numbers_below(&numbers, 2) == 0 ? 0 : (int) numbers_below(&numbers, 5);
	append(query, condition->op == 4 ? "[not (" : "[");
	append(query, test_texts[condition->first]);
	if (condition->op >= 1 && condition->op <= 3)
	{
		append(query, words[condition->op]);
		append(query, test_texts[condition->second]);
	}
	append(query, condition->op == 4 ? ")]" : "]");
}

static void
random_quantifier(Query *query, Step *step)
{
	static const struct
	{
		const char *text;
		uint32_t least, most;
	} quantifiers[] = {{".", 1, 1},		{"*", 0, MANY},	   {"+", 1, MANY}, {"2", 2, 2},
					   {"{1,3}", 1, 3}, {"{2,}", 2, MANY}, {"{,2}", 0, 2}, {"{2}", 2, 2},
					   {"*", 0, MANY},	{"", 1, 1},		   {"{0,1}", 0, 1}};
	uint32_t which = numbers_below(&numbers, sizeof(quantifiers) / sizeof(quantifiers[0]));
	append(query, quantifiers[which].text);
	append(query, " ");
	step->least = quantifiers[which].least;
	step->most = quantifiers[which].most;
	step->tested = quantifiers[which].text[0] == '\0' || numbers_below(&numbers, 2) == 0;
}

static void
random_pattern(Query *query, Pattern *pattern)
{
	pattern->n_steps = 1 + numbers_below(&numbers, 4);
	for (uint32_t i = 0; i < pattern->n_steps; i++)
	{
		/* without an arrow, a test would belong to the quantifier before it */
		bool arrow = i > 0 && !pattern->steps[i - 1].tested;
		if (i > 0)
			append(query, arrow || numbers_below(&numbers, 2) == 0 ? " -> " : " ");
		random_quantifier(query, &pattern->steps[i]);
		if (pattern->steps[i].tested)
			random_condition(query, &pattern->steps[i].condition);
	}
}

static void
random_query(Query *query)
{
	static const char *const words[] = {"", " AND ", " or ", " XOR "};
	query->text[0] = '\0';
	query->op = numbers_below(&numbers, 2) == 0 ? 0 : (int) numbers_below(&numbers, 5);
	if (query->op == 4)
		append(query, "NOT (");
	random_pattern(query, &query->patterns[0]);
	if (query->op >= 1 && query->op <= 3)
	{
		append(query, words[query->op]);
		random_pattern(query, &query->patterns[1]);
	}
	if (query->op == 4)
		append(query, ")");
}

/* ---- the reference: every path of every length is tried ---- */

static double
total_inclusive(const PhProfile *profile)
{
	double total = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node = profile->subtree_end[node])
		total += ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE);
	return total;
}

static bool
over_columns(const PhProfile *profile, uint32_t node, Test test)
{
	bool any = false, all = true, present = false;
	for (uint32_t column = 0; column < profile->n_columns; column++)
	{
		if (!ph_profile_is_present(profile, node, column))
			continue;
		present = true;
		bool holds = test == ANY_EXCLUSIVE
						 ? ph_profile_cell(profile, 0, node, column, PH_COST_EXCLUSIVE) > 60
					 : test == ALL_INCLUSIVE
						 ? ph_profile_cell(profile, 0, node, column, PH_COST_INCLUSIVE) >= 10
						 : profile->columns[column].rank == 1;
		any = any || holds;
		all = all && holds;
	}
	return test == ALL_INCLUSIVE ? present && all : any;
}

static bool
text_test(const PhProfile *profile, uint32_t node, Test test)
{
	const PhRegion *region = ph_profile_region(profile, node);
	const char *name = ph_profile_string(profile, region->name);
	const char *library = ph_profile_string(profile, region->library);
	switch (test)
	{
		case NAME_MAIN:
			return strcmp(name, "main") == 0;
		case NAME_MPI:
			return strncmp(name, "MPI_", 4) == 0;
		case NAME_STARTS:
			return strcmp(name, "solve") == 0;
		case LIBRARY_MPI:
			return strstr(library, "libmpi") != NULL;
		case MODULE_EQUALS:
			return region->module == 0 && strcmp(library, "/opt/app/bin/app") == 0;
		case FILE_NULL:
			return region->file == 0;
		default:
			return region->kind == PH_KIND_LOOP;
	}
}

static bool
holds(const PhProfile *profile, uint32_t node, Test test)
{
	double inclusive = ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE);
	switch (test)
	{
		case LINE_ABOVE_0:
			return ph_profile_region(profile, node)->line > 0;
		case DEPTH_BELOW_2:
			return profile->depth[node] < 2;
		case INCLUSIVE_ABOVE:
			return inclusive >= 50;
		case SHARE_ABOVE:
			return inclusive / total_inclusive(profile) > 0.25;
		case VISITS_EXCLUSIVE:
			return ph_profile_mean(profile, 1, node, PH_COST_EXCLUSIVE) > 1.5;
		case IS_LEAF:
			return profile->subtree_end[node] == node + 1;
		case IS_ROOT:
			return profile->parent[node] == PH_NONE;
		case ANY_EXCLUSIVE:
		case ALL_INCLUSIVE:
		case ANY_RANK_1:
			return over_columns(profile, node, test);
		default:
			return text_test(profile, node, test);
	}
}

static bool
combine(int op, bool first, bool second)
{
	switch (op)
	{
		case 1:
			return first && second;
		case 2:
			return first || second;
		case 3:
			return first != second;
		case 4:
			return !first;
		default:
			return first;
	}
}

static bool
step_takes(const PhProfile *profile, const Step *step, uint32_t node)
{
	return !step->tested || combine(step->condition.op, holds(profile, node, step->condition.first),
									holds(profile, node, step->condition.second));
}

/* Do the steps from `step` on match path[at..length) as a whole? */
static bool
match_from(const PhProfile *profile, const Pattern *pattern, uint32_t step, const uint32_t *path,
		   uint32_t at, uint32_t length)
{
	if (step == pattern->n_steps)
		return at == length;
	for (uint32_t count = 0; count <= pattern->steps[step].most; count++)
	{
		if (count >= pattern->steps[step].least &&
			match_from(profile, pattern, step + 1, path, at + count, length))
			return true;
		if (at + count == length || !step_takes(profile, &pattern->steps[step], path[at + count]))
			return false;
	}
	return false;
}

static void
match_reference(const PhProfile *profile, const Pattern *pattern, bool *matches)
{
	memset(matches, 0, profile->n_nodes * sizeof(*matches));
	for (uint32_t end = 0; end < profile->n_nodes; end++)
	{
		uint32_t up[64], length = 0;
		for (uint32_t node = end; node != PH_NONE; node = profile->parent[node])
			up[length++] = node;
		for (uint32_t n = 1; n <= length; n++)
		{
			uint32_t path[64];
			for (uint32_t i = 0; i < n; i++)
				path[i] = up[n - 1 - i];
			if (match_from(profile, pattern, 0, path, 0, n))
				for (uint32_t i = 0; i < n; i++)
					matches[path[i]] = true;
		}
	}
}

static void
check_query(PhEnv *env, const PhProfile *profile, const Query *query)
{
	bool matches[64], expected[2][64];
	PhArena arena;
	PhQuery *parsed;
	ph_arena_init(&arena, env);
	if (ph_query_parse(&arena, query->text, &parsed) != PH_OK)
		fail_msg("%s: %s", query->text, env->error.message);
	assert_int_equal(ph_query_run(&arena, parsed, profile, matches), PH_OK);
	match_reference(profile, &query->patterns[0], expected[0]);
	if (query->op >= 1 && query->op <= 3)
		match_reference(profile, &query->patterns[1], expected[1]);
	else
		memset(expected[1], 0, sizeof(expected[1]));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (matches[node] != combine(query->op, expected[0][node], expected[1][node]))
			fail_msg("%s: node %u of %u is %d", query->text, node, profile->n_nodes, matches[node]);
	ph_arena_drop(&arena);
}

static void
test_random_queries_agree_with_the_reference(void **unused)
{
	(void) unused;
	PhEnv env;
	ph_env_init_malloc(&env);
	numbers.state = 7;
	for (uint32_t i = 0; i < N_QUERIES; i++)
	{
		PhProfile *profile;
		Query query;
		assert_int_equal(random_profile(&env, &numbers, 24, 3, &profile), PH_OK);
		random_query(&query);
		check_query(&env, profile, &query);
		ph_profile_free(&env, profile);
	}
	assert_int_equal(env.bytes, 0);
}

/* ---- what Hatchet finds on the profile of a small MPI program ---- */

/* Nodes as "depth name", in the order of their path. */
static PhStatus
build_tree(PhEnv *env, const char *const *lines, PhProfile **out)
{
	PhProfileBuilder *builder;
	uint32_t stack[16], index, node;
	PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec column = {.iteration = PH_NO_ITERATION, .thread = PH_NO_NUMBER};
	PH_TRY(ph_builder_new(env, &builder));
	assert_int_equal(ph_builder_add_metric(builder, &time, &index), PH_OK);
	assert_int_equal(ph_builder_add_column(builder, &column, &index), PH_OK);
	for (; *lines != NULL; lines++)
	{
		uint32_t depth = (uint32_t) (*lines)[0] - '0';
		PhRegionSpec spec = {.name = *lines + 2, .line = PH_NO_NUMBER};
		assert_int_equal(ph_builder_add_region(builder, &spec, &index), PH_OK);
		assert_int_equal(
			ph_builder_add_node(builder, depth == 0 ? PH_NONE : stack[depth - 1], index, &node),
			PH_OK);
		assert_int_equal(ph_builder_add_value(builder, 0, node, 0, PH_COST_EXCLUSIVE, 1), PH_OK);
		stack[depth] = node;
	}
	PhStatus status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}

/* The shape of HPCToolkit's profile of osu_allgather and cpi, where Hatchet finds six nodes. */
static const char *const mpi_program[] = {"0 <program root>",
										  "1 main",
										  "2 36:MPI_Init",
										  "3 PMPI_Init",
										  "4 MPIR_Init",
										  "5 MPID_Init",
										  "2 loop",
										  "3 osu_allgather.c:80",
										  "2 128:MPI_Finalize",
										  "3 PMPI_Finalize",
										  "4 MPID_Finalize",
										  "1 <unknown>",
										  "2 monitor_main",
										  NULL};

static void
check_tree(const char *const *tree, const char *text, const char *expected)
{
	char found[512] = "";
	PhEnv env;
	PhArena arena;
	PhProfile *profile;
	PhQuery *query;
	bool matches[64];
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(build_tree(&env, tree, &profile), PH_OK);
	if (ph_query_parse(&arena, text, &query) != PH_OK)
		fail_msg("%s: %s", text, env.error.message);
	assert_int_equal(ph_query_run(&arena, query, profile, matches), PH_OK);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (matches[node])
		{
			size_t length = strlen(found);
			snprintf(found + length, sizeof(found) - length, "%s%s", length == 0 ? "" : ", ",
					 ph_profile_node_name(profile, node));
		}
	assert_string_equal(found, expected);
	ph_arena_drop(&arena);
	ph_profile_free(&env, profile);
}

static void
check_names(const char *text, const char *expected)
{
	check_tree(mpi_program, text, expected);
}

static void
test_escapes_and_odd_numbers(void **unused)
{
	static const char *const tree[] = {"0 tab\there", "1 line\nend", "1 say \"x\"", "1 a\\b", NULL};
	(void) unused;
	check_tree(tree, "\"tab\\there\"", "tab\there");
	check_tree(tree, "[name contains '\\n']", "line\nend");
	check_tree(tree, "\"say \\\"x\\\"\"", "say \"x\"");
	check_tree(tree, "\"a\\\\b\"", "a\\b");
	check_tree(tree, "\"a\\b\"", "a\\b");
	check_names("[inclusive is inf]", "");
	check_names("[depth is nan]", "");
}

/* Only what is open at once is limited. */
static void
test_many_brackets_one_after_the_other(void **unused)
{
	char steps[2048] = "([leaf])", conditions[2048] = "[(leaf)";
	(void) unused;
	for (int i = 0; i < 60; i++)
	{
		strcat(steps, " and ([leaf])");
		strcat(conditions, " and (leaf)");
	}
	strcat(conditions, "]");
	const char *leaves = "monitor_main, MPID_Finalize, MPID_Init, osu_allgather.c:80";
	check_names(steps, leaves);
	check_names(conditions, leaves);
}

static void
test_examples(void **unused)
{
	(void) unused;
	check_names("* . [name =~ /^P?MPI_/]",
				"<program root>, main, 128:MPI_Finalize, PMPI_Finalize, 36:MPI_Init, PMPI_Init");
	check_names("* -> /^P?MPI_/",
				"<program root>, main, 128:MPI_Finalize, PMPI_Finalize, 36:MPI_Init, PMPI_Init");
	check_names("* [name =~ /^P?MPI_/]", "PMPI_Finalize, PMPI_Init");
	check_names("\"main\"", "main");
	check_names(". [name = \"main\"] 1 [name CONTAINS \"Init\"]", "main, 36:MPI_Init");
	check_names("\"main\" -> 1 -> . [leaf]", "main, loop, osu_allgather.c:80");
	check_names("[root] * -> [leaf and name starts with \"MPID\"]",
				"<program root>, main, 128:MPI_Finalize, PMPI_Finalize, MPID_Finalize, "
				"36:MPI_Init, PMPI_Init, MPIR_Init, MPID_Init");
	check_names("[root] * . [leaf] AND NOT (* . /MPI_/ *)",
				"<unknown>, monitor_main, loop, osu_allgather.c:80");
	check_names("NOT \"main\" and [depth <= 1]", "<program root>, <unknown>");
	check_names("[share >= 0.7] XOR [depth = 1]", "<program root>, <unknown>");
	check_names("{0}", "");
	check_names("\"nothing of the kind\"", "");
}

static void
test_errors_name_the_place(void **unused)
{
	static const struct
	{
		const char *text;
		PhStatus status;
		const char *message;
	} cases[] = {
		{"", PH_ERR_VALUE, "expected a step such as"},
		{"*[name = main]", PH_ERR_VALUE, "expected a \"text\" at position 10, found \"main\""},
		{"* [colour = 3]", PH_ERR_VALUE, "at position 4, found \"colour\""},
		{"* [name > \"x\"]", PH_ERR_VALUE, "starts with"},
		{"* [depth =~ /3/]", PH_ERR_VALUE, "expected =, !=, <"},
		{"* [depth < \"3\"]", PH_ERR_VALUE, "expected a number at position 12"},
		{"* [name = \"x\"", PH_ERR_VALUE, "expected \"]\" at the end"},
		{"* [name = \"x]", PH_ERR_VALUE, "without its closing quote at position 11"},
		{"* /x", PH_ERR_VALUE, "without its closing \"/\" at position 3"},
		{"* /x(/", PH_ERR_VALUE, "bad regular expression"},
		{"{3,2}", PH_ERR_VALUE, "not below the least"},
		{"{2000}", PH_ERR_VALUE, "from 0 to 1024"},
		{"1000 1000", PH_ERR_LIMIT, "longer than 1024 nodes"},
		{". ->", PH_ERR_VALUE, "expected a step"},
		{"(. and", PH_ERR_VALUE, "expected a step"},
		{"( .", PH_ERR_VALUE, "expected \")\" at the end"},
		{". )", PH_ERR_VALUE, "or the end at position 3"},
		{". & .", PH_ERR_VALUE, "means nothing here at position 3"},
		{"[any(any(depth = 1))]", PH_ERR_VALUE, "no any or all within any or all"},
		{"[rank = 1]", PH_ERR_VALUE, "inside any(...) or all(...) only"},
		{"((((((((((((((((((((((((((((((((((((((((((((((((((((.", PH_ERR_LIMIT, "more than 50"},
	};
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhQuery *query;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhStatus status = ph_query_parse(&arena, cases[i].text, &query);
		if (status != cases[i].status || strstr(env.error.message, cases[i].message) == NULL)
			fail_msg("%s: %s, %s", cases[i].text, ph_status_name(status), env.error.message);
	}
	ph_arena_drop(&arena);
}

static void
test_unknown_metric(void **unused)
{
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhProfile *profile;
	PhQuery *query;
	bool matches[64];
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(build_tree(&env, mpi_program, &profile), PH_OK);
	assert_int_equal(ph_query_parse(&arena, "[inclusive(\"PAPI\") > 3]", &query), PH_OK);
	assert_int_equal(ph_query_run(&arena, query, profile, matches), PH_ERR_NOT_FOUND);
	assert_non_null(strstr(env.error.message, "no metric \"PAPI\""));
	ph_arena_drop(&arena);
	ph_profile_free(&env, profile);
}

/* ---- faults ---- */

static PhStatus
parse_and_run(PhEnv *env, void *user)
{
	static const char text[] = "* [name =~ /^MPI_/ or any(share > 0.5)] {0,70} AND NOT ([leaf] + "
							   "XOR . [module contains \"x\" and line is not null])";
	static bool matches[20000];
	PhArena arena;
	PhQuery *query;
	ph_arena_init(&arena, env);
	PhStatus status = ph_query_parse(&arena, text, &query);
	if (status == PH_OK)
		status = ph_query_run(&arena, query, user, matches);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **unused)
{
	(void) unused;
	PhEnv env;
	PhProfile *profile;
	RandomNumbers own = {99};
	ph_env_init_malloc(&env);
	assert_int_equal(random_profile(&env, &own, 12000, 2, &profile), PH_OK);
	assert_in_range(profile->n_nodes, 3000, 12000);
	assert_string_equal(fault_env_try_allocations(parse_and_run, profile, 0), "");
	assert_string_equal(fault_env_try_interrupts(parse_and_run, profile, 0), "");
	ph_profile_free(&env, profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_queries_agree_with_the_reference),
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_escapes_and_odd_numbers),
		cmocka_unit_test(test_many_brackets_one_after_the_other),
		cmocka_unit_test(test_errors_name_the_place),
		cmocka_unit_test(test_unknown_metric),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
