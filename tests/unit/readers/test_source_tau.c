/*
 * test_source_tau.c - TAU profiles: real ones, random call trees cut at every depth, damaged ones.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "readers/tau/tau.h"
#include "support/csv.h"
#include "support/fault_env.h"
#include "support/reader.h"
#include "support/rounds.h"
#include "support/test_data.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One profile in memory, of rank 0. */
static PhStatus
read_profile(PhEnv *env, const void *bytes, size_t size, PhRunInput *run)
{
	PhInput input = ph_input_lend("profile.0.0.0", bytes, size);
	return ph_read_tau(env, &input, 1, NULL, run);
}

static double
cell(const PhProfile *profile, const char *metric, const char *path, uint32_t column, PhCost cost)
{
	uint32_t index = ph_profile_find_metric(profile, metric);
	if (index == PH_NONE)
		fail_msg("no metric %s", metric);
	return ph_profile_cell(profile, index, find_node(profile, path), column, cost);
}

static double
total_of(const PhProfile *profile, const char *metric, uint32_t column)
{
	uint32_t index = ph_profile_find_metric(profile, metric);
	double sum = 0;
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		sum += ph_profile_cell(profile, index, i, column, PH_COST_EXCLUSIVE);
	return sum;
}

static bool
has_note(const PhProfile *profile, const char *part)
{
	for (uint32_t i = 0; i < profile->provenance.n_notes; i++)
		if (strstr(profile->strings[profile->provenance.notes[i]], part) != NULL)
			return true;
	return false;
}

/* ---- real profiles ---- */

#define APP "[\".TAU application\", \"main\""

static void
test_call_paths(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, DATA "tau-callpath", &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 25);
	assert_int_equal(profile->n_columns, 2);
	assert_int_equal(profile->columns[1].rank, 1);
	assert_int_equal(profile->columns[1].thread, PH_NO_NUMBER);
	assert_string_equal(profile->strings[profile->columns[1].host], "vm");
	assert_string_equal(profile->strings[profile->metrics[0].name], "time");
	assert_string_equal(profile->strings[profile->metrics[0].unit], "us");
	assert_int_equal(profile->provenance.residual_cells, 0);
	/* flat rows and rows of paths tell the same time: it counts once */
	assert_true(total_of(profile, "time", 0) == 419913);
	assert_true(total_of(profile, "time", 1) == 420326);
	assert_true(total_of(profile, "calls", 0) == 85);
	assert_true(cell(profile, "time", "[\".TAU application\"]", 0, PH_COST_INCLUSIVE) == 419913);
	assert_true(cell(profile, "time", APP "]", 0, PH_COST_INCLUSIVE) == 410123);
	assert_true(cell(profile, "time", APP ", \"step\"]", 0, PH_COST_EXCLUSIVE) == 52);
	assert_true(cell(profile, "subrs", APP "]", 0, PH_COST_EXCLUSIVE) == 14);
	/* one function below three callers */
	assert_true(cell(profile, "calls", APP ", \"MPI_Reduce()\", \"MPI Collective Sync\"]", 0,
					 PH_COST_EXCLUSIVE) == 1);
	done(&env, &run);
}

static void
test_regions_and_metadata(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, DATA "tau-callpath", &run);
	const PhProfile *profile = run.profile;
	uint32_t step = find_node(profile, APP ", \"step\"]");
	const PhRegion *region = ph_profile_region(profile, step);
	assert_string_equal(profile->strings[region->file], "halo2d.c");
	assert_string_equal(profile->strings[region->library], "");
	assert_int_equal(run.raw_regions[profile->region[step]].line, 124);
	uint32_t sync = find_node(profile, APP ", \"MPI_Reduce()\", \"MPI Collective Sync\"]");
	region = ph_profile_region(profile, sync);
	assert_string_equal(profile->strings[region->library], "MPI");
	assert_string_equal(profile->strings[region->paradigm], "mpi");
	region = ph_profile_region(profile, 0);
	assert_string_equal(profile->strings[region->library], "halo2d.tau");
	assert_string_equal(ph_meta_get(&run.meta, "application"), "halo2d.tau");
	assert_string_equal(ph_meta_get(&run.meta, "TAU Version"), "2.35.2-git");
	assert_non_null(ph_meta_get(&run.meta, "started_at"));
	assert_null(ph_meta_get(&run.meta, "TAU_CUDA_BINARY_EXE")); /* empty */
	done(&env, &run);
}

