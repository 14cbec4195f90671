/*
 * test_serve_guard.c - which hosts, origins and tokens are let in.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/guard.h"

static void
test_hosts(void **unused)
{
	static const char *const names[] = {"perf.example"};
	static const char *const good[] = {
		"localhost", "localhost:8080", "LocalHost:1",		"127.0.0.1:8080",	 "[::1]:8080",
		"[::1]",	 "192.0.2.7",	   "[2001:db8::1]:443", "perf.example:8443", "PERF.example"};
	static const char *const bad[] = {"",
									  "evil.example",
									  "localhost.evil.example",
									  "localhost:80:80",
									  "localhost:x",
									  "[::1",
									  "[::1]x",
									  "[]",
									  "127.0.0.1.evil.example",
									  "perf.example.",
									  "perf.exampl",
									  ":8080",
									  "perf.example@evil.example"};

	(void) unused;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(ph_guard_host(good[i], names, 1));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(ph_guard_host(bad[i], names, 1));
	assert_false(ph_guard_host(NULL, names, 1));
	assert_false(ph_guard_host("perf.example", NULL, 0));
}

static bool
lets_in(const char *origin, const char *site, const char *mode, const char *dest, bool picture)
{
	PhGuardHeaders headers = {.host = "localhost:8080",
							  .origin = origin,
							  .fetch_site = site,
							  .fetch_mode = mode,
							  .fetch_dest = dest};

	return ph_guard_origin(&headers, picture);
}

static void
test_origins(void **unused)
{
	(void) unused;
	assert_true(lets_in(NULL, NULL, NULL, NULL, false)); /* a program */
	assert_true(lets_in("http://localhost:8080", "same-origin", "cors", "empty", false));
	assert_true(lets_in(NULL, "none", "navigate", "document", false));		 /* the address bar */
	assert_true(lets_in(NULL, "cross-site", "navigate", "document", false)); /* a link */
	assert_false(lets_in(NULL, "cross-site", "navigate", "iframe", false));
	assert_false(lets_in(NULL, "cross-site", "no-cors", "script", false));
	assert_false(lets_in(NULL, "same-site", "cors", "empty", false));
	assert_false(lets_in("http://evil.example", NULL, NULL, NULL, false));
	assert_false(lets_in("http://localhost:8081", NULL, NULL, NULL, false));
	assert_false(lets_in("null", NULL, NULL, NULL, false));
	assert_false(lets_in("http://evil.example", "cross-site", "cors", "empty", true));
	assert_true(lets_in(NULL, "cross-site", "no-cors", "image", true));
	assert_false(lets_in(NULL, "cross-site", "no-cors", "image", false));
	assert_false(lets_in(NULL, "cross-site", "no-cors", "script", true));
}

static bool
knows(const char *authorization, const char *cookie, const char *given)
{
	PhGuardHeaders headers = {.authorization = authorization, .cookie = cookie};

	return ph_guard_token(&headers, given, "0123456789abcdef");
}

static void
test_tokens(void **unused)
{
	(void) unused;
	assert_true(knows("Bearer 0123456789abcdef", NULL, NULL));
	assert_true(knows("bearer 0123456789abcdef", NULL, NULL));
	assert_true(knows(NULL, "0123456789abcdef", NULL));
	assert_true(knows(NULL, NULL, "0123456789abcdef"));
	assert_true(knows("Bearer wrong", "0123456789abcdef", NULL));
	assert_false(knows(NULL, NULL, NULL));
	assert_false(knows("Bearer ", "", ""));
	assert_false(knows("Bearer 0123456789abcde", NULL, NULL));
	assert_false(knows("Bearer 0123456789abcdef0", NULL, NULL));
	assert_false(knows("Basic 0123456789abcdef", NULL, NULL));
	assert_false(knows(NULL, "0123456789abcdeg", "1123456789abcdef"));
}

static void
test_what_others_reach(void **unused)
{
	(void) unused;
	assert_false(ph_guard_is_remote("127.0.0.1"));
	assert_false(ph_guard_is_remote("127.3.2.1"));
	assert_false(ph_guard_is_remote("::1"));
	assert_true(ph_guard_is_remote("0.0.0.0"));
	assert_true(ph_guard_is_remote("::"));
	assert_true(ph_guard_is_remote("128.0.0.1"));
	assert_true(ph_guard_is_remote("::ffff:127.0.0.1"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_what_others_reach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
