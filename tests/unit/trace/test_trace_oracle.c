/*
 * test_trace_oracle.c - matching, communication and critical path against Pipit's answers.
 *
 * Events come from Pipit's own table, so that the same events are compared. Pipit goes to the
 * sender at every receive. Its path of ring4 is left out: it goes forward in time there (to sends
 * that were received an iteration later).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json.h>

#include "blame/critical_path.h"
#include "support/skeleton.h"
#include "trace/comm.h"

#define MOST_FIELDS 16
#define MOST_LINE 1000

static PhEnv env;
static CommTrace trace;
static uint32_t row_of[COMM_LOCATIONS][COMM_EVENTS]; /* by event: its row in Pipit's table */

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---- tables ---- */

static FILE *
open_oracle(const char *folder, const char *name)
{
	char path[400];
	snprintf(path, sizeof(path), "%s/../shared/oracle/pipit/%s/%s", PH_SOURCE_DIR, folder, name);
	return fopen(path, "r");
}

/* The fields of a line in place; quoted ones may hold commas. */
static uint32_t
split_line(char *line, char **fields)
{
	uint32_t n = 0;
	bool quoted = false;
	line[strcspn(line, "\n")] = '\0';
	fields[n++] = line;
	for (char *at = line; *at != '\0'; at++)
	{
		quoted = quoted != (*at == '"');
		if (*at != ',' || quoted || n == MOST_FIELDS)
			continue;
		*at = '\0';
		fields[n++] = at + 1;
	}
	return n;
}

/* Number behind "'name': " in the text of a record's attributes. */
static uint32_t
attribute(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	assert_non_null(at);
	return (uint32_t) strtoul(at + strlen(name) + 3, NULL, 10);
}

static uint32_t
region_of(const char *name)
{
	return strcmp(name, "MPI_Send") == 0   ? COMM_SEND
		   : strcmp(name, "MPI_Recv") == 0 ? COMM_RECV
										   : COMM_MAIN;
}

static void
add_event(char **fields)
{
	uint32_t at = (uint32_t) strtoul(fields[5], NULL, 10), seq = trace.n_events[at]++;
	PhEvent *event = &trace.events[at][seq];
	*event = (PhEvent){.time = (int64_t) strtod(fields[1], NULL), .kind = PH_EVENT_OTHER};
	event->region = region_of(fields[3]);
	event->peer = event->comm = PH_NONE;
	row_of[at][seq] = (uint32_t) strtoul(fields[0], NULL, 10);
	trace.truth[at][seq] = (PhLink){PH_NONE, 0, PH_NO_TIME};
	trace.instance[at][seq] = PH_NONE;
	if (strcmp(fields[2], "Enter") == 0)
		event->kind = PH_EVENT_ENTER;
	if (strcmp(fields[2], "Leave") == 0)
		event->kind = PH_EVENT_LEAVE;
	bool sends = strcmp(fields[3], "MpiSend") == 0, receives = strcmp(fields[3], "MpiRecv") == 0;
	if (!sends && !receives)
		return;
	event->kind = sends ? PH_EVENT_SEND : PH_EVENT_RECV;
	event->comm = 0;
	event->peer = attribute(fields[6], sends ? "receiver" : "sender");
	event->tag = (int32_t) attribute(fields[6], "msg_tag");
	event->bytes = attribute(fields[6], "msg_length");
}

/* False, and a skip, without the oracle. */
static bool
read_trace(const char *folder)
{
	char line[MOST_LINE], *fields[MOST_FIELDS];
	FILE *file = open_oracle(folder, "events.csv");
	if (file == NULL)
		return false;
	memset(&trace.model, 0, sizeof(trace.model));
	memset(trace.n_events, 0, sizeof(trace.n_events));
	trace.model.locations = trace.locations;
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file) != NULL)
	{
		assert_true(split_line(line, fields) >= 7);
		add_event(fields);
	}
	fclose(file);
	for (uint32_t at = 0; at < COMM_LOCATIONS && trace.n_events[at] > 0; at++)
	{
		trace.locations[at] = (PhTraceLocation){.rank = (int32_t) at};
		trace.model.n_locations = trace.model.n_ranks = at + 1;
	}
	return true;
}

/* ---- tests ---- */

static PhStatus
visit_matcher(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
			  const PhOpenCall *call)
{
	(void) call;
	return ph_matcher_add_event(user, location, seq, event);
}

/* Matches the messages and keeps the links as the trace's truth. */
static void
match_messages(void)
{
	PhMatcher *matcher;
	PhMatchCounts counts;
	must(ph_matcher_new(&env, &trace.model, &matcher));
	must(comm_visit_all(&trace, 1, visit_matcher, matcher));
	must(ph_matcher_match(matcher, &counts));
	assert_int_equal(counts.unmatched_sends + counts.unmatched_receives, 0);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		uint64_t n, next = 0;
		const PhLink *links = ph_matcher_links(matcher, at, &n);
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			if (ph_is_receive(trace.events[at][i].kind))
				trace.truth[at][i] = links[next++];
	}
	ph_matcher_free(matcher);
}

