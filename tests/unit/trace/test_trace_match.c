/*
 * test_trace_match.c - matching against the truth and a quadratic search; merging; links; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/comm.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "trace/internal.h"

#define N_TRACES rounds(2500)

static PhEnv env;
static CommTrace trace;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhStatus
visit_matcher(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
			  const PhOpenCall *call)
{
	(void) call;
	return ph_matcher_add_event(user, location, seq, event);
}

/* ---- a slow reference ---- */

typedef struct PlainEnd
{
	uint32_t location, post, seq; /* seq PH_NONE: the receive never completed */
	int64_t order;
	uint32_t sender, receiver, comm;
	int32_t tag;
	bool dead;
} PlainEnd;

typedef struct PlainEnds
{
	uint32_t n_sends, n_receives;
	PlainEnd sends[8000], receives[8000];
} PlainEnds;

static PlainEnds ends;

static uint32_t
rank_at(uint32_t location)
{
	return (uint32_t) trace.locations[location].rank;
}

/* The first event before `end` that started this request and that no event in between took. */
static uint32_t
find_start(uint32_t location, uint32_t end)
{
	static bool taken[COMM_EVENTS];
	const PhEvent *events = trace.events[location];
	memset(taken, 0, sizeof(taken));
	for (uint32_t i = 0; i <= end; i++)
	{
		bool receives = events[i].kind == PH_EVENT_IRECV;
		bool sends = events[i].kind == PH_EVENT_ISEND_COMPLETE;
		bool cancels = events[i].kind == PH_EVENT_REQUEST_CANCELLED;
		uint32_t found = PH_NONE;
		for (uint32_t pass = 0; pass < 2; pass++)
		{
			PhEventKind start = pass == 0 ? PH_EVENT_IRECV_REQUEST : PH_EVENT_ISEND;
			bool looks = pass == 0 ? receives || cancels : sends || cancels;
			for (uint32_t p = 0; p < i && looks && found == PH_NONE; p++)
				if (events[p].kind == start && !taken[p] && events[p].request == events[i].request)
					found = p;
		}
		if (i == end)
			return found;
		if (found != PH_NONE)
			taken[found] = true;
	}
	return PH_NONE;
}

static void
collect_plain(uint32_t location)
{
	for (uint32_t i = 0; i < trace.n_events[location]; i++)
	{
		const PhEvent *event = &trace.events[location][i];
		PlainEnd end = {location, i, i, event->time, 0, 0, event->comm, event->tag, false};
		if (event->kind == PH_EVENT_SEND || event->kind == PH_EVENT_ISEND)
		{
			end.sender = rank_at(location);
			end.receiver = event->peer;
			ends.sends[ends.n_sends++] = end;
		}
		if (event->kind == PH_EVENT_RECV || event->kind == PH_EVENT_IRECV)
		{
			uint32_t start = event->kind == PH_EVENT_IRECV ? find_start(location, i) : PH_NONE;
			end.post = start == PH_NONE ? i : start;
			end.order = trace.events[location][end.post].time;
			end.sender = event->peer;
			end.receiver = rank_at(location);
			ends.receives[ends.n_receives++] = end;
		}
	}
}

static void
cancel_plain(uint32_t location)
{
	for (uint32_t i = 0; i < trace.n_events[location]; i++)
	{
		uint32_t start = trace.events[location][i].kind == PH_EVENT_REQUEST_CANCELLED
							 ? find_start(location, i)
							 : PH_NONE;
		for (uint32_t s = 0; s < ends.n_sends; s++)
			if (ends.sends[s].location == location && ends.sends[s].seq == start)
				ends.sends[s].dead = true;
	}
}

static bool
same_queue(const PlainEnd *a, const PlainEnd *b)
{
	return a->sender == b->sender && a->receiver == b->receiver && a->comm == b->comm &&
		   a->tag == b->tag && !a->dead && !b->dead && a->sender != PH_NONE &&
		   a->receiver != PH_NONE;
}

