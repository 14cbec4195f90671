/*
 * test_run_record.c - metadata: precedence, promoted columns, times, the meta document.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <json-c/json.h>
#include <string.h>

#include "pipeline/store/run_record.h"

static const char *
no_environment(const char *name)
{
	(void) name;
	return NULL;
}

static const char *
ci_environment(const char *name)
{
	if (strcmp(name, "CI_COMMIT_SHA") == 0)
		return "cafe";
	if (strcmp(name, "SLURM_CLUSTER_NAME") == 0)
		return "quartz";
	return strcmp(name, "SLURM_NTASKS") == 0 ? "64" : NULL;
}

static void
add(PhEnv *env, PhRunInput *input, const char *key, const char *value, bool is_literal)
{
	assert_int_equal(ph_meta_set(env, &input->meta, key, value, is_literal), PH_OK);
}

static PhRunRecord
record_of(PhEnv *env, const PhRunInput *file, const PhRunInput *set, PhGetenv environment)
{
	PhRunRecord record;
	assert_int_equal(ph_run_record_make(env, file, "/data/run.7.cali",
										set == NULL ? NULL : &set->meta, environment, &record),
					 PH_OK);
	return record;
}

static void
promotes_by_precedence(void **state)
{
	PhEnv env;
	PhRunInput file = {0}, set = {0};
	PhRunRecord record;
	(void) state;
	ph_env_init_malloc(&env);
	add(&env, &file, "executable", "lulesh2.0", false);
	add(&env, &file, "launchdate", "1700000000", true);
	add(&env, &file, "user", "ann", false);
	record = record_of(&env, &file, NULL, ci_environment);
	assert_string_equal(record.application, "lulesh2.0");
	assert_string_equal(record.commit_id, "cafe");
	assert_string_equal(record.cluster, "quartz");
	assert_string_equal(record.user_name, "ann");
	assert_string_equal(record.started_at, "2023-11-14 22:13:20+00");
	assert_string_equal(record.title, "run.7.cali");
	assert_null(record.branch);
	ph_run_record_free(&record);
	add(&env, &file, "commit", "beef", false);
	add(&env, &set, "application", "lulesh", false);
	record = record_of(&env, &file, &set, ci_environment);
	assert_string_equal(record.application, "lulesh");
	assert_string_equal(record.commit_id, "beef"); /* the file knows better than the environment */
	ph_run_record_free(&record);
	record = record_of(&env, &file, &set, NULL);
	assert_null(record.cluster);
	ph_run_record_free(&record);
	ph_run_input_free(&env, &file);
	ph_run_input_free(&env, &set);
}

static void
keeps_numbers_as_numbers(void **state)
{
	PhEnv env;
	PhRunInput file = {0};
	PhRunRecord record;
	json_object *meta, *value;
	(void) state;
	ph_env_init_malloc(&env);
	add(&env, &file, "size", "14", true);
	add(&env, &file, "factor", "0.5", true);
	add(&env, &file, "huge", "1e999", true);
	add(&env, &file, "fake", "0x10", true);
	add(&env, &file, "quote\"d", "a\xff\x01\n", false);
	record = record_of(&env, &file, NULL, no_environment);
	meta = json_tokener_parse(record.meta);
	assert_non_null(meta);
	assert_true(json_object_object_get_ex(meta, "size", &value));
	assert_int_equal(json_object_get_type(value), json_type_int);
	assert_true(json_object_object_get_ex(meta, "factor", &value));
	assert_int_equal(json_object_get_type(value), json_type_double);
	assert_true(json_object_object_get_ex(meta, "huge", &value));
	assert_int_equal(json_object_get_type(value), json_type_string);
	assert_true(json_object_object_get_ex(meta, "fake", &value));
	assert_int_equal(json_object_get_type(value), json_type_string);
	assert_true(json_object_object_get_ex(meta, "quote\"d", &value));
	assert_string_equal(json_object_get_string(value), "a?\x01\n");
	json_object_put(meta);
	ph_run_record_free(&record);
	ph_run_input_free(&env, &file);
}

static void
reads_times(void **state)
{
	static const char *const times[][2] = {
		{"1700000000", "2023-11-14 22:13:20+00"},
		{"1700000000.25", "2023-11-14 22:13:20+00"},
		{"2023-11-14T22:13:20Z", "2023-11-14 22:13:20+00:00"},
		{"2023-11-14T22:13:20.5-08:00", "2023-11-14 22:13:20.5-08:00"},
		{"2023-11-14 22:13:20+0530", "2023-11-14 22:13:20+05:30"},
		{"2023-11-14", "2023-11-14 00:00:00+00:00"},
		{"2024-02-29T23:59:59Z", "2024-02-29 23:59:59+00:00"},
		{"1900-02-28", "1900-02-28 00:00:00+00:00"},
		{"Tue Nov 14 22:13:20 2023", "2023-11-14 22:13:20+00:00"}};
	static const char *const none[] = {"",
									   "yesterday",
									   "12",
									   "1e300",
									   "2023-13-01",
									   "2024-02-30",
									   "2023-02-29T10:00:00Z",
									   "1900-02-29",
									   "Fri Jun 31 22:13:20 2023",
									   "2023-11-14T22:13:20+99:00",
									   "2023-11-14 junk"};
	char out[64];
	(void) state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
	{
		assert_true(ph_parse_time(times[i][0], out, sizeof(out)));
		assert_string_equal(out, times[i][1]);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(ph_parse_time(none[i], out, sizeof(out)));
}

static void
knows_json_numbers(void **state)
{
	static const char *const good[] = {"0", "-1", "10", "0.5", "1e5", "1.5E-7", "-0.0"};
	static const char *const bad[] = {"", "-", "01", "+1", ".5", "1.", "1e", "0x1", "NaN", "1 "};
	(void) state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(ph_is_json_number(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(ph_is_json_number(bad[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(promotes_by_precedence),
		cmocka_unit_test(keeps_numbers_as_numbers),
		cmocka_unit_test(reads_times),
		cmocka_unit_test(knows_json_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
