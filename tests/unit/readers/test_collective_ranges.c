/*
 * test_collective_ranges.c - what calls and annotations around a launch tell: random ones beside a
 * list that is looked through, groups by hand.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "readers/spans/collective_ranges.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_PROGRAMS rounds(2000)
#define MOST 12
#define LATEST 20

static RandomNumbers numbers;

/* ---- random ones ---- */

typedef struct Program
{
	PhCollectiveRange given[MOST];
	uint32_t n;
} Program;

static void
make_program(Program *program)
{
	static const PhDeviceOperation operations[] = {PH_DEVICE_UNTOLD, PH_DEVICE_SEND,
												   PH_DEVICE_SEND_RECV, PH_DEVICE_ALL_TO_ALL,
												   PH_DEVICE_ALL_REDUCE};
	program->n = numbers_below(&numbers, MOST + 1);
	for (uint32_t i = 0; i < program->n; i++)
	{
		int64_t start = numbers_below(&numbers, LATEST);
		program->given[i] = (PhCollectiveRange){.start = start,
												.end = start + numbers_below(&numbers, LATEST),
												.track = numbers_below(&numbers, 2),
												.bytes = numbers_below(&numbers, 3),
												.communicator = numbers_below(&numbers, 3) & 3,
												.operation = operations[numbers_below(&numbers, 5)],
												.kind = numbers_below(&numbers, 2) & 1};
	}
}

static PhStatus
make_ranges(PhEnv *env, const Program *program, PhArena *arena, PhCollectiveRanges *out)
{
	*out = (PhCollectiveRanges){0};
	ph_arena_init(arena, env);
	for (uint32_t i = 0; i < program->n; i++)
		PH_TRY(ph_collective_ranges_add(arena, out, &program->given[i]));
	return ph_collective_ranges_sort(arena, out);
}

/* Of two ranges that contain a moment. */
static bool
is_within(const PhCollectiveRange *a, const PhCollectiveRange *b)
{
	return a->start != b->start ? a->start > b->start : a->end < b->end;
}

/* How much an operation counts, as the header says it. */
static int
slow_weight(const PhCollectiveRange *range)
{
	if (range->operation == PH_DEVICE_UNTOLD)
		return 0;
	if (range->operation == PH_DEVICE_SEND || range->operation == PH_DEVICE_SEND_RECV)
		return 1;
	return range->kind == PH_RANGE_TOLD ? 3 : 2;
}

/* False: two ranges have the same place, either may be the outer one. */
static bool
slow_find(const Program *program, uint32_t track, int64_t time, PhCollectiveRange *out)
{
	const PhCollectiveRange *communicator = NULL, *bytes = NULL, *operation = NULL;
	*out = (PhCollectiveRange){0};
	for (uint32_t i = 0; i < program->n; i++)
	{
		const PhCollectiveRange *range = &program->given[i];
		if (range->track != track || range->start > time || range->end < time)
			continue;
		for (uint32_t j = 0; j < i; j++)
			if (program->given[j].track == track && program->given[j].start == range->start &&
				program->given[j].end == range->end)
				return false;
		if (range->communicator > 0 && (communicator == NULL || is_within(range, communicator)))
			communicator = range;
		if (range->bytes > 0 && (bytes == NULL || is_within(range, bytes)))
			bytes = range;
		if (slow_weight(range) > 0 &&
			(operation == NULL || slow_weight(range) > slow_weight(operation) ||
			 (slow_weight(range) == slow_weight(operation) && is_within(operation, range))))
			operation = range;
	}
	out->communicator = communicator == NULL ? 0 : communicator->communicator;
	out->bytes = bytes == NULL ? 0 : bytes->bytes;
	out->operation = operation == NULL ? 0 : operation->operation;
	return true;
}

static void
test_random(void **state)
{
	PhEnv env;
	PhArena arena;
	PhCollectiveRanges ranges;
	Program program;
	uint64_t n_told = 0;
	(void) state;
	ph_env_init_malloc(&env);
	for (uint32_t i = 0; i < N_PROGRAMS; i++)
	{
		numbers = (RandomNumbers){i};
		make_program(&program);
		assert_int_equal(make_ranges(&env, &program, &arena, &ranges), PH_OK);
		for (uint32_t j = 0; j < 2 * LATEST * 3; j++)
		{
			PhCollectiveRange expected, found;
			found = ph_collective_ranges_find(&ranges, j % 3, j / 3 - 1);
			if (!slow_find(&program, j % 3, j / 3 - 1, &expected))
				continue;
			assert_int_equal(found.communicator, expected.communicator);
			assert_int_equal(found.bytes, expected.bytes);
			assert_int_equal(found.operation, expected.operation);
			n_told += expected.operation > 0;
		}
		ph_arena_drop(&arena);
	}
	assert_true(n_told > N_PROGRAMS);
}