static bool
earlier(const PlainEnd *a, const PlainEnd *b)
{
	if (a->order != b->order)
		return a->order < b->order;
	return a->location != b->location ? a->location < b->location : a->post < b->post;
}

static uint32_t
place_in_queue(const PlainEnd *list, uint32_t n, const PlainEnd *end)
{
	uint32_t before = 0;
	for (uint32_t i = 0; i < n; i++)
		before += same_queue(&list[i], end) && earlier(&list[i], end);
	return before;
}

/* The send of a receive: equally many before it in the queue. */
static PhLink
plain_link(const PlainEnd *receive)
{
	uint32_t place = place_in_queue(ends.receives, ends.n_receives, receive);
	for (uint32_t s = 0; s < ends.n_sends; s++)
		if (same_queue(&ends.sends[s], receive) &&
			place_in_queue(ends.sends, ends.n_sends, &ends.sends[s]) == place)
			return (PhLink){ends.sends[s].location, ends.sends[s].seq, ends.sends[s].order};
	return (PhLink){PH_NONE, 0, PH_NO_TIME};
}

/* ---- tests ---- */

static bool
same_link(const PhLink *a, const PhLink *b)
{
	return a->location == b->location && a->seq == b->seq && a->time == b->time;
}

static PhMatcher *
match_all(uint64_t seed, PhMatchCounts *counts)
{
	PhMatcher *matcher;
	must(ph_matcher_new(&env, &trace.model, &matcher));
	must(comm_visit_all(&trace, seed, visit_matcher, matcher));
	must(ph_matcher_match(matcher, counts));
	return matcher;
}

/* The programs' own knowledge. */
static void
test_programs(void **state)
{
	uint64_t n_links = 0, n_reversed = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhMatchCounts counts;
		uint64_t matched = 0, receives = 0, sends = 0;
		comm_random(seed, 20 + (uint32_t) seed % 400, &trace);
		PhMatcher *matcher = match_all(seed, &counts);
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
		{
			uint64_t n, ordinal = 0;
			const PhLink *links = ph_matcher_links(matcher, at, &n);
			for (uint32_t i = 0; i < trace.n_events[at]; i++)
			{
				PhEventKind kind = trace.events[at][i].kind;
				sends += kind == PH_EVENT_SEND || kind == PH_EVENT_ISEND;
				if (kind != PH_EVENT_RECV && kind != PH_EVENT_IRECV)
					continue;
				if (!same_link(&trace.truth[at][i], &links[ordinal++]))
					fail_msg("seed %llu: location %u event %u", (unsigned long long) seed, at, i);
				receives++;
				matched += trace.truth[at][i].location != PH_NONE;
			}
			assert_int_equal(n, ordinal);
		}
		assert_int_equal(counts.messages, matched);
		assert_int_equal(counts.unmatched_receives, receives - matched);
		assert_int_equal(counts.unmatched_sends, sends - matched);
		n_links += matched;
		n_reversed += counts.reversed;
		ph_matcher_free(matcher);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_links > 10 * N_TRACES);
	assert_int_equal(n_reversed, 0);
}

/* Anything that can be written down: threads that share queues, requests in disorder, no sense. */
static void
test_noise(void **state)
{
	uint64_t n_links = 0, n_reversed = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhMatchCounts counts, expected = {0};
		comm_noise(seed, 20 + (uint32_t) seed % 100, PH_EVENT_SEND, 8, &trace);
		PhMatcher *matcher = match_all(seed, &counts);
		ends.n_sends = ends.n_receives = 0;
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			collect_plain(at);
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			cancel_plain(at);
		uint64_t n, ordinal = 0;
		for (uint32_t i = 0; i < ends.n_receives; i++)
		{
			const PlainEnd *receive = &ends.receives[i];
			const PhLink *links = ph_matcher_links(matcher, receive->location, &n);
			ordinal = i > 0 && ends.receives[i - 1].location == receive->location ? ordinal + 1 : 0;
			PhLink link = plain_link(receive);
			if (!same_link(&link, &links[ordinal]))
				fail_msg("seed %llu: receive %u", (unsigned long long) seed, i);
			int64_t time = trace.events[receive->location][receive->seq].time;
			expected.messages += link.location != PH_NONE;
			if (link.location == PH_NONE || time >= link.time)
				continue;
			expected.reversed++;
			if (link.time - time > expected.worst_reversal)
				expected.worst_reversal = link.time - time;
		}
		expected.unmatched_receives = ends.n_receives - expected.messages;
		expected.unmatched_sends = ends.n_sends - expected.messages;
		assert_memory_equal(&counts, &expected, sizeof(counts));
		n_links += expected.messages;
		n_reversed += expected.reversed;
		ph_matcher_free(matcher);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_links > N_TRACES && n_reversed > N_TRACES / 10);
}

