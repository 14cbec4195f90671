/*
 * test_task_structure.c - logical structure of random tasks against a slow, literal implementation.
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

#include "logical/phases.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/task_reference.h"
#include "support/tasks.h"
#include "tasks/store.h"
#include "tasks/trace_internal.h"

#define ROUNDS rounds(3000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---------------------------------------------------------------------------------- comparison */

static TaskReference reference;

static void
compare(const TaskReference *r, const PhTaskStructure *structure, uint64_t seed)
{
	const PhLogical *logical = &structure->logical;
	uint32_t phase_of[MAX_EVENTS], part_of[MAX_EVENTS];
	memset(phase_of, 0xff, sizeof(phase_of));
	memset(part_of, 0xff, sizeof(part_of));
	assert_int_equal(structure->model.n_events, r->n);
	for (uint32_t e = 0; e < r->n; e++)
	{
		uint32_t i = r->place[structure->event[e]], phase = logical->phase[e], part = r->part[i];
		if (phase_of[part] == PH_NONE)
			phase_of[part] = phase;
		if (part_of[phase] == PH_NONE)
			part_of[phase] = part;
		if (phase_of[part] != phase || part_of[phase] != part)
			fail_msg("seed %llu: event %u is in another phase", (unsigned long long) seed, e);
		if (structure->is_runtime[phase] != task_reference_is_runtime(r, part))
			fail_msg("seed %llu: phase %u is on the other side", (unsigned long long) seed, phase);
		if (logical->leap[phase] != r->leap[part])
			fail_msg("seed %llu: phase %u has leap %u, not %u", (unsigned long long) seed, phase,
					 logical->leap[phase], r->leap[part]);
		if (logical->step[e] != r->step[i])
			fail_msg("seed %llu: event %u has step %d, not %d", (unsigned long long) seed, e,
					 logical->step[e], r->step[i]);
	}
}

static PhTaskOptions
random_options(uint64_t seed)
{
	RandomNumbers numbers = {seed * 77 + 5};
	PhTaskOptions options;
	ph_task_options_default(&options);
	options.by_coordinates = false;
	options.merge_serials = false;
	options.reorder = numbers_below(&numbers, 2) == 0;
	options.absorb_when = numbers_below(&numbers, 5) > 0;
	options.order_serials = numbers_below(&numbers, 5) > 0;
	options.repair_blocks = numbers_below(&numbers, 5) > 0;
	options.infer_dependencies = numbers_below(&numbers, 5) > 0;
	options.leap_merge = numbers_below(&numbers, 5) > 0;
	options.use_edges = numbers_below(&numbers, 5) > 0;
	return options;
}

static TaskShape
random_shape(uint64_t seed, uint32_t max_blocks)
{
	RandomNumbers numbers = {seed * 91 + 3};
	TaskShape shape = {.max_chares = 8, .max_processors = 4, .max_blocks = max_blocks};
	shape.serials = numbers_below(&numbers, 2) == 0;
	shape.migrates = numbers_below(&numbers, 4) == 0;
	shape.loses = numbers_below(&numbers, 3) == 0;
	shape.confused = numbers_below(&numbers, 6) == 0;
	shape.edges = numbers_below(&numbers, 3) == 0;
	return shape;
}

static void
structure_equals_slow_reference(void **state)
{
	uint32_t n_cut = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		PhTaskTrace trace;
		PhTaskStructure structure;
		PhTaskOptions options = random_options(seed);
		random_tasks(&env, seed, random_shape(seed, 22), false, &trace);
		must(ph_task_structure_build(&env, &trace, &options, &structure));
		if (structure.logical.cut_messages > 0)
			n_cut++;
		else
		{
			task_reference_compute(&reference, &trace, &options);
			compare(&reference, &structure, seed);
		}
		ph_task_structure_free(&structure);
		ph_task_trace_free(&trace);
	}
	assert_true(n_cut < ROUNDS / 10);
	assert_int_equal(env.bytes, 0);
}

/* ---------------------------------------------------------------------------------- invariants */

static bool
has_edge(const PhLogical *logical, uint32_t p, uint32_t q)
{
	for (uint32_t i = logical->first_edge[p]; i < logical->first_edge[p + 1]; i++)
		if (logical->edge_target[i] == q)
			return true;
	return false;
}

/* Steps rise along timelines and phases; a phase is one interval, followed by a successor. */
static void
check_timelines(const PhTaskStructure *structure)
{
	const PhLogical *logical = &structure->logical;
	const PhLogicalModel *model = &structure->model;
	for (uint32_t e = 0; e + 1 < model->n_events; e++)
	{
		uint32_t p = logical->phase[e], q = logical->phase[e + 1];
		if (model->timeline[e] != model->timeline[e + 1])
			continue;
		assert_true(logical->step[e] < logical->step[e + 1]);
		assert_true(p == q || (has_edge(logical, p, q) && logical->leap[p] < logical->leap[q]));
	}
}

