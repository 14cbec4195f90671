/*
 * test_arena_must.c - pictures that run out of memory: the next one is drawn all the same.
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

#include "drawing/arena_must.h"
#include "request/rows.h"

typedef struct Work
{
	PhEnv env;
	PhArena arena;
	size_t limit;
	uint32_t n_rows;
} Work;

/* Rows, texts and arrays: whatever holds something while the arena grows. */
static void
read_rows(void *user)
{
	Work *work = user;
	PhViewRows rows;
	char text[64];
	uint32_t n;

	ph_rows_init(&rows, &work->arena);
	rows.keep_objects = true;
	for (int i = 0; i < 200; i++)
	{
		snprintf(text, sizeof(text), "{\"a\": %d, \"list\": [1, 2, %d], \"t\": \"x\"}", i, i);
		assert_true(ph_rows_add(&rows, i % 2 ? "odd" : "even", text));
	}
	(void) ph_table_numbers(&work->arena, ph_rows_table(&rows, "odd"), 3, "list", &n);
	(void) ph_table_texts(&work->arena, ph_rows_table(&rows, "odd"), 3, "list", &n);
	(void) ph_need_format(&work->arena, "%0500d", 7);
	work->n_rows = ph_rows_count(ph_rows_table(&rows, "even"));
}

static bool
run(Work *work, size_t limit, char *message, size_t size)
{
	bool ok;

	*work = (Work){.limit = limit};
	ph_env_init_malloc(&work->env);
	work->env.byte_limit = limit;
	ph_arena_init(&work->arena, &work->env);
	ok = ph_need_guarded(read_rows, work, message, size);
	ph_arena_drop(&work->arena);
	return ok;
}

/* At every limit from nothing to enough; the sanitizer sees that nothing leaks. */
static void
test_every_limit(void **unused)
{
	char message[80];
	Work work;
	size_t failed = 0;
	size_t limit = 16;

	(void) unused;
	for (; !run(&work, limit, message, sizeof(message)); limit += limit / 16 + 1)
	{
		failed++;
		assert_int_equal(work.n_rows, 0);
		assert_true(strlen(message) > 0);
	}
	assert_true(failed > 20);
	assert_int_equal(work.n_rows, 100);
}

static int n_released;

static void
release(void *object)
{
	n_released += *(int *) object;
}

static void
hold_and_fail(void *user)
{
	static int one = 1;
	static int ten = 10;

	ph_need_hold(&one, release);
	ph_need_hold(&ten, release);
	ph_need_let_go();
	assert_int_equal(n_released, 10);
	(void) ph_need(user, SIZE_MAX / 2, 4);
}

static void
test_what_is_held_is_released_once(void **unused)
{
	PhEnv env;
	PhArena arena;
	char message[80];

	(void) unused;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	n_released = 0;
	assert_false(ph_need_guarded(hold_and_fail, &arena, message, sizeof(message)));
	assert_int_equal(n_released, 11);
	ph_arena_drop(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_limit),
		cmocka_unit_test(test_what_is_held_is_released_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
