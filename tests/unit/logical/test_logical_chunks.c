/*
 * test_logical_chunks.c - a logical input fed with chunks makes the model that it makes of events,
 * also by several inputs that are merged and with the links of a matcher.
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

#include "logical/input.h"
#include "support/logical.h"
#include "support/rounds.h"

#define ROUNDS rounds(2000)

static PhEnv env;

typedef struct Feeder
{
	PhLogicalInput *input;
	PhMatcher *matcher; /* NULL: the input matches */
	PhChunkReader *reader;
} Feeder;

static void
must(PhStatus status)
{
	if (status != PH_OK)
		fail_msg("%s", env.error.message);
}

static PhStatus
feed_chunk(void *user, const PhChunk *chunk)
{
	Feeder *feeder = user;
	PH_TRY(ph_chunk_reader_open(feeder->reader, chunk, PH_WANT_ALL));
	if (feeder->matcher != NULL)
		PH_TRY(ph_matcher_add_chunk(feeder->matcher, chunk, feeder->reader));
	return ph_logical_input_chunk(feeder->input, feeder->reader);
}

static void
feed_location(Feeder *feeder, const TestTrace *trace, uint32_t location, uint32_t chunk_events)
{
	PhChunkWriter *writer;
	must(ph_chunk_writer_new(&env, location, chunk_events, feed_chunk, feeder, &writer));
	must(ph_logical_input_location(feeder->input, location));
	for (uint32_t e = 0; e < trace->n_events[location]; e++)
	{
		const PhEvent *event = &trace->events[location][e];
		if (event->kind == PH_EVENT_ENTER)
			must(ph_chunk_writer_enter(writer, event->time, event->region));
		else if (event->kind == PH_EVENT_LEAVE)
			must(ph_chunk_writer_leave(writer, event->time, PH_NONE));
		else
			must(ph_chunk_writer_event(writer, event));
	}
	must(ph_chunk_writer_finish(writer));
	ph_chunk_writer_free(writer);
}

static void
model_of_chunks(const TestTrace *trace, const PhLogicalOptions *options, RandomNumbers *numbers,
				PhLogicalModel *out)
{
	Feeder feeder = {.matcher = NULL};
	must(ph_logical_input_new(&env, &trace->model, options, &feeder.input));
	must(ph_chunk_reader_new(&env, &feeder.reader));
	must(ph_logical_input_expect(feeder.input, numbers_below(numbers, 50),
								 numbers_below(numbers, 50)));
	for (uint32_t l = 0; l < trace->model.n_locations; l++)
		feed_location(&feeder, trace, l, 1 + numbers_below(numbers, 40));
	must(ph_logical_input_finish(feeder.input, out));
	ph_logical_input_free(feeder.input);
	ph_chunk_reader_free(feeder.reader);
}

#define assert_same(array, n)                                                                      \
	assert_memory_equal((a)->array, (b)->array, (size_t) (n) * sizeof(*(a)->array))

static void
assert_same_models(const PhLogicalModel *a, const PhLogicalModel *b)
{
	uint32_t n = a->n_events, calls = a->n_calls;
	assert_int_equal(n, b->n_events);
	assert_int_equal(a->n_messages, b->n_messages);
	assert_int_equal(a->n_ends, b->n_ends);
	assert_int_equal(calls, b->n_calls);
	assert_int_equal(a->n_collectives, b->n_collectives);
	assert_memory_equal(&a->notes, &b->notes, sizeof(a->notes));
	if (n == 0)
		return;
	assert_same(enter, n);
	assert_same(exit, n);
	assert_same(region, n);
	assert_same(caller, n);
	assert_same(kind, n);
	assert_same(flags, n);
	assert_same(collective, n);
	assert_same(first_end, n + 1);
	assert_same(message_of_end, a->n_ends);
	assert_same(send_event, a->n_messages);
	assert_same(receive_event, a->n_messages);
	assert_same(tag, a->n_messages);
	assert_same(bytes, a->n_messages);
	assert_same(call_region, calls);
	assert_same(call_parent, calls);
	assert_same(call_comms, calls);
	assert_same(call_is_event, calls);
	if (a->function_count != NULL)
		assert_same(function_count, n);
	assert_int_equal(a->counter_inside != NULL, b->counter_inside != NULL);
	if (a->counter_inside == NULL)
		return;
	assert_same(counter_inside, n);
	assert_same(counter_before, n);
}

#define N_VALUES 3

/* Between a location's events, values of two metric classes and records that say nothing. */
static void
add_extras(TestTrace *trace, RandomNumbers *numbers, uint32_t location, const uint64_t *values)
{
	uint32_t n = trace->n_events[location];
	PhEvent *old = trace->events[location];
	trace->events[location] = NULL;
	trace->n_events[location] = trace->capacity[location] = 0;
	for (uint32_t e = 0; e < n; e++)
	{
		for (uint32_t k = numbers_below(numbers, 3); k > 0; k--)
		{
			bool is_metric = numbers_below(numbers, 3) != 0;
			PhEvent *extra = add_event(
				trace, location, is_metric ? PH_EVENT_METRIC : PH_EVENT_PARAMETER, old[e].time);
			extra->operation = numbers_below(numbers, 2);
			extra->n_values = is_metric ? 1 + numbers_below(numbers, N_VALUES) : 1;
			extra->values = values + numbers_below(numbers, 50);
		}
		*add_event(trace, location, old[e].kind, old[e].time) = old[e];
	}
	free(old);
}

