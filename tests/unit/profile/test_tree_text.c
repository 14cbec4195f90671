/*
 * test_tree_text.c - a tree's text that would be too long.
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

#include "profile/builder.h"
#include "profile/rows/rows.h"

#define LONG_NAME ((size_t) 1 << 20)

/* A function with a name of a megabyte that calls itself 600 times. */
static void
build_long_names(PhEnv *env, PhProfile **out)
{
	PhProfileBuilder *builder;
	PhMetricSpec time = {.name = "time", .unit = "us", .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec column = {.iteration = PH_NO_ITERATION, .thread = PH_NO_NUMBER};
	char *name = malloc(LONG_NAME + 1);
	PhRegionSpec spec = {.name = name, .line = PH_NO_NUMBER};
	uint32_t region, index, node = PH_NONE;
	memset(name, 'f', LONG_NAME);
	name[LONG_NAME] = '\0';
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &index), PH_OK);
	assert_int_equal(ph_builder_add_column(builder, &column, &index), PH_OK);
	assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
	for (int i = 0; i < 600; i++)
		assert_int_equal(ph_builder_add_node(builder, node, region, &node), PH_OK);
	assert_int_equal(ph_builder_add_value(builder, 0, node, 0, PH_COST_EXCLUSIVE, 1), PH_OK);
	assert_int_equal(ph_builder_finish(builder, out), PH_OK);
	ph_builder_free(builder);
	free(name);
}

/* Refused before the text takes memory: there is none for a name here. */
static void
test_tree_text_that_is_too_long(void **unused)
{
	(void) unused;
	PhEnv env, poor;
	PhArena arena;
	PhProfile *profile;
	char *text;
	ph_env_init_malloc(&env);
	build_long_names(&env, &profile);
	ph_env_init_malloc(&poor);
	poor.byte_limit = LONG_NAME;
	ph_arena_init(&arena, &poor);
	assert_int_equal(ph_rows_tree_text(&arena, profile, 0, UINT32_MAX, 0, &text), PH_ERR_LIMIT);
	assert_string_equal(poor.error.message, "the tree is a text of more than 536870912 bytes");
	assert_int_equal(poor.bytes, 0);
	ph_arena_drop(&arena);
	ph_profile_free(&env, profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree_text_that_is_too_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
