/*
 * test_serve_api.c - parameters of named queries, and their rows and errors as JSON and pictures.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serve/api.h"
#include "serve/row_json.h"

static const PhApiQuery query = {
	.name = "test",
	.parameters = "run! limit=7 filter search after from order:runs group-by icicle"};

/* Which parameter is refused; "" when none is. The message is checked to name it. */
static const char *
refused(const char *text, PhApiValues *values, PhTarget *target)
{
	static char name[64];
	PhProblem problem = {.parameter = ""};
	const char *why;
	bool ok;

	assert_int_equal(ph_target_parse(text, target, &why), PH_TARGET_OK);
	ok = ph_api_values(&query, target, values, &problem);
	if (!ok)
		assert_non_null(strstr(problem.message, problem.parameter));
	snprintf(name, sizeof(name), "%s", ok ? "" : problem.parameter);
	return name;
}

static void
expect_refused(const char *text, const char *parameter)
{
	PhApiValues values;
	PhTarget target;

	assert_string_equal(refused(text, &values, &target), parameter);
	ph_target_free(&target);
}

static void
test_good_values(void **unused)
{
	PhApiValues values;
	PhTarget target;

	(void) unused;
	assert_string_equal(refused("/?run=9000000000000000000&filter=1e-3&search=a%27b&icicle=1"
								"&after=3&from=5ms&order=-total&group_by=paradigm",
								&values, &target),
						"");
	assert_string_equal(ph_values_text(&values.values, "run"), "9000000000000000000");
	assert_string_equal(ph_values_text(&values.values, "limit"), "7");
	assert_true(ph_values_number(&values.values, "filter") == 1e-3);
	assert_string_equal(ph_values_text(&values.values, "search"), "a'b");
	assert_true(ph_values_flag(&values.values, "icicle"));
	assert_string_equal(ph_values_text(&values.values, "order"), "-total");
	assert_string_equal(ph_values_text(&values.values, "group-by"), "paradigm");
	ph_target_free(&target);
	/* empty is absent, of several the last counts */
	assert_string_equal(refused("/?run=1&limit=&search=&after=1&after=2", &values, &target), "");
	assert_string_equal(ph_values_text(&values.values, "limit"), "7");
	assert_null(ph_values_text(&values.values, "search"));
	assert_string_equal(ph_values_text(&values.values, "after"), "2");
	ph_target_free(&target);
}

static void
test_bad_values(void **unused)
{
	(void) unused;
	expect_refused("/", "run");
	expect_refused("/?run=", "run");
	expect_refused("/?run=-1", "run");
	expect_refused("/?run=x", "run");
	expect_refused("/?run=1x", "run");
	expect_refused("/?run=+1", "run");
	expect_refused("/?run=%201", "run");
	expect_refused("/?run=0x10", "run");
	expect_refused("/?run=9300000000000000000", "run");
	expect_refused("/?run=1;drop", "run");
	expect_refused("/?run=1&limit=0", "limit");
	expect_refused("/?run=1&limit=10001", "limit");
	expect_refused("/?run=1&limit=1.5", "limit");
	expect_refused("/?run=1&limit=99999999999999999999", "limit");
	expect_refused("/?run=1&filter=2", "filter");
	expect_refused("/?run=1&filter=nan", "filter");
	expect_refused("/?run=1&filter=inf", "filter");
	expect_refused("/?run=1&filter=0x1", "filter");
	expect_refused("/?run=1&filter=1e999", "filter");
	expect_refused("/?run=1&icicle=maybe", "icicle");
	expect_refused("/?run=1&from=1parsec", "from");
	expect_refused("/?run=1&order=tot", "order");
	expect_refused("/?run=1&group_by=module%20function", "group_by");
	expect_refused("/?run=1&group_by=%20", "group_by");
	expect_refused("/?run=1&nothing=1", "nothing");
	expect_refused("/?run=1&group-by=module", "group-by");
}

/* Every query's parameters are declared (else the table aborts), and so is what its SQL names. */
static void
test_the_table(void **unused)
{
	(void) unused;
	for (const PhApiQuery *one = ph_api_queries; one->name != NULL; one++)
	{
		PhParameterSet set;

		ph_parameters_choose(one->parameters, &set);
		for (const char *const *name = one->query->names; *name != NULL; name++)
		{
			const PhParameter *parameter = set.items;
			char option[64];

			snprintf(option, sizeof(option), "%s", *name);
			for (char *p = option; *p != '\0'; p++)
				*p = *p == '_' ? '-' : *p;
			while (parameter->name != NULL && strcmp(parameter->name, option) != 0)
				parameter++;
			if (parameter->name == NULL)
				fail_msg("%s: takes no %s", one->name, *name);
		}
	}
}

/* The pages' menus: every view with its parameters, none of them a name of a file. */
static void
test_parameters_as_json(void **unused)
{
	PhAnswer answer = {.kind = PH_ANSWER_DATA};
	json_object *all;
	json_object *views;
	json_object *sankey;
	bool found = false;

	(void) unused;
	ph_api_parameters(false, true, &answer);
	assert_int_equal(answer.status, 200);
	assert_null(memmem(answer.body, answer.size, "save_rows", 9));
	all = json_tokener_parse(answer.body);
	assert_true(json_object_object_get_ex(all, "views", &views));
	assert_true(json_object_object_get_ex(views, "sankey", &sankey));
	assert_string_equal(json_object_get_string(json_object_object_get(sankey, "place")), "graph");
	sankey = json_object_object_get(sankey, "parameters");
	for (size_t i = 0; i < json_object_array_length(sankey); i++)
	{
		json_object *parameter = json_object_array_get_idx(sankey, i);
		json_object *name = json_object_object_get(parameter, "name");
		json_object *choices = json_object_object_get(parameter, "choices");

		if (strcmp(json_object_get_string(name), "group_by") != 0)
			continue;
		found = true;
		assert_non_null(strstr(json_object_get_string(choices), "\"paradigm\""));
		assert_string_equal(json_object_get_string(json_object_object_get(parameter, "default")),
							"module");
		assert_string_equal(json_object_get_string(json_object_object_get(parameter, "web")),
							"shown");
	}
	assert_true(found);
	json_object_put(all);
	ph_answer_free(&answer);
}

