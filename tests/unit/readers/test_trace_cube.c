/*
 * test_trace_cube.c - the profile of a trace against the one that Score-P made of the same events.
 *
 * Every call path of every process must have the same visits, the same counters, and the same time
 * but for one factor a process: its profile is in seconds of the clock rate that it measured
 * itself, 3 % off in one case, the trace in seconds of the rate that all agreed on. The program
 * itself, Cube's root, is no region of the trace. The experiments lie beside the repository;
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

#include "pipeline/trace/profile.h"
#include "readers/otf2/archive.h"
#include "support/csv.h"
#include "support/test_data.h"

#define OWN SHARED "/data/own/otf2/"
#define MOST_PATH 4096
#define CLOCK_PART 0.05 /* by which clock rates may differ */
#define TIME_PART 1e-4
#define TIME_LEAST 1e-7 /* s */

typedef struct Pair
{
	PhEnv env;
	PhRunInput cube, trace;
	uint32_t *node_of; /* the trace's node of each of the Cube's; PH_NONE */
	uint32_t *column_of;
} Pair;

static void
must(const PhEnv *env, PhStatus status)
{
	if (status != PH_OK)
		fail_msg("%s: %s", ph_status_name(status), env->error.message);
}

static void
read_trace(PhEnv *env, const char *anchor, PhRunInput *run)
{
	PhRunInput head = {0};
	PhOtf2Archive *archive;
	PhTraceRead read;
	PhReadOptions options = {0};
	PhArena arena;
	const PhConnection *refused;
	uint64_t *region_ids;
	PhTraceRegions regions;
	must(env, ph_otf2_archive_open(env, anchor, &head, &archive));
	must(env, ph_otf2_archive_settle(archive, PH_OFFSETS_OFF));
	PhTraceReadOptions reading = {.source = &archive->source, .n_threads = 1};
	must(env, ph_trace_read(env, &reading, &read, &refused));
	ph_arena_init(&arena, env);
	must(env, ph_trace_regions_identify(&arena, &archive->source.model, &options, NULL, &regions));
	must(env, ph_trace_profile_make(&read, &archive->source, &regions, &options, &arena, run,
									&region_ids));
	ph_arena_drop(&arena);
	ph_trace_read_free(&read);
	ph_run_input_free(env, &head);
	ph_otf2_archive_free(env, archive);
}

/* Names from below the root (skip 1) or with it (skip 0). */
static void
write_path(const PhProfile *profile, uint32_t node, uint32_t skip, char path[MOST_PATH])
{
	uint32_t nodes[64], depth = 0;
	size_t length = 0;
	for (; node != PH_NONE && depth < 64; node = profile->parent[node])
		nodes[depth++] = node;
	path[0] = '\0';
	for (uint32_t i = skip; i < depth; i++)
	{
		const PhRegion *region = &profile->regions[profile->region[nodes[depth - 1 - i]]];
		length += (size_t) snprintf(path + length, MOST_PATH - length, "/%s",
									profile->strings[region->name]);
		assert_true(length < MOST_PATH);
	}
}

static uint32_t
find_path(const PhProfile *profile, const char *path)
{
	char other[MOST_PATH];
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		write_path(profile, node, 0, other);
		if (strcmp(path, other) == 0)
			return node;
	}
	return PH_NONE;
}

static void
pair_nodes(Pair *pair)
{
	char path[MOST_PATH];
	const PhProfile *cube = pair->cube.profile, *trace = pair->trace.profile;
	pair->node_of = calloc(cube->n_nodes, sizeof(uint32_t));
	assert_int_equal(cube->n_nodes, trace->n_nodes + 1);
	for (uint32_t node = 0; node < cube->n_nodes; node++)
	{
		write_path(cube, node, 1, path);
		pair->node_of[node] = find_path(trace, path);
		assert_true((pair->node_of[node] == PH_NONE) == (cube->parent[node] == PH_NONE));
	}
}

/* A profile of processes without threads means their first one. */
static int32_t
thread_of(const PhColumn *column)
{
	return column->thread == PH_NO_NUMBER ? 0 : column->thread;
}

