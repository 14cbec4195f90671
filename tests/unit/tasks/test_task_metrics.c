/*
 * test_task_metrics.c - metrics of random tasks against their definitions, and by hand.
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

#include "support/rounds.h"
#include "support/tasks.h"
#include "tasks/metrics.h"

#define ROUNDS rounds(2000)
#define MAX_EVENTS 512

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

typedef struct Analysis
{
	PhTaskTrace trace;
	PhTaskStructure structure;
	PhTaskMetrics metrics;
} Analysis;

static void
analyse(uint64_t seed, Analysis *out)
{
	PhTaskOptions options;
	TaskShape shape = {.max_chares = 8,
					   .max_processors = 6,
					   .max_blocks = 60,
					   .serials = seed % 2 == 0,
					   .migrates = seed % 3 == 0,
					   .loses = seed % 5 == 0};
	ph_task_options_default(&options);
	options.reorder = seed % 2 == 0;
	random_tasks(&env, seed, shape, false, &out->trace);
	must(ph_task_structure_build(&env, &out->trace, &options, &out->structure));
	must(ph_task_metrics_build(&env, &out->structure, &out->metrics));
}

static void
drop(Analysis *analysis)
{
	ph_task_metrics_free(&analysis->metrics);
	ph_task_structure_free(&analysis->structure);
	ph_task_trace_free(&analysis->trace);
}

static int64_t
share(const Analysis *analysis, uint32_t e)
{
	return analysis->metrics.sub_end[e] - analysis->metrics.sub_begin[e];
}

/* Shares are in order of what they are for, and add up to the block. */
static void
check_shares(const Analysis *analysis)
{
	const PhTaskTrace *trace = &analysis->trace;
	int64_t *sum = calloc(trace->count[PH_TASK_BLOCKS] + 1, sizeof(*sum));
	for (uint32_t e = 0; e < analysis->structure.model.n_events; e++)
	{
		assert_true(share(analysis, e) >= 0);
		sum[trace->event_block[analysis->structure.event[e]]] += share(analysis, e);
	}
	for (uint32_t b = 0; b < trace->count[PH_TASK_BLOCKS]; b++)
		if (trace->block_first_event[b] < trace->block_first_event[b + 1])
			assert_int_equal(sum[b], trace->block_end[b] - trace->block_begin[b]);
	free(sum);
}

static void
check_differences(const Analysis *analysis)
{
	const PhLogical *logical = &analysis->structure.logical;
	for (uint32_t a = 0; a < analysis->structure.model.n_events; a++)
	{
		int64_t least = INT64_MAX;
		uint32_t n = 0, shortest = PH_NONE;
		for (uint32_t b = 0; b < analysis->structure.model.n_events; b++)
		{
			if (logical->phase[a] != logical->phase[b] || logical->step[a] != logical->step[b])
				continue;
			n++;
			if (share(analysis, b) < least)
			{
				least = share(analysis, b);
				shortest = b;
			}
		}
		assert_int_equal(analysis->metrics.n_peers[a], n);
		assert_int_equal(analysis->metrics.shortest[a], shortest);
		assert_int_equal(analysis->metrics.differential[a], share(analysis, a) - least);
	}
}

/* Later idle times replace what earlier ones gave. */
static void
spread_idle(const PhTaskTrace *trace, uint32_t i, int64_t *idle)
{
	bool is_next = true;
	for (uint32_t e = 0; e < trace->count[PH_TASK_EVENTS]; e++)
	{
		uint32_t block = trace->event_block[e], partner = trace->event_partner[e];
		if (trace->block_processor[block] != trace->idle_processor[i] ||
			trace->event_time[e] < trace->idle_end[i])
			continue;
		bool is_first = e == trace->block_first_event[block];
		if (!is_next && is_first && partner != PH_NONE &&
			trace->block_begin[trace->event_block[partner]] >= trace->idle_end[i])
			return;
		if (is_next || (is_first && partner != PH_NONE))
			idle[e] = trace->idle_end[i] - trace->idle_begin[i];
		is_next = false;
	}
}

static void
check_idle(const Analysis *analysis)
{
	int64_t idle[MAX_EVENTS] = {0};
	for (uint32_t i = 0; i < analysis->trace.count[PH_TASK_IDLES]; i++)
		spread_idle(&analysis->trace, i, idle);
	for (uint32_t e = 0; e < analysis->structure.model.n_events; e++)
		assert_int_equal(analysis->metrics.idle[e], idle[analysis->structure.event[e]]);
}

static int64_t
load_of(const Analysis *analysis, uint32_t phase, uint32_t processor)
{
	int64_t load = 0;
	for (uint32_t e = 0; e < analysis->structure.model.n_events; e++)
		if (analysis->structure.logical.phase[e] == phase &&
			ph_task_processor(&analysis->structure, e) == processor)
			load += share(analysis, e);
	return load;
}

