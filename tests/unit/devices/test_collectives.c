/*
 * test_collectives.c - collective operations of devices: random kernels of two communicators, told
 * operations and names, against a literal search; who is last, steps, faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/min_max.h"
#include "devices/collectives.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"
#include "trace/chunk/device_records.h"

#define N_PROGRAMS rounds(3000)
#define N_RANKS 3
#define MOST 30
#define LATEST 40

static RandomNumbers numbers;
static PhTraceLocation locations[N_RANKS];
static const PhActivityKind kinds[] = {PH_ACTIVITY_COMMUNICATION, PH_ACTIVITY_COMMUNICATION,
									   PH_ACTIVITY_COMPUTE};
static PhTraceModel model = {.n_locations = N_RANKS, .locations = locations, .n_ranks = N_RANKS};

typedef struct Kernels
{
	PhDeviceActivity list[MOST];
	uint32_t n;
	uint32_t instance[MOST]; /* as the slow search has it: the first of its members; PH_NONE */
} Kernels;

static void
make_kernels(Kernels *out)
{
	static const PhDeviceOperation operations[] = {
		PH_DEVICE_UNTOLD, PH_DEVICE_UNTOLD, PH_DEVICE_SEND, PH_DEVICE_RECV, PH_DEVICE_ALL_REDUCE};
	out->n = numbers_below(&numbers, MOST + 1);
	for (uint32_t i = 0; i < out->n; i++)
	{
		int64_t start = numbers_below(&numbers, LATEST);
		out->list[i] =
			(PhDeviceActivity){.location = numbers_below(&numbers, N_RANKS),
							   .region = numbers_below(&numbers, 3),
							   .communicator = numbers_below(&numbers, 2) == 0 ? PH_NONE : 4,
							   .operation = operations[numbers_below(&numbers, 5)],
							   .start = start,
							   .end = start + 1 + numbers_below(&numbers, 9)};
	}
}

/* ---- the slow search ---- */

static bool
is_sent_or_received(const PhDeviceActivity *kernel)
{
	return kernel->operation == PH_DEVICE_SEND || kernel->operation == PH_DEVICE_RECV;
}

/* Told operations count, else names. */
static bool
are_alike(const PhDeviceActivity *x, const PhDeviceActivity *y)
{
	if (x->communicator != y->communicator)
		return false;
	if (x->operation == PH_DEVICE_UNTOLD || y->operation == PH_DEVICE_UNTOLD)
		return x->operation == y->operation && x->region == y->region;
	return x->operation == y->operation || (is_sent_or_received(x) && is_sent_or_received(y));
}

/* The next one behind `after` that is like `first`, by start and place; PH_NONE. */
static uint32_t
next_alike(const Kernels *kernels, uint32_t first, uint32_t after)
{
	const PhDeviceActivity *list = kernels->list;
	uint32_t best = PH_NONE;
	for (uint32_t i = 0; i < kernels->n; i++)
	{
		bool is_behind =
			list[i].start > list[after].start || (list[i].start == list[after].start && i > after);
		if (kinds[list[i].region] != PH_ACTIVITY_COMMUNICATION || !is_behind ||
			!are_alike(&list[i], &list[first]))
			continue;
		if (best == PH_NONE || list[i].start < list[best].start)
			best = i;
	}
	return best;
}

static void
take_instance(Kernels *kernels, uint32_t first)
{
	bool has_rank[N_RANKS] = {false};
	int64_t ends = INT64_MAX;
	uint32_t n = 0;
	for (uint32_t i = first; i != PH_NONE; i = next_alike(kernels, first, i))
	{
		const PhDeviceActivity *kernel = &kernels->list[i];
		if (has_rank[kernel->location] || kernel->start >= ends)
			break;
		has_rank[kernel->location] = true;
		ends = PH_MIN(ends, kernel->end);
		kernels->instance[i] = first;
		n++;
	}
	if (n == 1)
		kernels->instance[first] = PH_NONE - 1; /* of none, but looked at */
}

