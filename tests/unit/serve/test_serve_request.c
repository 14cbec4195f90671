/*
 * test_serve_request.c - targets of requests: what is understood, what is refused.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serve/request.h"

static void
expect(const char *text, PhTargetStatus status)
{
	PhTarget target;
	const char *why = NULL;

	assert_int_equal(ph_target_parse(text, &target, &why), status);
	assert_int_equal(why != NULL, status != PH_TARGET_OK);
	assert_non_null(target.path);
	ph_target_free(&target);
}

static void
test_path_and_parameters(void **unused)
{
	PhTarget target;
	const char *why;

	(void) unused;
	assert_int_equal(
		ph_target_parse("/view/a%20b+c.svg?run=1&name=a+b%26c&&flag&x=%C3%A4=", &target, &why),
		PH_TARGET_OK);
	assert_string_equal(target.path, "/view/a b+c.svg");
	assert_int_equal(target.n_parameters, 4);
	assert_string_equal(ph_target_value(&target, "run"), "1");
	assert_string_equal(ph_target_value(&target, "name"), "a b&c");
	assert_string_equal(ph_target_value(&target, "flag"), "");
	assert_string_equal(ph_target_value(&target, "x"), "\xc3\xa4=");
	assert_null(ph_target_value(&target, "ru"));
	ph_target_free(&target);
}

static void
test_what_is_refused(void **unused)
{
	(void) unused;
	expect("", PH_TARGET_MALFORMED);
	expect("*", PH_TARGET_MALFORMED);
	expect("http://elsewhere/", PH_TARGET_MALFORMED);
	expect("/%", PH_TARGET_MALFORMED);
	expect("/%4", PH_TARGET_MALFORMED);
	expect("/%zz", PH_TARGET_MALFORMED);
	expect("/a%00b", PH_TARGET_MALFORMED);
	expect("/a%0ab", PH_TARGET_MALFORMED);
	expect("/a%7f", PH_TARGET_MALFORMED);
	expect("/%c3", PH_TARGET_MALFORMED);
	expect("/%c0%af", PH_TARGET_MALFORMED); /* "/" in too many bytes */
	expect("/\xff", PH_TARGET_MALFORMED);
	expect("/?a=%00", PH_TARGET_MALFORMED);
	expect("/?a=%ff", PH_TARGET_MALFORMED);
	expect("/?%ed%a0%80=1", PH_TARGET_MALFORMED); /* half a surrogate pair */
	expect("/?a=%0a", PH_TARGET_OK);			  /* a name may have a newline */
	expect("/", PH_TARGET_OK);
	expect("/?", PH_TARGET_OK);
	expect("/?=&&=", PH_TARGET_OK);
}

static void
test_length_and_number(void **unused)
{
	char *text = malloc(1000001);

	(void) unused;
	memset(text, 'a', 1000000);
	text[0] = '/';
	text[1000000] = '\0';
	expect(text, PH_TARGET_TOO_LONG);
	text[PH_TARGET_MOST_BYTES + 1] = '\0';
	expect(text, PH_TARGET_TOO_LONG);
	text[PH_TARGET_MOST_BYTES] = '\0';
	expect(text, PH_TARGET_OK);
	text[1] = '?';
	for (size_t i = 0; i < PH_TARGET_MOST_PARAMETERS; i++)
		memcpy(text + 2 + 2 * i, "a&", 3);
	expect(text, PH_TARGET_OK);
	memcpy(text + 2 + 2 * PH_TARGET_MOST_PARAMETERS, "a", 2);
	expect(text, PH_TARGET_MALFORMED);
	free(text);
}

static void
expect_without(const char *text, const char *expected)
{
	char *rest = ph_target_without(text, "token");

	assert_string_equal(rest, expected);
	free(rest);
}

static void
test_without_the_token(void **unused)
{
	(void) unused;
	expect_without("/", "/");
	expect_without("/?token=secret", "/");
	expect_without("/run/1?a=%26&token=secret&b=2", "/run/1?a=%26&b=2");
	expect_without("/?%74oken=secret&token=other&x", "/?x");
	expect_without("/?tokens=1&xtoken=2", "/?tokens=1&xtoken=2");
	expect_without("/?&&token&", "/");
}

/* Decoding undoes an encoding of any bytes that may stand in a value. */
static void
test_round_trip(void **unused)
{
	uint32_t state = 1;

	(void) unused;
	for (int round = 0; round < 3000; round++)
	{
		char value[40];
		char text[160] = "/?v=";
		size_t length = 4;
		size_t n;
		PhTarget target;
		const char *why;

		state = state * 1664525 + 1013904223;
		n = state >> 8 & 31;
		for (size_t i = 0; i < n; i++)
		{
			state = state * 1664525 + 1013904223;
			value[i] = (char) (1 + (state >> 16) % 127);
			if (state & 1 || strchr("%&+=?", value[i]) != NULL || value[i] <= ' ')
				length += (size_t) snprintf(text + length, 4, "%%%02x", (unsigned) value[i]);
			else
				text[length++] = value[i];
		}
		value[n] = text[length] = '\0';
		assert_int_equal(ph_target_parse(text, &target, &why), PH_TARGET_OK);
		assert_string_equal(ph_target_value(&target, "v"), value);
		ph_target_free(&target);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path_and_parameters), cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_length_and_number),	cmocka_unit_test(test_without_the_token),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
