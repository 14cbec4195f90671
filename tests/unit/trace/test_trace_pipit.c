/*
 * test_trace_pipit.c - calls, call trees and profiles of OTF2 traces against what Pipit computed.
 *
 * Pipit keeps times as floating point numbers and counts from another moment: times of calls may
 * differ by rounding at both ends. The traces and Pipit's answers lie beside the repository;
 * without them the tests skip.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/otf2/archive.h"
#include "support/csv.h"
#include "support/random_trace.h"
#include "support/test_data.h"
#include "trace/calls.h"
#include "trace/region_profile.h"
#include "trace/time_profile.h"
#include "trace/tree/tree.h"

#define ORACLE SHARED "/oracle/pipit/"
#define CHUNK_EVENTS 16 /* so that the small traces have many */
#define MOST_LOCATIONS 8
#define MOST_REGIONS 1024

typedef struct Trace
{
	PhEnv env;
	PhOtf2Archive *archive;
	const PhTraceModel *model;
	const char *answers;
	StoredChunks stored[MOST_LOCATIONS];
	int64_t last; /* time of the last event */
	PhChunkReader *reader;
} Trace;

static void
must(const Trace *trace, PhStatus status)
{
	if (status != PH_OK)
		fail_msg("%s: %s", ph_status_name(status), trace->env.error.message);
}

static void
read_location(Trace *trace, PhTraceCursor *cursor, uint32_t location)
{
	PhChunkWriter *writer;
	PhTraceCounts counts = {0};
	StoredChunks *stored = &trace->stored[location];
	must(trace, ph_chunk_writer_new(&trace->env, location, CHUNK_EVENTS, stored_chunks_add, stored,
									&writer));
	must(trace, trace->archive->source.read_location(cursor, location, writer, &counts));
	must(trace, ph_chunk_writer_finish(writer));
	ph_chunk_writer_free(writer);
	if (counts.last_time > trace->last)
		trace->last = counts.last_time;
}

static void
open_trace(Trace *trace, const char *anchor, const char *answers)
{
	PhRunInput run = {0};
	PhTraceCursor *cursor;
	memset(trace, 0, sizeof(*trace));
	ph_env_init_malloc(&trace->env);
	trace->answers = answers;
	must(trace, ph_otf2_archive_open(&trace->env, anchor, &run, &trace->archive));
	ph_run_input_free(&trace->env, &run);
	must(trace, ph_otf2_archive_settle(trace->archive, PH_OFFSETS_ON));
	trace->model = &trace->archive->source.model;
	assert_in_range(trace->model->n_locations, 1, MOST_LOCATIONS);
	assert_in_range(trace->model->n_regions, 1, MOST_REGIONS);
	must(trace, trace->archive->source.open(&trace->env, &trace->archive->source, &cursor));
	for (uint32_t i = 0; i < trace->model->n_locations; i++)
		read_location(trace, cursor, i);
	trace->archive->source.close(cursor);
	must(trace, ph_chunk_reader_new(&trace->env, &trace->reader));
}

static void
close_trace(Trace *trace)
{
	ph_chunk_reader_free(trace->reader);
	for (uint32_t i = 0; i < trace->model->n_locations; i++)
		stored_chunks_free(&trace->stored[i]);
	ph_otf2_archive_free(&trace->env, trace->archive);
}

static Csv
read_answer(const Trace *trace, const char *name)
{
	char path[1024];
	snprintf(path, sizeof(path), ORACLE "%s/%s", trace->answers, name);
	Csv csv = csv_read(path);
	assert_non_null(csv.cells);
	return csv;
}

static double
number_at(const Csv *csv, size_t row, const char *column)
{
	return strtod(csv_cell(csv, row, csv_column(csv, column)), NULL);
}

static uint32_t
location_of_process(const Trace *trace, double process)
{
	for (uint32_t i = 0; i < trace->model->n_locations; i++)
		if (trace->model->locations[i].rank == (int32_t) process)
			return i;
	fail_msg("no process %g", process);
	return PH_NONE;
}

static const char *
region_name(const Trace *trace, uint32_t region)
{
	assert_true(region < trace->model->n_regions);
	return trace->model->regions[region].name;
}

/* ns apart at most n roundings. */
static void
assert_near(double got, double expected, double roundings)
{
	if (fabs(got - expected) > 1.01 * roundings)
		fail_msg("%.3f ns instead of %.3f", got, expected);
}

/* ---- calls ---- */

typedef struct CallRows
{
	Trace *trace;
	const Csv *events;
	size_t next;
	double process;
} CallRows;

static PhStatus
fetch(void *user, uint32_t chunk_no, uint32_t want, PhChunk *out)
{
	(void) want;
	*out = ((const StoredChunks *) user)->chunks[chunk_no];
	return PH_OK;
}

