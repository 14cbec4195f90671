/*
 * test_logical_oracle.c - compat mode against Ravel's recorded answers; default mode on real
 * traces.
 *
 * The answers lie beside the repository; without them the tests skip. Times of traces whose timer
 * does not tick in ns were rounded in floating point there: they may differ by rounding, phases and
 * steps may not.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "logical/clusters/cluster.h"
#include "logical/clusters/focus.h"
#include "logical/pattern.h"
#include "support/archive.h"
#include "support/clusters.h"
#include "support/test_data.h"

#define RAVEL SHARED "/oracle/ravel/"
#define MAX_DIFFERENCE 4 /* ns, of values that come from two rounded times */

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* A table of numbers by event; columns in the order of the recorded answers. */
enum Column
{
	PROCESS,
	NAME,
	KIND,
	MESSAGES,
	ENTER,
	LEAVE,
	PHASE,
	STEP,
	FIRST_METRIC,
	N_COLUMNS = FIRST_METRIC + 8
};

typedef struct Row
{
	int64_t value[N_COLUMNS];
	char name[64];
} Row;

static char *
read_gz(const char *folder, const char *mode, const char *suffix)
{
	char path[512];
	size_t size = 0, room = 1 << 16;
	char *text = malloc(room);
	snprintf(path, sizeof(path), "%s/%s%s", folder, mode, suffix);
	gzFile file = gzopen(path, "rb");
	if (file == NULL)
	{
		snprintf(path, sizeof(path), "%s/%s%s.gz", folder, mode, suffix);
		file = gzopen(path, "rb");
	}
	if (file == NULL)
		fail_msg("cannot read %s", path);
	for (;;)
	{
		int n = gzread(file, text + size, (unsigned) (room - size - 1));
		if (n <= 0)
			break;
		size += (size_t) n;
		if (room - size < room / 4)
			text = realloc(text, room *= 2);
	}
	gzclose(file);
	text[size] = '\0';
	return text;
}

static int64_t
kind_of(const char *name)
{
	return strcmp(name, "send") == 0   ? PH_COMM_SEND
		   : strcmp(name, "recv") == 0 ? PH_COMM_RECEIVE
									   : PH_COMM_COLLECTIVE;
}

static void
parse_row(char *line, Row *row)
{
	char *rest = NULL;
	int column = 0;
	for (char *cell = strtok_r(line, ",", &rest); cell != NULL && column < N_COLUMNS;
		 cell = strtok_r(NULL, ",", &rest), column++)
	{
		if (column == NAME)
			snprintf(row->name, sizeof(row->name), "%s", cell);
		row->value[column] = column == NAME	  ? 0
							 : column == KIND ? kind_of(cell)
											  : strtoll(cell, NULL, 10);
	}
	assert_int_equal(column, N_COLUMNS);
}

static int
compare_rows(const void *a, const void *b)
{
	static const int keys[] = {PROCESS, ENTER, STEP};
	const Row *x = a, *y = b;
	for (int k = 0; k < 3; k++)
		if (x->value[keys[k]] != y->value[keys[k]])
			return x->value[keys[k]] < y->value[keys[k]] ? -1 : 1;
	return 0;
}

