/*
 * test_query_oracle.c - call-path queries against the nodes that Hatchet selects in the same files.
 *
 * Hatchet's names have "line:" before them, and its statements the file of whatever procedure it
 * met last: paths are compared as sets, without lines and with one word for all statements.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/query.h"
#include "support/csv.h"
#include "support/test_data.h"

#define ORACLE SHARED "/oracle/hatchet/"
#define PEERS SHARED "/data/peers/hatchet/"

typedef struct PathSet
{
	size_t n;
	char **paths;
} PathSet;

static int
compare(const void *x, const void *y)
{
	return strcmp(*(char *const *) x, *(char *const *) y);
}

/* Takes the path over; replaces a statement's name. */
static void
add_path(PathSet *set, char *path, bool statement)
{
	char *name = strrchr(path, '"');
	while (statement && name > path && strncmp(name, ", \"", 3) != 0)
		name--;
	if (statement && name > path)
	{
		char *hidden;
		assert_true(asprintf(&hidden, "%.*s, \"<statement>\"]", (int) (name - path), path) > 0);
		free(path);
		path = hidden;
	}
	set->paths = realloc(set->paths, (set->n + 1) * sizeof(*set->paths));
	set->paths[set->n++] = path;
}

static void
sort_unique(PathSet *set)
{
	size_t kept = 0;
	qsort(set->paths, set->n, sizeof(*set->paths), compare);
	for (size_t i = 0; i < set->n; i++)
		if (kept > 0 && strcmp(set->paths[kept - 1], set->paths[i]) == 0)
			free(set->paths[i]);
		else
			set->paths[kept++] = set->paths[i];
	set->n = kept;
}

static void
free_set(PathSet *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->paths[i]);
	free(set->paths);
}

static PathSet
selected_paths(PhEnv *env, const PhProfile *profile, const char *text)
{
	PathSet set = {0, NULL};
	PhArena arena;
	PhQuery *query;
	bool *matches = calloc(profile->n_nodes, sizeof(*matches));
	ph_arena_init(&arena, env);
	if (ph_query_parse(&arena, text, &query) != PH_OK)
		fail_msg("%s: %s", text, env->error.message);
	assert_int_equal(ph_query_run(&arena, query, profile, matches), PH_OK);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (matches[node])
			add_path(&set, path_text(profile, node),
					 ph_profile_region(profile, node)->kind == PH_KIND_STATEMENT);
	ph_arena_drop(&arena);
	free(matches);
	sort_unique(&set);
	return set;
}

static PathSet
oracle_paths(const Csv *nodes)
{
	PathSet set = {0, NULL};
	size_t path = csv_column(nodes, "path"), type = csv_column(nodes, "type");
	for (size_t row = 0; row < nodes->n_rows; row++)
		add_path(&set, path_without_lines(csv_cell(nodes, row, path)),
				 strcmp(csv_cell(nodes, row, type), "statement") == 0);
	sort_unique(&set);
	return set;
}

static void
check(const char *database, const char *text, const char *oracle)
{
	PhEnv env;
	PhRunInput run;
	Csv nodes = csv_read(oracle);
	if (nodes.cells == NULL)
		skip();
	ph_env_init_malloc(&env);
	assert_int_equal(read_path(&env, database, &run), PH_OK);
	PathSet ours = selected_paths(&env, run.profile, text), theirs = oracle_paths(&nodes);
	for (size_t i = 0; i < ours.n && i < theirs.n; i++)
		assert_string_equal(ours.paths[i], theirs.paths[i]);
	assert_int_equal(ours.n, theirs.n);
	free_set(&ours);
	free_set(&theirs);
	csv_free(&nodes);
	ph_run_input_free(&env, &run);
}

static void
test_mpi_calls_of_allgather(void **unused)
{
	(void) unused;
	/* Hatchet's pattern does not find "95:PMPI_Barrier", whose name begins with a line */
	check(PEERS "hpctoolkit-allgather-database", "* . [name =~ /^PMPI_(Init|Finalize)/]",
		  ORACLE "query-mpi-allgather/nodes.csv");
}

static void
test_mpi_calls_of_cpi(void **unused)
{
	(void) unused;
	check(PEERS "hpctoolkit-cpi-database", "* . [name =~ /^PMPI_/]",
		  ORACLE "query-mpi-cpi/nodes.csv");
}

static void
test_one_percent_of_cpi(void **unused)
{
	(void) unused;
	check(PEERS "hpctoolkit-cpi-database", "[share > 0.01]",
		  ORACLE "filter-1pct-squash-cpi/nodes.csv");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mpi_calls_of_allgather),
		cmocka_unit_test(test_mpi_calls_of_cpi),
		cmocka_unit_test(test_one_percent_of_cpi),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