/* User events belong to the process: to the node of the program. */
static void
test_user_events(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, DATA "tau-callpath", &run);
	const char *root = "[\".TAU application\"]";
	const char *event = "Message size for all-reduce";
	assert_true(cell(run.profile, event, root, 0, PH_COST_EXCLUSIVE) == 32);
	assert_true(
		cell(run.profile, "Message size for all-reduce (count)", root, 1, PH_COST_EXCLUSIVE) == 4);
	assert_true(
		cell(run.profile, "Message size for all-reduce (max)", root, 1, PH_COST_EXCLUSIVE) == 8);
	uint32_t metric = ph_profile_find_metric(run.profile, event);
	assert_string_equal(run.profile->strings[run.profile->metrics[metric].unit], "bytes");
	done(&env, &run);
}

static void
test_flat(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	must_read(&env, DATA "tau-flat", &run);
	assert_int_equal(run.profile->n_nodes, 23);
	assert_true(total_of(run.profile, "time", 0) == 438295);
	assert_true(ph_profile_total(run.profile, 0) == (438295 + 445416) / 2.0);
	assert_true(cell(run.profile, "time", "[\"main\"]", 0, PH_COST_INCLUSIVE) == 221);
	assert_true(cell(run.profile, "time (inclusive)", "[\"main\"]", 0, PH_COST_EXCLUSIVE) ==
				408460);
	assert_true(has_note(run.profile, "flat TAU profile"));
	done(&env, &run);
	must_read(&env, DATA "tau-flat/profile.1.0.0", &run); /* one file */
	assert_int_equal(run.profile->n_columns, 1);
	assert_int_equal(run.profile->columns[0].rank, 1);
	done(&env, &run);
}

/* ---- random call trees ---- */

#define MAX_NODES 30

/* What really happened in a thread, and the rows that TAU makes of it at a depth. */
typedef struct Calls
{
	uint32_t n_nodes;
	uint32_t parent[MAX_NODES], name[MAX_NODES];
	uint32_t calls[MAX_NODES], time[MAX_NODES]; /* exclusive */
} Calls;

static void
make_calls(uint64_t *random, Calls *calls)
{
	calls->n_nodes = 1 + draw_below(random, MAX_NODES);
	for (uint32_t i = 0; i < calls->n_nodes; i++)
	{
		bool root = i == 0 || draw_below(random, 10) == 0;
		calls->parent[i] = root ? PH_NONE : draw_below(random, i);
		calls->name[i] = draw_below(random, 6);
		calls->calls[i] = 1 + draw_below(random, 9);
		calls->time[i] = draw_below(random, 1000);
	}
	calls->time[0]++;
}

/* The last depth steps of a node's path, "f0 => f1". */
static char *
path_of(const Calls *calls, uint32_t node, uint32_t depth, const char *separator)
{
	uint32_t steps[MAX_NODES];
	uint32_t n = 0;
	char *text;
	size_t size;
	for (; node != PH_NONE && n < depth; node = calls->parent[node])
		steps[n++] = calls->name[node];
	FILE *out = open_memstream(&text, &size);
	for (; n > 0; n--)
		fprintf(out, "f%u%s", steps[n - 1], n > 1 ? separator : "");
	fclose(out);
	return text;
}

static uint32_t
inclusive_of(const Calls *calls, uint32_t node)
{
	uint32_t sum = calls->time[node];
	for (uint32_t i = node + 1; i < calls->n_nodes; i++)
		if (calls->parent[i] == node)
			sum += inclusive_of(calls, i);
	return sum;
}

/* True when a node above has the name: its inclusive time holds this one's. */
static bool
is_nested(const Calls *calls, uint32_t node, const char *path, uint32_t depth)
{
	for (uint32_t up = calls->parent[node]; up != PH_NONE; up = calls->parent[up])
	{
		char *other = path_of(calls, up, depth, " => ");
		bool same = strcmp(other, path) == 0;
		free(other);
		if (same)
			return true;
	}
	return false;
}

