/*
 * test_device_waits.c - waits for devices among delay costs: what lanes wait for of random programs
 * against a look at every ns, intervals and costs against plain loops, planted causes, faults.
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
#include "blame/device_waits.h"
#include "support/blamed.h"
#include "support/device_program.h"
#include "support/fault_env.h"
#include "support/rounds.h"

#define N_PROGRAMS rounds(2500)
#define N_NODES 12
#define FIRST_NODE (DEVICE_CALL + 1) /* of what the host computes */
#define MOST_TIME 4000

static Blamed blamed;
static PhDevices devices;
static PhDeviceCollectives collectives;
static PhWaitStates all;
static uint8_t doing[DEVICE_LOCATIONS][MOST_TIME]; /* a node + 1; 0: nothing */
static int64_t until[DEVICE_LOCATIONS];

/* ---- what everybody did ---- */

static void
fill(uint32_t at, int64_t from, int64_t to, uint32_t node)
{
	assert_true(from >= 0 && to <= MOST_TIME);
	for (int64_t t = from; t < to; t++)
		doing[at][t] = (uint8_t) (node + 1);
	until[at] = PH_MAX(until[at], to);
}

static void
note_doing(const DeviceProgram *program)
{
	memset(doing, 0, sizeof(doing));
	memset(until, 0, sizeof(until));
	for (uint32_t rank = 0; rank < DEVICE_RANKS; rank++)
		for (int64_t t = 0; t < program->host[rank]; t++)
			fill(rank, t, t + 1, FIRST_NODE + (uint32_t) (t / 7 + rank) % (N_NODES - FIRST_NODE));
	for (uint32_t i = 0; i < program->activities.list.count; i++)
	{
		const PhDeviceActivity *activity = &program->activities.list.items[i];
		fill(activity->location, activity->start, activity->end, activity->region);
		fill(program->made.items[i].location, program->called.items[i].enter,
			 program->called.items[i].leave, DEVICE_CALL);
	}
	for (uint32_t i = 0; i < program->syncs.list.count; i++)
		fill(program->syncs.list.items[i].location, program->syncs.list.items[i].enter,
			 program->syncs.list.items[i].leave, DEVICE_CALL);
}

static PhStatus
feed_times(void)
{
	for (uint32_t at = 0; at < DEVICE_LOCATIONS; at++)
		for (int64_t from = 0, to; from < until[at]; from = to)
		{
			uint8_t node = doing[at][from];
			for (to = from; to < until[at] && doing[at][to] == node; to++)
				;
			if (node == 0)
				continue;
			blamed.stretches[blamed.n_stretches++] = (BlamedStretch){at, node - 1u, from, to};
			PH_TRY(ph_path_times_stretches(blamed.times, at, &(PhStretch){from, to, node - 1u}, 1));
		}
	return ph_path_times_finish(blamed.times, N_NODES);
}

/* ---- finding ---- */

static PhStatus
find_waits(DeviceProgram *program, PhArena *arena)
{
	uint32_t *first;
	PhWaitStates none = {.n_locations = DEVICE_LOCATIONS};
	PH_TRY(PH_NEW(arena, DEVICE_LOCATIONS + 1, &first));
	none.first = first;
	PH_TRY(ph_devices_find(arena, &device_model, &devices));
	PH_TRY(ph_device_collectives_find(arena, &program->activities, device_kinds, &device_model,
									  &collectives));
	PhDeviceWork work = {.model = &device_model,
						 .devices = &devices,
						 .kinds = device_kinds,
						 .activities = &program->activities,
						 .launches = &program->launches,
						 .calls = program->calls,
						 .syncs = &program->syncs,
						 .collectives = &collectives,
						 .near = 5};
	PH_TRY(ph_device_dependences(arena, &work, &none, &all));
	for (uint32_t i = 0; i < DEVICE_LOCATIONS; i++)
	{
		blamed.skeleton->locations[i].first_time = blamed.skeleton->locations[i].main_from = 0;
		blamed.skeleton->locations[i].last_time =
			i < DEVICE_RANKS ? program->host[i] : program->free_at[i];
	}
	return ph_device_waits_find(arena, &work, blamed.skeleton, &none, &all, &blamed.waits);
}

