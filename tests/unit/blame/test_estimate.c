/*
 * test_estimate.c - waits and causes estimated from random profiles against plain loops over dense
 * arrays; a planted late rank; what is refused; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "blame/estimate.h"
#include "profile/builder.h"
#include "support/fault_env.h"
#include "support/forest.h"
#include "support/rounds.h"

#define N_CASES rounds(200)
#define MOST_NODES 14
#define MOST_COLUMNS 9

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* Some wait for all, some for messages, some for nobody, some are of the program. */
static const char *const functions[] = {"main",		"solve",		"MPI_Allreduce", "MPI_Barrier",
										"MPI_Wait", "MPI_Isend",	"MPI_Bcast",	 "update",
										"MPI_Recv", "MPI_Comm_rank"};

static bool
waits_in(const char *function)
{
	return strcmp(function, "MPI_Allreduce") == 0 || strcmp(function, "MPI_Barrier") == 0 ||
		   strcmp(function, "MPI_Wait") == 0 || strcmp(function, "MPI_Recv") == 0;
}

typedef struct Case
{
	PhProfile *profile, *estimated;
	double time[MOST_NODES * 2][MOST_COLUMNS]; /* NaN: absent */
	double wait[MOST_NODES * 2][MOST_COLUMNS], caused[MOST_NODES * 2][MOST_COLUMNS];
} Case;

static PhEnv env;
static Case test;

static PhStatus
add_columns(PhProfileBuilder *builder, uint32_t n)
{
	uint32_t column;
	for (uint32_t i = 0; i < n; i++)
	{
		PhColumnSpec spec = {
			.kind = PH_COLUMN_UNIT, .iteration = PH_NO_ITERATION, .rank = (int32_t) i, .thread = 0};
		PH_TRY(ph_builder_add_column(builder, &spec, &column));
	}
	return PH_OK;
}

static PhStatus
fill(PhProfileBuilder *builder, uint64_t seed)
{
	Random random = {seed * 91 + 5};
	uint32_t n_columns = 2 + random_below(&random, MOST_COLUMNS - 1);
	uint32_t n_nodes = 2 + random_below(&random, MOST_NODES - 2), metric, region = 0,
			 nodes[MOST_NODES];
	PhMetricSpec time = {
		.name = "time", .unit = "s", .kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	PH_TRY(ph_builder_add_metric(builder, &time, &metric));
	PH_TRY(add_columns(builder, n_columns));
	for (uint32_t i = 0; i < n_nodes; i++)
	{
		uint32_t name =
			i == 0 ? 0 : random_below(&random, sizeof(functions) / sizeof(functions[0]));
		PhRegionSpec spec = {.name = functions[name], .line = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_region(builder, &spec, &region));
		PH_TRY(ph_builder_child(builder, i == 0 ? PH_NONE : nodes[random_below(&random, i)], region,
								&nodes[i]));
		for (uint32_t column = 0; column < n_columns; column++)
			if (i == 0 || random_below(&random, 5) > 0)
				PH_TRY(ph_builder_add_value(builder, metric, nodes[i], column, PH_COST_EXCLUSIVE,
											random_below(&random, 40) / 4.0));
	}
	return PH_OK;
}

static PhStatus
make_profile(PhEnv *with, uint64_t seed, PhProfile **out)
{
	PhProfileBuilder *builder;
	PH_TRY(ph_builder_new(with, &builder));
	PhStatus status = fill(builder, seed);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}

/* ---- plainly ---- */

static const char *
function_of(uint32_t node)
{
	return ph_profile_node_name(test.profile, node);
}

static double
excess_of(uint32_t node, uint32_t column)
{
	double sum = 0, time = test.time[node][column];
	if (strncmp(function_of(node), "MPI_", 4) == 0 || isnan(time))
		return 0;
	for (uint32_t i = 0; i < test.profile->n_columns; i++)
		sum += isnan(test.time[node][i]) ? 0 : test.time[node][i];
	double mean = sum / test.profile->n_columns;
	return time > mean ? time - mean : 0;
}

static double
excess_in(uint32_t column)
{
	double sum = 0;
	for (uint32_t node = 0; node < test.profile->n_nodes; node++)
		sum += excess_of(node, column);
	return sum;
}

static void
blame_column(uint32_t column, double cost)
{
	for (uint32_t node = 0; node < test.profile->n_nodes; node++)
		if (excess_of(node, column) > 0)
			test.caused[node][column] += cost * excess_of(node, column) / excess_in(column);
}

static void
estimate_node(uint32_t node)
{
	uint32_t n = 0, first = PH_NONE;
	double sum = 0, below = 0, waited = 0;
	for (uint32_t i = 0; i < test.profile->n_columns; i++)
	{
		if (isnan(test.time[node][i]))
			continue;
		n++;
		sum += test.time[node][i];
		if (first == PH_NONE || test.time[node][i] < test.time[node][first])
			first = i;
	}
	if (n < 2 || !waits_in(function_of(node)))
		return;
	for (uint32_t i = 0; i < test.profile->n_columns; i++)
	{
		if (isnan(test.time[node][i]))
			continue;
		test.wait[node][i] = test.time[node][i] - test.time[node][first];
		waited += test.wait[node][i];
		below += test.time[node][i] < sum / n ? excess_in(i) : 0;
	}
	if (below == 0)
		test.caused[node][first] += waited;
	for (uint32_t i = 0; i < test.profile->n_columns; i++)
		if (test.time[node][i] < sum / n && below > 0)
			blame_column(i, waited * excess_in(i) / below);
}

static void
estimate_plainly(void)
{
	const PhProfile *profile = test.profile;
	memset(test.wait, 0, sizeof(test.wait));
	memset(test.caused, 0, sizeof(test.caused));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t i = 0; i < profile->n_columns; i++)
		{
			size_t cell = ph_profile_find_cell(profile, node, i);
			test.time[node][i] = cell == PH_NO_CELL ? NAN : profile->metrics[0].exclusive[cell];
		}
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		estimate_node(node);
}

