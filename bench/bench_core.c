/*
 * bench_core.c - how long the core's operations take, over a range of sizes.
 *
 *   bench_core [quick]
 *
 * Prints a line for each measurement: name, nodes, columns, best CPU milliseconds, nanoseconds a
 * cell (node * column), separated by tabs. Every operation runs until it has taken half a second or
 * seven times; the best counts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "history/match_candidates.h"
#include "history/region_alias.h"
#include "layout/sankey_layout.h"
#include "profile/builder.h"
#include "profile/flat.h"
#include "profile/ops.h"
#include "profile/rows/rows.h"
#include "query/query.h"
#include "statistics/distribution.h"
#include "supergraph/supergraph.h"
#include "synthetic_cct.h"

#define ENOUGH_SECONDS 0.5
#define MOST_ROUNDS 7

typedef struct Bench
{
	PhEnv env;
	PhProfile *profile;
	PhProfile *other;	 /* a second run */
	PhSupergraph *graph; /* by module */
	size_t flat_size;
	uint8_t *flat;
	double *vector;
	uint32_t n_vector;
} Bench;

static double
cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

static void
must(Bench *bench, PhStatus status)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "bench_core: %s: %s\n", ph_status_name(status), bench->env.error.message);
	exit(1);
}

/* An operation returns the CPU seconds of what is measured, without its preparation. */
typedef double (*Operation)(Bench *bench);

static void
measure(Bench *bench, const char *name, Operation operation)
{
	double best = 1e9, total = 0;
	for (int round = 0; round < MOST_ROUNDS && (round == 0 || total < ENOUGH_SECONDS); round++)
	{
		double seconds = operation(bench);
		total += seconds;
		best = seconds < best ? seconds : best;
	}
	double cells = (double) bench->profile->n_nodes * bench->profile->n_columns;
	printf("%s\t%u\t%u\t%.4f\t%.3f\n", name, bench->profile->n_nodes, bench->profile->n_columns,
		   best * 1e3, best * 1e9 / cells);
	fflush(stdout);
}

/* ---- inputs ---- */

static PhStatus
add_nodes(PhProfileBuilder *builder, const SyntheticCct *cct, uint32_t *nodes)
{
	for (uint32_t i = 0; i < cct->n_nodes; i++)
	{
		char name[64], module[16];
		uint32_t region;
		synthetic_cct_name(cct, i, name, sizeof(name));
		snprintf(module, sizeof(module), "mod%02u", cct->module[i]);
		PhRegionSpec spec = {.name = name, .module = module, .line = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_region(builder, &spec, &region));
		PH_TRY(ph_builder_add_node(builder, i == 0 ? PH_NONE : nodes[cct->parent[i]], region,
								   &nodes[i]));
	}
	return PH_OK;
}

static PhStatus
add_columns(PhProfileBuilder *builder, uint32_t n_columns)
{
	uint32_t index;
	for (uint32_t rank = 0; rank < n_columns; rank++)
	{
		PhColumnSpec column = {
			.iteration = PH_NO_ITERATION, .rank = (int32_t) rank, .thread = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_column(builder, &column, &index));
	}
	return PH_OK;
}

static PhStatus
fill(PhProfileBuilder *builder, const SyntheticCct *cct, uint32_t *nodes)
{
	PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	uint32_t index;
	PH_TRY(ph_builder_add_metric(builder, &time, &index));
	PH_TRY(add_columns(builder, cct->n_ranks));
	PH_TRY(add_nodes(builder, cct, nodes));
	for (uint32_t rank = 0; rank < cct->n_ranks; rank++)
		for (uint32_t i = 0; i < cct->n_nodes; i++)
			PH_TRY(ph_builder_add_value(builder, 0, nodes[i], rank, PH_COST_EXCLUSIVE,
										synthetic_cct_exclusive(cct, i, rank)));
	return PH_OK;
}

static double
build(Bench *bench, const SyntheticCct *cct, PhProfile **out)
{
	PhProfileBuilder *builder;
	uint32_t *nodes = malloc(cct->n_nodes * sizeof(*nodes));
	double start = cpu_seconds();
	must(bench, ph_builder_new(&bench->env, &builder));
	must(bench, fill(builder, cct, nodes));
	must(bench, ph_builder_finish(builder, out));
	ph_builder_free(builder);
	double seconds = cpu_seconds() - start;
	free(nodes);
	return seconds;
}

