/*
 * test_source_readers.c - what the readers make of small files, and that order does not matter.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/hpctoolkit/hpctoolkit.h"
#include "support/csv.h"
#include "support/fault_env.h"
#include "support/reader.h"
#include "support/rounds.h"
#include "support/test_data.h"

#define HPC DATA "hpctoolkit"

static void
check_cell(const PhProfile *profile, const char *path, uint32_t column, double inclusive,
		   double exclusive)
{
	uint32_t node = find_node(profile, path);
	assert_true(ph_profile_is_present(profile, node, column));
	double ours = ph_profile_cell(profile, 0, node, column, PH_COST_INCLUSIVE);
	if (fabs(ours - inclusive) > 1e-12)
		fail_msg("%s: inclusive %.17g, expected %.17g", path, ours, inclusive);
	ours = ph_profile_cell(profile, 0, node, column, PH_COST_EXCLUSIVE);
	if (fabs(ours - exclusive) > 1e-12)
		fail_msg("%s: exclusive %.17g, expected %.17g", path, ours, exclusive);
}

static const char *
metric_unit(const PhProfile *profile, const char *name)
{
	uint32_t metric = ph_profile_find_metric(profile, name);
	if (metric == PH_NONE)
		fail_msg("no metric \"%s\"", name);
	return profile->strings[profile->metrics[metric].unit];
}

static bool
has_note(const PhProfile *profile, const char *part)
{
	for (uint32_t i = 0; i < profile->provenance.n_notes; i++)
		if (strstr(profile->strings[profile->provenance.notes[i]], part) != NULL)
			return true;
	return false;
}

/* ---- what is read ---- */

static void
test_json_split(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, DATA "small.json", &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_columns, 2);
	assert_int_equal(run.n_ranks, 2);
	check_cell(profile, "[\"main\"]", 0, 4.0, 1.5);
	check_cell(profile, "[\"main\", \"work\"]", 0, 2.5, 2.5);
	uint32_t send = find_node(profile, "[\"main\", \"work\", \"MPI_Send\"]");
	assert_false(ph_profile_is_present(profile, send, 0));
	assert_true(ph_profile_is_present(profile, send, 1));
	assert_int_equal(ph_profile_region(profile, send)->kind, PH_KIND_FUNCTION);
	assert_string_equal(metric_unit(profile, "time"), "s");
	assert_int_equal(profile->n_metrics, 1);
	assert_string_equal(ph_meta_get(&run.meta, "note"), "caf\xc3\xa9 \"quoted\"");
	assert_string_equal(ph_meta_get(&run.meta, "outside_regions:time"), "0.5");
	assert_true(has_note(profile, "outside any region"));
	done(&env, &run);
}

static void
test_cali(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, DATA "small.cali", &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_columns, 4);
	/* 1 s before the rank was known is half a second for each of two ranks */
	check_cell(profile, "[\"main\"]", 0, 2.5, 2.5);
	check_cell(profile, "[\"main\"]", 2, 3.5, 3.5);
	check_cell(profile, "[\"main\", \"a,b=c\\d\"]", 1, 4.0, 4.0);
	assert_int_equal(profile->columns[1].thread, 1);
	assert_int_equal(profile->columns[1].iteration, 7);
	assert_int_equal(profile->columns[0].thread, 0);
	assert_true(profile->columns[0].iteration == PH_NO_ITERATION);
	assert_string_equal(ph_meta_get(&run.meta, "cluster"), "quartz");
	assert_true(has_note(profile, "spread evenly over 2 ranks"));
	done(&env, &run);
}

static void
test_spot(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, DATA "lulesh-8.spot.cali", &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_columns, 1);
	assert_int_equal(profile->columns[0].kind, PH_COLUMN_GROUP);
	assert_int_equal(run.n_ranks, 8);
	assert_string_equal(profile->strings[profile->metrics[0].name], "Total time");
	uint32_t node = find_node(profile, "[\"main\"]");
	assert_true(fabs(ph_profile_cell(profile, 0, node, 0, PH_COST_INCLUSIVE) - 5.22888 / 8) < 1e-9);
	uint32_t most = ph_profile_find_metric(profile, "Max time/rank");
	assert_int_equal(profile->metrics[most].kind, PH_METRIC_VALUE);
	assert_int_equal(profile->metrics[most].combine, PH_COMBINE_MAX);
	assert_true(ph_profile_cell(profile, most, node, 0, PH_COST_INCLUSIVE) == 0.687048);
	assert_true(ph_profile_cell(profile, most, node, 0, PH_COST_EXCLUSIVE) == 0.491486);
	assert_string_equal(metric_unit(profile, "Calls (total)"), "count");
	assert_int_equal(ph_profile_find_metric(profile, "Node order"), PH_NONE);
	assert_true(has_note(profile, "divided by 8"));
	done(&env, &run);
}

