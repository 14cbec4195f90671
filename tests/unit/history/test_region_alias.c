/*
 * test_region_alias.c - regions under other names: rules, laws on random profiles against a slow
 * reference, errors, faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "history/region_alias.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)
#define CLOSE 1e-9
#define MOST_RULES 4
#define FIELDS 3

/* ---- rules ---- */

static PhAliases *
aliases_of(PhArena *arena, uint32_t n, const PhAlias *rules)
{
	PhAliases *aliases = NULL;
	assert_int_equal(ph_aliases_new(arena, n, rules, &aliases), PH_OK);
	return aliases;
}

static void
expect_names(const PhAliases *aliases, const char *name, const char *library, const char *file,
			 const char *expected)
{
	PhRegionNames names = {name, library, file};
	char text[256];
	assert_int_equal(ph_aliases_apply(&case_env, aliases, &names), PH_OK);
	snprintf(text, sizeof(text), "%s|%s|%s", names.name, names.library, names.file);
	assert_string_equal(text, expected);
}

static void
rules_apply_one_after_the_other(void **state)
{
	(void) state;
	const PhAlias rules[] = {
		{.name = "old", .to_name = "newer"},
		{.library = "^/opt/mpi-[0-9.]+/", .is_pattern = true, .to_library = "libmpi.so"},
		{.name = "newer", .file = "solve.c", .to_name = "newest", .to_file = ""},
		{.name = "^test_", .file = "\\.h$", .is_pattern = true, .to_name = "test"},
		{.name = "x", .to_name = "x"},
	};
	PhArena arena;
	ph_arena_init(&arena, &case_env);
	PhAliases *aliases = aliases_of(&arena, 5, rules);
	expect_names(aliases, "old", "", "", "newer||");
	expect_names(aliases, "old", "/opt/mpi-4.1/lib.so", "solve.c", "newest|libmpi.so|");
	expect_names(aliases, "older", "", "", "older||");
	expect_names(aliases, "test_a", "", "a.h", "test||a.h");
	expect_names(aliases, "test_a", "", "a.hpp", "test_a||a.hpp");
	expect_names(aliases, "x", "", "", "x||");
	expect_names(aliases_of(&arena, 0, NULL), "old", "l", "f", "old|l|f");
	ph_arena_drop(&arena);
}

static void
wrong_rules_are_refused(void **state)
{
	(void) state;
	const struct
	{
		PhAlias rule;
		const char *message;
	} cases[] = {
		{{.to_name = "b"}, "alias 2 has no condition"},
		{{.name = "b", .is_pattern = true}, "alias 2 has no target"},
		{{.name = "b", .to_name = ""}, "alias 2 leaves no name"},
		{{.file = "a(b", .is_pattern = true, .to_name = "c"}, "file of alias 2: "},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhArena arena;
		PhAliases *aliases;
		PhAlias rules[] = {{.name = "a", .to_name = "b"}, cases[i].rule};
		ph_arena_init(&arena, &case_env);
		assert_int_equal(ph_aliases_new(&arena, 2, rules, &aliases), PH_ERR_VALUE);
		assert_non_null(strstr(case_env.error.message, cases[i].message));
		ph_arena_drop(&arena);
	}
}

static void
circles_are_refused(void **state)
{
	(void) state;
	const PhAlias rules[] = {{.name = "a", .to_name = "b"},
							 {.name = "b", .to_name = "c"},
							 {.name = "c", .to_name = "a"},
							 {.name = "z", .to_name = "y"}};
	PhRegionNames names = {"b", "", ""};
	PhArena arena;
	ph_arena_init(&arena, &case_env);
	PhAliases *aliases = aliases_of(&arena, 4, rules);
	assert_int_equal(ph_aliases_apply(&case_env, aliases, &names), PH_ERR_VALUE);
	assert_string_equal(case_env.error.message, "the aliases of \"b\" go in a circle");
	assert_string_equal(names.name, "b");
	expect_names(aliases, "z", "", "", "y||");
	ph_arena_drop(&arena);
}

/* ---- the slow reference ---- */

/* Patterns of which the test knows in its own way what they match. */
static const struct
{
	const char *pattern, *part;
	bool at_start;
} patterns[] = {{"^MPI_", "MPI_", true}, {"so", "so", false}, {"^/lib/", "/lib/", true}};

