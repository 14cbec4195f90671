/*
 * test_gate.c - verdicts of the gate: planted changes of time and work, and no false alarms.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "profile/builder.h"
#include "reports/gate.h"

#define N_NODES 6
#define MOST_RUNS 10

enum
{
	MAIN,
	SOLVE,
	KERNEL,
	WAIT,
	TEST,
	OUTPUT
};

enum
{
	TIME,
	INSTRUCTIONS,
	VISITS,
	N_METRICS
};

static const char *const names[N_NODES] = {"main",	   "solve",	   "kernel",
										   "MPI_Wait", "MPI_Test", "output"};
static const uint32_t parents[N_NODES] = {PH_NONE, MAIN, SOLVE, SOLVE, SOLVE, MAIN};

/* What a run's functions cost on average, and how far each metric scatters, as a share. */
typedef struct Program
{
	double own[N_METRICS][N_NODES];
	double spread[N_METRICS];
} Program;

static const Program usual = {
	.own = {{1, 2, 10, 4, 1, 2}, {1e9, 2e9, 2e10, 8e9, 3e9, 2e9}, {1, 100, 1e6, 500, 9999, 10}},
	.spread = {0.01, 0.0002, 0}};

/* splitmix64 */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double
normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double) (next_random(state) >> 11) * 0x1p-53;
	return sum - 6;
}

static void
add_nodes(PhProfileBuilder *builder, uint32_t nodes[N_NODES])
{
	for (int i = 0; i < N_NODES; i++)
	{
		const PhRegionSpec spec = {.name = names[i], .line = PH_NO_NUMBER};
		uint32_t region;

		assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
		assert_int_equal(ph_builder_add_node(builder,
											 parents[i] == PH_NONE ? PH_NONE : nodes[parents[i]],
											 region, &nodes[i]),
						 PH_OK);
	}
}

/* MPI's instructions and the calls of MPI_Test are spun: they vary by a fifth. */
static double
spread_of(const Program *program, int metric, int node)
{
	bool spins = (metric == INSTRUCTIONS && (node == WAIT || node == TEST)) ||
				 (metric == VISITS && node == TEST);

	return spins ? 0.2 : program->spread[metric];
}

static PhProfile *
run_program(PhEnv *env, const Program *program, uint64_t *random)
{
	static const PhMetricSpec metrics[N_METRICS] = {
		{.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE},
		{.name = "PAPI_TOT_INS", .unit = "count", .given = PH_GIVEN_EXCLUSIVE},
		{.name = "visits", .unit = "count", .given = PH_GIVEN_EXCLUSIVE}};
	const PhColumnSpec rank = {.iteration = PH_NO_ITERATION, .thread = PH_NO_NUMBER};
	uint32_t nodes[N_NODES], metric, column;
	PhProfileBuilder *builder;
	PhProfile *profile;

	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	for (int m = 0; m < N_METRICS; m++)
		assert_int_equal(ph_builder_add_metric(builder, &metrics[m], &metric), PH_OK);
	assert_int_equal(ph_builder_add_column(builder, &rank, &column), PH_OK);
	add_nodes(builder, nodes);
	for (int m = 0; m < N_METRICS; m++)
		for (int i = 0; i < N_NODES; i++)
		{
			double value = program->own[m][i] * (1 + spread_of(program, m, i) * normal(random));

			assert_int_equal(ph_builder_add_value(builder, (uint32_t) m, nodes[i], column,
												  PH_COST_EXCLUSIVE, value),
							 PH_OK);
		}
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	return profile;
}

/* Both sides' runs, and what the gate says of them. */
typedef struct Judged
{
	PhEnv env;
	PhArena arena;
	PhProfile *a[MOST_RUNS], *b[MOST_RUNS];
	uint32_t n_a, n_b;
	PhGate gate;
} Judged;

static const PhGateRules rules = {
	.margin = PH_GATE_MARGIN, .work_margin = PH_GATE_WORK_MARGIN, .confidence = PH_GATE_CONFIDENCE};

