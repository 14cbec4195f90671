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

#include "measured_region.h"
#include "source_cube.h"
#include "support_csv.h"
#include "support_cube.h"
#include "support_fault_env.h"
#include "support_reader.h"
#include "test_data.h"

#define SCOREP DATA "scorep-halo2d"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const CubeForm plain = {0};

static void
must_read(PhEnv *env, const char *path, PhRunInput *run)
{
	ph_env_init_malloc(env);
	if (read_path(env, path, run) != PH_OK)
		fail_msg("%s", env->error.message);
	assert_int_equal(ph_profile_check(env, run->profile), PH_OK);
}

static void
done(PhEnv *env, PhRunInput *run)
{
	ph_run_input_free(env, run);
	assert_int_equal(env->bytes, 0);
}

static PhStatus
read_archive(PhEnv *env, const void *bytes, size_t size, PhRunInput *run)
{
	PhInput input = ph_input_lend("input", bytes, size);
	return ph_read_cube(env, &input, NULL, run);
}

static uint32_t
find_node(const PhProfile *profile, const char *path)
{
	for (uint32_t i = 0; i < profile->n_nodes; i++)
	{
		char *text = path_text(profile, i);
		bool same = strcmp(text, path) == 0;
		free(text);
		if (same)
			return i;
	}
	fail_msg("no node %s", path);
	return 0;
}

static uint32_t
find_metric(const PhProfile *profile, const char *name)
{
	uint32_t metric = ph_profile_find_metric(profile, name);
	if (metric == PH_NONE)
		fail_msg("no metric %s", name);
	return metric;
}

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
	PhExperiment *list;
	size_t n;
	size_t n_unknown;
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
	assert_int_equal(ph_source_expand(&env, SCOREP, NULL, &list, &n, &n_unknown), PH_OK);
	assert_int_equal(n, 1);
	assert_int_equal(list[0].n_files, 2);
	ph_experiments_free(list, n);
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

