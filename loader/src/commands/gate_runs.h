/*
 * gate_runs.h - the runs that the gate judges and judges by, from files and from a warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_GATE_RUNS_H
#define PH_COMMANDS_GATE_RUNS_H

#include "database/pq.h"
#include "pipeline/read_runs.h"
#include "reports/run_facts.h"

typedef struct PhGateRun
{
	char *path;			/* of a file: absolute; NULL: the run is stored */
	int64_t run_id;		/* of a stored run */
	PhProfile *profile; /* with all metrics */
	PhFacts facts;
	char **keys; /* that people set for its application, ended by NULL; NULL: the default ones */
	char *experiment; /* runs with the same can be compared; set by ph_gate_runs_sort */
} PhGateRun;

typedef struct PhGateRuns
{
	PhGateRun *items;
	size_t n;
} PhGateRuns;

/*
 * Add the profiles at a path, which may be a folder or a bundle of many. set: metadata that was
 * given. Those that `without` has, too, are passed over. Logs its own errors.
 */
PhExit ph_gate_runs_read(PhEnv *env, const char *path, const PhMeta *set, const PhGateRuns *without,
						 PhGateRuns *runs);

/* Add stored runs. Logs its own errors. */
PhExit ph_gate_runs_fetch(PhEnv *env, PhConnection *connection, const int64_t *ids, size_t n,
						  PhGateRuns *runs);

/*
 * Find what experiment each run is of, by the keys that are set for its application where a stored
 * run of `others` or of these tells them, and sort by it. Runs of unknown application are taken to
 * be of one: whoever names their files as a baseline says so.
 */
void ph_gate_runs_sort(PhGateRuns *runs, const PhGateRuns *others);

/* The run after the last one of the experiment that run `first` is of. */
size_t ph_gate_runs_end(const PhGateRuns *runs, size_t first);

void ph_gate_runs_free(PhEnv *env, PhGateRuns *runs);

#endif
