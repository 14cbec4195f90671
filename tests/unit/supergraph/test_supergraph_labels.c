/*
 * test_supergraph_labels.c - by what super graphs group nodes, and how they call their supernodes.
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

#include "profile/builder.h"
#include "profile/ops.h"
#include "support/supergraph.h"

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static uint8_t *
flatten(const PhSupergraph *graph, size_t *size)
{
	must(ph_supergraph_flat_size(&env, graph, size));
	uint8_t *bytes = malloc(*size);
	assert_non_null(bytes);
	memset(bytes, 0xEE, *size);
	must(ph_supergraph_flatten(&env, graph, bytes));
	return bytes;
}

typedef struct Call
{
	uint32_t parent;
	PhRegionKind kind;
	const char *name, *library, *file, *module;
} Call;

static PhProfile *
profile_of(const Call *calls, uint32_t n)
{
	PhProfileBuilder *builder;
	PhProfile *profile;
	PhMetricSpec metric = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec column = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, 0, PH_NO_NUMBER, NULL, NULL};
	uint32_t index;
	must(ph_builder_new(&env, &builder));
	must(ph_builder_add_metric(builder, &metric, &index));
	must(ph_builder_add_column(builder, &column, &index));
	for (uint32_t i = 0; i < n; i++)
	{
		PhRegionSpec spec = {calls[i].kind, calls[i].name,	 calls[i].library,
							 calls[i].file, calls[i].module, PH_NO_NUMBER,
							 NULL};
		must(ph_builder_add_region(builder, &spec, &index));
		must(ph_builder_add_node(builder, calls[i].parent, index, &index));
		must(ph_builder_add_value(builder, 0, index, 0, PH_COST_EXCLUSIVE, 1 + i));
	}
	must(ph_builder_finish(builder, &profile));
	ph_builder_free(builder);
	return profile;
}

static PhSupergraph *
graph_of(const Call *calls, uint32_t n, PhGroupBy by)
{
	PhSupergraph *graph;
	must(ph_supergraph_build(&env, profile_of(calls, n), by, NULL, &graph));
	assert_string_equal(check_invariants(graph), "");
	return graph;
}

/* The names of the supernodes in order, joined by blanks. */
static void
assert_names(PhSupergraph *graph, const char *expected)
{
	char names[1024] = "";
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", v == 0 ? "" : " ",
				 graph->supernodes[v].name);
	assert_string_equal(names, expected);
	ph_supergraph_free(&env, graph);
}

static void
test_names(void **state)
{
	static const Call calls[] = {
		{PH_NONE, PH_KIND_FUNCTION, "main", "/home/a/app", "main.c", NULL},
		{0, PH_KIND_FUNCTION, "f", "/usr/lib/a/libm.so", "src/x.c", NULL},
		{0, PH_KIND_FUNCTION, "g", "/usr/lib/b/libm.so", "lib/x.c", NULL},
		{0, PH_KIND_LOOP, "loop", NULL, "main.c", NULL},
		{3, PH_KIND_STATEMENT, "line", NULL, NULL, NULL},
		{3, PH_KIND_FUNCTION, "f", "/opt/xlibm.so", NULL, "math"},
		{0, PH_KIND_FUNCTION, "h", "libc.so", NULL, NULL},
	};
	(void) state;
	assert_names(graph_of(calls, 7, PH_GROUP_MODULE), "app a/libm.so b/libm.so libc.so math");
	assert_names(graph_of(calls, 7, PH_GROUP_LIBRARY), "app a/libm.so b/libm.so libc.so xlibm.so");
	assert_names(graph_of(calls, 7, PH_GROUP_FILE), "main.c lib/x.c src/x.c");
	assert_names(graph_of(calls, 7, PH_GROUP_FUNCTION), "main f g h");
	assert_names(graph_of(calls, 7, PH_GROUP_KIND), "function loop function#1 statement");
	assert_names(graph_of(calls, 7, PH_GROUP_NODE), "main f@1 g h loop f@5 line");
}

/* Names tell the paradigm where the measurement does not; loops are their function's. */
static void
test_paradigms(void **state)
{
	static const Call calls[] = {
		{PH_NONE, PH_KIND_FUNCTION, "main", NULL, NULL, NULL},
		{0, PH_KIND_FUNCTION, "MPI_Allreduce", NULL, NULL, NULL},
		{1, PH_KIND_FUNCTION, "sum", NULL, NULL, NULL},
		{1, PH_KIND_FUNCTION, "MPIR_Progress", NULL, NULL, NULL},
		{0, PH_KIND_FUNCTION, "GOMP_parallel", NULL, NULL, NULL},
		{4, PH_KIND_LOOP, "!$omp for", NULL, NULL, NULL},
		{0, PH_KIND_LOOP, "loop", NULL, NULL, NULL},
	};
	(void) state;
	assert_names(graph_of(calls, 7, PH_GROUP_PARADIGM), "user mpi openmp user#1");
}

