/*
 * test_source_cube.c - Cube profiles: real ones, every form of the format, damaged ones.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/cube/source.h"
#include "readers/measured_region.h"
#include "support/csv.h"
#include "support/cube.h"
#include "support/reader.h"
#include "support/rounds.h"
#include "support/test_data.h"

#define SCOREP DATA "scorep-halo2d"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static double
sum_of(const PhProfile *profile, const char *name, PhCost cost)
{
	uint32_t metric = find_metric(profile, name);
	double sum = 0;
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		for (uint32_t j = 0; j < profile->n_columns; j++)
			sum += ph_profile_cell(profile, metric, i, j, cost);
	return sum;
}

/* ---- real profiles ---- */

static void
test_scorep(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, SCOREP "/profile.cubex", &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 22);
	assert_int_equal(profile->n_columns, 9);
	assert_int_equal(profile->n_metrics, 6);
	assert_int_equal(find_metric(profile, "time"), 0);
	assert_string_equal(profile->strings[profile->metrics[0].unit], "s");
	assert_string_equal(profile->strings[profile->columns[3].host], "vm");
	assert_int_equal(profile->columns[3].rank, 3);
	assert_int_equal(profile->columns[3].thread, PH_NO_NUMBER);
	assert_int_equal(profile->provenance.residual_cells, 0);
	assert_int_equal(run.n_warnings, 0);
	/* sums over the file's rows, from a reader written apart from this one */
	assert_true(sum_of(profile, "visits", PH_COST_EXCLUSIVE) == 702);
	assert_true(fabs(sum_of(profile, "time", PH_COST_INCLUSIVE) - 18.508207471142498) < 1e-9);
	assert_true(fabs(sum_of(profile, "min_time", PH_COST_EXCLUSIVE) - 18.073187141745823) < 1e-9);
	assert_true(sum_of(profile, "bytes_sent", PH_COST_EXCLUSIVE) == 27384);
	uint32_t node = find_node(profile, "[\"halo2d.scorep\", \"main\", \"MPI_Init\"]");
	assert_true(ph_profile_cell(profile, 0, node, 0, PH_COST_INCLUSIVE) == 0.6138316967820504);
	assert_int_equal(profile->metrics[find_metric(profile, "min_time")].kind, PH_METRIC_VALUE);
	assert_int_equal(profile->metrics[find_metric(profile, "max_time")].combine, PH_COMBINE_MAX);
	done(&env, &run);
}

static void
test_scorep_regions(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, SCOREP "/profile.cubex", &run);
	const PhProfile *profile = run.profile;
	const char *const *strings = profile->strings;
	const PhRegion *program = ph_profile_region(profile, 0);
	assert_string_equal(strings[program->library], "halo2d.scorep");
	assert_string_equal(strings[program->paradigm], "measurement");
	uint32_t init = find_node(profile, "[\"halo2d.scorep\", \"main\", \"MPI_Init\"]");
	const PhRegion *region = ph_profile_region(profile, init);
	assert_string_equal(strings[region->library], "MPI");
	assert_string_equal(strings[region->paradigm], "mpi");
	uint32_t step = find_node(profile, "[\"halo2d.scorep\", \"main\", \"step\"]");
	region = ph_profile_region(profile, step);
	assert_string_equal(strings[region->library], "");
	assert_string_equal(strings[region->file], "halo2d.c");
	assert_string_equal(run.raw_regions[profile->region[step]].raw_file,
						"/home/hpcuser/traces/apps/mini/halo2d.c");
	assert_int_equal(run.raw_regions[profile->region[step]].line, 124);
	done(&env, &run);
}

/* The experiment's directory is one run with the measurement's settings. */
static void
test_scorep_directory(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	PhArena arena;
	PhExperiment *list;
	size_t n;
	PhUnreadList unread;
	must_read(&env, SCOREP, &run);
	assert_int_equal(run.profile->n_nodes, 22);
	assert_string_equal(ph_meta_get(&run.meta, "Creator"), "Score-P 8.4");
	assert_string_equal(ph_meta_get(&run.meta, "application"), "halo2d.scorep");
	assert_string_equal(ph_meta_get(&run.meta, "command"),
						"/home/hpcuser/traces/apps/mini/halo2d.scorep nb 3 3 32 4 0");
	assert_string_equal(ph_meta_get(&run.meta, "topology:Process x Thread"), "9 x 1");
	assert_string_equal(ph_meta_get(&run.meta, "SCOREP_TOTAL_MEMORY"), "24M");
	assert_string_equal(ph_meta_get(&run.meta, "SCOREP_TIMER"), "tsc");
	assert_null(ph_meta_get(&run.meta, "SCOREP_EXECUTABLE"));
	assert_string_equal(run.title, "scorep-halo2d");
	done(&env, &run);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_source_expand(&arena, SCOREP, NULL, &list, &n, &unread), PH_OK);
	assert_int_equal(n, 1);
	assert_int_equal(list[0].n_files, 2);
	ph_arena_drop(&arena);
}

