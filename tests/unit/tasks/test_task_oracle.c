/*
 * test_task_oracle.c - compat mode against Ravel's recorded answers for Charm++ logs; what the
 * default mode finds in them.
 *
 * The answers lie beside the repository; without them the tests skip. Every column of every row is
 * compared. The recorded run of LULESH is another one than the log's: what does not depend on when
 * messages arrived is compared (docs/design/logical-time.md 2.9).
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

#include "support/tasks.h"
#include "support/test_data.h"
#include "tasks/metrics.h"

#define LOGS SHARED "/data/own/projections/"
#define GENERATED SHARED "/data/generated/"
#define RAVEL SHARED "/oracle/ravel/"
#define MAX_ROWS 4000
#define MAX_PHASES 64

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

typedef struct Row
{
	char name[128];
	uint32_t entity, phase, processor;
	int kind, messages, step;
	int64_t enter, leave, duration;
} Row;

typedef struct Phase
{
	int first_step, last_step;
	uint32_t leap, is_runtime, n_entities, n_events;
	uint64_t before; /* phases from which a way leads here, as bits */
} Phase;

typedef struct Analysis
{
	PhTaskTrace trace;
	PhTaskStructure structure;
	PhTaskMetrics metrics;
} Analysis;

static void
analyse(const char *folder, const char *name, bool compat, bool reorder, Analysis *out)
{
	PhTaskOptions options;
	ph_task_options_default(&options);
	options.compat = compat;
	options.reorder = reorder;
	read_ravel_logs(&env, folder, name, !compat, &out->trace);
	must(ph_task_structure_build(&env, &out->trace, &options, &out->structure));
	must(ph_task_metrics_build(&env, &out->structure, &out->metrics));
}

static void
drop(Analysis *analysis)
{
	ph_task_metrics_free(&analysis->metrics);
	ph_task_structure_free(&analysis->structure);
	ph_task_trace_free(&analysis->trace);
}

static int
compare_rows(const void *a, const void *b)
{
	const Row *x = a, *y = b;
	if (x->entity != y->entity)
		return x->entity < y->entity ? -1 : 1;
	if (x->enter != y->enter)
		return x->enter < y->enter ? -1 : 1;
	return x->kind != y->kind ? x->kind - y->kind : x->step - y->step;
}

static FILE *
open_answer(const char *trace, const char *mode, const char *suffix)
{
	char path[512], line[1024];
	snprintf(path, sizeof(path), RAVEL "%s/%s%s", trace, mode, suffix);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		fail_msg("cannot read %s", path);
	if (fgets(line, sizeof(line), file) == NULL)
		fail_msg("%s is empty", path);
	return file;
}

/* process,name,kind,nmsgs,enter,leave,phase,step, six latenesses, duration, its aggregate, pe */
static void
parse_row(const char *line, Row *row)
{
	char kind[8];
	long long enter, leave, duration, lateness[6], aggregate;
	assert_int_equal(
		sscanf(line,
			   "%u,%127[^,],%7[^,],%d,%lld,%lld,%u,%d,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%u",
			   &row->entity, row->name, kind, &row->messages, &enter, &leave, &row->phase,
			   &row->step, &lateness[0], &lateness[1], &lateness[2], &lateness[3], &lateness[4],
			   &lateness[5], &duration, &aggregate, &row->processor),
		17);
	for (int i = 0; i < 6; i++) /* Ravel computes none for tasks, and there are no aggregates */
		assert_int_equal(lateness[i], 0);
	assert_int_equal(aggregate, 0);
	row->kind = strcmp(kind, "send") == 0 ? PH_COMM_SEND : PH_COMM_RECEIVE;
	row->enter = enter;
	row->leave = leave;
	row->duration = duration;
}

static uint32_t
read_rows(const char *trace, const char *mode, Row *rows)
{
	char line[1024];
	uint32_t n = 0;
	FILE *file = open_answer(trace, mode, ".csv");
	while (fgets(line, sizeof(line), file) != NULL)
	{
		assert_true(n < MAX_ROWS);
		parse_row(line, &rows[n++]);
	}
	fclose(file);
	qsort(rows, n, sizeof(*rows), compare_rows);
	return n;
}

