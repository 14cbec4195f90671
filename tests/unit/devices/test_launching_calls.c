/*
 * test_launching_calls.c - the calls that launched activities, found in stored chunks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "devices/calls.h"
#include "support/random_trace.h"

static void
test_calls(void **state)
{
	(void) state;
	PhEnv env;
	PhLaunches launches = {0};
	PhLaunchingCall calls[3] = {{PH_NONE, 0, 0}, {PH_NONE, 0, 0}, {PH_NONE, 0, 0}};
	StoredChunks stored = {0};
	PhChunkWriter *writer;
	PhChunkReader *reader;
	ph_env_init_malloc(&env);
	/* 0: main, 1: launch from 10 to 20, 3: launch from 30, not left */
	assert_int_equal(ph_chunk_writer_new(&env, 0, 2, stored_chunks_add, &stored, &writer), PH_OK);
	assert_int_equal(ph_chunk_writer_enter(writer, 0, 2), PH_OK);
	assert_int_equal(ph_chunk_writer_enter(writer, 10, 1), PH_OK);
	assert_int_equal(ph_chunk_writer_leave(writer, 20, 1), PH_OK);
	assert_int_equal(ph_chunk_writer_enter(writer, 30, 3), PH_OK);
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	assert_int_equal(ph_launches_add(&env, &launches, 0, 3), PH_OK);
	assert_int_equal(ph_launches_add(&env, &launches, 0, 1), PH_OK);
	assert_int_equal(ph_launches_add(&env, &launches, 0, 1), PH_OK);
	assert_int_equal(ph_launches_add(&env, &launches, 2, 0), PH_OK);
	assert_int_equal(ph_launches_sort(&env, &launches), PH_OK);
	assert_int_equal(launches.calls.count, 3);
	assert_int_equal(ph_launches_find(&launches, 0, 2), PH_NONE);
	assert_int_equal(ph_launches_find(&launches, 2, 0), 2);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	for (uint32_t c = 0; c < stored.n_chunks; c++)
	{
		assert_int_equal(ph_chunk_reader_open(reader, &stored.chunks[c], PH_WANT_CALLS), PH_OK);
		ph_launching_calls_add_chunk(&launches, calls, &stored.chunks[c], reader);
	}
	assert_int_equal(calls[0].region, 1);
	assert_int_equal(calls[0].enter, 10);
	assert_int_equal(calls[0].leave, 20);
	assert_int_equal(calls[1].region, PH_NONE);
	assert_int_equal(calls[2].region, PH_NONE);
	ph_chunk_reader_free(reader);
	ph_launches_free(&env, &launches);
	stored_chunks_free(&stored);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