static void
measure_build(Bench *bench, uint32_t n_nodes, uint32_t n_columns)
{
	SyntheticCct *cct = synthetic_cct_new(n_nodes, n_columns, 1, 0);
	double best = build(bench, cct, &bench->profile);
	for (int round = 1; round < 3 && n_nodes < 100000; round++)
	{
		ph_profile_free(&bench->env, bench->profile);
		double seconds = build(bench, cct, &bench->profile);
		best = seconds < best ? seconds : best;
	}
	synthetic_cct_free(cct);
	printf("build\t%u\t%u\t%.4f\t%.3f\n", n_nodes, n_columns, best * 1e3,
		   best * 1e9 / ((double) n_nodes * n_columns));
}

/* ---- operations ---- */

static double
run_filter(Bench *bench)
{
	PhProfile *result;
	double start = cpu_seconds();
	must(bench, ph_profile_filter(&bench->env, bench->profile, 0.001, PH_STAT_MEAN, 0,
								  PH_COST_INCLUSIVE, &result));
	double seconds = cpu_seconds() - start;
	ph_profile_free(&bench->env, result);
	return seconds;
}

static double
run_supergraph(Bench *bench)
{
	PhProfile *copy;
	must(bench, ph_profile_unflatten(&bench->env, bench->flat, bench->flat_size, &copy));
	if (bench->graph != NULL)
		ph_supergraph_free(&bench->env, bench->graph);
	double start = cpu_seconds();
	must(bench, ph_supergraph_build(&bench->env, copy, PH_GROUP_MODULE, NULL, &bench->graph));
	return cpu_seconds() - start;
}

static double
run_layout(Bench *bench)
{
	const PhSupergraph *graph = bench->graph;
	PhArena arena;
	PhSupergraphMeans means;
	PhLayoutNode *nodes;
	PhLayoutEdge *edges;
	PhLayout layout;
	PhLayoutOptions options = ph_layout_defaults(1200, 700);
	ph_arena_init(&arena, &bench->env);
	double start = cpu_seconds();
	must(bench, ph_supergraph_means(&arena, graph, 0, &means));
	must(bench, PH_NEW(&arena, graph->n_supernodes, &nodes));
	must(bench, PH_NEW(&arena, graph->n_edges, &edges));
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
		nodes[i] = (PhLayoutNode){graph->supernodes[i].name, graph->supernodes[i].level,
								  means.inclusive[i], (double) __builtin_nan("")};
	for (uint32_t i = 0; i < graph->n_edges; i++)
		edges[i] = (PhLayoutEdge){graph->edges[i].source, graph->edges[i].target, means.weight[i]};
	must(bench, ph_layout_sankey(&arena, nodes, graph->n_supernodes, edges, graph->n_edges,
								 &options, &layout));
	double seconds = cpu_seconds() - start;
	ph_arena_drop(&arena);
	return seconds;
}

/* A graph of as many functions as the profile has nodes, twice as many calls, and cycles. */
static double
run_call_layout(Bench *bench)
{
	uint32_t n = bench->profile->n_nodes;
	PhArena arena;
	PhLayersNode *nodes;
	PhLayoutEdge *edges;
	PhLayers layers;
	PhLayersOptions options = ph_layers_defaults();
	uint64_t random = n;
	ph_arena_init(&arena, &bench->env);
	must(bench, PH_NEW(&arena, n, &nodes));
	must(bench, PH_NEW(&arena, (size_t) 2 * n, &edges));
	for (uint32_t i = 0; i < n; i++)
		nodes[i] = (PhLayersNode){20, 10, i % 1009, 0, (double) __builtin_nan("")};
	for (uint32_t i = 0; i < 2 * n; i++)
	{
		random = random * 6364136223846793005U + 1442695040888963407U;
		uint32_t source = i < n ? i / 3 : (uint32_t) (random >> 33) % n;
		random = random * 6364136223846793005U + 1442695040888963407U;
		edges[i] = (PhLayoutEdge){source, i < n ? i : (uint32_t) (random >> 33) % n, i % 97};
	}
	double start = cpu_seconds();
	must(bench, ph_layout_layers(&arena, nodes, n, edges, 2 * n, &options, &layers));
	double seconds = cpu_seconds() - start;
	ph_arena_drop(&arena);
	return seconds;
}

static double
run_flatten(Bench *bench)
{
	double start = cpu_seconds();
	must(bench, ph_profile_flat_size(&bench->env, bench->profile, &bench->flat_size));
	free(bench->flat);
	bench->flat = malloc(bench->flat_size);
	if (bench->flat == NULL)
		must(bench, PH_ERR_MEMORY);
	must(bench, ph_profile_flatten(&bench->env, bench->profile, bench->flat));
	return cpu_seconds() - start;
}

