/*
 * model.h - a logical model from finished parts of tasks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_MODEL_H
#define PH_TASKS_MODEL_H

#include "tasks/replay.h"

/* Pairs of events of the model, by (from, to). */
typedef struct PhTaskLinks
{
	uint32_t n, *from, *to;
} PhTaskLinks;

/*
 * Everything but messages, in logical order. place: by event of the parts, its number in the model;
 * event: by event of the model, that of the trace. A model that was begun is the caller's to free.
 */
PhStatus ph_task_model_build(const PhTaskParts *parts, uint32_t *place, uint32_t *event,
							 PhLogicalModel *model) PH_MUST_CHECK;

/* The model's messages; with_edges: as if dependencies within parts were messages too. */
PhStatus ph_task_link_model(const PhTaskParts *parts, const uint32_t *place, bool with_edges,
							PhLogicalModel *model) PH_MUST_CHECK;

/* Sizes of messages: what the receive says, else the send. */
PhStatus ph_task_count_bytes(const PhTaskTrace *trace, const uint32_t *event,
							 PhLogicalModel *model) PH_MUST_CHECK;

#endif
