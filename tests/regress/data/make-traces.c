/*
 * make-traces.c - the traces that traces.sql queries, as SQL: one made by hand, one at random.
 *
 * What the loader would store, encoded by the core; run it again when the chunk format changes:
 *
 *   make core && gcc -Iextension/core tests/regress/data/make-traces.c build/libphcore.a -llz4 -lm
 * \ -o build/make-traces && build/make-traces > tests/regress/data/traces.sql
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/collectives.h"
#include "trace/link.h"

#define MOST_CHUNKS 4096
#define MOST_DEPTH 6

enum
{
	MAIN,
	SOLVE,
	SEND,
	RECV,
	ISEND,
	IRECV,
	WAITALL,
	ALLREDUCE,
	BARRIER,
	SOLVE_OF_OTHER_FILE, /* of the same name */
	N_REGIONS
};

typedef struct RegionText
{
	const char *name, *file, *paradigm;
} RegionText;

static const RegionText regions[N_REGIONS] = {
	{"main", "main.c", "user"},	  {"solve", "solve.c", "user"}, {"MPI_Send", "", "mpi"},
	{"MPI_Recv", "", "mpi"},	  {"MPI_Isend", "", "mpi"},		{"MPI_Irecv", "", "mpi"},
	{"MPI_Waitall", "", "mpi"},	  {"MPI_Allreduce", "", "mpi"}, {"MPI_Barrier", "", "mpi"},
	{"solve", "other.c", "user"},
};

/* Locations by (rank, thread); the last one has metrics only. */
static const int32_t ranks[] = {0, 0, 1, 2, -1};
static const int32_t threads[] = {0, 1, 0, 0, -1};
#define N_LOCATIONS 5
#define N_RANKS 3

static const uint32_t world[] = {0, 1, 2};
static const uint32_t pair[] = {0, 2};

typedef struct Trace
{
	int run;
	uint32_t chunk_events;
	PhChunkWriter *writer;
	PhChunk chunks[MOST_CHUNKS];
	uint32_t n_chunks;
	uint64_t n_events, open_calls, unknown;
	int64_t last;
} Trace;

static PhEnv env;
static Trace trace;

static void *
reallocate(void *user, void *pointer, size_t old_size, size_t new_size)
{
	(void) user;
	(void) old_size;
	if (new_size > 0)
		return realloc(pointer, new_size);
	free(pointer);
	return NULL;
}

static void
must(PhStatus status)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "%s\n", env.error.message);
	exit(1);
}

static PhBytes
copy_of(PhBytes bytes)
{
	uint8_t *copy = malloc(bytes.size + 1);
	if (bytes.size > 0)
		memcpy(copy, bytes.data, bytes.size);
	return (PhBytes){copy, bytes.size};
}

static PhStatus
keep_chunk(void *user, const PhChunk *chunk)
{
	PhChunk *kept = &trace.chunks[trace.n_chunks++];
	(void) user;
	*kept = *chunk;
	kept->stack = copy_of(chunk->stack);
	kept->dt = copy_of(chunk->dt);
	kept->kind = copy_of(chunk->kind);
	kept->region = copy_of(chunk->region);
	kept->msg = copy_of(chunk->msg);
	kept->extra = copy_of(chunk->extra);
	return PH_OK;
}

/* ---- events ---- */

static void
begin(uint32_t location)
{
	must(ph_chunk_writer_new(&env, location, trace.chunk_events, keep_chunk, NULL, &trace.writer));
}

static void
end(void)
{
	must(ph_chunk_writer_finish(trace.writer));
	trace.n_events += ph_chunk_writer_events(trace.writer);
	trace.open_calls += ph_chunk_writer_open_calls(trace.writer);
	ph_chunk_writer_free(trace.writer);
}

static int64_t
at(int64_t time)
{
	trace.last = time > trace.last ? time : trace.last;
	return time;
}

static void
enter(int64_t time, uint32_t region)
{
	must(ph_chunk_writer_enter(trace.writer, at(time), region));
}