/* The same run in two formats: same paths, same columns, values as far as they were printed. */
static void
test_json_equals_cali(void **state)
{
	(void) state;
	PhEnv env_a;
	PhEnv env_b;
	PhRunInput a;
	PhRunInput b;
	must_read(&env_a, DATA "lulesh-8.json-split.json", &a);
	must_read(&env_b, DATA "lulesh-8.region-profile.cali", &b);
	assert_int_equal(a.profile->n_nodes, b.profile->n_nodes);
	assert_int_equal(a.profile->n_columns, b.profile->n_columns);
	assert_string_equal(metric_unit(a.profile, "time"), metric_unit(b.profile, "time"));
	for (uint32_t i = 0; i < a.profile->n_nodes; i++)
	{
		assert_true(a.profile->callpath_id[i] == b.profile->callpath_id[i]);
		for (uint32_t j = 0; j < a.profile->n_columns; j++)
		{
			double x = ph_profile_cell(a.profile, 0, i, j, PH_COST_EXCLUSIVE);
			double y = ph_profile_cell(b.profile, 0, i, j, PH_COST_EXCLUSIVE);
			assert_true(fabs(x - y) <= 0.51e-6);
			assert_int_equal(ph_profile_is_present(a.profile, i, j),
							 ph_profile_is_present(b.profile, i, j));
		}
	}
	assert_string_equal(ph_meta_get(&a.meta, "mpi.world.size"),
						ph_meta_get(&b.meta, "mpi.world.size"));
	done(&env_a, &a);
	done(&env_b, &b);
}

static void
test_literals(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, DATA "literal-a.json", &run);
	check_cell(run.profile, "[\"main\", \"a\", \"leaf\"]", 0, 3, 3);
	uint32_t loop = find_node(run.profile, "[\"main\", \"b.c:12\"]");
	assert_int_equal(ph_profile_region(run.profile, loop)->kind, PH_KIND_LOOP);
	assert_int_equal(ph_profile_region(run.profile, loop)->line, 12);
	assert_int_equal(run.n_warnings, 1); /* leaf has two parents */
	done(&env, &run);

	must_read(&env, DATA "literal-b.json", &run);
	check_cell(run.profile, "[\"main\"]", 0, 9, 1);
	check_cell(run.profile, "[\"main\", \"a\"]", 0, 3, 3);
	check_cell(run.profile, "[\"other\"]", 0, 2, 2);
	const PhRegion *region = ph_profile_region(run.profile, 0);
	assert_string_equal(run.profile->strings[region->library], "app");
	assert_string_equal(metric_unit(run.profile, "visits"), "");
	done(&env, &run);
}

static void
test_hpctoolkit(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, HPC, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_columns, 2);
	assert_string_equal(profile->strings[profile->columns[0].host], "c0a80001");
	check_cell(profile, "[\"main\"]", 0, 300, 0);
	check_cell(profile, "[\"main\"]", 1, 150, 0);
	/* two call sites of one callee are one node */
	check_cell(profile, "[\"main\", \"MPI_Send\"]", 0, 200, 200);
	check_cell(profile, "[\"main\", \"Loop@main.c:7\", \"main.c:8\"]", 0, 60, 60);
	check_cell(profile, "[\"main\", \"Loop@main.c:7\", \"inlined<int>\"]", 0, 40, 40);
	uint32_t send = find_node(profile, "[\"main\", \"MPI_Send\"]");
	const PhRegion *region = ph_profile_region(profile, send);
	assert_string_equal(profile->strings[region->file], "lib/mpi.c");
	assert_string_equal(profile->strings[region->library], "/usr/lib/libmpi.so");
	assert_string_equal(run.raw_regions[profile->region[send]].raw_file,
						"/home/user/app/lib/./mpi.c");
	uint32_t statement = find_node(profile, "[\"main\", \"Loop@main.c:7\", \"main.c:8\"]");
	region = ph_profile_region(profile, statement);
	assert_int_equal(region->kind, PH_KIND_STATEMENT);
	assert_int_equal(region->line, 8);
	assert_string_equal(profile->strings[region->library], "/opt/app/bin/app");
	assert_string_equal(metric_unit(profile, "CPUTIME (usec)"), "us");
	assert_string_equal(ph_meta_get(&run.meta, "application"), "small");
	done(&env, &run);
}