static void
test_null_labels(void **state)
{
	static const Call calls[] = {
		{PH_NONE, PH_KIND_FUNCTION, "main", NULL, NULL, NULL},
		{0, PH_KIND_FUNCTION, "f", "liba#1", NULL, NULL},
		{1, PH_KIND_FUNCTION, "g", NULL, NULL, NULL},
		{2, PH_KIND_FUNCTION, "h", "liba", NULL, NULL},
		{3, PH_KIND_FUNCTION, "k", "<unknown>", NULL, NULL},
		{4, PH_KIND_FUNCTION, "l", "liba", NULL, NULL},
	};
	(void) state;
	/* a library may well be called like a duplicate, or like the label of nothing */
	assert_names(graph_of(calls, 6, PH_GROUP_MODULE), "<unknown> liba#1 liba <unknown>#1 liba#1~2");
}

/* A loop keeps the label of its function also when a filter has removed the function. */
static void
test_filtered_labels(void **state)
{
	static const Call calls[] = {
		{PH_NONE, PH_KIND_FUNCTION, "main", "app", NULL, NULL},
		{0, PH_KIND_FUNCTION, "f", "lib", NULL, NULL},
		{1, PH_KIND_LOOP, "loop", NULL, NULL, NULL},
		{2, PH_KIND_FUNCTION, "g", "lib", NULL, NULL},
	};
	static const bool keep[] = {true, false, true, true};
	PhProfile *profile = profile_of(calls, 4), *filtered;
	PhSupergraph *graph, *drilled;
	(void) state;
	must(ph_profile_splice(&env, profile, keep, "test", &filtered));
	must(ph_supergraph_build(&env, filtered, PH_GROUP_MODULE, NULL, &graph));
	must(ph_supergraph_drill_down(&env, graph, ph_supergraph_find(graph, "lib"), PH_GROUP_FUNCTION,
								  &drilled));
	assert_names(graph, "app lib");
	assert_names(drilled, "app lib/f lib/g");
	ph_profile_free(&env, profile);
}

static void
test_module_map(void **state)
{
	static const Call calls[] = {
		{PH_NONE, PH_KIND_FUNCTION, "main", "/app", "main.c", NULL},
		{0, PH_KIND_FUNCTION, "MPI_Send", "/lib/libmpi.so", NULL, NULL},
		{0, PH_KIND_FUNCTION, "solve", "/app", "src/solver.c", NULL},
	};
	PhArena arena;
	PhModuleMap *map;
	PhSupergraph *graph, *drilled, *back;
	uint8_t *bytes;
	size_t size;
	(void) state;
	ph_arena_init(&arena, &env);
	must(ph_module_map_parse(&arena, "^P?MPI_\tmpi\nsolver\\.c$ = solver\n", &map));
	must(ph_supergraph_build(&env, profile_of(calls, 3), PH_GROUP_MODULE, map, &graph));
	ph_arena_drop(&arena); /* the value needs no map from here on */
	uint32_t solver = ph_supergraph_find(graph, "solver");
	assert_int_not_equal(solver, PH_NONE);
	must(ph_supergraph_drill_down(&env, graph, solver, PH_GROUP_MODULE, &drilled));
	bytes = flatten(graph, &size); /* new modules come among the old strings, in order of use */
	must(ph_supergraph_unflatten(&env, bytes, size, &back));
	free(bytes);
	assert_names(back, "app mpi solver");
	assert_names(graph, "app mpi solver");
	assert_names(drilled, "app mpi solver/solver");
}

/* 10^5 calls deep, two labels in turn: as many supernodes as segments, and no recursion. */
static void
test_deep_chain(void **state)
{
	enum
	{
		DEPTH = 20000
	};
	static Call calls[DEPTH];
	PhSupergraph *graph;
	(void) state;
	for (uint32_t i = 0; i < DEPTH; i++)
		calls[i] = (Call){i == 0 ? PH_NONE : i - 1,
						  PH_KIND_FUNCTION,
						  "f",
						  i % 2 == 0 ? "even" : "odd",
						  NULL,
						  NULL};
	must(ph_supergraph_build(&env, profile_of(calls, DEPTH), PH_GROUP_MODULE, NULL, &graph));
	assert_int_equal(graph->n_supernodes, DEPTH);
	assert_int_equal(graph->supernodes[DEPTH - 1].duplicate, DEPTH / 2 - 1);
	assert_int_equal(graph->supernodes[DEPTH - 1].level, DEPTH - 1);
	ph_supergraph_free(&env, graph);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),		cmocka_unit_test(test_paradigms),
		cmocka_unit_test(test_null_labels), cmocka_unit_test(test_filtered_labels),
		cmocka_unit_test(test_module_map),	cmocka_unit_test(test_deep_chain),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