/*
 * Visits are stored in one order of cnodes, inclusive times in another: if both are read right, the
 * time of a cell lies between its visits times the shortest and the longest of them.
 */
static void
check_bounds(const PhProfile *profile, const char *path)
{
	uint32_t visits = find_metric(profile, "visits");
	uint32_t least = find_metric(profile, "min_time");
	uint32_t most = find_metric(profile, "max_time");
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		for (uint32_t j = 0; j < profile->n_columns; j++)
		{
			double n = ph_profile_cell(profile, visits, i, j, PH_COST_EXCLUSIVE);
			double time = ph_profile_cell(profile, 0, i, j, PH_COST_INCLUSIVE);
			double low = n * ph_profile_cell(profile, least, i, j, PH_COST_EXCLUSIVE);
			double high = n * ph_profile_cell(profile, most, i, j, PH_COST_EXCLUSIVE);
			if (n > 0 && (time < low * (1 - 1e-9) || time > high * (1 + 1e-9)))
				fail_msg("%s: %s: %g visits take %g s, not between %g and %g", path,
						 ph_profile_node_name(profile, i), n, time, low, high);
		}
}

static void
test_own_profiles(void **state)
{
	(void) state;
	static const struct
	{
		const char *name;
		uint32_t n_nodes, n_columns;
		double visits, time; /* sums over all rows of the file, by another reader */
	} cases[] = {{"colls-6", 33, 6, 546, 16.942902671601164},
				 {"halo2d-bl-9", 22, 9, 702, 18.739189921129537},
				 {"halo2d-nb-9", 22, 9, 702, 18.508207471142498},
				 {"halo2d-nb-9-rusage", 22, 9, 702, 17.7333014695234},
				 {"halo2d-nbt-9", 22, 9, 2910, 20.84100195578258},
				 {"halo2d-per-9", 23, 9, 558, 10.838858144227466},
				 {"halo2d-sr-9", 20, 9, 522, 15.122043780626559},
				 {"lulesh-27", 90, 27, 25837, 134.67425504404983},
				 {"lulesh-27-large", 90, 27, 483319, 370.71002809097865},
				 {"lulesh-8", 90, 8, 9189, 14.95011918227409},
				 {"lulesh-8-rusage", 90, 8, 4799, 13.341055085976365},
				 {"lulesh-8x2-openmp", 193, 16, 57987, 755.4829347147686},
				 {"mergetree-16", 16, 16, 558, 55.652649502974256},
				 {"npb-cg-S-8", 26, 8, 93313, 27.510113104317565}};
	skip_without_shared();
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		PhEnv env;
		PhRunInput run;
		char path[512];
		snprintf(path, sizeof(path), SHARED "/data/own/otf2/%s/profile.cubex", cases[i].name);
		must_read(&env, path, &run);
		assert_int_equal(run.profile->n_nodes, cases[i].n_nodes);
		assert_int_equal(run.profile->n_columns, cases[i].n_columns);
		check_bounds(run.profile, cases[i].name);
		double time = sum_of(run.profile, "time", PH_COST_INCLUSIVE);
		assert_true(sum_of(run.profile, "visits", PH_COST_EXCLUSIVE) == cases[i].visits);
		assert_true(fabs(time - cases[i].time) < 1e-9 * time);
		done(&env, &run);
	}
}

/* Threads of OpenMP are columns; loops and constructs have their kinds. */
static void
test_openmp(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	skip_without_shared();
	must_read(&env, SHARED "/data/own/otf2/lulesh-8x2-openmp/profile.cubex", &run);
	const PhProfile *profile = run.profile;
	uint32_t kinds[PH_KIND_COUNT] = {0};
	assert_int_equal(profile->columns[5].rank, 2);
	assert_int_equal(profile->columns[5].thread, 1);
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *region = &profile->regions[i];
		const char *name = profile->strings[region->name];
		kinds[region->kind]++;
		if (strncmp(name, "!$omp for", 9) == 0)
			assert_int_equal(region->kind, PH_KIND_LOOP);
		if (strncmp(name, "!$omp parallel", 14) == 0)
			assert_int_equal(region->kind, PH_KIND_REGION);
		if (strncmp(name, "!$omp", 5) == 0)
			assert_string_equal(profile->strings[region->paradigm], "openmp");
	}
	assert_true(kinds[PH_KIND_LOOP] > 0);
	assert_true(kinds[PH_KIND_REGION] > 0);
	done(&env, &run);
}

