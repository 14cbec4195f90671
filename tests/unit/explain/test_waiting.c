/*
 * test_waiting.c - what slow units cost a run, against plain loops on random cubes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/waiting.h"
#include "support/fault_env.h"

#define NODES 5
#define RANKS 4
#define THREADS 2
#define UNITS (RANKS * THREADS)
#define RUNS 7

enum
{
	MAIN,
	INIT,
	WORK,
	REDUCE,
	LOCK
};

typedef struct Case
{
	PhExplainCube cube;
	PhExplainNode nodes[NODES];
	PhExplainUnit units[UNITS];
	bool is_after[RUNS], is_slow[UNITS];
	double time[RUNS][NODES][UNITS];
	uint32_t places[UNITS];
	PhFinding findings[2];
} Case;

static uint64_t random_state;

static double
draw(double most)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return most * (double) (random_state >> 11) / 9007199254740992.0;
}

/* Ranks of two threads, of which the first communicates unless nobody does; one finding on units.
 */
static void
make_case(uint64_t seed, Case *out)
{
	static const PhExplainNode nodes[NODES] = {
		{"main", PH_NONE, NODES, PH_EXPLAIN_WORK, PH_EXPLAIN_MAIN_PART},
		{"MPI_Init", MAIN, 2, PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_START_UP},
		{"work", MAIN, 3, PH_EXPLAIN_WORK, PH_EXPLAIN_MAIN_PART},
		{"MPI_Allreduce", MAIN, 4, PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
		{"lock", MAIN, 5, PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART}};
	bool is_serial, has_locks;

	random_state = seed;
	is_serial = draw(1) < 0.2;
	has_locks = draw(1) < 0.7;
	memset(out, 0, sizeof(*out));
	memcpy(out->nodes, nodes, sizeof(nodes));
	out->cube = (PhExplainCube){.n_nodes = NODES,
								.n_units = UNITS,
								.n_runs = RUNS,
								.nodes = out->nodes,
								.units = out->units,
								.is_after = out->is_after,
								.time = out->time[0][0]};
	for (uint32_t run = 0; run < RUNS; run++)
	{
		out->is_after[run] = run % 2 == 1;
		for (uint32_t unit = 0; unit < UNITS; unit++)
		{
			bool calls = !is_serial && unit % THREADS == 0;

			out->time[run][INIT][unit] = calls ? draw(9) : 0;
			out->time[run][WORK][unit] = 10 + draw(9);
			out->time[run][REDUCE][unit] = calls ? draw(4) + (out->is_after[run] ? 4 : 0) : 0;
			out->time[run][LOCK][unit] = has_locks ? draw(2) : 0;
		}
	}
	out->findings[0] = (PhFinding){PH_SHAPE_SOME_UNITS, .node = WORK, .places = out->places};
	out->findings[0].effect = draw(1) < 0.5 ? -draw(8) : draw(8);
	for (uint32_t unit = 0; unit < UNITS; unit++)
	{
		out->units[unit] =
			(PhExplainUnit){(int32_t) (unit / THREADS), (int32_t) (unit % THREADS), ""};
		out->is_slow[unit] = unit == 0 || draw(1) < 0.3;
		if (out->is_slow[unit])
			out->places[out->findings[0].n_places++] = unit;
	}
	out->findings[1] = (PhFinding){PH_SHAPE_UNIFORM, .node = draw(1) < 0.5 ? REDUCE : WORK};
	out->findings[1].effect = draw(1);
}

static int
compare_numbers(const void *x, const void *y)
{
	double a = *(const double *) x, b = *(const double *) y;

	return (a > b) - (a < b);
}

static double
plain_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_numbers);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static bool
plain_calls(const Case *c, uint32_t node, uint32_t unit)
{
	for (uint32_t run = 0; run < RUNS; run++)
		if (c->time[run][node][unit] > 0)
			return true;
	return false;
}

static double
plain_waiting(const Case *c, uint32_t unit, bool after)
{
	double values[RUNS];
	size_t n = 0;

	for (uint32_t run = 0; run < RUNS; run++)
		if (c->is_after[run] == after)
			values[n++] = c->time[run][REDUCE][unit] + c->time[run][LOCK][unit];
	return plain_median(values, n);
}

/* What header says, literally. */
static double
plain_effect(const Case *c)
{
	const PhFinding *finding = &c->findings[0];
	double changes[UNITS], least = INFINITY, spare = INFINITY, most;
	bool anybody = false;
	size_t n = 0;

	for (uint32_t unit = 0; unit < UNITS; unit++)
		anybody = anybody || plain_calls(c, REDUCE, unit);
	for (uint32_t unit = 0; unit < UNITS; unit++)
	{
		if (!plain_calls(c, anybody ? REDUCE : LOCK, unit))
			continue;
		least = fmin(least, plain_waiting(c, unit, false));
		if (c->is_slow[unit])
			spare = fmin(spare, plain_waiting(c, unit, false));
		else
			changes[n++] = plain_waiting(c, unit, true) - plain_waiting(c, unit, false);
	}
	if (n == 0)
		return finding->effect;
	most = plain_median(changes, n) - (c->findings[1].node == REDUCE ? c->findings[1].effect : 0);
	spare = isinf(spare) ? 0 : spare - least;
	return copysign(fmax(fmin(fabs(finding->effect) - spare, most),
						 fabs(finding->effect) * finding->n_places / UNITS),
					finding->effect);
}

static PhStatus
limit_case(PhEnv *env, void *user)
{
	Case *c = user;
	PhFinding findings[2];
	PhArena arena;
	PhStatus status;

	memcpy(findings, c->findings, sizeof(findings));
	ph_arena_init(&arena, env);
	status = ph_explain_limit_units(&arena, &c->cube, c->is_after, c->is_slow, 40, findings, 2);
	ph_arena_drop(&arena);
	if (status != PH_OK)
		return status;
	assert_true(fabs(findings[0].effect - plain_effect(c)) < 1e-9);
	assert_true(fabs(findings[0].share - findings[0].effect / 40) < 1e-9 ||
				findings[0].effect == c->findings[0].effect);
	assert_true(findings[1].effect == c->findings[1].effect);
	return PH_OK;
}

static void
limits_as_plain_loops_do(void **state)
{
	Case *c = calloc(1, sizeof(*c));
	PhEnv env;

	(void) state;
	ph_env_init_malloc(&env);
	for (uint64_t seed = 1; seed <= 500; seed++)
	{
		make_case(seed, c);
		assert_int_equal(limit_case(&env, c), PH_OK);
	}
	free(c);
}

static void
survives_failures(void **state)
{
	Case *c = calloc(1, sizeof(*c));

	(void) state;
	make_case(3, c);
	assert_string_equal(fault_env_try_allocations(limit_case, c, 0), "");
	free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(limits_as_plain_loops_do),
									   cmocka_unit_test(survives_failures)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
