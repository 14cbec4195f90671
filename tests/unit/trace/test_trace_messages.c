/*
 * test_trace_messages.c - messages as rows against the programs' knowledge, windows, chunks,
 * faults.
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
#include "trace/messages.h"
#include "trace/skeleton.h"

#define N_TRACES rounds(2000)
#define MOST_ROWS 8000

static PhEnv env;
static CommTrace trace;
static PhMessage expected[MOST_ROWS];
static uint32_t n_expected;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---- a slow reference ---- */

static bool
is_chosen(const PhMessage *row, const PhTraceWindow *window)
{
	bool place = window->locations == NULL;
	for (uint32_t at = 0; at < trace.model.n_locations && !place; at++)
		place =
			window->locations[at] && (row->sender_location == at || row->receiver_location == at);
	if (row->send_time == PH_NO_TIME)
		return place && row->receive_time >= window->from && row->receive_time < window->to;
	if (row->receive_time == PH_NO_TIME)
		return place && row->send_time >= window->from && row->send_time < window->to;
	return place && row->send_time < window->to && row->receive_time >= window->from;
}

static bool
comes_after(const PhMessage *a, const PhMessage *b)
{
	int64_t never = INT64_MAX;
	int64_t keys[][2] = {
		{a->send_time == PH_NO_TIME ? never : a->send_time,
		 b->send_time == PH_NO_TIME ? never : b->send_time},
		{a->receive_time == PH_NO_TIME ? never : a->receive_time,
		 b->receive_time == PH_NO_TIME ? never : b->receive_time},
		{a->sender, b->sender},
		{a->receiver, b->receiver},
		{a->sender_location, b->sender_location},
		{a->receiver_location, b->receiver_location},
		{(int64_t) (a->send_seq / 2), (int64_t) (b->send_seq / 2)},
		{(int64_t) (a->receive_seq / 2), (int64_t) (b->receive_seq / 2)},
	};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] > keys[i][1];
	return false;
}

static void
expect_row(PhMessage row, const PhTraceWindow *window)
{
	uint32_t at = n_expected;
	if (!is_chosen(&row, window))
		return;
	for (; at > 0 && comes_after(&expected[at - 1], &row); at--)
		expected[at] = expected[at - 1];
	expected[at] = row;
	n_expected++;
}

/* The receive of a send: location, ordinal; location PH_NONE: none. */
static PhLink
find_receive(uint32_t location, uint32_t seq)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			if (trace.truth[at][i].location == location && trace.truth[at][i].seq == seq &&
				ph_is_receive(trace.events[at][i].kind))
				return (PhLink){at, i, trace.events[at][i].time};
	return (PhLink){PH_NONE, PH_NO_SEQ, PH_NO_TIME};
}

static void
expect_all(const PhTraceWindow *window)
{
	n_expected = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			const PhEvent *event = &trace.events[at][i];
			uint32_t rank = (uint32_t) trace.locations[at].rank;
			PhMessage row = {.bytes = event->bytes, .comm = event->comm, .tag = event->tag};
			if (ph_is_send(event->kind))
			{
				PhLink to = find_receive(at, i);
				row.send_time = event->time, row.receive_time = to.time;
				row.send_seq = i, row.receive_seq = to.seq;
				row.sender = rank, row.receiver = event->peer;
				row.sender_location = at, row.receiver_location = to.location;
				row.send_region = event->region, row.receive_region = PH_NONE;
				if (to.location != PH_NONE)
					row.receive_region = trace.events[to.location][to.seq].region;
				expect_row(row, window);
			}
			if (!ph_is_receive(event->kind) || trace.truth[at][i].location != PH_NONE)
				continue;
			row.send_time = PH_NO_TIME, row.receive_time = event->time;
			row.send_seq = PH_NO_SEQ, row.receive_seq = i;
			row.sender = event->peer, row.receiver = rank;
			row.sender_location = PH_NONE, row.receiver_location = at;
			row.send_region = PH_NONE, row.receive_region = event->region;
			expect_row(row, window);
		}
}

static void
compare_rows(uint64_t seed, const PhMessage *rows, uint32_t n)
{
	if (n != n_expected)
		fail_msg("seed %llu: %u rows, not %u", (unsigned long long) seed, n, n_expected);
	for (uint32_t i = 0; i < n; i++)
		if (memcmp(&rows[i], &expected[i], sizeof(rows[i])) != 0)
			fail_msg("seed %llu: row %u", (unsigned long long) seed, i);
}