typedef struct Row
{
	char *path;
	uint32_t calls, children, time, inclusive;
} Row;

/* Add what the node contributes to the row of its path at this depth. */
static void
add_to_rows(const Calls *calls, uint32_t node, uint32_t depth, Row *rows, size_t *n)
{
	char *path = path_of(calls, node, depth, " => ");
	size_t at = 0;
	while (at < *n && strcmp(rows[at].path, path) != 0)
		at++;
	if (at == *n)
		rows[(*n)++] = (Row){.path = strdup(path)};
	rows[at].calls += calls->calls[node];
	rows[at].time += calls->time[node];
	for (uint32_t i = 0; i < calls->n_nodes; i++)
		rows[at].children += calls->parent[i] == node ? calls->calls[i] : 0;
	if (!is_nested(calls, node, path, depth))
		rows[at].inclusive += inclusive_of(calls, node);
	free(path);
}

static char *
as_profile(uint64_t *random, const Calls *calls, uint32_t depth)
{
	Row rows[2 * MAX_NODES];
	char *text;
	size_t size;
	size_t n = 0;
	for (uint32_t i = 0; i < calls->n_nodes; i++)
	{
		add_to_rows(calls, i, 1, rows, &n);
		if (depth > 1 && calls->parent[i] != PH_NONE)
			add_to_rows(calls, i, depth, rows, &n);
	}
	FILE *out = open_memstream(&text, &size);
	fprintf(out, "%zu templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n",
			n);
	for (size_t left = n; left > 0; left--)
	{
		size_t at = draw_below(random, (uint32_t) left);
		Row row = rows[at];
		rows[at] = rows[left - 1];
		fprintf(out, "\"%s  \" %u %u %u %u 0 GROUP=\"%sTAU_DEFAULT\" \n", row.path, row.calls,
				row.children, row.time, row.inclusive,
				strstr(row.path, "=>") != NULL ? "TAU_CALLPATH|" : "");
		free(row.path);
	}
	fprintf(out, "0 aggregates\n");
	fclose(out);
	return text;
}

/* Sum over the nodes whose last depth steps are path, of exclusive time or calls. */
static double
expected(const Calls *calls, const char *path, uint32_t depth, const uint32_t *values)
{
	double sum = 0;
	for (uint32_t i = 0; i < calls->n_nodes; i++)
	{
		char *other = path_of(calls, i, depth, "\", \"");
		if (strcmp(other, path) == 0)
			sum += values[i];
		free(other);
	}
	return sum;
}

static void
check_calls(const Calls *calls, const PhProfile *profile, uint32_t depth)
{
	double total = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		char *path = path_text(profile, node);
		path[strlen(path) - 2] = '\0'; /* ["a", "b"] -> a", "b */
		double time = ph_profile_cell(profile, 0, node, 0, PH_COST_EXCLUSIVE);
		double n = ph_profile_cell(profile, 1, node, 0, PH_COST_EXCLUSIVE);
		if (time != expected(calls, path + 2, depth, calls->time) ||
			n != expected(calls, path + 2, depth, calls->calls))
			fail_msg("depth %u: %s has %g us, %g calls", depth, path + 2, time, n);
		total += time;
		free(path);
	}
	for (uint32_t i = 0; i < calls->n_nodes; i++)
		total -= calls->time[i];
	assert_true(total == 0);
	assert_int_equal(profile->provenance.residual_cells, 0);
}

static void
test_random_calls(void **state)
{
	(void) state;
	static const uint32_t depths[] = {1, 2, 3, 100};
	uint64_t random = 5;
	for (uint32_t i = 0; i < rounds(2000); i++)
	{
		Calls calls;
		make_calls(&random, &calls);
		uint32_t depth = depths[draw_below(&random, COUNT(depths))];
		uint8_t *stored[2];
		size_t size[2];
		for (int j = 0; j < 2; j++)
		{
			PhEnv env;
			PhRunInput run;
			char *text = as_profile(&random, &calls, depth);
			ph_env_init_malloc(&env);
			if (read_profile(&env, text, strlen(text), &run) != PH_OK)
				fail_msg("%s in:\n%s", env.error.message, text);
			check_calls(&calls, run.profile, depth);
			assert_int_equal(run.n_warnings, 0);
			stored[j] = stored_bytes(&env, run.profile, &size[j]);
			free(text);
			done(&env, &run);
		}
		assert_int_equal(size[0], size[1]);
		assert_memory_equal(stored[0], stored[1], size[0]);
		free(stored[0]);
		free(stored[1]);
	}
}

