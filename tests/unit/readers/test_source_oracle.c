/*
 * test_source_oracle.c - readers against what Hatchet and Thicket read from the same files.
 *
 * Every value of an oracle table is added up by (path, column) and compared with the profile's cell
 * and the other way round: the sets of paths must be equal too. Hatchet gives a statement the file
 * of whatever procedure it met last, so the statements of one parent are compared as one. Oracles
 * lie beside the repository; without them the tests skip.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/hatchet/literal.h"
#include "support/csv.h"
#include "support/test_data.h"

#define ORACLE SHARED "/oracle/"
#define PEERS SHARED "/data/peers/"

typedef struct OracleCase
{
	const char *oracle;	   /* folder below oracle/ */
	const char *input;	   /* below data/peers/ */
	const char *metric;	   /* ours */
	const char *inclusive; /* the oracle's column, NULL: not compared */
	const char *exclusive;
	bool lines; /* names have "line:" before them */
} OracleCase;

static char *
text_of(const char *a, const char *b)
{
	static char buffer[4][512];
	static unsigned next;
	char *out = buffer[next++ % 4];
	snprintf(out, sizeof(buffer[0]), "%s%s", a, b);
	return out;
}

/* Node of the profile with this path, or PH_NONE. */
static uint32_t
find_path(const PhProfile *profile, char **paths, const char *path)
{
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		if (strcmp(paths[i], path) == 0)
			return i;
	return PH_NONE;
}

static uint32_t
find_column(const PhProfile *profile, const char *rank, const char *thread)
{
	bool threaded = profile->columns[0].thread != PH_NO_NUMBER;
	for (uint32_t i = 0; i < profile->n_columns; i++)
		if (profile->columns[i].rank == atoi(rank) &&
			(!threaded || profile->columns[i].thread == atoi(thread)))
			return i;
	fail_msg("no column for rank %s", rank);
	return 0;
}

/* Replace the last name of a path by a word for all statements. */
static char *
hide_statement(char *path)
{
	char *cut = strstr(path, ", \"");
	for (char *next = cut; next != NULL; next = strstr(next + 1, ", \""))
		cut = next;
	char *hidden;
	assert_non_null(cut);
	assert_true(asprintf(&hidden, "%.*s, \"<statement>\"]", (int) (cut - path), path) > 0);
	free(path);
	return hidden;
}

static char **
all_paths(const PhProfile *profile)
{
	char **paths = calloc(profile->n_nodes + 1, sizeof(char *));
	for (uint32_t i = 0; i < profile->n_nodes; i++)
	{
		paths[i] = path_text(profile, i);
		if (ph_profile_region(profile, i)->kind == PH_KIND_STATEMENT)
			paths[i] = hide_statement(paths[i]);
	}
	return paths;
}

static void
free_paths(const PhProfile *profile, char **paths)
{
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		free(paths[i]);
	free(paths);
}

static void
check_close(double ours, double theirs, const char *what, const char *where)
{
	double scale = fabs(theirs) > 1 ? fabs(theirs) : 1;
	if (fabs(ours - theirs) > 1e-9 * scale)
		fail_msg("%s of %s: %.17g, the oracle says %.17g", what, where, ours, theirs);
}

/* The oracle's nodes as indices of ours; all of ours must be met. */
static uint32_t *
match_nodes(const Csv *nodes, const PhProfile *profile, char **paths, bool lines)
{
	uint32_t *match = calloc(nodes->n_rows, sizeof(*match));
	bool *met = calloc(profile->n_nodes, sizeof(*met));
	size_t column = csv_column(nodes, "path");
	for (size_t i = 0; i < nodes->n_rows; i++)
	{
		const char *path = csv_cell(nodes, i, column);
		char *plain = lines ? path_without_lines(path) : strdup(path);
		if (strcmp(csv_cell(nodes, i, csv_column(nodes, "type")), "statement") == 0)
			plain = hide_statement(plain);
		match[i] = find_path(profile, paths, plain);
		if (match[i] == PH_NONE)
			fail_msg("the oracle's node %s is missing", plain);
		met[match[i]] = true;
		free(plain);
	}
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		if (!met[find_path(profile, paths, paths[i])])
			fail_msg("node %s is not in the oracle", paths[i]);
	free(met);
	return match;
}