static void
check_phases(const PhTaskStructure *structure)
{
	const PhLogical *logical = &structure->logical;
	for (uint32_t p = 0; p < logical->n_phases; p++)
		for (uint32_t i = logical->first_edge[p]; i < logical->first_edge[p + 1]; i++)
		{
			uint32_t q = logical->edge_target[i];
			assert_true(p < q);
			assert_true(logical->last_step_of[p] < logical->first_step[q]);
		}
}

static void
check_messages(const PhTaskStructure *structure)
{
	const PhLogicalModel *model = &structure->model;
	const PhLogical *logical = &structure->logical;
	uint32_t n_wrong = 0;
	for (uint32_t m = 0; m < model->n_messages; m++)
	{
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		if (from == PH_NONE || to == PH_NONE)
			continue;
		assert_int_equal(logical->phase[from], logical->phase[to]);
		n_wrong += logical->step[from] >= logical->step[to];
	}
	assert_true(n_wrong <= logical->cut_messages);
}

/* No two phases of one leap share an entity. */
static void
check_leaps(const PhTaskStructure *structure)
{
	const PhLogical *logical = &structure->logical;
	const PhLogicalModel *model = &structure->model;
	for (uint32_t a = 0; a < model->n_events; a++)
		for (uint32_t b = a + 1; b < model->n_events && model->timeline[a] == model->timeline[b];
			 b++)
			assert_true(logical->phase[a] == logical->phase[b] ||
						logical->leap[logical->phase[a]] != logical->leap[logical->phase[b]]);
}

static void
invariants_hold_for_all_modes(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		PhTaskTrace trace;
		PhTaskStructure structure;
		PhTaskOptions options = random_options(seed);
		options.merge_serials = seed % 4 > 0;
		options.by_coordinates = seed % 3 > 0;
		options.compat = seed % 5 == 0;
		random_tasks(&env, seed + 100000, random_shape(seed, 60), false, &trace);
		must(ph_task_structure_build(&env, &trace, &options, &structure));
		check_timelines(&structure);
		check_phases(&structure);
		check_messages(&structure);
		check_leaps(&structure);
		ph_task_structure_free(&structure);
		ph_task_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
}

/* ---------------------------------------------------------------------------------- one answer */

/* All chunks of a structure, as they are stored. */
static uint8_t *
stored_bytes(const PhTaskStructure *structure, size_t *size)
{
	PhTaskMetrics metrics;
	PhLogicalCodec *codec;
	PhLogicalEvents events;
	PhLogicalChunk chunk;
	uint8_t *bytes = NULL;
	*size = 0;
	must(ph_task_metrics_build(&env, structure, &metrics));
	must(ph_logical_codec_new(&env, &codec));
	for (uint32_t first = 0; first < structure->model.n_events; first += events.n_events)
	{
		must(ph_task_extract(codec, &metrics, first, &events));
		must(ph_logical_encode(codec, &events, &chunk));
		const PhBytes groups[] = {chunk.places, chunk.metrics, chunk.causes, chunk.ends,
								  chunk.tasks};
		for (int g = 0; g < 5; g++)
		{
			bytes = realloc(bytes, *size + groups[g].size);
			memcpy(bytes + *size, groups[g].data, groups[g].size);
			*size += groups[g].size;
		}
	}
	ph_logical_codec_free(codec);
	ph_task_metrics_free(&metrics);
	return bytes;
}

static uint8_t *
answer(uint64_t seed, bool shuffle, size_t *size)
{
	PhTaskTrace trace;
	PhTaskStructure structure;
	PhTaskOptions options = random_options(seed);
	options.merge_serials = options.by_coordinates = true;
	random_tasks(&env, seed, random_shape(seed, 60), shuffle, &trace);
	must(ph_task_structure_build(&env, &trace, &options, &structure));
	uint8_t *bytes = stored_bytes(&structure, size);
	ph_task_structure_free(&structure);
	ph_task_trace_free(&trace);
	return bytes;
}

static void
shuffled_input_gives_the_same_bytes(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 400; seed++)
	{
		size_t n, n_shuffled;
		uint8_t *bytes = answer(seed, false, &n), *shuffled = answer(seed, true, &n_shuffled);
		assert_int_equal(n, n_shuffled);
		assert_memory_equal(bytes, shuffled, n);
		free(bytes);
		free(shuffled);
	}
}

static void
hundred_repetitions_give_the_same_bytes(void **state)
{
	size_t n, n_again;
	uint8_t *bytes = answer(4711, false, &n);
	(void) state;
	for (int i = 0; i < 100; i++)
	{
		uint8_t *again = answer(4711, i % 2 == 0, &n_again);
		assert_int_equal(n, n_again);
		assert_memory_equal(bytes, again, n);
		free(again);
	}
	free(bytes);
}

