/*
 * task_load.h - a stored run of a task-based program: its definitions, and its chunks as a trace of
 * tasks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_TASK_LOAD_H
#define PH_LOGICAL_TASK_LOAD_H

#include "tasks/collect.h"
#include "trace/reader.h"

typedef struct PhTaskRun
{
	PhTraceRun *trace; /* its scratch holds everything */
	PhTaskDefinitions definitions;
	PhTaskTrace tasks;	 /* finished; after ph_task_run_collect */
	PhTaskOrigin origin; /* of its rows */
} PhTaskRun;

/* True when a run is of a task-based program; under SPI_connect. */
bool ph_task_run_is_one(int64 run_id);

/*
 * Connect to SPI and read the definitions, as ph_trace_begin. PH002 when there is no such run, or
 * it is not of a task-based program.
 */
PhTaskRun *ph_task_run_begin(int64 run_id);

/* The same of a trace that was begun with PH_TRACE_REGIONS; it ends with that. */
PhTaskRun *ph_task_run_of(PhTraceRun *trace);

/* Disconnect and free everything. */
void ph_task_run_end(PhTaskRun *run);

/* Make tasks and origin of the chunks of these locations; NULL: of all. */
void ph_task_run_collect(PhTaskRun *run, const bool *locations);

/*
 * "Jacobi[1,2]", "Main", "CkLocMgr@3" (that of processor 3), or the name that the source gave; as
 * texts by chare.
 */
Datum *ph_task_chare_texts(const PhTaskRun *run);

#endif
