/*
 * bench_trace.c - how fast event chunks are written, read and reduced, and how large they are.
 *
 *   bench_trace [quick]
 *
 * Events of one location of a halo exchange: nested functions, four neighbours, non-blocking
 * messages, an allreduce; times jitter as measured ones do. Prints a line for each measurement:
 * name, events, nanoseconds an event, million events a CPU second, bytes an event, separated by
 * tabs. The best of the rounds counts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tiles/pyramid.h"
#include "trace/chunk/chunk.h"
#include "trace/region_profile.h"
#include "trace/tree/tree.h"

#define MOST_PATTERN 65536
#define ROUNDS 9

enum
{
	MAIN,
	STEP,
	COMPUTE,
	PACK,
	IRECV,
	ISEND,
	WAITALL,
	ALLREDUCE,
	INNER
};

typedef struct Pattern
{
	uint32_t n;
	int64_t time;
	uint32_t depth;
	uint64_t request;
	uint64_t random;
	int64_t times[MOST_PATTERN];
	uint8_t kinds[MOST_PATTERN];
	uint32_t regions[MOST_PATTERN];
	PhEvent events[MOST_PATTERN]; /* of kinds other than ENTER and LEAVE */
} Pattern;

typedef struct Chunks
{
	uint32_t n, capacity;
	PhChunk *chunks;
	size_t bytes[6];
	uint64_t n_events;
	bool keep;
} Chunks;

static double
cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

static void
must(PhEnv *env, PhStatus status)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "bench_trace: %s: %s\n", ph_status_name(status), env->error.message);
	exit(1);
}

/* ---- the pattern ---- */

static double
random_share(Pattern *pattern)
{
	pattern->random = pattern->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (double) (pattern->random >> 40) / (double) (1 << 24);
}

/* Usually near the median, at times several times that: what function times look like. */
static void
pass_time(Pattern *pattern, double median)
{
	double normal = -6;
	for (int i = 0; i < 12; i++)
		normal += random_share(pattern);
	pattern->time += (int64_t) (median * exp(0.35 * normal)) + 1;
}

static PhEvent *
add(Pattern *pattern, PhEventKind kind, uint32_t region)
{
	uint32_t i = pattern->n++;
	pattern->times[i] = pattern->time;
	pattern->kinds[i] = (uint8_t) kind;
	pattern->regions[i] = region;
	pattern->events[i] = (PhEvent){.time = pattern->time,
								   .kind = kind,
								   .region = region,
								   .peer = PH_NONE,
								   .comm = PH_NONE,
								   .root = PH_NONE};
	return &pattern->events[i];
}

static void
enter(Pattern *pattern, uint32_t region, double before)
{
	pass_time(pattern, before);
	add(pattern, PH_EVENT_ENTER, region);
}

static void
leave(Pattern *pattern, uint32_t region, double before)
{
	pass_time(pattern, before);
	add(pattern, PH_EVENT_LEAVE, region);
}

static void
message(Pattern *pattern, PhEventKind kind, uint32_t neighbour, uint64_t request)
{
	static const uint32_t peers[] = {27, 29, 20, 36};
	PhEvent *event = add(pattern, kind, PH_NONE);
	event->request = request;
	if (!(ph_event_operands(kind) & PH_OPERAND_PEER))
		return;
	event->peer = peers[neighbour];
	event->comm = 0;
	event->tag = 100 + (int32_t) neighbour;
	event->bytes = neighbour < 2 ? 8192 : 65536;
}

static void
exchange(Pattern *pattern)
{
	uint64_t first = pattern->request;
	for (uint32_t i = 0; i < 4; i++)
	{
		enter(pattern, IRECV, 180);
		message(pattern, PH_EVENT_IRECV_REQUEST, i, pattern->request++);
		leave(pattern, IRECV, 420);
	}
	for (uint32_t i = 0; i < 4; i++)
	{
		enter(pattern, PACK, 150);
		leave(pattern, PACK, 2500);
		enter(pattern, ISEND, 160);
		message(pattern, PH_EVENT_ISEND, i, pattern->request++);
		leave(pattern, ISEND, 900);
	}
	enter(pattern, WAITALL, 200);
	pass_time(pattern, 15000);
	for (uint32_t i = 0; i < 4; i++)
		message(pattern, PH_EVENT_IRECV, i, first + i);
	for (uint32_t i = 0; i < 4; i++)
		message(pattern, PH_EVENT_ISEND_COMPLETE, i, first + 4 + i);
	leave(pattern, WAITALL, 300);
}