/* Pipit's rows are in order of time, an ENTER of one process after the other. */
static PhStatus
compare_call(void *user, const PhTraceCall *call)
{
	CallRows *rows = user;
	const Csv *events = rows->events;
	size_t kind = csv_column(events, "Event Type"), name = csv_column(events, "Name");
	while (rows->next < events->n_rows &&
		   (strcmp(csv_cell(events, rows->next, kind), "Enter") != 0 ||
			number_at(events, rows->next, "Process") != rows->process))
		rows->next++;
	assert_true(rows->next < events->n_rows);
	assert_string_equal(region_name(rows->trace, call->region), csv_cell(events, rows->next, name));
	assert_int_equal(call->depth, (int) number_at(events, rows->next, "_depth"));
	assert_near((double) call->inclusive, number_at(events, rows->next, "time.inc"), 2);
	assert_near((double) call->exclusive, number_at(events, rows->next, "time.exc"), 60);
	assert_false(call->is_open);
	rows->next++;
	return PH_OK;
}

static size_t
count_enters(const Csv *events)
{
	size_t n = 0;
	for (size_t i = 0; i < events->n_rows; i++)
		n += strcmp(csv_cell(events, i, csv_column(events, "Event Type")), "Enter") == 0;
	return n;
}

static void
check_calls(Trace *trace)
{
	Csv events = read_answer(trace, "events.csv");
	size_t n_enter = 0;
	for (uint32_t i = 0; i < trace->model->n_locations; i++)
	{
		StoredChunks *stored = &trace->stored[i];
		PhChunkSource source = {stored->n_chunks, fetch, stored};
		CallRows rows = {trace, &events, 0, trace->model->locations[i].rank};
		must(trace, ph_calls_list(&trace->env, &source, INT64_MIN, INT64_MAX, compare_call, &rows));
		for (uint32_t j = 0; j < stored->n_chunks; j++)
			n_enter += stored->chunks[j].n_enter;
	}
	assert_int_equal(n_enter, count_enters(&events));
	csv_free(&events);
}

/* ---- profiles ---- */

static void
add_location(Trace *trace, PhRegionProfile *profile, uint32_t location)
{
	for (uint32_t i = 0; i < trace->stored[location].n_chunks; i++)
	{
		const PhChunk *chunk = &trace->stored[location].chunks[i];
		must(trace, ph_chunk_reader_open(trace->reader, chunk, PH_WANT_CALLS));
		must(trace,
			 ph_region_profile_add_chunk(profile, chunk, trace->reader, INT64_MIN, INT64_MAX));
	}
}

static PhRegionTotals
totals_of(const Trace *trace, const PhRegionTotals *rows, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(region_name(trace, rows[i].region), name) == 0)
			return rows[i];
	return (PhRegionTotals){0};
}

static void
check_flat_profile(Trace *trace)
{
	Csv flat = read_answer(trace, "flat_profile_inc_exc_per_process.csv");
	PhRegionProfile *profile;
	const PhRegionTotals *rows;
	uint32_t n;
	must(trace, ph_region_profile_new(&trace->env, &profile));
	for (size_t i = 0; i < flat.n_rows; i++)
	{
		ph_region_profile_reset(profile);
		add_location(trace, profile, location_of_process(trace, number_at(&flat, i, "Process")));
		must(trace, ph_region_profile_rows(profile, &rows, &n));
		PhRegionTotals got =
			totals_of(trace, rows, n, csv_cell(&flat, i, csv_column(&flat, "Name")));
		double roundings = 2 * (double) got.calls + 60;
		assert_near((double) got.inclusive, number_at(&flat, i, "time.inc"), roundings);
		assert_near((double) got.exclusive, number_at(&flat, i, "time.exc"), roundings);
	}
	ph_region_profile_free(profile);
	csv_free(&flat);
}

static void
check_idle_time(Trace *trace)
{
	static const char *const waiting[] = {"MPI_Recv", "MPI_Wait", "MPI_Waitall", "Idle"};
	Csv idle = read_answer(trace, "idle_time_mpi.csv");
	bool marked[MOST_REGIONS] = {false};
	for (uint32_t region = 0; region < trace->model->n_regions; region++)
		for (int i = 0; i < 4; i++)
			marked[region] |= strcmp(region_name(trace, region), waiting[i]) == 0;
	for (size_t row = 0; row < idle.n_rows; row++)
	{
		int64_t total = 0;
		uint32_t location = location_of_process(trace, number_at(&idle, row, "Process"));
		for (uint32_t i = 0; i < trace->stored[location].n_chunks; i++)
		{
			const PhChunk *chunk = &trace->stored[location].chunks[i];
			must(trace, ph_chunk_reader_open(trace->reader, chunk, PH_WANT_CALLS));
			total += ph_chunk_time_in_regions(chunk, trace->reader, marked, trace->model->n_regions,
											  INT64_MIN, INT64_MAX);
		}
		assert_near((double) total, number_at(&idle, row, "Idle Time"), 60);
	}
	csv_free(&idle);
}

