/*
 * ask.c - a setup's runs as profiles, explained by perfhouse; answers and what is true as JSON.
 *
 * Profiles are made by the builder that the readers of files use, and explained by what
 * explain_profiles calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "ask.h"

#include "explain/from_profiles.h"
#include "explain/sentence.h"
#include "profile/builder.h"

#define N_RUNS (2 * RUNS_A_SIDE)
#define MOST_METRICS 4

/* ---- profiles ---- */

/* The metrics of a run that are recorded. */
static uint32_t
list_metrics(const Setup *setup, const Run *run, const char **names, const double **values)
{
	const Program *program = setup->program;
	uint32_t n = 0;

	names[n] = "time";
	values[n++] = run->time;
	if (setup->is_sampled)
		return n;
	if (program->has_visits)
	{
		names[n] = "visits";
		values[n++] = run->visits;
	}
	if (program->has_instructions)
	{
		names[n] = "PAPI_TOT_INS";
		values[n++] = run->instructions;
	}
	if (program->has_bytes)
	{
		names[n] = "bytes_sent";
		values[n++] = run->bytes;
	}
	return n;
}

static void
host_name(const Setup *setup, uint32_t unit, bool is_first_side, char out[16])
{
	uint32_t host = host_of_rank(setup, unit / setup->n_threads);

	snprintf(out, 16, "node%03u", host + (setup->moves && is_first_side ? 300 : 100));
}

static PhStatus
add_nodes(PhProfileBuilder *builder, const Program *program, uint32_t *nodes)
{
	for (uint32_t i = 0; i < program->n_nodes; i++)
	{
		const ProgramNode *what = &program->nodes[i];
		uint32_t parent = node_parent(program, i), region;
		PhRegionSpec spec = {.name = what->name, .paradigm = what->paradigm, .line = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_region(builder, &spec, &region));
		PH_TRY(ph_builder_child(builder, parent == PH_NONE ? PH_NONE : nodes[parent], region,
								&nodes[i]));
	}
	return PH_OK;
}

static PhStatus
add_metrics(PhProfileBuilder *builder, uint32_t n, const char *const *names)
{
	for (uint32_t metric = 0; metric < n; metric++)
	{
		PhMetricSpec spec = {.name = names[metric], .unit = metric == 0 ? "s" : ""};
		uint32_t number;
		spec.kind = PH_METRIC_FLOW;
		spec.given = PH_GIVEN_EXCLUSIVE;
		PH_TRY(ph_builder_add_metric(builder, &spec, &number));
	}
	return PH_OK;
}

static PhStatus
add_column(PhProfileBuilder *builder, const Setup *setup, uint32_t slot, uint32_t unit,
		   bool is_first_side, uint32_t *out)
{
	char host[16];
	PhColumnSpec spec = {.iteration = slot == 0 ? PH_NO_ITERATION : slot - 1, .host = host};

	host_name(setup, unit, is_first_side, host);
	spec.rank = (int32_t) (unit / setup->n_threads);
	spec.thread = setup->n_threads > 1 ? (int32_t) (unit % setup->n_threads) : PH_NO_NUMBER;
	return ph_builder_add_column(builder, &spec, out);
}

static PhStatus
add_values(PhProfileBuilder *builder, const Setup *setup, const Run *run, bool is_first_side,
		   const uint32_t *nodes)
{
	const char *names[MOST_METRICS];
	const double *values[MOST_METRICS];
	uint32_t n_metrics = list_metrics(setup, run, names, values), column;

	PH_TRY(add_metrics(builder, n_metrics, names));
	for (uint32_t slot = 0; slot < run->n_slots; slot++)
		for (uint32_t unit = 0; unit < setup->n_units; unit++)
		{
			PH_TRY(add_column(builder, setup, slot, unit, is_first_side, &column));
			for (uint32_t node = 0; node < setup->program->n_nodes; node++)
			{
				size_t cell = run_cell(setup, slot, node, unit);
				if (run->time[cell] == 0)
					continue;
				for (uint32_t metric = 0; metric < n_metrics; metric++)
					PH_TRY(ph_builder_add_value(builder, metric, nodes[node], column,
												PH_COST_EXCLUSIVE, values[metric][cell]));
			}
		}
	return PH_OK;
}