static void
reduce_all(Pattern *pattern)
{
	enter(pattern, ALLREDUCE, 250);
	add(pattern, PH_EVENT_COLLECTIVE_BEGIN, PH_NONE);
	pass_time(pattern, 20000);
	PhEvent *event = add(pattern, PH_EVENT_COLLECTIVE_END, PH_NONE);
	event->comm = 0;
	event->operation = PH_COLLECTIVE_ALLREDUCE;
	event->bytes = event->bytes_received = 8;
	leave(pattern, ALLREDUCE, 200);
}

static void
make_pattern(Pattern *pattern)
{
	memset(pattern, 0, sizeof(*pattern));
	while (pattern->n + 200 < MOST_PATTERN)
	{
		enter(pattern, STEP, 300);
		exchange(pattern);
		enter(pattern, COMPUTE, 200);
		for (uint32_t i = 0; i < 20 + 8 * random_share(pattern); i++)
		{
			enter(pattern, INNER + i % 6, 120);
			leave(pattern, INNER + i % 6, 3000);
		}
		leave(pattern, COMPUTE, 500);
		reduce_all(pattern);
		leave(pattern, STEP, 200);
	}
	pass_time(pattern, 200);
}

/* ---- chunks ---- */

static PhBytes
copy_of(PhBytes bytes)
{
	uint8_t *data = malloc(bytes.size > 0 ? bytes.size : 1);
	if (bytes.size > 0)
		memcpy(data, bytes.data, bytes.size);
	return (PhBytes){data, bytes.size};
}

static PhStatus
take_chunk(void *user, const PhChunk *chunk)
{
	Chunks *chunks = user;
	const PhBytes columns[6] = {chunk->stack,  chunk->dt,  chunk->kind,
								chunk->region, chunk->msg, chunk->extra};
	chunks->n_events += chunk->n_events;
	for (int i = 0; i < 6; i++)
		chunks->bytes[i] += columns[i].size;
	if (!chunks->keep)
		return PH_OK;
	if (chunks->n == chunks->capacity)
	{
		chunks->capacity = 2 * chunks->capacity + 64;
		chunks->chunks = realloc(chunks->chunks, chunks->capacity * sizeof(PhChunk));
	}
	PhChunk *copy = &chunks->chunks[chunks->n++];
	*copy = *chunk;
	copy->stack = copy_of(chunk->stack);
	copy->dt = copy_of(chunk->dt);
	copy->kind = copy_of(chunk->kind);
	copy->region = copy_of(chunk->region);
	copy->msg = copy_of(chunk->msg);
	copy->extra = copy_of(chunk->extra);
	return PH_OK;
}

static PhStatus
write_one(PhChunkWriter *writer, const Pattern *pattern, int64_t base, uint32_t i)
{
	if (pattern->kinds[i] == PH_EVENT_ENTER)
		return ph_chunk_writer_enter(writer, base + pattern->times[i], pattern->regions[i]);
	if (pattern->kinds[i] == PH_EVENT_LEAVE)
		return ph_chunk_writer_leave(writer, base + pattern->times[i], pattern->regions[i]);
	PhEvent event = pattern->events[i];
	event.time += base;
	return ph_chunk_writer_event(writer, &event);
}

/* What the loop itself costs: events go nowhere. */
static PhStatus __attribute__((noinline)) drop(const void *pointer, int64_t time, uint32_t region)
{
	__asm__ volatile("" ::"r"(pointer), "r"(time), "r"(region) : "memory");
	return PH_OK;
}

static PhStatus
drop_one(const Pattern *pattern, int64_t base, uint32_t i)
{
	if (pattern->kinds[i] == PH_EVENT_ENTER || pattern->kinds[i] == PH_EVENT_LEAVE)
		return drop(pattern, base + pattern->times[i], pattern->regions[i]);
	PhEvent event = pattern->events[i];
	event.time += base;
	return drop(&event, base, 0);
}

