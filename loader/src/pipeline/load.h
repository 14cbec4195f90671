/*
 * load.h - many experiments into the warehouse: plan, read in parallel, store in small batches.
 *
 * The plan lists experiments in the order of the arguments, and within a folder in byte order of
 * their path. Fingerprints are computed first, then one query tells which contents are loaded
 * already, and another reserves run ids for the new ones in the order of the plan, before anything
 * is read: run ids do not depend on how many workers there are, nor on which is done first. Workers
 * are threads with a connection each; each takes neighbours from the plan, reads them and stores
 * them in one transaction. A batch that the database refuses is tried again run by run, so that one
 * bad run does not stop the others.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_LOAD_H
#define PH_PIPELINE_LOAD_H

#include <stdatomic.h>

#include "hiding/hiding.h"
#include "pipeline/given.h"
#include "pipeline/store/store.h"
#include "readers/completeness.h"
#include "trace/chunk/model.h"

/* Which traces get a pyramid (tiles/pyramid.h). */
typedef enum PhPyramidWish
{
	PH_PYRAMID_OF_LARGE, /* those of PH_PYRAMID_LEAST_EVENTS and more */
	PH_PYRAMID_ALWAYS,
	PH_PYRAMID_NEVER
} PhPyramidWish;

typedef struct PhLoadOptions
{
	const char *format; /* NULL: detect */
	const char *source_root;
	const PhModuleMap *module_map;
	bool logical_clock;			  /* correct the times of traces */
	PhClockOffsets clock_offsets; /* of traces */
	PhGivenMeta given;
	PhGetenv environment; /* NULL: does not describe the runs */
	const char *tags;	  /* array literal */
	PhHiding hiding;	  /* of what is stored */
	PhIfExists if_exists;
	uint32_t n_workers; /* at least 1 */
	bool dry_run;
	bool stop_on_error;
	bool allow_incomplete; /* store what is there of inputs that lack something, marked */
	bool each_file;		   /* also where several are of one job */
	bool one_run;		   /* files of ranks in one folder, whatever their jobs and times */
	bool logical_steps;	   /* of traces, when they are loaded */
	PhPyramidWish pyramid; /* of traces */
	bool blame;			   /* of traces: who waited, and who caused it */
	PhConnection *(*open)(void *user, PhPqError *error); /* a new connection for a worker */
	void *user;
	bool (*interrupted)(void);
	/* bytes, and what is done with a trace whose bytes are read, or NULL; may be NULL */
	void (*progress)(void *user, uint64_t done, uint64_t total, const char *doing);
} PhLoadOptions;

/* Where a failure came from decides the exit code. */
typedef struct PhLoadFailure
{
	PhStatus status;				/* PH_OK: none */
	PhPqError db;					/* when the database refused: its code is not PH_EXIT_OK */
	char message[2 * PH_ERROR_MAX]; /* with the path */
	char hint[PH_ERROR_MAX];
} PhLoadFailure;

/* What a trace held. */
typedef struct PhTraceSummary
{
	bool is_trace;
	uint32_t n_locations, n_ranks, n_regions;
	uint64_t n_expected; /* events, as the archive declares them */
	uint64_t n_events, n_messages, n_collectives;
	int64_t duration; /* ns */
	uint64_t events[PH_EVENT_KIND_COUNT];
	bool has_steps;						 /* logical ones were assigned */
	uint64_t n_inferred, n_not_inferred; /* calls of collectives without records; with steps */
	uint64_t n_comm_events, n_phases;
	int64_t last_step; /* -1: none */
} PhTraceSummary;

typedef struct PhLoadJob
{
	const PhExperiment *experiment;
	const struct PhRecord *record; /* what a harness noted of it (pipeline/records.h) */
	char fingerprint[65];
	uint64_t bytes;
	uint64_t stamp; /* sizes and times of the files when the fingerprint was made */

	/* the plan */
	int64_t run_id;		/* reserved; 0: none */
	int64_t replace_id; /* run to replace; 0: none */
	int32_t repeat;
	const struct PhLoadJob
		*twin;		/* an earlier job with the same content, when this one is skipped */
	bool is_double; /* the same path was planned before */

	/* the result */
	PhOutcome outcome;
	bool comes_again; /* it failed, but is tried in another round */
	int64_t stored_id;
	uint32_t n_nodes, n_columns, n_metrics;
	PhTraceSummary trace;
	atomic_ullong reported_bytes; /* of bytes, as progress so far */
	double seconds;
	char **warnings; /* owned, as they outlive the environment of who read the run */
	size_t n_warnings;
	PhCompleteness completeness; /* of what was read */
	char **missing;				 /* what it lacks; owned */
	size_t n_missing;
	PhLoadFailure failure;
} PhLoadJob;

typedef struct PhLoad
{
	PhLoadOptions options;
	PhArena arena; /* of the experiments, which the jobs point into */
	PhLoadJob *jobs;
	size_t n_jobs, capacity;
	PhUnreadList unread; /* files below named directories that are in no job; in the arena */
} PhLoad;

/* What the job's input lacks, in one line; to be freed. */
char *ph_job_missing_list(const PhLoadJob *job);

/* The plan is in memory of env. */
void ph_load_init(PhLoad *load, PhEnv *env, const PhLoadOptions *options);
void ph_load_free(PhLoad *load);

/* Add what path stands for. On failure no job is added, but what of it is not read is listed. */
PhStatus ph_load_add_path(PhLoad *load, const char *path) PH_MUST_CHECK;

/* Drop what was named twice, compute fingerprints (in parallel). */
PhStatus ph_load_fingerprint(PhLoad *load, PhEnv *env) PH_MUST_CHECK;

/* Ask what is there already, decide what to do with each job, reserve run ids. */
PhStatus ph_load_decide(PhLoad *load, PhEnv *env, PhConnection *db) PH_MUST_CHECK;

/* Read and store (dry run: only read) all jobs without an outcome. Each job has one afterwards. */
void ph_load_run(PhLoad *load);

/* Note skipped jobs and those that failed for good in the log, refresh planner statistics when much
 * was added. */
void ph_load_finish(PhLoad *load, PhConnection *db);

#endif
