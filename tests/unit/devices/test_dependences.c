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
#include "devices/dependences.h"
#include "devices/host_waits.h"
#include "support/fault_env.h"
#include "support/random_trace.h"
#include "trace/chunk/device_records.h"

#define N_PROGRAMS 4000
#define N_RANKS 3
/* Of a rank: two of device 0, the second of which communicates, and one of device 1. */
#define N_STREAMS 3
#define COMMUNICATES 1
#define N_LOCATIONS (N_RANKS * (1 + N_STREAMS))
#define LAUNCH_REGION 3

static RandomNumbers numbers;
static PhTraceLocation locations[N_LOCATIONS];
static PhTraceRegion regions[] = {{.name = "gemm", .role = PH_ROLE_KERNEL},
								  {.name = "ncclKernel_AllReduce", .role = PH_ROLE_KERNEL},
								  {.name = "memcpy HtoD", .role = PH_ROLE_COPY},
								  {.name = "cudaLaunchKernel", .role = "function"}};
static const PhActivityKind kinds[] = {PH_ACTIVITY_COMPUTE, PH_ACTIVITY_COMMUNICATION,
									   PH_ACTIVITY_COPY, PH_ACTIVITY_COMPUTE};
static uint32_t rank_location[N_RANKS] = {0, 1, 2};
static const PhTraceModel model = {.n_locations = N_LOCATIONS,
								   .locations = locations,
								   .n_regions = 4,
								   .regions = regions,
								   .n_ranks = N_RANKS,
								   .rank_location = rank_location};

static uint32_t
stream_location(uint32_t rank, uint32_t stream)
{
	return N_RANKS + rank * N_STREAMS + stream;
}

static void
make_model(void)
{
	for (uint32_t r = 0; r < N_RANKS; r++)
	{
		locations[r] =
			(PhTraceLocation){.rank = (int32_t) r, .kind = PH_COLUMN_UNIT, .name = "", .host = ""};
		for (uint32_t s = 0; s < N_STREAMS; s++)
			locations[stream_location(r, s)] = (PhTraceLocation){.rank = (int32_t) r,
																 .kind = PH_COLUMN_STREAM,
																 .name = "",
																 .host = "",
																 .stream = {s == 2, 1, s, 0}};
	}
}

/* ---- programs ---- */

typedef struct Program
{
	PhEnv *env;
	int64_t host[N_RANKS];		  /* now */
	int64_t free_at[N_LOCATIONS]; /* by location */
	uint64_t n_calls[N_RANKS];
	PhActivities activities;
	PhIndices instances;		  /* by activity: the round it communicates in, or PH_NONE */
	PH_VECTOR(PhLaunchCall) made; /* by activity: its call */
	PH_VECTOR(PhLaunchingCall) called;
	PhHostCalls syncs;
	PhLaunches launches;
	PhLaunchingCall *calls; /* by launch */
} Program;

static PhStatus
launch(Program *program, uint32_t rank, uint32_t stream, uint32_t region, bool is_blocking,
	   uint32_t instance)
{
	uint32_t location = stream_location(rank, stream);
	int64_t enter = program->host[rank];
	int64_t leave = enter + 1 + numbers_below(&numbers, 4);
	int64_t start = PH_MAX(is_blocking ? enter : leave, program->free_at[location]);
	int64_t end = start + 1 + numbers_below(&numbers, 12);
	if (is_blocking)
		leave = end;
	program->host[rank] = leave;
	program->free_at[location] = end;
	PH_TRY(PH_ROOM(program->env, &program->activities.list));
	program->activities.list.items[program->activities.list.count++] = (PhDeviceActivity){
		.location = location, .region = region, .start = start, .end = end, .call = enter};
	PH_TRY(ph_indices_add(program->env, &program->instances, instance));
	PH_TRY(PH_ROOM(program->env, &program->made));
	program->made.items[program->made.count++] = (PhLaunchCall){rank, program->n_calls[rank]++};
	PH_TRY(PH_ROOM(program->env, &program->called));
	program->called.items[program->called.count++] = (PhLaunchingCall){LAUNCH_REGION, enter, leave};
	return PH_OK;
}

/* Without an end of its own, so that a call which waited returns when what it waited for is done.
 */
static PhStatus
synchronise(Program *program, uint32_t rank, bool all)
{
	uint32_t one = numbers_below(&numbers, N_STREAMS);
	int64_t enter = program->host[rank];
	for (uint32_t s = 0; s < N_STREAMS; s++)
		if (all || s == one)
			program->host[rank] =
				PH_MAX(program->host[rank], program->free_at[stream_location(rank, s)]);
	PH_TRY(PH_ROOM(program->env, &program->syncs.list));
	program->syncs.list.items[program->syncs.list.count++] =
		(PhHostCall){rank, LAUNCH_REGION, enter, program->host[rank]};
	return PH_OK;
}

