/*
 * test_sql_variables.c - variables are found where psql finds them, and nowhere else.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/sql_variables.h"
#include "support/fault_env.h"

typedef struct Case
{
	const char *text, *numbered, *names; /* names: with a comma behind each */
} Case;

static const Case cases[] = {
	{"SELECT :run", "SELECT $1", "run,"},
	{"SELECT :run::bigint + :'run' ; \n;", "SELECT $1::bigint + $1", "run,"},
	{"SELECT a::text, b := :x", "SELECT a::text, b := $1", "x,"},
	{"SELECT ':no', \":no\", 'it''s :no', :yes", "SELECT ':no', \":no\", 'it''s :no', $1", "yes,"},
	{"SELECT E'\\':no', e'a''\\':no', :a", "SELECT E'\\':no', e'a''\\':no', $1", "a,"},
	{"SELECT type'\\', :a", "SELECT type'\\', $1", "a,"},
	{"SELECT 1 -- :no\n, :a", "SELECT 1 -- :no\n, $1", "a,"},
	{"SELECT /* :no /* :no */ :no */ :a", "SELECT /* :no /* :no */ :no */ $1", "a,"},
	{"SELECT $$:no$$, $x$ $$:no $x$, :a", "SELECT $$:no$$, $x$ $$:no $x$, $1", "a,"},
	{"SELECT a$x$, :b, c$x$", "SELECT a$x$, $1, c$x$", "b,"},
	{"SELECT x[1:2], x[:a], x[n:m], :b", "SELECT x[1:2], x[$1], x[n:m], $2", "a,b,"},
	{"SELECT :a, :b, :a", "SELECT $1, $2, $1", "a,b,"},
	{"SELECT :'a'1", "SELECT $1 1", "a,"},
	{"SELECT ': :a", "SELECT ': :a", ""},
	{"SELECT /* :a", "SELECT /* :a", ""},
	{"SELECT $q$ :a", "SELECT $q$ :a", ""},
	{"SELECT E'\\", "SELECT E'\\", ""},
	{"", "", ""},
	{" ;; ", "", ""}};

static void
assert_numbered(const char *text, const char *numbered, const char *names)
{
	PhEnv env;
	PhArena arena;
	PhSqlNumbered got;
	char list[1024] = "";

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_sql_number(&arena, text, &got), PH_OK);
	assert_string_equal(got.sql, numbered);
	for (uint32_t i = 0; i < got.n; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s,", got.names[i]);
	assert_string_equal(list, names);
	ph_arena_drop(&arena);
}

static void
variables_are_found_where_psql_finds_them(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_numbered(cases[i].text, cases[i].numbered, cases[i].names);
}

static uint32_t
next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Texts of fragments that are whole in themselves: variables are those that were put in. */
static void
whole_fragments_hide_nothing(void **state)
{
	static const char *const others[] = {"'a :x ''b'",	  "\":x\"\"y\"",	"$$ :x '$$",
										 "$t$ :x $$ $t$", "-- :x 'y\n",		"/* :x ' /* \" */ */",
										 "::text",		  "E'\\' :x \\\\'", "[1 : 2]",
										 "a$b$ ",		  "'\\'",			" + "};
	uint32_t seed = 7;
	(void) state;

	for (int round = 0; round < 2000; round++)
	{
		char text[1024] = "", numbered[1024] = "", names[64] = "";
		bool seen[3] = {false};
		int number[3] = {0}, n = 0;

		for (uint32_t i = 1 + next(&seed) % 12; i > 0; i--)
		{
			uint32_t name = next(&seed) % 3;
			bool is_variable = next(&seed) % 2 == 0;
			const char *other = others[next(&seed) % (sizeof(others) / sizeof(others[0]))];

			if (is_variable && !seen[name])
			{
				seen[name] = true;
				number[name] = ++n;
				snprintf(names + strlen(names), 8, "v%u,", name);
			}
			if (is_variable)
			{
				snprintf(text + strlen(text), 16, next(&seed) % 2 ? " :v%u " : " :'v%u' ", name);
				snprintf(numbered + strlen(numbered), 16, " $%d ", number[name]);
			}
			else
			{
				snprintf(text + strlen(text), 64, " %s ", other);
				snprintf(numbered + strlen(numbered), 64, " %s ", other);
			}
		}
		/* what ends in blanks is shortened */
		for (size_t i = strlen(numbered); i > 0 && strchr(" \n", numbered[i - 1]) != NULL; i--)
			numbered[i - 1] = '\0';
		assert_numbered(text, numbered, names);
	}
}

static PhStatus
status_of(const char *text, const char *words)
{
	PhEnv env;
	PhArena arena;
	PhSqlNumbered got;
	PhStatus status;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	status = ph_sql_number(&arena, text, &got);
	assert_non_null(strstr(env.error.message, words));
	ph_arena_drop(&arena);
	return status;
}

static void
what_no_value_can_be_is_refused(void **state)
{
	static char text[PH_SQL_MOST_BYTES + 2];
	char many[PH_SQL_MOST_VARIABLES * 16] = "";
	(void) state;

	assert_int_equal(status_of("SELECT * FROM :\"t\"", "stands for a name"), PH_ERR_VALUE);
	assert_int_equal(status_of("SELECT $1", "$1"), PH_ERR_VALUE);
	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(status_of(text, "longer than 64 kB"), PH_ERR_LIMIT);
	for (int i = 0; i <= PH_SQL_MOST_VARIABLES; i++)
		snprintf(many + strlen(many), 16, " :v%d", i);
	assert_int_equal(status_of(many, "more than 32 variables"), PH_ERR_LIMIT);
}

static PhStatus
number_some(PhEnv *env, void *user)
{
	PhArena arena;
	PhSqlNumbered got;
	PhStatus status;

	(void) user;
	ph_arena_init(&arena, env);
	status = ph_sql_number(&arena, "SELECT :a, :b, ':c'", &got);
	ph_arena_drop(&arena);
	return status;
}

static void
failing_memory_leaves_an_error(void **state)
{
	(void) state;
	assert_string_equal(fault_env_try_allocations(number_some, NULL, 100), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(variables_are_found_where_psql_finds_them),
									   cmocka_unit_test(whole_fragments_hide_nothing),
									   cmocka_unit_test(what_no_value_can_be_is_refused),
									   cmocka_unit_test(failing_memory_leaves_an_error)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
