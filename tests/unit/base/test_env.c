/*
 * test_env.c - allocation with sizes, budget and interrupts; arenas; status names.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "support/fault_env.h"

static void
memory_is_zeroed_and_counted(void **state)
{
	(void) state;
	PhEnv env;
	void *memory;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_env_alloc(&env, 10, 8, &memory), PH_OK);
	for (int i = 0; i < 80; i++)
		assert_int_equal(((char *) memory)[i], 0);
	assert_int_equal(env.bytes, 80);
	assert_int_equal(ph_env_resize(&env, &memory, 10, 20, 8), PH_OK);
	assert_int_equal(env.bytes, 160);
	assert_int_equal(ph_env_resize(&env, &memory, 20, 5, 8), PH_OK);
	assert_int_equal(env.bytes, 40);
	ph_env_free(&env, memory, 5, 8);
	ph_env_free(&env, NULL, 5, 8);
	assert_int_equal(env.bytes, 0);
}

static void
sizes_that_overflow_are_refused(void **state)
{
	(void) state;
	PhEnv env;
	PhArena arena;
	void *memory = NULL;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_env_alloc(&env, SIZE_MAX / 2, 8, &memory), PH_ERR_LIMIT);
	assert_int_equal(ph_arena_alloc(&arena, SIZE_MAX / 2, 8, &memory), PH_ERR_LIMIT);
	assert_int_equal(ph_arena_alloc(&arena, SIZE_MAX - 8, 1, &memory), PH_ERR_LIMIT);
	assert_null(memory);
	assert_int_equal(env.error.status, PH_ERR_LIMIT);
	ph_arena_drop(&arena);
}

static void
budget_is_kept(void **state)
{
	(void) state;
	PhEnv env;
	void *memory, *more = NULL;
	ph_env_init_malloc(&env);
	env.byte_limit = 1000;
	assert_int_equal(ph_env_alloc(&env, 900, 1, &memory), PH_OK);
	assert_int_equal(ph_env_alloc(&env, 101, 1, &more), PH_ERR_LIMIT);
	assert_null(more);
	assert_true(env.error.hint[0] != '\0');
	assert_int_equal(ph_env_alloc(&env, 100, 1, &more), PH_OK);
	ph_env_free(&env, memory, 900, 1);
	ph_env_free(&env, more, 100, 1);
	assert_int_equal(env.bytes, 0);
}

static void
refusal_is_reported(void **state)
{
	(void) state;
	FaultEnv fault;
	void *memory = NULL;
	fault_env_init(&fault);
	fault.fail_at = 1;
	assert_int_equal(ph_env_alloc(&fault.env, 8, 1, &memory), PH_ERR_MEMORY);
	assert_non_null(strstr(fault.env.error.message, "out of memory"));
	assert_null(memory);
	fault_env_drop(&fault);
}

static void
interrupts_are_asked_for_now_and_then(void **state)
{
	(void) state;
	FaultEnv fault;
	PhStatus status = PH_OK;
	uint32_t polls = 0;
	fault_env_init(&fault);
	fault.stop_at = 2;
	while (status == PH_OK)
	{
		status = ph_env_poll(&fault.env);
		polls++;
	}
	assert_int_equal(status, PH_ERR_INTERRUPTED);
	assert_int_equal(polls, 2 * 4096);
	fault_env_drop(&fault);
}

static void
errors_are_bounded(void **state)
{
	(void) state;
	PhEnv env;
	char text[2000];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ph_env_init_malloc(&env);
	assert_int_equal(ph_fail_hint(&env, PH_ERR_VALUE, text, "%s", text), PH_ERR_VALUE);
	assert_int_equal(strlen(env.error.message), PH_ERROR_MAX - 1);
	assert_int_equal(strlen(env.error.hint), PH_ERROR_MAX - 1);
	assert_int_equal(ph_fail(&env, PH_ERR_FORMAT, "short"), PH_ERR_FORMAT);
	assert_string_equal(env.error.message, "short");
	assert_string_equal(env.error.hint, "");
}

static void
arenas_align_zero_and_keep_apart(void **state)
{
	(void) state;
	PhEnv env;
	PhArena arena;
	unsigned char *pieces[400];
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (size_t i = 0; i < 400; i++)
	{
		size_t size = i * i % 997 * (i % 50 == 0 ? 1000 : 1);
		assert_int_equal(PH_NEW(&arena, size, &pieces[i]), PH_OK);
		assert_int_equal((uintptr_t) pieces[i] % 16, 0);
		for (size_t k = 0; k < size; k++)
			assert_int_equal(pieces[i][k], 0);
		memset(pieces[i], (int) i, size);
	}
	for (size_t i = 0; i < 400; i++)
	{
		size_t size = i * i % 997 * (i % 50 == 0 ? 1000 : 1);
		for (size_t k = 0; k < size; k++)
			assert_int_equal(pieces[i][k], i % 256);
	}
	assert_int_equal(ph_arena_bytes(&arena), env.bytes);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

static void
arenas_guard_what_is_behind(void **state)
{
	(void) state;
	PhEnv env;
	PhArena arena;
	char *piece;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (size_t size = 0; size < 3000; size += 1 + size / 7)
	{
		assert_int_equal(ph_arena_alloc(&arena, size, 1, (void **) &piece), PH_OK);
		for (size_t i = 0; i < size; i++)
			assert_false(__asan_address_is_poisoned(piece + i));
		for (size_t i = size; i < size + 16; i++)
			assert_true(__asan_address_is_poisoned(piece + i));
	}
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}
#endif

static void
arenas_copy_strings_and_start_again(void **state)
{
	(void) state;
	PhEnv env;
	PhArena arena;
	char *text;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (int round = 0; round < 2; round++)
	{
		assert_int_equal(ph_arena_strndup(&arena, "function", 4, &text), PH_OK);
		assert_string_equal(text, "func");
		assert_int_equal(ph_arena_strndup(&arena, "", 0, &text), PH_OK);
		assert_string_equal(text, "");
		assert_int_equal(ph_arena_strndup(&arena, "", SIZE_MAX, &text), PH_ERR_LIMIT);
		ph_arena_drop(&arena);
		assert_int_equal(ph_arena_bytes(&arena), 0);
	}
}

static void
statuses_have_names(void **state)
{
	(void) state;
	assert_string_equal(ph_status_name(PH_OK), "PH_OK");
	assert_string_equal(ph_status_name(PH_ERR_INTERNAL), "PH_ERR_INTERNAL");
	assert_string_equal(ph_status_name((PhStatus) (PH_ERR_INTERNAL + 1)), "unknown status");
	assert_string_equal(ph_status_name((PhStatus) 99), "unknown status");
}

static void
texts_have_a_limit(void **state)
{
	char room[8] = "";
	PhEnv env;
	PhArena arena;
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	/* as if all but two bytes were there: what is refused is not written */
	PhStr text = {.arena = &arena, .text = room, .length = PH_STR_LIMIT - 2};
	text.capacity = text.length + 1;
	assert_int_equal(ph_str_append_n(&text, "abc", 3), PH_ERR_LIMIT);
	assert_int_equal(text.length, PH_STR_LIMIT - 2);
	assert_string_equal(room, "");
	ph_arena_drop(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_counted),
		cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(budget_is_kept),
		cmocka_unit_test(refusal_is_reported),
		cmocka_unit_test(interrupts_are_asked_for_now_and_then),
		cmocka_unit_test(errors_are_bounded),
		cmocka_unit_test(arenas_align_zero_and_keep_apart),
#ifdef __SANITIZE_ADDRESS__
		cmocka_unit_test(arenas_guard_what_is_behind),
#endif
		cmocka_unit_test(arenas_copy_strings_and_start_again),
		cmocka_unit_test(statuses_have_names),
		cmocka_unit_test(texts_have_a_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