static PhStatus
work(Program *program, uint32_t rank)
{
	uint32_t n = numbers_below(&numbers, 6);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t stream = numbers_below(&numbers, N_STREAMS);
		switch (numbers_below(&numbers, 5))
		{
			case 0:
				program->host[rank] += 1 + numbers_below(&numbers, 10);
				break;
			case 1:
				PH_TRY(synchronise(program, rank, numbers_below(&numbers, 2) == 0));
				break;
			case 2:
				PH_TRY(launch(program, rank, stream, PH_ACTIVITY_COPY, true, PH_NONE));
				break;
			default:
				PH_TRY(launch(program, rank, stream, PH_ACTIVITY_COMPUTE, false, PH_NONE));
		}
	}
	return PH_OK;
}

/* All ranks communicate: nobody is done before the last one has begun. */
static PhStatus
meet(Program *program, uint32_t instance)
{
	uint32_t first = program->activities.list.count;
	int64_t last = 0, took = 1 + numbers_below(&numbers, 9);
	for (uint32_t rank = 0; rank < N_RANKS; rank++)
	{
		PH_TRY(launch(program, rank, COMMUNICATES, PH_ACTIVITY_COMMUNICATION, false, instance));
		last = PH_MAX(last, program->activities.list.items[first + rank].start);
	}
	for (uint32_t rank = 0; rank < N_RANKS; rank++)
	{
		program->activities.list.items[first + rank].end = last + took;
		program->free_at[stream_location(rank, COMMUNICATES)] = last + took;
	}
	return PH_OK;
}

static PhStatus
note_launches(Program *program, PhArena *arena)
{
	for (uint32_t i = 0; i < program->made.count; i++)
		PH_TRY(ph_launches_add(program->env, &program->launches, program->made.items[i].location,
							   program->made.items[i].seq));
	PH_TRY(ph_launches_sort(program->env, &program->launches));
	PH_TRY(PH_NEW(arena, program->launches.calls.count, &program->calls));
	for (uint32_t i = 0; i < program->made.count; i++)
	{
		uint32_t found = ph_launches_find(&program->launches, program->made.items[i].location,
										  program->made.items[i].seq);
		program->activities.list.items[i].launch = found;
		program->calls[found] = program->called.items[i];
	}
	return PH_OK;
}

static PhStatus
run_program(Program *program, PhArena *arena)
{
	uint32_t n_rounds = 1 + numbers_below(&numbers, 5);
	for (uint32_t round = 0; round < n_rounds; round++)
	{
		for (uint32_t rank = 0; rank < N_RANKS; rank++)
			PH_TRY(work(program, rank));
		PH_TRY(meet(program, round));
	}
	return note_launches(program, arena);
}

static void
free_program(Program *program)
{
	ph_activities_free(program->env, &program->activities);
	PH_VECTOR_FREE(program->env, &program->instances);
	PH_VECTOR_FREE(program->env, &program->made);
	PH_VECTOR_FREE(program->env, &program->called);
	ph_host_calls_free(program->env, &program->syncs);
	ph_launches_free(program->env, &program->launches);
}

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
skeleton_of(Program *program, PhSkeleton **out, Found *found)
{
	PH_TRY(ph_skeleton_new(program->env, &model, out));
	found->last = 0;
	for (uint32_t i = 0; i < N_LOCATIONS; i++)
	{
		PhCommLocation *location = &(*out)->locations[i];
		location->first_time = 0;
		location->last_time = i < N_RANKS ? program->host[i] : program->free_at[i];
		found->last = PH_MAX(found->last, location->last_time);
	}
	return PH_OK;
}

