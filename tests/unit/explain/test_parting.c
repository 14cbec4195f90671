/*
 * test_parting.c - two causes at one call path, one cause at several, and what units share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/shared.h"
#include "support/explained.h"

/* Ranks 0 and 4 on one host, 1 and 5 on the next. */
static void
spread_over_hosts(Program *program)
{
	static const char *const names[] = {"a", "b", "c", "d"};

	for (uint32_t unit = 0; unit < UNITS; unit++)
		program->units[unit].host = names[unit % 4];
}

static void
slow_down_ranks(Program *program, const uint32_t *ranks, uint32_t n, double by)
{
	for (uint32_t node = SOLVE; node <= LIMIT; node++)
		for (uint32_t i = 0; i < n; i++)
			add_time(program, node, ranks[i], ranks[i] + 1, by * tree[node].cost);
}

static void
give_more_work(Program *program, uint32_t node, uint32_t unit, double ratio)
{
	add_time(program, node, unit, unit + 1, (ratio - 1) * tree[node].cost);
	for (uint32_t run = 0; run < RUNS; run++)
		if (program->is_after[run])
			program->instructions[run][node][unit] *= ratio;
}

/* A slow machine slows all of its ranks: a rank elsewhere that is as slow has a reason of its own.
 */
static void
tells_a_slow_host_from_a_slow_rank(void **state)
{
	const uint32_t slow[] = {1, 5, 6};
	Test *test = *state;
	PhExplained explained;

	spread_over_hosts(test->program);
	slow_down_ranks(test->program, slow, 3, 0.25);
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.n_findings, 2);
	for (uint32_t i = 0; i < 2; i++)
	{
		const PhFinding *finding = &explained.findings[i];

		assert_int_equal(finding->cause, PH_CAUSE_SLOWER_WORK);
		assert_int_equal(finding->node, LOOP);
		assert_int_equal(finding->shared == PH_SHARED_HOST, finding->n_places == 2);
		assert_int_equal(finding->places[0], finding->n_places == 2 ? 1 : 6);
	}
	assert_int_equal(explained.findings[0].n_places + explained.findings[1].n_places, 3);
}

/* Work is given to ranks, wherever they are. */
static void
keeps_ranks_with_more_work_together(void **state)
{
	const uint32_t heavy[] = {1, 5, 6};
	Test *test = *state;
	PhExplained explained;

	spread_over_hosts(test->program);
	for (uint32_t i = 0; i < 3; i++)
		give_more_work(test->program, FLUX, heavy[i], 1.4);
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_SOME_UNITS, PH_CAUSE_MORE_WORK, FLUX, 3);
	assert_int_equal(explained.n_findings, 1);
}

static void
tells_more_work_from_a_slow_rank(void **state)
{
	Test *test = *state;
	PhExplained explained;

	give_more_work(test->program, FLUX, 1, 1.4);
	give_more_work(test->program, FLUX, 3, 1.42);
	add_time(test->program, FLUX, 6, 7, 0.39 * tree[FLUX].cost);
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.n_findings, 2);
	for (uint32_t i = 0; i < 2; i++)
	{
		const PhFinding *finding = &explained.findings[i];

		assert_int_equal(finding->node, FLUX);
		assert_int_equal(finding->n_places, finding->cause == PH_CAUSE_MORE_WORK ? 2 : 1);
		assert_int_equal(finding->places[0], finding->cause == PH_CAUSE_MORE_WORK ? 1 : 6);
	}
}

/* What has no count of its own grows with what is counted, unless it grows by far more. */
static void
names_a_bigger_input_once(void **state)
{
	for (int kernel_alone = 0; kernel_alone < 2; kernel_alone++)
	{
		Test *test = *state;
		double kernel = kernel_alone ? 0.9 : 0.22;
		PhExplained explained;

		free(test->program);
		test->program = make_program(11);
		test->program->cube.work[PH_WORK_VISITS] = NULL;
		for (uint32_t node = SOLVE; node <= LIMIT; node++)
			for (uint32_t unit = 0; unit < UNITS; unit++)
				give_more_work(test->program, node, unit, 1.2);
		add_time(test->program, KERNEL, 0, UNITS, kernel * tree[KERNEL].cost);
		explained = explain(&test->arena, test->program);
		assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_MORE_WORK, LOOP, 0);
		assert_int_equal(explained.n_findings, 1 + kernel_alone);
		assert_true(fabs(explained.findings[0].effect -
						 (0.2 * 58 + (kernel_alone ? 0 : kernel * tree[KERNEL].cost))) < 1.5);
	}
}

