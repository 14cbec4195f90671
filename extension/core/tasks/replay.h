/*
 * replay.h - dependencies between events within phases, and the order they ask for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_REPLAY_H
#define PH_TASKS_REPLAY_H

#include "tasks/parts.h"

/* What an event sets off within its part: event[first[e]..first[e + 1]), ascending. */
typedef struct PhTaskEffects
{
	uint32_t *first, *event;
} PhTaskEffects;

/* order: all events, such that each part's events on each entity are in their replayed order. */
PhStatus ph_task_replay(const PhTaskParts *parts, const PhTaskEffects *effects,
						uint32_t *order) PH_MUST_CHECK;

#endif