/* The earliest kernel that is not looked at yet. */
static uint32_t
first_left(const Kernels *kernels)
{
	uint32_t best = PH_NONE;
	for (uint32_t i = 0; i < kernels->n; i++)
		if (kinds[kernels->list[i].region] == PH_ACTIVITY_COMMUNICATION &&
			kernels->instance[i] == PH_NONE &&
			(best == PH_NONE || kernels->list[i].start < kernels->list[best].start))
			best = i;
	return best;
}

static void
search(Kernels *kernels)
{
	uint32_t first;
	for (uint32_t i = 0; i < kernels->n; i++)
		kernels->instance[i] = PH_NONE;
	while ((first = first_left(kernels)) != PH_NONE)
		take_instance(kernels, first);
}

/* ---- both ---- */

/* Members of one instance are of one of the slow search, with what follows of them. */
static void
check_instance(const Kernels *kernels, const PhDeviceCollectives *found, uint32_t at)
{
	const PhDeviceInstance *instance = &found->instances[at];
	const PhDeviceMember *members = found->members + instance->first;
	uint32_t last = found->members[instance->last].activity;
	for (uint32_t i = 0; i < instance->n; i++)
	{
		const PhDeviceActivity *kernel = &kernels->list[members[i].activity];
		assert_int_equal(members[i].instance, at);
		assert_int_equal(kernels->instance[members[i].activity],
						 kernels->instance[members[0].activity]);
		assert_int_equal(members[i].wait, kernels->list[last].start - kernel->start);
		assert_true(members[i].wait >= 0);
	}
	assert_true(kernels->instance[members[0].activity] < kernels->n);
}

static void
check(const Kernels *kernels, const PhDeviceCollectives *found)
{
	uint32_t n_members = 0, n_unmatched = 0;
	for (uint32_t i = 0; i < kernels->n; i++)
	{
		n_members += kernels->instance[i] < kernels->n;
		n_unmatched += kernels->instance[i] == PH_NONE - 1;
	}
	assert_int_equal(found->n_members, n_members);
	assert_int_equal(found->n_unmatched, n_unmatched);
	for (uint32_t i = 0; i < found->n_instances; i++)
		check_instance(kernels, found, i);
}

static PhStatus
find(PhEnv *env, void *user)
{
	Kernels *kernels = user;
	PhActivities activities = {.list = {.items = kernels->list, .count = kernels->n}};
	PhDeviceCollectives found;
	PhArena arena;
	ph_arena_init(&arena, env);
	PhStatus status = ph_device_collectives_find(&arena, &activities, kinds, &model, &found);
	if (status == PH_OK)
		check(kernels, &found);
	ph_arena_drop(&arena);
	return status;
}

static void
test_random(void **state)
{
	(void) state;
	for (int32_t i = 0; i < N_RANKS; i++)
		locations[i] = (PhTraceLocation){.rank = i, .kind = PH_COLUMN_STREAM};
	for (uint32_t i = 0; i < N_PROGRAMS; i++)
	{
		PhEnv env;
		Kernels kernels;
		numbers = (RandomNumbers){i};
		ph_env_init_malloc(&env);
		make_kernels(&kernels);
		search(&kernels);
		assert_int_equal(find(&env, &kernels), PH_OK);
		if (i < 5)
			assert_string_equal(fault_env_try_allocations(find, &kernels, 0), "");
	}
}

/* What a kernel does is what the source says, else what its name does. */
static void
test_operations(void **state)
{
	const PhTraceRegion region = {.name = "ncclKernel_SendRecv", .role = PH_ROLE_COLLECTIVE};
	const PhTraceRegion other = {.name = "exchange", .role = PH_ROLE_COLLECTIVE};
	const PhDeviceActivity told = {.operation = PH_DEVICE_ALL_TO_ALL}, untold = {0};
	(void) state;
	assert_int_equal(ph_device_activity_operation(&told, &region), PH_DEVICE_ALL_TO_ALL);
	assert_int_equal(ph_device_activity_operation(&untold, &region), PH_DEVICE_SEND_RECV);
	assert_int_equal(ph_device_activity_operation(&untold, &other), PH_DEVICE_UNTOLD);
	assert_int_equal(ph_activity_kind(&other), PH_ACTIVITY_COMMUNICATION);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_operations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
