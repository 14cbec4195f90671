/*
 * test_hpctoolkit4_trace.c - traces of HPCToolkit 4 databases: calls of samples by hand, random
 * samples against a plain stack, damage at every byte, and how long others' threads ran.
 *
 * tests/data/tools/hpctoolkit4-trace is the database by hand (PERFHOUSE_WRITE=1 writes it anew).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/hpctoolkit4/database.h"
#include "readers/trace_source.h"
#include "support/csv.h"
#include "support/hpctoolkit4.h"
#include "support/reader.h"
#include "support/test_data.h"
#include "support/trace_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROOM 65536
#define FOLDER TOOLS "hpctoolkit4-trace/"
#define ORACLE SHARED "/oracle/hpctoolkit4/"
#define PEERS SHARED "/data/peers/hpctoolkit-v4/"

/* ---- a database ---- */

static const char *const modules[] = {"/bin/code"}, *const files[] = {"/src/a.c"};
static const H4Function functions[] = {
	{"main", 0, 0, 0x40, 3},
	{"solve", 0, 0, 0x80, 9},
	{"<gpu kernel>", H4_NONE, H4_NONE, 0, 0},
	{"stencil", 0, H4_NONE, 0x10, 0},
	{"<gpu copyin>", H4_NONE, H4_NONE, 0, 0},
};
static const H4Metric metrics[] = {{"REALTIME (sec)", H4_HAS_EXECUTION}};

/* 4 solve and 6 the kernel are called by the line 3 of main; 7 copies. */
static const H4Context contexts[] = {
	{1, H4_NONE, H4_CALL, H4_ENTRY, H4_NONE, H4_NONE, H4_NONE, 0, 0, "main thread", false},
	{2, 0, H4_CALL, H4_FUNCTION, 0, H4_NONE, H4_NONE, 0, 0, NULL, false},
	{3, 1, H4_LEXICAL, H4_LINE, H4_NONE, 0, H4_NONE, 10, 0, NULL, false},
	{4, 2, H4_CALL, H4_FUNCTION, 1, H4_NONE, H4_NONE, 0, 0, NULL, false},
	{5, 2, H4_CALL, H4_FUNCTION, 2, H4_NONE, H4_NONE, 0, 0, NULL, false},
	{6, 4, H4_CALL, H4_FUNCTION, 3, H4_NONE, H4_NONE, 0, 0, NULL, false},
	{7, 2, H4_CALL, H4_FUNCTION, 4, H4_NONE, H4_NONE, 0, 0, NULL, false},
};

typedef struct Sample
{
	uint64_t time;
	uint32_t context;
} Sample;

typedef struct TraceLine
{
	const Sample *samples;
	size_t n;
} TraceLine;

typedef struct Database
{
	H4Bytes meta, profile;
	uint8_t trace[ROOM];
	size_t size;
} Database;

static void
put(Database *database, uint64_t value, size_t size)
{
	assert_true(database->size + size <= ROOM);
	for (size_t i = 0; i < size; i++)
		database->trace[database->size++] = (uint8_t) (value >> (8 * i));
}

/* Lines of profiles 1, 2, ... in this order. */
static void
write_trace(Database *database, const TraceLine *lines, size_t n)
{
	uint64_t samples = 32 + 32 + 24 * n;
	database->size = 0;
	memcpy(database->trace, "HPCTOOLKITtrce\4\0", 16);
	database->size = 16;
	put(database, 32 + 24 * n, 8);
	put(database, 32, 8);
	put(database, 64, 8);
	put(database, n, 4);
	put(database, 24, 4);
	put(database, INT64_MAX, 8);
	put(database, UINT64_C(1) << 63, 8);
	for (size_t i = 0; i < n; i++)
	{
		put(database, i + 1, 8);
		put(database, samples, 8);
		samples += 12 * lines[i].n;
		put(database, samples, 8);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lines[i].n; k++)
		{
			put(database, lines[i].samples[k].time, 8);
			put(database, lines[i].samples[k].context, 4);
		}
	memcpy(database->trace + database->size, "trace.db", 8);
	database->size += 8;
}

static void
write_database(Database *database)
{
	static const H4Model model = {.title = "code",
								  .n_modules = COUNT(modules),
								  .n_files = COUNT(files),
								  .n_functions = COUNT(functions),
								  .n_metrics = COUNT(metrics),
								  .n_contexts = COUNT(contexts),
								  .modules = modules,
								  .files = files,
								  .functions = functions,
								  .metrics = metrics,
								  .contexts = contexts};
	static const H4Identifier host[] = {{H4_NODE, 7}, {H4_RANK, 1}, {H4_THREAD, 0}};
	static const H4Identifier stream[] = {
		{H4_NODE, 7}, {H4_RANK, 1}, {H4_GPUCONTEXT, 2}, {H4_GPUSTREAM, 13}};
	static const H4Cost cost = {3, 0, 1.5};
	database->meta = h4_write_meta(&model);
	H4Profiles *profiles = h4_begin_profiles(&model);
	h4_add_profile(profiles, host, COUNT(host), &cost, 1);
	h4_add_profile(profiles, stream, COUNT(stream), NULL, 0);
	database->profile = h4_end_profiles(profiles);
}

