/*
 * test_logical_windows.c - fences, and creation and end of windows, are collectives of logical
 * time, and epochs of some members messages: as if the program had called collectives of processes,
 * and sent and received, in their place.
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
#include "support/plain_epochs.h"
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
	assert_same(first_end, n + 1);
	assert_int_equal(a->n_messages, b->n_messages);
	assert_same(message_of_end, a->n_ends);
	assert_same(send_event, a->n_messages);
	assert_same(receive_event, a->n_messages);
	assert_same(bytes, a->n_messages);
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

/* ---- several inputs, with the links of a matcher ---- */

typedef struct Feeder
{
	PhLogicalInput *input;
	PhMatcher *matcher;
} Feeder;

static PhStatus
take_linked(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	Feeder *feeder = user;
	PH_TRY(ph_chunk_reader_open(reader, chunk, PH_WANT_ALL));
	PH_TRY(ph_matcher_add_chunk(feeder->matcher, chunk, reader));
	return ph_logical_input_chunk(feeder->input, reader);
}

static void
make_linked(const CommTrace *of, uint32_t chunk_events, PhLogicalModel *out)
{
	Feeder feeders[2];
	PhLogicalOptions options;
	PhMatchCounts counts;
	ph_logical_options_default(&options);
	for (int f = 0; f < 2; f++)
	{
		must(ph_logical_input_new(&env, &of->model, &options, &feeders[f].input));
		must(ph_logical_input_link(feeders[f].input));
		must(ph_matcher_new(&env, &of->model, &feeders[f].matcher));
	}
	for (uint32_t at = of->model.n_locations; at-- > 0;)
	{
		Feeder *feeder = &feeders[at % 2];
		must(ph_logical_input_location(feeder->input, at));
		must(comm_visit_chunks(&env, of, at, chunk_events, take_linked, feeder));
	}
	must(ph_logical_input_merge(feeders[0].input, feeders[1].input));
	must(ph_matcher_merge(feeders[0].matcher, feeders[1].matcher));
	must(ph_matcher_match(feeders[0].matcher, &counts));
	must(ph_logical_input_finish_linked(feeders[0].input, feeders[0].matcher, out));
	for (int f = 0; f < 2; f++)
	{
		ph_logical_input_free(feeders[f].input);
		ph_matcher_free(feeders[f].matcher);
	}
}

/* ---- the same program with collectives and messages of processes ---- */

/* Some of the accesses are messages to the next rank, or from the one before. */
static void
add_messages(uint64_t seed)
{
	Random random = {seed};
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			PhEvent *event = &trace.events[at][i];
			uint32_t what = random_below(&random, 6), n = trace.model.n_locations;
			if (event->kind != PH_EVENT_RMA || event->operation != PH_RECORD_RMA_PUT || what > 1)
				continue;
			event->kind = what == 0 ? PH_EVENT_SEND : PH_EVENT_RECV;
			event->peer = what == 0 ? (at + 1) % n : (at + n - 1) % n;
			event->comm = WINDOW_WORLD;
			event->tag = -1;
		}
}

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

static void
emit(uint32_t at, const PhEvent *event)
{
	assert_true(plain.n_events[at] < COMM_EVENTS);
	plain.events[at][plain.n_events[at]++] = *event;
}

/* A message that no other one can be taken for: both its ends are known. */
static void
emit_message(uint32_t at, uint32_t seq, PhEventKind kind, uint32_t peer, uint32_t from,
			 uint32_t from_seq)
{
	uint32_t to = kind == PH_EVENT_SEND ? peer : at;
	PhEvent event = {.time = trace.events[at][seq].time,
					 .kind = kind,
					 .peer = peer,
					 .comm = WINDOW_WORLD,
					 .root = PH_NONE,
					 .region = PH_NONE};
	event.tag = (int32_t) ((from * COMM_EVENTS + from_seq) * COMM_LOCATIONS + to);
	emit(at, &event);
}