static PhStatus
make_profile(PhEnv *env, const Setup *setup, const Run *run, bool is_first_side, PhProfile **out)
{
	uint32_t nodes[MOST_NODES];
	PhProfileBuilder *builder;
	PhStatus status;

	PH_TRY(ph_builder_new(env, &builder));
	status = add_nodes(builder, setup->program, nodes);
	if (status == PH_OK)
		status = add_values(builder, setup, run, is_first_side, nodes);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}

/* ---- answers ---- */

static void
write_units(const PhExplainCube *cube, const PhFinding *finding, FILE *out)
{
	fputs(finding->n_places == 0 ? "null" : "[", out);
	for (uint32_t i = 0; i < finding->n_places; i++)
	{
		uint32_t place = finding->places[i];
		fputs(i == 0 ? "" : ", ", out);
		if (finding->shape == PH_SHAPE_SOME_ITERATIONS)
			fprintf(out, "\"%lld\"", (long long) cube->steps[place]);
		else if (cube->units[place].thread < 0)
			fprintf(out, "\"%d\"", cube->units[place].rank);
		else
			fprintf(out, "\"%d.%d\"", cube->units[place].rank, cube->units[place].thread);
	}
	fputs(finding->n_places == 0 ? "" : "]", out);
}

static PhStatus
write_answer(PhArena *arena, const PhExplainCube *cube, const PhExplained *explained,
			 uint32_t number, FILE *out)
{
	fprintf(out, "{\"case\": %u, \"findings\": [", number);
	for (uint32_t i = 0; i < explained->n_findings; i++)
	{
		const PhFinding *finding = &explained->findings[i];
		char *path;
		PH_TRY(ph_finding_path(arena, cube, finding->node, &path));
		fprintf(out, "%s{\"shape\": \"%s\", \"cause\": \"%s\", \"path\": \"%s\", \"units\": ",
				i == 0 ? "" : ", ", ph_shape_name(finding->shape),
				ph_cause_name(finding->cause, finding->effect < 0), path);
		write_units(cube, finding, out);
		fprintf(out, ", \"share\": %.4f}", finding->share);
	}
	fputs("]}\n", out);
	return PH_OK;
}

PhStatus
answer_case(PhArena *arena, const Setup *setup, uint32_t number, const Run *runs, FILE *out)
{
	PhProfile *profiles[N_RUNS] = {NULL};
	bool is_after[N_RUNS];
	PhExplainCube cube;
	PhExplained explained;
	PhStatus status = PH_OK;

	for (uint32_t run = 0; run < N_RUNS && status == PH_OK; run++)
	{
		is_after[run] = run >= RUNS_A_SIDE;
		status = make_profile(arena->env, setup, &runs[run], !is_after[run], &profiles[run]);
	}
	if (status == PH_OK)
		status =
			ph_explain_cube(arena, N_RUNS, (const PhProfile *const *) profiles, is_after, &cube);
	if (status == PH_OK)
		status = ph_explain(arena, &cube, 0.02, &explained);
	if (status == PH_OK)
		status = write_answer(arena, &cube, &explained, number, out);
	for (uint32_t run = 0; run < N_RUNS; run++)
		ph_profile_free(arena->env, profiles[run]);
	return status;
}

/* ---- what is true ---- */

static void
write_path(const Program *program, uint32_t node, FILE *out)
{
	uint32_t chain[MOST_NODES], n = 0;

	for (; node != PH_NONE; node = node_parent(program, node))
		chain[n++] = node;
	while (n > 0)
	{
		fputs(program->nodes[chain[--n]].name, out);
		fputs(n > 0 ? "/" : "", out);
	}
}

static const char *
true_shape(const Plant *plant)
{
	if (plant->by_unit != NULL)
		return "some units";
	if (plant->kind == BAD_ITERATION)
		return "some iterations";
	return plant->kind == SLOW_START_UP ? "start-up" : "uniform";
}

/* What is recorded decides what can be known: without counters nobody knows why work takes longer.
 */
static const char *
true_cause(const Setup *setup, const Plant *plant, bool is_faster)
{
	switch (plant->kind)
	{
		case LOCK_CONTENTION:
			return is_faster ? "less waiting" : "more waiting";
		case SLOW_NETWORK:
		case SLOW_START_UP:
			return is_faster ? "faster communication" : "slower communication";
		case THROTTLED_GPU:
			return is_faster ? "faster device" : "slower device";
		case SLOW_FILES:
			return is_faster ? "faster input/output" : "slower input/output";
		default:
			break;
	}
	if (setup->is_sampled)
		return "unknown";
	if (plant->is_work)
		return is_faster ? "less work" : "more work";
	return is_faster ? "faster work" : "slower work";
}