/* ---- forms ---- */

static const char small[] =
	"4 templated_functions_MULTI_TIME\n"
	"# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Hostname</name>"
	"<value>n&amp;1</value></attribute></metadata>\n"
	"\"main [{/a/m.c} {3,1}-{9,2}]\" 1 2 10 30 0 GROUP=\"TAU_DEFAULT\" \n"
	"\"say \"hi\" C\" 2 0 20 20 0 GROUP=\"TAU_DEFAULT\" \n"
	"\"main [{/a/m.c} {3,1}-{9,2}] => say \"hi\" C\" 2 0 20 20 0 GROUP=\"TAU_CALLPATH\" \n"
	"\"Loop: main [{/a/m.c} {5,1}]\" 1 0 7 7 0 GROUP=\"TAU_DEFAULT\" \n"
	"0 aggregates\n"
	"2 userevents\n"
	"# eventname numevents max min mean sumsqr\n"
	"\"heap (KB)\" 5 9 1 4 100\n"
	"\"heap (KB) : main [{/a/m.c} {3,1}-{9,2}] => say \"hi\" C\" 2 9 3 6 90\n";

static void
test_names(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	if (read_profile(&env, small, strlen(small), &run) != PH_OK)
		fail_msg("%s", env.error.message);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 3);
	assert_string_equal(profile->strings[profile->columns[0].host], "n&1");
	uint32_t loop = find_node(profile, "[\"Loop: main\"]");
	assert_int_equal(ph_profile_region(profile, loop)->kind, PH_KIND_LOOP);
	assert_int_equal(ph_profile_region(profile, loop)->line, 5);
	/* a context's events are its node's, the rest is the process's */
	const char *say = "[\"main\", \"say \"hi\" C\"]";
	assert_true(cell(profile, "heap (KB)", say, 0, PH_COST_EXCLUSIVE) == 12);
	assert_true(cell(profile, "heap (KB)", "[\"main\"]", 0, PH_COST_EXCLUSIVE) == 8);
	assert_true(cell(profile, "heap (KB) (count)", "[\"main\"]", 0, PH_COST_EXCLUSIVE) == 3);
	assert_true(cell(profile, "heap (KB) (min)", say, 0, PH_COST_EXCLUSIVE) == 3);
	done(&env, &run);
}

static void
test_name_parts(void **state)
{
	(void) state;
	static const struct
	{
		const char *text, *name, *file;
		PhTauStep step;
		PhRegionKind kind;
		int32_t line;
	} cases[] = {
		{"MPI_Init()  ", "MPI_Init()", "", PH_TAU_TIMER, PH_KIND_FUNCTION, PH_NO_NUMBER},
		{"f [{a.c} {12,0}]", "f", "a.c", PH_TAU_TIMER, PH_KIND_FUNCTION, 12},
		{"f(int) C [{/x/a b.c} {12,1}-{14,2}]", "f(int) C", "/x/a b.c", PH_TAU_TIMER,
		 PH_KIND_FUNCTION, 12},
		{"[SAMPLE] g [{/x/g.c} {77}]", "g", "/x/g.c", PH_TAU_SAMPLE, PH_KIND_STATEMENT, 77},
		{"[SUMMARY] g [{/x/g.c}]", "g", "/x/g.c", PH_TAU_SAMPLE, PH_KIND_FUNCTION, PH_NO_NUMBER},
		{"[CONTEXT] main", "main", "", PH_TAU_CONTEXT, PH_KIND_FUNCTION, PH_NO_NUMBER},
		{"[UNWIND] h [{(unknown)} {0}]", "h", "", PH_TAU_SAMPLE, PH_KIND_FUNCTION, PH_NO_NUMBER},
		{"[{a.c}]", "[{a.c}]", "a.c", PH_TAU_TIMER, PH_KIND_FUNCTION, PH_NO_NUMBER},
		{"f [{a.c", "f [{a.c", "", PH_TAU_TIMER, PH_KIND_FUNCTION, PH_NO_NUMBER},
		{"f [{a.c} {99999999999}]", "f", "a.c", PH_TAU_TIMER, PH_KIND_FUNCTION, PH_NO_NUMBER},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		PhTauName name;
		ph_tau_parse_name((PhTauText){cases[i].text, strlen(cases[i].text)}, &name);
		assert_int_equal(name.step, cases[i].step);
		assert_int_equal(name.kind, cases[i].kind);
		assert_int_equal(name.line, cases[i].line);
		assert_int_equal(name.name.size, strlen(cases[i].name));
		assert_memory_equal(name.name.text, cases[i].name, name.name.size);
		assert_int_equal(name.file.size, strlen(cases[i].file));
		assert_memory_equal(name.file.text, cases[i].file, name.file.size);
	}
}