static void
test_library_example(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	skip_without_shared();
	must_read(&env, SHARED "/data/peers/cube/cubelib-example-summary.cubex", &run);
	assert_int_equal(run.profile->n_nodes, 89);
	assert_int_equal(run.profile->n_columns, 64);
	assert_true(sum_of(run.profile, "visits", PH_COST_INCLUSIVE) == 647042102);
	assert_true(fabs(sum_of(run.profile, "time", PH_COST_INCLUSIVE) - 122440.37302837701) < 1e-4);
	assert_true(fabs(sum_of(run.profile, "mpi_init_exit", PH_COST_INCLUSIVE) - 94.82682275600003) <
				1e-7);
	assert_int_equal(ph_profile_find_metric(run.profile, "omp_flush"), PH_NONE); /* all zero */
	assert_string_equal(run.profile->strings[run.profile->columns[8].host], "jf52c30");
	done(&env, &run);
}

/* ---- every form of the format ---- */

static void
make_table(uint64_t *random, CubeTable *table)
{
	memset(table, 0, sizeof(*table));
	table->n_nodes = 1 + draw_below(random, CUBE_MAX_NODES);
	table->n_locations = 1 + draw_below(random, CUBE_MAX_LOCATIONS);
	for (uint32_t i = 0; i < table->n_nodes; i++)
	{
		bool root = i == 0 || draw_below(random, 8) == 0;
		table->parent[i] = root ? UINT32_MAX : draw_below(random, i);
		table->name[i] = draw_below(random, 5);
		for (uint32_t j = 0; j < table->n_locations && draw_below(random, 3) > 0; j++)
		{
			table->visits[i][j] = draw_below(random, 100000);
			table->time[i][j] = draw_below(random, 1 << 20) / 1024.0; /* sums are exact */
		}
	}
	table->time[0][0] += 1; /* some value exists */
	table->visits[0][0] += 1;
	cube_table_finish(table);
}

/* The path of a node of the table, as path_text has it. */
static char *
table_path(const CubeTable *table, uint32_t node)
{
	uint32_t steps[CUBE_MAX_NODES];
	uint32_t n = 0;
	char *text;
	size_t size;
	for (; node != UINT32_MAX; node = table->parent[node])
		steps[n++] = table->name[node];
	FILE *out = open_memstream(&text, &size);
	fputc('[', out);
	for (; n > 0; n--)
		fprintf(out, "\"f%u\"%s", steps[n - 1], n > 1 ? ", " : "");
	fputc(']', out);
	fclose(out);
	return text;
}

/* Equal siblings are one node: sums by path must be the profile's cells. */
static void
check_table(const CubeTable *table, const PhProfile *profile)
{
	char *paths[CUBE_MAX_NODES];
	uint32_t visits = find_metric(profile, "visits");
	for (uint32_t i = 0; i < table->n_nodes; i++)
		paths[i] = table_path(table, i);
	assert_int_equal(profile->n_columns, table->n_locations);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		char *path = path_text(profile, node);
		for (uint32_t j = 0; j < table->n_locations; j++)
		{
			double sums[3] = {0};
			for (uint32_t i = 0; i < table->n_nodes; i++)
				if (strcmp(paths[i], path) == 0)
				{
					sums[0] += (double) table->visits[i][j];
					sums[1] += table->inclusive[i][j];
					sums[2] += table->time[i][j];
				}
			if (ph_profile_cell(profile, visits, node, j, PH_COST_EXCLUSIVE) != sums[0] ||
				ph_profile_cell(profile, 0, node, j, PH_COST_INCLUSIVE) != sums[1] ||
				ph_profile_cell(profile, 0, node, j, PH_COST_EXCLUSIVE) != sums[2])
				fail_msg("%s, location %u: not %g visits, %g s, %g s", path, j, sums[0], sums[1],
						 sums[2]);
			bool visited = sums[0] > 0 || sums[1] > 0;
			assert_int_equal(ph_profile_is_present(profile, node, j), visited);
		}
		free(path);
	}
	for (uint32_t i = 0; i < table->n_nodes; i++)
		free(paths[i]);
}