typedef struct Names
{
	const char *field[FIELDS];
} Names;

static Names
names_of(const PhProfile *profile, uint32_t node)
{
	const PhRegion *region = ph_profile_region(profile, node);
	return (Names){{profile->strings[region->name], profile->strings[region->library],
					profile->strings[region->file]}};
}

static bool
slow_match(bool is_pattern, const char *condition, const char *text)
{
	if (condition == NULL)
		return true;
	if (!is_pattern)
		return strcmp(condition, text) == 0;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (strcmp(patterns[i].pattern, condition) == 0)
			return patterns[i].at_start
					   ? strncmp(text, patterns[i].part, strlen(patterns[i].part)) == 0
					   : strstr(text, patterns[i].part) != NULL;
	return false;
}

static Names
apply_rule(const PhAlias *rule, Names names)
{
	if (!slow_match(rule->is_pattern, rule->name, names.field[0]) ||
		!slow_match(rule->is_pattern, rule->library, names.field[1]) ||
		!slow_match(rule->is_pattern, rule->file, names.field[2]))
		return names;
	return (Names){{rule->to_name ? rule->to_name : names.field[0],
					rule->to_library ? rule->to_library : names.field[1],
					rule->to_file ? rule->to_file : names.field[2]}};
}

static bool
same_names(const Names *a, const Names *b)
{
	for (int field = 0; field < FIELDS; field++)
		if (strcmp(a->field[field], b->field[field]) != 0)
			return false;
	return true;
}

/* False: there is no end. */
static bool
slow_names(uint32_t n, const PhAlias *rules, Names *names)
{
	for (int round = 0; round < 100; round++)
	{
		Names next = *names;
		for (uint32_t i = 0; i < n && same_names(&next, names); i++)
			next = apply_rule(&rules[i], *names);
		if (same_names(&next, names))
			return true;
		*names = next;
	}
	return false;
}

/* Whether two nodes have the same path, the first one's under its new names. */
static bool
same_renamed_path(const PhProfile *old, const Names *new_names, uint32_t x, const PhProfile *result,
				  uint32_t y)
{
	while (x != PH_NONE && y != PH_NONE)
	{
		const PhRegion *r = ph_profile_region(old, x), *s = ph_profile_region(result, y);
		Names names = names_of(result, y);
		if (r->kind != s->kind || !same_names(&new_names[x], &names) ||
			(ph_kind_has_line(r->kind) && r->line != s->line))
			return false;
		x = old->parent[x];
		y = result->parent[y];
	}
	return x == y;
}

static void
compare_node(const PhProfile *old, const Names *new_names, const PhProfile *result, uint32_t node)
{
	uint32_t n_members = 0;
	for (uint32_t c = 0; c < old->n_columns; c++)
	{
		bool present = false;
		n_members = 0;
		for (uint32_t m = MIXED_TIME; m <= MIXED_COUNT; m++)
			for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_RESIDUAL; cost++)
			{
				double sum = 0;
				for (uint32_t x = 0; x < old->n_nodes; x++)
				{
					if (!same_renamed_path(old, new_names, x, result, node))
						continue;
					sum += ph_profile_cell(old, m, x, c, (PhCost) cost);
					present = present || ph_profile_is_present(old, x, c);
					n_members++;
				}
				assert_true(agree(sum, ph_profile_cell(result, m, node, c, (PhCost) cost), CLOSE));
			}
		assert_int_equal(present, ph_profile_is_present(result, node, c));
	}
	assert_true(n_members > 0);
}

static uint32_t
random_rules(Random *random, PhAlias *rules)
{
	static const char *const names[] = {"main", "solve", "exchange", "MPI_Send", "loop", "new"};
	static const char *const libraries[] = {"/app/run", "/lib/other.so", "/lib/libmpi.so", ""};
	static const char *const files[] = {"solve.c", "halo.c", ""};
	uint32_t n = random_below(random, MOST_RULES + 1);
	for (uint32_t i = 0; i < n; i++)
	{
		PhAlias rule = {.is_pattern = random_below(random, 3) == 0};
		uint32_t what = random_below(random, 3);
		if (rule.is_pattern)
			rule.name = what == 0 ? patterns[0].pattern : NULL;
		else
			rule.name = what < 2 ? names[random_below(random, 6)] : NULL;
		if (rule.name == NULL || random_below(random, 3) == 0)
			rule.library = rule.is_pattern ? patterns[1 + random_below(random, 2)].pattern
										   : libraries[random_below(random, 4)];
		rule.to_name = random_below(random, 3) > 0 ? names[random_below(random, 6)] : NULL;
		if (rule.to_name == NULL || random_below(random, 4) == 0)
			rule.to_library = libraries[random_below(random, 4)];
		if (random_below(random, 4) == 0)
			rule.to_file = files[random_below(random, 3)];
		rules[i] = rule;
	}
	return n;
}

