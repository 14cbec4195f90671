/*
 * test_one_total.c - every output of a profile adds up to the same total, also where the source
 * disagrees with itself, and reading an export back gives it again.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/internal.h"
#include "profile/ops.h"
#include "profile/rows/rows.h"
#include "reports/export_profile.h"
#include "reports/run_report.h"
#include "supergraph/group_by.h"
#include "supergraph/supergraph.h"
#include "support/mixed.h"
#include "support/reader.h"
#include "support/rounds.h"

#define ROUNDS rounds(300)
#define TOLERANCE 1e-9

static void
check(const char *output, double found, double total)
{
	if (!agree(found, total, TOLERANCE))
		fail_msg("%s has %.17g, the profile %.17g", output, found, total);
}

static void
check_rows(PhArena *arena, const PhProfile *profile, double total)
{
	PhFlameRow *flame;
	uint32_t n;
	uint64_t n_clamped;
	double sum = 0;
	assert_int_equal(ph_rows_flame(arena, profile, 0, &flame, &n, &n_clamped), PH_OK);
	for (uint32_t i = 0; i < n; i++)
		sum += flame[i].self;
	check("flame", sum, total);
	check("the flame's root", flame[0].value, total);
	for (PhGroupBy by = PH_GROUP_MODULE; by < PH_GROUP_COUNT; by++)
	{
		PhFlatRow *flat;
		double residual = 0;
		assert_int_equal(ph_rows_flat(arena, profile, 0, by, &flat, &n), PH_OK);
		sum = 0;
		for (uint32_t i = 0; i < n; i++)
		{
			sum += flat[i].exclusive + flat[i].absorbed + flat[i].residual;
			residual += flat[i].residual;
		}
		check("flat", sum, total);
		check("the flat profile's residual", residual, ph_profile_residual(profile, 0));
	}
}

static void
check_supergraph(PhArena *arena, const PhProfile *profile, double total)
{
	for (PhGroupBy by = PH_GROUP_MODULE; by < PH_GROUP_COUNT; by++)
	{
		PhProfile *copy;
		PhSupergraph *graph;
		PhSupergraphMeans means;
		double sum = 0, source = 0;
		assert_int_equal(ph_profile_copy(arena->env, profile, &copy), PH_OK);
		assert_int_equal(ph_supergraph_build(arena->env, copy, by, NULL, &graph), PH_OK);
		assert_int_equal(ph_supergraph_means(arena, graph, 0, &means), PH_OK);
		for (uint32_t v = 0; v < graph->n_supernodes; v++)
		{
			sum += means.exclusive[v] + means.absorbed[v] + means.residual[v];
			source += means.source[v];
		}
		check("super graph", sum, total);
		check("the super graph's sources", source, total);
		ph_supergraph_free(arena->env, graph);
	}
}

static void
check_report(PhArena *arena, const PhProfile *profile, double total)
{
	PhRunReport report;
	assert_int_equal(ph_run_report(arena, profile, 0, &report), PH_OK);
	check("report", report.total, total);
	check("the report's residual", report.residual, ph_profile_residual(profile, 0));
}

/* Lines of folded stacks are microseconds, summed over columns. */
static void
check_folded(PhEnv *env, const PhProfile *profile, double total)
{
	char *text, *line, *rest;
	size_t size;
	double sum = 0;
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(ph_export_folded(env, out, profile, 0), PH_OK);
	fclose(out);
	for (line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
		sum += strtod(strrchr(line, ' '), NULL);
	if (fabs(sum - total * 1e6 * profile->n_columns) > 0.5)
		fail_msg("folded stacks have %.17g us, the profile %.17g", sum,
				 total * 1e6 * profile->n_columns);
	free(text);
}

/* Exclusive costs and residuals of all cells: of a profile without a filter, all that it has. */
static double
own_of_all(const PhProfile *profile)
{
	double sum = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t column = 0; column < profile->n_columns; column++)
			sum += ph_profile_cell(profile, 0, node, column, PH_COST_OWN);
	return sum;
}

/*
 * Only what adds up: numbers below 0 cannot be read. Iterations are no axis of Hatchet's form, so
 * sums over columns are compared.
 */
static void
check_json(PhEnv *env, const PhProfile *profile, double total)
{
	char *text;
	size_t size;
	PhRunInput run = {0};
	const uint32_t additive[] = {MIXED_TIME, MIXED_COUNT};
	PhProfile *chosen;
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(ph_profile_select_metrics(env, profile, 2, additive, &chosen), PH_OK);
	ph_export_json(out, chosen);
	ph_profile_free(env, chosen);
	fclose(out);
	if (read_bytes(env, READ_HATCHET_JSON, text, size, &run) != PH_OK)
		fail_msg("%s", env->error.message);
	const PhProfile *again = run.profile;
	uint32_t time = find_metric(again, "time");
	assert_int_equal(time, 0);
	assert_string_equal(ph_profile_string(again, again->metrics[0].unit), "s");
	for (uint32_t m = 0; m < again->n_metrics; m++)
		assert_null(strstr(ph_profile_string(again, again->metrics[m].name), "residual"));
	check("JSON read back", ph_profile_total(again, 0) * again->n_columns,
		  total * profile->n_columns);
	check("what JSON read back sums up to", own_of_all(again), total * profile->n_columns);
	ph_run_input_free(env, &run);
	free(text);
}

static void
every_output_has_one_total(void **state)
{
	uint32_t n_with_residual = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		static Mixed mixed;
		PhEnv env;
		PhArena arena;
		PhProfile *profile;
		ph_env_init_malloc(&env);
		mixed_random(seed, false, &mixed);
		assert_int_equal(mixed_profile(&env, &mixed, NULL, &profile), PH_OK);
		double total = ph_profile_total(profile, 0);
		n_with_residual += ph_profile_residual(profile, 0) != 0;
		ph_arena_init(&arena, &env);
		check_rows(&arena, profile, total);
		check_supergraph(&arena, profile, total);
		check_report(&arena, profile, total);
		check_folded(&env, profile, total);
		check_json(&env, profile, total);
		ph_arena_drop(&arena);
		ph_profile_free(&env, profile);
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_with_residual > ROUNDS / 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_output_has_one_total)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