/* Samples explain a timer's exclusive time; they do not add to it. */
static void
test_samples(void **state)
{
	(void) state;
	static const char text[] =
		"9 templated_functions_MULTI_TIME\n# Name\n"
		"\"main\" 1 1 70 100 0 GROUP=\"TAU_DEFAULT\" \n"
		"\"io\" 1 0 30 30 0 GROUP=\"TAU_DEFAULT\" \n"
		"\"main => io\" 1 0 30 30 0 GROUP=\"TAU_CALLPATH\" \n"
		"\"[CONTEXT] main\" 6 0 60 60 0 GROUP=\"TAU_SAMPLE_CONTEXT\" \n"
		"\"main => [CONTEXT] main\" 6 0 60 60 0 GROUP=\"TAU_SAMPLE_CONTEXT|TAU_CALLPATH\" \n"
		"\"[SUMMARY] f [{a.c}]\" 6 0 60 60 0 GROUP=\"TAU_SAMPLE\" \n"
		"\"main => [CONTEXT] main => [SUMMARY] f [{a.c}]\" 6 0 60 60 0 GROUP=\"TAU_SAMPLE\" \n"
		"\"[SAMPLE] f [{a.c} {7}]\" 4 0 40 40 0 GROUP=\"TAU_SAMPLE\" \n"
		"\"main => [CONTEXT] main => [SUMMARY] f [{a.c}] => [SAMPLE] f [{a.c} {7}]\" 4 0 40 40 0 "
		"GROUP=\"TAU_SAMPLE\" \n"
		"0 aggregates\n";
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	if (read_profile(&env, text, strlen(text), &run) != PH_OK)
		fail_msg("%s", env.error.message);
	assert_true(cell(run.profile, "time", "[\"main\"]", 0, PH_COST_INCLUSIVE) == 100);
	assert_true(cell(run.profile, "time", "[\"main\"]", 0, PH_COST_EXCLUSIVE) == 10);
	assert_true(cell(run.profile, "time", "[\"main\", \"f\"]", 0, PH_COST_INCLUSIVE) == 60);
	assert_true(cell(run.profile, "time", "[\"main\", \"f\"]", 0, PH_COST_EXCLUSIVE) == 20);
	assert_true(cell(run.profile, "time", "[\"main\", \"f\", \"f\"]", 0, PH_COST_EXCLUSIVE) == 40);
	assert_true(total_of(run.profile, "calls", 0) == 2); /* samples are no calls */
	assert_int_equal(run.profile->provenance.residual_cells, 0);
	done(&env, &run);
}

/* ---- several files ---- */

static void
write_profile(const char *folder, const char *name, const char *metric, int value)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	fprintf(file,
			"1 templated_functions_MULTI_%s\n# Name\n\"main\" 1 0 %d %d 0 GROUP=\"TAU_DEFAULT\" \n"
			"0 aggregates\n",
			metric, value, value);
	fclose(file);
}