static void
check_imbalance(const Analysis *analysis)
{
	const PhTaskMetrics *metrics = &analysis->metrics;
	for (uint32_t p = 0; p < analysis->structure.logical.n_phases; p++)
	{
		int64_t most = INT64_MIN, least = INT64_MAX;
		for (uint32_t q = 0; q < analysis->trace.count[PH_TASK_PROCESSORS]; q++)
		{
			int64_t load = load_of(analysis, p, q);
			most = load > most ? load : most;
			least = load < least ? load : least;
		}
		assert_int_equal(metrics->phase_imbalance[p], most - least);
		assert_int_equal(load_of(analysis, p, metrics->most_loaded[p]), most);
		assert_int_equal(load_of(analysis, p, metrics->least_loaded[p]), least);
		for (uint32_t i = metrics->first_load[p]; i < metrics->first_load[p + 1]; i++)
			assert_int_equal(metrics->load[i], load_of(analysis, p, metrics->load_processor[i]));
		for (uint32_t e = 0; e < analysis->structure.model.n_events; e++)
			if (analysis->structure.logical.phase[e] == p)
				assert_int_equal(metrics->imbalance[e],
								 load_of(analysis, p, ph_task_processor(&analysis->structure, e)) -
									 least);
	}
}

static void
metrics_equal_their_definitions(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		Analysis analysis;
		analyse(seed, &analysis);
		check_shares(&analysis);
		check_idle(&analysis);
		if (seed % 10 == 0)
		{
			check_differences(&analysis);
			check_imbalance(&analysis);
		}
		drop(&analysis);
	}
	assert_int_equal(env.bytes, 0);
}

/* ---- names and checks of the trace ---- */

static void
names_tell_what_entries_are(void **state)
{
	int32_t serial;
	(void) state;
	assert_int_equal(ph_task_entry_flags("Jacobi_serial_12", &serial), PH_ENTRY_SERIAL);
	assert_int_equal(serial, 12);
	assert_int_equal(ph_task_entry_flags("Jacobi_atomic_0", &serial), PH_ENTRY_SERIAL);
	assert_int_equal(serial, 0);
	assert_int_equal(ph_task_entry_flags("a_serial_x(int i)", &serial), 0);
	assert_int_equal(serial, PH_NO_SERIAL);
	assert_int_equal(ph_task_entry_flags("run_serial_99999999999", &serial), 0);
	assert_int_equal(ph_task_entry_flags("SDAG_RTS", &serial), PH_ENTRY_SDAG);
	assert_int_equal(ph_task_entry_flags("RecvMsg(CkReductionMsg* impl_msg)", &serial),
					 PH_ENTRY_REDUCTION | PH_ENTRY_OF_RUNTIME);
	assert_true(ph_task_is_labelled_serial("Jacobi", "Jacobi_compute"));
	assert_false(ph_task_is_labelled_serial("Jacobi", "Jacobi_compute(int i)"));
	assert_false(ph_task_is_labelled_serial("Jacobi", "Jacobian"));
}

/* What is wrong with a trace of one chare, one block and two events that was changed. */
static const char *
finish_changed(int change)
{
	static char message[PH_ERROR_MAX];
	PhTaskTrace trace;
	random_tasks(&env, 5, (TaskShape){.max_chares = 3, .max_processors = 2, .max_blocks = 20},
				 false, &trace);
	switch (change)
	{
		case 0:
			trace.event_time[3] = trace.block_end[trace.event_block[3]] + 1;
			break;
		case 1:
			trace.event_partner[0] = 100000;
			break;
		case 2:
			trace.block_end[0] = trace.block_begin[0] - 1;
			break;
		case 3:
			trace.block_entity[1] = PH_NONE;
			break;
		case 4:
			trace.entry_type[0] = 77;
			break;
		case 5:
			trace.idle_end[0] = trace.idle_begin[0] - 1;
			break;
		default:
			trace.processor_number[0] = trace.processor_number[1];
			break;
	}
	PhStatus status = ph_task_trace_finish(&trace, NULL);
	assert_int_equal(status, PH_ERR_VALUE);
	memcpy(message, env.error.message, sizeof(message));
	ph_task_trace_free(&trace);
	return message;
}

static void
bad_traces_are_refused(void **state)
{
	(void) state;
	assert_non_null(
		strstr(finish_changed(0), "event 3 of the trace of tasks: its time is outside"));
	assert_non_null(strstr(finish_changed(1), "its partner does not exist"));
	assert_non_null(strstr(finish_changed(2), "block 0"));
	assert_non_null(strstr(finish_changed(3), "its entity does not exist"));
	assert_non_null(strstr(finish_changed(4), "its chare type does not exist"));
	assert_non_null(strstr(finish_changed(5), "idle interval 0"));
	assert_non_null(strstr(finish_changed(6), "is there twice"));
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_equal_their_definitions),
		cmocka_unit_test(names_tell_what_entries_are),
		cmocka_unit_test(bad_traces_are_refused),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