/* Add the oracle's column up by our cells and compare. */
static void
compare_values(const Csv *values, const uint32_t *match, const PhProfile *profile, char **paths,
			   const OracleCase *oracle, const char *column_name, PhCost cost)
{
	uint32_t metric = ph_profile_find_metric(profile, oracle->metric);
	assert_int_not_equal(metric, PH_NONE);
	uint32_t width = profile->n_columns;
	double *sums = calloc((size_t) profile->n_nodes * width, sizeof(double));
	size_t column = csv_column(values, column_name);
	size_t rank = csv_column(values, "rank");
	size_t thread = csv_column(values, "thread");
	assert_int_not_equal(column, SIZE_MAX);
	for (size_t i = 0; i < values->n_rows; i++)
	{
		uint32_t node = match[atoi(csv_cell(values, i, 0))];
		uint32_t unit = 0;
		if (rank != SIZE_MAX)
			unit = find_column(profile, csv_cell(values, i, rank),
							   thread != SIZE_MAX ? csv_cell(values, i, thread) : "0");
		sums[(size_t) node * width + unit] += atof(csv_cell(values, i, column));
	}
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t unit = 0; unit < width; unit++)
			sums[(size_t) find_path(profile, paths, paths[node]) * width + unit] -=
				ph_profile_cell(profile, metric, node, unit, cost);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t unit = 0; unit < width; unit++)
			check_close(sums[(size_t) node * width + unit], 0, column_name, paths[node]);
	free(sums);
}

static void
compare(const PhProfile *profile, const OracleCase *oracle)
{
	char folder[256];
	snprintf(folder, sizeof(folder), ORACLE "%s", oracle->oracle);
	Csv nodes = csv_read(text_of(folder, "/nodes.csv"));
	Csv values = csv_read(text_of(folder, "/metrics.csv"));
	assert_non_null(nodes.text);
	assert_non_null(values.text);
	char **paths = all_paths(profile);
	uint32_t *match = match_nodes(&nodes, profile, paths, oracle->lines);
	if (oracle->inclusive != NULL)
		compare_values(&values, match, profile, paths, oracle, oracle->inclusive,
					   PH_COST_INCLUSIVE);
	if (oracle->exclusive != NULL)
		compare_values(&values, match, profile, paths, oracle, oracle->exclusive,
					   PH_COST_EXCLUSIVE);
	free(match);
	free_paths(profile, paths);
	csv_free(&nodes);
	csv_free(&values);
}

static void
run_case(const OracleCase *oracle)
{
	PhEnv env;
	PhRunInput run;
	skip_without_shared();
	ph_env_init_malloc(&env);
	if (read_path(&env, text_of(PEERS, oracle->input), &run) != PH_OK)
		fail_msg("%s", env.error.message);
	assert_int_equal(ph_profile_check(&env, run.profile), PH_OK);
	compare(run.profile, oracle);
	ph_run_input_free(&env, &run);
	assert_int_equal(env.bytes, 0);
}

static void
test_caliper_lulesh_json(void **state)
{
	(void) state;
	const OracleCase oracle = {.oracle = "hatchet/caliper-lulesh-json",
							   .input = "hatchet/caliper-lulesh-json",
							   .metric = "time",
							   .inclusive = "time (inc)",
							   .exclusive = "time"};
	run_case(&oracle);
}

static void
test_caliper_lulesh_cali(void **state)
{
	(void) state;
	OracleCase oracle = {.oracle = "hatchet/caliper-lulesh-cali",
						 .input = "hatchet/caliper-lulesh-cali",
						 .metric = "time",
						 .exclusive = "time"};
	run_case(&oracle);
	oracle.metric = oracle.exclusive = "count";
	run_case(&oracle);
	oracle.metric = oracle.exclusive = "max#time.duration";
	run_case(&oracle);
}

static void
test_caliper_spot(void **state)
{
	(void) state;
	static const char *const names[] = {"Total time", "Min time/rank", "Max time/rank",
										"Avg time/rank"};
	static const char *const cases[][2] = {
		{"hatchet/caliper-ordered-cali", "hatchet/caliper-ordered-cali"},
		{"hatchet/caliper-ordered-cali-mpi", "hatchet/caliper-ordered-cali-mpi"}};
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 4; j++)
		{
			OracleCase oracle = {.oracle = cases[i][0],
								 .input = cases[i][1],
								 .metric = names[j],
								 .inclusive = names[j]};
			run_case(&oracle);
		}
}