static double
drop_events(PhEnv *env, const Pattern *pattern, uint64_t n_events, bool calls_only)
{
	double start = cpu_seconds();
	for (uint64_t n = 0; n < n_events;)
		for (uint32_t i = 0; i < pattern->n; i++)
			if (!calls_only || pattern->kinds[i] <= PH_EVENT_LEAVE)
			{
				must(env, drop_one(pattern, (int64_t) n, i));
				n++;
			}
	return cpu_seconds() - start;
}

static double
write_events(PhEnv *env, const Pattern *pattern, uint64_t n_events, bool calls_only, Chunks *chunks)
{
	PhChunkWriter *writer;
	must(env, ph_chunk_writer_new(env, 0, 0, take_chunk, chunks, &writer));
	int64_t base = 0;
	must(env, ph_chunk_writer_enter(writer, 0, MAIN));
	double start = cpu_seconds();
	while (ph_chunk_writer_events(writer) < n_events)
	{
		for (uint32_t i = 0; i < pattern->n; i++)
			if (!calls_only || pattern->kinds[i] <= PH_EVENT_LEAVE)
				must(env, write_one(writer, pattern, base, i));
		base += pattern->time;
	}
	must(env, ph_chunk_writer_finish(writer));
	double seconds = cpu_seconds() - start;
	ph_chunk_writer_free(writer);
	return seconds;
}

static void
report(const char *name, uint64_t n_events, double seconds, size_t bytes)
{
	double n = (double) n_events;
	printf("%s\t%llu\t%.3f\t%.1f\t%.3f\n", name, (unsigned long long) n_events, seconds / n * 1e9,
		   n / seconds / 1e6, (double) bytes / n);
	fflush(stdout);
}

static size_t
total(const Chunks *chunks)
{
	size_t bytes = 0;
	for (int i = 0; i < 6; i++)
		bytes += chunks->bytes[i];
	return bytes;
}

static void
bench_write(PhEnv *env, const Pattern *pattern, uint64_t n_events, bool calls_only)
{
	double best = 1e9, loop = 1e9;
	Chunks chunks = {0};
	for (int round = 0; round < ROUNDS; round++)
	{
		double idle = drop_events(env, pattern, n_events, calls_only);
		loop = idle < loop ? idle : loop;
		memset(&chunks, 0, sizeof(chunks));
		double seconds = write_events(env, pattern, n_events, calls_only, &chunks);
		best = seconds < best ? seconds : best;
	}
	report(calls_only ? "encode calls" : "encode all", chunks.n_events, best - loop,
		   total(&chunks));
}

/* ---- reading ---- */

static int64_t checksum;

typedef enum How
{
	ARRAYS,
	CURSOR,
	PROFILE,
	TREE
} How;

static PhStatus
walk(PhChunkReader *reader, const PhChunk *chunk, How how, PhRegionProfile *profile,
	 PhTraceTree *tree)
{
	PhEvent event;
	if (how == ARRAYS)
		checksum += ph_chunk_times(reader)[0];
	while (how == CURSOR && ph_chunk_next(reader, &event))
		checksum += event.time;
	if (how == PROFILE)
		return ph_region_profile_add_chunk(profile, chunk, reader, INT64_MIN, INT64_MAX);
	if (how == TREE)
		return ph_trace_tree_add_chunk(tree, chunk, reader, INT64_MIN, INT64_MAX);
	return PH_OK;
}

static void
bench_read(PhEnv *env, const Chunks *chunks, const char *name, uint32_t want, How how)
{
	double best = 1e9;
	PhChunkReader *reader;
	PhRegionProfile *profile;
	PhTraceTree *tree;
	must(env, ph_chunk_reader_new(env, &reader));
	must(env, ph_region_profile_new(env, &profile));
	must(env, ph_trace_tree_new(env, NULL, &tree));
	for (int round = 0; round < ROUNDS; round++)
	{
		double start = cpu_seconds();
		for (uint32_t i = 0; i < chunks->n; i++)
		{
			must(env, ph_chunk_reader_open(reader, &chunks->chunks[i], want));
			must(env, walk(reader, &chunks->chunks[i], how, profile, tree));
		}
		double seconds = cpu_seconds() - start;
		best = seconds < best ? seconds : best;
	}
	ph_chunk_reader_free(reader);
	ph_region_profile_free(profile);
	ph_trace_tree_free(tree);
	report(name, chunks->n_events, best, total(chunks));
}

