/*
 * test_module_map.c - rules that name modules: order, fields, separators, errors, faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "supergraph/supergraph.h"
#include "support/fault_env.h"

static PhEnv env;
static PhArena arena;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static void
test_first_match_wins(void **state)
{
	PhModuleMap *map;
	(void) state;
	must(ph_module_map_parse(&arena,
							 "# comment\n\n^MPI_\tmpi\r\n/solver/[^/]*\\.c$\tsolver\n"
							 "  libm[.-] = math library  \na=b=c\n.\tother",
							 &map));
	assert_string_equal(ph_module_map_apply(map, "MPI_Send", NULL, NULL), "mpi");
	assert_string_equal(ph_module_map_apply(map, "f", "src/solver/x.c", NULL), "solver");
	assert_string_equal(ph_module_map_apply(map, "f", "src/solver/d/x.c", NULL), "other");
	assert_string_equal(ph_module_map_apply(map, "sin", "", "/lib/libm.so.6"), "math library");
	assert_string_equal(ph_module_map_apply(map, "xa=bx", NULL, NULL), "c");
	assert_null(ph_module_map_apply(map, "", NULL, ""));
}

static void
test_empty_map(void **state)
{
	PhModuleMap *map;
	(void) state;
	must(ph_module_map_parse(&arena, "\n# nothing\n", &map));
	assert_null(ph_module_map_apply(map, "main", "main.c", "app"));
}

static void
assert_refused(const char *text, PhStatus status, const char *message)
{
	PhModuleMap *map = NULL;
	assert_int_equal(ph_module_map_parse(&arena, text, &map), status);
	assert_null(map);
	assert_non_null(strstr(env.error.message, message));
}

static void
test_errors(void **state)
{
	(void) state;
	assert_refused("a\tb\nnothing here\n", PH_ERR_VALUE,
				   "module map line 2: no tab and no \"=\" between pattern and module");
	assert_refused("a =\n", PH_ERR_VALUE, "module map line 1: the module is empty");
	assert_refused("=b\n", PH_ERR_VALUE, "module map line 1: the pattern is empty");
	assert_refused("\n\n(a\tb", PH_ERR_VALUE, "module map line 3: ");
	assert_refused("(a)\\1\tb", PH_ERR_UNSUPPORTED, "module map line 1: ");
	assert_refused("((a{200}){200}){200}\tb", PH_ERR_LIMIT, "module map line 1: ");
}

static PhStatus
work(PhEnv *faulty, void *user)
{
	PhArena own;
	PhModuleMap *map;
	ph_arena_init(&own, faulty);
	PhStatus status = ph_module_map_parse(&own, user, &map);
	if (status == PH_OK && ph_module_map_apply(map, "abbbc", NULL, NULL) == NULL)
		status = PH_ERR_INTERNAL;
	ph_arena_drop(&own);
	return status;
}

static void
test_faults(void **state)
{
	static char text[90000];
	(void) state;
	for (size_t i = 0; i + 10 < sizeof(text); i += 9)
		memcpy(text + i, "x{3}z\tmm\n", 10);
	memcpy(text, "ab+c\tmmm\n", 9);
	assert_string_equal(fault_env_try_allocations(work, text, 40), "");
	assert_string_equal(fault_env_try_interrupts(work, text, 0), "");
}

static int
set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	return 0;
}

static int
tear_down(void **state)
{
	(void) state;
	ph_arena_drop(&arena);
	return env.bytes == 0 ? 0 : 1;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_match_wins),
		cmocka_unit_test(test_empty_map),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
