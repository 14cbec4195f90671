/*
 * engine.c - see engine.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/engine.h"

#include "base/min_max.h"

int64_t
ph_replay_gap(const PhReplayEngine *engine, uint32_t at, uint32_t slot)
{
	const PhReplayLocation *location = &engine->program->locations[at];
	int64_t from = slot == 0 ? location->from : location->ops[slot - 1].leave;
	int64_t to = slot == location->n_ops ? location->to : location->ops[slot].enter;
	int64_t gap = PH_MAX(to - from, (int64_t) 0);
	if (engine->plan->extra != NULL)
		gap += engine->plan->extra[at][slot];
	return PH_MAX(gap, (int64_t) 0);
}

void
ph_replay_queue(PhReplayEngine *engine, uint32_t location)
{
	uint32_t n = engine->program->skeleton->n_locations;
	engine->queue[(engine->queue_from + engine->n_queued++) % n] = location;
}