static void
check_time_profile(Trace *trace)
{
	Csv bins = read_answer(trace, "time_profile_10.csv");
	PhTimeBins window = {0, trace->last, 10};
	PhTimeProfile *profile;
	const PhTimeProfileRow *rows;
	size_t n;
	double total = 0, expected = 0;
	assert_int_equal(bins.n_rows, window.n);
	must(trace, ph_time_profile_new(&trace->env, &window, &profile));
	for (uint32_t location = 0; location < trace->model->n_locations; location++)
		for (uint32_t i = 0; i < trace->stored[location].n_chunks; i++)
		{
			const PhChunk *chunk = &trace->stored[location].chunks[i];
			must(trace, ph_chunk_reader_open(trace->reader, chunk, PH_WANT_CALLS));
			must(trace, ph_time_profile_add_chunk(profile, chunk, trace->reader));
		}
	must(trace, ph_time_profile_rows(profile, &rows, &n));
	for (size_t i = 0; i < n; i++)
	{
		const char *name = region_name(trace, rows[i].region);
		double value = number_at(&bins, rows[i].bin, name);
		assert_near((double) rows[i].exclusive, value, 100);
		total += (double) rows[i].exclusive;
	}
	for (size_t row = 0; row < bins.n_rows; row++)
		for (size_t column = csv_column(&bins, "idle_time") + 1; column < bins.n_columns; column++)
			expected += strtod(csv_cell(&bins, row, column), NULL);
	assert_near(total, expected, 1000);
	ph_time_profile_free(profile);
	csv_free(&bins);
}

/* ---- the call tree ---- */

/* "main/solve/MPI_Send" */
static void
node_path(const Trace *trace, const PhTraceTree *tree, uint32_t node, char path[1024])
{
	char below[1024] = "";
	for (; node != PH_NONE; node = ph_trace_tree_parent(tree, node))
	{
		const char *name = region_name(trace, ph_trace_tree_region(tree, node));
		snprintf(path, 1024, "%.500s%s%.500s", name, below[0] == '\0' ? "" : "/", below);
		snprintf(below, sizeof(below), "%.1023s", path);
	}
}

static void
row_path(const Csv *cct, size_t row, char path[1024])
{
	char below[1024] = "";
	for (;;)
	{
		const char *name = csv_cell(cct, row, csv_column(cct, "name"));
		const char *parent = csv_cell(cct, row, csv_column(cct, "parent"));
		snprintf(path, 1024, "%.500s%s%.500s", name, below[0] == '\0' ? "" : "/", below);
		snprintf(below, sizeof(below), "%.1023s", path);
		if (parent[0] == '\0')
			return;
		row = (size_t) strtod(parent, NULL);
	}
}

static void
check_tree(Trace *trace)
{
	Csv cct = read_answer(trace, "cct.csv");
	PhTraceTree *tree;
	must(trace, ph_trace_tree_new(&trace->env, NULL, &tree));
	for (uint32_t location = 0; location < trace->model->n_locations; location++)
		for (uint32_t i = 0; i < trace->stored[location].n_chunks; i++)
		{
			const PhChunk *chunk = &trace->stored[location].chunks[i];
			must(trace, ph_chunk_reader_open(trace->reader, chunk, PH_WANT_CALLS));
			must(trace, ph_trace_tree_add_chunk(tree, chunk, trace->reader, INT64_MIN, INT64_MAX));
		}
	assert_int_equal(ph_trace_tree_n_nodes(tree), cct.n_rows);
	for (size_t row = 0; row < cct.n_rows; row++)
	{
		char expected[1024], path[1024] = "";
		row_path(&cct, row, expected);
		for (uint32_t node = 0; node < cct.n_rows && strcmp(path, expected) != 0; node++)
			node_path(trace, tree, node, path);
		assert_string_equal(path, expected);
	}
	ph_trace_tree_free(tree);
	csv_free(&cct);
}

static void
check_trace(const char *anchor, const char *answers)
{
	Trace trace;
	skip_without_shared();
	open_trace(&trace, anchor, answers);
	check_calls(&trace);
	check_flat_profile(&trace);
	check_idle_time(&trace);
	check_time_profile(&trace);
	check_tree(&trace);
	close_trace(&trace);
}

static void
test_ping_pong(void **state)
{
	(void) state;
	check_trace(SHARED "/data/peers/pipit/ping-pong-otf2/traces.otf2", "ping-pong-otf2");
}

static void
test_ring(void **state)
{
	(void) state;
	check_trace(SHARED "/data/generated/ring4/traces.otf2", "ring4-otf2");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ping_pong),
		cmocka_unit_test(test_ring),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