/* ---- tiles ---- */

#define TILE_LOCATIONS 8 /* the chunks, in turn: as many events as one of 16 ranks has of 10^7 */
#define TILE_REGIONS 64

static PhStatus
count_tile(void *user, const PhTile *tile)
{
	*(size_t *) user += tile->bytes.size;
	return PH_OK;
}

static void
put_location(PhEnv *env, PhPyramid *pyramid, PhBins *bins, uint32_t location)
{
	PhPyramidRow *row;
	must(env, ph_bins_end(bins));
	must(env, ph_pyramid_row_new(pyramid, bins, location, &row));
	must(env, ph_pyramid_row_fill(row, bins));
	must(env, ph_pyramid_put(pyramid, row));
}

/* All tiles of the chunks; returns their bytes. */
static size_t
make_tiles(PhEnv *env, const Chunks *chunks, PhChunkReader *reader)
{
	static const uint8_t activities[TILE_REGIONS];
	size_t bytes = 0;
	PhPyramid *pyramid;
	PhBins *bins;
	PhPyramidOptions options = {TILE_LOCATIONS, TILE_REGIONS, PH_ALL_TIERS, count_tile, &bytes};
	must(env, ph_pyramid_new(env, &options, &pyramid));
	must(env, ph_bins_new(env, activities, TILE_REGIONS, &bins));
	for (uint32_t location = 0; location < TILE_LOCATIONS; location++)
	{
		ph_bins_begin(bins, ph_pyramid_bins(chunks->n_events / TILE_LOCATIONS));
		for (uint32_t i = chunks->n * location / TILE_LOCATIONS;
			 i < chunks->n * (location + 1) / TILE_LOCATIONS; i++)
		{
			must(env, ph_chunk_reader_open(reader, &chunks->chunks[i], PH_WANT_CALLS));
			must(env, ph_bins_add_chunk(bins, &chunks->chunks[i], reader));
		}
		put_location(env, pyramid, bins, location);
	}
	must(env, ph_pyramid_finish(pyramid));
	ph_bins_free(bins);
	ph_pyramid_free(pyramid);
	return bytes;
}

static void
bench_tiles(PhEnv *env, const Chunks *chunks)
{
	double best = 1e9;
	size_t bytes = 0;
	PhChunkReader *reader;
	must(env, ph_chunk_reader_new(env, &reader));
	for (int round = 0; round < ROUNDS; round++)
	{
		double start = cpu_seconds();
		bytes = make_tiles(env, chunks, reader);
		double seconds = cpu_seconds() - start;
		best = seconds < best ? seconds : best;
	}
	ph_chunk_reader_free(reader);
	report("pyramid", chunks->n_events, best, bytes);
}

static void
bench_sizes(const Chunks *chunks)
{
	static const char *const names[6] = {"stack", "dt", "kind", "region", "msg", "extra"};
	for (int i = 0; i < 6; i++)
		printf("bytes of %s\t%llu\t\t\t%.3f\n", names[i], (unsigned long long) chunks->n_events,
			   (double) chunks->bytes[i] / (double) chunks->n_events);
}

int
main(int argc, char **argv)
{
	bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
	uint64_t n_events = quick ? 500000 : 5000000;
	PhEnv env;
	ph_env_init_malloc(&env);
	Pattern *pattern = malloc(sizeof(*pattern));
	make_pattern(pattern);
	bench_write(&env, pattern, n_events, true);
	bench_write(&env, pattern, n_events, false);
	Chunks chunks = {.keep = true};
	write_events(&env, pattern, n_events, false, &chunks);
	bench_sizes(&chunks);
	bench_read(&env, &chunks, "decode calls", PH_WANT_CALLS, ARRAYS);
	bench_read(&env, &chunks, "decode calls and messages", PH_WANT_CALLS | PH_WANT_MESSAGES,
			   ARRAYS);
	bench_read(&env, &chunks, "cursor", PH_WANT_CALLS | PH_WANT_MESSAGES, CURSOR);
	bench_read(&env, &chunks, "region profile", PH_WANT_CALLS, PROFILE);
	bench_read(&env, &chunks, "call tree", PH_WANT_CALLS, TREE);
	bench_tiles(&env, &chunks);
	free(pattern);
	return checksum == 1;
}
