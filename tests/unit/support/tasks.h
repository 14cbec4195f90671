/*
 * tasks.h - traces of tasks for tests: from Projections logs as Ravel reads them, and of
 * random programs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_TASKS_H
#define SUPPORT_TASKS_H

#include "support/random_profile.h"
#include "tasks/structure.h"

/*
 * Text logs FOLDER/NAME.sts, NAME.<pe>.log[.gz], as Ravel takes them: messages with one end missing
 * and broadcasts by record 20 are no events; unless labels, serials with labels are no serials.
 * Times are the log's. Fails the test when a file cannot be read.
 */
void read_ravel_logs(PhEnv *env, const char *folder, const char *name, bool labels,
					 PhTaskTrace *out);

/* Shapes of random programs of tasks. */
typedef struct TaskShape
{
	uint32_t max_chares, max_processors, max_blocks;
	bool serials;  /* some entry methods are serials of SDAG */
	bool migrates; /* chares move between processors */
	bool loses;	   /* some ends of messages are missing */
	bool confused; /* clocks disagree: messages may go back in time */
	bool edges;	   /* dependencies beyond messages */
} TaskShape;

/* shuffle: processors are added in another order, with the same result after the finish. */
void random_tasks(PhEnv *env, uint64_t seed, TaskShape shape, bool shuffle, PhTaskTrace *out);

#endif