static void
free_database(Database *database)
{
	free(database->meta.data);
	free(database->profile.data);
}

static PhStatus
read_database(PhEnv *env, const Database *database, PhRunInput *run)
{
	PhReadOptions options = {0};
	PhInput inputs[] = {ph_input_lend("meta.db", database->meta.data, database->meta.size),
						ph_input_lend("profile.db", database->profile.data, database->profile.size),
						ph_input_lend("trace.db", database->trace, database->size)};
	ph_env_init_malloc(env);
	return ph_read_hpctoolkit4_trace(env, &inputs[0], &inputs[1], &inputs[2], &options, run);
}

static const Sample host_samples[] = {{1100, 3}, {1200, 4}, {1250, 4}, {1300, 3},
									  {1400, 0}, {1500, 2}, {1600, 2}};
static const Sample stream_samples[] = {{1210, 6}, {1240, 0}, {1260, 7}, {1280, 0}};
static const TraceLine both[] = {{host_samples, COUNT(host_samples)},
								 {stream_samples, COUNT(stream_samples)}};

static void
test_calls(void **state)
{
	static Database database;
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_database(&database);
	write_trace(&database, both, 2);
	assert_int_equal(read_database(&env, &database, &run), PH_OK);
	const PhTraceModel *model = &run.trace->model;
	assert_int_equal(model->n_locations, 2);
	assert_int_equal(model->locations[0].rank, 1);
	assert_string_equal(model->locations[0].host, "7");
	assert_int_equal(model->epoch_ns, 1100);
	check_events(
		&env, &run, 0,
		"0+main thread 0+main 100+solve 200- 300- 300- 400+main thread 400+main 500- 500-");
	assert_true(ph_location_is_stream(&model->locations[1]));
	check_events(&env, &run, 1, "110+stencil 140- 160+memcpy HtoD 180-");
	assert_true(run.trace->is_sampled);
	assert_string_equal(ph_meta_get(&run.meta, "trace.sampled"), "true");
	assert_int_equal(run.n_missing, 0);
	done(&env, &run);
	free_database(&database);
}

/* By path: trace.db stands for its database. */
static void
test_file(void **state)
{
	static Database database;
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_database(&database);
	write_trace(&database, both, 2);
	check_generated_file(FOLDER "meta.db", database.meta.data, database.meta.size);
	check_generated_file(FOLDER "profile.db", database.profile.data, database.profile.size);
	check_generated_file(FOLDER "trace.db", database.trace, database.size);
	ph_env_init_malloc(&env);
	assert_int_equal(read_path(&env, FOLDER "trace.db", &run), PH_OK);
	check_events(&env, &run, 1, "110+stencil 140- 160+memcpy HtoD 180-");
	done(&env, &run);
	free_database(&database);
}

/* ---- random samples ---- */

/* Functions of a context, outermost first. */
static size_t
path_of(uint32_t id, const char *names[4])
{
	static const char *const paths[][4] = {
		{NULL},
		{"main thread"},
		{"main thread", "main"},
		{"main thread", "main"},
		{"main thread", "main", "solve"},
		{"main thread", "main", "<gpu kernel>"},
		{"main thread", "main", "<gpu kernel>", "stencil"},
		{"main thread", "main", "<gpu copyin>"},
	};
	size_t n = 0;
	while (n < 4 && paths[id][n] != NULL)
	{
		names[n] = paths[id][n];
		n++;
	}
	return n;
}

typedef struct Text
{
	char text[ROOM];
	size_t size;
} Text;

static void
say(Text *text, uint64_t time, const char *what, const char *name)
{
	text->size +=
		(size_t) snprintf(text->text + text->size, ROOM - text->size, "%s%llu%s%s",
						  text->size > 0 ? " " : "", (unsigned long long) time, what, name);
}

/* What is common stays open; the rest ends at the later sample's time, from the innermost on. */
static void
expect(const Sample *samples, size_t n, Text *text)
{
	const char *open[4], *names[4];
	size_t n_open = 0;
	text->size = 0;
	text->text[0] = '\0';
	for (size_t i = 0; i <= n; i++)
	{
		uint64_t time = samples[i < n ? i : n - 1].time - samples[0].time;
		size_t n_names = i < n ? path_of(samples[i].context, names) : 0, common = 0;
		while (common < n_open && common < n_names && strcmp(open[common], names[common]) == 0)
			common++;
		while (n_open > common)
		{
			say(text, time, "-", "");
			n_open--;
		}
		for (; n_open < n_names; n_open++)
		{
			open[n_open] = names[n_open];
			say(text, time, "+", names[n_open]);
		}
	}
}