/* Hatchet keeps one row per node of a time series: only the paths can be compared. */
static void
test_caliper_timeseries(void **state)
{
	(void) state;
	const OracleCase oracle = {.oracle = "hatchet/caliper-timeseries",
							   .input = "hatchet/caliper-timeseries-cali/timeseries.cali"};
	run_case(&oracle);
}

static void
test_hpctoolkit(void **state)
{
	(void) state;
	OracleCase oracle = {.oracle = "hatchet/hpctoolkit-cpi",
						 .input = "hatchet/hpctoolkit-cpi-database",
						 .metric = "CPUTIME (usec)",
						 .inclusive = "time (inc)",
						 .lines = true};
	run_case(&oracle);
	oracle.oracle = "hatchet/hpctoolkit-allgather";
	oracle.input = "hatchet/hpctoolkit-allgather-database";
	run_case(&oracle);
}

/* Hatchet leaves flat rows out; ours are used for what no call path tells: the root. */
static void
test_tau(void **state)
{
	(void) state;
	OracleCase oracle = {.oracle = "hatchet/tau-cpi-mpi",
						 .input = "hatchet/tau-cpi-mpi",
						 .metric = "time",
						 .inclusive = "time (inc)",
						 .exclusive = "time"};
	run_case(&oracle);
	oracle.inclusive = NULL;
	oracle.metric = "calls";
	oracle.exclusive = "Calls";
	run_case(&oracle);
	oracle.metric = "subrs";
	oracle.exclusive = "Subrs";
	run_case(&oracle);
}

static void
test_json_literal(void **state)
{
	(void) state;
	const OracleCase oracle = {.oracle = "hatchet/json-literal",
							   .input = "hatchet/json",
							   .metric = "time",
							   .inclusive = "time (inc)",
							   .exclusive = "time"};
	run_case(&oracle);
}

/* Read one member of a JSON object as a literal. */
static void
run_literal(PhInput *whole, const char *name, const char *case_name)
{
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	PhJsonScan json = {&env, whole, 0};
	bool first = true;
	bool more = true;
	assert_int_equal(ph_json_expect(&json, '{'), PH_OK);
	while (more)
	{
		PhJsonText key;
		assert_int_equal(ph_json_next_member(&json, &first, &more, &key), PH_OK);
		assert_true(more);
		size_t start = json.at;
		assert_int_equal(ph_json_skip(&json), PH_OK);
		if (!ph_json_is(&key, name))
			continue;
		PhInput part = ph_input_lend(name, whole->data + start, json.at - start);
		assert_int_equal(ph_reader_hatchet_json.read_file(&env, &part, NULL, &run), PH_OK);
		const OracleCase oracle = {
			.oracle = case_name, .metric = "time", .inclusive = "time (inc)", .exclusive = "time"};
		compare(run.profile, &oracle);
		ph_run_input_free(&env, &run);
		break;
	}
	assert_int_equal(env.bytes, 0);
}

static void
test_literals(void **state)
{
	(void) state;
	size_t size;
	skip_without_shared();
	char *text = read_text(ORACLE "supergraph/literals.json", &size);
	assert_non_null(text);
	PhInput input = ph_input_lend("literals.json", text, size);
	run_literal(&input, "table1", "hatchet/lit-table1");
	run_literal(&input, "A", "hatchet/lit-A");
	run_literal(&input, "B", "hatchet/lit-B");
	free(text);
}

/* Hatchet gives every node of the file a row of its own; totals by function agree. */
static void
test_caliper_callpath(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	skip_without_shared();
	ph_env_init_malloc(&env);
	assert_int_equal(read_path(&env, PEERS "hatchet/caliper-cpi-json", &run), PH_OK);
	Csv values = csv_read(ORACLE "hatchet/caliper-cpi-json/metrics.csv");
	double theirs = 0;
	for (size_t i = 0; i < values.n_rows; i++)
		theirs += atof(csv_cell(&values, i, csv_column(&values, "time")));
	check_close(ph_profile_total(run.profile, 0) * run.profile->n_columns, theirs, "total", "all");
	assert_int_equal(run.profile->n_columns, 4);
	csv_free(&values);
	ph_run_input_free(&env, &run);
}

/* The row of the metadata table that tells a profile's number of ranks. */
static const char *
profile_of_size(const Csv *metadata, int size)
{
	for (size_t i = 0; i < metadata->n_rows; i++)
		if (atoi(csv_cell(metadata, i, csv_column(metadata, "mpi.world.size"))) == size)
			return csv_cell(metadata, i, 0);
	return NULL;
}

