/*
 * test_trace_archives.c - measured traces: every message has both ends, collectives are whole, the
 * critical path tiles the run, corrected clocks let no message arrive before it was sent.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blame/critical_path.h"
#include "blame/wait_rows.h"
#include "readers/source.h"
#include "readers/trace_source.h"
#include "trace/clock.h"

#define FOLDER PH_SOURCE_DIR "/../shared/data/own/otf2"
#define MOST_ARCHIVES 64

static PhEnv env;
static uint64_t n_violations; /* of clocks, in all archives */

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* One archive's analyses while its chunks pass by. */
typedef struct Archive
{
	PhRunInput run;
	PhMatcher *matcher;
	PhCollectives *collectives;
	PhSkeleton *skeleton;
	PhCriticalPath *path;
	PhChunkReader *reader;
	uint64_t n_ends; /* of collectives of the application */
} Archive;

static PhStatus
open_chunk(Archive *archive, const PhChunk *chunk)
{
	return ph_chunk_reader_open(archive->reader, chunk, PH_WANT_CALLS | PH_WANT_MESSAGES);
}

static PhStatus
collect(void *user, const PhChunk *chunk)
{
	Archive *archive = user;
	PhEvent event;
	PH_TRY(open_chunk(archive, chunk));
	PH_TRY(ph_matcher_add_chunk(archive->matcher, chunk, archive->reader));
	PH_TRY(ph_collectives_add_chunk(archive->collectives, chunk, archive->reader));
	PH_TRY(open_chunk(archive, chunk));
	PH_TRY(ph_skeleton_add_chunk(archive->skeleton, chunk, archive->reader, NULL, 0));
	PH_TRY(open_chunk(archive, chunk));
	while (ph_chunk_next(archive->reader, &event))
		archive->n_ends += (event.kind == PH_EVENT_COLLECTIVE_END ||
							event.kind == PH_EVENT_NB_COLLECTIVE_COMPLETE) &&
						   ph_collective_is_application(event.operation);
	return PH_OK;
}

static PhStatus
divide(void *user, const PhChunk *chunk)
{
	Archive *archive = user;
	if (!ph_critical_path_wants(archive->path, chunk))
		return PH_OK;
	PH_TRY(open_chunk(archive, chunk));
	return ph_critical_path_add_chunk(archive->path, chunk, archive->reader);
}

static void
read_events(Archive *archive, PhChunkEmit emit)
{
	const PhTraceSource *source = archive->run.trace;
	PhTraceCounts counts = {.last_time = 0};
	PhTraceCursor *cursor;
	must(source->open(&env, source, &cursor));
	for (uint32_t at = 0; at < source->model.n_locations; at++)
	{
		PhChunkWriter *writer;
		must(ph_chunk_writer_new(&env, at, 1000, emit, archive, &writer));
		must(source->read_location(cursor, at, writer, &counts));
		must(ph_chunk_writer_finish(writer));
		ph_chunk_writer_free(writer);
	}
	source->close(cursor);
}

static void
match(Archive *archive)
{
	PhMatchCounts counts;
	must(ph_matcher_match(archive->matcher, &counts));
	assert_int_equal(counts.unmatched_sends, 0);
	assert_int_equal(counts.unmatched_receives, 0);
	for (uint32_t at = 0; at < archive->skeleton->n_locations; at++)
	{
		uint64_t n;
		const PhLink *links = ph_matcher_links(archive->matcher, at, &n);
		must(ph_skeleton_link(archive->skeleton, at, links, n));
	}
	must(ph_skeleton_finish(archive->skeleton));
	assert_memory_equal(&counts, &archive->skeleton->counts, sizeof(counts));
}

static void
check_collectives(Archive *archive)
{
	PhCollectiveRows rows;
	uint64_t n_present = 0, n_inferred = 0;
	must(ph_collectives_group(archive->collectives, &rows));
	assert_int_equal(rows.n_missing, 0);
	assert_int_equal(rows.n_unfinished, 0);
	for (uint32_t i = 0; i < rows.n_instances; i++)
	{
		assert_false(rows.instances[i].is_mixed);
		n_present += rows.instances[i].n_present;
		n_inferred += rows.instances[i].n_inferred;
	}
	assert_int_equal(n_present, archive->n_ends + n_inferred);
	assert_int_equal(rows.n_instances, archive->skeleton->collectives.n_instances);
}

/* No location waits longer than it ran. */
static void
check_waits(Archive *archive)
{
	PhArena arena;
	const PhLateSender *rows;
	PhWaitStates waits;
	uint32_t n;
	const PhSkeleton *skeleton = archive->skeleton;
	int64_t *waited = calloc(skeleton->n_locations, sizeof(*waited));
	ph_arena_init(&arena, &env);
	must(ph_wait_states_find(&arena, skeleton, &waits));
	must(ph_late_senders(&arena, skeleton, &waits, &rows, &n));
	for (uint32_t i = 0; i < n; i++)
		waited[rows[i].receiver_location] += rows[i].wait;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		assert_true(waited[at] <=
					skeleton->locations[at].last_time - skeleton->locations[at].first_time);
	ph_arena_drop(&arena);
	free(waited);
}

