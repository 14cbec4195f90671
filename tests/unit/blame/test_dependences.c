/*
 * test_dependences.c - collectives of devices and the critical path through streams, on simulated
 * programs of which it is known what everything waited for: no ns of the path is idle; on times
 * that are out of order it still tiles the run; faults.
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

#include "base/min_max.h"
#include "blame/critical_path.h"
#include "blame/dependences.h"
#include "blame/host_waits.h"
#include "support/device_program.h"
#include "support/fault_env.h"
#include "support/rounds.h"

#define N_PROGRAMS rounds(4000)

/* ---- what is found of them ---- */

typedef struct Found
{
	PhDeviceCollectives collectives;
	PhPathLeg *legs;
	uint32_t n_legs;
	PhWaitStates waits;
	int64_t first, last;
} Found;

static PhStatus
skeleton_of(DeviceProgram *program, PhSkeleton **out, Found *found)
{
	PH_TRY(ph_skeleton_new(program->env, &device_model, out));
	found->last = 0;
	for (uint32_t i = 0; i < DEVICE_LOCATIONS; i++)
	{
		PhCommLocation *location = &(*out)->locations[i];
		location->first_time = 0;
		location->last_time = i < DEVICE_RANKS ? program->host[i] : program->free_at[i];
		found->last = PH_MAX(found->last, location->last_time);
	}
	return PH_OK;
}

static PhStatus
find_path(DeviceProgram *program, PhArena *arena, Found *found)
{
	static const PhPathOptions options = {0};
	PhSkeleton *skeleton;
	PhCriticalPath *path = NULL;
	PhStatus status = skeleton_of(program, &skeleton, found);
	if (status != PH_OK)
		return status;
	status = ph_critical_path_new(program->env, skeleton, &found->waits, &options, &path);
	if (status == PH_OK)
		status = ph_critical_path_legs(path, arena, &found->legs, &found->n_legs);
	ph_critical_path_free(path);
	ph_skeleton_free(skeleton);
	return status;
}

static PhStatus
find_all(DeviceProgram *program, PhArena *arena, Found *found)
{
	PhDevices devices;
	uint32_t *first;
	PhWaitStates none = {.n_locations = DEVICE_LOCATIONS};
	PH_TRY(PH_NEW(arena, DEVICE_LOCATIONS + 1, &first));
	none.first = first;
	PH_TRY(ph_devices_find(arena, &device_model, &devices));
	PH_TRY(ph_device_collectives_find(arena, &program->activities, device_kinds, &device_model,
									  &found->collectives));
	PhDeviceWork all = {.model = &device_model,
						.devices = &devices,
						.kinds = device_kinds,
						.activities = &program->activities,
						.launches = &program->launches,
						.calls = program->calls,
						.syncs = &program->syncs,
						.collectives = &found->collectives,
						.near = 5};
	PH_TRY(ph_device_dependences(arena, &all, &none, &found->waits));
	return find_path(program, arena, found);
}

/* ---- what is right ---- */

static void
check_collectives(const DeviceProgram *program, const PhDeviceCollectives *found)
{
	const PhDeviceActivity *list = program->activities.list.items;
	assert_int_equal(found->n_unmatched, 0);
	assert_int_equal(found->n_members, found->n_instances * DEVICE_RANKS);
	for (uint32_t i = 0; i < found->n_instances; i++)
	{
		const PhDeviceInstance *instance = &found->instances[i];
		int64_t last = INT64_MIN;
		assert_int_equal(instance->n, DEVICE_RANKS);
		assert_int_equal(instance->step, i);
		for (uint32_t m = instance->first; m < instance->first + instance->n; m++)
			last = PH_MAX(last, list[found->members[m].activity].start);
		assert_int_equal(list[found->members[instance->last].activity].start, last);
		for (uint32_t m = instance->first; m < instance->first + instance->n; m++)
		{
			uint32_t activity = found->members[m].activity;
			assert_int_equal(program->instances.items[activity], i);
			assert_int_equal(found->members[m].instance, i);
			assert_int_equal(found->members[m].wait, last - list[activity].start);
		}
	}
}