static void
test_forms(void **state)
{
	(void) state;
	uint64_t random = 11;
	for (uint32_t i = 0; i < rounds(2000); i++)
	{
		CubeTable table;
		uint8_t *first = NULL;
		size_t first_size = 0;
		make_table(&random, &table);
		for (uint32_t bits = 0; bits < 3; bits++)
		{
			PhEnv env;
			PhRunInput run;
			size_t size;
			size_t stored_size;
			uint32_t draw = bits == 0 ? 0 : draw_below(&random, 32);
			CubeForm form = {draw & 1, draw & 2, draw & 4, draw & 8, draw & 16};
			uint8_t *bytes = cube_archive(&table, &form, &size);
			ph_env_init_malloc(&env);
			if (cube_read(&env, bytes, size, &run) != PH_OK)
				fail_msg("form %u: %s", draw, env.error.message);
			check_table(&table, run.profile);
			uint8_t *stored = stored_bytes(&env, run.profile, &stored_size);
			if (first != NULL)
			{
				assert_int_equal(stored_size, first_size);
				assert_memory_equal(stored, first, first_size);
			}
			free(first);
			first = stored;
			first_size = stored_size;
			free(bytes);
			done(&env, &run);
		}
		free(first);
	}
}

static void
must_read_changed(PhEnv *env, const char *from, const char *to, const CubeParts *other,
				  PhRunInput *run)
{
	if (cube_read_changed(env, from, to, other, run) != PH_OK)
		fail_msg("%s", env->error.message);
	assert_int_equal(ph_profile_check(env, run->profile), PH_OK);
}

static void
test_integer_types(void **state)
{
	(void) state;
	static const struct
	{
		const char *type;
		size_t width;
	} types[] = {{"UINT8", 1}, {"INT16", 2}, {"UINT32", 4}, {"INT64", 8}, {"INTEGER", 8}};
	for (size_t i = 0; i < COUNT(types); i++)
	{
		PhEnv env;
		PhRunInput run;
		char to[64];
		uint8_t data[10 + 8 * 8] = "CUBEX.DATA";
		for (size_t k = 0; k < 8; k++)
			data[10 + k * types[i].width] = (uint8_t) (k + 1);
		CubeParts parts = {.data = data, .data_size = 10 + 8 * types[i].width};
		snprintf(to, sizeof(to), "<dtype>%s<", types[i].type);
		must_read_changed(&env, "<dtype>UINT64<", to, &parts, &run);
		assert_true(sum_of(run.profile, "visits", PH_COST_EXCLUSIVE) == 36);
		done(&env, &run);
	}
}

/* A record of TAU: count, minimum, maximum, sum, sum of squares; the first form has 36 bytes. */
static void
check_tau_atomic(size_t width)
{
	PhEnv env;
	PhRunInput run;
	uint8_t data[10 + 8 * 40] = "CUBEX.DATA";
	uint32_t count = 3;
	double values[4] = {-1.5, 4, 6, 20};
	for (size_t k = 1; k < 8; k++) /* the first is empty */
	{
		memcpy(data + 10 + k * width, &count, 4);
		memcpy(data + 10 + (k + 1) * width - 32, values, 32);
	}
	CubeParts parts = {.data = data, .data_size = 10 + 8 * width};
	must_read_changed(&env, "<dtype>UINT64<", "<dtype>TAU_ATOMIC<", &parts, &run);
	assert_true(sum_of(run.profile, "visits", PH_COST_EXCLUSIVE) == 42);
	assert_true(sum_of(run.profile, "visits (count)", PH_COST_EXCLUSIVE) == 21);
	assert_true(sum_of(run.profile, "visits (min)", PH_COST_EXCLUSIVE) == -10.5);
	assert_true(sum_of(run.profile, "visits (max)", PH_COST_EXCLUSIVE) == 28);
	done(&env, &run);
}

static void
test_tau_atomic(void **state)
{
	(void) state;
	check_tau_atomic(36);
	check_tau_atomic(40);
}

static void
test_derived_metrics(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read_changed(&env, "</metrics>",
					  "<metric id=\"7\" type=\"POSTDERIVED\"><uniq_name>per_visit</uniq_name>"
					  "<dtype>DOUBLE</dtype><uom>sec</uom><expression>metric::time() / "
					  "metric::visits(i)</expression></metric>"
					  "<metric id=\"8\" type=\"PREDERIVED_EXCLUSIVE\"><uniq_name>other</uniq_name>"
					  "<dtype>DOUBLE</dtype><expression>${a} = 1</expression></metric></metrics>",
					  NULL, &run);
	uint32_t ratio = find_metric(run.profile, "per_visit");
	assert_int_equal(run.profile->metrics[ratio].kind, PH_METRIC_RATIO);
	uint32_t leaf = find_node(run.profile, "[\"f0\", \"f1\"]");
	assert_true(ph_profile_cell(run.profile, ratio, leaf, 0, PH_COST_INCLUSIVE) == 1.5);
	assert_int_equal(ph_profile_find_metric(run.profile, "other"), PH_NONE);
	assert_string_equal(ph_meta_get(&run.meta, "left_out_metrics"), "other");
	done(&env, &run);
}