static void
check_path(Archive *archive)
{
	PhPathOptions options = {false};
	PhWaitStates waits;
	PhArena arena;
	const PhPathSegment *segments;
	uint32_t n;
	int64_t last = 0;
	for (uint32_t at = 0; at < archive->skeleton->n_locations; at++)
		if (archive->skeleton->locations[at].last_time > last)
			last = archive->skeleton->locations[at].last_time;
	ph_arena_init(&arena, &env);
	must(ph_wait_states_find(&arena, archive->skeleton, &waits));
	must(ph_critical_path_new(&env, archive->skeleton, &waits, &options, &archive->path));
	ph_arena_drop(&arena);
	read_events(archive, divide);
	must(ph_critical_path_segments(archive->path, &segments, &n));
	assert_int_equal(segments[0].from, 0);
	assert_int_equal(segments[n - 1].to, last);
	for (uint32_t i = 1; i < n; i++)
		assert_int_equal(segments[i].from, segments[i - 1].to);
	ph_critical_path_free(archive->path);
}

static int64_t
time_of(const PhClock *clock, uint32_t at, const PhCommEnd *end)
{
	PhClockCursor cursor = ph_clock_cursor(clock, at);
	return ph_clock_time(&cursor, end->seq, end->time);
}

static void
check_clock(Archive *archive)
{
	PhClock *clock;
	PhClockOptions options = {.latency = 100, .drift = 100, .collectives = true};
	const PhSkeleton *skeleton = archive->skeleton;
	must(ph_clock_new(&env, skeleton, &options, &clock));
	assert_int_equal(ph_clock_counts(clock)->unsolved, 0);
	n_violations += ph_clock_counts(clock)->violations;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		for (uint32_t i = 0; i < skeleton->locations[at].n_ends; i++)
		{
			const PhCommEnd *end = &skeleton->locations[at].ends[i];
			if (end->kind != PH_EVENT_RECV && end->kind != PH_EVENT_IRECV)
				continue;
			const PhCommEnd *send = &skeleton->locations[end->partner_location].ends[end->partner];
			assert_true(time_of(clock, at, end) >=
						time_of(clock, end->partner_location, send) + options.latency);
		}
	ph_clock_free(clock);
}

/* With the archive's clock offsets, which make some receives precede their sends. */
static void
check_archive(const PhExperiment *experiment)
{
	Archive archive;
	PhReadOptions options = {.clock_offsets = PH_OFFSETS_ON};
	memset(&archive, 0, sizeof(archive));
	must(ph_experiment_read(&env, experiment, &options, &archive.run));
	const PhTraceModel *model = &archive.run.trace->model;
	must(ph_matcher_new(&env, model, &archive.matcher));
	must(ph_collectives_new(&env, model, &archive.collectives));
	must(ph_skeleton_new(&env, model, &archive.skeleton));
	ph_skeleton_keep(archive.skeleton, PH_KEEP_ENVELOPES | PH_KEEP_HOLDS);
	must(ph_chunk_reader_new(&env, &archive.reader));
	read_events(&archive, collect);
	match(&archive);
	check_collectives(&archive);
	check_waits(&archive);
	check_path(&archive);
	check_clock(&archive);
	ph_chunk_reader_free(archive.reader);
	ph_skeleton_free(archive.skeleton);
	ph_collectives_free(archive.collectives);
	ph_matcher_free(archive.matcher);
	ph_run_input_free(&env, &archive.run);
}

static void
test_archives(void **state)
{
	DIR *folder = opendir(FOLDER);
	uint32_t n_archives = 0;
	(void) state;
	if (folder == NULL)
		skip();
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
	{
		char path[600];
		PhArena arena;
		PhExperiment *experiments;
		size_t n;
		PhUnreadList unread;
		snprintf(path, sizeof(path), "%s/%s/traces.otf2", FOLDER, entry->d_name);
		FILE *anchor = fopen(path, "rb");
		if (entry->d_name[0] == '.' || anchor == NULL)
			continue;
		fclose(anchor);
		ph_arena_init(&arena, &env);
		must(ph_source_expand(&arena, path, "otf2", &experiments, &n, &unread));
		assert_int_equal(n, 1);
		check_archive(&experiments[0]);
		n_archives++;
		ph_arena_drop(&arena);
	}
	closedir(folder);
	assert_true(n_archives > 10 && n_violations > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_archives)};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