static void
chunks_have_their_counters(void **state)
{
	static PhTraceMetric metric = {
		.metric_class = 1, .member = 1, .type = PH_TRACE_UINT64, .scale = 0.5};
	uint64_t values[50 + N_VALUES];
	uint32_t n_grown = 0;
	(void) state;
	for (uint32_t seed = 1; seed <= ROUNDS / 4; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(15485863)};
		ProgramShape shape = {.max_ranks = 4, .max_actions = 50};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel events, chunks;
		for (uint32_t i = 0; i < 50 + N_VALUES; i++)
			values[i] = 100 * i + numbers_below(&numbers, 100);
		random_program(&numbers, shape, &trace);
		for (uint32_t l = 0; l < trace.model.n_locations; l++)
			add_extras(&trace, &numbers, l, values);
		metric.is_accumulated = seed % 2 == 0;
		trace.model.metrics = &metric;
		trace.model.n_metrics = 1;
		ph_logical_options_default(&options);
		options.counter = seed % 8 == 0 ? PH_NONE : 0;
		must(make_model(&env, &trace, &options, NULL, &events));
		model_of_chunks(&trace, &options, &numbers, &chunks);
		assert_same_models(&events, &chunks);
		for (uint32_t e = 0; e < events.n_events && events.counter_inside != NULL; e++)
			n_grown += events.counter_inside[e] != 0;
		ph_logical_model_free(&events);
		ph_logical_model_free(&chunks);
		test_trace_free(&trace);
	}
	assert_in_range(n_grown, ROUNDS, UINT32_MAX);
	assert_int_equal(env.bytes, 0);
}

static void
chunks_are_their_events(void **state)
{
	uint64_t n_coalesced = 0;
	(void) state;
	for (uint32_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(7919)};
		ProgramShape shape = {.max_ranks = 6,
							  .max_actions = 50,
							  .no_calls = numbers_below(&numbers, 3) == 0,
							  .threads = numbers_below(&numbers, 5) == 0,
							  .loses_events = numbers_below(&numbers, 5) == 0};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel events, chunks;
		random_program(&numbers, shape, &trace);
		ph_logical_options_default(&options);
		options.compat = numbers_below(&numbers, 4) == 0;
		options.coalesce_isends = numbers_below(&numbers, 4) != 0;
		options.waitall_groups = numbers_below(&numbers, 3) == 0;
		options.phase_function = numbers_below(&numbers, 4) == 0 ? "exch" : NULL;
		must(make_model(&env, &trace, &options, NULL, &events));
		model_of_chunks(&trace, &options, &numbers, &chunks);
		assert_same_models(&events, &chunks);
		for (uint32_t e = 0; e < events.n_events; e++)
			n_coalesced +=
				events.kind[e] == PH_COMM_SEND && events.first_end[e + 1] - events.first_end[e] > 1;
		ph_logical_model_free(&events);
		ph_logical_model_free(&chunks);
		test_trace_free(&trace);
	}
	assert_in_range(n_coalesced, 100, UINT32_MAX);
	assert_int_equal(env.bytes, 0);
}

/* ---- several inputs, with links ---- */

#define THREADS 3

static void
start_feeder(Feeder *feeder, const TestTrace *trace, const PhLogicalOptions *options, bool links)
{
	*feeder = (Feeder){NULL, NULL, NULL};
	must(ph_logical_input_new(&env, &trace->model, options, &feeder->input));
	must(ph_chunk_reader_new(&env, &feeder->reader));
	if (!links)
		return;
	must(ph_logical_input_link(feeder->input));
	must(ph_matcher_new(&env, &trace->model, &feeder->matcher));
}

static void
free_feeder(Feeder *feeder)
{
	ph_logical_input_free(feeder->input);
	ph_matcher_free(feeder->matcher);
	ph_chunk_reader_free(feeder->reader);
}

static void
model_of_threads(const TestTrace *trace, const PhLogicalOptions *options, bool links,
				 RandomNumbers *numbers, PhLogicalModel *out)
{
	static const double hints[] = {0, 1e-300, 0.01, 0.5, 1, 7}; /* right or wrong */
	Feeder feeders[THREADS];
	PhMatchCounts counts;
	for (int f = 0; f < THREADS; f++)
		start_feeder(&feeders[f], trace, options, links);
	for (uint32_t l = 0; l < trace->model.n_locations; l++)
	{
		Feeder *feeder = &feeders[numbers_below(numbers, THREADS)];
		ph_logical_input_progress(feeder->input, hints[numbers_below(numbers, 6)]);
		feed_location(feeder, trace, l, 1 + numbers_below(numbers, 40));
	}
	/* into the first one, or each into the one before */
	bool in_turn = numbers_below(numbers, 2) == 0;
	for (int f = THREADS; f-- > 1;)
	{
		const Feeder *to = &feeders[in_turn ? f - 1 : 0];
		must(ph_logical_input_merge(to->input, feeders[f].input));
		if (links)
			must(ph_matcher_merge(to->matcher, feeders[f].matcher));
	}
	if (links)
		must(ph_matcher_match(feeders[0].matcher, &counts));
	must(ph_logical_input_finish_linked(feeders[0].input, feeders[0].matcher, out));
	for (int f = 0; f < THREADS; f++)
		free_feeder(&feeders[f]);
}