static void
leave(int64_t time)
{
	must(ph_chunk_writer_leave(trace.writer, at(time), PH_NONE));
}

static PhEvent
event_at(int64_t time, PhEventKind kind)
{
	return (PhEvent){.time = at(time),
					 .kind = kind,
					 .region = PH_NONE,
					 .peer = PH_NONE,
					 .comm = PH_NONE,
					 .root = PH_NONE};
}

static void
put(const PhEvent *event)
{
	must(ph_chunk_writer_event(trace.writer, event));
}

static void
message(int64_t time, PhEventKind kind, uint32_t peer, int32_t tag, uint64_t bytes,
		uint64_t request)
{
	PhEvent event = event_at(time, kind);
	event.peer = peer;
	event.comm = 0;
	event.tag = tag;
	event.bytes = bytes;
	event.request = request;
	put(&event);
}

static void
request_of(int64_t time, PhEventKind kind, uint64_t request)
{
	PhEvent event = event_at(time, kind);
	event.request = request;
	put(&event);
}

static void
collective(int64_t begins, int64_t ends, uint32_t operation, uint32_t comm, uint64_t bytes)
{
	PhEvent event = event_at(begins, PH_EVENT_COLLECTIVE_BEGIN);
	put(&event);
	event = event_at(ends, PH_EVENT_COLLECTIVE_END);
	event.operation = operation;
	event.comm = comm;
	event.bytes = event.bytes_received = bytes;
	put(&event);
}

static void
record(int64_t time, PhEventKind kind, uint32_t operation, uint32_t n, const uint64_t *values)
{
	PhEvent event = event_at(time, kind);
	event.operation = operation;
	event.n_values = n;
	event.values = values;
	trace.unknown += kind == PH_EVENT_OTHER;
	put(&event);
}

/* ---- by hand ---- */

/* Sends, waits for a late message, recursion; metrics beside calls. */
static void
rank_0(void)
{
	static const uint64_t instructions[] = {100, 350, 900};
	begin(0);
	record(0, PH_EVENT_METRIC, 0, 1, &instructions[0]);
	enter(0, MAIN);
	enter(10, SOLVE);
	enter(20, SOLVE);
	record(30, PH_EVENT_METRIC, 0, 1, &instructions[1]);
	leave(40);
	leave(50);
	enter(60, SEND);
	message(65, PH_EVENT_SEND, 1, 7, 80, 0);
	leave(70);
	enter(75, SOLVE_OF_OTHER_FILE);
	leave(95);
	enter(100, IRECV);
	request_of(101, PH_EVENT_IRECV_REQUEST, 1);
	leave(102);
	enter(104, ISEND);
	message(105, PH_EVENT_ISEND, 2, 9, 1024, 2);
	leave(106);
	enter(110, WAITALL);
	request_of(150, PH_EVENT_ISEND_COMPLETE, 2);
	message(180, PH_EVENT_IRECV, 2, 9, 16, 1);
	leave(190);
	record(195, PH_EVENT_METRIC, 0, 1, &instructions[2]);
	enter(200, ALLREDUCE);
	collective(200, 260, PH_COLLECTIVE_ALLREDUCE, 0, 8);
	leave(260);
	enter(270, BARRIER);
	collective(270, 300, PH_COLLECTIVE_BARRIER, 1, 0);
	leave(300);
	leave(310);
	end();
}

/* A thread: what is on and off, records without a meaning here. */
static void
thread_1_of_rank_0(void)
{
	static const uint64_t values[] = {3, 5};
	begin(1);
	enter(15, SOLVE);
	record(16, PH_EVENT_MEASUREMENT, 2, 0, NULL);
	record(20, PH_EVENT_MEASUREMENT, 1, 0, NULL);
	record(25, PH_EVENT_OTHER, PH_RECORD_UNKNOWN, 2, values);
	leave(55);
	end();
}