static void
write_true_units(const Setup *setup, const Plant *plant, FILE *out)
{
	bool is_first = true;

	if (plant->by_unit == NULL && plant->n_iterations == 0)
	{
		fputs("null", out);
		return;
	}
	for (uint32_t i = 0; i < plant->n_iterations; i++)
		fprintf(out, "%s\"%u\"", i == 0 ? "[" : ", ", plant->first_iteration + i);
	for (uint32_t unit = 0; plant->by_unit != NULL && unit < setup->n_units; unit++)
		if (plant->by_unit[unit] > 0)
		{
			fprintf(out, "%s\"%u", is_first ? "[" : ", ", unit / setup->n_threads);
			if (setup->n_threads > 1)
				fprintf(out, ".%u", unit % setup->n_threads);
			fputs("\"", out);
			is_first = false;
		}
	fputs("]", out);
}

static PhStatus
write_plant(PhArena *arena, const Setup *setup, const Plant *plant, FILE *out)
{
	bool is_faster = plant->in_before != setup->is_reversed;
	uint32_t node;

	PH_TRY(planted_path(arena, setup, plant, &node));
	fprintf(out, "{\"planted\": \"%s\", \"shape\": \"%s\", \"cause\": \"%s\", \"paths\": [",
			plant_names[plant->kind], true_shape(plant), true_cause(setup, plant, is_faster));
	for (int up = 0; up < 3 && node != PH_NONE; up++, node = node_parent(setup->program, node))
	{
		fputs(up == 0 ? "\"" : ", \"", out);
		write_path(setup->program, node, out);
		fputs("\"", out);
	}
	fputs("], \"units\": ", out);
	write_true_units(setup, plant, out);
	fprintf(out, ", \"share\": %.4f}", is_faster ? -plant->effect : plant->effect);
	return PH_OK;
}

PhStatus
write_truth(PhArena *arena, const Setup *setup, uint32_t number, FILE *out)
{
	fprintf(out, "{\"case\": %u, \"program\": \"%s\", \"variation\": %.0f, ", number,
			setup->program->name, 100 * setup->variation);
	fprintf(out, "\"ranks\": %u, \"threads\": %u, \"hosts\": %u, \"iterations\": %u, ",
			setup->n_ranks, setup->n_threads, setup->n_hosts, setup->n_iterations);
	fputs("\"planted\": [", out);
	for (uint32_t i = 0; i < setup->n_plants; i++)
	{
		fputs(i == 0 ? "" : ", ", out);
		PH_TRY(write_plant(arena, setup, &setup->plants[i], out));
	}
	fputs("]}\n", out);
	return PH_OK;
}

/* ---- files for other tools ---- */

static void
write_cells(const Setup *setup, const Run *run, uint32_t slot, uint32_t node, bool is_first_side,
			FILE *out)
{
	const char *names[MOST_METRICS];
	const double *values[MOST_METRICS];
	uint32_t n_metrics = list_metrics(setup, run, names, values);
	char host[16];

	for (uint32_t unit = 0; unit < setup->n_units; unit++)
	{
		size_t cell = run_cell(setup, slot, node, unit);
		if (run->time[cell] == 0)
			continue;
		host_name(setup, unit, is_first_side, host);
		write_path(setup->program, node, out);
		fprintf(out, ",%u,%u,%s,", unit / setup->n_threads, unit % setup->n_threads, host);
		if (slot > 0)
			fprintf(out, "%u", slot - 1);
		for (uint32_t metric = 0; metric < n_metrics; metric++)
			fprintf(out, ",%.9g", values[metric][cell]);
		fputs("\n", out);
	}
}

PhStatus
write_run(PhArena *arena, const Setup *setup, const Run *run, bool is_first_side, FILE *out)
{
	const char *names[MOST_METRICS];
	const double *values[MOST_METRICS];
	uint32_t n_metrics = list_metrics(setup, run, names, values);

	fputs("path,rank,thread,host,iteration", out);
	for (uint32_t metric = 0; metric < n_metrics; metric++)
		fprintf(out, ",%s", names[metric]);
	fputs("\n", out);
	for (uint32_t slot = 0; slot < run->n_slots; slot++)
		for (uint32_t node = 0; node < setup->program->n_nodes; node++)
			write_cells(setup, run, slot, node, is_first_side, out);
	return ferror(out) ? ph_fail(arena->env, PH_ERR_VALUE, "cannot write") : PH_OK;
}