/* ---- by hand ---- */

typedef struct Call
{
	const char *name;
	int64_t start, end;
	uint32_t communicator, kind;
} Call;

/* What is launched within the last call. */
static PhCollectiveRange
tell_last(const Call *calls, uint32_t n)
{
	PhEnv env;
	PhArena arena;
	PhCollectiveRanges ranges = {0};
	PhCollectiveRange found;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(ph_collective_ranges_add_named(
							 &arena, &ranges, calls[i].name,
							 &(PhCollectiveRange){.start = calls[i].start,
												  .end = calls[i].end,
												  .communicator = calls[i].communicator & 7,
												  .kind = calls[i].kind & 3}),
						 PH_OK);
	assert_int_equal(ph_collective_ranges_sort(&arena, &ranges), PH_OK);
	found = ph_collective_ranges_find(&ranges, 0, calls[n - 1].start);
	ph_arena_drop(&arena);
	return found;
}

static void
test_groups(void **state)
{
	static const Call reductions[] = {{"ncclAllReduce", 0, 1, 1, PH_RANGE_TOLD},
									  {"ncclGroupStart", 2, 3, 0, 0},
									  {"ncclBroadcast", 4, 5, 2, PH_RANGE_TOLD},
									  {"ncclBroadcast", 6, 7, 2, PH_RANGE_TOLD},
									  {"ncclGroupEnd", 8, 9, 0, 0}};
	static const Call exchange[] = {{"ncclGroupStart", 2, 3, 0, 0},
									{"ncclSend", 4, 5, 2, PH_RANGE_TOLD},
									{"ncclRecv", 6, 7, 2, PH_RANGE_TOLD},
									{"ncclGroupEnd", 8, 9, 0, 0}};
	static const Call mixed[] = {{"ncclGroupStart", 2, 3, 0, 0},
								 {"ncclAllGather", 4, 5, 2, PH_RANGE_TOLD},
								 {"ncclAllReduce", 6, 7, 3, PH_RANGE_TOLD},
								 {"ncclGroupEnd", 8, 9, 0, 0}};
	static const Call annotated[] = {{"nccl:all_to_all", 0, 20, 0, PH_RANGE_NAMED},
									 {"ncclSend", 4, 5, 2, PH_RANGE_TOLD},
									 {"ncclGroupEnd", 8, 9, 0, 0}};
	static const Call unstarted[] = {{"ncclAllReduce", 0, 1, 1, PH_RANGE_TOLD},
									 {"ncclAllGather", 4, 5, 2, PH_RANGE_TOLD},
									 {"ncclGroupEnd", 8, 9, 0, 0}};
	PhCollectiveRange found;
	(void) state;
	found = tell_last(reductions, 5);
	assert_int_equal(found.operation, PH_DEVICE_BROADCAST);
	assert_int_equal(found.communicator, 2);
	assert_int_equal(tell_last(reductions, 1).operation, PH_DEVICE_ALL_REDUCE);
	assert_int_equal(tell_last(exchange, 4).operation, PH_DEVICE_SEND_RECV);
	found = tell_last(mixed, 4);
	assert_int_equal(found.operation, PH_DEVICE_COALESCED);
	assert_int_equal(found.communicator, 3);
	found = tell_last(annotated, 3);
	assert_int_equal(found.operation, PH_DEVICE_ALL_TO_ALL);
	assert_int_equal(found.communicator, 2);
	assert_int_equal(tell_last(unstarted, 3).operation, PH_DEVICE_ALL_GATHER);
}

static PhStatus
run_all(PhEnv *env, void *input)
{
	PhArena arena;
	PhCollectiveRanges ranges;
	PhStatus status = make_ranges(env, input, &arena, &ranges);
	ph_arena_drop(&arena);
	return status;
}

static void
test_failing_allocations(void **state)
{
	Program program;
	(void) state;
	numbers = (RandomNumbers){7};
	do
		make_program(&program);
	while (program.n < MOST);
	assert_string_equal(fault_env_try_allocations(run_all, &program, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_failing_allocations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