/* Who is slow now waited before: what it communicates longer is more than its own times tell. */
static void
tells_transfer_by_whoever_waits_least(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, FLUX, 5, 6, 10);
	for (uint32_t run = 0; run < RUNS; run++)
		for (uint32_t unit = 0; unit < UNITS; unit++)
		{
			bool is_after = test->program->is_after[run], waits = (unit == 5) != is_after;

			test->program->time[run][REDUCE][unit] += (is_after ? 4 : 0) + (!waits	   ? 0
																			: is_after ? 7
																					   : 3);
		}
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.n_findings, 2);
	assert_int_equal(explained.findings[1].cause, PH_CAUSE_SLOWER_COMMUNICATION);
	assert_true(fabs(explained.findings[1].effect - 4) < 1);
}

/* All iterations have more work: that one takes longer than they do has another cause. */
static void
tells_a_bad_iteration_of_a_bigger_input(void **state)
{
	Test *test = *state;
	PhExplained explained;

	for (uint32_t node = SOLVE; node <= LIMIT; node++)
		for (uint32_t unit = 0; unit < UNITS; unit++)
			give_more_work(test->program, node, unit, 1.25);
	for (uint32_t run = 0; run < RUNS; run++)
		for (uint32_t step = 0; test->program->is_after[run] && step < STEPS; step++)
			for (uint32_t node = SOLVE; node <= LIMIT; node++)
				test->program->step_time[run][node][step] *= 1.25 * (step == 3 ? 2 : 1);
	for (uint32_t node = SOLVE; node <= LIMIT; node++)
		add_time(test->program, node, 0, UNITS, 1.25 * tree[node].cost / STEPS);
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.n_findings, 2);
	for (uint32_t i = 0; i < 2; i++)
	{
		const PhFinding *finding = &explained.findings[i];

		assert_int_equal(finding->cause, finding->shape == PH_SHAPE_SOME_ITERATIONS
											 ? PH_CAUSE_SLOWER_WORK
											 : PH_CAUSE_MORE_WORK);
	}
	assert_int_equal(explained.findings[0].n_places + explained.findings[1].n_places, 1);
}

static void
completes_hosts_and_parities(void **state)
{
	Test *test = *state;
	PhExplainUnit *units = test->program->units;
	const double changes[UNITS] = {0, 0.1, 0, 0.05, 1, 0.9, 0.45, 1.1};
	const double odd[UNITS] = {0, 1, 0, 0.9, 0.1, 0.45, 0, 1};
	const double cyclic[UNITS] = {0, 0, 0.5, 0.1, 0, 0.1, 1, 0};
	bool host[UNITS] = {false, false, false, false, true, true, false, true};
	bool ranks[UNITS] = {false, true, false, true, false, false, false, true};
	bool first[UNITS] = {true, true, false, false, false, false, false, false};
	bool spread[UNITS] = {false, false, true, false, false, false, true, false};
	PhUnitChanges by = {changes, 0, 1};
	PhShared shared;
	PhHosts hosts;

	assert_int_equal(ph_hosts_find(&test->arena, units, UNITS, &hosts), PH_OK);
	assert_int_equal(hosts.n_hosts, 2);
	assert_int_equal(ph_units_complete(&test->arena, &hosts, &by, host), PH_OK);
	assert_true(host[6] && !host[1]);
	assert_int_equal(ph_units_shared(&test->arena, &hosts, host, &shared), PH_OK);
	assert_int_equal(shared, PH_SHARED_HOST);
	by.of_unit = odd;
	assert_int_equal(ph_units_complete(&test->arena, &hosts, &by, ranks), PH_OK);
	assert_true(ranks[5] && !ranks[4]);
	assert_int_equal(ph_units_shared(&test->arena, &hosts, ranks, &shared), PH_OK);
	assert_int_equal(shared, PH_SHARED_ODD_RANKS);
	assert_int_equal(ph_units_shared(&test->arena, &hosts, first, &shared), PH_OK);
	assert_int_equal(shared, PH_SHARED_FIRST_RANKS);
	assert_int_equal(ph_units_shared(&test->arena, &hosts, spread, &shared), PH_OK);
	assert_int_equal(shared, PH_SHARED_NOTHING); /* two units that are no neighbours are no hosts */
	spread_over_hosts(test->program);
	assert_int_equal(ph_hosts_find(&test->arena, units, UNITS, &hosts), PH_OK);
	by.of_unit = cyclic;
	assert_int_equal(ph_units_complete(&test->arena, &hosts, &by, spread), PH_OK);
	assert_int_equal(ph_units_shared(&test->arena, &hosts, spread, &shared), PH_OK);
	assert_int_equal(shared, PH_SHARED_HOST);
}