static void
test_unsupported_type(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read_changed(&env, "<dtype>UINT64<", "<dtype>HISTOGRAM<", NULL, &run);
	assert_int_equal(run.profile->n_metrics, 1);
	assert_int_equal(run.n_warnings, 1);
	assert_non_null(strstr(run.warnings[0], "HISTOGRAM"));
	done(&env, &run);
}

/* Parameters are part of the program's own call paths, not of calls into libraries. */
static void
test_parameters(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	const char *parameter = "<parameter partype=\"numeric\" parkey=\"n\" parvalue=\"5\"/>";
	char to[256];
	snprintf(to, sizeof(to), "<cnode id=\"101\" calleeId=\"1\">%s", parameter);
	must_read_changed(&env, "<cnode id=\"101\" calleeId=\"1\">", to, NULL, &run);
	find_node(run.profile, "[\"f0\", \"f1 (n=5)\"]");
	done(&env, &run);
	snprintf(to, sizeof(to), "<cnode id=\"101\" calleeId=\"9\">%s", parameter);
	char region[512];
	snprintf(region, sizeof(region),
			 "<region id=\"9\" mod=\"MPI\"><name>MPI_Put</name><paradigm>mpi</paradigm>"
			 "<role>rma</role></region><cnode id=\"100\" calleeId=\"0\">\n%s",
			 to);
	must_read_changed(&env, "<cnode id=\"100\" calleeId=\"0\">\n<cnode id=\"101\" calleeId=\"1\">",
					  region, NULL, &run);
	find_node(run.profile, "[\"f0\", \"MPI_Put\"]");
	done(&env, &run);
}

/* Two locations with equal coordinates stay two columns. */
static void
test_equal_locations(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read_changed(&env, "<rank>1</rank>", "<rank>0</rank>", NULL, &run);
	assert_int_equal(run.profile->n_columns, 2);
	assert_string_equal(run.profile->strings[run.profile->columns[1].name], "location 1");
	done(&env, &run);
}

/* ---- regions ---- */

static void
test_measured_regions(void **state)
{
	(void) state;
	static const struct
	{
		PhMeasuredRegion region;
		PhRegionKind kind;
		const char *library;
	} cases[] = {
		{{"main", "main", "/a/b.c", "compiler", "function", 3}, PH_KIND_FUNCTION, ""},
		{{"MPI_Send", "MPI_Send", "MPI", "mpi", "point2point", -1}, PH_KIND_FUNCTION, "MPI"},
		{{"phase", "phase", "b.c", "user", "function", 3}, PH_KIND_REGION, ""},
		{{"!$omp for @b.c:3", "", "/a/b.c", "openmp", "loop", 3}, PH_KIND_LOOP, ""},
		{{"!$omp single @b.c:3", "", "/a/b.c", "openmp", "single", 3}, PH_KIND_REGION, ""},
		{{"omp_get_thread_num", "", "OPENMP", "openmp", "function", -1},
		 PH_KIND_FUNCTION,
		 "OPENMP"},
		{{"app", "/opt/bin/app -n 3", "", "measurement", "artificial", -1},
		 PH_KIND_FUNCTION,
		 "app"},
		{{"TRACE BUFFER FLUSH", "TRACE BUFFER FLUSH", "", "measurement", "artificial", -1},
		 PH_KIND_FUNCTION,
		 ""},
		{{"", NULL, NULL, NULL, NULL, 0}, PH_KIND_FUNCTION, ""},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		char library[PH_LIBRARY_MAX];
		PhRegionSpec spec;
		ph_measured_region_spec(&cases[i].region, library, &spec);
		assert_int_equal(spec.kind, cases[i].kind);
		assert_string_equal(spec.library, cases[i].library);
		assert_int_equal(spec.line, cases[i].region.line > 0 ? 3 : PH_NO_NUMBER);
		assert_true(spec.name[0] != '\0');
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scorep),
		cmocka_unit_test(test_scorep_regions),
		cmocka_unit_test(test_scorep_directory),
		cmocka_unit_test(test_own_profiles),
		cmocka_unit_test(test_openmp),
		cmocka_unit_test(test_library_example),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_integer_types),
		cmocka_unit_test(test_tau_atomic),
		cmocka_unit_test(test_derived_metrics),
		cmocka_unit_test(test_unsupported_type),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_equal_locations),
		cmocka_unit_test(test_measured_regions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