/* Without metric-dbs the XML's sums are one column. */
static void
test_hpctoolkit_summary(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, HPC "/experiment.xml", &run);
	assert_int_equal(run.profile->n_columns, 1);
	assert_int_equal(run.n_warnings, 1);
	check_cell(run.profile, "[\"main\"]", 0, 300, 0);
	check_cell(run.profile, "[\"main\", \"MPI_Send\"]", 0, 200, 200);
	assert_string_equal(metric_unit(run.profile, "CPUTIME (usec)"), "us");
	done(&env, &run);
}

static void
test_module_map_and_root(void **state)
{
	(void) state;
	PhEnv env;
	PhArena arena;
	PhModuleMap *map;
	PhRunInput run;
	size_t size;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_module_map_parse(&arena, "^MPI_=mpi library\n", &map), PH_OK);
	PhReadOptions options = {.module_map = map, .source_root = "/home/user"};
	char *xml = read_text(HPC "/experiment.xml", &size);
	PhInput input = ph_input_lend("experiment.xml", xml, size);
	assert_int_equal(ph_read_hpctoolkit(&env, &input, NULL, 0, &options, &run), PH_OK);
	const PhProfile *profile = run.profile;
	const PhRegion *region =
		ph_profile_region(profile, find_node(profile, "[\"main\", \"MPI_Send\"]"));
	assert_string_equal(profile->strings[region->module], "mpi library");
	assert_string_equal(profile->strings[region->file], "app/lib/mpi.c");
	ph_run_input_free(&env, &run);
	ph_arena_drop(&arena);
	free(xml);
}

static void
test_metric_db_names(void **state)
{
	(void) state;
	int32_t rank;
	int32_t thread;
	char host[64];
	const char *name = "/x-y/1.my-app-000012-003-a8c00471-152577-0.metric-db";
	assert_true(ph_hpc_parse_name(name, &rank, &thread, host));
	assert_int_equal(rank, 12);
	assert_int_equal(thread, 3);
	assert_string_equal(host, "a8c00471");
	assert_false(ph_hpc_parse_name("000012-003-a8c00471-152577-0.metric-db", &rank, &thread, host));
	assert_false(ph_hpc_parse_name("app.metric-db", &rank, &thread, host));
	assert_false(ph_hpc_parse_name("a-x-003-h-1-0.metric-db", &rank, &thread, host));
}

/* ---- any order gives the same bytes ---- */

static void
shuffle(uint64_t *state, char **items, size_t n)
{
	for (size_t i = n; i > 1; i--)
	{
		size_t j = draw_below(state, (uint32_t) i);
		char *item = items[i - 1];
		items[i - 1] = items[j];
		items[j] = item;
	}
}

static char *
join(char **items, size_t n, const char *separator)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s", i > 0 ? separator : "", items[i]);
	fclose(out);
	return text;
}

static char *print(const char *format, ...) PH_PRINTF(1, 2);

static char *
print(const char *format, ...)
{
	char *text;
	va_list arguments;
	va_start(arguments, format);
	assert_true(vasprintf(&text, format, arguments) >= 0);
	va_end(arguments);
	return text;
}

static void
free_all(char **items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(items[i]);
}

#define MAX_NODES 24
#define MAX_ROWS 200

/* A random table: few names, so that siblings coincide; several rows of one cell. */
typedef struct RandomTable
{
	uint32_t n_nodes, n_rows;
	uint32_t parent[MAX_NODES], name[MAX_NODES];
	uint32_t node[MAX_ROWS], rank[MAX_ROWS];
	double time[MAX_ROWS];
} RandomTable;

static void
make_table(uint64_t *state, RandomTable *table)
{
	table->n_nodes = 1 + draw_below(state, MAX_NODES);
	table->n_rows = 1 + draw_below(state, MAX_ROWS);
	for (uint32_t i = 0; i < table->n_nodes; i++)
	{
		bool root = i == 0 || draw_below(state, 8) == 0;
		table->parent[i] = root ? PH_NONE : draw_below(state, i);
		table->name[i] = draw_below(state, 5);
	}
	for (uint32_t i = 0; i < table->n_rows; i++)
	{
		table->node[i] = draw_below(state, table->n_nodes);
		table->rank[i] = draw_below(state, 5);
		table->time[i] = draw_below(state, 1000000) / 1e3;
	}
}