static double
run_unflatten(Bench *bench)
{
	PhProfile *copy;
	double start = cpu_seconds();
	must(bench, ph_profile_unflatten(&bench->env, bench->flat, bench->flat_size, &copy));
	double seconds = cpu_seconds() - start;
	ph_profile_free(&bench->env, copy);
	return seconds;
}

static double
run_match(Bench *bench)
{
	PhArena arena;
	PhCandidate *rows;
	PhMatchOptions options = {.min_score = 0.5, .most = 3};
	uint32_t n, only_a;
	double start = cpu_seconds();
	ph_arena_init(&arena, &bench->env);
	must(bench,
		 ph_match_candidates(&arena, bench->profile, bench->other, &options, &rows, &n, &only_a));
	double seconds = cpu_seconds() - start;
	ph_arena_drop(&arena);
	return seconds;
}

static double
run_diff(Bench *bench)
{
	PhProfile *result;
	double start = cpu_seconds();
	must(bench, ph_profile_diff(&bench->env, bench->profile, bench->other, &result));
	double seconds = cpu_seconds() - start;
	ph_profile_free(&bench->env, result);
	return seconds;
}

static double
run_flat_rows(Bench *bench)
{
	PhArena arena;
	PhFlatRow *rows;
	uint32_t n_rows;
	ph_arena_init(&arena, &bench->env);
	double start = cpu_seconds();
	must(bench, ph_rows_flat(&arena, bench->profile, 0, PH_GROUP_FUNCTION, &rows, &n_rows));
	double seconds = cpu_seconds() - start;
	ph_arena_drop(&arena);
	return seconds;
}

static double
run_flame(Bench *bench)
{
	PhArena arena;
	PhFlameRow *rows;
	uint32_t n_rows;
	uint64_t n_clamped;
	ph_arena_init(&arena, &bench->env);
	double start = cpu_seconds();
	must(bench, ph_rows_flame(&arena, bench->profile, 0, &rows, &n_rows, &n_clamped));
	double seconds = cpu_seconds() - start;
	ph_arena_drop(&arena);
	return seconds;
}

static double
run_query(Bench *bench)
{
	PhArena arena;
	PhQuery *query;
	bool *matches;
	ph_arena_init(&arena, &bench->env);
	double start = cpu_seconds();
	must(bench, PH_NEW(&arena, bench->profile->n_nodes, &matches));
	must(bench, ph_query_parse(&arena, "* . [name =~ /^mod(07|2\\d)::fn00/ and exclusive > 0.5] *",
							   &query));
	must(bench, ph_query_run(&arena, query, bench->profile, matches));
	double seconds = cpu_seconds() - start;
	ph_arena_drop(&arena);
	return seconds;
}

static double
run_histogram(Bench *bench)
{
	PhArena arena;
	PhHistogram histogram;
	ph_arena_init(&arena, &bench->env);
	double start = cpu_seconds();
	ph_supergraph_node_vector(bench->graph, 0, 0, PH_COST_INCLUSIVE, bench->vector);
	must(bench, ph_histogram(&arena, bench->vector, bench->n_vector, 20, &histogram));
	double seconds = cpu_seconds() - start;
	ph_arena_drop(&arena);
	return seconds;
}

static double
run_box(Bench *bench)
{
	PhArena arena;
	PhBox box;
	ph_arena_init(&arena, &bench->env);
	double start = cpu_seconds();
	must(bench, ph_box(&arena, bench->vector, bench->n_vector, &box));
	double seconds = cpu_seconds() - start;
	ph_arena_drop(&arena);
	return seconds;
}

/* ---- what is measured ---- */

static void
drop(Bench *bench)
{
	if (bench->graph != NULL)
		ph_supergraph_free(&bench->env, bench->graph);
	ph_profile_free(&bench->env, bench->profile);
	ph_profile_free(&bench->env, bench->other);
	free(bench->flat);
	free(bench->vector);
	bench->graph = NULL;
	bench->profile = bench->other = NULL;
	bench->flat = NULL;
	bench->vector = NULL;
}

/* The super graph of what a reader of the picture would keep: functions of at least a tenth. */
static void
keep_dear_functions(Bench *bench)
{
	PhProfile *filtered;
	ph_supergraph_free(&bench->env, bench->graph);
	must(bench, ph_profile_filter(&bench->env, bench->profile, 0.1, PH_STAT_MEAN, 0,
								  PH_COST_INCLUSIVE, &filtered));
	must(bench, ph_supergraph_build(&bench->env, filtered, PH_GROUP_MODULE, NULL, &bench->graph));
}

