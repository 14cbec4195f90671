/*
 * test_run_report.c - the numbers of a report: MPI share, imbalance outside MPI, who works most.
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

#include "profile/builder.h"
#include "reports/report_print.h"
#include "reports/run_report.h"
#include "support/fault_env.h"

enum
{
	RANKS = 4,
	NODES = 5
};

/* main -> { kernel, MPI_Wait -> progress, MPI_Wait's twin in solve }, ranks 0,1 on h0 and 2,3 on
 * h1. */
static PhProfile *
make(PhEnv *env)
{
	static const char *const names[NODES] = {"main", "kernel", "MPI_Wait", "progress", "PMPI_Send"};
	static const uint32_t parents[NODES] = {PH_NONE, 0, 0, 2, 1};
	static const double own[NODES][RANKS] = {
		{1, 1, 1, 1}, {10, 2, 2, 2}, {0, 4, 4, 4}, {0, 3, 3, 5}, {1, 2, 2, 0}};
	const PhMetricSpec time = {.name = "time", .unit = "sec", .given = PH_GIVEN_EXCLUSIVE};
	PhProfileBuilder *builder;
	PhProfile *profile;
	uint32_t metric, columns[RANKS], nodes[NODES];
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &metric), PH_OK);
	for (int r = 0; r < RANKS; r++)
	{
		const PhColumnSpec rank = {.rank = r,
								   .thread = PH_NO_NUMBER,
								   .iteration = PH_NO_ITERATION,
								   .host = r < 2 ? "h0" : "h1"};
		assert_int_equal(ph_builder_add_column(builder, &rank, &columns[r]), PH_OK);
	}
	for (int i = 0; i < NODES; i++)
	{
		const PhRegionSpec spec = {.name = names[i], .line = PH_NO_NUMBER};
		uint32_t region;
		assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
		assert_int_equal(ph_builder_add_node(builder,
											 parents[i] == PH_NONE ? PH_NONE : nodes[parents[i]],
											 region, &nodes[i]),
						 PH_OK);
		for (int r = 0; r < RANKS; r++)
			assert_int_equal(ph_builder_add_value(builder, metric, nodes[i], columns[r],
												  PH_COST_EXCLUSIVE, own[i][r]),
							 PH_OK);
	}
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	return profile;
}

static bool
near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

static void
reports_what_was_planted(void **state)
{
	PhEnv env;
	PhArena arena;
	PhRunReport report;
	PhProfile *profile;
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	profile = make(&env);
	assert_int_equal(ph_run_report(&arena, profile, 0, &report), PH_OK);
	assert_true(near(report.total, (12 + 12 + 12 + 12) / 4.0));
	assert_true(near(report.seconds, 1));
	assert_true(near(report.mpi, (12 + 11 + 5) / 4.0)); /* MPI_Wait 12, progress 11, PMPI_Send 5 */
	assert_string_equal(ph_profile_node_name(profile, report.dearest_mpi), "MPI_Wait");
	assert_true(near(report.dearest_mpi_cost, 23 / 4.0));
	/* progress varies, but below MPI */
	assert_int_equal(report.n_imbalance, 1);
	assert_string_equal(ph_profile_node_name(profile, report.imbalance[0].node), "kernel");
	assert_true(near(report.imbalance[0].lost, (10 - 4) * 4));
	assert_true(near(report.imbalance[0].imbalance_ratio, 2.5));
	assert_int_equal(report.imbalance[0].worst, 0);
	assert_int_equal(report.n_ranks, RANKS);
	assert_int_equal(report.ranks[0].column, 0);
	assert_true(near(report.ranks[0].outside_mpi, 11));
	assert_true(near(report.ranks[0].above_mean, 11 / 5.0 - 1));
	assert_int_equal(report.n_hosts, 2);
	assert_int_equal(report.hosts[0].n_columns, 2);
	assert_true(near(report.hosts[0].outside_mpi, 7));
	ph_arena_drop(&arena);
	ph_profile_free(&env, profile);
}

static PhStatus
report_once(PhEnv *env, void *user)
{
	PhArena arena;
	PhRunReport report;
	PhStatus status;
	ph_arena_init(&arena, env);
	status = ph_run_report(&arena, user, 0, &report);
	ph_arena_drop(&arena);
	return status;
}

static void
survives_failing_allocations(void **state)
{
	PhEnv env;
	PhProfile *profile;
	(void) state;
	ph_env_init_malloc(&env);
	profile = make(&env);
	assert_string_equal(fault_env_try_allocations(report_once, profile, 0), "");
	ph_profile_free(&env, profile);
}

static void
shows_numbers_and_paths(void **state)
{
	PhEnv env;
	PhProfile *profile;
	uint32_t deepest;
	(void) state;
	assert_string_equal(ph_show_value(1.23456, "s"), "1.235 s");
	assert_string_equal(ph_show_value(123456, ""), "123456");
	assert_string_equal(ph_show_value(0.000123456, "s"), "123.5 µs");
	assert_string_equal(ph_show_value(NAN, "s"), "-");
	assert_string_equal(ph_show_share(0.1234), "12.3 %");
	assert_string_equal(ph_show_change(-0.5), "-50.0 %");
	ph_env_init_malloc(&env);
	profile = make(&env);
	deepest = profile->n_nodes - 1;
	while (profile->depth[deepest] != 2)
		deepest--;
	assert_non_null(strstr(ph_show_path(profile, deepest, 100), "main/"));
	assert_memory_equal(ph_show_path(profile, deepest, 18), "…/", sizeof("…/") - 1);
	ph_profile_free(&env, profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_what_was_planted),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(shows_numbers_and_paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
