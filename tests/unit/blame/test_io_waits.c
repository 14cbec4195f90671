/*
 * test_io_waits.c - waits for files of random programs against a look at every event, and their
 * delay costs against plain loops; what a call of a program's own is; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "blame/critical_path.h"
#include "support/blamed.h"
#include "support/fault_env.h"
#include "support/rounds.h"

#define N_TRACES rounds(300)

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static CommTrace trace;
static Blamed test, without;
static PhTraceRegion regions[COMM_REGIONS];

/* Of functions in which others are called, that communicate, and that do nothing else. */
static void
make_trace(uint64_t seed)
{
	memset(regions, 0, sizeof(regions));
	for (uint32_t i = 0; i < COMM_REGIONS; i++)
		regions[i].name = "f";
	comm_random(seed, 100 + (uint32_t) seed % 700, &trace);
	if (seed % 3 == 0)
		make_rendezvous(&trace);
	if (seed % 5 == 0)
		spoil_clocks(&trace, seed, 40);
	trace.model.regions = regions;
	trace.model.n_regions = COMM_REGIONS;
}

static void
make_io(uint64_t seed)
{
	regions[COMM_USER_B].role = seed % 2 == 0 ? "file io" : "file io metadata";
	regions[COMM_COLLECTIVE].name = seed % 4 == 0 ? "PMPI_File_write_all" : "f";
	regions[COMM_TEST].name = "mpi_file_iread_";
	regions[COMM_USER_A].name = "read";
}

static bool
is_io(uint32_t region)
{
	return region == COMM_USER_B || region == COMM_TEST ||
		   (region == COMM_COLLECTIVE && strcmp(regions[region].name, "f") != 0);
}

static int64_t
waited_in(const PhWaitStates *waits, uint32_t at, bool for_files, int64_t from, int64_t to)
{
	int64_t sum = 0;
	for (uint32_t i = waits->first[at]; i < waits->first[at + 1]; i++)
	{
		const PhWait *wait = &waits->waits[i];
		int64_t low = wait->from > from ? wait->from : from, high = wait->to < to ? wait->to : to;
		if ((wait->kind == PH_WAIT_IO) == for_files && high > low)
			sum += high - low;
	}
	return sum;
}

/* Between two events a location waits for files where such a call is open, and for nothing else. */
static void
check_location(uint32_t at)
{
	uint32_t open = 0, depth = 0;
	bool stack[COMM_EVENTS];
	for (uint32_t i = 0; i + 1 < trace.n_events[at]; i++)
	{
		const PhEvent *event = &trace.events[at][i];
		int64_t from = event->time, to = event[1].time;
		if (event->kind == PH_EVENT_ENTER)
			open += stack[depth++] = is_io(event->region);
		if (event->kind == PH_EVENT_LEAVE)
			open -= stack[--depth];
		int64_t others = waited_in(&test.waits, at, false, from, to);
		assert_int_equal(waited_in(&test.waits, at, true, from, to),
						 open == 0 || to <= from ? 0 : to - from - others);
	}
}

static void
check_wait(const PhWait *wait, const PhWait *before)
{
	assert_true(wait->from < wait->to);
	if (before != NULL && before->victim == wait->victim)
		assert_true(before->to <= wait->from);
	if (wait->kind != PH_WAIT_IO)
		return;
	const PhEvent *enter = &trace.events[wait->victim][wait->seq];
	assert_int_equal(enter->kind, PH_EVENT_ENTER);
	assert_true(is_io(enter->region) && enter->region == wait->region);
	assert_int_equal(wait->awaited, wait->victim);
	assert_int_equal(wait->awaited_region, PH_NONE);
}

/* All other waits are what they are without files. */
static void
check_others(void)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < test.waits.n; i++)
	{
		const PhWait *wait = &test.waits.waits[i], *other = &without.waits.waits[next];
		check_wait(wait, i == 0 ? NULL : wait - 1);
		if (wait->kind == PH_WAIT_IO)
			continue;
		assert_true(next++ < without.waits.n);
		assert_true(wait->from == other->from && wait->to == other->to &&
					wait->victim == other->victim && wait->awaited == other->awaited &&
					wait->kind == other->kind && wait->end == other->end);
	}
	assert_int_equal(next, without.waits.n);
}

/* Whoever waits for files is told as the cause of that, and apart from what is caused for others.
 */
static void
check_own(void)
{
	int64_t own = 0;
	for (uint32_t i = 0; i < test.n_edges; i++)
	{
		const PhBlameEdge *edge = &test.edges[i];
		assert_true(!edge->is_own ||
					(edge->origin == edge->victim && edge->origin_node == edge->victim_node));
		own += edge->is_own ? edge->ns : 0;
	}
	assert_int_equal(own, test.blame.own);
}

static void
test_random(void **state)
{
	(void) state;
	uint32_t n = 0, split = 0;
	for (uint64_t seed = 1; seed <= N_TRACES; seed++)
	{
		make_trace(seed);
		must(blamed_find(&without, &env, &trace, seed));
		assert_null(without.skeleton->io_regions);
		make_io(seed);
		must(blamed_find(&test, &env, &trace, seed));
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			check_location(at);
		check_others();
		blamed_check_costs(&test, seed);
		check_own();
		for (uint32_t i = 1; i < test.waits.n; i++)
		{
			const PhWait *wait = &test.waits.waits[i];
			n += wait->kind == PH_WAIT_IO;
			split += wait->kind == PH_WAIT_IO && wait[-1].victim == wait->victim &&
					 wait[-1].kind != PH_WAIT_IO && wait[-1].to == wait->from;
		}
		blamed_free(&test);
		blamed_free(&without);
	}
	assert_true(n > met_in_rounds(1000) && split > met_in_rounds(100));
}

/* The critical path stays where it is while a location waits for files. */
static void
test_path(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 40; seed++)
	{
		PhPathOptions options = {.is_merged = false};
		PhCriticalPath *plain, *path;
		PhPathLeg *expected, *legs;
		uint32_t n_expected, n;
		make_trace(seed);
		must(blamed_find(&without, &env, &trace, seed));
		must(ph_critical_path_new(&env, without.skeleton, &without.waits, &options, &plain));
		make_io(seed);
		must(blamed_find(&test, &env, &trace, seed));
		must(ph_critical_path_new(&env, test.skeleton, &test.waits, &options, &path));
		must(ph_critical_path_legs(plain, &without.arena, &expected, &n_expected));
		must(ph_critical_path_legs(path, &test.arena, &legs, &n));
		assert_int_equal(n, n_expected);
		for (uint32_t i = 0; i < n; i++)
			assert_memory_equal(&legs[i], &expected[i], sizeof(legs[i]));
		ph_critical_path_free(path);
		ph_critical_path_free(plain);
		blamed_free(&test);
		blamed_free(&without);
	}
}

static PhStatus
find_all(PhEnv *with, void *user)
{
	(void) user;
	PhStatus status = blamed_find(&test, with, &trace, 692);
	blamed_free(&test);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	make_trace(692);
	make_io(692);
	assert_string_equal(fault_env_try_allocations(find_all, NULL, 150), "");
	assert_string_equal(fault_env_try_interrupts(find_all, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