static void
make_folder(const char *folder, const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void
test_metric_directories(void **state)
{
	const char *folder = *state;
	PhEnv env;
	PhRunInput run;
	PhArena arena;
	PhExperiment *list;
	size_t n;
	PhUnreadList unread;
	make_folder(folder, "MULTI__PAPI_TOT_CYC");
	make_folder(folder, "MULTI__TIME");
	write_profile(folder, "MULTI__PAPI_TOT_CYC/profile.0.0.0", "PAPI_TOT_CYC", 1000);
	write_profile(folder, "MULTI__TIME/profile.0.0.0", "TIME", 5);
	write_profile(folder, "MULTI__TIME/profile.0.0.1", "TIME", 6);
	write_profile(folder, "MULTI__TIME/profile.3.0.0", "TIME", 7);
	must_read(&env, folder, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_columns, 3);
	assert_int_equal(profile->columns[1].thread, 1);
	assert_string_equal(profile->strings[profile->metrics[0].name], "time");
	assert_true(cell(profile, "PAPI_TOT_CYC", "[\"main\"]", 0, PH_COST_EXCLUSIVE) == 1000);
	assert_true(cell(profile, "time", "[\"main\"]", 2, PH_COST_EXCLUSIVE) == 7);
	assert_true(total_of(profile, "calls", 0) == 1); /* not once a metric */
	assert_int_equal(profile->provenance.missing_columns, 2);
	assert_int_equal(run.n_missing, 2); /* ranks 1 and 2; PAPI_TOT_CYC of two threads */
	done(&env, &run);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_source_expand(&arena, folder, NULL, &list, &n, &unread), PH_OK);
	assert_int_equal(n, 1);
	assert_int_equal(list[0].n_files, 4);
	ph_arena_drop(&arena);
}

static void
test_rank_twice(void **state)
{
	const char *folder = *state;
	char path[512];
	PhEnv env;
	PhRunInput run;
	make_folder(folder, "twice");
	write_profile(folder, "twice/profile.0.0.0", "TIME", 5);
	write_profile(folder, "twice/profile.00.0.0", "TIME", 5);
	snprintf(path, sizeof(path), "%s/twice", folder);
	ph_env_init_malloc(&env);
	assert_int_equal(read_path(&env, path, &run), PH_ERR_CONFLICT);
	assert_non_null(strstr(env.error.message, "a second profile of rank 0"));
	assert_int_equal(env.bytes, 0);
}

static void
test_file_names(void **state)
{
	(void) state;
	int32_t node;
	int32_t context;
	int32_t thread;
	assert_true(ph_tau_parse_path("/a/profile.12.1.7", &node, &context, &thread));
	assert_int_equal(node, 12);
	assert_int_equal(context, 1);
	assert_int_equal(thread, 7);
	assert_false(ph_tau_parse_path("profile.1.0", &node, &context, &thread));
	assert_false(ph_tau_parse_path("profile.1.0.0.gz", &node, &context, &thread));
	assert_false(ph_tau_parse_path("profile.-1.0.0", &node, &context, &thread));
	assert_false(ph_tau_parse_path("profile.9999999999.0.0", &node, &context, &thread));
	PhEnv env;
	PhRunInput run;
	PhInput input = ph_input_lend("tauprofile", small, strlen(small));
	ph_env_init_malloc(&env);
	assert_int_equal(ph_read_tau(&env, &input, 1, NULL, &run), PH_ERR_FORMAT);
	assert_non_null(strstr(env.error.message, "tells no rank"));
}

/* ---- bad input ---- */