static PhStatus
find_costs(PhEnv *env)
{
	static uint64_t keys[N_NODES];
	for (uint32_t i = 0; i < N_NODES; i++)
		keys[i] = i * 7 % N_NODES;
	PH_TRY(ph_wait_intervals(&blamed.arena, blamed.skeleton, &blamed.waits, &blamed.intervals));
	PH_TRY(ph_path_times_new(env, &blamed.waits, blamed.intervals, &blamed.times));
	PH_TRY(feed_times());
	PhBlameInput input = {.waits = &blamed.waits,
						  .intervals = blamed.intervals,
						  .times = blamed.times,
						  .n_nodes = N_NODES,
						  .node_keys = keys,
						  .from = INT64_MIN,
						  .to = INT64_MAX};
	PH_TRY(ph_blame_find(&blamed.arena, &input, &blamed.blame));
	return ph_blame_edges(&blamed.arena, &input, &blamed.blame,
						  ph_path_times_wait_nodes(blamed.times), &blamed.edges, &blamed.n_edges);
}

/* Of a program that has run. Then blamed_free, also on failure. */
static PhStatus
find(DeviceProgram *program, PhEnv *env)
{
	blamed.n_stretches = 0;
	blamed.times = NULL;
	blamed.tree = NULL;
	blamed.skeleton = NULL;
	ph_arena_init(&blamed.arena, env);
	note_doing(program);
	PH_TRY(ph_skeleton_new(env, &device_model, &blamed.skeleton));
	PH_TRY(find_waits(program, &blamed.arena));
	return find_costs(env);
}

/* ---- waits ---- */

/* The activity of a lane that goes on at t; PH_NONE. */
static uint32_t
activity_at(const DeviceProgram *program, uint32_t lane, int64_t t)
{
	for (uint32_t i = 0; i < program->activities.list.count; i++)
	{
		const PhDeviceActivity *activity = &program->activities.list.items[i];
		if (activity->location == lane && activity->start <= t && t < activity->end)
			return i;
	}
	return PH_NONE;
}

/* The first activity of a lane that starts after t; PH_NONE. */
static uint32_t
activity_after(const DeviceProgram *program, uint32_t lane, int64_t t)
{
	uint32_t found = PH_NONE;
	for (uint32_t i = 0; i < program->activities.list.count; i++)
	{
		const PhDeviceActivity *activity = &program->activities.list.items[i];
		if (activity->location == lane && activity->start > t &&
			(found == PH_NONE || activity->start < program->activities.list.items[found].start))
			found = i;
	}
	return found;
}

static int64_t
launched_at(const DeviceProgram *program, uint32_t activity)
{
	const PhLaunchingCall *call = &program->called.items[activity];
	return call->leave <= program->activities.list.items[activity].start ? call->leave
																		 : call->enter;
}

/* Since when a lane that was idle had something to do: the last time up to this one. */
static int64_t
busy_since(const DeviceProgram *program, uint32_t lane, int64_t time)
{
	int64_t since = PH_NO_TIME;
	for (uint32_t i = 0; i < program->activities.list.count; i++)
	{
		const PhDeviceActivity *activity = &program->activities.list.items[i];
		int64_t launched = launched_at(program, i), idle = activity->start;
		while (idle > 0 && activity_at(program, lane, idle - 1) == PH_NONE)
			idle--;
		if (activity->location == lane && launched > idle && launched <= time)
			since = PH_MAX(since, launched);
	}
	return since;
}

/* For whom a lane is idle at t before this activity: who launched it, then what it came behind. */
static uint32_t
awaited_before(const DeviceProgram *program, uint32_t next, int64_t t)
{
	const PhWait *behind = NULL;
	int64_t launched = launched_at(program, next);
	for (uint32_t i = 0; i < all.n; i++)
		if (all.waits[i].victim >= DEVICE_RANKS && all.waits[i].awaited >= DEVICE_RANKS &&
			all.waits[i].end == next && all.waits[i].instance == PH_NONE)
			behind = &all.waits[i];
	if (behind != NULL)
		launched = PH_MIN(launched, busy_since(program, behind->awaited, behind->to));
	if (t < launched)
		return program->made.items[next].location;
	return behind != NULL && t < behind->to ? behind->awaited : PH_NONE;
}

static uint32_t
awaited_by(const DeviceProgram *program, uint32_t lane, int64_t t)
{
	uint32_t now = activity_at(program, lane, t), next = activity_after(program, lane, t);
	if (now == PH_NONE)
		return next == PH_NONE ? PH_NONE : awaited_before(program, next, t);
	for (uint32_t m = 0; m < collectives.n_members; m++)
	{
		const PhDeviceMember *member = &collectives.members[m];
		const PhDeviceMember *last =
			&collectives.members[collectives.instances[member->instance].last];
		if (member->activity == now && t < program->activities.list.items[now].start + member->wait)
			return program->activities.list.items[last->activity].location;
	}
	return PH_NONE;
}

