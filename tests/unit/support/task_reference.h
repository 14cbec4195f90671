/*
 * task_reference.h - the logical structure of tasks by a slow, literal implementation.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_TASK_REFERENCE_H
#define SUPPORT_TASK_REFERENCE_H

#include "tasks/structure.h"

#define MAX_EVENTS 400

/* Events in physical order, entity by entity. */
typedef struct TaskReference
{
	const PhTaskTrace *trace;
	PhTaskOptions options;
	uint32_t n;
	uint32_t event[MAX_EVENTS]; /* in the trace */
	uint32_t place[MAX_EVENTS]; /* by event of the trace */
	uint32_t entity[MAX_EVENTS], block[MAX_EVENTS], root[MAX_EVENTS];
	int32_t serial[MAX_EVENTS];
	uint32_t part[MAX_EVENTS];
	bool edge[MAX_EVENTS][MAX_EVENTS];	/* of events, found so far */
	bool reach[MAX_EVENTS][MAX_EVENTS]; /* of parts */
	uint32_t leap[MAX_EVENTS];			/* by part */
	uint32_t order[MAX_EVENTS];			/* of events within parts on entities */
	int32_t step[MAX_EVENTS];
} TaskReference;

/* Everything of a small trace: at most MAX_EVENTS events. */
void task_reference_compute(TaskReference *r, const PhTaskTrace *trace,
							const PhTaskOptions *options);

bool task_reference_is_runtime(const TaskReference *r, uint32_t part);

#endif
