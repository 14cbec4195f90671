/*
 * simulate.c - bulk-synchronous programs, executed function by function with a clock for each unit.
 *
 * Functions run in the order of the tree, those of the loop once an iteration (once altogether
 * where iterations are not recorded). Calls that synchronise wait for those whom they need:
 * neighbours, all ranks, the team. Disturbances are of runs, the network, files, parts of the
 * program and hosts (these last for several runs, AR(1)), of ranks, iterations and single cells,
 * and pauses that hit one rank of one run in seven.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "simulate.h"

#include <math.h>
#include <string.h>

#define N_RUNS (2 * RUNS_A_SIDE)
#define SECONDS 100.0 /* that an undisturbed run takes, about */
#define N_FIT 40	  /* runs of a side that say how far they vary */
#define FIT_STEPS 8	  /* of a strength, to 0.4 % of it */
#define INSTRUCTIONS_A_SECOND 2.5e9
#define SPIN 0.7 /* instructions of those who wait, as a share of those who compute */
#define PAUSES (1.0 / 7)

/* Disturbances of a number of runs, each with standard deviation 1. */
typedef struct Weather
{
	uint32_t n_runs;
	double *run, *network, *files; /* [run] */
	double *group;				   /* [node][run], equal below a child of the loop */
	double *host;				   /* [host][run] */
	double *rank;				   /* [rank][run] */
} Weather;

/* A program in execution. */
typedef struct Machine
{
	const Setup *setup;
	const Weather *weather; /* NULL: no disturbance */
	const Plant *plants;
	uint32_t n_plants;
	Random random;
	uint32_t run;
	bool is_before;
	uint32_t n_passes;
	double pass_noise;
	double *clock; /* [unit] */
	double *ready; /* [unit]: when it begins to wait */
	Run *out;
} Machine;

/* ---- disturbances ---- */

static PhStatus
make_weather(PhArena *arena, const Setup *setup, uint32_t n_runs, bool is_independent,
			 Random *random, Weather *out)
{
	uint32_t n_nodes = setup->program->n_nodes;
	uint32_t n_series = 3 + n_nodes + setup->n_hosts + setup->n_ranks;
	double *all;

	PH_TRY(PH_NEW(arena, (size_t) n_series * n_runs, &all));
	for (uint32_t i = 0; i < n_series; i++)
		if (is_independent || i >= n_series - setup->n_ranks)
			for (uint32_t run = 0; run < n_runs; run++)
				all[i * n_runs + run] = random_heavy(random);
		else
			random_series(random, n_runs, all + i * n_runs);
	*out = (Weather){.n_runs = n_runs, .run = all, .network = all + n_runs};
	out->files = all + 2 * n_runs;
	out->group = all + 3 * n_runs;
	out->host = out->group + n_nodes * n_runs;
	out->rank = out->host + setup->n_hosts * n_runs;
	return PH_OK;
}

/* The child of the loop, or of the root, that a function is below. */
static uint32_t
group_of(const Setup *setup, uint32_t node)
{
	const ProgramNode *nodes = setup->program->nodes;
	uint8_t depth =
		node > setup->loop && node < setup->loop_end ? (uint8_t) (nodes[setup->loop].depth + 1) : 1;

	while (nodes[node].depth > depth)
		node--;
	return node;
}

static double
role_noise(const Machine *machine, uint32_t node)
{
	const Weather *weather = machine->weather;
	Role role = machine->setup->program->nodes[node].role;

	if (role == POST || role == NEIGHBOURS || role == ALL || role == LOCK)
		return weather->network[machine->run];
	if (role == FILES || role == START || role == END)
		return 2 * weather->files[machine->run];
	return 0;
}

/* By how much a call takes longer than it should. */
static double
disturbance(Machine *machine, uint32_t node, uint32_t unit)
{
	const Setup *setup = machine->setup;
	const Weather *weather = machine->weather;
	uint32_t rank = unit / setup->n_threads, n = weather == NULL ? 0 : weather->n_runs;
	double sum, cell;

	if (weather == NULL)
		return 1;
	cell = random_normal(&machine->random) * (random_chance(&machine->random, 0.02) ? 4 : 1);
	sum = 0.8 * weather->run[machine->run] + machine->pass_noise + 0.35 * cell +
		  0.4 * weather->group[group_of(setup, node) * n + machine->run] +
		  0.3 * weather->host[host_of_rank(setup, rank) * n + machine->run] +
		  0.2 * weather->rank[rank * n + machine->run] + role_noise(machine, node);
	return exp(setup->amplitude * sum);
}

/* ---- one call ---- */