static void
check_pairs(const char *folder)
{
	char line[MOST_LINE], *fields[MOST_FIELDS];
	FILE *file = open_oracle(folder, "message_pairs_ref.csv");
	uint32_t n_pairs = 0, n_receives = 0;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file) != NULL)
	{
		bool found = false;
		split_line(line, fields);
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			for (uint32_t i = 0; i < trace.n_events[at]; i++)
			{
				const PhLink *link = &trace.truth[at][i];
				found =
					found ||
					(link->location != PH_NONE && row_of[at][i] == strtoul(fields[1], NULL, 10) &&
					 row_of[link->location][link->seq] == strtoul(fields[0], NULL, 10));
			}
		assert_true(found);
		n_pairs++;
	}
	fclose(file);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			n_receives += ph_is_receive(trace.events[at][i].kind);
	assert_int_equal(n_pairs, n_receives);
}

typedef struct Tallying
{
	PhArena *arena;
	PhCommTally what;
	void *tally;
} Tallying;

static PhStatus
visit_tally(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
			const PhOpenCall *call)
{
	Tallying *tallying = user;
	(void) seq;
	(void) call;
	tallying->what.rank = location;
	return ph_comm_tally_event(tallying->arena, &tallying->what, event, &tallying->tally);
}

static void *
tally_all(PhArena *arena, PhCommKey key, PhTimeBins bins)
{
	Tallying tallying = {arena, {key, 0, bins}, NULL};
	must(comm_visit_all(&trace, 2, visit_tally, &tallying));
	return tallying.tally;
}

/* A table of numbers without a header, or from its second line and column on. */
static uint64_t
table_cell(const char *folder, const char *name, uint32_t row, uint32_t column)
{
	char line[MOST_LINE], *fields[MOST_FIELDS];
	FILE *file = open_oracle(folder, name);
	assert_non_null(file);
	for (uint32_t i = 0; i <= row; i++)
		assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	assert_true(split_line(line, fields) > column);
	return (uint64_t) strtod(fields[column], NULL);
}

static void
check_matrix(PhArena *arena, const char *folder)
{
	const PhCommPair *pairs;
	uint32_t n, next = 0, n_ranks = trace.model.n_ranks;
	must(ph_comm_matrix(arena, tally_all(arena, PH_COMM_PAIR, ph_bins_all()), &pairs, &n));
	for (uint32_t from = 0; from < n_ranks; from++)
		for (uint32_t to = 0; to < n_ranks; to++)
		{
			bool occurs = next < n && pairs[next].sender == from && pairs[next].receiver == to;
			uint64_t messages = occurs ? pairs[next].messages : 0;
			assert_int_equal(messages, table_cell(folder, "comm_matrix_count.csv", from, to));
			assert_int_equal(occurs ? pairs[next].bytes : 0,
							 table_cell(folder, "comm_matrix_size.csv", from, to));
			next += occurs;
		}
	assert_int_equal(next, n);
}

static void
check_processes(PhArena *arena, const char *folder)
{
	const PhProcessComm *ranks;
	uint32_t n;
	must(ph_comm_by_process(arena, tally_all(arena, PH_COMM_PROCESS, ph_bins_all()), &ranks, &n));
	assert_int_equal(n, trace.model.n_ranks);
	for (uint32_t i = 0; i < n; i++)
	{
		const char *counts = "comm_by_process_count.csv", *sizes = "comm_by_process_size.csv";
		assert_int_equal(ranks[i].messages_sent, table_cell(folder, counts, i + 1, 1));
		assert_int_equal(ranks[i].messages_received, table_cell(folder, counts, i + 1, 2));
		assert_int_equal(ranks[i].bytes_sent, table_cell(folder, sizes, i + 1, 1));
		assert_int_equal(ranks[i].bytes_received, table_cell(folder, sizes, i + 1, 2));
	}
}

static double
bar(struct json_object *results, const char *name, const char *list, uint32_t index)
{
	struct json_object *histogram, *values;
	assert_true(json_object_object_get_ex(results, name, &histogram));
	assert_true(json_object_object_get_ex(histogram, list, &values));
	return json_object_get_double(json_object_array_get_idx(values, index));
}

static void
check_histograms(PhArena *arena, const char *folder)
{
	char path[400];
	const PhSizeBin *sizes;
	const PhTimeBin *times;
	uint32_t n;
	snprintf(path, sizeof(path), "%s/../shared/oracle/pipit/%s/results.json", PH_SOURCE_DIR,
			 folder);
	struct json_object *results = json_object_from_file(path);
	assert_non_null(results);
	must(ph_comm_histogram(arena, tally_all(arena, PH_COMM_SIZE, ph_bins_all()), 5, &sizes, &n));
	assert_int_equal(n, 5);
	for (uint32_t i = 0; i < 5; i++)
	{
		const char *name = "message_histogram_5bins";
		assert_int_equal(sizes[i].messages, (uint64_t) bar(results, name, "hist", i));
		assert_int_equal(sizes[i].low, (uint64_t) (bar(results, name, "edges", i) + 1e-6));
		assert_int_equal(sizes[i].high, (uint64_t) (bar(results, name, "edges", i + 1) + 1e-6));
	}
	const char *counts = "comm_over_time_count_send_5bins",
			   *bytes = "comm_over_time_size_send_5bins";
	PhTimeBins bins = {(int64_t) bar(results, counts, "edges", 0),
					   (int64_t) bar(results, counts, "edges", 5), 5};
	must(ph_comm_over_time(arena, tally_all(arena, PH_COMM_TIME, bins), &bins, &times));
	for (uint32_t i = 0; i < 5; i++)
	{
		assert_int_equal(times[i].messages, (uint64_t) bar(results, counts, "hist", i));
		assert_int_equal(times[i].bytes, (uint64_t) bar(results, bytes, "hist", i));
		assert_true(fabs((double) times[i].start - bar(results, counts, "edges", i)) < 2);
	}
	json_object_put(results);
}