/* Shared out among two matchers, in any order: the same links. */
static void
test_merge(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		PhMatcher *parts[2];
		PhMatchCounts counts, merged;
		uint32_t order[COMM_LOCATIONS];
		comm_noise(seed, 100, PH_EVENT_SEND, 8, &trace);
		PhMatcher *matcher = match_all(0, &counts);
		must(ph_matcher_new(&env, &trace.model, &parts[0]));
		must(ph_matcher_new(&env, &trace.model, &parts[1]));
		comm_shuffle(&trace, seed, order);
		for (uint32_t i = 0; i < trace.model.n_locations; i++)
			must(comm_visit(&trace, order[i], visit_matcher, parts[(seed + order[i]) % 2]));
		must(ph_matcher_merge(parts[0], parts[1]));
		ph_matcher_free(parts[1]);
		must(ph_matcher_match(parts[0], &merged));
		assert_memory_equal(&counts, &merged, sizeof(counts));
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
		{
			uint64_t n, m;
			const PhLink *a = ph_matcher_links(matcher, at, &n);
			const PhLink *b = ph_matcher_links(parts[0], at, &m);
			assert_int_equal(n, m);
			for (uint64_t i = 0; i < n; i++)
				assert_true(same_link(&a[i], &b[i]));
		}
		ph_matcher_free(parts[0]);
		ph_matcher_free(matcher);
	}
	assert_int_equal(env.bytes, 0);
}

static PhStatus
visit_chunk(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	return ph_matcher_add_chunk(user, chunk, reader);
}

/* Through chunks of any size: the same links. */
static void
test_chunks(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		PhMatcher *chunked;
		PhMatchCounts counts, again;
		comm_random(seed, 200, &trace);
		PhMatcher *matcher = match_all(seed, &counts);
		must(ph_matcher_new(&env, &trace.model, &chunked));
		for (uint32_t at = trace.model.n_locations; at-- > 0;)
			must(comm_visit_chunks(&env, &trace, at, 1 + (uint32_t) seed % 100, visit_chunk,
								   chunked));
		must(ph_matcher_match(chunked, &again));
		assert_memory_equal(&counts, &again, sizeof(counts));
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
		{
			uint64_t n, m;
			const PhLink *a = ph_matcher_links(matcher, at, &n);
			const PhLink *b = ph_matcher_links(chunked, at, &m);
			assert_int_equal(n, m);
			for (uint64_t i = 0; i < n; i++)
				assert_true(same_link(&a[i], &b[i]));
		}
		ph_matcher_free(chunked);
		ph_matcher_free(matcher);
	}
	assert_int_equal(env.bytes, 0);
}