static const PhWait *
wait_at(uint32_t location, int64_t t)
{
	const PhWait *found = NULL;
	for (uint32_t i = blamed.waits.first[location]; i < blamed.waits.first[location + 1]; i++)
		if (blamed.waits.waits[i].from <= t && t < blamed.waits.waits[i].to)
		{
			assert_null(found);
			found = &blamed.waits.waits[i];
		}
	return found;
}

/* Lanes wait as they must, threads as the dependences say (test_dependences.c). */
static void
check_waits(const DeviceProgram *program)
{
	for (uint32_t at = 0; at < DEVICE_LOCATIONS; at++)
		for (int64_t t = 0; t < until[at]; t++)
		{
			const PhWait *wait = wait_at(at, t);
			if (at < DEVICE_RANKS)
				assert_true(wait == NULL ||
							(wait->passage == PH_NO_PASSAGE && wait->awaited >= DEVICE_RANKS));
			else
			{
				assert_true(wait == NULL || wait->passage != PH_NO_PASSAGE);
				assert_int_equal(wait == NULL ? PH_NONE : wait->awaited,
								 awaited_by(program, at, t));
			}
		}
}

/* ---- intervals ---- */

static bool
is_pair(const PhWait *wait, uint32_t x, uint32_t y)
{
	return (wait->victim == x && wait->awaited == y) || (wait->victim == y && wait->awaited == x);
}

static int64_t
plain_meeting(uint32_t x, uint32_t y, int64_t time)
{
	int64_t met = PH_NO_TIME;
	for (uint32_t i = 0; i < blamed.waits.n; i++)
		if (is_pair(&blamed.waits.waits[i], x, y) && blamed.waits.waits[i].to <= time)
			met = PH_MAX(met, blamed.waits.waits[i].to);
	return met;
}

static int64_t
plain_collective(const DeviceProgram *program, const PhWait *wait)
{
	int64_t met = PH_NO_TIME;
	for (uint32_t i = 0; i < wait->instance; i++)
	{
		int64_t first_end = INT64_MAX;
		uint32_t n = 0;
		for (uint32_t m = 0; m < collectives.n_members; m++)
		{
			const PhDeviceActivity *member =
				&program->activities.list.items[collectives.members[m].activity];
			if (collectives.members[m].instance != i ||
				(member->location != wait->victim && member->location != wait->awaited))
				continue;
			first_end = PH_MIN(first_end, member->end);
			n++;
		}
		if (n == 2)
			met = first_end;
	}
	return met;
}

static void
check_intervals(const DeviceProgram *program)
{
	for (uint32_t i = 0; i < blamed.waits.n; i++)
	{
		const PhWait *wait = &blamed.waits.waits[i];
		int64_t met;
		if (wait->instance != PH_NONE)
			met = plain_collective(program, wait);
		else
			met = plain_meeting(wait->victim, wait->awaited, wait->from);
		if (wait->instance == PH_NONE && wait->victim >= DEVICE_RANKS &&
			wait->awaited >= DEVICE_RANKS)
		{
			/* both lanes work for one thread */
			int64_t idle = wait->from;
			while (idle > 0 && activity_at(program, wait->victim, idle - 1) == PH_NONE)
				idle--;
			int64_t common = plain_meeting(wait->awaited, device_rank(wait->victim), wait->to);
			met = common >= idle ? PH_MAX(met, common) : met;
		}
		met = PH_MAX(met, 0);
		assert_int_equal(blamed.intervals[i].victim_from, PH_MIN(met, wait->from));
		assert_int_equal(blamed.intervals[i].awaited_from, PH_MIN(met, wait->release));
	}
}

static void
test_programs(void **state)
{
	uint64_t n_waits = 0, n_passages = 0;
	(void) state;
	device_numbers.state = 29;
	device_make_model();
	for (uint32_t p = 0; p < N_PROGRAMS; p++)
	{
		PhEnv env;
		PhArena arena;
		DeviceProgram program = {.env = &env};
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		assert_int_equal(device_run(&program, &arena), PH_OK);
		assert_int_equal(find(&program, &env), PH_OK);
		check_waits(&program);
		check_intervals(&program);
		blamed_check_costs(&blamed, (uint64_t) p);
		for (uint32_t i = 0; i < blamed.waits.n; i++)
			n_passages += blamed.waits.waits[i].passage != PH_NO_PASSAGE;
		n_waits += blamed.waits.n;
		blamed_free(&blamed);
		device_free(&program);
		ph_arena_drop(&arena);
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_passages > N_PROGRAMS && n_waits - n_passages > N_PROGRAMS);
}

/* ---- planted causes ---- */