/* By which share plants make a call longer: kinds that do the same slower, or that do more. */
static double
planted(const Machine *machine, uint32_t node, uint32_t unit, uint32_t pass, bool is_work)
{
	double sum = 0;

	for (uint32_t i = 0; i < machine->n_plants; i++)
	{
		const Plant *plant = &machine->plants[i];
		Role role = machine->setup->program->nodes[node].role;
		double share = plant->strength;

		if (plant->is_work != is_work || plant->in_before != machine->is_before ||
			!plant_is_on(machine->setup, plant, node))
			continue;
		if (plant->n_iterations > 0 &&
			(pass < plant->first_iteration || pass >= plant->first_iteration + plant->n_iterations))
			continue;
		/* of a larger domain the surface is exchanged; of more steps everything is */
		if (plant->kind == BIGGER_INPUT && machine->setup->program->has_instructions &&
			(role == POST || role == NEIGHBOURS || role == ALL))
			share = pow(1 + share, 2.0 / 3) - 1;
		sum += plant->by_unit == NULL ? share : share * plant->by_unit[unit];
	}
	return sum;
}

static double
own_share(const Setup *setup, uint32_t node, uint32_t unit)
{
	const ProgramNode *what = &setup->program->nodes[node];

	if (what->role == WORK || what->role == DEVICE)
		return setup->imbalance[node * setup->n_ranks + unit / setup->n_threads];
	return 1;
}

/* Note what a call took and did; waiting is part of it. */
static void
note_call(Machine *machine, uint32_t slot, uint32_t node, uint32_t unit, double seconds,
		  double waited, double more)
{
	const Setup *setup = machine->setup;
	const ProgramNode *what = &setup->program->nodes[node];
	size_t cell = run_cell(setup, slot, node, unit);
	Run *out = machine->out;
	bool grows = more > 0 && (what->counts_items || !setup->program->has_instructions);
	double share = setup->weight[node] / machine->n_passes * own_share(setup, node, unit);
	double wobble = machine->weather == NULL ? 0 : 5e-4 * random_normal(&machine->random);
	double calls = what->counts_items ? 2e4 * share : 500.0 / machine->n_passes;

	out->time[cell] += seconds + waited;
	out->visits[cell] += ceil(calls * (grows ? 1 + more : 1));
	out->bytes[cell] += what->role == FRAME || what->role == WORK ? 0 : 1e8 * share * (1 + more);
	if (what->role == WORK || what->role == FRAME)
		out->instructions[cell] += INSTRUCTIONS_A_SECOND * share * (1 + more) * (1 + wobble);
	else
		out->instructions[cell] +=
			INSTRUCTIONS_A_SECOND * (seconds + waited) * (what->role == FILES ? 0.02 : SPIN);
}

/* Until when a unit waits that is ready: for those whom its call needs. */
static double
wait_until(const Machine *machine, Role role, uint32_t unit, double latest)
{
	const Setup *setup = machine->setup;
	uint32_t n = setup->n_threads, rank = unit / n;
	double until = machine->ready[unit];

	if (role == ALL || role == END)
		return latest;
	if (role == NEIGHBOURS)
		for (uint32_t i = 0; i < 4; i++)
		{
			static const int32_t steps[] = {-4, -1, 1, 4};
			uint32_t other = (rank + setup->n_ranks + (uint32_t) steps[i]) % setup->n_ranks;
			until = fmax(until, machine->ready[other * n]);
		}
	if (role == TEAM)
		for (uint32_t thread = 0; thread < n; thread++)
			until = fmax(until, machine->ready[rank * n + thread]);
	return until;
}

/* Threads begin a parallel region with the first one. */
static void
fork_threads(Machine *machine, uint32_t node)
{
	const Setup *setup = machine->setup;
	uint32_t parent = node_parent(setup->program, node);

	if (!setup->program->nodes[node].threaded || setup->program->nodes[parent].threaded)
		return;
	for (uint32_t unit = 0; unit < setup->n_units; unit++)
		machine->clock[unit] = machine->clock[unit / setup->n_threads * setup->n_threads];
}