static void
compare_communication(const char *folder)
{
	PhArena arena;
	if (!read_trace(folder))
		skip();
	ph_arena_init(&arena, &env);
	match_messages();
	check_pairs(folder);
	check_matrix(&arena, folder);
	check_processes(&arena, folder);
	check_histograms(&arena, folder);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

static void
test_ping_pong(void **state)
{
	(void) state;
	compare_communication("ping-pong-otf2");
}

static void
test_ring(void **state)
{
	(void) state;
	compare_communication("ring4-otf2");
}

static PhStatus
visit_path(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
		   const PhOpenCall *call)
{
	(void) seq;
	return ph_critical_path_add_event(user, location, event, call);
}

/* Pipit lists leaves backwards; at each MPI_Recv the next row is the sender's MPI_Send. */
static void
check_path(const PhPathSegment *segments, uint32_t n)
{
	char line[MOST_LINE], *fields[MOST_FIELDS];
	FILE *file = open_oracle("ping-pong-otf2", "critical_path_branch_0.csv");
	uint32_t left = n, n_jumps = 0, last_rank = PH_NONE;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file) != NULL)
	{
		split_line(line, fields);
		uint32_t rank = (uint32_t) strtoul(fields[4], NULL, 10);
		last_rank = rank;
		if (strcmp(fields[3], "MPI_Recv") != 0)
			continue;
		while (left > 0 && segments[left - 1].peer == PH_NONE)
			left--;
		assert_true(left > 0);
		const PhPathSegment *segment = &segments[--left], *receive = segment;
		while (receive->region != COMM_RECV && receive + 1 < segments + n)
			receive++; /* the send came before the receive was entered */
		assert_int_equal(receive->location, rank);
		assert_int_equal(receive->kind, PH_PATH_MESSAGE);
		assert_int_equal(receive->to, (int64_t) strtod(fields[1], NULL));
		assert_non_null(fgets(line, sizeof(line), file));
		split_line(line, fields);
		assert_string_equal(fields[3], "MPI_Send");
		assert_int_equal(segment->peer, strtoul(fields[4], NULL, 10));
		last_rank = segment->peer;
		n_jumps++;
	}
	fclose(file);
	while (left > 0 && segments[left - 1].peer == PH_NONE)
		left--;
	assert_int_equal(left, 0);
	assert_int_equal(n_jumps, 15);
	assert_int_equal(segments[0].location, last_rank);
}

#define MOST_EDGES 1000

/* Pipit goes to the sender at every receive, whether it waited or not. */
static void
list_receives(const PhSkeleton *skeleton, PhWait *edges, uint32_t *n, uint32_t *first)
{
	*n = 0;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
	{
		const PhCommLocation *location = &skeleton->locations[at];
		first[at] = *n;
		for (uint32_t i = 0; i < location->n_ends; i++)
		{
			const PhCommEnd *end = &location->ends[i];
			if (!ph_is_receive(end->kind))
				continue;
			assert_true(*n < MOST_EDGES);
			int64_t sent = skeleton->locations[end->partner_location].ends[end->partner].time;
			edges[(*n)++] =
				(PhWait){.from = sent, .to = sent, .victim = at, .awaited = end->partner_location};
		}
	}
	first[skeleton->n_locations] = *n;
}

static void
test_critical_path(void **state)
{
	PhSkeleton *skeleton;
	PhCriticalPath *path;
	PhPathOptions options = {.is_merged = false};
	PhWait edges[MOST_EDGES];
	uint32_t first[COMM_LOCATIONS + 1];
	PhWaitStates waits = {.waits = edges, .first = first};
	const PhPathSegment *segments;
	uint32_t n;
	(void) state;
	if (!read_trace("ping-pong-otf2"))
		skip();
	match_messages();
	must(skeleton_of(&env, &trace, 1, &skeleton));
	list_receives(skeleton, edges, &waits.n, first);
	must(ph_critical_path_new(&env, skeleton, &waits, &options, &path));
	must(comm_visit_all(&trace, 0, visit_path, path));
	must(ph_critical_path_segments(path, &segments, &n));
	check_path(segments, n);
	ph_critical_path_free(path);
	ph_skeleton_free(skeleton);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ping_pong),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_critical_path),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
