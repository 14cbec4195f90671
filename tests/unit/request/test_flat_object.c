/*
 * test_flat_object.c - rows of plain values are read as json-c reads them, others are left to it.
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
#include <json-c/json.h>

#include "request/flat_object.h"

#define MOST 16

static void
plain_objects_are_read(void **state)
{
	PhFlatPair pairs[MOST];
	size_t n;

	(void) state;
	assert_true(ph_flat_object(" {\"a\" : -1.5e-3,\"b\":\"x \xc3\xa4\", \"\":null,\"t\":true } \n",
							   pairs, MOST, &n));
	assert_int_equal(n, 4);
	assert_int_equal(pairs[0].key_length, 1);
	assert_memory_equal(pairs[0].value, "-1.5e-3", pairs[0].length);
	assert_int_equal(pairs[1].length, 4);
	assert_int_equal(pairs[2].key_length, 0);
	assert_null(pairs[2].value);
	assert_memory_equal(pairs[3].value, "true", pairs[3].length);
}

static void
others_are_left(void **state)
{
	static const char *const texts[] = {"",
										"{",
										"{}",
										"[1]",
										"1",
										"{\"a\":1",
										"{\"a\":1,}",
										"{\"a\":1}x",
										"{\"a\":[1]}",
										"{\"a\":{}}",
										"{\"a\":\"\\n\"}",
										"{\"a\":\"\n\"}",
										"{\"a\":\"x}",
										"{\"a\":01}",
										"{\"a\":1.}",
										"{\"a\":.5}",
										"{\"a\":1e}",
										"{\"a\":-}",
										"{\"a\":nul}",
										"{\"a\":NaN}",
										"{\"a\" 1}",
										"{a:1}",
										"{\"a\":tru"};
	PhFlatPair pairs[MOST];
	size_t n;

	(void) state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(ph_flat_object(texts[i], pairs, MOST, &n));
	assert_false(ph_flat_object("{\"a\":1,\"b\":2}", pairs, 1, &n));
}

/* Whatever is read is what json-c has under that key. */
static void
check_against_json_c(const char *text)
{
	PhFlatPair pairs[MOST];
	json_object *object;
	size_t n;

	if (!ph_flat_object(text, pairs, MOST, &n))
		return;
	object = json_tokener_parse(text);
	assert_true(json_object_is_type(object, json_type_object));
	for (size_t i = 0; i < n; i++)
	{
		char *key = strndup(pairs[i].key, pairs[i].key_length);
		char *value = pairs[i].value ? strndup(pairs[i].value, pairs[i].length) : NULL;
		json_object *found = NULL;

		assert_true(json_object_object_get_ex(object, key, &found));
		for (size_t k = i + 1; k < n; k++) /* of equal keys the last counts */
			if (pairs[k].key_length == pairs[i].key_length &&
				memcmp(pairs[k].key, key, pairs[i].key_length) == 0)
				found = NULL;
		if (found != NULL && json_object_is_type(found, json_type_int))
			assert_true(strtod(value, NULL) == (double) json_object_get_int64(found));
		else if (found != NULL)
			assert_string_equal(value, json_object_get_string(found));
		free(key);
		free(value);
	}
	json_object_put(object);
}

static void
random_objects_are_read_as_json_c_does(void **state)
{
	static const char *const parts[] = {
		"{", "}",	 "\"",	 "a", "b", ":",	 ",",		"1",	   "0",		"-",   ".",	 "e", "+",
		" ", "null", "true", "[", "]", "\\", "{\"a\":", ",\"b\":", "\"x\"", "1.5", "-0", "}", "12"};
	char text[256];

	(void) state;
	srand(41);
	for (int round = 0; round < 200000; round++)
	{
		strcpy(text, rand() % 4 ? "{\"a\":" : "");
		for (int i = rand() % 10; i > 0; i--)
			strcat(text, parts[(size_t) rand() % (sizeof(parts) / sizeof(parts[0]))]);
		if (rand() % 2)
			strcat(text, "}");
		check_against_json_c(text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_objects_are_read),
		cmocka_unit_test(others_are_left),
		cmocka_unit_test(random_objects_are_read_as_json_c_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