static void
check_tiles(const Found *found)
{
	int64_t at = found->first;
	assert_true(found->n_legs > 0);
	for (uint32_t i = 0; i < found->n_legs; i++)
	{
		assert_int_equal(found->legs[i].from, at);
		assert_true(found->legs[i].to >= at);
		at = found->legs[i].to;
	}
	assert_int_equal(at, found->last);
}

/* Does a location work in the ns from t on, so that nothing else could have made the run shorter?
 */
static bool
stream_works(const DeviceProgram *program, const PhDeviceCollectives *found, uint32_t location,
			 int64_t t)
{
	for (uint32_t i = 0; i < program->activities.list.count; i++)
	{
		const PhDeviceActivity *activity = &program->activities.list.items[i];
		if (activity->location != location || t < activity->start || t >= activity->end)
			continue;
		for (uint32_t m = 0; m < found->n_members; m++)
			if (found->members[m].activity == i)
				return t >= activity->start + found->members[m].wait;
		return true;
	}
	return false;
}

static bool
host_works(const DeviceProgram *program, uint32_t rank, int64_t t)
{
	for (uint32_t i = 0; i < program->syncs.list.count; i++)
	{
		const PhHostCall *call = &program->syncs.list.items[i];
		if (call->location == rank && t >= call->enter && t < call->leave)
			return false;
	}
	for (uint32_t i = 0; i < program->activities.list.count; i++)
		if (program->made.items[i].location == rank &&
			program->activities.list.items[i].region == PH_ACTIVITY_COPY &&
			t >= program->called.items[i].enter && t < program->called.items[i].leave)
			return false;
	return true;
}

static void
check_never_idle(const DeviceProgram *program, const Found *found)
{
	for (uint32_t i = 0; i < found->n_legs; i++)
		for (int64_t t = found->legs[i].from; t < found->legs[i].to; t++)
		{
			uint32_t at = found->legs[i].location;
			assert_true(at < DEVICE_RANKS ? host_works(program, at, t)
										  : stream_works(program, &found->collectives, at, t));
		}
}

/* Is a ns one of a wait of this kind, or of any other? */
static bool
waits_at(const PhWaitStates *waits, uint32_t location, int64_t t, bool for_device)
{
	for (uint32_t i = waits->first[location]; i < waits->first[location + 1]; i++)
	{
		const PhWait *wait = &waits->waits[i];
		if (wait->from <= t && t < wait->to && for_device == (wait->kind == PH_WAIT_DEVICE))
			return true;
	}
	return false;
}

/* Threads wait for devices when a dependence says so, and each ns counts once. */
static uint32_t
check_host_waits(PhArena *arena, const PhWaitStates *all)
{
	const PhWait *waits;
	uint32_t n;
	assert_int_equal(ph_device_host_waits(arena, all, &waits, &n), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhWait *wait = &waits[i];
		bool is_next = i > 0 && waits[i - 1].victim == wait->victim;
		assert_true(wait->kind == PH_WAIT_DEVICE && wait->victim < DEVICE_RANKS);
		assert_true(wait->awaited >= DEVICE_RANKS && wait->awaited_region < DEVICE_CALL);
		int64_t from = is_next ? waits[i - 1].to : wait->from - 30;
		assert_true(from <= wait->from && wait->from < wait->to);
		for (int64_t t = from; t < wait->to; t++)
			assert_int_equal(t >= wait->from, waits_at(all, wait->victim, t, true) &&
												  !waits_at(all, wait->victim, t, false));
		bool is_last = i + 1 == n || waits[i + 1].victim != wait->victim;
		for (int64_t t = wait->to; is_last && t < wait->to + 1000; t++)
			assert_false(waits_at(all, wait->victim, t, true));
	}
	return n;
}

static void
test_programs(void **state)
{
	uint32_t n_waits = 0;
	(void) state;
	device_numbers.state = 17;
	device_make_model();
	for (uint32_t p = 0; p < N_PROGRAMS; p++)
	{
		PhEnv env;
		PhArena arena;
		Found found = {0};
		DeviceProgram program = {.env = &env};
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		assert_int_equal(device_run(&program, &arena), PH_OK);
		assert_int_equal(find_all(&program, &arena, &found), PH_OK);
		check_collectives(&program, &found.collectives);
		check_tiles(&found);
		check_never_idle(&program, &found);
		n_waits += check_host_waits(&arena, &found.waits);
		device_free(&program);
		ph_arena_drop(&arena);
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_waits > N_PROGRAMS);
}