/* Sections in the order of their rows; one may be there without any. */
static void
test_rows_as_json(void **unused)
{
	PhRowJson rows;
	PhAnswer answer = {.kind = PH_ANSWER_DATA};

	(void) unused;
	assert_true(ph_row_json_begin(&rows));
	ph_row_json_section(&rows, "rows");
	ph_row_json_add(&rows, "rows", "{\"a\":1}");
	ph_row_json_add(&rows, "rows", "{\"a\":\"<&>\"}");
	ph_row_json_section(&rows, "none");
	ph_row_json_add(&rows, "total", "{\"runs\":2}");
	ph_answer_stream(&answer, "application/json", &rows.stream, ph_row_json_end(&rows));
	assert_int_equal(answer.status, 200);
	assert_string_equal(
		answer.body, "{\"rows\":[\n{\"a\":1},\n{\"a\":\"\\u003c\\u0026\\u003e\"}\n],\"none\":[\n],"
					 "\"total\":[\n{\"runs\":2}\n]}\n");
	ph_answer_free(&answer);
	/* rows of sections that come mixed, as several processes of the database make them */
	assert_true(ph_row_json_begin(&rows));
	ph_row_json_section(&rows, "rows");
	ph_row_json_add(&rows, "waits", "{\"n\":\"<1>\"}");
	ph_row_json_add(&rows, "rows", "{\"a\":1}");
	ph_row_json_add(&rows, "total", "{\"runs\":2}");
	ph_row_json_add(&rows, "waits", "{\"n\":2}");
	ph_row_json_add(&rows, "rows", "{\"a\":2}");
	assert_true(ph_row_json_bytes(&rows) > 60);
	ph_answer_stream(&answer, "application/json", &rows.stream, ph_row_json_end(&rows));
	assert_string_equal(
		answer.body,
		"{\"rows\":[\n{\"a\":1},\n{\"a\":2}\n],\"waits\":[\n{\"n\":\"\\u003c1\\u003e\"},\n"
		"{\"n\":2}\n],\"total\":[\n{\"runs\":2}\n]}\n");
	ph_answer_free(&answer);
	/* what failed is no answer */
	assert_true(ph_row_json_begin(&rows));
	ph_answer_stream(&answer, "application/json", &rows.stream, false);
	assert_int_equal(answer.status, 503);
	assert_non_null(strstr(answer.body, "out of memory"));
	ph_answer_free(&answer);
}

/* An error's text must not end the form it is put into. */
static void
test_errors_are_text(void **unused)
{
	static const char attack[] = "</text></h1><script>alert(1)</script>\"'&\xff\x01";
	PhAnswer answers[4] = {{.kind = PH_ANSWER_DATA},
						   {.kind = PH_ANSWER_PAGE},
						   {.kind = PH_ANSWER_VIEW, .type = "image/svg+xml; charset=utf-8"},
						   {.kind = PH_ANSWER_VIEW, .type = "image/png"}};

	(void) unused;
	for (size_t i = 0; i < 4; i++)
	{
		ph_answer_error(&answers[i], 404, attack, attack, attack);
		assert_int_equal(answers[i].status, 404);
		if (i == 3)
			assert_string_equal(answers[i].type, "text/plain; charset=utf-8");
		else if (i > 0)
			assert_null(memmem(answers[i].body, answers[i].size, "<script>alert", 13));
		else
		{
			json_object *parsed = json_tokener_parse(answers[i].body);

			assert_non_null(parsed);
			json_object_put(parsed);
		}
		ph_answer_free(&answers[i]);
	}
}

static int
status_for(PhExit code, const char *sqlstate)
{
	PhAnswer answer = {.kind = PH_ANSWER_DATA};
	int status;

	ph_api_fail(&answer, code, sqlstate, "why", NULL);
	status = answer.status;
	assert_int_equal(answer.retry_after > 0, status == 503);
	ph_answer_free(&answer);
	return status;
}

static void
test_status_of_errors(void **unused)
{
	(void) unused;
	assert_int_equal(status_for(PH_EXIT_NOT_FOUND, "PH002"), 404);
	assert_int_equal(status_for(PH_EXIT_UNSUPPORTED, "PH003"), 422);
	assert_int_equal(status_for(PH_EXIT_ERROR, "22023"), 422);
	assert_int_equal(status_for(PH_EXIT_ERROR, "57014"), 504);
	assert_int_equal(status_for(PH_EXIT_INTERRUPTED, "57014"), 503);
	assert_int_equal(status_for(PH_EXIT_UNREACHABLE, ""), 503);
	assert_int_equal(status_for(PH_EXIT_UNREACHABLE, "57P01"), 503);
	assert_int_equal(status_for(PH_EXIT_MEMORY, "53200"), 503);
	assert_int_equal(status_for(PH_EXIT_PERMISSION, "42501"), 500);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_values),		   cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_rows_as_json),	   cmocka_unit_test(test_errors_are_text),
		cmocka_unit_test(test_status_of_errors),   cmocka_unit_test(test_the_table),
		cmocka_unit_test(test_parameters_as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
