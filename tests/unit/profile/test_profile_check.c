/*
 * test_profile_check.c - every structural rule of a profile is noticed when it is broken; getters.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "profile/ops.h"
#include "support/mixed.h"

/* main with children a and b (two columns, metrics x, y and x / y), b absent from column 1. */
static PhProfile *
sample(PhEnv *env)
{
	static const char *const names[] = {"main", "a", "b"};
	PhProfileBuilder *builder;
	PhProfile *profile;
	uint32_t out;
	PhMetricSpec x = {.name = "x time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	PhMetricSpec y = {.name = "Y count", .unit = "count", .given = PH_GIVEN_EXCLUSIVE};
	PhMetricSpec ratio = {
		.name = "x per y", .kind = PH_METRIC_RATIO, .numerator = 0, .denominator = 1};
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &x, &out), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &y, &out), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &ratio, &out), PH_OK);
	for (int32_t rank = 0; rank < 2; rank++)
	{
		PhColumnSpec column = {PH_COLUMN_UNIT, 0,	PH_NO_ITERATION, rank, PH_NO_NUMBER,
							   "host",		   NULL};
		assert_int_equal(ph_builder_add_column(builder, &column, &out), PH_OK);
	}
	for (uint32_t i = 0; i < 3; i++)
	{
		PhRegionSpec region = {PH_KIND_FUNCTION, names[i], NULL, NULL, NULL, PH_NO_NUMBER, NULL};
		assert_int_equal(ph_builder_add_region(builder, &region, &out), PH_OK);
		assert_int_equal(ph_builder_add_node(builder, i == 0 ? PH_NONE : 0, i, &out), PH_OK);
		for (uint32_t column = 0; column < (i == 2 ? 1u : 2u); column++)
		{
			assert_int_equal(
				ph_builder_add_value(builder, 0, i, column, PH_COST_EXCLUSIVE, 1 + i + column),
				PH_OK);
			assert_int_equal(ph_builder_add_value(builder, 1, i, column, PH_COST_EXCLUSIVE, i),
							 PH_OK);
		}
	}
	assert_int_equal(ph_builder_add_source(builder, 3, "run"), PH_OK);
	assert_int_equal(ph_builder_add_note(builder, "note"), PH_OK);
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	return profile;
}

static void
expect_broken(PhEnv *env, const PhProfile *profile, const char *rule)
{
	PhStatus status = ph_profile_check(env, profile);
	if (status != PH_ERR_FORMAT || strstr(env->error.message, rule) == NULL)
		fail_msg("expected \"%s\", got %s: %s", rule, ph_status_name(status), env->error.message);
}

/* Set a field to another value, look for the rule, set it back. */
#define BREAK(field, value, rule)                                                                  \
	do                                                                                             \
	{                                                                                              \
		__typeof__(field) kept_ = (field);                                                         \
		(field) = (value);                                                                         \
		expect_broken(&env, p, (rule));                                                            \
		(field) = kept_;                                                                           \
		assert_int_equal(ph_profile_check(&env, p), PH_OK);                                        \
	} while (0)

static void
broken_trees_are_noticed(void **state)
{
	(void) state;
	PhEnv env;
	ph_env_init_malloc(&env);
	PhProfile *p = sample(&env);
	assert_int_equal(ph_profile_check(&env, p), PH_OK);
	BREAK(p->parent[1], 2, "before its child");
	BREAK(p->parent[2], 1, "depth");
	BREAK(p->depth[2], 7, "depth");
	BREAK(p->subtree_end[0], 2, "end of a subtree");
	BREAK(p->subtree_end[1], 3, "pre-order");
	BREAK(p->callpath_id[1], 5, "call path id");
	BREAK(p->region[1], 2, "regions are not numbered");
	BREAK(p->n_regions, 2, "numbered by first use");
	BREAK(p->n_nodes, 0, "");
	BREAK(p->regions[1].kind, 9, "kind of region");
	BREAK(p->regions[1].name, 0, "string of a region");
	BREAK(p->regions[1].line, -5, "negative line");
	BREAK(p->regions[1].region_id, 5, "region id");
	/* b before a, with the right ids: only the order is wrong */
	PhRegion region = p->regions[1];
	uint64_t callpath = p->callpath_id[1];
	const char *name = p->strings[p->regions[1].name];
	p->strings[p->regions[1].name] = p->strings[p->regions[2].name];
	p->strings[p->regions[2].name] = name;
	p->regions[1].region_id = p->regions[2].region_id;
	p->regions[2].region_id = region.region_id;
	p->callpath_id[1] = p->callpath_id[2];
	p->callpath_id[2] = callpath;
	expect_broken(&env, p, "siblings");
	ph_profile_free(&env, p);
	assert_int_equal(env.bytes, 0);
}

