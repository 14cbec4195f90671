/*
 * read_runs.c - profiles from files, as they would be stored, without a warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/read_runs.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/min_max.h"
#include "pipeline/source_units.h"
#include "pipeline/trace/profile.h"
#include "profile/ops.h"
#include "readers/completeness.h"

#define MOST_THREADS 8 /* that read a trace */

static uint32_t
usual_threads(const PhTraceSource *source)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n = processors < 1 ? 1 : (uint32_t) processors;

	n = PH_MIN(n, source->model.n_locations);
	return n == 0 ? 1 : PH_MIN(n, MOST_THREADS);
}

static PhStatus
make_trace_profile(PhEnv *env, PhTraceRead *read, const PhReadOptions *options, PhRunInput *input)
{
	PhTraceRegions regions;
	uint64_t *region_ids;
	PhStatus status;
	PhArena arena;

	ph_arena_init(&arena, env);
	status = ph_trace_read_match(read, input->trace);
	if (status == PH_OK)
		status = ph_trace_regions_identify(&arena, &input->trace->model, options, NULL, &regions);
	if (status == PH_OK)
		status = ph_trace_profile_make(read, input->trace, &regions, options, &arena, input,
									   &region_ids);
	ph_arena_drop(&arena);
	return status;
}

/* The profile that the loader would store with a trace, but for waits and their causes. */
static PhStatus
read_trace(PhEnv *env, const PhReadOptions *options, PhRunInput *input)
{
	PhTraceReadOptions how = {.source = input->trace,
							  .n_threads = usual_threads(input->trace),
							  .interrupt = env->interrupt,
							  .user = env->user};
	const PhConnection *failed = NULL;
	PhTraceRead read = {0};
	PhStatus status = ph_trace_read(env, &how, &read, &failed);

	if (status == PH_OK)
		status = make_trace_profile(env, &read, options, input);
	ph_trace_read_free(&read);
	return status;
}

static PhStatus
refuse_unfit(PhEnv *env, const PhExperiment *experiment, const PhRunInput *input)
{
	if (input->n_missing > 0)
		return ph_fail_hint(env, PH_ERR_FORMAT, "Copy or write it again.", "%s: incomplete: %s",
							experiment->path, input->missing[0]);
	return PH_OK;
}

static PhStatus
make_record(PhEnv *env, const PhExperiment *experiment, const PhReadRunsOptions *options,
			const PhRunInput *input, PhRunRecord *out)
{
	PhGivenMeta sources = {.set = options->set};
	PhRunInput given = {0}; /* for its metadata */
	char *warning = NULL;
	PhStatus status = ph_given_collect(env, &sources, experiment->path, &given.meta, &warning);

	if (status == PH_OK)
		status = ph_run_record_make(env, input, experiment->path, &given.meta, options->environment,
									out);
	free(warning);
	ph_run_input_free(env, &given);
	return status;
}

static int32_t
known_number(int32_t said, uint32_t counted)
{
	return said != PH_NO_NUMBER && said > 0 ? said : (int32_t) counted;
}

static PhStatus
count_units(PhEnv *env, const PhRunInput *input, PhReadRun *run)
{
	PhUnits units = {0};
	PhStatus status;
	PhArena arena;

	ph_arena_init(&arena, env);
	status = ph_units_find(&arena, input->profile, &units);
	ph_arena_drop(&arena);
	run->n_ranks = known_number(input->n_ranks, units.n_ranks);
	run->n_threads = known_number(input->n_threads, units.n_threads);
	run->n_hosts = (int32_t) units.n_hosts;
	return status;
}

/* Means over columns are those over units only when a unit has one column. */
static PhStatus
sum_iterations(PhEnv *env, PhProfile **profile)
{
	PhProfile *summed;

	for (uint32_t column = 0; column < (*profile)->n_columns; column++)
	{
		if ((*profile)->columns[column].iteration == PH_NO_ITERATION)
			continue;
		PH_TRY(ph_profile_roll_up_by(env, *profile, "thread", &summed));
		ph_profile_free(env, *profile);
		*profile = summed;
		return PH_OK;
	}
	return PH_OK;
}

PhStatus
ph_run_read(PhEnv *env, const PhExperiment *experiment, const PhReadRunsOptions *options,
			PhReadRun *out)
{
	PhReadOptions read = {.n_threads = 1};
	PhReadRun run = {0};
	PhRunInput input;
	PhStatus status = PH_OK;

	PH_TRY(ph_experiment_read(env, experiment, &read, &input));
	if (input.trace != NULL)
		status = read_trace(env, &read, &input);
	if (status == PH_OK)
		status = refuse_unfit(env, experiment, &input);
	if (status == PH_OK)
		status = ph_source_units_convert(env, &input);
	if (status == PH_OK)
		status = make_record(env, experiment, options, &input, &run.record);
	if (status == PH_OK)
		status = count_units(env, &input, &run);
	run.profile = ph_run_input_take_profile(env, &input);
	if (status == PH_OK)
		status = sum_iterations(env, &run.profile);
	if (status == PH_OK)
		*out = run;
	else
		ph_read_run_free(env, &run);
	return status;
}

void
ph_read_run_free(PhEnv *env, PhReadRun *run)
{
	ph_profile_free(env, run->profile);
	ph_run_record_free(&run->record);
	*run = (PhReadRun){0};
}