static void
test_random(void **state)
{
	static Database database;
	static Text expected;
	uint64_t random = 20260103;
	(void) state;
	write_database(&database);
	for (int round = 0; round < 120; round++)
	{
		Sample samples[40];
		size_t n = 2 + draw_below(&random, 38);
		PhEnv env;
		PhRunInput run;
		for (size_t i = 0; i < n; i++)
			samples[i] =
				(Sample){(i == 0 ? 1000 : samples[i - 1].time) + 1 + draw_below(&random, 9),
						 i == 0 ? 1 : draw_below(&random, 8)};
		samples[n - 1].context = 0; /* so that no call has no length */
		write_trace(&database, &(const TraceLine){samples, n}, 1);
		expect(samples, n, &expected);
		assert_int_equal(read_database(&env, &database, &run), PH_OK);
		check_events(&env, &run, 0, expected.text);
		done(&env, &run);
	}
	free_database(&database);
}

/* ---- bad traces ---- */

static void
test_errors(void **state)
{
	static Database database;
	static const Sample back[] = {{1200, 3}, {1100, 4}};
	static const TraceLine none = {NULL, 0}, wrong = {back, 2};
	PhEnv env;
	PhRunInput run;
	(void) state;
	write_database(&database);
	write_trace(&database, &none, 1);
	check_error(&env, read_database(&env, &database, &run), PH_ERR_VALUE, "it has no samples",
				"none");
	write_trace(&database, &wrong, 1);
	check_error(&env, read_database(&env, &database, &run), PH_ERR_FORMAT,
				"trace.db: offset 100: samples of a line are not in order of time", "order");
	write_trace(&database, both, 2);
	database.trace[64] = 9;
	check_error(&env, read_database(&env, &database, &run), PH_ERR_FORMAT, "there is no profile 9",
				"profile");
	write_trace(&database, both, 2);
	database.trace[72] = 0xff;
	check_error(&env, read_database(&env, &database, &run), PH_ERR_FORMAT,
				"samples of a line are outside of the file, or not whole", "line");
	write_trace(&database, both, 2);
	database.size -= 8;
	assert_int_equal(read_database(&env, &database, &run), PH_OK);
	assert_int_equal(run.n_missing, 1);
	done(&env, &run);
	free_database(&database);
}

/* Any byte may be any other, and any the last: an error or a trace whose locations can be read. */
static void
test_damage(void **state)
{
	static Database database;
	uint64_t random = 20260104;
	(void) state;
	write_database(&database);
	for (int i = 0; i < 800; i++)
	{
		PhEnv env;
		PhRunInput run;
		write_trace(&database, both, 2);
		if (i % 4 == 0)
			database.size = draw_below(&random, (uint32_t) database.size) + 1;
		else
			database.trace[draw_below(&random, (uint32_t) database.size)] =
				(uint8_t) draw_below(&random, 256);
		if (read_database(&env, &database, &run) == PH_OK)
		{
			for (uint32_t k = 0; k < run.trace->model.n_locations; k++)
				free(events_of(&env, run.trace, k));
			ph_run_input_free(&env, &run);
		}
		assert_int_equal(env.bytes, 0);
	}
	free_database(&database);
}

/* ---- others' databases ---- */

/* The next event of the text, "12+name" or "12-": a name may have blanks. NULL: there is none. */
static const char *
next_event(const char *at)
{
	while ((at = strchr(at, ' ')) != NULL)
	{
		size_t digits = strspn(++at, "0123456789");
		if (digits > 0 && (at[digits] == '+' || at[digits] == '-'))
			return at;
	}
	return NULL;
}

/* How long the location is in some call. */
static long long
running(const char *events)
{
	long long sum = 0, since = 0, depth = 0;
	for (const char *at = events[0] != '\0' ? events : NULL; at != NULL; at = next_event(at))
	{
		char *sign;
		long long time = strtoll(at, &sign, 10);
		if (*sign == '+' && depth++ == 0)
			since = time;
		if (*sign == '-' && --depth == 0)
			sum += time - since;
	}
	return sum;
}

static void
check_running(const char *name)
{
	char path[512], oracle[512];
	PhEnv env;
	PhRunInput run;
	long long ours = 0, theirs = 0;
	snprintf(path, sizeof(path), PEERS "%s/trace.db", name);
	snprintf(oracle, sizeof(oracle), ORACLE "%s/trace.csv", name);
	Csv lines = csv_read(oracle);
	assert_non_null(lines.text);
	for (size_t i = 0; i < lines.n_rows; i++)
		theirs += atoll(csv_cell(&lines, i, csv_column(&lines, "running_ns")));
	ph_env_init_malloc(&env);
	if (read_path(&env, path, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	for (uint32_t i = 0; i < run.trace->model.n_locations; i++)
	{
		char *events = events_of(&env, run.trace, i);
		ours += running(events);
		free(events);
	}
	if (ours != theirs)
		fail_msg("%s: %lld ns in calls, the oracle says %lld", name, ours, theirs);
	csv_free(&lines);
	done(&env, &run);
}

static void
test_databases(void **state)
{
	static const char *const names[] = {"d.foo",	   "inline",	  "loop-fork-cycles",
										"loop-inline", "multithread", "quicksilver",
										"vectorAdd"};
	(void) state;
	skip_without_shared();
	for (size_t i = 0; i < COUNT(names); i++)
		check_running(names[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),  cmocka_unit_test(test_file),
		cmocka_unit_test(test_random), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_damage), cmocka_unit_test(test_databases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