static void
test_misuse(void **state)
{
	PhMatcher *a, *b;
	PhMatchCounts counts;
	PhEvent event = {.kind = PH_EVENT_SEND};
	(void) state;
	comm_noise(1, 50, PH_EVENT_SEND, 8, &trace);
	must(ph_matcher_new(&env, &trace.model, &a));
	must(ph_matcher_new(&env, &trace.model, &b));
	assert_int_equal(ph_matcher_add_event(a, trace.model.n_locations, 0, &event), PH_ERR_VALUE);
	must(ph_matcher_add_event(a, 0, 0, &event));
	must(ph_matcher_add_event(b, 0, 0, &event));
	assert_int_equal(ph_matcher_merge(a, b), PH_ERR_VALUE);
	ph_matcher_free(a);
	must(ph_matcher_match(b, &counts));
	assert_int_equal(counts.unmatched_sends, 1);
	assert_int_equal(ph_matcher_match(b, &counts), PH_ERR_VALUE);
	assert_int_equal(ph_matcher_add_event(b, 0, 1, &event), PH_ERR_VALUE);
	ph_matcher_free(b);
	assert_int_equal(env.bytes, 0);
}

/* Requests against a list that is searched. */
static void
test_requests(void **state)
{
	static struct
	{
		uint32_t location, value;
		uint64_t request;
	} list[3000];
	(void) state;
	for (uint64_t seed = 0; seed < 100; seed++)
	{
		PhRequests requests;
		Random random = {seed};
		uint32_t n = 0, ids = 1 + random_below(&random, 400);
		ph_requests_init(&requests, &env);
		for (uint32_t i = 0; i < 3000; i++)
		{
			uint32_t location = random_below(&random, 3), expected = PH_NONE, at = 0;
			uint64_t request = (uint64_t) random_below(&random, ids)
							   << random_below(&random, 2) * 30;
			if (random_below(&random, 5) < 2 + i / 1000)
			{
				for (; at < n && expected == PH_NONE; at++)
					if (list[at].location == location && list[at].request == request)
						expected = list[at].value;
				if (expected != PH_NONE)
					memmove(&list[at - 1], &list[at], (--n - at + 1) * sizeof(list[0]));
				assert_int_equal(ph_requests_take(&requests, location, request), expected);
				continue;
			}
			must(ph_requests_post(&requests, location, request, i));
			list[n].location = location;
			list[n].request = request;
			list[n++].value = i;
		}
		assert_true(requests.n_values <= 3000);
		ph_requests_free(&requests);
	}
	assert_int_equal(env.bytes, 0);
}

/* ---- links ---- */

static uint32_t
random_links(uint64_t seed, PhLink *links, int64_t *times)
{
	Random random = {seed};
	uint32_t n = random_below(&random, seed % 10 == 0 ? 2000 : 60);
	int64_t time = random_below(&random, 1000);
	for (uint32_t i = 0; i < n; i++)
	{
		time += random_below(&random, 1u << random_below(&random, 30));
		times[i] = time;
		links[i] = (PhLink){random_below(&random, 1 + (uint32_t) seed % 70), i * 3,
							time - random_below(&random, 100000) + 20000};
		if (random_below(&random, 20) == 0)
			links[i] = (PhLink){PH_NONE, 0, PH_NO_TIME};
		if (random_below(&random, 200) == 0)
			links[i] = (PhLink){PH_NONE - 1, UINT64_MAX - i, INT64_MIN + i};
	}
	return n;
}

static void
test_links(void **state)
{
	static PhLink links[2000];
	static int64_t times[2000];
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhArena arena;
		PhBytes bytes;
		const PhLink *back;
		const int64_t *delays;
		uint32_t n = random_links(seed, links, times);
		ph_arena_init(&arena, &env);
		must(ph_links_encode(&arena, links, times, n, &bytes));
		must(ph_links_decode(&arena, bytes, times, n, &back));
		must(ph_launch_delays(&arena, bytes, n, &delays));
		for (uint32_t i = 0; i < n; i++)
		{
			uint64_t delay = links[i].location == PH_NONE
								 ? (uint64_t) PH_NO_TIME
								 : (uint64_t) times[i] - (uint64_t) links[i].time;
			if (!same_link(&links[i], &back[i]) || (uint64_t) delays[i] != delay)
				fail_msg("seed %llu: link %u", (unsigned long long) seed, i);
		}
		ph_arena_drop(&arena);
	}
	assert_int_equal(env.bytes, 0);
}