/* Waits for rank 0; sends what nobody receives. */
static void
rank_1(void)
{
	begin(2);
	enter(5, MAIN);
	enter(30, RECV);
	message(90, PH_EVENT_RECV, 0, 7, 80, 0);
	leave(92);
	enter(120, SEND);
	message(125, PH_EVENT_SEND, 2, 13, 80, 0);
	leave(130);
	enter(140, ALLREDUCE);
	collective(140, 260, PH_COLLECTIVE_ALLREDUCE, 0, 8);
	leave(261);
	leave(290);
	end();
}

/* Answers rank 0 early, receives before it was sent, and what nobody sent; is cut off in main. */
static void
rank_2(void)
{
	begin(3);
	enter(2, MAIN);
	enter(50, RECV);
	message(60, PH_EVENT_RECV, 1, 5, 4, 0);
	leave(62);
	enter(80, RECV);
	message(95, PH_EVENT_RECV, 0, 9, 1024, 0);
	leave(98);
	enter(150, SEND);
	message(155, PH_EVENT_SEND, 0, 9, 16, 0);
	leave(158);
	enter(240, ALLREDUCE);
	collective(240, 260, PH_COLLECTIVE_ALLREDUCE, 0, 8);
	leave(262);
	enter(280, BARRIER);
	collective(280, 300, PH_COLLECTIVE_BARRIER, 1, 0);
	leave(301);
	end();
}

static void
metrics_alone(void)
{
	static const double watts[] = {20, 25.5};
	uint64_t bits;
	begin(4);
	for (int i = 0; i < 2; i++)
	{
		memcpy(&bits, &watts[i], sizeof(bits));
		record(100 + 100 * i, PH_EVENT_METRIC, 1, 1, &bits);
	}
	end();
}

/* ---- at random ---- */

static uint64_t state = UINT64_C(88172645463325252);

static uint64_t
below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* Receives of a rank are posted in pieces; blocking ones and completions are mixed. */
static void
random_message(uint32_t location, int64_t time, uint64_t *posted)
{
	uint32_t peer = (uint32_t) ((uint64_t) ranks[location] + 1 + below(N_RANKS - 1)) % N_RANKS;
	int32_t tag = (int32_t) below(2);
	uint64_t bytes = below(10) == 0 ? UINT64_C(5000000000) : below(2000);
	switch (below(6))
	{
		case 0:
			message(time, PH_EVENT_SEND, peer, tag, bytes, 0);
			break;
		case 1:
			message(time, PH_EVENT_ISEND, peer, tag, bytes, 100 + below(3));
			break;
		case 2:
			request_of(time, PH_EVENT_IRECV_REQUEST, 200 + (*posted)++);
			break;
		case 3:
			if (*posted > 0)
				message(time, PH_EVENT_IRECV, peer, tag, bytes, 200 + --*posted);
			break;
		default:
			message(time, PH_EVENT_RECV, peer, tag, bytes, 0);
	}
}

static void
random_location(uint32_t location, uint32_t n_events)
{
	int64_t time = (int64_t) below(50);
	uint64_t posted = 0, count = 0, depth = 0;
	begin(location);
	for (uint32_t i = 0; i < n_events; i++)
	{
		uint64_t what = below(10);
		time += (int64_t) (below(4) == 0 ? 0 : below(1000));
		if (below(200) == 0)
			time += INT64_C(6000000000); /* more than 32 bits */
		if (what < 4 && depth < MOST_DEPTH)
		{
			enter(time, (uint32_t) below(N_REGIONS));
			depth++;
		}
		else if (what < 7 && depth > 0)
		{
			leave(time);
			depth--;
		}
		else if (what == 7)
			record(time, PH_EVENT_METRIC, 0, 1, (count += below(500), &count));
		else if (what == 8 && i % 5 == 0 && threads[location] == 0)
			collective(time, time + (int64_t) below(300), PH_COLLECTIVE_ALLREDUCE, 0, below(64));
		else
			random_message(location, time, &posted);
		time = trace.last > time && what == 8 ? time + 300 : time;
	}
	while (depth-- > (location == 2 ? 1 : 0))
		leave(time += 5);
	end();
}