/* The table as json-split with nodes and rows in random order. */
static char *
as_json(uint64_t *state, const RandomTable *table)
{
	uint32_t place[MAX_NODES];
	char *nodes[MAX_NODES];
	char *rows[MAX_ROWS];
	for (uint32_t i = 0; i < table->n_nodes; i++)
		place[i] = i;
	for (uint32_t i = table->n_nodes; i > 1; i--)
	{
		uint32_t j = draw_below(state, i);
		uint32_t swap = place[i - 1];
		place[i - 1] = place[j];
		place[j] = swap;
	}
	for (uint32_t i = 0; i < table->n_nodes; i++)
	{
		char *parent = table->parent[i] == PH_NONE
						   ? strdup("")
						   : print(",\"parent\":%u", place[table->parent[i]]);
		nodes[place[i]] =
			print("{\"label\":\"f%u\",\"column\":\"path\"%s}", table->name[i], parent);
		free(parent);
	}
	for (uint32_t i = 0; i < table->n_rows; i++)
		rows[i] = print("[%u,%u,%.3f]", table->rank[i], place[table->node[i]], table->time[i]);
	shuffle(state, rows, table->n_rows);
	char *all_nodes = join(nodes, table->n_nodes, ",");
	char *all_rows = join(rows, table->n_rows, ",");
	char *text = print("{\"data\":[%s],\"columns\":[\"mpi.rank\",\"path\",\"time\"],"
					   "\"column_metadata\":[{\"is_value\":true},{\"is_value\":false},"
					   "{\"is_value\":true}],\"nodes\":[%s]}",
					   all_rows, all_nodes);
	free(all_nodes);
	free(all_rows);
	free_all(nodes, table->n_nodes);
	free_all(rows, table->n_rows);
	return text;
}

/* The table as Hatchet's form A, rows in random order, ids permuted by reversal. */
static char *
as_literal(uint64_t *state, const RandomTable *table)
{
	char *nodes[MAX_NODES];
	char *rows[MAX_ROWS];
	for (uint32_t i = 0; i < table->n_nodes; i++)
	{
		char *children[MAX_NODES];
		size_t n = 0;
		for (uint32_t j = 0; j < table->n_nodes; j++)
			if (table->parent[j] == i)
				children[n++] = print("%u", j);
		shuffle(state, children, n);
		char *list = join(children, n, ",");
		nodes[i] = print("\"%u\":{\"data\":{\"name\":\"f%u\"},\"children\":[%s]}", i,
						 table->name[i], list);
		free(list);
		free_all(children, n);
	}
	for (uint32_t i = 0; i < table->n_rows; i++)
		rows[i] = print("{\"node\":%u,\"rank\":%u,\"time\":%.3f}", table->node[i], table->rank[i],
						table->time[i]);
	shuffle(state, nodes, table->n_nodes);
	shuffle(state, rows, table->n_rows);
	char *all_nodes = join(nodes, table->n_nodes, ",");
	char *all_rows = join(rows, table->n_rows, ",");
	char *text = print("{\"graph\":[{%s}],\"dataframe\":[%s]}", all_nodes, all_rows);
	free(all_nodes);
	free(all_rows);
	free_all(nodes, table->n_nodes);
	free_all(rows, table->n_rows);
	return text;
}

/* The table as .cali with all lines in random order. */
static char *
as_cali(uint64_t *state, const RandomTable *table)
{
	static const char *const header[] = {"__rec=node,id=20,attr=10,data=276,parent=3",
										 "__rec=node,id=21,attr=8,data=region,parent=20",
										 "__rec=node,id=22,attr=10,data=1,parent=5",
										 "__rec=node,id=23,attr=8,data=time,parent=22",
										 "__rec=node,id=24,attr=10,data=1,parent=1",
										 "__rec=node,id=25,attr=8,data=mpi.rank,parent=24"};
	char *lines[6 + MAX_NODES + MAX_ROWS];
	size_t n = 0;
	for (; n < 6; n++)
		lines[n] = strdup(header[n]);
	for (uint32_t i = 0; i < table->n_nodes; i++)
	{
		char *parent =
			table->parent[i] == PH_NONE ? strdup("") : print(",parent=%u", 100 + table->parent[i]);
		lines[n++] = print("__rec=node,id=%u,attr=21,data=f%u%s", 100 + i, table->name[i], parent);
		free(parent);
	}
	for (uint32_t i = 0; i < table->n_rows; i++)
		lines[n++] = print("__rec=ctx,ref=%u,attr=25=23,data=%u=%.3f", 100 + table->node[i],
						   table->rank[i], table->time[i]);
	shuffle(state, lines, n);
	char *joined = join(lines, n, "\n");
	char *text = print("%s\n", joined);
	free(joined);
	free_all(lines, n);
	return text;
}