static void
compare_scaling(const PhProfile *profile, int size, const Csv *nodes, const Csv *values,
				const char *id)
{
	char **paths = all_paths(profile);
	uint32_t *match = match_nodes(nodes, profile, paths, false);
	uint32_t total = ph_profile_find_metric(profile, "Total time");
	uint32_t most = ph_profile_find_metric(profile, "Max time/rank");
	size_t n = 0;
	assert_int_equal(total, 0);
	for (size_t i = 0; i < values->n_rows; i++)
	{
		if (strcmp(csv_cell(values, i, 1), id) != 0)
			continue;
		uint32_t node = match[atoi(csv_cell(values, i, 0))];
		double theirs = atof(csv_cell(values, i, csv_column(values, "Total time"))) / size;
		check_close(ph_profile_cell(profile, total, node, 0, PH_COST_INCLUSIVE), theirs, "total",
					paths[node]);
		theirs = atof(csv_cell(values, i, csv_column(values, "Max time/rank")));
		check_close(ph_profile_cell(profile, most, node, 0, PH_COST_INCLUSIVE), theirs, "max",
					paths[node]);
		n++;
	}
	assert_int_equal(n, profile->n_nodes);
	free(match);
	free_paths(profile, paths);
}

static void
test_mpi_scaling(void **state)
{
	(void) state;
	static const int sizes[] = {27, 64, 125, 216, 343};
	skip_without_shared();
	Csv metadata = csv_read(ORACLE "thicket/mpi_scaling_cali/metadata.csv");
	Csv nodes = csv_read(ORACLE "thicket/mpi_scaling_cali/nodes.csv");
	Csv values = csv_read(ORACLE "thicket/mpi_scaling_cali/perfdata.csv");
	for (size_t i = 0; i < 5; i++)
	{
		PhEnv env;
		PhRunInput run;
		char path[256];
		ph_env_init_malloc(&env);
		snprintf(path, sizeof(path), PEERS "thicket/mpi_scaling_cali/%d_cores.cali", sizes[i]);
		assert_int_equal(read_path(&env, path, &run), PH_OK);
		assert_int_equal(run.n_ranks, sizes[i]);
		const char *id = profile_of_size(&metadata, sizes[i]);
		assert_non_null(id);
		compare_scaling(run.profile, sizes[i], &nodes, &values, id);
		assert_string_equal(ph_meta_get(&run.meta, "cluster"), "opal");
		ph_run_input_free(&env, &run);
	}
	csv_free(&metadata);
	csv_free(&nodes);
	csv_free(&values);
}

/* Eight event traces, one a rank, add up to what Caliper itself makes of them. */
static void
test_event_traces(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput whole;
	skip_without_shared();
	ph_env_init_malloc(&env);
	const char *folder = SHARED "/data/own/profiles/caliper/";
	assert_int_equal(read_path(&env, text_of(folder, "lulesh-8.fromtrace.json-split.json"), &whole),
					 PH_OK);
	for (int rank = 0; rank < 8; rank++)
	{
		PhRunInput run;
		char path[256];
		snprintf(path, sizeof(path), "%slulesh-8.event-trace.%d.cali", folder, rank);
		assert_int_equal(read_path(&env, path, &run), PH_OK);
		assert_int_equal(run.profile->n_nodes, whole.profile->n_nodes);
		for (uint32_t i = 0; i < run.profile->n_nodes; i++)
		{
			assert_true(run.profile->callpath_id[i] == whole.profile->callpath_id[i]);
			check_close(ph_profile_mean(run.profile, 0, i, PH_COST_EXCLUSIVE) *
							run.profile->n_columns,
						ph_profile_cell(whole.profile, 0, i, (uint32_t) rank, PH_COST_EXCLUSIVE),
						"exclusive time", ph_profile_node_name(whole.profile, i));
		}
		ph_run_input_free(&env, &run);
	}
	ph_run_input_free(&env, &whole);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caliper_lulesh_json),
		cmocka_unit_test(test_caliper_lulesh_cali),
		cmocka_unit_test(test_caliper_spot),
		cmocka_unit_test(test_caliper_timeseries),
		cmocka_unit_test(test_caliper_callpath),
		cmocka_unit_test(test_hpctoolkit),
		cmocka_unit_test(test_json_literal),
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_mpi_scaling),
		cmocka_unit_test(test_event_traces),
		cmocka_unit_test(test_tau),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