/* ---- as SQL ---- */

static void
print_bytes(const char *before, PhBytes bytes)
{
	printf("%s'\\x", before);
	for (size_t i = 0; i < bytes.size; i++)
		printf("%02x", bytes.data[i]);
	putchar('\'');
}

static void
print_definitions(void)
{
	printf("INSERT INTO perfhouse.run (run_id, fingerprint, state, application, title, format, "
		   "n_ranks, n_columns, n_units)"
		   " VALUES (%d, 'trace %d', 'ready', 'traced', 'trace', 'otf2', 3, 4, 4);\n",
		   trace.run, trace.run);
	for (int i = 0; i < N_LOCATIONS - 1; i++)
		printf("INSERT INTO perfhouse.location (run_id, location_id, rank, thread, host) VALUES "
			   "(%d, %d, %d, %d, 'node%d');\n",
			   trace.run, i, ranks[i], threads[i], ranks[i] / 2);
	for (int i = 0; i < N_REGIONS; i++)
	{
		int64_t id = (int64_t) ph_hash_region(PH_KIND_FUNCTION, regions[i].name, "",
											  regions[i].file, PH_NO_NUMBER);
		printf("INSERT INTO perfhouse.region (region_id, kind, name, file) VALUES (%" PRId64
			   ", 0, '%s', nullif('%s', '')) ON CONFLICT DO NOTHING;\n",
			   id, regions[i].name, regions[i].file);
		printf("INSERT INTO perfhouse.trace_region VALUES (%d, %d, %" PRId64
			   ", '%s', '%s', 'function');\n",
			   trace.run, i, id, regions[i].name, regions[i].paradigm);
	}
	printf("INSERT INTO perfhouse.trace_communicator VALUES (%d, 0, 'MPI_COMM_WORLD', NULL, true, "
		   "'{0,1,2}'),"
		   " (%d, 1, 'even', 0, true, '{0,2}');\n",
		   trace.run, trace.run);
	printf("INSERT INTO perfhouse.trace_metric VALUES (%d, 0, 0, 'PAPI_TOT_INS', '#', 0, true, 1),"
		   " (%d, 1, 0, 'power', 'W', 2, false, 0.001);\n",
		   trace.run, trace.run);
}

static void
print_chunk(const PhChunk *chunk)
{
	printf("INSERT INTO perfhouse.trace_chunk VALUES (%d, %u, %u, %d, %u, %u, %u, %" PRIu64
		   ", %" PRId64 ", %" PRId64 ", %" PRId64,
		   trace.run, chunk->location, chunk->chunk_no, chunk->format, chunk->n_events,
		   chunk->n_enter, chunk->n_message, chunk->first_seq, chunk->t_prev, chunk->t_first,
		   chunk->t_last);
	print_bytes(", ", chunk->stack);
	print_bytes(", ", chunk->dt);
	print_bytes(", ", chunk->kind);
	print_bytes(", ", chunk->region);
	print_bytes(", ", chunk->msg);
	print_bytes(", ", chunk->extra);
	printf(");\n");
}

static uint32_t
receive_times(PhChunkReader *reader, const PhChunk *chunk, int64_t *times)
{
	uint32_t n = 0;
	must(ph_chunk_reader_open(reader, chunk, PH_WANT_TIMES));
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		uint8_t kind = ph_chunk_kinds(reader)[i];
		if (kind == PH_EVENT_RECV || kind == PH_EVENT_IRECV)
			times[n++] = ph_chunk_times(reader)[i];
	}
	return n;
}