static void
test_bad_input(void **state)
{
	(void) state;
	static const struct
	{
		const char *from, *to;
		PhStatus status;
		const char *message;
	} cases[] = {
		{NULL, "", PH_ERR_FORMAT, "profile.0.0.0:1:1: expected \"COUNT templated_functions\""},
		{NULL, "4 templated_functions\n", PH_ERR_FORMAT, "expected the line"},
		{NULL, "0 templated_functions\n# Name\n0 aggregates\n", PH_ERR_VALUE, ""},
		{"4 templated", "x templated", PH_ERR_FORMAT, "templated_functions"},
		{"4 templated", "-4 templated", PH_ERR_FORMAT, "templated_functions"},
		{"4 templated", "3 templated", PH_ERR_FORMAT, "profile.0.0.0:6:1: expected \"COUNT aggreg"},
		{"4 templated", "5 templated", PH_ERR_FORMAT, "profile.0.0.0:7:1: expected \"name\" calls"},
		{"4 templated", "99999999999999999999 templated", PH_ERR_FORMAT, "templated_functions"},
		{"1 2 10 30", "1 2 -10 30", PH_ERR_VALUE, "profile.0.0.0:3:1: a count or cost is negative"},
		{"1 2 10 30", "-1 2 10 30", PH_ERR_VALUE, "negative"},
		{"1 2 10 30", "1 2 nan 30", PH_ERR_FORMAT, "expected \"name\""},
		{"1 2 10 30", "1 2 1e999 30", PH_ERR_FORMAT, "expected \"name\""},
		{"1 2 10 30", "1 2 30", PH_ERR_FORMAT, "expected \"name\""},
		{"10 30 0", "10 30 2", PH_ERR_UNSUPPORTED, "single calls"},
		{"\"Loop: main [{/a/m.c} {5,1}]\"", "Loop", PH_ERR_FORMAT, "not quoted"},
		{"\"Loop: main", "\"Loop\xff main", PH_ERR_FORMAT, "UTF-8"},
		{"=> say", "=>  => say", PH_ERR_FORMAT, "a step of the path has no name"},
		{"2 userevents", "3 userevents", PH_ERR_FORMAT, "the file ends after 2 of 3 user events"},
		{"2 userevents", "1 userevents", PH_ERR_FORMAT, "more user events than"},
		{"2 userevents", "two userevents", PH_ERR_FORMAT, "COUNT userevents"},
		{"5 9 1 4 100", "-5 9 1 4 100", PH_ERR_VALUE, "a count is negative"},
		{"5 9 1 4 100", "5 9 1 4", PH_ERR_FORMAT, "expected \"name\" count"},
		{"5 9 1 4 100", "5 9 1 -4 100", PH_ERR_VALUE, "profile.0.0.0:10:1: the sum of a user"},
		{"</metadata>", "", PH_ERR_FORMAT, "metadata: invalid XML"},
		{"<metadata>", "<metadata><!DOCTYPE a [<!ENTITY b \"c\">]>", PH_ERR_FORMAT, "metadata"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		PhEnv env;
		PhRunInput run;
		char *text = replace_text(small, cases[i].from, cases[i].to);
		ph_env_init_malloc(&env);
		PhStatus status = read_profile(&env, text, strlen(text), &run);
		check_error(&env, status, cases[i].status, cases[i].message, cases[i].to);
		free(text);
	}
}

/* Cut off anywhere: an error, except where whole sections without declared number are lost. */
static void
test_truncation(void **state)
{
	(void) state;
	size_t size = strlen(small);
	const char *aggregates = strstr(small, "0 aggregates");
	for (size_t cut = 0; cut < size; cut++)
	{
		PhEnv env;
		PhRunInput run;
		char *copy = malloc(cut); /* its exact size, so that reading over shows */
		memcpy(copy, small, cut);
		ph_env_init_malloc(&env);
		PhStatus status = read_profile(&env, copy, cut, &run);
		bool whole =
			cut == (size_t) (aggregates - small) + 12 || cut == (size_t) (aggregates - small) + 13;
		if (status == PH_OK && !whole)
			fail_msg("%zu bytes are accepted", cut);
		if (status == PH_OK)
			ph_run_input_free(&env, &run);
		assert_int_equal(env.bytes, 0);
		free(copy);
	}
}

static PhStatus
read_small(PhEnv *env, const ReaderInput *input, PhRunInput *run)
{
	return read_profile(env, input->bytes, input->size, run);
}

static void
test_no_memory(void **state)
{
	(void) state;
	ReaderInput input = {.bytes = small, .size = strlen(small)};
	fail_every_allocation(read_small, &input);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call_paths),
		cmocka_unit_test(test_regions_and_metadata),
		cmocka_unit_test(test_user_events),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_random_calls),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_name_parts),
		cmocka_unit_test(test_samples),
		cmocka_unit_test_setup_teardown(test_metric_directories, make_scratch, drop_scratch),
		cmocka_unit_test_setup_teardown(test_rank_twice, make_scratch, drop_scratch),
		cmocka_unit_test(test_file_names),
		cmocka_unit_test(test_bad_input),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