static void
pair_columns(Pair *pair)
{
	const PhProfile *cube = pair->cube.profile, *trace = pair->trace.profile;
	pair->column_of = calloc(cube->n_columns, sizeof(uint32_t));
	assert_int_equal(cube->n_columns, trace->n_columns);
	for (uint32_t i = 0; i < cube->n_columns; i++)
	{
		pair->column_of[i] = PH_NONE;
		for (uint32_t j = 0; j < trace->n_columns; j++)
			if (cube->columns[i].rank == trace->columns[j].rank &&
				thread_of(&cube->columns[i]) == thread_of(&trace->columns[j]))
				pair->column_of[i] = j;
		assert_true(pair->column_of[i] != PH_NONE);
	}
}

static const PhMetric *
find_metric(const PhProfile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		if (strcmp(profile->strings[profile->metrics[i].name], name) == 0)
			return &profile->metrics[i];
	fail_msg("no metric %s", name);
	return NULL;
}

/* A cell of the Cube's profile, and the same of the trace's. */
static void
cell_values(const Pair *pair, const char *metric, uint32_t node, uint32_t column, double *cube,
			double *trace)
{
	const PhProfile *a = pair->cube.profile, *b = pair->trace.profile;
	size_t in_cube = ph_profile_find_cell(a, node, column);
	size_t in_trace = ph_profile_find_cell(b, pair->node_of[node], pair->column_of[column]);
	*cube = in_cube == PH_NO_CELL ? 0 : find_metric(a, metric)->exclusive[in_cube];
	*trace = in_trace == PH_NO_CELL ? 0 : find_metric(b, metric)->exclusive[in_trace];
}

/* Exclusive values of a column: trace = scale * Cube's within part of it, or least. */
static void
compare_column(const Pair *pair, const char *metric, uint32_t column, double scale, double part,
			   double least)
{
	for (uint32_t node = 0; node < pair->cube.profile->n_nodes; node++)
	{
		double expected, got;
		if (pair->node_of[node] == PH_NONE)
			continue;
		cell_values(pair, metric, node, column, &expected, &got);
		expected *= scale;
		if (fabs(got - expected) > (part * expected > least ? part * expected : least))
			fail_msg("%s of node %u, column %u: %.9g instead of %.9g", metric, node, column, got,
					 expected);
	}
}

static void
compare_times(const Pair *pair, uint32_t column)
{
	double cube = 0, trace = 0;
	for (uint32_t node = 0; node < pair->cube.profile->n_nodes; node++)
		if (pair->node_of[node] != PH_NONE)
		{
			double a, b;
			cell_values(pair, "time", node, column, &a, &b);
			cube += a;
			trace += b;
		}
	assert_true(fabs(trace - cube) < CLOCK_PART * cube);
	compare_column(pair, "time", column, trace / cube, TIME_PART, TIME_LEAST);
}

static void
check_pair(const char *name, bool has_usage)
{
	char path[1024];
	Pair pair = {0};
	skip_without_shared();
	ph_env_init_malloc(&pair.env);
	snprintf(path, sizeof(path), OWN "%s/profile.cubex", name);
	must(&pair.env, read_path(&pair.env, path, &pair.cube));
	snprintf(path, sizeof(path), OWN "%s/traces.otf2", name);
	read_trace(&pair.env, path, &pair.trace);
	pair_nodes(&pair);
	pair_columns(&pair);
	for (uint32_t column = 0; column < pair.cube.profile->n_columns; column++)
	{
		compare_column(&pair, "visits", column, 1, 0, 0);
		compare_times(&pair, column);
		if (has_usage)
		{
			compare_column(&pair, "ru_utime", column, 1e-6, 0, 1.5e-6);
			compare_column(&pair, "ru_nivcsw", column, 1, 0, 0.5);
		}
	}
	free(pair.node_of);
	free(pair.column_of);
	ph_run_input_free(&pair.env, &pair.cube);
	ph_run_input_free(&pair.env, &pair.trace);
	assert_int_equal(pair.env.bytes, 0);
}

static void
test_profiles(void **state)
{
	static const char *const names[] = {"halo2d-nb-9",	"halo2d-bl-9", "halo2d-per-9",
										"halo2d-nbt-9", "halo2d-sr-9", "colls-6",
										"mergetree-16", "npb-cg-S-8",  "lulesh-8"};
	(void) state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_pair(names[i], false);
}

/* What workers call is below the call that forked them. */
static void
test_threads(void **state)
{
	(void) state;
	check_pair("lulesh-8x2-openmp", false);
}

static void
test_counters(void **state)
{
	(void) state;
	check_pair("halo2d-nb-9-rusage", true);
	check_pair("lulesh-8-rusage", true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_counters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