static void
judge(Judged *judged, const Program *a, uint32_t n_a, const Program *b, uint32_t n_b,
	  uint64_t *random)
{
	memset(judged, 0, sizeof(*judged));
	ph_env_init_malloc(&judged->env);
	ph_arena_init(&judged->arena, &judged->env);
	judged->n_a = n_a;
	judged->n_b = n_b;
	for (uint32_t i = 0; i < n_a; i++)
		judged->a[i] = run_program(&judged->env, a, random);
	for (uint32_t i = 0; i < n_b; i++)
		judged->b[i] = run_program(&judged->env, b, random);
	assert_int_equal(
		ph_gate_judge(&judged->arena, judged->a, n_a, judged->b, n_b, &rules, &judged->gate),
		PH_OK);
}

static void
forget(Judged *judged)
{
	for (uint32_t i = 0; i < judged->n_a; i++)
		ph_profile_free(&judged->env, judged->a[i]);
	for (uint32_t i = 0; i < judged->n_b; i++)
		ph_profile_free(&judged->env, judged->b[i]);
	ph_arena_drop(&judged->arena);
}

static void
names_the_function_that_became_slower(void **state)
{
	Program slow = usual;
	uint64_t random = 1;
	Judged judged;

	(void) state;
	slow.own[TIME][KERNEL] *= 1.2;
	judge(&judged, &usual, 5, &slow, 5, &random);
	assert_int_equal(judged.gate.verdict, PH_GATE_SLOWER);
	assert_int_equal(judged.gate.n_metrics, 3);
	assert_string_equal(judged.gate.metrics[0].name, "time");
	assert_true(judged.gate.metrics[0].n_regions >= 1);
	assert_string_equal(judged.gate.metrics[0].regions[0].name, "kernel");
	assert_true(fabs(judged.gate.metrics[0].regions[0].of_total - 0.1) < 0.02);
	forget(&judged);
	judge(&judged, &slow, 5, &usual, 5, &random);
	assert_int_equal(judged.gate.verdict, PH_GATE_FASTER);
	forget(&judged);
}

/* The time of a few runs cannot tell 1 % of noise from a change of 0.5 %; instructions can. */
static void
work_tells_what_time_cannot(void **state)
{
	Program more = usual;
	uint64_t random = 2;
	Judged judged;

	(void) state;
	more.own[INSTRUCTIONS][KERNEL] *= 1.005;
	judge(&judged, &usual, 3, &more, 3, &random);
	assert_int_equal(judged.gate.verdict, PH_GATE_MORE_WORK);
	assert_true(judged.gate.metrics[1].is_work && judged.gate.metrics[1].without_mpi);
	assert_int_equal(judged.gate.metrics[1].test.verdict, PH_VERDICT_SLOWER);
	assert_string_equal(ph_gate_metric_verdict(&judged.gate.metrics[1]), "more");
	assert_int_equal(judged.gate.metrics[1].n_regions, 1);
	assert_string_equal(judged.gate.metrics[1].regions[0].name, "kernel");
	assert_int_equal(judged.gate.metrics[2].test.verdict, PH_VERDICT_SAME);
	forget(&judged);
	more = usual;
	more.own[VISITS][KERNEL] += 2000;
	judge(&judged, &usual, 3, &more, 3, &random);
	assert_int_equal(judged.gate.verdict, PH_GATE_MORE_WORK);
	assert_int_equal(judged.gate.metrics[2].test.verdict, PH_VERDICT_SLOWER);
	assert_int_equal(judged.gate.metrics[1].test.verdict, PH_VERDICT_SAME);
	forget(&judged);
}

/* Waiting scatters so much that the whole says nothing; the kernel does. */
static void
a_function_is_enough_when_the_whole_scatters(void **state)
{
	Program noisy = usual, slow;
	uint64_t random = 3;
	Judged judged;

	(void) state;
	noisy.own[TIME][WAIT] = 100;
	noisy.spread[TIME] = 0.05;
	slow = noisy;
	slow.own[TIME][KERNEL] *= 1.5;
	slow.own[TIME][WAIT] = 96;
	judge(&judged, &noisy, 8, &slow, 8, &random);
	assert_int_equal(judged.gate.metrics[0].test.verdict, PH_VERDICT_UNKNOWN);
	assert_int_equal(judged.gate.verdict, PH_GATE_SLOWER);
	assert_true(judged.gate.metrics[0].n_regions >= 1);
	assert_string_equal(judged.gate.metrics[0].regions[0].name, "kernel");
	forget(&judged);
}

