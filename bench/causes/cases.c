/*
 * cases.c - see cases.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/kinds.h"

#define AUTOCORRELATION 0.5

/* Shares of the noise: of a whole run, of a call path, of a rank in a call path. */
#define OF_RUN 0.8
#define OF_PATH 1.0
#define OF_RANK 0.7

#define LEAST_EFFECT 0.05 /* of the run */
#define LEAST_OF_NOISE 2.5

typedef struct Random
{
	uint64_t state;
} Random;

/* What the program does without noise, and what is planted into the runs after. */
typedef struct Plan
{
	Random random;
	double base[CASE_MAX_NODES]; /* own time, mean over ranks; all together 1 */
	double skew[CASE_MAX_UNITS]; /* of ranks in everything */
	double step_share[CASE_MAX_NODES]
					 [CASE_STEPS];				  /* of a call path in the iterations; 0: outside */
	double plus[CASE_MAX_NODES][CASE_MAX_UNITS];  /* planted time, by node and rank */
	double step_plus[CASE_MAX_NODES][CASE_STEPS]; /* the part of it that is of one iteration */
	double work[CASE_MAX_NODES];				  /* factor of instructions and bytes, after */
	double visits[CASE_MAX_NODES];
	uint32_t loop, allreduce, waitall, isend, lock, device, io, start;
} Plan;

/* ---- random numbers ---- */