#define N_ROUNDS 6
typedef enum Plant
{
	SLOW_KERNEL, /* of a rank: the others wait in the collective */
	LATE_LAUNCH, /* a rank launches after it has computed */
	SLOW_COPY,	 /* a rank waits for its copy before it launches */
	PLANTS,
	NOTHING = PLANTS
} Plant;

static PhStatus
plant_rank(DeviceProgram *program, Plant plant, uint32_t rank, bool is_slow)
{
	program->host[rank] += is_slow && plant == LATE_LAUNCH ? 300 : 10;
	program->takes = is_slow && plant == SLOW_COPY ? 300 : 10;
	PH_TRY(device_launch(program, rank, DEVICE_COMMUNICATES, PH_ACTIVITY_COPY, true, PH_NONE));
	program->takes = is_slow && plant == SLOW_KERNEL ? 300 : 10;
	return device_launch(program, rank, DEVICE_COMMUNICATES, PH_ACTIVITY_COMPUTE, false, PH_NONE);
}

static PhStatus
plant_round(DeviceProgram *program, Plant plant, uint32_t slow, uint32_t round)
{
	for (uint32_t rank = 0; rank < DEVICE_RANKS; rank++)
		PH_TRY(plant_rank(program, plant, rank, rank == slow));
	program->takes = 0;
	PH_TRY(device_meet(program, round));
	for (uint32_t rank = 0; rank < DEVICE_RANKS; rank++)
		PH_TRY(device_synchronise(program, rank, true));
	return PH_OK;
}

static bool
is_planted(Plant plant, uint32_t slow, const PhDelay *delay)
{
	if (plant == LATE_LAUNCH)
		return delay->location == slow && delay->node >= FIRST_NODE;
	return delay->location == device_stream(slow, DEVICE_COMMUNICATES) &&
		   delay->node == (plant == SLOW_COPY ? PH_ACTIVITY_COPY : PH_ACTIVITY_COMPUTE);
}

typedef struct Planted
{
	int64_t waited, right; /* what the plant is blamed for */
} Planted;

static uint32_t
slow_rank(uint64_t seed)
{
	return (uint32_t) (seed % DEVICE_RANKS);
}

static void
run_planted(Plant plant, uint64_t seed, Planted out[PLANTS])
{
	PhEnv env;
	PhArena arena;
	DeviceProgram program = {.env = &env};
	device_numbers.state = seed;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (uint32_t round = 0; round < N_ROUNDS; round++)
		assert_int_equal(plant_round(&program, plant, slow_rank(seed), round), PH_OK);
	assert_int_equal(device_note_launches(&program, &arena), PH_OK);
	assert_int_equal(find(&program, &env), PH_OK);
	for (int as = 0; as < PLANTS; as++)
	{
		out[as] = (Planted){blamed.blame.waited, 0};
		for (uint32_t i = 0; i < blamed.blame.n_delays; i++)
		{
			const PhDelay *delay = &blamed.blame.delays[i];
			out[as].right += is_planted((Plant) as, slow_rank(seed), delay)
								 ? delay->short_term + delay->long_term
								 : 0;
		}
	}
	blamed_free(&blamed);
	device_free(&program);
	ph_arena_drop(&arena);
}

/* Hosts wait for their devices with nothing planted, too: what is waited more is the plant's. */
static void
check_plant(Plant plant, uint64_t seed)
{
	Planted without[PLANTS], with[PLANTS];
	run_planted(NOTHING, seed, without);
	run_planted(plant, seed, with);
	int64_t waited = with[plant].waited - without[plant].waited;
	int64_t right = with[plant].right - without[plant].right;
	assert_true(waited > 250 * N_ROUNDS * (DEVICE_RANKS - 1));
	if (right * 100 < waited * 95)
		fail_msg("plant %d: %lld of %lld ns", plant, (long long) right, (long long) waited);
}

static void
test_plants(void **state)
{
	(void) state;
	device_make_model();
	for (uint64_t seed = 1; seed <= 40; seed++)
		for (int plant = 0; plant < PLANTS; plant++)
			check_plant((Plant) plant, seed);
}

/* ---- faults ---- */

static PhStatus
try_program(PhEnv *env, void *user)
{
	PhArena arena;
	DeviceProgram program = {.env = env};
	(void) user;
	device_numbers.state = 5;
	ph_arena_init(&arena, env);
	PhStatus status = device_run(&program, &arena);
	if (status == PH_OK)
	{
		status = find(&program, env);
		blamed_free(&blamed);
	}
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

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs),
									   cmocka_unit_test(test_plants),
									   cmocka_unit_test(test_faults)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
