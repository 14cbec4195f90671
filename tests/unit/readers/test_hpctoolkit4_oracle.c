/*
 * test_hpctoolkit4_oracle.c - HPCToolkit 4 databases of others against what a plain reader says of
 * them.
 *
 * Every node, thread and metric: the oracle's values are added up by (path, column) and compared
 * with the profile's cells, and the other way round. The databases lie beside the repository;
 * without them the tests skip.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define ORACLE SHARED "/oracle/hpctoolkit4/"
#define PEERS SHARED "/data/peers/"

typedef struct Compared
{
	PhProfile *profile;
	uint32_t *order;	 /* our nodes by path */
	char **paths;		 /* per node */
	uint32_t *node_of;	 /* per node of the oracle: our first one with its path */
	uint32_t *first;	 /* per node: the first with its path */
	uint32_t *column_of; /* per profile of the oracle */
} Compared;

/* ---- nodes ---- */

static int
compare_paths(const void *x, const void *y, void *paths)
{
	char **list = paths;
	return strcmp(list[*(const uint32_t *) x], list[*(const uint32_t *) y]);
}

static void
sort_paths(Compared *compared)
{
	uint32_t n = compared->profile->n_nodes;
	compared->paths = calloc(n, sizeof(char *));
	compared->order = calloc(n, sizeof(uint32_t));
	compared->first = calloc(n, sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++)
	{
		compared->paths[i] = path_text(compared->profile, i);
		compared->order[i] = i;
	}
	qsort_r(compared->order, n, sizeof(uint32_t), compare_paths, compared->paths);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t node = compared->order[i], before = i > 0 ? compared->order[i - 1] : node;
		bool same = strcmp(compared->paths[node], compared->paths[before]) == 0;
		compared->first[node] = same ? compared->first[before] : node;
		if (i == 0)
			compared->first[node] = node;
	}
}

static uint32_t
find_path(const Compared *compared, const char *path)
{
	uint32_t low = 0, high = compared->profile->n_nodes;
	while (low < high)
	{
		uint32_t middle = (low + high) / 2;
		int order = strcmp(compared->paths[compared->order[middle]], path);
		if (order == 0)
			return compared->first[compared->order[middle]];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	fail_msg("the oracle's node %s is missing", path);
	return PH_NONE;
}

/* Kinds are the oracle's, and all nodes are in both. */
static void
match_nodes(Compared *compared, const Csv *nodes)
{
	const PhProfile *profile = compared->profile;
	bool *met = calloc(profile->n_nodes, sizeof(bool));
	compared->node_of = calloc(nodes->n_rows + 1, sizeof(uint32_t));
	for (size_t i = 0; i < nodes->n_rows; i++)
	{
		uint32_t node = find_path(compared, csv_cell(nodes, i, csv_column(nodes, "path")));
		compared->node_of[atoi(csv_cell(nodes, i, 0))] = node;
		assert_string_equal(ph_kind_name(ph_profile_region(profile, node)->kind),
							csv_cell(nodes, i, csv_column(nodes, "kind")));
		met[node] = true;
	}
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		if (!met[compared->first[i]])
			fail_msg("node %s is not in the oracle", compared->paths[i]);
	free(met);
}

/* ---- columns ---- */

/* The number behind a word, or what there is without it. */
static int
number_of(const char *tuple, const char *word, int without)
{
	const char *at = strstr(tuple, word);
	return at != NULL ? atoi(at + strlen(word)) : without;
}

/* Of a thread: "NODE 7f0101 RANK 3 THREAD 1". A process that was forked is told by its name. */
static uint32_t
column_of_tuple(const PhProfile *profile, const char *number, const char *tuple)
{
	char host[20] = "", name[32];
	bool threaded = false;
	uint32_t found = PH_NONE;
	snprintf(name, sizeof(name), "profile %s", number);
	assert_int_equal(sscanf(tuple, "NODE %19s", host), 1);
	for (uint32_t i = 0; i < profile->n_columns; i++)
		threaded |= profile->columns[i].thread != PH_NO_NUMBER;
	int thread = threaded ? number_of(tuple, "THREAD ", 0) : PH_NO_NUMBER;
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i];
		const char *named = ph_profile_string(profile, column->name);
		bool same = column->rank == number_of(tuple, "RANK ", 0) && column->thread == thread &&
					strcmp(ph_profile_string(profile, column->host), host) == 0;
		if (same && strcmp(named, name) == 0)
			return i;
		if (same && named[0] == '\0')
			found = i;
	}
	if (found == PH_NONE)
		fail_msg("no column for profile %s, %s", number, tuple);
	return found;
}

static void
match_columns(Compared *compared, const Csv *profiles)
{
	uint32_t n = 0;
	compared->column_of = calloc(profiles->n_rows, sizeof(uint32_t));
	for (size_t i = 0; i < profiles->n_rows; i++)
	{
		const char *tuple = csv_cell(profiles, i, csv_column(profiles, "tuple"));
		bool is_stream = strstr(tuple, "GPUSTREAM") != NULL;
		compared->column_of[i] = PH_NONE;
		if (strcmp(csv_cell(profiles, i, csv_column(profiles, "summary")), "1") == 0)
			continue;
		if (is_stream)
			assert_string_equal(csv_cell(profiles, i, csv_column(profiles, "values")), "0");
		if (is_stream)
			continue;
		compared->column_of[i] =
			column_of_tuple(compared->profile, csv_cell(profiles, i, 0), tuple);
		n++;
	}
	assert_int_equal(compared->profile->n_columns, n);
}

/* ---- values ---- */