static void
test_malformed_tar(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	skip_without_shared();
	ph_env_init_malloc(&env);
	assert_int_equal(
		read_path(&env, SHARED "/data/own/profiles/scorep/lulesh-8-zlib-malformed-tar.cubex", &run),
		PH_ERR_FORMAT);
	assert_non_null(strstr(env.error.message, "Damaged tar archive"));
	assert_non_null(strstr(env.error.hint, "CUBEW_ZLIB_COMPRESSION"));
	assert_int_equal(env.bytes, 0);
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
	for (int i = 0; i < 2000; i++)
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
			if (read_archive(&env, bytes, size, &run) != PH_OK)
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

/* Four cnodes "f0"/"f1", "f0"/"f4", "f0"/"f4"/"f2" and two locations. */
static CubeTable
small_table(void)
{
	CubeTable table = {.n_nodes = 4,
					   .n_locations = 2,
					   .parent = {UINT32_MAX, 0, 0, 2},
					   .name = {0, 1, 4, 2},
					   .visits = {{1, 1}, {2, 3}, {4, 5}, {6, 7}},
					   .time = {{1, 2}, {3, 4}, {5, 6}, {7, 8}}};
	cube_table_finish(&table);
	return table;
}

static char *
replace_text(const char *text, const char *from, const char *to)
{
	char *out;
	const char *at = strstr(text, from);
	if (at == NULL)
		fail_msg("the good text has no \"%s\"", from);
	assert_true(asprintf(&out, "%.*s%s%s", (int) (at - text), text, to, at + strlen(from)) >= 0);
	return out;
}

/* Read the small table with a piece of its anchor.xml replaced. */
static PhStatus
read_changed(PhEnv *env, const char *from, const char *to, const CubeParts *other, PhRunInput *run)
{
	CubeTable table = small_table();
	CubeParts parts = other != NULL ? *other : (CubeParts){0};
	size_t size;
	char *good = cube_anchor(&table, &plain);
	char *anchor = replace_text(good, from, to);
	parts.anchor = anchor;
	uint8_t *bytes = cube_archive_of(&table, &plain, &parts, &size);
	ph_env_init_malloc(env);
	PhStatus status = read_archive(env, bytes, size, run);
	free(bytes);
	free(anchor);
	free(good);
	return status;
}

static void
must_read_changed(PhEnv *env, const char *from, const char *to, const CubeParts *other,
				  PhRunInput *run)
{
	if (read_changed(env, from, to, other, run) != PH_OK)
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

/* ---- bad input ---- */

static void
check_error(const PhEnv *env, PhStatus status, PhStatus expected, const char *message,
			const char *what)
{
	if (status != expected || strstr(env->error.message, message) == NULL)
		fail_msg("%s: %s \"%s\", expected %s \"...%s...\"", what, ph_status_name(status),
				 status == PH_OK ? "" : env->error.message, ph_status_name(expected), message);
	assert_int_equal(env->bytes, 0);
}

static void
test_bad_anchor(void **state)
{
	(void) state;
	static const struct
	{
		const char *from, *to;
		PhStatus status;
		const char *message;
	} cases[] = {
		{"<cube version", "<cub version", PH_ERR_FORMAT, "input: anchor.xml:2:1: the root element"},
		{"</cube>", "", PH_ERR_FORMAT, "invalid XML"},
		{"<cube version", "<!DOCTYPE cube [<!ENTITY a \"b\">]><cube version", PH_ERR_UNSUPPORTED,
		 "entity declarations"},
		{"<metric id=\"1\"", "<metric id=\"0\"", PH_ERR_FORMAT, "an id is defined twice"},
		{"<metric id=\"1\"", "<metric id=\"-1\"", PH_ERR_FORMAT, "no whole number"},
		{"<metric id=\"1\"", "<metric", PH_ERR_FORMAT, "anchor.xml:6:1: attribute \"id\""},
		{"<metric id=\"1\"", "<metric id=\"2\"", PH_ERR_FORMAT, "metric 1 is not defined"},
		{"calleeId=\"2\"", "calleeId=\"77\"", PH_ERR_FORMAT, "calls region 77"},
		{"<cnode id=\"101\"", "<cnode id=\"100\"", PH_ERR_FORMAT, "an id is defined twice"},
		{"<cnode id=\"101\"", "<cnode id=\"99999999999\"", PH_ERR_FORMAT, "no whole number"},
		{"<rank>1</rank>", "<rank>x</rank>", PH_ERR_FORMAT, "a rank is no whole number"},
		{"<rank>1</rank>", "<rank>99999999999</rank>", PH_ERR_FORMAT, "a rank is no whole number"},
		{"<name>f1</name>", "<name>f\xff</name>", PH_ERR_FORMAT, "invalid XML"},
		{"<system>", "<system><location Id=\"9\"/>", PH_ERR_FORMAT, "not in a location group"},
		{"<uniq_name>time<", "<uniq_name>visits<", PH_ERR_CONFLICT, "occurs twice"},
		{"</cube>", "</cube><cube/>", PH_ERR_FORMAT, "invalid XML"},
		{"<program>", "<program><parameter parkey=\"a\" parvalue=\"b\"/>", PH_ERR_FORMAT,
		 "a parameter has no cnode"},
		{"<system>",
		 "<system><locationgroup Id=\"7\"><rank>0</rank><type>process</type><location "
		 "Id=\"7\"><rank>3</rank></location></locationgroup>",
		 PH_ERR_FORMAT, "0.data: offset 10: 64 bytes of data are not 4 rows of 3 locations"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		PhEnv env;
		PhRunInput run;
		PhStatus status = read_changed(&env, cases[i].from, cases[i].to, NULL, &run);
		check_error(&env, status, cases[i].status, cases[i].message, cases[i].to);
	}
}

static void
check_parts(const CubeForm *form, const CubeParts *parts, PhStatus expected, const char *message)
{
	PhEnv env;
	PhRunInput run;
	size_t size;
	CubeTable table = small_table();
	uint8_t *bytes = cube_archive_of(&table, form, parts, &size);
	ph_env_init_malloc(&env);
	check_error(&env, read_archive(&env, bytes, size, &run), expected, message, message);
	free(bytes);
}

static void
test_missing_members(void **state)
{
	(void) state;
	const CubeParts no_anchor = {.without_anchor = true};
	const CubeParts no_index = {.without_index = true};
	const CubeParts no_data = {.without_data = true};
	check_parts(&plain, &no_anchor, PH_ERR_FORMAT, "the archive has no anchor.xml");
	check_parts(&plain, &no_index, PH_ERR_FORMAT, "0.index is missing");
	check_parts(&plain, &no_data, PH_ERR_FORMAT, "0.data is missing");
}

/* One byte of an index or data member changed, or the member cut. */
typedef struct ByteCase
{
	size_t offset;
	uint8_t byte;
	size_t cut; /* 0: whole */
	PhStatus status;
	const char *message;
} ByteCase;

static void
check_bytes(const CubeForm *form, bool is_index, const ByteCase *bad)
{
	size_t size;
	CubeTable table = small_table();
	uint8_t *good =
		is_index ? cube_index(&table, form, 0, &size) : cube_data(&table, form, 0, &size);
	CubeParts parts = {0};
	assert_true(bad->offset < size);
	good[bad->offset] = bad->byte;
	size = bad->cut > 0 ? bad->cut : size;
	if (is_index)
	{
		parts.index = good;
		parts.index_size = size;
	}
	else
	{
		parts.data = good;
		parts.data_size = size;
	}
	check_parts(form, &parts, bad->status, bad->message);
	free(good);
}

static void
test_bad_index(void **state)
{
	(void) state;
	static const ByteCase cases[] = {
		{0, 'c', 0, PH_ERR_FORMAT, "0.index: not an index"},
		{0, 'C', 12, PH_ERR_FORMAT, "0.index: not an index"},
		{0, 'C', 19, PH_ERR_UNSUPPORTED, "neither sparse nor dense"},
		{0, 'C', 30, PH_ERR_FORMAT, "offset 18: 4 rows do not fit"},
		{11, 7, 0, PH_ERR_FORMAT, "offset 11"},
		{15, 1, 0, PH_ERR_UNSUPPORTED, "offset 15: unknown version"},
		{17, 2, 0, PH_ERR_UNSUPPORTED, "neither sparse nor dense"},
		{18, 200, 0, PH_ERR_FORMAT, "200 rows do not fit"},
		{21, 0xff, 0, PH_ERR_FORMAT, "rows do not fit"},
		{26, 99, 0, PH_ERR_FORMAT, "offset 26: position 99 is beyond the call tree"},
		{26, 0, 0, PH_ERR_FORMAT, "offset 26: position 0 does not ascend"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		check_bytes(&plain, true, &cases[i]);
}

static void
test_bad_data(void **state)
{
	(void) state;
	static const ByteCase cases[] = {
		{0, 'c', 0, PH_ERR_FORMAT, "0.data: offset 0: not data"},
		{0, 'C', 5, PH_ERR_FORMAT, "0.data: offset 5: the member ends here"},
		{0, 'C', 10, PH_ERR_FORMAT, "0 bytes of data are not 4 rows"},
		{0, 'C', 70, PH_ERR_FORMAT, "60 bytes of data are not 4 rows of 2 locations"},
	};
	static const CubeForm packed = {.is_compressed = true};
	static const ByteCase packed_cases[] = {
		{9, 'B', 0, PH_ERR_FORMAT, "not data"},
		{11, 9, 0, PH_ERR_FORMAT, "9 blocks do not fit"},
		{18, 0x80, 0, PH_ERR_FORMAT, "blocks do not fit"},
		{27, 1, 0, PH_ERR_FORMAT, "block 0 does not follow"},
		{35, 200, 0, PH_ERR_FORMAT, "block 0 does not follow"},
		{19, 1, 0, PH_ERR_FORMAT, "block 0 begins at another row"},
		{67, 0, 0, PH_ERR_FORMAT, "compressed data is damaged: incorrect header check"},
		{11, 1, 0, PH_ERR_FORMAT, "damaged"},
		{0, 'Z', 80, PH_ERR_FORMAT, "the member ends here"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		check_bytes(&plain, false, &cases[i]);
	for (size_t i = 0; i < COUNT(packed_cases); i++)
		check_bytes(&packed, false, &packed_cases[i]);
}

/* NaN, infinity and negative numbers in the doubles of metric 0. */
static void
test_bad_values(void **state)
{
	(void) state;
	static const double values[] = {NAN, INFINITY, -1};
	static const char *const messages[] = {"is not finite", "is not finite", "is negative"};
	for (size_t i = 0; i < 3; i++)
	{
		PhEnv env;
		PhRunInput run;
		uint8_t data[10 + 64] = "CUBEX.DATA";
		memcpy(data + 10 + 16, &values[i], 8);
		CubeParts parts = {.data = data, .data_size = sizeof(data)};
		PhStatus status = read_changed(&env, "<dtype>UINT64<", "<dtype>DOUBLE<", &parts, &run);
		check_error(&env, status, PH_ERR_VALUE, messages[i], "value");
		assert_non_null(strstr(env.error.message, "0.data: offset 26: metric \"visits\""));
	}
}

static void
test_no_values(void **state)
{
	(void) state;
	CubeTable table = small_table();
	PhEnv env;
	PhRunInput run;
	size_t size;
	memset(table.visits, 0, sizeof(table.visits));
	memset(table.inclusive, 0, sizeof(table.inclusive));
	uint8_t *bytes = cube_archive(&table, &plain, &size);
	ph_env_init_malloc(&env);
	check_error(&env, read_archive(&env, bytes, size, &run), PH_ERR_VALUE, "no metric has values",
				"zeros");
	free(bytes);
}

/* Cut off anywhere before the end mark: an error. */
static void
test_truncation(void **state)
{
	(void) state;
	CubeTable table = small_table();
	size_t size;
	for (uint32_t draw = 0; draw < 16; draw += 4)
	{
		CubeForm form = {.is_compressed = (draw & 4) != 0, .anchor_first = (draw & 8) != 0};
		uint8_t *bytes = cube_archive(&table, &form, &size);
		for (size_t cut = 0; cut < size - 1024; cut += 13)
		{
			PhEnv env;
			PhRunInput run;
			uint8_t *copy = malloc(cut + 1); /* its exact size, so that reading over shows */
			memcpy(copy, bytes, cut);
			ph_env_init_malloc(&env);
			bool complete = size - 1024 - cut < 512 && form.anchor_first; /* only padding is lost */
			PhStatus status = read_archive(&env, copy, cut, &run);
			if (status == PH_OK && !complete)
				fail_msg("%zu of %zu bytes are accepted", cut, size);
			if (status == PH_OK)
				ph_run_input_free(&env, &run);
			assert_int_equal(env.bytes, 0);
			free(copy);
		}
		free(bytes);
	}
}

static void
test_no_memory(void **state)
{
	(void) state;
	CubeTable table = small_table();
	CubeForm form = {.is_compressed = true};
	size_t size;
	uint8_t *bytes = cube_archive(&table, &form, &size);
	bool failed = true;
	for (size_t n = 1; failed; n++)
	{
		FaultEnv fault;
		PhRunInput run;
		fault_env_init(&fault);
		fault.fail_at = n;
		PhStatus status = read_archive(&fault.env, bytes, size, &run);
		failed = status != PH_OK;
		if (failed)
			assert_int_equal(status, PH_ERR_MEMORY);
		else
			ph_run_input_free(&fault.env, &run);
		assert_int_equal(fault.n_blocks, 0);
		fault_env_drop(&fault);
	}
	free(bytes);
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
		cmocka_unit_test(test_scorep),			 cmocka_unit_test(test_scorep_regions),
		cmocka_unit_test(test_scorep_directory), cmocka_unit_test(test_own_profiles),
		cmocka_unit_test(test_openmp),			 cmocka_unit_test(test_library_example),
		cmocka_unit_test(test_malformed_tar),	 cmocka_unit_test(test_forms),
		cmocka_unit_test(test_integer_types),	 cmocka_unit_test(test_tau_atomic),
		cmocka_unit_test(test_derived_metrics),	 cmocka_unit_test(test_unsupported_type),
		cmocka_unit_test(test_parameters),		 cmocka_unit_test(test_equal_locations),
		cmocka_unit_test(test_bad_anchor),		 cmocka_unit_test(test_missing_members),
		cmocka_unit_test(test_bad_index),		 cmocka_unit_test(test_bad_data),
		cmocka_unit_test(test_bad_values),		 cmocka_unit_test(test_no_values),
		cmocka_unit_test(test_truncation),		 cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_measured_regions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