static void
chunks_decode_to_what_was_stored(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 200; seed++)
	{
		PhTaskTrace trace;
		PhTaskStructure structure;
		PhTaskMetrics metrics;
		PhTaskOptions options = random_options(seed);
		PhLogicalCodec *codec, *other;
		PhLogicalEvents events, again;
		PhLogicalChunk chunk;
		random_tasks(&env, seed, random_shape(seed, 100), false, &trace);
		must(ph_task_structure_build(&env, &trace, &options, &structure));
		must(ph_task_metrics_build(&env, &structure, &metrics));
		must(ph_logical_codec_new(&env, &codec));
		must(ph_logical_codec_new(&env, &other));
		for (uint32_t first = 0; first < structure.model.n_events; first += events.n_events)
		{
			must(ph_task_extract(codec, &metrics, first, &events));
			must(ph_logical_encode(codec, &events, &chunk));
			must(ph_logical_decode(other, &chunk, PH_LOGICAL_WANT_ALL, &again));
			size_t n = events.n_events;
			assert_int_equal(again.n_events, n);
			assert_memory_equal(again.processor, events.processor, n * 4);
			assert_memory_equal(again.block, events.block, n * 4);
			assert_memory_equal(again.share, events.share, n * 8);
			assert_memory_equal(again.idle, events.idle, n * 8);
			assert_memory_equal(again.imbalance, events.imbalance, n * 8);
			assert_memory_equal(again.step, events.step, n * 4);
			assert_memory_equal(again.value[PH_DURATION], events.value[PH_DURATION], n * 8);
			assert_memory_equal(again.value[PH_LATENESS], events.value[PH_LATENESS], n * 8);
		}
		ph_logical_codec_free(codec);
		ph_logical_codec_free(other);
		ph_task_metrics_free(&metrics);
		ph_task_structure_free(&structure);
		ph_task_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
}

static void
indices_have_up_to_six_dimensions(void **state)
{
	PhTaskTrace trace;
	(void) state;
	random_tasks(&env, 5, random_shape(5, 40), false, &trace);
	trace.entity_dimensions[0] = PH_TASK_DIMENSIONS;
	assert_int_equal(ph_task_check(&trace), PH_OK);
	trace.entity_dimensions[0] = PH_TASK_DIMENSIONS + 1;
	assert_int_not_equal(ph_task_check(&trace), PH_OK);
	ph_task_trace_free(&trace);
	assert_int_equal(env.bytes, 0);
}

/* -------------------------------------------------------------------------------------- faults */

static PhStatus
extract(PhEnv *where, const PhTaskMetrics *metrics)
{
	PhLogicalCodec *codec;
	PhLogicalEvents events;
	PhStatus status = ph_logical_codec_new(where, &codec);
	if (status != PH_OK)
		return status;
	status = ph_task_extract(codec, metrics, 0, &events);
	ph_logical_codec_free(codec);
	return status;
}

static PhStatus
analyse(PhEnv *where, void *user)
{
	const PhTaskTrace *trace = user;
	PhTaskStructure structure;
	PhTaskMetrics metrics;
	PhTaskOptions options;
	ph_task_options_default(&options);
	options.reorder = true;
	PhStatus status = ph_task_structure_build(where, trace, &options, &structure);
	if (status != PH_OK)
		return status;
	status = ph_task_metrics_build(where, &structure, &metrics);
	if (status == PH_OK)
	{
		status = extract(where, &metrics);
		ph_task_metrics_free(&metrics);
	}
	ph_task_structure_free(&structure);
	return status;
}

/* Interrupts are asked for every few thousand events. */
static PhStatus
analyse_often(PhEnv *where, void *user)
{
	for (int i = 0; i < 20; i++)
	{
		PhStatus status = analyse(where, user);
		if (status != PH_OK)
			return status;
	}
	return PH_OK;
}

static void
faults_leave_nothing_behind(void **state)
{
	PhTaskTrace trace;
	TaskShape shape = random_shape(3, 100);
	(void) state;
	shape.edges = true;
	random_tasks(&env, 3, shape, false, &trace);
	assert_string_equal(fault_env_try_allocations(analyse, &trace, 0), "");
	assert_string_equal(fault_env_try_interrupts(analyse_often, &trace, 50), "");
	ph_task_trace_free(&trace);
	assert_int_equal(env.bytes, 0);
}

static void
empty_trace_has_no_structure(void **state)
{
	PhTaskTrace trace;
	PhTaskStructure structure;
	PhTaskMetrics metrics;
	PhTaskOptions options;
	(void) state;
	ph_task_trace_init(&trace, &env);
	must(ph_task_trace_finish(&trace, NULL));
	ph_task_options_default(&options);
	options.reorder = true;
	must(ph_task_structure_build(&env, &trace, &options, &structure));
	must(ph_task_metrics_build(&env, &structure, &metrics));
	assert_int_equal(structure.logical.n_phases, 0);
	assert_int_equal(structure.logical.last_step, -1);
	ph_task_metrics_free(&metrics);
	ph_task_structure_free(&structure);
	ph_task_trace_free(&trace);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structure_equals_slow_reference),
		cmocka_unit_test(invariants_hold_for_all_modes),
		cmocka_unit_test(shuffled_input_gives_the_same_bytes),
		cmocka_unit_test(hundred_repetitions_give_the_same_bytes),
		cmocka_unit_test(chunks_decode_to_what_was_stored),
		cmocka_unit_test(indices_have_up_to_six_dimensions),
		cmocka_unit_test(faults_leave_nothing_behind),
		cmocka_unit_test(empty_trace_has_no_structure),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