static void
check_values(const Compared *compared, const Csv *values, uint32_t metric, PhCost cost)
{
	const PhProfile *profile = compared->profile;
	size_t width = profile->n_columns;
	const char *name = ph_profile_string(profile, profile->metrics[metric].name);
	size_t column = csv_column(values, cost == PH_COST_INCLUSIVE ? "inclusive" : "exclusive");
	double *theirs = calloc(profile->n_nodes * width, sizeof(double));
	double *ours = calloc(profile->n_nodes * width, sizeof(double));
	for (size_t i = 0; i < values->n_rows; i++)
	{
		if (strcmp(csv_cell(values, i, csv_column(values, "metric")), name) != 0)
			continue;
		uint32_t node = compared->node_of[atoi(csv_cell(values, i, 0))];
		theirs[node * width + compared->column_of[atoi(csv_cell(values, i, 1))]] +=
			atof(csv_cell(values, i, column));
	}
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t i = 0; i < width; i++)
			ours[compared->first[node] * width + i] +=
				ph_profile_cell(profile, metric, node, i, cost);
	for (size_t i = 0; i < profile->n_nodes * width; i++)
		if (fabs(ours[i] - theirs[i]) > 1e-9 * fabs(theirs[i]))
			fail_msg("%s of %s in column %zu: %.17g, the oracle says %.17g", name,
					 compared->paths[i / width], i % width, ours[i], theirs[i]);
	free(theirs);
	free(ours);
}

static bool
is_sum(const char *name)
{
	return strcmp(name, "gpu time") == 0 || strcmp(name, "gpu kernels") == 0 ||
		   strcmp(name, "gpu copy bytes") == 0;
}

/* Metrics of the file that some value is of are those of the profile; sums are none of the file. */
static void
check_metrics(const Compared *compared, const Csv *values)
{
	const PhProfile *profile = compared->profile;
	for (size_t i = 0; i < values->n_rows; i++)
		find_metric(profile, csv_cell(values, i, csv_column(values, "metric")));
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		if (is_sum(ph_profile_string(profile, profile->metrics[i].name)))
			continue;
		check_values(compared, values, i, PH_COST_INCLUSIVE);
		check_values(compared, values, i, PH_COST_EXCLUSIVE);
	}
}

/* ---- databases ---- */

static Csv
read_table(const char *database, const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), ORACLE "%s/%s", database, name);
	Csv csv = csv_read(path);
	if (csv.text == NULL)
		fail_msg("%s is missing", path);
	return csv;
}

static void
free_compared(Compared *compared)
{
	for (uint32_t i = 0; i < compared->profile->n_nodes; i++)
		free(compared->paths[i]);
	free(compared->paths);
	free(compared->order);
	free(compared->first);
	free(compared->node_of);
	free(compared->column_of);
}

static void
check_database(const char *path, const char *name)
{
	PhEnv env;
	PhRunInput run;
	must_read(&env, path, &run);
	Compared compared = {.profile = run.profile};
	Csv nodes = read_table(name, "mapped_nodes.csv.gz");
	Csv values = read_table(name, "mapped_metrics.csv.gz");
	Csv profiles = read_table(name, "profiles.csv");
	assert_int_equal(run.n_missing, 0);
	assert_int_equal(run.n_warnings, 0);
	sort_paths(&compared);
	match_nodes(&compared, &nodes);
	match_columns(&compared, &profiles);
	check_metrics(&compared, &values);
	free_compared(&compared);
	csv_free(&nodes);
	csv_free(&values);
	csv_free(&profiles);
	done(&env, &run);
}

static void
test_databases(void **state)
{
	(void) state;
	static const char *const names[] = {"d.foo",	   "d.x",
										"inline",	   "loop-fork-cycles",
										"loop-inline", "lulesh-mpi-openmp",
										"multithread", "quicksilver",
										"vectorAdd"};
	skip_without_shared();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		char path[512];
		snprintf(path, sizeof(path), PEERS "hpctoolkit-v4/%s", names[i]);
		check_database(path, names[i]);
	}
	check_database(PEERS "pipit/ping-pong-hpctoolkit", "ping-pong");
}

/* What all tools' GPU metrics are called sums up the families of HPCToolkit, path by path. */
static void
check_sum(const PhProfile *profile, const char *sum, const char *const *parts, size_t n)
{
	uint32_t metric = find_metric(profile, sum);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t column = 0; column < profile->n_columns; column++)
		{
			double expected = 0;
			for (size_t i = 0; i < n; i++)
				expected += ph_profile_cell(profile, find_metric(profile, parts[i]), node, column,
											PH_COST_EXCLUSIVE);
			double value = ph_profile_cell(profile, metric, node, column, PH_COST_EXCLUSIVE);
			assert_true(fabs(value - expected) <= 1e-12 * expected);
		}
}

static void
test_gpu_sums(void **state)
{
	(void) state;
	static const char *const times[] = {"GKER (sec)", "GXCOPY (sec)"};
	static const char *const kernels[] = {"GKER:COUNT"};
	static const char *const copies[] = {"GXCOPY:D2H (B)", "GXCOPY:H2D (B)"};
	PhEnv env;
	PhRunInput run;
	skip_without_shared();
	must_read(&env, PEERS "hpctoolkit-v4/vectorAdd", &run);
	check_sum(run.profile, "gpu time", times, 2);
	check_sum(run.profile, "gpu kernels", kernels, 1);
	check_sum(run.profile, "gpu copy bytes", copies, 2);
	done(&env, &run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_databases),
		cmocka_unit_test(test_gpu_sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
