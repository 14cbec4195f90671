/*
 * test_logical_windows.c - fences, and creation and end of windows, are collectives of logical
 * time: as if the program had called collectives of processes in their place.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "logical/input.h"
#include "logical/logical.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/window_program.h"

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static CommTrace trace, plain;

/* ---- models ---- */

static PhStatus
take_event(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
		   const PhOpenCall *call)
{
	(void) location;
	(void) seq;
	(void) call;
	return ph_logical_input_event(user, event);
}

static PhStatus
take_chunk(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	PhLogicalInput *input = user;
	PH_TRY(ph_chunk_reader_open(reader, chunk, ph_logical_input_wants(input)));
	return ph_logical_input_chunk(input, reader);
}

/* chunk_events: 0 without chunks. */
static PhStatus
make(PhEnv *with, const CommTrace *of, uint32_t chunk_events, PhLogicalModel *out)
{
	PhLogicalInput *input;
	PhLogicalOptions options;
	PhStatus status = PH_OK;
	ph_logical_options_default(&options);
	PH_TRY(ph_logical_input_new(with, &of->model, &options, &input));
	for (uint32_t at = 0; at < of->model.n_locations && status == PH_OK; at++)
	{
		status = ph_logical_input_location(input, at);
		if (status == PH_OK)
			status = chunk_events == 0
						 ? comm_visit(of, at, take_event, input)
						 : comm_visit_chunks(with, of, at, chunk_events, take_chunk, input);
	}
	if (status == PH_OK)
		status = ph_logical_input_finish(input, out);
	ph_logical_input_free(input);
	return status;
}

#define assert_same(array, n)                                                                      \
	assert_memory_equal((a)->array, (b)->array, (size_t) (n) * sizeof(*(a)->array))

static void
assert_same_models(const PhLogicalModel *a, const PhLogicalModel *b)
{
	uint32_t n = a->n_events;
	assert_int_equal(n, b->n_events);
	assert_int_equal(a->n_collectives, b->n_collectives);
	assert_memory_equal(&a->notes, &b->notes, sizeof(a->notes));
	assert_same(enter, n);
	assert_same(exit, n);
	assert_same(region, n);
	assert_same(caller, n);
	assert_same(kind, n);
	assert_same(flags, n);
	assert_same(collective, n);
}

static void
assert_same_structure(const PhLogicalModel *a, const PhLogicalModel *b)
{
	PhLogical x, y;
	PhLogicalOptions options;
	ph_logical_options_default(&options);
	must(ph_logical_build(&env, a, &options, &x));
	must(ph_logical_build(&env, b, &options, &y));
	assert_int_equal(x.n_phases, y.n_phases);
	assert_memory_equal(x.phase, y.phase, a->n_events * sizeof(*x.phase));
	assert_memory_equal(x.step, y.step, a->n_events * sizeof(*x.step));
	ph_logical_free(&x);
	ph_logical_free(&y);
}

/* ---- the same program with collectives of processes ---- */

/* The event that a record of a window's collective stands for. */
static PhEvent
as_collective(const PhEvent *record)
{
	PhEvent event = *record;
	event.kind = record->operation == PH_RECORD_RMA_COLLECTIVE_BEGIN ? PH_EVENT_COLLECTIVE_BEGIN
																	 : PH_EVENT_COLLECTIVE_END;
	if (event.kind == PH_EVENT_COLLECTIVE_END)
		event.operation = PH_COLLECTIVE_BARRIER;
	return event;
}

/* Windows are communicators of their own there; what else they record is gone. */
static uint32_t
rewrite(void)
{
	static PhTraceRegion regions[WINDOW_REGIONS];
	uint32_t n = 0;
	plain = trace;
	memcpy(regions, trace.model.regions, sizeof(regions));
	regions[WINDOW_CREATE].name = regions[WINDOW_FREE].name = "MPI_Comm_dup";
	regions[WINDOW_FENCE].name = "MPI_Barrier";
	plain.model.regions = regions;
	plain.model.communicators = plain.communicators;
	for (uint32_t comm = 0; comm < plain.model.n_communicators; comm++)
	{
		plain.communicators[comm].members = plain.members[comm];
		plain.communicators[comm].is_mpi = true;
	}
	for (uint32_t at = 0; at < plain.model.n_locations; at++)
	{
		plain.n_events[at] = 0;
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			const PhEvent *event = &trace.events[at][i];
			bool is_collective = event->kind == PH_EVENT_RMA &&
								 (event->operation == PH_RECORD_RMA_COLLECTIVE_BEGIN ||
								  event->operation == PH_RECORD_RMA_COLLECTIVE_END);
			if (event->kind == PH_EVENT_RMA && !is_collective)
				continue;
			plain.events[at][plain.n_events[at]++] = is_collective ? as_collective(event) : *event;
			n += is_collective;
		}
	}
	return n;
}

static void
fences_are_collectives(void **state)
{
	uint32_t n_collectives = 0, n_traces = rounds(300);
	(void) state;
	for (uint64_t seed = 1; seed <= n_traces; seed++)
	{
		PhLogicalModel events, chunks, expected;
		window_random(seed, &trace);
		uint32_t n = rewrite();
		must(make(&env, &trace, 0, &events));
		must(make(&env, &trace, 1 + (uint32_t) seed % 60, &chunks));
		must(make(&env, &plain, 0, &expected));
		assert_true(events.n_events >= n / 2);
		assert_same_models(&events, &chunks);
		assert_same_models(&events, &expected);
		assert_same_structure(&events, &expected);
		n_collectives += n;
		ph_logical_model_free(&events);
		ph_logical_model_free(&chunks);
		ph_logical_model_free(&expected);
	}
	assert_true(n_collectives > 10 * n_traces);
	assert_int_equal(env.bytes, 0);
}

/* Steady fences are phases, one after the other. */
static void
fences_are_phases(void **state)
{
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalOptions options;
	(void) state;
	ph_logical_options_default(&options);
	window_steady(WINDOW_FENCES, 5, 10, NULL, &trace);
	must(make(&env, &trace, 0, &model));
	must(ph_logical_build(&env, &model, &options, &logical));
	assert_int_equal(model.n_events, 50);
	assert_int_equal(model.n_collectives, 10);
	assert_int_equal(logical.n_phases, 10);
	ph_logical_free(&logical);
	ph_logical_model_free(&model);
}

static PhStatus
make_in(PhEnv *with, void *user)
{
	PhLogicalModel model;
	(void) user;
	PH_TRY(make(with, &trace, 20, &model));
	ph_logical_model_free(&model);
	return PH_OK;
}

static void
faults(void **state)
{
	(void) state;
	window_random(4, &trace);
	assert_string_equal(fault_env_try_allocations(make_in, NULL, 150), "");
	assert_string_equal(fault_env_try_interrupts(make_in, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fences_are_collectives),
		cmocka_unit_test(fences_are_phases),
		cmocka_unit_test(faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