static PhStatus
find_path(Program *program, PhArena *arena, Found *found)
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
find_all(Program *program, PhArena *arena, Found *found)
{
	PhDevices devices;
	uint32_t *first;
	PhWaitStates none = {.n_locations = N_LOCATIONS};
	PH_TRY(PH_NEW(arena, N_LOCATIONS + 1, &first));
	none.first = first;
	PH_TRY(ph_devices_find(arena, &model, &devices));
	PH_TRY(ph_device_collectives_find(arena, &program->activities, kinds, &model,
									  &found->collectives));
	PhDeviceWork all = {.model = &model,
						.devices = &devices,
						.kinds = kinds,
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
check_collectives(const Program *program, const PhDeviceCollectives *found)
{
	const PhDeviceActivity *list = program->activities.list.items;
	assert_int_equal(found->n_unmatched, 0);
	assert_int_equal(found->n_members, found->n_instances * N_RANKS);
	for (uint32_t i = 0; i < found->n_instances; i++)
	{
		const PhDeviceInstance *instance = &found->instances[i];
		int64_t last = INT64_MIN;
		assert_int_equal(instance->n, N_RANKS);
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
stream_works(const Program *program, const PhDeviceCollectives *found, uint32_t location, int64_t t)
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
host_works(const Program *program, uint32_t rank, int64_t t)
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
check_never_idle(const Program *program, const Found *found)
{
	for (uint32_t i = 0; i < found->n_legs; i++)
		for (int64_t t = found->legs[i].from; t < found->legs[i].to; t++)
		{
			uint32_t at = found->legs[i].location;
			assert_true(at < N_RANKS ? host_works(program, at, t)
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
check_host_waits(const Program *program, PhArena *arena, const PhWaitStates *all)
{
	const PhHostWait *waits;
	uint32_t n;
	assert_int_equal(ph_device_host_waits(arena, &program->activities, all, &waits, &n), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhWait *wait = &waits[i].wait;
		bool is_next = i > 0 && waits[i - 1].wait.victim == wait->victim;
		assert_true(wait->kind == PH_WAIT_DEVICE && wait->victim < N_RANKS);
		assert_true(wait->awaited >= N_RANKS && wait->awaited_region < LAUNCH_REGION);
		assert_true(wait->from <= waits[i].active_from && waits[i].active_from <= wait->to);
		int64_t from = is_next ? waits[i - 1].wait.to : wait->from - 30;
		assert_true(from <= wait->from && wait->from < wait->to);
		for (int64_t t = from; t < wait->to; t++)
			assert_int_equal(t >= wait->from, waits_at(all, wait->victim, t, true) &&
												  !waits_at(all, wait->victim, t, false));
		bool is_last = i + 1 == n || waits[i + 1].wait.victim != wait->victim;
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
	numbers.state = 17;
	make_model();
	for (int p = 0; p < N_PROGRAMS; p++)
	{
		PhEnv env;
		PhArena arena;
		Found found = {0};
		Program program = {.env = &env};
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		assert_int_equal(run_program(&program, &arena), PH_OK);
		assert_int_equal(find_all(&program, &arena, &found), PH_OK);
		check_collectives(&program, &found.collectives);
		check_tiles(&found);
		check_never_idle(&program, &found);
		n_waits += check_host_waits(&program, &arena, &found.waits);
		free_program(&program);
		ph_arena_drop(&arena);
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_waits > N_PROGRAMS);
}

/* ---- times that no program has ---- */

static void
spoil(Program *program)
{
	for (uint32_t i = 0; i < program->activities.list.count; i++)
	{
		PhDeviceActivity *activity = &program->activities.list.items[i];
		if (numbers_below(&numbers, 3) == 0)
			activity->start -= numbers_below(&numbers, 20);
		if (numbers_below(&numbers, 3) == 0)
			activity->end += numbers_below(&numbers, 20);
		activity->end = PH_MAX(activity->start, activity->end);
		if (numbers_below(&numbers, 5) == 0)
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
		assert_true(wait->victim < N_LOCATIONS && wait->awaited < N_LOCATIONS);
		assert_true(i >= waits->first[wait->victim] && i < waits->first[wait->victim + 1]);
		assert_true(i == waits->first[wait->victim] || waits->waits[i - 1].to <= wait->to);
	}
}

/* Ranks once in each instance, whose members all overlap in time. */
static void
check_overlap(const Program *program, const PhDeviceCollectives *found)
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
			uint32_t bit = 1u << locations[member->location].rank;
			assert_true(member->start <= last && last < member->end && (seen & bit) == 0);
			seen |= bit;
		}
	}
}

static void
test_wrong_times(void **state)
{
	(void) state;
	numbers.state = 23;
	make_model();
	for (int p = 0; p < N_PROGRAMS; p++)
	{
		PhEnv env;
		PhArena arena;
		Found found = {0};
		Program program = {.env = &env};
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		assert_int_equal(run_program(&program, &arena), PH_OK);
		spoil(&program);
		assert_int_equal(find_all(&program, &arena, &found), PH_OK);
		check_overlap(&program, &found.collectives);
		check_waits(&found.waits);
		check_host_waits(&program, &arena, &found.waits);
		check_tiles(&found);
		free_program(&program);
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
	Program program = {.env = env};
	numbers.state = 3;
	ph_arena_init(&arena, env);
	PhStatus status = run_program(&program, &arena);
	if (status == PH_OK)
		status = find_all(&program, &arena, &found);
	free_program(&program);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	make_model();
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