static void
threads_and_links_change_nothing(void **state)
{
	uint64_t n_messages = 0;
	(void) state;
	for (uint32_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(104729)};
		ProgramShape shape = {.max_ranks = 6,
							  .max_actions = 50,
							  .no_calls = numbers_below(&numbers, 3) == 0,
							  .threads = numbers_below(&numbers, 3) == 0,
							  .loses_events = numbers_below(&numbers, 3) == 0};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel events, threads;
		bool links = numbers_below(&numbers, 3) != 0;
		random_program(&numbers, shape, &trace);
		ph_logical_options_default(&options);
		options.compat = !links && numbers_below(&numbers, 3) == 0;
		must(make_model(&env, &trace, &options, NULL, &events));
		model_of_threads(&trace, &options, links, &numbers, &threads);
		assert_same_models(&events, &threads);
		n_messages += events.n_messages;
		ph_logical_model_free(&events);
		ph_logical_model_free(&threads);
		test_trace_free(&trace);
	}
	assert_in_range(n_messages, met_in_rounds(10000), UINT32_MAX);
	assert_int_equal(env.bytes, 0);
}

/* A send that is called off is no partner, whoever matches. */
static void
cancelled_sends_meet_nothing(void **state)
{
	(void) state;
	for (int links = 0; links < 2; links++)
	{
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel model;
		RandomNumbers numbers = {1};
		empty_trace(2, &trace);
		for (int64_t i = 0; i < 2; i++)
		{
			add_event(&trace, 0, PH_EVENT_ENTER, 10 * i)->region = TEST_ISEND;
			PhEvent *send = add_event(&trace, 0, PH_EVENT_ISEND, 10 * i + 1);
			send->peer = 1;
			send->comm = 0;
			send->bytes = (uint64_t) i;
			send->request = (uint64_t) i;
			add_event(&trace, 0, PH_EVENT_LEAVE, 10 * i + 2)->region = TEST_ISEND;
		}
		add_event(&trace, 0, PH_EVENT_REQUEST_CANCELLED, 30)->request = 0;
		add_event(&trace, 1, PH_EVENT_ENTER, 40)->region = TEST_RECV;
		PhEvent *receive = add_event(&trace, 1, PH_EVENT_RECV, 41);
		receive->peer = receive->comm = 0;
		add_event(&trace, 1, PH_EVENT_LEAVE, 42)->region = TEST_RECV;
		ph_logical_options_default(&options);
		model_of_threads(&trace, &options, links == 1, &numbers, &model);
		assert_int_equal(model.n_messages, 2);
		assert_int_equal(model.receive_event[0], PH_NONE);
		assert_int_equal(model.receive_event[1], model.n_events - 1);
		ph_logical_model_free(&model);
		test_trace_free(&trace);
	}
}

static void
wrong_uses_are_refused(void **state)
{
	TestTrace trace;
	PhLogicalOptions options;
	PhLogicalModel model;
	Feeder a, b;
	(void) state;
	empty_trace(2, &trace);
	ph_logical_options_default(&options);
	start_feeder(&a, &trace, &options, true);
	start_feeder(&b, &trace, &options, false);
	assert_int_equal(ph_logical_input_merge(a.input, b.input), PH_ERR_VALUE);
	assert_int_equal(ph_logical_input_finish(a.input, &model), PH_ERR_VALUE);
	must(ph_logical_input_location(b.input, 0));
	assert_int_equal(ph_logical_input_link(b.input), PH_ERR_VALUE);
	free_feeder(&a);
	start_feeder(&a, &trace, &options, false);
	must(ph_logical_input_location(a.input, 0));
	assert_int_equal(ph_logical_input_merge(a.input, b.input), PH_ERR_VALUE);
	free_feeder(&a);
	free_feeder(&b);
	options.match_sizes = true;
	must(ph_logical_input_new(&env, &trace.model, &options, &a.input));
	assert_int_equal(ph_logical_input_link(a.input), PH_ERR_VALUE);
	ph_logical_input_free(a.input);
	test_trace_free(&trace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_are_their_events),
		cmocka_unit_test(chunks_have_their_counters),
		cmocka_unit_test(threads_and_links_change_nothing),
		cmocka_unit_test(cancelled_sends_meet_nothing),
		cmocka_unit_test(wrong_uses_are_refused),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