/* Draws as many ranks many times: how many hosts are whole on average? */
static double
count_whole_drawn(const uint32_t *of_unit, uint32_t n_hosts, uint32_t n_in)
{
	uint32_t n_whole = 0;

	for (uint32_t draw = 0; draw < 4000; draw++)
	{
		uint32_t missing[UNITS] = {0}, size[UNITS] = {0};
		bool is_in[UNITS] = {false};

		for (uint32_t i = 0; i < n_in;)
		{
			uint32_t unit = (uint32_t) ((wobble() + 1) / 2 * UNITS) % UNITS;

			i += !is_in[unit];
			is_in[unit] = true;
		}
		for (uint32_t unit = 0; unit < UNITS; unit++)
		{
			missing[of_unit[unit]] += !is_in[unit];
			size[of_unit[unit]]++;
		}
		for (uint32_t host = 0; host < n_hosts; host++)
			n_whole += size[host] > 1 && missing[host] == 0;
	}
	return n_whole / 4000.0;
}

/* By the definition, unit by unit, against what is told; `most` far enough from what is drawn. */
static void
check_whole_hosts(Test *test, const bool *is_in, uint32_t n_in)
{
	static const double limits[] = {0.05, 0.5};
	uint32_t borders = is_in[0] != is_in[UNITS - 1];
	bool on_whole[UNITS], expected[UNITS];
	bool any_whole = false, any_other = false;
	double drawn;
	PhHosts hosts;

	assert_int_equal(ph_hosts_find(&test->arena, test->program->units, UNITS, &hosts), PH_OK);
	drawn = count_whole_drawn(hosts.of_unit, hosts.n_hosts, n_in);
	for (uint32_t unit = 0; unit < UNITS; unit++)
	{
		uint32_t there = 0, in = 0;

		borders += unit > 0 && is_in[unit] != is_in[unit - 1];
		for (uint32_t other = 0; other < UNITS; other++)
			if (strcmp(test->program->units[other].host, test->program->units[unit].host) == 0)
			{
				there++;
				in += is_in[other];
			}
		expected[unit] = there > 1 && in == there;
		any_whole = any_whole || expected[unit];
		any_other = any_other || (is_in[unit] && !expected[unit]);
	}
	for (size_t i = 0; i < 2; i++)
	{
		bool parts =
			hosts.n_hosts > 1 && borders > 2 && any_whole && any_other && drawn < limits[i];

		if (fabs(drawn - limits[i]) < 0.03)
			continue;
		assert_int_equal(ph_units_on_whole_hosts(&test->arena, &hosts, limits[i], is_in, on_whole),
						 PH_OK);
		for (uint32_t unit = 0; unit < UNITS; unit++)
			assert_int_equal(on_whole[unit], parts ? expected[unit] : is_in[unit]);
	}
}

static void
tells_whole_hosts_from_drawn_ranks(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	Test *test = *state;

	random_state = 4711;
	for (uint32_t round = 0; round < 400; round++)
	{
		uint32_t n_names = 1 + (uint32_t) ((wobble() + 1) / 2 * 5) % 5, n_in = 0;
		bool is_in[UNITS];

		for (uint32_t unit = 0; unit < UNITS; unit++)
		{
			test->program->units[unit].host =
				names[(uint32_t) ((wobble() + 1) / 2 * n_names) % n_names];
			is_in[unit] = wobble() > 0.2;
			n_in += is_in[unit];
		}
		check_whole_hosts(test, is_in, n_in);
	}
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(tells_a_slow_host_from_a_slow_rank),	 TEST(keeps_ranks_with_more_work_together),
		TEST(tells_more_work_from_a_slow_rank),		 TEST(names_a_bigger_input_once),
		TEST(tells_transfer_by_whoever_waits_least), TEST(tells_a_bad_iteration_of_a_bigger_input),
		TEST(completes_hosts_and_parities),			 TEST(tells_whole_hosts_from_drawn_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
