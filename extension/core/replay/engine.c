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
	PhCallSpan span = ph_replay_gap_at(engine->program, at, slot);
	int64_t gap = PH_MAX(span.to - span.from, (int64_t) 0);
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