/* ---- times that no program has ---- */

static void
spoil(DeviceProgram *program)
{
	for (uint32_t i = 0; i < program->activities.list.count; i++)
	{
		PhDeviceActivity *activity = &program->activities.list.items[i];
		if (numbers_below(&device_numbers, 3) == 0)
			activity->start -= numbers_below(&device_numbers, 20);
		if (numbers_below(&device_numbers, 3) == 0)
			activity->end += numbers_below(&device_numbers, 20);
		activity->end = PH_MAX(activity->start, activity->end);
		if (numbers_below(&device_numbers, 5) == 0)
			activity->launch = PH_NONE;
	}
}

/* Each wait is one of somebody, for somebody, and is over when it says. */
static void
check_waits(const PhWaitStates *waits)
{
	for (uint32_t i = 0; i < waits->n; i++)
	{
		const PhWait *wait = &waits->waits[i];
		assert_true(wait->from <= wait->to);
		assert_true(wait->victim < DEVICE_LOCATIONS && wait->awaited < DEVICE_LOCATIONS);
		assert_true(i >= waits->first[wait->victim] && i < waits->first[wait->victim + 1]);
		assert_true(i == waits->first[wait->victim] || waits->waits[i - 1].to <= wait->to);
	}
}

/* Ranks once in each instance, whose members all overlap in time. */
static void
check_overlap(const DeviceProgram *program, const PhDeviceCollectives *found)
{
	const PhDeviceActivity *list = program->activities.list.items;
	for (uint32_t i = 0; i < found->n_instances; i++)
	{
		const PhDeviceInstance *instance = &found->instances[i];
		int64_t last = list[found->members[instance->last].activity].start;
		uint32_t seen = 0;
		assert_true(instance->n >= 2);
		for (uint32_t m = instance->first; m < instance->first + instance->n; m++)
		{
			const PhDeviceActivity *member = &list[found->members[m].activity];
			uint32_t bit = 1u << device_model.locations[member->location].rank;
			assert_true(member->start <= last && last < member->end && (seen & bit) == 0);
			seen |= bit;
		}
	}
}

static void
test_wrong_times(void **state)
{
	(void) state;
	device_numbers.state = 23;
	device_make_model();
	for (uint32_t p = 0; p < N_PROGRAMS; p++)
	{
		PhEnv env;
		PhArena arena;
		Found found = {0};
		DeviceProgram program = {.env = &env};
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		assert_int_equal(device_run(&program, &arena), PH_OK);
		spoil(&program);
		assert_int_equal(find_all(&program, &arena, &found), PH_OK);
		check_overlap(&program, &found.collectives);
		check_waits(&found.waits);
		check_host_waits(&arena, &found.waits);
		check_tiles(&found);
		device_free(&program);
		ph_arena_drop(&arena);
	}
}

/* ---- faults, names ---- */

static PhStatus
try_program(PhEnv *env, void *user)
{
	(void) user;
	PhArena arena;
	Found found;
	DeviceProgram program = {.env = env};
	device_numbers.state = 3;
	ph_arena_init(&arena, env);
	PhStatus status = device_run(&program, &arena);
	if (status == PH_OK)
		status = find_all(&program, &arena, &found);
	device_free(&program);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	device_make_model();
	assert_string_equal(fault_env_try_allocations(try_program, NULL, 0), "");
}

static void
test_names(void **state)
{
	(void) state;
	static const char *const yes[] = {"cudaStreamSynchronize", "cuCtxSynchronize",
									  "hipDeviceSynchronize", "cudaEventSynchronize"};
	static const char *const no[] = {"cudaEventQuery",	 "cuda",
									 "Synchronize",		 "myDeviceSynchronize",
									 "cudaLaunchKernel", "StreamSynchronize"};
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(ph_call_synchronises(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(ph_call_synchronises(no[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_wrong_times),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