/* ---- tests ---- */

static PhStatus
visit_messages(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
			   const PhOpenCall *call)
{
	(void) call;
	return ph_messages_add_event(user, location, seq, event, &trace.truth[location][seq]);
}

static PhTraceWindow
random_window(uint64_t seed, bool *locations)
{
	Random random = {seed * 11 + 1};
	PhTraceWindow window = ph_window_all();
	if (random_below(&random, 3) == 0)
		return window;
	window.from = random_below(&random, 8000);
	window.to =
		random_below(&random, 4) == 0 ? INT64_MAX : window.from + random_below(&random, 6000);
	if (random_below(&random, 2) == 0)
		return window;
	for (uint32_t i = 0; i < COMM_LOCATIONS; i++)
		locations[i] = random_below(&random, 3) == 0;
	window.locations = locations;
	window.n_locations = trace.model.n_locations;
	return window;
}

static void
test_rows(void **state)
{
	uint64_t n_rows = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		bool locations[COMM_LOCATIONS];
		PhMessages *messages;
		const PhMessage *rows;
		uint32_t n;
		comm_random(seed, 20 + (uint32_t) seed % 300, &trace);
		must(ph_messages_new(&env, &trace.model, &messages));
		must(comm_visit_all(&trace, seed, visit_messages, messages));
		for (uint32_t turn = 0; turn < 2; turn++)
		{
			PhTraceWindow window = random_window(seed + turn, locations);
			must(ph_messages_rows(messages, &window, &rows, &n));
			expect_all(&window);
			compare_rows(seed, rows, n);
			n_rows += n;
		}
		ph_messages_free(messages);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_rows > 20 * N_TRACES);
}

/* What the server does: only the chunks that a window needs, then those of all senders' regions. */
typedef struct Server
{
	PhEnv *env;
	PhTraceWindow window;
	PhMessages *messages;
	bool everything;
	uint32_t n_chunks, n_added;
	uint32_t n_alone;
	PhMessage alone[MOST_ROWS];
} Server;

static PhStatus
stored_links(PhArena *arena, const PhChunk *chunk, const PhChunkReader *reader, PhBytes *bytes,
			 bool *sent_in_window, const PhTraceWindow *window)
{
	static PhLink links[COMM_EVENTS];
	static int64_t times[COMM_EVENTS];
	const uint8_t *kinds = ph_chunk_kinds(reader);
	uint32_t n = 0;
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		if (!ph_is_receive(kinds[i]))
			continue;
		links[n] = trace.truth[chunk->location][chunk->first_seq + i];
		times[n] = ph_chunk_times(reader)[i];
		if (links[n].location != PH_NONE)
		{
			first = links[n].time < first ? links[n].time : first;
			last = links[n].time > last ? links[n].time : last;
		}
		n++;
	}
	first = chunk->t_first < first ? chunk->t_first : first;
	last = chunk->t_last > last ? chunk->t_last : last;
	*sent_in_window = ph_window_overlaps(window, first, last);
	return ph_links_encode(arena, links, times, n, bytes);
}

static PhStatus
serve_chunk(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	Server *server = user;
	PhArena arena;
	PhBytes bytes;
	const PhLink *links;
	const PhMessage *rows;
	uint32_t n, n_links;
	bool wanted;
	ph_arena_init(&arena, server->env);
	PhStatus status = stored_links(&arena, chunk, reader, &bytes, &wanted, &server->window);
	server->n_chunks++;
	if (status == PH_OK && (wanted || server->everything))
	{
		server->n_added++;
		status = ph_links_of_chunk(&arena, chunk, reader, bytes, &links, &n_links);
		if (status == PH_OK)
			status = ph_messages_add_chunk(server->messages, chunk, reader, links, n_links);
		if (status == PH_OK)
			status = ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS | PH_WANT_MESSAGES);
		if (status == PH_OK)
			status = ph_messages_of_chunk(&arena, (uint32_t) trace.locations[chunk->location].rank,
										  chunk, reader, bytes, &server->window, &rows, &n);
		for (uint32_t i = 0; i < n && status == PH_OK; i++)
			server->alone[server->n_alone++] = rows[i];
	}
	ph_arena_drop(&arena);
	return status;
}