static void
one_run_is_judged_by_many(void **state)
{
	Program slow = usual;
	uint64_t random = 4;
	Judged judged;

	(void) state;
	slow.own[TIME][KERNEL] *= 1.3;
	judge(&judged, &usual, 8, &slow, 1, &random);
	assert_int_equal(judged.gate.verdict, PH_GATE_SLOWER);
	forget(&judged);
	judge(&judged, &usual, 2, &slow, 1, &random);
	assert_int_equal(judged.gate.verdict, PH_GATE_UNKNOWN);
	forget(&judged);
}

/*
 * Unchanged programs: of 1,000 pairs of three to five runs whose time scatters by 1 to 10 % and
 * whose instructions by 0.02 to 0.1 %, never more work, and slower in 1 % at most.
 */
static void
unchanged_programs_pass(void **state)
{
	static const double spreads[][2] = {
		{0.01, 0.0002}, {0.02, 0.0005}, {0.05, 0.001}, {0.1, 0.001}};
	uint64_t random = 5;
	int n_slower = 0, n_more = 0, n_pairs = 0;

	(void) state;
	for (int round = 0; round < 250; round++)
		for (int kind = 0; kind < 4; kind++)
		{
			Program program = usual;
			Judged judged;

			program.spread[TIME] = spreads[kind][0];
			program.spread[INSTRUCTIONS] = spreads[kind][1];
			judge(&judged, &program, 3 + (uint32_t) round % 3, &program,
				  3 + (uint32_t) (round / 3) % 3, &random);
			n_slower += judged.gate.verdict == PH_GATE_SLOWER;
			n_more += judged.gate.verdict == PH_GATE_MORE_WORK;
			n_pairs++;
			forget(&judged);
		}
	print_message("unchanged pairs: %d, slower %d, more work %d\n", n_pairs, n_slower, n_more);
	assert_int_equal(n_more, 0);
	assert_true(n_slower <= n_pairs / 100);
}

/* And changes are found: 0.5 % of instructions in nearly all pairs, 10 % of time in most. */
static void
changes_are_found(void **state)
{
	uint64_t random = 6;
	int n_slower = 0, n_more = 0;

	(void) state;
	for (int round = 0; round < 100; round++)
	{
		Program slow = usual, more = usual;
		Judged judged;

		slow.own[TIME][KERNEL] *= 1.2;
		judge(&judged, &usual, 5, &slow, 5, &random);
		n_slower += judged.gate.verdict == PH_GATE_SLOWER;
		forget(&judged);
		more.own[INSTRUCTIONS][KERNEL] *= 1.005;
		judge(&judged, &usual, 5, &more, 5, &random);
		n_more += judged.gate.verdict == PH_GATE_MORE_WORK;
		forget(&judged);
	}
	print_message("found of 100: slower %d, more work %d\n", n_slower, n_more);
	assert_in_range(n_slower, 97, 100);
	assert_in_range(n_more, 93, 100);
}

static void
refuses_what_it_cannot_judge(void **state)
{
	PhGateRules asked = rules;
	uint64_t random = 7;
	Judged judged;

	(void) state;
	judge(&judged, &usual, 1, &usual, 1, &random);
	asked.metric = "cycles";
	assert_int_equal(ph_gate_judge(&judged.arena, judged.a, 1, judged.b, 1, &asked, &judged.gate),
					 PH_ERR_NOT_FOUND);
	assert_non_null(strstr(judged.env.error.message, "cycles"));
	asked.metric = "visits";
	assert_int_equal(ph_gate_judge(&judged.arena, judged.a, 1, judged.b, 1, &asked, &judged.gate),
					 PH_OK);
	assert_string_equal(judged.gate.metrics[0].name, "visits");
	assert_int_equal(judged.gate.n_metrics, 2);
	forget(&judged);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_function_that_became_slower),
		cmocka_unit_test(work_tells_what_time_cannot),
		cmocka_unit_test(a_function_is_enough_when_the_whole_scatters),
		cmocka_unit_test(one_run_is_judged_by_many),
		cmocka_unit_test(unchanged_programs_pass),
		cmocka_unit_test(changes_are_found),
		cmocka_unit_test(refuses_what_it_cannot_judge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