/* phase,min_step,max_step,leap,runtime,nprocs,nevents,parents; edges only go to later phases. */
static uint32_t
read_phases(const char *trace, const char *mode, Phase *phases)
{
	char line[1024];
	uint32_t n = 0, number;
	FILE *file = open_answer(trace, mode, ".dag.csv");
	while (fgets(line, sizeof(line), file) != NULL)
	{
		Phase *phase = &phases[n];
		assert_true(n < MAX_PHASES);
		assert_int_equal(sscanf(line, "%u,%d,%d,%u,%u,%u,%u,", &number, &phase->first_step,
								&phase->last_step, &phase->leap, &phase->is_runtime,
								&phase->n_entities, &phase->n_events),
						 7);
		assert_int_equal(number, n++);
		char *at = strrchr(line, ',') + 1;
		phase->before = 0;
		for (char *end; (void) (number = (uint32_t) strtoul(at, &end, 10)), end != at; at = end)
			phase->before |= (UINT64_C(1) << number) | phases[number].before;
	}
	fclose(file);
	return n;
}

static Row
our_row(const Analysis *analysis, uint32_t e)
{
	const PhTaskTrace *trace = &analysis->trace;
	const PhLogicalModel *model = &analysis->structure.model;
	uint32_t block = trace->event_block[analysis->structure.event[e]];
	uint32_t entry = trace->block_entry[block];
	Row row = {.entity = model->timeline_location[model->timeline[e]],
			   .phase = analysis->structure.logical.phase[e],
			   .processor = trace->block_processor[block],
			   .kind = model->kind[e],
			   .messages = (int) (model->first_end[e + 1] - model->first_end[e]),
			   .step = analysis->structure.logical.step[e],
			   .enter = model->enter[e],
			   .leave = model->exit[e],
			   .duration = analysis->metrics.differential[e]};
	snprintf(row.name, sizeof(row.name), "%s@%s::%s", row.kind == PH_COMM_SEND ? "Send" : "Recv",
			 trace->type_name[trace->entry_type[entry]], trace->entry_name[entry]);
	for (char *at = row.name; *at != '\0'; at++) /* as in the recorded answers */
		*at = *at == ',' ? ';' : *at;
	return row;
}

static uint32_t
list_rows(const Analysis *analysis, Row *rows)
{
	uint32_t n = analysis->structure.model.n_events;
	assert_true(n <= MAX_ROWS);
	for (uint32_t e = 0; e < n; e++)
		rows[e] = our_row(analysis, e);
	qsort(rows, n, sizeof(*rows), compare_rows);
	return n;
}

static uint32_t
list_phases(const Analysis *analysis, Phase *phases)
{
	const PhLogical *logical = &analysis->structure.logical;
	assert_true(logical->n_phases <= MAX_PHASES);
	for (uint32_t p = 0; p < logical->n_phases; p++)
		phases[p] = (Phase){.first_step = logical->first_step[p],
							.last_step = logical->last_step_of[p],
							.leap = logical->leap[p],
							.is_runtime = analysis->structure.is_runtime[p],
							.n_entities = logical->first_member[p + 1] - logical->first_member[p],
							.n_events = logical->n_events_of[p]};
	for (uint32_t p = 0; p < logical->n_phases; p++)
		for (uint32_t i = logical->first_edge[p]; i < logical->first_edge[p + 1]; i++)
			phases[logical->edge_target[i]].before |= (UINT64_C(1) << p) | phases[p].before;
	return logical->n_phases;
}

/* Of edges the ways are compared: Ravel keeps some edges beside longer ways, and drops others. */
static void
compare_phases(const Analysis *analysis, const char *trace, const char *mode)
{
	Phase phases[MAX_PHASES], expected[MAX_PHASES];
	uint32_t n = list_phases(analysis, phases);
	assert_int_equal(read_phases(trace, mode, expected), n);
	for (uint32_t p = 0; p < n; p++)
	{
		assert_int_equal(phases[p].first_step, expected[p].first_step);
		assert_int_equal(phases[p].last_step, expected[p].last_step);
		assert_int_equal(phases[p].leap, expected[p].leap);
		assert_int_equal(phases[p].is_runtime, expected[p].is_runtime);
		assert_int_equal(phases[p].n_entities, expected[p].n_entities);
		assert_int_equal(phases[p].n_events, expected[p].n_events);
		assert_int_equal(phases[p].before, expected[p].before);
	}
}