static Row *
read_rows(const char *folder, const char *mode, uint32_t *n)
{
	char *text = read_gz(folder, mode, ".csv"), *rest = NULL;
	size_t room = 64;
	Row *rows = malloc(room * sizeof(Row));
	*n = 0;
	strtok_r(text, "\n", &rest);
	for (char *line = strtok_r(NULL, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
	{
		if (*n == room)
			rows = realloc(rows, (room *= 2) * sizeof(Row));
		parse_row(line, &rows[(*n)++]);
	}
	free(text);
	qsort(rows, *n, sizeof(Row), compare_rows);
	return rows;
}

static void
our_row(const PhLogicalMetrics *metrics, const PhTraceModel *trace, uint32_t e, Row *row)
{
	static const PhLogicalMetric order[] = {PH_LATENESS, PH_DIFFERENTIAL, PH_GLOBAL_LATENESS,
											PH_DURATION};
	const PhLogical *logical = metrics->logical;
	const PhLogicalModel *model = logical->model;
	snprintf(row->name, sizeof(row->name), "%s", trace->regions[model->region[e]].name);
	row->value[PROCESS] = model->timeline[e];
	row->value[NAME] = 0;
	row->value[KIND] = model->kind[e];
	row->value[MESSAGES] = model->first_end[e + 1] - model->first_end[e];
	row->value[ENTER] = model->enter[e];
	row->value[LEAVE] = model->exit[e];
	row->value[PHASE] = logical->phase[e];
	row->value[STEP] = logical->step[e];
	for (int m = 0; m < 4; m++)
	{
		row->value[FIRST_METRIC + 2 * m] = ph_logical_value(metrics, order[m], e);
		row->value[FIRST_METRIC + 2 * m + 1] = ph_logical_aggregate(metrics, order[m], e);
	}
}

/* Exact, but for times that were rounded elsewhere, and the origin of time. */
static void
compare_row(const char *what, const Row *theirs, const Row *ours, int64_t shift, int64_t rounding)
{
	assert_string_equal(theirs->name, ours->name);
	for (int c = 0; c < N_COLUMNS; c++)
	{
		bool is_time = c == ENTER || c == LEAVE;
		int64_t expected = theirs->value[c] + (is_time ? shift : 0);
		int64_t slack = is_time || c >= FIRST_METRIC ? rounding : 0;
		if (llabs(ours->value[c] - expected) > slack)
			fail_msg("%s: process %lld, enter %lld, column %d: %lld, not %lld", what,
					 (long long) ours->value[PROCESS], (long long) theirs->value[ENTER], c,
					 (long long) ours->value[c], (long long) expected);
	}
}

/* The phase graph, line by line as recorded. */
static void
compare_graph(const char *what, const char *folder, const char *mode, const PhLogical *logical)
{
	char *text = read_gz(folder, mode, ".dag.csv"), *rest = NULL, line[64];
	uint32_t p = 0, n_edges = 0;
	strtok_r(text, "\n", &rest);
	for (char *row = strtok_r(NULL, "\n", &rest); row != NULL;
		 row = strtok_r(NULL, "\n", &rest), p++)
	{
		assert_true(p < logical->n_phases);
		int n = snprintf(line, sizeof(line), "%u,%d,%d,%u,0,%u,%u,", p, logical->first_step[p],
						 logical->last_step_of[p], logical->leap[p],
						 logical->first_member[p + 1] - logical->first_member[p],
						 logical->n_events_of[p]);
		if (strncmp(row, line, (size_t) n) != 0)
			fail_msg("%s: phase %u is %s, not %s", what, p, line, row);
		for (char *parent = row + n; *parent != '\0'; n_edges++)
		{
			uint32_t q = (uint32_t) strtoul(parent, &parent, 10);
			bool found = false;
			for (uint32_t i = logical->first_edge[q]; i < logical->first_edge[q + 1]; i++)
				found = found || logical->edge_target[i] == p;
			assert_true(found);
		}
	}
	assert_int_equal(p, logical->n_phases);
	assert_int_equal(n_edges, logical->n_edges);
	free(text);
}

static void
set_mode(const char *trace, const char *mode, PhLogicalOptions *options)
{
	ph_logical_options_default(options);
	options->compat = true;
	options->call_tree_merge = strcmp(mode, "default") == 0 || strcmp(mode, "nocoalesce") == 0 ||
							   strcmp(mode, "cluster") == 0 || strcmp(mode, "basic") == 0;
	options->coalesce_isends = strcmp(mode, "nocoalesce") != 0 && strcmp(mode, "plain") != 0 &&
							   strcmp(mode, "cluster") != 0;
	options->leap_merge = strncmp(mode, "leap", 4) == 0;
	options->leap_skip = strcmp(mode, "leapskip") == 0;
	options->waitall_groups = strcmp(mode, "waitall") == 0;
	options->global_merge = strcmp(mode, "global") == 0;
	options->align_sends = strcmp(mode, "basic") != 0;
	if (strcmp(mode, "phasefn") == 0)
		options->phase_function = strncmp(trace, "halo", 4) == 0 ? "exchange" : "gather";
}

/* Where the archive of a recorded answer is; false: not a trace of MPI. */
static bool
find_archive(const char *trace, char *path, size_t size)
{
	bool is_real = strncmp(trace, "scorep_", 7) == 0;
	if (strncmp(trace, "charm", 5) == 0 || strncmp(trace, "jac", 3) == 0)
		return false;
	snprintf(path, size, "%s/data/%s/%s/traces.otf2", SHARED, is_real ? "own/otf2" : "generated",
			 is_real ? trace + 7 : trace);
	return true;
}

static void
compare_mode(const Archive *archive, const char *trace, const char *mode)
{
	char folder[512], what[160];
	PhLogicalOptions options;
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
	uint32_t n;
	snprintf(folder, sizeof(folder), "%s%s", RAVEL, trace);
	snprintf(what, sizeof(what), "%s %s", trace, mode);
	set_mode(trace, mode, &options);
	must(make_model(&env, &archive->trace, &options, NULL, &model));
	must(ph_logical_build(&env, &model, &options, &logical));
	must(ph_logical_metrics_build(&env, &logical, &metrics));
	Row *theirs = read_rows(folder, mode, &n), *ours = malloc((n + 1) * sizeof(Row));
	assert_int_equal(n, model.n_events);
	for (uint32_t e = 0; e < n; e++)
		our_row(&metrics, &archive->trace.model, e, &ours[e]);
	qsort(ours, n, sizeof(Row), compare_rows);
	bool is_real = strncmp(trace, "scorep_", 7) == 0;
	int64_t shift = n == 0 ? 0 : ours[0].value[ENTER] - theirs[0].value[ENTER];
	for (uint32_t e = 0; e < n; e++)
		compare_row(what, &theirs[e], &ours[e], shift, is_real ? MAX_DIFFERENCE : 0);
	compare_graph(what, folder, mode, &logical);
	free(theirs);
	free(ours);
	ph_logical_metrics_free(&metrics);
	ph_logical_free(&logical);
	ph_logical_model_free(&model);
}

static void
compat_equals_ravel(void **state)
{
	char line[512], trace[64], mode[32], path[512], open[512] = "";
	uint32_t n_compared = 0;
	Archive archive;
	size_t bytes = env.bytes;
	(void) state;
	skip_without_shared();
	FILE *index = fopen(RAVEL "INDEX.txt", "r");
	assert_non_null(index);
	while (fgets(line, sizeof(line), index) != NULL)
	{
		assert_int_equal(sscanf(line, "%63s %31s", trace, mode), 2);
		if (!find_archive(trace, path, sizeof(path)) || strcmp(mode, "reorder") == 0)
			continue;
		if (strcmp(path, open) != 0)
		{
			if (open[0] != '\0')
				archive_close(&archive);
			archive_open(&env, path, &archive);
			memcpy(open, path, sizeof(open));
		}
		compare_mode(&archive, trace, mode);
		n_compared++;
	}
	fclose(index);
	archive_close(&archive);
	assert_int_equal(n_compared, 143);
	assert_int_equal(env.bytes, bytes);
}

/* ------------------------------------------------------------------------------------- clusters */

typedef struct Text
{
	char *text;
	size_t size, room;
} Text;

static void
print(Text *text, const char *format, ...)
{
	va_list arguments;
	if (text->room - text->size < 512)
		text->text = realloc(text->text, text->room = text->room * 2 + 1024);
	va_start(arguments, format);
	text->size += (size_t) vsnprintf(text->text + text->size, 512, format, arguments);
	va_end(arguments);
}

/* One phase as recorded: its pattern, its focus, its clusters in pre-order. */
static bool
print_phase(const PhLogicalMetrics *metrics, uint32_t phase, uint32_t pattern, Text *out)
{
	const PhLogical *logical = metrics->logical;
	const uint32_t *events = logical->member_first + logical->first_member[phase];
	const PhClusterOptions options = {.compat = true, .metric = PH_LATENESS};
	const char *types[] = {"-", "-", "UNKNOWN", "SRSR", "SSRR", "SSWA"};
	bool members[64], has_ties = false;
	uint32_t nodes[64], depths[64];
	PhClusters clusters;
	must(ph_logical_cluster(&env, metrics, phase, &options, &clusters));
	must(ph_logical_focus(&env, metrics, phase, PH_LATENESS, PH_NONE, 1, members));
	print(out, "phase %u gnome %s type %s focus", phase,
		  pattern >= PH_PATTERN_UNKNOWN ? "exchange" : "none", types[pattern]);
	for (uint32_t m = 0; m < clusters.n_members; m++)
		if (members[m])
			print(out, " %u", logical->model->timeline[events[m]]);
	clusters_preorder(&clusters, nodes, depths);
	for (uint32_t i = 0; i < clusters.n_nodes; i++)
	{
		uint32_t node = nodes[i];
		print(out, "\n  node %u depth %u maxdist %.0f maxmetric %lld maxentity %u members", i,
			  depths[i], clusters.distance[node], (long long) clusters.max[node],
			  logical->model->timeline[events[clusters.latest[node]]]);
		must(ph_clusters_members(&env, &clusters, node, members));
		for (uint32_t m = 0; m < clusters.n_members; m++)
			if (members[m])
				print(out, " %u", logical->model->timeline[events[m]]);
	}
	print(out, "\n");
	for (uint32_t node = clusters.n_leaves + 1; node < clusters.n_nodes; node++)
		has_ties = has_ties || clusters.distance[node] == clusters.distance[node - 1];
	ph_clusters_free(&clusters);
	return has_ties;
}

/* The phase's part of the recorded text, without blanks at ends of lines. */
static char *
cut_phase(const char *text, uint32_t phase)
{
	char head[32];
	snprintf(head, sizeof(head), "phase %u ", phase);
	const char *start = strncmp(text, head, strlen(head)) == 0 ? text : NULL;
	for (const char *at = text; start == NULL && (at = strchr(at, '\n')) != NULL;)
		if (strncmp(++at, head, strlen(head)) == 0)
			start = at;
	assert_non_null(start);
	const char *end = strstr(start, "\nphase ");
	size_t length = end == NULL ? strlen(start) : (size_t) (end - start) + 1, n = 0;
	char *part = malloc(length + 1);
	for (size_t i = 0; i < length; i++)
		if (start[i] != ' ' || start[i + 1] != '\n')
			part[n++] = start[i];
	part[n] = '\0';
	return part;
}

/* Where heights are equal the tree is not unique there: then only the head is compared. */
static void
compare_clusters(const Archive *archive, const char *trace, uint32_t *n_equal, uint32_t *n_ties)
{
	char folder[512];
	PhLogicalOptions options;
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
	uint8_t patterns[64];
	snprintf(folder, sizeof(folder), "%s%s", RAVEL, trace);
	set_mode(trace, "cluster", &options);
	must(make_model(&env, &archive->trace, &options, NULL, &model));
	must(ph_logical_build(&env, &model, &options, &logical));
	must(ph_logical_metrics_build(&env, &logical, &metrics));
	must(ph_logical_patterns(&env, &logical, true, patterns));
	char *theirs = read_gz(folder, "cluster", ".txt");
	for (uint32_t p = 0; p < logical.n_phases; p++)
	{
		Text ours = {NULL, 0, 0};
		char *part = cut_phase(theirs, p);
		bool has_ties = print_phase(&metrics, p, patterns[p], &ours);
		if (has_ties)
			*strchr(part, '\n') = *strchr(ours.text, '\n') = '\0';
		assert_string_equal(ours.text, part);
		*(has_ties ? n_ties : n_equal) += 1;
		free(part);
		free(ours.text);
	}
	free(theirs);
	ph_logical_metrics_free(&metrics);
	ph_logical_free(&logical);
	ph_logical_model_free(&model);
}

static void
compat_clusters_equal_ravel(void **state)
{
	static const char *const traces[] = {
		"allred8",		  "allred8_mix", "halo16_srsr",	 "halo16_ssrr", "halo16_sswa",
		"halo16_sswa_ar", "mixcoll8",	 "rand12_all",	 "rand12_any",	"ring8_shift",
		"ring8_token",	  "tree16_k4",	 "tree64_k4_x2", "tree64_k8"};
	uint32_t n_equal = 0, n_ties = 0;
	(void) state;
	skip_without_shared();
	for (size_t t = 0; t < sizeof(traces) / sizeof(traces[0]); t++)
	{
		char path[512];
		Archive archive;
		assert_true(find_archive(traces[t], path, sizeof(path)));
		archive_open(&env, path, &archive);
		compare_clusters(&archive, traces[t], &n_equal, &n_ties);
		archive_close(&archive);
	}
	assert_true(n_equal > 3 * n_ties);
}

/* ------------------------------------------------------------------------------------- real traces
 */

/* Every archive there is, also those that Ravel hangs or crashes on. */
static void
check_archive(const char *path)
{
	Archive archive;
	archive_open(&env, path, &archive);
	for (int mode = 0; mode < 8; mode++)
	{
		PhLogicalOptions options;
		PhLogicalModel model;
		PhLogical logical;
		ph_logical_options_default(&options);
		options.call_tree_merge = (mode & 1) == 0;
		options.coalesce_isends = (mode & 2) == 0;
		options.reorder_receives = mode == 4;
		options.leap_merge = mode == 5;
		options.align_sends = mode != 6;
		options.compat = mode == 7;
		must(make_model(&env, &archive.trace, &options, NULL, &model));
		must(ph_logical_build(&env, &model, &options, &logical));
		assert_string_equal(check_logical_invariants(&logical, &options), "");
		if (!options.compat)
			assert_int_equal(logical.split_collectives + logical.cut_messages, 0);
		assert_int_equal(model.notes.unmatched_sends + model.notes.unmatched_receives, 0);
		assert_int_equal(model.notes.unpaired_collectives, 0);
		assert_true(model.n_events > 0);
		ph_logical_free(&logical);
		ph_logical_model_free(&model);
	}
	archive_close(&archive);
}

static void
default_is_sound_on_archives(void **state)
{
	static const char *const folders[] = {SHARED "/data/generated", SHARED "/data/own/otf2"};
	uint32_t n = 0;
	size_t bytes = env.bytes;
	(void) state;
	skip_without_shared();
	for (int f = 0; f < 2; f++)
	{
		DIR *folder = opendir(folders[f]);
		assert_non_null(folder);
		for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
		{
			char path[512];
			snprintf(path, sizeof(path), "%s/%s/traces.otf2", folders[f], entry->d_name);
			if (access(path, R_OK) != 0 || strcmp(entry->d_name, "lulesh-27-large") == 0)
				continue;
			check_archive(path);
			n++;
		}
		closedir(folder);
	}
	assert_true(n >= 29);
	assert_int_equal(env.bytes, bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compat_equals_ravel),
		cmocka_unit_test(compat_clusters_equal_ravel),
		cmocka_unit_test(default_is_sound_on_archives),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