/* Bytes that were cut, changed or are for another number of links: an error or sound links. */
static void
test_bad_links(void **state)
{
	static PhLink links[2000];
	static int64_t times[2000];
	uint32_t n_bad = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhArena arena;
		PhBytes bytes;
		const PhLink *back;
		Random random = {seed * 3 + 1};
		uint32_t n = random_links(seed, links, times);
		ph_arena_init(&arena, &env);
		must(ph_links_encode(&arena, links, times, n, &bytes));
		uint8_t *changed;
		must(PH_NEW(&arena, bytes.size, &changed));
		memcpy(changed, bytes.data, bytes.size);
		bytes.data = changed;
		uint32_t what = random_below(&random, 3);
		if (what == 0 && bytes.size > 0)
			bytes.size = random_below(&random, (uint32_t) bytes.size);
		else if (what == 1 && n > 0)
			n = random_below(&random, n);
		else if (bytes.size > 0)
			changed[random_below(&random, (uint32_t) bytes.size)] ^=
				(uint8_t) (1 + random_below(&random, 255));
		const int64_t *delays;
		PhStatus status = ph_links_decode(&arena, bytes, times, n, &back);
		assert_true(status == PH_OK || status == PH_ERR_FORMAT);
		if (bytes.size > 0 && status == PH_OK)
			must(ph_launch_delays(&arena, bytes, n, &delays));
		n_bad += status == PH_ERR_FORMAT;
		ph_arena_drop(&arena);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_bad > N_TRACES / 3);
}

/* ---- faults ---- */

static PhStatus
match_in(PhEnv *in, void *user)
{
	PhMatcher *matcher = NULL, *other = NULL;
	PhMatchCounts counts;
	(void) user;
	PhStatus status = ph_matcher_new(in, &trace.model, &matcher);
	if (status == PH_OK)
		status = ph_matcher_new(in, &trace.model, &other);
	for (uint32_t i = 0; i < trace.model.n_locations && status == PH_OK; i++)
		status = comm_visit(&trace, i, visit_matcher, i % 2 == 0 ? matcher : other);
	if (status == PH_OK)
		status = ph_matcher_merge(matcher, other);
	if (status == PH_OK)
		status = ph_matcher_match(matcher, &counts);
	ph_matcher_free(matcher);
	ph_matcher_free(other);
	return status;
}

static PhStatus
code_links(PhEnv *in, void *user)
{
	static PhLink links[2000];
	static int64_t times[2000];
	const PhLink *back;
	PhArena arena;
	PhBytes bytes;
	uint32_t n = random_links(*(uint64_t *) user, links, times);
	ph_arena_init(&arena, in);
	PhStatus status = ph_links_encode(&arena, links, times, n, &bytes);
	if (status == PH_OK)
		status = ph_links_decode(&arena, bytes, times, n, &back);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	uint64_t seed = 20;
	(void) state;
	comm_noise(9, 600, PH_EVENT_SEND, 8, &trace);
	assert_string_equal(fault_env_try_allocations(match_in, NULL, 0), "");
	assert_string_equal(fault_env_try_allocations(code_links, &seed, 0), "");
	comm_random(1013, 20000, &trace);
	assert_string_equal(fault_env_try_allocations(match_in, NULL, 0), "");
}

static PhStatus
match_many(PhEnv *in, void *user)
{
	for (uint32_t i = 0; i < 10; i++)
		PH_TRY(match_in(in, user));
	return PH_OK;
}

static void
test_interrupts(void **state)
{
	(void) state;
	comm_noise(11, 9000, PH_EVENT_SEND, 8, &trace);
	assert_string_equal(fault_env_try_interrupts(match_many, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs), cmocka_unit_test(test_noise),
		cmocka_unit_test(test_merge),	 cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_misuse),	 cmocka_unit_test(test_requests),
		cmocka_unit_test(test_links),	 cmocka_unit_test(test_bad_links),
		cmocka_unit_test(test_faults),	 cmocka_unit_test(test_interrupts),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