/* The sample's cells told by other lists. */
static void
expect_broken_cells(PhEnv *env, const PhProfile *p, PhColumnRun *runs, uint32_t *first_run,
					size_t *first_cell, const char *rule)
{
	PhProfile other = *p;
	other.runs = runs;
	other.first_run = first_run;
	other.first_cell = first_cell;
	expect_broken(env, &other, rule);
}

/* The nodes main, a and b: the first two are in both columns, b is in the first. */
static void
broken_cells_are_noticed(void **state)
{
	(void) state;
	PhEnv env;
	ph_env_init_malloc(&env);
	PhProfile *p = sample(&env);
	uint32_t first_run[] = {0, 1, 2, 3}, one_more[] = {0, 2, 3, 4};
	size_t first_cell[] = {0, 2, 4, 5}, lacking[] = {0, 1, 3, 4}, full[] = {0, 2, 4, 6};
	BREAK(p->runs[0].first, 1, "columns that do not exist");
	BREAK(p->runs[0].n, 3, "columns that do not exist");
	BREAK(p->runs[0].n, 1, "wrong number of cells");
	BREAK(p->runs[0].n, 0, "not in order or not joined");
	BREAK(p->runs[1].before, 1, "wrong number of cells before");
	BREAK(p->first_run[0], 1, "begin at 0");
	BREAK(p->first_cell[0], 1, "begin at 0");
	BREAK(p->first_run[2], 0, "order of nodes");
	BREAK(p->first_cell[1], 9, "wrong number of cells of a node");
	BREAK(p->first_cell[3], 6, "wrong number of cells of a node");
	PhColumnRun touching[] = {{0, 1, 0}, {1, 1, 1}, {0, 2, 0}, {0, 1, 0}};
	expect_broken_cells(&env, p, touching, one_more, first_cell, "not in order or not joined");
	PhColumnRun backwards[] = {{1, 1, 0}, {0, 1, 1}, {0, 2, 0}, {0, 1, 0}};
	expect_broken_cells(&env, p, backwards, one_more, first_cell, "not in order or not joined");
	PhColumnRun orphan[] = {{1, 1, 0}, {0, 2, 0}, {0, 1, 0}};
	expect_broken_cells(&env, p, orphan, first_run, lacking, "its parent is not in");
	PhColumnRun all[] = {{0, 2, 0}, {0, 2, 0}, {0, 2, 0}};
	expect_broken_cells(&env, p, all, first_run, full, "all are there");
	ph_profile_free(&env, p);
	assert_int_equal(env.bytes, 0);
}

static void
broken_strings_columns_and_metrics_are_noticed(void **state)
{
	(void) state;
	PhEnv env;
	ph_env_init_malloc(&env);
	PhProfile *p = sample(&env);
	BREAK(p->strings[0], "x", "first string");
	BREAK(p->strings[2], p->strings[1], "twice");
	BREAK(p->columns[1].kind, 9, "kind of column");
	BREAK(p->columns[1].rank, -7, "negative rank");
	BREAK(p->columns[0].host, 99, "numbered by first use");
	BREAK(p->metrics[0].kind, 9, "kind of metric");
	BREAK(p->metrics[0].combine, 9, "kind of metric");
	BREAK(p->metrics[0].is_signed, 2, "kind of metric");
	BREAK(p->metrics[0].exclusive, NULL, "without values");
	BREAK(p->metrics[2].exclusive, p->metrics[0].exclusive, "values of its own");
	BREAK(p->metrics[2].numerator, 2, "metrics that do not exist");
	BREAK(p->metrics[2].denominator, 8, "metrics that do not exist");
	BREAK(p->metrics[0].inclusive[0], NAN, "not finite");
	BREAK(p->metrics[0].exclusive[1], INFINITY, "not finite");
	BREAK(p->provenance.share_filtered, 1.5, "share");
	BREAK(p->provenance.share_filtered, NAN, "share");
	BREAK(p->provenance.notes[0], 99, "string of a note");
	BREAK(p->provenance.n_notes, 0, "not used");
	BREAK(p->provenance.sources[0].label, 99, "string of a source");
	uint8_t marks[3] = {0, 0, 9};
	BREAK(p->diff_status, marks, "mark");
	ph_profile_free(&env, p);
}