/* A function on all units that execute it. */
static void
execute_node(Machine *machine, uint32_t node, uint32_t pass, uint32_t slot)
{
	const Setup *setup = machine->setup;
	const ProgramNode *what = &setup->program->nodes[node];
	uint32_t step = what->threaded ? 1 : setup->n_threads;
	bool in_loop = node >= setup->loop && node < setup->loop_end;
	double base = SECONDS / 100 * setup->weight[node] / (in_loop ? machine->n_passes : 1);
	double latest = 0;

	fork_threads(machine, node);
	memcpy(machine->ready, machine->clock, setup->n_units * sizeof(*machine->ready));
	for (uint32_t unit = 0; unit < setup->n_units; unit += step)
		latest = fmax(latest, machine->ready[unit]);
	for (uint32_t unit = 0; unit < setup->n_units; unit += step)
	{
		double more = planted(machine, node, unit, pass, true);
		double slower = planted(machine, node, unit, pass, false);
		double seconds = base * own_share(setup, node, unit) * (1 + more) * (1 + slower) *
						 disturbance(machine, node, unit);
		double until = wait_until(machine, what->role, unit, latest);
		note_call(machine, slot, node, unit, seconds, until - machine->ready[unit], more);
		machine->clock[unit] = until + seconds;
	}
}

/* ---- a run ---- */

/* Something else had the processor for a while. */
static void
pause_somewhere(Machine *machine, uint32_t slot)
{
	const Setup *setup = machine->setup;
	Random *random = &machine->random;
	uint32_t unit, node;
	double seconds;

	if (machine->weather == NULL || !random_chance(random, PAUSES / machine->n_passes))
		return;
	unit = random_below(random, setup->n_ranks) * setup->n_threads;
	do
		node = setup->loop + random_below(random, setup->loop_end - setup->loop);
	while (setup->program->nodes[node].role != WORK);
	seconds = SECONDS * setup->amplitude * random_between(random, 0.2, 1.5);
	machine->out->time[run_cell(setup, slot, node, unit)] += seconds;
	machine->clock[unit] += seconds;
}

static void
execute_pass(Machine *machine, uint32_t pass)
{
	const Setup *setup = machine->setup;
	uint32_t slot = setup->n_iterations == 0 ? 0 : pass + 1;

	machine->pass_noise = setup->n_iterations == 0 || machine->weather == NULL
							  ? 0
							  : 0.5 * random_heavy(&machine->random);
	pause_somewhere(machine, slot);
	for (uint32_t node = setup->loop; node < setup->loop_end; node++)
		execute_node(machine, node, pass, slot);
	machine->pass_noise = 0;
}

static PhStatus
execute_run(PhArena *arena, Machine *machine, Run *out)
{
	const Setup *setup = machine->setup;
	size_t n_cells;

	*out = (Run){.n_slots = setup->n_iterations + 1};
	n_cells = run_cell(setup, out->n_slots, 0, 0);
	PH_TRY(PH_NEW(arena, n_cells, &out->time));
	PH_TRY(PH_NEW(arena, n_cells, &out->instructions));
	PH_TRY(PH_NEW(arena, n_cells, &out->visits));
	PH_TRY(PH_NEW(arena, n_cells, &out->bytes));
	PH_TRY(PH_NEW(arena, setup->n_units, &machine->clock));
	PH_TRY(PH_NEW(arena, setup->n_units, &machine->ready));
	machine->out = out;
	machine->n_passes = setup->n_iterations == 0 ? 1 : setup->n_iterations;
	for (uint32_t node = 0; node < setup->loop; node++)
		execute_node(machine, node, 0, 0);
	for (uint32_t pass = 0; pass < machine->n_passes; pass++)
		execute_pass(machine, pass);
	for (uint32_t node = setup->loop_end; node < setup->program->n_nodes; node++)
		execute_node(machine, node, 0, 0);
	for (uint32_t unit = 0; unit < setup->n_units; unit++)
		out->elapsed = fmax(out->elapsed, machine->clock[unit]);
	return PH_OK;
}

PhStatus
simulate_runs(PhArena *arena, const Setup *setup, Run **out)
{
	Random random = random_of(setup->seed, 1);
	Weather weather;
	Run *runs;

	PH_TRY(make_weather(arena, setup, N_RUNS, false, &random, &weather));
	PH_TRY(PH_NEW(arena, N_RUNS, &runs));
	for (uint32_t run = 0; run < N_RUNS; run++)
	{
		Machine machine = {
			.setup = setup, .weather = &weather, .plants = setup->plants, .run = run};
		machine.n_plants = setup->n_plants;
		machine.random = random_of(setup->seed, 100 + run);
		machine.is_before = (run < RUNS_A_SIDE) != setup->is_reversed;
		PH_TRY(execute_run(arena, &machine, &runs[run]));
	}
	*out = runs;
	return PH_OK;
}

/* ---- fitting ---- */