static bool
receives(uint32_t at, uint32_t seq, uint32_t region)
{
	const PhEvent *record = &trace.events[at][seq];
	const PhTraceCommunicator *group = &trace.communicators[record->values[2]];
	bool any = false;
	for (uint32_t i = 0; i < group->n_members && region != WINDOW_POST; i++)
	{
		uint32_t other = group->members[i], signal = plain_signal(&trace, at, seq, other);
		bool is_lonely = region != WINDOW_COMPLETE && plain_is_lonely(&trace, at, seq, other);
		if (signal != PH_NONE)
			emit_message(at, seq, PH_EVENT_RECV, other, other, signal);
		else if (is_lonely)
			emit_message(at, seq, PH_EVENT_RECV, other, at, seq); /* which nobody sends */
		any = any || signal != PH_NONE || is_lonely;
	}
	return any;
}

/* Does any call of another rank go on by this record? */
static bool
is_signal(uint32_t at, uint32_t seq, uint32_t other)
{
	for (uint32_t i = 0; i < trace.n_events[other]; i++)
		if (plain_signal(&trace, other, i, at) == seq)
			return true;
	return false;
}

static bool
signals(uint32_t at, uint32_t seq, uint32_t region)
{
	const PhEvent *record = &trace.events[at][seq];
	const PhTraceCommunicator *group = &trace.communicators[record->values[2]];
	bool any = false;
	if (region != WINDOW_POST && region != WINDOW_COMPLETE)
		return false;
	for (uint32_t i = 0; i < group->n_members; i++)
	{
		uint32_t other = group->members[i];
		if (!is_signal(at, seq, other) && !plain_is_lonely(&trace, at, seq, other))
			continue;
		emit_message(at, seq, PH_EVENT_SEND, other, at, seq);
		any = true;
	}
	return any;
}

/* What comes before the record in its call, which was entered last. */
static void
repeat_call(uint32_t at, uint32_t region)
{
	uint32_t n = plain.n_events[at];
	while (plain.events[at][n - 1].kind != PH_EVENT_ENTER)
		n--;
	PhEvent enter = plain.events[at][n - 1], leave = enter;
	leave.kind = PH_EVENT_LEAVE;
	leave.region = region;
	for (uint32_t i = 0; i < trace.n_events[at]; i++)
		if (trace.events[at][i].kind == PH_EVENT_LEAVE && trace.events[at][i].time >= enter.time &&
			trace.events[at][i].region == region)
		{
			leave.time = trace.events[at][i].time;
			break;
		}
	emit(at, &leave);
	emit(at, &enter);
}

/* Who completes first receives, then sends, as if that were two calls. */
static void
rewrite_epoch(uint32_t at, uint32_t seq)
{
	uint32_t enter = seq;
	while (trace.events[at][enter].kind != PH_EVENT_ENTER)
		enter--;
	uint32_t region = trace.events[at][enter].region;
	if (trace.events[at][seq].n_values < 3)
		return;
	if (receives(at, seq, region) && region == WINDOW_COMPLETE)
		repeat_call(at, region);
	(void) signals(at, seq, region);
}

/* Windows are communicators of their own there. */
static void
begin_rewriting(void)
{
	static PhTraceRegion regions[WINDOW_REGIONS];
	plain = trace;
	memcpy(regions, trace.model.regions, sizeof(regions));
	regions[WINDOW_CREATE].name = regions[WINDOW_FREE].name = "MPI_Comm_dup";
	regions[WINDOW_FENCE].name = "MPI_Barrier";
	regions[WINDOW_POST].name = regions[WINDOW_COMPLETE].name = "MPI_Send";
	regions[WINDOW_START].name = regions[WINDOW_WAIT].name = "MPI_Recv";
	plain.model.regions = regions;
	plain.model.communicators = plain.communicators;
	for (uint32_t comm = 0; comm < plain.model.n_communicators; comm++)
	{
		plain.communicators[comm].members = plain.members[comm];
		plain.communicators[comm].is_mpi = true;
	}
}