static void
broken_nesting_is_noticed(void **state)
{
	(void) state;
	PhEnv env;
	ph_env_init_malloc(&env);
	PhProfile *a = sample(&env), *b = sample(&env), *p, *other;
	assert_int_equal(ph_profile_diff(&env, a, b, &p), PH_OK);
	assert_int_equal(ph_profile_subtree(&env, a, 1, true, &other), PH_OK);
	BREAK(p->after, NULL, "one operand");
	BREAK(p->before, other, "another shape");
	BREAK(p->before->unfiltered, other, "has operands");
	BREAK(p->unfiltered, a, "other columns or metrics");
	BREAK(p->before->depth[0], 3, "depth");
	ph_profile_free(&env, other);
	ph_profile_free(&env, p);
	ph_profile_free(&env, a);
	ph_profile_free(&env, b);
	assert_int_equal(env.bytes, 0);
}

static void
getters_give_means_with_absent_as_zero(void **state)
{
	(void) state;
	PhEnv env;
	ph_env_init_malloc(&env);
	PhProfile *p = sample(&env);
	assert_true(ph_profile_mean(p, 0, 2, PH_COST_EXCLUSIVE) == 1.5); /* 3 in one of two columns */
	assert_true(ph_profile_mean(p, 0, 0, PH_COST_INCLUSIVE) == 5.5);
	assert_true(ph_profile_total(p, 0) == 5.5);
	assert_true(ph_profile_mean(p, 2, 2, PH_COST_EXCLUSIVE) == 1.5); /* 1.5 / 1 */
	assert_true(ph_profile_cell(p, 2, 2, 0, PH_COST_EXCLUSIVE) == 1.5);
	assert_true(ph_profile_cell(p, 2, 2, 1, PH_COST_EXCLUSIVE) == 0); /* absent */
	assert_true(isnan(ph_profile_mean(p, 2, 0, PH_COST_EXCLUSIVE)));  /* 1.5 / 0 */
	assert_int_equal(ph_profile_n_present(p, 2), 1);
	assert_int_equal(ph_profile_n_present(p, 0), 2);
	ph_profile_free(&env, p);
}

static void
metrics_are_found_by_name(void **state)
{
	(void) state;
	PhEnv env;
	ph_env_init_malloc(&env);
	PhProfile *p = sample(&env);
	assert_int_equal(ph_profile_find_metric(p, "x time"), 0);
	assert_int_equal(ph_profile_find_metric(p, "X TIME"), 0);
	assert_int_equal(ph_profile_find_metric(p, "y count"), 1);
	assert_int_equal(ph_profile_find_metric(p, "Y"), 1);
	assert_int_equal(ph_profile_find_metric(p, "x p"), 2);
	assert_int_equal(ph_profile_find_metric(p, "x"), PH_NONE); /* two of them */
	assert_int_equal(ph_profile_find_metric(p, "z"), PH_NONE);
	ph_profile_free(&env, p);
}

static void
columns_have_labels(void **state)
{
	(void) state;
	PhEnv env;
	char text[64], small[6];
	ph_env_init_malloc(&env);
	PhProfile *p = sample(&env);
	PhColumn *c = &p->columns[0];
	ph_column_label(p, 0, text, sizeof(text));
	assert_string_equal(text, "rank 0");
	c->thread = 4;
	c->iteration = 12;
	ph_column_label(p, 0, text, sizeof(text));
	assert_string_equal(text, "rank 0 thread 4 iteration 12");
	ph_column_label(p, 0, small, sizeof(small));
	assert_string_equal(small, "rank ");
	c->rank = c->thread = PH_NO_NUMBER;
	c->iteration = PH_NO_ITERATION;
	ph_column_label(p, 0, text, sizeof(text));
	assert_string_equal(text, "host");
	c->run_id = 9;
	ph_column_label(p, 0, text, sizeof(text));
	assert_string_equal(text, "run 9");
	c->name = c->host;
	ph_column_label(p, 0, text, sizeof(text));
	assert_string_equal(text, "host");
	c->name = c->host = 0;
	c->run_id = 0;
	ph_column_label(p, 0, text, sizeof(text));
	assert_string_equal(text, "column 0");
	ph_profile_free(&env, p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_trees_are_noticed),
		cmocka_unit_test(broken_cells_are_noticed),
		cmocka_unit_test(broken_strings_columns_and_metrics_are_noticed),
		cmocka_unit_test(broken_nesting_is_noticed),
		cmocka_unit_test(getters_give_means_with_absent_as_zero),
		cmocka_unit_test(metrics_are_found_by_name),
		cmocka_unit_test(columns_have_labels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
