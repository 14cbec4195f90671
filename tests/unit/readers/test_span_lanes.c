/*
 * test_span_lanes.c - spans of a track that do not nest, by hand: lanes, what is cut, too many.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "readers/spans/lanes.h"
#include "readers/spans/trace.h"

static uint32_t
add_by_hand(PhSpanTrace *trace, uint32_t track, int64_t start, int64_t end)
{
	PhTraceRegion region = {.name = "f", .line = PH_NO_NUMBER};
	PhTraceSpan span = {.start = start, .end = end, .track = track};
	assert_int_equal(ph_span_trace_region(trace, &region, &span.region), PH_OK);
	assert_int_equal(ph_span_trace_add(trace, &span), PH_OK);
	return span.region;
}

/* Lanes appear where spans cross or overlap, not where they nest or touch. */
static void
test_lanes(void **state)
{
	(void) state;
	PhEnv env;
	PhSpanTrace *trace;
	PhTraceSource *source;
	PhSpanCounts counts;
	uint32_t process, thread, stream;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_span_trace_new(&env, &trace), PH_OK);
	assert_int_equal(ph_span_trace_process(trace, 3, NULL, &process), PH_OK);
	assert_int_equal(ph_span_trace_process(trace, 3, NULL, &process), PH_ERR_VALUE);
	assert_int_equal(ph_span_trace_process(trace, -1, NULL, &process), PH_ERR_VALUE);
	assert_int_equal(ph_span_trace_finish(trace, PH_NO_TIME, &counts, &source), PH_ERR_VALUE);
	assert_int_equal(
		ph_span_trace_stream(trace, 0, (PhDeviceStream){.device = 1, .stream = 7}, NULL, &stream),
		PH_OK);
	assert_int_equal(ph_span_trace_thread(trace, 0, 12, "main", &thread), PH_OK);
	add_by_hand(trace, thread, 0, 100);
	add_by_hand(trace, thread, 10, 30);
	add_by_hand(trace, thread, 30, 60);
	add_by_hand(trace, thread, 50, 70);			  /* crosses */
	add_by_hand(trace, thread, 90, PH_SPAN_OPEN); /* ends with the one around it */
	add_by_hand(trace, thread, 120, PH_SPAN_OPEN);
	add_by_hand(trace, stream, 0, 10);
	add_by_hand(trace, stream, 10, 20);
	add_by_hand(trace, stream, 12, 14); /* overlaps */
	assert_int_equal(ph_span_trace_add(trace, &(PhTraceSpan){.start = 2, .end = 1}), PH_ERR_VALUE);
	assert_int_equal(ph_span_trace_add(trace, &(PhTraceSpan){.start = INT64_MIN}), PH_ERR_VALUE);
	assert_int_equal(ph_span_trace_finish(trace, PH_NO_TIME, &counts, &source), PH_OK);
	assert_int_equal(counts.calls, 6);
	assert_int_equal(counts.crossing, 1);
	assert_int_equal(counts.overlaps, 1);
	assert_int_equal(source->model.n_locations, 4);
	assert_string_equal(source->model.locations[0].name, "main");
	assert_string_equal(source->model.locations[1].name, "main (2)");
	assert_string_equal(source->model.locations[2].name, "GPU 1 stream 7");
	assert_string_equal(source->model.locations[3].name, "GPU 1 stream 7 (2)");
	assert_int_equal(source->model.locations[3].stream.lane, 1);
	assert_int_equal(source->model.locations[1].thread, 1);
	assert_int_equal(source->model.locations[0].n_events, 9);
	assert_int_equal(source->model.locations[1].n_events, 2);
	assert_int_equal(source->model.n_ranks, 4);
	assert_int_equal(source->model.rank_location[3], 0);
	source->free(&env, source);
}

static void
test_too_many_lanes(void **state)
{
	(void) state;
	PhEnv env;
	PhSpanTrace *trace;
	PhTraceSource *source;
	PhSpanCounts counts;
	uint32_t process, stream;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_span_trace_new(&env, &trace), PH_OK);
	assert_int_equal(ph_span_trace_process(trace, 0, NULL, &process), PH_OK);
	assert_int_equal(ph_span_trace_stream(trace, process, (PhDeviceStream){0}, NULL, &stream),
					 PH_OK);
	for (int64_t i = 0; i < PH_MOST_LANES + 2; i++)
		add_by_hand(trace, stream, i, 5000 + i);
	assert_int_equal(ph_span_trace_finish(trace, PH_NO_TIME, &counts, &source), PH_OK);
	assert_int_equal(source->model.n_locations, PH_MOST_LANES);
	assert_int_equal(counts.overlaps, PH_MOST_LANES + 1);
	assert_int_equal(counts.cut, 2);
	source->free(&env, source);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_too_many_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
