/*
 * test_export_profile.c - exported profiles: exact text, and Hatchet's form read back by our
 * reader.
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

#include "profile/builder.h"
#include "reports/export_profile.h"
#include "support/csv.h"
#include "support/mixed.h"
#include "support/reader.h"

/* Two ranks; one name that needs care in every format; rank 1 never calls it. */
static PhProfile *
make(PhEnv *env)
{
	const PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	const PhRegionSpec specs[2] = {{.name = "main", .line = PH_NO_NUMBER},
								   {.name = "a;b\"c,d", .file = "x.c", .line = PH_NO_NUMBER}};
	PhProfileBuilder *builder;
	PhProfile *profile;
	uint32_t metric, columns[2], regions[2], nodes[2];
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &metric), PH_OK);
	for (int i = 0; i < 2; i++)
	{
		const PhColumnSpec rank = {.rank = i, .thread = PH_NO_NUMBER, .iteration = PH_NO_ITERATION};
		assert_int_equal(ph_builder_add_column(builder, &rank, &columns[i]), PH_OK);
		assert_int_equal(ph_builder_add_region(builder, &specs[i], &regions[i]), PH_OK);
		assert_int_equal(
			ph_builder_add_node(builder, i == 0 ? PH_NONE : nodes[0], regions[i], &nodes[i]),
			PH_OK);
	}
	for (uint32_t c = 0; c < 2; c++)
		assert_int_equal(
			ph_builder_add_value(builder, metric, nodes[0], columns[c], PH_COST_EXCLUSIVE, 0.1),
			PH_OK);
	assert_int_equal(
		ph_builder_add_value(builder, metric, nodes[1], columns[0], PH_COST_EXCLUSIVE, 2), PH_OK);
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	return profile;
}

typedef enum Format
{
	FOLDED,
	CSV,
	DOT,
	JSON
} Format;

static char *export(const PhProfile *profile, Format format)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (format == FOLDED)
	{
		PhEnv env;
		ph_env_init_malloc(&env);
		assert_int_equal(ph_export_folded(&env, out, profile, 0), PH_OK);
	}
	else if (format == CSV)
		ph_export_csv(out, profile);
	else if (format == DOT)
		ph_export_dot(out, profile, 0);
	else
		ph_export_json(out, profile);
	fclose(out);
	return text;
}

static void
writes_folded_csv_and_dot(void **state)
{
	PhEnv env;
	PhProfile *profile;
	char *text;
	(void) state;
	ph_env_init_malloc(&env);
	profile = make(&env);
	text = export(profile, FOLDED);
	assert_string_equal(text, "main 200000\nmain;a:b\"c,d 2000000\n");
	free(text);
	text = export(profile, CSV);
	assert_non_null(strstr(text, ",time (inc),time\n"));
	assert_non_null(strstr(text, "\"a;b\"\"c,d\",function,,x.c,,0,0,,,2,2\n"));
	assert_null(strstr(text, ",1,1,,,0,0\n")); /* absent cells have no row */
	free(text);
	text = export(profile, DOT);
	assert_non_null(strstr(text, "n0 -> n1;"));
	assert_non_null(strstr(text, "a;b\\\"c,d"));
	free(text);
	ph_profile_free(&env, profile);
}

static void
check_same(const PhProfile *a, const PhProfile *b)
{
	assert_int_equal(a->n_nodes, b->n_nodes);
	assert_int_equal(a->n_columns, b->n_columns);
	for (uint32_t node = 0; node < a->n_nodes; node++)
	{
		assert_int_equal(a->parent[node], b->parent[node]);
		assert_string_equal(ph_profile_node_name(a, node), ph_profile_node_name(b, node));
		for (uint32_t c = 0; c < a->n_columns; c++)
		{
			assert_int_equal(ph_profile_is_present(a, node, c), ph_profile_is_present(b, node, c));
			for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_EXCLUSIVE; cost++)
				assert_true(agree(ph_profile_cell(a, 0, node, c, (PhCost) cost),
								  ph_profile_cell(b, 0, node, c, (PhCost) cost), 1e-12));
		}
	}
}

static void
check_round_trip(PhEnv *env, const PhProfile *profile)
{
	char *text = export(profile, JSON);
	PhRunInput run = {0};
	if (read_bytes(env, READ_HATCHET_JSON, text, strlen(text), &run) != PH_OK)
		fail_msg("%s", env->error.message);
	check_same(profile, run.profile);
	ph_run_input_free(env, &run);
	free(text);
}

static void
hatchet_form_reads_back(void **state)
{
	PhEnv env;
	PhProfile *profile;
	PhRunInput run = {0};
	(void) state;
	ph_env_init_malloc(&env);
	profile = make(&env);
	check_round_trip(&env, profile);
	ph_profile_free(&env, profile);
	if (read_path(&env, PH_SOURCE_DIR "/tests/data/lulesh-history/lulesh-3e01c40-n27-1.cali",
				  &run) != PH_OK)
		fail_msg("%s", env.error.message);
	check_round_trip(&env, run.profile);
	ph_run_input_free(&env, &run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_folded_csv_and_dot),
		cmocka_unit_test(hatchet_form_reads_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