static uint64_t
next(Random *random)
{
	uint64_t z = (random->state += 0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
	return z ^ (z >> 31);
}

static double
uniform(Random *random)
{
	return ((double) (next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static uint32_t
below(Random *random, uint32_t n)
{
	return (uint32_t) (next(random) % n);
}

static double
normal(Random *random)
{
	return sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));
}

/* Student's t with 4 degrees of freedom, scaled to variance 1: long tails. */
static double
long_tailed(Random *random)
{
	double squares = 0, z = normal(random);

	for (int i = 0; i < 4; i++)
	{
		double x = normal(random);

		squares += x * x;
	}
	return z / sqrt(squares / 4) / sqrt(2.0);
}

/* The runs' values of one source of noise: variance 1, neighbours correlated. */
static void
draw_series(Random *random, double series[CASE_RUNS])
{
	double keep = AUTOCORRELATION, fresh = sqrt(1 - keep * keep);

	series[0] = long_tailed(random);
	for (int run = 1; run < CASE_RUNS; run++)
		series[run] = keep * series[run - 1] + fresh * long_tailed(random);
}

/* ---- the program ---- */

static uint32_t
add_node(Case *made, Plan *plan, uint32_t parent, double cost, const char *name)
{
	uint32_t node = made->cube.n_nodes++;

	snprintf(made->names[node], sizeof(made->names[node]), "%s", name);
	made->nodes[node] = (PhExplainNode){.name = made->names[node], .parent = parent};
	ph_explain_classify(&made->nodes[node], "");
	plan->base[node] = cost;
	plan->work[node] = plan->visits[node] = 1;
	return node;
}

static double
some(Random *random, double cost)
{
	return cost * exp(0.5 * normal(random));
}

/* A part of the loop: functions with callees, some of which cost something themselves. */
static void
add_group(Case *made, Plan *plan, uint32_t group)
{
	static const char *const verbs[] = {"compute", "update", "apply", "gather", "limit", "solve"};
	char name[48];
	uint32_t top, n = 2 + below(&plan->random, 4);

	snprintf(name, sizeof(name), "phase_%u", group);
	top = add_node(made, plan, plan->loop, some(&plan->random, 0.2), name);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t function;

		snprintf(name, sizeof(name), "%s_%u_%u", verbs[below(&plan->random, 6)], group, i);
		function = add_node(made, plan, top, some(&plan->random, 2), name);
		for (uint32_t k = below(&plan->random, 3); k > 0; k--)
		{
			snprintf(name, sizeof(name), "kernel_%u_%u_%u", group, i, k);
			(void) add_node(made, plan, function, some(&plan->random, 1), name);
		}
	}
}

static void
add_program(Case *made, Plan *plan)
{
	uint32_t top = add_node(made, plan, PH_NONE, 0.05, "main"), parent;
	uint32_t n_groups = 2 + below(&plan->random, 3);

	plan->start = add_node(made, plan, top, some(&plan->random, 0.3), "MPI_Init");
	(void) add_node(made, plan, top, some(&plan->random, 0.8), "read_mesh");
	plan->loop = add_node(made, plan, top, 0.1, "time_step");
	for (uint32_t group = 0; group < n_groups; group++)
		add_group(made, plan, group);
	plan->device = add_node(made, plan, plan->loop, some(&plan->random, 2.0), "cudaLaunchKernel");
	parent = add_node(made, plan, plan->loop, some(&plan->random, 0.1), "exchange");
	plan->isend = add_node(made, plan, parent, some(&plan->random, 0.2), "MPI_Isend");
	plan->waitall = add_node(made, plan, parent, some(&plan->random, 0.8), "MPI_Waitall");
	plan->lock =
		add_node(made, plan, plan->loop, some(&plan->random, 0.3), "!$omp critical @pool.c");
	plan->allreduce = add_node(made, plan, plan->loop, some(&plan->random, 0.3), "MPI_Allreduce");
	parent = add_node(made, plan, top, 0.02, "write_output");
	plan->io = add_node(made, plan, parent, some(&plan->random, 0.6), "fwrite");
	(void) add_node(made, plan, top, 0.02, "MPI_Finalize");
}

static void
close_tree(Case *made)
{
	for (uint32_t node = made->cube.n_nodes; node-- > 0;)
	{
		PhExplainNode *at = &made->nodes[node];

		if (at->subtree_end == 0)
			at->subtree_end = node + 1;
		if (at->parent != PH_NONE && made->nodes[at->parent].subtree_end < at->subtree_end)
			made->nodes[at->parent].subtree_end = at->subtree_end;
	}
}

static bool
is_below(const Case *made, uint32_t node, uint32_t top)
{
	return node >= top && node < made->nodes[top].subtree_end;
}

static void
scale_program(Case *made, Plan *plan)
{
	double sum = 0;

	for (uint32_t node = 0; node < made->cube.n_nodes; node++)
		sum += plan->base[node];
	for (uint32_t node = 0; node < made->cube.n_nodes; node++)
	{
		plan->base[node] /= sum;
		for (uint32_t step = 0; is_below(made, node, plan->loop) && step < CASE_STEPS; step++)
			plan->step_share[node][step] = 1.0 / CASE_STEPS;
	}
	for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
		plan->skew[unit] = exp(0.01 * normal(&plan->random));
}

static void
add_machine(Case *made, Plan *plan)
{
	uint32_t a_host = 4u << below(&plan->random, 2);

	made->cube.n_units = 8u << below(&plan->random, 4);
	if (a_host == made->cube.n_units)
		a_host = 4;
	for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
	{
		snprintf(made->hosts[unit], sizeof(made->hosts[unit]), "node%02u", unit / a_host);
		made->units[unit] = (PhExplainUnit){(int32_t) unit, -1, made->hosts[unit]};
	}
}

/* ---- what is planted ---- */

/* A random subtree of the loop that works and costs something. */
static uint32_t
choose_region(Case *made, Plan *plan)
{
	for (;;)
	{
		uint32_t node = below(&plan->random, made->cube.n_nodes);

		if (node != plan->loop && is_below(made, node, plan->loop) &&
			made->nodes[node].kind == PH_EXPLAIN_WORK && plan->base[node] > 0.01)
			return node;
	}
}

/* The smallest subtree with 90 % of what is planted. */
static uint32_t
holder_of(const Case *made, const double *planted)
{
	double sums[CASE_MAX_NODES] = {0};
	uint32_t node = 0;

	for (uint32_t i = made->cube.n_nodes; i-- > 0;)
	{
		sums[i] += planted[i];
		if (made->nodes[i].parent != PH_NONE)
			sums[made->nodes[i].parent] += sums[i];
	}
	for (uint32_t child = 1; child < made->nodes[node].subtree_end;)
	{
		if (sums[child] >= 0.9 * sums[0])
			child = (node = child) + 1;
		else
			child = made->nodes[child].subtree_end;
	}
	return node;
}

/* How far a unit is behind the slowest one of the program as it was, as a share of the run. */
static double
lag_of(const Case *made, const Plan *plan, uint32_t unit)
{
	double slowest = 0;

	for (uint32_t other = 0; other < made->cube.n_units; other++)
		slowest = fmax(slowest, plan->skew[other]);
	return slowest - plan->skew[unit];
}

/*
 * Divide an effect over the call paths that are marked, by what they cost, on units that are
 * marked. Single units become slower than the slowest one was by that much: the run does.
 */
static void
plant(Case *made, Plan *plan, const bool *on, const bool *units, double effect, double *planted)
{
	bool is_all = memchr(units, false, made->cube.n_units) == NULL;
	double cost = 0;

	for (uint32_t node = 0; node < made->cube.n_nodes; node++)
		cost += on[node] ? plan->base[node] : 0;
	for (uint32_t node = 0; node < made->cube.n_nodes; node++)
	{
		planted[node] = on[node] ? effect * plan->base[node] / cost : 0;
		for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
			if (units[unit])
				plan->plus[node][unit] +=
					planted[node] * (is_all ? 1 : 1 + lag_of(made, plan, unit) / effect);
	}
}

static void
mark_subtree(const Case *made, uint32_t top, PhExplainKind kind, bool *on)
{
	for (uint32_t node = top; node < made->nodes[top].subtree_end; node++)
		on[node] = made->nodes[node].kind == kind;
}

static void
mark_host(Case *made, Plan *plan, bool *units)
{
	uint32_t one = below(&plan->random, made->cube.n_units);

	for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
		units[unit] = strcmp(made->hosts[unit], made->hosts[one]) == 0;
}

/* Call paths, units, shape and cause of one cause. */
static void
describe(Case *made, Plan *plan, Planted planted, bool *on, bool *units, Answer *answer)
{
	uint32_t region = choose_region(made, plan), odd = below(&plan->random, 2);
	uint32_t one = below(&plan->random, made->cube.n_units);

	*answer = (Answer){PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_WORK, 0, 0, {0}};
	memset(units, true, made->cube.n_units);
	memset(on, false, CASE_MAX_NODES);
	mark_subtree(made, region, PH_EXPLAIN_WORK, on);
	switch (planted)
	{
		case PLANTED_SLOW_HOST:
			mark_host(made, plan, units);
			mark_subtree(made, 0, PH_EXPLAIN_WORK, on);
			break;
		case PLANTED_SLOW_RANK:
			if (odd)
				mark_subtree(made, 0, PH_EXPLAIN_WORK, on);
			for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
				units[unit] = unit == one;
			break;
		case PLANTED_SLOW_RANKS:
			for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
				units[unit] = unit % 2 == odd;
			break;
		case PLANTED_LOCK:
			mark_subtree(made, 0, PH_EXPLAIN_WAITING, on);
			answer->cause = PH_CAUSE_MORE_WAITING;
			break;
		case PLANTED_NETWORK:
			mark_subtree(made, plan->loop, PH_EXPLAIN_COMMUNICATION, on);
			answer->cause = PH_CAUSE_SLOWER_COMMUNICATION;
			break;
		case PLANTED_BIGGER_INPUT:
			mark_subtree(made, plan->loop, PH_EXPLAIN_WORK, on);
			answer->cause = PH_CAUSE_MORE_WORK;
			break;
		case PLANTED_MORE_VISITS:
			answer->cause = PH_CAUSE_MORE_WORK;
			break;
		case PLANTED_BAD_ITERATION:
			answer->shape = PH_SHAPE_SOME_ITERATIONS;
			break;
		case PLANTED_SLOW_DEVICE:
			mark_subtree(made, 0, PH_EXPLAIN_DEVICE, on);
			mark_host(made, plan, units);
			answer->cause = PH_CAUSE_SLOWER_DEVICE;
			break;
		case PLANTED_SLOW_IO:
			mark_subtree(made, 0, PH_EXPLAIN_IO, on);
			answer->cause = PH_CAUSE_SLOWER_IO;
			break;
		case PLANTED_SLOW_START:
			memset(on, false, CASE_MAX_NODES);
			on[plan->start] = true;
			answer->shape = PH_SHAPE_START_UP;
			answer->cause = PH_CAUSE_SLOWER_COMMUNICATION;
			break;
		default:
			break;
	}
}

static void
answer_units(const Case *made, const bool *units, Answer *answer)
{
	uint32_t n = 0;

	for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
		if (units[unit])
			answer->places[n++] = unit;
	if (n == made->cube.n_units)
		return;
	answer->n_places = n;
	answer->shape = PH_SHAPE_SOME_UNITS;
}

/* More is done where more work is planted; a bad iteration has all of its effect. */
static void
plant_cause(Case *made, Plan *plan, Planted planted, double effect, Answer *answer)
{
	bool on[CASE_MAX_NODES], units[CASE_MAX_UNITS];
	double amounts[CASE_MAX_NODES];
	uint32_t step = below(&plan->random, CASE_STEPS);

	describe(made, plan, planted, on, units, answer);
	plant(made, plan, on, units, effect, amounts);
	answer->node = holder_of(made, amounts);
	answer_units(made, units, answer);
	for (uint32_t node = 0; node < made->cube.n_nodes; node++)
	{
		if (planted == PLANTED_BAD_ITERATION)
			plan->step_plus[node][step] += amounts[node];
		if (amounts[node] <= 0 || answer->cause != PH_CAUSE_MORE_WORK)
			continue;
		plan->work[node] *= 1 + amounts[node] / plan->base[node];
		if (planted == PLANTED_MORE_VISITS)
			plan->visits[node] *= 1 + amounts[node] / plan->base[node];
	}
	if (planted == PLANTED_BAD_ITERATION)
	{
		answer->n_places = 1;
		answer->places[0] = step;
	}
}

/* ---- the runs ---- */

/* So that the noise of a run's time is the variation that is wanted. */
static double
noise_scale(const Case *made, const Plan *plan, double variation)
{
	double squares = 0;

	for (uint32_t node = 0; node < made->cube.n_nodes; node++)
		squares += plan->base[node] * plan->base[node];
	return variation / sqrt(OF_RUN * OF_RUN +
							squares * (OF_PATH * OF_PATH + OF_RANK * OF_RANK / made->cube.n_units));
}

static double *
cell(const Case *made, const double *values, uint32_t run, uint32_t node, uint32_t unit)
{
	return (double *) values + ph_explain_cell(&made->cube, run, node, unit);
}

static void
fill_times(Case *made, Plan *plan, double scale)
{
	double of_run[CASE_RUNS], of_path[CASE_RUNS];

	draw_series(&plan->random, of_run);
	for (uint32_t node = 0; node < made->cube.n_nodes; node++)
	{
		draw_series(&plan->random, of_path);
		for (uint32_t run = 0; run < CASE_RUNS; run++)
			for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
			{
				double time = plan->base[node] * plan->skew[unit] +
							  (made->is_after[run] ? plan->plus[node][unit] : 0);
				double noise = OF_RUN * of_run[run] + OF_PATH * of_path[run] +
							   OF_RANK * long_tailed(&plan->random);

				*cell(made, made->cube.time, run, node, unit) =
					100 * time * fmax(1 + scale * noise, 0.3);
			}
	}
}

/* Who has done his work waits in MPI_Allreduce for the slowest. */
static void
fill_waits(Case *made, const Plan *plan)
{
	for (uint32_t run = 0; run < CASE_RUNS; run++)
	{
		double work[CASE_MAX_UNITS] = {0}, slowest = 0;

		for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
		{
			for (uint32_t node = 0; node < made->cube.n_nodes; node++)
				work[unit] += *cell(made, made->cube.time, run, node, unit);
			slowest = fmax(slowest, work[unit]);
		}
		for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
			*cell(made, made->cube.time, run, plan->allreduce, unit) += slowest - work[unit];
	}
}

/* Instructions do not wobble much, bytes and visits not at all. */
static void
fill_work(Case *made, Plan *plan)
{
	for (uint32_t run = 0; run < CASE_RUNS; run++)
		for (uint32_t node = 0; node < made->cube.n_nodes; node++)
			for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
			{
				double more = made->is_after[run] ? plan->work[node] : 1;
				double calls = made->is_after[run] ? plan->visits[node] : 1;
				uint8_t kind = made->nodes[node].kind;

				*cell(made, made->cube.work[PH_WORK_INSTRUCTIONS], run, node, unit) =
					plan->base[node] * plan->skew[unit] * more * 2e11 *
					(1 + 0.001 * normal(&plan->random));
				*cell(made, made->cube.work[PH_WORK_BYTES], run, node, unit) =
					kind == PH_EXPLAIN_COMMUNICATION || kind == PH_EXPLAIN_IO ? 1e6 * more : 0;
				*cell(made, made->cube.work[PH_WORK_VISITS], run, node, unit) =
					floor(CASE_STEPS * 10 * calls);
			}
}

/* Means over ranks, divided over the iterations with noise of their own. */
static void
fill_steps(Case *made, Plan *plan, double scale)
{
	double *at = (double *) made->cube.step_time;

	for (uint32_t run = 0; run < CASE_RUNS; run++)
		for (uint32_t node = 0; node < made->cube.n_nodes; node++, at += CASE_STEPS)
		{
			double mean = 0, planted = 0, weights[CASE_STEPS], sum = 0;

			for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
				mean += *cell(made, made->cube.time, run, node, unit) / made->cube.n_units;
			for (uint32_t step = 0; step < CASE_STEPS; step++)
			{
				planted += made->is_after[run] ? 100 * plan->step_plus[node][step] : 0;
				weights[step] = plan->step_share[node][step] *
								fmax(1 + scale * OF_RANK * long_tailed(&plan->random), 0.3);
				sum += weights[step];
			}
			planted = fmin(planted, mean);
			for (uint32_t step = 0; sum > 0 && step < CASE_STEPS; step++)
			{
				bool is_bad = made->is_after[run] && plan->step_plus[node][step] > 0;

				at[step] = (mean - planted) * weights[step] / sum + (is_bad ? planted : 0);
			}
		}
}

static void
make_room(Case *made)
{
	size_t cells = (size_t) CASE_RUNS * made->cube.n_nodes * made->cube.n_units;
	size_t steps = (size_t) CASE_RUNS * made->cube.n_nodes * CASE_STEPS;

	made->numbers = calloc(4 * cells + steps, sizeof(double));
	if (made->numbers == NULL)
	{
		fprintf(stderr, "causes: out of memory\n");
		exit(1);
	}
	made->cube.time = made->numbers;
	for (int work = 0; work < PH_WORK_COUNT; work++)
		made->cube.work[work] = made->numbers + (size_t) (work + 1) * cells;
	made->cube.step_time = made->numbers + 4 * cells;
}

static void
begin(Case *made, Plan *plan)
{
	made->cube = (PhExplainCube){.nodes = made->nodes,
								 .units = made->units,
								 .n_runs = CASE_RUNS,
								 .is_after = made->is_after,
								 .n_steps = CASE_STEPS,
								 .steps = made->steps};
	for (uint32_t run = 0; run < CASE_RUNS; run++)
		made->is_after[run] = run >= CASE_RUNS / 2;
	for (uint32_t step = 0; step < CASE_STEPS; step++)
		made->steps[step] = step;
	add_machine(made, plan);
	add_program(made, plan);
	close_tree(made);
	scale_program(made, plan);
	make_room(made);
}

/* Another one, whose effect is not on top of the first's. */
static Planted
choose_second(Plan *plan, Planted first)
{
	Planted second;

	do
		second = 1 + below(&plan->random, PLANTED_COUNT - 1);
	while (second == first);
	return second;
}

void
case_make(uint64_t seed, Planted planted, bool has_second, double variation, Case *out)
{
	Plan *plan = calloc(1, sizeof(*plan));
	double scale, size;
	Answer other;

	if (plan == NULL)
		exit(1);
	*out = (Case){.planted = planted, .second = PLANTED_NOTHING};
	plan->random.state = seed * 0x2545F4914F6CDD1D + 1;
	begin(out, plan);
	scale = noise_scale(out, plan, variation);
	out->effect = fmax(LEAST_EFFECT, LEAST_OF_NOISE * variation) * (1 + uniform(&plan->random));
	size = out->effect * (0.3 + 0.2 * uniform(&plan->random));
	if (planted != PLANTED_NOTHING)
		plant_cause(out, plan, planted, out->effect, &out->answer);
	if (planted != PLANTED_NOTHING && has_second)
	{
		out->second = choose_second(plan, planted);
		plant_cause(out, plan, out->second, size, &other);
	}
	fill_times(out, plan, scale);
	fill_waits(out, plan);
	fill_work(out, plan);
	fill_steps(out, plan, scale);
	free(plan);
}

void
case_free(Case *made)
{
	free(made->numbers);
	made->numbers = NULL;
}

const char *
planted_name(Planted planted)
{
	static const char *const names[PLANTED_COUNT] = {
		"nothing",	   "slow host", "slow rank",	"slow ranks",  "slow region",
		"lock",		   "network",	"bigger input", "more visits", "bad iteration",
		"slow device", "slow I/O",	"slow start"};
	return names[planted];
}