/* Returns how many events there are of collectives, and counts the records that tell of nobody. */
static uint32_t
rewrite(uint32_t *n_unknown)
{
	uint32_t n = 0;
	*n_unknown = 0;
	begin_rewriting();
	for (uint32_t at = 0; at < plain.model.n_locations; at++)
	{
		plain.n_events[at] = 0;
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			const PhEvent *event = &trace.events[at][i];
			bool is_record = event->kind == PH_EVENT_RMA;
			PhEvent collective = is_record ? as_collective(event) : *event;
			if (!is_record)
				emit(at, event);
			else if (event->operation == PH_RECORD_RMA_GROUP_SYNC)
			{
				rewrite_epoch(at, i);
				*n_unknown += event->n_values < 3;
			}
			else if (event->operation == PH_RECORD_RMA_COLLECTIVE_BEGIN ||
					 event->operation == PH_RECORD_RMA_COLLECTIVE_END)
			{
				emit(at, &collective);
				n++;
			}
		}
	}
	return n;
}

/* Both events of a call that completes an epoch are of one call, in the plain program of two. */
static uint32_t
join_calls(const PhLogicalModel *events, PhLogicalModel *expected)
{
	uint32_t n = 0;
	for (uint32_t e = 1; e < events->n_events && e < expected->n_events; e++)
	{
		bool is_second = events->region[e] == WINDOW_COMPLETE && events->kind[e] == PH_COMM_SEND &&
						 events->kind[e - 1] == PH_COMM_RECEIVE &&
						 events->region[e - 1] == WINDOW_COMPLETE &&
						 events->enter[e] == events->enter[e - 1];
		if (is_second)
			expected->flags[e] |= PH_COMM_SAME_CALL;
		n += is_second;
	}
	return n;
}

static void
windows_are_collectives_and_messages(void **state)
{
	uint32_t n_collectives = 0, n_messages = 0, n_unmatched = 0, n_second = 0;
	uint32_t n_traces = rounds(300);
	(void) state;
	for (uint64_t seed = 1; seed <= n_traces; seed++)
	{
		PhLogicalModel events, chunks, linked, expected;
		uint32_t n_unknown, chunk_events = 1 + (uint32_t) seed % 60;
		window_random(seed, &trace);
		add_messages(seed);
		uint32_t n = rewrite(&n_unknown);
		must(make(&env, &trace, 0, &events));
		must(make(&env, &trace, chunk_events, &chunks));
		make_linked(&trace, chunk_events, &linked);
		must(make(&env, &plain, 0, &expected));
		assert_int_equal(events.notes.calls_without_region, n_unknown);
		expected.notes.calls_without_region = n_unknown;
		n_second += join_calls(&events, &expected);
		assert_true(events.n_events >= n / 2);
		assert_same_models(&events, &chunks);
		assert_same_models(&events, &linked);
		assert_same_models(&events, &expected);
		assert_same_structure(&events, &expected);
		n_collectives += n;
		n_messages += events.n_messages;
		n_unmatched += (uint32_t) events.notes.unmatched_sends;
		ph_logical_model_free(&events);
		ph_logical_model_free(&chunks);
		ph_logical_model_free(&linked);
		ph_logical_model_free(&expected);
	}
	assert_true(n_collectives > 10 * n_traces && n_messages > 10 * n_traces);
	assert_true(n_unmatched > n_traces && n_second > n_traces / 4);
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

/* In steady epochs of neighbours all ranks are as far: they post, start, complete, wait. */
static void
epochs_are_in_step(void **state)
{
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalOptions options;
	(void) state;
	ph_logical_options_default(&options);
	window_steady(WINDOW_EPOCHS, 5, 10, NULL, &trace);
	must(make(&env, &trace, 0, &model));
	must(ph_logical_build(&env, &model, &options, &logical));
	assert_int_equal(model.n_events, 5 * 10 * 4);
	assert_int_equal(model.n_messages, 2 * 8 * 10);
	assert_int_equal(model.notes.unmatched_sends + model.notes.unmatched_receives, 0);
	for (uint32_t e = 0; e < model.n_events; e++)
	{
		assert_int_equal(logical.step[e], logical.step[e % 40]);
		assert_int_equal(model.kind[e], e % 2 == 0 ? PH_COMM_SEND : PH_COMM_RECEIVE);
	}
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
		cmocka_unit_test(windows_are_collectives_and_messages),
		cmocka_unit_test(fences_are_phases),
		cmocka_unit_test(epochs_are_in_step),
		cmocka_unit_test(faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