static void
print_links(const PhChunk *chunk, const PhLink *links, const int64_t *times, uint32_t n)
{
	PhArena arena;
	PhBytes bytes;
	int64_t least = INT64_MAX, most = 0;
	if (n == 0)
		return;
	for (uint32_t i = 0; i < n; i++)
	{
		if (links[i].location == PH_NONE)
			continue;
		least = links[i].time < least ? links[i].time : least;
		most = links[i].time > most ? links[i].time : most;
	}
	ph_arena_init(&arena, &env);
	must(ph_links_encode(&arena, links, times, n, &bytes));
	printf("INSERT INTO perfhouse.message_chunk VALUES (%d, %u, %u, %u, %" PRId64 ", %" PRId64,
		   trace.run, chunk->location, chunk->chunk_no, n, least < most ? least : most, most);
	print_bytes(", ", bytes);
	printf(");\n");
	ph_arena_drop(&arena);
}

static void
print_trace(PhMatchCounts counts)
{
	printf("INSERT INTO perfhouse.trace (run_id, n_locations, n_events, duration, n_messages,"
		   " unmatched_sends, unmatched_receives, reversed_messages, worst_reversal, open_calls,"
		   " unknown_records) VALUES (%d, %d, %" PRIu64 ", %" PRId64 ", %" PRIu64 ", %" PRIu64
		   ", %" PRIu64 ", %" PRIu64 ", %" PRId64 ", %" PRIu64 ", %" PRIu64 ");\n",
		   trace.run, N_LOCATIONS, trace.n_events, trace.last, counts.messages,
		   counts.unmatched_sends, counts.unmatched_receives, counts.reversed,
		   counts.worst_reversal, trace.open_calls, trace.unknown);
}

static void
print_run(void)
{
	PhTraceLocation locations[N_LOCATIONS];
	PhTraceCommunicator communicators[] = {{"MPI_COMM_WORLD", PH_NONE, true, 3, world},
										   {"even", 0, true, 2, pair}};
	uint32_t rank_location[] = {0, 2, 3};
	PhTraceModel model = {.n_locations = N_LOCATIONS,
						  .n_regions = N_REGIONS,
						  .n_communicators = 2,
						  .n_ranks = N_RANKS,
						  .locations = locations,
						  .communicators = communicators,
						  .rank_location = rank_location};
	PhMatcher *matcher;
	PhMatchCounts counts;
	PhChunkReader *reader;
	static int64_t times[PH_CHUNK_EVENTS];
	uint64_t first = 0, n_links;
	for (int i = 0; i < N_LOCATIONS; i++)
		locations[i] = (PhTraceLocation){.rank = ranks[i], .thread = threads[i]};
	must(ph_matcher_new(&env, &model, &matcher));
	must(ph_chunk_reader_new(&env, &reader));
	for (uint32_t i = 0; i < trace.n_chunks; i++)
	{
		must(ph_chunk_reader_open(reader, &trace.chunks[i], PH_WANT_CALLS | PH_WANT_MESSAGES));
		must(ph_matcher_add_chunk(matcher, &trace.chunks[i], reader));
	}
	must(ph_matcher_match(matcher, &counts));
	print_definitions();
	print_trace(counts);
	for (uint32_t i = 0; i < trace.n_chunks; i++)
	{
		const PhChunk *chunk = &trace.chunks[i];
		const PhLink *links = ph_matcher_links(matcher, chunk->location, &n_links);
		first = chunk->chunk_no == 0 ? 0 : first;
		uint32_t n = receive_times(reader, chunk, times);
		print_chunk(chunk);
		print_links(chunk, links + first, times, n);
		first += n;
	}
	ph_chunk_reader_free(reader);
	ph_matcher_free(matcher);
}

static void
start(int run, uint32_t chunk_events)
{
	memset(&trace, 0, sizeof(trace));
	trace.run = run;
	trace.chunk_events = chunk_events;
}

int
main(void)
{
	env.alloc = reallocate;
	printf("-- Made by make-traces.c.\n");
	start(901, 6);
	rank_0();
	thread_1_of_rank_0();
	rank_1();
	rank_2();
	metrics_alone();
	print_run();
	start(902, 32);
	for (uint32_t i = 0; i < N_LOCATIONS - 1; i++)
		random_location(i, 400);
	print_run();
	return 0;
}
