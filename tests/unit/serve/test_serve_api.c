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
#include "serve/json_text.h"

static const PhApiQuery query = {
	"test",
	NULL,
	NULL,
	{{.name = "run", .type = PH_API_BIGINT, .required = true, .least = 1, .most = 9e18},
	 {.name = "n", .type = PH_API_INT, .fallback = "7", .least = -5, .most = 10},
	 {.name = "share", .type = PH_API_FLOAT, .least = 0, .most = 1},
	 {.name = "text", .type = PH_API_TEXT},
	 {.name = "flag", .type = PH_API_BOOL},
	 {.name = "names", .type = PH_API_TEXTS},
	 {.name = "runs", .type = PH_API_BIGINTS, .least = 1, .most = 9e18},
	 {.name = "by", .type = PH_API_CHOICE, .choices = "module function"}}};

/* Which parameter is refused; "" when none is. The message and the hint are checked to be there. */
static const char *
refused(const char *text, PhApiValues *values)
{
	static char name[64];
	PhTarget target;
	const char *parameter = "";
	const char *why;
	char *message = NULL;
	char *hint = NULL;
	bool ok;

	assert_int_equal(ph_target_parse(text, &target, &why), PH_TARGET_OK);
	ok = ph_api_values(&query, &target, values, &parameter, &message, &hint);
	assert_int_equal(ok, message == NULL);
	if (!ok)
		assert_non_null(strstr(message, parameter));
	snprintf(name, sizeof(name), "%s", ok ? "" : parameter);
	free(message);
	free(hint);
	ph_target_free(&target);
	return name;
}

static void
expect_refused(const char *text, const char *parameter)
{
	PhApiValues values;

	assert_string_equal(refused(text, &values), parameter);
	ph_api_values_free(&values);
}

static void
test_good_values(void **unused)
{
	PhApiValues values;

	(void) unused;
	assert_string_equal(
		refused("/?run=9000000000000000000&share=1e-3&text=a%27b&flag=1&names=a,b%22"
				"&runs=1&runs=2&by=module",
				&values),
		"");
	assert_int_equal(values.n, 8);
	assert_string_equal(values.texts[0], "9000000000000000000");
	assert_string_equal(values.texts[1], "7");
	assert_string_equal(values.texts[2], "1e-3");
	assert_string_equal(values.texts[3], "a'b");
	assert_string_equal(values.texts[4], "1");
	assert_string_equal(values.texts[5], "{\"a\",\"b\\\"\"}");
	assert_string_equal(values.texts[6], "{\"1\",\"2\"}");
	assert_string_equal(values.texts[7], "module");
	ph_api_values_free(&values);
	/* empty is absent, repeated lists keep their commas */
	assert_string_equal(refused("/?run=1&n=&text=&names=a,b&names=c", &values), "");
	assert_string_equal(values.texts[1], "7");
	assert_null(values.texts[3]);
	assert_string_equal(values.texts[5], "{\"a,b\",\"c\"}");
	ph_api_values_free(&values);
}

static void
test_bad_values(void **unused)
{
	(void) unused;
	expect_refused("/", "run");
	expect_refused("/?run=", "run");
	expect_refused("/?run=0", "run");
	expect_refused("/?run=x", "run");
	expect_refused("/?run=1x", "run");
	expect_refused("/?run=+1", "run");
	expect_refused("/?run=0x10", "run");
	expect_refused("/?run=9300000000000000000", "run");
	expect_refused("/?run=1;drop", "run");
	expect_refused("/?run=1&n=11", "n");
	expect_refused("/?run=1&n=1.5", "n");
	expect_refused("/?run=1&n=99999999999", "n");
	expect_refused("/?run=1&share=2", "share");
	expect_refused("/?run=1&share=nan", "share");
	expect_refused("/?run=1&share=inf", "share");
	expect_refused("/?run=1&share=0x1", "share");
	expect_refused("/?run=1&share=1e999", "share");
	expect_refused("/?run=1&flag=maybe", "flag");
	expect_refused("/?run=1&runs=1,x", "runs");
	expect_refused("/?run=1&runs=1,,2", "runs");
	expect_refused("/?run=1&by=mod", "by");
	expect_refused("/?run=1&by=module%20function", "by");
	expect_refused("/?run=1&by=%20", "by");
	expect_refused("/?run=1&nothing=1", "nothing");
}

/* A value as JSON, parsed again. */
static char *
written(unsigned type, const char *text)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&bytes, &size);
	json_object *parsed;

	ph_json_write_value(file, type, text);
	fclose(file);
	parsed = json_tokener_parse(bytes);
	assert_true(parsed != NULL || strcmp(bytes, "null") == 0);
	json_object_put(parsed);
	return bytes;
}

static void
test_json_of_types(void **unused)
{
	static const struct
	{
		unsigned type;
		const char *text, *json;
	} cases[] = {
		{23, "-5", "-5"},
		{20, NULL, "null"},
		{701, "1.5e-300", "1.5e-300"},
		{701, "NaN", "null"},
		{701, "-Infinity", "null"},
		{1700, "12.50", "12.50"},
		{16, "t", "true"},
		{16, "f", "false"},
		{25, "a\"b\\c\n\x01", "\"a\\\"b\\\\c\\n\\u0001\""},
		{25, "</script><!--&", "\"\\u003c/script\\u003e\\u003c!--\\u0026\""},
		{25, "\xe2\x80\xa8\xff", "\"\\u2028\\ufffd\""},
		{25, "\xc3\xa4", "\"\xc3\xa4\""},
		{114, "{\"a\": [1]}", "{\"a\": [1]}"},
		{1184, "2026-01-02 03:04:05.25+00", "\"2026-01-02T03:04:05.25Z\""},
		{1184, "infinity", "\"infinity\""},
		{1007, "{1,NULL,3}", "[1,null,3]"},
		{1022, "{1.5,NaN}", "[1.5,null]"},
		{1000, "{t,f}", "[true,false]"},
		{1009, "{a,\"b,\\\"c\",NULL,\"NULL\",\"\"}", "[\"a\",\"b,\\\"c\",null,\"NULL\",\"\"]"},
		{1009, "{}", "[]"},
		{1007, "{{1,2},{3,4}}", "\"{{1,2},{3,4}}\""},
		{1186, "1 day", "\"1 day\""},
	};

	(void) unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char *json = written(cases[i].type, cases[i].text);

		assert_string_equal(json, cases[i].json);
		free(json);
	}
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
			assert_null(memmem(answers[i].body, answers[i].size, "<script", 7));
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
	assert_int_equal(status_for(PH_EXIT_UNSUPPORTED, "PH003"), 400);
	assert_int_equal(status_for(PH_EXIT_ERROR, "22023"), 400);
	assert_int_equal(status_for(PH_EXIT_ERROR, "57014"), 504);
	assert_int_equal(status_for(PH_EXIT_INTERRUPTED, "57014"), 503);
	assert_int_equal(status_for(PH_EXIT_UNREACHABLE, ""), 503);
	assert_int_equal(status_for(PH_EXIT_UNREACHABLE, "57P01"), 503);
	assert_int_equal(status_for(PH_EXIT_MEMORY, "53200"), 413);
	assert_int_equal(status_for(PH_EXIT_PERMISSION, "42501"), 500);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_values),		 cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_json_of_types),	 cmocka_unit_test(test_errors_are_text),
		cmocka_unit_test(test_status_of_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
