/*
 * read_runs.h - profiles from files, as they would be stored, without a warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_READ_RUNS_H
#define PH_PIPELINE_READ_RUNS_H

#include "pipeline/given.h"
#include "pipeline/store/run_record.h"
#include "stored/units.h"

/* A run in memory: what the loader would store of it. */
typedef struct PhReadRun
{
	PhProfile *profile; /* times in seconds; a column for each execution unit, iterations summed */
	PhRunRecord record;
	int32_t n_ranks, n_threads, n_hosts; /* 0: not known */
} PhReadRun;

typedef struct PhReadRunsOptions
{
	const PhMeta *set;	  /* metadata that people gave; may be NULL */
	PhGetenv environment; /* NULL: does not describe the runs */
} PhReadRunsOptions;

/*
 * The run of an experiment that ph_source_expand found. Of an event trace all events are read, for
 * the profile of its calls. Refused are inputs that lack something (PH_ERR_FORMAT).
 */
PhStatus ph_run_read(PhEnv *env, const PhExperiment *experiment, const PhReadRunsOptions *options,
					 PhReadRun *out) PH_MUST_CHECK;
void ph_read_run_free(PhEnv *env, PhReadRun *run);

#endif