static double
check_metric(uint64_t seed, uint32_t metric, double expected[MOST_NODES * 2][MOST_COLUMNS])
{
	double sum = 0;
	for (uint32_t node = 0; node < test.profile->n_nodes; node++)
		for (uint32_t i = 0; i < test.profile->n_columns; i++)
		{
			size_t cell = ph_profile_find_cell(test.estimated, node, i);
			double value = cell == PH_NO_CELL ? 0 : test.estimated->metrics[metric].exclusive[cell];
			if (fabs(value - expected[node][i]) > 1e-9)
				fail_msg("seed %llu: metric %u of node %u at %u: %g, not %g",
						 (unsigned long long) seed, metric, node, i, value, expected[node][i]);
			sum += value;
		}
	return sum;
}

/* ---- tests ---- */

static void
test_random_profiles(void **state)
{
	(void) state;
	double waited = 0;
	for (uint64_t seed = 1; seed <= N_CASES; seed++)
	{
		must(make_profile(&env, seed, &test.profile));
		must(ph_profile_estimate_waits(&env, test.profile, 0, &test.estimated));
		must(ph_profile_check(&env, test.estimated));
		estimate_plainly();
		double sum = check_metric(seed, 1, test.wait);
		assert_true(fabs(check_metric(seed, 2, test.caused) - sum) < 1e-9);
		assert_string_equal(ph_profile_string(test.estimated, test.estimated->metrics[1].name),
							"estimated wait");
		waited += sum;
		ph_profile_free(&env, test.profile);
		ph_profile_free(&env, test.estimated);
	}
	assert_true(waited > N_CASES);
}

static void
test_refusals(void **state)
{
	(void) state;
	PhProfile *twice = NULL;
	must(make_profile(&env, 7, &test.profile));
	must(ph_profile_estimate_waits(&env, test.profile, 0, &test.estimated));
	assert_int_equal(ph_profile_estimate_waits(&env, test.estimated, 0, &twice), PH_ERR_CONFLICT);
	test.profile->metrics[0].is_signed = 1;
	assert_int_equal(ph_profile_estimate_waits(&env, test.profile, 0, &twice), PH_ERR_VALUE);
	test.profile->metrics[0].is_signed = 0;
	test.profile->metrics[0].kind = PH_METRIC_VALUE;
	assert_int_equal(ph_profile_estimate_waits(&env, test.profile, 0, &twice), PH_ERR_VALUE);
	assert_null(twice);
	ph_profile_free(&env, test.profile);
	ph_profile_free(&env, test.estimated);
}

static PhStatus
estimate_in(PhEnv *with, void *user)
{
	PhProfile *profile = NULL, *estimated = NULL;
	PhStatus status = make_profile(with, *(uint64_t *) user, &profile);
	if (status == PH_OK)
		status = ph_profile_estimate_waits(with, profile, 0, &estimated);
	ph_profile_free(with, profile);
	ph_profile_free(with, estimated);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	uint64_t seed = 3;
	assert_string_equal(fault_env_try_allocations(estimate_in, &seed, 200), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_profiles),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