static void
one_profile(Bench *bench, uint32_t n_nodes, uint32_t n_columns)
{
	measure_build(bench, n_nodes, n_columns);
	measure(bench, "flatten", run_flatten);
	measure(bench, "unflatten", run_unflatten);
	measure(bench, "filter", run_filter);
	measure(bench, "supergraph", run_supergraph);
	measure(bench, "layout", run_layout);
	keep_dear_functions(bench);
	measure(bench, "layout of dear functions", run_layout);
	measure(bench, "call graph layout", run_call_layout);
	measure(bench, "flat rows", run_flat_rows);
	measure(bench, "flame", run_flame);
	measure(bench, "query", run_query);
	drop(bench);
}

/* The root of the second profile gets another name, so that no node has its match. */
static void
rename_root(Bench *bench)
{
	PhAlias rule = {.name = ph_profile_node_name(bench->other, 0), .to_name = "begin"};
	PhArena arena;
	PhAliases *aliases;
	PhProfile *renamed;
	ph_arena_init(&arena, &bench->env);
	must(bench, ph_aliases_new(&arena, 1, &rule, &aliases));
	must(bench, ph_profile_apply_aliases(&bench->env, bench->other, aliases, &renamed));
	ph_arena_drop(&arena);
	ph_profile_free(&bench->env, bench->other);
	bench->other = renamed;
}

static void
two_profiles(Bench *bench, uint32_t n_nodes, uint32_t n_columns)
{
	SyntheticCct *before = synthetic_cct_new(n_nodes, n_columns, 1, 0);
	SyntheticCct *after = synthetic_cct_new(n_nodes, n_columns, 1, 1);
	build(bench, before, &bench->profile);
	build(bench, after, &bench->other);
	synthetic_cct_free(before);
	synthetic_cct_free(after);
	measure(bench, "diff", run_diff);
	measure(bench, "match", run_match);
	rename_root(bench);
	measure(bench, "match of all", run_match);
	drop(bench);
}

/* Runs side by side, each of one column: half of them another version of the program. */
static void
many_runs(Bench *bench, uint32_t n_nodes, uint32_t n_runs)
{
	PhProfile **runs = malloc(n_runs * sizeof(*runs));
	PhProfile *result;
	for (uint32_t i = 0; i < n_runs; i++)
	{
		SyntheticCct *cct = synthetic_cct_new(n_nodes, 1, 1, i % 2);
		build(bench, cct, &bench->profile);
		synthetic_cct_free(cct);
		runs[i] = bench->profile;
	}
	double start = cpu_seconds();
	must(bench,
		 ph_profile_ensemble(&bench->env, n_runs, (const PhProfile *const *) runs, NULL, &result));
	double seconds = cpu_seconds() - start;
	printf("ensemble\t%u\t%u\t%.4f\t%.3f\n", n_nodes, n_runs, seconds * 1e3,
		   seconds * 1e9 / ((double) n_nodes * n_runs));
	fflush(stdout);
	ph_profile_free(&bench->env, result);
	for (uint32_t i = 0; i + 1 < n_runs; i++)
		ph_profile_free(&bench->env, runs[i]);
	free(runs);
	drop(bench);
}

static void
many_ranks(Bench *bench, uint32_t n_nodes, uint32_t n_columns)
{
	SyntheticCct *cct = synthetic_cct_new(n_nodes, n_columns, 1, 0);
	build(bench, cct, &bench->profile);
	synthetic_cct_free(cct);
	bench->n_vector = n_columns;
	bench->vector = malloc(n_columns * sizeof(*bench->vector));
	run_flatten(bench);
	measure(bench, "supergraph", run_supergraph);
	measure(bench, "layout of many ranks", run_layout);
	measure(bench, "histogram of many ranks", run_histogram);
	measure(bench, "box plot of many ranks", run_box);
	drop(bench);
}

int
main(int argc, char **argv)
{
	static const uint32_t sizes[] = {1000, 3000, 10000, 30000, 100000};
	bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
	Bench bench = {.profile = NULL};
	ph_env_init_malloc(&bench.env);
	for (size_t i = 0; i < (quick ? 3 : 5); i++)
		one_profile(&bench, sizes[i], 16);
	for (size_t i = 0; i < (quick ? 2 : 3); i++)
		two_profiles(&bench, sizes[i], 64);
	many_runs(&bench, 10000, 200);
	many_ranks(&bench, 30, 30000);
	if (!quick)
		many_ranks(&bench, 30, 300000);
	return 0;
}