/* Compare with the reference; false when the rules go in a circle. */
static bool
rename_and_compare(const PhProfile *old, const PhAliases *aliases, uint32_t n, const PhAlias *rules,
				   PhProfile **out)
{
	Names new_names[MIXED_MOST_NODES];
	bool ends = true;
	for (uint32_t node = 0; node < old->n_nodes; node++)
	{
		new_names[node] = names_of(old, node);
		ends = slow_names(n, rules, &new_names[node]) && ends;
	}
	PhStatus status = ph_profile_apply_aliases(&case_env, old, aliases, out);
	assert_int_equal(status, ends ? PH_OK : PH_ERR_VALUE);
	if (!ends)
		return false;
	case_sound(*out);
	for (uint32_t node = 0; node < (*out)->n_nodes; node++)
		compare_node(old, new_names, *out, node);
	return true;
}

static void
renamed_profiles_match_the_reference(void **state)
{
	(void) state;
	uint32_t n_circles = 0, n_merged = 0;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhArena arena;
		Random random = {seed};
		PhAlias rules[MOST_RULES];
		PhProfile *old = case_mixed(seed, true), *renamed = NULL, *again = NULL;
		ph_arena_init(&arena, &case_env);
		uint32_t n = random_rules(&random, rules);
		PhAliases *aliases = aliases_of(&arena, n, rules);
		if (rename_and_compare(old, aliases, n, rules, &renamed))
		{
			n_merged += renamed->n_nodes < old->n_nodes ? 1 : 0;
			assert_int_equal(ph_profile_apply_aliases(&case_env, renamed, aliases, &again), PH_OK);
			assert_true(same_bytes(&case_env, renamed, again));
			ph_profile_free(&case_env, again);
			ph_profile_free(&case_env, renamed);
		}
		else
			n_circles++;
		ph_arena_drop(&arena);
		ph_profile_free(&case_env, old);
	}
	assert_true(n_merged > N_INPUTS / 20 && n_circles > 5);
}

/* ---- laws ---- */

static PhProfile *
ensemble_of(const PhProfile *a, const PhProfile *b)
{
	const PhProfile *in[] = {a, b};
	PhProfile *out = NULL;
	assert_int_equal(ph_profile_ensemble(&case_env, 2, in, NULL, &out), PH_OK);
	return out;
}

static void
compare_ensembles(const PhProfile *x, const PhProfile *y)
{
	assert_int_equal(x->n_nodes, y->n_nodes);
	assert_memory_equal(x->callpath_id, y->callpath_id, x->n_nodes * sizeof(uint64_t));
	for (uint32_t node = 0; node < x->n_nodes; node++)
		for (uint32_t c = 0; c < 2; c++)
		{
			assert_int_equal(ph_profile_is_present(x, node, c), ph_profile_is_present(y, node, c));
			for (uint32_t m = MIXED_TIME; m <= MIXED_COUNT; m++)
				for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_RESIDUAL; cost++)
					assert_true(agree(ph_profile_cell(x, m, node, c, (PhCost) cost),
									  ph_profile_cell(y, m, node, c, (PhCost) cost), CLOSE));
		}
}