static void
compare_with_ravel(const char *trace, const char *folder, const char *name, bool reorder)
{
	static Row rows[MAX_ROWS], expected[MAX_ROWS];
	const char *mode = reorder ? "reorder" : "default";
	Analysis analysis;
	analyse(folder, name, true, reorder, &analysis);
	uint32_t n = list_rows(&analysis, rows);
	assert_int_equal(read_rows(trace, mode, expected), n);
	for (uint32_t i = 0; i < n; i++)
	{
		assert_int_equal(rows[i].entity, expected[i].entity);
		assert_int_equal(rows[i].enter, expected[i].enter);
		assert_int_equal(rows[i].leave, expected[i].leave);
		assert_int_equal(rows[i].kind, expected[i].kind);
		assert_string_equal(rows[i].name, expected[i].name);
		assert_int_equal(rows[i].messages, expected[i].messages);
		assert_int_equal(rows[i].processor, expected[i].processor);
		assert_int_equal(rows[i].phase, expected[i].phase);
		assert_int_equal(rows[i].step, expected[i].step);
		assert_int_equal(rows[i].duration, expected[i].duration);
	}
	compare_phases(&analysis, trace, mode);
	drop(&analysis);
}

static void
compat_equals_ravel(void **state)
{
	static const char *const generated[] = {"jac4x4", "jac4x4_nosdag", "jac8x8"};
	(void) state;
	skip_without_shared();
	for (int t = 0; t < 3; t++)
		for (int reorder = 0; reorder < 2; reorder++)
		{
			char folder[512];
			snprintf(folder, sizeof(folder), GENERATED "%s", generated[t]);
			compare_with_ravel(generated[t], folder, "jac", reorder != 0);
		}
	for (int reorder = 0; reorder < 2; reorder++)
		compare_with_ravel("charm_jacobi3d-4p", LOGS "jacobi3d-4p", "jacobi3d.prj", reorder != 0);
	assert_int_equal(env.bytes, 0);
}

/* ------------------------------------------------------------------------ another run of LULESH
 */

/* By what two runs may share. */
static int
compare_places(const void *a, const void *b)
{
	const Row *x = a, *y = b;
	if (x->entity != y->entity)
		return x->entity < y->entity ? -1 : 1;
	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind - y->kind;
	if (x->messages != y->messages)
		return x->messages - y->messages;
	return x->step - y->step;
}

/*
 * Leaves rows of the application's phases with their steps in the phase, or of the runtime's
 * without steps.
 */
static uint32_t
keep_side(Row *rows, uint32_t n, const Phase *phases, bool runtime)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (runtime == (phases[rows[i].phase].is_runtime != 0))
		{
			rows[kept] = rows[i];
			rows[kept].step -= runtime ? rows[i].step : phases[rows[i].phase].first_step;
			kept++;
		}
	qsort(rows, kept, sizeof(*rows), compare_places);
	return kept;
}

/* Rows of a that b does not have. */
static uint32_t
count_missing(const Row *a, uint32_t n_a, const Row *b, uint32_t n_b)
{
	uint32_t n = 0, j = 0;
	for (uint32_t i = 0; i < n_a; i++)
	{
		while (j < n_b && compare_places(&b[j], &a[i]) < 0)
			j++;
		if (j < n_b && compare_places(&b[j], &a[i]) == 0)
			j++;
		else
			n++;
	}
	return n;
}

