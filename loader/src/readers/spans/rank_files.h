/*
 * rank_files.h - spans (trace.h) out of files that are a rank's each: which rank and job a
 * file is of, and how several become one trace.
 *
 * For profilers of devices that write a file for each process (Nsight Systems, rocpd). A job is
 * what the batch system's variables say, in the environment that the file recorded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_RANK_FILES_H
#define PH_READERS_SPANS_RANK_FILES_H

#include "readers/input.h"
#include "readers/spans/trace.h"

/* What the environment of a process tells. */
typedef struct PhJobVariables
{
	int32_t rank;	   /* PH_NO_NUMBER: not told */
	int64_t n_ranks;   /* -1: not told */
	const char *batch; /* the job's number in the batch system; NULL: not told */
} PhJobVariables;

typedef struct PhHostClock
{
	const char *host;
	int64_t shift; /* from its times to the trace's */
} PhHostClock;

typedef struct PhRankFiles
{
	PhEnv *env;
	PhRunInput *run;
	PhSpanTrace *trace;
	PhArena arena;
	PhIndices taken; /* ranks of processes */
	int64_t epoch;	 /* ns since 1970 of the trace's time 0; PH_NO_TIME */
	PH_VECTOR(PhHostClock) hosts;
	int64_t first_init; /* of the first host */
	bool only_times;	/* wanted: when spans are, not which */

	/* Of the file that is being read. */
	const char *path;
	uint32_t n_processes;
	PhJobVariables job;
	int32_t rank;		/* of its first process */
	int64_t shift;		/* from its times to the trace's, ns */
	int64_t begin, end; /* of its spans, shifted; begin PH_NO_TIME: there are none */
	uint64_t n_odd;		/* spans that end before they begin, of all files */
	int64_t most_ranks; /* that a file says the job has */
} PhRankFiles;

/* ---- for a format's reading of one file ---- */

PhJobVariables ph_job_variables_none(void);

/* Take a variable of the environment; its number of the job goes to the run's metadata. */
PhStatus ph_rank_files_variable(PhRankFiles *files, PhJobVariables *job, const char *name,
								const char *value) PH_MUST_CHECK;

/* The file's time 0; the first file's is the trace's. PH_NO_TIME: unknown. */
void ph_rank_files_epoch(PhRankFiles *files, int64_t epoch);

/*
 * The file's times count from its host's start, and a process of it began at init by them. Hosts
 * are brought together by the begins of their first processes.
 */
PhStatus ph_rank_files_host_clock(PhRankFiles *files, const char *host, int64_t init) PH_MUST_CHECK;

/*
 * A process of the file, with the rank that is wanted: PH_NONE: that of the file's variables or of
 * its name, if it is the file's first, else the first that is free.
 */
PhStatus ph_rank_files_process(PhRankFiles *files, uint32_t rank, const char *host,
							   uint32_t *out) PH_MUST_CHECK;

/* Add a span with times of the file. One that ends before it begins is counted and left out. */
PhStatus ph_rank_files_add(PhRankFiles *files, const PhTraceSpan *span) PH_MUST_CHECK;

/* A call or annotation of collectives, as ph_span_trace_collective, with times of the file. */
PhStatus ph_rank_files_collective(PhRankFiles *files, const char *name,
								  const PhCollectiveRange *range) PH_MUST_CHECK;

typedef PhStatus (*PhReadRankFile)(PhRankFiles *files, PhInput *input);

/* ---- for PhReader ---- */

/* Read the input, or all files of the experiment if it is NULL. */
PhStatus ph_rank_files_read(PhEnv *env, PhInput *input, const PhExperiment *experiment,
							const PhReadOptions *options, PhReadRankFile read,
							PhRunInput *out) PH_MUST_CHECK;

/* As PhReader.find_job. */
PhStatus ph_rank_files_job(PhArena *arena, const char *path, PhReadRankFile read,
						   PhFileJob *out) PH_MUST_CHECK;

#endif