/* How long a run takes that nothing disturbs, with one plant or none. */
static PhStatus
elapsed_with(PhEnv *env, const Setup *setup, const Plant *plant, double *out)
{
	Machine machine = {.setup = setup, .plants = plant, .n_plants = plant != NULL};
	PhArena arena;
	PhStatus status;
	Run run;

	machine.is_before = plant != NULL && plant->in_before;
	ph_arena_init(&arena, env);
	status = execute_run(&arena, &machine, &run);
	if (status == PH_OK)
		*out = run.elapsed;
	ph_arena_drop(&arena);
	return status;
}

/* The effect grows with the strength: doubled until it is enough, then bisected. */
static PhStatus
fit_plant(PhEnv *env, const Setup *setup, Plant *plant)
{
	double least = 0, most = 1, without, with;

	PH_TRY(elapsed_with(env, setup, NULL, &without));
	for (plant->strength = most;; plant->strength = most *= 2)
	{
		PH_TRY(elapsed_with(env, setup, plant, &with));
		if (with / without - 1 >= plant->effect)
			break;
		least = most;
	}
	for (int i = 0; i < FIT_STEPS; i++)
	{
		plant->strength = (least + most) / 2;
		PH_TRY(elapsed_with(env, setup, plant, &with));
		if (with / without - 1 >= plant->effect)
			most = plant->strength;
		else
			least = plant->strength;
	}
	return PH_OK;
}

/* Relative variance of the times of runs of one side that know nothing of each other. */
static PhStatus
measure_variance(PhArena *arena, const Setup *setup, bool is_before, double *out)
{
	Random random = random_of(setup->seed, 2);
	Weather weather;
	double sum = 0, squares = 0;

	PH_TRY(make_weather(arena, setup, N_FIT, true, &random, &weather));
	for (uint32_t i = 0; i < N_FIT; i++)
	{
		Machine machine = {.setup = setup, .weather = &weather, .run = i};
		Run run;
		machine.plants = setup->plants;
		machine.n_plants = setup->n_plants;
		machine.is_before = is_before;
		machine.random = random_of(setup->seed, 1000 + i);
		PH_TRY(execute_run(arena, &machine, &run));
		sum += run.elapsed;
		squares += run.elapsed * run.elapsed;
	}
	*out = (squares - sum * sum / N_FIT) / (N_FIT - 1) / (sum / N_FIT) / (sum / N_FIT);
	return PH_OK;
}

/* What is planted may scatter more than the rest: the mean of both sides is to vary as it should.
 */
static PhStatus
fit_amplitude(PhEnv *env, Setup *setup)
{
	double variances[2] = {0, 0};
	PhArena temporary;

	for (int side = 0; side < 2; side++)
	{
		PhStatus status;
		ph_arena_init(&temporary, env);
		status = measure_variance(&temporary, setup, side == 0, &variances[side]);
		ph_arena_drop(&temporary);
		PH_TRY(status);
	}
	setup->amplitude *= setup->variation / sqrt((variances[0] + variances[1]) / 2);
	return PH_OK;
}

PhStatus
fit_setup(PhArena *arena, Setup *setup)
{
	setup->amplitude = setup->variation;
	for (uint32_t i = 0; i < setup->n_plants; i++)
		PH_TRY(fit_plant(arena->env, setup, &setup->plants[i]));
	return fit_amplitude(arena->env, setup);
}

/* ---- what is true ---- */

PhStatus
planted_path(PhArena *arena, const Setup *setup, const Plant *plant, uint32_t *out)
{
	const Program *program = setup->program;
	uint32_t node = 0, next = 0;
	double *excess, total;
	Machine machine = {.setup = setup, .plants = plant, .n_plants = 1};

	machine.is_before = plant->in_before;
	machine.n_passes = setup->n_iterations == 0 ? 1 : setup->n_iterations;
	PH_TRY(PH_NEW(arena, program->n_nodes, &excess));
	for (uint32_t i = program->n_nodes; i-- > 0;)
	{
		uint32_t parent = node_parent(program, i);
		uint32_t step = program->nodes[i].threaded ? 1 : setup->n_threads;
		for (uint32_t unit = 0; unit < setup->n_units; unit += step)
			for (uint32_t pass = 0; pass < machine.n_passes; pass++)
				excess[i] += setup->weight[i] * own_share(setup, i, unit) / machine.n_passes *
							 (planted(&machine, i, unit, pass, true) +
							  planted(&machine, i, unit, pass, false));
		if (parent != PH_NONE)
			excess[parent] += excess[i];
	}
	for (total = excess[0]; next != PH_NONE; node = next == PH_NONE ? node : next)
	{
		next = PH_NONE;
		for (uint32_t i = node + 1; i < subtree_end(program, node); i++)
			if (node_parent(program, i) == node && excess[i] >= 0.9 * total)
				next = i;
	}
	*out = node;
	return PH_OK;
}