static void
compare_lulesh(bool compat, bool reorder, bool runtime, uint32_t n_missing)
{
	static Row rows[MAX_ROWS], expected[MAX_ROWS];
	Phase phases[MAX_PHASES], expected_phases[MAX_PHASES];
	const char *trace = "charm_lulesh-charm-8c-4p", *mode = reorder ? "reorder" : "default";
	Analysis analysis;
	analyse(LOGS "lulesh-charm-8c-4p", "lulesh.prj", compat, reorder, &analysis);
	uint32_t n = list_rows(&analysis, rows), n_phases = list_phases(&analysis, phases);
	assert_int_equal(read_rows(trace, mode, expected), n);
	assert_int_equal(read_phases(trace, mode, expected_phases), n_phases);
	for (uint32_t p = 0; p < n_phases; p++)
	{
		assert_int_equal(phases[p].is_runtime, expected_phases[p].is_runtime);
		assert_int_equal(phases[p].leap, expected_phases[p].leap);
		assert_int_equal(phases[p].n_entities, expected_phases[p].n_entities);
		assert_int_equal(phases[p].before, expected_phases[p].before);
	}
	uint32_t n_ours = keep_side(rows, n, phases, runtime);
	uint32_t n_ravels = keep_side(expected, n, expected_phases, runtime);
	assert_int_equal(count_missing(rows, n_ours, expected, n_ravels), n_missing);
	assert_int_equal(count_missing(expected, n_ravels, rows, n_ours), n_missing);
	drop(&analysis);
}

/*
 * In replayed order the steps of the application's events do not depend on when messages arrived:
 * all are equal, in both modes. Of the runtime's events 14 are another run's: contributions to
 * reductions are sent on from the processor and in the phase where the last one arrived.
 */
static void
lulesh_is_the_same_in_another_run(void **state)
{
	(void) state;
	skip_without_shared();
	for (int compat = 0; compat < 2; compat++)
	{
		compare_lulesh(compat != 0, true, false, 0);
		for (int reorder = 0; reorder < 2; reorder++)
			compare_lulesh(compat != 0, reorder != 0, true, 14);
	}
}

/* After the setup: two phases of the application and a reduction, again and again (figure 16). */
static void
lulesh_repeats_two_phases_and_a_reduction(void **state)
{
	Analysis analysis;
	uint32_t n_repeats = 0;
	(void) state;
	skip_without_shared();
	analyse(LOGS "lulesh-charm-8c-4p", "lulesh.prj", false, true, &analysis);
	const PhLogical *logical = &analysis.structure.logical;
	const uint8_t *is_runtime = analysis.structure.is_runtime;
	assert_int_equal(analysis.structure.model.n_events, 1209);
	assert_int_equal(logical->n_phases, 22);
	for (uint32_t p = 0; p + 2 < logical->n_phases; p++)
		n_repeats += !is_runtime[p] && !is_runtime[p + 1] && is_runtime[p + 2] &&
					 logical->n_events_of[p] == 112 && logical->n_events_of[p + 1] == 48;
	assert_true(n_repeats >= 5);
	drop(&analysis);
}

/* Phases of the application and of the runtime take turns (figure 8); Ravel does not end here. */
static void
jacobi_alternates(void **state)
{
	static const char *const runs[] = {"jacobi2d-16c-4p", "jacobi2d-64c-8p", "jacobi2d-16c-4p-gz"};
	static const uint32_t borders[] = {96, 448, 96}; /* sent and received in an iteration */
	(void) state;
	skip_without_shared();
	for (int r = 0; r < 3; r++)
	{
		char folder[512];
		Analysis analysis;
		uint32_t n_turns = 0, n_whole = 0;
		snprintf(folder, sizeof(folder), LOGS "%s", runs[r]);
		analyse(folder, "jacobi2d.prj", false, true, &analysis);
		for (uint32_t p = 0; p + 1 < analysis.structure.logical.n_phases; p++)
			n_turns += analysis.structure.is_runtime[p] != analysis.structure.is_runtime[p + 1];
		for (uint32_t p = 0; p < analysis.structure.logical.n_phases; p++)
			n_whole += analysis.structure.logical.n_events_of[p] == borders[r];
		assert_true(n_turns >= 10);
		assert_true(n_whole >= 6);
		drop(&analysis);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compat_equals_ravel),
		cmocka_unit_test(lulesh_is_the_same_in_another_run),
		cmocka_unit_test(lulesh_repeats_two_phases_and_a_reduction),
		cmocka_unit_test(jacobi_alternates),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