/* Two orders of one table must give the same bytes; their sum must be the table's. */
static void
check_orders(ReaderKind reader, const RandomTable *table, char *first, char *second)
{
	PhEnv env;
	PhRunInput a;
	PhRunInput b;
	size_t size_a;
	size_t size_b;
	ph_env_init_malloc(&env);
	if (read_bytes(&env, reader, first, strlen(first), &a) != PH_OK ||
		read_bytes(&env, reader, second, strlen(second), &b) != PH_OK)
		fail_msg("%s in:\n%s", env.error.message, first);
	uint8_t *bytes_a = stored_bytes(&env, a.profile, &size_a);
	uint8_t *bytes_b = stored_bytes(&env, b.profile, &size_b);
	assert_int_equal(size_a, size_b);
	assert_memory_equal(bytes_a, bytes_b, size_a);
	double sum = 0;
	for (uint32_t i = 0; i < table->n_rows; i++)
		sum += table->time[i];
	double total = ph_profile_total(a.profile, 0) * a.profile->n_columns;
	assert_true(fabs(total - sum) <= 1e-9 * (sum + 1));
	free(bytes_a);
	free(bytes_b);
	ph_run_input_free(&env, &a);
	ph_run_input_free(&env, &b);
	assert_int_equal(env.bytes, 0);
	free(first);
	free(second);
}

static void
test_any_order(void **state)
{
	(void) state;
	uint64_t random = 7;
	for (uint32_t i = 0; i < rounds(2000); i++)
	{
		RandomTable table;
		make_table(&random, &table);
		check_orders(READ_CALIPER_JSON, &table, as_json(&random, &table), as_json(&random, &table));
		check_orders(READ_CALIPER_CALI, &table, as_cali(&random, &table), as_cali(&random, &table));
		check_orders(READ_HATCHET_JSON, &table, as_literal(&random, &table),
					 as_literal(&random, &table));
	}
}

/* The order in which metric-dbs are given does not matter either. */
static void
test_database_order(void **state)
{
	(void) state;
	PhEnv env;
	size_t size;
	size_t sizes[2];
	uint8_t *bytes[2];
	PhInput dbs[3];
	ph_env_init_malloc(&env);
	char *xml = read_text(HPC "/experiment.xml", &size);
	const char *names[2] = {HPC "/1.small-000000-000-c0a80001-77-0.metric-db",
							HPC "/1.small-000001-000-c0a80001-77-0.metric-db"};
	for (int i = 0; i < 2; i++)
		assert_int_equal(ph_input_open(&env, names[i], &dbs[i]), PH_OK);
	dbs[2] = dbs[0];
	for (int i = 0; i < 2; i++)
	{
		PhRunInput run;
		PhInput input = ph_input_lend("experiment.xml", xml, size);
		assert_int_equal(ph_read_hpctoolkit(&env, &input, dbs + i, 2, NULL, &run), PH_OK);
		bytes[i] = stored_bytes(&env, run.profile, &sizes[i]);
		ph_run_input_free(&env, &run);
	}
	assert_int_equal(sizes[0], sizes[1]);
	assert_memory_equal(bytes[0], bytes[1], sizes[0]);
	/* one rank twice */
	PhRunInput run;
	PhInput input = ph_input_lend("experiment.xml", xml, size);
	dbs[1].path = dbs[0].path;
	assert_int_equal(ph_read_hpctoolkit(&env, &input, dbs, 2, NULL, &run), PH_ERR_CONFLICT);
	for (int i = 0; i < 2; i++)
	{
		ph_input_close(&dbs[i]);
		free(bytes[i]);
	}
	free(xml);
}

/* ---- no memory ---- */

static void
test_no_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_CALIPER_JSON, DATA "small.json");
	fail_every_allocation_of(READ_CALIPER_CALI, DATA "small.cali");
	fail_every_allocation_of(READ_HATCHET_JSON, DATA "literal-a.json");
	fail_every_allocation_of(READ_HATCHET_JSON, DATA "literal-b.json");
	fail_every_allocation_of(READ_HPCTOOLKIT, HPC "/experiment.xml");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_split),
		cmocka_unit_test(test_cali),
		cmocka_unit_test(test_spot),
		cmocka_unit_test(test_json_equals_cali),
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_hpctoolkit),
		cmocka_unit_test(test_hpctoolkit_summary),
		cmocka_unit_test(test_module_map_and_root),
		cmocka_unit_test(test_metric_db_names),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_database_order),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