static PhStatus
serve(PhEnv *in, Server *server, uint64_t seed)
{
	PhStatus status = PH_OK;
	server->env = in;
	server->n_alone = 0;
	for (uint32_t at = trace.model.n_locations; at-- > 0 && status == PH_OK;)
		status = comm_visit_chunks(in, &trace, at, 1 + (uint32_t) seed % 60, serve_chunk, server);
	return status;
}

/* The rows of chunks alone: those with a receive, as all of them say but for the senders' regions.
 */
static void
compare_alone(uint64_t seed, Server *server)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_expected; i++)
	{
		bool found = expected[i].receive_time == PH_NO_TIME;
		n += !found;
		for (uint32_t r = 0; r < server->n_alone && !found; r++)
		{
			PhMessage row = server->alone[r];
			row.send_region = expected[i].send_region;
			found = memcmp(&row, &expected[i], sizeof(row)) == 0;
		}
		if (!found)
			fail_msg("seed %llu: row %u of no chunk", (unsigned long long) seed, i);
	}
	assert_int_equal(n, server->n_alone);
}

static void
test_chunks(void **state)
{
	static Server server;
	uint32_t n_spared = 0;
	(void) state;
	for (uint64_t seed = 0; seed < rounds(600); seed++)
	{
		bool locations[COMM_LOCATIONS];
		const PhMessage *rows;
		uint32_t n;
		comm_random(seed, 250, &trace);
		server.window = random_window(seed, locations);
		server.everything = seed % 3 == 0;
		server.n_chunks = server.n_added = 0;
		must(ph_messages_new(&env, &trace.model, &server.messages));
		must(serve(&env, &server, seed));
		must(ph_messages_rows(server.messages, &server.window, &rows, &n));
		expect_all(&server.window);
		compare_alone(seed, &server);
		for (uint32_t i = 0; i < n_expected && i < n; i++)
			if (!server.everything && rows[i].send_region == PH_NONE)
				expected[i].send_region = PH_NONE;
		compare_rows(seed, rows, n);
		ph_messages_free(server.messages);
		n_spared += server.n_chunks - server.n_added;
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_spared > 600);
}

static PhStatus
count_links(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	static PhLink none[COMM_EVENTS];
	uint32_t n = 0;
	for (uint32_t i = 0; i < chunk->n_events; i++)
		n += ph_is_receive(ph_chunk_kinds(reader)[i]);
	assert_int_equal(ph_messages_add_chunk(user, chunk, reader, none, n + 1), PH_ERR_FORMAT);
	must(ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS | PH_WANT_MESSAGES));
	if (n > 0)
		assert_int_equal(ph_messages_add_chunk(user, chunk, reader, none, n - 1), PH_ERR_FORMAT);
	return PH_OK;
}

static void
test_misuse(void **state)
{
	PhMessages *messages;
	PhTraceWindow window = ph_window_all();
	const PhMessage *rows;
	uint32_t n;
	(void) state;
	comm_random(8, 200, &trace);
	must(ph_messages_new(&env, &trace.model, &messages));
	must(comm_visit_chunks(&env, &trace, 0, 100, count_links, messages));
	assert_int_equal(
		ph_messages_add_event(messages, trace.model.n_locations, 0, &trace.events[0][0], NULL),
		PH_ERR_VALUE);
	must(ph_messages_rows(messages, &window, &rows, &n));
	assert_int_equal(ph_messages_add_event(messages, 0, 0, &trace.events[0][0], NULL),
					 PH_ERR_VALUE);
	ph_messages_free(messages);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
serve_in(PhEnv *in, void *user)
{
	static Server server;
	const PhMessage *rows;
	uint32_t n;
	server.window = ph_window_all();
	PH_TRY(ph_messages_new(in, &trace.model, &server.messages));
	PhStatus status = serve(in, &server, *(uint64_t *) user);
	if (status == PH_OK)
		status = ph_messages_rows(server.messages, &server.window, &rows, &n);
	ph_messages_free(server.messages);
	return status;
}

static void
test_faults(void **state)
{
	uint64_t seed = 59;
	(void) state;
	comm_random(3, 700, &trace);
	assert_string_equal(fault_env_try_allocations(serve_in, &seed, 0), "");
	assert_string_equal(fault_env_try_interrupts(serve_in, &seed, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