/* Renaming before or after runs are put side by side is the same. */
static void
renaming_commutes_with_unify(void **state)
{
	(void) state;
	uint32_t n_compared = 0;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhArena arena;
		Random random = {seed + 7};
		PhAlias rules[MOST_RULES];
		PhProfile *a = case_mixed(seed, true), *b = case_mixed(seed + 1, true);
		PhProfile *whole = ensemble_of(a, b), *after = NULL, *new_a = NULL, *new_b = NULL;
		ph_arena_init(&arena, &case_env);
		uint32_t n = random_rules(&random, rules);
		PhAliases *aliases = aliases_of(&arena, n, rules);
		if (ph_profile_apply_aliases(&case_env, whole, aliases, &after) == PH_OK)
		{
			assert_int_equal(ph_profile_apply_aliases(&case_env, a, aliases, &new_a), PH_OK);
			assert_int_equal(ph_profile_apply_aliases(&case_env, b, aliases, &new_b), PH_OK);
			PhProfile *before = ensemble_of(new_a, new_b);
			compare_ensembles(before, after);
			n_compared++;
			ph_profile_free(&case_env, before);
		}
		ph_profile_free(&case_env, new_a);
		ph_profile_free(&case_env, new_b);
		ph_profile_free(&case_env, after);
		ph_profile_free(&case_env, whole);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
		ph_arena_drop(&arena);
	}
	assert_true(n_compared > N_INPUTS / 2);
}

/* What is there and has no name to change stays to the last byte; what changes says so. */
static void
the_note_names_what_changed(void **state)
{
	(void) state;
	PhProfile *old = case_mixed(5, true), *renamed;
	const PhAlias none = {.name = "nowhere", .to_name = "x"};
	const PhAlias every[] = {{.name = "main", .to_name = "start"},
							 {.name = "MPI_", .is_pattern = true, .to_library = ""}};
	PhArena arena;
	ph_arena_init(&arena, &case_env);
	assert_int_equal(
		ph_profile_apply_aliases(&case_env, old, aliases_of(&arena, 1, &none), &renamed), PH_OK);
	assert_true(same_bytes(&case_env, old, renamed));
	ph_profile_free(&case_env, renamed);
	assert_int_equal(
		ph_profile_apply_aliases(&case_env, old, aliases_of(&arena, 2, every), &renamed), PH_OK);
	const PhProvenance *provenance = &renamed->provenance;
	const char *note = renamed->strings[provenance->notes[provenance->n_notes - 1]];
	assert_non_null(strstr(note, "aliases: "));
	assert_non_null(strstr(note, "main as start"));
	assert_non_null(strstr(note, "/lib/libmpi.so as (none)"));
	ph_profile_free(&case_env, renamed);
	ph_profile_free(&case_env, old);
	ph_arena_drop(&arena);
}

/* ---- faults ---- */

static PhStatus
rename_all(PhEnv *fault, void *user)
{
	const PhAlias rules[] = {{.name = "solve", .to_name = "exchange", .to_library = ""},
							 {.library = "lib", .is_pattern = true, .to_library = "libs"},
							 {.name = "main", .to_name = "solve"}};
	PhArena arena;
	PhAliases *aliases;
	PhProfile *out = NULL;
	ph_arena_init(&arena, fault);
	PhStatus status = ph_aliases_new(&arena, 3, rules, &aliases);
	if (status == PH_OK)
		status = ph_profile_apply_aliases(fault, user, aliases, &out);
	ph_arena_drop(&arena);
	ph_profile_free(fault, status == PH_OK ? out : NULL);
	return status;
}

static void
renaming_may_run_out_of_memory(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(11, false);
	assert_string_equal(fault_env_try_allocations(rename_all, profile, 0), "");
	ph_profile_free(&case_env, profile);
}

static void
renaming_may_be_interrupted(void **state)
{
	(void) state;
	PhProfile *profile;
	BigForest shape = {2000, 10, 600, 2, 200};
	assert_int_equal(forest_big(&case_env, &shape, &profile), PH_OK);
	assert_string_equal(fault_env_try_interrupts(rename_all, profile, 0), "");
	ph_profile_free(&case_env, profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rules_apply_one_after_the_other, case_begin, case_end),
		cmocka_unit_test_setup_teardown(wrong_rules_are_refused, case_begin, case_end),
		cmocka_unit_test_setup_teardown(circles_are_refused, case_begin, case_end),
		cmocka_unit_test_setup_teardown(renamed_profiles_match_the_reference, case_begin, case_end),
		cmocka_unit_test_setup_teardown(renaming_commutes_with_unify, case_begin, case_end),
		cmocka_unit_test_setup_teardown(the_note_names_what_changed, case_begin, case_end),
		cmocka_unit_test_setup_teardown(renaming_may_run_out_of_memory, case_begin, case_end),
		cmocka_unit_test_setup_teardown(renaming_may_be_interrupted, case_begin, case_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
